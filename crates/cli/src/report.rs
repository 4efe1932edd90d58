//! `proofload report`: a record drawn again, nothing run.

use crate::args::ReportArgs;
use crate::exit::{Exit, leave};
use crate::{output, run};
use proofload_store::Run;

/// The verb.
pub fn report(args: &ReportArgs) -> anyhow::Result<Exit> {
    output::check(&args.output)?;
    let record = Run::open(&args.run).map_err(|error| leave(Exit::Usage, error))?;
    let result = proofload_report::of_run(&record)?;
    output::write(&result, &output::slices(&record), &args.output)?;
    Ok(run::exit_of(&result))
}
