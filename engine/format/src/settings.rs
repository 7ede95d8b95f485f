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
    t_start: f64 = Number("s"), "Start time; default 0.";
    t_end: f64 = Number("s"), "End time; default 10 s.";
    output_step: f64 = Number("s"), "Output interval; default one thousandth of the run.";
    rtol: f64 = Number(""), "Relative tolerance; default 1e-6.";
    atol: f64 = Number(""), "Absolute tolerance; default 1e-6.";
    assemble: bool = Flag, "Close loops and correct velocities before the run; default true.";
    data_precision: f64 = Number(""), "Relative rounding error of lengths and directions in the model; default 1e-6 (six digits). Constraint rows whose conflict it explains are treated as redundant.";
    form: String = Choice(forms), "Form of the equations; default `auto`: `ggl` with constraints and `ode` without.";
    formalism: String = Choice(formalisms), "Evaluation of the equations of motion; default `auto`, which is `residual`.";
    ggl_metric: String = Choice(metrics), "Metric of the position correction in `ggl`.";
    stepper: String = Choice(steppers), "Time integration method; default `auto`.";
    jacobian: String = Choice(jacobians), "How Jacobians are computed.";
    sparsity: String = Choice(sparsities), "How to obtain the sparsity pattern used to group Jacobian columns.";
    linear: String = Choice(linear_solvers), "Linear solver.";
    refresh: String = Choice(refresh_policies), "When to re-evaluate the Jacobian and when to factorise again.";
    update: String = Choice(updates), "Cheap Jacobian updates to allow between full evaluations.";
    max_order: u64 = Count, "Maximum order (multistep methods only).";
    stability_detection: bool = Flag, "Lower the order when stability limits the step size; default true.";
    initial_step: f64 = Number("s"), "Initial step size; default: chosen automatically.";
    max_step: f64 = Number("s"), "Maximum step size.";
    min_step: f64 = Number("s"), "Minimum step size; a run that needs smaller steps fails.";
    fixed_step: f64 = Number("s"), "Fixed step size, without error control.";
    max_steps: u64 = Count, "Maximum number of steps.";
    time_limit: f64 = Number("s"), "Maximum computing time.";
    start: String = Choice(starts), "Initial position: as `given`, or the static `equilibrium` closest to it; default `given`.";
    stiff_terms: String = Choice(stiff_terms), "Force derivatives used by `linear-implicit-euler`; default `j2`.";
    assembly: String = Choice(levels), "Constraint level used by `linear-implicit-euler`: `index1` (acceleration) or `index2` (velocity); default `index2`.";
    stabilisation: String = Choice(stabilisations), "How `linear-implicit-euler` prevents constraint drift; default `projection`.";
    ordering: String = Choice(orderings), "Whether `linear-implicit-euler` updates positions or velocities first; default `positions-first`.";
    stiff: Vec<String> = Names(partitions), "Force elements whose derivatives `linear-implicit-euler` uses: names, `auto` for those that are stiff at the start, or `all`; default `all`.";
    jacobian_shares: u64 = Count, "Number of steps over which `linear-implicit-euler` spreads the update of these derivatives; default 1.";
    baumgarte_alpha: f64 = Number("1/s"), "Parameter α of `baumgarte` and `regularisation`; default 1/h.";
    baumgarte_beta: f64 = Number("1/s^2"), "Parameter β of `baumgarte` with `index1`; default 1/h².";
    projection_steps: u64 = Count, "Newton iterations of `projection` per step; default 1. 0 iterates to convergence, which is not suitable for real time.";
    regularisation_epsilon: f64 = Number(""), "ε of `regularisation`, relative to h G M⁻¹ Gᵀ at the start; default 1e-3.";
    alpha_family: String = Choice(alpha_families), "Coefficients of `generalized-alpha`; default `chung-hulbert`.";
    spectral_radius: f64 = Number(""), "ρ∞ of `generalized-alpha`: fraction of the fastest modes that remains after a step, 1 for no damping; default 0.8.";
    stages: u64 = Count, "Number of stages of `radau`: 3, 5 or 7; default: chosen automatically.";
}

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
