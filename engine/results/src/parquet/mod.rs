//! Parquet, both directions, as far as tables of numbers need it.
//!
//! Written: plain pages without compression, each with its checksum. Read: flat tables of numbers
//! and truth values, plain or through a dictionary, uncompressed or with Snappy, which is what
//! other software writes by default. Names and numbers of fields are those of `parquet.thrift`.

mod encoding;
mod page;
mod read;
mod thrift;
mod write;

pub(crate) use read::{Description, Layout, Pieces, describe};
pub(crate) use write::{ParquetWriter, is_parquet};

/// Both ends of a file.
const MAGIC: &[u8; 4] = b"PAR1";
/// Key under which the description of the columns is kept as an Arrow schema, in Base64.
const ARROW_SCHEMA: &str = "ARROW:schema";

/// Physical types.
mod kind {
    pub(super) const BOOLEAN: i64 = 0;
    pub(super) const INT32: i64 = 1;
    pub(super) const INT64: i64 = 2;
    pub(super) const FLOAT: i64 = 4;
    pub(super) const DOUBLE: i64 = 5;
}

/// Encodings of values.
mod code {
    pub(super) const PLAIN: i64 = 0;
    pub(super) const PLAIN_DICTIONARY: i64 = 2;
    pub(super) const RLE: i64 = 3;
    pub(super) const RLE_DICTIONARY: i64 = 8;
    pub(super) const BYTE_STREAM_SPLIT: i64 = 9;
}
