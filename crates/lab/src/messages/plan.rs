//! Sentences of a plan: its mode, its lines, what it leaves untested, and what is wrong with what was asked for.

use proofload_language::{Kept, kept, kept_word};
use proofload_store::schema::Replication;

/// What is said of connections with a jar.
pub const KEEPS_COOKIES: Kept = Kept("kept-keeps-cookies");

/// Cycles were asked for, and a load has to be carried out whole.
pub fn no_cycles(load: &str) -> String {
    format!("mode cycles: the load {load} cannot be cut into slices; leave the mode out, or write serial")
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

/// The load of a search.
pub fn search_load(label: &str) -> String {
    format!("search from {}", label.replace("..", " to "))
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
