//! Schur form of small complex matrices: A = Q T Qᴴ with T triangular, in an order of one's choice
//! [Golub, Van Loan, §7.5–7.6].

use super::{Complex, NoConvergence};

/// A square complex matrix, column by column.
#[derive(Clone, Debug, Default)]
pub struct ComplexMatrix {
    n: usize,
    data: Vec<Complex>,
}

impl ComplexMatrix {
    /// Zeros.
    pub fn zeros(n: usize) -> Self {
        let data = vec![Complex::ZERO; n * n];
        Self { n, data }
    }

    /// The identity.
    pub fn identity(n: usize) -> Self {
        let mut one = Self::zeros(n);
        (0..n).for_each(|i| one.set(i, i, Complex::real(1.0)));
        one
    }

    /// Number of rows and of columns.
    pub fn size(&self) -> usize {
        self.n
    }

    /// One entry.
    pub fn get(&self, i: usize, j: usize) -> Complex {
        self.data[j * self.n + i]
    }

    /// Sets an entry.
    pub fn set(&mut self, i: usize, j: usize, x: Complex) {
        self.data[j * self.n + i] = x;
    }

    /// One column.
    pub fn column(&self, j: usize) -> &[Complex] {
        &self.data[j * self.n..(j + 1) * self.n]
    }

    /// Rows i and i + 1 := G of both, in columns from `first`; G = (c, s; −s̄, c).
    fn turn_rows(&mut self, i: usize, first: usize, c: f64, s: Complex) {
        for j in first..self.n {
            let (x, y) = (self.get(i, j), self.get(i + 1, j));
            self.set(i, j, x.scale(c) + s * y);
            self.set(i + 1, j, y.scale(c) - s.conjugate() * x);
        }
    }

    /// Columns j and j + 1 := both times Gᴴ, in rows up to `last`.
    fn turn_columns(&mut self, j: usize, last: usize, c: f64, s: Complex) {
        for i in 0..last {
            let (x, y) = (self.get(i, j), self.get(i, j + 1));
            self.set(i, j, x.scale(c) + s.conjugate() * y);
            self.set(i, j + 1, y.scale(c) - s * x);
        }
    }
}

/// c and s with (c, s; −s̄, c)(f, g) = (r, 0).
fn rotation(f: Complex, g: Complex) -> (f64, Complex) {
    let (size_f, size_g) = (f.abs(), g.abs());
    if size_g == 0.0 {
        (1.0, Complex::ZERO)
    } else if size_f == 0.0 {
        (0.0, g.conjugate().scale(1.0 / size_g))
    } else {
        let r = size_f.hypot(size_g);
        (size_f / r, (f * g.conjugate()).scale(1.0 / (size_f * r)))
    }
}

/// T and Q.
///
/// # Errors
/// Entries that are not finite.
pub fn complex_schur(mut a: ComplexMatrix) -> Result<(ComplexMatrix, ComplexMatrix), NoConvergence> {
    let n = a.n;
    if a.data.iter().any(|x| !(x.re.is_finite() && x.im.is_finite())) {
        return Err(NoConvergence);
    }
    let mut q = ComplexMatrix::identity(n);
    // Hessenberg form, entry by entry from below.
    for j in 0..n.saturating_sub(2) {
        for i in (j + 1..n - 1).rev() {
            let (c, s) = rotation(a.get(i, j), a.get(i + 1, j));
            a.turn_rows(i, j, c, s);
            a.set(i + 1, j, Complex::ZERO);
            a.turn_columns(i, n, c, s);
            q.turn_columns(i, n, c, s);
        }
    }
    let size = a.data.iter().map(|x| x.abs()).fold(0.0, f64::max);
    let mut end = n;
    let mut rounds = 0;
    while end > 1 {
        let last = end - 1;
        let mut first = last;
        while first > 0 {
            let beside = a.get(first - 1, first - 1).abs() + a.get(first, first).abs();
            let beside = if beside == 0.0 { size } else { beside };
            if a.get(first, first - 1).abs() <= f64::EPSILON * beside {
                a.set(first, first - 1, Complex::ZERO);
                break;
            }
            first -= 1;
        }
        if first == last {
            end -= 1;
            rounds = 0;
            continue;
        }
        rounds += 1;
        if rounds > 300 {
            return Err(NoConvergence);
        }
        // Wilkinson's shift; now and then another one, against cycles.
        let (p, b) = (a.get(last - 1, last - 1), a.get(last - 1, last));
        let (c, d) = (a.get(last, last - 1), a.get(last, last));
        let shift = if rounds % 15 == 0 {
            d + Complex::real(c.abs())
        } else {
            let half = (p - d).scale(0.5);
            let root = square_root(half * half + b * c);
            let far = match (half + root).abs() >= (half - root).abs() {
                true => half + root,
                false => half - root,
            };
            if far.abs() > 0.0 { d - b * c / far } else { d }
        };
        for k in first..end {
            let x = a.get(k, k);
            a.set(k, k, x - shift);
        }
        let mut turns = Vec::with_capacity(end - first);
        for k in first..last {
            let (c, s) = rotation(a.get(k, k), a.get(k + 1, k));
            a.turn_rows(k, k, c, s);
            a.set(k + 1, k, Complex::ZERO);
            turns.push((c, s));
        }
        for (k, (c, s)) in (first..last).zip(turns) {
            a.turn_columns(k, k + 2, c, s);
            q.turn_columns(k, n, c, s);
        }
        for k in first..end {
            let x = a.get(k, k);
            a.set(k, k, x + shift);
        }
    }
    Ok((a, q))
}

fn square_root(z: Complex) -> Complex {
    let size = z.abs();
    if size == 0.0 {
        return Complex::ZERO;
    }
    let re = (0.5 * (size + z.re.abs())).sqrt();
    let im = 0.5 * z.im / re;
    match z.re >= 0.0 {
        true => Complex::new(re, im),
        false => Complex::new(im.abs(), re.copysign(z.im)),
    }
}

/// Puts the eigenvalues of a Schur form into an order: `before(a, b)` tells whether a has to stand before b.
pub fn reorder(t: &mut ComplexMatrix, q: &mut ComplexMatrix, before: impl Fn(Complex, Complex) -> bool) {
    let n = t.n;
    // Insertion by exchanges of neighbours.
    for end in 1..n {
        let mut k = end;
        while k > 0 && before(t.get(k, k), t.get(k - 1, k - 1)) {
            exchange(t, q, k - 1);
            k -= 1;
        }
    }
}

fn exchange(t: &mut ComplexMatrix, q: &mut ComplexMatrix, k: usize) {
    let n = t.n;
    let (a, b) = (t.get(k, k), t.get(k + 1, k + 1));
    let (c, s) = rotation(t.get(k, k + 1), b - a);
    t.turn_rows(k, k, c, s);
    t.turn_columns(k, k + 2, c, s);
    q.turn_columns(k, n, c, s);
    t.set(k, k, b);
    t.set(k + 1, k + 1, a);
    t.set(k + 1, k, Complex::ZERO);
}

/// Eigenvector k of a triangular matrix, its entry k one.
pub fn triangular_vector(t: impl Fn(usize, usize) -> Complex, k: usize, size: f64) -> Vec<Complex> {
    let mut y = vec![Complex::ZERO; k + 1];
    y[k] = Complex::real(1.0);
    let floor = f64::EPSILON * size;
    for i in (0..k).rev() {
        let sum = (i + 1..=k).fold(Complex::ZERO, |s, j| s + t(i, j) * y[j]);
        let divisor = t(i, i) - t(k, k);
        let divisor = if divisor.abs() < floor {
            Complex::real(floor)
        } else {
            divisor
        };
        y[i] = -sum / divisor;
    }
    y
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn random_matrices_in_schur_form_and_in_order() {
        for n in [1, 2, 3, 8, 30] {
            let mut seed = 3 + n as u64;
            let mut next = || {
                seed = seed
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                (seed >> 33) as f64 / f64::from(1u32 << 30) - 1.0
            };
            let mut a = ComplexMatrix::zeros(n);
            for i in 0..n {
                for j in 0..n {
                    a.set(i, j, Complex::new(next(), next()));
                }
            }
            let (mut t, mut q) = complex_schur(a.clone()).unwrap();
            for round in 0..2 {
                for i in 0..n {
                    for j in 0..n {
                        // A Q = Q T, Qᴴ Q = I.
                        let left = (0..n).fold(Complex::ZERO, |s, k| s + a.get(i, k) * q.get(k, j));
                        let right = (0..n).fold(Complex::ZERO, |s, k| s + q.get(i, k) * t.get(k, j));
                        assert!((left - right).abs() < 1e-12, "{n} {round}");
                        let one =
                            (0..n).fold(Complex::ZERO, |s, k| s + q.get(k, i).conjugate() * q.get(k, j));
                        assert!((one - Complex::real(f64::from(u8::from(i == j)))).abs() < 1e-13);
                        assert!(i <= j || t.get(i, j).abs() < 1e-13);
                    }
                }
                if round == 0 {
                    reorder(&mut t, &mut q, |a, b| a.abs() > b.abs());
                    assert!((1..n).all(|k| t.get(k, k).abs() <= t.get(k - 1, k - 1).abs()));
                }
            }
            for k in 0..n {
                let y = triangular_vector(|i, j| t.get(i, j), k, 1.0);
                for i in 0..n {
                    let ty = (0..=k).fold(Complex::ZERO, |s, j| s + t.get(i, j) * y[j]);
                    let own = y.get(i).map_or(Complex::ZERO, |y| t.get(k, k) * *y);
                    assert!((ty - own).abs() < 1e-10 * y.iter().map(|y| y.abs()).fold(1.0, f64::max));
                }
            }
        }
    }
}
