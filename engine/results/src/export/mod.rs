//! The formats a result can be exported to: one file and one line of the registry each.

mod format;

pub use csv::{CsvOptions, to_csv};
pub use format::Format;
pub use parquet::to_parquet;

use std::path::Path;

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
