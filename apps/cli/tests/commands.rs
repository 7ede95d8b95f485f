//! The command as a user meets it: output, reports, exit codes.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

fn holonom(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_holonom"))
        .args(arguments)
        .output()
        .expect("the command starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code")
}

/// A folder of this test's own, emptied.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

#[test]
fn help_shows_commands_and_examples() {
    let output = holonom(&["--help"]);
    assert_eq!(code(&output), 0);
    for word in [
        "plot",
        "verify",
        "list",
        "completions",
        "A first run:",
        "Exit codes",
    ] {
        assert!(stdout(&output).contains(word), "{word}");
    }
    for command in ["plot", "verify", "list", "completions"] {
        let output = holonom(&[command, "--help"]);
        assert_eq!(code(&output), 0);
        assert!(stdout(&output).contains("Examples:"), "{command}");
    }
}

#[test]
fn no_command_is_bad_usage() {
    assert_eq!(code(&holonom(&[])), 2);
    assert_eq!(code(&holonom(&["simulate"])), 2);
}

#[test]
fn list_names_strategies_elements_and_problems() {
    let output = holonom(&["list"]);
    assert_eq!(code(&output), 0);
    for word in [
        "bdf",
        "fd-grouped",
        "lu-sparse",
        "classical",
        "universal",
        "driver",
        "joint-spring",
        "ggl",
        "explicit",
        "pendulum-ggl",
    ] {
        assert!(stdout(&output).contains(word), "{word}");
    }
    for line in stdout(&output).lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    let output = holonom(&["list", "--json"]);
    let listing: Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
    for key in ["steppers", "jacobians", "linear", "refresh", "updates"] {
        let entries = listing[key].as_array().expect(key);
        assert!(!entries.is_empty(), "{key}");
        for entry in entries {
            for field in ["name", "description", "literature"] {
                assert!(entry[field].is_string(), "{key} {field}");
            }
        }
    }
    for (key, name) in [
        ("joints", "free-cardan"),
        ("constraints", "rolling"),
        ("forces", "spring-damper"),
        ("roads", "iso-8608"),
        ("paths", "iso-3888-1"),
        ("controls", "driver-steering"),
        ("forms", "ggl"),
        ("formalisms", "residual"),
    ] {
        let entries = listing[key].as_array().expect(key);
        assert!(entries.iter().any(|e| e["name"] == name), "{key} {name}");
        for entry in entries {
            assert!(entry["description"].is_string(), "{key}");
        }
    }
    let joints = listing["joints"].as_array().expect("joints");
    let of = |name: &str| joints.iter().find(|j| j["name"] == name).expect("a joint");
    assert_eq!(of("cylindrical")["coordinates"][1]["unit"], "m");
    assert_eq!(of("cylindrical")["rows_when_cut"], 4);
    assert!(of("free")["rows_when_cut"].is_null());
    let problems = listing["problems"].as_array().expect("problems");
    let hires = problems.iter().find(|p| p["name"] == "hires");
    assert_eq!(hires.expect("hires")["unknowns"], 8);
}

#[test]
fn list_says_everything_about_one_name() {
    let output = holonom(&["list", "spring-damper"]);
    assert_eq!(code(&output), 0);
    let text = stdout(&output);
    let line = |field: &str| {
        let found = text.lines().find(|l| l.starts_with(field));
        found.unwrap_or_else(|| panic!("{field} in {text}")).to_string()
    };
    assert!(line("stiffness").contains("N/m") && line("stiffness").contains("required"));
    assert!(line("preload").contains(" 0 "));
    let output = holonom(&["list", "rolling", "--json"]);
    let entries: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(entries[0]["kind"], "constraint");
    let fields = entries[0]["entry"]["fields"].as_array().expect("fields");
    let sphere = fields.iter().find(|f| f["name"] == "sphere").expect("sphere");
    assert_eq!(
        (&sphere["default"], &sphere["unit"]),
        (&"false".into(), &"".into())
    );
    assert_eq!(code(&holonom(&["list", "helical"])), 0);
    assert!(stdout(&holonom(&["list", "iso-8608"])).contains("waviness"));
    // A force element and a control.
    let both = stdout(&holonom(&["list", "expression"]));
    assert!(both.contains("(force)") && both.contains("(control)"), "{both}");
    assert_eq!(code(&holonom(&["list", "hires"])), 0);
    assert_eq!(code(&holonom(&["list", "spring-dampr"])), 2);
}

/// Runs two cheap problems; whether their checks hold is not the point here.
fn small_report(extra: &[&str]) -> (Output, Value) {
    let mut arguments = vec!["verify", "hires", "linear-index2", "--tolerances", "1e-4,1e-6"];
    arguments.extend(extra);
    arguments.push("--json");
    let output = holonom(&arguments);
    let report = serde_json::from_str(&stdout(&output)).expect("one JSON object and nothing else");
    (output, report)
}

#[test]
fn verify_reports_in_the_common_shape() {
    let (output, report) = small_report(&[]);
    assert_eq!(report["name"], "verify");
    assert!(report["missing"].as_array().expect("missing").is_empty());
    let rows = report["rows"].as_array().expect("rows");
    let of = |section: &str| rows.iter().filter(|r| r["section"] == section).count();
    assert_eq!((of("problems"), of("special")), (4, 1));
    for row in rows.iter().filter(|r| r["section"] == "problems") {
        assert!(row["failure"].is_null());
        assert!(row["digits"]["plain"].as_f64().expect("digits") > 0.0);
        assert!(row["counters"]["residuals"].as_u64().expect("count") > 0);
    }
    let checks = report["checks"].as_array().expect("checks");
    let ids: Vec<&str> = checks.iter().filter_map(|c| c["id"].as_str()).collect();
    let expected = [
        "hires/1e-4/plain",
        "hires/1e-6/plain",
        "linear-index2/1e-4/plain",
        "linear-index2/1e-6/plain",
        "special/repeatability",
    ];
    assert_eq!(ids, expected);
    assert_eq!(checks[1]["limit"], 4.0);
    let mut all = true;
    for check in checks {
        assert_eq!(check.as_object().expect("object").len(), 7);
        assert!(check["value"].is_number() && check["source"].is_string());
        let holds = check["holds"].as_bool().expect("holds");
        // None of these has a known gap.
        assert_eq!(check["outcome"], if holds { "holds" } else { "regression" });
        assert!(check["known_gap"].is_null());
        all &= holds;
    }
    assert_eq!(report["holds"], all);
    assert_eq!(code(&output), if all { 0 } else { 1 });
    // No progress bar where there is no terminal.
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_check_that_does_not_hold_shows_in_the_exit_code() {
    // HIRES and linear-index2 declare no sparsity, so every run is refused.
    let (output, report) = small_report(&["--jacobian", "fd-grouped", "--sparsity", "traced"]);
    assert_eq!(code(&output), 1);
    assert_eq!(report["holds"], false);
    let check = &report["checks"][0];
    assert!(check["value"].is_null() && check["holds"] == false);
    let message = report["rows"][0]["failure"].as_str().expect("a message");
    assert!(message.contains("sparsity"), "{message}");
}

#[test]
fn options_reach_the_solver() {
    let steps = |extra: &[&str]| {
        let (_, report) = small_report(extra);
        report["rows"][0]["counters"]["steps"].as_u64().expect("steps")
    };
    let (_, report) = small_report(&["--refresh", "dassl", "--linear", "lu-dense"]);
    assert_eq!(report["rows"][0]["strategies"][3], "dassl");
    assert!(steps(&["--max-order", "2"]) > steps(&[]));
    let (output, _) = small_report(&["--stability-detection", "false"]);
    assert_eq!(code(&output), 0);
    let output = holonom(&["verify", "hires", "--max-order", "9"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("--max-order 9: choose 1 to 5"));
    assert!(steps(&["--stepper", "backward-euler"]) > steps(&["--max-order", "2"]));
}

#[test]
fn json_into_a_file_leaves_the_table_on_standard_output() {
    let file = folder("json").join("report.json");
    let path = file.to_str().expect("a path");
    let output = holonom(&["verify", "akzo-nobel", "--tolerances", "1e-4", "--json", path]);
    assert!(stdout(&output).contains("akzo-nobel"));
    let text = std::fs::read_to_string(&file).expect("the file");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["rows"][0]["problem"], "akzo-nobel");

    let nowhere = folder("json").join("no/such/folder.json");
    let path = nowhere.to_str().expect("a path");
    let output = holonom(&["verify", "akzo-nobel", "--json", path]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("does not exist"));
}

#[test]
fn plots_are_written() {
    let folder = folder("plots");
    let path = folder.to_str().expect("a path");
    holonom(&["verify", "akzo-nobel", "--tolerances", "1e-4", "--plot", path]);
    for name in ["akzo-nobel.svg", "overview.svg"] {
        let text = std::fs::read_to_string(folder.join(name)).expect(name);
        assert!(text.starts_with("<svg") && text.contains("correct digits"));
        assert!(!text.contains("NaN") && !text.contains("inf"));
    }
}

#[test]
fn a_size_without_reference_is_reported_as_missing() {
    let output = holonom(&["verify", "chain-explicit:2", "--tolerances", "1e-3", "--json"]);
    let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let missing = report["missing"][0].as_str().expect("an entry");
    assert!(
        missing.starts_with("chain-explicit:2:0.05/1e-3/digits: "),
        "{missing}"
    );
    assert_eq!(report["checks"][0]["id"], "chain-explicit:2:0.05/1e-3/failures");
    assert_eq!(report["checks"][0]["holds"], true);
}

#[test]
fn sizes_that_are_none_are_refused() {
    let output = holonom(&["verify", "brusselator:20x"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("sizes are written like"));
}

#[test]
fn unknown_problems_are_refused_with_a_suggestion() {
    let output = holonom(&["verify", "hirse"]);
    assert_eq!(code(&output), 2);
    assert_eq!(stdout(&output), "");
    assert!(
        stderr(&output).contains("did you mean `hires`?"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn bad_values_are_refused() {
    for (arguments, word) in [
        (["--tolerances", "1e-4,zero"], "not a number"),
        (["--tolerances", "-1e-4"], "unexpected argument"),
        (["--tolerances", "2"], "between 0 and 1"),
        (["--tolerances", "nan"], "between 0 and 1"),
        (["--max-order", "6"], "6"),
        (["--stepper", "euler"], "backward-euler"),
        (["--time-limit", "0"], "positive"),
    ] {
        let output = holonom(&["verify", "hires", arguments[0], arguments[1]]);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(word), "{}", stderr(&output));
    }
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = holonom(&["completions", shell]);
        assert_eq!(code(&output), 0, "{shell}");
        assert!(stdout(&output).contains("verify"), "{shell}");
    }
    assert_eq!(code(&holonom(&["completions", "cmd"])), 2);
}
