//! Roads of a mechanism.

use super::fields::{Field, Fields};
use crate::names::GROUND;
use crate::road::RoadKind;

/// A road surface that tyres roll on.
#[derive(Clone, Debug, PartialEq)]
pub struct Road {
    /// Name, unique among the roads.
    pub name: String,
    /// What it looks like.
    pub kind: RoadKind,
    /// Frame that carries it: x along the road, y to the left, z up.
    pub frame: String,
    /// Friction as a factor of that in the data of tyres.
    pub friction: f64,
    /// It is run from the other end: the height at −x counts.
    pub reversed: bool,
    /// Left and right change places: the height at −y counts.
    pub swapped: bool,
}

impl Road {
    /// A road on the ground.
    ///
    /// ```
    /// use holonom_multibody::description::Road;
    /// use holonom_multibody::road::Bump;
    /// let road = Road::new("bump", Bump { start: 5.0, length: 0.5, height: 0.05 });
    /// assert_eq!(road.frame, "ground");
    /// ```
    pub fn new(name: impl Into<String>, kind: impl Into<RoadKind>) -> Self {
        Self {
            name: name.into(),
            kind: kind.into(),
            frame: GROUND.to_string(),
            friction: 1.0,
            reversed: false,
            swapped: false,
        }
    }

    /// The road on another frame.
    pub fn on(mut self, frame: impl Into<String>) -> Self {
        self.frame = frame.into();
        self
    }

    /// The road with another friction, as a factor of that in the data of tyres.
    pub fn friction(mut self, friction: f64) -> Self {
        self.friction = friction;
        self
    }

    /// Shows the fields of a road, name and kind excepted.
    pub fn fields(&mut self, visitor: &mut dyn Fields) {
        self.kind.fields(visitor);
        let doc = "Frame that carries it: x along the road, y to the left, z up.";
        visitor.frame(&Field::optional("frame", "", doc), &mut self.frame);
        let doc = "Friction, as a factor of that in the data of tyres.";
        visitor.number(&Field::optional("friction", "", doc), &mut self.friction);
        let doc = "Run from the other end: the height at −x counts.";
        visitor.flag(&Field::optional("reversed", "", doc), &mut self.reversed);
        let doc = "Left and right change places: the height at −y counts.";
        visitor.flag(&Field::optional("swapped", "", doc), &mut self.swapped);
    }
}
