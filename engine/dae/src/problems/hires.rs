//! HIRES: high irradiance responses of photomorphogenesis, eight stiff ODEs.
//!
//! [IVP test set, problem HIRES; E. Schäfer 1975], [0, 321.8122], from (1, 0, …, 0, 0.0057):
//! ```text
//! ẏ₁ = −1.71 y₁ + 0.43 y₂ + 8.32 y₃ + 0.0007
//! ẏ₂ = 1.71 y₁ − 8.75 y₂
//! ẏ₃ = −10.03 y₃ + 0.43 y₄ + 0.035 y₅
//! ẏ₄ = 8.32 y₂ + 1.71 y₃ − 1.12 y₄
//! ẏ₅ = −1.745 y₅ + 0.43 y₆ + 0.43 y₇
//! ẏ₆ = −280 y₆ y₈ + 0.69 y₄ + 1.71 y₅ − 0.43 y₆ + 0.69 y₇
//! ẏ₇ = 280 y₆ y₈ − 1.81 y₇,  ẏ₈ = −ẏ₇
//! ```

use super::{Problem, Reference, builder};
use crate::{Point, Rejection, Residual, Structure};
use holonom_algebra::Real;

/// The equations.
#[derive(Clone, Copy, Debug)]
pub struct Hires;

impl Residual for Hires {
    type Workspace<T: Real> = ();

    fn structure(&self) -> Structure {
        Structure::ode((1..=8).map(|i| format!("y{i}")))
    }

    fn workspace<T: Real>(&self) {}

    fn residual<T: Real>(&self, at: Point<'_, T>, _: &mut (), r: &mut [T]) -> Result<(), Rejection> {
        let (y, yp) = (at.y, at.yp);
        let exchange = y[5] * y[7] * 280.0 - y[6] * 1.81;
        r[0] = yp[0] + y[0] * 1.71 - y[1] * 0.43 - y[2] * 8.32 - 0.0007;
        r[1] = yp[1] - y[0] * 1.71 + y[1] * 8.75;
        r[2] = yp[2] + y[2] * 10.03 - y[3] * 0.43 - y[4] * 0.035;
        r[3] = yp[3] - y[1] * 8.32 - y[2] * 1.71 + y[3] * 1.12;
        r[4] = yp[4] + y[4] * 1.745 - y[5] * 0.43 - y[6] * 0.43;
        r[5] = yp[5] + y[5] * y[7] * 280.0 - y[3] * 0.69 - y[4] * 1.71 + y[5] * 0.43 - y[6] * 0.69;
        r[6] = yp[6] - exchange;
        r[7] = yp[7] + exchange;
        Ok(())
    }
}

/// `hires`.
pub fn problem() -> Problem {
    Problem {
        name: "hires".into(),
        title: "HIRES, plant physiology, eight stiff ODEs",
        t0: 0.0,
        t_end: 321.8122,
        y0: vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057],
        yp0: vec![-1.71 + 0.0007, 1.71, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        atol_factor: 1e-4,
        reference: Some(Reference {
            t: 321.8122,
            y: vec![
                7.3713125733256678073e-4,
                1.4424857263161846582e-4,
                5.8887297409675750075e-5,
                1.1756513432831491455e-3,
                2.3863561988313304688e-3,
                6.2389682527427957866e-3,
                2.8499983951857686579e-3,
                2.8500016048142313421e-3,
            ],
            digits: 15.9,
            provenance: super::QUADRUPLE,
        }),
        build: builder(Hires),
    }
}
