//! Forces on coordinates of joints.

use crate::stand::{close, file, prescribed, run};
use holonom::multibody::residual::Form;

/// A turning body with a spring and friction on its coordinate, and a spring between its frames.
const TURNING: &str = r#"
[model]
format = 1
name = "turning"
gravity = [0, 0, 0]
[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "j"
kind = "revolute"
from = "ground"
to = "b"
MOTION
[[force]]
name = "js"
kind = "joint-spring"
coordinate = "j"
stiffness = 30
damping = 2
free_position = 0.1
motor = "0.4*t"
[[force]]
name = "nl"
kind = "nonlinear-joint-spring"
coordinate = "j"
spring = "5*x + 40*x^3"
damper = "0.3*v"
free_position = -0.05
[[force]]
name = "stop"
kind = "joint-stop"
coordinate = "j"
upper = 0.05
stiffness = 1000
damping = 3
onset = 0.2
[[force]]
name = "servo"
kind = "servo"
coordinate = "j"
target = "0.2*t"
stiffness = 12
damping = 0.7
limit = 4
[[force]]
name = "jf"
kind = "joint-friction"
coordinate = "j"
coefficient = 0.3
stribeck = 0.2
stribeck_velocity = 0.5
normal_force = 50
transition_velocity = 0.1
viscous = 0.7
radius = 0.02
[[force]]
name = "ts"
kind = "torsion-spring"
from = "ground"
to = "b"
stiffness = 30
damping = 2
free_angle = 0.1
"#;

/// x, ẋ and ẍ of the motion.
fn motion(t: f64) -> [f64; 3] {
    [0.3 * t.sin(), 0.3 * t.cos(), -0.3 * t.sin()]
}

/// What acts on the coordinate, by the equations of the page on elements.
fn expected(t: f64) -> [f64; 6] {
    let [x, v, _] = motion(t);
    let spring = -30.0 * (x - 0.1) - 2.0 * v + 0.4 * t;
    let s = x + 0.05;
    let curved = -(5.0 * s + 40.0 * s.powi(3)) - 0.3 * v;
    // k w g(s) + c g'(s) v, g = s³ − s⁴/2.
    let s = (x - 0.05) / 0.2;
    let (e, d) = (
        1000.0 * 0.2 * (s.powi(3) - 0.5 * s.powi(4)),
        3.0 * (3.0 * s * s - 2.0 * s.powi(3)) * v,
    );
    assert!((0.0..1.0).contains(&s) && d > -0.5 * e);
    let stop = -(e + d);
    let wanted = 12.0 * (0.2 * t - x) + 0.7 * (0.2 - v);
    let servo = 4.0 * (wanted / 4.0).tanh();
    let friction = -0.02 * (0.3 + 0.2 * (-(v / 0.5).powi(2)).exp()) * 50.0 * (v / 0.1).tanh() - 0.7 * v;
    let torsion = -30.0 * (x - 0.1) - 2.0 * v;
    [spring, curved, stop, servo, friction, torsion]
}

const CHANNELS: [&str; 12] = [
    "js.force",
    "nl.force",
    "stop.force",
    "servo.force",
    "jf.friction",
    "ts.moment",
    "js.power",
    "nl.power",
    "stop.power",
    "servo.power",
    "jf.power",
    "ts.power",
];

/// On a coordinate that follows a function forces, powers and the torque of the drive are those of a
/// driver constraint.
#[test]
fn forces_on_a_prescribed_coordinate_are_what_they_are() {
    let follows = TURNING.replace("MOTION", "angle = { follows = \"0.3*sin(t)\" }");
    let driver = TURNING.replace("MOTION", "")
        + "[[constraint]]\nname = \"drive\"\nkind = \"driver\"\ncoordinate = \"j\"\nfollows = \"0.3*sin(t)\"\n";
    for t in [0.5, 0.9] {
        let channels: Vec<&str> = CHANNELS.into_iter().chain(["j.angle.drive"]).collect();
        let row = prescribed(&follows, t, &channels);
        let channels: Vec<&str> = CHANNELS.into_iter().chain(["drive.force"]).collect();
        let driven = &run(&file(&driver, &[]), Form::Ggl, &[t], &channels)[0];
        let [_, v, a] = motion(t);
        let forces = expected(t);
        for (k, force) in forces.into_iter().enumerate() {
            close(row[k], force, 1e-13, CHANNELS[k]);
            close(row[k + 6], force * v, 1e-13, CHANNELS[k + 6]);
            close(driven[k], force, 1e-6, CHANNELS[k]);
            close(driven[k + 6], force * v, 1e-6, CHANNELS[k + 6]);
        }
        let drive = a - forces.iter().sum::<f64>();
        close(row[12], drive, 1e-12, "drive");
        close(driven[12], drive, 1e-6, "driver");
    }
}

/// What a sensor reads of it is the same.
#[test]
fn sensors_read_what_prescribed_coordinates_feel() {
    let text = TURNING.replace("MOTION", "angle = { follows = \"0.3*sin(t)\" }")
        + "[[control]]\nname = \"spring\"\nkind = \"sensor\"\nchannel = \"js.force\"\n\
           [[control]]\nname = \"torque\"\nkind = \"sensor\"\nchannel = \"j.angle.drive\"\n";
    let channels = ["spring", "js.force", "torque", "j.angle.drive"];
    let rows = run(&file(&text, &[]), Form::Ode, &[0.5], &channels);
    close(rows[0][0], rows[0][1], 1e-12, "spring");
    close(rows[0][2], rows[0][3], 1e-9, "torque");
}

/// A drive that lifts: power of the drive is the change of energy, whichever way the tree runs.
#[test]
fn the_drive_of_a_slide_carries_weight_and_inertia() {
    for (from, to, sign) in [("ground", "b", 1.0), ("b", "ground", -1.0)] {
        let text = format!(
            r#"
[model]
format = 1
name = "lift"
gravity = [0, 0, -10]
[[body]]
name = "b"
mass = 3
[[joint]]
name = "j"
kind = "prismatic"
from = "{from}"
to = "{to}"
displacement = {{ follows = "0.5*t^2" }}
[[force]]
name = "arb"
kind = "joint-spring"
coordinate = "j"
stiffness = 7
"#
        );
        let row = prescribed(&text, 2.0, &["j.displacement.drive", "arb.force"]);
        // The body rises or, hung the other way round, sinks with 1 m/s².
        close(row[1], -14.0, 1e-14, "spring");
        close(row[0], 3.0 * 1.0 + sign * 30.0 + 14.0, 1e-13, "drive");
    }
}

/// Friction by the reaction of the only joint of a body: a block on a slope, at rest or moving at the start.
#[test]
fn friction_by_a_reaction_needs_no_second_joint() {
    let slope = |speed: f64| {
        format!(
            r#"
[model]
format = 1
name = "slope"
[ground]
markers = {{ ramp = {{ position = [0.1, 0, 0.2], cardan = [0, "20 deg", 0] }} }}
[[body]]
name = "b"
mass = 3
inertia = [1, 1, 1]
[[joint]]
name = "j"
kind = "prismatic"
from = "ground.ramp"
to = "b"
axis = [1, 0, 0]
displacement = {{ start = 0.4, velocity = {speed:?} }}
[[force]]
name = "fr"
kind = "joint-friction"
coordinate = "j"
coefficient = 0.2
from_reaction = true
"#
        )
    };
    let (sin, cos) = 20f64.to_radians().sin_cos();
    for (speed, sign) in [(0.5, -1.0), (-0.5, 1.0)] {
        let channels = [
            "j.displacement",
            "j.displacement.velocity",
            "j.displacement.acceleration",
            "fr.normal",
            "fr.friction",
        ];
        let rows = run(&file(&slope(speed), &[]), Form::Ggl, &[0.0, 0.05], &channels);
        let normal = 3.0 * 9.81 * cos;
        close(rows[0][0], 0.4, 1e-9, "start");
        close(rows[0][1], speed, 1e-9, "speed");
        for row in rows {
            close(row[3], normal, 1e-8, "normal force");
            close(row[4], sign * 0.2 * normal, 1e-8, "friction");
            close(row[2], 9.81 * sin + sign * 0.2 * 9.81 * cos, 1e-7, "acceleration");
        }
    }
}
