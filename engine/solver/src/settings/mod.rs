//! Settings: the options of a run by name.
//!
//! Every setting is declared once, beside the option it sets: its name, what it takes, one sentence, the check of its value
//! and where it has an effect. Its default is that of the option. Model files with their schema, the command line, reports,
//! fingerprints of checkpoints and the remarks about settings without effect all follow from the declaration.
//!
//! Options of a single method, solver or policy belong to it: they are a type of its own that implements [`OwnOptions`], and
//! its entry in the registry names that type. [`Owned`] keeps those that were set.

mod owned;
mod value;

pub use owned::{AnyOptions, Factory, OwnOptions, Owned};
pub use value::{SettingKind, SettingValue, Storable};

use std::fmt;

/// What there is to say about a setting.
#[derive(Clone, Debug)]
pub struct SettingInfo {
    /// Its name in model files and, with dashes, on the command line.
    pub name: &'static str,
    /// What it takes.
    pub kind: SettingKind,
    /// One sentence, without the default.
    pub doc: &'static str,
    /// The value where it is not set; none where that is chosen or computed.
    pub default: Option<SettingValue>,
    /// In words, what holds where it is not set and there is no default value.
    pub automatic: &'static str,
}

impl SettingInfo {
    /// A sentence with the default: for help and reference pages.
    ///
    /// ```
    /// let all = holonom_solver::stepper::settings();
    /// assert_eq!(all[0].help(), "Relative tolerance; default 1e-6.");
    /// ```
    pub fn help(&self) -> String {
        let text = self.doc.trim_end_matches('.');
        match (&self.default, self.automatic) {
            (_, words) if !words.is_empty() => format!("{text}; default: {words}."),
            (Some(value), _) => format!("{text}; default {value}."),
            (None, _) => format!("{text}."),
        }
    }
}

/// Why a value is refused: what it is, and what to give instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The value, as it follows "is".
    pub value: String,
    /// What to do.
    pub remedy: String,
}

impl Refusal {
    /// A value that needs no explanation, with what to do.
    pub fn of(value: &SettingValue, remedy: impl Into<String>) -> Self {
        Self {
            value: value.to_string(),
            remedy: remedy.into(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.value, self.remedy)
    }
}

/// A setting of options `O`, as it is declared.
pub struct Setting<O: 'static> {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub kind: SettingKind,
    /// One sentence, without the default.
    pub doc: &'static str,
    /// In words, what holds where it is not set and there is no default value.
    pub automatic: &'static str,
    /// Refuses values that no run can work with.
    pub check: fn(&SettingValue) -> Result<(), Refusal>,
    /// The value in use.
    pub get: fn(&O) -> Option<SettingValue>,
    /// Sets it; false for a value of another sort.
    pub set: fn(&mut O, SettingValue) -> bool,
}

impl<O> Setting<O> {
    /// What there is to say about it, with the default taken from `usual`.
    pub fn info(&self, usual: &O) -> SettingInfo {
        SettingInfo {
            name: self.name,
            kind: self.kind,
            doc: self.doc,
            default: (self.get)(usual),
            automatic: self.automatic,
        }
    }
}

/// Checks of single values.
pub mod check {
    use super::{Refusal, SettingValue};

    /// Everything goes.
    pub fn any(_: &SettingValue) -> Result<(), Refusal> {
        Ok(())
    }

    fn number(value: &SettingValue) -> f64 {
        match value {
            SettingValue::Number(x) => *x,
            SettingValue::Count(n) => *n as f64,
            _ => f64::NAN,
        }
    }

    /// A number that is positive and finite.
    pub fn positive(value: &SettingValue) -> Result<(), Refusal> {
        let x = number(value);
        if x > 0.0 && x.is_finite() {
            return Ok(());
        }
        Err(Refusal::of(value, "give a positive number"))
    }

    /// A number that is not negative.
    pub fn not_negative(value: &SettingValue) -> Result<(), Refusal> {
        let x = number(value);
        if x >= 0.0 && x.is_finite() {
            return Ok(());
        }
        Err(Refusal::of(value, "give a number that is not negative"))
    }

    /// A whole number of one or more.
    pub fn at_least_one(value: &SettingValue) -> Result<(), Refusal> {
        if number(value) >= 1.0 {
            return Ok(());
        }
        Err(Refusal::of(value, "give at least 1"))
    }
}

/// Declares settings of options: name, field, what it takes, one sentence, optionally what holds where there is no default
/// value, and optionally the check of its value.
macro_rules! settings_of {
    ($options:ty: $($name:literal = $field:ident $(.$part:ident)*: $kind:expr, $doc:literal
        $(, automatic $automatic:literal)? $(, check $check:expr)?;)*) => {
        &[$($crate::settings::Setting::<$options> {
            name: $name,
            kind: $kind,
            doc: $doc,
            automatic: $crate::settings::first_of!($($automatic,)? ""),
            check: $crate::settings::first_of!($($check,)? $crate::settings::check::any),
            get: |options| $crate::settings::Storable::store(&options.$field $(.$part)*),
            set: |options, value| match $crate::settings::Storable::load(value) {
                Some(value) => {
                    options.$field $(.$part)* = value;
                    true
                }
                None => false,
            },
        },)*]
    };
}

/// The first of some expressions.
macro_rules! first_of {
    ($first:expr $(, $rest:expr)* $(,)?) => {
        $first
    };
}

pub(crate) use {first_of, settings_of};
