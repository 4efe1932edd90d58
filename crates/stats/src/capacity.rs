//! The capacity of a server: the highest rate at which an objective holds, searched for in trials.
//!
//! A trial at a rate passes or fails, and near the capacity it does either by chance. So no single trial decides:
//!
//! 1. **Bracket.** From the lowest rate upwards by factors, until a trial fails.
//! 2. **Search**, after RFC 9971 (MLRsearch): targets that become finer, 8, 4 and 2 % apart, with the majority of 1, 3 and
//!    5 trials at a rate; no trial is made that cannot change a majority; a bound that turns out wrong at a finer target is
//!    moved. At most [`Terms::trials_max`] trials.
//! 3. **Fit** of all trials together: a logistic curve of passing over the logarithm of the rate, with room for
//!    trials that failed for another reason. The interval is its 95 % credible interval ([`fit`]).
//! 4. **Confirmation** on fresh starts: at the lower end at least 4 of 5 trials pass, at the upper end, at least 5 %
//!    above it, at least 4 of 5 fail. An end that is not confirmed moves outwards by 5 %, twice at most. A trial in
//!    which the client was the limit tells nothing, and yet does not count as passed: if trials were dropped that
//!    might have failed, the rest would pass too often.
//!
//! [`Search`] is a function of its trials: the same trials give the same next step and the same answer,
//! so a record yields its answer again, and a search that was cut off goes on.

mod fit;
mod ladder;
mod slo;
#[cfg(test)]
mod tests;

pub use fit::{Fit, fit};
pub use slo::{SHORTFALL_MAX, Slo, SloTerm, parse_slo};

use ladder::{Bounds, Ladder, Need, Upper};

/// Most trials of a search, confirmation not counted.
pub const TRIALS_MAX: u32 = 30;
/// Trials on one start of a server before the search goes on with a fresh one.
pub const RESTART_EVERY: usize = 8;
/// Trials of a confirmation at one rate.
pub const CONFIRM_TRIALS: u32 = 5;
/// Trials of a confirmation that have to agree.
pub const CONFIRM_NEEDED: u32 = 4;
/// Least distance of the confirmed ends, and step by which an end moves that is not confirmed.
pub const CONFIRM_STEP: f64 = 0.05;
/// Most moves of an end.
const MOVES_MAX: u32 = 2;
/// Trials at one rate with the client as the limit that end the confirmation of an upper end there.
const LIMITED_MAX: usize = 3;
/// Digits of a rate that is tried.
const DIGITS: usize = 4;

#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// Lowest rate that is tried, per second.
    pub from_per_s: f64,
    pub to_per_s: f64,
    /// Most trials of the search, confirmation not counted.
    pub trials_max: u32,
}

/// Purpose of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Search,
    /// Confirmation of the lower end.
    ConfirmLow,
    /// Confirmation of the upper end.
    ConfirmHigh,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Stage::Search => "search",
            Stage::ConfirmLow => "confirm-low",
            Stage::ConfirmHigh => "confirm-high",
        }
    }

    /// The stage of that name.
    pub fn from_name(name: &str) -> Option<Stage> {
        [Stage::Search, Stage::ConfirmLow, Stage::ConfirmHigh].into_iter().find(|stage| stage.name() == name)
    }
}

/// Limit of the client in a trial, which therefore tells nothing about the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The generator was not fit at this rate.
    Generator,
    /// All connections that there could be were busy, while the server answered each of them in time.
    Connections,
}

/// Outcome of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The objective held, and the load was offered and carried.
    Pass,
    /// It did not.
    Fail,
    /// The client was the limit: neither.
    Limited(Limit),
}

/// A trial that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Intended rate, per second.
    pub rate_per_s: f64,
    pub stage: Stage,
    /// True if the server was started afresh for it.
    pub fresh: bool,
    pub outcome: Outcome,
    /// Logarithm of the worst of the objective's terms over its limit: below 0 where all hold. `None` where there is no
    /// such value.
    pub margin: Option<f64>,
}

/// A trial that is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    /// Intended rate, per second.
    pub rate_per_s: f64,
    pub stage: Stage,
    /// True if the server is to be started afresh before it.
    pub fresh: bool,
    /// True if half the length is enough, because it only brackets.
    pub coarse: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum NextTrial {
    /// Make this trial, and tell how it came out.
    Trial(Request),
    Done(Answer),
}

/// Confirmation of an end: this many trials at it came out as they should.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confirmed {
    /// Trials that came out as they should.
    pub agreed: u32,
    /// Trials that count: at an upper end those that say anything, at a lower end all of them.
    pub of: u32,
}

/// Answer of a search. Rates are per second.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The capacity lies between `low` and `high`.
    Found {
        /// Confirmed to carry the load.
        low: f64,
        /// Estimate by the fit of all trials.
        point: f64,
        /// Confirmed not to.
        high: f64,
        /// Passes at `low`.
        passed: Confirmed,
        /// Failures at `high`.
        failed: Confirmed,
    },
    /// The objective does not hold at the lowest rate.
    BelowRange { lowest: f64, failed: Confirmed },
    /// It holds at the highest rate.
    AboveRange { highest: f64, passed: Confirmed },
    /// The client was the limit.
    ClientLimited {
        limit: Limit,
        /// Rate at which it was.
        at: f64,
        /// The objective holds at this rate, confirmed.
        at_least: Option<f64>,
        passed: Confirmed,
        /// Without a confirmed rate, the highest below at which most trials passed.
        unconfirmed: Option<f64>,
    },
    /// Too few trials, or trials that contradict each other.
    NotSettled {
        /// Highest rate at which most trials passed.
        passed: Option<f64>,
        /// Lowest rate above it at which most failed.
        failed: Option<f64>,
        why: Unsettled,
    },
}

/// Reason why a search has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsettled {
    /// It was cut off: by a signal, or because the time was up.
    CutOff,
    /// The lower end was not confirmed on fresh starts, however far it was moved.
    LowNotConfirmed,
    /// The same of the upper end.
    HighNotConfirmed,
}

/// A search on its way.
#[derive(Clone, Debug)]
pub struct Search {
    terms: Terms,
    trials: Vec<Trial>,
    /// Ends to be confirmed, once the search is through.
    ends: Option<Ends>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Ends {
    low: Option<f64>,
    high: Option<f64>,
    /// Limit of the client and its rate, if it was the limit.
    limited: Option<(Limit, f64)>,
}

/// The state of the confirmation of one end.
enum Standing {
    /// Make another trial at this rate.
    Open(f64),
    Confirmed(f64, Confirmed),
    Limited(Limit, f64),
    Never,
}

impl Search {
    /// A search that knows nothing yet.
    pub fn new(terms: Terms) -> Self {
        Search { terms, trials: Vec::new(), ends: None }
    }

    /// The trials so far, in order.
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    pub fn tell(&mut self, trial: Trial) {
        self.trials.push(trial);
    }

    /// Trials of the search so far, confirmation not counted.
    pub fn searched(&self) -> usize {
        self.of(Stage::Search).count()
    }

    /// Fit of all trials so far; `None` while none of them tells anything.
    pub fn fit(&self) -> Option<Fit> {
        fit(&self.trials)
    }

    pub fn step(&mut self) -> NextTrial {
        let ends = match self.ends {
            Some(ends) => ends,
            None => match self.search() {
                Ok(ends) => *self.ends.insert(ends),
                Err(step) => return step,
            },
        };
        self.confirm(&ends)
    }

    /// The answer where the search has to end now.
    pub fn cut_off(&mut self) -> Answer {
        match self.step() {
            NextTrial::Done(answer) => answer,
            NextTrial::Trial(_) => self.unsettled(Unsettled::CutOff),
        }
    }

    fn of(&self, stage: Stage) -> impl DoubleEndedIterator<Item = &Trial> {
        self.trials.iter().filter(move |trial| trial.stage == stage)
    }

    /// The ends that are to be confirmed, or what to do before.
    fn search(&self) -> Result<Ends, NextTrial> {
        let trials: Vec<&Trial> = self.of(Stage::Search).collect();
        let bounds = match Ladder::new(&self.terms, &trials).bounds() {
            Ok(bounds) => bounds,
            Err(need) if trials.len() < self.terms.trials_max as usize => {
                let since = self.trials.iter().rev().take_while(|trial| !trial.fresh).count();
                let fresh = trials.is_empty() || since + 1 >= RESTART_EVERY;
                let (rate_per_s, coarse) = (need.rate_per_s, need.coarse);
                return Err(NextTrial::Trial(Request { rate_per_s, stage: Stage::Search, fresh, coarse }));
            }
            // All trials are used up: both sides of a bracket are known, with the uncertainty of the fit.
            Err(Need { so_far: so_far @ Bounds { low: Some(_), upper: Some(_) }, .. }) => so_far,
            Err(_) => return Err(NextTrial::Done(self.unsettled(Unsettled::CutOff))),
        };
        match bounds {
            Bounds { low: Some(low), upper: Some(Upper::Failed(_)) } => Ok(self.fitted(low)),
            Bounds { low: None, upper: Some(Upper::Limited(limit, at)) } => {
                Err(NextTrial::Done(self.client_limited(limit, at)))
            }
            Bounds { low, upper: Some(Upper::Limited(limit, at)) } => {
                Ok(Ends { low, high: None, limited: Some((limit, at)) })
            }
            Bounds { low, upper: Some(Upper::Failed(at)) } => Ok(Ends { low, high: Some(at), limited: None }),
            Bounds { low, upper: None } => Ok(Ends { low, high: None, limited: None }),
        }
    }

    /// The ends of the fit's interval, at least a step apart, within the range.
    fn fitted(&self, low: f64) -> Ends {
        let Terms { from_per_s, to_per_s, .. } = self.terms;
        // Of the search alone: what confirms the ends has no part in where they lie.
        let searched: Vec<Trial> = self.of(Stage::Search).cloned().collect();
        let (below, above) = match fit(&searched) {
            Some(fit) => (fit.low.min(fit.high), fit.high),
            None => (low, low),
        };
        let below = neat(below).clamp(from_per_s, to_per_s);
        let above = neat(above.max(below * (1.0 + CONFIRM_STEP)));
        Ends { low: Some(below), high: Some(above.min(to_per_s)), limited: None }
    }

    fn confirm(&self, ends: &Ends) -> NextTrial {
        let down = |rate: f64| neat(rate / (1.0 + CONFIRM_STEP)).max(self.terms.from_per_s);
        let up = |rate: f64| neat(rate * (1.0 + CONFIRM_STEP)).min(self.terms.to_per_s);
        let low = ends.low.map(|low| self.standing(low, Stage::ConfirmLow, Outcome::Pass, down));
        let high = ends.high.map(|high| self.standing(high, Stage::ConfirmHigh, Outcome::Fail, up));
        if let Some(Standing::Never) = low {
            return NextTrial::Done(self.unsettled(Unsettled::LowNotConfirmed));
        }
        if let Some(Standing::Never) = high {
            return NextTrial::Done(self.unsettled(Unsettled::HighNotConfirmed));
        }
        if let Some(Standing::Limited(limit, at)) = low {
            return NextTrial::Done(self.client_limited(limit, at));
        }
        let (tried_low, tried_high) =
            (self.of(Stage::ConfirmLow).count(), self.of(Stage::ConfirmHigh).count());
        match (&low, &high) {
            (Some(Standing::Open(rate)), Some(Standing::Open(_))) if tried_low <= tried_high => {
                self.ask(*rate, Stage::ConfirmLow)
            }
            (_, Some(Standing::Open(rate))) => self.ask(*rate, Stage::ConfirmHigh),
            (Some(Standing::Open(rate)), _) => self.ask(*rate, Stage::ConfirmLow),
            (low, high) => NextTrial::Done(self.answer(ends, low.as_ref(), high.as_ref())),
        }
    }

    /// A trial of the confirmation. Both ends are tried on one fresh start, the lower one first: what the upper one
    /// leaves behind would spoil it.
    fn ask(&self, rate_per_s: f64, stage: Stage) -> NextTrial {
        let shares = stage == Stage::ConfirmHigh
            && self.trials.last().is_some_and(|last| last.stage == Stage::ConfirmLow && last.fresh);
        NextTrial::Trial(Request { rate_per_s, stage, fresh: !shares, coarse: false })
    }

    fn standing(&self, at: f64, stage: Stage, wanted: Outcome, moved: impl Fn(f64) -> f64) -> Standing {
        let mut rate = at;
        for step in 0..=MOVES_MAX {
            let here: Vec<Outcome> =
                self.of(stage).filter(|trial| is_same(trial.rate_per_s, rate)).map(|t| t.outcome).collect();
            let limits = || {
                here.iter().filter_map(|outcome| match outcome {
                    Outcome::Limited(limit) => Some(*limit),
                    _ => None,
                })
            };
            let limited = limits().count();
            let is_low = wanted == Outcome::Pass;
            if let Some(limit) = limits().next().filter(|_| !is_low && limited >= LIMITED_MAX) {
                return Standing::Limited(limit, rate);
            }
            let of = here.len() - if is_low { 0 } else { limited };
            let agreed = here.iter().filter(|outcome| **outcome == wanted).count();
            if agreed >= CONFIRM_NEEDED as usize {
                return Standing::Confirmed(rate, Confirmed { agreed: agreed as u32, of: of as u32 });
            }
            let may_fail = (CONFIRM_TRIALS - CONFIRM_NEEDED) as usize;
            if of - agreed <= may_fail {
                return Standing::Open(rate);
            }
            let next = moved(rate);
            if step == MOVES_MAX || is_same(next, rate) {
                // Two did not pass; with one of them the client's the server has not failed here yet.
                let limit = limits().next().filter(|_| is_low);
                return limit.map_or(Standing::Never, |limit| Standing::Limited(limit, rate));
            }
            rate = next;
        }
        Standing::Never
    }

    fn answer(&self, ends: &Ends, low: Option<&Standing>, high: Option<&Standing>) -> Answer {
        let confirmed = |standing: Option<&Standing>| match standing {
            Some(Standing::Confirmed(rate, confirmed)) => Some((*rate, *confirmed)),
            _ => None,
        };
        let limited = match high {
            Some(Standing::Limited(limit, at)) => Some((*limit, *at)),
            _ => ends.limited,
        };
        match (confirmed(low), confirmed(high), limited) {
            (Some((at_least, passed)), _, Some((limit, at))) => {
                Answer::ClientLimited { limit, at, at_least: Some(at_least), passed, unconfirmed: None }
            }
            (None, _, Some((limit, at))) => self.client_limited(limit, at),
            (Some((low, passed)), Some((high, failed)), None) => {
                let point = self.fit().map_or_else(|| (low * high).sqrt(), |fit| fit.point);
                Answer::Found { low, point: point.clamp(low, high), high, passed, failed }
            }
            (Some((highest, passed)), None, None) if is_same(highest, self.terms.to_per_s) => {
                Answer::AboveRange { highest, passed }
            }
            (None, Some((lowest, failed)), None) if is_same(lowest, self.terms.from_per_s) => {
                Answer::BelowRange { lowest, failed }
            }
            // An end that held on the warm server did not on fresh ones, or the other way round.
            (None, ..) => self.unsettled(Unsettled::LowNotConfirmed),
            (_, None, _) => self.unsettled(Unsettled::HighNotConfirmed),
        }
    }

    /// The client was the limit, and nothing is confirmed.
    fn client_limited(&self, limit: Limit, at: f64) -> Answer {
        let unconfirmed = self.mostly(Outcome::Pass).into_iter().rev().find(|rate| *rate < at);
        Answer::ClientLimited { limit, at, at_least: None, passed: Confirmed::default(), unconfirmed }
    }

    fn unsettled(&self, why: Unsettled) -> Answer {
        let passed = self.mostly(Outcome::Pass).last().copied();
        let above = |rate: &f64| passed.is_none_or(|low| *rate > low);
        Answer::NotSettled { passed, failed: self.mostly(Outcome::Fail).into_iter().find(above), why }
    }

    /// The rates at which most trials came out so, the lowest first.
    fn mostly(&self, outcome: Outcome) -> Vec<f64> {
        let mut rates: Vec<f64> = self.trials.iter().map(|trial| trial.rate_per_s).collect();
        rates.sort_by(f64::total_cmp);
        rates.dedup_by(|a, b| is_same(*a, *b));
        rates.retain(|rate| {
            let here = || self.trials.iter().filter(|trial| is_same(trial.rate_per_s, *rate));
            2 * here().filter(|trial| trial.outcome == outcome).count() > here().count()
        });
        rates
    }
}

/// A rate with four digits, which is precise enough, and survives a round trip through its text.
pub(crate) fn neat(rate: f64) -> f64 {
    format!("{rate:.*e}", DIGITS - 1).parse().unwrap_or(rate)
}

/// Rates that went through a record and back.
fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}
