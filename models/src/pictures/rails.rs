//! Characteristics of wheels on rails.

use super::{Plot, State, Varied};
use holonom::multibody::description::{Constraint, Force};
use holonom::multibody::elements::constraints::WheelRailShape;
use holonom::multibody::elements::forces::CreepData;
use holonom::multibody::rail::{CreepLaw, FallingFriction, Reduction};

/// Load of a wheel on its rail, N.
pub(super) const WHEEL_LOAD: f64 = 60e3;

/// A cylinder on a rail, for samples of creep forces.
pub(super) fn wheel_on_rail() -> Constraint {
    let cylinder = WheelRailShape::cone(0.46, 0.0, 0.3);
    Constraint::wheel_rail("rail", "body", "ground", false, cylinder)
}

pub(super) fn plots() -> Vec<Plot> {
    let rolling = State::default()
        .at(2, 0.46)
        .moving(0, 20.0)
        .moving(4, 20.0 / 0.46);
    let fast = rolling.moving(0, 60.0);
    let curves = || {
        let curve = |law: CreepLaw| {
            let data = CreepData {
                law,
                ..CreepData::default()
            };
            let kind = Force::creep("", "rail", data).kind;
            (law.name().to_string(), kind, rolling)
        };
        CreepLaw::ALL.map(curve).to_vec()
    };
    vec![
        Plot {
            title: "wheel of 0.46 m on a rail head of 0.3 m, 60 kN, 20 m/s",
            x: ["angular velocity", "rad/s"],
            y: ["longitudinal force", "N"],
            range: [42.8, 44.2],
            varied: Varied::Velocity(4),
            noted: (0, 1.0),
            curves: curves(),
        },
        Plot {
            title: "the same, across",
            x: ["lateral velocity", "m/s"],
            y: ["lateral force", "N"],
            range: [-0.3, 0.3],
            varied: Varied::Velocity(1),
            noted: (1, 1.0),
            curves: curves(),
        },
        Plot {
            title: "Polach at 60 m/s: rails that are not clean, friction that falls",
            x: ["angular velocity", "rad/s"],
            y: ["longitudinal force", "N"],
            range: [60.0 / 0.46, 137.0],
            varied: Varied::Velocity(4),
            noted: (0, 1.0),
            curves: [
                ("clean", 0.3, [1.0, 1.0, 1.0, 0.0]),
                ("k 1 and 0.4, A 0.4, B 0.6 s/m", 0.3, [1.0, 0.4, 0.4, 0.6]),
                ("k 0.3 and 0.1, A 0.4, B 0.2 s/m", 0.3, [0.3, 0.1, 0.4, 0.2]),
            ]
            .map(|(label, friction, [adhesion, slip, ratio, decay])| {
                let data = CreepData {
                    law: CreepLaw::Polach,
                    friction,
                    reduction: Reduction { adhesion, slip },
                    falling: FallingFriction { ratio, decay },
                    ..CreepData::default()
                };
                (label.to_string(), Force::creep("", "rail", data).kind, fast)
            })
            .to_vec(),
        },
    ]
}
