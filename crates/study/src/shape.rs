//! How much is asked over time, as a study says it, and what the engine makes of it.

use super::distribution;
use super::quantity::{keep_alive_label, rate_label};
use super::trace::Recorded;
use proofload_engine::{Arrival, Distribution, Extent, KeepAlive, Profile, Shortage, Stage};

/// Exchanges a second that a count is assumed to be answered at; only the estimate of a study's time uses it.
const ASSUMED_PER_S: f64 = 5_000.0;

/// Connections that stand in for a closed load of a shape of its own while servers are warmed.
const STAND_IN_CONNECTIONS: u32 = 64;

/// Closed or open, as it is or with a shape over time.
#[derive(Clone, Debug, PartialEq)]
pub enum LoadKind {
    /// Closed loop.
    Closed {
        /// Pause between an answer and the next intended send, in nanoseconds.
        think_ns: Distribution,
    },
    /// Open loop.
    Open {
        /// Intended sends per second.
        rate_per_s: f64,
        /// Spacing.
        arrival: Arrival,
    },
    /// Closed loop that ends with a number of requests.
    Requests {
        /// How many, over all connections.
        count: u64,
        /// Pause between an answer and the next intended send, in nanoseconds.
        think_ns: Distribution,
        /// What it may take at most.
        cap_ns: u64,
    },
    /// Closed loop whose number of connections follows stages.
    ClosedStages {
        /// Connections over time.
        stages: Vec<Stage>,
        /// Pause between an answer and the next intended send, in nanoseconds.
        think_ns: Distribution,
    },
    /// Open loop whose rate follows stages.
    OpenStages {
        /// Intended sends per second over time.
        stages: Vec<Stage>,
        /// Spacing.
        arrival: Arrival,
    },
    /// Open loop that plays recorded arrivals back.
    OpenTrace {
        /// The arrivals, and where they came from.
        recorded: Recorded,
        /// How much of them is played.
        for_ns: u64,
    },
    /// Users that start over a ramp, ask so many times, and go; as many as the point has connections.
    Users {
        /// Over how long they start.
        ramp_ns: u64,
        /// Exchanges of each.
        loops: u32,
        /// Pause between an answer and the next intended send, in nanoseconds.
        think_ns: Distribution,
        /// What it may take at most.
        cap_ns: u64,
    },
}

/// How an open loop sends, beside when; the default is exact, and waits for a free connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenTerms {
    /// How late sends may be fired together to save wake-ups; 0 is exact.
    pub coalesce_ns: u64,
    /// What becomes of a request that finds no free connection.
    pub shortage: Shortage,
    /// Whether the tool chooses the connections: few at first, more while they are wanting.
    pub auto: bool,
}

/// What a load is run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadRole {
    /// To be measured: the load as the study says it, whole where it has a shape.
    Real,
    /// To warm servers: where the load has a shape, a plain load of the same kind.
    WarmUp,
}

/// One intensity.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadPoint {
    /// `64c`, `5k/s`.
    pub label: String,
    /// Connections, those of all streams together.
    pub connections: u32,
    /// Closed with think time, open with a rate, or a shape; with streams that of the first.
    pub kind: LoadKind,
    /// Reuse of connections; with streams that of the first.
    pub keep_alive: KeepAlive,
    /// How an open loop sends; with streams that of the first.
    pub open: OpenTerms,
    /// Time between two checkpoints of a soak; 0 for every other load.
    pub checkpoint_ns: u64,
    /// The load of each stream, in the order of [`Study::streams`]; empty without streams.
    pub streams: Vec<LoadPoint>,
    /// The only request that is asked, a place in [`Study::workload`]; all of them in their mix without.
    pub asks: Option<usize>,
}

impl LoadPoint {
    /// One load, without streams, that asks for all of the workload.
    pub fn new(
        label: String,
        connections: u32,
        kind: LoadKind,
        keep_alive: KeepAlive,
        open: OpenTerms,
    ) -> LoadPoint {
        let (checkpoint_ns, streams, asks) = (0, Vec::new(), None);
        LoadPoint { label, connections, kind, keep_alive, open, checkpoint_ns, streams, asks }
    }
}

fn length_of(stages: &[Stage]) -> u64 {
    stages.iter().fold(0, |sum, stage| sum.saturating_add(stage.for_ns()))
}

impl LoadKind {
    /// `closed` or `open`.
    pub fn model(&self) -> &'static str {
        match self {
            LoadKind::Open { .. } | LoadKind::OpenStages { .. } | LoadKind::OpenTrace { .. } => "open",
            _ => "closed",
        }
    }

    /// Length of a load that is carried out whole, or what it may take at most; `None` for loads that stay as they
    /// are and can be sliced.
    pub fn length_ns(&self) -> Option<u64> {
        match self {
            LoadKind::Closed { .. } | LoadKind::Open { .. } => None,
            LoadKind::Requests { cap_ns, .. } | LoadKind::Users { cap_ns, .. } => Some(*cap_ns),
            LoadKind::ClosedStages { stages, .. } | LoadKind::OpenStages { stages, .. } => {
                Some(length_of(stages))
            }
            LoadKind::OpenTrace { for_ns, .. } => Some(*for_ns),
        }
    }

    /// When a load that is carried out whole ends; `None` for the others.
    pub fn extent(&self, connections: u32) -> Option<Extent> {
        match self {
            LoadKind::Closed { .. } | LoadKind::Open { .. } => None,
            LoadKind::Requests { count, cap_ns, .. } => {
                Some(Extent::Requests { count: *count, cap_ns: *cap_ns })
            }
            LoadKind::Users { loops, cap_ns, .. } => {
                let count = u64::from(connections) * u64::from(*loops);
                Some(Extent::Requests { count, cap_ns: *cap_ns })
            }
            LoadKind::ClosedStages { stages, .. } | LoadKind::OpenStages { stages, .. } => {
                Some(Extent::DurationNs(length_of(stages)))
            }
            LoadKind::OpenTrace { for_ns, .. } => Some(Extent::DurationNs(*for_ns)),
        }
    }

    /// About how long a load that is carried out whole takes; 0 for the others.
    pub(crate) fn estimated_ns(&self, connections: u32) -> u64 {
        let counted = |count: u64, ramp_ns: u64, cap_ns: u64| {
            (ramp_ns + (count as f64 / ASSUMED_PER_S * 1e9) as u64).min(cap_ns)
        };
        match self {
            LoadKind::Requests { count, cap_ns, .. } => counted(*count, 0, *cap_ns),
            LoadKind::Users { loops, ramp_ns, cap_ns, think_ns } => {
                let thought_ns = u64::from(loops.saturating_sub(1)).saturating_mul(think_ns.mean() as u64);
                let count = u64::from(connections) * u64::from(*loops);
                counted(count, ramp_ns.saturating_add(thought_ns), *cap_ns).max((*ramp_ns).min(*cap_ns))
            }
            _ => self.length_ns().unwrap_or(0),
        }
    }

    /// What the engine carries out. Sends of an open loop may be fired together so late.
    pub fn profile(&self, coalesce_ns: u64) -> Profile {
        match self.clone() {
            LoadKind::Closed { think_ns } | LoadKind::Requests { think_ns, .. } => {
                Profile::Closed { think_ns }
            }
            LoadKind::Open { rate_per_s, arrival } => Profile::Open { rate_per_s, arrival, coalesce_ns },
            LoadKind::ClosedStages { stages, think_ns } => Profile::ClosedStages { stages, think_ns },
            LoadKind::OpenTrace { recorded, .. } => Profile::OpenTrace { trace: recorded.trace, coalesce_ns },
            LoadKind::OpenStages { stages, arrival } => Profile::OpenStages { stages, arrival, coalesce_ns },
            LoadKind::Users { ramp_ns, loops, think_ns, .. } => Profile::Users { ramp_ns, loops, think_ns },
        }
    }

    /// The plain load that warms servers in its place, with its connections.
    pub fn stand_in(&self, connections: u32, coalesce_ns: u64) -> (Profile, u32) {
        let few = connections.min(STAND_IN_CONNECTIONS);
        match self {
            LoadKind::Closed { .. } | LoadKind::Open { .. } => (self.profile(coalesce_ns), connections),
            LoadKind::OpenStages { stages, arrival } => {
                let sends = stages.iter().map(Stage::area).sum::<f64>();
                let rate_per_s = sends / (length_of(stages).max(1) as f64 / 1e9);
                (Profile::Open { rate_per_s, arrival: *arrival, coalesce_ns }, connections)
            }
            LoadKind::OpenTrace { recorded, .. } => {
                let Recorded { trace, .. } = recorded;
                let rate_per_s = trace.count() as f64 / (trace.length_ns() as f64 / 1e9);
                (Profile::Open { rate_per_s, arrival: Arrival::Constant, coalesce_ns }, connections)
            }
            LoadKind::Requests { think_ns, .. }
            | LoadKind::ClosedStages { think_ns, .. }
            | LoadKind::Users { think_ns, .. } => (Profile::Closed { think_ns: think_ns.clone() }, few),
        }
    }

    /// The shape in words; empty for a load that stays as it is.
    pub fn shape(&self, connections: u32) -> String {
        match self {
            LoadKind::Closed { .. } | LoadKind::Open { .. } => String::new(),
            LoadKind::Requests { count, cap_ns, .. } => {
                format!("{count} requests, at most {}", seconds(*cap_ns))
            }
            LoadKind::Users { ramp_ns, loops, cap_ns, .. } => format!(
                "{connections} users started over {}, each asks {loops} times, at most {}",
                seconds(*ramp_ns),
                seconds(*cap_ns)
            ),
            LoadKind::ClosedStages { stages, .. } => in_words(stages, |value| format!("{value}")),
            LoadKind::OpenStages { stages, .. } => in_words(stages, rate_label),
            LoadKind::OpenTrace { recorded, for_ns } if *for_ns < recorded.trace.length_ns() => {
                format!("{recorded}, of which the first {} are played", seconds(*for_ns))
            }
            LoadKind::OpenTrace { recorded, .. } => recorded.to_string(),
        }
    }
}

impl LoadPoint {
    /// Whether it has a shape of its own, so that no slice of it is the load.
    pub fn is_whole(&self) -> bool {
        self.length_ns() > 0
    }

    /// Length of a load that is carried out whole, all streams together, or what it may take at most; 0 for
    /// loads that are sliced.
    pub fn length_ns(&self) -> u64 {
        let own = if self.streams.is_empty() { self.kind.length_ns().unwrap_or(0) } else { 0 };
        self.streams.iter().map(LoadPoint::length_ns).fold(own, u64::max)
    }

    /// About how long a load that is carried out whole takes; 0 for the others.
    pub fn estimated_ns(&self) -> u64 {
        match self.streams.is_empty() {
            true => self.kind.estimated_ns(self.connections),
            false => self.streams.iter().map(LoadPoint::estimated_ns).max().unwrap_or(0),
        }
    }

    /// `closed`, `open`, or `mixed` for streams of both kinds.
    pub fn model(&self) -> &'static str {
        let own = self.kind.model();
        let same = self.streams.iter().all(|stream| stream.kind.model() == own);
        if same { own } else { "mixed" }
    }

    /// Its shape in words, with its checkpoints; empty for a load that stays as it is.
    pub fn shape_in_words(&self) -> String {
        let shape = self.kind.shape(self.connections);
        match self.checkpoint_ns {
            0 => shape,
            every_ns => format!("soak: {shape}, a checkpoint every {}", seconds(every_ns)),
        }
    }

    /// All of it in words.
    pub fn in_words(&self) -> String {
        let mut parts = vec![match &self.kind {
            LoadKind::Open { rate_per_s, .. } => rate_label(*rate_per_s),
            LoadKind::Closed { .. } => "closed loop".to_string(),
            _ => self.shape_in_words(),
        }];
        if let LoadKind::Open { arrival, .. } | LoadKind::OpenStages { arrival, .. } = &self.kind {
            let arrival = if *arrival == Arrival::Poisson { "poisson" } else { "constant" };
            parts.push(format!("{arrival} arrivals"));
        }
        match self.kind.model() {
            "open" => parts.extend(self.open.in_words(self.connections)),
            _ => parts.push(format!("{} connections", self.connections)),
        }
        if !self.think_in_words().is_empty() {
            parts.push(format!("think time {}", self.think_in_words()));
        }
        parts.push(format!("keep-alive {}", keep_alive_label(self.keep_alive)));
        parts.join(", ")
    }

    /// Pause between an answer and the next intended send, in nanoseconds; none in an open loop.
    pub fn think(&self) -> Option<&Distribution> {
        match &self.kind {
            LoadKind::Closed { think_ns }
            | LoadKind::Requests { think_ns, .. }
            | LoadKind::ClosedStages { think_ns, .. }
            | LoadKind::Users { think_ns, .. } => Some(think_ns),
            LoadKind::Open { .. } | LoadKind::OpenStages { .. } | LoadKind::OpenTrace { .. } => None,
        }
    }

    /// Mean pause between an answer and the next intended send, not 0 where there is one; 0 in an open loop.
    pub fn think_ns(&self) -> u64 {
        let think = self.think().filter(|think| !think.is_zero());
        think.map_or(0, |think| (think.mean() as u64).max(1))
    }

    /// How pauses are spread, in words; empty where all are as long.
    pub fn spread_in_words(&self) -> String {
        let differing = self.think().filter(|think| !think.is_constant());
        differing.map_or(String::new(), |think| distribution::in_words(think, seconds))
    }

    /// The pause in words; empty where there is none.
    pub fn think_in_words(&self) -> String {
        self.think().map_or(String::new(), |think| distribution::in_words(think, seconds))
    }
}

/// The label of stages: their peak.
pub fn stages_label(stages: &[Stage], open: bool) -> String {
    let peak = peak(stages);
    // A wave that is cut short may have a peak of many digits.
    let rounded = (peak * 1e3).round() / 1e3;
    if open { format!("{}-stages", rate_label(rounded)) } else { format!("{}c-stages", peak.ceil()) }
}

/// The label of a trace: how many arrivals it has.
pub fn trace_label(recorded: &Recorded) -> String {
    format!("{}n-trace", recorded.trace.count())
}

/// The largest value of stages.
pub fn peak(stages: &[Stage]) -> f64 {
    stages.iter().map(Stage::peak).fold(0.0, f64::max)
}

fn in_words(stages: &[Stage], value: impl Fn(f64) -> String) -> String {
    let one = |stage: &Stage| match *stage {
        Stage::Line { from, to, for_ns } if from == to => {
            format!("hold {} for {}", value(from), seconds(for_ns))
        }
        Stage::Line { from, to, for_ns } => {
            format!("ramp {} to {} in {}", value(from), value(to), seconds(for_ns))
        }
        Stage::Sine { mean, amplitude, period_ns, for_ns } => format!(
            "sine of {} around {} every {} for {}",
            value(amplitude),
            value(mean),
            seconds(period_ns),
            seconds(for_ns)
        ),
    };
    let mut parts = Vec::new();
    let mut rest = stages;
    while let Some(first) = rest.first() {
        let steps = steps_of(rest);
        if steps >= 3 {
            let (from, to) = (value(first.peak()), value(rest[steps - 1].peak()));
            parts.push(format!("ladder {from} to {to} in {steps} steps of {}", seconds(first.for_ns())));
        } else {
            parts.push(one(first));
        }
        rest = &rest[if steps >= 3 { steps } else { 1 }..];
    }
    parts.join(", ")
}

/// How many stages from the first on are steps of one ladder: held as long, each as far from the one before it, to
/// within a connection.
fn steps_of(stages: &[Stage]) -> usize {
    let held = |stage: &Stage| match *stage {
        Stage::Line { from, to, for_ns } if from == to => Some((from, for_ns)),
        _ => None,
    };
    let Some(((first, each_ns), (second, _))) =
        stages.first().and_then(held).zip(stages.get(1).and_then(held))
    else {
        return 1;
    };
    let rise = second - first;
    let goes_on = |pair: &[Stage]| match (held(&pair[0]), held(&pair[1])) {
        (Some((from, _)), Some((to, for_ns))) => {
            for_ns == each_ns && (to - from) * rise > 0.0 && ((to - from) - rise).abs() <= 1.0
        }
        _ => false,
    };
    1 + stages.windows(2).take_while(|pair| goes_on(pair)).count()
}

fn seconds(ns: u64) -> String {
    format!("{} s", ns as f64 / 1e9)
}
