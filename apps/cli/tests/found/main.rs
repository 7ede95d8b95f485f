//! Models in which a user once found a defect, with the numbers that an independent formula gives.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../common/mod.rs"]
mod common;

use common::{code, command, holonom, report, stderr, stdout};
use serde_json::Value;
use std::collections::HashMap;
use std::f64::consts::PI;
use std::path::{Path, PathBuf};

mod numerics;
mod resumed;
mod told;
use numerics::{integrate, rotate};

fn file(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// A folder with one model and the files beside it.
fn place(test: &str, text: &str) -> PathBuf {
    let folder = common::folder(&format!("found-{test}"));
    std::fs::write(folder.join("model.toml"), text).unwrap();
    for name in ["base.tir", "other.tir", "tab.csv"] {
        std::fs::write(folder.join(name), file(name)).unwrap();
    }
    folder
}

/// What a run wrote.
struct History {
    columns: HashMap<String, Vec<f64>>,
    summary: Value,
    stderr: String,
}

impl History {
    fn of(&self, channel: &str) -> &[f64] {
        self.columns
            .get(channel)
            .unwrap_or_else(|| panic!("{channel} in {:?}", self.columns.keys()))
    }

    fn last(&self, channel: &str) -> f64 {
        *self.of(channel).last().unwrap()
    }

    fn steps(&self) -> u64 {
        self.summary["counters"]["steps"].as_u64().unwrap()
    }

    /// A channel at all times against a function of time, in parts of the largest value.
    fn is(&self, channel: &str, tolerance: f64, expected: impl Fn(f64) -> f64) {
        let values: Vec<f64> = self.of("t").iter().map(|t| expected(*t)).collect();
        let size = values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        for ((t, got), want) in self.of("t").iter().zip(self.of(channel)).zip(&values) {
            assert!(
                (got - want).abs() <= tolerance * size,
                "{channel} at {t}: {got}, expected {want}"
            );
        }
    }
}

fn run(test: &str, text: &str, options: &[&str]) -> History {
    let folder = place(test, text);
    let arguments = [&["run", "model.toml", "-o", "r", "--csv", "--json"], options].concat();
    let output = holonom(&folder, &arguments);
    let summary = report(&output);
    let text = std::fs::read_to_string(folder.join("r.csv")).unwrap();
    let mut lines = text.lines();
    let heading = lines.next().unwrap().split(',');
    let names: Vec<String> = heading
        .map(|h| h.split(" [").next().unwrap().to_string())
        .collect();
    let mut columns: HashMap<String, Vec<f64>> = names.iter().map(|n| (n.clone(), Vec::new())).collect();
    for line in lines {
        for (name, cell) in names.iter().zip(line.split(',')) {
            columns.get_mut(name).unwrap().push(cell.parse().unwrap());
        }
    }
    History {
        columns,
        summary,
        stderr: stderr(&output),
    }
}

fn close(got: f64, expected: f64, tolerance: f64) {
    assert!((got - expected).abs() <= tolerance, "{got}, expected {expected}");
}

/// Forces on a coordinate are there whether a driver leads it or it follows a function.
#[test]
fn forces_on_coordinates_that_are_led() {
    let (x, v, a) = (
        |t: f64| 0.3 * t.sin(),
        |t: f64| 0.3 * t.cos(),
        |t: f64| -0.3 * t.sin(),
    );
    let spring = |t: f64| -30.0 * (x(t) - 0.1) - 2.0 * v(t);
    let friction = |t: f64| -0.02 * 0.3 * 50.0 * (v(t) / 0.1).tanh() - 0.7 * v(t);
    // Its own spring and friction, the torsion spring, and the inertia.
    let drive = |t: f64| a(t) - 2.0 * spring(t) - friction(t);
    for (name, channel) in [
        ("driven-joint-force", "drive.force"),
        ("prescribed-joint-force", "j.angle.drive"),
    ] {
        let run = run(name, &file(&format!("{name}.toml")), &[]);
        run.is("js.force", 1e-9, spring);
        run.is("js.power", 1e-9, |t| spring(t) * v(t));
        run.is("js.energy", 1e-9, |t| 15.0 * (x(t) - 0.1).powi(2));
        run.is("jf.friction", 1e-9, friction);
        run.is("jf.power", 1e-9, |t| friction(t) * v(t));
        run.is("ts.torque.z", 1e-9, spring);
        run.is(channel, 1e-9, drive);
    }
}

#[test]
fn the_rim_of_a_cylinder_is_at_its_radius() {
    let run = run("rim", &file("cylinder-rim.toml"), &[]);
    run.is("c.force.z", 1e-9, |t| 2.0 * 1e7 * (1e-4 + 1e-3 * t));
}

#[test]
fn keys_of_tyre_files_count_or_are_named() {
    let base = file("tyre-keys.toml").replace("other.tir", "base.tir");
    let [base, other] =
        [("base", base), ("other", file("tyre-keys.toml"))].map(|(name, text)| run(name, &text, &[]));
    // The centre is 14 mm low: 280 N/mm, and half of it with LCZ.
    base.is("tyre.load", 1e-9, |_| 280e3 * (0.344 - 0.33));
    other.is("tyre.load", 1e-9, |_| 0.5 * 280e3 * (0.344 - 0.33));
    for key in ["TYRESIDE", "LKG", "QTZ1", "MBELT", "NONSENSE", "USE_MODE"] {
        assert!(other.stderr.contains(key), "{key}: {}", other.stderr);
    }
}

#[test]
fn the_relaxation_length_and_the_lever_of_a_tyre() {
    let run = run("relaxation", &file("relaxation.toml"), &[]);
    let (load, nominal, radius) = (280e3 * 0.014, 4800.0, 0.344);
    let df = (load - nominal) / nominal;
    let sigma = load * (2.4 + 1.4 * df) * f64::exp(-0.57 * df) * radius / nominal;
    close(run.last("tyre.relaxation_x"), sigma, 1e-9);
    close(
        run.last("tyre.u") / run.last("tyre.longitudinal_slip"),
        sigma,
        1e-5,
    );
    // Deflection by that of the nominal load, r_e = r0 − ρ_n (D atan(B ρ) + F ρ).
    let nominal_deflection = nominal / 280e3;
    let rho = 0.014 / nominal_deflection;
    let rolling = radius - nominal_deflection * (0.27 * f64::atan(8.4 * rho) + 0.07 * rho);
    close(run.last("tyre.rolling_radius"), rolling, 1e-9);
    // The choice that keeps the balance of power: the torque of the drive is F_x r_e.
    close(
        run.last("tyre.torque.y") / run.last("tyre.longitudinal"),
        -rolling,
        1e-6,
    );
}

#[test]
fn the_trail_of_tmeasy() {
    let (zero, end) = (0.1, 0.4);
    let w: f64 = zero / end;
    let trail = |s: f64| {
        let n = match s < zero {
            true => (1.0 - w) * (1.0 - s / zero) + w * (1.0 - (3.0 - 2.0 * s / zero) * (s / zero).powi(2)),
            false => -(1.0 - w) * (s - zero) / zero * ((end - s) / (end - zero)).powi(2),
        };
        0.18 * n * 2.0 * f64::sqrt(0.344 * (0.344 - 0.328))
    };
    for tangent in [0.025_f64, 0.2] {
        let set = format!("slip={tangent}");
        let run = run(
            &format!("trail-{tangent}"),
            &file("tmeasy-trail.toml"),
            &["--set", &set],
        );
        // By the speed of the tread, r_e Ω, from which the wheel slides by little.
        let [kappa, lateral] = ["longitudinal_slip", "lateral_slip"].map(|c| run.last(&format!("tyre.{c}")));
        let n = -run.last("tyre.aligning") / run.last("tyre.lateral");
        close(n, trail(lateral.abs() / (1.0 + kappa)), 1e-6);
        close(lateral.abs(), tangent, 1e-3);
    }
}

#[test]
fn a_block_slides_with_friction_from_its_guide() {
    let run = run(
        "block",
        &file("friction-from-reaction.toml"),
        &["--output-step", "0.1"],
    );
    let slope = 20.0_f64.to_radians();
    let expected = 9.81 * (slope.sin() - 0.2 * slope.cos());
    let a = ["x", "y", "z"].map(|axis| run.last(&format!("b.acceleration.{axis}")));
    close(a.iter().map(|x| x * x).sum::<f64>().sqrt(), expected, 1e-3);
}

#[test]
fn a_controller_at_rest_does_not_kick() {
    let run = run("pid", &file("pid.toml"), &[]);
    run.is("pid", 1e-9, |_| 5.0 * 0.3);
}

#[test]
fn a_contact_does_not_care_which_sphere_comes_first() {
    let run = run("spheres", &file("spheres.toml"), &[]);
    for axis in ["x", "y", "z"] {
        let [one, two] = ["one", "two"].map(|name| run.of(&format!("{name}.force.{axis}")).to_vec());
        for (a, b) in one.iter().zip(&two) {
            close(a + b, 0.0, 1e-9);
        }
    }
    assert!(run.of("one.force.y").iter().any(|f| f.abs() > 100.0));
}

/// A name, a model and the height of its road over time.
type Road<'a> = (&'a str, &'a str, &'a dyn Fn(f64) -> f64);

/// Excitations short or late in a run: the wheel on its road, against steps of 10 µs.
#[test]
fn no_excitation_is_stepped_over() {
    let cosine = |t: f64| {
        let x = t * 30.0 / 3.6 - 5.0;
        if (0.0..2.0).contains(&x) {
            0.04 * (1.0 - (PI * x).cos())
        } else {
            0.0
        }
    };
    let pulse = |t: f64| {
        if (2.1..3.9).contains(&t) {
            0.05 * (PI * (t - 2.1) / 1.8).sin()
        } else {
            0.0
        }
    };
    let car = file("bump.toml");
    let later = {
        let (from, to) = (
            car.find("expression = \"if").unwrap(),
            car.find("[[body]]").unwrap(),
        );
        format!(
            "{}expression = \"if(t < 2.1, 0, if(t>3.9, 0, 0.05*sin(pi*(t-2.1)/1.8)))\"\n\n{}",
            &car[..from],
            &car[to..]
        )
    };
    let roads: [Road; 2] = [("bump", &car, &cosine), ("pulse", &later, &pulse)];
    for (name, text, road) in roads {
        let run = run(name, text, &[]);
        // Wheel and body over their rest, and their velocities.
        let rate = |t: f64, y: &[f64; 4]| {
            let [wheel, body, dw, db] = *y;
            let strut = 18e3 * (body - wheel) + 1.2e3 * (db - dw);
            let static_load = 340.0 * 9.81;
            let tyre = f64::max(0.0, static_load + 190e3 * (road(t) - wheel)) - static_load;
            [dw, db, (tyre + strut) / 40.0, -strut / 300.0]
        };
        let end = integrate([0.0; 4], [0.0, 4.0], 400_000, rate);
        let start = run.of("body.position.z")[0];
        close(run.last("body.position.z") - start, end[1], 2e-5);
        let start = run.of("wheel.position.z")[0];
        close(run.last("wheel.position.z") - start, end[0], 2e-5);
        let highest = run
            .of("wheel.position.z")
            .iter()
            .fold(0.0_f64, |m, z| m.max(z - start));
        assert!(highest > 0.03, "{name}: {highest}");
    }
}

#[test]
fn a_table_over_the_way_is_not_stepped_over() {
    let car = file("bump.toml");
    let table = "[[table]]\nname = \"rd\"\nx = [0, 9, 9.5, 10, 10.5, 11, 100]\ny = [0, 0, 0.04, 0.08, 0.04, 0, 0]\n\
                 interpolation = \"monotone\"\n\n[[input]]";
    let from = car.find("expression = \"if").unwrap();
    let to = car.find("[[body]]").unwrap();
    let text =
        format!("{}expression = \"rd(v*t)\"\n\n{}", &car[..from], &car[to..]).replacen("[[input]]", table, 1);
    let run = run("table", &text, &[]);
    let start = run.of("wheel.position.z")[0];
    let highest = run
        .of("wheel.position.z")
        .iter()
        .fold(0.0_f64, |m, z| m.max(z - start));
    close(
        run.of("input.road").iter().fold(0.0_f64, |m, z| m.max(*z)),
        0.08,
        1e-4,
    );
    assert!(highest > 0.07, "{highest}");
}

#[test]
fn a_push_gives_its_impulse() {
    let run = run("impulse", &file("impulse.toml"), &[]);
    let (before, after) = (1.1, 1.9);
    run.is("s.displacement", 1e-6, |t| {
        let pushed = (t.clamp(before, after) - before).powi(2) * 50.0;
        pushed + 80.0 * (t - after).max(0.0)
    });
}

/// What a servo follows stands still in statics, its rate too.
#[test]
fn a_set_point_is_held_in_statics() {
    let folder = place("servo", &file("servo.toml"));
    let text = stdout(&holonom(&folder, &["statics", "model.toml"]));
    let row = text.lines().find(|line| line.starts_with("s ")).unwrap();
    close(row.split_whitespace().nth(2).unwrap().parse().unwrap(), 0.1, 1e-9);
}

#[test]
fn statics_does_not_stay_in_a_saddle() {
    let folder = place("saddle", &file("saddle.toml"));
    let output = holonom(&folder, &["statics", "model.toml"]);
    let text = stdout(&output);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let first = text.lines().next().unwrap();
    // The body on the spring can turn about the vertical: neutral there.
    assert!(first.ends_with("neutral") || first.ends_with("stable"), "{first}");
    assert!(!first.contains("unstable"), "{first}");
}

#[test]
fn each_fault_stands_at_its_own_line() {
    let text = file("markers.toml");
    let folder = place("markers", &text);
    let output = holonom(&folder, &["check", "model.toml"]);
    assert_eq!(code(&output), 2);
    for place in ["from = \"ground.plane\"", "to = \"tub.plane\""] {
        let line = 1 + text.lines().position(|line| line == place).unwrap();
        assert!(
            stderr(&output).contains(&format!("model.toml:{line}:")),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn all_faults_are_told_at_once() {
    let folder = place("faults", &file("four-faults.toml"));
    let output = holonom(&folder, &["check", "model.toml"]);
    assert_eq!(code(&output), 2);
    assert_eq!(
        stderr(&output).matches("error:").count(),
        4,
        "{}",
        stderr(&output)
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_output_is_no_panic() {
    let folder = place("full", &file("misspelt.toml"));
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut check = command(&folder, &["check", "model.toml"]);
    assert_eq!(check.stderr(full).status().unwrap().code(), Some(2));
}

/// A run-up at constant acceleration, which then holds its speed: rate and position do not jump.
#[test]
fn a_run_up_that_holds_runs() {
    let options = ["--channel", "input.bearing.angle", "--channel", "float.x"];
    let run = run("run-up", &file("run-up.toml"), &options);
    let (end, time) = (900.0 * PI / 30.0, 20.0);
    run.is("input.bearing.angle", 1e-12, |t| match t < time {
        true => end * t * t / (2.0 * time),
        false => end * (t - 0.5 * time),
    });
    // The tub shakes at the speed of the drum, far above its resonances: x moves by m r/M, whatever springs do.
    let at_speed = |channel: &str| {
        let both = run.of("t").iter().zip(run.of(channel));
        let late = both.filter(|(t, _)| **t > 24.0).map(|(_, x)| *x);
        late.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| {
            [a.min(x), b.max(x)]
        })
    };
    let [low, high] = at_speed("float.x");
    let expected = 0.5 * 0.22 / 38.5;
    assert!(
        (0.5 * (high - low) / expected - 1.0).abs() < 0.15,
        "{low} {high} {expected}"
    );
}

#[test]
fn a_huge_stiffness_is_named_soon() {
    let folder = place("stiff", &file("huge-stiffness.toml"));
    let output = holonom(&folder, &["run", "model.toml", "--max-steps", "150000"]);
    let text = stderr(&output);
    assert_ne!(code(&output), 0);
    // √(k/I)/2π with I = m L²/3.
    let frequency = (1e15_f64 / (1.5 * 0.36 / 3.0)).sqrt() / (2.0 * PI);
    let told = text
        .split("vibration at ")
        .nth(1)
        .and_then(|t| t.split(" Hz").next())
        .unwrap();
    close(told.parse::<f64>().unwrap() / frequency, 1.0, 1e-3);
    assert!(
        text.contains("force \"friction\"") && text.contains("hinge"),
        "{text}"
    );
}

#[test]
fn units_in_headings_count() {
    let run = run("millimetres", &file("millimetres.toml"), &[]);
    let at = run.of("t").iter().position(|t| (t - 1.0).abs() < 1e-9).unwrap();
    close(run.of("s.displacement")[at], 0.1, 1e-12);
}

/// A load on a cable that is hauled in.
#[test]
fn a_distance_follows_a_function_of_time() {
    let run = run(
        "cable",
        &file("cable.toml").replace("\"load.position.?\"", "\"load.position.?\", \"hoist.position.?\""),
        &[],
    );
    let rise = |t: f64| {
        let u = ((t - 8.0) / 4.0).clamp(0.0, 1.0);
        u * u * u * (10.0 - 15.0 * u + 6.0 * u * u)
    };
    let [dx, dy] = ["x", "y"].map(|axis| {
        let both = run
            .of(&format!("load.position.{axis}"))
            .iter()
            .zip(run.of(&format!("hoist.position.{axis}")));
        both.map(|(a, b)| a - b).collect::<Vec<f64>>()
    });
    for ((t, dx), dy) in run.of("t").iter().zip(&dx).zip(&dy) {
        close(dx.hypot(*dy), 6.0 - 2.0 * rise(*t), 1e-6);
    }
    run.is("input.cable", 1e-12, |t| 6.0 - 2.0 * rise(t));
}

/// Two hinges of one door, whose rows are redundant to rounding, or to nine digits: it swings as on one.
#[test]
fn a_door_on_two_hinges_swings() {
    let exact = file("door.toml");
    let nine = exact
        .replace(
            "lower = { position = [0, 0, 0]",
            "lower = { position = [0.1, 0.2, 0.3]",
        )
        .replace(
            "[0.38941834230865050, -0.2721921352954314, 0.879923176281257]",
            "[0.489418342, -0.072192135, 1.179923176]",
        );
    assert_ne!(exact, nine);
    for (name, text) in [("door", exact), ("door-nine", nine)] {
        let run = run(name, &text, &["--channel", "lower.angle"]);
        let axes = |v| rotate([0.3, 0.4, 0.1], v);
        let (x, y) = (axes([1.0, 0.0, 0.0]), axes([0.0, 1.0, 0.0]));
        // m a about the hinge: the centre is 0.4 m out, the moment of inertia about the axis 1 + 20·0.4².
        let rate = |_: f64, s: &[f64; 2]| {
            let across = -x[2] * s[0].sin() + y[2] * s[0].cos();
            [s[1], -20.0 * 9.81 * 0.4 * across / (1.0 + 20.0 * 0.16)]
        };
        let end = integrate([0.7, 1.0], [0.0, 1.0], 20_000, rate);
        close(run.last("lower.angle"), end[0], 1e-5);
    }
}

/// Free flight of a body whose frame is far from its centre of mass: Euler's equations.
#[test]
fn free_flight_does_not_depend_on_the_frame() {
    let inertia = [0.01, 0.008, 0.009];
    let rate = |_: f64, s: &[f64; 7]| {
        let [e0, e1, e2, e3, x, y, z] = *s;
        [
            -0.5 * (e1 * x + e2 * y + e3 * z),
            0.5 * (e0 * x + e2 * z - e3 * y),
            0.5 * (e0 * y + e3 * x - e1 * z),
            0.5 * (e0 * z + e1 * y - e2 * x),
            (inertia[1] - inertia[2]) * y * z / inertia[0],
            (inertia[2] - inertia[0]) * z * x / inertia[1],
            (inertia[0] - inertia[1]) * x * y / inertia[2],
        ]
    };
    let end = integrate([1.0, 0.0, 0.0, 0.0, 3.0, 4.0, 5.0], [0.0, 2.0], 20_000, rate);
    for formalism in ["residual", "explicit"] {
        let run = run(
            &format!("flight-{formalism}"),
            &file("off-centre.toml"),
            &["--formalism", formalism, "--channel", "j1.orientation.*"],
        );
        for (name, expected) in ["w", "x", "y", "z"].iter().zip(&end) {
            close(run.last(&format!("j1.orientation.{name}")), *expected, 2e-5);
        }
        assert!(run.steps() < 400, "{formalism}: {}", run.steps());
    }
}

#[test]
fn a_small_body_in_free_flight_takes_few_steps() {
    let run = run("flight", &file("free-body.toml"), &[]);
    let without = {
        let options = ["--stability-detection", "false"];
        self::run("flight-without", &file("free-body.toml"), &options)
    };
    assert!(run.steps() <= 110, "{}", run.steps());
    assert!(
        run.steps() <= without.steps() * 5 / 4,
        "{} {}",
        run.steps(),
        without.steps()
    );
}
