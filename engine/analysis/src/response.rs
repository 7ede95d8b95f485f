//! Frequency response: H(ω) = Σₖ (C (jω − A)⁻¹ Bₖ + Dₖ)(jω)ᵏ over the derivatives k of an input.

use crate::dense::{Complex, ComplexLu};
use crate::linearize::LinearModel;

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
pub fn response(linear: &LinearModel, frequencies: &[f64]) -> Vec<Response> {
    let n = linear.a.rows();
    let mut all: Vec<Response> = Vec::new();
    for column in linear.inputs.iter().filter(|i| i.order == 0) {
        all.push(Response {
            input: column.input,
            name: column.name.clone(),
            values: Vec::new(),
        });
    }
    for frequency in frequencies {
        let s = Complex::new(0.0, core::f64::consts::TAU * frequency);
        let mut matrix = vec![Complex::ZERO; n * n];
        for j in 0..n {
            for i in 0..n {
                let diagonal = if i == j { s } else { Complex::ZERO };
                matrix[j * n + i] = diagonal - Complex::real(linear.a[(i, j)]);
            }
        }
        let lu = ComplexLu::new(matrix, n);
        for response in &mut all {
            // (jω)ᵏ of every derivative of the input.
            let mut right = vec![Complex::ZERO; n];
            let mut out = vec![Complex::ZERO; linear.outputs.len()];
            for (j, column) in linear.inputs.iter().enumerate() {
                if column.input != response.input {
                    continue;
                }
                let factor = (0..column.order).fold(Complex::real(1.0), |f, _| f * s);
                for (i, x) in right.iter_mut().enumerate() {
                    *x += factor.scale(linear.b[(i, j)]);
                }
                for (i, x) in out.iter_mut().enumerate() {
                    *x += factor.scale(linear.d[(i, j)]);
                }
            }
            lu.solve(&mut right);
            for (i, x) in out.iter_mut().enumerate() {
                for (k, z) in right.iter().enumerate() {
                    *x += z.scale(linear.c[(i, k)]);
                }
            }
            response.values.push(out);
        }
    }
    all
}

/// Frequencies from `first` to `last`, evenly spaced in their logarithm.
pub fn logarithmic(first: f64, last: f64, count: usize) -> Vec<f64> {
    let ratio = (last / first).ln();
    let part = |k: usize| k as f64 / (count.max(2) - 1) as f64;
    (0..count).map(|k| first * (ratio * part(k)).exp()).collect()
}
