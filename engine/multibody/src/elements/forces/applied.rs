//! A given force and torque.

use super::{ForceInfo, ForceLaw, Reach};
use crate::description::fields::{Field, Fields};
use crate::description::{ForceKind, Mirror};
use crate::elements::scene::{Loads, Scene};
use crate::model::Attachment;
use crate::signal::Signal;
use holonom_algebra::{Orientation, Real, Vec3};

/// The entry of the registry.
pub(super) const FORCE: ForceInfo = ForceInfo {
    name: "applied",
    doc: "A prescribed force and torque at the origin of a frame, without an opposite load.",
    in_files: true,
    template,
    fields,
    mirror,
};

fn template() -> ForceKind {
    ForceKind::Applied {
        frame: String::new(),
        force: [0.0; 3].map(Signal::constant),
        torque: [0.0; 3].map(Signal::constant),
        follower: false,
    }
}

fn fields(kind: &mut ForceKind, visitor: &mut dyn Fields) {
    let ForceKind::Applied { frame, force, torque, follower } = kind else {
        return;
    };
    visitor.frame(&Field::required("frame", "", "Frame on which the load acts."), frame);
    visitor.signals(&Field::optional("force", "N", "Components of the force."), force);
    visitor.signals(&Field::optional("torque", "N m", "Components of the torque."), torque);
    let doc = "The components are in the axes of the frame and rotate with it, instead of in ground axes.";
    visitor.flag(&Field::optional("follower", "", doc), follower);
}

fn mirror(kind: &mut ForceKind, mirror: &mut Mirror) {
    if let ForceKind::Applied { force, torque, .. } = kind {
        mirror.polar_signals(force);
        mirror.axial_signals(torque);
    }
}

/// A force and a torque over time at the origin of a frame; reacts on nothing.
#[derive(Clone, Debug)]
pub struct Applied {
    /// Where it acts.
    pub frame: Attachment,
    /// Force components; of [u, u̇, ü] only u counts.
    pub force: [Signal; 3],
    /// Torque components.
    pub torque: [Signal; 3],
    /// Components in the axes of the frame instead of the ground's.
    pub follower: bool,
}

impl ForceLaw for Applied {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let at = |signals: &[Signal; 3]| Vec3([0, 1, 2].map(|k| scene.value(&signals[k])));
        let (mut force, mut torque) = (at(&self.force), at(&self.torque));
        let rotation = &scene.world[self.frame.node].rotation;
        if self.follower {
            let axes = rotation.then_constant(&self.frame.frame.rotation);
            force = axes.times(force);
            torque = axes.times(torque);
        }
        loads.add(
            self.frame.node,
            rotation.times_constant(self.frame.frame.position),
            force,
            torque,
        );
    }

    fn energy<T: Real>(&self, _: &Scene<T>) -> Option<T> {
        None
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Frame(&self.frame)
    }

    fn stores_energy(&self) -> bool {
        false
    }
}
