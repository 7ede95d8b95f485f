//! Times at which the solution is wanted.

/// Output times, ascending: a list, or a regular grid that takes no memory.
///
/// ```
/// use holonom_solver::OutputTimes;
/// let times = OutputTimes::every(0.0, 0.1, 2.0);
/// assert_eq!((times.len(), times.get(20)), (21, Some(2.0)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum OutputTimes {
    /// These times.
    List(Vec<f64>),
    /// first + i · step for i < count.
    Grid {
        /// The first time.
        first: f64,
        /// The time between two.
        step: f64,
        /// How many there are.
        count: usize,
    },
}

impl OutputTimes {
    /// A grid from `first` with the given step, up to `last` (a last one that rounding puts just
    /// beyond it is kept, at `last`).
    pub fn every(first: f64, step: f64, last: f64) -> Self {
        let steps = (last - first) / step;
        let count = if steps >= 0.0 && step > 0.0 {
            (steps * (1.0 + 1e-12) + 1e-9).floor() as usize + 1
        } else {
            0
        };
        // The same grid with a step that meets the end exactly, where it is meant to.
        let whole = (count - usize::from(count > 0)) as f64;
        let step = if whole > 0.0 && (steps - whole).abs() <= 1e-9 * whole.max(1.0) {
            (last - first) / whole
        } else {
            step
        };
        Self::Grid { first, step, count }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::List(times) => times.len(),
            Self::Grid { count, .. } => *count,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One of them.
    pub fn get(&self, index: usize) -> Option<f64> {
        match self {
            Self::List(times) => times.get(index).copied(),
            Self::Grid { first, step, count } => (index < *count).then(|| first + index as f64 * step),
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// How many are not later than `t`.
    pub fn not_after(&self, t: f64) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.get(middle).is_some_and(|at| at <= t) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Number and value of a time that is not finite or not after the one before it.
    pub(crate) fn disorder(&self) -> Option<(usize, f64)> {
        match self {
            Self::List(times) => {
                let bad = |&i: &usize| !times[i].is_finite() || (i > 0 && times[i] <= times[i - 1]);
                (0..times.len()).find(bad).map(|i| (i, times[i]))
            }
            Self::Grid { first, step, count } => {
                let last = first + (*count as f64) * step;
                let good = first.is_finite() && last.is_finite() && (*count < 2 || *first + *step > *first);
                (!good).then_some((0, *first))
            }
        }
    }
}

impl Default for OutputTimes {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

impl From<Vec<f64>> for OutputTimes {
    fn from(times: Vec<f64>) -> Self {
        Self::List(times)
    }
}

impl FromIterator<f64> for OutputTimes {
    fn from_iter<I: IntoIterator<Item = f64>>(times: I) -> Self {
        Self::List(times.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_meet_their_end() {
        for (step, end) in [(0.1, 1.0), (1e-3, 10.0), (1.0 / 3.0, 7.0), (0.3, 1.0), (2.0, 1.0)] {
            let times = OutputTimes::every(0.0, step, end);
            let last = times.get(times.len() - 1).expect("one at least");
            assert!(last <= end && end - last < step, "{step} {end}: {last}");
            assert_eq!(times.not_after(last), times.len());
            assert_eq!(times.not_after(-1.0), 0);
        }
        assert_eq!(OutputTimes::every(0.0, 0.1, 1.0).get(10), Some(1.0));
        assert!(OutputTimes::every(0.0, -1.0, 1.0).is_empty());
        assert!(OutputTimes::every(0.0, f64::NAN, 1.0).is_empty());
    }
}
