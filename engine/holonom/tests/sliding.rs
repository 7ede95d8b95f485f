//! Switches that slide, and those that only look like it: friction that sticks and slips, thin walls, narrow bands.
#![allow(clippy::unwrap_used)]

use holonom::format::{Files, Settings, read};
use holonom::simulation::{Memory, RunOptions, Simulation, Status};

const STEPPERS: [&str; 4] = ["bdf", "radau", "generalized-alpha", "auto"];

/// Displacement and velocity at the end of one kilogram on a slide under a force law.
fn end(law: &str, [x, v]: [f64; 2], t_end: f64, stepper: &str) -> [f64; 2] {
    let text = format!(
        r#"
[model]
format = 1
name = "sliding"
gravity = [0, 0, 0]
[[body]]
name = "mass"
mass = 1
[[joint]]
name = "slide"
kind = "prismatic"
from = "ground"
to = "mass"
axis = [1, 0, 0]
displacement = {{ start = {x:?}, velocity = {v:?} }}
[[force]]
name = "law"
kind = "expression"
from = "ground"
to = "mass"
force = ["{law}", 0, 0]
[simulation]
t_end = {t_end:?}
output_step = {t_end:?}
max_steps = 200000
"#
    );
    let files = Files::in_memory([("sliding.toml", text.as_str())]);
    let file = read("sliding.toml", &files, &[]).unwrap();
    let settings = Settings {
        stepper: Some(stepper.into()),
        ..Settings::default()
    };
    let simulation = Simulation::new(&file, &settings).unwrap();
    let channels = ["slide.displacement", "slide.displacement.velocity"];
    let selection = simulation.catalogue.select(&channels).unwrap();
    let mut rows = Memory::default();
    let report = simulation.run(&RunOptions::new(selection), &mut rows).unwrap();
    assert_eq!(
        report.status,
        Status::Finished,
        "{law}, {stepper}: {}",
        report.message
    );
    let last = rows.0.last().unwrap();
    [last[1], last[2]]
}

/// The place at the end of 1 kg under 5 sin 2t that starts at rest, held by Coulomb friction: phases of slip in closed form,
/// with their ends by bisection.
fn stick_slip(friction: f64, t_end: f64) -> f64 {
    const GRID: f64 = 1e-4;
    let drive = |t: f64| 5.0 * (2.0 * t).sin();
    let root = |f: &dyn Fn(f64) -> f64, mut a: f64, mut b: f64| {
        for _ in 0..60 {
            let c = 0.5 * (a + b);
            if (f(a) > 0.0) == (f(c) > 0.0) {
                a = c
            } else {
                b = c
            }
        }
        b
    };
    let (mut t, mut x) = (0.0, 0.0);
    loop {
        // Sticks until the drive overcomes the friction.
        let excess = |t: f64| drive(t).abs() - friction;
        let mut from = t;
        while excess(from + GRID) <= 0.0 {
            from += GRID;
            if from >= t_end {
                return x;
            }
        }
        let start = if excess(t) > 0.0 {
            t
        } else {
            root(&excess, from, from + GRID)
        };
        let way = drive(start + GRID).signum();
        let velocity = |t: f64| -way * friction * (t - start) - 2.5 * ((2.0 * t).cos() - (2.0 * start).cos());
        let place = |t: f64| {
            let u = t - start;
            x - 0.5 * way * friction * u * u + 2.5 * (2.0 * start).cos() * u
                - 1.25 * ((2.0 * t).sin() - (2.0 * start).sin())
        };
        let mut to = start + 2.0 * GRID;
        while way * velocity(to) > 0.0 && to < t_end {
            to += GRID;
        }
        if to >= t_end {
            return place(t_end);
        }
        t = root(&velocity, to - GRID, to);
        x = place(t);
    }
}

/// Slip phases within long steps, down to those in which the drive is hardly above the friction.
#[test]
fn blocks_stick_and_slip_as_in_closed_form() {
    for friction in [3.3, 3.7, 4.1, 4.45, 4.75, 4.95] {
        let exact = stick_slip(friction, 10.0);
        for stepper in STEPPERS {
            let [x, _] = end(
                &format!("5*sin(2*t)-{friction}*sign(vx)"),
                [0.0; 2],
                10.0,
                stepper,
            );
            assert!(
                (x - exact).abs() < 2e-5,
                "{stepper}, friction {friction}: {x}, exactly {exact}"
            );
        }
    }
}

/// A force that grows from zero: x = (t − 5)³/6 from the instant at which it equals the friction.
#[test]
fn blocks_break_away_when_the_force_exceeds_the_friction() {
    for stepper in STEPPERS {
        for law in ["t-5*sign(vx)", "t-if(vx>0,5,-5)", "t-5+10*(vx<0)"] {
            let [x, _] = end(law, [0.0; 2], 10.0, stepper);
            // The creep before is within the band.
            assert!((x - 125.0 / 6.0).abs() < 2e-4, "{stepper}, {law}: {x}");
        }
    }
}

/// Elastic walls return all of the speed, however little they are entered.
#[test]
fn thin_walls_are_elastic() {
    for (stiffness, speed) in [
        (1e10, 1.0),
        (1e8, 0.1),
        (1e7, 0.03),
        (1e6, 0.005),
        (1e4, 1e-3),
        (1e9, 0.3),
    ] {
        let laws = [
            format!("if(x>3,-{stiffness:?}*(x-3),0)"),
            format!("-{stiffness:?}*(x-3)*(x>3)"),
        ];
        for law in &laws {
            for stepper in STEPPERS {
                let [_, v] = end(law, [3.0 - 3.0 * speed, speed], 6.0, stepper);
                assert!(
                    (v / speed + 1.0).abs() < 1e-3,
                    "{stepper}, {law}, {speed} m/s: {v}"
                );
            }
        }
    }
}

/// One switch with two borders: a push of 1e4 N over the width of the band.
#[test]
fn bands_narrower_than_the_tolerance_do_their_work() {
    for half in [5e-5_f64, 5e-6, 5e-8] {
        for stepper in ["bdf", "radau", "dormand-prince", "generalized-alpha", "auto"] {
            let [_, v] = end(&format!("1e4*(abs(x-3)<{half:?})"), [0.0, 1.0], 10.0, stepper);
            let exact = (1.0 + 4e4 * half).sqrt();
            assert!(
                (v - exact).abs() < 1e-5,
                "{stepper}, {half}: {v}, exactly {exact}"
            );
        }
    }
}
