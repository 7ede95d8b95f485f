//! [`Equations`]: a mechanism as a residual.

use super::impacts::Contact;
use super::loops::{Loops, LoopsRoom};
use super::places;
use super::readings::ReadingSlopes;
use super::stretch::{Source, Stretch};
use super::{Form, Formalism, GglMetric};
use crate::dependencies::Dependencies;
use crate::elements::constraints::RowLevel;
use crate::formalism::cholesky;
use crate::mechanical::MechanicalModel;
use crate::model::Model;
use crate::start::{RowReport, RowScales};
use crate::tree::NodeKind;
use crate::workspace::Workspace;
use core::any::TypeId;
use core::ops::Range;
use holonom_algebra::Real;
use holonom_dae::{
    Bound, Event, EventAction, EventState, FailureKind, Gap, Hidden, LazyPattern, Look, Mechanical, Misfit,
    Point, Rejection, Residual, SingularPosition, Structure, System, Tolerances, Turn, Turned,
};
use holonom_expression::curve::forget_refusal;
use holonom_expression::switches::Side;
use std::sync::{Arc, OnceLock};

/// Rate at which lengths of Euler parameters are pulled to one in the forms without multiplier
/// for them, 1/s.
const LENGTH_RATE: f64 = 1.0;

/// The equations of motion of a mechanism in one form.
///
/// Usually made by [`Assembled::equations`](crate::start::Assembled::equations), which knows the
/// rows that are independent.
#[derive(Clone, Debug)]
pub struct Equations {
    pub(super) model: Arc<Model>,
    /// Rows of g that take part.
    pub(super) active: Vec<usize>,
    /// Places in `active` of the rows that are conditions on positions, and the rows.
    pub(super) holonomic: Vec<usize>,
    positions: Vec<usize>,
    /// Impacts, whose rows are the last ones of `active` and of `positions`.
    pub(super) contacts: Vec<Contact>,
    /// Which of them are closed at the start, 1 or 0.
    closed: Vec<f64>,
    /// What becomes of the constraints on positions; none where nobody watches them.
    pub(super) loops: Option<Loops>,
    /// Where sets of Euler parameters begin in q.
    pub(super) quaternions: Vec<usize>,
    pub(super) form: Form,
    pub(super) formalism: Formalism,
    pub(super) metric: GglMetric,
    pub(super) dependencies: Arc<Dependencies>,
    /// The pattern of ∂F/∂ẏ; none where it is the identity.
    pub(super) mass: Option<LazyPattern>,
    /// Where its entries come from, in the order of the pattern; found when they are first needed.
    derivative: OnceLock<Vec<Stretch>>,
}

/// Where the parts of y lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub q: Range<usize>,
    pub v: Range<usize>,
    pub x: Range<usize>,
    pub lambda: Range<usize>,
    pub eta: Range<usize>,
    pub sigma: Range<usize>,
    pub readings: Range<usize>,
}

/// Memory of [`Equations`].
#[derive(Debug)]
pub struct EquationsWorkspace<T: Real> {
    pub(super) mechanism: Workspace<T>,
    /// Rows of g that take part now, and those of them that are conditions on positions.
    pub(super) active: Vec<usize>,
    positions: Vec<usize>,
    /// g.
    rows: Vec<T>,
    /// Dense M, where it must be solved with.
    factor: Vec<T>,
    /// Multipliers of which those of open contacts are zero; empty without contacts.
    pub(super) multipliers: Vec<T>,
    /// Gaps of contacts and their rates.
    gaps: Vec<T>,
    speeds: Vec<T>,
    /// Dense M and G for ∂F/∂ẏ; empty until these are needed.
    mass: Vec<f64>,
    matrix: Vec<f64>,
    /// Accelerations by the explicit formalism, where readings need them.
    pub(super) accelerations: Vec<T>,
    /// For derivatives of readings by accelerations; plain numbers only.
    dual: Option<Box<ReadingSlopes>>,
    /// For looks at the constraints; plain numbers only.
    loops: Option<Box<LoopsRoom>>,
}

impl Equations {
    /// The equations of `model` with the given rows of g.
    pub fn new(
        model: Arc<Model>,
        active: Vec<usize>,
        form: Form,
        formalism: Formalism,
        metric: GglMetric,
    ) -> Self {
        let holonomic: Vec<usize> = (0..active.len())
            .filter(|&k| model.rows[active[k]].level == RowLevel::Holonomic)
            .collect();
        let positions = holonomic.iter().map(|&k| active[k]).collect();
        let impacts = active.iter().filter_map(|&row| {
            let constraint = &model.constraints[model.rows[row].constraint];
            constraint.impact().map(|impact| Contact {
                name: constraint.name.clone(),
                restitution: impact.restitution,
                rest_speed: impact.rest_speed,
            })
        });
        let contacts: Vec<Contact> = impacts.collect();
        let balls = model.tree.nodes.iter().filter(|n| n.kind == NodeKind::Ball);
        let quaternions = balls.map(|n| n.q).collect();
        let mut equations = Self {
            dependencies: Arc::new(Dependencies::new(&model)),
            model,
            active,
            holonomic,
            positions,
            closed: vec![0.0; contacts.len()],
            contacts,
            loops: None,
            quaternions,
            form,
            formalism,
            metric,
            mass: None,
            derivative: OnceLock::new(),
        };
        equations.mass = equations.mass_pattern();
        equations
    }

    /// Where the entry in row i and column j of ∂F/∂ẏ comes from.
    fn derivative_entry(&self, (i, j): (usize, usize)) -> (Source, usize) {
        let (l, n) = (self.layout(), self.model.tree.n_v);
        if i < l.q.end || l.x.contains(&i) || (l.v.contains(&i) && self.formalism == Formalism::Explicit) {
            return (Source::One, 0);
        }
        let column = j - l.v.start;
        if i < l.v.end {
            let row = i - l.v.start;
            // Only the lower triangle is filled.
            (Source::Mass, row.min(column) * n + row.max(column))
        } else if l.readings.contains(&i) {
            let place = column * l.readings.len() + i - l.readings.start;
            (Source::Readings, place)
        } else {
            let place = column * self.active.len() + i - l.lambda.start;
            (Source::Constraints, place)
        }
    }

    /// Closes contacts at the start, by the numbers of their rows; without this all are open.
    pub fn with_closed(mut self, rows: &[usize]) -> Self {
        let first = self.active.len() - self.contacts.len();
        for (closed, row) in self.closed.iter_mut().zip(&self.active[first..]) {
            *closed = f64::from(u8::from(rows.contains(row)));
        }
        self
    }

    /// Watches the constraints on positions, and exchanges rows for better ones.
    pub(crate) fn with_loops(mut self, rows: &RowReport, scales: RowScales, precision: f64) -> Self {
        let elements = &self.dependencies.elements;
        let readings = &self.dependencies.readings;
        let read = |row: usize| {
            elements.iter().any(|e| e.reads.rows.contains(&row))
                || readings.iter().any(|r| r.reads.rows.contains(&row))
        };
        let contacts = self.contacts.len();
        self.loops = Loops::new(
            &self.model,
            &self.active,
            contacts,
            self.form,
            (rows, scales, precision),
            &read,
        );
        self
    }

    /// What becomes of the constraints on positions, where rows can be exchanged.
    pub(crate) fn exchanging(&self) -> Option<&Loops> {
        self.loops.as_ref().filter(|loops| !loops.slots().is_empty())
    }

    /// The discrete variables of contacts.
    pub(super) fn open_or_closed<'a>(&self, discrete: &'a [f64]) -> &'a [f64] {
        &discrete[..self.contacts.len().min(discrete.len())]
    }

    /// Brings the rows that take part to those of the discrete variables.
    fn follow<T: Real>(&self, discrete: &[f64], work: &mut EquationsWorkspace<T>) {
        let Some(loops) = self.exchanging() else {
            return;
        };
        loops.follow(discrete, &mut work.active);
        for (position, &k) in work.positions.iter_mut().zip(&self.holonomic) {
            *position = work.active[k];
        }
    }

    /// How many of the active rows, the last ones, open and close at events.
    pub fn switched(&self) -> usize {
        self.contacts.len()
    }

    /// The mechanism.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The rows of g that take part.
    pub fn active(&self) -> &[usize] {
        &self.active
    }

    /// The form.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Where what sensors read as unknowns of their own lies in y.
    pub fn readings(&self) -> Range<usize> {
        self.layout().readings
    }

    /// y and ẏ with the given positions and velocities and the own states at their start values,
    /// everything else zero but q̇ = V v.
    pub fn state(&self, q: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let l = self.layout();
        let mut y = vec![0.0; l.readings.end];
        let mut yp = y.clone();
        y[l.q.clone()].copy_from_slice(q);
        y[l.v.clone()].copy_from_slice(v);
        y[l.x].copy_from_slice(&self.model.x0);
        Workspace::velocity_map(&self.model, q, v, &mut yp[l.q]);
        (y, yp)
    }

    pub(super) fn layout(&self) -> Layout {
        let (n_q, n_v) = (self.model.tree.n_q, self.model.tree.n_v);
        let n_lambda = if self.form == Form::Ode {
            0
        } else {
            self.active.len()
        };
        let n_eta = if self.form == Form::Ggl {
            self.holonomic.len()
        } else {
            0
        };
        let n_sigma = if self.form.keeps_lengths() {
            self.quaternions.len()
        } else {
            0
        };
        let x = n_q + n_v;
        let lambda = x + self.model.states.len();
        let eta = lambda + n_lambda;
        let sigma = eta + n_eta;
        let readings = sigma + n_sigma;
        Layout {
            q: 0..n_q,
            v: n_q..x,
            x: x..lambda,
            lambda: lambda..eta,
            eta: eta..sigma,
            sigma: sigma..readings,
            readings: readings..readings + self.model.readings.len(),
        }
    }

    /// `values` of the active rows, or of those on positions, with zero for open contacts.
    pub(super) fn masked<'a, T: Real>(
        &self,
        values: &'a [T],
        discrete: &[f64],
        buffer: &'a mut [T],
    ) -> &'a [T] {
        if self.contacts.is_empty() {
            return values;
        }
        let n = values.len();
        buffer[..n].copy_from_slice(values);
        let contacts = &mut buffer[n - self.contacts.len()..n];
        for (x, _) in contacts.iter_mut().zip(discrete).filter(|(_, c)| **c == 0.0) {
            *x = T::zero();
        }
        &buffer[..n]
    }

    fn kinematic<T: Real>(
        &self,
        at: &Point<'_, T>,
        l: &Layout,
        work: &mut EquationsWorkspace<T>,
        r: &mut [T],
    ) -> Result<(), Rejection> {
        let (q, v) = (&at.y[l.q.clone()], &at.y[l.v.clone()]);
        let w = &mut work.mechanism;
        let rates = &mut r[l.q.clone()];
        if l.eta.is_empty() {
            Workspace::velocity_map(&self.model, q, v, rates);
        } else {
            // v − W Gᵀη
            let mut x = std::mem::take(&mut w.vector2);
            let eta = self.masked(&at.y[l.eta.clone()], at.discrete, &mut work.multipliers);
            self.stabilisation(&work.active, eta, w, &mut work.factor, &mut x)?;
            for (x, v) in x.iter_mut().zip(v) {
                *x = *v - *x;
            }
            Workspace::velocity_map(&self.model, q, &x, rates);
            w.vector2 = x;
        }
        for (r, yp) in rates.iter_mut().zip(&at.yp[l.q.clone()]) {
            *r = *yp - *r;
        }
        for (k, &i) in self.quaternions.iter().enumerate() {
            let e = &q[i..i + 4];
            let square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
            if self.form.keeps_lengths() {
                let sigma = at.y[l.sigma.start + k];
                for j in 0..4 {
                    r[i + j] += e[j] * sigma;
                }
                r[l.sigma.start + k] = (square - 1.0) * 0.5;
            } else {
                let pull = (-square + 1.0) * LENGTH_RATE;
                for j in 0..4 {
                    r[i + j] -= e[j] * pull;
                }
            }
        }
        Ok(())
    }

    /// out := W Gᵀη.
    fn stabilisation<T: Real>(
        &self,
        active: &[usize],
        eta: &[T],
        w: &mut Workspace<T>,
        factor: &mut [T],
        out: &mut [T],
    ) -> Result<(), Rejection> {
        let model = &*self.model;
        w.clear_loads();
        w.add_multipliers_of(model, active, &self.holonomic, eta);
        w.project_loads(model, out);
        if self.metric == GglMetric::Mass {
            if model.rods.is_empty() {
                let mut x = std::mem::take(&mut w.a);
                x.copy_from_slice(out);
                w.factorise_tree_mass(model);
                w.solve_tree_mass(model, &x, out);
                w.a = x;
            } else {
                w.mass(model, factor);
                cholesky::factorise(factor, model.tree.n_v).map_err(|_| Rejection::OutsideDomain)?;
                cholesky::solve(factor, model.tree.n_v, out);
            }
        }
        Ok(())
    }

    fn dynamic<T: Real>(
        &self,
        at: &Point<'_, T>,
        l: &Layout,
        work: &mut EquationsWorkspace<T>,
        r: &mut [T],
        formalism: Formalism,
    ) -> Result<(), Rejection> {
        let model = &*self.model;
        let w = &mut work.mechanism;
        w.clear_loads();
        w.add_forces(model);
        if !l.x.is_empty() {
            w.state_rates_after_forces(model, &mut r[l.x.clone()]);
            for (r, xp) in r[l.x.clone()].iter_mut().zip(&at.yp[l.x.clone()]) {
                *r = *xp - *r;
            }
        }
        if !l.lambda.is_empty() {
            let lambda = self.masked(&at.y[l.lambda.clone()], at.discrete, &mut work.multipliers);
            w.add_multipliers(model, &work.active, lambda, -1.0);
        }
        let vp = &at.yp[l.v.clone()];
        let rows = &mut r[l.v.clone()];
        match formalism {
            Formalism::Residual => w.newton_euler(model, vp, rows),
            Formalism::Explicit => {
                w.explicit(model, &mut work.factor, rows)?;
                if !l.readings.is_empty() {
                    work.accelerations.copy_from_slice(rows);
                }
                for (r, a) in rows.iter_mut().zip(vp) {
                    *r = *a - *r;
                }
            }
        }
        Ok(())
    }

    fn constraint_rows<T: Real>(
        &self,
        at: &Point<'_, T>,
        l: &Layout,
        work: &mut EquationsWorkspace<T>,
        r: &mut [T],
    ) {
        let (w, rows) = (&mut work.mechanism, &mut work.rows);
        let (model, active) = (&*self.model, &work.active);
        match self.form {
            Form::Ode => {}
            Form::Index1 => {
                w.set_accelerations(model, Some(&at.yp[l.v.clone()]));
                w.constraint_acceleration(model, active, &mut r[l.lambda.clone()]);
            }
            Form::Index2 => w.constraint_velocity(model, active, &mut r[l.lambda.clone()]),
            Form::Index3 => {
                // Velocities first: where a row is a condition on positions, g takes its place.
                if self.holonomic.len() < active.len() {
                    w.constraint_velocity(model, active, &mut r[l.lambda.clone()]);
                }
                w.constraint(model, &work.positions, rows);
                for (&k, &g) in self.holonomic.iter().zip(rows.iter()) {
                    r[l.lambda.start + k] = g;
                }
            }
            Form::Ggl => {
                w.constraint_velocity(model, active, &mut r[l.lambda.clone()]);
                w.constraint(model, &work.positions, &mut r[l.eta.clone()]);
            }
        }
        // An open contact carries no force, and nothing needs to be stabilised.
        let contacts = self.open_or_closed(at.discrete).iter().enumerate();
        for (k, _) in contacts.filter(|(_, c)| **c == 0.0) {
            for range in [&l.lambda, &l.eta].into_iter().filter(|range| !range.is_empty()) {
                let i = range.end - self.contacts.len() + k;
                r[i] = at.y[i];
            }
        }
    }

    /// The equations as solvers take them.
    pub fn system(self) -> Box<dyn System> {
        // Here and not in the caller's crate, so that the evaluations with dual numbers are
        // compiled once.
        Box::new(Bound::new(self))
    }

    /// F(t, y, ẏ), with the rows of motion in the given formalism.
    fn evaluate<T: Real>(
        &self,
        at: Point<'_, T>,
        work: &mut EquationsWorkspace<T>,
        r: &mut [T],
        formalism: Formalism,
    ) -> Result<(), Rejection> {
        let l = self.layout();
        self.follow(at.discrete, work);
        let w = &mut work.mechanism;
        w.set_sides(at.discrete);
        w.set_time(&self.model, at.t);
        w.shift_signal(at.shift);
        w.set_positions(&self.model, &at.y[l.q.clone()]);
        w.set_velocities(&self.model, &at.y[l.v.clone()]);
        w.set_states(&at.y[l.x.clone()]);
        // λ is an unknown of every form that has it: also index 1 takes forces that depend on it
        // as they are, not from the step before.
        w.set_multipliers(&self.model, &work.active, &at.y[l.lambda.clone()]);
        w.set_readings(&at.y[l.readings.clone()]);
        self.dynamic(&at, &l, work, r, formalism)?;
        self.reading_rows(&at, &l, work, r);
        self.kinematic(&at, &l, work, r)?;
        self.constraint_rows(&at, &l, work, r);
        Ok(())
    }
}

impl Residual for Equations {
    type Workspace<T: Real> = EquationsWorkspace<T>;

    fn structure(&self) -> Structure {
        self.describe()
    }

    fn workspace<T: Real>(&self) -> EquationsWorkspace<T> {
        let (model, n, l) = (&*self.model, self.model.tree.n_v, self.layout());
        let dense = !model.rods.is_empty();
        let numbers = TypeId::of::<T>() == TypeId::of::<f64>();
        let plain = numbers && self.mass.is_some();
        EquationsWorkspace {
            mechanism: Workspace::new(model),
            active: self.active.clone(),
            positions: self.positions.clone(),
            loops: self
                .loops
                .as_ref()
                .filter(|_| numbers)
                .map(|loops| Box::new(loops.room(model))),
            rows: vec![T::zero(); self.positions.len()],
            multipliers: vec![
                T::zero();
                if self.contacts.is_empty() {
                    0
                } else {
                    self.active.len()
                }
            ],
            gaps: vec![T::zero(); self.contacts.len()],
            speeds: vec![T::zero(); self.contacts.len()],
            factor: vec![T::zero(); if dense { n * n } else { 0 }],
            mass: Vec::new(),
            matrix: Vec::new(),
            accelerations: vec![T::zero(); if model.readings.is_empty() { 0 } else { n }],
            dual: (plain && self.readings_hold_derivatives())
                .then(|| Box::new(ReadingSlopes::new(model, &l))),
        }
    }

    fn residual<T: Real>(
        &self,
        at: Point<'_, T>,
        work: &mut EquationsWorkspace<T>,
        r: &mut [T],
    ) -> Result<(), Rejection> {
        T::sweep(|| self.evaluate(at, work, r, self.formalism))
    }

    fn has_explicit(&self) -> bool {
        self.formalism == Formalism::Residual
    }

    fn explicit(
        &self,
        at: Point<'_, f64>,
        work: &mut EquationsWorkspace<f64>,
        r: &mut [f64],
    ) -> Result<(), Rejection> {
        self.evaluate(at, work, r, Formalism::Explicit)
    }

    fn derivative_matrix(
        &self,
        at: Point<'_, f64>,
        work: &mut EquationsWorkspace<f64>,
        values: &mut [f64],
    ) -> Result<(), Rejection> {
        let Some(pattern) = &self.mass else {
            return Err(Rejection::OutsideDomain);
        };
        let stretches = self
            .derivative
            .get_or_init(|| Stretch::of(pattern.entries().map(|e| self.derivative_entry(e))));
        let (l, n) = (self.layout(), self.model.tree.n_v);
        self.follow(at.discrete, work);
        let w = &mut work.mechanism;
        let q = &at.y[l.q.clone()];
        // Updates come right after the residual at the same place.
        if at.shift.is_some() || !w.is_placed(at.t, q) {
            w.set_time(&self.model, at.t);
            w.shift_signal(at.shift);
            w.set_positions(&self.model, q);
        }
        if self.formalism == Formalism::Residual {
            work.mass.resize(n * n, 0.0);
            w.mass(&self.model, &mut work.mass);
        }
        if self.form == Form::Index1 {
            work.matrix.resize(n * self.active.len(), 0.0);
            w.constraint_matrix(&self.model, &work.active, &mut work.matrix);
        }
        if let Some(dual) = &mut work.dual {
            self.reading_slopes(&at, &l, &work.active, dual);
        }
        let mut rest = values;
        for stretch in stretches {
            let Some((values, behind)) = rest.split_at_mut_checked(stretch.count) else {
                break;
            };
            match stretch.source {
                Source::One => values.fill(1.0),
                Source::Mass => stretch.fill(&work.mass, 1.0, values),
                Source::Constraints => stretch.fill(&work.matrix, 1.0, values),
                Source::Readings => match &work.dual {
                    Some(dual) => stretch.fill(&dual.slopes, -1.0, values),
                    None => values.fill(0.0),
                },
            }
            rest = behind;
        }
        Ok(())
    }

    fn inputs(&self) -> usize {
        3 * self.model.signals.len()
    }

    fn input_values(&self, t: f64, values: &mut [f64]) {
        for (values, signal) in values.chunks_exact_mut(3).zip(&self.model.signals) {
            values.copy_from_slice(&signal.evaluate(t));
        }
    }

    fn excitations(&self) -> usize {
        2 * self.model.signals.len() + self.model.motions + self.model.excitations.len()
    }

    fn excitation_values(&self, t: f64, values: &mut [f64]) {
        let motions = self.model.signals.iter().chain(&self.model.excitations);
        let mut rest = values;
        for signal in motions.take(self.model.signals.len() + self.model.motions) {
            let (own, behind) = rest.split_at_mut(2);
            rest = behind;
            let [u, _, ddu] = signal.evaluate(t);
            own.copy_from_slice(&[u, ddu]);
        }
        for (value, signal) in rest.iter_mut().zip(&self.model.excitations[self.model.motions..]) {
            [*value, _, _] = signal.evaluate(t);
        }
        // Beyond the end of a table nothing has gone wrong yet.
        forget_refusal();
    }

    fn hidden(&self) -> Hidden {
        if self.model.places {
            Hidden::Places
        } else {
            Hidden::Nothing
        }
    }

    fn places(&self) -> [usize; 2] {
        if self.model.places {
            places::count(&self.model)
        } else {
            [0; 2]
        }
    }

    fn place_coordinates(
        &self,
        at: Point<'_, f64>,
        work: &mut EquationsWorkspace<f64>,
        coordinates: &mut [f64],
    ) {
        let l = self.layout();
        let w = &mut work.mechanism;
        w.set_time(&self.model, at.t);
        w.set_positions(&self.model, &at.y[l.q]);
        w.set_velocities(&self.model, &at.y[l.v]);
        let (scene, _, _) = w.scene(&self.model);
        places::coordinates(&self.model, &scene, coordinates);
    }

    fn place_widths(&self, widths: &mut [f64]) {
        places::widths(&self.model, widths);
    }

    fn place_values(&self, _t: f64, coordinates: &[f64], values: &mut [f64]) {
        places::values(&self.model, coordinates, values);
        forget_refusal();
    }

    fn gaps(&self) -> usize {
        self.count_gaps()
    }

    fn gap_values(&self, at: Point<'_, f64>, work: &mut EquationsWorkspace<f64>, gaps: &mut [Gap]) {
        self.measure_gaps(at, work, gaps);
    }

    fn laws(&self) -> [usize; 2] {
        self.count_laws()
    }

    fn law_inputs(&self, at: Point<'_, f64>, work: &mut EquationsWorkspace<f64>, inputs: &mut [f64]) {
        self.inputs_of_laws(at, work, inputs);
    }

    fn law_inputs_at_hand(&self, work: &mut EquationsWorkspace<f64>, inputs: &mut [f64]) -> Option<f64> {
        self.inputs_of_laws_at_hand(work, inputs)
    }

    fn law_values(&self, inputs: &[f64], discrete: &[f64], values: &mut [f64]) {
        self.values_of_laws(inputs, discrete, values);
    }

    fn law_name(&self, value: usize) -> String {
        self.name_of_law(value)
    }

    fn gap_name(&self, gap: usize) -> String {
        self.name_of_gap(gap)
    }

    fn discrete(&self) -> Vec<f64> {
        let mut all = self.closed.clone();
        if let Some(loops) = &self.loops {
            all.extend(loops.memory(self.model.tree.n_q, &self.active));
        }
        all.extend(Side::LIVE.repeat(self.model.switches.len()));
        all
    }

    fn events(&self) -> Vec<Event> {
        let mut events = self.contact_events();
        events.extend(self.switch_events());
        events
    }

    fn switches(&self) -> usize {
        self.model.switches.len()
    }

    fn slides(&self, event: usize, discrete: &[f64]) -> bool {
        self.switch_slides(event, discrete)
    }

    fn turn(
        &self,
        turn: Turn,
        at: Point<'_, f64>,
        aside: [&[f64]; 2],
        work: &mut EquationsWorkspace<f64>,
        discrete: &mut [f64],
    ) -> Turned {
        self.follow(discrete, work);
        self.turn_switches(turn, at, aside, work, discrete)
    }

    fn event_values(&self, at: Point<'_, f64>, work: &mut EquationsWorkspace<f64>, values: &mut [f64]) {
        let (values, margins) = values.split_at_mut(self.contacts.len());
        self.follow(at.discrete, work);
        self.switch_margins(at, work, margins);
        if self.contacts.is_empty() {
            return;
        }
        let l = self.layout();
        let w = &mut work.mechanism;
        w.set_time(&self.model, at.t);
        w.set_positions(&self.model, &at.y[l.q.clone()]);
        w.set_velocities(&self.model, &at.y[l.v.clone()]);
        let rows = &self.active[self.active.len() - self.contacts.len()..];
        w.constraint(&self.model, rows, &mut work.gaps);
        w.constraint_velocity(&self.model, rows, &mut work.speeds);
        let lambda = &at.y[l.lambda.end - rows.len()..l.lambda.end];
        self.contact_values(&work.gaps, &work.speeds, lambda, at.discrete, values);
    }

    fn on_event(&self, event: usize, state: EventState<'_>) -> EventAction {
        self.switch(event, state)
    }

    fn mechanical(&self) -> Option<Box<dyn Mechanical>> {
        let mechanical = MechanicalModel::new(self.model.clone(), self.active.clone());
        let slots = self.loops.as_ref().map_or(&[][..], Loops::slots);
        Some(Box::new(mechanical.exchanging(slots)))
    }

    fn look(
        &self,
        t: f64,
        y: &[f64],
        tolerances: Option<&Tolerances>,
        discrete: &mut [f64],
        work: &mut EquationsWorkspace<f64>,
    ) -> Result<Look, FailureKind> {
        let Some(loops) = &self.loops else {
            return Ok(Look::Same);
        };
        self.follow(discrete, work);
        let Some(room) = &mut work.loops else {
            return Ok(Look::Same);
        };
        let l = self.layout();
        let state = (t, &y[l.q], &y[l.v]);
        let with = (&mut work.mechanism, &mut **room);
        loops.look(&self.model, state, tolerances, discrete, &mut work.active, with)
    }

    fn misfit(
        &self,
        t: f64,
        y: &[f64],
        tolerances: Option<&Tolerances>,
        discrete: &[f64],
        work: &mut EquationsWorkspace<f64>,
    ) -> Misfit {
        let Some(loops) = &self.loops else {
            return Misfit::default();
        };
        self.follow(discrete, work);
        let Some(room) = &mut work.loops else {
            return Misfit::default();
        };
        let with = (&mut work.mechanism, &mut **room);
        loops.misfit(&self.model, (t, y), tolerances, &work.active, with)
    }

    fn opening(
        &self,
        t: f64,
        y: &[f64],
        tolerances: Option<&Tolerances>,
        discrete: &[f64],
        work: &mut EquationsWorkspace<f64>,
    ) -> Result<(), FailureKind> {
        let Some(loops) = &self.loops else {
            return Ok(());
        };
        self.follow(discrete, work);
        let Some(room) = &mut work.loops else {
            return Ok(());
        };
        let with = (&mut work.mechanism, &mut **room);
        loops.opening(&self.model, (t, y), tolerances, &work.active, with)
    }

    fn carry(&self, work: &EquationsWorkspace<f64>, vector: &mut [f64]) {
        let (Some(loops), Some(room), l) = (&self.loops, &work.loops, self.layout()) else {
            return;
        };
        loops.carry(room, &mut vector[l.lambda]);
        if l.eta.len() == self.active.len() {
            loops.carry(room, &mut vector[l.eta]);
        } else {
            // Places of η differ where there are conditions on velocities: it begins anew at zero, which it is
            // but for rounding.
            vector[l.eta].fill(0.0);
        }
    }

    fn exchange(&self, work: &EquationsWorkspace<f64>) -> String {
        work.loops
            .as_ref()
            .map_or(String::new(), |room| room.words().to_owned())
    }

    fn singular_position(
        &self,
        t: f64,
        y: &[f64],
        discrete: &[f64],
        work: &mut EquationsWorkspace<f64>,
    ) -> Option<SingularPosition> {
        let loops = self.loops.as_ref()?;
        self.follow(discrete, work);
        let room = work.loops.as_mut()?;
        let state = (t, &y[self.layout().q]);
        let with = (&mut work.mechanism, &mut **room);
        loops.singular_position(&self.model, state, discrete, &work.active, with)
    }
}
