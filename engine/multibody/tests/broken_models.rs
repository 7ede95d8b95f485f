//! Broken mechanisms: every message names the thing, the place and the remedy, and nothing panics.
//!
//! `HOLONOM_BLESS=1` writes the expected messages anew; read them before keeping them.
#![allow(clippy::unwrap_used)]

#[path = "broken_models/corpus.rs"]
mod corpus;
#[path = "broken_models/drivers.rs"]
mod drivers;
#[path = "broken_models/rails.rs"]
mod rails;
#[path = "broken_models/random.rs"]
mod random;

use corpus::{double, four_bar, law, pendulum, written};
use holonom_multibody::Signal;
use holonom_multibody::description::{Body, Constraint, Description, Force, Joint, frame};
use random::Random;
use std::fmt::Write;

#[test]
fn messages_are_as_expected() {
    let cases = corpus::all();
    assert!(cases.len() >= 45);
    let mut text = String::new();
    for (name, description) in &cases {
        let errors = match description.compile() {
            Ok(_) => panic!("\"{name}\" compiles"),
            Err(errors) => errors,
        };
        writeln!(text, "# {name}\n{errors}\n").unwrap();
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/broken_models.expected");
    if std::env::var_os("HOLONOM_BLESS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    for (new, old) in text.split("\n\n").zip(expected.split("\n\n")) {
        assert_eq!(new, old, "run with HOLONOM_BLESS=1 if the new message is better");
    }
    assert_eq!(
        text.len(),
        expected.len(),
        "cases added or removed: run with HOLONOM_BLESS=1"
    );
}

#[test]
fn sound_models_compile() {
    for sound in [pendulum(), double(), four_bar(|j| j)] {
        sound.compile().unwrap();
    }
    double()
        .force(Force::new("law", written("wz")))
        .compile()
        .unwrap();
    // Redundant but harmless, and what looks like a fault but is none.
    four_bar(|j| j)
        .force(Force::joint_spring("soft", "c", -1.0, -0.1, 0.0))
        .force(Force::user("law", "ground", "crank", law(19, 6)))
        .constraint(Constraint::driver("drive", "a", Signal::linear(1.5, 1.0)))
        .compile()
        .unwrap();
}

#[test]
fn spinning_rods_are_found_behind_any_frames() {
    let mut random = Random(3, false);
    let mut sound = 0;
    for _ in 0..500 {
        // A chain of bodies, and at its end a rod that may turn about its own axis.
        let n = random.below(6);
        let mut d = Description::new("spin");
        let mut last = "ground".to_string();
        for i in 0..n {
            let place = frame::oriented(random.numbers(), random.numbers());
            d = d.body(Body::cuboid(format!("b{i}"), 1.0, [0.3, 0.5, 0.2]).marker("end", place));
            let joint = match random.below(3) {
                0 => Joint::spherical(format!("j{i}"), last, format!("b{i}")).orientation(random.numbers()),
                1 => Joint::cylindrical(format!("j{i}"), last, format!("b{i}")).axis(random.numbers()),
                _ => Joint::revolute(format!("j{i}"), last, format!("b{i}")).axis(random.numbers()),
            };
            d = d.joint(joint);
            last = format!("b{i}.end");
        }
        let direction: [f64; 3] = random.numbers();
        d = d.body(Body::thin_rod("rod", 2.0, direction));
        let spin = |axis| {
            Joint::revolute("spin", last.clone(), "rod")
                .axis(axis)
                .start(0.4, 0.0)
        };
        let errors = d.clone().joint(spin(direction)).compile().unwrap_err();
        assert_eq!(errors.0.len(), 1, "{errors}");
        assert!(
            errors
                .to_string()
                .starts_with("joint \"spin\": no inertia resists"),
            "{errors}"
        );
        // Hardly askew is enough.
        let askew = [direction[0] + 1e-4, direction[1], direction[2]];
        sound += usize::from(d.joint(spin(askew)).compile().is_ok());
    }
    assert_eq!(sound, 500);
}

#[test]
fn random_descriptions_never_panic() {
    let mut random = Random(1, true);
    let (mut good, mut bad) = (0, 0);
    for round in 0..20_000 {
        random.1 = round % 2 == 0;
        match random.description().compile() {
            Ok(model) => {
                good += 1;
                assert_eq!(model.q0.len(), model.tree.n_q);
                assert_eq!(model.v0.len(), model.tree.n_v);
                assert!(model.q0.iter().all(|q| q.is_finite()));
                for constraint in &model.constraints {
                    assert_eq!(constraint.rows.len(), constraint.element.rows());
                }
            }
            Err(errors) => {
                bad += 1;
                assert!(!errors.0.is_empty() && !errors.to_string().is_empty());
            }
        }
    }
    // Neither only wrecks nor only sound ones.
    assert!(good > 100 && bad > 1000, "{good} good, {bad} bad");
}
