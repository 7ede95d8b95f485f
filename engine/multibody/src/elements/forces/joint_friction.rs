//! Friction on one coordinate of a joint.

use super::{ForceInfo, ForceLaw, Reach, ShownValue};
use crate::description::fields::{Field, Fields};
use crate::description::{CoordinateRef, ForceKind, Mirror};
use crate::elements::constraints::relative::Relative;
use crate::elements::scene::{Loads, Scene};
use crate::model::Attachment;
use core::ops::Range;
use holonom_algebra::{Real, Vec3, Wrench};

/// The entry of the registry.
pub(super) const FORCE: ForceInfo = ForceInfo {
    name: "joint-friction",
    doc: "Friction on one coordinate of a joint: regularised Coulomb and Stribeck friction, and viscous friction.",
    in_files: true,
    template,
    fields,
    mirror,
};

fn template() -> ForceKind {
    ForceKind::JointFriction {
        coordinate: CoordinateRef::from(""),
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

fn fields(kind: &mut ForceKind, visitor: &mut dyn Fields) {
    let ForceKind::JointFriction {
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
    } = kind
    else {
        return;
    };
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

fn mirror(kind: &mut ForceKind, mirror: &mut Mirror) {
    if let ForceKind::JointFriction { coordinate, .. } = kind {
        // Friction opposes motion either way.
        mirror.coordinate(coordinate);
    }
}

/// Where friction acts.
// There are few of them, and each is read in every evaluation: no detour over a pointer.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum FrictionPlace {
    /// On the scalar coordinate of a node of the tree.
    Tree {
        /// The node; not a ball.
        node: usize,
        /// The coordinate is an angle.
        turns: bool,
    },
    /// Between the frames of a cut joint.
    Cut {
        /// First frame, turned so that z is the joint's axis.
        from: Attachment,
        /// Second frame.
        to: Attachment,
        /// Axis of the first frame that the coordinate belongs to.
        axis: usize,
        /// The coordinate is an angle about that axis, not a displacement along it.
        turns: bool,
    },
}

/// τ = −[τ₀ + r μ N + (Δτ + r Δμ N) exp(−(v/v_s)²)] tanh(v/v_t) − c v on a coordinate with velocity v, where
/// r = 1 for displacements. N = N₀ + |F|²/√(|F|² + ε²), where F is the force that a cut joint transmits: the
/// multipliers of its rows that keep points together.
///
/// The hyperbolic tangent replaces the jump at v = 0: nothing sticks, the coordinate creeps with |v| below v_t. Rows
/// that were dropped as redundant have no multiplier and do not contribute to F.
#[derive(Clone, Debug)]
pub struct JointFriction {
    /// Where it acts.
    pub place: FrictionPlace,
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
    /// Radius r for angles, 1 for displacements.
    pub radius: f64,
    /// Rows whose multipliers are the components of F; none for a constant normal force.
    pub rows: Range<usize>,
}

/// ε: below this the normal force of a reaction is smooth, N.
const SMOOTH: f64 = 1e-3;

impl JointFriction {
    /// The normal force N.
    pub fn normal<T: Real>(&self, scene: &Scene<T>) -> T {
        let mut square = T::zero();
        for &l in scene.lambda.get(self.rows.clone()).unwrap_or(&[]) {
            square += l.square();
        }
        square / (square + SMOOTH * SMOOTH).sqrt() + self.normal_force
    }

    /// The velocity v of the coordinate.
    pub fn velocity<T: Real>(&self, scene: &Scene<T>) -> T {
        match &self.place {
            FrictionPlace::Tree { node, .. } => scene.coordinate(*node)[1],
            FrictionPlace::Cut { from, to, axis, turns } => {
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
        let sliding = coefficient * self.normal(scene) * self.radius + plain;
        -(sliding * (v * (1.0 / self.transition_velocity)).tanh()) - v * self.viscous
    }
}

impl ForceLaw for JointFriction {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let force = self.force(scene);
        match &self.place {
            FrictionPlace::Tree { node, .. } => loads.add_generalised(scene.tree, *node, force),
            FrictionPlace::Cut { from, to, axis, turns } => {
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
        match &self.place {
            FrictionPlace::Tree { node, .. } => Reach::Coordinate(*node),
            FrictionPlace::Cut { from, to, .. } => Reach::Pair(from, to),
        }
    }

    fn outputs(&self) -> Vec<ShownValue> {
        let turns = match &self.place {
            FrictionPlace::Tree { turns, .. } | FrictionPlace::Cut { turns, .. } => *turns,
        };
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
        self.rows.clone()
    }
}
