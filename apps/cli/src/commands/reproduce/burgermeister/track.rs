//! Fig. 3: drift off the circular track of §4.1 over ten million steps, and the bound of §3.4.
//!
//! The paper states no parameters; ours are those of [`circular_track`](holonom::problems::circular_track).

use super::super::Finding;
use super::{line, name, options, refused};
use crate::error::Error;
use crate::plot::{Figure, Panel, Scale, Series};
use crate::report::{Check, Limit, number};
use crate::table::{Align, Table};
use holonom::problems::circular_track::CircularTrack;
use holonom::solver::stepper::{
    Advance, DriftBound, Level, MotionState, RealTime, Stabilisation, StiffTerms, drift_bound,
};
use serde_json::json;
use std::f64::consts::TAU;
use std::thread;

/// Step size, that of the paper's real-time applications.
const H: f64 = 1e-3;
/// Steps of a run.
const STEPS: u64 = 10_000_000;
/// Stretches over which means and largest values are taken.
const STRETCHES: u64 = 1000;
/// Steps along which the constants of the bound are found: one and a half rounds.
const SAMPLED: u64 = 10_000;
/// Slopes of up to so many standard errors are those of chance: 95 %.
const CHANCE: f64 = 2.0;
/// Places on the circle, in parts of it, from which methods that keep to it start. What is left of their trend is
/// rounding, which differs from start to start.
const STARTS: [f64; 3] = [0.0, 1.0 / 3.0, 2.0 / 3.0];

/// At a place on the circle, with the speed that is kept.
fn start(assembly: Level, stabilisation: Stabilisation, place: f64) -> Result<RealTime<'static>, Error> {
    let track = CircularTrack::new();
    let mut start = MotionState::new(&track);
    let (sin, cos) = (TAU * place).sin_cos();
    start.q.copy_from_slice(&[cos, sin]);
    start.v.copy_from_slice(&[-sin, cos]);
    RealTime::new(
        Box::new(track),
        H,
        start,
        options(StiffTerms::J2, assembly, stabilisation),
    )
    .map_err(refused)
}

/// What a run gave, stretch by stretch.
struct Drift {
    t: Vec<f64>,
    /// Mean and largest |x| − 1, by size.
    mean: Vec<f64>,
    largest: Vec<f64>,
    /// Largest |g| of all.
    g: f64,
    /// |x| − 1 in the end.
    end: f64,
    held: bool,
}

impl Drift {
    /// Slope of the line through the means, and its standard error. The first tenth, in which the controller settles,
    /// does not count.
    fn trend(&self) -> (f64, f64) {
        let late = self.t.len() / 10;
        line(&self.t[late..], &self.mean[late..])
    }
}

/// The runs of a method, each on its own thread.
fn run_all(assembly: Level, stabilisation: Stabilisation, places: &[f64]) -> Result<Vec<Drift>, Error> {
    thread::scope(|scope| {
        let started: Vec<_> = (places.iter())
            .map(|&place| scope.spawn(move || run_track(assembly, stabilisation, place, STEPS)))
            .collect();
        let joined = started.into_iter().map(|run| {
            run.join().unwrap_or_else(|_| {
                Err(Error::Failed(
                    "a run on the circular track ended unexpectedly".into(),
                ))
            })
        });
        joined.collect()
    })
}

fn run_track(assembly: Level, stabilisation: Stabilisation, place: f64, steps: u64) -> Result<Drift, Error> {
    let mut run = start(assembly, stabilisation, place)?;
    let mut drift = Drift {
        t: Vec::new(),
        mean: Vec::new(),
        largest: Vec::new(),
        g: 0.0,
        end: f64::NAN,
        held: false,
    };
    let each = steps / STRETCHES;
    for _ in 0..STRETCHES {
        let (mut sum, mut most) = (0.0, 0.0);
        for _ in 0..each {
            drift.held |= run.step() != Advance::Done;
            let q = &run.state().q;
            let g = q[0] * q[0] + q[1] * q[1] - 1.0;
            // |x| − 1 without cancellation.
            let off = g / (1.0 + (1.0 + g).sqrt());
            sum += off;
            most = f64::max(most, off.abs());
            drift.g = drift.g.max(g.abs());
            drift.end = off;
        }
        drift.t.push(run.state().t);
        drift.mean.push(sum / each as f64);
        drift.largest.push(most);
    }
    Ok(drift)
}

pub fn run() -> Result<Finding, Error> {
    let mut finding = Finding::default();
    let mut table = Table::new(&[
        ("method", Align::Left),
        ("|x| − 1 after 10 s", Align::Right),
        ("100 s", Align::Right),
        ("1000 s", Align::Right),
        ("10000 s", Align::Right),
        ("max |g|", Align::Right),
        ("trend [1/s]", Align::Right),
        ("± ", Align::Right),
        ("g_lim", Align::Right),
        ("g_lim / max |g|", Align::Right),
    ]);
    let mut ends = Vec::new();
    let mut panel = Panel::new("time / s", "||x| − 1|");
    (panel.x_scale, panel.y_scale) = (Scale::Log, Scale::Log);
    for (assembly, stabilisation) in [
        (Level::Index1, Stabilisation::None),
        (Level::Index2, Stabilisation::None),
        (Level::Index1, Stabilisation::Projection),
        (Level::Index2, Stabilisation::Projection),
    ] {
        let projects = stabilisation == Stabilisation::Projection;
        let places = if projects { &STARTS[..] } else { &STARTS[..1] };
        let mut runs = run_all(assembly, stabilisation, places)?;
        let method = name(assembly, stabilisation);
        let trends: Vec<(f64, f64)> = runs.iter().map(Drift::trend).collect();
        let count = trends.len() as f64;
        let slope = trends.iter().map(|t| t.0).sum::<f64>() / count;
        let error = trends.iter().map(|t| t.1 * t.1).sum::<f64>().sqrt() / count;
        let g = runs.iter().map(|run| run.g).fold(0.0, f64::max);
        let drift = runs.swap_remove(0);
        let bound: Option<DriftBound> = if projects {
            let mut first = start(assembly, stabilisation, STARTS[0])?;
            Some(drift_bound(&mut first, SAMPLED, 1).map_err(refused)?)
        } else {
            None
        };
        let limit = bound.as_ref().and_then(DriftBound::limit);
        let at = |stretch: usize| number(drift.mean[stretch - 1]);
        let some = |x: Option<f64>| x.map_or("–".into(), number);
        table.row([
            method.clone(),
            at(1),
            at(10),
            at(100),
            at(1000),
            number(g),
            number(slope),
            number(error),
            some(limit),
            some(limit.map(|limit| limit / g)),
        ]);
        finding.rows.push(json!({
            "method": method, "step": H, "steps": STEPS, "held": drift.held, "end": drift.end, "max_g": g,
            "mean_of_stretch": [drift.mean[0], drift.mean[9], drift.mean[99], drift.mean[999]],
            "trend": slope, "trend_error": error, "trends_of_starts": trends,
            "bound": bound.as_ref().map(|bound| json!({
                "c0": bound.c0, "c1": bound.c1, "c2": bound.c2, "condition": bound.condition(), "holds": bound.holds(),
                "g_lim": limit, "observed": g, "factor": limit.map(|limit| limit / g), "rounding": bound.rounding,
            })),
        }));
        let id = |what: &str| format!("burgermeister-fig-3/{method}/{what}");
        if projects {
            finding.checks.push(Check::new(
                id("trend"),
                Some(slope.abs() / error),
                Limit::AtMost(CHANCE),
                "§3.4: no trend; slope of the line through the means of three runs over its standard error",
            ));
            finding.checks.push(Check::new(
                id("bound"),
                bound
                    .as_ref()
                    .and_then(|b| b.limit().map(|limit| g / (limit + b.rounding))),
                Limit::AtMost(1.0),
                "§3.4: max |g| of all steps over g_lim and the rounding of the positions, where (13) is met",
            ));
        } else {
            ends.push(drift.largest.clone());
        }
        panel.series.push(Series::new(method, drift.t, drift.largest));
    }
    for (what, stretch) in [("10", 0), ("100", 9), ("1000", 99), ("10000", 999)] {
        finding.checks.push(Check::new(
            format!("burgermeister-fig-3/index1-over-index2/{what}s"),
            Some(ends[0][stretch] / ends[1][stretch]),
            Limit::AtLeast(1.0),
            "§4.1: index 1 diverges faster; largest drift until then, over that with index 2",
        ));
    }
    finding.table = table.render();
    finding.table += "\nTen million steps of 1 ms with `j2`. |x| − 1 is the mean over the last 10 s; the trend is the slope of the \
                      line through such means, without the first tenth, with projection the average from three starts. On the circle the bound is sharp: v ⟂ P.\n";
    let mut figure = Figure::new("Drift off the circular track", vec![panel]);
    figure.remark = "largest in stretches of 10 s; h = 1 ms, j2".into();
    finding.figures.push(("burgermeister-fig-3", figure));
    finding.missing = vec![
        "mass, gains, outward force, speed and step size of the paper: it states none of them; ours are m = 1, K_P = 10, \
         K_I = 5, F_R = 10, V = 1, h = 1 ms"
            .into(),
    ];
    Ok(finding)
}
