//! From Parquet to numbers.

use super::encoding::from_base64;
use super::page::{Format, Page};
use super::thrift::{Bad, Struct};
use super::{ARROW_SCHEMA, MAGIC, kind};
use crate::chunk::{Chunk, piece_rows};
use crate::{Column, Error, Metadata, Result, column, message};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Longer footers are refused: read, they take a multiple of their length.
const LONGEST_FOOTER: u64 = 1 << 28;
/// A header of a page is never longer, also with the statistics of other software.
const LONGEST_HEADER: u64 = 1 << 16;

/// What a Parquet file says about itself.
pub(crate) struct Description {
    pub(crate) columns: Vec<Column>,
    pub(crate) metadata: Metadata,
    pub(crate) rows: u64,
    pub(crate) layout: Layout,
}

/// How the numbers are stored, and where.
pub(crate) struct Layout {
    formats: Vec<Format>,
    groups: Vec<Group>,
}

struct Group {
    rows: u64,
    columns: Vec<Place>,
}

/// One column of one group.
#[derive(Clone, Copy)]
struct Place {
    start: u64,
    end: u64,
    compressed: bool,
}

fn damaged(path: &Path) -> impl Fn(Bad) -> Error {
    move |Bad(reason)| Error::Parquet {
        path: path.to_path_buf(),
        reason,
    }
}

fn read_at(file: &mut File, at: u64, length: u64, out: &mut Vec<u8>) -> std::io::Result<()> {
    out.resize(length as usize, 0);
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(out)
}

pub(crate) fn describe(path: &Path) -> Result<Description> {
    let mut file = File::open(path).map_err(Error::io("open", path))?;
    let length = file.metadata().map_err(Error::io("read", path))?.len();
    let bad = |reason: &str| damaged(path)(Bad::new(reason));
    if length < 12 {
        return Err(bad("it is cut off"));
    }
    let mut bytes = Vec::new();
    read_at(&mut file, length - 8, 8, &mut bytes).map_err(Error::io("read", path))?;
    if !bytes.ends_with(MAGIC) {
        return Err(bad("its end is missing"));
    }
    let footer = u64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    if footer > (length - 12).min(LONGEST_FOOTER) {
        return Err(bad("the length of its footer is impossible"));
    }
    read_at(&mut file, length - 8 - footer, footer, &mut bytes).map_err(Error::io("read", path))?;
    let (meta, _) = Struct::read(&bytes).map_err(damaged(path))?;
    let (mut columns, formats) = fields(path, &meta)?;
    let layout = groups(&meta, formats, length).map_err(|refusal| match refusal {
        Refusal::Bad(reason) => damaged(path)(reason),
        Refusal::Codec => Error::Unsupported {
            path: path.to_path_buf(),
            what: "is compressed in an unsupported way".to_string(),
            remedy: "write it without compression, or with Snappy",
        },
    })?;
    let rows = layout
        .groups
        .iter()
        .try_fold(0_u64, |sum, group| sum.checked_add(group.rows));
    let rows = rows.ok_or_else(|| bad("its number of rows is impossible"))?;
    let mut metadata = Metadata::new();
    for pair in meta.structs(5) {
        let (key, value) = (pair.text(1).unwrap_or_default(), pair.text(2).unwrap_or_default());
        if key == ARROW_SCHEMA {
            describe_columns(value, &mut columns);
        } else {
            metadata.insert(key.to_string(), value.to_string());
        }
    }
    Ok(Description {
        columns,
        metadata,
        rows,
        layout,
    })
}

/// Takes units and descriptions from the Arrow schema, if there is a sound one.
fn describe_columns(text: &str, columns: &mut [Column]) {
    let Some(bytes) = from_base64(text) else { return };
    let mut buffer = Vec::new();
    let end = bytes.len() as u64;
    if let Ok(Some(_)) = message::read(&mut bytes.as_slice(), 0, end, &mut buffer)
        && let Ok(Ok(schema)) = message::schema(&buffer)
        && schema.columns.len() == columns.len()
    {
        for (column, described) in columns.iter_mut().zip(schema.columns) {
            if column.name == described.name {
                *column = described;
            }
        }
    }
}

/// The columns of a flat schema.
fn fields(path: &Path, meta: &Struct<'_>) -> Result<(Vec<Column>, Vec<Format>)> {
    let mut elements = meta.structs(2);
    let children = elements.next().and_then(|root| root.integer(5)).unwrap_or(0);
    let (mut columns, mut formats) = (Vec::new(), Vec::new());
    for element in elements {
        let name = element.text(4).unwrap_or_default();
        let kind = element.integer(1).unwrap_or(-1);
        let number = matches!(
            kind,
            kind::BOOLEAN | kind::INT32 | kind::INT64 | kind::FLOAT | kind::DOUBLE
        );
        // Converted types 11 to 18 and logical type 10 are integers; others are dates and such.
        let converted = element.integer(6);
        let plain = converted.is_none_or(|kind| (11..=18).contains(&kind))
            && element
                .inside(10)
                .is_none_or(|logical| logical.kind() == Some(10));
        let repetition = element.integer(3).unwrap_or(0);
        if !number || !plain || repetition > 1 || element.integer(5).unwrap_or(0) != 0 {
            return Err(Error::Unsupported {
                path: path.to_path_buf(),
                what: format!("has the column `{name}`, which holds no plain numbers"),
                remedy: "results contain only numbers and truth values; write the file without that column",
            });
        }
        columns.push(Column::new(name, "", ""));
        let unsigned = converted.is_some_and(|kind| (11..=14).contains(&kind));
        formats.push(Format {
            kind,
            unsigned,
            optional: repetition == 1,
        });
    }
    if columns.is_empty() || children != columns.len() as i64 {
        return Err(damaged(path)(Bad::new("its columns are not described")));
    }
    column::distinct(&columns).map_err(|reason| damaged(path)(Bad::new(reason)))?;
    Ok((columns, formats))
}

enum Refusal {
    Bad(Bad),
    Codec,
}

impl From<Bad> for Refusal {
    fn from(bad: Bad) -> Self {
        Self::Bad(bad)
    }
}

fn groups(meta: &Struct<'_>, formats: Vec<Format>, length: u64) -> core::result::Result<Layout, Refusal> {
    let mut groups = Vec::new();
    for group in meta.structs(4) {
        let mut columns = Vec::with_capacity(formats.len());
        for (chunk, format) in group.structs(1).zip(&formats) {
            let data = chunk
                .inside(3)
                .ok_or_else(|| Bad::new("a column is not described"))?;
            let compressed = match data.integer(4) {
                Some(0) => false,
                Some(1) => true,
                _ => return Err(Refusal::Codec),
            };
            // A dictionary, where there is one, stands before the pages.
            let dictionary = data
                .integer(11)
                .filter(|at| *at > 0)
                .and_then(|at| u64::try_from(at).ok());
            let pages = data.count(9)?;
            let start = dictionary.map_or(pages, |at| at.min(pages));
            let end = start.checked_add(data.count(7)?).filter(|end| *end <= length);
            let end = end.ok_or_else(|| Bad::new("a column lies beyond the end of the file"))?;
            if data.integer(1) != Some(format.kind) {
                return Err(Bad::new("a column has another type than the schema says").into());
            }
            columns.push(Place {
                start,
                end,
                compressed,
            });
        }
        if columns.len() != formats.len() {
            return Err(Bad::new("a group of rows lacks columns").into());
        }
        groups.push(Group {
            rows: group.count(3)?,
            columns,
        });
    }
    Ok(Layout { formats, groups })
}

/// Reads chosen columns in pieces.
pub(crate) struct Pieces<'a> {
    path: &'a Path,
    layout: &'a Layout,
    file: File,
    group: usize,
    /// Rows of the group already read.
    done: u64,
    cursors: Vec<Cursor>,
    bytes: Vec<u8>,
}

/// Where reading of one column stands.
struct Cursor {
    column: usize,
    at: u64,
    dictionary: Vec<f64>,
    /// Numbers of the current page and how many of them were taken.
    values: Vec<f64>,
    taken: usize,
}

/// Why a page was not read.
enum Trouble {
    Io(std::io::Error),
    Bad(Bad),
}

impl From<std::io::Error> for Trouble {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Bad> for Trouble {
    fn from(bad: Bad) -> Self {
        Self::Bad(bad)
    }
}

impl<'a> Pieces<'a> {
    pub(crate) fn new(path: &'a Path, layout: &'a Layout, chosen: Vec<usize>) -> Result<Self> {
        let file = File::open(path).map_err(Error::io("open", path))?;
        let cursor = |column| Cursor {
            column,
            at: 0,
            dictionary: Vec::new(),
            values: Vec::new(),
            taken: 0,
        };
        let cursors = chosen.into_iter().map(cursor).collect();
        Ok(Self {
            path,
            layout,
            file,
            group: 0,
            done: 0,
            cursors,
            bytes: Vec::new(),
        })
    }

    /// Passes over whole groups before a row; gives the first row that follows.
    pub(crate) fn skip_groups(&mut self, row: u64) -> u64 {
        let mut before = 0;
        while let Some(group) = self.layout.groups.get(self.group)
            && before + group.rows <= row
        {
            before += group.rows;
            self.group += 1;
        }
        before
    }

    pub(crate) fn fill(&mut self, chunk: &mut Chunk) -> Result<bool> {
        let most = piece_rows(self.cursors.len()) as u64;
        while let Some(group) = self.layout.groups.get(self.group) {
            let rows = most.min(group.rows - self.done) as usize;
            if rows == 0 {
                (self.group, self.done) = (self.group + 1, 0);
                continue;
            }
            for (cursor, out) in self.cursors.iter_mut().zip(&mut chunk.columns) {
                let place = group.columns[cursor.column];
                let format = self.layout.formats[cursor.column];
                if self.done == 0 {
                    (cursor.at, cursor.taken) = (place.start, 0);
                    cursor.values.clear();
                    cursor.dictionary.clear();
                }
                out.clear();
                while out.len() < rows {
                    if cursor.taken == cursor.values.len() {
                        let read = cursor.page(&mut self.file, &place, format, &mut self.bytes);
                        read.map_err(|trouble| match trouble {
                            Trouble::Io(source) => Error::Io {
                                doing: "read",
                                path: self.path.to_path_buf(),
                                source,
                            },
                            Trouble::Bad(reason) => damaged(self.path)(reason),
                        })?;
                    }
                    let to = cursor.values.len().min(cursor.taken + rows - out.len());
                    out.extend_from_slice(&cursor.values[cursor.taken..to]);
                    cursor.taken = to;
                }
            }
            chunk.rows = rows;
            self.done += rows as u64;
            return Ok(true);
        }
        Ok(false)
    }
}

impl Cursor {
    /// Reads the next page.
    fn page(
        &mut self,
        file: &mut File,
        place: &Place,
        format: Format,
        bytes: &mut Vec<u8>,
    ) -> core::result::Result<(), Trouble> {
        self.taken = 0;
        self.values.clear();
        let left = place.end.saturating_sub(self.at);
        if left == 0 {
            return Err(Bad::new("a column has fewer values than its group has rows").into());
        }
        read_at(file, self.at, left.min(LONGEST_HEADER), bytes)?;
        let (header, size) = Struct::read(bytes)?;
        let page = Page::new(&header, place.compressed)?;
        let (stored, sum) = (header.count(3)?, header.integer(4));
        let start = self.at + size as u64;
        let end = start.checked_add(stored).filter(|end| *end <= place.end);
        let end = end.ok_or_else(|| Bad::new("a page reaches beyond its column"))?;
        read_at(file, start, stored, bytes)?;
        if sum.is_some_and(|sum| sum as u32 != crc32fast::hash(bytes)) {
            return Err(Bad::new("the checksum of a page is wrong").into());
        }
        self.at = end;
        if page.is_dictionary() {
            page.decode(bytes, format, &[], &mut self.dictionary)?;
        } else {
            page.decode(bytes, format, &self.dictionary, &mut self.values)?;
        }
        Ok(())
    }
}
