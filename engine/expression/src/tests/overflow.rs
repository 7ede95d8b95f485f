//! Functions whose values are finite have finite derivatives, also where what they are made of leaves the range of
//! numbers.

use super::*;
use holonom_algebra::Real;

/// 1/cosh² without overflow.
fn sech2(x: f64) -> f64 {
    let e = (-2.0 * x.abs()).exp();
    4.0 * e / ((1.0 + e) * (1.0 + e))
}

/// The logistic function with its derivatives.
fn logistic(x: f64) -> [f64; 3] {
    let e = (-x.abs()).exp();
    let small = e / (1.0 + e);
    let d = e / ((1.0 + e) * (1.0 + e));
    [
        if x < 0.0 { small } else { 1.0 / (1.0 + e) },
        d,
        d * (if x < 0.0 { 1.0 } else { -1.0 }) * (1.0 - e) / (1.0 + e),
    ]
}

/// 1/cosh with its derivatives.
fn sech(x: f64) -> [f64; 3] {
    let e = (-2.0 * x.abs()).exp();
    let s = 2.0 * (-x.abs()).exp() / (1.0 + e);
    let th = x.signum() * (1.0 - e) / (1.0 + e);
    [s, -s * th, s * (th * th - (1.0 - th * th))]
}

fn places() -> Vec<f64> {
    let mut all = vec![0.0];
    let mut x: f64 = 0.37;
    for k in 0..2000 {
        x = (x * 997.0 + 0.618).fract();
        let size = 10.0_f64.powf(-3.0 + 9.0 * x);
        all.push(if k % 2 == 0 { size } else { -size });
    }
    // Where exponentials, and their derivatives first, overflow or vanish.
    for edge in [19.0, 355.0, 372.0, 700.0, 709.8, 745.2] {
        for k in -40..=40 {
            let x = edge + 0.25 * f64::from(k);
            all.extend([x, -x]);
        }
    }
    all.extend([1e6, -1e6]);
    all
}

#[test]
fn derivatives_are_those_of_closed_forms_however_large_the_argument() {
    type Reference = fn(f64) -> [f64; 3];
    let cases: [(&str, Reference); 16] = [
        ("tanh(U)", |x| {
            let d = sech2(x);
            [x.tanh(), d, -2.0 * x.tanh() * d]
        }),
        ("1/(1 + exp(-(U)))", logistic),
        ("(1 + exp(-(U)))^-1", logistic),
        ("1 - 1/(1 + exp(U))", logistic),
        ("1/cosh(U)", sech),
        ("cosh(U)^-1", sech),
        ("1/sqrt(cosh(U)^2)", sech),
        ("1/cosh(U)^2", |x| {
            let d = sech2(x);
            [d, -2.0 * x.tanh() * d, d * (4.0 - 6.0 * d)]
        }),
        ("cosh(U)^-2", |x| {
            let d = sech2(x);
            [d, -2.0 * x.tanh() * d, d * (4.0 - 6.0 * d)]
        }),
        ("exp(-(U)^2)", |x| {
            let y = (-x * x).exp();
            [y, -2.0 * x * y, (4.0 * x * x - 2.0) * y]
        }),
        ("exp(-abs(U))", |x| {
            let y = (-x.abs()).exp();
            [y, -x.signum() * y, y]
        }),
        ("2^(-abs(U))", |x| {
            let (y, l) = ((-x.abs()).exp2(), core::f64::consts::LN_2);
            [y, -x.signum() * l * y, l * l * y]
        }),
        ("exp(-(cosh(U)))", |x| {
            if x.abs() > 50.0 {
                return [0.0; 3];
            }
            let (c, s) = (x.cosh(), x.sinh());
            let y = (-c).exp();
            [y, -s * y, (s * s - c) * y]
        }),
        ("tanh(exp(U))", |x| {
            if x > 20.0 {
                return [1.0, 0.0, 0.0];
            }
            let e = x.exp();
            let (th, d) = (e.tanh(), sech2(e));
            [th, d * e, d * e - 2.0 * th * d * e * e]
        }),
        // d/dx atan(eˣ) = 1/(2 cosh x).
        ("atan(exp(U))", |x| {
            let [s, ds, _] = sech(x);
            [x.exp().atan(), 0.5 * s, 0.5 * ds]
        }),
        ("atan(U)", |x| {
            let r = 1.0 / (1.0 + x * x);
            [x.atan(), r, -2.0 * x * r * r]
        }),
    ];
    for (text, reference) in cases {
        for scale in [1.0, 1e3, 1e6] {
            let f = of_time(&text.replace('U', &format!("t*{scale}")));
            for x in places() {
                let t = x / scale;
                // The argument as the expression has it.
                let x = t * scale;
                if x == 0.0 && text.contains("abs") {
                    continue;
                }
                let [y, d, dd] = reference(x);
                let expected = [y, d * scale, dd * scale * scale];
                let jet = f.jet(Dual4::variable(t, 0));
                let plain = f.evaluate(&[Dual4::variable(t, 0)]);
                let got = [jet[0].value(), jet[1].value(), jet[2].value()];
                let duals = [
                    (plain.derivative(0), 1),
                    (jet[0].derivative(0), 1),
                    (jet[1].derivative(0), 2),
                ];
                let checks = got.into_iter().zip(0..).chain(duals);
                for (got, k) in checks {
                    // Cancellation near a limit costs digits of the unit of the largest value.
                    let unit = scale.powi(k);
                    let tolerance = 1e-9 * expected[k as usize].abs() + 1e-12 * unit;
                    assert!(
                        (got - expected[k as usize]).abs() <= tolerance,
                        "{text} scale {scale} at {x}, derivative {k}: {got}, not {}",
                        expected[k as usize]
                    );
                }
                assert!(
                    jet[2].derivative(0).is_finite(),
                    "{text} scale {scale} at {x}: third"
                );
                // The other directions carry nothing.
                assert_eq!(plain.derivative(1), 0.0, "{text} at {x}");
            }
        }
    }
}

#[test]
fn what_is_not_finite_stays_so() {
    for text in ["exp(t)", "cosh(t)", "sinh(t)", "exp(t)/exp(t)", "1/exp(-t)"] {
        let y = of_time(text).jet(1e4);
        assert!(!y.iter().all(|x| x.is_finite()), "{text}: {y:?}");
    }
    // sinh is infinite, not undefined.
    assert_eq!(of_time("sinh(t)").evaluate(&[-1e4]), f64::NEG_INFINITY);
    // A true pole and the vertical tangent of a root are no limits.
    assert!(!of_time("sqrt(t)").jet(0.0)[1].is_finite());
    assert!(!of_time("1/t").jet(0.0)[0].is_finite());
}

#[test]
fn quotients_that_vanish_keep_their_dependencies() {
    for text in ["1/cosh(1000*t)", "tanh(1000*t)", "exp(-exp(t))", "cosh(t)^-2"] {
        let f = of_time(text);
        Trace::scope_at(&[900.0], |x| {
            assert_eq!(f.evaluate(x).dependencies().count(), 1, "{text}");
            assert_eq!(f.jet(x[0])[1].dependencies().count(), 1, "{text}");
        });
    }
}

#[test]
fn surveys_of_motions_see_through_overflow() {
    for text in [
        "tanh((t - 5)/0.001)",
        "1/(1 + exp(1e4*(5 - t)))",
        "1/cosh(1000*(t - 5))",
        "1/cosh(1000*(t - 5))^2",
        "cosh(1000*(t - 5))^-1",
        "exp(-cosh(300*(t - 5)))",
    ] {
        let f = of_time(text);
        let breaks = f.breaks([0.0, 10.0]).unwrap();
        let places = f.survey([0.0, 10.0], &breaks, true);
        assert!(places.suspect.is_none(), "{text}: {:?}", places.suspect);
        assert!(places.times.len() < 20_000, "{text}: {}", places.times.len());
        // Bounds hold what is evaluated.
        let hit = places.times.iter().filter(|t| (*t - 5.0).abs() < 0.01).count();
        assert!(hit > 5, "{text}: {hit}");
    }
}
