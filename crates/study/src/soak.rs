//! Soaks: an even load for hours, with checkpoints.

use super::field::Map;
use super::keys::keys;
use super::points::Points;
use super::quantity::{self, DURATION};
use super::shape::LoadPoint;
use proofload_facts::Mistake;

keys! {
    /// Keys that make a soak of a load.
    SOAK {
        /// Duration of the load, with checkpoints for trends and leaks: `2h`.
        optional soak: DURATION,
        /// Time between two checkpoints of a soak; a sixtieth of it by default.
        optional checkpoint: DURATION,
    }
}

/// Checkpoints of a soak without a time between them.
const CHECKPOINTS: u64 = 60;
/// Most checkpoints of a soak.
pub const CHECKPOINTS_MAX: u64 = 600;
/// Fewest checkpoints: with fewer there is no trend after the beginning is left out.
const CHECKPOINTS_MIN: u64 = 20;
/// Least time between two: each stops the program for a full collection.
pub(super) const CHECKPOINT_MIN_NS: u64 = 1_000_000_000;
/// Longest soak: latencies of each second are kept for three days.
const SOAK_MAX_NS: u64 = 72 * 3_600 * 1_000_000_000;

/// Duration, and the time between checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Soak {
    length_ns: u64,
    checkpoint_ns: u64,
}

/// Soak of a load; `None` when that is wrong, `Some(None)` when the load has none.
pub(super) fn check_soak(map: &Map<'_>) -> Option<Option<Soak>> {
    let Some(soak) = map.optional("soak") else {
        if let Some(field) = map.optional("checkpoint") {
            field.problem(Mistake::NoMeaningWithout { needs: "soak: 2h".to_string() });
            return None;
        }
        return Some(None);
    };
    let length_ns = soak.quantity(quantity::duration, "2h");
    let checkpoint = map.optional("checkpoint");
    let every_ns = checkpoint.as_ref().map(|field| field.quantity(quantity::duration, "2m"));
    let length_ns = length_ns?;
    let checkpoint_ns = match every_ns {
        None => (length_ns / CHECKPOINTS).max(CHECKPOINT_MIN_NS),
        Some(every_ns) => every_ns?,
    };
    let told = checkpoint.as_ref().unwrap_or(&soak);
    if length_ns > SOAK_MAX_NS {
        soak.problem(Mistake::beyond(soak.found(), "20s", "72h"));
        return None;
    }
    if checkpoint_ns < CHECKPOINT_MIN_NS {
        told.problem(Mistake::beyond(told.found(), "1s", "1h"));
        return None;
    }
    let most = length_ns / checkpoint_ns;
    if !(CHECKPOINTS_MIN..=CHECKPOINTS_MAX).contains(&most) {
        let (low, high) = (CHECKPOINTS_MIN, CHECKPOINTS_MAX);
        told.problem(Mistake::Checkpoints { found: most, low, high });
        return None;
    }
    Some(Some(Soak { length_ns, checkpoint_ns }))
}

/// The points, each held for the length of the soak.
pub(super) fn soaked(points: Points, soak: Option<Soak>) -> Points {
    let Some(soak) = soak else { return points };
    let one = |point: LoadPoint| {
        let profile = point.profile.held(point.connections, soak.length_ns);
        LoadPoint {
            label: format!("{}-soak", point.label),
            profile,
            checkpoint_ns: soak.checkpoint_ns,
            ..point
        }
    };
    Points { points: points.points.into_iter().map(one).collect(), ..points }
}

impl LoadPoint {
    /// Time between two checkpoints, of the stream that has most; 0 where nothing is soaked.
    pub fn checkpoint_ns(&self) -> u64 {
        let own = Some(self.checkpoint_ns).filter(|ns| *ns > 0);
        let streams = self.streams.iter().map(|load| load.checkpoint_ns).filter(|ns| *ns > 0).min();
        own.into_iter().chain(streams).min().unwrap_or(0)
    }
}
