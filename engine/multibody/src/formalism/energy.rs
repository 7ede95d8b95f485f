//! Energy, momentum, centre of mass and power.
//!
//! Sums run over the nodes. Rods add what their end points do not have: of (m/6)[2I I; I 2I] the
//! nodes carry the diagonal (m/3 at each end), the coupling is added here. What is fixed on the
//! ground does not count, except the ground ends of rods.

pub use crate::elements::forces::force_power;
use crate::elements::scene::{Moving, Placed};
use crate::model::{ModelForce, ModelRod};
use crate::tree::Attachment;
use holonom_algebra::{Orientation, Real, Twist, Vec3, Wrench};

/// Position of a frame's origin.
fn origin<T: Real>(scene: &Placed<T>, at: &Attachment) -> Vec3<T> {
    let node = &scene.world[at.node];
    node.position + node.rotation.times_constant(at.frame.position)
}

/// Kinetic energy.
pub fn kinetic_energy<T: Real>(scene: &Moving<T>, rods: &[ModelRod]) -> T {
    let mut sum = T::zero();
    for (node, w) in scene.tree.nodes.iter().zip(scene.world).skip(1) {
        if node.has_inertia {
            let motion = Twist::new(
                w.rotation.transpose_times(w.omega),
                w.rotation.transpose_times(w.velocity),
            );
            sum += motion.power(&node.inertia.times(&motion)) * 0.5;
        }
    }
    for rod in rods {
        // (m/6)(v_A² + v_A·v_B + v_B²) less the point masses' (m/6)(v_A² + v_B²).
        let [a, b] = [0, 1].map(|k| scene.frame(&rod.ends[k]).velocity);
        sum += a.dot(b) * (rod.mass / 6.0);
    }
    sum
}

/// Mass that moves, and first moment Σ m x about the ground's origin.
fn first_moment<T: Real>(scene: &Placed<T>, rods: &[ModelRod]) -> (f64, Vec3<T>) {
    let (mut mass, mut moment) = (0.0, Vec3::zero());
    for (node, w) in scene.tree.nodes.iter().zip(scene.world).skip(1) {
        if node.has_inertia {
            mass += node.inertia.mass;
            moment += w.position.scale(node.inertia.mass) + w.rotation.times_constant(node.inertia.first);
        }
    }
    for rod in rods {
        for end in &rod.ends {
            // Half the rod at each end, of which a node other than the ground has m/3.
            let share = if end.node == 0 {
                rod.mass / 2.0
            } else {
                rod.mass / 6.0
            };
            mass += share;
            moment += origin(scene, end).scale(share);
        }
    }
    (mass, moment)
}

/// Potential energy of gravity, zero for a mass at the ground's origin.
pub fn gravity_energy<T: Real>(scene: &Placed<T>, rods: &[ModelRod]) -> T {
    -first_moment(scene, rods).1.dot(scene.tree.gravity)
}

/// Potential energy: gravity and springs.
pub fn potential_energy<T: Real>(scene: &Placed<T>, rods: &[ModelRod], forces: &[ModelForce]) -> T {
    let mut sum = gravity_energy(scene, rods);
    for force in forces {
        if let Some(energy) = force.element.energy(&scene.of(&force.states)) {
            sum += energy;
        }
    }
    sum
}

/// Mass and centre of mass; none without mass.
pub fn centre_of_mass<T: Real>(scene: &Placed<T>, rods: &[ModelRod]) -> Option<(f64, Vec3<T>)> {
    let (mass, moment) = first_moment(scene, rods);
    (mass > 0.0).then(|| (mass, moment.scale(1.0 / mass)))
}

/// Linear momentum (`force`) and angular momentum about the ground's origin (`moment`).
pub fn momentum<T: Real>(scene: &Moving<T>, rods: &[ModelRod]) -> Wrench<T> {
    let mut sum = Wrench::zero();
    for (node, w) in scene.tree.nodes.iter().zip(scene.world).skip(1) {
        if node.has_inertia {
            let motion = Twist::new(
                w.rotation.transpose_times(w.omega),
                w.rotation.transpose_times(w.velocity),
            );
            let own = node.inertia.times(&motion);
            let linear = w.rotation.times(own.force);
            sum += Wrench::new(w.rotation.times(own.moment) + w.position.cross(linear), linear);
        }
    }
    for rod in rods {
        let sixth = rod.mass / 6.0;
        let [a, b] = [0, 1].map(|k| scene.frame(&rod.ends[k]));
        for (end, other) in [(&a, &b), (&b, &a)] {
            sum += Wrench::at_point(end.origin, other.velocity.scale(sixth));
        }
    }
    sum
}
