//! Consistency of published figures of one load: can they all be true? Pure arithmetic on the written figures, with
//! the rounding of the writing: `0.6ms` means anything from 0.55 ms to 0.65 ms, and only what holds for none of these
//! values is reported.
//!
//! - **Little's law.** N connections in a closed loop have at most N requests in flight: throughput × mean response
//!   time ≤ N. More cannot be true. Without think time a connection always has one, so the rest is time that the
//!   figures do not show.
//! - **Order.** A quantile is not below that of a smaller share, and nothing is above the largest.
//! - **Shares** lie between 0 and 1.
//! - **Utilisation law.** Throughput × CPU time of a request = CPUs in use.

use crate::{Measure, Published};

/// Share of the connections, or of the CPUs in use, that may be unaccounted for: figures of one experiment are not
/// always of
pub const SLACK: f64 = 0.05;

/// Bound on the requests in flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InFlight {
    /// Connections, each with one request at a time.
    pub connections: f64,
    /// True if each always has one: a closed loop without think time that stays as it is.
    pub always: bool,
}

/// Reason why figures cannot all be true, or do not add up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Contradiction {
    /// More requests in flight than connections: cannot be true.
    MoreInFlight {
        /// Throughput × mean response time, at the rounding that is kindest to it.
        in_flight: f64,
        connections: f64,
    },
    /// Connections are in use for less time than there is: does not add up.
    Unaccounted {
        /// Connections whose time is not in the figures, at the rounding that is kindest to them.
        missing: f64,
        connections: f64,
    },
    /// The first is below the second, above which nothing of its kind can be: cannot be true.
    Below {
        /// Measure that is too small: a quantile, or the largest.
        of: Measure,
        /// Measure that it is below: a quantile of a smaller share, or the mean.
        than: Measure,
    },
    /// A share above 1: cannot be true.
    AboveWhole {
        /// Measure of the share.
        of: Measure,
    },
    /// Throughput × CPU time of a request is not the CPUs in use: does not add up.
    Utilisation {
        /// Throughput × CPU time of a request, in cores, at the rounding that is nearest.
        product: f64,
        cores: f64,
    },
}

impl Contradiction {
    /// The measures that it is about.
    pub fn measures(&self) -> Vec<Measure> {
        match *self {
            Contradiction::MoreInFlight { .. } | Contradiction::Unaccounted { .. } => {
                vec![Measure::Throughput, Measure::ResponseMean]
            }
            Contradiction::Below { of, than } => vec![of, than],
            Contradiction::AboveWhole { of } => vec![of],
            Contradiction::Utilisation { .. } => {
                vec![Measure::Throughput, Measure::CpuPerRequest, Measure::Cpu]
            }
        }
    }
}

/// Contradictions among figures of one source, one variant, one load point and one stream. `in_flight` is `None`
/// where nothing bounds the requests in flight: an open loop.
pub fn contradictions(figures: &[Published], in_flight: Option<InFlight>) -> Vec<Contradiction> {
    let mut found = Vec::new();
    found.extend(in_flight.and_then(|in_flight| littles_law(figures, in_flight)));
    found.extend(order(figures));
    found.extend(
        figures
            .iter()
            .filter(|figure| is_part_of_a_whole(figure.measure) && figure.low > 1.0)
            .map(|figure| Contradiction::AboveWhole { of: figure.measure }),
    );
    found.extend(utilisation(figures));
    found
}

fn of(figures: &[Published], measure: Measure) -> Option<&Published> {
    figures.iter().find(|figure| figure.measure == measure)
}

/// Lower and upper end of a product of two figures, the second in nanoseconds.
fn product(one: &Published, other: &Published) -> (f64, f64) {
    (one.low * other.low / 1e9, one.high * other.high / 1e9)
}

fn littles_law(figures: &[Published], in_flight: InFlight) -> Option<Contradiction> {
    let (low, high) = product(of(figures, Measure::Throughput)?, of(figures, Measure::ResponseMean)?);
    let InFlight { connections, always } = in_flight;
    if low > connections {
        return Some(Contradiction::MoreInFlight { in_flight: low, connections });
    }
    let missing = connections - high;
    (always && missing > SLACK * connections).then_some(Contradiction::Unaccounted { missing, connections })
}

/// Quantiles in the order of their shares, the largest last; and the mean, which only the largest bounds.
fn order(figures: &[Published]) -> Vec<Contradiction> {
    let share = |figure: &Published| match figure.measure {
        Measure::ResponseQuantile(share) => Some(u32::from(share)),
        Measure::ResponseMax => Some(u32::MAX),
        _ => None,
    };
    let mut ordered: Vec<(u32, &Published)> =
        figures.iter().filter_map(|figure| Some((share(figure)?, figure))).collect();
    ordered.sort_by_key(|(share, _)| *share);
    let mut found = Vec::new();
    let mut highest: Option<&Published> = None;
    for (_, figure) in ordered {
        match highest {
            Some(before) if before.low > figure.high => {
                found.push(Contradiction::Below { of: figure.measure, than: before.measure });
            }
            Some(before) if before.low >= figure.low => {}
            _ => highest = Some(figure),
        }
    }
    let (mean, max) = (of(figures, Measure::ResponseMean), of(figures, Measure::ResponseMax));
    found.extend(
        mean.zip(max)
            .filter(|(mean, max)| mean.low > max.high)
            .map(|(mean, max)| Contradiction::Below { of: max.measure, than: mean.measure }),
    );
    found
}

/// The time of JIT compilers is a share of wall time, and several may be busy.
fn is_part_of_a_whole(measure: Measure) -> bool {
    measure.unit() == "share" && measure != Measure::JitShare
}

fn utilisation(figures: &[Published]) -> Option<Contradiction> {
    let cores = of(figures, Measure::Cpu)?;
    let (low, high) = product(of(figures, Measure::Throughput)?, of(figures, Measure::CpuPerRequest)?);
    let apart = if low > cores.high { low - cores.high } else { cores.low - high };
    let nearest = if low > cores.high { low } else { high };
    (apart > SLACK * cores.value)
        .then_some(Contradiction::Utilisation { product: nearest, cores: cores.value })
}

#[cfg(test)]
mod tests;
