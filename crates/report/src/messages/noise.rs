//! Sentences about the machine's noise, and about searches.

use super::blocks;
use crate::number;
use proofload_language::{Columns, Phrase, named, say, word};
use proofload_store::schema::{
    Between, MeasureNoise, NoiseAudit, Resolution, SliceLengthNoise, TuneHeat, TuneResult,
};

/// Heading of what two equal servers differ by.
pub const NOISE: Phrase = Phrase("noise");
pub const NOISE_COLUMNS: Columns<8> = Columns("noise-columns");
/// Heading of what can be resolved.
pub const RESOLUTION: Phrase = Phrase("resolution");
pub const RESOLUTION_NOTE: Phrase = Phrase("resolution-note");
/// Heading of the standings of a search.
pub const SEARCH: Phrase = Phrase("search");
pub const SEARCH_COLUMNS: Columns<4> = Columns("search-columns");

/// A share in per cent with so many decimals.
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

/// When and how an audit was made.
pub fn noise_title(audit: &NoiseAudit, when: &str) -> String {
    say!(
        "noise-title",
        blocks = blocks(audit.blocks),
        cycles = audit.cycles,
        slice = number::duration(audit.slice_ns as f64),
        minutes = format!("{:.1}", audit.seconds / 60.0),
        when
    )
}

pub fn noise_machine(audit: &NoiseAudit) -> String {
    say!("noise-machine", kernel = audit.kernel, cpu_model = audit.cpu_model, build = audit.build)
}

/// A row of the noise.
pub fn noise_row(noise: &MeasureNoise) -> Vec<String> {
    let drift = match noise.drift_memory {
        None => word!("noise-row-none-found").to_string(),
        Some(_) => {
            say!("noise-drift", sd = sd(noise.drift_sd), share = percent(noise.drift_share, 0))
        }
    };
    let spikes = match noise.spike_size {
        None => word!("noise-row-none").to_string(),
        Some(size) => {
            say!("noise-spikes", share = percent(noise.spike_share, 1), size = percent(size.exp_m1(), 0))
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
pub fn slice_lengths(audit: &NoiseAudit) -> String {
    say!(
        "slice-lengths",
        cycles = audit.cycles,
        slice = number::duration(audit.slice_ns as f64),
        long_cycles = audit.long_cycles,
        long_slice = number::duration(audit.long_slice_ns as f64)
    )
}

/// Columns of short slices beside long ones.
pub const SLICE_LENGTH_COLUMNS: Columns<4> = Columns("slice-length-columns");

/// A row of short slices beside long ones.
pub fn slice_length_row(found: &SliceLengthNoise) -> Vec<String> {
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
pub fn resolution_column(resolution: &Resolution) -> String {
    say!(
        "resolution-column",
        minutes = resolution.minutes,
        preset = named(resolution.preset.name()),
        blocks = blocks(resolution.blocks)
    )
}

/// Rows of one measure in the table of resolutions: the difference, and the band.
pub fn resolution_rows(measure: &str, resolutions: &[Resolution]) -> [Vec<String>; 2] {
    let of = |resolution: &Resolution, band: bool| {
        let found = resolution.measures.iter().find(|resolved| resolved.measure == measure);
        found
            .map_or("–".to_string(), |found| between(if band { &found.band } else { &found.difference }, 1))
    };
    let row = |name: String, band: bool| {
        [name].into_iter().chain(resolutions.iter().map(|resolution| of(resolution, band))).collect()
    };
    [
        row(say!("resolution-rows-difference", measure), false),
        row(say!("resolution-rows-equal-within", measure), true),
    ]
}

/// The last audit in two lines, for whoever did not ask for a new one.
pub fn noise_lines(audit: &NoiseAudit, age: &str, outdated: &[String]) -> [String; 2] {
    let spread = |noise: &MeasureNoise| format!("{} {}", noise.measure, sd(noise.block_sd.value));
    let spreads: Vec<String> = audit.measures.iter().map(spread).collect();
    let resolved = audit.resolution.iter().filter_map(|resolution| {
        let first = resolution.measures.first()?;
        Some(say!(
            "noise-resolved-in",
            share = percent(first.difference.value, 1),
            minutes = resolution.minutes
        ))
    });
    let resolved: Vec<String> = resolved.collect();
    let measure = audit.measures.first().map_or("", |noise| noise.measure.as_str());
    let outdated = (!outdated.is_empty()).then(|| outdated.join(word!("between-items")));
    [
        say!("noise-audit", age, outdated, spreads = spreads.join(word!("between-items"))),
        say!("noise-resolves", measure, resolved = resolved.join(word!("between-items"))),
    ]
}

/// `2 hours`, `3 days`.
pub fn age(ns: u64) -> String {
    let minutes = ns / 60_000_000_000;
    match minutes {
        0..120 => say!("age-minutes", n = minutes),
        120..2880 => say!("age-hours", n = minutes / 60),
        _ => say!("age-days", n = minutes / 1440),
    }
}

pub fn search_title(result: &TuneResult) -> String {
    let stream = if result.stream.is_empty() { String::new() } else { format!("[{}]", result.stream) };
    say!(
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
pub fn heat(number: usize, heat: &TuneHeat) -> String {
    say!("heat", number, variants = heat.variants.len(), blocks = blocks(heat.blocks), run = heat.run)
}

pub fn search_winner(result: &TuneResult) -> String {
    match (result.winner == result.default, &result.confirmation) {
        (true, _) => say!("search-winner-nothing-was-better-than", default = result.default),
        (false, Some(_)) => {
            say!("search-winner-fresh-blocks-of-against", winner = result.winner, default = result.default)
        }
        (false, None) => {
            say!("search-winner-the-search-led-to", winner = result.winner, default = result.default)
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
