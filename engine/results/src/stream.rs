//! Reading Arrow streams and Arrow files, piece by piece and only as far as they are sound.

use crate::chunk::{Chunk, FileKind, Loss, LossReason, piece_rows};
use crate::message::{self, Frame, Place, Stop, Storage};
use crate::{Column, Error, Metadata, Result};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// Both ends of an Arrow file; the stream starts after it and two bytes of padding.
pub(crate) const MAGIC: &[u8; 6] = b"ARROW1";

/// What a scan found.
pub(crate) struct Stream {
    pub(crate) columns: Vec<Column>,
    pub(crate) metadata: Metadata,
    pub(crate) rows: u64,
    pub(crate) loss: Option<Loss>,
    /// Where the schema ends.
    pub(crate) header: u64,
    pub(crate) checked: bool,
    pub(crate) batches: Vec<Batch>,
    storage: Vec<Storage>,
}

/// One sound batch. The places of its columns are read again when they are needed: kept for
/// every batch, they could outgrow the memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch {
    at: u64,
    frame: Frame,
    pub(crate) rows: u64,
}

impl Batch {
    pub(crate) fn end(&self) -> u64 {
        self.frame.end()
    }
}

/// Walks through the file once and checks every message, up to byte `until` or the end.
pub(crate) fn scan(path: &Path, kind: FileKind, until: Option<u64>) -> Result<Stream> {
    let file = File::open(path).map_err(Error::io("open", path))?;
    let length = file.metadata().map_err(Error::io("read", path))?.len();
    let end = until.map_or(length, |until| until.min(length));
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut at = if kind == FileKind::ArrowFile { 8 } else { 0 };
    reader
        .seek(SeekFrom::Start(at))
        .map_err(Error::io("read", path))?;

    let header = |stop: Stop| match stop {
        Stop::Io(source) => Error::Io {
            doing: "read",
            path: path.to_path_buf(),
            source,
        },
        Stop::Damage(reason) => Error::Header {
            path: path.to_path_buf(),
            reason: reason.to_string(),
        },
    };
    let unsupported = |(what, remedy)| Error::Unsupported {
        path: path.to_path_buf(),
        what,
        remedy,
    };
    let (mut metadata, mut scratch) = (Vec::new(), vec![0; length.clamp(64, 1 << 18) as usize]);
    let frame = message::read(&mut reader, at, end, &mut metadata)
        .and_then(|frame| frame.ok_or_else(|| message::malformed("it is empty")))
        .map_err(header)?;
    let schema = message::schema(&metadata).map_err(header)?.map_err(unsupported)?;
    if schema.checked {
        message::verify(&mut reader, &frame, &metadata, &mut scratch).map_err(header)?;
    } else {
        skip(&mut reader, frame.body).map_err(Error::io("read", path))?;
    }
    at = frame.end();
    let mut stream = Stream {
        columns: schema.columns,
        metadata: schema.metadata,
        rows: 0,
        loss: None,
        header: at,
        checked: schema.checked,
        batches: Vec::new(),
        storage: schema.storage,
    };

    let mut places = Vec::new();
    let mut next = |at: u64| -> core::result::Result<Option<core::result::Result<Batch, _>>, Stop> {
        let Some(frame) = message::read(&mut reader, at, end, &mut metadata)? else {
            return Ok(None);
        };
        if stream.checked {
            message::verify(&mut reader, &frame, &metadata, &mut scratch)?;
        } else {
            skip(&mut reader, frame.body)?;
        }
        let batch = message::batch(&metadata, frame.body, &stream.storage, &mut places)?;
        Ok(Some(batch.map(|rows| Batch { at, frame, rows })))
    };
    let reason = loop {
        match next(at) {
            Ok(Some(batch)) => {
                let batch = batch.map_err(unsupported)?;
                at = batch.end();
                stream.rows = stream.rows.saturating_add(batch.rows);
                stream.batches.push(batch);
            }
            Ok(None) => break ending(&mut reader, kind, at + 8, end).map_err(Error::io("read", path))?,
            Err(Stop::Damage(reason)) => break Some(reason),
            Err(Stop::Io(source)) => {
                return Err(Error::Io {
                    doing: "read",
                    path: path.to_path_buf(),
                    source,
                });
            }
        }
    };
    stream.loss = reason.map(|reason| {
        let at = if reason == LossReason::Trailing {
            at + 8
        } else {
            at
        };
        Loss {
            reason,
            at,
            bytes: length.saturating_sub(at),
            row: stream.rows,
        }
    });
    Ok(stream)
}

fn skip(reader: &mut BufReader<File>, mut bytes: u64) -> std::io::Result<()> {
    while bytes > 0 {
        let step = bytes.min(i64::MAX as u64);
        reader.seek_relative(step as i64)?;
        bytes -= step;
    }
    Ok(())
}

/// What stands after the end mark: nothing in a stream, the footer in a file.
fn ending(reader: &mut impl Read, kind: FileKind, at: u64, end: u64) -> std::io::Result<Option<LossReason>> {
    if kind != FileKind::ArrowFile {
        return Ok((at != end).then_some(LossReason::Trailing));
    }
    let mut last = [0; 6];
    let mut left = end.saturating_sub(at);
    if left < 10 {
        return Ok(Some(LossReason::Truncated));
    }
    while left > 0 {
        // The footer repeats what was read already; only its last six bytes matter.
        let mut piece = [0; 4096];
        let size = left.min(piece.len() as u64) as usize;
        reader.read_exact(&mut piece[..size])?;
        if size >= 6 {
            last.copy_from_slice(&piece[size - 6..size]);
        } else {
            last.rotate_left(size);
            last[6 - size..].copy_from_slice(&piece[..size]);
        }
        left -= size as u64;
    }
    Ok((last != *MAGIC).then_some(LossReason::Truncated))
}

/// Reads chosen columns in pieces of bounded size, however large the batches are.
pub(crate) struct Pieces<'a> {
    path: &'a Path,
    stream: &'a Stream,
    file: File,
    chosen: Vec<usize>,
    piece: u64,
    batch: usize,
    /// Rows of the batch already read.
    done: u64,
    places: Vec<Place>,
    bytes: Vec<u8>,
    valid: Vec<u8>,
}

impl<'a> Pieces<'a> {
    pub(crate) fn new(path: &'a Path, stream: &'a Stream, chosen: Vec<usize>) -> Result<Self> {
        let file = File::open(path).map_err(Error::io("open", path))?;
        let piece = piece_rows(chosen.len()) as u64;
        let (places, bytes, valid) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self {
            path,
            stream,
            file,
            chosen,
            piece,
            batch: 0,
            done: 0,
            places,
            bytes,
            valid,
        })
    }

    /// Passes over whole batches before a row; gives the first row that follows.
    pub(crate) fn skip_batches(&mut self, row: u64) -> u64 {
        let mut before = 0;
        while let Some(batch) = self.stream.batches.get(self.batch)
            && before + batch.rows <= row
        {
            before += batch.rows;
            self.batch += 1;
        }
        before
    }

    /// Fills the chunk with the next rows; false at the end.
    pub(crate) fn fill(&mut self, chunk: &mut Chunk) -> Result<bool> {
        while let Some(batch) = self.stream.batches.get(self.batch).copied() {
            if self.done == 0 && batch.rows > 0 {
                self.find(&batch).map_err(|stop| self.changed(stop))?;
            }
            let rows = self.piece.min(batch.rows - self.done);
            if rows == 0 {
                (self.batch, self.done) = (self.batch + 1, 0);
                continue;
            }
            for slot in 0..self.chosen.len() {
                self.read(&batch, slot, rows as usize, &mut chunk.columns[slot])
                    .map_err(|stop| self.changed(stop))?;
            }
            chunk.rows = rows as usize;
            self.done += rows;
            return Ok(true);
        }
        Ok(false)
    }

    /// Finds the columns of a batch.
    fn find(&mut self, batch: &Batch) -> core::result::Result<(), Stop> {
        let mut metadata = Vec::new();
        self.file.seek(SeekFrom::Start(batch.at))?;
        message::read(&mut self.file, batch.at, batch.end(), &mut metadata)?;
        match message::batch(
            &metadata,
            batch.frame.body,
            &self.stream.storage,
            &mut self.places,
        )? {
            Ok(rows) if rows == batch.rows => Ok(()),
            _ => Err(message::malformed("a chunk is another one now")),
        }
    }

    fn read(
        &mut self,
        batch: &Batch,
        slot: usize,
        rows: usize,
        out: &mut Vec<f64>,
    ) -> core::result::Result<(), Stop> {
        let column = self.chosen[slot];
        let (storage, place) = (self.stream.storage[column], self.places[column]);
        let mut load = |bytes: &mut Vec<u8>, place: u64, bits: u64| -> std::io::Result<()> {
            let (from, to) = (
                self.done * bits / 8,
                ((self.done + rows as u64) * bits).div_ceil(8),
            );
            bytes.resize((to - from) as usize, 0);
            self.file
                .seek(SeekFrom::Start(batch.frame.body_at + place + from))?;
            self.file.read_exact(bytes)
        };
        load(&mut self.bytes, place.values, storage.bits())?;
        let shift = (self.done % 8) as usize;
        decode(storage, &self.bytes, shift, rows, out);
        if let Some(validity) = place.validity {
            load(&mut self.valid, validity, 1)?;
            for (row, value) in out.iter_mut().enumerate() {
                if !bit(&self.valid, shift + row) {
                    *value = f64::NAN;
                }
            }
        }
        Ok(())
    }

    fn changed(&self, stop: Stop) -> Error {
        let path = self.path.to_path_buf();
        match stop {
            Stop::Io(source) => Error::Io {
                doing: "read",
                path,
                source,
            },
            Stop::Damage(reason) => Error::Changed {
                path,
                reason: reason.to_string(),
            },
        }
    }
}

fn bit(bytes: &[u8], index: usize) -> bool {
    bytes[index / 8] >> (index % 8) & 1 == 1
}

fn decode(storage: Storage, bytes: &[u8], shift: usize, rows: usize, out: &mut Vec<f64>) {
    fn each<const N: usize>(bytes: &[u8], out: &mut Vec<f64>, convert: impl Fn([u8; N]) -> f64) {
        out.extend(bytes.as_chunks::<N>().0.iter().map(|chunk| convert(*chunk)));
    }
    out.clear();
    match storage {
        Storage::Float64 => each(bytes, out, f64::from_le_bytes),
        Storage::Float32 => each(bytes, out, |b| f32::from_le_bytes(b).into()),
        Storage::Signed(1) => each(bytes, out, |b| i8::from_le_bytes(b).into()),
        Storage::Signed(2) => each(bytes, out, |b| i16::from_le_bytes(b).into()),
        Storage::Signed(4) => each(bytes, out, |b| i32::from_le_bytes(b).into()),
        Storage::Signed(_) => each(bytes, out, |b| i64::from_le_bytes(b) as f64),
        Storage::Unsigned(1) => each(bytes, out, |b| u8::from_le_bytes(b).into()),
        Storage::Unsigned(2) => each(bytes, out, |b| u16::from_le_bytes(b).into()),
        Storage::Unsigned(4) => each(bytes, out, |b| u32::from_le_bytes(b).into()),
        Storage::Unsigned(_) => each(bytes, out, |b| u64::from_le_bytes(b) as f64),
        Storage::Bool => {
            out.extend((0..rows).map(|row| f64::from(u8::from(bit(bytes, shift + row)))));
        }
    }
}
