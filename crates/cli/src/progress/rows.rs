//! The rows of the live view of a study: a claim in its present state, a server by its last slice.

use super::chart::Held;
use proofload_language::{named, tr};
use proofload_measure::Outcome;
use proofload_report::number;
use proofload_stats::{Claim, Comparison, Estimate, Judged, Side, Verdict};
use proofload_store::schema::Slice;

/// An interval whose ends are further apart, as a ratio, shows nothing yet and is not printed in numbers.
pub const WIDE: f64 = 100.0;

/// Reason why a server is not measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Away {
    /// It did not get through this block.
    Lost,
    /// It is not started any more.
    GivenUp,
    /// Every claim about it is settled.
    Settled,
}

impl Away {
    pub fn name(self) -> &'static str {
        match self {
            Away::Lost => tr!("live-name-lost"),
            Away::GivenUp => tr!("live-name-given-up"),
            Away::Settled => tr!("live-name-settled"),
        }
    }
}

/// A claim in its present state.
#[derive(Clone, Debug)]
pub struct ClaimRow {
    pub name: String,
    pub verdict: Verdict,
    pub settled: bool,
    pub estimate: Option<Estimate>,
    /// Value at which its answer changes, and half the width of the band around it as a ratio.
    boundary: f64,
    band: f64,
    /// On which scale its interval is drawn.
    pub scale: Option<f64>,
}

/// A variant at a load point, as its last slice showed it.
#[derive(Clone, Debug, Default)]
pub struct Server {
    pub name: String,
    pub point: String,
    /// Reason why it is not measured; `None` while it is.
    pub away: Option<Away>,
    pub rate_per_s: Option<f64>,
    pub p50_ns: Option<f64>,
    pub p99_ns: Option<f64>,
    pub errors: u64,
    /// CPU time over time, and memory; `None` for what was not started here.
    pub cores: Option<f64>,
    pub memory_bytes: Option<u64>,
    pub rates: Vec<f64>,
    /// Block, cycle and position of the last slice: streams that ran at once have the same.
    slice: (u32, u32, u32),
}

impl ClaimRow {
    /// A claim before its first look.
    pub fn new(claim: &Claim) -> ClaimRow {
        let factor = |side: &Side| match side {
            Side::Measured { factor, .. } => *factor,
            Side::Constant(value) => *value,
        };
        ClaimRow {
            name: claim.name.clone(),
            verdict: Verdict::Undecided,
            settled: false,
            estimate: None,
            boundary: factor(&claim.right) / factor(&claim.left),
            band: if let Comparison::Within(share) = claim.comparison { 1.0 + share } else { 1.0 },
            scale: None,
        }
    }

    pub fn judged(&mut self, judged: &Judged) {
        (self.verdict, self.settled, self.estimate) = (judged.verdict, judged.settled, judged.estimate);
        self.scale = self.held().map(|held| held.scale(self.scale));
    }

    /// Its interval beside its threshold, where that can be drawn.
    pub fn held(&self) -> Option<Held> {
        let estimate = self.estimate.filter(|estimate| !estimate.unit.ends_with("_difference"))?;
        let Estimate { low, point, high, .. } = estimate;
        let held = Held { low, point, high, boundary: self.boundary, band: self.band };
        held.is_drawable().then_some(held)
    }

    /// Estimate and interval in numbers: `0.98 [0.95, 1.02]`.
    pub fn numbers(&self) -> String {
        match &self.estimate {
            Some(e) if !(e.low.is_finite() && e.high.is_finite()) => {
                tr!("live-numbers-no-interval-yet").to_string()
            }
            Some(e) if is_ratio(e) => ratio(e),
            Some(e) => number::with_ends(e.point, e.low, e.high, e.unit),
            None => tr!("live-numbers-no-interval-yet").to_string(),
        }
    }

    /// The verdict, and whether it may still change.
    pub fn verdict(&self) -> &'static str {
        match (self.verdict, self.settled) {
            (Verdict::Undecided, false) => tr!("live-verdict-open"),
            (Verdict::Supported, false) => tr!("live-verdict-supported-so-far"),
            (Verdict::Refuted, false) => tr!("live-verdict-refuted-so-far"),
            (verdict, true) => named(verdict.name()),
        }
    }
}

/// True for a ratio of one quantity to another.
pub fn is_ratio(estimate: &Estimate) -> bool {
    estimate.unit == "ratio"
}

fn ratio(e: &Estimate) -> String {
    if e.high / e.low >= WIDE {
        return tr!("live-ratio-still-wide", point = number::ratio(e.point));
    }
    let digits = number::ratio_decimals_of(e.point, e.high - e.low);
    format!("{:.digits$} [{:.digits$}, {:.digits$}]", e.point, e.low, e.high)
}

impl Server {
    /// A server before its first slice.
    pub fn new(name: &str, point: &str) -> Server {
        Server { name: name.to_string(), point: point.to_string(), ..Server::default() }
    }

    pub fn measured(&mut self, slice: &Slice) {
        let point = &slice.measured;
        let count = |outcome: Outcome| point.outcomes.get(outcome.name()).copied().unwrap_or(0);
        let errors = Outcome::ALL.into_iter().filter(|outcome| outcome.is_error()).map(count).sum::<u64>();
        self.errors += errors;
        let rate = point.throughput_per_s.unwrap_or(0.0);
        let [p50, p99] =
            [point.response_time_ns.p50, point.response_time_ns.p99].map(|ns| ns.map(|ns| ns as f64));
        let key = (slice.block, slice.cycle, slice.position);
        if std::mem::replace(&mut self.slice, key) == key {
            // Another stream of the same slice: rates add up, and the slowest counts.
            self.rate_per_s = Some(self.rate_per_s.unwrap_or(0.0) + rate);
            self.rates.last_mut().into_iter().for_each(|last| *last += rate);
            self.p50_ns = self.p50_ns.into_iter().chain(p50).reduce(f64::max);
            self.p99_ns = self.p99_ns.into_iter().chain(p99).reduce(f64::max);
            return;
        }
        (self.rate_per_s, self.p50_ns, self.p99_ns) = (Some(rate), p50, p99);
        self.rates.push(rate);
        let used = point.subject.as_ref();
        self.cores = used.and_then(|used| used.cpu_ns).map(|ns| ns as f64 / 1e9 / point.seconds.max(1e-9));
        self.memory_bytes = used.and_then(|used| used.rss_bytes);
    }
}
