//! What an element refers to.

use crate::fields::{Field, Fields, Look};
use crate::names::CoordinateRef;

/// References in the order in which the fields are shown.
#[derive(Default)]
pub(crate) struct Referred {
    pub frames: Vec<String>,
    /// It leads over any number of frames, of which some may be on the same body.
    pub leads_over: bool,
    pub coordinates: Vec<CoordinateRef>,
    /// Sums of coordinates with factors.
    pub sums: Vec<Vec<(CoordinateRef, f64)>>,
    pub roads: Vec<String>,
    pub paths: Vec<String>,
    pub constraints: Vec<String>,
}

impl Referred {
    /// What is referred to in the fields that a visitor is shown. It may change them: they are those of a copy.
    pub fn in_fields(show: impl FnOnce(&mut dyn Fields)) -> Self {
        let mut referred = Self::default();
        show(&mut referred);
        referred
    }
}

impl Look for Referred {
    fn frame(&mut self, _: &Field, value: &mut String) {
        self.frames.push(value.clone());
    }
    fn frames(&mut self, _: &Field, value: &mut Vec<String>) {
        self.frames.extend_from_slice(value);
        self.leads_over = true;
    }
    fn coordinate(&mut self, _: &Field, value: &mut CoordinateRef) {
        self.coordinates.push(value.clone());
    }
    fn terms(&mut self, _: &Field, value: &mut Vec<(CoordinateRef, f64)>) {
        self.sums.push(value.clone());
    }
    fn road(&mut self, _: &Field, value: &mut String) {
        self.roads.push(value.clone());
    }
    fn path(&mut self, _: &Field, value: &mut String) {
        self.paths.push(value.clone());
    }
    fn constraint(&mut self, _: &Field, value: &mut String) {
        self.constraints.push(value.clone());
    }
}
