//! Multipliers that forces depend on (friction and creep) and what sensors read of accelerations and
//! reactions, found together with the accelerations.

use super::{DualMemory, MechanicalModel};
use crate::formalism::lu;
use crate::model::Model;
use crate::workspace::JointLoads;
use crate::workspace::Workspace;
use core::ops::Range;
use holonom_algebra::{Dual8, Real};
use holonom_dae::{ElementSet, Mechanical, Rejection};

/// Newton iterations for multipliers that forces depend on.
const MAXIMUM_ITERATIONS: usize = 60;

/// A correction of multipliers, relative to them, that is rounding.
const MULTIPLIER_TOLERANCE: f64 = 1e-12;

/// A difference of what sensors read and what they ought to read, relative, that one more step of
/// Newton's method turns into rounding.
const NEARLY: f64 = 1e-9;

/// Memory of the search for multipliers λ = Φ(λ, ρ) and readings ρ = c(λ, ρ) that forces depend on;
/// empty without such forces.
#[derive(Clone, Debug, Default)]
pub(super) struct Implicit {
    /// Places in the active rows of those that forces read.
    pub(super) read: Vec<usize>,
    /// Readings that are looked for: all, or none where no force depends on them.
    pub(super) readings: usize,
    /// c(λ, ρ).
    pub(super) measured: Vec<f64>,
    /// v̇ for it.
    pub(super) motion: Vec<f64>,
    /// For the sizes of pivots.
    pub(super) sizes: Vec<f64>,
    /// γ, which no multiplier changes.
    pub(super) bias: Vec<f64>,
    /// Φ(λ) for all active rows.
    pub(super) image: Vec<f64>,
    /// A column of ∂Φ/∂λ.
    pub(super) solved: Vec<f64>,
    /// A direction of the accelerations.
    pub(super) column: Vec<f64>,
    /// ∂f/∂λ of eight rows at a time.
    pub(super) slopes: Vec<f64>,
    pub(super) matrix: Vec<f64>,
    pub(super) step: Vec<f64>,
    /// λ of the rows that are read, and readings, before the step.
    pub(super) before: Vec<f64>,
}

impl Implicit {
    /// Whether anything is to be looked for.
    pub(super) fn is_needed(&self) -> bool {
        !self.read.is_empty() || self.readings > 0
    }

    pub(super) fn new(model: &Model, active: &[usize]) -> Self {
        let measured = vec![0.0; model.readings.len()];
        if !model.needs_lambda && !model.forces_need_readings {
            return Self {
                measured,
                ..Self::default()
            };
        }
        let is_read = |row: usize| model.read_rows.binary_search(&row).is_ok();
        let read: Vec<usize> = (0..active.len()).filter(|&k| is_read(active[k])).collect();
        let readings = if model.forces_need_readings {
            model.readings.len()
        } else {
            0
        };
        let (n, k) = (model.tree.n_v, read.len() + readings);
        Self {
            readings,
            measured,
            motion: vec![0.0; n],
            sizes: vec![0.0; k * k],
            bias: vec![0.0; active.len()],
            image: vec![0.0; active.len()],
            solved: vec![0.0; active.len()],
            column: vec![0.0; n],
            slopes: vec![0.0; 8 * n],
            matrix: vec![0.0; k * k],
            step: vec![0.0; k],
            before: vec![0.0; k],
            read,
        }
    }
}

impl MechanicalModel {
    /// λ = Φ(λ, ρ) and ρ = c(λ, ρ) by Newton's method on the rows that forces read and on all readings,
    /// with exact derivatives; the step is halved where it does not bring both sides nearer. On return
    /// they agree and accelerations are M⁻¹ f(λ, ρ).
    pub(super) fn implicit_multipliers(
        &mut self,
        at: (f64, &[f64], &[f64]),
        lambda: &mut [f64],
        regular: bool,
        accelerations: &mut [f64],
    ) -> Result<(), Rejection> {
        let read = std::mem::take(&mut self.implicit.read);
        let found = self.search_multipliers(at, &read, lambda, regular, accelerations);
        self.implicit.read = read;
        found
    }

    fn search_multipliers(
        &mut self,
        at: (f64, &[f64], &[f64]),
        read: &[usize],
        lambda: &mut [f64],
        regular: bool,
        accelerations: &mut [f64],
    ) -> Result<(), Rejection> {
        if lambda.iter().any(|l| !l.is_finite()) {
            lambda.fill(0.0);
        }
        if self.work.known.readings.iter().any(|x| !x.is_finite()) {
            self.work.known.readings.fill(0.0);
        }
        // Positions and velocities stay in the workspace, whatever the multipliers.
        let mut bias = std::mem::take(&mut self.implicit.bias);
        let placed = self.constraint_bias(at.0, at.1, at.2, &mut bias);
        self.implicit.bias = bias;
        placed?;
        self.image(lambda, regular, accelerations);
        let rows = read.len();
        for _ in 0..MAXIMUM_ITERATIONS {
            let gap = self.apart(read, lambda);
            if !gap.is_finite() {
                return Err(Rejection::NonFinite { row: 0 });
            }
            if gap <= MULTIPLIER_TOLERANCE {
                self.take_image(lambda);
                return Ok(());
            }
            self.newton_step(at, read, lambda, regular)?;
            for (b, &k) in self.implicit.before.iter_mut().zip(read) {
                *b = lambda[k];
            }
            if self.implicit.readings > 0 {
                self.implicit.before[rows..].copy_from_slice(&self.work.known.readings);
            }
            let mut part = 1.0;
            loop {
                let moved = |i: usize| self.implicit.before[i] + part * self.implicit.step[i];
                for (i, &k) in read.iter().enumerate() {
                    lambda[k] = moved(i);
                }
                for (i, reading) in (rows..self.implicit.step.len()).zip(&mut self.work.known.readings) {
                    *reading = moved(i);
                }
                self.image(lambda, regular, accelerations);
                let now = self.apart(read, lambda);
                // Rounding keeps large things of one kind from agreeing better with small ones.
                if self.implicit.readings > 0 && gap <= NEARLY && now <= NEARLY {
                    self.take_image(lambda);
                    return Ok(());
                }
                if now < gap || part < 1e-3 {
                    break;
                }
                part *= 0.5;
            }
        }
        Err(self.no_solution(read, lambda))
    }

    /// λ := Φ, ρ := c.
    fn take_image(&mut self, lambda: &mut [f64]) {
        lambda.copy_from_slice(&self.implicit.image);
        if self.implicit.readings > 0 {
            self.work.known.readings.copy_from_slice(&self.implicit.measured);
        }
    }

    /// How far λ and Φ, ρ and c are apart: of multipliers relative to the largest, of readings, which
    /// may have any unit, each relative to itself.
    fn apart(&self, read: &[usize], lambda: &[f64]) -> f64 {
        let image = &self.implicit.image;
        let largest = |most: f64, x: f64| if x.is_nan() { x } else { most.max(x) };
        let size = read.iter().map(|&k| image[k].abs()).fold(0.0, largest);
        let rows = read.iter().map(|&k| (image[k] - lambda[k]).abs() / (1.0 + size));
        rows.chain(self.readings_apart()).fold(0.0, largest)
    }

    /// The same of the readings that are looked for.
    pub(super) fn readings_apart(&self) -> impl Iterator<Item = f64> {
        let pairs = self.work.known.readings.iter().zip(&self.implicit.measured);
        let pairs = pairs.take(self.implicit.readings);
        pairs.map(|(x, c)| (x - c).abs() / (1.0 + c.abs()))
    }

    /// What is to blame when nothing was found.
    fn no_solution(&self, read: &[usize], lambda: &[f64]) -> Rejection {
        let worst = self
            .readings_apart()
            .enumerate()
            .max_by(|x, y| x.1.total_cmp(&y.1));
        match worst {
            Some((reading, gap)) if gap >= self.apart(read, lambda) => Rejection::SingularRing { reading },
            _ => Rejection::NoMultipliers,
        }
    }

    /// step := (I − Ψ')⁻¹(Ψ − z) with z = (λ, ρ), Ψ = (Φ, c), on the rows that are read and the
    /// readings.
    fn newton_step(
        &mut self,
        (t, q, v): (f64, &[f64], &[f64]),
        read: &[usize],
        lambda: &[f64],
        regular: bool,
    ) -> Result<(), Rejection> {
        let (n, rows) = (self.model.tree.n_v, read.len());
        let mut implicit = std::mem::take(&mut self.implicit);
        let count = rows + implicit.readings;
        let image = std::mem::take(&mut implicit.image);
        let mut solved = std::mem::take(&mut implicit.solved);
        for first in (0..count).step_by(8) {
            let group = first..count.min(first + 8);
            self.force_slopes((t, q, v), lambda, read, group.clone(), &mut implicit.slopes);
            let mut d = self.dual_memory();
            if implicit.readings > 0 {
                for (a, &value) in d.a.iter_mut().zip(&implicit.motion) {
                    *a = Dual8::constant(value);
                }
                for (l, &value) in d.lambda.iter_mut().zip(&image) {
                    *l = Dual8::constant(value);
                }
            }
            for (c, z) in group.clone().enumerate() {
                implicit
                    .column
                    .copy_from_slice(&implicit.slopes[c * n..(c + 1) * n]);
                self.solve_prepared(&mut implicit.column);
                if !self.active.is_empty() {
                    self.right.fill(0.0);
                    self.add_constraint_product(&implicit.column);
                    self.multipliers(regular, &mut solved);
                }
                for (i, &k) in read.iter().enumerate() {
                    let unit = if i == z { 1.0 } else { 0.0 };
                    implicit.matrix[z * count + i] = unit - solved[k];
                }
                if implicit.readings > 0 {
                    self.subtract_reactions(&solved, &mut implicit.column);
                    for (a, &slope) in d.a.iter_mut().zip(&implicit.column) {
                        *a = a.with_derivative(c, slope);
                    }
                    for (l, &slope) in d.lambda.iter_mut().zip(&solved) {
                        *l = l.with_derivative(c, slope);
                    }
                }
            }
            if implicit.readings > 0 {
                // The workspace still has what the slopes of the forces were computed with.
                let m = &mut *d;
                m.work.measure(
                    &self.model,
                    (&self.active, &m.lambda),
                    &m.a,
                    JointLoads::Unknown,
                    &mut m.readings,
                );
                for (c, z) in group.enumerate() {
                    for (i, reading) in (rows..count).zip(&m.readings) {
                        let unit = if i == z { 1.0 } else { 0.0 };
                        implicit.matrix[z * count + i] = unit - reading.derivative(c);
                    }
                }
            }
            self.dual = Some(d);
        }
        for (step, &k) in implicit.step.iter_mut().zip(read) {
            *step = image[k] - lambda[k];
        }
        let readings = self.work.known.readings.iter().zip(&implicit.measured);
        for (step, (x, c)) in implicit.step[rows..].iter_mut().zip(readings) {
            *step = c - x;
        }
        let found = solve_step(&mut implicit, rows);
        implicit.image = image;
        implicit.solved = solved;
        self.implicit = implicit;
        found
    }

    /// ∂f/∂z of up to eight of z = (λ of the rows that are read, ρ), column by column.
    fn force_slopes(
        &mut self,
        (t, q, v): (f64, &[f64], &[f64]),
        lambda: &[f64],
        read: &[usize],
        group: Range<usize>,
        out: &mut [f64],
    ) {
        let mut d = self.dual_memory();
        let m = &mut *d;
        for (x, &q) in m.q.iter_mut().zip(q) {
            *x = Dual8::constant(q);
        }
        for (x, &v) in m.v.iter_mut().zip(v) {
            *x = Dual8::constant(v);
        }
        self.set_dual(t, lambda, m);
        for (direction, z) in group.clone().enumerate() {
            match read.get(z) {
                Some(&k) => m.work.known.lambda[self.active[k]] = Dual8::variable(lambda[k], direction),
                None => {
                    let reading = &mut m.work.known.readings[z - read.len()];
                    *reading = Dual8::variable(reading.value(), direction);
                }
            }
        }
        Self::elements_force(&self.model, &mut m.work, ElementSet::All, &m.zero, &mut m.out);
        let n = self.model.tree.n_v;
        for c in 0..group.len() {
            for i in 0..n {
                out[c * n + i] = m.out[i].derivative(c);
            }
        }
        self.dual = Some(d);
    }

    /// Time, positions, velocities, own states, multipliers and readings, in dual numbers.
    pub(super) fn set_dual(&self, t: f64, lambda: &[f64], m: &mut DualMemory) {
        m.work.set_sides(&self.work.known.sides);
        m.work.set_time(&self.model, Dual8::constant(t));
        m.work.set_positions(&self.model, &m.q);
        m.work.set_velocities(&self.model, &m.v);
        for (x, &value) in m.work.known.x.iter_mut().zip(&self.work.known.x) {
            *x = Dual8::constant(value);
        }
        for (x, &value) in m.work.known.readings.iter_mut().zip(&self.work.known.readings) {
            *x = Dual8::constant(value);
        }
        if self.model.needs_lambda {
            for (&row, &l) in self.active.iter().zip(lambda) {
                m.work.known.lambda[row] = Dual8::constant(l);
            }
        }
    }

    pub(super) fn elements_force<T: Real>(
        model: &Model,
        work: &mut Workspace<T>,
        elements: ElementSet<'_>,
        zero: &[T],
        out: &mut [T],
    ) {
        match elements {
            ElementSet::All => {
                Self::negative_force(model, work, zero, out);
                out.iter_mut().for_each(|x| *x = -*x);
            }
            ElementSet::Some(list) => {
                work.clear_loads();
                work.evaluate_controls(model);
                let (scene, mut loads) = work.scene(model);
                for &k in list {
                    let force = &model.forces[k];
                    force.element.evaluate(&scene.of(&force.states), &mut loads);
                }
                work.project_loads(model, out);
            }
        }
    }

    pub(super) fn dual_memory(&mut self) -> Box<DualMemory> {
        let (n_q, n_v) = (self.model.tree.n_q, self.model.tree.n_v);
        let zero = Dual8::constant(0.0);
        let ring = self.model.forces_need_readings;
        let if_ring = |n: usize| vec![zero; if ring { n } else { 0 }];
        self.dual.take().unwrap_or_else(|| {
            Box::new(DualMemory {
                work: Workspace::new(&self.model),
                q: vec![zero; n_q],
                v: vec![zero; n_v],
                zero: vec![zero; n_v],
                out: vec![zero; n_v],
                rates: vec![0.0; n_q],
                unit: vec![0.0; n_v],
                a: if_ring(n_v),
                lambda: if_ring(self.active.len()),
                readings: if_ring(self.model.readings.len()),
            })
        })
    }
}

/// Solves for the step; without readings a matrix that is not exactly singular will do.
fn solve_step(implicit: &mut Implicit, rows: usize) -> Result<(), Rejection> {
    let count = implicit.step.len();
    if implicit.readings == 0 {
        return match lu::solve(&mut implicit.matrix, count, &mut implicit.step) {
            true => Ok(()),
            false => Err(Rejection::NoMultipliers),
        };
    }
    let solved = lu::solve_unit_less(
        &mut implicit.matrix,
        &mut implicit.sizes,
        count,
        &mut implicit.step,
    );
    solved.map_err(|z| match z.checked_sub(rows) {
        Some(reading) => Rejection::SingularRing { reading },
        None => Rejection::NoMultipliers,
    })
}
