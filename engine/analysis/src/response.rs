//! Frequency response: H(ω) = Σₖ (C (jω − A)⁻¹ Bₖ + Dₖ)(jω)ᵏ over the derivatives k of an input.

use crate::dense::{Complex, ComplexLu, NoConvergence, eigen};
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

/// Offsets from a resonance, in parts of its half width, at which it is looked at.
const ACROSS: [f64; 11] = [-4.0, -2.0, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 2.0, 4.0];

/// Damping ratio below which a resonance counts as undamped: rounding of the eigenvalues may be as large.
const UNDAMPED: f64 = 1e-10;

/// The frequencies, Hz, with more around the resonances between the first and the last one: those may be narrower than
/// the distance of the others. Ascending.
///
/// # Errors
/// Eigenvalues that are not found.
pub fn with_resonances(linear: &LinearModel, frequencies: &[f64]) -> Result<Vec<f64>, NoConvergence> {
    let mut all = frequencies.to_vec();
    let (Some(&first), Some(&last)) = (frequencies.first(), frequencies.last()) else {
        return Ok(all);
    };
    let n = linear.a.rows();
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
