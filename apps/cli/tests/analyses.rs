//! Analyses as a user meets them: numbers, files, exit codes.

mod common;

use common::{code, folder, holonom, refused, report, stderr, stdout};
use std::path::Path;

const LIFT: &str = r#"
[model]
format = 1
name = "shaker"
[parameters]
k = "800 N/m"
[[input]]
name = "shake"
unit = "m"
expression = "0.05 m * sin(3*t)"
[[input]]
name = "push"
unit = "N"
expression = "10"
[[body]]
name = "table"
mass = 1
[[body]]
name = "load"
mass = 2
[[joint]]
name = "base"
kind = "prismatic"
from = "ground"
to = "table"
displacement = { follows = "shake" }
[[joint]]
name = "lift"
kind = "prismatic"
from = "table"
to = "load"
displacement = 0.4
[[force]]
name = "spring"
kind = "spring-damper"
from = "table"
to = "load"
stiffness = "k"
damping = 8
free_length = 0.5
[[force]]
name = "push"
kind = "applied"
frame = "load"
force = [0, 0, "push"]
[[output]]
channels = ["load.position.z", "spring.tension"]
"#;

fn lift(name: &str) -> std::path::PathBuf {
    let folder = folder(name);
    std::fs::write(folder.join("lift.toml"), LIFT).expect("the model");
    folder
}

fn numbers(value: &serde_json::Value) -> Vec<f64> {
    let list = value.as_array().expect("a list");
    list.iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn near(x: f64, exact: f64) {
    assert!(
        (x - exact).abs() < 1e-8 * exact.abs().max(1.0),
        "{x} is not {exact}"
    );
}

#[test]
fn statics_of_a_load_on_a_spring() {
    let folder = lift("statics");
    let found = report(&holonom(
        &folder,
        &["statics", "lift.toml", "--channel", "spring.tension", "--json"],
    ));
    // k (0.5 − x) = 2·9.81 − 10.
    near(
        found["coordinates"]["lift"].as_f64().expect("a number"),
        0.5 - 9.62 / 800.0,
    );
    near(
        found["channels"]["spring.tension"].as_f64().expect("a number"),
        -9.62,
    );
    assert_eq!(
        (&found["stability"], &found["held"][0]),
        (&"stable".into(), &"base".into())
    );
    let text = stdout(&holonom(
        &folder,
        &["statics", "lift.toml", "--set", "k=1600", "--json=rest.json"],
    ));
    assert!(
        text.contains("equilibrium at t = 0 s, stable") && text.contains("held still"),
        "{text}"
    );
    assert!(folder.join("rest.json").exists());
}

#[test]
fn no_equilibrium_is_exit_code_1() {
    let output = holonom(Path::new("."), &["statics", "tree"]);
    assert_eq!((code(&output), stdout(&output).as_str()), (1, ""));
    assert!(
        stderr(&output).contains("no equilibrium was found") && stderr(&output).contains("restrain them")
    );
}

#[test]
fn modes_of_a_load_on_a_spring() {
    let folder = lift("modes");
    let found = report(&holonom(&folder, &["modes", "lift.toml", "--json"]));
    let value = numbers(&found["modes"][0]["eigenvalue"]);
    // m λ² + c λ + k = 0.
    near(value[0], -2.0);
    near(value[1], (400.0_f64 - 4.0).sqrt());
    near(
        found["modes"][0]["damping_ratio"].as_f64().expect("a number"),
        0.1,
    );
    assert_eq!(
        (&found["zero_eigenvalues"], &found["states"]),
        (&0.into(), &2.into())
    );
    let moving = report(&holonom(
        &folder,
        &["modes", "lift.toml", "--at", "start", "--json"],
    ));
    near(numbers(&moving["modes"][0]["eigenvalue"])[0], -2.0);
    let text = stdout(&holonom(&folder, &["modes", "lift.toml", "--shapes"]));
    assert!(text.contains("what moves") && text.contains("turn x"), "{text}");
}

/// Three equal masses on a heavy one: rounding, here by hand, does not choose which is named first.
#[test]
fn what_moves_equally_is_named_as_declared() {
    let mut model =
        "[model]\nformat = 1\nname = \"star\"\ngravity = [0, 0, 0]\n[parameters]\ne = 0\n".to_string();
    for (name, mass, from, stiffness) in [
        ("a", 1, "hub", "100"),
        ("b", 1, "hub", "100*(1 + e)"),
        ("c", 1, "hub", "100*(1 - e)"),
        ("hub", 50, "ground", "400"),
    ] {
        model += &format!(
            "[[body]]\nname = \"{name}\"\nmass = {mass}\n\
             [[joint]]\nname = \"{name}\"\nkind = \"prismatic\"\nfrom = \"ground\"\nto = \"{name}\"\ndisplacement = {}\n\
             [[force]]\nname = \"{name}_spring\"\nkind = \"spring-damper\"\nfrom = \"{from}\"\nto = \"{name}\"\n\
             stiffness = \"{stiffness}\"\ndamping = 0.1\nfree_length = 1\n",
            if name == "hub" { 1 } else { 2 },
        );
    }
    let folder = folder("modes-order");
    std::fs::write(folder.join("star.toml"), model).expect("written");
    for e in ["e=0", "e=1e-12", "e=-1e-12", "e=1e-9", "e=-1e-9"] {
        let text = stdout(&holonom(&folder, &["modes", "star.toml", "--set", e]));
        let first = text.lines().find(|line| line.trim_start().starts_with("1 "));
        let named: Vec<&str> = first.unwrap_or_default().split_whitespace().collect();
        let order: Vec<usize> = ["hub,", "a,", "b,"]
            .iter()
            .filter_map(|name| named.iter().position(|word| word == name))
            .collect();
        assert!(order.len() == 3 && order.is_sorted(), "{e}: {text}");
    }
}

#[test]
fn linear_model_with_derivatives_of_an_input() {
    let folder = lift("linearize");
    let arguments = [
        "linearize",
        "lift.toml",
        "-o",
        "a.csv",
        "-o",
        "a.m",
        "-o",
        "a.json",
        "--json",
    ];
    let found = report(&holonom(&folder, &arguments));
    let names: Vec<&str> = found["inputs"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|i| i["name"].as_str())
        .collect();
    // The load rides on the table: its relative motion feels ü, its position u.
    assert_eq!(names, ["shake", "shake''", "push"]);
    assert_eq!(numbers(&found["A"][1]), [-400.0, -4.0]);
    for (x, exact) in numbers(&found["B"][1]).iter().zip([0.0, -1.0, 0.5]) {
        near(*x, exact);
    }
    for (x, exact) in numbers(&found["D"][0]).iter().zip([1.0, 0.0, 0.0]) {
        near(*x, exact);
    }
    for (x, exact) in numbers(&found["C"][1]).iter().zip([800.0, 8.0]) {
        near(*x, exact);
    }
    for file in ["a.csv", "a.m", "a.json"] {
        assert!(
            std::fs::read_to_string(folder.join(file))
                .expect("a file")
                .contains("shake''"),
            "{file}"
        );
    }
    refused(
        &holonom(&folder, &["linearize", "lift.toml", "-o", "a.txt"]),
        &["a.txt", ".csv, .json or .m"],
    );
    refused(
        &holonom(&folder, &["linearize", "lift.toml", "--channel", "lod.*"]),
        &["--channel", "load"],
    );
}

#[test]
fn response_to_a_shaken_table() {
    let folder = lift("response");
    let arguments = [
        "response",
        "lift.toml",
        "--input",
        "shake",
        "--from",
        "1",
        "--to",
        "10",
        "--points",
        "5",
        "-o",
        "r.csv",
        "--plot",
        "r.svg",
        "--json",
    ];
    let found = report(&holonom(&folder, &arguments));
    let frequencies = numbers(&found["frequency_hz"]);
    assert_eq!(
        (frequencies.len(), found["responses"].as_array().map(Vec::len)),
        (5, Some(1))
    );
    for (k, f) in frequencies.iter().enumerate() {
        // (c s + k)/(m s² + c s + k), s = j ω.
        let w = std::f64::consts::TAU * f;
        let (a, b, c) = (800.0 - 2.0 * w * w, 8.0 * w, 800.0);
        let size = a * a + b * b;
        let exact = [(c * a + b * b) / size, (b * a - c * b) / size];
        let value = numbers(&found["responses"][0]["outputs"][0]["values"][k]);
        near(value[0], exact[0]);
        near(value[1], exact[1]);
    }
    assert!(
        std::fs::read_to_string(folder.join("r.svg"))
            .expect("a picture")
            .contains("<svg")
    );
    assert_eq!(
        std::fs::read_to_string(folder.join("r.csv"))
            .expect("numbers")
            .lines()
            .count(),
        6
    );
    refused(
        &holonom(&folder, &["response", "lift.toml", "--input", "shak"]),
        &["shake, push"],
    );
    refused(
        &holonom(&folder, &["response", "lift.toml", "--from", "5", "--to", "1"]),
        &["lower one first"],
    );
    refused(
        &holonom(&folder, &["response", "four-bar"]),
        &["has no inputs", "[[input]]"],
    );
}

#[test]
fn sweeps_rest_in_every_step() {
    let folder = lift("kinematics");
    let arguments = [
        "kinematics",
        "lift.toml",
        "--sweep",
        "push=0..20",
        "--points",
        "3",
        "-o",
        "k.csv",
        "--json",
    ];
    let found = report(&holonom(&folder, &arguments));
    for (k, push) in [0.0, 10.0, 20.0].into_iter().enumerate() {
        let row = numbers(&found["rows"][k]);
        near(row[0], push);
        near(row[1], 0.5 - (19.62 - push) / 800.0);
    }
    let found = report(&holonom(
        &folder,
        &[
            "kinematics",
            "lift.toml",
            "--sweep",
            "k=400..1600",
            "--points",
            "2",
            "--json",
        ],
    ));
    near(numbers(&found["rows"][0])[1], 0.5 - 9.62 / 400.0);
    refused(
        &holonom(&folder, &["kinematics", "lift.toml", "--sweep", "pus=0..1"]),
        &["no input or parameter", "push"],
    );
    refused(
        &holonom(&folder, &["kinematics", "lift.toml", "--sweep", "push"]),
        &["NAME=A..B"],
    );
}

/// The largest amplitude is that of a resonance, however narrow it is between the points.
#[test]
fn narrow_resonances_are_found() {
    let folder = lift("resonance");
    for (damping, points) in [(0.002, "3"), (0.002, "400"), (1e-6, "50"), (8.0, "10")] {
        let model = LIFT.replace("damping = 8", &format!("damping = {damping}"));
        std::fs::write(folder.join("lift.toml"), model).expect("the model");
        let typed = [
            "response",
            "lift.toml",
            "--input",
            "push",
            "--channel",
            "load.position.z",
        ];
        let found = report(&holonom(
            &folder,
            &[&typed[..], &["--points", points, "--json"]].concat(),
        ));
        let largest = &found["responses"][0]["outputs"][0]["largest"];
        // 1/|k − m w² + c j w| is largest at w² = k/m − c²/(2 m²).
        let [m, c, k] = [2.0_f64, damping, 800.0];
        let exact = 1.0 / (c * (k / m - 0.25 * (c / m).powi(2)).sqrt());
        let amplitude = largest["amplitude"].as_f64().expect("a number");
        assert!(
            (amplitude / exact - 1.0).abs() < 1e-4,
            "{damping}, {points}: {amplitude}, {exact}"
        );
        let frequency = (k / m - 0.5 * (c / m).powi(2)).sqrt() / std::f64::consts::TAU;
        let at = largest["frequency_hz"].as_f64().expect("a number");
        assert!(
            (at / frequency - 1.0).abs() < 1e-3,
            "{damping}, {points}: {at}, {frequency}"
        );
    }
}

/// A linkage whose crank is led by the input `th`.
fn led_linkage(name: &str, lengths: [f64; 4], angles: [f64; 3]) -> std::path::PathBuf {
    let [crank, coupler, rocker, ground] = lengths;
    let mut text =
        format!("[model]\nformat = 1\nname = \"linkage\"\n[ground]\nmarkers.d = [{ground}, 0, 0]\n");
    for (name, length) in [("crank", crank), ("coupler", coupler), ("rocker", rocker)] {
        text += &format!(
            "[[body]]\nname = \"{name}\"\nmass = 1\nsolid = {{ thin_rod = [{length}, 0, 0] }}\nmarkers.e = [{length}, 0, 0]\n"
        );
    }
    for (name, from, to, angle) in [
        ("A", "ground", "crank", "{ follows = \"th\" }".to_string()),
        ("B", "crank.e", "coupler", angles[1].to_string()),
        ("D", "ground.d", "rocker", angles[2].to_string()),
    ] {
        text += &format!(
            "[[joint]]\nname = \"{name}\"\nkind = \"revolute\"\nfrom = \"{from}\"\nto = \"{to}\"\nangle = {angle}\n"
        );
    }
    text += "[[joint]]\nname = \"C\"\nkind = \"revolute\"\nfrom = \"coupler.e\"\nto = \"rocker.e\"\n";
    text += &format!("[[input]]\nname = \"th\"\nexpression = \"{}\"\n", angles[0]);
    let folder = folder(name);
    std::fs::write(folder.join("linkage.toml"), text).expect("the model");
    folder
}

/// A parallelogram passes its flat position as a parallelogram, however few points are asked for.
#[test]
fn sweeps_keep_their_branch() {
    for (a, b) in [(0.2, 0.6), (0.7, 0.4)] {
        let folder = led_linkage("kinematics-branch", [a, b, a, b], [1.0, -1.0, 1.0]);
        for (to, points) in [(7.283185307179586, "3"), (7.283185307179586, "74"), (-9.0, "2")] {
            let sweep = format!("th=1..{to}");
            let typed = [
                "kinematics",
                "linkage.toml",
                "--sweep",
                &sweep,
                "--points",
                points,
            ];
            let channel = ["--channel", "coupler.e.position.?", "--json"];
            let found = report(&holonom(&folder, &[&typed[..], &channel].concat()));
            for row in found["rows"].as_array().expect("rows") {
                let row = numbers(row);
                near(row[1], b + a * row[0].cos());
                near(row[2], a * row[0].sin());
            }
            assert_eq!(found["notes"], serde_json::json!([]));
        }
    }
    // The first point is away from the initial position: the branch is that of the initial position all the same.
    let folder = led_linkage("kinematics-branch", [0.2, 0.6, 0.2, 0.6], [1.0, -1.0, 1.0]);
    let typed = [
        "kinematics",
        "linkage.toml",
        "--sweep",
        "th=4..5",
        "--points",
        "2",
    ];
    let channel = ["--channel", "coupler.e.position.x", "--json"];
    let found = report(&holonom(&folder, &[&typed[..], &channel].concat()));
    near(numbers(&found["rows"][0])[1], 0.6 + 0.2 * 4.0_f64.cos());
    // A crank that is too long for the others cannot turn.
    let folder = led_linkage("kinematics-range", [0.5, 0.3, 0.4, 0.6], [1.0, 0.3, 1.5]);
    let typed = [
        "kinematics",
        "linkage.toml",
        "--sweep",
        "th=1..4",
        "--points",
        "4",
    ];
    let output = holonom(&folder, &typed);
    assert_eq!(code(&output), 1);
    let text = stderr(&output);
    assert!(text.contains("cannot go on towards"), "{text}");
}

#[test]
fn runs_begin_settled() {
    let folder = lift("settled");
    let arguments = [
        "run",
        "lift.toml",
        "--set",
        "k=400",
        "--start",
        "equilibrium",
        "--t-end",
        "0.001",
        "--json",
    ];
    let found = report(&holonom(&folder, &arguments));
    assert_eq!(found["status"], "finished");
    let text = stdout(&holonom(&folder, &["check", "lift.toml"]));
    assert!(!text.contains("starts at an equilibrium"), "{text}");
    let settled = LIFT.to_string() + "[simulation]\nstart = \"equilibrium\"\n";
    std::fs::write(folder.join("settled.toml"), settled).expect("the model");
    let text = stdout(&holonom(&folder, &["check", "settled.toml"]));
    assert!(text.contains("starts at an equilibrium (stable)"), "{text}");
}

#[test]
fn steady_turns_of_a_shipped_vehicle() {
    let folder = folder("trim");
    let flat = ["--set", "bump=0", "--speed", "72 km/h"];
    let typed = [
        &[
            "trim",
            "iltis",
            "--lateral",
            "0.1..0.3",
            "--points",
            "3",
            "--json",
        ][..],
        &flat,
    ]
    .concat();
    let found = report(&holonom(&folder, &typed));
    near(found["speed"].as_f64().expect("a number"), 20.0);
    let steps = found["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 3);
    for step in steps {
        let gradient = step["understeer_gradient"].as_f64().expect("a number");
        assert!((1e-3..5e-3).contains(&gradient), "{step}");
    }
    let typed = [
        &[
            "trim",
            "iltis",
            "--lateral",
            "0.1..0.3",
            "-o",
            "t.csv",
            "--plot",
            "t.svg",
        ][..],
        &flat,
    ]
    .concat();
    let text = stdout(&holonom(&folder, &typed));
    assert!(
        text.contains("understeer [°/g]") && text.contains("Written: t.svg"),
        "{text}"
    );
    assert_eq!(
        std::fs::read_to_string(folder.join("t.csv"))
            .expect("written")
            .lines()
            .count(),
        7
    );

    let failed = holonom(
        &folder,
        &[&["trim", "iltis", "--lateral", "1.3"][..], &flat].concat(),
    );
    assert_eq!(code(&failed), 1);
    assert!(
        stderr(&failed).contains("are at their limit"),
        "{}",
        stderr(&failed)
    );
    let failed = holonom(&folder, &["trim", "iltis", "--speed", "20"]);
    assert!(stderr(&failed).contains("flat road"), "{}", stderr(&failed));
    refused(
        &holonom(&folder, &["trim", "iltis", "--steer", "ster"]),
        &["did you mean `steer`"],
    );
    let failed = holonom(&folder, &["trim", "pendulum", "--speed", "20"]);
    assert!(stderr(&failed).contains("free-cardan"), "{}", stderr(&failed));
}

#[test]
fn a_suspension_on_its_rig() {
    let folder = folder("suspension");
    let typed = [
        "kinematics",
        "double-wishbone",
        "--sweep",
        "travel=-60 mm..60 mm",
        "--points",
        "3",
        "--suspension",
        "wheel",
        "--radius",
        "310 mm",
        "--load",
        "rig.force.z",
    ];
    let found = report(&holonom(&folder, &[&typed[..], &["--json"]].concat()));
    let names: Vec<&str> = (found["channels"].as_array().expect("channels").iter())
        .filter_map(|c| c["name"].as_str())
        .collect();
    assert_eq!(
        names[..4],
        ["wheel.travel", "wheel.steer", "wheel.toe", "wheel.camber"]
    );
    assert_eq!(names[6..], ["wheel.rate", "rig.force.z"]);
    let middle = numbers(&found["rows"][1]);
    for value in &middle[..6] {
        assert!(value.abs() < 1e-9, "{middle:?}");
    }
    let (low, high) = (numbers(&found["rows"][0]), numbers(&found["rows"][2]));
    near(low[1], -0.06);
    // The top leans in when the wheel rises.
    assert!(low[4] > 1.0 && high[4] < -1.5, "{low:?} {high:?}");
    near(middle[7], (high[8] - low[8]) / 0.12);
    refused(
        &holonom(&folder, &[&typed[..6], &["--suspension", "weel"]].concat()),
        &["did you mean `wheel`"],
    );
}
