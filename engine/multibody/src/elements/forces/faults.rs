//! What can be wrong with the numbers of an element, found when a mechanism is compiled.

use crate::signal::Signal;
use holonom_expression::{Expression, ExpressionError};

/// A fault of an element.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// A number that is not finite.
    NotFinite { field: &'static str },
    /// A number out of its range.
    Range {
        field: &'static str,
        value: f64,
        need: &'static str,
        remedy: &'static str,
    },
    /// Numbers that do not fit each other.
    Mismatch {
        field: &'static str,
        problem: &'static str,
        remedy: &'static str,
    },
    /// An expression with a variable that does not exist.
    Variable(ExpressionError),
}

/// Collects faults. Fields are named as in model files.
#[derive(Default)]
pub(crate) struct Faults(pub Vec<Fault>);

impl Faults {
    /// Must be finite; gives whether it is.
    pub fn finite(&mut self, field: &'static str, value: f64) -> bool {
        if !value.is_finite() {
            self.0.push(Fault::NotFinite { field });
        }
        value.is_finite()
    }

    /// Must be finite and as the condition says.
    pub fn range(
        &mut self,
        field: &'static str,
        value: f64,
        holds: bool,
        need: &'static str,
        remedy: &'static str,
    ) {
        if self.finite(field, value) && !holds {
            self.0.push(Fault::Range {
                field,
                value,
                need,
                remedy,
            });
        }
    }

    /// Must be finite and more than zero.
    pub fn positive(&mut self, field: &'static str, value: f64) {
        self.range(field, value, value > 0.0, "be positive", "correct it");
    }

    /// Must be finite and not less than zero.
    pub fn not_negative(&mut self, field: &'static str, value: f64) {
        self.range(field, value, value >= 0.0, "not be negative", "correct it");
    }

    /// Must hold.
    pub fn require(&mut self, holds: bool, field: &'static str, problem: &'static str, remedy: &'static str) {
        if !holds {
            self.0.push(Fault::Mismatch {
                field,
                problem,
                remedy,
            });
        }
    }

    /// Must be an expression of these variables alone.
    pub fn law(&mut self, field: &'static str, law: &Expression, variables: &[&str]) {
        if let Err(error) = law.over_variables(variables) {
            self.0.push(Fault::Variable(error));
        } else if let Some(value) = law.value() {
            self.finite(field, value);
        }
    }

    /// Must be finite.
    pub fn signal(&mut self, field: &'static str, signal: &Signal) {
        if !signal.is_finite() {
            self.0.push(Fault::NotFinite { field });
        }
    }
}
