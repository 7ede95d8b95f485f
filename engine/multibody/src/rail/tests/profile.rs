//! Profiles of standards and of tables.

use super::{circle, close, cone, law, seen};
use crate::rail::*;
use holonom_algebra::{Dual4, Real};
use holonom_expression::Expression;
use holonom_expression::curve::{Curve, Extrapolation, Interpolation};
use std::sync::Arc;

fn pieces_meet(profile: &PiecewiseProfile, joints: &[f64], height: f64, slope: f64) {
    for joint in joints {
        let [before, after] = [-1e-9, 1e-9].map(|d| profile.jet(joint * 1e-3 + d));
        // What the step itself makes.
        let step = [1, 2].map(|k| 2e-9 * f64::max(before[k].abs(), after[k].abs()));
        let jumps = [0, 1].map(|k| f64::abs(before[k] - after[k]));
        assert!(
            jumps[0] <= height + 1.1 * step[0] + 1e-15,
            "{joint}: {before:?} {after:?}"
        );
        assert!(
            jumps[1] <= slope + 1.1 * step[1] + 1e-12,
            "{joint}: {before:?} {after:?}"
        );
    }
}

/// Lengths that the standard states beside the formulas: flange 28 mm high at 55 mm inside of the
/// rolling circle, its face at 70°, the chamfer of 1 : 15.
#[test]
fn s1002_is_smooth_and_has_its_lengths() {
    let wheel = PiecewiseProfile::s1002();
    let at = |mm: f64| wheel.jet(mm * 1e-3);
    close(at(-55.0)[0], 28e-3, 1e-12, "flange");
    assert!(at(-55.0)[1].abs() < 1e-12);
    close(at(-39.0)[1].atan().to_degrees(), -70.0, 1e-6, "face");
    close(at(50.0)[1], -1.0 / 15.0, 1e-7, "chamfer");
    assert_eq!(at(0.0)[0], 0.0);
    // Thickness of the flange, 10 mm below the rolling circle: 32.5 mm from its back at -70 mm.
    let face = (0..4000)
        .map(|k| -45.0 + 2.5e-3 * f64::from(k))
        .find(|mm| at(*mm)[0] < 10e-3);
    close(face.unwrap(), -37.5, 1e-3, "thickness");
    // The centre of the throat is given to 10⁻³ mm: half of that is rounded off.
    let joints = [
        -62.764_705_882,
        -49.662_510_381,
        -39.764_473_993,
        -38.426_669_071,
        -35.0,
        -26.0,
        32.157_96,
    ];
    pieces_meet(&wheel, &joints, 5e-7, 5e-5);
    assert_eq!(wheel.range(), [-0.069, 0.06]);
}

/// 72 mm wide where the sides begin.
#[test]
fn the_head_of_60e1_is_smooth_and_has_its_width() {
    let rail = PiecewiseProfile::rail_60e1();
    let [begin, end] = rail.range();
    close(2.0 * (end - 0.5e-3), 72e-3, 1e-4, "width");
    assert_eq!(begin, -end);
    let joints = [10.228, 26.0265, 1e3 * end - 0.5];
    pieces_meet(&rail, &joints, 0.0, 0.0);
    pieces_meet(&rail, &joints.map(|s| -s), 0.0, 0.0);
    for mm in [0.0, 5.0, 15.0, 30.0, 36.3, 40.0] {
        let [left, right] = [-1e-3, 1e-3].map(|unit| rail.jet(mm * unit));
        close(left[0] + 1.0, right[0] + 1.0, 1e-15, "symmetry");
        assert!((left[1] + right[1]).abs() < 1e-12 && (left[2] - right[2]).abs() < 1e-9);
    }
    close(rail.jet(0.0)[2], -1.0 / 0.3, 1e-12, "crown");
    close(rail.jet(0.036)[1], -20.0, 0.1, "side");
}

#[test]
fn pieces_have_exact_derivatives() {
    for profile in [PiecewiseProfile::s1002(), PiecewiseProfile::rail_60e1()] {
        let [begin, end] = profile.range();
        for k in 0..200 {
            // Some beyond the ends.
            let s = begin - 2e-3 + (end - begin + 4e-3) * (f64::from(k) + 0.37) / 200.0;
            let [z, slope, bend] = profile.jet(Dual4::variable(s, 0));
            let value = profile.jet(s);
            assert_eq!([z, slope, bend].map(Dual4::value), value);
            close(z.derivative(0) + 1e-3, value[1] + 1e-3, 1e-9, "slope");
            assert!((slope.derivative(0) - value[2]).abs() < 1e-9 * (1.0 + value[2].abs()));
        }
    }
}

fn profiles(wheel: &Expression, rail: &Expression, step: f64, smoothing: f64) -> ContactGeometry {
    let profiles = Profiles::new(0.46, wheel, rail, [-0.03, 0.03], step, smoothing).unwrap();
    ContactGeometry::Profiles {
        profiles: Arc::new(profiles),
        side: 1.0,
    }
}

fn numbers(touch: &Touch<f64>) -> Vec<f64> {
    let mut all = vec![touch.gap, touch.place, touch.radius];
    all.extend(touch.force.0);
    all.extend(touch.moment.0);
    all.extend(touch.arm.0);
    all.extend(touch.curvatures);
    all
}

/// A table of a straight line is that line, and so is the contact, to rounding.
#[test]
fn a_tabulated_cone_is_the_cone_of_a_function() {
    let x: Vec<f64> = (-40..=40).map(|k| 1e-3 * f64::from(k)).collect();
    for interpolation in [
        Interpolation::Linear,
        Interpolation::Spline,
        Interpolation::Monotone,
    ] {
        let line = x.iter().map(|s| -0.05 * s).collect();
        let table = Curve::new("tread", x.clone(), line, interpolation, Extrapolation::Linear).unwrap();
        let wheel = Expression::table(Arc::new(table), "s");
        for (y, roll, yaw) in [(0.0, 0.0, 0.0), (4e-3, 2e-3, 0.01), (-5e-3, -1e-3, -0.03)] {
            let at = seen(y, 0.46, roll, yaw);
            let by_table = profiles(&wheel, &circle(), 2.5e-4, 1e-5).touch(&at);
            let by_function = profiles(&law("-0.05*s"), &circle(), 2.5e-4, 1e-5).touch(&at);
            for (a, b) in numbers(&by_table).iter().zip(numbers(&by_function)) {
                assert!(
                    (a - b).abs() < 1e-13 * (1.0 + b.abs()),
                    "{interpolation:?}: {a} {b}"
                );
            }
        }
    }
}

/// Smoothed profiles of a cone depart from the closed form by the first power of ε. Without that power,
/// 2 x(ε/2) − x(ε), they agree to ε² by the lengths of the profile: 10⁻¹⁰ m²/10⁻² m.
#[test]
fn smoothing_departs_from_the_closed_form_by_its_first_power() {
    let smoothing = 2e-6;
    for (y, roll, yaw) in [(0.0, 0.0, 0.0), (4e-3, 2e-3, 0.01), (-5e-3, -1e-3, -0.03)] {
        // Gaps are measured along the normal and upwards: they agree where there is none.
        let z = (0..6).fold(0.46, |z, _| z - cone(1.0).touch(&seen(y, z, roll, yaw)).gap);
        let at = seen(y, z, roll, yaw);
        let exact = cone(1.0).touch(&at);
        let part = |t: &Touch<f64>| {
            [
                t.place,
                t.radius,
                t.arm.0[0],
                t.arm.0[1],
                t.arm.0[2],
                t.normal.0[1],
            ]
        };
        let of = |smoothing: f64| part(&profiles(&law("-0.05*s"), &circle(), 1e-4, smoothing).touch(&at));
        let (whole, half) = (of(smoothing), of(0.5 * smoothing));
        for ((whole, half), exact) in whole.into_iter().zip(half).zip(part(&exact)) {
            assert!((whole - exact).abs() < smoothing, "{whole} {exact}");
            let limit = 2.0 * half - whole;
            assert!(
                (limit - exact).abs() < 1e-10,
                "{limit} {exact}: {:e}",
                limit - exact
            );
        }
    }
}
