//! Formulas without a finite value, in every place that takes one: the run is refused or fails with the formula, the
//! thing, the time and a remedy, and never ends well with values missing.
#![allow(clippy::unwrap_used)]

mod common;

use common::{code, folder, holonom, stderr};

const MODEL: &str = r#"[model]
format = 1
name = "two bodies"
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
kind = "prismatic"
from = "ground"
to = "a"
[[joint]]
name = "jb"
kind = "free"
from = "ground"
to = "b"
[simulation]
t_end = 2
"#;

const MOTOR: &str = "[[force]]\nname = \"f\"\nkind = \"joint-spring\"\ncoordinate = \"ja\"\nmotor = \"#\"\n";
const PUSH: &str = "[[force]]\nname = \"f\"\nkind = \"actuator\"\nfrom = \"a\"\nto = \"b\"\nforce = \"#\"\n";
const APPLIED: &str = "[[force]]\nname = \"f\"\nkind = \"applied\"\nframe = \"b\"\nforce = [\"#\", 0, 0]\n";
const SPRING: &str =
    "[[force]]\nname = \"f\"\nkind = \"nonlinear-joint-spring\"\ncoordinate = \"ja\"\nspring = \"#\"\n";
const DAMPER: &str =
    "[[force]]\nname = \"f\"\nkind = \"nonlinear-joint-spring\"\ncoordinate = \"ja\"\ndamper = \"#\"\n";
const OWN: &str =
    "[[force]]\nname = \"f\"\nkind = \"expression\"\nfrom = \"a\"\nto = \"b\"\nforce = [\"#\", 0, 0]\n";
const SERVO: &str =
    "[[force]]\nname = \"f\"\nkind = \"servo\"\ncoordinate = \"ja\"\nstiffness = 10\ntarget = \"#\"\n";
const BUSHING: &str =
    "[[force]]\nname = \"f\"\nkind = \"bushing\"\nfrom = \"a\"\nto = \"b\"\nforce = [\"#\", 0, 0]\n";
const INPUT: &str = "[[input]]\nname = \"u\"\nunit = \"N\"\nexpression = \"#\"\n[[force]]\nname = \"f\"\n\
                     kind = \"joint-spring\"\ncoordinate = \"ja\"\nmotor = \"u\"\n";
const RECORDED: &str =
    "[[input]]\nname = \"u\"\nexpression = \"#\"\n[[output]]\nchannels = [\"input.u\", \"ja.*\"]\n";
const CONTROL: &str = "[[control]]\nname = \"f\"\nkind = \"expression\"\nvalue = \"#\"\n[[force]]\nname = \"m\"\n\
                       kind = \"joint-spring\"\ncoordinate = \"ja\"\nmotor = \"f\"\n";
const LAG: &str = "[[control]]\nname = \"f\"\nkind = \"lag\"\ntime_constant = 0.1\ninput = \"#\"\n[[force]]\nname = \"m\"\n\
                   kind = \"joint-spring\"\ncoordinate = \"ja\"\nmotor = \"f\"\n";
const DRIVER: &str =
    "[[constraint]]\nname = \"f\"\nkind = \"driver\"\ncoordinate = \"ja\"\nfollows = \"#\"\n";
const ROPE: &str =
    "[[constraint]]\nname = \"f\"\nkind = \"distance\"\nfrom = \"a\"\nto = \"b\"\nlength = \"#\"\n";

/// What is added, its formula, the time at which it fails.
const CASES: &[(&str, &str, f64)] = &[
    (MOTOR, "ln(t)", 0.0),
    (MOTOR, "1/t", 0.0),
    (MOTOR, "sqrt(t - 1)", 0.0),
    (MOTOR, "sqrt(1 - t)", 1.0),
    (MOTOR, "1/(t - 1)", 1.0),
    (MOTOR, "acos(2*t)", 0.5),
    (MOTOR, "(t - 1)^0.5", 0.0),
    (PUSH, "ln(t)", 0.0),
    (APPLIED, "ln(t)", 0.0),
    (APPLIED, "sqrt(-1 - t)", 0.0),
    (SPRING, "1/x", 0.0),
    (SPRING, "ln(x)", 0.0),
    (SPRING, "sqrt(x)", 0.0),
    (DAMPER, "1/v", 0.0),
    (DAMPER, "sqrt(v) + 1", 0.0),
    (OWN, "1/x", 0.0),
    (SERVO, "ln(t)", 0.0),
    (SERVO, "sqrt(1 - t)", 1.0),
    (BUSHING, "ln(s)", 0.0),
    (INPUT, "ln(t)", 0.0),
    (INPUT, "sqrt(1 - t)", 1.0),
    (RECORDED, "ln(t)", 0.0),
    (RECORDED, "sqrt(1 - t)", 1.0),
    (CONTROL, "ln(t)", 0.0),
    (LAG, "sqrt(1 - t)", 1.0),
    (DRIVER, "ln(t)", 0.0),
    (DRIVER, "sqrt(1 - t)", 1.0),
    (ROPE, "ln(t + 0.5)", 0.0),
    (ROPE, "1 - t", 1.0),
];

#[test]
fn what_has_no_value_is_named() {
    let folder = folder("undefined");
    let mut wrong = String::new();
    for (element, formula, time) in CASES {
        let text = format!("{MODEL}{}", element.replace('#', formula));
        std::fs::write(folder.join("model.toml"), text).unwrap();
        let output = holonom(&folder, &["run", "model.toml", "-o", "r"]);
        let told = stderr(&output);
        // The number behind "t =", or in the sentence.
        let times = told.split("t = ").skip(1).filter_map(|rest| {
            let number = rest
                .split(|c: char| !(c.is_ascii_digit() || c == '.' || c == 'e' || c == '-'))
                .next()?;
            number.trim_end_matches('.').parse::<f64>().ok()
        });
        let at_time = times.into_iter().any(|t| (t - time).abs() < 0.01);
        let named = told.contains("\"f\"") || told.contains("input.u");
        // A rope tells its length, the others their formula.
        let shown = told.contains(&format!("`{formula}`")) || *element == ROPE;
        let placed = told.contains("model.toml:");
        let helped = told.contains("away from zero") || told.contains("keep it positive");
        let refused = code(&output) == 2 || code(&output) == 1;
        if !(refused && at_time && named && shown && placed && helped) || told.contains("mass or inertia") {
            wrong += &format!("{formula} in {element}: exit {}\n{told}\n\n", code(&output));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn ranges_have_one_quantity() {
    let folder = folder("ranges");
    let text = format!(
        "{MODEL}\n[parameters]\nr = \"50 mm\"\n{}",
        MOTOR.replace('#', "5 N*r/(1 m)")
    );
    std::fs::write(folder.join("model.toml"), text).unwrap();
    for (range, words) in [
        ("r=50 mm:80 kg:3", "give both ends in the same unit"),
        ("r=50 kg:80 kg:3", "a quantity in m, but this is one in kg"),
    ] {
        let output = holonom(&folder, &["run", "model.toml", "--sweep", range]);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains(words), "{range}: {}", stderr(&output));
    }
}
