//! Verdicts of studies that are drawn from the blocks of one long run: the table of docs/truth.md.
//!
//! ```text
//! cargo run --release --bin replays -- --run runs/…/ID --claim 'throughput(b) > throughput(a)' --looks 6 [--replays 1000] [--lent 0.01]
//! ```
//!
//! Each replay draws as many blocks as the last look has, in any order and none twice, and judges the claim by them as a run
//! that measured them would have; `--lent` is the spread that earlier runs lend it.

use anyhow::{Context, ensure};
use proofload_analysis::{measures_of, observations, restore};
use proofload_benches::flags::Flags;
use proofload_stats::rng::Rng;
use proofload_stats::{Claim, Design, LentSpread, Observations, Verdict, judge, parse_claim};
use proofload_store::Run;
use std::collections::BTreeMap;
use std::path::PathBuf;

fn main() -> anyhow::Result<()> {
    let flags = Flags::read(&["--run", "--claim", "--looks", "--replays", "--lent"])?;
    let smoke = format!("{}/../docs/reproductions/ajp-vs-http", env!("CARGO_MANIFEST_DIR"));
    let path = flags.text("--run").or(flags.smoke.then_some(smoke.as_str()));
    let path: PathBuf = path.context("--run: the record of a run")?.into();
    let run = Run::open(&path)?;
    let declared = run.plan().claims.first().map(|claim| claim.text.clone()).unwrap_or_default();
    let text = flags.get("--claim", declared)?;
    let looks = flags.or_smoke("--looks", "6".to_string(), "4".to_string())?;
    let looks: Vec<u32> = looks.split(',').map(str::parse).collect::<Result<_, _>>().context("--looks")?;
    let replays: u32 = flags.or_smoke("--replays", 1_000, 10)?;
    ensure!((1..=100_000).contains(&replays), "--replays: 1 to 100000");
    let (names, ..) = restore(run.plan())?;
    let claims = parse_claim("claim", &text, &names).ok().context("--claim: not understood")?;
    let whole = observations(&run, &measures_of(&claims))?;
    let lent = flags.get("--lent", 0.0)?;
    let lend = |claim: &Claim| LentSpread { claim: claim.text.clone(), spread: lent, relatives: 2 };
    let lent = claims.iter().filter(|_| lent > 0.0).map(lend).collect();
    let design = Design { lent, ..Design::at(&looks) };
    ensure!(whole.blocks.len() >= design.last() as usize, "fewer blocks than the last look has");
    let mut rng = Rng::new(1);
    let mut verdicts: BTreeMap<&str, u32> = BTreeMap::new();
    for _ in 0..replays {
        let drawn = judge(&claims, &drawn(&whole, design.last() as usize, &mut rng), &design);
        let name = match drawn.claims.first().map(|claim| claim.verdict) {
            Some(Verdict::Supported) => "supported",
            Some(Verdict::Refuted) => "refuted",
            Some(Verdict::Undecided) | None => "undecided",
        };
        *verdicts.entry(name).or_default() += 1;
    }
    println!("{} blocks, {replays} replays of {text}, looks {looks:?}: {verdicts:?}", whole.blocks.len());
    Ok(())
}

/// A random sample of `count` blocks, renumbered in their new order.
fn drawn(whole: &Observations, count: usize, rng: &mut Rng) -> Observations {
    let mut blocks = whole.blocks.clone();
    rng.shuffle(&mut blocks);
    let number = |block: u32| {
        blocks[..count].iter().position(|&drawn| drawn == block).map(|at| at as u32 + 1)
    };
    let cells = whole.cells.iter().filter_map(|cell| {
        let block = number(cell.block)?;
        Some(proofload_stats::Cell { block, ..cell.clone() })
    });
    let unsteady = whole.unsteady.iter().filter_map(|start| {
        let block = number(start.block)?;
        Some(proofload_stats::Unsteady { block, ..*start })
    });
    Observations {
        cells: cells.collect(),
        blocks: (1..=count as u32).collect(),
        unsteady: unsteady.collect(),
        replication: whole.replication,
        ..Observations::default()
    }
}
