//! Everything that can be set for a run, by name; which settings have an effect; and what no run can honour.

use super::driver::METHODS;
use super::{Build, Entry, REGISTRY, Takes, fingerprint};
use crate::jacobian::{self, sparsity};
use crate::linear;
use crate::options::{AUTO, Options};
use crate::output_times::OutputTimes;
use crate::refresh::{self, update};
use crate::settings::SettingKind::{Choice, Count, Number};
use crate::settings::{AnyOptions, Factory, Refusal, Setting, SettingInfo, SettingKind, SettingValue, check};
use holonom_dae::{ErrorTest, InputError, System};

/// Settings that all methods share.
const SHARED: &[Setting<Options>] = crate::settings::settings_of!(Options:
    "rtol" = tolerances.rtol: Number(""), "Relative tolerance.", check relative;
    "atol" = tolerances.atol: Number(""), "Absolute tolerance.", check check::positive;
    "stepper" = stepper: Choice(steppers), "Time integration method.";
    "jacobian" = jacobian: Choice(jacobians), "How Jacobians are computed.";
    "sparsity" = sparsity: Choice(sparsities), "How to obtain the sparsity pattern used to group Jacobian columns.";
    "linear" = linear: Choice(linear_solvers), "Linear solver.";
    "refresh" = refresh: Choice(refresh_policies), "When to re-evaluate the Jacobian and when to factorise again.";
    "update" = update: Choice(updates), "Cheap Jacobian updates to allow between full evaluations.";
    "initial_step" = initial_step: Number("s"), "Initial step size.", automatic "chosen automatically", check check::positive;
    "max_step" = max_step: Number("s"), "Maximum step size.", automatic "no limit", check check::positive;
    "min_step" = min_step: Number("s"), "Minimum step size; a run that needs smaller steps fails.", check check::not_negative;
    "fixed_step" = fixed_step: Number("s"), "Fixed step size, without error control.", automatic "variable steps", check check::positive;
    "max_steps" = max_steps: Count, "Maximum number of steps.", check check::at_least_one;
    "time_limit" = time_limit: Number("s"), "Maximum computing time.", automatic "no limit", check check::positive;
);

/// A tolerance of a tenth leaves no digit; ten units of rounding cannot be told from noise.
fn relative(value: &SettingValue) -> Result<(), Refusal> {
    const COARSEST: f64 = 0.1;
    const SHARPEST: f64 = 2e-15;
    let SettingValue::Number(x) = *value else {
        return Ok(());
    };
    let refused = |value: String, remedy: &str| {
        Err(Refusal {
            value,
            remedy: remedy.into(),
        })
    };
    match x {
        x if !(x >= 0.0 && x.is_finite()) => refused(x.to_string(), "give a positive number such as 1e-6"),
        x if x > COARSEST => refused(
            format!("{x}, which leaves no digit right"),
            "give a relative error such as 1e-6",
        ),
        x if x > 0.0 && x < SHARPEST => refused(
            format!("{x:e}, which is below double precision"),
            "give 1e-12 or more; 1e-8 is tight enough for most purposes",
        ),
        _ => Ok(()),
    }
}

fn steppers() -> Vec<&'static str> {
    with_auto(REGISTRY.iter().map(|e| e.name))
}

fn jacobians() -> Vec<&'static str> {
    with_auto(jacobian::REGISTRY.iter().map(|e| e.name))
}

fn sparsities() -> Vec<&'static str> {
    with_auto(sparsity::REGISTRY.iter().map(|e| e.name))
}

fn linear_solvers() -> Vec<&'static str> {
    with_auto(linear::REGISTRY.iter().map(|e| e.name))
}

fn refresh_policies() -> Vec<&'static str> {
    refresh::REGISTRY.iter().map(|e| e.name).collect()
}

fn updates() -> Vec<&'static str> {
    with_auto(update::REGISTRY.iter().map(|e| e.name))
}

fn with_auto(names: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    std::iter::once(AUTO).chain(names).collect()
}

/// An entry of a registry that may have options of its own.
struct Owner {
    /// Setting that chooses it.
    by: &'static str,
    name: &'static str,
    options: Option<Factory>,
}

/// All entries that may have options of their own.
fn owners() -> impl Iterator<Item = Owner> {
    let owner = |by, name, options| Owner { by, name, options };
    let steppers = REGISTRY.iter().map(move |e| owner("stepper", e.name, e.options));
    let solvers = linear::REGISTRY
        .iter()
        .map(move |e| owner("linear", e.name, e.options));
    let policies = refresh::REGISTRY
        .iter()
        .map(move |e| owner("refresh", e.name, e.options));
    steppers.chain(solvers).chain(policies)
}

/// All settings of a run, each with its default: those of all methods first, then those of single ones.
///
/// ```
/// use holonom_solver::stepper::settings;
/// let radius = settings().into_iter().find(|info| info.name == "spectral_radius").ok_or("no such setting")?;
/// assert!(radius.help().ends_with("default 0.8."));
/// # Ok::<(), &str>(())
/// ```
pub fn settings() -> Vec<SettingInfo> {
    let usual = Options::default();
    let mut all: Vec<SettingInfo> = SHARED.iter().map(|setting| setting.info(&usual)).collect();
    for options in owners().filter_map(|owner| owner.options) {
        for info in (*options()).infos() {
            if all.iter().all(|known| known.name != info.name) {
                all.push(info);
            }
        }
    }
    all
}

/// A setting that changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unused {
    /// Its name.
    pub setting: &'static str,
    /// Why, and what to do.
    pub text: String,
}

/// How a setting relates to the options.
enum Use {
    Used,
    /// Nothing is done with it, for the reason given; with what to do instead of removing it.
    Unused(String, String),
}

impl Options {
    /// The value of a setting; none where it has none, or there is no setting of this name.
    ///
    /// ```
    /// use holonom_solver::Options;
    /// use holonom_solver::settings::SettingValue;
    /// let mut options = Options::default();
    /// assert_eq!(options.set("spectral_radius", 0.5.into()), Some(true));
    /// assert_eq!(options.get("spectral_radius"), Some(SettingValue::Number(0.5)));
    /// assert_eq!(options.set("no_such_setting", 1.0.into()), None);
    /// ```
    pub fn get(&self, name: &str) -> Option<SettingValue> {
        if let Some(setting) = SHARED.iter().find(|setting| setting.name == name) {
            return (setting.get)(self);
        }
        let factory = factory_of(name)?;
        (*self.own.like(factory)).get(name)
    }

    /// Sets a setting: false for a value of another sort, none where there is no setting of this name. What no run
    /// can work with is refused by [`check`](Self::check).
    pub fn set(&mut self, name: &str, value: SettingValue) -> Option<bool> {
        if let Some(setting) = SHARED.iter().find(|setting| setting.name == name) {
            return Some((setting.set)(self, value));
        }
        self.own.set(factory_of(name)?, name, value)
    }

    /// The methods that a run with these options may use.
    fn candidates(&self) -> impl Iterator<Item = &'static Entry> {
        let chosen = |entry: &&Entry| match self.stepper == AUTO {
            true => METHODS.contains(&entry.name),
            false => entry.name == self.stepper,
        };
        REGISTRY.iter().filter(chosen)
    }

    /// Whether an entry may be in use.
    fn may_use(&self, owner: &Owner) -> bool {
        match owner.by {
            "stepper" => self.candidates().any(|entry| entry.name == owner.name),
            by => {
                let iterative = self.candidates().any(Entry::is_iterative);
                iterative && self.get(by) == Some(SettingValue::from(owner.name))
            }
        }
    }

    /// Those of some settings that change nothing in a run with these options, each with the reason.
    ///
    /// ```
    /// use holonom_solver::Options;
    /// let options = Options::default().stepper("bdf").stages(5);
    /// let unused = options.unused(["rtol", "stages"]);
    /// assert_eq!(unused.len(), 1);
    /// assert!(unused[0].text.contains("`stages` has no effect with `bdf`"));
    /// ```
    pub fn unused<'a>(&self, settings: impl IntoIterator<Item = &'a str>) -> Vec<Unused> {
        let mut unused = Vec::new();
        for name in settings {
            if let (Some(setting), Some(Use::Unused(with, remedy))) = (static_name(name), self.use_of(name)) {
                let text = format!("the setting `{setting}` has no effect with {with}; remove it{remedy}");
                unused.push(Unused { setting, text });
            }
        }
        unused
    }

    fn use_of(&self, name: &str) -> Option<Use> {
        let in_use = format!("`{}`", self.stepper);
        let fixed = || Some(Use::Unused("`fixed_step`".into(), String::new()));
        let known = |value: Option<SettingValue>| value != Some(SettingValue::from(AUTO));
        match name {
            "jacobian" | "sparsity" | "linear" | "refresh" | "update"
                if known(self.get(name)) && !self.candidates().any(Entry::is_iterative) =>
            {
                let remedy = ", or choose another stepper, such as `bdf`".into();
                return Some(Use::Unused(in_use, remedy));
            }
            "sparsity" if known(self.get(name)) && !self.groups_columns() => {
                let with = format!("`{}`", self.jacobian);
                return Some(Use::Unused(with, ", or choose a grouped Jacobian".into()));
            }
            "rtol" | "atol" if self.candidates().all(|entry| entry.fixed_step) => {
                return Some(Use::Unused(in_use, String::new()));
            }
            "max_step" | "min_step" if self.fixed_step.is_some() => return fixed(),
            _ => {}
        }
        if SHARED.iter().any(|setting| setting.name == name) {
            return Some(Use::Used);
        }
        let has = |owner: &Owner| {
            let infos = owner.options.map(|options| (*options()).infos());
            infos.is_some_and(|infos| infos.iter().any(|info| info.name == name))
        };
        let of: Vec<Owner> = owners().filter(has).collect();
        let first = of.first()?;
        if let Some(owner) = of.iter().find(|owner| self.may_use(owner)) {
            let idle = owner
                .options
                .and_then(|options| (*self.own.like(options)).idle(name));
            return Some(idle.map_or(Use::Used, |with| Use::Unused(with, String::new())));
        }
        let chosen = self
            .get(first.by)
            .filter(|value| *value != SettingValue::from(first.name));
        let with = chosen.map_or(in_use, |value| value.to_string());
        let remedy = format!(", or set `{} = \"{}\"`", first.by, first.name);
        Some(Use::Unused(with, remedy))
    }

    /// Whether the Jacobian engine groups columns.
    fn groups_columns(&self) -> bool {
        jacobian::find(&self.jacobian).is_none_or(|entry| entry.needs_pattern)
    }

    /// Everything that no run can honour, whatever the system.
    pub fn faults(&self) -> Vec<InputError> {
        let mut faults = Vec::new();
        for setting in SHARED {
            let Some(value) = (setting.get)(self) else {
                continue;
            };
            // Tolerances of the whole vector are checked with the structure.
            let refused = match (setting.kind, &value) {
                (SettingKind::Choice(names), SettingValue::Name(name))
                    if !names().contains(&name.as_str()) =>
                {
                    Err(Refusal::of(
                        &value,
                        format!("choose one of {}", names().join(", ")),
                    ))
                }
                _ => (setting.check)(&value),
            };
            faults.extend(refused.err().map(|refusal| refused_option(setting.name, refusal)));
        }
        // An infinite one has no value as a setting.
        for (name, x) in [
            ("initial_step", self.initial_step),
            ("fixed_step", self.fixed_step),
            ("time_limit", self.time_limit),
        ] {
            if x.is_some_and(|x| !x.is_finite()) {
                faults.push(option(
                    name,
                    format!("{}", x.unwrap_or_default()),
                    "give a positive, finite number",
                ));
            }
        }
        if !(self.min_step >= 0.0 && self.min_step < self.max_step) {
            let remedy = "give a number from 0 up to `max_step`";
            faults.push(option("min_step", self.min_step.to_string(), remedy));
        }
        for owner in owners().filter(|owner| self.may_use(owner)) {
            if let Some(factory) = owner.options {
                faults.extend(AnyOptions::check(&*self.own.like(factory)).err());
            }
        }
        if self.fixed_step.is_some() && self.initial_step.is_some() {
            let remedy = "`initial_step` and `fixed_step` exclude each other: give one of the two";
            faults.push(option(
                "initial_step",
                "set together with fixed_step".into(),
                remedy,
            ));
        }
        let entry = super::find(&self.stepper);
        let real = linear::find(&self.linear).is_some_and(|e| !e.complex);
        if real && self.candidates().any(|e| e.in_stages) {
            let remedy = "it has no solver for the complex matrices of methods in stages; choose a direct solver, or \
                          `stepper = \"bdf\"`";
            faults.push(option("linear", format!("`{}`", self.linear), remedy));
        }
        if self.fixed_step.is_none() && entry.is_some_and(|e| e.fixed_step) {
            let remedy = "it needs a fixed step size; set `fixed_step`, such as 1 ms";
            faults.push(option("stepper", format!("`{}`", self.stepper), remedy));
        }
        faults
    }

    /// Refuses options no run of this system can honour.
    ///
    /// # Errors
    /// The first option to blame, with the remedy.
    pub fn check(&self, system: &dyn System) -> Result<(), InputError> {
        let structure = system.structure();
        self.tolerances.check(structure)?;
        if let Some(fault) = self.faults().into_iter().next() {
            return Err(fault);
        }
        self.check_error_test(structure.dimension())?;
        self.check_newton()?;
        let stop_times = OutputTimes::List(self.stop_times.clone());
        let step_ends = OutputTimes::List(self.step_ends.clone());
        for (name, times) in [
            ("outputs", &self.outputs),
            ("stop_times", &stop_times),
            ("step_ends", &step_ends),
        ] {
            if let Some((i, t)) = times.disorder() {
                let remedy = "give finite times in ascending order";
                return Err(option(name, format!("{t} at entry {i}"), remedy));
            }
        }
        let entry = super::find(&self.stepper);
        if entry.is_some_and(|e| e.takes == Takes::Mechanisms) && structure.layout.is_none() {
            let remedy = "it supports only mechanical systems (`Mechanical`), which this system is not; \
                choose `bdf`";
            return Err(option("stepper", format!("`{}`", self.stepper), remedy));
        }
        if !system.has_duals() && jacobian::find(&self.jacobian).is_some_and(|e| e.needs_duals) {
            let remedy = "needs a residual that can be evaluated with dual numbers, which this system \
                          cannot: write it as a `Residual`, or choose differences";
            return Err(option("jacobian", format!("`{}`", self.jacobian), remedy));
        }
        if structure.sparsity.is_none() {
            if linear::find(&self.linear).is_some_and(|e| e.needs_pattern) {
                let remedy = "needs the sparsity pattern, which this system does not declare; \
                              add it to the structure or choose the dense variant";
                return Err(option("linear", format!("`{}`", self.linear), remedy));
            }
            if self.sparsity == sparsity::Sparsity::Traced.name() {
                let remedy = "needs the sparsity pattern, which this system does not declare; \
                              add it to the structure or choose `estimated`";
                return Err(option("sparsity", format!("`{}`", self.sparsity), remedy));
            }
        }
        Ok(())
    }

    fn check_error_test(&self, n: usize) -> Result<(), InputError> {
        let Some(tests) = &self.error_test else {
            return Ok(());
        };
        if tests.len() != n {
            return Err(InputError::WrongSize {
                what: "the list of error tests",
                found: tests.len(),
                expected: n,
            });
        }
        if tests
            .iter()
            .any(|t| matches!(t, ErrorTest::StepPower(p) if *p < 0))
        {
            let remedy = "a negative power makes the test stricter as the step shrinks; give 0 or more";
            return Err(option("error_test", "StepPower below 0".into(), remedy));
        }
        if tests.iter().all(|t| *t == ErrorTest::Excluded) {
            let remedy = "at least one variable must be included in the error test; for a run without \
                error control, set fixed_step";
            return Err(option("error_test", "all excluded".into(), remedy));
        }
        Ok(())
    }

    fn check_newton(&self) -> Result<(), InputError> {
        let (share, rate) = (self.newton.share, self.newton.rejection_rate);
        if !(share > 0.0 && share.is_finite()) {
            return Err(option(
                "newton.share",
                share.to_string(),
                "give a positive, finite number",
            ));
        }
        if !(rate > 0.0 && rate < 1.0) {
            let remedy = "give a number between 0 and 1";
            return Err(option("newton.rejection_rate", rate.to_string(), remedy));
        }
        if self.newton.max_iterations == 0 {
            return Err(option("newton.max_iterations", "0".into(), "give at least 1"));
        }
        match self.error_budget {
            Some(budget) if !(budget > 0.0 && budget.is_finite()) => {
                let remedy = "give a positive, finite number";
                Err(option("error_budget", budget.to_string(), remedy))
            }
            _ => Ok(()),
        }
    }

    /// Tells apart options that lead to other numbers.
    pub(crate) fn fingerprint(&self) -> u64 {
        let general = format!(
            "{:?}",
            (
                (&self.tolerances, &self.error_test, &self.sparsity, &self.update),
                (
                    self.error_budget,
                    self.hold_after_failure,
                    self.long_first_step,
                    self.newton,
                    self.start,
                    self.initial_step
                ),
                (self.max_step, self.min_step, self.fixed_step, self.foresight),
            )
        );
        let own = owners().filter_map(|owner| Some(format!("{:?}", self.own.like(owner.options?))));
        let all: Vec<String> = std::iter::once(general).chain(own).collect();
        fingerprint(all.iter().map(String::as_str))
    }
}

fn option(option: &'static str, value: String, remedy: &str) -> InputError {
    InputError::Option {
        option,
        value,
        remedy: remedy.into(),
    }
}

fn refused_option(option: &'static str, refusal: Refusal) -> InputError {
    InputError::Option {
        option,
        value: refusal.value,
        remedy: refusal.remedy,
    }
}

/// The options that have a setting of this name.
fn factory_of(name: &str) -> Option<Factory> {
    owners()
        .filter_map(|owner| owner.options)
        .find(|options| (*options()).infos().iter().any(|info| info.name == name))
}

fn static_name(name: &str) -> Option<&'static str> {
    let shared = SHARED.iter().map(|setting| setting.name);
    shared
        .chain(
            owners()
                .filter_map(|owner| owner.options)
                .flat_map(|options| (*options()).infos())
                .map(|info| info.name),
        )
        .find(|known| *known == name)
}

impl Entry {
    /// Whether it solves for its steps: with a Jacobian engine, a linear solver and a refresh policy.
    pub fn is_iterative(&self) -> bool {
        matches!(self.build, Build::Iterative(_))
    }

    /// Whether it evaluates residuals of a mechanism; others work on its parts.
    pub fn takes_residual(&self) -> bool {
        self.takes == Takes::Everything
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_values_go_in_and_out() {
        let all = settings();
        for (k, info) in all.iter().enumerate() {
            assert!(
                all[..k].iter().all(|other| other.name != info.name),
                "{}",
                info.name
            );
            assert!(
                info.doc.ends_with('.') && info.help().ends_with('.'),
                "{}",
                info.name
            );
            let value: SettingValue = match info.kind {
                Number(_) => 0.625.into(),
                Count => 3_u64.into(),
                SettingKind::Flag => false.into(),
                Choice(names) => names()[0].into(),
                SettingKind::Names(_) => vec!["spring".to_string(), "damper".into()].into(),
            };
            let mut options = Options::default();
            assert_eq!(options.set(info.name, value.clone()), Some(true), "{}", info.name);
            assert_eq!(options.get(info.name), Some(value), "{}", info.name);
            let other_sort = match info.kind {
                SettingKind::Flag => SettingValue::from(1.0),
                _ => SettingValue::from(true),
            };
            assert_eq!(options.set(info.name, other_sort), Some(false), "{}", info.name);
        }
        assert_eq!(Options::default().set("no_such_setting", 1.0.into()), None);
    }

    /// Every setting of a method tells a checkpoint with another value apart.
    #[test]
    fn settings_of_methods_enter_the_fingerprint() {
        let usual = Options::default().fingerprint();
        for info in owners()
            .filter_map(|owner| owner.options)
            .flat_map(|options| (*options()).infos())
        {
            let value: SettingValue = match info.kind {
                Number(_) => 0.625.into(),
                Count => 3_u64.into(),
                SettingKind::Flag => (info.default != Some(true.into())).into(),
                Choice(names) => names()
                    .into_iter()
                    .find(|name| info.default != Some((*name).into()))
                    .unwrap_or_default()
                    .into(),
                SettingKind::Names(_) => vec!["spring".to_string()].into(),
            };
            let mut options = Options::default();
            options.set(info.name, value);
            assert_ne!(options.fingerprint(), usual, "{}", info.name);
        }
    }
}
