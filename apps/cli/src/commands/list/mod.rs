//! `holonom list`: strategies, what mechanisms are made of, and reference problems, straight from the
//! registries.

mod mechanics;

use super::{Command, Outcome, read};
use crate::error::Error;
use crate::output;
use crate::table::{Align, Table};
use clap::{ArgMatches, CommandFactory, Parser};
use holonom::problems;
use holonom::solver::{jacobian, linear, refresh, stepper};
use mechanics::Mechanics;
use serde::Serialize;

/// List strategies, joints, constraints, forces, forms of the equations and reference problems
#[derive(Debug, Parser)]
#[command(name = "list", after_help = AFTER_HELP)]
struct Args {
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Strategies are named in options (`holonom verify --refresh dassl`); `auto`, the default of
Jacobians and linear solvers, picks by size and structure. Mechanisms are described from Rust,
see docs/mechanisms.md. Some problems come in any size: `brusselator:5000` has 5000 grid points,
`chain-residual:16:0.05` has 16 bodies and a suspension that moves with 0.05 rad/s.

Examples:
  holonom list
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
    linear: Vec<Strategy>,
    refresh: Vec<Strategy>,
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
    fn new() -> Self {
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
            linear: strategies!(linear::REGISTRY),
            refresh: strategies!(refresh::REGISTRY),
            mechanics: Mechanics::new(),
            problems: problems::all().into_iter().map(entry).collect(),
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (title, option, strategies) in [
            ("Steppers", "--stepper", &self.steppers),
            ("Jacobians", "--jacobian", &self.jacobians),
            ("Linear solvers", "--linear", &self.linear),
            ("Refresh policies", "--refresh", &self.refresh),
        ] {
            let columns = [option, "description", "literature"];
            let mut table = Table::new(&columns.map(|c| (c, Align::Left)));
            for s in strategies {
                table.row([s.name, s.description, s.literature]);
            }
            text += &format!("{title}\n\n{}\n", table.render());
        }
        text += &self.mechanics.text();
        let mut table = Table::new(&[
            ("name", Align::Left),
            ("unknowns", Align::Right),
            ("end", Align::Right),
            ("title", Align::Left),
        ]);
        for p in &self.problems {
            let end = crate::report::number(p.t_end);
            table.row([p.name.clone(), p.unknowns.to_string(), end, p.title.into()]);
        }
        text + &format!("Reference problems\n\n{}", table.render())
    }
}

fn run(matches: &ArgMatches) -> Result<Outcome, Error> {
    let args: Args = read(matches)?;
    let listing = Listing::new();
    let text = if args.json {
        serde_json::to_string_pretty(&listing).map_err(|e| Error::Failed(e.to_string()))? + "\n"
    } else {
        listing.text()
    };
    output::print(&text)?;
    Ok(Outcome::Done)
}
