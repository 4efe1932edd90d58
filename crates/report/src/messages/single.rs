//! Sentences about a single measurement.

use super::lead::outcome_of;
use crate::number;
use proofload_language::{Phrase, again, named, say, word};
use proofload_measure::Outcome;
use proofload_store::schema::{Agents, Model, Point, Silences};

/// A part of an answer came 40 ms late.
pub const DELAYED_ACK: Phrase = Phrase("delayed-ack");

/// Answers that waited for a connection.
pub fn dropped_syns(late: u64) -> String {
    say!("dropped-syns", late = number::count(late))
}

/// Stretches without an answer.
pub fn silences(found: &Silences) -> String {
    let rate = found.shown_by_rate_per_s.map(|rate| say!("silences-try-r", rate_flag = rate_flag(rate)));
    let rate = rate.unwrap_or_default();
    if found.count == 1 {
        let longest = number::duration(found.longest_ns as f64);
        return say!("silences-no-answer-for-once", longest, rate);
    }
    let typical = number::duration(found.typical_ns as f64);
    let when = match found.period_ns {
        Some(period_ns) => say!("silences-every", period_ns = number::duration(period_ns as f64)),
        None => say!("silences-the-longest", found = number::duration(found.longest_ns as f64)),
    };
    say!("silences-of-a-closed", found = number::count(found.count), typical, when, rate)
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
        return word!("nothing-answered-nothing-was").to_string();
    };
    let remedy = match Outcome::from_name(kind) {
        Some(Outcome::ConnectRefused) => word!("nothing-answered-start-the-server-or"),
        Some(Outcome::ConnectTimeout) => word!("nothing-answered-check-the-address-and"),
        Some(Outcome::ConnectFailed) => word!("nothing-answered-check-the-address-debug"),
        Some(Outcome::LocalExhausted) => word!("nothing-answered-see-proofload-doctor"),
        Some(Outcome::Timeout | Outcome::Unanswered) => word!("nothing-answered-allow-more-time-or"),
        _ => word!("nothing-answered-see-one-exchange-with"),
    };
    let times = say!("nothing-answered-times", n, count = number::count(*n));
    say!("nothing-answered", what = outcome_of(kind), times, remedy)
}

/// `50 connections, closed loop, 10.0 s`.
pub fn load_of(point: &Point) -> String {
    let label = match point.model {
        Model::Closed if point.point == format!("{}c", point.connections) => {
            say!(
                "load-of-connections",
                n = point.connections,
                count = number::count(u64::from(point.connections))
            )
        }
        _ => point.point.clone(),
    };
    let time = match point.seconds {
        seconds if seconds < 1.0 => number::duration(seconds * 1e9),
        seconds => say!("load-of-s", seconds = ((seconds * 10.0).round() / 10.0).to_string()),
    };
    say!("load-of-loop", label, model = named(point.model.name()), time)
}

/// How many were answered.
pub fn answers(n: u64) -> String {
    say!("answers", n, count = number::count(n))
}

/// Those that were not, with their share and what they were.
pub fn errors_of(n: u64, share: f64, what: &str) -> String {
    say!("errors-of", n = number::count(n), share = number::short_percent(share), what)
}

/// The generator, where no check of it failed; how busy its busiest worker was.
pub fn generator_fit(busy: Option<f64>) -> String {
    let busy = busy.map(|busy| say!("generator-fit-busy", busy = number::short_percent(busy)));
    say!("generator-fit-generator-fit", busy = busy.unwrap_or_default())
}

/// The processes that carried a load out together, and what is missing of it for those that were lost.
pub fn agents(of: Agents) -> String {
    let lost = match of.lost {
        0 => String::new(),
        lost => {
            say!("generator-agents-lost", lost, n = of.not_offered, count = number::count(of.not_offered))
        }
    };
    say!("generator-agents", agents = of.count, lost, within = number::duration(of.clocks_within_ns as f64))
}

/// Where the record lies.
pub fn record_at(path: &str) -> String {
    say!("record-at", path)
}

/// Figures of the generator, not of the server.
pub fn generator_limited(finding: &str) -> String {
    say!("generator-limited", finding = again(finding))
}

/// What there is besides.
pub fn more_verbose(n: usize) -> String {
    say!("more-verbose-and-more-v", n)
}

/// Heading of quantiles.
pub const LATENCY: Phrase = Phrase("latency");
