//! The x axis.

use super::{DescribedPath, LANE, PathCurve, PathError, lane_width};
use crate::fields::Fields;

/// The x axis of its frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Straight {
    /// Width of the lane, m; zero for none.
    pub lane: f64,
}

impl DescribedPath for Straight {
    const NAME: &str = "straight";
    const DOC: &str = "The x axis of its frame.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        visitor.number(&LANE, &mut self.lane);
    }

    fn curve(&self) -> Result<PathCurve, PathError> {
        Ok(PathCurve::arc(0.0).with_lane(lane_width(self.lane)?))
    }
}
