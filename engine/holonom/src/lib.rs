//! Holonom solves differential-algebraic equations F(t, y, ẏ) = 0, above all the equations of
//! motion of constrained mechanical systems.
//!
//! # Equations from a closure
//!
//! Pass the residual as a closure. The example is a ball dropped from 1 m; an event reverses its
//! velocity, and the integration continues from there:
//!
//! ```
//! use holonom::prelude::*;
//!
//! let ball = Closure::new(Structure::ode(["height", "velocity"]), |_t, y, yp, r| {
//!     r[0] = yp[0] - y[1];
//!     r[1] = yp[1] + 9.81;
//! })
//! .event(
//!     Event::new("ground").direction(Direction::Falling),
//!     |_t, y, _yp| y[0],
//!     |state| {
//!         state.y[1] *= -0.8;
//!         EventAction::Restart
//!     },
//! );
//! let options = Options::new(1e-8, 1e-8);
//! let solution = solve(ball, (0.0, 1.0), &[1.0, 0.0], &[0.0, -9.81], options)?;
//!
//! let first = solution.events[0].t;
//! assert!((first - (2.0f64 / 9.81).sqrt()).abs() < 1e-7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Algebraic equations contain no derivatives: [`Structure::semi_explicit`] declares them, and the
//! initial values are made consistent before the first step.
//!
//! # Processors
//!
//! The numerical kernels use AVX2 and FMA where the build allows it: on x86-64 that takes the compiler flag
//! `-Ctarget-cpu=x86-64-v3` (or `native`), for example in `.cargo/config.toml` of your own package; a dependency cannot set
//! it. Without the flag everything works on any x86-64 processor, with longer run times and other last digits: products
//! are then rounded before they are added. Equal builds give equal bits; builds with and without the flag do not.
//!
//! # Mechanisms from bodies and joints
//!
//! A mechanism is described by its bodies and joints; the spanning tree, the loops and the equations
//! are derived from them. A planar four-bar with spatial revolute joints has five loop equations, of
//! which three are redundant: they are detected, dropped and reported.
//!
//! ```
//! use holonom::mechanism::simulate;
//! use holonom::multibody::Description;
//! use holonom::multibody::description::{Body, Joint, frame};
//! use holonom::prelude::*;
//! use std::sync::Arc;
//!
//! let bar = |name: &str, length: f64| {
//!     Body::thin_rod(name, 1.0, [length, 0.0, 0.0]).marker("end", frame::at([length, 0.0, 0.0]))
//! };
//! let mut model = Description::new("four-bar")
//!     .gravity([0.0, -9.81, 0.0])
//!     .ground_marker("right", frame::at([0.4, 0.0, 0.0]));
//! let crank = model.add(bar("crank", 0.15));
//! let coupler = model.add(bar("coupler", 0.35));
//! let rocker = model.add(bar("rocker", 0.3));
//! model.add(Joint::revolute("A", "ground", &crank).start(1.0, 8.0));
//! model.add(Joint::revolute("B", crank.at("end"), &coupler).start(-0.6, 0.0));
//! model.add(Joint::revolute("C", coupler.at("end"), rocker.at("end")));
//! model.add(Joint::revolute("D", "ground.right", &rocker).start(1.7, 0.0));
//!
//! let start = Arc::new(model.compile()?).assemble(&Default::default())?; // closes the loop
//! assert_eq!((start.degrees_of_freedom(), start.rows.dropped.len()), (1, 3));
//! let solution = simulate(&start, 1.0, Options::new(1e-6, 1e-6))?;
//! let end = solution.end();
//! println!("{:?}, {} J", end.body(&rocker), end.channel("energy.total")?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Constrained mechanics
//!
//! A pendulum in Cartesian coordinates, in the stabilised form of Gear, Gupta and Leimkuhler:
//! both the constraint and its derivative are satisfied, so there is no drift. An [`Observer`] is
//! called after every step; here it checks the length of the rod.
//!
//! ```
//! use holonom::prelude::*;
//! use holonom::problems;
//!
//! /// The largest violation of x² + y² = 1 so far.
//! struct Drift(f64);
//!
//! impl Observer for Drift {
//!     fn step(&mut self, step: &StepInfo<'_>) -> Control {
//!         let [x, y] = [step.y[0], step.y[1]];
//!         self.0 = self.0.max((x * x + y * y - 1.0).abs());
//!         Control::Continue
//!     }
//! }
//!
//! let p = problems::find("pendulum-ggl").ok_or("no such problem")?;
//! let options = Options::new(1e-8, 1e-8);
//! let mut run = Integrator::new((p.build)(), p.t0, &p.y0, &p.yp0, p.t_end - p.t0, options)?;
//! let mut drift = Drift(0.0);
//! run.run(p.t_end, &mut drift)?;
//!
//! let exact = problems::pendulum::exact(p.t_end);
//! assert!((run.y()[0] - exact[0]).abs() < 1e-4);
//! assert!(drift.0 < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Next steps
//!
//! * [`Residual`]: equations written once, generic over the scalar type, with exact derivatives
//!   (the example `robertson`).
//! * [`Options`]: tolerances, methods and limits; every strategy has a name, and the registries
//!   [`solver::stepper::REGISTRY`], [`solver::jacobian::REGISTRY`], [`solver::linear::REGISTRY`] and
//!   [`solver::refresh::REGISTRY`] list them.
//! * [`Integrator`]: step-by-step integration, checkpoints, observers.
//! * [`problems`]: reference problems with verified solutions.

pub mod mechanism;
pub mod simulation;

pub use holonom_algebra as algebra;
pub use holonom_analysis as analysis;
pub use holonom_dae as dae;
pub use holonom_expression as expression;
pub use holonom_format as format;
pub use holonom_multibody as multibody;
pub use holonom_solver as solver;

pub use holonom_dae::problems;

pub use holonom_algebra::Real;
pub use holonom_dae::{
    Bound, Closure, Counters, DerivativeForm, Direction, Equation, EquationLevel, ErrorTest, Event,
    EventAction, EventState, Failure, FailureKind, InputError, Mechanical, MechanicalLayout, Pattern, Point,
    Rejection, Residual, Structure, System, Timing, Tolerances, Variable, VariableKind,
};
pub use holonom_solver::stepper::{Control, Observer, Quiet, StepInfo};
pub use holonom_solver::trajectory::{RecordedEvent, Recorder};
pub use holonom_solver::{
    Checkpoint, Integrator, Options, OutputTimes, RunError, Solution, Start, Stop, solve,
};

/// What most programs need, for `use holonom::prelude::*`.
pub mod prelude {
    pub use crate::{
        Bound, Checkpoint, Closure, Control, DerivativeForm, Direction, Equation, EquationLevel, ErrorTest,
        Event, EventAction, EventState, Integrator, Observer, Options, Pattern, Point, Quiet, Real, Recorder,
        Rejection, Residual, RunError, Solution, Start, StepInfo, Stop, Structure, System, Tolerances,
        Variable, VariableKind, solve,
    };
}

/// The README's example, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The examples of `docs/mechanisms.md`, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/mechanisms.md")]
struct Mechanisms;

/// The examples of the guide's page on integrators, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/integrators.md")]
struct Integrators;
