//! Parquet.

use super::Format;
use crate::parquet::is_parquet;
use crate::to_parquet;

/// The entry of the registry.
pub const FORMAT: Format = Format {
    ending: "parquet",
    name: "Parquet",
    selects: false,
    write: |table, path, _| to_parquet(table, path),
    is_result: is_parquet,
};
