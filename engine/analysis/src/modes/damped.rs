//! Modes of large mechanisms in general: with damping, gyroscopic terms, states of elements, forces of any kind.
//!
//! With z = (ξ, λ ξ, x) the operator (σ E − A)⁻¹ E has the eigenvalues 1/(σ − λ); the smallest distances from σ come
//! first. One application solves with T(σ) = σ² M + σ C + K and its borders, whose size is that of the positions.

use super::large::{Large, Pencil};
use super::{Completeness, Selection};
use crate::AnalysisError;
use crate::dense::{Complex, Matrix, NoConvergence, Svd, dot, zero_eigenvalues};
use crate::sparse::{ComplexFactors, Krylov, Ldl, Pair, Sparse, Wanted, lanczos};
use holonom_dae::Pattern;
use holonom_solver::linear;

/// Eigenvalues ω² of the undamped mechanism below this part of ‖K‖ are zero.
const ZERO: f64 = 1e-12;

/// Singular values of the equations among the slowest modes, in parts of their speed, that are zero. What Krylov's
/// method leaves is some 10⁻¹² of it.
const NULL: f64 = 1e-9;

/// Eigenvalues below this part of the shift are next to zero.
const TINY: f64 = 1e-4;

/// The slowest ω² that a shift is adapted to, in parts of ‖K‖.
const SLOWEST: f64 = 1e-9;

/// Free directions up to which damping along them is looked at.
const DIRECTIONS: usize = 64;

/// Imaginary parts below this part of an eigenvalue are rounding.
const REAL: f64 = 1e-10;

/// Spaces from new vectors at most.
const BEGINNINGS: usize = 200;

/// The quadratic matrix T(σ).
pub(super) struct Damped<'a> {
    pencil: &'a Pencil,
    pattern: Pattern,
    /// Its coefficients of 1, σ and σ².
    parts: [Vec<f64>; 3],
    free: usize,
    /// Rows.
    size: usize,
    /// Speed of the modes that are looked for, which makes their displacements and velocities alike.
    omega: f64,
}

/// The speed below the slowest modes, the zeros that rank tells, and their directions.
type Slowest = (f64, Option<usize>, Vec<Vec<f64>>);

/// Eigenvalues near a shift, with the distance up to which all are known.
struct Near {
    /// Eigenvalue and shape, the nearest first.
    found: Vec<(Complex, Vec<Complex>)>,
    distance: f64,
    residual: f64,
    is_searched: bool,
    /// Zero eigenvalues among them, and the shapes of their eigenvectors.
    zeros: usize,
    null_space: Vec<Vec<Complex>>,
}

impl<'a> Damped<'a> {
    pub fn new(pencil: &'a Pencil) -> Self {
        let free = pencil.basis.columns();
        let size = match pencil.forces_read {
            true => pencil.stiffness.rows(),
            false => pencil.n + pencil.states,
        };
        let others = free + pencil.states;
        let sources: [(&Sparse, usize, usize); 6] = [
            (&pencil.stiffness, 0, 0),
            (&pencil.damping, 0, 1),
            (&pencil.mass, 0, 2),
            (&pencil.by_states, free, 0),
            (&pencil.by_rates, free, 1),
            (&pencil.pull, others, 0),
        ];
        let entries = || {
            sources.iter().flat_map(move |(a, first, part)| {
                (a.entries().filter(move |e| e.0 < size)).map(move |(i, j, x)| (i, first + j, x, *part))
            })
        };
        let pattern = Pattern::from_entries(
            size,
            others + pencil.pull.columns(),
            entries().map(|e| (e.0, e.1)),
        );
        let mut parts = [(); 3].map(|()| vec![0.0; pattern.len()]);
        for (i, j, x, part) in entries() {
            if let Some(p) = pattern.position(i, j) {
                parts[part][p] += x;
            }
        }
        Self {
            pencil,
            pattern,
            parts,
            free,
            size,
            omega: 1.0,
        }
    }

    fn factorised(&self, sigma: Complex) -> Result<ComplexFactors, AnalysisError> {
        let square = sigma * sigma;
        let [one, first, second] = &self.parts;
        let values: Vec<linear::Complex> = (0..one.len())
            .map(|p| {
                let z = Complex::real(one[p]) + sigma.scale(first[p]) + square.scale(second[p]);
                linear::Complex::new(z.re, z.im)
            })
            .collect();
        let mut factors = ComplexFactors::new(self.size);
        match factors.factorise(&self.pattern, &values) {
            Ok(()) => Ok(factors),
            Err(_) => Err(AnalysisError::NoAccelerations),
        }
    }

    /// (σ E − A)⁻¹ E z; displacements are ω₀ times larger.
    fn apply(&self, sigma: Complex, factors: &mut ComplexFactors, z: &[Complex]) -> Vec<Complex> {
        let n = self.free;
        let pencil = self.pencil;
        let displacements: Vec<Complex> = z[..n].iter().map(|z| z.scale(1.0 / self.omega)).collect();
        let velocities = &z[n..2 * n];
        let mut right = vec![Complex::ZERO; pencil.stiffness.rows()];
        let pushed: Vec<Complex> = (displacements.iter().zip(velocities))
            .map(|(s, v)| sigma * *s + *v)
            .collect();
        let one = Complex::real(1.0);
        pencil.mass.times_add_complex(one, &pushed, &mut right);
        pencil.damping.times_add_complex(one, &displacements, &mut right);
        pencil.by_rates.times_add_complex(one, &z[2 * n..], &mut right);
        right.truncate(self.size);
        let solved = factors.solve(&right);
        let xi = &solved[..n];
        let mut out: Vec<Complex> = xi.iter().map(|x| x.scale(self.omega)).collect();
        out.extend(xi.iter().zip(&displacements).map(|(x, r)| sigma * *x - *r));
        out.extend_from_slice(&solved[n..n + pencil.states]);
        out
    }

    /// At least `count` eigenvalues nearest to σ, or as many as `goes_on` asks for.
    fn near(
        &self,
        sigma: Complex,
        mut count: usize,
        goes_on: impl Fn(&[Complex], f64) -> bool,
    ) -> Result<Near, AnalysisError> {
        let mut factors = self.factorised(sigma)?;
        let states = 2 * self.free + self.pencil.states;
        let mut krylov = Krylov::new(states, |z| self.apply(sigma, &mut factors, z));
        // Infinite eigenvalues, those of unknowns without inertia, are zeros of the operator.
        let floor = |theta: &[Complex]| 1e-12 * theta.iter().map(|t| t.abs()).fold(0.0, f64::max);
        let mut exhausted = false;
        let mut is_searched = false;
        for _ in 0..BEGINNINGS {
            let theta = krylov.values();
            let floor = floor(&theta);
            let mut sizes: Vec<f64> = theta.iter().map(|t| t.abs()).filter(|t| *t > floor).collect();
            sizes.sort_by(|a, b| b.total_cmp(a));
            let known = sizes.len();
            if exhausted || (known >= count && is_searched) {
                let distance = match exhausted {
                    true => f64::INFINITY,
                    false => 1.0 / sizes[count - 1],
                };
                let values: Vec<Complex> = (theta.iter().filter(|t| t.abs() > floor))
                    .map(|t| sigma - Complex::real(1.0) / *t)
                    .collect();
                if exhausted || !goes_on(&values, distance) {
                    break;
                }
                count += count / 2 + 4;
                is_searched = false;
                continue;
            }
            let wanted = match known {
                known if known < count => count - known,
                _ => 3,
            };
            let enough = sizes.get(count - 1).copied().unwrap_or(0.0);
            match krylov.begin(wanted, enough)? {
                None => exhausted = true,
                // A space from a new vector holds nothing nearer.
                Some(largest) => is_searched = largest <= enough * (1.0 + 1e-9),
            }
        }
        let theta = krylov.values();
        let floor = floor(&theta);
        let mut order: Vec<usize> = (0..theta.len()).filter(|&k| theta[k].abs() > floor).collect();
        order.sort_by(|&a, &b| theta[b].abs().total_cmp(&theta[a].abs()));
        let distance = match exhausted {
            true => f64::INFINITY,
            false => order.get(count - 1).map_or(0.0, |&k| 1.0 / theta[k].abs()),
        };
        let vectors: Vec<Vec<Complex>> = order.iter().map(|&k| krylov.vector(k)).collect();
        let (zeros, null_space) = self.zeros(&krylov, sigma);
        drop(krylov);
        let mut near = Near {
            found: Vec::new(),
            distance,
            residual: 0.0,
            is_searched: is_searched || exhausted,
            zeros,
            null_space,
        };
        for (&k, z) in order.iter().zip(vectors) {
            let own = theta[k];
            let image = self.apply(sigma, &mut factors, &z);
            let size = |x: &[Complex]| x.iter().map(|x| x.re * x.re + x.im * x.im).sum::<f64>().sqrt();
            let rest: Vec<Complex> = image.iter().zip(&z).map(|(a, z)| *a - own * *z).collect();
            if 1.0 / own.abs() <= distance * (1.0 + 1e-9) {
                near.residual = near.residual.max(size(&rest) / (own.abs() * size(&z)));
            }
            let mut value = sigma - Complex::real(1.0) / own;
            if value.im.abs() <= REAL * value.abs().max(sigma.abs()) {
                value.im = 0.0;
            }
            let shape = (z[..self.free].iter().map(|z| z.scale(1.0 / self.omega)))
                .chain(z[2 * self.free..].iter().copied());
            near.found.push((value, shape.collect()));
        }
        Ok(near)
    }

    /// Zero eigenvalues by rank, with their eigenvectors. A zero with a Jordan chain moves by the root of rounding in an
    /// iteration; the equations among the vectors found, σ − Θ⁻¹, keep its rank.
    fn zeros<F: FnMut(&[Complex]) -> Vec<Complex>>(
        &self,
        krylov: &Krylov<F>,
        sigma: Complex,
    ) -> (usize, Vec<Vec<Complex>>) {
        let known = krylov.values();
        let floor = 1e-12 * known.iter().map(|t| t.abs()).fold(0.0, f64::max);
        // The block in front that has no infinite eigenvalues.
        let m = known.iter().take_while(|t| t.abs() > floor).count();
        let next_to_zero = |t: &Complex| (sigma - Complex::real(1.0) / *t).abs() <= TINY * self.omega;
        if !known[..m].iter().any(next_to_zero) {
            return (0, Vec::new());
        }
        let inverse = krylov.inverse_triangle(m);
        let entry = |i: usize, j: usize| {
            let one = if i == j { sigma } else { Complex::ZERO };
            one - inverse[j].get(i).copied().unwrap_or(Complex::ZERO)
        };
        // As a real matrix of twice the size, which has every zero twice.
        let real = Matrix::from_fn(2 * m, 2 * m, |i, j| {
            let z = entry(i % m, j % m);
            match (i < m, j < m) {
                (true, true) | (false, false) => z.re,
                (true, false) => -z.im,
                (false, true) => z.im,
            }
        });
        let threshold = NULL * self.omega / real.norm();
        let (zeros, null_space) = zero_eigenvalues(&real, threshold);
        // Real and imaginary parts, of which half are new.
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for y in &null_space {
            let y: Vec<Complex> = (0..m).map(|i| Complex::new(y[i], y[m + i])).collect();
            let x = krylov.combination(&y);
            for part in [|z: &Complex| z.re, |z: &Complex| z.im] {
                let mut x: Vec<f64> = x.iter().map(part).collect();
                let before = dot(&x, &x).sqrt();
                for other in &basis {
                    let along = dot(other, &x);
                    x.iter_mut().zip(other).for_each(|(x, o)| *x -= along * o);
                }
                let length = dot(&x, &x).sqrt();
                if length > 1e-3 * before.max(1e-3) && basis.len() < null_space.len() / 2 {
                    x.iter_mut().for_each(|x| *x /= length);
                    basis.push(x);
                }
            }
        }
        let shapes = basis.iter().map(|z| {
            let own = z[..self.free].iter().map(|z| Complex::real(z / self.omega));
            own.chain(z[2 * self.free..].iter().map(|z| Complex::real(*z)))
                .collect()
        });
        (zeros / 2, shapes.collect())
    }

    /// The slowest modes of the undamped mechanism.
    fn slowest(&self) -> Result<Slowest, AnalysisError> {
        let pencil = self.pencil;
        let transposed = pencil.basis.transpose();
        let project = |a: &Sparse| transposed.times_matrix(&a.block(0..pencil.n, 0..pencil.basis.columns()));
        let (k, m) = (project(&pencil.stiffness), project(&pencil.mass));
        let pair = Pair::new(&k, &m);
        let norm = k.norm();
        let zero = (ZERO * norm).max(f64::MIN_POSITIVE);
        let mut counting = Ldl::new(&pair.pattern);
        let mut within = |sigma: f64| {
            let shifts = [1.0, 1.000_37, 0.999_11, 1.002_3];
            shifts.iter().find_map(|f| {
                let above = pair.below(&mut counting, sigma * f)?;
                Some(above.saturating_sub(pair.below(&mut counting, -sigma * f)?))
            })
        };
        let (off, most) = k.asymmetry();
        let neutral = within(zero).unwrap_or(0);
        let mut near = norm;
        while near > zero && within(near).is_some_and(|count| count > neutral) {
            near *= 0.1;
        }
        let (creeping, moved) = (pencil.damping.norm(), m.norm());
        let slowest = match (norm > 0.0, creeping > 0.0) {
            (true, _) => near.max(SLOWEST * norm).sqrt(),
            (_, true) => creeping / moved,
            _ => 1.0,
        };
        let by_rank = pencil.states == 0 && !pencil.forces_read && off <= 1e-9 * most && pencil.at_rest;
        if !by_rank || neutral > DIRECTIONS {
            return Ok((slowest, None, Vec::new()));
        }
        if neutral == 0 {
            return Ok((slowest, Some(0), Vec::new()));
        }
        let open = lanczos(&pair, -0.3 * near.max(3.0 * zero), Wanted::Nearest(neutral))?;
        let own = open.values.iter().zip(open.vectors);
        let directions: Vec<Vec<f64>> = own
            .filter(|(value, _)| value.abs() <= zero)
            .map(|(_, x)| x)
            .collect();
        // Where damping holds a direction, the mechanism creeps along it, and has one zero instead of two.
        let c = project(&pencil.damping);
        let damped: Vec<Vec<f64>> = directions.iter().map(|x| c.times(x)).collect();
        let along = Matrix::from_fn(directions.len(), directions.len(), |i, j| {
            dot(&directions[i], &damped[j])
        });
        let held = Svd::new(&along).rank(1e-9 * c.norm().max(f64::MIN_POSITIVE));
        Ok((slowest, Some(2 * neutral - held), directions))
    }

    /// The modes that were asked for.
    pub fn solve(mut self, selection: Selection) -> Result<Large, AnalysisError> {
        let states = 2 * self.free + self.pencil.states;
        if states == 0 {
            return Ok(Large {
                completeness: Completeness::Counted,
                ..Large::default()
            });
        }
        let (mut slowest, by_rank, directions) = self.slowest()?;
        self.omega = slowest;
        if by_rank.is_none() && !matches!(selection, Selection::Near { .. }) {
            // Zeros are told by what is small among the slowest modes: a first look finds how fast these are.
            let low = Complex::real(0.5 * slowest);
            let look = self.near(low, 12.min(states), |_, _| false)?;
            let fastest = look.found.iter().take(12).map(|f| f.0.abs()).fold(0.0, f64::max);
            if fastest > 0.0 {
                slowest = 0.1 * fastest;
                self.omega = slowest;
            }
        }
        let low = Complex::real(0.5 * slowest);
        let is_zero = |value: Complex| value.abs() <= TINY * slowest;
        // One of a pair.
        let counts = |value: &Complex| value.im >= 0.0;
        let sorted = |near: &mut Near| {
            near.found.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
        };
        let complete = |distance: f64| distance - low.abs();
        let zeros_of = |values: &[Complex]| {
            by_rank.unwrap_or_else(|| values.iter().filter(|value| is_zero(**value)).count())
        };
        let modes_within = |values: &[Complex], distance: f64| {
            let mut sizes: Vec<(f64, bool)> = values.iter().map(|v| (v.abs(), counts(v))).collect();
            sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
            let own = sizes.iter().skip(zeros_of(values));
            own.filter(|(size, counts)| *counts && *size <= complete(distance))
                .count()
        };
        let expected = by_rank.unwrap_or(0);
        let (mut near, limit, wanted) = match selection {
            Selection::Near { frequency, count } => {
                let omega = (core::f64::consts::TAU * frequency).max(slowest);
                let sigma = Complex::new(1e-4 * omega, omega);
                self.omega = omega;
                let goes_on = |values: &[Complex], _: f64| {
                    let own = values.iter().filter(|v| counts(v) && !is_zero(**v)).count();
                    own < count && values.len() < states
                };
                (
                    self.near(sigma, count.min(states), goes_on)?,
                    (0.0, f64::INFINITY),
                    count,
                )
            }
            Selection::Between { from, to } => {
                let (from, to) = (core::f64::consts::TAU * from, core::f64::consts::TAU * to);
                let goes_on = |_: &[Complex], distance: f64| complete(distance) < to;
                let near = self.near(low, (24 + expected).min(states), goes_on)?;
                (near, (from, to), usize::MAX)
            }
            Selection::Lowest(count) => {
                let goes_on = |values: &[Complex], distance: f64| modes_within(values, distance) < count;
                let first = (2 * count + expected + 4).min(states);
                let near = self.near(low, first, goes_on)?;
                let reach = complete(near.distance);
                (near, (0.0, reach), count)
            }
            Selection::All => {
                let near = self.near(low, states, |_, _| false)?;
                (near, (0.0, f64::INFINITY), usize::MAX)
            }
        };
        let mut large = Large {
            residual: near.residual,
            completeness: match near.is_searched {
                true => Completeness::Searched,
                false => Completeness::Unknown,
            },
            ..Large::default()
        };
        let from_zero = !matches!(selection, Selection::Near { .. });
        if from_zero {
            sorted(&mut near);
            let values: Vec<Complex> = near.found.iter().map(|f| f.0).collect();
            let zeros = by_rank.unwrap_or(near.zeros);
            if zeros > values.len() {
                return Err(NoConvergence.into());
            }
            near.found.drain(..zeros);
            large.zeros = zeros;
        } else {
            near.found.retain(|(value, _)| !is_zero(*value));
            large.zeros = expected;
        }
        large.rigid = match by_rank {
            Some(_) => (directions.into_iter())
                .map(|x| x.into_iter().map(Complex::real).collect())
                .collect(),
            None => near.null_space,
        };
        large.free = large.rigid.len();
        large.all = states - large.zeros;
        let within = |value: &Complex| {
            let size = value.abs();
            counts(value) && size >= limit.0 * (1.0 - 1e-12) && size <= limit.1 * (1.0 + 1e-12)
        };
        for (value, shape) in near.found.into_iter().filter(|(v, _)| within(v)).take(wanted) {
            large.values.push(value);
            large.shapes.push(shape);
        }
        Ok(large)
    }
}
