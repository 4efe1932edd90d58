//! Record of a worker: outcomes of its exchanges, and the resources it spent on them.

use crate::clock::Delayed;
use crate::lane::Lane;
use crate::received::{Received, SAMPLE_BYTES};
use crate::seconds::{Giving, Seconds, add_counts};
use crate::target::{Handshake, Name, Negotiated};
use crate::{AddressUse, Asking, BadAnswer, DriverChoice, EndedByPeer};
use proofload_measure::{
    ExchangeTimes, Hiccups, LatencyHistogram, Listener, Outcome, Recorder, SilentStretches, Window,
};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// One send of a hundred may leave this late for the generator's own reasons, whatever the response times are.
pub(crate) const SEND_DELAY_NS: u64 = 200_000;
/// Interval at which a worker asks how long it had no CPU.
const DELAY_EVERY_NS: u64 = 1_000_000;
/// Time that giving a thread the CPU takes by itself, once for each time that it begins to run.
const WAKING_NS: u64 = 10_000;

/// Everything a worker writes down.
#[derive(Debug)]
pub(crate) struct WorkerRecord {
    pub window: Window,
    pub recorder: Recorder,
    /// Delays of sends for which a connection was free: caused by the generator itself.
    pub own_delay: LatencyHistogram,
    pub idle_time: IdleTime,
    /// Of each named part, or of all that there is, the first of each outcome.
    bad: Vec<[Option<BadAnswer>; Outcome::ALL.len()]>,
    /// The part of each entry of the mix, and behind them of each journey; empty where nothing is told apart.
    parts: Vec<u32>,
    /// Number of the first journey; none where there are no users.
    first_journey: Option<usize>,
    /// Exchanges counted so far, whether intended in the window or not: for a live view.
    pub answered: u64,
    pub failed: u64,
    /// Dials in the window, and dials ever that failed for want of a port or of a descriptor.
    pub opened: u64,
    pub no_port: u64,
    pub no_descriptor: u64,
    pub ended_by_peer: EndedByPeer,
    /// Exchanges that were not sent although a connection was free.
    pub behind: u64,
    /// Parameters that TLS handshakes agreed on, each kind once.
    pub negotiated: Vec<Negotiated>,
    /// Longest time that an answer took on its connection, in the window or before it.
    pub slowest_ns: u64,
    /// Ends of exchanges of the window; the latest.
    pub last_end_ns: u64,
    listener: Listener,
    seconds: Seconds,
    /// CPU time when the window began and ended.
    cpu: [Option<u64>; 2],
    waited_ns: u64,
    waited_over_ns: u64,
    away_ns: u64,
    /// Time waited beyond what was asked for, when the thread's time without a CPU was last read, and the instant of
    /// that.
    beyond_ns: u64,
    delayed: Option<Delayed>,
    delayed_at_ns: u64,
    hiccups: Hiccups,
    /// Instant at which the window ended, if before its time.
    cut_ns: Option<u64>,
    /// Intended instant and delay of the exchange that was intended first.
    start_error: Option<(u64, u64)>,
}

/// Closed loop: how long connections were in use, kept apart from the recorder (Little's law compares
/// the two). Instead of the time in use it adds up the time that was *not*, which is nothing for
/// an exchange that follows at once on another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct IdleTime {
    /// Time within the window that connections spent thinking, backing off, connecting, parting, or on
    /// exchanges that the latencies leave out.
    pub idle_ns: u64,
    /// Time after the window that exchanges of the window went on.
    pub over_ns: u64,
}

/// Everything that one worker hands over at the end.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct HandedOver {
    pub sums: WorkerSums,
    pub worker: WorkerResult,
}

/// Values that add up over the workers, in any order. Those of each take half a megabyte, and there may be thousands.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(crate) struct WorkerSums {
    /// Answers in each second.
    pub counts: Vec<u64>,
    /// Delays of sends for which a connection was free.
    pub own_delay: LatencyHistogram,
    pub hiccups: Hiccups,
    /// None of no worker.
    pub heard: Option<SilentStretches>,
}

impl HandedOver {
    /// The same on an axis of time that is `by_ns` ahead.
    pub fn shift(&mut self, by_ns: i64) {
        self.worker.end_ns = self.worker.end_ns.saturating_add_signed(by_ns);
        self.sums.heard.iter_mut().for_each(|heard| heard.shift(by_ns));
    }
}

impl WorkerSums {
    /// Adds those of another worker.
    pub fn add(&mut self, other: &WorkerSums) {
        add_counts(&mut self.counts, &other.counts);
        self.own_delay.merge(&other.own_delay);
        self.hiccups.merge(&other.hiccups);
        match (&mut self.heard, &other.heard) {
            (Some(heard), Some(more)) => heard.merge(more),
            (heard @ None, Some(first)) => *heard = Some(first.clone()),
            (_, None) => {}
        }
    }
}

/// Values of one worker alone.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct WorkerResult {
    /// Actual end of the window, and its length.
    pub end_ns: u64,
    pub wall_ns: u64,
    /// Sum of the service times of answered exchanges.
    pub service_sum_ns: u64,
    /// Delay of the first exchange.
    pub start_error_ns: Option<u64>,
    pub idle_time: IdleTime,
    pub bad: Vec<BadAnswer>,
    pub cpu_ns: u64,
    /// CPU time over wall time in the window.
    pub busy: f64,
    /// Share of the stretch from the window's start to the worker's end of issuing in which it had work, or was away.
    pub at_work: f64,
    /// Share of it in which the worker was kept from waking.
    pub away: f64,
    pub opened: u64,
    pub no_port: u64,
    pub no_descriptor: u64,
    pub ended_by_peer: EndedByPeer,
    pub negotiated: Vec<Negotiated>,
    /// Redirects that led to other origins, by the URL of each.
    pub elsewhere: Vec<(String, u64)>,
    pub behind: u64,
    /// Connections there were from the beginning, and in the end.
    pub first_connections: u64,
    pub connections: u64,
    pub addresses: Vec<AddressUse>,
    #[serde(deserialize_with = "driver_name")]
    pub driver: Name,
    pub stopped_early: bool,
}

/// The name of a driver that another process wrote.
fn driver_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static str, D::Error> {
    let name = String::deserialize(deserializer)?;
    let known = DriverChoice::from_name(&name).ok_or_else(|| D::Error::custom("no driver of that name"))?;
    Ok(known.name())
}

impl WorkerRecord {
    /// `counts_cohorts`: throughput is of those who arrive in the window.
    pub fn new(window: Window, giving: Giving, asking: &Asking, counts_cohorts: bool) -> Self {
        let parts = asking.part_count();
        let mut recorder = Recorder::with_parts(window, parts);
        if counts_cohorts {
            recorder.count_cohorts();
        }
        WorkerRecord {
            window,
            recorder,
            own_delay: LatencyHistogram::new(),
            idle_time: IdleTime::default(),
            bad: (0..parts.max(1)).map(|_| Default::default()).collect(),
            parts: asking.parts.clone(),
            first_journey: asking
                .journeys
                .as_ref()
                .and_then(|of| asking.parts.len().checked_sub(of.journeys.len())),
            answered: 0,
            failed: 0,
            opened: 0,
            no_port: 0,
            no_descriptor: 0,
            ended_by_peer: EndedByPeer::default(),
            behind: 0,
            negotiated: Vec::new(),
            slowest_ns: 0,
            last_end_ns: window.start_ns,
            listener: Listener::new(window),
            seconds: Seconds::new(window, giving),
            cpu: [None; 2],
            waited_ns: 0,
            away_ns: 0,
            beyond_ns: 0,
            delayed: None,
            delayed_at_ns: 0,
            hiccups: Hiccups::default(),
            waited_over_ns: 0,
            cut_ns: None,
            start_error: None,
        }
    }

    /// Sets the first instant of the load, before anything is written down.
    pub fn begin_at(&mut self, start_ns: u64) {
        let Window { start_ns: from_ns, end_ns } = self.window;
        let window = Window { start_ns: from_ns + start_ns, end_ns: end_ns + start_ns };
        self.window = window;
        self.last_end_ns = window.start_ns;
        self.recorder.stand_at(window);
        self.listener.stand_at(window);
        self.seconds.set_window(window);
    }

    /// True if an exchange intended then belongs to the window.
    #[inline]
    pub fn covers(&self, intended_ns: u64) -> bool {
        intended_ns >= self.window.start_ns && intended_ns < self.window.end_ns
    }

    /// Writes the exchange of a lane down. Returns since when the connection has been idle, if this exchange does not count
    /// for latency.
    #[inline(always)]
    pub fn exchange(&mut self, lane: &Lane, outcome: Outcome) -> Option<u64> {
        let Lane { entry, times, cohort_ns, ready_ns, .. } = lane;
        let ready_ns = *ready_ns;
        self.advance_to(times.end_ns);
        self.recorder.record_of_cohort(*cohort_ns, times, outcome);
        if let Some(part) = self.parts.get(*entry as usize) {
            self.recorder.record_part_of_cohort(*part as usize, *cohort_ns, times, outcome);
        }
        if outcome != Outcome::Answered {
            self.failed += u64::from(outcome.is_finished());
            if !outcome.is_unended() {
                self.listener.failed(times.end_ns);
            }
            if self.covers(*cohort_ns) {
                self.last_end_ns = self.last_end_ns.max(times.end_ns);
            }
            return Some(ready_ns);
        }
        self.answered += 1;
        self.listener.heard(times.end_ns);
        self.slowest_ns = self.slowest_ns.max(times.end_ns - ready_ns);
        if *cohort_ns < self.window.start_ns {
            self.idle(ready_ns, times.end_ns);
        } else if times.end_ns < self.window.end_ns {
            self.last_end_ns = times.end_ns;
        } else {
            let begun = times.sent_ns.unwrap_or(times.end_ns);
            self.idle_time.over_ns += times.end_ns - begun.max(self.window.end_ns);
            self.last_end_ns = times.end_ns;
        }
        None
    }

    /// Counts a whole answer, which may be followed by another of the same exchange.
    #[inline]
    pub fn answer(&mut self, mix_entry: u32, cohort_ns: u64, code: u16, body_bytes: u64) {
        self.recorder.record_code(cohort_ns, code);
        if let Some(part) = self.parts.get(mix_entry as usize) {
            self.recorder.record_answer_of_part(*part as usize, cohort_ns, code, body_bytes);
        }
    }

    /// Records that an exchange was never sent, and given up now; returns true if it belongs to the window.
    pub fn unsent(&mut self, mix_entry: usize, intended_ns: u64, now_ns: u64) -> bool {
        if let Some(part) = self.parts.get(mix_entry) {
            let times = ExchangeTimes { intended_ns, end_ns: now_ns, ..ExchangeTimes::default() };
            self.recorder.record_of_part(*part as usize, &times, Outcome::Unsent);
        }
        let within = self.covers(intended_ns);
        match within {
            // A user who never came is no request: he is in no time of theirs.
            true if self.first_journey.is_some_and(|first| mix_entry >= first) => {
                self.recorder.snapshot_mut().outcomes.add(Outcome::Unsent);
            }
            true => self.recorder.record_unsent(intended_ns, now_ns),
            false => self.recorder.snapshot_mut().discarded.add(Outcome::Unsent),
        }
        within
    }

    /// Writes the journey of a seat down, from the arrival of its user to this end.
    pub fn journey(&mut self, seat: &mut Lane, outcome: Outcome, end_ns: u64) {
        self.advance_to(end_ns);
        seat.times.end_ns = end_ns;
        if let Some(part) = self.parts.get(seat.entry as usize) {
            self.recorder.record_of_part(*part as usize, &seat.times, outcome);
        }
    }

    /// A connection was of no use between these instants.
    pub fn idle(&mut self, from_ns: u64, to_ns: u64) {
        let from = from_ns.max(self.window.start_ns);
        self.idle_time.idle_ns += to_ns.min(self.window.end_ns).saturating_sub(from);
    }

    /// Writes down a TLS handshake that ended then.
    pub fn handshake(&mut self, now_ns: u64, handshake: &Handshake) {
        self.advance_to(now_ns);
        self.recorder.record_handshake(now_ns, handshake.took_ns, handshake.resumed);
        if !self.negotiated.contains(&handshake.negotiated) {
            self.negotiated.push(handshake.negotiated);
        }
    }

    /// Place of the bad answer of an entry and an outcome.
    pub fn bad(&mut self, mix_entry: usize, outcome: Outcome) -> &mut Option<BadAnswer> {
        let part = self.parts.get(mix_entry).map_or(0, |part| *part as usize);
        &mut self.bad[part][outcome as usize]
    }

    /// Keeps the first bad answer of its kind; `what` is only asked for then.
    pub fn keep_bad(
        &mut self,
        outcome: Outcome,
        mix_entry: usize,
        received: Received<'_>,
        what: impl FnOnce() -> String,
    ) {
        let kept = self.bad(mix_entry, outcome);
        if kept.is_none() {
            let received = received.bytes().take(SAMPLE_BYTES).collect();
            *kept = Some(BadAnswer {
                outcome,
                mix_entry,
                part: mix_entry,
                what: what(),
                received,
                rows: None,
                captured: Vec::new(),
            });
        }
    }

    /// Notes CPU time when the window begins and when issuing ends.
    pub fn note_cpu(&mut self, cpu_ns: u64, at_end: bool) {
        let noted = &mut self.cpu[usize::from(at_end)];
        if noted.is_none() {
            *noted = Some(cpu_ns);
        }
    }

    /// True if [`WorkerRecord::note_cpu`] is due for the window's beginning.
    #[inline]
    pub fn window_is_new(&self, now_ns: u64) -> bool {
        self.cpu[0].is_none() && now_ns >= self.window.start_ns
    }

    /// True if [`WorkerRecord::note_cpu`] is due for the window's end.
    #[inline]
    pub fn window_is_over(&self, now_ns: u64) -> bool {
        now_ns >= self.window.end_ns && self.cpu[1].is_none() && self.cpu[0].is_some()
    }

    /// Counts a poll that took `took_ns` and ended now; the first part of it was waited, where no more than `asked_ns` was
    /// asked for. What is well beyond that is time away: something kept the worker from waking.
    #[inline]
    pub fn note_poll(&mut self, waited_ns: u64, asked_ns: u64, took_ns: u64, now_ns: u64) {
        if self.cpu[0].is_some() && self.cpu[1].is_none() {
            let away_ns = waited_ns.saturating_sub(asked_ns);
            let waited_ns = if away_ns > SEND_DELAY_NS { asked_ns } else { waited_ns };
            if away_ns > SEND_DELAY_NS {
                self.away_ns += away_ns;
                self.beyond_ns += away_ns;
                self.listener.away(away_ns, now_ns.saturating_sub(took_ns));
            }
            self.waited_ns += waited_ns;
            self.waited_over_ns += took_ns;
            self.hiccups.note_poll(now_ns.saturating_sub(took_ns.saturating_sub(waited_ns)), now_ns);
        }
    }

    /// True if [`WorkerRecord::note_delayed`] is due.
    #[inline]
    pub fn delay_is_due(&self, now_ns: u64) -> bool {
        now_ns >= self.delayed_at_ns + DELAY_EVERY_NS && self.cpu[0].is_some() && self.cpu[1].is_none()
    }

    /// Notes how long the thread had been ready to run without a CPU until now. A wait that ends with an answer asked
    /// for no certain time: the delay that a busy machine adds to it shows nowhere else.
    pub fn note_delayed(&mut self, delayed: Option<Delayed>, now_ns: u64) {
        if let Some((before, now)) = self.delayed.zip(delayed) {
            let woken_ns = WAKING_NS * now.runs.saturating_sub(before.runs);
            let hidden_ns = now.ns.saturating_sub(before.ns).saturating_sub(woken_ns + self.beyond_ns);
            if hidden_ns > 0 {
                self.away_ns += hidden_ns;
                self.hiccups.note_hidden(hidden_ns, now_ns.saturating_sub(self.delayed_at_ns));
            }
        }
        (self.delayed, self.delayed_at_ns, self.beyond_ns) = (delayed, now_ns, 0);
    }

    /// Goes on to the second of this instant. To be called before anything of it is written down.
    #[inline]
    pub fn advance_to(&mut self, now_ns: u64) {
        self.seconds.advance_to(now_ns, &mut self.recorder);
    }

    /// Notes the delay of an exchange that may be the first one.
    #[cold]
    pub fn begun(&mut self, intended_ns: u64, now_ns: u64) {
        if self.start_error.is_none_or(|(first_ns, _)| intended_ns < first_ns) {
            self.start_error = Some((intended_ns, now_ns.saturating_sub(intended_ns)));
        }
    }

    /// Ends the window before its time. What was counted until now is its throughput.
    pub fn cut(&mut self, end_ns: u64) {
        if self.cut_ns.is_none() && end_ns < self.window.end_ns {
            let end_ns = end_ns.max(self.window.start_ns);
            self.cut_ns = Some(end_ns);
            self.seconds.cut(end_ns, &mut self.recorder);
            self.recorder.cut();
        }
    }

    /// The instant at which the window really ended.
    pub fn end_ns(&self) -> u64 {
        self.cut_ns.unwrap_or(self.window.end_ns)
    }

    pub fn finish(self, end_ns: u64, connections: u64, driver: &'static str) -> HandedOver {
        let (counts, service_sum_ns) = self.seconds.finish(end_ns, self.recorder);
        let cpu_ns = match self.cpu {
            [Some(begin), Some(end)] => end.saturating_sub(begin),
            _ => 0,
        };
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let wall_ns = end_ns.saturating_sub(self.window.start_ns);
        let heard = Some(self.listener.finish(end_ns));
        let sums = WorkerSums { counts, own_delay: self.own_delay, hiccups: self.hiccups, heard };
        let worker = WorkerResult {
            end_ns,
            wall_ns,
            service_sum_ns,
            start_error_ns: self.start_error.map(|(_, late_ns)| late_ns),
            idle_time: self.idle_time,
            bad: self.bad.into_iter().flatten().flatten().collect(),
            cpu_ns,
            busy: share(cpu_ns, wall_ns).min(1.0),
            at_work: share(self.waited_over_ns.saturating_sub(self.waited_ns), self.waited_over_ns),
            away: share(self.away_ns, self.waited_over_ns),
            opened: self.opened,
            no_port: self.no_port,
            no_descriptor: self.no_descriptor,
            ended_by_peer: self.ended_by_peer,
            negotiated: self.negotiated,
            elsewhere: Vec::new(),
            behind: self.behind,
            first_connections: connections,
            connections,
            addresses: Vec::new(),
            driver,
            stopped_early: false,
        };
        HandedOver { sums, worker }
    }
}
