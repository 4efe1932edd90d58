//! `cargo xtask bounds`: writes the table of group-sequential bounds; `--check` computes it anew and
//! compares.

use anyhow::{Context, bail};
use proofload_stats::bounds::{
    TABLE_ALPHA, TABLE_CLAIMS, TABLE_PLANS, compute, probability_of_crossing, tabled,
};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The table has five decimals; another machine's sine may differ in its last bit and so tip a rounding.
const TOLERANCE: f64 = 1.1e-5;

/// Writes `crates/stats/src/bounds/table.rs`, or with `--check` compares it with what is computed now:
/// every row, the error rate that its bounds really spend, and the file's text with the compiled numbers.
///
/// # Errors
/// For unknown arguments, when the file cannot be read or written, and when the table is not what it should
/// be.
pub fn run(args: &[String]) -> anyhow::Result<()> {
    let path = table_path();
    match args {
        [] => {
            std::fs::write(&path, text()?).with_context(|| format!("cannot write {}", path.display()))?;
            println!("wrote {}", path.display());
            Ok(())
        }
        [flag] if flag == "--check" => check(&path),
        _ => bail!("usage: cargo xtask bounds [--check]"),
    }
}

fn table_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/stats/src/bounds/table.rs")
}

fn computed(plan: &[u32], claims: u32) -> anyhow::Result<Vec<f64>> {
    compute(plan, TABLE_ALPHA / f64::from(claims)).with_context(|| format!("{plan:?} is not a plan of looks"))
}

fn text() -> anyhow::Result<String> {
    let mut text = String::from(
        "//! Written by `cargo xtask bounds`; not to be edited by hand. Bounds on |t| at each look, one row\n\
         //! for each number of claims from 1, for the plans of `TABLE_PLANS` in their order.\n\
         \n\
         pub(super) static PLANS: [&[&[f64]]; 3] = [\n",
    );
    for plan in TABLE_PLANS {
        let looks: Vec<String> = plan.iter().map(ToString::to_string).collect();
        writeln!(text, "    // Looks at {} blocks.\n    &[", looks.join(", "))?;
        for claims in 1..=TABLE_CLAIMS {
            let row: Vec<String> =
                computed(plan, claims)?.iter().map(|bound| format!("{bound:.5}")).collect();
            writeln!(text, "        &[{}],", row.join(", "))?;
        }
        text.push_str("    ],\n");
    }
    text.push_str("];\n");
    Ok(text)
}

fn check(path: &Path) -> anyhow::Result<()> {
    for plan in TABLE_PLANS {
        for claims in 1..=TABLE_CLAIMS {
            let expected = computed(plan, claims)?;
            let row = tabled(plan, TABLE_ALPHA, claims).with_context(|| {
                format!("no row for {plan:?} and {claims} claims; run `cargo xtask bounds`")
            })?;
            let far = |(found, expected): (&f64, &f64)| (found - expected).abs() > TOLERANCE;
            if row.len() != expected.len() || row.iter().zip(&expected).any(far) {
                bail!(
                    "{plan:?}, {claims} claims: {row:?}, but {expected:?} is right; run `cargo xtask bounds`"
                );
            }
            let alpha = TABLE_ALPHA / f64::from(claims);
            let spent = probability_of_crossing(plan, row).context("a row that is no plan")?;
            if (spent / alpha - 1.0).abs() > 1e-3 {
                bail!("{plan:?}, {claims} claims: the bounds spend {spent}, not {alpha}");
            }
        }
    }
    let found = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    if numbers(&found) != TABLE_PLANS.iter().map(|plan| plan.len()).sum::<usize>() * TABLE_CLAIMS as usize {
        bail!("{} has been edited; run `cargo xtask bounds`", path.display());
    }
    println!("the bounds are what they should be");
    Ok(())
}

/// How many bounds a table's text holds.
fn numbers(text: &str) -> usize {
    let rows = text.lines().map(str::trim).filter(|line| line.starts_with("&[") && line.ends_with("],"));
    rows.map(|row| row.matches('.').count()).sum()
}
