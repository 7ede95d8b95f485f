//! Energy, momentum and lengths of Euler parameters over long runs.
//!
//! `cargo run --release -p holonom-models --example invariants`

#![allow(clippy::print_stdout)]

use holonom::multibody::residual::Form;
use holonom_models::invariants::drift;
use holonom_models::{description, n_pendulum, spatial_pendulum, tree36};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("energy drift over 100 s, J");
    for (name, description, form) in [
        ("n-pendulum (1 rod)", n_pendulum(1), Form::Ode),
        ("n-pendulum (2 rods)", n_pendulum(2), Form::Ode),
        ("n-pendulum (3 rods)", n_pendulum(3), Form::Ode),
        ("n-pendulum (4 rods)", n_pendulum(4), Form::Ode),
        ("n-pendulum (5 rods)", n_pendulum(5), Form::Ode),
        ("spatial four-bar", description("spatial-four-bar")?, Form::Ggl),
        ("spatial pendulum", spatial_pendulum(2), Form::Ggl),
    ] {
        let loose = drift(&description, form, 100.0, 1e-6)?;
        let tight = drift(&description, form, 100.0, 1e-8)?;
        println!(
            "{name:20} 1e-6: {:.2e}   1e-8: {:.2e}   ratio {:.0}   | |e| - 1 | {:.1e}",
            loose.energy,
            tight.energy,
            loose.energy / tight.energy,
            tight.length
        );
    }
    println!("momentum of free bodies over 50 s at 1e-8, relative");
    let mut free = tree36();
    free.gravity = [0.0; 3];
    for joint in &mut free.joints {
        for c in &mut joint.coordinates {
            c.velocity = 0.3;
        }
    }
    free.joints[0].angular_velocity = [0.3, -0.2, 0.5];
    for (name, description, t) in [
        ("tumbling body", description("tumbling-body")?, 50.0),
        ("tree", free, 5.0),
    ] {
        let d = drift(&description, Form::Ggl, t, 1e-8)?;
        println!("{name:20} {:.2e}   | |e| - 1 | {:.1e}", d.momentum, d.length);
    }
    Ok(())
}
