//! Andrews' squeezing mechanism from bodies and joints.

use holonom::multibody::description::{Body, Force, Joint, frame};
use holonom::multibody::forest::Hint;
use holonom::multibody::{Description, Signal};

/// Seven bodies in the x–y plane, a driving torque and a spring; gravity does not act
/// [Schiehlen 1990; IFToMM library, A03; IVP test set].
///
/// Coordinates: β (`O`), Θ (`F`), γ (`B`), δ (`A5`), Φ (`P`), ε (`A7`), Ω (`Q`).
pub fn andrews() -> Description {
    let flat = |name: &str, mass: f64, moment: f64, x: f64, y: f64| {
        Body::planar(name, mass, moment).centre([x, y, 0.0])
    };
    let at = |x: f64, y: f64| frame::at([x, y, 0.0]);
    // Bodies as in the IVP test set: frames at the joint towards the ground, angle zero along x.
    let k1 = flat("K1", 0.04325, 2.194e-6, 92e-5, 0.0).marker("F", at(7e-3, 0.0));
    let k2 = flat("K2", 0.00365, 4.410e-7, -115e-4, 0.0).marker("E", at(-28e-3, 0.0));
    let k3 = flat("K3", 0.02373, 5.255e-6, 1874e-5, 1043e-5)
        .marker("E", at(0.0, -35e-3))
        .marker("D", at(2e-2, -18e-3));
    let k4 = flat("K4", 0.00706, 5.667e-7, 0.0, -(2e-2 - 1421e-5)).marker("E", at(0.0, -2e-2));
    let k5 = flat("K5", 0.07050, 1.169e-5, 2308e-5, 916e-5).marker("P", at(4e-2, 0.0));
    let k6 = flat("K6", 0.00706, 5.667e-7, 2e-2 - 1421e-5, 0.0).marker("E", at(2e-2, 0.0));
    let k7 = flat("K7", 0.05498, 1.912e-5, 1228e-5, 449e-5).marker("Q", at(0.0, -4e-2));
    let pin =
        |name: &str, from: &str, to: &str, angle: f64| Joint::revolute(name, from, to).start(angle, 0.0);
    let close = |name: &str, to: &str| Joint::revolute(name, "K2.E", to).hint(Hint::Cut);
    Description::new("Andrews' squeezing mechanism")
        .gravity([0.0; 3])
        .ground_marker("A", at(-0.06934, -0.00227))
        .ground_marker("B", at(-0.03635, 0.03273))
        .ground_marker("C", at(0.014, 0.072))
        .body(k1)
        .body(k2)
        .body(k3)
        .body(k4)
        .body(k5)
        .body(k6)
        .body(k7)
        .joint(pin("O", "ground", "K1", -0.0617138900142764496))
        .joint(pin("F", "K1.F", "K2", 0.0))
        .joint(pin("B", "ground.B", "K3", 0.455279819163070380))
        .joint(pin("A5", "ground.A", "K5", 0.487364979543842550))
        .joint(pin("P", "K5.P", "K4", 0.222668390165885884))
        .joint(pin("A7", "ground.A", "K7", 1.23054744454982119))
        .joint(pin("Q", "K7.Q", "K6", -0.222668390165885884))
        .joint(close("E3", "K3.E"))
        .joint(close("E4", "K4.E"))
        .joint(close("E6", "K6.E"))
        .force(Force::motor("motor", "O", Signal::constant(33e-3)))
        .force(Force::spring_damper(
            "spring", "ground.C", "K3.D", 4530.0, 0.0, 7785e-5,
        ))
}
