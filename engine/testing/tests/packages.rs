//! Every crate can be packaged: what it compiles lies in its own folder.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Component, Path, PathBuf};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Folders of the crates.
fn members() -> Vec<PathBuf> {
    let manifest = fs::read_to_string(workspace().join("Cargo.toml")).unwrap();
    let line = manifest
        .lines()
        .find(|line| line.starts_with("members = "))
        .unwrap();
    let members: Vec<PathBuf> = line.split('"').skip(1).step_by(2).map(PathBuf::from).collect();
    assert!(members.len() > 10, "{line}");
    members
}

/// Source files of a folder, by their path from the root of the workspace.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(workspace().join(folder)) else {
        return;
    };
    for entry in entries {
        let entry = entry.unwrap();
        let path = folder.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// Files that the text of a source file takes in, by the string in `include_str!`, `include_bytes!` or `#[path]`. Those of
/// documentation tests are not compiled by who uses the crate.
fn taken_in(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        let code = line.trim_start();
        if code.starts_with("//") || code.starts_with("#[doc = include_str!") {
            continue;
        }
        for start in ["include_str!(\"", "include_bytes!(\"", "#[path = \""] {
            for (at, _) in code.match_indices(start) {
                found.extend(code[at + start.len()..].split('"').next());
            }
        }
    }
    found
}

#[test]
fn crates_compile_only_what_is_in_their_folders() {
    let mut outside = Vec::new();
    let mut seen = 0;
    for member in members() {
        let mut files = Vec::new();
        sources(&member.join("src"), &mut files);
        assert!(!files.is_empty(), "{}", member.display());
        for file in files {
            let text = fs::read_to_string(workspace().join(&file)).unwrap();
            for path in taken_in(&text) {
                seen += 1;
                let target = plain(&file.parent().unwrap().join(path));
                if !target.starts_with(&member) {
                    outside.push(format!("{}: {path}", file.display()));
                }
            }
        }
    }
    assert!(seen > 5, "the search finds nothing");
    assert!(
        outside.is_empty(),
        "these files would be missing in the package: move them into the crate\n{}",
        outside.join("\n")
    );
}

#[test]
fn files_are_found_in_the_text() {
    let text =
        "const A: &str = include_str!(\"../a.txt\");\n// include_str!(\"b\")\n#[doc = include_str!(\"c\")]\n";
    assert_eq!(taken_in(text), ["../a.txt"]);
    assert_eq!(plain(Path::new("a/b/../../../c/./d")), Path::new("c/d"));
}
