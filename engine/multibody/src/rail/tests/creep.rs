//! Creep: coefficients, limits, reductions.

use super::{G, close, creep, patch_and_table};
use crate::rail::*;
use holonom_algebra::Dual4;

/// Kalker's table E.3 as printed: C₁₁, C₂₂, C₂₃, each for ν = 0, ¼, ½; a/b = 0.1, 0.2, … 1.
#[allow(clippy::approx_constant)] // Some happen to be 3.14.
const ACROSS: [[f64; 9]; 10] = [
    [2.51, 3.31, 4.85, 2.51, 2.52, 2.53, 0.334, 0.473, 0.731],
    [2.59, 3.37, 4.81, 2.59, 2.63, 2.66, 0.483, 0.603, 0.809],
    [2.68, 3.44, 4.8, 2.68, 2.75, 2.81, 0.607, 0.715, 0.889],
    [2.78, 3.53, 4.82, 2.78, 2.88, 2.98, 0.72, 0.823, 0.977],
    [2.88, 3.62, 4.83, 2.88, 3.01, 3.14, 0.827, 0.929, 1.07],
    [2.98, 3.72, 4.91, 2.98, 3.14, 3.31, 0.93, 1.03, 1.18],
    [3.09, 3.81, 4.97, 3.09, 3.28, 3.48, 1.03, 1.14, 1.29],
    [3.19, 3.91, 5.05, 3.19, 3.41, 3.65, 1.13, 1.25, 1.4],
    [3.29, 4.01, 5.12, 3.29, 3.54, 3.82, 1.23, 1.36, 1.51],
    [3.4, 4.12, 5.2, 3.4, 3.67, 3.98, 1.33, 1.47, 1.63],
];

/// The same for b/a.
const ALONG: [[f64; 9]; 10] = [
    [10.7, 11.7, 12.9, 10.7, 12.8, 16.0, 12.2, 14.6, 18.0],
    [6.96, 7.78, 8.82, 6.96, 8.14, 9.79, 5.72, 6.63, 7.89],
    [5.57, 6.34, 7.34, 5.57, 6.4, 7.51, 3.79, 4.32, 5.01],
    [4.84, 5.57, 6.57, 4.84, 5.48, 6.31, 2.88, 3.24, 3.7],
    [4.37, 5.1, 6.11, 4.37, 4.9, 5.56, 2.35, 2.62, 2.96],
    [4.06, 4.78, 5.8, 4.06, 4.5, 5.04, 2.01, 2.23, 2.5],
    [3.82, 4.54, 5.58, 3.82, 4.21, 4.67, 1.76, 1.95, 2.18],
    [3.65, 4.36, 5.42, 3.65, 3.99, 4.39, 1.58, 1.75, 1.94],
    [3.51, 4.22, 5.3, 3.51, 3.81, 4.16, 1.44, 1.59, 1.77],
    [3.4, 4.12, 5.2, 3.4, 3.67, 3.98, 1.33, 1.47, 1.63],
];

#[test]
fn all_numbers_of_kalker_s_table() {
    for (n, poisson) in [0.0, 0.25, 0.5].into_iter().enumerate() {
        let table = KalkerTable::new(poisson).unwrap();
        for k in 0..10 {
            let g = 0.1 * (k + 1) as f64;
            for (rows, patch) in [
                (&ACROSS, Patch { a: g, b: 1.0 }),
                (&ALONG, Patch { a: 1.0, b: g }),
            ] {
                let c = table.coefficients(&patch);
                for (j, found) in [c.c11, c.c22, c.c23].into_iter().enumerate() {
                    close(found, rows[k][3 * j + n], 1e-13, "printed");
                }
            }
        }
    }
}

const LIMIT: f64 = 0.3 * 6e4;

/// Forces between bodies that are not clean.
fn reduced(adhesion: f64, slip: f64, creep: &Creepage<f64>) -> CreepForces<f64> {
    let (patch, c) = patch_and_table(6e-3, 4e-3);
    CreepLaw::Polach.reduced_forces(&Reduction { adhesion, slip }, &patch, &c, G, LIMIT, creep)
}

/// For small creepages all laws are Kalker's linear theory, the moment included. Polach's law departs by
/// the cube of the creepage, u² ≈ 10⁻⁶; saturation by u/3.
#[test]
fn small_creepages_give_the_linear_moment() {
    for (a, b) in [(6e-3, 4e-3), (3e-3, 7e-3), (5e-3, 5e-3)] {
        let (patch, c) = patch_and_table(a, b);
        let (stiffness, area) = (G * a * b, a * b);
        for (law, small) in [
            (CreepLaw::Polach, 1e-6),
            (CreepLaw::ALL[1], 1e-7),
            (CreepLaw::ALL[0], 1e-10),
        ] {
            let moment = |creep| law.forces(&patch, &c, G, LIMIT, &creep).moment;
            // Creepages that are rounded at 10⁻⁹ need a large one beside them.
            let lateral = moment(creep(0.0, small, 0.0));
            close(lateral, stiffness * area.sqrt() * c.c23 * small, 1e-6, law.name());
            let spin = moment(creep(0.0, 0.0, small / a));
            close(spin, -stiffness * area * c.c33 * small / a, 1e-6, law.name());
        }
    }
}

#[test]
fn reductions_act_on_small_creepages_alone() {
    let (patch, c) = patch_and_table(6e-3, 4e-3);
    let stiffness = G * 24e-6;
    for (adhesion, slip) in [(1.0, 0.4), (0.3, 0.1), (1.0, 1.0)] {
        let small = 2e-6;
        let x = reduced(adhesion, slip, &creep(small, 0.0, 0.0));
        let share = 0.5 * (adhesion + slip);
        close(x.longitudinal, -share * stiffness * c.c11 * small, 1e-6, "small");
        let y = reduced(adhesion, slip, &creep(0.0, small, 0.0));
        close(y.lateral, -share * stiffness * c.c22 * small, 1e-6, "small");
        // arctan(k ε) is 1/(k ε) below its limit.
        let large = reduced(adhesion, slip, &creep(4e4, -3e4, 0.0));
        close(large.longitudinal.hypot(large.lateral), LIMIT, 1e-6, "large");
    }
    // Without reduction it is the plain law, bit for bit.
    for creep in [
        creep(1e-3, 2e-3, 0.3),
        creep(0.0, 0.0, 1.0),
        creep(0.1, 0.0, -0.2),
    ] {
        let plain = CreepLaw::Polach.forces(&patch, &c, G, LIMIT, &creep);
        assert_eq!(reduced(1.0, 1.0, &creep), plain);
    }
    // Kalker's laws have none.
    for law in [CreepLaw::ALL[0], CreepLaw::ALL[1]] {
        let creep = creep(1e-3, 2e-3, 0.3);
        let reduction = Reduction {
            adhesion: 0.3,
            slip: 0.1,
        };
        let same = law.reduced_forces(&reduction, &patch, &c, G, LIMIT, &creep);
        assert_eq!(same, law.forces(&patch, &c, G, LIMIT, &creep));
    }
}

/// Falling friction and reduction make the maximum of adhesion, which the plain law has not.
#[test]
fn friction_falls_behind_a_maximum() {
    let falling = FallingFriction {
        ratio: 0.4,
        decay: 0.6,
    };
    assert_eq!(falling.factor(0.0), 1.0);
    close(falling.factor(1e3), 0.4, 1e-15, "far");
    close(
        falling.factor(Dual4::variable(0.5, 0)).derivative(0),
        -0.6 * 0.6 * (-0.3_f64).exp(),
        1e-14,
        "slope",
    );
    assert_eq!(FallingFriction::default().factor(7.0), 1.0);
    let (patch, c) = patch_and_table(6e-3, 4e-3);
    let reduction = Reduction {
        adhesion: 1.0,
        slip: 0.4,
    };
    let force = |speed: f64, slip: f64| {
        let limit = LIMIT * falling.factor(slip * speed);
        let creep = creep(slip, 0.0, 0.0);
        -CreepLaw::Polach
            .reduced_forces(&reduction, &patch, &c, G, limit, &creep)
            .longitudinal
    };
    let most = |speed: f64| {
        (1..400)
            .map(|k| force(speed, 1e-3 * f64::from(k)))
            .fold(0.0, f64::max)
    };
    assert!(most(10.0) > 1.2 * force(10.0, 0.4));
    // Faster vehicles slide faster at the same creepage: their maximum is lower.
    assert!(most(10.0) > most(30.0) && most(30.0) > most(60.0));
}
