//! A queue whose quantiles are known: one thread, exponential service, Poisson arrivals.

use super::SECOND;
use super::bench::study;
use proofload_engine::{Extent, Watch};
use proofload_lab::generator_settings::GeneratorSettings;
use proofload_lab::plan::{self, LoadTerms};
use proofload_stats::{mean_over_blocks, student};
use proofload_study::LoadRole;
use proofload_testkit::sim::run_in;
use proofload_testkit::sim::{Link, Server, Service, World};
use std::net::SocketAddr;

/// Served per second when busy, and asked per second.
const MU_PER_S: f64 = 1_000.0;
const LAMBDA_PER_S: f64 = 500.0;
/// Starts of a run, and runs.
const STARTS: u64 = 7;
const RUNS: u64 = if cfg!(debug_assertions) { 8 } else { 40 };
/// In how many of them at least a 95 % interval holds the truth.
const HELD_MIN: u32 = (RUNS * 7 / 8) as u32;

/// The response time that a share `q` of all stays below, ns.
fn quantile_ns(q: f64) -> f64 {
    -(1.0 - q).ln() / (MU_PER_S - LAMBDA_PER_S) * 1e9
}

/// Quantiles of response time of one start: 5,000 requests.
fn start(seed: u64, quantiles: &[f64]) -> Vec<f64> {
    let study = study(
        "{ open: { rate: 500/s, arrival: poisson, connections: 64 } }",
        "  - any: throughput(seed=1) > throughput(seed=2)\n",
    );
    let terms = LoadTerms {
        target: SocketAddr::from(([127, 0, 0, 1], 80)).into(),
        authority: "server.test",
        speaks: &proofload_study::Speaks::Http,
        discard_ns: SECOND,
        extent: Extent::DurationNs(10 * SECOND),
        drain_ns: SECOND,
        workers: 1,
        cpus: Vec::new(),
        seed,
        settings: &GeneratorSettings::default(),
    };
    let plan = plan::load_plans(&study, &study.points[0], LoadRole::Real, &terms).expect("a load").remove(0);
    let service = Service::Exponential((1e9 / MU_PER_S) as u64);
    let server = Server { service, threads: 1, ..Server::default() };
    let world = World::new(server, seed).with_link(Link { latency_ns: 1, ..Link::default() });
    let result = run_in(&plan, &Watch::default(), &world).expect("it can be carried out");
    let response = &result.snapshot.response_time;
    quantiles.iter().map(|q| response.quantile_ns(*q).expect("answers") as f64).collect()
}

#[test]
fn truth_06_intervals_hold_the_quantiles_of_an_mm1_queue() {
    const QUANTILES: [f64; 2] = [0.5, 0.99];
    let mut held = [0; 2];
    let mut sums = [0.0; 2];
    for run in 0..RUNS {
        let starts: Vec<Vec<f64>> =
            (0..STARTS).map(|number| start(6_000 + 100 * run + number, &QUANTILES)).collect();
        for (at, q) in QUANTILES.into_iter().enumerate() {
            let values: Vec<f64> = starts.iter().map(|values| values[at]).collect();
            let interval = mean_over_blocks(&values, 0.05).expect("values");
            let (low, high) = interval.ends.expect("seven starts");
            held[at] += u32::from((low..=high).contains(&quantile_ns(q)));
            sums[at] += interval.mean / 1e6 / RUNS as f64;
        }
    }
    println!(
        "truth 06 | M/M/1 queue, 1,000/s served, 500/s asked, {RUNS} runs of {STARTS} starts of 5,000 requests | p50 {:.3} \
         and p99 {:.3} ms; 95 % intervals hold them in ≥ {HELD_MIN} of {RUNS} | p50 {:.3} ms, held in {}; p99 {:.3} ms, held in {}",
        quantile_ns(0.5) / 1e6,
        quantile_ns(0.99) / 1e6,
        sums[0],
        held[0],
        sums[1],
        held[1]
    );
    assert!(held.iter().all(|held| *held >= HELD_MIN), "{held:?}");
    // An interval from one start, its requests taken for independent, is far too narrow: the queue remembers.
    let few = pooled_requests_hold(quantile_ns(0.99));
    assert!(few < HELD_MIN, "requests as if independent hold it in {few}");
}

/// In how many of as many runs the interval of a p99 holds the truth that takes the 5,000 requests of one start for
/// independent: between the order statistics that a binomial count would lie between.
fn pooled_requests_hold(truth_ns: f64) -> u32 {
    let n = 5_000.0_f64;
    let half = student::critical(0.05, 4_999) * (0.99 * 0.01 / n).sqrt();
    let ends = [0.99 - half, 0.99 + half];
    let runs = (0..RUNS).map(|run| start(9_000 + run, &ends));
    runs.map(|ends| u32::from((ends[0]..=ends[1]).contains(&truth_ns))).sum()
}
