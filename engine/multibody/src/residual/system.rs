//! The equations as a residual, which solvers take.

use super::loops::Loops;
use super::memory::EquationsWorkspace;
use super::places;
use super::readings::ReadingSlopes;
use super::stretch::{Source, Stretch};
use super::{Equations, Form, Formalism, GglMetric};
use crate::mechanical::MechanicalModel;
use crate::workspace::Workspace;
use core::any::TypeId;
use holonom_algebra::Real;
use holonom_dae::{
    Bound, Event, EventAction, EventState, FailureKind, Gap, Hidden, Look, Mechanical, Misfit, Point,
    Rejection, Residual, SingularPosition, Structure, System, Tolerances, Turn, Turned,
};
use holonom_expression::curve::forget_refusal;
use holonom_expression::switches::Side;

impl Equations {
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

    /// The equations as solvers take them.
    pub fn system(self) -> Box<dyn System> {
        // Here and not in the caller's crate, so that the evaluations with dual numbers are
        // compiled once.
        Box::new(Bound::new(self))
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
            stabilised: vec![T::zero(); if l.eta.is_empty() { 0 } else { n }],
            projected: vec![
                T::zero();
                if self.metric == GglMetric::Mass && !dense {
                    n
                } else {
                    0
                }
            ],
            mass: Vec::new(),
            matrix: Vec::new(),
            accelerations: vec![T::zero(); if model.readings.is_empty() { 0 } else { n }],
            dual: (plain && self.readings_hold_derivatives()).then(|| Box::new(ReadingSlopes::new(model, l))),
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
            self.reading_slopes(&at, l, &work.active, dual);
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
        w.set_positions(&self.model, &at.y[l.q.clone()]);
        w.set_velocities(&self.model, &at.y[l.v.clone()]);
        let scene = w.known.scene(&self.model);
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

    fn piecewise(&self) -> [usize; 2] {
        self.count_pieces()
    }

    fn piecewise_inputs(&self, at: Point<'_, f64>, work: &mut EquationsWorkspace<f64>, inputs: &mut [f64]) {
        self.inputs_of_pieces(at, work, inputs);
    }

    fn piecewise_values(&self, inputs: &[f64], discrete: &[f64], values: &mut [f64], pieces: &mut [u64]) {
        self.values_of_pieces(inputs, discrete, values, pieces);
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
        let state = (t, &y[l.q.clone()], &y[l.v.clone()]);
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
        loops.carry(room, &mut vector[l.lambda.clone()]);
        if l.eta.len() == self.active.len() {
            loops.carry(room, &mut vector[l.eta.clone()]);
        } else {
            // Places of η differ where there are conditions on velocities: it begins anew at zero, which it is
            // but for rounding.
            vector[l.eta.clone()].fill(0.0);
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
        let state = (t, &y[self.layout().q.clone()]);
        let with = (&mut work.mechanism, &mut **room);
        loops.singular_position(&self.model, state, discrete, &work.active, with)
    }
}
