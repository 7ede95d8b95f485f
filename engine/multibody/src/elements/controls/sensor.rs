//! A channel of the mechanism as a signal.

use super::{ControlElement, ControlLaw, DescribedControl};
use crate::names::GROUND;
use crate::fields::{Field, Fields};
use crate::description::{Called, Control, Mirror};
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, ResolveControl};
use crate::elements::scene::Scene;
use holonom_algebra::Real;

/// factor · channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor<R: References = Attached> {
    /// The channel.
    pub channel: R::Channel,
    /// What its value is multiplied by.
    pub factor: f64,
    /// Frame that positions and orientations are seen from, and whose axes components of vectors are in.
    pub axes: String,
}

impl Default for Sensor<Named> {
    fn default() -> Self {
        Self {
            channel: String::new(),
            factor: 1.0,
            axes: GROUND.to_string(),
        }
    }
}

impl DescribedControl for Sensor<Named> {
    const NAME: &str = "sensor";
    const DOC: &str = "Any channel of the mechanism as a signal.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { channel, factor, axes } = self;
        let doc = "Name of the channel, such as `knee.angle.velocity`.";
        visitor.channel(&Field::required("channel", "", doc), channel);
        let doc = "Factor applied to the value.";
        visitor.number(&Field::optional("factor", "", doc), factor);
        let doc = "Frame to which positions and orientations are relative, and whose axes define the components of velocities, accelerations, forces and torques.";
        visitor.frame(&Field::optional("axes", "", doc), axes);
    }

    fn faults(&self, faults: &mut Faults) {
        faults.finite_quantity("the factor", &[self.factor]);
    }

    fn attach(&self, to: &mut dyn ResolveControl) -> Option<ControlElement> {
        let sensor: Sensor = Sensor {
            channel: to.channel(&self.channel, &self.axes)?,
            factor: self.factor,
            axes: self.axes.clone(),
        };
        Some(sensor.into())
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        self.factor *= mirror.channel(&self.channel);
    }
}


/// Constructors.
impl Control {
    /// A channel of the mechanism.
    pub fn sensor(name: impl Into<String>, channel: impl Into<String>) -> Called<Sensor<Named>> {
        let kind = Sensor {
            channel: channel.into(),
            ..Sensor::default()
        };
        Called::new(name, kind)
    }
}

impl Called<Sensor<Named>> {
    /// Lets it see positions and orientations from a frame, and take components of velocities,
    /// forces and torques in its axes, instead of those of the ground.
    ///
    /// ```
    /// use holonom_multibody::description::Control;
    ///
    /// let along = Control::sensor("speed", "car.velocity.x").axes("car");
    /// ```
    pub fn axes(mut self, frame: impl Into<String>) -> Self {
        self.kind.axes = frame.into();
        self
    }
}

impl ControlLaw for Sensor {
    fn output<T: Real>(&self, scene: &Scene<T>) -> T {
        scene.controls[self.channel.control + 1] * self.factor
    }
}
