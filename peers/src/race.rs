//! `peers race`: the time of our `radau` against the best of all other codes at equal error.
//!
//! Every code takes a problem in each form of its equations there is; the best form counts, for ours as for the
//! others. The winner among the others may change from cell to cell.

use crate::codes::{Code, OURS, OURS_RADAU};
use crate::compare::{Line, Options, Quantity, measure, row};
use crate::curve::median;
use crate::references;
use crate::report::{Check, Report, seconds, table};
use holonom_dae::problems::Problem;

/// In the median of all cells ours takes at most this share of the time of the best of the others.
const MEDIAN: f64 = 0.5;
/// All but one cell in ten are below this.
const MOST: f64 = 0.8;
/// No cell is above this.
const ALL: f64 = 1.1;

/// One problem in all its forms.
pub struct Contest {
    name: String,
    forms: Vec<Problem>,
}

/// The contests: car axle and Andrews' mechanism in four forms, the chain in two.
pub fn contests(
    sizes: &[usize],
    chosen: &[String],
    find: fn(&str) -> Result<Problem, String>,
) -> Result<Vec<Contest>, String> {
    let omega = 0.05 * std::f64::consts::TAU;
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for name in ["car-axle", "andrews"] {
        let forms = ["", "-index3", "-index2", "-index1"];
        all.push((name.into(), forms.iter().map(|f| format!("{name}{f}")).collect()));
    }
    for n in sizes {
        let forms = ["explicit", "residual"].map(|f| format!("chain-{f}:{n}:{omega}"));
        all.push((format!("chain-{n}"), forms.into()));
    }
    let wanted = |name: &str| chosen.is_empty() || chosen.iter().any(|c| name.starts_with(c.as_str()));
    let mut contests = Vec::new();
    for (name, forms) in all.into_iter().filter(|(name, _)| wanted(name)) {
        let mut problems = forms.iter().map(|f| find(f)).collect::<Result<Vec<_>, _>>()?;
        for problem in &mut problems {
            references::complete(problem)?;
        }
        contests.push(Contest {
            name,
            forms: problems,
        });
    }
    match contests.is_empty() {
        true => Err(format!(
            "no such problem: {}; there are car-axle, andrews, chain",
            chosen.join(", ")
        )),
        false => Ok(contests),
    }
}

/// The least time at `d` digits of the codes for which `of` holds, with code and form.
fn best(lines: &[(&Problem, &Line)], d: f64, of: impl Fn(&Code) -> bool) -> Option<(f64, String)> {
    lines
        .iter()
        .filter(|(_, l)| of(&l.code))
        .filter_map(|(p, l)| {
            let form = p.name.split(':').next().unwrap_or_default();
            Some((l.at(Quantity::Cpu, d)?.work, format!("{} on {form}", l.code.name)))
        })
        .min_by(|a, b| a.0.total_cmp(&b.0))
}

/// Measures, prints, judges.
pub fn race(contests: &[Contest], codes: &[Code], options: &Options) -> Report {
    let mut report = Report::new(options.name);
    let mut printed: Vec<Vec<String>> = Vec::new();
    let mut ratios: Vec<f64> = Vec::new();
    for contest in contests {
        eprintln!("{} …", contest.name);
        let measured: Vec<(&Problem, Vec<Line>)> = contest
            .forms
            .iter()
            .map(|p| (p, measure(p, codes, options)))
            .collect();
        let lines: Vec<(&Problem, &Line)> = measured
            .iter()
            .flat_map(|(p, lines)| lines.iter().map(move |l| (*p, l)))
            .collect();
        for (problem, line) in &lines {
            report.rows.push(row(problem, line, None, &options.digits));
            for remark in line.remarks() {
                println!("remark: {} with {}: {remark}", problem.name, line.code.name);
            }
        }
        for d in &options.digits {
            let ours = best(&lines, *d, |c| c.name == OURS_RADAU);
            let theirs = best(&lines, *d, |c| c.name != OURS_RADAU && c.name != OURS);
            let bdf = best(&lines, *d, |c| c.name == OURS);
            let cell = |b: &Option<(f64, String)>| {
                b.as_ref()
                    .map_or("-".into(), |(t, who)| format!("{} {who}", seconds(*t)))
            };
            // Where none of the others gets there in the time allowed there is nothing to lose against.
            let ratio = match (&ours, &theirs) {
                (Some(a), Some(b)) => a.0 / b.0,
                (None, _) => f64::INFINITY,
                (Some(_), None) => {
                    let text = format!(
                        "{}/{d}: none of the others gets there in the time allowed",
                        contest.name
                    );
                    report.missing.push(text);
                    0.0
                }
            };
            ratios.push(ratio);
            printed.push(vec![
                contest.name.clone(),
                d.to_string(),
                cell(&ours),
                cell(&theirs),
                cell(&bdf),
                format!("{ratio:.2}"),
            ]);
            report.checks.push(Check {
                id: format!("race/{}/{d}", contest.name),
                value: ratio,
                limit: ALL,
                source: "CPU over the best of the others at equal digits".into(),
            });
        }
    }
    table(
        &[
            "problem",
            "digits",
            "ours",
            "best of the others",
            "our bdf",
            "ratio",
        ],
        &printed,
    );
    if let Some(value) = median(&ratios) {
        report.checks.push(Check {
            id: "race/median".into(),
            value,
            limit: MEDIAN,
            source: format!("median of {} cells", ratios.len()),
        });
    }
    let over = ratios.iter().filter(|r| **r > MOST).count();
    report.checks.push(Check {
        id: format!("race/cells-over-{MOST}"),
        value: over as f64,
        limit: (ratios.len() / 10) as f64,
        source: "one in ten at most".into(),
    });
    report
}
