//! Paths to follow.

use crate::fields::{Field, Fields};
use crate::names::GROUND;
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
    /// use holonom_multibody::path::Iso3888One;
    /// let course = Path::new("course", Iso3888One::new(1.8));
    /// assert_eq!(course.frame, "ground");
    /// ```
    pub fn new(name: impl Into<String>, kind: impl Into<PathKind>) -> Self {
        Self {
            name: name.into(),
            kind: kind.into(),
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
        self.kind.fields(visitor);
        let doc = "Frame in whose x–y plane it lies: x forward, y to the left, z up.";
        visitor.frame(&Field::optional("frame", "", doc), &mut self.frame);
        let doc = "It runs to −x: x changes its sign.";
        visitor.flag(&Field::optional("reversed", "", doc), &mut self.reversed);
        let doc = "Left and right change places: y changes its sign.";
        visitor.flag(&Field::optional("swapped", "", doc), &mut self.swapped);
    }
}
