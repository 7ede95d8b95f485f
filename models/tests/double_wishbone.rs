//! Toe, camber and track of the double wishbone against plain geometry: circles and spheres, no equations of
//! motion.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use holonom::analysis::statics::{StaticsOptions, equilibrium};
use holonom::format::{InputOffset, read_with_offsets};
use holonom_models::find;
use std::sync::Arc;

type Point = [f64; 3];

fn minus(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn along(a: Point, d: Point, s: f64) -> Point {
    [0, 1, 2].map(|k| a[k] + s * d[k])
}

fn dot(a: Point, b: Point) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

fn cross(a: Point, b: Point) -> Point {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn distance(a: Point, b: Point) -> f64 {
    let d = minus(a, b);
    dot(d, d).sqrt()
}

/// A point turned about an axis along x.
fn turned(p: Point, axis: Point, angle: f64) -> Point {
    let (s, c) = angle.sin_cos();
    let d = minus(p, axis);
    [p[0], axis[1] + c * d[1] - s * d[2], axis[2] + s * d[1] + c * d[2]]
}

/// The root of a function next to a place, by bisection.
fn root(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let (mut a, mut b) = (from, to);
    assert!(f(a) * f(b) < 0.0);
    for _ in 0..200 {
        let m = 0.5 * (a + b);
        if f(a) * f(m) <= 0.0 { b = m } else { a = m }
    }
    0.5 * (a + b)
}

/// Where three spheres meet: that one of two points which is nearer to `near`.
fn trilaterated(centres: [Point; 3], radii: [f64; 3], near: Point) -> Point {
    let x = minus(centres[1], centres[0]);
    let d = dot(x, x).sqrt();
    let x = x.map(|c| c / d);
    let other = minus(centres[2], centres[0]);
    let i = dot(x, other);
    let y = along(other, x, -i);
    let j = dot(y, y).sqrt();
    let y = y.map(|c| c / j);
    let z = cross(x, y);
    let [r0, r1, r2] = radii.map(|r| r * r);
    let px = (r0 - r1 + d * d) / (2.0 * d);
    let py = (r0 - r2 + i * i + j * j) / (2.0 * j) - i / j * px;
    let pz = (r0 - px * px - py * py).sqrt();
    let foot = along(along(centres[0], x, px), y, py);
    let (a, b) = (along(foot, z, pz), along(foot, z, -pz));
    if distance(a, near) < distance(b, near) {
        a
    } else {
        b
    }
}

/// Centre and axle of the wheel for an angle of the lower wishbone and a way of the rack.
fn geometry(angle: f64, rack: f64) -> (Point, Point) {
    let mm = |p: [f64; 3]| p.map(|x| 1e-3 * x);
    let (lower, upper) = (mm([0.0, 380.0, 205.0]), mm([-15.0, 440.0, 495.0]));
    let centre = mm([0.0, 780.0, 310.0]);
    // Points of the wheel carrier in the start position.
    let [l, u, t] = [
        [5.0, -50.0, -122.0],
        [-27.0, -95.0, 215.0],
        [-125.0, -70.0, -65.0],
    ]
    .map(|p| along(centre, mm(p), 1.0));
    let rod_inner = mm([-130.0, 365.0, 250.0]);
    let rod = distance(rod_inner, t);
    let rod_inner = [rod_inner[0], rod_inner[1] + rack, rod_inner[2]];

    let lower_ball = turned(l, lower, angle);
    let height = distance(l, u);
    let gap = |a: f64| distance(turned(u, upper, a), lower_ball) - height;
    let upper_ball = turned(u, upper, root(gap, angle - 0.3, angle + 0.5));
    let end = trilaterated(
        [lower_ball, upper_ball, rod_inner],
        [distance(l, t), distance(u, t), rod],
        along(t, minus(lower_ball, l), 1.0),
    );
    // The carrier as axes from three points, before and after.
    let axes = |l: Point, u: Point, t: Point| {
        let a = minus(u, l);
        let a = a.map(|x| x / dot(a, a).sqrt());
        let b = minus(t, l);
        let b = along(b, a, -dot(a, b));
        let b = b.map(|x| x / dot(b, b).sqrt());
        [a, b, cross(a, b)]
    };
    let (before, after) = (axes(l, u, t), axes(lower_ball, upper_ball, end));
    let moved = |v: Point| (0..3).fold([0.0; 3], |sum, k| along(sum, after[k], dot(before[k], v)));
    (
        along(lower_ball, moved(minus(centre, l)), 1.0),
        moved([0.0, 1.0, 0.0]),
    )
}

#[test]
fn toe_and_camber_are_those_of_the_geometry() {
    let entry = find("double-wishbone").unwrap();
    for travel in [-0.08, -0.03, 0.0, 0.05, 0.08] {
        for rack in [-0.04, 0.0, 0.03] {
            let offsets = [("travel", travel), ("steer", rack)].map(|(name, value)| InputOffset {
                name: name.into(),
                time: 0.0,
                coefficients: [value, 0.0, 0.0],
            });
            let file = read_with_offsets(entry.path(), &entry.files(), &[], &offsets).unwrap();
            let start = Arc::new(file.compile().unwrap())
                .assemble(&Default::default())
                .unwrap();
            let rest = equilibrium(&start, &StaticsOptions::default()).unwrap();
            let model = &rest.start.model;
            let snapshot = model.snapshot(0.0, &rest.state.q, &rest.start.v);
            let wheel = model.body_index("wheel").unwrap();
            let centre = snapshot.point(wheel, [0.0; 3]).0.0;
            let axle = snapshot.pose(wheel).rotation.column(1).0;

            let height = |angle: f64| geometry(angle, rack).0[2] - (0.31 + travel);
            let (expected, direction) = geometry(root(height, -0.35, 0.35), rack);
            println!("{travel} {rack} {centre:?} {axle:?}");
            assert!(distance(centre, expected) < 1e-9, "{centre:?} {expected:?}");
            assert!(distance(axle, direction) < 1e-9, "{axle:?} {direction:?}");
        }
    }
}
