//! CSV.

use super::Format;
use crate::csv::is_ours;
use crate::{CsvOptions, to_csv};
use std::fs::File;

/// The entry of the registry.
pub const FORMAT: Format = Format {
    ending: "csv",
    name: "CSV",
    selects: true,
    write: |table, path, columns| to_csv(table, path, &CsvOptions::of(columns)),
    is_result: |path| File::open(path).is_ok_and(is_ours),
};
