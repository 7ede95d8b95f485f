//! Elements between frames, against their equations in the positions and velocities that channels show.

use crate::stand::{close, file, prescribed, run};
use holonom::multibody::residual::Form;

type V = [f64; 3];

fn add(a: V, b: V) -> V {
    [0, 1, 2].map(|k| a[k] + b[k])
}
fn sub(a: V, b: V) -> V {
    [0, 1, 2].map(|k| a[k] - b[k])
}
fn times(a: V, k: f64) -> V {
    a.map(|x| x * k)
}
fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
fn cross(a: V, b: V) -> V {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// A frame as the channels show it.
#[derive(Clone, Copy)]
struct At {
    p: V,
    v: V,
    w: V,
    /// Columns are the axes.
    axes: [V; 3],
}

impl At {
    /// Components in its axes.
    fn seen(&self, x: V) -> V {
        self.axes.map(|axis| dot(axis, x))
    }
    fn out(&self, x: V) -> V {
        add(
            add(times(self.axes[0], x[0]), times(self.axes[1], x[1])),
            times(self.axes[2], x[2]),
        )
    }
}

/// Two bodies on prescribed ways, with markers off their origins, and an element between them.
fn pair(element: &str) -> String {
    format!(
        r#"
[model]
format = 1
name = "pair"
gravity = [0, 0, 0]
[[body]]
name = "a"
mass = 1
inertia = [1, 1, 1]
markers = {{ m = {{ position = [0.1, -0.2, 0.05], cardan = [0.3, -0.2, 0.5] }}, n = {{ position = [-0.2, 0.4, 0.1] }} }}
[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
markers = {{ m = {{ position = [-0.05, 0.15, 0.1], cardan = [-0.4, 0.1, 0.2] }}, n = {{ position = [0.3, 0.1, -0.2] }} }}
[[joint]]
name = "ja"
kind = "free-cardan"
from = "ground"
to = "a"
x = {{ follows = "0.2*t" }}
y = {{ follows = "-0.1*t^2" }}
z = {{ follows = "0.05" }}
angle_x = {{ follows = "0.3*t" }}
angle_y = {{ follows = "0.2" }}
angle_z = {{ follows = "-0.5*t" }}
[[joint]]
name = "jb"
kind = "free-cardan"
from = "ground"
to = "b"
x = {{ follows = "0.5 - 0.3*t" }}
y = {{ follows = "0.4" }}
z = {{ follows = "0.3 + 0.2*t" }}
angle_x = {{ follows = "0.4 - 0.2*t" }}
angle_y = {{ follows = "-0.1*t" }}
angle_z = {{ follows = "0.6*t" }}
[[force]]
name = "f"
{element}
"#
    )
}

const T: f64 = 0.7;

/// Channels of the element, and the frames.
fn seen(element: &str, channels: &[&str], frames: &[&str]) -> (Vec<f64>, Vec<At>) {
    let mut names: Vec<String> = channels.iter().map(|c| format!("f.{c}")).collect();
    for frame in frames {
        for quantity in ["position", "velocity", "angular_velocity"] {
            names.extend(["x", "y", "z"].map(|k| format!("{frame}.{quantity}.{k}")));
        }
        names.extend(["w", "x", "y", "z"].map(|k| format!("{frame}.orientation.{k}")));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let row = prescribed(&pair(element), T, &names);
    let frames = row[channels.len()..].chunks_exact(13).map(|x| {
        let v = |k: usize| [x[k], x[k + 1], x[k + 2]];
        let (e, q) = (x[9], v(10));
        // R x = x + 2 q × (q × x + e x).
        let turned = |x: V| add(x, times(cross(q, add(cross(q, x), times(x, e))), 2.0));
        At {
            p: v(0),
            v: v(3),
            w: v(6),
            axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(turned),
        }
    });
    (row[..channels.len()].to_vec(), frames.collect())
}

const FORCE: [&str; 3] = ["force.x", "force.y", "force.z"];
const LOAD: [&str; 6] = [
    "force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z",
];

#[track_caller]
fn same(a: &[f64], b: V, what: &str) {
    for k in 0..3 {
        assert!(
            (a[k] - b[k]).abs() < 1e-11 * (1.0 + dot(b, b).sqrt()),
            "{what}: {a:?} {b:?}"
        );
    }
}

/// ℓ, ℓ̇ and the direction from the first origin to the second.
fn line(a: &At, b: &At) -> (f64, f64, V) {
    let d = sub(b.p, a.p);
    let length = dot(d, d).sqrt();
    let along = times(d, 1.0 / length);
    (length, dot(along, sub(b.v, a.v)), along)
}

/// Elements along a line pull with their tension.
#[test]
fn elements_on_a_line() {
    let ends = "from = \"a.m\"\nto = \"b.m\"\n";
    let tension = |kind: &str, of: &dyn Fn(f64, f64) -> f64| {
        let channels = [&FORCE[..], &["power"]].concat();
        let text = format!("{kind}{ends}");
        let (row, frames) = seen(&text, &channels, &["a.m", "b.m"]);
        let (length, rate, along) = line(&frames[0], &frames[1]);
        let expected = of(length, rate);
        assert!(expected.abs() > 0.1, "{kind}");
        same(&row, times(along, -expected), kind);
        close(row[3], -expected * rate, 1e-11, "power");
        // An actuator may have a torque as well, and shows no tension.
        if !kind.contains("actuator") {
            let (row, _) = seen(&text, &["length", "tension"], &[]);
            close(row[0], length, 1e-12, "length");
            close(row[1], expected, 1e-11, kind);
        }
    };
    tension(
        "kind = \"spring-damper\"\nstiffness = 40\ndamping = 3\nfree_length = 0.2\npreload = 1.5\n",
        &|l, r| 40.0 * (l - 0.2) + 3.0 * r + 1.5,
    );
    tension(
        "kind = \"nonlinear-spring\"\nspring = \"30*x + 200*x^3\"\ndamper = \"4*v + v^3\"\nfree_length = 0.3\n",
        &|l, r| {
            let x = l - 0.3;
            30.0 * x + 200.0 * x.powi(3) + 4.0 * r + r.powi(3)
        },
    );
    tension("kind = \"actuator\"\nforce = \"5 + 2*t\"\n", &|_, _| {
        -(5.0 + 2.0 * T)
    });
    tension(
        "kind = \"bump-stop\"\nlength = 1.2\nstiffness = 500\ndamping = 20\nonset = 0.9\n",
        &|l, r| {
            let s = (1.2 - l) / 0.9;
            assert!((0.0..1.0).contains(&s));
            -(500.0 * 0.9 * (s.powi(3) - 0.5 * s.powi(4)) - 20.0 * (3.0 * s * s - 2.0 * s.powi(3)) * r)
        },
    );
    tension(
        "kind = \"bump-stop\"\nlength = 0.2\nrebound = true\nstiffness = 500\ndamping = 0.4\nonset = 0.05\n",
        &|l, r| {
            let s = (l - 0.2) / 0.05;
            assert!(s > 1.0);
            500.0 * 0.05 * (s - 0.5) + 0.4 * r
        },
    );
    // The gas: p Vⁿ constant, V from the area over the length.
    let air = "kind = \"air-spring\"\nheight = 0.5\nvolume = 0.02\narea = \"0.03 + 0.01*x\"\npressure = 5e5\nexponent = 1.3\nambient = 1e5\ndamping = 7\n";
    let gas = |l: f64| {
        let x = l - 0.5;
        let volume = 0.02 + 0.03 * x + 0.005 * x * x;
        (5e5 * (0.02 / volume).powf(1.3), volume, 0.03 + 0.01 * x)
    };
    tension(air, &|l, r| {
        let (p, _, area) = gas(l);
        -((p - 1e5) * area) + 7.0 * r
    });
    let (row, frames) = seen(&format!("{air}{ends}"), &["pressure", "volume"], &["a.m", "b.m"]);
    let (p, volume, _) = gas(line(&frames[0], &frames[1]).0);
    close(row[0], p, 1e-12, "pressure");
    close(row[1], volume, 1e-12, "volume");
}

/// A torque of an actuator, and a law by expressions.
#[test]
fn torques_and_laws_of_the_user() {
    let (row, frames) = seen(
        "kind = \"actuator\"\nfrom = \"a.m\"\nto = \"b.m\"\ntorque = \"3 - t\"\n",
        &LOAD,
        &["a.m"],
    );
    same(&row[3..], times(frames[0].axes[2], 3.0 - T), "torque");
    let law = "kind = \"expression\"\nfrom = \"a.m\"\nto = \"b.m\"\nforce = [\"-3*x - vy\", \"2*y*vx\", \"t*z\"]\ntorque = [\"wx\", \"-2*wy + r12\", \"r31 - wz\"]\n";
    let (row, frames) = seen(law, &LOAD, &["a.m", "b.m"]);
    let (a, b) = (&frames[0], &frames[1]);
    let d = sub(b.p, a.p);
    let [x, y, z] = a.seen(d);
    // As an observer sees it who turns with the first frame.
    let [vx, vy, _] = a.seen(sub(sub(b.v, a.v), cross(a.w, d)));
    let [wx, wy, wz] = a.seen(sub(b.w, a.w));
    let (r12, r31) = (dot(a.axes[0], b.axes[1]), dot(a.axes[2], b.axes[0]));
    same(&row, a.out([-3.0 * x - vy, 2.0 * y * vx, T * z]), "force");
    same(&row[3..], a.out([wx, -2.0 * wy + r12, r31 - wz]), "torque");
    let follower = "kind = \"applied\"\nframe = \"b.m\"\nforce = [1, \"t\", -2]\ntorque = [0, 3, \"t^2\"]\nfollower = true\n";
    let (row, frames) = seen(follower, &LOAD, &["b.m"]);
    same(&row, frames[0].out([1.0, T, -2.0]), "follower");
    same(&row[3..], frames[0].out([0.0, 3.0, T * T]), "follower");
    let fixed = follower.replace("true", "false");
    let (row, _) = seen(&fixed, &LOAD, &[]);
    same(&row, [1.0, T, -2.0], "applied");
    same(&row[3..], [0.0, 3.0, T * T], "applied");
}

/// The bushing by its energy: its load is minus the derivative by displacements of the second frame, its
/// damping by the derivative of ξ in time, both by differences.
#[test]
fn a_bushing_has_the_load_of_its_coordinates() {
    let bushing = "kind = \"bushing\"\nfrom = \"a.m\"\nto = \"b.m\"\nstiffness = [30, 40, 50, 6, 7, 8]\ndamping = [1, 2, 3, 0.4, 0.5, 0.6]\n\
                   preload_force = [1, -2, 0.5]\npreload_torque = [0.2, 0.1, -0.3]\nforce = [\"5*s^3\", \"0\", \"0\"]\ntorque = [\"0\", \"s^2\", \"0\"]\n";
    let xi = [
        "deflection.x",
        "deflection.y",
        "deflection.z",
        "rotation.x",
        "rotation.y",
        "rotation.z",
    ];
    let channels = [&LOAD[..], &xi[..], &["energy", "power"]].concat();
    let (row, frames) = seen(bushing, &channels, &["a.m", "b.m"]);
    let (a, b) = (&frames[0], &frames[1]);
    same(&row[6..], a.seen(sub(b.p, a.p)), "deflection");
    // The rotation vector: axis and angle of what turns the first frame into the second.
    let r: Vec<V> = (0..3)
        .map(|i| [0, 1, 2].map(|j| dot(a.axes[i], b.axes[j])))
        .collect();
    let skew = [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]];
    let sin = 0.5 * dot(skew, skew).sqrt();
    let angle = sin.atan2(0.5 * (r[0][0] + r[1][1] + r[2][2] - 1.0));
    let theta = times(skew, 0.5 * angle / sin);
    same(&row[9..], theta, "rotation");
    // ẋ by differences of the channels in time.
    let at = |t: f64| {
        let names: Vec<String> = xi.iter().map(|c| format!("f.{c}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        prescribed(&pair(bushing), t, &names)
    };
    let h = 1e-5;
    let (before, after) = (at(T - h), at(T + h));
    let x = &row[6..12];
    let (k, c) = ([30.0, 40.0, 50.0, 6.0, 7.0, 8.0], [1.0, 2.0, 3.0, 0.4, 0.5, 0.6]);
    let p = [1.0, -2.0, 0.5, 0.2, 0.1, -0.3];
    let (mut power, mut energy, mut load) = (0.0, 0.0, [0.0; 6]);
    for i in 0..6 {
        let rate = (after[i] - before[i]) / (2.0 * h);
        let further = [5.0 * x[0].powi(3), 0.0, 0.0, 0.0, x[4] * x[4], 0.0][i];
        load[i] = k[i] * x[i] + c[i] * rate + p[i] + further;
        power -= load[i] * rate;
        energy += 0.5 * k[i] * x[i] * x[i]
            + p[i] * x[i]
            + [1.25 * x[0].powi(4), 0.0, 0.0, 0.0, x[4].powi(3) / 3.0, 0.0][i];
    }
    close(row[12], energy, 1e-12, "energy");
    close(row[13], power, 1e-7, "power");
    let force = a.out([-load[0], -load[1], -load[2]]);
    for k in 0..3 {
        assert!((row[k] - force[k]).abs() < 1e-7 * 100.0, "{row:?} {force:?}");
    }
    // J⁻ᵀ: with φ the angle, τ + θ × τ/2 + (1 − (φ/2) cot(φ/2))/φ² θ × (θ × τ).
    let tau = [load[3], load[4], load[5]];
    let factor = (1.0 - 0.5 * angle / (0.5 * angle).tan()) / (angle * angle);
    let turned = add(
        add(tau, times(cross(theta, tau), 0.5)),
        times(cross(theta, cross(theta, tau)), factor),
    );
    let torque = a.out(times(turned, -1.0));
    for k in 0..3 {
        assert!((row[3 + k] - torque[k]).abs() < 1e-6, "{row:?} {torque:?}");
    }
}

#[test]
fn anti_roll_bars_twist() {
    let bar = "kind = \"anti-roll-bar\"\nbar = \"a.m\"\nleft = \"b.m\"\nright = \"b.n\"\nstiffness = 90\ndamping = 4\nlever = 0.3\nfree_twist = 0.1\n";
    // Two ends on one body would be one load; the left end alone is on b, the right one on the ground.
    let bar = bar.replace("\"b.n\"", "\"ground\"");
    let channels = [&FORCE[..], &["twist", "bar_torque", "energy"]].concat();
    let (row, frames) = seen(&bar, &channels, &["a.m", "b.m"]);
    let (a, b) = (&frames[0], &frames[1]);
    let z = a.axes[2];
    let height = |p: V, v: V| {
        let d = sub(p, a.p);
        (dot(z, d), dot(z, sub(sub(v, a.v), cross(a.w, d))))
    };
    let (left, right) = (height(b.p, b.v), height([0.0; 3], [0.0; 3]));
    let (twist, rate) = ((left.0 - right.0) / 0.3, (left.1 - right.1) / 0.3);
    let torque = 90.0 * (twist - 0.1) + 4.0 * rate;
    close(row[3], twist, 1e-12, "twist");
    close(row[4], torque, 1e-12, "torque");
    close(row[5], 45.0 * (twist - 0.1).powi(2), 1e-12, "energy");
    same(&row, times(z, -torque / 0.3), "first end");
    let joint = "kind = \"joint-anti-roll-bar\"\nleft = { joint = \"ja\", coordinate = \"angle_z\" }\nright = { joint = \"jb\", coordinate = \"angle_x\" }\nstiffness = 50\ndamping = 2\nleft_ratio = 1.5\nright_ratio = -0.5\nfree_twist = 0.2\n";
    let joint = joint
        .replace("{ joint = \"ja\", coordinate = \"angle_z\" }", "\"ja.angle_z\"")
        .replace("{ joint = \"jb\", coordinate = \"angle_x\" }", "\"jb.angle_x\"");
    let (row, _) = seen(&joint, &["twist", "bar_torque", "force", "second_force"], &[]);
    let twist = 1.5 * (-0.5 * T) + 0.5 * (0.4 - 0.2 * T);
    let torque = 50.0 * (twist - 0.2) + 2.0 * (1.5 * -0.5 + 0.5 * -0.2);
    close(row[0], twist, 1e-13, "twist");
    close(row[1], torque, 1e-12, "torque");
    close(row[2], -1.5 * torque, 1e-12, "first");
    close(row[3], -0.5 * torque, 1e-12, "second");
}

/// A ramp of the length: F = c r (1 − exp(−k t/c)) from rest.
#[test]
fn a_maxwell_element_answers_a_ramp() {
    let text = r#"
[model]
format = 1
name = "maxwell"
gravity = [0, 0, 0]
[[body]]
name = "b"
mass = 1
[[joint]]
name = "j"
kind = "prismatic"
from = "ground"
to = "b"
displacement = { follows = "1 + 0.3*t" }
[[force]]
name = "f"
kind = "maxwell"
from = "ground"
to = "b"
stiffness = 200
damping = 40
free_length = 0.9
start = 0.05
"#;
    for (t, row) in [0.1, 0.5].iter().zip(run(
        &file(text, &[]),
        Form::Ode,
        &[0.1, 0.5],
        &["f.tension", "f.displacement", "f.energy"],
    )) {
        let decay = f64::exp(-200.0 / 40.0 * t);
        // F(0) = k (1 − 0.9 − 0.05).
        let tension = 10.0 * decay + 40.0 * 0.3 * (1.0 - decay);
        close(row[0], tension, 1e-8, "tension");
        close(row[1], 0.1 + 0.3 * t - tension / 200.0, 1e-8, "damper");
        close(row[2], tension * tension / 400.0, 1e-8, "energy");
    }
}
