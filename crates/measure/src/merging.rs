//! Adds up the reports of a load's shares, second by second, as they come. A second takes the memory of one snapshot,
//! however many shares there are, and it is released when all have reported it.

use crate::{Snapshot, SparseSnapshot, Window};
use std::collections::{BTreeMap, VecDeque};

/// While a share owes a second, this many later ones are kept apart; those after them are added up as one stretch.
const APART_MAX: usize = 64;
/// Seconds of which the answers are kept.
const COUNTS_MAX: u64 = 7 * 86_400;
/// Emptied snapshots that wait for the next seconds.
const SPARES_MAX: usize = 2;

/// The seconds of one load that not all of its shares have reported yet.
#[derive(Debug)]
pub struct Merging {
    /// The last second that there is.
    last: u64,
    /// The next second that each share owes; none when it has ended.
    owes: Vec<Option<u64>>,
    /// Number of shares that owe a second, by second.
    owing: BTreeMap<u64, u32>,
    /// In order of time; no two have a second in common.
    open: VecDeque<Open>,
    spares: Vec<Snapshot>,
    /// Answers of the stretch that ends with each second.
    answered: Vec<u64>,
}

#[derive(Debug)]
struct Open {
    first: u64,
    last: u64,
    sum: Snapshot,
}

impl Merging {
    /// Merges `shares` shares of a load with the seconds 0 to `last`.
    pub fn new(last: u64, shares: u32) -> Merging {
        let owing = if shares > 0 { BTreeMap::from([(0, shares)]) } else { BTreeMap::new() };
        let owes = vec![Some(0); shares as usize];
        Merging { last, owes, owing, open: VecDeque::new(), spares: Vec::new(), answered: Vec::new() }
    }

    /// Adds what a share (from 0) saw up to second `last` and from the end of its previous report. A share that does
    /// not exist, or has ended, is ignored.
    pub fn add(&mut self, share: u32, last: u64, seen: &SparseSnapshot) {
        let Some(owed) = self.owes.get(share as usize).copied().flatten() else { return };
        let last = last.min(self.last).max(owed);
        self.sum_of(owed, last, seen.window).merge(seen);
        self.owe(share, Some(last + 1));
    }

    /// A share will tell no more. What it told before counts.
    pub fn end(&mut self, share: u32) {
        self.owe(share, None);
    }

    /// True once no share will report more.
    pub fn has_ended(&self) -> bool {
        self.owing.is_empty()
    }

    /// Hands over the next stretch that all shares have reported, with its last second. It begins where the one before
    /// ended: a second by itself, or several that a share reported at once.
    pub fn next_whole(&mut self) -> Option<(u64, Snapshot)> {
        let owed = self.owing.keys().next().copied();
        let Open { last, sum, .. } =
            self.open.pop_front_if(|open| owed.is_none_or(|owed| owed > open.last))?;
        if sum.answered_in_window > 0 && last < COUNTS_MAX {
            let at = last as usize;
            self.answered.resize(self.answered.len().max(at + 1), 0);
            self.answered[at] = sum.answered_in_window;
        }
        Some((last, sum))
    }

    /// Adds to the answers of each second those that shares reported, and that are missing there: the shares were lost
    /// before they handed over their counts. Answers reported as one stretch of several seconds are added to its last
    /// one.
    pub fn enter_untold(&self, per_second: &mut Vec<u64>) {
        let (mut told, mut entered) = (0_u64, 0_u64);
        for (at, answered) in self.answered.iter().enumerate() {
            told = told.saturating_add(*answered);
            entered = entered.saturating_add(per_second.get(at).copied().unwrap_or(0));
            let untold = told.saturating_sub(entered);
            if untold > 0 {
                per_second.resize(per_second.len().max(at + 1), 0);
                per_second[at] += untold;
                entered += untold;
            }
        }
    }

    /// Gives a snapshot back whose memory is not needed any more.
    pub fn spare(&mut self, sum: Snapshot) {
        if self.spares.len() < SPARES_MAX {
            self.spares.push(sum);
        }
    }

    fn owe(&mut self, share: u32, next: Option<u64>) {
        let Some(owes) = self.owes.get_mut(share as usize) else { return };
        let before = std::mem::replace(owes, next);
        if let Some(shares) = before.and_then(|before| self.owing.get_mut(&before)) {
            *shares -= 1;
        }
        if let Some(next) = next {
            *self.owing.entry(next).or_default() += 1;
        }
        while let Some(first) = self.owing.first_entry()
            && *first.get() == 0
        {
            first.remove();
        }
    }

    /// The sum of the seconds `first` to `last`. Those that had sums of their own have one now: a share that reports
    /// several seconds at once does not tell them apart.
    fn sum_of(&mut self, first: u64, last: u64, window: Window) -> &mut Snapshot {
        let mut from = self.open.partition_point(|open| open.last < first);
        let mut to = self.open.partition_point(|open| open.first <= last);
        if from == to && self.open.len() >= APART_MAX {
            from = from.saturating_sub(1);
            to = from + 1;
        }
        if from == to {
            let mut sum = self.spares.pop().unwrap_or_else(|| Snapshot::new(window));
            sum.clear(window);
            self.open.insert(from, Open { first, last, sum });
        }
        let others: Vec<Open> = self.open.drain((from + 1).min(to)..to).collect();
        for other in others {
            let open = &mut self.open[from];
            open.sum.merge(&other.sum);
            open.last = open.last.max(other.last);
            self.spare(other.sum);
        }
        let open = &mut self.open[from];
        (open.first, open.last) = (open.first.min(first), open.last.max(last));
        &mut open.sum
    }
}

#[cfg(test)]
mod tests;
