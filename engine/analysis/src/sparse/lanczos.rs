//! Eigenvalues of symmetric pairs A x = λ B x, B positive definite, next to a shift.
//!
//! Lanczos's method with the operator (A − σ B)⁻¹ B in the inner product of B, full orthogonalisation and thick
//! restarts [Wu, Simon 2000]. A Krylov space holds one vector of a multiple eigenvalue, so vectors found are kept and
//! the iteration begins again with a new vector orthogonal to them, until the signs of L D Lᵀ at both ends of the
//! interval count as many eigenvalues as were found [Grimes, Lewis, Simon 1994].

use super::{Ldl, Pair, Sparse};
use crate::dense::{Matrix, NoConvergence, dot, symmetric_eigen};

/// Residuals that are enough, in parts of the eigenvalue of the operator.
const CONVERGED: f64 = 1e-12;

/// Growth of entries by elimination from which solutions are refined.
const GROWTH: f64 = 10.0;

/// New beginnings at most.
const BEGINNINGS: usize = 60;

/// Restarts at most from one beginning.
const RESTARTS: usize = 200;

/// Eigenvalues that differ by less, relative to their distance from the shift, are not told apart.
const EQUAL: f64 = 1e-8;

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Eigenvalues, those closest to the shift first.
    pub values: Vec<f64>,
    /// Vectors with xᵀ B x = 1.
    pub vectors: Vec<Vec<f64>>,
    /// Whether the signs of L D Lᵀ confirm that none is missing between the farthest two.
    pub is_counted: bool,
}

/// Where eigenvalues are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wanted {
    /// So many next to the shift, and all that equal the last.
    Nearest(usize),
    /// All between two limits, the shift among them.
    Between(f64, f64),
}

/// An operator with its basis.
struct Iteration<'a> {
    b: &'a Sparse,
    factors: &'a Ldl,
    /// A − σ B, where growth of the factors asks for a step of refinement.
    refined: Option<Sparse>,
    random: u64,
}

impl Iteration<'_> {
    fn random_vector(&mut self, n: usize) -> Vec<f64> {
        let mut next = || {
            self.random = self
                .random
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (self.random >> 33) as f64 / f64::from(1u32 << 30) - 1.0
        };
        (0..n).map(|_| next()).collect()
    }

    /// (A − σ B)⁻¹ B x.
    fn apply(&self, bx: &[f64]) -> Vec<f64> {
        let mut y = bx.to_vec();
        self.factors.solve(&mut y);
        if let Some(matrix) = &self.refined {
            let mut rest = bx.to_vec();
            matrix.times_add(-1.0, &y, &mut rest);
            self.factors.solve(&mut rest);
            y.iter_mut().zip(&rest).for_each(|(y, r)| *y += r);
        }
        y
    }

    /// Removes what a vector has of others, twice; gives the coefficients and B times the vector.
    fn orthogonalise(&self, w: &mut [f64], others: &[(Vec<f64>, Vec<f64>)]) -> Vec<f64> {
        let mut coefficients = vec![0.0; others.len()];
        for _ in 0..2 {
            for (c, (v, bv)) in coefficients.iter_mut().zip(others) {
                let along = dot(bv, w);
                *c += along;
                w.iter_mut().zip(v).for_each(|(w, v)| *w -= along * v);
            }
        }
        coefficients
    }

    /// Makes the length one; gives the vector with B times it, and the length it had.
    fn normalised(&self, mut w: Vec<f64>) -> (f64, (Vec<f64>, Vec<f64>)) {
        let mut bw = self.b.times(&w);
        let length = dot(&w, &bw).max(0.0).sqrt();
        if length > 0.0 {
            w.iter_mut().for_each(|x| *x /= length);
            bw.iter_mut().for_each(|x| *x /= length);
        }
        (length, (w, bw))
    }
}

/// Σ c_k v_k.
fn combination(basis: &[(Vec<f64>, Vec<f64>)], c: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let n = basis.first().map_or(0, |(v, _)| v.len());
    let (mut v, mut bv) = (vec![0.0; n], vec![0.0; n]);
    for ((x, bx), c) in basis.iter().zip(c) {
        v.iter_mut().zip(x).for_each(|(v, x)| *v += c * x);
        bv.iter_mut().zip(bx).for_each(|(v, x)| *v += c * x);
    }
    (v, bv)
}

/// Eigenvalues next to σ or in an interval around it; σ must not be an eigenvalue.
///
/// # Errors
/// Entries that are not finite; an iteration that does not end.
pub fn lanczos(pair: &Pair, sigma: f64, wanted: Wanted) -> Result<Found, NoConvergence> {
    let n = pair.pattern.n_columns();
    let mut factors = Ldl::new(&pair.pattern);
    let b = pair.b();
    let shifted = pair.shifted(sigma);
    let inertia = factors.factorise(&shifted);
    let refined = (inertia.growth > GROWTH).then(|| Sparse {
        pattern: pair.pattern.clone(),
        values: shifted,
    });
    let mut iteration = Iteration {
        b: &b,
        factors: &factors,
        refined,
        random: 0x2545_f491_4f6c_dd1d,
    };
    let within = |value: f64| match wanted {
        Wanted::Nearest(_) => true,
        Wanted::Between(low, high) => value > low && value < high,
    };
    let mut counting = Ldl::new(&pair.pattern);
    let expected = match wanted {
        Wanted::Nearest(count) => Some(count.min(n)),
        Wanted::Between(low, high) => {
            let (below, above) = (pair.below(&mut counting, low), pair.below(&mut counting, high));
            below.zip(above).map(|(a, b)| b.saturating_sub(a))
        }
    };
    let mut locked: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    let mut values: Vec<f64> = Vec::new();
    let mut idle = 0;
    for _ in 0..BEGINNINGS.max(expected.unwrap_or(0)) {
        let own = values.iter().filter(|x| within(**x)).count();
        match wanted {
            Wanted::Nearest(count) => {
                // Confirmed by the count over the interval of the closest ones.
                if own >= count.min(n) || idle >= 2 {
                    let closest = closest(&values, sigma, count);
                    let reach = closest
                        .iter()
                        .map(|&k| (values[k] - sigma).abs())
                        .fold(0.0, f64::max);
                    let edge = reach * (1.0 + 2.0 * EQUAL);
                    let inside = values.iter().filter(|x| (**x - sigma).abs() < edge).count();
                    let counted = pair
                        .below(&mut counting, sigma + edge)
                        .zip(pair.below(&mut counting, sigma - edge))
                        .map(|(above, below)| above - below);
                    if counted == Some(inside) || inside >= n || locked.len() >= n {
                        return Ok(gathered(
                            values,
                            locked,
                            sigma,
                            |x| (x - sigma).abs() < edge,
                            true,
                        ));
                    }
                    if idle >= 4 {
                        return Ok(gathered(
                            values,
                            locked,
                            sigma,
                            |x| (x - sigma).abs() < edge,
                            false,
                        ));
                    }
                }
            }
            Wanted::Between(..) => match expected {
                Some(expected) if own >= expected => {
                    return Ok(gathered(values, locked, sigma, within, own == expected));
                }
                _ if idle >= 4 => return Ok(gathered(values, locked, sigma, within, false)),
                _ => {}
            },
        }
        let missing = match (wanted, expected) {
            // The first round takes them all, later ones those that were missed.
            (Wanted::Nearest(count), _) if values.is_empty() => count,
            (Wanted::Nearest(_), _) => 4,
            (_, Some(expected)) => expected.saturating_sub(own).max(1),
            (_, None) => 20,
        };
        let before = values.iter().filter(|x| within(**x)).count();
        let reach = match wanted {
            Wanted::Nearest(count) if !values.is_empty() => {
                let closest = closest(&values, sigma, count);
                closest
                    .iter()
                    .map(|&k| (values[k] - sigma).abs())
                    .fold(0.0, f64::max)
            }
            _ => f64::INFINITY,
        };
        let useful = begin(
            &mut iteration,
            sigma,
            missing.min(n),
            reach,
            &mut values,
            &mut locked,
        )?;
        let after = values.iter().filter(|x| within(**x)).count();
        idle = if after > before && useful { 0 } else { idle + 1 };
        if locked.len() >= n {
            idle = idle.max(2);
        }
    }
    let keep = closest(&values, sigma, expected.unwrap_or(values.len()));
    let reach = keep
        .iter()
        .map(|&k| (values[k] - sigma).abs())
        .fold(0.0, f64::max);
    Ok(gathered(
        values,
        locked,
        sigma,
        |x| within(x) && (x - sigma).abs() <= reach,
        false,
    ))
}

/// Places of the values next to the shift.
fn closest(values: &[f64], sigma: f64, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| (values[a] - sigma).abs().total_cmp(&(values[b] - sigma).abs()));
    order.truncate(count);
    order
}

fn gathered(
    values: Vec<f64>,
    locked: Vec<(Vec<f64>, Vec<f64>)>,
    sigma: f64,
    keep: impl Fn(f64) -> bool,
    is_counted: bool,
) -> Found {
    let order: Vec<usize> = closest(&values, sigma, values.len())
        .into_iter()
        .filter(|&k| keep(values[k]))
        .collect();
    Found {
        values: order.iter().map(|&k| values[k]).collect(),
        vectors: order.iter().map(|&k| locked[k].0.clone()).collect(),
        is_counted,
    }
}

/// One Krylov space with restarts, orthogonal to what is locked; locks `count` new vectors or more. False where
/// all of them are farther from the shift than `reach`.
fn begin(
    iteration: &mut Iteration<'_>,
    sigma: f64,
    count: usize,
    reach: f64,
    values: &mut Vec<f64>,
    locked: &mut Vec<(Vec<f64>, Vec<f64>)>,
) -> Result<bool, NoConvergence> {
    let n = iteration.b.rows();
    let room = n - locked.len().min(n);
    if room == 0 {
        return Ok(false);
    }
    let most = (2 * count + 20).min(room);
    let mut start = iteration.random_vector(n);
    // Two applications make the start smooth where the operator is.
    let b_start = iteration.b.times(&start);
    start = iteration.apply(&b_start);
    iteration.orthogonalise(&mut start, locked);
    let (length, first) = iteration.normalised(start);
    if length == 0.0 || !length.is_finite() {
        return Err(NoConvergence);
    }
    let mut basis = vec![first];
    let mut h = Matrix::zeros(most, most);
    let mut kept = 0;
    for _ in 0..RESTARTS {
        let mut residual = 0.0;
        let mut last = None;
        for j in kept..most {
            let mut w = iteration.apply(&basis[j].1);
            iteration.orthogonalise(&mut w, locked);
            let c = iteration.orthogonalise(&mut w, &basis);
            for (i, c) in c.iter().enumerate() {
                (h[(i, j)], h[(j, i)]) = (*c, *c);
            }
            let (length, next) = iteration.normalised(w);
            if !length.is_finite() {
                return Err(NoConvergence);
            }
            residual = length;
            let size = c.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
            if length <= 1e-14 * size {
                // An invariant space.
                residual = 0.0;
                last = Some(None);
                break;
            }
            if j + 1 < most {
                basis.push(next);
            } else {
                last = Some(Some(next));
            }
        }
        let m = basis.len();
        let every: Vec<usize> = (0..m).collect();
        let (theta, s) = symmetric_eigen(h.part(&every, &every))?;
        let mut order: Vec<usize> = every.clone();
        order.sort_by(|&a, &b| theta[b].abs().total_cmp(&theta[a].abs()));
        let error = |k: usize| residual * s[(m - 1, k)].abs();
        let converged = |k: usize| error(k) <= CONVERGED * theta[k].abs();
        let done = order.iter().take_while(|&&k| converged(k)).count();
        let exhausted = matches!(last, Some(None));
        // Nothing that is next to the shift is missing in a space orthogonal to all closer ones.
        let farther = order
            .first()
            .is_some_and(|&k| error(k) <= 0.1 * theta[k].abs() && 1.0 / theta[k].abs() > 1.5 * reach);
        if done >= count || exhausted || farther {
            let take = if exhausted { m } else { done };
            let mut useful = false;
            for &k in order.iter().take(take) {
                let (mut v, _) = combination(&basis, s.column(k));
                iteration.orthogonalise(&mut v, locked);
                let (_, own) = iteration.normalised(v);
                values.push(sigma + 1.0 / theta[k]);
                locked.push(own);
                useful |= 1.0 / theta[k].abs() <= reach * (1.0 + 4.0 * EQUAL);
            }
            return Ok(useful);
        }
        // The best half and the residual vector go on.
        let keep = (count + 8).min(m - 1).max(done + 1).min(m - 1);
        let mut next: Vec<(Vec<f64>, Vec<f64>)> = order[..keep]
            .iter()
            .map(|&k| combination(&basis, s.column(k)))
            .collect();
        h.data_mut().fill(0.0);
        for (i, &k) in order[..keep].iter().enumerate() {
            h[(i, i)] = theta[k];
        }
        next.extend(last.flatten());
        basis = next;
        kept = keep;
    }
    Err(NoConvergence)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// The pair of a grid of m × m masses on springs to their neighbours and rims, m² unknowns; eigenvalues
    /// 4 sin²(i π/(2m + 2)) + 4 sin²(j π/(2m + 2)), most of them double.
    fn grid(m: usize) -> (Pair, Vec<f64>) {
        let at = |i: usize, j: usize| i * m + j;
        let mut triplets = Vec::new();
        for i in 0..m {
            for j in 0..m {
                triplets.push((at(i, j), at(i, j), 4.0));
                if i + 1 < m {
                    triplets.push((at(i, j), at(i + 1, j), -1.0));
                    triplets.push((at(i + 1, j), at(i, j), -1.0));
                }
                if j + 1 < m {
                    triplets.push((at(i, j), at(i, j + 1), -1.0));
                    triplets.push((at(i, j + 1), at(i, j), -1.0));
                }
            }
        }
        let n = m * m;
        let a = Sparse::from_triplets(n, n, &triplets);
        let one: Vec<_> = (0..n).map(|i| (i, i, 2.0)).collect();
        let s = |i: usize| {
            (i as f64 * core::f64::consts::PI / (2 * m + 2) as f64)
                .sin()
                .powi(2)
        };
        let mut exact: Vec<f64> = (1..=m)
            .flat_map(|i| (1..=m).map(move |j| 0.5 * 4.0 * (s(i) + s(j))))
            .collect();
        exact.sort_by(f64::total_cmp);
        (Pair::new(&a, &Sparse::from_triplets(n, n, &one)), exact)
    }

    fn check(pair: &Pair, found: &Found) {
        for (value, x) in found.values.iter().zip(&found.vectors) {
            let (ax, bx) = (pair.a().times(x), pair.b().times(x));
            let worst = ax
                .iter()
                .zip(&bx)
                .map(|(a, b)| (a - value * b).abs())
                .fold(0.0, f64::max);
            assert!(worst < 1e-10, "{value} {worst:e}");
        }
        for (k, x) in found.vectors.iter().enumerate() {
            let bx = pair.b().times(x);
            for (l, y) in found.vectors.iter().enumerate() {
                assert!((dot(&bx, y) - f64::from(u8::from(k == l))).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn multiple_eigenvalues_are_all_found() {
        for m in [3, 7, 15] {
            let (pair, exact) = grid(m);
            for count in [1, 2, 4, 9] {
                let found = lanczos(&pair, -1e-3, Wanted::Nearest(count)).unwrap();
                assert!(found.is_counted && found.values.len() >= count, "{m} {count}");
                check(&pair, &found);
                for (value, exact) in found.values.iter().zip(&exact) {
                    assert!((value - exact).abs() < 1e-11, "{m} {count}: {value} {exact}");
                }
            }
            // All of a window, and exactly those.
            let (low, high) = (1.03, 2.21);
            let found = lanczos(&pair, 1.6123, Wanted::Between(low, high)).unwrap();
            let mut values = found.values.clone();
            values.sort_by(f64::total_cmp);
            let exact: Vec<f64> = exact.into_iter().filter(|x| *x > low && *x < high).collect();
            assert!(found.is_counted);
            assert_eq!(values.len(), exact.len(), "{m}");
            check(&pair, &found);
            assert!(values.iter().zip(&exact).all(|(a, b)| (a - b).abs() < 1e-11));
        }
    }

    #[test]
    fn equal_eigenvalues_of_a_diagonal_pair() {
        let n = 40;
        let values: Vec<_> = (0..n).map(|i| (i, i, 1.0 + f64::from(i as u32 / 10))).collect();
        let one: Vec<_> = (0..n).map(|i| (i, i, 1.0)).collect();
        let pair = Pair::new(
            &Sparse::from_triplets(n, n, &values),
            &Sparse::from_triplets(n, n, &one),
        );
        let found = lanczos(&pair, 0.0, Wanted::Nearest(3)).unwrap();
        assert!(found.is_counted);
        assert_eq!(found.values.len(), 10);
        check(&pair, &found);
    }
}
