//! Table 2 of Arnold, Fuchs, Führer 2004: the chain of pendulums with partitioned (24) and extended (26)
//! updates of the Jacobian.
//!
//! In the paper's coordinates, the angles against the vertical, and with an explicit formalism. All rows
//! have difference quotients column by column and the policy `dassl`, so that they differ by the update
//! alone. Stability detection is off, as in the paper's code.
//!
//! Updates must cost no accuracy: the error of a row against the exact solution, stored beside, is at most that of the row
//! without updates plus one tolerance. Tolerances bound the error of a step, not what has come together after 200 s, so that
//! the errors themselves are 5 to 11 tolerances. How far two rows are apart is shown and not judged: with errors of E
//! tolerances they may be up to 2E apart and be equally good, and the row without updates is 3 to 15 tolerances from
//! itself when its tolerances change by a hundredth.

use super::chain::{PAPER, Paper, T_END};
use crate::report::{Check, Limit};
use crate::{Error, Report};
use holonom::prelude::*;
use holonom::problems::chain::{self, Chain, Formalism};
use holonom_plot::{Figure, Panel, Series};
use holonom_text::{Align, Table, number};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::f64::consts::TAU;
use std::time::Instant;

/// The tolerances of the paper.
pub(super) const RTOL: f64 = 1e-4;
pub(super) const ATOL: f64 = 1e-6;
/// Runs with tolerances within ±10 %, over which counts are averaged: single runs move with rounding.
const RUNS: usize = 20;
/// The frequency as rad/s, and as the "0.05 Hz" the paper says.
const OMEGAS: [f64; 2] = [chain::OMEGA, TAU * chain::OMEGA];
/// The rows, the baseline first.
const UPDATES: [&str; 3] = ["none", "partitioned", "extended"];

/// The chain, and options for it as in the paper.
pub(super) fn setup(n: usize, omega: f64, update: &str, scale: f64) -> (Chain, Options) {
    let chain = Chain {
        n,
        omega,
        formalism: Formalism::Explicit,
    };
    let options = Options::new(RTOL * scale, ATOL * scale)
        .stepper("bdf")
        .jacobian("fd-dense")
        .refresh("dassl")
        .update(update)
        .stability_detection(false);
    (chain, options)
}

/// Averages over the runs.
#[derive(Default)]
struct Row {
    seconds: f64,
    steps: f64,
    fc: f64,
    fcw: f64,
    jacobians: f64,
    updates: f64,
    /// Error of an angle at the end, the largest of all runs.
    error: f64,
    /// Error of the solution at the end in the weighted norm of the run, the largest of all runs.
    weighted: f64,
    /// Solution at the end of each run.
    ends: Vec<Vec<f64>>,
}

impl Row {
    /// The largest distance at the end between runs with the same tolerances, in the weighted norm of the run.
    fn apart(&self, other: &Self) -> f64 {
        let runs = self.ends.iter().zip(&other.ends).enumerate();
        runs.map(|(k, (a, b))| distance(a, b, scale(k)))
            .fold(0.0, f64::max)
    }

    /// The largest distance at the end between runs whose tolerances differ by a hundredth: what step sizes alone do.
    fn scatter(&self) -> f64 {
        let pairs = self.ends.windows(2).enumerate();
        pairs
            .map(|(k, pair)| distance(&pair[0], &pair[1], scale(k)))
            .fold(0.0, f64::max)
    }
}

/// The factor of the tolerances in run `k`.
fn scale(k: usize) -> f64 {
    0.9 + 0.2 * k as f64 / (RUNS - 1) as f64
}

/// Root mean square of y − exact in units of rtol |exact| + atol: the norm in which steps are judged.
fn distance(y: &[f64], exact: &[f64], scale: f64) -> f64 {
    let off = |(y, exact): (&f64, &f64)| ((y - exact) / (scale * (RTOL * exact.abs() + ATOL))).powi(2);
    let sum: f64 = y.iter().zip(exact).map(off).sum();
    (sum / y.len().max(1) as f64).sqrt()
}

fn measure(n: usize, omega: f64, update: &str, exact: &[f64]) -> Result<Row, Error> {
    let mut row = Row::default();
    for k in 0..RUNS {
        let (chain, options) = setup(n, omega, update, scale(k));
        let zero = vec![0.0; 2 * n];
        let begin = Instant::now();
        let solution = solve(Bound::new(chain), (0.0, T_END), &zero, &zero, options)
            .map_err(|e| Error::Failed(e.to_string()))?;
        let c = &solution.counters;
        let share = |x: f64| x / RUNS as f64;
        row.seconds += share(begin.elapsed().as_secs_f64());
        row.steps += share(c.steps as f64);
        row.fc += share(c.residuals as f64);
        row.fcw += share(c.residuals_corrector as f64);
        row.jacobians += share(c.jacobians as f64);
        row.updates += share((c.updates_partitioned + c.updates_extended) as f64);
        let off = |m: f64, (a, b): (&f64, &f64)| m.max((a - b).abs());
        row.error = solution.y[..n].iter().zip(exact).fold(row.error, off);
        row.weighted = row.weighted.max(distance(&solution.y, exact, scale(k)));
        row.ends.push(solution.y);
    }
    Ok(row)
}

pub fn run() -> Result<Report, Error> {
    let mut report = Report::default();
    let mut table = Table::new(&[
        ("N", Align::Right),
        ("ω [rad/s]", Align::Right),
        ("update", Align::Left),
        ("time [ms]", Align::Right),
        ("%", Align::Right),
        ("#fc", Align::Right),
        ("%", Align::Right),
        ("#fcw", Align::Right),
        ("#Je", Align::Right),
        ("updates", Align::Right),
        ("error [rad]", Align::Right),
        ("error [tol]", Align::Right),
        ("apart [tol]", Align::Right),
        ("paper: #Je", Align::Right),
        ("updates", Align::Right),
        ("time %", Align::Right),
    ]);
    for paper in &PAPER {
        for omega in OMEGAS {
            compare(paper, omega, &mut table, &mut report)?;
        }
    }
    report.text = table.render();
    report.text += "\nAveraged over 20 tolerances within ±10 % of rtol 1e-4, atol 1e-6; the error is the largest. \
                      Percents are of the row above without updates.\nLimit: what would be left if Jacobians cost nothing, \
                      the evaluations of that row without those for Jacobians.\n\
                      Errors at the end are against the exact solution (extrapolation of order 16), as the largest angle, and as \
                      root mean square over all unknowns in units of rtol |y| + atol; apart: the distance from the row without \
                      updates, in the same units.\n";
    let of_baselines = report.rows.iter().filter(|row| row["update"] == UPDATES[0]);
    let scatter: Vec<f64> = of_baselines
        .filter_map(|row| row["scatter_in_tolerances"].as_f64())
        .collect();
    let (least, most) = (
        scatter.iter().copied().fold(f64::MAX, f64::min),
        scatter.iter().copied().fold(0.0, f64::max),
    );
    report.text += &format!(
        "When its tolerances change by a hundredth, the row without updates is {} to {} tolerances apart from itself at most, by size \
         and frequency.\n",
        number(least),
        number(most)
    );
    let figure = figure(&report);
    report.picture("arnold-table-2", figure.svg());
    report.missing = vec![
        "partitioned updates alone, function calls and errors of the paper: Table 2 states none".into(),
        "rows with sparse differences: on trees in joint coordinates they depend on the estimated pattern"
            .into(),
        "computing times of the paper: they belong to a machine of 2004; its percents are of computing time"
            .into(),
        "what `ddassl_` needs, and ours with stability detection next to it: `peers` measures that".into(),
    ];
    Ok(report)
}

/// The exact solution at the end for one size and frequency, by extrapolation of order 16.
#[derive(Serialize, Deserialize)]
struct End {
    pendulums: usize,
    omega: f64,
    y: Vec<f64>,
}

/// All of them, as the tests make them.
const ENDS: &str = include_str!("updates_reference.json");

fn stored(n: usize, omega: f64) -> Result<Vec<f64>, Error> {
    let all: Vec<End> = serde_json::from_str(ENDS).map_err(|error| {
        Error::Failed(format!(
            "arnold-table-2: the stored reference cannot be read: {error}"
        ))
    })?;
    let end = all
        .into_iter()
        .find(|end| end.pendulums == n && end.omega == omega);
    let none = || format!("arnold-table-2: there is no stored reference for {n} pendulums at {omega} rad/s");
    end.map(|end| end.y).ok_or_else(|| Error::Failed(none()))
}

/// The rows of one size and frequency.
fn compare(paper: &Paper, omega: f64, table: &mut Table, report: &mut Report) -> Result<(), Error> {
    let n = paper.pendulums;
    let end = stored(n, omega)?;
    let rows: Vec<Row> = UPDATES
        .iter()
        .map(|update| measure(n, omega, update, &end))
        .collect::<Result<_, _>>()?;
    let baseline = &rows[0];
    for (update, row) in UPDATES.into_iter().zip(&rows) {
        let (theirs, updates, percent) = match update {
            "none" => (Some(paper.standard), Some(0), Some(100.0)),
            "extended" => (Some(paper.extended), paper.updates, paper.percent),
            _ => (None, None, None),
        };
        let time = 100.0 * row.seconds / baseline.seconds;
        let calls = 100.0 * row.fc / baseline.fc;
        let stated = |x: Option<u64>| x.map_or("–".into(), |x| x.to_string());
        table.row([
            n.to_string(),
            number(omega),
            update.to_string(),
            format!("{:.2}", 1e3 * row.seconds),
            format!("{time:.0}"),
            format!("{:.0}", row.fc),
            format!("{calls:.1}"),
            format!("{:.0}", row.fcw),
            format!("{:.1}", row.jacobians),
            format!("{:.1}", row.updates),
            number(row.error),
            format!("{:.2}", row.weighted),
            format!("{:.2}", row.apart(baseline)),
            stated(theirs),
            stated(updates),
            percent.map_or("–".into(), number),
        ]);
        report.rows.push(json!({
            "pendulums": n, "omega": omega, "update": update, "seconds": row.seconds,
            "percent_of_time": time, "percent_of_residuals": calls, "steps": row.steps,
            "residuals": row.fc, "residuals_corrector": row.fcw, "jacobians": row.jacobians,
            "updates": row.updates, "error": row.error, "error_in_tolerances": row.weighted,
            "from_baseline_in_tolerances": row.apart(baseline), "scatter_in_tolerances": row.scatter(), "limit_of_residuals": baseline.fcw,
            "paper": { "jacobians": theirs, "updates": updates, "percent_of_time": percent, "place": paper.place },
        }));
        let id = |what: &str| format!("arnold-table-2/{n}/{}/{update}/{what}", number(omega));
        if update != "none" {
            report.checks.push(Check::new(
                id("error"),
                Some(row.weighted),
                Limit::AtMost(baseline.weighted + 1.0),
                "error at the end against the exact solution, in tolerances; limit: the error of the row without updates plus one",
            ));
            report.checks.push(Check::new(
                id("residuals"),
                Some(row.fc / baseline.fcw),
                Limit::AtMost(1.15),
                "over the limit, the baseline's evaluations without those for Jacobians",
            ));
        }
        if update == "extended" {
            report.checks.push(Check::new(
                id("jacobians"),
                Some(row.jacobians),
                Limit::AtMost(6.0),
                "Fig. 7: #Je = 6 with (26), N = 16",
            ));
        }
    }
    table.row([
        n.to_string(),
        number(omega),
        "limit".to_string(),
        String::new(),
        String::new(),
        format!("{:.0}", baseline.fcw),
        format!("{:.1}", 100.0 * baseline.fcw / baseline.fc),
    ]);
    table.gap();
    Ok(())
}

/// #Je over the number of pendulums, ours and the paper's.
fn figure(report: &Report) -> Figure {
    let panel = |omega: f64| {
        let mut panel = Panel::new("pendulums", "#Je");
        panel.title = format!("ω = {} rad/s", number(omega));
        for update in UPDATES {
            let rows = report
                .rows
                .iter()
                .filter(|r| r["omega"] == omega && r["update"] == update);
            let points = rows.filter_map(|r| Some((r["pendulums"].as_f64()?, r["jacobians"].as_f64()?)));
            let (x, y) = points.unzip();
            panel.series.push(Series::new(update, x, y));
        }
        let theirs = |label: &str, of: fn(&Paper) -> u64| {
            let (x, y) = PAPER.iter().map(|p| (p.pendulums as f64, of(p) as f64)).unzip();
            Series::new(label, x, y)
        };
        panel.series.push(theirs("paper, none", |p| p.standard));
        panel.series.push(theirs("paper, extended", |p| p.extended));
        panel
    };
    let mut figure = Figure::new("Jacobians along chains of pendulums", OMEGAS.map(panel).into());
    figure.remark = "averages over 20 tolerances within ±10 % of rtol 1e-4, atol 1e-6".into();
    figure.shares_x = true;
    figure
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `HOLONOM_BLESS=1` writes the reference anew, all of it.
    #[test]
    fn the_stored_reference_is_the_exact_solution() {
        let blesses = std::env::var_os("HOLONOM_BLESS").is_some();
        let times: Vec<f64> = (1..=200).map(f64::from).collect();
        let exact = |n, omega, tol| {
            let all = chain::reference_within(n, omega, &times, tol);
            all.into_iter().next_back().expect("an end")
        };
        if blesses {
            let ends = PAPER.iter().flat_map(|paper| {
                OMEGAS.map(|omega| End {
                    pendulums: paper.pendulums,
                    omega,
                    y: exact(paper.pendulums, omega, 1e-17),
                })
            });
            let ends: Vec<End> = ends.collect();
            let text = serde_json::to_string_pretty(&ends).expect("numbers");
            let file = concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/src/reproduce/updates_reference.json"
            );
            return std::fs::write(file, text + "\n").expect("the file is written");
        }
        // One of them again, less sharply but by another path of steps.
        let (n, omega) = (PAPER[0].pendulums, OMEGAS[1]);
        let kept = stored(n, omega).expect("it is stored");
        let again = exact(n, omega, 1e-14);
        let off = kept
            .iter()
            .zip(&again)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        assert!(off < 1e-9, "{off}");
        for (paper, omega) in PAPER.iter().flat_map(|paper| OMEGAS.map(|omega| (paper, omega))) {
            let y = stored(paper.pendulums, omega).expect("it is stored");
            assert_eq!(y.len(), 2 * paper.pendulums);
        }
    }
}
