//! Friction on one coordinate of a joint.

use super::{DescribedForce, ForceElement, ForceKind, ForceLaw, Reach, ShownValue};
use crate::fields::{Field, Fields};
use crate::description::{CoordinateRef, Force, Mirror};
use crate::elements::constraints::relative::Relative;
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, JointCoordinate, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use core::ops::Range;
use holonom_algebra::{Real, Vec3, Wrench};

/// τ = −[τ₀ + r μ N + (Δτ + r Δμ N) exp(−(v/v_s)²)] tanh(v/v_t) − c v on a coordinate with velocity v, where
/// r = 1 for displacements. N = N₀ + |F|²/√(|F|² + ε²), where F is the force that a cut joint transmits: the
/// multipliers of its rows that keep points together.
///
/// The hyperbolic tangent replaces the jump at v = 0: nothing sticks, the coordinate creeps with |v| below v_t. Rows
/// that were dropped as redundant have no multiplier and do not contribute to F.
#[derive(Clone, Debug, PartialEq)]
pub struct JointFriction<R: References = Attached> {
    /// Where it acts.
    pub coordinate: R::JointCoordinate,
    /// Coulomb friction τ₀, N m or N.
    pub friction: f64,
    /// Δτ: additional friction near zero velocity, N m or N.
    pub stribeck_friction: f64,
    /// Coefficient of sliding friction μ.
    pub coefficient: f64,
    /// Δμ: additional coefficient near zero velocity.
    pub stribeck: f64,
    /// v_s > 0.
    pub stribeck_velocity: f64,
    /// v_t > 0.
    pub transition_velocity: f64,
    /// Damping c.
    pub viscous: f64,
    /// Constant normal force N₀.
    pub normal_force: f64,
    /// Adds the force F that the joint transmits to the normal force. Only a cut joint has it as an unknown: the joint
    /// is cut for it.
    pub from_reaction: bool,
    /// Radius r at which the friction on an angle acts; displacements do not have it.
    pub radius: f64,
}

impl Default for JointFriction<Named> {
    fn default() -> Self {
        Self {
            coordinate: CoordinateRef::default(),
            friction: 0.0,
            stribeck_friction: 0.0,
            coefficient: 0.0,
            stribeck: 0.0,
            stribeck_velocity: 0.01,
            transition_velocity: 1e-3,
            viscous: 0.0,
            normal_force: 0.0,
            from_reaction: false,
            radius: 1.0,
        }
    }
}

impl DescribedForce for JointFriction<Named> {
    const NAME: &str = "joint-friction";
    const DOC: &str = "Friction on one coordinate of a joint: regularised Coulomb and Stribeck friction, and viscous friction.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self {
            coordinate,
            friction,
            stribeck_friction,
            coefficient,
            stribeck,
            stribeck_velocity,
            transition_velocity,
            viscous,
            normal_force,
            from_reaction,
            radius,
        } = self;
        let doc = "Coordinate on which it acts.";
        visitor.coordinate(&Field::required("coordinate", "", doc), coordinate);
        let doc = "Coulomb friction torque or force; specify this or `coefficient`, or both.";
        visitor.number(&Field::optional("friction", "N m or N", doc), friction);
        let doc = "Additional friction torque or force near zero velocity.";
        visitor.number(&Field::optional("stribeck_friction", "N m or N", doc), stribeck_friction);
        let doc = "Coefficient of sliding friction, which multiplies the normal force.";
        visitor.number(&Field::optional("coefficient", "1", doc), coefficient);
        let doc = "Additional coefficient of friction near zero velocity.";
        visitor.number(&Field::optional("stribeck", "1", doc), stribeck);
        let doc = "Velocity at which the additional friction has decreased to 1/e.";
        visitor.number(
            &Field::optional("stribeck_velocity", "rad/s or m/s", doc),
            stribeck_velocity,
        );
        let doc = "Velocity below which the friction decreases smoothly to zero instead of jumping.";
        visitor.number(
            &Field::optional("transition_velocity", "rad/s or m/s", doc),
            transition_velocity,
        );
        let doc = "Additional damping.";
        visitor.number(&Field::optional("viscous", "N m s/rad or N s/m", doc), viscous);
        let doc = "Constant normal force.";
        visitor.number(&Field::optional("normal_force", "N", doc), normal_force);
        let doc = "Add the joint's reaction force to the normal force; this requires the joint to be cut.";
        visitor.flag(&Field::optional("from_reaction", "", doc), from_reaction);
        let doc = "Radius at which the friction acts, for an angle.";
        visitor.number(&Field::optional("radius", "m", doc), radius);
    }

    fn faults(&self, faults: &mut Faults) {
        faults.finite_quantity("the friction", &[self.friction, self.stribeck_friction]);
        faults.finite_quantity("the coefficient of friction", &[self.coefficient, self.stribeck]);
        faults.positive_quantity("stribeck_velocity", "the Stribeck velocity", self.stribeck_velocity, "correct it");
        faults.positive_quantity("transition_velocity", "the transition velocity", self.transition_velocity, "correct it");
        faults.finite_quantity("the viscous damping", &[self.viscous]);
        faults.finite_quantity("the normal force", &[self.normal_force]);
        faults.positive_quantity("radius", "the radius", self.radius, "correct it");
        let pressed = self.normal_force != 0.0 || self.from_reaction;
        faults.require(
            pressed || (self.coefficient == 0.0 && self.stribeck == 0.0),
            "coefficient",
            "the coefficient of friction has no effect without a normal force",
            "add `normal_force` or `from_reaction = true`, or specify the friction torque or force as `friction`",
        );
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, JointFriction {
            coordinate: joint_coordinate,
            friction,
            stribeck_friction,
            coefficient,
            stribeck,
            stribeck_velocity,
            transition_velocity,
            viscous,
            normal_force,
            from_reaction,
            radius,
        })
    }

    /// Friction opposes motion either way: its numbers are those of its image.
    fn shown_signs(&self, _: &Mirror, on_coordinates: &[f64]) -> Vec<(&'static str, f64)> {
        ["friction"].into_iter().zip(on_coordinates.iter().copied()).collect()
    }

    fn reaction(&self) -> Option<&CoordinateRef> {
        self.from_reaction.then_some(&self.coordinate)
    }
}


/// ε: below this the normal force of a reaction is smooth, N.
const SMOOTH: f64 = 1e-3;

impl JointFriction {
    /// The normal force N.
    pub fn normal<T: Real>(&self, scene: &Scene<T>) -> T {
        let mut square = T::zero();
        for &l in scene.lambda.get(self.multipliers()).unwrap_or(&[]) {
            square += l.square();
        }
        square / (square + SMOOTH * SMOOTH).sqrt() + self.normal_force
    }

    /// The velocity v of the coordinate.
    pub fn velocity<T: Real>(&self, scene: &Scene<T>) -> T {
        match &self.coordinate {
            JointCoordinate::Tree { node, .. } => scene.coordinate(*node)[1],
            JointCoordinate::Cut { from, to, axis, turns, .. } => {
                let relative = Relative::new(scene, from, to);
                let velocity = relative.velocity();
                let along = relative.first_axis(*axis);
                if *turns {
                    along.dot(velocity.angular)
                } else {
                    along.dot(velocity.linear)
                }
            }
        }
    }

    /// The force or torque τ on the coordinate.
    pub fn force<T: Real>(&self, scene: &Scene<T>) -> T {
        let v = self.velocity(scene);
        let slow = -(v * (1.0 / self.stribeck_velocity)).square();
        let near_rest = slow.exp();
        let coefficient = near_rest * self.stribeck + self.coefficient;
        let plain = near_rest * self.stribeck_friction + self.friction;
        let radius = if self.coordinate.turns() { self.radius } else { 1.0 };
        let sliding = coefficient * self.normal(scene) * radius + plain;
        -(sliding * (v * (1.0 / self.transition_velocity)).tanh()) - v * self.viscous
    }
}

/// Constructors.
impl Force {
    /// Friction on a coordinate of a joint: coefficient of sliding and constant normal force in N.
    /// The other numbers are those of an absent field in a model file.
    ///
    /// ```
    /// use holonom_multibody::description::{Force, ForceKind};
    /// use holonom_multibody::elements::forces::JointFriction;
    /// let mut friction = Force::joint_friction("rub", "slide", 0.1, 50.0);
    /// if let ForceKind::JointFriction(JointFriction { from_reaction, .. }) = &mut friction.kind {
    ///     *from_reaction = true;
    /// }
    /// ```
    pub fn joint_friction(
        name: impl Into<String>,
        coordinate: impl Into<CoordinateRef>,
        coefficient: f64,
        normal_force: f64,
    ) -> Self {
        let kind = ForceKind::JointFriction(JointFriction {
            coordinate: coordinate.into(),
            friction: 0.0,
            stribeck_friction: 0.0,
            coefficient,
            stribeck: 0.0,
            stribeck_velocity: 0.01,
            transition_velocity: 1e-3,
            viscous: 0.0,
            normal_force,
            from_reaction: false,
            radius: 1.0,
        });
        Self::new(name, kind)
    }

    /// Coulomb friction of a constant torque or force on a coordinate of a joint, N m or N.
    pub fn coulomb_friction(
        name: impl Into<String>,
        coordinate: impl Into<CoordinateRef>,
        torque: f64,
    ) -> Self {
        let mut force = Self::joint_friction(name, coordinate, 0.0, 0.0);
        if let ForceKind::JointFriction(JointFriction { friction, .. }) = &mut force.kind {
            *friction = torque;
        }
        force
    }
}

impl ForceLaw for JointFriction {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let force = self.force(scene);
        match &self.coordinate {
            JointCoordinate::Tree { node, .. } => loads.add_generalised(scene.tree, *node, force),
            JointCoordinate::Cut { from, to, axis, turns, .. } => {
                let relative = Relative::new(scene, from, to);
                let load = relative.first_axis(*axis).scale(force);
                let load = if *turns {
                    Wrench::new(load, Vec3::zero())
                } else {
                    Wrench::new(Vec3::zero(), load)
                };
                relative.add_load(&load, loads);
            }
        }
    }

    fn energy<T: Real>(&self, _: &Scene<T>) -> Option<T> {
        None
    }

    fn reach(&self) -> Reach<'_> {
        match &self.coordinate {
            JointCoordinate::Tree { node, .. } => Reach::Coordinate(*node),
            JointCoordinate::Cut { from, to, .. } => Reach::Pair(from, to),
        }
    }

    fn outputs(&self) -> Vec<ShownValue> {
        let turns = self.coordinate.turns();
        let show = |name, unit, doc| ShownValue { name, unit, doc };
        vec![
            show("friction", if turns { "N m" } else { "N" }, "friction on the coordinate"),
            show("normal", "N", "normal force of the friction"),
        ]
    }

    fn shown<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        (out[0], out[1]) = (self.force(scene), self.normal(scene));
    }

    fn stores_energy(&self) -> bool {
        false
    }

    fn multipliers(&self) -> Range<usize> {
        match &self.coordinate {
            JointCoordinate::Cut { rows, .. } if self.from_reaction => rows.clone(),
            _ => 0..0,
        }
    }
}
