//! `proofload doctor`: is this machine fit to measure?

use crate::args::{DoctorArgs, ListFormat};
use crate::around::error_line;
use crate::exit::{Exit, leave};
use crate::{flags, known_noise, measure, noise, output, progress, run};
use proofload_engine::Here;
use proofload_engine::{Extent, LoadPlan};
use proofload_facts::{Expected, Mistake};
use proofload_host::lock::MeasuringLock;
use proofload_host::signals;
use proofload_host::{self as host, State};
use proofload_lab::ceiling::{Measuring, Setting};
use proofload_lab::endpoint::Terms;
use proofload_lab::generator_settings::GeneratorSettings;
use proofload_language::tr;
use proofload_report as report;
use proofload_subject::{self as subject, Cache, Keeper};
use std::net::Ipv4Addr;

pub fn doctor(args: &DoctorArgs) -> anyhow::Result<Exit> {
    let mut text = String::new();
    if args.clean {
        let cleaned = subject::clean_leftovers();
        if cleaned.is_empty() {
            text.push_str(&named("clean", tr!("doctor-nothing-left")));
        }
        for what in cleaned {
            text.push_str(&named("clean", &what));
        }
    }
    let findings = host::doctor();
    text.push_str(&report::doctor_text(&findings));
    if args.ceiling {
        text.push_str(&ceilings(args)?);
    }
    let bad = findings.iter().any(|finding| finding.state() == State::Bad);
    if args.noise.noise {
        let (exit, audited) = noise::audit(&args.noise)?;
        text.push_str(&audited);
        if exit != Exit::Done || args.noise.format == ListFormat::Json {
            return Ok(exit);
        }
    } else {
        known_noise::last_audit(&host::environment())
            .iter()
            .for_each(|line| text.push_str(&named("noise", line)));
    }
    known_noise::lent(&host::environment()).iter().for_each(|line| text.push_str(&named("history", line)));
    output::print(&report::escape::terminal(&text))?;
    Ok(if bad { Exit::Unfit } else { Exit::Done })
}

/// A line with its name before it, the names in a column.
fn named(name: &str, text: &str) -> String {
    let name = match name {
        "clean" => tr!("doctor-clean"),
        "noise" => tr!("doctor-noise"),
        "history" => tr!("doctor-history"),
        _ => tr!("doctor-ceiling"),
    };
    report::in_column(name, text)
}

/// The load whose ceiling is asked for.
fn load_of(args: &DoctorArgs) -> anyhow::Result<(LoadPlan, String)> {
    let mut draft = flags::draft("doctor", "What is the most that the generator does?");
    let nowhere = ["http://127.0.0.1:1/".to_string()];
    measure::asked(&mut draft, if args.urls.is_empty() { &nowhere } else { &args.urls }, &args.load);
    flags::shared(&mut draft, &args.load);
    flags::load(&mut draft, &args.load);
    if args.load.connections.as_deref() == Some("auto") || args.load.open.max_connections.is_some() {
        draft.add("-c", Mistake::not("auto", Expected::Whole, "-c 64"));
    }
    let terms = Terms {
        discard_ns: 0,
        extent: Extent::DurationNs(1),
        drain_ns: 0,
        workers: args.load.workers.unwrap_or(1),
        seed: 1,
        driver: args.load.driver(),
    };
    let plan = flags::load_plan(&flags::checked(draft)?, &terms)?;
    let (connections, workers) = (plan.connections, plan.workers);
    let threads = tr!("generator-threads", threads = workers);
    let label = format!("{connections}c, {threads}, keep-alive {}", args.load.keep_alive);
    Ok((plan, label))
}

/// Measures the generator's ceiling for `proofload URL` in each class of answers; a line for each.
fn ceilings(args: &DoctorArgs) -> anyhow::Result<String> {
    let (plan, label) = load_of(args)?;
    let stop = signals::install()?;
    let _lock = MeasuringLock::acquire("the generator's ceiling", !args.noise.no_wait, &stop, |holder| {
        error_line(holder)
    })
    .map_err(run::lock_error)?;
    let cache = Cache::open().map_err(|error| leave(Exit::FailedStart, error))?;
    let keeper = Keeper::start().map_err(|error| leave(Exit::FailedStart, error))?;
    let environment = host::environment();
    let measuring = Measuring {
        cache: &cache,
        keeper: &keeper,
        settings: &GeneratorSettings::default(),
        stop: &stop,
        generator: &Here,
        address: Ipv4Addr::LOCALHOST.into(),
    };
    let mut text = String::new();
    for answer_bytes in proofload_analysis::ANSWER_CLASSES {
        let found = measuring.ceiling(&Setting::new(vec![plan.clone()], answer_bytes, &[]), &environment);
        text.push_str(&named("ceiling", &progress::ceiling_line(&label, &found)));
    }
    Ok(text)
}
