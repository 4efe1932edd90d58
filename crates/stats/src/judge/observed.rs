//! Values that an interval is made of: those of the blocks, or where they are of several sittings the sittings'
//! means.
//!
//! Blocks of one sitting share its circumstances: pooled over sittings as if they were one's, their interval would
//! rest on a spread that is far too small.

use super::decide::{Frame, Scale, frame};
use super::flaws::Flaws;
use super::guard;
use super::series::{Index, Series, Sides};
use crate::sample::Moments;
use crate::{Cell, Claim, Observations, Sittings};
use std::collections::BTreeMap;

/// The values that count, with their moments.
pub(super) struct Observed {
    /// Its values are those of the blocks, or the means of the sittings.
    pub frame: Frame,
    /// The values of the blocks themselves.
    pub by_block: Vec<f64>,
    pub moments: Moments,
    pub blocks: u32,
    /// True if no block's value differs from another's.
    pub is_constant: bool,
    /// Results of the sittings, where there are two or more.
    pub sittings: Option<Sittings>,
}

/// Of both sides in each block, with its sitting; `None` where no block has a value.
pub(super) fn observed(series: &Series<'_>, sides: &[(u32, Sides)]) -> Option<Observed> {
    let values: Vec<Sides> = sides.iter().map(|(_, sides)| *sides).collect();
    let mut frame = frame(series, &values)?;
    let of_blocks = Moments::of(&frame.values)?;
    let by_block = frame.values.clone();
    let by_sitting = by_sitting(sides.iter().map(|(sitting, _)| *sitting), &frame.values);
    let sittings = Sittings::of(&by_sitting);
    if sittings.is_some() {
        frame.values = by_sitting.iter().filter_map(|values| Some(Moments::of(values)?.mean)).collect();
    }
    Some(Observed {
        moments: sittings.map_or(of_blocks, |sittings| sittings.means),
        frame,
        by_block,
        blocks: of_blocks.n,
        is_constant: of_blocks.sd == 0.0,
        sittings,
    })
}

/// Values sorted into their sittings, in order.
fn by_sitting(sittings: impl Iterator<Item = u32>, values: &[f64]) -> Vec<Vec<f64>> {
    let mut sorted: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    sittings.zip(values).for_each(|(sitting, value)| sorted.entry(sitting).or_default().push(*value));
    sorted.into_values().collect()
}

/// The logarithms that a claim is judged by, block by block in each sitting; what the spread between sittings is taken of.
/// Nothing where a guard forbids to rest anything on them, and of claims that are not judged by logarithms.
pub fn sitting_values(claim: &Claim, observations: &Observations) -> Vec<Vec<f64>> {
    let index = Index::new(observations);
    let whole = Series::new(claim, &index, &observations.blocks);
    let blocks = observations.blocks.len() as u32;
    let series = match whole.spoiled(blocks) {
        Some(_) => whole.without_spoiled(),
        None => whole,
    };
    let (blocks, begun) = (series.sides.len() as u32, blocks + observations.excluded_blocks);
    let begun = begun - (observations.blocks.len() as u32 - blocks);
    let disturbed = observations.disturbed.len() as u32;
    let is_sound = guard::guards(&series, blocks, begun, disturbed).is_empty()
        && Flaws::of(&series, blocks).limits.is_empty();
    let sides: Vec<Sides> = series.sides.iter().flatten().copied().collect();
    let framed = frame(&series, &sides).filter(|frame| is_sound && frame.scale == Scale::Log);
    let Some(frame) = framed.filter(|_| !series.is_fact()) else { return Vec::new() };
    let with_value = series.sittings.iter().zip(&series.sides).filter(|(_, sides)| sides.is_some());
    by_sitting(with_value.map(|(sitting, _)| *sitting), &frame.values)
}

/// The logarithms that a claim is judged by in its first blocks, at most `blocks` of them; a spread is lent from
/// these, whatever the claim's later verdict. Only those of the first sitting in which the generator was fit: one at
/// its limit shows its own spread. Nothing where too many errors forbid verdicts on speed, and for claims that are
/// not judged by logarithms.
pub fn first_values(claim: &Claim, observations: &Observations, blocks: u32) -> Vec<f64> {
    let series = Series::new(claim, &Index::new(observations), &observations.blocks);
    let first = series.sittings.first().copied().unwrap_or(1);
    let is_sound = |at: &usize| {
        let of_server =
            |cell: &Option<&Cell>| cell.is_some_and(|cell| cell.unfit.is_empty() && !cell.at_least);
        series.sittings[*at] == first && series.cells[*at].iter().all(of_server)
    };
    let sound: Vec<usize> = (0..series.sides.len()).filter(is_sound).collect();
    let log = |at: &usize| series.sides[*at]?.log.filter(|log| log.is_finite());
    let values: Vec<f64> = sound.iter().filter_map(log).take(blocks as usize).collect();
    let fails = !guard::errors(&series, observations.blocks.len() as u32).is_empty();
    if fails || series.is_fact() { Vec::new() } else { values }
}
