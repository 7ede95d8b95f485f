//! The residual F(t, y, ẏ), written once and generic over the scalar.

use crate::{
    Event, EventAction, FailureKind, Gap, Hidden, Look, Mechanical, Misfit, Rejection, SingularPosition,
    Structure, Tolerances, Turn, Turned,
};
use holonom_algebra::Real;

/// Where a residual is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a, T> {
    /// Time.
    pub t: T,
    /// Unknowns.
    pub y: &'a [T],
    /// Their derivatives ẏ.
    pub yp: &'a [T],
    /// Discrete variables: constant between events.
    pub discrete: &'a [f64],
    /// An input, by its number, and what is added to it here: tells what F depends on it for.
    pub shift: Option<(usize, f64)>,
}

impl<'a, T> Point<'a, T> {
    /// The point (t, y, ẏ) with the given discrete variables.
    pub fn new(t: T, y: &'a [T], yp: &'a [T], discrete: &'a [f64]) -> Self {
        Self {
            t,
            y,
            yp,
            discrete,
            shift: None,
        }
    }
}

/// State handed to a discrete update, which may change all of it but the time.
#[derive(Debug)]
pub struct EventState<'a> {
    /// Time of the event.
    pub t: f64,
    /// Unknowns.
    pub y: &'a mut [f64],
    /// Their derivatives; made consistent again after the update.
    pub yp: &'a mut [f64],
    /// Discrete variables.
    pub discrete: &'a mut [f64],
}

/// A DAE F(t, y, ẏ) = 0.
///
/// Implement this, wrap it in [`Bound`](crate::Bound), and every solver can use it. Only
/// [`structure`](Residual::structure) and [`residual`](Residual::residual) are required in
/// practice; the workspace is for intermediate values, so that evaluation does not allocate.
///
/// ```
/// use holonom_algebra::Real;
/// use holonom_dae::{Bound, Point, Rejection, Residual, Structure, System};
///
/// /// ẏ = −k y
/// struct Decay { k: f64 }
///
/// impl Residual for Decay {
///     type Workspace<T: Real> = ();
///     fn structure(&self) -> Structure { Structure::ode(["y"]) }
///     fn workspace<T: Real>(&self) {}
///     fn residual<T: Real>(&self, at: Point<'_, T>, _: &mut (), r: &mut [T]) -> Result<(), Rejection> {
///         r[0] = at.yp[0] + at.y[0] * self.k;
///         Ok(())
///     }
/// }
///
/// let mut system = Bound::new(Decay { k: 2.0 });
/// let mut r = [0.0];
/// system.residual(0.0, &[1.0], &[-2.0], &mut r).unwrap();
/// assert_eq!(r[0], 0.0);
/// ```
pub trait Residual: Send + Sync {
    /// Memory for intermediate values, one per scalar type.
    type Workspace<T: Real>: Send;

    /// Names, kinds and known structure; asked for once.
    fn structure(&self) -> Structure;

    /// Allocates the workspace.
    fn workspace<T: Real>(&self) -> Self::Workspace<T>;

    /// r := F(t, y, ẏ). Must not allocate. A point outside the domain may be refused; NaN and
    /// infinities in `r` are noticed by the caller and need no check here.
    fn residual<T: Real>(
        &self,
        at: Point<'_, T>,
        work: &mut Self::Workspace<T>,
        r: &mut [T],
    ) -> Result<(), Rejection>;

    /// Whether there is an [`explicit`](Self::explicit) form.
    fn has_explicit(&self) -> bool {
        false
    }

    /// r := F(t, y, ẏ) with v̇ − M⁻¹(f − Gᵀλ) in the rows of motion, where F has M v̇ − f + Gᵀλ.
    fn explicit(
        &self,
        _at: Point<'_, f64>,
        _work: &mut Self::Workspace<f64>,
        _r: &mut [f64],
    ) -> Result<(), Rejection> {
        Err(Rejection::OutsideDomain)
    }

    /// ∂F/∂ẏ in the order of the pattern of [`DerivativeForm::Mass`](crate::DerivativeForm::Mass);
    /// called for that form only, and must be implemented for it: without it the start is refused.
    fn derivative_matrix(
        &self,
        _at: Point<'_, f64>,
        _work: &mut Self::Workspace<f64>,
        _values: &mut [f64],
    ) -> Result<(), Rejection> {
        // Not `Ok`: that would pass off ∂F/∂ẏ = 0 as delivered.
        Err(Rejection::OutsideDomain)
    }

    /// Number of inputs: functions of time by which F depends on it, such as u, u̇ and ü of a
    /// prescribed motion, each counted. A residual with inputs respects [`Point::shift`].
    fn inputs(&self) -> usize {
        0
    }

    /// Values of the inputs.
    fn input_values(&self, _t: f64, _values: &mut [f64]) {}

    /// Number of excitations: functions of time alone that F contains, wherever they stand.
    fn excitations(&self) -> usize {
        0
    }

    /// Values of the excitations; not numbers where they have none.
    fn excitation_values(&self, _t: f64, _values: &mut [f64]) {}

    /// What besides excitations F may hide between the places where it was evaluated.
    fn hidden(&self) -> Hidden {
        Hidden::Unknown
    }

    /// Numbers of the coordinates that narrow features of the state depend on, and of these features; needed for
    /// [`Hidden::Places`].
    fn places(&self) -> [usize; 2] {
        [0; 2]
    }

    /// The coordinates in a state.
    fn place_coordinates(
        &self,
        _at: Point<'_, f64>,
        _work: &mut Self::Workspace<f64>,
        _coordinates: &mut [f64],
    ) {
    }

    /// The distance along each coordinate that its features are at least as wide as; infinite where nothing is known.
    fn place_widths(&self, widths: &mut [f64]) {
        widths.fill(f64::INFINITY);
    }

    /// The features, such as heights of a road, for coordinates and a time. Much cheaper than F.
    fn place_values(&self, _t: f64, _coordinates: &[f64], _values: &mut [f64]) {}

    /// Number of gaps: laws that act only within a narrow range of the state, such as contacts.
    fn gaps(&self) -> usize {
        0
    }

    /// The gaps in a state.
    fn gap_values(&self, _at: Point<'_, f64>, _work: &mut Self::Workspace<f64>, _gaps: &mut [Gap]) {}

    /// What a gap belongs to, for reports.
    fn gap_name(&self, _gap: usize) -> String {
        String::new()
    }

    /// Numbers of inputs and values of laws that may change within a short range of the state.
    fn laws(&self) -> [usize; 2] {
        [0; 2]
    }

    /// What these laws depend on, in a state: smooth functions of the motion.
    fn law_inputs(&self, _at: Point<'_, f64>, _work: &mut Self::Workspace<f64>, _inputs: &mut [f64]) {}

    /// The same as the last evaluation left it in the workspace, and its time; see
    /// [`System::law_inputs_at_hand`](crate::System::law_inputs_at_hand).
    fn law_inputs_at_hand(&self, _work: &mut Self::Workspace<f64>, _inputs: &mut [f64]) -> Option<f64> {
        None
    }

    /// Their values.
    fn law_values(&self, _inputs: &[f64], _discrete: &[f64], _values: &mut [f64]) {}

    /// What a value belongs to, for reports.
    fn law_name(&self, _value: usize) -> String {
        String::new()
    }

    /// Numbers of inputs and values of forces that consist of smooth pieces; see
    /// [`System::piecewise`](crate::System::piecewise).
    fn piecewise(&self) -> [usize; 2] {
        [0; 2]
    }

    /// What these forces depend on, in a state.
    fn piecewise_inputs(&self, _at: Point<'_, f64>, _work: &mut Self::Workspace<f64>, _inputs: &mut [f64]) {}

    /// Their values and pieces.
    fn piecewise_values(&self, _inputs: &[f64], _discrete: &[f64], _values: &mut [f64], _pieces: &mut [u64]) {
    }

    /// Start values of the discrete variables.
    fn discrete(&self) -> Vec<f64> {
        Vec::new()
    }

    /// The event functions there are.
    fn events(&self) -> Vec<Event> {
        Vec::new()
    }

    /// Values of the event functions.
    fn event_values(&self, _at: Point<'_, f64>, _work: &mut Self::Workspace<f64>, _values: &mut [f64]) {}

    /// What happens at event number `event`.
    fn on_event(&self, _event: usize, _state: EventState<'_>) -> EventAction {
        EventAction::Continue
    }

    /// As [`System::switches`](crate::System::switches).
    fn switches(&self) -> usize {
        0
    }

    /// As [`System::slides`](crate::System::slides).
    fn slides(&self, _event: usize, _discrete: &[f64]) -> bool {
        false
    }

    /// As [`System::turn`](crate::System::turn); `at` has the discrete variables as they were.
    fn turn(
        &self,
        _turn: Turn,
        _at: Point<'_, f64>,
        _aside: [&[f64]; 2],
        _work: &mut Self::Workspace<f64>,
        _discrete: &mut [f64],
    ) -> Turned {
        Turned::Other
    }

    /// As [`System::look`](crate::System::look); may change the discrete variables.
    fn look(
        &self,
        _t: f64,
        _y: &[f64],
        _tolerances: Option<&Tolerances>,
        _discrete: &mut [f64],
        _work: &mut Self::Workspace<f64>,
    ) -> Result<Look, FailureKind> {
        Ok(Look::Same)
    }

    /// As [`System::misfit`](crate::System::misfit).
    fn misfit(
        &self,
        _t: f64,
        _y: &[f64],
        _tolerances: Option<&Tolerances>,
        _discrete: &[f64],
        _work: &mut Self::Workspace<f64>,
    ) -> Misfit {
        Misfit::default()
    }

    /// As [`System::opening`](crate::System::opening).
    fn opening(
        &self,
        _t: f64,
        _y: &[f64],
        _tolerances: Option<&Tolerances>,
        _discrete: &[f64],
        _work: &mut Self::Workspace<f64>,
    ) -> Result<(), FailureKind> {
        Ok(())
    }

    /// As [`System::carry`](crate::System::carry).
    fn carry(&self, _work: &Self::Workspace<f64>, _vector: &mut [f64]) {}

    /// As [`System::exchange`](crate::System::exchange).
    fn exchange(&self, _work: &Self::Workspace<f64>) -> String {
        String::new()
    }

    /// As [`System::singular_position`](crate::System::singular_position).
    fn singular_position(
        &self,
        _t: f64,
        _y: &[f64],
        _discrete: &[f64],
        _work: &mut Self::Workspace<f64>,
    ) -> Option<SingularPosition> {
        None
    }

    /// The mechanics behind the equations, where there is one: serves the consistent start.
    fn mechanical(&self) -> Option<Box<dyn Mechanical>> {
        None
    }
}
