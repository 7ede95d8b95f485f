//! A drive that leads a coordinate to a set point.

use super::{DescribedForce, ForceElement, ForceKind, ForceLaw, Reach};
use crate::fields::{Field, Fields};
use crate::description::{CoordinateRef, Force, Mirror};
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use crate::signal::Signal;
use holonom_algebra::Real;

/// Numbers of a servo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServoLaw {
    /// Force per deviation k.
    pub stiffness: f64,
    /// Force per deviation of the rate c.
    pub damping: f64,
    /// Largest force L; infinite unless given.
    pub limit: f64,
}

impl Default for ServoLaw {
    fn default() -> Self {
        Self {
            stiffness: 0.0,
            damping: 0.0,
            limit: f64::INFINITY,
        }
    }
}

impl ServoLaw {
    /// What is wrong with it.
    pub(crate) fn faults(&self, faults: &mut Faults) {
        faults.not_negative("stiffness", self.stiffness);
        faults.not_negative("damping", self.damping);
        if self.limit != f64::INFINITY {
            faults.positive("limit", self.limit);
        }
    }
}

/// τ = L tanh(u/L) with u = k (r − x) + c (ṙ − ẋ) on the scalar coordinate x of a node, r(t) the set
/// point; τ = u without limit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Servo<R: References = Attached> {
    /// The coordinate on which it acts.
    pub coordinate: R::Coordinate,
    /// Set point r; its value and rate count. The rate of a control is not known: it counts as zero.
    pub target: Signal,
    /// Numbers.
    pub law: ServoLaw,
}

impl DescribedForce for Servo<Named> {
    const NAME: &str = "servo";
    const DOC: &str = "Drive that moves one coordinate of a joint in the tree to a set point, with limited force.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { coordinate, target, law } = self;
        visitor.coordinate(&Field::required("coordinate", "", "Coordinate on which it acts."), coordinate);
        visitor.signal(&Field::required("target", "rad or m", "Set point of the coordinate."), target);
        let doc = "Force per deviation from the set point.";
        visitor.number(&Field::required("stiffness", "N m/rad or N/m", doc), &mut law.stiffness);
        let doc = "Force per deviation from the rate of the set point.";
        visitor.number(&Field::optional("damping", "N m s/rad or N s/m", doc), &mut law.damping);
        let doc = "Maximum force or torque, approached smoothly.";
        visitor.number(&Field::optional("limit", "N m or N", doc), &mut law.limit);
    }

    fn faults(&self, faults: &mut Faults) {
        faults.signal("target", &self.target);
        self.law.faults(faults);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, Servo { coordinate: coordinate, target, law })
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        let sign = mirror.coordinate(&self.coordinate);
        mirror.signal(&mut self.target, sign);
    }
}


/// Constructors.
impl Force {
    /// A drive that leads a coordinate to a set point.
    ///
    /// ```
    /// use holonom_multibody::Signal;
    /// use holonom_multibody::description::Force;
    /// use holonom_multibody::elements::forces::ServoLaw;
    /// let law = ServoLaw { stiffness: 400.0, damping: 20.0, limit: 60.0 };
    /// let elbow = Force::servo("drive", "elbow", Signal::harmonic(0.5, 2.0, 0.0), law);
    /// ```
    pub fn servo(
        name: impl Into<String>,
        coordinate: impl Into<CoordinateRef>,
        target: Signal,
        law: ServoLaw,
    ) -> Self {
        let coordinate = coordinate.into();
        Self::new(
            name,
            ForceKind::Servo(Servo {
                coordinate,
                target,
                law,
            }),
        )
    }
}

impl ForceLaw for Servo {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let [x, rate, _] = scene.coordinate(self.coordinate);
        let [target, target_rate] = scene.value_and_rate(&self.target);
        let wanted = (target - x) * self.law.stiffness + (target_rate - rate) * self.law.damping;
        let limit = self.law.limit;
        let force = if limit.is_finite() {
            (wanted * (1.0 / limit)).tanh() * limit
        } else {
            wanted
        };
        loads.add_generalised(scene.tree, self.coordinate, force);
    }

    fn energy<T: Real>(&self, _: &Scene<T>) -> Option<T> {
        None
    }

    fn set_point(&self) -> Option<&Signal> {
        Some(&self.target)
    }

    fn set_point_mut(&mut self) -> Option<&mut Signal> {
        Some(&mut self.target)
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Coordinate(self.coordinate)
    }

    fn stores_energy(&self) -> bool {
        false
    }
}
