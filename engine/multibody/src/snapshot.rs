//! [`Snapshot`]: where everything is at one instant, for output and tests. Allocates.

use crate::elements::scene::{Loads, Moving};
use crate::formalism::energy;
use crate::model::Model;
use crate::workspace::Workspace;
use holonom_algebra::{Mat3, Pose, Quaternion, Vec3, Wrench};

/// How a body moves, in the ground's frame and axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyMotion {
    /// Position of the origin of its frame, m.
    pub position: [f64; 3],
    /// Orientation as Euler parameters, scalar first.
    pub orientation: [f64; 4],
    /// Velocity of the origin, m/s.
    pub velocity: [f64; 3],
    /// Angular velocity, rad/s.
    pub angular_velocity: [f64; 3],
}

/// Poses and velocities of all bodies at one instant.
#[derive(Clone, Debug)]
pub struct Snapshot<'a> {
    model: &'a Model,
    work: Workspace<f64>,
}

impl Model {
    /// Where everything is at time `t` for positions `q` and velocities `v`.
    ///
    /// Own states are as the model gives them, see [`Snapshot::with_states`], and forces that depend on multipliers see zero: along a
    /// run a [`Sampler`](crate::channels::Sampler) knows both.
    ///
    /// # Panics
    /// When `q` or `v` have the wrong length.
    pub fn snapshot(&self, t: f64, q: &[f64], v: &[f64]) -> Snapshot<'_> {
        let mut work = Workspace::new(self);
        work.moving(self, t, q, v);
        Snapshot { model: self, work }
    }

    /// Number of the body with this name; the ground is 0.
    pub fn body_index(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|b| b.name == name)
    }
}

impl Snapshot<'_> {
    /// The same with other own states, such as those of a start.
    ///
    /// # Panics
    /// When there are more or fewer of them.
    pub fn with_states(mut self, x: &[f64]) -> Self {
        self.work.set_states(x);
        self.work.evaluate_controls(self.model);
        self
    }

    /// How the body of this name moves.
    ///
    /// ```
    /// use holonom_multibody::Description;
    /// use holonom_multibody::description::{Body, Joint};
    ///
    /// let mut description = Description::new("wheel");
    /// let wheel = description.add(Body::ball("wheel", 2.0, 0.3));
    /// description.add(Joint::revolute("axle", "ground", &wheel).start(0.0, 5.0));
    /// let model = description.compile()?;
    /// let motion = model.snapshot(0.0, &model.q0, &model.v0).body(&wheel);
    /// assert_eq!(motion.map(|m| m.angular_velocity), Some([0.0, 0.0, 5.0]));
    /// # Ok::<(), holonom_multibody::diagnostic::ModelErrors>(())
    /// ```
    pub fn body(&self, name: impl AsRef<str>) -> Option<BodyMotion> {
        let body = self.model.body_index(name.as_ref())?;
        let (position, velocity) = self.point(body, [0.0; 3]);
        Some(BodyMotion {
            position: position.0,
            orientation: self.orientation(body),
            velocity: velocity.0,
            angular_velocity: self.work.known.world[self.model.bodies[body].node].omega.0,
        })
    }

    /// Pose of a body's frame in the ground's frame.
    pub fn pose(&self, body: usize) -> Pose<f64> {
        let body = &self.model.bodies[body];
        let node = &self.work.known.world[body.node];
        Pose::new(node.rotation, node.position).then(&body.frame)
    }

    /// Orientation of a body as Euler parameters, scalar first.
    pub fn orientation(&self, body: usize) -> [f64; 4] {
        Quaternion::from_rotation_matrix(&self.pose(body).rotation.0).0
    }

    /// Position and velocity of a point given in a body's frame, in the ground's frame.
    pub fn point(&self, body: usize, point: [f64; 3]) -> (Vec3<f64>, Vec3<f64>) {
        let x = self.pose(body).point(Vec3(point));
        let node = &self.work.known.world[self.model.bodies[body].node];
        (x, node.velocity + node.omega.cross(x - node.position))
    }

    /// What elements see.
    fn scene(&self) -> Moving<'_, f64> {
        Moving::known(self.work.known.scene(self.model))
    }

    /// Kinetic energy, J.
    pub fn kinetic_energy(&self) -> f64 {
        energy::kinetic_energy(&self.scene(), &self.model.rods)
    }

    /// Potential energy of gravity and springs, J.
    pub fn potential_energy(&self) -> f64 {
        energy::potential_energy(&self.scene(), &self.model.rods, &self.model.forces)
    }

    /// Linear momentum, and angular momentum about the origin of the ground.
    pub fn momentum(&self) -> Wrench<f64> {
        energy::momentum(&self.scene(), &self.model.rods)
    }

    /// Power of every force element, W, in the order of the model.
    pub fn powers(&self) -> Vec<f64> {
        let mut wrenches = vec![Wrench::zero(); self.model.tree.nodes.len()];
        let mut generalised = vec![0.0; self.model.tree.n_v];
        let mut driven = vec![0.0; self.model.tree.n_signals];
        let mut loads = Loads {
            wrenches: &mut wrenches,
            generalised: &mut generalised,
            driven: &mut driven,
        };
        let scene = self.scene();
        let forces = self.model.forces.iter();
        forces
            .map(|f| energy::force_power(&f.element, &scene.of(&f.states), &mut loads))
            .collect()
    }

    /// Stored energy of every force element that stores some, J.
    pub fn stored_energies(&self) -> Vec<Option<f64>> {
        let scene = self.scene();
        self.model
            .forces
            .iter()
            .map(|f| f.element.energy(&scene.of(&f.states)))
            .collect()
    }

    /// Angular velocity of a body in the axes of its own frame.
    pub fn angular_velocity(&self, body: usize) -> Vec3<f64> {
        let rotation: Mat3<f64> = self.pose(body).rotation;
        rotation.transpose_times(self.work.known.world[self.model.bodies[body].node].omega)
    }
}
