//! Characteristics of elements, and pictures of what they act on.

#![allow(clippy::unwrap_used)]

use holonom::multibody::elements::forces::FORCES;
use holonom_models::pictures::{characteristics, geometry};

#[test]
fn pictures_of_paths_and_controls() {
    let pictures = geometry();
    let [.., (_, paths), (_, controls)] = &pictures;
    let [plain, pid, controlled, driver] = &controls[..] else {
        panic!("{}", controls.len());
    };
    // The answers that are known: 1 − exp(−t/T), and P e + I ∫ e dt + D e/τ exp(−t/τ).
    let [lag, ..] = &plain.curves[..] else { panic!() };
    for (t, y) in lag.x.iter().zip(&lag.y) {
        assert!((y - (1.0 - (-t / 0.4).exp())).abs() < 1e-6, "{t} {y}");
    }
    for (t, y) in pid.curves[2].x.iter().zip(&pid.curves[2].y) {
        assert!((y - (2.0 + t + 2.0 * (-t / 0.1).exp())).abs() < 1e-4, "{t} {y}");
    }
    assert!(pid.curves[3].y.iter().all(|y| *y <= 3.0));
    // Without integral action the disturbance remains: 0.5/4.
    let ends: Vec<f64> = controlled.curves.iter().map(|c| *c.y.last().unwrap()).collect();
    assert!(
        (ends[1] - 0.875).abs() < 1e-2 && (ends[2] - 1.0).abs() < 2e-2,
        "{ends:?}"
    );
    // Drivers come to the path. Without lags and for small angles y″ + 2 y′/L + 2 y/L² = 0 over the way, with
    // the preview L: y = −exp(−x/L) (cos(x/L) + sin(x/L)). A twentieth of the offset is for lags.
    for (curve, preview) in driver.curves.iter().zip([0.5, 1.0, 2.0]) {
        assert_eq!((curve.x[0], curve.y[0]), (0.0, -1.0));
        let way = curve.x.last().unwrap() / (2.0 + 15.0 * preview);
        let y = curve.y.last().unwrap();
        let known = -(-way).exp() * (way.cos() + way.sin());
        assert!((y - known).abs() < 0.05, "{}: {y} {known}", curve.label);
    }
    // In section 1 the lane is 1.1 b + 0.25 m wide, with the path in its middle.
    for course in &paths[..2] {
        let [path, left, right] = &course.curves[..] else {
            panic!()
        };
        let (k, width) = (15, 1.1 * 1.8 + 0.25);
        assert!((left.y[k] - right.y[k] - width).abs() < 1e-9);
        assert!((left.y[k] + right.y[k] - 2.0 * path.y[k]).abs() < 1e-9);
    }
    // The line passes its points.
    let [line, given] = &paths[2].curves[..] else {
        panic!()
    };
    for (x, y) in given.x.iter().zip(&given.y) {
        let near = line.x.iter().zip(&line.y).map(|(a, b)| (a - x).hypot(b - y));
        assert!(near.fold(f64::MAX, f64::min) < 0.5, "{x} {y}");
    }
}

#[test]
fn every_kind_has_a_characteristic() {
    for info in FORCES {
        let characteristics = characteristics(info.name);
        assert_eq!(characteristics.is_empty(), !info.in_files, "{}", info.name);
        for characteristic in characteristics {
            let place = format!("{}: {}", info.name, characteristic.title);
            assert!(!characteristic.curves.is_empty(), "{place}");
            for curve in &characteristic.curves {
                assert!(curve.y.iter().all(|y| y.is_finite()), "{place}, {}", curve.label);
                let (low, high) =
                    (curve.y.iter()).fold((f64::MAX, f64::MIN), |(a, b), y| (a.min(*y), b.max(*y)));
                assert!(high - low > 1.0, "{place}, {}: {low} to {high}", curve.label);
                // No jump: the range is passed in small steps.
                let step = curve
                    .y
                    .windows(2)
                    .fold(0.0, |most: f64, y| most.max((y[1] - y[0]).abs()));
                assert!(step < 0.2 * (high - low), "{place}, {}: {step}", curve.label);
            }
        }
    }
}

#[test]
fn the_characteristic_of_creep_saturates() {
    let plots = characteristics("creep");
    assert_eq!(plots.len(), 3);
    for curve in plots[..2].iter().flat_map(|plot| &plot.curves) {
        let most = curve.y.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
        // μ N = 18 kN.
        assert!(most > 15e3 && most < 18e3 + 1.0, "{}: {most}", curve.label);
    } // Rails that are not clean: less stiff, a maximum before full sliding, and less behind it.
    let [clean, dry, wet] = &plots[2].curves[..] else {
        panic!("three curves");
    };
    let most = |y: &[f64]| y.iter().fold(0.0, |most: f64, y| most.max(*y));
    let end = |y: &[f64]| y.last().copied().unwrap();
    assert!(end(&clean.y) > 0.99 * most(&clean.y));
    assert!(end(&dry.y) < 0.9 * most(&dry.y) && dry.y[1] < clean.y[1]);
    assert!(end(&wet.y) < most(&wet.y) && wet.y[1] < 0.3 * clean.y[1]);
}

/// Pictures of geometry: every curve is finite; the cone has its straight line.
#[test]
fn pictures_of_geometry_are_complete() {
    let pictures = geometry();
    let sizes = pictures
        .each_ref()
        .map(|(_, all)| all.iter().map(|c| c.curves.len()).collect::<Vec<_>>());
    let others = [vec![3, 3, 2, 1], vec![4, 4, 4, 3]];
    assert_eq!(sizes[..3], [vec![2, 3, 3], vec![3, 3, 1], vec![4, 2]]);
    assert_eq!(sizes[3..], others);
    for curve in pictures.iter().flat_map(|(_, all)| all).flat_map(|c| &c.curves) {
        assert!(
            curve.x.iter().chain(&curve.y).all(|v| v.is_finite()),
            "{}",
            curve.label
        );
    }
    // 2 γ y (e₀ + ρ sin δ)/(e₀ − γ r₀) for cones.
    let cone = &pictures[0].1[1].curves[2];
    let (x, y) = (cone.x[240], cone.y[240]);
    let sin = 0.05_f64.atan().sin();
    let expected = 2.0 * 0.05 * x * (0.75 + 0.3 * sin) / (0.75 - 0.05 * 0.46);
    assert!((y / expected - 1.0).abs() < 1e-4, "{y} {expected}");
}
