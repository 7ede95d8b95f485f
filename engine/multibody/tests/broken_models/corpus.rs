//! The corpus: what is wrong, and a mechanism in which it is.

use holonom_algebra::{Mat3, Plain, Pose, Vec3};
use holonom_expression::{Expression, Scope};
use holonom_multibody::Signal;
use holonom_multibody::description::{
    Body, Constraint, Description, Force, ForceKind, Frame, Joint, Rod, frame,
};
use holonom_multibody::elements::forces::{
    self, AntiRollLaw, BushingLaw, ContactLaw, Cylinders, GasLaw, ServoLaw, Shape, StopLaw,
};
use holonom_multibody::forest::Hint;
use std::sync::Arc;

pub const NAN: f64 = f64::NAN;

fn still() -> [Signal; 3] {
    [0.0; 3].map(Signal::constant)
}

fn bar(name: &str) -> Body {
    Body::cuboid(name, 1.0, [1.0, 0.1, 0.1]).marker("end", frame::at([1.0, 0.0, 0.0]))
}

/// A sound pendulum to break.
pub fn pendulum() -> Description {
    Description::new("pendulum")
        .body(bar("arm"))
        .joint(Joint::revolute("hinge", "ground", "arm").axis([0.0, 1.0, 0.0]))
}

/// Two bodies in a row.
pub fn double() -> Description {
    pendulum()
        .body(bar("forearm"))
        .joint(Joint::revolute("elbow", "arm.end", "forearm").axis([0.0, 1.0, 0.0]))
}

/// A closed four-bar with joints a, b, c, d.
pub fn four_bar(change: impl Fn(Joint) -> Joint) -> Description {
    Description::new("four-bar")
        .body(bar("crank"))
        .body(bar("coupler"))
        .body(bar("rocker"))
        .ground_marker("far", frame::at([1.0, 0.0, 0.0]))
        .joint(change(Joint::revolute("a", "ground", "crank").start(1.5, 0.0)))
        .joint(change(
            Joint::revolute("b", "crank.end", "coupler").start(-1.5, 0.0),
        ))
        .joint(change(Joint::revolute("c", "coupler.end", "rocker.end")))
        .joint(change(
            Joint::revolute("d", "ground.far", "rocker").start(1.5, 0.0),
        ))
}

fn joint(joint: Joint) -> Description {
    Description::new("one joint").body(bar("arm")).joint(joint)
}

/// A law of expressions of one variable.
pub fn written(variable: &str) -> ForceKind {
    let scope = Scope::new().variable(variable);
    let expression = || Expression::parse(&format!("2*{variable}"), &scope, None).unwrap();
    ForceKind::Expression(forces::Expression {
        from: "ground".to_string(),
        to: "arm".to_string(),
        force: [0; 3].map(|_| expression()),
        torque: [0; 3].map(|_| expression()),
    })
}

pub fn law(inputs: usize, outputs: usize) -> Arc<dyn holonom_algebra::Function> {
    Arc::new(Plain::new(inputs, outputs, |_: &[f64], y: &mut [f64]| y.fill(0.0)).unwrap())
}

fn skewed() -> Frame {
    Pose::new(
        Mat3([[1.0, 0.2, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        Vec3::zero(),
    )
}

fn mirrored() -> Frame {
    Pose::new(
        Mat3([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]]),
        Vec3::zero(),
    )
}

/// All cases.
pub fn all() -> Vec<(&'static str, Description)> {
    [
        names(),
        bodies(),
        joints(),
        elements(),
        passive(),
        crate::rails::all(),
        crate::drivers::all(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn names() -> Vec<(&'static str, Description)> {
    let free = |name: &str, body: &str| Joint::free(name, "ground", body);
    vec![
        ("no bodies", Description::new("nothing")),
        ("two bodies of one name", pendulum().body(bar("arm"))),
        (
            "two joints of one name",
            double().joint(Joint::revolute("hinge", "ground", "forearm.end")),
        ),
        (
            "joint and rod of one name",
            double().rod(Rod::new("hinge", "ground", "forearm", 1.0)),
        ),
        (
            "two constraints of one name",
            double()
                .constraint(Constraint::point("hold", "ground", "forearm.end"))
                .constraint(Constraint::distance("hold", "ground", "forearm.end", 1.0)),
        ),
        (
            "two forces of one name",
            double()
                .force(Force::motor("m", "hinge", Signal::constant(1.0)))
                .force(Force::motor("m", "elbow", Signal::constant(1.0))),
        ),
        (
            "two markers of one name",
            Description::new("markers")
                .body(bar("arm").marker("end", frame::at([0.0; 3])))
                .joint(free("float", "arm")),
        ),
        (
            "two ground markers of one name",
            pendulum()
                .ground_marker("wall", frame::at([0.0; 3]))
                .ground_marker("wall", frame::at([1.0; 3])),
        ),
        (
            "name with a dot",
            pendulum().body(bar("left.arm")).joint(free("float", "left.arm")),
        ),
        ("empty name", pendulum().body(bar("")).joint(free("float", ""))),
        ("body called ground", pendulum().body(bar("ground"))),
        ("misspelt body", joint(Joint::revolute("hinge", "ground", "amr"))),
        (
            "capital letters",
            joint(Joint::revolute("hinge", "Ground", "Arm")),
        ),
        (
            "no such body",
            joint(Joint::revolute("hinge", "ground", "locomotive")),
        ),
        (
            "misspelt marker",
            joint(Joint::revolute("hinge", "ground", "arm.ende")),
        ),
        (
            "no such marker",
            joint(Joint::revolute("hinge", "ground.wall", "arm")),
        ),
        (
            "misspelt joint",
            double().constraint(Constraint::gear("gear", "hinge", "elbwo", 2.0)),
        ),
        (
            "no such coordinate",
            double().force(Force::joint_spring("spring", ("hinge", 1), 1.0, 0.0, 0.0)),
        ),
        (
            "coordinate of a ball",
            joint(Joint::spherical("ball", "ground", "arm.end")).constraint(Constraint::driver(
                "drive",
                "ball",
                Signal::linear(0.0, 1.0),
            )),
        ),
        (
            "coordinate behind those of a free joint",
            joint(free("float", "arm")).force(Force::motor("m", ("float", 3), Signal::constant(1.0))),
        ),
    ]
}

fn bodies() -> Vec<(&'static str, Description)> {
    let one = |body: Body| {
        Description::new("one body")
            .body(body)
            .joint(Joint::free("float", "ground", "arm"))
    };
    vec![
        ("negative mass", one(Body::ball("arm", -1.0, 0.1))),
        ("mass not a number", one(Body::new("arm", NAN))),
        (
            "infinite centre of mass",
            one(bar("arm").centre([f64::INFINITY, 0.0, 0.0])),
        ),
        (
            "inertia not a number",
            one(Body::new("arm", 1.0).inertia([1.0, 1.0, NAN, 0.0, 0.0, 0.0])),
        ),
        (
            "negative moment",
            one(Body::new("arm", 1.0).inertia_diagonal([1.0, 1.0, -0.5])),
        ),
        (
            "products of inertia too large",
            one(Body::new("arm", 1.0).inertia([1.0, 1.0, 1.0, 1.5, 0.0, 0.0])),
        ),
        (
            "planar inertia",
            one(Body::new("arm", 1.0).inertia_diagonal([0.0, 0.0, 0.2])),
        ),
        (
            "inertia without mass",
            one(Body::new("arm", 0.0).inertia_diagonal([0.2, 0.2, 0.2])),
        ),
        ("skewed marker", one(bar("arm").marker("odd", skewed()))),
        ("mirrored marker", one(bar("arm").marker("odd", mirrored()))),
        (
            "marker not a number",
            one(bar("arm").marker("odd", frame::at([0.0, NAN, 0.0]))),
        ),
        ("gravity not a number", pendulum().gravity([0.0, 0.0, NAN])),
        ("point mass on a free joint", one(Body::new("arm", 1.0))),
        ("massless body", one(Body::new("arm", 0.0))),
        (
            "rod spinning about itself",
            Description::new("rod")
                .body(Body::thin_rod("arm", 1.0, [0.7, 0.0, 0.0]))
                .joint(Joint::revolute("spin", "ground", "arm").axis([1.0, 0.0, 0.0])),
        ),
        (
            "thin rod on a ball joint",
            Description::new("rod")
                .body(Body::thin_rod("arm", 1.0, [0.6, 0.0, 0.8]))
                .joint(Joint::spherical("ball", "ground", "arm")),
        ),
        (
            "massless tip",
            double()
                .body(Body::new("hand", 0.0))
                .joint(Joint::revolute("wrist", "forearm.end", "hand")),
        ),
        (
            "massless slider",
            double()
                .body(Body::new("bead", 0.0))
                .joint(Joint::prismatic("wire", "forearm.end", "bead")),
        ),
        (
            "massless link with a point mass, stretched at the start",
            Description::new("stretched")
                .body(Body::new("link", 0.0).marker("end", frame::at([1.0, 0.0, 0.0])))
                .body(Body::new("bob", 1.0).centre([1.0, 0.0, 0.0]))
                .joint(Joint::revolute("one", "ground", "link"))
                .joint(Joint::revolute("two", "link.end", "bob")),
        ),
        (
            "gimbal lock at the start",
            joint(Joint::free_cardan("float", "ground", "arm").start_at(4, std::f64::consts::FRAC_PI_2, 0.0)),
        ),
    ]
}

fn joints() -> Vec<(&'static str, Description)> {
    let hinge = || Joint::revolute("hinge", "ground", "arm");
    vec![
        ("body without joint", pendulum().body(bar("stray"))),
        (
            "two bodies apart",
            pendulum()
                .body(bar("p"))
                .body(bar("q"))
                .joint(Joint::revolute("pq", "p.end", "q")),
        ),
        (
            "joint from a body to itself",
            pendulum().joint(Joint::revolute("loop", "arm", "arm.end")),
        ),
        (
            "joint from ground to ground",
            pendulum().joint(Joint::fixed("weld", "ground", "ground")),
        ),
        ("zero axis", joint(hinge().axis([0.0; 3]))),
        ("axis not a number", joint(hinge().axis([NAN, 0.0, 1.0]))),
        (
            "axis of a universal joint",
            joint(Joint::universal("u", "ground", "arm").axis([1.0, 0.0, 0.0])),
        ),
        (
            "axis of a planar joint",
            joint(Joint::planar("p", "ground", "arm").axis([0.0, 1.0, 0.0])),
        ),
        ("too many coordinates", joint(hinge().start_at(2, 0.1, 0.0))),
        (
            "coordinates of a fixed joint",
            joint(Joint::fixed("weld", "ground", "arm").start(1.0, 0.0)),
        ),
        (
            "prescribed ball",
            joint(Joint::spherical("ball", "ground", "arm.end").prescribed(0, Signal::linear(0.0, 1.0))),
        ),
        (
            "prescribed angle of a free joint",
            joint(Joint::free("float", "ground", "arm").prescribed(3, Signal::linear(0.0, 1.0))),
        ),
        ("start value not a number", joint(hinge().start(NAN, 0.0))),
        (
            "start velocity not finite",
            joint(hinge().start(0.0, f64::INFINITY)),
        ),
        (
            "prescribed motion not a number",
            joint(hinge().prescribed(0, Signal::linear(0.0, NAN))),
        ),
        (
            "start value of a prescribed coordinate",
            joint(hinge().start(1.0, 2.0).prescribed(0, Signal::constant(1.0))),
        ),
        ("velocity of a locked coordinate", {
            let mut joint = hinge().locked(0, 1.0);
            joint.coordinates[0].velocity = 1.0;
            self::joint(joint)
        }),
        (
            "screw without pitch",
            joint(Joint::helical("screw", "ground", "arm", 0.0)),
        ),
        (
            "pitch not a number",
            joint(Joint::helical("screw", "ground", "arm", NAN)),
        ),
        (
            "zero quaternion",
            joint(Joint::spherical("ball", "ground", "arm.end").orientation([0.0; 4])),
        ),
        (
            "quaternion not a number",
            joint(Joint::spherical("ball", "ground", "arm.end").orientation([NAN, 0.0, 0.0, 1.0])),
        ),
        (
            "orientation of a hinge",
            joint(
                hinge()
                    .orientation([0.0, 1.0, 0.0, 0.0])
                    .angular_velocity([1.0, 0.0, 0.0])
                    .orientation_locked(),
            ),
        ),
        (
            "velocity of a locked ball",
            joint(
                Joint::spherical("ball", "ground", "arm.end")
                    .orientation_locked()
                    .angular_velocity([1.0, 0.0, 0.0]),
            ),
        ),
        (
            "cut free joint",
            joint(Joint::free("float", "ground", "arm").hint(Hint::Cut)),
        ),
        (
            "cut prescribed joint",
            four_bar(|j| match j.name.as_str() {
                "a" => {
                    let mut j = j.hint(Hint::Cut);
                    j.coordinates.clear();
                    j.prescribed(0, Signal::constant(1.5))
                }
                _ => j,
            }),
        ),
        ("all joints hinted as tree", four_bar(|j| j.hint(Hint::Tree))),
        (
            "all joints prescribed",
            four_bar(|mut j| {
                j.coordinates.clear();
                j.prescribed(0, Signal::constant(1.0))
            }),
        ),
        (
            "two free joints on one body",
            pendulum()
                .joint(Joint::free("f", "ground", "arm"))
                .joint(Joint::free("g", "ground", "arm")),
        ),
        ("only joint hinted as cut", joint(hinge().hint(Hint::Cut))),
        (
            "springs on all joints of a loop",
            ["a", "b", "c", "d"].iter().fold(four_bar(|j| j), |d, j| {
                d.force(Force::joint_spring(format!("spring {j}"), *j, 1.0, 0.1, 0.0))
            }),
        ),
        (
            "driver on a joint hinted as cut",
            four_bar(|j| if j.name == "a" { j.hint(Hint::Cut) } else { j }).constraint(Constraint::driver(
                "drive",
                "a",
                Signal::linear(1.5, 1.0),
            )),
        ),
    ]
}

fn elements() -> Vec<(&'static str, Description)> {
    let ramp = || Signal::linear(0.0, 1.0);
    let prescribed = || {
        Description::new("prescribed")
            .body(bar("arm"))
            .body(bar("forearm"))
            .joint(Joint::revolute("hinge", "ground", "arm").prescribed(0, Signal::linear(0.0, 1.0)))
            .joint(Joint::revolute("elbow", "arm.end", "forearm").locked(0, 0.5))
    };
    vec![
        (
            "distance zero",
            double().constraint(Constraint::distance("d", "ground", "forearm.end", 0.0)),
        ),
        (
            "distance negative",
            double().constraint(Constraint::distance("d", "ground", "forearm.end", -1.0)),
        ),
        (
            "distance not a number",
            double().constraint(Constraint::distance("d", "ground", "forearm.end", NAN)),
        ),
        (
            "radius zero",
            double().constraint(Constraint::rolling_disc("r", "forearm", "ground", 0.0)),
        ),
        (
            "rolling on itself",
            double().constraint(Constraint::rolling_ball("r", "arm", "arm.end", 0.1)),
        ),
        (
            "impact on itself",
            double().constraint(Constraint::impact("hit", "arm", "arm.end", 0.1, 0.5)),
        ),
        (
            "impact with more than all restitution",
            double().constraint(Constraint::impact("hit", "ground", "arm.end", 0.1, 1.5)),
        ),
        (
            "impact with negative restitution and radius",
            double().constraint(Constraint::impact("hit", "ground", "arm.end", -0.1, -0.5)),
        ),
        (
            "impact without rest speed",
            double().constraint(Constraint::impact("hit", "ground", "arm.end", 0.1, 0.5).rest_speed(0.0)),
        ),
        (
            "impact with restitution not a number",
            double().constraint(Constraint::impact("hit", "ground", "arm.end", 0.1, NAN)),
        ),
        (
            "impact without freedom",
            double()
                .ground_marker("post", frame::at([0.0, 0.0, 2.0]))
                .body(bar("beam"))
                .joint(Joint::fixed("weld", "ground.post", "beam"))
                .constraint(Constraint::impact("hit", "ground", "beam", 0.1, 0.5)),
        ),
        (
            "point on one body",
            double().constraint(Constraint::point("p", "arm", "arm.end")),
        ),
        ("point between ground and ground", {
            double()
                .ground_marker("w", frame::at([1.0; 3]))
                .constraint(Constraint::point("p", "ground", "ground.w"))
        }),
        (
            "constraint between bodies that stand still",
            prescribed().constraint(Constraint::point("p", "arm", "forearm")),
        ),
        (
            "constraint on an unknown frame",
            double().constraint(Constraint::point("p", "arm.tip", "forearn")),
        ),
        (
            "driver on a prescribed coordinate",
            prescribed().constraint(Constraint::driver("d", "hinge", ramp())),
        ),
        (
            "driver on a locked coordinate",
            prescribed().constraint(Constraint::driver("d", "elbow", ramp())),
        ),
        (
            "two drivers on one coordinate",
            double()
                .constraint(Constraint::driver("first", "hinge", ramp()))
                .constraint(Constraint::driver("second", "hinge", ramp())),
        ),
        (
            "driver not a number",
            double().constraint(Constraint::driver("d", "hinge", Signal::constant(NAN))),
        ),
        (
            "gear between bound coordinates",
            prescribed().constraint(Constraint::gear("g", "hinge", "elbow", 2.0)),
        ),
        (
            "gear with ratio zero",
            double().constraint(Constraint::gear("g", "hinge", "elbow", 0.0)),
        ),
        (
            "gear with itself",
            double().constraint(Constraint::gear("g", "hinge", "hinge", 2.0)),
        ),
        (
            "gear ratio not a number",
            double().constraint(Constraint::gear("g", "hinge", "elbow", NAN)),
        ),
        (
            "coupling of nothing",
            double().constraint(Constraint::coupling::<&str>("g", [], 1.0)),
        ),
        (
            "coupling offset not finite",
            double().constraint(Constraint::coupling("g", [("hinge", 1.0)], f64::INFINITY)),
        ),
        (
            "rod of no length",
            double().rod(Rod::new("rod", "ground", "forearm.end", 0.0)),
        ),
        (
            "rod of negative mass",
            double().rod(Rod::new("rod", "ground", "forearm.end", 1.0).mass(-1.0)),
        ),
        (
            "rod on one body",
            double().rod(Rod::new("rod", "arm", "arm.end", 1.0)),
        ),
        (
            "rod between bodies that stand still",
            prescribed().rod(Rod::new("rod", "arm", "forearm.end", 1.0)),
        ),
        (
            "spring on one body",
            double().force(Force::spring_damper("s", "arm", "arm.end", 1.0, 0.0, 1.0)),
        ),
        (
            "spring to nowhere",
            double().force(Force::spring_damper("s", "arm", "wall", 1.0, 0.0, 1.0)),
        ),
        (
            "spring not a number",
            double().force(Force::spring_damper("s", "ground", "forearm", NAN, NAN, NAN).preload(NAN)),
        ),
        (
            "torsion spring not finite",
            double().force(Force::torsion_spring(
                "s",
                "ground",
                "arm",
                1.0,
                0.0,
                f64::INFINITY,
            )),
        ),
        (
            "torsion spring on ground",
            double().force(Force::torsion_spring("s", "ground", "ground", 1.0, 0.0, 0.0)),
        ),
        (
            "force on ground",
            double().force(Force::applied("push", "ground", still())),
        ),
        (
            "force not a number",
            double().force(Force::applied(
                "push",
                "arm",
                [0.0, NAN, 0.0].map(Signal::constant),
            )),
        ),
        (
            "torque on an unknown marker",
            double().force(Force::torque("twist", "arm.edn", still())),
        ),
        (
            "spring on a locked coordinate",
            prescribed().force(Force::joint_spring("s", "elbow", 1.0, 0.0, 0.0)),
        ),
        (
            "motor not a number",
            double().force(Force::motor("m", "hinge", Signal::constant(NAN))),
        ),
        (
            "law of the wrong size",
            double().force(Force::user("law", "ground", "arm", law(3, 3))),
        ),
        (
            "law of unknown variables",
            double().force(Force::new("law", written("angle"))),
        ),
        (
            "law on one body",
            double().force(Force::user("law", "arm.end", "arm", law(19, 6))),
        ),
        (
            "everything at once",
            Description::new("wreck")
                .gravity([NAN; 3])
                .body(Body::new("a", -1.0))
                .body(Body::new("a", 1.0).inertia_diagonal([1.0, 1.0, 9.0]))
                .joint(Joint::revolute("j", "a", "b").axis([0.0; 3]))
                .constraint(Constraint::distance("j", "a", "a", -2.0))
                .force(Force::motor("m", "k", Signal::constant(NAN))),
        ),
    ]
}

/// Springs, stops, contacts and drives.
fn passive() -> Vec<(&'static str, Description)> {
    fn one(force: impl Into<Force>) -> Description {
        pendulum().force(force)
    }
    let text =
        |text: &str, variable: &str| Expression::parse(text, &Scope::new().variable(variable), None).unwrap();
    let bushing = |change: &dyn Fn(&mut BushingLaw)| {
        let mut law = BushingLaw::diagonal([1.0; 6], [0.1; 6]);
        change(&mut law);
        one(Force::bushing("bushing", "ground", "arm.end", law))
    };
    let gas = |change: &dyn Fn(&mut GasLaw)| {
        let mut law = GasLaw {
            height: 0.2,
            volume: 0.01,
            area: text("0.03", "x"),
            load: 1000.0,
            ..GasLaw::default()
        };
        change(&mut law);
        one(Force::air_spring("bellows", "ground", "arm.end", law))
    };
    let stop = |stiffness, damping, onset| StopLaw {
        stiffness,
        damping,
        onset,
    };
    let touch = |shape, change: &dyn Fn(&mut ContactLaw)| {
        let mut law = ContactLaw {
            stiffness: 1e5,
            ..ContactLaw::default()
        };
        change(&mut law);
        one(Force::plane_contact("floor", "ground", "arm.end", shape, law))
    };
    let law = ContactLaw {
        stiffness: 1e5,
        ..ContactLaw::default()
    };
    let bar = |stiffness, damping, lever| AntiRollLaw {
        stiffness,
        damping,
        lever,
        free_twist: 0.0,
    };
    let servo = |stiffness, damping, limit| ServoLaw {
        stiffness,
        damping,
        limit,
    };
    let drive = |law| one(Force::servo("drive", "hinge", Signal::constant(0.0), law));
    vec![
        (
            "a spring of an unknown variable",
            one(Force::nonlinear_spring(
                "spring",
                "ground",
                "arm.end",
                text("2*y", "y"),
                0.1,
            )),
        ),
        (
            "a damper that is not finite",
            one(Force::nonlinear_joint_spring("spring", "hinge", text("x", "x"), 0.1).damper(NAN)),
        ),
        (
            "a curved spring with an unknown length",
            one(Force::nonlinear_spring(
                "spring",
                "ground",
                "arm.end",
                text("2*x", "x"),
                NAN,
            )),
        ),
        (
            "a bushing that is not symmetric",
            bushing(&|law| law.stiffness[0][1] = 0.5),
        ),
        (
            "a bushing with negative damping",
            bushing(&|law| law.damping[3][3] = -1.0),
        ),
        (
            "a bushing that is not finite",
            bushing(&|law| law.stiffness[3][3] = NAN),
        ),
        (
            "a bushing of an unknown variable",
            bushing(&|law| law.torque[1] = text("x", "x")),
        ),
        (
            "an anti-roll bar without lever",
            double().force(Force::anti_roll_bar(
                "bar",
                "ground",
                "arm",
                "forearm",
                bar(1.0, 0.0, 0.0),
            )),
        ),
        (
            "an anti-roll bar on one body",
            double().force(Force::anti_roll_bar(
                "bar",
                "arm",
                "forearm",
                "arm.end",
                bar(-1.0, 0.0, 0.1),
            )),
        ),
        (
            "an anti-roll bar between one coordinate",
            double().force(Force::joint_anti_roll_bar("bar", "hinge", "hinge", 1.0, 0.0)),
        ),
        ("an air spring without static state", gas(&|law| law.load = 0.0)),
        (
            "an air spring with two static states",
            gas(&|law| law.pressure = 2e5),
        ),
        (
            "an air spring without area",
            gas(&|law| law.area = text("x", "x")),
        ),
        ("an air spring without volume", gas(&|law| law.volume = 0.0)),
        ("an air spring that cools", gas(&|law| law.exponent = 0.7)),
        ("an air spring with a vacuum", gas(&|law| law.load = -1e6)),
        (
            "a bump stop without length and onset",
            one(Force::bump_stop(
                "stop",
                "ground",
                "arm.end",
                0.0,
                stop(1.0, 0.0, 0.0),
            )),
        ),
        (
            "end stops the wrong way round",
            one(Force::joint_stop(
                "ends",
                "hinge",
                [1.0, -1.0],
                stop(1.0, -1.0, 0.1),
            )),
        ),
        (
            "end stops without end",
            one(Force::joint_stop(
                "ends",
                "hinge",
                [f64::NEG_INFINITY, f64::INFINITY],
                stop(0.0, 0.0, 0.1),
            )),
        ),
        ("a sphere without radius", touch(Shape::sphere(0.0), &|_| ())),
        (
            "a box with a radius",
            touch(
                Shape {
                    radius: 1.0,
                    ..Shape::cuboid([1.0; 3])
                },
                &|_| (),
            ),
        ),
        (
            "a soft contact",
            touch(Shape::sphere(1.0), &|law| law.exponent = 0.5),
        ),
        (
            "a contact with negative friction",
            touch(Shape::cylinder(1.0, -1.0), &|law| law.friction = -0.1),
        ),
        (
            "spheres without radius",
            one(Force::sphere_contact(
                "balls",
                "ground",
                "arm.end",
                [1.0, -1.0],
                law,
            )),
        ),
        (
            "crossed cylinders with an end",
            one(Force::cylinder_contact(
                "rods",
                "ground",
                "arm.end",
                Cylinders {
                    length: 1.0,
                    ..Cylinders::crossed([1.0, 0.0])
                },
                law,
            )),
        ),
        (
            "an actuator that is not finite",
            one(Force::actuator("ram", "ground", "arm.end", Signal::constant(NAN))),
        ),
        ("a servo without force", drive(servo(1.0, 0.0, 0.0))),
        (
            "a servo with negative damping",
            drive(servo(1.0, -1.0, f64::INFINITY)),
        ),
    ]
}
