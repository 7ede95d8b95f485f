//! The report of commands that check something: rows as printed, checks, and what could not be
//! measured. One shape for all of them:
//! `{name, rows, checks: [{id, value, limit, source, holds}], missing, holds}`.

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

/// One requirement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// Stable name, from the general to the particular, with slashes.
    pub id: String,
    /// What was measured; `None` when the run that should have shown it failed.
    pub value: Option<f64>,
    /// What is asked.
    pub limit: Limit,
    /// What the limit is drawn from or the value compared with.
    pub source: String,
    /// Whether the value is within the limit.
    pub holds: bool,
}

impl Check {
    /// A check of this value. Without a value it does not hold.
    pub fn new(id: impl Into<String>, value: Option<f64>, limit: Limit, source: impl Into<String>) -> Self {
        // NaN would be written as a number that is none.
        let value = value.filter(|v| v.is_finite());
        Self {
            id: id.into(),
            value,
            limit,
            source: source.into(),
            holds: value.is_some_and(|v| limit.admits(v)),
        }
    }
}

/// The report.
#[derive(Clone, Debug, Serialize)]
pub struct Report<R> {
    /// The command or experiment.
    pub name: &'static str,
    /// The table as printed.
    pub rows: Vec<R>,
    /// The requirements.
    pub checks: Vec<Check>,
    /// What could not be measured, and why.
    pub missing: Vec<String>,
    /// Whether every check holds.
    pub holds: bool,
}

impl<R: Serialize> Report<R> {
    /// An empty report, of which everything holds.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            rows: Vec::new(),
            checks: Vec::new(),
            missing: Vec::new(),
            holds: true,
        }
    }

    /// Adds a check.
    pub fn check(&mut self, check: Check) {
        self.holds &= check.holds;
        self.checks.push(check);
    }

    /// The report as JSON, ended by a newline.
    pub fn json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_else(|error| {
            // Only keys that are not strings can fail, and there are none.
            format!("{{\"error\": \"{error}\"}}")
        });
        text.push('\n');
        text
    }
}

/// A number for a table: short, exponents where they are shorter.
pub fn number(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || ((1e-3..1e6).contains(&size) && x == x.round()) {
        format!("{x}")
    } else if (1e-2..1e4).contains(&size) {
        let text = format!("{x:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        let text = format!("{x:.2e}");
        text.replace(".00e", "e")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_without_value_does_not_hold() {
        let mut report = Report::<()>::new("test");
        report.check(Check::new("a", Some(3.0), Limit::AtLeast(2.0), "own"));
        assert!(report.holds);
        report.check(Check::new("b", Some(f64::NAN), Limit::AtMost(2.0), "own"));
        assert!(!report.holds && report.checks[1].value.is_none());
        let json: serde_json::Value = serde_json::from_str(&report.json()).expect("JSON");
        assert_eq!(json["checks"][0]["limit"], 2.0);
        assert_eq!(json["checks"][1]["value"], serde_json::Value::Null);
    }

    #[test]
    fn numbers_are_short() {
        for (x, text) in [
            (400.0, "400"),
            (5e-5, "5e-5"),
            (11.2046, "11.205"),
            (-2.34, "-2.34"),
            (1.23456e-7, "1.23e-7"),
            (0.0, "0"),
        ] {
            assert_eq!(number(x), text);
        }
    }
}
