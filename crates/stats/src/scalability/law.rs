//! The Universal Scalability Law, fitted to logarithms of throughput.

/// Form of the law; its scale λ follows from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Law {
    pub sigma: f64,
    pub kappa: f64,
}

impl Law {
    /// Number of connections with the highest throughput.
    pub(super) fn peak(&self) -> f64 {
        ((1.0 - self.sigma).max(0.0) / self.kappa).sqrt()
    }
}

/// Smallest logarithm of σ. Below a millionth it cannot be distinguished from none.
const LOG_SIGMA_MIN: f64 = -14.0;
/// A peak is searched up to this many times the highest rung.
const PEAK_REACH: f64 = 1_000.0;
const STEPS_MAX: usize = 200;
/// Relative gain of a step below which the descent has arrived.
const ARRIVED: f64 = 1e-11;

/// The numbers of connections that a law is fitted over.
pub(super) struct Curve {
    connections: Vec<f64>,
    highest: f64,
}

/// A residual, and how it changes with ln σ and ln κ.
type Row = (f64, [f64; 2]);

/// A form, as ln σ and ln κ, with its sum of squares. The logarithms keep both positive.
#[derive(Clone, Debug)]
struct Fit {
    at: [f64; 2],
    rows: Vec<Row>,
    squares: f64,
}

impl Curve {
    pub(super) fn over(connections: Vec<f64>) -> Curve {
        let highest = connections.iter().copied().fold(2.0, f64::max);
        Curve { connections, highest }
    }

    /// The form with the least squares, from several starts; with `near` from there and one other.
    pub(super) fn fit(&self, logs: &[f64], near: Option<Law>) -> Law {
        // A peak at the highest rung, and one at a tenth of it.
        let (far, close) = (-2.0 * self.highest.ln(), -2.0 * (0.1 * self.highest).ln());
        let (little, much) = (0.01_f64.ln(), 0.1_f64.ln());
        let starts = match near {
            None => vec![[little, far], [little, close], [much, far], [much, close]],
            Some(law) => vec![[law.sigma.ln(), law.kappa.ln()], [much, far]],
        };
        let ends = starts.into_iter().map(|start| self.descend(logs, start));
        let best = ends.min_by(|a, b| a.squares.total_cmp(&b.squares));
        let [sigma, kappa] = best.map_or([LOG_SIGMA_MIN, self.bounds()[1].0], |place| place.at);
        Law { sigma: sigma.exp(), kappa: kappa.exp() }
    }

    /// The law's logarithms, its scale being that of these logarithms.
    pub(super) fn logs(&self, law: Law, logs: &[f64]) -> Vec<f64> {
        let form: Vec<f64> = self.connections.iter().map(|n| n.ln() - law.slowing(*n).ln()).collect();
        let scale = (logs.iter().sum::<f64>() - form.iter().sum::<f64>()) / form.len() as f64;
        form.iter().map(|form| form + scale).collect()
    }

    fn bounds(&self) -> [(f64, f64); 2] {
        [(LOG_SIGMA_MIN, 0.0), (-2.0 * (PEAK_REACH * self.highest).ln(), 0.0)]
    }

    /// Levenberg's and Marquardt's descent within the bounds.
    fn descend(&self, logs: &[f64], start: [f64; 2]) -> Fit {
        let mut here = self.place(logs, start);
        let mut damping = 1e-3;
        for _ in 0..STEPS_MAX {
            let step = here.step(damping, self.bounds());
            let next = self.place(logs, [here.at[0] + step[0], here.at[1] + step[1]]);
            if next.squares < here.squares {
                let gain = here.squares - next.squares;
                let arrived = gain <= ARRIVED * here.squares;
                here = next;
                damping = (damping * 0.1_f64).max(1e-12);
                if arrived {
                    break;
                }
            } else {
                damping *= 10.0;
                if damping > 1e9 {
                    break;
                }
            }
        }
        here
    }

    /// Residuals around the mean of them all: that is the best λ, so it needs no search.
    fn place(&self, logs: &[f64], at: [f64; 2]) -> Fit {
        let bounds = self.bounds();
        let at = [0, 1].map(|k| at[k].clamp(bounds[k].0, bounds[k].1));
        let law = Law { sigma: at[0].exp(), kappa: at[1].exp() };
        let mut rows: Vec<Row> = self
            .connections
            .iter()
            .zip(logs)
            .map(|(&n, log)| {
                let slowing = law.slowing(n);
                let slopes = [law.sigma * (n - 1.0) / slowing, law.kappa * n * (n - 1.0) / slowing];
                (log - n.ln() + slowing.ln(), slopes)
            })
            .collect();
        let count = rows.len().max(1) as f64;
        let sums = rows.iter().fold((0.0, [0.0; 2]), |(sum, slopes), (off, own)| {
            (sum + off, [slopes[0] + own[0], slopes[1] + own[1]])
        });
        for (off, slopes) in &mut rows {
            *off -= sums.0 / count;
            *slopes = [slopes[0] - sums.1[0] / count, slopes[1] - sums.1[1] / count];
        }
        let squares = rows.iter().map(|(off, _)| off * off).sum();
        Fit { at, rows, squares }
    }
}

impl Law {
    /// Ratio of the time of an exchange with n connections to that with one.
    fn slowing(&self, n: f64) -> f64 {
        1.0 + self.sigma * (n - 1.0) + self.kappa * n * (n - 1.0)
    }
}

impl Fit {
    fn step(&self, damping: f64, bounds: [(f64, f64); 2]) -> [f64; 2] {
        let sum = |of: &dyn Fn(&Row) -> f64| self.rows.iter().map(of).sum::<f64>();
        let mut gradient = [0, 1].map(|k| sum(&|(off, slopes)| off * slopes[k]));
        let mut squares = [0, 1].map(|k| sum(&|(_, slopes)| slopes[k] * slopes[k]));
        let mut product = sum(&|(_, slopes)| slopes[0] * slopes[1]);
        for k in [0, 1] {
            let (low, high) = bounds[k];
            // Pushed against its bound, a parameter stays there and the other one moves alone.
            let pushed =
                (self.at[k] <= low && gradient[k] > 0.0) || (self.at[k] >= high && gradient[k] < 0.0);
            if pushed {
                (gradient[k], squares[k], product) = (0.0, 1.0, 0.0);
            }
        }
        let [a, c] = squares.map(|square| square * (1.0 + damping) + f64::MIN_POSITIVE);
        let determinant = a * c - product * product;
        let step = [
            (product * gradient[1] - c * gradient[0]) / determinant,
            (product * gradient[0] - a * gradient[1]) / determinant,
        ];
        if step.iter().all(|step| step.is_finite()) { step } else { [0.0; 2] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve() -> Curve {
        Curve::over([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0].to_vec())
    }

    fn exact(curve: &Curve, law: Law, scale: f64) -> Vec<f64> {
        curve.connections.iter().map(|n| (scale * n / law.slowing(*n)).ln()).collect()
    }

    #[test]
    fn an_exact_curve_is_found_again() {
        let curve = curve();
        for (sigma, kappa) in [(0.03, 3e-4), (0.2, 1e-5), (0.001, 0.01), (0.6, 1e-3)] {
            let law = Law { sigma, kappa };
            let logs = exact(&curve, law, 100.0);
            let found = curve.fit(&logs, None);
            assert!((found.sigma / sigma - 1.0).abs() < 1e-4, "{found:?} is not {law:?}");
            assert!((found.kappa / kappa - 1.0).abs() < 1e-4, "{found:?} is not {law:?}");
            assert!((found.peak() / law.peak() - 1.0).abs() < 1e-4);
            let through = curve.logs(found, &logs);
            assert!(through.iter().zip(&logs).all(|(a, b)| (a - b).abs() < 1e-5), "{through:?} {logs:?}");
        }
    }

    #[test]
    fn without_coherency_the_peak_is_far_beyond_what_was_tested() {
        let curve = curve();
        let found = curve.fit(&exact(&curve, Law { sigma: 0.03, kappa: 0.0 }, 7.0), None);
        assert!((found.sigma - 0.03).abs() < 1e-3 && found.peak() > 10.0 * 128.0, "{found:?}");
    }

    #[test]
    fn growth_beyond_all_measure_ends_at_the_bounds() {
        let curve = curve();
        let logs: Vec<f64> = curve.connections.iter().map(|n| 1.5 * n.ln()).collect();
        let found = curve.fit(&logs, None);
        assert!(found.sigma < 1e-5 && found.peak().is_finite(), "{found:?}");
        let flat = curve.fit(&[3.0; 8], None);
        assert!(flat.sigma <= 1.0 && flat.kappa > 0.0 && flat.peak().is_finite(), "{flat:?}");
    }

    /// The slopes that the descent follows are those of the residuals.
    #[test]
    fn slopes_agree_with_differences() {
        let curve = curve();
        let logs = exact(&curve, Law { sigma: 0.1, kappa: 1e-3 }, 10.0);
        let at = [-3.0, -8.0];
        let here = curve.place(&logs, at);
        for k in [0, 1] {
            let mut moved = at;
            moved[k] += 1e-6;
            let there = curve.place(&logs, moved);
            for (a, b) in here.rows.iter().zip(&there.rows) {
                assert!(((b.0 - a.0) / 1e-6 - a.1[k]).abs() < 1e-4, "{a:?} {b:?}");
            }
        }
    }
}
