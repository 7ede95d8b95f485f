//! A circle.

use super::{DescribedPath, LANE, PathCurve, PathError, bounded, lane_width};
use crate::fields::{Field, Fields};

/// A circle through the origin, begun along x.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Circle {
    /// Radius, m; negative for a circle to the right.
    pub radius: f64,
    /// Width of the lane, m; zero for none.
    pub lane: f64,
}

impl DescribedPath for Circle {
    const NAME: &str = "circle";
    const DOC: &str = "A circle that starts at the origin of its frame along x.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let doc = "Radius; negative for a circle to the right.";
        visitor.number(&Field::required("radius", "m", doc), &mut self.radius);
        visitor.number(&LANE, &mut self.lane);
    }

    fn curve(&self) -> Result<PathCurve, PathError> {
        let turns = self.radius != 0.0 && self.radius.is_finite();
        let radius = bounded(["radius", "the radius"], self.radius, turns, "finite and not zero")?;
        Ok(PathCurve::arc(1.0 / radius).with_lane(lane_width(self.lane)?))
    }
}
