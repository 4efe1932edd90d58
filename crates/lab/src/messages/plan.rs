//! Sentences of a plan: its mode, its lines, what it leaves untested, and what is wrong with what was asked for.

use proofload_store::schema::Replication;

/// The mode was given.
pub const ASKED_FOR: &str = "asked for";
/// Nothing speaks against cycles.
pub const SIDE_BY_SIDE: &str = "the variants run side by side";
/// A single block.
pub const NO_VERDICT: &str = "any claim: one block gives no verdict";
/// Servers that were running before.
pub const NOT_RESTARTED: &str =
    "the setups themselves: verdicts are between these running processes, which are not restarted";
/// What is said of connections with a jar.
pub const KEEPS_COOKIES: &str = "each connection keeps its cookies";

/// Why variants run one after the other.
pub fn not_sliced(load: &str) -> String {
    format!("the load {load} cannot be cut into slices")
}

/// Cycles were asked for, and a load has to be carried out whole.
pub fn no_cycles(load: &str) -> String {
    format!("mode cycles: {}; leave the mode out, or write serial", not_sliced(load))
}

/// Why variants run one after the other.
pub fn memory(variants: usize, needed_bytes: u64, available_bytes: u64) -> String {
    let gib = |bytes: u64| bytes as f64 / (1u64 << 30) as f64;
    format!(
        "{variants} variants need about {:.1} GiB together, {:.1} GiB are available",
        gib(needed_bytes),
        gib(available_bytes)
    )
}

/// A program that is started as a subject; without a port it is given a free one.
pub fn command(program: &str, port: Option<u16>) -> String {
    let port = port.map_or("a free port".to_string(), |port| format!("port {port}"));
    format!("{program} on {port}")
}

/// A subject that runs already.
pub fn running(url: &str, address: &str) -> String {
    format!("{url} at {address}, already running")
}

/// Addresses that connections are bound to.
pub fn leave_from(addresses: &[String]) -> String {
    format!("connections leave from {}", addresses.join(", "))
}

/// Redirects that are followed.
pub fn follows(redirects: u32) -> String {
    format!("follows {redirects} redirects")
}

/// What an answer is checked for; that of a call has no status.
pub fn expects(is_call: bool, status: Option<u16>, bytes: Option<u64>, text: Option<&[u8]>) -> String {
    let mut expected = vec![match status {
        Some(status) => format!("status {status}"),
        None if is_call => "a result".to_string(),
        None => "status 200 to 399".to_string(),
    }];
    expected.extend(bytes.map(|bytes| format!("{bytes} bytes")));
    expected.extend(text.map(|text| format!("the text {:?}", String::from_utf8_lossy(text))));
    format!("expects {}", expected.join(" and "))
}

/// The share of an entry.
pub fn weight(weight: u32, total: u64) -> String {
    format!("{weight} of {total}")
}

/// Servers of another age than those of a short study.
pub fn older_servers(warm_up_cap_ns: u64) -> String {
    format!(
        "older servers: each start is measured as soon as it is steady, after {} s of warm-up at the latest",
        warm_up_cap_ns as f64 / 1e9
    )
}

const MOST_LIKELY: &str = "any claim, most likely";
const LOOKS_AFTER: &str = "looks after";

/// The budget has no room for the first look.
pub fn no_first_look(first: u32, block_s: f64, room: u32, needed_s: f64) -> String {
    format!(
        "{MOST_LIKELY}: the first look needs {first} blocks of about {block_s:.0} s, the budget has room for {room}; \
         give --budget {:.0}m",
        (needed_s / 60.0).ceil()
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
    format!(
        "{LOOKS_AFTER} {kept} blocks: the budget has room for {room} blocks of about {block_s:.0} s, all {all} would \
         take {:.0} min",
        (f64::from(all) * block_s / 60.0).ceil()
    )
}

/// Whether a line says that the budget has no room for looks.
pub fn is_of_looks(line: &str) -> bool {
    line.starts_with(LOOKS_AFTER) || line.starts_with(MOST_LIKELY)
}

/// The budget has no room for a search.
pub fn no_search(trials: u32, trial_s: f64, needed_s: f64, budget_s: f64) -> String {
    format!(
        "the capacity, most likely: {trials} trials of {trial_s:.1} s and what confirms them take {:.0} min, the budget \
         has {:.0}; give --budget, or shorter trials",
        (needed_s / 60.0).ceil(),
        budget_s / 60.0
    )
}

/// The budget has room for a short search.
pub fn fewer_trials(trials: u32, most: u32) -> String {
    format!("more than {trials} trials before the confirmation: the budget has no room for {most}")
}

/// The load of a search.
pub fn search_load(label: &str) -> String {
    format!("search from {}", label.replace("..", " to "))
}

/// Lengths other than the preset's.
pub fn other_lengths(list: &str) -> String {
    format!("the preset's own lengths: {list} was given")
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
