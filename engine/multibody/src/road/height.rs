//! A height over x and y.

use super::{DescribedRoad, Elevation, RoadError, RoadLaw};
use crate::fields::{Field, Fields};
use holonom_algebra::Real;
use holonom_expression::Expression;

/// A height over x and y.
#[derive(Clone, Debug, PartialEq)]
pub struct Height {
    /// An expression of x and y, m.
    pub height: Expression,
}

impl Default for Height {
    fn default() -> Self {
        Self {
            height: Expression::zero(),
        }
    }
}

impl DescribedRoad for Height {
    const NAME: &str = "height";
    const DOC: &str = "Height as an expression of x and y, which may call tables.";
    type Law = Self;

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let field = Field::required("height", "m", "Height as a function of x and y.");
        visitor.expression(&field, &["x", "y"], &mut self.height);
    }

    fn law(&self) -> Result<Self, RoadError> {
        Ok(Self {
            height: self.height.over_variables(&["x", "y"])?,
        })
    }
}

impl RoadLaw for Height {
    fn at<T: Real>(&self, x: T, y: T) -> Elevation<T> {
        let [height, by_x, _] = self.height.partial(&[x, y], 0);
        let [_, by_y, _] = self.height.partial(&[x, y], 1);
        Elevation {
            height,
            slope: [by_x, by_y],
        }
    }
}
