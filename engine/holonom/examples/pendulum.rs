//! Constrained mechanics: the planar pendulum in Cartesian coordinates, over 100 s in four forms.
//!
//! What is watched: how far the rod changes its length (g), how far the velocity leaves the
//! circle (G v), and the energy, which is zero along the solution. The stabilised form `ggl`
//! keeps both constraints, the others let go of one or both.
//!
//! Run with `cargo run --release --example pendulum`.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use holonom::prelude::*;
use holonom::problems::{self, pendulum};

/// Largest values over the accepted steps.
#[derive(Default)]
struct Drift {
    position: f64,
    velocity: f64,
    energy: f64,
}

impl Observer for Drift {
    fn step(&mut self, step: &StepInfo<'_>) -> Control {
        let [x, y, vx, vy] = [step.y[0], step.y[1], step.y[2], step.y[3]];
        self.position = self.position.max((0.5 * (x * x + y * y - 1.0)).abs());
        self.velocity = self.velocity.max((x * vx + y * vy).abs());
        self.energy = self.energy.max(pendulum::energy(step.y).abs());
        Control::Continue
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const T_END: f64 = 100.0;
    println!(
        "{:<8} {:>8} {:>10} {:>10} {:>10} {:>12}",
        "form", "steps", "max |g|", "max |G v|", "max |E|", "error of x"
    );
    for form in ["index1", "index2", "index3", "ggl"] {
        let name = format!("pendulum-{form}");
        let p = problems::find(&name).ok_or("no such problem")?;
        let options = Options::new(1e-8, 1e-8);
        let mut run = Integrator::new((p.build)(), 0.0, &p.y0, &p.yp0, T_END, options)?;
        let mut drift = Drift::default();
        run.run(T_END, &mut drift)?;
        println!(
            "{form:<8} {:>8} {:>10.1e} {:>10.1e} {:>10.1e} {:>12.1e}",
            run.counters().steps,
            drift.position,
            drift.velocity,
            drift.energy,
            (run.y()[0] - pendulum::exact(T_END)[0]).abs()
        );
    }
    Ok(())
}
