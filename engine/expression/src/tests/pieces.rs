//! On which smooth piece an expression is.

use super::*;
use std::sync::Arc;

/// Values of x in `range` between which the piece changes, to 10⁻⁹.
fn borders(text: &str, [from, to]: [f64; 2]) -> Vec<f64> {
    let points: Vec<f64> = (0..4).map(f64::from).collect();
    let values = vec![0.0, 1.0, 0.5, 2.0];
    let curve = Curve::new("f", points, values, Interpolation::Spline, Extrapolation::Linear).unwrap();
    let scope = Scope::new().variable("x").table(Arc::new(curve));
    let law = Expression::parse(text, &scope, None).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let at = |x: f64| {
        let (value, piece) = law.evaluate_piece(&[x], &[]);
        assert_eq!(value, law.evaluate(&[x]), "{text} at {x}");
        piece
    };
    let steps = 1000;
    let place = |k: i32| from + (to - from) * (f64::from(k) + 0.37) / f64::from(steps);
    let mut found = Vec::new();
    for k in 0..steps - 1 {
        let (mut a, mut b) = (place(k), place(k + 1));
        let begin = at(a);
        if at(b) == begin {
            continue;
        }
        while b - a > 1e-9 {
            let middle = 0.5 * (a + b);
            if at(middle) == begin {
                a = middle
            } else {
                b = middle
            }
        }
        found.push(b);
    }
    assert_eq!(law.has_pieces(), !found.is_empty(), "{text}");
    found
}

#[test]
fn pieces_change_at_their_borders_and_nowhere_else() {
    for (text, expected) in [
        ("sin(3*x) + x^3/(1 + x^2)", vec![]),
        ("abs(x - 0.25)", vec![0.25]),
        ("3*max(x, 1 - x) - 2", vec![0.5]),
        ("min(x^2, 1)", vec![-1.0, 1.0]),
        ("smoothstep(x, 0, 0, 1, 5)", vec![0.0, 1.0]),
        ("f(x)", vec![0.0, 1.0, 2.0, 3.0]),
        ("2*f(2*x)^2", vec![0.0, 0.5, 1.0, 1.5]),
        ("abs(x) + f(x + 0.5)", vec![-0.5, 0.0, 0.5, 1.5, 2.5]),
        ("f(abs(x))", vec![-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]),
    ] {
        let found = borders(text, [-4.0, 4.0]);
        assert_eq!(found.len(), expected.len(), "{text}: {found:?}");
        for (found, expected) in found.iter().zip(&expected) {
            assert!(
                (found - expected).abs() < 1e-8,
                "{text}: {found} instead of {expected}"
            );
        }
    }
}
