//! Tests of curves.
#![allow(clippy::unwrap_used)]

use super::*;
use holonom_algebra::Dual4;
use proptest::prelude::*;

fn curve(x: &[f64], y: &[f64], interpolation: Interpolation, extrapolation: Extrapolation) -> Curve {
    Curve::new("c", x.to_vec(), y.to_vec(), interpolation, extrapolation).unwrap()
}

#[test]
fn bad_points_are_refused() {
    let new = |x: &[f64], y: &[f64]| {
        let result = Curve::new(
            "road",
            x.to_vec(),
            y.to_vec(),
            Interpolation::Spline,
            Extrapolation::Hold,
        );
        result.unwrap_err().to_string()
    };
    assert_eq!(
        new(&[1.0], &[2.0]),
        "the table \"road\" has 1 points; it needs at least two"
    );
    assert_eq!(
        new(&[1.0, 2.0], &[2.0]),
        "the lengths of x (2) and y (1) in the table \"road\" differ; give the same number of values"
    );
    assert_eq!(
        new(&[1.0, 2.0, 2.0], &[0.0; 3]),
        "x of the table \"road\" must be increasing, but 2 at point 3 follows 2"
    );
    assert_eq!(
        new(&[1.0, f64::NAN], &[0.0; 2]),
        "point 2 of the table \"road\" is not finite: (NaN, 0)"
    );
    assert!(new(&[0.0, 1e-300, 1.0], &[0.0, 1e300, 0.0]).contains("too steep"));
}

#[test]
fn curves_go_through_their_points_and_on_outside() {
    let (x, y) = ([0.0, 0.5, 2.0, 2.5, 4.0], [1.0, 3.0, -2.0, 0.5, 0.25]);
    for interpolation in Interpolation::ALL {
        let hold = curve(&x, &y, interpolation, Extrapolation::Hold);
        for (x, y) in x.iter().zip(y) {
            assert!((hold.evaluate(*x) - y).abs() < 1e-14, "{interpolation:?}");
        }
        assert_eq!((hold.evaluate(-9.0), hold.evaluate(9.0)), (1.0, 0.25));
        assert_eq!(hold.jet(9.0)[1..], [0.0, 0.0]);
        assert!(hold.evaluate(f64::NAN).is_nan());
        let linear = curve(&x, &y, interpolation, Extrapolation::Linear);
        for end in [0.0, 4.0] {
            let slope = linear.jet(end)[1];
            let far = end + if end > 0.0 { 2.0 } else { -2.0 };
            let expected = linear.evaluate(end) + (far - end) * slope;
            let [value, derivative, second] = linear.jet(far);
            assert!((value - expected).abs() < 1e-13 && (derivative - slope).abs() < 1e-13);
            assert_eq!(second, 0.0);
        }
        let refuse = curve(&x, &y, interpolation, Extrapolation::Refuse);
        assert!(refuse.evaluate(4.1).is_nan() && refuse.evaluate(-0.1).is_nan());
        assert!(refuse.evaluate(4.0).is_finite() && refuse.evaluate(0.0).is_finite());
        assert_eq!(refuse.range(), [0.0, 4.0]);
    }
}

#[test]
fn splines_with_few_points_are_natural() {
    let line = curve(
        &[0.0, 2.0],
        &[1.0, 5.0],
        Interpolation::Spline,
        Extrapolation::Hold,
    );
    assert_eq!(line.jet(0.5), [2.0, 2.0, 0.0]);
    let three = curve(
        &[0.0, 1.0, 2.0],
        &[0.0, 1.0, 0.0],
        Interpolation::Spline,
        Extrapolation::Hold,
    );
    assert!(three.jet(0.0)[2].abs() < 1e-14 && three.jet(2.0)[2].abs() < 1e-14);
    // By hand: y″ = −3 in the middle.
    assert!((three.jet(1.0)[2] + 3.0).abs() < 1e-14);
}

/// Random points with rising x.
fn points(n: core::ops::Range<usize>) -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    proptest::collection::vec((0.05..2.0f64, -5.0..5.0f64), n).prop_map(|pairs| {
        let mut at = -1.0;
        pairs
            .into_iter()
            .map(|(step, y)| {
                at += step;
                (at, y)
            })
            .unzip()
    })
}

proptest! {
    #[test]
    fn splines_reproduce_cubics((x, c) in points(4..20), at in 0.0..1.0f64) {
        let p = |x: f64| ((c[3] * x + c[2]) * x + c[1]) * x + c[0];
        let y: Vec<f64> = x.iter().map(|x| p(*x)).collect();
        let s = curve(&x, &y, Interpolation::Spline, Extrapolation::Refuse);
        let [a, b] = s.range();
        let t = a + at * (b - a);
        let scale = 1.0 + y.iter().fold(0.0, |m: f64, y| m.max(y.abs()));
        let [u, du, ddu] = s.jet(t);
        prop_assert!((u - p(t)).abs() < 1e-11 * scale);
        prop_assert!((du - ((3.0 * c[3] * t + 2.0 * c[2]) * t + c[1])).abs() < 1e-9 * scale);
        prop_assert!((ddu - (6.0 * c[3] * t + 2.0 * c[2])).abs() < 1e-7 * scale);
    }

    #[test]
    fn splines_have_two_continuous_derivatives((x, y) in points(2..20)) {
        let s = curve(&x, &y, Interpolation::Spline, Extrapolation::Refuse);
        for k in 1..x.len() - 1 {
            let right = s.jet(x[k]);
            let [a, b, c, d] = s.pieces[k - 1];
            let h = x[k] - x[k - 1];
            let left = [a + h * (b + h * (c + h * d)), b + h * (2.0 * c + 3.0 * h * d), 2.0 * c + 6.0 * h * d];
            for i in 0..3 {
                prop_assert!((left[i] - right[i]).abs() < 1e-9 * (1.0 + right[i].abs()));
            }
        }
    }

    #[test]
    fn monotone_stays_monotone((x, mut y) in points(2..20), flat in 0usize..20) {
        y.sort_by(f64::total_cmp);
        if flat + 1 < y.len() {
            y[flat + 1] = y[flat];
            y.sort_by(f64::total_cmp);
        }
        let s = curve(&x, &y, Interpolation::Monotone, Extrapolation::Hold);
        let [a, b] = s.range();
        let mut before = y[0];
        for k in 0..=500 {
            let now = s.evaluate(a + (b - a) * f64::from(k) / 500.0);
            prop_assert!(now >= before - 1e-12);
            before = now;
        }
    }

    #[test]
    fn derivatives_agree_with_duals((x, y) in points(2..12), at in -0.2..1.2f64) {
        for interpolation in Interpolation::ALL {
            let s = curve(&x, &y, interpolation, Extrapolation::Linear);
            let [a, b] = s.range();
            let t = a + at * (b - a);
            let [_, du, ddu] = s.jet(t);
            let [v, dv, _] = s.jet(Dual4::variable(t, 0));
            prop_assert!((v.derivative(0) - du).abs() <= 1e-12 * (1.0 + du.abs()));
            prop_assert!((dv.derivative(0) - ddu).abs() <= 1e-12 * (1.0 + ddu.abs()));
        }
    }

    #[test]
    fn no_text_panics(text in "[0-9a-z;,.\t\n# -]*") {
        let _ = Curve::from_csv("c", &text, [0, 1], Interpolation::Spline, Extrapolation::Hold);
    }
}

fn csv(text: &str, columns: [impl Into<Column>; 2]) -> Result<Curve, CurveError> {
    Curve::from_csv("road", text, columns, Interpolation::Linear, Extrapolation::Hold)
}

#[test]
fn columns_are_read_with_any_separator() {
    for text in [
        "0,1\n1,2.5\n",
        "s,z\n0,1\n1,2.5",
        "# note\n\ns;z;\r\n0;1;\r\n1;2,5;\r\n",
        "s\tz\n0\t1\n1\t2.5 # last\n",
        "\u{feff}  0   1e0\n  1   2.5\n",
        "\"s\", \"z\"\n0, 1\n1, 2.5\n",
    ] {
        let c = csv(text, [0, 1]).unwrap_or_else(|e| panic!("{text:?}: {e}"));
        assert_eq!((c.x(), c.y()), (&[0.0, 1.0][..], &[1.0, 2.5][..]), "{text:?}");
    }
    let c = csv("a,z,s\n9,1,0\n9,2,1\n", ["s", "z"]).unwrap();
    assert_eq!(c.y(), [1.0, 2.0]);
}

#[test]
fn unreadable_lines_are_told_by_number() {
    let message = |text: &str| csv(text, ["s", "z"]).unwrap_err().to_string();
    for (text, expected) in [
        (
            "",
            "the table \"road\", line 1: the text has no lines with numbers; give at least two, with x and y",
        ),
        (
            "s,x\n0,1\n",
            "the table \"road\", line 1: there is no column \"z\"; there are \"s\", \"x\"",
        ),
        (
            "0,1\n",
            "the table \"road\", line 1: the column \"s\" cannot be found because the file has no headings; give the column number",
        ),
        (
            "s,z\n0,1\n\n1,abc\n",
            "the table \"road\", line 4: \"abc\" is not a finite number",
        ),
        (
            "s,z\n0,1\n1\n",
            "the table \"road\", line 3: column 2 is missing; there are 1",
        ),
        (
            "s,z\n0,inf\n",
            "the table \"road\", line 2: \"inf\" is not a finite number",
        ),
        (
            "s,z\n1,0\n0,0\n",
            "the table \"road\", line 3: x must be increasing, but 0 follows 1",
        ),
        (
            "s,z\n1,0\n",
            "the table \"road\" has 1 points; it needs at least two",
        ),
    ] {
        assert_eq!(message(text), expected);
    }
}

#[test]
fn units_behind_a_stroke_a_blank_or_an_underscore_count() {
    for (heading, factor) in [
        ("z [mm]", 1e-3),
        ("z/mm", 1e-3),
        ("z / mm", 1e-3),
        ("z mm", 1e-3),
        ("z_mm", 1e-3),
        ("road height mm", 1e-3),
        ("v/(mm/s)", 1e-3),
        ("F_kN", 1e3),
        // No unit, or one that changes nothing.
        ("z", 1.0),
        ("z_m", 1.0),
        ("z_front", 1.0),
        ("left wheel", 1.0),
        ("mm", 1.0),
        ("_mm", 1.0),
        ("km/h", 1.0),
    ] {
        let curve = csv(&format!("t,{heading}\n0,0\n1,2000\n"), [0, 1]).unwrap();
        let expected = 1000.0 * factor;
        assert!(
            (curve.evaluate(0.5) - expected).abs() < 1e-9 * expected,
            "{heading}: {}",
            curve.evaluate(0.5)
        );
    }
    let ms = csv("t/ms,z_mm\n0,0\n1000,2000\n", ["t", "z"]).unwrap();
    assert!((ms.evaluate(0.5) - 1.0).abs() < 1e-12);
}

#[test]
fn commas_within_numbers_and_repeated_headings_are_refused() {
    for text in ["t,z\n0,0\n1,\"1,000\"\n", "0,\"1,000\"\n1,\"2,000\"\n"] {
        let message = csv(text, [0, 1]).unwrap_err().to_string();
        assert!(message.contains("thousands separator"), "{text:?}: {message}");
    }
    // Quoted headings may hold the separator.
    let curve = csv("\"t, measured\",\"z\"\n0,0\n1,2\n", [0, 1]).unwrap();
    assert!((curve.evaluate(0.5) - 1.0).abs() < 1e-12);
    for text in ["t,z,z\n0,0,5\n1,2,7\n", "t,z [mm],z_cm\n0,0,5\n1,2,7\n"] {
        let message = csv(text, ["t", "z"]).unwrap_err().to_string();
        assert!(message.contains("columns 2 and 3"), "{text:?}: {message}");
    }
}
