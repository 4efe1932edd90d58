//! The spread that others lend to a claim.
//!
//! Few blocks hardly tell their own spread. Quantities like the claim's have a spread of one family with its own: the
//! same measure of other pairs of variants and at other load points in this study, or those of earlier runs of the
//! machine. [`bounds::borrowed`](crate::bounds::borrowed) tells the use of such a spread, provided that nothing of
//! the claim's own blocks went into it. Contrasts of one study are correlated with the claim: they share variants,
//! starts, and the state of the machine. So each is regressed on it, block by block, and lends the spread of the
//! residuals: with normal values that is independent of the claim's mean and spread, whatever the correlation is.
//!
//! It is taken once, at the claim's first look, from the blocks up to it: taken anew at each look it would follow the claim's path.

use super::series::{Index, Series, Trial, log_ratio, of_block};
use crate::spread::common_spread;
use crate::{Design, Kind, Lender, Lent, Side};

/// Degrees of freedom from which on the relatives of the study are preferred to those of earlier runs.
const PREFERRED_FREEDOM: u32 = 9;

/// Fewest degrees of freedom that lend anything.
const FREEDOM_MIN: u32 = 6;

/// Most relatives that are looked at.
const RELATIVES_MAX: usize = 60;

/// The spread that is lent to a claim at its first look, after `blocks` complete blocks.
pub(super) fn lent(series: &Series<'_>, index: &Index<'_>, blocks: u32, design: &Design) -> Option<Lent> {
    if design.method < 2 || design.kind != Kind::Looks {
        return None;
    }
    let of = subject(series)?;
    let values = series.usable_logs(blocks)?;
    let residual = |other: &[Trial]| {
        let pairs =
            values.iter().filter_map(|(block, value)| Some((*value, value_of(index, *block, other)?)));
        left_of(&pairs.collect::<Vec<_>>())
    };
    let own: Vec<(f64, u32)> = relatives(&of, index).iter().filter_map(|other| residual(other)).collect();
    let freedom: u32 = own.iter().map(|(_, freedom)| freedom).sum();
    let of_study = || {
        let spread = common_spread(&own)?;
        Some(Lent { spread, relatives: own.len() as u32, from: Lender::Study })
    };
    let earlier = || design.lent.iter().find(|lent| lent.claim == series.claim.text);
    let of_history =
        || earlier().map(|it| Lent { spread: it.spread, relatives: it.relatives, from: Lender::History });
    let lent = match freedom {
        PREFERRED_FREEDOM.. => of_study(),
        FREEDOM_MIN.. => of_history().or_else(of_study),
        _ => of_history(),
    };
    lent.filter(|lent| lent.spread.is_finite() && lent.spread > 0.0)
}

/// The trials of a claim that compares two variants in one measure at one load point, or holds one level against a number.
fn subject(series: &Series<'_>) -> Option<Vec<Trial>> {
    match series.trials[..] {
        [trial] if matches!(series.claim.right, Side::Constant(_)) => Some(vec![trial]),
        [over, under] if (Trial { variant: under.variant, ..over }) == under => Some(vec![over, under]),
        _ => None,
    }
}

/// Its relatives: at each load point as many contrasts as do not follow from each other and from the claim, or the other levels.
fn relatives(of: &[Trial], index: &Index<'_>) -> Vec<Vec<Trial>> {
    let at = of[0];
    let trials = index.trials_like(at);
    let others = trials.iter().copied().filter(|trial| !of.contains(trial));
    let all: Vec<Vec<Trial>> = match of {
        [over, under] => {
            let point = |point: usize| {
                let first = [over, under].map(|trial| Trial { point, ..*trial });
                let known = first.into_iter().filter(|trial| trials.contains(trial));
                let rest =
                    trials.iter().copied().filter(|trial| trial.point == point && !first.contains(trial));
                let chain: Vec<Trial> = known.chain(rest).collect();
                chain.windows(2).map(<[Trial]>::to_vec).filter(|pair| pair != of).collect::<Vec<_>>()
            };
            let mut points: Vec<usize> = trials.iter().map(|trial| trial.point).collect();
            points.dedup();
            points.into_iter().flat_map(point).collect()
        }
        _ => others.map(|trial| vec![trial]).collect(),
    };
    all.into_iter().take(RELATIVES_MAX).collect()
}

/// The logarithm of a level, or of a ratio, in a block.
fn value_of(index: &Index<'_>, block: u32, trials: &[Trial]) -> Option<f64> {
    let log = match trials {
        [over, under] => log_ratio(index.get(block, *over)?, index.get(block, *under)?)?,
        [trial] => of_block(index.get(block, *trial)?)?.ln(),
        _ => return None,
    };
    log.is_finite().then_some(log)
}

/// The variance of the second values around their line over the first, with its degrees of freedom; `None` where nothing is left.
fn left_of(pairs: &[(f64, f64)]) -> Option<(f64, u32)> {
    let freedom = u32::try_from(pairs.len()).ok()?.checked_sub(2).filter(|freedom| *freedom > 0)?;
    let count = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| pairs.iter().map(|pair| of(pair.0 - x, pair.1 - y)).sum::<f64>();
    let (xx, xy, yy) = (sum(&|x, _| x * x), sum(&|x, y| x * y), sum(&|_, y| y * y));
    let explained = if xx > 0.0 { xy * xy / xx } else { 0.0 };
    let variance = (yy - explained) / f64::from(freedom);
    // A residual of rounding errors alone has no spread.
    (variance.is_finite() && variance > 1e-12 * yy && variance > 0.0).then_some((variance, freedom))
}
