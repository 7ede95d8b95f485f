//! Forces that push but never pull.

use holonom_algebra::Real;

/// A spring that begins softly at deflection zero, in units of its stiffness.
#[derive(Clone, Copy, Debug)]
pub(super) struct SoftStart<T> {
    /// w g(δ/w): the force.
    pub force: T,
    /// g′(δ/w): the part of the full stiffness that acts.
    pub share: T,
    /// w² ∫g: the energy.
    pub energy: T,
}

/// The stiffness grows from zero at δ = 0 to its full value at δ = w by g′ = 3 s² − 2 s³ with
/// s = δ/w; the force g = s³ − s⁴/2, from s = 1 on s − 1/2, has a continuous second derivative.
#[inline]
pub(super) fn soft_start<T: Real>(deflection: T, width: f64) -> SoftStart<T> {
    let s = deflection * (1.0 / width);
    let zero = T::zero();
    let within = T::select(s.value() > 0.0, s, zero);
    let full = s.value() >= 1.0;
    let (square, cube) = (within.square(), within.square() * within);
    SoftStart {
        force: T::select(full, s - 0.5, cube - cube * within * 0.5) * width,
        share: T::select(full, T::one(), square * 3.0 - cube * 2.0),
        energy: T::select(
            full,
            (s.square() - s) * 0.5 + 0.15,
            square.square() * 0.25 - square * cube * 0.1,
        ) * (width * width),
    }
}

/// The sum of an elastic force ≥ 0 and a viscous one, as long as it pushes.
///
/// Where the viscous part d takes away more than half of the elastic part e, the sum goes over into
/// e (d/e + 3/2)²/2, which reaches zero with slope zero at d = −3e/2: continuous with its first
/// derivatives, never negative, and with the sum's sign of dissipation.
#[inline]
pub(super) fn one_sided<T: Real>(elastic: T, viscous: T) -> T {
    let (e, d) = (elastic.value(), viscous.value());
    let bent = (viscous / elastic + 1.5).square() * elastic * 0.5;
    // Without elastic force there is none.
    let released = T::select(e > 0.0 && d > -1.5 * e, bent, T::zero());
    T::select(d >= -0.5 * e && e > 0.0, elastic + viscous, released)
}

/// On which of its pieces [`soft_start`] is.
pub(super) fn piece_of_start(deflection: f64, width: f64) -> u64 {
    u64::from(deflection > 0.0) + u64::from(deflection >= width)
}

/// On which of its pieces [`one_sided`] is.
pub(super) fn piece_of_push(elastic: f64, viscous: f64) -> u64 {
    match elastic > 0.0 {
        true => u64::from(viscous < -0.5 * elastic) + u64::from(viscous <= -1.5 * elastic),
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use holonom_algebra::Dual4;

    #[test]
    fn smooth_and_never_pulling() {
        let h = 1e-7;
        for k in -20..40 {
            let x = 0.05 * f64::from(k);
            let s = soft_start(Dual4::variable(x, 0), 0.8);
            assert!((s.energy.derivative(0) - s.force.value()).abs() < 1e-14);
            assert!((s.force.derivative(0) - s.share.value()).abs() < 1e-14);
            let (before, after) = (soft_start(x - h, 0.8), soft_start(x + h, 0.8));
            assert!((after.share - before.share).abs() < 1e-6);
            for e in [0.0, 1e-300, 1.0] {
                let f = one_sided(Dual4::variable(e, 0), Dual4::variable(-x * e, 1));
                assert!(f.is_finite() && f.value() >= 0.0, "{e} {x}");
                let f = |d: f64| one_sided(e, d);
                assert!((f(h - x) - f(-h - x)).abs() <= 2.0001 * h);
            }
        }
        assert_eq!(one_sided(1.0, 2.0), 3.0);
        assert_eq!(one_sided(1.0, -2.0), 0.0);
        // The derivative is continuous at both ends of the bend.
        for d in [-1.5, -0.5] {
            let slope = |d: f64| {
                let f = one_sided(Dual4::variable(1.0, 0), Dual4::variable(d, 1));
                [f.derivative(0), f.derivative(1)]
            };
            let (a, b) = (slope(d - 1e-9), slope(d + 1e-9));
            assert!((a[0] - b[0]).abs() < 1e-8 && (a[1] - b[1]).abs() < 1e-8);
        }
    }
}
