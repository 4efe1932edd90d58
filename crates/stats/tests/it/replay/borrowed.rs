//! Claims that borrow their spread: studies in which no two claims have the same one, and none the lent one.
//!
//! A spread is like its relatives' only on average over many. So each study here has fixed spreads, which the rest of
//! its kind have, too; all claims are of equal variants, and any that is decided is an error of the study.

use super::{full_size, truths::percent};
use proofload_facts::Finding;
use proofload_stats::rng::Rng;
use proofload_stats::{
    Between, Cell, Claim, Design, Judged, KnownSpread, LentSpread, Names, Observations, Reach, Selector,
    Sittings, Verdict, judge, parse_claim,
};

/// The spread of most contrasts.
const SPREAD: f64 = 0.02;
const BLOCKS: u32 = 30;
/// Relatives beside the claims are measured in the blocks that lend.
const FIRST: u32 = 5;
const STUDIES: u32 = full_size(60, 4_000);

/// Contrasts that are off.
#[derive(Clone, Copy, Debug)]
enum Off {
    OneClaim,
    EverySecond,
    AllClaims,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Values {
    Normal,
    /// Student's t with four degrees of freedom.
    Heavy,
    /// Spread that doubles from the first block to the last.
    Drifting,
    /// A condition of measuring that moves the ratio up and down by one spread.
    Conditions,
    /// The generator unfit in a tenth of the blocks.
    Guarded,
}

/// Studies of one kind.
#[derive(Clone, Copy, Debug)]
struct Kind {
    claims: usize,
    /// Contrasts that no claim is about.
    others: usize,
    off: Off,
    /// Spread of those that are off, in usual spreads.
    times: f64,
    /// Spread that earlier runs lend, in usual spreads.
    history: Option<f64>,
    values: Values,
    /// Correlation of one contrast with another: what the starts of the same variants have in common.
    correlation: f64,
    /// Effect of all claims, in usual spreads.
    effect: f64,
}

const USUAL: Kind = Kind {
    claims: 3,
    others: 0,
    off: Off::OneClaim,
    times: 1.0,
    history: None,
    values: Values::Normal,
    correlation: 0.0,
    effect: 0.0,
};

impl Kind {
    fn spread_of(self, contrast: usize) -> f64 {
        let is_off = match self.off {
            Off::OneClaim => contrast == 0,
            Off::EverySecond => contrast.is_multiple_of(2),
            Off::AllClaims => contrast < self.claims,
        };
        SPREAD * if is_off { self.times } else { 1.0 }
    }

    fn value(self, block: u32, contrast: usize, common: f64, rng: &mut Rng) -> f64 {
        let own = match self.values {
            // Two of its four degrees of freedom are what its variance is more than 1.
            Values::Heavy => {
                let squares: f64 = (0..4).map(|_| rng.normal().powi(2)).sum();
                rng.normal() / (squares / 4.0).sqrt() / 2.0_f64.sqrt()
            }
            _ => self.correlation.sqrt() * common + (1.0 - self.correlation).sqrt() * rng.normal(),
        };
        let of_block = match self.values {
            Values::Drifting => own * (0.7 + 0.7 * f64::from(block) / f64::from(BLOCKS)),
            Values::Conditions if block.is_multiple_of(2) => own + 1.0,
            Values::Conditions => own - 1.0,
            _ => own,
        };
        self.effect * SPREAD + self.spread_of(contrast) * of_block
    }

    fn study(self, rng: &mut Rng) -> Observations {
        let mut observations = Observations { blocks: (1..=BLOCKS).collect(), ..Observations::default() };
        if self.values == Values::Conditions {
            observations.conditions = vec![(1..=BLOCKS).map(|block| (block % 2) as usize).collect()];
        }
        for block in 1..=BLOCKS {
            let common = rng.normal();
            let is_unfit = self.values == Values::Guarded && rng.uniform() < 0.1;
            let contrasts = if block <= FIRST { self.claims + self.others } else { self.claims };
            for contrast in 0..contrasts {
                let log = self.value(block, contrast, common, rng);
                for (variant, log) in [log, 0.0].into_iter().enumerate() {
                    let value = Some(10_000.0 * log.exp());
                    observations.cells.push(Cell {
                        block,
                        variant,
                        point: contrast,
                        cycles: vec![value],
                        merged: value,
                        finished: 100_000,
                        unfit: if is_unfit { vec![Finding::Unfit] } else { Vec::new() },
                        unfit_reach: Reach::ANY,
                        ..Cell::default()
                    });
                }
            }
        }
        observations
    }

    fn claims(self) -> Vec<Claim> {
        let variant = |name: &str| Selector { name: name.into(), levels: Vec::new() };
        let points: Vec<String> = (1..=self.claims + self.others).map(|point| format!("{point}c")).collect();
        let names = Names { variants: vec![variant("a"), variant("b")], points, ..Names::default() };
        let claim = |at: usize| {
            let text = format!("throughput(a) > throughput(b) @ {at}c");
            parse_claim("claim", &text, &names).expect("a claim").remove(0)
        };
        (1..=self.claims).map(claim).collect()
    }

    fn design(self, claims: &[Claim]) -> Design {
        let lent = |spread: f64| {
            let of = |claim: &Claim| LentSpread {
                claim: claim.text.clone(),
                spread: spread * SPREAD,
                relatives: 12,
            };
            claims.iter().map(of).collect()
        };
        Design { lent: self.history.map(lent).unwrap_or_default(), ..Design::default() }
    }

    /// Results of `studies` studies, under the newest rules or those before a spread was borrowed.
    fn found(self, studies: u32, seed: u64, borrows: bool) -> Found {
        let claims = self.claims();
        let design = self.design(&claims);
        let design = if borrows { design } else { Design { method: 1, ..design } };
        let mut found = Found::default();
        for study in 0..u64::from(studies) {
            let judged = judge(&claims, &self.study(&mut Rng::new(seed + study)), &design).claims;
            found.count(&judged);
        }
        found
    }
}

/// Results of studies of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    /// Studies with a claim that was decided.
    decided: u32,
    /// Studies with one that was refuted.
    refuted: u32,
    claims: u32,
    /// Claims that were decided at the first look, and at the first two.
    at_first: u32,
    at_second: u32,
    blocks: u32,
    /// Claims that were judged by the lent spread.
    by_lent: u32,
}

impl Found {
    fn count(&mut self, judged: &[Judged]) {
        let is_decided = |claim: &&Judged| claim.verdict != Verdict::Undecided;
        let decided = || judged.iter().filter(is_decided);
        self.decided += u32::from(decided().next().is_some());
        self.refuted += u32::from(judged.iter().any(|claim| claim.verdict == Verdict::Refuted));
        self.claims += judged.len() as u32;
        self.at_first += decided().filter(|claim| claim.blocks <= 5).count() as u32;
        self.at_second += decided().filter(|claim| claim.blocks <= 8).count() as u32;
        self.blocks += judged.iter().map(|claim| claim.blocks).sum::<u32>();
        self.by_lent +=
            judged.iter().filter_map(|claim| claim.borrowed).filter(|it| it.is_used).count() as u32;
    }

    fn mean_blocks(&self) -> f64 {
        f64::from(self.blocks) / f64::from(self.claims)
    }
}

/// Expected number of errors, and three standard deviations.
fn limit(studies: u32, rate: f64) -> u32 {
    super::binomial_limit(studies, rate)
}

/// Holds each kind against the error rate, and all together.
fn truth(planted: &str, kinds: &[Kind], seed: u64) {
    let (mut told, mut too_many, mut all) = (Vec::new(), Vec::new(), 0);
    for (kind, seed) in kinds.iter().zip((seed..).step_by(STUDIES as usize)) {
        let found = kind.found(STUDIES, seed, true);
        all += found.decided;
        told.push(percent(found.decided, STUDIES));
        if found.decided > limit(STUDIES, 0.055) {
            too_many.push(format!("{kind:?}: {found:?}"));
        }
    }
    let studies = STUDIES * kinds.len() as u32;
    println!(
        "truth 17 | {planted}; {STUDIES} studies each of {} kinds | a false winner in 5.5 % of each at most and in 5 % of all, give or \
         take chance | {} of all; {}",
        kinds.len(),
        percent(all, studies),
        told.join(" ")
    );
    assert!(too_many.is_empty(), "{too_many:#?}");
    assert!(all <= limit(studies, 0.05), "{all} of {studies}");
}

const TIMES: [f64; 6] = [0.1, 0.3, 2.0, 3.0, 5.0, 10.0];

#[test]
fn truth_17_claims_with_a_spread_unlike_the_others_find_no_more_than_they_may() {
    let of = |claims, others, off| TIMES.map(|times| Kind { claims, others, off, times, ..USUAL });
    let kinds = [
        of(3, 0, Off::OneClaim),
        of(3, 4, Off::AllClaims),
        of(6, 0, Off::EverySecond),
        of(1, 20, Off::OneClaim),
        of(12, 0, Off::OneClaim),
        of(3, 60, Off::AllClaims),
    ];
    truth(
        "one claim, every second or all with 0.1 to 10 times the spread of the rest",
        &kinds.concat(),
        171_000_000,
    );
}

#[test]
fn truth_17_earlier_runs_that_were_quieter_or_louder_lend_no_winner() {
    let kinds: Vec<Kind> = [1, 3, 12]
        .into_iter()
        .flat_map(|claims| {
            [0.2, 0.33, 0.5, 1.0, 5.0].map(|lent| Kind { claims, history: Some(lent), ..USUAL })
        })
        .map(|kind| if kind.claims > 3 { Kind { others: 0, ..kind } } else { kind })
        .collect();
    truth("a spread of 0.2 to 5 times the true one lent by earlier runs", &kinds, 172_000_000);
}

#[test]
fn truth_17_correlated_contrasts_lend_no_winner() {
    let of = |correlation: f64| {
        [1.0, 2.0, 4.0].map(|times| Kind { correlation, times, off: Off::AllClaims, others: 3, ..USUAL })
    };
    let kinds = [0.25, 0.5, 0.75, 0.95].map(of);
    truth(
        "contrasts with correlations of 0.25 to 0.95, all claims 1 to 4 times as noisy",
        &kinds.concat(),
        173_000_000,
    );
}

#[test]
fn truth_17_what_is_not_normal_lends_no_winner() {
    let of = |values| {
        [(1.0, None), (3.0, None), (1.0, Some(0.33)), (1.0, Some(1.0))].map(|(times, history)| Kind {
            values,
            times,
            history,
            others: 3,
            off: Off::AllClaims,
            ..USUAL
        })
    };
    let kinds = [Values::Heavy, Values::Drifting, Values::Conditions, Values::Guarded].map(of);
    truth(
        "heavy tails, a spread that doubles, a condition that moves all, unfit blocks",
        &kinds.concat(),
        174_000_000,
    );
}

#[test]
fn truth_17_a_borrowed_spread_decides_sooner_and_the_right_way() {
    let studies = full_size(40, 4_000);
    let (mut told, mut blocks, mut first, mut second) = (Vec::new(), [0.0; 2], [0; 2], [0; 2]);
    for (place, claims) in [3, 4, 6].into_iter().enumerate() {
        for effect in [2.0, 3.0, 4.0] {
            let kind = Kind { claims, effect, history: Some(1.0), ..USUAL };
            let seed = 175_000_000 + 100_000 * place as u64;
            let [plain, lent] = [false, true].map(|borrows| kind.found(studies, seed, borrows));
            assert_eq!((plain.refuted, lent.refuted), (0, 0), "the wrong direction");
            for (at, found) in [plain, lent].iter().enumerate() {
                blocks[at] += found.mean_blocks();
                first[at] += found.at_first;
                second[at] += found.at_second;
            }
            told.push(format!(
                "{claims} claims, {effect} s₀: {} to {} at the first look, {} to {} at two, {:.1} to {:.1} blocks",
                percent(plain.at_first, plain.claims),
                percent(lent.at_first, lent.claims),
                percent(plain.at_second, plain.claims),
                percent(lent.at_second, lent.claims),
                plain.mean_blocks(),
                lent.mean_blocks(),
            ));
        }
    }
    println!(
        "truth 17 | effects of 2 to 4 spreads; {studies} studies each | sooner than by the own spread alone | {}",
        told.join("; ")
    );
    assert!(10 * first[1] > 18 * first[0] && second[1] > second[0], "{first:?}, {second:?}");
    assert!(blocks[1] < 0.85 * blocks[0], "{blocks:?}");
}

/// Pairs of studies of equal variants, in sittings that move all they see by τ, that find opposite winners; and studies that find one.
fn contradicting(tau: f64, sittings: u32, studies: u32, seed: u64) -> (u32, u32) {
    let mut rng = Rng::new(seed);
    let (mut contradicting, mut winners) = (0, 0);
    for study in 0..u64::from(studies) {
        let mut verdict = |at: u64| {
            let shift = |rng: &mut Rng| tau / SPREAD * rng.normal();
            let kind = Kind { claims: 1, history: Some(1.0), effect: shift(&mut rng), ..USUAL };
            let earlier: Vec<Vec<f64>> = (0..sittings)
                .map(|_| {
                    let common = SPREAD * shift(&mut rng);
                    (0..FIRST).map(|_| common + SPREAD * rng.normal()).collect()
                })
                .collect();
            let claims = kind.claims();
            let between: Option<Between> = Sittings::of(&earlier).and_then(|sittings| sittings.between);
            let known = between.map(|between| KnownSpread { claim: claims[0].text.clone(), between });
            let design = Design { known: known.into_iter().collect(), ..kind.design(&claims) };
            let observations = kind.study(&mut Rng::new(seed + 2 * study + at));
            judge(&claims, &observations, &design).claims[0].verdict
        };
        let both = [verdict(0), verdict(1)];
        winners += both.iter().filter(|verdict| **verdict != Verdict::Undecided).count() as u32;
        contradicting += u32::from(both.contains(&Verdict::Supported) && both.contains(&Verdict::Refuted));
    }
    (contradicting, winners)
}

#[test]
fn truth_17_sittings_that_lend_what_they_differ_by_do_not_contradict_each_other() {
    let studies = full_size(300, 20_000);
    let (mut told, mut without) = (Vec::new(), Vec::new());
    for (place, tau) in [0.02, 0.04, 0.06].into_iter().enumerate() {
        let seed = 176_000_000 + 1_000_000 * place as u64;
        for sittings in [4, 8] {
            let (found, winners) = contradicting(tau, sittings, studies, seed);
            assert!(found <= limit(studies, 0.01), "{tau}, {sittings}: {found} of {studies}");
            assert!(winners <= limit(2 * studies, 0.055), "{tau}, {sittings}: {winners} of {}", 2 * studies);
            told.push(format!("{} ({})", percent(found, studies), percent(winners, 2 * studies)));
        }
        without.push(percent(contradicting(tau, 0, studies / 10, seed).0, studies / 10));
    }
    println!(
        "truth 17 | two studies of equal variants, spread lent and τ of 4 and 8 sittings, 2, 4, 6 %; {studies} pairs each | opposite \
         winners in 1 % at most, and a winner in 5.5 % of the studies | {}; where no sittings are known, which the scope says, {}",
        told.join(" "),
        without.join(" ")
    );
}
