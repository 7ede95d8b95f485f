//! Observers: accepted steps, outputs and events in, at most "stop" back.

/// What an observer wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// End the run after this step.
    Stop,
}

/// An accepted step.
#[derive(Clone, Copy, Debug)]
pub struct StepInfo<'a> {
    /// Time reached.
    pub t: f64,
    /// Step size.
    pub h: f64,
    /// Order.
    pub order: usize,
    /// Unknowns.
    pub y: &'a [f64],
    /// Their derivatives.
    pub yp: &'a [f64],
    /// Accepted steps so far.
    pub steps: u64,
}

/// The solution from one time to another, inside of a step: a polynomial by its values at Chebyshev points of the second
/// kind, in ascending order, both ends among them.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Unknowns at its points, one after the other.
    pub values: &'a [f64],
}

impl Piece<'_> {
    /// Time of point `i` of so many between two times.
    pub fn node((from, to): (f64, f64), i: usize, points: usize) -> f64 {
        let last = points.saturating_sub(1);
        if i == 0 {
            return from;
        }
        if i == last {
            return to;
        }
        let x = (std::f64::consts::PI * i as f64 / last as f64).cos();
        from + 0.5 * (to - from) * (1.0 - x)
    }
}

/// Watches a run. All methods do nothing unless overridden.
pub trait Observer {
    /// After every accepted step, before the events in it: where one of them restarts the run,
    /// the part of the step behind it is withdrawn and the next step begins at the event.
    fn step(&mut self, _step: &StepInfo<'_>) -> Control {
        Control::Continue
    }
    /// Before outputs, in systems with [switches](holonom_dae::System::switches): the discrete variables there.
    fn discrete(&mut self, _discrete: &[f64]) {}
    /// Whether multipliers and readings are looked at in [`output`](Self::output). Explicit methods have them at the
    /// ends of steps only, and evaluate them anew at each output.
    fn wants_multipliers(&self) -> bool {
        true
    }
    /// At every output time.
    fn output(&mut self, _t: f64, _y: &[f64], _yp: &[f64]) {}
    /// Whether the solution between the ends of steps is wanted, as [`piece`](Self::piece) shows it.
    fn wants_pieces(&self) -> bool {
        false
    }
    /// The solution along a step, or along the part of it up to an event or to the end of the run.
    fn piece(&mut self, _piece: &Piece<'_>) {}
    /// At every event, before its discrete update (`after` false) and, where that changed the
    /// state or ended the run, after it (`after` true).
    fn event(&mut self, _event: usize, _t: f64, _y: &[f64], _after: bool) {}
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Observer for Quiet {}
