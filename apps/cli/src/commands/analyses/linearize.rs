//! `holonom linearize`: A, B, C, D from inputs to channels.

use super::{Case, at_argument, channel_argument, counted, number, with_common};
use crate::commands::{Command, Outcome};
use crate::error::Error;
use crate::output;
use clap::{Arg, ArgAction, ArgMatches};
use holonom::analysis::dense::Matrix;
use holonom::analysis::linearize::LinearModel;
use holonom::multibody::elements::Library;
use holonom_text::{Align, Table};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

/// The entry of the registry.
pub const COMMAND: Command = Command { define, run };

const AFTER_HELP: &str = "\
Examples:
  holonom linearize gear-train --channel '*.velocity'     from inputs to velocities
  holonom linearize vehicle -o car.m -o car.csv            as a MATLAB script and as tables

States are independent displacements and velocities, relative to the operating point. Inputs are the [[input]]
tables of the model, with all their effects. If an input moves a coordinate, its derivatives are additional
inputs, named u' and u''. Output files must end in .csv, .json or .m.";

fn define() -> clap::Command {
    with_common(
        clap::Command::new("linearize")
            .about(
                "Compute the linear state-space model A, B, C, D from the inputs of a model to its channels",
            )
            .after_help(AFTER_HELP)
            .arg(at_argument())
            .arg(channel_argument(
                "Output channels, such as 'crank.*'; default: those recorded by the model",
            ))
            .arg(
                Arg::new("output")
                    .short('o')
                    .long("output")
                    .value_name("FILE")
                    .action(ArgAction::Append)
                    .value_parser(clap::value_parser!(PathBuf))
                    .help("Write the matrices: .csv, .json or .m (MATLAB)"),
            ),
    )
}

fn run(matches: &ArgMatches, library: &Library) -> Result<Outcome, Error> {
    let files: Vec<PathBuf> = matches
        .get_many("output")
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    for file in &files {
        let ending = file
            .extension()
            .and_then(|e| e.to_str())
            .map(str::to_ascii_lowercase);
        if !ending.is_some_and(|e| ["csv", "json", "m"].contains(&e.as_str())) {
            return Err(Error::Usage(format!(
                "-o {}: the file name must end in .csv, .json or .m",
                file.display()
            )));
        }
        output::check_file(file)?;
    }
    let case = Case::load(matches, library)?;
    let at = case.state(matches)?;
    let linear = case.linear(&at, matches)?;
    let report = report(&case, &linear);
    for file in &files {
        let content = match file
            .extension()
            .and_then(|e| e.to_str())
            .map(str::to_ascii_lowercase)
            .as_deref()
        {
            Some("csv") => linear.to_csv(),
            Some("m") => linear.to_matlab(case.name()),
            _ => format!("{report:#}\n"),
        };
        output::write(file, content)?;
    }
    let mut text = format!("{}: linear model {}\n{}", case.name(), at.words(), at.remarks());
    let _ = writeln!(
        text,
        "{}, {}, {}\n",
        counted(linear.states.len(), "state"),
        counted(linear.inputs.len(), "input"),
        counted(linear.outputs.len(), "output")
    );
    if linear.inputs.is_empty() {
        text += "The model has no [[input]], so B and D have no columns.\n\n";
    }
    let inputs: Vec<String> = linear.inputs.iter().map(|i| i.name.clone()).collect();
    let outputs: Vec<String> = linear.outputs.iter().map(|c| c.name.clone()).collect();
    for (name, matrix, rows, columns) in [
        ("A", &linear.a, &linear.states, &linear.states),
        ("B", &linear.b, &linear.states, &inputs),
        ("C", &linear.c, &outputs, &linear.states),
        ("D", &linear.d, &outputs, &inputs),
    ] {
        if matrix.columns() > 0 && matrix.columns() <= 8 && matrix.rows() <= 24 {
            let _ = writeln!(text, "{}", table(name, matrix, rows, columns));
        } else if matrix.columns() > 0 {
            let _ = writeln!(
                text,
                "{name}: {} × {}; use -o to write it to a file\n",
                matrix.rows(),
                matrix.columns()
            );
        }
    }
    for file in &files {
        let _ = writeln!(text, "Written: {}", file.display());
    }
    case.report(matches, &report, &text)?;
    Ok(Outcome::Done)
}

fn table(name: &str, matrix: &Matrix, rows: &[String], columns: &[String]) -> String {
    let mut heads: Vec<(&str, Align)> = vec![(name, Align::Left)];
    heads.extend(columns.iter().map(|c| (c.as_str(), Align::Right)));
    let mut table = Table::new(&heads);
    let size = matrix.data().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for (i, row) in rows.iter().enumerate() {
        let cells = (0..matrix.columns()).map(|j| {
            let x = matrix[(i, j)];
            // Rounding of differences says nothing in a table; files have it.
            if x.abs() < 1e-9 * size {
                "0".to_string()
            } else {
                number(x)
            }
        });
        table.row(std::iter::once(row.clone()).chain(cells));
    }
    table.render()
}

fn rows(matrix: &Matrix) -> Value {
    let row = |i: usize| (0..matrix.columns()).map(|j| matrix[(i, j)]).collect::<Vec<_>>();
    json!((0..matrix.rows()).map(row).collect::<Vec<_>>())
}

fn report(case: &Case, linear: &LinearModel) -> Value {
    json!({
        "model": case.name(),
        "states": linear.states,
        "inputs": linear.inputs.iter().map(|i| json!({
            "name": i.name, "unit": i.unit, "derivative": i.order,
        })).collect::<Vec<_>>(),
        "outputs": linear.outputs.iter().zip(&linear.values).map(|(c, value)| json!({
            "name": c.name, "unit": c.unit, "value": value,
        })).collect::<Vec<_>>(),
        "A": rows(&linear.a),
        "B": rows(&linear.b),
        "C": rows(&linear.c),
        "D": rows(&linear.d),
    })
}
