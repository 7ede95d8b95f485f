//! The recipes of `docs/extending.md`, followed step by step: its files and lines of registration are added to a copy of
//! the mechanics, which is built and tested.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Blocks of code of the page that begin with a comment of this kind: what follows in it, and the rest of the block.
fn blocks(page: &str, kind: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for block in page.split("```rust,ignore\n").skip(1) {
        let block = block.split("\n```").next().unwrap();
        if let Some(rest) = block.strip_prefix(&format!("// {kind}: ")) {
            let (head, body) = rest.split_once('\n').unwrap();
            found.push((head.to_string(), format!("{body}\n")));
        }
    }
    found
}

/// Writes a file, unless it is there with this text: what was built from it remains.
fn put(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Copies a folder of sources; `add` may change the text of a file.
fn copy(from: &Path, to: &Path, add: &dyn Fn(&Path, String) -> String) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap().path();
        let target = to.join(entry.file_name().unwrap());
        if entry.is_dir() {
            copy(&entry, &target, add);
        } else if let Ok(text) = fs::read_to_string(&entry) {
            put(&target, &add(&entry, text));
        }
    }
}

#[test]
fn the_recipes_are_built_and_run() {
    let root = root().canonicalize().unwrap();
    let page = fs::read_to_string(root.join("docs/extending.md")).unwrap();
    let (files, lines) = (blocks(&page, "file"), blocks(&page, "line"));
    // A joint, a constraint, a force, a control, a road, a path and their test.
    assert_eq!((files.len(), lines.len()), (7, 6), "blocks of docs/extending.md");
    let copied = root.join("target/recipes");
    let mechanics = "engine/multibody/";
    copy(
        &root.join(mechanics).join("src"),
        &copied.join(mechanics).join("src"),
        &|path, text| {
            let mut text = text;
            for (place, line) in &lines {
                let (file, list) = place.split_once(", ").unwrap();
                if path == root.join(file) {
                    // Where the list is given: `registry! {`, or what a macro hands on.
                    let begin = match list {
                        "each_joint" => "$then! {\n".to_string(),
                        list => format!("\n{list}! {{\n"),
                    };
                    let at = text.find(&begin).unwrap_or_else(|| panic!("no {list} in {file}")) + begin.len();
                    text.insert_str(at, line);
                }
            }
            text
        },
    );
    for (file, text) in &files {
        assert!(!root.join(file).exists(), "{file} is there already");
        put(&copied.join(file), text);
    }
    let manifest = fs::read_to_string(root.join(mechanics).join("Cargo.toml")).unwrap();
    let own = manifest.split("[dev-dependencies]").next().unwrap();
    let own = own.replace("readme.workspace = true\n", "");
    put(
        &copied.join(mechanics).join("Cargo.toml"),
        &format!("{own}\n[lib]\ndoctest = false\n"),
    );
    let workspace: String = fs::read_to_string(root.join("Cargo.toml"))
        .unwrap()
        .lines()
        .filter(|line| !line.starts_with("exclude") && !line.starts_with("readme"))
        .map(|line| match line {
            line if line.starts_with("members") => {
                format!("members = [\"{}\"]\n", mechanics.trim_end_matches('/'))
            }
            line if line.contains("path = \"engine/multibody\"") => format!("{line}\n"),
            line => format!("{}\n", line.replace("path = \"", "path = \"../../")),
        })
        .collect();
    put(&copied.join("Cargo.toml"), &workspace);
    fs::copy(root.join("Cargo.lock"), copied.join("Cargo.lock")).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["test", "--offline", "--quiet", "--test", "recipes"])
        .current_dir(&copied)
        .env("CARGO_TARGET_DIR", copied.join("target"))
        .env("CARGO_PROFILE_TEST_OPT_LEVEL", "0")
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "0")
        .env("CARGO_PROFILE_TEST_DEBUG", "0")
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .output()
        .unwrap();
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).to_string());
    assert!(output.status.success(), "{out}\n{err}");
    assert!(out.contains("1 passed"), "{out}");
}
