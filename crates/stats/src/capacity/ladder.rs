//! Choice of the next rate, after RFC 9971: bracket, then targets that become finer.

use super::{Limit, Outcome, Terms, Trial, is_same, neat};

/// Trials of which the majority counts, and how far bounds may lie apart, target after target.
const TARGETS: [(usize, f64); 3] = [(1, 0.08), (3, 0.04), (5, 0.02)];
/// Factor between a rate of the bracket and the next.
const FACTOR: f64 = 2.0;
/// The same where the objective held with room to spare.
const FACTOR_EASY: f64 = 4.0;
/// Largest ratio of the worst value to its limit that is room to spare.
const EASY: f64 = 0.25;
/// Trials without a result that make a rate one at which the client is the limit.
const LIMITED: usize = 2;
/// Rates are rounded: bounds that lie that little further apart than they may are near enough.
const ROUNDING: f64 = 1.01;

/// Result of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    /// Highest rate at which the objective held; `None` where it failed at the lowest.
    pub(super) low: Option<f64>,
    /// Upper end of the bracket; `None` where it held at the highest.
    pub(super) upper: Option<Upper>,
}

/// The upper end of a bracket.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Upper {
    /// The objective did not hold there.
    Failed(f64),
    /// The client was the limit there.
    Limited(Limit, f64),
}

impl Upper {
    fn rate(self) -> f64 {
        match self {
            Upper::Failed(rate) | Upper::Limited(_, rate) => rate,
        }
    }
}

/// The trial that is needed next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Need {
    pub(super) rate_per_s: f64,
    pub(super) coarse: bool,
    /// Bounds known without it.
    pub(super) so_far: Bounds,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Class {
    Lower,
    Upper(Upper),
}

/// The trials of a search, and what follows from them.
pub(super) struct Ladder<'a> {
    terms: &'a Terms,
    trials: &'a [&'a Trial],
}

impl<'a> Ladder<'a> {
    pub(super) fn new(terms: &'a Terms, trials: &'a [&'a Trial]) -> Self {
        Ladder { terms, trials }
    }

    /// The bounds, or the trial without which they are not known.
    pub(super) fn bounds(&self) -> Result<Bounds, Need> {
        let mut bounds = self.bracket()?;
        for (trials, width) in TARGETS {
            bounds = self.target(bounds, trials, width)?;
            // Rates that the client cannot offer are not looked at more closely.
            let limited = matches!(bounds.upper, None | Some(Upper::Limited(..)));
            if limited || bounds.low.is_none() {
                break;
            }
        }
        Ok(bounds)
    }

    /// Class of a rate by the majority of this many trials; a trial that cannot change it is not requested.
    fn class(&self, rate: f64, trials: usize, coarse: bool, so_far: Bounds) -> Result<Class, Need> {
        let needed = trials / 2 + 1;
        let (mut passed, mut failed, mut limited) = (0, 0, 0);
        for trial in self.trials.iter().filter(|trial| is_same(trial.rate_per_s, rate)) {
            match trial.outcome {
                Outcome::Pass => passed += 1,
                Outcome::Fail => failed += 1,
                Outcome::Limited(limit) => {
                    limited += 1;
                    if limited >= LIMITED {
                        return Ok(Class::Upper(Upper::Limited(limit, rate)));
                    }
                }
            }
            if passed >= needed {
                return Ok(Class::Lower);
            }
            if failed >= needed {
                return Ok(Class::Upper(Upper::Failed(rate)));
            }
        }
        Err(Need { rate_per_s: rate, coarse, so_far })
    }

    /// Upwards from the lowest rate. Either end of the range is taken only by the majority of three.
    fn bracket(&self) -> Result<Bounds, Need> {
        let Terms { from_per_s, to_per_s, .. } = *self.terms;
        let mut bounds = Bounds { low: None, upper: None };
        let mut rate = from_per_s;
        loop {
            let first = self.class(rate, 1, true, bounds)?;
            let is_end = match first {
                Class::Lower => rate >= to_per_s,
                Class::Upper(_) => rate <= from_per_s,
            };
            let class = if is_end { self.class(rate, 3, false, bounds)? } else { first };
            match class {
                Class::Upper(upper) => return Ok(Bounds { upper: Some(upper), ..bounds }),
                Class::Lower => bounds.low = Some(rate),
            }
            if rate >= to_per_s {
                return Ok(bounds);
            }
            let factor = if self.is_easy(rate) { FACTOR_EASY } else { FACTOR };
            rate = neat(rate * factor).min(to_per_s);
        }
    }

    fn is_easy(&self, rate: f64) -> bool {
        let here = self.trials.iter().find(|trial| is_same(trial.rate_per_s, rate));
        here.and_then(|trial| trial.margin).is_some_and(|margin| margin <= EASY.ln())
    }

    /// Checks both bounds with this many trials, moves those that do not hold, and halves the range between.
    fn target(&self, begin: Bounds, trials: usize, width: f64) -> Result<Bounds, Need> {
        let Terms { from_per_s, to_per_s, .. } = *self.terms;
        let (Some(mut low), Some(mut upper)) = (begin.low, begin.upper) else { return Ok(begin) };
        let coarse = trials == 1;
        let so_far = |low: f64, upper: Upper| Bounds { low: Some(low), upper: Some(upper) };
        let mut step = width;
        while let Class::Upper(failed) = self.class(low, trials, coarse, so_far(low, upper))? {
            upper = failed;
            if low <= from_per_s {
                return Ok(Bounds { low: None, upper: Some(upper) });
            }
            low = neat(low / (1.0 + step)).max(from_per_s);
            step *= 2.0;
        }
        step = width;
        loop {
            match self.class(upper.rate(), trials, coarse, so_far(low, upper))? {
                Class::Upper(still) => {
                    upper = still;
                    break;
                }
                Class::Lower => {
                    low = upper.rate();
                    if low >= to_per_s {
                        return Ok(Bounds { low: Some(low), upper: None });
                    }
                    upper = Upper::Failed(neat(low * (1.0 + step)).min(to_per_s));
                    step *= 2.0;
                }
            }
        }
        while upper.rate() / low > 1.0 + width * ROUNDING {
            let middle = neat((low * upper.rate()).sqrt());
            if middle <= low || middle >= upper.rate() {
                break;
            }
            match self.class(middle, trials, coarse, so_far(low, upper))? {
                Class::Lower => low = middle,
                Class::Upper(failed) => upper = failed,
            }
        }
        Ok(so_far(low, upper))
    }
}
