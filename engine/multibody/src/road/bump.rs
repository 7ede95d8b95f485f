//! A bump: a full wave of the cosine.

use super::{DescribedRoad, Elevation, RoadError, RoadLaw, finite, positive};
use crate::fields::{Field, Fields};
use core::f64::consts::TAU;
use holonom_algebra::Real;

/// A bump: a full wave of the cosine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bump {
    /// Where it begins, m.
    pub start: f64,
    /// Its length, m.
    pub length: f64,
    /// Its height, m.
    pub height: f64,
}

impl DescribedRoad for Bump {
    const NAME: &str = "bump";
    const DOC: &str = "A bump across the road: height/2 (1 − cos(2π (x − start)/length)).";
    type Law = Self;

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { start, length, height } = self;
        visitor.number(&Field::required("start", "m", "x at which it starts."), start);
        visitor.number(&Field::required("length", "m", "Length along x."), length);
        visitor.number(&Field::required("height", "m", "Height at the middle."), height);
    }

    fn law(&self) -> Result<Self, RoadError> {
        Ok(Self {
            start: finite(["start", "the start of the bump"], self.start)?,
            length: positive(["length", "the length of the bump"], self.length)?,
            height: finite(["height", "the height of the bump"], self.height)?,
        })
    }
}

impl RoadLaw for Bump {
    fn at<T: Real>(&self, x: T, _: T) -> Elevation<T> {
        let Self { start, length, height } = self;
        let u = (x - *start) * (TAU / length);
        let inside = u.value() > 0.0 && u.value() < TAU;
        let (sin, cos) = u.sin_cos();
        let zero = T::zero();
        Elevation::along(
            T::select(inside, (-cos + 1.0) * (0.5 * height), zero),
            T::select(inside, sin * (0.5 * height * TAU / length), zero),
        )
    }
}
