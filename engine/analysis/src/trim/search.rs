//! Newton's method for steady motion.

use super::carrier::{Carrier, Place};
use super::{Make, TrimError, TrimOptions};
use crate::AnalysisError;
use crate::dense::{Matrix, Svd, dot, largest};
use crate::displacement_names;
use crate::reduced::weights;
use crate::statics::{Unbalanced, hold};
use crate::tangent::{Equation, Sizes, State};
use holonom_multibody::{Model, Signal};
use std::sync::Arc;

/// Step of differences by the place of the carrier, its sideslip and inputs.
const STEP: f64 = 1e-5;

/// Gaps count as much as accelerations of this size per metre, √kg/s².
const GAP: f64 = 1e4;

/// Largest displacement of one step, rad or m.
const LONGEST: f64 = 0.1;

/// The twists of the carrier that matter: along z, about x and y. The others are cyclic.
const TWISTS: [usize; 3] = [2, 3, 4];

/// A steady motion that is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Target {
    pub speed: f64,
    pub yaw_rate: f64,
}

/// All unknowns.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub q: Vec<f64>,
    pub x: Vec<f64>,
    pub lambda: Vec<f64>,
    pub spins: Vec<f64>,
    pub sideslip: f64,
    pub inputs: Vec<f64>,
}

/// What is known at a point.
pub(super) struct Look {
    pub equation: Equation,
    pub state: State,
    pub rest: Vec<f64>,
    pub length: f64,
}

pub(super) struct Search<'a> {
    pub t: f64,
    pub active: Vec<usize>,
    pub carrier: Carrier,
    /// Velocities of what spins; the angles do not matter.
    pub spinning: Vec<usize>,
    pub make: &'a mut Make<'a>,
    pub options: TrimOptions,
    pub weight: Vec<f64>,
    pub scale: f64,
    /// The mechanism for the inputs it was made with.
    pub made: Option<(Vec<f64>, Model)>,
    pub steps: usize,
    /// Added to the way of the carrier that is prescribed, m.
    pub shift: f64,
    /// The last motion found has more sideslip than a turn may have.
    pub slid: bool,
}

impl Search<'_> {
    /// The mechanism with these inputs, all that is prescribed held.
    fn model(&mut self, inputs: &[f64]) -> Result<Model, TrimError> {
        if let Some((at, model)) = &self.made
            && at == inputs
        {
            return Ok(model.clone());
        }
        let model = (self.make)(inputs).map_err(|reason| TrimError::Inputs { reason })?;
        let model = hold(&model, None, self.t).0;
        self.made = Some((inputs.to_vec(), model.clone()));
        Ok(model)
    }

    /// Everything at a point; none where the equations cannot be evaluated.
    pub fn look(&mut self, point: &Point, target: Target) -> Result<Option<Look>, TrimError> {
        let mut model = self.model(&point.inputs)?;
        let helper = Equation::new(Arc::new(model.clone()), self.active.clone());
        let wanted = [target.speed, point.sideslip, target.yaw_rate];
        let rates = self
            .carrier
            .rates(&mut model, &helper, (self.t, &point.q), wanted)?;
        let n = model.tree.n_v;
        let (mut v, mut a) = (vec![0.0; n], vec![0.0; n]);
        for (i, spin) in self.spinning.iter().zip(&point.spins) {
            v[*i] = *spin;
        }
        let mut prescribed = false;
        for (k, place) in self.carrier.places.iter().enumerate() {
            let (first, second) = (rates.first[k], rates.second[k]);
            match place {
                Place::Free(i) => (v[*i], a[*i]) = (first, second),
                Place::Prescribed(signal) => {
                    let value = model.signals[*signal].evaluate(self.t)[0] + self.shift;
                    let t = self.t;
                    model.signals[*signal] = Signal::Polynomial(vec![
                        value - first * t + 0.5 * second * t * t,
                        first - second * t,
                        0.5 * second,
                    ]);
                    prescribed = true;
                }
            }
        }
        let mut equation = match prescribed {
            true => Equation::new(Arc::new(model), self.active.clone()),
            false => helper,
        };
        let state = State {
            t: self.t,
            q: point.q.clone(),
            v,
            x: point.x.clone(),
            a,
            lambda: point.lambda.clone(),
        };
        let (Ok(forces), Ok((gaps, slips))) = (equation.rest(&state), equation.gaps(&state)) else {
            return Ok(None);
        };
        if self.weight.is_empty() {
            let tangent = equation.tangent(&state).map_err(AnalysisError::from)?;
            self.weight = weights(&tangent, n);
            let gravity = dot(&equation.model.tree.gravity.0, &equation.model.tree.gravity.0).sqrt();
            self.scale = gravity.max(1.0) * largest(&self.weight).max(1.0);
        }
        let Sizes { x: n_x, .. } = equation.sizes;
        let mut rest: Vec<f64> = (0..n + n_x)
            .map(|i| forces[i] / self.weight.get(i).copied().unwrap_or(1.0))
            .collect();
        rest.extend(gaps.iter().map(|g| g * GAP));
        rest.extend(others(&equation).iter().map(|&k| slips[k]));
        let length = dot(&rest, &rest).sqrt();
        Ok(length.is_finite().then_some(Look {
            equation,
            state,
            rest,
            length,
        }))
    }

    /// A point moved by a step of all unknowns.
    fn moved(&mut self, from: &Point, look: &Look, step: &[f64], part: f64) -> Result<Point, TrimError> {
        let mut point = from.clone();
        let others = self.displaced(look.state.v.len());
        let mut model = self.model(&from.inputs)?;
        let mut s = vec![0.0; look.state.v.len()];
        let mut twist = [0.0; 6];
        for (k, i) in TWISTS.iter().enumerate() {
            twist[*i] = step[k] * part;
        }
        let moved = self.carrier.displacement(&mut model, (self.t, &from.q), twist)?;
        for (place, d) in moved {
            if let Place::Free(i) = place {
                s[i] = d;
            }
        }
        let mut next = TWISTS.len();
        let mut take = |target: &mut f64| {
            *target += step[next] * part;
            next += 1;
        };
        for &i in &others {
            take(&mut s[i]);
        }
        let all = point.spins.iter_mut();
        for target in all.chain([&mut point.sideslip]).chain(&mut point.inputs) {
            take(target);
        }
        for target in point.x.iter_mut().chain(&mut point.lambda) {
            take(target);
        }
        point.q = look.equation.moved(&from.q, &s);
        Ok(point)
    }

    /// Coordinates that are neither of the carrier nor spin.
    fn displaced(&self, n: usize) -> Vec<usize> {
        let carried = self.carrier.velocities();
        (0..n)
            .filter(|i| !carried.contains(i) && !self.spinning.contains(i))
            .collect()
    }

    /// The derivative of what is left by all unknowns.
    fn derivative(&mut self, point: &Point, look: &mut Look, target: Target) -> Result<Matrix, TrimError> {
        let tangent = look.equation.tangent(&look.state).map_err(AnalysisError::from)?;
        let gradient = look
            .equation
            .velocity_gradient(&look.state)
            .map_err(AnalysisError::from)?;
        let Sizes {
            v: n, x: n_x, rows, ..
        } = look.equation.sizes;
        let displaced = self.displaced(n);
        let (holonomic, slipping) = (look.equation.holonomic.clone(), others(&look.equation));
        let by_differences = TWISTS.len();
        let first_spin = by_differences + displaced.len();
        let first_input = first_spin + self.spinning.len();
        let first_state = first_input + 1 + point.inputs.len();
        let count = first_state + n_x + rows;
        let mut all = Matrix::zeros(look.rest.len(), count);
        let constraint = |k: usize, j: usize| tangent.rates[(n + n_x + k, j)];
        let weight = |i: usize| self.weight.get(i).copied().unwrap_or(1.0);
        for (k, &j) in displaced.iter().enumerate() {
            let column = all.column_mut(by_differences + k);
            for i in 0..n + n_x {
                column[i] = tangent.states[(i, j)] / weight(i);
            }
            for (i, &row) in holonomic.iter().enumerate() {
                column[n + n_x + i] = constraint(row, j) * GAP;
            }
            for (i, &row) in slipping.iter().enumerate() {
                column[n + n_x + holonomic.len() + i] = gradient[(row, j)];
            }
        }
        for (k, &j) in self.spinning.iter().enumerate() {
            let column = all.column_mut(first_spin + k);
            for i in 0..n + n_x {
                column[i] = tangent.states[(i, n + j)] / weight(i);
            }
            for (i, &row) in slipping.iter().enumerate() {
                column[n + n_x + holonomic.len() + i] = constraint(row, j);
            }
        }
        for k in 0..n_x + rows {
            let column = all.column_mut(first_state + k);
            for i in 0..n + n_x {
                column[i] = weight(i).recip()
                    * if k < n_x {
                        tangent.states[(i, 2 * n + k)]
                    } else {
                        tangent.rates[(i, n + k)]
                    };
            }
        }
        // Velocities and accelerations follow the carrier, and inputs are inside of expressions.
        for j in (0..by_differences).chain(first_input..first_state) {
            let size = match j.checked_sub(first_input + 1) {
                Some(k) => point.inputs[k].abs().max(1.0),
                None => 1.0,
            };
            let mut step = vec![0.0; count];
            step[j] = STEP * size;
            let mut at = |part: f64| -> Result<Vec<f64>, TrimError> {
                let point = self.moved(point, look, &step, part)?;
                let found = self.look(&point, target)?.map(|look| look.rest);
                found.ok_or(TrimError::Undefined)
            };
            let (plus, minus) = (at(1.0)?, at(-1.0)?);
            for (i, (a, b)) in plus.iter().zip(&minus).enumerate() {
                all[(i, j)] = (a - b) / (2.0 * step[j]);
            }
        }
        Ok(all)
    }

    pub fn is_steady(&self, look: &Look) -> bool {
        look.length <= self.options.tolerance * self.scale
    }

    /// Newton's method; what is left where it gets stuck, or the vehicle slides.
    pub fn newton(
        &mut self,
        point: Point,
        target: Target,
    ) -> Result<Result<(Point, Look), Vec<Unbalanced>>, TrimError> {
        let found = self.iterate(point, target)?;
        self.slid = matches!(&found, Ok((point, _)) if point.sideslip.abs() > self.options.largest_sideslip);
        Ok(if self.slid { Err(Vec::new()) } else { found })
    }

    /// Newton's method with a line search.
    fn iterate(
        &mut self,
        mut point: Point,
        target: Target,
    ) -> Result<Result<(Point, Look), Vec<Unbalanced>>, TrimError> {
        let Some(mut look) = self.look(&point, target)? else {
            return Ok(Err(Vec::new()));
        };
        for _ in 0..self.options.newton_steps {
            let steady = self.is_steady(&look);
            let step = match self.step(&point, &mut look, target) {
                Ok(step) => step,
                Err(TrimError::Undefined) => return Ok(Err(self.worst(&look))),
                Err(other) => return Err(other),
            };
            self.steps += 1;
            let moving = TWISTS.len() + self.displaced(look.state.v.len()).len();
            let sideslip = moving + self.spinning.len();
            let longest = largest(&step[..moving]).max(step[sideslip].abs());
            if !longest.is_finite() {
                return Ok(Err(self.worst(&look)));
            }
            let mut part: f64 = if longest > LONGEST { LONGEST / longest } else { 1.0 };
            let mut next = None;
            while part > 1e-5 {
                let moved = self.moved(&point, &look, &step, part)?;
                match self.look(&moved, target)? {
                    Some(other) if other.length < look.length * (1.0 - 1e-4 * part) => {
                        next = Some((moved, other));
                        break;
                    }
                    _ if steady => break,
                    _ => part *= 0.5,
                }
            }
            match next {
                // Beyond the tolerance as long as it pays.
                Some((p, other)) if steady && other.length > 0.1 * look.length => return Ok(Ok((p, other))),
                Some((p, other)) => (point, look) = (p, other),
                None if steady => return Ok(Ok((point, look))),
                None => return Ok(Err(self.worst(&look))),
            }
        }
        Ok(if self.is_steady(&look) {
            Ok((point, look))
        } else {
            Err(self.worst(&look))
        })
    }

    fn step(&mut self, point: &Point, look: &mut Look, target: Target) -> Result<Vec<f64>, TrimError> {
        let mut all = self.derivative(point, look, target)?;
        let mut scale = Vec::with_capacity(all.columns());
        for j in 0..all.columns() {
            let length = dot(all.column(j), all.column(j)).sqrt();
            let length = if length > 0.0 { length } else { 1.0 };
            all.column_mut(j).iter_mut().for_each(|x| *x /= length);
            scale.push(length);
        }
        let svd = Svd::new(&all);
        let right: Vec<f64> = look.rest.iter().map(|r| -r).collect();
        let most = svd.values.first().copied().unwrap_or(0.0);
        let step = svd.least_squares(&right, 1e-12 * most);
        Ok(step.iter().zip(&scale).map(|(s, l)| s / l).collect())
    }

    fn worst(&self, look: &Look) -> Vec<Unbalanced> {
        let mut order: Vec<usize> = (0..look.state.v.len()).collect();
        order.sort_by(|&a, &b| look.rest[b].abs().total_cmp(&look.rest[a].abs()));
        let names = displacement_names(&look.equation.model);
        let force = |&i: &usize| Unbalanced {
            name: names[i].clone(),
            force: -look.rest[i] * self.weight[i],
        };
        order.iter().take(3).map(force).collect()
    }
}

/// Rows on velocities alone.
fn others(equation: &Equation) -> Vec<usize> {
    (0..equation.sizes.rows)
        .filter(|k| !equation.holonomic.contains(k))
        .collect()
}
