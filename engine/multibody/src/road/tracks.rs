//! Two profiles along x.

use super::{DescribedRoad, Elevation, RoadError, RoadLaw, blended, positive};
use crate::fields::{Field, Fields};
use holonom_algebra::Real;
use holonom_expression::Expression;

/// Two profiles along x at y = ± track/2 with a smooth transition between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracks {
    /// Height along y = track/2, an expression of x, m.
    pub left: Expression,
    /// Height along y = −track/2, m.
    pub right: Expression,
    /// Distance of the tracks, m.
    pub track: f64,
}

impl Default for Tracks {
    fn default() -> Self {
        Self {
            left: Expression::zero(),
            right: Expression::zero(),
            track: 0.0,
        }
    }
}

impl DescribedRoad for Tracks {
    const NAME: &str = "tracks";
    const DOC: &str = "Two profiles along x, usually tables, for the left and right wheels.";
    type Law = Self;

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { left, right, track } = self;
        let doc = "Height as a function of x at y = track/2 and to the left of it.";
        visitor.expression(&Field::required("left", "m", doc), &["x"], left);
        let doc = "Height as a function of x at y = −track/2 and to the right of it.";
        visitor.expression(&Field::required("right", "m", doc), &["x"], right);
        let doc = "Distance between the two profiles, which a smooth step connects.";
        visitor.number(&Field::required("track", "m", doc), track);
    }

    fn law(&self) -> Result<Self, RoadError> {
        Ok(Self {
            left: self.left.over_variables(&["x"])?,
            right: self.right.over_variables(&["x"])?,
            track: positive(["track", "the distance of the tracks"], self.track)?,
        })
    }
}

impl RoadLaw for Tracks {
    fn at<T: Real>(&self, x: T, y: T) -> Elevation<T> {
        let [a, da, _] = self.left.partial(&[x], 0);
        let [b, db, _] = self.right.partial(&[x], 0);
        blended(y, self.track, [a, da], [b, db])
    }
}
