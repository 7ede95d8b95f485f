//! Row equilibration by powers of two, and what counts as a vanishing pivot.
//!
//! Iteration matrices of index-3 equations mix rows of size 1/h² with rows of size 1, and partial
//! pivoting compares entries of different rows: without scaling it compares units. Each row gets
//! the power of two that brings its largest magnitude into [1, 2). The solvers use the factors
//! *only to compare*; elimination works on the unscaled rows. As a power of two commutes with
//! rounding, that gives the very bits of scaling first and unscaling afterwards, and neither the
//! matrix nor a right-hand side has to be multiplied [Forsythe, Moler 1967].

/// Smallest [`magnitude`] that is not a finite number.
pub(super) const NOT_FINITE: i64 = 0x7ff << 52;

/// |x| as an integer in the order of |x|, with infinity and NaN above all finite numbers.
///
/// One integer maximum then finds the largest entry and whether all are finite.
#[inline(always)]
pub(super) fn magnitude(x: f64) -> i64 {
    (x.to_bits() & (u64::MAX >> 1)) as i64
}

/// The power of two which scales a row whose largest entry has this magnitude into [1, 2).
///
/// A zero row keeps 1. At the ends of the exponent range the result is within a factor of four.
#[inline(always)]
pub(super) fn power_of_two(largest: i64) -> f64 {
    let exponent = largest >> 52;
    if largest == 0 {
        1.0
    } else {
        f64::from_bits(((2046 - exponent).max(1) as u64) << 52)
    }
}

/// Largest ratio of a pivot to its column of the scaled matrix at which it counts as zero.
///
/// An exactly singular matrix leaves rounding errors of some √n·ε there. The bound grows no further
/// than for n = 64: a stiff spring beside a light body leaves honest pivots of 10⁻¹³, and calling
/// them zero costs a step, while a solution from a doubtful matrix is only a poor Newton
/// correction.
pub(super) fn zero_pivot_ratio(n: usize) -> f64 {
    4.0 * f64::EPSILON * (n.clamp(1, 64) as f64).sqrt()
}

/// The larger one; the first when the second is NaN. One instruction, unlike `f64::max`.
#[inline(always)]
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// a·b + c in one rounding where the processor has it, in two elsewhere (never a library call).
#[inline(always)]
pub(super) fn fused(a: f64, b: f64, c: f64) -> f64 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
        a.mul_add(b, c)
    } else {
        a * b + c
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaled_rows_lie_between_one_and_two() {
        for x in [1.0, -1.5, 3.0e-200, 7.0e250, 1.0e-8, 0.999] {
            let scaled = power_of_two(magnitude(x)) * x.abs();
            assert!((1.0..2.0).contains(&scaled), "{x} became {scaled}");
        }
        assert_eq!(power_of_two(0), 1.0);
        assert!(power_of_two(magnitude(f64::MAX)) * f64::MAX < 4.0);
        assert!(power_of_two(magnitude(5e-324)).is_finite());
    }

    #[test]
    fn magnitudes_are_ordered() {
        assert!(magnitude(-2.0) > magnitude(1.0));
        assert!(magnitude(f64::MAX) < NOT_FINITE);
        assert!(magnitude(f64::NEG_INFINITY) >= NOT_FINITE && magnitude(-f64::NAN) >= NOT_FINITE);
    }
}
