//! Sentences of a plan: its mode, its lines, what it leaves untested, and what is wrong with what was asked for.

use proofload_language::{Kept, kept, kept_word};
use proofload_store::schema::Replication;

/// The mode was given.
pub const ASKED_FOR: Kept = Kept("kept-asked-for");
/// Nothing speaks against cycles.
pub const SIDE_BY_SIDE: Kept = Kept("kept-side-by-side");
/// A single block.
pub const NO_VERDICT: Kept = Kept("kept-no-verdict");
/// Servers that were running before.
pub const NOT_RESTARTED: Kept = Kept("kept-not-restarted");
/// What is said of connections with a jar.
pub const KEEPS_COOKIES: Kept = Kept("kept-keeps-cookies");

/// Why variants run one after the other.
pub fn not_sliced(load: &str) -> String {
    kept!("kept-not-sliced", load)
}

/// Cycles were asked for, and a load has to be carried out whole.
pub fn no_cycles(load: &str) -> String {
    format!("mode cycles: {}; leave the mode out, or write serial", not_sliced(load))
}

/// Why variants run one after the other.
pub fn memory(variants: usize, needed_bytes: u64, available_bytes: u64) -> String {
    let gib = |bytes: u64| bytes as f64 / (1u64 << 30) as f64;
    kept!(
        "kept-memory",
        variants,
        gib = format!("{:.1}", gib(needed_bytes)),
        gib2 = format!("{:.1}", gib(available_bytes))
    )
}

/// A program that is started as a subject; without a port it is given a free one.
pub fn command(program: &str, port: Option<u16>) -> String {
    let port = port
        .map_or(kept_word!("kept-command-a-free-port").to_string(), |port| kept!("kept-command-port", port));
    kept!("kept-command-on", program, port)
}

/// A subject that runs already.
pub fn running(url: &str, address: &str) -> String {
    kept!("kept-running", url, address)
}

/// Addresses that connections are bound to.
pub fn leave_from(addresses: &[String]) -> String {
    kept!("kept-leave-from", addresses = addresses.join(", "))
}

/// Redirects that are followed.
pub fn follows(redirects: u32) -> String {
    kept!("kept-follows", redirects)
}

/// What an answer is checked for; that of a call has no status.
pub fn expects(is_call: bool, status: Option<u16>, bytes: Option<u64>, text: Option<&[u8]>) -> String {
    let mut expected = vec![match status {
        Some(status) => kept!("kept-expects-status", status),
        None if is_call => kept_word!("kept-expects-a-result").to_string(),
        None => kept_word!("kept-expects-status-to").to_string(),
    }];
    expected.extend(bytes.map(|bytes| kept!("kept-expects-bytes", bytes)));
    expected.extend(text.map(|text| {
        kept!("kept-expects-the-text", expected = format!("{:?}", String::from_utf8_lossy(text)))
    }));
    kept!("kept-expects-expects", expected = expected.join(" and "))
}

/// The share of an entry.
pub fn weight(weight: u32, total: u64) -> String {
    kept!("kept-weight", weight, total)
}

/// Servers of another age than those of a short study.
pub fn older_servers(warm_up_cap_ns: u64) -> String {
    kept!("kept-older-servers-older-servers-each-start", seconds = (warm_up_cap_ns as f64 / 1e9).to_string())
}

const MOST_LIKELY: Kept = Kept("kept-most-likely");
const LOOKS_AFTER: Kept = Kept("kept-looks-after");

/// The budget has no room for the first look.
pub fn no_first_look(first: u32, block_s: f64, room: u32, needed_s: f64) -> String {
    kept!(
        "kept-no-first-look",
        first,
        block_s = format!("{block_s:.0}"),
        room,
        needed_s = format!("{:.0}", (needed_s / 60.0).ceil())
    )
}

/// A budget that ends before the first look.
pub fn too_short(budget_s: f64, first: u32, block_s: f64, needed_s: f64, of: &Replication) -> String {
    let what = if *of == Replication::Process { "rounds" } else { "restarts" };
    let needed_s = needed_s.ceil();
    let needed = match needed_s {
        seconds if seconds <= 90.0 => format!("{seconds:.0}s"),
        seconds => format!("{:.0}m", (seconds / 60.0).ceil()),
    };
    format!(
        "{budget_s:.0} s are too short for a verdict: the first one takes {first} {what} of about {block_s:.1} s; give \
         --budget {needed}, or --smoke for a check without a verdict"
    )
}

/// The budget has no room for all looks.
pub fn fewer_looks(kept: u32, all: u32, block_s: f64, room: u32) -> String {
    kept!(
        "kept-fewer-looks",
        kept,
        room,
        block_s = format!("{block_s:.0}"),
        all,
        minutes = format!("{:.0}", (f64::from(all) * block_s / 60.0).ceil())
    )
}

/// Whether a line says that the budget has no room for looks.
pub fn is_of_looks(line: &str) -> bool {
    line.starts_with(&*LOOKS_AFTER) || line.starts_with(&*MOST_LIKELY)
}

/// The budget has no room for a search.
pub fn no_search(trials: u32, trial_s: f64, needed_s: f64, budget_s: f64) -> String {
    kept!(
        "kept-no-search",
        trials,
        trial_s = format!("{trial_s:.1}"),
        needed_s = format!("{:.0}", (needed_s / 60.0).ceil()),
        budget_s = format!("{:.0}", budget_s / 60.0)
    )
}

/// The budget has room for a short search.
pub fn fewer_trials(trials: u32, most: u32) -> String {
    kept!("kept-fewer-trials", trials, most)
}

/// The load of a search.
pub fn search_load(label: &str) -> String {
    format!("search from {}", label.replace("..", " to "))
}

/// Lengths other than the preset's.
pub fn other_lengths(list: &str) -> String {
    kept!("kept-other-lengths", list)
}

/// A part of a list of lengths without a value.
pub fn no_length(part: &str) -> String {
    format!("{part:?}: write name=value, as slice=50ms")
}

/// A number of cycles that cannot be had.
pub fn bad_cycles(most: u32) -> String {
    format!("cycles: write an even number from 2 to {most}")
}

/// A length of something else.
pub fn unknown_length(name: &str) -> String {
    format!("{name:?} is none of warm-up, slice, discard, cycles")
}

/// A slice without a length.
pub const EMPTY_SLICE: &str = "slice: must be longer than nothing";
