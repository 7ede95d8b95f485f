//! Numbers of checkpoints that may be infinite or no number: JSON writes these as `null`, which says neither which they
//! are nor that there is a number. Here they are the texts `inf`, `-inf` and `NaN`. For self-describing formats only.

use core::fmt;
use serde::de::{Deserializer, Error, Visitor};
use serde::ser::{SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};

/// Any number.
#[derive(Clone, Copy)]
struct Number(f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            x if x.is_finite() => to.serialize_f64(x),
            x => to.collect_str(&x),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl Visitor<'_> for Reader {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, `inf`, `-inf` or `NaN`")
    }

    fn visit_f64<E: Error>(self, x: f64) -> Result<f64, E> {
        Ok(x)
    }

    fn visit_i64<E: Error>(self, x: i64) -> Result<f64, E> {
        Ok(x as f64)
    }

    fn visit_u64<E: Error>(self, x: u64) -> Result<f64, E> {
        Ok(x as f64)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<f64, E> {
        text.parse()
            .map_err(|_| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}

/// One number; for `#[serde(with)]`.
pub(crate) mod one {
    use super::*;

    pub fn serialize<S: Serializer>(x: &f64, to: S) -> Result<S::Ok, S::Error> {
        Number(*x).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        Number::deserialize(from).map(|x| x.0)
    }
}

/// Any number of them; for `#[serde(with)]`.
pub(crate) mod many {
    use super::*;

    pub fn serialize<S: Serializer>(all: &[f64], to: S) -> Result<S::Ok, S::Error> {
        let mut list = to.serialize_seq(Some(all.len()))?;
        for x in all {
            list.serialize_element(&Number(*x))?;
        }
        list.end()
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
        let all: Vec<Number> = Vec::deserialize(from)?;
        Ok(all.into_iter().map(|x| x.0).collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Pair {
        #[serde(with = "one")]
        one: f64,
        #[serde(with = "many")]
        many: Vec<f64>,
    }

    #[test]
    fn all_numbers_come_back() {
        let many = vec![0.1, -0.0, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        for one in many.clone() {
            let many = many.clone();
            let text = serde_json::to_string(&Pair {
                one,
                many: many.clone(),
            })
            .unwrap();
            let back: Pair = serde_json::from_str(&text).unwrap();
            let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            assert!(same(one, back.one), "{text}");
            assert!(many.iter().zip(&back.many).all(|(a, b)| same(*a, *b)), "{text}");
        }
    }
}
