//! From what was measured to what is stored.

use crate::StoreError;
use crate::redact::{self, Secrets};
use crate::schema::{
    BadAnswer, Durations, Handshakes, Histograms, Point, RequestFigures, RequestHistograms, Slice,
};
use proofload_measure::{CodeCounts, LatencyHistogram, Outcome, OutcomeCounts, Part, Snapshot};
use std::collections::BTreeMap;
use std::path::Path;

/// Longest part of a bad answer that is kept, in bytes.
const RECEIVED_MAX: usize = 4096;

/// All that a snapshot has for a point. The caller fills in the rest: variant, load point, model,
/// connections, series, generator, subject, bad answers.
pub fn point_of(snapshot: &Snapshot) -> Point {
    Point {
        seconds: snapshot.seconds(),
        throughput_per_s: snapshot.throughput_per_s(),
        outcomes: outcomes_of(&snapshot.outcomes),
        response_time_ns: response_times_of(&snapshot.response_time, &snapshot.unended),
        service_time_ns: durations_of(&snapshot.service_time),
        first_byte_ns: response_times_of(&snapshot.first_byte, &snapshot.unended),
        send_delay_ns: durations_of(&snapshot.send_delay),
        bytes_sent: snapshot.bytes_sent,
        bytes_received: snapshot.bytes_received,
        intended: snapshot.intended(),
        sent: snapshot.sent(),
        unsent: snapshot.outcomes.get(Outcome::Unsent),
        dropped: snapshot.dropped,
        codes: codes_of(&snapshot.codes),
        redirects: snapshot.redirects,
        challenges: snapshot.challenges,
        surplus: snapshot.surplus,
        handshakes: handshakes_of(&snapshot.handshakes_full, &snapshot.handshakes_resumed),
        ..Point::default()
    }
}

/// The full histograms of a snapshot, encoded.
pub fn histograms_of(snapshot: &Snapshot) -> Histograms {
    Histograms {
        response_time: snapshot.response_time.encode(),
        unended: encoded(&snapshot.unended),
        service_time: snapshot.service_time.encode(),
        first_byte: snapshot.first_byte.encode(),
        send_delay: snapshot.send_delay.encode(),
        handshakes_full: encoded(&snapshot.handshakes_full),
        handshakes_resumed: encoded(&snapshot.handshakes_resumed),
        requests: snapshot.parts.iter().map(histograms_of_part).collect(),
    }
}

fn histograms_of_part(part: &Part) -> RequestHistograms {
    RequestHistograms { response_time: encoded(&part.response_time), unended: encoded(&part.unended) }
}

/// Figures of the named parts of a load.
pub fn requests_of(snapshot: &Snapshot, names: &[String]) -> Vec<RequestFigures> {
    let figures = |(name, part): (&String, &Part)| {
        let seconds = snapshot.seconds();
        RequestFigures {
            name: name.clone(),
            journey: false,
            throughput_per_s: (seconds > 0.0).then(|| part.answered_in_window as f64 / seconds),
            answered_in_window: part.answered_in_window,
            outcomes: outcomes_of(&part.outcomes),
            response_time_ns: response_times_of(&part.response_time, &part.unended),
            codes: codes_of(&part.codes),
            body_bytes: part.body_bytes,
        }
    };
    names.iter().zip(&snapshot.parts).map(figures).collect()
}

fn codes_of(codes: &CodeCounts) -> BTreeMap<String, u64> {
    codes.iter().map(|(code, n)| (code_name(code), n)).collect()
}

/// Encoded, and nothing for an empty one: most loads have no TLS.
pub fn encoded(histogram: &LatencyHistogram) -> String {
    if histogram.count() == 0 { String::new() } else { histogram.encode() }
}

/// A stored histogram; an empty text is an empty histogram.
pub fn decode(text: &str, path: &Path) -> Result<LatencyHistogram, StoreError> {
    if text.is_empty() {
        return Ok(LatencyHistogram::new());
    }
    LatencyHistogram::decode(text)
        .map_err(|e| StoreError::Damaged { path: path.to_path_buf(), why: e.to_string() })
}

/// Handshakes of either kind; nothing when there were none.
pub fn handshakes_of(full: &LatencyHistogram, resumed: &LatencyHistogram) -> Option<Handshakes> {
    (full.count() + resumed.count() > 0).then(|| Handshakes {
        full: durations_of(full),
        resumed: durations_of(resumed),
        negotiated: Vec::new(),
    })
}

/// Count, mean and quantiles of a histogram.
pub fn durations_of(histogram: &LatencyHistogram) -> Durations {
    let summary = histogram.summary();
    Durations {
        count: summary.count,
        mean: summary.mean_ns,
        p50: summary.p50_ns,
        p90: summary.p90_ns,
        p99: summary.p99_ns,
        p999: summary.p999_ns,
        max: summary.max_ns,
        unended: 0,
    }
}

/// The same of response times or first bytes, with the exchanges in their rank that had no end.
pub fn response_times_of(ended: &LatencyHistogram, unended: &LatencyHistogram) -> Durations {
    let at = |q| ended.quantile_beside(unended, q).map(|found| found.value);
    Durations {
        count: ended.count(),
        mean: ended.mean_beside(unended).map(|found| found.value),
        p50: at(0.5),
        p90: at(0.9),
        p99: at(0.99),
        p999: at(0.999),
        max: at(1.0),
        unended: unended.count(),
    }
}

/// A bad answer fit to be kept: up to 4 KiB as text, credentials redacted.
/// `rows` are values of tables in its request, to be hidden as well.
pub fn bad_answer(outcome: Outcome, what: &str, received: &[u8], rows: &[Vec<u8>]) -> BadAnswer {
    let mut secrets = Secrets::new();
    rows.iter().for_each(|row| secrets.know_sent(&String::from_utf8_lossy(row)));
    let is_cut = received.len() >= RECEIVED_MAX;
    let kept = &received[..received.len().min(RECEIVED_MAX)];
    let kept = redact::hide_bytes(&secrets.hide(kept, is_cut), is_cut);
    let what = secrets.hide(what.as_bytes(), false);
    BadAnswer {
        outcome: outcome.name().to_string(),
        request: String::new(),
        what: redact::text(&String::from_utf8_lossy(&what)),
        received: redact::text(&String::from_utf8_lossy(&kept)),
    }
}

/// Every outcome with its count, zero counts included.
pub fn outcomes_of(counts: &OutcomeCounts) -> BTreeMap<String, u64> {
    counts.iter().map(|(outcome, n)| (outcome.name().to_string(), n)).collect()
}

/// The counts of a stored point. A name that this version does not know counts as an internal error, never as
/// a success.
pub fn counts_of(outcomes: &BTreeMap<String, u64>) -> OutcomeCounts {
    let mut counts = OutcomeCounts::default();
    for (name, n) in outcomes {
        counts.add_many(Outcome::from_name(name).unwrap_or(Outcome::Internal), *n);
    }
    counts
}

/// Exchanges that ended within the window, answered or failed; not those that were never sent, or never answered.
pub fn ended_in_window(slice: &Slice) -> u64 {
    let counts = counts_of(&slice.measured.outcomes);
    let failed = counts.errors().saturating_sub(counts.get(Outcome::Unanswered));
    slice.answered_in_window.saturating_add(failed)
}

fn code_name(code: u16) -> String {
    if code == 0 { "other".to_string() } else { code.to_string() }
}
