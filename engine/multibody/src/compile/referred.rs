//! What a force refers to.

use crate::Signal;
use crate::description::fields::{Field, Fields};
use crate::description::{CoordinateRef, Document, ForceKind};
use holonom_expression::Expression;

/// Frames and coordinates in the order in which the fields are shown.
#[derive(Default)]
pub(crate) struct Referred {
    pub frames: Vec<String>,
    pub coordinates: Vec<CoordinateRef>,
}

impl Referred {
    /// What a force of any kind refers to.
    pub fn by(kind: &ForceKind) -> Self {
        let mut referred = Self::default();
        // A visitor may change what it sees: it is shown a copy.
        (kind.info().fields)(&mut kind.clone(), &mut referred);
        referred
    }
}

impl Fields for Referred {
    fn number(&mut self, _: &Field, _: &mut f64) {}
    fn numbers(&mut self, _: &Field, _: &mut Vec<f64>) {}
    fn channel(&mut self, _: &Field, _: &mut String) {}
    fn vector(&mut self, _: &Field, _: &mut [f64; 3]) {}
    fn symmetric(&mut self, _: &Field, _: &mut [f64; 6]) {}
    fn signal(&mut self, _: &Field, _: &mut Signal) {}
    fn signals(&mut self, _: &Field, _: &mut [Signal; 3]) {}
    fn expressions(&mut self, _: &Field, _: &[&'static str], _: &mut [Expression; 3]) {}
    fn expression(&mut self, _: &Field, _: &[&'static str], _: &mut Expression) {}
    fn matrix(&mut self, _: &Field, _: &mut [[f64; 6]; 6]) {}
    fn frame(&mut self, _: &Field, value: &mut String) {
        self.frames.push(value.clone());
    }
    fn coordinate(&mut self, _: &Field, value: &mut CoordinateRef) {
        self.coordinates.push(value.clone());
    }
    fn terms(&mut self, _: &Field, value: &mut Vec<(CoordinateRef, f64)>) {
        self.coordinates.extend(value.iter().map(|(c, _)| c.clone()));
    }
    fn road(&mut self, _: &Field, _: &mut String) {}
    fn path(&mut self, _: &Field, _: &mut String) {}
    fn constraint(&mut self, _: &Field, _: &mut String) {}
    fn document(&mut self, _: &Field, _: &mut Document) {}
    fn flag(&mut self, _: &Field, _: &mut bool) {}
    fn choice(&mut self, _: &Field, _: &[&'static str], _: &mut usize) {}
}
