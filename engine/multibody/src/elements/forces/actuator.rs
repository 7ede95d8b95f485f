//! Given force along a line and torque about an axis.

use super::line::length;
use super::{DescribedForce, ForceElement, ForceKind, ForceLaw, Reach};
use crate::fields::{FROM, Field, Fields, TO};
use crate::description::{Force, Mirror};
use crate::elements::constraints::relative::Relative;
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use crate::signal::Signal;
use holonom_algebra::{Real, Wrench};

/// A force along the line between two origins, pushing them apart, and a torque about z of the
/// first frame on the second. Where the origins coincide the line has no direction and the force
/// does not act.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Actuator<R: References = Attached> {
    /// First frame.
    pub from: R::Frame,
    /// Second frame.
    pub to: R::Frame,
    /// Force over time; only its value counts.
    pub force: Signal,
    /// Torque over time; only its value counts.
    pub torque: Signal,
}

impl DescribedForce for Actuator<Named> {
    const NAME: &str = "actuator";
    const DOC: &str = "A prescribed force along the line between two frames, and a prescribed torque about z of the first.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { from, to, force, torque } = self;
        visitor.frame(&FROM, from);
        visitor.frame(&TO, to);
        visitor.signal(&Field::optional("force", "N", "Force that pushes the origins apart."), force);
        let doc = "Torque on the second frame about z of the first; the opposite torque acts on the first.";
        visitor.signal(&Field::optional("torque", "N m", doc), torque);
    }

    fn faults(&self, faults: &mut Faults) {
        faults.signal("force", &self.force);
        faults.signal("torque", &self.torque);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, Actuator { from: frame, to: frame, force, torque })
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        let sign = mirror.axial(2);
        mirror.signal(&mut self.torque, sign);
    }
}


/// Constructors.
impl Force {
    /// A force over time that pushes the origins of two frames apart, N.
    pub fn actuator(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        force: Signal,
    ) -> Self {
        let kind = ForceKind::Actuator(Actuator {
            from: from.into(),
            to: to.into(),
            force,
            torque: Signal::constant(0.0),
        });
        Self::new(name, kind)
    }

    /// A torque over time on the second frame about z of the first, N m.
    pub fn torque_actuator(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        torque: Signal,
    ) -> Self {
        let kind = ForceKind::Actuator(Actuator {
            from: from.into(),
            to: to.into(),
            force: Signal::constant(0.0),
            torque,
        });
        Self::new(name, kind)
    }
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
