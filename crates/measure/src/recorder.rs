//! One worker's book-keeping: never allocates while measuring, never locks, knows no clock.

use crate::{LatencyHistogram, Outcome, Snapshot};

/// The stretch of time that counts. Exchanges that were intended before it are discarded (but not
/// forgotten: they stand in [`Snapshot::discarded`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First instant that counts.
    pub start_ns: u64,
    /// First instant that no longer counts.
    pub end_ns: u64,
}

/// The clocks of one exchange, as instants of the worker's time axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExchangeTimes {
    /// When it should have been sent. Closed model: when its connection became free, plus think time.
    pub intended_ns: u64,
    /// When the kernel took the first byte of the request; `None` if it never did.
    pub sent_ns: Option<u64>,
    /// When the first byte of the answer was received; `None` if none came.
    pub first_byte_ns: Option<u64>,
    /// When it ended.
    pub end_ns: u64,
}

/// Records exchanges within a [`Window`].
#[derive(Clone, Debug)]
pub struct Recorder {
    window: Window,
    snapshot: Snapshot,
}

impl Recorder {
    /// A recorder for that window. Allocates all it needs.
    pub fn new(window: Window) -> Self {
        Recorder { window, snapshot: Snapshot::new(window) }
    }

    /// Counts one exchange under its outcome. Latencies are recorded for answered exchanges only, so a
    /// fast error page cannot look like a fast server; the send delay for all that were sent.
    #[inline]
    pub fn record(&mut self, times: &ExchangeTimes, outcome: Outcome) {
        let s = &mut self.snapshot;
        if outcome == Outcome::Answered
            && times.end_ns >= self.window.start_ns
            && times.end_ns < self.window.end_ns
        {
            s.answered_in_window += 1;
        }
        if times.intended_ns < self.window.start_ns || times.intended_ns >= self.window.end_ns {
            s.discarded.add(outcome);
            return;
        }
        s.outcomes.add(outcome);
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

    /// Counts `n` exchanges that were intended within the window and never sent.
    pub fn record_unsent(&mut self, n: u64) {
        self.snapshot.outcomes.add_many(Outcome::Unsent, n);
    }

    /// Counts bytes that crossed the sockets, whichever exchange they belong to.
    #[inline]
    pub fn record_bytes(&mut self, now_ns: u64, sent: u64, received: u64) {
        if now_ns >= self.window.start_ns && now_ns < self.window.end_ns {
            self.snapshot.bytes_sent += sent;
            self.snapshot.bytes_received += received;
        }
    }

    /// Counts the code of a well-formed answer (HTTP status).
    #[inline]
    pub fn record_code(&mut self, intended_ns: u64, code: u16) {
        if intended_ns >= self.window.start_ns && intended_ns < self.window.end_ns {
            self.snapshot.codes.add(code);
        }
    }

    /// Counts a redirect that was followed.
    pub fn record_redirect(&mut self, intended_ns: u64) {
        if intended_ns >= self.window.start_ns && intended_ns < self.window.end_ns {
            self.snapshot.redirects += 1;
        }
    }

    /// Counts a connection that was established.
    pub fn record_connect(&mut self, now_ns: u64, took_ns: u64) {
        if now_ns >= self.window.start_ns && now_ns < self.window.end_ns {
            self.snapshot.connects.record(took_ns);
        }
    }

    /// Counts a TLS handshake that was done then.
    pub fn record_handshake(&mut self, now_ns: u64, took_ns: u64, resumed: bool) {
        if now_ns >= self.window.start_ns && now_ns < self.window.end_ns {
            let s = &mut self.snapshot;
            let kind = if resumed { &mut s.handshakes_resumed } else { &mut s.handshakes_full };
            kind.record(took_ns);
        }
    }

    /// What was recorded so far; for the counters that the engine keeps itself.
    pub fn snapshot_mut(&mut self) -> &mut Snapshot {
        &mut self.snapshot
    }

    /// The end of recording.
    pub fn finish(self) -> Snapshot {
        self.snapshot
    }

    /// A copy of the histogram of response times, for a live view.
    pub fn response_time(&self) -> &LatencyHistogram {
        &self.snapshot.response_time
    }
}
