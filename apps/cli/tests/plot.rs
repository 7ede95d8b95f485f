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
    assert!(!svg.contains("interpolated") && svg.contains("flat-top window"));
}

#[test]
fn units_and_limits_of_axes_are_chosen() {
    let folder = folder("plot-units");
    let usual = ["soft.csv", "-c", "crank.position.x", "-o", "a.svg"];
    let draw = |extra: &[&str]| {
        let output = plot(&folder, &[&usual[..], extra].concat());
        assert_eq!(code(&output), 0, "{extra:?}: {}", stderr(&output));
        (read(&folder.join("a.svg")), stderr(&output))
    };
    let (svg, _) = draw(&["--unit", "mm", "--unit", "ms"]);
    assert!(svg.contains(">position / mm<") && svg.contains(">time / ms<"));
    let (svg, _) = draw(&["--unit", "crank.*=in"]);
    assert!(svg.contains(">position / in<") && svg.contains(">time / s<"));
    // Lines end at the frame.
    let (svg, _) = draw(&["--x-range", "0.7:0.9", "--y-range", "-1e-3:1e-3"]);
    let frame = svg.lines().filter(|line| line.contains("<path")).count();
    assert!(
        frame >= 1 && svg.contains(">0.78<") && !svg.contains(">0.50<"),
        "{svg}"
    );
    // No part of the line is inside.
    let (svg, _) = draw(&["--x-range", "0.2:0.4", "--y-range", "-1e-3:1e-3"]);
    assert!(svg.contains("nothing to show") && !svg.contains("<path"), "{svg}");
    // What a logarithmic axis cannot show is told.
    let (svg, told) = draw(&["--log", "y"]);
    let hidden = "values are not positive; the logarithmic axis does not show them";
    assert!(svg.contains(hidden) && told.contains(hidden), "{told}");
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
        (
            &["soft.csv", "-c", "crank.position.x", "--unit", "deg"],
            "their units are m, s",
        ),
        (
            &["soft.csv", "-c", "crank.position.x", "--unit", "furlong"],
            "unknown unit",
        ),
        (
            &["soft.csv", "-c", "crank.position.x", "--y-range", "1e6:"],
            "begins above all values",
        ),
        (
            &[
                "soft.csv",
                "-c",
                "crank.position.x",
                "--log",
                "y",
                "--y-range",
                "-1:1",
            ],
            "not positive",
        ),
        (
            &[
                "soft.csv",
                "-c",
                "crank.position.x",
                "--y-range",
                "0:1",
                "--y-range",
                "0:1",
            ],
            "once for each",
        ),
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
