//! Comparing with an earlier run.

use crate::args::BaselineArgs;
use crate::exit::{Exit, leave};
use crate::mistakes::wrong;
use proofload_analysis::compare;
use proofload_facts::{Expected, Mistake};
use proofload_language::facts::told;
use proofload_store::Run;
use proofload_store::schema::{Difference, Environment, Plan, RunResult};
use std::path::Path;

/// A baseline that was found to be comparable, or is compared all the same.
pub struct Baseline {
    run: Run,
    tolerance: f64,
    differences: Vec<Difference>,
}

impl Baseline {
    /// Reads the baseline that was asked for and checks that it can be compared with measurements of that plan
    /// on that machine. Relative paths begin at `base`.
    ///
    /// # Errors
    /// If it cannot be read or, without `--baseline-anyway`, compared.
    pub fn open(
        args: &BaselineArgs,
        base: &Path,
        plan: &Plan,
        environment: &Environment,
    ) -> anyhow::Result<Option<Baseline>> {
        let Some(path) = &args.baseline else { return Ok(None) };
        let tolerance = share(&args.tolerance).ok_or_else(|| {
            wrong("--tolerance", Mistake::not(&args.tolerance, Expected::Share, "5%, 0.05"))
        })?;
        let run = Run::open(&base.join(path)).map_err(|error| leave(Exit::Usage, error))?;
        let differences = compare::comparability((run.plan(), run.environment()), (plan, environment));
        if !differences.is_empty() && !args.baseline_anyway {
            let told: Vec<String> = differences.iter().map(|d| format!("  {}", told(&d.finding()))).collect();
            let what = format!(
                "{} cannot be compared with this run:\n{}\nmeasure a baseline under these conditions, or give \
                 --baseline-anyway: the result is then marked",
                path.display(),
                told.join("\n")
            );
            return Err(leave(Exit::Usage, what));
        }
        Ok(Some(Baseline { run, tolerance, differences }))
    }

    /// Enters the comparison in a result.
    ///
    /// # Errors
    /// If one of the records cannot be read.
    pub fn compare(&self, run: &Run, result: &mut RunResult) -> anyhow::Result<()> {
        let compared = proofload_analysis::baseline(run, &self.run, self.tolerance, &self.differences)?;
        result.baseline = Some(compared);
        Ok(())
    }
}

/// `5%` or `0.05`; 0 is allowed, 1 is not.
pub fn share(text: &str) -> Option<f64> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let share = match text.strip_suffix('%') {
        Some(percent) => number(percent)? / 100.0,
        None => number(text)?,
    };
    (0.0..1.0).contains(&share).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn a_tolerance_is_a_share_below_one() {
        assert_eq!([share("5%"), share("0.1"), share("0")], [Some(0.05), Some(0.1), Some(0.0)]);
        for wrong in ["5", "-1%", "100%", "NaN", "", "%", "five"] {
            assert_eq!(share(wrong), None, "{wrong}");
        }
    }
}
