//! A mechanism from bodies and joints: a planar four-bar linkage of spatial revolute joints.
//!
//! What is shown: the spanning tree with its cut joint, the loop equations that say nothing new,
//! how far the energy drifts in 2 s, and what the joints transmit at the end.
//!
//! Run with `cargo run --release --example four_bar`.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use holonom::Mechanical;
use holonom::multibody::description::{Body, Joint, frame};
use holonom::multibody::formalism::energy::{kinetic_energy, potential_energy};
use holonom::multibody::formalism::reactions::{Motion, ReactionLoad};
use holonom::multibody::residual::{Form, Formalism};
use holonom::multibody::workspace::Workspace;
use holonom::multibody::{Description, Model};
use holonom::prelude::*;
use std::sync::Arc;

/// Ground 0.4 m, crank 0.15 m, coupler 0.35 m, rocker 0.3 m; y is up. The angles of coupler and
/// rocker are rough: assembly closes the loop.
fn four_bar() -> Description {
    let bar = |name: &str, mass: f64, length: f64| {
        Body::thin_rod(name, mass, [length, 0.0, 0.0]).marker("end", frame::at([length, 0.0, 0.0]))
    };
    Description::new("four-bar")
        .gravity([0.0, -9.81, 0.0])
        .ground_marker("right", frame::at([0.4, 0.0, 0.0]))
        .body(bar("crank", 0.3, 0.15))
        .body(bar("coupler", 0.7, 0.35))
        .body(bar("rocker", 0.6, 0.3))
        .joint(Joint::revolute("A", "ground", "crank").start(1.0, 8.0))
        .joint(Joint::revolute("B", "crank.end", "coupler").start(-0.6, 0.0))
        .joint(Joint::revolute("C", "coupler.end", "rocker.end"))
        .joint(Joint::revolute("D", "ground.right", "rocker").start(1.7, 0.0))
}

/// Watches the energy.
struct Energy {
    model: Arc<Model>,
    work: Workspace<f64>,
    /// At the start, J.
    first: f64,
    /// Largest difference from it, J.
    drift: f64,
}

impl Energy {
    fn new(model: Arc<Model>, t: f64, q: &[f64], v: &[f64]) -> Self {
        let work = Workspace::new(&model);
        let (first, drift) = (0.0, 0.0);
        let mut energy = Self {
            model,
            work,
            first,
            drift,
        };
        energy.first = energy.at(t, q, v);
        energy
    }

    fn at(&mut self, t: f64, q: &[f64], v: &[f64]) -> f64 {
        let (model, work) = (&*self.model, &mut self.work);
        work.set_time(model, t);
        work.set_positions(model, q);
        work.set_velocities(model, v);
        let (scene, _, _) = work.scene(model);
        kinetic_energy(&scene, &model.rods) + potential_energy(&scene, &model.rods, &model.forces)
    }
}

impl Observer for Energy {
    fn step(&mut self, step: &StepInfo<'_>) -> Control {
        let (n_q, n_v) = (self.model.tree.n_q, self.model.tree.n_v);
        let now = self.at(step.t, &step.y[..n_q], &step.y[n_q..n_q + n_v]);
        self.drift = self.drift.max((now - self.first).abs());
        Control::Continue
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const T_END: f64 = 2.0;
    let model = Arc::new(four_bar().compile()?);
    println!("{}", model.topology_text());

    let start = model.assemble(&Default::default())?;
    println!("{}\n\nassembly moved", start.rows);
    for coordinate in &start.moved {
        println!("  {coordinate}");
    }

    let equations = start.equations(Form::Ggl, Formalism::Residual)?;
    let (y, yp) = start.state(&equations);
    let options = Options::new(1e-8, 1e-8);
    let mut run = Integrator::new(equations.system(), 0.0, &y, &yp, T_END, options)?;
    let mut energy = Energy::new(model.clone(), start.t, &start.q, &start.v);
    run.run(T_END, &mut energy)?;
    println!(
        "\n{T_END} s in {} steps; energy {:.6} J, drift {:.1e} J",
        run.counters().steps,
        energy.first,
        energy.drift
    );

    // y = (q, v, …); accelerations and multipliers follow from both.
    let (n_q, n_v) = (model.tree.n_q, model.tree.n_v);
    let (q, v) = run.y()[..n_q + n_v].split_at(n_q);
    let (mut a, mut lambda) = (vec![0.0; n_v], vec![0.0; start.rows.active.len()]);
    start
        .mechanical()
        .accelerations(T_END, q, v, &mut lambda, &mut a)?;
    let motion = Motion {
        x: &[],
        t: T_END,
        q,
        v,
        a: &a,
        lambda: &lambda,
    };
    println!("\nreactions at {T_END} s, N and N m (* does not follow from the motion)");
    for reaction in start.reactions(&motion) {
        if let ReactionLoad::Wrench(load) = reaction.load {
            print!("  {}", reaction.name);
            let components = load.force.0.into_iter().chain(load.moment.0);
            for (value, unique) in components.zip(&reaction.unique) {
                print!("  {value:9.4}{}", if *unique { ' ' } else { '*' });
            }
            println!();
        }
    }
    Ok(())
}
