//! Every shipped model by two integration methods: how far their outputs are apart, and what they cost.
//!
//! `cargo run --release -p holonom-models --example steppers -- [RTOL] [MODEL …]`
//!
//! Differences are in units of one plus the largest value of a channel, at the output times, and at the end
//! of the run. Where two methods differ, a third run with a hundredth of the tolerance tells which one is off.

#![allow(clippy::print_stdout)]

use holonom::format::Settings;
use holonom::simulation::{Memory, RunOptions, RunReport, Simulation};
use holonom_models::{Entry, all};
use std::error::Error;
use std::time::Instant;

struct Run {
    rows: Vec<Vec<f64>>,
    report: RunReport,
    seconds: f64,
}

fn run(entry: &Entry, stepper: &str, rtol: f64) -> Result<Run, Box<dyn Error>> {
    let file = entry.read()?;
    let settings = Settings {
        stepper: Some(stepper.into()),
        rtol: Some(rtol),
        atol: Some(rtol),
        time_limit: Some(60.0),
        ..Settings::default()
    };
    let simulation = Simulation::new(&file, &settings)?;
    let patterns: Vec<&str> = file.outputs.iter().map(String::as_str).collect();
    let selection = simulation.catalogue.select(&patterns)?;
    let mut memory = Memory::default();
    let begin = Instant::now();
    let report = simulation.run(&RunOptions::new(selection), &mut memory)?;
    Ok(Run {
        rows: memory.0,
        report,
        seconds: begin.elapsed().as_secs_f64(),
    })
}

/// Largest difference of two runs, all along and at the end, in units of one plus the size of each channel.
fn difference(a: &Run, b: &Run) -> (f64, f64) {
    let Some(first) = b.rows.first() else {
        return (f64::NAN, f64::NAN);
    };
    let last = a.rows.len().min(b.rows.len()).saturating_sub(1);
    let (mut along, mut end) = (0.0_f64, 0.0_f64);
    for k in 1..first.len() {
        let size = 1.0 + b.rows.iter().map(|r| r[k].abs()).fold(0.0, f64::max);
        let off = |(x, y): (&Vec<f64>, &Vec<f64>)| (x[k] - y[k]).abs() / size;
        along = a.rows.iter().zip(&b.rows).map(off).fold(along, f64::max);
        end = end.max(off((&a.rows[last], &b.rows[last])));
    }
    (along, end)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let rtol: f64 = arguments.next().map_or(Ok(1e-6), |x| x.parse())?;
    let names: Vec<String> = arguments.collect();
    println!(
        "{:18} {:>9} {:>9} {:>9} {:>9}  {:>16} {:>18} {:>16}",
        "model", "along", "end", "bdf off", "radau off", "steps", "residuals (dual)", "ms"
    );
    for entry in all() {
        if !names.is_empty() && !names.iter().any(|n| n == entry.name) {
            continue;
        }
        let runs = [("bdf", rtol), ("radau", rtol), ("bdf", 1e-2 * rtol)].map(|(s, t)| run(entry, s, t));
        let [bdf, radau, fine] = match runs {
            [Ok(a), Ok(b), Ok(c)] => [a, b, c],
            other => {
                let errors = other.into_iter().filter_map(Result::err).map(|e| e.to_string());
                println!("{:18} {}", entry.name, errors.collect::<Vec<_>>().join("; "));
                continue;
            }
        };
        let (along, end) = difference(&radau, &bdf);
        let (a, b) = (&bdf.report.counters, &radau.report.counters);
        println!(
            "{:18} {along:9.1e} {end:9.1e} {:9.1e} {:9.1e}  {:>7} {:>7}  {:>6}({}) {:>6}({}) {:8.1} {:8.1}  {:?} {:?}",
            entry.name,
            difference(&bdf, &fine).0,
            difference(&radau, &fine).0,
            a.steps,
            b.steps,
            a.residuals,
            a.residuals_dual,
            b.residuals,
            b.residuals_dual,
            1e3 * bdf.seconds,
            1e3 * radau.seconds,
            bdf.report.status,
            radau.report.status,
        );
    }
    Ok(())
}
