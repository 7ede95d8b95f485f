//! `holonom realtime`, and the same method in `holonom run`, as a user meets them.

mod common;

use common::{code, folder, holonom, refused, report, stdout};

#[test]
fn the_report_says_everything() {
    let folder = folder("realtime-json");
    let typed = [
        "realtime",
        "car-axle",
        "--step",
        "1 ms",
        "--duration",
        "1 s",
        "--json",
    ];
    let report = report(&holonom(&folder, &typed));
    assert_eq!(report["steps"], 1000);
    assert_eq!((&report["held"], &report["step"]), (&0.into(), &1e-3.into()));
    assert!(report["max_violation"].as_f64().expect("a number") < 4e-10);
    assert!(report["work"]["factorisation_flops"].as_u64().expect("a number") > 0);
    let classes = report["histogram"].as_array().expect("a list");
    let steps: u64 = classes.iter().filter_map(|class| class["steps"].as_u64()).sum();
    assert_eq!(steps, 1000);
    assert!(report["shortest"].as_f64() <= report["longest"].as_f64());
}

#[test]
fn people_can_read_it_too() {
    let folder = folder("realtime-text");
    let typed = [
        "realtime",
        "circular-track",
        "--duration",
        "200 ms",
        "--paced",
        "--stiff",
        "push",
    ];
    let output = holonom(&folder, &typed);
    assert_eq!(code(&output), 0);
    let text = stdout(&output);
    for words in [
        "200 steps of 1.00 ms",
        "stiff elements: push",
        "every step: 1 mass",
        "overruns:",
        "max |g|",
    ] {
        assert!(text.contains(words), "{words} in {text}");
    }
}

/// `run` names the elements that `auto` finds, as `realtime` does, and says nothing where all count.
#[test]
fn a_run_names_its_stiff_elements() {
    let folder = folder("realtime-stiff");
    let run = |extra: &[&'static str]| {
        let common = ["--step", "1 ms", "--stiff", "auto"];
        let typed: Vec<&str> = extra.iter().chain(&common).copied().collect();
        holonom(&folder, &typed)
    };
    let method = ["--stepper", "linear-implicit-euler", "--t-end", "0.1"];
    let run_with = |extra: &[&'static str]| run(&[&["run", "iltis"], &method[..], extra].concat());
    let found = report(&run(&["realtime", "iltis", "--duration", "100 ms", "--json"]))["stiff"].clone();
    assert!(found.as_array().is_some_and(|names| !names.is_empty()), "{found}");
    assert_eq!(report(&run_with(&["--json"]))["stiff"], found);
    let names: Vec<&str> = found
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|n| n.as_str())
        .collect();
    let text = stdout(&run_with(&[]));
    assert!(
        text.contains(&format!("  stiff       {}\n", names.join(", "))),
        "{text}"
    );
    let all = [&["run", "iltis", "--step", "1 ms"], &method[..]].concat();
    assert!(!stdout(&holonom(&folder, &all)).contains("  stiff  "));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = folder("realtime-refused");
    let realtime = |extra: &[&'static str]| {
        let typed: Vec<&str> = ["realtime", "car-axle"].iter().chain(extra).copied().collect();
        holonom(&folder, &typed)
    };
    refused(&realtime(&[]), &["--step"]);
    refused(
        &realtime(&["--step", "1 ms", "--duration", "0.1 ms"]),
        &["--duration"],
    );
    refused(
        &realtime(&["--step", "1 ms", "--stiff", "spring"]),
        &["left_spring"],
    );
    refused(
        &realtime(&["--step", "1 ms", "--projection-steps", "0"]),
        &["no bound"],
    );
    refused(
        &realtime(&["--step", "1 ms", "--stiff-terms", "exact"]),
        &["index1"],
    );
    let ball = ["realtime", "bouncing-ball", "--step", "1 ms"];
    refused(&holonom(&folder, &ball), &["impacts"]);
}

/// Explicit Euler at 10 ms leaves the finite numbers: every step is done or held, and the exit code tells. Before that the axle's
/// loop comes apart, which is told with its name and time.
#[test]
fn steps_that_fail_are_told() {
    let folder = folder("realtime-held");
    let typed = [
        "realtime",
        "car-axle",
        "--step",
        "10 ms",
        "--duration",
        "60 s",
        "--stiff-terms",
        "none",
    ];
    let output = holonom(&folder, &typed);
    assert_eq!(code(&output), 1);
    let told = common::stderr(&output);
    for word in ["was kept", "from t = 0.45 on: `axle.distance` is violated by"] {
        assert!(told.contains(word), "{told}");
    }
}

/// In `holonom run`, with a checkpoint in between: the same to the bit.
#[test]
fn runs_with_fixed_steps() {
    let folder = folder("realtime-run");
    let typed = |extra: &[&'static str]| {
        let all = [
            "run",
            "car-axle",
            "--stepper",
            "linear-implicit-euler",
            "--step",
            "1 ms",
            "--json",
        ];
        let typed: Vec<&str> = all.iter().chain(extra).copied().collect();
        report(&holonom(&folder, &typed))
    };
    let projected = typed(&[]);
    assert_eq!(projected["counters"]["steps"], 3000);
    assert!(projected["constraint"]["position"].as_f64().expect("a number") < 4e-10);
    let drifting = typed(&["--stabilisation", "none", "--stiff", "auto"]);
    assert!(drifting["constraint"]["position"].as_f64().expect("a number") > 1e-5);
    assert_eq!(drifting["options"]["stiff"][0], "auto");
    assert_eq!(drifting["options"]["stabilisation"], "none");
    assert_eq!(drifting["options"]["stiff_terms"], "j2");
    assert_eq!(drifting["advice"]["stable"], true);
}

/// Stable step sizes are told before such a run too, and what the method was; other methods have no such advice.
#[test]
fn runs_with_fixed_steps_are_advised() {
    let folder = folder("realtime-advised");
    let text = |typed: &[&str]| common::stdout(&holonom(&folder, typed));
    let stable = text(&["run", "circular-track", "--t-end", "1"]);
    assert!(stable.starts_with("Largest stable step"), "{stable}");
    assert!(stable.contains("with `j2`: stable"), "{stable}");
    let used = "linear-implicit-euler, steps of 1.0 ms, j2, index2, projection, positions-first";
    assert!(stable.contains(used), "{stable}");
    let explained = text(&["run", "circular-track", "--t-end", "1", "--explain"]);
    assert!(
        explained.contains("nothing was chosen automatically"),
        "{explained}"
    );
    let explicit = ["--stepper", "linear-implicit-euler", "--stiff-terms", "none"];
    let unstable = text(&[&["run", "car-axle", "--step", "2 ms"][..], &explicit].concat());
    assert!(unstable.contains("with `none`: NOT stable"), "{unstable}");
    let other = text(&["run", "car-axle", "--t-end", "0.1"]);
    assert!(!other.contains("Largest stable step"), "{other}");
}
