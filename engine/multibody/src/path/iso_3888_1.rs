//! The double lane change of ISO 3888-1.

use super::lanes::{Course, OVERLAP, START, WIDTH, checked};
use super::{DescribedPath, PathCurve, PathError, not_negative};
use crate::fields::{Field, Fields};

/// The double lane change of ISO 3888-1.
#[derive(Clone, Debug, PartialEq)]
pub struct Iso3888One {
    /// Width of the vehicle, m.
    pub width: f64,
    /// x at which section 1 begins, m.
    pub start: f64,
    /// From the right border of section 1 to that of section 3, m.
    pub offset: f64,
    /// By how much a change of lane reaches into the lanes, m.
    pub overlap: f64,
}

impl Default for Iso3888One {
    fn default() -> Self {
        Self::new(0.0)
    }
}

impl Iso3888One {
    /// The course for a vehicle of some width, from x = 0.
    pub fn new(width: f64) -> Self {
        Self {
            width,
            start: 0.0,
            offset: 3.5,
            overlap: 5.0,
        }
    }
}

impl DescribedPath for Iso3888One {
    const NAME: &str = "iso-3888-1";
    const DOC: &str = "The double lane change of ISO 3888-1 to the left, with its lanes.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self {
            width,
            start,
            offset,
            overlap,
        } = self;
        visitor.number(&WIDTH, width);
        visitor.number(&START, start);
        let doc = "Lateral distance from the right border of section 1 to that of section 3.";
        visitor.number(&Field::optional("offset", "m", doc), offset);
        visitor.number(&OVERLAP, overlap);
    }

    fn curve(&self) -> Result<PathCurve, PathError> {
        let (width, start, overlap) = checked(self.width, self.start, self.overlap, 12.5)?;
        let offset = not_negative(["offset", "the offset"], self.offset)?;
        let course = Course {
            lengths: [15.0, 30.0, 25.0, 25.0, 30.0],
            widths: [1.1, 1.2, 1.3].map(|factor| factor * width + 0.25),
            offset,
            start,
            overlap,
        };
        course.curve()
    }
}
