//! Bounds by numerical recursion over the path of t.
//!
//! Let U_n = Σx / √Σx² after n blocks of differences x without effect (independent, normal, mean 0). U and
//! t tell the same: t = U √(n − 1) / √(n − U²). The length of the vector of differences is independent of
//! its direction, U depends on the direction alone, and so the next step does not depend on how U got where
//! it is:
//!
//! U_{n+1} = U_n cos φ + sin φ, where φ has the density ∝ cos^{n−1} φ on (−π/2, π/2).
//!
//! (tan φ is the next difference over the length so far; it is t distributed with n degrees of freedom over
//! √n.) A look cuts off what lies beyond its bound; what is left is carried to the next look, block by
//! block, and the next bound is where the share still to be spent lies beyond. After a cut at c the
//! differences can reach R = √(1 + c²) at the next block; densities are kept on the grid u = R sin ψ, which
//! resolves the root-like fall at R. By symmetry only u ≥ 0 is kept.
//!
//! Accuracy: a grid and integrals twice as fine move no bound of the presets by 1e-5, which a test holds; the
//! first bound is a quantile of t and exact.

use super::{BLOCKS_MAX, LOOKS_MAX, Spending};
use crate::student;
use statrs::function::gamma::ln_gamma;
use std::f64::consts::{FRAC_PI_2, PI};

/// Intervals of the grid over ψ.
const GRID: usize = 256;

const NODES: usize = 48;

/// The bounds on |t| at each look for a two-sided error rate of `alpha` in all.
///
/// `None` for looks that are not increasing, begin below 2 blocks or exceed [`LOOKS_MAX`] or
/// [`BLOCKS_MAX`]; and for an `alpha` outside 0 to 1.
pub fn compute(looks: &[u32], spending: impl Into<Spending>) -> Option<Vec<f64>> {
    compute_on(looks, spending.into(), GRID, NODES)
}

pub(super) fn compute_on(looks: &[u32], spending: Spending, grid: usize, nodes: usize) -> Option<Vec<f64>> {
    let last = checked(looks)?;
    bounds_of(looks, spending.alpha, grid, nodes, |look| spending.by(look, last))
}

/// As [`compute`], of a plan for `planned` blocks that ends at the last of these looks, which has all that is left.
pub fn ended(looks: &[u32], planned: u32, spending: impl Into<Spending>) -> Option<Vec<f64>> {
    let (last, spending) = (checked(looks)?, spending.into());
    let by = |look| if look == last { spending.alpha } else { spending.by(look, planned) };
    (last <= planned).then(|| bounds_of(looks, spending.alpha, GRID, NODES, by))?
}

/// The bounds when each look spends this much of `alpha`.
fn bounds_of(
    looks: &[u32],
    alpha: f64,
    grid: usize,
    nodes: usize,
    spent_by: impl Fn(u32) -> f64,
) -> Option<Vec<f64>> {
    if !(alpha > 0.0 && alpha < 1.0) {
        return None;
    }
    let mut before = 0.0;
    let shares: Vec<f64> = looks
        .iter()
        .map(|&look| {
            let now = spent_by(look);
            let share = now - before;
            before = now;
            share
        })
        .collect();
    let mut walk = Walk::new(looks[0], grid, nodes);
    let mut bounds = Vec::with_capacity(looks.len());
    for (&look, &share) in looks.iter().zip(&shares) {
        walk.advance_to(look);
        let bound = match bounds.is_empty() {
            true => student::critical(share, look - 1),
            false => t_of(walk.density.cut_for(share, &walk.rule), look),
        };
        walk.density.cut = u_of(bound, look).min(walk.density.cut);
        bounds.push(bound);
    }
    Some(bounds)
}

/// Probability that |t| passes its bound at one look at least, when there is no effect.
///
/// `None` for looks as in [`compute`], or when there is not one bound above 0 for each.
pub fn probability_of_crossing(looks: &[u32], bounds: &[f64]) -> Option<f64> {
    checked(looks)?;
    if bounds.len() != looks.len() || bounds.iter().any(|bound| bound.is_nan() || *bound <= 0.0) {
        return None;
    }
    let mut walk = Walk::new(looks[0], GRID, NODES);
    let mut crossed = 0.0;
    for (index, (&look, &bound)) in looks.iter().zip(bounds).enumerate() {
        walk.advance_to(look);
        crossed += match index {
            0 => student::two_sided_tail(bound, look - 1),
            _ => walk.density.mass_beyond(u_of(bound, look), &walk.rule),
        };
        walk.density.cut = u_of(bound, look).min(walk.density.cut);
    }
    Some(crossed)
}

/// The last look, when the looks are a plan.
pub(super) fn checked(looks: &[u32]) -> Option<u32> {
    let (first, last) = (*looks.first()?, *looks.last()?);
    let increasing = looks.windows(2).all(|pair| pair[0] < pair[1]);
    (increasing && first >= 2 && last <= BLOCKS_MAX && looks.len() <= LOOKS_MAX).then_some(last)
}

fn u_of(t: f64, n: u32) -> f64 {
    let n = f64::from(n);
    if t.is_infinite() { n.sqrt() } else { t * n.sqrt() / (n - 1.0 + t * t).sqrt() }
}

fn t_of(u: f64, n: u32) -> f64 {
    let n = f64::from(n);
    u * (n - 1.0).sqrt() / (n - u * u).max(0.0).sqrt()
}

/// Density of U among the paths that no look has cut off.
struct Walk {
    n: u32,
    density: Density,
    rule: Rule,
}

struct Density {
    /// Zero beyond this |u|.
    cut: f64,
    shape: Shape,
}

enum Shape {
    /// Before any cut: scale · (1 − u²/n)^((n−3)/2).
    Exact { n: f64, scale: f64 },
    /// Values at u = end · sin(i π / 2 / intervals).
    Grid { end: f64, values: Vec<f64> },
}

impl Walk {
    fn new(first: u32, grid: usize, nodes: usize) -> Walk {
        let n = f64::from(first);
        let scale = (ln_gamma(0.5 * n) - ln_gamma(0.5 * (n - 1.0))).exp() / (PI * n).sqrt();
        let density = Density { cut: n.sqrt(), shape: Shape::Exact { n, scale } };
        Walk { n: first, density, rule: Rule::new(grid, nodes) }
    }

    fn advance_to(&mut self, look: u32) {
        while self.n < look {
            self.density = self.density.step(self.n, &self.rule);
            self.n += 1;
        }
    }
}

impl Density {
    fn at(&self, u: f64) -> f64 {
        let u = u.abs();
        match &self.shape {
            Shape::Exact { n, scale } => scale * (1.0 - u * u / n).max(0.0).powf(0.5 * (n - 3.0)),
            Shape::Grid { end, values } => cubic(values, (u / end).min(1.0).asin() / FRAC_PI_2),
        }
    }

    /// The density one block later.
    fn step(&self, n: u32, rule: &Rule) -> Density {
        let c = self.cut;
        let end = (1.0 + c * c).sqrt();
        let delta = c.atan();
        let half_n = 0.5 * f64::from(n);
        let scale = (ln_gamma(half_n + 0.5) - ln_gamma(half_n)).exp() / PI.sqrt();
        let power = n as i32 - 2;
        let values = (0..=rule.grid).map(|index| {
            let psi = FRAC_PI_2 * index as f64 / rule.grid as f64;
            let u_next = end * psi.sin();
            // The φ that lead here from within the cut: u = (u_next − sin φ) / cos φ lies in ±c.
            let (low, high) = (psi - delta, (psi + delta).min(PI - psi - delta));
            scale
                * rule.integrate(low, high, |phi| {
                    let (sine, cosine) = phi.sin_cos();
                    if cosine <= 0.0 {
                        return 0.0;
                    }
                    let u = ((u_next - sine) / cosine).clamp(-c, c);
                    self.at(u) * cosine.powi(power)
                })
        });
        Density { cut: end, shape: Shape::Grid { end, values: values.collect() } }
    }

    /// Probability beyond ±u among what is left.
    fn mass_beyond(&self, u: f64, rule: &Rule) -> f64 {
        if u >= self.cut {
            return 0.0;
        }
        let from = (u / self.cut).asin();
        2.0 * rule.integrate(from, FRAC_PI_2, |psi| self.at(self.cut * psi.sin()) * self.cut * psi.cos())
    }

    /// The u beyond which `share` lies; 0 when less than that is left.
    fn cut_for(&self, share: f64, rule: &Rule) -> f64 {
        let (mut low, mut high) = (0.0, self.cut);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.mass_beyond(middle, rule) > share {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }
}

/// Cubic interpolation between equal steps over 0..1, even about 0.
fn cubic(values: &[f64], place: f64) -> f64 {
    let intervals = values.len() - 1;
    let scaled = place * intervals as f64;
    // The last stencil is one-sided: nothing is known beyond the end.
    let cell = (scaled as usize).min(intervals.saturating_sub(2));
    let s = scaled - cell as f64;
    let before = if cell == 0 { values[1] } else { values[cell - 1] };
    let (at, after, beyond) = (values[cell], values[cell + 1], values[cell + 2]);
    let (a, b, c, d) = (s + 1.0, s, s - 1.0, s - 2.0);
    -before * b * c * d / 6.0 + at * a * c * d / 2.0 - after * a * b * d / 2.0 + beyond * a * b * c / 6.0
}

/// Gauss-Legendre nodes under s → sin(π s / 2), which makes root-like ends smooth.
struct Rule {
    grid: usize,
    places: Vec<(f64, f64)>,
}

impl Rule {
    fn new(grid: usize, nodes: usize) -> Rule {
        let places = gauss_legendre(nodes)
            .into_iter()
            .map(|(node, weight)| {
                let angle = FRAC_PI_2 * node;
                (angle.sin(), weight * FRAC_PI_2 * angle.cos())
            })
            .collect();
        Rule { grid, places }
    }

    fn integrate(&self, low: f64, high: f64, function: impl Fn(f64) -> f64) -> f64 {
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        if half <= 0.0 {
            return 0.0;
        }
        self.places.iter().map(|(place, weight)| weight * function(middle + half * place)).sum::<f64>() * half
    }
}

/// Nodes and weights on −1..1, by Newton's method on the Legendre polynomial.
pub(super) fn gauss_legendre(count: usize) -> Vec<(f64, f64)> {
    let order = count as f64;
    (0..count)
        .map(|index| {
            let mut x = (PI * (index as f64 + 0.75) / (order + 0.5)).cos();
            let mut slope = 1.0;
            for _ in 0..100 {
                let (mut previous, mut value) = (0.0, 1.0);
                for degree in 0..count {
                    let degree = degree as f64;
                    let next = ((2.0 * degree + 1.0) * x * value - degree * previous) / (degree + 1.0);
                    previous = value;
                    value = next;
                }
                slope = order * (x * value - previous) / (x * x - 1.0);
                let change = value / slope;
                x -= change;
                if change.abs() < 1e-15 {
                    break;
                }
            }
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}
