//! Files that appear only when they are whole.

use crate::{Error, Result};
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};

/// A file written beside its final place and moved there at the end; removed when given up.
pub(crate) struct Partial {
    path: PathBuf,
    beside: PathBuf,
    kept: bool,
}

impl Partial {
    pub(crate) fn create(path: &Path) -> Result<(Self, File)> {
        let mut name = path.file_name().map(OsString::from).unwrap_or_default();
        name.push(".part");
        let beside = path.with_file_name(name);
        let file = File::create(&beside).map_err(Error::io("create", &beside))?;
        Ok((
            Self {
                path: path.to_path_buf(),
                beside,
                kept: false,
            },
            file,
        ))
    }

    /// Moves the file to its place and returns its length.
    pub(crate) fn keep(mut self, file: File) -> Result<u64> {
        file.sync_all().map_err(Error::io("write", &self.beside))?;
        let length = file.metadata().map_err(Error::io("read", &self.beside))?.len();
        drop(file);
        std::fs::rename(&self.beside, &self.path).map_err(Error::io("create", &self.path))?;
        self.kept = true;
        Ok(length)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.kept {
            // The failure that led here is the one to report.
            std::fs::remove_file(&self.beside).ok();
        }
    }
}
