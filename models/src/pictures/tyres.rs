//! Characteristics of tyres: a wheel that rolls upright along x at 20 m/s, its slip being steady.

use super::{Plot, State, Varied};
use holonom::multibody::description::{Carcass, Document, Force, ForceKind, Mount};
use holonom::multibody::tyre::tir::TirFile;
use holonom::multibody::tyre::{Calspan, Linear, MagicFormula, Tmeasy, TmeasyAxis};

const RADIUS: f64 = 0.32;
const STIFFNESS: f64 = 200e3;
const SPEED: f64 = 20.0;

fn kind(name: &str) -> ForceKind {
    let (mount, carcass) = (Mount::new("body"), Carcass::new(RADIUS, STIFFNESS));
    let force = match name {
        "linear-tyre" => Force::linear_tyre("", mount, carcass, linear()),
        "calspan-tyre" => {
            let law = Calspan {
                slip_stiffness: 60e3,
                ..Calspan::default()
            };
            Force::calspan_tyre("", mount, carcass, law)
        }
        "tmeasy-tyre" => Force::tmeasy_tyre("", mount, carcass, tmeasy()),
        _ => {
            let data = TirFile::from_magic_formula(&magic_formula()).to_string();
            Force::tyre("", mount, Document::new("sample.tir", data))
        }
    };
    force.kind
}

fn linear() -> Linear {
    Linear {
        slip_stiffness: 80e3,
        cornering_stiffness: 50e3,
        friction_x: 1.0,
        friction_y: 0.9,
        trail: 0.03,
        ..Linear::default()
    }
}

/// Numbers of a passenger car's tyre.
fn tmeasy() -> Tmeasy {
    Tmeasy {
        nominal_load: 3000.0,
        x: TmeasyAxis {
            slope: [90e3, 160e3],
            peak_force: [3200.0, 6000.0],
            peak_slip: [0.11, 0.12],
            sliding_force: [3000.0, 5400.0],
            sliding_slip: [0.4, 0.5],
        },
        y: TmeasyAxis {
            slope: [60e3, 95e3],
            peak_force: [3000.0, 5500.0],
            peak_slip: [0.18, 0.2],
            sliding_force: [2900.0, 5300.0],
            sliding_slip: [0.6, 0.8],
        },
        trail: [0.16, 0.18],
        trail_zero: [0.2, 0.22],
        trail_end: [0.4, 0.45],
        stiffness_x: 150e3,
        stiffness_y: 100e3,
    }
}

/// Numbers of the size that passenger cars' tyres have.
fn magic_formula() -> MagicFormula {
    MagicFormula {
        unloaded_radius: RADIUS,
        vertical_stiffness: STIFFNESS,
        fnomin: 4000.0,
        pcx1: 1.65,
        pdx1: 1.1,
        pdx2: -0.1,
        pex1: 0.2,
        pkx1: 22.0,
        ptx1: 2.0,
        pcy1: 1.3,
        pdy1: 1.0,
        pdy2: -0.1,
        pey1: -0.5,
        pky1: -14.0,
        pky2: 1.6,
        pty1: 2.1,
        pty2: 2.0,
        qbz1: 8.5,
        qcz1: 1.2,
        qdz1: 0.1,
        ssz1: 0.01,
        ..MagicFormula::default()
    }
}

/// Force over slip along and across, and the aligning torque, at several loads.
pub(super) fn plots(name: &str) -> Vec<Plot> {
    let kind = kind(name);
    let curves = || {
        let loads = [2e3, 4e3, 6e3];
        let curve = |load: f64| {
            let state = State::default().at(2, RADIUS - load / STIFFNESS).moving(0, SPEED);
            (format!("load {} kN", load / 1e3), kind.clone(), state)
        };
        loads.map(curve).to_vec()
    };
    let across = |title, y, coordinate| Plot {
        title,
        x: ["lateral slip tan α", "1"],
        y,
        range: [-0.3, 0.3],
        varied: Varied::SideSlip,
        noted: (coordinate, 1.0),
        curves: curves(),
    };
    vec![
        across("side force, no longitudinal slip", ["lateral force", "N"], 1),
        Plot {
            title: "longitudinal force, no lateral slip",
            x: ["longitudinal slip κ", "1"],
            y: ["longitudinal force", "N"],
            range: [-0.4, 0.4],
            varied: Varied::Slip,
            noted: (0, 1.0),
            curves: curves(),
        },
        across(
            "torque about the normal, no longitudinal slip",
            ["aligning torque", "N m"],
            5,
        ),
    ]
}
