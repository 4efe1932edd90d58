//! `proofload report`: a record drawn again, nothing run.

use crate::args::{Format, ReportArgs};
use crate::baseline::Baseline;
use crate::exit::{Exit, leave};
use crate::{output, run};
use proofload_report::ReportError;
use proofload_store::Run;
use std::path::Path;

/// A condensed record has neither the course of a slice nor a histogram for each; what is drawn of them would be half of it.
fn condensed_forbids(record: &Run, args: &ReportArgs) -> anyhow::Result<()> {
    let slices = output::slices(record);
    let is_series = matches!(args.output.format, Format::CsvSeries | Format::Hlog);
    if is_series && slices.iter().any(|slice| slice.condensed.is_some()) {
        let why = "this record was condensed: series and histograms of single slices are not in it; read them from the \
                   run that it was made of";
        return Err(leave(Exit::Usage, why));
    }
    Ok(())
}

/// The verb.
pub fn report(args: &ReportArgs) -> anyhow::Result<Exit> {
    output::check(&args.output)?;
    let record = Run::open(&args.run).map_err(|error| leave(Exit::Usage, error))?;
    condensed_forbids(&record, args)?;
    let mut result = proofload_report::of_run_with(&record, &args.fail).map_err(|error| match error {
        ReportError::Plan(_) => leave(Exit::Usage, error),
        error => error.into(),
    })?;
    let baseline = Baseline::open(&args.baseline, Path::new(""), record.plan(), record.environment())?;
    if let Some(baseline) = baseline {
        baseline.compare(&record, &mut result)?;
    }
    output::write(&result, &output::slices(&record), &args.output)?;
    Ok(run::exit_of(&result))
}
