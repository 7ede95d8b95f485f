//! `holonom verify`: reference problems over a ladder of tolerances, with the digits reached and
//! what they cost, and a few requirements beyond.

mod accuracy;
mod curves;
mod mechanisms;
mod methods;
mod setup;
mod special;

use super::{Command, Outcome, read};
use crate::error::Error;
use crate::output;
use crate::progress::Progress;
use crate::report::{Report, number};
use crate::settings;
use crate::table::{Align, Table};
use accuracy::AccuracyRow;
use clap::{ArgMatches, CommandFactory, Parser};
use holonom::format::SettingValue;
use holonom::problems::{self, Problem};
use holonom_text::did_you_mean;
use serde::Serialize;
use setup::Setup;
use special::SpecialRow;
use std::path::PathBuf;

/// Solve the reference problems and check the accuracy
///
/// Every problem is solved at each relative tolerance, with a proportional absolute tolerance defined by
/// the problem, and compared with its reference solution. Digits are −log₁₀ of the largest error in a
/// group of variables, relative for large values.
#[derive(Debug, Parser)]
#[command(name = "verify", after_help = AFTER_HELP)]
struct Args {
    /// Names of the problems to solve; default: all
    #[arg(value_name = "PROBLEM")]
    problems: Vec<String>,

    /// Relative tolerances, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = tolerance,
          default_value = "1e-4,1e-6,1e-8,1e-10")]
    tolerances: Vec<f64>,

    /// Print the report as a JSON object instead of tables, or also write it to FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    json: Option<Option<PathBuf>>,

    /// Write work–precision diagrams (SVG) to this folder: for each problem, for all integration methods on it, and,
    /// if no problems are named, for all methods on each shipped model
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,

    /// Time limit of a single run, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    time_limit: f64,
}

/// The settings that choose strategies; tolerances have the ladder.
const STRATEGIES: [&str; 9] = [
    "stepper",
    "jacobian",
    "sparsity",
    "linear",
    "refresh",
    "update",
    "max_order",
    "stability_detection",
    "stages",
];

const AFTER_HELP: &str = "\
Checks: with rtol = 10⁻ᵏ down to 10⁻⁸, at least k − 2 digits of positions and of variables without
mechanical meaning, and k − 3 digits of velocities under constraints; multipliers are shown but not
checked. At tighter tolerances, a run must reach its end. In addition (`special`): few steps along
the chain of pendulums, no drift of the stabilised pendulum over 1000 s, computing time proportional
to the size of a sparse system, mechanisms compared with their references and invariants (at 10⁻⁸),
and identical counters and bits in repeated runs.

Report: {name, rows, checks: [{id, value, limit, source, holds}], missing, holds}. Digits must be at
least the limit, all other values at most the limit.

Examples:
  holonom verify
  holonom verify hires pendulum-ggl --tolerances 1e-5,1e-7
  holonom verify chain-residual:16 --refresh dassl --stability-detection false
  holonom verify mechanisms
  holonom verify hires --json | jq .holds
  holonom verify --json report.json --plot pictures";

pub const COMMAND: Command = Command { define, run };

/// A row of the report.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "section", rename_all = "lowercase")]
enum Row {
    /// A problem at one tolerance.
    Problems(Box<AccuracyRow>),
    /// A quantity beyond.
    Special(SpecialRow),
}

fn define() -> clap::Command {
    settings::arguments(Args::command(), |name| STRATEGIES.contains(&name))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Error> {
    let args: Args = read(matches)?;
    let settings = settings::typed(matches)?;
    // What one problem refuses is a finding; this no problem takes.
    if let Some(SettingValue::Count(order)) = settings.get("max_order")
        && !(1..=5).contains(&order)
    {
        return Err(Error::Usage(format!("--max-order {order}: choose 1 to 5")));
    }
    let problems = select(&args.problems)?;
    // Paths that cannot be written are refused before the work, not after it.
    if let Some(Some(file)) = &args.json {
        output::check_file(file)?;
    }
    if let Some(folder) = &args.plot {
        output::make_folder(folder)?;
    }
    let setup = Setup {
        settings,
        time_limit: args.time_limit,
    };
    let specials = special::select(&args.problems);
    let report = measure_all(&setup, &problems, &args.tolerances, &specials);
    if let Some(folder) = &args.plot {
        curves::draw(&setup, &problems, folder)?;
        methods::draw_problems(&setup, &problems, folder)?;
        if args.problems.is_empty() {
            methods::draw_models(&setup, folder)?;
        }
    }
    match &args.json {
        Some(None) => output::print(&report.json())?,
        Some(Some(file)) => {
            output::write(file, report.json())?;
            output::print(&text(&report))?;
        }
        None => output::print(&text(&report))?,
    }
    Ok(if report.holds {
        Outcome::Done
    } else {
        Outcome::DoesNotHold
    })
}

fn measure_all(
    setup: &Setup,
    problems: &[Problem],
    tolerances: &[f64],
    specials: &[&special::Special],
) -> Report<Row> {
    let mut report = Report::new("verify");
    let pieces = problems.len() * tolerances.len() + specials.len();
    let progress = Progress::new(pieces);
    for problem in problems {
        for &rtol in tolerances {
            progress.at(format!("{} {rtol:e}", problem.name));
            let findings = accuracy::examine(setup, problem, rtol);
            report.rows.push(Row::Problems(Box::new(findings.row)));
            findings.checks.into_iter().for_each(|c| report.check(c));
            report.missing.extend(findings.missing);
            progress.done();
        }
    }
    for special in specials {
        progress.at(special.title);
        let findings = (special.run)(setup, problems);
        report.rows.extend(findings.rows.into_iter().map(Row::Special));
        findings.checks.into_iter().for_each(|c| report.check(c));
        report.missing.extend(findings.missing);
        progress.done();
    }
    report
}

/// The problems of these names; all when none is given.
fn select(names: &[String]) -> Result<Vec<Problem>, Error> {
    if names.is_empty() {
        return Ok(problems::all());
    }
    // Not a problem of its own but a group of requirements.
    let names = names.iter().filter(|name| *name != "mechanisms");
    let find = |name: &String| {
        problems::find(name).ok_or_else(|| {
            let known: Vec<String> = problems::all().into_iter().map(|p| p.name).collect();
            // A size behind a colon is not part of the name.
            let stem = name.split(':').next().unwrap_or(name);
            let hint = if stem != name && known.iter().any(|k| k == stem) {
                "; sizes are written like `brusselator:5000` or `chain-residual:16:0.05`".into()
            } else {
                did_you_mean(stem, known.iter().map(String::as_str))
            };
            Error::Usage(format!(
                "there is no problem `{name}`{hint} (`holonom list` shows all)"
            ))
        })
    };
    names.map(find).collect()
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(x) if x > 0.0 && x < 1.0 => Ok(x),
        Ok(x) => Err(format!("{x} is not between 0 and 1")),
        Err(_) => Err("not a number; write tolerances like 1e-6".into()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
        _ => Err("give a positive number of seconds".into()),
    }
}

/// The report as tables.
fn text(report: &Report<Row>) -> String {
    let mut problems = report.rows.iter().filter_map(|row| match row {
        Row::Problems(row) => Some(row.as_ref()),
        Row::Special(_) => None,
    });
    let mut text = String::new();
    if problems.clone().next().is_some() {
        text = accuracy::table(&mut problems);
    }
    let specials = report.rows.iter().filter_map(|row| match row {
        Row::Special(row) => Some(row),
        Row::Problems(_) => None,
    });
    let special = special::table(specials, &report.checks);
    if !special.is_empty() {
        let gap = if text.is_empty() { "" } else { "\n" };
        text += &format!("{gap}Special\n\n{special}");
    }
    let failing = report.checks.iter().filter(|check| !check.holds);
    let mut table = Table::new(&[
        ("check that does not hold", Align::Left),
        ("value", Align::Right),
        ("limit", Align::Left),
        ("source", Align::Left),
    ]);
    for check in failing.clone() {
        let value = check.value.map_or("failed".into(), number);
        table.row([&check.id, &value, &check.limit.text(), &check.source]);
    }
    if !table.is_empty() {
        text += &format!("\n{}", table.render());
    }
    for missing in &report.missing {
        text += &format!("\nnot measured: {missing}");
    }
    let (all, bad) = (report.checks.len(), failing.count());
    let gap = if report.missing.is_empty() { "" } else { "\n" };
    text + &format!("{gap}\n{} of {all} checks hold\n", all - bad)
}
