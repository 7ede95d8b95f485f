//! A driver who holds a speed.

use super::follow::limited;
use super::{ControlElement, ControlKind, ControlLaw, DescribedControl};
use crate::fields::{Field, Fields};
use crate::description::{Axis, Control, Mirror};
use crate::elements::faults::Faults;
use crate::elements::forces::OwnState;
use crate::elements::references::{Attached, Named, References, ResolveControl, attached};
use crate::elements::scene::Scene;
use crate::tree::Attachment;
use crate::signal::Signal;
use holonom_algebra::{Orientation, Pose, Real};

/// Numbers of a driver who holds a speed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpeedLaw {
    /// P ≥ 0.
    pub proportional: f64,
    /// I ≥ 0.
    pub integral: f64,
    /// m.
    pub inertia: f64,
    /// Largest output, positive.
    pub drive: f64,
    /// Largest negative output, as a positive number.
    pub brake: f64,
    /// w at the start.
    pub start: f64,
}

impl SpeedLaw {
    fn faults(&self, faults: &mut Faults) {
        faults.zero_or_above("proportional", self.proportional);
        faults.zero_or_above("integral", self.integral);
        faults.bounded("inertia", self.inertia, self.inertia.is_finite(), "finite");
        faults.above_zero("drive", self.drive);
        faults.above_zero("brake", self.brake);
        faults.bounded("start", self.start, self.start.is_finite(), "finite");
    }
}

/// With the speed v along the frame's x axis and e = v* − v,
///
/// u = P e + w + m v̇* + F,  y = sat(u),  ẇ = I e + (y − u)/T,
///
/// the last term being the anti-windup of back calculation with T = P/I, or 1 s where that is not a positive
/// time (K. J. Åström, R. M. Murray, Feedback Systems, 2008, §10.4). sat keeps −brake ≤ y ≤ drive and is the
/// identity but for smooth corners. v̇* is that of a target over time; of one that names controls it is not
/// known and left out. Without integral gain there is no w.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DriverSpeed<R: References = Attached> {
    /// Frame of the vehicle.
    pub frame: R::Frame,
    /// The front is at −x of it.
    pub reversed: bool,
    /// v*.
    pub target: Signal,
    /// F.
    pub feed_forward: Signal,
    /// Numbers.
    pub law: SpeedLaw,
}

impl DescribedControl for DriverSpeed<Named> {
    const NAME: &str = "driver-speed";
    const DOC: &str = "Driver model that controls speed: the output is a driving torque or force, negative for braking.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self {
            frame,
            reversed,
            target,
            feed_forward,
            law,
        } = self;
        let doc = "Frame of the vehicle; its speed along the x axis is controlled.";
        visitor.frame(&Field::required("frame", "", doc), frame);
        let doc = "The front of the frame points to −x.";
        visitor.flag(&Field::optional("reversed", "", doc), reversed);
        let doc = "Target speed, as a function of time or of other controls such as the arc length from a path-sensor.";
        visitor.signal(&Field::required("target", "m/s", doc), target);
        let doc = "Output per speed error.";
        visitor.number(
            &Field::required("proportional", "N m s/m or N s/m", doc),
            &mut law.proportional,
        );
        let doc = "Output per integral of the speed error.";
        visitor.number(
            &Field::optional("integral", "N m/m or N/m", doc),
            &mut law.integral,
        );
        let doc = "Output per acceleration of the target, if the target is a function of time: mass times wheel radius for a torque.";
        visitor.number(&Field::optional("inertia", "kg m or kg", doc), &mut law.inertia);
        let doc = "Feed-forward output, such as that needed to overcome driving resistances.";
        visitor.signal(&Field::optional("feed_forward", "N m or N", doc), feed_forward);
        let doc = "Largest driving output.";
        visitor.number(&Field::required("drive", "N m or N", doc), &mut law.drive);
        let doc = "Largest braking output, as a positive number.";
        visitor.number(&Field::required("brake", "N m or N", doc), &mut law.brake);
        let doc = "Initial value of the integral part.";
        visitor.number(&Field::optional("start", "N m or N", doc), &mut law.start);
    }

    fn faults(&self, faults: &mut Faults) {
        faults.signal_quantity("the target", &self.target);
        faults.signal_quantity("`feed_forward`", &self.feed_forward);
        self.law.faults(faults);
    }

    fn attach(&self, to: &mut dyn ResolveControl) -> Option<ControlElement> {
        attached!(self, to, DriverSpeed { frame: frame, reversed, target, feed_forward, law })
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        self.reversed ^= mirror.axis() == Axis::X;
    }
}


impl DriverSpeed {
    /// e and u.
    fn unlimited<T: Real>(&self, scene: &Scene<T>) -> (T, T) {
        let law = &self.law;
        let frame = scene.frame(&self.frame);
        let forward = if self.reversed { -1.0 } else { 1.0 };
        let speed = frame.velocity.dot(frame.axes.column(0)) * forward;
        let [target, gain] = scene.value_and_rate(&self.target);
        let error = target - speed;
        let mut u = error * law.proportional + gain * law.inertia + scene.value(&self.feed_forward);
        if let Some(w) = scene.own.first() {
            u += *w;
        }
        (error, u)
    }

    fn limited<T: Real>(&self, u: T) -> T {
        limited(u, [-self.law.brake, self.law.drive])
    }
}

/// Constructors.
impl Control {
    /// A driver who holds a speed, m/s, of a frame along its x axis.
    pub fn driver_speed(
        name: impl Into<String>,
        frame: impl Into<String>,
        target: Signal,
        law: SpeedLaw,
    ) -> Self {
        let kind = ControlKind::DriverSpeed(DriverSpeed {
            frame: frame.into(),
            reversed: false,
            target,
            feed_forward: Signal::constant(0.0),
            law,
        });
        Self::new(name, kind)
    }
}

impl ControlLaw for DriverSpeed {
    fn output<T: Real>(&self, scene: &Scene<T>) -> T {
        self.limited(self.unlimited(scene).1)
    }

    fn states(&self) -> Vec<OwnState> {
        match self.law.integral {
            0.0 => Vec::new(),
            _ => vec![OwnState::new(
                "integral",
                "1",
                "integral part of the output",
                self.law.start,
            )],
        }
    }

    fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let (p, i) = (self.law.proportional, self.law.integral);
        if let Some(out) = out.first_mut() {
            let (error, u) = self.unlimited(scene);
            let time = if p / i > 0.0 { p / i } else { 1.0 };
            *out = error * i + (self.limited(u) - u) * (1.0 / time);
        }
    }

    fn set_point(&self) -> Option<&Signal> {
        Some(&self.target)
    }

    fn set_point_mut(&mut self) -> Option<&mut Signal> {
        Some(&mut self.target)
    }

    fn frames(&self) -> Option<[Attachment; 2]> {
        // The speed is that against the ground.
        let ground = Attachment {
            node: 0,
            frame: Pose::identity(),
        };
        Some([ground, self.frame])
    }
}
