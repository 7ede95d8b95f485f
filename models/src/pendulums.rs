//! Chains without loops.

use core::f64::consts::FRAC_PI_2;
use holonom::multibody::description::{Body, Joint, frame};
use holonom::multibody::{Description, Signal};

/// Gravity of the planar models: y is up, they move in the x–y plane.
pub(crate) const DOWN: [f64; 3] = [0.0, -9.81, 0.0];

/// A point mass of 1 kg below the origin of its frame.
fn bob(name: impl Into<String>) -> Body {
    Body::new(name, 1.0)
        .centre([0.0, -1.0, 0.0])
        .marker("mass", frame::at([0.0, -1.0, 0.0]))
}

/// `n` uniform rods of 1 kg and 1 m, hanging from each other and started level.
pub fn n_pendulum(n: usize) -> Description {
    let mut d = Description::new("n-pendulum").gravity(DOWN);
    let mut last = "ground".to_owned();
    for i in 1..=n {
        let name = format!("rod{i}");
        let start = if i == 1 { FRAC_PI_2 } else { 0.0 };
        d = d
            .body(Body::thin_rod(&name, 1.0, [0.0, -1.0, 0.0]).marker("end", frame::at([0.0, -1.0, 0.0])))
            .joint(Joint::revolute(format!("pin{i}"), last, &name).start(start, 0.0));
        last = format!("{name}.end");
    }
    d
}

/// `n` bars of 1 kg and 1 m with square section on spherical joints, z up, started off the vertical
/// with some spin.
pub fn spatial_pendulum(n: usize) -> Description {
    let mut d = Description::new("spatial pendulum");
    let mut last = "ground".to_owned();
    for i in 1..=n {
        let name = format!("bar{i}");
        let body = Body::cuboid(&name, 1.0, [0.1, 0.1, 1.0])
            .centre([0.0, 0.0, -0.5])
            .marker("end", frame::at([0.0, 0.0, -1.0]));
        let (orientation, spin) = if i == 1 {
            ([0.8, 0.6, 0.0, 0.0], [0.0, 0.5, 2.0])
        } else {
            ([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
        };
        let joint = Joint::spherical(format!("ball{i}"), last, &name)
            .orientation(orientation)
            .angular_velocity(spin);
        d = d.body(body).joint(joint);
        last = format!("{name}.end");
    }
    d
}

/// `n` point masses on massless bars below a suspension that moves with 2 + 0.3 sin ωt and
/// 0.2 sin ωt in x and y, from rest [Arnold, Fuchs, Führer 2004, §4.2.1].
pub fn arnold_chain(n: usize, omega: f64) -> Description {
    let suspension = |offset, amplitude| Signal::Harmonic {
        offset,
        amplitude,
        frequency: omega,
        phase: 0.0,
    };
    let mut d = Description::new("chain of pendulums").gravity(DOWN);
    for i in 1..=n {
        let name = format!("bob{i}");
        let joint = if i == 1 {
            Joint::planar("suspension", "ground", &name)
                .prescribed(0, suspension(2.0, 0.3))
                .prescribed(1, suspension(0.0, 0.2))
        } else {
            Joint::revolute(format!("pin{i}"), format!("bob{}.mass", i - 1), &name)
        };
        d = d.body(bob(&name)).joint(joint);
    }
    d
}
