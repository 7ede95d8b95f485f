//! A hundred broken and careless inputs, as people write them: each is refused, or runs with a remark, at the
//! line to blame and with what helps. None becomes a wrong run.
//!
//! A case takes one of the sound models of this folder and exchanges one piece of text in it, or in its CSV
//! file. The message is expected on the first line of the new text unless the case says where.
#![allow(clippy::unwrap_used)]

use holonom::format::{Files, Message, Messages, Settings, read};
use holonom::simulation::Simulation;

mod cases;
mod slips;

const ROAD: &str = "t [s],z [mm]\n0,0\n1,50\n2,0\n4,0\n";
const LOAD: &str = "t [s],force [N]\n0,0\n0.1,50\n0.2,80\n0.5,20\n";

/// A model with one slip.
struct Case {
    /// What is wrong, in words.
    what: &'static str,
    /// The sound model.
    model: &'static str,
    /// This text of the model, or of the CSV file.
    from: &'static str,
    /// Becomes this.
    to: &'static str,
    /// The message stands on the line with this text; empty for the first line of `to`.
    at: &'static str,
}

fn sound(model: &str) -> &'static str {
    match model {
        "pendulum" => include_str!("pendulum.toml"),
        "car" => include_str!("car.toml"),
        "machine" => include_str!("machine.toml"),
        _ => include_str!("linkage.toml"),
    }
}

/// The CSV file of a model, with its text.
fn points(model: &str) -> (&'static str, &'static str) {
    match model {
        "machine" => ("load.csv", LOAD),
        _ => ("road.csv", ROAD),
    }
}

/// What is said about a model with its CSV file, and whether it is refused.
fn told(text: &str, (name, points): (&str, &str)) -> (Messages, bool) {
    let files = Files::in_memory([("model.toml", text), (name, points)]);
    match read("model.toml", &files, &[]) {
        Err(messages) => (messages, true),
        Ok(file) => match Simulation::new(&file, &Settings::default()) {
            Err(messages) => (messages, true),
            Ok(_) => (file.notes.clone(), false),
        },
    }
}

/// Whether a message says what to do.
fn helps(message: &Message) -> bool {
    let says = |word: &&str| message.text.contains(*word);
    message.help.is_some() || ["expected", "needs", "must"].iter().any(says)
}

#[test]
fn the_models_are_sound() {
    for model in ["pendulum", "car", "linkage", "machine"] {
        let (messages, refused) = told(sound(model), points(model));
        assert!(!refused && messages.0.is_empty(), "{model}: {messages}");
    }
}

/// What is shipped has numbers of all sizes, and no remark is made about them.
#[test]
fn shipped_models_are_above_suspicion() {
    let mut looked_at = 0;
    let mut check = |name: &str, read: Result<holonom::format::ModelFile, Messages>| {
        looked_at += 1;
        let notes = read.unwrap_or_else(|messages| panic!("{name}: {messages}")).notes;
        let about_units = |note: &&Message| {
            ["rad is", "is unusually large", "a mass of", "an acceleration of"]
                .iter()
                .any(|words| note.text.contains(words))
        };
        assert_eq!(notes.0.iter().find(about_units), None, "{name}");
    };
    for model in holonom_models::all() {
        check(model.name, read(model.path(), &model.files(), &[]));
    }
    let templates = concat!(env!("CARGO_MANIFEST_DIR"), "/templates");
    for entry in std::fs::read_dir(templates).unwrap() {
        let path = entry.unwrap().path();
        check(&path.display().to_string(), read(&path, &Files::disk(), &[]));
    }
    assert!(looked_at > 20, "{looked_at}");
}

#[test]
fn no_slip_goes_unnoticed() {
    let mut wrong = String::new();
    assert!(cases::ALL.len() >= 100, "{}", cases::ALL.len());
    assert!(slips::ALL.len() >= 160, "{}", slips::ALL.len());
    for case in cases::ALL.iter().chain(slips::ALL) {
        let (name, road) = points(case.model);
        let (text, road) = match sound(case.model).contains(case.from) {
            true => (
                sound(case.model).replacen(case.from, case.to, 1),
                road.to_string(),
            ),
            false => {
                assert!(road.contains(case.from), "{}: nothing to exchange", case.what);
                (
                    sound(case.model).to_string(),
                    road.replacen(case.from, case.to, 1),
                )
            }
        };
        let (messages, refused) = told(&text, (name, &road));
        let first = case.to.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
        let at = if case.at.is_empty() { first } else { case.at };
        let found = messages.0.iter().find(|message| {
            let Some((file, line, _)) = message.position() else {
                return false;
            };
            let whole = if file == name { &road } else { &text };
            whole.lines().nth(line - 1).is_some_and(|line| line.contains(at))
        });
        match found {
            Some(message) if helps(message) => {}
            Some(message) => wrong += &format!("{}: no remedy\n{}\n\n", case.what, message.render(false)),
            None if refused => wrong += &format!("{}: refused, but not at `{at}`\n{messages}\n\n", case.what),
            None => {
                wrong += &format!(
                    "{}: accepted without a remark at `{at}`\n{messages}\n\n",
                    case.what
                )
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Settings that do nothing are told with their place.
#[test]
fn settings_without_effect_are_told() {
    for (setting, remedy) in [
        ("spectral_radius = 0.5", "generalized-alpha"),
        ("alpha_family = \"hht\"", "generalized-alpha"),
        ("stages = 3\nstepper = \"bdf\"", "radau"),
        ("baumgarte_alpha = 10", "linear-implicit-euler"),
        ("output_step = 50", "shorter"),
    ] {
        let text = sound("machine").replace("output_step = \"5 ms\"", setting);
        let files = Files::in_memory([("model.toml", text.as_str()), ("load.csv", LOAD)]);
        let file = read("model.toml", &files, &[]).unwrap();
        let remarks = Simulation::new(&file, &Settings::default()).unwrap().remarks();
        let line = 1 + text
            .lines()
            .position(|line| setting.starts_with(line) && !line.is_empty())
            .unwrap();
        let told =
            |remark: &String| remark.starts_with(&format!("model.toml:{line}: ")) && remark.contains(remedy);
        assert!(remarks.iter().any(told), "{setting}: {remarks:?}");
    }
}
