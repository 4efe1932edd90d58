//! The search for the best of several configurations under noise: successive halving in blocks.
//!
//! In a *heat* some of the challengers run, and the default always with them, block by block, each started afresh in
//! every block. After a heat the better half goes on. The criterion is the mean over a challenger's blocks of its
//! log-difference to the default in the same block: a disturbance by the machine affects all in a block.
//!
//! The best of many was also lucky: the figures of a search flatter the winner, more so the more ran
//! (Jamieson and Talwalkar, AISTATS 2016, have the halving; the flattery is the winner's curse). So a race yields a
//! configuration and an order, and never a gain. Fresh blocks tell the winner's gain, through the judge.

use crate::rng::Rng;

/// Blocks of the last heat at least: it separates the last two, and the winner from the default.
const LAST_BLOCKS_MIN: u32 = 4;
/// Challengers of the last heat at most.
const FINALISTS: usize = 2;
/// More blocks than this times the schedule's a search does not use, whatever its budget: the rest is better kept.
const FACTOR_MAX: u32 = 8;

/// Some configurations, for some blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heat {
    /// From 1.
    pub number: u32,
    /// Indexes of those that run, the default first, the others in random order.
    pub configurations: Vec<usize>,
    pub blocks: u32,
}

/// The state of a configuration in the search. Never a gain: see the module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    pub configuration: usize,
    /// Mean of its log-differences to the default, above 0 for better; `None` where no block had one.
    pub mean: Option<f64>,
    /// Blocks that it rests on.
    pub blocks: u32,
    /// The heat after which it was out; `None` for the default, and for those that ran to the end.
    pub out_after: Option<u32>,
}

#[derive(Clone, Debug, Default)]
struct Challenger {
    differences: Vec<f64>,
    in_this_heat: bool,
    out_after: Option<u32>,
}

#[derive(Clone, Debug)]
pub struct Race {
    default: usize,
    challengers: Vec<Challenger>,
    heats: Vec<(usize, u32)>,
    done: u32,
    rng: Rng,
}

/// Challengers and blocks of each heat: 15 make 15 × 1, 8 × 2, 4 × 3, 2 × 4.
fn schedule(challengers: usize, factor: u32) -> Vec<(usize, u32)> {
    let mut heats = Vec::new();
    let mut left = challengers;
    loop {
        let blocks = heats.len() as u32 + 1;
        let last = left <= FINALISTS;
        heats.push((left, factor * if last { blocks.max(LAST_BLOCKS_MIN) } else { blocks }));
        if last {
            return heats;
        }
        left = left.div_ceil(2);
    }
}

/// Duration of a schedule; `seconds_of` gives the length of a block by its number of configurations.
fn seconds(heats: &[(usize, u32)], seconds_of: &dyn Fn(usize) -> f64) -> f64 {
    heats.iter().map(|(challengers, blocks)| f64::from(*blocks) * seconds_of(challengers + 1)).sum()
}

impl Race {
    /// A search among that many configurations, one of which is the default, that takes as many blocks as there is room
    /// for. `seconds_of` gives the length of a block by its number of configurations.
    ///
    /// # Errors
    /// The seconds that the shortest search would take, when there is less room; infinity when there is no choice.
    pub fn new(
        configurations: usize,
        default: usize,
        seed: u64,
        room_seconds: f64,
        seconds_of: &dyn Fn(usize) -> f64,
    ) -> Result<Race, f64> {
        if configurations < 2 || default >= configurations {
            return Err(f64::INFINITY);
        }
        let fits = |factor: &u32| seconds(&schedule(configurations - 1, *factor), seconds_of) <= room_seconds;
        let Some(factor) = (1..=FACTOR_MAX).rev().find(fits) else {
            return Err(seconds(&schedule(configurations - 1, 1), seconds_of));
        };
        Ok(Race {
            default,
            challengers: vec![Challenger::default(); configurations],
            heats: schedule(configurations - 1, factor),
            done: 0,
            rng: Rng::new(seed),
        })
    }

    /// Configurations and blocks of each heat, the default counted.
    pub fn heats(&self) -> Vec<(usize, u32)> {
        self.heats.iter().map(|(challengers, blocks)| (challengers + 1, *blocks)).collect()
    }

    /// The heat that is due; `None` when the search is over, or only the default is left.
    pub fn next_heat(&mut self) -> Option<Heat> {
        let &(most, blocks) = self.heats.get(self.done as usize)?;
        let mut running: Vec<usize> = self.ranked().into_iter().take(most).collect();
        if running.is_empty() {
            return None;
        }
        self.rng.shuffle(&mut running);
        running.insert(0, self.default);
        Some(Heat { number: self.done + 1, configurations: running, blocks })
    }

    /// Enters the results of a heat for a challenger: its log-difference to the default in each block that has one,
    /// above 0 for better. Values that are not finite are ignored.
    pub fn enter(&mut self, configuration: usize, differences: &[f64]) {
        let Some(challenger) = self.challengers.get_mut(configuration) else { return };
        let before = challenger.differences.len();
        challenger.differences.extend(differences.iter().filter(|difference| difference.is_finite()));
        challenger.in_this_heat |= challenger.differences.len() > before;
    }

    /// Ends a heat: each that had no block in it, or is not among the better half, is out.
    pub fn close_heat(&mut self) {
        self.done += 1;
        let most = self.heats.get(self.done as usize).map_or(usize::MAX, |(challengers, _)| *challengers);
        let done = self.done;
        for challenger in self.challengers.iter_mut().filter(|challenger| challenger.out_after.is_none()) {
            if !std::mem::take(&mut challenger.in_this_heat) {
                challenger.out_after = Some(done);
            }
        }
        for configuration in self.ranked().into_iter().skip(most) {
            self.challengers[configuration].out_after = Some(done);
        }
    }

    /// The challengers that are still in, the best first; those of equal merit in the order that the seed gives.
    fn ranked(&mut self) -> Vec<usize> {
        let mut left: Vec<usize> = (0..self.challengers.len())
            .filter(|&index| index != self.default && self.challengers[index].out_after.is_none())
            .collect();
        self.rng.shuffle(&mut left);
        let merit = |index: &usize| self.challengers[*index].mean().unwrap_or(f64::NEG_INFINITY);
        left.sort_by(|a, b| merit(b).total_cmp(&merit(a)));
        left
    }

    /// Result of the search: the best that is still in, or the default when none was better than it.
    pub fn winner(&mut self) -> usize {
        let best = self.ranked().into_iter().next();
        let better = |index: &usize| self.challengers[*index].mean().is_some_and(|mean| mean > 0.0);
        best.filter(better).unwrap_or(self.default)
    }

    /// All configurations: those that ran longest first, among them the best. The default is placed by its difference to
    /// itself, 0, among those that ran to the end.
    pub fn standings(&self) -> Vec<Standing> {
        let mut standings: Vec<Standing> = (0..self.challengers.len())
            .map(|configuration| {
                let challenger = &self.challengers[configuration];
                let is_default = configuration == self.default;
                Standing {
                    configuration,
                    mean: if is_default { Some(0.0) } else { challenger.mean() },
                    blocks: match is_default {
                        true => self.heats.iter().take(self.done as usize).map(|(_, blocks)| blocks).sum(),
                        false => challenger.differences.len() as u32,
                    },
                    out_after: if is_default { None } else { challenger.out_after },
                }
            })
            .collect();
        let merit = |standing: &Standing| standing.mean.unwrap_or(f64::NEG_INFINITY);
        let stayed = |standing: &Standing| standing.out_after.unwrap_or(u32::MAX);
        standings.sort_by(|a, b| stayed(b).cmp(&stayed(a)).then(merit(b).total_cmp(&merit(a))));
        standings
    }
}

impl Challenger {
    fn mean(&self) -> Option<f64> {
        let n = self.differences.len();
        (n > 0).then(|| self.differences.iter().sum::<f64>() / n as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_runs(configurations: usize) -> f64 {
        configurations as f64
    }

    fn race(configurations: usize, room: f64) -> Result<Race, f64> {
        Race::new(configurations, 0, 7, room, &by_runs)
    }

    #[test]
    fn sixteen_take_sixty_one_runs_and_a_larger_budget_more_blocks() {
        assert_eq!(race(16, 61.0).expect("room").heats(), [(16, 1), (9, 2), (5, 3), (3, 4)]);
        assert_eq!(race(16, 122.0).expect("room").heats(), [(16, 2), (9, 4), (5, 6), (3, 8)]);
        assert_eq!(race(16, 60.9).map(|race| race.heats()), Err(61.0));
        assert_eq!(race(2, 1e9).expect("room").heats(), [(2, 4 * FACTOR_MAX)]);
        assert_eq!(race(4, 15.0).map(|race| race.heats()), Err(16.0));
        assert_eq!(race(1, 1e9).map(|race| race.heats()), Err(f64::INFINITY));
    }

    #[test]
    fn the_better_half_goes_on_and_the_default_always_runs() {
        let mut race = race(6, 1e3).expect("room");
        let merit = |configuration: usize| configuration as f64 * 0.01 - 0.02;
        let mut seen = Vec::new();
        while let Some(heat) = race.next_heat() {
            assert_eq!(heat.configurations[0], 0, "{heat:?}");
            seen.push(heat.configurations.len());
            for &configuration in &heat.configurations[1..] {
                race.enter(configuration, &vec![merit(configuration); heat.blocks as usize]);
            }
            race.close_heat();
        }
        assert_eq!(seen, [6, 4, 3]);
        assert_eq!(race.winner(), 5);
        let order: Vec<usize> = race.standings().iter().map(|standing| standing.configuration).collect();
        assert_eq!(order, [5, 4, 0, 3, 2, 1]);
        assert_eq!(race.standings()[5].out_after, Some(1));
    }

    #[test]
    fn the_default_wins_where_nobody_is_better() {
        let mut race = race(3, 1e3).expect("room");
        while let Some(heat) = race.next_heat() {
            heat.configurations[1..].iter().for_each(|&index| race.enter(index, &[-0.01]));
            race.close_heat();
        }
        assert_eq!(race.winner(), 0);
        assert_eq!(race.standings()[0].configuration, 0);
    }

    #[test]
    fn whoever_has_no_block_in_a_heat_is_out() {
        let mut race = race(3, 1e3).expect("room");
        race.next_heat();
        race.enter(1, &[0.1]);
        race.enter(2, &[f64::NAN]);
        race.close_heat();
        assert_eq!((race.winner(), race.next_heat()), (1, None));
        assert_eq!(race.standings().last().map(|s| (s.configuration, s.mean)), Some((2, None)));
        let mut nobody = self::race(3, 1e3).expect("room");
        nobody.next_heat();
        nobody.close_heat();
        assert_eq!((nobody.winner(), nobody.next_heat()), (0, None));
    }

    #[test]
    fn a_seed_gives_the_same_race() {
        let order = |seed| {
            let mut race = Race::new(16, 3, seed, 1e3, &by_runs).expect("room");
            race.next_heat().expect("a heat").configurations
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        assert_eq!(order(1)[0], 3);
    }
}
