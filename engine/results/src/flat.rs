//! Flatbuffers, as far as the messages of Arrow need them.
//!
//! A table is a signed distance back to its vtable and its fields; the vtable holds the size of
//! itself, the size of the table, and for each field its place in the table or zero. Texts,
//! vectors and tables stand elsewhere, at an unsigned distance forward from the field.
//! Generated code would need the whole of Arrow; this reader checks every access, so that
//! arbitrary bytes give an error and nothing else.

/// The bytes contradict themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken;

type Read<T> = Result<T, Broken>;

/// A table inside of a buffer.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    bytes: &'a [u8],
    at: usize,
    vtable: usize,
    vtable_size: usize,
}

/// A vector inside of a buffer.
#[derive(Clone, Copy)]
pub(crate) struct Vector<'a> {
    bytes: &'a [u8],
    start: usize,
    len: usize,
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Read<[u8; N]> {
    let part = bytes.get(at..).and_then(|rest| rest.first_chunk::<N>());
    part.copied().ok_or(Broken)
}

/// Follows the distance that stands at `at`.
fn follow(bytes: &[u8], at: usize) -> Read<usize> {
    let distance = u32::from_le_bytes(array(bytes, at)?) as usize;
    at.checked_add(distance)
        .filter(|to| *to < bytes.len())
        .ok_or(Broken)
}

impl<'a> Table<'a> {
    /// The table that the buffer starts with.
    pub(crate) fn root(bytes: &'a [u8]) -> Read<Self> {
        Self::new(bytes, follow(bytes, 0)?)
    }

    fn new(bytes: &'a [u8], at: usize) -> Read<Self> {
        let back = i64::from(i32::from_le_bytes(array(bytes, at)?));
        let vtable = usize::try_from(at as i64 - back).map_err(|_| Broken)?;
        let vtable_size = usize::from(u16::from_le_bytes(array(bytes, vtable)?));
        Ok(Self {
            bytes,
            at,
            vtable,
            vtable_size,
        })
    }

    /// Where a field stands, if it is there.
    fn field(&self, id: usize) -> Read<Option<usize>> {
        let entry = 4 + 2 * id;
        if entry + 2 > self.vtable_size {
            return Ok(None);
        }
        let offset = u16::from_le_bytes(array(self.bytes, self.vtable + entry)?);
        Ok((offset != 0).then_some(self.at + usize::from(offset)))
    }

    fn scalar<const N: usize>(&self, id: usize) -> Read<Option<[u8; N]>> {
        self.field(id)?.map(|at| array(self.bytes, at)).transpose()
    }

    pub(crate) fn u8(&self, id: usize) -> Read<u8> {
        Ok(self.scalar(id)?.map_or(0, u8::from_le_bytes))
    }

    pub(crate) fn i16(&self, id: usize) -> Read<i16> {
        Ok(self.scalar(id)?.map_or(0, i16::from_le_bytes))
    }

    pub(crate) fn i32(&self, id: usize) -> Read<i32> {
        Ok(self.scalar(id)?.map_or(0, i32::from_le_bytes))
    }

    pub(crate) fn i64(&self, id: usize) -> Read<i64> {
        Ok(self.scalar(id)?.map_or(0, i64::from_le_bytes))
    }

    pub(crate) fn has(&self, id: usize) -> Read<bool> {
        Ok(self.field(id)?.is_some())
    }

    pub(crate) fn table(&self, id: usize) -> Read<Option<Self>> {
        self.field(id)?
            .map(|at| Self::new(self.bytes, follow(self.bytes, at)?))
            .transpose()
    }

    /// A vector whose elements take `size` bytes each; empty if absent.
    pub(crate) fn vector(&self, id: usize, size: usize) -> Read<Vector<'a>> {
        let Some(at) = self.field(id)? else {
            return Ok(Vector {
                bytes: self.bytes,
                start: 0,
                len: 0,
            });
        };
        let at = follow(self.bytes, at)?;
        let len = u32::from_le_bytes(array(self.bytes, at)?) as usize;
        let start = at + 4;
        match len.checked_mul(size).and_then(|length| start.checked_add(length)) {
            Some(end) if end <= self.bytes.len() => Ok(Vector {
                bytes: self.bytes,
                start,
                len,
            }),
            _ => Err(Broken),
        }
    }

    /// A text and the place of its first byte in the buffer; empty if absent.
    pub(crate) fn text(&self, id: usize) -> Read<(&'a str, usize)> {
        let Vector { bytes, start, len } = self.vector(id, 1)?;
        let text = core::str::from_utf8(&bytes[start..start + len]).map_err(|_| Broken)?;
        Ok((text, start))
    }
}

impl<'a> Vector<'a> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// An element that is a table.
    pub(crate) fn table(&self, index: usize) -> Read<Table<'a>> {
        if index >= self.len {
            return Err(Broken);
        }
        Table::new(self.bytes, follow(self.bytes, self.start + 4 * index)?)
    }

    /// An element that is a pair of 64-bit numbers.
    pub(crate) fn pair(&self, index: usize) -> Read<(i64, i64)> {
        if index >= self.len {
            return Err(Broken);
        }
        let at = self.start + 16 * index;
        Ok((
            i64::from_le_bytes(array(self.bytes, at)?),
            i64::from_le_bytes(array(self.bytes, at + 8)?),
        ))
    }
}

/// A field of a table to be written; what [`Field::Away`] refers to is written after the table.
pub(crate) enum Field {
    U8(u8),
    I16(i16),
    I64(i64),
    Away,
    Absent,
}

/// Where a distance has to be filled in.
#[derive(Clone, Copy)]
pub(crate) struct Hole(usize);

/// Writes a buffer from its root on.
#[derive(Default)]
pub(crate) struct Builder {
    bytes: Vec<u8>,
}

impl Builder {
    /// Starts anew; the hole is for the root table.
    pub(crate) fn start(&mut self) -> Hole {
        self.bytes.clear();
        self.bytes.extend([0; 4]);
        Hole(0)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn align(&mut self, size: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(size), 0);
    }

    /// Points the hole to what is written next.
    fn fill(&mut self, hole: Hole) {
        let distance = (self.bytes.len() - hole.0) as u32;
        self.bytes[hole.0..hole.0 + 4].copy_from_slice(&distance.to_le_bytes());
    }

    /// Writes a table; returns the holes of its fields that stand elsewhere, in order.
    pub(crate) fn table<const N: usize, const H: usize>(
        &mut self,
        hole: Hole,
        fields: [Field; N],
    ) -> [Hole; H] {
        self.align(2);
        let vtable = self.bytes.len();
        let vtable_size = 4 + 2 * N;
        self.bytes.resize(vtable + vtable_size, 0);
        self.bytes[vtable..vtable + 2].copy_from_slice(&(vtable_size as u16).to_le_bytes());
        self.align(4);
        self.fill(hole);
        let table = self.bytes.len();
        self.bytes.extend(((table - vtable) as i32).to_le_bytes());
        let mut holes = [Hole(0); H];
        let mut next = 0;
        for (id, field) in fields.iter().enumerate() {
            match field {
                Field::Absent => continue,
                Field::U8(_) => {}
                Field::I16(_) => self.align(2),
                Field::Away => self.align(4),
                Field::I64(_) => self.align(8),
            }
            let at = self.bytes.len();
            match field {
                Field::Absent => {}
                Field::U8(value) => self.bytes.extend(value.to_le_bytes()),
                Field::I16(value) => self.bytes.extend(value.to_le_bytes()),
                Field::I64(value) => self.bytes.extend(value.to_le_bytes()),
                Field::Away => {
                    self.bytes.extend([0; 4]);
                    holes[next] = Hole(at);
                    next += 1;
                }
            }
            let entry = vtable + 4 + 2 * id;
            self.bytes[entry..entry + 2].copy_from_slice(&((at - table) as u16).to_le_bytes());
        }
        let size = ((self.bytes.len() - table) as u16).to_le_bytes();
        self.bytes[vtable + 2..vtable + 4].copy_from_slice(&size);
        holes
    }

    pub(crate) fn text(&mut self, hole: Hole, text: &str) {
        self.align(4);
        self.fill(hole);
        self.bytes.extend((text.len() as u32).to_le_bytes());
        self.bytes.extend(text.as_bytes());
        self.bytes.push(0);
    }

    /// Writes a vector of so many tables, which are to follow.
    pub(crate) fn tables(&mut self, hole: Hole, len: usize) -> impl Iterator<Item = Hole> + use<> {
        self.align(4);
        self.fill(hole);
        self.bytes.extend((len as u32).to_le_bytes());
        let start = self.bytes.len();
        self.bytes.resize(start + 4 * len, 0);
        (0..len).map(move |index| Hole(start + 4 * index))
    }

    /// Writes a vector of pairs of 64-bit numbers.
    pub(crate) fn pairs(&mut self, hole: Hole, pairs: impl ExactSizeIterator<Item = (i64, i64)>) {
        // The numbers are aligned, the length stands right before them.
        self.align(4);
        if self.bytes.len().is_multiple_of(8) {
            self.bytes.extend([0; 4]);
        }
        self.fill(hole);
        self.bytes.extend((pairs.len() as u32).to_le_bytes());
        for (a, b) in pairs {
            self.bytes.extend(a.to_le_bytes());
            self.bytes.extend(b.to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Vec<u8> {
        let mut b = Builder::default();
        let root = b.start();
        let fields = [
            Field::U8(7),
            Field::Away,
            Field::I64(-5),
            Field::Absent,
            Field::Away,
            Field::Away,
        ];
        let [text, pairs, tables] = b.table(root, fields);
        b.text(text, "größe");
        b.pairs(pairs, [(1, 2), (3, -4)].into_iter());
        for (index, hole) in b.tables(tables, 2).enumerate() {
            let [] = b.table(hole, [Field::I16(index as i16), Field::I64(9)]);
        }
        b.bytes().to_vec()
    }

    #[test]
    fn written_and_read() -> Read<()> {
        let bytes = sample();
        let root = Table::root(&bytes)?;
        assert_eq!((root.u8(0)?, root.text(1)?.0, root.i64(2)?), (7, "größe", -5));
        assert!(!root.has(3)? && !root.has(77)? && root.i32(3)? == 0);
        let pairs = root.vector(4, 16)?;
        assert_eq!(
            (pairs.len(), pairs.pair(1)?, pairs.pair(2)),
            (2, (3, -4), Err(Broken))
        );
        let tables = root.vector(5, 4)?;
        assert_eq!((tables.table(1)?.i16(0)?, tables.table(1)?.i64(1)?), (1, 9));
        Ok(())
    }

    proptest! {
        #[test]
        fn changed_bytes_never_panic(at in 0..120_usize, to in any::<u8>(), cut in 0..200_usize) {
            let mut bytes = sample();
            let length = bytes.len();
            bytes[at % length] = to;
            bytes.truncate(cut.min(length));
            if let Ok(root) = Table::root(&bytes) {
                for id in 0..8 {
                    let _ = (root.u8(id), root.i64(id), root.text(id));
                    if let Ok(Some(table)) = root.table(id) {
                        let _ = table.i32(0);
                    }
                    if let Ok(vector) = root.vector(id, 16) {
                        let _ = (vector.pair(0), vector.table(0));
                    }
                }
            }
        }
    }
}
