//! What the tests of the command share.
#![allow(dead_code)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The command in a folder, not yet started.
pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_holonom"));
    command.args(arguments).current_dir(folder);
    command
}

/// Runs the command in a folder.
pub fn holonom(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().expect("the command starts")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

pub fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code")
}

/// Standard output as one JSON object, with exit code 0.
pub fn report(output: &Output) -> Value {
    assert_eq!(code(output), 0, "{}", stderr(output));
    serde_json::from_str(&stdout(output)).expect("one JSON object and nothing else")
}

/// A refusal: exit code 2, nothing on standard output, these words in the message.
pub fn refused(output: &Output, words: &[&str]) {
    let text = stderr(output);
    assert_eq!(code(output), 2, "{text}");
    assert_eq!(stdout(output), "");
    for word in words {
        assert!(text.contains(word), "`{word}` in: {text}");
    }
}

/// A folder of a test's own, emptied.
pub fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder");
    path
}
