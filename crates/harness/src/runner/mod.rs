//! Blocks of cycles: start every variant, warm them, let them take turns, stop; look; go on or end.
//!
//! The order of everything is decided by the plan, which is on disk before the first start. What touches
//! the world is behind [`Bench`], so that the sequence is tested without servers and without waiting.

mod bench;
mod live;
pub mod record;

pub use bench::{Bench, BenchError, Loaded, Stretch};
pub use live::{LiveBench, LiveTerms};

use crate::study::Stand;
use proofload_stats::{Design, Judgement, Verdict};
use proofload_store::schema::{Plan, Slice, Status};
use proofload_store::{BlockWriter, RunWriter, StoreError};
use std::sync::atomic::{AtomicBool, Ordering};

/// Blocks that may be lost one after the other before the study is given up.
const LOST_IN_A_ROW_MAX: u32 = 2;

/// How often the warm-up changes from one variant to the next.
const WARM_UP_TURN_NS: u64 = 500_000_000;

/// Where a study stands; for the live view.
#[derive(Clone, Debug)]
pub enum Progress<'a> {
    /// A block begins.
    Block {
        /// Its number, from 1.
        block: u32,
        /// Blocks at the last look.
        of: u32,
    },
    /// A variant is being started.
    Starting {
        /// Its name.
        variant: &'a str,
    },
    /// The variants are warmed in turns.
    WarmUp {
        /// How much of it is done, 0 to 1.
        done: f64,
    },
    /// A slice is about to be measured.
    Slice {
        /// Cycle, from 1.
        cycle: u32,
        /// Cycles in a block.
        of: u32,
        /// Variant's name.
        variant: &'a str,
        /// Load point's label.
        point: &'a str,
    },
    /// A slice ended.
    Measured {
        /// Its record.
        slice: &'a Slice,
    },
    /// A block is over; the claims as they stand.
    Look {
        /// Complete blocks.
        blocks: u32,
        /// The judgement on them.
        judgement: &'a Judgement,
    },
    /// Something did not end as it should.
    Noticed {
        /// In which block.
        block: u32,
        /// What.
        what: &'a str,
    },
    /// A block was lost, and why.
    Lost {
        /// Its number.
        block: u32,
        /// What happened.
        why: &'a str,
    },
}

/// How a study ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// Every claim settled, or the last look taken.
    Finished,
    /// Stopped from outside; the block in progress does not count.
    Interrupted,
    /// A subject could not be started, or died twice in a row.
    Failed(String),
    /// The budget was used up before the last look.
    OutOfBudget,
}

impl Ending {
    /// As it stands in `status.json`.
    pub fn status(&self) -> Status {
        let (state, why) = match self {
            Ending::Finished => ("finished", String::new()),
            Ending::Interrupted => ("interrupted", "stopped by a signal".to_string()),
            Ending::Failed(why) => ("failed", why.clone()),
            Ending::OutOfBudget => ("finished", "the budget was used up before the last look".to_string()),
        };
        Status { state: state.to_string(), why, ..Status::default() }
    }
}

/// What a run has behind it when its runner begins; nothing for a new one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Behind {
    /// Highest number of a block that was begun.
    pub last_block: u32,
    /// Complete blocks.
    pub complete: u32,
    /// Time that the complete blocks took, of the budget.
    pub spent_ns: u64,
}

/// Looks at the claims after a block. Handed in, so that the judge is asked in one place only.
pub type Look<'a> = dyn FnMut(&std::path::Path) -> Result<Judgement, StoreError> + 'a;

/// A study on its way through its blocks.
pub struct Runner<'a, B: Bench> {
    /// The plan that is carried out.
    pub plan: &'a Plan,
    /// The looks that it has.
    pub design: &'a Design,
    /// What touches the world.
    pub bench: &'a mut B,
    /// Where everything is kept.
    pub record: &'a mut RunWriter,
    /// Judges what was recorded so far.
    pub look: &'a mut Look<'a>,
    /// Told of every step.
    pub progress: &'a mut dyn FnMut(Progress<'_>),
    /// Set from outside to end early.
    pub stop: &'a AtomicBool,
    /// What earlier sittings of the same run have done.
    pub behind: Behind,
}

/// How a block ended, if not well.
enum Lost {
    Interrupted,
    Start(String),
    Died(String),
    Store(StoreError),
}

impl From<StoreError> for Lost {
    fn from(error: StoreError) -> Self {
        Lost::Store(error)
    }
}

impl<B: Bench> Runner<'_, B> {
    /// Carries the plan out, block by block, until every claim is settled, the looks are used up, the budget is,
    /// or somebody says stop. Every finished slice is on disk when this returns, however it returns.
    ///
    /// # Errors
    /// Only when the record cannot be written; dead servers are an [`Ending`].
    pub fn run(&mut self) -> Result<Ending, StoreError> {
        let begun_ns = self.bench.now_ns();
        let last = self.design.looks.last().copied().unwrap_or(1);
        let Behind { last_block: mut number, mut complete, spent_ns: spent_before_ns } = self.behind;
        let mut lost_in_a_row = 0;
        let mut longest_ns = spent_before_ns / u64::from(complete.max(1));
        // The last sitting may have ended between a block and the look at it.
        if complete > 0 && complete < last && self.look_at(complete)? {
            return Ok(Ending::Finished);
        }
        while complete < last {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(Ending::Interrupted);
            }
            let block_begun_ns = self.bench.now_ns();
            let spent_ns = spent_before_ns + (block_begun_ns - begun_ns);
            if complete > 0 && spent_ns + longest_ns > self.plan.timing.budget_ns {
                return Ok(Ending::OutOfBudget);
            }
            number += 1;
            (self.progress)(Progress::Block { block: number, of: last });
            let ended = self.block(number);
            match ended {
                Ok(()) => {
                    complete += 1;
                    lost_in_a_row = 0;
                }
                Err(Lost::Store(error)) => return Err(error),
                Err(Lost::Interrupted) => return Ok(Ending::Interrupted),
                Err(Lost::Start(why)) => return Ok(Ending::Failed(why)),
                Err(Lost::Died(why)) => {
                    (self.progress)(Progress::Lost { block: number, why: &why });
                    self.record.note_lost(number)?;
                    lost_in_a_row += 1;
                    if lost_in_a_row >= LOST_IN_A_ROW_MAX {
                        return Ok(Ending::Failed(why));
                    }
                    continue;
                }
            }
            longest_ns = longest_ns.max(self.bench.now_ns() - block_begun_ns);
            if self.look_at(complete)? {
                break;
            }
        }
        Ok(Ending::Finished)
    }

    /// Judges what is on record; tells whether every claim is settled.
    fn look_at(&mut self, complete: u32) -> Result<bool, StoreError> {
        let judgement = (self.look)(self.record.path())?;
        (self.progress)(Progress::Look { blocks: complete, judgement: &judgement });
        Ok(judgement.settled)
    }

    /// One block: the variants are stopped whatever happens in between.
    fn block(&mut self, number: u32) -> Result<(), Lost> {
        let order = self.order_of(number);
        let started = self.start_all(number, order.first().map_or(&[][..], Vec::as_slice));
        let measured = started.and_then(|()| {
            let mut writer = self.record.begin_block(number)?;
            self.warm_up(number, &mut writer)?;
            self.cycles(number, &order, &mut writer)?;
            Ok(writer)
        });
        // What was measured before it stays valid; a server that does not end shows at the next start.
        for what in self.bench.stop_all() {
            (self.progress)(Progress::Noticed { block: number, what: &what });
        }
        let writer = measured?;
        writer.finish()?;
        Ok(())
    }

    /// The plan's order of this block. Blocks that replace lost ones, beyond the plan's last, begin it anew.
    fn order_of(&self, number: u32) -> Vec<Vec<usize>> {
        let planned = self.plan.order.len().max(1);
        self.plan.order.get((number as usize - 1) % planned).cloned().unwrap_or_default()
    }

    fn start_all(&mut self, number: u32, order: &[usize]) -> Result<(), Lost> {
        for &variant in order {
            self.check_stop()?;
            let name = self.plan.variants[variant].name.clone();
            (self.progress)(Progress::Starting { variant: &name });
            let log = self.record.log_path(number, &name);
            self.bench.start(variant, &log).map_err(|error| match error {
                BenchError::Interrupted => Lost::Interrupted,
                BenchError::Failed(why) => Lost::Start(format!("block {number}, start of {name}: {why}")),
            })?;
        }
        Ok(())
    }

    /// Loads the variants in short turns, so that all are equally old and have had the same share of load
    /// when the first slice begins.
    fn warm_up(&mut self, number: u32, writer: &mut BlockWriter) -> Result<(), Lost> {
        let total_ns = self.plan.timing.warm_up_ns;
        let begun_ns = self.bench.now_ns();
        let stretch = Stretch {
            stand: Stand::In,
            discard_ns: 0,
            measure_ns: WARM_UP_TURN_NS,
            drain_ns: self.plan.timing.drain_ns,
        };
        let variants = self.plan.variants.len();
        let points = self.plan.points.len().max(1);
        // Whole rounds only: every variant gets as many turns as every other.
        let mut round = 0;
        loop {
            let spent_ns = self.bench.now_ns() - begun_ns;
            (self.progress)(Progress::WarmUp { done: (spent_ns as f64 / total_ns.max(1) as f64).min(1.0) });
            if spent_ns >= total_ns {
                return Ok(());
            }
            for position in 0..variants {
                let variant = if round % 2 == 0 { position } else { variants - 1 - position };
                let at = Place {
                    block: number,
                    cycle: 0,
                    position: position as u32 + 1,
                    variant,
                    point: round % points,
                };
                self.slice(&at, stretch, writer)?;
            }
            round += 1;
        }
    }

    fn cycles(&mut self, number: u32, order: &[Vec<usize>], writer: &mut BlockWriter) -> Result<(), Lost> {
        for (cycle, turns) in order.iter().enumerate() {
            for point in 0..self.plan.points.len() {
                for (position, &variant) in turns.iter().enumerate() {
                    let at = Place {
                        block: number,
                        cycle: cycle as u32 + 1,
                        position: position as u32 + 1,
                        variant,
                        point,
                    };
                    (self.progress)(Progress::Slice {
                        cycle: at.cycle,
                        of: order.len() as u32,
                        variant: &self.plan.variants[variant].name,
                        point: &self.plan.points[point].label,
                    });
                    self.slice(&at, self.stretch_of(point), writer)?;
                }
            }
        }
        Ok(())
    }

    /// A slice of a load, or the whole of one that has a shape.
    fn stretch_of(&self, point: usize) -> Stretch {
        let (timing, load) = (&self.plan.timing, &self.plan.points[point]);
        let (discard_ns, measure_ns) = match load.whole {
            true => (0, load.length_ns),
            false => (timing.discard_ns, timing.slice_ns),
        };
        Stretch { stand: Stand::Itself, discard_ns, measure_ns, drain_ns: timing.drain_ns }
    }

    /// One slice: wait until the others are quiet, load, record, see that the server still lives.
    fn slice(&mut self, at: &Place, stretch: Stretch, writer: &mut BlockWriter) -> Result<(), Lost> {
        self.check_stop()?;
        let marks = if at.cycle > 0 { self.bench.wait_quiet(at.variant) } else { Vec::new() };
        let seed = slice_seed(self.plan.seed, at);
        let loaded = self.bench.load(at.variant, at.point, stretch, seed).map_err(|error| match error {
            BenchError::Interrupted => Lost::Interrupted,
            BenchError::Failed(why) => Lost::Died(self.place_text(at, &why)),
        })?;
        if loaded.results.iter().any(|result| result.stopped_early) {
            self.check_stop()?;
            let why = "the load did not come to its count in the time that it may take; raise its cap";
            return Err(Lost::Died(self.place_text(at, why)));
        }
        for slice in record::slices(self.plan, at, &loaded, &marks) {
            writer.append(&slice)?;
            (self.progress)(Progress::Measured { slice: &slice });
        }
        self.bench.alive(at.variant).map_err(|why| Lost::Died(self.place_text(at, &why)))
    }

    fn place_text(&self, at: &Place, why: &str) -> String {
        let variant = &self.plan.variants[at.variant].name;
        match at.cycle {
            0 => format!("block {}, warm-up, {variant}: {why}", at.block),
            cycle => format!("block {}, cycle {cycle}, {variant}: {why}", at.block),
        }
    }

    fn check_stop(&self) -> Result<(), Lost> {
        if self.stop.load(Ordering::Relaxed) { Err(Lost::Interrupted) } else { Ok(()) }
    }
}

/// Where in the plan a slice stands. Cycle 0 is the warm-up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    block: u32,
    cycle: u32,
    position: u32,
    variant: usize,
    point: usize,
}

/// The same arrivals for every variant of a cycle: they are paired, and should differ in nothing but the variant.
fn slice_seed(seed: u64, at: &Place) -> u64 {
    let place = (u64::from(at.block) << 40) | (u64::from(at.cycle) << 20) | at.point as u64;
    seed ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Whether every claim of a judgement is supported.
pub fn all_supported(judgement: &Judgement) -> bool {
    judgement.claims.iter().all(|claim| claim.verdict == Verdict::Supported)
}

#[cfg(test)]
mod tests;
