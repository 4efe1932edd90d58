//! One worker's book-keeping: never allocates while measuring, never locks, knows no clock.

use crate::{Outcome, Snapshot, Window};

/// The clocks of one exchange, as instants of the worker's time axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExchangeTimes {
    /// Intended instant of sending. Closed model: when its connection became free, plus think time.
    pub intended_ns: u64,
    /// Instant at which the kernel took the first byte of the request; `None` if it never did.
    pub sent_ns: Option<u64>,
    /// Instant at which the first byte of the answer was received; `None` if none came.
    pub first_byte_ns: Option<u64>,
    pub end_ns: u64,
}

/// Records exchanges within a [`Window`].
#[derive(Clone, Debug)]
pub struct Recorder {
    window: Window,
    /// From here on nothing counts as throughput: the window's end, or the cut before it.
    counts_until_ns: u64,
    /// True if throughput is of the exchanges that belong to the window, whenever they end.
    is_of_cohorts: bool,
    /// Answers that ended in the window, whoever asked.
    ended_in_window: u64,
    snapshot: Snapshot,
}

impl Recorder {
    /// A recorder for that window. Allocates all it needs.
    pub fn new(window: Window) -> Self {
        Recorder::with_parts(window, 0)
    }

    /// The same for a load with so many named parts.
    pub fn with_parts(window: Window, parts: usize) -> Self {
        let snapshot = Snapshot::new(window).with_parts(parts);
        Recorder {
            window,
            counts_until_ns: window.end_ns,
            is_of_cohorts: false,
            ended_in_window: 0,
            snapshot,
        }
    }

    /// Counts as throughput what belongs to the window, answered in it or later: for users who arrive in the window and take
    /// their time.
    pub fn count_cohorts(&mut self) {
        self.is_of_cohorts = true;
    }

    /// Gives the window its place on the axis of time, before anything is recorded.
    pub fn stand_at(&mut self, window: Window) {
        self.window = window;
        self.counts_until_ns = window.end_ns;
        self.snapshot.window = window;
    }

    /// The load ends before its window does. What ends from now on, and the bytes that still cross, are not throughput;
    /// exchanges that were intended within the window are counted as before.
    pub fn cut(&mut self) {
        self.counts_until_ns = 0;
    }

    /// Goes on in another snapshot and hands over the one that was recorded in until now. Their sum is what one
    /// snapshot alone would have come to.
    pub fn exchange(&mut self, next: Snapshot) -> Snapshot {
        std::mem::replace(&mut self.snapshot, next)
    }

    #[inline]
    fn covers(&self, at_ns: u64) -> bool {
        at_ns >= self.window.start_ns && at_ns < self.window.end_ns
    }

    #[inline]
    fn is_in_time(&self, end_ns: u64) -> bool {
        end_ns >= self.window.start_ns && end_ns < self.counts_until_ns
    }

    #[inline]
    fn is_throughput(&self, cohort_ns: u64, end_ns: u64) -> bool {
        if self.is_of_cohorts { self.covers(cohort_ns) } else { self.is_in_time(end_ns) }
    }

    /// Answers that ended in the window, over all snapshots: those of each second, also where throughput is of cohorts.
    pub fn ended_in_window(&self) -> u64 {
        self.ended_in_window
    }

    /// Counts one exchange under its outcome. It belongs to the window if it was intended there.
    #[inline]
    pub fn record(&mut self, times: &ExchangeTimes, outcome: Outcome) {
        self.record_of_cohort(times.intended_ns, times, outcome);
    }

    /// The same for one that belongs to the window if `cohort_ns` does, the arrival of the user who sent it.
    /// Latencies are recorded for answered exchanges only, so a
    /// fast error page cannot look like a fast server; the send delay for all that were sent.
    #[inline]
    pub fn record_of_cohort(&mut self, cohort_ns: u64, times: &ExchangeTimes, outcome: Outcome) {
        let is_answered = outcome == Outcome::Answered;
        let counts = is_answered && self.is_throughput(cohort_ns, times.end_ns);
        self.ended_in_window += u64::from(is_answered && self.is_in_time(times.end_ns));
        let covered = self.covers(cohort_ns);
        let s = &mut self.snapshot;
        s.answered_in_window += u64::from(counts);
        if !covered {
            s.discarded.add(outcome);
            return;
        }
        s.outcomes.add(outcome);
        if outcome.is_unended() {
            s.unended.record(times.end_ns.saturating_sub(times.intended_ns));
        }
        let Some(sent_ns) = times.sent_ns else { return };
        debug_assert!(sent_ns >= times.intended_ns && times.end_ns >= sent_ns, "{times:?}");
        s.send_delay.record(sent_ns.saturating_sub(times.intended_ns));
        if outcome == Outcome::Answered {
            s.response_time.record(times.end_ns.saturating_sub(times.intended_ns));
            s.service_time.record(times.end_ns.saturating_sub(sent_ns));
            s.service_sum_ns += times.end_ns.saturating_sub(sent_ns);
            let first_byte_ns = times.first_byte_ns.unwrap_or(times.end_ns);
            s.first_byte.record(first_byte_ns.saturating_sub(sent_ns));
        }
    }

    /// Counts an exchange that was intended within the window, never sent, and given up then.
    pub fn record_unsent(&mut self, intended_ns: u64, given_up_ns: u64) {
        self.snapshot.outcomes.add(Outcome::Unsent);
        self.snapshot.unended.record(given_up_ns.saturating_sub(intended_ns));
    }

    /// Counts an exchange of the whole under the part of the load that it belongs to, those that were never sent included.
    pub fn record_of_part(&mut self, part: usize, times: &ExchangeTimes, outcome: Outcome) {
        self.record_part_of_cohort(part, times.intended_ns, times, outcome);
    }

    /// The same for one that belongs to the window if `cohort_ns` does, or a journey, from the arrival of its user to its end.
    #[inline]
    pub fn record_part_of_cohort(
        &mut self,
        part: usize,
        cohort_ns: u64,
        times: &ExchangeTimes,
        outcome: Outcome,
    ) {
        let is_answered = outcome == Outcome::Answered;
        let (counts, covered) = (self.is_throughput(cohort_ns, times.end_ns), self.covers(cohort_ns));
        let Some(part) = self.snapshot.parts.get_mut(part) else { return };
        part.answered_in_window += u64::from(is_answered && counts);
        if !covered {
            return part.discarded.add(outcome);
        }
        part.outcomes.add(outcome);
        let took_ns = times.end_ns.saturating_sub(times.intended_ns);
        if is_answered {
            part.response_time.record(took_ns);
        } else if outcome.is_unended() {
            part.unended.record(took_ns);
        }
    }

    /// Counts a well-formed answer that [`Recorder::record_code`] counts, with the length of its body.
    pub fn record_answer_of_part(&mut self, part: usize, cohort_ns: u64, code: u16, body_bytes: u64) {
        let is_within = self.covers(cohort_ns);
        if let Some(part) = self.snapshot.parts.get_mut(part).filter(|_| is_within) {
            part.codes.add(code);
            part.body_bytes = part.body_bytes.saturating_add(body_bytes);
        }
    }

    /// Counts bytes that crossed the sockets, whichever exchange they belong to.
    #[inline]
    pub fn record_bytes(&mut self, now_ns: u64, sent: u64, received: u64) {
        if now_ns >= self.window.start_ns && now_ns < self.counts_until_ns {
            self.snapshot.bytes_sent += sent;
            self.snapshot.bytes_received += received;
        }
    }

    /// Counts the code of a well-formed answer (HTTP status).
    #[inline]
    pub fn record_code(&mut self, cohort_ns: u64, code: u16) {
        if self.covers(cohort_ns) {
            self.snapshot.codes.add(code);
        }
    }

    /// Counts a challenge that was answered.
    pub fn record_challenge(&mut self, cohort_ns: u64) {
        if self.covers(cohort_ns) {
            self.snapshot.challenges += 1;
        }
    }

    /// Counts a redirect that was followed.
    pub fn record_redirect(&mut self, cohort_ns: u64) {
        if self.covers(cohort_ns) {
            self.snapshot.redirects += 1;
        }
    }

    /// Counts a connection that was established.
    pub fn record_connect(&mut self, now_ns: u64, took_ns: u64) {
        if self.covers(now_ns) {
            self.snapshot.connects.record(took_ns);
        }
    }

    /// Counts a TLS handshake that was done then.
    pub fn record_handshake(&mut self, now_ns: u64, took_ns: u64, resumed: bool) {
        if self.covers(now_ns) {
            let s = &mut self.snapshot;
            let kind = if resumed { &mut s.handshakes_resumed } else { &mut s.handshakes_full };
            kind.record(took_ns);
        }
    }

    /// Snapshot so far; for the counters that the engine keeps itself.
    pub fn snapshot_mut(&mut self) -> &mut Snapshot {
        &mut self.snapshot
    }

    pub fn finish(self) -> Snapshot {
        self.snapshot
    }

    /// Snapshot since the last [`Recorder::exchange`].
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }
}
