//! What happens where two surfaces press on each other.

use super::ShownValue;
use super::one_sided::one_sided;
use crate::elements::constraints::relative::Relative;
use crate::elements::faults::Faults;
use crate::elements::scene::Loads;
use crate::fields::{Field, Fields};
use holonom_algebra::{Real, Twist, Vec3, Wrench};

/// Numbers of a contact by penalty.
///
/// The normal force of the depth δ is F = k δⁿ (1 + 3/2 χ δ̇) as long as it pushes: K. H. Hunt,
/// F. R. E. Crossley, J. Appl. Mech. 42 (1975) 440–445; 1 − χ v is then about the coefficient of
/// restitution of an impact at the speed v. Where the bracket falls below 1/2 it goes over into
/// (3/2 χ δ̇ + 3/2)²/2 and to zero, smoothly. Friction is −μ F v_t/√(v_t² + v_s²) against the sliding
/// velocity v_t: it creeps at standstill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLaw {
    /// Stiffness k, N/mⁿ.
    pub stiffness: f64,
    /// Exponent n; 3/2 (Hertz) unless given.
    pub exponent: f64,
    /// Dissipation χ, s/m.
    pub dissipation: f64,
    /// Coefficient of friction μ.
    pub friction: f64,
    /// Sliding speed v_s below which friction is reduced, m/s; 0.01 unless given.
    pub slip_speed: f64,
}

/// Part of the size of bodies below which a contact that is passed within a step may be missed.
pub(super) const NOTICED: f64 = 1e-3;

impl Default for ContactLaw {
    fn default() -> Self {
        Self {
            stiffness: 0.0,
            exponent: 1.5,
            dissipation: 0.0,
            friction: 0.0,
            slip_speed: 0.01,
        }
    }
}

impl ContactLaw {
    /// Shows its fields.
    pub(super) fn fields(&mut self, visitor: &mut dyn Fields) {
        let doc = "Stiffness k in F = k δⁿ, in N/m to the power of the exponent.";
        visitor.number(&Field::required("stiffness", "", doc), &mut self.stiffness);
        let doc = "Exponent n of the depth: 1.5 for curved surfaces (Hertz), 1 for flat ones.";
        visitor.number(&Field::optional("exponent", "", doc), &mut self.exponent);
        let doc = "Dissipation χ: about (1 − restitution)/(impact speed).";
        visitor.number(&Field::optional("dissipation", "s/m", doc), &mut self.dissipation);
        visitor.number(
            &Field::optional("friction", "", "Coefficient of friction."),
            &mut self.friction,
        );
        let doc = "Sliding speed below which friction is reduced towards zero.";
        visitor.number(&Field::optional("slip_speed", "m/s", doc), &mut self.slip_speed);
    }

    /// What is wrong with it.
    pub(crate) fn faults(&self, faults: &mut Faults) {
        let n = self.exponent;
        faults.positive("stiffness", self.stiffness);
        faults.range(
            "exponent",
            n,
            n >= 1.0,
            "be at least 1",
            "choose 1.5 for round bodies or 1 for flat ones",
        );
        faults.not_negative("dissipation", self.dissipation);
        faults.not_negative("friction", self.friction);
        faults.positive("slip_speed", self.slip_speed);
    }

    /// Normal force ≥ 0 at a depth and its rate; zero without depth.
    pub fn normal<T: Real>(&self, depth: T, rate: T) -> T {
        let elastic = inside(depth).powf(self.exponent) * self.stiffness;
        one_sided(elastic, elastic * rate * (1.5 * self.dissipation))
    }

    /// The elastic force at a depth, and the number of the piece on which it is.
    pub(super) fn piece(&self, depth: f64) -> (f64, u64) {
        (self.normal(depth, 0.0), u64::from(depth > 0.0))
    }

    /// Energy stored at a depth: k δⁿ⁺¹/(n + 1).
    pub fn energy<T: Real>(&self, depth: T) -> T {
        let n = self.exponent + 1.0;
        inside(depth).powf(n) * (self.stiffness / n)
    }

    /// The force on the second body at a point where it moves with a velocity seen from the first;
    /// the unit vector `normal` points from the first to the second.
    pub fn force<T: Real>(&self, depth: T, normal: Vec3<T>, velocity: Vec3<T>) -> Vec3<T> {
        let (push, friction, _) = self.parts(depth, normal, velocity);
        normal.scale(push) + friction
    }

    /// Normal force, friction and the sliding velocity.
    fn parts<T: Real>(&self, depth: T, normal: Vec3<T>, velocity: Vec3<T>) -> (T, Vec3<T>, Vec3<T>) {
        let approach = -normal.dot(velocity);
        let push = self.normal(depth, approach);
        let sliding = velocity + normal.scale(approach);
        let speed = (sliding.norm_squared() + self.slip_speed * self.slip_speed).sqrt();
        (push, -sliding.scale(push * self.friction / speed), sliding)
    }
}

/// From a centre or an axis to the middle between its surface and another one that is `depth` deep in it:
/// there both bodies feel the same force at the same point, whichever comes first.
pub(super) fn between<T: Real>(radius: f64, depth: T) -> T {
    depth * -0.5 + radius
}

/// The depth, zero outside.
fn inside<T: Real>(depth: T) -> T {
    T::select(depth.value() > 0.0, depth, T::zero())
}

/// The sum of what acts at several points of the second body.
pub(super) struct Touching<'r, 'a, T: Real> {
    relative: &'r Relative<'a, T>,
    velocity: Twist<T>,
    load: Wrench<T>,
    /// Sum of the normal forces.
    pressed: T,
    /// Depth and sliding velocity of the deepest point.
    deepest: Option<(T, Vec3<T>)>,
}

/// What contacts show, in the order of [`Touching::show`].
pub(super) fn outputs() -> Vec<ShownValue> {
    let show = |name, unit, doc| ShownValue { name, unit, doc };
    vec![
        show(
            "depth",
            "m",
            "depth of the deepest point; negative values are the distance while there is no contact",
        ),
        show("normal_force", "N", "sum of the normal forces of all points"),
        show(
            "sliding",
            "m/s",
            "sliding speed at the deepest point, of the second body against the first",
        ),
    ]
}

impl<'r, 'a, T: Real> Touching<'r, 'a, T> {
    /// Nothing so far.
    pub fn new(relative: &'r Relative<'a, T>) -> Self {
        Self {
            relative,
            velocity: relative.velocity(),
            load: Wrench::zero(),
            pressed: T::zero(),
            deepest: None,
        }
    }

    /// Adds a point, given from the second origin.
    ///
    /// The rate of the depth is that of the point along the normal: the surfaces are such that
    /// moving the point on them does not change the depth.
    pub fn point(&mut self, law: &ContactLaw, depth: T, normal: Vec3<T>, point: Vec3<T>) {
        let velocity = self.velocity.linear + self.velocity.angular.cross(point);
        let (push, friction, sliding) = law.parts(depth, normal, velocity);
        let force = normal.scale(push) + friction;
        self.load += Wrench::new(point.cross(force), force);
        self.pressed += push;
        let deeper = |(most, _): (T, Vec3<T>)| depth.value() > most.value();
        if self.deepest.is_none_or(deeper) {
            self.deepest = Some((depth, sliding));
        }
    }

    /// Writes [`outputs`].
    pub fn show(self, out: &mut [T]) {
        let Some((depth, sliding)) = self.deepest else {
            return;
        };
        let square = sliding.norm_squared();
        // √ has no derivative at zero.
        let moves = square.value() > 0.0;
        let speed = T::select(moves, square, T::one()).sqrt();
        let values = [depth, self.pressed, T::select(moves, speed, T::zero())];
        out[..values.len()].copy_from_slice(&values);
    }

    /// Adds the sum to both bodies.
    pub fn finish(self, loads: &mut Loads<T>) {
        self.relative.add_load(&self.load, loads);
    }
}
