//! From a [`Description`] to a [`Model`]: names to numbers, checks, spanning tree, nodes, rows.
//!
//! All faults are collected and reported together. The order of the work:
//! 1. names, numbers and references are checked (`check`, `references`);
//! 2. the joints become a graph, from which [`Forest`](crate::forest::Forest) chooses tree and cuts (`topology`);
//! 3. the tree joints become nodes, base to tip (`lower`);
//! 4. cut joints, constraints, rods and forces attach to the nodes (`attach`);
//! 5. the mass matrix of the tree is checked to be regular at the start (`inertia`).

mod attach;
mod check;
mod controls;
mod hung;
mod inertia;
mod lower;
pub(crate) mod names;
mod paths;
mod rails;
mod references;
pub(crate) mod referred;
mod roads;
mod sensors;
mod start;
mod timed;
mod topology;

use crate::description::Description;
use crate::diagnostic::{ModelErrors, Sort, ThingKind};
use crate::model::Model;
use names::Names;

impl Description {
    /// Checks the mechanism and makes it ready for simulation.
    ///
    /// # Errors
    /// Everything that is wrong with it, with the place and the remedy of each fault.
    pub fn compile(&self) -> Result<Model, ModelErrors> {
        compile(self)
    }
}

/// Compiles a description; [`Description::compile`] is the same.
///
/// # Errors
/// Everything that is wrong with the description.
pub fn compile(description: &Description) -> Result<Model, ModelErrors> {
    let mut errors = Vec::new();
    let expanded = rails::expanded(description, &mut errors);
    let tracks_are_good = errors.is_empty();
    let description = expanded.as_ref().unwrap_or(description);
    let carried = hung::carried(description);
    let description = carried.as_ref().unwrap_or(description);
    let names = Names::new(description);
    let told = check::check(description, &mut errors);
    let ends = references::check(description, &names, &mut errors);
    if !tracks_are_good {
        // Their joints are missing for this reason only.
        let is_track = |name: &String| description.tracks.iter().any(|track| track.name == *name);
        errors.retain(|error| {
            let missing = error.sort == Sort::Missing(ThingKind::Joint);
            !(missing && error.said.as_ref().is_some_and(is_track))
        });
    }
    if !told || !tracks_are_good {
        // Joints may have found the wrong body, or be missing: what is connected is not known.
        return Err(ModelErrors(errors));
    }
    let Some((ends, graph, forest)) = topology::choose(description, &names, ends, &mut errors) else {
        return Err(ModelErrors(errors));
    };
    if !errors.is_empty() {
        return Err(ModelErrors(errors));
    }
    let lowered = lower::lower(description, &graph, &forest, &ends);
    let model = attach::attach(description, &names, graph, forest, &ends, lowered, &mut errors);
    if errors.is_empty() {
        inertia::check(&model, &mut errors);
    }
    if errors.is_empty() {
        Ok(model)
    } else {
        Err(ModelErrors(errors))
    }
}
