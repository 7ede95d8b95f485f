//! Tolerances, error weights and the weighted norms in which convergence and error are judged.

use crate::{ErrorTest, InputError, Structure, VariableKind};

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

/// Part of the lowest tolerance that rounding makes up: the corrector stops at corrections of some times what rounding
/// does, which must leave room for the error of a step.
pub const RESERVE: f64 = 12.0;

/// Reciprocal weights 1/(rtol |y| + atol) and the norms built on them.
///
/// Rounding determines variables of index 2 and 3 only up to about ε/h and ε/h². The graded
/// norm multiplies them by h and h²; it tells whether a corrector that no longer gains in the
/// plain norm has done what rounding allows. (Judging by the graded norm throughout would leave
/// iteration errors in the multipliers that spoil high orders: measured on the GGL pendulum,
/// 14,557 steps instead of 2,126 at 10⁻⁸.)
#[derive(Clone, Debug)]
pub struct Weights {
    tolerances: Tolerances,
    error_test: Vec<ErrorTest>,
    /// Index of each variable.
    index: Vec<u8>,
    /// Variables that count with h in the corrector too.
    relax: Vec<bool>,
    relaxed: bool,
    /// Whether any variable has a higher index.
    graded: bool,
    /// Whether the weights of the error test differ from the plain ones.
    graded_error: bool,
    /// How much tighter than given the tolerances were taken last.
    tightening: f64,
    /// Lowest tolerance of each variable: [`reserve`](Weights::reserve) times what rounding lets it be determined to.
    rounding: Vec<f64>,
    plain: Vec<f64>,
    corrector: Vec<f64>,
    by_index: Vec<f64>,
    error: Vec<f64>,
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
    /// Weights for the given tolerances and error test; allocates, later calls do not.
    pub fn new(tolerances: Tolerances, error_test: Vec<ErrorTest>, structure: &Structure) -> Self {
        let relax = structure.variables.iter().map(|v| {
            matches!(
                v.kind,
                VariableKind::StabilisingMultiplier | VariableKind::Multiplier | VariableKind::Reading
            )
        });
        let index = structure.variables.iter().map(|v| v.index);
        Self::build(tolerances, error_test, index.collect(), relax.collect())
    }

    fn build(tolerances: Tolerances, error_test: Vec<ErrorTest>, index: Vec<u8>, relax: Vec<bool>) -> Self {
        let n = error_test.len();
        Self {
            graded: index.iter().any(|i| *i > 1),
            graded_error: error_test.iter().any(|e| *e != ErrorTest::Full),
            tolerances,
            error_test,
            index,
            relaxed: relax.iter().any(|r| *r),
            relax,
            tightening: 1.0,
            rounding: vec![0.0; n],
            plain: vec![0.0; n],
            corrector: vec![0.0; n],
            by_index: vec![0.0; n],
            error: vec![0.0; n],
        }
    }

    /// Weights in which every variable counts fully.
    pub fn plain(tolerances: Tolerances, n: usize) -> Self {
        Self::build(tolerances, vec![ErrorTest::Full; n], vec![1; n], vec![false; n])
    }

    /// Takes the weights at `y`, for tolerances `tightening` times smaller than given.
    pub fn update(&mut self, y: &[f64], tightening: f64) {
        let rtol = self.tolerances.rtol;
        let r = 1.0 / tightening;
        self.tightening = tightening;
        match &self.tolerances.atol {
            Absolute::Same(a) => {
                for ((w, y), f) in self.plain.iter_mut().zip(y).zip(&self.rounding) {
                    *w = 1.0 / ((rtol * y.abs() + a) * r).max(*f);
                }
            }
            Absolute::Each(a) => {
                for (((w, y), a), f) in self.plain.iter_mut().zip(y).zip(a).zip(&self.rounding) {
                    *w = 1.0 / ((rtol * y.abs() + a) * r).max(*f);
                }
            }
        }
    }

    /// Tells to what accuracy rounding lets each variable be determined; tolerances below [`reserve`](Self::reserve) times that
    /// are raised to it from the next update on.
    pub fn set_rounding(&mut self, rounding: &[f64]) {
        let reserve = self.reserve();
        for (own, rounding) in self.rounding.iter_mut().zip(rounding) {
            *own = reserve * rounding;
        }
    }

    /// Lowest tolerances over rounding: [`RESERVE`] where there are variables of index 2 or 3, whose rounding grows as
    /// steps get shorter; elsewhere 1, since nothing but digits would be lost by more.
    pub fn reserve(&self) -> f64 {
        if self.graded { RESERVE } else { 1.0 }
    }

    /// The lowest tolerance of each variable.
    pub fn lowest(&self) -> &[f64] {
        &self.rounding
    }

    /// The tolerance asked for of variable `i` at a value: as given, and as tightened last.
    pub fn asked(&self, i: usize, value: f64) -> (f64, f64) {
        let given = self.tolerances.rtol * value.abs() + self.tolerances.absolute(i);
        (given, given / self.tightening)
    }

    /// Grades the weights for step size `h`; to be called before the norms are used.
    pub fn grade(&mut self, h: f64) {
        let h = h.abs().min(1.0);
        // Powers of variables of index 1, 2 and 3.
        let powers = [1.0, h, h * h];
        if self.graded {
            for ((c, w), index) in self.by_index.iter_mut().zip(&self.plain).zip(&self.index) {
                let power = usize::from(index.saturating_sub(1));
                *c = *w * powers.get(power).copied().unwrap_or_else(|| h.powi(power as i32));
            }
        }
        if self.relaxed {
            for ((c, w), relax) in self.corrector.iter_mut().zip(&self.plain).zip(&self.relax) {
                *c = if *relax { *w * h } else { *w };
            }
        }
        if self.graded_error {
            for ((g, w), e) in self.error.iter_mut().zip(&self.plain).zip(&self.error_test) {
                *g = match e {
                    ErrorTest::Full => *w,
                    ErrorTest::StepPower(1) => *w * h,
                    ErrorTest::StepPower(p) => *w * h.powi(*p),
                    ErrorTest::Excluded => 0.0,
                };
            }
        }
    }

    /// A bound of the norm of y: 1/rtol, for the tolerance of the last update.
    pub fn bound_of_solution(&self) -> f64 {
        self.tightening / self.tolerances.rtol
    }

    /// The tolerances given.
    pub fn tolerances(&self) -> &Tolerances {
        &self.tolerances
    }

    /// The relative tolerance given.
    pub fn rtol(&self) -> f64 {
        self.tolerances.rtol
    }

    /// 1/(rtol |y| + atol) of each variable.
    pub fn reciprocal(&self) -> &[f64] {
        &self.plain
    }

    /// The weights of the error test.
    pub fn reciprocal_error(&self) -> &[f64] {
        if self.graded_error {
            &self.error
        } else {
            &self.plain
        }
    }

    /// Norm for the corrector iteration.
    pub fn norm(&self, v: &[f64]) -> f64 {
        weighted_norm(
            v,
            if self.relaxed {
                &self.corrector
            } else {
                &self.plain
            },
        )
    }

    /// Norm in which variables of higher index count with powers of h.
    pub fn graded_norm(&self, v: &[f64]) -> f64 {
        weighted_norm(v, if self.graded { &self.by_index } else { &self.plain })
    }

    /// Whether the error of variable `i` counts with a power of the step size.
    pub fn counts_by_step(&self, i: usize) -> bool {
        matches!(self.error_test[i], ErrorTest::StepPower(_))
    }

    /// Norm for the error test.
    pub fn error_norm(&self, v: &[f64]) -> f64 {
        weighted_norm(v, self.reciprocal_error())
    }
}
