//! The advice on step sizes against scanning the real stepper, on random linear systems.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use holonom_algebra::Real;
use holonom_analysis::dense::Matrix;
use holonom_analysis::step_size::{LinearStep, MotionKind};
use holonom_dae::problems::constrained::{ConstrainedMotion, Mechanics};
use holonom_solver::stepper::{
    Advance, Level, LinearImplicitOptions, MotionState, Ordering, RealTime, StepLimit, StiffTerms,
};

/// M q̈ = −K q − D q̇.
#[derive(Clone)]
struct Linear {
    mass: Matrix,
    stiffness: Matrix,
    damping: Matrix,
}

impl ConstrainedMotion for Linear {
    fn positions(&self) -> Vec<String> {
        (0..self.mass.rows()).map(|i| format!("q{i}")).collect()
    }
    fn velocities(&self) -> Vec<String> {
        (0..self.mass.rows()).map(|i| format!("v{i}")).collect()
    }
    fn n_g(&self) -> usize {
        0
    }
    fn mass_entries(&self) -> Vec<(usize, usize)> {
        let n = self.mass.rows();
        (0..n).flat_map(|j| (0..n).map(move |i| (i, j))).collect()
    }
    fn constraint_entries(&self) -> Vec<(usize, usize)> {
        Vec::new()
    }
    fn mass<T: Real>(&self, _: T, _: &[T], mass: &mut [T]) {
        for (out, x) in mass.iter_mut().zip(self.mass.data()) {
            *out = T::constant(*x);
        }
    }
    fn force<T: Real>(&self, _: T, q: &[T], v: &[T], force: &mut [T]) {
        let n = self.mass.rows();
        for (i, f) in force.iter_mut().enumerate() {
            *f = T::zero();
            for j in 0..n {
                *f = *f - q[j] * self.stiffness[(i, j)] - v[j] * self.damping[(i, j)];
            }
        }
    }
    fn constraint<T: Real>(&self, _: T, _: &[T], _: &mut [T]) {}
    fn constraint_matrix<T: Real>(&self, _: T, _: &[T], _: &mut [T]) {}
    fn constraint_rate<T: Real>(&self, _: T, _: &[T], _: &mut [T]) {}
    fn constraint_bias<T: Real>(&self, _: T, _: &[T], _: &[T], _: &mut [T]) {}
}

/// Numbers between −1 and 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn matrix(&mut self, n: usize) -> Matrix {
        Matrix::from_fn(n, n, |_, _| self.next())
    }

    /// Bᵀ B + c I.
    fn positive(&mut self, n: usize, c: f64) -> Matrix {
        let b = self.matrix(n);
        let mut a = b.transpose().times(&b);
        for i in 0..n {
            a[(i, i)] += c;
        }
        a
    }

    /// Stiffness and damping that have no modes in common, from light to heavy damping.
    fn system(&mut self, n: usize, damping: f64) -> Linear {
        let scaled = |a: &Matrix, factor: f64| Matrix::from_fn(n, n, |i, j| factor * a[(i, j)]);
        Linear {
            mass: self.positive(n, 0.5),
            stiffness: scaled(&self.positive(n, 0.2), 1e4),
            damping: scaled(&self.positive(n, 0.1), 100.0 * damping),
        }
    }
}

fn options(terms: StiffTerms, ordering: Ordering) -> LinearImplicitOptions {
    LinearImplicitOptions {
        stiff_terms: terms,
        ordering,
        assembly: Level::Index1,
        ..LinearImplicitOptions::default()
    }
}

/// Whether what is left in the second half of a run is less than at its middle.
fn decays(system: &Linear, options: &LinearImplicitOptions, h: f64) -> bool {
    // The explicit method has small steps and slow growth.
    let explicit = options.stiff_terms == StiffTerms::None && options.ordering == Ordering::PositionsFirst;
    let steps = if explicit { 20_000 } else { 3000 };
    let mechanics = Mechanics::new(system.clone());
    let mut start = MotionState::new(&mechanics);
    let mut random = Random(7);
    start.q.iter_mut().for_each(|q| *q = random.next());
    let Ok(mut run) = RealTime::new(Box::new(mechanics), h, start, options.clone()) else {
        return false;
    };
    let mut seen = [0.0, 0.0];
    for step in 0..steps {
        if run.step() != Advance::Done {
            return false;
        }
        let size = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let state = run.state();
        let now = size(&state.q) + h * size(&state.v);
        if now > 1e12 {
            return false;
        }
        // Over a tenth of the run, since oscillations have a phase.
        match step * 10 / steps {
            4 => seen[0] = f64::max(seen[0], now),
            9 => seen[1] = f64::max(seen[1], now),
            _ => {}
        }
    }
    seen[1] < seen[0] || seen[1] < 1e-200
}

/// The first step size that does not decay, next to the advice: from well below to well above.
fn scanned(system: &Linear, options: &LinearImplicitOptions, advised: f64) -> f64 {
    let (mut low, mut high) = (0.5 * advised, 0.5 * advised);
    while decays(system, options, high) {
        low = high;
        high *= 1.1;
        if high > 3.0 * advised {
            return f64::INFINITY;
        }
    }
    while high - low > 1e-2 * high {
        let middle = 0.5 * (low + high);
        if decays(system, options, middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[test]
fn random_linear_systems() {
    let mut random = Random(1);
    let mut compared = 0;
    let mut apart: f64 = 0.0;
    for (n, damping) in [
        (1, 0.2),
        (2, 0.1),
        (2, 1.0),
        (3, 0.3),
        (3, 3.0),
        (4, 0.5),
        (5, 0.2),
    ] {
        let system = random.system(n, damping);
        let step = LinearStep::oscillators(
            system.mass.clone(),
            system.stiffness.clone(),
            system.damping.clone(),
        )
        .unwrap();
        for &terms in StiffTerms::ALL {
            for &ordering in Ordering::ALL {
                let options = options(terms, ordering);
                if options.check().is_err() {
                    continue;
                }
                match step.limit(&options).unwrap() {
                    StepLimit::Any => {
                        assert!(matches!(terms, StiffTerms::J2 | StiffTerms::Exact), "{terms:?}");
                        for h in [1e-3, 1e-2, 0.1, 1.0] {
                            assert!(decays(&system, &options, h), "{terms:?} at {h}");
                        }
                    }
                    StepLimit::UpTo(h) => {
                        let found = scanned(&system, &options, h);
                        println!("n = {n}, {terms:?}, {ordering:?}: advised {h:.5e}, scanned {found:.5e}");
                        apart = apart.max((found / h - 1.0).abs());
                        compared += 1;
                    }
                    StepLimit::Never => panic!("{terms:?}: damped systems have stable steps"),
                }
            }
        }
    }
    assert!(compared == 7 * 5, "{compared}");
    assert!(apart < 0.05, "{apart}");
}

/// With damping that leaves the modes apart, the strictest mode is the limit of the whole.
#[test]
fn modes_decide_where_damping_leaves_them_apart() {
    let mut random = Random(5);
    let system = random.system(4, 1.0);
    // D = 2·10⁻³ K + M: modal damping.
    let damping = Matrix::from_fn(4, 4, |i, j| 2e-3 * system.stiffness[(i, j)] + system.mass[(i, j)]);
    let step = LinearStep::oscillators(system.mass.clone(), system.stiffness.clone(), damping).unwrap();
    let advice = step.advice(&LinearImplicitOptions::default(), 1e-3).unwrap();
    println!("{advice}");
    for (k, &terms) in StiffTerms::ALL.iter().enumerate() {
        let strictest = advice
            .modes
            .iter()
            .fold(StepLimit::Any, |limit, mode| limit.and(mode.limits[k]));
        let whole = advice.limit(terms);
        match (strictest, whole) {
            (StepLimit::UpTo(a), StepLimit::UpTo(b)) => {
                assert!((a / b - 1.0).abs() < 1e-3, "{terms:?}: {a} {b}")
            }
            (a, b) => assert_eq!(a, b, "{terms:?}"),
        }
    }
}

/// What is no damped mode is told apart: free directions, creeping, growth, and none of them stops the rest.
#[test]
fn other_motions_are_named() {
    // A free mass with a damper (0, −d), an overdamped one, an undamped one, an unstable one.
    let diagonal = |d: [f64; 4]| Matrix::from_fn(4, 4, |i, j| if i == j { d[i] } else { 0.0 });
    let step = LinearStep::oscillators(
        diagonal([1.0; 4]),
        diagonal([0.0, 100.0, 400.0, -4.0]),
        diagonal([3.0, 101.0, 0.0, 0.0]),
    )
    .unwrap();
    let advice = step.advice(&LinearImplicitOptions::default(), 1e-3).unwrap();
    println!("{advice}");
    assert_eq!(advice.zeros, 1);
    let kind = |re: f64, im: f64| {
        let near = |m: &&holonom_analysis::step_size::ModeLimit| {
            (m.eigenvalue.re - re).hypot(m.eigenvalue.im - im) < 1e-6
        };
        advice.modes.iter().find(near).unwrap()
    };
    let creeping = [kind(-100.0, 0.0), kind(-1.0, 0.0)];
    for mode in creeping {
        assert_eq!(mode.kind, MotionKind::Creeps);
        assert!(
            (mode.a - 100.0).abs() < 1e-6 && (mode.b - 101.0).abs() < 1e-6,
            "{mode:?}"
        );
    }
    let damper = kind(-3.0, 0.0);
    assert!(damper.kind == MotionKind::Creeps && damper.a.abs() < 1e-6 && (damper.b - 3.0).abs() < 1e-9);
    assert_eq!(kind(0.0, 20.0).kind, MotionKind::Oscillates);
    assert_eq!(kind(2.0, 0.0).kind, MotionKind::Grows);
    assert_eq!(
        kind(-2.0, 0.0).kind,
        MotionKind::Decays,
        "half of a pair that grows is no damped mode"
    );
    assert!((advice.growth - 2.0).abs() < 1e-9);
    let text = advice.to_string();
    for word in [
        "creeps back",
        "unstable by itself",
        "free (1)",
        "never",
        "whole model",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
    // The undamped oscillation: J₁ up to h²a = 4, explicitly never.
    assert!((advice.limit(StiffTerms::J1).value() - 0.1).abs() < 1e-4);
    assert_eq!(advice.limit(StiffTerms::None), StepLimit::Never);
}
