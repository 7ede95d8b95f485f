//! Geometry of paths.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::document::Document;
use core::f64::consts::PI;
use holonom_algebra::Dual4;

fn through(points: &[[f64; 2]], closed: bool) -> Result<PathCurve, PathError> {
    PathCurve::new(&PathKind::from(Points {
        x: points.iter().map(|p| p[0]).collect(),
        y: points.iter().map(|p| p[1]).collect(),
        closed,
        lane: 0.0,
    }))
}

fn every_kind() -> Vec<PathKind> {
    let points = |closed| {
        PathKind::from(Points {
            x: vec![0.0, 20.0, 35.0, 30.0, 5.0],
            y: vec![0.0, 3.0, 20.0, 45.0, 30.0],
            closed,
            lane: 3.0,
        })
    };
    vec![
        PathKind::from(Straight { lane: 2.5 }),
        PathKind::from(Circle {
            radius: -30.0,
            lane: 3.0,
        }),
        points(false),
        points(true),
        PathKind::from(File {
            file: Document::new("points.csv", "x, y\n0, 0\n10, 1\n25, -2\n40, 5\n"),
            closed: false,
            lane: 3.0,
        }),
        Iso3888One::new(1.8).into(),
        Iso3888Two::new(1.8).into(),
    ]
}

#[test]
fn every_kind_is_in_the_registry_and_there_is_a_test_of_each() {
    let kinds = every_kind();
    for info in PATHS {
        assert_eq!((info.template)().info().name, info.name);
        assert!(
            kinds.iter().any(|kind| kind.info().name == info.name),
            "{}",
            info.name
        );
    }
}

/// The tangent is the derivative of the place by the arc, of length one; the curvature that of its
/// angle; dual numbers carry both. All are continuous.
#[test]
fn derivatives_of_all_kinds() {
    for kind in every_kind() {
        let path = PathCurve::new(&kind).unwrap();
        let last = path.round().unwrap_or(70.0);
        for k in 0..400 {
            // Also before the beginning, behind the end and in the second round.
            let s = -5.0 + 0.29 * f64::from(k) + last / 3.0 * f64::from(k % 3);
            let h = 1e-5;
            let [a, b] = [path.at(s - h), path.at(s + h)];
            let point = path.at(s);
            let size = point.tangent[0].hypot(point.tangent[1]);
            assert!((size - 1.0).abs() < 1e-14, "{kind:?} {s}");
            for i in 0..2 {
                let slope = (b.place[i] - a.place[i]) / (2.0 * h);
                // The parameter is the arc but for the error of the dense spline: h² J/24 with pieces of
                // h = 1 m and jumps J = 0.01/m² of the third derivative at the given points.
                assert!((slope - point.tangent[i]).abs() < 4e-4, "{kind:?} {s} {slope}");
            }
            let [_, turn] = point.components([
                (b.tangent[0] - a.tangent[0]) / (2.0 * h),
                (b.tangent[1] - a.tangent[1]) / (2.0 * h),
            ]);
            let jump = (b.curvature - a.curvature).abs();
            let at_an_end = path.round().is_none() && jump > 1e-3;
            assert!(
                at_an_end || (turn - point.curvature).abs() < 1e-4,
                "{kind:?} {s} {turn} {}",
                point.curvature
            );
            let dual = path.at(Dual4::variable(s, 0));
            let seen = [dual.place[0].derivative(0), dual.place[1].derivative(0)];
            let [along, left] = point.components(seen);
            assert!(
                (along - 1.0).abs() < 4e-4 && left.abs() < 1e-12,
                "{kind:?} {s} {along}"
            );
        }
    }
}

/// Curvature jumps nowhere on a path, nor at the seam of a closed one; only at the ends of an open one.
#[test]
fn curvature_is_continuous() {
    for kind in every_kind() {
        let path = PathCurve::new(&kind).unwrap();
        let (from, to) = match (&kind, path.round()) {
            (_, Some(round)) => (-0.5 * round, 1.5 * round),
            (PathKind::Points(_) | PathKind::File(_), None) => (0.0, 40.0),
            _ => (-10.0, 150.0),
        };
        let steps = 20_000;
        let step = (to - from) / f64::from(steps);
        let mut before: Option<f64> = None;
        for k in 0..=steps {
            let now = path.at(from + step * f64::from(k)).curvature;
            if let Some(before) = before {
                // Far above the slope of these curvatures times the step, far below the curvatures.
                assert!((now - before).abs() < 2e-3, "{kind:?} {k} {before} {now}");
            }
            before = Some(now);
        }
    }
}

/// A circle from 36 points: passed exactly, of its length, and of its curvature to the order of splines.
#[test]
fn a_closed_spline_is_a_circle() {
    let radius = 50.0;
    let points: Vec<[f64; 2]> = (0..36)
        .map(|k| {
            let (sin, cos) = (PI / 18.0 * f64::from(k)).sin_cos();
            [radius * sin, radius * (1.0 - cos)]
        })
        .collect();
    let path = through(&points, true).unwrap();
    let round = path.round().unwrap();
    assert!((round / (2.0 * PI * radius) - 1.0).abs() < 1e-5, "{round}");
    for (k, point) in points.iter().enumerate() {
        let at = path.at(round * k as f64 / 36.0).place;
        assert!((at[0] - point[0]).hypot(at[1] - point[1]) < 1e-9, "{k}");
    }
    for k in 0..500 {
        let point = path.at(0.02 * round * f64::from(k));
        let off = point.place[0].hypot(point.place[1] - radius) / radius - 1.0;
        // h⁴/384 and h²/12 with h = 10°.
        assert!(off.abs() < 3e-6, "{off}");
        assert!((point.curvature * radius - 1.0).abs() < 2.6e-3, "{k}");
    }
    // Repeating the first point changes nothing.
    let mut repeated = points.clone();
    repeated.push(points[0]);
    assert_eq!(through(&repeated, true).unwrap().at(31.0), path.at(31.0));
    // The foot of a perpendicular.
    let s = path.nearest([70.0, radius], [0.0, round]);
    assert!((s - 0.25 * round).abs() < 1e-4, "{s}");
}

/// Cones of both courses for a vehicle 1.8 m wide, by the formulas of the standard.
#[test]
fn lanes_of_the_standard() {
    let b = 1.8;
    for (kind, lanes, offset) in [
        (
            Iso3888One::new(b).into(),
            [
                [0.0, 15.0, 1.1 * b + 0.25],
                [45.0, 70.0, 1.2 * b + 0.25],
                [95.0, 125.0, 1.3 * b + 0.25],
            ],
            3.5,
        ),
        (
            Iso3888Two::new(b).into(),
            [
                [0.0, 12.0, 1.1 * b + 0.25],
                [25.5, 36.5, b + 1.0],
                [49.0, 61.0, 3.0],
            ],
            1.0 + 1.1 * b + 0.25,
        ),
    ] {
        let path = PathCurve::new(&kind).unwrap();
        let right = -0.5 * lanes[0][2];
        for (k, [from, to, width]) in lanes.into_iter().enumerate() {
            let lowest = right + if k == 1 { offset } else { 0.0 };
            for x in [from, 0.5 * (from + to), to] {
                let [left_gap, right_gap] = path.clearances(0.0, [x, lowest + 0.3]).unwrap();
                assert!((right_gap - 0.3).abs() < 1e-12, "{kind:?} {x} {right_gap}");
                assert!(
                    (left_gap - (width - 0.3)).abs() < 1e-12,
                    "{kind:?} {x} {left_gap}"
                );
            }
            // The path is the middle of the lane but near its ends, where it still stays inside.
            let s = path.nearest([0.5 * (from + to), lowest + 0.5 * width], [0.0, 130.0]);
            let [x, y] = path.at(s).place;
            assert!((x - 0.5 * (from + to)).abs() < 1e-6);
            assert!((y - lowest - 0.5 * width).abs() < 1e-9, "{kind:?} {y}");
        }
        for k in 0..1300 {
            let point = path.at(0.1 * f64::from(k));
            let [left, right] = path.clearances(0.1 * f64::from(k), point.place).unwrap();
            // The vehicle fits at every place.
            assert!(left > 0.5 * b && right > 0.5 * b, "{kind:?} {k} {left} {right}");
        }
        // Beyond the track it goes on straight in the last lane.
        assert!(path.at(300.0).curvature.abs() < 1e-12);
    }
}

#[test]
fn what_makes_no_path_is_said() {
    let message = |kind: PathKind| PathCurve::new(&kind).unwrap_err().to_string();
    let points = |x: &[f64], y: &[f64], closed| {
        PathKind::from(Points {
            x: x.to_vec(),
            y: y.to_vec(),
            closed,
            lane: 0.0,
        })
    };
    for (kind, expected) in [
        (
            points(&[0.0, 1.0], &[0.0], false),
            "the lengths of `x` (2) and `y` (1) differ",
        ),
        (
            points(&[0.0], &[0.0], false),
            "different points is 1, but must be at least 2",
        ),
        (
            points(&[0.0, 1.0, 0.0], &[0.0, 1.0, 0.0], true),
            "different points is 2, but must be at least 3",
        ),
        (
            points(&[0.0, 1.0, 1.0], &[0.0, 2.0, 2.0], false),
            "points 2 and 3 coincide at (1, 2)",
        ),
        (points(&[0.0, f64::NAN], &[0.0, 2.0], false), "must be finite"),
        (
            PathKind::from(Circle {
                radius: 0.0,
                lane: 0.0,
            }),
            "`radius`) is 0, but must be finite and not zero",
        ),
        (
            PathKind::from(Straight { lane: -1.0 }),
            "`lane`) is -1, but must be zero or positive",
        ),
        (Iso3888One::new(0.0).into(), "`width`) is 0, but must be positive"),
        (
            PathKind::from(File {
                file: Document::new("a.csv", "x y\n1 2\n3 q\n"),
                closed: false,
                lane: 0.0,
            }),
            "the table \"a.csv\", line 3: \"q\" is not a finite number",
        ),
    ] {
        let found = message(kind);
        assert!(found.contains(expected), "{found}");
    }
}
