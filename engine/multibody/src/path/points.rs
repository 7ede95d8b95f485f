//! A smooth line through points.

use super::{CLOSED, DescribedPath, LANE, PathCurve, PathError, lane_width};
use crate::fields::{Field, Fields};

/// A smooth line through points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    /// x of the points, m.
    pub x: Vec<f64>,
    /// y of the points, m.
    pub y: Vec<f64>,
    /// It leads from the last point back to the first.
    pub closed: bool,
    /// Width of the lane, m; zero for none.
    pub lane: f64,
}

impl DescribedPath for Points {
    const NAME: &str = "points";
    const DOC: &str = "A curve with continuous curvature through given points.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { x, y, closed, lane } = self;
        visitor.numbers(&Field::required("x", "m", "x of the points."), x);
        visitor.numbers(&Field::required("y", "m", "y of the points."), y);
        visitor.flag(&CLOSED, closed);
        visitor.number(&LANE, lane);
    }

    fn curve(&self) -> Result<PathCurve, PathError> {
        if self.x.len() != self.y.len() {
            let (x, y) = (self.x.len(), self.y.len());
            return Err(PathError::Lengths { x, y });
        }
        let lane = lane_width(self.lane)?;
        let points: Vec<[f64; 2]> = self.x.iter().zip(&self.y).map(|(x, y)| [*x, *y]).collect();
        Ok(PathCurve::through(&points, self.closed)?.with_lane(lane))
    }
}
