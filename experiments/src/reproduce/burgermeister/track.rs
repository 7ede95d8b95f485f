//! Fig. 3: drift off the circular track of §4.1 over ten million steps, and the bound of §3.4.
//!
//! Whether projection has a trend is decided so. Each of [`STARTS`] runs gives one slope: that of the line through means
//! over seven laps, 43,982.3 steps, nearer to whole steps than one lap is; what repeats with the lap drops out of them. The
//! first tenth, in which the controller settles, does not count. The runs differ in nothing but where on the circle they
//! begin, and with it in rounding, which is all that a trend can come from: the method turns with the circle, and what it
//! remembers fades within seconds. So the mean of the slopes is held against the standard error that their scatter gives
//! it ([`mean`]), which supposes nothing of how rounding is correlated within a run, and is one test for a method,
//! not one for a run: of many slopes some are beyond two of their own standard errors by chance. The limit is 2, just
//! within the 95 % of Student's t with 23 degrees of freedom, 2.07. A trend of two standard errors more than seen must
//! also be without consequence: over the whole run it may not reach the spacing of numbers at the radius. Otherwise a
//! test of few or scattered runs would find nothing because it cannot. The slopes of single runs are shown with their own
//! standard errors ([`robust_line`]).
//!
//! The paper states no parameters; ours are those of [`circular_track`](holonom::problems::circular_track).

use super::{mean, name, options, refused, robust_line};
use crate::report::{Check, Limit};
use crate::{Error, Report};
use holonom::problems::circular_track::CircularTrack;
use holonom::solver::stepper::{
    Advance, DriftBound, Level, MotionState, RealTime, Stabilisation, StiffTerms, drift_bound,
};
use holonom_plot::{Figure, Panel, Scale, Series};
use holonom_text::{Align, Table, number};
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
/// Runs of methods that keep to the circle.
const STARTS: usize = 24;

/// Where on the circle, in parts of it, a run starts: spread evenly by the golden section, and no two places mirror each
/// other, as those of a regular polygon do, with the same rounding in both.
fn place(run: usize) -> f64 {
    (run as f64 * 0.5 * (5f64.sqrt() - 1.0)).fract()
}

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
    starts: usize,
    steps: u64,
) -> Result<Vec<Drift>, Error> {
    thread::scope(|scope| {
        let started: Vec<_> = (0..starts)
            .map(|run| scope.spawn(move || run_track(assembly, stabilisation, place(run), steps)))
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
pub fn run(steps: u64) -> Result<Report, Error> {
    if steps < STRETCH {
        return Err(Error::Usage(format!("`--steps` needs at least {STRETCH}: 10 s")));
    }
    let mut report = Report::default();
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
    let mut singles = Table::new(&[
        ("method", Align::Left),
        ("start", Align::Right),
        ("trend [1/s]", Align::Right),
        ("± ", Align::Right),
        ("trend / ±", Align::Right),
        ("correlation", Align::Right),
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
        let starts = if projects { STARTS } else { 1 };
        let mut runs = run_all(assembly, stabilisation, starts, steps)?;
        let method = name(assembly, stabilisation);
        let trends: Vec<(f64, f64, f64)> = runs.iter().filter_map(Drift::trend).collect();
        let slopes: Vec<f64> = trends.iter().map(|t| t.0).collect();
        let trend = projects.then(|| mean(&slopes)).flatten();
        for (run, &(slope, error, correlation)) in trends.iter().enumerate() {
            singles.row([
                method.clone(),
                format!("{:.4}", place(run)),
                number(slope),
                number(error),
                number(slope / error),
                number(correlation),
            ]);
        }
        let g = runs.iter().map(|run| run.g).fold(0.0, f64::max);
        let held = runs.iter().any(|run| run.held);
        let drift = runs.swap_remove(0);
        let bound: Option<DriftBound> = if projects {
            let mut first = start(assembly, stabilisation, place(0))?;
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
            some(limit),
            some(limit.map(|limit| limit / g)),
        ]);
        let means = [0, 9, 99, 999].map(|k: usize| drift.mean.get(k));
        report.rows.push(json!({
            "method": method, "step": H, "steps": steps, "held": held, "end": drift.end, "max_g": g,
            "mean_of_stretch": means,
            "trend": trend.map(|t| t.0), "trend_error": trend.map(|t| t.1),
            "single_runs": trends.iter().enumerate().map(|(run, t)| json!({
                "start": place(run), "trend": t.0, "trend_error": t.1, "correlation": t.2,
            })).collect::<Vec<_>>(),
            "bound": bound.as_ref().map(|bound| json!({
                "c0": bound.c0, "c1": bound.c1, "c2": bound.c2, "condition": bound.condition(), "holds": bound.holds(),
                "g_lim": limit, "observed": g, "factor": limit.map(|limit| limit / g), "rounding": bound.rounding,
            })),
        }));
        let id = |what: &str| format!("burgermeister-fig-3/{method}/{what}");
        if projects {
            if let Some((slope, error)) = trend {
                report.checks.push(Check::new(
                    id("trend"),
                    Some(slope.abs() / error),
                    Limit::AtMost(CHANCE),
                    format!("§3.4: no trend; mean slope of {STARTS} runs over its standard error from their scatter"),
                ));
                report.checks.push(Check::new(
                    id("trend-over-run"),
                    Some((slope.abs() + CHANCE * error) * steps as f64 * H / f64::EPSILON),
                    Limit::AtMost(1.0),
                    "§3.4: no trend; what the mean slope and two standard errors more add up to in the whole run, over the spacing of \
                     numbers at the radius",
                ));
            }
            report.checks.push(Check::new(
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
        report.checks.push(Check::new(
            format!("burgermeister-fig-3/index1-over-index2/{what}s"),
            Some(ends[0][stretch] / ends[1][stretch]),
            Limit::AtLeast(1.0),
            "§4.1: index 1 diverges faster; largest drift until then, over that with index 2",
        ));
    }
    report.text = table.render();
    report.text += &format!(
        "\n{steps} steps of 1 ms with `j2`. |x| − 1 is the mean over the last 10 s; the trend is the mean slope of {STARTS} runs from \
         different places, and ± its standard error from their scatter. On the circle the bound is sharp: v ⟂ P.\n"
    );
    if !singles.is_empty() {
        report.text += &format!(
            "\nSingle runs: slope of the line through means over seven laps, without the first tenth; ± is the standard error of Newey \
             and West, correlation that of one mean with the next.\n\n{}",
            singles.render()
        );
    }
    let mut figure = Figure::new("Drift off the circular track", vec![panel]);
    figure.remark = "largest in stretches of 10 s; h = 1 ms, j2".into();
    report.picture("burgermeister-fig-3", figure.svg());
    report.missing = vec![
        "mass, gains, outward force, speed and step size of the paper: it states none of them; ours are m = 1, K_P = 10, \
         K_I = 5, F_R = 10, V = 1, h = 1 ms"
            .into(),
    ];
    if steps < STEPS {
        report.missing.push(format!(
            "the run of {STEPS} steps: these are {steps}, which is what `--steps` asked for"
        ));
    }
    Ok(report)
}
