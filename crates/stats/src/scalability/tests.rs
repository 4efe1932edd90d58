//! Ladders with known knee and peak, and others of which none must be reported. Every seed is fixed.

use super::*;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

const TAIL: f64 = 0.05;
const DOUBLING: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
/// Ladders of a simulation: an optimised build has as many, the gate a third.
const fn count(full: usize) -> usize {
    if cfg!(debug_assertions) { full / 3 } else { full }
}

/// A peak at 56.9 connections.
const SIGMA: f64 = 0.03;
const KAPPA: f64 = 3e-4;

fn usl(n: u32, kappa: f64) -> f64 {
    let n = f64::from(n);
    100.0 * n / (1.0 + SIGMA * (n - 1.0) + kappa * n * (n - 1.0))
}

/// Blocks of which each start is quicker or slower as a whole, and each figure noisy beside.
fn noisy(
    rng: &mut Rng,
    connections: &[u32],
    blocks: usize,
    noise: f64,
    truth: &dyn Fn(u32) -> f64,
) -> Ladder {
    let starts: Vec<f64> = (0..blocks).map(|_| 0.03 * rng.normal()).collect();
    let mut at = |n: u32, start: f64| truth(n) * (start + noise * rng.normal()).exp();
    let rungs: Vec<Rung> = connections
        .iter()
        .map(|&n| Rung {
            connections: n,
            throughput_per_s: starts.iter().map(|start| at(n, *start)).collect(),
        })
        .collect();
    // Little's law at the lowest rung.
    let low = rungs[0].throughput_per_s.iter().map(|per_s| 1e9 * f64::from(connections[0]) / per_s);
    Ladder { low_response_ns: low.collect(), rungs, think_ns: 0.0 }
}

fn read(ladder: &Ladder) -> Scalability {
    scalability(ladder, TAIL, 1).expect("a sound ladder")
}

/// Connections that ask, wait for one of eight workers, are served for 10 ms and think for 790 ms, both exponential on
/// average, simulated event by event: nothing in it knows of a knee.
fn eight_workers(rng: &mut Rng, connections: u32, service_ns: f64) -> (f64, f64) {
    const WARM_NS: u64 = 3_000_000_000;
    const END_NS: u64 = 23_000_000_000;
    let mut after = |mean_ns: f64| (rng.exponential() * mean_ns) as u64;
    // When, whether it is an answer (or else a request), and when that was asked.
    let mut events: BinaryHeap<Reverse<(u64, bool, u64)>> =
        (0..connections).map(|_| Reverse((after(790e6), false, 0))).collect();
    let mut waiting = VecDeque::new();
    let (mut busy, mut answered, mut response_ns) = (0, 0_u64, 0_u64);
    while let Some(Reverse((now, is_answer, asked))) = events.pop() {
        if now > END_NS {
            break;
        }
        if is_answer {
            busy -= 1;
            if now > WARM_NS {
                answered += 1;
                response_ns += now - asked;
            }
            events.push(Reverse((now + after(790e6), false, 0)));
        } else {
            waiting.push_back(now);
        }
        if busy < 8
            && let Some(asked) = waiting.pop_front()
        {
            busy += 1;
            events.push(Reverse((now + after(service_ns), true, asked)));
        }
    }
    (answered as f64 / ((END_NS - WARM_NS) as f64 / 1e9), response_ns as f64 / answered.max(1) as f64)
}

/// Throughput of five starts of the eight workers on these rungs.
fn ladder_of_workers(rng: &mut Rng, connections: &[u32]) -> Ladder {
    let rung = |n: &u32| Rung { connections: *n, throughput_per_s: Vec::new() };
    let mut ladder = Ladder {
        rungs: connections.iter().map(rung).collect(),
        low_response_ns: Vec::new(),
        think_ns: 790e6,
    };
    for _ in 0..5 {
        let service_ns = 10e6 * (0.02 * rng.normal()).exp();
        for (at, n) in connections.iter().enumerate() {
            let (per_s, response_ns) = eight_workers(rng, *n, service_ns);
            ladder.rungs[at].throughput_per_s.push(per_s);
            if at == 0 {
                ladder.low_response_ns.push(response_ns);
            }
        }
    }
    ladder
}

/// c workers, service time S, think time Z: the knee is at c (1 + Z/S) connections, 640 here. Nothing in such a queue
/// makes it answer less under more load, so there is no peak.
#[test]
fn truth_10_the_knee_of_eight_workers_is_at_640_connections_and_they_have_no_peak() {
    let mut rng = Rng::new(640);
    let connections = [4, 40, 160, 320, 450, 640, 900, 1280];
    const LADDERS: usize = count(20);
    let (mut farthest, mut covered, mut peaks, mut first) = (0.0_f64, 0, 0, None);
    for _ in 0..LADDERS {
        let found = read(&ladder_of_workers(&mut rng, &connections));
        let knee = found.knee.expect("a knee");
        let (low, high) = knee.ends.expect("an interval");
        farthest = farthest.max((knee.mean / 640.0 - 1.0).abs());
        covered += usize::from(low < 640.0 && 640.0 < high);
        peaks += usize::from(found.peak.is_ok());
        first.get_or_insert((knee.mean, low, high));
        assert!(high / low < 1.2 && found.low_load, "{found:?}");
        let from = found.plateau_from;
        assert!((450..=900).contains(&from.point) && from.low <= from.point, "{from:?}");
    }
    let short = read(&ladder_of_workers(&mut rng, &connections[..4]));
    let still_rising = short.knee == Err(NoKnee::StillRising);
    let (knee, low, high) = first.expect("a ladder");
    println!(
        "truth 10 | 8 workers, 10 ms each, think time 790 ms, simulated event by event; {LADDERS} ladders of 5 starts \
         | knee at 640 connections within 5 %, no peak; none told of a ladder to 320 \
         | {knee:.0} [{low:.0}, {high:.0}] on the first, at most {:.1} % off, 640 in {covered} of {LADDERS} intervals, peak told \
         in {peaks}; to 320 {}",
        100.0 * farthest,
        if still_rising { "not observed" } else { "told" }
    );
    let peaks_max = LADDERS.div_ceil(10);
    assert!(
        farthest < 0.05 && covered >= LADDERS * 4 / 5 && peaks <= peaks_max,
        "{farthest} {covered} {peaks}"
    );
    assert!(still_rising, "{short:?}");
}

/// A server whose connections work for themselves, then hold one lock one after the other and tell all others, which
/// costs as many messages as there are others: simulated, holds and messages of random length. Answers a second.
fn lock_and_broadcast(rng: &mut Rng, connections: u32, quickness: f64) -> f64 {
    let rounds = (4_000 / connections).max(20);
    let (alone, others) = (0.01, f64::from(connections - 1));
    let mut elapsed = 0.0;
    for _ in 0..rounds {
        elapsed += alone * (1.0 - SIGMA);
        for _ in 0..connections {
            elapsed += alone * (SIGMA * rng.exponential() + KAPPA * others * rng.exponential());
        }
    }
    quickness * f64::from(rounds * connections) / elapsed
}

fn ladder_of_lock(rng: &mut Rng, connections: &[u32]) -> Ladder {
    let starts: Vec<f64> = (0..5).map(|_| (0.03 * rng.normal()).exp()).collect();
    let mut at = |n: u32, start: f64| {
        let noise = (0.03 * rng.normal()).exp();
        lock_and_broadcast(rng, n, start * noise)
    };
    let rungs: Vec<Rung> = connections
        .iter()
        .map(|&n| Rung {
            connections: n,
            throughput_per_s: starts.iter().map(|start| at(n, *start)).collect(),
        })
        .collect();
    let low = rungs[0].throughput_per_s.iter().map(|per_s| 1e9 * f64::from(connections[0]) / per_s);
    Ladder { low_response_ns: low.collect(), rungs, think_ns: 0.0 }
}

/// Peak by the law alone, fitted to the means: it has a peak for any data.
fn by_the_law_alone(ladder: &Ladder) -> f64 {
    let mean = |rung: &Rung| rung.throughput_per_s.iter().map(|x| x.ln()).sum::<f64>() / 5.0;
    let means: Vec<f64> = ladder.rungs.iter().map(mean).collect();
    Curve::over(ladder.rungs.iter().map(|rung| f64::from(rung.connections)).collect())
        .fit(&means, None)
        .peak()
}

#[test]
fn truth_11_the_peak_of_a_lock_with_a_broadcast_is_told_only_where_it_was_passed() {
    let mut rng = Rng::new(11);
    let truth = ((1.0 - SIGMA) / KAPPA).sqrt();
    const LADDERS: usize = count(60);
    let (mut told, mut covered, mut first) = (0, 0, None);
    for _ in 0..LADDERS {
        if let Ok(peak) = read(&ladder_of_lock(&mut rng, &DOUBLING)).peak {
            told += 1;
            covered += usize::from(peak.low < truth && truth < peak.high);
            first.get_or_insert(peak);
        }
    }
    let mut naive = Vec::new();
    let mut wrong = 0;
    for _ in 0..LADDERS {
        let half = ladder_of_lock(&mut rng, &[1, 2, 4, 7, 10, 14, 20, 28]);
        wrong += u32::from(read(&half).peak.is_ok());
        naive.push(by_the_law_alone(&half));
    }
    naive.sort_by(f64::total_cmp);
    let (low, high) = (naive[LADDERS / 20], naive[LADDERS - 1 - LADDERS / 20]);
    let peak = first.expect("a peak on the first ladders");
    println!(
        "truth 11 | a server with a lock and a broadcast, its peak at {truth:.1} connections; {LADDERS} ladders to 128, {LADDERS} to 28 \
         | the peak inside the interval (95 %); to 28 \"peak not observed\" \
         | to 128 told in {told}, first {:.1} [{:.1}, {:.1}], covered in {covered} of these; to 28 told in {wrong}, where \
         the law alone tells one each time, from {low:.0} to {high:.0} (5 to 95 %)",
        peak.point, peak.low, peak.high
    );
    assert!(told * 10 >= LADDERS * 9 && covered * 10 >= told * 9, "told {told}, covered {covered}");
    assert_eq!(wrong, 0);
    assert!(naive[0] > 28.0 && high > 1.5 * low, "the law alone tells a peak of any data: {naive:?}");
}

/// With more blocks the figures of single blocks hang together more, for each has a say in where the others look.
#[test]
fn the_knees_interval_covers_the_truth_as_often_as_it_says() {
    let mut rng = Rng::new(1);
    const LADDERS: usize = count(400);
    let connections = [1, 4, 16, 32, 64, 96, 128];
    for (blocks, noise) in [(6, 0.03), (12, 0.05)] {
        let (mut told, mut covered) = (0, 0);
        for _ in 0..LADDERS {
            let ladder = noisy(&mut rng, &connections, blocks, noise, &|n| 10.0 * f64::from(n.min(40)));
            if let Ok(knee) = read(&ladder).knee {
                let (low, high) = knee.ends.expect("an interval");
                told += 1;
                covered += usize::from(low < 40.0 && 40.0 < high);
            }
        }
        println!("knee at 40, {blocks} blocks: told {told} of {LADDERS}, covered {covered}");
        // Two standard deviations are allowed: of 400 told 380 are nominal, with one of 4.4.
        let allowed = (2.0 * (0.05 * 0.95 * LADDERS as f64).sqrt()).ceil() as usize;
        assert!(told * 100 >= LADDERS * 98, "{told} of {LADDERS}");
        assert!(covered + allowed >= told - told / 20, "{covered} of {told}");
    }
}

#[test]
fn the_most_is_not_the_luckiest() {
    let mut rng = Rng::new(2);
    let (mut found, mut highest) = (0.0, 0.0);
    let ladders = count(200);
    for _ in 0..ladders {
        let ladder = noisy(&mut rng, &[1, 8, 64, 80, 96, 112, 128, 144], 5, 0.05, &|n| f64::from(n.min(8)));
        found += read(&ladder).most_per_s.mean.ln() / ladders as f64;
        let mean = |rung: &Rung| rung.throughput_per_s.iter().map(|x| x.ln()).sum::<f64>() / 5.0;
        highest += ladder.rungs.iter().map(mean).fold(f64::MIN, f64::max) / ladders as f64;
    }
    let truth = 8.0_f64.ln();
    // The starts' scale of 3 % averages out to 0.1 %; the highest of seven means of 2.2 % spread is 3 % too high.
    println!("the most: off by {}, the highest by {}", found - truth, highest - truth);
    assert!((found - truth).abs() < 0.004 && highest - truth > 0.02, "{found} {highest} {truth}");
}

/// At 64 connections 0.4 % less is answered than at the peak: that takes a quiet machine to see.
#[test]
fn a_peak_at_57_is_found_on_a_ladder_to_64_by_quiet_blocks_and_not_by_noisy_ones() {
    let connections = [1, 2, 4, 8, 16, 32, 40, 48, 56, 64];
    let mut rng = Rng::new(4);
    for _ in 0..count(20) {
        let quiet = read(&noisy(&mut rng, &connections, 8, 0.001, &|n| usl(n, KAPPA)));
        let peak = quiet.peak.expect("a peak");
        assert!((peak.point - 56.86).abs() < 2.0 && peak.high < 64.0, "{quiet:?}");
        let contention = quiet.contention;
        assert!((contention.point - SIGMA).abs() < 0.002 && contention.low < contention.high, "{quiet:?}");
    }
    let told = |_: &usize| read(&noisy(&mut rng, &connections, 5, 0.05, &|n| usl(n, KAPPA))).peak.is_ok();
    let ladders = count(120);
    let told = (0..ladders).filter(told).count();
    println!("peak at 57, to 64, noisy: told {told} of {ladders}");
    assert!(told <= ladders / 40, "{told} of {ladders}");
}

#[test]
fn a_peak_at_57_is_not_observed_on_a_ladder_to_32() {
    let mut rng = Rng::new(5);
    for _ in 0..count(120) {
        let found = read(&noisy(&mut rng, &[1, 2, 4, 8, 12, 16, 24, 32], 5, 0.05, &|n| usl(n, KAPPA)));
        assert_eq!(found.peak, Err(NoPeak::NoFall), "{found:?}");
    }
}

#[test]
fn a_curve_without_a_peak_never_has_one() {
    let mut rng = Rng::new(6);
    for _ in 0..count(120) {
        let found = read(&noisy(&mut rng, &DOUBLING, 5, 0.05, &|n| usl(n, 0.0)));
        assert!(found.peak.is_err(), "{found:?}");
        assert_eq!(found.knee, Err(NoKnee::StillRising), "{found:?}");
    }
}

/// The law bends down behind a sharp knee whatever the data do there; what was seen at the highest rung decides.
#[test]
fn a_flat_plateau_is_taken_for_a_peak_no_more_often_than_one_side_of_the_interval_misses() {
    let mut rng = Rng::new(7);
    let flat = |n: u32| f64::from(n.min(24));
    let ladders = count(200);
    let told =
        (0..ladders).filter(|_| read(&noisy(&mut rng, &DOUBLING, 5, 0.05, &flat)).peak.is_ok()).count();
    println!("flat plateau: told {told} of {ladders}");
    // Of 200 5 are nominal, with a standard deviation of 2.2.
    assert!(told <= ladders * 12 / 200, "{told} of {ladders}");
}

#[test]
fn the_plateau_begins_where_95_percent_are_reached_and_says_what_is_sure() {
    let throughput = [[10.0; 4], [50.0; 4], [94.0, 97.0, 95.5, 96.0], [97.0, 98.5, 98.0, 97.5], [100.0; 4]];
    let rungs = [1, 5, 10, 20, 40].into_iter().zip(throughput);
    let rungs = rungs.map(|(connections, per_s)| Rung { connections, throughput_per_s: per_s.to_vec() });
    let ladder = Ladder { rungs: rungs.collect(), low_response_ns: vec![1e8; 4], think_ns: 0.0 };
    let found = read(&ladder);
    assert_eq!(found.plateau_from, PlateauFrom { point: 10, low: 10, high: Some(20) });
    assert_eq!(found.most_per_s.ends, Some((found.most_per_s.mean, found.most_per_s.mean)));
    let knee = found.knee.expect("a knee");
    assert!((knee.mean - 10.0).abs() < 1e-9 && found.blocks == 4, "100/s times 0.1 s: {knee:?}");
}

fn ladder(throughput: &[(u32, f64)]) -> Ladder {
    let rung = |&(connections, per_s): &(u32, f64)| Rung { connections, throughput_per_s: vec![per_s; 3] };
    let low = 1e9 * f64::from(throughput[0].0) / throughput[0].1;
    let rungs = throughput.iter().map(rung).collect();
    Ladder { rungs, low_response_ns: vec![low; 3], think_ns: 0.0 }
}

#[test]
fn rungs_that_lie_close_are_no_plateau() {
    // Each connection is answered ten times a second, however many there are: within 5 % at the top all the same.
    let linear = ladder(&[(1, 10.0), (8, 80.0), (60, 600.0), (62, 620.0), (64, 640.0)]);
    assert_eq!(read(&linear).knee, Err(NoKnee::StillRising));
    // The most that this one can do is 333; at 64 connections it has 221.
    let bends: Vec<(u32, f64)> = [1, 8, 32, 60, 64].map(|n| (n, usl(n, 0.0) / 10.0)).to_vec();
    assert_eq!(read(&ladder(&bends)).knee, Err(NoKnee::StillRising));
}

#[test]
fn a_knee_outside_the_ladder_is_not_told() {
    let rising = ladder(&[(1, 10.0), (2, 20.0), (4, 39.0), (8, 70.0)]);
    assert_eq!(read(&rising).knee, Err(NoKnee::StillRising));
    let flat = ladder(&[(16, 100.0), (32, 101.0), (64, 101.0), (128, 100.0)]);
    let found = read(&flat);
    assert_eq!((found.knee, found.low_load), (Err(NoKnee::AtLowest), false));
    let sleepy = ladder(&[(1, 10.0), (2, 60.0), (4, 120.0), (8, 120.0)]);
    assert_eq!(read(&sleepy).knee, Err(NoKnee::BeyondHighest));
    let loaded = ladder(&[(8, 60.0), (16, 90.0), (32, 100.0), (64, 100.0)]);
    assert!(!read(&loaded).low_load && read(&loaded).knee.is_ok());
}

#[test]
fn too_little_and_unsound_ladders_say_nothing() {
    let good = ladder(&[(1, 10.0), (2, 20.0), (4, 30.0), (8, 30.0)]);
    let short = Ladder { rungs: good.rungs[..3].to_vec(), ..good.clone() };
    assert_eq!(scalability(&short, TAIL, 1), Err(NoLadder::TooFewRungs { have: 3, need: 4 }));
    let mut few = good.clone();
    few.low_response_ns.truncate(2);
    few.rungs.iter_mut().for_each(|rung| rung.throughput_per_s.truncate(2));
    assert_eq!(scalability(&few, TAIL, 1), Err(NoLadder::TooFewBlocks { have: 2, need: 3 }));
    let spoil: [&dyn Fn(&mut Ladder); 7] = [
        &|ladder| ladder.rungs[2].throughput_per_s[1] = 0.0,
        &|ladder| ladder.rungs[2].throughput_per_s[1] = f64::NAN,
        &|ladder| ladder.low_response_ns[0] = f64::INFINITY,
        &|ladder| ladder.rungs[1].connections = 4,
        &|ladder| ladder.rungs[0].connections = 0,
        &|ladder| ladder.rungs[3].throughput_per_s.truncate(2),
        &|ladder| ladder.think_ns = -1.0,
    ];
    for (at, spoil) in spoil.iter().enumerate() {
        let mut bad = good.clone();
        spoil(&mut bad);
        assert_eq!(scalability(&bad, TAIL, 1), Err(NoLadder::Unsound), "spoilt by {at}");
    }
    let mut huge = good;
    huge.rungs[3].connections = u32::MAX;
    huge.rungs[3].throughput_per_s = vec![f64::MAX, f64::MIN_POSITIVE, 1.0];
    huge.think_ns = f64::MAX;
    let _any = scalability(&huge, TAIL, 1);
}

#[test]
fn the_same_seed_gives_the_same_intervals() {
    let ladder = noisy(&mut Rng::new(8), &DOUBLING, 4, 0.05, &|n| usl(n, KAPPA));
    assert_eq!(scalability(&ladder, TAIL, 9), scalability(&ladder, TAIL, 9));
    assert_ne!(scalability(&ladder, TAIL, 9), scalability(&ladder, TAIL, 10));
}
