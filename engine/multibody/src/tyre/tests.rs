//! Laws: published points, limits, derivatives; and tyre property files.
#![allow(clippy::unwrap_used)]

use super::tir::{TirError, TirFile};
use super::*;
use holonom_algebra::Dual4;

/// The Pacejka set of the 12 m city bus of Project Chrono.
fn bus() -> MagicFormula {
    MagicFormula {
        unloaded_radius: 0.54485,
        width: 0.305,
        rim_radius: 0.28575,
        vertical_stiffness: 998_303.9,
        vertical_damping: 8401.195,
        fnomin: 29912.0,
        lfz0: 1.219_512_195,
        ltr: 1.063_870_107,
        pcx1: 1.4,
        pdx1: 0.84003,
        pdx2: -0.065962,
        pex1: -4.5309,
        pex2: -3.0987,
        pex3: 0.20647,
        pkx1: 6.3425,
        pkx2: -1.9878e-05,
        pkx3: -0.16666,
        rbx1: 10.0,
        rbx2: 6.0,
        rcx1: 1.0,
        pcy1: 0.54764,
        pdy1: -1.1188,
        pdy2: 0.072812,
        pdy3: -1.7244,
        pey1: 0.056372,
        pey2: -0.065607,
        pey3: -0.28765,
        pey4: 63.843,
        pky1: -9.5432,
        pky2: 2.4559,
        pky3: 0.62823,
        phy1: 0.0035499,
        phy2: 0.0045166,
        phy3: -0.035468,
        pvy1: 0.0031041,
        pvy2: 0.009559,
        pvy3: -0.13882,
        pvy4: -0.25693,
        qbz1: 8.5499,
        qbz2: -2.0123,
        qbz3: -9.7502,
        qbz4: 0.40886,
        qbz5: -0.75474,
        qbz9: 0.49999,
        qcz1: 1.4,
        qdz1: 0.080379,
        qdz2: -0.02931,
        qdz3: -0.032073,
        qdz4: 0.29184,
        qdz6: -0.0025776,
        qdz7: -0.0014791,
        qdz8: -0.020474,
        qdz9: 0.0044162,
        qez1: -0.017913,
        qez2: -0.73133,
        qez3: -4.7227,
        qez4: 0.32329,
        qez5: 2.5289,
        qhz1: -0.0011513,
        qhz2: -0.0057439,
        qhz3: 0.12163,
        qhz4: 0.10576,
        qsy1: 0.015,
        ..MagicFormula::default()
    }
}

/// The TMeasy set of the same bus.
fn bus_tmeasy() -> Tmeasy {
    Tmeasy {
        nominal_load: 8562.8266,
        x: TmeasyAxis {
            slope: [151_447.29, 236_412.79],
            peak_force: [7575.3614, 12808.276],
            peak_slip: [0.12, 0.15],
            sliding_force: [4657.9208, 8625.3352],
            sliding_slip: [0.9, 0.95],
        },
        y: TmeasyAxis {
            slope: [50931.693, 94293.847],
            peak_force: [6615.0404, 12509.947],
            peak_slip: [0.38786, 0.38786],
            sliding_force: [6091.5092, 11443.875],
            sliding_slip: [0.82534, 0.91309],
        },
        trail: [0.178, 0.19],
        trail_zero: [0.40726, 0.40726],
        trail_end: [0.82534, 0.91309],
        stiffness_x: 185_004.42,
        stiffness_y: 164_448.37,
    }
}

fn laws() -> Vec<(TyreLaw, f64)> {
    let linear = Linear {
        slip_stiffness: 80e3,
        cornering_stiffness: 50e3,
        camber_stiffness: 2e3,
        friction_x: 1.0,
        friction_y: 0.9,
        trail: 0.03,
        ..Linear::default()
    };
    let calspan = Calspan {
        slip_stiffness: 60e3,
        ..Calspan::default()
    };
    vec![
        (TyreLaw::Linear(linear), 4000.0),
        (
            TyreLaw::Linear(Linear {
                nominal_load: 3000.0,
                ..linear
            }),
            4000.0,
        ),
        (TyreLaw::Calspan(calspan), 3800.0),
        (TyreLaw::Calspan(Calspan::default()), 3800.0),
        (TyreLaw::Tmeasy(Box::new(bus_tmeasy())), 8562.8),
        (TyreLaw::MagicFormula(Box::new(bus())), 36478.0),
    ]
}

fn contact(load: f64, kappa: f64, lateral: f64) -> Contact<f64> {
    Contact {
        load,
        kappa,
        lateral,
        speed: 10.0,
        patch: 0.2,
        ..Contact::default()
    }
}

#[track_caller]
fn close(a: f64, b: f64, relative: f64) {
    assert!((a - b).abs() <= relative * b.abs(), "{a} and {b}");
}

/// At the nominal load the coefficients can be read off: peak μ, slip stiffness, cornering
/// stiffness, trail and rolling resistance.
#[test]
fn bus_tyre_at_its_nominal_load() {
    let tyre = bus();
    let nominal = 29912.0 * 1.219_512_195;
    let h = 1e-5;
    let fx = |kappa: f64| tyre.forces(&contact(nominal, kappa, 0.0)).longitudinal;
    let peak = (0..4000).map(|k| fx(f64::from(k) * 2.5e-4)).fold(0.0, f64::max);
    close(peak, 0.84003 * nominal, 1e-6);
    close((fx(h) - fx(-h)) / (2.0 * h), 6.3425 * nominal, 1e-6);

    // The lateral curve without its shifts: through zero with K, up to D sin(C π/2) as E < 1.
    let plain = MagicFormula {
        phy1: 0.0,
        pvy1: 0.0,
        ..tyre
    };
    let fy = |tan: f64| plain.forces(&contact(nominal, 0.0, tan)).lateral;
    let stiffness = -9.5432 * nominal * (2.0 * (1.0_f64 / 2.4559).atan()).sin();
    close((fy(h) - fy(-h)) / (2.0 * h), stiffness, 1e-6);
    close(-fy(1e6), bus_lateral_limit(nominal), 1e-3);
    // With C < 1 the peak factor 1.1188 is never reached, only its share sin(C atan …).
    assert!(-fy(1e6) < 1.1188 * nominal * (0.54764 * core::f64::consts::FRAC_PI_2).sin());

    // Trail n = D_t F_z R₀/F_z0 LTR at zero slip, where the cosine is one.
    let trail = 0.080379 * nominal * (0.54485 / 29912.0) * 1.063_870_107;
    let plain = MagicFormula {
        qhz1: 0.0,
        qdz6: 0.0,
        ..plain
    };
    let slope = |f: fn(&Forces<f64>) -> f64| {
        let at = |tan: f64| f(&plain.forces(&contact(nominal, 0.0, tan)));
        (at(h) - at(-h)) / (2.0 * h)
    };
    close(slope(|f| f.aligning), -trail * stiffness, 1e-6);
    close(
        plain.forces(&contact(nominal, 0.0, 0.0)).resistance,
        0.015 * nominal * 0.54485,
        1e-12,
    );
    // The same at another load, from the formulas in the reference.
    let load = 20000.0;
    let dfz = load / nominal - 1.0;
    let mu = 0.84003 - 0.065962 * dfz;
    let fx = |kappa: f64| tyre.forces(&contact(load, kappa, 0.0)).longitudinal;
    let peak = (0..4000).map(|k| fx(f64::from(k) * 2.5e-4)).fold(0.0, f64::max);
    close(peak, mu * load, 1e-6);
    let k = load * (6.3425 - 1.9878e-5 * dfz) * f64::exp(-0.16666 * dfz);
    close((fx(h) - fx(-h)) / (2.0 * h), k, 1e-6);
}

/// D sin(C atan(…)) at α = π/2 for the bus.
fn bus_lateral_limit(nominal: f64) -> f64 {
    let (c, d): (f64, f64) = (0.54764, 1.1188 * nominal);
    let k = 9.5432 * nominal * (2.0 * (1.0_f64 / 2.4559).atan()).sin();
    let b = k / (c * d);
    let x = b * core::f64::consts::FRAC_PI_2;
    let e = 0.056372 * (1.0 + 0.28765);
    d * (c * (x - e * (x - x.atan())).atan()).sin()
}

/// TMeasy passes through its points at the nominal load and at twice that.
#[test]
fn tmeasy_passes_through_its_points() {
    let tyre = bus_tmeasy();
    for (k, load) in [8562.8266, 2.0 * 8562.8266].into_iter().enumerate() {
        // s = κ/(1 + κ).
        let fx = |s: f64| tyre.forces(&contact(load, s / (1.0 - s), 0.0)).longitudinal;
        let fy = |s: f64| -tyre.forces(&contact(load, 0.0, s)).lateral;
        for (axis, f) in [(tyre.x, &fx as &dyn Fn(f64) -> f64), (tyre.y, &fy)] {
            close(f(axis.peak_slip[k]), axis.peak_force[k], 1e-6);
            close(f(axis.sliding_slip[k]), axis.sliding_force[k], 1e-6);
            close(f(0.98), axis.sliding_force[k], 1e-6);
            close(f(1e-7) / 1e-7, axis.slope[k], 1e-3);
            assert!((-f(-0.1) - f(0.1)).abs() < 1e-9);
        }
        // The trail passes zero where it should, and is n/L at zero slip.
        let m = |s: f64| tyre.forces(&contact(load, 0.0, s)).aligning;
        assert!(m(tyre.trail_zero[k]).abs() < 1e-9);
        close(m(1e-4), tyre.trail[k] * 0.2 * fy(1e-4), 1e-3);
        assert_eq!(m(1.0), 0.0);
    }
}

/// Fy against Fx stays within the friction ellipse, and each grows with its slip from zero.
#[test]
fn combined_forces_stay_within_the_ellipse() {
    for (law, load) in laws() {
        let pure = |x: bool| {
            let f = |s: f64| {
                let (kappa, lateral) = if x { (s, 0.0) } else { (0.0, s) };
                let f = law.forces(&contact(load, kappa, lateral));
                if x { f.longitudinal } else { f.lateral }.abs()
            };
            // Laws that approach their largest force get there when the slip is large without end.
            let slips = (0..2000).map(|k| f64::from(k - 1000) * 2e-3);
            slips.chain([-1e9, 1e9]).map(f).fold(0.0, f64::max)
        };
        let (most_x, most_y) = (pure(true), pure(false));
        for i in -20..=20 {
            for j in -20..=20 {
                let f = law.forces(&contact(load, f64::from(i) * 0.05, f64::from(j) * 0.05));
                let x = if most_x > 0.0 {
                    f.longitudinal / most_x
                } else {
                    0.0
                };
                let y = f.lateral / most_y;
                let most = match law {
                    // The weights of the bus have no RBY: side force does not know κ there.
                    TyreLaw::MagicFormula(_) => 2.0,
                    // TMeasy interpolates the largest force over its direction: with the ratio r of
                    // the two it leaves the ellipse by up to (r − 1/r)²/4.
                    TyreLaw::Tmeasy(_) => 1.0 + 0.25 * (most_x / most_y - most_y / most_x).powi(2),
                    // Within the ellipse; rounding of the largest forces by (μ F_z/C s)⁴/4 and of numbers.
                    _ => 1.0 + 1e-12,
                };
                assert!(x * x + y * y <= most, "{law:?}: {i} {j} {x} {y}");
            }
        }
        if most_x > 0.0 {
            assert!(law.forces(&contact(load, 0.02, 0.0)).longitudinal > 0.0);
        }
        assert!(law.forces(&contact(load, 0.0, 0.05)).lateral < 0.0);
        let leaning = Contact {
            camber: 0.1,
            ..contact(load, 0.0, 0.0)
        };
        assert!(law.forces(&leaning).lateral <= 0.0);
    }
}

/// With weights of combined slip, side force falls as κ grows.
#[test]
fn combined_slip_of_the_magic_formula() {
    let tyre = MagicFormula {
        rby1: 7.0,
        rby2: 2.5,
        rcy1: 1.0,
        ..bus()
    };
    let nominal = 36478.0;
    let fy = |kappa: f64| tyre.forces(&contact(nominal, kappa, 0.1)).lateral.abs();
    let fx = |tan: f64| tyre.forces(&contact(nominal, 0.1, tan)).longitudinal.abs();
    for k in 1..20 {
        let (a, b) = (f64::from(k - 1) * 0.05, f64::from(k) * 0.05);
        assert!(fy(b) < fy(a) && fx(b) < fx(a));
    }
    let pure = (fy(0.0), fx(0.0));
    for (kappa, tan) in [(0.1, 0.1), (0.3, 0.1), (0.1, 0.3), (0.5, 0.5)] {
        let f = tyre.forces(&contact(nominal, kappa, tan));
        let most = (0.84003 * nominal, 0.9 * nominal);
        assert!((f.longitudinal / most.0).powi(2) + (f.lateral / most.1).powi(2) < 1.05);
    }
    assert!(pure.0 > 0.0 && pure.1 > 0.0);
}

/// Values and derivatives are finite at zero slip, zero load, standstill and far outside.
#[test]
fn limits_are_finite() {
    let values = [0.0, 1e-300, 1e-12, -1e-6, 0.1, -3.0, 1e3, -1e9];
    for (law, load) in laws() {
        for fz in [0.0, -10.0, 1e-9, 1.0, load, 1e3 * load] {
            for kappa in values {
                for lateral in values {
                    for camber in [0.0, 1e-9, -0.3, 1.5] {
                        let c = Contact {
                            load: Dual4::variable(fz, 0),
                            kappa: Dual4::variable(kappa, 1),
                            lateral: Dual4::variable(lateral, 2),
                            camber: Dual4::variable(camber, 3),
                            speed: Dual4::constant(0.0),
                            rolling: Dual4::constant(0.0),
                            patch: Dual4::constant(0.1),
                            friction: if camber == 1.5 { 0.0 } else { 1.0 },
                        };
                        let f = law.forces(&c);
                        for x in [f.longitudinal, f.lateral, f.overturning, f.resistance, f.aligning] {
                            assert!(x.is_finite(), "{law:?} {fz} {kappa} {lateral} {camber}: {f:?}");
                        }
                        if fz <= 0.0 {
                            assert_eq!((f.longitudinal.value(), f.lateral.value()), (0.0, 0.0));
                        }
                        if let Some(lengths) = law.relaxation(c.load, c.camber) {
                            assert!(lengths.iter().all(|x| x.is_finite()));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn derivatives_by_duals_are_differences() {
    for (law, load) in laws() {
        for (kappa, lateral, camber) in [
            (0.0, 0.0, 0.01),
            (0.03, -0.02, 0.02),
            (-0.08, 0.11, -0.05),
            (0.3, 0.6, 0.03),
            (0.0, 0.05, 0.01),
        ] {
            let at = [load, kappa, lateral, camber];
            let forces = |x: [f64; 4]| {
                let f = law.forces(&Contact {
                    camber: x[3],
                    ..contact(x[0], x[1], x[2])
                });
                [f.longitudinal, f.lateral, f.overturning, f.aligning]
            };
            let d: Vec<Dual4> = (0..4).map(|k| Dual4::variable(at[k], k)).collect();
            let f = law.forces(&Contact {
                load: d[0],
                kappa: d[1],
                lateral: d[2],
                camber: d[3],
                speed: Dual4::constant(10.0),
                rolling: Dual4::constant(1.0),
                patch: Dual4::constant(0.2),
                friction: 1.0,
            });
            let f = [f.longitudinal, f.lateral, f.overturning, f.aligning];
            for k in 0..4 {
                let h = if k == 0 { 0.1 } else { 1e-6 };
                let (mut up, mut down) = (at, at);
                up[k] += h;
                down[k] -= h;
                let (up, down) = (forces(up), forces(down));
                for j in 0..4 {
                    let difference = (up[j] - down[j]) / (2.0 * h);
                    let size = load * if k == 0 { 1.0 / load } else { 10.0 };
                    assert!(
                        (difference - f[j].derivative(k)).abs() < 2e-4 * size,
                        "{law:?} {at:?} output {j} by {k}: {difference} {}",
                        f[j].derivative(k)
                    );
                }
            }
        }
    }
}

/// The Iltis tyre: g = 1 is the limit, the stiffness S/A₂, the limit friction μ F_z.
#[test]
fn calspan_side_force() {
    let tyre = Calspan::default();
    let load = 3829.6;
    let mu = (-4.64e-5 * load + 1.216 + 2.18e-11 * load * load) * 1.0274;
    let at = |tan: f64| tyre.forces(&contact(load, 0.0, tan));
    close(-at(1.0).lateral, mu * load, 1e-9);
    let stiffness = (14.47 * load * (load - 12930.0) - 2625.0 * 12930.0) / 12930.0;
    close(at(1e-7).lateral / 1e-7, stiffness, 1e-5);
    let f = at(0.02);
    close(
        f.aligning,
        (-1.71e-5 * load + 1.71e-5 * f.lateral.abs()) * f.lateral,
        1e-12,
    );
}

const FILE: &str = "\
$ a made-up tyre
[MDI_HEADER]
FILE_TYPE = 'tir'
! units of the file
[UNITS]
LENGTH = 'mm'
FORCE = 'newton'
ANGLE = 'degree'
TIME = 'second'
[MODEL]
PROPERTY_FILE_FORMAT = 'PAC2002'
LONGVL = 16700 $ reference speed
[DIMENSION]
UNLOADED_RADIUS = 312.5
[SHAPE]
{radial width}
 1.0 0.0
 1.0 0.4
[VERTICAL]
VERTICAL_STIFFNESS = 200
VERTICAL_DAMPING = 0.05
FNOMIN = 4.0D3
[INCLINATION_ANGLE_RANGE]
CAMMAX = 10
[LONGITUDINAL_COEFFICIENTS]
PCX1 = 1.65
PDX1 = 1.1
PKX1 = 22
[LATERAL_COEFFICIENTS]
PCY1 = 1.3
PDY1 = 1.0
PKY1 = -14.0
PKY2 = 1.6
MYSTERY = 'kept; even $ this'
";

#[test]
fn files_keep_everything_and_give_si_units() {
    let file = TirFile::parse(FILE).unwrap();
    assert_eq!(file.to_string(), FILE);
    assert_eq!(
        file.get("LATERAL_COEFFICIENTS", "MYSTERY").unwrap().0,
        "kept; even $ this"
    );
    let (tyre, absent) = file.magic_formula().unwrap();
    close(tyre.unloaded_radius, 0.3125, 1e-15);
    close(tyre.vertical_stiffness, 200e3, 1e-15);
    close(tyre.vertical_damping, 50.0, 1e-15);
    close(tyre.longvl, 16.7, 1e-15);
    close(tyre.fnomin, 4000.0, 1e-15);
    close(tyre.cammax, 10_f64.to_radians(), 1e-15);
    assert_eq!((tyre.lmuy, tyre.qdz1), (1.0, 0.0));
    assert!(absent.contains(&"QDZ1") && !absent.contains(&"PCX1"));
    // All numbers come back to the bit.
    let text = TirFile::from_magic_formula(&bus()).to_string();
    let again = TirFile::parse(&text).unwrap();
    assert_eq!(again.to_string(), text);
    assert_eq!(again.magic_formula().unwrap().0, bus());
    // A value set in its place.
    let mut changed = file.clone();
    changed.set("LATERAL_COEFFICIENTS", "PDY1", "0.5");
    changed.set("ALIGNING_COEFFICIENTS", "QDZ1", "0.1");
    let (tyre, _) = TirFile::parse(&changed.to_string())
        .unwrap()
        .magic_formula()
        .unwrap();
    assert_eq!((tyre.pdy1, tyre.qdz1), (0.5, 0.1));
}

#[test]
fn faults_of_files_name_line_and_key() {
    let fault = |from: &str, to: &str| {
        let text = FILE.replacen(from, to, 1);
        TirFile::parse(&text)
            .and_then(|file| file.magic_formula())
            .unwrap_err()
    };
    for (from, to, expected) in [
        (
            "PDX1 = 1.1",
            "PDX1 = much",
            "line 27: `PDX1` is `much`, which is not a finite number",
        ),
        (
            "PDX1 = 1.1",
            "PDX1 = 1e999",
            "line 27: `PDX1` is `1e999`, which is not a finite number",
        ),
        (
            "PDX1 = 1.1",
            "PCX1 = 1.1",
            "line 27: `PCX1` is already given in [LONGITUDINAL_COEFFICIENTS] on line 26; remove one of them",
        ),
        (
            "PDX1 = 1.1",
            "$",
            "`PDX1` in [LONGITUDINAL_COEFFICIENTS] is missing, but required for the tyre",
        ),
        (
            "[UNITS]",
            "[UNITS",
            "line 5: `[UNITS` is not a section, a `KEY = value` pair or a comment",
        ),
        (
            "'mm'",
            "'ell'",
            "line 6: the unit `ell` of LENGTH is not known; there are meter, m, mm, millimeter, cm, centimeter, km, inch, foot",
        ),
        (
            "'PAC2002'",
            "'FTIRE'",
            "line 11: the file is for `FTIRE`, not for the Magic Formula of PAC2002 (or MF-Tyre 5)",
        ),
        (
            "= 312.5",
            "= -1",
            "line 14: `UNLOADED_RADIUS` is -1, but must be positive",
        ),
        (
            "$ a made-up tyre",
            "A = 1",
            "line 1: `A` appears before the first section; add a line such as [MODEL] above it",
        ),
        (
            "$ a made-up tyre",
            "hello",
            "line 1: `hello` is not a section, a `KEY = value` pair or a comment",
        ),
    ] {
        assert_eq!(fault(from, to).to_string(), expected);
    }
    assert!(matches!(TirFile::default().magic_formula(), Err(TirError::Missing(keys)) if keys.len() == 10));
}

/// Nothing that a file may say leads to a panic.
#[test]
fn hostile_files_do_not_panic() {
    let mut state = 12345_u64;
    let mut next = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let pieces = [
        "[", "]", "=", "'", "\"", "$", "!", "\n", "PCX1", "1e308", "-", "é", "\u{0}", "{", "UNITS", " ",
        "LENGTH", "9",
    ];
    for _ in 0..3000 {
        let mut text = FILE.to_string();
        for _ in 0..1 + next(5) {
            let mut at = next(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            match next(3) {
                0 if at > 0 => text.truncate(at),
                _ => text.insert_str(at, pieces[next(pieces.len())]),
            }
        }
        if let Ok(file) = TirFile::parse(&text) {
            let _ = file.magic_formula();
            assert_eq!(TirFile::parse(&file.to_string()).unwrap(), file);
        }
    }
}
