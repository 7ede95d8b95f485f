//! Linkages that pass singular positions, and others that only come close to one: a run that says it is done is on the
//! branch on which it began, and as exact as elsewhere.

use super::accuracy::{Truth, error, truth};
use super::loops::{FORMS, STEPPERS, TOLERANCES, is_named, settings};
use super::{Finding, Sample, Tallies, shown, tabulate};
use crate::engine::{run_bodies, run_rows};
use crate::generator::branches::{Branched, Linkage, branched};
use crate::generator::toml::{ALL_DIGITS, text};
use crate::oracle::Oracle;
use crate::parallel::map;
use crate::random::Random;
use crate::report::{Check, Limit};

/// Digits of the data of linkages whose branches cross.
const DIGITS: [usize; 3] = [16, 10, 6];
/// How far a state may be from its branch, in sizes or radians.
const STRAYS: f64 = 0.1;
/// Error at the end of linkages that only come close, in tolerances: where the motion multiplies errors, so many of them
/// times the hundredth part of that.
const ERROR: f64 = 100.0;
/// How close the oracle may come to singular positions, in parts of the distance at the start.
const CLOSEST: f64 = 1e-4;
/// Motions that multiply errors by more than this are left out.
const GROWTH: f64 = 1e4;
/// Every third linkage only comes close to a singular position, by this part of a bar.
const DECADES: (f64, f64) = (-5.0, -2.0);

/// The linkage of a seed, and the digits of its data.
fn case(seed: u64) -> Option<(Branched, usize)> {
    let kinds = Linkage::ALL;
    let linkage = kinds[(seed % kinds.len() as u64) as usize];
    let round = seed / kinds.len() as u64;
    let (off, digits) = if round % 3 == 2 {
        let mut random = Random::of(seed, 98);
        (random.sign() * random.decades(DECADES.0, DECADES.1), ALL_DIGITS)
    } else {
        (0.0, DIGITS[(round / 3 * 2 + round % 3) as usize % 3])
    };
    Some((branched(seed, linkage, off)?, digits))
}

pub fn model(seed: u64) -> Option<String> {
    case(seed).map(|(b, digits)| text(&b.mechanism, digits))
}

/// Where a linkage that only comes close ends.
fn end(b: &Branched) -> Result<Truth, String> {
    let mut oracle = Oracle::new(&b.mechanism);
    oracle.set_closest(CLOSEST);
    truth(&oracle, &b.mechanism)
}

/// How a run ended.
enum End {
    /// Far from its branch, or from the truth in tolerances, by so much.
    Done(f64),
    /// Early, with a message.
    Early(String),
}

pub fn run(sample: Sample) -> Finding {
    let seeds = sample.seeds();
    let mut finding = Finding::default();
    let made = map(&seeds, |seed| {
        let (b, digits) = case(*seed)?;
        let file = text(&b.mechanism, digits);
        let end = (b.off != 0.0).then(|| end(&b));
        Some((b, digits, file, end))
    });
    let mut left_out = 0;
    let mut tasks = Vec::new();
    for (k, made) in made.iter().enumerate() {
        match made {
            None => finding
                .missing
                .push(format!("seed {}: no draw was good", seeds[k])),
            Some((b, .., Some(Err(why)))) => {
                let kind = b.linkage.name();
                finding.missing.push(format!("seed {}, {kind}: {why}", seeds[k]));
            }
            Some((.., Some(Ok(truth)))) if truth.growth > GROWTH => left_out += 1,
            Some(_) => {
                for stepper in STEPPERS {
                    for form in FORMS {
                        for tolerance in TOLERANCES {
                            tasks.push((k, stepper, form, tolerance));
                        }
                    }
                }
            }
        }
    }
    let ends = map(&tasks, |(k, stepper, form, tolerance)| {
        let (b, _, file, truth) = made[*k].as_ref()?;
        let oracle = Oracle::new(&b.mechanism);
        let settings = settings(&b.mechanism, stepper, Some(form), *tolerance);
        Some(match truth.as_ref().and_then(|t| t.as_ref().ok()) {
            None => match run_rows(file, &settings, &oracle) {
                Ok((states, message)) if message.is_empty() => {
                    let strays = states.iter().map(|s| b.strays(&oracle, s));
                    End::Done(strays.fold(0.0, f64::max))
                }
                Ok((_, message)) | Err(message) => End::Early(message),
            },
            Some(truth) => match run_bodies(file, &settings) {
                Ok(ran) if ran.is_done() => match ran.state(&oracle) {
                    Some(state) => {
                        let error = error(&b.mechanism, &oracle, &state, &truth.end, *tolerance);
                        End::Done(error / (truth.growth / 100.0).max(1.0))
                    }
                    None => End::Early("channels of bodies are missing".into()),
                },
                Ok(ran) => End::Early(ran.message),
                Err(message) => End::Early(message),
            },
        })
    });
    let mut tallies = Tallies::new();
    let (mut changed, mut unnamed, mut close, mut exact) = (0, 0, 0, 0);
    for ((k, stepper, form, tolerance), end) in tasks.iter().zip(ends) {
        let (Some((b, digits, ..)), Some(end)) = (&made[*k], end) else {
            continue;
        };
        let passes = b.off == 0.0;
        let kind = if passes {
            format!("{digits} digits")
        } else {
            format!("off by {:.0e}", b.off)
        };
        let what = format!("{}, {kind}, {stepper}, {form}, {tolerance:.0e}", b.linkage.name());
        let kind = if passes { &kind } else { "close" };
        let keys = [
            format!("{kind}: {}", b.linkage.name()),
            format!("{kind}: {stepper}, {form}"),
        ];
        let mut count = |what: fn(&mut super::Tally)| {
            keys.iter()
                .for_each(|key| what(tallies.entry(key.clone()).or_default()));
        };
        count(|t| t.all += 1);
        close += usize::from(!passes);
        match end {
            End::Done(strays) if passes && strays > STRAYS => {
                changed += 1;
                count(|t| t.wrong += 1);
                finding.fail(
                    seeds[*k],
                    &what,
                    &format!("done, {} from its branch", shown(strays)),
                );
            }
            End::Done(off) if !passes && off > ERROR => {
                count(|t| t.wrong += 1);
                finding.fail(
                    seeds[*k],
                    &what,
                    &format!("done, error of {} tolerances", shown(off)),
                );
            }
            End::Done(_) => {
                exact += usize::from(!passes);
                count(|t| t.good += 1);
            }
            End::Early(message) => {
                exact += usize::from(!passes);
                unnamed += usize::from(!is_named(&b.mechanism, &message));
                finding.fail(seeds[*k], &what, &format!("not done: {message}"));
            }
        }
    }
    tabulate(
        &mut finding,
        "family; stepper, form",
        ["runs", "right", "done but wrong"],
        &tallies,
    );
    finding.table.push(vec![
        "motions that multiply errors by more than 10⁴, left out".into(),
        left_out.to_string(),
    ]);
    let none = Limit::AtMost(0.0);
    let id = |what: &str| format!("generated-branches/{what}");
    finding.checks.push(Check::new(
        id("changed"),
        Some(changed as f64),
        none,
        "runs that are done on another branch",
    ));
    finding.checks.push(Check::new(
        id("unnamed"),
        Some(unnamed as f64),
        none,
        "runs that end early and do not name the place",
    ));
    finding.share(
        id("close"),
        exact,
        close,
        0.995,
        "runs next to singular positions that are within 100 tolerances, or end with a message",
    );
    finding
}
