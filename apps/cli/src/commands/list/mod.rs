//! `holonom list`: strategies, what mechanisms are made of, and reference problems, straight from the
//! registries.

mod characteristics;
mod mechanics;

use super::{Command, Outcome, read};
use crate::error::Error;
use crate::output;
use clap::{ArgMatches, CommandFactory, Parser};
use holonom::multibody::elements::Library;
use holonom::problems;
use holonom::solver::{jacobian, linear, refresh, stepper};
use holonom_text::did_you_mean;
use holonom_text::{Align, Table};
use mechanics::Mechanics;
use serde::Serialize;
use std::path::PathBuf;

/// List numerical methods, joints, constraints, forces, roads, shapes, paths, controls, forms of the equations
/// and reference problems
#[derive(Debug, Parser)]
#[command(name = "list", after_help = AFTER_HELP)]
struct Args {
    /// Describe this joint, constraint, force, road, shape, control, form or method in full
    name: Option<String>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Plot the characteristics of force elements, roads, tracks, paths and controls to files NAME.svg in this folder
    #[arg(long, value_name = "DIR", conflicts_with = "json")]
    plot: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Numerical methods are selected with options (`holonom run four-bar --refresh dassl`); `auto`, the
default for Jacobians and linear solvers, chooses by size and structure. Joints, constraints, forces,
roads, shapes, paths and controls are kinds in model files, see docs/model-file.md. Some problems are available
in any size: `brusselator:5000` has 5000 grid points, `chain-residual:16:0.05` has 16 bodies and a
suspension that moves at 0.05 rad/s.

Examples:
  holonom list
  holonom list spring-damper           describe one element: fields, units, defaults
  holonom list bushing --plot .        plot its characteristics to bushing.svg
  holonom list --json | jq -r '.problems[].name'";

pub const COMMAND: Command = Command {
    define: Args::command,
    run,
};

/// A strategy as listed.
#[derive(Serialize)]
struct Strategy {
    name: &'static str,
    description: &'static str,
    literature: &'static str,
}

/// A name and what it stands for.
#[derive(Clone, Serialize)]
struct Named {
    name: &'static str,
    description: &'static str,
}

/// One thing in detail.
#[derive(Serialize)]
struct Entry {
    /// What it is, such as `joint`.
    kind: &'static str,
    #[serde(rename = "entry")]
    value: serde_json::Value,
    #[serde(skip)]
    text: String,
}

impl Entry {
    fn new(kind: &'static str, value: &impl Serialize, text: String) -> Self {
        // Names and numbers always have a JSON form.
        let value = serde_json::to_value(value).unwrap_or_default();
        Self { kind, value, text }
    }
}

/// Characters in a line at most.
const WIDTH: usize = 100;

/// A problem as listed.
#[derive(Serialize)]
struct ProblemEntry {
    name: String,
    unknowns: usize,
    title: &'static str,
    t_end: f64,
    reference_digits: Option<f64>,
}

/// Everything there is.
#[derive(Serialize)]
struct Listing {
    steppers: Vec<Strategy>,
    jacobians: Vec<Strategy>,
    sparsity: Vec<Strategy>,
    linear: Vec<Strategy>,
    refresh: Vec<Strategy>,
    updates: Vec<Strategy>,
    #[serde(flatten)]
    mechanics: Mechanics,
    problems: Vec<ProblemEntry>,
}

/// The entries of a registry; all of them have these three fields.
macro_rules! strategies {
    ($registry:expr) => {
        ($registry.iter())
            .map(|e| Strategy {
                name: e.name,
                description: e.description,
                literature: e.literature,
            })
            .collect()
    };
}

impl Listing {
    fn new(library: &Library) -> Self {
        let entry = |p: problems::Problem| ProblemEntry {
            unknowns: p.y0.len(),
            title: p.title,
            t_end: p.t_end,
            reference_digits: p.reference.map(|r| r.digits),
            name: p.name,
        };
        Self {
            steppers: strategies!(stepper::REGISTRY),
            jacobians: strategies!(jacobian::REGISTRY),
            sparsity: strategies!(jacobian::sparsity::REGISTRY),
            linear: strategies!(linear::REGISTRY),
            refresh: strategies!(refresh::REGISTRY),
            updates: strategies!(refresh::update::REGISTRY),
            mechanics: Mechanics::new(library),
            problems: problems::all().into_iter().map(entry).collect(),
        }
    }

    /// All strategies with what they are.
    fn strategies(&self) -> impl Iterator<Item = (&'static str, &Strategy)> {
        let kinds = [
            ("stepper", &self.steppers),
            ("Jacobian", &self.jacobians),
            ("sparsity pattern", &self.sparsity),
            ("linear solver", &self.linear),
            ("refresh policy", &self.refresh),
            ("update", &self.updates),
        ];
        kinds
            .into_iter()
            .flat_map(|(kind, list)| list.iter().map(move |s| (kind, s)))
    }

    /// What is called `name`; a name may stand for several things.
    fn entries(&self, name: &str) -> Result<Vec<Entry>, Error> {
        let mut found = self.mechanics.entries(name);
        for (kind, s) in self.strategies().filter(|(_, s)| s.name == name) {
            let text = format!("{}\n{}\n", s.description, s.literature);
            found.push(Entry::new(kind, s, text));
        }
        for p in self.problems.iter().filter(|p| p.name == name) {
            let end = holonom_text::number(p.t_end);
            let text = format!("{}\nUnknowns: {}. End: {end}.\n", p.title, p.unknowns);
            found.push(Entry::new("problem", p, text));
        }
        if found.is_empty() {
            let mut names: Vec<&str> = self.mechanics.names().collect();
            names.extend(self.strategies().map(|(_, s)| s.name));
            names.extend(self.problems.iter().map(|p| p.name.as_str()));
            let hint = did_you_mean(name, names);
            return Err(Error::Usage(format!(
                "`holonom list` has no entry `{name}`{hint}; without a name, it lists all entries"
            )));
        }
        Ok(found)
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (title, option, strategies) in [
            ("Steppers", "--stepper", &self.steppers),
            ("Jacobians", "--jacobian", &self.jacobians),
            ("Sparsity patterns", "--sparsity", &self.sparsity),
            ("Linear solvers", "--linear", &self.linear),
            ("Refresh policies", "--refresh", &self.refresh),
            ("Updates of Jacobians", "--update", &self.updates),
        ] {
            let columns = [option, "description", "literature"];
            let mut table = Table::new(&columns.map(|c| (c, Align::Left)));
            for s in strategies {
                table.row([s.name, s.description, s.literature]);
            }
            text += &format!("{title}\n\n{}\n", table.render_within(WIDTH));
        }
        text += &self.mechanics.text();
        let mut table = Table::new(&[
            ("name", Align::Left),
            ("unknowns", Align::Right),
            ("end", Align::Right),
            ("title", Align::Left),
        ]);
        for p in &self.problems {
            let end = holonom_text::number(p.t_end);
            table.row([p.name.clone(), p.unknowns.to_string(), end, p.title.into()]);
        }
        text + &format!("Reference problems\n\n{}", table.render_within(WIDTH))
    }
}

fn run(matches: &ArgMatches, library: &Library) -> Result<Outcome, Error> {
    let args: Args = read(matches)?;
    if let Some(folder) = &args.plot {
        output::print(&characteristics::draw(args.name.as_deref(), folder)?)?;
        return Ok(Outcome::Done);
    }
    let listing = Listing::new(library);
    let json = |value: serde_json::Result<String>| value.map_err(|e| Error::Failed(e.to_string()));
    let text = match (&args.name, args.json) {
        (None, false) => listing.text(),
        (None, true) => json(serde_json::to_string_pretty(&listing))? + "\n",
        (Some(name), false) => {
            let entries = listing.entries(name)?;
            let texts = entries.iter().map(|e| format!("{name} ({})\n{}", e.kind, e.text));
            texts.collect::<Vec<_>>().join("\n")
        }
        (Some(name), true) => json(serde_json::to_string_pretty(&listing.entries(name)?))? + "\n",
    };
    output::print(&text)?;
    Ok(Outcome::Done)
}
