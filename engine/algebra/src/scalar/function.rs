//! Users' own functions: one object that every scalar of the engine can call.
//!
//! A method generic over [`Real`] cannot be called through `dyn`. The scalars are a closed set,
//! so [`Function`] has one method for each and [`Real::call`] picks the right one. A function
//! comes about in two ways: [`Generic`] from a law written over [`Real`] (exact derivatives),
//! or [`Plain`] from a closure over `f64` (difference quotients inside, chain rule outside).

use crate::{Dual, Dual4, Dual8, Function, MAX_ARGUMENTS, Real, Trace};
use core::fmt;

/// Why a function was refused at construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FunctionError {
    /// More than [`MAX_ARGUMENTS`] inputs.
    TooManyInputs {
        /// The number asked for.
        inputs: usize,
    },
    /// More than [`MAX_ARGUMENTS`] outputs.
    TooManyOutputs {
        /// The number asked for.
        outputs: usize,
    },
}

impl fmt::Display for FunctionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, n) = match self {
            Self::TooManyInputs { inputs } => ("inputs", inputs),
            Self::TooManyOutputs { outputs } => ("outputs", outputs),
        };
        write!(f, "a function may have at most {MAX_ARGUMENTS} {what}, not {n}")
    }
}

impl std::error::Error for FunctionError {}

fn check_size(inputs: usize, outputs: usize) -> Result<(), FunctionError> {
    if inputs > MAX_ARGUMENTS {
        return Err(FunctionError::TooManyInputs { inputs });
    }
    if outputs > MAX_ARGUMENTS {
        return Err(FunctionError::TooManyOutputs { outputs });
    }
    Ok(())
}

/// A law written once over [`Real`]; [`Generic`] makes a [`Function`] of it.
///
/// ```
/// use holonom_algebra::{Dual8, Formula, Generic, Real};
/// struct Spring { stiffness: f64 }
/// impl Formula for Spring {
///     fn inputs(&self) -> usize { 1 }
///     fn outputs(&self) -> usize { 1 }
///     fn evaluate<T: Real>(&self, x: &[T], y: &mut [T]) {
///         y[0] = -x[0] * self.stiffness;
///     }
/// }
/// let spring = Generic::new(Spring { stiffness: 3.0 }).unwrap();
/// let mut force = [Dual8::zero()];
/// Dual8::call(&spring, &[Dual8::variable(0.5, 7)], &mut force);
/// assert_eq!((force[0].value(), force[0].derivative(7)), (-1.5, -3.0));
/// ```
pub trait Formula: Send + Sync {
    /// Number of inputs: the length of x.
    fn inputs(&self) -> usize;
    /// Number of outputs: the length of y.
    fn outputs(&self) -> usize;
    /// y = f(x).
    fn evaluate<T: Real>(&self, x: &[T], y: &mut [T]);
}

/// A [`Function`] from a [`Formula`]: derivatives are exact.
pub struct Generic<F> {
    formula: F,
}

impl<F: Formula> Generic<F> {
    /// Wraps a formula.
    ///
    /// # Errors
    /// When it has more than [`MAX_ARGUMENTS`] inputs or outputs.
    pub fn new(formula: F) -> Result<Self, FunctionError> {
        check_size(formula.inputs(), formula.outputs())?;
        Ok(Self { formula })
    }

    /// The formula inside.
    pub fn formula(&self) -> &F {
        &self.formula
    }

    fn run<T: Real>(&self, x: &[T], y: &mut [T]) {
        check_lengths(self, x.len(), y.len());
        self.formula.evaluate(x, y);
    }
}

/// Wrong lengths are an error of the caller in the engine, found at the boundary.
#[track_caller]
fn check_lengths(function: &impl Function, x: usize, y: usize) {
    assert_eq!(x, function.inputs(), "inputs of {function:?}");
    assert_eq!(y, function.outputs(), "outputs of {function:?}");
}

/// Closures have no `Debug`: the name of the type stands for them.
fn describe<F>(name: &str, inputs: usize, outputs: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.debug_struct(name)
        .field("function", &core::any::type_name::<F>())
        .field("inputs", &inputs)
        .field("outputs", &outputs)
        .finish()
}

impl<F: Formula> fmt::Debug for Generic<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        describe::<F>("Generic", self.formula.inputs(), self.formula.outputs(), f)
    }
}

impl<F: Formula> Function for Generic<F> {
    fn inputs(&self) -> usize {
        self.formula.inputs()
    }
    fn outputs(&self) -> usize {
        self.formula.outputs()
    }
    fn evaluate_f64(&self, x: &[f64], y: &mut [f64]) {
        self.run(x, y);
    }
    fn evaluate_dual4(&self, x: &[Dual4], y: &mut [Dual4]) {
        self.run(x, y);
    }
    fn evaluate_dual8(&self, x: &[Dual8], y: &mut [Dual8]) {
        self.run(x, y);
    }
    fn evaluate_trace(&self, x: &[Trace], y: &mut [Trace]) {
        self.run(x, y);
    }
}

/// A [`Function`] from a closure over plain numbers.
///
/// Derivatives are central differences over the function's own inputs, taken only for inputs
/// that carry a derivative, then multiplied by those derivatives. The increment of input j is
/// ∛ε · sⱼ, which balances the truncation O(h²) against the rounding O(ε/h) when sⱼ is the
/// length over which f changes; sⱼ = max(|xⱼ|, 1) unless [`Plain::with_scale`] says otherwise.
/// Expect about ten digits. An output that is not finite on one side of x (an edge of the
/// domain) gets the one-sided difference of the other.
///
/// ```
/// use holonom_algebra::{Dual4, Plain, Real};
/// let product = Plain::new(2, 1, |x: &[f64], y: &mut [f64]| y[0] = x[0] * x[1]).unwrap();
/// let mut y = [Dual4::zero()];
/// Dual4::call(&product, &[Dual4::variable(3.0, 0), Dual4::constant(5.0)], &mut y);
/// assert_eq!(y[0].value(), 15.0);
/// assert!((y[0].derivative(0) - 5.0).abs() < 1e-9);
/// ```
pub struct Plain<F> {
    closure: F,
    inputs: usize,
    outputs: usize,
    /// Lengths sⱼ; 0 stands for max(|xⱼ|, 1).
    scale: [f64; MAX_ARGUMENTS],
}

/// ∛ε of `f64`.
const CUBE_ROOT_OF_EPSILON: f64 = 6.055_454_452_393_343e-6;

impl<F: Fn(&[f64], &mut [f64]) + Send + Sync> Plain<F> {
    /// Wraps a closure that reads `inputs` numbers and writes all `outputs` numbers.
    ///
    /// # Errors
    /// When there are more than [`MAX_ARGUMENTS`] inputs or outputs.
    pub fn new(inputs: usize, outputs: usize, closure: F) -> Result<Self, FunctionError> {
        check_size(inputs, outputs)?;
        Ok(Self {
            closure,
            inputs,
            outputs,
            scale: [0.0; MAX_ARGUMENTS],
        })
    }

    /// The same function with the length sⱼ over which it changes with input `j`.
    ///
    /// A value that is not positive and finite, or a `j` that is no input, changes nothing.
    #[must_use]
    pub fn with_scale(mut self, j: usize, scale: f64) -> Self {
        if j < self.inputs && scale > 0.0 && scale.is_finite() {
            self.scale[j] = scale;
        }
        self
    }

    fn increment(&self, j: usize, xj: f64) -> f64 {
        let s = self.scale[j];
        let length = if s > 0.0 { s } else { xj.abs().max(1.0) };
        // At least some units in the last place, else x + h = x.
        (CUBE_ROOT_OF_EPSILON * length).max(8.0 * f64::EPSILON * xj.abs())
    }

    fn dual<const K: usize>(&self, x: &[Dual<K>], y: &mut [Dual<K>]) {
        check_lengths(self, x.len(), y.len());
        let mut at = [0.0; MAX_ARGUMENTS];
        let at = &mut at[..self.inputs];
        for (a, x) in at.iter_mut().zip(x) {
            *a = x.value();
        }
        let mut work = [[0.0; MAX_ARGUMENTS]; 3];
        let [centre, upper, lower] = work.each_mut().map(|w| &mut w[..self.outputs]);
        (self.closure)(at, centre);
        for (y, c) in y.iter_mut().zip(centre.iter()) {
            *y = Dual::constant(*c);
        }
        for j in 0..self.inputs {
            if x[j].is_constant() {
                continue;
            }
            let xj = at[j];
            let h = self.increment(j, xj);
            // The increments that rounding leaves of h on either side.
            let (up, down) = (xj + h, xj - h);
            at[j] = up;
            (self.closure)(at, upper);
            at[j] = down;
            (self.closure)(at, lower);
            at[j] = xj;
            for i in 0..self.outputs {
                let (u, l, c) = (upper[i], lower[i], centre[i]);
                let slope = match (u.is_finite(), l.is_finite()) {
                    (true, false) => (u - c) / (up - xj),
                    (false, true) => (c - l) / (xj - down),
                    _ => (u - l) / (up - down),
                };
                y[i].add_scaled_derivatives(x[j], slope);
            }
        }
    }
}

impl<F> fmt::Debug for Plain<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        describe::<F>("Plain", self.inputs, self.outputs, f)
    }
}

impl<F: Fn(&[f64], &mut [f64]) + Send + Sync> Function for Plain<F> {
    fn inputs(&self) -> usize {
        self.inputs
    }
    fn outputs(&self) -> usize {
        self.outputs
    }
    fn evaluate_f64(&self, x: &[f64], y: &mut [f64]) {
        check_lengths(self, x.len(), y.len());
        (self.closure)(x, y);
    }
    fn evaluate_dual4(&self, x: &[Dual4], y: &mut [Dual4]) {
        self.dual(x, y);
    }
    fn evaluate_dual8(&self, x: &[Dual8], y: &mut [Dual8]) {
        self.dual(x, y);
    }
    /// A closure cannot be looked into: every output depends on every input.
    fn evaluate_trace(&self, x: &[Trace], y: &mut [Trace]) {
        check_lengths(self, x.len(), y.len());
        let mut at = [0.0; MAX_ARGUMENTS];
        let mut values = [0.0; MAX_ARGUMENTS];
        let mut all = Trace::zero();
        for (a, x) in at.iter_mut().zip(x) {
            *a = x.value();
            all += *x;
        }
        let values = &mut values[..self.outputs];
        (self.closure)(&at[..self.inputs], values);
        for (y, value) in y.iter_mut().zip(values) {
            *y = all.with_value(*value);
        }
    }
}
