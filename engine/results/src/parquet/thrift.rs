//! Thrift's compact protocol, in which Parquet writes its metadata.

use core::fmt;

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;

/// Elements of a list.
#[derive(Clone, Copy)]
pub(super) enum Element {
    I32,
    Binary,
    Struct,
}

/// Writes the fields of a struct, in ascending order of their numbers.
pub(super) struct Writer<'a> {
    out: &'a mut Vec<u8>,
    last: u8,
}

impl<'a> Writer<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, last: 0 }
    }

    fn field(&mut self, id: u8, kind: u8) {
        // All numbers of fields that we write differ by less than 16 from their predecessor.
        self.out.push((id - self.last) << 4 | kind);
        self.last = id;
    }

    pub(super) fn i32(&mut self, id: u8, value: i32) {
        self.field(id, I32);
        integer(self.out, value.into());
    }

    pub(super) fn i64(&mut self, id: u8, value: i64) {
        self.field(id, I64);
        integer(self.out, value);
    }

    pub(super) fn text(&mut self, id: u8, value: &str) {
        self.field(id, BINARY);
        binary(self.out, value);
    }

    /// A struct inside; it must be ended.
    pub(super) fn inside(&mut self, id: u8) -> Writer<'_> {
        self.field(id, STRUCT);
        Writer::new(self.out)
    }

    /// A list; the elements follow.
    pub(super) fn list(&mut self, id: u8, kind: Element, len: usize) -> &mut Vec<u8> {
        self.field(id, LIST);
        let kind = match kind {
            Element::I32 => I32,
            Element::Binary => BINARY,
            Element::Struct => STRUCT,
        };
        if len < 15 {
            self.out.push((len as u8) << 4 | kind);
        } else {
            self.out.push(0xf0 | kind);
            varint(self.out, len as u64);
        }
        self.out
    }

    pub(super) fn end(self) {
        self.out.push(0);
    }
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Small numbers of either sign in few bytes.
pub(super) fn integer(out: &mut Vec<u8>, value: i64) {
    varint(out, (value << 1 ^ value >> 63) as u64);
}

pub(super) fn binary(out: &mut Vec<u8>, text: &str) {
    varint(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// The bytes are not what they should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bad(pub(super) String);

impl Bad {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for Bad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Anything that was read.
#[derive(Debug)]
pub(super) enum Value<'a> {
    Integer(i64),
    Binary(&'a [u8]),
    List(Vec<Value<'a>>),
    Struct(Struct<'a>),
    /// Of no use here.
    Other,
}

/// Fields by number.
#[derive(Debug, Default)]
pub(super) struct Struct<'a>(Vec<(i16, Value<'a>)>);

impl<'a> Struct<'a> {
    /// Reads a struct; also returns how many bytes it took.
    pub(super) fn read(bytes: &'a [u8]) -> Result<(Self, usize), Bad> {
        let mut reader = Reader { bytes, at: 0 };
        let read = reader.fields(0)?;
        Ok((read, reader.at))
    }

    fn get(&self, id: i16) -> Option<&Value<'a>> {
        self.0.iter().find(|(own, _)| *own == id).map(|(_, value)| value)
    }

    pub(super) fn integer(&self, id: i16) -> Option<i64> {
        match self.get(id) {
            Some(Value::Integer(value)) => Some(*value),
            _ => None,
        }
    }

    /// A number that must be there and not be negative.
    pub(super) fn count(&self, id: i16) -> Result<u64, Bad> {
        let value = self.integer(id).and_then(|value| u64::try_from(value).ok());
        value.ok_or_else(|| Bad::new(format!("number {id} of its metadata is missing or negative")))
    }

    pub(super) fn text(&self, id: i16) -> Option<&'a str> {
        match self.get(id) {
            Some(Value::Binary(bytes)) => core::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    pub(super) fn inside(&self, id: i16) -> Option<&Struct<'a>> {
        match self.get(id) {
            Some(Value::Struct(inside)) => Some(inside),
            _ => None,
        }
    }

    /// The structs of a list; none if it is absent.
    pub(super) fn structs(&self, id: i16) -> impl Iterator<Item = &Struct<'a>> {
        let list = match self.get(id) {
            Some(Value::List(list)) => list.as_slice(),
            _ => &[],
        };
        list.iter().filter_map(|value| match value {
            Value::Struct(inside) => Some(inside),
            _ => None,
        })
    }

    /// Number of the first field, which tells the kind of a union.
    pub(super) fn kind(&self) -> Option<i16> {
        self.0.first().map(|(id, _)| *id)
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], Bad> {
        let rest = &self.bytes[self.at..];
        let part = rest
            .get(..len)
            .ok_or_else(|| Bad::new("its metadata are cut off"))?;
        self.at += len;
        Ok(part)
    }

    fn byte(&mut self) -> Result<u8, Bad> {
        Ok(self.take(1)?[0])
    }

    fn varint(&mut self) -> Result<u64, Bad> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Bad::new("a number in its metadata is too long"))
    }

    fn integer(&mut self) -> Result<i64, Bad> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn fields(&mut self, depth: usize) -> Result<Struct<'a>, Bad> {
        let mut fields = Vec::new();
        let mut id = 0_i16;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(Struct(fields));
            }
            id = match head >> 4 {
                0 => self.integer()? as i16,
                step => id.wrapping_add(i16::from(step)),
            };
            let value = match head & 0xf {
                TRUE => Value::Integer(1),
                FALSE => Value::Integer(0),
                kind => self.value(kind, depth + 1)?,
            };
            fields.push((id, value));
        }
    }

    fn value(&mut self, kind: u8, depth: usize) -> Result<Value<'a>, Bad> {
        if depth > 16 {
            return Err(Bad::new("its metadata are nested too deeply"));
        }
        Ok(match kind {
            TRUE | FALSE | BYTE => Value::Integer((self.byte()? as i8).into()),
            4..=I64 => Value::Integer(self.integer()?),
            DOUBLE => {
                self.take(8)?;
                Value::Other
            }
            BINARY => {
                let len = self.varint()?;
                Value::Binary(self.take(usize::try_from(len).unwrap_or(usize::MAX))?)
            }
            LIST | SET => {
                let head = self.byte()?;
                let len = if head >> 4 == 15 {
                    self.varint()?
                } else {
                    u64::from(head >> 4)
                };
                // Every element takes a byte at least; nothing is set aside before it was read.
                let list = (0..len)
                    .map(|_| self.value(head & 0xf, depth + 1))
                    .collect::<Result<_, _>>()?;
                Value::List(list)
            }
            STRUCT => Value::Struct(self.fields(depth + 1)?),
            _ => {
                return Err(Bad::new(format!(
                    "its metadata hold a value of unknown kind {kind}"
                )));
            }
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn written_and_read() {
        let mut out = Vec::new();
        let mut writer = Writer::new(&mut out);
        writer.i32(1, -7);
        writer.i64(4, i64::MIN);
        writer.text(5, "é");
        let mut inside = writer.inside(6);
        inside.i64(3, 1 << 40);
        inside.end();
        let list = writer.list(9, Element::Struct, 20);
        for index in 0..20 {
            let mut element = Writer::new(list);
            element.i32(1, index);
            element.end();
        }
        writer.end();
        let (read, length) = Struct::read(&out).unwrap();
        assert_eq!(length, out.len());
        assert_eq!(
            (read.integer(1), read.integer(4), read.text(5)),
            (Some(-7), Some(i64::MIN), Some("é"))
        );
        assert_eq!(read.inside(6).and_then(|inside| inside.integer(3)), Some(1 << 40));
        assert_eq!(read.structs(9).filter_map(|s| s.integer(1)).sum::<i64>(), 190);
        assert!(read.count(1).is_err() && read.count(2).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Struct::read(&bytes);
        }
    }
}
