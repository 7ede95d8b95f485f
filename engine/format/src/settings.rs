//! How a model is to be run: the table `[simulation]`, and the same options on the command line.

use holonom_multibody::residual::{Form, Formalism, GglMetric};
use holonom_solver::Options;
pub use holonom_solver::settings::{SettingInfo, SettingKind, SettingValue};
use holonom_solver::stepper;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A type a setting can have.
trait Stored: Sized {
    fn load(value: SettingValue) -> Option<Self>;
    fn store(&self) -> SettingValue;
}

macro_rules! stored {
    ($($type:ty => $variant:ident),*) => {
        $(impl Stored for $type {
            fn load(value: SettingValue) -> Option<Self> {
                match value {
                    SettingValue::$variant(value) => Some(value),
                    _ => None,
                }
            }
            fn store(&self) -> SettingValue {
                SettingValue::$variant(self.clone())
            }
        })*
    };
}

stored!(f64 => Number, u64 => Count, bool => Flag, String => Name, Vec<String> => Names);

macro_rules! settings {
    (run { $($name:ident: $type:ty = $kind:expr, $doc:literal, $automatic:literal, $usual:expr;)* }
     solver { $($shared:ident: $shared_type:ty;)* }) => {
        /// How a model is to be run. What is not set keeps its default.
        ///
        /// Settings of the run and those that all methods share are fields; those of single methods are among
        /// [`others`](Self::others), see [`with`](Self::with).
        ///
        /// ```
        /// use holonom_format::{SettingValue, Settings};
        /// let file = Settings { t_end: Some(5.0), rtol: Some(1e-6), ..Settings::default() };
        /// let typed = Settings { rtol: Some(1e-9), ..Settings::default() }.with("stages", 5_u64);
        /// let used = file.overridden_by(&typed);
        /// assert_eq!((used.t_end, used.rtol), (Some(5.0), Some(1e-9)));
        /// assert_eq!(used.get("rtol"), Some(SettingValue::Number(1e-9)));
        /// assert_eq!(used.get("stages"), Some(SettingValue::Count(5)));
        /// ```
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Settings {
            $(#[doc = $doc] pub $name: Option<$type>,)*
            $(#[doc = concat!("The setting `", stringify!($shared), "` of the solver.")] pub $shared: Option<$shared_type>,)*
            /// Settings of single methods, by their names.
            pub others: BTreeMap<&'static str, SettingValue>,
        }

        /// Settings of the run, which the solver does not know.
        const OF_THE_RUN: &[SettingInfo] = &[
            $(SettingInfo { name: stringify!($name), kind: $kind, doc: $doc, default: $usual, automatic: $automatic },)*
        ];

        impl Settings {
            /// The value of a setting, if it is set.
            pub fn get(&self, name: &str) -> Option<SettingValue> {
                match name {
                    $(stringify!($name) => self.$name.as_ref().map(Stored::store),)*
                    $(stringify!($shared) => self.$shared.as_ref().map(Stored::store),)*
                    _ => self.others.get(name).cloned(),
                }
            }

            /// Sets a setting; false when there is none of this name and type.
            pub fn set(&mut self, name: &str, value: SettingValue) -> bool {
                match name {
                    $(stringify!($name) => put(&mut self.$name, value),)*
                    $(stringify!($shared) => put(&mut self.$shared, value),)*
                    // The solver knows of which sort it has to be.
                    _ => match find_setting(name) {
                        Some(info) if Options::default().set(name, value.clone()) == Some(true) => {
                            self.others.insert(info.name, value);
                            true
                        }
                        _ => false,
                    },
                }
            }

            /// These settings, with those that are set in `other` taken from there.
            #[must_use]
            pub fn overridden_by(&self, other: &Self) -> Self {
                let mut others = self.others.clone();
                others.extend(other.others.iter().map(|(name, value)| (*name, value.clone())));
                Self {
                    $($name: other.$name.clone().or_else(|| self.$name.clone()),)*
                    $($shared: other.$shared.clone().or_else(|| self.$shared.clone()),)*
                    others,
                }
            }
        }
    };
}

fn put<T: Stored>(field: &mut Option<T>, value: SettingValue) -> bool {
    let value = Stored::load(value);
    let fits = value.is_some();
    if fits {
        *field = value;
    }
    fits
}

impl Settings {
    /// Sets a setting by its name; a name or value that no setting has changes nothing.
    ///
    /// ```
    /// use holonom_format::Settings;
    /// let settings = Settings::default().with("spectral_radius", 0.5).with("stiff_terms", "exact");
    /// assert_eq!(settings.others.len(), 2);
    /// ```
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<SettingValue>) -> Self {
        self.set(name, value.into());
        self
    }

    /// Names of the settings that are set.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let set = |info: &&SettingInfo| self.get(info.name).is_some();
        SETTINGS.iter().filter(set).map(|info| info.name)
    }
}

use SettingKind::{Choice, Flag, Number};

settings! {
    run {
    t_start: f64 = Number("s"), "Start time.", "", Some(SettingValue::Number(0.0));
    t_end: f64 = Number("s"), "End time.", "10 s after the start", None;
    output_step: f64 = Number("s"), "Output interval.", "one thousandth of the run", None;
    assemble: bool = Flag, "Close loops and correct velocities before the run.", "", Some(SettingValue::Flag(true));
    data_precision: f64 = Number(""), "Relative rounding error of lengths and directions in the model; constraint rows whose conflict it explains are treated as redundant.", "1e-6 (six digits)", None;
    form: String = Choice(forms), "Form of the equations.", "`auto`: `ggl` with constraints and `ode` without", None;
    formalism: String = Choice(formalisms), "Evaluation of the equations of motion.", "`auto`, which is `residual`", None;
    ggl_metric: String = Choice(metrics), "Metric of the position correction in `ggl`.", "", None;
    start: String = Choice(starts), "Initial position: as `given`, or the static `equilibrium` closest to it.", "`given`", None;
    }
    solver {
    rtol: f64;
    atol: f64;
    stepper: String;
    jacobian: String;
    sparsity: String;
    linear: String;
    refresh: String;
    update: String;
    initial_step: f64;
    max_step: f64;
    min_step: f64;
    fixed_step: f64;
    max_steps: u64;
    time_limit: f64;
    }
}

/// All settings: those of the run, then those that all methods share, then those of single methods.
pub static SETTINGS: LazyLock<Vec<SettingInfo>> = LazyLock::new(|| {
    let mut all = OF_THE_RUN.to_vec();
    all.extend(stepper::settings());
    all
});

/// The setting of this name.
pub fn find_setting(name: &str) -> Option<&'static SettingInfo> {
    SETTINGS.iter().find(|s| s.name == name)
}

fn starts() -> Vec<&'static str> {
    vec!["given", "equilibrium"]
}

fn forms() -> Vec<&'static str> {
    with_auto(Form::ALL.iter().map(|f| f.name()))
}

fn formalisms() -> Vec<&'static str> {
    with_auto(Formalism::ALL.iter().map(|f| f.name()))
}

fn metrics() -> Vec<&'static str> {
    GglMetric::ALL.iter().map(|m| m.name()).collect()
}

fn with_auto(names: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    std::iter::once(stepper::AUTO).chain(names).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A setting is declared once: where it is a field, it is a setting of the solver too, and of the same sort.
    #[test]
    fn fields_are_settings() {
        for info in SETTINGS.iter() {
            let value = match info.kind {
                Number(_) => 0.5.into(),
                SettingKind::Count => 3_u64.into(),
                Flag => false.into(),
                Choice(names) => names()[0].into(),
                SettingKind::Names(_) => vec!["spring".to_string()].into(),
            };
            let mut settings = Settings::default();
            assert!(
                settings.set(info.name, SettingValue::clone(&value)),
                "{}",
                info.name
            );
            assert_eq!(settings.get(info.name), Some(value), "{}", info.name);
            assert_eq!(settings.names().collect::<Vec<_>>(), [info.name]);
        }
        assert!(!Settings::default().set("no_such_setting", 1.0.into()));
    }
}
