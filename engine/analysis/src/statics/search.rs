//! The search: Newton's method with a line search, and relaxation in pseudo-time.

use super::dense::Dense;
use super::local::{Kept, Linear, Local, NewtonStep, along, length};
use super::sparse::{Large, carry, kept, least_squares, shortest};
use super::{StaticsError, StaticsOptions};
use crate::AnalysisError;
use crate::dense::{Matrix, Svd, largest};
use crate::tangent::{Equation, Sizes, SparseTangent, State};
use holonom_multibody::Model;
use holonom_multibody::start::Assembled;
use std::sync::Arc;

/// Singular values of scaled constraints that count as zero.
pub(super) const DEPENDENT: f64 = 1e-10;

/// Largest turn or way of one step, rad or m.
const LONGEST_STEP: f64 = 0.5;

/// Newton steps, in parts of the size of the mechanism or in radians, up to which a position has settled, and up to
/// which it has where they shrink.
const SETTLED: f64 = 1e-9;
const SETTLING: f64 = 1e-6;

/// Steps shrink where they are shorter than this part of the one before. Those of Newton's method towards a root of
/// order n shrink by 1 − 1/n, those after forces that fade do not.
const SHRINKING: f64 = 0.9;

/// Forces, in parts of the largest at work, that may remain along directions that nothing resists.
const UNRESISTED_FORCE: f64 = 1e-11;

/// Resistance of such a direction, in parts of an average one.
const UNRESISTED: f64 = 1e-8;

/// How often relaxation tries to end by Newton's method.
const ATTEMPTS: usize = 8;

/// How far an unstable position is left, to both sides, rad or m.
const PUSHES: [f64; 4] = [0.02, -0.02, 0.2, -0.2];

/// A search with what it has used up.
pub(super) struct Search<'a> {
    pub equation: Equation,
    pub options: &'a StaticsOptions,
    pub scale: f64,
    /// Size of the mechanism, at least 1 m: positions are rounded in parts of it.
    extent: f64,
    pub newton_steps: usize,
    pub relaxation_steps: usize,
}

impl<'a> Search<'a> {
    pub fn new(model: Arc<Model>, start: &Assembled, options: &'a StaticsOptions) -> Self {
        let placements = model.tree.nodes.iter().map(|n| n.placement.position.norm());
        let equation = Equation::new(model.clone(), start.rows.active.clone());
        let slides = equation.slid_positions();
        let ways = slides.into_iter().map(|i| start.q[i].abs());
        let extent = placements.chain(ways).fold(1.0, f64::max);
        Self {
            equation,
            options,
            scale: 0.0,
            extent,
            newton_steps: 0,
            relaxation_steps: 0,
        }
    }

    pub fn state(&self, start: &Assembled) -> State {
        let n = start.v.len();
        let held = Assembled {
            v: vec![0.0; n],
            a: vec![0.0; n],
            model: self.equation.model.clone(),
            ..start.clone()
        };
        self.equation.state(&held)
    }

    /// Whether matrices are dense.
    fn is_small(&self) -> bool {
        let Sizes { v, x, rows, .. } = self.equation.sizes;
        v + x + rows <= self.options.dense_up_to
    }

    /// The change of multipliers that balances all they can.
    fn balance(&self, tangent: &SparseTangent, weight: &[f64]) -> Option<Vec<f64>> {
        let Sizes {
            v: n, x: n_x, rows, ..
        } = self.equation.sizes;
        let right: Vec<f64> = (0..n).map(|i| -tangent.rest[i] / weight[i]).collect();
        let g = tangent.rates.block(0..n, n + n_x..n + n_x + rows);
        let g = g.scaled(|i| weight[i], |_| 1.0);
        if !self.is_small() {
            return least_squares(&g, &right);
        }
        let g = g.to_dense();
        let lengths: Vec<f64> = (0..rows).map(|k| length(g.column(k))).collect();
        let unit = |k: usize| if lengths[k] > 0.0 { lengths[k] } else { 1.0 };
        let svd = Svd::new(&Matrix::from_fn(n, rows, |i, k| g[(i, k)] / unit(k)));
        let change = svd.least_squares(&right, DEPENDENT);
        Some(change.iter().enumerate().map(|(k, x)| x / unit(k)).collect())
    }

    /// Derivatives at a state; multipliers are chosen so that they balance all they can.
    pub fn look(&mut self, mut state: State) -> Result<Local, StaticsError> {
        let sizes = self.equation.sizes;
        let Sizes {
            v: n, x: n_x, rows, ..
        } = sizes;
        let mut tangent = self.equation.sparse_tangent(&state)?;
        let weight = tangent.weights(n);
        // Once is enough unless forces depend on multipliers.
        for _ in 0..8 {
            if rows == 0 {
                break;
            }
            let Some(change) = self.balance(&tangent, &weight) else {
                return Err(AnalysisError::Singular.into());
            };
            for (l, c) in state.lambda.iter_mut().zip(&change) {
                *l += c;
            }
            tangent = self.equation.sparse_tangent(&state)?;
            if largest(&change) <= 1e-12 * (1.0 + largest(&state.lambda)) {
                break;
            }
        }
        let kept = kept(&tangent, sizes);
        carry(&mut tangent, sizes, &kept);
        let rest: Vec<f64> = (0..n + n_x)
            .map(|i| tangent.rest[i] / weight.get(i).copied().unwrap_or(1.0))
            .collect();
        // What the multipliers carry and what a displacement of rounding would change.
        let mut carried = vec![0.0; n];
        for (k, lambda) in state.lambda.iter().enumerate() {
            for (i, x) in tangent.rates.column(n + n_x + k).filter(|(i, _)| *i < n) {
                carried[i] += x * lambda / weight[i];
            }
        }
        let stiffness = (0..n)
            .map(|j| {
                let column = tangent.states.column(j).filter(|(i, _)| *i < n);
                column.map(|(i, x)| (x / weight[i]).powi(2)).sum::<f64>().sqrt()
            })
            .fold(0.0, f64::max);
        let linear = if self.is_small() {
            let dense = self.equation.dense(tangent)?;
            Linear::Dense(Box::new(Dense::new(dense, &self.equation, &weight)))
        } else {
            Linear::Sparse(Box::new(Large::new(tangent, &self.equation, &weight)))
        };
        Ok(Local {
            length: length(&rest),
            size: length(&carried) + 1e-6 * stiffness * self.extent,
            state,
            weight,
            rest,
            kept,
            linear,
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
        let mut gone = step.clone();
        if !self.close(&mut state, &mut gone)? {
            return Ok(None);
        }
        let looked = match self.keep(from, &mut state, &step, &gone) {
            Ok(true) => self.look(state),
            Ok(false) => return Ok(None),
            Err(error) => Err(error),
        };
        match looked {
            Ok(local) if local.length.is_finite() => Ok(Some(local)),
            Ok(_) | Err(StaticsError::Analysis(AnalysisError::Rejected(_))) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// Gives kept states what the way leaves in them: ∫(∂ẋ/∂v) ds over closed positions, by Simpson's rule
    /// from the trapezoidal ones over the whole and over both halves. With the derivatives of one end
    /// alone, the length of the steps would decide where the mechanism rests.
    fn keep(
        &mut self,
        from: &Local,
        state: &mut State,
        step: &[f64],
        gone: &[f64],
    ) -> Result<bool, StaticsError> {
        if from.kept.is_empty() {
            return Ok(true);
        }
        let mut first: Vec<f64> = step.iter().map(|s| 0.5 * s).collect();
        let mut middle = from.state.clone();
        middle.q = self.equation.moved(&middle.q, &first);
        if !self.close(&mut middle, &mut first)? {
            return Ok(false);
        }
        let second: Vec<f64> = gone.iter().zip(&first).map(|(all, first)| all - first).collect();
        let sizes = self.equation.sizes;
        let at_middle = kept(&self.equation.sparse_tangent(&middle)?, sizes);
        let at_end = kept(&self.equation.sparse_tangent(state)?, sizes);
        for (k, begin) in &from.kept {
            let there = |all: &[Kept]| {
                let own = all.iter().find(|(other, _)| other == k);
                own.map_or_else(|| begin.clone(), |(_, change)| change.clone())
            };
            let (middle, end) = (there(&at_middle), there(&at_end));
            let part =
                |a: &[(usize, f64)], b: &[(usize, f64)], way: &[f64]| 0.5 * (along(a, way) + along(b, way));
            let coarse = part(begin, &end, gone);
            let fine = part(begin, &middle, &first) + part(&middle, &end, &second);
            state.x[*k] = from.state.x[*k] + (4.0 * fine - coarse) / 3.0;
        }
        Ok(true)
    }

    /// Closes loops by shortest steps, which are added to the way gone.
    fn close(&mut self, state: &mut State, gone: &mut [f64]) -> Result<bool, StaticsError> {
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
            let tangent = self.equation.sparse_tangent(state)?;
            let sizes = self.equation.sizes;
            let weight = tangent.weights(sizes.v);
            let right: Vec<f64> = gaps.iter().map(|g| -g).collect();
            let first = sizes.v + sizes.x;
            let g = tangent.rates.block(first..first + sizes.rows, 0..sizes.v);
            let g = g.select_rows(&holonomic).scaled(|_| 1.0, |j| weight[j]);
            let step = if self.is_small() {
                let svd = Svd::new(&g.to_dense());
                svd.least_squares(&right, DEPENDENT * svd.values.first().copied().unwrap_or(0.0))
            } else {
                match shortest(&g, &right) {
                    Some(step) => step,
                    None => return Ok(false),
                }
            };
            let step: Vec<f64> = step.iter().zip(&weight).map(|(s, w)| s / w).collect();
            gone.iter_mut().zip(&step).for_each(|(g, s)| *g += s);
            state.q = self.equation.moved(&state.q, &step);
        }
        Ok(before < 1e-9)
    }

    pub fn is_balanced(&mut self, local: &Local) -> bool {
        self.scale = self.scale.max(local.size).max(local.length);
        local.length <= self.options.tolerance * self.scale
    }

    /// Longest turn and longest way of a displacement.
    fn reach(&self, step: &[f64]) -> (f64, f64) {
        let slides = self.equation.slides();
        let longest = |slide: bool| {
            let own = (0..slides.len()).filter(|&i| slides[i] == slide);
            own.map(|i| step[i].abs()).fold(0.0, f64::max)
        };
        (longest(false), longest(true))
    }

    /// How far a Newton step leads from a position, in radians or parts of the size of the mechanism; none where the
    /// forces do not balance there.
    fn distance(&mut self, local: &Local, step: &NewtonStep) -> Option<f64> {
        if !self.is_balanced(local) || step.remainder.is_nan() {
            return None;
        }
        let resolution = UNRESISTED_FORCE * self.scale;
        if step.remainder > resolution {
            return None;
        }
        if local.length == 0.0 || (local.length <= resolution && step.resisted < UNRESISTED) {
            return Some(0.0);
        }
        let (turn, way) = self.reach(&step.displacement);
        let slides = self.equation.slid_positions().into_iter();
        let extent = slides.map(|i| local.state.q[i].abs()).fold(self.extent, f64::max);
        Some(turn.max(way / extent))
    }

    /// Newton's method; what is left where it gets stuck.
    pub fn newton(&mut self, mut local: Local) -> Result<Result<Local, Local>, StaticsError> {
        let n = self.equation.sizes.v;
        // Turns have a bound of their own; ways may grow beyond it where the forces have followed the tangent.
        let mut farthest = LONGEST_STEP;
        let (mut settled, mut before) = (false, 0.0);
        for _ in 0..self.options.newton_steps {
            let newton = local.newton_step(&self.equation);
            let (step, x) = (&newton.displacement, &newton.states);
            if !largest(step).is_finite() {
                return Ok(Err(local));
            }
            let distance = self.distance(&local, &newton);
            let settling = distance.is_some_and(|d| d <= SETTLING);
            settled = settling && distance.is_some_and(|d| d <= SETTLED.max(SHRINKING * before));
            before = distance.unwrap_or(0.0);
            let (turn, way) = self.reach(step);
            let mut part: f64 = 1.0;
            for (size, bound) in [(turn, LONGEST_STEP), (way, farthest)] {
                if size > bound {
                    part = part.min(bound / size);
                }
            }
            let limited = part < 1.0;
            let least = 1e-6 * part;
            let mut next = None;
            while part > least {
                // A step beyond the usual bound has to do what the tangent says, but for a tenth.
                let enough = match way * part > LONGEST_STEP {
                    true => 1.0 - 0.9 * part,
                    false => 1.0 - 1e-4 * part,
                };
                match self.moved(&local, &step[..n], x, part)? {
                    Some(other) if other.length < local.length * enough => {
                        next = Some(other);
                        break;
                    }
                    _ => {
                        farthest = LONGEST_STEP;
                        part *= 0.5;
                    }
                }
                if settling {
                    break;
                }
            }
            self.newton_steps += 1;
            if let Some(other) = &next
                && limited
                && other.length <= local.length * (1.0 - 0.99 * part)
            {
                farthest *= 8.0;
            }
            match next {
                // Beyond the tolerance as long as it pays: the digits cost one step.
                Some(other) if settled && other.length > 0.1 * local.length => return Ok(Ok(other)),
                Some(other) => local = other,
                None if settling => return Ok(Ok(local)),
                None => return Ok(Err(local)),
            }
        }
        if settled && self.is_balanced(&local) {
            Ok(Ok(local))
        } else {
            Ok(Err(local))
        }
    }

    /// Why there is no equilibrium where the search got stuck.
    pub fn none(&mut self, stuck: &Local) -> StaticsError {
        let steps = self.newton_steps + self.relaxation_steps;
        let newton = stuck.newton_step(&self.equation);
        let model = &self.equation.model;
        if self.scale > 0.0
            && stuck.length <= self.options.tolerance * self.scale
            && largest(&newton.displacement).is_finite()
        {
            let farthest = stuck.farthest(model, &newton.displacement);
            return StaticsError::Unsettled { farthest, steps };
        }
        StaticsError::NoEquilibrium {
            worst: stuck.worst(model),
            steps,
        }
    }

    /// A position of rest to one side of an unstable one, preferably stable; none where relaxation from
    /// both sides leads back or nowhere.
    pub fn leave(&mut self, from: &Local) -> Result<Option<Local>, StaticsError> {
        let Some(direction) = from.growing()? else {
            return Ok(None);
        };
        let still = vec![0.0; from.state.x.len()];
        let mut other = None;
        for push in PUSHES {
            let Some(pushed) = self.moved(from, &direction, &still, push)? else {
                continue;
            };
            let Ok(found) = self.relax(pushed)? else { continue };
            if found.stability()?.unstable == 0 {
                return Ok(Some(found));
            }
            let way = |local: &Local| {
                local
                    .state
                    .q
                    .iter()
                    .zip(&from.state.q)
                    .map(|(a, b)| (a - b).abs())
                    .fold(0.0, f64::max)
            };
            if other.is_none() && way(&found) > 1e-3 {
                other = Some(found);
            }
        }
        Ok(other)
    }

    /// Follows the forces in pseudo-time.
    pub fn relax(&mut self, mut local: Local) -> Result<Result<Local, Local>, StaticsError> {
        let mut shift: Option<f64> = None;
        let (mut worse, mut attempts) = (0, 0);
        // As in Newton's method, ways may grow where the forces have followed the tangent.
        let mut farthest = LONGEST_STEP;
        for _ in 0..self.options.relaxation_steps {
            if self.is_balanced(&local) {
                return self.newton(local);
            }
            self.relaxation_steps += 1;
            let stiffness = local.stiffness();
            let norm = stiffness.norm().max(1e-3 * local.length).max(f64::MIN_POSITIVE);
            let sigma = shift.unwrap_or(norm);
            let (step, x, slope) = local.relaxation_step(&stiffness, sigma);
            let (turn, way) = self.reach(&step);
            let tried = turn <= LONGEST_STEP && way <= farthest && largest(&step).is_finite();
            let next = match tried {
                true => self.moved(&local, &step, &x, 1.0)?,
                false => None,
            };
            // (K + σ) δ = −f leaves δ · f = −σ |δ|² at the end of the step.
            let left = || -> f64 {
                let parts = step.iter().zip(&local.weight);
                -sigma * parts.map(|(s, w)| (s * w).powi(2)).sum::<f64>()
            };
            let follows = |work: f64| (work - left()).abs() <= 0.1 * slope.abs();
            let work = next.as_ref().map(|other| local.work(other, &step));
            match next {
                // The forces do work along the step, at its end as well on average.
                Some(other)
                    if work.is_some_and(|w| slope + w <= 0.0 && (way <= LONGEST_STEP || follows(w))) =>
                {
                    if way > 0.25 * farthest && work.is_some_and(follows) {
                        farthest *= 2.0;
                    }
                    if attempts < ATTEMPTS && sigma < 1e-3 * norm && local.length < 0.1 * self.scale {
                        attempts += 1;
                        let found = self.newton(other.clone())?;
                        if let Ok(found) = found
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
                    if tried {
                        farthest = LONGEST_STEP.max(0.5 * farthest);
                    }
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
