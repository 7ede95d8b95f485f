//! Spring and damper with curved characteristics on one coordinate.

use super::nonlinear_spring::{SpringCurves, SpringLaw};
use super::{ForceInfo, ForceLaw, Reach};
use crate::description::fields::{Field, Fields};
use crate::description::{CoordinateRef, ForceKind, Mirror};
use crate::elements::scene::{Loads, Scene};
use holonom_algebra::Real;

/// The entry of the registry.
pub(super) const FORCE: ForceInfo = ForceInfo {
    name: "nonlinear-joint-spring",
    doc: "Spring and damper with characteristics from tables or expressions, on one coordinate of a joint in the tree.",
    in_files: true,
    template,
    fields,
    mirror,
};

fn template() -> ForceKind {
    ForceKind::NonlinearJointSpring {
        coordinate: CoordinateRef::from(""),
        law: SpringLaw::default(),
    }
}

fn fields(kind: &mut ForceKind, visitor: &mut dyn Fields) {
    let ForceKind::NonlinearJointSpring { coordinate, law } = kind else {
        return;
    };
    visitor.coordinate(&Field::required("coordinate", "", "Coordinate on which it acts."), coordinate);
    let doc = "Restoring force or torque of the spring as a function of x = coordinate − free position; may call tables.";
    visitor.expression(&Field::optional("spring", "N m or N", doc), &["x"], &mut law.spring);
    let doc = "Restoring force or torque of the damper as a function of v, the rate of the coordinate; may call tables.";
    visitor.expression(&Field::optional("damper", "N m or N", doc), &["v"], &mut law.damper);
    let doc = "Position at which x is zero.";
    visitor.number(&Field::optional("free_position", "rad or m", doc), &mut law.free);
}

fn mirror(kind: &mut ForceKind, mirror: &mut Mirror) {
    if let ForceKind::NonlinearJointSpring { coordinate, law } = kind {
        let sign = mirror.coordinate(coordinate);
        law.free *= sign;
        law.spring = law.spring.with_signs(sign, &[sign]);
        law.damper = law.damper.with_signs(sign, &[sign]);
    }
}

/// τ = −f(x − x₀) − d(ẋ) on the scalar coordinate of a node. Angles count turns.
#[derive(Clone, Debug)]
pub struct NonlinearJointSpring {
    /// The node whose coordinate it acts on; not a ball.
    pub node: usize,
    /// Spring and damper.
    pub curves: SpringCurves,
}

impl ForceLaw for NonlinearJointSpring {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let [x, rate, _] = scene.coordinate(self.node);
        loads.add_generalised(scene.tree, self.node, -self.curves.force(x, rate, scene));
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let [x, ..] = scene.coordinate(self.node);
        Some(self.curves.energy(x))
    }

    fn law_inputs<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let [x, rate, _] = scene.coordinate(self.node);
        out[..2].copy_from_slice(&self.curves.law_inputs(x, rate));
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Coordinate(self.node)
    }
}
