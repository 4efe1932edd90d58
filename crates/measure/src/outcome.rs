//! The closed list of ways in which an exchange can end.

use serde::{Deserialize, Serialize};

/// Outcome of an exchange. Every intended exchange ends in exactly one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
#[repr(u8)]
pub enum Outcome {
    /// A whole answer that met what was expected of it.
    Answered,
    /// Intended, and never handed to a connection before the load ended.
    Unsent,
    /// The peer refused the connection (`ECONNREFUSED`).
    ConnectRefused,
    /// The connection was not established within the connect time-out.
    ConnectTimeout,
    /// The connection could not be established for another reason.
    ConnectFailed,
    /// This machine ran out of ports, descriptors or memory for sockets.
    LocalExhausted,
    /// The request could not be handed to the kernel whole, and no reset explains it.
    SendFailed,
    /// The peer reset the connection on the first exchange that it carried.
    ResetFresh,
    /// The peer reset a connection that had carried an exchange before.
    ResetReused,
    /// The peer closed the connection before the answer was whole.
    ClosedEarly,
    /// No whole answer within the response time-out.
    Timeout,
    /// The bytes broke the protocol.
    Malformed,
    /// A well-formed answer that refuses the request: a status other than the expected one, or outside 200 to 399.
    Rejected,
    /// A well-formed answer whose content does not match `expect`.
    Mismatch,
    /// A good answer without a value that the user needs for his next steps.
    NotCaptured,
    /// Sent, and without a whole answer when the load had ended and the time to drain was over.
    Unanswered,
    /// The answer is longer, or deeper nested, than Proofload reads, or leads to one server more than it goes to: its own
    /// limit, and no fault of the server.
    BeyondLimit,
    /// A fault on Proofload's side.
    Internal,
}

impl Outcome {
    /// Every outcome, in the order of the counts in a record.
    pub const ALL: [Outcome; 18] = [
        Outcome::Answered,
        Outcome::Unsent,
        Outcome::ConnectRefused,
        Outcome::ConnectTimeout,
        Outcome::ConnectFailed,
        Outcome::LocalExhausted,
        Outcome::SendFailed,
        Outcome::ResetFresh,
        Outcome::ResetReused,
        Outcome::ClosedEarly,
        Outcome::Timeout,
        Outcome::Malformed,
        Outcome::Rejected,
        Outcome::Mismatch,
        Outcome::NotCaptured,
        Outcome::Unanswered,
        Outcome::BeyondLimit,
        Outcome::Internal,
    ];

    /// The name used in records, reports and schemas.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Answered => "answered",
            Outcome::Unsent => "unsent",
            Outcome::ConnectRefused => "connect_refused",
            Outcome::ConnectTimeout => "connect_timeout",
            Outcome::ConnectFailed => "connect_failed",
            Outcome::LocalExhausted => "local_exhausted",
            Outcome::SendFailed => "send_failed",
            Outcome::ResetFresh => "reset_fresh",
            Outcome::ResetReused => "reset_reused",
            Outcome::ClosedEarly => "closed_early",
            Outcome::Timeout => "timeout",
            Outcome::Malformed => "malformed",
            Outcome::Rejected => "rejected",
            Outcome::Mismatch => "mismatch",
            Outcome::NotCaptured => "not_captured",
            Outcome::Unanswered => "unanswered",
            Outcome::BeyondLimit => "beyond_limit",
            Outcome::Internal => "internal",
        }
    }

    /// The outcome of that name, as [`Outcome::name`] writes it, or wrote it once.
    pub fn from_name(name: &str) -> Option<Outcome> {
        match name {
            "abandoned" => Some(Outcome::Unanswered),
            name => Outcome::ALL.into_iter().find(|outcome| outcome.name() == name),
        }
    }

    /// True if the exchange was begun: all but `unsent`.
    pub const fn is_finished(self) -> bool {
        !matches!(self, Outcome::Unsent)
    }

    /// True if the exchange was begun and not answered as it should be.
    pub const fn is_error(self) -> bool {
        self.is_finished() && !matches!(self, Outcome::Answered)
    }

    /// True for an error of Proofload or its machine, which tells nothing about the server.
    pub const fn is_own(self) -> bool {
        matches!(self, Outcome::LocalExhausted | Outcome::BeyondLimit | Outcome::Internal)
    }

    /// True if it had no end, so that its response time is only known to be longer than the time that was waited for
    /// it.
    pub const fn is_unended(self) -> bool {
        matches!(self, Outcome::Unsent | Outcome::Timeout | Outcome::Unanswered)
    }
}

/// Number of exchanges that ended in each [`Outcome`]. Counts are read from records too, where they may be anything:
/// sums end at the largest number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct OutcomeCounts([u64; Outcome::ALL.len()]);

impl OutcomeCounts {
    pub fn add(&mut self, outcome: Outcome) {
        self.add_many(outcome, 1);
    }

    /// Counts `n` more exchanges of one outcome.
    pub fn add_many(&mut self, outcome: Outcome, n: u64) {
        let count = &mut self.0[outcome as usize];
        *count = count.saturating_add(n);
    }

    /// The count of one outcome.
    pub fn get(&self, outcome: Outcome) -> u64 {
        self.0[outcome as usize]
    }

    /// Every outcome with its count, zero counts included.
    pub fn iter(&self) -> impl Iterator<Item = (Outcome, u64)> + '_ {
        Outcome::ALL.into_iter().map(|outcome| (outcome, self.get(outcome)))
    }

    /// All exchanges, whatever became of them.
    pub fn total(&self) -> u64 {
        self.0.iter().fold(0, |sum: u64, n| sum.saturating_add(*n))
    }

    pub fn finished(&self) -> u64 {
        self.sum(Outcome::is_finished)
    }

    /// Exchanges that were begun and not answered as they should be.
    pub fn errors(&self) -> u64 {
        self.sum(Outcome::is_error)
    }

    /// Errors that Proofload made itself: see [`Outcome::is_own`].
    pub fn own_errors(&self) -> u64 {
        self.sum(Outcome::is_own)
    }

    /// Exchanges that had no end: see [`Outcome::is_unended`].
    pub fn unended(&self) -> u64 {
        self.sum(Outcome::is_unended)
    }

    fn sum(&self, of: impl Fn(Outcome) -> bool) -> u64 {
        self.iter().filter(|(outcome, _)| of(*outcome)).fold(0, |sum, (_, n)| sum.saturating_add(n))
    }

    /// Errors among those that were begun, 0 to 1; `None` when none was.
    pub fn error_share(&self) -> Option<f64> {
        let finished = self.finished();
        (finished > 0).then(|| self.errors() as f64 / finished as f64)
    }

    /// Adds the counts of another share of the same load.
    pub fn merge(&mut self, other: &OutcomeCounts) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine = mine.saturating_add(theirs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_its_outcome() {
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::from_name(outcome.name()), Some(outcome));
        }
        assert_eq!(Outcome::from_name("ok"), None);
        assert_eq!(Outcome::from_name("abandoned"), Some(Outcome::Unanswered), "the name of older records");
    }

    #[test]
    fn what_was_never_answered_is_an_error_and_what_was_never_sent_is_not() {
        let mut counts = OutcomeCounts::default();
        assert_eq!(counts.error_share(), None);
        counts.add_many(Outcome::Unsent, 5);
        assert_eq!((counts.finished(), counts.errors(), counts.error_share()), (0, 0, None));
        counts.add_many(Outcome::Unanswered, 2);
        assert_eq!((counts.finished(), counts.errors(), counts.total()), (2, 2, 7));
        counts.add_many(Outcome::Answered, 5);
        counts.add(Outcome::Rejected);
        counts.add(Outcome::Timeout);
        assert_eq!(counts.error_share(), Some(4.0 / 9.0));
        assert_eq!(counts.unended(), 8, "neither answered nor refused");
    }
}
