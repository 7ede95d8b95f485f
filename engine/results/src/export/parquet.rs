//! Parquet.

use super::format::Format;
use crate::chunk::{Chunk, Summary};
use crate::error::Result;
use crate::parquet::{ParquetWriter, is_parquet};
use crate::table::Table;
use std::path::Path;

/// The entry of the registry.
pub const FORMAT: Format = Format {
    ending: "parquet",
    name: "Parquet",
    selects: false,
    write: |table, path, _| to_parquet(table, path),
    is_result: is_parquet,
};

/// Converts a table to Parquet, chunk by chunk. Metadata go to the key-value metadata of the
/// file, units and descriptions to the fields. The file appears when it is whole.
pub fn to_parquet(table: &Table, path: impl AsRef<Path>) -> Result<Summary> {
    let all: Vec<usize> = (0..table.all_columns().len()).collect();
    let mut writer = ParquetWriter::create(path.as_ref(), table.all_columns(), table.metadata())?;
    let mut chunks = table.chunks_of(&all)?;
    let mut chunk = Chunk::default();
    while chunks.next_into(&mut chunk)? {
        let columns = chunk.columns.iter();
        writer.append(chunk.rows, columns, |bytes, column, rows| {
            bytes.extend(column[rows].iter().flat_map(|value| value.to_le_bytes()));
        })?;
    }
    writer.finish()
}
