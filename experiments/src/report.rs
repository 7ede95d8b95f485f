//! The report of what checks something, in one shape for programs and one for people.
//!
//! For programs: `{name, rows, checks: [{id, value, limit, source, holds, outcome, known_gap}], missing, holds}`. A check that
//! does not hold is either a [known gap](crate::gaps), declared with its reason, or a regression; `holds` of the report
//! is false for regressions alone.

pub use crate::limit::Limit;

use crate::gaps;
use holonom_text::{Align, Table, number};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// What a check says about the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The value is within its limit.
    Holds,
    /// It is within its limit although a gap is declared: the declaration can go.
    HoldsAgain,
    /// It is not, and no worse than the declared gap.
    KnownGap,
    /// It is not, and nothing, or something better, is declared.
    Regression,
}

impl Outcome {
    /// As written in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::HoldsAgain => "holds again",
            Self::KnownGap => "known gap",
            Self::Regression => "regression",
        }
    }

    /// As printed in the column `holds` of tables.
    pub fn shown(self) -> &'static str {
        match self {
            Self::Holds => "yes",
            Self::HoldsAgain => "yes, again",
            Self::KnownGap => "known gap",
            Self::Regression => "NO",
        }
    }
}

/// One requirement.
#[derive(Clone, Debug, PartialEq)]
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
    /// With regard to the known gaps.
    pub outcome: Outcome,
    /// Why it is known not to hold.
    pub known_gap: Option<&'static str>,
}

impl Check {
    /// A check of this value. Without a value it does not hold.
    pub fn new(id: impl Into<String>, value: Option<f64>, limit: Limit, source: impl Into<String>) -> Self {
        Self::among(gaps::GAPS, id.into(), value, limit, source.into())
    }

    fn among(known: &[gaps::Gap], id: String, value: Option<f64>, limit: Limit, source: String) -> Self {
        // NaN would be written as a number that is none.
        let value = value.filter(|v| v.is_finite());
        let gap = gaps::find(known, &id);
        let holds = value.is_some_and(|v| limit.admits(v));
        let outcome = match (holds, gap) {
            (true, None) => Outcome::Holds,
            (true, Some(_)) => Outcome::HoldsAgain,
            (false, Some(gap)) if gap.covers(value, limit) => Outcome::KnownGap,
            (false, _) => Outcome::Regression,
        };
        Self {
            id,
            value,
            limit,
            source,
            holds,
            outcome,
            known_gap: gap.map(|gap| gap.reason),
        }
    }
}

impl Serialize for Check {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Check", 7)?;
        out.serialize_field("id", &self.id)?;
        out.serialize_field("value", &self.value)?;
        out.serialize_field("limit", &self.limit)?;
        out.serialize_field("source", &self.source)?;
        out.serialize_field("holds", &self.holds)?;
        out.serialize_field("outcome", self.outcome.name())?;
        out.serialize_field("known_gap", &self.known_gap)?;
        out.end()
    }
}

/// A picture that goes with a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Name of its file, without ending.
    pub name: String,
    /// The SVG file.
    pub svg: String,
}

/// Which checks are printed one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Listed {
    /// All.
    #[default]
    All,
    /// Those that do not hold, and those that hold again: the tables show the others.
    Notable,
}

/// A report in the making.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The command or experiment.
    pub name: String,
    /// Its tables as printed.
    pub text: String,
    /// The rows of the tables for programs.
    pub rows: Vec<Value>,
    /// The requirements.
    pub checks: Vec<Check>,
    /// What could not be measured, and why.
    pub missing: Vec<String>,
    /// Pictures, written where they are asked for.
    pub pictures: Vec<Picture>,
    /// Which checks are printed.
    pub listed: Listed,
}

impl Report {
    /// An empty report, of which everything holds.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Puts its tables under a heading: where it comes from, and what it is about.
    pub(crate) fn head(&mut self, source: &str, about: &str) {
        self.text = format!("{source}: {about}\n\n{}", self.text);
    }

    /// Whether there is no regression.
    pub fn holds(&self) -> bool {
        self.count(Outcome::Regression) == 0
    }

    /// Checks with this outcome.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.checks
            .iter()
            .filter(|check| check.outcome == outcome)
            .count()
    }

    /// Adds a picture.
    pub fn picture(&mut self, name: impl Into<String>, svg: String) {
        let name = name.into();
        self.pictures.push(Picture { name, svg });
    }

    /// Several reports as one: a row for each, and the checks of all.
    pub fn of_all(name: impl Into<String>, reports: Vec<Self>) -> Self {
        let mut all = Self {
            listed: Listed::Notable,
            ..Self::new(name)
        };
        for report in reports {
            all.text += &report.text();
            all.text.push('\n');
            all.rows.push(json!({
                "name": report.name,
                "rows": report.rows,
                "holds": report.holds(),
                "regressions": report.count(Outcome::Regression),
                "known_gaps": report.count(Outcome::KnownGap),
            }));
            all.checks.extend(report.checks);
            all.missing.extend(
                report
                    .missing
                    .into_iter()
                    .map(|m| format!("{}: {m}", report.name)),
            );
            all.pictures.extend(report.pictures);
        }
        all
    }

    /// For programs.
    pub fn value(&self) -> Value {
        json!({
            "name": self.name,
            "rows": self.rows,
            "checks": self.checks,
            "missing": self.missing,
            "holds": self.holds(),
        })
    }

    /// The same as text, ended by a newline.
    pub fn json(&self) -> String {
        format!("{:#}\n", self.value())
    }

    /// For people: the tables, the checks, and what was not measured.
    pub fn text(&self) -> String {
        let mut text = self.text.clone();
        let mut table = Table::new(&[
            ("check", Align::Left),
            ("value", Align::Right),
            ("limit", Align::Left),
            ("holds", Align::Left),
            ("source", Align::Left),
        ]);
        let is_listed = |check: &&Check| self.listed == Listed::All || check.outcome != Outcome::Holds;
        for check in self.checks.iter().filter(is_listed) {
            let value = check.value.map_or("failed".into(), number);
            let limit = check.limit.text();
            table.row([&check.id, &value, &limit, check.outcome.shown(), &check.source]);
        }
        if !table.is_empty() {
            text += &format!("\n{}", table.render());
        }
        for check in &self.checks {
            match (check.outcome, check.known_gap) {
                (Outcome::KnownGap, Some(reason)) => {
                    text += &format!("known gap: {}: {reason}\n", check.id);
                }
                (Outcome::HoldsAgain, Some(reason)) => {
                    text += &format!(
                        "holds again: {}: its known gap can be removed ({reason})\n",
                        check.id
                    );
                }
                _ => {}
            }
        }
        for missing in &self.missing {
            text += &format!("not measured: {missing}\n");
        }
        text + &self.summary()
    }

    /// How many checks hold.
    fn summary(&self) -> String {
        let all = self.checks.len();
        if all == 0 {
            return String::new();
        }
        let count = |holds: bool| self.checks.iter().filter(|check| check.holds == holds).count();
        let mut text = format!("\n{} of {all} checks hold", count(true));
        for (outcome, one, several) in [
            (Outcome::Regression, "regression", "regressions"),
            (Outcome::KnownGap, "known gap", "known gaps"),
            (Outcome::HoldsAgain, "holds again", "hold again"),
        ] {
            match self.count(outcome) {
                0 => {}
                1 => text += &format!(", 1 {one}"),
                n => text += &format!(", {n} {several}"),
            }
        }
        text + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gaps::Gap;

    const KNOWN: &[Gap] = &[Gap {
        check: "test/*/slow",
        worst: 3.0,
        reason: "it is slow",
    }];

    fn check(id: &str, value: f64) -> Check {
        Check::among(KNOWN, id.into(), Some(value), Limit::AtMost(2.0), "own".into())
    }

    #[test]
    fn a_known_gap_is_no_regression_until_it_grows() {
        for (id, value, outcome) in [
            ("test/a/fast", 1.0, Outcome::Holds),
            ("test/a/fast", 2.5, Outcome::Regression),
            ("test/a/slow", 1.0, Outcome::HoldsAgain),
            ("test/a/slow", 2.5, Outcome::KnownGap),
            ("test/a/slow", 3.5, Outcome::Regression),
            ("test/a/slow", f64::NAN, Outcome::Regression),
        ] {
            assert_eq!(check(id, value).outcome, outcome, "{id} {value}");
        }
    }

    #[test]
    fn reports_fail_by_regressions_alone() {
        let mut report = Report::new("test");
        report.checks.push(check("test/a/slow", 2.5));
        report.checks.push(check("test/b/slow", 1.0));
        assert!(report.holds());
        let text = report.text();
        assert!(text.contains("known gap: test/a/slow: it is slow"), "{text}");
        assert!(text.contains("holds again: test/b/slow"), "{text}");
        assert!(
            text.ends_with("1 of 2 checks hold, 1 known gap, 1 holds again\n"),
            "{text}"
        );
        report.checks.push(check("test/c/fast", f64::NAN));
        assert!(!report.holds());
        let json: Value = serde_json::from_str(&report.json()).expect("JSON");
        assert_eq!(json["holds"], false);
        assert_eq!(json["checks"][0]["outcome"], "known gap");
        assert_eq!(json["checks"][0]["known_gap"], "it is slow");
        assert_eq!(json["checks"][0]["limit"], 2.0);
        assert_eq!(json["checks"][2]["value"], Value::Null);
        assert_eq!(json["checks"][2]["outcome"], "regression");
    }

    #[test]
    fn several_reports_have_the_shape_of_one() {
        let mut parts = vec![Report::new("a"), Report::new("b")];
        parts[0].checks.push(check("test/a/slow", 2.5));
        parts[1].checks.push(check("test/b/fast", 2.5));
        let all = Report::of_all("all", parts).value();
        assert_eq!(all["rows"][0]["holds"], true);
        assert_eq!(all["rows"][0]["known_gaps"], 1);
        assert_eq!(all["rows"][1]["regressions"], 1);
        assert_eq!(all["checks"].as_array().map(Vec::len), Some(2));
        assert_eq!(all["holds"], false);
    }
}
