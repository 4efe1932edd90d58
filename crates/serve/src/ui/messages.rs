//! The sentences of the page: which message of the catalogue it is.

use proofload_host::clock;
use proofload_host::lock::Holder;
use proofload_language::{Columns, Phrase, named, say, word};

/// Name of the list of runs.
pub const RUNS: Phrase = Phrase("ui-runs");
/// The way back to it.
pub const ALL_RUNS: Phrase = Phrase("ui-all-runs");
/// Label of the field for words to search for.
pub const SEARCH: Phrase = Phrase("ui-search");
/// What may be searched for.
pub const SEARCH_FOR: Phrase = Phrase("ui-search-for");
/// Name of the button that compares.
pub const COMPARE: Phrase = Phrase("ui-compare");
/// Columns of the list of runs.
pub const COLUMNS: Columns<7> = Columns("ui-columns");
/// What is not known, or not there.
pub const NONE: &str = "–";
pub const NO_MATCH: Phrase = Phrase("ui-no-match");
/// Heading of a page without runs.
pub const NO_RUNS: Phrase = Phrase("ui-no-runs");
/// How to make one: the command of each line makes it.
pub const FIRST_RUNS: [(&str, Phrase); 3] = [
    ("proofload localhost:8080", Phrase("ui-first-url")),
    ("proofload compare localhost:8080 localhost:8081", Phrase("ui-first-compare")),
    ("proofload init && proofload run study.yaml --quick", Phrase("ui-first-study")),
];
/// What becomes of this page then.
pub const APPEARS: Phrase = Phrase("ui-appears");
pub const RUNNING: Phrase = Phrase("ui-running");
/// What a run comes to that goes on.
pub const OPEN: Phrase = Phrase("ui-still-open");
/// What the figures of a running study rest on.
pub const SO_FAR: Phrase = Phrase("ui-so-far");
/// Before there is a complete block.
pub const FIRST_BLOCK: Phrase = Phrase("ui-first-block");
/// Heading of what was measured last.
pub const LAST: Phrase = Phrase("ui-last");
/// Columns of what was measured last.
pub const LAST_COLUMNS: Columns<6> = Columns("ui-last-columns");
pub const TWO_RUNS: Phrase = Phrase("ui-two-runs");
/// Not two were chosen.
pub const CHOOSE_TWO: Phrase = Phrase("ui-choose-two");
/// A run that is asked for is not there.
pub const NOT_THERE: Phrase = Phrase("ui-not-there");
/// Of a single measurement there are no blocks.
pub const SINGLE: Phrase = Phrase("ui-single");
/// Columns of what two runs have: its name, the first and the second.
pub const SIDE_COLUMNS: Columns<3> = Columns("ui-side-columns");
pub const SWAP: Phrase = Phrase("ui-swap");
pub const VERDICTS: Phrase = Phrase("verdicts");
pub const NO_CLAIMS: Phrase = Phrase("ui-no-claims");
/// Heading of what the plans have differently.
pub const PLAN: Phrase = Phrase("diff-plan");
pub const ENVIRONMENT: Phrase = Phrase("diff-environment");
pub const SAME: Phrase = Phrase("ui-same");
/// Beside what differs, for eyes.
pub const DIFFERS_SIGN: &str = "≠";
pub const DIFFERS: Phrase = Phrase("ui-differs");
/// Compares with the run before.
pub const WITH_BEFORE: Phrase = Phrase("ui-with-before");
pub const NOTHING: Phrase = Phrase("ui-nothing");
/// What a page says once nobody answers.
pub const LOST: Phrase = Phrase("ui-lost");
/// What a page says once it is answered with an error; the status follows.
pub const FAILED_SINCE: Phrase = Phrase("ui-failed-since");
/// Why a request was refused: its host.
pub const REFUSED_HOST: Phrase = Phrase("ui-refused-host");
/// Why a request was refused: its token.
pub const REFUSED_TOKEN: Phrase = Phrase("ui-refused-token");
/// Why a request was refused: the page that it came from.
pub const REFUSED_ORIGIN: Phrase = Phrase("ui-refused-origin");
/// Why a request was refused: its method.
pub const REFUSED_METHOD: Phrase = Phrase("ui-refused-method");
/// Why a request was refused: its body.
pub const REFUSED_BODY: Phrase = Phrase("ui-refused-body");
/// Something that should not happen.
pub const FAILED: Phrase = Phrase("ui-failed");

pub fn in_folder(folder: &str) -> String {
    say!("ui-in-folder", folder)
}

/// How many of them are shown.
pub fn shown_of(shown: usize, all: usize) -> String {
    say!("ui-shown-of", shown, all)
}

/// Somebody measures on this machine.
pub fn measuring(holder: &Holder) -> String {
    let what = (!holder.who.is_empty()).then_some(&holder.who);
    say!(
        "ui-measuring",
        pid = holder.pid.map(|pid| pid.to_string()),
        what,
        since = holder.since_unix_ns.map(clock::date_text)
    )
}

/// For a screen reader: what the box before a run does.
pub fn choose(study: &str, id: &str) -> String {
    say!("ui-choose", study, id)
}

/// How long a run was.
pub fn length(preset: &str, blocks: u32, single: bool) -> String {
    let length = match single {
        true => word!("ui-length-single").to_string(),
        false => say!("blocks", n = blocks),
    };
    if preset.is_empty() { length } else { format!("{}{}{length}", named(preset), word!("between-parts")) }
}

/// Where a running study is: which block, how far it is in it, and how many blocks it has.
pub fn progress(block: Option<(u32, u32)>, slices: Option<(usize, usize)>, complete: usize) -> Vec<String> {
    let block = block.map(|(number, most)| match most {
        0 => say!("ui-block", number),
        most => say!("ui-block-of", number, most),
    });
    let slices = slices.map(|slices| match slices {
        (0, _) => word!("ui-slices-none").to_string(),
        (done, 0) => say!("ui-slices", done),
        (done, expected) => say!("ui-slices-of", done, expected),
    });
    let complete = say!("ui-complete", n = complete);
    block.into_iter().chain(slices).chain([complete]).collect()
}

/// How much longer a study may take, as the terminal has it.
pub fn time_left(left: &str) -> String {
    say!("ui-time-left", left)
}

/// What stands between the sentences of a paragraph.
pub fn between() -> &'static str {
    word!("between-texts")
}

/// What both runs share, counted.
pub fn same_facts(n: usize) -> String {
    say!("ui-same-facts", n)
}

/// A record that cannot be read.
pub fn unread(why: &str) -> String {
    say!("ui-unread", why)
}

/// A folder of runs that cannot be read.
pub fn unread_folder(folder: &str, why: &std::io::Error) -> String {
    say!("ui-unread-folder", folder, why = why.to_string())
}

/// Something that is neither a file nor a folder.
pub fn odd(path: &str) -> String {
    say!("ui-odd", path)
}
