//! Spring, damper and motor on one coordinate.

use super::{ForceInfo, ForceLaw, Reach};
use crate::description::fields::{Field, Fields};
use crate::description::{CoordinateRef, ForceKind, Mirror};
use crate::elements::scene::{Loads, Scene};
use crate::signal::Signal;
use holonom_algebra::Real;

/// The entry of the registry.
pub(super) const FORCE: ForceInfo = ForceInfo {
    name: "joint-spring",
    doc: "Spring, damper and motor on one coordinate of a joint in the tree.",
    in_files: true,
    template,
    fields,
    mirror,
};

fn template() -> ForceKind {
    ForceKind::JointSpring {
        coordinate: CoordinateRef::from(""),
        stiffness: 0.0,
        damping: 0.0,
        free_position: 0.0,
        motor: Signal::constant(0.0),
    }
}

fn fields(kind: &mut ForceKind, visitor: &mut dyn Fields) {
    let ForceKind::JointSpring { coordinate, stiffness, damping, free_position, motor } = kind else {
        return;
    };
    visitor.coordinate(&Field::required("coordinate", "", "Coordinate on which it acts."), coordinate);
    visitor.number(&Field::optional("stiffness", "N m/rad or N/m", "Stiffness of the spring."), stiffness);
    visitor.number(&Field::optional("damping", "N m s/rad or N s/m", "Damping."), damping);
    visitor.number(&Field::optional("free_position", "rad or m", "Position at zero spring force."), free_position);
    visitor.signal(&Field::optional("motor", "N m or N", "Additional torque or force, such as that of a motor."), motor);
}

fn mirror(kind: &mut ForceKind, mirror: &mut Mirror) {
    if let ForceKind::JointSpring { coordinate, free_position, motor, .. } = kind {
        let sign = mirror.coordinate(coordinate);
        *free_position *= sign;
        mirror.signal(motor, sign);
    }
}

/// τ = −k (x − x₀) − c ẋ + motor(t) on the scalar coordinate of a node. Angles count turns.
///
/// On a prescribed coordinate it moves nothing; the drive holds against it.
#[derive(Clone, Debug)]
pub struct JointSpring {
    /// The node whose coordinate it acts on; not a ball.
    pub node: usize,
    /// Stiffness k.
    pub stiffness: f64,
    /// Damping c.
    pub damping: f64,
    /// Position x₀ without force.
    pub free_position: f64,
    /// Force or torque that acts besides; only its value counts.
    pub motor: Signal,
}

impl JointSpring {
    /// The force or torque τ.
    fn force<T: Real>(&self, scene: &Scene<T>) -> T {
        let [x, rate, _] = scene.coordinate(self.node);
        let motor = scene.value(&self.motor);
        motor - (x - self.free_position) * self.stiffness - rate * self.damping
    }
}

impl ForceLaw for JointSpring {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        loads.add_generalised(scene.tree, self.node, self.force(scene));
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let [x, ..] = scene.coordinate(self.node);
        Some((x - self.free_position).square() * (0.5 * self.stiffness))
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Coordinate(self.node)
    }
}
