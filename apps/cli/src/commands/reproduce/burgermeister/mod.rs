//! Burgermeister, Arnold, Esterl: DAE time integration for real-time applications in multi-body dynamics.
//!
//! The paper prints its figures without numbers, so that what is compared is what its text says of them: limits,
//! orders, what stays bounded. All figures here come from the stepper itself.

pub mod axle;
pub mod stability;
pub mod track;

use crate::error::Error;
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
}
