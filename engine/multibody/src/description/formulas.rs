//! The formulas of an element, as they were written, to be named where they have no value.

use super::fields::{Field, Look};
use super::{Constraint, Control, Force};
use crate::signal::Signal;
use holonom_expression::Expression;

/// A formula in a field.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldFormula {
    /// The field.
    pub field: &'static str,
    /// The formula, with inputs and parameters in place of their names.
    pub text: String,
    /// The same as a function of time, if it depends on nothing else.
    pub of_time: Option<Signal>,
}

impl FieldFormula {
    /// That of a function of time; none for a constant.
    pub fn of(field: &'static str, signal: &Signal) -> Option<Self> {
        let text = signal.varies().then(|| signal.to_expression_text()).flatten()?;
        let of_time = signal.controls().is_empty().then(|| signal.clone());
        Some(Self { field, text, of_time })
    }
}

impl Force {
    /// Its formulas.
    pub fn formulas(&self) -> Vec<FieldFormula> {
        let mut found = Formulas::default();
        self.kind.clone().fields(&mut found);
        found.0
    }
}

impl Control {
    /// Its formulas.
    pub fn formulas(&self) -> Vec<FieldFormula> {
        let mut found = Formulas::default();
        self.kind.clone().fields(&mut found);
        found.0
    }
}

impl Constraint {
    /// Its formulas.
    pub fn formulas(&self) -> Vec<FieldFormula> {
        let mut found = Formulas::default();
        self.kind.clone().fields(&mut found);
        found.0
    }
}

/// Collects formulas; constants are none.
#[derive(Default)]
struct Formulas(Vec<FieldFormula>);

impl Formulas {
    fn add(&mut self, field: &Field, signal: &Signal) {
        self.0.extend(FieldFormula::of(field.name, signal));
    }

    fn law(&mut self, field: &Field, law: &Expression) {
        if !law.is_constant() {
            self.0.push(FieldFormula {
                field: field.name,
                text: law.to_string(),
                of_time: None,
            });
        }
    }
}

impl Look for Formulas {
    fn signal(&mut self, field: &Field, value: &mut Signal) {
        self.add(field, value);
    }
    fn signals(&mut self, field: &Field, value: &mut [Signal; 3]) {
        value.iter().for_each(|signal| self.add(field, signal));
    }
    fn expressions(&mut self, field: &Field, _: &[&'static str], value: &mut [Expression; 3]) {
        value.iter().for_each(|law| self.law(field, law));
    }
    fn expression(&mut self, field: &Field, _: &[&'static str], value: &mut Expression) {
        self.law(field, value);
    }
}
