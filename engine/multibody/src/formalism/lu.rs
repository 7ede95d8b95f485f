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
}
