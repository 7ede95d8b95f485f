//! Messages of broken files and notes of sound ones.

use crate::common::{files, folder};
use core::ops::Range;
use holonom_format::urdf::{self, Options, UrdfError};
use std::fmt::Write;

/// Line, column and the underlined text, then the message.
fn shown(text: &str, span: &Range<usize>, message: &str, help: Option<&str>) -> String {
    let before = &text[..span.start];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    let mut shown = format!("{line}:{column} `{}`\n  {message}\n", &text[span.clone()]);
    if let Some(help) = help {
        writeln!(shown, "  help: {help}").unwrap();
    }
    shown
}

fn all(text: &str, errors: &[UrdfError]) -> String {
    errors
        .iter()
        .map(|e| shown(text, &e.span, &e.message, e.help.as_deref()))
        .collect()
}

fn notes(text: &str, imported: &urdf::Imported) -> String {
    let notes = imported.notes.iter();
    notes
        .map(|n| shown(text, &n.span, &n.message, n.help.as_deref()))
        .collect()
}

fn check(name: &str, found: &str) {
    let path = folder(name);
    if std::env::var_os("HOLONOM_BLESS").is_some() {
        std::fs::write(&path, found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        found, expected,
        "{name}: run with HOLONOM_BLESS=1 if the new message is better"
    );
}

#[test]
fn broken_files_are_refused_with_good_messages() {
    let broken = files("broken", "urdf");
    assert!(broken.len() >= 20);
    for (name, text) in broken {
        match urdf::read(&text, &name) {
            Ok(_) => panic!("{name} is read"),
            Err(errors) => {
                let order = errors.is_sorted_by_key(|e| e.span.start);
                assert!(order, "{name}: not in the order of the text");
                check(&format!("broken/{name}.expected"), &all(&text, &errors));
            }
        }
    }
}

#[test]
fn nothing_is_dropped_silently() {
    let good = files("good", "urdf");
    assert!(good.len() >= 15);
    for (name, text) in good {
        let imported = urdf::read(&text, &name).unwrap();
        check(&format!("good/{name}.notes"), &notes(&text, &imported));
    }
}

fn strict() -> Options {
    Options {
        strict: true,
        ..Options::default()
    }
}

#[test]
fn odd_files_are_read_with_notes_and_refused_when_strict() {
    let odd = files("odd", "urdf");
    assert!(odd.len() >= 7);
    for (name, text) in odd {
        let imported = match urdf::read(&text, &name) {
            Ok(imported) => imported,
            Err(errors) => panic!("{name}: {}", all(&text, &errors)),
        };
        check(&format!("odd/{name}.notes"), &notes(&text, &imported));
        if let Err(errors) = imported.description.compile() {
            panic!("{name}: {errors}");
        }
        match urdf::read_with(&text, &name, &strict()) {
            Ok(_) => panic!("{name} is read although reading is strict"),
            Err(errors) => check(&format!("odd/{name}.expected"), &all(&text, &errors)),
        }
    }
}

#[test]
fn broken_files_are_refused_when_strict_as_well() {
    for (name, text) in files("broken", "urdf") {
        assert!(urdf::read_with(&text, &name, &strict()).is_err(), "{name}");
    }
}

#[test]
fn sound_files_are_read_when_strict() {
    for (name, text) in files("good", "urdf") {
        let read = urdf::read_with(&text, &name, &strict());
        assert!(read.is_ok(), "{name}: {:?}", read.err());
    }
}

/// A word that resembles one that counts is refused even where unknown ones are not.
#[test]
fn what_may_be_misspelt_is_refused() {
    let (_, text) = files("odd", "urdf")
        .into_iter()
        .find(|(n, _)| n == "vendors")
        .unwrap();
    for (known, typo) in [
        ("<inertial>", "<inertail>"),
        ("damping=", "dampning="),
        ("lower=", "lowwer="),
        ("<limit", "<limits"),
        ("<dynamics", "<dynamic"),
        ("xyz=\"0.1", "xzy=\"0.1"),
    ] {
        let wrong = text.replacen(known, typo, 1);
        let wrong = wrong.replacen(&known.replace('<', "</"), &typo.replace('<', "</"), 1);
        assert_ne!(wrong, text, "{known}");
        let errors = urdf::read(&wrong, "f").unwrap_err();
        let word = typo.trim_start_matches('<').split(['>', '=']).next().unwrap();
        assert!(errors[0].message.contains(word), "{}", errors[0].message);
        assert!(errors[0].help.as_ref().unwrap().contains("did you mean"));
    }
}
