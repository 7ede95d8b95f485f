//! `holonom run` as a user meets it.

mod common;

use common::{code, folder, holonom, refused, report, stderr, stdout};
use holonom_results::Table;
use serde_json::Value;

const QUICK: [&str; 4] = ["run", "four-bar", "--t-end", "500 ms"];

fn quick(extra: &[&'static str]) -> Vec<&'static str> {
    QUICK.iter().chain(extra).copied().collect()
}

#[test]
fn the_report_says_everything() {
    let folder = folder("run-json");
    let output = holonom(&folder, &quick(&["--json", "--output-step", "1 ms"]));
    let report = report(&output);
    for key in [
        "model",
        "options",
        "counters",
        "timing_s",
        "final",
        "constraint",
        "energy",
        "status",
        "message",
    ] {
        assert!(!report[key].is_null(), "{key}");
    }
    for key in [
        "form",
        "formalism",
        "ggl_metric",
        "stepper",
        "jacobian",
        "linear",
        "refresh",
        "update",
    ] {
        let name = report["options"][key].as_str().expect(key);
        assert!(!name.is_empty() && name != "auto", "{key}");
    }
    assert_eq!(report["options"]["t_end"], 0.5);
    assert_eq!(report["options"]["output_step"], 0.001);
    assert_eq!(
        (&report["status"], &report["message"]),
        (&"finished".into(), &"".into())
    );
    assert_eq!(report["rows"], 501);
    assert_eq!(report["final"]["t"], 0.5);
    assert!(report["constraint"]["position"].as_f64().expect("a number") < 1e-6);
    // No bar and no other words off a terminal.
    assert_eq!(stderr(&output), "");
    let table = Table::open(folder.join("four-bar.parquet")).expect("a result");
    assert_eq!(table.rows(), 501);
    let last = *table.column("A.angle").expect("a column").last().expect("rows");
    assert_eq!(report["final"]["outputs"]["A.angle"], last);
    // From here the run can be extended.
    assert!(folder.join("four-bar.checkpoint").exists());
}

#[test]
fn the_report_takes_no_model_for_a_file() {
    let folder = folder("run-json-first");
    let printed = report(&holonom(
        &folder,
        &["run", "--json", "four-bar", "--t-end", "0.1"],
    ));
    assert_eq!(printed["model"]["name"], "four-bar");
    for option in ["--json=a.txt", "--json b.json"] {
        let mut arguments = vec!["run"];
        arguments.extend(option.split(' '));
        arguments.extend(["four-bar", "--t-end", "0.1"]);
        let output = holonom(&folder, &arguments);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
    for file in ["a.txt", "b.json"] {
        let text = std::fs::read_to_string(folder.join(file)).expect(file);
        let written: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(written["status"], "finished");
    }
}

#[test]
fn results_are_named_replaced_and_never_taken_for_others() {
    let folder = folder("run-files");
    let output = holonom(&folder, &quick(&["-o", "first.csv"]));
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    for name in ["first.csv", "first.parquet", "first.arrows"] {
        assert!(folder.join(name).exists(), "{name}");
    }
    let again = holonom(&folder, &quick(&["-o", "first.csv"]));
    assert!(
        code(&again) == 0
            && stderr(&again).contains("replaced: ")
            && stderr(&again).contains("`first.parquet`"),
        "{}",
        stderr(&again)
    );
    // Data of the user are not results.
    std::fs::write(folder.join("first.csv"), "x,y\n1,2\n").expect("written");
    refused(
        &holonom(&folder, &quick(&["-o", "first", "--csv"])),
        &["first.csv", "not a Holonom result"],
    );
    // A run that fails leaves no Parquet file of an earlier one.
    let failed = holonom(&folder, &quick(&["-o", "first", "--max-steps", "3"]));
    assert_eq!(code(&failed), 1);
    assert!(!folder.join("first.parquet").exists() && folder.join("first.arrows").exists());
}

#[test]
fn a_failing_run_keeps_what_it_has() {
    let folder = folder("run-failing");
    let output = holonom(&folder, &quick(&["--max-steps", "20", "--json"]));
    assert_eq!(code(&output), 1);
    let report: Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
    assert_eq!(report["status"], "failed");
    let message = stderr(&output);
    assert!(
        message.contains("t = ") && message.contains("max_steps") && !message.contains("panicked"),
        "{message}"
    );
    let table = Table::open(folder.join("four-bar.arrows")).expect("a result");
    assert!(!table.is_complete() && table.rows() == report["rows"].as_u64().expect("rows"));
    // With more steps allowed it goes on, to the same end.
    let told = stdout(&holonom(&folder, &quick(&["--max-steps", "20", "-o", "short"])));
    assert!(told.contains("Next: holonom plot short.arrows"), "{told}");
    let resumed = common::report(&holonom(&folder, &quick(&["--resume", "--json"])));
    let whole = common::report(&holonom(&folder, &quick(&["--json", "-o", "whole"])));
    for key in ["counters", "final", "constraint", "energy", "rows"] {
        assert_eq!(resumed[key], whole[key], "{key}");
    }
}

#[test]
fn a_model_that_cannot_go_on_fails_with_its_time() {
    let folder = folder("run-stuck");
    // A crank of this length cannot turn fully: the loop does not follow the motor.
    assert_eq!(code(&holonom(&folder, &["new", "l", "--template", "linkage"])), 0);
    let output = holonom(&folder, &["run", "l.toml", "--set", "crank=300 mm"]);
    let text = stderr(&output);
    assert_eq!(code(&output), 1, "{text}");
    assert!(
        text.contains("beyond t = 0.18") && text.contains("knee") && !text.contains("panicked"),
        "{text}"
    );
    let table = Table::open(folder.join("l.arrows")).expect("a result");
    assert!(!table.is_complete() && table.rows() == 37);
}

#[test]
fn slips_are_refused_with_a_remedy() {
    let folder = folder("run-slips");
    for (extra, words) in [
        (vec!["--channel", "A.angel"], vec!["--channel", "A.angle"]),
        (
            vec!["--channel", "A.force.[xy"],
            vec!["--channel", "unclosed `[` at character 9"],
        ),
        (vec!["--t-end", "5 kg"], vec!["--t-end 5 kg"]),
        (vec!["--t-end", "-1"], vec!["start time 0"]),
        (vec!["--output-step", "0"], vec!["positive"]),
        (vec!["--set", "L"], vec!["NAME=VALUE"]),
        (vec!["--set", "L=1"], vec!["L"]),
        (vec!["--stepper", "bfd"], vec!["bdf"]),
        (vec!["--rtol", "0"], vec!["`rtol` is 0"]),
        (vec!["--checkpoint-every=-1"], vec!["positive"]),
        (vec!["--sweep", "L=1:2"], vec!["K=A:B:N"]),
        (vec!["-o", "no/such/place"], vec!["does not exist"]),
        (vec!["--json", "no/such/place.json"], vec!["does not exist"]),
    ] {
        let mut arguments = vec!["run", "four-bar"];
        arguments.extend(extra);
        refused(&holonom(&folder, &arguments), &words);
    }
    refused(
        &holonom(&folder, &["run", "four-baar"]),
        &["did you mean `four-bar`"],
    );
    // Faults of the file have their place in it.
    let text = "[model]\nformat = 1\nname = \"x\"\n[[body]]\nname = \"b\"\nmass = 1\ninertia = [1, 1, 1]\n\
        [[joint]]\nname = \"j\"\nkind = \"free\"\nfrom = \"ground\"\nto = \"b\"\n[[output]]\nchannels = [\"b.positoin.*\"]\n";
    std::fs::write(folder.join("x.toml"), text).expect("written");
    refused(
        &holonom(&folder, &["run", "x.toml"]),
        &["x.toml:14", "b.position"],
    );
}

#[test]
fn a_sweep_runs_in_order_and_gives_the_same_files_again() {
    let folder = folder("run-sweep");
    assert_eq!(code(&holonom(&folder, &["new", "p"])), 0);
    let arguments = [
        "run",
        "p.toml",
        "--sweep",
        "L=0.3:0.6:4",
        "--t-end",
        "1",
        "--json",
    ];
    let first = report(&holonom(&folder, &[&arguments[..], &["-o", "one"]].concat()));
    let values: Vec<f64> = first["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .filter_map(|r| r["value"].as_f64())
        .collect();
    assert_eq!(values.len(), 4);
    assert!(values.is_sorted() && values[0] == 0.3 && values[3] == 0.6);
    // On one core, and bit by bit the same.
    let mut single = std::process::Command::new("taskset");
    single
        .args(["-c", "0", env!("CARGO_BIN_EXE_holonom")])
        .args(arguments)
        .args(["-o", "two"])
        .current_dir(&folder);
    if single.output().is_err() {
        report(&holonom(&folder, &[&arguments[..], &["-o", "two"]].concat()));
    }
    for name in ["000.parquet", "003.arrows", "overview.csv"] {
        let read = |of: &str| std::fs::read(folder.join(of).join(name)).expect(name);
        assert_eq!(read("one"), read("two"), "{name}");
    }
    // Runs that are refused do not keep the others from running.
    let output = holonom(
        &folder,
        &[
            "run",
            "p.toml",
            "--sweep",
            "L=0:0.6:2",
            "--t-end",
            "1",
            "-o",
            "bad",
        ],
    );
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(
        stdout(&output).contains("finished") && stderr(&output).contains("L = 0"),
        "{}",
        stdout(&output)
    );
    refused(
        &holonom(&folder, &["run", "p.toml", "--sweep", "M=1:2:2"]),
        &["M"],
    );
}

/// What may stand in for an evaluation of the Jacobian: from the file, from the command line, and as used.
#[test]
fn updates_are_chosen_and_named() {
    let folder = folder("updates");
    for (model, stepper, option, used) in [
        ("rear-axle-stamp", "auto", None, "extended"),
        ("rear-axle-stamp", "auto", Some("none"), "none"),
        // Nothing is prescribed: there is nothing to follow.
        ("pendulum", "bdf", Some("extended"), "partitioned"),
        ("pendulum", "bdf", None, "partitioned"),
        // The method that `auto` chooses here has no Jacobian.
        ("pendulum", "auto", None, "none"),
    ] {
        let mut arguments = vec!["run", model, "--stepper", stepper, "--t-end", "5"];
        arguments.extend(["--output-step", "0.1", "--json"]);
        arguments.extend(option.iter().flat_map(|o| ["--update", *o]));
        let report = report(&holonom(&folder, &arguments));
        assert_eq!(report["options"]["update"], used, "{model} {option:?}");
        let counter = &report["counters"]["updates_extended"];
        assert_eq!(
            counter.as_u64().is_some_and(|n| n > 0),
            used == "extended",
            "{model} {counter}"
        );
    }
    refused(
        &holonom(&folder, &["run", "pendulum", "--update", "extend"]),
        &["extend"],
    );
}

/// Why strategies were chosen, in sentences and for programs, with the times of changes.
#[test]
fn explains_its_choices() {
    let folder = folder("run-explain");
    let asked = [
        "run",
        "rear-axle-stamp",
        "--update",
        "auto",
        "--t-end",
        "8",
        "--explain",
    ];
    let output = holonom(&folder, &asked);
    let text = stdout(&output);
    for line in [
        "jacobian: ad-grouped, exact: a Jacobian of ",
        "sparsity: ",
        "update: partitioned, because",
        "linear: lu-dense, for ",
        "update at t = ",
    ] {
        assert!(text.contains(&format!("\n  {line}")), "`{line}` in: {text}");
    }
    let mut asked = asked.to_vec();
    asked.push("--json");
    let parsed = report(&holonom(&folder, &asked));
    let explain = parsed["explain"].as_array().expect("a list");
    let switch = explain
        .iter()
        .find(|d| d["subject"] == "update" && d["t"].is_number())
        .expect("a change of the update");
    assert_eq!(switch["chosen"], "extended");
    assert_eq!(switch["because"]["kind"], "inputs-explain");
    let of = |name: &str| switch["because"][name].as_f64().expect("a number");
    assert!(of("paid") > 0.0 && of("price") > 0.0);
    assert!(of("left") <= 0.7 * of("change"));
    assert!(text.contains(switch["text"].as_str().expect("a sentence")));
    assert_eq!(parsed["options"]["update"], "extended");
    // Only on request, and not for many runs at once.
    let quiet = holonom(&folder, &quick(&["--json"]));
    assert!(report(&quiet)["explain"].is_null());
    let sweep = ["run", "four-bar", "--sweep", "crank=0.1:0.2:2", "--explain"];
    assert_eq!(code(&holonom(&folder, &sweep)), 2);
}
