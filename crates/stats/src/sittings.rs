//! Sittings: what was measured at one time shares more than its blocks can show.
//!
//! Model: block b of sitting s shows d_sb = θ + u_s + v_sb. The blocks of a sitting know the spread σ of v; that of u, τ,
//! shows only between sittings. So the sittings' means are what θ is estimated from (Student's t with K − 1 degrees of
//! freedom), and a single sitting is about θ + u_s alone, unless earlier ones have shown τ.
//!
//! Moments: σ² is the pooled variance within sittings, and τ² = S² − σ²/n, with S² the variance of the sittings' means and n
//! the harmonic mean of their numbers of blocks. Cochran's Q with that σ² is K − 1 times an F value where τ is zero.

use crate::sample::Moments;
use crate::student;
use statrs::function::beta::beta_reg;

/// Fewest blocks of a sitting that are advised: fewer show no spread within it.
pub const SITTING_BLOCKS_MIN: u32 = 2;

/// Most blocks of a sitting that are advised.
const SITTING_BLOCKS_MAX: f64 = 100.0;

/// Fewest earlier sittings whose spread widens the interval of a single one.
pub const EARLIER_SITTINGS_MIN: u32 = 4;

/// Spread between sittings, and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Between {
    /// τ: standard deviation of the logarithms, 0.06 is 6 %; 0 where sittings differ no more than their blocks explain.
    pub tau: f64,
    /// Degrees of freedom of τ², after Satterthwaite; at least 1.
    pub freedom: f64,
    /// Number of sittings that it comes from.
    pub sittings: u32,
    /// S: standard deviation of the sittings' means, of which τ² is a part; 0 where only τ is known.
    pub of_means: f64,
}

/// Heterogeneity of sittings: do they differ by more than their blocks explain?
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heterogeneity {
    /// Cochran's Q: the squares of the sittings' distances from their weighted mean, in units of their own variances.
    pub q: f64,
    /// Degrees of freedom: sittings less one.
    pub freedom: u32,
    /// Probability of this Q or a larger one by chance alone.
    pub p: f64,
}

/// Results of several sittings for one quantity, on the scale of their blocks' values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sittings {
    /// Number, mean and standard deviation of the sittings' means.
    pub means: Moments,
    pub blocks: u32,
    /// σ: spread of the blocks within a sitting; `None` where no sitting has two.
    pub within: Option<f64>,
    /// τ; `None` where the spread within is not known.
    pub between: Option<Between>,
    /// `None` where the spread within is not known, or zero.
    pub heterogeneity: Option<Heterogeneity>,
}

impl Sittings {
    /// Of the values of each sitting's blocks; sittings without any are passed over. `None` with fewer than two sittings,
    /// or with a value that is not finite.
    pub fn of(sittings: &[Vec<f64>]) -> Option<Sittings> {
        let each: Option<Vec<Moments>> =
            sittings.iter().filter(|values| !values.is_empty()).map(|values| Moments::of(values)).collect();
        let each = each?;
        let means: Vec<f64> = each.iter().map(|sitting| sitting.mean).collect();
        let means = Moments::of(&means).filter(|means| means.n > 1)?;
        let blocks = each.iter().map(|sitting| sitting.n).sum();
        let freedom = blocks - means.n;
        let squares: f64 = each.iter().map(|sitting| f64::from(sitting.n - 1) * sitting.sd.powi(2)).sum();
        let variance = (freedom > 0).then(|| squares / f64::from(freedom));
        Some(Sittings {
            means,
            blocks,
            within: variance.map(f64::sqrt),
            between: variance.map(|variance| between(&each, &means, variance, freedom)),
            heterogeneity: variance.and_then(|variance| heterogeneity(&each, variance, freedom)),
        })
    }

    /// Half the width of the interval in which the mean of one more sitting lies, if it has as many blocks as these; it
    /// misses with probability `tail`.
    pub fn prediction_half(&self, tail: f64) -> f64 {
        let more = 1.0 + 1.0 / f64::from(self.means.n);
        student::critical(tail, self.means.n - 1) * self.means.sd * more.sqrt()
    }

    /// Blocks that a sitting is worth, if it costs as much as `cost` blocks beside those it has: ⌈√cost · σ/τ⌉, and
    /// at least two. `None` where τ is zero or not known: then one sitting is as good as several.
    pub fn blocks_worth(&self, cost: f64) -> Option<u32> {
        let tau = self.between.map(|between| between.tau).filter(|tau| *tau > 0.0)?;
        let worth = (cost.max(0.0).sqrt() * self.within? / tau).ceil().min(SITTING_BLOCKS_MAX);
        Some((worth as u32).max(SITTING_BLOCKS_MIN))
    }
}

/// τ by moments, with the degrees of freedom of its square.
fn between(each: &[Moments], means: &Moments, variance: f64, freedom: u32) -> Between {
    let of_blocks =
        variance * each.iter().map(|sitting| 1.0 / f64::from(sitting.n)).sum::<f64>() / each.len() as f64;
    let of_means = means.sd.powi(2);
    Between {
        tau: (of_means - of_blocks).max(0.0).sqrt(),
        freedom: satterthwaite((of_means, means.n - 1), (of_blocks, freedom)),
        sittings: means.n,
        of_means: means.sd,
    }
}

/// Degrees of freedom of what one variance has more than another, each with its own; at least 1.
pub(crate) fn satterthwaite(of: (f64, u32), less: (f64, u32)) -> f64 {
    let square = (of.0 - less.0).max(0.0);
    let below = of.0.powi(2) / f64::from(of.1) + less.0.powi(2) / f64::from(less.1);
    if below > 0.0 { (square * square / below).max(1.0) } else { 1.0 }
}

fn heterogeneity(each: &[Moments], variance: f64, freedom: u32) -> Option<Heterogeneity> {
    let blocks: f64 = each.iter().map(|sitting| f64::from(sitting.n)).sum();
    let centre = each.iter().map(|sitting| f64::from(sitting.n) * sitting.mean).sum::<f64>() / blocks;
    let apart: f64 = each.iter().map(|sitting| f64::from(sitting.n) * (sitting.mean - centre).powi(2)).sum();
    let q = apart / variance;
    let over = each.len() as u32 - 1;
    q.is_finite().then(|| Heterogeneity { q, freedom: over, p: f_tail(q / f64::from(over), over, freedom) })
}

/// Probability that F with these degrees of freedom exceeds `value`.
fn f_tail(value: f64, over: u32, under: u32) -> f64 {
    let (over, under) = (f64::from(over), f64::from(under));
    let share = under / (under + over * value.max(0.0));
    if share <= 0.0 { 0.0 } else { beta_reg(0.5 * under, 0.5 * over, share.min(1.0)) }
}

impl Between {
    /// Half the width of the interval around the mean of one sitting, for what all sittings have in common. Its variance is
    /// s²/n + τ². τ² is a difference that few sittings tell badly, but the means of sittings as long as this one vary by just
    /// that sum: S² with one degree of freedom less than there were, and what the blocks of this one add to it.
    /// `tail` is the probability with which it misses.
    pub fn half_around(&self, own: &Moments, tail: f64) -> f64 {
        let [of_means, own] = self.parts(own, 1.0);
        half_of(&[of_means, own], tail)
    }

    /// The variances of the means of `count` sittings together, and what this one's blocks add to that of one of them; each
    /// with its degrees of freedom.
    pub(crate) fn parts(&self, own: &Moments, count: f64) -> [(f64, f64); 2] {
        let (of_blocks, freedom) = (own.standard_error().powi(2), f64::from(own.n.saturating_sub(1)));
        let (tau, means) = (self.tau.powi(2), self.of_means.powi(2));
        if tau <= 0.0 || means <= tau {
            return [(count * tau, self.freedom), (of_blocks, freedom)];
        }
        let known = f64::from(self.sittings.saturating_sub(1)).max(1.0);
        [(count * means, known), ((of_blocks - (means - tau)).max(0.0), freedom)]
    }
}

/// Half the width of an interval around what has a sum of independent variances, each with its degrees of freedom, which
/// are put together after Satterthwaite and rounded down.
pub(crate) fn half_of(parts: &[(f64, f64)], tail: f64) -> f64 {
    let variance: f64 = parts.iter().map(|(variance, _)| variance).sum();
    if variance <= 0.0 {
        return 0.0;
    }
    let below: f64 =
        parts.iter().filter(|(variance, _)| *variance > 0.0).map(|(v, freedom)| v * v / freedom).sum();
    let freedom = (variance * variance / below).floor().clamp(1.0, f64::from(u32::MAX));
    student::critical(tail, freedom as u32) * variance.sqrt()
}

#[cfg(test)]
mod tests;
