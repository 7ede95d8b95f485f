//! Dual numbers against difference quotients, on every elementary function.

use holonom_algebra::{Dual, Dual4, Dual8, Dual12, Mat3, Orientation, Real, Vec3};
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
        check::<3>(x, y, 11, 4);
    }
}

#[test]
fn non_finite_is_seen_in_value_and_derivative() {
    assert!(!Dual4::constant(f64::NAN).is_finite());
    assert!(!Dual8::variable(0.0, 5).sqrt().is_finite());
    assert!(Dual8::variable(1.0, 5).sqrt().is_finite());
}

/// Derivatives along twelve directions, four of them from `first` on as a number of four.
fn four(x: Dual12, first: usize) -> Dual4 {
    (0..4).fold(Dual4::constant(x.value()), |y, i| {
        y.with_derivative(i, x.derivative(first + i))
    })
}

fn twelve(value: f64, slope: f64) -> Dual12 {
    (0..12).fold(Dual12::constant(value), |y, i| {
        y.with_derivative(i, slope * (i as f64 - 4.5))
    })
}

fn same<const K: usize>(a: Dual<K>, b: Dual<K>) -> bool {
    let bits = |x: Dual<K>| (0..4 * K).map(move |i| x.derivative(i).to_bits());
    a.value().to_bits() == b.value().to_bits() && bits(a).eq(bits(b))
}

#[test]
fn twelve_directions_are_three_times_four() {
    let (x, y) = (twelve(0.7, 0.3), twelve(1.1, -0.2));
    for first in [0, 4, 8] {
        let narrow = everything(four(x, first), four(y, first));
        for (k, (wide, narrow)) in everything(x, y).into_iter().zip(narrow).enumerate() {
            assert!(same(four(wide, first), narrow), "{k}: {wide:?} and {narrow:?}");
        }
    }
}

/// A frame that turns about an axis in a frame with Euler parameters, and what it makes of a vector.
fn turned<T: Real>(e: [T; 4], angle: T, v: Vec3<T>) -> [T; 6] {
    let mut r = T::Orientation::constant(&Mat3::identity());
    r.set_euler_parameters(&Mat3::identity(), e);
    let r = r.turned::<1>(&angle.turn());
    let (forth, back) = (r.times(v), r.transpose_times(v));
    [forth[0], forth[1], forth[2], back[0], back[1], back[2]]
}

#[test]
fn orientations_of_twelve_directions_are_three_times_four() {
    let e = [(0.8, 0.1), (0.3, -0.2), (-0.4, 0.3), (0.33, 0.05)].map(|(x, slope)| twelve(x, slope));
    let (angle, v) = (twelve(0.6, 0.4), [1.0, -2.0, 0.5].map(|x| twelve(x, 0.1 * x)));
    let wide = turned(e, angle, Vec3(v));
    for first in [0, 4, 8] {
        let narrow = turned(
            e.map(|x| four(x, first)),
            four(angle, first),
            Vec3(v.map(|x| four(x, first))),
        );
        for (wide, narrow) in wide.into_iter().zip(narrow) {
            assert!(same(four(wide, first), narrow), "{wide:?} and {narrow:?}");
        }
    }
    // And the twelve are those of differences.
    let shifted = |h: f64| {
        let at = |x: Dual12| x.value() + h * x.derivative(11);
        turned(e.map(at), at(angle), Vec3(v.map(at)))
    };
    let (ahead, behind) = (shifted(1e-6), shifted(-1e-6));
    for (k, wide) in wide.into_iter().enumerate() {
        let slope = (ahead[k] - behind[k]) / 2e-6;
        assert!((wide.derivative(11) - slope).abs() < 1e-8, "{k}: {slope}");
    }
}
