//! Simulation of mechanisms from model files.
//!
//! ```
//! use holonom::format::{Files, Settings, read};
//! use holonom::simulation::{Memory, RunOptions, Simulation};
//!
//! let text = r#"
//! [model]
//! format = 1
//! name = "pendulum"
//! [[body]]
//! name = "bob"
//! mass = 1
//! markers = { hinge = [0, 0, 1] }
//! [[joint]]
//! name = "hinge"
//! kind = "revolute"
//! from = "ground"
//! to = "bob.hinge"
//! axis = [0, 1, 0]
//! angle = "20 deg"
//! [simulation]
//! t_end = 2
//! output_step = 0.1
//! "#;
//! let file = read("pendulum.toml", &Files::in_memory([("pendulum.toml", text)]), &[])?;
//! let simulation = Simulation::new(&file, &Settings::default())?;
//! let mut rows = Memory::default();
//! let options = RunOptions::new(simulation.catalogue.select(&["hinge.angle"])?);
//! let report = simulation.run(&options, &mut rows)?;
//! assert_eq!((report.rows, rows.0.len()), (21, 21));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod formulas;
mod gimbal;
mod pace;
mod pipeline;
mod realtime;
mod report;
mod run;
mod settings;
mod state;
mod undefined;
mod watch;

pub use gimbal::GimbalLock;
pub use pace::{FastestMotion, Pace};
pub use pipeline::OutputThread;
pub use realtime::LoopWatch;
pub use report::{ConstraintReport, EnergyReport, RunReport, Status, Used};
pub use run::{Memory, RunCheckpoint, RunError, RunOptions, Sink};
pub use settings::DEFAULT_END;
pub use state::{Replay, ReplayError, StateColumn, StateSampler};

use formulas::{Formulas, State};
use holonom_analysis::statics::{Equilibrium, StaticsOptions, equilibrium};
use holonom_expression::Break;
use holonom_expression::curve::{Refusal, watch_refusals};
use holonom_format::{Message, Messages, ModelFile, Settings};
use holonom_multibody::Examination;
use holonom_multibody::channels::{Catalogue, Input, Selection};
use holonom_multibody::description::Hold;
use holonom_multibody::diagnostic::{Diagnostic, ThingKind};
use holonom_multibody::residual::{Form, Formalism, GglMetric, UnknownName};
use holonom_multibody::start::{Assembled, AssemblyError, AssemblyOptions, DATA_PRECISION};
use holonom_solver::stepper::{AUTO, LinearImplicitOptions};
use holonom_solver::{Options, OutputTimes, Start};
use settings::{Fault, Times};
use std::sync::Arc;
use undefined::Undefined;

/// A mechanism, assembled, with everything chosen that a run needs.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The mechanism at its start.
    pub start: Assembled,
    /// Everything that can be recorded.
    pub catalogue: Catalogue,
    /// Form of the equations.
    pub form: Form,
    /// How they are evaluated.
    pub formalism: Formalism,
    /// Metric of the stabilised form.
    pub ggl_metric: GglMetric,
    /// End time.
    pub t_end: f64,
    /// Output times.
    pub outputs: OutputTimes,
    /// Options of the solver, without output times.
    pub solver: Options,
    /// What was found about functions of time, without the surveys, which the solver has.
    pub examination: Examination,
    /// The equilibrium that the run begins in, where it was asked for.
    pub equilibrium: Option<Equilibrium>,
    /// The formulas of the model, to name those without a value.
    formulas: Arc<Formulas>,
    /// Settings without effect, in words.
    unused_settings: Vec<String>,
}

impl Simulation {
    /// Compiles and assembles a model; `settings` go before those of the file.
    ///
    /// # Errors
    /// Everything that is wrong with the model, the settings or the outputs, with places in the
    /// file.
    pub fn new(file: &ModelFile, settings: &Settings) -> Result<Self, Messages> {
        let used = file.settings.overridden_by(settings);
        // What was typed has no place in the file.
        let place = |name: &str| match settings.get(name) {
            Some(_) => None,
            None => file
                .places
                .find(&ThingKind::Setting.named(name), None)
                .or(file.places.root()),
        };
        let told = |fault: Fault| Message::error(place(fault.setting), fault.text).help(fault.help);
        let settings = used;
        let faults = settings::faults(&settings);
        let mut messages = Messages(faults.into_iter().map(told).collect());
        let model = match file.compile() {
            Ok(model) if messages.0.is_empty() => Arc::new(model),
            Ok(_) => return Err(messages),
            Err(errors) => {
                messages.0.extend(errors.0);
                messages.sort();
                return Err(messages);
            }
        };
        let one = |message: Message| Messages(vec![message]);
        let times = Times::of(&settings);
        let assembly = AssemblyOptions {
            time: times.start,
            assemble: settings.assemble.unwrap_or(true),
            data_precision: settings.data_precision.unwrap_or(DATA_PRECISION),
            ..AssemblyOptions::default()
        };
        if let Some(undefined) = Undefined::find(&model, times.start) {
            return Err(one(undefined_message(file, &undefined)));
        }
        let formulas = Formulas::of(file);
        if let Some((missing, t)) = formulas.vanishing_length(&model, [times.start, times.end]) {
            return Err(one(missing.message(t, file.places.root())));
        }
        let (start, refusal) = watch_refusals(|| model.assemble(&assembly));
        let start = start.map_err(|error| {
            let state = State {
                t: times.start,
                q: &model.q0,
                v: &model.v0,
                x: &model.x0,
            };
            if refusal.is_none()
                && let Some(missing) = formulas.missing(&model, state)
            {
                return one(missing.message(times.start, file.places.root()));
            }
            let mut messages = one(assembly_message(file, &error, refusal.as_ref()));
            // What looks like a forgotten unit may be why it does not fit together.
            messages.0.extend(file.notes.0.iter().cloned());
            messages
        })?;
        let settled = match settings.start.as_deref() {
            Some("equilibrium") => {
                let found = equilibrium(&start, &StaticsOptions::default());
                Some(found.map_err(|error| one(Message::of(&Diagnostic::from(&error), place("start"))))?)
            }
            _ => None,
        };
        let start = match &settled {
            // Settled, with the velocities as described.
            Some(found) => {
                let assembly = AssemblyOptions {
                    positions: Some(found.state.q.clone()),
                    ..assembly
                };
                let settled = model.assemble(&assembly);
                let settled = settled.map_err(|error| one(assembly_message(file, &error, None)))?;
                if let Some(moved) = fixed_that_moved(&start, &settled) {
                    let text = format!("`{moved}` is fixed at a position that is not an equilibrium");
                    let help = "release it, or remove `start = \"equilibrium\"`";
                    return Err(one(Message::error(place("start"), text).help(help)));
                }
                settled
            }
            None => start,
        };
        let usual = if start.rows.active.is_empty() && start.model.switched().is_empty() {
            Form::Ode
        } else {
            Form::Ggl
        };
        let unknown = |name: &'static str, error: UnknownName| {
            let text = format!("unknown {} `{}`", error.what, error.found);
            one(Message::error(place(name), text).help(format!("choose from {}", error.known)))
        };
        let form = match &settings.form {
            Some(name) if name != AUTO => name.parse().map_err(|e| unknown("form", e))?,
            _ => usual,
        };
        let formalism = match &settings.formalism {
            Some(name) if name != AUTO => name.parse().map_err(|e| unknown("formalism", e))?,
            _ => Formalism::default(),
        };
        let ggl_metric = match &settings.ggl_metric {
            Some(name) => name.parse().map_err(|e| unknown("ggl_metric", e))?,
            None => GglMetric::default(),
        };
        // Refused here, not at the first step.
        let equations = start
            .equations_with(form, formalism, ggl_metric)
            .map_err(|e| one(Message::of(&Diagnostic::from(&e), place("form"))))?;
        let mut solver = Options {
            // Assembly has made the start consistent.
            start: Start::Trust,
            ..solver_options(&settings)
        };
        let mut examination = Examination::default();
        if solver.fixed_step.is_none() {
            // A break at the end counts: the last step would go across.
            let end = times.end + 64.0 * f64::EPSILON * times.end.abs();
            examination = start.model.examine([times.start, end]);
            (solver.stop_times, solver.step_ends) = ends_of_steps(&examination.breaks);
            solver.surveys = core::mem::take(&mut examination.surveys).into();
        }
        solver
            .check(equations.system().as_ref())
            .map_err(|error| one(told(settings::fault_of(&error))))?;
        if let (true, Some(h)) = (realtime::is_chosen(&solver), solver.fixed_step) {
            let checked = solver
                .own::<LinearImplicitOptions>()
                .check_with(h, &start.mechanical());
            checked.map_err(|error| one(told(settings::fault_of(&error))))?;
        }
        let inputs: Vec<Input> = file
            .inputs
            .iter()
            .map(|input| Input {
                name: input.name.clone(),
                unit: input.unit.clone(),
                signal: input.signal.clone(),
            })
            .collect();
        let unused_settings = settings::unused(&settings, &solver, form).into_iter();
        let unused_settings = unused_settings
            .map(|(setting, text)| {
                let place = file.places.find(&ThingKind::Setting.named(setting), None);
                let message = Message::note(place, "");
                match message.position() {
                    Some((file, line, _)) => format!("{file}:{line}: {text}"),
                    None => text,
                }
            })
            .collect();
        let catalogue = Catalogue::with_inputs(&start, &inputs);
        check_outputs(file, &catalogue)?;
        Ok(Self {
            catalogue,
            start,
            form,
            formalism,
            ggl_metric,
            t_end: times.end,
            outputs: OutputTimes::every(times.start, times.step, times.end),
            solver,
            examination,
            equilibrium: settled,
            formulas: Arc::new(formulas),
            unused_settings,
        })
    }

    /// What a run may pass unnoticed, each with its remedy.
    pub fn remarks(&self) -> Vec<String> {
        let remark = |function: &String| {
            format!(
                "`{function}` has too many jumps and corners to locate, so steps may pass over them; set \
                 `max_step` to a fraction of their distance"
            )
        };
        let mut remarks: Vec<String> = self.examination.unknown.iter().map(remark).collect();
        let suspects = self.examination.suspects.iter();
        // What has too many jumps has been named.
        let suspects = suspects.filter(|(function, _)| !self.examination.unknown.contains(function));
        remarks.extend(suspects.map(|(function, t)| {
            format!(
                "`{function}` may change near t = {t} s faster than can be resolved, so steps may pass over the change; set `max_step` to a fraction of its duration"
            )
        }));
        remarks.extend(self.start.model.equalities.iter().map(|comparison| {
            format!(
                "{comparison} changes its value only for an instant, which runs do not meet; if a range is meant, \
                 compare its ends with `<` and `>`"
            )
        }));
        remarks.extend(self.unused_settings.iter().cloned());
        remarks.extend(idle_instructions());
        if self.is_kinematic() && self.start.is_locked() {
            remarks.push(
                "the mechanism is locked: it has no degree of freedom and nothing drives it, so it does not \
                 move. If it should move, the data of redundant joints may be inconsistent in their last digits: give more digits, or set `data_precision` to the precision of the data"
                    .to_owned(),
            );
        }
        remarks
    }

    /// The channels that the file wants recorded, or the usual ones.
    ///
    /// # Errors
    /// A pattern that fits no channel, with its place in the file.
    pub fn wanted(&self, file: &ModelFile) -> Result<Selection, Messages> {
        if file.outputs.is_empty() {
            return Ok(self.catalogue.default_selection());
        }
        check_outputs(file, &self.catalogue)?;
        let patterns: Vec<&str> = file.outputs.iter().map(String::as_str).collect();
        let chosen = self.catalogue.select(&patterns);
        chosen.map_err(|error| Messages(vec![Message::of(&Diagnostic::from(&error), None)]))
    }

    /// Whether nothing is left to integrate: everything is prescribed or driven, and no
    /// element has states of its own.
    pub fn is_kinematic(&self) -> bool {
        let model = &self.start.model;
        self.start.degrees_of_freedom() == 0
            && model.states.is_empty()
            && model.switched().is_empty()
            && self.start.velocity_constraints().next().is_none()
    }
}

/// Where the integration starts afresh, and where a step ends; both ascending.
fn ends_of_steps(breaks: &[Break]) -> (Vec<f64>, Vec<f64>) {
    let (mut stops, mut ends) = (Vec::new(), Vec::new());
    for b in breaks {
        if b.order == Break::SMOOTH {
            ends.push(b.at);
            continue;
        }
        // A step that ends a little before a jump sees nothing of it, one that begins there nothing else: methods look
        // a little behind their start. Where rounding may move the jump farther than that, one step is spent on it.
        let [before, behind] = b.sides();
        stops.push(before);
        if b.margin > Break::new(b.at, b.order).margin {
            stops.push(behind);
        }
    }
    // Those of neighbours may overlap.
    stops.sort_by(f64::total_cmp);
    stops.dedup();
    (stops, ends)
}

/// What the processor could do and this build does not: crates that depend on Holonom are built for any x86-64 processor
/// unless their own configuration says otherwise.
fn idle_instructions() -> Option<String> {
    #[cfg(all(target_arch = "x86_64", not(target_feature = "fma")))]
    if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
        let text = "this build does not use the instructions AVX2 and FMA, which the processor has: set the flag \
                    `-Ctarget-cpu=x86-64-v3` for shorter runs; results differ in their last digits";
        return Some(text.into());
    }
    None
}

/// Patterns of the file that match no channel.
fn check_outputs(file: &ModelFile, catalogue: &Catalogue) -> Result<(), Messages> {
    let mut messages = Messages::default();
    for pattern in file.outputs.iter().take(Messages::MOST) {
        if let Err(error) = catalogue.select(&[pattern.as_str()]) {
            let place = file.places.find(&ThingKind::Channel.named(pattern), None);
            messages.0.push(Message::of(&Diagnostic::from(&error), place));
        }
    }
    if messages.0.is_empty() {
        Ok(())
    } else {
        Err(messages)
    }
}

/// The options of the solver that settings ask for; what is not set keeps its default.
///
/// ```
/// use holonom::format::Settings;
/// use holonom::simulation::solver_options;
/// use holonom::solver::stepper::BdfOptions;
/// let settings = Settings { rtol: Some(1e-8), ..Settings::default() }.with("max_order", 2_u64);
/// assert_eq!(solver_options(&settings).tolerances.rtol, 1e-8);
/// assert_eq!(solver_options(&settings).own::<BdfOptions>().max_order, 2);
/// assert_eq!(solver_options(&settings).stepper, "auto");
/// ```
pub fn solver_options(settings: &Settings) -> Options {
    let mut options = Options::default();
    for name in settings.names() {
        if let Some(value) = settings.get(name) {
            // Those that the solver does not have are of the run.
            options.set(name, value);
        }
    }
    options
}

/// A position that is fixed and not the same at another start.
fn fixed_that_moved(start: &Assembled, other: &Assembled) -> Option<String> {
    let model = &start.model;
    let fixed =
        (model.tree.nodes.iter()).filter(|n| n.n_v() > 0 && model.start.positions[n.v] == Hold::Fixed);
    let mut positions = fixed.flat_map(|node| node.q..node.q + node.n_q());
    let moved = positions.find(|&i| (start.q[i] - other.q[i]).abs() > 1e-9 * (1.0 + start.q[i].abs()));
    moved.map(|i| model.position_names[i].clone())
}

/// Why a mechanism could not be assembled, at the table or the loop that is to blame.
fn assembly_message(file: &ModelFile, error: &AssemblyError, refusal: Option<&Refusal>) -> Message {
    if let Some(refusal) = refusal {
        return undefined_message(file, &Undefined::Table(refusal.clone()));
    }
    let loops = match error {
        AssemblyError::CannotClose { loops }
        | AssemblyError::Inconsistent { loops, .. }
        | AssemblyError::Fixed { loops, .. }
        | AssemblyError::Contradiction { loops, .. } => loops.as_slice(),
        _ => &[],
    };
    let place = match error {
        AssemblyError::Penetration { constraint, .. } | AssemblyError::HitAtStart { constraint, .. } => {
            file.places.named(constraint)
        }
        AssemblyError::TurnedOver { joints } => joints.iter().find_map(|joint| file.places.named(joint)),
        AssemblyError::SensorRing { sensor: control, .. } | AssemblyError::NoPast { control } => {
            file.places.find(&ThingKind::Control.named(control), None)
        }
        _ => loops.iter().find_map(|open| file.places.named(&open.constraint)),
    };
    Message::of(&Diagnostic::from(error), place.or(file.places.root()))
}

/// A motion without a value at the start, at the table that lacks it.
fn undefined_message(file: &ModelFile, undefined: &Undefined) -> Message {
    let place = match undefined {
        Undefined::Table(refusal) => file.places.find(&ThingKind::Table.named(&refusal.table), None),
        Undefined::Motion(_) => None,
    };
    let text = format!("at the start {}", undefined.fault());
    Message::error(place.or(file.places.root()), text).help(undefined.remedy())
}
