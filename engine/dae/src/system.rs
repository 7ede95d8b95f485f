//! [`System`]: the object-safe face of a DAE.

use crate::{
    Event, EventAction, FailureKind, Gap, Hidden, Look, Mechanical, Misfit, Rejection, SingularPosition,
    Structure, Tolerances, Turn, Turned,
};
use holonom_algebra::{Dual4, Dual8, Dual12};

/// A DAE F(t, y, ẏ) = 0 as the solvers see it: one virtual call per evaluation.
///
/// Written by hand only in special cases; usually a [`Residual`](crate::Residual) in a [`Bound`](crate::Bound), or a
/// [`Closure`](crate::Closure).
pub trait System: Send {
    /// What is known about the system.
    fn structure(&self) -> &Structure;

    /// r := F(t, y, ẏ).
    fn residual(&mut self, t: f64, y: &[f64], yp: &[f64], r: &mut [f64]) -> Result<(), Rejection>;

    /// Whether there is an [`explicit_residual`](Self::explicit_residual).
    fn has_explicit_residual(&self) -> bool {
        false
    }

    /// r := F(t, y, ẏ) with v̇ − M⁻¹(f − Gᵀλ) in the rows of motion, where F has M v̇ − f + Gᵀλ: the mass matrix is that
    /// of ∂F/∂ẏ in these rows and the columns of velocities.
    fn explicit_residual(
        &mut self,
        _t: f64,
        _y: &[f64],
        _yp: &[f64],
        _r: &mut [f64],
    ) -> Result<(), Rejection> {
        Err(Rejection::OutsideDomain)
    }

    /// Whether the residual can be evaluated with dual numbers.
    fn has_duals(&self) -> bool {
        false
    }

    /// The residual with four derivative directions.
    fn residual_dual4(
        &mut self,
        _t: Dual4,
        _y: &[Dual4],
        _yp: &[Dual4],
        _r: &mut [Dual4],
    ) -> Result<(), Rejection> {
        Err(Rejection::OutsideDomain)
    }

    /// The residual with eight derivative directions.
    fn residual_dual8(
        &mut self,
        _t: Dual8,
        _y: &[Dual8],
        _yp: &[Dual8],
        _r: &mut [Dual8],
    ) -> Result<(), Rejection> {
        Err(Rejection::OutsideDomain)
    }

    /// The residual with twelve derivative directions.
    fn residual_dual12(
        &mut self,
        _t: Dual12,
        _y: &[Dual12],
        _yp: &[Dual12],
        _r: &mut [Dual12],
    ) -> Result<(), Rejection> {
        Err(Rejection::OutsideDomain)
    }

    /// ∂F/∂ẏ in the order of the pattern of [`DerivativeForm::Mass`](crate::DerivativeForm::Mass);
    /// called for that form only, and must be implemented for it: without it the start is refused.
    fn derivative_matrix(
        &mut self,
        _t: f64,
        _y: &[f64],
        _yp: &[f64],
        _values: &mut [f64],
    ) -> Result<(), Rejection> {
        // Not `Ok`: that would pass off ∂F/∂ẏ = 0 as delivered.
        Err(Rejection::OutsideDomain)
    }

    /// Number of inputs: functions of time by which F depends on it, such as u, u̇ and ü of a
    /// prescribed motion, each counted.
    fn inputs(&self) -> usize {
        0
    }

    /// Values of the inputs.
    fn input_values(&mut self, _t: f64, _values: &mut [f64]) {}

    /// Adds something to an input in all evaluations from now on; `None` to end that.
    fn shift_input(&mut self, _shift: Option<(usize, f64)>) {}

    /// Number of excitations: functions of time alone that the equations contain, wherever they stand. They are looked
    /// at ahead of each step, so that none of them is stepped over.
    fn excitations(&self) -> usize {
        0
    }

    /// Values of the excitations; not numbers where they have none.
    fn excitation_values(&mut self, _t: f64, _values: &mut [f64]) {}

    /// What besides excitations the equations may hide between the places where they were evaluated.
    fn hidden(&self) -> Hidden {
        Hidden::Unknown
    }

    /// Numbers of the coordinates that narrow features of the state depend on, and of these features; needed for
    /// [`Hidden::Places`].
    fn places(&self) -> [usize; 2] {
        [0; 2]
    }

    /// The coordinates in a state.
    fn place_coordinates(&mut self, _t: f64, _y: &[f64], _yp: &[f64], _coordinates: &mut [f64]) {}

    /// The distance along each coordinate that its features are at least as wide as; infinite where nothing is known.
    fn place_widths(&self, widths: &mut [f64]) {
        widths.fill(f64::INFINITY);
    }

    /// The features, such as heights of a road, for coordinates and a time. Much cheaper than a residual.
    fn place_values(&mut self, _t: f64, _coordinates: &[f64], _values: &mut [f64]) {}

    /// Number of gaps: laws that act only within a narrow range of the state, such as contacts. After each step the
    /// motion is searched for ranges that were passed without an evaluation in them.
    fn gaps(&self) -> usize {
        0
    }

    /// The gaps in a state. Much cheaper than a residual.
    fn gap_values(&mut self, _t: f64, _y: &[f64], _yp: &[f64], _gaps: &mut [Gap]) {}

    /// What a gap belongs to, for reports.
    fn gap_name(&self, _gap: usize) -> String {
        String::new()
    }

    /// Numbers of inputs and values of laws that may change within a short range of the state, such as forces that users
    /// have written. After each step they are sampled along the motion.
    fn laws(&self) -> [usize; 2] {
        [0; 2]
    }

    /// What these laws depend on, in a state: smooth functions of the motion.
    fn law_inputs(&mut self, _t: f64, _y: &[f64], _yp: &[f64], _inputs: &mut [f64]) {}

    /// What they depend on in the last evaluation of the residual, and its time; none where that is not known. This takes no
    /// evaluation.
    fn law_inputs_at_hand(&mut self, _inputs: &mut [f64]) -> Option<f64> {
        None
    }

    /// Their values. Much cheaper than a residual.
    fn law_values(&mut self, _inputs: &[f64], _values: &mut [f64]) {}

    /// What a value belongs to, for reports.
    fn law_name(&self, _value: usize) -> String {
        String::new()
    }

    /// Numbers of inputs and values of forces that consist of smooth pieces, such as tables and stops. Methods of high
    /// order end steps at the borders of the pieces where their order would suffer.
    fn piecewise(&self) -> [usize; 2] {
        [0; 2]
    }

    /// What these forces depend on, in a state: smooth functions of the motion.
    fn piecewise_inputs(&mut self, _t: f64, _y: &[f64], _yp: &[f64], _inputs: &mut [f64]) {}

    /// Their values, and of each the number of the piece on which it is. Much cheaper than a residual.
    fn piecewise_values(&mut self, _inputs: &[f64], _values: &mut [f64], _pieces: &mut [u64]) {}

    /// The event functions there are.
    fn events(&self) -> &[Event] {
        &[]
    }

    /// Values of the event functions.
    fn event_values(&mut self, _t: f64, _y: &[f64], _yp: &[f64], _values: &mut [f64]) {}

    /// What happens at event number `event`; may change y, ẏ and the discrete variables.
    fn on_event(&mut self, _event: usize, _t: f64, _y: &mut [f64], _yp: &mut [f64]) -> EventAction {
        EventAction::Continue
    }

    /// How many of the events, the last ones, belong to switches: operations in the equations whose value jumps where
    /// the state crosses a border. Between events each is kept on its side, which is among the discrete variables, so
    /// that the equations are smooth. Its event function is positive there, and the event is that it becomes negative.
    fn switches(&self) -> usize {
        0
    }

    /// Whether the switch of this event slides along its border.
    fn slides(&self, _event: usize) -> bool {
        false
    }

    /// Changes the sides on which switches are kept. `aside` are two states a tolerance away: what a switch does within so
    /// much of its border does not count.
    fn turn(&mut self, _turn: Turn, _t: f64, _y: &[f64], _yp: &[f64], _aside: [&[f64]; 2]) -> Turned {
        Turned::Other
    }

    /// The discrete variables.
    fn discrete(&self) -> &[f64] {
        &[]
    }

    /// The discrete variables, to be set (from a checkpoint).
    fn discrete_mut(&mut self) -> &mut [f64] {
        &mut []
    }

    /// Looks at a state that was accepted, once for each: whether it still means what it should, and whether
    /// the equations should be written in another way from here on. Without tolerances the size of steps is fixed, and
    /// no error is controlled. Does not allocate where nothing changes.
    ///
    /// # Errors
    /// Why the run cannot go on, or what it came to cannot be trusted.
    fn look(&mut self, _t: f64, _y: &[f64], _tolerances: Option<&Tolerances>) -> Result<Look, FailureKind> {
        Ok(Look::Same)
    }

    /// How far a state is from the constraints that the equations keep. Asked of states between steps, where the
    /// polynomial of a method need not satisfy them.
    fn misfit(&mut self, _t: f64, _y: &[f64], _tolerances: Option<&Tolerances>) -> Misfit {
        Misfit::default()
    }

    /// Whether the constraints that the equations keep hold as well as [`look`](Self::look) asks for, in a state
    /// between steps.
    ///
    /// # Errors
    /// The row that is violated most.
    fn opening(&mut self, _t: f64, _y: &[f64], _tolerances: Option<&Tolerances>) -> Result<(), FailureKind> {
        Ok(())
    }

    /// Expresses a vector of the kind of y or ẏ in the unknowns after the last
    /// [exchange](Look::Exchanged).
    fn carry(&self, _vector: &mut [f64]) {}

    /// The last exchange in words; empty before the first.
    fn exchange(&self) -> String {
        String::new()
    }

    /// The singular position at or close to which the given state is, if it is at one.
    fn singular_position(&mut self, _t: f64, _y: &[f64]) -> Option<SingularPosition> {
        None
    }

    /// The mechanics behind the equations, where there is one.
    fn mechanical(&mut self) -> Option<&mut dyn Mechanical> {
        None
    }
}

/// A borrowed or boxed system is a system.
macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<S: System + ?Sized> System for $pointer {
            fn structure(&self) -> &Structure {
                (**self).structure()
            }
            fn residual(&mut self, t: f64, y: &[f64], yp: &[f64], r: &mut [f64]) -> Result<(), Rejection> {
                (**self).residual(t, y, yp, r)
            }
            fn has_explicit_residual(&self) -> bool {
                (**self).has_explicit_residual()
            }
            fn explicit_residual(
                &mut self,
                t: f64,
                y: &[f64],
                yp: &[f64],
                r: &mut [f64],
            ) -> Result<(), Rejection> {
                (**self).explicit_residual(t, y, yp, r)
            }
            fn has_duals(&self) -> bool {
                (**self).has_duals()
            }
            fn residual_dual4(
                &mut self,
                t: Dual4,
                y: &[Dual4],
                yp: &[Dual4],
                r: &mut [Dual4],
            ) -> Result<(), Rejection> {
                (**self).residual_dual4(t, y, yp, r)
            }
            fn residual_dual8(
                &mut self,
                t: Dual8,
                y: &[Dual8],
                yp: &[Dual8],
                r: &mut [Dual8],
            ) -> Result<(), Rejection> {
                (**self).residual_dual8(t, y, yp, r)
            }
            fn residual_dual12(
                &mut self,
                t: Dual12,
                y: &[Dual12],
                yp: &[Dual12],
                r: &mut [Dual12],
            ) -> Result<(), Rejection> {
                (**self).residual_dual12(t, y, yp, r)
            }
            fn derivative_matrix(
                &mut self,
                t: f64,
                y: &[f64],
                yp: &[f64],
                values: &mut [f64],
            ) -> Result<(), Rejection> {
                (**self).derivative_matrix(t, y, yp, values)
            }
            fn inputs(&self) -> usize {
                (**self).inputs()
            }
            fn input_values(&mut self, t: f64, values: &mut [f64]) {
                (**self).input_values(t, values);
            }
            fn shift_input(&mut self, shift: Option<(usize, f64)>) {
                (**self).shift_input(shift);
            }
            fn excitations(&self) -> usize {
                (**self).excitations()
            }
            fn excitation_values(&mut self, t: f64, values: &mut [f64]) {
                (**self).excitation_values(t, values);
            }
            fn hidden(&self) -> Hidden {
                (**self).hidden()
            }
            fn places(&self) -> [usize; 2] {
                (**self).places()
            }
            fn place_coordinates(&mut self, t: f64, y: &[f64], yp: &[f64], coordinates: &mut [f64]) {
                (**self).place_coordinates(t, y, yp, coordinates);
            }
            fn place_widths(&self, widths: &mut [f64]) {
                (**self).place_widths(widths);
            }
            fn place_values(&mut self, t: f64, coordinates: &[f64], values: &mut [f64]) {
                (**self).place_values(t, coordinates, values);
            }
            fn gaps(&self) -> usize {
                (**self).gaps()
            }
            fn gap_values(&mut self, t: f64, y: &[f64], yp: &[f64], gaps: &mut [Gap]) {
                (**self).gap_values(t, y, yp, gaps);
            }
            fn gap_name(&self, gap: usize) -> String {
                (**self).gap_name(gap)
            }
            fn laws(&self) -> [usize; 2] {
                (**self).laws()
            }
            fn law_inputs(&mut self, t: f64, y: &[f64], yp: &[f64], inputs: &mut [f64]) {
                (**self).law_inputs(t, y, yp, inputs);
            }
            fn law_inputs_at_hand(&mut self, inputs: &mut [f64]) -> Option<f64> {
                (**self).law_inputs_at_hand(inputs)
            }
            fn law_values(&mut self, inputs: &[f64], values: &mut [f64]) {
                (**self).law_values(inputs, values);
            }
            fn law_name(&self, value: usize) -> String {
                (**self).law_name(value)
            }
            fn piecewise(&self) -> [usize; 2] {
                (**self).piecewise()
            }
            fn piecewise_inputs(&mut self, t: f64, y: &[f64], yp: &[f64], inputs: &mut [f64]) {
                (**self).piecewise_inputs(t, y, yp, inputs);
            }
            fn piecewise_values(&mut self, inputs: &[f64], values: &mut [f64], pieces: &mut [u64]) {
                (**self).piecewise_values(inputs, values, pieces);
            }
            fn events(&self) -> &[Event] {
                (**self).events()
            }
            fn slides(&self, event: usize) -> bool {
                (**self).slides(event)
            }
            fn event_values(&mut self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
                (**self).event_values(t, y, yp, values);
            }
            fn on_event(&mut self, event: usize, t: f64, y: &mut [f64], yp: &mut [f64]) -> EventAction {
                (**self).on_event(event, t, y, yp)
            }
            fn switches(&self) -> usize {
                (**self).switches()
            }
            fn turn(&mut self, turn: Turn, t: f64, y: &[f64], yp: &[f64], aside: [&[f64]; 2]) -> Turned {
                (**self).turn(turn, t, y, yp, aside)
            }
            fn discrete(&self) -> &[f64] {
                (**self).discrete()
            }
            fn discrete_mut(&mut self) -> &mut [f64] {
                (**self).discrete_mut()
            }
            fn look(&mut self, t: f64, y: &[f64], tolerances: Option<&Tolerances>) -> Result<Look, FailureKind> {
                (**self).look(t, y, tolerances)
            }
            fn misfit(&mut self, t: f64, y: &[f64], tolerances: Option<&Tolerances>) -> Misfit {
                (**self).misfit(t, y, tolerances)
            }
            fn opening(&mut self, t: f64, y: &[f64], tolerances: Option<&Tolerances>) -> Result<(), FailureKind> {
                (**self).opening(t, y, tolerances)
            }
            fn carry(&self, vector: &mut [f64]) {
                (**self).carry(vector);
            }
            fn exchange(&self) -> String {
                (**self).exchange()
            }
            fn singular_position(&mut self, t: f64, y: &[f64]) -> Option<SingularPosition> {
                (**self).singular_position(t, y)
            }
            fn mechanical(&mut self) -> Option<&mut dyn Mechanical> {
                (**self).mechanical()
            }
        }
    )*};
}
forward!(&mut S, Box<S>);
