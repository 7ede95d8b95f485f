//! Two runs that write to the same name would each spoil the other's results: the second is refused.

use crate::error::Error;
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// The right to write the files of one name, given back when dropped. The system gives it back when the
/// program dies.
pub struct Lock {
    path: PathBuf,
    /// None where the file system has no locks.
    file: Option<File>,
}

impl Lock {
    /// Takes the right to write `name` and files with endings to this name.
    pub fn take(name: &Path) -> Result<Self, Error> {
        let mut path = OsString::from(name);
        path.push(".lock");
        let path = PathBuf::from(path);
        loop {
            let opened = OpenOptions::new().create(true).append(true).open(&path);
            // What cannot be written is told by who writes the results.
            let Ok(file) = opened else {
                return Ok(Self { path, file: None });
            };
            match file.try_lock() {
                Ok(()) if is_same(&file, &path) => {
                    let file = Some(file);
                    return Ok(Self { path, file });
                }
                // Its owner has removed it meanwhile: once more with a new one.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::Usage(format!(
                        "another run is writing `{}`; wait until it finishes, or choose another name with -o",
                        name.display()
                    )));
                }
                Err(TryLockError::Error(_)) => return Ok(Self { path, file: None }),
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.file.is_some() {
            // Still locked: nobody can have taken it in between.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = file.metadata().map(|m| (m.dev(), m.ino()));
    let there = std::fs::metadata(path).map(|m| (m.dev(), m.ino()));
    matches!((own, there), (Ok(own), Ok(there)) if own == there)
}

/// A file that is open cannot be removed there.
#[cfg(not(unix))]
fn is_same(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_refused_until_the_first_is_done() {
        let name = std::env::temp_dir().join(format!("holonom-lock-{}", std::process::id()));
        let first = Lock::take(&name).ok();
        assert!(first.is_some());
        assert!(matches!(Lock::take(&name), Err(Error::Usage(text)) if text.contains("another run")));
        drop(first);
        assert!(Lock::take(&name).is_ok());
        assert!(!name.with_extension("lock").exists());
    }
}
