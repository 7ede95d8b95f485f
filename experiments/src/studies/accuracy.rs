//! Errors at the end of runs in units of the tolerance, on loops and open mechanisms; and steps of both formalisms.

use super::loops::{STEPPERS, TOLERANCES, case as closed, settings};
use super::{Finding, Sample, Tallies, shown, tabulate, tolerances};
use crate::engine::run_bodies;
use crate::generator::toml::{ALL_DIGITS, text};
use crate::generator::{Family, Wanted, generate, twin};
use crate::mechanism::Mechanism;
use crate::oracle::{Oracle, State};
use crate::parallel::map;
use crate::report::{Check, Limit};
use holonom::format::Settings;

/// Error at the end, in tolerances, and the share of runs that must be within.
const ERROR: f64 = 100.0;
const SHARE: f64 = 0.95;
/// Steps of `residual` over those of `explicit`; differences of a few steps are none.
const STEPS: f64 = 1.5;
const FEW: f64 = 20.0;
/// How far off the twin starts, and by how much it may drift away without being chaos.
const OFF: f64 = 1e-9;
const CHAOS: f64 = 100.0;
/// Tolerance of the oracle.
const TIGHT: f64 = 1e-11;

/// The mechanism of a seed: two of seven are open.
pub(super) fn case(seed: u64) -> Option<Mechanism> {
    if seed % 7 < 2 {
        let wanted = Wanted {
            drives: false,
            ..Wanted::of(Family::Tree)
        };
        generate(seed, &wanted)
    } else {
        closed(seed)
    }
}

pub fn model(seed: u64) -> Option<String> {
    case(seed).map(|m| text(&m, ALL_DIGITS))
}

/// Where a mechanism ends by the oracle, and whether that is chaos.
pub(super) struct Truth {
    pub end: State,
    /// By which the motion multiplies what it starts off by.
    pub growth: f64,
}

impl Truth {
    pub fn is_chaos(&self) -> bool {
        self.growth > CHAOS
    }
}

/// The oracle's end, and its twin's.
pub(super) fn truth(oracle: &Oracle, m: &Mechanism) -> Result<Truth, String> {
    let start = oracle.start();
    let end = oracle
        .clone()
        .integrate(&start, m.t_end, TIGHT)
        .map_err(|e| e.to_string())?;
    let other = twin(oracle, &start, m.seed, OFF).ok_or("the twin does not close")?;
    let other = oracle
        .clone()
        .integrate(&other, m.t_end, TIGHT)
        .map_err(|e| format!("twin: {e}"))?;
    let d = oracle.distance(&end, &other);
    let growth = (d.position / m.size).max(d.rotation) / OFF;
    Ok(Truth { end, growth })
}

/// Error of a state, in tolerances.
pub(super) fn error(m: &Mechanism, oracle: &Oracle, state: &State, end: &State, tolerance: f64) -> f64 {
    let (rtol, atol) = tolerances(m, tolerance);
    let d = oracle.distance(state, end);
    let [position, velocity, turning] = oracle.extent(end);
    let parts = [
        d.position / (rtol * position + atol),
        d.rotation / (rtol * std::f64::consts::PI + atol),
        d.velocity / (rtol * velocity + atol),
        d.turning / (rtol * turning + atol),
    ];
    parts.into_iter().fold(
        0.0,
        |m, e| if e.is_nan() { f64::INFINITY } else { f64::max(m, e) },
    )
}

/// The name of what runs a mechanism.
#[derive(Clone, Copy, PartialEq)]
struct Way {
    stepper: &'static str,
    formalism: &'static str,
}

pub fn run(sample: Sample) -> Finding {
    let seeds = sample.seeds();
    let mut finding = Finding::default();
    let made: Vec<Option<(Mechanism, Result<Truth, String>)>> = map(&seeds, |seed| {
        let m = case(*seed)?;
        let truth = truth(&Oracle::new(&m), &m);
        Some((m, truth))
    });
    let mut ways: Vec<Way> = STEPPERS
        .map(|stepper| Way {
            stepper,
            formalism: "residual",
        })
        .to_vec();
    ways.push(Way {
        stepper: "bdf",
        formalism: "explicit",
    });
    let mut tasks = Vec::new();
    let mut chaotic = 0;
    for (k, made) in made.iter().enumerate() {
        match made {
            None => finding
                .missing
                .push(format!("seed {}: no draw was good", seeds[k])),
            Some((m, Err(why))) => {
                let family = m.family.name();
                finding
                    .missing
                    .push(format!("seed {}, {family}: {why}", seeds[k]));
            }
            Some((_, Ok(truth))) => {
                chaotic += usize::from(truth.is_chaos());
                for way in &ways {
                    for tolerance in TOLERANCES {
                        tasks.push((k, *way, tolerance));
                    }
                }
            }
        }
    }
    let results: Vec<Result<(f64, u64), String>> = map(&tasks, |(k, way, tolerance)| {
        let Some((m, Ok(truth))) = &made[*k] else {
            return Err("nothing to compare with".into());
        };
        let settings = Settings {
            formalism: Some(way.formalism.into()),
            ..settings(m, way.stepper, None, *tolerance)
        };
        let ran = run_bodies(&text(m, ALL_DIGITS), &settings)?;
        if !ran.is_done() {
            return Err(ran.message);
        }
        let oracle = Oracle::new(m);
        let state = ran.state(&oracle).ok_or("channels of bodies are missing")?;
        Ok((error(m, &oracle, &state, &truth.end, *tolerance), ran.steps))
    });
    let mut tallies = Tallies::new();
    for ((k, way, tolerance), result) in tasks.iter().zip(&results) {
        let Some((m, Ok(truth))) = &made[*k] else { continue };
        if truth.is_chaos() || way.formalism != "residual" {
            continue;
        }
        let tally = tallies
            .entry(format!("{}, {tolerance:.0e}", way.stepper))
            .or_default();
        tally.all += 1;
        let what = format!("{}, {}, {tolerance:.0e}", m.family.name(), way.stepper);
        match result {
            Ok((error, _)) if *error <= ERROR => tally.good += 1,
            Ok((error, _)) => {
                tally.wrong += 1;
                finding.fail(
                    seeds[*k],
                    &what,
                    &format!("error of {} tolerances", shown(*error)),
                );
            }
            Err(message) => finding.fail(seeds[*k], &what, &format!("not done: {message}")),
        }
    }
    for stepper in STEPPERS {
        let of: Vec<_> = tallies
            .iter()
            .filter(|(key, _)| key.starts_with(&format!("{stepper},")))
            .collect();
        let (good, all) = of.iter().fold((0, 0), |s, (_, t)| (s.0 + t.good, s.1 + t.all));
        let id = format!("generated-accuracy/{stepper}");
        finding.share(id, good, all, SHARE, "runs without chaos within 100 tolerances");
    }
    // Steps of the same stepper in both formalisms.
    let mut worst = 0.0f64;
    for ((k, way, tolerance), result) in tasks.iter().zip(&results) {
        if way.formalism != "explicit" {
            continue;
        }
        let plain = (tasks.iter().zip(&results))
            .find(|((l, w, t), _)| l == k && t == tolerance && *w == ways[0])
            .map(|(_, r)| r);
        let (Ok((_, explicit)), Some(Ok((_, residual)))) = (result, plain) else {
            continue;
        };
        let ratio = *residual as f64 / (*explicit as f64 + FEW);
        worst = worst.max(ratio);
        if ratio > STEPS {
            let family = made[*k].as_ref().map_or("", |(m, _)| m.family.name());
            let what = format!("{family}, residual, {tolerance:.0e}");
            finding.fail(
                seeds[*k],
                &what,
                &format!("{residual} steps, explicit {explicit}"),
            );
        }
    }
    tabulate(
        &mut finding,
        "stepper, tolerance",
        ["runs", "within", "beyond"],
        &tallies,
    );
    finding
        .table
        .push(vec!["chaotic mechanisms, left out".into(), chaotic.to_string()]);
    finding.checks.push(Check::new(
        "generated-accuracy/residual-steps",
        Some(worst),
        Limit::AtMost(STEPS),
        "steps of residual over those of explicit and 20, the largest",
    ));
    finding
}
