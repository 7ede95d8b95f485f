//! Largest deviations, which are not a number as soon as one deviation is not.
//!
//! `f64::max` ignores what is not a number, so that a maximum over deviations of which all are NaN is the value it began
//! with: a test that compares it with a bound passes.

/// The largest of the absolute values, NaN if one of them is NaN, 0 if there are none.
///
/// ```
/// use holonom_testing::largest;
/// assert_eq!(largest([1.0, -3.0]), 3.0);
/// assert!(largest([1.0, f64::NAN, 2.0]).is_nan());
/// ```
pub fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut all = Largest::default();
    values.into_iter().for_each(|x| all.add(x));
    all.value()
}

/// A maximum that grows with each deviation added to it.
///
/// ```
/// use holonom_testing::Largest;
/// let mut worst = Largest::default();
/// worst.add(-2.0);
/// worst.add(1.0);
/// assert_eq!(worst.value(), 2.0);
/// worst.add(f64::NAN);
/// worst.add(1.0);
/// assert!(worst.value().is_nan());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Largest(f64);

impl Largest {
    /// Adds the absolute value of a deviation.
    pub fn add(&mut self, x: f64) {
        let x = x.abs();
        if x.is_nan() || x > self.0 {
            // Nothing is greater than a NaN, so that it stays.
            self.0 = x;
        }
    }

    /// The largest so far.
    pub fn value(self) -> f64 {
        self.0
    }
}
