//! The warm-up: short turns of all variants, until they are steady or for a time that was fixed.
//!
//! Until then the subjects may use the generator's CPUs beside their own, so that compilers come to an end; then they
//! are brought back, and one more round on their own CPUs shows the answers as in the slices.

use super::bench::{Bench, LoadWindow, Loaded};
use super::participants::Participants;
use super::slice_key::SliceKey;
use super::{Lost, Progress, Runner, VariantFailure};
use crate::generator_settings::GeneratorSettings;
use proofload_analysis::Answers;
use proofload_facts::Finding;
use proofload_stats::steady::{Found, Pace, Turn, Warmth, Watch};
use proofload_store::BlockWriter;
use proofload_store::schema::{Model, Steadiness, SubjectKind, WarmUp};
use proofload_study::LoadRole;
use std::collections::BTreeMap;

/// A turn where the length of the warm-up is fixed, and the longest to which one is made longer.
const TURN_NS: u64 = 500_000_000;
/// The shortest of variants that may compile, even with little time for their warm-up.
const TURN_MIN_NS: u64 = TURN_NS / 2;
/// A turn of variants that compile nothing.
const PLAIN_TURN_NS: u64 = 50_000_000;
/// Turns of one variant in the longest warm-up.
const TURNS_TO_CAP: u64 = 180;
/// Turns with fewer answers show little, and are made longer.
const TURN_ANSWERS_MIN: u64 = 100;
/// Rounds in which a JVM may be slow only because it has not compiled yet.
const SLOW_ROUNDS: usize = 20;
/// Its quantile is taken of the answers of a turn for how slow they are.
const SLOW: f64 = 0.99;

/// Length of a warm-up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    /// Length where it is fixed, or where the state of the variants cannot be determined.
    pub least_ns: u64,
    /// At most, where it ends when the variants are steady; 0 where it is fixed.
    pub cap_ns: u64,
}

/// A warm-up that is over.
pub(super) struct Warmed {
    /// Course of it, variant by variant.
    pub warm_ups: Vec<WarmUp>,
    /// Answers in the last turn of each variant at each load point, the slowest of them; `None` where there were none.
    pub answers: Option<Answers>,
    /// True if nothing compiled in it.
    pub is_plain: bool,
}

/// A warm-up on its way.
struct Warming {
    watch: Watch,
    pace: Pace,
    rounds: usize,
    /// True if the rule was met at the end of the last round.
    met: bool,
    /// Fewest answers of a turn in the last round.
    answers_min: u64,
    /// In the last turn of each variant at each load point.
    answers: BTreeMap<(usize, usize), Answers>,
}

impl Warming {
    fn new(pace: Pace, variants: usize, points: usize) -> Warming {
        Warming {
            watch: Watch::new(variants, points, pace),
            pace,
            rounds: 0,
            met: false,
            answers_min: u64::MAX,
            answers: BTreeMap::new(),
        }
    }

    fn is_over(&self, spent_ns: u64, length: Length) -> bool {
        let blind = self.rounds > 0 && self.watch.is_blind();
        match length.cap_ns {
            0 => spent_ns >= length.least_ns,
            cap_ns => self.met || spent_ns >= cap_ns || (blind && spent_ns >= length.least_ns),
        }
    }

    /// Lengthens turns that have hardly an answer; earlier observations are not compared with them. The first turns of
    /// variants that compile have few in any case.
    fn lengthen(&mut self, variants: usize, points: usize, longest_ns: u64) {
        let begun = self.pace.plain || self.rounds >= SLOW_ROUNDS;
        if begun && self.answers_min < TURN_ANSWERS_MIN && self.pace.turn_ns < longest_ns {
            self.pace.turn_ns = self.pace.turn_ns.saturating_mul(2).min(longest_ns);
            self.watch = Watch::new(variants, points, self.pace);
        }
    }
}

/// Warm-ups of variants that were alone on the machine, one after the other: where none came to its steady state and
/// all changed alike at the end, it is what they share.
pub(super) fn settle_among(warm_ups: &mut [WarmUp]) {
    let all_alike = warm_ups.len() > 1 && warm_ups.iter().all(|it| it.ended == Steadiness::NoSteadyState);
    let changes: Option<Vec<(f64, f64)>> =
        warm_ups.iter().map(|it| it.change.zip(it.change_allowed)).collect();
    let Some(changes) = changes.filter(|_| all_alike) else { return };
    let (low, high) = changes.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (change, _)| {
        (low.min(*change), high.max(*change))
    });
    if high - low <= changes.iter().map(|(_, allowed)| *allowed).fold(0.0, f64::max) {
        warm_ups.iter_mut().for_each(|it| it.ended = Steadiness::StillWarming);
    }
}

impl<B: Bench + ?Sized> Runner<'_, B> {
    /// The warm-up of that many variants at once: each gets as much load as in a warm-up of all.
    pub(super) fn warm_up_of(&self, variants: usize) -> Length {
        let timing = &self.plan.timing;
        let share = |ns: u64| ns / self.plan.variants.len().max(1) as u64 * variants as u64;
        Length { least_ns: share(timing.warm_up_ns), cap_ns: share(timing.warm_up_cap_ns) }
    }

    /// Loads the variants in short turns, so that all are equally old and have had the same share of load when the
    /// first slice begins: also while only one of them is still waited for. Returns the course of each warm-up.
    pub(super) fn warm_up(
        &mut self,
        number: u32,
        variants: &[usize],
        length: Length,
        participants: &mut Participants,
        writer: &mut BlockWriter,
    ) -> Result<Warmed, Lost> {
        let begun_ns = self.bench.now_ns();
        let adaptive = length.cap_ns > 0;
        let spread = if adaptive { self.spread(number, variants, participants) } else { Vec::new() };
        let pace = self.pace(variants, length, participants);
        let mut warming = Warming::new(pace, variants.len(), self.plan.points.len());
        let spent_ns = loop {
            let spent_ns = self.bench.now_ns() - begun_ns;
            let whole_ns = if adaptive { length.cap_ns } else { length.least_ns };
            let done = (spent_ns as f64 / whole_ns.max(1) as f64).min(1.0);
            (self.progress)(Progress::WarmUp { done });
            let anyone = variants.iter().any(|variant| participants.takes_part(*variant));
            if warming.is_over(spent_ns, length) || !anyone {
                break spent_ns;
            }
            self.round(number, variants, &mut warming, participants, writer)?;
            if adaptive {
                warming.lengthen(variants.len(), self.plan.points.len(), TURN_NS);
            }
        };
        let found = warming.watch.found(warming.met);
        let mut warm_ups = self.warm_ups(variants, found, length, spent_ns);
        for warm_up in &mut warm_ups {
            warm_up.turn_ns = warming.pace.turn_ns;
            warm_up.every_cpu = spread.iter().any(|at| self.plan.variants[*at].name == warm_up.variant);
        }
        if adaptive {
            self.gather(number, &spread, participants)?;
            self.round(number, variants, &mut warming, participants, writer)?;
        }
        let until_ns = self.bench.now_ns() + GeneratorSettings::of(self.plan, self.place).extra_warm_up_ns;
        while self.bench.now_ns() < until_ns && variants.iter().any(|at| participants.takes_part(*at)) {
            self.round(number, variants, &mut warming, participants, writer)?;
        }
        let slowest =
            |a: Answers, b: Answers| Answers { p99_ns: a.p99_ns.max(b.p99_ns), per_s: a.per_s.min(b.per_s) };
        let answers = warming.answers.into_values().reduce(slowest);
        Ok(Warmed { warm_ups, answers, is_plain: warming.pace.plain })
    }

    /// Every variant's next turn, in an order that is reversed every time: each gets as many as every other.
    fn round(
        &mut self,
        number: u32,
        variants: &[usize],
        warming: &mut Warming,
        participants: &mut Participants,
        writer: &mut BlockWriter,
    ) -> Result<(), Lost> {
        warming.answers_min = u64::MAX;
        for position in 0..variants.len() {
            let at = if warming.rounds.is_multiple_of(2) { position } else { variants.len() - 1 - position };
            let place = self.place_of_turn(number, position, variants[at], warming.rounds);
            if participants.takes_part(variants[at]) {
                match self.slice(&place, self.warming(warming.pace.turn_ns), writer) {
                    Ok(loaded) => self.enter(at, &place, &loaded, warming),
                    Err(step) => self.take(Err(step), &place, participants)?,
                }
            }
            if !participants.takes_part(variants[at]) {
                warming.watch.leave(at);
            }
        }
        warming.met = warming.watch.end_round();
        warming.rounds += 1;
        Ok(())
    }

    fn enter(&mut self, at: usize, place: &SliceKey, loaded: &Loaded, warming: &mut Warming) {
        let answered: u64 = loaded.results.iter().map(|result| result.snapshot.answered_in_window).sum();
        warming.answers_min = warming.answers_min.min(answered);
        let p99_ns =
            loaded.results.iter().filter_map(|result| result.snapshot.response_time.quantile_ns(SLOW)).max();
        let per_s = answered as f64 * 1e9 / warming.pace.turn_ns as f64;
        if let Some(p99_ns) = p99_ns {
            warming.answers.insert((place.variant, place.point), Answers { p99_ns, per_s });
        }
        let cpu_ns = loaded.subject.as_ref().and_then(|used| used.cpu_ns);
        let load = &self.plan.points[place.point];
        let is_closed =
            load.model == Model::Closed && load.streams.iter().all(|stream| stream.model == Model::Closed);
        let turn = Turn {
            ended_ns: self.bench.now_ns(),
            cpu_ns_per_exchange: cpu_ns.filter(|_| answered > 0).map(|ns| ns as f64 / answered as f64),
            answered_per_s: (is_closed && answered > 0).then_some(per_s),
            jit_ns: self.bench.jit_ns(place.variant),
        };
        warming.watch.enter(at, turn);
    }

    /// Length of turns: short where nothing compiles, for such servers are warm within a moment, and where servers run
    /// already, which only have to reach an even rate.
    fn pace(&mut self, variants: &[usize], length: Length, participants: &Participants) -> Pace {
        let mut present = variants.iter().filter(|variant| participants.takes_part(**variant));
        if length.cap_ns == 0 {
            return Pace { turn_ns: TURN_NS, plain: false };
        }
        let nothing_compiles = !present.any(|variant| self.bench.may_compile(*variant));
        if nothing_compiles || self.only_running() {
            return Pace { turn_ns: PLAIN_TURN_NS, plain: true };
        }
        let of_one_ns = self.plan.timing.warm_up_cap_ns / self.plan.variants.len().max(2) as u64;
        Pace { turn_ns: (of_one_ns / TURNS_TO_CAP).max(TURN_MIN_NS), plain: false }
    }

    /// Lets the variants use the generator's CPUs as well; returns those that do. One that cannot is warmed on its own.
    fn spread(&mut self, number: u32, variants: &[usize], participants: &Participants) -> Vec<usize> {
        let mut spread = Vec::new();
        for &variant in variants.iter().filter(|variant| participants.takes_part(**variant)) {
            match self.bench.spread(variant) {
                Ok(true) => spread.push(variant),
                Ok(false) => {}
                Err(why) => {
                    let what = Finding::NotSpread {
                        variant: self.plan.variants[variant].name.clone(),
                        why: Box::new(why),
                    };
                    (self.progress)(Progress::Noticed { block: number, what: &what });
                }
            }
        }
        spread
    }

    /// Brings the variants back to their own CPUs. One that stays on the generator's is not measured.
    fn gather(&mut self, number: u32, spread: &[usize], participants: &mut Participants) -> Result<(), Lost> {
        for &variant in spread {
            let place = self.place_of_turn(number, 0, variant, 0);
            if participants.takes_part(variant)
                && let Err(why) = self.bench.gather(variant)
            {
                self.take(Err(VariantFailure::Lost(why)), &place, participants)?;
            }
        }
        Ok(())
    }

    /// True if every server runs already: nothing is started, and blocks follow each other without a pause.
    pub(super) fn only_running(&self) -> bool {
        self.plan.variants.iter().all(|variant| variant.kind == SubjectKind::Url)
    }

    fn place_of_turn(&self, block: u32, position: usize, variant: usize, round: usize) -> SliceKey {
        let point = round % self.plan.points.len().max(1);
        SliceKey { block, cycle: 0, position: position as u32 + 1, variant, point }
    }

    fn warming(&self, turn_ns: u64) -> LoadWindow {
        LoadWindow {
            role: LoadRole::WarmUp,
            discard_ns: 0,
            measure_ns: turn_ns,
            drain_ns: self.plan.timing.drain_ns,
            doubled: false,
            thorough: false,
        }
    }

    fn warm_ups(
        &self,
        variants: &[usize],
        found: Vec<Option<Found>>,
        length: Length,
        took_ns: u64,
    ) -> Vec<WarmUp> {
        let entry = |(variant, found): (&usize, Option<Found>)| {
            let found = found?;
            let ended = match (length.cap_ns, found.warmth) {
                (0, _) => Steadiness::Fixed,
                (_, Warmth::Steady) => Steadiness::Steady,
                (_, Warmth::Capped) => Steadiness::Cap,
                (_, Warmth::StillWarming) => Steadiness::StillWarming,
                (_, Warmth::NoSteadyState) => Steadiness::NoSteadyState,
                (_, Warmth::NotMeasured) => Steadiness::NotMeasured,
            };
            Some(WarmUp {
                variant: self.plan.variants[*variant].name.clone(),
                ended,
                took_ns,
                jit_share: found.jit_share,
                window_turns: found.window_turns as u32,
                windows_cpu_ns_per_exchange: found.windows_ns,
                change: found.change.map(|change| change.own.exp_m1()),
                change_allowed: found.change.map(|change| change.own_allowed.exp_m1()),
                change_between: found.change.map(|change| change.between.exp_m1()),
                change_between_allowed: found.change.map(|change| change.between_allowed.exp_m1()),
                throughput_change: found.throughput.map(|change| change.own.exp_m1()),
                throughput_change_between: found.throughput.map(|change| change.between.exp_m1()),
                slope_per_10s: found.slope.map(|slope| slope.own.exp_m1()),
                slope_between_per_10s: found.slope.map(|slope| slope.between.exp_m1()),
                ..WarmUp::default()
            })
        };
        variants.iter().zip(found).filter_map(entry).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_serial_variants_do_alike_is_shared() {
        let warm_up = |change: f64, ended: &str| WarmUp {
            ended: ended.into(),
            change: Some(change),
            change_allowed: Some(0.02),
            ..WarmUp::default()
        };
        let settled = |first: WarmUp, second: WarmUp| {
            let mut both = [first, second];
            settle_among(&mut both);
            both.map(|it| it.ended)
        };
        let never = "no_steady_state";
        assert_eq!(
            settled(warm_up(-0.05, never), warm_up(-0.06, never)),
            ["still_warming"; 2].map(Steadiness::from)
        );
        assert_eq!(settled(warm_up(-0.05, never), warm_up(0.05, never)), [never; 2].map(Steadiness::from));
        assert_eq!(
            settled(warm_up(-0.05, never), warm_up(0.0, "steady")),
            [never, "steady"].map(Steadiness::from)
        );
    }
}
