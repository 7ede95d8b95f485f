//! A law between two frames written as expressions. When compiled it is a [`User`](super::User) law.

use super::ForceInfo;
use crate::description::fields::{FROM, Field, Fields, TO};
use crate::description::{ForceKind, Mirror};
use crate::elements::forces::ExpressionLaw;
use holonom_expression::Expression;

/// The entry of the registry.
pub(super) const FORCE: ForceInfo = ForceInfo {
    name: "expression",
    doc: "A user-defined force law between two frames, given by expressions of their relative motion.",
    in_files: true,
    template,
    fields,
    mirror,
};

fn template() -> ForceKind {
    ForceKind::Expression {
        from: String::new(),
        to: String::new(),
        force: [(); 3].map(|()| Expression::zero()),
        torque: [(); 3].map(|()| Expression::zero()),
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
    let variables = &ExpressionLaw::VARIABLES;
    let doc = "Force on the second frame at its origin, in the axes of the first; the opposite force acts on the first.";
    visitor.expressions(&Field::optional("force", "N", doc), variables, force);
    let doc = "Torque on the second frame, in the axes of the first; the opposite torque acts on the first.";
    visitor.expressions(&Field::optional("torque", "N m", doc), variables, torque);
}

fn mirror(kind: &mut ForceKind, mirror: &mut Mirror) {
    let ForceKind::Expression { force, torque, .. } = kind else {
        return;
    };
    let signs = mirror.law_inputs();
    let image = |sign: f64, component: &mut Expression| {
        // A variable that laws do not have stays; compiling names it.
        let by_name = |name: &String| {
            let known = ExpressionLaw::VARIABLES.iter().position(|v| v == name);
            known.map_or(1.0, |k| signs[k])
        };
        let own: Vec<f64> = component.variables().iter().map(by_name).collect();
        *component = component.with_signs(sign, &own);
    };
    for (k, component) in force.iter_mut().enumerate() {
        image(mirror.polar(k), component);
    }
    for (k, component) in torque.iter_mut().enumerate() {
        image(mirror.axial(k), component);
    }
}
