//! Pulses of every kind under every stepper with default settings: none is stepped over.

use super::{Finding, Sample, Tallies, shown, tabulate};
use crate::engine::{Ran, run as run_model};
use crate::generator::excitations::{Excitation, excitation};
use crate::parallel::map;
use crate::report::{Check, Limit};
use holonom::format::Settings;

const STEPPERS: [&str; 6] = [
    "bdf",
    "backward-euler",
    "radau",
    "dormand-prince",
    "generalized-alpha",
    "auto",
];
/// The default tolerance, and the error at the end in it.
const TOLERANCE: f64 = 1e-6;
const ERROR: f64 = 100.0;
/// The run to compare with: steps forced; and what runs it, at which tolerance: the first that reaches the end.
const FORCED: f64 = 1e4;
const TIGHT: [(&str, f64); 3] = [("radau", 1e-10), ("dormand-prince", 1e-10), ("bdf", 1e-9)];
/// A run that is off by more than this part of what the pulse did has missed it.
const MISSED: f64 = 0.1;
/// A relative change of masses, and by how many tolerances it may move the end: motion that amplifies it by more is
/// chaotic, and its errors say nothing about steppers.
pub(super) const ASIDE: f64 = 1e-9;
const CHAOTIC: f64 = 0.1;
/// Steps after which a run is given up.
const STEPS: u64 = 3_000_000;
/// What is compared.
const CHANNELS: [&str; 3] = ["*.position.?", "*.orientation.?", "*.velocity.?"];

pub fn model(seed: u64) -> Option<String> {
    Some(excitation(seed).text)
}

/// The largest difference at the end, in default tolerances.
fn distance(a: &Ran, b: &Ran) -> f64 {
    let one = |((_, x), (_, y)): (&(String, f64), &(String, f64))| {
        (x - y).abs() / (TOLERANCE * y.abs() + TOLERANCE)
    };
    let all = a.last.iter().zip(&b.last).map(one);
    all.fold(
        0.0,
        |m, e| if e.is_nan() { f64::INFINITY } else { f64::max(m, e) },
    )
}

/// The forced run and how far the pulse has moved its end.
struct Truth {
    exact: Ran,
    effect: f64,
    /// By how many tolerances a relative change of a mass by [`ASIDE`] moves it.
    sensitivity: f64,
}

/// The same model with another mass.
pub(super) fn twin(text: &str) -> String {
    let change = |line: &str| match line.strip_prefix("mass = ").map(str::parse::<f64>) {
        Some(Ok(mass)) => format!("mass = {:?}", mass * (1.0 + ASIDE)),
        _ => line.to_string(),
    };
    text.lines().map(|line| change(line) + "\n").collect()
}

fn truth(e: &Excitation) -> Result<Truth, String> {
    let done = |ran: Ran| if ran.is_done() { Ok(ran) } else { Err(ran.message) };
    let mut exact = Err(String::new());
    let mut sensitivity = f64::NAN;
    for (stepper, tolerance) in TIGHT {
        let forced = Settings {
            stepper: Some(stepper.into()),
            rtol: Some(tolerance),
            atol: Some(tolerance),
            max_step: Some(e.t_end / FORCED),
            max_steps: Some(STEPS),
            ..Settings::default()
        };
        exact = done(run_model(&e.text, &forced, &CHANNELS)?);
        if let Ok(exact) = &exact {
            let other = done(run_model(&twin(&e.text), &forced, &CHANNELS)?)?;
            sensitivity = distance(&other, exact);
            break;
        }
    }
    let exact = exact?;
    let calm = Settings {
        max_step: Some(e.t_end / 100.0),
        max_steps: Some(STEPS),
        ..Settings::default()
    };
    let calm = done(run_model(&e.calm, &calm, &CHANNELS)?)?;
    let effect = distance(&calm, &exact);
    Ok(Truth {
        exact,
        effect,
        sensitivity,
    })
}

pub fn run(sample: Sample) -> Finding {
    let seeds = sample.seeds();
    let mut finding = Finding::default();
    let made: Vec<(Excitation, Result<Truth, String>)> = map(&seeds, |seed| {
        let e = excitation(*seed);
        let truth = truth(&e);
        (e, truth)
    });
    let mut tasks = Vec::new();
    for (k, (e, truth)) in made.iter().enumerate() {
        match truth {
            Ok(truth) if truth.effect < ERROR / MISSED => {
                let what = format!("{}, {}", e.place.name(), e.shape.name());
                let text = format!("seed {}, {what}: the pulse has no effect at the end", seeds[k]);
                finding.missing.push(text);
            }
            Ok(truth) if truth.sensitivity > CHAOTIC => {
                let what = format!("{}, {}", e.place.name(), e.shape.name());
                let text = format!("seed {}, {what}: the motion is chaotic", seeds[k]);
                finding.missing.push(text);
            }
            Ok(_) => tasks.extend(STEPPERS.map(|stepper| (k, stepper))),
            Err(why) => {
                let what = format!("{}, {}, forced run", e.place.name(), e.shape.name());
                finding.fail(seeds[k], &what, why);
            }
        }
    }
    let refused = made.iter().filter(|(_, truth)| truth.is_err()).count();
    let results: Vec<Result<(f64, u64), String>> = map(&tasks, |(k, stepper)| {
        let (e, Ok(truth)) = &made[*k] else {
            return Err("nothing to compare with".into());
        };
        let settings = Settings {
            stepper: Some((*stepper).into()),
            max_steps: Some(STEPS),
            ..Settings::default()
        };
        let ran = run_model(&e.text, &settings, &CHANNELS)?;
        if ran.is_done() {
            Ok((distance(&ran, &truth.exact), ran.steps))
        } else {
            Err(ran.message)
        }
    });
    let mut tallies = Tallies::new();
    let mut missed = 0;
    for ((k, stepper), result) in tasks.iter().zip(&results) {
        let (e, Ok(truth)) = &made[*k] else { continue };
        let what = format!(
            "{}, {}, {:.2} % of the run, {stepper}",
            e.place.name(),
            e.shape.name(),
            100.0 * e.share
        );
        let keys = [
            (*stepper).to_string(),
            format!("  {}", e.place.name()),
            format!("  {}", e.shape.name()),
        ];
        let mut count = |good: bool, wrong: bool| {
            for key in &keys {
                let tally = tallies.entry(key.clone()).or_default();
                tally.all += 1;
                tally.good += usize::from(good);
                tally.wrong += usize::from(wrong);
            }
        };
        match result {
            Ok((error, steps)) => {
                let stepped_over = *error > MISSED * truth.effect;
                missed += usize::from(stepped_over);
                count(*error <= ERROR, stepped_over);
                if stepped_over {
                    let text = format!(
                        "missed: {steps} steps, off by {} of {} tolerances",
                        shown(*error),
                        shown(truth.effect)
                    );
                    finding.fail(seeds[*k], &what, &text);
                } else if *error > ERROR {
                    finding.fail(
                        seeds[*k],
                        &what,
                        &format!("error of {} tolerances, {steps} steps", shown(*error)),
                    );
                }
            }
            Err(message) => {
                count(false, false);
                finding.fail(seeds[*k], &what, &format!("not done: {message}"));
            }
        }
    }
    for stepper in STEPPERS {
        let (good, all) = tallies.get(stepper).map_or((0, 0), |t| (t.good, t.all));
        let id = format!("generated-excitations/{stepper}");
        finding.share(
            id,
            good,
            all,
            1.0,
            "within 100 tolerances of a run with 10,000 steps",
        );
    }
    tabulate(
        &mut finding,
        "stepper, place, shape",
        ["runs", "within", "missed"],
        &tallies,
    );
    let none = Limit::AtMost(0.0);
    let id = |what: &str| format!("generated-excitations/{what}");
    finding.checks.push(Check::new(
        id("missed"),
        Some(missed as f64),
        none,
        "off by more than a tenth of what the pulse did",
    ));
    finding.checks.push(Check::new(
        id("not-forced"),
        Some(refused as f64),
        none,
        "models whose forced run fails",
    ));
    finding
}
