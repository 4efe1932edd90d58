//! Faults that are injected on purpose, and the outcome of each at a truthful client.
//!
//! | fault | on the wire | outcome at the client |
//! | --- | --- | --- |
//! | `reset_before` | the whole request is read, then RST | `reset_fresh` or `reset_reused` |
//! | `reset_within` | at least one byte and not all of the answer, then RST | `reset_fresh` or `reset_reused` |
//! | `reset_after` | a whole answer that announces the close; 20 ms after the client's kernel has it all, RST | `answered` |
//! | `short_body` | an answer with fewer body bytes than it announces, then FIN | `closed_early` |
//! | `surplus` | a whole answer and unrequested bytes behind it | `answered` (the connection is of no use any more) |
//! | `status_500` | a whole answer with status 500 | `rejected` |
//! | `drip` | a whole answer, its first 64 bytes one by one | `answered` |
//! | `silence` | nothing, ever; the client must hang up | `timeout` |
//!
//! The outcome is certain because resets wait until the request is read whole, so the client's send cannot fail
//! instead. A reset is *fresh* on the first request of a connection, *reused* later: both sides can count that.
//! `reset_after` announces `Connection: close`, so that no next request can be on its way when the reset comes; and
//! Linux lets the receiver read what arrived before the reset. `surplus` leaves in one piece with its answer, and where
//! the answer is too long for that it announces the close, so that the surplus cannot be taken for the answer to a next
//! request. For `HEAD`, which has no body to shorten, `short_body` cuts the head.

use crate::ReferenceError;
use crate::dice::Dice;
use crate::parse::{Text, drawn, duration, probability};
use proofload_language::tr;
use proofload_measure::Outcome;

/// One way of treating a request badly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Fault {
    /// Reset after the request, before any byte of the answer.
    ResetBefore,
    /// Reset within the answer: in its head or its body.
    ResetWithin,
    /// Reset after the whole answer.
    ResetAfter,
    /// A body shorter than announced, then FIN.
    ShortBody,
    /// Bytes after the end of the answer.
    Surplus,
    /// Status 500.
    Status500,
    /// The answer's beginning byte by byte.
    Drip,
    Silence,
}

impl Fault {
    /// Every fault, in the order of the counts.
    pub const ALL: [Fault; 8] = [
        Fault::ResetBefore,
        Fault::ResetWithin,
        Fault::ResetAfter,
        Fault::ShortBody,
        Fault::Surplus,
        Fault::Status500,
        Fault::Drip,
        Fault::Silence,
    ];

    /// The name used in flags and counts.
    pub const fn name(self) -> &'static str {
        match self {
            Fault::ResetBefore => "reset_before",
            Fault::ResetWithin => "reset_within",
            Fault::ResetAfter => "reset_after",
            Fault::ShortBody => "short_body",
            Fault::Surplus => "surplus",
            Fault::Status500 => "status_500",
            Fault::Drip => "drip",
            Fault::Silence => "silence",
        }
    }

    /// Outcome of the exchange at a client that waits long enough (for `silence`: not for ever). `reused` is true if
    /// the connection carried an exchange before this one.
    pub const fn expected_outcome(self, reused: bool) -> Outcome {
        match self {
            Fault::ResetBefore | Fault::ResetWithin if reused => Outcome::ResetReused,
            Fault::ResetBefore | Fault::ResetWithin => Outcome::ResetFresh,
            Fault::ResetAfter | Fault::Surplus | Fault::Drip => Outcome::Answered,
            Fault::ShortBody => Outcome::ClosedEarly,
            Fault::Status500 => Outcome::Rejected,
            Fault::Silence => Outcome::Timeout,
        }
    }
}

/// Probability of each fault; at most one is injected per request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Faults {
    probability: [f64; Fault::ALL.len()],
    /// Time between two bytes of a `drip`, in nanoseconds.
    pub drip_every_ns: u64,
}

/// Time between two bytes of a `drip` unless `drip_every` is given: with 64 bytes one by one, such an answer takes 63
/// ms, far beyond an ordinary one and far below any sensible time-out.
const DRIP_EVERY_NS: u64 = 1_000_000;

impl Faults {
    pub const NONE: Faults = Faults { probability: [0.0; Fault::ALL.len()], drip_every_ns: DRIP_EVERY_NS };

    /// Reads a list such as `reset_before=0.01,status_500=1%,drip=0.001,drip_every=2ms`, or `none`. The name
    /// `wrong_length` means `short_body` and `surplus` at half its probability each.
    ///
    /// # Errors
    /// [`ReferenceError::BadValue`] if a name is unknown or given twice, a probability is not one, or all of them
    /// together exceed 1.
    pub fn parse(text: &str) -> Result<Self, ReferenceError> {
        let value = Text { what: tr!("value-faults"), text, expected: tr!("expected-faults") };
        let mut faults = Faults::NONE;
        for (name, given) in value.pairs()? {
            match name {
                "drip_every" => {
                    faults.drip_every_ns = duration("drip_every", given)?;
                    if !(1_000..=1_000_000_000).contains(&faults.drip_every_ns) {
                        return Err(value.refuse(tr!("wrong-drip-every")));
                    }
                }
                "wrong_length" => {
                    let half = probability(value.what, given)? / 2.0;
                    faults.probability[Fault::ShortBody as usize] += half;
                    faults.probability[Fault::Surplus as usize] += half;
                }
                _ => {
                    let fault = value.place_of(name, Fault::ALL.into_iter().map(Fault::name))?;
                    faults.probability[fault] += probability(value.what, given)?;
                }
            }
        }
        value.check_sum(&faults.probability)?;
        Ok(faults)
    }

    /// These faults, with `probability` (0 to 1) added to that of one of them.
    #[must_use]
    pub fn with(mut self, fault: Fault, probability: f64) -> Self {
        self.probability[fault as usize] += probability;
        self
    }

    /// Probability of this fault, 0 to 1.
    pub fn probability(&self, fault: Fault) -> f64 {
        self.probability[fault as usize]
    }

    /// True if no fault is ever injected.
    pub fn is_none(&self) -> bool {
        self.probability.iter().all(|&p| p == 0.0)
    }

    pub fn draw(&self, dice: &mut Dice) -> Option<Fault> {
        drawn(&self.probability, dice.unit()).map(|at| Fault::ALL[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_drawn_as_often_as_they_were_asked_for() {
        let faults = Faults::parse("reset_before=0.01,wrong_length=4%,status_500=0.1,silence=0.005").unwrap();
        let n = 200_000u64;
        let mut seen = [0u64; Fault::ALL.len()];
        for request in 0..n {
            if let Some(fault) = faults.draw(&mut Dice::for_request(5, 1, request)) {
                seen[fault as usize] += 1;
            }
        }
        for fault in Fault::ALL {
            let p = faults.probability(fault);
            let sigma = (n as f64 * p * (1.0 - p)).sqrt();
            let off = (seen[fault as usize] as f64 - n as f64 * p).abs();
            assert!(off <= 4.0 * sigma, "{}: {} of {n}", fault.name(), seen[fault as usize]);
        }
        assert_eq!(faults.probability(Fault::ShortBody), 0.02);
        assert_eq!(faults.probability(Fault::Surplus), 0.02);
    }

    #[test]
    fn a_fault_of_probability_one_never_fails_to_come() {
        let faults = Faults::parse("drip=1,drip_every=5ms").unwrap();
        assert_eq!(faults.drip_every_ns, 5_000_000);
        assert!((0..10_000).all(|r| faults.draw(&mut Dice::for_request(5, 1, r)) == Some(Fault::Drip)));
        assert!((0..10_000).all(|r| Faults::NONE.draw(&mut Dice::for_request(5, 1, r)).is_none()));
    }

    #[test]
    fn lists_that_mean_nothing_are_refused() {
        let bad = [
            "",
            "reset",
            "reset=0.1",
            "drip=2",
            "drip=0.1,drip=0.1",
            "drip=0.6,silence=0.6",
            "drip=",
            "drip=0.1,",
            "drip_every=0",
            "drip_every=2s",
        ];
        for text in bad {
            assert!(Faults::parse(text).is_err(), "{text}");
        }
        assert!(Faults::parse("none").unwrap().is_none());
    }

    #[test]
    fn only_resets_depend_on_whether_the_connection_was_used_before() {
        for fault in Fault::ALL {
            let differs = fault.expected_outcome(true) != fault.expected_outcome(false);
            assert_eq!(differs, matches!(fault, Fault::ResetBefore | Fault::ResetWithin), "{}", fault.name());
        }
    }
}
