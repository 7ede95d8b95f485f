//! Van der Pol's oscillator, in both scalings of the literature.
//!
//! `van-der-pol`: ẏ₁ = y₂, ẏ₂ = μ (1 − y₁²) y₂ − y₁, μ = 1000, [0, 2000] [IVP test set, VDPOLM].
//! `van-der-pol-eps`: ẏ₁ = y₂, ε ẏ₂ = (1 − y₁²) y₂ − y₁, ε = 10⁻⁶, [0, 2] [IVP test set, VDPOL].
//! Both start from (2, 0).

use super::{Problem, Reference, builder};
use crate::{Point, Rejection, Residual, Structure};
use holonom_algebra::Real;

/// ẏ₂ = c (1 − y₁²) y₂ − d y₁.
#[derive(Clone, Copy, Debug)]
pub struct VanDerPol {
    /// Factor c of the damping.
    pub damping: f64,
    /// Factor d of the restoring force.
    pub stiffness: f64,
}

impl Residual for VanDerPol {
    type Workspace<T: Real> = ();

    fn structure(&self) -> Structure {
        Structure::ode(["y1", "y2"])
    }

    fn workspace<T: Real>(&self) {}

    fn residual<T: Real>(&self, at: Point<'_, T>, _: &mut (), r: &mut [T]) -> Result<(), Rejection> {
        let (y1, y2) = (at.y[0], at.y[1]);
        r[0] = at.yp[0] - y2;
        r[1] = at.yp[1] + (y1 * y1 - 1.0) * y2 * self.damping + y1 * self.stiffness;
        Ok(())
    }
}

fn problem(name: &str, title: &'static str, t_end: f64, y_end: [f64; 2], equations: VanDerPol) -> Problem {
    Problem {
        name: name.into(),
        title,
        t0: 0.0,
        t_end,
        y0: vec![2.0, 0.0],
        yp0: vec![0.0, -2.0 * equations.stiffness],
        atol_factor: 1.0,
        reference: Some(Reference {
            t: t_end,
            y: y_end.to_vec(),
            digits: 15.9,
            provenance: super::QUADRUPLE,
        }),
        build: builder(equations),
    }
}

/// `van-der-pol`: μ = 1000 over [0, 2000].
pub fn mu_1000() -> Problem {
    let equations = VanDerPol {
        damping: 1000.0,
        stiffness: 1.0,
    };
    let y_end = [1.7061677321704650085, -8.9280970102481654778e-4];
    problem(
        "van-der-pol",
        "Van der Pol's oscillator, μ = 1000",
        2000.0,
        y_end,
        equations,
    )
}

/// `van-der-pol-eps`: ε = 10⁻⁶ over [0, 2].
pub fn epsilon() -> Problem {
    let equations = VanDerPol {
        damping: 1e6,
        stiffness: 1e6,
    };
    let y_end = [1.7061677321704650085, -8.928097010248165478e-1];
    problem(
        "van-der-pol-eps",
        "Van der Pol's oscillator, ε = 1e-6",
        2.0,
        y_end,
        equations,
    )
}
