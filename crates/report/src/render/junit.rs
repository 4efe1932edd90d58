//! JUnit's XML, as continuous integration reads it: a test case for each claim, each expectation and each capacity.

use crate::escape::xml as safe;
use crate::shown::{Tone, VerdictView};
use crate::view::{View, view};
use crate::{messages, number};
use proofload_analysis::{Overall, overall};
use proofload_language::facts::told;
use proofload_language::word;
use proofload_store::schema::{CapacityAnswer, CapacityResult, Point, RunResult, RunState};

/// What an undecided claim is to a reader of JUnit's XML, which has no word for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Undecided {
    /// Skipped: neither passed nor failed.
    #[default]
    Skip,
    /// Failed.
    Fail,
}

/// The result as JUnit's XML. The first test case is the run itself: an error when it did not finish, or when no
/// verdict can rest on it.
pub fn junit(result: &RunResult, undecided: Undecided) -> String {
    let view = view(result);
    let suite = safe(&view.title);
    let mut drawn = run_case(result, &view);
    let judged = view.verdicts.iter().chain(&view.expectations).map(Case::of_verdict);
    let cases: Vec<Case> = judged.chain(result.capacities.iter().map(Case::of_capacity)).collect();
    let count = |came: Came| cases.iter().filter(|case| case.came(undecided) == came).count();
    let (failures, skipped) = (count(Came::Failed), count(Came::Skipped));
    cases.iter().for_each(|case| drawn.push_str(&case.drawn(&suite, undecided)));
    let errors = u32::from(why_invalid(result, &view).is_some());
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

/// Why the run as a whole proves nothing.
fn why_invalid(result: &RunResult, view: &View) -> Option<String> {
    match (&result.status.state, overall(result)) {
        (RunState::Finished, Overall::Invalid) => Some(messages::INVALID.to_string()),
        (RunState::Finished, _) => None,
        _ => Some(view.ended.clone()),
    }
}

fn run_case(result: &RunResult, view: &View) -> String {
    let suite = safe(&view.title);
    let answered = wholes(result)
        .filter_map(|point| point.outcomes.get("answered"))
        .fold(0, |sum: u64, n| sum.saturating_add(*n));
    let inner = match why_invalid(result, view) {
        None => {
            let said = [messages::answered(&number::count(answered)), view.headline.clone()];
            format!("<system-out>{}</system-out>", safe(said.join("\n").trim_end()))
        }
        Some(why) => format!("<error type=\"invalid\" message=\"{}\"/>", safe(&why)),
    };
    format!("<testcase classname=\"{suite}\" name=\"{}\">{inner}</testcase>\n", messages::THE_RUN)
}

/// How a test case came out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Came {
    Passed,
    Failed,
    Skipped,
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

    /// As exit codes have it: not carrying even the lowest rate is an answer that nobody asked for.
    fn of_capacity(found: &CapacityResult) -> Case {
        Case {
            name: format!("{}: {}", found.variant, messages::capacity_title(&found.slo)),
            word: messages::capacity_answer(&found.answer).to_string(),
            holds: match found.answer {
                CapacityAnswer::Found | CapacityAnswer::AboveRange => Some(true),
                CapacityAnswer::BelowRange => Some(false),
                _ => None,
            },
            said: std::iter::once(found.sentence.clone()).chain(found.reasons.iter().map(told)).collect(),
        }
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
            (safe(&self.name), safe(&self.word), safe(&self.said.join(word!("between-sentences"))));
        let inner = match self.came(undecided) {
            Came::Passed => format!("<system-out>{message}</system-out>"),
            Came::Skipped => format!("<skipped message=\"{word}: {message}\"/>"),
            Came::Failed => format!(
                "<failure type=\"{word}\" message=\"{word}: {message}\">{}</failure>",
                safe(&self.said.join("\n"))
            ),
        };
        format!("<testcase classname=\"{suite}\" name=\"{name}\">{inner}</testcase>\n")
    }
}
