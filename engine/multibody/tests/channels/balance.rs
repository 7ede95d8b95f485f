//! Every body cut free obeys Newton and Euler, by the values of channels alone.

use super::*;
use holonom_algebra::{Mat3, Quaternion, Sym3, Vec3};
use holonom_multibody::description::{Body, Constraint, ConstraintKind, Force, ForceKind, Joint, frame};
use holonom_multibody::elements::constraints::{Distance, Point, Rolling, WheelRail};
use holonom_multibody::elements::forces::*;
use holonom_testing::Largest;

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
    let mut largest = Largest::default();
    largest.add(1.0);
    let joints = description
        .joints
        .iter()
        .map(|j| (&j.name, j.from.as_str(), j.to.as_str()));
    let constraints = description.constraints.iter().filter_map(|c| match &c.kind {
        ConstraintKind::Point(Point { from, to }) | ConstraintKind::Distance(Distance { from, to, .. }) => {
            Some((&c.name, from.as_str(), to.as_str()))
        }
        ConstraintKind::Rolling(Rolling { wheel, plane, .. }) => {
            Some((&c.name, plane.as_str(), wheel.as_str()))
        }
        ConstraintKind::WheelRail(WheelRail { wheel, rail, .. }) => {
            Some((&c.name, rail.as_str(), wheel.as_str()))
        }
        _ => None,
    });
    let rods = description
        .rods
        .iter()
        .map(|r| (&r.name, r.from.as_str(), r.to.as_str()));
    let tracks = description
        .tracks
        .iter()
        .map(|t| (&t.name, t.from.as_str(), t.to.as_str()));
    for (name, from, to) in joints.chain(tracks).chain(constraints).chain(rods) {
        let axes = known.pose(from).1;
        let force = axes.times(vector(values, &format!("{name}.force")));
        let moment = axes.times(load(values, format!("{name}.torque")));
        largest.add(force.norm());
        largest.add(moment.norm());
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
        largest.add(force.norm());
        largest.add(torque.norm());
        match &element.kind {
            ForceKind::Applied(Applied { frame, .. }) => sums.add(frame, known.pose(frame).0, force, torque),
            ForceKind::SpringDamper(SpringDamper { from, to, .. })
            | ForceKind::TorsionSpring(TorsionSpring { from, to, .. })
            | ForceKind::User(User { from, to, .. })
            | ForceKind::Expression(Expression { from, to, .. })
            | ForceKind::NonlinearSpring(NonlinearSpring { from, to, .. })
            | ForceKind::Bushing(Bushing { from, to, .. })
            | ForceKind::AirSpring(AirSpring { from, to, .. })
            | ForceKind::BumpStop(BumpStop { from, to, .. })
            | ForceKind::PlaneContact(PlaneContact {
                plane: from,
                body: to,
                ..
            })
            | ForceKind::SphereContact(SphereContact { from, to, .. })
            | ForceKind::CylinderContact(CylinderContact { from, to, .. })
            | ForceKind::Actuator(Actuator { from, to, .. })
            | ForceKind::Maxwell(Maxwell { from, to, .. }) => {
                sums.add_pair(from, to, known.pose(to).0, force, torque);
            }
            // Part of what its joint transmits.
            ForceKind::JointSpring(_)
            | ForceKind::NonlinearJointSpring(_)
            | ForceKind::JointAntiRollBar(_)
            | ForceKind::JointStop(_)
            | ForceKind::Servo(_) => {}
            ForceKind::JointFriction(JointFriction { coordinate, .. }) => {
                let joint = description
                    .joints
                    .iter()
                    .find(|j| j.name == coordinate.joint)
                    .unwrap();
                sums.add_pair(&joint.from, &joint.to, known.pose(&joint.to).0, force, torque);
            }
            ForceKind::Tyre(Tyre { mount, .. })
            | ForceKind::LinearTyre(LinearTyre { mount, .. })
            | ForceKind::CalspanTyre(CalspanTyre { mount, .. })
            | ForceKind::TmeasyTyre(TmeasyTyre { mount, .. }) => {
                // On the plane of the ground here.
                let wheel = &mount.wheel;
                sums.add_pair("ground", wheel, known.pose(wheel).0, force, torque);
            }
            other => unreachable!("{} is not among the random mechanisms", other.info().name),
        }
    }
    let mut worst = Largest::default();
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
        largest.add(force.norm());
        largest.add(change.norm());
        worst.add((f - force).norm());
        worst.add((m - change - (origin + arm).cross(force)).norm());
    }
    worst.value() / largest.value()
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

/// What the random mechanisms do not have: wheels, racks, points, users' laws.
#[test]
fn wheels_racks_points_and_laws() {
    let law = |x: &[f64], y: &mut [f64]| {
        for k in 0..3 {
            y[k] = -20.0 * x[1 + k] - 0.3 * x[13 + k];
            y[3 + k] = -0.2 * x[16 + k] + 0.1 * (k as f64 + 1.0);
        }
    };
    let law = holonom_algebra::Plain::new(User::INPUTS, User::OUTPUTS, law).unwrap();
    let wheel = Description::new("wheel")
        .body(Body::cylinder("wheel", 2.0, 0.3, 0.02))
        .body(Body::cuboid("rider", 0.5, [0.1, 0.2, 0.1]))
        .joint(
            Joint::free("place", "ground", "wheel")
                .start_at(2, 0.28, 0.0)
                .orientation([0.8, 0.6, 0.0, 0.0])
                .angular_velocity([0.1, 0.2, -5.0]),
        )
        .joint(Joint::revolute("seat", "wheel", "rider").start(0.2, 1.0))
        .constraint(Constraint::rolling_disc("rolls", "wheel", "ground", 0.3))
        .force(Force::user("law", "rider", "ground", std::sync::Arc::new(law)));
    let rack = Description::new("rack")
        .body(Body::cuboid("rack", 2.0, [0.5, 0.1, 0.1]).centre([0.0, 0.1, 0.2]))
        .body(Body::cylinder("pinion", 0.5, 0.1, 0.02).marker("rim", frame::at([0.1, 0.0, 0.0])))
        .body(Body::cuboid("pendant", 0.5, [0.1, 0.2, 0.1]).marker("top", frame::at([0.0, 0.1, 0.0])))
        .joint(
            Joint::prismatic("slide", "ground", "rack")
                .axis([1.0, 0.0, 0.3])
                .start(0.05, 0.1),
        )
        .joint(
            Joint::revolute("pin", "ground", "pinion")
                .axis([0.0, 1.0, 0.0])
                .start(0.5, 1.0),
        )
        .joint(Joint::free("hang", "ground", "pendant").angular_velocity([1.0, 2.0, 3.0]))
        .constraint(Constraint::rack("mesh", "slide", "pin", 0.1))
        .constraint(Constraint::point("hook", "pinion.rim", "pendant.top"));
    for description in [wheel, rack] {
        let start = assembled(&description);
        let values = at_start(&start);
        let catalogue = Catalogue::new(&start);
        for name in [
            "rolls.torque.y",
            "constraint.rolls.slip-x.rate",
            "law.torque.z",
            "mesh.force",
            "hook.force.x",
        ] {
            let there = ["rolls", "law"].iter().any(|n| name.contains(n)) == (description.name == "wheel");
            assert_eq!(catalogue.find(name).is_some(), there, "{name}");
        }
        // A condition on velocities has no position; a rack's force is measured along the rack.
        assert!(catalogue.find("constraint.rolls.slip-x").is_none());
        if let Some(mesh) = catalogue.find("mesh.force") {
            assert_eq!(mesh.unit, "N");
        }
        assert!(values["residual.velocity"] < 1e-12);
        let error = imbalance(&description, values);
        assert!(error < 1e-10, "{}: {error:e}", description.name);
    }
}
