//! Where independence ends: how large the part of a row that the others do not imply must be.

/// Independent parts up to this many times the error of the data may come from it.
const NOISE: f64 = 3.0;

/// Independent parts above this many times the error of the data cannot come from it.
const CLEAR: f64 = 3000.0;

/// Gaps up to this many times the error of the data may come from it.
const GAP: f64 = 100.0;

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

    /// Whether a row would count the other way with slightly other data.
    pub fn is_doubtful(&self, length: f64, independent: bool) -> bool {
        match independent {
            true => length <= CLEAR * self.precision,
            false => length > 30.0 * self.precision,
        }
    }

    /// How many of the lengths, longest first, belong to independent rows. Between what is surely noise and
    /// what surely is not, the border is drawn where the ratio of neighbours is largest.
    pub fn independent(&self, lengths: &[f64]) -> usize {
        let above = |limit: f64| lengths.iter().take_while(|x| **x > limit).count();
        let (least, most) = (above(CLEAR * self.precision), above(NOISE * self.precision));
        let ratio = |k: usize| {
            let upper = if k == 0 { 1.0 } else { lengths[k - 1] };
            upper / lengths.get(k).copied().unwrap_or(0.0).max(f64::EPSILON)
        };
        let mut best = least;
        for k in least + 1..=most {
            if ratio(k) > ratio(best) {
                best = k;
            }
        }
        best
    }
}
