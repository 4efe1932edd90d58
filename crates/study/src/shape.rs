//! Load over time, as a study gives it, and its form for the engine.

use super::distribution;
use super::quantity::{keep_alive_label, rate_label};
use super::trace::Recorded;
use proofload_engine::{Extent, KeepAlive, Profile, Shortage, Stage};

/// Exchanges a second that a count is assumed to be answered at; only the estimate of a study's time uses it.
const ASSUMED_PER_S: f64 = 5_000.0;

/// Most connections of the plain load that warms servers for a closed load with a shape of its own.
const WARM_UP_CONNECTIONS: u32 = 64;

/// Behaviour of an open loop while no connection is free; by default requests wait for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenTerms {
    /// Handling of a request that finds no free connection.
    pub shortage: Shortage,
    /// True if the tool chooses the connections: few at first, more when they are all in use.
    pub auto: bool,
}

/// Purpose of running a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadRole {
    /// To be measured: the load as the study gives it, whole where it has a shape.
    Real,
    /// To warm servers: where the load has a shape, a plain load of the same kind.
    WarmUp,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LoadPoint {
    /// `64c`, `5k/s`.
    pub label: String,
    /// Connections, those of all streams together.
    pub connections: u32,
    /// Load of the engine; with streams that of the first.
    pub profile: Profile,
    /// Its end, where its profile has none: a number of requests, users, a trace. `None` for loads that stay as they
    /// are and can be sliced.
    pub end: Option<Extent>,
    /// Trace that its recorded arrivals come from.
    pub trace: Option<Recorded>,
    /// Exchanges that each connection carries at once; with streams those of the first.
    pub in_flight: u32,
    /// Reuse of connections; with streams that of the first.
    pub keep_alive: KeepAlive,
    /// Behaviour of an open loop while no connection is free; with streams that of the first.
    pub open: OpenTerms,
    /// Time between two checkpoints of a soak; 0 for every other load.
    pub checkpoint_ns: u64,
    /// The load of each stream, in the order of [`crate::Study::streams`]; empty without streams.
    pub streams: Vec<LoadPoint>,
    /// The only request of it, an index into [`crate::Study::workload`]; `None` for all of them in their mix.
    pub asks: Option<usize>,
}

impl LoadPoint {
    /// One load, without streams, of the whole workload.
    pub fn new(connections: u32, profile: Profile, keep_alive: KeepAlive, open: OpenTerms) -> LoadPoint {
        LoadPoint {
            label: shape_label(connections, &profile),
            connections,
            profile,
            end: None,
            trace: None,
            in_flight: 1,
            keep_alive,
            open,
            checkpoint_ns: 0,
            streams: Vec::new(),
            asks: None,
        }
    }

    /// With that many calls in flight on each connection.
    #[must_use]
    pub fn with_in_flight(mut self, in_flight: u32) -> LoadPoint {
        if in_flight > 1 {
            self.label += &format!("-{in_flight}f");
        }
        LoadPoint { in_flight, ..self }
    }
}

impl LoadPoint {
    /// `closed` or `open`, ignoring its streams.
    fn own_model(&self) -> &'static str {
        if self.profile.is_closed() { "closed" } else { "open" }
    }

    /// End of a load that is carried out whole; `None` for the others.
    pub fn extent(&self) -> Option<Extent> {
        match self.profile.stages() {
            [] => self.end,
            stages => Some(Extent::DurationNs(Stage::length_ns(stages))),
        }
    }

    /// The plain load that warms servers in its place, with its connections.
    pub fn warm_up(&self) -> (Profile, u32) {
        let few = self.profile.is_closed() && (self.profile.is_shaped() || self.end.is_some());
        let most = if few { WARM_UP_CONNECTIONS } else { u32::MAX };
        (self.profile.without_shape(), self.connections.min(most))
    }

    /// The shape in words; empty for a load that stays as it is.
    fn own_shape(&self) -> String {
        match (&self.profile, self.end, &self.trace) {
            (Profile::Users { ramp_ns, loops, .. }, Some(Extent::Requests { cap_ns, .. }), _) => format!(
                "{} users started over {}, each asks {loops} times, at most {}",
                self.connections,
                seconds(*ramp_ns),
                seconds(cap_ns)
            ),
            (Profile::ClosedStages { stages, .. }, ..) => in_words(stages, |value| format!("{value}")),
            (Profile::OpenStages { stages, .. }, ..) => in_words(stages, rate_label),
            (_, Some(Extent::Requests { count, cap_ns }), _) => {
                format!("{count} requests, at most {}", seconds(cap_ns))
            }
            (_, Some(Extent::DurationNs(for_ns)), Some(recorded)) if for_ns < recorded.trace.length_ns() => {
                format!("{recorded}, of which the first {} are played", seconds(for_ns))
            }
            (_, _, Some(recorded)) => recorded.to_string(),
            _ => String::new(),
        }
    }

    /// Approximate duration of a load without streams that is carried out whole; 0 for the others.
    fn own_estimate_ns(&self, pauses_ns: u64) -> u64 {
        match (&self.profile, self.extent()) {
            (_, None) => 0,
            (_, Some(Extent::DurationNs(ns))) => ns,
            (profile, Some(Extent::Requests { count, cap_ns })) => {
                let (ramp_ns, thought_ns) = match profile {
                    Profile::Users { ramp_ns, loops, think_ns } => {
                        (*ramp_ns, u64::from(loops.saturating_sub(1)).saturating_mul(think_ns.mean() as u64))
                    }
                    _ => (0, 0),
                };
                // Users who arrive at a rate pause beside each other.
                let journeys_each =
                    if profile.is_closed() { count.div_ceil(u64::from(self.connections.max(1))) } else { 1 };
                let paused_ns = journeys_each.saturating_mul(pauses_ns);
                let answered_ns = (count as f64 / ASSUMED_PER_S * 1e9) as u64;
                [ramp_ns, thought_ns, paused_ns, answered_ns]
                    .into_iter()
                    .fold(0, u64::saturating_add)
                    .min(cap_ns)
            }
        }
    }

    /// True if it has a shape of its own, so that no slice of it is the load.
    pub fn is_whole(&self) -> bool {
        self.length_ns() > 0
    }

    /// Length of a load that is carried out whole, all streams together, or what it may take at most; 0 for
    /// loads that are sliced.
    pub fn length_ns(&self) -> u64 {
        let own = match self.extent() {
            Some(Extent::DurationNs(ns) | Extent::Requests { cap_ns: ns, .. }) if self.streams.is_empty() => {
                ns
            }
            _ => 0,
        };
        self.streams.iter().map(LoadPoint::length_ns).fold(own, u64::max)
    }

    /// Approximate duration of a load that is carried out whole, 0 for the others; of users whose journey pauses for
    /// `pauses_ns`.
    pub fn estimated_ns(&self, pauses_ns: u64) -> u64 {
        match self.streams.is_empty() {
            true => self.own_estimate_ns(pauses_ns),
            false => self.streams.iter().map(|stream| stream.estimated_ns(pauses_ns)).max().unwrap_or(0),
        }
    }

    /// `closed`, `open`, or `mixed` for streams of both kinds.
    pub fn model(&self) -> &'static str {
        let own = self.own_model();
        let same = self.streams.iter().all(|stream| stream.own_model() == own);
        if same { own } else { "mixed" }
    }

    /// Its shape in words, with its checkpoints; empty for a load that stays as it is.
    pub fn shape_in_words(&self) -> String {
        let shape = self.own_shape();
        match self.checkpoint_ns {
            0 => shape,
            every_ns => format!("soak: {shape}, a checkpoint every {}", seconds(every_ns)),
        }
    }

    /// All of it in words.
    pub fn in_words(&self) -> String {
        let mut parts = vec![match (&self.profile, self.end) {
            (Profile::Open { rate_per_s, .. }, _) => rate_label(*rate_per_s),
            (Profile::Closed { .. }, None) => "closed loop".to_string(),
            _ => self.shape_in_words(),
        }];
        if let Some(arrival) = self.profile.arrival() {
            parts.push(format!("{} arrivals", arrival.name()));
        }
        match self.own_model() {
            "open" => parts.extend(self.open.in_words(self.connections, self.profile.coalesce_ns())),
            _ => parts.push(format!("{} connections", self.connections)),
        }
        if self.in_flight > 1 {
            parts.push(format!("{} calls in flight on each", self.in_flight));
        }
        if !self.think_in_words().is_empty() {
            parts.push(format!("think time {}", self.think_in_words()));
        }
        parts.push(format!("keep-alive {}", keep_alive_label(self.keep_alive)));
        parts.join(", ")
    }

    /// Mean pause between an answer and the next intended send, not 0 where there is one; 0 in an open loop.
    pub fn think_ns(&self) -> u64 {
        let think = self.profile.think().filter(|think| !think.is_zero());
        think.map_or(0, |think| (think.mean() as u64).max(1))
    }

    /// Distribution of pauses, in words; empty where all are as long.
    pub fn spread_in_words(&self) -> String {
        let differing = self.profile.think().filter(|think| !think.is_constant());
        differing.map_or(String::new(), |think| distribution::in_words(think, seconds))
    }

    /// The pause in words; empty where there is none.
    pub fn think_in_words(&self) -> String {
        self.profile.think().map_or(String::new(), |think| distribution::in_words(think, seconds))
    }
}

/// The label of a load by its shape alone.
pub fn shape_label(connections: u32, profile: &Profile) -> String {
    match profile {
        Profile::Closed { .. } => format!("{connections}c"),
        Profile::ClosedStages { .. } => format!("{connections}c-stages"),
        Profile::Users { .. } => format!("{connections}u"),
        Profile::Open { rate_per_s, .. } => rate_label(*rate_per_s),
        Profile::OpenStages { stages, .. } => {
            // A wave that is cut short may have a peak of many digits.
            format!("{}-stages", rate_label((Stage::peak_of(stages) * 1e3).round() / 1e3))
        }
        Profile::OpenTrace { trace, .. } => format!("{}n-trace", trace.count()),
    }
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

/// Number of stages from the first on that are steps of one ladder: held as long, each as far from the one before it,
/// to within a connection.
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
