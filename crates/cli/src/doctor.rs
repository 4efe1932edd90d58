//! `proofload doctor`: is this machine fit to measure?

use crate::args::DoctorArgs;
use crate::exit::{Exit, leave};
use crate::{output, progress, run};
use proofload_engine::Extent;
use proofload_harness::ceiling::{Measuring, Setting};
use proofload_harness::endpoint;
use proofload_harness::host::lock::MeasuringLock;
use proofload_harness::host::signals;
use proofload_harness::host::{self, State};
use proofload_harness::study::{self, LoadKind, LoadPoint, RequestOptions};
use proofload_harness::subject::{self, Cache, Keeper};

/// The verb.
pub fn doctor(args: &DoctorArgs) -> anyhow::Result<Exit> {
    let mut text = String::new();
    if args.clean {
        let cleaned = subject::clean_leftovers();
        if cleaned.is_empty() {
            text.push_str("clean    nothing was left behind\n");
        }
        for what in cleaned {
            text.push_str(&format!("clean    {what}\n"));
        }
    }
    let findings = host::doctor();
    for finding in &findings {
        let state = match finding.state {
            State::Good => "good",
            State::Warning => "warning",
            State::Bad => "bad",
        };
        text.push_str(&format!("{state:<8} {}: {}\n", finding.subject, finding.what));
        if !finding.remedy.is_empty() && finding.state != State::Good {
            text.push_str(&format!("{:<8} {}\n", "", finding.remedy));
        }
    }
    if args.ceiling {
        text.push_str(&ceilings(args)?);
    }
    output::print(&proofload_report::escape::terminal(&text))?;
    let bad = findings.iter().any(|finding| finding.state == State::Bad);
    Ok(if bad { Exit::Unfit } else { Exit::Done })
}

/// Measures the generator's ceiling for `proofload URL` in each class of answers; a line for each.
fn ceilings(args: &DoctorArgs) -> anyhow::Result<String> {
    let stop = signals::install()?;
    let _lock =
        MeasuringLock::acquire("the generator's ceiling", true, &stop, |holder| eprintln!("{holder}"))
            .map_err(run::lock_error)?;
    let cache = Cache::open().map_err(|error| leave(Exit::FailedStart, error))?;
    let keeper = Keeper::start().map_err(|error| leave(Exit::FailedStart, error))?;
    let environment = host::environment();
    let measuring = Measuring { cache: &cache, keeper: &keeper, subject_cpus: &[], stop: &stop };
    let keep_alive = study::quantity::keep_alive(&args.keep_alive).map_err(|why| leave(Exit::Usage, why))?;
    let load = LoadPoint {
        label: format!("{}c, {} threads, keep-alive {}", args.connections, args.workers, args.keep_alive),
        connections: args.connections,
        kind: LoadKind::Closed { think_ns: proofload_engine::Distribution::Constant(0) },
        keep_alive,
        streams: Vec::new(),
        open: Default::default(),
    };
    let terms = endpoint::Terms {
        discard_ns: 0,
        extent: Extent::DurationNs(1),
        drain_ns: 0,
        workers: args.workers,
        seed: 1,
        driver: Default::default(),
    };
    let mut text = String::new();
    for answer_bytes in proofload_store::ANSWER_CLASSES {
        let urls = ["http://127.0.0.1:1/".to_string()];
        let plan = endpoint::load_plan(&urls, &RequestOptions::default(), &load, &terms)
            .map_err(|problems| leave(Exit::Usage, problems.join("; ")))?;
        let found = measuring.ceiling(&Setting { plans: vec![plan], answer_bytes }, &environment);
        text.push_str(&format!("ceiling  {}\n", progress::ceiling_line(&load.label, &found)));
    }
    Ok(text)
}
