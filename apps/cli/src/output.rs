//! Standard output, standard error and result files.

use crate::error::Error;
use std::borrow::Cow;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether something was printed: the report of a failure does not follow another one.
static PRINTED: AtomicBool = AtomicBool::new(false);

/// The files that were written, for the same reason.
static WRITTEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Whether something has gone to standard output.
pub fn has_printed() -> bool {
    PRINTED.load(Ordering::Relaxed)
}

/// Whether a file has been written.
pub fn has_written(path: &Path) -> bool {
    WRITTEN.lock().is_ok_and(|all| all.iter().any(|own| own == path))
}

/// Writes to standard output. A reader that closes the pipe early (`| head`) is no error.
pub fn print(text: &str) -> Result<(), Error> {
    PRINTED.store(true, Ordering::Relaxed);
    let mut stdout = std::io::stdout().lock();
    let text = harmless(text);
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Error::Failed(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard error. Where that is closed or full, nobody can be told.
pub fn say(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr
        .write_all(text.as_bytes())
        .and_then(|()| stderr.write_all(b"\n"))
        .and_then(|()| stderr.flush());
}

/// A remark on standard error, as the program says it.
pub fn remark(text: &str) {
    say(&format!("holonom: {}", harmless(text)));
}

/// The text without control characters, which would steer the terminal: names of a model, and paths, may hold them.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let steers = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Writes a file. What was there stays until the new content is whole; devices and links are written through.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Error> {
    if let Ok(mut all) = WRITTEN.lock() {
        all.push(path.to_path_buf());
    }
    let failed = |error: std::io::Error| {
        let text = format!("cannot write `{}`: {error}", path.display());
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => Error::Failed(
                format!("{text}; free some space (the incomplete file was removed)"),
            ),
            _ => Error::Usage(text),
        }
    };
    if std::fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        return std::fs::write(path, content).map_err(failed);
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let written = File::create(&beside)
        .and_then(|mut file| {
            file.write_all(content.as_ref())?;
            file.sync_all()
        })
        .and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        failed(error)
    })
}

/// Refuses a file that could not be written later, before the work is done.
pub fn check_file(path: &Path) -> Result<(), Error> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let usage = |what: String| Err(Error::Usage(what));
    if let Some(folder) = folder.filter(|p| !p.is_dir()) {
        return usage(format!(
            "cannot write `{}`: the folder `{}` does not exist",
            path.display(),
            folder.display()
        ));
    }
    if path.is_dir() || names_folder(path) {
        return usage(format!(
            "cannot write `{}`: it is a folder; give a file name",
            path.display()
        ));
    }
    Ok(())
}

/// Whether a path ends like that of a folder.
pub fn names_folder(path: &Path) -> bool {
    path.as_os_str()
        .as_encoded_bytes()
        .last()
        .is_some_and(|last| std::path::is_separator(char::from(*last)))
}

/// Makes a folder for pictures, unless it is there.
pub fn make_folder(path: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(path)
        .map_err(|error| Error::Usage(format!("cannot create the folder `{}`: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(harmless("a\tb\nµ"), "a\tb\nµ");
        assert_eq!(harmless("a\u{1b}[31mb\r"), "a\\u{1b}[31mb\\u{d}");
    }

    #[test]
    fn folders_are_told_by_their_end() {
        assert!(names_folder(Path::new("results/")));
        assert!(!names_folder(Path::new("results")) && !names_folder(Path::new("")));
    }
}
