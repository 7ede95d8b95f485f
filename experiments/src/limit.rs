//! What is asked of values.

use holonom_text::number;
use serde::{Serialize, Serializer};

/// What is asked of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// No less than this.
    AtLeast(f64),
    /// No more than this.
    AtMost(f64),
    /// Less than this.
    Below(f64),
}

impl Limit {
    /// Whether a value is within the limit; NaN never is.
    pub fn admits(self, value: f64) -> bool {
        match self {
            Self::AtLeast(limit) => value >= limit,
            Self::AtMost(limit) => value <= limit,
            Self::Below(limit) => value < limit,
        }
    }

    /// The number alone.
    pub fn number(self) -> f64 {
        let (Self::AtLeast(limit) | Self::AtMost(limit) | Self::Below(limit)) = self;
        limit
    }

    /// The same demand with another number.
    pub fn at(self, limit: f64) -> Self {
        match self {
            Self::AtLeast(_) => Self::AtLeast(limit),
            Self::AtMost(_) => Self::AtMost(limit),
            Self::Below(_) => Self::Below(limit),
        }
    }

    /// As printed in tables.
    pub fn text(self) -> String {
        let sign = match self {
            Self::AtLeast(_) => "≥",
            Self::AtMost(_) => "≤",
            Self::Below(_) => "<",
        };
        format!("{sign} {}", number(self.number()))
    }
}

impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.number())
    }
}
