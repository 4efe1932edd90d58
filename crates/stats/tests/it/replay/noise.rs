//! Synthetic studies: what blocks of cycles yield when the machine drifts, starts differ and some slices are
//! spoilt. Nothing here is known to the judge.
//!
//! The logarithm of a slice's throughput is the sum of the variant's effect, the effect of this start, the
//! machine's state at that moment (AR(1), shared by all variants, carried on from block to block), its own
//! noise, and now and then a spike downwards (Pareto, heavy tailed).

use proofload_stats::rng::Rng;
use proofload_stats::{Cell, Measure, Observations, Replication};

/// Noise of a synthetic machine; standard deviations of logarithms.
#[derive(Clone, Copy, Debug)]
pub struct Noise {
    /// From start to start of a variant.
    pub start: f64,
    /// The machine's drift.
    pub drift: f64,
    /// Correlation of the drift from one slice to the next.
    pub memory: f64,
    /// Of single slices.
    pub slice: f64,
    /// Probability that a slice is spoilt.
    pub spikes: f64,
}

/// A shared machine: the ratio of two variants spreads by about 5 % from block to block.
pub const SHARED_MACHINE: Noise = Noise { start: 0.03, drift: 0.05, memory: 0.9, slice: 0.04, spikes: 0.05 };

/// A quiet machine: about 2 %.
pub const QUIET_MACHINE: Noise = Noise { start: 0.01, drift: 0.02, memory: 0.9, slice: 0.02, spikes: 0.02 };

/// Cycles in a block, by default.
pub const CYCLES: usize = 6;

/// Slices that pass while all variants are stopped, started and warmed between blocks.
const SLICES_BETWEEN_BLOCKS: usize = 30;

/// A machine on which studies run, block after block.
pub struct Machine {
    rng: Rng,
    noise: Noise,
    drift: f64,
    /// Variants run one after the other instead of in turns; the order of the block before.
    serial: Option<Vec<usize>>,
    /// Cycles of the blocks from now on.
    pub cycles: usize,
    /// Other load on the machine.
    burner: Burner,
    /// Since the study began, in the time of the default preset.
    minutes: f64,
    /// Of the burner's toggling; each study meets it at another moment.
    phase_minutes: f64,
}

/// CPU use by another program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Burner {
    /// No other load.
    None,
    /// From nothing to 30 % over a study of all its blocks.
    Ramp,
    /// 30 % for seven minutes, nothing for seven, and so on.
    Toggles,
}

impl Burner {
    /// Loss of a server to it, as a logarithm. `part` is the share of the study that is over.
    pub fn cost(self, minutes: f64, part: f64) -> f64 {
        let share = match self {
            Burner::None => 0.0,
            Burner::Ramp => 0.3 * part.min(1.0),
            Burner::Toggles => 0.3 * f64::from((minutes / TOGGLE_MINUTES) as u32 % 2),
        };
        (1.0_f64 - share).ln()
    }
}

/// Time for which the toggling burner stays as it is.
pub const TOGGLE_MINUTES: f64 = 7.0;

/// A slice with what is discarded before it, and a study of 30 blocks: 30 starts and warm-ups of 45 s, 360 slices.
const SLICE_MINUTES: f64 = 5.0 / 60.0;
const STUDY_MINUTES: f64 = 30.0 * 45.0 / 60.0 + 360.0 * SLICE_MINUTES;

impl Machine {
    pub fn new(seed: u64, noise: Noise) -> Machine {
        let mut rng = Rng::new(seed);
        let drift = noise.drift * rng.normal();
        let (burner, minutes, phase_minutes) = (Burner::None, 0.0, 0.0);
        Machine { rng, noise, drift, serial: None, burner, minutes, phase_minutes, cycles: CYCLES }
    }

    /// As [`Machine::new`], with other load.
    pub fn under(seed: u64, noise: Noise, burner: Burner) -> Machine {
        let mut machine = Machine::new(seed, noise);
        let phase_minutes = 2.0 * TOGGLE_MINUTES * machine.rng.uniform();
        Machine { burner, phase_minutes, ..machine }
    }

    /// A run of one variant of its own: a start, a warm-up of a minute, and the mean of a minute of slices. `part` is
    /// how much of all runs is over.
    pub fn single_run(&mut self, part: f64) -> f64 {
        const SLICES: u32 = 12;
        let start = self.noise.start * self.rng.normal();
        self.minutes += 1.0;
        let mut sum = 0.0;
        for _ in 0..SLICES {
            let burned = self.burner.cost(self.minutes + self.phase_minutes, part);
            sum += self.own_slice() + burned;
            self.minutes += 1.0 / f64::from(SLICES);
        }
        (start + sum / f64::from(SLICES)).exp()
    }

    /// Slices of one start, one after the other.
    pub fn slices_of_one_start(&mut self, slices: usize) -> Vec<f64> {
        let start = self.noise.start * self.rng.normal();
        (0..slices).map(|_| start + self.slice()).collect()
    }

    /// As [`Machine::new`], its variants one after the other.
    pub fn serial(seed: u64, noise: Noise) -> Machine {
        Machine { serial: Some(Vec::new()), ..Machine::new(seed, noise) }
    }

    /// A study of as many blocks, cell by cell: `effects[point][variant]` are logarithms.
    pub fn study(&mut self, effects: &[Vec<f64>], blocks: u32) -> Observations {
        let mut study = Observations {
            cells: Vec::new(),
            blocks: Vec::new(),
            excluded_blocks: 0,
            disturbed: Vec::new(),
            replication: Replication::Start,
            ..Observations::default()
        };
        self.go_on(&mut study, effects, blocks);
        study
    }

    /// The next blocks of a study, up to that many.
    pub fn go_on(&mut self, study: &mut Observations, effects: &[Vec<f64>], blocks: u32) {
        for block in study.blocks.len() as u32 + 1..=blocks {
            self.block(block, effects, &mut study.cells);
            study.blocks.push(block);
        }
    }

    fn block(&mut self, block: u32, effects: &[Vec<f64>], cells: &mut Vec<Cell>) {
        for _ in 0..SLICES_BETWEEN_BLOCKS {
            self.pass();
        }
        self.minutes += 45.0 / 60.0;
        let variants = effects[0].len();
        let starts: Vec<f64> = (0..variants).map(|_| self.noise.start * self.rng.normal()).collect();
        let mut slices = vec![vec![Vec::with_capacity(self.cycles); variants]; effects.len()];
        if let Some(mut order) = self.serial.take() {
            // Every second block reverses the order of the one before it.
            if block % 2 == 1 {
                order = (0..variants).collect();
                self.rng.shuffle(&mut order);
            } else {
                order.reverse();
            }
            for &variant in &order {
                // A start and a warm-up lie between one variant and the next.
                (0..SLICES_BETWEEN_BLOCKS / 2).for_each(|_| self.pass());
                for _ in 0..self.cycles {
                    for (point, effects) in effects.iter().enumerate() {
                        let slice = effects[variant] + starts[variant] + self.slice();
                        slices[point][variant].push(10_000.0 * slice.exp());
                    }
                }
            }
            self.serial = Some(order);
            return self.keep(block, slices, cells);
        }
        let mut order: Vec<usize> = (0..variants).collect();
        for cycle in 0..self.cycles {
            if cycle % 2 == 0 {
                self.rng.shuffle(&mut order);
            } else {
                order.reverse();
            }
            for (point, effects) in effects.iter().enumerate() {
                for &variant in &order {
                    let slice = effects[variant] + starts[variant] + self.slice();
                    slices[point][variant].push(10_000.0 * slice.exp());
                }
            }
        }
        self.keep(block, slices, cells);
    }

    /// Slices by point and variant to cells.
    fn keep(&self, block: u32, slices: Vec<Vec<Vec<f64>>>, cells: &mut Vec<Cell>) {
        for (point, slices) in slices.into_iter().enumerate() {
            for (variant, slices) in slices.into_iter().enumerate() {
                cells.push(Cell {
                    block,
                    variant,
                    point,
                    measure: Measure::Throughput,
                    merged: Some(slices.iter().sum::<f64>() / slices.len() as f64),
                    cycles: slices.into_iter().map(Some).collect(),
                    finished: 60_000,
                    ..Cell::default()
                });
            }
        }
    }

    /// The machine's drift goes on for one slice.
    fn pass(&mut self) {
        let Noise { drift, memory, .. } = self.noise;
        self.drift = memory * self.drift + drift * (1.0 - memory * memory).sqrt() * self.rng.normal();
    }

    fn slice(&mut self) -> f64 {
        self.minutes += SLICE_MINUTES;
        let burned = self.burner.cost(self.minutes + self.phase_minutes, self.minutes / STUDY_MINUTES);
        burned + self.own_slice()
    }

    fn own_slice(&mut self) -> f64 {
        self.pass();
        let mut slice = self.drift + self.noise.slice * self.rng.normal();
        if self.rng.uniform() < self.noise.spikes {
            // Pareto with exponent 2.5, cut at eight times the slice noise.
            let pareto = (1.0 - self.rng.uniform()).powf(-1.0 / 2.5);
            slice -= self.noise.slice * pareto.min(8.0);
        }
        slice
    }
}

/// The first blocks of a study.
pub fn first(observations: &Observations, blocks: u32) -> Observations {
    Observations {
        cells: observations.cells.iter().filter(|cell| cell.block <= blocks).cloned().collect(),
        blocks: (1..=blocks).collect(),
        ..observations.clone()
    }
}
