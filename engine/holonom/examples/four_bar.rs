//! A mechanism from bodies and joints: a planar four-bar linkage of spatial revolute joints.
//!
//! What is shown: the spanning tree with its cut joint, the loop equations that say nothing new,
//! how far the energy drifts in 2 s, how the rocker moves, and what the joints transmit at the end.
//!
//! Run with `cargo run --release --example four_bar`.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use holonom::mechanism::simulate;
use holonom::multibody::Description;
use holonom::multibody::description::{Body, Joint, frame};
use holonom::prelude::*;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const T_END: f64 = 2.0;
    let bar = |name: &str, mass: f64, length: f64| {
        Body::thin_rod(name, mass, [length, 0.0, 0.0]).marker("end", frame::at([length, 0.0, 0.0]))
    };
    // Ground 0.4 m, crank 0.15 m, coupler 0.35 m, rocker 0.3 m; y is up. The angles of coupler and
    // rocker are rough: assembly closes the loop.
    let mut description = Description::new("four-bar")
        .gravity([0.0, -9.81, 0.0])
        .ground_marker("right", frame::at([0.4, 0.0, 0.0]));
    let crank = description.add(bar("crank", 0.3, 0.15));
    let coupler = description.add(bar("coupler", 0.7, 0.35));
    let rocker = description.add(bar("rocker", 0.6, 0.3));
    description.add(Joint::revolute("A", "ground", &crank).start(1.0, 8.0));
    description.add(Joint::revolute("B", crank.at("end"), &coupler).start(-0.6, 0.0));
    description.add(Joint::revolute("C", coupler.at("end"), rocker.at("end")));
    description.add(Joint::revolute("D", "ground.right", &rocker).start(1.7, 0.0));
    let model = Arc::new(description.compile()?);
    println!("{}", model.topology_text());

    let start = model.assemble(&Default::default())?;
    println!("{}\n\nassembly moved", start.rows);
    for coordinate in &start.moved {
        println!("  {coordinate}");
    }

    let times: Vec<f64> = (1..200).map(|k| T_END * f64::from(k) / 200.0).collect();
    let solution = simulate(&start, T_END, Options::new(1e-8, 1e-8).outputs(times))?;
    let energy = solution.channel("energy.total")?;
    let first = energy[0].1;
    let drift = energy
        .iter()
        .fold(0.0, |most: f64, (_, e)| most.max((e - first).abs()));
    println!(
        "\n{T_END} s in {} steps; energy {first:.6} J, drift {drift:.1e} J",
        solution.solution.counters.steps
    );

    let end = solution.end();
    if let Some(motion) = end.body(&rocker) {
        println!(
            "rocker at the end: angular velocity {:?} rad/s",
            motion.angular_velocity
        );
    }
    println!("\nreactions at {T_END} s, N and N m (* does not follow from the motion)");
    for unique in &start.rows.uniqueness {
        print!("  {}", unique.name);
        let quantities = [
            "force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z",
        ];
        for (quantity, known) in quantities.iter().zip(&unique.components) {
            let value = end.channel(&format!("{}.{quantity}", unique.name))?;
            print!("  {value:9.4}{}", if *known { ' ' } else { '*' });
        }
        println!();
    }
    Ok(())
}
