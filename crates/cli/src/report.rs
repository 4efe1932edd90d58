//! `proofload report`: a record drawn again, nothing run.

use crate::args::ReportArgs;
use crate::exit::{Exit, leave};
use crate::{output, run};
use proofload_report::ReportError;
use proofload_store::Run;

/// The verb.
pub fn report(args: &ReportArgs) -> anyhow::Result<Exit> {
    let record = Run::open(&args.run).map_err(|error| leave(Exit::Usage, error))?;
    let result = proofload_report::of_run_with(&record, &args.fail).map_err(|error| match error {
        ReportError::Claim { .. } => leave(Exit::Usage, error),
        error => error.into(),
    })?;
    output::write(&result, &args.output)?;
    Ok(run::exit_of(&result))
}
