//! The fast sine and cosine against the standard library.

use holonom_algebra::{Dual4, Real, sin_cos};
use proptest::prelude::*;

/// Distance in units in the last place of `b`.
fn ulps(a: f64, b: f64) -> f64 {
    let unit = f64::from_bits(b.abs().to_bits() + 1) - b.abs();
    (a - b).abs() / unit
}

/// The standard library errs by little more than half a unit, ours by less than one.
fn check(x: f64) {
    let (s, c) = sin_cos(x);
    assert!(ulps(s, x.sin()) <= 1.0, "sin {x:e}: {s:e} {:e}", x.sin());
    assert!(ulps(c, x.cos()) <= 1.0, "cos {x:e}: {c:e} {:e}", x.cos());
    assert!((s * s + c * c - 1.0).abs() <= 4.0 * f64::EPSILON);
    assert_eq!(sin_cos(-x).0.to_bits(), (-s).to_bits());
    assert_eq!(sin_cos(-x).1.to_bits(), c.to_bits());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]
    #[test]
    fn agrees_in_one_turn(x in -6.3f64..6.3) {
        check(x);
    }

    #[test]
    fn agrees_over_many_turns(x in -1e5f64..1e5) {
        check(x);
    }

    #[test]
    fn agrees_at_every_magnitude(e in -1074.0f64..16.6, f in 1.0f64..2.0) {
        check(f * e.exp2());
    }

    #[test]
    fn agrees_near_multiples_of_an_eighth_turn(k in 1..127_000u32, steps in 0..7u64) {
        let x = f64::from(k) * std::f64::consts::FRAC_PI_4;
        check(f64::from_bits(x.to_bits() - 3 + steps));
    }
}

#[test]
fn a_fine_grid_agrees() {
    for i in 0..2_000_000 {
        check(f64::from(i) * 4.0e-6);
        check(f64::from(i) * 0.049_999);
    }
}

#[test]
fn exceptional_arguments() {
    assert_eq!(sin_cos(0.0).0.to_bits(), 0.0f64.to_bits());
    assert_eq!(sin_cos(-0.0).0.to_bits(), (-0.0f64).to_bits());
    assert_eq!(sin_cos(-0.0).1, 1.0);
    for x in [1.000_001e5, -3e7, 1e22, f64::MAX, 5e-324, f64::MIN_POSITIVE] {
        let (s, c) = sin_cos(x);
        assert_eq!((s, c), (x.sin(), x.cos()), "{x}");
    }
    for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let (s, c) = sin_cos(x);
        assert!(s.is_nan() && c.is_nan());
    }
}

#[test]
fn all_scalars_use_it() {
    let (s, c) = sin_cos(1.25);
    assert_eq!(Real::sin_cos(1.25), (s, c));
    let (ds, dc) = Dual4::variable(1.25, 2).sin_cos();
    assert_eq!((ds.value(), ds.derivative(2), dc.derivative(2)), (s, c, -s));
}
