//! Orders that rounding does not change.

/// Sizes that differ by less than this part are equal: far above what symmetric parts of a mechanism differ by in
/// rounding, and nothing that a reader could tell apart.
pub(crate) const EQUAL: f64 = 1e-6;

/// The place of every size among all of them, from zero; sizes that are equal but for rounding share one.
///
/// Places are split where neighbours are apart, so that no size is compared with one that is itself chosen by rounding.
///
/// ```
/// use holonom_analysis::order::places;
/// assert_eq!(places(&[3.0, 1.0 + 1e-12, 2.0, 1.0]), [2, 0, 1, 0]);
/// ```
pub fn places(sizes: &[f64]) -> Vec<usize> {
    places_by(sizes, |low, high| high - low > EQUAL * low.abs().max(high.abs()))
}

/// The same with another rule of what is apart.
pub(crate) fn places_by(values: &[f64], is_apart: impl Fn(f64, f64) -> bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut places = vec![0; values.len()];
    for pair in order.windows(2) {
        let step = usize::from(is_apart(values[pair[0]], values[pair[1]]));
        places[pair[1]] = places[pair[0]] + step;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_changes_no_place() {
        let sizes = [0.34, 1.0, 0.34, 0.0, 0.33, 0.34, 1e-300, 0.0];
        let exact = places(&sizes);
        assert_eq!(exact, [3, 4, 3, 0, 2, 3, 1, 0]);
        for k in 0..sizes.len() {
            for off in [1e-15, -1e-15, 1e-10, -1e-10] {
                let mut other = sizes;
                other[k] *= 1.0 + off;
                assert_eq!(places(&other), exact, "{k} {off}");
            }
        }
        assert!(places(&[]).is_empty());
    }
}
