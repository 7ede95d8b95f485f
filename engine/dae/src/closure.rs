//! [`Closure`]: a system from a plain function, for users who have just that.

use crate::{DerivativeForm, Event, EventAction, EventState, Pattern, Rejection, Structure, System};

type ResidualFn<'a> = Box<dyn FnMut(f64, &[f64], &[f64], &mut [f64]) + Send + 'a>;
type MassFn<'a> = Box<dyn FnMut(f64, &[f64], &[f64], &mut [f64]) + Send + 'a>;
type EventFn<'a> = Box<dyn FnMut(f64, &[f64], &[f64]) -> f64 + Send + 'a>;
type UpdateFn<'a> = Box<dyn FnMut(EventState<'_>) -> EventAction + Send + 'a>;

/// A system whose residual is a closure over plain numbers.
///
/// ```
/// use holonom_dae::{Closure, Event, EventAction, Structure, System};
///
/// // A ball that bounces: height x, velocity v.
/// let mut ball = Closure::new(Structure::ode(["x", "v"]), |_t, y, yp, r| {
///     r[0] = yp[0] - y[1];
///     r[1] = yp[1] + 9.81;
/// })
/// .event(Event::new("ground"), |_t, y, _| y[0], |state| {
///     state.y[1] *= -0.8;
///     EventAction::Restart
/// });
/// let mut r = [0.0; 2];
/// ball.residual(0.0, &[1.0, 0.0], &[0.0, -9.81], &mut r).unwrap();
/// assert_eq!(r, [0.0, 0.0]);
/// ```
pub struct Closure<'a> {
    structure: Structure,
    residual: ResidualFn<'a>,
    mass: Option<MassFn<'a>>,
    events: Vec<Event>,
    functions: Vec<(EventFn<'a>, UpdateFn<'a>)>,
    discrete: Vec<f64>,
}

impl<'a> Closure<'a> {
    /// A system with the given structure; [`Structure::unknown`] is always right.
    pub fn new(
        structure: Structure,
        residual: impl FnMut(f64, &[f64], &[f64], &mut [f64]) + Send + 'a,
    ) -> Self {
        Self {
            structure,
            residual: Box::new(residual),
            mass: None,
            events: Vec::new(),
            functions: Vec::new(),
            discrete: Vec::new(),
        }
    }

    /// Declares [`DerivativeForm::Mass`]: `function(t, y, ẏ, values)` writes ∂F/∂ẏ in the order of
    /// the entries of `pattern`, column by column.
    ///
    /// ```
    /// use holonom_dae::{Closure, Pattern, Structure, System};
    ///
    /// // (1 + y²) ẏ = −y
    /// let pattern = Pattern::from_entries(1, 1, [(0, 0)]);
    /// let mut system = Closure::new(Structure::ode(["y"]), |_t, y, yp, r| {
    ///     r[0] = (1.0 + y[0] * y[0]) * yp[0] + y[0];
    /// })
    /// .mass(pattern, |_t, y, _yp, values| values[0] = 1.0 + y[0] * y[0]);
    /// let mut mass = [0.0];
    /// system.derivative_matrix(0.0, &[2.0], &[0.0], &mut mass).unwrap();
    /// assert_eq!(mass, [5.0]);
    /// ```
    pub fn mass(
        mut self,
        pattern: Pattern,
        function: impl FnMut(f64, &[f64], &[f64], &mut [f64]) + Send + 'a,
    ) -> Self {
        self.structure.derivative = DerivativeForm::Mass(pattern.into());
        self.mass = Some(Box::new(function));
        self
    }

    /// Adds an event: its function and what happens where it crosses zero.
    pub fn event(
        mut self,
        event: Event,
        function: impl FnMut(f64, &[f64], &[f64]) -> f64 + Send + 'a,
        update: impl FnMut(EventState<'_>) -> EventAction + Send + 'a,
    ) -> Self {
        self.events.push(event);
        self.functions.push((Box::new(function), Box::new(update)));
        self
    }

    /// Adds discrete variables, which event updates may change.
    pub fn with_discrete(mut self, values: Vec<f64>) -> Self {
        self.discrete = values;
        self
    }
}

impl System for Closure<'_> {
    fn structure(&self) -> &Structure {
        &self.structure
    }

    fn residual(&mut self, t: f64, y: &[f64], yp: &[f64], r: &mut [f64]) -> Result<(), Rejection> {
        (self.residual)(t, y, yp, r);
        Ok(())
    }

    fn derivative_matrix(
        &mut self,
        t: f64,
        y: &[f64],
        yp: &[f64],
        values: &mut [f64],
    ) -> Result<(), Rejection> {
        let mass = self.mass.as_mut().ok_or(Rejection::OutsideDomain)?;
        mass(t, y, yp, values);
        Ok(())
    }

    fn events(&self) -> &[Event] {
        &self.events
    }

    fn event_values(&mut self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        for (value, (function, _)) in values.iter_mut().zip(&mut self.functions) {
            *value = function(t, y, yp);
        }
    }

    fn on_event(&mut self, event: usize, t: f64, y: &mut [f64], yp: &mut [f64]) -> EventAction {
        let discrete = &mut self.discrete;
        (self.functions[event].1)(EventState { t, y, yp, discrete })
    }

    fn discrete(&self) -> &[f64] {
        &self.discrete
    }

    fn discrete_mut(&mut self) -> &mut [f64] {
        &mut self.discrete
    }
}
