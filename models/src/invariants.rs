//! What should stay the same along a run: energy, momentum, lengths of Euler parameters.

use holonom::multibody::Model;
use holonom::multibody::description::Description;
use holonom::multibody::residual::{Form, Formalism};
use holonom::multibody::tree::NodeKind;
use holonom::{Control, Integrator, Observer, Options, StepInfo};
use std::sync::Arc;

/// Largest changes along a run.
#[derive(Debug, Default)]
pub struct Drift {
    /// Of kinetic and potential energy, J.
    pub energy: f64,
    /// Of linear and angular momentum, relative to their largest size.
    pub momentum: f64,
    /// Of the lengths of Euler parameters.
    pub length: f64,
}

struct Watch<'a> {
    model: &'a Model,
    start: (f64, [f64; 6]),
    drift: Drift,
}

fn look(model: &Model, t: f64, y: &[f64]) -> (f64, [f64; 6]) {
    let (n_q, n_v) = (model.tree.n_q, model.tree.n_v);
    let at = model.snapshot(t, &y[..n_q], &y[n_q..n_q + n_v]);
    let p = at.momentum();
    let [a, b, c] = p.moment.0;
    let [d, e, f] = p.force.0;
    (at.kinetic_energy() + at.potential_energy(), [a, b, c, d, e, f])
}

impl Observer for Watch<'_> {
    fn step(&mut self, step: &StepInfo<'_>) -> Control {
        let (energy, momentum) = look(self.model, step.t, step.y);
        let d = &mut self.drift;
        d.energy = d.energy.max((energy - self.start.0).abs());
        let size = self.start.1.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for (now, then) in momentum.iter().zip(&self.start.1) {
            d.momentum = d.momentum.max((now - then).abs() / size);
        }
        for node in self.model.tree.nodes.iter().filter(|n| n.kind == NodeKind::Ball) {
            let e = &step.y[node.q..node.q + 4];
            let length = e.iter().map(|x| x * x).sum::<f64>().sqrt();
            d.length = d.length.max((length - 1.0).abs());
        }
        Control::Continue
    }
}

/// Runs a mechanism and gives the largest changes.
///
/// ```
/// use holonom::multibody::residual::Form;
/// let drift = holonom_models::invariants::drift(&holonom_models::n_pendulum(1), Form::Ode, 1.0, 1e-8)?;
/// assert!(drift.energy < 1e-5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn drift(
    description: &Description,
    form: Form,
    t_end: f64,
    tolerance: f64,
) -> Result<Drift, Box<dyn std::error::Error>> {
    let model = Arc::new(description.compile()?);
    let start = model.assemble(&Default::default())?;
    let equations = start.equations(form, Formalism::Residual)?;
    let (y, yp) = start.state(&equations);
    let options = Options::new(tolerance, tolerance);
    let mut run = Integrator::new(equations.system(), 0.0, &y, &yp, t_end, options)?;
    let mut watch = Watch {
        model: &model,
        start: look(&model, 0.0, &y),
        drift: Drift::default(),
    };
    run.run(t_end, &mut watch)?;
    Ok(watch.drift)
}
