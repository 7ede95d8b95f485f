//! `holonom models`: the shipped library.

use super::{Command, Outcome};
use crate::error::Error;
use crate::output;
use clap::{Arg, ArgMatches};
use holonom::multibody::elements::Library;
use holonom_models::Entry;
use holonom_text::did_you_mean;
use holonom_text::{Align, Table};
use std::path::{Path, PathBuf};

/// The entry of the registry.
pub const COMMAND: Command = Command { define, run };

const AFTER_HELP: &str = "\
Examples:
  holonom models list
  holonom models show four-bar
  holonom models copy four-bar mine.toml     copy a model to edit it";

fn define() -> clap::Command {
    let name = || {
        Arg::new("name")
            .value_name("NAME")
            .required(true)
            .help("Name of a shipped model")
    };
    clap::Command::new("models")
        .about("List, show or copy the shipped models")
        .after_help(AFTER_HELP)
        .subcommand(clap::Command::new("list").about("List the shipped models (default)"))
        .subcommand(
            clap::Command::new("show")
                .about("Print the model file")
                .arg(name()),
        )
        .subcommand(
            clap::Command::new("copy")
                .about("Copy the model file for editing")
                .arg(name())
                .arg(
                    Arg::new("file")
                        .value_name("FILE")
                        .value_parser(clap::value_parser!(PathBuf))
                        .help("File to write; default: NAME.toml in the current folder"),
                ),
        )
}

fn run(matches: &ArgMatches, _: &Library) -> Result<Outcome, Error> {
    match matches.subcommand() {
        Some(("show", arguments)) => output::print(find(arguments)?.text())?,
        Some(("copy", arguments)) => {
            let entry = find(arguments)?;
            let usual = || PathBuf::from(entry.path());
            let path = arguments
                .get_one::<PathBuf>("file")
                .cloned()
                .unwrap_or_else(usual);
            copy(entry, &path)?;
            let shown = path.display();
            output::print(&format!("{shown} written. Next: holonom run {shown}\n"))?;
        }
        _ => output::print(&list())?,
    }
    Ok(Outcome::Done)
}

fn list() -> String {
    let mut table = Table::new(&[("name", Align::Left), ("", Align::Left)]);
    for entry in holonom_models::all() {
        table.row([entry.name, entry.summary()]);
    }
    format!(
        "{}\nRun one: holonom run {}\n",
        table.render(),
        holonom_models::all()[0].name
    )
}

fn find(arguments: &ArgMatches) -> Result<&'static Entry, Error> {
    let name = arguments.get_one::<String>("name").map_or("", String::as_str);
    holonom_models::find(name).ok_or_else(|| {
        let names = holonom_models::all().iter().map(|entry| entry.name);
        let hint = did_you_mean(name, names);
        Error::Usage(format!(
            "there is no shipped model `{name}`{hint} (`holonom models list`)"
        ))
    })
}

/// Writes a model with the files it needs; nothing that is there is overwritten.
pub fn copy(entry: &Entry, path: &Path) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut files = vec![(path.to_path_buf(), entry.text())];
    files.extend(
        entry
            .parts()
            .iter()
            .map(|(name, text)| (folder.join(name), *text)),
    );
    for (path, _) in &files {
        output::check_file(path)?;
        if path.exists() {
            let text = format!(
                "`{}` already exists; choose another name, or remove the file",
                path.display()
            );
            return Err(Error::Usage(text));
        }
    }
    for (path, text) in &files {
        output::write(path, text)?;
    }
    Ok(())
}
