//! A disc or a ball that rolls without slipping on a plane, which may move itself.

use super::relative::Relative;
use super::{ConstraintElement, ConstraintKind, ConstraintLaw, DescribedConstraint};
use crate::fields::{Field, Fields};
use crate::description::{Constraint, Mirror};
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use crate::elements::constraints::RowLevel;
use crate::tree::Attachment;
use holonom_algebra::{Real, Twist, Vec3, Wrench};

/// Rolling on the x–y plane of a frame, on the side its z axis points to: 1 row that keeps the
/// lowest point on the plane, and 2 rows that keep the material point there at rest on the plane.
///
/// With N the normal of the plane, n the axle, c from the plane's origin to the centre and r from
/// the centre to the lowest point, the rows are N·(c + r) = 0 and, with a = x, y of the plane,
/// a·(u + w × r) = 0. The derivative of the first is the same expression with a = N, because the
/// lowest point of the rim is stationary along the rim. A disc that lies flat has no lowest point:
/// rows are not finite there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rolling<R: References = Attached> {
    /// Frame on the wheel: origin at its centre, z along its axle.
    pub wheel: R::Frame,
    /// Frame whose x–y plane is rolled on.
    pub plane: R::Frame,
    /// Radius.
    pub radius: f64,
    /// A ball instead of a thin disc.
    pub sphere: bool,
}

impl DescribedConstraint for Rolling<Named> {
    const NAME: &str = "rolling";
    const DOC: &str = "A disc or a ball rolls on a plane without slipping.";
    const ROWS: usize = 3;
    const FIRST_FRAME_TURNS: bool = true;

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { wheel, plane, radius, sphere } = self;
        let doc = "Frame on the wheel: origin at its centre, z along its axle.";
        visitor.frame(&Field::required("wheel", "", doc), wheel);
        let doc = "Frame whose x–y plane is the rolling surface, on the side to which z points.";
        visitor.frame(&Field::required("plane", "", doc), plane);
        visitor.number(&Field::required("radius", "m", "Radius; must be positive."), radius);
        visitor.flag(&Field::optional("sphere", "", "The wheel is a ball instead of a thin disc."), sphere);
    }

    fn faults(&self, faults: &mut Faults) {
        faults.positive_quantity("radius", "the radius", self.radius, "correct it");
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ConstraintElement> {
        attached!(self, to, Rolling { wheel: frame, plane: frame, radius, sphere })
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        mirror.upper_side(&mut self.plane);
    }
}


/// The lowest point, seen from the plane.
struct Contact<T> {
    /// From the centre to the point.
    arm: Vec3<T>,
    /// Axle.
    axle: Vec3<T>,
    /// Cosine of the angle between the axle and the normal.
    tilt: T,
    /// Its sine.
    upright: T,
}

impl Rolling {
    /// The wheel seen from the plane.
    fn relative<'a, T: Real>(&'a self, scene: &Scene<'a, T>) -> Relative<'a, T> {
        Relative::new(scene, &self.plane, &self.wheel)
    }

    fn contact<T: Real>(&self, relative: &Relative<T>, normal: Vec3<T>) -> Contact<T> {
        if self.sphere {
            return Contact {
                arm: normal.scale(-self.radius),
                axle: Vec3::zero(),
                tilt: T::zero(),
                upright: T::one(),
            };
        }
        let axle = relative.second_axis(2);
        let tilt = normal.dot(axle);
        let up = normal - axle.scale(tilt);
        // |up| and not √(1 − tilt²), which cancels when the disc is nearly flat.
        let upright = up.norm();
        Contact {
            arm: up.scale(upright.recip() * -self.radius),
            axle,
            tilt,
            upright,
        }
    }

    /// How fast the contact point wanders, relative to the centre, on its way round the rim: the
    /// derivative of r that the plane sees.
    fn wandering<T: Real>(&self, contact: &Contact<T>, normal: Vec3<T>, w: Vec3<T>) -> Vec3<T> {
        if self.sphere {
            return Vec3::zero();
        }
        // r = −R up/s with up = N − k n, s = |up|, s² = 1 − k².
        let (k, n) = (contact.tilt, contact.axle);
        let turned = w.cross(n);
        let rate = normal.dot(turned);
        let inverse = contact.upright.recip();
        (n.scale(rate) + turned.scale(k)).scale(inverse * self.radius)
            + contact.arm.scale(k * rate * inverse.square())
    }
}

/// The axes along which the rows act: normal, x, y.
fn axes<T: Real>(relative: &Relative<T>) -> [Vec3<T>; 3] {
    [
        relative.first_axis(2),
        relative.first_axis(0),
        relative.first_axis(1),
    ]
}

/// Constructors.
impl Constraint {
    /// A thin disc (axle along z of its frame) rolls on the x–y plane of a frame. Radius in m.
    pub fn rolling_disc(
        name: impl Into<String>,
        wheel: impl Into<String>,
        plane: impl Into<String>,
        radius: f64,
    ) -> Self {
        Self::rolling(name, wheel, plane, radius, false)
    }

    /// A ball about the origin of its frame rolls on the x–y plane of a frame. Radius in m.
    pub fn rolling_ball(
        name: impl Into<String>,
        ball: impl Into<String>,
        plane: impl Into<String>,
        radius: f64,
    ) -> Self {
        Self::rolling(name, ball, plane, radius, true)
    }

    fn rolling(
        name: impl Into<String>,
        wheel: impl Into<String>,
        plane: impl Into<String>,
        radius: f64,
        sphere: bool,
    ) -> Self {
        let (wheel, plane) = (wheel.into(), plane.into());
        let kind = ConstraintKind::Rolling(Rolling {
            wheel,
            plane,
            radius,
            sphere,
        });
        Self::new(name, kind)
    }
}

impl ConstraintLaw for Rolling {
    fn rows(&self) -> usize {
        3
    }

    fn levels(&self) -> Vec<RowLevel> {
        vec![
            RowLevel::Holonomic,
            RowLevel::Nonholonomic,
            RowLevel::Nonholonomic,
        ]
    }

    fn row_names(&self) -> Vec<String> {
        ["contact", "slip-x", "slip-y"].map(String::from).to_vec()
    }

    fn sides(&self) -> Option<[Attachment; 2]> {
        Some([self.plane, self.wheel])
    }

    fn position<T: Real>(&self, scene: &Scene<T>, g: &mut [T]) {
        let relative = self.relative(scene);
        let normal = relative.first_axis(2);
        let contact = self.contact(&relative, normal);
        g[0] = normal.dot(relative.distance + contact.arm);
        g[1] = T::zero();
        g[2] = T::zero();
    }

    fn velocity<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let relative = self.relative(scene);
        let axes = axes(&relative);
        let contact = self.contact(&relative, axes[0]);
        let Twist {
            angular: w,
            linear: u,
        } = relative.velocity();
        let slip = u + w.cross(contact.arm);
        for (out, axis) in out.iter_mut().zip(axes) {
            *out = axis.dot(slip);
        }
    }

    fn acceleration<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let relative = self.relative(scene);
        let axes = axes(&relative);
        let contact = self.contact(&relative, axes[0]);
        let velocity = relative.velocity();
        let w = velocity.angular;
        let acceleration = relative.acceleration(&velocity);
        let wandering = self.wandering(&contact, axes[0], w);
        let change = acceleration.linear + acceleration.angular.cross(contact.arm) + w.cross(wandering);
        for (out, axis) in out.iter_mut().zip(axes) {
            *out = axis.dot(change);
        }
    }

    fn directions<T: Real>(&self, scene: &Scene<T>, out: &mut [Wrench<T>]) -> Option<Vec3<T>> {
        let relative = self.relative(scene);
        let axes = axes(&relative);
        let contact = self.contact(&relative, axes[0]);
        for (out, axis) in out.iter_mut().zip(axes) {
            *out = Wrench::at_point(contact.arm, axis);
        }
        Some(relative.point())
    }

    fn loads<T: Real>(&self, scene: &Scene<T>, multipliers: &[T], loads: &mut Loads<T>) {
        let relative = self.relative(scene);
        let axes = axes(&relative);
        let contact = self.contact(&relative, axes[0]);
        let mut force = Vec3::zero();
        for (axis, multiplier) in axes.into_iter().zip(multipliers) {
            force += axis.scale(*multiplier);
        }
        relative.add_load(&Wrench::at_point(contact.arm, force), loads);
    }
}
