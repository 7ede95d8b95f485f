//! A sum of coordinates with factors is constant: gears, racks, belts, differentials.

use super::{ConstraintElement, ConstraintKind, CoordinateSum, DescribedConstraint};
use crate::fields::{Field, Fields};
use crate::description::{Constraint, CoordinateRef, Mirror};
use crate::elements::faults::Faults;
use crate::elements::references::Resolve;

/// Σ factor · coordinate = offset: gears, racks, belts. 1 row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coupling {
    /// Coordinates with their factors.
    pub terms: Vec<(CoordinateRef, f64)>,
    /// The right-hand side.
    pub offset: f64,
}

impl DescribedConstraint for Coupling {
    const NAME: &str = "coupling";
    const DOC: &str = "A weighted sum of coordinates is constant: gears, racks, belts, differentials.";
    const ROWS: usize = 1;

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { terms, offset } = self;
        visitor.terms(&Field::required("terms", "", "Coordinates and their factors."), terms);
        let doc = "Value of the sum, in the unit of the terms.";
        visitor.number(&Field::optional("offset", "", doc), offset);
    }

    fn faults(&self, faults: &mut Faults) {
        for (_, factor) in &self.terms {
            faults.finite_quantity("a factor", &[*factor]);
        }
        faults.finite_quantity("the offset", &[self.offset]);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ConstraintElement> {
        let mut sum = CoordinateSum {
            terms: Vec::with_capacity(self.terms.len()),
            offset: self.offset,
            signal: None,
            rate: false,
        };
        for (coordinate, factor) in &self.terms {
            let node = to.coordinate(coordinate)?;
            match to.locked(coordinate) {
                Some(position) => sum.offset -= factor * position,
                None => sum.terms.push((node, *factor)),
            }
        }
        Some(sum.into())
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        for (coordinate, factor) in &mut self.terms {
            *factor *= mirror.coordinate(coordinate);
        }
    }
}

/// Constructors.
impl Constraint {
    /// Σ factor · coordinate = offset.
    ///
    /// ```
    /// use holonom_multibody::description::Constraint;
    /// // A differential: the cage turns with the mean of both wheels.
    /// let terms = [("cage", 2.0), ("left", -1.0), ("right", -1.0)];
    /// let differential = Constraint::coupling("differential", terms, 0.0);
    /// ```
    pub fn coupling<C: Into<CoordinateRef>>(
        name: impl Into<String>,
        terms: impl IntoIterator<Item = (C, f64)>,
        offset: f64,
    ) -> Self {
        let terms = terms
            .into_iter()
            .map(|(coordinate, factor)| (coordinate.into(), factor))
            .collect();
        Self::new(name, ConstraintKind::Coupling(Coupling { terms, offset }))
    }

    /// Gears: first coordinate = ratio · second coordinate. The ratio is negative where the
    /// wheels turn against each other.
    pub fn gear(
        name: impl Into<String>,
        first: impl Into<CoordinateRef>,
        second: impl Into<CoordinateRef>,
        ratio: f64,
    ) -> Self {
        Self::coupling(name, [(first.into(), 1.0), (second.into(), -ratio)], 0.0)
    }

    /// Rack and pinion: displacement of the rack = radius · angle of the pinion, m.
    pub fn rack(
        name: impl Into<String>,
        rack: impl Into<CoordinateRef>,
        pinion: impl Into<CoordinateRef>,
        radius: f64,
    ) -> Self {
        Self::gear(name, rack, pinion, radius)
    }
}
