//! Updates in place of evaluations: the same solutions at the cost of fewer Jacobians.
#![allow(clippy::unwrap_used)]

use holonom_algebra::Real;
use holonom_dae::problems::chain::{Chain, Formalism};
use holonom_dae::{Bound, Counters, Point, Rejection, Residual, Structure};
use holonom_solver::explain::{Because, Subject};
use holonom_solver::stepper::{Control, Observer, Quiet, StepInfo};
use holonom_solver::{Checkpoint, Integrator, Options, Stop, solve};

/// A stiff linear oscillator whose stiffness an input changes periodically, strongly and slowly:
/// ẋ = v, v̇ = −k(u) x − d(u) v + cos t with k = 2000 (1 + u), d = 300 (1 + u/2), u = 0.9 sin t.
struct Geared {
    inputs: bool,
}

impl Residual for Geared {
    type Workspace<T: Real> = ();

    fn structure(&self) -> Structure {
        Structure::ode(["x", "v"])
    }

    fn workspace<T: Real>(&self) {}

    fn residual<T: Real>(&self, at: Point<'_, T>, _: &mut (), r: &mut [T]) -> Result<(), Rejection> {
        let mut u = at.t.sin() * 0.9;
        if let Some((_, shift)) = at.shift {
            u += T::constant(shift);
        }
        r[0] = at.yp[0] - at.y[1];
        r[1] = at.yp[1] + (u + 1.0) * at.y[0] * 2000.0 + (u * 0.5 + 1.0) * at.y[1] * 300.0 - at.t.cos();
        Ok(())
    }

    fn inputs(&self) -> usize {
        usize::from(self.inputs)
    }

    fn input_values(&self, t: f64, values: &mut [f64]) {
        values[0] = 0.9 * t.sin();
    }
}

fn run(refresh: &str, update: &str, inputs: bool) -> (Counters, Vec<f64>) {
    let options = Options::new(1e-6, 1e-9)
        .stepper("bdf")
        .jacobian("ad-dense")
        .refresh(refresh)
        .update(update);
    let solution = solve(
        Bound::new(Geared { inputs }),
        (0.0, 60.0),
        &[0.0; 2],
        &[0.0, 1.0],
        options,
    )
    .unwrap();
    (solution.counters, solution.y)
}

/// F is linear in y with coefficients linear in u: the followed Jacobian is exact, and one evaluation is
/// all that is ever needed, with one more for its slope.
#[test]
fn a_jacobian_that_is_linear_in_its_input_is_evaluated_once() {
    let (_, exact) = {
        let options = Options::new(1e-10, 1e-13).stepper("bdf");
        let system = Bound::new(Geared { inputs: true });
        let solution = solve(system, (0.0, 60.0), &[0.0; 2], &[0.0, 1.0], options).unwrap();
        (solution.counters, solution.y)
    };
    for refresh in ["dassl", "classical"] {
        let mut full = u64::MAX;
        for update in ["none", "partitioned", "extended"] {
            let (c, y) = run(refresh, update, true);
            for (a, b) in y.iter().zip(&exact) {
                assert!((a - b).abs() < 1e-6, "{refresh} {update}: {y:?} {exact:?}");
            }
            match update {
                "none" => full = c.jacobians,
                "partitioned" => {
                    assert!(c.updates_extended == 0 && c.jacobians < full, "{refresh}: {c:?}");
                }
                _ => {
                    // `classical` finds that two columns are soon paid for.
                    assert!(refresh != "dassl" || c.jacobians == 2, "{refresh}: {c:?}");
                    assert!(c.updates_extended > 10, "{refresh}: {c:?}");
                }
            }
        }
        // Without inputs there is nothing to follow.
        let (with, without) = (
            run(refresh, "partitioned", false),
            run(refresh, "extended", false),
        );
        assert_eq!(with.0, without.0, "{refresh}");
    }
}

/// The chain of Arnold §4.2.1 with a slow suspension: updates leave hardly any Jacobian to evaluate.
#[test]
fn the_chain_needs_few_jacobians() {
    for formalism in Formalism::ALL {
        let run = |update: &str| {
            let chain = Chain {
                n: 12,
                omega: 0.05,
                formalism,
            };
            let options = Options::new(1e-4, 1e-6)
                .stepper("bdf")
                .jacobian("fd-dense")
                .refresh("dassl")
                .update(update);
            let solution = solve(Bound::new(chain), (0.0, 200.0), &[0.0; 24], &[0.0; 24], options).unwrap();
            solution.counters
        };
        let [none, partitioned, extended] = ["none", "partitioned", "extended"].map(run);
        assert!(none.jacobians >= 5, "{formalism:?} {none:?}");
        assert!(partitioned.jacobians <= 2, "{formalism:?} {partitioned:?}");
        // One, the slopes by two accelerations, and one for a restart.
        assert!(extended.jacobians <= 4, "{formalism:?} {extended:?}");
        assert!(extended.updates_extended > 0, "{formalism:?} {extended:?}");
    }
}

/// `auto` begins with partitioned updates, follows the inputs when they foretell how ∂F/∂y changes, and says so.
#[test]
fn auto_follows_inputs_that_matter_and_says_why() {
    let integrate = |inputs: bool, update: &str| {
        let options = Options::new(1e-6, 1e-9)
            .stepper("bdf")
            .jacobian("ad-dense")
            .update(update);
        let system = Box::new(Bound::new(Geared { inputs }));
        let mut run = Integrator::new(system, 0.0, &[0.0; 2], &[0.0, 1.0], 60.0, options).unwrap();
        run.run(60.0, &mut Quiet).unwrap();
        let updates: Vec<_> = run
            .decisions()
            .into_iter()
            .filter(|d| d.subject == Subject::Update)
            .collect();
        (updates, run.update(), *run.counters())
    };
    let (updates, in_use, auto) = integrate(true, "auto");
    assert_eq!(updates[0].t, None);
    assert_eq!(updates[0].because, Because::InputsWatched { inputs: 1 });
    assert!(
        matches!(updates[1].because, Because::InputsExplain { change, left, .. } if left <= 0.7 * change),
        "{updates:?}"
    );
    assert_eq!(updates.last().unwrap().chosen, in_use);
    let times: Vec<f64> = updates.iter().filter_map(|d| d.t).collect();
    assert!(times.is_sorted() && times[0] > 0.0, "{times:?}");
    assert!(
        updates[1].to_string().contains("update at t = "),
        "{}",
        updates[1]
    );
    let costs = ["partitioned", "extended"].map(|update| integrate(true, update).2.residual_equivalents());
    let best = costs[0].min(costs[1]);
    assert!(auto.residual_equivalents() <= 1.1 * best, "{auto:?} {costs:?}");
    // Without inputs there is nothing to watch, and what is named is not explained away.
    let (updates, in_use, _) = integrate(false, "auto");
    assert_eq!(
        (updates[0].because, updates.len(), in_use),
        (Because::NoInputs, 1, "partitioned")
    );
    assert_eq!(integrate(true, "extended").0[0].because, Because::Named);
}

/// Interrupts a run after some time.
struct Until(f64);

impl Observer for Until {
    fn step(&mut self, step: &StepInfo<'_>) -> Control {
        if step.t < self.0 {
            Control::Continue
        } else {
            Control::Stop
        }
    }
}

/// What `auto` has seen of the inputs is in checkpoints: a resumed run goes over to `extended` at the same step,
/// with the same numbers, whether the checkpoint was taken before or after that.
#[test]
fn resumed_runs_decide_alike() {
    const END: f64 = 60.0;
    let options = Options::new(1e-6, 1e-9)
        .stepper("bdf")
        .jacobian("ad-dense")
        .update("auto");
    let start = || {
        let system = Box::new(Bound::new(Geared { inputs: true }));
        Integrator::new(system, 0.0, &[0.0; 2], &[0.0, 1.0], END, options.clone()).unwrap()
    };
    let mut whole = start();
    whole.run(END, &mut Quiet).unwrap();
    let switched = whole.decisions().iter().find_map(|d| d.t).unwrap();
    assert!(switched < END);
    for t in [0.3 * switched, 0.9 * switched, 0.5 * (switched + END)] {
        let mut first = start();
        assert_eq!(first.run(END, &mut Until(t)).unwrap(), Stop::Interrupted);
        let text = serde_json::to_string(&first.checkpoint()).unwrap();
        let checkpoint: Checkpoint = serde_json::from_str(&text).unwrap();
        let system = Box::new(Bound::new(Geared { inputs: true }));
        let mut resumed = Integrator::resume(system, options.clone(), &checkpoint).unwrap();
        resumed.run(END, &mut Quiet).unwrap();
        assert_eq!(resumed.decisions(), whole.decisions(), "resumed at t = {t}");
        assert_eq!(resumed.counters(), whole.counters(), "resumed at t = {t}");
        assert_eq!(resumed.y(), whole.y(), "resumed at t = {t}");
    }
}

/// Where the matrix of constraints is what changes, it is renewed and ∂F/∂y is kept: the stabilised car axle
/// takes less than a third of the evaluations that it takes without updates.
#[test]
fn moving_constraints_are_followed_without_evaluations() {
    let run = |name: &str, update: &str| {
        let p = holonom_dae::problems::find(name).unwrap();
        let options = Options::new(1e-6, 1e-6).stepper("bdf").update(update);
        let solution = solve((p.build)(), (p.t0, p.t_end), &p.y0, &p.yp0, options).unwrap();
        (solution.counters, solution.y)
    };
    let (kept, y) = run("car-axle", "partitioned");
    let (full, exact) = run("car-axle", "none");
    for i in 0..8 {
        assert!((y[i] - exact[i]).abs() < 1e-4, "{y:?} {exact:?}");
    }
    assert!(kept.constraint_evaluations > 0 && full.constraint_evaluations == 0);
    assert!(3 * kept.jacobians < full.jacobians, "{kept:?} {full:?}");
    let (without, _) = run("car-axle-index1", "partitioned");
    assert_eq!(without.constraint_evaluations, 0);
}
