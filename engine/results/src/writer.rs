//! Writing results while a run goes on.

use crate::chunk::{FileKind, Summary};
use crate::message::{CHECKED, END, Encoder};
use crate::parquet::ParquetWriter;
use crate::settle::Settling;
use crate::{Column, Error, Metadata, Result, column, stream};
use core::ops::Range;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// When gathered rows are written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct WriterOptions {
    /// A chunk is written when its numbers fill this many bytes, but not with fewer rows than
    /// [`least_rows`](Self::least_rows).
    pub chunk_bytes: usize,
    /// Rows of a chunk at least, unless they have waited too long: what describes a column in a chunk takes the room of
    /// some ten numbers.
    pub least_rows: usize,
    /// A chunk never has more rows than this.
    pub chunk_rows: usize,
    /// Rows do not wait longer than this many seconds of wall time for the next push to write
    /// them; infinity to wait for a full chunk. Where chunks end then depends on the clock, the
    /// values do not.
    pub interval: f64,
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self {
            chunk_bytes: 1 << 20,
            least_rows: 64,
            chunk_rows: 1 << 16,
            interval: 5.0,
        }
    }
}

impl WriterOptions {
    /// Sets [`chunk_bytes`](Self::chunk_bytes).
    #[must_use]
    pub fn chunk_bytes(mut self, chunk_bytes: usize) -> Self {
        self.chunk_bytes = chunk_bytes;
        self
    }

    /// Sets [`least_rows`](Self::least_rows).
    #[must_use]
    pub fn least_rows(mut self, least_rows: usize) -> Self {
        self.least_rows = least_rows;
        self
    }

    /// Sets [`chunk_rows`](Self::chunk_rows).
    #[must_use]
    pub fn chunk_rows(mut self, chunk_rows: usize) -> Self {
        self.chunk_rows = chunk_rows;
        self
    }

    /// Sets [`interval`](Self::interval).
    #[must_use]
    pub fn interval(mut self, interval: f64) -> Self {
        self.interval = interval;
        self
    }
}

/// Rows at most between two looks at the clock.
const MOST_BETWEEN_LOOKS: u32 = 16;

/// How far a file has been written: what a checkpoint keeps to go on later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Rows in the file.
    pub rows: u64,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Chunks in the file.
    pub chunks: u64,
}

/// The files of a writer that has been finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The stream.
    pub stream: Summary,
    /// The Parquet file; none when it was not asked for or could not be written.
    pub copy: Option<Summary>,
}

/// Appends rows to an Arrow stream.
///
/// Rows are gathered in a chunk and written when it is full, on [`Writer::flush`], or after a
/// while. A row costs no allocation. Dropped without [`Writer::finish`], the writer still writes
/// the rows it holds; readers then see that the file is not complete.
///
/// ```
/// use holonom_results::{Column, Metadata, Table, Writer, WriterOptions};
///
/// let path = std::env::temp_dir().join(format!("holonom-writer-{}.arrows", std::process::id()));
/// let (columns, options) = ([Column::time()], WriterOptions::default());
/// let mut writer = Writer::create(&path, &columns, &Metadata::new(), &options)?;
/// writer.push(&[0.0])?;
/// let position = writer.checkpoint()?;
/// writer.push(&[0.1])?;
/// drop(writer);
///
/// let mut writer = Writer::resume(&path, &position, &columns, &options)?;
/// writer.push(&[0.2])?;
/// writer.finish()?;
/// assert_eq!(Table::open(&path)?.column("t")?, [0.0, 0.2]);
/// # std::fs::remove_file(&path).ok();
/// # Ok::<(), holonom_results::Error>(())
/// ```
pub struct Writer {
    path: PathBuf,
    file: File,
    columns: usize,
    encoder: Encoder,
    /// Columns one after the other, `stride` bytes apart.
    chunk: Vec<u8>,
    stride: usize,
    capacity: usize,
    pending: usize,
    /// The message being written.
    out: Vec<u8>,
    position: Position,
    interval: Option<Duration>,
    written: Instant,
    /// Rows until the clock is looked at again, and rows between two looks.
    until_look: u32,
    between_looks: u32,
    /// A write failed half-way: the file may be longer than the position.
    torn: bool,
    finished: bool,
    /// The same rows as Parquet.
    copy: Option<ParquetWriter>,
    /// From the first full chunk on.
    settling: Option<Settling>,
}

impl Writer {
    /// Starts a file; one that exists is replaced. The first column must be [`Column::time`].
    pub fn create(
        path: impl AsRef<Path>,
        columns: &[Column],
        metadata: &Metadata,
        options: &WriterOptions,
    ) -> Result<Self> {
        let path = path.as_ref();
        column::check(columns)?;
        // The file appears with its header: whoever stops the program, what is there can be read.
        // Devices and links are written to, never replaced.
        let replaceable = std::fs::symlink_metadata(path).map_or(true, |found| found.is_file());
        let mut beside = path.to_path_buf();
        if replaceable {
            beside.as_mut_os_string().push(".part");
        }
        let file = File::create(&beside).map_err(Error::io("create", path))?;
        let mut writer = Self::new(
            path,
            file,
            columns,
            options,
            Position {
                rows: 0,
                bytes: 0,
                chunks: 0,
            },
        )?;
        let mut metadata = metadata.clone();
        metadata.insert(CHECKED.to_string(), "crc32".to_string());
        writer.encoder.schema(columns, &metadata, &mut writer.out);
        let written = writer.append();
        if !replaceable {
            return written.map(|()| writer);
        }
        let moved = written.and_then(|()| std::fs::rename(&beside, path).map_err(Error::io("create", path)));
        if let Err(error) = moved {
            std::fs::remove_file(&beside).ok();
            return Err(error);
        }
        Ok(writer)
    }

    /// Starts a file as [`create`](Self::create) does, and beside it a Parquet file of the same rows
    /// at `copy`, which appears when the writer is finished.
    ///
    /// A copy that cannot be written is given up, as [`Finished::copy`] says at the end: the stream
    /// is what counts, and a Parquet file can be made of it later.
    pub fn create_with_parquet(
        path: impl AsRef<Path>,
        copy: impl AsRef<Path>,
        columns: &[Column],
        metadata: &Metadata,
        options: &WriterOptions,
    ) -> Result<Self> {
        let mut writer = Self::create(path, columns, metadata, options)?;
        writer.copy = Some(ParquetWriter::create(copy.as_ref(), columns, metadata)?);
        Ok(writer)
    }

    /// Cuts a file back to the position of a checkpoint and goes on from there. Everything before
    /// the position is checked; the metadata stay those of the file.
    pub fn resume(
        path: impl AsRef<Path>,
        position: &Position,
        columns: &[Column],
        options: &WriterOptions,
    ) -> Result<Self> {
        let path = path.as_ref();
        column::check(columns)?;
        let refuse = |reason| Error::Resume {
            path: path.to_path_buf(),
            reason,
        };
        let found = stream::scan(path, FileKind::ArrowStream, Some(position.bytes))?;
        if !found.checked {
            return Err(refuse(
                "it was written by other software; use a new file".to_string(),
            ));
        }
        if let Some(difference) = difference(&found.columns, columns) {
            return Err(refuse(format!(
                "{difference}; select the same outputs, or use a new file"
            )));
        }
        let end = found.batches.last().map_or(found.header, |batch| batch.end());
        let sound = Position {
            rows: found.rows,
            bytes: end,
            chunks: found.batches.len() as u64,
        };
        if sound != *position {
            return Err(refuse(format!(
                "the checkpoint is at row {} (byte {}, chunk {}), but the file is valid only up to row {} (byte {}, chunk {}); use a checkpoint of the same run",
                position.rows, position.bytes, position.chunks, sound.rows, sound.bytes, sound.chunks
            )));
        }
        let file = OpenOptions::new()
            .write(true)
            .open(path)
            .map_err(Error::io("open", path))?;
        let mut writer = Self::new(path, file, columns, options, *position)?;
        writer.cut()?;
        Ok(writer)
    }

    fn new(
        path: &Path,
        file: File,
        columns: &[Column],
        options: &WriterOptions,
        position: Position,
    ) -> Result<Self> {
        if options.interval.is_nan() || options.interval < 0.0 {
            let found = options.interval.to_string();
            let remedy = "give seconds, zero or more, or infinity";
            return Err(Error::Setting {
                setting: "the interval of the writer",
                found,
                remedy,
            });
        }
        let fitting = (options.chunk_bytes / (8 * columns.len())).max(options.least_rows);
        let capacity = fitting.min(options.chunk_rows).max(1);
        // A stride that is a multiple of 4096 would put all columns into the same cache sets.
        let mut stride = (8 * capacity).next_multiple_of(64);
        if stride.is_multiple_of(4096) {
            stride += 64;
        }
        Ok(Self {
            path: path.to_path_buf(),
            file,
            columns: columns.len(),
            encoder: Encoder::default(),
            chunk: vec![0; stride * columns.len()],
            stride,
            capacity,
            pending: 0,
            out: Vec::new(),
            position,
            interval: Duration::try_from_secs_f64(options.interval).ok(),
            written: Instant::now(),
            until_look: 1,
            between_looks: 1,
            torn: false,
            finished: false,
            copy: None,
            settling: None,
        })
    }

    /// Appends a row, one value for each column.
    ///
    /// When writing fails (disk full), the file is cut back to its last whole chunk, the rows
    /// gathered so far are kept and the next push or flush tries again; only a row that finds the
    /// chunk still full is refused.
    pub fn push(&mut self, row: &[f64]) -> Result<()> {
        if row.len() != self.columns {
            return Err(Error::RowLength {
                expected: self.columns,
                found: row.len(),
            });
        }
        if self.pending == self.capacity {
            self.flush()?;
        }
        let place = 8 * self.pending..8 * self.pending + 8;
        for (column, value) in self.chunk.chunks_exact_mut(self.stride).zip(row) {
            column[place.clone()].copy_from_slice(&value.to_le_bytes());
        }
        self.pending += 1;
        if self.is_late() || self.pending == self.capacity {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Whether the gathered rows have waited for long. Where rows come fast, the clock is looked at
    /// with some of them only: that takes as long as keeping a short row.
    fn is_late(&mut self) -> bool {
        let Some(interval) = self.interval else {
            return false;
        };
        self.until_look -= 1;
        if self.until_look > 0 {
            return false;
        }
        let waited = self.written.elapsed();
        // Rows that go on coming as they did then are late by a sixtieth of the interval at most.
        let fast = 1000.0 * waited.as_secs_f64() < interval.as_secs_f64() * self.pending as f64;
        let most = if fast { MOST_BETWEEN_LOOKS } else { 1 };
        self.between_looks = (2 * self.between_looks).min(most);
        self.until_look = self.between_looks;
        waited >= interval
    }

    /// Hands the gathered rows to the operating system as a chunk; nothing to do without rows.
    pub fn flush(&mut self) -> Result<()> {
        self.written = Instant::now();
        if self.pending == 0 {
            return Ok(());
        }
        let bytes = 8 * self.pending;
        self.out.clear();
        let columns = self
            .chunk
            .chunks_exact(self.stride)
            .map(|column| &column[..bytes]);
        self.encoder.batch(self.pending, columns, &mut self.out);
        self.append()?;
        self.position.rows += self.pending as u64;
        self.position.chunks += 1;
        let rows = std::mem::take(&mut self.pending);
        if let Some(copy) = &mut self.copy {
            let columns = self.chunk.chunks_exact(self.stride);
            let put = |bytes: &mut Vec<u8>, column: &&[u8], rows: Range<usize>| {
                bytes.extend_from_slice(&column[8 * rows.start..8 * rows.end]);
            };
            if copy.append(rows, columns, put).is_err() {
                self.copy = None;
            }
        }
        // A short file is left to the end.
        if rows == self.capacity {
            self.settle();
        }
        Ok(())
    }

    /// Lets the disk begin with what is there.
    fn settle(&mut self) {
        if self.settling.is_none() {
            let copy = self.copy.as_ref().map(ParquetWriter::file);
            self.settling = Settling::start(std::iter::once(&self.file).chain(copy));
        }
        if let Some(settling) = &self.settling {
            settling.more();
        }
    }

    /// How far the file has been written. Rows still gathered are not in it.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Rows pushed so far, written or gathered.
    pub fn rows(&self) -> u64 {
        self.position.rows + self.pending as u64
    }

    /// Writes the gathered rows, waits until the disk has them, and says where the file stands.
    pub fn checkpoint(&mut self) -> Result<Position> {
        self.flush()?;
        self.file.sync_data().map_err(Error::io("write", &self.path))?;
        Ok(self.position)
    }

    /// Writes the rest and the end mark, and waits until the disk has all of it.
    pub fn finish(self) -> Result<Summary> {
        self.finish_all().map(|finished| finished.stream)
    }

    /// [`finish`](Self::finish), with what became of the copy.
    pub fn finish_all(mut self) -> Result<Finished> {
        self.flush()?;
        self.out.clear();
        self.out.extend_from_slice(&END);
        self.append()?;
        self.finished = true;
        self.settling = None;
        let copy = self.copy.take();
        let (synced, copy) = std::thread::scope(|scope| {
            // The disk takes both at a time.
            let copy = copy.map(|copy| scope.spawn(|| copy.finish().ok()));
            let synced = self.file.sync_all();
            (synced, copy.and_then(|copy| copy.join().ok().flatten()))
        });
        synced.map_err(Error::io("write", &self.path))?;
        let Position { rows, bytes, .. } = self.position;
        let stream = Summary {
            path: self.path.clone(),
            rows,
            columns: self.columns,
            bytes,
        };
        Ok(Finished { stream, copy })
    }

    /// Writes `out` at the position.
    fn append(&mut self) -> Result<()> {
        if self.torn {
            self.cut()?;
        }
        if let Err(source) = self.file.write_all(&self.out) {
            self.torn = true;
            // A failure here is met again at the next attempt.
            self.cut().ok();
            return Err(Error::Io {
                doing: "write",
                path: self.path.clone(),
                source,
            });
        }
        self.position.bytes += self.out.len() as u64;
        Ok(())
    }

    /// Cuts the file back to the position.
    fn cut(&mut self) -> Result<()> {
        self.file
            .set_len(self.position.bytes)
            .and_then(|()| self.file.seek(SeekFrom::Start(self.position.bytes)))
            .map_err(Error::io("cut", &self.path))?;
        self.torn = false;
        Ok(())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.finished {
            // Nobody is left to hear of a failure; readers see an unfinished file either way.
            self.flush().ok();
        }
    }
}

/// The first difference between the columns of a file and those asked for.
fn difference(file: &[Column], asked: &[Column]) -> Option<String> {
    if file.len() != asked.len() {
        return Some(format!("it has {} columns, the run {}", file.len(), asked.len()));
    }
    let (index, (a, b)) = file.iter().zip(asked).enumerate().find(|(_, (a, b))| a != b)?;
    Some(if a.name == b.name {
        format!("column `{}` differs in unit or description", a.name)
    } else {
        format!(
            "column {index} is `{}` in the file and `{}` in the run",
            a.name, b.name
        )
    })
}
