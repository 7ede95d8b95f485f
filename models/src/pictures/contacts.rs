//! Characteristics of contacts.

use super::{Plot, State, Varied};
use holonom::multibody::description::{Force, ForceKind};
use holonom::multibody::elements::forces::{ContactLaw, Cylinders, Shape};

pub(super) fn plots(name: &str) -> Vec<Plot> {
    let still = State::default();
    let contact = ContactLaw {
        stiffness: 1e6,
        dissipation: 0.5,
        friction: 0.4,
        slip_speed: 0.02,
        ..ContactLaw::default()
    };
    let plane = |shape: Shape| Force::plane_contact("", "ground", "body", shape, contact).kind;
    // Height along the coordinate in which the surfaces approach, at which they touch.
    let (axis, touch, kinds) = match name {
        "plane-contact" => (
            2,
            0.1,
            vec![
                ("sphere", plane(Shape::sphere(0.1)), still),
                (
                    "lying cylinder",
                    plane(Shape::cylinder(0.1, 0.3)),
                    still.at(3, core::f64::consts::FRAC_PI_2),
                ),
                ("flat box", plane(Shape::cuboid([0.3, 0.3, 0.2])), still),
            ],
        ),
        "sphere-contact" => {
            let kind = Force::sphere_contact("", "ground", "body", [0.1, 0.05], contact).kind;
            (0, 0.15, vec![("spheres", kind, still)])
        }
        _ => {
            let kind = |cylinders| Force::cylinder_contact("", "ground", "body", cylinders, contact).kind;
            let turned = still.at(3, core::f64::consts::FRAC_PI_2);
            let (crossed, parallel) = (
                Cylinders::crossed([0.1, 0.05]),
                Cylinders::parallel([0.1, 0.05], 0.3),
            );
            (
                0,
                0.15,
                vec![
                    ("crossed", kind(crossed), turned),
                    ("parallel", kind(parallel), still),
                ],
            )
        }
    };
    let first = (kinds[0].1.clone(), kinds[0].2);
    let mut normal: Vec<(String, ForceKind, State)> = (kinds.into_iter())
        .map(|(label, kind, state)| (label.to_string(), kind, state))
        .collect();
    for rate in [-0.5, 0.5, 1.0] {
        let label = format!("{}, rate {rate} m/s", normal[0].0);
        normal.push((label, first.0.clone(), first.1.moving(axis, rate)));
    }
    let sliding = if axis == 2 { 0 } else { 1 };
    vec![
        Plot {
            title: "stiffness 1e6 N/m^1.5, dissipation 0.5 s/m",
            x: ["distance of the origins", "m"],
            y: ["normal force", "N"],
            range: [touch - 0.006, touch + 0.002],
            varied: Varied::Position(axis),
            noted: (axis, 1.0),
            curves: normal,
        },
        Plot {
            title: "friction 0.4 below a slip speed of 0.02 m/s, 5 mm deep",
            x: ["sliding speed", "m/s"],
            y: ["friction force", "N"],
            range: [-0.2, 0.2],
            varied: Varied::Velocity(sliding),
            noted: (sliding, 1.0),
            curves: vec![("friction".into(), first.0, first.1.at(axis, touch - 0.005))],
        },
    ]
}
