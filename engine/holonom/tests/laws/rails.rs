//! Creep forces.

use crate::stand::{close, prescribed};

/// A wheel that is pressed on a rail head of its own radius: the contact is a circle, for which Hertz's equations
/// are closed and Kalker's coefficients at ν = 0.25 are 4.12, 3.67, 1.47 and 1.19.
fn wheel(law: &str, slip: f64) -> String {
    format!(
        r#"
[model]
format = 1
name = "wheel"
gravity = [0, 0, -10]
[[body]]
name = "fork"
mass = 4000
inertia = [1, 1, 1]
[[body]]
name = "wheel"
mass = 1000
inertia = [1, 1, 1]
[[joint]]
name = "way"
kind = "free-cardan"
from = "ground"
to = "fork"
x = {{ follows = "20*t" }}
y = {{ follows = "0.03*t" }}
z = 0.4
angle_x = {{ follows = "0" }}
angle_y = {{ follows = "0" }}
angle_z = {{ follows = "0.2*t" }}
[[joint]]
name = "spin"
kind = "revolute"
from = "fork"
to = "wheel"
axis = [0, 1, 0]
angle = {{ follows = "{:?}*t" }}
[[constraint]]
name = "contact"
kind = "wheel-rail"
wheel = "wheel"
rail = "ground"
radius = 0.4
head_radius = 0.4
[[force]]
name = "c"
kind = "creep"
contact = "contact"
friction = 0.35
modulus = 2e11
poisson = 0.25
law = "{law}"
"#,
        20.0 / 0.4 * (1.0 + slip)
    )
}

const CHANNELS: [&str; 16] = [
    "c.longitudinal",
    "c.lateral",
    "c.spin_torque",
    "c.normal",
    "c.creep_x",
    "c.creep_y",
    "c.spin",
    "c.semi_axis_x",
    "c.semi_axis_y",
    "c.contact_x",
    "c.contact_y",
    "c.contact_z",
    "c.contact_on_wheel",
    "c.contact_angle",
    "c.wear_number",
    "c.power",
];

#[test]
fn creep_forces_on_a_circle() {
    for (law, slip) in [
        ("kalker", 0.0005),
        ("kalker", -0.004),
        ("kalker-tanh", 0.002),
        ("polach", 0.0008),
    ] {
        let row = prescribed(&wheel(law, slip), 0.0, &CHANNELS);
        let normal = 50e3;
        close(row[3], normal, 1e-9, "normal force");
        let speed = f64::hypot(20.0, 0.01);
        let (nx, ny, spin) = (-20.0 * slip / speed, 0.03 / speed, 0.2 / speed);
        close(row[4], nx, 1e-9, "longitudinal creepage");
        close(row[5], ny, 1e-9, "lateral creepage");
        close(row[6], spin, 1e-9, "spin");
        // a³ = 3 N R/(4 E*), E* = E/(2 (1 − ν²)).
        let a = (3.0 * normal * 0.4 * 2.0 * (1.0 - 0.0625) / (4.0 * 2e11)).cbrt();
        close(row[7], a, 1e-6, "semi-axis");
        close(row[8], a, 1e-6, "semi-axis");
        for (k, value) in row[9..14].iter().enumerate() {
            assert!(value.abs() < 1e-9, "{}: {value}", CHANNELS[9 + k]);
        }
        let stiffness = 2e11 / 2.5 * a * a;
        let x = -stiffness * 4.12 * nx;
        let y = -stiffness * (3.67 * ny + a * 1.47 * spin);
        let m = stiffness * (a * 1.47 * ny - a * a * 1.19 * spin);
        let u = f64::hypot(x, y) / (0.35 * normal);
        let factor = match law {
            "kalker" if u < 3.0 => 1.0 - u / 3.0 + u * u / 27.0,
            "kalker" => 1.0 / u,
            _ => u.tanh() / u,
        };
        if law != "polach" {
            close(row[0], x * factor, 1e-5, "F_x");
            close(row[1], y * factor, 1e-5, "F_y");
            close(row[2], m * factor, 1e-5, "M_z");
        } else {
            // Along the creepage with c of its direction; spin adds a force across alone.
            let total = f64::hypot(nx, (ny + spin * a).abs().max(ny.abs()));
            let c = f64::hypot(4.12 * nx, 3.67 * ny) / f64::hypot(nx, ny);
            let e = core::f64::consts::PI / 4.0 * 2e11 / 2.5 * a * a * c * total / (0.35 * normal);
            let force = 2.0 * 0.35 * normal / core::f64::consts::PI * (e / (1.0 + e * e) + e.atan());
            close(row[0], -force * nx / total, 1e-5, "F_x");
        }
        let taken = -(row[0] * nx + row[1] * ny + row[2] * spin);
        close(row[14], taken, 1e-9, "wear number");
        assert!(row[14] > 0.0);
        close(row[15], -taken * speed, 1e-6, "power");
    }
}
