//! The work of a server, counted kind by kind.
//!
//! Each worker counts in its own cells; any thread may read them at any time. What the client can see is counted
//! *before* the system call that shows it, and taken back if that call fails: so a client that has its last
//! answer finds it in the counts, whichever worker it asks.

use crate::ending::Ending;
use crate::{Fault, TlsFault};
use proofload_measure::{Outcome, OutcomeCounts};
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

/// One row for each count: its doc, its cell, and its name in [`Counts`] and in JSON.
macro_rules! counts {
    ($($(#[$doc:meta])* $count:ident $name:ident,)+) => {
        /// Cells of a worker besides faults and outcomes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        pub enum Count {
            $($count,)+
        }

        const PLAIN: usize = [$(Count::$count),+].len();

        /// Work of a server so far. Requests to `/__counts` and `/__ready`, their answers, and connections whose
        /// first request was one of them (`control`), are in none of the other counts.
        ///
        /// `requests` = `answered` + `reset_before` + `reset_within` + `short_body` + `silence` + `client_left` +
        /// `cut_by_stop` + those in the making.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Counts {
            /// The server's start on the monotonic clock, in nanoseconds; stalls are counted from here.
            pub started_ns: u64,
            /// Time of these counts, on the same clock; of a [`crate::Report`], the server's end.
            pub now_ns: u64,
            $($(#[$doc])* pub $name: u64,)+
            /// Outcomes that a truthful client must have come to.
            pub expected: OutcomeCounts,
            faults: [u64; Fault::ALL.len()],
            tls_faults: [u64; TlsFault::ALL.len()],
        }

        impl Counts {
            fn of_cells(sum: &[u64; CELLS]) -> Counts {
                Counts { $($name: sum[Count::$count as usize],)+ ..Counts::default() }
            }

            fn plain(&self) -> [(&'static str, u64); PLAIN] {
                [$((stringify!($name), self.$name)),+]
            }
        }
    };
}

counts! {
    Requests requests,
    /// Answers whose last byte the kernel took, whatever their status and whatever followed them.
    Answered answered,
    /// Answers among these with status 405, to methods other than GET, HEAD and POST.
    MethodsRefused methods_refused,
    /// Requests whose client hung up before the answer was written.
    ClientLeft client_left,
    /// Requests that were in the making when the server was stopped.
    CutByStop cut_by_stop,
    /// Bytes that were not a request, or over a limit; answered 400, 413, 431 or 501 and closed, never in
    /// `requests`.
    BadRequests bad_requests,
    Accepted accepted,
    /// Connections that only asked about the server itself; not in `accepted`.
    Control control,
    /// Connections closed at once because too many were open; not in `accepted`.
    TurnedAway turned_away,
    /// Connections on which the client's FIN came first.
    ClosedByClient closed_by_client,
    /// Connections on which the server's FIN came first.
    ClosedByServer closed_by_server,
    /// Connections that the client reset.
    ResetByClient reset_by_client,
    /// Connections that the server reset.
    ResetByServer reset_by_server,
    /// Bytes of whole requests.
    BytesReceived bytes_received,
    /// Bytes of answers that the kernel took.
    BytesSent bytes_sent,
    /// CPU time burnt by spins, in nanoseconds.
    SpinCpu spin_cpu_ns,
    /// Time that passed during spins, in nanoseconds.
    SpinWall spin_wall_ns,
    /// Arrivals written to the log.
    ArrivalsLogged arrivals_logged,
    /// Arrivals that the log had no room for.
    ArrivalsDropped arrivals_dropped,
    /// TLS handshakes done in full.
    HandshakesFull handshakes_full,
    /// TLS handshakes that resumed a session.
    HandshakesResumed handshakes_resumed,
    /// TLS handshakes that either side broke off saying why, or that were none; not those harmed on purpose.
    HandshakesFailed handshakes_failed,
}

/// Index of the first fault of connections.
const HARMED: usize = PLAIN + Fault::ALL.len() + Outcome::ALL.len();
const CELLS: usize = HARMED + TlsFault::ALL.len();

/// The cells of one worker: one thread writes, any thread reads.
#[derive(Debug)]
pub struct Cells([AtomicU64; CELLS]);

impl Cells {
    pub fn new() -> Self {
        Cells(std::array::from_fn(|_| AtomicU64::new(0)))
    }

    pub fn add(&self, count: Count, n: u64) {
        self.bump(count as usize, n);
    }

    pub fn take_back(&self, count: Count, n: u64) {
        self.bump(count as usize, n.wrapping_neg());
    }

    /// Counts the outcome of a request (`n` = 1), or takes it back (`n` = -1 in two's complement).
    pub fn ended(&self, fault: Option<Fault>, outcome: Outcome, n: u64) {
        if let Some(fault) = fault {
            self.bump(PLAIN + fault as usize, n);
        }
        self.bump(PLAIN + Fault::ALL.len() + outcome as usize, n);
    }

    /// Counts a request with its outcome (`n` = 1), or takes that back (`n` = -1 in two's complement).
    pub fn count_ending(&self, ending: Ending, n: u64) {
        self.ended(ending.fault, ending.outcome, n);
        self.add(Count::Answered, if ending.is_answer() { n } else { 0 });
        self.add(Count::MethodsRefused, if ending.refused { n } else { 0 });
    }

    /// Counts a connection that was treated badly before its first request.
    pub fn harmed(&self, fault: TlsFault) {
        self.bump(HARMED + fault as usize, 1);
    }

    // A load and a store instead of a locked addition: there is one writer.
    fn bump(&self, cell: usize, n: u64) {
        let cell = &self.0[cell];
        cell.store(cell.load(Ordering::Relaxed).wrapping_add(n), Ordering::Release);
    }

    fn get(&self, cell: usize) -> u64 {
        self.0[cell].load(Ordering::Acquire)
    }
}

impl Counts {
    /// Requests that met this fault.
    pub fn fault(&self, fault: Fault) -> u64 {
        self.faults[fault as usize]
    }

    /// Connections that met this fault.
    pub fn tls_fault(&self, fault: TlsFault) -> u64 {
        self.tls_faults[fault as usize]
    }

    pub fn sum<'a>(workers: impl Iterator<Item = &'a Cells>, started_ns: u64, now_ns: u64) -> Counts {
        let mut sum = [0u64; CELLS];
        for cells in workers {
            for (cell, total) in sum.iter_mut().enumerate() {
                // Wrapping, for one worker may have taken back what another added.
                *total = total.wrapping_add(cells.get(cell));
            }
        }
        let mut counts = Counts { started_ns, now_ns, ..Counts::of_cells(&sum) };
        for fault in Fault::ALL {
            counts.faults[fault as usize] = sum[PLAIN + fault as usize];
        }
        for fault in TlsFault::ALL {
            counts.tls_faults[fault as usize] = sum[HARMED + fault as usize];
        }
        for outcome in Outcome::ALL {
            counts.expected.add_many(outcome, sum[PLAIN + Fault::ALL.len() + outcome as usize]);
        }
        counts
    }

    /// One JSON object, as `/__counts` shows it.
    pub fn to_json(&self) -> String {
        let mut json = String::with_capacity(1024);
        let field = |json: &mut String, name: &str, n: u64| {
            write!(json, "\"{name}\":{n},").expect("a String takes every write");
        };
        let close = |json: &mut String| {
            json.pop();
            json.push_str("},");
        };
        json.push('{');
        field(&mut json, "started_ns", self.started_ns);
        field(&mut json, "now_ns", self.now_ns);
        for (name, n) in self.plain() {
            field(&mut json, name, n);
        }
        json.push_str("\"faults\":{");
        for fault in Fault::ALL {
            field(&mut json, fault.name(), self.fault(fault));
        }
        close(&mut json);
        json.push_str("\"tls_faults\":{");
        for fault in TlsFault::ALL {
            field(&mut json, fault.name(), self.tls_fault(fault));
        }
        close(&mut json);
        json.push_str("\"expected_outcomes\":{");
        for (outcome, n) in self.expected.iter() {
            field(&mut json, outcome.name(), n);
        }
        close(&mut json);
        json.pop();
        json.push('}');
        json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_are_summed_and_what_was_taken_back_is_gone() {
        let (a, b) = (Cells::new(), Cells::new());
        a.add(Count::Requests, 3);
        b.add(Count::Requests, 4);
        b.take_back(Count::Accepted, 1);
        a.add(Count::Accepted, 2);
        a.ended(Some(Fault::Status500), Outcome::Rejected, 1);
        b.ended(Some(Fault::Drip), Outcome::Answered, 1);
        b.ended(Some(Fault::Drip), Outcome::Answered, 1u64.wrapping_neg());
        let counts = Counts::sum([&a, &b].into_iter(), 0, 0);
        assert_eq!((counts.requests, counts.accepted), (7, 1));
        assert_eq!((counts.fault(Fault::Status500), counts.fault(Fault::Drip)), (1, 0));
        assert_eq!(counts.expected.get(Outcome::Rejected), 1);
        assert_eq!(counts.expected.total(), 1);
    }

    #[test]
    fn the_json_names_every_count_once() {
        let cells = Cells::new();
        cells.add(Count::Requests, 5);
        let json = Counts::sum(std::iter::once(&cells), 10, 20).to_json();
        assert!(json.starts_with("{\"started_ns\":10,\"now_ns\":20,\"requests\":5,"), "{json}");
        assert!(json.ends_with("}}") && !json.contains(",}"), "{json}");
        for fault in Fault::ALL {
            assert_eq!(json.matches(&format!("\"{}\":", fault.name())).count(), 1, "{json}");
        }
        assert_eq!(json.matches("\":").count(), 2 + 3 + CELLS);
    }
}
