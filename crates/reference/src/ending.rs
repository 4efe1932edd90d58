//! Ends of connections and exchanges.

use crate::Fault;
use proofload_measure::Outcome;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gone {
    /// The client's FIN came first.
    ClientFin,
    ClientReset,
    ServerReset,
    ServerFin,
}

/// Outcome of the request in hand at its client.
#[derive(Clone, Copy, Debug)]
pub struct Ending {
    pub fault: Option<Fault>,
    pub outcome: Outcome,
    pub refused: bool,
}

impl Ending {
    /// The ending of a request of a connection that carried an exchange before it, or did not.
    pub fn of(fault: Option<Fault>, refused: bool, reused: bool) -> Ending {
        let ordinary = if refused { Outcome::Rejected } else { Outcome::Answered };
        // A fault in an answer that is a refusal already: whole answers stay refusals.
        let outcome = match fault.map(|fault| fault.expected_outcome(reused)) {
            None | Some(Outcome::Answered) => ordinary,
            Some(outcome) => outcome,
        };
        Ending { fault, outcome, refused }
    }

    /// True if the last byte of the answer ends the exchange; otherwise the reset or the FIN after it does.
    pub fn is_answer(&self) -> bool {
        !matches!(self.fault, Some(Fault::ResetBefore | Fault::ResetWithin | Fault::ShortBody))
    }
}
