//! State of a run while it goes on. Slices on record count as recorded; a slice that goes on counts with its seconds so
//! far, and is replaced by its record when that exists, with the same totals.

use crate::metrics::load::{OF_SECONDS, Second, counts_of, latest_of, of_subject};
use crate::metrics::sheet::Sheet;
use proofload_measure::Snapshot;
use proofload_stats::{Claim, Estimate, Judgement, Verdict};
use proofload_store::schema::{Phase, Plan, Slice, SubjectUse};
use std::collections::BTreeMap;

macro_rules! doings {
    ($($(#[$about:meta])* $doing:ident $name:literal;)+) => {
        /// Present activity of a run.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum Doing {
            $($(#[$about])* $doing,)+
        }

        impl Doing {
            /// Everything that may be done, by name.
            pub(crate) const ALL: [(Doing, &'static str); [$($name),+].len()] = [$((Doing::$doing, $name)),+];
        }
    };
}

doings! {
    #[default]
    Preparing "preparing";
    Starting "starting";
    WarmingUp "warm-up";
    /// A slice is measured, or about to be.
    Measuring "measuring";
    /// Slices beside the figures, which check the generator.
    Checking "checking";
    /// It is over, and whole.
    Finished "finished";
    Interrupted "interrupted";
    Failed "failed";
}

impl Doing {
    /// True if nothing comes after it.
    pub const fn is_over(self) -> bool {
        matches!(self, Doing::Finished | Doing::Interrupted | Doing::Failed)
    }
}

/// A slice that goes on.
#[derive(Clone, Debug)]
struct Open {
    variant: String,
    point: String,
    phase: String,
    /// Counters so far, by the number of the stream.
    streams: BTreeMap<usize, Sheet>,
    used: Option<Sheet>,
}

/// Sheets by the first labels of their metrics.
type Sheets = BTreeMap<Vec<String>, Sheet>;

fn sheet<'a, const N: usize>(sheets: &'a mut Sheets, labels: [&str; N]) -> &'a mut Sheet {
    sheets.entry(labels.map(str::to_string).to_vec()).or_default()
}

/// A claim in its present state.
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
    /// Counters of the slices on record: of loads by variant, point, stream and phase, of subjects by variant, point
    /// and phase.
    on_record: Sheets,
    /// Latest gauges: of loads by variant, point and stream, of subjects by variant and point.
    pub(crate) latest: Sheets,
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

    /// Drops slices of other phases: a slice that is not on record when the next phase begins never will be. Of slices
    /// beside the figures all are kept, or none.
    fn enter_phase(&mut self, phase: Phase) {
        self.open.retain(|open| open.phase == phase.name());
        self.phase = phase;
    }

    /// The run is over; the first ending reported counts, and later ones are ignored.
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

    /// Share of the time that is over, 0 to 1.
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

    /// Enters a look: `blocks` blocks are complete, and the claims were judged on them.
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
        let (variant, point, phase) = (variant.to_string(), point.to_string(), self.phase.name().to_string());
        self.open.push(Open { variant, point, phase, streams: BTreeMap::new(), used: None });
        self.version += 1;
    }

    /// A second of the load that goes on is over.
    pub fn second(&mut self, stream: usize, seen: &Snapshot) {
        self.enter_second(stream, Second::of(seen));
    }

    /// Enters what is exported of it.
    pub(crate) fn enter_second(&mut self, stream: usize, second: Second) {
        let name = self.streams.get(stream).map_or("", String::as_str);
        let Some(open) = self.open.last_mut() else { return };
        open.streams.entry(stream).or_default().add(&second.counts);
        let latest = sheet(&mut self.latest, [&open.variant, &open.point, name]);
        latest.remove(&OF_SECONDS);
        latest.take(second.latest);
        self.version += 1;
    }

    /// The subject's use of the window that goes on, and what it holds.
    pub fn used(&mut self, used: &SubjectUse) {
        let Some(open) = self.open.last_mut() else { return };
        let [used, held] = of_subject(used);
        sheet(&mut self.latest, [&open.variant, &open.point]).take(held);
        open.used = Some(used);
        self.version += 1;
    }

    /// A slice is on record.
    pub fn slice(&mut self, slice: &Slice) {
        let measured = &slice.measured;
        let (variant, point, stream) = (&*measured.variant, &*measured.point, &*measured.stream);
        let phase = slice.phase.name();
        let shown = self.close(variant, point, phase, stream);
        sheet(&mut self.on_record, [variant, point, stream, phase]).add(&counts_of(slice));
        *sheet(&mut self.latest, [variant, point, stream]) = latest_of(slice);
        if let Some(used) = &measured.subject {
            let [mut used, held] = of_subject(used);
            sheet(&mut self.latest, [variant, point]).take(held);
            // CPU time is scaled to its window when it comes on record, which may be less than a sample of a moment before.
            shown.iter().for_each(|shown| used.at_least(shown));
            sheet(&mut self.on_record, [variant, point, phase]).add(&used);
        }
        self.version += 1;
    }

    /// Takes a stream of the oldest slice of that place away, for it is on record. Returns the subject's use that was
    /// reported in it.
    fn close(&mut self, variant: &str, point: &str, phase: &str, stream: &str) -> Option<Sheet> {
        let number = self.streams.iter().position(|name| name == stream).unwrap_or(0);
        let is_it = |open: &Open| open.variant == variant && open.point == point && open.phase == phase;
        let at = self.open.iter().position(is_it)?;
        let open = &mut self.open[at];
        open.streams.remove(&number);
        let used = open.used.take();
        if open.streams.is_empty() {
            self.open.remove(at);
        }
        used
    }

    /// Everything that adds up, with what goes on.
    pub(crate) fn so_far(&self) -> Sheets {
        let mut sums = self.on_record.clone();
        for Open { variant, point, phase, streams, used } in &self.open {
            for (stream, counts) in streams {
                let stream = self.streams.get(*stream).map_or("", String::as_str);
                sheet(&mut sums, [variant, point, stream, phase]).add(counts);
            }
            used.iter().for_each(|used| sheet(&mut sums, [variant, point, phase]).add(used));
        }
        sums
    }
}
