//! Model files: from text to [`Description`](holonom_multibody::Description)s.
//!
//! [`urdf`] reads robots in the Unified Robot Description Format.

pub mod urdf;
