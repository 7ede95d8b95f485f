//! Channels: everything about a mechanism that can be plotted, by name, and its values along a run.
//!
//! A [`Catalogue`] lists the channels of an assembled mechanism, each with a unit and a sentence. A
//! [`Selection`] is some of them, chosen by patterns; a [`Sampler`] fills rows of their values.
//!
//! | channel | what it is |
//! |---|---|
//! | `A.angle`, `.velocity`, `.acceleration` | coordinates of joints, named as in [`JOINTS`](crate::elements::joints::JOINTS); free, prescribed, locked, cut |
//! | `A.angle.drive` | force or torque by which a prescribed coordinate is led: what crosses the joint along it, less the force elements on the coordinate |
//! | `ball.orientation.w` … `.z`, `ball.angular_velocity.x` …, `ball.angular_acceleration.x` … | orientation of the second frame of a joint seen from the first; rates in the axes of the second |
//! | `crank.position.x` …, `.orientation.w` …, `.velocity`, `.angular_velocity`, `.acceleration`, `.angular_acceleration` | frames of bodies, in the ground's frame and axes |
//! | `crank.end.position.x` … | the same of markers |
//! | `A.force.x` …, `A.torque.x` … | what a joint, constraint or rod transmits: the load on the second frame, at its origin, in the axes of the first frame (see [`reactions`](crate::formalism::reactions)) |
//! | `rod.tension`, `drive.force` | tension of distances and rods; force or torque of drivers and couplings |
//! | `spring.force.x` …, `spring.torque.x` … | load of a force element on its second frame, at its origin, in the ground's axes |
//! | `spring.length`, `.tension`, `.angle`, `.moment`, `.power`, `.energy` | what else force elements have |
//! | `controller`, `controller.integral` | output and own states of a control |
//! | `energy.kinetic`, `energy.potential`, `energy.total` | energies |
//! | `momentum.x` …, `angular_momentum.x` … | momenta, the angular one about the ground's origin |
//! | `constraint.loop.x`, `constraint.loop.x.rate` | what is left of g and of G v + g_t, row by row |
//! | `residual.position`, `residual.velocity` | the largest of them |
//! | `input.drive`, `.rate`, `.acceleration` | functions of time |
//!
//! Units are SI. Euler parameters have the scalar first. Those of joints in the tree are continuous
//! along a run; those of bodies, markers and cut joints have w ≥ 0.
//!
//! **Names that coincide.** A body and a joint, say, may have the same name. Where that makes two
//! channels of the same name, all channels of both things carry the kind in front:
//! `body:ball.orientation.w`, `joint:ball.orientation.w`; the kinds are `body`, `joint`,
//! `constraint` (rods are among them), `force`, `control` and `input`. Patterns find such channels with and without
//! the kind. Should names still coincide, the later ones end in `#2`, `#3`, ….
//!
//! ```
//! use holonom_multibody::Description;
//! use holonom_multibody::channels::Catalogue;
//! use holonom_multibody::description::{Body, Joint};
//! use std::sync::Arc;
//!
//! let model = Description::new("pendulum")
//!     .body(Body::new("bob", 2.0).centre([1.0, 0.0, 0.0]))
//!     .joint(Joint::revolute("pin", "ground", "bob").axis([0.0, 1.0, 0.0]))
//!     .compile()
//!     .map(Arc::new)?;
//! let catalogue = Catalogue::new(&model.assemble(&Default::default())?);
//! let torque = catalogue.find("pin.torque.y").ok_or("it is there")?;
//! assert_eq!(torque.unit, "N m");
//! let wrong = catalogue.select(&["pin.torqe.y"]).err().ok_or("there is none")?;
//! assert!(wrong.to_string().contains("did you mean \"pin.torque.y\"?"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod build;
pub(crate) mod catalogue;
mod sampler;

pub use crate::description::Input;
pub use catalogue::{Catalogue, Channel, Selection, UnknownChannel};
pub use sampler::{ForeignSelection, Sampler};
