//! Writing Parquet.

use super::encoding::base64;
use super::thrift::{Element, Writer, binary, integer};
use super::{ARROW_SCHEMA, MAGIC, code, kind};
use crate::chunk::Summary;
use crate::message::Encoder;
use crate::partial::Partial;
use crate::{Column, Error, Metadata, Result};
use core::ops::Range;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Numbers of the first group of rows and of the largest, in bytes. A group is gathered in memory.
/// None is longer than an eighth of all before it: a short run, too, has written most when it ends.
const FIRST_GROUP: usize = 1 << 20;
const LARGEST_GROUP: usize = 16 << 20;
/// Rows of a group at least, however many columns there are: what describes a column in a group takes the room of some
/// ten numbers.
const LEAST_ROWS: usize = 64;
/// Numbers of a page, in bytes.
const PAGE_BYTES: usize = 1 << 20;

/// Whether a file begins as Parquet files do.
pub(crate) fn is_parquet(path: &Path) -> bool {
    let mut head = [0; MAGIC.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && &head == MAGIC
}

/// A Parquet file that grows by chunks of rows.
pub(crate) struct ParquetWriter {
    path: PathBuf,
    partial: Partial,
    file: File,
    at: u64,
    columns: Vec<Column>,
    metadata: Metadata,
    /// Bytes of the columns of the group at hand.
    gathered: Vec<Vec<u8>>,
    group_rows: usize,
    groups: Vec<Group>,
    rows: u64,
}

/// A group of rows in the file: where each column starts and how long it is.
struct Group {
    rows: usize,
    columns: Vec<(u64, u64)>,
}

impl ParquetWriter {
    pub(crate) fn create(path: &Path, columns: &[Column], metadata: &Metadata) -> Result<Self> {
        let (partial, file) = Partial::create(path)?;
        let mut writer = Self {
            path: path.to_path_buf(),
            partial,
            file,
            at: 0,
            columns: columns.to_vec(),
            metadata: metadata.clone(),
            gathered: vec![Vec::new(); columns.len()],
            group_rows: rows_of(FIRST_GROUP, columns.len()).max(LEAST_ROWS),
            groups: Vec::new(),
            rows: 0,
        };
        writer.write(MAGIC)?;
        Ok(writer)
    }

    /// Appends rows; `put` adds some rows of one of the columns to its bytes.
    pub(crate) fn append<C>(
        &mut self,
        rows: usize,
        columns: impl Iterator<Item = C> + Clone,
        put: impl Fn(&mut Vec<u8>, &C, Range<usize>),
    ) -> Result<()> {
        self.rows += rows as u64;
        let mut from = 0;
        while from < rows {
            let free = self.group_rows - self.gathered[0].len() / 8;
            let to = rows.min(from + free);
            for (bytes, column) in self.gathered.iter_mut().zip(columns.clone()) {
                put(bytes, &column, from..to);
            }
            from = to;
            if self.gathered[0].len() == 8 * self.group_rows {
                self.group()?;
                let longest = rows_of(LARGEST_GROUP, self.gathered.len());
                let written = usize::try_from(self.rows).unwrap_or(usize::MAX) - (rows - from);
                self.group_rows = (written / 8).clamp(self.group_rows, longest.max(self.group_rows));
            }
        }
        Ok(())
    }

    /// Where it grows.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    pub(crate) fn finish(mut self) -> Result<Summary> {
        if !self.gathered[0].is_empty() {
            self.group()?;
        }
        let footer = footer(&self.columns, &self.metadata, self.rows, &self.groups);
        let length = u32::try_from(footer.len()).map_err(|_| Error::Unsupported {
            path: self.path.clone(),
            what: "would need more than 4 GiB to describe its columns".to_string(),
            remedy: "export fewer columns",
        })?;
        self.write(&footer)?;
        self.write(&length.to_le_bytes())?;
        self.write(MAGIC)?;
        let bytes = self.partial.keep(self.file)?;
        Ok(Summary {
            path: self.path,
            rows: self.rows,
            columns: self.columns.len(),
            bytes,
        })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file
            .write_all(bytes)
            .map_err(Error::io("write", &self.path))?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    /// Writes the gathered columns, which are empty afterwards.
    fn group(&mut self) -> Result<()> {
        let mut gathered = std::mem::take(&mut self.gathered);
        let rows = gathered[0].len() / 8;
        let mut columns = Vec::with_capacity(gathered.len());
        let mut header = Vec::new();
        for column in &mut gathered {
            let start = self.at;
            for page in column.chunks(PAGE_BYTES) {
                header.clear();
                page_header(page, &mut header);
                self.write(&header)?;
                self.write(page)?;
            }
            columns.push((start, self.at - start));
            column.clear();
        }
        self.gathered = gathered;
        self.groups.push(Group { rows, columns });
        Ok(())
    }
}

/// How many rows have so many bytes.
fn rows_of(bytes: usize, width: usize) -> usize {
    (bytes / (8 * width)).max(1)
}

fn page_header(page: &[u8], out: &mut Vec<u8>) {
    let mut header = Writer::new(out);
    header.i32(1, 0); // a data page
    header.i32(2, page.len() as i32); // uncompressed
    header.i32(3, page.len() as i32); // compressed
    header.i32(4, crc32fast::hash(page) as i32);
    let mut data = header.inside(5);
    data.i32(1, (page.len() / 8) as i32);
    data.i32(2, code::PLAIN as i32);
    data.i32(3, code::RLE as i32); // of definition levels, of which there are none
    data.i32(4, code::RLE as i32); // of repetition levels, likewise
    data.end();
    header.end();
}

fn footer(described: &[Column], metadata: &Metadata, rows: u64, groups: &[Group]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut file = Writer::new(&mut out);
    file.i32(1, 2); // version of the format
    let list = file.list(2, Element::Struct, described.len() + 1);
    let mut root = Writer::new(list);
    root.text(4, "schema");
    root.i32(5, described.len() as i32);
    root.end();
    for column in described {
        let mut element = Writer::new(list);
        element.i32(1, kind::DOUBLE as i32);
        element.i32(3, 0); // required
        element.text(4, &column.name);
        element.end();
    }
    file.i64(3, rows as i64);
    let list = file.list(4, Element::Struct, groups.len());
    for group in groups {
        let mut written = Writer::new(list);
        let columns = written.list(1, Element::Struct, group.columns.len());
        for ((start, length), column) in group.columns.iter().zip(described) {
            let mut chunk = Writer::new(columns);
            chunk.i64(2, 0); // kept for old readers
            let mut data = chunk.inside(3);
            data.i32(1, kind::DOUBLE as i32);
            let encodings = data.list(2, Element::I32, 2);
            integer(encodings, code::PLAIN);
            integer(encodings, code::RLE);
            binary(data.list(3, Element::Binary, 1), &column.name);
            data.i32(4, 0); // no compression
            data.i64(5, group.rows as i64);
            data.i64(6, *length as i64);
            data.i64(7, *length as i64);
            data.i64(9, *start as i64);
            data.end();
            chunk.end();
        }
        written.i64(2, group.columns.iter().map(|(_, length)| *length as i64).sum());
        written.i64(3, group.rows as i64);
        written.end();
    }
    let mut schema = Vec::new();
    Encoder::default().schema(described, metadata, &mut schema);
    let schema = base64(&schema);
    let pairs = metadata.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    let pairs: Vec<_> = pairs
        .filter(|(key, _)| *key != ARROW_SCHEMA)
        .chain([(ARROW_SCHEMA, &*schema)])
        .collect();
    let list = file.list(5, Element::Struct, pairs.len());
    for (key, value) in pairs {
        let mut pair = Writer::new(list);
        pair.text(1, key);
        pair.text(2, value);
        pair.end();
    }
    file.text(6, concat!("holonom version ", env!("CARGO_PKG_VERSION")));
    file.end();
    out
}
