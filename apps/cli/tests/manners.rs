//! How the command behaves when things go wrong: closed and full outputs, two runs of one name, failures for
//! programs, names that would steer the terminal, runs that would never end.
#![allow(clippy::unwrap_used)]

mod common;

use common::{code, command, folder, holonom, refused, stderr, stdout};
use serde_json::Value;
use std::fs::{File, read_to_string, write};
use std::path::Path;
use std::process::Stdio;

const PENDULUM: &str = r#"
[model]
format = 1
name = "pendulum"
[[body]]
name = "rod"
mass = 1.5
solid = { thin_rod = [0, 0, -0.6] }
[[joint]]
name = "hinge"
kind = "revolute"
from = "ground"
to = "rod"
axis = [0, 1, 0]
angle = 1
[[force]]
name = "friction"
kind = "joint-spring"
coordinate = "hinge"
damping = 0.02
[simulation]
t_end = 1
output_step = 0.01
"#;

fn with(name: &str, files: &[(&str, &str)]) -> std::path::PathBuf {
    let folder = folder(name);
    for (name, text) in files {
        write(folder.join(name), text).unwrap();
    }
    folder
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in: {text}"))
}

#[test]
#[cfg(target_os = "linux")]
fn full_and_closed_outputs_are_no_panic() {
    let bad = PENDULUM.replace("mass", "masss");
    let folder = with("manners-full", &[("good.toml", PENDULUM), ("bad.toml", &bad)]);
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let run = |model: &str, out: Stdio, err: Stdio| {
        let mut command = command(&folder, &["check", model]);
        command.stdout(out).stderr(err).status().unwrap().code()
    };
    assert_eq!(run("bad.toml", full(), full()), Some(2));
    assert_eq!(run("bad.toml", Stdio::null(), full()), Some(2));
    assert_eq!(run("good.toml", full(), full()), Some(1));
    // Nobody reads on: `holonom … | head -2`.
    for model in ["good.toml", "bad.toml"] {
        let mut child = command(&folder, &["check", model])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop((child.stdout.take(), child.stderr.take()));
        let ended = child.wait().unwrap().code();
        assert_eq!(ended, Some(if model == "good.toml" { 0 } else { 2 }));
    }
}

#[test]
fn a_folder_holds_results_under_the_name_of_the_model() {
    let folder = with("manners-folder", &[("p.toml", PENDULUM)]);
    for output in ["new/", "new"] {
        let done = holonom(&folder, &["run", "p.toml", "-o", output]);
        assert_eq!(code(&done), 0, "{}", stderr(&done));
        assert!(folder.join("new/p.parquet").exists() && folder.join("new/p.arrows").exists());
        assert!(!folder.join("new/p.lock").exists());
    }
}

#[test]
fn a_name_that_another_run_writes_is_refused() {
    let folder = with("manners-lock", &[("p.toml", PENDULUM)]);
    let other = File::create(folder.join("p.lock")).unwrap();
    other.try_lock().unwrap();
    refused(&holonom(&folder, &["run", "p.toml"]), &["another run is writing", "-o"]);
    assert_eq!(code(&holonom(&folder, &["run", "p.toml", "-o", "q"])), 0);
    drop(other);
    // What a run left that was killed is in nobody's way.
    assert_eq!(code(&holonom(&folder, &["run", "p.toml"])), 0);
    assert!(!folder.join("p.lock").exists());
}

#[test]
fn failures_are_reports_as_well() {
    let bad = PENDULUM.replace("mass = 1.5", "masss = 1.5");
    let folder = with("manners-json", &[("p.toml", PENDULUM), ("bad.toml", &bad)]);
    for command in ["check", "run", "statics", "modes"] {
        let done = holonom(&folder, &[command, "bad.toml", "--json"]);
        assert_eq!(code(&done), 2);
        let report = json(&stdout(&done));
        assert_eq!((&report["status"], &report["valid"]), (&"refused".into(), &false.into()));
        assert_eq!(report["exit_code"], 2);
        let line = report["messages"].as_array().unwrap().iter().map(|m| m["line"].clone());
        assert!(line.into_iter().any(|line| line == 7), "{report:#}");
    }
    for wrong in [
        &["run", "none.toml", "--json"][..],
        &["run", "p.toml", "--json", "--no-such-option"],
        &["run", "--json"],
        &["run", "p.toml", "--json", "--channel", "none.*"],
        &["no-such-command", "--json"],
    ] {
        let done = holonom(&folder, wrong);
        assert_eq!(code(&done), 2, "{wrong:?}");
        let report = json(&stdout(&done));
        assert!(report["message"].as_str().is_some_and(|text| text.len() > 10), "{report:#}");
    }
    // Into the file that was to hold the report.
    let done = holonom(&folder, &["run", "bad.toml", "--json=r.json"]);
    assert_eq!((code(&done), stdout(&done)), (2, String::new()));
    assert_eq!(json(&read_to_string(folder.join("r.json")).unwrap())["status"], "refused");
    // A run that fails has its own report, once.
    let done = holonom(&folder, &["run", "p.toml", "--json", "--max-steps", "3"]);
    assert_eq!(code(&done), 1);
    assert_eq!(json(&stdout(&done))["status"], "failed");
    // Without --json nothing is printed.
    refused(&holonom(&folder, &["run", "bad.toml"]), &["masss"]);
}

#[test]
fn names_do_not_steer_the_terminal() {
    let named = PENDULUM.replace("name = \"pendulum\"", "name = \"p\\u001b[31m\\u0007\"");
    let body = PENDULUM.replace("\"rod\"", "\"r\\u001b[2Jod\"");
    let raw = PENDULUM.replace("from = \"ground\"", "from = \"gro\\u001bund\"");
    let files = [("name.toml", &*named), ("body.toml", &*body), ("raw.toml", &*raw)];
    let folder = with("manners-control", &files);
    let quiet = |text: &str| !text.contains(|c: char| c.is_control() && c != '\n' && c != '\t');
    for (model, ends) in [("name.toml", 0), ("body.toml", 2), ("raw.toml", 2)] {
        for task in ["check", "run"] {
            let done = holonom(&folder, &[task, model]);
            assert_eq!(code(&done), ends, "{model}: {}", stderr(&done));
            assert!(quiet(&stdout(&done)) && quiet(&stderr(&done)), "{model}: {}", stderr(&done));
        }
    }
    refused(&holonom(&folder, &["check", "body.toml"]), &["control characters"]);
}

#[test]
fn shares_of_time_add_up() {
    let folder = with("manners-time", &[("p.toml", PENDULUM)]);
    let text = stdout(&holonom(&folder, &["run", "p.toml"]));
    let line = text.lines().find(|line| line.trim_start().starts_with("time")).unwrap();
    let shares = line.split_whitespace().filter_map(|word| word.parse::<u32>().ok());
    assert_eq!(shares.sum::<u32>(), 100, "{line}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_no_cut_files() {
    let folder = with("manners-disk", &[("p.toml", PENDULUM)]);
    assert_eq!(code(&holonom(&folder, &["run", "p.toml"])), 0);
    write(folder.join("p.svg"), "<svg/>").unwrap();
    write(folder.join("p.csv"), "t [s]\n").unwrap();
    // Files of more than 1 KiB cannot be written.
    let limited = |arguments: &str| {
        let script = format!("trap '' XFSZ; ulimit -f 2; exec {} {arguments}", env!("CARGO_BIN_EXE_holonom"));
        let mut sh = std::process::Command::new("sh");
        sh.args(["-c", &script]).current_dir(&folder).output().unwrap()
    };
    for (arguments, file, old) in [
        ("plot p.parquet -o p.svg", "p.svg", "<svg/>"),
        ("export p.parquet -o p.csv", "p.csv", "t [s]\n"),
    ] {
        let done = limited(arguments);
        assert_ne!(code(&done), 0, "{arguments}: {}", stdout(&done));
        assert!(stderr(&done).contains(file), "{}", stderr(&done));
        assert_eq!(read_to_string(folder.join(file)).unwrap(), old);
    }
    let done = limited("run p.toml -o cut");
    assert_eq!(code(&done), 1, "{}", stderr(&done));
    assert!(!folder.join("cut.parquet").exists());
    let left = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    let parts: Vec<_> = left.filter(|name| Path::new(name).extension().is_some_and(|e| e == "part")).collect();
    assert!(parts.is_empty(), "{parts:?}");
}

#[test]
fn a_huge_stiffness_is_named_soon() {
    let soft = r#"
[[body]]
name = "seat"
mass = 5
[[joint]]
name = "post"
kind = "prismatic"
from = "ground"
to = "seat"
axis = [1, 0, 0]
[[force]]
name = "cushion"
kind = "joint-spring"
coordinate = "post"
stiffness = 100
[simulation]"#;
    let model = PENDULUM
        .replace("damping = 0.02", "damping = 0.02\nstiffness = 1e15")
        .replace("t_end = 1", "t_end = 10")
        .replace("[simulation]", soft.trim_start());
    let folder = with("manners-stiff", &[("p.toml", &model)]);
    let done = holonom(&folder, &["run", "p.toml", "--max-steps", "101000"]);
    assert_eq!(code(&done), 1);
    let text = stderr(&done);
    // ω = √(k/I) with I = m L²/3.
    let frequency = (1e15_f64 / (1.5 * 0.36 / 3.0)).sqrt() / std::f64::consts::TAU;
    let named = format!("{frequency:.3e} Hz in hinge.angle, made by force \"friction\"");
    assert_eq!(text.matches(&named).count(), 2, "while it runs and at its end: {text}");
    // A run that is only long is none that never ends.
    let done = holonom(&folder, &["run", "p.toml", "--max-steps", "3", "--t-end", "1e-8"]);
    assert!(!stderr(&done).contains("At this pace"), "{}", stderr(&done));
}

const LINE: &str = r#"
[model]
format = 1
name = "line"
gravity = [0, 0, 0]
[[table]]
name = "road"
file = "road.csv"
[[body]]
name = "m"
mass = 1
[[joint]]
name = "s"
kind = "prismatic"
from = "ground"
to = "m"
"#;

#[test]
fn rates_are_zero_at_rest() {
    let servo = format!(
        "{}\n[[force]]\nname = \"servo\"\nkind = \"servo\"\ncoordinate = \"s\"\ntarget = \"0.1 m + 1 m/s*t\"\n\
         stiffness = \"100 N/m\"\ndamping = \"50 N*s/m\"\n",
        LINE.replace("[[table]]\nname = \"road\"\nfile = \"road.csv\"\n", "")
    );
    let folder = with("manners-servo", &[("s.toml", &servo)]);
    for (t, at) in [("0", 0.1), ("2", 2.1)] {
        let report = json(&stdout(&holonom(&folder, &["statics", "s.toml", "--json", "--t-start", t])));
        let found = report["coordinates"]["s"].as_f64().unwrap();
        assert!((found - at).abs() < 1e-9, "{report:#}");
        assert_eq!(report["held"], serde_json::json!(["servo"]));
    }
}

#[test]
fn units_in_headings_count() {
    let model = LINE.to_string() + "displacement = { follows = \"road(t)\" }\n[simulation]\nt_end = 2\n";
    let folder = with("manners-headings", &[("m.toml", &model)]);
    for heading in ["t [s],z [mm]", "t [ms];z [mm]", "time (s)\tz (mm)", "t [s] z [mm]", "t,z [mm]"] {
        let times = if heading.contains("[ms]") { 1000.0 } else { 1.0 };
        let mark = heading.chars().find(|c| ",;\t".contains(*c)).unwrap_or(' ');
        let rows: Vec<String> = [(0.0, 0.0), (1.0, 100.0), (2.0, 0.0), (3.0, 0.0)]
            .map(|(t, z)| format!("{}{mark}{z}", t * times))
            .to_vec();
        write(folder.join("road.csv"), format!("{heading}\n{}\n", rows.join("\n"))).unwrap();
        let run = ["run", "m.toml", "--json", "--channel", "m.position.z", "--t-end", "1"];
        let report = json(&stdout(&holonom(&folder, &run)));
        let last = report["final"]["outputs"]["m.position.z"].as_f64();
        assert!(last.is_some_and(|z| (z - 0.1).abs() < 1e-12), "{heading}: {report:#}");
    }
    write(folder.join("road.csv"), "t [s],z [N]\n0,0\n1,1\n2,0\n3,0\n").unwrap();
    refused(&holonom(&folder, &["run", "m.toml"]), &["a force (N)", "a length (m) is expected"]);
    write(folder.join("road.csv"), "t [s],z [foo]\n0,0\n1,1\n2,0\n3,0\n").unwrap();
    refused(&holonom(&folder, &["run", "m.toml"]), &["road.csv:1", "`foo`", "[mm]"]);
}

#[test]
fn a_run_up_that_then_holds_its_speed_runs() {
    let model = r#"
[model]
format = 1
name = "run-up"
[parameters]
n = "900 rpm"
T = "2 s"
[[body]]
name = "tub"
mass = "30 kg"
inertia = [1, 1, 1]
[[body]]
name = "load"
mass = "0.5 kg"
inertia = [0.01, 0.01, 0.01]
centre = [0.2, 0, 0]
[[joint]]
name = "float"
kind = "prismatic"
from = "ground"
to = "tub"
axis = [0, 0, 1]
[[joint]]
name = "bearing"
kind = "revolute"
from = "tub"
to = "load"
axis = [0, 1, 0]
angle = { follows = "if(t < T, n*t^2/(2*T), n*(t - T/2))" }
[[force]]
name = "springs"
kind = "joint-spring"
coordinate = "float"
stiffness = "16 N/mm"
damping = "300 N*s/m"
[simulation]
t_end = 3
output_step = 0.01
"#;
    let folder = with("manners-run-up", &[("m.toml", model)]);
    let run = ["run", "m.toml", "--json", "--channel", "bearing.angle*"];
    let report = json(&stdout(&holonom(&folder, &run)));
    let n = 30.0 * std::f64::consts::PI;
    for (channel, value) in [("bearing.angle", 2.0 * n), ("bearing.angle.velocity", n)] {
        let last = report["final"]["outputs"][channel].as_f64().unwrap();
        assert!((last - value).abs() < 1e-9 * value, "{report:#}");
    }
    // The two pieces do not fit: said at the motion, with the rates.
    let slip = model.replace("n*(t - T/2))", "0.9*n*(t - T/2) + 0.1*n*T/2)");
    write(folder.join("slip.toml"), slip).unwrap();
    refused(&holonom(&folder, &["run", "slip.toml"]), &["rate", "jumps at t = 2 s", "same value and rate"]);
}
