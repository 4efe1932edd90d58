//! Sentences about the machine's noise, and about searches.

use super::blocks;
use crate::number;
use proofload_language::{Columns, Phrase, named, say, word};
use proofload_store::schema::{
    Between, MeasureNoise, NoiseAudit, Resolution, SliceLengthNoise, TuneHeat, TuneResult,
};

/// Heading of what two equal servers differ by.
pub const NOISE: Phrase = Phrase("noise");
/// Columns of it.
pub const NOISE_COLUMNS: Columns<8> = Columns("noise-columns");
/// Heading of what can be resolved.
pub const RESOLUTION: Phrase = Phrase("resolution");
/// What stands under it.
pub const RESOLUTION_NOTE: Phrase = Phrase("resolution-note");
/// Heading of the standings of a search.
pub const SEARCH: Phrase = Phrase("search");
/// Columns of the standings.
pub const SEARCH_COLUMNS: Columns<4> = Columns("search-columns");

/// A spread: `2.1 %`.
fn sd(value: f64) -> String {
    format!("{:.2}{}", value * 100.0, number::percent_sign())
}

fn sd_between(ends: &Between) -> String {
    say!(
        "sd-between",
        ends = format!("{:.2}", ends.value * 100.0),
        ends2 = format!("{:.2}", ends.low * 100.0),
        ends3 = format!("{:.2}", ends.high * 100.0)
    )
}

fn percent_between(ends: &Between) -> String {
    say!(
        "percent-between",
        ends = format!("{:.1}", ends.value * 100.0),
        ends2 = format!("{:.1}", ends.low * 100.0),
        ends3 = format!("{:.1}", ends.high * 100.0)
    )
}

/// When and how an audit was made.
pub fn noise_title(audit: &NoiseAudit, when: &str) -> String {
    say!(
        "noise-title",
        blocks = blocks(audit.blocks),
        cycles = audit.cycles,
        audit = number::duration(audit.slice_ns as f64),
        audit2 = format!("{:.1}", audit.seconds / 60.0),
        when
    )
}

/// On what.
pub fn noise_machine(audit: &NoiseAudit) -> String {
    say!("noise-machine", kernel = audit.kernel, cpu_model = audit.cpu_model, build = audit.build)
}

/// A row of the noise.
pub fn noise_row(noise: &MeasureNoise) -> Vec<String> {
    let drift = match noise.drift_memory {
        None => word!("noise-row-none-found").to_string(),
        Some(_) => {
            say!(
                "noise-row-of-a-slices-variance",
                sd = sd(noise.drift_sd),
                noise = format!("{:.0}", noise.drift_share * 100.0)
            )
        }
    };
    let spikes = match noise.spike_size {
        None => word!("noise-row-none").to_string(),
        Some(size) => say!(
            "noise-row-by",
            noise = format!("{:.1}", noise.spike_share * 100.0),
            size = format!("{:.0}", size.exp_m1() * 100.0)
        ),
    };
    vec![
        noise.measure.clone(),
        sd(noise.run_sd),
        sd_between(&noise.block_sd),
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
        "slice-lengths-short-slices-of-beside",
        cycles = audit.cycles,
        audit = number::duration(audit.slice_ns as f64),
        long_cycles = audit.long_cycles,
        audit2 = number::duration(audit.long_slice_ns as f64)
    )
}

/// Columns of short slices beside long ones.
pub const SLICE_LENGTH_COLUMNS: Columns<4> = Columns("slice-length-columns");

/// A row of short slices beside long ones.
pub fn slice_length_row(found: &SliceLengthNoise) -> Vec<String> {
    vec![
        found.measure.clone(),
        sd_between(&found.short_sd),
        sd_between(&found.long_sd),
        say!(
            "slice-length-row",
            found = format!("{:+.2}", found.apart.value * 100.0),
            found2 = format!("{:+.2}", found.apart.low * 100.0),
            found3 = format!("{:+.2}", found.apart.high * 100.0)
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
        found.map_or("–".to_string(), |found| {
            percent_between(if band { &found.band } else { &found.difference })
        })
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
            "noise-lines-in-min",
            first = format!("{:.1}", first.difference.value * 100.0),
            minutes = resolution.minutes
        ))
    });
    let resolved: Vec<String> = resolved.collect();
    let measure = audit.measures.first().map_or("", |noise| noise.measure.as_str());
    let old = match outdated {
        [] => String::new(),
        why => say!("noise-lines-proofload-doctor-noise-measures", why = why.join(word!("between-items"))),
    };
    [
        say!("noise-lines-audit-old-the-ratio", age, old, spreads = spreads.join(word!("between-items"))),
        say!("noise-lines-a-difference-in-is", measure, resolved = resolved.join(word!("between-items"))),
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

/// What was searched for.
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

/// Where the search led.
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
