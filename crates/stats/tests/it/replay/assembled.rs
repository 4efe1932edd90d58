//! The judge on recorded noise: an A/A study of real servers, relabelled and drawn from anew.

use super::audited::{audit, under_conditions};
use super::recorded::{Block, Recorded, Slice};
use super::truths::percent;
use super::{binomial_limit, claims, erring, full_size};
use proofload_stats::noise::slice_lengths;
use proofload_stats::rng::Rng;
use proofload_stats::{Cell, CellKey, Design, Measure, Observations, Replication, Verdict, judge};

/// p99, in the hundredths of a percent that the measure counts in.
const P99: Measure = Measure::ResponseQuantile(9_900);

/// The observations of blocks, for each of these measures.
fn observations(blocks: &[Block]) -> Observations {
    let value = |slice: &Slice, measure| match measure {
        Measure::Throughput => slice.throughput.exp(),
        Measure::CpuPerRequest => slice.cpu.exp(),
        _ => slice.p99.exp(),
    };
    let mut cells = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        for (variant, slices) in block.iter().enumerate() {
            for measure in [Measure::Throughput, P99, Measure::CpuPerRequest] {
                let values: Vec<f64> = slices.iter().map(|slice| value(slice, measure)).collect();
                cells.push(Cell {
                    block: at as u32 + 1,
                    variant,
                    point: 0,
                    measure,
                    merged: Some(values.iter().sum::<f64>() / values.len() as f64),
                    cycles: values.into_iter().map(Some).collect(),
                    finished: 60_000,
                    ..Cell::default()
                });
            }
        }
    }
    Observations {
        cells,
        blocks: (1..=blocks.len() as u32).collect(),
        excluded_blocks: 0,
        disturbed: Vec::new(),
        replication: Replication::Start,
        ..Observations::default()
    }
}

const CLAIMS: [&str; 3] = [
    "throughput(a) > throughput(b) @ 1c",
    "p99(a) < p99(b) @ 1c",
    "cpu_per_request(a) < cpu_per_request(b) @ 1c",
];

/// Of studies with one claim, or several, at a true logarithm of the ratio.
#[derive(Debug, Default)]
struct Shares {
    right: u32,
    wrong: u32,
    missed: u32,
    blocks: u32,
}

fn studies(record: &Recorded, texts: &[&str], faster: f64, design: &Design, count: u32, seed: u64) -> Shares {
    let claims = claims(texts);
    let last = *design.looks.last().expect("looks") as usize;
    let mut shares = Shares::default();
    for study in 0..u64::from(count) {
        let blocks = record.study(&mut Rng::new(seed + study), faster, last);
        let judgement = judge(&claims, &observations(&blocks), design);
        let any = |verdict| judgement.claims.iter().any(|claim| claim.verdict == verdict);
        shares.right += u32::from(any(Verdict::Supported));
        shares.wrong += u32::from(any(Verdict::Refuted));
        shares.blocks += judgement.claims.iter().map(|claim| claim.blocks).max().unwrap_or(0);
        let misses = judgement.claims.iter().zip(texts).any(|(claim, text)| {
            let truth = if text.starts_with("throughput") { faster.exp() } else { (-faster).exp() };
            claim.estimate.is_none_or(|estimate| !(estimate.low..=estimate.high).contains(&truth))
        });
        shares.missed += u32::from(misses);
    }
    shares
}

#[test]
fn truth_01_equal_servers_of_a_real_record_have_no_winner() {
    const STUDIES: u32 = full_size(2_000, 5_000);
    let (quick, default) = ((Design::quick(), "quick"), (Design::default(), "default"));
    let (throughput, cpu) = ((&CLAIMS[..1], "throughput"), (&CLAIMS[2..], "CPU per request"));
    let three = (&CLAIMS[..], "three claims");
    // The gate has each claim once, and each preset.
    let asked = [(throughput, &quick), (three, &quick), (cpu, &default)];
    let asked_too = [(throughput, &default), (three, &default), (cpu, &quick)];
    let record = Recorded::read();
    let mut told = Vec::new();
    for ((texts, what), (design, name)) in asked.into_iter().chain(asked_too).take(full_size(3, 6) as usize) {
        let shares = studies(&record, texts, 0.0, design, STUDIES, 1_100_000);
        told.push((format!("{what}, {name} {}", percent(shares.right + shares.wrong, STUDIES)), shares));
    }
    println!(
        "truth 01 | equal reference servers: a recorded A/A study of {} blocks, relabelled, {STUDIES} studies each | any \
         winner in 2.5–6 %, of throughput in 3.5–6 % | {}",
        record.blocks(),
        told.iter().map(|(told, _)| told.as_str()).collect::<Vec<_>>().join("; ")
    );
    for (what, shares) in &told {
        let winners = shares.right + shares.wrong;
        // A judge that decides nothing makes no mistake either: half of the error rate is used at least.
        let least = if what.starts_with("throughput") { 35 } else { 25 };
        assert!((STUDIES * least / 1_000..=STUDIES * 6 / 100).contains(&winners), "{what}: {shares:?}");
        assert!(shares.missed <= binomial_limit(STUDIES, 0.06), "{what}: {shares:?}");
    }
    let wrong = studies(&record, throughput.0, 0.0, &erring(default.0, 0.08), STUDIES, 1_100_000);
    let winners = wrong.right + wrong.wrong;
    assert!(winners > STUDIES * 6 / 100, "a judge that errs in 7.5 % passes: {wrong:?}");
}

#[test]
fn truth_02_planted_differences_in_a_real_record_are_found() {
    const STUDIES: u32 = full_size(300, 1_000);
    let record = Recorded::read();
    let mut told = Vec::new();
    for (text, what) in [(CLAIMS[0], "throughput"), (CLAIMS[2], "CPU per request")] {
        for (design, name) in [(Design::quick(), "quick"), (Design::default(), "default")] {
            let of = |percent: f64| studies(&record, &[text], percent.ln_1p(), &design, STUDIES, 2_100_000);
            let found = [0.02, 0.05, 0.10].map(of);
            let each = found.each_ref().map(|shares| {
                format!(
                    "{} in {:.1} blocks",
                    percent(shares.right, STUDIES),
                    f64::from(shares.blocks) / f64::from(STUDIES)
                )
            });
            told.push((format!("{what}, {name}: {}", each.join(", ")), found));
        }
    }
    println!(
        "truth 02 | 2, 5, 10 % planted in a recorded A/A study of {} blocks, {STUDIES} studies each | wrong direction in \
         ≤ 1 %; intervals hold the truth in ≥ 92 %; 10 % found in ≥ 95 % | found: {}",
        record.blocks(),
        told.iter().map(|(told, _)| told.as_str()).collect::<Vec<_>>().join("; ")
    );
    for (what, found) in &told {
        for shares in found {
            assert!(shares.wrong <= STUDIES / 100, "{what}: {shares:?}");
            assert!(shares.missed <= STUDIES * 8 / 100, "{what}: {shares:?}");
        }
        assert!(found[2].right >= STUDIES * 95 / 100, "{what}: {found:?}");
        assert!(found[2].right >= found[1].right && found[1].right >= found[0].right, "{what}: {found:?}");
    }
}

/// Its conditions vary over the blocks, as those of every study do by default.
#[test]
fn truth_01_equal_servers_under_varied_conditions_have_no_winner() {
    const STUDIES: u32 = full_size(2_000, 5_000);
    let record = under_conditions();
    let mut told = Vec::new();
    for (texts, what) in
        [(&CLAIMS[..1], "throughput"), (&CLAIMS[2..], "CPU per request"), (&CLAIMS[..], "three claims")]
    {
        let shares = studies(&record, texts, 0.0, &Design::quick(), STUDIES, 1_200_000);
        told.push((format!("{what} {}", percent(shares.right + shares.wrong, STUDIES)), shares));
    }
    println!(
        "truth 01 | equal reference servers under varied conditions: a noise audit of {} blocks, relabelled, {STUDIES} quick \
         studies each | any winner in at most 6 % | {}",
        record.blocks(),
        told.iter().map(|(told, _)| told.as_str()).collect::<Vec<_>>().join("; ")
    );
    for (what, shares) in &told {
        assert!(shares.right + shares.wrong <= STUDIES * 6 / 100, "{what}: {shares:?}");
        assert!(shares.missed <= binomial_limit(STUDIES, 0.06), "{what}: {shares:?}");
    }
}

#[test]
fn truth_02_a_difference_planted_under_varied_conditions_is_found() {
    const STUDIES: u32 = full_size(300, 1_000);
    let record = under_conditions();
    let mut told = Vec::new();
    for (text, what) in [(CLAIMS[0], "throughput"), (CLAIMS[2], "CPU per request")] {
        let found = [0.05_f64, 0.10]
            .map(|by| studies(&record, &[text], by.ln_1p(), &Design::quick(), STUDIES, 2_200_000));
        let each = found.each_ref().map(|shares| percent(shares.right, STUDIES));
        told.push((format!("{what}: {}", each.join(", ")), found));
    }
    println!(
        "truth 02 | 5 and 10 % planted in a noise audit of {} blocks under varied conditions, {STUDIES} quick studies each | \
         wrong direction in ≤ 1 %; intervals hold the truth in ≥ 92 %; 5 % of CPU per request found in ≥ 80 % | found: {}",
        record.blocks(),
        told.iter().map(|(told, _)| told.as_str()).collect::<Vec<_>>().join("; ")
    );
    for (what, found) in &told {
        for shares in found {
            assert!(shares.wrong <= STUDIES / 100, "{what}: {shares:?}");
            assert!(shares.missed <= STUDIES * 8 / 100, "{what}: {shares:?}");
        }
    }
    assert!(told[1].1[0].right >= STUDIES * 80 / 100, "{:?}", told[1]);
}

/// Short slices of the audit beside long ones that took as long together: two equal variants, and one that works 6 % more.
#[test]
fn short_slices_narrow_the_ratio_of_a_real_record_and_do_not_move_it() {
    let mut cells: Vec<Cell> = Vec::new();
    for line in audit() {
        for (measure, log) in
            [(Measure::Throughput, line.slice.throughput), (Measure::CpuPerRequest, line.slice.cpu)]
        {
            let place = |cell: &Cell| (cell.block as usize, cell.variant, cell.measure);
            let wanted = (line.block, line.variant, measure);
            let at = cells.iter().rposition(|cell| place(cell) == wanted).unwrap_or_else(|| {
                let block = line.block as u32;
                cells.push(Cell { block, variant: line.variant, measure, ..Cell::default() });
                cells.len() - 1
            });
            let slices = if line.kind == "long" { &mut cells[at].long } else { &mut cells[at].cycles };
            slices.push(Some(log.exp()));
        }
    }
    let last = cells.iter().map(|cell| cell.block).max().unwrap_or(0);
    let observations = Observations { cells, blocks: (1..=last).collect(), ..Observations::default() };
    for measure in [Measure::Throughput, Measure::CpuPerRequest] {
        let place = CellKey { measure, point: 0, stream: None };
        let equal = slice_lengths(&observations, place, (0, 1), 8).expect("both in every block");
        let unequal = slice_lengths(&observations, place, (0, 2), 8).expect("both in every block");
        println!("{}: equal {equal:?}, unequal {unequal:?}", measure.name());
        assert!(equal.short_sd.value < equal.long_sd.value, "{equal:?}");
        assert!(unequal.apart.low < 0.01 && unequal.apart.high > -0.01, "{unequal:?}");
    }
}
