//! What a force refers to.

use crate::description::fields::{Field, Look};
use crate::description::{CoordinateRef, ForceKind};

/// References in the order in which the fields are shown.
#[derive(Default)]
pub(crate) struct Referred {
    pub frames: Vec<String>,
    pub coordinates: Vec<CoordinateRef>,
    pub roads: Vec<String>,
    pub constraints: Vec<String>,
}

impl Referred {
    /// What a force of any kind refers to.
    pub fn by(kind: &ForceKind) -> Self {
        let mut referred = Self::default();
        // A visitor may change what it sees: it is shown a copy.
        kind.clone().fields(&mut referred);
        referred
    }
}

impl Look for Referred {
    fn frame(&mut self, _: &Field, value: &mut String) {
        self.frames.push(value.clone());
    }
    fn coordinate(&mut self, _: &Field, value: &mut CoordinateRef) {
        self.coordinates.push(value.clone());
    }
    fn terms(&mut self, _: &Field, value: &mut Vec<(CoordinateRef, f64)>) {
        self.coordinates.extend(value.iter().map(|(c, _)| c.clone()));
    }
    fn road(&mut self, _: &Field, value: &mut String) {
        self.roads.push(value.clone());
    }
    fn constraint(&mut self, _: &Field, value: &mut String) {
        self.constraints.push(value.clone());
    }
}
