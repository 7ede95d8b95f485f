//! Characteristics of wheels on rails.

use super::{Plot, State, Varied};
use crate::description::{Constraint, Force};
use crate::elements::constraints::WheelRailShape;
use crate::elements::forces::CreepData;
use crate::rail::CreepLaw;

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
    ]
}
