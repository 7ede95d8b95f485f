//! `holonom realtime`: a model in steps of fixed size, with the time that every one of them takes.

use super::view::{self, Watched};
use super::{Command, Outcome, step_size};
use crate::error::Error;
use crate::interrupt::on_interrupt;
use crate::model::{self, Asked};
use crate::output;
use crate::settings;
use clap::{Arg, ArgAction, ArgMatches};
use holonom::analysis::step_size::Advice;
use holonom::dae::FailureKind;
use holonom::format::Settings;
use holonom::multibody::elements::Library;
use holonom::simulation::{LoopWatch, Simulation};
use holonom::solver::stepper::{Advance, DriftBound, RealTime};
use holonom_text::{Align, Table};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The entry of the registry.
pub const COMMAND: Command = Command {
    define,
    run: realtime,
};

const AFTER_HELP: &str = "\
Examples:
  holonom realtime car-axle --step '1 ms' --duration '10 s'
  holonom realtime four-bar --step '1 ms' --duration '10 s' --paced
  holonom realtime four-bar --step '1 ms' --stabilisation baumgarte --assembly index1 --json
  holonom realtime circular-track --step '1 ms' --bound

Before the run, the stable step sizes are computed from the model linearised at its start. Without --paced, steps are
computed as fast as possible; with --paced, each step waits for its start time. A step that takes longer than the step
size is an overrun. Steps never fail: if the result is not finite, the last state is kept. Times depend on the machine
and its load; the numbers of evaluations and operations depend only on the model.";

/// The settings that have a meaning here.
fn wanted(name: &str) -> bool {
    matches!(
        name,
        "fixed_step"
            | "stiff_terms"
            | "assembly"
            | "stabilisation"
            | "ordering"
            | "stiff"
            | "jacobian_shares"
            | "baumgarte_alpha"
            | "baumgarte_beta"
            | "projection_steps"
            | "regularisation_epsilon"
            | "assemble"
            | "start"
            | "t_start"
    )
}

fn define() -> clap::Command {
    let command = clap::Command::new("realtime")
        .about("Simulate with fixed steps of bounded cost, and measure the time of each step")
        .after_help(AFTER_HELP);
    let command = model::arguments(command)
        .arg(
            Arg::new("duration")
                .long("duration")
                .value_name("SECONDS")
                .default_value("10 s")
                .help("Duration in simulated time"),
        )
        .arg(
            Arg::new("paced")
                .long("paced")
                .action(ArgAction::SetTrue)
                .help("Start every step at its real time"),
        )
        .arg(
            Arg::new("bound")
                .long("bound")
                .action(ArgAction::SetTrue)
                .help("Compute the bound of the constraint violation with one projection step per time step, and compare it with the run"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .value_name("FILE")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("-")
                .help("Write the report as JSON to FILE, or to standard output instead of the text"),
        );
    settings::arguments(view::arguments(command), wanted)
}

/// Most steps of a run.
const MOST_STEPS: f64 = 1e10;

fn realtime(matches: &ArgMatches, library: &Library) -> Result<Outcome, Error> {
    let named = model::load(&Asked::typed(matches, library))?;
    let duration = matches.get_one::<String>("duration").cloned().unwrap_or_default();
    let seconds = settings::number("duration", &duration, "s")?;
    let json = matches.get_one::<String>("json").map(String::as_str);
    if let Some(file) = json.filter(|file| *file != "-") {
        output::check_file(Path::new(file))?;
    }
    let typed = Settings {
        stepper: Some("linear-implicit-euler".to_string()),
        ..settings::typed(matches)?
    };
    if named.file.settings.overridden_by(&typed).fixed_step.is_none() {
        return Err(Error::Usage(
            "no step size given: use --step, such as --step '1 ms', or set `fixed_step` in the model".into(),
        ));
    }
    let simulation = Simulation::new(&named.file, &typed).map_err(Error::Model)?;
    let mut system = simulation
        .real_time()
        .map_err(|error| Error::Usage(error.to_string()))?;
    let steps = (seconds / system.h()).round();
    if !(1.0..=MOST_STEPS).contains(&steps) {
        return Err(Error::Usage(format!(
            "--duration {duration} corresponds to {steps} steps; give at least one step and at most \
             {MOST_STEPS:e} steps"
        )));
    }
    let paced = matches.get_flag("paced");
    let advice = step_size::at_start(&simulation, system.method().options(), system.h());
    if json != Some("-") {
        output::print(&step_size::text(&advice))?;
    }
    let bound = match matches.get_flag("bound") {
        true => Some(step_size::bound(&simulation, steps as u64)?),
        false => None,
    };
    let mut watch = simulation
        .loop_watch()
        .map_err(|error| Error::Usage(error.to_string()))?;
    let watched = Watched::start(matches, &named, &simulation, |replay| replay.model().tree.n_q)?;
    let interrupt = watched.as_ref().map(|_| on_interrupt());
    let seen = (watch.as_mut(), watched.as_ref().zip(interrupt.as_deref()));
    let (measured, open) = measure(&mut system, seen, steps as u64, paced);
    let stiff = simulation.stiff_names(system.method().stiff_elements());
    let report = Report {
        name: &named.file.description.name,
        paced,
        measured,
        stiff,
        system: &system,
        advice,
        bound,
    };
    match json {
        Some("-") => output::print(&format!("{:#}\n", report.json()))?,
        Some(file) => {
            output::write(Path::new(file), format!("{:#}\n", report.json()))?;
            output::print(&report.text())?;
        }
        None => output::print(&report.text())?,
    }
    if let (Some(watched), Some(interrupt)) = (watched, interrupt) {
        watched.stay(None, library, &interrupt);
    }
    let held = (report.measured.held > 0).then(|| {
        format!(
            "in {} of {} steps the result was not finite and the previous state was kept; use smaller steps or other stiff terms",
            report.measured.held, report.measured.steps
        )
    });
    let open = open.map(|(t, kind)| format!("from t = {t} on: {kind}"));
    let faults: Vec<String> = [held, open].into_iter().flatten().collect();
    if !faults.is_empty() {
        return Err(Error::Failed(faults.join("\n")));
    }
    Ok(Outcome::Done)
}

/// Classes of the histogram per factor of ten.
const PER_DECADE: usize = 3;
/// Its first class begins here, in seconds.
const SHORTEST: f64 = 1e-7;
/// Seven decades.
const CLASSES: usize = 7 * PER_DECADE;

/// What was seen of the steps.
struct Measured {
    steps: u64,
    held: u64,
    overruns: u64,
    /// Steps that began late by more than a step, when paced.
    late: u64,
    shortest: f64,
    longest: f64,
    total: f64,
    violation: f64,
    classes: [u64; CLASSES],
}

/// Does the steps, with the time of each by itself; where a loop first came apart is told, with its time.
fn measure(
    system: &mut RealTime<'_>,
    (mut watch, watched): (Option<&mut LoopWatch>, Option<(&Watched, &AtomicBool)>),
    steps: u64,
    paced: bool,
) -> (Measured, Option<(f64, FailureKind)>) {
    let mut open = None;
    let mut m = Measured {
        steps,
        held: 0,
        overruns: 0,
        late: 0,
        shortest: f64::INFINITY,
        longest: 0.0,
        total: 0.0,
        violation: 0.0,
        classes: [0; CLASSES],
    };
    let h = system.h();
    let origin = Instant::now();
    for step in 0..steps {
        if paced {
            let due = Duration::try_from_secs_f64(step as f64 * h).unwrap_or(Duration::MAX);
            wait_until(origin, due);
            m.late += u64::from(origin.elapsed().saturating_sub(due).as_secs_f64() > h);
        }
        let begin = Instant::now();
        let done = system.step();
        let time = begin.elapsed().as_secs_f64();
        m.held += u64::from(done != Advance::Done);
        m.overruns += u64::from(time > h);
        m.shortest = m.shortest.min(time);
        m.longest = m.longest.max(time);
        m.total += time;
        let class = ((time / SHORTEST).max(1.0).log10() * PER_DECADE as f64) as usize;
        m.classes[class.min(CLASSES - 1)] += 1;
        if let Some((watched, interrupt)) = watched {
            let state = system.state();
            watched.row(state.t, &state.q);
            if interrupt.load(Ordering::Relaxed) {
                m.steps = step + 1;
                break;
            }
        }
        // Outside the time of the step: an application would not ask for it.
        m.violation = m.violation.max(system.violation());
        if let Some(watch) = &mut watch {
            let judged = watch.look(system.state());
            m.violation = m.violation.max(watch.gap());
            if let (None, Err(kind)) = (&open, judged) {
                open = Some((system.state().t, kind));
            }
        }
    }
    (m, open)
}

/// Sleeps most of the time, and spins for the rest: sleeping alone wakes up late.
fn wait_until(origin: Instant, due: Duration) {
    const SPIN: Duration = Duration::from_micros(200);
    if let Some(rest) = due.checked_sub(origin.elapsed() + SPIN) {
        std::thread::sleep(rest);
    }
    while origin.elapsed() < due {
        std::hint::spin_loop();
    }
}

struct Report<'a> {
    name: &'a str,
    paced: bool,
    measured: Measured,
    stiff: Option<Vec<String>>,
    system: &'a RealTime<'static>,
    advice: Result<Advice, String>,
    bound: Option<DriftBound>,
}

/// Lower end of a class, in seconds.
fn class_begin(class: usize) -> f64 {
    SHORTEST * 10f64.powf(class as f64 / PER_DECADE as f64)
}

impl Report<'_> {
    fn json(&self) -> Value {
        let m = &self.measured;
        let options = self.system.method().options();
        let work: Map<String, Value> = self
            .system
            .work()
            .rows()
            .into_iter()
            .map(|(name, count)| (name.to_string(), json!(count)))
            .collect();
        let used = m.classes.iter().enumerate().filter(|(_, count)| **count > 0);
        json!({
            "name": self.name,
            "step": self.system.h(),
            "steps": m.steps,
            "paced": self.paced,
            "stiff_terms": options.stiff_terms.name(),
            "assembly": options.assembly.name(),
            "stabilisation": options.stabilisation.name(),
            "ordering": options.ordering.name(),
            "stiff": self.stiff,
            "held": m.held,
            "overruns": m.overruns,
            "late": m.late,
            "shortest": m.shortest,
            "mean": m.total / m.steps as f64,
            "longest": m.longest,
            "max_violation": m.violation,
            "work": work,
            "advice": step_size::report(&self.advice),
            "bound": self.bound.as_ref().map(step_size::bound_report),
            "histogram": used.map(|(class, count)| json!({
                "from": class_begin(class),
                "to": class_begin(class + 1),
                "steps": count,
            })).collect::<Vec<_>>(),
        })
    }

    fn text(&self) -> String {
        let m = &self.measured;
        let mut text = format!(
            "{}: {} steps of {}, {}\n",
            self.name,
            m.steps,
            time(self.system.h()),
            self.system.method().options(),
        );
        if let Some(names) = &self.stiff {
            let _ = writeln!(text, "stiff elements: {}", step_size::stiff_text(names));
        }
        let _ = writeln!(text, "every step: {}", self.system.work());
        let mean = m.total / m.steps as f64;
        let _ = writeln!(
            text,
            "time of a step: {} shortest, {} mean, {} longest; {:.1} times as fast as real time",
            time(m.shortest),
            time(mean),
            time(m.longest),
            self.system.h() / mean
        );
        let _ = writeln!(text, "overruns: {}; steps held: {}", m.overruns, m.held);
        if self.paced {
            let _ = writeln!(text, "steps started late by more than one step: {}", m.late);
        }
        let _ = writeln!(text, "max |g|: {:.3e}\n", m.violation);
        if let Some(bound) = &self.bound {
            let _ = writeln!(text, "{bound}\n");
        }
        text + &self.histogram()
    }

    fn histogram(&self) -> String {
        let classes = &self.measured.classes;
        let (Some(first), Some(last)) = (
            classes.iter().position(|count| *count > 0),
            classes.iter().rposition(|count| *count > 0),
        ) else {
            return String::new();
        };
        let mut table = Table::new(&[("from", Align::Right), ("steps", Align::Right), ("", Align::Left)]);
        let most = classes.iter().copied().max().unwrap_or(1).max(1) as f64;
        for class in first..=last {
            let count = classes[class];
            let stars = (40.0 * count as f64 / most).ceil() as usize;
            table.row([time(class_begin(class)), count.to_string(), "*".repeat(stars)]);
        }
        table.render()
    }
}

/// Seconds in a unit that suits them.
fn time(seconds: f64) -> String {
    let (factor, unit) = match seconds {
        s if s < 1e-6 => (1e9, "ns"),
        s if s < 1e-3 => (1e6, "µs"),
        s if s < 1.0 => (1e3, "ms"),
        _ => (1.0, "s"),
    };
    let value = seconds * factor;
    if value < 10.0 {
        format!("{value:.2} {unit}")
    } else {
        format!("{value:.0} {unit}")
    }
}
