//! The Brusselator with diffusion in one dimension: a large sparse system of selectable size.
//!
//! ∂u/∂t = A + u² v − (B + 1) u + κ ∂²u/∂x², ∂v/∂t = B u − u² v + κ ∂²v/∂x² on [0, 1] with
//! A = 1, B = 3, κ = 1/50, u = 1 and v = 3 at both ends, from u = 1 + sin 2πx, v = 3, over
//! [0, 10] [Hairer, Wanner 1996, §IV.10, problem BRUSS]; central differences on N inner points,
//! unknowns interleaved: y = (u₁, v₁, u₂, v₂, …).

use super::{Problem, Reference, builder};
use crate::{Pattern, Point, Rejection, Residual, Structure};
use core::f64::consts::TAU;
use holonom_algebra::Real;

/// Default number of inner grid points.
pub const POINTS: usize = 500;

const A: f64 = 1.0;
const B: f64 = 3.0;
const DIFFUSION: f64 = 0.02;
const T_END: f64 = 10.0;

/// The equations.
#[derive(Clone, Copy, Debug)]
pub struct Brusselator {
    /// Number of inner grid points N; there are 2 N unknowns.
    pub points: usize,
}

impl Brusselator {
    /// dy := ẏ.
    pub fn right_hand_side<T: Real>(&self, y: &[T], dy: &mut [T]) {
        let n = self.points;
        let scale = DIFFUSION * ((n + 1) as f64).powi(2);
        let (mut u_left, mut v_left) = (T::constant(A), T::constant(B / A));
        for i in 0..n {
            let (u, v) = (y[2 * i], y[2 * i + 1]);
            let (u_right, v_right) = if i + 1 < n {
                (y[2 * i + 2], y[2 * i + 3])
            } else {
                (T::constant(A), T::constant(B / A))
            };
            let reaction = u * u * v;
            dy[2 * i] = reaction - u * (B + 1.0) + A + (u_left - u * 2.0 + u_right) * scale;
            dy[2 * i + 1] = u * B - reaction + (v_left - v * 2.0 + v_right) * scale;
            (u_left, v_left) = (u, v);
        }
    }

    /// The start at the grid points.
    pub fn start(&self) -> Vec<f64> {
        let n = self.points;
        let x = |i: usize| (i + 1) as f64 / (n + 1) as f64;
        (0..n).flat_map(|i| [1.0 + (TAU * x(i)).sin(), 3.0]).collect()
    }
}

impl Residual for Brusselator {
    type Workspace<T: Real> = ();

    fn structure(&self) -> Structure {
        let n = self.points;
        let mut entries = Vec::with_capacity(8 * n);
        for i in 0..2 * n {
            // Both species of the point, the same species of its neighbours.
            entries.extend([(i, i), (i, i ^ 1)]);
            if i >= 2 {
                entries.push((i, i - 2));
            }
            if i + 2 < 2 * n {
                entries.push((i, i + 2));
            }
        }
        let names = (0..n).flat_map(|i| [format!("u[{i}]"), format!("v[{i}]")]);
        Structure::ode(names).with_sparsity(Pattern::from_entries(2 * n, 2 * n, entries))
    }

    fn workspace<T: Real>(&self) {}

    fn residual<T: Real>(&self, at: Point<'_, T>, _: &mut (), r: &mut [T]) -> Result<(), Rejection> {
        self.right_hand_side(at.y, r);
        for (r, yp) in r.iter_mut().zip(at.yp) {
            *r = *yp - *r;
        }
        Ok(())
    }
}

/// `brusselator` with N inner grid points. For the default size ten points of the grid have a
/// reference, the other components of it are NaN.
pub fn problem(points: usize) -> Problem {
    let equations = Brusselator { points };
    let y0 = equations.start();
    let mut yp0 = vec![0.0; 2 * points];
    equations.right_hand_side(&y0, &mut yp0);
    Problem {
        name: if points == POINTS {
            "brusselator".into()
        } else {
            format!("brusselator:{points}")
        },
        title: "Brusselator with diffusion, large and sparse",
        t0: 0.0,
        t_end: T_END,
        y0,
        yp0,
        atol_factor: 1.0,
        reference: (points == POINTS).then(reference),
        build: builder(equations),
    }
}

fn reference() -> Reference {
    let mut y = vec![f64::NAN; 2 * POINTS];
    for (i, u, v) in END {
        (y[2 * i], y[2 * i + 1]) = (u, v);
    }
    Reference {
        t: T_END,
        y,
        digits: 12.0,
        provenance: "own: extrapolation of order 16, two tolerances",
    }
}

/// (point, u, v) at the end of the interval for the default size.
const END: [(usize, f64, f64); 10] = [
    (24, 8.7278612662969191e-1, 3.1603294432650317),
    (74, 6.6033908174535938e-1, 3.4256912612622656),
    (124, 5.2786548646232290e-1, 3.5839014037785697),
    (174, 4.6020061577513383e-1, 3.6568958483291309),
    (224, 4.3299950025188944e-1, 3.6837974921959686),
    (274, 4.3285142432570695e-1, 3.6876654595060097),
    (324, 4.5968203662172102e-1, 3.6672646873840331),
    (374, 5.2670564608730785e-1, 3.5975667680147123),
    (424, 6.5795895479549971e-1, 3.4388136674002947),
    (474, 8.6850827284225340e-1, 3.1697726589955821),
];
