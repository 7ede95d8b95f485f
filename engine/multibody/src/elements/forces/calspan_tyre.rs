//! A tyre with the side force of the Calspan model. When compiled it is a [`Tyre`](super::Tyre).

use super::ForceInfo;
use super::tyre::mirror;
use crate::description::fields::{Field, Fields};
use crate::description::{Carcass, ForceKind, Mount};
use crate::tyre::Calspan;

/// The entry of the registry.
pub(super) const FORCE: ForceInfo = ForceInfo {
    name: "calspan-tyre",
    doc: "A tyre with the side force of the Calspan model used in the Iltis benchmark, on a road.",
    in_files: true,
    template,
    fields,
    mirror,
};

fn template() -> ForceKind {
    ForceKind::CalspanTyre {
        mount: Mount::default(),
        carcass: Carcass::default(),
        law: Calspan::default(),
    }
}

fn fields(kind: &mut ForceKind, visitor: &mut dyn Fields) {
    let ForceKind::CalspanTyre { mount, carcass, law } = kind else {
        return;
    };
    mount.fields(visitor);
    carcass.fields(visitor, true);
    let mut number = |field: Field, value: &mut f64| visitor.number(&field, value);
    number(
        Field::optional("a_zero", "N/rad", "A0: cornering stiffness at zero load."),
        &mut law.a0,
    );
    number(
        Field::optional("a_one", "1/rad", "A1: growth of the cornering stiffness."),
        &mut law.a1,
    );
    let doc = "A2: load at which the cornering stiffness equals A0 again.";
    number(Field::optional("a_two", "N", doc), &mut law.a2);
    number(
        Field::optional("a_three", "1/rad", "A3: camber thrust coefficient."),
        &mut law.a3,
    );
    let doc = "A4: load at which the camber thrust vanishes.";
    number(Field::optional("a_four", "N", doc), &mut law.a4);
    number(
        Field::optional("b_one", "1/N", "B1: coefficient of friction linear in the load."),
        &mut law.b1,
    );
    number(
        Field::optional("b_three", "", "B3: coefficient of friction at zero load."),
        &mut law.b3,
    );
    let doc = "B4: coefficient of friction quadratic in the load.";
    number(Field::optional("b_four", "1/N²", doc), &mut law.b4);
    number(
        Field::optional("skid", "", "Skid number, a factor on the friction."),
        &mut law.skid,
    );
    let doc = "AF1: coefficient of the aligning moment proportional to load and side force.";
    number(Field::optional("trail_one", "m/N", doc), &mut law.trail1);
    let doc = "AF2: coefficient of the aligning moment quadratic in the side force.";
    number(Field::optional("trail_two", "m/N", doc), &mut law.trail2);
    let doc = "Longitudinal force per slip, for small slip; not part of the benchmark.";
    number(
        Field::optional("slip_stiffness", "N", doc),
        &mut law.slip_stiffness,
    );
}
