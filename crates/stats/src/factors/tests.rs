//! Grids whose effects are known. Every seed is fixed.

use super::*;
use crate::rng::Rng;

const ALPHA: f64 = 0.05;

/// Three factors with 2, 3 and 2 levels: the logarithm of what each combination does.
fn planted(levels: [usize; 3]) -> f64 {
    let heap = [0.0, 0.05, 0.12][levels[1]];
    let together = if levels[0] == 1 && levels[2] == 1 { -0.08 } else { 0.0 };
    0.25 * levels[0] as f64 + heap + together
}

/// Blocks whose starts are quicker or slower as a whole, and each combination's start by itself.
fn grid(rng: &mut Rng, blocks: usize, noise: f64, truth: &dyn Fn([usize; 3]) -> f64) -> Grid {
    let whole: Vec<f64> = (0..blocks).map(|_| 0.1 * rng.normal()).collect();
    let mut combinations = Vec::new();
    for connector in 0..2 {
        for heap in 0..3 {
            for keep_alive in 0..2 {
                let log = truth([connector, heap, keep_alive]);
                let value = |start: &f64| Some(1e4 * (log + start + noise * rng.normal()).exp());
                combinations.push(Combination {
                    levels: vec![Some(connector), Some(heap), Some(keep_alive)],
                    per_block: whole.iter().map(value).collect(),
                });
            }
        }
    }
    Grid { levels: vec![2, 3, 2], combinations }
}

fn alone(factor: usize, level: usize) -> Contrast {
    Contrast::Main(Change { factor, level })
}

fn find(effects: &Effects, contrast: Contrast) -> &Effect {
    effects.effects.iter().find(|effect| effect.contrast == contrast).expect("it was looked at")
}

fn covers(effect: &Effect, log: f64) -> bool {
    effect.low.ln() <= log && log <= effect.high.ln()
}

const TOGETHER: Contrast =
    Contrast::Interaction(Change { factor: 0, level: 1 }, Change { factor: 2, level: 1 });

#[test]
fn planted_effects_are_found_in_their_order_and_covered() {
    let mut rng = Rng::new(1);
    // The connector's effect is 0.25, and 0.17 with keep-alive: 0.21 on average.
    let truths = [(alone(0, 1), 0.21), (alone(1, 2), 0.12), (alone(1, 1), 0.05), (alone(2, 1), -0.04)];
    let (mut missed, mut false_ones) = (0, 0);
    for _ in 0..100 {
        let found = effects(&[grid(&mut rng, 8, 0.02, &planted)], ALPHA);
        let mains: Vec<Contrast> = found.effects[..4].iter().map(|effect| effect.contrast).collect();
        assert_eq!(mains[..2], [alone(0, 1), alone(1, 2)], "{found:?}");
        for (contrast, log) in truths {
            let effect = find(&found, contrast);
            missed += u32::from(!covers(effect, log));
            assert!((effect.matched, effect.of, effect.blocks) == (effect.of, effect.of, 8), "{effect:?}");
        }
        for (contrast, _) in &truths[..2] {
            assert_eq!(find(&found, *contrast).finding, Finding::Matters, "{found:?}");
        }
        let together = find(&found, TOGETHER);
        missed += u32::from(!covers(together, -0.08));
        assert_eq!(together.finding, Finding::Matters, "{together:?}");
        let interactions = found.effects[4..].iter().filter(|effect| effect.contrast != TOGETHER);
        false_ones += interactions.filter(|effect| effect.low > 1.0 || effect.high < 1.0).count();
        assert!(found.unmatched.is_empty() && found.effects.len() == 4 + 5);
    }
    println!(
        "factors planted: {missed} of 500 intervals miss, {false_ones} of 400 interactions named falsely"
    );
    // At most 12.5 of the 1,000 of both are nominal: each interval has at most a quarter of the 5 %.
    assert!(missed <= 12 && false_ones <= 12, "{missed} {false_ones}");
}

#[test]
fn where_all_settings_are_equal_something_is_named_no_more_often_than_the_error_rate() {
    let mut rng = Rng::new(2);
    let (mut named, mut unguarded) = (0, 0);
    for _ in 0..600 {
        let grids = [0, 1, 2].map(|_| grid(&mut rng, 5, 0.03, &|_| 0.0));
        let found = effects(&grids, ALPHA);
        assert_eq!(found.effects.len(), 27);
        let any = |effects: &[Effect]| effects.iter().any(|effect| effect.low > 1.0 || effect.high < 1.0);
        named += u32::from(any(&found.effects));
        // Each by itself, as if it were the only one.
        let each = effects(&grids, ALPHA * found.effects.len() as f64);
        unguarded += u32::from(any(&each.effects));
    }
    println!("factors equal: named in {named} of 600, without Holm in {unguarded}");
    // 30 are allowed on average; more than 44 come with a probability below 0.5 %.
    assert!(named <= 44, "{named} of 600");
    assert!(
        unguarded > 200,
        "the same grids name something in {unguarded} of 600 when each is looked at alone"
    );
}

/// Without the larger heap at the second connector: comparing all that has it with all that has not would take the
/// connector's effect for the heap's.
#[test]
fn a_grid_with_holes_compares_like_with_like() {
    let mut rng = Rng::new(3);
    let mut holes = grid(&mut rng, 8, 0.01, &|levels| 0.4 * levels[0] as f64);
    holes.combinations.retain(|of| !(of.levels[0] == Some(1) && of.levels[1] == Some(2)));
    let found = effects(&[holes], ALPHA);
    let heap = find(&found, alone(1, 2));
    assert!(heap.low < 1.0 && 1.0 < heap.high && heap.high < 1.05, "{heap:?}");
    assert_eq!((heap.matched, heap.of), (2, 4));
    let connector = find(&found, alone(0, 1));
    assert!(covers(connector, 0.4) && (connector.matched, connector.of) == (4, 6), "{connector:?}");
    let crossed = Contrast::Interaction(Change { factor: 0, level: 1 }, Change { factor: 1, level: 2 });
    assert_eq!(found.unmatched, [(0, crossed)]);
}

#[test]
fn factors_that_never_change_alone_are_not_told_apart_by_force() {
    let diagonal = |level: usize, value: f64| Combination {
        levels: vec![Some(level), Some(level)],
        per_block: vec![Some(value); 4],
    };
    let confounded = Grid { levels: vec![2, 2], combinations: vec![diagonal(0, 1.0), diagonal(1, 2.0)] };
    let found = effects(&[confounded], ALPHA);
    assert_eq!((found.effects.len(), found.unmatched.len()), (0, 3));
    // One subject has the factor, the other has not.
    let of = |subject, connector, value| Combination {
        levels: vec![Some(subject), connector],
        per_block: vec![Some(value); 4],
    };
    let combinations = vec![of(0, Some(0), 1.0), of(0, Some(1), 1.1), of(1, None, 5.0)];
    let found = effects(&[Grid { levels: vec![2, 2], combinations }], ALPHA);
    assert_eq!(found.effects.len(), 1);
    assert!((found.effects[0].point - 1.1).abs() < 1e-12 && found.effects[0].contrast == alone(1, 1));
}

#[test]
fn what_was_lost_costs_its_block_and_what_was_lost_often_itself_alone() {
    let mut rng = Rng::new(4);
    let mut lossy = grid(&mut rng, 10, 0.01, &planted);
    lossy.combinations[0].per_block[3] = None;
    lossy.combinations[5].per_block[..6].fill(None);
    lossy.combinations[7].per_block[9] = Some(0.0);
    lossy.combinations[8].per_block[8] = Some(f64::NAN);
    let found = effects(&[lossy], ALPHA);
    let connector = find(&found, alone(0, 1));
    assert_eq!((connector.matched, connector.of, connector.blocks), (5, 6, 7), "{connector:?}");
    let mut few = grid(&mut rng, 2, 0.01, &planted);
    assert!(effects(&[few.clone()], ALPHA).effects.is_empty(), "two blocks");
    few.combinations.clear();
    assert_eq!(effects(&[few], ALPHA).effects, Vec::new());
    assert_eq!(effects(&[], ALPHA), Effects::default());
}

#[test]
fn a_small_effect_that_is_sure_is_practically_equal() {
    let mut rng = Rng::new(5);
    let found = effects(&[grid(&mut rng, 10, 0.001, &|levels| 0.01 * levels[0] as f64)], ALPHA);
    let connector = find(&found, alone(0, 1));
    assert!(connector.low > 1.0 && connector.finding == Finding::PracticallyEqual, "{connector:?}");
    let rough = effects(&[grid(&mut rng, 4, 0.2, &|_| 0.0)], ALPHA);
    assert_eq!(find(&rough, alone(0, 1)).finding, Finding::NotToldApart);
}

#[test]
fn values_without_any_spread_are_taken_as_they_are() {
    let constant = |levels: [usize; 2], value: f64| Combination {
        levels: levels.map(Some).to_vec(),
        per_block: vec![Some(value); 3],
    };
    let cells = [([0, 0], 1.0), ([0, 1], 1.0), ([1, 0], 2.0), ([1, 1], 2.0)];
    let combinations = cells.map(|(levels, value)| constant(levels, value)).to_vec();
    let found = effects(&[Grid { levels: vec![2, 2], combinations }], ALPHA);
    let first = find(&found, alone(0, 1));
    assert!((first.low - 2.0).abs() < 1e-12 && (first.high - 2.0).abs() < 1e-12, "{first:?}");
    assert_eq!(find(&found, alone(1, 1)).finding, Finding::PracticallyEqual);
}
