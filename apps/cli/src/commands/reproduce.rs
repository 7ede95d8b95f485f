//! `holonom reproduce`: the tables, figures and studies of `experiments`.

use super::{Command, Outcome};
use crate::error::Error;
use crate::output;
use crate::report::{self, Target};
use clap::{Arg, ArgMatches};
use holonom::multibody::elements::Library;
use holonom_experiments::Report;
use holonom_experiments::reproduce::{EXPERIMENTS, Experiment, Request, study};
use holonom_experiments::studies::{SEED, STUDIES, Sample, Study};
use holonom_text::{Align, Table, did_you_mean};
use serde_json::{Value, json};
use std::path::Path;

/// The entry of the registry.
pub const COMMAND: Command = Command { define, run };

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

Report: {name, rows, checks: [{id, value, limit, source, holds, outcome, known_gap}], missing, holds}; that of `all` has
a row for each experiment and the checks of all. A check that does not hold is either a known gap, printed
with its reason, or a regression; `holds` is false, and the exit code 1, for regressions alone. `missing` lists
values that a paper does not state or that cannot be measured.
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
        .arg(report::argument())
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

fn run(matches: &ArgMatches, _: &Library) -> Result<Outcome, Error> {
    let name = matches.get_one::<String>("name").map_or("list", String::as_str);
    let target = Target::of(matches)?;
    if name == "list" {
        return list(&target);
    }
    if let Some(study) = STUDIES.iter().find(|study| study.name == name) {
        return generated(study, matches, &target);
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
    let request = request(name, &chosen, matches)?;
    let mut reports = Vec::new();
    for experiment in chosen {
        let mut found = experiment.run(&request)?;
        if let Some(folder) = folder {
            for file in report::draw(&found, folder)? {
                found.text += &format!("Written: {}\n", file.display());
            }
        }
        reports.push(found);
    }
    match <[Report; 1]>::try_from(reports) {
        Ok([one]) if name != "all" => report::put(&one, &target),
        Ok(one) => report::put(&Report::of_all(name, one.into()), &target),
        Err(several) => report::put(&Report::of_all(name, several), &target),
    }
}

/// What the options ask of the chosen experiments.
fn request(name: &str, chosen: &[&Experiment], matches: &ArgMatches) -> Result<Request, Error> {
    let mut request = Request::default();
    request.steps = matches.get_one::<u64>("steps").copied();
    if request.steps.is_some() && !chosen.iter().any(|e| e.takes_steps()) {
        let text = format!("`{name}` has no adjustable number of steps; remove `--steps`");
        return Err(Error::Usage(text));
    }
    request.models = matches
        .get_many("models")
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    if !request.models.is_empty() && !chosen.iter().any(|e| e.takes_models()) {
        let text = format!("`{name}` does not run models; remove `--models`");
        return Err(Error::Usage(text));
    }
    if let Some(unknown) = request.models.iter().find(|m| holonom_models::find(m).is_none()) {
        let hint = did_you_mean(unknown, holonom_models::all().iter().map(|e| e.name));
        let text = format!("there is no shipped model `{unknown}`{hint} (`holonom models list`)");
        return Err(Error::Usage(text));
    }
    Ok(request)
}

/// A study over generated mechanisms, or its model file.
fn generated(of: &Study, matches: &ArgMatches, target: &Target) -> Result<Outcome, Error> {
    let seed = matches.get_one::<u64>("seed").copied().unwrap_or(SEED);
    if let Some(file) = matches.get_one::<String>("write") {
        output::check_file(Path::new(file))?;
        let none = || {
            Error::Failed(format!(
                "the seed {seed} does not produce a mechanism; use another seed"
            ))
        };
        output::write(Path::new(file), (of.model)(seed).ok_or_else(none)?)?;
        output::print(&format!("{file} written.\n"))?;
        return Ok(Outcome::Done);
    }
    let count = matches.get_one::<u64>("count").copied().unwrap_or(of.count);
    report::put(&study(of, Sample { seed, count }), target)
}

fn list(target: &Target) -> Result<Outcome, Error> {
    let mut table = Table::new(&[("name", Align::Left), ("source", Align::Left), ("", Align::Left)]);
    let mut rows = Vec::new();
    let experiments = EXPERIMENTS.iter().map(|e| (e.name, e.source, e.about));
    for (name, source, about) in experiments.chain(STUDIES.iter().map(|s| (s.name, "own", s.about))) {
        table.row([name, source, about]);
        rows.push(json!({ "name": name, "source": source, "about": about }));
    }
    target.put(&format!("{:#}\n", Value::Array(rows)), &table.render())?;
    Ok(Outcome::Done)
}
