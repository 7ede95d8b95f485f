//! A given force and torque.

use super::{DescribedForce, ForceElement, ForceLaw, Reach};
use crate::fields::{Field, Fields};
use crate::description::{Called, Force, Mirror};
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use crate::signal::Signal;
use holonom_algebra::{Orientation, Real, Vec3};

/// A force and a torque over time at the origin of a frame; reacts on nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Applied<R: References = Attached> {
    /// Where it acts.
    pub frame: R::Frame,
    /// Force components; of [u, u̇, ü] only u counts.
    pub force: [Signal; 3],
    /// Torque components.
    pub torque: [Signal; 3],
    /// Components in the axes of the frame instead of the ground's.
    pub follower: bool,
}

impl DescribedForce for Applied<Named> {
    const NAME: &str = "applied";
    const DOC: &str = "A prescribed force and torque at the origin of a frame, without an opposite load.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { frame, force, torque, follower } = self;
        visitor.frame(&Field::required("frame", "", "Frame on which the load acts."), frame);
        visitor.signals(&Field::optional("force", "N", "Components of the force."), force);
        visitor.signals(&Field::optional("torque", "N m", "Components of the torque."), torque);
        let doc = "The components are in the axes of the frame and rotate with it, instead of in ground axes.";
        visitor.flag(&Field::optional("follower", "", doc), follower);
    }

    fn faults(&self, faults: &mut Faults) {
        for (signals, quantity) in [(&self.force, "the force"), (&self.torque, "the torque")] {
            for signal in signals {
                faults.signal_quantity(quantity, signal);
            }
        }
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, Applied { frame: frame, force, torque, follower })
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        mirror.polar_signals(&mut self.force);
        mirror.axial_signals(&mut self.torque);
    }

    fn ground_vectors(&mut self) -> Vec<&mut [Signal; 3]> {
        match self.follower {
            true => Vec::new(),
            false => vec![&mut self.force, &mut self.torque],
        }
    }
}


/// Constructors.
impl Force {
    /// A force over time at the origin of a frame, in the axes of the ground, N.
    ///
    /// ```
    /// use holonom_multibody::Signal;
    /// use holonom_multibody::description::Force;
    /// let zero = || Signal::constant(0.0);
    /// let thrust = Force::applied("thrust", "rocket.nozzle", [zero(), zero(), Signal::constant(1e4)]).follower();
    /// ```
    pub fn applied(
        name: impl Into<String>,
        frame: impl Into<String>,
        force: [Signal; 3],
    ) -> Called<Applied<Named>> {
        let kind = Applied {
            frame: frame.into(),
            force,
            torque: [0.0; 3].map(Signal::constant),
            follower: false,
        };
        Called::new(name, kind)
    }

    /// A torque over time on a frame, in the axes of the ground, N m.
    pub fn torque(
        name: impl Into<String>,
        frame: impl Into<String>,
        torque: [Signal; 3],
    ) -> Called<Applied<Named>> {
        let kind = Applied {
            frame: frame.into(),
            force: [0.0; 3].map(Signal::constant),
            torque,
            follower: false,
        };
        Called::new(name, kind)
    }
}

impl Called<Applied<Named>> {
    /// Lets the force or torque turn with its frame.
    pub fn follower(mut self) -> Self {
        self.kind.follower = true;
        self
    }
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
