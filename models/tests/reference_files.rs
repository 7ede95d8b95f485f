//! Every shipped model runs as its file says, and ends where `reference.json` beside it says.
//!
//! `HOLONOM_BLESS=1` computes those values anew that come from own runs (`"computed": true`): two
//! runs at 1e-11 in different forms and formalisms, which must agree.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use holonom::format::{ModelFile, Settings};
use holonom::simulation::{Memory, RunOptions, Simulation, Status};
use holonom_models::{Entry, all};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The end of a run.
#[derive(Debug, Serialize, Deserialize)]
struct Reference {
    /// When, s.
    time: f64,
    /// The values of channels then, SI units.
    values: BTreeMap<String, f64>,
    /// What they are good to: |x − r| / (1 + |r|).
    accuracy: f64,
    /// What a run with the settings of the file reaches at least.
    tolerance: f64,
    /// Whether they come from two runs that agree.
    computed: bool,
    /// How they were obtained.
    how: String,
}

fn path(entry: &Entry) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join(entry.name)
        .join("reference.json")
}

/// Mixed error; infinite where there is no number.
fn error(x: f64, r: f64) -> f64 {
    let error = (x - r).abs() / (1.0 + r.abs());
    if error.is_nan() { f64::INFINITY } else { error }
}

/// The channels of the reference at its time.
fn end(file: &ModelFile, reference: &Reference, settings: &Settings) -> Result<Vec<f64>, String> {
    let settings = Settings {
        t_end: Some(reference.time),
        ..settings.clone()
    };
    let simulation = Simulation::new(file, &settings).map_err(|e| e.to_string())?;
    let names: Vec<&str> = reference.values.keys().map(String::as_str).collect();
    let selection = simulation.catalogue.select(&names).map_err(|e| e.to_string())?;
    let report = simulation
        .run(&RunOptions::new(selection), &mut Memory::default())
        .map_err(|e| e.to_string())?;
    if report.status != Status::Finished {
        return Err(report.message);
    }
    assert_eq!(report.t, reference.time);
    let at = |name: &&str| report.last.iter().find(|(other, _)| other == name).unwrap().1;
    Ok(names.iter().map(at).collect())
}

/// Values from two runs that have as little in common as possible; their difference.
fn compute(entry: &Entry, file: &ModelFile, reference: &mut Reference) {
    let tight = |form: Option<&str>, formalism: &str, tolerance: f64| Settings {
        form: form.map(str::to_string),
        formalism: Some(formalism.to_string()),
        rtol: Some(tolerance),
        atol: Some(tolerance),
        output_step: Some(reference.time),
        ..Settings::default()
    };
    let loops = !Simulation::new(file, &Settings::default())
        .unwrap()
        .start
        .rows
        .active
        .is_empty();
    let first = end(file, reference, &tight(None, "residual", 1e-11)).unwrap();
    let other = loops.then_some("index2");
    let second = end(file, reference, &tight(other, "explicit", 3e-11)).unwrap();
    let difference = first
        .iter()
        .zip(&second)
        .map(|(a, b)| error(*a, *b))
        .fold(0.0, f64::max);
    println!("{:16} two runs differ by {difference:.1e}", entry.name);
    for (value, new) in reference.values.values_mut().zip(first) {
        *value = new;
    }
    // Rounded up to 1, 2 or 5 times a power of ten.
    let power = 10_f64.powf(difference.max(1e-14).log10().floor());
    let digit = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|d| d * power >= difference)
        .unwrap_or(10.0);
    reference.accuracy = format!("{:.0e}", digit * power).parse().unwrap();
}

#[test]
fn runs_end_at_the_reference() {
    let bless = std::env::var_os("HOLONOM_BLESS").is_some();
    let mut wrong = Vec::new();
    for entry in all() {
        let text = std::fs::read_to_string(path(entry)).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
        let mut reference: Reference =
            serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
        let file = entry.read().unwrap();
        if bless && reference.computed {
            compute(entry, &file, &mut reference);
            let text = serde_json::to_string_pretty(&reference).unwrap();
            std::fs::write(path(entry), text + "\n").unwrap();
        }
        assert!(
            !reference.values.is_empty() && !reference.how.is_empty(),
            "{}",
            entry.name
        );
        assert!(
            reference.accuracy < reference.tolerance,
            "{}: it cannot judge",
            entry.name
        );
        let clock = std::time::Instant::now();
        let seen = end(&file, &reference, &Settings::default());
        let time = clock.elapsed().as_secs_f64();
        let reached = match &seen {
            Ok(seen) => seen
                .iter()
                .zip(reference.values.values())
                .map(|(x, r)| error(*x, *r))
                .fold(0.0, f64::max),
            Err(reason) => {
                println!("{:16} {reason}", entry.name);
                f64::INFINITY
            }
        };
        println!(
            "{:16} {:6} s {reached:9.1e} (limit {:.0e}), {time:.2} s",
            entry.name, reference.time, reference.tolerance
        );
        if reached > reference.tolerance {
            wrong.push(format!("{}: {reached:.1e} {seen:?}", entry.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
