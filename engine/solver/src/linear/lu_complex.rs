//! P A = L U for dense complex matrices, with partial pivoting on rows equilibrated as in `lu-dense`.
//!
//! Real and imaginary parts are stored apart, so that the columns are plain vectors. Left-looking by
//! columns: a column takes up the columns of L before it, two at a time, then its pivot is chosen.

use super::scaling::{NOT_FINITE, fused, magnitude, power_of_two, zero_pivot_ratio};
use super::{Complex, Factorised, Scalar, Singular};
use serde::{Deserialize, Serialize};

/// Dense complex LU.
///
/// ```
/// use holonom_solver::linear::{Complex, LuComplex};
/// let mut lu = LuComplex::new(2);
/// lu.clear();
/// lu.add(0, 1, Complex::new(0.0, 1.0));
/// lu.add(1, 0, Complex::new(2.0, 0.0));
/// lu.factorise()?;
/// let (mut re, mut im) = ([1.0, 4.0], [0.0, 0.0]);
/// lu.solve(&mut re, &mut im);
/// assert_eq!((re, im), ([2.0, 0.0], [0.0, -1.0]));
/// # Ok::<(), holonom_solver::linear::Singular>(())
/// ```
#[derive(Clone, Debug)]
pub struct LuComplex {
    state: ComplexState,
    row_scale: Vec<f64>,
    magnitudes: Vec<i64>,
    x: Vec<f64>,
}

/// What the later results of [`LuComplex`] depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComplexState {
    n: usize,
    /// A, then L below the diagonal and U on and above it, column by column.
    re: Vec<f64>,
    im: Vec<f64>,
    reciprocal_pivots: Vec<Complex>,
    /// Row exchanged with row k in step k.
    exchanges: Vec<u32>,
    is_factorised: bool,
}

impl LuComplex {
    /// A solver for matrices of size `n`.
    pub fn new(n: usize) -> Self {
        Self {
            state: ComplexState {
                n,
                re: vec![0.0; n * n],
                im: vec![0.0; n * n],
                reciprocal_pivots: vec![Complex::default(); n],
                exchanges: vec![0; n],
                is_factorised: false,
            },
            row_scale: vec![1.0; n],
            magnitudes: vec![0; n],
            x: vec![0.0; 2 * n],
        }
    }

    /// Begins a new matrix: all entries are zero.
    pub fn clear(&mut self) {
        self.state.is_factorised = false;
        self.state.re.fill(0.0);
        self.state.im.fill(0.0);
    }

    /// Adds to entry (i, j) of the new matrix.
    #[inline(always)]
    pub fn add(&mut self, i: usize, j: usize, value: Complex) {
        let k = i + j * self.state.n;
        self.state.re[k] += value.re;
        self.state.im[k] += value.im;
    }

    /// Real and imaginary parts of column `j` of the new matrix.
    #[inline(always)]
    pub fn column_mut(&mut self, j: usize) -> (&mut [f64], &mut [f64]) {
        let n = self.state.n;
        let range = j * n..(j + 1) * n;
        (&mut self.state.re[range.clone()], &mut self.state.im[range])
    }

    /// Factorises the new matrix. After an error there is no factorisation.
    pub fn factorise(&mut self) -> Result<Factorised, Singular> {
        let ComplexState {
            n,
            re,
            im,
            reciprocal_pivots,
            exchanges,
            is_factorised,
        } = &mut self.state;
        let n = *n;
        *is_factorised = false;
        self.magnitudes.fill(0);
        for (re, im) in re.chunks_exact(n.max(1)).zip(im.chunks_exact(n.max(1))) {
            for ((m, a), b) in self.magnitudes.iter_mut().zip(re).zip(im) {
                *m = (*m).max(magnitude(*a)).max(magnitude(*b));
            }
        }
        if let Some(row) = self.magnitudes.iter().position(|m| *m >= NOT_FINITE) {
            return Err(Singular::NonFinite { row, column: row });
        }
        for (s, m) in self.row_scale.iter_mut().zip(&self.magnitudes) {
            *s = power_of_two(*m);
        }
        let zero_ratio = zero_pivot_ratio(n);
        let mut growth = 0.0_f64;
        for j in 0..n {
            let (left_re, right_re) = re.split_at_mut(j * n);
            let (left_im, right_im) = im.split_at_mut(j * n);
            let (x, y) = (&mut right_re[..n], &mut right_im[..n]);
            // Rows are exchanged as far as columns are done; their scales went along.
            for (k, &p) in exchanges[..j].iter().enumerate() {
                x.swap(k, p as usize);
                y.swap(k, p as usize);
            }
            let mut largest = 0.0_f64;
            for ((a, b), s) in x.iter().zip(y.iter()).zip(&self.row_scale) {
                largest = largest.max((a.abs() + b.abs()) * s);
            }
            let mut k = 0;
            while k + 1 < j {
                let (c0, c1) = (k * n..(k + 1) * n, (k + 1) * n..(k + 2) * n);
                let u0 = Complex::new(x[k], y[k]);
                let l = Complex::new(left_re[c0.start + k + 1], left_im[c0.start + k + 1]);
                let u1 = Complex::new(x[k + 1], y[k + 1]) - l * u0;
                (x[k + 1], y[k + 1]) = (u1.re, u1.im);
                take_two(
                    [&left_re[c0.clone()][k + 2..], &left_im[c0][k + 2..]],
                    [&left_re[c1.clone()][k + 2..], &left_im[c1][k + 2..]],
                    [u0, u1],
                    &mut x[k + 2..],
                    &mut y[k + 2..],
                );
                k += 2;
            }
            if k < j {
                let c = k * n..(k + 1) * n;
                let u = Complex::new(x[k], y[k]);
                take_one(
                    &left_re[c.clone()][k + 1..],
                    &left_im[c][k + 1..],
                    u,
                    &mut x[k + 1..],
                    &mut y[k + 1..],
                );
            }
            let mut best = (0.0_f64, j);
            for i in j..n {
                let size = (x[i].abs() + y[i].abs()) * self.row_scale[i];
                if size > best.0 {
                    best = (size, i);
                }
            }
            let (size, p) = best;
            if !(size > zero_ratio * largest && size.is_finite()) {
                // The row as the caller knows it.
                let row = original_row(&exchanges[..j], p);
                return Err(if size.is_finite() {
                    Singular::Numerical { row, column: j }
                } else {
                    Singular::NonFinite { row, column: j }
                });
            }
            growth = growth.max(size / largest);
            exchanges[j] = p as u32;
            self.row_scale.swap(j, p);
            x.swap(j, p);
            y.swap(j, p);
            if p != j {
                for c in 0..j {
                    left_re.swap(c * n + j, c * n + p);
                    left_im.swap(c * n + j, c * n + p);
                }
            }
            let r = Complex::new(x[j], y[j]).reciprocal();
            reciprocal_pivots[j] = r;
            for (a, b) in x[j + 1..].iter_mut().zip(&mut y[j + 1..]) {
                (*a, *b) = (*a * r.re - *b * r.im, *a * r.im + *b * r.re);
            }
        }
        *is_factorised = true;
        Ok(Factorised {
            repivoted: false,
            pivot_growth: growth,
        })
    }

    /// (re, im) := A⁻¹ (re, im); NaN without a factorisation.
    pub fn solve(&mut self, re: &mut [f64], im: &mut [f64]) {
        let state = &self.state;
        let n = state.n;
        assert!(re.len() == n && im.len() == n, "vectors of length {n}");
        if !state.is_factorised {
            re.fill(f64::NAN);
            im.fill(f64::NAN);
            return;
        }
        for (k, &p) in state.exchanges.iter().enumerate() {
            re.swap(k, p as usize);
            im.swap(k, p as usize);
        }
        for k in 0..n {
            let u = Complex::new(re[k], im[k]);
            let column = k * n + k + 1..(k + 1) * n;
            let (l_re, l_im) = (&state.re[column.clone()], &state.im[column]);
            take_one(l_re, l_im, u, &mut re[k + 1..], &mut im[k + 1..]);
        }
        for k in (0..n).rev() {
            let u = Complex::new(re[k], im[k]) * state.reciprocal_pivots[k];
            (re[k], im[k]) = (u.re, u.im);
            let column = k * n..k * n + k;
            let (u_re, u_im) = (&state.re[column.clone()], &state.im[column]);
            take_one(u_re, u_im, u, &mut re[..k], &mut im[..k]);
        }
    }

    /// Solves with one right-hand side in one vector of complex numbers.
    pub fn solve_complex(&mut self, b: &mut [Complex]) {
        let n = self.state.n;
        let mut x = std::mem::take(&mut self.x);
        let (re, im) = x.split_at_mut(n);
        for ((re, im), b) in re.iter_mut().zip(im.iter_mut()).zip(b.iter()) {
            (*re, *im) = (b.re, b.im);
        }
        self.solve(re, im);
        for ((re, im), b) in re.iter().zip(im.iter()).zip(b.iter_mut()) {
            *b = Complex::new(*re, *im);
        }
        self.x = x;
    }

    /// Everything the results of later calls depend on.
    pub fn checkpoint(&self) -> ComplexState {
        self.state.clone()
    }

    /// Takes over the state of a solver of the same size; any other leaves it without a factorisation.
    pub fn restore(&mut self, state: &ComplexState) {
        if state.n == self.state.n {
            self.state.clone_from(state);
        } else {
            self.state.is_factorised = false;
        }
    }
}

/// x + i y := x + i y − l u.
#[inline(always)]
fn take_one(l_re: &[f64], l_im: &[f64], u: Complex, x: &mut [f64], y: &mut [f64]) {
    let n = x.len();
    let (l_re, l_im, y) = (&l_re[..n], &l_im[..n], &mut y[..n]);
    for i in 0..n {
        x[i] = fused(-l_re[i], u.re, fused(l_im[i], u.im, x[i]));
        y[i] = fused(-l_re[i], u.im, fused(-l_im[i], u.re, y[i]));
    }
}

/// The same with two columns at once, which halves the traffic of x and y.
#[inline(always)]
fn take_two(l0: [&[f64]; 2], l1: [&[f64]; 2], u: [Complex; 2], x: &mut [f64], y: &mut [f64]) {
    let n = x.len();
    let [a, b] = l0.map(|l| &l[..n]);
    let [c, d] = l1.map(|l| &l[..n]);
    let y = &mut y[..n];
    let [u, v] = u;
    for i in 0..n {
        let first = fused(-a[i], u.re, fused(b[i], u.im, x[i]));
        x[i] = fused(-c[i], v.re, fused(d[i], v.im, first));
        let second = fused(-a[i], u.im, fused(-b[i], u.re, y[i]));
        y[i] = fused(-c[i], v.im, fused(-d[i], v.re, second));
    }
}

/// The row of the caller's matrix that is at place `i` after these exchanges.
#[cold]
fn original_row(exchanges: &[u32], i: usize) -> usize {
    let mut place = i;
    for (k, &p) in exchanges.iter().enumerate().rev() {
        if place == k {
            place = p as usize;
        } else if place == p as usize {
            place = k;
        }
    }
    place
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A generator of numbers in (−1, 1).
    fn numbers(mut seed: u64) -> impl FnMut() -> f64 {
        move || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    #[test]
    fn solves_random_systems_with_badly_scaled_rows() {
        let mut next = numbers(7);
        for n in [1, 2, 3, 5, 8, 17, 40] {
            let mut lu = LuComplex::new(n);
            lu.clear();
            let mut a = vec![Complex::default(); n * n];
            for i in 0..n {
                let scale = 10f64.powi((i % 7) as i32 * 3 - 9);
                for j in 0..n {
                    a[i + j * n] = Complex::new(next(), next()).times(scale);
                    lu.add(i, j, a[i + j * n]);
                }
            }
            lu.factorise().unwrap();
            let x: Vec<Complex> = (0..n).map(|_| Complex::new(next(), next())).collect();
            let mut b = vec![Complex::default(); n];
            for j in 0..n {
                for i in 0..n {
                    b[i] += a[i + j * n] * x[j];
                }
            }
            lu.solve_complex(&mut b);
            for (b, x) in b.iter().zip(&x) {
                assert!((*b - *x).size() < 1e-11, "size {n}: {b:?} for {x:?}");
            }
        }
    }

    #[test]
    fn names_the_column_of_a_singularity() {
        let mut lu = LuComplex::new(3);
        lu.clear();
        for i in 0..3 {
            lu.add(i, 0, Complex::new(1.0 + i as f64, 1.0));
            lu.add(i, 1, Complex::new(2.0, -1.0 - i as f64));
            lu.add(i, 2, Complex::new(3.0 + i as f64, -(i as f64)));
        }
        assert!(matches!(
            lu.factorise(),
            Err(Singular::Numerical { column: 2, .. })
        ));
        let (mut re, mut im) = ([1.0; 3], [0.0; 3]);
        lu.solve(&mut re, &mut im);
        assert!(re[0].is_nan());
        lu.clear();
        lu.add(1, 0, Complex::new(f64::NAN, 0.0));
        assert!(matches!(lu.factorise(), Err(Singular::NonFinite { row: 1, .. })));
    }
}
