//! Spring and damper about an axis.

use super::{DescribedForce, ForceElement, ForceKind, ForceLaw, Reach};
use crate::fields::{FROM, Field, Fields, TO};
use crate::description::{Force, Mirror};
use crate::elements::constraints::relative::Relative;
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use holonom_algebra::{Real, Vec3, Wrench};

/// Torque −k (θ − θ₀) − c z·w about the z axis of the first frame on the second, with w the
/// relative angular velocity.
///
/// θ is the angle of the second x axis in the first x–y plane, in (−π, π]: turns are not counted,
/// and the torque jumps half a turn away from θ = 0. Use a
/// [`JointSpring`](super::JointSpring) for more turns. The energy is that of the torque as long as
/// the z axes stay parallel, as a joint keeps them. With x at a right angle to that plane θ counts
/// as zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TorsionSpring<R: References = Attached> {
    /// First frame.
    pub from: R::Frame,
    /// Second frame.
    pub to: R::Frame,
    /// Stiffness k.
    pub stiffness: f64,
    /// Damping c.
    pub damping: f64,
    /// Angle θ₀ without torque of the spring.
    pub free_angle: f64,
}

impl DescribedForce for TorsionSpring<Named> {
    const NAME: &str = "torsion-spring";
    const DOC: &str = "Spring and damper about the common z axis of two frames; full revolutions are not counted.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { from, to, stiffness, damping, free_angle } = self;
        visitor.frame(&FROM, from);
        visitor.frame(&TO, to);
        visitor.number(&Field::required("stiffness", "N m/rad", "Stiffness of the spring."), stiffness);
        visitor.number(&Field::optional("damping", "N m s/rad", "Damping about the axis."), damping);
        visitor.number(&Field::optional("free_angle", "rad", "Angle at zero spring torque."), free_angle);
    }

    fn faults(&self, faults: &mut Faults) {
        faults.finite_quantity("the stiffness", &[self.stiffness]);
        faults.finite_quantity("the damping", &[self.damping]);
        faults.finite_quantity("the free angle", &[self.free_angle]);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, TorsionSpring { from: frame, to: frame, stiffness, damping, free_angle })
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        self.free_angle *= mirror.axial(2);
    }

    /// The angle is about z of the first frame.
    fn shown_signs(&self, mirror: &Mirror, _: &[f64]) -> Vec<(&'static str, f64)> {
        vec![("angle", mirror.axial(2)), ("moment", mirror.axial(2))]
    }
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

/// Constructors.
impl Force {
    /// Spring and damper about the common z axis of two frames: stiffness in N m/rad, damping in
    /// N m s/rad, angle without torque in rad.
    pub fn torsion_spring(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        stiffness: f64,
        damping: f64,
        free_angle: f64,
    ) -> Self {
        let kind = ForceKind::TorsionSpring(TorsionSpring {
            from: from.into(),
            to: to.into(),
            stiffness,
            damping,
            free_angle,
        });
        Self::new(name, kind)
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
