//! Broken model files: every message has its place and helps, and all faults are told at once.
//!
//! The files are in `engine/format/tests/broken`. A comment `# ^ here` says that a message is
//! expected about the line above it, `# < here` about the line it stands on.
//! `HOLONOM_BLESS=1` writes the expected messages anew; read them before keeping them.
#![allow(clippy::unwrap_used)]

use holonom::format::{Files, Messages, Settings, read};
use holonom::simulation::Simulation;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../format/tests/broken")
}

/// The names of the corpus, sorted.
fn corpus() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).unwrap();
    let names = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|n| n.ends_with(".toml")).collect();
    names.sort();
    names
}

/// All that is wrong with a file, at whichever stage it is found.
fn faults(path: &Path, files: &Files) -> Option<Messages> {
    match read(path, files, &[]) {
        Ok(file) => Simulation::new(&file, &Settings::default()).err(),
        Err(messages) => Some(messages),
    }
}

/// File names and lines with marks, of a file and of the files it names.
fn marks(name: &str, seen: &mut BTreeSet<String>, out: &mut BTreeSet<(String, usize)>) {
    if !seen.insert(name.to_string()) {
        return;
    }
    let bytes = std::fs::read(folder().join(name)).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    for (index, line) in text.lines().enumerate() {
        let shown = Path::new(name).file_name().unwrap().to_str().unwrap().to_string();
        if line.contains("^ here") {
            out.insert((shown, index));
        } else if line.contains("< here") {
            out.insert((shown, index + 1));
        }
    }
    for part in std::fs::read_dir(folder().join("parts")).unwrap() {
        let part = part.unwrap().file_name().into_string().unwrap();
        if text.contains(&format!("parts/{part}\"")) || text.contains(&format!("\"{part}\"")) && name.starts_with("parts") {
            marks(&format!("parts/{part}"), seen, out);
        }
    }
}

#[test]
fn messages_are_as_expected() {
    let names = corpus();
    assert!(names.len() >= 200, "{}", names.len());
    let mut text = String::new();
    let mut wrong = String::new();
    for name in &names {
        let Some(messages) = faults(&folder().join(name), &Files::disk()) else {
            writeln!(wrong, "{name}: nothing is said").unwrap();
            continue;
        };
        let mut expected = BTreeSet::new();
        marks(name, &mut BTreeSet::new(), &mut expected);
        let mut found = BTreeSet::new();
        for message in &messages.0 {
            let Some((file, line, column)) = message.position() else {
                writeln!(wrong, "{name}: without a place: {}", message.text).unwrap();
                continue;
            };
            let file = Path::new(file).file_name().unwrap().to_str().unwrap();
            assert!(column >= 1 && !message.text.is_empty());
            found.insert((file.to_string(), line));
        }
        if found != expected {
            writeln!(wrong, "{name}: messages at {found:?}, expected at {expected:?}\n{messages}\n").unwrap();
        }
        let shown = messages.to_string().replace(&format!("{}/", folder().display()), "");
        writeln!(text, "# {name}\n{shown}\n").unwrap();
    }
    assert!(wrong.is_empty(), "{wrong}");
    compare(&text);
}

fn compare(text: &str) {
    let path = folder().with_file_name("broken.expected");
    if std::env::var_os("HOLONOM_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    for (new, old) in text.split("\n\n# ").zip(expected.split("\n\n# ")) {
        assert_eq!(new, old, "run with HOLONOM_BLESS=1 if the new message is better");
    }
    assert_eq!(text.len(), expected.len(), "cases added or removed: run with HOLONOM_BLESS=1");
}
