//! Modes of large mechanisms at rest without damping: K x = ω² M x with symmetric sparse matrices.
//!
//! In a sparse orthonormal basis T of what the constraints allow, the pair (Tᵀ K T, Tᵀ M T) has no constraints left.
//! Eigenvalues come from Lanczos's method about a shift, and the signs of L D Lᵀ count them, so that none is missed.

use super::large::{Large, Pencil, at_frequency};
use super::{Completeness, Selection};
use crate::AnalysisError;
use crate::dense::{Complex, NoConvergence, largest};
use crate::sparse::{Ldl, Pair, Sparse, Wanted, lanczos};

/// Eigenvalues ω² below this part of ‖K‖ are zero.
const ZERO: f64 = 1e-12;

/// Differences between a matrix and its transpose, and damping, that count as rounding, in parts of the largest entry.
const ROUNDING: f64 = 1e-9;

/// Free directions that are told by their shapes.
const SHAPES: usize = 64;

/// K and M in the basis.
pub(super) struct Undamped {
    pair: Pair,
    k: Sparse,
    m: Sparse,
}

impl Undamped {
    /// The pair of a pencil; none where it has damping, states or forces that make it something else.
    pub fn new(pencil: &Pencil) -> Option<Self> {
        if pencil.states > 0 || pencil.forces_read || !pencil.at_rest {
            return None;
        }
        let rows = 0..pencil.n;
        let transposed = pencil.basis.transpose();
        let project = |a: &Sparse| transposed.times_matrix(&a.block(rows.clone(), 0..pencil.basis.columns()));
        let (k, c, m) = (
            project(&pencil.stiffness),
            project(&pencil.damping),
            project(&pencil.mass),
        );
        let size = |a: &Sparse| largest(&a.values);
        // Forces of constraints do no work along what these allow.
        let pull = transposed.times_matrix(&pencil.pull.block(rows, 0..pencil.pull.columns()));
        let (off_k, most_k) = k.asymmetry();
        let (off_m, most_m) = m.asymmetry();
        let is_symmetric = off_k <= ROUNDING * most_k && off_m <= ROUNDING * most_m;
        let is_undamped = size(&c) <= 1e-6 * ROUNDING * (most_k * most_m).sqrt();
        if !is_symmetric || !is_undamped || size(&pull) > ROUNDING {
            return None;
        }
        let pair = Pair::new(&k, &m);
        Some(Self { pair, k, m })
    }

    /// The modes that were asked for.
    pub fn solve(&self, selection: Selection) -> Result<Large, AnalysisError> {
        let n = self.k.rows();
        let norm = self.k.norm();
        let zero = ZERO * norm.max(f64::MIN_POSITIVE);
        let mut counting = Ldl::new(&self.pair.pattern);
        let mut below = |sigma: f64| {
            let shifts = [1.0, 1.000_37, 0.999_11, 1.002_3];
            let counts = shifts
                .iter()
                .find_map(|f| self.pair.below(&mut counting, sigma * f));
            counts.ok_or(AnalysisError::Eigenvalues(NoConvergence))
        };
        let unstable = below(-zero)?;
        let neutral = below(zero)? - unstable;
        let all = n - neutral;
        // A shift next to zero that is not far below the slowest mode.
        let mut near = norm;
        while near > zero && below(near)? - below(-near)? > neutral {
            near *= 0.1;
        }
        let mut found = Large {
            zeros: 2 * neutral,
            free: neutral,
            all: 2 * all,
            ..Large::default()
        };
        let lowest = -0.3 * near.max(3.0 * zero);
        let mut counted = true;
        if neutral > 0 && neutral <= SHAPES {
            let open = lanczos(&self.pair, lowest, Wanted::Nearest(neutral))?;
            let own = open.values.iter().zip(open.vectors);
            for (_, x) in own.filter(|(value, _)| value.abs() <= zero) {
                found.rigid.push(x.into_iter().map(Complex::real).collect());
            }
        }
        let (values, vectors) = match selection {
            _ if all == 0 => (Vec::new(), Vec::new()),
            Selection::All | Selection::Lowest(_) => {
                let count = match selection {
                    Selection::Lowest(count) => count.min(all),
                    _ => all,
                };
                let got = lanczos(&self.pair, lowest, Wanted::Nearest(count + neutral))?;
                counted &= got.is_counted;
                (got.values, got.vectors)
            }
            Selection::Near { frequency, count } => {
                let at = at_frequency(frequency).max(lowest.abs());
                let got = lanczos(&self.pair, self.clear(at), Wanted::Nearest(count.min(all)))?;
                counted &= got.is_counted;
                (got.values, got.vectors)
            }
            Selection::Between { from, to } => {
                let (low, high) = (at_frequency(from), at_frequency(to));
                let low = if from > 0.0 { low } else { zero };
                let got = lanczos(
                    &self.pair,
                    self.clear(0.5 * (low + high)),
                    Wanted::Between(low * (1.0 - 1e-12), high * (1.0 + 1e-12)),
                )?;
                counted &= got.is_counted;
                let (mut values, mut vectors) = (got.values, got.vectors);
                if unstable > 0 {
                    // What grows or creeps at such a rate.
                    let range = Wanted::Between(-high * (1.0 + 1e-12), -low * (1.0 - 1e-12));
                    let got = lanczos(&self.pair, self.clear(-0.5 * (low + high)), range)?;
                    counted &= got.is_counted;
                    values.extend(got.values);
                    vectors.extend(got.vectors);
                }
                (values, vectors)
            }
        };
        let size = self.k.norm();
        for (value, x) in values
            .iter()
            .zip(&vectors)
            .filter(|(value, _)| value.abs() > zero)
        {
            let mut rest = self.k.times(x);
            self.m.times_add(-value, x, &mut rest);
            let backward = norm_of(&rest) / (size * norm_of(x));
            found.residual = found.residual.max(backward);
            let omega = value.abs().sqrt();
            let own: Vec<Complex> = x.iter().map(|x| Complex::real(*x)).collect();
            if *value > 0.0 {
                found.values.push(Complex::new(0.0, omega));
                found.shapes.push(own);
            } else {
                for lambda in [omega, -omega] {
                    found.values.push(Complex::real(lambda));
                    found.shapes.push(own.clone());
                }
            }
        }
        found.completeness = if counted {
            Completeness::Counted
        } else {
            Completeness::Unknown
        };
        Ok(found)
    }

    /// A shift next to this one that is no eigenvalue.
    fn clear(&self, sigma: f64) -> f64 {
        let mut factors = Ldl::new(&self.pair.pattern);
        let mut tried = (0..6).map(|k| sigma * (1.0 + 3.7e-5 * f64::from(k)));
        tried
            .find(|s| self.pair.below(&mut factors, *s).is_some())
            .unwrap_or(sigma)
    }
}

fn norm_of(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
