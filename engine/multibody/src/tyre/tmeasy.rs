//! TMeasy.

use super::{Contact, Forces, LEAST_FRICTION, bounded};
use holonom_algebra::Real;

/// Characteristic in one direction: values at the nominal load and at twice that load.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TmeasyAxis {
    /// Slope dF⁰ at zero slip, N.
    pub slope: [f64; 2],
    /// Largest force F^M, N.
    pub peak_force: [f64; 2],
    /// Slip s^M at it.
    pub peak_slip: [f64; 2],
    /// Force F^S when sliding, N.
    pub sliding_force: [f64; 2],
    /// Slip s^S from which it slides.
    pub sliding_slip: [f64; 2],
}

/// G. Rill, Road Vehicle Dynamics, chapter 3: a characteristic of five numbers in each direction,
/// combined by normalised slips, and a pneumatic trail for the aligning moment. Forces and slopes
/// are interpolated by a parabola of the load, slips linearly.
///
/// The slips are Rill's, by the speed r_e |Ω| of the tread: s_x = κ/|1 + κ|, s_y = −tan α/|1 + κ| when
/// rolling forward. Near a locked wheel, |1 + κ| below 0.02, they stay finite. Camber thrust, bore torque and
/// overturning moment are not part of this implementation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tmeasy {
    /// Nominal load F_N, N.
    pub nominal_load: f64,
    /// Longitudinal characteristic.
    pub x: TmeasyAxis,
    /// Lateral characteristic.
    pub y: TmeasyAxis,
    /// Pneumatic trail at zero slip by the length of the contact.
    pub trail: [f64; 2],
    /// Lateral slip at which the trail passes zero.
    pub trail_zero: [f64; 2],
    /// Lateral slip from which there is no trail.
    pub trail_end: [f64; 2],
    /// Stiffness of the carcass along x, N/m: relaxation length dF⁰/c.
    pub stiffness_x: f64,
    /// Stiffness of the carcass along y, N/m.
    pub stiffness_y: f64,
}

/// Bounds of the load by the nominal one: Y(q) is a parabola with its top between 2 and ∞.
const BOUNDS: [f64; 2] = [1e-3, 3.5];

/// Part of the slip s^M within which directions are blended.
const BLEND: f64 = 1e-4;

/// |1 + κ| below which it is rounded, to half of this at zero.
const LOCKED: f64 = 0.02;

/// r_e |Ω| by |V_x|.
fn tread_speed<T: Real>(contact: &Contact<T>) -> T {
    let x = (contact.rolling * contact.kappa + 1.0).abs();
    let rounded = (x.square() + LOCKED * LOCKED) * (0.5 / LOCKED);
    T::select(x.value() < LOCKED, rounded, x)
}

/// The parabola through zero with values at q = 1 and q = 2.
fn by_load<T: Real>(q: T, [one, two]: [f64; 2]) -> T {
    q * ((q * (0.5 * two - one)) + (2.0 * one - 0.5 * two))
}

fn by_load_linear<T: Real>(q: T, [one, two]: [f64; 2]) -> T {
    (q - 1.0) * (two - one) + one
}

/// Characteristic of a direction at a load.
#[derive(Clone, Copy)]
struct Values<T> {
    slope: T,
    peak_force: T,
    peak_slip: T,
    sliding_force: T,
    sliding_slip: T,
}

impl TmeasyAxis {
    /// Friction scales the forces and the slips that belong to them; the slope stays.
    fn at<T: Real>(&self, q: T, friction: f64) -> Values<T> {
        Values {
            slope: by_load(q, self.slope),
            peak_force: by_load(q, self.peak_force) * friction,
            peak_slip: by_load_linear(q, self.peak_slip) * friction,
            sliding_force: by_load(q, self.sliding_force) * friction,
            sliding_slip: by_load_linear(q, self.sliding_slip) * friction,
        }
    }
}

/// F(s)/s for s ≥ 0.
fn secant<T: Real>(s: T, v: &Values<T>) -> T {
    let sigma = s / v.peak_slip;
    let rising = v.slope / (sigma * (sigma + v.slope * v.peak_slip / v.peak_force - 2.0) + 1.0);
    let at = (s - v.peak_slip) / (v.sliding_slip - v.peak_slip);
    let falling = (v.peak_force - (v.peak_force - v.sliding_force) * at * at * (at * -2.0 + 3.0)) / s;
    let sliding = v.sliding_force / s;
    let later = T::select(at.value() < 1.0, falling, sliding);
    T::select(s.value() <= v.peak_slip.value(), rising, later)
}

impl Tmeasy {
    /// Forces at a contact.
    pub fn forces<T: Real>(&self, contact: &Contact<T>) -> Forces<T> {
        let n = self.nominal_load;
        let (load, share) = bounded(contact.load, BOUNDS.map(|b| b * n));
        let q = load / n;
        let friction = contact.friction.max(LEAST_FRICTION);
        let (x, y) = (self.x.at(q, friction), self.y.at(q, friction));
        // Normalising factors: both curves look alike over the normalised slip.
        let (ex, ey) = (x.peak_force / x.slope, y.peak_force / y.slope);
        let hx = x.peak_slip / (x.peak_slip + y.peak_slip) + ex / (ex + ey);
        let hy = y.peak_slip / (x.peak_slip + y.peak_slip) + ey / (ex + ey);
        let tread = tread_speed(contact);
        let (along, across) = (contact.kappa / tread, contact.lateral / tread);
        let (sx, sy) = (along / hx, -across / hy);
        let blend = BLEND * (x.peak_slip.value() + y.peak_slip.value());
        let (sx2, sy2) = (sx.square(), sy.square());
        let square = sx2 + sy2;
        let wide = square + blend * blend;
        // Squares of the direction's cosines; the limit at zero slip is between the two.
        let (cx, cy) = (
            (sx2 + 0.5 * blend * blend) / wide,
            (sy2 + 0.5 * blend * blend) / wide,
        );
        let mix = |a: T, b: T| (a.square() * cx + b.square() * cy).sqrt();
        let both = Values {
            slope: mix(x.slope * hx, y.slope * hy),
            peak_force: mix(x.peak_force, y.peak_force),
            peak_slip: mix(x.peak_slip / hx, y.peak_slip / hy),
            sliding_force: mix(x.sliding_force, y.sliding_force),
            sliding_slip: mix(x.sliding_slip / hx, y.sliding_slip / hy),
        };
        let ratio = secant(wide.sqrt(), &both);
        // Near zero each direction has its own slope.
        let known = square / wide;
        let longitudinal = along * (x.slope + (ratio / hx - x.slope) * known);
        let lateral = -across * (y.slope + (ratio / hy - y.slope) * known);
        let trail = self.trail_by_length(q, across) * contact.patch;
        Forces {
            longitudinal,
            lateral,
            overturning: T::zero(),
            resistance: T::zero(),
            aligning: -trail * lateral * contact.rolling,
            gyration: T::zero(),
        }
        .scaled(share)
    }

    /// n/L: up to the slip s₀ where it passes zero (1 − w) (1 − s) + w (1 − (3 − 2s) s²) with s = |s_y|/s₀ and
    /// w = s₀/s_E, beyond −(1 − w) (|s_y| − s₀)/s₀ ((s_E − |s_y|)/(s_E − s₀))², and nothing from s_E on.
    fn trail_by_length<T: Real>(&self, q: T, lateral: T) -> T {
        let zero = by_load_linear(q, self.trail_zero);
        let end = by_load_linear(q, self.trail_end);
        let first = by_load_linear(q, self.trail);
        let slip = lateral.abs();
        let w = zero / end;
        let s = slip / zero;
        let before = (-w + 1.0) * (-s + 1.0) + w * (-(s * -2.0 + 3.0) * s * s + 1.0);
        let beyond = -(-w + 1.0) * (s - 1.0) * ((end - slip) / (end - zero)).square();
        let beyond = T::select(slip.value() < end.value(), beyond, T::zero());
        first * T::select(slip.value() <= zero.value(), before, beyond)
    }

    /// Relaxation lengths dF⁰/c along x and y, m.
    pub fn relaxation<T: Real>(&self, load: T) -> [T; 2] {
        let (load, _) = bounded(load, BOUNDS.map(|b| b * self.nominal_load));
        let q = load / self.nominal_load;
        [
            by_load(q, self.x.slope) / self.stiffness_x,
            by_load(q, self.y.slope) / self.stiffness_y,
        ]
    }
}
