//! How far a load is at one agent.

use crate::losses::Told;

/// What a load has come to at one agent. None of it grows while the load goes on.
pub(crate) struct Progress {
    /// It handed over what it did, failed, or was lost.
    pub has_ended: bool,
    /// What it told of each load.
    pub told: Vec<Told>,
    pub is_lost: bool,
    /// It was lost before the load.
    pub is_absent: bool,
}

impl Progress {
    pub fn of(loads: usize, is_absent: bool) -> Progress {
        let told = vec![Told::default(); loads];
        Progress { has_ended: is_absent, told, is_lost: is_absent, is_absent }
    }

    /// Nobody carries out what is left of its share. What it handed over before is whole.
    pub fn lose(&mut self) {
        self.is_lost |= !self.has_ended;
        self.has_ended = true;
    }
}
