//! An explicit integrator of high order, independent of the solvers: makes references.
//!
//! Gragg's midpoint rule, extrapolated to order 16 after Bulirsch and Stoer [Hairer, Nørsett,
//! Wanner 1993, §II.9], with the step size from the difference of the last two columns. For
//! smooth problems that are not stiff.

/// Rows of the extrapolation table; the order is twice that.
const ROWS: usize = 8;

/// Solves ẏ = f(t, y), y(t0) = y0 and returns y at each of the `outputs`, which ascend from t0.
/// `f(t, y, dy)` writes the derivative to `dy`. The local error per step stays below `tol`,
/// relative to 1 + |y|.
///
/// ```
/// use holonom_dae::problems::extrapolation::integrate;
/// let f = |_t, y: &[f64], dy: &mut [f64]| { dy[0] = y[1]; dy[1] = -y[0]; };
/// let y = integrate(f, 0.0, &[0.0, 1.0], &[1.0, 10.0], 1e-14);
/// assert!((y[1][0] - 10f64.sin()).abs() < 1e-13);
/// ```
///
/// # Panics
/// When no step size is small enough: the solution has a singularity, or f is not smooth.
pub fn integrate(
    mut f: impl FnMut(f64, &[f64], &mut [f64]),
    t0: f64,
    y0: &[f64],
    outputs: &[f64],
    tol: f64,
) -> Vec<Vec<f64>> {
    let n = y0.len();
    let mut table: Vec<Vec<f64>> = vec![vec![0.0; n]; ROWS];
    let mut work: Vec<Vec<f64>> = vec![vec![0.0; n]; 4];
    let mut slope = vec![0.0; n];
    let (mut t, mut y) = (t0, y0.to_vec());
    // What rounding took away from y.
    let mut carry = vec![0.0; n];
    let mut h = outputs.last().map_or(0.0, |end| 1e-3 * (end - t0));
    let mut results = Vec::with_capacity(outputs.len());
    for &output in outputs {
        while t < output {
            let last = t + h * 1.01 >= output;
            let step = if last { output - t } else { h };
            assert!(t + step > t, "the step size vanishes at t = {t}");
            f(t, &y, &mut slope);
            let mut error = 0.0;
            for row in 0..ROWS {
                midpoint(&mut f, t, &y, &slope, step, 2 * (row + 1), &mut work);
                error = extrapolate(&mut table, row, &work[0], &y);
            }
            if error <= tol {
                for i in 0..n {
                    let increment = table[0][i] + carry[i];
                    let sum = y[i] + increment;
                    carry[i] = increment - (sum - y[i]);
                    y[i] = sum;
                }
                t = if last { output } else { t + step };
            }
            // A NaN counts as a large error.
            let ratio = if error.is_nan() { 1e30 } else { error / tol };
            let factor = (0.9 * (ratio + 1e-30).powf(-1.0 / (2 * ROWS - 1) as f64)).clamp(0.1, 3.0);
            // A step cut short at an output says little about the next.
            h = if error <= tol && last {
                h.max(step * factor)
            } else {
                step * factor
            };
        }
        results.push(y.clone());
    }
    results
}

/// work[0] := the increment of y over one step, by `parts` midpoint steps.
fn midpoint(
    f: &mut impl FnMut(f64, &[f64], &mut [f64]),
    t: f64,
    y: &[f64],
    slope: &[f64],
    step: f64,
    parts: usize,
    work: &mut [Vec<f64>],
) {
    let [new, old, stage, derivative] = work else {
        return;
    };
    let h = step / parts as f64;
    for i in 0..y.len() {
        old[i] = 0.0;
        new[i] = h * slope[i];
    }
    for k in 1..parts {
        for i in 0..y.len() {
            stage[i] = y[i] + new[i];
        }
        f(t + k as f64 * h, stage, derivative);
        for i in 0..y.len() {
            old[i] += 2.0 * h * derivative[i];
        }
        core::mem::swap(new, old);
    }
}

/// Adds a row to the table, which keeps its diagonal: table[j] holds column row − j. Returns the
/// difference of the last two columns relative to 1 + |y|.
fn extrapolate(table: &mut [Vec<f64>], row: usize, value: &[f64], y: &[f64]) -> f64 {
    table[row].copy_from_slice(value);
    let mut error: f64 = 0.0;
    for j in (0..row).rev() {
        // Aitken–Neville in h²: T_{row,k} = T_{row,k−1} + (T_{row,k−1} − T_{row−1,k−1})/(ratio² − 1).
        let ratio = (row + 1) as f64 / (j + 1) as f64;
        let divisor = ratio * ratio - 1.0;
        for i in 0..y.len() {
            let finer = table[j + 1][i];
            let correction = (finer - table[j][i]) / divisor;
            table[j][i] = finer + correction;
            if j == 0 {
                let e = correction.abs() / (1.0 + y[i].abs());
                // Not max(): that would lose a NaN.
                error = if e <= error { error } else { e };
            }
        }
    }
    error
}

#[cfg(test)]
mod tests {
    use super::integrate;

    #[test]
    fn keeps_to_a_nonlinear_solution() {
        // Kepler's problem, eccentricity 0.6: periodic with 2π.
        let f = |_: f64, y: &[f64], dy: &mut [f64]| {
            let r3 = (y[0] * y[0] + y[1] * y[1]).powf(1.5);
            dy.copy_from_slice(&[y[2], y[3], -y[0] / r3, -y[1] / r3]);
        };
        let y0 = [0.4, 0.0, 0.0, 2.0];
        let y = integrate(f, 0.0, &y0, &[1.0, 3.0, core::f64::consts::TAU], 1e-14);
        assert_eq!(y.len(), 3);
        for i in 0..4 {
            assert!((y[2][i] - y0[i]).abs() < 5e-12, "{:?}", y[2]);
        }
    }

    #[test]
    fn an_output_at_the_start_is_the_start() {
        let y = integrate(|_, _, dy| dy[0] = 1.0, 2.0, &[5.0], &[2.0, 3.0], 1e-12);
        assert_eq!(y[0], [5.0]);
        assert!((y[1][0] - 6.0).abs() < 1e-14);
    }
}
