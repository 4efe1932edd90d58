//! Sentences about the machine's noise, and about searches.

use super::blocks;
use crate::number;
use proofload_store::schema::{
    Between, MeasureNoise, NoiseAudit, Resolution, SliceLengthNoise, TuneHeat, TuneResult,
};

/// Heading of what two equal servers differ by.
pub const NOISE: &str = "How two equal servers differ here (standard deviations)";
/// Columns of it.
pub const NOISE_COLUMNS: [&str; 8] = [
    "measure",
    "one run",
    "ratio of a block",
    "starts",
    "slices",
    "drift",
    "lasts, slice to slice",
    "spoilt slices",
];
/// Heading of what can be resolved.
pub const RESOLUTION: &str = "What this machine can resolve: found in four studies of five";
/// What stands under it.
pub const RESOLUTION_NOTE: &str = "Whole studies of two variants at one load point with one claim, judged at their looks; \
    intervals reflect uncertainty in the measured noise. Servers that differ more from start to start than the reference server \
    resolve less.";
/// Heading of the standings of a search.
pub const SEARCH: &str = "The search (search data: the leader was partly lucky; none of this is a gain)";
/// Columns of the standings.
pub const SEARCH_COLUMNS: [&str; 4] = ["variant", "search data, ratio to the default", "blocks", "out after"];

/// A spread: `2.1 %`.
fn sd(value: f64) -> String {
    format!("{:.2} %", value * 100.0)
}

fn sd_between(ends: &Between) -> String {
    format!("{:.2} % [{:.2}, {:.2}]", ends.value * 100.0, ends.low * 100.0, ends.high * 100.0)
}

fn percent_between(ends: &Between) -> String {
    format!("{:.1} % [{:.1}, {:.1}]", ends.value * 100.0, ends.low * 100.0, ends.high * 100.0)
}

/// When and how an audit was made.
pub fn noise_title(audit: &NoiseAudit, when: &str) -> String {
    format!(
        "Noise of this machine: {} of two equal servers, {} cycles of {} slices each, {:.1} minutes, {when}",
        blocks(audit.blocks),
        audit.cycles,
        number::duration(audit.slice_ns as f64),
        audit.seconds / 60.0
    )
}

/// On what.
pub fn noise_machine(audit: &NoiseAudit) -> String {
    format!("kernel {}, {}, Proofload {}", audit.kernel, audit.cpu_model, audit.build)
}

/// A row of the noise.
pub fn noise_row(noise: &MeasureNoise) -> Vec<String> {
    let drift = match noise.drift_memory {
        None => "none found".to_string(),
        Some(_) => {
            format!("{}, {:.0} % of a slice's variance", sd(noise.drift_sd), noise.drift_share * 100.0)
        }
    };
    let spikes = match noise.spike_size {
        None => "none".to_string(),
        Some(size) => format!("{:.1} %, by {:.0} %", noise.spike_share * 100.0, size.exp_m1() * 100.0),
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
    format!(
        "Short slices, {} of {}, beside {} of {} in each block",
        audit.cycles,
        number::duration(audit.slice_ns as f64),
        audit.long_cycles,
        number::duration(audit.long_slice_ns as f64)
    )
}

/// Columns of short slices beside long ones.
pub const SLICE_LENGTH_COLUMNS: [&str; 4] =
    ["", "ratio of a block, short", "ratio of a block, long", "a true 6 %, long over short"];

/// A row of short slices beside long ones.
pub fn slice_length_row(found: &SliceLengthNoise) -> Vec<String> {
    vec![
        found.measure.clone(),
        sd_between(&found.short_sd),
        sd_between(&found.long_sd),
        format!(
            "{:+.2} % [{:+.2}, {:+.2}]",
            found.apart.value * 100.0,
            found.apart.low * 100.0,
            found.apart.high * 100.0
        ),
    ]
}

/// The column of a resolution: `20 min, default, 8 blocks`.
pub fn resolution_column(resolution: &Resolution) -> String {
    format!("{} min, {}, {}", resolution.minutes, resolution.preset, blocks(resolution.blocks))
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
    [row(format!("{measure}: difference"), false), row(format!("{measure}: equal within"), true)]
}

/// The last audit in two lines, for whoever did not ask for a new one.
pub fn noise_lines(audit: &NoiseAudit, age: &str, outdated: &[String]) -> [String; 2] {
    let spread = |noise: &MeasureNoise| format!("{} {}", noise.measure, sd(noise.block_sd.value));
    let spreads: Vec<String> = audit.measures.iter().map(spread).collect();
    let resolved = audit.resolution.iter().filter_map(|resolution| {
        let first = resolution.measures.first()?;
        Some(format!("{:.1} % in {} min", first.difference.value * 100.0, resolution.minutes))
    });
    let resolved: Vec<String> = resolved.collect();
    let measure = audit.measures.first().map_or("", |noise| noise.measure.as_str());
    let old = match outdated {
        [] => String::new(),
        why => format!("; {}: proofload doctor --noise measures anew", why.join(", ")),
    };
    [
        format!("audit {age} old{old}: the ratio of two equal servers spreads by {}", spreads.join(", ")),
        format!("a difference in {measure} is found (four studies of five): {}", resolved.join(", ")),
    ]
}

/// `2 hours`, `3 days`.
pub fn age(ns: u64) -> String {
    let minutes = ns / 60_000_000_000;
    let (n, unit) = match minutes {
        0..120 => (minutes, "minute"),
        120..2880 => (minutes / 60, "hour"),
        _ => (minutes / 1440, "day"),
    };
    if n == 1 { format!("1 {unit}") } else { format!("{n} {unit}s") }
}

/// What was searched for.
pub fn search_title(result: &TuneResult) -> String {
    let stream = if result.stream.is_empty() { String::new() } else { format!("[{}]", result.stream) };
    format!(
        "Tuning {}: {} {}{stream} @ {}, default {}",
        result.study, result.goal, result.measure, result.point, result.default
    )
}

/// A heat in a line.
pub fn heat(number: usize, heat: &TuneHeat) -> String {
    format!("heat {number}: {} variants, {}, {}", heat.variants.len(), blocks(heat.blocks), heat.run)
}

/// Where the search led.
pub fn search_winner(result: &TuneResult) -> String {
    match (result.winner == result.default, &result.confirmation) {
        (true, _) => format!(
            "Nothing was better than the default, {}, in the search: it stays, and nothing is claimed",
            result.default
        ),
        (false, Some(_)) => {
            format!("Fresh blocks of {} against the default, {}, judged:", result.winner, result.default)
        }
        (false, None) => format!(
            "The search led to {}; no fresh blocks judged it against the default, {}, and nothing is claimed",
            result.winner, result.default
        ),
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
