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
    refused(
        &holonom(&folder, &["run", "p.toml"]),
        &["another run is writing", "-o"],
    );
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
        assert_eq!(
            (&report["status"], &report["valid"]),
            (&"refused".into(), &false.into())
        );
        assert_eq!(report["exit_code"], 2);
        let line = report["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m["line"].clone());
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
        assert!(
            report["message"].as_str().is_some_and(|text| text.len() > 10),
            "{report:#}"
        );
    }
    // Into the file that was to hold the report.
    let done = holonom(&folder, &["run", "bad.toml", "--json=r.json"]);
    assert_eq!((code(&done), stdout(&done)), (2, String::new()));
    assert_eq!(
        json(&read_to_string(folder.join("r.json")).unwrap())["status"],
        "refused"
    );
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
            assert!(
                quiet(&stdout(&done)) && quiet(&stderr(&done)),
                "{model}: {}",
                stderr(&done)
            );
        }
    }
    refused(
        &holonom(&folder, &["check", "body.toml"]),
        &["control characters"],
    );
}

#[test]
fn shares_of_time_add_up() {
    let folder = with("manners-time", &[("p.toml", PENDULUM)]);
    let text = stdout(&holonom(&folder, &["run", "p.toml"]));
    let line = text
        .lines()
        .find(|line| line.trim_start().starts_with("time"))
        .unwrap();
    let shares = line
        .split_whitespace()
        .filter_map(|word| word.parse::<u32>().ok());
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
    let limited = |arguments: &str, blocks: u32| {
        let script = format!(
            "trap '' XFSZ; ulimit -f {blocks}; exec {} {arguments}",
            env!("CARGO_BIN_EXE_holonom")
        );
        let mut sh = std::process::Command::new("sh");
        sh.args(["-c", &script]).current_dir(&folder).output().unwrap()
    };
    for (arguments, file, old) in [
        ("plot p.parquet -o p.svg", "p.svg", "<svg/>"),
        ("export p.parquet -o p.csv", "p.csv", "t [s]\n"),
    ] {
        let done = limited(arguments, 2);
        assert_ne!(code(&done), 0, "{arguments}: {}", stdout(&done));
        assert!(stderr(&done).contains(file), "{}", stderr(&done));
        assert_eq!(read_to_string(folder.join(file)).unwrap(), old);
    }
    let done = limited("run p.toml -o cut", 2);
    assert_ne!(code(&done), 0, "{}", stderr(&done));
    // Full in the middle of the run: what was computed can be read, and nothing else is there.
    let done = limited("run p.toml -o middle --t-end 200 --channel '*'", 128);
    assert_eq!(code(&done), 1, "{}", stderr(&done));
    let done = holonom(&folder, &["export", "middle.arrows", "-o", "middle.csv"]);
    assert_eq!(code(&done), 0, "{}", stderr(&done));
    for file in ["cut.parquet", "middle.parquet"] {
        assert!(!folder.join(file).exists());
    }
    let left = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let parts: Vec<_> = left
        .filter(|name| Path::new(name).extension().is_some_and(|e| e == "part"))
        .collect();
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
    let named = format!("{frequency:.3e} Hz in hinge, caused by force \"friction\"");
    assert_eq!(
        text.matches(&named).count(),
        2,
        "while it runs and at its end: {text}"
    );
    // A run that is only long is none that never ends.
    let done = holonom(&folder, &["run", "p.toml", "--max-steps", "3", "--t-end", "1e-8"]);
    assert!(
        !stderr(&done).contains("At the current step size"),
        "{}",
        stderr(&done)
    );
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
        let report = json(&stdout(&holonom(
            &folder,
            &["statics", "s.toml", "--json", "--t-start", t],
        )));
        let found = report["coordinates"]["s"].as_f64().unwrap();
        assert!((found - at).abs() < 1e-9, "{report:#}");
        assert_eq!(report["held"], serde_json::json!(["servo"]));
    }
}

#[test]
fn units_in_headings_count() {
    let model = LINE.to_string() + "displacement = { follows = \"road(t)\" }\n[simulation]\nt_end = 2\n";
    let folder = with("manners-headings", &[("m.toml", &model)]);
    for heading in [
        "t [s],z [mm]",
        "t [ms];z [mm]",
        "time (s)\tz (mm)",
        "t [s] z [mm]",
        "t,z [mm]",
    ] {
        let times = if heading.contains("[ms]") { 1000.0 } else { 1.0 };
        let mark = heading.chars().find(|c| ",;\t".contains(*c)).unwrap_or(' ');
        let rows: Vec<String> = [(0.0, 0.0), (1.0, 100.0), (2.0, 0.0), (3.0, 0.0)]
            .map(|(t, z)| format!("{}{mark}{z}", t * times))
            .to_vec();
        write(
            folder.join("road.csv"),
            format!("{heading}\n{}\n", rows.join("\n")),
        )
        .unwrap();
        let run = [
            "run",
            "m.toml",
            "--json",
            "--channel",
            "m.position.z",
            "--t-end",
            "1",
        ];
        let report = json(&stdout(&holonom(&folder, &run)));
        let last = report["final"]["outputs"]["m.position.z"].as_f64();
        assert!(
            last.is_some_and(|z| (z - 0.1).abs() < 1e-12),
            "{heading}: {report:#}"
        );
    }
    write(folder.join("road.csv"), "t [s],z [N]\n0,0\n1,1\n2,0\n3,0\n").unwrap();
    refused(
        &holonom(&folder, &["run", "m.toml"]),
        &["a force (N)", "a length (m) is expected"],
    );
    write(folder.join("road.csv"), "t [s],z [foo]\n0,0\n1,1\n2,0\n3,0\n").unwrap();
    refused(
        &holonom(&folder, &["run", "m.toml"]),
        &["road.csv:1", "`foo`", "[mm]"],
    );
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
    refused(
        &holonom(&folder, &["run", "slip.toml"]),
        &["rate", "jumps at t = 2 s", "same value and rate"],
    );
}

/// Where a search ends in a position that is not stable, it goes on from there.
#[test]
fn statics_does_not_end_in_a_saddle() {
    let saddle = r#"
[model]
format = 1
name = "r2021"
gravity = [0.0, 0.0, -9.81]

[ground]
markers.m1 = { position = [0.0076798463536555985, -0.1358980592327073, -0.15864017172280967], quaternion = [0.6839872735951541, 0.28856904773891934, 0.6394704833441902, 0.19991702073227555] }
markers.m5 = { position = [0.10377574348531579, 0.05610741151974786, 0.03642729043711155], quaternion = [0.23025738299744464, -0.8692394527619561, -0.029329086824740218, -0.4365135920029179] }
markers.m10 = { position = [-0.015189033632083637, -0.10182673526127767, -0.05644274322009755], matrix = [[0.45440049615843514, -0.7491327882416897, -0.48199611478952786], [0.12968302693097342, 0.59095106410901, -0.7962155187852402], [0.8813072685601704, 0.2992940116501841, 0.3656782642889115]] }
markers.m14 = { position = [0.03509445185766702, 0.2365532791786905, -0.008567187203601265], quaternion = [1.0, 0.0, 0.0, 0.0] }

[[body]]
name = "b1"
mass = 1.4552082603869565
centre = [0.0, 0.0, 0.0]
inertia = [0.0017264882554701795, 0.001265463362270763, 0.001285777292956877, 0.0002047538878044953, -1.3074662264575337e-05, -3.84399794352889e-06]
markers.m2 = { position = [-0.017346308270384296, -0.08240901378642297, 0.0722779701855263], matrix = [[-0.9049773794637659, 0.3047705467437174, -0.2968684161315095], [-0.380727331290096, -0.268665676719763, 0.8847968429879448], [0.1899016636778551, 0.9137470481431105, 0.35917083698726937]] }
markers.m11 = { position = [0.0027045113341651133, -0.017600965773211633, 0.04341938118692897], matrix = [[0.6644578909496445, 0.7455547370852824, -0.05141833490541975], [0.4436474941988929, -0.44888616609185894, -0.7756791287526019], [-0.601392228122208, 0.4925945025079426, -0.6290294460938682]] }

[[body]]
name = "b3"
mass = 3.9450751830835773
centre = [-0.073476312358526, 0.07552203570547635, 0.007341867790427875]
inertia = [0.0035076696489930235, 0.002190574458014334, 0.0025709850613251247, 0.0, 0.0, 0.0]
markers.m15 = { position = [0.08271651764381718, 0.09999976512082118, 0.03467952175576328], quaternion = [0.22190861721233654, -0.18308079649247053, -0.46082402073055856, -0.8395708483983427] }

[[joint]]
name = "j1"
kind = "cylindrical"
from = "ground.m1"
to = "b1.m2"
axis = [-0.0479370598269699, 0.05088292292065327, -0.08969847548805722]
angle = { start = 1.4517072756640506, velocity = 0.0 }
displacement = { start = 0.11747672950895606, velocity = 0.0 }

[[joint]]
name = "j3"
kind = "free-cardan"
from = "ground.m5"
to = "b3"
x = { start = -0.08223564032625623, velocity = 0.0 }
y = { start = -0.07675689351024614, velocity = 0.0 }
z = { start = 0.05921986388858252, velocity = 0.0 }
angle_x = { start = 1.0214747800910713, velocity = 0.0 }
angle_y = { start = 0.6492870144313935, velocity = 0.0 }
angle_z = { start = -2.2767992542565096, velocity = -0.0 }

[[force]]
name = "f2"
kind = "bushing"
from = "ground.m10"
to = "b1.m11"
stiffness = [10263.477838388158, 14395.600171977414, 12234.952453744114, 22.22861105988665, 27.991942902766574, 26.639911210553336]
damping = [20.311150396896988, 5.496979711632142, 6.569877735327016, 0.03580031164352042, 0.04150300714137177, 0.015523968132621873]

[[force]]
name = "f4"
kind = "spring-damper"
from = "ground.m14"
to = "b3.m15"
stiffness = 23834.863497604856
damping = 29.537286609221454
free_length = 0.09179771333642181

[simulation]
t_end = 0.134
output_step = 0.067
"#;
    // A pendulum that begins a little beside its upper position of rest, at which Newton's method ends.
    let above = PENDULUM.replace("angle = 1", "angle = 3.1");
    let folder = with(
        "manners-saddle",
        &[("saddle.toml", saddle), ("above.toml", &above)],
    );
    for model in ["saddle.toml", "above.toml"] {
        let report = json(&stdout(&holonom(&folder, &["statics", model, "--json"])));
        assert_eq!(report["directions"]["unstable"], 0, "{report:#}");
        assert!(report["unbalanced"].as_f64().is_some_and(|left| left < 1e-9));
    }
    // Exactly there it was put on purpose.
    let top = PENDULUM.replace("angle = 1", "angle = \"180 deg\"");
    write(folder.join("top.toml"), top).unwrap();
    let text = stdout(&holonom(&folder, &["statics", "top.toml"]));
    assert!(text.contains("unstable in 1 of 1"), "{text}");
}
