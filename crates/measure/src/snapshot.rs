//! Measurements of one worker, or of all of them together, within a window.

use crate::{Counted, LatencyHistogram, OutcomeCounts, SparseHistogram, Window};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Counts of answer codes; those of 1 to 599 one by one, others together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeCounts {
    /// At 0 what is beyond the last.
    counts: Box<[u64; 600]>,
}

impl Default for CodeCounts {
    fn default() -> Self {
        CodeCounts { counts: Box::new([0; 600]) }
    }
}

impl CodeCounts {
    /// Counts one answer with that code.
    #[inline]
    pub fn add(&mut self, code: u16) {
        let at = usize::from(code);
        self.counts[if at < self.counts.len() { at } else { 0 }] += 1;
    }

    /// Codes that were seen, with their counts; code 0, the last, counts all outside 1 to 599.
    pub fn iter(&self) -> impl Iterator<Item = (u16, u64)> + '_ {
        let seen = (0..).zip(self.counts.iter().copied());
        seen.clone().skip(1).chain(seen.take(1)).filter(|(_, n)| *n > 0)
    }

    fn clear(&mut self) {
        self.counts.fill(0);
    }

    fn merge(&mut self, other: &CodeCounts) {
        for (mine, theirs) in self.counts.iter_mut().zip(other.counts.iter()) {
            *mine = mine.saturating_add(*theirs);
        }
    }
}

impl Serialize for CodeCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.iter().collect::<Vec<_>>().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for CodeCounts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut counts = CodeCounts::default();
        for (code, n) in <Vec<(u16, u64)>>::deserialize(deserializer)? {
            let count =
                counts.counts.get_mut(usize::from(code)).ok_or_else(|| D::Error::custom("no such code"))?;
            *count = n;
        }
        Ok(counts)
    }
}

/// Most named parts of a load whose figures are kept apart.
pub const PARTS_MAX: usize = 64;

/// Figures of one named part of a load: of the requests, or steps, that share a name. Every exchange of a load with such
/// parts is in exactly one of them, so that their counts add up to those of the whole.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Part<H = LatencyHistogram> {
    /// Outcomes of the exchanges that were intended within the window.
    pub outcomes: OutcomeCounts,
    /// Outcomes of the exchanges that were intended outside of it.
    pub discarded: OutcomeCounts,
    /// As [`Snapshot::answered_in_window`].
    pub answered_in_window: u64,
    /// From intended to end, answered exchanges.
    pub response_time: H,
    /// As [`Snapshot::unended`].
    pub unended: H,
    /// Answer codes of exchanges intended within the window.
    pub codes: CodeCounts,
    /// Bytes of the bodies of their answers, as they were transferred.
    pub body_bytes: u64,
}

impl Part {
    fn clear(&mut self) {
        let Part { outcomes, discarded, answered_in_window, response_time, unended, codes, body_bytes } =
            self;
        (*outcomes, *discarded) = (OutcomeCounts::default(), OutcomeCounts::default());
        (*answered_in_window, *body_bytes) = (0, 0);
        response_time.clear();
        unended.clear();
        codes.clear();
    }

    fn merge<H: Counted>(&mut self, other: &Part<H>) {
        self.outcomes.merge(&other.outcomes);
        self.discarded.merge(&other.discarded);
        self.answered_in_window = self.answered_in_window.saturating_add(other.answered_in_window);
        other.response_time.add_to(&mut self.response_time);
        other.unended.add_to(&mut self.unended);
        self.codes.merge(&other.codes);
        self.body_bytes = self.body_bytes.saturating_add(other.body_bytes);
    }

    fn sparse(&self) -> Part<SparseHistogram> {
        Part {
            outcomes: self.outcomes,
            discarded: self.discarded,
            answered_in_window: self.answered_in_window,
            response_time: self.response_time.sparse(),
            unended: self.unended.sparse(),
            codes: self.codes.clone(),
            body_bytes: self.body_bytes,
        }
    }
}

/// Everything that was recorded in a window. Merging is commutative and associative. `H` is how the durations are held: in
/// either form it is the same bytes to others.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Snapshot<H = LatencyHistogram> {
    /// The time that it is of.
    pub window: Window,
    /// Outcomes of the exchanges that were intended within the window.
    pub outcomes: OutcomeCounts,
    /// Of those unsent within the window, the ones that an open loop gave up because no connection was free.
    pub dropped: u64,
    /// Outcomes of the exchanges that were intended outside of it.
    pub discarded: OutcomeCounts,
    /// Answered exchanges that ended within the window, whenever they began: throughput rests on these.
    pub answered_in_window: u64,
    /// From intended to end, answered exchanges.
    pub response_time: H,
    /// From intended to when it was given up, exchanges that had no end ([`Outcome::is_unended`](crate::Outcome)): each
    /// takes at least this long.
    pub unended: H,
    /// From sent to end, answered exchanges.
    pub service_time: H,
    /// From sent to the first byte of the answer, answered exchanges.
    pub first_byte: H,
    /// From intended to sent, all that were sent.
    pub send_delay: H,
    /// Time until connections could be used, within the window: TCP, and the layers above it (a tunnel through a proxy,
    /// the TLS handshake, that of its protocol).
    pub connects: H,
    /// Duration of TLS handshakes that began a new session, within the window: from their first byte sent to their end
    /// on this side. A part of the time in `connects`.
    pub handshakes_full: H,
    /// The same for those that resumed an earlier session.
    pub handshakes_resumed: H,
    /// Sum of the service times of answered exchanges, for Little's law.
    pub service_sum_ns: u64,
    /// Bytes handed to the kernel within the window; under TLS those before encryption, handshakes not included.
    pub bytes_sent: u64,
    /// Bytes received within the window; under TLS those after decryption.
    pub bytes_received: u64,
    /// Answer codes of exchanges intended within the window.
    pub codes: CodeCounts,
    /// Redirects that exchanges intended within the window followed. Each has its code above, beside that of the
    /// last answer.
    pub redirects: u64,
    /// Challenges of Digest that exchanges intended within the window answered, each by their request once more. Each has
    /// its code above, too.
    pub challenges: u64,
    /// Messages that the peer began itself (heartbeats, pings), within the window.
    pub control: u64,
    /// Answers that belong to no exchange: more than requests, or later than the exchange was given up.
    pub surplus: u64,
    /// Connections that the peer closed first, between exchanges.
    pub closed_by_peer: u64,
    /// Connections that we closed first.
    pub closed_by_us: u64,
    /// The named parts of the load, by their indexes; empty for a load of one.
    pub parts: Vec<Part<H>>,
}

/// A snapshot that takes only the memory of what it saw: kilobytes, where [`Snapshot`] has room for megabytes.
pub type SparseSnapshot = Snapshot<SparseHistogram>;

impl Snapshot {
    /// Nothing seen yet in that window.
    pub fn new(window: Window) -> Self {
        Snapshot {
            window,
            outcomes: OutcomeCounts::default(),
            dropped: 0,
            discarded: OutcomeCounts::default(),
            answered_in_window: 0,
            response_time: LatencyHistogram::new(),
            unended: LatencyHistogram::new(),
            service_time: LatencyHistogram::new(),
            first_byte: LatencyHistogram::new(),
            send_delay: LatencyHistogram::new(),
            connects: LatencyHistogram::new(),
            handshakes_full: LatencyHistogram::new(),
            handshakes_resumed: LatencyHistogram::new(),
            service_sum_ns: 0,
            bytes_sent: 0,
            bytes_received: 0,
            codes: CodeCounts::default(),
            redirects: 0,
            challenges: 0,
            control: 0,
            surplus: 0,
            closed_by_peer: 0,
            closed_by_us: 0,
            parts: Vec::new(),
        }
    }

    /// The same of a load with so many named parts.
    #[must_use]
    pub fn with_parts(mut self, parts: usize) -> Self {
        self.parts.resize_with(parts, Part::default);
        self
    }

    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self, present: Window) {
        // Taken apart, so that a field that is new cannot be forgotten.
        let Snapshot {
            window,
            outcomes,
            dropped,
            discarded,
            answered_in_window,
            response_time,
            unended,
            service_time,
            first_byte,
            send_delay,
            connects,
            handshakes_full,
            handshakes_resumed,
            service_sum_ns,
            bytes_sent,
            bytes_received,
            codes,
            redirects,
            challenges,
            control,
            surplus,
            closed_by_peer,
            closed_by_us,
            parts,
        } = self;
        parts.iter_mut().for_each(Part::clear);
        *window = present;
        for outcomes in [outcomes, discarded] {
            *outcomes = OutcomeCounts::default();
        }
        codes.clear();
        for histogram in [
            response_time,
            unended,
            service_time,
            first_byte,
            send_delay,
            connects,
            handshakes_full,
            handshakes_resumed,
        ] {
            histogram.clear();
        }
        for count in [
            dropped,
            answered_in_window,
            service_sum_ns,
            bytes_sent,
            bytes_received,
            redirects,
            challenges,
            control,
            surplus,
            closed_by_peer,
            closed_by_us,
        ] {
            *count = 0;
        }
    }

    /// Adds another share of the same load. The window becomes the one that spans both.
    pub fn merge<H: Counted>(&mut self, other: &Snapshot<H>) {
        self.window.start_ns = self.window.start_ns.min(other.window.start_ns);
        self.window.end_ns = self.window.end_ns.max(other.window.end_ns);
        self.outcomes.merge(&other.outcomes);
        self.discarded.merge(&other.discarded);
        self.codes.merge(&other.codes);
        for (sum, n) in [
            (&mut self.dropped, other.dropped),
            (&mut self.answered_in_window, other.answered_in_window),
            (&mut self.service_sum_ns, other.service_sum_ns),
            (&mut self.bytes_sent, other.bytes_sent),
            (&mut self.bytes_received, other.bytes_received),
            (&mut self.redirects, other.redirects),
            (&mut self.challenges, other.challenges),
            (&mut self.control, other.control),
            (&mut self.surplus, other.surplus),
            (&mut self.closed_by_peer, other.closed_by_peer),
            (&mut self.closed_by_us, other.closed_by_us),
        ] {
            *sum = sum.saturating_add(n);
        }
        other.response_time.add_to(&mut self.response_time);
        other.unended.add_to(&mut self.unended);
        other.service_time.add_to(&mut self.service_time);
        other.first_byte.add_to(&mut self.first_byte);
        other.send_delay.add_to(&mut self.send_delay);
        other.connects.add_to(&mut self.connects);
        other.handshakes_full.add_to(&mut self.handshakes_full);
        other.handshakes_resumed.add_to(&mut self.handshakes_resumed);
        // What another process sends may be of any length.
        let parts = &other.parts[..other.parts.len().min(PARTS_MAX)];
        if self.parts.len() < parts.len() {
            self.parts.resize_with(parts.len(), Part::default);
        }
        self.parts.iter_mut().zip(parts).for_each(|(part, more)| part.merge(more));
    }

    /// The same in the memory that it needs.
    pub fn sparse(&self) -> SparseSnapshot {
        Snapshot {
            window: self.window,
            outcomes: self.outcomes,
            dropped: self.dropped,
            discarded: self.discarded,
            answered_in_window: self.answered_in_window,
            response_time: self.response_time.sparse(),
            unended: self.unended.sparse(),
            service_time: self.service_time.sparse(),
            first_byte: self.first_byte.sparse(),
            send_delay: self.send_delay.sparse(),
            connects: self.connects.sparse(),
            handshakes_full: self.handshakes_full.sparse(),
            handshakes_resumed: self.handshakes_resumed.sparse(),
            service_sum_ns: self.service_sum_ns,
            bytes_sent: self.bytes_sent,
            bytes_received: self.bytes_received,
            codes: self.codes.clone(),
            redirects: self.redirects,
            challenges: self.challenges,
            control: self.control,
            surplus: self.surplus,
            closed_by_peer: self.closed_by_peer,
            closed_by_us: self.closed_by_us,
            parts: self.parts.iter().map(Part::sparse).collect(),
        }
    }

    /// True if its parts add up to the whole, as they do wherever an exchange was recorded in both; and without parts.
    pub fn parts_add_up(&self) -> bool {
        let mut sum = Part::default();
        self.parts.iter().for_each(|part| sum.merge(part));
        let Part { outcomes, discarded, answered_in_window, response_time, unended, codes, body_bytes: _ } =
            &sum;
        let counts = (outcomes, discarded, answered_in_window, codes);
        self.parts.is_empty()
            || (counts == (&self.outcomes, &self.discarded, &self.answered_in_window, &self.codes)
                && (response_time, unended) == (&self.response_time, &self.unended))
    }

    /// Exchanges of the window of which the kernel took at least one byte.
    pub fn sent(&self) -> u64 {
        self.send_delay.count()
    }
}

impl<H> Snapshot<H> {
    /// Length of the window in seconds.
    pub fn seconds(&self) -> f64 {
        self.window.end_ns.saturating_sub(self.window.start_ns) as f64 / 1e9
    }

    /// Answered exchanges per second of the window; `None` for an empty window.
    pub fn throughput_per_s(&self) -> Option<f64> {
        let seconds = self.seconds();
        (seconds > 0.0).then(|| self.answered_in_window as f64 / seconds)
    }

    /// Exchanges intended within the window.
    pub fn intended(&self) -> u64 {
        self.outcomes.total()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExchangeTimes, Outcome, Recorder};
    use proptest::prelude::*;

    const WINDOW: Window = Window { start_ns: 1_000, end_ns: 2_000 };

    fn times(intended_ns: u64, sent_ns: u64, end_ns: u64) -> ExchangeTimes {
        ExchangeTimes { intended_ns, sent_ns: Some(sent_ns), first_byte_ns: Some(end_ns), end_ns }
    }

    #[test]
    fn throughput_counts_ends_in_the_window_and_latency_counts_intentions_in_it() {
        let mut recorder = Recorder::new(WINDOW);
        recorder.record(&times(900, 900, 1_100), Outcome::Answered);
        recorder.record(&times(1_100, 1_200, 1_300), Outcome::Answered);
        recorder.record(&times(1_900, 1_900, 2_100), Outcome::Answered);
        let snapshot = recorder.finish();
        assert_eq!(snapshot.answered_in_window, 2);
        assert_eq!(snapshot.response_time.count(), 2);
        assert_eq!(snapshot.discarded.get(Outcome::Answered), 1);
        assert_eq!(snapshot.intended(), 2);
    }

    #[test]
    fn a_stall_shows_in_response_time_and_not_in_service_time() {
        let mut recorder = Recorder::new(WINDOW);
        recorder.record(&times(1_000, 1_800, 1_810), Outcome::Answered);
        let snapshot = recorder.finish();
        assert_eq!(snapshot.response_time.quantile_ns(1.0), Some(810));
        assert_eq!(snapshot.service_time.quantile_ns(1.0), Some(10));
        assert_eq!(snapshot.send_delay.quantile_ns(1.0), Some(800));
    }

    #[test]
    fn a_fast_error_page_is_not_throughput_and_has_no_latency() {
        let mut recorder = Recorder::new(WINDOW);
        recorder.record(&times(1_100, 1_100, 1_101), Outcome::Rejected);
        let snapshot = recorder.finish();
        assert_eq!((snapshot.answered_in_window, snapshot.response_time.count()), (0, 0));
        assert_eq!(snapshot.outcomes.error_share(), Some(1.0));
        assert_eq!(snapshot.sent(), 1);
    }

    #[test]
    fn codes_outside_the_usual_range_are_counted_together() {
        let mut codes = CodeCounts::default();
        for code in [0, 1, 99, 100, 599, 600, 200, 200] {
            codes.add(code);
        }
        let seen: Vec<_> = codes.iter().collect();
        assert_eq!(seen, [(1, 1), (99, 1), (100, 1), (200, 2), (599, 1), (0, 2)]);
    }

    proptest! {
        #[test]
        fn any_order_of_merging_gives_the_same(
            ends in proptest::collection::vec((1_000u64..2_000, 0u64..500, 0usize..16), 3..60)
        ) {
            let parts: Vec<Snapshot> = ends
                .chunks(ends.len().div_ceil(3))
                .map(|chunk| {
                    let mut recorder = Recorder::with_parts(WINDOW, 3);
                    for (at, took, outcome) in chunk {
                        recorder.record(&times(*at, *at, at + took), Outcome::ALL[*outcome]);
                        let part = (at % 3) as usize;
                        recorder.record_of_part(part, &times(*at, *at, at + took), Outcome::ALL[*outcome]);
                        recorder.record_answer_of_part(part, *at, 200 + *outcome as u16, *took);
                        recorder.record_code(*at, 200 + *outcome as u16);
                        recorder.record_handshake(*at, *took, outcome % 2 == 0);
                    }
                    recorder.finish()
                })
                .collect();
            let merged = |order: &[usize]| {
                let mut all = Snapshot::new(WINDOW);
                order.iter().filter_map(|i| parts.get(*i)).for_each(|p| all.merge(p));
                all
            };
            let one = merged(&[0, 1, 2]);
            prop_assert_eq!(&one, &merged(&[2, 0, 1]));
            let other = merged(&[1, 2, 0]);
            prop_assert_eq!(one.response_time.encode(), other.response_time.encode());
            prop_assert_eq!(one.handshakes_full.encode(), other.handshakes_full.encode());
            prop_assert_eq!(one.handshakes_resumed.encode(), other.handshakes_resumed.encode());
            let resumed = ends.iter().filter(|(_, _, outcome)| outcome % 2 == 0).count() as u64;
            prop_assert_eq!(one.handshakes_resumed.count(), resumed);
            prop_assert_eq!(one.handshakes_full.count() + resumed, ends.len() as u64);
            prop_assert_eq!(one.intended(), ends.len() as u64);
            prop_assert!(one.parts_add_up());
            let mut without = one.clone();
            without.parts[(ends[0].0 % 3) as usize] = Part::default();
            prop_assert!(!without.parts_add_up(), "a part is missing");
            let mut of_sparse = Snapshot::new(WINDOW);
            for part in &parts {
                let bytes = postcard::to_stdvec(part).unwrap();
                let sparse: SparseSnapshot = postcard::from_bytes(&bytes).unwrap();
                prop_assert_eq!(&sparse, &part.sparse());
                prop_assert_eq!(postcard::to_stdvec(&sparse).unwrap(), bytes);
                of_sparse.merge(&sparse);
            }
            prop_assert_eq!(&one, &of_sparse);
        }
    }
}
