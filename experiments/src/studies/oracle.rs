//! Accelerations at random states and states at the end, beside the oracle.

use super::accuracy::{Truth, error, truth};
use super::loops::settings;
use super::{Finding, Sample, Tallies, family, shown, tabulate};
use crate::engine::{accelerations, assemble, run_bodies};
use crate::generator::toml::{ALL_DIGITS, text};
use crate::generator::{Family, Wanted, generate};
use crate::geometry::{largest, sub};
use crate::mechanism::Mechanism;
use crate::oracle::{BodyAcceleration, Oracle};
use crate::parallel::map;
use crate::report::{Check, Limit};
use holonom::format::Settings;

/// Largest difference of accelerations, relative to the largest of the mechanism.
const ACCELERATIONS: f64 = 1e-8;
/// Error at the end, in tolerances.
const ERROR: f64 = 100.0;
/// Tolerance of the runs.
const TOLERANCE: f64 = 1e-8;
/// Steppers of the runs: errors of single steps add up in one of many small steps, and hardly in one of few large ones.
const STEPPERS: [&str; 2] = ["bdf", "radau"];
/// One of so many mechanisms is run to its end.
const RUN_ONE_OF: u64 = 3;

/// The mechanism of a seed: half of them are open.
fn case(seed: u64) -> Option<Mechanism> {
    let family = if seed.is_multiple_of(2) {
        Family::Tree
    } else {
        family(seed / 2, Family::closed())
    };
    generate(seed, &Wanted::of(family))
}

pub fn model(seed: u64) -> Option<String> {
    case(seed).map(|m| text(&m, ALL_DIGITS))
}

/// The largest difference, relative to the largest acceleration.
fn difference(m: &Mechanism, ours: &[BodyAcceleration], theirs: &[BodyAcceleration]) -> f64 {
    let most = |of: &dyn Fn(&BodyAcceleration) -> f64| theirs.iter().map(of).fold(0.0, f64::max);
    let linear = most(&|a| largest(a.linear));
    let angular = most(&|a| largest(a.angular));
    let units = [
        linear
            .max(1e-3 * m.size * angular)
            .max(1e-3 * m.size / m.tau.powi(2)),
        angular.max(1e-3 * linear / m.size).max(1e-3 / m.tau.powi(2)),
    ];
    let one = |(a, b): (&BodyAcceleration, &BodyAcceleration)| {
        let parts = [
            largest(sub(a.linear, b.linear)) / units[0],
            largest(sub(a.angular, b.angular)) / units[1],
        ];
        let bad = a.linear.iter().chain(&a.angular).any(|x| !x.is_finite());
        if bad {
            f64::INFINITY
        } else {
            parts[0].max(parts[1])
        }
    };
    ours.iter().zip(theirs).map(one).fold(0.0, f64::max)
}

/// What was found of a mechanism.
struct Found {
    family: &'static str,
    accelerations: Result<f64, String>,
    /// Error at the end with each stepper, of those that are run and are no chaos.
    ends: Option<[Result<f64, String>; 2]>,
    missing: Option<String>,
}

fn judge(seed: u64) -> Option<Found> {
    let m = case(seed)?;
    let mut oracle = Oracle::new(&m);
    let file = text(&m, ALL_DIGITS);
    let accelerations = assemble(&file, &Settings::default())
        .and_then(|simulation| accelerations(&simulation, &oracle))
        .map(|(state, ours)| difference(&m, &ours, &oracle.frame_accelerations(&state)));
    let mut found = Found {
        family: m.family.name(),
        accelerations,
        ends: None,
        missing: None,
    };
    if seed.is_multiple_of(RUN_ONE_OF) {
        match truth(&Oracle::new(&m), &m) {
            Err(why) => found.missing = Some(why),
            Ok(truth) if truth.is_chaos() => {}
            Ok(Truth { end, .. }) => {
                found.ends = Some(STEPPERS.map(|stepper| {
                    let ran = run_bodies(&file, &settings(&m, stepper, None, TOLERANCE))?;
                    if !ran.is_done() {
                        return Err(ran.message);
                    }
                    let state = ran.state(&oracle).ok_or("channels of bodies are missing")?;
                    Ok(error(&m, &oracle, &state, &end, TOLERANCE))
                }));
            }
        }
    }
    Some(found)
}

pub fn run(sample: Sample) -> Finding {
    let seeds = sample.seeds();
    let mut finding = Finding::default();
    let mut tallies = Tallies::new();
    let (mut all, mut good, mut runs, mut within) = (0, 0, 0, [0; 2]);
    for (seed, found) in seeds.iter().zip(map(&seeds, |seed| judge(*seed))) {
        let Some(found) = found else {
            finding.missing.push(format!("seed {seed}: no draw was good"));
            continue;
        };
        let tally = tallies.entry(found.family.to_string()).or_default();
        all += 1;
        tally.all += 1;
        let what = format!("{}, accelerations", found.family);
        match found.accelerations {
            Ok(off) if off <= ACCELERATIONS => {
                good += 1;
                tally.good += 1;
            }
            Ok(off) => {
                tally.wrong += 1;
                finding.fail(*seed, &what, &format!("off by {}", shown(off)));
            }
            Err(message) => finding.fail(*seed, &what, &message),
        }
        if let Some(why) = found.missing {
            finding
                .missing
                .push(format!("seed {seed}, {}: {why}", found.family));
        }
        let Some(ends) = found.ends else { continue };
        runs += 1;
        for ((stepper, end), within) in STEPPERS.iter().zip(ends).zip(&mut within) {
            let what = format!("{}, end, {stepper}", found.family);
            match end {
                Ok(error) if error <= ERROR => *within += 1,
                Ok(error) => finding.fail(*seed, &what, &format!("error of {} tolerances", shown(error))),
                Err(message) => finding.fail(*seed, &what, &format!("not done: {message}")),
            }
        }
    }
    tabulate(
        &mut finding,
        "family",
        ["mechanisms", "accelerations agree", "differ"],
        &tallies,
    );
    let id = |what: &str| format!("generated-oracle/{what}");
    finding.share(
        id("accelerations"),
        good,
        all,
        1.0,
        "equal to 1e-8 of the largest",
    );
    for (stepper, within) in STEPPERS.iter().zip(within) {
        finding.share(
            id(&format!("ends-{stepper}")),
            within,
            runs,
            1.0,
            "within 100 tolerances at 1e-8, without chaos",
        );
    }
    finding.checks.push(Check::new(
        id("runs"),
        Some(runs as f64),
        Limit::AtLeast(1.0),
        "runs compared",
    ));
    finding
}
