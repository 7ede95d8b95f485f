//! The formats a result can be exported to: one file and one line of the registry each.

use crate::{Error, Result, Summary, Table};
use std::path::Path;

/// A format that results can be exported to.
///
/// The command line, its help and its messages are derived from the entries of [`FORMATS`].
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

macro_rules! registry {
    ($($file:ident)*) => {
        $(mod $file;)*

        /// All of them.
        pub const FORMATS: &[Format] = &[$($file::FORMAT),*];
    };
}

registry! {
    parquet
    csv
    csv_gz
}

impl Format {
    /// The format that the name of a file asks for.
    pub fn of(path: &Path) -> Option<&'static Self> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        let is_meant = |format: &&Self| {
            let stem = name
                .strip_suffix(format.ending)
                .and_then(|stem| stem.strip_suffix('.'));
            stem.is_some_and(|stem| !stem.is_empty())
        };
        FORMATS.iter().find(is_meant)
    }

    /// The format with this ending.
    pub fn with_ending(ending: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.ending == ending)
    }

    /// The endings as a list: ".parquet or .csv".
    pub fn endings() -> String {
        let all: Vec<String> = FORMATS
            .iter()
            .map(|format| format!(".{}", format.ending))
            .collect();
        match all.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
            _ => all.concat(),
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ask_for_formats() {
        for (name, ending) in [
            ("a/run.csv", Some("csv")),
            ("run.PARQUET", Some("parquet")),
            ("run.1.csv", Some("csv")),
            ("run.txt", None),
            (".csv", None),
            ("csv", None),
        ] {
            assert_eq!(
                Format::of(Path::new(name)).map(|format| format.ending),
                ending,
                "{name}"
            );
        }
        for format in FORMATS {
            let name = format!("run.{}", format.ending);
            assert_eq!(
                Format::of(Path::new(&name)).map(|f| f.ending),
                Some(format.ending)
            );
            assert_eq!(
                Format::with_ending(format.ending).map(|f| f.name),
                Some(format.name)
            );
            assert!(Format::endings().contains(format.ending));
        }
    }
}
