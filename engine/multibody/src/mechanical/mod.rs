//! [`MechanicalModel`]: a mechanism with its parts apart, as steppers and the start need it.

mod element;
mod implicit;
mod multipliers;
mod partition;
mod readings;

use crate::formalism::cholesky;
use crate::model::Model;
use crate::tree::NodeKind;
use crate::workspace::Workspace;
use holonom_algebra::{Dual8, Real};
use holonom_dae::{ElementSet, JacobianPlan, Mechanical, Rejection};
use implicit::Implicit;
use partition::Plan;
use std::sync::Arc;

/// M, f, g, G, g_t, γ and accelerations of a mechanism, with the given rows of g.
#[derive(Clone, Debug)]
pub struct MechanicalModel {
    model: Arc<Model>,
    active: Vec<usize>,
    /// How many of the active rows, the last ones, open and close at events.
    switched: usize,
    /// Which of the active rows take part.
    takes_part: Vec<bool>,
    /// Places of active rows that are exchanged for others.
    slots: Vec<usize>,
    work: Workspace<f64>,
    /// For derivatives; allocated with the first one asked for.
    dual: Option<Box<DualMemory>>,
    // Dense matrices, allocated by the first evaluation that needs them.
    /// M.
    mass: Vec<f64>,
    /// G.
    matrix: Vec<f64>,
    /// Entries of G that are not zero as (velocity, value), row by row, and where each row ends.
    row_entries: Vec<(usize, f64)>,
    row_ends: Vec<usize>,
    /// M⁻¹Gᵀ, column by column.
    solved: Vec<f64>,
    /// G M⁻¹ Gᵀ and its factor.
    schur: Vec<f64>,
    factor: Vec<f64>,
    right: Vec<f64>,
    scale: Vec<f64>,
    /// A correction of the multipliers.
    change: Vec<f64>,
    force: Vec<f64>,
    /// For forces that depend on multipliers.
    implicit: Implicit,
    /// How Jacobians are renewed in parts.
    plan: Option<Box<Plan>>,
    regularised: usize,
}

#[derive(Clone, Debug)]
struct DualMemory {
    work: Workspace<Dual8>,
    q: Vec<Dual8>,
    v: Vec<Dual8>,
    zero: Vec<Dual8>,
    out: Vec<Dual8>,
    rates: Vec<f64>,
    unit: Vec<f64>,
    /// Accelerations, multipliers and readings; empty where forces do not depend on readings.
    a: Vec<Dual8>,
    lambda: Vec<Dual8>,
    readings: Vec<Dual8>,
}

impl MechanicalModel {
    /// Allocates for a model and the numbers of the rows of g that take part.
    pub fn new(model: Arc<Model>, active: Vec<usize>) -> Self {
        let (n, m) = (model.tree.n_v, active.len());
        let switched = model.switched();
        let mut mechanical = Self {
            switched: active.iter().filter(|row| switched.contains(row)).count(),
            takes_part: vec![true; m],
            slots: Vec::new(),
            work: Workspace::new(&model),
            dual: None,
            mass: Vec::new(),
            matrix: Vec::new(),
            row_entries: Vec::new(),
            row_ends: Vec::new(),
            solved: Vec::new(),
            schur: Vec::new(),
            factor: Vec::new(),
            right: vec![0.0; m],
            scale: vec![0.0; m],
            change: vec![0.0; m],
            force: vec![0.0; n],
            implicit: Implicit::new(&model, &active),
            plan: None,
            regularised: 0,
            model,
            active,
        };
        if mechanical.implicit.is_needed() {
            // Accelerations need derivatives by the multipliers or readings, and must not allocate.
            mechanical.dual = Some(mechanical.dual_memory());
        }
        mechanical
    }

    /// Lets active rows at some places be exchanged: their numbers follow the discrete variables of contacts.
    pub(crate) fn exchanging(mut self, slots: &[usize]) -> Self {
        self.slots = slots.to_vec();
        self
    }

    /// Opens and closes contacts: 1 for each that is closed.
    pub(crate) fn set_contacts(&mut self, contacts: &[f64]) {
        let first = self.active.len() - self.switched;
        for (part, &closed) in self.takes_part[first..].iter_mut().zip(contacts) {
            *part = closed != 0.0;
        }
    }

    /// Exchanges active rows for others of the same constraints.
    pub(crate) fn set_active(&mut self, active: &[usize]) {
        self.active.copy_from_slice(active);
    }

    /// The mechanism.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The workspace, as the last evaluation left it.
    pub fn workspace(&mut self) -> &mut Workspace<f64> {
        &mut self.work
    }

    /// How often multipliers had to be found by a regularised minimum-norm solve because the
    /// constraints were dependent at that position.
    pub fn regularised(&self) -> usize {
        self.regularised
    }

    /// Zero for rows that take no part; `values` are columns of one entry per active row.
    fn mask(&self, values: &mut [f64]) {
        if self.switched == 0 {
            return;
        }
        for column in values.chunks_exact_mut(self.active.len()) {
            let rows = column.iter_mut().zip(&self.takes_part);
            rows.filter(|(_, part)| !**part).for_each(|(x, _)| *x = 0.0);
        }
    }

    fn place(&mut self, t: f64, q: &[f64]) {
        self.work.set_time(&self.model, t);
        self.work.set_positions(&self.model, q);
    }

    /// −f: the Newton–Euler residual at v̇ = 0 for the chosen elements.
    fn negative_force<T: Real>(model: &Model, work: &mut Workspace<T>, zero: &[T], out: &mut [T]) {
        work.clear_loads();
        work.add_forces(model);
        work.newton_euler(model, zero, out);
    }

    /// x := M⁻¹ x for the present positions, after [`prepare_mass`](Self::prepare_mass).
    fn solve_prepared(&mut self, x: &mut [f64]) {
        if self.model.rods.is_empty() {
            self.force.copy_from_slice(x);
            self.work.solve_tree_mass(&self.model, &self.force, x);
        } else {
            cholesky::solve(&self.mass, self.model.tree.n_v, x);
        }
    }

    fn prepare_mass(&mut self) -> Result<(), Rejection> {
        if self.model.rods.is_empty() {
            self.work.factorise_tree_mass(&self.model);
            return Ok(());
        }
        let n = self.model.tree.n_v;
        self.mass.resize(n * n, 0.0);
        self.work.mass(&self.model, &mut self.mass);
        cholesky::factorise(&mut self.mass, n).map_err(|_| Rejection::OutsideDomain)
    }
}

impl Mechanical for MechanicalModel {
    fn n_q(&self) -> usize {
        self.model.tree.n_q
    }
    fn n_v(&self) -> usize {
        self.model.tree.n_v
    }
    fn n_g(&self) -> usize {
        self.active.len()
    }
    fn n_x(&self) -> usize {
        self.model.states.len()
    }

    fn set_discrete(&mut self, discrete: &[f64]) {
        self.set_contacts(discrete);
        if let Some(rows) = discrete.get(self.switched + 1..) {
            follow(&self.slots, rows, &mut self.active);
        }
        self.work.set_sides(discrete);
    }

    fn takes_part(&self, row: usize) -> bool {
        self.takes_part.get(row).copied().unwrap_or(true)
    }

    fn set_states(&mut self, x: &[f64]) {
        self.work.set_states(x);
    }

    fn set_readings(&mut self, readings: &[f64]) {
        self.work.set_readings(readings);
    }

    fn readings(&self, out: &mut [f64]) {
        out.copy_from_slice(&self.work.known.readings);
    }

    fn state_rates(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        lambda: &[f64],
        out: &mut [f64],
    ) -> Result<(), Rejection> {
        self.place(t, q);
        self.work.set_velocities(&self.model, v);
        self.work.set_multipliers(&self.model, &self.active, lambda);
        self.work.state_rates(&self.model, out);
        match out.iter().position(|x| !x.is_finite()) {
            Some(row) => Err(Rejection::NonFinite { row }),
            None => Ok(()),
        }
    }

    fn normalise(&mut self, q: &mut [f64]) {
        for node in self.model.tree.nodes.iter().filter(|n| n.kind == NodeKind::Ball) {
            let e = &mut q[node.q..node.q + 4];
            let length = e.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 0.0 {
                e.iter_mut().for_each(|x| *x /= length);
            }
        }
    }

    fn advance(&mut self, q: &[f64], h: f64, v: &[f64], out: &mut [f64]) {
        Workspace::velocity_map(&self.model, q, v, out);
        let (mut balls, mut i) = (self.model.tree.nodes.iter(), 0);
        while i < q.len() {
            // Where the next Euler parameters begin; everything before is a plain coordinate.
            let ball = balls.find(|n| n.kind == NodeKind::Ball && n.prescribed.is_none());
            let end = ball.map_or(q.len(), |n| n.q);
            for (out, q) in out[i..end].iter_mut().zip(&q[i..end]) {
                *out = q + h * *out;
            }
            i = end;
            if ball.is_some() {
                geodesic(&q[i..i + 4], h, &mut out[i..i + 4]);
                i += 4;
            }
        }
    }

    fn n_elements(&self) -> usize {
        self.model.forces.len()
    }

    fn element_name(&self, element: usize) -> &str {
        self.model.forces.get(element).map_or("", |f| &f.name)
    }

    fn velocity_map(&mut self, q: &[f64], x: &[f64], out: &mut [f64]) {
        Workspace::velocity_map(&self.model, q, x, out);
    }

    fn mass(&mut self, t: f64, q: &[f64], mass: &mut [f64]) -> Result<(), Rejection> {
        self.place(t, q);
        self.work.mass(&self.model, mass);
        let n = self.model.tree.n_v;
        for j in 0..n {
            for i in 0..j {
                mass[j * n + i] = mass[i * n + j];
            }
        }
        Ok(())
    }

    fn apply_mass(&mut self, t: f64, q: &[f64], x: &[f64], out: &mut [f64]) -> Result<(), Rejection> {
        let n = self.model.tree.n_v;
        let mut mass = std::mem::take(&mut self.mass);
        mass.resize(n * n, 0.0);
        let done = self.mass(t, q, &mut mass);
        for i in 0..n {
            out[i] = (0..n).map(|j| mass[j * n + i] * x[j]).sum();
        }
        self.mass = mass;
        done
    }

    fn solve_mass(&mut self, t: f64, q: &[f64], x: &mut [f64]) -> Result<(), Rejection> {
        self.place(t, q);
        self.prepare_mass()?;
        self.solve_prepared(x);
        Ok(())
    }

    fn force(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        lambda: &[f64],
        force: &mut [f64],
    ) -> Result<(), Rejection> {
        self.place(t, q);
        self.work.set_velocities(&self.model, v);
        self.force_here(lambda, force);
        Ok(())
    }

    fn force_derivative(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        lambda: &[f64],
        x: &[f64],
        w: &[f64],
        out: &mut [f64],
    ) -> Result<(), Rejection> {
        let mut d = self.dual_memory();
        Workspace::velocity_map(&self.model, q, x, &mut d.rates);
        for i in 0..q.len() {
            d.q[i] = Dual8::constant(q[i]).with_derivative(0, d.rates[i]);
        }
        for i in 0..v.len() {
            d.v[i] = Dual8::constant(v[i]).with_derivative(0, w[i]);
        }
        let m = &mut *d;
        self.set_dual(t, lambda, m);
        Self::elements_force(&self.model, &mut m.work, ElementSet::All, &m.zero, &mut m.out);
        for (o, x) in out.iter_mut().zip(&m.out) {
            *o = x.derivative(0);
        }
        self.dual = Some(d);
        Ok(())
    }

    fn force_jacobians(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        lambda: &[f64],
        elements: ElementSet<'_>,
        f_q: &mut [f64],
        f_v: &mut [f64],
    ) -> Result<(), Rejection> {
        let mut d = self.dual_memory();
        let n = self.model.tree.n_v;
        for (velocities, target) in [(false, &mut *f_q), (true, &mut *f_v)] {
            for first in (0..n).step_by(8) {
                let m = &mut *d;
                for i in 0..q.len() {
                    m.q[i] = Dual8::constant(q[i]);
                }
                for i in 0..n {
                    m.v[i] = Dual8::constant(v[i]);
                }
                let last = n.min(first + 8);
                for j in first..last {
                    if velocities {
                        m.v[j] = Dual8::variable(v[j], j - first);
                        continue;
                    }
                    m.unit.fill(0.0);
                    m.unit[j] = 1.0;
                    Workspace::velocity_map(&self.model, q, &m.unit, &mut m.rates);
                    for (x, &r) in m.q.iter_mut().zip(&m.rates) {
                        if r != 0.0 {
                            *x = x.with_derivative(j - first, r);
                        }
                    }
                }
                self.set_dual(t, lambda, m);
                Self::elements_force(&self.model, &mut m.work, elements, &m.zero, &mut m.out);
                for j in first..last {
                    for i in 0..n {
                        target[j * n + i] = m.out[i].derivative(j - first);
                    }
                }
            }
        }
        self.dual = Some(d);
        Ok(())
    }

    fn plan_jacobians(&mut self, elements: ElementSet<'_>, shares: usize) -> JacobianPlan {
        let plan = Plan::new(&self.model, elements, shares);
        let work = plan.work();
        self.plan = Some(Box::new(plan));
        work
    }

    fn renew_jacobians(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        lambda: &[f64],
        elements: ElementSet<'_>,
        share: usize,
        f_q: &mut [f64],
        f_v: &mut [f64],
    ) -> Result<(), Rejection> {
        let Some(plan) = self.plan.take() else {
            return self.force_jacobians(t, q, v, lambda, elements, f_q, f_v);
        };
        let done = self.renew_share((t, q, v, lambda), share, &plan, f_q, f_v);
        self.plan = Some(plan);
        done
    }

    fn constraint(&mut self, t: f64, q: &[f64], g: &mut [f64]) -> Result<(), Rejection> {
        self.place(t, q);
        self.work.constraint(&self.model, &self.active, g);
        self.mask(g);
        Ok(())
    }

    fn constraint_matrix(&mut self, t: f64, q: &[f64], matrix: &mut [f64]) -> Result<(), Rejection> {
        self.place(t, q);
        self.work.constraint_matrix(&self.model, &self.active, matrix);
        self.mask(matrix);
        Ok(())
    }

    fn constraint_rate(&mut self, t: f64, q: &[f64], g_t: &mut [f64]) -> Result<(), Rejection> {
        self.place(t, q);
        self.force.fill(0.0);
        self.work.set_velocities(&self.model, &self.force);
        self.work.constraint_velocity(&self.model, &self.active, g_t);
        self.mask(g_t);
        Ok(())
    }

    fn constraint_bias(&mut self, t: f64, q: &[f64], v: &[f64], gamma: &mut [f64]) -> Result<(), Rejection> {
        self.place(t, q);
        self.work.set_velocities(&self.model, v);
        self.work.set_accelerations(&self.model, None);
        self.work
            .constraint_acceleration(&self.model, &self.active, gamma);
        self.mask(gamma);
        Ok(())
    }

    fn accelerations(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        lambda: &mut [f64],
        accelerations: &mut [f64],
    ) -> Result<(), Rejection> {
        let implicit = self.implicit.is_needed();
        if implicit {
            self.place(t, q);
            self.prepare_mass()?;
        } else {
            self.force(t, q, v, lambda, accelerations)?;
            self.prepare_mass()?;
            self.solve_prepared(accelerations);
        }
        let (n, m) = (self.model.tree.n_v, self.active.len());
        let mut regular = true;
        if m > 0 {
            let mut matrix = std::mem::take(&mut self.matrix);
            matrix.resize(m * n, 0.0);
            self.work
                .constraint_matrix(&self.model, &self.active, &mut matrix);
            self.mask(&mut matrix);
            let mut solved = std::mem::take(&mut self.solved);
            solved.resize(m * n, 0.0);
            self.schur.resize(m * m, 0.0);
            self.factor.resize(m * m, 0.0);
            for i in 0..m {
                let y = &mut solved[i * n..(i + 1) * n];
                for j in 0..n {
                    y[j] = matrix[j * m + i];
                }
                self.solve_prepared(y);
            }
            self.sparse_rows(&matrix);
            for (k, solved) in solved.chunks_exact(n.max(1)).enumerate() {
                let mut begin = 0;
                for (i, &end) in self.row_ends.iter().enumerate() {
                    let entries = self.row_entries[begin..end].iter();
                    self.schur[k * m + i] = entries.map(|&(j, g)| g * solved[j]).sum();
                    begin = end;
                }
            }
            self.matrix = matrix;
            self.solved = solved;
            regular = self.factorise_schur();
        }
        if implicit {
            self.implicit_multipliers((t, q, v), lambda, regular, accelerations)?;
        } else if m > 0 {
            // All at once from the accelerations without multipliers.
            self.constraint_right((t, q, v), accelerations)?;
            self.multipliers(regular, lambda);
        }
        self.subtract_reactions(lambda, accelerations);
        if regular && m > 0 {
            self.refine_multipliers((t, q, v), lambda, accelerations)?;
        }
        if self.implicit.readings < self.model.readings.len() {
            self.measure(accelerations, lambda);
            self.work.known.readings.copy_from_slice(&self.implicit.measured);
        }
        match accelerations.iter().position(|x| !x.is_finite()) {
            Some(row) => Err(Rejection::NonFinite { row }),
            None => Ok(()),
        }
    }
}

/// Brings the active rows at `slots` to those given.
pub(crate) fn follow(slots: &[usize], rows: &[f64], active: &mut [usize]) {
    for (&k, &row) in slots.iter().zip(rows) {
        active[k] = row as usize;
    }
}

/// rate := e cos s + (rate/|rate|) sin s with s = h |rate|: Euler parameters e after turning for a time
/// h at this rate. As the rate is perpendicular to e, this is e ∘ exp(h ω/2).
fn geodesic(e: &[f64], h: f64, rate: &mut [f64]) {
    let s = h * rate.iter().map(|x| x * x).sum::<f64>().sqrt();
    // sin s / s, from its series where s is small: without a division by zero.
    let sinc = if s.abs() < 1e-4 {
        1.0 - s * s / 6.0
    } else {
        s.sin() / s
    };
    let cos = s.cos();
    for (rate, e) in rate.iter_mut().zip(e) {
        *rate = cos * e + h * sinc * *rate;
    }
}
