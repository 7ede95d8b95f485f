//! The wheelset on its track against Klingel's formula and an own linear theory of two degrees of freedom.

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
const SPIN_INERTIA: f64 = 112.0;
const FRICTION: f64 = 0.3;
/// Speed to which the creep law rounds lower ones.
const LOW_SPEED: f64 = 0.01;

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
    // The moments of spin brake the wheelset a little: 2 f₃₃ sin²δ/r₀ about its axle.
    let law = Contact::new(conicity, speed);
    let braking = 2.0 * law.coefficients(law.normal, RADIUS)[3] * law.sin.powi(2) / RADIUS;
    assert!(
        found.unsteadiness < 1.001 * braking / SPIN_INERTIA + 1e-6,
        "{} {braking}",
        found.unsteadiness
    );
    found
}

/// The oscillation with the largest real part: real part and frequency in rad/s.
fn weakest(modes: &Modes) -> [f64; 2] {
    let all = modes.modes.iter().filter(|m| m.oscillates());
    let found = all.map(|m| [m.eigenvalue.re, m.eigenvalue.im.abs()]);
    found.max_by(|a, b| a[0].total_cmp(&b[0])).unwrap()
}

/// The conicity that counts in Klingel's formula for cones on round heads that lean towards them: rolling
/// without creep, exactly to first order.
///
/// With the angle δ of the treads, tan δ = γ, both gaps stay closed if a displacement y rolls the wheelset
/// by φ = γ y/(e₀ − γ r₀). The contacts move on the heads by ρ φ, so that the radii differ by
/// Δr = φ (e₀ + ρ sin δ) to either side, more than γ y (A. H. Wickens, Fundamentals of Rail Vehicle Dynamics).
/// The same roll lets the contacts move aside faster than the centre: they do not slide for
/// ẏ = V ψ (e₀ − γ r₀)/e₀. With ψ̇ = −V Δr/(r₀ e₀), what remains of both is γ (1 + ρ sin δ/e₀).
fn kinematic(conicity: f64) -> f64 {
    conicity * (1.0 + HEAD * conicity.atan().sin() / SPACING)
}

/// Plain Klingel, 2 π √(r₀ e₀/γ), leaves out that round heads let the contacts move: it is too long by half of
/// ρ sin δ/e₀, 0.2 % for a conicity of 0.01 and 1 % for 0.05. Of the formula with it creep alone is left out:
/// forces k y that creepages must balance, with k the stiffness of gravity, move them by
/// k/(2 f₂₂ ω/V) and the frequency by the square of that; spin resists yaw by f₃₃ + f₂₃²/f₂₂ beside e₀² f₁₁.
#[test]
fn klingel_s_wavelength_at_low_speed() {
    let speed = 0.5;
    println!("conicity  wavelength     Klingel   with round heads   bound");
    for conicity in [0.001, 0.01, 0.05] {
        let [_, frequency] = weakest(&running(speed, 0.0, conicity));
        let wavelength = TAU * speed / frequency;
        let klingel = |g: f64| TAU * (RADIUS * SPACING / g).sqrt();
        let (plain, exact) = (klingel(conicity), klingel(kinematic(conicity)));
        let law = Contact::new(conicity, speed);
        let [f11, f22, f23, f33] = law.coefficients(law.normal, RADIUS);
        // Gravity: the weight on normals that turn by φ and contacts that move by ρ φ and y.
        let stiffness = 2.0 * law.normal * law.roll * (1.0 + (HEAD + RADIUS) / SPACING);
        let resisting = (f33 + f23 * f23 / f22) / (SPACING * SPACING * f11);
        let bound = (stiffness * exact / TAU / (2.0 * f22)).powi(2) + resisting;
        println!(
            "{conicity:8} {wavelength:11.5} {:+11.3e} {:+11.3e} {bound:14.1e}",
            wavelength / plain - 1.0,
            wavelength / exact - 1.0
        );
        let deviation = (wavelength / exact - 1.0).abs();
        assert!(deviation < 1e-4 && deviation < bound, "{wavelength} {exact}");
        let expected = (kinematic(conicity) / conicity).sqrt().recip() - 1.0;
        assert!(
            (wavelength / plain - 1.0 - expected).abs() < 1e-5,
            "{wavelength} {plain}"
        );
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

/// Contacts of the wheelset in the middle of the track.
struct Contact {
    sin: f64,
    cos: f64,
    /// φ by y.
    roll: f64,
    /// Spin of the right wheel, 1/m; that of the left one is its negative.
    spin: f64,
    /// Normal force N₀.
    normal: f64,
    steel: Hertz,
    table: KalkerTable,
}

impl Contact {
    fn new(conicity: f64, speed: f64) -> Self {
        let (sin, cos) = conicity.atan().sin_cos();
        let mut law = Self {
            sin,
            cos,
            roll: conicity / (SPACING - conicity * RADIUS),
            spin: speed / speed.hypot(LOW_SPEED) * sin / RADIUS,
            normal: 0.0,
            steel: Hertz::new(2.1e11, 0.28).unwrap(),
            table: KalkerTable::new(0.28).unwrap(),
        };
        // 2 (N₀ cos δ + T₀ sin δ) is the weight; T₀ depends on N₀.
        law.normal = 0.5 * (MASS * 9.81 + WEIGHT);
        for _ in 0..60 {
            let [_, _, f23, _] = law.coefficients(law.normal, RADIUS);
            let [factor, _] = law.saturation(f23);
            let weight = 0.5 * (MASS * 9.81 + WEIGHT);
            law.normal = (weight - factor * f23 * law.spin * sin) / cos;
        }
        law
    }

    /// f₁₁, f₂₂, f₂₃, f₃₃ for a normal force and a rolling radius.
    fn coefficients(&self, normal: f64, radius: f64) -> [f64; 4] {
        let patch = self.steel.patch(normal, 0.5 * self.cos / radius, 0.5 / HEAD);
        let c = self.table.coefficients(&patch);
        let area = patch.a * patch.b;
        let stiffness = self.steel.shear_modulus() * area;
        [
            stiffness * c.c11,
            stiffness * c.c22,
            stiffness * area.sqrt() * c.c23,
            stiffness * area * c.c33,
        ]
    }

    /// Shen, Hedrick and Elkins at the force of spin: factor and its slope over u.
    fn saturation(&self, f23: f64) -> [f64; 2] {
        let u = f23 * self.spin / (FRICTION * self.normal);
        [1.0 - u / 3.0 + u * u / 27.0, -1.0 / 3.0 + u * 2.0 / 27.0]
    }
}

/// A linear form of y, ψ and n, of which each is a polynomial of the eigenvalue, lowest power first.
#[derive(Clone, Copy)]
struct Form([[f64; 3]; 3]);

impl Form {
    fn sum(parts: &[(f64, Form)]) -> Form {
        let mut sum = Form([[0.0; 3]; 3]);
        for (factor, form) in parts {
            for (s, f) in sum.0.as_flattened_mut().iter_mut().zip(form.0.as_flattened()) {
                *s += factor * f;
            }
        }
        sum
    }

    /// d/dt.
    fn rate(self) -> Form {
        Form(self.0.map(|[a, b, c]| {
            assert_eq!(c, 0.0);
            [0.0, a, b]
        }))
    }
}

fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; a.len() + b.len() - 1];
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate() {
            out[i + j] += a * b;
        }
    }
    out
}

/// The wheelset with lateral displacement y and yaw ψ, exactly to first order: an own derivation by
/// Newton and Euler in fixed axes, with the difference n of the normal forces as third unknown,
/// N_L = N₀ + n, N_R = N₀ − n.
///
/// Kinematics: φ = Φ y; normals turn with φ; the contacts are at (∓ψ (e₀ − γ r₀), ±e₀ − ρ φ cos δ − y,
/// −r₀ ∓ ρ φ sin δ) from the centre. Creepages are ν_x = ∓(φ (e₀ + ρ sin δ)/r₀ + e₀ ψ̇/V),
/// ν_y = e₀ φ̇/(V sin δ) − ψ/cos δ on both sides and the spins ∓sin δ/r₀ + σ,
/// σ = ψ̇ (cos δ − sin δ e₀/r₀)/V. Spin alone makes the forces ±T₀ and moments ±M₀, which change with the
/// normal forces, radii and saturation. Left out is the creepage of 10⁻⁷ that balances 2 M₀ sin δ.
fn linear_theory(speed: f64, stiffness: f64, conicity: f64) -> [f64; 2] {
    let law = Contact::new(conicity, speed);
    let (s, c, n0) = (law.sin, law.cos, law.normal);
    let (r0, e0, rho) = (RADIUS, SPACING, HEAD);
    let [f11, f22, f23, f33] = law.coefficients(n0, r0);
    let difference = |k: usize, force: f64, length: f64| {
        let [after, before] =
            [1.0, -1.0].map(|sign| law.coefficients(n0 + sign * force, r0 + sign * length)[k]);
        0.5 * (after - before)
    };
    let by_normal = |k| difference(k, 10.0, 0.0) / 10.0;
    let by_radius = |k| difference(k, 0.0, 1e-5) / 1e-5;

    let unit = |k: usize| {
        let mut form = Form([[0.0; 3]; 3]);
        form.0[k][0] = 1.0;
        form
    };
    let (y, psi, n) = (unit(0), unit(1), unit(2));
    let phi = Form::sum(&[(law.roll, y)]);
    let radius = Form::sum(&[(e0 + rho * s, phi)]);
    let rounded = speed.hypot(LOW_SPEED);
    let spinning = speed / r0;
    let nu_x = Form::sum(&[(spinning / rounded, radius), (e0 / rounded, psi.rate())]);
    let nu_y = Form::sum(&[(e0 / s / rounded, phi.rate()), (-speed / c / rounded, psi)]);
    let sigma = c / rounded - spinning * s * speed * e0 / rounded.powi(3);
    let sigma = Form::sum(&[(sigma, psi.rate())]);

    let [factor, slope] = law.saturation(f23);
    let (t_linear, m_linear) = (f23 * law.spin, f33 * law.spin);
    let (t0, m0) = (factor * t_linear, factor * m_linear);
    let change = |k| Form::sum(&[(law.spin * by_normal(k), n), (law.spin * by_radius(k), radius)]);
    let tau = Form::sum(&[(-f22, nu_y), (-f23, sigma), (1.0, change(2))]);
    let moment = Form::sum(&[(f23, nu_y), (-f33, sigma), (1.0, change(3))]);
    let u = Form::sum(&[
        (1.0 / (FRICTION * n0), tau),
        (-t_linear / (FRICTION * n0 * n0), n),
    ]);
    let tau = Form::sum(&[(factor, tau), (slope * t_linear, u)]);
    let moment = Form::sum(&[(factor, moment), (slope * m_linear, u)]);

    let (p0, q0) = (n0 * c + t0 * s, t0 * c - n0 * s);
    let up = Form::sum(&[(c, n), (t0 * c - n0 * s, phi), (s, tau)]);
    let aside = Form::sum(&[(-s, n), (-n0 * c - t0 * s, phi), (c, tau)]);
    // Axle boxes are 1 m beside the middle.
    let lateral = Form::sum(&[(MASS, y.rate().rate()), (-2.0, aside), (2.0 * stiffness, y)]);
    let roll = Form::sum(&[
        (YAW_INERTIA, phi.rate().rate()),
        (-SPIN_INERTIA * spinning, psi.rate()),
        (-2.0 * e0, up),
        (-2.0 * r0, aside),
        (2.0 * rho * (c * p0 - s * q0), phi),
        (2.0 * p0, y),
    ]);
    let yaw = Form::sum(&[
        (YAW_INERTIA, psi.rate().rate()),
        (SPIN_INERTIA * spinning, phi.rate()),
        (2.0 * (e0 - conicity * r0) * q0, psi),
        (2.0 * e0 * factor * f11, nu_x),
        (-2.0 * c, moment),
        (2.0 * m0 * s, phi),
        (2.0 * stiffness, psi),
    ]);
    let rows = [lateral.0, roll.0, yaw.0];
    let mut characteristic = [0.0; 7];
    for [i, j, k] in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
        let even = (j + 3 - i) % 3 == 1;
        let term = product(&product(&rows[0][i], &rows[1][j]), &rows[2][k]);
        for (sum, term) in characteristic.iter_mut().zip(term) {
            *sum += if even { term } else { -term };
        }
    }
    // n has no inertia: the degree is four.
    let [c0, c1, c2, c3, c4, ..] = characteristic;
    let found = roots([c3 / c4, c2 / c4, c1 / c4, c0 / c4]);
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
    while high - low > 1e-7 * high {
        let middle = 0.5 * (low + high);
        match weakest(middle)[0] < 0.0 {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

/// The same terms are kept on both sides: what remains is the creepage of 10⁻⁷ that the theory leaves out.
#[test]
fn hunting_at_speed_as_in_the_linear_theory() {
    let (stiffness, allowed) = (200e3, 1e-6);
    for conicity in [0.05, 0.005] {
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
    println!("critical speed {found:.4} m/s, theory {theory:.4} m/s");
    // The real part is known to 10⁻⁶ of the frequency; over speed it rises by about as much per m/s
    // as a hundredth of it.
    assert!((found / theory - 1.0).abs() < 1e-5, "{found} {theory}");
}
