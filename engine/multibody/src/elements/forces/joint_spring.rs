//! Spring, damper and motor on one coordinate.

use super::{DescribedForce, ForceElement, ForceKind, ForceLaw, Reach};
use crate::fields::{Field, Fields};
use crate::description::{CoordinateRef, Force, Mirror};
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use crate::signal::Signal;
use holonom_algebra::Real;

/// τ = −k (x − x₀) − c ẋ + motor(t) on the scalar coordinate of a node. Angles count turns.
///
/// On a prescribed coordinate it moves nothing; the drive holds against it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointSpring<R: References = Attached> {
    /// The coordinate on which it acts.
    pub coordinate: R::Coordinate,
    /// Stiffness k.
    pub stiffness: f64,
    /// Damping c.
    pub damping: f64,
    /// Position x₀ without force.
    pub free_position: f64,
    /// Force or torque that acts besides; only its value counts.
    pub motor: Signal,
}

impl DescribedForce for JointSpring<Named> {
    const NAME: &str = "joint-spring";
    const DOC: &str = "Spring, damper and motor on one coordinate of a joint in the tree.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { coordinate, stiffness, damping, free_position, motor } = self;
        visitor.coordinate(&Field::required("coordinate", "", "Coordinate on which it acts."), coordinate);
        visitor.number(&Field::optional("stiffness", "N m/rad or N/m", "Stiffness of the spring."), stiffness);
        visitor.number(&Field::optional("damping", "N m s/rad or N s/m", "Damping."), damping);
        visitor.number(&Field::optional("free_position", "rad or m", "Position at zero spring force."), free_position);
        visitor.signal(&Field::optional("motor", "N m or N", "Additional torque or force, such as that of a motor."), motor);
    }

    fn faults(&self, faults: &mut Faults) {
        faults.finite_quantity("the stiffness", &[self.stiffness]);
        faults.finite_quantity("the damping", &[self.damping]);
        faults.finite_quantity("the free position", &[self.free_position]);
        faults.signal_quantity("the motor", &self.motor);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, JointSpring { coordinate: coordinate, stiffness, damping, free_position, motor })
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        let sign = mirror.coordinate(&self.coordinate);
        self.free_position *= sign;
        mirror.signal(&mut self.motor, sign);
    }
}


impl JointSpring {
    /// The force or torque τ.
    fn force<T: Real>(&self, scene: &Scene<T>) -> T {
        let [x, rate, _] = scene.coordinate(self.coordinate);
        let motor = scene.value(&self.motor);
        motor - (x - self.free_position) * self.stiffness - rate * self.damping
    }
}

/// Constructors.
impl Force {
    /// Spring and damper on a coordinate of a joint: stiffness in N m/rad or N/m, damping,
    /// position without force.
    pub fn joint_spring(
        name: impl Into<String>,
        coordinate: impl Into<CoordinateRef>,
        stiffness: f64,
        damping: f64,
        free_position: f64,
    ) -> Self {
        let kind = ForceKind::JointSpring(JointSpring {
            coordinate: coordinate.into(),
            stiffness,
            damping,
            free_position,
            motor: Signal::constant(0.0),
        });
        Self::new(name, kind)
    }

    /// A force or torque over time on a coordinate of a joint, N or N m.
    pub fn motor(name: impl Into<String>, coordinate: impl Into<CoordinateRef>, motor: Signal) -> Self {
        let kind = ForceKind::JointSpring(JointSpring {
            coordinate: coordinate.into(),
            stiffness: 0.0,
            damping: 0.0,
            free_position: 0.0,
            motor,
        });
        Self::new(name, kind)
    }
}

impl ForceLaw for JointSpring {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        loads.add_generalised(scene.tree, self.coordinate, self.force(scene));
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let [x, ..] = scene.coordinate(self.coordinate);
        Some((x - self.free_position).square() * (0.5 * self.stiffness))
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Coordinate(self.coordinate)
    }
}
