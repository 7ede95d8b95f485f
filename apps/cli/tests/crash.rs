//! Runs that are stopped: what is left can be read, and the resumed run equals the whole one.

mod common;

use common::{code, command, folder, holonom, report, stderr};
use holonom_results::Table;
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const MODEL: [&str; 8] = [
    "run",
    "four-bar",
    "--t-end",
    "60",
    "--output-step",
    "2 ms",
    "--channel",
    "*",
];

fn arguments<'a>(extra: &[&'a str]) -> Vec<&'a str> {
    MODEL.iter().chain(extra).copied().collect()
}

/// All bits of a result.
fn bits(path: &Path) -> Vec<Vec<u64>> {
    let table = Table::open(path).expect("a result");
    assert!(table.is_complete());
    let all: Vec<usize> = (0..table.columns().len()).collect();
    let columns = table.columns_at(&all).expect("columns");
    columns
        .into_iter()
        .map(|column| column.into_iter().map(f64::to_bits).collect())
        .collect()
}

fn same(resumed: &Value, whole: &Value) {
    for key in [
        "counters",
        "final",
        "constraint",
        "energy",
        "rows",
        "failed_rows",
        "singular_rows",
        "status",
    ] {
        assert_eq!(resumed[key], whole[key], "{key}");
    }
}

/// The run without a stop, with how long it takes.
fn whole(folder: &Path) -> (Value, Duration) {
    let begin = Instant::now();
    let report = report(&holonom(folder, &arguments(&["--json", "-o", "whole"])));
    (report, begin.elapsed())
}

#[test]
fn killed_runs_resume_to_the_same_bits() {
    let folder = folder("crash-kill");
    let (expected, time) = whole(&folder);
    let expected_bits = bits(&folder.join("whole.parquet"));
    let stopped = ["--checkpoint-every", "0.002", "-o", "killed"];
    let mut kills = 0;
    let mut partial = 0;
    // Moments spread over the run, each run going on where the one before was killed; a random
    // part comes from the machine itself.
    for attempt in 0..60 {
        let mut extra = stopped.to_vec();
        if attempt > 0 {
            extra.push("--resume");
        }
        let mut child = command(&folder, &arguments(&extra))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        std::thread::sleep(time.mul_f64(0.02 + 0.013 * f64::from(attempt % 8)));
        if child.try_wait().expect("a status").is_some() {
            break;
        }
        // SIGKILL: nothing in the program hears of it.
        child.kill().expect("killed");
        child.wait().expect("gone");
        kills += 1;
        let stream = folder.join("killed.arrows");
        if stream.exists() {
            let table = Table::open(&stream).expect("the stream opens");
            partial += u32::from(!table.is_complete() && table.rows() > 0);
        }
        if kills == 20 {
            break;
        }
    }
    assert!(
        kills >= 3 && partial >= 2,
        "{kills} kills, {partial} partial results"
    );
    let resumed = report(&holonom(
        &folder,
        &arguments(&[&stopped[..], &["--resume", "--json"]].concat()),
    ));
    same(&resumed, &expected);
    assert_eq!(bits(&folder.join("killed.parquet")), expected_bits);
    assert_eq!(bits(&folder.join("killed.arrows")), expected_bits);
    // What is complete needs nothing more.
    let again = holonom(
        &folder,
        &arguments(&[&stopped[..], &["--resume", "--json"]].concat()),
    );
    assert!(
        stderr(&again).contains("the run is complete"),
        "{}",
        stderr(&again)
    );
    same(&report(&again), &expected);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_so_and_resumes() {
    let folder = folder("crash-interrupt");
    let (expected, time) = whole(&folder);
    let child = command(&folder, &arguments(&["-o", "stopped"]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    std::thread::sleep(time / 2);
    let sent = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    let output = child.wait_with_output().expect("ends");
    if sent.is_ok_and(|status| status.success()) && code(&output) != 0 {
        assert_eq!(code(&output), 1, "{}", stderr(&output));
        assert!(stderr(&output).contains("interrupted at t = ") && stderr(&output).contains("--resume"));
        let table = Table::open(folder.join("stopped.arrows")).expect("opens");
        assert!(!table.is_complete());
        assert!(folder.join("stopped.checkpoint").exists() && !folder.join("stopped.parquet").exists());
        let resumed = report(&holonom(
            &folder,
            &arguments(&["--json", "-o", "stopped", "--resume"]),
        ));
        same(&resumed, &expected);
    }
    assert_eq!(
        bits(&folder.join("stopped.parquet")),
        bits(&folder.join("whole.parquet"))
    );
}

/// A finished run goes on to later ends, as if it had never ended: to the same bits where nothing depends on the length
/// of the run, and within the tolerances otherwise.
#[test]
fn finished_runs_are_extended_to_the_same_bits() {
    let folder = folder("crash-extend");
    let run = |name: &str, end: &str, extra: &[&str]| {
        let usual = [
            "run",
            "four-bar",
            "--stepper",
            "bdf",
            "--output-step",
            "2 ms",
            "--t-end",
            end,
            "-o",
            name,
            "--json",
        ];
        holonom(&folder, &[&usual[..], extra].concat())
    };
    let whole = report(&run("whole", "3.7", &[]));
    assert_eq!(code(&run("parts", "0.9", &[])), 0);
    for end in ["1.303", "3.7"] {
        let output = run("parts", end, &["--resume"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(
            stderr(&output).contains(&format!("to t = {end} s")),
            "{}",
            stderr(&output)
        );
        assert!(!stderr(&output).contains("may differ"), "{}", stderr(&output));
        if end == "3.7" {
            same(&report(&output), &whole);
        }
    }
    for kind in ["parquet", "arrows"] {
        let [parts, whole] = ["parts", "whole"].map(|name| bits(&folder.join(format!("{name}.{kind}"))));
        assert_eq!(parts, whole, "{kind}");
    }
    common::refused(
        &run("parts", "2", &["--resume"]),
        &["already reached t = 3.7 s", "--t-end"],
    );
    // The output interval that the length of the run decided stays.
    let short = holonom(&folder, &["run", "pendulum", "--t-end", "1", "-o", "p"]);
    assert_eq!(code(&short), 0);
    let longer = holonom(
        &folder,
        &["run", "pendulum", "--t-end", "2", "-o", "p", "--resume", "--json"],
    );
    assert_eq!(code(&longer), 0, "{}", stderr(&longer));
    // The method and the first step were chosen for the shorter run.
    assert!(stderr(&longer).contains("may differ"), "{}", stderr(&longer));
    let whole = holonom(
        &folder,
        &[
            "run",
            "pendulum",
            "--t-end",
            "2",
            "--output-step",
            "1 ms",
            "-o",
            "w",
        ],
    );
    assert_eq!(code(&whole), 0, "{}", stderr(&whole));
    let end = |name: &str| {
        let last = |column: &Vec<u64>| f64::from_bits(*column.last().expect("a row"));
        bits(&folder.join(name)).iter().map(last).collect::<Vec<_>>()
    };
    for (a, b) in end("p.parquet").iter().zip(&end("w.parquet")) {
        assert!((a - b).abs() < 1e-4, "{a} {b}");
    }
}

/// The last step of a run may go beyond its end, across what was not known then.
#[test]
fn an_extension_does_not_pass_over_a_jump() {
    let folder = folder("crash-jump");
    let model = |at: f64| {
        format!(
            "[model]\nformat = 1\nname = \"j\"\n[[body]]\nname = \"b\"\nmass = 1\n[[joint]]\nname = \"s\"\n\
             kind = \"prismatic\"\nfrom = \"ground\"\nto = \"b\"\naxis = [1, 0, 0]\n[[force]]\nname = \"f\"\n\
             kind = \"joint-spring\"\ncoordinate = \"s\"\nstiffness = 1\nmotor = \"if(t < {at}, 1, 3)\"\n"
        )
    };
    let mut refused = 0;
    // Steps of `bdf` go on over the end; results of `auto` differ within the tolerance.
    for (k, [stepper, rtol]) in (1..=8).flat_map(|k| [(k, ["bdf", "1e-6"]), (k, ["auto", "1e-9"])]) {
        let name = format!("m{k}.toml");
        std::fs::write(folder.join(&name), model(2.0 + 0.01 * f64::from(k))).expect("written");
        let run = |end: &str, out: &str, extra: &[&str]| {
            let usual = [
                "run",
                &name,
                "--stepper",
                stepper,
                "--rtol",
                rtol,
                "--t-end",
                end,
                "--output-step",
                "0.5",
                "-o",
                out,
            ];
            holonom(&folder, &[&usual[..], extra].concat())
        };
        assert_eq!(code(&run("2", "a", &[])), 0);
        let extended = run("4", "a", &["--resume"]);
        if code(&extended) == 2 {
            assert!(
                stderr(&extended).contains("across a change"),
                "{}",
                stderr(&extended)
            );
            refused += 1;
            continue;
        }
        assert_eq!(code(&extended), 0, "{}", stderr(&extended));
        assert_eq!(code(&run("4", "b", &[])), 0);
        let last = |name: &str| *bits(&folder.join(name))[1].last().expect("a row");
        let [a, b] = ["a.parquet", "b.parquet"].map(|name| f64::from_bits(last(name)));
        assert!((a - b).abs() < 1e-7, "{k}: {a} {b}");
    }
    assert!(refused >= 1, "no step went beyond the end");
}

#[test]
fn a_checkpoint_serves_its_own_run_only() {
    let folder = folder("crash-other");
    let stop = ["--max-steps", "100", "-o", "a"];
    assert_eq!(code(&holonom(&folder, &arguments(&stop))), 1);
    let refused = |arguments: &[&str], words: &[&str]| common::refused(&holonom(&folder, arguments), words);
    refused(
        &arguments(&["-o", "a", "--resume", "--rtol", "1e-8"]),
        &["other settings", "rtol"],
    );
    refused(
        &arguments(&["-o", "a", "--resume", "--refresh", "dassl"]),
        &["refresh"],
    );
    refused(
        &["run", "four-bar", "--t-end", "60", "-o", "a", "--resume"],
        &["other channels"],
    );
    refused(
        &["run", "slider-crank", "--t-end", "60", "-o", "a", "--resume"],
        &["another model"],
    );
    std::fs::write(folder.join("a.checkpoint"), "{}").expect("written");
    refused(&arguments(&["-o", "a", "--resume"]), &["is not a checkpoint"]);
    // Without a checkpoint a run begins, and says so.
    let output = holonom(
        &folder,
        &["run", "four-bar", "--t-end", "0.1", "-o", "b", "--resume"],
    );
    assert!(
        code(&output) == 0 && stderr(&output).contains("from the beginning"),
        "{}",
        stderr(&output)
    );
}
