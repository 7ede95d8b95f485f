//! How a model is to be run: the table `[simulation]`, and the same options on the command line.

use holonom_multibody::residual::{Form, Formalism, GglMetric};
use holonom_solver::{jacobian, linear, refresh, stepper};

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

/// A setting.
#[derive(Clone, Debug)]
pub struct SettingInfo {
    /// Its name in model files and, with dashes, on the command line.
    pub name: &'static str,
    /// What it takes.
    pub kind: SettingKind,
    /// One sentence.
    pub doc: &'static str,
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
    ($($name:ident: $type:ty = $kind:expr, $doc:literal;)*) => {
        /// How a model is to be run. What is not set keeps its default.
        ///
        /// ```
        /// use holonom_format::{SettingValue, Settings};
        /// let file = Settings { t_end: Some(5.0), rtol: Some(1e-6), ..Settings::default() };
        /// let typed = Settings { rtol: Some(1e-9), ..Settings::default() };
        /// let used = file.overridden_by(&typed);
        /// assert_eq!((used.t_end, used.rtol), (Some(5.0), Some(1e-9)));
        /// assert_eq!(used.get("rtol"), Some(SettingValue::Number(1e-9)));
        /// ```
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Settings {
            $(#[doc = $doc] pub $name: Option<$type>,)*
        }

        /// All settings.
        pub const SETTINGS: &[SettingInfo] = &[
            $(SettingInfo { name: stringify!($name), kind: $kind, doc: $doc },)*
        ];

        impl Settings {
            /// The value of a setting, if it is set.
            pub fn get(&self, name: &str) -> Option<SettingValue> {
                match name {
                    $(stringify!($name) => self.$name.as_ref().map(Stored::store),)*
                    _ => None,
                }
            }

            /// Sets a setting; false when there is none of this name and type.
            pub fn set(&mut self, name: &str, value: SettingValue) -> bool {
                match name {
                    $(stringify!($name) => {
                        let value = Stored::load(value);
                        let fits = value.is_some();
                        if fits {
                            self.$name = value;
                        }
                        fits
                    })*
                    _ => false,
                }
            }

            /// These settings, with those that are set in `other` taken from there.
            #[must_use]
            pub fn overridden_by(&self, other: &Self) -> Self {
                Self { $($name: other.$name.clone().or_else(|| self.$name.clone()),)* }
            }
        }
    };
}

use SettingKind::{Choice, Count, Flag, Names, Number};

settings! {
    t_start: f64 = Number("s"), "Start time; 0 unless set.";
    t_end: f64 = Number("s"), "End time; 10 s unless set.";
    output_step: f64 = Number("s"), "Time between output rows; a thousandth of the run unless set.";
    rtol: f64 = Number(""), "Relative tolerance; 1e-6 unless set.";
    atol: f64 = Number(""), "Absolute tolerance; 1e-6 unless set.";
    assemble: bool = Flag, "Close loops and correct velocities at the start; on unless set to false.";
    data_precision: f64 = Number(""), "Relative error of lengths and directions in the model; 1e-6 unless set, which is six digits. Rows of loops that conflict by no more than it explains are redundant.";
    form: String = Choice(forms), "Form of the equations: `ggl` with loops, `ode` without, unless set.";
    formalism: String = Choice(formalisms), "How the equations of motion are evaluated.";
    ggl_metric: String = Choice(metrics), "Metric of the position correction in `ggl`.";
    stepper: String = Choice(steppers), "Integration method.";
    jacobian: String = Choice(jacobians), "How Jacobians are obtained.";
    sparsity: String = Choice(sparsities), "Where the sparsity pattern comes from by which columns of Jacobians are grouped.";
    linear: String = Choice(linear_solvers), "Linear solver.";
    refresh: String = Choice(refresh_policies), "When Jacobians and factorisations are renewed.";
    update: String = Choice(updates), "What may stand in for a full evaluation of the Jacobian.";
    max_order: u64 = Count, "Highest order of the method; not for methods in stages.";
    stability_detection: bool = Flag, "Lower the order where stability limits the step; on unless set to false.";
    initial_step: f64 = Number("s"), "First step size; chosen unless set.";
    max_step: f64 = Number("s"), "Largest step size.";
    min_step: f64 = Number("s"), "Smallest step size; a run that needs smaller ones fails.";
    fixed_step: f64 = Number("s"), "Fixed step size, without error control.";
    max_steps: u64 = Count, "Steps at most.";
    time_limit: f64 = Number("s"), "Computing time at most.";
    start: String = Choice(starts), "Where a run begins: `given`, or settled in the `equilibrium` next to the given positions; `given` unless set.";
    stiff_terms: String = Choice(stiff_terms), "Derivatives of forces in a step of `linear-implicit-euler`; `j2` unless set.";
    assembly: String = Choice(levels), "Level of the constraints in a step of `linear-implicit-euler`: acceleration or velocity; `index2` unless set.";
    stabilisation: String = Choice(stabilisations), "What `linear-implicit-euler` does against drift off the constraints; `projection` unless set.";
    ordering: String = Choice(orderings), "What comes first in a step of `linear-implicit-euler`; `positions-first` unless set.";
    stiff: Vec<String> = Names(partitions), "Force elements whose derivatives enter a step of `linear-implicit-euler`: names, `auto` for those that are stiff at the start, or `all`, which it is unless set.";
    jacobian_shares: u64 = Count, "Steps of `linear-implicit-euler` over which these derivatives are renewed, a share in each; 1 unless set.";
    baumgarte_alpha: f64 = Number("1/s"), "Parameter α of `baumgarte` and `regularisation`; 1/h unless set.";
    baumgarte_beta: f64 = Number("1/s^2"), "Parameter β of `baumgarte` with `index1`; 1/h² unless set.";
    projection_steps: u64 = Count, "Newton steps of `projection` in each step; 1 unless set, 0 for as many as it takes, which is not for real time.";
    regularisation_epsilon: f64 = Number(""), "ε of `regularisation`, as a part of h G M⁻¹ Gᵀ at the start; 1e-3 unless set.";
    alpha_family: String = Choice(alpha_families), "Coefficients of `generalized-alpha`; `chung-hulbert` unless set.";
    spectral_radius: f64 = Number(""), "ρ∞ of `generalized-alpha`: what is left of the fastest modes after a step, 1 for no damping; 0.8 unless set.";
    stages: u64 = Count, "Stages of methods in stages: 3, 5 or 7 for `radau`; chosen from step to step unless set.";
}

/// The setting of this name.
pub fn find_setting(name: &str) -> Option<&'static SettingInfo> {
    SETTINGS.iter().find(|s| s.name == name)
}

fn starts() -> Vec<&'static str> {
    vec!["given", "equilibrium"]
}

fn forms() -> Vec<&'static str> {
    Form::ALL.iter().map(|f| f.name()).collect()
}

fn formalisms() -> Vec<&'static str> {
    Formalism::ALL.iter().map(|f| f.name()).collect()
}

fn metrics() -> Vec<&'static str> {
    GglMetric::ALL.iter().map(|m| m.name()).collect()
}

fn stiff_terms() -> Vec<&'static str> {
    stepper::StiffTerms::ALL.iter().map(|x| x.name()).collect()
}

fn levels() -> Vec<&'static str> {
    stepper::Level::ALL.iter().map(|x| x.name()).collect()
}

fn stabilisations() -> Vec<&'static str> {
    stepper::Stabilisation::ALL.iter().map(|x| x.name()).collect()
}

fn orderings() -> Vec<&'static str> {
    stepper::Ordering::ALL.iter().map(|x| x.name()).collect()
}

fn alpha_families() -> Vec<&'static str> {
    stepper::Family::NAMES.to_vec()
}

fn partitions() -> Vec<&'static str> {
    vec!["auto", "all"]
}

fn steppers() -> Vec<&'static str> {
    with_auto(stepper::REGISTRY.iter().map(|e| e.name))
}

fn jacobians() -> Vec<&'static str> {
    with_auto(jacobian::REGISTRY.iter().map(|e| e.name))
}

fn sparsities() -> Vec<&'static str> {
    with_auto(jacobian::sparsity::REGISTRY.iter().map(|e| e.name))
}

fn linear_solvers() -> Vec<&'static str> {
    with_auto(linear::REGISTRY.iter().map(|e| e.name))
}

fn refresh_policies() -> Vec<&'static str> {
    refresh::REGISTRY.iter().map(|e| e.name).collect()
}

fn updates() -> Vec<&'static str> {
    with_auto(refresh::update::REGISTRY.iter().map(|e| e.name))
}

fn with_auto(names: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    std::iter::once("auto").chain(names).collect()
}
