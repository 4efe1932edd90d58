//! Plan of the looks at a study, fixed before its first block; and the distance to an answer.

use crate::bounds::{self, Spending, borrowed::LentBound};
use crate::sample::Moments;
use crate::student;
use crate::{Between, Claim, Lent};

/// Spread of the log-ratio between blocks that is assumed before two blocks have shown it: 6 %, the middle
/// of the 4 to 8 % that the throughput of two variants of one server showed from start to start on a shared
/// machine.
pub const A_PRIORI_SPREAD: f64 = 0.06;

/// Blocks beyond which no projection is made: by then the spread seen so far tells little, and the answer is of no
/// use.
const PROJECTION_MAX: u32 = 500;

/// Fewest blocks on which constants are compared exactly.
pub(crate) const CONSTANT_BLOCKS_MIN: u32 = 4;

/// Rule that keeps repeated looks valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Looks at numbers of blocks that were named before, of which one is the last.
    #[default]
    Looks,
    /// A look after every block, without an end.
    Anytime,
}

/// Plan of the looks at a study; fixed before the first block.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// Blocks at which a look is taken, increasing. A single `[1]` is the smoke preset: everything undecided.
    pub looks: Vec<u32>,
    /// Error rate over all claims, both sides: 0.05.
    pub alpha: f64,
    /// Kind of the bounds at the looks.
    pub kind: Kind,
    /// True if a claim is closed as undecided when the last look would hardly settle it. It can make no claim
    /// supported or refuted, and so takes nothing of the error rate. Nothing is closed where there is no last look.
    pub futility: bool,
    /// Spread between sittings in earlier ones, for some of the claims.
    pub known: Vec<KnownSpread>,
    /// Spreads between blocks that earlier runs lend to some of the claims.
    pub lent: Vec<LentSpread>,
    /// The rules by which it is judged: 0 are those before the end of a budget was a look and blocks that are left out had a
    /// reach, 1 those before a spread was borrowed and the error rate spent evenly.
    pub method: u32,
}

/// The bound with a lent spread is at most this share of the one without where borrowing is worth it.
const WORTH_BORROWING: f64 = 0.88;

const METHOD: u32 = 2;

/// The spread between blocks in what a claim is about, as the like of it had in earlier runs.
#[derive(Clone, Debug, PartialEq)]
pub struct LentSpread {
    /// Text of the claim, at a definite load point.
    pub claim: String,
    /// Standard deviation between blocks, of the logarithms: 0.02 is 2 %.
    pub spread: f64,
    /// Comparisons, or levels, that it comes from.
    pub relatives: u32,
}

/// The spread between sittings in what a claim is about, known before the first block.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownSpread {
    /// Text of the claim, at a definite load point.
    pub claim: String,
    pub between: Between,
}

impl Default for Design {
    /// Looks at 5, 8, 12, 16, 20 and 30 blocks.
    fn default() -> Self {
        Design::at(&[5, 8, 12, 16, 20, 30])
    }
}

impl Design {
    /// One block; every claim stays undecided.
    pub fn smoke() -> Self {
        Design::at(&[1])
    }

    /// Looks at 4, 6, 8, 10 and 12 blocks.
    pub fn quick() -> Self {
        Design::at(&[4, 6, 8, 10, 12])
    }

    /// Looks at 6, 10, 15, 20, 30 and 40 blocks.
    pub fn thorough() -> Self {
        Design::at(&[6, 10, 15, 20, 30, 40])
    }

    /// Looks of one's own, at the usual error rate of 5 %.
    pub fn at(looks: &[u32]) -> Self {
        Design {
            looks: looks.to_vec(),
            alpha: bounds::TABLE_ALPHA,
            kind: Kind::Looks,
            futility: false,
            known: Vec::new(),
            lent: Vec::new(),
            method: METHOD,
        }
    }

    /// A look after every block from the fifth, which is the first that can tell anything, to the last of `blocks`.
    pub fn anytime(blocks: u32) -> Self {
        let looks = (bounds::ANYTIME_FIRST..=blocks.max(bounds::ANYTIME_FIRST)).collect();
        Design { looks, kind: Kind::Anytime, ..Design::at(&[]) }
    }

    /// The same, with claims closed that the last look would hardly settle.
    pub fn with_futility(self) -> Self {
        Design { futility: true, ..self }
    }

    /// Spread between sittings, as far as it is known, in the quantity of this claim.
    pub(crate) fn between(&self, claim: &Claim) -> Option<&Between> {
        self.known.iter().find(|known| known.claim == claim.text).map(|known| &known.between)
    }

    /// Blocks at the last look; 0 for a design without any.
    pub fn last(&self) -> u32 {
        self.looks.last().copied().unwrap_or(0)
    }

    /// The spending function by the rules of the plan.
    fn spending(&self) -> Spending {
        if self.method < 2 { Spending::late(self.alpha) } else { Spending::even(self.alpha) }
    }

    /// The bounds at all looks while `claims` claims share the error rate; infinite where nothing can be said.
    pub(crate) fn row(&self, claims: u32) -> Option<Vec<f64>> {
        match self.kind {
            Kind::Looks => bounds::row(&self.looks, self.spending(), claims),
            Kind::Anytime if claims == 0 => None,
            Kind::Anytime => {
                let share = self.alpha / f64::from(claims);
                Some(self.looks.iter().map(|&look| bounds::anytime(look, share)).collect())
            }
        }
    }

    /// True of a plan that gains from borrowing, with that many claims: where its first look may spend so much that
    /// its own bound is hardly wider, borrowing would only cost those that are noisier than what was lent.
    pub(crate) fn is_worth_borrowing(&self, claims: u32) -> bool {
        let first = |lends| self.criticals(claims, lends)?.first().copied();
        let (plain, lent) = (first(false), first(true).and_then(|critical| critical.lent));
        plain.zip(lent).is_some_and(|(plain, lent)| lent.bound < WORTH_BORROWING * plain.own)
    }

    /// As [`row`](Self::row), for claims that a spread was lent to.
    fn criticals(&self, claims: u32, lends: bool) -> Option<Vec<Critical>> {
        if !lends {
            return Some(self.row(claims)?.into_iter().map(|own| Critical { own, lent: None }).collect());
        }
        let rows = bounds::borrowed::rows(&self.looks, self.last(), false, self.alpha, claims)?;
        Some(
            rows.own
                .into_iter()
                .zip(rows.lent)
                .map(|(own, lent)| Critical { own, lent: Some(lent) })
                .collect(),
        )
    }

    /// The bound on |t| at a look (from 0) while `claims` claims share the error rate. `None` when the design has no
    /// such look, nothing can be said at it, or its looks are not a plan (see [`bounds::compute`]), as in
    /// [`Design::smoke`].
    pub fn bound(&self, look: usize, claims: u32) -> Option<f64> {
        self.row(claims)?.get(look).copied().filter(|bound| bound.is_finite())
    }
}

/// Critical values of a claim's intervals at one look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Critical {
    /// Bound on |t|, of the interval by the own spread.
    pub own: f64,
    /// Bound where a spread was lent.
    pub lent: Option<LentBound>,
}

impl Critical {
    const NONE: Critical = Critical { own: f64::INFINITY, lent: None };

    /// Half the width of the interval, the narrower one where there are two.
    pub fn half(&self, moments: &Moments, lent: Option<Lent>) -> f64 {
        (self.own * moments.standard_error()).min(self.half_by_lent(moments, lent))
    }

    /// Half-width of the interval by the lent spread; infinite without one, and where it does not apply to this
    /// claim.
    pub fn half_by_lent(&self, moments: &Moments, lent: Option<Lent>) -> f64 {
        self.lent.zip(lent).map_or(f64::INFINITY, |(bound, lent)| {
            bound.times_spread(moments.sd, lent.spread, moments.n) / f64::from(moments.n).sqrt()
        })
    }
}

/// Blocks at the next look when `have` are complete; `None` when all looks are behind.
pub fn next_look(design: &Design, have: u32) -> Option<u32> {
    design.looks.iter().copied().find(|&look| look > have)
}

/// Blocks in all until the interval of a mean with that spread has at most the half-width `reach`, both on the same
/// (logarithmic) scale, when `claims` claims share the error rate. At the looks the bounds hold; beyond the last one
/// the last bound is carried on. `None` for more than 500 blocks, or when spread or reach are not above zero.
pub fn projected_blocks(design: &Design, claims: u32, spread: f64, reach: f64) -> Option<u32> {
    blocks_needed(design, claims, spread, reach, 0, None)
}

/// As [`projected_blocks`], at a look beyond the blocks there are, and with the spread that may have been lent.
pub(crate) fn blocks_needed(
    design: &Design,
    claims: u32,
    spread: f64,
    reach: f64,
    have: u32,
    lent: Option<Lent>,
) -> Option<u32> {
    if !(spread > 0.0 && spread.is_finite() && reach > 0.0) {
        return None;
    }
    // A plan without bounds of its own (smoke) is judged as if it were the quick one.
    let (looks, row) = match design.criticals(claims, lent.is_some()) {
        Some(row) => (design.looks.clone(), row),
        None => {
            let quick = Design { alpha: design.alpha, method: design.method, ..Design::quick() };
            let row = quick.criticals(claims, lent.is_some())?;
            (quick.looks, row)
        }
    };
    let half = |at: &Critical, n: u32| at.half(&Moments { n, mean: 0.0, sd: spread }, lent);
    let at_look = looks.iter().zip(&row).find(|&(&look, at)| look > have && half(at, look) <= reach);
    if let Some((&look, _)) = at_look {
        return Some(look);
    }
    let blocks = (row.last()?.own * spread / reach).powi(2).ceil();
    (blocks <= f64::from(PROJECTION_MAX)).then_some((blocks as u32).max(have + 1))
}

/// The bounds of a design at each number of claims, as they are asked for.
pub(crate) struct Bounds<'a> {
    design: &'a Design,
    rows: std::collections::BTreeMap<(u32, bool), Option<Vec<Critical>>>,
}

/// At how many blocks an interval is asked for, and what it may spend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub blocks: u32,
    /// Claims that share the error rate.
    pub claims: u32,
    /// True if no look is to come, so that this one has all that is left of the error rate.
    pub ends: bool,
    /// True where a spread was lent.
    pub lends: bool,
}

impl<'a> Bounds<'a> {
    pub fn new(design: &'a Design) -> Self {
        Bounds { design, rows: std::collections::BTreeMap::new() }
    }

    /// The bound for `blocks` blocks, by the own spread and with all of the error rate.
    pub fn for_blocks(&mut self, blocks: u32, claims: u32) -> f64 {
        self.at(At { blocks, claims, ends: false, lends: false }).own
    }

    /// Anytime-valid bounds are those of any number of blocks. Else they are those of the last look not beyond them. A later
    /// look's bounds would be narrower, so these are on the safe side between looks. Before the first look it is the bound of
    /// a plan whose first look were here. Infinite where nothing can be said.
    pub fn at(&mut self, at: At) -> Critical {
        let design = self.design;
        let Some(&last) = design.looks.last().filter(|_| at.blocks > 1) else { return Critical::NONE };
        let share = 1.0 / f64::from(at.claims.max(1));
        if design.kind == Kind::Anytime {
            return Critical { own: bounds::anytime(at.blocks, design.alpha * share), lent: None };
        }
        if at.ends && at.blocks < last {
            return self.at_the_end(at, last).unwrap_or(Critical::NONE);
        }
        match design.looks.iter().rposition(|&look| look <= at.blocks) {
            Some(index) => {
                let row = || design.criticals(at.claims, at.lends);
                let row = self.rows.entry((at.claims, at.lends)).or_insert_with(row);
                row.as_ref().map_or(Critical::NONE, |row| row[index])
            }
            None => {
                let own = student::critical(design.spending().part(share).by(at.blocks, last), at.blocks - 1);
                Critical { own, lent: None }
            }
        }
    }

    /// The bounds of a look that no other follows: what the looks before it have left of the error rate is spent.
    fn at_the_end(&self, at: At, last: u32) -> Option<Critical> {
        let before = self.design.looks.iter().copied().filter(|&look| look < at.blocks);
        let looks: Vec<u32> = before.chain([at.blocks]).collect();
        let share = 1.0 / f64::from(at.claims.max(1));
        if at.lends {
            let rows = bounds::borrowed::rows(&looks, last, true, self.design.alpha, at.claims.max(1))?;
            return Some(Critical { own: *rows.own.last()?, lent: rows.lent.last().copied() });
        }
        let own = bounds::ended(&looks, last, self.design.spending().part(share))?;
        Some(Critical { own: *own.last()?, lent: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_look_is_the_first_one_ahead() {
        let quick = Design::quick();
        let next: Vec<_> = [0, 3, 4, 5, 11, 12, 13].map(|have| next_look(&quick, have)).to_vec();
        assert_eq!(next, [Some(4), Some(4), Some(6), Some(6), Some(12), None, None]);
        assert_eq!(next_look(&Design::smoke(), 0), Some(1));
        assert_eq!(next_look(&Design::smoke(), 1), None);
    }

    #[test]
    fn the_quick_plan_has_the_bounds_it_was_designed_with() {
        for (claims, expected) in [
            (1, [4.86, 3.84, 3.28, 2.97, 2.77]),
            (3, [7.18, 5.16, 4.23, 3.75, 3.48]),
            (5, [8.58, 5.85, 4.69, 4.13, 3.80]),
        ] {
            for (look, expected) in expected.into_iter().enumerate() {
                let bound = Design::quick().bound(look, claims).expect("a look");
                assert!(
                    (bound / expected - 1.0).abs() < 0.02,
                    "look {look}, {claims} claims: {bound}, {expected}"
                );
            }
        }
        assert_eq!(Design::quick().bound(5, 1), None);
        assert_eq!(Design::smoke().bound(0, 1), None);
    }

    #[test]
    fn a_narrower_interval_never_takes_fewer_blocks() {
        let design = Design::default();
        let blocks: Vec<_> =
            [0.2, 0.1, 0.05, 0.03, 0.02].map(|reach| projected_blocks(&design, 1, 0.05, reach)).to_vec();
        assert!(blocks.windows(2).all(|pair| pair[0] <= pair[1]), "{blocks:?}");
        assert_eq!(projected_blocks(&design, 1, 0.05, 0.0001), None);
        assert_eq!(projected_blocks(&design, 1, 0.0, 0.05), None);
        assert_eq!(projected_blocks(&design, 1, f64::NAN, 0.05), None);
    }

    #[test]
    fn an_anytime_design_has_a_look_after_every_block_and_the_bounds_of_its_own() {
        let design = Design::anytime(12);
        assert_eq!(design.looks, (5..=12).collect::<Vec<_>>());
        assert_eq!(Design::anytime(1).looks, [5], "fewer blocks than any interval takes");
        let mut bounds = Bounds::new(&design);
        assert!((bounds.for_blocks(8, 1) - 4.25).abs() < 0.01);
        assert_eq!(bounds.for_blocks(8, 1), design.bound(3, 1).expect("a look"));
        assert_eq!((bounds.for_blocks(4, 1), design.bound(0, 20)), (f64::INFINITY, None));
        // 3.35 · 0.05 / √30 is 0.0306; the design's own looks end at 12.
        let needed = projected_blocks(&Design::anytime(200), 1, 0.05, 0.0306).expect("in reach");
        assert!((29..=31).contains(&needed), "{needed}");
    }

    #[test]
    fn a_plan_whose_first_look_spends_most_borrows_nothing() {
        for (looks, claims, worth) in [
            (&[5, 8, 12, 16, 20, 30][..], [1, 2, 3, 12], true),
            (&[4, 6, 8, 10, 12], [1, 2, 3, 12], true),
            (&[4, 6], [1, 2, 3, 12], false),
            (&[6], [1, 2, 3, 12], false),
        ] {
            for claims in claims {
                let first = |lends| Design::at(looks).criticals(claims, lends).expect("a plan")[0];
                let of = (first(false).own, first(true).lent.map(|lent| lent.bound));
                assert_eq!(
                    Design::at(looks).is_worth_borrowing(claims),
                    worth,
                    "{looks:?}, {claims}: {of:?}"
                );
            }
        }
    }

    #[test]
    fn between_looks_the_bound_of_the_last_look_holds() {
        let design = Design::quick();
        let mut bounds = Bounds::new(&design);
        assert_eq!(bounds.for_blocks(7, 1), design.bound(1, 1).expect("the look at six"));
        assert_eq!(bounds.for_blocks(99, 1), design.bound(4, 1).expect("the look at twelve"));
        assert_eq!(bounds.for_blocks(1, 1), f64::INFINITY);
        assert!(bounds.for_blocks(2, 1) > bounds.for_blocks(3, 1));
        assert!(bounds.for_blocks(3, 1) > bounds.for_blocks(4, 1));
    }
}
