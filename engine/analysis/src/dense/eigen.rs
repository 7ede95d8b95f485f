//! Eigenvalues and eigenvectors of real matrices, with zero eigenvalues counted by rank.
//!
//! A zero eigenvalue with a Jordan chain (a free body has them) moves by the square root of the
//! rounding error in a plain QR iteration: 10⁻⁸ instead of zero. Here zeros are found first, by
//! rank decisions: with an orthonormal basis of the null space in front, Qᵀ A Q = [0 X; 0 A₂], and A₂
//! is treated in the same way until it has no null space (the staircase form [Golub, Wilkinson
//! 1976]). What is left goes through Hessenberg form and Francis's double shifts
//! [Golub, Van Loan, §7.5].

use super::{Complex, Matrix, Svd, dot};

/// Eigenvalues with their right eigenvectors.
#[derive(Clone, Debug, Default)]
pub struct Eigen {
    /// Eigenvalues that are not zero, in the order of the Schur form; a conjugate pair stands
    /// together, the one with positive imaginary part first.
    pub values: Vec<Complex>,
    /// Their eigenvectors.
    pub vectors: Vec<Vec<Complex>>,
    /// Number of zero eigenvalues, each as often as it counts in the characteristic polynomial.
    pub zeros: usize,
    /// A basis of the null space; fewer columns than `zeros` when
    /// there are Jordan chains.
    pub null_space: Vec<Vec<f64>>,
}

/// The iteration for eigenvalues did not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the eigenvalues could not be computed: the matrix has entries that are not finite, or the iteration does not converge"
)]
pub struct NoConvergence;

/// Eigenvalues of a square matrix. Singular values of the scaled matrix D⁻¹ A D, D = diag(`scale`), below
/// `threshold` times its norm count as zero: scales of one kind and size are what makes this decision
/// sound. (Balancing by the entries themselves would blow up those that are rounding.)
///
/// # Errors
/// Entries that are not finite.
///
/// ```
/// use holonom_analysis::dense::{Matrix, eigen};
/// // A free mass: two zeros on one chain, found exactly.
/// let a = Matrix::from_fn(2, 2, |i, j| if (i, j) == (0, 1) { 1.0 } else { 0.0 });
/// let found = eigen(&a, &[1.0; 2], 1e-12)?;
/// assert_eq!((found.zeros, found.null_space.len()), (2, 1));
/// # Ok::<(), holonom_analysis::dense::NoConvergence>(())
/// ```
pub fn eigen(a: &Matrix, scale: &[f64], threshold: f64) -> Result<Eigen, NoConvergence> {
    if !a.is_finite() {
        return Err(NoConvergence);
    }
    let n = a.rows();
    let mut t = Matrix::from_fn(n, n, |i, j| a[(i, j)] * scale[j] / scale[i]);
    let mut q = Matrix::identity(n);
    let (zeros, chains) = staircase(&mut t, &mut q, threshold);
    hessenberg(&mut t, &mut q, zeros);
    let blocks = schur(&mut t, &mut q, zeros)?;
    let mut found = Eigen {
        zeros,
        ..Eigen::default()
    };
    for k in 0..chains {
        let mut x: Vec<f64> = (0..n).map(|i| q[(i, k)] * scale[i]).collect();
        let length = dot(&x, &x).sqrt();
        x.iter_mut().for_each(|x| *x /= length);
        found.null_space.push(x);
    }
    for (start, size) in blocks {
        for value in block_values(&t, start, size) {
            let y = schur_vector(&t, start, size, value);
            let mut x = vec![Complex::ZERO; n];
            for (k, &y) in y.iter().enumerate() {
                for i in 0..n {
                    x[i] += y.scale(q[(i, k)] * scale[i]);
                }
            }
            let length = x.iter().map(|x| x.re * x.re + x.im * x.im).sum::<f64>().sqrt();
            x.iter_mut().for_each(|x| *x = x.scale(1.0 / length));
            found.values.push(value);
            found.vectors.push(x);
        }
    }
    Ok(found)
}

/// The number of zero eigenvalues, and a basis of the null space: singular values below `threshold` times the norm
/// count as zero.
pub fn zero_eigenvalues(a: &Matrix, threshold: f64) -> (usize, Vec<Vec<f64>>) {
    let mut q = Matrix::identity(a.rows());
    let (zeros, chains) = staircase(&mut a.clone(), &mut q, threshold);
    (zeros, (0..chains).map(|k| q.column(k).to_vec()).collect())
}

/// Moves zero eigenvalues to the front; gives their number and that of their eigenvectors.
fn staircase(a: &mut Matrix, q: &mut Matrix, threshold: f64) -> (usize, usize) {
    let n = a.rows();
    let floor = threshold * a.norm();
    let (mut zeros, mut chains) = (0, 0);
    while zeros < n {
        let rest: Vec<usize> = (zeros..n).collect();
        let svd = Svd::new(&a.part(&rest, &rest));
        let null = rest.len() - svd.rank(floor);
        if null == 0 {
            break;
        }
        // The basis with the null space in front; a turn of the remaining coordinates.
        let m = rest.len();
        let turn = Matrix::from_fn(m, m, |i, j| {
            svd.right[(i, if j < null { m - null + j } else { j - null })]
        });
        let all: Vec<usize> = (0..n).collect();
        let columns = a.part(&all, &rest).times(&turn);
        a.put(0, zeros, &columns);
        let rows = turn.transpose().times(&a.part(&rest, &all));
        a.put(zeros, 0, &rows);
        let columns = q.part(&all, &rest).times(&turn);
        q.put(0, zeros, &columns);
        for j in zeros..zeros + null {
            a.column_mut(j)[zeros..].fill(0.0);
        }
        if zeros == 0 {
            chains = null;
        }
        zeros += null;
    }
    (zeros, chains)
}

/// Applies the reflection I − β w wᵀ, w in rows or columns `first..`, from both sides and to q.
fn reflect(a: &mut Matrix, q: &mut Matrix, first: usize, w: &[f64], beta: f64) {
    let n = a.rows();
    for j in 0..n {
        let s = beta * dot(&a.column(j)[first..first + w.len()], w);
        for (x, w) in a.column_mut(j)[first..].iter_mut().zip(w) {
            *x -= s * w;
        }
    }
    for m in [a, q] {
        for i in 0..n {
            let s: f64 = beta
                * w.iter()
                    .enumerate()
                    .map(|(k, w)| m[(i, first + k)] * w)
                    .sum::<f64>();
            for (k, w) in w.iter().enumerate() {
                m[(i, first + k)] -= s * w;
            }
        }
    }
}

/// w and β of the reflection that turns x into a multiple of the first unit vector.
fn householder(x: &[f64]) -> Option<(Vec<f64>, f64)> {
    let rest = dot(&x[1..], &x[1..]);
    if rest == 0.0 {
        return None;
    }
    let length = (x[0] * x[0] + rest).sqrt();
    let mut w = x.to_vec();
    w[0] += if x[0] < 0.0 { -length } else { length };
    let beta = 2.0 / dot(&w, &w);
    Some((w, beta))
}

fn hessenberg(a: &mut Matrix, q: &mut Matrix, first: usize) {
    let n = a.rows();
    for k in first..n.saturating_sub(2) {
        if let Some((w, beta)) = householder(&a.column(k)[k + 1..]) {
            reflect(a, q, k + 1, &w, beta);
            a.column_mut(k)[k + 2..].fill(0.0);
        }
    }
}

/// Francis's iteration on the part from `first`; gives the diagonal blocks, the uppermost first.
fn schur(a: &mut Matrix, q: &mut Matrix, first: usize) -> Result<Vec<(usize, usize)>, NoConvergence> {
    let n = a.rows();
    let norm = a.norm();
    let mut blocks = Vec::new();
    let mut end = n;
    let mut iterations = 0;
    while end > first {
        let last = end - 1;
        let mut start = last;
        while start > first {
            let mut size = a[(start - 1, start - 1)].abs() + a[(start, start)].abs();
            if size == 0.0 {
                size = norm;
            }
            if a[(start, start - 1)].abs() <= f64::EPSILON * size {
                a[(start, start - 1)] = 0.0;
                break;
            }
            start -= 1;
        }
        if start + 1 >= last {
            blocks.push((start, end - start));
            end = start;
            iterations = 0;
            continue;
        }
        iterations += 1;
        if iterations > 300 {
            return Err(NoConvergence);
        }
        // The two shifts as those of a block (x, ·; ·, y) with w the product of the others; now and then
        // others, against cycles.
        let (x, y, w) = if iterations % 12 == 0 {
            let w = a[(last, last - 1)].abs() + a[(last - 1, last - 2)].abs();
            (0.75 * w, 0.75 * w, -0.4375 * w * w)
        } else {
            let w = a[(last - 1, last)] * a[(last, last - 1)];
            (a[(last - 1, last - 1)], a[(last, last)], w)
        };
        // The first column of the polynomial, by its subdiagonal entry: differences of diagonal entries come
        // first, since eigenvalues that are almost equal leave nothing of their products.
        let (h00, h10) = (a[(start, start)], a[(start + 1, start)]);
        let (x, y) = (x - h00, y - h00);
        let mut x = [
            (x * y - w) / h10 + a[(start, start + 1)],
            a[(start + 1, start + 1)] - h00 - x - y,
            a[(start + 2, start + 1)],
        ];
        for k in start..last {
            let size = 3.min(end - k);
            if let Some((w, beta)) = householder(&x[..size]) {
                reflect(a, q, k, &w, beta);
            }
            if k > start {
                a.column_mut(k - 1)[k + 1..k + size].fill(0.0);
            }
            for i in 0..3 {
                x[i] = if k + 1 + i < end { a[(k + 1 + i, k)] } else { 0.0 };
            }
        }
    }
    blocks.reverse();
    Ok(blocks)
}

fn block_values(t: &Matrix, i: usize, size: usize) -> Vec<Complex> {
    if size == 1 {
        return vec![Complex::real(t[(i, i)])];
    }
    let (a, b, c, d) = (t[(i, i)], t[(i, i + 1)], t[(i + 1, i)], t[(i + 1, i + 1)]);
    let (mean, half) = (0.5 * (a + d), 0.5 * (a - d));
    let square = half * half + b * c;
    if square < 0.0 {
        let w = (-square).sqrt();
        vec![Complex::new(mean, w), Complex::new(mean, -w)]
    } else {
        // The larger one without cancellation; the other from the product.
        let large = mean + if mean < 0.0 { -square.sqrt() } else { square.sqrt() };
        let small = if large == 0.0 {
            0.0
        } else {
            (a * d - b * c) / large
        };
        vec![Complex::real(large), Complex::real(small)]
    }
}

/// The eigenvector of the Schur form that belongs to an eigenvalue of the block at `start`.
fn schur_vector(t: &Matrix, start: usize, size: usize, value: Complex) -> Vec<Complex> {
    let mut y = vec![Complex::ZERO; start + size];
    if size == 1 {
        y[start] = Complex::real(1.0);
    } else {
        let (a, b, c, d) = (
            t[(start, start)],
            t[(start, start + 1)],
            t[(start + 1, start)],
            t[(start + 1, start + 1)],
        );
        let one = [Complex::real(b), value - Complex::real(a)];
        let other = [value - Complex::real(d), Complex::real(c)];
        let size = |x: &[Complex; 2]| x[0].abs() + x[1].abs();
        let best = if size(&one) >= size(&other) { one } else { other };
        y[start..].copy_from_slice(&best);
    }
    // (T₁₁ − λ) y₁ = −T₁₂ y₂, from below, block by block.
    let mut right: Vec<Complex> = (0..start)
        .map(|i| -(start..start + size).fold(Complex::ZERO, |s, j| s + y[j].scale(t[(i, j)])))
        .collect();
    let floor = f64::EPSILON * t.norm().max(f64::MIN_POSITIVE);
    let safe = |x: Complex| if x.abs() < floor { Complex::real(floor) } else { x };
    let mut i = start;
    while i > 0 {
        i -= 1;
        let paired = i > 0 && t[(i, i - 1)] != 0.0;
        if paired {
            i -= 1;
            let (a, b) = (Complex::real(t[(i, i)]) - value, Complex::real(t[(i, i + 1)]));
            let (c, d) = (
                Complex::real(t[(i + 1, i)]),
                Complex::real(t[(i + 1, i + 1)]) - value,
            );
            let determinant = safe_product(a * d - b * c, floor);
            let (r, s) = (right[i], right[i + 1]);
            y[i] = (d * r - b * s) / determinant;
            y[i + 1] = (a * s - c * r) / determinant;
            for k in 0..i {
                let change = y[i].scale(t[(k, i)]) + y[i + 1].scale(t[(k, i + 1)]);
                right[k] -= change;
            }
        } else {
            y[i] = right[i] / safe(Complex::real(t[(i, i)]) - value);
            for k in 0..i {
                let change = y[i].scale(t[(k, i)]);
                right[k] -= change;
            }
        }
    }
    y
}

fn safe_product(x: Complex, floor: f64) -> Complex {
    if x.abs() < floor * floor {
        Complex::real(floor * floor)
    } else {
        x
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn sorted(mut values: Vec<Complex>) -> Vec<Complex> {
        values.sort_by(|a, b| a.re.total_cmp(&b.re).then(a.im.total_cmp(&b.im)));
        values
    }

    fn random(n: usize, seed: u64) -> Matrix {
        let mut state = seed;
        Matrix::from_fn(n, n, |_, _| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) as f64 / f64::from(1u32 << 30) - 1.0
        })
    }

    /// |A x − λ x| of all pairs.
    fn defect(a: &Matrix, found: &Eigen) -> f64 {
        let n = a.rows();
        let mut worst: f64 = 0.0;
        for (value, x) in found.values.iter().zip(&found.vectors) {
            for i in 0..n {
                let ax = (0..n).fold(Complex::ZERO, |s, j| s + x[j].scale(a[(i, j)]));
                worst = worst.max((ax - *value * x[i]).abs());
            }
        }
        worst
    }

    #[test]
    fn companion_matrices_have_the_roots_of_their_polynomials() {
        // (x − 1)(x − 2)(x + 3)(x² + 2x + 5)
        let coefficients = [30.0, -23.0, -8.0, -2.0, 2.0];
        let n = coefficients.len();
        let a = Matrix::from_fn(n, n, |i, j| {
            if j == n - 1 {
                -coefficients[i]
            } else {
                f64::from(u8::from(i == j + 1))
            }
        });
        let found = eigen(&a, &[1.0; 5], 1e-12).unwrap();
        assert_eq!(found.zeros, 0);
        let exact = [(-3.0, 0.0), (-1.0, -2.0), (-1.0, 2.0), (1.0, 0.0), (2.0, 0.0)];
        for (x, (re, im)) in sorted(found.values.clone()).iter().zip(exact) {
            assert!((*x - Complex::new(re, im)).abs() < 1e-12, "{x:?}");
        }
        assert!(defect(&a, &found) < 1e-12);
    }

    #[test]
    fn vectors_of_random_matrices() {
        for n in [1, 2, 3, 5, 8, 20, 40] {
            for seed in 0..5 {
                let a = random(n, 7 * seed + n as u64);
                let found = eigen(&a, &vec![1.0; n], 1e-13).unwrap();
                assert_eq!(found.values.len(), n);
                let trace: f64 = (0..n).map(|i| a[(i, i)]).sum();
                let sum: f64 = found.values.iter().map(|x| x.re).sum();
                assert!((trace - sum).abs() < 1e-12 * (n as f64), "{n} {seed}");
                assert!(defect(&a, &found) < 1e-11, "{n} {seed} {:e}", defect(&a, &found));
            }
        }
    }

    #[test]
    fn badly_scaled_chains_with_zeros() {
        // Two chains of two zeros, one single zero, and ±1000 i, mixed and badly scaled.
        let mut j = Matrix::zeros(7, 7);
        (j[(0, 1)], j[(2, 3)], j[(5, 6)], j[(6, 5)]) = (1.0, 1.0, 1e3, -1e3);
        let s = Matrix::from_fn(7, 7, |i, k| {
            let x = random(7, 5);
            x[(i, k)] + 3.0 * f64::from(u8::from(i == k))
        });
        let scale = [1e4, 1.0, 1e-3, 1.0, 1e2, 1.0, 1.0];
        let s = Matrix::from_fn(7, 7, |i, k| scale[i] * s[(i, k)]);
        // A = S J S⁻¹ as the solution of A S = S J.
        let lu = super::super::Lu::new(s.transpose());
        let a = lu.solve_matrix(s.times(&j).transpose()).transpose();
        let found = eigen(&a, &scale, 1e-11).unwrap();
        assert_eq!((found.zeros, found.null_space.len()), (5, 3));
        assert!((found.values[0] - Complex::new(0.0, 1000.0)).abs() < 1e-6);
    }

    #[test]
    fn what_is_not_finite_is_refused() {
        assert!(eigen(&Matrix::from_fn(1, 1, |_, _| f64::NAN), &[1.0], 1e-12).is_err());
    }

    /// Two close pairs of eigenvalues, with couplings whose squares are rounding beside theirs.
    #[test]
    fn eigenvalues_that_are_almost_equal() {
        let entries = [
            [
                -66.66676531230101,
                3.0410768783705453e-6,
                7.235408662611506e-10,
                -2.308195804794658e-9,
            ],
            [
                3.0259455473530766e-6,
                -66.66667482381021,
                2.1556214449392357e-8,
                7.776432037054354e-11,
            ],
            [
                0.0,
                1.281595924480228e-11,
                -66.66676541388061,
                -2.853111793010791e-9,
            ],
            [0.0, 0.0, -1.7194930012008776e-9, -66.66667472222977],
        ];
        let a = Matrix::from_fn(4, 4, |i, j| entries[i][j]);
        let found = eigen(&a, &[1.0; 4], 1e-13).unwrap();
        assert_eq!(found.values.len(), 4);
        for value in &found.values {
            let near = |x: f64| (value.re - x).abs() < 2e-9;
            assert!(near(-66.66676541388) || near(-66.66667472223), "{value:?}");
        }
        assert!(defect(&a, &found) < 1e-12, "{}", defect(&a, &found));
    }
}
