//! Mechanisms against reference solutions, and all shipped models at least started.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use common::{assembled, parts, run};
use holonom::multibody::residual::{Form, Formalism};
use holonom::problems;
use holonom_models::{all, arnold_chain, reference};

#[test]
fn digits_at_1e8() {
    for r in reference::all() {
        let start = assembled(&(r.build)().unwrap());
        let end = run(&start, r.form, Formalism::Residual, r.t_end, 1e-8);
        let (q, v) = parts(&start.model, &end.y);
        let digits = r.digits(&start.model, q, v);
        println!(
            "{:16} {:6} {digits:5.2} digits, {} steps",
            r.name,
            r.form.name(),
            end.counters.steps
        );
        let limit = if r.name == "tumbling-body" { 5.5 } else { 6.0 };
        assert!(digits >= limit, "{}: {digits}", r.name);
    }
}

/// The chain from bodies and joints against the hand-written equations of `holonom-dae`.
#[test]
fn chain_of_pendulums_is_that_of_the_paper() {
    let p = problems::find("chain-residual:6:0.05").unwrap();
    let by_hand = holonom::solve(
        (p.build)(),
        (0.0, 20.0),
        &p.y0,
        &p.yp0,
        holonom::Options::new(1e-9, 1e-9),
    )
    .unwrap();
    let start = assembled(&arnold_chain(6, 0.05));
    for formalism in Formalism::ALL {
        let end = run(&start, Form::Ode, formalism, 20.0, 1e-9);
        let (q, v) = parts(&start.model, &end.y);
        let (mut angle, mut rate) = (0.0, 0.0);
        for i in 0..6 {
            // Joint angles add up to angles against the vertical.
            (angle, rate) = (angle + q[i], rate + v[i]);
            assert!((angle - by_hand.y[i]).abs() < 1e-7, "{formalism} {i}");
            assert!((rate - by_hand.y[6 + i]).abs() < 1e-6, "{formalism} {i}");
        }
    }
}

#[test]
fn every_model_runs_in_every_form() {
    for entry in all() {
        let start = assembled(&entry.description().unwrap());
        if start.degrees_of_freedom() == 0 {
            continue; // nothing to integrate
        }
        let loops = !start.rows.active.is_empty();
        let t_end = if entry.name == "andrews" { 0.003 } else { 0.2 };
        let mut ends: Vec<Vec<f64>> = Vec::new();
        for form in Form::ALL {
            let refused = match start.model.switched().is_empty() {
                true => loops == (form == Form::Ode),
                false => matches!(form, Form::Ode | Form::Index1),
            };
            if refused {
                continue;
            }
            for formalism in Formalism::ALL {
                let end = run(&start, form, formalism, t_end, 1e-7);
                let (q, v) = parts(&start.model, &end.y);
                ends.push(q.iter().chain(v).copied().collect());
            }
        }
        for other in &ends[1..] {
            for (a, b) in ends[0].iter().zip(other) {
                let difference = (a - b).abs() / (1.0 + a.abs());
                assert!(difference < 1e-4, "{}: {difference:.1e}", entry.name);
            }
        }
    }
}
