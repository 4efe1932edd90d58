//! Intervals of quantiles: between starts they cover the truth as often as stated, from requests as if independent
//! they do not. Streams of M/M/1 servers whose starts differ in speed, with fixed seeds.

use crate::replay::full_size;
use proofload_stats::mean_over_blocks;
use proofload_stats::rng::Rng;

/// Arrivals and services a second, on average; a start's speed spreads by `START_SPREAD`.
const ARRIVALS: f64 = 0.7;
const START_SPREAD: f64 = 0.02;
const STARTS: usize = 7;
/// Two hundred of them lie beyond p99.
const EXCHANGES: usize = 20_000;
const STUDIES: usize = full_size(100, 250) as usize;

/// Response times of one start, in the order of arrival (Lindley's recursion), beginning in the steady state.
fn response_times(rng: &mut Rng, service_rate: f64) -> Vec<f64> {
    let busy = rng.uniform() < ARRIVALS / service_rate;
    let mut waited = if busy { rng.exponential() / (service_rate - ARRIVALS) } else { 0.0 };
    (0..EXCHANGES)
        .map(|_| {
            let response = waited + rng.exponential() / service_rate;
            waited = (response - rng.exponential() / ARRIVALS).max(0.0);
            response
        })
        .collect()
}

fn service_rate(rng: &mut Rng) -> f64 {
    (START_SPREAD * rng.normal()).exp()
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((share * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len()) - 1]
}

/// Truth between starts: the geometric mean of the quantiles of all starts that there might be, each of which is
/// −ln(1 − q)/(μ − λ).
fn truth_of_starts(share: f64) -> f64 {
    let mut rng = Rng::new(77);
    let draws = 400_000;
    let log = |rng: &mut Rng| (-(1.0 - share).ln() / (service_rate(rng) - ARRIVALS)).ln();
    ((0..draws).map(|_| log(&mut rng)).sum::<f64>() / f64::from(draws)).exp()
}

/// Truth of the heap: the quantile of the requests of all starts that there might be.
fn truth_of_heap(share: f64) -> f64 {
    let mut rng = Rng::new(78);
    let gaps: Vec<f64> = (0..50_000).map(|_| service_rate(&mut rng) - ARRIVALS).collect();
    let (mut low, mut high) = (0.0, 200.0);
    for _ in 0..50 {
        let x = 0.5 * (low + high);
        let beyond = gaps.iter().map(|gap| (-gap * x).exp()).sum::<f64>() / gaps.len() as f64;
        if beyond > 1.0 - share { low = x } else { high = x }
    }
    0.5 * (low + high)
}

/// The interval of order statistics, every request taken for an observation of its own.
fn by_requests(sorted: &[f64], share: f64) -> (f64, f64) {
    let n = sorted.len() as f64;
    let half = 1.96 * (n * share * (1.0 - share)).sqrt();
    let at = |rank: f64| sorted[(rank as usize).clamp(1, sorted.len()) - 1];
    (at((n * share - half).floor()), at((n * share + half).ceil() + 1.0))
}

#[test]
fn intervals_between_starts_cover_the_quantile_and_those_from_requests_do_not() {
    let mut rng = Rng::new(6);
    let shares = [0.5, 0.9, 0.99];
    let truths = shares.map(|share| (truth_of_starts(share), truth_of_heap(share)));
    let (mut between, mut requests) = ([0_usize; 3], [0_usize; 3]);
    for _ in 0..STUDIES {
        let mut heap = Vec::with_capacity(STARTS * EXCHANGES);
        let mut found = [const { Vec::new() }; 3];
        for _ in 0..STARTS {
            let rate = service_rate(&mut rng);
            let mut times = response_times(&mut rng, rate);
            times.sort_unstable_by(f64::total_cmp);
            for (found, share) in found.iter_mut().zip(shares) {
                found.push(quantile(&times, share));
            }
            heap.append(&mut times);
        }
        heap.sort_unstable_by(f64::total_cmp);
        for at in 0..3 {
            let (low, high) =
                mean_over_blocks(&found[at], 0.05).and_then(|mean| mean.ends).expect("an interval");
            between[at] += usize::from(low < truths[at].0 && truths[at].0 < high);
            let (low, high) = by_requests(&heap, shares[at]);
            requests[at] += usize::from(low < truths[at].1 && truths[at].1 < high);
        }
    }
    let percent = |covered: usize| 100.0 * covered as f64 / STUDIES as f64;
    for at in 0..3 {
        println!(
            "p{:.0}: between starts {:.0} %, from requests {:.0} %",
            100.0 * shares[at],
            percent(between[at]),
            percent(requests[at])
        );
    }
    for at in 0..3 {
        assert!(
            percent(between[at]) >= f64::from(full_size(90, 92)),
            "{between:?} of {STUDIES} at {}",
            shares[at]
        );
        assert!(percent(requests[at]) < 60.0, "{requests:?} of {STUDIES} at {}", shares[at]);
    }
}
