//! Needs of the servers of a study before they can be measured, as far as the study shows, and the length of its blocks
//! then.

use super::{Preset, S};
use proofload_stats::Design;
use proofload_store::schema::Timing;
use proofload_study::{Study, SubjectSpec, Variant};

/// Needs of the servers of a study. The plan is made with it; a warm-up finds out for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    /// They run already: nothing is started, and what they did before is not known.
    Running,
    /// They compile nothing: started within milliseconds, and warm at once.
    Native,
    /// One of them may compile while it runs.
    Compiling,
}

/// Looks of a study whose blocks take seconds: the first after as many restarts as two pairs of conditions and one more
/// take.
const SHORT_LOOKS: [u32; 7] = [6, 8, 10, 12, 16, 20, 30];
/// Looks at servers that already run.
const RUNNING_LOOKS: [u32; 9] = [6, 8, 10, 12, 14, 16, 20, 24, 30];
/// Cycles of a round, and of rounds that would be few otherwise: one turn in which a server shared the generator's CPU
/// moves a round of four cycles less, but a dozen rounds show more than half as many.
const RUNNING_CYCLES: u32 = 4;
const RUNNING_CYCLES_MIN: u32 = 2;
/// Number of rounds that are not few.
const ROUNDS_ENOUGH: u32 = 12;
/// Window of each slice of the perturbation check, for which a round has less room.
const RUNNING_PERTURBATION_NS: u64 = S * 2 / 5;
/// Fewest blocks that end in an interval worth its name.
const FEWEST: u32 = 4;
/// Time for a comparison of running servers.
const RUNNING_BUDGET_NS: u64 = 60 * S;
/// Longest warm-up of servers that are warm at once, where their state cannot be determined.
const PLAIN_WARM_UP_NS: u64 = S;
/// Longest time for a running server to reach an even rate.
const RUNNING_CAP_NS: u64 = 5 * S;
/// One of that many blocks of servers that compile nothing has the checks that are in no figure: three at the first
/// look, fewer of which are not enough to compare short slices with long ones. Of running servers as many as a minute
/// has room for.
const NATIVE_CHECKS_EVERY: u32 = 2;
const RUNNING_CHECKS_EVERY: u32 = 8;

/// True of a server that may compile while it serves, as a JVM does.
pub(crate) fn may_compile(variant: &Variant) -> bool {
    match &variant.subject {
        SubjectSpec::Catalogue { .. } => variant.jvm,
        SubjectSpec::Command { args, .. } => {
            args.iter().any(|arg| arg.contains("java") || arg.ends_with(".jar"))
        }
        SubjectSpec::Url { .. } => true,
    }
}

impl Needs {
    pub(super) fn of(study: &Study) -> Needs {
        let runs = |spec: &SubjectSpec| matches!(spec, SubjectSpec::Url { .. });
        if study.variants.iter().all(|variant| runs(&variant.subject)) {
            return Needs::Running;
        }
        match study.variants.iter().any(may_compile) {
            true => Needs::Compiling,
            false => Needs::Native,
        }
    }

    /// The lengths of a preset, made for servers that may compile, for what these servers need.
    pub(super) fn fit(self, preset: Preset, timing: Timing) -> Timing {
        if self == Needs::Compiling {
            return timing;
        }
        let warm_up_ns = timing.warm_up_ns.min(PLAIN_WARM_UP_NS);
        // Longer looks were requested, and a check of the pipeline has none.
        if matches!(preset, Preset::Smoke | Preset::Thorough) {
            return Timing { warm_up_ns, ..timing };
        }
        let short = Timing {
            warm_up_ns,
            slice_ns: S,
            discard_ns: S / 10,
            perturbation_ns: S * 4 / 5,
            checks_every: NATIVE_CHECKS_EVERY,
            looks: match preset {
                Preset::Quick => Design::quick().looks,
                _ => SHORT_LOOKS.to_vec(),
            },
            ..timing
        };
        match self {
            Needs::Running => Timing {
                warm_up_cap_ns: RUNNING_CAP_NS,
                checks_every: RUNNING_CHECKS_EVERY,
                cycles: RUNNING_CYCLES,
                perturbation_ns: RUNNING_PERTURBATION_NS,
                looks: RUNNING_LOOKS.to_vec(),
                budget_ns: RUNNING_BUDGET_NS,
                ..short
            },
            _ => short,
        }
    }

    /// Shorter rounds where there is time for a few only; `room` returns the number of blocks of a timing that fit.
    pub(super) fn shorten(self, timing: &mut Timing, room: impl Fn(&Timing) -> u32) {
        let is_short = self == Needs::Running && timing.cycles == RUNNING_CYCLES;
        if is_short && room(timing) < ROUNDS_ENOUGH {
            timing.cycles = RUNNING_CYCLES_MIN;
        }
    }

    /// Looks at as many blocks as fit into the time for a comparison of running servers; `None` where too few fit.
    pub(super) fn looks_within(self, room: u32) -> Option<Vec<u32>> {
        if self != Needs::Running || room < FEWEST {
            return None;
        }
        let last = room.min(RUNNING_LOOKS[RUNNING_LOOKS.len() - 1]);
        let mut looks: Vec<u32> = RUNNING_LOOKS.into_iter().filter(|look| *look < last).collect();
        looks.push(last);
        Some(looks)
    }
}
