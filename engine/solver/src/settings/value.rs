//! Values of settings, and how options keep them.

use holonom_dae::Absolute;
use std::fmt;

/// What a setting takes.
#[derive(Clone, Copy, Debug)]
pub enum SettingKind {
    /// A number with a unit (empty for none).
    Number(&'static str),
    /// A whole number.
    Count,
    /// true or false.
    Flag,
    /// One of some names.
    Choice(fn() -> Vec<&'static str>),
    /// Names of parts of the model, as a list, or one word for a choice among them.
    Names(fn() -> Vec<&'static str>),
}

impl fmt::Display for SettingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number("") => write!(f, "a number"),
            Self::Number(unit) => write!(f, "a number in {unit}"),
            Self::Count => write!(f, "a whole number"),
            Self::Flag => write!(f, "true or false"),
            Self::Choice(names) => write!(f, "one of {}", names().join(", ")),
            Self::Names(words) => write!(f, "a list of names, or one of {}", words().join(", ")),
        }
    }
}

/// The value of a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingValue {
    /// A number.
    Number(f64),
    /// A whole number.
    Count(u64),
    /// true or false.
    Flag(bool),
    /// A name.
    Name(String),
    /// Names.
    Names(Vec<String>),
}

impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Small and large numbers as 1e-6.
            Self::Number(x) if *x != 0.0 && !(1e-2..1e5).contains(&x.abs()) && x.is_finite() => {
                write!(f, "{x:e}")
            }
            Self::Number(x) => write!(f, "{x}"),
            Self::Count(n) => write!(f, "{n}"),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Name(name) => write!(f, "`{name}`"),
            Self::Names(names) if names.len() == 1 => write!(f, "`{}`", names[0]),
            Self::Names(names) => write!(f, "{}", names.join(", ")),
        }
    }
}

impl From<f64> for SettingValue {
    fn from(x: f64) -> Self {
        Self::Number(x)
    }
}

impl From<u64> for SettingValue {
    fn from(n: u64) -> Self {
        Self::Count(n)
    }
}

impl From<bool> for SettingValue {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<&str> for SettingValue {
    fn from(name: &str) -> Self {
        Self::Name(name.into())
    }
}

impl From<String> for SettingValue {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

impl From<Vec<String>> for SettingValue {
    fn from(names: Vec<String>) -> Self {
        Self::Names(names)
    }
}

/// A type that an option with a setting can have.
pub trait Storable: Sized {
    /// The option from a value; none for a value of another sort.
    fn load(value: SettingValue) -> Option<Self>;
    /// The value of the option; none where it has none.
    fn store(&self) -> Option<SettingValue>;
}

impl Storable for f64 {
    fn load(value: SettingValue) -> Option<Self> {
        match value {
            SettingValue::Number(x) => Some(x),
            _ => None,
        }
    }

    fn store(&self) -> Option<SettingValue> {
        // Infinite: no limit.
        (*self != f64::INFINITY).then_some(SettingValue::Number(*self))
    }
}

impl Storable for bool {
    fn load(value: SettingValue) -> Option<Self> {
        match value {
            SettingValue::Flag(flag) => Some(flag),
            _ => None,
        }
    }

    fn store(&self) -> Option<SettingValue> {
        Some(SettingValue::Flag(*self))
    }
}

impl Storable for String {
    fn load(value: SettingValue) -> Option<Self> {
        match value {
            SettingValue::Name(name) => Some(name),
            _ => None,
        }
    }

    fn store(&self) -> Option<SettingValue> {
        Some(SettingValue::Name(self.clone()))
    }
}

macro_rules! counts {
    ($($type:ty),*) => {
        $(impl Storable for $type {
            fn load(value: SettingValue) -> Option<Self> {
                match value {
                    SettingValue::Count(n) => Some(Self::try_from(n).unwrap_or(Self::MAX)),
                    _ => None,
                }
            }

            fn store(&self) -> Option<SettingValue> {
                Some(SettingValue::Count(*self as u64))
            }
        })*
    };
}

counts!(u64, u32, usize);

impl<T: Storable> Storable for Option<T> {
    fn load(value: SettingValue) -> Option<Self> {
        T::load(value).map(Some)
    }

    fn store(&self) -> Option<SettingValue> {
        self.as_ref().and_then(Storable::store)
    }
}

/// One tolerance for all variables; several have no value as a setting.
impl Storable for Absolute {
    fn load(value: SettingValue) -> Option<Self> {
        f64::load(value).map(Self::Same)
    }

    fn store(&self) -> Option<SettingValue> {
        match self {
            Self::Same(x) => Some(SettingValue::Number(*x)),
            Self::Each(_) => None,
        }
    }
}
