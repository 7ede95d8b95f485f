//! A tyre of constant stiffness. When compiled it is a [`Tyre`](super::Tyre).

use super::ForceInfo;
use super::tyre::mirror;
use crate::description::fields::{Field, Fields};
use crate::description::{Carcass, ForceKind, Mount};
use crate::tyre::Linear;

/// The entry of the registry.
pub(super) const FORCE: ForceInfo = ForceInfo {
    name: "linear-tyre",
    doc: "A tyre with constant slip stiffnesses, limited by the friction ellipse, on a road.",
    in_files: true,
    template,
    fields,
    mirror,
};

fn template() -> ForceKind {
    ForceKind::LinearTyre {
        mount: Mount::default(),
        carcass: Carcass::default(),
        law: Linear::default(),
    }
}

fn fields(kind: &mut ForceKind, visitor: &mut dyn Fields) {
    let ForceKind::LinearTyre { mount, carcass, law } = kind else {
        return;
    };
    mount.fields(visitor);
    carcass.fields(visitor, true);
    let mut number = |field: Field, value: &mut f64| visitor.number(&field, value);
    let doc = "Longitudinal force per slip, for small slip.";
    number(
        Field::required("slip_stiffness", "N", doc),
        &mut law.slip_stiffness,
    );
    let doc = "Side force per slip angle, for small angles.";
    number(
        Field::required("cornering_stiffness", "N/rad", doc),
        &mut law.cornering_stiffness,
    );
    number(
        Field::optional("camber_stiffness", "N/rad", "Side force per camber angle."),
        &mut law.camber_stiffness,
    );
    let doc = "Load to which the slip stiffnesses refer; they are proportional to the load. Zero: they are constant.";
    number(Field::optional("nominal_load", "N", doc), &mut law.nominal_load);
    number(
        Field::optional("friction_x", "", "Longitudinal friction coefficient."),
        &mut law.friction_x,
    );
    number(
        Field::optional("friction_y", "", "Lateral friction coefficient."),
        &mut law.friction_y,
    );
    let doc = "Pneumatic trail for small slip.";
    number(Field::optional("trail", "m", doc), &mut law.trail);
}
