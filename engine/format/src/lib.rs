//! Model files: from text to [`Description`](holonom_multibody::Description)s.
//!
//! [`urdf`] reads robots in the Unified Robot Description Format.

pub mod urdf;

/// The examples of `docs/urdf.md`, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/urdf.md")]
struct Urdf;
