//! Large mechanisms: sparse matrices.
//!
//! Displacements that keep the constraints are s = T ξ with a sparse orthonormal basis T. The tangent is factorised;
//! where it is singular, a stiffness far below the others holds what nothing resists. The signs of L D Lᵀ count
//! stable, unstable and neutral directions without eigenvalues.

use super::local::{INDETERMINATE, Kept, Local, NewtonStep, length};
use super::search::DEPENDENT;
use super::{Stability, StaticsError};
use crate::AnalysisError;
use crate::dense::{NoConvergence, eigen, largest};
use crate::sparse::{Factors, Ldl, Pair, Sparse, Wanted, lanczos, null_basis};
use crate::tangent::{Equation, Sizes, SparseTangent};

/// Stiffness, in parts of the others, that holds what nothing resists.
const HELD: f64 = 1e-9;

/// Reciprocal condition numbers below count as singular.
const SINGULAR: f64 = 1e-13;

/// Parts of the largest entry by which a matrix may differ from its transpose in rounding.
const SYMMETRIC: f64 = 1e-9;

/// Directions up to which matrices that are not symmetric go through all their eigenvalues.
const ALL_EIGENVALUES: usize = 700;

/// Derivatives and motions that the constraints allow.
#[derive(Clone)]
pub(super) struct Large {
    /// Without the entries of kept states.
    tangent: SparseTangent,
    sizes: Sizes,
    /// Displacements that keep all constraints, divided by √M_ii.
    basis: Sparse,
}

/// The tangent stiffness along the motions that the constraints allow, then states, then readings.
pub(super) struct Stiffness {
    a: Sparse,
    pub norm: f64,
}

/// x with the smallest |A x − b|, by the equations of the residual [I A; Aᵀ −ε] with columns of length one.
pub(super) fn least_squares(a: &Sparse, b: &[f64]) -> Option<Vec<f64>> {
    let (n, m) = (a.rows(), a.columns());
    let lengths: Vec<f64> = (0..m)
        .map(|j| {
            let all: Vec<f64> = a.column(j).map(|(_, x)| x).collect();
            Some(length(&all)).filter(|l| *l > 0.0).unwrap_or(1.0)
        })
        .collect();
    let mut triplets: Vec<_> = (0..n).map(|i| (i, i, 1.0)).collect();
    for (i, j, x) in a.entries() {
        triplets.push((i, n + j, x / lengths[j]));
        triplets.push((n + j, i, x / lengths[j]));
    }
    triplets.extend((n..n + m).map(|j| (j, j, -1e-14)));
    let mut all = Factors::new(Sparse::from_triplets(n + m, n + m, &triplets)).ok()?;
    let mut x = b.to_vec();
    x.resize(n + m, 0.0);
    all.solve(&mut x);
    let x: Vec<f64> = x[n..].iter().zip(&lengths).map(|(x, l)| x / l).collect();
    x.iter().all(|x| x.is_finite()).then_some(x)
}

/// The shortest x with A x = b.
pub(super) fn shortest(a: &Sparse, b: &[f64]) -> Option<Vec<f64>> {
    let (m, n) = (a.rows(), a.columns());
    let mut lengths = vec![0.0; m];
    a.entries().for_each(|(i, _, x)| lengths[i] += x * x);
    let unit = |i: usize| if lengths[i] > 0.0 { lengths[i].sqrt() } else { 1.0 };
    let mut triplets: Vec<_> = (0..n).map(|i| (i, i, 1.0)).collect();
    for (i, j, x) in a.entries() {
        triplets.push((j, n + i, x / unit(i)));
        triplets.push((n + i, j, x / unit(i)));
    }
    triplets.extend((n..n + m).map(|j| (j, j, -1e-14)));
    let mut all = Factors::new(Sparse::from_triplets(n + m, n + m, &triplets)).ok()?;
    let mut x = vec![0.0; n];
    x.extend(b.iter().enumerate().map(|(i, b)| b / unit(i)));
    all.solve(&mut x);
    x.truncate(n);
    x.iter().all(|x| x.is_finite()).then_some(x)
}

/// States whose rates vanish with the velocity, wherever they and the positions are, with ∂ẋ/∂v.
pub(super) fn kept(tangent: &SparseTangent, sizes: Sizes) -> Vec<Kept> {
    let (n, n_x) = (sizes.v, sizes.x);
    if n_x == 0 {
        return Vec::new();
    }
    let readings = n + n_x + sizes.rows..tangent.rates.columns();
    let mut keeps: Vec<bool> = (0..n_x).map(|k| tangent.rest[n + k] == 0.0).collect();
    let mut changes: Vec<Vec<(usize, f64)>> = vec![Vec::new(); n_x];
    let rate = |k: usize| tangent.rates.get(n + k, n + k);
    for (i, j, x) in tangent.states.entries().filter(|e| (n..n + n_x).contains(&e.0)) {
        if x == 0.0 {
            continue;
        }
        match (n..2 * n).contains(&j) {
            true => changes[i - n].push((j - n, -x / rate(i - n))),
            false => keeps[i - n] = false,
        }
    }
    for j in readings {
        for (i, _) in tangent
            .rates
            .column(j)
            .filter(|(i, x)| (n..n + n_x).contains(i) && *x != 0.0)
        {
            keeps[i - n] = false;
        }
    }
    (changes.into_iter().enumerate())
        .filter(|(k, _)| keeps[*k])
        .collect()
}

/// Carries kept states along with displacements: the tangent of forces then has their stiffness, and
/// their own rows say that nothing else changes them.
pub(super) fn carry(tangent: &mut SparseTangent, sizes: Sizes, kept: &[Kept]) {
    if kept.is_empty() {
        return;
    }
    let n = sizes.v;
    let states = &tangent.states;
    let carried: Vec<usize> = kept.iter().map(|(k, _)| 2 * n + k).collect();
    let mut triplets: Vec<_> = states.entries().filter(|e| !carried.contains(&e.1)).collect();
    for (k, change) in kept {
        for (i, stiffness) in states.column(2 * n + k) {
            triplets.extend(change.iter().map(|&(j, c)| (i, j, stiffness * c)));
        }
        triplets.push((n + k, 2 * n + k, 1.0));
    }
    tangent.states = Sparse::from_triplets(states.rows(), states.columns(), &triplets);
}

impl Large {
    pub fn new(tangent: SparseTangent, equation: &Equation, weight: &[f64]) -> Self {
        let sizes = equation.sizes;
        let basis = null_basis(&tangent.scaled_constraints(sizes, weight), DEPENDENT);
        Self {
            tangent,
            sizes,
            basis,
        }
    }

    /// Rows of the tangent without those of constraints.
    fn rows(&self) -> Vec<usize> {
        let Sizes { v, x, rows, .. } = self.sizes;
        (0..v + x)
            .chain(v + x + rows..self.tangent.rates.rows())
            .collect()
    }

    /// By ξ, x, λ and ρ: rows of forces, states and readings.
    fn scaled_tangent(&self, local: &Local) -> (Sparse, Vec<f64>) {
        let Sizes {
            v: n, x: n_x, rows, ..
        } = self.sizes;
        let row = |i: usize| local.weight.get(i).copied().unwrap_or(1.0);
        let wanted = self.rows();
        let states = self.tangent.states.select_rows(&wanted);
        let rates = self.tangent.rates.select_rows(&wanted);
        let m = states.rows();
        let k = states
            .block(0..m, 0..n)
            .scaled(row, |j| local.weight[j])
            .times_matrix(&self.basis);
        let n_free = k.columns();
        let size = Some(k.norm() / (n_free.max(1) as f64).sqrt());
        let size = size.filter(|s| *s > 0.0).unwrap_or(1.0);
        let mut scale = vec![size; n_free];
        let mut triplets: Vec<_> = k.entries().map(|(i, j, x)| (i, j, x / size)).collect();
        let own = states.block(0..m, 2 * n..2 * n + n_x);
        let others = rates.block(0..m, n + n_x..rates.columns());
        for part in [&own, &others] {
            let part = part.clone().scaled(row, |_| 1.0);
            for j in 0..part.columns() {
                let all: Vec<f64> = part.column(j).map(|(_, x)| x).collect();
                let divisor = Some(length(&all)).filter(|l| *l > 0.0).unwrap_or(1.0);
                let column = scale.len();
                triplets.extend(part.column(j).map(|(i, x)| (i, column, x / divisor)));
                scale.push(divisor);
            }
        }
        debug_assert_eq!(
            n_free + n_x + rows + rates.columns() - n - n_x - rows,
            scale.len()
        );
        (Sparse::from_triplets(m, scale.len(), &triplets), scale)
    }

    /// A Newton step: displacements, then states; not finite where there is none.
    pub fn newton_step(&self, local: &Local, equation: &Equation) -> NewtonStep {
        if let Some(step) = self.symmetric_step(local) {
            return step;
        }
        let (a, scale) = self.scaled_tangent(local);
        let n_free = self.basis.columns();
        let n_x = equation.sizes.x;
        let none = || NewtonStep {
            displacement: vec![f64::NAN; local.weight.len()],
            states: vec![f64::NAN; n_x],
            remainder: f64::NAN,
            resisted: f64::NAN,
        };
        if a.rows() != a.columns() {
            return none();
        }
        let sound = |mut factors: Factors| (factors.reciprocal_condition() > SINGULAR).then_some(factors);
        let factors = Factors::new(a.clone()).ok().and_then(sound);
        let Some(mut factors) = factors.or_else(|| {
            let held = self.basis.entries().map(|(i, j, x)| (i, j, HELD * x));
            let triplets: Vec<_> = a.entries().chain(held).collect();
            Factors::new(Sparse::from_triplets(a.rows(), a.columns(), &triplets)).ok()
        }) else {
            return none();
        };
        let mut w: Vec<f64> = local.rest.iter().map(|r| -r).collect();
        w.resize(a.rows(), 0.0);
        let right = w.clone();
        factors.solve(&mut w);
        let rest: Vec<f64> = a.times(&w).iter().zip(&right).map(|(a, b)| a - b).collect();
        // Columns of free directions have an average length of one.
        let pushed_back = length(&a.block(0..a.rows(), 0..n_free).times(&w[..n_free]));
        let moved = length(&w[..n_free]);
        w.iter_mut().zip(&scale).for_each(|(w, s)| *w /= s);
        NewtonStep {
            displacement: self.displacement(local, &w[..n_free]),
            states: w[n_free..n_free + n_x].to_vec(),
            remainder: length(&rest),
            resisted: if moved > 0.0 { pushed_back / moved } else { 1.0 },
        }
    }

    /// A Newton step along ξ alone, by L D Lᵀ of a symmetric stiffness; none where there are states or readings,
    /// where multipliers do more than hold constraints, and where elimination without exchanges is doubtful.
    fn symmetric_step(&self, local: &Local) -> Option<NewtonStep> {
        let Sizes {
            v: n, x: n_x, rows, ..
        } = self.sizes;
        if n_x > 0 || self.tangent.rates.columns() > n + rows {
            return None;
        }
        let transposed = self.basis.transpose();
        let pull = self.tangent.rates.block(0..n, n..n + rows);
        let pull = pull.scaled(|i| local.weight[i], |_| 1.0);
        let most = largest(&pull.values);
        if largest(&transposed.times_matrix(&pull).values) > SYMMETRIC * most {
            return None;
        }
        let k = self.stiffness(local).a;
        let (off, most) = k.asymmetry();
        if off > SYMMETRIC * most {
            return None;
        }
        let pair = Pair::new(&k, &identity(k.rows()));
        let mut factors = Ldl::new(&pair.pattern);
        let size = k.norm() / (k.rows().max(1) as f64).sqrt();
        let mut shift = 0.0;
        if factors.factorise(&pair.shifted(0.0)).smallest < SINGULAR {
            shift = -HELD * size;
            factors.factorise(&pair.shifted(shift));
        }
        let right: Vec<f64> = transposed.times(&local.rest[..n]).iter().map(|r| -r).collect();
        let mut xi = right.clone();
        factors.solve(&mut xi);
        let mut rest = right.clone();
        k.times_add(-1.0, &xi, &mut rest);
        rest.iter_mut().zip(&xi).for_each(|(r, x)| *r += shift * x);
        let left = length(&rest);
        factors.solve(&mut rest);
        xi.iter_mut().zip(&rest).for_each(|(x, r)| *x += r);
        let sound = left <= 1e-6 * length(&right) && xi.iter().all(|x| x.is_finite());
        let pushed_back = k.times(&xi);
        let rest: Vec<f64> = pushed_back.iter().zip(&right).map(|(a, b)| a - b).collect();
        let (given, moved) = (length(&right), length(&xi));
        let share = |part: f64, of: f64, none: f64| if of > 0.0 { part / of } else { none };
        sound.then(|| NewtonStep {
            displacement: self.displacement(local, &xi),
            states: Vec::new(),
            remainder: local.length * share(length(&rest), given, 0.0),
            resisted: share(length(&pushed_back), size * moved, 1.0),
        })
    }

    /// The stiffness by ξ, x and ρ.
    pub fn stiffness(&self, local: &Local) -> Stiffness {
        let Sizes {
            v: n, x: n_x, rows, ..
        } = self.sizes;
        let scale = |i: usize| local.weight.get(i).copied().unwrap_or(1.0);
        let wanted = self.rows();
        let states = self.tangent.states.select_rows(&wanted);
        let rates = self.tangent.rates.select_rows(&wanted);
        let m = states.rows();
        let readings = rates.columns() - n - n_x - rows;
        let triplets: Vec<_> = (states.entries())
            .filter(|(_, j, _)| !(n..2 * n).contains(j))
            .map(|(i, j, x)| (i, if j < n { j } else { j - n }, x))
            .chain(
                (rates.entries())
                    .filter(|(_, j, _)| *j >= n + n_x + rows)
                    .map(|(i, j, x)| (i, j - rows, x)),
            )
            .collect();
        let all = Sparse::from_triplets(m, n + n_x + readings, &triplets).scaled(scale, scale);
        let n_free = self.basis.columns();
        let mut triplets: Vec<_> = self.basis.entries().collect();
        triplets.extend((0..n_x + readings).map(|k| (n + k, n_free + k, 1.0)));
        let basis = Sparse::from_triplets(n + n_x + readings, n_free + n_x + readings, &triplets);
        let a = all.congruent(&basis);
        let sums = (0..a.columns()).map(|j| a.column(j).map(|(_, x)| x.abs()).sum::<f64>());
        let norm = sums.fold(0.0, f64::max);
        Stiffness { a, norm }
    }

    /// An implicit step of pseudo-time, and the work of the present forces along it, negated.
    pub fn relaxation_step(&self, local: &Local, k: &Stiffness, sigma: f64) -> (Vec<f64>, Vec<f64>, f64) {
        let (n, n_free, n_x) = (local.weight.len(), self.basis.columns(), self.sizes.x);
        let held = (0..n_free + n_x).map(|i| (i, i, sigma));
        let triplets: Vec<_> = k.a.entries().chain(held).collect();
        let mut w = self.basis.transpose_times(&local.rest[..n]);
        w.extend(&local.rest[n..]);
        w.resize(k.a.rows(), 0.0);
        let force = w.clone();
        w.iter_mut().for_each(|x| *x = -*x);
        match Factors::new(Sparse::from_triplets(k.a.rows(), k.a.rows(), &triplets)) {
            Ok(mut factors) => factors.solve(&mut w),
            Err(_) => w.fill(f64::NAN),
        }
        let slope = force[..n_free].iter().zip(&w).map(|(f, w)| f * w).sum();
        let step = self.basis.times(&w[..n_free]);
        let step = step.iter().zip(&local.weight).map(|(s, w)| s / w).collect();
        (step, w[n_free..n_free + n_x].to_vec(), slope)
    }

    /// The stiffness by ξ alone: what follows from displacements is eliminated.
    fn condensed(&self, local: &Local) -> Sparse {
        let k = self.stiffness(local).a;
        let (n, all) = (self.basis.columns(), k.rows());
        let own = k.block(0..n, 0..n);
        if all == n {
            return own;
        }
        let Ok(mut factors) = Factors::new(k.block(n..all, n..all)) else {
            return own;
        };
        let (forces, sources) = (k.block(0..n, n..all), k.block(n..all, 0..n));
        let mut triplets: Vec<_> = own.entries().collect();
        for j in 0..n {
            let mut x = vec![0.0; all - n];
            sources.column(j).for_each(|(i, value)| x[i] = value);
            if x.iter().all(|x| *x == 0.0) {
                continue;
            }
            factors.solve(&mut x);
            let change = forces.times(&x).into_iter().enumerate();
            triplets.extend(change.filter(|(_, x)| *x != 0.0).map(|(i, x)| (i, j, -x)));
        }
        Sparse::from_triplets(n, n, &triplets)
    }

    /// Eigenvalues with negative real parts, and zero ones, of a stiffness.
    fn signs(&self, k: &Sparse) -> Result<Signs, StaticsError> {
        let n = k.rows();
        let floor = INDETERMINATE * k.norm();
        let pair = Pair::new(k, &identity(n));
        let mut factors = Ldl::new(&pair.pattern);
        let mut below = |sigma: f64| {
            // A pivot that vanishes by chance does not do so a little further.
            let shifts = [1.0, 1.37, 0.71, 1.93];
            shifts.iter().find_map(|f| pair.below(&mut factors, sigma * f))
        };
        let (off, most) = k.asymmetry();
        let counts = below(-floor).zip(below(floor));
        if off <= SYMMETRIC * most {
            if let Some((unstable, below)) = counts {
                return Ok(Signs::Symmetric {
                    unstable,
                    neutral: below.saturating_sub(unstable),
                });
            }
        } else if counts.is_some_and(|(_, below)| below == 0) {
            // xᵀ K x > 0 for all x: no eigenvalue has a negative real part.
            return Ok(Signs::General {
                unstable: 0,
                neutral: 0,
            });
        }
        if n > ALL_EIGENVALUES {
            return Err(StaticsError::StabilityUnknown { directions: n });
        }
        let found = eigen(&k.to_dense(), &vec![1.0; n], INDETERMINATE).map_err(AnalysisError::from)?;
        Ok(Signs::General {
            unstable: found.values.iter().filter(|x| x.re < 0.0).count(),
            neutral: found.zeros,
        })
    }

    pub fn stability(&self, local: &Local) -> Result<Stability, StaticsError> {
        let k = self.condensed(local);
        let (unstable, neutral) = match self.signs(&k)? {
            Signs::Symmetric { unstable, neutral } | Signs::General { unstable, neutral } => {
                (unstable, neutral)
            }
        };
        Ok(Stability {
            unstable,
            neutral,
            stable: k.rows() - unstable - neutral,
        })
    }

    /// A displacement of all coordinates from one of ξ.
    fn displacement(&self, local: &Local, xi: &[f64]) -> Vec<f64> {
        let step = self.basis.times(xi);
        step.iter().zip(&local.weight).map(|(s, w)| s / w).collect()
    }

    /// The displacement that grows most from an unstable position, its largest entry 1.
    pub fn growing(&self, local: &Local) -> Result<Option<Vec<f64>>, StaticsError> {
        let k = self.condensed(local);
        let n = k.rows();
        let xi = match self.signs(&k)? {
            Signs::Symmetric { unstable: 0, .. } | Signs::General { unstable: 0, .. } => return Ok(None),
            Signs::Symmetric { .. } => {
                // The lowest eigenvalue is next to a bound below all of them.
                let bound = (0..n).map(|j| {
                    let sum: f64 = k.column(j).map(|(_, x)| x.abs()).sum();
                    k.get(j, j) - (sum - k.get(j, j).abs())
                });
                let bound = bound.fold(0.0, f64::min);
                let pair = Pair::new(&k, &identity(n));
                let shift = 1.01 * bound - INDETERMINATE * k.norm();
                let found = lanczos(&pair, shift, Wanted::Nearest(1)).map_err(AnalysisError::from)?;
                found.vectors.into_iter().next()
            }
            Signs::General { .. } => {
                let found =
                    eigen(&k.to_dense(), &vec![1.0; n], INDETERMINATE).map_err(AnalysisError::from)?;
                let all = found.values.iter().zip(&found.vectors);
                let worst = all.min_by(|(a, _), (b, _)| a.re.total_cmp(&b.re));
                worst.map(|(_, vector)| vector.iter().map(|x| x.re).collect())
            }
        };
        let Some(xi) = xi else { return Ok(None) };
        let step = self.displacement(local, &xi);
        let longest = largest(&step);
        Ok((longest > 0.0 && longest.is_finite()).then(|| step.iter().map(|s| s / longest).collect()))
    }

    /// A basis of the displacements that nothing resists.
    pub fn open(&self, local: &Local) -> Result<Vec<Vec<f64>>, StaticsError> {
        let k = self.condensed(local);
        let n = k.rows();
        let neutral = match self.signs(&k)? {
            Signs::Symmetric { neutral, .. } => neutral,
            Signs::General { neutral: 0, .. } => return Ok(Vec::new()),
            Signs::General { .. } => {
                let found =
                    eigen(&k.to_dense(), &vec![1.0; n], INDETERMINATE).map_err(AnalysisError::from)?;
                let open = found.null_space.iter().map(|xi| self.displacement(local, xi));
                return Ok(open.collect());
            }
        };
        if neutral == 0 {
            return Ok(Vec::new());
        }
        // Coordinates that no force depends on are open by themselves; there may be many.
        let floor = INDETERMINATE * k.norm();
        let mut sizes = vec![0.0_f64; n];
        for (i, j, x) in k.entries() {
            sizes[i] = sizes[i].max(x.abs());
            sizes[j] = sizes[j].max(x.abs());
        }
        let alone: Vec<usize> = (0..n).filter(|&i| sizes[i] <= 1e-3 * floor).collect();
        let mut all: Vec<Vec<f64>> = Vec::new();
        for &i in alone.iter().take(neutral) {
            let mut xi = vec![0.0; n];
            xi[i] = 1.0;
            all.push(self.displacement(local, &xi));
        }
        let rest = neutral - all.len();
        if rest > 0 {
            let size = k.norm() / (n as f64).sqrt();
            let held: Vec<_> = (k.entries()).chain(alone.iter().map(|&i| (i, i, size))).collect();
            let pair = Pair::new(&Sparse::from_triplets(n, n, &held), &identity(n));
            let shift = -100.0 * floor;
            let found = lanczos(&pair, shift, Wanted::Nearest(rest)).map_err(AnalysisError::from)?;
            if found.values.len() < rest {
                return Err(AnalysisError::from(NoConvergence).into());
            }
            let own = found.values.iter().zip(&found.vectors);
            let own = own.filter(|(value, _)| value.abs() <= 2.0 * floor);
            all.extend(own.map(|(_, xi)| self.displacement(local, xi)));
        }
        Ok(all)
    }
}

/// Signs of the eigenvalues of a stiffness.
enum Signs {
    Symmetric { unstable: usize, neutral: usize },
    General { unstable: usize, neutral: usize },
}

fn identity(n: usize) -> Sparse {
    let one: Vec<_> = (0..n).map(|i| (i, i, 1.0)).collect();
    Sparse::from_triplets(n, n, &one)
}
