//! What a row of channels costs beside an integration step.
//!
//! Run with `cargo run --release -p holonom-models --example channels_cost`.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use holonom::multibody::channels::{Catalogue, Sampler, Selection};
use holonom::multibody::residual::{Form, Formalism};
use holonom::multibody::start::Assembled;
use holonom::prelude::*;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

/// The least of several repetitions, so that other work on the machine does not count.
fn least_ns(mut work: impl FnMut() -> usize) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..15 {
        let begin = Instant::now();
        let count = work();
        least = least.min(begin.elapsed().as_secs_f64() * 1e9 / count as f64);
    }
    least
}

fn row_ns(start: &Assembled, selection: &Selection) -> Result<f64, Box<dyn std::error::Error>> {
    let mut sampler = Sampler::of_motion(start, selection)?;
    let mut row = vec![0.0; selection.len()];
    Ok(least_ns(|| {
        const ROWS: usize = 2000;
        for _ in 0..ROWS {
            sampler.sample_state(start.t, black_box(&start.q), &start.v, &mut row);
            black_box(&mut row);
        }
        ROWS
    }))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("model              step, ns   default row (columns)      accelerations       all (columns)");
    for name in [
        "four-bar",
        "slider-crank",
        "andrews",
        "arm",
        "tree",
        "arnold-chain",
    ] {
        let Some(entry) = holonom_models::find(name) else {
            continue;
        };
        let model = Arc::new(entry.description()?.compile()?);
        let start = model.assemble(&Default::default())?;
        let form = if start.rows.active.is_empty() {
            Form::Ode
        } else {
            Form::Ggl
        };
        let equations = start.equations(form, Formalism::Residual)?;
        let (y, yp) = start.state(&equations);
        let t_end = if name == "andrews" { 0.01 } else { 0.3 };
        let mut failed = None;
        let step = least_ns(|| {
            let options = Options::new(1e-6, 1e-6);
            let run = Integrator::new(equations.clone().system(), start.t, &y, &yp, t_end, options);
            let steps = run.and_then(|mut run| {
                run.run(t_end, &mut Quiet)?;
                Ok(run.counters().steps as usize)
            });
            steps.unwrap_or_else(|e| {
                failed = Some(e);
                1
            })
        });
        if let Some(error) = failed {
            println!("{name:16} {error}");
            continue;
        }
        let catalogue = Catalogue::new(&start);
        let (usual, all) = (catalogue.default_selection(), catalogue.everything());
        let accelerations = catalogue.select(&["*.acceleration*"])?;
        println!(
            "{name:16} {step:10.0} {:10.0} ({:3}) {:5.1} % {:14.0} ({:4}) {:10.0} ({:4})",
            row_ns(&start, &usual)?,
            usual.len(),
            100.0 * row_ns(&start, &usual)? / step,
            row_ns(&start, &accelerations)?,
            accelerations.len(),
            row_ns(&start, &all)?,
            all.len(),
        );
    }
    Ok(())
}
