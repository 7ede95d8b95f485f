//! `peers race`: the time of our `radau`, and of our `auto`, against the best of all other codes at equal error.
//!
//! Both are judged by the same limits. `radau` is one method; the others include explicit ones, to which `auto` has an
//! answer of its own.
//!
//! Every code takes a problem in each form of its equations there is; the best form counts, for ours as for the
//! others. The winner among the others may change from cell to cell.

use crate::chart;
use crate::codes::{Code, OURS, OURS_AUTO, OURS_RADAU};
use crate::compare::row;
use crate::curve::median;
use crate::measure::{Line, Options, Quantity, measure};
use crate::references;
use crate::report::{Check, Report, head, line, seconds};
use holonom_dae::problems::Problem;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// In the median of all cells ours takes at most this share of the time of the best of the others.
const MEDIAN: f64 = 0.5;
/// All but one cell in ten are below this.
const MOST: f64 = 0.8;
/// No cell is above this.
const ALL: f64 = 1.1;

/// A run is ended at this many times the least time known at the highest number of digits: it can win nowhere.
pub const CUT_OFF: f64 = 8.0;

/// Columns of the table.
const COLUMNS: [(&str, usize); 9] = [
    ("problem", 9),
    ("digits", 6),
    ("our radau", 36),
    ("our auto", 36),
    ("best of the others", 42),
    ("our bdf", 32),
    ("radau", 6),
    ("auto", 6),
    ("radau, interpolated", 19),
];

/// Ours that are judged, with the names of their checks.
const JUDGED: [&str; 2] = ["race", "race-auto"];
/// Number of our `bdf`, which is shown, and of the others.
const BDF: u8 = 2;
const OTHERS: u8 = 3;

/// Codes of which only the best counts: our `radau`, our `auto`, our `bdf`, the others.
pub fn side(code: &Code) -> Option<u8> {
    Some(match code.name {
        OURS_RADAU => 0,
        OURS_AUTO => 1,
        OURS => BDF,
        _ => OTHERS,
    })
}

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

/// Name of a form without sizes.
fn form(problem: &Problem) -> &str {
    problem.name.split(':').next().unwrap_or_default()
}

/// What one side has at a number of digits.
struct Best {
    /// The least time, if it gets there.
    time: Option<f64>,
    /// The code and the form it took.
    who: String,
    /// The time by interpolation between runs.
    interpolated: Option<f64>,
    /// The shortest limit that ended one of its ladders.
    cut: Option<f64>,
}

impl Best {
    fn of(lines: &[(&Problem, &Line)], d: f64, number: u8) -> Self {
        let own = || lines.iter().filter(|(_, l)| side(&l.code) == Some(number));
        let least = own()
            .filter_map(|(p, l)| Some((l.at(Quantity::Cpu, d)?.work, p, l)))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let who = least.map_or(String::new(), |(_, p, l)| {
            format!("{} on {}", l.code.name, form(p))
        });
        Self {
            time: least.map(|l| l.0),
            who,
            interpolated: own()
                .filter_map(|(_, l)| l.interpolated(Quantity::Cpu, d))
                .min_by(f64::total_cmp),
            cut: own().filter_map(|(_, l)| l.cut).min_by(f64::total_cmp),
        }
    }

    fn cell(&self) -> String {
        match (self.time, self.cut) {
            (Some(t), _) => format!("{} {}", seconds(t), self.who),
            (None, Some(limit)) => format!("cut off after {}", seconds(limit)),
            (None, None) => "-".into(),
        }
    }
}

/// Our time over that of the others. Where none of them gets there although the time allowed was over for some, they
/// take longer than that, and the ratio is less than this; where they simply fail there is nothing to lose against.
fn ratio(ours: &Best, theirs: &Best) -> f64 {
    match (ours.time, theirs.time, theirs.cut) {
        (Some(a), Some(b), _) => a / b,
        (Some(a), None, Some(limit)) => a / limit,
        (Some(_), None, None) => 0.0,
        (None, ..) => f64::INFINITY,
    }
}

/// Measures, prints, judges; every contest is printed, drawn and written as soon as it is over.
pub fn race(
    contests: &[Contest],
    mut codes: Vec<Code>,
    options: &Options,
    plot: Option<&Path>,
    json: Option<&Path>,
) -> Result<Report, String> {
    let mut report = Report::new("peers race");
    report.pending = contests.iter().map(|c| c.name.clone()).collect();
    let mut ratios = [const { Vec::new() }; JUDGED.len()];
    // Ours sets the time that the others are measured against; they lower it where they are faster.
    codes.sort_by_key(side);
    let widths = COLUMNS.map(|c| c.1);
    head(&widths, &COLUMNS.map(|c| c.0));
    for contest in contests {
        flush();
        let forms: Vec<&Problem> = contest.forms.iter().collect();
        let measured = measure(&forms, &codes, options);
        let lines: Vec<(&Problem, &Line)> = measured.iter().map(|(i, l)| (forms[*i], l)).collect();
        for (problem, line) in &lines {
            report.rows.push(row(problem, line, None, &options.digits));
        }
        for d in &options.digits {
            let ours = [0, 1].map(|number| Best::of(&lines, *d, number));
            let [bdf, theirs] = [BDF, OTHERS].map(|number| Best::of(&lines, *d, number));
            let found = ours.each_ref().map(|ours| ratio(ours, &theirs));
            if theirs.time.is_none() {
                let why = match theirs.cut {
                    Some(limit) => format!("cut off after {}, which is the time taken", seconds(limit)),
                    None => "they do not reach so many digits at any tolerance".into(),
                };
                let text = format!("{}/{d}: none of the others gets there: {why}", contest.name);
                report.missing.push(text);
            }
            let interpolated = match (ours[0].interpolated, theirs.interpolated) {
                (Some(a), Some(b)) => format!("{:.2}", a / b),
                _ => "-".into(),
            };
            let cells = [
                contest.name.clone(),
                d.to_string(),
                ours[0].cell(),
                ours[1].cell(),
                theirs.cell(),
                bdf.cell(),
                format!("{:.2}", found[0]),
                format!("{:.2}", found[1]),
                interpolated,
            ];
            line(&widths, cells.iter().map(String::as_str));
            for ((name, value), ratios) in JUDGED.iter().zip(found).zip(&mut ratios) {
                ratios.push(value);
                report.checks.push(Check {
                    id: format!("{name}/{}/{d}", contest.name),
                    value,
                    limit: ALL,
                    source: "CPU over the best of the others at equal digits".into(),
                });
            }
        }
        let mut remarks: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (problem, line) in &lines {
            for remark in line.remarks() {
                let who = format!("{} on {}", line.code.name, form(problem));
                remarks.entry(remark).or_default().push(who);
            }
        }
        for (remark, who) in &remarks {
            println!("  remark: {remark}: {}", who.join(", "));
        }
        if let Some(folder) = plot {
            let title = contest.forms.first().map_or("", |p| p.title);
            let curves = lines.iter().map(|(_, l)| (l.code.name, l.points(Quantity::Cpu)));
            chart::write(folder, &contest.name, title, curves, &options.digits)?;
        }
        report.pending.remove(0);
        report.write(json)?;
    }
    flush();
    for (name, ratios) in JUDGED.iter().zip(&ratios) {
        if let Some(value) = median(ratios) {
            report.checks.push(Check {
                id: format!("{name}/median"),
                value,
                limit: MEDIAN,
                source: format!("median of {} cells", ratios.len()),
            });
        }
        let over = ratios.iter().filter(|r| **r > MOST).count();
        report.checks.push(Check {
            id: format!("{name}/cells-over-{MOST}"),
            value: over as f64,
            limit: (ratios.len() / 10) as f64,
            source: "one in ten at most".into(),
        });
    }
    Ok(report)
}

/// So that what is printed is seen, also in a file.
fn flush() {
    // A closed pipe shows itself at the next line.
    let _ = std::io::stdout().flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(time: Option<f64>, cut: Option<f64>) -> Best {
        Best {
            time,
            who: "x on y".into(),
            interpolated: None,
            cut,
        }
    }

    #[test]
    fn who_is_cut_off_takes_at_least_that_long() {
        let ours = best(Some(0.5), None);
        assert_eq!(ratio(&ours, &best(Some(2.0), Some(1.0))), 0.25);
        assert_eq!(ratio(&ours, &best(None, Some(4.0))), 0.125);
        assert_eq!(ratio(&ours, &best(None, None)), 0.0);
        assert_eq!(ratio(&best(None, Some(1.0)), &best(None, None)), f64::INFINITY);
        assert_eq!(best(None, Some(4.0)).cell(), "cut off after 4.000 s");
    }
}
