//! How many directions of dual numbers are evaluated at once, and what that costs.

use holonom_dae::cost;

/// Directions of the next evaluation when so many are left. The dearest part of an evaluation is what does not
/// depend on its width, so that one of twelve costs less than one of eight and one of four; but two of eight cost
/// less than one of twelve and one of four.
pub(crate) fn pack_width(left: usize) -> usize {
    match left {
        0..=4 => 4,
        5..=8 | 13..=16 => 8,
        _ => 12,
    }
}

/// What a Jacobian of this many groups costs with dual numbers, in plain residuals.
pub fn cost_of_packs(groups: usize) -> f64 {
    let mut left = groups;
    let mut sum = 0.0;
    while left > 0 {
        let width = pack_width(left);
        sum += match width {
            4 => cost::DUAL4,
            8 => cost::DUAL8,
            _ => cost::DUAL12,
        };
        left = left.saturating_sub(width);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_cost_less_than_differences_from_three_groups_on() {
        for groups in 1..200 {
            let saved = groups as f64 - cost_of_packs(groups);
            assert!(if groups < 3 { saved >= -1.5 } else { saved > 0.0 }, "{groups}");
        }
        assert_eq!(cost_of_packs(0), 0.0);
        assert_eq!(cost_of_packs(8), cost::DUAL8);
        assert_eq!(cost_of_packs(13), 2.0 * cost::DUAL8);
        assert_eq!(cost_of_packs(12), cost::DUAL12);
        assert_eq!(cost_of_packs(25), cost::DUAL12 + 2.0 * cost::DUAL8);
    }
}
