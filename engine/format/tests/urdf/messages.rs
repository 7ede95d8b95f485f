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
        let notes: String = imported
            .notes
            .iter()
            .map(|n| shown(&text, &n.span, &n.message, n.help.as_deref()))
            .collect();
        check(&format!("good/{name}.notes"), &notes);
    }
}

#[test]
fn strict_refuses_what_would_change_the_motion() {
    let text = std::fs::read_to_string(folder("good/slide.urdf")).unwrap();
    let strict = Options {
        strict: true,
        ..Options::default()
    };
    let errors = urdf::read_with(&text, "slide.urdf", &strict).unwrap_err();
    let messages: Vec<&str> = errors.iter().map(|e| e.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "joint \"run\": its end stops are not honoured yet",
            "joint \"run\": its dry friction is not honoured yet"
        ]
    );
}
