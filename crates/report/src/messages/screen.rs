//! Words of the one screen that a result is shown on.

use super::{NONE, PROCESSES, SATURATED, interval};
use crate::number;
use crate::replicates::{replicates, words_of};
use proofload_store::schema::{ClaimResult, Exploratory, Mode, Model, Plan, RunResult, Sitting, Verdict};

/// Expectations, in a line that counts them.
pub const EXPECTED: &str = "expectations";
/// Published conclusions, in a line that counts them.
pub const PUBLISHED: &str = "published conclusions";
/// Series of a soak, in a line that counts them.
pub const TRENDS: &str = "trends";

/// `×1.20 [1.19, 1.21]`, `48.2 ms [47.0, 49.5]`; a count without ends.
pub fn amount(judged: &ClaimResult) -> String {
    let Some(estimate) = &judged.estimate else { return NONE.to_string() };
    // A count, or what was the same in every block, has no ends of its own.
    if estimate.low == Some(estimate.point) && estimate.high == estimate.low {
        return number::with_unit(estimate.point, &estimate.unit);
    }
    let told = interval(estimate);
    if estimate.unit == "ratio" { format!("×{told}") } else { told }
}

/// What stands below a claim: what was found, or why nothing was decided.
pub fn below(judged: &ClaimResult, plan: &Plan) -> String {
    if judged.verdict != Verdict::Undecided {
        return found_of(&judged.sentence).to_string();
    }
    let why = judged.reasons.get(judged.reason_in_sentence.unwrap_or(0)).or(judged.reasons.first());
    why.map(|why| in_short(why, plan)).unwrap_or_default()
}

/// A reason in a line: of an interval that is too wide what would settle it, and no resolution.
fn in_short(why: &str, plan: &Plan) -> String {
    let parts: Vec<&str> = why.split("; ").filter(|part| !part.starts_with("the resolution is")).collect();
    let (_, many) = words_of(plan);
    parts.join("; ").replace("blocks more", &format!("more {many}")).replace(" 1 block more", " 1 more")
}

/// The word for what a comparison both ways shows.
pub fn answer(judged: &ClaimResult) -> &'static str {
    match judged.verdict {
        Verdict::Supported if judged.text.contains('~') => "= alike",
        _ => "✔ faster",
    }
}

/// Another ratio of two servers, where nothing speaks against its interval.
pub fn beside(found: &Exploratory) -> Option<String> {
    let ratio = found.ratio.as_ref().filter(|ratio| ratio.low.is_some() && ratio.high.is_some())?;
    let Exploratory { measure, over, under, .. } = found;
    let told = interval(ratio);
    found.reasons.is_empty().then(|| format!("{measure} of {over} is {told} times that of {under}"))
}

/// Claims that have no room on the screen.
pub fn more_claims(left: usize, [supported, refuted, undecided]: [usize; 3]) -> String {
    format!("  and {left} more; of all: {supported} supported, {refuted} refuted, {undecided} undecided")
}

/// `expectations: 5 met, 1 not met, 0 undecided`.
pub fn counted(title: &str, good: usize, bad: usize, open: usize) -> String {
    let words = match title {
        PUBLISHED => ["reproduced", "not reproduced", "undecided here or not tested"],
        TRENDS => ["without growth", "growing", "undecided"],
        _ => ["met", "not met", "undecided"],
    };
    format!("{title}: {good} {}, {bad} {}, {open} {}", words[0], words[1], words[2])
}

/// Rows of the table that have no room.
pub fn more_rows(left: usize) -> String {
    format!("and {left} more rows: --verbose shows them")
}

/// `0`, `176 (1.0 %)`.
pub fn errors_of(errors: u64, all: u64) -> String {
    match errors {
        0 => "0".to_string(),
        errors => format!(
            "{} ({})",
            number::count(errors),
            number::short_percent(errors as f64 / all.max(1) as f64)
        ),
    }
}

/// How the requests came, and what that means for response times.
pub fn load(plan: &Plan) -> String {
    match plan.points.as_slice() {
        [one] => match &one.model {
            Model::Closed if one.think_ns == 0 && one.profile.is_empty() => {
                format!(
                    "{} connections, closed loop: response times include the wait for each other",
                    one.connections
                )
            }
            Model::Open => {
                format!("open loop at {}: response times count from when each request was due", one.label)
            }
            model => format!("{model} loop, {}", one.label),
        },
        several => {
            let labels: Vec<&str> = several.iter().map(|point| point.label.as_str()).collect();
            format!("loads: {}", labels.join(", "))
        }
    }
}

/// `6 restarts of each, 28 s; generator fit`.
pub fn based_on(result: &RunResult, plan: &Plan) -> String {
    let sittings = &result.status.sittings;
    let spent =
        |it: &Sitting| it.ended_unix_ns.map_or(0, |ended_ns| ended_ns.saturating_sub(it.began_unix_ns));
    let spent_ns: u64 = sittings.iter().map(spent).sum();
    let time = if spent_ns > 0 { format!(" in {}", length(spent_ns)) } else { String::new() };
    let what = replicates(result.blocks, plan);
    let turns =
        if plan.mode == Mode::Serial { ", one server after the other" } else { ", the servers taking turns" };
    let fit = result.points.iter().all(|point| point.generator.fit);
    let fitness = if fit { "generator fit" } else { "GENERATOR AT ITS LIMIT" };
    format!("{what}{time}{turns}; {fitness}")
}

fn length(ns: u64) -> String {
    let seconds = ns as f64 / 1e9;
    if seconds < 120.0 { format!("{seconds:.0} s") } else { format!("{:.0} min", seconds / 60.0) }
}

/// Beginnings of limits that matter to whoever acts on the result, the most important first.
const RANKS: [(&str, u8); 8] = [
    ("client-limited", 1),
    ("overloaded", 1),
    ("not tested: any claim", 1),
    ("not tested: looks", 3),
    ("not tested: more than", 3),
    ("young servers", 3),
    ("machine: ", 4),
    ("could not check", 5),
];
/// Parts of limits that matter.
const WITHIN: [(&str, u8); 4] =
    [("did not get through", 1), ("left out", 2), ("not judged", 2), ("NOT CHECKED", 0)];

/// What to beware of, the most important first, each with its remedy; what says little to who acts on it is in the text of
/// `--verbose`.
pub fn warnings(limits: &[String], plan: &Plan) -> Vec<String> {
    let mut ranked: Vec<(u8, String)> =
        limits.iter().filter_map(|limit| Some((rank(limit)?, without_blocks(&said(limit), plan)))).collect();
    if plan.timing.looks == [1] {
        ranked.push((1, ONE_RESTART.to_string()));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    let mut told: Vec<String> = Vec::new();
    for (_, text) in ranked {
        // The same thing at another load point is no other warning.
        let begins = |text: &str| text.split(" at ").next().unwrap_or_default().to_string();
        if !told.iter().any(|known| begins(known) == begins(&text)) {
            told.push(text);
        }
    }
    told
}

fn rank(limit: &str) -> Option<u8> {
    if limit == PROCESSES {
        return Some(2);
    }
    if limit == SATURATED {
        return None;
    }
    let begins = RANKS.iter().find(|(begin, _)| limit.starts_with(begin));
    let within = || WITHIN.iter().find(|(part, _)| limit.contains(part));
    begins.or_else(within).map(|(_, rank)| *rank)
}

/// The same with the screen's words for blocks.
fn without_blocks(text: &str, plan: &Plan) -> String {
    let (one, many) = words_of(plan);
    match text.strip_prefix("block ") {
        Some(rest) => format!("{one} {rest}"),
        None => text
            .replace(" blocks begun", &format!(" {many} begun"))
            .replace(" blocks: ", &format!(" {many}: ")),
    }
}

/// A limit in a line: what is the matter, and what to do.
fn said(limit: &str) -> String {
    let place = || {
        limit.split(" for claims about ").next().unwrap_or_default().trim_start_matches("client-limited at ")
    };
    match limit {
        PROCESSES => RUNNING.to_string(),
        text if text.starts_with("not tested: looks") => MORE_LOOKS.to_string(),
        text if text.starts_with("machine: cores: two CPUs") => TWO_CPUS.to_string(),
        text if text.starts_with("young servers") => {
            format!("{}; --thorough measures older ones", text.split(';').next().unwrap_or(text))
        }
        text if text.starts_with("client-limited") && text.contains(" for claims about p99.9") => {
            format!("the generator adds to p99.9 at {}; give it CPUs of its own", place())
        }
        text if text.starts_with("client-limited") && text.contains(" for claims about p99 ") => {
            format!("the generator adds to p99 at {}; give it CPUs of its own", place())
        }
        text if text.starts_with("client-limited in ") => {
            let slices = text.split(": ").next().unwrap_or(text).trim_start_matches("client-limited in ");
            format!("the generator was held up in {slices}; give it CPUs of its own")
        }
        text => text.to_string(),
    }
}

/// The time was too short for all looks.
const MORE_LOOKS: &str = "the time was too short for all planned restarts; give a longer --budget";
/// One CPU each.
const TWO_CPUS: &str = "two CPUs: a server has one, and is not seen at its best; use a larger machine";

/// Nothing was started.
const RUNNING: &str = "one start of each, not restarted: for the setups, give commands with {port}";
/// Nothing was repeated.
const ONE_RESTART: &str =
    "a check that everything works: one restart gives no verdict; leave --smoke out for one";

/// Where everything else is.
pub fn more(run: &str, limits: usize) -> String {
    format!("{limits} limits, all checks: proofload report {run} -v, or its report.html")
}

/// What was found, of a whole sentence: without the interval and what it means for the claim, which stand elsewhere.
fn found_of(sentence: &str) -> &str {
    let found = sentence.rsplit_once("). Claim \"").map_or(sentence, |(found, _)| found);
    found.rsplit_once(" (").map_or(found, |(found, _)| found)
}

/// A last line of a run that only checked that everything works.
pub fn headline_checked(line: &str) -> String {
    format!("{line} (checked, no verdict)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages;

    /// The limits are ranked by how they begin: each kind is asked here as it is really written.
    #[test]
    fn what_matters_most_comes_first_and_says_what_to_do() {
        let limits = [
            messages::machine("cores: two CPUs, one for the generator and one for all subjects"),
            messages::young_servers(20.0, 90.0, true),
            messages::excluded(2),
            messages::disturbed(1, "steal", true),
            messages::SATURATED.to_string(),
            messages::LOOPBACK.to_string(),
            messages::PROCESSES.to_string(),
            messages::unfit(3, 48, "worker 0 was kept from waking for 4.5 % of the time"),
            messages::overloaded("one", "5k/s", "", 0.8),
            messages::lost("one", 2, false, "it died"),
            messages::insecure("one"),
        ];
        let told = warnings(&limits, &Plan::default());
        assert!(told[0].contains("NOT CHECKED"), "{told:?}");
        let place = |part: &str| {
            told.iter().position(|text| text.contains(part)).unwrap_or_else(|| panic!("{part}: {told:?}"))
        };
        assert!(place("held up in 3 of 48 slices; give it CPUs") < place("one start of each, not restarted"));
        assert!(place("overloaded: one") < place("young servers"));
        assert!(place("did not get through") < place("use a larger machine"));
        assert!(!told.iter().any(|text| text.contains("block")), "{told:?}");
        assert!(place("not judged") < place("--thorough measures older ones"));
        assert_eq!(told.len(), 9, "what every test on one machine shares is no warning: {told:?}");
    }

    #[test]
    fn one_restart_says_how_to_get_a_verdict() {
        let mut plan = Plan::default();
        plan.timing.looks = vec![1];
        assert_eq!(warnings(&[], &plan), [ONE_RESTART]);
    }
}
