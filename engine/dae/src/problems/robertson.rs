//! Robertson's reaction: three species, rates over nine orders of magnitude.
//!
//! ẏ₁ = −0.04 y₁ + 10⁴ y₂ y₃, ẏ₂ = 0.04 y₁ − 10⁴ y₂ y₃ − 3·10⁷ y₂², ẏ₃ = 3·10⁷ y₂², from
//! (1, 0, 0) over [0, 10¹¹] [IVP test set, problem ROBER]. In the form as a DAE the conservation
//! law 0 = y₁ + y₂ + y₃ − 1 takes the place of the third equation.

use super::{Problem, Reference, builder};
use crate::{Point, Rejection, Residual, Structure};
use holonom_algebra::Real;

/// The equations.
#[derive(Clone, Copy, Debug)]
pub struct Robertson {
    /// The third equation is the conservation law.
    pub conservation: bool,
}

impl Residual for Robertson {
    type Workspace<T: Real> = ();

    fn structure(&self) -> Structure {
        if self.conservation {
            Structure::semi_explicit(["y1", "y2"], ["y3"]).non_negative()
        } else {
            Structure::ode(["y1", "y2", "y3"]).non_negative()
        }
    }

    fn workspace<T: Real>(&self) {}

    fn residual<T: Real>(&self, at: Point<'_, T>, _: &mut (), r: &mut [T]) -> Result<(), Rejection> {
        let [y1, y2, y3] = [at.y[0], at.y[1], at.y[2]];
        let r1 = y1 * 0.04;
        let r2 = y2 * y2 * 3e7;
        let r3 = y2 * y3 * 1e4;
        r[0] = at.yp[0] + r1 - r3;
        r[1] = at.yp[1] - r1 + r3 + r2;
        r[2] = if self.conservation {
            y1 + y2 + y3 - 1.0
        } else {
            at.yp[2] - r2
        };
        Ok(())
    }
}

fn problem(name: &str, title: &'static str, conservation: bool) -> Problem {
    Problem {
        name: name.into(),
        title,
        t0: 0.0,
        t_end: 1e11,
        y0: vec![1.0, 0.0, 0.0],
        yp0: vec![-0.04, 0.04, 0.0],
        atol_factor: 1e-8,
        reference: Some(Reference {
            t: 1e11,
            y: vec![
                2.0833401497012942306e-8,
                8.3333607703347834006e-14,
                9.9999997916651516938e-1,
            ],
            digits: 15.9,
            provenance: super::QUADRUPLE,
        }),
        build: builder(Robertson { conservation }),
    }
}

/// `robertson-ode`: three differential equations.
pub fn ode() -> Problem {
    problem("robertson-ode", "Robertson's reaction, three ODEs", false)
}

/// `robertson-dae`: the third equation is the conservation of mass.
pub fn dae() -> Problem {
    problem("robertson-dae", "Robertson's reaction, index 1", true)
}
