//! Known meanings of figures: a sentence with its remedy, where the figure is unmistakable.

use proofload_facts::Limit;
use proofload_measure::LatencyHistogram;
use proofload_store::schema::{Silences, Slice};
use std::ops::Range;

const MS: u64 = 1_000_000;
/// An acknowledgement that Linux delays comes after 40 ms, by its timer's ticks up to 44; where the processor wakes late, or
/// the rest of the answer takes its time, up to 52.
const DELAYED_ACK_NS: Range<u64> = 39 * MS..53 * MS;
/// The times around: an answer that takes such times for another reason is in here, too.
const AROUND_DELAYED_ACK_NS: Range<u64> = 20 * MS..80 * MS;
/// A lost SYN is sent again after 1 s, after 3 s and after 7 s in all.
const SYN_AGAIN_NS: [u64; 3] = [1_000 * MS, 3_000 * MS, 7_000 * MS];
/// Time that connecting and answering then still take.
const SYN_WIDTH_NS: u64 = 150 * MS;
/// Slices of a variant that are looked at: what is meant shows in each.
const SLICES_MAX: usize = 8;
/// Fewer answers than these mean nothing.
const ANSWERS_MIN: u64 = 20;
/// Fewer late ones than these are a chance.
const LATE_MIN: u64 = 3;
/// A figure that is meant has at least this share of the answers.
const DELAYED_SHARE_MIN: f64 = 0.1;
/// Largest share of a figure that may speak against it.
const AGAINST_MAX: f64 = 0.1;

/// Hints in a single measurement. None where a histogram cannot be read.
pub fn hints(slice: &Slice) -> Vec<Limit> {
    let silences = slice.measured.silences.as_ref().filter(|found| found.count > 0);
    let mut said: Vec<Limit> = silences.map(of_silences).into_iter().collect();
    said.extend(Clocks::of(slice).iter().flat_map(Clocks::hints));
    said
}

/// Hints in the variants of a study, each once.
pub(crate) fn of_study(slices: &[&Slice]) -> Vec<Limit> {
    let mut variants: Vec<(&str, Clocks, usize)> = Vec::new();
    for slice in slices.iter().rev().filter(|slice| slice.is_measured()) {
        let name = slice.measured.variant.as_str();
        let known = variants.iter().position(|(variant, ..)| *variant == name);
        if known.is_some_and(|at| variants[at].2 >= SLICES_MAX) {
            continue;
        }
        let Some(clocks) = Clocks::of(slice) else { continue };
        match known {
            Some(at) => {
                variants[at].1.merge(&clocks);
                variants[at].2 += 1;
            }
            None => variants.push((name, clocks, 1)),
        }
    }
    let mut said: Vec<Limit> = Vec::new();
    for hint in variants.iter().flat_map(|(_, clocks, _)| clocks.hints()) {
        if !said.contains(&hint) {
            said.push(hint);
        }
    }
    said
}

/// The times of some answers.
struct Clocks {
    response: LatencyHistogram,
    service: LatencyHistogram,
    first_byte: LatencyHistogram,
}

impl Clocks {
    /// `None` where a histogram cannot be read, as in a condensed record.
    fn of(slice: &Slice) -> Option<Clocks> {
        let read = |text: &str| LatencyHistogram::decode(text).ok();
        let of = &slice.histograms;
        Some(Clocks {
            response: read(&of.response_time)?,
            service: read(&of.service_time)?,
            first_byte: read(&of.first_byte)?,
        })
    }

    fn merge(&mut self, other: &Clocks) {
        self.response.merge(&other.response);
        self.service.merge(&other.service);
        self.first_byte.merge(&other.first_byte);
    }

    fn hints(&self) -> Vec<Limit> {
        let delayed = has_delayed_ack(&self.service, &self.first_byte).then_some(Limit::DelayedAck);
        let dropped = dropped_syns(&self.response, &self.service).map(|late| Limit::SynsDropped { late });
        delayed.into_iter().chain(dropped).collect()
    }
}

fn of_silences(found: &Silences) -> Limit {
    Limit::Silences {
        silences: found.count,
        typical_ns: found.typical_ns,
        longest_ns: found.longest_ns,
        period_ns: found.period_ns,
        rate: found.shown_by_rate_per_s.map(rate_flag).unwrap_or_default(),
    }
}

/// A rate as it is given on the command line: `1.3k/s`.
fn rate_flag(rate_per_s: f64) -> String {
    let scaled = rate_per_s / 1e3;
    // Whole thousandths are written without an error of the last place.
    if scaled >= 1.0 { format!("{}k/s", (scaled * 1e3).round() / 1e3) } else { format!("{rate_per_s:.0}/s") }
}

fn between(histogram: &LatencyHistogram, times: &Range<u64>) -> u64 {
    histogram.count_below(times.end).saturating_sub(histogram.count_below(times.start))
}

/// The head of the answer comes at once, the rest 40 ms later: the server's kernel holds it back until the head is
/// acknowledged, and the generator's puts that off.
fn has_delayed_ack(service: &LatencyHistogram, first_byte: &LatencyHistogram) -> bool {
    let all = service.count();
    let delayed = between(service, &DELAYED_ACK_NS);
    let around = between(service, &AROUND_DELAYED_ACK_NS).saturating_sub(delayed);
    let begun_late = first_byte.count().saturating_sub(first_byte.count_below(DELAYED_ACK_NS.start / 2));
    let against = AGAINST_MAX * delayed as f64;
    all >= ANSWERS_MIN
        && delayed as f64 >= DELAYED_SHARE_MIN * all as f64
        && around as f64 <= against
        && begun_late as f64 <= against
}

/// Answers that came just after a SYN would have been sent again, though the server took no such time for any: it is
/// the time to connect.
fn dropped_syns(response: &LatencyHistogram, service: &LatencyHistogram) -> Option<u64> {
    let late = |of: &LatencyHistogram| -> u64 {
        SYN_AGAIN_NS.iter().map(|ns| between(of, &(*ns..ns + SYN_WIDTH_NS))).sum()
    };
    let (found, served) = (late(response), late(service));
    let beyond = response.count().saturating_sub(response.count_below(SYN_AGAIN_NS[0] / 2));
    let against = AGAINST_MAX * found as f64;
    let is_meant = response.count() >= ANSWERS_MIN
        && found >= LATE_MIN
        && served as f64 <= against
        && (beyond - found.min(beyond)) as f64 <= against
        && response.quantile_ns(0.5).is_some_and(|median_ns| median_ns < SYN_AGAIN_NS[0] / 4);
    is_meant.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_store::schema::{Histograms, Point, Silences};

    fn times(parts: &[(u64, u64)]) -> LatencyHistogram {
        let mut histogram = LatencyHistogram::new();
        parts.iter().for_each(|(ms, n)| histogram.record_many(ms * MS, *n));
        histogram
    }

    fn said(response: &[(u64, u64)], service: &[(u64, u64)], first_byte: &[(u64, u64)]) -> Vec<Limit> {
        let histograms = Histograms {
            response_time: times(response).encode(),
            service_time: times(service).encode(),
            first_byte: times(first_byte).encode(),
            ..Histograms::default()
        };
        hints(&Slice { histograms, ..Slice::default() })
    }

    #[test]
    fn an_answer_whose_rest_comes_after_forty_milliseconds_is_a_delayed_ack() {
        let held = [(1, 20), (41, 40), (44, 140)];
        let found = said(&held, &held, &[(1, 200)]);
        assert_eq!(found, [Limit::DelayedAck]);
    }

    #[test]
    fn a_study_has_it_where_a_variant_shows_it() {
        let slice = |variant: &str, service: &[(u64, u64)]| Slice {
            phase: "measure".into(),
            measured: Point { variant: variant.into(), ..Point::default() },
            histograms: Histograms {
                response_time: times(service).encode(),
                service_time: times(service).encode(),
                first_byte: times(&[(1, 15)]).encode(),
                ..Histograms::default()
            },
            ..Slice::default()
        };
        // Too few in one slice.
        let slices = [slice("a", &[(48, 15)]), slice("b", &[(2, 15)]), slice("a", &[(52, 15)])];
        assert_eq!(of_study(&slices.iter().collect::<Vec<_>>()), [Limit::DelayedAck]);
        assert_eq!(of_study(&[&slices[0], &slices[1]]), []);
    }

    #[test]
    fn an_answer_that_takes_forty_milliseconds_otherwise_is_none() {
        let slow = [(42, 200)];
        assert_eq!(said(&slow, &slow, &slow), [], "its head comes late, too");
        let wide = [(25, 50), (42, 50), (60, 50)];
        assert_eq!(said(&wide, &wide, &[(1, 150)]), [], "it takes any such time");
        let few = [(1, 990), (42, 10)];
        assert_eq!(said(&few, &few, &[(1, 1_000)]), [], "hardly any does");
        assert_eq!(said(&[(42, 5)], &[(42, 5)], &[(1, 5)]), [], "too few were seen");
    }

    #[test]
    fn answers_a_second_late_that_were_served_at_once_are_dropped_syns() {
        let found = said(&[(18, 200), (1_019, 6), (3_020, 2)], &[(18, 208)], &[(18, 208)]);
        assert_eq!(found, [Limit::SynsDropped { late: 8 }]);
    }

    #[test]
    fn answers_a_second_late_for_another_reason_are_none() {
        let late = [(18, 200), (1_019, 8)];
        assert_eq!(said(&late, &late, &late), [], "the server took that second");
        let queued = [(18, 200), (600, 5), (800, 5), (1_050, 5), (1_600, 5)];
        assert_eq!(said(&queued, &[(18, 220)], &[(18, 220)]), [], "a queue");
        assert_eq!(said(&[(18, 200), (1_019, 2)], &[(18, 202)], &[]), [], "too few");
        let overloaded = [(18, 20), (1_019, 200)];
        assert_eq!(said(&overloaded, &[(18, 220)], &[]), [], "as a rule");
    }

    #[test]
    fn silences_are_said_with_the_load_that_shows_them() {
        let silences = Silences {
            threshold_ns: 20 * MS,
            count: 5,
            longest_ns: 201 * MS,
            typical_ns: 200 * MS,
            total_ns: 1_000 * MS,
            period_ns: Some(2_000 * MS),
            shown_by_rate_per_s: Some(1_300.0),
        };
        let slice = |silences| Slice {
            measured: Point { silences: Some(silences), ..Point::default() },
            ..Slice::default()
        };
        let [Limit::Silences { silences: 5, rate, .. }] = &hints(&slice(silences.clone()))[..] else {
            panic!("silences")
        };
        assert_eq!(rate, "1.3k/s");
        assert_eq!(hints(&slice(Silences { count: 0, ..silences })), []);
    }
}
