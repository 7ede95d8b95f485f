//! Broken model files through the command: exit code 2, and messages that point at a line.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn holonom(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_holonom"))
        .args(arguments)
        .current_dir(folder())
        .output()
        .expect("the command starts")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../engine/format/tests/broken")
}

/// Exit code 2 and a message with a place.
fn refused(arguments: &[&str], place: &str) -> String {
    let output = holonom(arguments);
    let shown = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {shown}");
    assert!(
        shown.contains("error: ") && shown.contains(place),
        "{arguments:?}: {shown}"
    );
    shown
}

#[test]
fn all_broken_files_are_refused() {
    let entries = std::fs::read_dir(folder()).expect("the corpus");
    let names = entries.map(|entry| {
        entry
            .expect("an entry")
            .file_name()
            .into_string()
            .expect("a name")
    });
    let names: Vec<String> = names.filter(|name| name.ends_with(".toml")).collect();
    assert!(names.len() >= 200, "{}", names.len());
    for name in &names {
        let shown = refused(&["check", name], "--> ");
        let places = shown
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("--> "));
        for place in places {
            let mut parts = place.rsplitn(3, ':').map(str::parse::<usize>);
            let (column, line) = (parts.next(), parts.next());
            assert!(
                matches!((line, column), (Some(Ok(1..)), Some(Ok(1..)))),
                "{name}: {place}"
            );
        }
    }
}

#[test]
fn runs_are_refused_before_they_begin() {
    for name in [
        "setting-tolerances-negative.toml",
        "output-unknown.toml",
        "assembly-cannot-close.toml",
    ] {
        let results = Path::new(env!("CARGO_TARGET_TMPDIR")).join("broken-results");
        let _ = std::fs::remove_dir_all(&results);
        std::fs::create_dir_all(&results).expect("a folder");
        let out = results.join("x");
        refused(&["run", name, "-o", out.to_str().expect("text")], name);
        assert_eq!(results.read_dir().expect("the folder").count(), 0, "{name}");
    }
}

#[test]
fn parameters_of_the_command_line() {
    let leg = "parts/leg.toml";
    let shown = refused(&["check", leg, "--set", "lenght=1"], "--set:1:1");
    assert!(shown.contains("did you mean `length`?"), "{shown}");
    let shown = refused(&["check", leg, "--set", "length=2 kg"], "--set:1:8");
    assert!(shown.contains("in m, but this is one in kg"), "{shown}");
    refused(&["check", leg, "--set", "length=2*(3"], "--set:1:");
    let output = holonom(&["check", leg, "--set", "length"]);
    assert_eq!(output.status.code(), Some(2));
    let output = holonom(&["check", leg, "--set", "length=30 cm"]);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn settings_of_the_command_line() {
    let output = holonom(&["run", "parts/leg.toml", "--rtol", "-1"]);
    let shown = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{shown}");
    assert!(shown.contains("`rtol` is -1"), "{shown}");
}
