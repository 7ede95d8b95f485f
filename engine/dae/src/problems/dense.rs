//! A small dense solver, for start values and the mechanics of the reference problems.

use crate::Rejection;

/// Solves A x = b in place by elimination with row pivoting; A is n × n, column by column, and
/// is destroyed.
pub(super) fn solve(n: usize, a: &mut [f64], b: &mut [f64]) -> Result<(), Rejection> {
    for k in 0..n {
        // The largest entry of the column becomes the pivot.
        let mut p = k;
        for i in k + 1..n {
            if a[i + k * n].abs() > a[p + k * n].abs() {
                p = i;
            }
        }
        let pivot = a[p + k * n];
        if pivot == 0.0 || !pivot.is_finite() {
            return Err(Rejection::SingularMatrix {
                row: p,
                column: k,
                structural: false,
            });
        }
        if p != k {
            for j in k..n {
                a.swap(k + j * n, p + j * n);
            }
            b.swap(k, p);
        }
        for i in k + 1..n {
            let factor = a[i + k * n] / pivot;
            if factor != 0.0 {
                for j in k + 1..n {
                    a[i + j * n] -= factor * a[k + j * n];
                }
                b[i] -= factor * b[k];
            }
        }
    }
    for i in (0..n).rev() {
        for j in i + 1..n {
            b[i] -= a[i + j * n] * b[j];
        }
        b[i] /= a[i + i * n];
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn solves_with_pivoting() {
        let mut a = [0.0, 2.0, 4.0, 1.0, 1.0, 3.0, 3.0, 0.0, -1.0];
        let mut b = [0.0 + 2.0 + 9.0, 2.0 + 2.0, 4.0 + 6.0 - 3.0];
        super::solve(3, &mut a, &mut b).expect("regular");
        for (x, e) in b.iter().zip([1.0, 2.0, 3.0]) {
            assert!((x - e).abs() < 1e-14);
        }
        assert!(super::solve(2, &mut [1.0, 2.0, 2.0, 4.0], &mut [1.0, 1.0]).is_err());
    }
}
