//! Random expressions.

use proptest::prelude::*;

/// A piece of text that the language knows.
pub(super) fn token() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "1",
        "2.5",
        "1e-3",
        ".5",
        "t",
        "x",
        "pi",
        "(",
        ")",
        "(",
        ")",
        "+",
        "-",
        "*",
        "/",
        "^",
        ",",
        "<",
        "<=",
        "==",
        "!=",
        ">",
        "sin(",
        "min(",
        "if(",
        "atan2(",
        "smoothstep(",
        "table(",
        "sqrt(",
        "abs(",
        " ",
        " mm",
        " N",
        " deg",
        "%",
        "°",
        "²",
        " kg*m^2",
        "/s",
        "^2",
        "^-1",
        "=",
        "µ",
        "pow(",
    ])
}

/// A text with nested operators and calls, its numbers anything.
pub(super) fn expression() -> impl Strategy<Value = String> {
    nested(any::<f64>().prop_filter("finite", |x| x.is_finite()))
}

/// A text with nested operators and calls, its numbers those of people: what 1e179 leaves of its
/// neighbours in a sum is rounding.
pub(super) fn moderate() -> impl Strategy<Value = String> {
    nested(-20.0..20.0f64)
}

fn nested(number: impl Strategy<Value = f64> + 'static) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("t".to_string()),
        (-40i32..40).prop_map(|k| format!("{}", f64::from(k) / 8.0)),
        number.prop_map(|x| format!("{x:e}")),
        Just("pi".to_string()),
    ];
    leaf.prop_recursive(6, 40, 5, |inner| {
        let unary = proptest::sample::select(vec![
            "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "ln", "log10",
            "sqrt", "abs", "sign", "floor", "step", "table", "-", "",
        ]);
        let binary = proptest::sample::select(vec![
            " + ", " - ", "*", "/", "^", " < ", " >= ", " == ", " != ", " <= ", " > ",
        ]);
        let call = proptest::sample::select(vec!["atan2", "hypot", "min", "max", "pow"]);
        prop_oneof![
            (unary, inner.clone()).prop_map(|(f, x)| format!("{f}({x})")),
            (inner.clone(), binary.clone(), inner.clone()).prop_map(|(a, op, b)| format!("({a}){op}({b})")),
            (inner.clone(), binary, inner.clone()).prop_map(|(a, op, b)| format!("{a}{op}{b}")),
            (call, inner.clone(), inner.clone()).prop_map(|(f, a, b)| format!("{f}({a}, {b})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("if({a}, {b}, {c})")),
            (inner.clone(), inner.clone(), inner)
                .prop_map(|(a, b, c)| format!("smoothstep({a}, 0, {b}, 1.5, {c})")),
        ]
    })
}
