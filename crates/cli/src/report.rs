//! `proofload report`: a record drawn again, nothing run.

use crate::args::ReportArgs;
use crate::baseline::Baseline;
use crate::exit::{Exit, leave};
use crate::{output, run};
use proofload_report::ReportError;
use proofload_store::Run;
use std::path::Path;

/// The verb.
pub fn report(args: &ReportArgs) -> anyhow::Result<Exit> {
    output::check(&args.output)?;
    let record = Run::open(&args.run).map_err(|error| leave(Exit::Usage, error))?;
    let mut result = proofload_report::of_run_with(&record, &args.fail).map_err(|error| match error {
        ReportError::Claim { .. } => leave(Exit::Usage, error),
        error => error.into(),
    })?;
    let baseline = Baseline::open(&args.baseline, Path::new(""), record.plan(), record.environment())?;
    if let Some(baseline) = baseline {
        baseline.compare(&record, &mut result)?;
    }
    output::write(&result, &output::slices(&record), &args.output)?;
    Ok(run::exit_of(&result))
}
