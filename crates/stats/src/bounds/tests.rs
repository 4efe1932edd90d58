use super::recursion::compute_on;
use super::*;
use crate::rng::Rng;
use crate::student;

/// A plan's bounds and the probability of passing one of them by chance, from simulated paths of t.
fn simulated_crossings(looks: &[u32], bounds: &[f64], paths: u32, seed: u64) -> f64 {
    let mut rng = Rng::new(seed);
    let mut crossed = 0_u32;
    for _ in 0..paths {
        let (mut sum, mut squares, mut look) = (0.0, 0.0, 0);
        for n in 1..=looks[looks.len() - 1] {
            let x = rng.normal();
            sum += x;
            squares += x * x;
            if n == looks[look] {
                let count = f64::from(n);
                let variance = (squares - sum * sum / count) / (count - 1.0);
                if (sum / count).abs() > bounds[look] * (variance / count).sqrt() {
                    crossed += 1;
                    break;
                }
                look += 1;
            }
        }
    }
    f64::from(crossed) / f64::from(paths)
}

#[test]
fn simulated_paths_cross_the_bounds_as_often_as_they_should() {
    for (plan, seed) in TABLE_PLANS.into_iter().zip(1..) {
        let paths = 200_000;
        let bounds = compute(plan, 0.05).expect("a plan");
        let found = simulated_crossings(plan, &bounds, paths, seed);
        // Four standard errors of a share of 5 %.
        let width = 4.0 * (0.05 * 0.95 / f64::from(paths)).sqrt();
        assert!((found - 0.05).abs() < width, "{plan:?}: {found} is not 0.05 ± {width}");
    }
}

#[test]
fn each_look_spends_its_share_and_no_more() {
    let looks = TABLE_PLANS[1];
    let bounds = compute(looks, 0.05).expect("a plan");
    for count in 1..=looks.len() {
        let crossed = probability_of_crossing(&looks[..count], &bounds[..count]).expect("a plan");
        let share = Spending::even(0.05).by(looks[count - 1], 30);
        assert!((crossed / share - 1.0).abs() < 1e-4, "look {count}: {crossed} is not {share}");
    }
}

#[test]
fn bounds_agree_with_a_simulation_made_elsewhere() {
    // Monte Carlo on the t path by an independent program, good to about 0.05 at the first look and 0.02
    // after.
    let known: [(&[u32], f64, &[f64]); 4] = [
        (&[4, 6, 8, 10, 12], 0.05, &[5.94, 3.97, 3.23, 2.85, 2.61]),
        (&[5, 8, 12, 16, 20, 30], 0.05, &[6.12, 4.19, 3.31, 2.95, 2.72, 2.26]),
        (&[5, 10, 15, 20], 0.05, &[5.30, 3.11, 2.63, 2.37]),
        (&[6, 10, 15, 20, 30, 40], 0.05, &[5.35, 3.85, 3.19, 2.88, 2.46, 2.25]),
    ];
    for (looks, alpha, expected) in known {
        let found = compute(looks, Spending::late(alpha)).expect("a plan");
        for (found, expected) in found.iter().zip(expected) {
            assert!((found / expected - 1.0).abs() < 0.02, "{looks:?}: {found} is not {expected}");
        }
    }
}

#[test]
fn a_single_look_has_the_plain_critical_value_of_t() {
    for blocks in [2, 5, 30] {
        let bounds = compute(&[blocks], 0.05).expect("a plan");
        assert_eq!(bounds, [student::critical(0.05, blocks - 1)]);
    }
}

#[test]
fn a_finer_grid_moves_no_bound() {
    for plan in TABLE_PLANS {
        for alpha in [0.05, 0.05 / 20.0] {
            let coarse = compute(plan, alpha).expect("a plan");
            let fine = compute_on(plan, alpha.into(), 512, 96).expect("a plan");
            for (coarse, fine) in coarse.iter().zip(&fine) {
                assert!((coarse - fine).abs() < 1e-5, "{plan:?} at {alpha}: {coarse} becomes {fine}");
            }
        }
    }
}

#[test]
fn fewer_claims_never_make_a_bound_wider() {
    for plan in TABLE_PLANS {
        for claims in 2..=TABLE_CLAIMS {
            let (fewer, more) =
                (row(plan, 0.05, claims - 1).expect("a row"), row(plan, 0.05, claims).expect("a row"));
            assert!(fewer.iter().zip(&more).all(|(fewer, more)| fewer < more), "{plan:?}, {claims} claims");
        }
    }
}

/// The file of the table, as `UPDATE=1` writes it.
fn table_file(rows: &[Vec<Vec<f64>>]) -> String {
    let mut text = String::from(
        "//! Written by `UPDATE=1 cargo test -p proofload-stats bounds`; not to be edited by hand. Bounds on |t| at\n\
         //! each look, one row for each number of claims from 1, for the plans of `TABLE_PLANS` in their order.\n\
         \n\
         pub(super) static PLANS: [&[&[f64]]; 3] = [\n",
    );
    for (plan, rows) in TABLE_PLANS.iter().zip(rows) {
        let looks: Vec<String> = plan.iter().map(ToString::to_string).collect();
        text += &format!("    // Looks at {} blocks.\n    &[\n", looks.join(", "));
        for row in rows {
            let row: Vec<String> = row.iter().map(|bound| format!("{bound:.5}")).collect();
            text += &format!("        &[{}],\n", row.join(", "));
        }
        text += "    ],\n";
    }
    text + "];\n"
}

#[test]
fn the_table_holds_what_the_recursion_yields() {
    let computed = TABLE_PLANS.map(|plan| {
        let row = |claims| compute(plan, TABLE_ALPHA / f64::from(claims)).expect("a plan");
        (1..=TABLE_CLAIMS).map(row).collect::<Vec<_>>()
    });
    if std::env::var_os("UPDATE").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bounds/table.rs");
        return std::fs::write(path, table_file(&computed)).expect("written");
    }
    for (plan, rows) in TABLE_PLANS.iter().zip(&computed) {
        for (row, claims) in rows.iter().zip(1..) {
            let tabled = tabled(plan, TABLE_ALPHA.into(), claims).expect("the table has every row");
            assert_eq!(tabled.len(), plan.len());
            for (tabled, computed) in tabled.iter().zip(row) {
                // Five decimals; another machine's sine may differ in its last bit and so tip a rounding.
                assert!(
                    (tabled - computed).abs() < 1.1e-5,
                    "{plan:?}, {claims} claims: {tabled} and not {computed}; UPDATE=1 writes the table"
                );
            }
        }
        assert_eq!(tabled(plan, TABLE_ALPHA.into(), TABLE_CLAIMS + 1), None);
        assert_eq!(tabled(plan, 0.01.into(), 1), None);
    }
}

#[test]
fn what_is_no_plan_has_no_bounds() {
    let too_many: Vec<u32> = (2..100).collect();
    for looks in [&[][..], &[1], &[0, 4], &[4, 4], &[6, 4], &[4, 2_000], &too_many] {
        assert_eq!(compute(looks, 0.05), None, "{looks:?}");
    }
    for alpha in [0.0, -0.1, 1.0, f64::NAN] {
        assert_eq!(compute(&[4, 6], alpha), None, "{alpha}");
    }
    assert_eq!(row(&[4, 6], 0.05, 0), None);
    assert_eq!(probability_of_crossing(&[4, 6], &[3.0]), None);
    assert_eq!(probability_of_crossing(&[4, 6], &[3.0, f64::NAN]), None);
}

#[test]
fn bounds_that_are_kept_are_those_of_their_looks_and_claims() {
    let looks: [&[u32]; 2] = [&[6, 8, 10], &[6, 8, 12]];
    for _ in 0..2 {
        for (looks, claims) in [(looks[0], 1), (looks[1], 1), (looks[0], 2)] {
            assert_eq!(row(looks, 0.05, claims), compute(looks, 0.05 / f64::from(claims)));
        }
        assert_eq!(row(&[6, 6], 0.05, 1), None);
    }
}

#[test]
fn a_look_that_nothing_follows_spends_what_is_left() {
    let planned = compute(TABLE_PLANS[1], 0.05).expect("a plan");
    let row = ended(&[5, 8, 11], 30, 0.05).expect("a plan");
    assert_eq!(row[..2], planned[..2], "what was looked at was");
    let crossed = probability_of_crossing(&[5, 8, 11], &row).expect("a plan");
    assert!((crossed - 0.05).abs() < 1e-4, "{crossed}");
    assert!(row[2] < planned[2], "{row:?}");
    // Where there was no look before it is an ordinary t test.
    let single = ended(&[6], 30, 0.05).expect("a plan")[0];
    assert!((single - crate::student::critical(0.05, 5)).abs() < 1e-9);
    assert_eq!(ended(&[5, 31], 30, 0.05), None);
}
