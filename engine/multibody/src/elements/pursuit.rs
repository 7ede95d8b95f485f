//! Frames that follow paths.

use super::faults::Faults;
use super::references::{Attached, Named, References, ResolveControl};
use crate::fields::{Field, Fields};

/// A frame that follows a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Pursuit<R: References = Named> {
    /// The path.
    pub path: R::Path,
    /// Frame that follows it, x to the front.
    pub frame: R::Frame,
    /// The front is at −x of it.
    pub reversed: bool,
    /// Arc of the path beside the frame at the start, m.
    pub start: f64,
    /// Time constant with which a wrong arc is corrected, s; must be positive.
    pub settling: f64,
}

impl Default for Pursuit<Named> {
    fn default() -> Self {
        Self {
            path: String::new(),
            frame: String::new(),
            reversed: false,
            start: 0.0,
            settling: 0.1,
        }
    }
}

impl Pursuit<Named> {
    /// A frame beside the beginning of a path.
    pub fn new(path: impl Into<String>, frame: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            frame: frame.into(),
            ..Self::default()
        }
    }

    /// The same beginning at another arc, m.
    pub fn from(mut self, arc: f64) -> Self {
        self.start = arc;
        self
    }

    pub(crate) fn faults(&self, faults: &mut Faults) {
        faults.bounded("start", self.start, self.start.is_finite(), "finite");
        faults.above_zero("settling", self.settling);
    }

    pub(crate) fn attach(&self, to: &mut dyn ResolveControl) -> Option<Pursuit<Attached>> {
        Some(Pursuit {
            path: to.path(&self.path)?,
            frame: to.frame(&self.frame)?,
            reversed: self.reversed,
            start: self.start,
            settling: self.settling,
        })
    }

    pub(crate) fn fields(&mut self, visitor: &mut dyn Fields) {
        let doc = "Name of the path.";
        visitor.path(&Field::required("path", "", doc), &mut self.path);
        let doc = "Frame that follows the path, with x pointing forward.";
        visitor.frame(&Field::required("frame", "", doc), &mut self.frame);
        let doc = "The front of the frame points to −x.";
        visitor.flag(&Field::optional("reversed", "", doc), &mut self.reversed);
        let doc = "Initial arc length of the point of the path nearest to the frame.";
        visitor.number(&Field::optional("start", "m", doc), &mut self.start);
        let doc = "Time constant with which an error of the arc length is corrected.";
        visitor.number(&Field::optional("settling", "s", doc), &mut self.settling);
    }
}
