//! `holonom reproduce`: tables and figures of papers, ours beside theirs.

mod burgermeister;
mod chain;
mod choice;
mod evaluations;
mod generated;
mod grouping;
mod iltis;
mod steppers;
mod updates;

use super::{Command, Outcome};
use crate::error::Error;
use crate::output;
use crate::plot::Figure;
use crate::report::{Check, number};
use crate::table::{Align, Table};
use clap::{Arg, ArgMatches};
use holonom::multibody::elements::Library;
use holonom_experiments::studies::{SEED, STUDIES, Sample, Study};
use holonom_text::did_you_mean;
use serde_json::{Value, json};
use std::path::Path;

/// The entry of the registry.
pub const COMMAND: Command = Command { define, run };

/// A table or figure that can be made again.
struct Experiment {
    name: &'static str,
    source: &'static str,
    about: &'static str,
    run: Make,
}

/// How an experiment is made.
enum Make {
    /// As it is.
    Whole(fn() -> Result<Finding, Error>),
    /// With so many steps, unless `--steps` says otherwise.
    Steps(u64, fn(u64) -> Result<Finding, Error>),
    /// On these models, all where there are none.
    Models(fn(&[String]) -> Result<Finding, Error>),
}

/// What an experiment gave.
#[derive(Default)]
struct Finding {
    /// The table as printed, and its rows for programs.
    table: String,
    rows: Vec<Value>,
    checks: Vec<Check>,
    missing: Vec<String>,
    /// Figures, by the names of their files without ending.
    figures: Vec<(&'static str, Figure)>,
}

const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "arnold-chain",
        source: "Arnold, Fuchs, Führer 2004, §4.2.1, Table 2 and Fig. 7",
        about: "Jacobian evaluations along the chain of pendulums",
        run: Make::Whole(chain::run),
    },
    Experiment {
        name: "iltis-modes",
        source: "IAVSD benchmark, Robotran model IAVSD_ILTIS (UCLouvain)",
        about: "modes of the Iltis at 20 m/s and its equilibrium",
        run: Make::Whole(iltis::run),
    },
    Experiment {
        name: "arnold-table-2",
        source: "Arnold, Fuchs, Führer 2004, §4.2.1, Table 2",
        about: "savings of partitioned and extended updates along the chain of pendulums",
        run: Make::Whole(updates::run),
    },
    Experiment {
        name: "arnold-fig-7",
        source: "Arnold, Fuchs, Führer 2004, §4.2.1, Fig. 7",
        about: "when Jacobians are evaluated and updated along the chain of pendulums",
        run: Make::Whole(evaluations::run),
    },
    Experiment {
        name: "arnold-grouping",
        source: "Arnold, Fuchs, Führer 2004, §3.1, (19)",
        about: "six columns in three groups",
        run: Make::Whole(grouping::run),
    },
    Experiment {
        name: "jacobian-choice",
        source: "own; Arnold, Fuchs, Führer 2004, §3",
        about: "cost of `auto` compared with every fixed choice of Jacobian, sparsity and update, on the shipped models",
        run: Make::Models(choice::run),
    },
    Experiment {
        name: "stepper-choice",
        source: "own",
        about: "cost of the stepper `auto` compared with every fixed method, on the shipped models at three tolerances",
        run: Make::Whole(steppers::run),
    },
    Experiment {
        name: "burgermeister-fig-1",
        source: "Burgermeister, Arnold, Esterl, §2, Fig. 1",
        about: "stability domain of the linear-implicit Euler method, by scanning",
        run: Make::Whole(burgermeister::stability::run),
    },
    Experiment {
        name: "burgermeister-fig-3",
        source: "Burgermeister, Arnold, Esterl, §4.1, Fig. 3, and §3.4",
        about: "drift from the circular track over ten million steps, and its bound",
        run: Make::Steps(burgermeister::track::STEPS, burgermeister::track::run),
    },
    Experiment {
        name: "burgermeister-fig-5",
        source: "Burgermeister, Arnold, Esterl, §4.2, Fig. 5",
        about: "drift of the car axle over time",
        run: Make::Whole(burgermeister::axle::drift),
    },
    Experiment {
        name: "burgermeister-fig-6",
        source: "Burgermeister, Arnold, Esterl, §4.2, Fig. 6, and §3.4",
        about: "drift of the car axle as a function of the step size, and its bound",
        run: Make::Whole(burgermeister::axle::orders),
    },
    Experiment {
        name: "burgermeister-fig-7",
        source: "Burgermeister, Arnold, Esterl, §4.2, Fig. 7",
        about: "the car axle with the explicit and the linear-implicit Euler method",
        run: Make::Whole(burgermeister::axle::explicit),
    },
    Experiment {
        name: "burgermeister-fig-8",
        source: "Burgermeister, Arnold, Esterl, §4.2, Fig. 8",
        about: "global error of the car axle as a function of the step size",
        run: Make::Whole(burgermeister::axle::errors),
    },
];

const AFTER_HELP: &str = "\
Examples:
  holonom reproduce list
  holonom reproduce arnold-chain
  holonom reproduce arnold-fig-7 --plot .
  holonom reproduce burgermeister-fig-3 --steps 2000000
  holonom reproduce jacobian-choice --models iltis,curving
  holonom reproduce generated-loops --seed 17 --count 50
  holonom reproduce generated-loops --seed 23 --write case.toml
  holonom reproduce all --json=report.json

Report: {name, rows, checks: [{id, value, limit, source, holds}], missing, holds}; the exit code is 1 if a
check is not met. `missing` lists values that a paper does not state or that cannot be measured.
Studies on generated mechanisms (generated-…) are not part of `all`.";

fn define() -> clap::Command {
    clap::Command::new("reproduce")
        .about("Recompute a table or figure from a paper and compare")
        .after_help(AFTER_HELP)
        .arg(
            Arg::new("name")
                .value_name("list|NAME|all")
                .default_value("list")
                .help("List the experiments, or run one or all of them"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .value_name("FILE")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("-")
                .help("Write the report as JSON to FILE, or to standard output instead of the text"),
        )
        .arg(
            Arg::new("plot")
                .long("plot")
                .value_name("DIR")
                .help("Write the figures (SVG) to this folder"),
        )
        .arg(
            Arg::new("steps")
                .long("steps")
                .value_name("N")
                .value_parser(clap::value_parser!(u64).range(1..))
                .help("Number of steps of a long run (burgermeister-fig-3; default ten million)"),
        )
        .arg(
            Arg::new("models")
                .long("models")
                .value_name("A,B")
                .value_delimiter(',')
                .help("Only these models (jacobian-choice; default all)"),
        )
        .arg(
            Arg::new("seed")
                .long("seed")
                .value_name("S")
                .value_parser(clap::value_parser!(u64))
                .help("Seed of the first mechanism of a generated-… study; default 1"),
        )
        .arg(
            Arg::new("count")
                .long("count")
                .value_name("N")
                .value_parser(clap::value_parser!(u64).range(1..))
                .help("Number of mechanisms of a generated-… study, with the seeds S, S + 1, …"),
        )
        .arg(
            Arg::new("write")
                .long("write")
                .value_name("FILE")
                .conflicts_with("count")
                .help("Only write the model file for the seed of a generated-… study"),
        )
}

/// A study over generated mechanisms, or its model file.
fn generated(study: &Study, matches: &ArgMatches, json: Option<&str>) -> Result<Outcome, Error> {
    let seed = matches.get_one::<u64>("seed").copied().unwrap_or(SEED);
    if let Some(file) = matches.get_one::<String>("write") {
        output::check_file(Path::new(file))?;
        let none = || {
            Error::Failed(format!(
                "the seed {seed} does not produce a mechanism; use another seed"
            ))
        };
        output::write(Path::new(file), (study.model)(seed).ok_or_else(none)?)?;
        output::print(&format!("{file} written.\n"))?;
        return Ok(Outcome::Done);
    }
    let count = matches.get_one::<u64>("count").copied().unwrap_or(study.count);
    let finding = generated::run(study, Sample { seed, count });
    let (report, text, holds) = reported(study.name, "own", study.about, &finding);
    put(json, &report, &text)?;
    Ok(if holds {
        Outcome::Done
    } else {
        Outcome::DoesNotHold
    })
}

/// The report of a finding, its text, and whether all checks hold.
fn reported(name: &str, source: &str, about: &str, finding: &Finding) -> (Value, String, bool) {
    let holds = finding.checks.iter().all(|check| check.holds);
    let report = json!({
        "name": name,
        "rows": finding.rows,
        "checks": finding.checks,
        "missing": finding.missing,
        "holds": holds,
    });
    (report, shown(source, about, finding), holds)
}

fn run(matches: &ArgMatches, _: &Library) -> Result<Outcome, Error> {
    let name = matches.get_one::<String>("name").map_or("list", String::as_str);
    let json = matches.get_one::<String>("json").map(String::as_str);
    if let Some(file) = json.filter(|file| *file != "-") {
        output::check_file(Path::new(file))?;
    }
    if name == "list" {
        return list(json);
    }
    if let Some(study) = STUDIES.iter().find(|study| study.name == name) {
        return generated(study, matches, json);
    }
    for option in ["seed", "count", "write"] {
        if matches.contains_id(option) {
            let text = format!("`{name}` is not a study of generated mechanisms; remove `--{option}`");
            return Err(Error::Usage(text));
        }
    }
    let folder = matches.get_one::<String>("plot").map(Path::new);
    if let Some(folder) = folder {
        output::make_folder(folder)?;
    }
    let chosen: Vec<&Experiment> = EXPERIMENTS
        .iter()
        .filter(|e| name == "all" || e.name == name)
        .collect();
    if chosen.is_empty() {
        let names = EXPERIMENTS.iter().map(|e| e.name);
        let hint = did_you_mean(name, names.chain(STUDIES.iter().map(|s| s.name)));
        let text = format!("there is no experiment `{name}`{hint} (`holonom reproduce list`)");
        return Err(Error::Usage(text));
    }
    let steps = matches.get_one::<u64>("steps").copied();
    if steps.is_some() && !chosen.iter().any(|e| matches!(e.run, Make::Steps(..))) {
        let text = format!("`{name}` has no adjustable number of steps; remove `--steps`");
        return Err(Error::Usage(text));
    }
    let models: Vec<String> = matches
        .get_many("models")
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    if !models.is_empty() && !chosen.iter().any(|e| matches!(e.run, Make::Models(..))) {
        let text = format!("`{name}` does not run models; remove `--models`");
        return Err(Error::Usage(text));
    }
    if let Some(unknown) = models.iter().find(|m| holonom_models::find(m).is_none()) {
        let hint = did_you_mean(unknown, holonom_models::all().iter().map(|e| e.name));
        let text = format!("there is no shipped model `{unknown}`{hint} (`holonom models list`)");
        return Err(Error::Usage(text));
    }
    let mut reports = Vec::new();
    let mut text = String::new();
    let mut holds = true;
    for experiment in chosen {
        let finding = match experiment.run {
            Make::Whole(run) => run()?,
            Make::Steps(most, run) => run(steps.unwrap_or(most))?,
            Make::Models(run) => run(&models)?,
        };
        let (report, shown, all) = reported(experiment.name, experiment.source, experiment.about, &finding);
        holds &= all;
        text += &shown;
        for (name, figure) in folder.iter().flat_map(|_| &finding.figures) {
            let file = folder.unwrap_or(Path::new(".")).join(format!("{name}.svg"));
            output::write(&file, figure.svg())?;
            text += &format!("Written: {}\n", file.display());
        }
        reports.push(report);
    }
    let report = match reports.as_slice() {
        [one] if name != "all" => one.clone(),
        _ => Value::Array(reports),
    };
    put(json, &report, &text)?;
    Ok(if holds {
        Outcome::Done
    } else {
        Outcome::DoesNotHold
    })
}

fn list(json: Option<&str>) -> Result<Outcome, Error> {
    let mut table = Table::new(&[("name", Align::Left), ("source", Align::Left), ("", Align::Left)]);
    let mut rows = Vec::new();
    for e in EXPERIMENTS {
        table.row([e.name, e.source, e.about]);
        rows.push(json!({ "name": e.name, "source": e.source, "about": e.about }));
    }
    for s in STUDIES {
        table.row([s.name, "own", s.about]);
        rows.push(json!({ "name": s.name, "source": "own", "about": s.about }));
    }
    put(json, &Value::Array(rows), &table.render())?;
    Ok(Outcome::Done)
}

fn put(json: Option<&str>, report: &Value, text: &str) -> Result<(), Error> {
    match json {
        Some("-") => output::print(&format!("{report:#}\n")),
        Some(file) => {
            output::write(Path::new(file), format!("{report:#}\n"))?;
            output::print(text)
        }
        None => output::print(text),
    }
}

fn shown(source: &str, about: &str, finding: &Finding) -> String {
    let mut text = format!("{source}: {about}\n\n{}\n", finding.table);
    let mut table = Table::new(&[
        ("check", Align::Left),
        ("value", Align::Right),
        ("limit", Align::Left),
        ("holds", Align::Left),
        ("source", Align::Left),
    ]);
    for check in &finding.checks {
        let value = check.value.map_or("failed".into(), number);
        let holds = if check.holds { "yes" } else { "NO" };
        table.row([&check.id, &value, &check.limit.text(), holds, &check.source]);
    }
    text += &table.render();
    for missing in &finding.missing {
        text += &format!("not measured: {missing}\n");
    }
    text
}
