//! Sequential regularisation where constraints are dependent.

use super::{choose, run, state};
use holonom_algebra::Real;
use holonom_dae::problems::constrained::{ConstrainedMotion, Mechanics};
use holonom_dae::problems::pendulum::{self, Pendulum};
use holonom_solver::stepper::{Advance, Level, RealTime, Stabilisation, StiffTerms};

/// The pendulum with its constraint written twice.
#[derive(Clone, Copy, Debug)]
struct Twice;

impl ConstrainedMotion for Twice {
    fn positions(&self) -> Vec<String> {
        Pendulum.positions()
    }

    fn velocities(&self) -> Vec<String> {
        Pendulum.velocities()
    }

    fn n_g(&self) -> usize {
        2
    }

    fn mass_entries(&self) -> Vec<(usize, usize)> {
        Pendulum.mass_entries()
    }

    fn constraint_entries(&self) -> Vec<(usize, usize)> {
        vec![(0, 0), (0, 1), (1, 0), (1, 1)]
    }

    fn mass<T: Real>(&self, t: T, q: &[T], mass: &mut [T]) {
        Pendulum.mass(t, q, mass);
    }

    fn force<T: Real>(&self, t: T, q: &[T], v: &[T], force: &mut [T]) {
        Pendulum.force(t, q, v, force);
    }

    fn constraint<T: Real>(&self, t: T, q: &[T], g: &mut [T]) {
        Pendulum.constraint(t, q, &mut g[..1]);
        g[1] = g[0];
    }

    fn constraint_matrix<T: Real>(&self, _: T, q: &[T], matrix: &mut [T]) {
        for i in 0..2 {
            (matrix[i], matrix[2 + i]) = (q[0], q[1]);
        }
    }

    fn constraint_rate<T: Real>(&self, _: T, _: &[T], rate: &mut [T]) {
        rate.fill(T::zero());
    }

    fn constraint_bias<T: Real>(&self, t: T, q: &[T], v: &[T], gamma: &mut [T]) {
        Pendulum.constraint_bias(t, q, v, &mut gamma[..1]);
        gamma[1] = gamma[0];
    }
}

fn swing<P: ConstrainedMotion>(motion: P, stabilisation: Stabilisation) -> RealTime<'static> {
    // Off the horizontal, where the multiplier is zero.
    let start = pendulum::exact(0.3);
    let start = state(motion.clone(), &start[..2], &start[2..4]);
    let options = choose(StiffTerms::J2, Level::Index2, stabilisation);
    RealTime::new(Box::new(Mechanics::new(motion)), 1e-3, start, options).unwrap()
}

/// The motion is that with the constraint written once, and the two multipliers share its force. The other methods
/// have a singular system there and hold.
#[test]
fn dependent_constraints() {
    let mut once = swing(Pendulum, Stabilisation::Regularisation);
    let mut twice = swing(Twice, Stabilisation::Regularisation);
    let (g_once, _) = run(&mut once, 5.0);
    let (g_twice, _) = run(&mut twice, 5.0);
    assert!(g_once < 1e-4 && g_twice < 1e-4, "{g_once:e} {g_twice:e}");
    for (a, b) in once.state().q.iter().zip(&twice.state().q) {
        assert!((a - b).abs() < 1e-3, "{a} {b}");
    }
    let (one, two) = (&once.state().lambda, &twice.state().lambda);
    assert!(
        (two[0] + two[1] - one[0]).abs() < 0.05 * (1.0 + one[0].abs()),
        "{one:?} {two:?}"
    );
    let mut projected = swing(Twice, Stabilisation::Projection);
    assert!(matches!(projected.step(), Advance::Held(_)));
}

/// As good as Baumgarte's with the same α.
#[test]
fn as_good_as_baumgarte() {
    let g = |stabilisation| run(&mut swing(Pendulum, stabilisation), 10.0).0;
    let (regularised, damped) = (g(Stabilisation::Regularisation), g(Stabilisation::Baumgarte));
    assert!(regularised < 1.1 * damped, "{regularised:e} {damped:e}");
}
