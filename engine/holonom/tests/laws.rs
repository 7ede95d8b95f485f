//! Laws of force elements and controls in whole models: against formulas written from their sources, and
//! what once was wrong.

#![allow(clippy::unwrap_used)]

#[path = "laws/cable.rs"]
mod cable;
#[path = "laws/constant_velocity.rs"]
mod constant_velocity;
#[path = "laws/contacts.rs"]
mod contacts;
#[path = "laws/controls.rs"]
mod controls;
#[path = "laws/distance.rs"]
mod distance;
#[path = "laws/joints.rs"]
mod joints;
#[path = "laws/rails.rs"]
mod rails;
#[path = "laws/random.rs"]
mod random;
#[path = "laws/rate_limit.rs"]
mod rate_limit;
#[path = "laws/runs.rs"]
mod runs;
#[path = "laws/springs.rs"]
mod springs;
#[path = "laws/stand.rs"]
mod stand;
#[path = "laws/tyres.rs"]
mod tyres;
