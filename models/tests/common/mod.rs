//! Runs of shipped models.

#![allow(dead_code, clippy::unwrap_used)]

use holonom::multibody::residual::{Form, Formalism};
use holonom::multibody::start::Assembled;
use holonom::multibody::{Description, Model};
use holonom::{Integrator, Observer, Options, Solution, solve};
use std::sync::Arc;

/// Compiles and assembles.
pub fn assembled(description: &Description) -> Assembled {
    match description.compile() {
        Ok(model) => Arc::new(model).assemble(&Default::default()).unwrap(),
        Err(errors) => panic!("{errors}"),
    }
}

/// Runs to `t_end` with `bdf` and gives the end.
pub fn run(start: &Assembled, form: Form, formalism: Formalism, t_end: f64, tolerance: f64) -> Solution {
    let equations = start.equations(form, formalism).unwrap();
    let (y, yp) = start.state(&equations);
    let options = Options::new(tolerance, tolerance).stepper("bdf");
    match solve(equations.system(), (0.0, t_end), &y, &yp, options) {
        Ok(solution) => solution,
        Err(e) => panic!("{} {form} {formalism} {tolerance}: {e}", start.model.name),
    }
}

/// Runs to `t_end` with `bdf` and shows every step to an observer.
pub fn watch(start: &Assembled, form: Form, t_end: f64, tolerance: f64, observer: &mut dyn Observer) {
    let equations = start.equations(form, Formalism::Residual).unwrap();
    let (y, yp) = start.state(&equations);
    let options = Options::new(tolerance, tolerance).stepper("bdf");
    let mut run = Integrator::new(equations.system(), 0.0, &y, &yp, t_end, options).unwrap();
    run.run(t_end, observer).unwrap();
}

/// Positions and velocities in y.
pub fn parts<'a>(model: &Model, y: &'a [f64]) -> (&'a [f64], &'a [f64]) {
    let (n_q, n_v) = (model.tree.n_q, model.tree.n_v);
    (&y[..n_q], &y[n_q..n_q + n_v])
}
