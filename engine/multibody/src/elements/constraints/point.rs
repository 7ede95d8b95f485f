//! The origins of two frames coincide.

use super::{ConstraintElement, ConstraintKind, DescribedConstraint, Pair, PairRow};
use crate::fields::{FROM, Fields, TO};
use crate::description::Constraint;
use crate::elements::references::Resolve;

/// The origins of two frames coincide: 3 rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// First frame.
    pub from: String,
    /// Second frame.
    pub to: String,
}

impl DescribedConstraint for Point {
    const NAME: &str = "point";
    const DOC: &str = "The origins of two frames coincide.";
    const ROWS: usize = 3;

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { from, to } = self;
        visitor.frame(&FROM, from);
        visitor.frame(&TO, to);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ConstraintElement> {
        let pair = Pair {
            from: to.frame(&self.from)?,
            to: to.frame(&self.to)?,
            rows: (0..3).map(|axis| PairRow::Along { axis }).collect(),
            length: None,
        };
        Some(pair.into())
    }
}

/// Constructors.
impl Constraint {
    /// The origins of two frames coincide.
    pub fn point(name: impl Into<String>, from: impl Into<String>, to: impl Into<String>) -> Self {
        let (from, to) = (from.into(), to.into());
        Self::new(name, ConstraintKind::Point(Point { from, to }))
    }
}
