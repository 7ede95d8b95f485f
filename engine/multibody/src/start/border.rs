//! Where independence ends: how large the part of a row that the others do not imply must be.
//!
//! Data with errors of relative size δ turn a dependent row into one with an independent part of a few δ,
//! and leave the loop open by as much. The border is drawn between the smallest part that the geometry
//! makes and the largest that the errors make: where the ratio of neighbours is largest.

/// Independent parts up to this many times the error of the data always count as errors.
const ERRORS: f64 = 3.0;

/// Independent parts above this many times the error of the data never do.
const CLEAR: f64 = 3000.0;

/// Gaps up to this many times the error of the data may come from it.
const GAP: f64 = 100.0;

/// Errors that are not seen may be this part of those assumed.
const UNSEEN: f64 = 0.01;

/// A border is in doubt where another one has this part of its ratio.
const DOUBT: f64 = 0.1;

/// The border between independent and dependent rows for data of some relative error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Border {
    precision: f64,
}

impl Border {
    pub fn new(precision: f64) -> Self {
        Self { precision }
    }

    /// Gap of a closed loop that errors of the data explain.
    pub fn enough(&self) -> f64 {
        GAP * self.precision
    }

    /// How many of the lengths, longest first, belong to independent rows where the loops stay open by
    /// `gap`; and the other number that is nearly as likely, which is the same where there is no doubt.
    pub fn independent(&self, lengths: &[f64], gap: f64) -> (usize, usize) {
        let above = |limit: f64| lengths.iter().take_while(|x| **x > limit).count();
        let (least, most) = (above(CLEAR * self.precision), above(ERRORS * self.precision));
        let errors = gap.clamp(UNSEEN * self.precision, ERRORS * self.precision);
        let ratio = |k: usize| {
            let upper = if k == 0 { 1.0 } else { lengths[k - 1] };
            upper / lengths.get(k).copied().unwrap_or(0.0).max(errors)
        };
        let largest = |k: &usize, l: &usize| ratio(*k).total_cmp(&ratio(*l)).then(l.cmp(k));
        let best = (least..=most).max_by(largest).unwrap_or(least);
        let second = (least..=most).filter(|k| *k != best).max_by(largest);
        let second = second.filter(|k| ratio(*k) > DOUBT * ratio(best));
        (best, second.unwrap_or(best))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn border_follows_the_gap_in_the_lengths() {
        let border = Border::new(1e-6);
        // Rounding, six digits, structural zeros after them.
        assert_eq!(border.independent(&[1.0, 0.3, 1e-15], 1e-15), (2, 2));
        assert_eq!(border.independent(&[1.0, 0.3, 2e-5, 1e-5], 3e-5), (2, 2));
        assert_eq!(border.independent(&[5e-6, 0.0], 5e-6), (0, 0));
        assert_eq!(border.independent(&[1.0, 1.0, 5e-6], 0.0), (2, 2));
        // Small, but of the geometry: the loops close.
        assert_eq!(border.independent(&[1.0, 2e-3, 1e-15], 1e-15), (2, 2));
        assert_eq!(border.independent(&[1.0, 4e-3, 2e-6], 1e-6), (2, 2));
        // In doubt.
        assert_eq!(border.independent(&[1.0, 2e-4, 1e-15], 1e-15), (2, 1));
        assert_eq!(border.independent(&[1.0, 5e-5, 0.0], 0.0), (1, 2));
        // Data known better or worse.
        assert_eq!(Border::new(1e-12).independent(&[1.0, 1e-6], 1e-6), (2, 2));
        assert_eq!(Border::new(1e-3).independent(&[1.0, 2e-3], 2e-3), (1, 1));
    }
}
