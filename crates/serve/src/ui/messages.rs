//! The sentences of the page: which message of the catalogue it is.

use proofload_host::clock;
use proofload_host::lock::Holder;
use proofload_language::{Phrase, named, tr};

/// Name of the list of runs.
pub const RUNS: Phrase = Phrase("ui-runs");
/// Shown for what is unknown or missing.
pub const NONE: &str = "–";
/// Commands that make a first run, one in each line.
pub const FIRST_RUNS: [(&str, Phrase); 3] = [
    ("proofload localhost:8080", Phrase("ui-first-url")),
    ("proofload compare localhost:8080 localhost:8081", Phrase("ui-first-compare")),
    ("proofload init && proofload run study.yaml --quick", Phrase("ui-first-study")),
];
pub const TWO_RUNS: Phrase = Phrase("ui-two-runs");
pub const VERDICTS: Phrase = Phrase("verdicts");
/// Heading of what the plans have differently.
pub const PLAN: Phrase = Phrase("diff-plan");
pub const ENVIRONMENT: Phrase = Phrase("diff-environment");
pub const SAME: Phrase = Phrase("ui-same");
/// Beside what differs, for eyes.
pub const DIFFERS_SIGN: &str = "≠";
/// Shown by a page once the server does not answer.
pub const LOST: Phrase = Phrase("ui-lost");

/// Names the process that measures on this machine.
pub fn measuring(holder: &Holder) -> String {
    let what = (!holder.who.is_empty()).then_some(&holder.who);
    tr!(
        "ui-measuring",
        pid = holder.pid.map(|pid| pid.to_string()),
        what,
        since = holder.since_unix_ns.map(clock::date_text)
    )
}

/// Length of a run.
pub fn length(preset: &str, blocks: u32, single: bool) -> String {
    let length = match single {
        true => tr!("ui-length-single").to_string(),
        false => tr!("blocks", n = blocks),
    };
    if preset.is_empty() { length } else { format!("{}{}{length}", named(preset), tr!("between-parts")) }
}

/// Progress of a running study: the block, the slice in it, and the number of complete blocks.
pub fn progress(block: Option<(u32, u32)>, slices: Option<(usize, usize)>, complete: usize) -> Vec<String> {
    let block = block.map(|(number, most)| match most {
        0 => tr!("ui-block", number),
        most => tr!("ui-block-of", number, most),
    });
    let slices = slices.map(|slices| match slices {
        (0, _) => tr!("ui-slices-none").to_string(),
        (done, 0) => tr!("ui-slices", done),
        (done, expected) => tr!("ui-slices-of", done, expected),
    });
    let complete = tr!("ui-complete", n = complete);
    block.into_iter().chain(slices).chain([complete]).collect()
}

/// A record that cannot be read.
pub fn unread(why: &str) -> String {
    tr!("ui-unread", why)
}

/// A folder of runs that cannot be read.
pub fn unread_folder(folder: &str, why: &std::io::Error) -> String {
    tr!("ui-unread-folder", folder, why = why.to_string())
}

/// Something that is neither a file nor a folder.
pub fn odd(path: &str) -> String {
    tr!("ui-odd", path)
}
