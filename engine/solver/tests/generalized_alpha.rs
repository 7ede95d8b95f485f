//! Generalised-α: its order, its error control, what it keeps and what it refuses.
#![allow(clippy::unwrap_used)]

use holonom_dae::problems::constrained::Form;
use holonom_dae::problems::{self, Problem};
use holonom_dae::{Counters, MechanicalLayout, System};
use holonom_solver::stepper::{Family, GeneralizedAlphaOptions};
use holonom_solver::trajectory::Recorder;
use holonom_solver::{Integrator, Options, Start};

const FORMS: [(Form, &str); 3] = [
    (Form::Index2, "pendulum-index2"),
    (Form::Ggl, "pendulum-ggl"),
    (Form::Index3, "pendulum-index3"),
];

fn options(tolerance: f64) -> Options {
    Options::new(tolerance, tolerance)
        .stepper("generalized-alpha")
        .start(Start::Assemble)
}

fn layout(system: &dyn System) -> MechanicalLayout {
    system.structure().layout.clone().unwrap()
}

/// The solution at `t_end`.
fn solve(problem: &Problem, t_end: f64, options: Options) -> (Vec<f64>, MechanicalLayout, Counters) {
    let mut system = (problem.build)();
    let layout = layout(system.as_ref());
    let mut integrator = Integrator::new(
        Box::new(system.as_mut()),
        problem.t0,
        &problem.y0,
        &problem.yp0,
        t_end - problem.t0,
        options,
    )
    .unwrap();
    let run = integrator.run(t_end, &mut Recorder::outputs(problem.y0.len()));
    assert!(
        run.is_ok(),
        "{}: {run:?}, {:?}",
        problem.name,
        integrator.counters()
    );
    (integrator.y().to_vec(), layout, *integrator.counters())
}

/// Largest differences of positions, velocities and multipliers from a tight solution by BDF.
fn errors(problem: &Problem, t_end: f64, options: Options) -> [f64; 3] {
    let tight = Options::new(1e-11, 1e-11).start(Start::Assemble);
    let (reference, layout, _) = solve(problem, t_end, tight);
    let (y, _, _) = solve(problem, t_end, options);
    [layout.q, layout.v, layout.lambda].map(|r| r.map(|i| (y[i] - reference[i]).abs()).fold(0.0, f64::max))
}

#[test]
fn second_order_in_positions_velocities_and_multipliers() {
    for (_, name) in FORMS {
        let problem = problems::find(name).unwrap();
        for family in Family::ALL {
            for rho in [0.6, 0.9] {
                let at = |h: f64| {
                    let mut options = options(1e-9);
                    options.fixed_step = Some(h);
                    options = options.with(GeneralizedAlphaOptions {
                        family,
                        spectral_radius: rho,
                    });
                    errors(&problem, 1.0, options)
                };
                let (coarse, fine) = (at(1.0 / 128.0), at(1.0 / 512.0));
                for k in 0..3 {
                    let order = (coarse[k] / fine[k]).log(4.0);
                    assert!(
                        (order - 2.0).abs() < 0.35,
                        "{name} {family:?} {rho}: order {order} of {}, errors {coarse:?} {fine:?}",
                        ["positions", "velocities", "multipliers"][k],
                    );
                }
            }
        }
    }
}

/// The error of the run falls in proportion to the tolerance, is a few times that, and few steps are rejected.
#[test]
fn the_error_of_the_run_is_in_proportion_to_the_tolerance() {
    // In `index2` positions drift, and Andrews' multipliers are still noisy at 10⁻⁴: bounds only.
    for (name, t_end, least) in [
        ("pendulum-index2", 2.0, 0.6),
        ("pendulum-ggl", 2.0, 0.85),
        ("pendulum-index3", 2.0, 0.85),
        ("car-axle-ggl", 1.0, 0.85),
        ("car-axle-index2", 1.0, 0.85),
        ("car-axle-index3", 1.0, 0.85),
        ("andrews-ggl", 0.01, 0.85),
        ("andrews-index3", 0.01, 0.7),
    ] {
        let problem = problems::find(name).unwrap();
        let tight = Options::new(1e-11, 1e-11).start(Start::Assemble).stepper("radau");
        let (reference, layout, _) = solve(&problem, t_end, tight);
        let tolerances = [1e-4, 1e-5, 1e-6, 1e-7];
        let ratios = tolerances.map(|tolerance| {
            let (y, _, counters) = solve(&problem, t_end, options(tolerance));
            assert!(
                counters.rejected_error * 5 < counters.steps + 25,
                "{name}: {counters:?}"
            );
            assert!(
                counters.newton_iterations < 4 * (counters.steps + counters.rejected_error + 20),
                "{name}: {counters:?}"
            );
            let off = |i: usize| (y[i] - reference[i]).abs() / (1.0 + reference[i].abs());
            layout
                .q
                .clone()
                .chain(layout.v.clone())
                .map(off)
                .fold(0.0, f64::max)
                / tolerance
        });
        assert!(
            ratios.iter().all(|r| *r < 50.0),
            "{name}: errors {ratios:.2?} times the tolerance"
        );
        // Least squares over four decades: slope of log error by log tolerance.
        let slope = 1.0
            - [-1.5, -0.5, 0.5, 1.5]
                .iter()
                .zip(ratios)
                .map(|(x, r)| x * r.log10())
                .sum::<f64>()
                / 5.0;
        assert!(
            slope > least,
            "{name}: exponent {slope:.2}, errors {ratios:.2?} times the tolerance"
        );
    }
}

/// What the form keeps holds to the accuracy of the iteration, a share of the tolerance, at every step.
#[test]
fn constraints_are_kept_on_the_levels_of_the_form() {
    for (form, name) in FORMS {
        let problem = problems::find(name).unwrap();
        let mut system = (problem.build)();
        let layout = layout(system.as_ref());
        let mut integrator = Integrator::new(
            Box::new(system.as_mut()),
            problem.t0,
            &problem.y0,
            &problem.yp0,
            5.0,
            options(1e-6),
        )
        .unwrap();
        let (mut worst_g, mut worst_gv) = (0.0f64, 0.0f64);
        while integrator.t() < 5.0 {
            integrator.step().unwrap();
            let y = integrator.y();
            let (q, v) = (&y[layout.q.clone()], &y[layout.v.clone()]);
            worst_g = worst_g.max((q[0] * q[0] + q[1] * q[1] - 1.0).abs());
            worst_gv = worst_gv.max((q[0] * v[0] + q[1] * v[1]).abs());
        }
        if form != Form::Index2 {
            assert!(worst_g < 1e-6, "{name}: |g| up to {worst_g:e}");
        }
        if form != Form::Index3 {
            assert!(worst_gv < 1e-6, "{name}: |Gv| up to {worst_gv:e}");
        }
    }
}

#[test]
fn goes_on_from_a_checkpoint_to_the_bit() {
    let problem = problems::find("car-axle").unwrap();
    let run = |resume: bool| {
        let mut system = (problem.build)();
        let mut integrator = Integrator::new(
            Box::new(system.as_mut()),
            problem.t0,
            &problem.y0,
            &problem.yp0,
            0.5,
            options(1e-5),
        )
        .unwrap();
        for _ in 0..40 {
            integrator.step().unwrap();
        }
        if resume {
            let checkpoint = integrator.checkpoint();
            drop(integrator);
            let text = serde_json::to_string(&checkpoint).unwrap();
            let checkpoint = serde_json::from_str(&text).unwrap();
            let mut system = (problem.build)();
            let mut integrator =
                Integrator::resume(Box::new(system.as_mut()), options(1e-5), &checkpoint).unwrap();
            for _ in 0..40 {
                integrator.step().unwrap();
            }
            return (integrator.t(), integrator.y().to_vec(), *integrator.counters());
        }
        for _ in 0..40 {
            integrator.step().unwrap();
        }
        (integrator.t(), integrator.y().to_vec(), *integrator.counters())
    };
    assert_eq!(run(false), run(true));
}

#[test]
fn refuses_what_it_cannot_do() {
    for (name, word) in [
        ("pendulum-index1", "accelerations"),
        ("hires", "mechanical systems"),
    ] {
        let problem = problems::find(name).unwrap();
        let mut system = (problem.build)();
        let refusal = Integrator::new(
            Box::new(system.as_mut()),
            problem.t0,
            &problem.y0,
            &problem.yp0,
            1.0,
            options(1e-6),
        );
        let message = refusal.err().unwrap().to_string();
        assert!(message.contains(word), "{name}: {message}");
    }
}
