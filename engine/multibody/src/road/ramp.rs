//! A smooth rise from zero to a height.

use super::{DescribedRoad, Elevation, RoadError, RoadLaw, finite, positive};
use crate::fields::{Field, Fields};
use crate::tyre::smooth::rise;
use holonom_algebra::Real;

/// A smooth rise from zero to a height.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ramp {
    /// Where it begins, m.
    pub start: f64,
    /// Its length, m.
    pub length: f64,
    /// The height behind it, m.
    pub height: f64,
}

impl DescribedRoad for Ramp {
    const NAME: &str = "ramp";
    const DOC: &str = "A smooth rise from zero to a height: a ramp, or a kerb if it is short.";
    type Law = Self;

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { start, length, height } = self;
        visitor.number(&Field::required("start", "m", "x at which it starts."), start);
        visitor.number(&Field::required("length", "m", "Length along x."), length);
        visitor.number(&Field::required("height", "m", "Height beyond the ramp."), height);
    }

    fn law(&self) -> Result<Self, RoadError> {
        Ok(Self {
            start: finite(["start", "the start of the ramp"], self.start)?,
            length: positive(["length", "the length of the ramp"], self.length)?,
            height: finite(["height", "the height of the ramp"], self.height)?,
        })
    }
}

impl RoadLaw for Ramp {
    fn at<T: Real>(&self, x: T, _: T) -> Elevation<T> {
        let Self { start, length, height } = self;
        let [share, slope] = rise((x - *start) / *length);
        Elevation::along(share * *height, slope * (height / length))
    }
}
