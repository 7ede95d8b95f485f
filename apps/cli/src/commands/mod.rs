//! The commands, one file each.

mod analyses;
mod animate;
mod check;
mod compare;
mod completions;
mod export;
mod list;
mod models;
mod new;
mod plot;
mod realtime;
mod reproduce;
mod run;
mod schema;
mod step_size;
mod verify;
mod view;

use crate::error::Error;
use crate::outcome::Outcome;
use clap::ArgMatches;
use holonom::multibody::elements::Library;
use std::ffi::OsString;
use std::path::Path;

/// One command.
pub struct Command {
    /// Its arguments and help; the name is the one typed.
    define: fn() -> clap::Command,
    /// Does it, for models with the kinds of a library.
    run: fn(&ArgMatches, &Library) -> Result<Outcome, Error>,
}

/// All commands, in the order of the help.
pub const REGISTRY: &[Command] = &[
    new::COMMAND,
    models::COMMAND,
    check::COMMAND,
    run::COMMAND,
    realtime::COMMAND,
    analyses::statics::COMMAND,
    analyses::modes::COMMAND,
    analyses::linearize::COMMAND,
    analyses::response::COMMAND,
    analyses::kinematics::COMMAND,
    analyses::trim::COMMAND,
    plot::COMMAND,
    view::COMMAND,
    animate::COMMAND,
    export::COMMAND,
    compare::COMMAND,
    list::COMMAND,
    schema::COMMAND,
    verify::COMMAND,
    reproduce::COMMAND,
    completions::COMMAND,
];

const AFTER_HELP: &str = "\
A first run:
  holonom models list                  list the shipped models
  holonom run four-bar                 simulate one of them
  holonom plot four-bar.parquet        plot the results

Your own model:
  holonom new crane                    create a working model to modify
  holonom check crane.toml             check it; errors are reported with their lines
  holonom run crane.toml               simulate it

`holonom help COMMAND` describes one command in full, with examples.
Exit codes: 0 success; 1 a run failed or a check was not met; 2 wrong usage or an invalid model.";

/// The whole command line.
pub fn command_line() -> clap::Command {
    clap::Command::new("holonom")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Simulation of mechanisms: bodies, joints, closed loops, springs, tyres and drives")
        .after_help(AFTER_HELP)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(REGISTRY.iter().map(|command| (command.define)()))
}

/// The command line with `--json NAME.json` as `--json=NAME.json`.
///
/// `--json` alone prints the report: what follows is then a model, a problem or a result, none of
/// which is called so.
pub fn with_report_names(typed: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    let mut options = true;
    for word in typed {
        let ending = Path::new(&word).extension();
        let is_report = ending.is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
        match words.last_mut() {
            Some(last) if options && is_report && last == "--json" => {
                last.push("=");
                last.push(word);
            }
            _ => {
                options &= word != "--";
                words.push(word);
            }
        }
    }
    words
}

/// Runs the command that was typed.
pub fn run(matches: &ArgMatches, library: &Library) -> Result<Outcome, Error> {
    let typed = matches.subcommand();
    for command in REGISTRY {
        if let Some((name, arguments)) = typed
            && (command.define)().get_name() == name
        {
            return (command.run)(arguments, library);
        }
    }
    Err(Error::Usage(
        "no command given; `holonom help` lists the commands".into(),
    ))
}

/// The arguments of a command as its own type.
fn read<A: clap::FromArgMatches>(matches: &ArgMatches) -> Result<A, Error> {
    A::from_arg_matches(matches).map_err(|error| Error::Usage(error.to_string()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn definitions_are_consistent() {
        super::command_line().debug_assert();
    }

    #[test]
    fn only_a_report_belongs_to_the_option_before_it() {
        for (typed, meant) in [
            ("run --json four-bar", "run --json four-bar"),
            ("run --json r.json m", "run --json=r.json m"),
            ("run --json=r m", "run --json=r m"),
            ("run -- --json r.json", "run -- --json r.json"),
            ("plot a.json", "plot a.json"),
        ] {
            let words = super::with_report_names(typed.split(' ').map(Into::into));
            assert_eq!(words.join(std::ffi::OsStr::new(" ")), *meant);
        }
    }
}
