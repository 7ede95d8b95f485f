//! Roads: gradients, the spectrum of ISO 8608, hostile numbers.
#![allow(clippy::unwrap_used)]

use super::profile::transform;
use super::*;
use core::f64::consts::TAU;
use holonom_algebra::Dual4;
use holonom_expression::{Expression, Scope};

fn expression(text: &str, names: &[&str]) -> Expression {
    let scope = names
        .iter()
        .fold(Scope::new(), |scope, name| scope.variable(*name));
    Expression::parse(text, &scope, None).unwrap()
}

fn random(change: impl FnOnce(&mut Iso8608)) -> RoadKind {
    let mut kind = Iso8608::default();
    change(&mut kind);
    kind.into()
}

fn every_kind() -> Vec<RoadKind> {
    vec![
        Flat.into(),
        Height {
            height: expression("0.1*sin(3*x)*cos(2*y) + 0.02*x*y", &["x", "y"]),
        }
        .into(),
        Tracks {
            left: expression("0.1*sin(x)", &["x"]),
            right: expression("0.05*x^2", &["x"]),
            track: 1.4,
        }
        .into(),
        random(|_| {}),
        random(|kind| {
            (kind.track, kind.fade, kind.class) = (1.5, 10.0, 4);
        }),
        Bump {
            start: 0.2,
            length: 3.0,
            height: 0.1,
        }
        .into(),
        Ramp {
            start: 0.2,
            length: 3.0,
            height: -0.1,
        }
        .into(),
    ]
}

#[test]
fn every_kind_is_in_the_registry_and_there_is_a_test_of_each() {
    let kinds = every_kind();
    for info in ROADS {
        assert_eq!((info.template)().info().name, info.name);
        assert!(
            kinds.iter().any(|kind| kind.info().name == info.name),
            "{}",
            info.name
        );
    }
}

/// Height by duals, slope by duals of the height, and both against differences.
#[test]
fn slopes_are_those_of_the_height() {
    for kind in every_kind() {
        let surface = Surface::new(&kind).unwrap();
        for (x, y) in [
            (0.7, 0.3),
            (-0.4, -0.2),
            (1.1, 0.65),
            (2.9, -0.5),
            (531.0, 0.1),
            (1.7, 3.0),
        ] {
            let (dx, dy) = (Dual4::variable(x, 0), Dual4::variable(y, 1));
            let at = surface.at(dx, dy);
            let plain = surface.at(x, y);
            assert_eq!(at.height.value(), plain.height);
            for k in 0..2 {
                let slope = plain.slope[k];
                assert_eq!(at.slope[k].value(), slope);
                let by_dual = at.height.derivative(k);
                assert!(
                    (by_dual - slope).abs() < 1e-12 * (1.0 + slope.abs()),
                    "{kind:?} {x} {y}: {by_dual} {slope}"
                );
                let h = 1e-5;
                let shift = |s: f64| {
                    if k == 0 {
                        surface.at(x + s, y)
                    } else {
                        surface.at(x, y + s)
                    }
                };
                let difference = (shift(h).height - shift(-h).height) / (2.0 * h);
                assert!(
                    (difference - slope).abs() < 1e-7 * (1.0 + slope.abs()),
                    "{kind:?}: {difference} {slope}"
                );
                for j in 0..2 {
                    let second = (shift(h).slope[j] - shift(-h).slope[j]) / (2.0 * h);
                    let dual = at.slope[j].derivative(k);
                    assert!(
                        (second - dual).abs() < 1e-5 * (1.0 + dual.abs()),
                        "{kind:?}: {second} {dual}"
                    );
                }
            }
            assert!((plain.normal().norm_squared() - 1.0).abs() < 1e-15);
        }
    }
}

#[test]
fn bumps_and_ramps_end_where_they_should() {
    let bump = Surface::new(&RoadKind::from(Bump {
        start: 1.0,
        length: 2.0,
        height: 0.2,
    }))
    .unwrap();
    // The bump of the Iltis: 0.1 (1 − cos).
    for (x, expected) in [(0.9, 0.0), (1.5, 0.1), (2.0, 0.2), (3.1, 0.0)] {
        assert!((bump.at(x, 0.0).height - expected).abs() < 1e-15);
    }
    let ramp = Surface::new(&RoadKind::from(Ramp {
        start: 1.0,
        length: 0.5,
        height: 0.15,
    }))
    .unwrap();
    for (x, expected) in [(1.0, 0.0), (1.25, 0.075), (1.5, 0.15), (9.0, 0.15)] {
        assert!((ramp.at(x, 0.0).height - expected).abs() < 1e-15);
    }
}

#[test]
fn the_transform_is_a_fourier_sum() {
    let mut x: Vec<[f64; 2]> = (0..16)
        .map(|k| [f64::from(k * k % 7), f64::from(k % 3)])
        .collect();
    let given = x.clone();
    transform(&mut x);
    for (j, found) in x.iter().enumerate() {
        let mut sum = [0.0; 2];
        for (k, [a, b]) in given.iter().enumerate() {
            let (sin, cos) = (TAU * (j * k) as f64 / 16.0).sin_cos();
            sum[0] += a * cos - b * sin;
            sum[1] += a * sin + b * cos;
        }
        assert!((sum[0] - found[0]).abs() + (sum[1] - found[1]).abs() < 1e-12);
    }
}

/// One-sided density of samples by Welch's method: Hann windows with half overlap.
fn density(z: &[f64], step: f64, window: usize) -> Vec<f64> {
    let mut sum = vec![0.0; window / 2];
    let mut count = 0.0;
    for start in (0..=z.len() - window).step_by(window / 2) {
        let piece = &z[start..start + window];
        let mean = piece.iter().sum::<f64>() / window as f64;
        let hann = |k: usize| 0.5 - 0.5 * (TAU * k as f64 / window as f64).cos();
        let mut x: Vec<[f64; 2]> = piece
            .iter()
            .enumerate()
            .map(|(k, z)| [(z - mean) * hann(k), 0.0])
            .collect();
        transform(&mut x);
        for (sum, [a, b]) in sum.iter_mut().zip(&x) {
            *sum += a * a + b * b;
        }
        count += 1.0;
    }
    // Mean of hann² is 3/8.
    sum.iter()
        .map(|s| 2.0 * step * s / (count * 0.375 * window as f64))
        .collect()
}

/// The periodogram, averaged over octaves, lies on the density of the class.
#[test]
fn random_profiles_have_the_density_of_their_class() {
    for (class, seed) in [(0, 1.0), (2, 1.0), (2, 77.0), (4, 5.0)] {
        let kind = random(|kind| {
            (kind.class, kind.seed) = (class, seed);
        });
        let surface = Surface::new(&kind).unwrap();
        // Not the grid of the profile.
        let (step, count) = (1000.0 / 16384.0, 16384);
        let z: Vec<f64> = (0..count)
            .map(|k| surface.at(k as f64 * step + 0.013, 0.0).height)
            .collect();
        let window = 4096;
        let found = density(&z, step, window);
        let bin = 1.0 / (window as f64 * step);
        let (_, rough) = Iso8608::CLASSES[class];
        let mut low = 0.032;
        while low < 2.0 {
            let range = (low / bin).ceil() as usize..(2.0 * low / bin).ceil() as usize;
            let expected: f64 = range
                .clone()
                .map(|k| rough * (k as f64 * bin / 0.1).powi(-2))
                .sum();
            let ratio = found[range].iter().sum::<f64>() / expected;
            assert!(
                (0.8..1.25).contains(&ratio),
                "class {class} seed {seed}, octave from {low}/m: {ratio}"
            );
            low *= 2.0;
        }
    }
}

#[test]
fn profiles_repeat_and_depend_on_the_seed_only() {
    let surface = |seed: f64| Surface::new(&random(|kind| kind.seed = seed)).unwrap();
    let (a, b, c) = (surface(3.0), surface(3.0), surface(4.0));
    for x in [0.0, 1.234, 999.999, -17.5] {
        assert_eq!(a.at(x, 0.0), b.at(x, 0.0));
        assert!((a.at(x, 0.0).height - a.at(x + 1000.0, 0.0).height).abs() < 1e-10);
        assert_ne!(a.at(x, 0.0), c.at(x, 0.0));
    }
}

#[test]
fn tracks_are_as_coherent_as_asked() {
    let correlation = |coherence: f64| {
        let kind = random(|kind| {
            (kind.track, kind.coherence) = (1.5, coherence);
        });
        let surface = Surface::new(&kind).unwrap();
        let (mut ll, mut rr, mut lr) = (0.0, 0.0, 0.0);
        for k in 0..8000 {
            let x = 0.125 * f64::from(k);
            let (l, r) = (surface.at(x, 0.75).height, surface.at(x, -0.75).height);
            (ll, rr, lr) = (ll + l * l, rr + r * r, lr + l * r);
        }
        lr / f64::sqrt(ll * rr)
    };
    assert!((correlation(1.0) - 1.0).abs() < 1e-12);
    assert!(correlation(0.0).abs() < 0.5, "{}", correlation(0.0));
    // Long waves, which are large, go together.
    assert!((0.9..0.9999).contains(&correlation(0.9)), "{}", correlation(0.9));
}

#[test]
fn impossible_numbers_are_refused() {
    let set: [fn(&mut Iso8608); 7] = [
        |kind| kind.length = f64::INFINITY,
        |kind| kind.length = 1e12,
        |kind| kind.lowest = 5.0,
        |kind| kind.seed = 0.5,
        |kind| kind.coherence = f64::NAN,
        |kind| kind.roughness = -1.0,
        |kind| kind.highest = 0.0,
    ];
    for change in set {
        let kind = random(change);
        assert!(Surface::new(&kind).is_err(), "{kind:?}");
    }
    let bump = Bump {
        start: 0.0,
        length: 0.0,
        height: 1.0,
    }
    .into();
    assert_eq!(
        Surface::new(&bump).unwrap_err().to_string(),
        "the length of the bump (`length`) is 0, but must be positive; correct it"
    );
    assert!(
        !Surface::new(&random(|_| {}))
            .unwrap()
            .at(f64::NAN, 0.0)
            .height
            .is_finite()
    );
}
