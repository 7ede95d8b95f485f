//! `holonom verify`: the reference problems of `experiments`.

use super::{Command, Outcome, read};
use crate::error::Error;
use crate::{output, report, settings};
use clap::{ArgMatches, CommandFactory, Parser};
use holonom::format::SettingValue;
use holonom::multibody::elements::Library;
use holonom_experiments::verify::{Setup, Verification};
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

Report: {name, rows, checks: [{id, value, limit, source, holds, outcome, known_gap}], missing, holds}. Digits
must be at least the limit, all other values at most the limit. A check that does not hold is a known gap
or a regression; `holds` is false, and the exit code 1, for regressions alone.

Examples:
  holonom verify
  holonom verify hires pendulum-ggl --tolerances 1e-5,1e-7
  holonom verify chain-residual:16 --refresh dassl --stability-detection false
  holonom verify mechanisms
  holonom verify hires --json | jq .holds
  holonom verify --json report.json --plot pictures";

pub const COMMAND: Command = Command { define, run };

fn define() -> clap::Command {
    let command = Args::command().arg(report::argument());
    settings::arguments(command, |name| STRATEGIES.contains(&name))
}

fn run(matches: &ArgMatches, _: &Library) -> Result<Outcome, Error> {
    let args: Args = read(matches)?;
    let settings = settings::typed(matches)?;
    // What one problem refuses is a finding; this no problem takes.
    if let Some(SettingValue::Count(order)) = settings.get("max_order")
        && !(1..=5).contains(&order)
    {
        return Err(Error::Usage(format!("--max-order {order}: choose 1 to 5")));
    }
    let verification = Verification::of(&args.problems)?;
    let target = report::Target::of(matches)?;
    if let Some(folder) = &args.plot {
        output::make_folder(folder)?;
    }
    let setup = Setup {
        settings,
        time_limit: args.time_limit,
    };
    let mut bar = report::Bar::default();
    let mut found = verification.run(&setup, &args.tolerances, &mut bar);
    if let Some(folder) = &args.plot {
        verification.draw(&setup, &mut found, &mut bar)?;
        report::draw(&found, folder)?;
    }
    drop(bar);
    report::put(&found, &target)
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
