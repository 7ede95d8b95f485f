//! The numbers of one page.

use super::encoding::{hybrid, snappy};
use super::thrift::{Bad, Struct};
use super::{code, kind};
use std::borrow::Cow;

/// More values in one page are refused: a few bytes can stand for any number of equal values.
const MOST_VALUES: u64 = 1 << 24;

/// How a column is stored.
#[derive(Clone, Copy)]
pub(super) struct Format {
    pub(super) kind: i64,
    pub(super) unsigned: bool,
    /// Values may be missing.
    pub(super) optional: bool,
}

/// What stands before the values.
#[derive(Clone, Copy, PartialEq)]
enum Levels {
    /// A dictionary: nothing.
    Dictionary,
    /// Old pages: the levels with their length before them, compressed with the rest.
    Sized,
    /// New pages: so many bytes of repetition and definition levels, never compressed.
    Known(u64, u64),
}

/// What the header of a page says.
pub(super) struct Page {
    values: usize,
    encoding: i64,
    levels: Levels,
    compressed: bool,
    /// Length without compression.
    full: u64,
}

impl Page {
    pub(super) fn new(header: &Struct<'_>, compressed: bool) -> Result<Self, Bad> {
        let unknown = || Bad::new("a page is of unknown kind");
        let (id, encoding) = match header.integer(1) {
            Some(0) => (5, 2),
            Some(2) => (7, 2),
            Some(3) => (8, 4),
            _ => return Err(unknown()),
        };
        let data = header.inside(id).ok_or_else(unknown)?;
        let levels = match id {
            5 => Levels::Sized,
            7 => Levels::Dictionary,
            _ => Levels::Known(data.count(6)?, data.count(5)?),
        };
        let values = data.count(1)?;
        if values > MOST_VALUES {
            return Err(Bad::new("a page claims more than 16 million values"));
        }
        Ok(Self {
            values: values as usize,
            encoding: data.integer(encoding).unwrap_or(-1),
            levels,
            compressed: compressed && (id != 8 || data.integer(7) != Some(0)),
            full: header.count(2)?,
        })
    }

    pub(super) fn is_dictionary(&self) -> bool {
        self.levels == Levels::Dictionary
    }

    /// The numbers, NaN where one is missing.
    pub(super) fn decode(
        &self,
        bytes: &[u8],
        format: Format,
        dictionary: &[f64],
        out: &mut Vec<f64>,
    ) -> Result<(), Bad> {
        let cut = || Bad::new("a page is cut off");
        let (known, bytes) = match self.levels {
            Levels::Known(repetition, definition) => {
                let length = repetition.checked_add(definition).ok_or_else(cut)?;
                let (levels, rest) = bytes.split_at_checked(length as usize).ok_or_else(cut)?;
                (&levels[repetition as usize..], rest)
            }
            _ => (&[][..], bytes),
        };
        let outside = if let Levels::Known(a, b) = self.levels {
            a + b
        } else {
            0
        };
        let plain = match self.compressed {
            true => Cow::Owned(snappy(bytes, self.full.saturating_sub(outside) as usize)?),
            false => Cow::Borrowed(bytes),
        };
        let mut values: &[u8] = &plain;
        let mut there = Vec::new();
        let optional = format.optional && !self.is_dictionary();
        if optional {
            let mut levels = known;
            if self.levels == Levels::Sized {
                let (length, rest) = values.split_first_chunk::<4>().ok_or_else(cut)?;
                (levels, values) = rest
                    .split_at_checked(u32::from_le_bytes(*length) as usize)
                    .ok_or_else(cut)?;
            }
            hybrid(levels, 1, self.values, &mut there)?;
        }
        let present = if optional {
            there.iter().filter(|level| **level == 1).count()
        } else {
            self.values
        };
        out.clear();
        self.numbers(values, format, present, dictionary, out)?;
        if out.len() != present {
            return Err(cut());
        }
        if present < self.values {
            // Spread from the end, so that nothing is overwritten before it was moved.
            let mut from = present;
            out.resize(self.values, f64::NAN);
            for to in (0..self.values).rev() {
                out[to] = if there[to] == 1 {
                    from -= 1;
                    out[from]
                } else {
                    f64::NAN
                };
            }
        }
        Ok(())
    }

    /// Appends `count` numbers, or fewer if the bytes end before.
    fn numbers(
        &self,
        bytes: &[u8],
        format: Format,
        count: usize,
        dictionary: &[f64],
        out: &mut Vec<f64>,
    ) -> Result<(), Bad> {
        match (self.encoding, format.kind) {
            (code::PLAIN_DICTIONARY | code::RLE_DICTIONARY, _) if !self.is_dictionary() => {
                let mut indices = Vec::new();
                if let Some((width, bytes)) = bytes.split_first() {
                    hybrid(bytes, u32::from(*width), count, &mut indices)?;
                }
                for index in indices {
                    let value = dictionary.get(index as usize);
                    out.push(*value.ok_or_else(|| Bad::new("a page refers beyond its dictionary"))?);
                }
                Ok(())
            }
            (code::PLAIN, kind::BOOLEAN) => {
                let bit = |index: usize| {
                    bytes
                        .get(index / 8)
                        .map(|byte| f64::from(byte >> (index % 8) & 1))
                };
                out.extend((0..count).map_while(bit));
                Ok(())
            }
            (code::RLE, kind::BOOLEAN) => {
                let mut bits = Vec::new();
                hybrid(bytes.get(4..).unwrap_or_default(), 1, count, &mut bits)?;
                out.extend(bits.into_iter().map(f64::from));
                Ok(())
            }
            (code::PLAIN | code::PLAIN_DICTIONARY, _) => {
                plain(bytes, format, count, out);
                Ok(())
            }
            (code::BYTE_STREAM_SPLIT, kind) => {
                // First all first bytes, then all second bytes, and so on.
                let size = if matches!(kind, kind::DOUBLE | kind::INT64) {
                    8
                } else {
                    4
                };
                if bytes.len() != size * count {
                    return Err(Bad::new("a page has another length than its values need"));
                }
                let joined: Vec<u8> = (0..bytes.len())
                    .map(|at| bytes[at % size * count + at / size])
                    .collect();
                plain(&joined, format, count, out);
                Ok(())
            }
            (other, _) => Err(Bad::new(format!(
                "a page is coded in the unsupported way {other}"
            ))),
        }
    }
}

fn plain(bytes: &[u8], format: Format, count: usize, out: &mut Vec<f64>) {
    fn each<const N: usize>(bytes: &[u8], count: usize, out: &mut Vec<f64>, to: impl Fn([u8; N]) -> f64) {
        out.extend(
            bytes
                .as_chunks::<N>()
                .0
                .iter()
                .take(count)
                .map(|chunk| to(*chunk)),
        );
    }
    match (format.kind, format.unsigned) {
        (kind::DOUBLE, _) => each(bytes, count, out, f64::from_le_bytes),
        (kind::FLOAT, _) => each(bytes, count, out, |b| f32::from_le_bytes(b).into()),
        (kind::INT32, false) => each(bytes, count, out, |b| i32::from_le_bytes(b).into()),
        (kind::INT32, true) => each(bytes, count, out, |b| u32::from_le_bytes(b).into()),
        (_, false) => each(bytes, count, out, |b| i64::from_le_bytes(b) as f64),
        (_, true) => each(bytes, count, out, |b| u64::from_le_bytes(b) as f64),
    }
}
