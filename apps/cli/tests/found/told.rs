//! Messages that misled a user.

use super::*;

fn failure(test: &str, text: &str, options: &[&str]) -> String {
    let folder = place(test, text);
    let arguments = [&["run", "model.toml", "-o", "r"], options].concat();
    let output = holonom(&folder, &arguments);
    assert_ne!(code(&output), 0);
    stderr(&output)
}

fn mass(more: &str) -> String {
    format!(
        "[model]\nformat = 1\nname = \"p\"\n[[body]]\nname = \"m\"\nmass = 1\n[[joint]]\nname = \"j\"\nkind = \"prismatic\"\n\
         from = \"ground\"\nto = \"m\"\naxis = [0, 0, 1]\ndisplacement = {{ start = 1, velocity = 1 }}\n{more}\n"
    )
}

#[test]
fn rounded_data_next_to_a_dead_point() {
    let text = failure(
        "dead-point",
        &file("dead-point.toml"),
        &["--rtol", "1e-8", "--atol", "1e-8"],
    );
    assert!(
        text.contains("is violated by") && text.contains("more digits, or loosen"),
        "{text}"
    );
    assert!(!text.contains("Tighten"), "{text}");
}

/// A force that grows with the square of a velocity and drives it: there is no solution beyond some time.
#[test]
fn what_grows_without_bound_is_named() {
    let force = "[[force]]\nname = \"f\"\nkind = \"expression\"\nfrom = \"ground\"\nto = \"m\"\nforce = [0, 0, \"-vz^2\"]";
    for stepper in ["auto", "bdf", "radau", "dormand-prince", "generalized-alpha"] {
        let text = failure("pole", &mass(force), &["--stepper", stepper]);
        assert!(
            text.contains("grows without bound") && text.contains("j`"),
            "{stepper}: {text}"
        );
        assert!(!text.contains("discontinuous"), "{stepper}: {text}");
    }
}

#[test]
fn settings_without_effect_are_told() {
    let folder = place("unused", &mass("[simulation]\nt_end = 0.1"));
    let run = |options: &[&str]| {
        let output = holonom(&folder, &[&["run", "model.toml", "-o", "r"], options].concat());
        (code(&output), stdout(&output) + &stderr(&output))
    };
    for (options, setting) in [
        (&["--stepper", "radau", "--max-order", "2"][..], "max_order"),
        (
            &["--stepper", "dormand-prince", "--jacobian", "ad-grouped"][..],
            "jacobian",
        ),
        (
            &["--stepper", "generalized-alpha", "--linear", "lu-dense"][..],
            "linear",
        ),
        (
            &["--stepper", "bdf", "--fixed-step", "0.001", "--max-step", "0.01"][..],
            "max_step",
        ),
    ] {
        let (code, text) = run(options);
        assert_eq!(code, 0, "{text}");
        assert!(
            text.contains(&format!("the setting `{setting}` has no effect")),
            "{options:?}: {text}"
        );
    }
    let (code, text) = run(&["--stepper", "bdf", "--max-order", "2", "--jacobian", "ad-grouped"]);
    assert!(code == 0 && !text.contains("no effect"), "{text}");
    let (code, text) = run(&["--fixed-step", "0.01", "--max-step", "0.001"]);
    assert!(code == 2 && text.contains("longer than `max_step`"), "{text}");
}

#[test]
fn values_given_twice_and_unknown_names() {
    let folder = place("twice", &mass("[parameters]\nlength = 1"));
    let refused = |options: &[&str], words: &[&str]| {
        let output = holonom(&folder, &[&["run", "model.toml", "-o", "r"], options].concat());
        let text = stderr(&output);
        assert_eq!(code(&output), 2, "{text}");
        for word in words {
            assert!(text.contains(word), "{word} in {text}");
        }
        assert!(!text.contains("--set:1"), "{text}");
    };
    refused(
        &["--set", "length=1", "--set", "length=2"],
        &["length", "given twice"],
    );
    refused(
        &["--set", "length=1", "--sweep", "length=1:2:2"],
        &["--sweep length", "also given by --set"],
    );
    refused(
        &["--sweep", "lenght=1:2:2"],
        &["--sweep lenght", "no parameter", "length"],
    );
    let folder = place("number", &mass("[parameters]\nlength = .1"));
    let output = holonom(&folder, &["check", "model.toml"]);
    assert!(stderr(&output).contains("such as 0.1"), "{}", stderr(&output));
}
