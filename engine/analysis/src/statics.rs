//! Where a mechanism rests: v = 0, v̇ = 0, ẋ = 0, with all constraints.
//!
//! Prescribed coordinates and drivers are held at their values of the given time. Unknown are
//! displacements that keep the constraints (δs = T ξ with G T = 0), the states of elements and the
//! multipliers, which balance whatever they can at every position. Newton's method has exact
//! derivatives, a line search on the length of the unbalanced forces (divided by √M_ii, so that
//! units do not matter), and takes the shortest step where the tangent stiffness does not determine
//! one. Where it gets stuck, or ends in an unstable position, the mechanism is relaxed instead: it
//! follows its forces in pseudo-time, with implicit steps along which the forces do work, until it
//! rests. The report says which of the two it was.

use crate::AnalysisError;
use crate::dense::{Matrix, Svd, dot, eigen, largest};
use crate::displacement_names;
use crate::modes::echelon;
use crate::reduced::{constraint_matrix, scaled_rows, weights};
use crate::tangent::{Equation, Sizes, State, Tangent};
use core::fmt;
use holonom_dae::Rejection;
use holonom_multibody::Signal;
use holonom_multibody::elements::constraints::ConstraintElement;
use holonom_multibody::model::Model;
use holonom_multibody::start::{Assembled, MovedCoordinate};
use std::sync::Arc;

/// Singular values of the scaled tangent below this part of the largest count as zero.
const INDETERMINATE: f64 = 1e-11;

/// Singular values of scaled constraints that count as zero.
const DEPENDENT: f64 = 1e-10;

/// Largest turn or way (in parts of √M_ii, see the code) of one Newton step, rad or m.
const LONGEST_STEP: f64 = 0.5;

/// How equilibria are looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticsOptions {
    /// Unbalanced forces, in parts of the forces at work, that count as none.
    pub tolerance: f64,
    /// Newton steps at most.
    pub newton_steps: usize,
    /// Steps of relaxation at most; none when 0.
    pub relaxation_steps: usize,
}

impl Default for StaticsOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-9,
            newton_steps: 60,
            relaxation_steps: 3000,
        }
    }
}

/// How an equilibrium was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By Newton's method alone.
    Newton,
    /// Newton's method did not converge; the mechanism was relaxed.
    Relaxed,
    /// Newton's method led to an unstable position; relaxation from the start led to this one.
    RelaxedFromUnstable,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Newton => "Newton's method",
            Self::Relaxed => "relaxation, since Newton's method did not converge",
            Self::RelaxedFromUnstable => "relaxation, since Newton's method led to an unstable position",
        })
    }
}

/// Signs of the tangent stiffness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stability {
    /// Directions in which a displacement is pushed back.
    pub stable: usize,
    /// Directions in which it grows.
    pub unstable: usize,
    /// Directions that nothing resists.
    pub neutral: usize,
}

impl Stability {
    /// In a few words.
    pub fn word(&self) -> &'static str {
        match self {
            Self { unstable: 1.., .. } => "unstable",
            Self { neutral: 1.., .. } => "neutral",
            Self { stable: 0, .. } => "without freedom",
            _ => "stable",
        }
    }
}

/// A displacement that the forces do not determine.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenDirection {
    /// Displacements by coordinate, the largest first; the others are zero.
    pub coordinates: Vec<(String, f64)>,
}

impl fmt::Display for OpenDirection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |(name, x): &(String, f64)| match x {
            x if (x - 1.0).abs() < 1e-9 => name.clone(),
            x if (x + 1.0).abs() < 1e-9 => format!("−{name}"),
            x => format!("{x:.3} {name}"),
        };
        let mut parts: Vec<String> = self.coordinates.iter().take(4).map(name).collect();
        if self.coordinates.len() > 4 {
            parts.push("…".to_string());
        }
        f.write_str(&parts.join(" + ").replace("+ −", "− "))
    }
}

/// A position of rest.
#[derive(Clone, Debug)]
pub struct Equilibrium {
    /// The mechanism with what is prescribed held fixed; positions and multipliers are those of the
    /// equilibrium.
    pub start: Assembled,
    /// The equilibrium.
    pub state: State,
    /// How it was found.
    pub way: Way,
    /// Newton steps.
    pub newton_steps: usize,
    /// Steps of relaxation.
    pub relaxation_steps: usize,
    /// What is left unbalanced, in parts of the forces at work.
    pub unbalanced: f64,
    /// Signs of the tangent stiffness along the motions that the constraints allow.
    pub stability: Stability,
    /// Displacements that nothing resists: the equilibrium is one of several.
    pub open: Vec<OpenDirection>,
    /// Coordinates that differ from the start.
    pub moved: Vec<MovedCoordinate>,
    /// What moves by itself and was held.
    pub held: Vec<String>,
}

/// A force that nothing balances.
#[derive(Clone, Debug, PartialEq)]
pub struct Unbalanced {
    /// Coordinate.
    pub name: String,
    /// Force or torque along it, N or N m.
    pub force: f64,
}

impl fmt::Display for Unbalanced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:.4e})", self.name, self.force)
    }
}

/// Why no equilibrium was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StaticsError {
    /// Forces remain.
    #[error(
        "no equilibrium was found from this start; unbalanced after {steps} steps are {}: hold these coordinates by a \
         spring, a stop, a lock or a driver, or start nearer to where the mechanism rests", list(.worst)
    )]
    NoEquilibrium {
        /// The largest unbalanced forces, N or N m, the largest first.
        worst: Vec<Unbalanced>,
        /// Steps of both methods.
        steps: usize,
    },
    /// The mechanism could not be linearised.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
}

impl From<Rejection> for StaticsError {
    fn from(rejection: Rejection) -> Self {
        Self::Analysis(rejection.into())
    }
}

fn list(worst: &[Unbalanced]) -> String {
    let all: Vec<String> = worst.iter().map(Unbalanced::to_string).collect();
    all.join(", ")
}

/// The equilibrium next to the positions of an assembled mechanism, at its time.
///
/// # Errors
/// Forces that nothing balances, with the coordinates they act on; singular positions.
pub fn equilibrium(start: &Assembled, options: &StaticsOptions) -> Result<Equilibrium, StaticsError> {
    let (model, held) = hold(&start.model, None, start.t);
    let model = Arc::new(model);
    let mut search = Search::new(model.clone(), start, options);
    let first = search.state(start);
    let at_start = search.look(first.clone())?;
    let rests_already = search.is_balanced(&at_start);
    let mut way = Way::Newton;
    let mut end = match search.newton(at_start.clone())? {
        Ok(local) => {
            let unstable = |local: &Local| local.stability().map(|s| s.unstable > 0);
            if !rests_already && unstable(&local)? {
                match search.relax(at_start)? {
                    Ok(other) if !unstable(&other)? => {
                        way = Way::RelaxedFromUnstable;
                        other
                    }
                    _ => local,
                }
            } else {
                local
            }
        }
        Err(_) => {
            way = Way::Relaxed;
            match search.relax(at_start)? {
                Ok(local) => local,
                Err(stuck) => {
                    return Err(StaticsError::NoEquilibrium {
                        worst: stuck.worst(&model),
                        steps: search.newton_steps + search.relaxation_steps,
                    });
                }
            }
        }
    };
    end.state.a.fill(0.0);
    let stability = end.stability()?;
    let moved = (start.q.iter().zip(&end.state.q).zip(&model.position_names))
        .filter(|((from, to), _)| (*to - *from).abs() > 1e-10)
        .map(|((from, to), name)| MovedCoordinate {
            name: name.clone(),
            from: *from,
            to: *to,
        })
        .collect();
    Ok(Equilibrium {
        start: Assembled {
            q: end.state.q.clone(),
            v: vec![0.0; model.tree.n_v],
            a: vec![0.0; model.tree.n_v],
            lambda: end.state.lambda.clone(),
            model: model.clone(),
            ..start.clone()
        },
        unbalanced: if end.length > 0.0 {
            end.length / search.scale
        } else {
            0.0
        },
        open: end.open(&search.equation),
        state: end.state,
        way,
        newton_steps: search.newton_steps,
        relaxation_steps: search.relaxation_steps,
        stability,
        moved,
        held,
    })
}

/// The mechanism with all that is prescribed held at its value, and the names of what moved. With a
/// `base`, it is held at the values there, and only what differs from it still moves.
pub(crate) fn hold(model: &Model, base: Option<&Model>, t: f64) -> (Model, Vec<String>) {
    let mut still = model.clone();
    let mut names = Vec::new();
    let mut hold = |signal: &mut Signal, base: Option<&Signal>, name: &str| {
        let [u, rate, acceleration] = signal.evaluate(t);
        if rate != 0.0 || acceleration != 0.0 {
            names.push(name.to_string());
        }
        *signal = match base {
            None => Signal::constant(u),
            Some(base) => Signal::Sum(vec![
                Signal::constant(base.evaluate(t)[0]),
                signal.clone(),
                Signal::Scaled(-1.0, Box::new(base.clone())),
            ]),
        };
    };
    for (k, signal) in still.signals.iter_mut().enumerate() {
        let node = model.tree.nodes.iter().position(|n| n.prescribed == Some(k));
        let joint = model
            .joints
            .iter()
            .find(|j| node.is_some_and(|n| j.coordinates.contains(&n)));
        let name = joint.map_or("a prescribed coordinate", |j| j.name.as_str());
        hold(signal, base.and_then(|base| base.signals.get(k)), name);
    }
    for (k, constraint) in still.constraints.iter_mut().enumerate() {
        let base = match base.and_then(|base| base.constraints.get(k)).map(|c| &c.element) {
            Some(ConstraintElement::Coordinates(sum)) => sum.signal.as_ref(),
            _ => None,
        };
        if let ConstraintElement::Coordinates(sum) = &mut constraint.element
            && let Some(signal) = &mut sum.signal
        {
            hold(signal, base, &constraint.name);
        }
    }
    names.dedup();
    (still, names)
}

/// What is known at one position.
#[derive(Clone)]
struct Local {
    state: State,
    tangent: Tangent,
    weight: Vec<f64>,
    /// Displacements that keep the constraints on positions, divided by √M_ii.
    free: Matrix,
    /// Those that keep the constraints on velocities as well.
    rolling: Matrix,
    /// Unbalanced forces divided by √M_ii, then rates of states.
    rest: Vec<f64>,
    /// Length of it.
    length: f64,
    /// Size of what adds up to it.
    size: f64,
}

struct Search<'a> {
    equation: Equation,
    options: &'a StaticsOptions,
    scale: f64,
    newton_steps: usize,
    relaxation_steps: usize,
}

impl<'a> Search<'a> {
    fn new(model: Arc<Model>, start: &Assembled, options: &'a StaticsOptions) -> Self {
        Self {
            equation: Equation::new(model, start.rows.active.clone()),
            options,
            scale: 0.0,
            newton_steps: 0,
            relaxation_steps: 0,
        }
    }

    fn state(&self, start: &Assembled) -> State {
        let n = start.v.len();
        let held = Assembled {
            v: vec![0.0; n],
            a: vec![0.0; n],
            model: self.equation.model.clone(),
            ..start.clone()
        };
        self.equation.state(&held)
    }

    /// Derivatives at a state; multipliers are chosen so that they balance all they can.
    fn look(&mut self, mut state: State) -> Result<Local, StaticsError> {
        let Sizes {
            v: n, x: n_x, rows, ..
        } = self.equation.sizes;
        let mut tangent = self.equation.tangent(&state)?;
        let weight = weights(&tangent, n);
        // Once is enough unless forces depend on multipliers.
        for _ in 0..8 {
            if rows == 0 {
                break;
            }
            let g = Matrix::from_fn(n, rows, |i, k| tangent.rates[(i, n + n_x + k)] / weight[i]);
            let lengths: Vec<f64> = (0..rows).map(|k| dot(g.column(k), g.column(k)).sqrt()).collect();
            let unit = |k: usize| if lengths[k] > 0.0 { lengths[k] } else { 1.0 };
            let svd = Svd::new(&Matrix::from_fn(n, rows, |i, k| g[(i, k)] / unit(k)));
            let right: Vec<f64> = (0..n).map(|i| -tangent.rest[i] / weight[i]).collect();
            let change = svd.least_squares(&right, DEPENDENT);
            let change: Vec<f64> = change.iter().enumerate().map(|(k, x)| x / unit(k)).collect();
            for (l, c) in state.lambda.iter_mut().zip(&change) {
                *l += c;
            }
            tangent = self.equation.tangent(&state)?;
            if largest(&change) <= 1e-12 * (1.0 + largest(&state.lambda)) {
                break;
            }
        }
        let g = constraint_matrix(&tangent, self.equation.sizes);
        let scaled = scaled_rows(&g, &weight);
        let all: Vec<usize> = (0..n).collect();
        let free = Svd::new(&scaled.part(&self.equation.holonomic, &all)).null_space(DEPENDENT);
        let rolling = Svd::new(&scaled).null_space(DEPENDENT);
        let rest: Vec<f64> = (0..n + n_x)
            .map(|i| tangent.rest[i] / weight.get(i).copied().unwrap_or(1.0))
            .collect();
        // What the multipliers carry and what a displacement of rounding would change.
        let carried: Vec<f64> = (0..n)
            .map(|i| {
                (0..rows)
                    .map(|k| tangent.rates[(i, n + n_x + k)] * state.lambda[k])
                    .sum::<f64>()
                    / weight[i]
            })
            .collect();
        let stiffness = (0..n)
            .map(|j| {
                (0..n)
                    .map(|i| tangent.states[(i, j)] / weight[i])
                    .map(|x| x * x)
                    .sum::<f64>()
                    .sqrt()
            })
            .fold(0.0, f64::max);
        Ok(Local {
            length: dot(&rest, &rest).sqrt(),
            size: dot(&carried, &carried).sqrt() + 1e-6 * stiffness,
            state,
            tangent,
            weight,
            free,
            rolling,
            rest,
        })
    }

    /// The state moved by a step and put back on the constraints; none where that fails.
    fn moved(
        &mut self,
        from: &Local,
        step: &[f64],
        x: &[f64],
        part: f64,
    ) -> Result<Option<Local>, StaticsError> {
        let step: Vec<f64> = step.iter().map(|s| s * part).collect();
        let mut state = from.state.clone();
        state.q = self.equation.moved(&state.q, &step);
        for (own, x) in state.x.iter_mut().zip(x) {
            *own += x * part;
        }
        if !self.close(&mut state)? {
            return Ok(None);
        }
        match self.look(state) {
            Ok(local) if local.length.is_finite() => Ok(Some(local)),
            Ok(_) | Err(StaticsError::Analysis(AnalysisError::Rejected(_))) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// Closes loops by shortest steps.
    fn close(&mut self, state: &mut State) -> Result<bool, StaticsError> {
        let holonomic = self.equation.holonomic.clone();
        if holonomic.is_empty() {
            return Ok(true);
        }
        let mut before = f64::INFINITY;
        for _ in 0..20 {
            let Ok((gaps, _)) = self.equation.gaps(state) else {
                return Ok(false);
            };
            let gap = largest(&gaps);
            if gap < 1e-14 || (gap < 1e-10 && gap > 0.5 * before) {
                return Ok(true);
            }
            if gap.is_nan() || (gap > 1e-6 && gap > 2.0 * before) {
                return Ok(false);
            }
            before = gap;
            let tangent = self.equation.tangent(state)?;
            let weight = weights(&tangent, self.equation.sizes.v);
            let g = constraint_matrix(&tangent, self.equation.sizes);
            let columns: Vec<usize> = (0..g.columns()).collect();
            let g = g.part(&holonomic, &columns);
            let scaled = Matrix::from_fn(g.rows(), g.columns(), |i, j| g[(i, j)] / weight[j]);
            let svd = Svd::new(&scaled);
            let right: Vec<f64> = gaps.iter().map(|g| -g).collect();
            let step = svd.least_squares(&right, DEPENDENT * svd.values.first().copied().unwrap_or(0.0));
            let step: Vec<f64> = step.iter().zip(&weight).map(|(s, w)| s / w).collect();
            state.q = self.equation.moved(&state.q, &step);
        }
        Ok(before < 1e-9)
    }

    fn is_balanced(&mut self, local: &Local) -> bool {
        self.scale = self.scale.max(local.size).max(local.length);
        local.length <= self.options.tolerance * self.scale
    }

    /// Newton's method; what is left where it gets stuck.
    fn newton(&mut self, mut local: Local) -> Result<Result<Local, Local>, StaticsError> {
        let n = self.equation.sizes.v;
        for _ in 0..self.options.newton_steps {
            let balanced = self.is_balanced(&local);
            let (step, x) = local.newton_step(&self.equation);
            let longest = largest(&step);
            if !longest.is_finite() {
                return Ok(Err(local));
            }
            let mut part: f64 = if longest > LONGEST_STEP {
                LONGEST_STEP / longest
            } else {
                1.0
            };
            let mut next = None;
            while part > 1e-6 {
                match self.moved(&local, &step[..n], &x, part)? {
                    Some(other) if other.length < local.length * (1.0 - 1e-4 * part) => {
                        next = Some(other);
                        break;
                    }
                    _ => part *= 0.5,
                }
                if balanced {
                    break;
                }
            }
            self.newton_steps += 1;
            match next {
                // Beyond the tolerance as long as it pays: the digits cost one step.
                Some(other) if balanced && other.length > 0.1 * local.length => return Ok(Ok(other)),
                Some(other) => local = other,
                None if balanced => return Ok(Ok(local)),
                None => return Ok(Err(local)),
            }
        }
        if self.is_balanced(&local) {
            Ok(Ok(local))
        } else {
            Ok(Err(local))
        }
    }

    /// Follows the forces in pseudo-time.
    fn relax(&mut self, mut local: Local) -> Result<Result<Local, Local>, StaticsError> {
        let mut shift: Option<f64> = None;
        let mut worse = 0;
        for _ in 0..self.options.relaxation_steps {
            if self.is_balanced(&local) {
                return self.newton(local);
            }
            self.relaxation_steps += 1;
            let stiffness = local.stiffness();
            let norm = stiffness.norm().max(1e-3 * local.length).max(f64::MIN_POSITIVE);
            let sigma = shift.unwrap_or(norm);
            let (step, x, slope) = local.relaxation_step(&stiffness, sigma);
            let longest = largest(&step);
            let next = if longest.is_finite() && longest <= LONGEST_STEP {
                self.moved(&local, &step, &x, 1.0)?
            } else {
                None
            };
            match next {
                // The forces do work along the step, at its end as well on average.
                Some(other) if slope + local.work(&other, &step) <= 0.0 => {
                    if sigma < 1e-3 * norm && local.length < 0.1 * self.scale {
                        if let Ok(found) = self.newton(other.clone())?
                            && found.stability()?.unstable == 0
                        {
                            return Ok(Ok(found));
                        }
                    }
                    local = other;
                    shift = Some((sigma / 3.0).max(1e-9 * norm));
                    worse = 0;
                }
                _ => {
                    shift = Some(sigma * 4.0);
                    worse += 1;
                    if worse > 60 {
                        return Ok(Err(local));
                    }
                }
            }
            if largest(&local.state.q) > 1e9 {
                return Ok(Err(local));
            }
        }
        Ok(Err(local))
    }
}

impl Local {
    /// The tangent of all unknowns, scaled, with the scales of its columns: displacements, multipliers,
    /// states.
    fn scaled_tangent(&self, equation: &Equation) -> (Matrix, Vec<f64>) {
        let Sizes {
            v: n, x: n_x, rows, ..
        } = equation.sizes;
        let (states, rates) = (&self.tangent.states, &self.tangent.rates);
        let row = |i: usize| self.weight.get(i).copied().unwrap_or(1.0);
        let k =
            Matrix::from_fn(n + n_x, n, |i, j| states[(i, j)] / row(i) / self.weight[j]).times(&self.free);
        let size = k.norm() / (k.columns().max(1) as f64).sqrt();
        let size = if size > 0.0 { size } else { 1.0 };
        let n_free = self.free.columns();
        let mut all = Matrix::zeros(n + n_x, n_free + rows + n_x);
        let mut scale = vec![size; n_free];
        all.put(0, 0, &k);
        let lambda = Matrix::from_fn(n + n_x, rows, |i, j| rates[(i, n + n_x + j)] / row(i));
        all.put(0, n_free, &lambda);
        let own = Matrix::from_fn(n + n_x, n_x, |i, j| states[(i, 2 * n + j)] / row(i));
        all.put(0, n_free + rows, &own);
        for j in n_free..all.columns() {
            let length = dot(all.column(j), all.column(j)).sqrt();
            scale.push(if length > 0.0 { length } else { 1.0 });
        }
        for (j, s) in scale.iter().enumerate() {
            all.column_mut(j).iter_mut().for_each(|x| *x /= s);
        }
        (all, scale)
    }

    /// The shortest Newton step: displacements, then states.
    fn newton_step(&self, equation: &Equation) -> (Vec<f64>, Vec<f64>) {
        let (a, scale) = self.scaled_tangent(equation);
        let svd = Svd::new(&a);
        let right: Vec<f64> = self.rest.iter().map(|r| -r).collect();
        let w = svd.least_squares(&right, INDETERMINATE * svd.values.first().copied().unwrap_or(0.0));
        let w: Vec<f64> = w.iter().zip(&scale).map(|(w, s)| w / s).collect();
        let n_free = self.free.columns();
        let step = self.free.times_vector(&w[..n_free]);
        let step = step.iter().zip(&self.weight).map(|(s, w)| s / w).collect();
        (step, w[n_free + equation.sizes.rows..].to_vec())
    }

    /// Tangent stiffness along the motions that the constraints allow, then states.
    fn stiffness(&self) -> Matrix {
        let n = self.weight.len();
        let n_x = self.rest.len() - n;
        let states = &self.tangent.states;
        let row = |i: usize| self.weight.get(i).copied().unwrap_or(1.0);
        let column = |j: usize| if j < n { j } else { n + j };
        let all = Matrix::from_fn(n + n_x, n + n_x, |i, j| states[(i, column(j))] / row(i) / row(j));
        let mut basis = Matrix::zeros(n + n_x, self.rolling.columns() + n_x);
        basis.put(0, 0, &self.rolling);
        basis.put(n, self.rolling.columns(), &Matrix::identity(n_x));
        basis.transpose().times(&all.times(&basis))
    }

    /// An implicit step of pseudo-time, and the work of the present forces along it, negated.
    fn relaxation_step(&self, stiffness: &Matrix, sigma: f64) -> (Vec<f64>, Vec<f64>, f64) {
        let (n, m) = (self.weight.len(), self.rolling.columns());
        let mut a = stiffness.clone();
        for i in 0..a.rows() {
            a[(i, i)] += sigma;
        }
        let mut w: Vec<f64> = self.rolling.transpose_times_vector(&self.rest[..n]);
        w.extend(&self.rest[n..]);
        let force = w.clone();
        w.iter_mut().for_each(|x| *x = -*x);
        crate::dense::Lu::new(a).solve(&mut w);
        let slope = dot(&force[..m], &w[..m]);
        let step = self.rolling.times_vector(&w[..m]);
        let step = step.iter().zip(&self.weight).map(|(s, w)| s / w).collect();
        (step, w[m..].to_vec(), slope)
    }

    /// Work of the forces at another position along a step from here, negated.
    fn work(&self, other: &Self, step: &[f64]) -> f64 {
        (0..step.len())
            .map(|i| other.rest[i] * other.weight[i] * step[i])
            .sum()
    }

    fn stability(&self) -> Result<Stability, StaticsError> {
        let stiffness = self.stiffness();
        let m = self.rolling.columns();
        let part: Vec<usize> = (0..m).collect();
        // States of elements follow: their part is eliminated.
        let reduced = condensed(&stiffness, m).unwrap_or_else(|| stiffness.part(&part, &part));
        let found = eigen(&reduced, &vec![1.0; m], INDETERMINATE).map_err(AnalysisError::from)?;
        let unstable = found.values.iter().filter(|x| x.re < 0.0).count();
        Ok(Stability {
            unstable,
            neutral: found.zeros,
            stable: m - unstable - found.zeros,
        })
    }

    fn open(&self, equation: &Equation) -> Vec<OpenDirection> {
        let (a, scale) = self.scaled_tangent(equation);
        let svd = Svd::new(&a);
        let null = svd.null_space(INDETERMINATE * svd.values.first().copied().unwrap_or(0.0));
        let n_free = self.free.columns();
        let shift = |j: usize| -> Vec<f64> {
            let w: Vec<f64> = (0..n_free).map(|i| null[(i, j)] / scale[i]).collect();
            let s = self.free.times_vector(&w);
            s.iter().zip(&self.weight).map(|(s, w)| s / w).collect()
        };
        // Multipliers alone are no displacement.
        let moving = Matrix::from_fn(n_free, null.columns(), |i, j| null[(i, j)]);
        let turned = Svd::new(&moving);
        let count = turned.rank(1e-6);
        let basis: Vec<Vec<f64>> = (0..count)
            .map(|k| {
                let mut s = vec![0.0; self.weight.len()];
                for j in 0..null.columns() {
                    for (s, x) in s.iter_mut().zip(shift(j)) {
                        *s += turned.right[(j, k)] * x;
                    }
                }
                s
            })
            .collect();
        let names = displacement_names(&equation.model);
        let direction = |s: &Vec<f64>| {
            let mut all: Vec<(String, f64)> = (s.iter().zip(&names))
                .filter(|(x, _)| **x != 0.0)
                .map(|(x, name)| (name.clone(), *x))
                .collect();
            all.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
            OpenDirection { coordinates: all }
        };
        echelon(&basis, &self.weight).iter().map(direction).collect()
    }

    fn worst(&self, model: &Model) -> Vec<Unbalanced> {
        let mut order: Vec<usize> = (0..self.weight.len()).collect();
        order.sort_by(|&a, &b| self.rest[b].abs().total_cmp(&self.rest[a].abs()));
        let most = order.first().map_or(0.0, |&i| self.rest[i].abs());
        let names = displacement_names(model);
        let force = |&i: &usize| Unbalanced {
            name: names[i].clone(),
            force: -self.rest[i] * self.weight[i],
        };
        order
            .iter()
            .filter(|&&i| self.rest[i].abs() > 1e-3 * most)
            .take(3)
            .map(force)
            .collect()
    }
}

/// The first m rows and columns with the others eliminated; none where they cannot be.
fn condensed(a: &Matrix, m: usize) -> Option<Matrix> {
    let (first, rest): (Vec<usize>, Vec<usize>) = ((0..m).collect(), (m..a.rows()).collect());
    if rest.is_empty() {
        return None;
    }
    let lu = crate::dense::Lu::new(a.part(&rest, &rest));
    if lu.smallest_pivot() < 1e-12 {
        return None;
    }
    let solved = a
        .part(&first, &rest)
        .times(&lu.solve_matrix(a.part(&rest, &first)));
    let own = a.part(&first, &first);
    Some(Matrix::from_fn(m, m, |i, j| own[(i, j)] - solved[(i, j)]))
}
