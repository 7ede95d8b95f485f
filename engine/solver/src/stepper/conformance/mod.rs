//! One suite for all methods: every entry of the registry runs every test.

mod phases;

use super::{Build, Entry, Parts, REGISTRY, Stepper, Takes};
use crate::equations::Equations;
use crate::newton::Corrector;
use crate::{Options, jacobian, linear, refresh, solve};
use holonom_dae::problems;
use holonom_dae::{Closure, Counters, Rejection, Structure, System, Weights};

/// ẋ = x v, v̇ = −ln x: x = exp(sin t), v = cos t.
fn ode() -> Closure<'static> {
    Closure::new(Structure::ode(["x", "v"]), |_t, y, yp, r| {
        r[0] = yp[0] - y[0] * y[1];
        r[1] = yp[1] + y[0].ln();
    })
}

/// ẋ = −z, z³ + z = x³ + x: x = z = exp(−t).
fn index_1() -> Closure<'static> {
    Closure::new(Structure::semi_explicit(["x"], ["z"]), |_t, y, yp, r| {
        r[0] = yp[0] + y[1];
        r[1] = y[1].powi(3) + y[1] - y[0].powi(3) - y[0];
    })
}

/// The methods for all systems.
fn general() -> impl Iterator<Item = &'static Entry> {
    REGISTRY.iter().filter(|e| e.takes == Takes::Everything)
}

/// The methods for ẏ = f(t, y).
fn for_odes() -> impl Iterator<Item = &'static Entry> {
    REGISTRY.iter().filter(|e| e.takes != Takes::Mechanisms)
}

fn tolerances(entry: &Entry) -> &'static [f64] {
    if entry.max_order == 1 {
        &[1e-3, 1e-4]
    } else {
        &[1e-4, 1e-6, 1e-8]
    }
}

fn build(entry: &Entry, structure: &Structure, options: &Options) -> Box<dyn Stepper> {
    let n = structure.dimension();
    let engine = (jacobian::REGISTRY[0].build)(structure, jacobian::Setup::default());
    let policy = (refresh::REGISTRY[0].build)(&options.own);
    let split = jacobian::allocate(structure, false, false);
    let corrector = Corrector::new(structure, options.newton, engine, policy, split);
    let weights = Weights::new(
        options.tolerances.clone(),
        structure.default_error_test(),
        structure,
    );
    let parts = Parts {
        structure,
        weights,
        options,
        linear: &linear::REGISTRY[0],
        caution: 0,
    };
    match entry.build {
        Build::Iterative(build) => build(n, parts, corrector),
        Build::Direct(build) => build(n, parts),
    }
}

/// Steps until `t_end`; panics when a step fails for good.
fn run(stepper: &mut dyn Stepper, equations: &mut Equations<'_>, t_end: f64) {
    let mut attempts = 0;
    while stepper.t() < t_end {
        attempts += 1;
        assert!(attempts < 100_000, "{} does not get on", stepper.name());
        match stepper.attempt(equations) {
            Ok(()) => stepper.accept(equations),
            Err(rejection) => stepper.reject(rejection),
        }
    }
}

#[test]
fn entries_are_described() {
    for entry in REGISTRY {
        assert!(!entry.description.is_empty() && !entry.literature.is_empty());
        let system = ode();
        let stepper = build(entry, system.structure(), &Options::default());
        assert_eq!(stepper.name(), entry.name);
    }
}

#[test]
fn solves_an_ode() {
    for entry in for_odes() {
        for &tol in tolerances(entry) {
            let options = Options::new(tol, tol).stepper(entry.name);
            let result = solve(ode(), (0.0, 3.0), &[1.0, 1.0], &[1.0, 0.0], options);
            let y = result.unwrap_or_else(|e| panic!("{}: {e}", entry.name)).y;
            let error = (y[0] - 3f64.sin().exp()).abs().max((y[1] - 3f64.cos()).abs());
            assert!(
                error < 100.0 * tol,
                "{} at {tol:e}: off by {error:.1e}",
                entry.name
            );
        }
    }
}

#[test]
fn solves_an_index_1_system() {
    for entry in general() {
        for &tol in tolerances(entry) {
            let options = Options::new(tol, tol).stepper(entry.name);
            let result = solve(index_1(), (0.0, 3.0), &[1.0, 1.0], &[-1.0, -1.0], options);
            let y = result.unwrap_or_else(|e| panic!("{}: {e}", entry.name)).y;
            let error = (y[0] - (-3f64).exp()).abs().max((y[1] - (-3f64).exp()).abs());
            assert!(
                error < 100.0 * tol,
                "{} at {tol:e}: off by {error:.1e}",
                entry.name
            );
        }
    }
}

/// The pendulum in the stabilised form, for all methods that choose their step.
#[test]
fn solves_a_mechanism() {
    let problem = problems::find("pendulum-ggl").expect("a problem of the library");
    for entry in REGISTRY.iter().filter(|e| !e.fixed_step) {
        for &tol in tolerances(entry) {
            let options = Options::new(tol, tol)
                .stepper(entry.name)
                .start(crate::Start::Assemble);
            let mut system = (problem.build)();
            let result = solve(system.as_mut(), (0.0, 1.0), &problem.y0, &problem.yp0, options);
            let y = result.unwrap_or_else(|e| panic!("{}: {e}", entry.name)).y;
            let exact = problems::pendulum::exact(1.0);
            let error = (0..4).map(|i| (y[i] - exact[i]).abs()).fold(0.0, f64::max);
            assert!(
                error < 100.0 * tol,
                "{} at {tol:e}: off by {error:.1e}",
                entry.name
            );
        }
    }
}

/// The order in use never exceeds the highest of the method.
#[test]
fn order_stays_below_its_highest() {
    for entry in general() {
        for max_order in 1..=5 {
            let options = Options::new(1e-6, 1e-6).max_order(max_order);
            let mut system = ode();
            let mut stepper = build(entry, system.structure(), &options);
            let mut counters = Counters::default();
            let mut equations = Equations {
                system: &mut system,
                counters: &mut counters,
            };
            stepper.start(0.0, &[1.0, 1.0], &[1.0, 0.0], 1e-4);
            let mut highest = 0;
            for _ in 0..300 {
                match stepper.attempt(&mut equations) {
                    Ok(()) => stepper.accept(&mut equations),
                    Err(rejection) => stepper.reject(rejection),
                }
                highest = highest.max(stepper.order()).max(stepper.last_order());
            }
            // Other methods have no such option.
            let infos = entry.options.map(|options| (*options()).infos());
            let has = infos.is_some_and(|infos| infos.iter().any(|info| info.name == "max_order"));
            let limit = if has { max_order } else { entry.max_order };
            assert!(
                highest <= limit.min(entry.max_order),
                "{}: order {highest}",
                entry.name
            );
        }
    }
}

/// Where the number of stages is given it stays.
#[test]
fn stages_stay_as_given() {
    for entry in REGISTRY.iter().filter(|e| e.in_stages) {
        for stages in [3, 5, 7] {
            let options = Options::new(1e-6, 1e-6).stages(stages);
            let mut system = ode();
            let mut stepper = build(entry, system.structure(), &options);
            let mut counters = Counters::default();
            let mut equations = Equations {
                system: &mut system,
                counters: &mut counters,
            };
            stepper.start(0.0, &[1.0, 1.0], &[1.0, 0.0], 1e-4);
            for _ in 0..50 {
                match stepper.attempt(&mut equations) {
                    Ok(()) => stepper.accept(&mut equations),
                    Err(rejection) => stepper.reject(rejection),
                }
                assert_eq!(stepper.order(), 2 * stages - 1, "{}", entry.name);
            }
        }
    }
}

/// A rejected attempt leaves no trace but a smaller step.
#[test]
fn rejection_restores_the_state() {
    let rejections = [
        Rejection::ErrorTest { ratio: 3.0 },
        Rejection::Divergence,
        Rejection::SlowConvergence,
        Rejection::NonFinite { row: 0 },
        Rejection::OutsideDomain,
        Rejection::BelowBound { variable: 1 },
    ];
    for entry in for_odes() {
        let tol = tolerances(entry)[1];
        for rejection in rejections {
            let mut system = ode();
            let mut stepper = build(entry, system.structure(), &Options::new(tol, tol));
            let mut counters = Counters::default();
            let mut equations = Equations {
                system: &mut system,
                counters: &mut counters,
            };
            stepper.start(0.0, &[1.0, 1.0], &[1.0, 0.0], 1e-5);
            for round in 0..8 {
                run(stepper.as_mut(), &mut equations, 0.2 * f64::from(round + 1));
                let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                let before = (
                    stepper.t(),
                    bits(stepper.y()),
                    bits(stepper.yp()),
                    stepper.last_h(),
                );
                stepper.prepare_interpolation(&mut equations);
                let middle = stepper.t() - 0.4 * stepper.last_h();
                let (mut y, mut yp) = (vec![0.0; 2], vec![0.0; 2]);
                stepper.interpolate(middle, &mut y, &mut yp);
                let h = stepper.h();
                // Long steps may have passed the end of this round before it began.
                let mut failures = stepper.failures_in_a_row();
                for _ in 0..2 {
                    // The attempt itself may fail, and for another reason.
                    let rejection = stepper.attempt(&mut equations).err().unwrap_or(rejection);
                    stepper.reject(rejection);
                    failures += u32::from(!matches!(rejection, Rejection::ErrorTest { .. }));
                    let after = (
                        stepper.t(),
                        bits(stepper.y()),
                        bits(stepper.yp()),
                        stepper.last_h(),
                    );
                    assert_eq!(after, before, "{}, {rejection:?}", entry.name);
                    assert!(stepper.h() < h, "{}: the step does not shrink", entry.name);
                    assert_eq!(stepper.failures_in_a_row(), failures, "{}", entry.name);
                    let (mut y2, mut yp2) = (vec![0.0; 2], vec![0.0; 2]);
                    stepper.interpolate(middle, &mut y2, &mut yp2);
                    for i in 0..2 {
                        assert!(
                            (y[i] - y2[i]).abs() < 1e-12 && (yp[i] - yp2[i]).abs() < 1e-9,
                            "{}, {rejection:?}: the past has changed: {y:?} {y2:?} {yp:?} {yp2:?}",
                            entry.name
                        );
                    }
                }
            }
            run(stepper.as_mut(), &mut equations, 3.0);
            stepper.prepare_interpolation(&mut equations);
            let (mut y, mut yp) = (vec![0.0; 2], vec![0.0; 2]);
            stepper.interpolate(3.0, &mut y, &mut yp);
            let error = (y[0] - 3f64.sin().exp()).abs().max((y[1] - 3f64.cos()).abs());
            assert!(
                error < 100.0 * tol,
                "{}, {rejection:?}: off by {error:.1e}",
                entry.name
            );
        }
    }
}

/// The interpolant meets the ends of the step and is accurate inside.
#[test]
fn interpolation() {
    for entry in for_odes() {
        let tol = tolerances(entry)[1];
        let mut system = ode();
        let mut stepper = build(entry, system.structure(), &Options::new(tol, tol));
        let mut counters = Counters::default();
        let mut equations = Equations {
            system: &mut system,
            counters: &mut counters,
        };
        stepper.start(0.0, &[1.0, 1.0], &[1.0, 0.0], 1e-5);
        let mut previous = (0.0, vec![1.0, 1.0]);
        let (mut y, mut yp) = (vec![0.0; 2], vec![0.0; 2]);
        while stepper.t() < 3.0 {
            if let Err(rejection) = stepper.attempt(&mut equations) {
                stepper.reject(rejection);
                continue;
            }
            stepper.accept(&mut equations);
            stepper.prepare_interpolation(&mut equations);
            stepper.interpolate(stepper.t(), &mut y, &mut yp);
            assert_eq!(y, stepper.y());
            stepper.interpolate(previous.0, &mut y, &mut yp);
            for i in 0..2 {
                let off = (y[i] - previous.1[i]).abs();
                assert!(off < 1e-12, "{}: off by {off:.1e} at the last point", entry.name);
            }
            // Inside not much worse than at the ends.
            let error = |t: f64, y: &[f64]| (y[0] - t.sin().exp()).abs().max((y[1] - t.cos()).abs());
            let ends = error(previous.0, &previous.1).max(error(stepper.t(), stepper.y()));
            for share in [0.2, 0.5, 0.9] {
                let t = stepper.t() - share * stepper.last_h();
                stepper.interpolate(t, &mut y, &mut yp);
                let inside = error(t, &y);
                assert!(
                    inside < ends + 5.0 * tol,
                    "{}: off by {inside:.1e} at {t}",
                    entry.name
                );
            }
            previous = (stepper.t(), stepper.y().to_vec());
        }
    }
}

/// A checkpoint taken back gives the same next steps.
#[test]
fn checkpoint_and_restore() {
    for entry in for_odes() {
        let options = Options::new(1e-4, 1e-4);
        let (mut system, mut other) = (ode(), ode());
        let mut stepper = build(entry, system.structure(), &options);
        let mut twin = build(entry, other.structure(), &options);
        let (mut counters, mut counters_twin) = (Counters::default(), Counters::default());
        let mut equations = Equations {
            system: &mut system,
            counters: &mut counters,
        };
        let mut equations_twin = Equations {
            system: &mut other,
            counters: &mut counters_twin,
        };
        stepper.start(0.0, &[1.0, 1.0], &[1.0, 0.0], 1e-5);
        run(stepper.as_mut(), &mut equations, 1.0);
        assert!(twin.restore(&stepper.checkpoint()), "{}", entry.name);
        run(stepper.as_mut(), &mut equations, 3.0);
        run(twin.as_mut(), &mut equations_twin, 3.0);
        assert_eq!(
            (stepper.t(), stepper.y(), stepper.yp()),
            (twin.t(), twin.y(), twin.yp()),
            "{}",
            entry.name
        );
        // Another size does not fit.
        let mut small = build(entry, &Structure::unknown(1), &options);
        assert!(!small.restore(&stepper.checkpoint()), "{}", entry.name);
    }
}
