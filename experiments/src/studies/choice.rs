//! What `auto` costs beside every fixed stepper, on mechanisms nobody wrote.
//!
//! A fixed stepper counts where it is right: done, and within the class of the studies of accuracy. Cases are mechanisms
//! of bodies and joints, machines, and excitations.

use super::accuracy::case as mechanism;
use super::{Finding, Sample, shown};
use crate::engine::{Ran, run as run_model};
use crate::generator::excitations::excitation;
use crate::generator::machines::machine;
use crate::generator::toml::{ALL_DIGITS, text};
use crate::parallel::map;
use holonom::format::Settings;
use serde_json::json;

/// The fixed steppers, and the one that is judged.
const FIXED: [&str; 3] = ["bdf", "radau", "dormand-prince"];
const AUTO: &str = "auto";
const TOLERANCES: [f64; 4] = [1e-4, 1e-6, 1e-8, 1e-10];
/// Error at the end, in tolerances, up to which a run is right.
const RIGHT: f64 = 100.0;
/// Tight runs: the first two that reach the end are compared.
const TIGHT: [(&str, f64); 3] = [("radau", 1e-12), ("dormand-prince", 1e-12), ("bdf", 1e-11)];
/// Share of the permitted error that they may differ by.
const KNOWN: f64 = 0.2;
/// Steps after which a run is given up: the cheapest is far below.
const STEPS: u64 = 60_000;
/// What is compared.
const CHANNELS: [&str; 3] = ["*.position.?", "*.orientation.?", "*.velocity.?"];

/// A model of a seed.
struct Case {
    kind: String,
    text: String,
    size: f64,
}

/// Two of five are mechanisms, two machines, one an excitation.
fn case(seed: u64) -> Option<Case> {
    let k = seed / 5;
    match seed % 5 {
        0 | 1 => mechanism(seed).map(|m| Case {
            kind: m.family.name().into(),
            text: text(&m, ALL_DIGITS),
            size: m.size.min(1.0),
        }),
        2 | 3 => {
            let m = machine(2 * k + (seed % 5 - 2));
            Some(Case {
                kind: m.kind.name().into(),
                text: m.text,
                size: 1.0,
            })
        }
        _ => Some(Case {
            kind: "excitation".into(),
            text: excitation(k).text,
            size: 1.0,
        }),
    }
}

pub fn model(seed: u64) -> Option<String> {
    case(seed).map(|c| c.text)
}

/// Largest difference of the ends, in tolerances: each kind of channel by its largest value.
fn distance(a: &Ran, b: &Ran, tolerance: f64, size: f64) -> f64 {
    let kind = |name: &str| name.rsplit('.').nth(1).unwrap_or_default().to_string();
    let mut worst = 0.0f64;
    for what in ["position", "orientation", "velocity"] {
        let of = || (a.last.iter().zip(&b.last)).filter(|((name, _), _)| kind(name) == what);
        let extent = of().fold(0.0, |m: f64, (_, (_, y))| m.max(y.abs()));
        for ((_, x), (_, y)) in of() {
            let e = (x - y).abs() / (tolerance * (extent + size));
            worst = if e.is_nan() { f64::INFINITY } else { worst.max(e) };
        }
    }
    worst
}

fn once(c: &Case, stepper: &str, tolerance: f64, steps: u64) -> Result<Ran, String> {
    let settings = Settings {
        stepper: Some(stepper.into()),
        rtol: Some(tolerance),
        atol: Some(tolerance * c.size),
        max_steps: Some(steps),
        ..Settings::default()
    };
    let ran = run_model(&c.text, &settings, &CHANNELS)?;
    if ran.is_done() { Ok(ran) } else { Err(ran.message) }
}

/// The end, and how well it is known, in units of a relative tolerance of one.
fn truth(c: &Case) -> Result<(Ran, f64), String> {
    let mut found: Option<Ran> = None;
    let mut why = String::new();
    for (stepper, tolerance) in TIGHT {
        match (once(c, stepper, tolerance, 5 * STEPS), found.take()) {
            (Ok(ran), Some(first)) => {
                let apart = distance(&ran, &first, 1.0, c.size);
                return Ok((first, apart));
            }
            (Ok(ran), None) => found = Some(ran),
            (Err(message), first) => (why, found) = (message, first),
        }
    }
    Err(why)
}

pub fn run(sample: Sample) -> Finding {
    let seeds = sample.seeds();
    let mut finding = Finding::default();
    let found = map(&seeds, |seed| {
        let c = case(*seed)?;
        let known = truth(&c);
        let mut rows = Vec::new();
        if let Ok((exact, apart)) = &known {
            for tolerance in TOLERANCES {
                if *apart > KNOWN * RIGHT * tolerance {
                    continue;
                }
                for stepper in FIXED.into_iter().chain([AUTO]) {
                    let ran = once(&c, stepper, tolerance, STEPS);
                    let error = ran.as_ref().map(|r| distance(r, exact, tolerance, c.size));
                    rows.push((tolerance, stepper, error.unwrap_or(f64::INFINITY), ran));
                }
            }
        }
        Some((c, known.map(|k| k.1), rows))
    });
    finding.columns = vec![
        "case",
        "tolerance",
        "bdf",
        "radau",
        "dormand-prince",
        "auto",
        "ratio",
    ];
    for (seed, found) in seeds.iter().zip(&found) {
        let Some((c, known, rows)) = found else {
            finding.missing.push(format!("seed {seed}: no draw was good"));
            continue;
        };
        if let Err(why) = known {
            finding.missing.push(format!("seed {seed}, {}: {why}", c.kind));
        }
        for (tolerance, stepper, error, ran) in rows {
            finding.rows.push(json!({
                "seed": seed, "kind": c.kind, "tolerance": tolerance, "stepper": stepper,
                "error": shown(*error),
                "counters": ran.as_ref().ok().map(|r| r.counters),
                "work": ran.as_ref().ok().map(|r| r.work),
                "used": ran.as_ref().ok().map(|r| r.stepper.clone()),
                "size": ran.as_ref().ok().map(|r| r.size),
                "why": ran.as_ref().err(),
            }));
        }
    }
    finding
}
