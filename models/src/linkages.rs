//! Mechanisms with loops.

use crate::pendulums::DOWN;
use holonom::multibody::Description;
use holonom::multibody::description::{Body, Joint, frame};

/// A uniform rod along x, with a frame at its far end.
fn link(name: &str, mass: f64, length: f64) -> Body {
    Body::thin_rod(name, mass, [length, 0.0, 0.0]).marker("end", frame::at([length, 0.0, 0.0]))
}

/// Crank 0.15 m, connecting rod 0.35 m and slider in the x–y plane; the crank starts with 10 rad/s.
pub fn slider_crank() -> Description {
    let (crank, rod, angle) = (0.15_f64, 0.35_f64, 0.8_f64);
    let height = crank * angle.sin();
    let lean = -(height / rod).asin();
    let reach = crank * angle.cos() + rod * lean.cos();
    Description::new("slider-crank")
        .gravity(DOWN)
        .body(link("crank", 0.4, crank))
        .body(link("rod", 0.6, rod))
        .body(Body::cuboid("slider", 0.8, [0.06, 0.04, 0.04]))
        .joint(Joint::revolute("bearing", "ground", "crank").start(angle, 10.0))
        .joint(Joint::revolute("big_end", "crank.end", "rod").start(lean - angle, 0.0))
        .joint(Joint::revolute("small_end", "rod.end", "slider").start(-lean, 0.0))
        .joint(
            Joint::prismatic("guide", "ground", "slider")
                .axis([1.0, 0.0, 0.0])
                .start(reach, 0.0),
        )
}

/// Planar four-bar linkage: ground 0.4 m, crank 0.15 m, coupler 0.35 m, rocker 0.3 m, from spatial
/// revolute joints (five loop rows of rank two).
pub fn four_bar() -> Description {
    // The coupler and the rocker start roughly right; assembly closes the loop.
    Description::new("four-bar")
        .gravity(DOWN)
        .ground_marker("right", frame::at([0.4, 0.0, 0.0]))
        .body(link("crank", 0.3, 0.15))
        .body(link("coupler", 0.7, 0.35))
        .body(link("rocker", 0.6, 0.3))
        .joint(Joint::revolute("A", "ground", "crank").start(1.0, 8.0))
        .joint(Joint::revolute("B", "crank.end", "coupler").start(-0.6, -5.0))
        .joint(Joint::revolute("C", "coupler.end", "rocker.end").start(1.3, 0.0))
        .joint(Joint::revolute("D", "ground.right", "rocker").start(1.7, 3.0))
}

/// Four-bar linkage in space, one degree of freedom: revolute joints on the ground with axes at a
/// right angle, a spherical and a universal joint on the coupler; z is up.
pub fn spatial_four_bar() -> Description {
    let coupler = [0.5, 0.6, 0.1_f64];
    let length = coupler.iter().map(|x| x * x).sum::<f64>().sqrt();
    Description::new("spatial four-bar")
        .ground_marker("right", frame::at([0.5, 0.6, 0.0]))
        .body(
            Body::cylinder("crank", 0.4, 0.02, 0.2)
                .centre([0.0, 0.0, 0.1])
                .marker("end", frame::at([0.0, 0.0, 0.2])),
        )
        .body(
            Body::cylinder("coupler", 1.0, 0.02, length)
                .centre([0.0, 0.0, length / 2.0])
                .marker("end", frame::at([0.0, 0.0, length])),
        )
        .body(
            Body::cylinder("rocker", 0.8, 0.02, 0.3)
                .centre([0.0, 0.0, 0.15])
                .marker("end", frame::at([0.0, 0.0, 0.3])),
        )
        .joint(
            Joint::revolute("crank_pin", "ground", "crank")
                .axis([1.0, 0.0, 0.0])
                .start(0.0, 4.0),
        )
        .joint(
            Joint::revolute("rocker_pin", "ground.right", "rocker")
                .axis([0.0, 1.0, 0.0])
                .start(0.0, 0.0),
        )
        .joint(Joint::universal("knuckle", "rocker.end", "coupler.end"))
        .joint(Joint::spherical("ball", "crank.end", "coupler").orientation(pointing(coupler, length)))
}

/// Euler parameters that turn z into the given direction.
fn pointing([x, y, z]: [f64; 3], length: f64) -> [f64; 4] {
    // Half-way: 1 + cos and the axis z × d, normalised.
    let (w, a, b) = (1.0 + z / length, -y / length, x / length);
    let n = (w * w + a * a + b * b).sqrt();
    [w / n, a / n, b / n, 0.0]
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
