//! What a system says of a state that a method has accepted, and of functions of time.

use serde::{Deserialize, Serialize};

/// What looking at an accepted state came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Everything goes on as it is.
    Same,
    /// Equations have taken the place of others that say the same: unknowns that went with them mean something
    /// else now, and [`System::carry`](crate::System::carry) tells what.
    Exchanged {
        /// The state does not satisfy the new ones to the tolerance and has to be made consistent.
        restart: bool,
    },
}

/// How far a state is from the constraints that the equations keep, in tolerances.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Misfit {
    /// Largest violation of a condition on positions; none where the equations do not keep them.
    pub positions: Option<f64>,
    /// Largest violation of a condition on velocities.
    pub velocities: f64,
}

/// How far a law is from acting, such as that of two bodies that do not touch yet.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    /// Distance until the law acts; negative where it does, by the depth.
    pub distance: f64,
    /// An upper bound on the present rate of that distance, without a sign.
    pub speed: f64,
    /// The depth from which on it matters that the law acts.
    pub depth: f64,
}

impl Gap {
    /// A law that cannot act for the time being.
    pub const NONE: Self = Self {
        distance: f64::MAX,
        speed: 0.0,
        depth: f64::MAX,
    };
}

/// A position where constraints lose rank.
#[derive(Clone, Debug, PartialEq)]
pub struct SingularPosition {
    /// The constraints, named.
    pub constraints: String,
    /// The coordinates there, with their values.
    pub coordinates: String,
}

/// A function of time over a span, known at so many places that nothing of it is hidden between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    /// The places, ascending.
    pub times: Vec<f64>,
    /// The values there.
    pub values: Vec<f64>,
    /// By how much they vary.
    pub variation: f64,
}

impl Survey {
    /// A function by its values at some times.
    pub fn new(times: Vec<f64>, values: Vec<f64>) -> Self {
        let known = || values.iter().copied().filter(|x| x.is_finite());
        let variation = known().fold(f64::NEG_INFINITY, f64::max) - known().fold(f64::INFINITY, f64::min);
        Self {
            variation: variation.max(0.0),
            times,
            values,
        }
    }

    /// Whether the function is constant from the place before these to the one after them, but for rounding.
    pub fn is_constant_across(&self, places: core::ops::Range<usize>) -> bool {
        let first = places.start.saturating_sub(1);
        let last = (places.end + 1).min(self.values.len());
        let values = self.values.get(first..last).unwrap_or(&[]);
        let size = values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let level = values.first().copied().unwrap_or(0.0);
        values
            .iter()
            .all(|x| (x - level).abs() <= 16.0 * f64::EPSILON * size)
    }

    /// The numbers of the places between two instants.
    pub fn between(&self, from: f64, to: f64) -> core::ops::Range<usize> {
        let first = self.times.partition_point(|t| *t <= from);
        let count = self.times[first..].partition_point(|t| *t < to);
        first..first + count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_up_is_constant_after_its_end() {
        let survey = Survey::new(
            vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
            vec![0.0, 2.0, 4.0, 4.0, 4.0, 4.0],
        );
        assert!(survey.is_constant_across(survey.between(2.5, 4.5)));
        assert!(survey.is_constant_across(survey.between(3.5, 6.0)));
        assert!(!survey.is_constant_across(survey.between(1.5, 4.5)));
        assert!(!survey.is_constant_across(survey.between(0.5, 1.5)));
    }
}

/// What equations may hide between the places where they were evaluated, besides their
/// [`excitations`](crate::System::excitations).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hidden {
    /// Nothing: all functions of time are among the excitations, and what depends on the state has no narrow features.
    Nothing,
    /// Narrow features of the state, such as bumps of a road, known by [`places`](crate::System::places).
    Places,
    /// Nobody knows: a look ahead of long steps in which nothing moves.
    #[default]
    Unknown,
}
