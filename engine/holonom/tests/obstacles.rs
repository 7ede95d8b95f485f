//! Short obstacles under a wheel at speed, and hills of a law: no method steps over them, wherever they are.
#![allow(clippy::unwrap_used)]

use holonom::format::{Files, Settings, read};
use holonom::simulation::{Memory, RunOptions, Simulation, Status};

const STEPPERS: [&str; 4] = ["bdf", "radau", "dormand-prince", "auto"];

/// Rows of a run: time and one channel.
fn run(text: &str, channel: &str, stepper: &str, max_step: Option<f64>) -> Vec<[f64; 2]> {
    let files = Files::in_memory([("model.toml", text)]);
    let file = read("model.toml", &files, &[]).unwrap();
    let settings = Settings {
        stepper: Some(stepper.into()),
        max_step,
        ..Settings::default()
    };
    let simulation = Simulation::new(&file, &settings).unwrap();
    let selection = simulation.catalogue.select(&[channel]).unwrap();
    let mut rows = Memory::default();
    let report = simulation.run(&RunOptions::new(selection), &mut rows).unwrap();
    assert_eq!(report.status, Status::Finished, "{}", report.message);
    rows.0.iter().map(|row| [row[0], row[1]]).collect()
}

/// A wheel that is drawn along a road at 30 m/s, at rest otherwise.
fn wheel(road: &str) -> String {
    format!(
        r#"
[model]
format = 1
name = "wheel"
[[body]]
name = "hub"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "carrier"
mass = 40
inertia = [1, 1, 1]
[[body]]
name = "w"
mass = 1
inertia = [0.5, 1, 0.5]
[[joint]]
name = "x"
kind = "prismatic"
from = "ground"
to = "hub"
axis = [1, 0, 0]
displacement = {{ follows = "30*t" }}
[[joint]]
name = "z"
kind = "prismatic"
from = "hub"
to = "carrier"
displacement = 0.29799925
[[joint]]
name = "spin"
kind = "revolute"
from = "carrier"
to = "w"
axis = [0, 1, 0]
angle = {{ velocity = 100.22279527389387 }}
[[force]]
name = "tyre"
kind = "linear-tyre"
wheel = "w"
road = "r"
radius = 0.3
stiffness = 200000
damping = 2000
slip_stiffness = 1000
cornering_stiffness = 1000
{road}
[simulation]
t_end = 4
output_step = 0.002
"#
    )
}

#[test]
fn no_method_steps_over_a_short_obstacle() {
    let mut x: f64 = 0.731;
    for k in 0..9 {
        x = (x * 997.0 + 0.618).fract();
        let (place, width) = (30.0 + 60.0 * x, 0.03 * 10.0_f64.powf(f64::from(k) / 8.0));
        let height = (0.2 * width).min(0.01);
        let road = match k % 3 {
            0 => format!("kind = \"bump\"\nstart = {place}\nlength = {width}\nheight = {height}"),
            1 => {
                let s = 0.25 * width;
                format!("kind = \"height\"\nheight = \"{height}*exp(-((x - {place})/{s})^2)\"")
            }
            _ => format!(
                "kind = \"height\"\nheight = \"if(x > {place}, if(x < {}, -{height}, 0), 0)\"",
                place + width
            ),
        };
        let text = wheel(&format!("[[road]]\nname = \"r\"\n{road}\n"));
        let swing = |rows: &[[f64; 2]]| {
            let rest = rows[rows.len() / 5][1];
            holonom_testing::largest(rows.iter().map(|row| row[1] - rest))
        };
        // Ten steps within the obstacle.
        let fine = swing(&run(
            &text,
            "z.displacement",
            "dormand-prince",
            Some(width / 300.0),
        ));
        assert!(fine > 2e-6, "{road}: {fine}");
        for stepper in STEPPERS {
            let seen = swing(&run(&text, "z.displacement", stepper, None));
            assert!(
                (seen / fine - 1.0).abs() < 0.1,
                "{road}, {stepper}: {seen}, not {fine}"
            );
        }
    }
}

#[test]
fn no_method_steps_over_a_hill_of_tanh() {
    let mut x: f64 = 0.219;
    for k in 0..8 {
        x = (x * 997.0 + 0.618).fract();
        let (from, width) = (1.0 + 7.0 * x, 0.03 * 20.0_f64.powf(f64::from(k) / 7.0));
        let (to, edge) = (from + width, 0.05 * width);
        let force = format!("0.5*(tanh((z - {from})/{edge}) - tanh((z - {to})/{edge}))");
        let text = format!(
            r#"
[model]
format = 1
name = "hill"
gravity = [0, 0, 0]
[[body]]
name = "m"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "s"
kind = "prismatic"
from = "ground"
to = "m"
displacement = {{ start = 0, velocity = 1 }}
[[force]]
name = "f"
kind = "expression"
from = "ground"
to = "m"
force = [0, 0, "{force}"]
[simulation]
t_end = 10
output_step = 10
"#
        );
        // The work of the force: its area.
        let speed = (1.0 + 2.0 * width).sqrt();
        for stepper in STEPPERS {
            let rows = run(&text, "s.displacement.velocity", stepper, None);
            let seen = rows.last().unwrap()[1];
            assert!(
                (seen - speed).abs() < 1e-3,
                "{force}, {stepper}: {seen}, not {speed}"
            );
        }
    }
}
