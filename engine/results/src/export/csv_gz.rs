//! CSV, compressed with gzip.

use super::csv::{CsvOptions, Text, is_ours};
use super::format::Format;
use crate::chunk::Summary;
use crate::error::{Error, Result};
use crate::partial::Partial;
use crate::table::Table;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// The entry of the registry.
pub const FORMAT: Format = Format {
    ending: "csv.gz",
    name: "compressed CSV",
    selects: true,
    write,
    is_result: |path| File::open(path).is_ok_and(|file| is_ours(GzDecoder::new(file))),
};

/// The text that [`to_csv`](crate::to_csv) writes, compressed. Equal tables give equal bytes: no time is in the header.
fn write(table: &Table, path: &Path, columns: &[String]) -> Result<Summary> {
    let text = Text::new(table, &CsvOptions::of(columns))?;
    let (partial, file) = Partial::create(path)?;
    let mut out = BufWriter::with_capacity(1 << 16, GzEncoder::new(file, Compression::default()));
    let rows = text.write(path, &mut out)?;
    let packed = out
        .into_inner()
        .map_err(|error| Error::io("write", path)(error.into_error()))?;
    let file = packed.finish().map_err(Error::io("write", path))?;
    let bytes = partial.keep(file)?;
    Ok(Summary {
        path: path.to_path_buf(),
        rows,
        columns: text.chosen.len(),
        bytes,
    })
}
