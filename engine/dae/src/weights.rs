//! Tolerances, error weights and the weighted norms in which convergence and error are judged.

use crate::{InputError, Structure};

/// Absolute tolerance: one for all variables or one each.
#[derive(Clone, Debug, PartialEq)]
pub enum Absolute {
    /// The same for all variables.
    Same(f64),
    /// One per variable, in the order of y.
    Each(Vec<f64>),
}

/// Relative and absolute tolerances.
///
/// ```
/// use holonom_dae::Tolerances;
/// let tight = Tolerances::new(1e-8, 1e-10);
/// assert_eq!(tight.absolute(3), 1e-10);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerances {
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: Absolute,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self::new(1e-6, 1e-6)
    }
}

impl Tolerances {
    /// The same absolute tolerance for every variable.
    pub fn new(rtol: f64, atol: f64) -> Self {
        Self {
            rtol,
            atol: Absolute::Same(atol),
        }
    }

    /// One absolute tolerance per variable.
    pub fn each(rtol: f64, atol: Vec<f64>) -> Self {
        Self {
            rtol,
            atol: Absolute::Each(atol),
        }
    }

    /// The absolute tolerance of variable `i`.
    pub fn absolute(&self, i: usize) -> f64 {
        match &self.atol {
            Absolute::Same(a) => *a,
            Absolute::Each(a) => a[i],
        }
    }

    /// Refuses tolerances no step can be judged by.
    pub fn check(&self, structure: &Structure) -> Result<(), InputError> {
        let bad = |x: f64| !x.is_finite() || x < 0.0;
        if bad(self.rtol) {
            return Err(InputError::Tolerance {
                what: "relative",
                name: None,
                value: self.rtol,
                remedy: "give a positive number such as 1e-6",
            });
        }
        if let Absolute::Each(a) = &self.atol
            && a.len() != structure.dimension()
        {
            return Err(InputError::WrongSize {
                what: "the vector of absolute tolerances",
                found: a.len(),
                expected: structure.dimension(),
            });
        }
        for i in 0..structure.dimension() {
            let a = self.absolute(i);
            // A zero absolute tolerance makes the weight of a variable passing through zero infinite.
            if bad(a) || a == 0.0 {
                return Err(InputError::Tolerance {
                    what: "absolute",
                    name: match self.atol {
                        Absolute::Same(_) => None,
                        Absolute::Each(_) => Some(structure.variables[i].name.clone()),
                    },
                    value: a,
                    remedy: "give a positive number: the size below which the variable does not matter",
                });
            }
        }
        if self.rtol == 0.0 {
            return Err(InputError::Tolerance {
                what: "relative",
                name: None,
                value: 0.0,
                remedy: "give a positive number; for a purely absolute test choose it tiny, such as 1e-14",
            });
        }
        Ok(())
    }
}

/// How a variable takes part in the error test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorTest {
    /// With its full error.
    Full,
    /// With its error times this power of the step size, as index-2 (1) and index-3 (2)
    /// variables need.
    StepPower(i32),
    /// Not at all.
    Excluded,
}

/// Reciprocal weights 1/(rtol |y| + atol) and the norms built on them.
#[derive(Clone, Debug)]
pub struct Weights {
    tolerances: Tolerances,
    error_test: Vec<ErrorTest>,
    /// Any variable that does not count fully.
    graded: bool,
    reciprocal: Vec<f64>,
    reciprocal_error: Vec<f64>,
}

/// Root mean square of `v` in the given reciprocal weights.
///
/// Four independent sums, so that the loop is not bound by the latency of one addition.
#[inline]
pub fn weighted_norm(v: &[f64], reciprocal: &[f64]) -> f64 {
    let n = v.len();
    let mut s = [0.0f64; 4];
    let (vc, vr) = v.as_chunks::<4>();
    let (wc, wr) = reciprocal.as_chunks::<4>();
    for (a, b) in vc.iter().zip(wc) {
        for k in 0..4 {
            let x = a[k] * b[k];
            s[k] += x * x;
        }
    }
    let mut sum = (s[0] + s[1]) + (s[2] + s[3]);
    for (a, b) in vr.iter().zip(wr) {
        let x = a * b;
        sum += x * x;
    }
    (sum / n as f64).sqrt()
}

impl Weights {
    /// Weights for the given tolerances; allocates, later calls do not.
    pub fn new(tolerances: Tolerances, error_test: Vec<ErrorTest>) -> Self {
        let n = error_test.len();
        Self {
            graded: error_test.iter().any(|e| *e != ErrorTest::Full),
            tolerances,
            error_test,
            reciprocal: vec![0.0; n],
            reciprocal_error: vec![0.0; n],
        }
    }

    /// Takes the weights at `y`.
    pub fn update(&mut self, y: &[f64]) {
        let rtol = self.tolerances.rtol;
        match &self.tolerances.atol {
            Absolute::Same(a) => {
                for (w, y) in self.reciprocal.iter_mut().zip(y) {
                    *w = 1.0 / (rtol * y.abs() + a);
                }
            }
            Absolute::Each(a) => {
                for ((w, y), a) in self.reciprocal.iter_mut().zip(y).zip(a) {
                    *w = 1.0 / (rtol * y.abs() + a);
                }
            }
        }
    }

    /// Grades the error weights for step size `h`.
    pub fn grade(&mut self, h: f64) {
        if !self.graded {
            return;
        }
        for ((g, w), e) in (self.reciprocal_error.iter_mut())
            .zip(&self.reciprocal)
            .zip(&self.error_test)
        {
            *g = match e {
                ErrorTest::Full => *w,
                ErrorTest::StepPower(p) => *w * h.powi(*p).min(1.0),
                ErrorTest::Excluded => 0.0,
            };
        }
    }

    /// 1/(rtol |y| + atol) of each variable: judges the corrector iteration.
    pub fn reciprocal(&self) -> &[f64] {
        &self.reciprocal
    }

    /// The weights of the error test.
    pub fn reciprocal_error(&self) -> &[f64] {
        if self.graded {
            &self.reciprocal_error
        } else {
            &self.reciprocal
        }
    }

    /// Norm for the corrector iteration.
    pub fn norm(&self, v: &[f64]) -> f64 {
        weighted_norm(v, &self.reciprocal)
    }

    /// Norm for the error test.
    pub fn error_norm(&self, v: &[f64]) -> f64 {
        weighted_norm(v, self.reciprocal_error())
    }
}
