//! What is known of a run while it goes on. What is on record counts as the record has it; a slice that goes on counts with
//! its seconds so far, and is replaced by its record when that exists, which comes to the same.

use crate::metrics::doing::Doing;
use crate::metrics::load::{Latest, Load, Second};
use crate::metrics::subject::{Held, Used};
use proofload_measure::Snapshot;
use proofload_stats::{Claim, Estimate, Judgement, Verdict};
use proofload_store::schema::{Phase, Plan, Slice, SubjectUse};
use std::collections::BTreeMap;

/// A variant at a load point, in a phase.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub variant: String,
    pub point: String,
    pub phase: String,
}

/// A slice that goes on.
#[derive(Clone, Debug)]
struct Open {
    place: Place,
    /// By the number of the stream.
    streams: BTreeMap<usize, Load>,
    used: Option<Used>,
}

/// A claim as it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClaimState {
    pub name: String,
    pub verdict: Verdict,
    pub settled: bool,
    pub estimate: Option<Estimate>,
    pub blocks: u32,
}

/// A run while it goes on.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub(crate) study: String,
    pub(crate) preset: String,
    pub(crate) seed: u64,
    pub(crate) doing: Doing,
    /// Of the slices that are measured now, as the record will have it.
    phase: Phase,
    pub(crate) progress: Option<f64>,
    /// The present block, the last one, and how many are complete.
    pub(crate) block: Option<(u32, u32)>,
    pub(crate) complete: u32,
    pub(crate) disturbed: u64,
    pub(crate) cycle: Option<(u32, u32)>,
    pub(crate) lost: BTreeMap<String, u64>,
    pub(crate) claims: Vec<ClaimState>,
    streams: Vec<String>,
    on_record: BTreeMap<(Place, String), Load>,
    used: BTreeMap<Place, Used>,
    pub(crate) held: BTreeMap<(String, String), Held>,
    pub(crate) latest: BTreeMap<(String, String, String), Latest>,
    open: Vec<Open>,
    pub(crate) version: u64,
}

impl State {
    /// A study of that name is prepared.
    pub fn prepares(&mut self, study: &str) {
        self.study = study.to_string();
        self.does(Doing::Preparing);
    }

    /// The plan is made, and the claims are known.
    pub fn begun(&mut self, plan: &Plan, claims: &[Claim], complete: u32) {
        self.study.clone_from(&plan.study);
        self.preset = plan.preset.name().to_string();
        self.seed = plan.seed;
        self.streams.clone_from(&plan.streams);
        self.complete = complete;
        let claim = |claim: &Claim| ClaimState {
            name: claim.name.clone(),
            verdict: Verdict::Undecided,
            settled: false,
            estimate: None,
            blocks: 0,
        };
        self.claims = claims.iter().map(claim).collect();
        self.version += 1;
    }

    /// One endpoint is about to be measured, without a study.
    pub fn begun_alone(&mut self, name: &str, point: &str, seed: u64) {
        self.seed = seed;
        self.does(Doing::Measuring);
        self.begins(name, point);
    }

    pub fn does(&mut self, doing: Doing) {
        self.doing = doing;
        self.version += 1;
        match doing {
            Doing::Starting | Doing::WarmingUp => self.enter_phase(Phase::WarmUp),
            Doing::Measuring => self.enter_phase(Phase::Measure),
            _ => {}
        }
    }

    /// Slices beside the figures are about to be measured, which have that phase on record.
    pub fn checks(&mut self, phase: Phase) {
        self.does(Doing::Checking);
        self.enter_phase(phase);
    }

    /// What is not on record when the next phase begins never will be: of slices beside the figures all are kept, or none.
    fn enter_phase(&mut self, phase: Phase) {
        self.open.retain(|open| open.place.phase == phase.name());
        self.phase = phase;
    }

    /// It is over; how is said once, and what is said later does not count.
    pub fn ends(&mut self, doing: Doing) {
        if !self.doing.is_over() {
            self.open.clear();
            self.does(doing);
        }
    }

    /// A block begins. A slice that never came on record is forgotten.
    pub fn block(&mut self, block: u32, of: u32) {
        self.block = Some((block, of));
        self.cycle = None;
        self.open.clear();
        self.does(Doing::Starting);
    }

    /// A slice of this cycle is about to be measured.
    pub fn cycle(&mut self, cycle: u32, of: u32) {
        self.cycle = Some((cycle, of));
        self.does(Doing::Measuring);
    }

    /// How much of the time is over, 0 to 1.
    pub fn progress(&mut self, share: f64) {
        self.progress = Some(share);
    }

    /// A variant did not get through a block.
    pub fn lost(&mut self, variant: &str) {
        *self.lost.entry(variant.to_string()).or_default() += 1;
        self.version += 1;
    }

    /// The machine disturbed a block.
    pub fn disturbed(&mut self) {
        self.disturbed += 1;
        self.version += 1;
    }

    /// So many blocks are complete, and the claims were judged on them.
    pub fn look(&mut self, blocks: u32, judgement: &Judgement) {
        self.complete = blocks;
        self.open.clear();
        for (claim, judged) in self.claims.iter_mut().zip(&judgement.claims) {
            (claim.verdict, claim.settled) = (judged.verdict, judged.settled);
            (claim.estimate, claim.blocks) = (judged.estimate, judged.blocks);
        }
        self.version += 1;
    }

    pub fn begins(&mut self, variant: &str, point: &str) {
        let phase = self.phase.name().to_string();
        let place = Place { variant: variant.to_string(), point: point.to_string(), phase };
        self.open.push(Open { place, streams: BTreeMap::new(), used: None });
        self.version += 1;
    }

    /// A second of the load that goes on is over.
    pub fn second(&mut self, stream: usize, seen: &Snapshot) {
        self.enter_second(stream, &Second::of(seen));
    }

    /// Enters what is exported of it.
    pub(crate) fn enter_second(&mut self, stream: usize, second: &Second) {
        let name = self.streams.get(stream).cloned().unwrap_or_default();
        let Some(open) = self.open.last_mut() else { return };
        open.streams.entry(stream).or_default().add(&second.load);
        let of = (open.place.variant.clone(), open.place.point.clone(), name);
        self.latest.entry(of).or_default().take_second(&second.latest);
        self.version += 1;
    }

    /// What the subject used of the window that goes on, and what it holds.
    pub fn used(&mut self, used: &SubjectUse) {
        let Some(open) = self.open.last_mut() else { return };
        self.held.entry((open.place.variant.clone(), open.place.point.clone())).or_default().take(used);
        open.used = Some(Used::of(used));
        self.version += 1;
    }

    /// A slice is on record.
    pub fn slice(&mut self, slice: &Slice) {
        let measured = &slice.measured;
        let place = Place {
            variant: measured.variant.clone(),
            point: measured.point.clone(),
            phase: slice.phase.name().to_string(),
        };
        let shown = self.close(&place, &measured.stream);
        let key = (place.clone(), measured.stream.clone());
        self.on_record.entry(key).or_default().add_slice(slice);
        let of = (measured.variant.clone(), measured.point.clone(), measured.stream.clone());
        self.latest.insert(of, Latest::of_slice(slice));
        if let Some(used) = &measured.subject {
            self.held.entry((measured.variant.clone(), measured.point.clone())).or_default().take(used);
            self.used.entry(place).or_default().add(&Used::of(used).at_least(shown.as_ref()));
        }
        self.version += 1;
    }

    /// Takes a stream of the oldest slice of that place away, for it is on record. What the subject was said to have used in it.
    fn close(&mut self, place: &Place, stream: &str) -> Option<Used> {
        let number = self.streams.iter().position(|name| name == stream).unwrap_or(0);
        let at = self.open.iter().position(|open| open.place == *place)?;
        let open = &mut self.open[at];
        open.streams.remove(&number);
        let used = open.used.take();
        if open.streams.is_empty() {
            self.open.remove(at);
        }
        used
    }

    /// Every load with what it came to so far, by place and stream.
    pub(crate) fn loads(&self) -> BTreeMap<(Place, String), Load> {
        let mut loads = self.on_record.clone();
        for open in &self.open {
            for (stream, load) in &open.streams {
                let name = self.streams.get(*stream).cloned().unwrap_or_default();
                loads.entry((open.place.clone(), name)).or_default().add(load);
            }
        }
        loads
    }

    /// What every subject used so far.
    pub(crate) fn used_so_far(&self) -> BTreeMap<Place, Used> {
        let mut all = self.used.clone();
        for open in &self.open {
            if let Some(used) = &open.used {
                all.entry(open.place.clone()).or_default().add(used);
            }
        }
        all
    }
}
