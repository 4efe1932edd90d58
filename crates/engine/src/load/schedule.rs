//! Intended send times of an open loop: one global timetable, dealt in stripes.
//!
//! Dividing the rate among shares instead would make all shares burst together. Offsets are
//! nanoseconds from the start of the load.

use super::{Curve, Random, Trace};
use serde::{Deserialize, Serialize};

/// Spacing of the intended times of an open loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Arrival {
    Constant,
    Poisson,
}

impl Arrival {
    /// As it is written in studies and records.
    pub fn name(self) -> &'static str {
        match self {
            Arrival::Constant => "constant",
            Arrival::Poisson => "poisson",
        }
    }
}

/// Name of the random stream that spaces Poisson arrivals.
const GAPS: u64 = 0x6761_7073;

/// The timetable of the whole load, tick after tick, without end.
#[derive(Clone, Debug)]
pub struct Schedule {
    next_index: u64,
    gap_ns: f64,
    spacing: Spacing,
}

#[derive(Clone, Debug)]
enum Spacing {
    /// Tick i is at i gaps exactly; nothing accumulates, so nothing drifts.
    Constant,
    /// The sum of the gaps, whole nanoseconds and the fraction kept apart: an hour of additions to one
    /// `f64` would round each of them.
    Poisson { random: Random, at_ns: u64, fraction: f64 },
    /// Tick i is where the integral of the rate is i.
    Staged { curve: Curve },
    /// Tick i is where it was recorded.
    Recorded { trace: Trace },
    /// A Poisson process of one tick for each unit of the integral, its time changed by the curve: exponential
    /// gaps, summed as whole units and a fraction.
    StagedPoisson { curve: Curve, random: Random, whole: u64, fraction: f64, at_ns: Option<u64> },
}

impl Schedule {
    /// A timetable of `rate_per_s` ticks a second, above 0 and at most 1e8. The first constant tick
    /// is at 0, the first Poisson tick one gap later.
    pub fn new(rate_per_s: f64, arrival: Arrival, seed: u64) -> Self {
        let spacing = match arrival {
            Arrival::Constant => Spacing::Constant,
            Arrival::Poisson => Spacing::Poisson { random: Random::new(seed, GAPS), at_ns: 0, fraction: 0.0 },
        };
        Schedule { next_index: 0, gap_ns: 1e9 / rate_per_s, spacing }
    }

    /// A timetable whose rate follows a curve. Beyond its end all ticks are at `u64::MAX`: never.
    pub fn staged(curve: Curve, arrival: Arrival, seed: u64) -> Self {
        let spacing = match arrival {
            Arrival::Constant => Spacing::Staged { curve },
            Arrival::Poisson => {
                let random = Random::new(seed, GAPS);
                Spacing::StagedPoisson { curve, random, whole: 0, fraction: 0.0, at_ns: None }
            }
        };
        Schedule { next_index: 0, gap_ns: 0.0, spacing }
    }

    /// A timetable of recorded arrivals. Beyond its end all ticks are at `u64::MAX`: never.
    pub fn recorded(trace: Trace) -> Self {
        Schedule { next_index: 0, gap_ns: 0.0, spacing: Spacing::Recorded { trace } }
    }

    /// True if each tick starts where the one before it left off, so that none can be skipped.
    fn accumulates(&self) -> bool {
        matches!(self.spacing, Spacing::Poisson { .. } | Spacing::StagedPoisson { .. })
    }

    /// The next tick's offset. Offsets increase strictly: two arrivals never share a nanosecond.
    #[inline]
    fn advance(&mut self) -> u64 {
        let index = self.next_index;
        self.next_index += 1;
        match &mut self.spacing {
            Spacing::Constant => (index as f64 * self.gap_ns) as u64,
            Spacing::Poisson { random, at_ns, fraction } => {
                *fraction += random.exponential() * self.gap_ns;
                // A gap below 1 ns is lengthened to 1 ns and owed to the gaps that follow.
                let step = fraction.floor().max(1.0);
                *fraction -= step;
                *at_ns += step as u64;
                *at_ns
            }
            Spacing::Staged { curve } => curve.reach_ns(index, 0.0).unwrap_or(u64::MAX),
            Spacing::Recorded { trace } => trace.at_ns(index).unwrap_or(u64::MAX),
            Spacing::StagedPoisson { curve, random, whole, fraction, at_ns } => {
                *fraction += random.exponential();
                *whole += fraction.floor() as u64;
                *fraction -= fraction.floor();
                let reached = curve.reach_ns(*whole, *fraction).unwrap_or(u64::MAX);
                let due_ns = at_ns.map_or(reached, |before: u64| reached.max(before.saturating_add(1)));
                *at_ns = Some(due_ns);
                if due_ns < curve.length_ns() { due_ns } else { u64::MAX }
            }
        }
    }
}

impl Iterator for Schedule {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        Some(self.advance())
    }
}

/// One share of a timetable: ticks k, k + N, k + 2N and so on.
#[derive(Clone, Debug)]
pub struct Stripe {
    schedule: Schedule,
    step: u64,
    index: u64,
    offset_ns: u64,
}

impl Stripe {
    /// Share `k` of `n`, standing at its first tick.
    pub fn new(mut schedule: Schedule, k: u64, n: u64) -> Self {
        if schedule.accumulates() {
            for _ in 0..k {
                schedule.advance();
            }
        }
        schedule.next_index = k;
        let offset_ns = schedule.advance();
        Stripe { schedule, step: n, index: k, offset_ns }
    }

    /// Number of the present tick in the whole timetable.
    #[inline]
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Offset of the present tick.
    #[inline]
    pub fn offset_ns(&self) -> u64 {
        self.offset_ns
    }

    /// Goes on to the next tick of this share.
    #[inline]
    pub fn advance(&mut self) {
        // Gaps of the other shares' ticks are drawn too: it is one timetable.
        if self.schedule.accumulates() {
            for _ in 1..self.step {
                self.schedule.advance();
            }
        }
        self.index += self.step;
        self.schedule.next_index = self.index;
        self.offset_ns = self.schedule.advance();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stage;
    use proptest::prelude::*;

    const HOUR_NS: u64 = 3_600_000_000_000;

    fn both() -> impl Strategy<Value = Arrival> {
        prop_oneof![Just(Arrival::Constant), Just(Arrival::Poisson)]
    }

    proptest! {
        #[test]
        fn times_increase_strictly(rate in 0.01f64..1e8, arrival in both(), seed: u64) {
            let times: Vec<u64> = Schedule::new(rate, arrival, seed).take(2_000).collect();
            prop_assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
        }

        #[test]
        fn a_constant_rates_count_is_within_one_of_the_integral(rate in 0.1f64..50_000.0, seconds in 0.1f64..3.0) {
            let end_ns = (seconds * 1e9) as u64;
            let count = Schedule::new(rate, Arrival::Constant, 0).take_while(|t| *t < end_ns).count();
            prop_assert!((count as f64 - rate * seconds).abs() <= 1.0, "{count} of {}", rate * seconds);
        }

        #[test]
        fn stripes_merge_to_the_whole(n in 1u64..9, arrival in both(), seed: u64, rate in 1f64..1e6) {
            let whole: Vec<(u64, u64)> =
                (0u64..).zip(Schedule::new(rate, arrival, seed)).take(8 * n as usize).collect();
            let mut merged: Vec<(u64, u64)> = (0..n)
                .flat_map(|k| {
                    let mut stripe = Stripe::new(Schedule::new(rate, arrival, seed), k, n);
                    (0..8).map(move |_| {
                        let tick = (stripe.index(), stripe.offset_ns());
                        stripe.advance();
                        tick
                    })
                })
                .collect();
            merged.sort_unstable();
            prop_assert_eq!(merged, whole);
        }
    }

    fn line() -> impl Strategy<Value = Stage> {
        let value = || prop_oneof![Just(0.0), 0.1f64..100_000.0];
        (value(), value(), 1u64..3_000_000_000, any::<bool>()).prop_map(|(from, to, for_ns, hold)| {
            Stage::Line { from, to: if hold { from } else { to }, for_ns }
        })
    }

    /// A share of 1 touches 0 in every trough.
    fn sine() -> impl Strategy<Value = Stage> {
        let share = prop_oneof![Just(1.0), 0.001f64..1.0];
        (0.1f64..100_000.0, share, 1_000u64..3_000_000_000, 1u64..3_000_000_000).prop_map(
            |(mean, share, period_ns, for_ns)| Stage::Sine {
                mean,
                amplitude: mean * share,
                period_ns,
                for_ns,
            },
        )
    }

    fn stages() -> impl Strategy<Value = Vec<Stage>> {
        proptest::collection::vec(prop_oneof![line(), sine()], 1..6)
    }

    /// The integral of the beginning of a stage, by the textbook.
    fn ideal_area(stage: &Stage, part_ns: u64) -> f64 {
        let seconds = part_ns as f64 / 1e9;
        match *stage {
            Stage::Line { from, to, for_ns } => {
                (from + (to - from) / 2.0 * part_ns as f64 / for_ns as f64) * seconds
            }
            Stage::Sine { mean, amplitude, period_ns, .. } => {
                let omega = std::f64::consts::TAU * 1e9 / period_ns as f64;
                mean * seconds + amplitude / omega * (1.0 - (omega * seconds).cos())
            }
        }
    }

    proptest! {
        #[test]
        fn staged_times_increase_strictly_and_end_with_the_stages(stages in stages(), arrival in both(), seed: u64) {
            let curve = Curve::new(&stages);
            let times: Vec<u64> = Schedule::staged(curve.clone(), arrival, seed).take(20_000).collect();
            let within = times.iter().take_while(|at| **at < curve.length_ns()).count();
            prop_assert!(times[..within].windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(times[within..].iter().all(|at| *at == u64::MAX));
        }

        #[test]
        fn a_staged_count_is_within_one_of_the_integral_up_to_any_instant(stages in stages(), share in 0f64..1.0) {
            let curve = Curve::new(&stages);
            let end_ns = (curve.length_ns() as f64 * share) as u64;
            let mut left_ns = end_ns;
            let mut ideal = 0.0;
            for stage in &stages {
                let part_ns = left_ns.min(stage.for_ns());
                left_ns -= part_ns;
                ideal += ideal_area(stage, part_ns);
            }
            let schedule = Schedule::staged(curve, Arrival::Constant, 0);
            let count = schedule.take_while(|at| *at < end_ns).count();
            prop_assert!((count as f64 - ideal).abs() <= 1.0 + 1e-6, "{count} of {ideal}");
        }

        #[test]
        fn staged_stripes_merge_to_the_whole(stages in stages(), n in 1u64..9, arrival in both(), seed: u64) {
            let schedule = Schedule::staged(Curve::new(&stages), arrival, seed);
            let whole: Vec<(u64, u64)> = (0u64..).zip(schedule.clone()).take(8 * n as usize).collect();
            let mut merged: Vec<(u64, u64)> = Vec::new();
            for k in 0..n {
                let mut stripe = Stripe::new(schedule.clone(), k, n);
                for _ in 0..8 {
                    merged.push((stripe.index(), stripe.offset_ns()));
                    stripe.advance();
                }
            }
            merged.sort_unstable();
            prop_assert_eq!(merged, whole);
        }

        #[test]
        fn a_stage_that_holds_is_the_timetable_of_its_rate(rate in 0.1f64..1e6, arrival in both(), seed: u64) {
            let hold = Stage::hold(rate, HOUR_NS);
            let staged = Schedule::staged(Curve::new(&[hold]), arrival, seed).take(2_000);
            let known = Schedule::new(rate, arrival, seed).take(2_000);
            for (staged, known) in staged.zip(known).take_while(|(_, known)| *known < HOUR_NS) {
                match arrival {
                    Arrival::Constant => prop_assert_eq!(staged, known),
                    // The sums are rounded in other places.
                    Arrival::Poisson => prop_assert!(staged.abs_diff(known) <= 8, "{staged} {known}"),
                }
            }
        }
    }

    #[test]
    fn poisson_arrivals_of_a_ramp_are_poisson_once_the_time_is_changed_back() {
        // A rate of 0 to 4,000 in 10 s: t seconds after its start the integral is 200 t².
        let ramp = Stage::Line { from: 0.0, to: 4_000.0, for_ns: 10_000_000_000 };
        let times =
            Schedule::staged(Curve::new(&[ramp]), Arrival::Poisson, 5).take_while(|at| *at < u64::MAX);
        let units: Vec<u64> = times.map(|at| (200.0 * (at as f64 / 1e9).powi(2) * 1e6) as u64).collect();
        let n = units.len() as f64;
        assert!((n - 20_000.0).abs() < 4.0 * 20_000f64.sqrt(), "{n}");
        let mut gaps: Vec<u64> = units.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let found = distance(&mut gaps, 1e6);
        assert!(found < 1.628 / n.sqrt(), "{found}");
    }

    #[test]
    fn poisson_arrivals_of_a_sine_are_poisson_once_the_time_is_changed_back() {
        // 2,000 around, down to 0 and up to 4,000, every 2 s: five periods of 4,000 each.
        let (mean, amplitude, period_ns) = (2_000.0, 2_000.0, 2_000_000_000);
        let sine = Stage::Sine { mean, amplitude, period_ns, for_ns: 5 * period_ns };
        for seed in [5, 6, 7] {
            let times =
                Schedule::staged(Curve::new(&[sine]), Arrival::Poisson, seed).take_while(|at| *at < u64::MAX);
            let units: Vec<u64> = times.map(|at| (ideal_area(&sine, at) * 1e6) as u64).collect();
            let n = units.len() as f64;
            assert!((n - 20_000.0).abs() < 4.0 * 20_000f64.sqrt(), "{n}");
            let mut gaps: Vec<u64> = units.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let found = distance(&mut gaps, 1e6);
            assert!(found < 1.628 / n.sqrt(), "{found}");
        }
    }

    #[test]
    fn a_sine_does_not_drift_over_an_hour() {
        for (mean, share, period_ns) in
            [(7.0, 1.0, 60_000_000_000), (4_999.9, 0.5, 7_000_000_001), (1e5 / 3.0, 0.9, 1_000)]
        {
            let sine = Stage::Sine { mean, amplitude: mean * share, period_ns, for_ns: 2 * HOUR_NS };
            let schedule = Schedule::staged(Curve::new(&[sine]), Arrival::Constant, 0);
            // The integral of whole periods is that of the mean.
            let periods = HOUR_NS / period_ns;
            let ideal = mean * (periods * period_ns) as f64 / 1e9;
            let index = ideal.ceil() as u64;
            let tick_ns = Stripe::new(schedule.clone(), index, 1).offset_ns();
            let before_ns = Stripe::new(schedule, index - 1, 1).offset_ns();
            assert!(
                before_ns <= periods * period_ns + 1 && tick_ns + 1 >= periods * period_ns,
                "{mean} {tick_ns}"
            );
        }
    }

    /// The beginning of a sine.
    fn beginning(sine: Stage, part_ns: u64) -> Stage {
        match sine {
            Stage::Sine { mean, amplitude, period_ns, .. } => {
                Stage::Sine { mean, amplitude, period_ns, for_ns: part_ns }
            }
            line => line,
        }
    }

    #[test]
    fn a_wave_is_read_backwards_to_the_nanosecond() {
        let sine = Stage::Sine { mean: 1e6, amplitude: 9e5, period_ns: 1_000_000_007, for_ns: HOUR_NS };
        for at_ns in [1, 999, 250_000_000, 750_000_005, 999_999_999, 5_000_000_123, HOUR_NS - 5] {
            let reached_ns = sine.reach_ns(beginning(sine, at_ns).area());
            assert!(reached_ns.abs_diff(at_ns) <= 1, "{at_ns}: {reached_ns}");
        }
    }

    /// By how much of its integral a sine misses `x` at the instant that it reports for it, beyond a
    /// nanosecond.
    fn missed(sine: Stage, x: f64) -> f64 {
        let reached_ns = sine.reach_ns(x);
        let before = beginning(sine, reached_ns.saturating_sub(1)).area();
        let behind = beginning(sine, reached_ns + 1).area();
        (before - x).max(x - behind)
    }

    #[test]
    fn every_part_of_a_wave_is_read_backwards_however_deep_its_trough() {
        for share in [0.1, 0.5, 0.7, 0.8, 0.824_278_705, 0.9, 0.99, 1.0] {
            let period_ns = 1_000_000_000;
            let sine = Stage::Sine { mean: 1e5, amplitude: 1e5 * share, period_ns, for_ns: 2 * period_ns };
            let failed = (0..100_000_u32).filter(|x| missed(sine, f64::from(*x)) > 1e-6).count();
            assert!(failed == 0, "{failed} at a share of {share}");
        }
    }

    proptest! {
        #[test]
        fn a_wave_is_read_backwards_anywhere(sine in sine(), share in 0f64..1.0) {
            let x = sine.area() * share;
            let missed = missed(sine, x);
            prop_assert!(missed <= 1e-9 + 1e-12 * x, "{missed} of {x}");
        }
    }

    proptest! {
        #[test]
        fn recorded_stripes_merge_to_the_whole_and_rounds_follow_each_other(
            gaps in proptest::collection::vec(1u64..1_000_000_000, 1..40), rounds in 1u32..5, n in 1u64..9
        ) {
            let offsets_ns: Vec<u64> = gaps.iter().scan(0, |sum, gap| { *sum += gap; Some(*sum - gap) }).collect();
            let round_ns = gaps.iter().sum();
            let trace = Trace { offsets_ns: offsets_ns.into(), round_ns, rounds };
            prop_assert_eq!(trace.problem(), None);
            let schedule = Schedule::recorded(trace.clone());
            let whole: Vec<u64> = schedule.clone().take_while(|at| *at < u64::MAX).collect();
            prop_assert_eq!(whole.len() as u64, trace.count());
            prop_assert!(whole.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(whole.last().is_some_and(|last| *last < trace.length_ns()));
            let mut merged = Vec::new();
            for k in 0..n {
                let mut stripe = Stripe::new(schedule.clone(), k, n);
                while stripe.offset_ns() < u64::MAX {
                    merged.push(stripe.offset_ns());
                    stripe.advance();
                }
            }
            merged.sort_unstable();
            prop_assert_eq!(merged, whole);
        }
    }

    #[test]
    fn a_constant_rate_does_not_drift_over_an_hour() {
        for rate in [0.3, 7.0, 333.0, 4_999.9, 100_000.0 / 3.0, 123_456.7] {
            let index = (rate * 3_600.0) as u64;
            let mut stripe = Stripe::new(Schedule::new(rate, Arrival::Constant, 0), index, 1);
            let ideal = index as f64 / rate * 1e9;
            assert!((stripe.offset_ns() as f64 - ideal).abs() <= 1.0, "rate {rate}");
            stripe.advance();
            assert!(stripe.offset_ns() > HOUR_NS - 10_000_000_000);
        }
    }

    #[test]
    fn poisson_arrivals_keep_their_rate_over_an_hour() {
        let count = Schedule::new(1_000.0, Arrival::Poisson, 11).take_while(|t| *t < HOUR_NS).count();
        // Four standard deviations of a Poisson count of 3.6 million.
        assert!((count as f64 - 3_600_000.0).abs() < 4.0 * 3_600_000f64.sqrt(), "{count}");
    }

    /// The Kolmogorov-Smirnov distance of the gaps from the exponential distribution of that mean.
    fn distance(gaps_ns: &mut [u64], mean_ns: f64) -> f64 {
        gaps_ns.sort_unstable();
        let n = gaps_ns.len() as f64;
        let places = gaps_ns.iter().enumerate();
        places.fold(0f64, |worst, (i, gap)| {
            let expected = 1.0 - (-(*gap as f64) / mean_ns).exp();
            worst.max((expected - i as f64 / n).abs()).max((expected - (i + 1) as f64 / n).abs())
        })
    }

    #[test]
    fn poisson_gaps_pass_kolmogorov_smirnov_and_constant_gaps_do_not() {
        const N: usize = 20_000;
        let critical = 1.628 / (N as f64).sqrt(); // 1 %, large n (Massey 1951)
        for seed in [1, 2, 3] {
            let times: Vec<u64> = Schedule::new(5_000.0, Arrival::Poisson, seed).take(N + 1).collect();
            let mut gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let found = distance(&mut gaps, 200_000.0);
            assert!(found < critical, "seed {seed}: {found} against {critical}");
        }
        let times: Vec<u64> = Schedule::new(5_000.0, Arrival::Constant, 0).take(N + 1).collect();
        let mut gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(distance(&mut gaps, 200_000.0) > critical);
    }
}
