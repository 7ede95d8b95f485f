//! Chemical Akzo Nobel: two reacting species with an inflow of carbon dioxide, index 1.
//!
//! [IVP test set, problem CHEMAKZO], [0, 180], with y₂ ≥ 0 because of its square root:
//! ```text
//! r₁ = k₁ y₁⁴ √y₂,  r₂ = k₂ y₃ y₄,  r₃ = (k₂/K) y₁ y₅,  r₄ = k₃ y₁ y₄²,  r₅ = k₄ y₆² √y₂
//! ẏ₁ = −2 r₁ + r₂ − r₃ − r₄,  ẏ₂ = −r₁/2 − r₄ − r₅/2 + klA (p/H − y₂),  ẏ₃ = r₁ − r₂ + r₃
//! ẏ₄ = −r₂ + r₃ − 2 r₄,  ẏ₅ = r₂ − r₃ + r₅,  0 = Ks y₁ y₄ − y₆
//! ```

use super::{Problem, Reference, builder};
use crate::{Point, Rejection, Residual, Structure};
use holonom_algebra::Real;

const K1: f64 = 18.7;
const K2: f64 = 0.58;
const K3: f64 = 0.09;
const K4: f64 = 0.42;
const K: f64 = 34.4;
const KLA: f64 = 3.3;
const KS: f64 = 115.83;
const P_CO2: f64 = 0.9;
const H: f64 = 737.0;

/// The equations.
#[derive(Clone, Copy, Debug)]
pub struct AkzoNobel;

/// The first five entries of dy := ẏ, the sixth := Ks y₁ y₄ − y₆.
fn right_hand_side<T: Real>(y: &[T], dy: &mut [T]) -> Result<(), Rejection> {
    if y[1].value() < 0.0 {
        return Err(Rejection::OutsideDomain);
    }
    let root = y[1].sqrt();
    let r1 = y[0].square().square() * root * K1;
    let r2 = y[2] * y[3] * K2;
    let r3 = y[0] * y[4] * (K2 / K);
    let r4 = y[0] * y[3].square() * K3;
    let r5 = y[5].square() * root * K4;
    let inflow = (-y[1] + P_CO2 / H) * KLA;
    dy[0] = r1 * -2.0 + r2 - r3 - r4;
    dy[1] = r1 * -0.5 - r4 - r5 * 0.5 + inflow;
    dy[2] = r1 - r2 + r3;
    dy[3] = -r2 + r3 - r4 * 2.0;
    dy[4] = r2 - r3 + r5;
    dy[5] = y[0] * y[3] * KS - y[5];
    Ok(())
}

impl Residual for AkzoNobel {
    type Workspace<T: Real> = ();

    fn structure(&self) -> Structure {
        let mut structure = Structure::semi_explicit(["y1", "y2", "y3", "y4", "y5"], ["y6"]);
        structure.variables[1].lower_bound = Some(0.0);
        structure
    }

    fn workspace<T: Real>(&self) {}

    fn residual<T: Real>(&self, at: Point<'_, T>, _: &mut (), r: &mut [T]) -> Result<(), Rejection> {
        right_hand_side(at.y, r)?;
        for i in 0..5 {
            r[i] = at.yp[i] - r[i];
        }
        Ok(())
    }
}

/// `akzo-nobel`.
pub fn problem() -> Problem {
    let y0 = vec![0.444, 0.00123, 0.0, 0.007, 0.0, KS * (0.444 * 0.007)];
    let mut yp0 = vec![0.0; 6];
    // The start lies in the domain; otherwise the derivatives would stay zero.
    let _ = right_hand_side(&y0, &mut yp0);
    yp0[5] = KS * (yp0[0] * y0[3] + y0[0] * yp0[3]);
    Problem {
        name: "akzo-nobel".into(),
        title: "Chemical Akzo Nobel, six unknowns, index 1",
        t0: 0.0,
        t_end: 180.0,
        y0,
        yp0,
        atol_factor: 1.0,
        reference: Some(Reference {
            t: 180.0,
            y: vec![
                1.1507949206617021862e-1,
                1.2038314715677150929e-3,
                1.6115628874079742096e-1,
                3.6561564212492830171e-4,
                1.7080108852644040714e-2,
                4.8735313103074551294e-3,
            ],
            digits: 15.9,
            provenance: super::QUADRUPLE,
        }),
        build: builder(AkzoNobel),
    }
}
