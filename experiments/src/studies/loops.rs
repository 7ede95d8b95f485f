//! Random loops in every stepper and form: a run that says it is done has all joints closed.

use super::{Finding, Sample, Tallies, family, tabulate, tolerances};
use crate::engine::run_bodies;
use crate::generator::toml::{ALL_DIGITS, text};
use crate::generator::{Family, Wanted, generate};
use crate::mechanism::Mechanism;
use crate::oracle::Oracle;
use crate::parallel::map;
use crate::report::{Check, Limit};
use holonom::format::Settings;

/// What is run.
pub(super) const STEPPERS: [&str; 4] = ["bdf", "radau", "auto", "generalized-alpha"];
pub(super) const FORMS: [&str; 2] = ["ggl", "index3"];
pub(super) const TOLERANCES: [f64; 3] = [1e-4, 1e-6, 1e-8];
/// How far a joint may be open, in tolerances.
const OPEN: f64 = 10.0;
/// Share of runs that must reach their end.
const DONE: f64 = 0.995;
/// Steps after which a run is given up: it would be no use to anyone. A method of order 2 that keeps its
/// tolerance takes ten times as many for every two digits.
const STEPS: u64 = 60_000;
const STEPS_OF_ORDER_TWO: u64 = 3_000_000;

fn most_steps(stepper: &str) -> u64 {
    match stepper {
        "generalized-alpha" => STEPS_OF_ORDER_TWO,
        _ => STEPS,
    }
}

/// The loop of a seed.
pub(super) fn case(seed: u64) -> Option<Mechanism> {
    let wanted = Wanted {
        drives: false,
        ..Wanted::of(family(seed, Family::closed()))
    };
    generate(seed, &wanted)
}

pub fn model(seed: u64) -> Option<String> {
    case(seed).map(|m| text(&m, ALL_DIGITS))
}

/// Settings of one run.
pub(super) fn settings(m: &Mechanism, stepper: &str, form: Option<&str>, tolerance: f64) -> Settings {
    let (rtol, atol) = tolerances(m, tolerance);
    Settings {
        stepper: Some(stepper.into()),
        form: form.map(Into::into),
        rtol: Some(rtol),
        atol: Some(atol),
        max_steps: Some(most_steps(stepper)),
        ..Settings::default()
    }
}

/// Whether a message says where: it names a singular position, or a part.
pub(super) fn is_named(m: &Mechanism, message: &str) -> bool {
    let joints = m.joints.iter().map(|j| &j.name);
    let mut parts = joints.chain(m.constraints.iter().map(|c| &c.name));
    message.contains("singular") || parts.any(|name| message.contains(name.as_str()))
}

/// How a run ended.
enum End {
    /// With the largest opening in tolerances, and where.
    Done(f64, String),
    /// Early, with a message.
    Early(String),
}

fn one(m: &Mechanism, oracle: &Oracle, file: &str, stepper: &str, form: &str, tolerance: f64) -> End {
    match run_bodies(file, &settings(m, stepper, Some(form), tolerance)) {
        Err(message) => End::Early(message),
        Ok(ran) if !ran.is_done() => End::Early(ran.message),
        Ok(ran) => match ran.state(oracle) {
            None => End::Early("channels of bodies are missing".into()),
            Some(state) => {
                let (rtol, atol) = tolerances(m, tolerance);
                let [extent, ..] = oracle.extent(&state);
                let (gap, at) = oracle.openings(&state, rtol * extent + atol, rtol + atol);
                End::Done(gap, at)
            }
        },
    }
}

pub fn run(sample: Sample) -> Finding {
    let seeds = sample.seeds();
    let mut finding = Finding::default();
    let made: Vec<Option<Mechanism>> = map(&seeds, |seed| case(*seed));
    let mut tasks = Vec::new();
    for (k, m) in made.iter().enumerate() {
        if m.is_none() {
            finding
                .missing
                .push(format!("seed {}: no draw was good", seeds[k]));
            continue;
        }
        for stepper in STEPPERS {
            for form in FORMS {
                for tolerance in TOLERANCES {
                    tasks.push((k, stepper, form, tolerance));
                }
            }
        }
    }
    let ends = map(&tasks, |(k, stepper, form, tolerance)| {
        let m = made[*k].as_ref()?;
        Some(one(
            m,
            &Oracle::new(m),
            &text(m, ALL_DIGITS),
            stepper,
            form,
            *tolerance,
        ))
    });
    let mut tallies = Tallies::new();
    let (mut all, mut done, mut open, mut unnamed) = (0, 0, 0, 0);
    let mut widest = 0.0f64;
    for ((k, stepper, form, tolerance), end) in tasks.iter().zip(ends) {
        let (Some(m), Some(end)) = (&made[*k], end) else {
            continue;
        };
        let what = format!("{}, {stepper}, {form}, {tolerance:.0e}", m.family.name());
        all += 1;
        let keys = [m.family.name().to_string(), format!("{stepper}, {form}")];
        keys.iter()
            .for_each(|key| tallies.entry(key.clone()).or_default().all += 1);
        match end {
            End::Done(gap, at) => {
                done += 1;
                widest = widest.max(gap);
                keys.iter()
                    .for_each(|key| tallies.entry(key.clone()).or_default().good += 1);
                if gap > OPEN {
                    open += 1;
                    keys.iter()
                        .for_each(|key| tallies.entry(key.clone()).or_default().wrong += 1);
                    finding.fail(
                        seeds[*k],
                        &what,
                        &format!("done with {at} open by {gap:.1e} tolerances"),
                    );
                }
            }
            End::Early(message) => {
                unnamed += usize::from(!is_named(m, &message));
                finding.fail(seeds[*k], &what, &format!("not done: {message}"));
            }
        }
    }
    tabulate(
        &mut finding,
        "family; stepper, form",
        ["runs", "done", "done but open"],
        &tallies,
    );
    let none = Limit::AtMost(0.0);
    let id = |what: &str| format!("generated-loops/{what}");
    finding.checks.push(Check::new(
        id("open"),
        Some(open as f64),
        none,
        "more than 10 tolerances at the end of a run that is done",
    ));
    finding.share(id("done"), done, all, DONE, "of all runs");
    finding.checks.push(Check::new(
        id("unnamed"),
        Some(unnamed as f64),
        none,
        "runs that end early and do not name the place",
    ));
    finding
        .table
        .push(vec!["widest, tolerances".into(), super::shown(widest)]);
    finding
}
