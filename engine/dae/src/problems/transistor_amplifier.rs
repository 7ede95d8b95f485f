//! Transistor amplifier: eight voltages, index 1, with a singular constant matrix before ẏ.
//!
//! [IVP test set, problem TRANSAMP], [0, 0.2], from (0, 3, 3, 6, 3, 3, 6, 0), with
//! Ue(t) = 0.1 sin 200πt and the diode law g(u) = β (exp(u/UF) − 1):
//! ```text
//! C₁(ẏ₂ − ẏ₁) = (y₁ − Ue)/R₀
//! C₁(ẏ₁ − ẏ₂) = y₂/R₁ + (y₂ − Ub)/R₂ + (1 − α) g(y₂ − y₃)
//!      −C₂ ẏ₃ = y₃/R₃ − g(y₂ − y₃)
//! C₃(ẏ₅ − ẏ₄) = (y₄ − Ub)/R₄ + α g(y₂ − y₃)
//! C₃(ẏ₄ − ẏ₅) = y₅/R₅ + (y₅ − Ub)/R₆ + (1 − α) g(y₅ − y₆)
//!      −C₄ ẏ₆ = y₆/R₇ − g(y₅ − y₆)
//! C₅(ẏ₈ − ẏ₇) = (y₇ − Ub)/R₈ + α g(y₅ − y₆)
//! C₅(ẏ₇ − ẏ₈) = y₈/R₉
//! ```
//! The sums of rows 1 and 2, 4 and 5, 7 and 8 are free of derivatives: the hidden constraints.

use super::{Problem, Reference, builder};
use crate::{DerivativeForm, Point, Rejection, Residual, Structure};
use core::f64::consts::PI;
use holonom_algebra::Real;

const UB: f64 = 6.0;
const UF: f64 = 0.026;
const ALPHA: f64 = 0.99;
const BETA: f64 = 1e-6;
const R0: f64 = 1000.0;
/// R₁ … R₉.
const R: f64 = 9000.0;
const C: [f64; 5] = [1e-6, 2e-6, 3e-6, 4e-6, 5e-6];

/// The equations.
#[derive(Clone, Copy, Debug)]
pub struct TransistorAmplifier;

impl Residual for TransistorAmplifier {
    type Workspace<T: Real> = ();

    fn structure(&self) -> Structure {
        let mut structure = Structure::ode((1..=8).map(|i| format!("y{i}")));
        let mut entries = Vec::new();
        // The capacitors C₁, C₃, C₅ connect two nodes each, C₂ and C₄ one with earth.
        for (i, c) in [(0, C[0]), (3, C[2]), (6, C[4])] {
            entries.extend([(i, i, -c), (i, i + 1, c), (i + 1, i, c), (i + 1, i + 1, -c)]);
        }
        entries.extend([(2, 2, -C[1]), (5, 5, -C[3])]);
        structure.derivative = DerivativeForm::Constant(entries);
        for (i, equation) in structure.equations.iter_mut().enumerate() {
            equation.name = format!("node {}", i + 1);
        }
        structure
    }

    fn workspace<T: Real>(&self) {}

    fn residual<T: Real>(&self, at: Point<'_, T>, _: &mut (), r: &mut [T]) -> Result<(), Rejection> {
        let (y, yp) = (at.y, at.yp);
        let ue = (at.t * (200.0 * PI)).sin() * 0.1;
        let diode = |u: T| ((u / UF).exp() - 1.0) * BETA;
        let g23 = diode(y[1] - y[2]);
        let g56 = diode(y[4] - y[5]);
        let c1 = (yp[1] - yp[0]) * C[0];
        let c3 = (yp[4] - yp[3]) * C[2];
        let c5 = (yp[7] - yp[6]) * C[4];
        r[0] = c1 - (y[0] - ue) / R0;
        r[1] = -c1 - y[1] / R - (y[1] - UB) / R - g23 * (1.0 - ALPHA);
        r[2] = yp[2] * -C[1] - y[2] / R + g23;
        r[3] = c3 - (y[3] - UB) / R - g23 * ALPHA;
        r[4] = -c3 - y[4] / R - (y[4] - UB) / R - g56 * (1.0 - ALPHA);
        r[5] = yp[5] * -C[3] - y[5] / R + g56;
        r[6] = c5 - (y[6] - UB) / R - g56 * ALPHA;
        r[7] = -c5 - y[7] / R;
        Ok(())
    }
}

/// ẏ at the start: rows 3 and 6 and the differences in rows 1, 4, 7 give five equations, the
/// time derivatives of the hidden constraints the other three. With g(0) = 0 and no current
/// through C₁, C₃, C₅ at the start, ẏ₁ = ẏ₂, ẏ₄ = ẏ₅, ẏ₇ = ẏ₈.
fn start_derivatives() -> Vec<f64> {
    // g′(0) and dUe/dt.
    let slope = BETA / UF;
    let ue = 0.1 * 200.0 * PI;
    let y3 = -3.0 / R / C[1];
    let y6 = -3.0 / R / C[3];
    // d/dt: (y₁ − Ue)/R₀ + 2 y₂/R + (1 − α) g(y₂ − y₃) = const.
    let y2 = (ue / R0 + (1.0 - ALPHA) * slope * y3) / (1.0 / R0 + 2.0 / R + (1.0 - ALPHA) * slope);
    // d/dt: y₄/R + α g(y₂ − y₃) + 2 y₅/R + (1 − α) g(y₅ − y₆) = const.
    let y5 = ((1.0 - ALPHA) * slope * y6 - ALPHA * slope * (y2 - y3)) / (3.0 / R + (1.0 - ALPHA) * slope);
    // d/dt: y₇/R + α g(y₅ − y₆) + y₈/R = const.
    let y8 = -ALPHA * slope * (y5 - y6) / (2.0 / R);
    vec![y2, y2, y3, y5, y5, y6, y8, y8]
}

/// `transistor-amplifier`.
pub fn problem() -> Problem {
    Problem {
        name: "transistor-amplifier".into(),
        title: "transistor amplifier, eight voltages, index 1",
        t0: 0.0,
        t_end: 0.2,
        y0: vec![0.0, 3.0, 3.0, 6.0, 3.0, 3.0, 6.0, 0.0],
        yp0: start_derivatives(),
        atol_factor: 1.0,
        reference: Some(Reference {
            t: 0.2,
            y: vec![
                -5.5621450122627082835e-3,
                3.0065224719030422804,
                2.8499587886081281174,
                2.9264225362062414853,
                2.7046178650105543908,
                2.7618377783931446687,
                4.7709276316167720488,
                1.2369958680915476875,
            ],
            digits: 15.9,
            provenance: super::QUADRUPLE,
        }),
        build: builder(TransistorAmplifier),
    }
}
