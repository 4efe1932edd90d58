//! Noise audits and searches, for a terminal.

use crate::escape::line;
use crate::messages::blocks;
use crate::render::lines::Terminal;
use crate::render::screen::screen;
use crate::render::text::{table_lines, text_within};
use crate::shown::Table;
use crate::{messages, number};
use proofload_language::facts::told;
use proofload_language::{Columns, named, tr};
use proofload_store::schema::{
    Between, MeasureNoise, NoiseAudit, Resolution, SliceLengthNoise, TuneHeat, TuneResult,
};

fn drawn(table: &Table) -> String {
    table_lines(table, Terminal::FILE)
}

/// An audit in full; `when` is its date.
pub fn noise_text(audit: &NoiseAudit, when: &str) -> String {
    let mut out = format!("{}\n{}\n", noise_title(audit, when), line(&noise_machine(audit)));
    let rows = audit.measures.iter().map(noise_row);
    let noise = Table::with(tr!("noise"), Columns::<8>("noise-columns"), rows);
    out.push_str(&format!("\n{}\n", drawn(&noise)));
    let rows = audit.slice_lengths.iter().map(slice_length_row);
    let lengths = Table::of(slice_lengths(audit), Columns::<4>("slice-length-columns"), rows);
    lengths.iter().for_each(|lengths| out.push_str(&format!("\n{}\n", drawn(lengths))));
    let columns = audit.resolution.iter().map(resolution_column);
    let header = [String::new()].into_iter().chain(columns).collect();
    let rows = audit.measures.iter();
    let rows = rows.flat_map(|noise| resolution_rows(&noise.measure, &audit.resolution)).collect();
    out.push_str(&format!(
        "\n{}\n{}\n",
        drawn(&Table { title: tr!("resolution").to_string(), header, rows }),
        tr!("resolution-note")
    ));
    for finding in &audit.findings {
        out.push_str(&format!("{}\n", line(&told(finding))));
    }
    out.push_str(&format!("{}\n", line(&tr!("kept-in", run = audit.run))));
    out
}

/// Variants of a search on one screen.
const STANDINGS_MAX: usize = 3;

/// A search: its standings, marked as what they are, and the verdict of the fresh blocks; on one screen the best of them, or
/// all with every heat.
pub fn tune_text(result: &TuneResult, on: Terminal, whole: bool) -> String {
    let mut out = format!("{}\n", line(&search_title(result)));
    for (number, heat) in (1..).zip(&result.heats).filter(|_| whole) {
        out.push_str(&format!("{}\n", line(&heat_text(number, heat))));
    }
    let shown = if whole { result.standings.len() } else { STANDINGS_MAX };
    let row = |standing: &proofload_store::schema::TuneStanding| {
        vec![
            standing.variant.clone(),
            standing.search_ratio.map_or("–".to_string(), |ratio| format!("{ratio:.3}")),
            standing.blocks.to_string(),
            standing.out_after.map_or("–".to_string(), |heat| tr!("out-after-heat", heat)),
        ]
    };
    let rows = result.standings.iter().take(shown).map(row);
    let apart = if whole { "\n" } else { "" };
    let standings = Table::with(tr!("search"), Columns::<4>("search-columns"), rows);
    out.push_str(&format!("{apart}{}\n", drawn(&standings)));
    if shown < result.standings.len() {
        out.push_str(&format!("{}\n", messages::more_lines(result.standings.len() - shown)));
    }
    out.push_str(&format!("{apart}{}\n", line(&search_winner(result))));
    if let Some(confirmation) = &result.confirmation {
        let text = if whole { text_within(confirmation, on) } else { screen(confirmation, &[], on) };
        out.push_str(&format!("\n{text}"));
    }
    out
}

/// A share in per cent with `decimals` decimals.
fn percent(value: f64, decimals: usize) -> String {
    format!("{:.decimals$}{}", value * 100.0, number::percent_sign())
}

/// A spread: `2.10 %`.
fn sd(value: f64) -> String {
    percent(value, 2)
}

fn between(ends: &Between, decimals: usize) -> String {
    let [low, high] = [ends.low, ends.high].map(|end| format!("{:.decimals$}", end * 100.0));
    format!("{} [{low}, {high}]", percent(ends.value, decimals))
}

/// Time and conditions of an audit.
fn noise_title(audit: &NoiseAudit, when: &str) -> String {
    tr!(
        "noise-title",
        blocks = blocks(audit.blocks),
        cycles = audit.cycles,
        slice = number::duration(audit.slice_ns as f64),
        minutes = format!("{:.1}", audit.seconds / 60.0),
        when
    )
}

fn noise_machine(audit: &NoiseAudit) -> String {
    tr!("noise-machine", kernel = audit.kernel, cpu_model = audit.cpu_model, build = audit.build)
}

/// A row of the noise.
fn noise_row(noise: &MeasureNoise) -> Vec<String> {
    let drift = match noise.drift_memory {
        None => tr!("noise-row-none-found").to_string(),
        Some(_) => {
            tr!("noise-drift", sd = sd(noise.drift_sd), share = percent(noise.drift_share, 0))
        }
    };
    let spikes = match noise.spike_size {
        None => tr!("noise-row-none").to_string(),
        Some(size) => {
            tr!("noise-spikes", share = percent(noise.spike_share, 1), size = percent(size.exp_m1(), 0))
        }
    };
    vec![
        noise.measure.clone(),
        sd(noise.run_sd),
        between(&noise.block_sd, 2),
        sd(noise.start_sd),
        sd(noise.slice_sd),
        drift,
        noise.drift_memory.map_or("–".to_string(), |memory| format!("{memory:.2}")),
        spikes,
    ]
}

/// Heading of short slices beside long ones.
fn slice_lengths(audit: &NoiseAudit) -> String {
    tr!(
        "slice-lengths",
        cycles = audit.cycles,
        slice = number::duration(audit.slice_ns as f64),
        long_cycles = audit.long_cycles,
        long_slice = number::duration(audit.long_slice_ns as f64)
    )
}

/// A row of short slices beside long ones.
fn slice_length_row(found: &SliceLengthNoise) -> Vec<String> {
    vec![
        found.measure.clone(),
        between(&found.short_sd, 2),
        between(&found.long_sd, 2),
        format!(
            "{:+.2}{} [{:+.2}, {:+.2}]",
            found.apart.value * 100.0,
            number::percent_sign(),
            found.apart.low * 100.0,
            found.apart.high * 100.0
        ),
    ]
}

/// The column of a resolution: `20 min, default, 8 blocks`.
fn resolution_column(resolution: &Resolution) -> String {
    tr!(
        "resolution-column",
        minutes = resolution.minutes,
        preset = named(resolution.preset.name()),
        blocks = blocks(resolution.blocks)
    )
}

/// Rows of one measure in the table of resolutions: the difference, and the band.
fn resolution_rows(measure: &str, resolutions: &[Resolution]) -> [Vec<String>; 2] {
    let of = |resolution: &Resolution, band: bool| {
        let found = resolution.measures.iter().find(|resolved| resolved.measure == measure);
        found
            .map_or("–".to_string(), |found| between(if band { &found.band } else { &found.difference }, 1))
    };
    let row = |name: String, band: bool| {
        [name].into_iter().chain(resolutions.iter().map(|resolution| of(resolution, band))).collect()
    };
    [
        row(tr!("resolution-rows-difference", measure), false),
        row(tr!("resolution-rows-equal-within", measure), true),
    ]
}

/// The last audit in two lines, shown without a new one.
pub fn noise_lines(audit: &NoiseAudit, age: &str, outdated: &[String]) -> [String; 2] {
    let spread = |noise: &MeasureNoise| format!("{} {}", noise.measure, sd(noise.block_sd.value));
    let spreads: Vec<String> = audit.measures.iter().map(spread).collect();
    let resolved = audit.resolution.iter().filter_map(|resolution| {
        let first = resolution.measures.first()?;
        Some(tr!(
            "noise-resolved-in",
            share = percent(first.difference.value, 1),
            minutes = resolution.minutes
        ))
    });
    let resolved: Vec<String> = resolved.collect();
    let measure = audit.measures.first().map_or("", |noise| noise.measure.as_str());
    let outdated = (!outdated.is_empty()).then(|| outdated.join(tr!("between-items")));
    [
        tr!("noise-audit", age, outdated, spreads = spreads.join(tr!("between-items"))),
        tr!("noise-resolves", measure, resolved = resolved.join(tr!("between-items"))),
    ]
}

/// `2 hours`, `3 days`.
pub fn age(ns: u64) -> String {
    let minutes = ns / 60_000_000_000;
    match minutes {
        0..120 => tr!("age-minutes", n = minutes),
        120..2880 => tr!("age-hours", n = minutes / 60),
        _ => tr!("age-days", n = minutes / 1440),
    }
}

fn search_title(result: &TuneResult) -> String {
    let stream = if result.stream.is_empty() { String::new() } else { format!("[{}]", result.stream) };
    tr!(
        "search-title",
        study = result.study,
        goal = result.goal,
        measure = result.measure,
        stream,
        point = result.point,
        default = result.default
    )
}

/// A heat in a line.
fn heat_text(number: usize, heat: &TuneHeat) -> String {
    tr!("heat", number, variants = heat.variants.len(), blocks = blocks(heat.blocks), run = heat.run)
}

fn search_winner(result: &TuneResult) -> String {
    match (result.winner == result.default, &result.confirmation) {
        (true, _) => tr!("search-winner-nothing-was-better-than", default = result.default),
        (false, Some(_)) => {
            tr!("search-winner-fresh-blocks-of-against", winner = result.winner, default = result.default)
        }
        (false, None) => {
            tr!("search-winner-the-search-led-to", winner = result.winner, default = result.default)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_without_fresh_blocks_claims_nothing() {
        let result = |winner: &str| TuneResult {
            winner: winner.into(),
            default: "nio".into(),
            ..TuneResult::default()
        };
        assert!(search_winner(&result("nio2")).ends_with("nothing is claimed"));
        assert!(search_winner(&result("nio")).starts_with("Nothing was better"));
        let judged = TuneResult { confirmation: Some(Default::default()), ..result("nio2") };
        assert!(search_winner(&judged).ends_with("judged:"));
    }
}
