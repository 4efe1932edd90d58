//! The noise audit: made, kept and shown.

use crate::args::{ListFormat, NoiseArgs, OutputArgs, UndecidedIs};
use crate::around::Surroundings;
use crate::exit::{Exit, leave};
use crate::mistakes::wrong;
use crate::run::{self, Request, execute_recorded};
use crate::runs::print_json;
use proofload_host::clock;
use proofload_lab::noise;
use proofload_lab::plan::{Mode, Preset};
use proofload_lab::study_run::StudyRun;
use proofload_store::Run;
use proofload_store::schema::Plan;
use proofload_study::{self as study, Study};
use proofload_subject::{Cache, Catalogue};

/// Output of a run that is a part of something larger: progress only.
pub fn output_of_part(quiet: bool) -> OutputArgs {
    OutputArgs {
        format: None,
        output: Vec::new(),
        undecided: UndecidedIs::Skip,
        github_summary: false,
        quiet,
        verbose: false,
    }
}

/// Runs the blocks of an audit, fits and keeps it, and prints it where JSON is asked for. What is to be printed as text
/// comes back.
pub fn audit(args: &NoiseArgs) -> anyhow::Result<(Exit, String)> {
    let cache = Cache::open().map_err(|error| leave(Exit::FailedStart, error))?;
    let catalogue = Catalogue::find(None, None).map_err(|error| leave(Exit::Usage, error))?;
    let study = noise::study(&catalogue).map_err(|problems| leave(Exit::Usage, problems))?;
    let blocks = blocks(args, &study)?;
    let shape = |plan: &mut Plan| noise::shape(plan, &study, blocks);
    let held = run::right_to_measure(&study.name, args.no_wait, args.quiet)?;
    let (around, begun_ns) = (Surroundings::here(), clock::monotonic_ns());
    let run = StudyRun {
        generator: &*around.generator,
        preset: Preset::Quick,
        timing: args.timing.as_deref(),
        mode: Some(Mode::Cycles),
        shape: Some(&shape),
        ..StudyRun::new(&study, &catalogue, &cache, &args.dir)
    };
    let of_part = &output_of_part(args.quiet);
    let (exit, record) = execute_recorded(&Request { held: Some(&held), ..Request::new(run, of_part) })?;
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
            let budget_ns = study::quantity::duration(text).map_err(|mistake| wrong("--budget", mistake))?;
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
