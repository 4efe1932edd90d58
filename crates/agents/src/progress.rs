//! How far a load is at one agent.

use crate::losses::Told;
use proofload_engine::{ShareResult, ShareSink};

/// What a load has come to at one agent.
pub(crate) struct Progress {
    pub telling: Option<ShareSink>,
    /// What it handed over in the end; nothing where it failed, or was lost.
    pub ended: Option<Vec<ShareResult>>,
    /// What it told of each load.
    pub told: Vec<Told>,
    pub is_lost: bool,
    /// It was lost before the load.
    pub is_absent: bool,
}

impl Progress {
    pub fn of(loads: usize, telling: ShareSink, is_absent: bool) -> Progress {
        let told = (0..loads).map(|_| Told::default()).collect();
        Progress { telling: Some(telling), ended: None, told, is_lost: false, is_absent }
    }

    /// Nobody carries out what is left of its share. What it handed over before is whole.
    pub fn lose(&mut self) {
        self.is_lost |= self.ended.is_none();
        self.ended.get_or_insert_default();
    }
}
