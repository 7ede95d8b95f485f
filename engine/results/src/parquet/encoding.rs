//! How values are packed: runs and bits, Snappy, Base64.

use super::thrift::Bad;

fn cut() -> Bad {
    Bad::new("a page is cut off")
}

fn varint(bytes: &mut &[u8]) -> Result<u64, Bad> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first().ok_or_else(cut)?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if *first < 0x80 {
            return Ok(value);
        }
    }
    Err(Bad::new("a number in a page is too long"))
}

/// Reads `count` numbers of `width` bits from runs of equal numbers and packed groups of eight.
/// The caller bounds `count`.
pub(super) fn hybrid(mut bytes: &[u8], width: u32, count: usize, out: &mut Vec<u32>) -> Result<(), Bad> {
    out.clear();
    if width > 32 {
        return Err(Bad::new("a page has numbers of more than 32 bits"));
    }
    while out.len() < count {
        let head = varint(&mut bytes)?;
        let wanted = count - out.len();
        if head & 1 == 0 {
            let size = width.div_ceil(8) as usize;
            let (value, rest) = bytes.split_at_checked(size).ok_or_else(cut)?;
            bytes = rest;
            let value = value
                .iter()
                .rev()
                .fold(0, |sum, byte| sum << 8 | u32::from(*byte));
            let run = (head >> 1).min(wanted as u64) as usize;
            if run == 0 {
                return Err(Bad::new("a page has an empty run"));
            }
            out.resize(out.len() + run, value);
        } else {
            let groups = (head >> 1).min(wanted.div_ceil(8) as u64) as usize;
            if groups == 0 {
                return Err(Bad::new("a page has an empty run"));
            }
            // The last group may be cut short in the file; what is missing is not needed then.
            let packed = &bytes[..bytes.len().min(groups * width as usize)];
            for index in 0..wanted.min(8 * groups) {
                out.push(bits(packed, index as u64 * u64::from(width), width)?);
            }
            bytes = &bytes[packed.len()..];
        }
    }
    Ok(())
}

/// `width` bits from bit `from` on, lowest first.
fn bits(bytes: &[u8], from: u64, width: u32) -> Result<u32, Bad> {
    let (first, last) = (
        (from / 8) as usize,
        (from + u64::from(width)).div_ceil(8) as usize,
    );
    let part = bytes.get(first..last).ok_or_else(cut)?;
    let sum = part
        .iter()
        .rev()
        .fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    Ok((sum >> (from % 8) & ((1_u64 << width) - 1)) as u32)
}

/// Undoes Snappy's compression; the result must have the length that the page says.
pub(super) fn snappy(mut bytes: &[u8], length: usize) -> Result<Vec<u8>, Bad> {
    let bad = || Bad::new("a page is not sound Snappy");
    // Three bytes give 64 at most; more is a lie, found before memory is set aside for it.
    if varint(&mut bytes)? != length as u64 || length / 32 > bytes.len() {
        return Err(bad());
    }
    let mut out: Vec<u8> = Vec::with_capacity(length);
    while let Some((tag, rest)) = bytes.split_first() {
        bytes = rest;
        let mut number = |size: usize| -> Result<usize, Bad> {
            let (value, rest) = bytes.split_at_checked(size).ok_or_else(bad)?;
            bytes = rest;
            Ok(value
                .iter()
                .rev()
                .fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
        };
        let upper = usize::from(tag >> 2);
        let (len, back) = match tag & 3 {
            0 if upper < 60 => (upper + 1, None),
            0 => (number(upper - 59)? + 1, None),
            1 => (4 + (upper & 7), Some(usize::from(tag >> 5) << 8 | number(1)?)),
            2 => (upper + 1, Some(number(2)?)),
            _ => (upper + 1, Some(number(4)?)),
        };
        if out.len() + len > length {
            return Err(bad());
        }
        match back {
            None => {
                let (literal, rest) = bytes.split_at_checked(len).ok_or_else(bad)?;
                bytes = rest;
                out.extend_from_slice(literal);
            }
            Some(back) => {
                let from = out.len().checked_sub(back).filter(|_| back > 0).ok_or_else(bad)?;
                // The source may overlap what is being written.
                for index in from..from + len {
                    out.push(out[index]);
                }
            }
        }
    }
    if out.len() == length { Ok(out) } else { Err(bad()) }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let sum = part.iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte)) << (8 * (3 - part.len()));
        for index in 0..4 {
            let digit = DIGITS[(sum >> (18 - 6 * index) & 63) as usize];
            out.push(if index <= part.len() { digit.into() } else { '=' });
        }
    }
    out
}

/// `None` if the text is no Base64.
pub(super) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut sum, mut held) = (0_u32, 0);
    for letter in text.trim_end_matches('=').bytes() {
        let digit = DIGITS.iter().position(|digit| *digit == letter)? as u32;
        sum = (sum << 6 | digit) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((sum >> held) as u8);
        }
    }
    Some(out)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn base64_like_everyone() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
        ] {
            assert_eq!(base64(plain.as_bytes()), coded);
            assert_eq!(from_base64(coded).as_deref(), Some(plain.as_bytes()));
        }
        assert_eq!(from_base64("a b"), None);
    }

    #[test]
    fn runs_and_groups() {
        let mut out = Vec::new();
        // A run of four sevens, then a packed group of 0..8 with three bits (the format's own example).
        let bytes = [8, 7, 3, 0b1000_1000, 0b1100_0110, 0b1111_1010];
        hybrid(&bytes, 3, 12, &mut out).unwrap();
        assert_eq!(out, [7, 7, 7, 7, 0, 1, 2, 3, 4, 5, 6, 7]);
        assert!(hybrid(&bytes, 3, 13, &mut out).is_err());
        assert!(hybrid(&bytes, 33, 1, &mut out).is_err());
    }

    #[test]
    fn snappy_literals_and_copies() {
        // "abcd", then eight bytes from four back.
        assert_eq!(
            snappy(&[12, 12, b'a', b'b', b'c', b'd', 0b0001_0001, 4], 12).unwrap(),
            b"abcdabcdabcd"
        );
        assert!(snappy(&[12, 12, b'a', b'b', b'c', b'd', 0b0001_0001, 5], 12).is_err());
        assert!(snappy(&[0xff, 0xff, 0xff, 0x7f], 1 << 27).is_err());
    }

    proptest! {
        #[test]
        fn arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..100), width in 0..40_u32) {
            let _ = hybrid(&bytes, width, 1000, &mut Vec::new());
            let _ = snappy(&bytes, bytes.first().copied().unwrap_or(0).into());
            prop_assert_eq!(from_base64(&base64(&bytes)), Some(bytes));
        }
    }
}
