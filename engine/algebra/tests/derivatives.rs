//! Dual numbers against difference quotients, on every elementary function.

use holonom_algebra::{Dual4, Dual8, Real};
use proptest::prelude::*;

/// Every operation of the trait in one expression tree, smooth for x, y in (0.2, 2).
fn everything<T: Real>(x: T, y: T) -> [T; 12] {
    let (s, c) = (x * y).sin_cos();
    let mut a = x;
    a += y;
    a *= x;
    a -= c;
    a /= y;
    a += 0.5;
    a *= 1.5;
    a -= 0.25;
    [
        s / (c * c + 1.5) - x * 3.0,
        (x / 2.0 + 1.0).sqrt() - y,
        (-x * y).exp() * 0.5,
        (x + y).ln(),
        x.atan() * y.tan().tanh(),
        y.atan2(x),
        x.powi(-3) + y.powi(4),
        x.powf(1.7) / y.powf(0.3),
        (x - y * 3.0).abs(),
        a,
        x.recip() - y.square(),
        T::select(x > y, x * x, y * y * y),
    ]
}

fn check<const K: usize>(x: f64, y: f64, i: usize, j: usize) {
    type D<const K: usize> = holonom_algebra::Dual<K>;
    let exact = everything(D::<K>::variable(x, i), D::<K>::variable(y, j));
    let plain = everything(x, y);
    let h = 1e-6;
    let (xp, xm) = (everything(x + h, y), everything(x - h, y));
    let (yp, ym) = (everything(x, y + h), everything(x, y - h));
    for k in 0..plain.len() {
        let scale = 1.0 + plain[k].abs();
        assert!((exact[k].value() - plain[k]).abs() < 1e-14 * scale, "value {k}");
        let dx = (xp[k] - xm[k]) / (2.0 * h);
        let dy = (yp[k] - ym[k]) / (2.0 * h);
        let bound = |d: f64| 2e-7 * (1.0 + d.abs() + scale);
        assert!((exact[k].derivative(i) - dx).abs() < bound(dx), "∂x of {k}: {dx}");
        assert!((exact[k].derivative(j) - dy).abs() < bound(dy), "∂y of {k}: {dy}");
        for other in (0..D::<K>::DIRECTIONS).filter(|d| *d != i && *d != j) {
            assert_eq!(exact[k].derivative(other), 0.0);
        }
    }
}

proptest! {
    #[test]
    fn duals_agree_with_differences(x in 0.2f64..1.4, y in 0.2f64..1.4) {
        // Stay away from the kinks of abs and select.
        prop_assume!((x - 3.0 * y).abs() > 1e-3 && (x - y).abs() > 1e-3);
        check::<1>(x, y, 0, 3);
        check::<2>(x, y, 7, 2);
    }
}

#[test]
fn non_finite_is_seen_in_value_and_derivative() {
    assert!(!Dual4::constant(f64::NAN).is_finite());
    assert!(!Dual8::variable(0.0, 5).sqrt().is_finite());
    assert!(Dual8::variable(1.0, 5).sqrt().is_finite());
}
