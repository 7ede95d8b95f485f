//! Local error estimates at neighbouring orders and the choice of the next order and step.

use super::coefficients::Coefficients;
use super::history::History;
use holonom_dae::Weights;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Error estimates of an attempt at order k. `term[j]` estimates ‖h^{j+1} y^{(j+1)}‖ for
/// order j, which is what orders are compared by; `error[j]` is the local error at order j.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Estimates {
    /// At order k.
    pub error: f64,
    /// At order k.
    pub term: f64,
    /// At order k − 1.
    pub error_below: f64,
    /// At order k − 1.
    pub term_below: f64,
    /// Whether order k − 1 looks at least as good.
    pub lower: bool,
    /// At order 2, for k above 2.
    pub error_at_2: f64,
}

/// Norms of e + φ_k, e + φ_k + φ_{k−1}, … in the error weights, N of them in one pass.
fn norms_of_sums<const N: usize>(k: usize, e: &[f64], history: &History, w: &[f64]) -> [f64; N] {
    const LANES: usize = 4;
    let n = e.len();
    let columns: [&[f64]; N] = std::array::from_fn(|j| &history.column(k - j)[..n]);
    let w = &w[..n];
    // Independent sums, so that the loop is not bound by the latency of one addition.
    let mut sums = [[0.0; LANES]; N];
    let whole = n - n % LANES;
    for start in (0..whole).step_by(LANES) {
        let mut d: [f64; LANES] = std::array::from_fn(|l| e[start + l]);
        for (column, sum) in columns.iter().zip(&mut sums) {
            for l in 0..LANES {
                d[l] += column[start + l];
                let x = d[l] * w[start + l];
                sum[l] += x * x;
            }
        }
    }
    for i in whole..n {
        let mut d = e[i];
        for (column, sum) in columns.iter().zip(&mut sums) {
            d += column[i];
            sum[0] += (d * w[i]).powi(2);
        }
    }
    sums.map(|s| (((s[0] + s[1]) + (s[2] + s[3])) / n as f64).sqrt())
}

impl Estimates {
    /// From the correction `e` of an attempt at order `k` whose history is already φ*.
    pub fn new(
        k: usize,
        e_norm: f64,
        e: &[f64],
        history: &History,
        c: &Coefficients,
        weights: &Weights,
    ) -> Self {
        let w = weights.reciprocal_error();
        let error = c.sigma[k] * e_norm;
        let term = (k + 1) as f64 * error;
        let mut below = [0.0; 3];
        match k {
            1 => {}
            2 => below[..1].copy_from_slice(&norms_of_sums::<1>(k, e, history, w)),
            3 | 4 => below[..2].copy_from_slice(&norms_of_sums::<2>(k, e, history, w)),
            _ => below = norms_of_sums::<3>(k, e, history, w),
        }
        for (j, b) in below.iter_mut().enumerate().take(k - 1) {
            *b *= c.sigma[k - 1 - j];
        }
        let term_below = k as f64 * below[0];
        let lower = match k {
            1 => false,
            2 => term_below <= 0.5 * term,
            _ => term_below.max((k - 1) as f64 * below[1]) <= term,
        };
        Self {
            error,
            term,
            error_below: below[0],
            term_below,
            lower,
            error_at_2: if k > 2 { below[k - 3] } else { error },
        }
    }
}

impl Estimates {
    /// Counts all of them so many times: something that they do not show is larger.
    pub fn scale(&mut self, factor: f64) {
        for x in [
            &mut self.error,
            &mut self.term,
            &mut self.error_below,
            &mut self.term_below,
            &mut self.error_at_2,
        ] {
            *x *= factor;
        }
    }
}

/// ‖e − φ_{k+2}‖/(k + 2): the error at order k + 1, known after two steps at order k.
pub fn error_above(k: usize, e: &[f64], history: &History, weights: &Weights) -> f64 {
    let w = weights.reciprocal_error();
    let sum: f64 = (e.iter().zip(history.column(k + 1)).zip(w))
        .map(|((e, p), w)| ((e - p) * w).powi(2))
        .sum();
    (sum / e.len() as f64).sqrt() / (k + 2) as f64
}

/// Step-size factor for an error `estimate` at order `k`, aiming at half the tolerance.
pub fn step_factor(estimate: f64, k: usize) -> f64 {
    aim(estimate).powf(-1.0 / (k + 1) as f64)
}

/// What [`step_factor`] takes the root of.
fn aim(estimate: f64) -> f64 {
    2.0 * estimate + 1e-4
}

/// What is to become of the step size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepChange {
    /// [`step_factor`] is 2 or more.
    Double,
    /// It is between.
    Keep,
    /// It is this, at most 1.
    Shrink(f64),
}

impl StepChange {
    /// For an error `estimate` at order `k`. Roots are taken of steps that change only: they would cost as much as
    /// the error estimates of a small system.
    pub fn new(estimate: f64, k: usize) -> Self {
        let aim = aim(estimate);
        // 2^−(k + 1).
        if aim <= 0.5 / (1u64 << k) as f64 {
            Self::Double
        } else if aim < 1.0 {
            Self::Keep
        } else {
            Self::Shrink(step_factor(estimate, k))
        }
    }
}

/// How the step-size factor for error `a` at order `j` compares with `ratio` times that for error `b` at order `k`,
/// without roots: both sides to the power −(j + 1)(k + 1).
pub fn compare_factors((a, j): (f64, usize), ratio: f64, (b, k): (f64, usize)) -> Option<Ordering> {
    let (j, k) = (j as i32 + 1, k as i32 + 1);
    aim(b).powi(j).partial_cmp(&(ratio.powi(j * k) * aim(a).powi(k)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_change_as_their_factor_says() {
        let estimates = (0..400).map(|i| 10f64.powf(-8.0 + 0.025 * f64::from(i)));
        for estimate in estimates {
            for k in 1..=5 {
                let r = step_factor(estimate, k);
                let expected = match r {
                    r if r >= 2.0 => StepChange::Double,
                    r if r > 1.0 => StepChange::Keep,
                    r => StepChange::Shrink(r),
                };
                assert_eq!(StepChange::new(estimate, k), expected, "{estimate} at order {k}");
                for other in [1e-7, 1e-3, 0.2, 0.9, 40.0, 1e9] {
                    for j in 1..=5 {
                        let ratio = r / step_factor(other, j);
                        let found = compare_factors((estimate, k), 1.25, (other, j));
                        assert_eq!(found, ratio.partial_cmp(&1.25), "{estimate} {k} {other} {j}");
                    }
                }
            }
        }
        assert_eq!(compare_factors((f64::NAN, 2), 1.25, (1.0, 3)), None);
    }
}
