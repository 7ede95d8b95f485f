//! Fig. 7 of Arnold, Fuchs, Führer 2004: the instants at which Jacobians are evaluated and updated along a
//! chain of sixteen pendulums, without and with the extended update (26).

use super::chain::{PAPER, T_END};
use super::updates::setup;
use crate::report::{Check, Limit};
use crate::{Error, Report};
use holonom::prelude::*;
use holonom::problems::chain::OMEGA;
use holonom_plot::{Figure, Panel, Series};
use holonom_text::{Align, Table};
use serde_json::json;

const PENDULUMS: usize = 16;

/// What happened when: the ends of the steps in which it did, once for each time.
#[derive(Default)]
struct Instants {
    evaluations: Vec<f64>,
    updates: Vec<f64>,
}

fn measure(update: &str) -> Result<Instants, Error> {
    let failed = |e: &dyn std::fmt::Display| Error::Failed(e.to_string());
    let (chain, options) = setup(PENDULUMS, OMEGA, update, 1.0);
    let zero = vec![0.0; 2 * PENDULUMS];
    let system = Box::new(Bound::new(chain));
    let mut integrator =
        Integrator::new(system, 0.0, &zero, &zero, T_END, options).map_err(|e| failed(&e))?;
    let mut instants = Instants::default();
    while integrator.t() < T_END {
        integrator.step().map_err(|e| failed(&e))?;
        let (t, c) = (integrator.t(), integrator.counters());
        instants.evaluations.resize(c.jacobians as usize, t);
        let updates = c.updates_partitioned + c.updates_extended;
        instants.updates.resize(updates as usize, t);
    }
    Ok(instants)
}

pub fn run() -> Result<Report, Error> {
    let mut report = Report::default();
    let mut table = Table::new(&[
        ("update", Align::Left),
        ("#Je", Align::Right),
        ("updates", Align::Right),
        ("#Je, paper", Align::Right),
        ("evaluated at t [s]", Align::Left),
        ("updated at t [s]", Align::Left),
    ]);
    let (standard, extended) = PAPER
        .iter()
        .find(|p| p.pendulums == PENDULUMS)
        .map_or((0, 0), |p| (p.standard, p.extended));
    let mut panels = Vec::new();
    let mut found = Vec::new();
    for (update, theirs) in [("none", standard), ("extended", extended)] {
        let instants = measure(update)?;
        let Instants { evaluations, updates } = &instants;
        table.row([
            update.to_string(),
            evaluations.len().to_string(),
            updates.len().to_string(),
            theirs.to_string(),
            listed(evaluations),
            listed(updates),
        ]);
        report.rows.push(json!({
            "pendulums": PENDULUMS, "update": update, "evaluations": evaluations, "updates": updates,
            "paper": { "jacobians": theirs, "place": "Fig. 7" },
        }));
        panels.push(panel(update, &instants));
        found.push(instants);
    }
    let counts: Vec<f64> = found.iter().map(|i| i.evaluations.len() as f64).collect();
    let mut check = |what: &str, value: f64, limit: Limit, source: &str| {
        let id = format!("arnold-fig-7/{what}");
        report.checks.push(Check::new(id, Some(value), limit, source));
    };
    let source = format!("Fig. 7: {extended}");
    check(
        "extended/jacobians",
        counts[1],
        Limit::AtMost(extended as f64),
        &source,
    );
    let source = format!("Fig. 7: {standard}/{extended}");
    check(
        "jacobians-saved",
        counts[0] / counts[1],
        Limit::AtLeast(1.0),
        &source,
    );
    let updates = found[1].updates.len() as f64;
    check(
        "extended/updates",
        updates,
        Limit::AtLeast(1.0),
        "Fig. 7: dashed lines, below",
    );
    report.text = table.render_within(110);
    report.missing = vec![
        "the number of updates and all instants in the paper: Fig. 7 shows them, the text does not state them".into(),
        "the paper's 43 evaluations: single runs move with rounding (`arnold-table-2` averages), and ours \
         without updates has DASSL's policy but not its step sizes"
            .into(),
    ];
    let mut figure = Figure::new("Jacobians along a chain of sixteen pendulums", panels);
    figure.remark = "policy dassl, fd-dense, rtol 1e-4, atol 1e-6, no stability detection".into();
    figure.shares_x = true;
    report.picture("arnold-fig-7", figure.svg());
    Ok(report)
}

fn listed(times: &[f64]) -> String {
    let texts: Vec<String> = times.iter().map(|t| format!("{t:.1}")).collect();
    texts.join(" ")
}

/// The excitation, with upright lines at the instants.
fn panel(update: &str, instants: &Instants) -> Panel {
    let mut panel = Panel::new("time / s", "sin ωt");
    panel.title = match update {
        "none" => "evaluations only".into(),
        _ => "with extended updates (26)".into(),
    };
    let lines = |label: &str, times: &[f64]| {
        let x = times.iter().flat_map(|t| [*t, *t, f64::NAN]).collect();
        let y = times.iter().flat_map(|_| [-1.0, 1.0, f64::NAN]).collect();
        Series::new(label, x, y)
    };
    let times: Vec<f64> = (0..=400).map(|k| 0.5 * f64::from(k)).collect();
    let sine = times.iter().map(|t| (OMEGA * t).sin()).collect();
    panel.series = vec![
        lines("evaluation of the Jacobian", &instants.evaluations),
        Series::new("excitation", times, sine),
    ];
    if !instants.updates.is_empty() {
        panel.series.push(lines("update", &instants.updates));
    }
    panel
}
