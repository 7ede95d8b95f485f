//! Frequency response: H(ω) = Σₖ (C (jω − A)⁻¹ Bₖ + Dₖ)(jω)ᵏ over the derivatives k of an input.

use crate::dense::{Complex, ComplexLu, Matrix};
use crate::linearize::LinearModel;
use crate::sparse::{ComplexFactors, Sparse};
use holonom_solver::linear;

/// States from which sparse matrices can pay.
const MANY: usize = 100;

/// Share of entries up to which a matrix counts as sparse.
const SPARSE: f64 = 0.05;

/// The response of all outputs to one input, over frequency.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// Number of the input.
    pub input: usize,
    /// Name of the input.
    pub name: String,
    /// For every frequency the response of every output.
    pub values: Vec<Vec<Complex>>,
}

/// Responses to all inputs at some frequencies, Hz. Values at an undamped resonance are not finite.
pub fn response(model: &LinearModel, frequencies: &[f64]) -> Vec<Response> {
    let n = model.a.rows();
    let mut sparse = Shifted::new(&model.a);
    let mut all: Vec<Response> = Vec::new();
    for column in model.inputs.iter().filter(|i| i.order == 0) {
        all.push(Response {
            input: column.input,
            name: column.name.clone(),
            values: Vec::new(),
        });
    }
    for frequency in frequencies {
        let s = Complex::new(0.0, core::f64::consts::TAU * frequency);
        // Next to a resonance without damping the sparse factors may not exist: the dense ones tell.
        let mut shifted = sparse.as_mut().and_then(|f| f.factorise(s).then_some(f));
        let lu = match shifted {
            Some(_) => None,
            None => Some(dense_factors(&model.a, s)),
        };
        for response in &mut all {
            // (jω)ᵏ of every derivative of the input.
            let mut right = vec![Complex::ZERO; n];
            let mut out = vec![Complex::ZERO; model.outputs.len()];
            for (j, column) in model.inputs.iter().enumerate() {
                if column.input != response.input {
                    continue;
                }
                let factor = (0..column.order).fold(Complex::real(1.0), |f, _| f * s);
                for (i, x) in right.iter_mut().enumerate() {
                    *x += factor.scale(model.b[(i, j)]);
                }
                for (i, x) in out.iter_mut().enumerate() {
                    *x += factor.scale(model.d[(i, j)]);
                }
            }
            match (&mut shifted, &lu) {
                (Some(shifted), _) => right = shifted.factors.solve(&right),
                (None, Some(lu)) => lu.solve(&mut right),
                (None, None) => {}
            }
            for (i, x) in out.iter_mut().enumerate() {
                for (k, z) in right.iter().enumerate() {
                    *x += z.scale(model.c[(i, k)]);
                }
            }
            response.values.push(out);
        }
    }
    all
}

/// A with its diagonal, where it has few entries, and factors that keep their order.
struct Shifted {
    a: Sparse,
    factors: ComplexFactors,
}

impl Shifted {
    fn new(a: &Matrix) -> Option<Self> {
        let n = a.rows();
        if n < MANY {
            return None;
        }
        let most = (SPARSE * (n * n) as f64) as usize;
        let mut entries: Vec<_> = (0..n).map(|i| (i, i, 0.0)).collect();
        for j in 0..n {
            let column = a.column(j).iter().enumerate();
            entries.extend(column.filter(|(_, x)| **x != 0.0).map(|(i, x)| (i, j, *x)));
            if entries.len() > most {
                return None;
            }
        }
        Some(Self {
            a: Sparse::from_triplets(n, n, &entries),
            factors: ComplexFactors::new(n),
        })
    }

    /// Factorises s − A; false where it is singular.
    fn factorise(&mut self, s: Complex) -> bool {
        let value = |(i, j, x): (usize, usize, f64)| match i == j {
            true => linear::Complex::new(s.re - x, s.im),
            false => linear::Complex::new(-x, 0.0),
        };
        let values: Vec<linear::Complex> = self.a.entries().map(value).collect();
        self.factors.factorise(&self.a.pattern, &values).is_ok()
    }
}

/// Factors of s − A as a dense matrix.
fn dense_factors(a: &Matrix, s: Complex) -> ComplexLu {
    let n = a.rows();
    let mut matrix = vec![Complex::ZERO; n * n];
    for j in 0..n {
        for i in 0..n {
            let diagonal = if i == j { s } else { Complex::ZERO };
            matrix[j * n + i] = diagonal - Complex::real(a[(i, j)]);
        }
    }
    ComplexLu::new(matrix, n)
}

/// Frequencies from `first` to `last`, evenly spaced in their logarithm.
pub fn logarithmic(first: f64, last: f64, count: usize) -> Vec<f64> {
    let ratio = (last / first).ln();
    let part = |k: usize| k as f64 / (count.max(2) - 1) as f64;
    (0..count).map(|k| first * (ratio * part(k)).exp()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_and_dense_factors_agree() {
        let n = MANY;
        let a = Matrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
            0 => -2.0 - 0.01 * i as f64,
            1 => 1.0 + 0.1 * (i as f64 - j as f64),
            _ => 0.0,
        });
        let right: Vec<Complex> = (0..n)
            .map(|i| Complex::new((i as f64).sin(), (i as f64).cos()))
            .collect();
        let mut sparse = Shifted::new(&a).expect("few entries");
        for omega in [0.1, 3.0, 40.0] {
            let s = Complex::new(0.0, omega);
            let mut one = right.clone();
            dense_factors(&a, s).solve(&mut one);
            assert!(sparse.factorise(s));
            let other = sparse.factors.solve(&right);
            for (a, b) in one.iter().zip(&other) {
                assert!((*a - *b).abs() < 1e-13, "{a:?} {b:?}");
            }
        }
        let full = Matrix::from_fn(n, n, |_, _| 1.0);
        assert!(Shifted::new(&full).is_none());
    }
}
