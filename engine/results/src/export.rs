//! Results in other formats.

use crate::chunk::{Chunk, Summary};
use crate::csv::SEPARATORS;
use crate::error::{Error, Result};
use crate::parquet::ParquetWriter;
use crate::partial::Partial;
use crate::table::Table;
use std::fmt::Write as _;
use std::io::{BufWriter, Write};
use std::path::Path;

/// What [`to_csv`] writes.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// Writes a table as text, chunk by chunk: a line of headings `name [unit]`, then the numbers
/// with the fewest digits that give the same number again. The file appears when it is whole.
pub fn to_csv(table: &Table, path: impl AsRef<Path>, options: &CsvOptions) -> Result<Summary> {
    let path = path.as_ref();
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

    let (partial, file) = Partial::create(path)?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let mut line = String::new();
    for (slot, index) in chosen.iter().enumerate() {
        if slot > 0 {
            line.push(options.separator);
        }
        quote(&table.columns()[*index].heading(), &mut line);
    }
    line.push('\n');
    out.write_all(line.as_bytes()).map_err(Error::io("write", path))?;
    let mut rows = 0;
    let mut chunks = table.chunks_of(&chosen)?;
    let mut chunk = Chunk::default();
    while chunks.next_into(&mut chunk)? {
        rows += chunk.rows as u64;
        for row in 0..chunk.rows {
            line.clear();
            for (slot, column) in chunk.columns.iter().enumerate() {
                if slot > 0 {
                    line.push(options.separator);
                }
                number(column[row], &mut line);
            }
            line.push('\n');
            out.write_all(line.as_bytes()).map_err(Error::io("write", path))?;
        }
    }
    let file = out
        .into_inner()
        .map_err(|error| Error::io("write", path)(error.into_error()))?;
    let bytes = partial.keep(file)?;
    Ok(Summary {
        path: path.to_path_buf(),
        rows,
        columns: chosen.len(),
        bytes,
    })
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

/// Converts a table to Parquet, chunk by chunk. Metadata go to the key-value metadata of the
/// file, units and descriptions to the fields. The file appears when it is whole.
pub fn to_parquet(table: &Table, path: impl AsRef<Path>) -> Result<Summary> {
    let mut writer = ParquetWriter::create(path.as_ref(), table.columns(), table.metadata())?;
    let mut chunks = table.chunks()?;
    let mut chunk = Chunk::default();
    while chunks.next_into(&mut chunk)? {
        let columns = chunk.columns.iter();
        writer.append(chunk.rows, columns, |bytes, column, rows| {
            bytes.extend(column[rows].iter().flat_map(|value| value.to_le_bytes()));
        })?;
    }
    writer.finish()
}
