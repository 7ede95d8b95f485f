//! Columnar result files.
//!
//! A [`Writer`] appends rows of numbers to an Arrow stream while a run goes on. The file is
//! valid at every moment: after a crash, [`Table::open`] reads up to the last whole chunk and
//! says what was lost. Other software reads the same file as it is (`pyarrow.ipc.open_stream`).
//! [`to_parquet`] and [`to_csv`] convert chunk by chunk, [`compare`] tells two results apart.
//!
//! | module | what it does |
//! |---|---|
//! | `column` | names, units and descriptions of columns; metadata of a file |
//! | `writer` | the stream on disk, checkpoints, going on after a stop |
//! | `table` | reading any of the four formats, whole or in pieces |
//! | `flat`, `message`, `stream` | the layout of an Arrow stream, checksums, recovery |
//! | `parquet`, `csv` | the other formats, both directions |
//! | `compare` | differences between two results, channel by channel |
//!
//! ```
//! use holonom_results::{Column, Metadata, Table, Writer, WriterOptions};
//!
//! let path = std::env::temp_dir().join(format!("holonom-doc-{}.arrows", std::process::id()));
//! let columns = [Column::time(), Column::new("crank.angle", "rad", "angle of the crank")];
//! let mut writer = Writer::create(&path, &columns, &Metadata::new(), &WriterOptions::default())?;
//! writer.push(&[0.0, 0.5])?;
//! writer.push(&[0.1, 0.7])?;
//! writer.finish()?;
//!
//! let table = Table::open(&path)?;
//! assert!(table.is_complete());
//! assert_eq!(table.column("crank.angle")?, [0.5, 0.7]);
//! # std::fs::remove_file(&path).ok();
//! # Ok::<(), holonom_results::Error>(())
//! ```

mod error;
mod column;
mod chunk;
mod flat;
mod message;
mod partial;
mod settle;
mod stream;
mod parquet;
mod csv;
mod table;
mod writer;
mod export;
mod compare;

pub use chunk::{Chunk, FileKind, Loss, LossReason, Summary};
pub use column::{Column, Metadata, keys};
pub use compare::{ChannelDifference, CompareOptions, Comparison, Interpolation, compare};
pub use error::{Error, Result};
pub use export::{CsvOptions, FORMATS, Format, to_csv, to_parquet};
pub use holonom_text::{Pattern, PatternError};
pub use table::{Chunks, Table};
pub use writer::{Finished, Position, Writer, WriterOptions};
