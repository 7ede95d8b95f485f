//! The backward Euler method: the BDF method of order 1.

use super::bdf::{BACKWARD_EULER as NAME, Bdf};
use super::{Build, Entry, Takes};

/// In the registry.
pub(super) const ENTRY: Entry = Entry {
    name: NAME,
    description: "backward Euler with variable step size",
    literature: "Arnold (11)",
    max_order: 1,
    takes: Takes::Everything,
    fixed_step: false,
    start_order: 1,
    in_stages: false,
    options: None,
    build: Build::Iterative(|n, parts, corrector| Box::new(Bdf::backward_euler(n, parts, corrector))),
};
