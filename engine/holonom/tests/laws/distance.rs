//! A distance over time against the equation of a pendulum that is hauled in.

use crate::stand::{close, file, integrate, run};
use holonom::multibody::residual::Form;

/// A pendulum whose rope is hauled in: L θ̈ = −g sin θ − 2 L̇ θ̇, tension m (g cos θ + L θ̇² − L̈).
#[test]
fn a_distance_over_time_is_a_rope_that_is_hauled() {
    let text = r#"
[model]
format = 1
name = "hauled"
gravity = [0, 0, -9.81]
[[body]]
name = "bob"
mass = 3
[[joint]]
name = "plane"
kind = "free-cardan"
from = "ground"
to = "bob"
x = 1.2
z = -1.6
y = { locked = true }
angle_x = { locked = true }
angle_y = { locked = true }
angle_z = { locked = true }
[[constraint]]
name = "rope"
kind = "distance"
from = "ground"
to = "bob"
length = "2 - 0.3*t + 0.1*(cos(3*t) - 1)"
"#;
    let length = |t: f64| {
        [
            1.9 - 0.3 * t + 0.1 * (3.0 * t).cos(),
            -0.3 - 0.3 * (3.0 * t).sin(),
            -0.9 * (3.0 * t).cos(),
        ]
    };
    let swing = |t: f64, [angle, rate]: [f64; 2]| {
        let [l, dl, _] = length(t);
        -(9.81 * angle.sin() + 2.0 * dl * rate) / l
    };
    let end = 1.9;
    // The start velocity that is nearest to rest hauls along the rope only.
    let [angle, rate] = integrate([(1.2_f64 / 1.6).atan(), 0.0], end, swing);
    let [l, _, ddl] = length(end);
    for form in [Form::Ggl, Form::Index1, Form::Index2, Form::Index3] {
        let channels = ["plane.x", "plane.z", "rope.tension"];
        let rows = run(&file(text, &[]), form, &[end], &channels);
        let tolerance = if form == Form::Index3 { 1e-4 } else { 1e-6 };
        close(rows[0][0], l * angle.sin(), tolerance, "x");
        close(rows[0][1], -l * angle.cos(), tolerance, "z");
        let tension = 3.0 * (9.81 * angle.cos() + l * rate * rate - ddl);
        close(rows[0][2], tension, 100.0 * tolerance, "tension");
    }
}
