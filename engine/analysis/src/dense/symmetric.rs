//! Eigenvalues of symmetric matrices: tridiagonal form and implicit QL steps [Golub, Van Loan, §8.3].

use super::{Matrix, NoConvergence, dot};

/// Eigenvalues in ascending order, and their orthonormal eigenvectors as columns.
///
/// # Errors
/// Entries that are not finite.
///
/// ```
/// use holonom_analysis::dense::{Matrix, symmetric_eigen};
/// let a = Matrix::from_fn(2, 2, |i, j| if i == j { 2.0 } else { 1.0 });
/// let (values, _) = symmetric_eigen(a)?;
/// assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15);
/// # Ok::<(), holonom_analysis::dense::NoConvergence>(())
/// ```
pub fn symmetric_eigen(mut a: Matrix) -> Result<(Vec<f64>, Matrix), NoConvergence> {
    let n = a.rows();
    if !a.is_finite() {
        return Err(NoConvergence);
    }
    let mut z = Matrix::identity(n);
    // Reflections I − β w wᵀ from both sides, gathered in z.
    for k in 0..n.saturating_sub(2) {
        let x = a.column(k)[k + 1..].to_vec();
        let rest = dot(&x[1..], &x[1..]);
        if rest == 0.0 {
            continue;
        }
        let length = (x[0] * x[0] + rest).sqrt();
        let mut w = vec![0.0; n];
        w[k + 1..].copy_from_slice(&x);
        w[k + 1] += length.copysign(x[0]);
        let beta = 2.0 / dot(&w, &w);
        // A − w pᵀ − p wᵀ with p = β A w − (β²/2)(wᵀ A w) w.
        let mut p = a.times_vector(&w);
        p.iter_mut().for_each(|x| *x *= beta);
        let half = 0.5 * beta * dot(&p, &w);
        p.iter_mut().zip(&w).for_each(|(p, w)| *p -= half * w);
        for j in 0..n {
            let (wj, pj) = (w[j], p[j]);
            for (i, x) in a.column_mut(j).iter_mut().enumerate() {
                *x -= w[i] * pj + p[i] * wj;
            }
        }
        let mut y = z.times_vector(&w);
        y.iter_mut().for_each(|x| *x *= beta);
        for j in k + 1..n {
            let wj = w[j];
            for (x, y) in z.column_mut(j).iter_mut().zip(&y) {
                *x -= y * wj;
            }
        }
    }
    let mut d: Vec<f64> = (0..n).map(|i| a[(i, i)]).collect();
    let mut e: Vec<f64> = (0..n)
        .map(|i| if i + 1 < n { a[(i + 1, i)] } else { 0.0 })
        .collect();
    for l in 0..n {
        for round in 0.. {
            let mut m = l;
            while m + 1 < n && e[m].abs() > f64::EPSILON * (d[m].abs() + d[m + 1].abs()) {
                m += 1;
            }
            if m == l {
                break;
            }
            if round > 200 {
                return Err(NoConvergence);
            }
            let g = (d[l + 1] - d[l]) / (2.0 * e[l]);
            let r = g.hypot(1.0);
            let mut g = d[m] - d[l] + e[l] / (g + r.copysign(g));
            let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
            let mut finished = true;
            for i in (l..m).rev() {
                let (f, b) = (s * e[i], c * e[i]);
                let r = f.hypot(g);
                e[i + 1] = r;
                if r == 0.0 {
                    d[i + 1] -= p;
                    e[m] = 0.0;
                    finished = false;
                    break;
                }
                (s, c) = (f / r, g / r);
                g = d[i + 1] - p;
                let r = (d[i] - g) * s + 2.0 * c * b;
                p = s * r;
                d[i + 1] = g + p;
                g = c * r - b;
                let (left, right) = z.data_mut().split_at_mut((i + 1) * n);
                for (x, y) in left[i * n..].iter_mut().zip(&mut right[..n]) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
            }
            if finished {
                d[l] -= p;
                e[l] = g;
                e[m] = 0.0;
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| d[a].total_cmp(&d[b]));
    let rows: Vec<usize> = (0..n).collect();
    Ok((order.iter().map(|&k| d[k]).collect(), z.part(&rows, &order)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn vectors_are_orthonormal_and_belong_to_their_values() {
        for n in [1, 2, 3, 7, 30] {
            let mut seed = n as u64;
            let mut next = || {
                seed = seed
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                (seed >> 33) as f64 / f64::from(1u32 << 30) - 1.0
            };
            let b = Matrix::from_fn(n, n, |_, _| next());
            // Two equal eigenvalues in every case but the smallest.
            let mut a = Matrix::from_fn(n, n, |i, j| b[(i, j)] + b[(j, i)]);
            if n == 7 {
                a = Matrix::from_fn(n, n, |i, j| if i == j { 3.0 } else { 1.0 });
            }
            let (values, z) = symmetric_eigen(a.clone()).unwrap();
            for k in 0..n {
                let az = a.times_vector(z.column(k));
                for i in 0..n {
                    assert!((az[i] - values[k] * z[(i, k)]).abs() < 1e-13 * n as f64);
                }
                for l in 0..n {
                    let product = dot(z.column(k), z.column(l));
                    assert!((product - f64::from(u8::from(k == l))).abs() < 1e-13);
                }
            }
        }
    }
}
