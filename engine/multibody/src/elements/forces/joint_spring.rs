//! Spring, damper and motor on one coordinate.

use super::ForceLaw;
use crate::elements::scene::{Loads, Scene};
use crate::signal::Signal;
use holonom_algebra::Real;

/// τ = −k (x − x₀) − c ẋ + motor(t) on the scalar coordinate of a node. Angles count turns.
///
/// On a prescribed coordinate there is no equation for the force to enter: it adds nothing.
#[derive(Clone, Debug)]
pub struct JointSpring {
    /// The node whose coordinate it acts on; not a ball.
    pub node: usize,
    /// Stiffness k.
    pub stiffness: f64,
    /// Damping c.
    pub damping: f64,
    /// Position x₀ without force.
    pub free_position: f64,
    /// Force or torque that acts besides; only its value counts.
    pub motor: Signal,
}

impl ForceLaw for JointSpring {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let [x, rate, _] = scene.coordinate(self.node);
        let motor = self.motor.evaluate(scene.t)[0];
        let force = motor - (x - self.free_position) * self.stiffness - rate * self.damping;
        loads.add_generalised(scene.tree, self.node, force);
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let [x, ..] = scene.coordinate(self.node);
        Some((x - self.free_position).square() * (0.5 * self.stiffness))
    }

    fn nodes(&self) -> [Option<usize>; 2] {
        [Some(self.node), None]
    }
}
