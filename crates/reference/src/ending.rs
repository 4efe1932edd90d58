//! How connections and exchanges end.

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

/// What the client will have made of the request in hand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ending {
    pub fault: Option<Fault>,
    pub outcome: Outcome,
    pub refused: bool,
}

impl Ending {
    /// Whether the last byte makes it; otherwise it is the reset or the FIN after it.
    pub fn is_answer(&self) -> bool {
        !matches!(self.fault, Some(Fault::ResetBefore | Fault::ResetWithin | Fault::ShortBody))
    }
}
