//! Restarted GMRES with an old LU as preconditioner [Saad, Schultz 1986].
//!
//! A factorisation is kept over many matrices: each solve with a later matrix A iterates in the Krylov space of M⁻¹A, where M
//! is the matrix that was factorised. While A is close to M a few iterations do, each of them a product and a solve. When
//! solves take too many of them, the next matrix is factorised; a solve that does not get there factorises at once.

use super::tuning::{ACCURATE, NOTHING};
use super::{Entry, Factorised, Factors, LinearSolver, Matrix, Singular, Solved, Stalled, direct};
use crate::refresh::Phase;
use crate::settings::SettingKind::Count;
use crate::settings::{OwnOptions, Setting, check, settings_of};
use crate::state::State;

/// Name in options and reports.
pub(super) const NAME: &str = "gmres";

/// In the registry.
pub(super) const ENTRY: Entry = Entry {
    name: NAME,
    description: "restarted GMRES; an old LU factorisation is the preconditioner for as long as few iterations suffice",
    literature: "Saad, Schultz 1986",
    sparse: true,
    needs_pattern: false,
    complex: false,
    options: Some(|| Box::new(GmresOptions::default())),
    build: |n, pattern, own| Box::new(Gmres::new(n, pattern.is_some(), own.of())),
};

/// Options of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GmresOptions {
    /// Dimension of the Krylov space, after which the iteration restarts.
    pub restart: u32,
    /// Restarts at most.
    pub restarts: u32,
    /// Iterations of a solve from which on the next matrix is factorised.
    pub renewal: u32,
}

impl Default for GmresOptions {
    fn default() -> Self {
        Self {
            restart: 20,
            restarts: 2,
            renewal: 8,
        }
    }
}

impl OwnOptions for GmresOptions {
    const SETTINGS: &'static [Setting<Self>] = settings_of!(Self:
        "gmres_restart" = restart: Count, "Iterations of `gmres` between restarts.", check check::at_least_one;
        "gmres_renewal" = renewal: Count, "Iterations of a solve with `gmres` from which on the next matrix is factorised.", check check::at_least_one;
    );
}

/// Phases in which the preconditioner is kept, or renewed with every matrix, whatever the iterations say.
const KEEPS: Phase = Phase(1);
const RENEWS: Phase = Phase(2);

/// A matrix that was not factorised.
const KEPT: Factorised = Factorised {
    repivoted: false,
    pivot_growth: 1.0,
};

/// The solver.
pub struct Gmres {
    options: GmresOptions,
    preconditioner: Box<dyn LinearSolver>,
    a: Matrix,
    memory: Memory,
    phase: Phase,
    /// Orthonormal vectors, one after the other.
    basis: Vec<f64>,
    /// Columns of the Hessenberg matrix, made triangular by rotations.
    hessenberg: Vec<f64>,
    rotations: Vec<(f64, f64)>,
    /// Right-hand side of the small problem, then its solution.
    g: Vec<f64>,
    b: Vec<f64>,
    x: Vec<f64>,
    work: Vec<f64>,
}

/// What later calls depend on, besides the matrix and the preconditioner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Memory {
    /// There is a preconditioner.
    has_preconditioner: bool,
    /// It is that of the matrix at hand.
    fits: bool,
    /// Most iterations of a solve since it was made.
    iterations: u32,
}

impl Gmres {
    /// For matrices of size `n`, stored in a pattern or densely.
    pub fn new(n: usize, sparse: bool, options: GmresOptions) -> Self {
        let m = options.restart as usize;
        Self {
            preconditioner: direct(n, sparse),
            a: Matrix::dense(0),
            memory: Memory::default(),
            phase: Phase::default(),
            basis: vec![0.0; (m + 1) * n],
            hessenberg: vec![0.0; (m + 1) * m],
            rotations: vec![(0.0, 0.0); m],
            g: vec![0.0; m + 1],
            b: vec![0.0; n],
            x: vec![0.0; n],
            work: vec![0.0; n],
            options,
        }
    }

    fn renew(&mut self) -> Result<Factorised, Singular> {
        self.memory = Memory::default();
        let done = self.preconditioner.factorise(&self.a)?;
        (self.memory.has_preconditioner, self.memory.fits) = (true, true);
        Ok(done)
    }

    /// x := A⁻¹ b from x = 0.
    fn iterate(&mut self, tolerance: f64) -> Result<Solved, Stalled> {
        let (n, m) = (self.b.len(), self.options.restart as usize);
        self.x.fill(0.0);
        let (mut first, mut left, mut iterations) = (0.0, 1.0, 0);
        for _ in 0..=self.options.restarts {
            // What is left, seen through the preconditioner.
            let start = &mut self.basis[..n];
            self.a.mul_vec(&self.x, start);
            for (r, b) in start.iter_mut().zip(&self.b) {
                *r = b - *r;
            }
            self.preconditioner.solve(start);
            let size = norm(start);
            if first == 0.0 {
                first = size;
            }
            left = if first > 0.0 { size / first } else { 0.0 };
            if left <= tolerance || !size.is_finite() {
                break;
            }
            start.iter_mut().for_each(|r| *r /= size);
            self.g.fill(0.0);
            self.g[0] = size;
            let mut used = 0;
            while used < m {
                self.extend(used);
                used += 1;
                iterations += 1;
                left = self.g[used].abs() / first;
                let exhausted = self.hessenberg[(used - 1) * (m + 1) + used] == 0.0;
                if left <= tolerance || exhausted || left.is_nan() {
                    break;
                }
            }
            self.add_solution(used);
            if left <= tolerance {
                break;
            }
        }
        match left <= tolerance {
            true => Ok(Solved {
                iterations,
                rate: left
                    .max(f64::MIN_POSITIVE)
                    .powf(1.0 / f64::from(iterations.max(1))),
            }),
            false => Err(Stalled { iterations, left }),
        }
    }

    /// Adds vector `k` + 1 to the basis: M⁻¹A times the last one, orthogonal to all others.
    fn extend(&mut self, k: usize) {
        let (n, m) = (self.b.len(), self.options.restart as usize);
        let (known, rest) = self.basis.split_at_mut((k + 1) * n);
        let next = &mut rest[..n];
        self.a.mul_vec(&known[k * n..], next);
        self.preconditioner.solve(next);
        let column = &mut self.hessenberg[k * (m + 1)..(k + 1) * (m + 1)];
        column.fill(0.0);
        let size = norm(next);
        // Twice is enough.
        for _ in 0..2 {
            for (h, v) in column.iter_mut().zip(known.chunks_exact(n)) {
                let part: f64 = v.iter().zip(&*next).map(|(v, w)| v * w).sum();
                *h += part;
                for (w, v) in next.iter_mut().zip(v) {
                    *w -= part * v;
                }
            }
        }
        let length = norm(next);
        let beyond = length > NOTHING * size;
        column[k + 1] = if beyond { length } else { 0.0 };
        if beyond {
            next.iter_mut().for_each(|w| *w /= length);
        }
        // The rotations so far, then one that makes the column triangular. The subdiagonal entry is kept to show that the
        // space is exhausted.
        for (i, &(c, s)) in self.rotations[..k].iter().enumerate() {
            let (a, b) = (column[i], column[i + 1]);
            (column[i], column[i + 1]) = (c * a + s * b, c * b - s * a);
        }
        let radius = column[k].hypot(column[k + 1]);
        let (c, s) = match radius > 0.0 {
            true => (column[k] / radius, column[k + 1] / radius),
            false => (1.0, 0.0),
        };
        self.rotations[k] = (c, s);
        column[k] = radius;
        self.g[k + 1] = -s * self.g[k];
        self.g[k] *= c;
    }

    /// x := x + the best of the basis.
    fn add_solution(&mut self, used: usize) {
        let (n, m) = (self.b.len(), self.options.restart as usize);
        for i in (0..used).rev() {
            let mut sum = self.g[i];
            for j in i + 1..used {
                sum -= self.hessenberg[j * (m + 1) + i] * self.g[j];
            }
            self.g[i] = sum / self.hessenberg[i * (m + 1) + i];
        }
        for (y, v) in self.g[..used].iter().zip(self.basis.chunks_exact(n)) {
            for (x, v) in self.x.iter_mut().zip(v) {
                *x += y * v;
            }
        }
    }
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

impl LinearSolver for Gmres {
    fn name(&self) -> &'static str {
        NAME
    }

    fn factorise(&mut self, a: &Matrix) -> Result<Factorised, Singular> {
        let same = self.a.n() == a.n()
            && self.a.values().len() == a.values().len()
            && self.a.pattern() == a.pattern();
        if same && self.memory.fits && self.a.values() == a.values() {
            return Ok(KEPT);
        }
        if same {
            self.a.values_mut().copy_from_slice(a.values());
        } else {
            self.a = a.clone();
        }
        let worn = match self.phase {
            KEEPS => false,
            RENEWS => true,
            _ => self.memory.iterations >= self.options.renewal,
        };
        // What is not finite is named there.
        if !same || worn || !self.memory.has_preconditioner || a.first_non_finite().is_some() {
            return self.renew();
        }
        self.memory.fits = false;
        Ok(KEPT)
    }

    fn solve(&mut self, b: &mut [f64]) {
        // What is left is rounding.
        let _ = self.solve_to(b, ACCURATE);
    }

    fn solve_to(&mut self, b: &mut [f64], tolerance: f64) -> Result<Solved, Stalled> {
        if self.memory.fits || !self.memory.has_preconditioner {
            self.preconditioner.solve(b);
            return Ok(Solved::DIRECTLY);
        }
        self.b.copy_from_slice(b);
        let done = self.iterate(tolerance);
        let iterations = match done {
            Ok(solved) => solved.iterations,
            Err(stalled) => stalled.iterations,
        };
        self.memory.iterations = self.memory.iterations.max(iterations);
        if done.is_err() && self.phase != KEEPS && self.renew().is_ok() {
            self.preconditioner.solve(b);
            return Ok(Solved {
                iterations,
                rate: 0.0,
            });
        }
        b.copy_from_slice(&self.x);
        done
    }

    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
    }

    fn solve_transposed(&mut self, b: &mut [f64]) {
        if !self.memory.fits && self.memory.has_preconditioner && self.renew().is_err() {
            b.fill(f64::NAN);
            return;
        }
        self.preconditioner.solve_transposed(b);
    }

    fn solve_refined(&mut self, a: &Matrix, b: &mut [f64]) {
        if self.memory.fits || !self.memory.has_preconditioner {
            return self.preconditioner.solve_refined(a, b);
        }
        self.work.copy_from_slice(b);
        self.solve(b);
        let mut residual = std::mem::take(&mut self.work);
        a.mul_vec_add(-1.0, b, &mut residual);
        self.solve(&mut residual);
        for (x, d) in b.iter_mut().zip(&residual) {
            *x += d;
        }
        self.work = residual;
    }

    fn reciprocal_condition(&mut self, norm_1_of_a: f64) -> f64 {
        if !self.memory.fits && self.memory.has_preconditioner && self.renew().is_err() {
            return 0.0;
        }
        self.preconditioner.reciprocal_condition(norm_1_of_a)
    }

    fn factors(&self) -> Option<Factors<'_>> {
        self.preconditioner.factors().filter(|_| self.memory.fits)
    }

    fn checkpoint(&self) -> State {
        State::new(
            NAME,
            (self.a.clone(), self.preconditioner.checkpoint(), self.memory),
        )
    }

    fn restore(&mut self, state: &State) {
        let kept = state.get::<(Matrix, State, Memory)>(NAME);
        let fits = |a: &Matrix| a.n() == self.b.len() || a.n() == 0;
        match kept.filter(|(a, ..)| fits(a)) {
            Some((a, preconditioner, memory)) => {
                self.preconditioner.restore(&preconditioner);
                (self.a, self.memory) = (a, memory);
            }
            None => {
                self.preconditioner.restore(&State::new(NAME, ()));
                self.memory = Memory::default();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix with `k` on the diagonal, which is far from symmetric.
    fn matrix(n: usize, k: f64) -> Matrix {
        let mut a = Matrix::dense(n);
        for j in 0..n {
            for i in 0..n {
                let value = ((7 * i + 3 * j + i * j) % 11) as f64 / 11.0;
                a.values_mut()[i + j * n] = value + if i == j { k } else { 0.0 };
            }
        }
        a
    }

    #[test]
    fn an_old_factorisation_serves_for_later_matrices() {
        let n = 30;
        let mut solver = Gmres::new(n, false, GmresOptions::default());
        let b: Vec<f64> = (0..n).map(|i| 1.0 + (i as f64).sin()).collect();
        for k in 0..5 {
            let a = matrix(n, 20.0 + 0.3 * f64::from(k));
            assert!(solver.factorise(&a).is_ok());
            let mut x = b.clone();
            let solved = solver.solve_to(&mut x, 1e-10).expect("it converges");
            assert_eq!(solved.iterations == 0, k == 0);
            let mut r = vec![0.0; n];
            a.mul_vec(&x, &mut r);
            for (r, b) in r.iter().zip(&b) {
                assert!((r - b).abs() < 1e-8, "{r} for {b}");
            }
        }
        assert!(solver.memory.iterations < GmresOptions::default().renewal);
    }

    /// Far from the matrix factorised many iterations are needed, and the next matrix is factorised; one that is too far is
    /// factorised at once, except in the phase that keeps everything.
    #[test]
    fn a_worn_factorisation_is_renewed() {
        let n = 30;
        let options = GmresOptions {
            restart: 6,
            restarts: 0,
            renewal: 2,
        };
        let mut solver = Gmres::new(n, false, options);
        let (near, far) = (matrix(n, 30.0), matrix(n, 2.5));
        assert!(solver.factorise(&near).is_ok() && solver.factorise(&far).is_ok());
        let mut b = vec![1.0; n];
        let solved = solver.solve_to(&mut b, 1e-12);
        assert!(solved.is_ok() && solver.memory.fits, "{solved:?}");
        let mut solver = Gmres::new(n, false, options);
        solver.enter(KEEPS);
        assert!(solver.factorise(&near).is_ok() && solver.factorise(&far).is_ok());
        let mut b = vec![1.0; n];
        let stalled = solver.solve_to(&mut b, 1e-12);
        assert!(stalled.is_err() && !solver.memory.fits, "{stalled:?}");
    }
}
