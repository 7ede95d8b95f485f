//! Models from texts, and values of their channels.

use holonom::format::{Files, ModelFile, read};
use holonom::multibody::channels::{Catalogue, Sampler};
use holonom::multibody::residual::{Form, Formalism};
use holonom::prelude::*;
use std::sync::Arc;

pub fn file(text: &str, others: &[(&str, &str)]) -> ModelFile {
    let files = std::iter::once(("model.toml", text)).chain(others.iter().copied());
    read("model.toml", &Files::in_memory(files), &[]).unwrap_or_else(|messages| panic!("{messages}"))
}

/// Channels of a mechanism whose motion is wholly prescribed.
pub fn prescribed(text: &str, t: f64, channels: &[&str]) -> Vec<f64> {
    let model = Arc::new(
        file(text, &[])
            .compile()
            .unwrap_or_else(|messages| panic!("{messages}")),
    );
    let start = model
        .assemble(&Default::default())
        .unwrap_or_else(|e| panic!("{e}"));
    let selection = Catalogue::new(&start).select(channels).unwrap();
    let mut sampler = Sampler::of_motion(&start, &selection).unwrap();
    let mut row = vec![f64::NAN; channels.len()];
    sampler.sample_state(t, &start.q, &start.v, &mut row);
    row
}

/// Channels at some times of a run.
pub fn run(file: &ModelFile, form: Form, times: &[f64], channels: &[&str]) -> Vec<Vec<f64>> {
    let model = Arc::new(file.compile().unwrap_or_else(|messages| panic!("{messages}")));
    let start = model
        .assemble(&Default::default())
        .unwrap_or_else(|e| panic!("{e}"));
    let equations = start.equations(form, Formalism::Residual).unwrap();
    let (mut y, mut yp) = start.state(&equations);
    let selection = Catalogue::new(&start).select(channels).unwrap();
    let mut sampler = Sampler::new(&start, &equations, &selection).unwrap();
    let (mut rows, mut t) = (Vec::new(), 0.0);
    for &end in times {
        if end > t {
            let options = Options::new(1e-10, 1e-12);
            let solution = solve(equations.clone().system(), (t, end), &y, &yp, options).unwrap();
            (y, yp, t) = (solution.y, solution.yp, end);
        }
        let mut row = vec![0.0; channels.len()];
        sampler.sample(end, &y, &[], &mut row);
        rows.push(row);
    }
    rows
}

/// |a − b| ≤ tolerance · max(|b|, floor).
#[track_caller]
pub fn close(a: f64, b: f64, tolerance: f64, what: &str) {
    assert!(
        (a - b).abs() <= tolerance * b.abs().max(1e-9),
        "{what}: {a} and {b}"
    );
}
