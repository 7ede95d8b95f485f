//! Given force along a line and torque about an axis.

use super::line::length;
use super::{ForceInfo, ForceLaw, Reach};
use crate::description::fields::{FROM, Field, Fields, TO};
use crate::description::{ForceKind, Mirror};
use crate::elements::constraints::relative::Relative;
use crate::elements::scene::{Loads, Scene};
use crate::model::Attachment;
use crate::signal::Signal;
use holonom_algebra::{Real, Wrench};

/// The entry of the registry.
pub(super) const FORCE: ForceInfo = ForceInfo {
    name: "actuator",
    doc: "A prescribed force along the line between two frames, and a prescribed torque about z of the first.",
    in_files: true,
    template,
    fields,
    mirror,
};

fn template() -> ForceKind {
    ForceKind::Actuator {
        from: String::new(),
        to: String::new(),
        force: Signal::constant(0.0),
        torque: Signal::constant(0.0),
    }
}

fn fields(kind: &mut ForceKind, visitor: &mut dyn Fields) {
    let ForceKind::Actuator { from, to, force, torque } = kind else {
        return;
    };
    visitor.frame(&FROM, from);
    visitor.frame(&TO, to);
    visitor.signal(&Field::optional("force", "N", "Force that pushes the origins apart."), force);
    let doc = "Torque on the second frame about z of the first; the opposite torque acts on the first.";
    visitor.signal(&Field::optional("torque", "N m", doc), torque);
}

fn mirror(kind: &mut ForceKind, mirror: &mut Mirror) {
    if let ForceKind::Actuator { torque, .. } = kind {
        let sign = mirror.axial(2);
        mirror.signal(torque, sign);
    }
}

/// A force along the line between two origins, pushing them apart, and a torque about z of the
/// first frame on the second. Where the origins coincide the line has no direction and the force
/// does not act.
#[derive(Clone, Debug)]
pub struct Actuator {
    /// First frame.
    pub from: Attachment,
    /// Second frame.
    pub to: Attachment,
    /// Force over time; only its value counts.
    pub force: Signal,
    /// Torque over time; only its value counts.
    pub torque: Signal,
}

impl ForceLaw for Actuator {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let relative = Relative::new(scene, &self.from, &self.to);
        let (_, inverse) = length(relative.distance);
        let force = scene.value(&self.force);
        let torque = scene.value(&self.torque);
        let load = Wrench::new(
            relative.first_axis(2).scale(torque),
            relative.distance.scale(inverse * force),
        );
        relative.add_load(&load, loads);
    }

    fn energy<T: Real>(&self, _: &Scene<T>) -> Option<T> {
        None
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Pair(&self.from, &self.to)
    }

    fn stores_energy(&self) -> bool {
        false
    }
}
