//! [`Bound`]: a residual as a system.

use crate::{
    Event, EventAction, EventState, FailureKind, Gap, Hidden, Look, Mechanical, Misfit, Point, Rejection,
    Residual, SingularPosition, Structure, System, Tolerances, Turn, Turned,
};
use holonom_algebra::{Dual4, Dual8, Dual12};

/// A [`Residual`] with the workspaces it needs: makes it a [`System`].
pub struct Bound<R: Residual> {
    residual: R,
    structure: Structure,
    events: Vec<Event>,
    discrete: Vec<f64>,
    mechanical: Option<Box<dyn Mechanical>>,
    work: R::Workspace<f64>,
    // Allocated by the first evaluation with dual numbers, which many runs have none of, for all widths: which ones a
    // Jacobian uses changes with its pattern, in the middle of a run.
    duals: Option<Box<DualWork<R>>>,
    shift: Option<(usize, f64)>,
}

/// Workspaces for dual numbers of every width.
struct DualWork<R: Residual> {
    four: R::Workspace<Dual4>,
    eight: R::Workspace<Dual8>,
    twelve: R::Workspace<Dual12>,
}

impl<R: Residual> DualWork<R> {
    fn new(residual: &R) -> Box<Self> {
        Box::new(Self {
            four: residual.workspace(),
            eight: residual.workspace(),
            twelve: residual.workspace(),
        })
    }
}

impl<R: Residual> Bound<R> {
    /// Allocates what evaluation with plain numbers needs; the first evaluation with dual numbers allocates the rest.
    pub fn new(residual: R) -> Self {
        Self {
            structure: residual.structure(),
            events: residual.events(),
            discrete: residual.discrete(),
            mechanical: residual.mechanical(),
            work: residual.workspace(),
            duals: None,
            shift: None,
            residual,
        }
    }

    /// The residual inside.
    pub fn get(&self) -> &R {
        &self.residual
    }
}

impl<R: Residual> System for Bound<R> {
    fn structure(&self) -> &Structure {
        &self.structure
    }

    fn residual(&mut self, t: f64, y: &[f64], yp: &[f64], r: &mut [f64]) -> Result<(), Rejection> {
        let mut at = Point::new(t, y, yp, &self.discrete);
        at.shift = self.shift;
        self.residual.residual(at, &mut self.work, r)
    }

    fn has_explicit_residual(&self) -> bool {
        self.residual.has_explicit()
    }

    fn explicit_residual(&mut self, t: f64, y: &[f64], yp: &[f64], r: &mut [f64]) -> Result<(), Rejection> {
        let mut at = Point::new(t, y, yp, &self.discrete);
        at.shift = self.shift;
        self.residual.explicit(at, &mut self.work, r)
    }

    fn has_duals(&self) -> bool {
        true
    }

    fn residual_dual4(
        &mut self,
        t: Dual4,
        y: &[Dual4],
        yp: &[Dual4],
        r: &mut [Dual4],
    ) -> Result<(), Rejection> {
        let mut at = Point::new(t, y, yp, &self.discrete);
        at.shift = self.shift;
        let work = self.duals.get_or_insert_with(|| DualWork::new(&self.residual));
        self.residual.residual(at, &mut work.four, r)
    }

    fn residual_dual8(
        &mut self,
        t: Dual8,
        y: &[Dual8],
        yp: &[Dual8],
        r: &mut [Dual8],
    ) -> Result<(), Rejection> {
        let mut at = Point::new(t, y, yp, &self.discrete);
        at.shift = self.shift;
        let work = self.duals.get_or_insert_with(|| DualWork::new(&self.residual));
        self.residual.residual(at, &mut work.eight, r)
    }

    fn residual_dual12(
        &mut self,
        t: Dual12,
        y: &[Dual12],
        yp: &[Dual12],
        r: &mut [Dual12],
    ) -> Result<(), Rejection> {
        let mut at = Point::new(t, y, yp, &self.discrete);
        at.shift = self.shift;
        let work = self.duals.get_or_insert_with(|| DualWork::new(&self.residual));
        self.residual.residual(at, &mut work.twelve, r)
    }

    fn derivative_matrix(
        &mut self,
        t: f64,
        y: &[f64],
        yp: &[f64],
        values: &mut [f64],
    ) -> Result<(), Rejection> {
        let mut at = Point::new(t, y, yp, &self.discrete);
        at.shift = self.shift;
        self.residual.derivative_matrix(at, &mut self.work, values)
    }

    fn inputs(&self) -> usize {
        self.residual.inputs()
    }

    fn input_values(&mut self, t: f64, values: &mut [f64]) {
        self.residual.input_values(t, values);
    }

    fn shift_input(&mut self, shift: Option<(usize, f64)>) {
        self.shift = shift;
    }

    fn excitations(&self) -> usize {
        self.residual.excitations()
    }

    fn excitation_values(&mut self, t: f64, values: &mut [f64]) {
        self.residual.excitation_values(t, values);
    }

    fn hidden(&self) -> Hidden {
        self.residual.hidden()
    }

    fn places(&self) -> [usize; 2] {
        self.residual.places()
    }

    fn place_coordinates(&mut self, t: f64, y: &[f64], yp: &[f64], coordinates: &mut [f64]) {
        let at = Point::new(t, y, yp, &self.discrete);
        self.residual.place_coordinates(at, &mut self.work, coordinates);
    }

    fn place_widths(&self, widths: &mut [f64]) {
        self.residual.place_widths(widths);
    }

    fn place_values(&mut self, t: f64, coordinates: &[f64], values: &mut [f64]) {
        self.residual.place_values(t, coordinates, values);
    }

    fn gaps(&self) -> usize {
        self.residual.gaps()
    }

    fn gap_values(&mut self, t: f64, y: &[f64], yp: &[f64], gaps: &mut [Gap]) {
        let at = Point::new(t, y, yp, &self.discrete);
        self.residual.gap_values(at, &mut self.work, gaps);
    }

    fn gap_name(&self, gap: usize) -> String {
        self.residual.gap_name(gap)
    }

    fn laws(&self) -> [usize; 2] {
        self.residual.laws()
    }

    fn law_inputs(&mut self, t: f64, y: &[f64], yp: &[f64], inputs: &mut [f64]) {
        let at = Point::new(t, y, yp, &self.discrete);
        self.residual.law_inputs(at, &mut self.work, inputs);
    }

    fn law_inputs_at_hand(&mut self, inputs: &mut [f64]) -> Option<f64> {
        self.residual.law_inputs_at_hand(&mut self.work, inputs)
    }

    fn law_values(&mut self, inputs: &[f64], values: &mut [f64]) {
        self.residual.law_values(inputs, &self.discrete, values);
    }

    fn law_name(&self, value: usize) -> String {
        self.residual.law_name(value)
    }

    fn piecewise(&self) -> [usize; 2] {
        self.residual.piecewise()
    }

    fn piecewise_inputs(&mut self, t: f64, y: &[f64], yp: &[f64], inputs: &mut [f64]) {
        let at = Point::new(t, y, yp, &self.discrete);
        self.residual.piecewise_inputs(at, &mut self.work, inputs);
    }

    fn piecewise_values(&mut self, inputs: &[f64], values: &mut [f64], pieces: &mut [u64]) {
        self.residual
            .piecewise_values(inputs, &self.discrete, values, pieces);
    }

    fn events(&self) -> &[Event] {
        &self.events
    }

    fn event_values(&mut self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        let at = Point::new(t, y, yp, &self.discrete);
        self.residual.event_values(at, &mut self.work, values);
    }

    fn on_event(&mut self, event: usize, t: f64, y: &mut [f64], yp: &mut [f64]) -> EventAction {
        let state = EventState {
            t,
            y,
            yp,
            discrete: &mut self.discrete,
        };
        self.residual.on_event(event, state)
    }

    fn switches(&self) -> usize {
        self.residual.switches()
    }

    fn slides(&self, event: usize) -> bool {
        self.residual.slides(event, &self.discrete)
    }

    fn turn(&mut self, turn: Turn, t: f64, y: &[f64], yp: &[f64], aside: [&[f64]; 2]) -> Turned {
        let before = self.discrete.clone();
        let at = Point::new(t, y, yp, &before);
        self.residual
            .turn(turn, at, aside, &mut self.work, &mut self.discrete)
    }

    fn discrete(&self) -> &[f64] {
        &self.discrete
    }

    fn discrete_mut(&mut self) -> &mut [f64] {
        &mut self.discrete
    }

    fn look(&mut self, t: f64, y: &[f64], tolerances: Option<&Tolerances>) -> Result<Look, FailureKind> {
        self.residual
            .look(t, y, tolerances, &mut self.discrete, &mut self.work)
    }

    fn misfit(&mut self, t: f64, y: &[f64], tolerances: Option<&Tolerances>) -> Misfit {
        self.residual
            .misfit(t, y, tolerances, &self.discrete, &mut self.work)
    }

    fn opening(&mut self, t: f64, y: &[f64], tolerances: Option<&Tolerances>) -> Result<(), FailureKind> {
        self.residual
            .opening(t, y, tolerances, &self.discrete, &mut self.work)
    }

    fn carry(&self, vector: &mut [f64]) {
        self.residual.carry(&self.work, vector);
    }

    fn exchange(&self) -> String {
        self.residual.exchange(&self.work)
    }

    fn singular_position(&mut self, t: f64, y: &[f64]) -> Option<SingularPosition> {
        self.residual
            .singular_position(t, y, &self.discrete, &mut self.work)
    }

    fn mechanical(&mut self) -> Option<&mut dyn Mechanical> {
        match &mut self.mechanical {
            Some(m) => {
                m.set_discrete(&self.discrete);
                Some(m.as_mut())
            }
            None => None,
        }
    }
}
