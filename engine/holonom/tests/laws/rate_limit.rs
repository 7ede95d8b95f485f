//! Rate limiters against their closed solution.

use crate::stand::{close, file, run};
use holonom::multibody::residual::Form;

/// A body that only carries controls.
const LIMITERS: &str = r#"
[model]
format = 1
name = "limiters"
gravity = [0, 0, 0]
[[body]]
name = "b"
mass = 1
[[joint]]
name = "j"
kind = "prismatic"
from = "ground"
to = "b"
[[control]]
name = "up"
kind = "rate-limit"
input = 3
rise = 2
time_constant = 0.1
[[control]]
name = "down"
kind = "rate-limit"
input = -1
rise = 20
fall = 0.5
time_constant = 0.05
start = 1
[[control]]
name = "slow"
kind = "rate-limit"
input = "0.5*t"
rise = 2
time_constant = 0.2
"#;

#[test]
fn a_rate_limiter_rises_on_a_line() {
    let times = [0.5, 1.3, 1.6, 2.0, 4.2];
    let rows = run(&file(LIMITERS, &[]), Form::Ode, &times, &["up", "down", "slow"]);
    // On the line while the error exceeds rate · T, then as an exponential.
    let after = |t: f64, step: f64, rate: f64, time: f64| {
        let bend = (step - rate * time) / rate;
        match t < bend {
            true => rate * t,
            false => step - rate * time * (-(t - bend) / time).exp(),
        }
    };
    for (t, row) in times.into_iter().zip(rows) {
        close(row[0], after(t, 3.0, 2.0, 0.1), 1e-7, "up");
        close(1.0 - row[1], after(t, 2.0, 0.5, 0.05), 1e-7, "down");
        close(row[2], 0.5 * (t - 0.2 * (1.0 - (-t / 0.2).exp())), 1e-7, "slow");
    }
}
