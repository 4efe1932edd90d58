//! JUnit's XML, as continuous integration reads it: a test case for each claim and each expectation.

use crate::escape::xml as safe;
use crate::result::{Overall, overall};
use crate::view::{VerdictView, View, view};
use crate::{messages, number};
use proofload_store::schema::{Point, RunResult};

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
    let mut cases = run_case(result, &view);
    let mut failures = 0;
    let mut skipped = 0;
    let judged = || view.verdicts.iter().chain(&view.expectations);
    for verdict in judged() {
        match (verdict.verdict.as_str(), undecided) {
            ("supported" | "met", _) => {}
            ("undecided", Undecided::Skip) => skipped += 1,
            _ => failures += 1,
        }
        cases.push_str(&claim_case(&suite, verdict, undecided));
    }
    let errors = u32::from(why_invalid(result, &view).is_some());
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"",
        judged().count() + 1
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
    out.push_str(&cases);
    out.push_str("</testsuite>\n</testsuites>\n");
    out
}

/// All streams together where there are streams; each stream has a point of its own beside that.
fn wholes(result: &RunResult) -> impl Iterator<Item = &Point> {
    result.points.iter().filter(|point| point.stream.is_empty())
}

/// Why the run as a whole proves nothing.
fn why_invalid(result: &RunResult, view: &View) -> Option<String> {
    match (result.status.state.as_str(), overall(result)) {
        ("finished", Overall::Invalid) => Some(messages::INVALID.to_string()),
        ("finished", _) => None,
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

fn claim_case(suite: &str, verdict: &VerdictView, undecided: Undecided) -> String {
    let mut said = vec![verdict.rests_on.clone()];
    said.extend(verdict.reasons.clone());
    said.retain(|line| !line.is_empty());
    let (word, message) = (safe(&verdict.verdict), safe(&said.join("; ")));
    let inner = match (verdict.verdict.as_str(), undecided) {
        ("supported" | "met", _) => format!("<system-out>{message}</system-out>"),
        ("undecided", Undecided::Skip) => format!("<skipped message=\"{word}: {message}\"/>"),
        _ => format!(
            "<failure type=\"{word}\" message=\"{word}: {message}\">{}</failure>",
            safe(&said.join("\n"))
        ),
    };
    let name = safe(&messages::claimed(&verdict.name, &verdict.text));
    format!("<testcase classname=\"{suite}\" name=\"{name}\">{inner}</testcase>\n")
}
