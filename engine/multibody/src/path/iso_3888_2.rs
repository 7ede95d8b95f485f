//! The obstacle avoidance of ISO 3888-2.

use super::lanes::{Course, OVERLAP, START, WIDTH, checked};
use super::{DescribedPath, PathCurve, PathError, not_negative};
use crate::fields::{Field, Fields};

/// The obstacle avoidance of ISO 3888-2.
#[derive(Clone, Debug, PartialEq)]
pub struct Iso3888Two {
    /// Width of the vehicle, m.
    pub width: f64,
    /// x at which section 1 begins, m.
    pub start: f64,
    /// From the left border of section 1 to the right border of section 3, m.
    pub gap: f64,
    /// By how much a change of lane reaches into the lanes, m.
    pub overlap: f64,
}

impl Default for Iso3888Two {
    fn default() -> Self {
        Self::new(0.0)
    }
}

impl Iso3888Two {
    /// The course for a vehicle of some width, from x = 0.
    pub fn new(width: f64) -> Self {
        Self {
            width,
            start: 0.0,
            gap: 1.0,
            overlap: 2.0,
        }
    }
}

impl DescribedPath for Iso3888Two {
    const NAME: &str = "iso-3888-2";
    const DOC: &str = "The obstacle avoidance manoeuvre of ISO 3888-2 to the left, with its lanes.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self {
            width,
            start,
            gap,
            overlap,
        } = self;
        visitor.number(&WIDTH, width);
        visitor.number(&START, start);
        let doc = "Lateral distance from the left border of section 1 to the right border of section 3.";
        visitor.number(&Field::optional("gap", "m", doc), gap);
        visitor.number(&OVERLAP, overlap);
    }

    fn curve(&self) -> Result<PathCurve, PathError> {
        let (width, start, overlap) = checked(self.width, self.start, self.overlap, 5.5)?;
        let gap = not_negative(["gap", "the gap"], self.gap)?;
        let first = 1.1 * width + 0.25;
        let course = Course {
            lengths: [12.0, 13.5, 11.0, 12.5, 12.0],
            widths: [first, width + 1.0, (1.3 * width + 0.25).max(3.0)],
            offset: first + gap,
            start,
            overlap,
        };
        course.curve()
    }
}
