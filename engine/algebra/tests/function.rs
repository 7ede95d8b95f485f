//! `Function`: closures in plain numbers against the same law over `Real`.
#![allow(clippy::unwrap_used)]

use holonom_algebra::{Dual, Dual4, Dual8, Formula, Function, FunctionError, Generic, Plain, Real, Trace};
use proptest::prelude::*;

struct Law;

impl Formula for Law {
    fn inputs(&self) -> usize {
        3
    }
    fn outputs(&self) -> usize {
        2
    }
    fn evaluate<T: Real>(&self, x: &[T], y: &mut [T]) {
        y[0] = x[0].sin() * x[1] + x[2].exp() * 0.1;
        y[1] = (x[0].square() + 1.0).sqrt() * x[1].tanh();
    }
}

fn plain() -> impl Function {
    Plain::new(3, 2, |x: &[f64], y: &mut [f64]| Law.evaluate(x, y)).unwrap()
}

/// The law behind an inner and an outer function, so that the chain rule has something to do.
fn wrapped<T: Real>(f: &dyn Function, q: &[T; 2]) -> [T; 2] {
    let mut y = [T::zero(); 2];
    T::call(f, &[q[0] * q[1], q[0].cos(), T::constant(0.7)], &mut y);
    [y[0] * q[1], y[1].square()]
}

fn agree<const K: usize>(x: [f64; 2], i: usize, j: usize) {
    let q = [Dual::<K>::variable(x[0], i), Dual::<K>::variable(x[1], j)];
    let generic = Generic::new(Law).unwrap();
    let exact = wrapped(&generic, &q);
    let close = wrapped(&plain(), &q);
    let values = wrapped(&generic, &x);
    for k in 0..2 {
        // The sine of `f64` is the standard library's, that of dual numbers our own.
        let rounding = 1e-14 * (1.0 + values[k].abs());
        assert!((exact[k].value() - values[k]).abs() <= rounding);
        assert!((close[k].value() - values[k]).abs() <= rounding);
        for d in 0..Dual::<K>::DIRECTIONS {
            let (a, b) = (exact[k].derivative(d), close[k].derivative(d));
            assert!((a - b).abs() <= 1e-8 * (1.0 + a.abs()), "{a} {b}");
        }
    }
}

proptest! {
    #[test]
    fn plain_agrees_with_generic(x in -3.0f64..3.0, y in -3.0f64..3.0) {
        agree::<1>([x, y], 0, 3);
        agree::<2>([x, y], 6, 1);
        // Widths without a method of their own go by packs of four.
        agree::<3>([x, y], 11, 5);
    }
}

#[test]
fn only_inputs_with_derivatives_are_varied() {
    let calls = std::sync::atomic::AtomicUsize::new(0);
    let f = Plain::new(3, 1, |x: &[f64], y: &mut [f64]| {
        calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        y[0] = x[0] * x[1] * x[2];
    })
    .unwrap();
    let mut y = [Dual8::zero()];
    let x = [
        Dual8::constant(2.0),
        Dual8::variable(3.0, 4),
        Dual8::constant(4.0),
    ];
    Dual8::call(&f, &x, &mut y);
    assert!((y[0].derivative(4) - 8.0).abs() < 1e-8);
    assert_eq!(calls.load(std::sync::atomic::Ordering::Relaxed), 3);
}

#[test]
fn increments_follow_the_scale() {
    let relative_error = |f: &dyn Function, x: f64, exact: f64| {
        let mut y = [Dual4::zero()];
        Dual4::call(f, &[Dual4::variable(x, 0)], &mut y);
        (y[0].derivative(0) / exact - 1.0).abs()
    };
    // A steep step needs a small increment although its input is of order one, a long wave a
    // large one.
    let step = |x: &[f64], y: &mut [f64]| y[0] = ((x[0] - 1.0) / 1e-5).tanh();
    let wave = |x: &[f64], y: &mut [f64]| y[0] = (x[0] / 1e4).sin();
    let exact = 1e-4 * (1e-3f64).cos();
    assert!(relative_error(&Plain::new(1, 1, step).unwrap(), 1.0, 1e5) > 1e-2);
    assert!(relative_error(&Plain::new(1, 1, step).unwrap().with_scale(0, 1e-5), 1.0, 1e5) < 1e-5);
    assert!(relative_error(&Plain::new(1, 1, wave).unwrap().with_scale(0, 1e4), 10.0, exact) < 1e-9);
    // Increments below the spacing of numbers are raised to it.
    assert!(
        relative_error(
            &Plain::new(1, 1, wave).unwrap().with_scale(0, 1e-300),
            10.0,
            exact
        ) < 0.2
    );
}

#[test]
fn edges_of_the_domain_are_one_sided() {
    let root = Plain::new(1, 2, |x: &[f64], y: &mut [f64]| {
        y[0] = (x[0]).powf(1.5);
        y[1] = (-x[0]).powf(1.5);
    })
    .unwrap();
    let mut y = [Dual4::zero(); 2];
    Dual4::call(&root, &[Dual4::variable(0.0, 2)], &mut y);
    assert!(y.iter().all(|y| y.is_finite() && y.derivative(2).abs() < 1e-2));
}

#[test]
fn traces_see_formulas_but_not_closures() {
    let list = |y: Trace| y.dependencies().collect::<Vec<_>>();
    Trace::scope_at(&[1.0, 2.0, 3.0, 4.0], |x| {
        let mut y = [Trace::zero(); 2];
        Trace::call(&Generic::new(Law).unwrap(), &x[1..], &mut y);
        assert_eq!((list(y[0]), list(y[1])), (vec![1, 2, 3], vec![1, 2]));
        let value = y[1].value();
        Trace::call(&plain(), &[x[1], x[2], Trace::one()], &mut y);
        assert_eq!((list(y[0]), list(y[1])), (vec![1, 2], vec![1, 2]));
        assert_eq!(y[1].value(), value);
    });
}

#[test]
fn too_many_arguments_are_refused() {
    let nothing = |_: &[f64], _: &mut [f64]| {};
    assert!(Plain::new(64, 64, nothing).is_ok());
    let error = Plain::new(65, 1, nothing).unwrap_err();
    assert_eq!(error, FunctionError::TooManyInputs { inputs: 65 });
    assert_eq!(error.to_string(), "a function may have at most 64 inputs, not 65");
    let error = Plain::new(1, 70, nothing).unwrap_err();
    assert_eq!(error, FunctionError::TooManyOutputs { outputs: 70 });
}

#[test]
#[should_panic(expected = "inputs of Generic")]
fn wrong_lengths_are_found() {
    f64::call(&Generic::new(Law).unwrap(), &[1.0], &mut [0.0, 0.0]);
}
