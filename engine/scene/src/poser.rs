//! Poses of the bodies along a motion.

use holonom_algebra::{Pose, Quaternion};
use holonom_multibody::Model;
use holonom_multibody::kinematics::world::world_positions;
use holonom_multibody::workspace::Workspace;

/// Puts bodies where time and positions say. Allocates when made, not afterwards.
#[derive(Clone, Debug)]
pub struct Poser {
    work: Workspace<f64>,
    poses: Vec<Pose<f64>>,
}

impl Poser {
    /// Memory for a model.
    pub fn new(model: &Model) -> Self {
        Self {
            work: Workspace::new(model),
            poses: vec![Pose::identity(); model.bodies.len()],
        }
    }

    /// The frames of all bodies in that of the ground, which is the first of them.
    ///
    /// # Panics
    /// When there are more or fewer positions than the model has.
    pub fn poses(&mut self, model: &Model, t: f64, q: &[f64]) -> &[Pose<f64>] {
        let work = &mut self.work;
        work.set_time(model, t);
        work.set_positions(model, q);
        if !model.needs_world {
            world_positions(&model.tree, &work.known.geometry, &mut work.known.world);
        }
        for (pose, body) in self.poses.iter_mut().zip(&model.bodies) {
            let node = &work.known.world[body.node];
            *pose = Pose::new(node.rotation, node.position).then(&body.frame);
        }
        &self.poses
    }

    /// The same as numbers: for every body but the ground x, y, z, then the Euler parameters x, y, z, w.
    ///
    /// # Panics
    /// When there are more or fewer positions than the model has.
    pub fn append(&mut self, model: &Model, t: f64, q: &[f64], out: &mut Vec<f32>) {
        self.poses(model, t, q);
        for pose in &self.poses[1..] {
            out.extend(numbers(pose));
        }
    }
}

/// Position and Euler parameters, the scalar last.
pub fn numbers(pose: &Pose<f64>) -> [f32; 7] {
    let [w, x, y, z] = Quaternion::from_rotation_matrix(&pose.rotation.0).0;
    let p = pose.position.0;
    [p[0], p[1], p[2], x, y, z, w].map(|x| x as f32)
}
