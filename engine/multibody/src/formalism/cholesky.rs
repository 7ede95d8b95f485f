//! Dense Cholesky factorisation, generic over the scalar: for mass matrices that are not those
//! of a tree (rods with mass) and for Schur complements.

use core::ops::{Div, Mul};
use holonom_algebra::Real;

/// A := L with A = L Lᵀ; `a` holds the lower triangle of an n × n matrix, column by column.
///
/// Gives the first column without a positive pivot, if there is one.
pub fn factorise<T: Real>(a: &mut [T], n: usize) -> Result<(), usize> {
    for j in 0..n {
        for k in 0..j {
            let l = a[k * n + j];
            if l.value() == 0.0 {
                continue;
            }
            for i in j..n {
                let x = a[k * n + i] * l;
                a[j * n + i] -= x;
            }
        }
        let pivot = a[j * n + j];
        if pivot.value() <= 0.0 || pivot.value().is_nan() {
            return Err(j);
        }
        let r = pivot.sqrt();
        a[j * n + j] = r;
        let k = r.recip();
        for i in j + 1..n {
            a[j * n + i] *= k;
        }
    }
    Ok(())
}

/// x := A⁻¹ x after [`factorise`]; the matrix may be plain when the vector is not.
pub fn solve<T, P>(l: &[P], n: usize, x: &mut [T])
where
    T: Real + Mul<P, Output = T> + Div<P, Output = T>,
    P: Copy,
{
    for j in 0..n {
        let y = x[j] / l[j * n + j];
        x[j] = y;
        for i in j + 1..n {
            x[i] -= y * l[j * n + i];
        }
    }
    for j in (0..n).rev() {
        let mut y = x[j];
        for i in j + 1..n {
            y -= x[i] * l[j * n + i];
        }
        x[j] = y / l[j * n + j];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_and_refuses() {
        let n = 3;
        let full = [4.0, 2.0, 1.0, 2.0, 5.0, 3.0, 1.0, 3.0, 6.0];
        let mut l = full;
        factorise(&mut l, n).expect("positive definite");
        let mut x = [1.0, -2.0, 3.0];
        solve(&l, n, &mut x);
        for (i, b) in [1.0, -2.0, 3.0].iter().enumerate() {
            let ax: f64 = (0..n).map(|j| full[j * n + i] * x[j]).sum();
            assert!((ax - b).abs() < 1e-14);
        }
        let mut singular = [1.0, 1.0, 1.0, 1.0];
        assert_eq!(factorise(&mut singular, 2), Err(1));
    }
}
