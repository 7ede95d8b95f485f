//! The origins of two frames keep a distance, which may be a function of time.

use super::{ConstraintElement, ConstraintKind, DescribedConstraint, Pair, PairRow};
use crate::fields::{FROM, Field, Fields, TO};
use crate::description::Constraint;
use crate::elements::faults::Faults;
use crate::elements::references::Resolve;
use crate::signal::Signal;

/// The origins of two frames keep a distance: 1 row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distance {
    /// First frame.
    pub from: String,
    /// Second frame.
    pub to: String,
    /// The distance, m, which may be a function of time; must be positive.
    pub length: Signal,
}

impl DescribedConstraint for Distance {
    const NAME: &str = "distance";
    const DOC: &str = "The origins of two frames keep a distance, which may be a function of time.";
    const ROWS: usize = 1;

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { from, to, length } = self;
        visitor.frame(&FROM, from);
        visitor.frame(&TO, to);
        let doc = "Distance; must be positive. A function of time models a hoist rope or a telescope.";
        visitor.motion(&Field::required("length", "m", doc), length);
    }

    fn faults(&self, faults: &mut Faults) {
        let length = &self.length;
        faults.motion("the distance", length);
        if length.is_finite() && length.controls().is_empty() && !length.varies() {
            let remedy = "for distance zero use a point constraint";
            faults.positive_quantity("length", "the distance", length.evaluate(0.0)[0], remedy);
        }
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ConstraintElement> {
        let (length, signal) = match self.length.varies() {
            true => (0.0, Some(self.length.clone())),
            false => (self.length.evaluate(0.0)[0], None),
        };
        let pair = Pair {
            from: to.frame(&self.from)?,
            to: to.frame(&self.to)?,
            rows: vec![PairRow::Distance { length }],
            length: signal,
        };
        Some(pair.into())
    }
}

/// Constructors.
impl Constraint {
    /// The origins of two frames keep a distance, m: a number or a function of time.
    pub fn distance(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        length: impl Into<Signal>,
    ) -> Self {
        let (from, to, length) = (from.into(), to.into(), length.into());
        Self::new(name, ConstraintKind::Distance(Distance { from, to, length }))
    }
}
