//! URDF files of many shapes: sound ones against values worked out by hand, broken ones against
//! their messages.
//!
//! `HOLONOM_BLESS=1` writes the expected messages anew; read them before keeping them.
#![allow(clippy::unwrap_used)]

#[path = "urdf/common.rs"]
mod common;
#[path = "urdf/hostile.rs"]
mod hostile;
#[path = "urdf/messages.rs"]
mod messages;
#[path = "urdf/oddities.rs"]
mod oddities;
#[path = "urdf/resistance.rs"]
mod resistance;
#[path = "urdf/robots.rs"]
mod robots;
