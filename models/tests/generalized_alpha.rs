//! The stepper `generalized-alpha` on mechanisms with Euler parameters: its order, their length, and `bdf`.

#![allow(clippy::unwrap_used)]

mod common;

use common::{assembled, parts};
use holonom::multibody::Model;
use holonom::multibody::description::Description;
use holonom::multibody::residual::{Form, Formalism};
use holonom::multibody::tree::NodeKind;
use holonom::{Control, Counters, Integrator, Observer, Options, StepInfo};
use holonom_models::{description, spatial_pendulum};

/// A free body that tumbles, two rods on ball joints, and a loop in space that is faster: with the coarser of two
/// fixed steps, and the time for a number of steps that depends on the tolerance.
fn mechanisms() -> [(&'static str, Description, f64, f64); 3] {
    [
        ("tumbling-body", description("tumbling-body").unwrap(), 64.0, 50.0),
        ("spatial-pendulum", spatial_pendulum(2), 64.0, 1.0),
        (
            "spatial-four-bar",
            description("spatial-four-bar").unwrap(),
            1024.0,
            3.0,
        ),
    ]
}

/// Largest distance of the lengths of Euler parameters from one.
struct Length<'a> {
    model: &'a Model,
    off: f64,
}

impl Observer for Length<'_> {
    fn step(&mut self, step: &StepInfo<'_>) -> Control {
        let balls = self.model.tree.nodes.iter().filter(|n| n.kind == NodeKind::Ball);
        for node in balls {
            let e = &step.y[node.q..node.q + 4];
            let length = e.iter().map(|x| x * x).sum::<f64>().sqrt();
            self.off = self.off.max((length - 1.0).abs());
        }
        Control::Continue
    }
}

/// Positions and velocities at `t_end`, how far lengths were off, and the work.
fn run(description: &Description, form: Form, t_end: f64, options: Options) -> (Vec<f64>, f64, Counters) {
    let start = assembled(description);
    let equations = start.equations(form, Formalism::Residual).unwrap();
    let (y, yp) = start.state(&equations);
    let mut watch = Length {
        model: &start.model,
        off: 0.0,
    };
    let mut run = Integrator::new(equations.system(), 0.0, &y, &yp, t_end, options).unwrap();
    run.run(t_end, &mut watch).unwrap();
    let (q, v) = parts(&start.model, run.y());
    ([q, v].concat(), watch.off, *run.counters())
}

fn alpha(tolerance: f64) -> Options {
    Options::new(tolerance, tolerance).stepper("generalized-alpha")
}

/// Largest difference, in units of one plus the value.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let pairs = a.iter().zip(b);
    pairs
        .map(|(a, b)| (a - b).abs() / (1.0 + b.abs()))
        .fold(0.0, f64::max)
}

#[test]
fn rotations_have_order_two() {
    for (name, description, steps, _) in mechanisms() {
        for form in [Form::Ggl, Form::Index3] {
            let (exact, ..) = run(
                &description,
                form,
                0.5,
                Options::new(1e-11, 1e-11).stepper("radau"),
            );
            let error = |h: f64| {
                let mut options = alpha(1e-10);
                options.fixed_step = Some(h);
                distance(&run(&description, form, 0.5, options).0, &exact)
            };
            let (coarse, fine) = (error(1.0 / steps), error(0.25 / steps));
            let order = (coarse / fine).log(4.0);
            assert!(
                (order - 2.0).abs() < 0.35,
                "{name} {form}: order {order:.2}, errors {coarse:.1e} {fine:.1e}"
            );
        }
    }
}

/// Adaptive runs end where `radau` does, as far off as the tolerance says, with Euler parameters of length one.
#[test]
fn errors_are_in_proportion_to_the_tolerance() {
    for (name, description, _, t_end) in mechanisms() {
        let exact = Options::new(1e-11, 1e-11).stepper("radau");
        let (exact, ..) = run(&description, Form::Ggl, t_end, exact);
        let ratios = [1e-4, 1e-5, 1e-6, 1e-7].map(|tolerance| {
            let (end, length, counters) = run(&description, Form::Ggl, t_end, alpha(tolerance));
            // Rotations are added as rotations: up to rounding, whatever the tolerance.
            assert!(length < 1e-12, "{name} at {tolerance:e}: {length:.1e}");
            assert!(
                counters.rejected_error * 5 < counters.steps + 25,
                "{name}: {counters:?}"
            );
            distance(&end, &exact) / tolerance
        });
        let logs = ratios.map(f64::log10);
        let slope = 1.0 - (-1.5 * logs[0] - 0.5 * logs[1] + 0.5 * logs[2] + 1.5 * logs[3]) / 5.0;
        assert!(
            slope > 0.85 && ratios.iter().all(|r| *r < 150.0),
            "{name}: exponent {slope:.2}, errors {ratios:.1?} times the tolerance"
        );
    }
}
