//! Frequency response: H(ω) = Σₖ (C (jω − A)⁻¹ Bₖ + Dₖ)(jω)ᵏ over the derivatives k of an input.

use crate::dense::{Complex, ComplexLu, Matrix, NoConvergence, eigen};
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

/// Offsets from a resonance, in parts of its half width, at which it is looked at.
const ACROSS: [f64; 11] = [-4.0, -2.0, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 2.0, 4.0];

/// States up to which eigenvalues are computed: the work grows with the third power of their number.
pub const LARGEST: usize = 600;

/// Damping ratio below which a resonance counts as undamped: rounding of the eigenvalues may be as large.
const UNDAMPED: f64 = 1e-10;

/// The frequencies, Hz, with more around the resonances between the first and the last one: those may be narrower than
/// the distance of the others. Ascending. Models with more than [`LARGEST`] states get none.
///
/// # Errors
/// Eigenvalues that are not found.
pub fn with_resonances(linear: &LinearModel, frequencies: &[f64]) -> Result<Vec<f64>, NoConvergence> {
    let mut all = frequencies.to_vec();
    let (Some(&first), Some(&last)) = (frequencies.first(), frequencies.last()) else {
        return Ok(all);
    };
    let n = linear.a.rows();
    if n > LARGEST {
        return Ok(all);
    }
    let found = eigen(&linear.a, &vec![1.0; n], 0.0)?;
    for value in found.values.iter().filter(|value| value.im > 0.0) {
        // An undamped resonance has no width: it is looked at next to its frequency.
        let width = value.re.abs().max(UNDAMPED * value.im);
        let around = ACROSS.map(|part| (value.im + part * width) / core::f64::consts::TAU);
        all.extend(around.into_iter().filter(|f| *f > first && *f < last));
    }
    all.sort_by(f64::total_cmp);
    all.dedup();
    Ok(all)
}

/// The largest amplitude of an output over frequency, from its responses to one input at ascending `frequencies`: the
/// frequency, Hz, and the amplitude. Next to a resonance, 1/|H|² is a parabola, whose least value is looked at.
pub fn largest(
    linear: &LinearModel,
    response_of: &Response,
    output: usize,
    frequencies: &[f64],
) -> Option<(f64, f64)> {
    let size = |k: usize| response_of.values[k][output].abs();
    let known = (0..frequencies.len()).filter(|k| !size(*k).is_nan());
    let most = known.max_by(|a, b| size(*a).total_cmp(&size(*b)))?;
    let best = (frequencies[most], size(most));
    if most == 0 || most + 1 >= frequencies.len() || !best.1.is_finite() || best.1 == 0.0 {
        return Some(best);
    }
    let [a, b, c] = [most - 1, most, most + 1].map(|k| (frequencies[k] - best.0, (best.1 / size(k)).powi(2)));
    // Newton's form of the parabola through three points.
    let (left, right) = ((b.1 - a.1) / (b.0 - a.0), (c.1 - b.1) / (c.0 - b.0));
    let bend = (right - left) / (c.0 - a.0);
    let at = best.0 + 0.5 * (a.0 + b.0) - 0.5 * left / bend;
    if !(bend > 0.0 && at > frequencies[most - 1] && at < frequencies[most + 1]) {
        return Some(best);
    }
    let there = response(linear, &[at]);
    let there = there.iter().find(|r| r.input == response_of.input);
    let there = there.map_or(f64::NAN, |r| r.values[0][output].abs());
    Some(if there > best.1 { (at, there) } else { best })
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
