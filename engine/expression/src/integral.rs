//! Integrals of functions of one variable: energies and volumes of laws.

use super::Expression;
use super::kinks::Tables;
use holonom_algebra::Real;

/// ∫₀ˣ f(s) ds of an expression f of one variable.
///
/// Where f has kinks that can be told from its program (points of tables, `abs`, `min`, comparisons
/// of what is linear in the variable) the range is cut there; between the cuts Gauss–Legendre
/// formulas with eight points, which are exact for polynomials up to degree 15 and so for tables,
/// are halved until they agree to rounding. The sums up to the cuts are made once.
///
/// Where f is not a number at 0, the integral begins at the cut nearest to 0.
#[derive(Clone, Debug)]
pub struct Integral {
    law: Expression,
    /// Cuts, rising; never empty.
    cuts: Vec<f64>,
    /// The integral up to each of them.
    sums: Vec<f64>,
}

impl Integral {
    /// The integral of an expression whose only variable is the first.
    pub fn new(law: &Expression) -> Self {
        // Kinks are looked for at comparisons and the like.
        let law = law.unswitched();
        let mut cuts = law.kinks(0, Tables::All);
        if cuts.is_empty() || law.evaluate(&[0.0]).is_finite() {
            cuts.push(0.0);
        }
        cuts.sort_by(f64::total_cmp);
        cuts.dedup();
        let nearest = |a: &(usize, &f64), b: &(usize, &f64)| a.1.abs().total_cmp(&b.1.abs());
        let start = cuts.iter().enumerate().min_by(nearest).map_or(0, |(k, _)| k);
        let mut sums = vec![0.0; cuts.len()];
        for k in start + 1..cuts.len() {
            sums[k] = sums[k - 1] + integrate(&law, cuts[k - 1], cuts[k]);
        }
        for k in (0..start).rev() {
            sums[k] = sums[k + 1] - integrate(&law, cuts[k], cuts[k + 1]);
        }
        Self { law, cuts, sums }
    }

    /// The integral up to x, with its exact derivative f(x).
    pub fn evaluate<T: Real>(&self, x: T) -> T {
        let end = x.value();
        let k = self.cuts.partition_point(|cut| *cut <= end).saturating_sub(1);
        let value = self.sums[k] + integrate(&self.law, self.cuts[k], end);
        (x - end) * self.law.evaluate(&[end]) + value
    }
}

/// Halvings at most: what is left is below 2⁻¹² of a range in which f behaves badly.
const DEPTH: usize = 12;
/// Agreement asked for, relative to ∫|f|: rounding.
const AGREEMENT: f64 = 1e-15;

fn integrate(f: &Expression, a: f64, b: f64) -> f64 {
    if a == b {
        return 0.0;
    }
    halved(f, [a, b], gauss(f, a, b), DEPTH)
}

/// `whole` is [∫f, ∫|f|] by one formula.
fn halved(f: &Expression, [a, b]: [f64; 2], whole: [f64; 2], depth: usize) -> f64 {
    let middle = 0.5 * (a + b);
    let (left, right) = (gauss(f, a, middle), gauss(f, middle, b));
    let sum = left[0] + right[0];
    let error = (sum - whole[0]).abs();
    // Also where it is not a number.
    if depth == 0 || error.is_nan() || error <= AGREEMENT * (left[1] + right[1]) {
        return sum;
    }
    halved(f, [a, middle], left, depth - 1) + halved(f, [middle, b], right, depth - 1)
}

/// Gauss–Legendre with eight points: [∫f, ∫|f|].
fn gauss(f: &Expression, a: f64, b: f64) -> [f64; 2] {
    const POINTS: [[f64; 2]; 4] = [
        [0.183_434_642_495_649_8, 0.362_683_783_378_362],
        [0.525_532_409_916_329, 0.313_706_645_877_887_3],
        [0.796_666_477_413_626_7, 0.222_381_034_453_374_48],
        [0.960_289_856_497_536_3, 0.101_228_536_290_376_26],
    ];
    let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
    let (mut sum, mut size) = (0.0, 0.0);
    for [x, weight] in POINTS {
        for x in [-x, x] {
            let y = f.evaluate(&[middle + half * x]);
            sum += weight * y;
            size += weight * y.abs();
        }
    }
    [half * sum, half.abs() * size]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::Scope;
    use crate::curve::{Curve, Extrapolation, Interpolation};
    use holonom_algebra::Dual4;
    use std::sync::Arc;

    fn integral(text: &str, scope: Scope) -> Integral {
        Integral::new(&Expression::parse(text, &scope.variable("x"), None).unwrap())
    }

    #[test]
    fn of_formulas() {
        for (text, exact) in [
            ("3*x^2", (|x| x * x * x) as fn(f64) -> f64),
            ("exp(x)", |x: f64| x.exp_m1()),
            ("sin(10*x)", |x: f64| (1.0 - (10.0 * x).cos()) / 10.0),
            ("abs(x - 1)", |x: f64| 0.5 * ((x - 1.0) * (x - 1.0).abs() + 1.0)),
            ("max(0, 2*x - 0.3)", |x: f64| (x - 0.15).max(0.0).powi(2)),
            ("if(x > 0.7, 1, 0)", |x: f64| (x - 0.7).max(0.0)),
            ("5", |x: f64| 5.0 * x),
        ] {
            let f = integral(text, Scope::new());
            for x in [-2.3, -0.1, 0.0, 0.4, 1.0, 3.7] {
                let (found, exact) = (f.evaluate(x), exact(x));
                assert!(
                    (found - exact).abs() <= 1e-14 * (1.0 + exact.abs()),
                    "{text} {x}: {found} {exact}"
                );
            }
            let slope = f.evaluate(Dual4::variable(0.3, 0));
            assert_eq!(slope.derivative(0), f.law.evaluate(&[0.3]));
        }
    }

    #[test]
    fn of_tables() {
        let x: Vec<f64> = (0..400).map(|k| -1.0 + 0.01 * f64::from(k)).collect();
        let y: Vec<f64> = x.iter().map(|x| x * x * x - x).collect();
        for interpolation in Interpolation::ALL {
            let curve = Curve::new("f", x.clone(), y.clone(), interpolation, Extrapolation::Linear).unwrap();
            let f = integral("2*f(0.5*x)", Scope::new().table(Arc::new(curve)));
            // The trapezoidal rule is exact for the straight lines; cubics are found by the spline.
            let exact = |x: f64| {
                let u = 0.5 * x;
                4.0 * (u.powi(4) / 4.0 - u * u / 2.0)
            };
            let tolerance = match interpolation {
                Interpolation::Spline => 1e-13,
                _ => 2e-3,
            };
            for at in [-1.7, -0.33, 0.21, 4.9] {
                assert!(
                    (f.evaluate(at) - exact(at)).abs() < tolerance,
                    "{interpolation:?} {at}"
                );
            }
        }
        // A table that begins behind zero.
        let curve = Curve::new(
            "f",
            vec![1.0, 2.0],
            vec![3.0, 3.0],
            Interpolation::Linear,
            Extrapolation::Refuse,
        );
        let f = integral("f(x)", Scope::new().table(Arc::new(curve.unwrap())));
        assert!((f.evaluate(1.5) - 1.5).abs() < 1e-15);
        assert!(f.evaluate(2.5).is_nan());
    }
}
