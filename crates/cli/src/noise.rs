//! The noise audit: made, shown, and held against what a study claims.

use crate::args::{Format, ListFormat, NoiseArgs, OutputArgs, PresetArgs, UndecidedIs};
use crate::exit::{Exit, leave};
use crate::run::{self, Begin, Conduct, Part, carry_out};
use crate::runs::print_json;
use proofload_host::clock;
use proofload_lab::noise;
use proofload_stats::Side;
use proofload_store::Run;
use proofload_store::schema::{Environment, Plan};
use proofload_study::{self as study, Study};
use proofload_subject::{Cache, Catalogue};
use std::path::Path;

/// Where nothing is known of the machine's noise.
const UNKNOWN: &str = "how small a difference this machine can resolve is not known: proofload doctor --noise measures it \
                       (6 minutes, once a week)";

/// Output of a run that is a part of something larger: progress only.
pub fn output_of_part(quiet: bool) -> OutputArgs {
    OutputArgs {
        format: Format::Text,
        output: None,
        undecided: UndecidedIs::Skip,
        github_summary: false,
        quiet,
    }
}

/// Runs the blocks of an audit, fits and keeps it, and prints it where JSON is asked for. What is to be printed as text
/// comes back.
pub fn audit(args: &NoiseArgs) -> anyhow::Result<(Exit, String)> {
    let cache = Cache::open().map_err(|error| leave(Exit::FailedStart, error))?;
    let catalogue = Catalogue::find(None, None).map_err(|error| leave(Exit::Usage, error))?;
    let study = noise::study(&catalogue).map_err(|problems| leave(Exit::Usage, problems))?;
    let blocks = blocks(args, &study)?;
    let preset = PresetArgs { quick: true, timing: args.timing.clone(), ..PresetArgs::default() };
    let shape = |plan: &mut Plan| noise::shape(plan, &study, blocks, args.timing.is_some());
    let held = run::right_to_measure(&study.name, args.no_wait, args.quiet)?;
    let begun_ns = clock::monotonic_ns();
    let (exit, record) = carry_out(&Conduct {
        study: &study,
        preset: &preset,
        catalogue: &catalogue,
        cache: &cache,
        dir: &args.dir,
        mode: Some(proofload_lab::plan::Mode::Cycles),
        seed: None,
        workers: None,
        no_wait: args.no_wait,
        explain: false,
        baseline: None,
        base: Path::new(""),
        begin: Begin::New,
        part: Some(Part { shape: &shape, held: &held }),
        output: &output_of_part(args.quiet),
    })?;
    let Some(record) = record.filter(|_| exit != Exit::Interrupted) else {
        return Ok((exit, String::new()));
    };
    let seconds = (clock::monotonic_ns() - begun_ns) as f64 / 1e9;
    let run = Run::open(&record)?;
    let Some(audit) = noise::audit(&run, &study, seconds, clock::unix_ns())? else {
        let what = format!(
            "too few blocks are complete and undisturbed to tell the noise: {}; give it more of them, or a quieter hour",
            record.display()
        );
        return Err(leave(Exit::Invalid, what));
    };
    noise::keep(&cache, run.environment(), &audit)
        .map_err(|error| leave(Exit::Failure, format!("the audit cannot be kept in the cache: {error}")))?;
    match args.format {
        ListFormat::Json => print_json(&audit).map(|()| (Exit::Done, String::new())),
        ListFormat::Text => {
            let when = clock::date_text(audit.measured_unix_ns);
            Ok((Exit::Done, format!("\n{}", proofload_report::noise_text(&audit, &when))))
        }
    }
}

fn blocks(args: &NoiseArgs, study: &Study) -> anyhow::Result<u32> {
    let blocks = match &args.budget {
        None => args.blocks.unwrap_or(noise::BLOCKS),
        Some(text) => {
            let budget_ns = study::quantity::duration(text)
                .map_err(|why| leave(Exit::Usage, format!("--budget {why}")))?;
            noise::blocks_in(study, budget_ns).min(noise::BLOCKS_MAX)
        }
    };
    if !(noise::BLOCKS_MIN..=noise::BLOCKS_MAX).contains(&blocks) {
        let (least, most) = (noise::BLOCKS_MIN, noise::BLOCKS_MAX);
        let what =
            format!("an audit has {least} to {most} blocks, this one would have {blocks}; 4 take about 75 s");
        return Err(leave(Exit::Usage, what));
    }
    Ok(blocks)
}

/// The last audit of this machine in two lines; nothing when there is none.
pub fn last_lines(environment: &Environment) -> Vec<String> {
    let Some(audit) = Cache::open().ok().and_then(|cache| noise::last(&cache, environment)) else {
        return vec![UNKNOWN.to_string()];
    };
    let now_ns = clock::unix_ns();
    let age = proofload_report::age(now_ns.saturating_sub(audit.measured_unix_ns));
    let outdated = noise::outdated(&audit, environment, now_ns);
    proofload_report::noise_lines(&audit, &age, &outdated).to_vec()
}

/// What a study asks for and this machine can hardly resolve, a line each; where nothing is known of the machine, one
/// that says so. Nothing for a study that judges nothing.
pub fn doubts(conduct: &Conduct<'_>, plan: &Plan, environment: &Environment) -> Vec<String> {
    let compares = |claim: &proofload_stats::Claim| matches!(claim.right, Side::Measured { .. });
    if run::preset(conduct.preset) == proofload_lab::plan::Preset::Smoke
        || !conduct.study.claims.iter().any(compares)
    {
        return Vec::new();
    }
    let Some(audit) = noise::last(conduct.cache, environment) else { return vec![UNKNOWN.to_string()] };
    let mut said = noise::doubts(&conduct.study.claims, plan, &audit);
    said.iter_mut().for_each(|doubt| *doubt = format!("warning: {doubt}"));
    let outdated = noise::outdated(&audit, environment, clock::unix_ns());
    if !said.is_empty() && !outdated.is_empty() {
        said.push(format!("the noise audit that says so is old: {}", outdated.join(", ")));
    }
    said
}

/// The same at the end of an explanation.
pub fn section(doubts: &[String]) -> String {
    match doubts {
        [] => String::new(),
        lines => format!("\nWhat this machine can resolve\n  {}\n", lines.join("\n  ")),
    }
}
