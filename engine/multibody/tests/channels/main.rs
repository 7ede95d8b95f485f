//! Channels: their names, and their values against differences, balances and other trees.

#![allow(clippy::unwrap_used)]

mod balance;
mod cut;
mod motion;
mod names;
mod sensed;

use holonom_dae::Mechanical;
use holonom_multibody::channels::{Catalogue, Sampler};
use holonom_multibody::description::Description;
use holonom_multibody::start::Assembled;
use std::collections::HashMap;
use std::sync::Arc;

fn assembled(description: &Description) -> Assembled {
    let model = Arc::new(description.compile().unwrap_or_else(|e| panic!("{e}")));
    model
        .assemble(&Default::default())
        .unwrap_or_else(|e| panic!("{e}"))
}

/// Random mechanisms that can be assembled, with their descriptions.
fn mechanisms(seeds: core::ops::Range<u64>, most: usize) -> Vec<(u64, Description, Assembled)> {
    let described = |seed: u64| {
        let r = &mut holonom_testing::Random::new(seed);
        let d = holonom_testing::tree(r, most);
        let d = if seed.is_multiple_of(3) {
            d
        } else {
            holonom_testing::enrich(r, d)
        };
        let model = Arc::new(d.compile().ok()?);
        let start = model.assemble(&Default::default()).ok()?;
        (!start.rows.singular_start).then_some((seed, d, start))
    };
    seeds.filter_map(described).collect()
}

/// All channels at a state, by name.
fn values(start: &Assembled, t: f64, q: &[f64], v: &[f64]) -> HashMap<String, f64> {
    let selection = Catalogue::new(start).everything();
    let mut sampler = Sampler::of_motion(start, &selection).unwrap();
    let mut row = vec![f64::NAN; selection.len()];
    sampler.sample_state(t, q, v, &mut row);
    assert_eq!(sampler.failures(), 0);
    selection
        .channels()
        .iter()
        .map(|c| c.name.clone())
        .zip(row)
        .collect()
}

fn at_start(start: &Assembled) -> HashMap<String, f64> {
    values(start, start.t, &start.q, &start.v)
}

/// Three components of a vector channel.
fn vector(values: &HashMap<String, f64>, name: &str) -> holonom_algebra::Vec3<f64> {
    let component = |axis: &str| match values.get(&format!("{name}.{axis}")) {
        Some(x) => *x,
        None => panic!("there is no {name}.{axis}"),
    };
    holonom_algebra::Vec3(["x", "y", "z"].map(component))
}

/// The motion a time `h` later by the classical method of order four on (q, v).
fn later(start: &Assembled, h: f64) -> (f64, Vec<f64>, Vec<f64>) {
    let mut parts = start.mechanical();
    let (n_q, n_v) = (start.q.len(), start.v.len());
    let mut rate = |t: f64, q: &[f64], v: &[f64]| {
        let (mut qp, mut a) = (vec![0.0; n_q], vec![0.0; n_v]);
        let mut lambda = vec![0.0; start.lambda.len()];
        parts.velocity_map(q, v, &mut qp);
        parts.accelerations(t, q, v, &mut lambda, &mut a).unwrap();
        (qp, a)
    };
    let moved =
        |x: &[f64], k: f64, d: &[f64]| -> Vec<f64> { x.iter().zip(d).map(|(x, d)| x + k * d).collect() };
    let (t, q, v) = (start.t, &start.q, &start.v);
    let k1 = rate(t, q, v);
    let k2 = rate(t + h / 2.0, &moved(q, h / 2.0, &k1.0), &moved(v, h / 2.0, &k1.1));
    let k3 = rate(t + h / 2.0, &moved(q, h / 2.0, &k2.0), &moved(v, h / 2.0, &k2.1));
    let k4 = rate(t + h, &moved(q, h, &k3.0), &moved(v, h, &k3.1));
    let sum = |a: &[f64], b: &[f64], c: &[f64], d: &[f64]| -> Vec<f64> {
        (0..a.len())
            .map(|i| (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]) / 6.0)
            .collect()
    };
    (
        t + h,
        moved(q, h, &sum(&k1.0, &k2.0, &k3.0, &k4.0)),
        moved(v, h, &sum(&k1.1, &k2.1, &k3.1, &k4.1)),
    )
}
