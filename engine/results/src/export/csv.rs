//! CSV.

use super::format::Format;
use crate::chunk::{Chunk, Summary};
use crate::csv::SEPARATORS;
use crate::error::{Error, Result};
use crate::partial::Partial;
use crate::table::Table;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

/// The entry of the registry.
pub const FORMAT: Format = Format {
    ending: "csv",
    name: "CSV",
    selects: true,
    write: |table, path, columns| to_csv(table, path, &CsvOptions::of(columns)),
    is_result: |path| File::open(path).is_ok_and(is_ours),
};

/// Whether a text begins as ours do.
pub(super) fn is_ours(mut text: impl Read) -> bool {
    let mut head = [0; 5];
    text.read_exact(&mut head).is_ok() && &head == b"t [s]"
}

/// What [`to_csv`] writes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CsvOptions {
    /// Patterns of the columns wanted; none for all. The time comes first in any case.
    pub columns: Vec<String>,
    /// `,`, `;`, `|` or a tabulator.
    pub separator: char,
}

impl Default for CsvOptions {
    fn default() -> Self {
        Self {
            columns: Vec::new(),
            separator: ',',
        }
    }
}

impl CsvOptions {
    /// The columns that these patterns select; all where there are none.
    pub fn of(columns: &[String]) -> Self {
        Self {
            columns: columns.to_vec(),
            ..Self::default()
        }
    }

    /// With another separator.
    #[must_use]
    pub fn separator(mut self, separator: char) -> Self {
        self.separator = separator;
        self
    }
}

/// Writes a table as text, chunk by chunk: a line of headings `name [unit]`, then the numbers
/// with the fewest digits that give the same number again. The file appears when it is whole.
pub fn to_csv(table: &Table, path: impl AsRef<Path>, options: &CsvOptions) -> Result<Summary> {
    let path = path.as_ref();
    let text = Text::new(table, options)?;
    let (partial, file) = Partial::create(path)?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let rows = text.write(path, &mut out)?;
    let file = out
        .into_inner()
        .map_err(|error| Error::io("write", path)(error.into_error()))?;
    let bytes = partial.keep(file)?;
    Ok(Summary {
        path: path.to_path_buf(),
        rows,
        columns: text.chosen.len(),
        bytes,
    })
}

/// Columns of a table on their way to a text.
pub(super) struct Text<'a> {
    table: &'a Table,
    pub(super) chosen: Vec<usize>,
    separator: char,
}

impl<'a> Text<'a> {
    pub(super) fn new(table: &'a Table, options: &CsvOptions) -> Result<Self> {
        if !SEPARATORS.contains(&options.separator) {
            let found = format!("{:?}", options.separator);
            let remedy = "choose one of , ; | or a tabulator";
            return Err(Error::Setting {
                setting: "the separator",
                found,
                remedy,
            });
        }
        let mut chosen: Vec<usize> = (0..table.columns().len()).collect();
        if !options.columns.is_empty() {
            let wanted = table.select(&options.columns)?;
            chosen = core::iter::once(0)
                .chain(wanted.into_iter().filter(|index| *index != 0))
                .collect();
        }
        Ok(Self {
            table,
            chosen,
            separator: options.separator,
        })
    }

    /// Writes the headings and all rows, whose number is returned; `path` is named in errors.
    pub(super) fn write(&self, path: &Path, out: &mut dyn Write) -> Result<u64> {
        let mut line = String::new();
        for (slot, index) in self.chosen.iter().enumerate() {
            if slot > 0 {
                line.push(self.separator);
            }
            quote(&self.table.columns()[*index].heading(), &mut line);
        }
        line.push('\n');
        out.write_all(line.as_bytes()).map_err(Error::io("write", path))?;
        let mut rows = 0;
        let mut chunks = self.table.chunks_of(&self.chosen)?;
        let mut chunk = Chunk::default();
        while chunks.next_into(&mut chunk)? {
            rows += chunk.rows as u64;
            for row in 0..chunk.rows {
                line.clear();
                for (slot, column) in chunk.columns.iter().enumerate() {
                    if slot > 0 {
                        line.push(self.separator);
                    }
                    number(column[row], &mut line);
                }
                line.push('\n');
                out.write_all(line.as_bytes()).map_err(Error::io("write", path))?;
            }
        }
        Ok(rows)
    }
}

/// The shortest text that reads back as the same number.
fn number(value: f64, line: &mut String) {
    // Writing to a String cannot fail. `{:?}` takes exponents where they are shorter, `{}` never.
    write!(line, "{value:?}").ok();
    if line.ends_with(".0") {
        line.truncate(line.len() - 2);
    }
}

fn quote(text: &str, line: &mut String) {
    let needed = text.contains(SEPARATORS) || text.contains(['"', '\n', '\r']) || text.starts_with('#');
    if needed {
        line.push('"');
        line.push_str(&text.replace('"', "\"\"").replace(['\n', '\r'], " "));
        line.push('"');
    } else {
        line.push_str(text);
    }
}
