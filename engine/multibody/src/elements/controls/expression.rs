//! A function of time and other controls.

use super::{ControlInfo, ControlLaw, same, zero};
use crate::description::ControlKind;
use crate::description::fields::{Field, Fields};
use crate::elements::scene::Scene;
use crate::signal::Signal;
use holonom_algebra::Real;

/// The entry of the registry.
pub(super) const CONTROL: ControlInfo = ControlInfo {
    name: "expression",
    doc: "An expression of t, parameters and other controls.",
    in_files: true,
    template,
    fields,
    mirror: same,
};

fn template() -> ControlKind {
    ControlKind::Expression { value: zero() }
}

fn fields(kind: &mut ControlKind, visitor: &mut dyn Fields) {
    let ControlKind::Expression { value } = kind else {
        return;
    };
    let doc = "Expression, such as `2*(target - angle)`.";
    visitor.signal(&Field::required("value", "", doc), value);
}

/// An expression of t and controls.
#[derive(Clone, Debug)]
pub struct Expression {
    /// The expression.
    pub value: Signal,
}

impl ControlLaw for Expression {
    fn output<T: Real>(&self, scene: &Scene<T>) -> T {
        scene.value(&self.value)
    }
}
