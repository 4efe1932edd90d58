//! The queue whose truth is a formula, live: Poisson arrivals, one server, exponential service (M/M/1). Response times
//! are exponential with rate mu - lambda, so the quantile q is -ln(1 - q) / (mu - lambda).
//!
//! ```text
//! cargo build --release && cd benches && cargo run --release --bin mm1 -- [--runs 10] [--seconds 20] [--smoke]
//! ```
//!
//! Each run has a seed of its own; the interval is Student's, over the runs' quantiles. The exit code is 1 when an
//! interval does not hold the truth; of intervals of 95 % one in twenty does not.

use anyhow::{Context, ensure};
use proofload_benches::clients::{Measured, measure};
use proofload_benches::flags::Flags;
use proofload_benches::series::undisturbed;
use proofload_benches::subject::Subject;

/// Services and arrivals in a second. At ten milliseconds each, the tenth of a millisecond that the way takes, with its
/// wake-ups, is a hundredth.
const MU: f64 = 100.0;
const LAMBDA: f64 = 60.0;
const QUANTILES: [(&str, f64); 3] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)];
/// 97.5 % quantile of Student's t by degrees of freedom, from 1.
const T: [f64; 20] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086,
];

fn main() -> anyhow::Result<()> {
    let flags = Flags::read(&["--runs", "--seconds"])?;
    let (runs, seconds) = (flags.or_smoke("--runs", 10, 2)?, flags.or_smoke("--seconds", 20, 4)?);
    ensure!((2..=T.len() + 1).contains(&runs) && (1..=60).contains(&seconds), "2 to 21 runs of 1 to 60 s");
    undisturbed("M/M/1", flags.smoke, || judge(runs, seconds, flags.smoke))
}

fn judge(runs: usize, seconds: u64, smoke: bool) -> anyhow::Result<()> {
    let found = (1..=runs).map(|seed| run(seed, seconds)).collect::<anyhow::Result<Vec<_>>>()?;
    println!("mu {MU}/s, lambda {LAMBDA}/s, {runs} runs of {seconds} s\nquantile  truth ms  found ms [95 %]");
    let mut missed = 0;
    for (at, (name, q)) in QUANTILES.iter().enumerate() {
        let truth = -(1.0 - q).ln() / (MU - LAMBDA) * 1e3;
        let values: Vec<f64> = found.iter().map(|run| run[at]).collect();
        let (mean, half) = interval(&values);
        let holds = (mean - truth).abs() <= half;
        missed += usize::from(!holds);
        let word = if holds { "holds the truth" } else { "does not hold the truth" };
        println!("{name:<8}  {truth:>8.3}  {mean:.3} [{:.3}, {:.3}] {word}", mean - half, mean + half);
    }
    ensure!(smoke || missed == 0, "{missed} intervals miss the truth");
    Ok(())
}

/// The quantiles of one run, in milliseconds.
fn run(seed: usize, seconds: u64) -> anyhow::Result<[f64; 3]> {
    let service = format!("exp:{}us", 1e6 / MU);
    let subject = Subject::start(&["--servers", "1", "--service", &service, "--seed", &seed.to_string()])?;
    let (rate, seed) = (format!("{LAMBDA}/s"), seed.to_string());
    let flags = ["-r", &rate, "--poisson", "-c", "256", "--seed", &seed, "--warm-up", "1s"];
    let Measured { point, .. } = measure(&subject.url, seconds, &flags)?;
    let (intended, answered) = (point["intended"].as_u64(), point["outcomes"]["answered"].as_u64());
    ensure!(intended == answered && answered > Some(0), "{answered:?} of {intended:?} were answered");
    let mut quantiles = [0.0; 3];
    for (place, (name, _)) in quantiles.iter_mut().zip(QUANTILES) {
        *place = point["response_time_ns"][name].as_f64().context("no quantile")? / 1e6;
    }
    Ok(quantiles)
}

/// Mean and half the length of Student's 95 % interval.
fn interval(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, T[values.len() - 2] * (variance / n).sqrt())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_interval_is_students() {
        // t(0.975, 3) = 3.182; the standard deviation of 1, 2, 3, 4 is 1.291.
        let (mean, half) = super::interval(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(mean, 2.5);
        assert!((half - 3.182 * 1.290_994 / 2.0).abs() < 1e-3);
    }
}
