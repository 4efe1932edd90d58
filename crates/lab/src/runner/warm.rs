//! The warm-up: short turns of all variants, until they are steady or for a time that was fixed.

use super::bench::{Bench, LoadWindow, Loaded};
use super::participants::Participants;
use super::slice_key::SliceKey;
use super::{Lost, Progress, Runner};
use proofload_stats::steady::{Found, Turn, Warmth, Watch};
use proofload_store::BlockWriter;
use proofload_store::schema::{Steadiness, WarmUp};
use proofload_study::LoadRole;

/// How often the warm-up changes from one variant to the next.
const WARM_UP_TURN_NS: u64 = 500_000_000;

/// How long a warm-up is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    /// At least.
    pub least_ns: u64,
    /// At most, where it ends when the variants are steady; 0 where it is fixed.
    pub cap_ns: u64,
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
        warm_ups.iter_mut().for_each(|it| it.ended = Steadiness::Cap);
    }
}

impl<B: Bench> Runner<'_, B> {
    /// The warm-up of so many variants at once: each gets as much load as in a warm-up of all.
    pub(super) fn warm_up_of(&self, variants: usize) -> Length {
        let timing = &self.plan.timing;
        let share = |ns: u64| ns / self.plan.variants.len().max(1) as u64 * variants as u64;
        Length { least_ns: share(timing.warm_up_ns), cap_ns: share(timing.warm_up_cap_ns) }
    }

    /// Loads the variants in short turns, so that all are equally old and have had the same share of load when the
    /// first slice begins: also while only one of them is still waited for. Says how each warm-up went.
    pub(super) fn warm_up(
        &mut self,
        number: u32,
        variants: &[usize],
        length: Length,
        participants: &mut Participants,
        writer: &mut BlockWriter,
    ) -> Result<Vec<WarmUp>, Lost> {
        let begun_ns = self.bench.now_ns();
        let mut watch = Watch::new(variants.len(), self.plan.points.len(), WARM_UP_TURN_NS);
        let absent = |participants: &Participants, at: usize| !participants.takes_part(variants[at]);
        (0..variants.len()).filter(|at| absent(participants, *at)).for_each(|at| watch.leave(at));
        let mut met = false;
        // Whole rounds only: every variant gets as many turns as every other.
        let mut round = 0;
        loop {
            let spent_ns = self.bench.now_ns() - begun_ns;
            let done = (spent_ns as f64 / length.least_ns.max(1) as f64).min(1.0);
            (self.progress)(Progress::WarmUp { done });
            let over = spent_ns >= length.least_ns && (met || spent_ns >= length.cap_ns);
            if over || !variants.iter().any(|variant| participants.takes_part(*variant)) {
                let found = watch.found(met);
                return Ok(self.warm_ups(variants, found, length, spent_ns));
            }
            for position in 0..variants.len() {
                let at = if round % 2 == 0 { position } else { variants.len() - 1 - position };
                let place = self.place_of_turn(number, position, variants[at], round);
                if participants.takes_part(variants[at]) {
                    match self.slice(&place, self.warming(), writer) {
                        Ok(loaded) => watch.enter(at, self.turn_of(variants[at], &loaded)),
                        Err(step) => self.take(Err(step), &place, participants)?,
                    }
                }
                if absent(participants, at) {
                    watch.leave(at);
                }
            }
            met = watch.end_round();
            round += 1;
        }
    }

    fn place_of_turn(&self, block: u32, position: usize, variant: usize, round: usize) -> SliceKey {
        let point = round % self.plan.points.len().max(1);
        SliceKey { block, cycle: 0, position: position as u32 + 1, variant, point }
    }

    fn warming(&self) -> LoadWindow {
        LoadWindow {
            role: LoadRole::WarmUp,
            discard_ns: 0,
            measure_ns: WARM_UP_TURN_NS,
            drain_ns: self.plan.timing.drain_ns,
            doubled: false,
        }
    }

    fn turn_of(&mut self, variant: usize, loaded: &Loaded) -> Turn {
        let answered: u64 = loaded.results.iter().map(|result| result.snapshot.answered_in_window).sum();
        let cpu_ns = loaded.subject.as_ref().and_then(|used| used.cpu_ns);
        Turn {
            ended_ns: self.bench.now_ns(),
            cpu_ns_per_exchange: cpu_ns.filter(|_| answered > 0).map(|ns| ns as f64 / answered as f64),
            jit_ns: self.bench.jit_ns(variant),
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
        assert_eq!(settled(warm_up(-0.05, never), warm_up(-0.06, never)), ["cap"; 2].map(Steadiness::from));
        assert_eq!(settled(warm_up(-0.05, never), warm_up(0.05, never)), [never; 2].map(Steadiness::from));
        assert_eq!(
            settled(warm_up(-0.05, never), warm_up(0.0, "steady")),
            [never, "steady"].map(Steadiness::from)
        );
    }
}
