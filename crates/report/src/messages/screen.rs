//! Words of the one screen that a result is shown on.

use super::{NONE, PROCESSES, SATURATED, interval, machine, not_tested};
use crate::number;
use crate::replicates::{replicates, words_of};
use crate::shown::{Tone, VerdictView};
use proofload_language::{Phrase, named, read_back, say, word};
use proofload_store::schema::{ClaimResult, Exploratory, Mode, Model, Plan, RunResult, Sitting, Verdict};

/// Expectations, in a line that counts them.
pub const EXPECTED: Phrase = Phrase("screen-expected");
/// Published conclusions, in a line that counts them.
pub const PUBLISHED: Phrase = Phrase("screen-published");
/// Series of a soak, in a line that counts them.
pub const TRENDS: Phrase = Phrase("screen-trends");

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
    // That one restart decides nothing is said once.
    if judged.verdict != Verdict::Undecided || plan.timing.looks == [1] {
        return found_of(&judged.sentence).to_string();
    }
    let why = judged.reasons.get(judged.reason_in_sentence.unwrap_or(0)).or(judged.reasons.first());
    why.map(|why| in_short(why, plan)).unwrap_or_default()
}

/// What was found, or why nothing was decided.
pub fn in_one_sentence(verdict: &VerdictView) -> String {
    let found = found_of(&verdict.sentence);
    let why =
        verdict.reasons.get(verdict.reason_in_sentence.unwrap_or(0)).filter(|_| verdict.tone == Tone::Open);
    match (found, why) {
        ("", None) => String::new(),
        ("", Some(why)) => why.clone(),
        (found, None) => found.to_string(),
        (found, Some(why)) => say!("outcome-because", word = found, why),
    }
}

/// A reason in a line: of an interval that is too wide what would settle it, and no resolution.
fn in_short(why: &str, plan: &Plan) -> String {
    let between = word!("between-sentences");
    let parts = why.split(between).filter(|part| !part.starts_with(word!("in-short-resolution")));
    let (_, many) = words_of(plan);
    let text = parts.collect::<Vec<_>>().join(between);
    let text = text.replace(word!("in-short-blocks-more"), &say!("in-short-more", many));
    text.replace(word!("in-short-one-block-more"), word!("in-short-one-more"))
}

/// What a comparison both ways shows, with its mark.
pub fn answer(judged: &ClaimResult) -> String {
    let mark = if is_alike(judged) { "=" } else { "✔" };
    format!("{mark} {}", answer_word(judged))
}

/// The same without.
pub fn answer_word(judged: &ClaimResult) -> &'static str {
    if is_alike(judged) { word!("answer-alike") } else { word!("answer-faster") }
}

fn is_alike(judged: &ClaimResult) -> bool {
    judged.text.contains('~')
}

/// Another ratio of two servers, where nothing speaks against its interval.
pub fn beside(found: &Exploratory) -> Option<String> {
    let ratio = found.ratio.as_ref().filter(|ratio| ratio.low.is_some() && ratio.high.is_some())?;
    let Exploratory { measure, over, under, .. } = found;
    let told = interval(ratio);
    found.reasons.is_empty().then(|| say!("beside", measure, over, told, under))
}

/// Claims that have no room on the screen.
pub fn more_claims(left: usize, [supported, refuted, undecided]: [usize; 3]) -> String {
    say!("more-claims", left, supported, refuted, undecided)
}

/// `expectations: 5 met, 1 not met, 0 undecided`.
pub fn counted(title: Phrase, good: usize, bad: usize, open: usize) -> String {
    let words = match title {
        PUBLISHED => [
            word!("counted-reproduced"),
            word!("counted-not-reproduced"),
            word!("counted-undecided-here-or-not"),
        ],
        TRENDS => [word!("counted-without-growth"), word!("counted-growing"), word!("counted-undecided")],
        _ => [word!("counted-met"), word!("counted-not-met"), word!("counted-undecided")],
    };
    say!("counted-line", title, good, words = words[0], bad, words2 = words[1], open, words3 = words[2])
}

/// Rows of the table that have no room.
pub fn more_rows(left: usize) -> String {
    say!("more-rows", left)
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
                say!("load-connections-closed-loop-response", connections = one.connections)
            }
            Model::Open => {
                say!("load-open-loop-at-response", label = one.label)
            }
            model => say!("load-loop", model = named(model.name()), label = one.label),
        },
        several => {
            let labels: Vec<&str> = several.iter().map(|point| point.label.as_str()).collect();
            say!("load-loads", labels = labels.join(word!("between-items")))
        }
    }
}

/// `6 restarts of each, 28 s; generator fit`.
pub fn based_on(result: &RunResult, plan: &Plan) -> String {
    let sittings = &result.status.sittings;
    let spent =
        |it: &Sitting| it.ended_unix_ns.map_or(0, |ended_ns| ended_ns.saturating_sub(it.began_unix_ns));
    let spent_ns: u64 = sittings.iter().map(spent).sum();
    let time = if spent_ns > 0 { say!("based-on-in", length = length(spent_ns)) } else { String::new() };
    let what = replicates(result.blocks, plan);
    let turns = if plan.mode == Mode::Serial {
        word!("based-on-one-server-after-the")
    } else {
        word!("based-on-the-servers-taking-turns")
    };
    let mut generators = result.points.iter().map(|point| &point.generator);
    let fit = generators.all(|generator| generator.fit || proofload_store::lacks_agents_only(generator));
    let fitness =
        if fit { word!("based-on-generator-fit") } else { word!("based-on-generator-at-its-limit") };
    say!("based-on-line", what, time, turns, fitness)
}

fn length(ns: u64) -> String {
    let seconds = ns as f64 / 1e9;
    if seconds < 120.0 {
        say!("length-s", seconds = format!("{seconds:.0}"))
    } else {
        say!("length-min", seconds = format!("{:.0}", seconds / 60.0))
    }
}

/// Beginnings of limits that matter to whoever acts on the result, the most important first.
fn ranks() -> [(String, u8); 8] {
    [
        (word!("begins-client-limited").to_string(), 1),
        (word!("begins-overloaded").to_string(), 1),
        (not_tested(word!("begins-any-claim")), 1),
        (not_tested(word!("begins-looks")), 3),
        (not_tested(word!("begins-more-trials")), 3),
        (word!("begins-young-servers").to_string(), 3),
        (machine(""), 4),
        (word!("begins-could-not-check").to_string(), 5),
    ]
}
/// Parts of limits that matter.
const WITHIN: [(Phrase, u8); 4] = [
    (Phrase("within-did-not-get-through"), 1),
    (Phrase("within-left-out"), 2),
    (Phrase("within-not-judged"), 2),
    (Phrase("within-not-checked"), 0),
];

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
        let begins =
            |text: &str| text.split(word!("before-the-place")).next().unwrap_or_default().to_string();
        if !told.iter().any(|known| begins(known) == begins(&text)) {
            told.push(text);
        }
    }
    told
}

fn rank(limit: &str) -> Option<u8> {
    if limit == PROCESSES.text() {
        return Some(2);
    }
    if limit == SATURATED.text() {
        return None;
    }
    let begins = ranks().into_iter().find(|(begin, _)| limit.starts_with(begin)).map(|(_, rank)| rank);
    let within = || WITHIN.iter().find(|(part, _)| limit.contains(part.text())).map(|(_, rank)| *rank);
    begins.or_else(within)
}

/// The same with the screen's words for blocks.
fn without_blocks(text: &str, plan: &Plan) -> String {
    let (one, many) = words_of(plan);
    match text.strip_prefix(word!("begins-block")) {
        Some(rest) => format!("{one} {rest}"),
        None => text
            .replace(word!("blocks-begun"), &say!("without-blocks-begun", many))
            .replace(word!("blocks-named"), &say!("without-blocks-named", many)),
    }
}

/// A limit in a line: what is the matter, and what to do.
fn said(limit: &str) -> String {
    if limit == PROCESSES.text() {
        return RUNNING.to_string();
    }
    if limit.starts_with(&not_tested(word!("begins-looks"))) {
        return MORE_LOOKS.to_string();
    }
    if limit.starts_with(&machine(word!("begins-two-cpus"))) {
        return TWO_CPUS.to_string();
    }
    if let Some((from_s, to_s)) =
        read_back("young-servers", limit, "from_s").zip(read_back("young-servers", limit, "to_s"))
    {
        return say!("said-thorough-measures-older-ones", from_s, to_s);
    }
    let lengthened =
        read_back("limited-at-for", limit, "place").zip(read_back("limited-at-for", limit, "times"));
    if let Some((place, times)) = lengthened {
        let tails =
            [("p99.9", Phrase("limited-at-p99-9-and-beyond")), ("p99", Phrase("limited-at-p99-and-beyond"))];
        if let Some((measure, _)) = tails.iter().find(|(_, tail)| times == tail.text()) {
            return say!("said-the-generator-adds", measure, place);
        }
    }
    match (read_back("unfit", limit, "n"), read_back("unfit", limit, "of")) {
        (Some(n), Some(of)) => say!("said-the-generator-was-held", n, of),
        _ => limit.to_string(),
    }
}

/// The time was too short for all looks.
const MORE_LOOKS: Phrase = Phrase("more-looks");
/// One CPU each.
const TWO_CPUS: Phrase = Phrase("two-cpus");

/// Nothing was started.
const RUNNING: Phrase = Phrase("running");
/// Nothing was repeated.
const ONE_RESTART: Phrase = Phrase("one-restart");

/// Where everything else is.
pub fn more(run: &str, limits: usize) -> String {
    say!("more", limits, run)
}

/// What was found, of a whole sentence: without the interval and what it means for the claim, which stand elsewhere.
pub fn found_of(sentence: &str) -> &str {
    let found = sentence.rsplit_once(word!("ends-basis")).map_or(sentence, |(found, _)| found);
    found.rsplit_once(word!("begins-basis")).map_or(found, |(found, _)| found)
}

/// A last line of a run that only checked that everything works.
pub fn headline_checked(line: &str) -> String {
    say!("headline-checked", line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages;
    use proofload_language::Language;
    use proofload_store::schema::CheckName;

    /// The limits are ranked by how they begin: each kind is asked here as it is really written, in each language.
    fn limits() -> Vec<String> {
        vec![
            messages::machine(
                "cores: two CPUs, one for the generator and one for all subjects: a subject that needs several cores is not \
                 seen at its best",
            ),
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
        ]
    }

    fn ranked(insecure: &str, parts: [&str; 7], blocks: &str) {
        let told = warnings(&limits(), &Plan::default());
        assert!(told[0].contains(insecure), "{told:?}");
        let place = |part: &str| {
            told.iter().position(|text| text.contains(part)).unwrap_or_else(|| panic!("{part}: {told:?}"))
        };
        let [held_up, running, overloaded, young, lost, larger, not_judged] = parts;
        assert!(place(held_up) < place(running));
        assert!(place(overloaded) < place(young));
        assert!(place(lost) < place(larger));
        assert!(!told.iter().any(|text| text.contains(blocks)), "{told:?}");
        assert!(place(not_judged) < place("--thorough"));
        assert_eq!(told.len(), 9, "what every test on one machine shares is no warning: {told:?}");
    }

    #[test]
    fn what_matters_most_comes_first_and_says_what_to_do() {
        let english = [
            "held up in 3 of 48 slices; give it CPUs",
            "one start of each, not restarted",
            "overloaded: one",
            "young servers",
            "did not get through",
            "use a larger machine",
            "not judged",
        ];
        ranked("NOT CHECKED", english, "block");
        let chinese = [
            "48 个时间片中有 3 个发压端被耽搁；请给它专用的 CPU",
            "每个只启动一次",
            "过载：one",
            "服务器尚年轻",
            "未能跑完",
            "请换更大的机器",
            "不参与判定",
        ];
        Language::Chinese.within(|| ranked("未经验证", chinese, "区组"));
    }

    #[test]
    fn a_tail_that_the_generator_lengthens_is_told_in_short() {
        let limit = || messages::limited_at("nio @ 64c", "late", &CheckName::LengthenedP999, true);
        let told = |limit: String| warnings(&[limit], &Plan::default()).remove(0);
        assert_eq!(told(limit()), "the generator adds to p99.9 at nio @ 64c; give it CPUs of its own");
        let chinese = Language::Chinese.within(|| told(limit()));
        assert_eq!(chinese, "发压端拉长了 p99.9，位于 nio @ 64c；请给它专用的 CPU");
    }

    #[test]
    fn one_restart_says_how_to_get_a_verdict() {
        let mut plan = Plan::default();
        plan.timing.looks = vec![1];
        assert_eq!(warnings(&[], &plan), [ONE_RESTART.text()]);
    }
}
