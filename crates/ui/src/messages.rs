//! The sentences of the page.

use proofload_host::lock::Holder;
use proofload_store::schema::Verdict;

/// Name of the list of runs.
pub const RUNS: &str = "Runs";
/// The way back to it.
pub const ALL_RUNS: &str = "All runs";
/// Label of the field for words to search for.
pub const SEARCH: &str = "Search";
/// What may be searched for.
pub const SEARCH_FOR: &str = "study, verdict, machine, date …";
/// Name of the button that compares.
pub const COMPARE: &str = "Compare the two chosen";
/// Columns of the list of runs.
pub const COLUMNS: [&str; 7] = ["", "study", "began", "state", "verdicts", "length", "machine"];
/// Whose row it is not known.
pub const NONE: &str = "–";
/// Nothing matches.
pub const NO_MATCH: &str = "No run matches. Words are looked for in study, question, id, date, state, preset, verdicts and machine; \
                            each must be there.";
/// Heading of a page without runs.
pub const NO_RUNS: &str = "No runs yet";
/// How to make one: the command of each line makes it.
pub const FIRST_RUNS: [(&str, &str); 3] = [
    ("proofload localhost:8080", "measures a server that is running, in ten seconds"),
    ("proofload compare localhost:8080 localhost:8081", "says which of two running servers is faster"),
    (
        "proofload init && proofload run study.yaml --quick",
        "writes a first study, starts its servers and judges its claims",
    ),
];
/// What becomes of this page then.
pub const APPEARS: &str = "Each leaves a record in the folder above, and appears here by itself.";
/// The run goes on.
pub const RUNNING: &str = "Running now";
/// What the figures of a running study rest on.
pub const SO_FAR: &str = "Verdicts and figures rest on the complete blocks so far and may change until the last look. \
                          Charts over time and percentiles have the slices of the block being measured, too.";
/// Before there is a complete block.
pub const FIRST_BLOCK: &str = "There are no verdicts and figures before the first block is complete.";
/// Columns of what was measured last.
pub const LAST_COLUMNS: [&str; 6] = ["variant", "load", "phase", "throughput", "p50", "p99"];
/// Heading of what was measured last.
pub const LAST: &str = "The last slice of each variant";
/// Heading of two runs.
pub const TWO_RUNS: &str = "Two runs side by side";
/// Not two were chosen.
pub const CHOOSE_TWO: &str = "Choose two runs in the list, then compare them.";
/// A run that is asked for is not there.
pub const NOT_THERE: &str = "There is no such run, or not any more.";
/// Of a single measurement there are no blocks.
pub const SINGLE: &str = "One of them is a single measurement (proofload URL): it has no blocks, so its figures have no intervals to be \
                          compared by. For two running servers use: proofload compare URL URL";
/// The first and the second.
pub const SIDES: [&str; 2] = ["first", "second"];
/// Swaps them.
pub const SWAP: &str = "Swap the two";
/// Heading of claims.
pub const VERDICTS: &str = "Verdicts";
/// Neither has claims.
pub const NO_CLAIMS: &str = "Neither run has claims.";
/// Heading of what the plans have differently.
pub const PLAN: &str = "Plan";
/// Heading of the machines.
pub const ENVIRONMENT: &str = "Environment";
/// Nothing differs.
pub const SAME: &str = "Nothing differs.";
/// Beside what differs, for eyes.
pub const DIFFERS_SIGN: &str = "≠";
/// The same for ears.
pub const DIFFERS: &str = "differs";
/// Compares with the run before.
pub const WITH_BEFORE: &str = "Compare with the run before";
/// The address leads nowhere.
pub const NOTHING: &str = "There is nothing at this address.";
/// What a page says once nobody answers.
pub const LOST: &str = "proofload ui does not answer any more: it was ended, or cannot be reached. What is shown is as of the last answer.";
/// What a page says once it is answered with an error; the status follows.
pub const FAILED_SINCE: &str =
    "What is shown is as of the last answer. Since then proofload ui answers with the error";
/// Why a request was refused: its host.
pub const REFUSED_HOST: &str = "Refused: this page is for 127.0.0.1 and localhost only.\n";
/// Why a request was refused: its token.
pub const REFUSED_TOKEN: &str =
    "Refused: open the whole address that proofload ui printed; each start has another one.\n";
/// Why a request was refused: the page that it came from.
pub const REFUSED_ORIGIN: &str = "Refused: asked by a page of another origin.\n";
/// Why a request was refused: its method.
pub const REFUSED_METHOD: &str = "Refused: this page can be read only (GET, HEAD).\n";
/// Why a request was refused: its body.
pub const REFUSED_BODY: &str = "Refused: a request must not have a body.\n";
/// Something that should not happen.
pub const FAILED: &str = "This page could not be made; this is a fault of Proofload, please report it.\n";

/// Where the runs lie.
pub fn in_folder(folder: &str) -> String {
    format!("in {folder}")
}

/// How many of them are shown.
pub fn shown_of(shown: usize, all: usize) -> String {
    format!("The newest {shown} of {all} are shown: search for the others.")
}

/// Somebody measures on this machine.
pub fn measuring(holder: &Holder) -> String {
    format!(
        "Measuring on this machine: {holder}. This page gives way to it, a browser here does not: follow from another machine, or \
         close this tab."
    )
}

/// For a screen reader: what the box before a run does.
pub fn choose(study: &str, id: &str) -> String {
    format!("compare {study} {id}")
}

/// How long a run was.
pub fn length(preset: &str, blocks: u32, single: bool) -> String {
    let of_blocks = match blocks {
        _ if single => "one measurement".to_string(),
        1 => "1 block".to_string(),
        n => format!("{n} blocks"),
    };
    if preset.is_empty() { of_blocks } else { format!("{preset}, {of_blocks}") }
}

/// So many verdicts of a kind.
pub fn verdicts(n: usize, verdict: &Verdict) -> String {
    format!("{n} {verdict}")
}

/// Where a running study is.
pub fn block(number: u32, most: u32) -> String {
    match most {
        0 => format!("Block {number} is being measured."),
        most => format!("Block {number} of at most {most} is being measured."),
    }
}

/// How far it is in its block.
pub fn slices(done: usize, expected: usize) -> String {
    match (done, expected) {
        (0, _) => "No slice of it is complete: servers are starting or warming up.".to_string(),
        (done, 0) => format!("{done} slices of it are complete."),
        (done, expected) => format!("{done} of its {expected} slices are complete."),
    }
}

/// How many blocks it has.
pub fn complete(blocks: usize) -> String {
    match blocks {
        1 => "1 block is complete.".to_string(),
        n => format!("{n} blocks are complete."),
    }
}

/// What both runs share, counted.
pub fn same_facts(n: usize) -> String {
    format!("{n} facts are the same")
}

/// A record that cannot be read.
pub fn unread(why: &str) -> String {
    format!("This record cannot be read: {why}")
}

/// A folder of runs that cannot be read.
pub fn unread_folder(folder: &str, why: &std::io::Error) -> String {
    format!("The folder {folder} cannot be read, and its runs are not shown: {why}")
}

/// Something that is neither a file nor a folder.
pub fn odd(path: &str) -> String {
    format!("{path} is a link, a pipe or a device, which could lead out of the record; remove it")
}
