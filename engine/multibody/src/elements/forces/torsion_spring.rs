//! Spring and damper about an axis.

use super::{ForceInfo, ForceLaw, Reach};
use crate::description::fields::{FROM, Field, Fields, TO};
use crate::description::{ForceKind, Mirror};
use crate::elements::constraints::relative::Relative;
use crate::elements::scene::{Loads, Scene};
use crate::model::Attachment;
use holonom_algebra::{Real, Vec3, Wrench};

/// The entry of the registry.
pub(super) const FORCE: ForceInfo = ForceInfo {
    name: "torsion-spring",
    doc: "Spring and damper about the common z axis of two frames; full revolutions are not counted.",
    in_files: true,
    template,
    fields,
    mirror,
};

fn template() -> ForceKind {
    ForceKind::TorsionSpring {
        from: String::new(),
        to: String::new(),
        stiffness: 0.0,
        damping: 0.0,
        free_angle: 0.0,
    }
}

fn fields(kind: &mut ForceKind, visitor: &mut dyn Fields) {
    let ForceKind::TorsionSpring { from, to, stiffness, damping, free_angle } = kind else {
        return;
    };
    visitor.frame(&FROM, from);
    visitor.frame(&TO, to);
    visitor.number(&Field::required("stiffness", "N m/rad", "Stiffness of the spring."), stiffness);
    visitor.number(&Field::optional("damping", "N m s/rad", "Damping about the axis."), damping);
    visitor.number(&Field::optional("free_angle", "rad", "Angle at zero spring torque."), free_angle);
}

fn mirror(kind: &mut ForceKind, mirror: &mut Mirror) {
    if let ForceKind::TorsionSpring { free_angle, .. } = kind {
        *free_angle *= mirror.axial(2);
    }
}

/// Torque −k (θ − θ₀) − c z·w about the z axis of the first frame on the second, with w the
/// relative angular velocity.
///
/// θ is the angle of the second x axis in the first x–y plane, in (−π, π]: turns are not counted,
/// and the torque jumps half a turn away from θ = 0. Use a
/// [`JointSpring`](super::JointSpring) for more turns. The energy is that of the torque as long as
/// the z axes stay parallel, as a joint keeps them. With x at a right angle to that plane θ counts
/// as zero.
#[derive(Clone, Debug)]
pub struct TorsionSpring {
    /// First frame.
    pub from: Attachment,
    /// Second frame.
    pub to: Attachment,
    /// Stiffness k.
    pub stiffness: f64,
    /// Damping c.
    pub damping: f64,
    /// Angle θ₀ without torque of the spring.
    pub free_angle: f64,
}

impl TorsionSpring {
    /// θ − θ₀.
    fn twist<T: Real>(&self, relative: &Relative<T>) -> T {
        let x = relative.second_axis(0);
        let (cos, sin) = (relative.first_axis(0).dot(x), relative.first_axis(1).dot(x));
        let defined = cos.value() != 0.0 || sin.value() != 0.0;
        T::select(defined, sin.atan2(cos), T::zero()) - self.free_angle
    }
}

impl ForceLaw for TorsionSpring {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let relative = Relative::new(scene, &self.from, &self.to);
        let axis = relative.first_axis(2);
        let rate = axis.dot(relative.velocity().angular);
        let torque = self.twist(&relative) * self.stiffness + rate * self.damping;
        relative.add_load(&Wrench::new(axis.scale(-torque), Vec3::zero()), loads);
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let relative = Relative::new(scene, &self.from, &self.to);
        Some(self.twist(&relative).square() * (0.5 * self.stiffness))
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Hinge(&self.from, &self.to)
    }
}
