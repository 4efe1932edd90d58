//! `proofload report`: a record drawn again, nothing run.

use crate::args::ReportArgs;
use crate::baseline::Baseline;
use crate::exit::{Exit, leave};
use crate::output::Localized;
use crate::{output, run};
use proofload_analysis::AnalysisError;
use proofload_store::schema::RunState;
use proofload_store::{Run, Single};
use std::path::Path;

/// A condensed record has neither the course of a slice nor a histogram for each; what is drawn of them would be half of it.
fn condensed_forbids(record: &Run, args: &ReportArgs) -> anyhow::Result<()> {
    let slices = output::Slices::of(record).through;
    if output::formats(&args.output).into_iter().any(|format| format.of_slices)
        && slices.iter().any(|slice| slice.condensed.is_some())
    {
        let why = "this record was condensed: series and histograms of single slices are not in it; read them from the \
                   run that it was made of";
        return Err(leave(Exit::Usage, why));
    }
    Ok(())
}

pub fn report(args: &ReportArgs) -> anyhow::Result<Exit> {
    output::check(&args.output)?;
    if Single::is_at(&args.run) {
        return of_single(args);
    }
    let record = Run::open(&args.run).map_err(|error| leave(Exit::Usage, error))?;
    condensed_forbids(&record, args)?;
    let told = || proofload_report::of_run_with(&record, &args.fail);
    let told = || {
        told().map_err(|error| match error {
            AnalysisError::Plan(_) => leave(Exit::Usage, error),
            error => error.into(),
        })
    };
    let mut result = Localized::new(told)?;
    let baseline = Baseline::open(&args.baseline, Path::new(""), record.plan(), record.environment())?;
    if let Some(baseline) = baseline {
        result = Localized::new(|| {
            let mut result = told()?;
            baseline.compare(&record, &mut result)?;
            Ok(result)
        })?;
    }
    output::write(&result, &output::Slices::of(&record), &args.output)?;
    Ok(run::exit_of(result.english()))
}

/// One measurement drawn again. A threshold can be asked of it, a comparison cannot: it has no figures over starts.
fn of_single(args: &ReportArgs) -> anyhow::Result<Exit> {
    if args.baseline.baseline.is_some() {
        let why = "--baseline: a single measurement has no interval to be compared by; use proofload compare URL URL";
        return Err(leave(Exit::Usage, why));
    }
    let Single { result, slice } = Single::open(&args.run).map_err(|error| leave(Exit::Usage, error))?;
    let measured = &slice.measured;
    let requests: Vec<String> = measured.requests.iter().map(|request| request.name.clone()).collect();
    let names = proofload_analysis::names_of_one(&measured.variant, &measured.point, &requests);
    let asked = proofload_analysis::thresholds(&args.fail, &names).map_err(|mistakes| {
        leave(Exit::Usage, mistakes.iter().map(proofload_study::told).collect::<Vec<_>>().join("\n"))
    })?;
    let whole = (result.status.state == RunState::Finished).then_some(&slice);
    let result = Localized::new(|| {
        let mut result = result.clone();
        result.claims.extend(proofload_analysis::judged_on_one(&asked, &names, whole)?);
        Ok(result)
    })?;
    output::write(&result, &output::Slices::of_one(&slice), &args.output)?;
    Ok(run::exit_of(result.english()))
}
