//! Studies whose right answer is known, by replay: the verdicts of the judge on them, and those of methods that are
//! in use and wrong. Each prints the line that `cargo xtask truth` collects.

use super::noise::{Burner, Machine, Noise, QUIET_MACHINE, SHARED_MACHINE};
use super::{FASTER, Tally, binomial_limit, claims, effects, full_size, replay, replay_on, wrong};
use proofload_stats::{Design, Observations, Verdict, judge};

pub fn percent(part: u32, of: u32) -> String {
    format!("{:.1} %", 100.0 * f64::from(part) / f64::from(of.max(1)))
}

impl Tally {
    fn winners(&self) -> u32 {
        self.supported + self.refuted
    }

    fn add(&mut self, other: &Tally) {
        self.studies += other.studies;
        self.supported += other.supported;
        self.refuted += other.refuted;
        self.missed += other.missed;
        self.blocks += other.blocks;
    }
}

/// Counts of false winners that equal variants exceed with probability 1.4 % at most when the error rate is 5 %.
const ALLOWED: [(u32, u32); 4] = [(40, 5), (60, 7), (100, 10), (200, 17)];

#[test]
fn truth_01_equal_variants_have_no_winner() {
    let mut all = Tally::default();
    let mut small = Vec::new();
    for (noise, seed) in [(SHARED_MACHINE, 11_000_000), (QUIET_MACHINE, 12_000_000)] {
        for (studies, allowed) in ALLOWED {
            let winners = replay(noise, 1.0, FASTER, &Design::default(), studies, seed).winners();
            small.push((winners, allowed, studies));
        }
        for design in [Design::quick(), Design::default()] {
            all.add(&replay(noise, 1.0, FASTER, &design, full_size(1_000, 5_000), seed));
        }
    }
    let counts: Vec<String> = small.iter().map(|(won, _, of)| format!("{won}/{of}")).collect();
    println!(
        "truth 01 | equal variants, {} studies on two synthetic machines, quick and default looks | winners in \
         3.5–6 %; of 40, 60, 100, 200 at most 5, 7, 10, 17 | winners in {}; {}",
        all.studies,
        percent(all.winners(), all.studies),
        counts.join(", ")
    );
    let share = f64::from(all.winners()) / f64::from(all.studies);
    assert!((0.035..=0.06).contains(&share), "{all:?}");
    assert!(small.iter().all(|(winners, allowed, _)| winners <= allowed), "{small:?}");
}

#[test]
fn truth_02_planted_differences_are_found_and_never_the_wrong_way_round() {
    const STUDIES: u32 = full_size(400, 1_000);
    let mut found = String::new();
    let mut hundred = Tally::default();
    let (mut missed, mut studies) = (0, 0);
    let mut ten = Tally::default();
    for (noise, name, seed) in [(SHARED_MACHINE, "shared", 21_000_000), (QUIET_MACHINE, "quiet", 22_000_000)]
    {
        for (ratio, of_hundred) in [(1.0, 0), (1.02, 20), (1.05, 15), (1.10, 15)] {
            let tally = replay(noise, ratio, FASTER, &Design::default(), STUDIES, seed);
            missed += tally.missed;
            studies += tally.studies;
            if ratio > 1.0 {
                let right = percent(tally.supported, tally.studies);
                found += &format!("+{:.0} % on the {name} machine {right}, ", (ratio - 1.0) * 100.0);
                hundred.add(&replay(noise, ratio, FASTER, &Design::default(), of_hundred, seed));
            }
            if ratio == 1.10 {
                ten.add(&tally);
            }
            assert!(tally.missed <= tally.studies * 8 / 100, "{ratio}: {tally:?}");
        }
    }
    println!(
        "truth 02 | one variant 0, 2, 5, 10 % faster, {STUDIES} studies each on two machines, default looks | wrong \
         direction 0 of 100; intervals hold the truth in ≥ 92 %; 10 % found in ≥ 95 % | wrong direction {} of {}; hold \
         the truth in {}; found: {}",
        hundred.refuted,
        hundred.studies,
        percent(studies - missed, studies),
        found.trim_end_matches(", ")
    );
    assert_eq!((hundred.refuted, hundred.studies), (0, 100));
    assert!(ten.supported >= ten.studies * 95 / 100, "{ten:?}");
}

/// Winners among equal variants while another program burns CPU: of the judge, and of all of A before all of B.
fn under_a_burner(burner: Burner, studies: u32, seed: u64) -> (u32, u32) {
    let (claims, design) = (claims(&[FASTER]), Design::default());
    let (mut judged, mut naive) = (0, 0);
    for study in 0..u64::from(studies) {
        let observations = Machine::under(seed + study, QUIET_MACHINE, burner).study(&effects(&[1.0]), 30);
        judged += u32::from(judge(&claims, &observations, &design).claims[0].verdict != Verdict::Undecided);
        naive += u32::from(wrong::one_after_the_other(seed + study, QUIET_MACHINE, burner));
    }
    (judged, naive)
}

#[test]
fn truth_03_a_machine_that_gets_busier_makes_no_winner() {
    const STUDIES: u32 = full_size(2_000, 5_000);
    let (ramp, naive_ramp) = under_a_burner(Burner::Ramp, STUDIES, 31_000_000);
    let (toggled, naive_toggled) = under_a_burner(Burner::Toggles, STUDIES, 32_000_000);
    let limit = binomial_limit(STUDIES, 0.05);
    println!(
        "truth 03 | equal variants while a burner takes 0 → 30 % of the CPU over the session, or 30 % in every second \
         7 minutes; {STUDIES} studies each | winners in 5 %, at most {} by the binomial bound; three of A, then three of B must fail the same bar | \
         winners in {} and {}; AAABBB finds one in {} and {}",
        percent(limit, STUDIES),
        percent(ramp, STUDIES),
        percent(toggled, STUDIES),
        percent(naive_ramp, STUDIES),
        percent(naive_toggled, STUDIES)
    );
    assert!(ramp <= limit && toggled <= limit, "{ramp} and {toggled} winners, {limit} allowed");
    assert!(naive_ramp > limit && naive_toggled > limit, "AAABBB passes: {naive_ramp}, {naive_toggled}");
}

#[test]
fn truth_04_starts_that_differ_by_chance_make_no_winner() {
    const STUDIES: u32 = full_size(2_000, 5_000);
    let lottery = Noise { start: 0.03, ..QUIET_MACHINE };
    let tally = replay(lottery, 1.0, FASTER, &Design::default(), STUDIES, 41_000_000);
    let (mut one_start, mut pooled) = (0, 0);
    for study in 0..u64::from(STUDIES) {
        let observations = Machine::new(41_000_000 + study, lottery).study(&effects(&[1.0]), 12);
        pooled += u32::from(wrong::pooling(&observations));
        one_start += u32::from(wrong::one_long_start(41_000_000 + study, lottery));
    }
    println!(
        "truth 04 | equal variants, each start slower or faster by chance (sd 3 %); {STUDIES} studies | winners in \
         ≤ 5 %; an interval from the slices of one start errs in > 60 % | winners in {}; slices of one start err in \
         {}, all slices of 12 starts pooled in {}",
        percent(tally.winners(), STUDIES),
        percent(one_start, STUDIES),
        percent(pooled, STUDIES)
    );
    let limit = binomial_limit(STUDIES, 0.05);
    assert!(tally.winners() <= limit, "{tally:?}");
    assert!(one_start > STUDIES * 60 / 100, "{one_start}");
    assert!(pooled > limit, "{pooled}");
}

/// Number of studies of equal variants in which stopping at the same looks with the plain critical value finds a
/// winner.
fn peeking(observations: impl Fn(u64) -> Observations, studies: u32, looks: &[u32]) -> u32 {
    (0..u64::from(studies)).map(|study| u32::from(wrong::peeking(&observations(study), looks))).sum()
}

#[test]
fn truth_15_looking_early_does_not_cost_the_error_rate() {
    const STUDIES: u32 = full_size(2_000, 5_000);
    const LAST: u32 = full_size(30, 60);
    let design = Design::default();
    let machine = |seed| Machine::new(seed, SHARED_MACHINE);
    let stopped = replay_on(&machine, 1.0, FASTER, &design, STUDIES, 151_000_000);
    let of = |study| machine(151_000_000 + study).study(&effects(&[1.0]), 30);
    let naive = peeking(of, STUDIES, &design.looks);
    let going_on = replay_on(&machine, 1.0, FASTER, &Design::anytime(LAST), STUDIES, 152_000_000);
    println!(
        "truth 15 | equal variants, stopped at the first look that shows a winner; {STUDIES} studies | winners in \
         ≤ 5 %; the plain critical value at each look must fail (≈ 16 %) | default looks {}; going on to {LAST} blocks, a look \
         after each {}; plain critical value {}",
        percent(stopped.winners(), STUDIES),
        percent(going_on.winners(), STUDIES),
        percent(naive, STUDIES)
    );
    let limit = binomial_limit(STUDIES, 0.05);
    assert!(stopped.winners() <= limit, "{stopped:?}");
    assert!(going_on.winners() <= limit && going_on.winners() > 0, "{going_on:?}");
    assert!(naive > 2 * limit, "peeking passes with {naive}");
}
