//! What special requirements find.

use crate::report::{Check, Limit};
use serde::Serialize;

/// A measured quantity; the check of the same id, if there is one, says what is asked of it.
#[derive(Clone, Debug, Serialize)]
pub struct SpecialRow {
    pub id: String,
    pub quantity: String,
    pub value: Option<f64>,
    pub unit: &'static str,
    pub failure: Option<String>,
}

/// What came of a special requirement.
#[derive(Default)]
pub struct Findings {
    /// Rows of the table.
    pub rows: Vec<SpecialRow>,
    /// The requirements.
    pub checks: Vec<Check>,
    /// What could not be measured.
    pub missing: Vec<String>,
    /// The failure of the run behind the values that follow.
    pub failure: Option<String>,
}

impl Findings {
    /// Adds a value that is only reported.
    pub fn show(&mut self, id: &str, quantity: &str, value: f64, unit: &'static str) {
        self.rows.push(SpecialRow {
            id: id.into(),
            quantity: quantity.into(),
            // What a run that failed half-way measured is not what was asked for.
            value: Some(value).filter(|_| self.failure.is_none()),
            unit,
            failure: self.failure.clone(),
        });
    }

    /// Adds a value and what is asked of it.
    pub fn require(
        &mut self,
        id: &str,
        quantity: &str,
        value: f64,
        unit: &'static str,
        limit: Limit,
        source: &str,
    ) {
        self.show(id, quantity, value, unit);
        let value = Some(value).filter(|_| self.failure.is_none());
        self.checks.push(Check::new(id, value, limit, source));
    }
}
