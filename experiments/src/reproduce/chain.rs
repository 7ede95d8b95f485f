//! The chain of pendulums of Arnold, Fuchs, Führer 2004, §4.2.1, from bodies and joints.
//!
//! The paper counts difference approximations of the Jacobian in DASSL, with and without its extended
//! partitioned update (26). Ours: the defaults, and the policy `dassl` with difference quotients column
//! by column, as the paper's baseline. Updates one by one, in the paper's coordinates, are in `updates`.

use crate::report::{Check, Limit};
use crate::{Error, Report};
use holonom::format::{ModelFile, Settings};
use holonom::problems::chain;
use holonom::simulation::{Memory, RunOptions, RunReport, Simulation, Status};
use holonom_text::{Align, Table, number};
use serde_json::json;

pub(super) const T_END: f64 = 200.0;

/// What the paper states for N pendulums: #Je of DASSL with dense differences, the same with the
/// extended update, the number of updates, and their computing time in percent of that without.
pub(super) struct Paper {
    pub pendulums: usize,
    pub standard: u64,
    pub extended: u64,
    pub updates: Option<u64>,
    pub percent: Option<f64>,
    pub place: &'static str,
}

pub(super) const PAPER: [Paper; 3] = [
    Paper {
        pendulums: 12,
        standard: 59,
        extended: 9,
        updates: Some(27),
        percent: Some(82.2),
        place: "Table 2",
    },
    Paper {
        pendulums: 14,
        standard: 96,
        extended: 12,
        updates: Some(62),
        percent: Some(75.1),
        place: "Table 2",
    },
    Paper {
        pendulums: 16,
        standard: 43,
        extended: 6,
        updates: None,
        percent: None,
        place: "Fig. 7",
    },
];

pub fn run() -> Result<Report, Error> {
    let mut report = Report::default();
    let mut table = Table::new(&[
        ("N", Align::Right),
        ("", Align::Left),
        ("steps", Align::Right),
        ("#fc", Align::Right),
        ("#fcw", Align::Right),
        ("#Je", Align::Right),
        ("updates", Align::Right),
        ("error [rad]", Align::Right),
        ("largest angle", Align::Right),
        ("#Je, paper", Align::Right),
        ("updates, paper", Align::Right),
    ]);
    let times: Vec<f64> = (0..=200).map(f64::from).collect();
    for paper in &PAPER {
        let n = paper.pendulums;
        let exact = chain::reference(n, chain::OMEGA, &times[1..]);
        let bdf = Settings {
            stepper: Some("bdf".into()),
            ..Settings::default()
        };
        let of_the_paper = Settings {
            refresh: Some("dassl".into()),
            jacobian: Some("fd-dense".into()),
            ..bdf.clone()
        }
        .with("stability_detection", false);
        let largest = exact
            .iter()
            .flat_map(|y| &y[..n])
            .fold(0.0, |most: f64, angle| most.max(angle.abs()));
        let mut jacobians = Vec::new();
        for (name, settings, theirs, updates) in [
            ("dassl", of_the_paper, paper.standard, Some(0)),
            ("bdf", bdf, paper.extended, paper.updates),
        ] {
            let (run, error) = measure(n, settings, &exact)?;
            let c = &run.counters;
            let value = |x: f64| (run.status == Status::Finished).then_some(x);
            jacobians.push(value(c.jacobians as f64));
            let fc = c.residuals + c.residuals_dual;
            let shown = |n: u64| n.to_string();
            table.row([
                n.to_string(),
                name.to_string(),
                shown(c.steps),
                shown(fc),
                shown(c.residuals_corrector),
                shown(c.jacobians),
                shown(c.updates_partitioned + c.updates_extended),
                number(error),
                number(largest),
                shown(theirs),
                updates.map_or("–".into(), shown),
            ]);
            report.rows.push(json!({
                "pendulums": n, "method": name, "steps": c.steps, "residuals": fc,
                "residuals_corrector": c.residuals_corrector, "jacobians": c.jacobians,
                "updates": c.updates_partitioned + c.updates_extended, "error": error, "largest_angle": largest,
                "paper": { "jacobians": theirs, "updates": updates, "place": paper.place },
            }));
            let id = format!("arnold-chain/{n}/{name}/error");
            let source = "own extrapolation of order 16; the paper states no errors";
            report
                .checks
                .push(Check::new(id, value(error), Limit::AtMost(5e-5), source));
        }
        table.gap();
        let place = paper.place;
        let id = format!("arnold-chain/{n}/default/jacobians");
        let source = format!(
            "{place}: #Je = {} with (26), {} without",
            paper.extended, paper.standard
        );
        report.checks.push(Check::new(
            id,
            jacobians[1],
            Limit::AtMost(paper.extended as f64),
            source,
        ));
        let ratio = jacobians[0].zip(jacobians[1]).map(|(dassl, ours)| dassl / ours);
        let id = format!("arnold-chain/{n}/jacobians-saved");
        let source = format!("{place}: {}/{}", paper.standard, paper.extended);
        report
            .checks
            .push(Check::new(id, ratio, Limit::AtLeast(1.0), source));
    }
    report.text = table.render();
    report.missing = vec![
        "steps, function calls and errors of the paper: it states none for the chain".into(),
        "counts in the paper's coordinates: it integrates angles against the vertical, joints have their \
         differences, which stay below atol and let the steps grow (`holonom verify chain-residual:12` has the former)"
            .into(),
        "computing times of Table 2: they belong to a machine of 2004".into(),
    ];
    Ok(report)
}

/// A run with the paper's tolerances, and the largest error of the angles at t = 1, 2 … 200.
fn measure(n: usize, settings: Settings, exact: &[Vec<f64>]) -> Result<(RunReport, f64), Error> {
    let file = ModelFile::new(holonom_models::arnold_chain(n, chain::OMEGA));
    let settings = Settings {
        t_end: Some(T_END),
        output_step: Some(1.0),
        rtol: Some(1e-4),
        atol: Some(1e-6),
        ..settings
    };
    let failed = |error: &dyn std::fmt::Display| Error::Failed(error.to_string());
    let simulation = Simulation::new(&file, &settings).map_err(Error::Model)?;
    let mut names = vec!["suspension.angle".to_string()];
    names.extend((2..=n).map(|i| format!("pin{i}.angle")));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let selection = simulation.catalogue.select(&names).map_err(|e| failed(&e))?;
    let mut rows = Memory::default();
    let report = simulation
        .run(&RunOptions::new(selection), &mut rows)
        .map_err(|e| failed(&e))?;
    let mut error = 0.0_f64;
    // The reference has no row at the start.
    for (row, exact) in rows.0.iter().skip(1).zip(exact) {
        // Angles of joints add up to angles against the vertical.
        let mut angle = 0.0;
        for (joint, exact) in row[1..].iter().zip(exact) {
            angle += joint;
            error = error.max((angle - exact).abs());
        }
    }
    Ok((report, error))
}
