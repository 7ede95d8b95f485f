//! `Trace`: recorded dependencies against what the numbers really depend on.
#![allow(clippy::unwrap_used)]

use holonom_algebra::{Dual8, Real, Trace};
use proptest::prelude::*;

const INPUTS: usize = 8;

fn list(x: Trace) -> Vec<usize> {
    x.dependencies().collect()
}

/// One step of a random program: an operation on two earlier numbers.
type Step = (u8, usize, usize, i8);

/// Runs a straight-line program over any scalar; the tape starts with the inputs.
///
/// Poles and branch cuts are avoided: there the sign of a structural zero would matter.
fn run<T: Real>(x: &[T], program: &[Step]) -> Vec<T> {
    let mut tape = x.to_vec();
    for (op, a, b, k) in program {
        let (a, b, k) = (tape[a % tape.len()], tape[b % tape.len()], f64::from(*k));
        let mut c = a;
        match op % 22 {
            0 => c = a + b,
            1 => c = a - b,
            2 => c = a * b,
            3 => c = a / (b.square() + 1.0),
            4 => c = a * k,
            5 => c = a / (k + 0.5),
            6 => c = T::constant(k) - a,
            7 => c = T::constant(k) * b,
            8 => c = a.sin_cos().0,
            9 => c = a.cos() + b.sin() * k,
            10 => c = a.atan2(b.square() + 0.5),
            11 => c = a.tanh() - b.atan(),
            12 => c = (a.abs() + 0.5).powi(k as i32),
            13 => c = a.square().sqrt() + k,
            14 => c = b.tanh().exp(),
            15 => c = (b.abs() + 1.0).ln(),
            16 => c = T::select(a > b, a, b),
            17 => c += b,
            18 => c -= k,
            19 => c *= b,
            20 => c /= T::constant(k + 0.5),
            _ => c = (b.abs() + 0.5).powf(k / 2.0).recip().tan() - a,
        }
        tape.push(c);
    }
    tape
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn what_is_not_recorded_does_not_matter(
        x in proptest::collection::vec(-2.0f64..2.0, INPUTS),
        program in proptest::collection::vec((any::<u8>(), 0..1000usize, 0..1000usize, -3i8..4), 0..40),
        change in -1.0f64..1.0,
    ) {
        let (recorded, values): (Vec<_>, Vec<_>) = Trace::scope_at(&x, |x| {
            let tape = run(x, &program);
            (tape.iter().map(|y| list(*y)).collect(), tape.iter().map(|y| y.value()).collect())
        });
        // The values are those of plain numbers, to the bit.
        let plain = run(&x, &program);
        prop_assert!(values.iter().zip(&plain).all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())));
        // A derivative that is not zero is recorded.
        let dual: Vec<_> = (0..INPUTS).map(|i| Dual8::variable(x[i], i)).collect();
        for (y, set) in run(&dual, &program).iter().zip(&recorded) {
            for i in 0..INPUTS {
                let d = y.derivative(i);
                prop_assert!(set.contains(&i) || d == 0.0 || !y.is_finite(), "input {i}: {d}");
            }
        }
        // Changing an input changes nothing that does not record it, while all is finite.
        for i in 0..INPUTS {
            let mut moved = x.clone();
            moved[i] += change;
            let changed = run(&moved, &program);
            let pairs = changed.iter().zip(&plain).zip(&recorded);
            for ((y, z), set) in pairs.take_while(|((y, z), _)| y.is_finite() && z.is_finite()) {
                prop_assert!(set.contains(&i) || y == z, "input {i}: {y} {z}");
            }
        }
    }

    #[test]
    fn sets_are_unions(n in 1usize..400, picks in proptest::collection::vec(any::<usize>(), 1..60)) {
        let mut expected: Vec<_> = picks.iter().map(|p| p % n).collect();
        let found = Trace::scope(n, |x| list(expected.iter().fold(Trace::one(), |s, i| s + x[*i])));
        expected.sort_unstable();
        expected.dedup();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn zeros_are_structural() {
    Trace::scope(3, |x| {
        assert!((x[0] * 0.0).is_constant());
        assert!((x[0] * Trace::zero()).is_constant());
        assert!((Trace::zero() * x[0]).is_constant());
        assert!((Trace::zero() / x[0]).is_constant());
        assert!(x[0].powi(0).is_constant() && x[0].powf(0.0).is_constant());
        let mut y = x[1];
        y *= 0.0;
        assert!(y.is_constant());
        // An input that happens to be zero stays an input.
        assert_eq!(list(x[0] * x[2]), [0, 2]);
        assert_eq!(list(Trace::select(true, x[1], x[2])), [1, 2]);
    });
}

#[test]
fn lost_handles_depend_on_everything() {
    // Outside any scope.
    let kept = Trace::scope(3, |x| x[1]);
    assert_eq!(list(kept), [0, 1, 2]);
    assert_eq!(list(kept * 2.0 + Trace::one()), [0, 1, 2]);
    assert_eq!(list(Trace::input(1, 5.0)), [0, 1]);
    assert_eq!(list(Trace::input(1, 5.0) + kept), [0, 1, 2]);
    assert!(list(Trace::constant(4.0) * Trace::one()).is_empty());
    // In a scope that is not theirs, nested or later; the surrounding scope goes on after.
    Trace::scope(5, |outer| {
        let sum = outer[0] + outer[3];
        Trace::scope(2, |inner| {
            assert_eq!(list(inner[0] + inner[1]), [0, 1]);
            assert_eq!(list(inner[0] + sum), [0, 1, 2, 3, 4]);
            assert_eq!(list(inner[0] + kept), [0, 1, 2]);
        });
        assert_eq!(list(sum + outer[1]), [0, 1, 3]);
        assert_eq!(list(outer[0] + kept), [0, 1, 2, 3, 4]);
        assert_eq!(list(Trace::input(6, 0.0)), [0, 1, 2, 3, 4, 5, 6]);
        // Another thread knows nothing of the set.
        let elsewhere = std::thread::scope(|s| s.spawn(move || list(sum + 1.0)).join().unwrap());
        assert_eq!(elsewhere, [0, 1, 2, 3, 4]);
    });
}

#[test]
fn a_panic_leaves_the_surrounding_scope() {
    Trace::scope(2, |x| {
        let caught = std::panic::catch_unwind(|| Trace::scope(7, |_| panic!("on purpose")));
        assert!(caught.is_err());
        assert_eq!(list(x[0] + x[1]), [0, 1]);
    });
}

#[test]
fn long_sums_and_repeated_unions_are_cheap() {
    let n = 3000;
    let (total, again) = Trace::scope(n, |x| {
        let sum = |order: &mut dyn Iterator<Item = &Trace>| order.fold(Trace::zero(), |s, x| s + *x);
        let mut total = sum(&mut x.iter());
        for _ in 0..100 {
            total += sum(&mut x.iter());
        }
        (
            total.dependencies().count(),
            sum(&mut x.iter().rev()).dependencies().count(),
        )
    });
    assert_eq!((total, again), (n, n));
}
