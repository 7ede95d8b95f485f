//! The equations of motion linearised at a state, exactly, by dual numbers.
//!
//! Everything follows from F(t, y, ẏ) with constraints on accelerations, y = (q, v, x, λ, ρ), where x are
//! the states of elements that have some, and ρ what sensors read of accelerations, reactions and totals.
//! The latter are eliminated: with R = ρ − c = 0 their rows, ∂F − (∂F/∂ρ)(∂R/∂ρ)⁻¹ ∂R takes the place of ∂F. Small displacements are given on the level of velocities,
//! δq = V(q) δs, so that Euler parameters need no care: δs of a ball are small turns about the axes of
//! its second frame.

use crate::dense::{Lu, Matrix};
use crate::sparse::Sparse;
use holonom_algebra::{Dual8, Real};
use holonom_dae::{DerivativeForm, Mechanical, Pattern, Rejection, System};
use holonom_multibody::Model;
use holonom_multibody::elements::constraints::RowLevel;
use holonom_multibody::mechanical::MechanicalModel;
use holonom_multibody::residual::{Equations, Form, Formalism, GglMetric};
use holonom_multibody::start::Assembled;
use holonom_multibody::tree::{Node, NodeKind};
use holonom_multibody::workspace::Workspace;
use holonom_solver::jacobian::best_groups;
use std::sync::Arc;

/// Directions in (y, ẏ) with the rows that may change along them, grouped so that one lane of a dual number
/// serves all directions of a group.
struct Plan {
    /// Rows by direction.
    pattern: Pattern,
    groups: Vec<Vec<usize>>,
}

impl Plan {
    fn new(rows: usize, columns: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let pattern = Pattern::from_entries(rows, columns, entries);
        let groups = best_groups(&pattern, &vec![true; columns]);
        Self { pattern, groups }
    }
}

/// What changes along a direction.
enum Change {
    /// An entry of ẏ.
    Rate(usize),
    /// An entry of y.
    Value(usize),
    /// A small displacement: entries of q.
    Displacement(usize),
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
    /// Constraints on velocities and on positions, made when first used.
    constrained: [Option<Box<dyn System>>; 2],
    /// Finds what sensors read.
    mechanical: MechanicalModel,
    duals: [Vec<Dual8>; 3],
    /// Directions of `tangent` and of `velocity_gradient`, made when first used.
    plans: [Option<Plan>; 2],
}

/// Derivatives at a state. Rows are those of forces (n_v), states (n_x), constraints on accelerations (n_g) and
/// readings (n_ρ).
#[derive(Clone, Debug)]
pub(crate) struct SparseTangent {
    /// By v̇, ẋ, λ and ρ: square.
    pub rates: Sparse,
    /// By s, v and x.
    pub states: Sparse,
    /// What is left of the equations.
    pub rest: Vec<f64>,
}

/// Derivatives at a state. Rows are those of forces (n_v), states (n_x) and constraints on
/// accelerations (n_g).
#[derive(Clone, Debug)]
pub(crate) struct Tangent {
    /// By v̇, ẋ and λ: square.
    pub rates: Matrix,
    /// By s, v and x.
    pub states: Matrix,
}

impl SparseTangent {
    /// √M_ii.
    pub fn weights(&self, n: usize) -> Vec<f64> {
        let entry = |i: usize| self.rates.get(i, i).abs().sqrt();
        (0..n)
            .map(|i| if entry(i) > 0.0 { entry(i) } else { 1.0 })
            .collect()
    }

    /// G of the active rows, columns divided by weights, rows of length one.
    pub fn scaled_constraints(&self, sizes: Sizes, weight: &[f64]) -> Sparse {
        let first = sizes.v + sizes.x;
        let g = self.rates.block(first..first + sizes.rows, 0..sizes.v);
        let g = g.scaled(|_| 1.0, |j| weight[j]);
        let mut lengths = vec![0.0_f64; g.rows()];
        for (i, _, x) in g.entries() {
            lengths[i] += x * x;
        }
        let unit = |i: usize| Some(lengths[i].sqrt()).filter(|l| *l > 0.0).unwrap_or(1.0);
        g.scaled(unit, |_| 1.0)
    }
}

impl Equation {
    pub fn new(model: Arc<Model>, active: Vec<usize>) -> Self {
        let acceleration = system(&model, &active, Form::Index1);
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
            constrained: [None, None],
            mechanical,
            sizes,
            model,
            active,
            duals: Default::default(),
            plans: [None, None],
        }
    }

    /// Takes the equations with constraints on velocities (0) or positions (1).
    fn take_constrained(&mut self, k: usize) -> Box<dyn System> {
        let form = [Form::Index2, Form::Index3][k];
        let made = self.constrained[k].take();
        made.unwrap_or_else(|| system(&self.model, &self.active, form))
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
        let nodes = || self.model.tree.nodes.iter().filter(|n| n.n_v() > 0);
        let most = nodes().map(|n| n.n_v()).max().unwrap_or(0);
        let (mut unit, mut out) = (vec![0.0; self.sizes.v], vec![0.0; self.sizes.q]);
        let mut all = vec![Vec::new(); self.sizes.v];
        // V is a block for every node: one product serves the k-th velocity of all of them.
        for k in 0..most {
            unit.fill(0.0);
            nodes().filter(|n| n.n_v() > k).for_each(|n| unit[n.v + k] = 1.0);
            Workspace::velocity_map(&self.model, q, &unit, &mut out);
            for node in nodes().filter(|n| n.n_v() > k) {
                let entries = (node.q..node.q + node.n_q()).map(|i| (i, out[i]));
                all[node.v + k] = entries.filter(|(_, x)| *x != 0.0).collect();
            }
        }
        all
    }

    /// The directions of all derivatives: v̇, ẋ, λ, ρ, s, v, x.
    fn directions(&self) -> Vec<Change> {
        let Sizes { q, v, x, rows } = self.sizes;
        let readings = self.model.readings.len();
        (q..q + v + x)
            .map(Change::Rate)
            .chain((q + v + x..q + v + x + rows + readings).map(Change::Value))
            .chain((0..v).map(Change::Displacement))
            .chain((q..q + v + x).map(Change::Value))
            .collect()
    }

    /// Positions that small displacements change, whatever the position.
    fn moved_positions(&self) -> Vec<core::ops::Range<usize>> {
        let mut all = vec![0..0; self.sizes.v];
        for node in self.model.tree.nodes.iter() {
            for k in 0..node.n_v() {
                all[node.v + k] = node.q..node.q + node.n_q();
            }
        }
        all
    }

    /// Rows from `first` that directions may change in a form of the equations.
    fn plan(&self, system: &dyn System, directions: &[Change], rows: core::ops::Range<usize>) -> Plan {
        let structure = system.structure();
        let n = structure.variables.len();
        let known = structure
            .sparsity
            .clone()
            .unwrap_or_else(|| Pattern::dense(n, n).into());
        let mass = match &structure.derivative {
            DerivativeForm::Mass(pattern) => pattern,
            _ => &known,
        };
        let moved = self.moved_positions();
        let mut entries = Vec::new();
        for (j, change) in directions.iter().enumerate() {
            let mut enter = |i: &usize| {
                if rows.contains(i) {
                    entries.push((*i, j));
                }
            };
            match change {
                Change::Rate(k) => mass.column(*k).iter().for_each(&mut enter),
                Change::Value(k) => known.column(*k).iter().for_each(&mut enter),
                Change::Displacement(k) => moved[*k]
                    .clone()
                    .for_each(|k| known.column(k).iter().for_each(&mut enter)),
            }
        }
        Plan::new(n, directions.len(), entries)
    }

    /// All derivatives, with sensors' readings as unknowns.
    pub fn sparse_tangent(&mut self, at: &State) -> Result<SparseTangent, Rejection> {
        let Sizes { q, v, x, rows } = self.sizes;
        let readings = self.model.readings.len();
        let (y, yp) = self.unknowns(at, readings)?;
        let directions = self.directions();
        let plan = match self.plans[0].take() {
            Some(plan) => plan,
            None => self.plan(&*self.acceleration, &directions, q..y.len()),
        };
        let displacements = self.displacements(&at.q);
        let evaluated = derivatives(
            &mut *self.acceleration,
            &mut self.duals,
            (at.t, &y, &yp),
            (&directions, &displacements, &plan),
        );
        let all = evaluated.map(|(values, rest)| {
            let pattern = plan.pattern.clone();
            let all = Sparse { pattern, values };
            let m = v + x + rows + readings;
            SparseTangent {
                rates: all.block(q..y.len(), 0..m),
                states: all.block(q..y.len(), m..all.columns()),
                rest: rest[q..].to_vec(),
            }
        });
        self.plans[0] = Some(plan);
        all
    }

    /// All derivatives as dense matrices, without sensors' readings.
    pub fn tangent(&mut self, at: &State) -> Result<Tangent, Rejection> {
        let all = self.sparse_tangent(at)?;
        self.dense(all)
    }

    /// Dense matrices without sensors' readings.
    pub fn dense(&self, all: SparseTangent) -> Result<Tangent, Rejection> {
        let Sizes { v, x, rows, .. } = self.sizes;
        let m = v + x + rows;
        let readings = self.model.readings.len();
        if readings == 0 {
            return Ok(Tangent {
                rates: all.rates.to_dense(),
                states: all.states.to_dense(),
            });
        }
        let (rates, states) = (all.rates.to_dense(), all.states.to_dense());
        let mut joined = Matrix::zeros(rates.rows(), rates.columns() + states.columns());
        let every: Vec<usize> = (0..rates.rows()).collect();
        joined.put(0, 0, &rates.part(&every, &every[..m]));
        joined.put(0, m, &states);
        joined.put(0, m + states.columns(), &rates.part(&every, &every[m..]));
        let kept = eliminate(&joined, readings)?;
        let rows: Vec<usize> = (0..m).collect();
        let columns: Vec<usize> = (0..kept.columns()).collect();
        Ok(Tangent {
            rates: kept.part(&rows, &columns[..m]),
            states: kept.part(&rows, &columns[m..]),
        })
    }

    /// ∂(G v + g_t)/∂s, active rows × n_v.
    pub fn sparse_velocity_gradient(&mut self, at: &State) -> Result<Sparse, Rejection> {
        let Sizes { v, rows, .. } = self.sizes;
        if rows == 0 {
            return Ok(Sparse::from_triplets(0, v, &[]));
        }
        let mut velocity = self.take_constrained(0);
        let gradient = self.gradient_of(&mut *velocity, at);
        self.constrained[0] = Some(velocity);
        gradient
    }

    fn gradient_of(&mut self, velocity: &mut dyn System, at: &State) -> Result<Sparse, Rejection> {
        let Sizes { q, v, x, rows } = self.sizes;
        let (y, yp) = self.unknowns(at, self.more(velocity))?;
        let directions: Vec<Change> = (0..v).map(Change::Displacement).collect();
        let wanted = q + v + x..q + v + x + rows;
        let plan = match self.plans[1].take() {
            Some(plan) => plan,
            None => self.plan(velocity, &directions, wanted.clone()),
        };
        let displacements = self.displacements(&at.q);
        let evaluated = derivatives(
            velocity,
            &mut self.duals,
            (at.t, &y, &yp),
            (&directions, &displacements, &plan),
        );
        let all = evaluated.map(|(values, _)| {
            let pattern = plan.pattern.clone();
            Sparse { pattern, values }.block(wanted, 0..v)
        });
        self.plans[1] = Some(plan);
        all
    }

    /// The same as a dense matrix.
    pub fn velocity_gradient(&mut self, at: &State) -> Result<Matrix, Rejection> {
        Ok(self.sparse_velocity_gradient(at)?.to_dense())
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
        if rows == 0 {
            return Ok((Vec::new(), Vec::new()));
        }
        let mut values = [Vec::new(), Vec::new()];
        for (k, values) in values.iter_mut().enumerate() {
            let mut system = self.take_constrained(k);
            let evaluated = self.unknowns(at, self.more(&*system)).and_then(|(y, yp)| {
                let mut r = vec![0.0; y.len()];
                system.residual(at.t, &y, &yp, &mut r)?;
                Ok(r[q + v + x..q + v + x + rows].to_vec())
            });
            self.constrained[k] = Some(system);
            *values = evaluated?;
        }
        let [rates, gaps] = values;
        Ok((self.holonomic.iter().map(|&k| gaps[k]).collect(), rates))
    }

    /// Nodes that slide.
    fn sliding(&self) -> impl Iterator<Item = &Node> {
        use NodeKind::{PrismaticTurned, PrismaticX, PrismaticY, PrismaticZ};
        let slides = [PrismaticX, PrismaticY, PrismaticZ, PrismaticTurned];
        let nodes = self.model.tree.nodes.iter();
        nodes.filter(move |n| n.n_v() == 1 && slides.contains(&n.kind))
    }

    /// Whether a displacement is a way, and not a turn.
    pub fn slides(&self) -> Vec<bool> {
        let mut all = vec![false; self.sizes.v];
        self.sliding().for_each(|node| all[node.v] = true);
        all
    }

    /// Positions that are ways.
    pub fn slid_positions(&self) -> Vec<usize> {
        self.sliding().map(|node| node.q).collect()
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
        for (i, j, x) in self.turning_entries(v) {
            w[(i, j)] = x;
        }
        w
    }

    /// The entries of W.
    pub fn turning_entries(&self, v: &[f64]) -> Vec<(usize, usize, f64)> {
        let nodes = self.model.tree.nodes.iter();
        let balls = nodes.filter(|n| n.kind == NodeKind::Ball && n.n_v() > 0);
        balls
            .flat_map(|node| {
                let i = node.v;
                let o = &v[i..i + 3];
                [
                    (i, i + 1, o[2]),
                    (i, i + 2, -o[1]),
                    (i + 1, i, -o[2]),
                    (i + 1, i + 2, o[0]),
                    (i + 2, i, o[1]),
                    (i + 2, i + 1, -o[0]),
                ]
            })
            .filter(|(_, _, x)| *x != 0.0)
            .collect()
    }
}

/// The equations in a form.
fn system(model: &Arc<Model>, active: &[usize], form: Form) -> Box<dyn System> {
    let (model, active) = (model.clone(), active.to_vec());
    Equations::new(model, active, form, Formalism::Residual, GglMetric::Identity).system()
}

/// Removes the last rows and columns, those of the readings, from derivatives.
fn eliminate(all: &Matrix, readings: usize) -> Result<Matrix, Rejection> {
    let (n, m) = (all.rows() - readings, all.columns() - readings);
    let (rows, last_rows): (Vec<usize>, Vec<usize>) = (0..all.rows()).partition(|&i| i < n);
    let (columns, last_columns): (Vec<usize>, Vec<usize>) = (0..all.columns()).partition(|&j| j < m);
    let mut kept = all.part(&rows, &columns);
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
    Ok(kept)
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

/// Directions, the small displacements in them, and how they are grouped.
type Along<'a> = (&'a [Change], &'a [Vec<(usize, f64)>], &'a Plan);

/// Derivatives along the directions of a plan, at the places of its pattern, and the values.
fn derivatives(
    system: &mut dyn System,
    memory: &mut [Vec<Dual8>; 3],
    (t, y, yp): (f64, &[f64], &[f64]),
    (directions, displacements, plan): Along<'_>,
) -> Result<(Vec<f64>, Vec<f64>), Rejection> {
    let n = y.len();
    let [dy, dyp, r] = memory;
    r.clear();
    r.resize(n, Dual8::constant(0.0));
    let mut out = vec![0.0; plan.pattern.len()];
    let packs = plan.groups.len().max(1);
    for first in (0..packs).step_by(8) {
        let pack = &plan.groups[first..(first + 8).min(plan.groups.len())];
        dy.clear();
        dy.extend(y.iter().map(|x| Dual8::constant(*x)));
        dyp.clear();
        dyp.extend(yp.iter().map(|x| Dual8::constant(*x)));
        for (lane, group) in pack.iter().enumerate() {
            for &j in group {
                match directions[j] {
                    Change::Rate(i) => dyp[i] = dyp[i].with_derivative(lane, 1.0),
                    Change::Value(i) => dy[i] = dy[i].with_derivative(lane, 1.0),
                    Change::Displacement(k) => {
                        for &(i, x) in &displacements[k] {
                            dy[i] = dy[i].with_derivative(lane, x);
                        }
                    }
                }
            }
        }
        system.residual_dual8(Dual8::constant(t), dy, dyp, r)?;
        for (lane, group) in pack.iter().enumerate() {
            for &j in group {
                let places = plan.pattern.range(j);
                for (target, &i) in out[places].iter_mut().zip(plan.pattern.column(j)) {
                    *target = r[i].derivative(lane);
                }
            }
        }
    }
    let values: Vec<f64> = r.iter().map(|x| x.value()).collect();
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
