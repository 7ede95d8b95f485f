//! A law between two frames written as expressions: a [`User`](super::User) element.

use super::ForceInfo;
use crate::description::ForceKind;
use crate::description::fields::{FROM, Field, Fields, TO};
use crate::description::include::Mirror;
use crate::expression::ExpressionLaw;

/// The entry of the registry.
pub(super) const FORCE: ForceInfo = ForceInfo {
    name: "expression",
    doc: "A law of your own between two frames, written as expressions of their relative motion.",
    in_files: true,
    template,
    fields,
    mirror,
};

fn template() -> ForceKind {
    ForceKind::Expression {
        from: String::new(),
        to: String::new(),
        force: Default::default(),
        torque: Default::default(),
    }
}

fn fields(kind: &mut ForceKind, visitor: &mut dyn Fields) {
    let ForceKind::Expression {
        from,
        to,
        force,
        torque,
    } = kind
    else {
        return;
    };
    visitor.frame(&FROM, from);
    visitor.frame(&TO, to);
    let doc = "Force on the second frame in the axes of the first: expressions of t, the position x, y, z and \
               velocity vx, vy, vz of the second origin seen in the first frame, its rotation matrix r11 … r33 \
               and relative angular velocity wx, wy, wz.";
    let variables = &ExpressionLaw::VARIABLES;
    visitor.expressions(&Field::optional("force", "N", doc), variables, force);
    let doc = "Torque on the second frame, of the same variables.";
    visitor.expressions(&Field::optional("torque", "N m", doc), variables, torque);
}

fn mirror(kind: &mut ForceKind, mirror: &mut Mirror) {
    if let ForceKind::Expression { force, torque, .. } = kind {
        let (inputs, outputs) = mirror.signs();
        let all = force.iter_mut().chain(torque);
        for (law, sign) in all.zip(outputs) {
            *law = law.with_signs(&ExpressionLaw::VARIABLES, &inputs, sign);
        }
    }
}
