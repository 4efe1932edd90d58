//! Sentences about a single measurement.

use crate::number;
use proofload_measure::Outcome;
use proofload_store::schema::{Model, Point, Silences};

/// A part of an answer came 40 ms late.
pub const DELAYED_ACK: &str = "answers end about 40 ms after their first byte: Nagle's algorithm waits for a delayed ACK; set \
                               TCP_NODELAY on the server, or let it write head and body at once";

/// Answers that waited for a connection.
pub fn dropped_syns(late: u64) -> String {
    format!(
        "{} answers came 1, 3 or 7 s late and were served at once: a dropped SYN, the listen backlog is too short; \
         lengthen it (listen(2), net.core.somaxconn)",
        number::count(late)
    )
}

/// Stretches without an answer.
pub fn silences(found: &Silences) -> String {
    let rate = found.shown_by_rate_per_s.map(|rate| format!(": try -r {}", rate_flag(rate)));
    let rate = rate.unwrap_or_default();
    if found.count == 1 {
        let longest = number::duration(found.longest_ns as f64);
        return format!("no answer for {longest} once. A closed loop hides it{rate}");
    }
    let typical = number::duration(found.typical_ns as f64);
    let when = match found.period_ns {
        Some(period_ns) => format!("every {}", number::duration(period_ns as f64)),
        None => format!("the longest {}", number::duration(found.longest_ns as f64)),
    };
    format!("{} silences of {typical}, {when}. A closed loop hides them{rate}", number::count(found.count))
}

/// A rate as it is given on the command line: `1.3k/s`.
fn rate_flag(rate_per_s: f64) -> String {
    let scaled = rate_per_s / 1e3;
    // Whole thousandths are written without an error of the last place.
    if scaled >= 1.0 { format!("{}k/s", (scaled * 1e3).round() / 1e3) } else { format!("{rate_per_s:.0}/s") }
}

/// Nothing was answered: what happened instead, and what to do.
pub fn nothing_answered(point: &Point) -> String {
    // What was never sent says nothing of the server where something else happened.
    let others = point.outcomes.iter().filter(|(_, n)| **n > 0);
    let rank = |kind: &str, n: u64| (Outcome::from_name(kind) != Some(Outcome::Unsent), n);
    let Some((kind, n)) = others.max_by_key(|(kind, n)| rank(kind, **n)) else {
        return "nothing answered: nothing was asked".to_string();
    };
    let (what, remedy) = match Outcome::from_name(kind) {
        Some(Outcome::ConnectRefused) => ("connection refused", "start the server, or correct the address"),
        Some(Outcome::ConnectTimeout) => ("no connection in time", "check the address and the firewall"),
        Some(Outcome::ConnectFailed) => ("connection failed", "check the address; --debug shows why"),
        Some(Outcome::LocalExhausted) => ("no local port or descriptor was free", "see proofload doctor"),
        Some(Outcome::Timeout | Outcome::Unanswered) => {
            ("no answer in time", "allow more time, or see one exchange with --debug")
        }
        Some(Outcome::Unsent) => ("no request was sent", "see one exchange with --debug"),
        _ => (kind.as_str(), "see one exchange with --debug"),
    };
    let times = if *n == 1 { "once".to_string() } else { format!("{} times", number::count(*n)) };
    format!("nothing answered: {} ({times}); {remedy}", what.replace('_', " "))
}

/// `50 connections, closed loop, 10.0 s`.
pub fn load_of(point: &Point) -> String {
    let label = match point.model {
        Model::Closed if point.point == format!("{}c", point.connections) => {
            let plural = if point.connections == 1 { "" } else { "s" };
            format!("{} connection{plural}", number::count(u64::from(point.connections)))
        }
        _ => point.point.clone(),
    };
    let time = match point.seconds {
        seconds if seconds < 1.0 => number::duration(seconds * 1e9),
        seconds => format!("{} s", (seconds * 10.0).round() / 10.0),
    };
    format!("{label}, {} loop, {time}", point.model)
}

/// How many were answered.
pub fn answers(n: u64) -> String {
    if n == 1 { "1 answer".to_string() } else { format!("{} answers", number::count(n)) }
}

/// Those that were not, with their share and what they were.
pub fn errors_of(n: u64, share: f64, what: &str) -> String {
    format!("errors {} ({}): {what}", number::count(n), number::short_percent(share))
}

/// The generator, where no check of it failed; how busy its busiest worker was.
pub fn generator_fit(busy: Option<f64>) -> String {
    let busy = busy.map(|busy| format!(" ({} busy)", number::short_percent(busy)));
    format!("generator fit{}", busy.unwrap_or_default())
}

/// Where the record lies.
pub fn record_at(path: &str) -> String {
    format!("record {path}")
}

/// Figures of the generator, not of the server.
pub fn generator_limited(finding: &str) -> String {
    format!(
        "client-limited, not the server's figures: {finding}; lower the rate, give more --workers, or see proofload doctor"
    )
}

/// What there is besides.
pub fn more_verbose(n: usize) -> String {
    format!("and {n} more: -v")
}

/// Heading of quantiles.
pub const LATENCY: &str = "latency";
