//! Contacts by penalty.

use crate::stand::{close, prescribed};

/// A cylinder on a plane, its axis tilted from the normal.
fn cylinder(tilt: f64, height: f64, length: f64) -> String {
    format!(
        r#"
[model]
format = 1
name = "cylinder"
gravity = [0, 0, 0]
[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "j"
kind = "free-cardan"
from = "ground"
to = "b"
x = {{ follows = "0.4*t" }}
y = {{ follows = "0" }}
z = {{ follows = "{height:?}" }}
angle_x = {{ follows = "{tilt:?}" }}
angle_y = {{ follows = "0" }}
angle_z = {{ follows = "0" }}
[[force]]
name = "c"
kind = "plane-contact"
plane = "ground"
body = "b"
shape = "cylinder"
radius = 0.3
length = {length:?}
stiffness = 1e7
exponent = 1
friction = 0.5
slip_speed = 0.1
"#
    )
}

/// The rims of a cylinder and of a disc are at their radius, at every tilt.
#[test]
fn a_rim_is_at_the_radius() {
    let channels = [
        "c.force.z",
        "c.depth",
        "c.normal_force",
        "c.sliding",
        "c.force.x",
        "c.torque.x",
    ];
    for (tilt, length) in [
        (core::f64::consts::FRAC_PI_2, 0.4),
        (core::f64::consts::FRAC_PI_2, 0.0),
        (1.2, 0.4),
        (0.4, 0.0),
        (0.05, 0.2),
        (-0.3, 0.4),
        (0.00101, 0.1),
    ] {
        let (sin, cos) = f64::sin_cos(tilt);
        // The lower rim is this far below the middle.
        let reach = 0.3 * sin.abs() + 0.5 * length * cos;
        let row = prescribed(&cylinder(tilt, reach - 1e-4, length), 0.0, &channels);
        let other = 1e-4 - length * cos;
        let normal = 1e7 * (1e-4 + if length > 0.0 { other.max(0.0) } else { 0.0 });
        close(row[0], normal, 1e-9, "force");
        close(row[1], 1e-4, 1e-9, "depth");
        close(row[2], normal, 1e-9, "normal force");
        close(row[3], 0.4, 1e-12, "sliding");
        close(row[4], -0.5 * normal * 0.4 / (0.17f64).sqrt(), 1e-9, "friction");
        if length == 0.0 {
            // The lowest point of a disc that is turned about x is at y = ±r cos(tilt).
            let arm = -0.3 * cos * tilt.signum();
            assert!((row[5] - arm * normal).abs() < 1e-6 * normal, "{row:?}");
        }
    }
}

/// Upright it stands on the middle of its face, and on the way to the rim the torque is that of the energy.
#[test]
fn an_upright_cylinder_stands_on_its_face() {
    let at = |tilt: f64| {
        prescribed(
            &cylinder(tilt, 0.0499, 0.1),
            0.0,
            &["c.force.z", "c.torque.x", "c.energy"],
        )
    };
    let upright = at(0.0);
    close(upright[0], 1e7 * 1e-4, 1e-12, "force");
    assert_eq!(upright[1], 0.0);
    for tilt in [1e-4, 5e-4, 9e-4, 0.999e-3] {
        let h = 1e-7;
        let slope = (at(tilt + h)[2] - at(tilt - h)[2]) / (2.0 * h);
        close(at(tilt)[1], -slope, 1e-6, "torque");
    }
}

/// Two contacts between the same bodies, the second with its sides exchanged.
fn swapped(kind: &str, first: &str, second: &str) -> String {
    format!(
        r#"
[model]
format = 1
name = "swapped"
gravity = [0, 0, 0]
[[body]]
name = "a"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "ja"
kind = "free-cardan"
from = "ground"
to = "a"
x = {{ follows = "0" }}
y = {{ follows = "0" }}
z = {{ follows = "0" }}
angle_x = {{ follows = "0.3*t" }}
angle_y = {{ follows = "0" }}
angle_z = {{ follows = "0.2*t" }}
[[joint]]
name = "jb"
kind = "free-cardan"
from = "ground"
to = "b"
x = {{ follows = "0.5" }}
y = {{ follows = "0.01*t" }}
z = {{ follows = "0.02*t" }}
angle_x = {{ follows = "1.1" }}
angle_y = {{ follows = "0.1*t" }}
angle_z = {{ follows = "-0.1*t" }}
[[force]]
name = "one"
kind = "{kind}"
from = "a"
to = "b"
radius = 0.35
second_radius = 0.25
{first}
[[force]]
name = "two"
kind = "{kind}"
from = "b"
to = "a"
radius = 0.25
second_radius = 0.35
{second}
"#
    )
}

#[test]
fn exchanging_both_sides_of_a_contact_changes_nothing() {
    let law = "stiffness = 1e5\nfriction = 0.5\nslip_speed = 0.05\ndissipation = 0.2\n";
    for (kind, more) in [
        ("sphere-contact", ""),
        ("cylinder-contact", "axes = \"crossed\"\n"),
    ] {
        let text = swapped(kind, &format!("{law}{more}"), &format!("{law}{more}"));
        let mut channels = Vec::new();
        for name in ["one", "two"] {
            for value in [
                "force.x",
                "force.y",
                "force.z",
                "depth",
                "normal_force",
                "sliding",
                "power",
            ] {
                channels.push(format!("{name}.{value}"));
            }
        }
        let mut names: Vec<&str> = channels.iter().map(String::as_str).collect();
        names.extend(["ja.torque.x", "ja.torque.y", "ja.torque.z"]);
        let row = prescribed(&text, 0.8, &names);
        for k in 0..3 {
            assert!((row[k] + row[k + 7]).abs() < 1e-9 * row[4], "{kind}: {row:?}");
        }
        for k in 3..7 {
            close(row[k], row[k + 7], 1e-12, names[k]);
        }
        // Friction is across the normal force, which is there.
        assert!(row[4] > 100.0 && row[5] > 1e-3, "{kind}: {row:?}");
    }
}

/// Hunt and Crossley with friction at the point between two spheres.
#[test]
fn spheres_push_and_rub_as_the_formula_says() {
    let text = swapped(
        "sphere-contact",
        "stiffness = 2e5\nexponent = 1.5\ndissipation = 0.3\nfriction = 0.4\nslip_speed = 0.05",
        "stiffness = 1",
    );
    let t: f64 = 0.6;
    let row = prescribed(
        &text,
        t,
        &[
            "one.force.x",
            "one.force.y",
            "one.force.z",
            "one.torque.x",
            "one.torque.y",
            "one.torque.z",
            "a.angular_velocity.x",
            "a.angular_velocity.y",
            "a.angular_velocity.z",
            "b.angular_velocity.x",
            "b.angular_velocity.y",
            "b.angular_velocity.z",
        ],
    );
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    };
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let d = [0.5, 0.01 * t, 0.02 * t];
    let distance = dot(d, d).sqrt();
    let n = d.map(|x| x / distance);
    let depth = 0.6 - distance;
    // The middle between both surfaces, from either centre.
    let (ra, rb) = (
        n.map(|x| x * (0.35 - depth / 2.0)),
        n.map(|x| -x * (0.25 - depth / 2.0)),
    );
    let (wa, wb) = ([row[6], row[7], row[8]], [row[9], row[10], row[11]]);
    let (va, vb) = (cross(wa, ra), cross(wb, rb));
    let v = [vb[0] - va[0], 0.01 + vb[1] - va[1], 0.02 + vb[2] - va[2]];
    let closing = -dot(v, n);
    let push = 2e5 * depth.powf(1.5) * (1.0 + 1.5 * 0.3 * closing);
    let slide = [0, 1, 2].map(|k| v[k] + n[k] * closing);
    let speed = (dot(slide, slide) + 0.05 * 0.05).sqrt();
    let force = [0, 1, 2].map(|k| n[k] * push - slide[k] * 0.4 * push / speed);
    let torque = cross(rb, force);
    for k in 0..3 {
        assert!((row[k] - force[k]).abs() < 1e-10 * push, "{k}: {row:?} {force:?}");
        assert!(
            (row[3 + k] - torque[k]).abs() < 1e-10 * push,
            "{k}: {row:?} {torque:?}"
        );
    }
}

/// A sphere and a box that sink into a plane: Hunt and Crossley at each point.
#[test]
fn shapes_on_a_plane_push_as_the_formula_says() {
    let shape = |shape: &str| {
        cylinder(0.3, 0.2, 0.0)
            .replace("shape = \"cylinder\"\nradius = 0.3\nlength = 0.0\n", shape)
            .replace("follows = \"0.2\"", "follows = \"0.2 - 0.5*t\"")
            .replace("exponent = 1\n", "exponent = 1.5\ndissipation = 0.4\n")
    };
    let channels = ["c.force.x", "c.force.z", "c.depth", "c.normal_force", "c.energy"];
    let row = prescribed(&shape("shape = \"sphere\"\nradius = 0.25\n"), 0.0, &channels);
    let push = 1e7 * 0.05_f64.powf(1.5) * (1.0 + 1.5 * 0.4 * 0.5);
    close(row[1], push, 1e-12, "sphere");
    close(row[0], -0.5 * push * 0.4 / 0.17_f64.sqrt(), 1e-12, "friction");
    close(row[2], 0.05, 1e-12, "depth");
    close(row[4], 1e7 * 0.05_f64.powf(2.5) / 2.5, 1e-12, "energy");
    // The corners of a box that leans about x by 0.3 rad.
    let row = prescribed(
        &shape("shape = \"box\"\nsize = [0.4, 0.6, 0.5]\n"),
        0.0,
        &channels,
    );
    let (sin, cos) = 0.3_f64.sin_cos();
    let mut normal = 0.0;
    let mut deepest = f64::NEG_INFINITY;
    for y in [-0.3, 0.3] {
        for z in [-0.25, 0.25] {
            let depth = -(0.2 + y * sin + z * cos);
            deepest = deepest.max(depth);
            if depth > 0.0 {
                normal += 2.0 * 1e7 * depth.powf(1.5) * (1.0 + 1.5 * 0.4 * 0.5);
            }
        }
    }
    close(row[1], normal, 1e-12, "box");
    close(row[3], normal, 1e-12, "normal force");
    close(row[2], deepest, 1e-12, "depth");
    // In the air the depth is the distance.
    let row = prescribed(&shape("shape = \"sphere\"\nradius = 0.125\n"), 0.0, &channels);
    assert_eq!(row[..2], [0.0, 0.0]);
    close(row[2], -0.075, 1e-12, "distance");
}

/// Crossed and parallel cylinders with the distances of their axes.
#[test]
fn cylinders_push_by_the_distance_of_their_axes() {
    let text = |axes: &str, tilt: f64| {
        format!(
            r#"
[model]
format = 1
name = "cylinders"
gravity = [0, 0, 0]
[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "j"
kind = "free-cardan"
from = "ground"
to = "b"
x = {{ follows = "0.3 - 0.2*t" }}
y = {{ follows = "0.05" }}
z = {{ follows = "0.1" }}
angle_x = {{ follows = "{tilt}" }}
angle_y = {{ follows = "0" }}
angle_z = {{ follows = "0" }}
[[force]]
name = "c"
kind = "cylinder-contact"
from = "ground"
to = "b"
radius = 0.2
second_radius = 0.15
stiffness = 1e5
exponent = 1
dissipation = 0.3
{axes}
"#
        )
    };
    let channels = [
        "c.force.x",
        "c.force.y",
        "c.force.z",
        "c.torque.x",
        "c.torque.y",
        "c.torque.z",
        "c.depth",
    ];
    // The axes cross at 0.5 rad, both at right angles to x: their distance is 0.3.
    let row = prescribed(&text("axes = \"crossed\"", 0.5), 0.0, &channels);
    let push = 1e5 * 0.05 * (1.0 + 1.5 * 0.3 * 0.2);
    close(row[0], push, 1e-12, "crossed");
    close(row[6], 0.05, 1e-12, "depth");
    // It acts at the foot on the second axis, where y of that axis is zero: 0.05 − s sin 0.5 = 0.
    let s = 0.05 / 0.5_f64.sin();
    let place = [0.0, -0.05, s * 0.5_f64.cos()];
    close(row[4], place[2] * push, 1e-12, "torque about y");
    close(row[5], -place[1] * push, 1e-12, "torque about z");
    // Ends of the second axis at ±0.2 along it: each has its own distance from the first.
    let row = prescribed(&text("axes = \"parallel\"\nlength = 0.4", 0.3), 0.0, &channels);
    let (mut force, mut torque) = ([0.0; 2], [0.0; 3]);
    for half in [-0.2, 0.2] {
        let (x, y, z): (f64, f64, f64) = (0.3, 0.05 - half * 0.3_f64.sin(), half * 0.3_f64.cos());
        let distance = x.hypot(y);
        let (nx, ny) = (x / distance, y / distance);
        let depth = 0.35 - distance;
        let push = 1e5 * depth * (1.0 + 1.5 * 0.3 * 0.2 * nx);
        force[0] += push * nx;
        force[1] += push * ny;
        // Along the normal the place does not matter.
        let arm = [-nx * 0.15, y - 0.05 - ny * 0.15];
        torque[0] -= z * push * ny;
        torque[1] += z * push * nx;
        torque[2] += arm[0] * push * ny - arm[1] * push * nx;
    }
    close(row[0], force[0], 1e-12, "parallel");
    close(row[1], force[1], 1e-12, "parallel");
    for k in 0..3 {
        assert!((row[3 + k] - torque[k]).abs() < 1e-9 * push, "{row:?} {torque:?}");
    }
}
