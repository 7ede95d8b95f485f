//! The plane z = 0.

use super::{DescribedRoad, Elevation, RoadError, RoadLaw};
use crate::fields::Fields;
use holonom_algebra::Real;

/// The plane z = 0 of its frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Flat;

impl DescribedRoad for Flat {
    const NAME: &str = "flat";
    const DOC: &str = "The plane z = 0 of its frame.";
    const FLAT: bool = true;
    type Law = Self;

    fn fields(&mut self, _: &mut dyn Fields) {}

    fn law(&self) -> Result<Self, RoadError> {
        Ok(*self)
    }
}

impl RoadLaw for Flat {
    fn at<T: Real>(&self, _: T, _: T) -> Elevation<T> {
        Elevation::along(T::zero(), T::zero())
    }
}
