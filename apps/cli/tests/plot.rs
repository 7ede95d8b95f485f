//! `holonom plot` as a user meets it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn plot(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_holonom"))
        .arg("plot")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the command starts")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder of this test's own with two results of a swinging crank.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder");
    for (file, rate) in [("soft.csv", 2.0), ("stiff.csv", 5.0)] {
        let mut text =
            "t [s],crank.position.x [m],crank.position.y [m],A.angle [rad],energy [J]\n".to_string();
        for i in 0..=500 {
            let t = 0.01 * f64::from(i);
            let angle = rate * t;
            let (y, x) = angle.sin_cos();
            text += &format!("{t},{x},{y},{angle},12.5\n");
        }
        std::fs::write(path.join(file), text).expect("a file");
    }
    path
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a picture")
}

#[test]
fn an_overview_stands_beside_the_result() {
    let folder = folder("plot-overview");
    let output = plot(&folder, &["soft.csv"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        told.starts_with("soft.svg: ") && told.contains(" panel"),
        "{told}"
    );
    let svg = read(&folder.join("soft.svg"));
    // Three quantities, four lines, two samples in a legend.
    for label in [">position / m<", ">angle / rad<", ">energy / J<", ">time / s<"] {
        assert!(svg.contains(label), "{label}");
    }
    assert_eq!(svg.matches("<path").count(), 6);
}

#[test]
fn bitmaps_panels_and_paths() {
    let folder = folder("plot-panels");
    let output = plot(
        &folder,
        &["soft.csv", "-o", "a.png", "-p", "*.x,*.y", "-p", "A.angle"],
    );
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let png = std::fs::read(folder.join("a.png")).expect("a picture");
    assert!(png.starts_with(b"\x89PNG") && png.len() > 10_000);
    let path = [
        "soft.csv",
        "-x",
        "crank.position.x",
        "-c",
        "crank.position.y",
        "--equal",
        "-o",
        "p.svg",
    ];
    let output = plot(&folder, &path);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(read(&folder.join("p.svg")).contains(">crank.position.x / m<"));
}

#[test]
fn runs_are_laid_over_each_other() {
    let folder = folder("plot-runs");
    let arguments = [
        "soft.csv",
        "stiff.csv",
        "-c",
        "crank.position.*",
        "-o",
        "both.svg",
        "--title",
        "A & B",
    ];
    let output = plot(&folder, &arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let svg = read(&folder.join("both.svg"));
    assert!(svg.contains("<title>A &amp; B</title>"));
    // One legend for both panels.
    assert_eq!(svg.matches(">stiff</text>").count(), 1);
    assert_eq!(svg.matches("<g><title>stiff</title>").count(), 2);
}

#[test]
fn spectra_have_frequencies_and_units() {
    let folder = folder("plot-spectrum");
    let output = plot(
        &folder,
        &["soft.csv", "-c", "crank.position.x", "--spectrum", "--log", "y"],
    );
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let svg = read(&folder.join("soft-spectrum.svg"));
    assert!(svg.contains(">frequency / Hz<") && svg.contains(">amplitude of position / m<"));
    assert!(!svg.contains("interpolated"));
}

#[test]
fn slips_are_answered() {
    let folder = folder("plot-slips");
    for (arguments, answer) in [
        (&["soft.csv", "-c", "crank.postion.x"][..], "crank.position.x"),
        (&["soft.csv", "-c", "crnk.*"], "did you mean `crank`?"),
        (&["soft.csv", "-x", "A.angel", "-c", "energy"], "A.angle"),
        (&["soft.csv", "-x", "crank.*", "-c", "energy"], "select one"),
        (&["soft.csv", "-o", "a.pdf"], ".png"),
        (&["none.csv"], "none.csv"),
        (&["soft.csv", "--range", "7:9"], "widen --range"),
        (&["soft.csv", "--size", "5x5"], "1200x600"),
    ] {
        let output = plot(&folder, arguments);
        assert_eq!(code(&output), 2, "{arguments:?}: {}", stderr(&output));
        assert!(
            stderr(&output).contains(answer),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
}
