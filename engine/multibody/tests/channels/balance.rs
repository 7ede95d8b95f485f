//! Every body cut free obeys Newton and Euler, by the values of channels alone.

use super::*;
use holonom_algebra::{Mat3, Quaternion, Sym3, Vec3};
use holonom_multibody::description::{ConstraintKind, ForceKind};

/// What is known of a mechanism: its description and the values of its channels.
struct Known<'a> {
    description: &'a Description,
    values: HashMap<String, f64>,
}

impl Known<'_> {
    /// Position and orientation of a frame by its name.
    fn pose(&self, name: &str) -> (Vec3<f64>, Mat3<f64>) {
        let (body, marker) = name.split_once('.').unwrap_or((name, ""));
        if body == "ground" {
            let marker = self.description.ground.iter().find(|m| m.name == marker);
            return marker.map_or((Vec3::zero(), Mat3::identity()), |m| {
                (m.frame.position, m.frame.rotation)
            });
        }
        let part = |k: &str| self.values[&format!("{name}.orientation.{k}")];
        let e = Quaternion(["w", "x", "y", "z"].map(part));
        (
            vector(&self.values, &format!("{name}.position")),
            Mat3(e.rotation_matrix()),
        )
    }

    fn acceleration(&self, name: &str) -> Vec3<f64> {
        if name.split('.').next() == Some("ground") {
            return Vec3::zero();
        }
        vector(&self.values, &format!("{name}.acceleration"))
    }
}

/// (force, moment about the ground's origin) on each body.
#[derive(Default)]
struct Sums(HashMap<String, (Vec3<f64>, Vec3<f64>)>);

impl Sums {
    fn add(&mut self, frame: &str, point: Vec3<f64>, force: Vec3<f64>, moment: Vec3<f64>) {
        let body = frame.split('.').next().unwrap().to_string();
        let sum = self.0.entry(body).or_insert((Vec3::zero(), Vec3::zero()));
        sum.0 += force;
        sum.1 += moment + point.cross(force);
    }

    fn add_pair(&mut self, from: &str, to: &str, point: Vec3<f64>, force: Vec3<f64>, moment: Vec3<f64>) {
        self.add(to, point, force, moment);
        self.add(from, point, -force, -moment);
    }
}

/// A vector channel, or zero where there is none.
fn load(values: &HashMap<String, f64>, name: String) -> Vec3<f64> {
    match values.contains_key(&format!("{name}.x")) {
        true => vector(values, &name),
        false => Vec3::zero(),
    }
}

/// Largest imbalance over all bodies, relative to the largest load.
fn imbalance(description: &Description, values: HashMap<String, f64>) -> f64 {
    let known = Known { description, values };
    let values = &known.values;
    let gravity = Vec3(description.gravity);
    let mut sums = Sums::default();
    let mut largest = 1.0_f64;
    let joints = description
        .joints
        .iter()
        .map(|j| (&j.name, j.from.as_str(), j.to.as_str()));
    let constraints = description.constraints.iter().filter_map(|c| match &c.kind {
        ConstraintKind::Point { from, to } | ConstraintKind::Distance { from, to, .. } => {
            Some((&c.name, from.as_str(), to.as_str()))
        }
        ConstraintKind::Rolling { wheel, plane, .. } => Some((&c.name, plane.as_str(), wheel.as_str())),
        _ => None,
    });
    let rods = description
        .rods
        .iter()
        .map(|r| (&r.name, r.from.as_str(), r.to.as_str()));
    for (name, from, to) in joints.chain(constraints).chain(rods) {
        let axes = known.pose(from).1;
        let force = axes.times(vector(values, &format!("{name}.force")));
        let moment = axes.times(load(values, format!("{name}.torque")));
        largest = largest.max(force.norm()).max(moment.norm());
        sums.add_pair(from, to, known.pose(to).0, force, moment);
    }
    for rod in &description.rods {
        for (end, other) in [(&rod.from, &rod.to), (&rod.to, &rod.from)] {
            // (m/6)[2I I; I 2I] on the accelerations of the ends less gravity.
            let inertia = (gravity - known.acceleration(end)).scale(rod.mass / 3.0)
                + (gravity - known.acceleration(other)).scale(rod.mass / 6.0);
            sums.add(end, known.pose(end).0, inertia, Vec3::zero());
        }
        let (a, b) = (known.pose(&rod.from).0, known.pose(&rod.to).0);
        let axes = known.pose(&rod.from).1;
        let force = axes.times(vector(values, &format!("{}.force", rod.name)));
        let pulled = (b - a)
            .normalised()
            .unwrap()
            .scale(-values[&format!("{}.tension", rod.name)]);
        assert!(
            (force - pulled).norm() < 1e-9 * (1.0 + force.norm()),
            "tension of {}",
            rod.name
        );
    }
    for element in &description.forces {
        let force = load(values, format!("{}.force", element.name));
        let torque = load(values, format!("{}.torque", element.name));
        largest = largest.max(force.norm()).max(torque.norm());
        match &element.kind {
            ForceKind::Applied { frame, .. } => sums.add(frame, known.pose(frame).0, force, torque),
            ForceKind::SpringDamper { from, to, .. }
            | ForceKind::TorsionSpring { from, to, .. }
            | ForceKind::User { from, to, .. } => {
                sums.add_pair(from, to, known.pose(to).0, force, torque);
            }
            // Part of what its joint transmits.
            ForceKind::JointSpring { .. } => {}
        }
    }
    let mut worst = 0.0_f64;
    for body in &description.bodies {
        let (origin, axes) = known.pose(&body.name);
        let alpha = vector(values, &format!("{}.angular_acceleration", body.name));
        let omega = vector(values, &format!("{}.angular_velocity", body.name));
        let arm = axes.times(Vec3(body.centre));
        let acceleration = known.acceleration(&body.name) + alpha.cross(arm) + omega.cross(omega.cross(arm));
        let inertia = Sym3(body.inertia).rotated(&axes);
        let change = inertia.times(alpha) + omega.cross(inertia.times(omega));
        let force = (acceleration - gravity).scale(body.mass);
        let (f, m) = sums.0[&body.name];
        largest = largest.max(force.norm()).max(change.norm());
        worst = worst
            .max((f - force).norm())
            .max((m - change - (origin + arm).cross(force)).norm());
    }
    worst / largest
}

#[test]
fn every_body_is_in_balance() {
    let all = mechanisms(0..120, 8);
    assert!(all.len() > 80, "{}", all.len());
    for (seed, description, start) in &all {
        let error = imbalance(description, at_start(start));
        assert!(error < 1e-8, "mechanism {seed}: {error:e}");
    }
}

#[test]
fn the_balance_notices_a_wrong_load() {
    let (_, description, start) = mechanisms(0..10, 6).pop().unwrap();
    let mut values = at_start(&start);
    let joint = &description.joints[0].name;
    *values.get_mut(&format!("{joint}.torque.y")).unwrap() += 1e-3;
    assert!(imbalance(&description, values) > 1e-8);
}
