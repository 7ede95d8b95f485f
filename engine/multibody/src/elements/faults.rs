//! What can be wrong with the numbers of an element, found when a mechanism is compiled.

use crate::signal::Signal;
use holonom_expression::{Expression, ExpressionError};

/// A fault of an element.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// A number that is not finite.
    NotFinite { quantity: String },
    /// A number that must be positive.
    NotPositive {
        quantity: &'static str,
        value: f64,
        remedy: &'static str,
    },
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
    /// A function with the wrong number of inputs or outputs.
    WrongLaw { inputs: usize, outputs: usize },
    /// A motion that depends on a control.
    MotionOfControl { control: String },
    /// Limits that are not used.
    UnusedLimits,
    /// Limits of which the lower one is not below the other.
    Limits { low: f64, high: f64 },
    /// A transfer function whose output would not exist.
    ImproperTransferFunction,
    /// Data that describe nothing, in words with the remedy.
    Data(String),
}

/// Collects faults. A field is named as in model files, a quantity in words.
#[derive(Clone, Debug, Default)]
pub struct Faults(pub(crate) Vec<Fault>);

impl Faults {
    fn not_finite(&mut self, quantity: impl Into<String>) {
        let quantity = quantity.into();
        self.0.push(Fault::NotFinite { quantity });
    }

    /// A field must be finite; gives whether it is.
    pub fn finite(&mut self, field: &'static str, value: f64) -> bool {
        if !value.is_finite() {
            self.not_finite(format!("`{field}`"));
        }
        value.is_finite()
    }

    /// A field must be finite and as the condition says.
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

    /// A field must be finite and more than zero.
    pub fn positive(&mut self, field: &'static str, value: f64) {
        self.range(field, value, value > 0.0, "be positive", "correct it");
    }

    /// A field must be finite and not less than zero.
    pub fn not_negative(&mut self, field: &'static str, value: f64) {
        self.range(field, value, value >= 0.0, "not be negative", "correct it");
    }

    /// A condition must hold.
    pub fn require(&mut self, holds: bool, field: &'static str, problem: &'static str, remedy: &'static str) {
        if !holds {
            self.0.push(Fault::Mismatch {
                field,
                problem,
                remedy,
            });
        }
    }

    /// A field must be an expression of these variables alone.
    pub fn law(&mut self, field: &'static str, law: &Expression, variables: &[&str]) {
        if let Err(error) = law.over_variables(variables) {
            self.0.push(Fault::Variable(error));
        } else if let Some(value) = law.value() {
            self.finite(field, value);
        }
    }

    /// A field must be finite.
    pub fn signal(&mut self, field: &'static str, signal: &Signal) {
        if !signal.is_finite() {
            self.not_finite(format!("`{field}`"));
        }
    }

    /// A quantity must be finite; gives whether it is.
    pub fn finite_quantity(&mut self, quantity: &'static str, values: &[f64]) -> bool {
        let finite = values.iter().all(|value| value.is_finite());
        if !finite {
            self.not_finite(quantity);
        }
        finite
    }

    /// A quantity must be finite and more than zero.
    pub fn positive_quantity(&mut self, quantity: &'static str, value: f64, remedy: &'static str) {
        if self.finite_quantity(quantity, &[value]) && value <= 0.0 {
            self.0.push(Fault::NotPositive {
                quantity,
                value,
                remedy,
            });
        }
    }

    /// A quantity must be finite.
    pub fn signal_quantity(&mut self, quantity: &'static str, signal: &Signal) {
        if !signal.is_finite() {
            self.not_finite(quantity);
        }
    }

    /// A motion must be finite, and must not depend on controls: it needs derivatives that these do not have.
    pub fn motion(&mut self, quantity: &'static str, signal: &Signal) {
        self.signal_quantity(quantity, signal);
        if let Some(control) = signal.controls().into_iter().next() {
            self.0.push(Fault::MotionOfControl { control });
        }
    }

    /// A field must have a value within bounds, which are given in words.
    pub fn bounded(&mut self, field: &str, value: f64, good: bool, bounds: &str) {
        if !good {
            self.data(format!("`{field}` is {value}, but must be {bounds}; correct it"));
        }
    }

    /// A field must be more than zero.
    pub(crate) fn above_zero(&mut self, field: &str, value: f64) {
        self.bounded(field, value, value > 0.0 && value.is_finite(), "positive");
    }

    /// A field must not be less than zero.
    pub(crate) fn zero_or_above(&mut self, field: &str, value: f64) {
        self.bounded(
            field,
            value,
            value >= 0.0 && value.is_finite(),
            "zero or positive",
        );
    }

    /// Data must describe something; the text says what is wrong and what to do.
    pub fn data(&mut self, fault: impl Into<String>) {
        self.0.push(Fault::Data(fault.into()));
    }
}
