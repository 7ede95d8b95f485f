//! Contact of two cylinders.

use super::contact::{self, ContactLaw, NOTICED, Touching, between};
use super::line::length;
use super::{DescribedForce, ForceElement, ForceKind, ForceLaw, Reach, ShownValue};
use crate::fields::{FROM, Field, Fields, TO};
use crate::description::Force;
use crate::elements::constraints::relative::Relative;
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use holonom_algebra::{Real, Vec3};
use holonom_dae::Gap;

/// Two cylinders.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cylinders {
    /// Radii.
    pub radii: [f64; 2],
    /// Number in [`Cylinders::AXES`].
    pub axes: usize,
    /// Length of the second of two parallel cylinders, otherwise zero.
    pub length: f64,
}

impl Cylinders {
    /// How the axes lie.
    pub const AXES: [&'static str; 2] = ["crossed", "parallel"];

    /// Two endless cylinders whose axes cross at an angle.
    pub fn crossed(radii: [f64; 2]) -> Self {
        Self {
            radii,
            axes: 0,
            length: 0.0,
        }
    }

    /// An endless cylinder and one of some length beside it.
    pub fn parallel(radii: [f64; 2], length: f64) -> Self {
        Self {
            radii,
            axes: 1,
            length,
        }
    }

    /// What is wrong with them.
    pub(crate) fn faults(&self, faults: &mut Faults) {
        faults.positive("radius", self.radii[0]);
        faults.positive("second_radius", self.radii[1]);
        if self.axes == 0 {
            let problem = "crossed cylinders have no ends";
            faults.require(self.length == 0.0, "length", problem, "remove it or choose parallel axes");
        } else {
            faults.positive("length", self.length);
        }
    }
}

/// Square of the sine of the angle between the axes below which they do not cross.
const PARALLEL: f64 = 1e-10;

/// [`ContactLaw`] of the depth r₁ + r₂ − D.
///
/// Crossed: D is the distance of two endless axes, the force acts along their common normal; there
/// is none while the axes are parallel to 10⁻⁵. Parallel: D is the distance of either end of the
/// second axis from the first, endless one, so that the line of contact is carried at its ends;
/// stiffness and the rest are those of each end. Loads act in the middle between both surfaces. Where
/// the axes meet there is no direction and no force.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CylinderContact<R: References = Attached> {
    /// The first cylinder is about z of this frame.
    pub from: R::Frame,
    /// The second about z of this one.
    pub to: R::Frame,
    /// The cylinders.
    pub cylinders: Cylinders,
    /// Numbers.
    pub law: ContactLaw,
}

impl DescribedForce for CylinderContact<Named> {
    const NAME: &str = "cylinder-contact";
    const DOC: &str = "Contact of two cylinders about the z axes of two frames, crossed or side by side: \
                       Hunt–Crossley penalty force with friction.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { from, to, cylinders, law } = self;
        visitor.frame(&FROM, from);
        visitor.frame(&TO, to);
        visitor.number(&Field::required("radius", "m", "Radius of the first cylinder."), &mut cylinders.radii[0]);
        visitor.number(&Field::required("second_radius", "m", "Radius of the second cylinder."), &mut cylinders.radii[1]);
        let doc = "`crossed`: axes at an angle, both cylinders infinite; `parallel`: axes nearly parallel, the second cylinder with two ends.";
        visitor.choice(&Field::required("axes", "", doc), &Cylinders::AXES, &mut cylinders.axes);
        let doc = "Length of the second of two parallel cylinders.";
        visitor.number(&Field::optional("length", "m", doc), &mut cylinders.length);
        law.fields(visitor);
    }

    fn faults(&self, faults: &mut Faults) {
        self.law.faults(faults);
        self.cylinders.faults(faults);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, CylinderContact { from: frame, to: frame, cylinders, law })
    }
}


impl CylinderContact {
    /// Depth, whether it counts, normal and place from the second origin of the points of contact.
    fn points<T: Real>(&self, relative: &Relative<T>, mut visit: impl FnMut(T, bool, Vec3<T>, Vec3<T>)) {
        let [r1, r2] = self.cylinders.radii;
        let (a, b) = (relative.first_axis(2), relative.second_axis(2));
        if self.cylinders.axes == 1 {
            for half in [-0.5, 0.5] {
                let end = b.scale(half * self.cylinders.length);
                let d = relative.distance + end;
                let (distance, inverse) = length(d - a.scale(a.dot(d)));
                let normal = (d - a.scale(a.dot(d))).scale(inverse);
                let depth = -distance + (r1 + r2);
                visit(depth, distance.value() > 0.0, normal, end - normal.scale(between(r2, depth)));
            }
            return;
        }
        let d = relative.distance;
        let common = a.cross(b);
        let square = common.norm_squared();
        let crossing = square.value() > PARALLEL;
        let inverse = T::select(crossing, square.sqrt().recip(), T::zero());
        let unit = common.scale(inverse);
        let distance = d.dot(unit);
        // The foot of the common normal on the second axis.
        let foot = d.cross(a).dot(unit) * inverse;
        let sign = if distance.value() < 0.0 { -1.0 } else { 1.0 };
        let normal = unit.scale(sign);
        let counts = crossing && distance.value() != 0.0;
        let depth = -(distance * sign) + (r1 + r2);
        visit(depth, counts, normal, b.scale(foot) - normal.scale(between(r2, depth)));
    }
}

impl CylinderContact {
    fn touching<'r, 'a, T: Real>(&self, relative: &'r Relative<'a, T>) -> Touching<'r, 'a, T> {
        let mut touching = Touching::new(relative);
        self.points(relative, |depth, counts, normal, point| {
            let depth = T::select(counts, depth, T::zero());
            touching.point(&self.law, depth, normal, point);
        });
        touching
    }
}

/// Constructors.
impl Force {
    /// Two cylinders about the z axes of two frames.
    pub fn cylinder_contact(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        cylinders: Cylinders,
        law: ContactLaw,
    ) -> Self {
        let kind = ForceKind::CylinderContact(CylinderContact {
            from: from.into(),
            to: to.into(),
            cylinders,
            law,
        });
        Self::new(name, kind)
    }
}

impl ForceLaw for CylinderContact {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let relative = Relative::new(scene, &self.from, &self.to);
        self.touching(&relative).finish(loads);
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let mut energy = T::zero();
        let relative = Relative::new(scene, &self.from, &self.to);
        self.points(&relative, |depth, counts, _, _| {
            energy += self.law.energy(T::select(counts, depth, T::zero()));
        });
        Some(energy)
    }

    fn gap(&self, scene: &Scene<f64>) -> Option<Gap> {
        let relative = Relative::new(scene, &self.from, &self.to);
        let mut distance = f64::INFINITY;
        self.points(&relative, |depth, counts, _, _| {
            if counts {
                distance = distance.min(-depth);
            }
        });
        // Axes turn about the second origin.
        let velocity = relative.velocity();
        let arm = 0.5 * self.cylinders.length + relative.distance.norm();
        Some(Gap {
            distance,
            speed: velocity.linear.norm() + velocity.angular.norm() * arm,
            depth: NOTICED * self.cylinders.radii[0].min(self.cylinders.radii[1]),
        })
    }

    fn has_gap(&self) -> bool {
        true
    }

    fn piecewise(&self) -> [usize; 2] {
        // Both ends of the second cylinder where the axes stay parallel.
        [if self.cylinders.axes == 1 { 2 } else { 1 }; 2]
    }

    fn piecewise_inputs(&self, scene: &Scene<f64>, out: &mut [f64]) {
        let relative = Relative::new(scene, &self.from, &self.to);
        let mut depths = out.iter_mut();
        self.points(&relative, |depth, counts, _, _| {
            if let Some(own) = depths.next() {
                *own = if counts { depth } else { 0.0 };
            }
        });
    }

    fn piecewise_values(&self, inputs: &[f64], values: &mut [f64], pieces: &mut [u64]) {
        for (depth, (value, piece)) in inputs.iter().zip(values.iter_mut().zip(pieces)) {
            (*value, *piece) = self.law.piece(*depth);
        }
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Pair(&self.from, &self.to)
    }

    fn outputs(&self) -> Vec<ShownValue> {
        contact::outputs()
    }

    fn shown<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let relative = Relative::new(scene, &self.from, &self.to);
        self.touching(&relative).show(out);
    }
}
