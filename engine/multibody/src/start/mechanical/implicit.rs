//! Multipliers that forces depend on: friction and creep, found together with the accelerations.

use super::{DualMemory, MechanicalModel};
use crate::formalism::lu;
use crate::model::Model;
use crate::workspace::Workspace;
use holonom_algebra::{Dual8, Real};
use holonom_dae::{ElementSet, Rejection};

/// Newton iterations for multipliers that forces depend on.
const MAXIMUM_ITERATIONS: usize = 60;

/// A correction of multipliers, relative to them, that is rounding.
const MULTIPLIER_TOLERANCE: f64 = 1e-12;

impl MechanicalModel {
    /// λ = Φ(λ) by Newton's method on the rows that forces read, with exact derivatives; the step
    /// is halved where it does not bring λ and Φ(λ) nearer. On return λ and Φ(λ) agree and
    /// accelerations are M⁻¹ f(λ).
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

    pub(super) fn search_multipliers(
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
        self.image(at, lambda, regular, accelerations)?;
        let apart = |image: &[f64], lambda: &[f64]| {
            read.iter()
                .fold(0.0, |most: f64, &k| most.max((image[k] - lambda[k]).abs()))
        };
        for _ in 0..MAXIMUM_ITERATIONS {
            let gap = apart(&self.implicit.image, lambda);
            let size = read
                .iter()
                .fold(0.0, |most: f64, &k| most.max(self.implicit.image[k].abs()));
            if !gap.is_finite() {
                return Err(Rejection::NonFinite { row: 0 });
            }
            if gap <= MULTIPLIER_TOLERANCE * (1.0 + size) {
                lambda.copy_from_slice(&self.implicit.image);
                return Ok(());
            }
            self.newton_step(at, read, lambda, regular)?;
            for (b, &k) in self.implicit.before.iter_mut().zip(read) {
                *b = lambda[k];
            }
            let mut part = 1.0;
            loop {
                for (i, &k) in read.iter().enumerate() {
                    lambda[k] = self.implicit.before[i] + part * self.implicit.step[i];
                }
                self.image(at, lambda, regular, accelerations)?;
                let now = apart(&self.implicit.image, lambda);
                if now < gap || part < 1e-3 {
                    break;
                }
                part *= 0.5;
            }
        }
        Err(Rejection::NoMultipliers)
    }

    /// step := (I − Φ')⁻¹(Φ(λ) − λ) on the rows that are read.
    pub(super) fn newton_step(
        &mut self,
        (t, q, v): (f64, &[f64], &[f64]),
        read: &[usize],
        lambda: &[f64],
        regular: bool,
    ) -> Result<(), Rejection> {
        let (n, count) = (self.model.tree.n_v, read.len());
        let mut implicit = std::mem::take(&mut self.implicit);
        let image = std::mem::take(&mut implicit.image);
        let mut solved = std::mem::take(&mut implicit.solved);
        for first in (0..count).step_by(8) {
            let group = &read[first..count.min(first + 8)];
            self.force_slopes(t, q, v, lambda, group, &mut implicit.slopes);
            for (c, _) in group.iter().enumerate() {
                implicit
                    .column
                    .copy_from_slice(&implicit.slopes[c * n..(c + 1) * n]);
                self.solve_prepared(&mut implicit.column);
                self.right.fill(0.0);
                self.add_constraint_product(&implicit.column);
                self.multipliers(regular, &mut solved);
                for (i, &k) in read.iter().enumerate() {
                    let unit = if i == first + c { 1.0 } else { 0.0 };
                    implicit.matrix[(first + c) * count + i] = unit - solved[k];
                }
            }
        }
        for (step, &k) in implicit.step.iter_mut().zip(read) {
            *step = image[k] - lambda[k];
        }
        let regular = lu::solve(&mut implicit.matrix, count, &mut implicit.step);
        implicit.image = image;
        implicit.solved = solved;
        self.implicit = implicit;
        if regular {
            Ok(())
        } else {
            Err(Rejection::NoMultipliers)
        }
    }

    /// ∂f/∂λ of up to eight active rows, column by column.
    pub(super) fn force_slopes(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        lambda: &[f64],
        rows: &[usize],
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
        for (direction, &k) in rows.iter().enumerate() {
            m.work.lambda[self.active[k]] = Dual8::variable(lambda[k], direction);
        }
        Self::elements_force(&self.model, &mut m.work, ElementSet::All, &m.zero, &mut m.out);
        let n = self.model.tree.n_v;
        for c in 0..rows.len() {
            for i in 0..n {
                out[c * n + i] = m.out[i].derivative(c);
            }
        }
        self.dual = Some(d);
    }

    /// Time, positions, velocities, own states and multipliers, in dual numbers.
    pub(super) fn set_dual(&self, t: f64, lambda: &[f64], m: &mut DualMemory) {
        m.work.set_time(&self.model, Dual8::constant(t));
        m.work.set_positions(&self.model, &m.q);
        m.work.set_velocities(&self.model, &m.v);
        for (x, &value) in m.work.x.iter_mut().zip(&self.work.x) {
            *x = Dual8::constant(value);
        }
        if self.model.needs_lambda {
            for (&row, &l) in self.active.iter().zip(lambda) {
                m.work.lambda[row] = Dual8::constant(l);
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
                let (scene, mut loads, _) = work.scene(model);
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
        self.dual.take().unwrap_or_else(|| {
            Box::new(DualMemory {
                work: Workspace::new(&self.model),
                q: vec![zero; n_q],
                v: vec![zero; n_v],
                zero: vec![zero; n_v],
                out: vec![zero; n_v],
                rates: vec![0.0; n_q],
                unit: vec![0.0; n_v],
            })
        })
    }
}
