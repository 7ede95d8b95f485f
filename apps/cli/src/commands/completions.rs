//! `holonom completions`: scripts for shells.

use super::{Command, Outcome, read};
use crate::error::Error;
use crate::output;
use clap::{ArgMatches, CommandFactory, Parser};
use clap_complete::Shell;
use holonom::multibody::elements::Library;

/// Print the completion script for a shell
#[derive(Debug, Parser)]
#[command(name = "completions", after_help = AFTER_HELP)]
struct Args {
    /// The shell
    shell: Shell,
}

const AFTER_HELP: &str = "\
Examples:
  holonom completions bash > ~/.local/share/bash-completion/completions/holonom
  holonom completions zsh  > ~/.zfunc/_holonom
  holonom completions fish > ~/.config/fish/completions/holonom.fish";

pub const COMMAND: Command = Command {
    define: Args::command,
    run,
};

fn run(matches: &ArgMatches, _: &Library) -> Result<Outcome, Error> {
    let args: Args = read(matches)?;
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::command_line(), "holonom", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Done)
}
