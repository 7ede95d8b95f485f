//! Tests of the language: syntax, units, dimensions, derivatives, printing.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::curve::{Curve, Extrapolation, Interpolation};
use holonom_algebra::Real;
use holonom_algebra::{Dual4, Trace};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use std::sync::Arc;

mod overflow;
mod pieces;
mod random;

fn constant(text: &str) -> f64 {
    Expression::parse(text, &Scope::new(), None)
        .unwrap_or_else(|e| panic!("{text}: {e:?}"))
        .value()
        .unwrap()
}

fn of_time(text: &str) -> Expression {
    Expression::parse(text, &Scope::time(), None).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// The first message, with its help.
fn message(text: &str, scope: &Scope, expected: Option<Dimension>) -> String {
    Expression::parse(text, scope, expected).unwrap_err()[0].to_string()
}

fn plain(text: &str) -> String {
    message(text, &Scope::time(), None)
}

#[test]
fn operators_bind_as_usual() {
    for (text, value) in [
        ("1", 1.0),
        (".5", 0.5),
        ("1e-3", 1e-3),
        ("2.E2", 200.0),
        ("1 + 2*3", 7.0),
        ("(1 + 2)*3", 9.0),
        ("-2^2", -4.0),
        ("(-2)^2", 4.0),
        ("2^3^2", 512.0),
        ("2^-1", 0.5),
        ("8/4/2", 1.0),
        ("1 - 2 - 3", -4.0),
        ("-3*2", -6.0),
        ("2*-3", -6.0),
        ("--3", 3.0),
        ("+3", 3.0),
        ("4^0.5", 2.0),
        ("pi", core::f64::consts::PI),
        ("1 < 2", 1.0),
        ("1 + 1 >= 3", 0.0),
        ("(1 != 2) + (2 == 2)", 2.0),
        ("if(1 > 2, 3, 4)", 4.0),
        ("min(3, 1, 2) + max(1, 2)", 3.0),
        ("hypot(3, 4)", 5.0),
        ("pow(2, 10)", 1024.0),
        ("atan2(1, 0)", core::f64::consts::FRAC_PI_2),
        ("asin(1)", core::f64::consts::FRAC_PI_2),
        ("acos(-1)", core::f64::consts::PI),
        ("log10(1000)", 3.0),
        ("ln(exp(2))", 2.0),
        ("sign(-3) + step(0) + floor(-1.5)", -2.0),
        ("abs(-2) + sqrt(9)", 5.0),
        ("smoothstep(0.5, 0, 1, 1, 3)", 2.0),
        ("smoothstep(-1, 0, 1, 1, 3)", 1.0),
        ("smoothstep(7, 0, 1, 1, 3)", 3.0),
        ("sinh(0) + cosh(0) + tanh(0)", 1.0),
    ] {
        assert_eq!(constant(text), value, "{text}");
    }
}

#[test]
fn units_are_converted_to_si() {
    let pi = core::f64::consts::PI;
    for (text, value, dimension) in [
        ("12 mm", 0.012, Dimension::LENGTH),
        ("12mm", 0.012, Dimension::LENGTH),
        ("30 deg", pi / 6.0, Dimension::NONE),
        ("180°", pi, Dimension::NONE),
        ("3 N/mm", 3000.0, Dimension::STIFFNESS),
        ("5 kN*s/m", 5000.0, Dimension::DAMPING),
        ("2 kg*m^2", 2.0, Dimension::INERTIA),
        ("60 rpm", 2.0 * pi, Dimension::ANGULAR_VELOCITY),
        ("2 Hz", 2.0, Dimension::ANGULAR_VELOCITY),
        ("72 km/h", 20.0, Dimension::VELOCITY),
        ("9.81 m/s^2", 9.81, Dimension::ACCELERATION),
        ("4 s^-1", 4.0, Dimension::ANGULAR_VELOCITY),
        ("1 in", 0.0254, Dimension::LENGTH),
        ("3 t", 3000.0, Dimension::MASS),
        ("500 g", 0.5, Dimension::MASS),
        ("7 µm", 7e-6, Dimension::LENGTH),
        ("1 lbf", 4.448_221_615_260_5, Dimension::FORCE),
        ("1 min + 1 h", 3660.0, Dimension::TIME),
        ("210 GPa", 210e9, Dimension::new(1, -1, -2)),
        ("3 mNm", 3e-3, Dimension::TORQUE),
        ("2 N*m/rad", 2.0, Dimension::TORQUE),
        ("-5 mm", -5e-3, Dimension::LENGTH),
        ("sqrt(9 m^2)", 3.0, Dimension::LENGTH),
        ("(2 m)^2", 4.0, Dimension::new(0, 2, 0)),
        ("2*(3 m)", 6.0, Dimension::LENGTH),
        ("1 m + 2", 3.0, Dimension::LENGTH),
        ("1/(4 s)", 0.25, Dimension::ANGULAR_VELOCITY),
        ("if(1 m < 2 m, 3 N, 4 N)", 3.0, Dimension::FORCE),
    ] {
        let e = Expression::parse(text, &Scope::new(), Some(dimension))
            .unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let got = e.value().unwrap();
        assert!((got - value).abs() <= 1e-15 * value.abs(), "{text}: {got}");
        assert_eq!(e.dimension(), DimensionState::Known(dimension), "{text}");
    }
    // Ratios and percentages are plain numbers.
    for text in ["3 m/(2 m)", "5 %", "sin(30 deg)", "1 m > 2 m"] {
        let e = Expression::parse(text, &Scope::new(), Some(Dimension::FORCE)).unwrap();
        assert_eq!(e.dimension(), DimensionState::Plain, "{text}");
    }
}

#[test]
fn a_unit_ends_where_no_unit_follows() {
    let scope =
        Scope::time()
            .constant("m", 2.0, DimensionState::Plain)
            .constant("k", 3.0, DimensionState::Plain);
    let value = |text| Expression::parse(text, &scope, None).unwrap().value();
    assert_eq!(value("6 N/m"), Some(6.0));
    assert_eq!(value("(6 N)/m"), Some(3.0));
    assert_eq!(value("6 N*k"), Some(18.0));
    assert_eq!(value("6 kN/2"), Some(3000.0));
    assert_eq!(value("6 N*min(1, 2)"), Some(6.0));
    // After an operator t is the time, not the tonne.
    let turn = Expression::parse("60 rpm*t", &scope, None).unwrap();
    assert!((turn.evaluate(&[1.0]) - core::f64::consts::TAU).abs() < 1e-15);
}

#[test]
fn units_alone() {
    for (text, dimension) in [
        ("N/m", Dimension::STIFFNESS),
        ("N m/rad", Dimension::TORQUE),
        ("m/s²", Dimension::ACCELERATION),
        ("1/s", Dimension::ANGULAR_VELOCITY),
        ("rad", Dimension::NONE),
        ("", Dimension::NONE),
        ("1", Dimension::NONE),
        ("-", Dimension::NONE),
    ] {
        assert_eq!(Dimension::parse(text).unwrap(), dimension, "{text}");
    }
    for text in ["N/", "*m", "3 m", "N+m", "foo", "m^x", "m^1000", "/s"] {
        assert!(Dimension::parse(text).is_err(), "{text}");
    }
    assert_eq!(Dimension::new(1, 2, -3).to_string(), "kg*m^2/s^3");
    assert_eq!(Dimension::new(0, 0, -1).to_string(), "1/s");
    assert_eq!(Dimension::LENGTH.power(0.5).unwrap().to_string(), "m^(6/12)");
}

#[test]
fn messages_name_the_fault_and_the_remedy() {
    for (text, expected) in [
        (
            "",
            "the expression is empty; write a number or an expression, or remove the key",
        ),
        (
            "1 +",
            "the expression ends too early; a number, a name or `(` is missing at the end",
        ),
        ("(1", "this `(` is never closed"),
        ("1)", "this `)` closes nothing"),
        (
            "1,5",
            "`,` is allowed only between arguments; decimals are written with a point",
        ),
        (
            "(1)(2)",
            "an operator is missing before this; to multiply, write `*`",
        ),
        (
            "1 < 2 < 3",
            "comparisons cannot be chained; multiply two comparisons: `(a < x)*(x < b)`",
        ),
        ("2**3", "unknown operator `**`; powers are written `^`"),
        (
            "a = 3",
            "`=` is not allowed in an expression; two numbers are compared with `==`",
        ),
        ("3 §", "`§` has no meaning here; remove it"),
        (
            "t > 1 && t < 2",
            "`&` has no meaning here; conditions are 1 or 0: multiply them, as in `(t > 1)*(t < 2)`",
        ),
        ("3 KN", "unknown unit `KN`; did you mean `kN`?"),
        ("3 degrees", "unknown unit `degrees`; did you mean `deg`?"),
        (
            "3 x",
            "unknown unit `x`; a name right after a number is its unit; to multiply, write `*x`",
        ),
        (
            "3 m^x",
            "the power of a unit is a whole number; to raise the quantity to a power, write `(3 m)^x`",
        ),
        ("1e999", "1e999 is too large for a number"),
        ("sin", "`sin` is a function; write `sin(…)`"),
        ("sni(t)", "unknown function `sni`; did you mean `sin`?"),
        (
            "log(t)",
            "unknown function `log`; the natural logarithm is `ln`, the decimal one `log10`",
        ),
        ("t(3)", "`t` is not a function; to multiply, write `t*(…)`"),
        (
            "2*mm",
            "unknown name `mm`; write a unit directly after a number: `1 mm`",
        ),
        (
            "atan2(1)",
            "`atan2` takes 2 arguments, not 1; write `atan2(y, x)`",
        ),
        ("min(1)", "`min` takes at least 2 arguments, not 1"),
        ("sin()", "`sin` takes 1 argument, not 0; write `sin(x)`"),
        ("1/0", "this is not a finite number"),
        ("t/0", "division by zero"),
        ("sqrt(-1)", "this is not a finite number"),
        (
            "smoothstep(t, 1, 0, 1, 2)",
            "x0 and x1 of `smoothstep` must differ",
        ),
        ("1 m + 2 kg", "cannot add a length (m) and a mass (kg)"),
        ("1 m - 2 s", "cannot subtract a time (s) from a length (m)"),
        ("1 m < 2 s", "cannot compare a length (m) with a time (s)"),
        (
            "sin(12 mm)",
            "the argument of `sin` must be a plain number or an angle, but this is a length (m)",
        ),
        (
            "2^(3 s)",
            "an exponent must be a plain number or an angle, but this is a time (s)",
        ),
        ("(2 m)^t", "the power of a length (m) needs a constant exponent"),
        (
            "min(1 m, 2 s)",
            "the arguments of `min` are a length (m) and a time (s), which cannot be compared",
        ),
        (
            "if(t > 1, 1 m, 2 N)",
            "one branch of `if` is a length (m), the other a force (N)",
        ),
    ] {
        assert_eq!(plain(text), expected, "{text}");
    }
    let scope = Scope::new()
        .constant("stiffness", 1.0, DimensionState::Plain)
        .forbid("t", "this number must be constant");
    assert_eq!(
        message("2*stifness", &scope, None),
        "unknown name `stifness`; did you mean `stiffness`?"
    );
    assert_eq!(
        message("2*t", &scope, None),
        "`t` cannot be used here: this number must be constant"
    );
    assert_eq!(
        message("2 kg", &scope, Some(Dimension::LENGTH)),
        "this is a mass (kg), but a length (m) is expected"
    );
    // All faults at once, each at its place.
    let errors = Expression::parse("a + sin(2 m)*b", &scope, None).unwrap_err();
    let spans: Vec<_> = errors.iter().map(|e| e.span.clone()).collect();
    assert_eq!(spans, [0..1, 8..11, 13..14]);
}

#[test]
fn parameters_without_unit_fit_everywhere() {
    let scope = Scope::time().constant("w", 2.0, DimensionState::Plain).constant(
        "L",
        0.1,
        DimensionState::Known(Dimension::LENGTH),
    );
    for text in ["L + w", "w", "L*sin(w*t)", "w*t", "w*3 kg", "L + w*t", "10*L/L"] {
        let bound = Expression::parse(text, &scope, Some(Dimension::LENGTH));
        assert!(bound.is_ok(), "{text}: {bound:?}");
    }
    for text in ["L*L", "L*t", "L + t"] {
        assert!(
            Expression::parse(text, &scope, Some(Dimension::LENGTH)).is_err(),
            "{text}"
        );
    }
}

#[test]
fn variables_have_the_dimension_of_what_they_are() {
    let road = Arc::new(Expression::parse("0.1*sin(t)", &Scope::time(), None).unwrap());
    let scope = Scope::time()
        .quantity("x", Dimension::LENGTH)
        .quantity("vx", Dimension::VELOCITY)
        .variable("signal")
        .input_in("road", road, Dimension::LENGTH)
        .constant("n", 5.0, DimensionState::Known(Dimension::ANGULAR_VELOCITY));
    let fits = |text: &str, unit: &str| {
        Expression::parse(text, &scope, Some(Dimension::parse(unit).unwrap())).is_ok()
    };
    // Plain numbers may stand for anything: they take the unit that is asked for.
    for (text, unit) in [
        ("60 mm + 10 mm/s*t", "m"),
        ("60 mm + 10*t", "m"),
        ("n*t", "rad"),
        ("n*t^2/(2*3 s)", "rad"),
        ("2 deg*t", "rad"),
        ("0.3*sin(2*t)", "m"),
        ("5 mm*exp(-t/2 s)", "m"),
        ("if(t < 2 s, 1 mm/s*t, 2 mm)", "m"),
        ("t", "m"),
        ("t*vx + x", "m"),
        ("200*x + 3*vx", "N"),
        ("200 N/m*x + 3 N*s/m*vx", "N"),
        ("2 N/m^2*x*x", "N"),
        ("1e5*road", "N"),
        ("1 kN/m*(road - x)", "N"),
        ("signal*3 N", "N"),
        ("signal + 3*t", "N"),
        ("smoothstep(t, 1 s, 0, 2 s, 5 mm)", "m"),
        ("(t - 1 s)*3 m/s", "m"),
        ("1 m*sin(1 rad/s*(t - 1 s))", "m"),
        ("0.1*(t/2 s)", "m"),
    ] {
        assert!(fits(text, unit), "{text} for {unit}");
    }
    for (text, unit) in [
        ("60 mm + 10 mm/s*t", "rad"),
        ("60 mm + 10*t", "rad"),
        ("60 mm + t", "m"),
        ("50 N*t", "N"),
        ("200 N/m*vx", "N"),
        ("200 N*x", "N"),
        ("if(x < 2 s, 1 N, 2 N)", "N"),
        ("1 kN*road", "N"),
        ("road + 3 N", "N"),
        ("n*t", "m"),
        ("5 mm/s^2*t", "m"),
        ("smoothstep(t, 1 m, 0, 2 m, 5 mm)", "m"),
        ("exp(-(t - 2 s))*1 N", "N"),
        ("max(vx, 2 mm)*1 N*s/m", "N"),
        ("sqrt(x*x)*3 N", "N"),
    ] {
        assert!(!fits(text, unit), "{text} for {unit}");
    }
    let fault = &Expression::parse("50 N*t", &scope, Some(Dimension::FORCE)).unwrap_err()[0];
    assert!(
        fault
            .help
            .as_deref()
            .is_some_and(|help| help.contains("50 N/s*t") || help.contains("/s"))
    );
}

#[test]
fn names_are_listed_in_order() {
    let ast = Ast::parse("b*sin(a) + road(pi*t) - (c)").unwrap();
    let names: Vec<_> = ast
        .names()
        .into_iter()
        .map(|n| (n.name, n.span.start, n.called))
        .collect();
    assert_eq!(
        names,
        [
            ("b", 0, false),
            ("a", 6, false),
            ("road", 11, true),
            ("t", 19, false),
            ("c", 25, false)
        ]
    );
    assert!(is_reserved("if") && is_reserved("pow") && is_reserved("pi") && !is_reserved("t"));
}

#[test]
fn hostile_texts_are_refused() {
    let deep = |open: &str, close: &str, n: usize| format!("{}1{}", open.repeat(n), close.repeat(n));
    for text in [
        deep("(", ")", 10_000),
        deep("-", "", 30_000),
        deep("2^", "", 20_000),
        deep("sin(", ")", 10_000),
        deep("min(t,", ")", 65),
        "1+".repeat(40_000),
        format!("t{}", "+t".repeat(30_000)),
        format!("min({}t)", "t,".repeat(100)),
    ] {
        assert!(Expression::parse(&text, &Scope::time(), None).is_err());
    }
    assert!(Ast::parse(&deep("(", ")", 64)).is_ok());
    // Long is not deep.
    let long = format!("t{}", "+t".repeat(15_000));
    let e = of_time(&long);
    assert_eq!(e.evaluate(&[1.0]), 15_001.0);
    assert_eq!(of_time(&e.to_string()), e);
    // Inputs within inputs double in size each time.
    let mut scope = Scope::time().input("x0", Arc::new(of_time("t")));
    let mut failed = false;
    for k in 0..40 {
        match Expression::parse(&format!("x{k}*x{k} + sin(x{k})"), &scope, None) {
            Ok(e) => scope = scope.input(format!("x{}", k + 1), Arc::new(e)),
            Err(_) => {
                failed = true;
                break;
            }
        }
    }
    assert!(failed);
}

#[test]
fn constants_fold_and_dead_branches_go() {
    let scope = Scope::time().constant("mode", 2.0, DimensionState::Plain);
    let e = Expression::parse("if(mode == 1, abs(t), if(mode == 2, 2*3*t, 0))", &scope, None).unwrap();
    assert_eq!(e.to_string(), "6*t");
    assert!(!e.has_kinks() && !e.is_constant());
    assert_eq!(
        of_time("2*pi/3 - 1 + 0").value(),
        Some(2.0 * core::f64::consts::PI / 3.0 - 1.0)
    );
    assert_eq!(of_time("t + 1 - 2*t/4").to_string(), "t + 1 - 2*t/4");
    assert_eq!(
        of_time("-(t - 1)^2*(3 + t)/(2*t)").to_string(),
        "-(t - 1)^2*(t + 3)/(2*t)"
    );
}

#[test]
fn named_expressions_and_tables_are_bound_inline() {
    let (x, y) = (vec![0.0, 1.0, 2.0, 3.0], vec![0.0, 1.0, 8.0, 27.0]);
    let cube = Curve::new("cube", x, y, Interpolation::Spline, Extrapolation::Refuse).unwrap();
    let scope = Scope::time().table(Arc::new(cube));
    let path = Expression::parse("0.5*t", &scope, Some(Dimension::LENGTH)).unwrap();
    let scope = scope.input("s", Arc::new(path));
    let e = Expression::parse("2*cube(s + 1)", &scope, None).unwrap();
    assert_eq!(e.to_string(), "2*cube(0.5*t + 1)");
    let [u, du, ddu] = e.jet(1.0);
    assert!((u - 6.75).abs() + (du - 6.75).abs() + (ddu - 4.5).abs() < 1e-12);
    assert_eq!(e.tables().len(), 1);
    assert!(!e.has_kinks());
    assert_eq!(
        message("cube(4)", &scope, None),
        "this is not a finite number; `cube` is given from 0 to 3 only"
    );
    // The same names over more variables.
    let law = Scope::time().variable("x").input("s", Arc::new(of_time("3*t")));
    let e = Expression::parse("s*x", &law, None).unwrap();
    assert_eq!(e.to_string(), "3*t*x");
    let other = Scope::new().variable("x").input("s", Arc::new(of_time("3*t")));
    assert!(message("s*x", &other, None).contains("it depends on other variables"));
}

#[test]
fn traces_see_every_dependence() {
    let scope = (0..4).fold(Scope::new(), |s, k| s.variable(format!("x{k}")));
    let (x, y) = (vec![0.0, 1.0], vec![2.0, 2.0]);
    let flat = Curve::new("flat", x, y, Interpolation::Linear, Extrapolation::Hold).unwrap();
    let scope = scope.table(Arc::new(flat));
    for (text, expected) in [
        ("x0 + sin(x2)", &[0, 2][..]),
        ("if(x1 > x3, x0, 0*x2)", &[0, 1, 3]),
        ("if(x0, 1, 2)", &[0]),
        ("min(x0, x1) + max(2, x3)", &[0, 1, 3]),
        ("sign(x0) + floor(x1) + step(x2) + abs(x3)", &[0, 1, 2, 3]),
        ("x0 < x1", &[0, 1]),
        ("cosh(x0) + sinh(x1) + asin(x2)", &[0, 1, 2]),
        ("flat(x0) + flat(x1 - 7)", &[0, 1]),
        ("smoothstep(x0, 0, x1, 1, x2)", &[0, 1, 2]),
        ("x0^x1 + x2^3 + hypot(x3, 0)", &[0, 1, 2, 3]),
        ("0*x0 + x1*0", &[]),
    ] {
        let e = Expression::parse(text, &scope, None).unwrap();
        Trace::scope(4, |x| {
            assert_eq!(
                e.evaluate(x).dependencies().collect::<Vec<_>>(),
                expected,
                "{text}"
            );
        });
    }
}

#[test]
fn what_is_not_a_number_is_not_hidden() {
    let nan = |text: &str| of_time(text).evaluate(&[f64::NAN]).is_nan();
    for text in [
        "min(t, 1)",
        "min(1, t)",
        "max(1, t)",
        "t < 1",
        "if(t > 0, 1, 2)",
        "sign(t)",
        "step(t)",
    ] {
        assert!(nan(text), "{text}");
    }
    // But an unused branch does not matter.
    assert_eq!(of_time("if(t > 0, sqrt(t), 0)").jet(-1.0), [0.0; 3]);
    assert!(of_time("t").over_variables(&["x"]).is_err());
    assert!(of_time("t").evaluate::<f64>(&[]).is_nan());
}

/// Texts with all functions, smooth at the times they are tested at.
const SMOOTH: [&str; 26] = [
    "2.0 + 0.3*sin(1.7*t)",
    "cos(t)*exp(-0.3*t)",
    "tan(0.4*t)",
    "asin(0.3*t) + acos(0.2*t) + atan(3*t)",
    "sinh(t) - cosh(2*t)/tanh(t)",
    "ln(1 + t) + log10(3 + t^2)",
    "sqrt(1 + t^3)",
    "(1 + t)^2.5 + (2 + t)^-3",
    "(1 + t)^(2*t)",
    "2^t",
    "atan2(sin(3*t), 2 + cos(t))",
    "atan2(2 + t, -t)",
    "hypot(1 + t, t^2)",
    "smoothstep(t, 0, 1, 2, 3)",
    "ln(smoothstep(t, 0, 2.7e179, 1.5, t))",
    "sqrt(2.7e179*smoothstep(t, 0, 1, 1.5, t))/1e89",
    "smoothstep(t^2, 3, t, 0.1, exp(t))",
    "abs(sin(t) - 3)",
    "if(t < 3, t^4, 1/t)",
    "min(t^2, 5 + t) + max(t^3, t - 7)",
    "1/(1 + t^2)",
    "t/(2 + t)/(3 - t)",
    "t^5 - 3*t^4 + t",
    "floor(t + 0.1) + sign(t)*t^2 + step(t - 0.1)*t^3",
    "table(t)*t",
    "-(t - 0.1)^3",
];

fn with_table() -> Scope {
    let x: Vec<f64> = (0..9).map(|k| 0.25 * f64::from(k) - 0.1).collect();
    let y = x.iter().map(|x| x.sin()).collect();
    let table = Curve::new("table", x, y, Interpolation::Spline, Extrapolation::Linear).unwrap();
    Scope::time().table(Arc::new(table))
}

#[test]
fn derivatives_are_exact() {
    let scope = with_table();
    for text in SMOOTH {
        let e = Expression::parse(text, &scope, None).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        for t in [0.21, 0.73, 1.31] {
            let [u, du, ddu] = e.jet(t);
            assert_eq!(u, e.evaluate(&[t]), "{text}");
            // Against dual numbers: those of evaluation and those of the jet itself.
            let near = |a: f64, b: f64, what: &str| {
                assert!(
                    (a - b).abs() <= 1e-12 * (1.0 + b.abs()),
                    "{what} of {text} at {t}: {a}, {b}"
                );
            };
            let dual = Dual4::variable(t, 1);
            near(e.evaluate(&[dual]).derivative(1), du, "first derivative");
            let [v, dv, ddv] = e.jet(dual);
            near(v.value(), u, "value");
            near(dv.value(), du, "first derivative");
            near(ddv.value(), ddu, "second derivative");
            near(v.derivative(1), du, "first derivative");
            near(dv.derivative(1), ddu, "second derivative");
            // Against differences.
            let h = 1e-5;
            let [before, after] = [e.jet(t - h), e.jet(t + h)];
            for k in 0..2 {
                let difference = (after[k] - before[k]) / (2.0 * h);
                let exact = [du, ddu][k];
                assert!(
                    (difference - exact).abs() < 1e-6 * (1.0 + exact.abs()),
                    "{text} at {t}"
                );
            }
            let third = (after[2] - before[2]) / (2.0 * h);
            let exact = ddv.derivative(1);
            if !text.contains("table") {
                assert!(
                    (third - exact).abs() < 1e-5 * (1.0 + exact.abs()),
                    "{text} at {t}"
                );
            }
        }
    }
}

#[test]
fn a_smooth_step_has_two_continuous_derivatives() {
    let e = of_time("smoothstep(t, 1, 2, 3, 5)");
    for (t, value) in [(1.0, 2.0), (3.0, 5.0)] {
        for side in [-1e-9, 1e-9] {
            let [u, du, ddu] = e.jet(t + side);
            assert!((u - value).abs() < 1e-12 && du.abs() < 1e-12 && ddu.abs() < 1e-7);
        }
    }
    assert!(!e.has_kinks());
    for text in [
        "abs(t)",
        "min(t, 1)",
        "floor(t)",
        "step(t)",
        "if(t > 1, t, 0)",
        "t < 1",
        "sign(t)",
    ] {
        assert!(of_time(text).has_kinks(), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn no_text_panics(text in "\\PC*") {
        if let Ok(ast) = Ast::parse(&text) {
            let _ = ast.bind(&Scope::time(), Some(Dimension::LENGTH));
            let _ = ast.names();
        }
        let _ = Unit::parse(&text);
    }

    #[test]
    fn no_soup_of_tokens_panics(tokens in proptest::collection::vec(random::token(), 0..40)) {
        let text = tokens.concat();
        match Expression::parse(&text, &with_table(), Some(Dimension::LENGTH)) {
            Ok(e) => {
                let _ = e.jet(0.3);
                let back = Expression::parse(&e.to_string(), &with_table(), None);
                prop_assert_eq!(back, Ok(e));
            }
            Err(errors) => {
                prop_assert!(!errors.is_empty());
                for error in errors {
                    // Spans can be shown: they lie in the text, between characters.
                    prop_assert!(text.get(error.span).is_some());
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn printing_and_parsing_are_inverse(text in random::expression()) {
        if let Ok(e) = Expression::parse(&text, &with_table(), None) {
            let printed = e.to_string();
            let back = Expression::parse(&printed, &with_table(), None);
            prop_assert_eq!(&back, &Ok(e), "{} printed as {}", text, printed);
        }
    }

    #[test]
    fn random_jets_agree_with_duals(text in random::moderate(), t in 0.1..2.0f64) {
        if let Ok(e) = Expression::parse(&text, &with_table(), None) {
            let [u, du, ddu] = e.jet(t);
            let [v, dv, _] = e.jet(Dual4::variable(t, 0));
            // Where something cancels, the terms and not their sum set the scale of rounding:
            // conditioning of random expressions is bounded by looking at moderate values only.
            let moderate = [u, du, ddu].iter().all(|x| x.abs() < 1e3);
            if moderate && v.derivative(0).is_finite() && dv.derivative(0).is_finite() {
                prop_assert!((v.derivative(0) - du).abs() <= 1e-9 * (1.0 + du.abs()), "{}", text);
                prop_assert!((dv.derivative(0) - ddu).abs() <= 1e-9 * (1.0 + ddu.abs()), "{}", text);
            }
        }
    }
}

#[test]
fn random_expressions_are_mostly_sound() {
    // The properties above say nothing about texts that are refused: count the others.
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut sound, mut moderate) = (0, 0);
    for _ in 0..1000 {
        let text = random::expression().new_tree(&mut runner).unwrap().current();
        if let Ok(e) = Expression::parse(&text, &with_table(), None)
            && !e.is_constant()
        {
            sound += 1;
            moderate += usize::from(e.jet(0.7).iter().all(|x| x.abs() < 1e3));
        }
    }
    assert!(
        sound > 250 && moderate > 100,
        "{sound} sound, {moderate} moderate"
    );
}

#[test]
fn units_of_the_expected_quantity_are_suggested() {
    let help = |text: &str, expected: Option<Dimension>| {
        let errors = Expression::parse(text, &Scope::time(), expected).unwrap_err();
        errors[0].help.clone().unwrap_or_default()
    };
    assert_eq!(help("3 mn", Some(Dimension::LENGTH)), "did you mean `mm`?");
    assert_eq!(help("3 mn", Some(Dimension::FORCE)), "did you mean `mN`?");
    assert_eq!(help("3 mn", None), "did you mean `mN`?");
    assert_eq!(help("3 kq", Some(Dimension::MASS)), "did you mean `kg`?");
}

#[test]
fn unknown_names_are_told_what_there_is() {
    let scope = Scope::time().constant("length", 1.0, DimensionState::Plain);
    let errors = Expression::parse("2*x", &scope, None).unwrap_err();
    assert_eq!(errors[0].help.as_deref(), Some("known here: length, t"));
}
