//! The linear-implicit Euler method: what Burgermeister says of it, and what its shell promises.
#![allow(clippy::unwrap_used)]

mod bound;
mod car_axle;
mod identities;
mod regularisation;
mod shell;
mod stability;

use holonom_algebra::Real;
use holonom_dae::problems::constrained::{ConstrainedMotion, Form, Mechanics};
use holonom_dae::problems::{self, car_axle::CarAxle};
use holonom_solver::stepper::{
    Advance, Level, LinearImplicitOptions, MotionState, RealTime, Stabilisation, StiffTerms,
};

/// Two coupled oscillators without constraints: q̈ = −K q − B q̇, with a cubic term that makes f_q depend on q.
#[derive(Clone, Copy, Debug)]
pub struct Oscillator {
    /// Stiffness of the first.
    pub a: f64,
    /// Damping of the first.
    pub b: f64,
    /// Coupling to a second mass of 3; zero: one oscillator next to a mass at rest.
    pub coupling: f64,
    /// Cubic stiffness of the first.
    pub cubic: f64,
}

impl ConstrainedMotion for Oscillator {
    fn positions(&self) -> Vec<String> {
        vec!["x".into(), "y".into()]
    }

    fn velocities(&self) -> Vec<String> {
        vec!["vx".into(), "vy".into()]
    }

    fn n_g(&self) -> usize {
        0
    }

    fn mass_entries(&self) -> Vec<(usize, usize)> {
        vec![(0, 0), (1, 1)]
    }

    fn constraint_entries(&self) -> Vec<(usize, usize)> {
        Vec::new()
    }

    fn mass<T: Real>(&self, _: T, _: &[T], mass: &mut [T]) {
        mass[0] = T::constant(1.0);
        mass[3] = T::constant(3.0);
    }

    fn force<T: Real>(&self, _: T, q: &[T], v: &[T], force: &mut [T]) {
        let pull = (q[1] - q[0]) * self.coupling + (v[1] - v[0]) * (0.1 * self.coupling);
        force[0] = -(q[0] * self.a) - q[0] * q[0] * q[0] * self.cubic - v[0] * self.b + pull;
        force[1] = -pull;
    }

    fn constraint<T: Real>(&self, _: T, _: &[T], _: &mut [T]) {}
    fn constraint_matrix<T: Real>(&self, _: T, _: &[T], _: &mut [T]) {}
    fn constraint_rate<T: Real>(&self, _: T, _: &[T], _: &mut [T]) {}
    fn constraint_bias<T: Real>(&self, _: T, _: &[T], _: &[T], _: &mut [T]) {}
}

/// A state of a motion without own states.
pub fn state<P: ConstrainedMotion>(motion: P, q: &[f64], v: &[f64]) -> MotionState {
    let mut state = MotionState::new(&Mechanics::new(motion));
    state.q.copy_from_slice(q);
    state.v.copy_from_slice(v);
    state
}

/// The car axle at its start.
pub fn axle(h: f64, options: LinearImplicitOptions) -> RealTime<'static> {
    let y0 = problems::car_axle::problem(Form::Index1).y0;
    let start = state(CarAxle, &y0[..4], &y0[4..8]);
    RealTime::new(Box::new(Mechanics::new(CarAxle)), h, start, options).unwrap()
}

/// Options with these three choices.
pub fn choose(
    stiff_terms: StiffTerms,
    assembly: Level,
    stabilisation: Stabilisation,
) -> LinearImplicitOptions {
    LinearImplicitOptions {
        stiff_terms,
        assembly,
        stabilisation,
        ..LinearImplicitOptions::default()
    }
}

/// Steps until `t_end`, and the largest |g| and |q| on the way; infinite once a step is held.
pub fn run(system: &mut RealTime<'_>, t_end: f64) -> (f64, f64) {
    let steps = (t_end / system.h()).round() as usize;
    let (mut g, mut q) = (0.0, 0.0);
    for _ in 0..steps {
        if system.step() != Advance::Done {
            return (f64::INFINITY, f64::INFINITY);
        }
        g = f64::max(g, system.violation());
        q = system.state().q.iter().fold(q, |most, x| f64::max(most, x.abs()));
    }
    (g, q)
}
