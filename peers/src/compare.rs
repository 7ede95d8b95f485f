//! `peers compare` and `peers corrector`: work–precision curves of all codes, and the work at equal digits.

use crate::chart;
use crate::codes::{Code, OURS, YARDSTICK};
use crate::curve::{Reading, median};
use crate::measure::{Line, Options, Quantity, measure};
use crate::report::{Check, Report, number, seconds, table};
use holonom_dae::problems::Problem;
use serde_json::{Map, Value, json};
use std::path::Path;

/// What is asked of Holonom: its work over that of another code at equal digits.
pub struct Demand {
    /// What is compared.
    quantity: Quantity,
    /// The other code.
    yardstick: &'static str,
    /// Limit of the median over the problems.
    median: Option<f64>,
    /// Limit on each problem.
    each: f64,
}

const fn demand(quantity: Quantity, yardstick: &'static str, median: Option<f64>, each: f64) -> Demand {
    Demand {
        quantity,
        yardstick,
        median,
        each,
    }
}

/// Of the engine as a whole, on all problems.
pub const OF_THE_ENGINE: &[Demand] = &[
    demand(Quantity::Residuals, "ida", Some(1.0), 1.3),
    demand(Quantity::Cpu, "ida", Some(0.7), 1.0),
];

/// Of the corrector iteration, on the pendulum chain and the car axle: fewer Jacobians and residuals than
/// both codes, half the time of DASSL.
pub const OF_THE_CORRECTOR: &[Demand] = &[
    demand(Quantity::Residuals, "ida", None, 1.0),
    demand(Quantity::Residuals, "dassl", None, 1.0),
    demand(Quantity::Jacobians, "ida", None, 1.0),
    demand(Quantity::Jacobians, "dassl", None, 1.0),
    demand(Quantity::Cpu, "dassl", None, 0.5),
];

/// What is compared, and how it is judged.
pub struct Comparison {
    /// Name of the report.
    pub name: &'static str,
    /// What is checked.
    pub demands: &'static [Demand],
    /// Problems with more unknowns are left out: the peers use dense matrices.
    pub max_unknowns: usize,
}

/// A row of the report.
pub fn row(problem: &Problem, line: &Line, yardstick: Option<&Line>, digits: &[f64]) -> Value {
    let reading = |quantity: Quantity, d: f64| {
        line.at(quantity, d).map_or(Value::Null, |r| {
            let interpolated = line.interpolated(quantity, d).map_or(Value::Null, number);
            json!({ "work": number(r.work), "work_interpolated": interpolated, "bound": r.bound })
        })
    };
    let over = |quantity: Quantity, d: f64| ratio(line.at(quantity, d), yardstick?.at(quantity, d));
    let interpolated = |quantity: Quantity, d: f64| {
        Some(line.interpolated(quantity, d)? / yardstick?.interpolated(quantity, d)?)
    };
    let mut at = Map::new();
    for d in digits {
        at.insert(
            d.to_string(),
            json!({
                "residuals": reading(Quantity::Residuals, *d),
                "jacobians": reading(Quantity::Jacobians, *d),
                "cpu_s": reading(Quantity::Cpu, *d),
                "residuals_over_ida": over(Quantity::Residuals, *d),
                "residuals_over_ida_interpolated": interpolated(Quantity::Residuals, *d),
                "residuals_fit": line.fitted(*d),
                "cpu_over_ida": over(Quantity::Cpu, *d),
                "cpu_over_ida_interpolated": interpolated(Quantity::Cpu, *d),
            }),
        );
    }
    let curve: Vec<Value> = line
        .cells
        .iter()
        .map(|c| {
            json!({
                "rtol": c.rtol, "digits": number(c.digits), "cpu_s": c.cpu(), "steps": c.run.steps,
                "residuals": c.run.residuals, "residuals_own": c.run.residuals_own, "jacobians": c.run.jacobians,
                "error_failures": c.run.error_failures, "convergence_failures": c.run.convergence_failures,
            })
        })
        .collect();
    json!({ "problem": problem.name, "code": line.code.name, "at": at, "remarks": line.remarks(), "cut_off_s": line.cut, "curve": curve })
}

fn ratio(a: Option<Reading>, b: Option<Reading>) -> Option<f64> {
    Some(a?.work / b?.work)
}

/// The quantities whose ratio to IDA is printed.
const PRINTED: [Quantity; 2] = [Quantity::Residuals, Quantity::Cpu];
/// Name of the ratio of the fitted work, printed beside the others to show how lucky they are.
const FIT: &str = "res. (fit)";
/// Names of the ratios by interpolation between runs, printed beside those of runs.
const INTERPOLATED: [(Quantity, &str); 2] =
    [(Quantity::Residuals, "res. (int)"), (Quantity::Cpu, "cpu (int)")];

/// Measures, prints and draws everything.
pub fn compare(
    problems: &[Problem],
    codes: &[Code],
    comparison: &Comparison,
    options: &Options,
    plot: Option<&Path>,
) -> Result<Report, String> {
    let mut report = Report::new(comparison.name);
    let mut printed: Vec<Vec<String>> = Vec::new();
    // Ratio to IDA of each code, quantity and number of digits, over the problems.
    let mut ratios: Vec<(&str, &str, f64, &str, f64)> = Vec::new();
    let mut measured: Vec<(&Problem, Vec<Line>)> = Vec::new();
    for problem in problems {
        if problem.reference.is_none() {
            report
                .missing
                .push(format!("{}: no reference solution", problem.name));
            continue;
        }
        if problem.y0.len() > comparison.max_unknowns {
            let n = problem.y0.len();
            report.missing.push(format!(
                "{}: {n} unknowns, too many for the dense matrices of the peers",
                problem.name
            ));
            continue;
        }
        let lines: Vec<Line> = measure(&[problem], codes, options)
            .into_iter()
            .map(|(_, line)| line)
            .collect();
        if let Some(folder) = plot {
            let curves = lines.iter().map(|l| (l.code.name, l.points(Quantity::Cpu)));
            chart::write(folder, &problem.name, problem.title, curves, &options.digits)?;
        }
        measured.push((problem, lines));
    }
    for (problem, lines) in &measured {
        let yardstick = lines.iter().find(|l| l.code.name == YARDSTICK);
        for line in lines {
            report.rows.push(row(problem, line, yardstick, &options.digits));
            let mut cells = vec![problem.name.clone(), line.code.name.to_owned()];
            for d in &options.digits {
                let mark = |r: Reading| if r.bound { "<" } else { "" };
                cells.push(
                    line.at(Quantity::Residuals, *d)
                        .map_or("-".into(), |r| format!("{}{:.0}", mark(r), r.work)),
                );
                cells.push(
                    line.at(Quantity::Cpu, *d)
                        .map_or("-".into(), |r| format!("{}{}", mark(r), seconds(r.work))),
                );
                cells.push(
                    line.at(Quantity::Jacobians, *d)
                        .map_or("-".into(), |r| format!("{}{:.0}", mark(r), r.work)),
                );
                for quantity in PRINTED {
                    let name = quantity.name();
                    let over = yardstick.and_then(|y| ratio(line.at(quantity, *d), y.at(quantity, *d)));
                    cells.push(over.map_or("-".into(), |x| format!("{x:.2}")));
                    ratios.extend(over.map(|x| (line.code.name, name, *d, problem.name.as_str(), x)));
                }
                let mut shown = |name, over: Option<f64>| {
                    ratios.extend(over.map(|x| (line.code.name, name, *d, problem.name.as_str(), x)));
                };
                shown(
                    FIT,
                    yardstick.and_then(|y| Some(line.fitted(*d)? / y.fitted(*d)?)),
                );
                for (quantity, name) in INTERPOLATED {
                    let read = |l: &Line| l.interpolated(quantity, *d);
                    shown(name, yardstick.and_then(|y| Some(read(line)? / read(y)?)));
                }
            }
            printed.push(cells);
        }
    }
    let headings: Vec<String> = ["problem", "code"]
        .into_iter()
        .map(String::from)
        .chain(options.digits.iter().flat_map(|d| {
            [
                format!("residuals @{d}"),
                format!("CPU @{d}"),
                format!("Jac. @{d}"),
                "res/IDA".into(),
                "CPU/IDA".into(),
            ]
        }))
        .collect();
    table(&headings.iter().map(String::as_str).collect::<Vec<_>>(), &printed);

    println!("\nover IDA, by code: median (largest, where) of n problems");
    for code in codes.iter().filter(|c| c.name != YARDSTICK) {
        let [(_, residuals), (_, cpu)] = INTERPOLATED;
        for name in [
            Quantity::Residuals.name(),
            residuals,
            FIT,
            Quantity::Cpu.name(),
            cpu,
        ] {
            for d in &options.digits {
                let own: Vec<(&str, f64)> = ratios
                    .iter()
                    .filter(|r| r.0 == code.name && r.1 == name && r.2 == *d)
                    .map(|r| (r.3, r.4))
                    .collect();
                let values: Vec<f64> = own.iter().map(|r| r.1).collect();
                let worst = own.iter().max_by(|a, b| a.1.total_cmp(&b.1));
                if let (Some(m), Some((at, x))) = (median(&values), worst) {
                    println!(
                        "{:<9} {name:<10} @{d}: {m:.2} ({x:.2}, {at}) of {}",
                        code.name,
                        own.len()
                    );
                }
            }
        }
    }
    println!();
    for (problem, lines) in &measured {
        for line in lines {
            for remark in line.remarks() {
                println!("remark: {} with {}: {remark}", problem.name, line.code.name);
            }
        }
    }
    judge(&measured, comparison.demands, &options.digits, &mut report);
    Ok(report)
}

/// The requirements on Holonom.
fn judge(measured: &[(&Problem, Vec<Line>)], demands: &[Demand], digits: &[f64], report: &mut Report) {
    let named = |lines: &[Line], name: &str| lines.iter().position(|l| l.code.name == name);
    let has = |name: &str| measured.iter().any(|(_, lines)| named(lines, name).is_some());
    for demand in demands {
        let Demand {
            quantity, yardstick, ..
        } = *demand;
        let label = format!("{}-over-{yardstick}", quantity.name());
        if !has(OURS) || !has(yardstick) {
            report.missing.push(format!(
                "{label}: {OURS} or {yardstick} is not in this comparison"
            ));
            continue;
        }
        for d in digits {
            let mut values = Vec::new();
            for (problem, lines) in measured {
                let id = format!("{label}/{}/{d}", problem.name);
                let (Some(ours), Some(theirs)) = (named(lines, OURS), named(lines, yardstick)) else {
                    continue;
                };
                let (a, b) = (lines[ours].at(quantity, *d), lines[theirs].at(quantity, *d));
                // A code that was ended before it got there has used so much at least.
                let ended = lines[theirs].at_least(quantity).filter(|_| b.is_none());
                let Some(theirs) = b.map(|b| b.work).or(ended) else {
                    report
                        .missing
                        .push(format!("{id}: {yardstick} does not reach {d} digits"));
                    continue;
                };
                let value = a.map_or(f64::INFINITY, |a| a.work / theirs);
                values.push(value);
                report.checks.push(Check {
                    id,
                    value,
                    limit: demand.each,
                    source: match ended {
                        None => "ratio at equal digits".into(),
                        Some(_) => format!("at most: {yardstick} was ended before it had {d} digits"),
                    },
                });
            }
            if let (Some(limit), Some(value)) = (demand.median, median(&values)) {
                report.checks.push(Check {
                    id: format!("{label}/median/{d}"),
                    value,
                    limit,
                    source: format!("ratio at equal digits, median of {} problems", values.len()),
                });
            }
        }
    }
}
