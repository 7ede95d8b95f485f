//! Random mechanisms: trees of mixed joints with random frames and inertias, some with loops,
//! springs, rods and drivers that fit the start positions.

use crate::Random;
use holonom_algebra::{Mat3, Quaternion, Vec3};
use holonom_dae::Mechanical;
use holonom_expression::curve::{Curve, Extrapolation, Interpolation};
use holonom_expression::{Expression, Scope};
use holonom_multibody::description::{
    Body, Constraint, Control, Coordinate, Description, Force, ForceKind, Joint, JointKind, Path, Pursuit,
    Rod, Track,
};
use holonom_multibody::diagnostic::Sort;
use holonom_multibody::elements::controls::{PathSensor, SpeedLaw, SteeringLaw};
use holonom_multibody::elements::forces::{
    BushingLaw, ContactLaw, GasLaw, JointFriction, Maxwell, ServoLaw, Shape, StopLaw,
};
use holonom_multibody::forest::Hint;
use holonom_multibody::mechanical::MechanicalModel;
use holonom_multibody::path::Points;
use holonom_multibody::{Model, Signal};
use std::sync::Arc;

const KINDS: [JointKind; 10] = [
    JointKind::Revolute,
    JointKind::Prismatic,
    JointKind::Cylindrical,
    JointKind::Helical { pitch: 0.3 },
    JointKind::Universal,
    JointKind::Planar,
    JointKind::Spherical,
    JointKind::Free,
    JointKind::FreeCardan,
    JointKind::Fixed,
];

fn coordinates(kind: JointKind) -> usize {
    kind.info().coordinates.len()
}

fn body(r: &mut Random, i: usize) -> Body {
    // Moments of points on the axes, turned: always possible.
    let [a, b, c] = [0; 3].map(|_| r.range(0.02, 0.5));
    let turn = Mat3(Quaternion(r.quaternion()).rotation_matrix());
    let s = holonom_algebra::Sym3([b + c, a + c, a + b, 0.0, 0.0, 0.0]).rotated(&turn);
    Body::new(format!("b{i}"), r.range(0.2, 3.0))
        .centre(r.vector(0.3))
        .inertia(s.0)
}

fn signal(r: &mut Random, value: f64) -> Signal {
    let (amplitude, frequency, phase) = (r.range(0.1, 0.5), r.range(0.5, 3.0), r.range(-1.0, 1.0));
    Signal::Harmonic {
        offset: value - amplitude * phase.sin(),
        amplitude,
        frequency,
        phase,
    }
}

/// A tree of up to `most` bodies; names are b0, b1, …, joints j0, j1, ….
pub fn tree(r: &mut Random, most: usize) -> Description {
    let n = 1 + r.below(most);
    let mut d = Description::new("random").gravity(r.vector(10.0));
    for i in 0..n {
        // Bushy or slender, by the dice of the mechanism.
        let parent = if i == 0 || r.chance(0.1) {
            None
        } else if r.chance(0.5) {
            Some(i - 1)
        } else {
            Some(r.below(i))
        };
        let kind = if r.chance(0.5) {
            KINDS[0]
        } else {
            KINDS[r.below(KINDS.len())]
        };
        let from_marker = format!("m{i}");
        let seat = r.frame(0.5);
        let from = match parent {
            None => {
                d = d.ground_marker(&from_marker, seat);
                format!("ground.{from_marker}")
            }
            Some(p) => {
                d.bodies[p] = d.bodies[p].clone().marker(&from_marker, seat);
                format!("b{p}.{from_marker}")
            }
        };
        let mut b = body(r, i);
        let to = if r.chance(0.5) {
            format!("b{i}")
        } else {
            b = b.marker("own", r.frame(0.4));
            format!("b{i}.own")
        };
        let reversed = r.chance(0.25);
        let (from, to) = if reversed { (to, from) } else { (from, to) };
        let mut joint = Joint::new(format!("j{i}"), kind, from, to);
        joint.coordinates = (0..coordinates(kind))
            .map(|_| Coordinate {
                position: r.range(-1.0, 1.0),
                velocity: r.range(-1.0, 1.0),
                ..Default::default()
            })
            .collect();
        if matches!(kind, JointKind::Spherical | JointKind::Free) {
            joint = joint.orientation(r.quaternion()).angular_velocity(r.vector(1.0));
        }
        if matches!(
            kind,
            JointKind::Revolute | JointKind::Prismatic | JointKind::Cylindrical
        ) {
            joint = joint.axis(match r.below(5) {
                0 => [1.0, 0.0, 0.0],
                1 => [0.0, 1.0, 0.0],
                2 => r.vector(1.0),
                _ => [0.0, 0.0, 1.0],
            });
        }
        for k in 0..coordinates(kind) {
            let value = joint.coordinates[k].position;
            if r.chance(0.08) {
                joint.coordinates[k] = Coordinate::default();
                joint = joint.prescribed(k, signal(r, value));
            } else if r.chance(0.05) {
                joint.coordinates[k] = Coordinate::default();
                joint = joint.locked(k, value);
            }
        }
        d = d.body(b).joint(joint);
    }
    d
}

/// Adds loops, springs, rods and drivers to a tree; all constraints hold at the start.
pub fn enrich(r: &mut Random, mut d: Description) -> Description {
    let n = d.bodies.len();
    let model = d.compile().unwrap();
    let at = model.snapshot(0.0, &model.q0, &model.v0);
    // Markers on body i and on another body or the ground, with a given pose between them.
    let mut pairs = 0;
    let mut pair = |r: &mut Random, d: &mut Description, apart: Option<f64>| {
        let (i, j) = (r.below(n), r.below(n + 1));
        if j == i + 1 {
            return None;
        }
        pairs += 1;
        let name = format!("p{pairs}");
        let (index_i, index_j) = (
            model.body_index(&format!("b{i}")).unwrap(),
            if j == 0 {
                0
            } else {
                model.body_index(&format!("b{}", j - 1)).unwrap()
            },
        );
        let frame_i = r.frame(0.4);
        let mut world = at.pose(index_i).then(&frame_i);
        if let Some(size) = apart {
            world.position += Vec3(r.vector(size)) + Vec3([0.3 * size, 0.0, 0.0]);
        }
        let frame_j = at.pose(index_j).inverse().then(&world);
        d.bodies[i] = d.bodies[i].clone().marker(&name, frame_i);
        let to = if j == 0 {
            *d = d.clone().ground_marker(&name, frame_j);
            format!("ground.{name}")
        } else {
            d.bodies[j - 1] = d.bodies[j - 1].clone().marker(&name, frame_j);
            format!("b{}.{name}", j - 1)
        };
        let length = (world.position - at.pose(index_i).then(&frame_i).position).norm();
        Some((format!("b{i}.{name}"), to, length))
    };
    for k in 0..r.below(4) {
        if let Some((from, to, _)) = pair(r, &mut d, None) {
            let kind = KINDS[[0, 1, 2, 3, 4, 5, 6, 9][r.below(8)]];
            d = d.joint(Joint::new(format!("loop{k}"), kind, from, to).hint(Hint::Cut));
        }
    }
    for k in 0..r.below(3) {
        if let Some((from, to, length)) = pair(r, &mut d, Some(0.8)) {
            d = match r.below(3) {
                0 => d.constraint(Constraint::distance(format!("distance{k}"), from, to, length)),
                1 => d.rod(Rod::new(format!("rod{k}"), from, to, length)),
                _ => d.rod(Rod::new(format!("rod{k}"), from, to, length).mass(r.range(0.1, 1.0))),
            };
        }
    }
    for k in 0..r.below(4) {
        if let Some((from, to, length)) = pair(r, &mut d, Some(0.7)) {
            let (c, b, l) = (
                r.range(10.0, 200.0),
                r.range(0.0, 5.0),
                length * r.range(0.5, 1.5),
            );
            d = d.force(Force::spring_damper(format!("spring{k}"), from, to, c, b, l));
        }
    }
    if r.chance(0.3)
        && let Some((from, to, _)) = pair(r, &mut d, Some(0.3))
    {
        d = d.force(Force::torsion_spring("torsion", from, to, 5.0, 0.4, 0.2));
    }
    let free: Vec<(String, f64)> = d
        .joints
        .iter()
        .filter(|j| j.kind == JointKind::Revolute && j.hint != Hint::Cut)
        .filter(|j| {
            matches!(
                j.coordinates[0].motion,
                holonom_multibody::description::CoordinateMotion::Free
            )
        })
        .map(|j| (j.name.clone(), j.coordinates[0].position))
        .collect();
    if free.len() > 1 && r.chance(0.3) {
        let (name, value) = free[r.below(free.len())].clone();
        d = d.constraint(Constraint::driver("driver", name.as_str(), signal(r, value)));
    }
    if free.len() > 1 && r.chance(0.4) {
        let (name, value) = free[r.below(free.len())].clone();
        d = d.force(Force::joint_spring(
            "joint spring",
            name.as_str(),
            3.0,
            0.2,
            value - 0.3,
        ));
    }
    if r.chance(0.4) {
        let load = [0; 3].map(|_| signal(r, 0.5));
        let i = r.below(n);
        let force = Force::applied("push", format!("b{i}"), load);
        d = d.force(if r.chance(0.5) { force.follower() } else { force });
    }
    // Dice of their own, so that the others fall as before.
    let own = &mut r.fork(0);
    for k in 0..own.below(4) {
        if let Some((from, to, length)) = pair(own, &mut d, Some(0.7)) {
            let name = format!("element{k}");
            // The image of a plane has a marker more: not among these.
            let kind = own.below(PLANE_CONTACT);
            d = d.force(between(own, kind, [name, from, to], length));
        }
    }
    for k in 0..own.below(3) {
        if free.is_empty() {
            break;
        }
        let (joint, value) = free[own.below(free.len())].clone();
        let name = format!("drive{k}");
        d = d.force(on_coordinate(own, name, joint.as_str(), value));
    }
    if free.len() > 1 && own.chance(0.3) {
        let (left, right) = (free[0].0.as_str(), free[1].0.as_str());
        d = d.force(Force::joint_anti_roll_bar(
            "bar",
            left,
            right,
            own.range(1.0, 9.0),
            0.1,
        ));
    }
    if r.chance(0.4)
        && let Some((from, to, length)) = pair(r, &mut d, Some(0.6))
    {
        let (k, c) = (r.range(10.0, 200.0), r.range(1.0, 20.0));
        let mut maxwell = Force::maxwell("maxwell", from, to, k, c, length * r.range(0.5, 1.5));
        if let ForceKind::Maxwell(Maxwell { start, .. }) = &mut maxwell.kind {
            *start = r.range(-0.1, 0.1);
        }
        d = d.force(maxwell);
    }
    let along = &mut r.fork(0x5A5A);
    if along.chance(0.3) {
        let over = |text: String| Expression::parse(&text, &Scope::new().variable("s"), None).unwrap();
        let mut track = Track::new("line", "car");
        track.curvature = over(format!("{:.3}*sin(s/40)", along.range(-0.01, 0.01)));
        track.cant = over(format!("{:.3}*s", along.range(-1e-2, 1e-2)));
        track.travel = Signal::linear(along.range(0.0, 100.0), along.range(-30.0, 30.0));
        track.length = 400.0;
        track.reversed = along.chance(0.3);
        d = d.body(Body::new("car", 0.0)).track(track);
    }
    let rubbing = |j: &&Joint| {
        let kinds = [JointKind::Revolute, JointKind::Prismatic, JointKind::Cylindrical];
        j.hint == Hint::Cut && kinds.contains(&j.kind)
    };
    if let Some(joint) = d.joints.iter().find(rubbing).map(|j| j.name.clone()) {
        let mut friction = Force::joint_friction("friction", joint.as_str(), r.range(0.02, 0.12), 2.0);
        if let ForceKind::JointFriction(JointFriction {
            from_reaction,
            radius,
            stribeck,
            ..
        }) = &mut friction.kind
        {
            (*from_reaction, *radius, *stribeck) = (true, 0.05, 0.1);
        }
        d = d.force(friction);
    }
    match free.first() {
        Some((joint, _)) if r.chance(0.5) => controlled(r, d, joint),
        _ => d,
    }
}

/// Adds a motor on a revolute joint, behind controls of every kind.
fn controlled(r: &mut Random, mut d: Description, joint: &str) -> Description {
    let of = |text: &str, names: &[&str]| Signal::of(text, names).unwrap();
    let mut pid = Control::pid("controller", of("angle", &["angle"]), [5.0, 2.0, 0.3])
        .target(Signal::expression("0.2*sin(3*t)").unwrap());
    if r.chance(0.5) {
        pid = pid.limits(-2.0, 1.5);
    }
    (pid.kind.filter, pid.kind.start) = (0.05, r.range(-0.5, 0.5));
    let sum = of(
        "controller + 0.1*speed + 0.2*turn",
        &["controller", "speed", "turn"],
    );
    let mut mixed = "tanh(shaped) + 0.3*rate".to_string();
    let mut names = vec!["shaped", "rate"];
    // Before what it uses, to be sorted.
    d = d.control(pid);
    if d.forces.iter().any(|f| f.name == "maxwell") {
        d = d.control(Control::sensor("pull", "maxwell.tension"));
        d = d.control(Control::sensor("creep", "maxwell.displacement"));
        d = d.control(Control::sensor("load", "maxwell.force.y"));
        d = d.control(Control::sensor("loss", "maxwell.power"));
        mixed += " + 0.01*pull + creep + 0.02*load + 0.003*loss";
        names.extend(["pull", "creep", "load", "loss"]);
    }
    if d.constraints.iter().any(|c| c.name == "distance0") {
        d = d.control(Control::sensor("hold", "distance0.tension"));
        mixed += " + 0.01*hold";
        names.push("hold");
    }
    // Drivers on a path that is carried by another body, or by the ground.
    let carrier = if d.bodies.iter().any(|b| b.name == "b1") {
        "b1"
    } else {
        "ground"
    };
    let pursuit = || Pursuit::new("course", "b0").from(1.3);
    d = d.path(Path::new("course", bend()).on(carrier));
    for quantity in PathSensor::QUANTITIES {
        let name = format!("path_{quantity}");
        d = d.control(Control::path_sensor(name, pursuit(), quantity));
    }
    d = d.control(Control::driver_steering(
        "driver",
        pursuit(),
        SteeringLaw {
            wheelbase: 0.7,
            understeer: 0.01,
            points: 3.0,
            rate: 5.0,
            ..SteeringLaw::default()
        },
    ));
    let speed = of("2 + 0.1*path_arc + 0.2*t", &["path_arc"]);
    d = d.control(Control::driver_speed(
        "pace",
        "b0",
        speed,
        SpeedLaw {
            proportional: 3.0,
            integral: 2.0,
            inertia: 1.0,
            drive: 5.0,
            brake: 8.0,
            start: 0.1,
        },
    ));
    mixed += " + 0.1*driver + 0.05*pace + 0.01*(path_deviation + path_angle + path_left + path_right)";
    names.extend([
        "driver",
        "pace",
        "path_deviation",
        "path_angle",
        "path_left",
        "path_right",
    ]);
    let value = of(&mixed, &names);
    d.control(Control::sensor("angle", format!("{joint}.angle")))
        .control(Control::sensor("rate", format!("{joint}.angle.velocity")))
        .control(Control::sensor("speed", "b0.velocity.x"))
        .control(Control::sensor("turn", "b0.orientation.y"))
        .control(Control::lag("slow", sum, 0.1))
        .control(Control::transfer_function(
            "shaped",
            of("slow", &["slow"]),
            [1.0, 2.0, 0.5],
            [0.2, 1.0, 3.0],
        ))
        .control(Control::expression("mixed", value))
        .force(Force::motor(
            "servo",
            joint,
            of("mixed + 0.5*controller + 0.1*t", &["mixed", "controller"]),
        ))
}

/// A closed path through points, with a lane.
fn bend() -> Points {
    Points {
        x: vec![-3.0, 2.0, 5.0, 1.0],
        y: vec![-2.0, -3.0, 2.0, 4.0],
        closed: true,
        lane: 2.0,
    }
}

/// An expression of one variable.
pub fn law(text: &str, variable: &str) -> Expression {
    Expression::parse(text, &Scope::new().variable(variable), None).unwrap()
}

/// Numbers of a soft contact.
fn contact(r: &mut Random) -> ContactLaw {
    ContactLaw {
        stiffness: r.range(50.0, 200.0),
        exponent: if r.chance(0.3) { 1.0 } else { 1.5 },
        dissipation: r.range(0.0, 0.5),
        friction: r.range(0.0, 0.5),
        slip_speed: 0.1,
    }
}

/// The last kind of [`between`].
pub const PLANE_CONTACT: usize = 7;

/// A force element of a kind between two frames that are some distance apart: name, frames.
pub fn between(r: &mut Random, kind: usize, [name, from, to]: [String; 3], length: f64) -> Force {
    match kind {
        0 => {
            let hard = law("30*x + 200*x^3", "x");
            Force::nonlinear_spring(name, from, to, hard, length * r.range(0.6, 1.3))
                .damper(r.range(0.5, 3.0))
                .into()
        }
        1 => {
            let (x, y) = (vec![-1.0, -0.1, 0.0, 0.2, 1.0], vec![-40.0, -3.0, 0.0, 4.0, 25.0]);
            let curve = Curve::new("rubber", x, y, Interpolation::Spline, Extrapolation::Linear).unwrap();
            Force::nonlinear_spring(name, from, to, curve, length)
                .damper(law("2*v + v^3", "v"))
                .into()
        }
        2 => {
            let mut law_of_all = BushingLaw::diagonal(
                [0; 6].map(|_| r.range(1.0, 40.0)),
                [0; 6].map(|_| r.range(0.0, 2.0)),
            );
            law_of_all.preload_torque = r.vector(0.3);
            if r.chance(0.5) {
                (law_of_all.stiffness[0][4], law_of_all.stiffness[4][0]) = (0.7, 0.7);
                law_of_all.force[2] = law("9*s^3", "s");
            }
            Force::bushing(name, from, to, law_of_all)
        }
        3 => {
            let gas = GasLaw {
                height: length,
                volume: 0.02,
                area: law("0.01 + 0.002*x", "x"),
                load: r.range(5.0, 30.0),
                ambient: 1000.0,
                damping: r.range(0.0, 2.0),
                ..GasLaw::default()
            };
            Force::air_spring(name, from, to, gas)
        }
        4 => {
            let stop = StopLaw {
                stiffness: r.range(20.0, 90.0),
                damping: r.range(0.0, 3.0),
                onset: 0.1,
            };
            let stop = Force::bump_stop(name, from, to, length * r.range(0.8, 1.2), stop);
            if r.chance(0.5) { stop.rebound() } else { stop }.into()
        }
        5 => {
            let radii = [0.6 * length, 0.5 * length];
            Force::sphere_contact(name, from, to, radii, contact(r))
        }
        6 => Force::actuator(name, from, to, signal(r, 2.0)),
        _ => {
            let shape = match r.below(3) {
                0 => Shape::sphere(r.range(0.2, 0.6)),
                1 => Shape::cylinder(0.4, 0.3),
                _ => Shape::cuboid([0.5, 0.7, 0.3]),
            };
            Force::plane_contact(name, from, to, shape, contact(r))
        }
    }
}

/// A force element on a coordinate near a value.
pub fn on_coordinate(r: &mut Random, name: String, joint: &str, value: f64) -> Force {
    match r.below(3) {
        0 => Force::nonlinear_joint_spring(name, joint, law("4*x + 3*x^3", "x"), value)
            .damper(law("0.2*v", "v"))
            .into(),
        1 => {
            let stop = StopLaw {
                stiffness: 20.0,
                damping: 0.4,
                onset: 0.1,
            };
            let upper = if r.chance(0.5) { f64::INFINITY } else { value + 0.1 };
            Force::joint_stop(name, joint, [value - 0.1, upper], stop)
        }
        _ => {
            let servo = ServoLaw {
                stiffness: 8.0,
                damping: 0.5,
                limit: if r.chance(0.5) { f64::INFINITY } else { 3.0 },
            };
            Force::servo(name, joint, signal(r, value), servo)
        }
    }
}

/// Mechanism number `seed`: two thirds of them with more than a tree.
pub fn mechanism(seed: u64, most: usize) -> Arc<Model> {
    Arc::new(description(seed, most).compile().unwrap())
}

/// The description of mechanism number `seed`.
pub fn description(seed: u64, most: usize) -> Description {
    let r = &mut Random::new(seed);
    let d = tree(r, most);
    for _ in 0..50 {
        let described = if seed.is_multiple_of(3) {
            d.clone()
        } else {
            enrich(r, d.clone())
        };
        match described.compile() {
            Ok(_) => return described,
            // The dice may join two bodies that cannot move against each other: throw again.
            Err(errors) if errors.0.iter().any(|error| error.sort == Sort::Connection) => {}
            Err(errors) => panic!("mechanism {seed}: {errors}"),
        }
    }
    d
}

/// A state near the start of a mechanism.
pub fn state(r: &mut Random, model: &Model) -> (f64, Vec<f64>, Vec<f64>) {
    let t = r.range(0.0, 0.3);
    let mut q: Vec<f64> = model.q0.iter().map(|x| x + r.range(-0.2, 0.2)).collect();
    for node in &model.tree.nodes {
        if node.kind == holonom_multibody::tree::NodeKind::Ball {
            let e = &mut q[node.q..node.q + 4];
            let l = e.iter().map(|x| x * x).sum::<f64>().sqrt();
            e.iter_mut().for_each(|x| *x /= l);
        }
    }
    let v = (0..model.tree.n_v).map(|_| r.range(-1.0, 1.0)).collect();
    (t, q, v)
}

/// Rows that are independent at a position: those that Gram–Schmidt on G M⁻¹ Gᵀ keeps.
pub fn independent(model: &Arc<Model>, t: f64, q: &[f64]) -> Vec<usize> {
    let all: Vec<usize> = (0..model.rows.len()).collect();
    let mut m = MechanicalModel::new(model.clone(), all.clone());
    let (n_g, n_v) = (all.len(), model.tree.n_v);
    let mut g = vec![0.0; n_g * n_v];
    m.constraint_matrix(t, q, &mut g).unwrap();
    let mut kept: Vec<(usize, Vec<f64>, Vec<f64>)> = Vec::new();
    let mut largest = 0.0f64;
    for i in 0..n_g {
        let row: Vec<f64> = (0..n_v).map(|j| g[j * n_g + i]).collect();
        let mut x = row.clone();
        m.solve_mass(t, q, &mut x).unwrap();
        let length = row.iter().zip(&x).map(|(a, b)| a * b).sum::<f64>();
        largest = largest.max(length);
        if length <= 1e-20 * largest {
            continue;
        }
        let (mut r, mut s) = (row, x);
        for (_, a, b) in &kept {
            let k: f64 = r.iter().zip(b).map(|(x, y)| x * y).sum();
            for j in 0..n_v {
                r[j] -= k * a[j];
                s[j] -= k * b[j];
            }
        }
        let rest = r.iter().zip(&s).map(|(a, b)| a * b).sum::<f64>();
        if rest > 1e-4 * length {
            let k = 1.0 / rest.sqrt();
            kept.push((
                i,
                r.iter().map(|x| x * k).collect(),
                s.iter().map(|x| x * k).collect(),
            ));
        }
    }
    kept.into_iter().map(|k| k.0).collect()
}

/// The same mechanism with a sensor `sensed_0`, `sensed_1`, … for every channel named.
pub fn sensed<S: AsRef<str>>(description: Description, channels: &[S]) -> Description {
    channels
        .iter()
        .enumerate()
        .fold(description, |description, (k, channel)| {
            description.control(Control::sensor(format!("sensed_{k}"), channel.as_ref()))
        })
}

/// Mechanism number `seed` with sensors of accelerations, reactions and totals, and with forces on
/// its bodies and coordinates that depend on them: weakly, so that there is always a solution.
pub fn feeling(seed: u64, most: usize) -> Description {
    let mut d = description(seed, most);
    let model = d.compile().unwrap();
    let r = &mut Random::new(seed + 77);
    let body = |r: &mut Random| d.bodies[r.below(d.bodies.len())].name.clone();
    let mut channels = vec!["energy.total".to_string(), "angular_momentum.y".to_string()];
    for (name, axis) in [("acceleration", "z"), ("angular_acceleration", "x")] {
        channels.push(format!("body:{}.{name}.{axis}", body(r)));
    }
    let joint = &model.joints[r.below(model.joints.len())];
    channels.push(format!("joint:{}.force.x", joint.name));
    channels.push(format!("joint:{}.torque.z", joint.name));
    if let Some(coordinate) = joint.kind.info().coordinates.first() {
        channels.push(format!("joint:{}.{}.acceleration", joint.name, coordinate.name));
    }
    let target = body(r);
    let last = channels.len() - 1;
    let names: Vec<String> = (0..=last).map(|k| format!("sensed_{k}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let sum = |k: f64| {
        let terms: Vec<String> = names.iter().map(|n| format!("{k}*sin(0.01*{n})")).collect();
        Signal::of(&terms.join(" + "), &names).unwrap()
    };
    d = sensed(d, &channels);
    let filter = Control::lag("filtered", sum(0.3), 0.1);
    let felt = Signal::of("0.2*filtered", &["filtered"]).unwrap();
    d.control(filter)
        .force(Force::applied("feeling", &target, [sum(0.1), felt, sum(-0.05)]))
}
