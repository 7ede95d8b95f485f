//! Tracks that rise and bend.

use super::{close, law};
use crate::Signal;
use crate::rail::TrackCurve;
use holonom_algebra::{Dual4, Real};
use std::sync::Arc;

/// Constant curvature and gradient are a helix, known in closed form.
#[test]
fn a_helix_has_its_closed_form() {
    let (bend, gradient, speed) = (1.0 / 250.0, 0.04_f64, 30.0);
    let track = TrackCurve::with_gradient(&law("1/250"), &law("0.1"), &law("0.04"), 3000.0).unwrap();
    let slope = gradient.atan();
    let (rise, level) = slope.sin_cos();
    for s in [0.0, 3.3, 700.0, 2999.0] {
        let at = |k: usize| track.coordinate(k, [s, speed, 0.0]);
        let (sin, cos) = (bend * s).sin_cos();
        let radius = level / bend;
        close(at(0)[0] + 1.0, radius * sin + 1.0, 1e-12, "x");
        close(at(1)[0] + 1.0, radius * (1.0 - cos) + 1.0, 1e-12, "y");
        close(at(2)[0] + 1.0, rise * s + 1.0, 1e-12, "z");
        close(at(4)[0], -slope, 1e-14, "pitch");
        assert_eq!((at(4)[1], at(4)[2], at(5)[0]), (0.0, 0.0, 0.1));
        // s is the length along the track: the speed is ṡ, and v² cos²θ/(radius) inwards.
        let norm = |d: usize| (0..3).map(|k| at(k)[d].powi(2)).sum::<f64>().sqrt();
        close(norm(1), speed, 1e-14, "speed");
        close(norm(2), speed * speed * level * bend, 1e-13, "acceleration");
    }
    // Beyond its end it goes on along its tangent.
    let beyond = [2900.0, 3000.0, 3100.0].map(|s| track.place(s));
    let (dx, dy, dz) = (
        beyond[2].x - beyond[1].x,
        beyond[2].y - beyond[1].y,
        beyond[2].z - beyond[1].z,
    );
    close(dx.hypot(dy).hypot(dz), 100.0, 1e-12, "straight");
    close(dz, 100.0 * rise, 1e-12, "rise");
    assert!(TrackCurve::with_gradient(&law("0"), &law("0"), &law("1/(s - 5)"), 5.0).is_err());
}

/// A pose that travels: its derivatives by time, by duals of the pose itself, are its velocity and
/// acceleration, through smooth transitions of curvature, cant and gradient and an accelerated travel.
#[test]
fn duals_of_a_pose_are_its_velocity_and_acceleration() {
    let bend = "smoothstep(s, 40, 0, 110, 1/400)";
    let track = TrackCurve::with_gradient(
        &law(bend),
        &law("smoothstep(s, 40, 0, 110, 0.1)"),
        &law("smoothstep(s, 60, 0.01, 150, -0.02)"),
        400.0,
    );
    let curve = Arc::new(track.unwrap());
    for coordinate in 0..6 {
        let signal = Signal::Track {
            curve: curve.clone(),
            travel: Box::new(Signal::Polynomial(vec![5.0, 12.0, 1.5])),
            coordinate,
        };
        for k in 0..60 {
            let t = 0.21 * f64::from(k);
            let [q, v, a] = signal.evaluate(Dual4::variable(t, 0));
            let name = TrackCurve::COORDINATES[coordinate];
            let (speed, gain) = (q.derivative(0), v.derivative(0));
            assert!(
                (speed - v.value()).abs() < 1e-12 * (1.0 + speed.abs()),
                "{name} {t}"
            );
            assert!(
                (gain - a.value()).abs() < 1e-12 * (1.0 + gain.abs()),
                "{name} {t}"
            );
            // The pose itself, whose integrals duals do not see, against differences.
            let h = 1e-4;
            let [before, after] = [t - h, t + h].map(|t| signal.evaluate(t)[0]);
            let slope: f64 = (after - before) / (2.0 * h);
            assert!((slope - speed).abs() < 1e-6, "{name} {t}: {slope} {speed}");
        }
    }
}

/// Where transitions meet straights and curves nothing jumps: curvature for a clothoid; curvature, cant
/// and gradient with their slopes for those of `smoothstep`.
#[test]
fn transitions_are_continuous() {
    let clothoid = law("max(0, min((s - 40)/60, 1))/400");
    let smooth = law("smoothstep(s, 40, 0, 100, 0.1)");
    let track = TrackCurve::with_gradient(&clothoid, &smooth, &smooth, 300.0).unwrap();
    let jump = |k: usize, s: f64, order: usize| {
        let at = |s: f64| track.coordinate(k, [s, 1.0, 0.0])[order];
        (at(s + 1e-9) - at(s - 1e-9)).abs()
    };
    for s in [40.0, 100.0] {
        for k in 0..6 {
            // Velocity: of all coordinates. Acceleration: of positions and the angles of the path.
            assert!(jump(k, s, 1) < 1e-8, "{k} at {s}");
        }
        for k in 0..3 {
            assert!(jump(k, s, 2) < 1e-8, "{k} at {s}");
        }
    }
}
