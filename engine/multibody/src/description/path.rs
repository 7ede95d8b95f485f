//! Paths to follow.

use super::fields::{Field, Fields};
use crate::compile::names::GROUND;
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, ResolveControl};
use crate::path::PathKind;

/// A path that drivers follow.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Name, unique among the paths.
    pub name: String,
    /// What it looks like.
    pub kind: PathKind,
    /// Frame in whose x–y plane it lies: x forward, y to the left, z up.
    pub frame: String,
    /// It runs to −x: x changes its sign.
    pub reversed: bool,
    /// Left and right change places: y changes its sign.
    pub swapped: bool,
}

impl Path {
    /// A path on the ground.
    ///
    /// ```
    /// use holonom_multibody::description::Path;
    /// use holonom_multibody::path::PathKind;
    /// let course = Path::new("course", PathKind::iso_3888_1(1.8));
    /// assert_eq!(course.frame, "ground");
    /// ```
    pub fn new(name: impl Into<String>, kind: PathKind) -> Self {
        Self {
            name: name.into(),
            kind,
            frame: GROUND.to_string(),
            reversed: false,
            swapped: false,
        }
    }

    /// The path in the plane of another frame.
    pub fn on(mut self, frame: impl Into<String>) -> Self {
        self.frame = frame.into();
        self
    }

    /// Shows the fields of a path, name and kind excepted.
    pub fn fields(&mut self, visitor: &mut dyn Fields) {
        (self.kind.info().fields)(&mut self.kind, visitor);
        let doc = "Frame in whose x–y plane it lies: x forward, y to the left, z up.";
        visitor.frame(&Field::optional("frame", "", doc), &mut self.frame);
        let doc = "It runs to −x: x changes its sign.";
        visitor.flag(&Field::optional("reversed", "", doc), &mut self.reversed);
        let doc = "Left and right change places: y changes its sign.";
        visitor.flag(&Field::optional("swapped", "", doc), &mut self.swapped);
    }
}

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
