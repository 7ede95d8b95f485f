//! The wheelset on its track against Klingel's formula and the linear theory of two degrees of freedom.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use holonom::analysis::modes::{Modes, modes, state_of};
use holonom::multibody::rail::{Hertz, KalkerTable};
use holonom_models::find;
use std::f64::consts::TAU;
use std::sync::Arc;

const MASS: f64 = 1813.0;
const YAW_INERTIA: f64 = 1120.0;
const RADIUS: f64 = 0.46;
const SPACING: f64 = 0.75;
const HEAD: f64 = 0.3;
const WEIGHT: f64 = 80e3;

/// Modes in steady running in the middle of the track.
fn running(speed: f64, stiffness: f64, conicity: f64) -> Modes {
    let texts = [speed, stiffness, conicity].map(|x| x.to_string());
    let parameters = [
        ("v", texts[0].as_str()),
        ("kx", texts[1].as_str()),
        ("ky", texts[1].as_str()),
        ("conicity", texts[2].as_str()),
        ("offset", "0"),
    ];
    let file = find("wheelset").unwrap().read_with(&parameters).unwrap();
    let model = Arc::new(file.compile().unwrap_or_else(|e| panic!("{e}")));
    let start = model.assemble(&Default::default()).unwrap();
    let found = modes(&start, &state_of(&start)).unwrap();
    assert!(found.unsteadiness < 1e-6, "{}", found.unsteadiness);
    found
}

/// The oscillation with the largest real part: real part and frequency in rad/s.
fn weakest(modes: &Modes) -> [f64; 2] {
    let all = modes.modes.iter().filter(|m| m.oscillates());
    let found = all.map(|m| [m.eigenvalue.re, m.eigenvalue.im.abs()]);
    found.max_by(|a, b| a[0].total_cmp(&b[0])).unwrap()
}

/// The conicity that counts in Klingel's formula for cones on round heads that lean towards them.
///
/// A displacement y rolls the wheelset by φ = δ y/(e₀ − r₀ δ), with δ the angle of the treads; contacts
/// move on the heads by ρ φ, so that the radii differ by γ (e₀ + ρ δ)/(e₀ − r₀ δ) y to either side (A. H.
/// Wickens, Fundamentals of Rail Vehicle Dynamics). The same roll moves the contact points by r₀ φ: they
/// go e₀/(e₀ − r₀ δ) times as far as the centre. Both together leave γ (1 + ρ δ/e₀).
fn kinematic(conicity: f64) -> f64 {
    conicity * (1.0 + HEAD * conicity.atan().sin() / SPACING)
}

#[test]
fn klingel_s_wavelength_at_low_speed() {
    let speed = 0.5;
    println!("conicity  wavelength     Klingel   with round heads");
    for conicity in [0.001, 0.01, 0.05] {
        let [_, frequency] = weakest(&running(speed, 0.0, conicity));
        let wavelength = TAU * speed / frequency;
        let klingel = |g: f64| TAU * (RADIUS * SPACING / g).sqrt();
        let (plain, exact) = (klingel(conicity), klingel(kinematic(conicity)));
        println!(
            "{conicity:8} {wavelength:11.5} {:+11.3e} {:+11.3e}",
            wavelength / plain - 1.0,
            wavelength / exact - 1.0
        );
        assert!((wavelength / exact - 1.0).abs() < 1e-3, "{wavelength} {exact}");
        if conicity < 0.002 {
            assert!((wavelength / plain - 1.0).abs() < 1e-3, "{wavelength} {plain}");
        }
    }
}

type Complex = [f64; 2];

fn times(a: Complex, b: Complex) -> Complex {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

/// Roots of a monic polynomial of degree 4, highest power left out: Durand and Kerner.
fn roots(coefficients: [f64; 4]) -> [Complex; 4] {
    let scale = coefficients[3]
        .abs()
        .powf(0.25)
        .max(coefficients[0].abs())
        .max(1.0);
    let value = |z: Complex| {
        coefficients.iter().fold([1.0, 0.0], |sum: Complex, c| {
            let product = times(sum, z);
            [product[0] + c, product[1]]
        })
    };
    let mut z: [Complex; 4] = core::array::from_fn(|k| {
        let (sin, cos) = (0.4 + 1.5 * k as f64).sin_cos();
        [scale * cos, scale * sin]
    });
    for _ in 0..2000 {
        for k in 0..4 {
            let others = (0..4).filter(|j| *j != k);
            let apart = others.fold([1.0, 0.0], |product: Complex, j| {
                times(product, [z[k][0] - z[j][0], z[k][1] - z[j][1]])
            });
            let top = value(z[k]);
            let norm = apart[0] * apart[0] + apart[1] * apart[1];
            let step = times(top, [apart[0] / norm, -apart[1] / norm]);
            z[k] = [z[k][0] - step[0], z[k][1] - step[1]];
        }
    }
    z
}

/// m ÿ + 2 f₂₂ (ẏ/V − ψ) + k_y y = 0, I ψ̈ + 2 f₁₁ e₀ (e₀ ψ̇/V + γ y/r₀) + k_ψ ψ = 0.
fn linear_theory(speed: f64, stiffness: f64, conicity: f64) -> [f64; 2] {
    let steel = Hertz::new(2.1e11, 0.28).unwrap();
    let normal = 0.5 * (MASS * 9.81 + WEIGHT);
    let patch = steel.patch(normal, 0.5 / RADIUS, 0.5 / HEAD);
    let c = KalkerTable::new(0.28).unwrap().coefficients(&patch);
    let area = steel.shear_modulus() * patch.a * patch.b;
    let (f11, f22) = (area * c.c11, area * c.c22);
    // Axle boxes are 1 m beside the middle.
    let (lateral, yaw) = (2.0 * stiffness, 2.0 * stiffness);
    let (dy, dpsi) = (
        2.0 * f22 / speed / MASS,
        2.0 * f11 * SPACING * SPACING / speed / YAW_INERTIA,
    );
    let (ky, kpsi) = (lateral / MASS, yaw / YAW_INERTIA);
    let product = (2.0 * f22 / MASS) * (2.0 * f11 * SPACING * conicity / RADIUS / YAW_INERTIA);
    let found = roots([
        dy + dpsi,
        ky + kpsi + dy * dpsi,
        ky * dpsi + kpsi * dy,
        ky * kpsi + product,
    ]);
    let oscillations = found.iter().filter(|z| z[1] > 1e-6);
    oscillations
        .copied()
        .max_by(|a, b| a[0].total_cmp(&b[0]))
        .unwrap()
}

/// Speed at which the weakest oscillation neither grows nor decays.
fn critical(weakest: impl Fn(f64) -> [f64; 2]) -> f64 {
    let (mut low, mut high) = (10.0, 200.0);
    assert!(weakest(low)[0] < 0.0 && weakest(high)[0] > 0.0);
    while high - low > 1e-6 * high {
        let middle = 0.5 * (low + high);
        match weakest(middle)[0] < 0.0 {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

/// What the theory leaves out is of the order of the conicity: the roll, the components of the normal
/// forces that hold the wheelset in the middle, its gyroscopic moment. Of the spin a part remains.
#[test]
fn hunting_at_speed_as_in_the_linear_theory() {
    let stiffness = 200e3;
    for (conicity, allowed) in [(0.05, 0.015), (0.005, 0.006)] {
        println!("conicity {conicity}");
        println!("speed  modes                  theory                 deviations");
        for speed in [5.0, 10.0, 20.0, 40.0, 60.0, 80.0] {
            let found = weakest(&running(speed, stiffness, conicity));
            let theory = linear_theory(speed, stiffness, conicity);
            let size = theory[0].hypot(theory[1]);
            let deviations = [0, 1].map(|k| (found[k] - theory[k]) / size);
            println!(
                "{speed:5} {:+10.4} {:10.4}  {:+10.4} {:10.4}  {:+9.2e} {:+9.2e}",
                found[0], found[1], theory[0], theory[1], deviations[0], deviations[1]
            );
            assert!(deviations.iter().all(|d| d.abs() < allowed), "{deviations:?}");
        }
    }
    let found = critical(|speed| weakest(&running(speed, stiffness, 0.05)));
    let theory = critical(|speed| linear_theory(speed, stiffness, 0.05));
    println!("critical speed {found:.3} m/s, theory {theory:.3} m/s");
    assert!((found / theory - 1.0).abs() < 0.05, "{found} {theory}");
}
