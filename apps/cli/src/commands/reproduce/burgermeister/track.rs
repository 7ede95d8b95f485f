//! Fig. 3: drift off the circular track of §4.1 over ten million steps, and the bound of §3.4.
//!
//! Whether projection has a trend is decided so: |x| − 1 has a part that repeats with the lap, and rounding that is not
//! independent from step to step. Means over whole laps are free of the former; seven laps are 43,982.3 steps, nearer to
//! whole steps than one. What is left of correlation between such means enters the standard error of the line
//! through them ([`robust_line`]). The first tenth, in which the controller settles, does not count.
//!
//! The paper states no parameters; ours are those of [`circular_track`](holonom::problems::circular_track).

use super::super::Finding;
use super::{name, options, refused, robust_line};
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
pub const STEPS: u64 = 10_000_000;
/// Steps of a stretch over which means and largest values are shown: 10 s.
const STRETCH: u64 = 10_000;
/// Steps of seven laps, 14π s, over which means for the trend are taken.
const LAPS: u64 = 43_982;
/// Such means that a trend needs at least.
const ENOUGH: usize = 30;
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
    /// Means over whole laps, with the times of their ends.
    laps: (Vec<f64>, Vec<f64>),
    /// Largest |g| of all.
    g: f64,
    /// |x| − 1 in the end.
    end: f64,
    held: bool,
}

impl Drift {
    /// Slope of the line through the means of whole laps, its standard error, and their correlation from one to the
    /// next; none of runs that are too short.
    fn trend(&self) -> Option<(f64, f64, f64)> {
        let (t, mean) = &self.laps;
        let late = t.len().div_ceil(10);
        (t.len() >= late + ENOUGH).then(|| robust_line(&t[late..], &mean[late..]))
    }
}

/// The runs of a method, each on its own thread.
fn run_all(
    assembly: Level,
    stabilisation: Stabilisation,
    places: &[f64],
    steps: u64,
) -> Result<Vec<Drift>, Error> {
    thread::scope(|scope| {
        let started: Vec<_> = (places.iter())
            .map(|&place| scope.spawn(move || run_track(assembly, stabilisation, place, steps)))
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
        laps: Default::default(),
        g: 0.0,
        end: f64::NAN,
        held: false,
    };
    let (mut sum, mut most, mut of_laps) = (0.0, 0.0, 0.0);
    for step in 1..=steps {
        drift.held |= run.step() != Advance::Done;
        let q = &run.state().q;
        let g = q[0] * q[0] + q[1] * q[1] - 1.0;
        // |x| − 1 without cancellation.
        let off = g / (1.0 + (1.0 + g).sqrt());
        sum += off;
        of_laps += off;
        most = f64::max(most, off.abs());
        drift.g = drift.g.max(g.abs());
        drift.end = off;
        if step % STRETCH == 0 {
            drift.t.push(run.state().t);
            drift.mean.push(sum / STRETCH as f64);
            drift.largest.push(most);
            (sum, most) = (0.0, 0.0);
        }
        if step % LAPS == 0 {
            drift.laps.0.push(run.state().t);
            drift.laps.1.push(of_laps / LAPS as f64);
            of_laps = 0.0;
        }
    }
    Ok(drift)
}

/// With so many steps.
pub fn run(steps: u64) -> Result<Finding, Error> {
    if steps < STRETCH {
        return Err(Error::Usage(format!("`--steps` needs at least {STRETCH}: 10 s")));
    }
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
        ("correlation", Align::Right),
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
        let mut runs = run_all(assembly, stabilisation, places, steps)?;
        let method = name(assembly, stabilisation);
        // The average from all starts, which are independent of each other.
        let trends: Option<Vec<(f64, f64, f64)>> = runs.iter().map(Drift::trend).collect();
        let trend = trends.as_ref().map(|trends| {
            let count = trends.len() as f64;
            let slope = trends.iter().map(|t| t.0).sum::<f64>() / count;
            let error = trends.iter().map(|t| t.1 * t.1).sum::<f64>().sqrt() / count;
            let correlation = trends.iter().map(|t| t.2.abs()).fold(0.0, f64::max);
            (slope, error, correlation)
        });
        let g = runs.iter().map(|run| run.g).fold(0.0, f64::max);
        let drift = runs.swap_remove(0);
        let bound: Option<DriftBound> = if projects {
            let mut first = start(assembly, stabilisation, STARTS[0])?;
            Some(drift_bound(&mut first, SAMPLED, 1).map_err(refused)?)
        } else {
            None
        };
        let limit = bound.as_ref().and_then(DriftBound::limit);
        let at = |stretch: usize| {
            drift
                .mean
                .get(stretch - 1)
                .map_or("–".into(), |mean| number(*mean))
        };
        let some = |x: Option<f64>| x.map_or("–".into(), number);
        table.row([
            method.clone(),
            at(1),
            at(10),
            at(100),
            at(1000),
            number(g),
            some(trend.map(|t| t.0)),
            some(trend.map(|t| t.1)),
            some(trend.map(|t| t.2)),
            some(limit),
            some(limit.map(|limit| limit / g)),
        ]);
        let means = [0, 9, 99, 999].map(|k: usize| drift.mean.get(k));
        finding.rows.push(json!({
            "method": method, "step": H, "steps": steps, "held": drift.held, "end": drift.end, "max_g": g,
            "mean_of_stretch": means,
            "trend": trend.map(|t| t.0), "trend_error": trend.map(|t| t.1), "correlation": trend.map(|t| t.2),
            "trends_of_starts": trends,
            "bound": bound.as_ref().map(|bound| json!({
                "c0": bound.c0, "c1": bound.c1, "c2": bound.c2, "condition": bound.condition(), "holds": bound.holds(),
                "g_lim": limit, "observed": g, "factor": limit.map(|limit| limit / g), "rounding": bound.rounding,
            })),
        }));
        let id = |what: &str| format!("burgermeister-fig-3/{method}/{what}");
        if projects {
            if let Some((slope, error, _)) = trend {
                finding.checks.push(Check::new(
                    id("trend"),
                    Some(slope.abs() / error),
                    Limit::AtMost(CHANCE),
                    "§3.4: no trend; slope through the means of seven laps each, three runs, over its standard error of Newey \
                     and West: what repeats with the lap drops out of such means, what correlates them is in the error",
                ));
            }
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
    let reached = |stretch: usize| ends.iter().all(|largest| stretch < largest.len());
    let times = [("10", 0), ("100", 9), ("1000", 99), ("10000", 999)];
    for (what, stretch) in times.into_iter().filter(|(_, stretch)| reached(*stretch)) {
        finding.checks.push(Check::new(
            format!("burgermeister-fig-3/index1-over-index2/{what}s"),
            Some(ends[0][stretch] / ends[1][stretch]),
            Limit::AtLeast(1.0),
            "§4.1: index 1 diverges faster; largest drift until then, over that with index 2",
        ));
    }
    finding.table = table.render();
    finding.table += &format!(
        "\n{steps} steps of 1 ms with `j2`. |x| − 1 is the mean over the last 10 s; the trend is the slope of the line through means \
         over seven laps, without the first tenth, with projection the average from three starts; its standard error is that of \
         Newey and West, correlation that of one mean with the next, the largest. On the circle the bound is sharp: v ⟂ P.\n"
    );
    let mut figure = Figure::new("Drift off the circular track", vec![panel]);
    figure.remark = "largest in stretches of 10 s; h = 1 ms, j2".into();
    finding.figures.push(("burgermeister-fig-3", figure));
    finding.missing = vec![
        "mass, gains, outward force, speed and step size of the paper: it states none of them; ours are m = 1, K_P = 10, \
         K_I = 5, F_R = 10, V = 1, h = 1 ms"
            .into(),
    ];
    if steps < STEPS {
        finding.missing.push(format!(
            "the run of {STEPS} steps: these are {steps}, which is what `--steps` asked for"
        ));
    }
    Ok(finding)
}
