//! Spring and damper with curved characteristics on one coordinate.

use super::nonlinear_spring::{SpringLaw, damper_law};
use super::{DescribedForce, ForceElement, ForceLaw, Reach};
use crate::fields::{Field, Fields};
use crate::description::{Called, CoordinateRef, Force, Mirror};
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use holonom_expression::ScalarLaw;
use holonom_algebra::Real;

/// τ = −f(x − x₀) − d(ẋ) on the scalar coordinate of a node. Angles count turns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NonlinearJointSpring<R: References = Attached> {
    /// The coordinate on which it acts.
    pub coordinate: R::Coordinate,
    /// Spring and damper.
    pub law: R::Law<SpringLaw>,
}

impl DescribedForce for NonlinearJointSpring<Named> {
    const NAME: &str = "nonlinear-joint-spring";
    const DOC: &str = "Spring and damper with characteristics from tables or expressions, on one \
                       coordinate of a joint in the tree.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { coordinate, law } = self;
        visitor.coordinate(&Field::required("coordinate", "", "Coordinate on which it acts."), coordinate);
        let doc = "Restoring force or torque of the spring as a function of x = coordinate − free position; may call tables.";
        visitor.expression(&Field::optional("spring", "N m or N", doc), &["x"], &mut law.spring);
        let doc = "Restoring force or torque of the damper as a function of v, the rate of the coordinate; may call tables.";
        visitor.expression(&Field::optional("damper", "N m or N", doc), &["v"], &mut law.damper);
        let doc = "Position at which x is zero.";
        visitor.number(&Field::optional("free_position", "rad or m", doc), &mut law.free);
    }

    fn faults(&self, faults: &mut Faults) {
        self.law.faults("free_position", faults);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, NonlinearJointSpring { coordinate: coordinate, law: law })
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        let sign = mirror.coordinate(&self.coordinate);
        let law = &mut self.law;
        law.free *= sign;
        law.spring = law.spring.with_signs(sign, &[sign]);
        law.damper = law.damper.with_signs(sign, &[sign]);
    }
}


/// Constructors.
impl Force {
    /// Spring with a curved characteristic on a coordinate of a joint: restoring force over `x`, the
    /// coordinate less the free position.
    pub fn nonlinear_joint_spring(
        name: impl Into<String>,
        coordinate: impl Into<CoordinateRef>,
        spring: impl Into<ScalarLaw>,
        free_position: f64,
    ) -> Called<NonlinearJointSpring<Named>> {
        let law = SpringLaw {
            spring: spring.into().over("x"),
            free: free_position,
            ..SpringLaw::default()
        };
        let coordinate = coordinate.into();
        Called::new(name, NonlinearJointSpring { coordinate, law })
    }
}

impl Called<NonlinearJointSpring<Named>> {
    /// Sets the damper: force over the rate `v`, as a table, an expression or a number that stands for a linear
    /// damper.
    pub fn damper(mut self, damper: impl Into<ScalarLaw>) -> Self {
        self.kind.law.damper = damper_law(damper);
        self
    }
}

impl ForceLaw for NonlinearJointSpring {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let [x, rate, _] = scene.coordinate(self.coordinate);
        loads.add_generalised(scene.tree, self.coordinate, -self.law.force(x, rate, scene));
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let [x, ..] = scene.coordinate(self.coordinate);
        Some(self.law.energy(x))
    }

    fn law_inputs<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let [x, rate, _] = scene.coordinate(self.coordinate);
        out[..2].copy_from_slice(&self.law.law_inputs(x, rate));
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Coordinate(self.coordinate)
    }
}
