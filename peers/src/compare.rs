//! `peers compare` and `peers corrector`: work–precision curves of all codes, and the work at equal digits.

use crate::codes::{Code, OURS, YARDSTICK};
use crate::curve::{Along, Point, Reading, fit_at, ladder, median, work_at};
use crate::interface::{Run, Settings};
use crate::report::{Check, Report, number, seconds, table};
use holonom_dae::problems::Problem;
use serde_json::{Map, Value, json};

/// A sample of the CPU time repeats a run until this much time has been spent.
const SAMPLE_SECONDS: f64 = 5e-3;
/// The CPU time of runs longer than this is sampled at most three times.
const LONG_SECONDS: f64 = 1.0;
/// Of runs longer than this, the one that was made to find the digits is the only one.
const ONCE_SECONDS: f64 = 10.0;
/// Steps after which a run is given up; the longest that succeed take about 100 000.
const MAX_STEPS: u64 = 300_000;
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

/// A quantity of work.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quantity {
    Residuals,
    Jacobians,
    Cpu,
}

impl Quantity {
    fn name(self) -> &'static str {
        match self {
            Self::Residuals => "residuals",
            Self::Jacobians => "jacobians",
            Self::Cpu => "cpu",
        }
    }
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

/// What `peers compare` is asked.
pub struct Options {
    /// Name of the report.
    pub name: &'static str,
    /// What is checked.
    pub demands: &'static [Demand],
    /// Problems with more unknowns are left out: the peers use dense matrices.
    pub max_unknowns: usize,
    /// After a run longer than this, in seconds, the code is not run at tighter tolerances.
    pub too_long: f64,
    /// Digits at which work is read off.
    pub digits: Vec<f64>,
    /// Interleaved repetitions of each measurement of time.
    pub repeat: usize,
    /// Tolerances per decade.
    pub per_decade: u32,
    /// Judge the pendulum chain by its worst whole second instead of its end.
    pub along: bool,
}

impl Options {
    /// Digits beyond which the time of the one run there was will do.
    fn enough(&self) -> f64 {
        self.digits.iter().copied().fold(0.0, f64::max) + 1.0
    }
}

/// One tolerance of one code.
struct Cell {
    rtol: f64,
    digits: f64,
    run: Run,
    samples: Vec<f64>,
}

impl Cell {
    fn cpu(&self) -> f64 {
        median(&self.samples).unwrap_or(self.run.cpu)
    }
}

/// One code on one problem.
struct Line {
    code: Code,
    cells: Vec<Cell>,
    /// Why the code cannot take the problem, or stopped early on the ladder.
    refusal: Option<String>,
    /// Tolerances at which it failed, and how.
    failures: Vec<(f64, String)>,
    /// Tolerances at which it ran in a special way, and which.
    notes: Vec<(f64, String)>,
}

impl Line {
    fn points(&self, work: fn(&Cell) -> f64) -> Vec<Point> {
        self.cells
            .iter()
            .map(|c| Point {
                digits: c.digits,
                work: work(c),
            })
            .collect()
    }

    fn residuals(&self) -> Vec<Point> {
        self.points(|c| c.run.residuals as f64)
    }

    fn at(&self, quantity: Quantity, d: f64) -> Option<Reading> {
        let points = match quantity {
            Quantity::Residuals => self.residuals(),
            Quantity::Jacobians => self.points(|c| c.run.jacobians as f64),
            Quantity::Cpu => self.points(Cell::cpu),
        };
        work_at(&points, d)
    }

    /// What went other than planned, in sentences.
    fn remarks(&self) -> Vec<String> {
        let grouped = |what: &str, runs: &[(f64, String)]| {
            let (first, last) = (runs.first()?, runs.last()?);
            let range = match runs.len() {
                1 => format!("at rtol {:.1e}", first.0),
                n => format!("{n} times, rtol {:.1e} to {:.1e}", first.0, last.0),
            };
            Some(format!("{what} {range}: {}", first.1))
        };
        let all = [
            self.refusal.clone(),
            grouped("failed", &self.failures),
            grouped("special", &self.notes),
        ];
        all.into_iter().flatten().collect()
    }
}

fn settings<'a>(problem: &Problem, along: &'a Along, rtol: f64) -> Settings<'a> {
    Settings {
        max_steps: MAX_STEPS,
        times: &along.times,
        ..Settings::at(problem, rtol)
    }
}

/// The curve of one code, every tolerance once.
fn curve(problem: &Problem, along: &Along, code: Code, tolerances: &[f64], options: &Options) -> Line {
    let mut line = Line {
        code,
        cells: vec![],
        refusal: None,
        failures: vec![],
        notes: vec![],
    };
    for &rtol in tolerances {
        let mut system = (problem.build)();
        let run = match (code.integrate)(system.as_mut(), problem, &settings(problem, along, rtol)) {
            Ok(run) => run,
            Err(reason) => {
                line.refusal = Some(reason);
                break;
            }
        };
        let cpu = run.cpu;
        line.notes.extend(run.note.clone().map(|n| (rtol, n)));
        match (
            run.failure.clone(),
            along.score(system.structure(), problem, &run),
        ) {
            (Some(failure), _) => line.failures.push((rtol, failure)),
            (None, Some(digits)) => line.cells.push(Cell {
                rtol,
                digits,
                run,
                samples: vec![],
            }),
            (None, None) => {}
        }
        // Beyond the digits asked for, one more run bounds the curve; the rest would only take time.
        let beyond = line.cells.last().is_some_and(|c| c.digits > options.enough());
        if cpu > options.too_long || cpu > ONCE_SECONDS && beyond {
            line.refusal = Some(format!("not run below rtol {rtol:.1e}, which took {cpu:.0} s"));
            break;
        }
    }
    line
}

/// One more sample of the CPU time.
fn sample(problem: &Problem, along: &Along, code: Code, cell: &mut Cell) {
    let mut system = (problem.build)();
    let settings = settings(problem, along, cell.rtol);
    let (mut spent, mut count) = (0.0, 0u32);
    while spent < SAMPLE_SECONDS {
        match (code.integrate)(system.as_mut(), problem, &settings) {
            Ok(run) => spent += run.cpu,
            Err(_) => return,
        }
        count += 1;
    }
    cell.samples.push(spent / f64::from(count));
}

/// All curves of one problem; the samples of the time go round over the codes.
fn measure(problem: &Problem, codes: &[Code], options: &Options) -> Vec<Line> {
    let tolerances = ladder(options.per_decade);
    let along = if options.along {
        Along::of(problem)
    } else {
        Along::default()
    };
    let mut lines: Vec<Line> = codes
        .iter()
        .map(|c| curve(problem, &along, *c, &tolerances, options))
        .collect();
    for repetition in 0..options.repeat {
        for &rtol in &tolerances {
            for line in &mut lines {
                let code = line.code;
                for cell in line
                    .cells
                    .iter_mut()
                    .filter(|c| c.rtol == rtol && c.digits <= options.enough() && c.run.cpu < ONCE_SECONDS)
                {
                    if repetition < 3 || cell.run.cpu < LONG_SECONDS {
                        sample(problem, &along, code, cell);
                    }
                }
            }
        }
    }
    lines
}

fn row(problem: &Problem, line: &Line, yardstick: Option<&Line>, digits: &[f64]) -> Value {
    let reading = |r: Option<Reading>| {
        r.map_or(
            Value::Null,
            |r| json!({ "work": number(r.work), "bound": r.bound }),
        )
    };
    let mut at = Map::new();
    for d in digits {
        at.insert(
            d.to_string(),
            json!({
                "residuals": reading(line.at(Quantity::Residuals, *d)),
                "jacobians": reading(line.at(Quantity::Jacobians, *d)),
                "cpu_s": reading(line.at(Quantity::Cpu, *d)),
                "residuals_over_ida": yardstick.and_then(|y| ratio(line.at(Quantity::Residuals, *d), y.at(Quantity::Residuals, *d))),
                "residuals_fit": fit_at(&line.residuals(), *d),
                "cpu_over_ida": yardstick.and_then(|y| ratio(line.at(Quantity::Cpu, *d), y.at(Quantity::Cpu, *d))),
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
    json!({ "problem": problem.name, "code": line.code.name, "at": at, "remarks": line.remarks(), "curve": curve })
}

fn ratio(a: Option<Reading>, b: Option<Reading>) -> Option<f64> {
    Some(a?.work / b?.work)
}

/// The quantities whose ratio to IDA is printed.
const PRINTED: [Quantity; 2] = [Quantity::Residuals, Quantity::Cpu];
/// Name of the ratio of the fitted work, printed beside the others to show how lucky they are.
const FIT: &str = "res. (fit)";

/// Measures and prints everything.
pub fn compare(problems: &[Problem], codes: &[Code], options: &Options) -> Report {
    let mut report = Report::new(options.name);
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
        if problem.y0.len() > options.max_unknowns {
            let n = problem.y0.len();
            report.missing.push(format!(
                "{}: {n} unknowns, too many for the dense matrices of the peers",
                problem.name
            ));
            continue;
        }
        eprintln!("{} …", problem.name);
        measured.push((problem, measure(problem, codes, options)));
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
                let fitted = |l: &Line| fit_at(&l.residuals(), *d);
                let over = yardstick.and_then(|y| Some(fitted(line)? / fitted(y)?));
                ratios.extend(over.map(|x| (line.code.name, FIT, *d, problem.name.as_str(), x)));
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
        for name in [Quantity::Residuals.name(), FIT, Quantity::Cpu.name()] {
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
    judge(&measured, options, &mut report);
    report
}

/// The requirements on Holonom.
fn judge(measured: &[(&Problem, Vec<Line>)], options: &Options, report: &mut Report) {
    let named = |lines: &[Line], name: &str| lines.iter().position(|l| l.code.name == name);
    let has = |name: &str| measured.iter().any(|(_, lines)| named(lines, name).is_some());
    for demand in options.demands {
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
        for d in &options.digits {
            let mut values = Vec::new();
            for (problem, lines) in measured {
                let id = format!("{label}/{}/{d}", problem.name);
                let (Some(ours), Some(theirs)) = (named(lines, OURS), named(lines, yardstick)) else {
                    continue;
                };
                let value = match (lines[ours].at(quantity, *d), lines[theirs].at(quantity, *d)) {
                    (Some(a), Some(b)) => a.work / b.work,
                    (None, Some(_)) => f64::INFINITY,
                    (_, None) => {
                        report
                            .missing
                            .push(format!("{id}: {yardstick} does not reach {d} digits"));
                        continue;
                    }
                };
                values.push(value);
                report.checks.push(Check {
                    id,
                    value,
                    limit: demand.each,
                    source: "ratio at equal digits".into(),
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
