//! What can be wrong with the numbers of an element, found when a mechanism is compiled.

use crate::diagnostic::{Diagnostic, Sort, Thing};
use crate::signal::Signal;
use holonom_expression::Expression;

/// Collects faults. A field is named as in model files, a quantity in words.
#[derive(Clone, Debug, Default)]
pub struct Faults(Vec<Diagnostic>);

/// A number that is not finite.
pub(crate) fn not_finite(quantity: &str) -> Diagnostic {
    let fault = Diagnostic::new(format!("{quantity} is not a finite number"));
    fault.remedy("correct it").sort(Sort::NotFinite)
}

/// A motion that depends on a control.
pub(crate) fn motion_of_control(control: &str) -> Diagnostic {
    Diagnostic::new(format!(
        "a prescribed motion cannot follow the control \"{control}\", because its derivatives are unknown"
    ))
    .remedy("use a `servo`, or a `joint-spring` with the control in `motor`")
    .said(control)
}

impl Faults {
    /// Adds them as those of a thing.
    pub(crate) fn report(self, thing: &Thing, errors: &mut Vec<Diagnostic>) {
        errors.extend(self.0.into_iter().map(|fault| fault.of(thing)));
    }

    /// Adds a fault in words.
    pub fn add(&mut self, fault: Diagnostic) {
        self.0.push(fault);
    }

    /// A field must be finite; gives whether it is.
    pub fn finite(&mut self, field: &'static str, value: f64) -> bool {
        if !value.is_finite() {
            self.add(not_finite(&format!("`{field}`")).field(field));
        }
        value.is_finite()
    }

    /// A field must be finite and as the condition says.
    pub fn range(&mut self, field: &'static str, value: f64, holds: bool, need: &str, remedy: &str) {
        if self.finite(field, value) && !holds {
            let fault = Diagnostic::new(format!("`{field}` is {value}, but must {need}"));
            self.add(fault.remedy(remedy).field(field));
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
    pub fn require(&mut self, holds: bool, field: &'static str, problem: &str, remedy: &str) {
        if !holds {
            self.add(Diagnostic::new(problem).remedy(remedy).field(field));
        }
    }

    /// A field must be an expression of these variables alone.
    pub fn law(&mut self, field: &'static str, law: &Expression, variables: &[&str]) {
        if let Err(error) = law.over_variables(variables) {
            self.add(Diagnostic::from(&error).field(field));
        } else if let Some(value) = law.value() {
            self.finite(field, value);
        }
    }

    /// A field must be finite.
    pub fn signal(&mut self, field: &'static str, signal: &Signal) {
        if !signal.is_finite() {
            self.finite(field, f64::NAN);
        }
    }

    /// A quantity must be finite; gives whether it is.
    pub fn finite_quantity(&mut self, quantity: &str, values: &[f64]) -> bool {
        let finite = values.iter().all(|value| value.is_finite());
        if !finite {
            self.add(not_finite(quantity));
        }
        finite
    }

    /// A quantity, which a field gives, must be finite and more than zero.
    pub fn positive_quantity(&mut self, field: &'static str, quantity: &str, value: f64, remedy: &str) {
        if self.finite_quantity(quantity, &[value]) && value <= 0.0 {
            let fault = Diagnostic::new(format!("{quantity} is {value}, but must be positive"));
            self.add(fault.remedy(remedy).field(field));
        }
    }

    /// A quantity must be finite.
    pub fn signal_quantity(&mut self, quantity: &str, signal: &Signal) {
        if !signal.is_finite() {
            self.add(not_finite(quantity));
        }
    }

    /// A motion must be finite, and must not depend on controls: it needs derivatives that these do not have.
    pub fn motion(&mut self, quantity: &str, signal: &Signal) {
        self.signal_quantity(quantity, signal);
        if let Some(control) = signal.controls().into_iter().next() {
            self.add(motion_of_control(&control));
        }
    }

    /// A field must have a value within bounds, which are given in words.
    pub fn bounded(&mut self, field: &'static str, value: f64, good: bool, bounds: &str) {
        if !good {
            let fault = Diagnostic::new(format!("`{field}` is {value}, but must be {bounds}"));
            self.add(fault.remedy("correct it").field(field));
        }
    }

    /// A field must be more than zero.
    pub(crate) fn above_zero(&mut self, field: &'static str, value: f64) {
        self.bounded(field, value, value > 0.0 && value.is_finite(), "positive");
    }

    /// A field must not be less than zero.
    pub(crate) fn zero_or_above(&mut self, field: &'static str, value: f64) {
        self.bounded(
            field,
            value,
            value >= 0.0 && value.is_finite(),
            "zero or positive",
        );
    }
}
