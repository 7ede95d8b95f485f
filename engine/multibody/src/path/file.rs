//! A smooth line through points in a file.

use super::{CLOSED, DescribedPath, LANE, PathCurve, PathError, lane_width};
use crate::document::Document;
use crate::fields::{Field, Fields};
use holonom_expression::curve::{Column, points_of_text};

/// A smooth line through points in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// Two columns: x and y, m.
    pub file: Document,
    /// It leads from the last point back to the first.
    pub closed: bool,
    /// Width of the lane, m; zero for none.
    pub lane: f64,
}

impl DescribedPath for File {
    const NAME: &str = "file";
    const DOC: &str = "A curve with continuous curvature through the points in a file.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { file, closed, lane } = self;
        let doc = "File whose first two columns are x and y, with or without headings; in m unless a heading gives a unit, as in `x [mm]`.";
        visitor.document(&Field::required("file", "", doc), file);
        visitor.flag(&CLOSED, closed);
        visitor.number(&LANE, lane);
    }

    fn curve(&self) -> Result<PathCurve, PathError> {
        let Self { file, closed, lane } = self;
        let name = if file.name.is_empty() { "path" } else { &file.name };
        let points = points_of_text(name, &file.text, [0, 1].map(Column::Index), false)?;
        let [x, y] = points.lengths(name)?;
        let lane = lane_width(*lane)?;
        let points: Vec<[f64; 2]> = x.iter().zip(&y).map(|(x, y)| [*x, *y]).collect();
        Ok(PathCurve::through(&points, *closed)?.with_lane(lane))
    }
}
