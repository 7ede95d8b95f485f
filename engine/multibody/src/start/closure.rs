//! [`Closure`]: the constraints of a mechanism linearised in the metric of its mass matrix, and the
//! damped Gauss–Newton iteration that closes loops with it.
//!
//! With M = L Lᵀ, rows of G enter as B = D G L⁻ᵀ. D takes out units and sizes: each row is divided
//! by the largest value its geometry allows, not by its length, so that a row that is zero but for
//! rounding stays that small.
//!
//! Velocities that no row depends on do not move. The others fall into [blocks](Block) that neither rows nor M couple:
//! many loops on one tree cost as much as their blocks do, not as one matrix of all.

mod closing;

use crate::elements::constraints::ConstraintElement;
use crate::elements::constraints::RowLevel;
use crate::formalism::eigen::{PivotedQr, QrPart, dot};
use crate::model::Model;
use crate::start::blocks::{Block, blocks};
use crate::start::border::Border;
use crate::start::scales::Scales;
use crate::tree::NodeKind;
use crate::workspace::Workspace;
pub(super) use closing::moved;
use holonom_algebra::{Real, Vec3, Wrench};
use holonom_dae::Rejection;
use std::sync::Arc;

/// Damping of a step relative to B Bᵀ that is always there: above the rounding of B Bᵀ, so that
/// dependent rows do no harm.
const LEAST_DAMPING: f64 = 1e-13;

/// Damping at large gaps, in parts of their square. In proportion to the square of the gap the
/// iteration stays quadratic also where rows are dependent [Yamashita, Fukushima 2001].
const GAP_DAMPING: f64 = 0.1;

/// Largest turn in one step, rad; slides move this part of the mechanism's size.
const LARGEST_STEP: f64 = 0.5;

/// Steps that are longer than this many times the gap they are to close, in relative errors of the data, follow these
/// errors.
const FARTHEST: f64 = 3e3;

/// Projections of velocities at most, as long as each leaves no more than this part of the one before: rows on which heavy
/// bodies hardly move are damped, and closed in several steps.
const PROJECTIONS: usize = 100;
const PROGRESS: f64 = 0.9;

/// Iterations of one closing.
const MAXIMUM_ITERATIONS: usize = 200;

/// A closing that did not reach the tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stuck;

/// What constraints and velocities are measured by.
#[derive(Clone, Debug)]
pub(crate) struct RowScales {
    /// g of each row: the size of the mechanism or one.
    pub gap: Vec<f64>,
    /// Each velocity: the size for slides, one for turns.
    pub velocity: Vec<f64>,
}

/// Memory to close loops.
#[derive(Clone, Debug)]
pub(super) struct Closure {
    pub model: Arc<Model>,
    pub work: Workspace<f64>,
    pub t: f64,
    /// Added to the prescribed coordinates.
    pub offsets: Vec<f64>,
    /// Extent of the mechanism, m.
    pub size: f64,
    /// What g of each row is measured by: the length of its loop or one.
    pub gap_scale: Vec<f64>,
    /// By which a gap that errors of the data leave may be larger, of each row.
    data: Vec<f64>,
    /// The same by the size of the whole mechanism.
    overall: Vec<f64>,
    /// What each velocity is measured by where dependence is judged.
    column: Vec<f64>,
    /// Gap that rounding may leave.
    pub rounding: f64,
    /// Relative error of the data.
    pub precision: f64,
    /// What each velocity is measured by: `size` for slides, one for turns.
    pub unit: Vec<f64>,
    /// How freely each velocity moves: 0 where it is held, and a step counts less by this factor.
    pub freedom: Vec<f64>,
    /// M of all velocities; allocated with the first linearisation.
    mass: Vec<f64>,
    blocks: Vec<Block>,
    /// For every row its block; none for a row that depends on no velocity.
    block_of: Vec<Option<usize>>,
    /// For every velocity its place in its block.
    place: Vec<usize>,
    /// B of the last linearisation, row by row over the velocities of the row's block.
    b: Vec<Vec<f64>>,
    /// The same of G in the scales of the geometry.
    scaled: Vec<Vec<f64>>,
    /// 1/D.
    pub natural: Vec<f64>,
}

/// Whether a value is larger than a limit, or no number.
pub(super) fn exceeds(x: f64, limit: f64) -> bool {
    x.is_nan() || x.abs() > limit
}

/// A measure, or one where there is none.
fn positive(x: f64) -> f64 {
    if x > 0.0 { x } else { 1.0 }
}

impl Closure {
    /// Allocates, and measures the mechanism at the given positions.
    pub fn new(model: Arc<Model>, t: f64, q: &[f64], precision: f64) -> Self {
        let (n, m) = (model.tree.n_v, model.rows.len());
        let mut unit = vec![1.0; n];
        let mut closure = Self {
            work: Workspace::new(&model),
            t,
            offsets: vec![0.0; model.signals.len()],
            size: 1.0,
            gap_scale: Vec::new(),
            data: Vec::new(),
            overall: Vec::new(),
            column: Vec::new(),
            rounding: 0.0,
            precision,
            unit: Vec::new(),
            freedom: vec![1.0; n],
            mass: Vec::new(),
            blocks: Vec::new(),
            block_of: vec![None; m],
            place: vec![0; n],
            b: vec![Vec::new(); m],
            scaled: vec![Vec::new(); m],
            natural: vec![1.0; m],
            model: model.clone(),
        };
        closure.blocks = blocks(&model);
        for (number, block) in closure.blocks.iter().enumerate() {
            for (place, &column) in block.columns.iter().enumerate() {
                closure.place[column] = place;
            }
            for &row in &block.rows {
                closure.block_of[row] = Some(number);
                closure.b[row] = vec![0.0; block.columns.len()];
                closure.scaled[row] = vec![0.0; block.columns.len()];
            }
        }
        closure.place(q);
        let (size, reach) = closure.measure();
        closure.size = size;
        for node in model.tree.nodes.iter().filter(|node| !node.turns()) {
            unit[node.v..node.v + node.n_v()].fill(closure.size);
        }
        closure.unit = unit;
        let scales = Scales::measure(&model, &closure.work, size, reach);
        (closure.gap_scale, closure.overall, closure.column) = (scales.rows, scales.overall, scales.columns);
        closure.data = scales.data;
        closure.rounding = scales.rounding;
        closure
    }

    /// What rows and velocities are measured by.
    pub fn scales(&self) -> RowScales {
        RowScales {
            gap: self.gap_scale.clone(),
            velocity: self.unit.clone(),
        }
    }

    /// Largest extent of origins and attachments along an axis, and distance from the origin.
    fn measure(&mut self) -> (f64, f64) {
        let world = &self.work.known.world;
        let mut points: Vec<Vec3<f64>> = world.iter().map(|w| w.position).collect();
        for c in &self.model.constraints {
            for side in c.element.sides().into_iter().flatten() {
                let w = &world[side.node];
                points.push(w.position + w.rotation.times(side.frame.position));
            }
        }
        let (mut extent, mut reach) = (0.0_f64, 0.0_f64);
        for k in 0..3 {
            let finite = || points.iter().map(|p| p[k]).filter(|x| x.is_finite());
            let (low, high) = (finite().fold(0.0, f64::min), finite().fold(0.0, f64::max));
            let least = finite().fold(f64::INFINITY, f64::min);
            let most = finite().fold(f64::NEG_INFINITY, f64::max);
            extent = extent.max(most - least);
            reach = reach.max(high.max(-low));
        }
        // Far from the origin, rounding is relative to the distance from there.
        let size = extent.max(1e-2 * reach);
        (positive(size), reach)
    }

    /// Takes over what rows and velocities of a mechanism are measured by that has the same coordinates and whose
    /// rows are the first ones of this.
    pub fn measure_as(&mut self, other: &Self) {
        self.size = other.size;
        self.rounding = other.rounding;
        self.unit.clone_from(&other.unit);
        self.column.clone_from(&other.column);
        let own = other.gap_scale.len();
        self.gap_scale[..own].copy_from_slice(&other.gap_scale);
        self.overall[..own].copy_from_slice(&other.overall);
        self.data[..own].copy_from_slice(&other.data);
    }

    /// Places all nodes.
    pub fn place(&mut self, q: &[f64]) {
        self.work.set_time(&self.model, self.t);
        for (u, offset) in self.work.known.signals.iter_mut().zip(&self.offsets) {
            u[0] += offset;
        }
        self.work.set_positions(&self.model, q);
    }

    /// g of all rows.
    pub fn gaps(&mut self, q: &[f64]) -> Vec<f64> {
        self.place(q);
        let all: Vec<usize> = (0..self.model.rows.len()).collect();
        let mut out = vec![0.0; all.len()];
        self.work.constraint(&self.model, &all, &mut out);
        out
    }

    /// Largest gap of some rows, without unit; infinite when it is no number.
    pub fn largest_gap(&self, gaps: &[f64], rows: &[usize]) -> f64 {
        let part = |&i: &usize| (gaps[i] / self.gap_scale[i]).abs();
        let worst = |a: f64, x: f64| if x.is_finite() { a.max(x) } else { f64::INFINITY };
        rows.iter().map(part).fold(0.0, worst)
    }

    /// Largest gap of some rows in relative errors of the data; infinite when it is no number.
    pub fn largest_misfit(&self, gaps: &[f64], rows: &[usize]) -> f64 {
        let part = |&i: &usize| (gaps[i] / (self.gap_scale[i] * self.data[i])).abs();
        let worst = |a: f64, x: f64| if x.is_finite() { a.max(x) } else { f64::INFINITY };
        rows.iter().map(part).fold(0.0, worst)
    }

    /// Largest velocity (or displacement in coordinates), slides in parts of the size.
    pub fn largest_step(&self, x: &[f64]) -> f64 {
        x.iter()
            .zip(&self.unit)
            .map(|(x, u)| (x / u).abs())
            .fold(0.0, f64::max)
    }

    /// Evaluates B for all rows.
    pub fn linearise(&mut self, q: &[f64]) -> Result<(), Rejection> {
        let model = self.model.clone();
        let (n, m) = (model.tree.n_v, model.rows.len());
        self.place(q);
        self.mass.resize(n * n, 0.0);
        self.work.mass(&model, &mut self.mass);
        if let Some(row) = self.mass.iter().position(|x| !x.is_finite()) {
            return Err(Rejection::NonFinite { row: row % n });
        }
        for block in &mut self.blocks {
            block
                .factorise(&self.mass, n, &self.freedom)
                .map_err(|_| Rejection::OutsideDomain)?;
        }
        self.measure_rows();
        let (scaled, place) = (&mut self.scaled, &self.place);
        scaled.iter_mut().for_each(|row| row.fill(0.0));
        let all: Vec<usize> = (0..m).collect();
        self.work.constraint_entries(&model, &all, |row, column, entry| {
            if let Some(sum) = scaled[row].get_mut(place[column]) {
                *sum += entry;
            }
        });
        for i in 0..m {
            let Some(block) = self.block_of[i].map(|k| &self.blocks[k]) else {
                continue;
            };
            let (row, scaled) = (&mut self.b[i], &mut self.scaled[i]);
            for (k, &j) in block.columns.iter().enumerate() {
                let entry = scaled[k];
                scaled[k] = entry * self.column[j] / self.gap_scale[i];
                row[k] = if self.freedom[j] > 0.0 {
                    entry / self.natural[i]
                } else {
                    0.0
                };
            }
            block.forward(row);
            if let Some(place) = row.iter().position(|x| !x.is_finite()) {
                let row = block.columns[place];
                return Err(Rejection::NonFinite { row });
            }
        }
        Ok(())
    }

    /// The largest value each row of G L⁻ᵀ could have: loads of unit multipliers at the farthest
    /// arm, on the compliance of every coordinate they may move.
    fn measure_rows(&mut self) {
        let model = self.model.clone();
        let n = model.tree.n_v;
        let compliance = self.compliance();
        let scene = self.work.known.scene(&model);
        for c in &model.constraints {
            let natural = &mut self.natural[c.rows.clone()];
            if let ConstraintElement::Coordinates(sum) = &c.element {
                let mut square = 0.0;
                for &(node, factor) in &sum.terms {
                    let node = &model.tree.nodes[node];
                    if node.n_v() > 0 {
                        square += factor * factor * compliance[node.v];
                    }
                }
                natural[0] = square.sqrt();
            } else {
                let mut directions = vec![Wrench::zero(); natural.len()];
                c.element.directions(&scene, &mut directions);
                natural.fill(0.0);
                for &i in c.to_path.iter().chain(&c.from_path) {
                    let node = &model.tree.nodes[i];
                    for (x, d) in natural.iter_mut().zip(&directions) {
                        let (force, moment) = (d.force.norm(), d.moment.norm());
                        let bound = match node.turns() {
                            true => moment + force * (self.size + node.pitch.abs()),
                            false => force,
                        };
                        for k in node.v..node.v + node.n_v() {
                            *x += bound * bound * compliance[k];
                        }
                    }
                }
                natural.iter_mut().for_each(|x| *x = x.sqrt());
            }
            natural.iter_mut().for_each(|x| *x = positive(*x));
        }
        debug_assert_eq!(compliance.len(), n);
    }

    /// The diagonal of M⁻¹ = L⁻ᵀL⁻¹; zero for velocities that do not move.
    fn compliance(&self) -> Vec<f64> {
        let mut diagonal = vec![0.0; self.model.tree.n_v];
        for block in &self.blocks {
            for (&j, x) in block.columns.iter().zip(block.compliance()) {
                diagonal[j] = if self.freedom[j] > 0.0 { x } else { 0.0 };
            }
        }
        diagonal
    }

    /// Dependence of some rows at the last linearisation, judged by the geometry and not by masses, each row in its
    /// relative error of the data. The columns are the rows in their order; `gap` is what their loops are open by, in
    /// the same unit.
    pub fn dependence(&self, rows: &[usize], groups: &[u8], gap: f64) -> PivotedQr {
        self.dependence_of(rows, groups, gap, |_| 1.0)
    }

    /// The same with entries of each velocity multiplied by something.
    fn dependence_of(
        &self,
        rows: &[usize],
        groups: &[u8],
        gap: f64,
        factor: impl Fn(usize) -> f64,
    ) -> PivotedQr {
        let mut parts: Vec<QrPart> = vec![QrPart::default(); self.blocks.len()];
        for (number, &row) in rows.iter().enumerate() {
            let Some(k) = self.block_of[row] else { continue };
            let entries = self.scaled[row].iter().zip(&self.blocks[k].columns);
            parts[k].columns.push(number);
            let data = self.data[row];
            parts[k].a.extend(entries.map(|(x, &j)| factor(j) * x / data));
        }
        for (part, block) in parts.iter_mut().zip(&self.blocks) {
            part.rows.clone_from(&block.columns);
        }
        parts.retain(|part| !part.columns.is_empty());
        let border = Border::new(self.precision);
        PivotedQr::new(parts, rows.len(), groups, |_, lengths| {
            border.independent(lengths, gap)
        })
    }

    /// Combinations of rows that vanish, each row in what it is measured by, from their [`dependence`](Self::dependence).
    pub fn null_vectors(&self, rows: &[usize], qr: &PivotedQr) -> Vec<Vec<f64>> {
        let mut null = qr.null_vectors();
        for (z, &dropped) in null.iter_mut().zip(qr.choice().1) {
            let unit = self.data[rows[dropped]];
            z.iter_mut()
                .zip(rows)
                .for_each(|(z, &row)| *z *= unit / self.data[row]);
        }
        null
    }

    /// By which the length of a row in [`dependence`](Self::dependence) is smaller than in what the row is measured by.
    pub fn data_unit(&self, row: usize) -> f64 {
        self.data[row]
    }

    /// Whether the velocities that are not held can do for some rows what all velocities can, at the last
    /// linearisation.
    pub fn is_free_enough(&self, rows: &[usize]) -> bool {
        let groups = vec![0; rows.len()];
        let rank = |held: f64| {
            let factor = |j: usize| if self.freedom[j] > 0.0 { 1.0 } else { held };
            self.dependence_of(rows, &groups, 0.0, factor).rank
        };
        rank(0.0) == rank(1.0)
    }

    /// Velocities from what the columns of [`dependence`](Self::dependence) are multiplied with.
    pub fn unscale(&self, y: &mut [f64]) {
        y.iter_mut().zip(&self.column).for_each(|(y, c)| *y *= c);
    }

    /// The velocities, smallest in the metric of M, with G x = right for the given rows as well as
    /// they allow; `right` has an entry for every row.
    pub fn solve(&self, rows: &[usize], right: &[f64], damping: f64) -> Vec<f64> {
        let own = |&i: &usize| {
            Some((
                self.block_of[i]?,
                self.b[i].as_slice(),
                right[i] / self.natural[i],
            ))
        };
        let own: Vec<_> = rows.iter().filter_map(own).collect();
        self.solve_rows(&own, rows.len(), damping)
    }

    /// The same for any rows of the kind of B, each with its block and right side; `m` is how many there are, with
    /// those that depend on no velocity.
    fn solve_rows(&self, rows: &[(usize, &[f64], f64)], m: usize, damping: f64) -> Vec<f64> {
        let mut velocities = vec![0.0; self.model.tree.n_v];
        let squares = rows.iter().map(|(_, b, _)| dot(b, b));
        let largest = squares.fold(0.0, f64::max);
        if largest == 0.0 || !largest.is_finite() {
            return velocities;
        }
        let damping = largest * damping.max(LEAST_DAMPING * m as f64);
        let mut own: Vec<Vec<(&[f64], f64)>> = vec![Vec::new(); self.blocks.len()];
        for &(k, b, right) in rows {
            own[k].push((b, right));
        }
        for (block, rows) in self.blocks.iter().zip(&own) {
            if rows.is_empty() {
                continue;
            }
            match block.solve(rows, damping) {
                Some(y) => block.columns.iter().zip(y).for_each(|(&j, y)| velocities[j] = y),
                None => {
                    velocities.fill(0.0);
                    return velocities;
                }
            }
        }
        velocities
    }

    /// Numbers of the rows that are conditions on positions.
    pub fn holonomic(&self) -> Vec<usize> {
        let rows = &self.model.rows;
        (0..rows.len())
            .filter(|&i| rows[i].level == RowLevel::Holonomic)
            .collect()
    }

    /// xᵀ M y over some velocities.
    pub fn product(&mut self, q: &[f64], columns: &[usize], x: &[f64], y: &[f64]) -> f64 {
        self.place(q);
        let model = self.model.clone();
        let n = y.len();
        self.mass.resize(n * n, 0.0);
        self.work.mass(&model, &mut self.mass);
        let entry = |i: usize, j: usize| self.mass[i.min(j) * n + i.max(j)];
        let pairs = columns.iter().flat_map(|&i| columns.iter().map(move |&j| (i, j)));
        pairs.map(|(i, j)| x[i] * entry(i, j) * y[j]).sum()
    }

    /// G v + g_t of all rows.
    pub fn velocity_gaps(&mut self, q: &[f64], v: &[f64]) -> Vec<f64> {
        self.place(q);
        self.work.set_velocities(&self.model, v);
        let all: Vec<usize> = (0..self.model.rows.len()).collect();
        let mut out = vec![0.0; all.len()];
        self.work.constraint_velocity(&self.model, &all, &mut out);
        out
    }

    /// G v̇ + γ of all rows.
    pub fn acceleration_gaps(&mut self, q: &[f64], v: &[f64], a: &[f64]) -> Vec<f64> {
        self.place(q);
        self.work.set_velocities(&self.model, v);
        self.work.set_accelerations(&self.model, Some(a));
        let all: Vec<usize> = (0..self.model.rows.len()).collect();
        let mut out = vec![0.0; all.len()];
        self.work.constraint_acceleration(&self.model, &all, &mut out);
        out
    }
}

/// How far two positions are apart: the largest turn or slide, slides in parts of the size.
pub(super) fn distance(closure: &Closure, a: &[f64], b: &[f64]) -> f64 {
    let mut most = 0.0_f64;
    for node in closure.model.tree.nodes.iter().filter(|node| node.n_v() > 0) {
        let (a, b) = (&a[node.q..node.q + node.n_q()], &b[node.q..node.q + node.n_q()]);
        let apart = |sign: f64| {
            a.iter()
                .zip(b)
                .map(|(a, b)| (a - sign * b).powi(2))
                .sum::<f64>()
                .sqrt()
        };
        most = most.max(match node.kind {
            // An angle of 2 arcsin; e and −e are the same orientation.
            NodeKind::Ball => 2.0 * apart(1.0).min(apart(-1.0)),
            _ => apart(1.0) / closure.unit[node.v],
        });
    }
    most
}
