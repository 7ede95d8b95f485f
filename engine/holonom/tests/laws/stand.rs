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

/// The classical method of Runge and Kutta for y″ = f(t, y, y′).
pub fn integrate(mut y: [f64; 2], end: f64, f: impl Fn(f64, [f64; 2]) -> f64) -> [f64; 2] {
    let steps = 20_000;
    let h = end / f64::from(steps);
    let rate = |t: f64, y: [f64; 2]| [y[1], f(t, y)];
    let ahead = |y: [f64; 2], k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
    for step in 0..steps {
        let t = h * f64::from(step);
        let a = rate(t, y);
        let b = rate(t + 0.5 * h, ahead(y, a, 0.5 * h));
        let c = rate(t + 0.5 * h, ahead(y, b, 0.5 * h));
        let d = rate(t + h, ahead(y, c, h));
        for k in 0..2 {
            y[k] += h / 6.0 * (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]);
        }
    }
    y
}
