//! The messages of an Arrow stream, with a checksum each.
//!
//! A message is the marker FF FF FF FF, the length of its metadata, the metadata (a flatbuffer),
//! and a body. Each of our messages carries the CRC-32 of all its bytes, marker and body included,
//! as eight hexadecimal digits under [`CHECKSUM`] in its custom metadata; the digits themselves
//! count as zeros. Other readers ignore the entry. Metadata and bodies are padded to 64 bytes,
//! so that every column starts aligned in the file.

use crate::chunk::LossReason;
use crate::column::keys;
use crate::column::{Column, Metadata};
use crate::flat::{Broken, Builder, Field, Hole, Table, Vector};
use std::io::{self, Read};

/// Key of the checksum in the custom metadata of a message.
pub(crate) const CHECKSUM: &str = "holonom.crc32";
/// Key in the metadata of the schema that says: every message of this file has a checksum.
/// With it, a damaged [`CHECKSUM`] key is not taken for a file of other software.
pub(crate) const CHECKED: &str = "holonom.checksum";
/// Ends a stream.
pub(crate) const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
/// Bodies, and the columns in them, start at multiples of this.
pub(crate) const ALIGNMENT: usize = 64;

const MARKER: [u8; 4] = [0xff; 4];
const PREFIX: usize = 8;
const NO_DIGITS: &str = "00000000";

const VERSION_5: i16 = 4;
const SCHEMA: u8 = 1;
const RECORD_BATCH: u8 = 3;
const INT: u8 = 2;
const FLOATING_POINT: u8 = 3;
const BOOL: u8 = 6;
const DOUBLE: i16 = 2;
const SINGLE: i16 = 1;

/// Numbers of the fields in the tables of Arrow's `Message.fbs` and `Schema.fbs`.
mod id {
    pub(super) const MESSAGE_HEADER_TYPE: usize = 1;
    pub(super) const MESSAGE_HEADER: usize = 2;
    pub(super) const MESSAGE_BODY_LENGTH: usize = 3;
    pub(super) const MESSAGE_METADATA: usize = 4;
    pub(super) const SCHEMA_ENDIANNESS: usize = 0;
    pub(super) const SCHEMA_FIELDS: usize = 1;
    pub(super) const SCHEMA_METADATA: usize = 2;
    pub(super) const FIELD_NAME: usize = 0;
    pub(super) const FIELD_TYPE_TYPE: usize = 2;
    pub(super) const FIELD_TYPE: usize = 3;
    pub(super) const FIELD_DICTIONARY: usize = 4;
    pub(super) const FIELD_METADATA: usize = 6;
    pub(super) const INT_WIDTH: usize = 0;
    pub(super) const INT_SIGNED: usize = 1;
    pub(super) const FLOAT_PRECISION: usize = 0;
    pub(super) const KEY: usize = 0;
    pub(super) const VALUE: usize = 1;
    pub(super) const BATCH_LENGTH: usize = 0;
    pub(super) const BATCH_NODES: usize = 1;
    pub(super) const BATCH_BUFFERS: usize = 2;
    pub(super) const BATCH_COMPRESSION: usize = 3;
}

/// How the numbers of a column are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    Float64,
    Float32,
    Signed(u8),
    Unsigned(u8),
    Bool,
}

impl Storage {
    /// Bits of one value.
    pub(crate) fn bits(self) -> u64 {
        match self {
            Self::Float64 => 64,
            Self::Float32 => 32,
            Self::Signed(bytes) | Self::Unsigned(bytes) => 8 * u64::from(bytes),
            Self::Bool => 1,
        }
    }
}

/// Builds messages; keeps its memory from one to the next.
#[derive(Default)]
pub(crate) struct Encoder {
    builder: Builder,
}

impl Encoder {
    /// Appends the whole schema message.
    pub(crate) fn schema(&mut self, columns: &[Column], metadata: &Metadata, out: &mut Vec<u8>) {
        let start = out.len();
        let (header, digits) = self.message(SCHEMA, 0);
        let b = &mut self.builder;
        let [fields, custom] = b.table(header, [Field::I16(0), Field::Away, Field::Away]);
        for (hole, column) in b.tables(fields, columns.len()).zip(columns) {
            field(b, hole, column);
        }
        let entries: Vec<_> = metadata
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
            .collect();
        pairs(b, custom, &entries);
        self.frame(out);
        seal(&mut out[start..], digits);
    }

    /// Appends a whole record batch of columns of `rows` numbers each.
    pub(crate) fn batch<'a>(
        &mut self,
        rows: usize,
        columns: impl ExactSizeIterator<Item = &'a [u8]>,
        out: &mut Vec<u8>,
    ) {
        let start = out.len();
        let padded = (8 * rows).next_multiple_of(ALIGNMENT);
        let width = columns.len();
        let (header, digits) = self.message(RECORD_BATCH, (width * padded) as i64);
        let b = &mut self.builder;
        let [nodes, buffers] = b.table(header, [Field::I64(rows as i64), Field::Away, Field::Away]);
        b.pairs(nodes, (0..width).map(|_| (rows as i64, 0)));
        // Two buffers for each column: which values are there (empty: all), and the values.
        let buffer = |index: usize| ((index / 2 * padded) as i64, (index % 2 * 8 * rows) as i64);
        b.pairs(buffers, (0..2 * width).map(buffer));
        self.frame(out);
        for column in columns {
            out.extend_from_slice(column);
            out.resize(out.len() + padded - column.len(), 0);
        }
        seal(&mut out[start..], digits);
    }

    /// Starts a message; returns where its header goes and where its checksum stands.
    fn message(&mut self, kind: u8, body: i64) -> (Hole, usize) {
        let b = &mut self.builder;
        let root = b.start();
        let fields = [
            Field::I16(VERSION_5),
            Field::U8(kind),
            Field::Away,
            Field::I64(body),
            Field::Away,
        ];
        let [header, custom] = b.table(root, fields);
        pairs(b, custom, &[(CHECKSUM, NO_DIGITS)]);
        // The value was written last: its digits and the zero that ends it.
        (header, b.bytes().len() - NO_DIGITS.len() - 1)
    }

    /// Appends marker, length and metadata.
    fn frame(&self, out: &mut Vec<u8>) {
        let data = self.builder.bytes();
        let length = (PREFIX + data.len()).next_multiple_of(ALIGNMENT) - PREFIX;
        out.extend_from_slice(&MARKER);
        out.extend_from_slice(&(length as i32).to_le_bytes());
        out.extend_from_slice(data);
        out.resize(out.len() + length - data.len(), 0);
    }
}

fn pairs(b: &mut Builder, hole: Hole, entries: &[(&str, &str)]) {
    for (hole, (name, text)) in b.tables(hole, entries.len()).zip(entries) {
        let [key, value] = b.table(hole, [Field::Away, Field::Away]);
        b.text(key, name);
        b.text(value, text);
    }
}

fn field(b: &mut Builder, hole: Hole, column: &Column) {
    let nullable = Field::U8(0);
    let kind = Field::U8(FLOATING_POINT);
    let fields = [
        Field::Away,
        nullable,
        kind,
        Field::Away,
        Field::Absent,
        Field::Away,
        Field::Away,
    ];
    let [name, float, children, custom] = b.table(hole, fields);
    b.text(name, &column.name);
    let [] = b.table(float, [Field::I16(DOUBLE)]);
    pairs(b, children, &[]); // none
    pairs(
        b,
        custom,
        &[
            (keys::UNIT, &column.unit),
            (keys::DESCRIPTION, &column.description),
        ],
    );
}

/// Writes the checksum into a whole message; `digits` is its place in the metadata.
fn seal(message: &mut [u8], digits: usize) {
    let sum = crc32fast::hash(message);
    message[PREFIX + digits..][..8].copy_from_slice(format!("{sum:08x}").as_bytes());
}

/// Where in the metadata the digits of the checksum stand.
fn digits(metadata: &[u8]) -> Option<usize> {
    let entries = Table::root(metadata).ok()?.vector(id::MESSAGE_METADATA, 4).ok()?;
    (0..entries.len()).find_map(|index| {
        let entry = entries.table(index).ok()?;
        let (value, place) = entry.text(id::VALUE).ok()?;
        (entry.text(id::KEY).ok()?.0 == CHECKSUM && value.len() == 8).then_some(place)
    })
}

/// Why reading a message stopped.
#[derive(Debug)]
pub(crate) enum Stop {
    Io(io::Error),
    Damage(LossReason),
}

impl From<Broken> for Stop {
    fn from(_: Broken) -> Self {
        malformed("the metadata of a message contradict themselves")
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Damage(LossReason::Truncated),
            _ => Self::Io(error),
        }
    }
}

pub(crate) fn malformed(reason: impl Into<String>) -> Stop {
    Stop::Damage(LossReason::Malformed(reason.into()))
}

/// A message whose metadata have been read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// Where the body starts in the file.
    pub(crate) body_at: u64,
    /// Its length.
    pub(crate) body: u64,
}

impl Frame {
    pub(crate) fn end(&self) -> u64 {
        self.body_at + self.body
    }
}

/// Reads prefix and metadata of the message at `at`; `None` at the end mark. Nothing is allocated
/// beyond what the file, which ends at `end`, can hold.
pub(crate) fn read(
    reader: &mut impl Read,
    at: u64,
    end: u64,
    metadata: &mut Vec<u8>,
) -> Result<Option<Frame>, Stop> {
    let left = end.saturating_sub(at);
    match left {
        0 => return Err(Stop::Damage(LossReason::Unfinished)),
        1..8 => return Err(Stop::Damage(LossReason::Truncated)),
        _ => {}
    }
    let mut prefix = [0; PREFIX];
    reader.read_exact(&mut prefix)?;
    let [marker @ .., a, b, c, d] = prefix;
    if marker != MARKER {
        return Err(malformed("no message starts here"));
    }
    let length = u64::try_from(i32::from_le_bytes([a, b, c, d]))
        .map_err(|_| malformed("the length of a message is negative"))?;
    if length == 0 {
        return Ok(None);
    }
    let body_at = at + PREFIX as u64 + length;
    if body_at > end {
        return Err(Stop::Damage(LossReason::Truncated));
    }
    metadata.clear();
    metadata.resize(length as usize, 0);
    reader.read_exact(metadata)?;
    let message = Table::root(metadata)?;
    let body = u64::try_from(message.i64(id::MESSAGE_BODY_LENGTH)?)
        .map_err(|_| malformed("the length of a body is negative"))?;
    match body_at.checked_add(body) {
        Some(stop) if stop <= end => Ok(Some(Frame { body_at, body })),
        _ => Err(Stop::Damage(LossReason::Truncated)),
    }
}

/// Reads the body and checks the checksum of the message.
pub(crate) fn verify(
    reader: &mut impl Read,
    frame: &Frame,
    metadata: &[u8],
    scratch: &mut [u8],
) -> Result<(), Stop> {
    let wrong = || Stop::Damage(LossReason::Checksum);
    let place = digits(metadata).ok_or_else(wrong)?;
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&MARKER);
    hasher.update(&(metadata.len() as i32).to_le_bytes());
    hasher.update(&metadata[..place]);
    hasher.update(NO_DIGITS.as_bytes());
    hasher.update(&metadata[place + 8..]);
    let mut left = frame.body;
    while left > 0 {
        let piece = left.min(scratch.len() as u64) as usize;
        reader.read_exact(&mut scratch[..piece])?;
        hasher.update(&scratch[..piece]);
        left -= piece as u64;
    }
    // Compared as text: a number may be written in more than one way.
    let found = format!("{:08x}", hasher.finalize());
    if metadata[place..place + 8] == *found.as_bytes() {
        Ok(())
    } else {
        Err(wrong())
    }
}

/// What a schema says.
pub(crate) struct Schema {
    pub(crate) columns: Vec<Column>,
    pub(crate) storage: Vec<Storage>,
    pub(crate) metadata: Metadata,
    /// Every message of the file must have a checksum.
    pub(crate) checked: bool,
}

/// A sound file with something unsupported: what it holds, and the remedy.
pub(crate) type Unsupported = (String, &'static str);

/// Reads the schema; the inner error is for sound files of other software that hold more than numbers.
pub(crate) fn schema(metadata: &[u8]) -> Result<Result<Schema, Unsupported>, Stop> {
    let message = Table::root(metadata)?;
    let schema = (message.u8(id::MESSAGE_HEADER_TYPE)? == SCHEMA).then(|| message.table(id::MESSAGE_HEADER));
    let schema = schema
        .transpose()?
        .flatten()
        .ok_or_else(|| malformed("the first message is no schema"))?;
    if schema.i16(id::SCHEMA_ENDIANNESS)? != 0 {
        return Ok(Err((
            "stores numbers big end first".to_string(),
            "write it again on a little-endian machine",
        )));
    }
    let mut read = Schema {
        columns: Vec::new(),
        storage: Vec::new(),
        metadata: Metadata::new(),
        checked: digits(metadata).is_some(),
    };
    let mut budget = Budget(8 * metadata.len());
    let fields = schema.vector(id::SCHEMA_FIELDS, 4)?;
    for index in 0..fields.len() {
        let field = fields.table(index)?;
        let name = budget.spend(field.text(id::FIELD_NAME)?.0)?;
        let Some(storage) = storage(&field)? else {
            let coded = if field.has(id::FIELD_DICTIONARY)? {
                "dictionary-coded "
            } else {
                ""
            };
            let what = format!("has the column `{name}` of type {coded}{}", kind_name(&field)?);
            return Ok(Err((
                what,
                "results contain only numbers and truth values; write the file without that column",
            )));
        };
        let mut column = Column::new(name, "", "");
        budget.entries(field.vector(id::FIELD_METADATA, 4)?, |key, value| match key {
            keys::UNIT => column.unit = value.to_string(),
            keys::DESCRIPTION => column.description = value.to_string(),
            _ => {}
        })?;
        read.columns.push(column);
        read.storage.push(storage);
    }
    budget.entries(schema.vector(id::SCHEMA_METADATA, 4)?, |key, value| {
        if key == CHECKED {
            read.checked = true;
        } else {
            read.metadata.insert(key.to_string(), value.to_string());
        }
    })?;
    crate::column::distinct(&read.columns).map_err(malformed)?;
    if read.columns.is_empty() {
        return Err(malformed("it names no columns"));
    }
    Ok(Ok(read))
}

/// Bytes that may still be read. Parts of a flatbuffer may be shared; without a limit, a small
/// hostile header could name one long text a million times.
struct Budget(usize);

impl Budget {
    fn spend<'a>(&mut self, text: &'a str) -> Result<&'a str, Broken> {
        self.0 = self.0.checked_sub(text.len() + 8).ok_or(Broken)?;
        Ok(text)
    }

    fn entries(&mut self, entries: Vector<'_>, mut each: impl FnMut(&str, &str)) -> Result<(), Broken> {
        for index in 0..entries.len() {
            let entry = entries.table(index)?;
            let key = self.spend(entry.text(id::KEY)?.0)?;
            each(key, self.spend(entry.text(id::VALUE)?.0)?);
        }
        Ok(())
    }
}

/// How the column is stored; `None` if it holds no numbers.
fn storage(field: &Table<'_>) -> Result<Option<Storage>, Broken> {
    let kind = field.u8(id::FIELD_TYPE_TYPE)?;
    if field.has(id::FIELD_DICTIONARY)? {
        return Ok(None);
    }
    let Some(details) = field.table(id::FIELD_TYPE)? else {
        return Err(Broken);
    };
    Ok(match kind {
        FLOATING_POINT => match details.i16(id::FLOAT_PRECISION)? {
            DOUBLE => Some(Storage::Float64),
            SINGLE => Some(Storage::Float32),
            _ => None,
        },
        INT => match (details.i32(id::INT_WIDTH)?, details.u8(id::INT_SIGNED)? != 0) {
            (width @ (8 | 16 | 32 | 64), true) => Some(Storage::Signed((width / 8) as u8)),
            (width @ (8 | 16 | 32 | 64), false) => Some(Storage::Unsigned((width / 8) as u8)),
            _ => None,
        },
        BOOL => Some(Storage::Bool),
        _ => None,
    })
}

/// For messages only.
fn kind_name(field: &Table<'_>) -> Result<String, Broken> {
    const NAMES: [&str; 23] = [
        "none",
        "Null",
        "Int",
        "half-precision float",
        "Binary",
        "Utf8",
        "Bool",
        "Decimal",
        "Date",
        "Time",
        "Timestamp",
        "Interval",
        "List",
        "Struct",
        "Union",
        "FixedSizeBinary",
        "FixedSizeList",
        "Map",
        "Duration",
        "LargeBinary",
        "LargeUtf8",
        "LargeList",
        "RunEndEncoded",
    ];
    let kind = field.u8(id::FIELD_TYPE_TYPE)?;
    Ok(NAMES
        .get(usize::from(kind))
        .map_or(format!("number {kind}"), |name| name.to_string()))
}

/// Where the numbers of one column of a batch stand, relative to the start of the body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) values: u64,
    /// Bits that say which values are there, if any is missing.
    pub(crate) validity: Option<u64>,
}

/// Rows of a batch and the place of each column, all checked against the length of the body.
pub(crate) fn batch(
    metadata: &[u8],
    body: u64,
    storage: &[Storage],
    places: &mut Vec<Place>,
) -> Result<Result<u64, Unsupported>, Stop> {
    let message = Table::root(metadata)?;
    let kind = message.u8(id::MESSAGE_HEADER_TYPE)?;
    if kind != RECORD_BATCH {
        return Ok(Err((
            format!("holds a message of kind {kind}"),
            "results contain only a schema and record batches; write the file again without dictionaries",
        )));
    }
    let batch = message.table(id::MESSAGE_HEADER)?.ok_or(Broken)?;
    if batch.has(id::BATCH_COMPRESSION)? {
        return Ok(Err((
            "is compressed".to_string(),
            "write it again without compression",
        )));
    }
    let rows = batch.i64(id::BATCH_LENGTH)?;
    let rows = u64::try_from(rows).map_err(|_| malformed("the number of rows is negative"))?;
    let nodes = batch.vector(id::BATCH_NODES, 16)?;
    let buffers = batch.vector(id::BATCH_BUFFERS, 16)?;
    if nodes.len() != storage.len() || buffers.len() != 2 * storage.len() {
        return Err(malformed("a batch has other columns than the schema"));
    }
    let place = |index: usize, bits: u64| -> Result<u64, Stop> {
        let (offset, length) = buffers.pair(index)?;
        let outside = || malformed("a column lies outside of its batch");
        let (offset, length) = match (u64::try_from(offset), u64::try_from(length)) {
            (Ok(offset), Ok(length)) => (offset, length),
            _ => return Err(outside()),
        };
        let needed = rows.checked_mul(bits).ok_or_else(outside)?.div_ceil(8);
        match offset.checked_add(length) {
            Some(end) if end <= body && needed <= length => Ok(offset),
            _ => Err(outside()),
        }
    };
    places.clear();
    for (column, storage) in storage.iter().enumerate() {
        let (length, missing) = nodes.pair(column)?;
        if length != rows as i64 {
            return Err(malformed("the columns of a batch differ in length"));
        }
        let some_missing = missing != 0 && buffers.pair(2 * column)?.1 != 0;
        let validity = some_missing.then(|| place(2 * column, 1)).transpose()?;
        places.push(Place {
            values: place(2 * column + 1, storage.bits())?,
            validity,
        });
    }
    Ok(Ok(rows))
}
