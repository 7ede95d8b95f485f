//! Reading results of any format, whole or in pieces.

use crate::chunk::{Chunk, FileKind, Loss};
use crate::column::{Column, Metadata, keys};
use crate::error::{Error, Result};
use crate::stream::{self, Stream};
use crate::{csv, parquet};
use holonom_text::{Pattern, nearest};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A result on disk. Opening reads the description and, where the format has checksums, checks
/// the whole file; the numbers are read when asked for.
pub struct Table {
    path: PathBuf,
    kind: FileKind,
    /// Channels, then the state.
    columns: Vec<Column>,
    /// Columns that are no state.
    visible: usize,
    metadata: Metadata,
    rows: u64,
    loss: Option<Loss>,
    source: Source,
}

enum Source {
    Stream(Stream),
    Parquet(parquet::Layout),
    Csv(csv::Layout),
}

impl Table {
    /// Opens a file of any known format. A file that a crash cut off, or with a damaged chunk, opens
    /// up to there; see [`Table::lost`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let kind = recognise(path)?;
        let path = path.to_path_buf();
        let mut table = Self::described(kind, path)?;
        table.hide_state()?;
        Ok(table)
    }

    /// Sets the state apart from the channels.
    fn hide_state(&mut self) -> Result<()> {
        let Some(text) = self.metadata.get(keys::STATE) else {
            return Ok(());
        };
        let state = text.parse::<usize>().ok();
        // The time is no state.
        match state.and_then(|state| self.columns.len().checked_sub(state)) {
            Some(visible) if visible > 0 => {
                self.visible = visible;
                Ok(())
            }
            _ => Err(Error::Header {
                path: self.path.clone(),
                reason: format!(
                    "it declares {text} columns of state, but has {} columns",
                    self.columns.len()
                ),
            }),
        }
    }

    fn described(kind: FileKind, path: PathBuf) -> Result<Self> {
        match kind {
            FileKind::ArrowStream | FileKind::ArrowFile => {
                let mut stream = stream::scan(&path, kind, None)?;
                let columns = core::mem::take(&mut stream.columns);
                let metadata = core::mem::take(&mut stream.metadata);
                let (rows, loss) = (stream.rows, stream.loss.take());
                let source = Source::Stream(stream);
                Ok(Self {
                    path,
                    kind,
                    visible: columns.len(),
                    columns,
                    metadata,
                    rows,
                    loss,
                    source,
                })
            }
            FileKind::Parquet => {
                let parquet::Description {
                    columns,
                    metadata,
                    rows,
                    layout,
                } = parquet::describe(&path)?;
                let source = Source::Parquet(layout);
                Ok(Self {
                    path,
                    kind,
                    visible: columns.len(),
                    columns,
                    metadata,
                    rows,
                    loss: None,
                    source,
                })
            }
            FileKind::Csv => {
                let csv::Description {
                    columns,
                    rows,
                    loss,
                    layout,
                } = csv::describe(&path)?;
                let (metadata, source) = (Metadata::new(), Source::Csv(layout));
                Ok(Self {
                    path,
                    kind,
                    visible: columns.len(),
                    columns,
                    metadata,
                    rows,
                    loss,
                    source,
                })
            }
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its format.
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// Its channels in order; the first is the time.
    pub fn columns(&self) -> &[Column] {
        &self.columns[..self.visible]
    }

    /// The columns that hold the state, behind the channels: none where the run left them out. They are read by
    /// their numbers, [`state`](Self::state), and no name or pattern finds them.
    pub fn state_columns(&self) -> &[Column] {
        &self.columns[self.visible..]
    }

    /// Numbers of the columns that hold the state.
    pub fn state(&self) -> core::ops::Range<usize> {
        self.visible..self.columns.len()
    }

    /// Channels and state.
    pub(crate) fn all_columns(&self) -> &[Column] {
        &self.columns
    }

    /// What it says about itself.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Rows that can be read.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Whether the writer finished the file and all of it is sound.
    pub fn is_complete(&self) -> bool {
        self.loss.is_none()
    }

    /// What is missing of a file that is not complete.
    pub fn lost(&self) -> Option<&Loss> {
        self.loss.as_ref()
    }

    /// Number of the column with this name.
    pub fn index(&self, name: &str) -> Result<usize> {
        self.columns()
            .iter()
            .position(|column| column.name == name)
            .ok_or_else(|| Error::UnknownColumn {
                path: self.path.clone(),
                name: name.to_string(),
                suggestion: self.nearest(name),
            })
    }

    /// Numbers of the columns that match, in the order of the [`Pattern`]s, each once. Every pattern
    /// must match a column.
    pub fn select<P: AsRef<str>>(&self, patterns: &[P]) -> Result<Vec<usize>> {
        let mut chosen = Vec::new();
        let mut taken = vec![false; self.visible];
        for text in patterns {
            let text = text.as_ref();
            let pattern = Pattern::new(text);
            let mut any = false;
            for (index, column) in self.columns().iter().enumerate() {
                // A name with brackets of its own also matches itself.
                if column.name == text || pattern.as_ref().is_ok_and(|p| p.matches(&column.name)) {
                    any = true;
                    if !core::mem::replace(&mut taken[index], true) {
                        chosen.push(index);
                    }
                }
            }
            if !any {
                return Err(Error::NoMatch {
                    path: self.path.clone(),
                    pattern: pattern?.to_string(),
                    suggestion: self.nearest(text),
                });
            }
        }
        Ok(chosen)
    }

    /// All channels in pieces of a few megabytes at most.
    pub fn chunks(&self) -> Result<Chunks<'_>> {
        let all: Vec<usize> = (0..self.visible).collect();
        self.chunks_of(&all)
    }

    /// The columns with these numbers, in this order, in pieces of a few megabytes at most.
    pub fn chunks_of(&self, columns: &[usize]) -> Result<Chunks<'_>> {
        self.chunks_from(columns, 0)
    }

    /// The same from a row on: what stands before it is not read, except in text.
    pub fn chunks_from(&self, columns: &[usize], first_row: u64) -> Result<Chunks<'_>> {
        if let Some(index) = columns.iter().copied().find(|index| *index >= self.columns.len()) {
            let columns = self.columns.len();
            return Err(Error::ColumnIndex {
                path: self.path.clone(),
                index,
                columns,
            });
        }
        let chosen = columns.to_vec();
        let mut row = 0;
        let pieces = match &self.source {
            Source::Stream(stream) => {
                let mut pieces = stream::Pieces::new(&self.path, stream, chosen)?;
                row = pieces.skip_batches(first_row);
                Pieces::Stream(pieces)
            }
            Source::Parquet(layout) => {
                let mut pieces = parquet::Pieces::new(&self.path, layout, chosen)?;
                row = pieces.skip_groups(first_row);
                Pieces::Parquet(pieces)
            }
            Source::Csv(layout) => Pieces::Csv(csv::Pieces::new(
                &self.path,
                *layout,
                self.columns.len(),
                self.rows,
                chosen,
            )?),
        };
        Ok(Chunks {
            pieces,
            width: columns.len(),
            row,
            first_row,
            done: false,
        })
    }

    /// Some rows of the columns with these numbers; fewer where the table ends.
    pub fn rows_at(&self, columns: &[usize], rows: core::ops::Range<u64>) -> Result<Vec<Vec<f64>>> {
        let wanted = rows.end.saturating_sub(rows.start) as usize;
        let mut all = vec![Vec::with_capacity(wanted.min(1 << 16)); columns.len()];
        let mut chunks = self.chunks_from(columns, rows.start)?;
        let mut chunk = Chunk::default();
        let mut found = 0;
        while found < wanted && chunks.next_into(&mut chunk)? {
            let take = chunk.rows.min(wanted - found);
            for (whole, piece) in all.iter_mut().zip(&chunk.columns) {
                whole.extend_from_slice(&piece[..take]);
            }
            found += take;
        }
        Ok(all)
    }

    /// All numbers of the column with this name.
    pub fn column(&self, name: &str) -> Result<Vec<f64>> {
        let index = self.index(name)?;
        Ok(self.columns_at(&[index])?.pop().unwrap_or_default())
    }

    /// All numbers of several columns, read together.
    pub fn columns_at(&self, columns: &[usize]) -> Result<Vec<Vec<f64>>> {
        let mut all = vec![Vec::new(); columns.len()];
        let mut chunks = self.chunks_of(columns)?;
        let mut chunk = Chunk::default();
        while chunks.next_into(&mut chunk)? {
            for (whole, piece) in all.iter_mut().zip(&chunk.columns) {
                whole.extend_from_slice(piece);
            }
        }
        Ok(all)
    }

    fn nearest(&self, name: &str) -> Option<String> {
        nearest(name, self.columns().iter().map(|column| column.name.as_str())).map(str::to_string)
    }
}

/// Goes through a [`Table`] in order.
pub struct Chunks<'a> {
    pieces: Pieces<'a>,
    width: usize,
    row: u64,
    /// Rows before it are passed over.
    first_row: u64,
    done: bool,
}

enum Pieces<'a> {
    Stream(stream::Pieces<'a>),
    Parquet(parquet::Pieces<'a>),
    Csv(csv::Pieces<'a>),
}

impl Chunks<'_> {
    /// Reads the next rows into a chunk, whose memory is used again; false at the end.
    pub fn next_into(&mut self, chunk: &mut Chunk) -> Result<bool> {
        chunk.columns.resize_with(self.width, Vec::new);
        loop {
            chunk.first_row = self.row;
            chunk.rows = 0;
            if self.done {
                return Ok(false);
            }
            let filled = match &mut self.pieces {
                Pieces::Stream(pieces) => pieces.fill(chunk),
                Pieces::Parquet(pieces) => pieces.fill(chunk),
                Pieces::Csv(pieces) => pieces.fill(chunk),
            };
            self.done = !matches!(filled, Ok(true));
            self.row += chunk.rows as u64;
            if !self.done && self.row <= self.first_row {
                continue;
            }
            let passed = self.first_row.saturating_sub(chunk.first_row) as usize;
            if !self.done && passed > 0 {
                for column in &mut chunk.columns {
                    column.drain(..passed);
                }
                chunk.rows -= passed;
                chunk.first_row = self.first_row;
            }
            return filled;
        }
    }
}

impl Iterator for Chunks<'_> {
    type Item = Result<Chunk>;

    fn next(&mut self) -> Option<Result<Chunk>> {
        let mut chunk = Chunk::default();
        match self.next_into(&mut chunk) {
            Ok(true) => Some(Ok(chunk)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

/// Tells the format by the first bytes.
fn recognise(path: &Path) -> Result<FileKind> {
    let file = File::open(path).map_err(Error::io("open", path))?;
    let mut start = Vec::with_capacity(4096);
    file.take(4096)
        .read_to_end(&mut start)
        .map_err(Error::io("read", path))?;
    // No text in UTF-8 holds FF; a file cut after its first byte is still a stream.
    if start.first() == Some(&0xff) {
        return Ok(FileKind::ArrowStream);
    }
    if start.starts_with(b"ARROW1\0\0") {
        return Ok(FileKind::ArrowFile);
    }
    if start.starts_with(b"PAR1") {
        return Ok(FileKind::Parquet);
    }
    if start.is_empty() || start.contains(&0) {
        return Err(Error::NotRecognised {
            path: path.to_path_buf(),
        });
    }
    Ok(FileKind::Csv)
}
