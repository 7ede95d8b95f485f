//! What a format is.

use crate::chunk::Summary;
use crate::error::{Error, Result};
use crate::table::Table;
use std::path::Path;

/// A format that results can be exported to.
///
/// The command line, its help and its messages are derived from the entries of [`FORMATS`](super::FORMATS).
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// How names of its files end, without the first point, in lower case.
    pub ending: &'static str,
    /// Its name in texts.
    pub name: &'static str,
    /// Whether some columns can be written without the others.
    pub selects: bool,
    /// Writes a table, or those of its columns that these patterns select; all where there are none. The file appears when it
    /// is whole.
    pub(crate) write: fn(&Table, &Path, &[String]) -> Result<Summary>,
    /// Whether a file of this ending may be replaced: it is a result.
    pub(crate) is_result: fn(&Path) -> bool,
}

impl Format {
    /// Writes a table, or those of its columns that the patterns select; all where there are none.
    pub fn export(&self, table: &Table, path: impl AsRef<Path>, columns: &[String]) -> Result<Summary> {
        if !self.selects && !columns.is_empty() {
            return Err(Error::Setting {
                setting: "the selection of channels",
                found: columns.join(", "),
                remedy: "this format takes all channels; other programs can read single columns of it",
            });
        }
        (self.write)(table, path.as_ref(), columns)
    }

    /// Whether a file that exists is a result of this format, and not something else of that name.
    pub fn is_result(&self, path: &Path) -> bool {
        (self.is_result)(path)
    }
}
