//! Pieces of results, whatever their format, and what may be missing of a file.

use core::fmt;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Format of a file, told by its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Arrow IPC stream: what [`Writer`](crate::Writer) makes.
    ArrowStream,
    /// Arrow IPC file (also known as Feather).
    ArrowFile,
    /// Parquet.
    Parquet,
    /// Text with separators and a line of headings.
    Csv,
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ArrowStream => "Arrow stream",
            Self::ArrowFile => "Arrow file",
            Self::Parquet => "Parquet",
            Self::Csv => "CSV",
        })
    }
}

/// Why the end of a file is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LossReason {
    /// Whole up to its last byte, but without the end mark: the run still goes on or was stopped.
    Unfinished,
    /// The last chunk is cut.
    Truncated,
    /// A chunk does not fit its checksum.
    Checksum,
    /// The bytes make no sense.
    Malformed(String),
    /// Bytes follow after the end mark.
    Trailing,
}

impl fmt::Display for LossReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unfinished => f.write_str("it ends without an end mark"),
            Self::Truncated => f.write_str("its end is cut off"),
            Self::Checksum => f.write_str("a checksum is wrong"),
            Self::Malformed(reason) => f.write_str(reason),
            Self::Trailing => f.write_str("bytes follow after the end mark"),
        }
    }
}

/// What could not be read of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Why.
    pub reason: LossReason,
    /// First byte that was not read.
    pub at: u64,
    /// Bytes from there to the end of the file.
    pub bytes: u64,
    /// Rows before it, all of them sound.
    pub row: u64,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            reason,
            at,
            bytes,
            row,
        } = self;
        write!(
            f,
            "{reason}; {row} rows are valid, {bytes} bytes from byte {at} on are ignored"
        )
    }
}

/// Some rows of some columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chunk {
    /// Number of the first row in the file, from 0.
    pub first_row: u64,
    /// Rows.
    pub rows: usize,
    /// The numbers, column by column.
    pub columns: Vec<Vec<f64>>,
}

/// Rows of a piece of so many columns: at most 4 MiB of numbers.
pub(crate) fn piece_rows(columns: usize) -> usize {
    ((1 << 22) / (8 * columns.max(1))).clamp(1, 1 << 16)
}

/// What a finished file holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The file.
    pub path: PathBuf,
    /// Rows.
    pub rows: u64,
    /// Columns.
    pub columns: usize,
    /// Length in bytes.
    pub bytes: u64,
}
