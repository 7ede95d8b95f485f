//! The part of the rods' inertia that couples their ends.

use crate::elements::scene::{Loads, Scene};
use crate::model::ModelRod;
use holonom_algebra::{Orientation, Real, Vec3};

/// Adds the inertial coupling of the rods for the accelerations in the scene.
///
/// A slender rod has the mass matrix (m/6)[2I I; I 2I] on its end points. The diagonal is a point
/// mass m/3 at each end and part of the nodes' inertias; what is left is the force
/// −(m/6)(a_B − g) on end A and −(m/6)(a_A − g) on end B, with g the acceleration of free fall.
/// Gravity then pulls at each end with (m/3 + m/6) g, half the weight.
pub fn rod_loads<T: Real>(rods: &[ModelRod], scene: &Scene<T>, loads: &mut Loads<T>) {
    let gravity = Vec3::constant(scene.tree.gravity);
    for rod in rods {
        let sixth = rod.mass / 6.0;
        let [a, b] = &rod.ends;
        for (end, other) in [(a, b), (b, a)] {
            let (_, acceleration) = scene.acceleration(other);
            let arm = scene.world[end.node].rotation.times_constant(end.frame.position);
            loads.add(end.node, arm, (gravity - acceleration).scale(sixth), Vec3::zero());
        }
    }
}
