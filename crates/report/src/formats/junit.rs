//! JUnit's XML, as continuous integration reads it: a test case for each claim, each expectation, each capacity,
//! and each figure that is compared with a baseline.

use crate::escape::xml as safe;
use crate::lead::{self, Lead};
use crate::shown::{Tone, VerdictView};
use crate::view::{View, view};
use crate::{messages, number};
use proofload_analysis::{Overall, overall};
use proofload_language::facts::told;
use proofload_language::{named, tr};
use proofload_store::schema::{
    Baseline, BaselineFigure, CapacityAnswer, CapacityResult, Point, RunResult, RunState, Verdict,
};

/// Rendering of an undecided claim in JUnit's XML, which has no word for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Undecided {
    /// Skipped: neither passed nor failed.
    #[default]
    Skip,
    Fail,
}

/// The result as JUnit's XML. The first test case is the run itself: an error when it did not finish, or when no
/// verdict can rest on it; and everything about the run that is in no other case.
pub fn junit(result: &RunResult, undecided: Undecided) -> String {
    let view = view(result);
    let suite = safe(&view.title);
    let judged = view.verdicts.iter().chain(&view.expectations).map(Case::of_verdict);
    let judged = judged.chain(result.capacities.iter().map(Case::of_capacity));
    let cases: Vec<Case> = judged.chain(result.baseline.iter().flat_map(Case::of_baseline)).collect();
    let count = |came: Came| cases.iter().filter(|case| case.came(undecided) == came).count();
    let (failures, skipped) = (count(Came::Failed), count(Came::Skipped));
    let run = of_run(result, (failures, skipped), undecided);
    let mut drawn = run_case(result, &view, run);
    cases.iter().for_each(|case| drawn.push_str(&case.drawn(&suite, undecided)));
    let more = |came: Came| usize::from(run == came);
    let (failures, skipped) = (failures + more(Came::Failed), skipped + more(Came::Skipped));
    let errors = more(Came::Invalid);
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"",
        cases.len() + 1
    );
    let measured: f64 = wholes(result).map(|point| point.seconds).sum();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"proofload\" {counts}>\n\
         <testsuite name=\"{suite}\" {counts} time=\"{measured:.3}\">\n"
    );
    out.push_str("<properties>\n");
    let parameters = view.parameters.iter().map(|(name, value)| (name.clone(), value));
    let machine =
        view.environment.iter().map(|(name, value)| (format!("{}.{name}", messages::MACHINE), value));
    for (name, value) in parameters.chain(machine) {
        out.push_str(&format!("<property name=\"{}\" value=\"{}\"/>\n", safe(&name), safe(value)));
    }
    for limit in &view.limits {
        out.push_str(&format!("<property name=\"{}\" value=\"{}\"/>\n", messages::LIMIT, safe(limit)));
    }
    out.push_str("</properties>\n");
    out.push_str(&drawn);
    out.push_str("</testsuite>\n</testsuites>\n");
    out
}

/// All streams together where there are streams; each stream has a point of its own beside that.
fn wholes(result: &RunResult) -> impl Iterator<Item = &Point> {
    result.points.iter().filter(|point| point.stream.is_empty())
}

/// The run as a whole, with the numbers of cases that failed and were skipped.
fn of_run(result: &RunResult, (failed, skipped): (usize, usize), undecided: Undecided) -> Came {
    let overall = overall(result);
    if result.status.state != RunState::Finished || overall == Overall::Invalid {
        return Came::Invalid;
    }
    match Tone::of(overall) {
        Tone::Good => Came::Passed,
        _ if !lead::failures(result).is_empty() => Came::Failed,
        Tone::Bad if failed == 0 => Came::Failed,
        Tone::Open if failed + skipped == 0 && undecided == Undecided::Fail => Came::Failed,
        Tone::Open if failed + skipped == 0 => Came::Skipped,
        _ => Came::Passed,
    }
}

fn run_case(result: &RunResult, view: &View, came: Came) -> String {
    let suite = safe(&view.title);
    let answered = wholes(result)
        .filter_map(|point| point.outcomes.get("answered"))
        .fold(0, |sum: u64, n| sum.saturating_add(*n));
    let worst = view.lead.iter().filter(|line| line.tone == view.lead[0].tone);
    let why = safe(&worst.map(Lead::line).collect::<Vec<_>>().join(tr!("between-sentences")));
    let inner = match came {
        Came::Invalid => format!("<error type=\"invalid\" message=\"{why}\"/>"),
        Came::Failed => format!("<failure type=\"failed\" message=\"{why}\"/>"),
        Came::Skipped => format!("<skipped message=\"{why}\"/>"),
        Came::Passed => {
            let said = [tr!("answered", n = number::count(answered)), view.headline.clone()];
            format!("<system-out>{}</system-out>", safe(said.join("\n").trim_end()))
        }
    };
    format!("<testcase classname=\"{suite}\" name=\"{}\">{inner}</testcase>\n", tr!("the-run"))
}

/// Result of a test case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Came {
    Passed,
    Failed,
    Skipped,
    /// Of the run alone: nothing can rest on it.
    Invalid,
}

/// A claim, an expectation or a capacity.
struct Case {
    name: String,
    word: String,
    /// `None` where it is not known.
    holds: Option<bool>,
    said: Vec<String>,
}

impl Case {
    fn of_verdict(verdict: &VerdictView) -> Case {
        let said = std::iter::once(&verdict.rests_on).chain(&verdict.reasons);
        Case {
            name: messages::claimed(&verdict.name, &verdict.text),
            word: verdict.verdict.clone(),
            holds: match verdict.tone {
                Tone::Good => Some(true),
                Tone::Open => None,
                Tone::Bad => Some(false),
            },
            said: said.filter(|line| !line.is_empty()).cloned().collect(),
        }
    }

    /// As exit codes have it: not carrying even the lowest rate is an answer without a threshold.
    fn of_capacity(found: &CapacityResult) -> Case {
        Case {
            name: format!("{}: {}", found.variant, crate::view::capacity::capacity_title(&found.slo)),
            word: crate::view::capacity::capacity_answer(&found.answer).to_string(),
            holds: match found.answer {
                CapacityAnswer::Found | CapacityAnswer::AboveRange => Some(true),
                CapacityAnswer::BelowRange => Some(false),
                _ => None,
            },
            said: std::iter::once(found.sentence.clone()).chain(found.reasons.iter().map(told)).collect(),
        }
    }

    /// One for each figure; or one that reports that there is none.
    fn of_baseline(baseline: &Baseline) -> Vec<Case> {
        let case = |figure: &BaselineFigure| Case {
            name: messages::lead::case_of(figure),
            word: messages::against_baseline(&figure.verdict).to_string(),
            holds: match figure.verdict {
                Verdict::Supported => Some(true),
                Verdict::Refuted => Some(false),
                _ => None,
            },
            said: std::iter::once(messages::lead::against_baseline(figure, true, baseline.tolerance))
                .chain(figure.reasons.iter().map(told))
                .collect(),
        };
        if baseline.figures.is_empty() {
            return vec![Case {
                name: tr!("lead-against-the-baseline").to_string(),
                word: named("undecided").to_string(),
                holds: None,
                said: vec![messages::lead::none_compared(&baseline.run)],
            }];
        }
        baseline.figures.iter().map(case).collect()
    }

    fn came(&self, undecided: Undecided) -> Came {
        match (self.holds, undecided) {
            (Some(true), _) => Came::Passed,
            (None, Undecided::Skip) => Came::Skipped,
            _ => Came::Failed,
        }
    }

    fn drawn(&self, suite: &str, undecided: Undecided) -> String {
        let (name, word, message) =
            (safe(&self.name), safe(&self.word), safe(&self.said.join(tr!("between-sentences"))));
        let inner = match self.came(undecided) {
            Came::Passed => format!("<system-out>{message}</system-out>"),
            Came::Skipped => format!("<skipped message=\"{word}: {message}\"/>"),
            Came::Failed | Came::Invalid => format!(
                "<failure type=\"{word}\" message=\"{word}: {message}\">{}</failure>",
                safe(&self.said.join("\n"))
            ),
        };
        format!("<testcase classname=\"{suite}\" name=\"{name}\">{inner}</testcase>\n")
    }
}
