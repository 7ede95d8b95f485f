//! A channel of the mechanism as a signal.

use super::{ControlInfo, ControlLaw, Probe};
use crate::compile::names::GROUND;
use crate::description::fields::{Field, Fields};
use crate::description::{ControlKind, Mirror};
use crate::elements::scene::Scene;
use holonom_algebra::Real;

/// The entry of the registry.
pub(super) const CONTROL: ControlInfo = ControlInfo {
    name: "sensor",
    doc: "Any channel of the mechanism as a signal.",
    in_files: true,
    template,
    fields,
    mirror,
};

fn template() -> ControlKind {
    ControlKind::Sensor {
        channel: String::new(),
        factor: 1.0,
        axes: GROUND.to_string(),
    }
}

fn fields(kind: &mut ControlKind, visitor: &mut dyn Fields) {
    let ControlKind::Sensor { channel, factor, axes } = kind else {
        return;
    };
    let doc = "Name of the channel, such as `knee.angle.velocity`.";
    visitor.channel(&Field::required("channel", "", doc), channel);
    let doc = "Factor applied to the value.";
    visitor.number(&Field::optional("factor", "1", doc), factor);
    let doc = "Frame to which positions and orientations are relative, and whose axes define the components of velocities, accelerations, forces and torques.";
    visitor.frame(&Field::optional("axes", "", doc), axes);
}

fn mirror(kind: &mut ControlKind, mirror: &mut Mirror) {
    if let ControlKind::Sensor { channel, factor, .. } = kind {
        *factor *= mirror.channel(channel);
    }
}

/// factor · channel.
#[derive(Clone, Debug)]
pub struct Sensor {
    /// Name of the channel.
    pub channel: String,
    /// Where its value comes from.
    pub probe: Probe,
    /// What it is multiplied by.
    pub factor: f64,
}

impl ControlLaw for Sensor {
    fn output<T: Real>(&self, scene: &Scene<T>) -> T {
        self.probe.value(scene) * self.factor
    }
}
