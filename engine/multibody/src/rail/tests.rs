#![allow(clippy::unwrap_used)]

mod creep;
mod profile;
mod track;

use super::*;
use holonom_algebra::{Dual4, Real, Vec3};
use holonom_expression::curve::{Curve, Extrapolation, Interpolation};
use holonom_expression::{Expression, Scope};
use std::sync::Arc;

const G: f64 = 8.2e10;

fn close(a: f64, b: f64, tolerance: f64, what: &str) {
    let error = (a - b).abs() / b.abs().max(1e-300);
    assert!(error <= tolerance, "{what}: {a} and {b}, {error:e}");
}

fn law(text: &str) -> Expression {
    Expression::parse(text, &Scope::new().variable("s"), None).unwrap()
}

#[test]
fn kalker_table_to_the_digits_given() {
    let at = |poisson: f64, a: f64, b: f64| {
        let c = KalkerTable::new(poisson).unwrap().coefficients(&Patch { a, b });
        [c.c11, c.c22, c.c23, c.c33]
    };
    // Corners and some points within, read from the printed table.
    for (poisson, a, b, expected) in [
        (0.0, 0.1, 1.0, [2.51, 2.51, 0.334, 6.42]),
        (0.25, 0.1, 1.0, [3.31, 2.52, 0.473, 8.28]),
        (0.5, 0.1, 1.0, [4.85, 2.53, 0.731, 11.7]),
        (0.25, 0.5, 1.0, [3.62, 3.01, 0.929, 1.93]),
        (0.25, 1.0, 1.0, [4.12, 3.67, 1.47, 1.19]),
        (0.0, 1.0, 0.9, [3.51, 3.51, 1.44, 1.16]),
        (0.5, 1.0, 0.7, [5.58, 4.67, 2.18, 0.852]),
        (0.25, 1.0, 0.3, [6.34, 6.4, 4.32, 0.674]),
        (0.5, 1.0, 0.1, [12.9, 16.0, 18.0, 0.228]),
    ] {
        for (found, expected) in at(poisson, a, b).into_iter().zip(expected) {
            close(found, expected, 1e-14, &format!("nu {poisson}, a {a}, b {b}"));
        }
    }
    // Linear over g, reciprocals a parabola over Poisson's ratio.
    close(at(0.25, 0.55, 1.0)[0], 0.5 * (3.62 + 3.72), 1e-13, "between rows");
    let reciprocal = (0.375 / 3.40_f64 + 0.75 / 4.12 - 0.125 / 5.20).recip();
    close(at(0.125, 1.0, 1.0)[0], reciprocal, 1e-13, "between ratios");
    assert_eq!(at(0.25, 0.01, 1.0), at(0.25, 0.1, 1.0));
    assert!(KalkerTable::new(0.6).is_err() && KalkerTable::new(f64::NAN).is_err());
}

/// m and n of the usual table (Timoshenko and Goodier, Theory of Elasticity, section 140), to its
/// three digits.
#[test]
fn hertz_ellipse_has_the_known_axes() {
    let steel = Hertz::new(2.1e11, 0.3).unwrap();
    for (degrees, m, n) in [
        (30.0_f64, 2.731, 0.493),
        (45.0, 1.926, 0.604),
        (60.0, 1.486, 0.717),
        (80.0, 1.128, 0.893),
        (90.0, 1.0, 1.0),
    ] {
        let cos = degrees.to_radians().cos();
        let (small, large) = (0.5 * (1.0 - cos), 0.5 * (1.0 + cos));
        let (load, sum) = (5e4, 3.0);
        let scale = (1.5 * (1.0 - 0.09) * load / 2.1e11 / sum).powf(1.0 / 3.0);
        let patch = steel.patch(load, sum * small, sum * large);
        close(patch.a / scale, m, 1.5e-3, "m");
        close(patch.b / scale, n, 1.5e-3, "n");
        let turned = steel.patch(load, sum * large, sum * small);
        close(turned.a, patch.b, 1e-7, "exchanged");
        close(turned.b, patch.a, 1e-7, "exchanged");
    }
    // No corner where the axes exchange their roles.
    let [before, after] = [-1e-4, 1e-4].map(|d| {
        let dual = Dual4::variable(1.0 + d, 0);
        steel.patch(Dual4::constant(5e4), dual, Dual4::constant(1.0)).a
    });
    assert!((before.derivative(0) - after.derivative(0)).abs() < 1e-3 * before.derivative(0).abs());
    // Without load.
    let none = steel.patch(
        Dual4::variable(0.0, 0),
        Dual4::constant(1.0),
        Dual4::constant(1.7),
    );
    assert!(none.a.value() > 0.0 && none.a.derivative(0).is_finite());
}

fn patch_and_table(a: f64, b: f64) -> (Patch<f64>, Coefficients<f64>) {
    let patch = Patch { a, b };
    let table = KalkerTable::new(0.28).unwrap();
    (patch, table.coefficients(&patch))
}

fn creep(longitudinal: f64, lateral: f64, spin: f64) -> Creepage<f64> {
    Creepage {
        longitudinal,
        lateral,
        spin,
    }
}

#[test]
fn small_creepages_give_the_linear_forces() {
    for (a, b) in [(6e-3, 4e-3), (3e-3, 7e-3), (5e-3, 5e-3)] {
        let (patch, c) = patch_and_table(a, b);
        let (stiffness, root) = (G * a * b, (a * b).sqrt());
        let limit = 0.3 * 6e4;
        let forces = |law: CreepLaw, creep: Creepage<f64>| law.forces(&patch, &c, G, limit, &creep);
        let small = 2e-6;
        let x = forces(CreepLaw::Polach, creep(small, 0.0, 0.0));
        close(x.longitudinal, -stiffness * c.c11 * small, 1e-6, "longitudinal");
        assert_eq!(x.lateral, 0.0);
        let y = forces(CreepLaw::Polach, creep(0.0, -small, 0.0));
        close(y.lateral, stiffness * c.c22 * small, 1e-6, "lateral");
        let spin = small / a;
        let z = forces(CreepLaw::Polach, creep(0.0, 0.0, spin));
        close(z.lateral, -stiffness * root * c.c23 * spin, 1e-6, "spin");
        // Kalker's law itself differs by the saturation, u/3.
        let tiny = 1e-9;
        let all = forces(CreepLaw::ALL[1], creep(tiny, 2.0 * tiny, tiny / a));
        close(all.longitudinal, -stiffness * c.c11 * tiny, 1e-6, "tanh");
        let expected = -stiffness * (c.c22 * 2.0 * tiny + root * c.c23 * tiny / a);
        close(all.lateral, expected, 1e-6, "tanh");
        let expected = stiffness * (root * c.c23 * 2.0 * tiny - a * b * c.c33 * tiny / a);
        close(all.moment, expected, 1e-6, "moment");
    }
}

#[test]
fn large_creepages_give_the_friction_force() {
    let (patch, c) = patch_and_table(6e-3, 4e-3);
    let limit = 0.3 * 6e4;
    for law in CreepLaw::ALL {
        for (x, y) in [(3e3, 0.0), (0.0, -2e3), (4e3, 3e3)] {
            let f = law.forces(&patch, &c, G, limit, &creep(x, y, 0.0));
            close(f.longitudinal.hypot(f.lateral), limit, 1e-6, law.name());
            assert!(f.longitudinal * x <= 0.0 && f.lateral * y <= 0.0);
        }
    }
}

#[test]
fn saturation_has_no_jump() {
    let (patch, c) = patch_and_table(6e-3, 4e-3);
    let limit = 0.3 * 6e4;
    // u = 3 for the pieces of Shen, Hedrick and Elkins.
    let full = 3.0 * limit / (G * 24e-6 * c.c11);
    for law in CreepLaw::ALL {
        let force = |x: f64| law.forces(&patch, &c, G, limit, &creep(x, 0.0, 0.0)).longitudinal;
        let h = 1e-6 * full;
        let [left, right] = [force(full - h), force(full + h)];
        assert!((left - right).abs() < 1e-5 * limit, "{}", law.name());
        let slope = |x: f64| (force(x + h) - force(x - h)) / (2.0 * h);
        let jump = slope(full + 2.0 * h) - slope(full - 2.0 * h);
        assert!(jump.abs() * full < 1e-4 * limit, "{}: {jump}", law.name());
    }
}

#[test]
fn laws_are_finite_without_creepage_and_derivatives_are_exact() {
    let table = KalkerTable::new(0.28).unwrap();
    let patch = |v: [Dual4; 2]| Patch { a: v[0], b: v[1] };
    for law in CreepLaw::ALL {
        for (x, y, s) in [
            (0.0, 0.0, 0.0),
            (0.0, 0.0, 0.2),
            (1e-3, 0.0, 0.0),
            (0.0, 2e-3, 0.0),
            (1e-3, -2e-3, 0.4),
            (2e-3, 1e-3, -0.1),
            (1.0, 1.0, 3.0),
        ] {
            let at = |[x, y, s, n]: [Dual4; 4]| {
                let patch = patch([n * 1e-7, n * 0.8e-7]);
                let f = law.forces(
                    &patch,
                    &table.coefficients(&patch),
                    G,
                    n * 0.3,
                    &Creepage {
                        longitudinal: x,
                        lateral: y,
                        spin: s,
                    },
                );
                [f.longitudinal, f.lateral, f.moment]
            };
            let point = [x, y, s, 5e4];
            let exact = at(core::array::from_fn(|k| Dual4::variable(point[k], k)));
            for f in exact {
                assert!(f.is_finite(), "{} at {point:?}: {f:?}", law.name());
            }
            if x == 0.0 && y == 0.0 {
                continue;
            }
            let steps = [1e-9, 1e-9, 1e-7, 1e-2];
            // Polach's creepage with spin has a corner where there is none.
            for k in (0..4).filter(|k| *k != 2 || s != 0.0) {
                let moved = |sign: f64| {
                    let mut p = point;
                    p[k] += sign * steps[k];
                    at(p.map(Dual4::constant)).map(Dual4::value)
                };
                let (before, after) = (moved(-1.0), moved(1.0));
                for i in 0..3 {
                    let slope = (after[i] - before[i]) / (2.0 * steps[k]);
                    let error = (slope - exact[i].derivative(k)).abs();
                    let scale = exact[i].derivative(k).abs() + 1e-7 * 2e4 / steps[k] * 1e-3;
                    assert!(
                        error < 1e-4 * scale,
                        "{} {point:?} {k} {i}: {slope} {:?}",
                        law.name(),
                        exact[i]
                    );
                }
            }
        }
    }
}

fn cone(side: f64) -> ContactGeometry {
    let cone = Cone {
        radius: 0.46,
        conicity: 0.05,
        head: 0.3,
    };
    ContactGeometry::Cone { cone, side }
}

fn curved(wheel: &str, rail: &Expression, side: f64, smoothing: f64) -> ContactGeometry {
    let profiles = Profiles::new(0.46, &law(wheel), rail, [-0.03, 0.03], 2.5e-4, smoothing).unwrap();
    ContactGeometry::Profiles {
        profiles: Arc::new(profiles),
        side,
    }
}

fn circle() -> Expression {
    law("sqrt(0.09 - s^2) - 0.3")
}

/// The axle of a wheel that is turned by roll and yaw.
fn seen<T: Real>(y: T, z: T, roll: T, yaw: T) -> Seen<T> {
    let ((sr, cr), (sy, cy)) = (roll.sin_cos(), yaw.sin_cos());
    Seen {
        centre: Vec3([T::zero(), y, z]),
        axle: Vec3([-(sy * cr), cy * cr, sr]),
    }
}

#[test]
fn a_conical_wheelset_has_its_conicity() {
    // Radii of both wheels of a wheelset that is displaced by y, without roll: the contact moves by
    // y on the wheel, up to the share of the rail head's shape.
    let radii = |y: f64| [1.0, -1.0].map(|side| cone(side).touch(&seen(y, 0.46, 0.0, 0.0)).radius);
    for y in [1e-4, 3e-3, -6e-3] {
        let [left, right] = radii(y);
        let cos2 = 1.0 / (1.0 + 0.05_f64.powi(2));
        close(0.5 * (left - right) / y, 0.05 * cos2, 1e-9, "equivalent conicity");
    }
    let [left, right] = radii(0.0);
    assert_eq!(left, right);
}

/// The closed form and the smoothed profiles agree up to the smoothing.
#[test]
fn profiles_of_a_cone_are_a_cone() {
    for side in [1.0, -1.0] {
        for (y, roll, yaw) in [(0.0, 0.0, 0.0), (4e-3, 2e-3, 0.01), (-5e-3, -1e-3, -0.03)] {
            // Gaps are measured along the normal and upwards: they agree where there is none.
            let open = cone(side).touch(&seen(y, 0.46, roll, yaw)).gap;
            let at = seen(y, 0.46 - open, roll, yaw);
            let exact = cone(side).touch(&at);
            let smooth = curved("-0.05*s", &circle(), side, 1e-6).touch(&at);
            for k in 0..3 {
                let error = (smooth.arm.0[k] - exact.arm.0[k]).abs();
                assert!(error < 5e-6, "arm {k}: {error:e}");
                assert!((smooth.normal.0[k] - exact.normal.0[k]).abs() < 5e-6);
            }
            assert!((smooth.place - exact.place).abs() < 5e-6);
            assert!((smooth.radius - exact.radius).abs() < 1e-6);
            close(smooth.curvatures[0], exact.curvatures[0], 1e-4, "along");
            close(smooth.curvatures[1], exact.curvatures[1], 2e-2, "across");
            assert!(
                (smooth.gap - exact.gap).abs() < 2e-5,
                "{} {}",
                smooth.gap,
                exact.gap
            );
        }
    }
}

/// A wheel with a second bump: the rigid contact jumps by 20 mm, the smoothed one does not.
#[test]
fn the_contact_point_does_not_jump() {
    let wheel = "-0.001*((1 - (s/0.01)^2)^2)";
    let flat = law("-0.2*s^2");
    let smooth = curved(wheel, &flat, 1.0, 1e-5);
    let sharp = curved(wheel, &flat, 1.0, 1e-8);
    let place = |g: &ContactGeometry, roll: f64| g.touch(&seen(0.0, 0.46, roll, 0.0)).place;
    let steps: Vec<f64> = (-200..=200).map(|k| (f64::from(k) + 0.5) * 1e-5).collect();
    let largest = |g: &ContactGeometry| {
        let places: Vec<f64> = steps.iter().map(|roll| place(g, *roll)).collect();
        (places.windows(2)).fold(0.0, |most: f64, p| most.max((p[1] - p[0]).abs()))
    };
    assert!(largest(&sharp) > 0.015, "{}", largest(&sharp));
    assert!(largest(&smooth) < 2.5e-4, "{}", largest(&smooth));
    assert!((place(&smooth, 2e-3) - place(&smooth, -2e-3)).abs() > 0.015);
}

#[test]
fn derivatives_of_contact_are_exact() {
    let table = Curve::new(
        "rail",
        (-40..=40).map(|k| f64::from(k) * 1e-3).collect(),
        (-40..=40)
            .map(|k| (0.09 - (f64::from(k) * 1e-3).powi(2)).sqrt() - 0.3)
            .collect(),
        Interpolation::Spline,
        Extrapolation::Linear,
    );
    let table = Expression::table(Arc::new(table.unwrap()), "s");
    for side in [1.0, -1.0] {
        for geometry in [
            cone(side),
            curved("-0.05*s + 0.4*s^2", &circle(), side, 1e-5),
            curved("-0.05*s + 0.4*s^2", &table, side, 1e-5),
        ] {
            let point = [3e-3, 0.4601, 4e-3, -0.02];
            let dual: [Dual4; 4] = core::array::from_fn(|k| Dual4::variable(point[k], k));
            let exact = geometry.touch(&seen(dual[0], dual[1], dual[2], dual[3]));
            let parts = |t: &Touch<f64>| [t.gap, t.place, t.radius, t.normal.0[1], t.arm.0[0]];
            let exact_parts = [
                exact.gap,
                exact.place,
                exact.radius,
                exact.normal.0[1],
                exact.arm.0[0],
            ];
            let h = 1e-7;
            for k in 0..4 {
                let moved = |sign: f64| {
                    let mut p = point;
                    p[k] += sign * h;
                    parts(&geometry.touch(&seen(p[0], p[1], p[2], p[3])))
                };
                let (before, after) = (moved(-1.0), moved(1.0));
                for i in 0..5 {
                    let slope = (after[i] - before[i]) / (2.0 * h);
                    let found = exact_parts[i].derivative(k);
                    assert!(
                        (slope - found).abs() < 1e-6 * (1.0 + slope.abs()),
                        "{k} {i}: {slope} {found}"
                    );
                }
            }
            // A motion with velocity and acceleration: ġ from loads, g̈ from differences of ġ.
            let path = |t: f64| {
                let centre = Vec3([0.3 * t, 3e-3 + 0.02 * t - 0.4 * t * t, 0.46 + 0.01 * t]);
                let w = Vec3([0.3, 2.0, -0.7]);
                let start = seen(0.0, 0.0, 4e-3, -0.02).axle;
                // The axle turns with constant w: Rodrigues.
                let (angle, unit) = (w.norm() * t, w.scale(1.0 / w.norm()));
                let (sin, cos) = angle.sin_cos();
                let axle = start.scale(cos)
                    + unit.cross(start).scale(sin)
                    + unit.scale(unit.dot(start) * (1.0 - cos));
                let u = Vec3([0.3, 0.02 - 0.8 * t, 0.01]);
                let turning = w.cross(axle);
                let motion = geometry.motion(
                    [centre, u, Vec3([0.0, -0.8, 0.0])],
                    [axle, turning, w.cross(turning)],
                );
                let touch = geometry.touch(&Seen { centre, axle });
                (motion, touch.gap, touch.force.dot(u) + touch.moment.dot(w))
            };
            let ([g, dg, ddg], gap, rate) = path(0.0);
            assert!((g - gap).abs() < 1e-15, "{g} {gap}");
            assert!((dg - rate).abs() < 1e-13, "{dg} {rate}");
            let h = 1e-6;
            let (before, after) = (path(-h), path(h));
            assert!(((after.1 - before.1) / (2.0 * h) - dg).abs() < 1e-8);
            let slope = (after.2 - before.2) / (2.0 * h);
            assert!((slope - ddg).abs() < 1e-6 * (1.0 + slope.abs()), "{slope} {ddg}");
        }
    }
}

#[test]
fn a_circle_has_its_centripetal_acceleration() {
    let track = TrackCurve::new(&law("1/300"), &law("-0.1"), 2000.0).unwrap();
    for s in [0.0, 17.3, 444.0, 1999.0] {
        let travel = [s, 40.0, 0.0];
        let [x, y] = [0, 1].map(|k| track.coordinate(k, travel));
        let yaw = track.coordinate(3, travel);
        close(yaw[1], 40.0 / 300.0, 1e-13, "yaw rate");
        close(x[1].hypot(y[1]), 40.0, 1e-13, "speed");
        close(x[2].hypot(y[2]), 1600.0 / 300.0, 1e-12, "acceleration");
        assert!((x[1] * x[2] + y[1] * y[2]).abs() < 1e-11);
        assert!((x[0] - 300.0 * (s / 300.0).sin()).abs() < 1e-10);
        assert!((y[0] - 300.0 * (1.0 - (s / 300.0).cos())).abs() < 1e-10);
        assert_eq!(track.coordinate(5, travel)[0], -0.1);
    }
}

#[test]
fn a_transition_is_continuous_and_its_derivatives_are_its_own() {
    let curve = Curve::new(
        "bend",
        vec![0.0, 51.3, 113.7, 300.0],
        vec![0.0, 0.0, 1.0 / 350.0, 1.0 / 350.0],
        Interpolation::Linear,
        Extrapolation::Hold,
    );
    let bend = Expression::table(Arc::new(curve.unwrap()), "s");
    let track = TrackCurve::new(&bend, &law("-0.1*s/300"), 300.0).unwrap();
    // The end of the clothoid turns by half its length times the curvature.
    let end = track.place(113.7);
    close(end.yaw, 0.5 * (113.7 - 51.3) / 350.0, 1e-13, "yaw");
    // Fresnel: y ≈ l³ κ/(6 l) (1 − ψ²·…): series in the end angle τ, y = l (τ/3 − τ³/42 + τ⁵/1320).
    let (l, tau) = (113.7 - 51.3, end.yaw);
    let expected = l * (tau / 3.0 - tau.powi(3) / 42.0 + tau.powi(5) / 1320.0);
    close(end.y, expected, 1e-10, "offset of the clothoid");
    let h = 1e-4;
    for s in [-3.0, 51.3, 80.0, 113.7, 200.0, 300.0, 310.0] {
        for k in 0..6 {
            let at = |s: f64| track.coordinate(k, [s, 20.0, 1.5]);
            let (before, after) = (at(s - h), at(s + h));
            // No jump in position and velocity, also at the corners of the curvature.
            assert!((before[0] - after[0]).abs() < 5.0 * h, "{k} at {s}");
            if s > 0.0 && s < 300.0 && ![51.3, 113.7].contains(&s) {
                let speed = (after[0] - before[0]) / (2.0 * h) * 20.0;
                assert!((speed - at(s)[1]).abs() < 1e-7, "{k} at {s}");
                // ü = d/ds(u̇) ṡ with ṡ held, and the part of s̈.
                let held = |s: f64| track.coordinate(k, [s, 20.0, 0.0]);
                let gain = (held(s + h)[1] - held(s - h)[1]) / (2.0 * h) * 20.0;
                assert!((gain - held(s)[2]).abs() < 1e-6, "{k} at {s}");
                let dual = track.coordinate(k, [Dual4::variable(s, 0), Dual4::constant(20.0), Dual4::zero()]);
                for i in 0..2 {
                    assert!(
                        (dual[i].derivative(0) * 20.0 - held(s)[i + 1]).abs() < 1e-9,
                        "{k} at {s}"
                    );
                }
            }
        }
    }
    assert!(TrackCurve::new(&bend, &law("1/(s - 300)"), 300.0).is_err());
    assert!(TrackCurve::new(&bend, &law("0"), -1.0).is_err());
}
