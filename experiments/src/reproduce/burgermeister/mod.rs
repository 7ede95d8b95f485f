//! Burgermeister, Arnold, Esterl: DAE time integration for real-time applications in multi-body dynamics.
//!
//! The paper prints its figures without numbers, so that what is compared is what its text says of them: limits,
//! orders, what stays bounded. All figures here come from the stepper itself.

pub mod axle;
pub mod stability;
pub mod track;

use crate::Error;
use holonom::InputError;
use holonom::solver::stepper::{Level, LinearImplicitOptions, Stabilisation, StiffTerms};

/// The methods of §4.2, with the order of their error in the constraints.
const METHODS: [(Level, Stabilisation, f64); 6] = [
    (Level::Index1, Stabilisation::None, 1.0),
    (Level::Index2, Stabilisation::None, 1.0),
    (Level::Index1, Stabilisation::Baumgarte, 2.0),
    (Level::Index2, Stabilisation::Baumgarte, 2.0),
    (Level::Index1, Stabilisation::Projection, 3.0),
    (Level::Index2, Stabilisation::Projection, 3.0),
];

fn options(stiff_terms: StiffTerms, assembly: Level, stabilisation: Stabilisation) -> LinearImplicitOptions {
    LinearImplicitOptions {
        stiff_terms,
        assembly,
        stabilisation,
        ..LinearImplicitOptions::default()
    }
}

/// A method in tables, figures and names of checks.
fn name(assembly: Level, stabilisation: Stabilisation) -> String {
    format!("{}-{}", assembly.name(), stabilisation.name())
}

fn refused(error: InputError) -> Error {
    Error::Failed(error.to_string())
}

/// Slope of the least-squares line, and its standard error.
fn line(x: &[f64], y: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let xx: f64 = x.iter().map(|x| (x - mx).powi(2)).sum();
    let xy: f64 = x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum();
    let slope = xy / xx;
    let rest: f64 = x
        .iter()
        .zip(y)
        .map(|(x, y)| (y - my - slope * (x - mx)).powi(2))
        .sum();
    (slope, (rest / (n - 2.0) / xx).sqrt())
}

/// Slope of the least-squares line, its standard error after Newey and West, and the correlation of neighbouring rests.
///
/// Where rests are correlated the usual standard error is too small. Theirs sums autocovariances of (x − x̄)·rest up to
/// lag L = ⌊4 (n/100)^(2/9)⌋ with weights 1 − l/(L + 1) [Newey, West 1987, 1994], here with n/(n − 2) for the two
/// parameters of the line.
fn robust_line(x: &[f64], y: &[f64]) -> (f64, f64, f64) {
    let n = x.len() as f64;
    let (slope, _) = line(x, y);
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let xx: f64 = x.iter().map(|x| (x - mx).powi(2)).sum();
    let rests: Vec<f64> = x.iter().zip(y).map(|(x, y)| y - my - slope * (x - mx)).collect();
    let scores: Vec<f64> = x.iter().zip(&rests).map(|(x, rest)| (x - mx) * rest).collect();
    let lagged = |z: &[f64], lag: usize| z.iter().zip(&z[lag..]).map(|(a, b)| a * b).sum::<f64>();
    let most = (4.0 * (n / 100.0).powf(2.0 / 9.0)) as usize;
    let mut sum = lagged(&scores, 0);
    for lag in 1..=most {
        sum += 2.0 * (1.0 - lag as f64 / (most as f64 + 1.0)) * lagged(&scores, lag);
    }
    let error = (sum * n / (n - 2.0)).sqrt() / xx;
    (slope, error, lagged(&rests, 1) / lagged(&rests, 0))
}

/// Mean of independent values and its standard error from their scatter; none of fewer than two.
fn mean(x: &[f64]) -> Option<(f64, f64)> {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let scatter: f64 = x.iter().map(|x| (x - mean).powi(2)).sum();
    (x.len() > 1).then(|| (mean, (scatter / (n - 1.0) / n).sqrt()))
}

/// The order p of y ~ hᵖ: the slope over logarithms.
fn order(points: &[(f64, f64)]) -> f64 {
    let (x, y): (Vec<f64>, Vec<f64>) = points.iter().map(|(h, y)| (h.ln(), y.ln())).unzip();
    line(&x, &y).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let x = [0.0, 1.0, 2.0, 3.0];
        let (slope, error) = line(&x, &[1.0, 3.0, 5.0, 7.0]);
        assert!((slope - 2.0).abs() < 1e-14 && error < 1e-14);
        // 0, 1, 0, 1: slope 1/5, rest 0.8 over 2 degrees of freedom, Σ(x − x̄)² = 5.
        let (slope, error) = line(&x, &[0.0, 1.0, 0.0, 1.0]);
        assert!((slope - 0.2).abs() < 1e-14 && (error - (0.8f64 / 2.0 / 5.0).sqrt()).abs() < 1e-14);
        assert!((order(&[(0.1, 3e-3), (0.01, 3e-6)]) - 3.0).abs() < 1e-12);
    }

    /// 1, 2, 3, 6: mean 3, scatter 14 over 3 degrees of freedom, over 4 values.
    #[test]
    fn means() {
        let (middle, error) = mean(&[1.0, 2.0, 3.0, 6.0]).expect("four values");
        assert!((middle - 3.0).abs() < 1e-15 && (error - (14.0f64 / 12.0).sqrt()).abs() < 1e-15);
        assert_eq!((mean(&[1.0]), mean(&[])), (None, None));
    }

    /// Rests of chance: the usual standard error. Rests in runs of eight, which are not: a larger one, by √8 for lags
    /// that reach over all of a run, and less here.
    #[test]
    fn correlated_rests_leave_more_to_chance() {
        let mut state = 1u64;
        let mut next = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let x: Vec<f64> = (0..800).map(f64::from).collect();
        let alone: Vec<f64> = x.iter().map(|_| next()).collect();
        let (slope, error, correlation) = robust_line(&x, &alone);
        let (same, usual) = line(&x, &alone);
        assert_eq!(slope, same);
        assert!(
            (error / usual - 1.0).abs() < 0.2 && correlation.abs() < 0.1,
            "{}",
            error / usual
        );
        let runs: Vec<f64> = (0..100).flat_map(|_| [next(); 8]).collect();
        let (_, error, correlation) = robust_line(&x, &runs);
        let usual = line(&x, &runs).1;
        assert!(
            (1.6..2.9).contains(&(error / usual)) && correlation > 0.8,
            "{}",
            error / usual
        );
    }
}
