//! Mechanisms with loops.

use crate::pendulums::DOWN;
use holonom::multibody::Description;
use holonom::multibody::description::{Body, Joint, frame};

/// A uniform rod along x, with a frame at its far end.
fn link(name: &str, mass: f64, length: f64) -> Body {
    Body::thin_rod(name, mass, [length, 0.0, 0.0]).marker("end", frame::at([length, 0.0, 0.0]))
}

/// `n` four-bars side by side [IFToMM library, A02]: 2 n + 1 rods of 1 m and 1 kg, the uprights hinged to the
/// ground at x = 0 … n, their tops joined; upright, moving with 1 m/s at the top. All rods are
/// level, and the mechanism singular, twice in every turn.
pub fn n_four_bar(n: usize) -> Description {
    let mut d = Description::new("n-four-bar").gravity(DOWN);
    for i in 0..=n {
        let upright = format!("upright{i}");
        let foot = format!("foot{i}");
        d = d
            .ground_marker(&foot, frame::at([i as f64, 0.0, 0.0]))
            .body(Body::thin_rod(&upright, 1.0, [0.0, 1.0, 0.0]).marker("top", frame::at([0.0, 1.0, 0.0])))
            .joint(Joint::revolute(format!("pin{i}"), format!("ground.{foot}"), &upright).start(0.0, -1.0));
    }
    for i in 0..n {
        let beam = format!("beam{i}");
        let (left, right) = (format!("upright{i}.top"), format!("upright{}.top", i + 1));
        d = d
            .body(link(&beam, 1.0, 1.0))
            .joint(Joint::revolute(format!("left{i}"), left, &beam).start(0.0, 1.0))
            .joint(Joint::revolute(format!("right{i}"), format!("{beam}.end"), right).start(0.0, -1.0));
    }
    d
}
