//! The equations of motion linearised at a state, exactly, by dual numbers.
//!
//! Everything follows from F(t, y, ẏ) with constraints on accelerations, y = (q, v, x, λ, ρ), where x are
//! the states of elements that have some, and ρ what sensors read of accelerations, reactions and totals.
//! The latter are eliminated: with R = ρ − c = 0 their rows, ∂F − (∂F/∂ρ)(∂R/∂ρ)⁻¹ ∂R takes the place of ∂F. Small displacements are given on the level of velocities,
//! δq = V(q) δs, so that Euler parameters need no care: δs of a ball are small turns about the axes of
//! its second frame.

use crate::dense::{Lu, Matrix};
use holonom_algebra::{Dual8, Real};
use holonom_dae::{Mechanical, Rejection, System};
use holonom_multibody::Model;
use holonom_multibody::model::RowLevel;
use holonom_multibody::residual::{Equations, Form, Formalism, GglMetric};
use holonom_multibody::start::{Assembled, MechanicalModel};
use holonom_multibody::tree::NodeKind;
use holonom_multibody::workspace::Workspace;
use std::sync::Arc;

/// A direction in (y, ẏ): entries that change, with their rates.
#[derive(Clone, Debug, Default)]
struct Direction {
    y: Vec<(usize, f64)>,
    yp: Vec<(usize, f64)>,
}

/// A state of a mechanism, with accelerations and multipliers.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Time.
    pub t: f64,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// States of elements.
    pub x: Vec<f64>,
    /// Accelerations.
    pub a: Vec<f64>,
    /// Multipliers of the active rows.
    pub lambda: Vec<f64>,
}

/// Sizes of the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub q: usize,
    pub v: usize,
    pub x: usize,
    pub rows: usize,
}

/// The equations of one mechanism, ready for derivatives.
pub(crate) struct Equation {
    pub model: Arc<Model>,
    pub active: Vec<usize>,
    /// Places in `active` of the conditions on positions.
    pub holonomic: Vec<usize>,
    pub sizes: Sizes,
    acceleration: Box<dyn System>,
    velocity: Box<dyn System>,
    position: Box<dyn System>,
    /// Finds what sensors read.
    mechanical: MechanicalModel,
    duals: Vec<[Vec<Dual8>; 3]>,
}

/// Derivatives at a state. Rows are those of forces (n_v), states (n_x) and constraints on
/// accelerations (n_g).
#[derive(Clone, Debug)]
pub(crate) struct Tangent {
    /// By v̇, ẋ and λ: square.
    pub rates: Matrix,
    /// By s, v and x.
    pub states: Matrix,
    /// What is left of the equations.
    pub rest: Vec<f64>,
}

impl Equation {
    pub fn new(model: Arc<Model>, active: Vec<usize>) -> Self {
        let make = |form| {
            let (model, active) = (model.clone(), active.clone());
            Equations::new(model, active, form, Formalism::Residual, GglMetric::Identity).system()
        };
        let acceleration = make(Form::Index1);
        let sizes = Sizes {
            q: model.tree.n_q,
            v: model.tree.n_v,
            x: model.states.len(),
            rows: active.len(),
        };
        let mechanical = MechanicalModel::new(model.clone(), active.clone());
        Self {
            holonomic: (0..active.len())
                .filter(|&k| model.rows[active[k]].level == RowLevel::Holonomic)
                .collect(),
            acceleration,
            velocity: make(Form::Index2),
            position: make(Form::Index3),
            mechanical,
            sizes,
            model,
            active,
            duals: Vec::new(),
        }
    }

    /// The state of an assembled mechanism.
    pub fn state(&self, start: &Assembled) -> State {
        let equations = Equations::new(
            self.model.clone(),
            self.active.clone(),
            Form::Index1,
            Formalism::Residual,
            GglMetric::Identity,
        );
        let (y, _) = start.state(&equations);
        let Sizes { q, v, x, .. } = self.sizes;
        State {
            t: start.t,
            q: start.q.clone(),
            v: start.v.clone(),
            x: y[q + v..q + v + x].to_vec(),
            a: start.a.clone(),
            lambda: start.lambda.clone(),
        }
    }

    /// y and ẏ; ẋ is zero. The last of `more` unknowns besides q, v, x and λ are readings.
    fn unknowns(&mut self, at: &State, more: usize) -> Result<(Vec<f64>, Vec<f64>), Rejection> {
        let mut y: Vec<f64> = [&at.q[..], &at.v, &at.x, &at.lambda].concat();
        y.resize(y.len() + more, 0.0);
        let readings = y.len() - self.model.readings.len();
        self.mechanical.set_states(&at.x);
        self.mechanical
            .find_readings((at.t, &at.q, &at.v), &at.a, &at.lambda)?;
        self.mechanical.readings(&mut y[readings..]);
        let mut yp = vec![0.0; y.len()];
        Workspace::velocity_map(&self.model, &at.q, &at.v, &mut yp[..self.sizes.q]);
        yp[self.sizes.q..self.sizes.q + self.sizes.v].copy_from_slice(&at.a);
        Ok((y, yp))
    }

    /// Unknowns of a form besides q, v, x and λ.
    fn more(&self, system: &dyn System) -> usize {
        let Sizes { q, v, x, rows } = self.sizes;
        system.structure().variables.len() - q - v - x - rows
    }

    /// δq of every unit δs.
    pub fn displacements(&self, q: &[f64]) -> Vec<Vec<(usize, f64)>> {
        let n = self.sizes.v;
        let (mut unit, mut out) = (vec![0.0; n], vec![0.0; self.sizes.q]);
        let column = |j: usize| {
            unit.fill(0.0);
            unit[j] = 1.0;
            Workspace::velocity_map(&self.model, q, &unit, &mut out);
            let entries = out.iter().enumerate().filter(|(_, x)| **x != 0.0);
            entries.map(|(i, x)| (i, *x)).collect()
        };
        (0..n).map(column).collect()
    }

    /// All derivatives.
    pub fn tangent(&mut self, at: &State) -> Result<Tangent, Rejection> {
        let Sizes { q, v, x, rows } = self.sizes;
        let readings = self.model.readings.len();
        let (y, yp) = self.unknowns(at, readings)?;
        let one = |i: usize| vec![(i, 1.0)];
        let mut directions = Vec::new();
        for i in q..q + v + x {
            directions.push(Direction {
                yp: one(i),
                ..Direction::default()
            });
        }
        for i in q + v + x..q + v + x + rows {
            directions.push(Direction {
                y: one(i),
                ..Direction::default()
            });
        }
        for y in self.displacements(&at.q) {
            directions.push(Direction {
                y,
                ..Direction::default()
            });
        }
        for i in q..q + v + x {
            directions.push(Direction {
                y: one(i),
                ..Direction::default()
            });
        }
        for i in q + v + x + rows..q + v + x + rows + readings {
            directions.push(Direction {
                y: one(i),
                ..Direction::default()
            });
        }
        let (all, rest) = derivatives(
            &mut *self.acceleration,
            &mut self.duals,
            at.t,
            [&y, &yp],
            &directions,
        )?;
        let (all, rest) = eliminate(&all, &rest, readings)?;
        let wanted: Vec<usize> = (q..all.rows()).collect();
        let m = v + x + rows;
        let columns: Vec<usize> = (0..all.columns()).collect();
        Ok(Tangent {
            rates: all.part(&wanted, &columns[..m]),
            states: all.part(&wanted, &columns[m..]),
            rest: rest[q..].to_vec(),
        })
    }

    /// ∂(G v + g_t)/∂s, active rows × n_v.
    pub fn velocity_gradient(&mut self, at: &State) -> Result<Matrix, Rejection> {
        let Sizes { q, v, x, rows } = self.sizes;
        let (y, yp) = self.unknowns(at, self.more(&*self.velocity))?;
        let directions: Vec<Direction> = self
            .displacements(&at.q)
            .into_iter()
            .map(|y| Direction {
                y,
                ..Direction::default()
            })
            .collect();
        let (all, _) = derivatives(&mut *self.velocity, &mut self.duals, at.t, [&y, &yp], &directions)?;
        let wanted: Vec<usize> = (q + v + x..q + v + x + rows).collect();
        Ok(all.part(&wanted, &(0..v).collect::<Vec<_>>()))
    }

    /// Values of the rows of forces, states and constraints on accelerations.
    pub fn rest(&mut self, at: &State) -> Result<Vec<f64>, Rejection> {
        let readings = self.model.readings.len();
        let (y, yp) = self.unknowns(at, readings)?;
        let mut r = vec![0.0; y.len()];
        self.acceleration.residual(at.t, &y, &yp, &mut r)?;
        r.truncate(y.len() - readings);
        Ok(r.split_off(self.sizes.q))
    }

    /// g of the conditions on positions; G v + g_t of all active rows.
    pub fn gaps(&mut self, at: &State) -> Result<(Vec<f64>, Vec<f64>), Rejection> {
        let Sizes { q, v, x, rows } = self.sizes;
        let (y, yp) = self.unknowns(at, self.more(&*self.velocity))?;
        let n = y.len();
        let first = q + v + x;
        let mut r = vec![0.0; n];
        self.velocity.residual(at.t, &y, &yp, &mut r)?;
        let rates = r[first..first + rows].to_vec();
        self.position.residual(at.t, &y, &yp, &mut r)?;
        let gaps = self.holonomic.iter().map(|&k| r[first + k]).collect();
        Ok((gaps, rates))
    }

    /// q moved by δs, with Euler parameters of length one.
    pub fn moved(&self, q: &[f64], step: &[f64]) -> Vec<f64> {
        let mut out = q.to_vec();
        for (column, s) in self.displacements(q).iter().zip(step) {
            for (i, x) in column {
                out[*i] += x * s;
            }
        }
        for node in self
            .model
            .tree
            .nodes
            .iter()
            .filter(|n| n.kind == NodeKind::Ball && n.prescribed.is_none())
        {
            let e = &mut out[node.q..node.q + 4];
            let length = e.iter().map(|x| x * x).sum::<f64>().sqrt();
            e.iter_mut().for_each(|x| *x /= length);
        }
        out
    }

    /// δṡ = δv + W δs: W is −ω× of balls, whose turns are measured in turning axes.
    pub fn turning(&self, v: &[f64]) -> Matrix {
        let n = self.sizes.v;
        let mut w = Matrix::zeros(n, n);
        for node in self
            .model
            .tree
            .nodes
            .iter()
            .filter(|n| n.kind == NodeKind::Ball && n.n_v() > 0)
        {
            let i = node.v;
            let o = &v[i..i + 3];
            (w[(i, i + 1)], w[(i, i + 2)]) = (o[2], -o[1]);
            (w[(i + 1, i)], w[(i + 1, i + 2)]) = (-o[2], o[0]);
            (w[(i + 2, i)], w[(i + 2, i + 1)]) = (o[1], -o[0]);
        }
        w
    }
}

/// Removes the last rows and columns, those of the readings, from derivatives and what is left of the
/// equations.
fn eliminate(all: &Matrix, rest: &[f64], readings: usize) -> Result<(Matrix, Vec<f64>), Rejection> {
    let (n, m) = (all.rows() - readings, all.columns() - readings);
    let (rows, last_rows): (Vec<usize>, Vec<usize>) = (0..all.rows()).partition(|&i| i < n);
    let (columns, last_columns): (Vec<usize>, Vec<usize>) = (0..all.columns()).partition(|&j| j < m);
    let mut kept = all.part(&rows, &columns);
    let mut left = rest[..n].to_vec();
    if readings == 0 {
        return Ok((kept, left));
    }
    let lu = Lu::new(all.part(&last_rows, &last_columns));
    if lu.smallest_pivot() < 1e-14 {
        return Err(Rejection::SingularRing { reading: 0 });
    }
    let by_readings = all.part(&rows, &last_columns);
    let solved = lu.solve_matrix(all.part(&last_rows, &columns));
    for j in 0..m {
        for i in 0..n {
            let change: f64 = (0..readings).map(|k| by_readings[(i, k)] * solved[(k, j)]).sum();
            kept[(i, j)] -= change;
        }
    }
    let mut change = rest[n..].to_vec();
    lu.solve(&mut change);
    for (i, left) in left.iter_mut().enumerate() {
        *left -= (0..readings)
            .map(|k| by_readings[(i, k)] * change[k])
            .sum::<f64>();
    }
    Ok((kept, left))
}

/// Names of small displacements, one per velocity: coordinates, and small turns of balls about the axes
/// of their second frames.
pub fn displacement_names(model: &Model) -> Vec<String> {
    let turn = |name: &String| match (model.position_names.contains(name), name.rsplit_once(".w")) {
        (false, Some((joint, axis))) => format!("{joint}.turn_{axis}"),
        _ => name.clone(),
    };
    model.velocity_names.iter().map(turn).collect()
}

/// Names of velocities that differ from those of displacements.
pub fn velocity_names(model: &Model) -> Vec<String> {
    let rate = |name: &String| {
        if model.position_names.contains(name) {
            format!("{name}.velocity")
        } else {
            name.clone()
        }
    };
    model.velocity_names.iter().map(rate).collect()
}

/// Derivatives along some directions, eight at a time, and the values.
fn derivatives(
    system: &mut dyn System,
    memory: &mut Vec<[Vec<Dual8>; 3]>,
    t: f64,
    [y, yp]: [&[f64]; 2],
    directions: &[Direction],
) -> Result<(Matrix, Vec<f64>), Rejection> {
    let n = y.len();
    let constants = |x: &[f64]| x.iter().map(|x| Dual8::constant(*x)).collect::<Vec<_>>();
    let [mut dy, mut dyp, mut r] = memory.pop().unwrap_or_default();
    r.clear();
    r.resize(n, Dual8::constant(0.0));
    let mut out = Matrix::zeros(n, directions.len());
    for first in (0..directions.len().max(1)).step_by(8) {
        (dy, dyp) = (constants(y), constants(yp));
        for (k, direction) in directions.iter().skip(first).take(8).enumerate() {
            for (target, entries) in [(&mut dy, &direction.y), (&mut dyp, &direction.yp)] {
                for &(i, x) in entries {
                    target[i] = target[i].with_derivative(k, x);
                }
            }
        }
        system.residual_dual8(Dual8::constant(t), &dy, &dyp, &mut r)?;
        for k in 0..directions.len().saturating_sub(first).min(8) {
            for i in 0..n {
                out[(i, first + k)] = r[i].derivative(k);
            }
        }
    }
    let values: Vec<f64> = r.iter().map(|x| x.value()).collect();
    memory.push([dy, dyp, r]);
    if let Some(row) = values.iter().position(|x| !x.is_finite()) {
        return Err(Rejection::NonFinite { row });
    }
    Ok((out, values))
}

impl Tangent {
    /// δv̇, δẋ and δλ of every unit of δs, δv and δx; none where the matrix is singular.
    pub fn solve(&self) -> Option<(Lu, Matrix)> {
        let lu = Lu::new(self.rates.clone());
        if lu.smallest_pivot() < 1e-14 {
            return None;
        }
        let mut all = lu.solve_matrix(self.states.clone());
        for j in 0..all.columns() {
            all.column_mut(j).iter_mut().for_each(|x| *x = -*x);
        }
        all.is_finite().then_some((lu, all))
    }
}
