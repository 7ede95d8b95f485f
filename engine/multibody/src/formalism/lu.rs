//! Dense LU with partial pivoting, for the few unknowns of implicit laws.

/// b := A⁻¹ b, A being n × n, column by column, and overwritten. False when A is singular; b is
/// then of no use.
pub(crate) fn solve(a: &mut [f64], n: usize, b: &mut [f64]) -> bool {
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[k * n + i].abs().total_cmp(&a[k * n + j].abs()));
        let pivot = pivot.unwrap_or(k);
        let value = a[k * n + pivot];
        if value == 0.0 || !value.is_finite() {
            return false;
        }
        if pivot != k {
            for j in 0..n {
                a.swap(j * n + k, j * n + pivot);
            }
            b.swap(k, pivot);
        }
        for i in k + 1..n {
            let factor = a[k * n + i] / value;
            if factor != 0.0 {
                for j in k + 1..n {
                    a[j * n + i] -= factor * a[j * n + k];
                }
                b[i] -= factor * b[k];
            }
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[j * n + k] * b[j]).sum();
        b[k] = (b[k] - sum) / a[k * n + k];
    }
    true
}

/// A pivot that is this part of the numbers it is the difference of is rounding.
const CANCELLED: f64 = 1e-12;

/// The same for A = I − B, which counts as singular where a pivot is nothing but rounding. `size` is
/// n × n and of no use afterwards: it follows the magnitudes of what is added up. The error is the
/// number of an unknown that the others do not leave determined.
pub(crate) fn solve_unit_less(a: &mut [f64], size: &mut [f64], n: usize, b: &mut [f64]) -> Result<(), usize> {
    for j in 0..n {
        for i in 0..n {
            let (unit, entry) = (if i == j { 1.0 } else { 0.0 }, a[j * n + i]);
            size[j * n + i] = unit + (unit - entry).abs();
        }
    }
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[k * n + i].abs().total_cmp(&a[k * n + j].abs()));
        let pivot = pivot.unwrap_or(k);
        let value = a[k * n + pivot];
        if !value.is_finite() || value.abs() <= CANCELLED * size[k * n + pivot] {
            return Err(k);
        }
        if pivot != k {
            for j in 0..n {
                a.swap(j * n + k, j * n + pivot);
                size.swap(j * n + k, j * n + pivot);
            }
            b.swap(k, pivot);
        }
        for i in k + 1..n {
            let factor = a[k * n + i] / value;
            if factor != 0.0 {
                for j in k + 1..n {
                    a[j * n + i] -= factor * a[j * n + k];
                    size[j * n + i] += factor.abs() * size[j * n + k];
                }
                b[i] -= factor * b[k];
            }
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[j * n + k] * b[j]).sum();
        b[k] = (b[k] - sum) / a[k * n + k];
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_with_a_zero_on_the_diagonal() {
        // Columns (0, 2, 1), (1, 1, 0), (3, 0, 2); x = (1, −2, 3).
        let columns = [0.0, 2.0, 1.0, 1.0, 1.0, 0.0, 3.0, 0.0, 2.0];
        let mut b = [7.0, 0.0, 7.0];
        assert!(solve(&mut columns.clone(), 3, &mut b));
        for (x, expected) in b.iter().zip([1.0, -2.0, 3.0]) {
            assert!((x - expected).abs() < 1e-14);
        }
        let mut singular = [1.0, 2.0, 2.0, 4.0];
        assert!(!solve(&mut singular, 2, &mut [1.0, 1.0]));
    }

    /// x₁ = x₁/2 + x₂ + 1, x₂ = 0.3 x₁ + 2 has the solution (15, 13/2); with 0.5 in place of 0.3 none.
    #[test]
    fn tells_rounding_from_a_pivot() {
        let system = |c: f64| [1.0 - 0.5, -c, -1.0, 1.0];
        let (mut b, mut size) = ([1.0, 2.0], [0.0; 4]);
        assert_eq!(solve_unit_less(&mut system(0.3), &mut size, 2, &mut b), Ok(()));
        assert!((b[0] - 15.0).abs() < 1e-12 && (b[1] - 6.5).abs() < 1e-12);
        // Singular but for a few roundings.
        let nearly = 0.5 * (1.0 + 4.0 * f64::EPSILON);
        assert_eq!(solve_unit_less(&mut system(nearly), &mut size, 2, &mut b), Err(1));
    }
}
