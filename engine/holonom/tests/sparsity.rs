//! Estimated sparsity patterns on mechanisms: a bump stop that closes late is found, and the
//! result is that of exact derivatives.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use holonom::dae::Counters;
use holonom::multibody::Model;
use holonom::multibody::description::{Body, Description, Force, ForceKind, Joint, frame};
use holonom::multibody::elements::forces::{BumpStop, StopLaw};
use holonom::multibody::residual::{Form, Formalism};
use holonom::prelude::*;
use holonom::solver::newton::PatternEvent;
use std::sync::Arc;

const CARTS: usize = 12;
/// The stop is between these carts.
const STOP: (usize, usize) = (2, 9);
const T_END: f64 = 1.0;

/// Carts in a row, with springs between neighbours; a bump stop between two that are not
/// neighbours closes when the first cart has pushed the others together.
fn carts(stiffness: f64) -> Arc<Model> {
    let mut description = Description::new("carts").gravity([0.0, 0.0, -9.81]);
    let name = |i: usize| format!("cart{i}");
    for i in 0..CARTS {
        let speed = if i < 3 { 3.0 } else { 0.0 };
        let body = Body::new(name(i), 1.0).inertia([0.1, 0.1, 0.1, 0.0, 0.0, 0.0]);
        let track = frame::at([i as f64, 0.0, 0.0]);
        description = description
            .ground_marker(format!("track{i}"), track)
            .body(body)
            .joint(
                Joint::prismatic(format!("slide{i}"), format!("ground.track{i}"), name(i))
                    .axis([1.0, 0.0, 0.0])
                    .start_at(0, 0.0, speed),
            );
        if i > 0 {
            let spring = Force::spring_damper(format!("spring{i}"), name(i - 1), name(i), 200.0, 0.5, 1.0);
            description = description.force(spring);
        }
    }
    let stop = ForceKind::BumpStop(BumpStop {
        from: name(STOP.0),
        to: name(STOP.1),
        length: (STOP.1 - STOP.0) as f64 - 0.3,
        rebound: false,
        law: StopLaw {
            stiffness,
            damping: 1e-3 * stiffness,
            onset: 0.01,
        },
    });
    description = description.force(Force::new("stop", stop));
    Arc::new(description.compile().unwrap())
}

fn run(
    model: &Arc<Model>,
    formalism: Formalism,
    options: Options,
) -> (Vec<f64>, Counters, Vec<PatternEvent>) {
    let start = model.assemble(&Default::default()).unwrap();
    let equations = start.equations(Form::Ode, formalism).unwrap();
    let (y, yp) = start.state(&equations);
    let mut integrator = Integrator::new(equations.system(), 0.0, &y, &yp, T_END, options).unwrap();
    integrator.run(T_END, &mut Quiet).unwrap();
    let log = integrator.pattern_log().to_vec();
    (integrator.y().to_vec(), *integrator.counters(), log)
}

#[test]
fn a_bump_stop_that_closes_late_is_found() {
    let tolerance = 1e-7;
    for stiffness in [1e4, 1e6] {
        let model = carts(stiffness);
        for formalism in Formalism::ALL {
            let exact = Options::new(1e-10, 1e-10).stepper("bdf").jacobian("ad-dense");
            let (reference, _, _) = run(&model, formalism, exact);
            for (refresh, jacobian) in [
                ("classical", "fd-grouped"),
                ("dassl", "fd-grouped"),
                ("classical", "ad-grouped"),
            ] {
                // `auto` takes an explicit method for the soft stop, which has no Jacobian.
                let options = || Options::new(tolerance, tolerance).stepper("bdf").refresh(refresh);
                let (_, dense, _) = run(&model, formalism, options().jacobian("fd-dense"));
                let estimated = options().jacobian(jacobian).sparsity("estimated");
                let (y, c, log) = run(&model, formalism, estimated);
                let off = (y.iter().zip(&reference)).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
                let what = format!("{stiffness:e}, {formalism}, {refresh}, {jacobian}");
                log.iter().for_each(|event| println!("{what}: {event}"));
                println!(
                    "{what}: off by {off:.1e}; {} steps, {} residuals, {} Jacobians, dense {} {} {}",
                    c.steps, c.residuals, c.jacobians, dense.steps, dense.residuals, dense.jacobians
                );
                // What the tolerance gives with exact derivatives too.
                assert!(off < 1e3 * tolerance, "{what}: {off:e}");
                let late = |e: &&PatternEvent| e.t > 0.05 && e.change.is_some_and(|c| c.before.is_some());
                assert!(log.iter().any(|e| late(&e)), "{what}: nothing was found");
                assert!(c.steps < dense.steps + dense.steps / 5, "{what}");
                // Looking for missing entries is the exception.
                assert!(c.sparsity_updates >= 2, "{what}: {c:?}");
                assert!(4 * c.sparsity_updates <= c.jacobians.max(12), "{what}: {c:?}");
                if refresh == "dassl" {
                    assert!(c.residuals < dense.residuals, "{what}");
                }
            }
        }
    }
}
