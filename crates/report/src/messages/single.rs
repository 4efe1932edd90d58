//! Sentences about a single measurement.

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
    let rate = found.shown_by_rate_per_s.map(rate_flag);
    let longest = number::duration(found.longest_ns as f64);
    if found.count == 1 {
        return say!("silence", longest, rate);
    }
    let typical = number::duration(found.typical_ns as f64);
    let period = found.period_ns.map(|period_ns| number::duration(period_ns as f64));
    say!("silences", count = number::count(found.count), typical, period, longest, rate)
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
    let (what, remedy) = match Outcome::from_name(kind) {
        Some(Outcome::ConnectRefused) => {
            (word!("nothing-answered-connection-refused"), word!("nothing-answered-start-the-server-or"))
        }
        Some(Outcome::ConnectTimeout) => {
            (word!("nothing-answered-no-connection-in-time"), word!("nothing-answered-check-the-address-and"))
        }
        Some(Outcome::ConnectFailed) => {
            (word!("nothing-answered-connection-failed"), word!("nothing-answered-check-the-address-debug"))
        }
        Some(Outcome::LocalExhausted) => {
            (word!("nothing-answered-no-local-port-or"), word!("nothing-answered-see-proofload-doctor"))
        }
        Some(Outcome::Timeout | Outcome::Unanswered) => {
            (word!("nothing-answered-no-answer-in-time"), word!("nothing-answered-allow-more-time-or"))
        }
        Some(Outcome::Unsent) => {
            (word!("nothing-answered-no-request-was-sent"), word!("nothing-answered-see-one-exchange-with"))
        }
        _ => (kind.as_str(), word!("nothing-answered-see-one-exchange-with-debug")),
    };
    let times = say!("nothing-answered-times", n, count = number::count(*n));
    say!("nothing-answered", what = what.replace('_', " "), times, remedy)
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
    say!("generator-fit-busy", busy = busy.map(number::short_percent))
}

/// The processes that carried a load out together, and what is missing of it for those that were lost.
pub fn agents(of: Agents) -> String {
    say!(
        "generator-agents",
        agents = of.count,
        lost = of.lost,
        n = of.not_offered,
        count = number::count(of.not_offered),
        within = number::duration(of.clocks_within_ns as f64)
    )
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
