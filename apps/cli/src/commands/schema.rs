//! `holonom schema`: the JSON Schema of the model file.

use super::{Command, Outcome};
use crate::error::Error;
use crate::output;
use clap::ArgMatches;

/// The entry of the registry.
pub const COMMAND: Command = Command { define, run };

const AFTER_HELP: &str = "\
Editors that know TOML schemas complete and check model files with it: save it with
  holonom schema > holonom.schema.json
and put  #:schema ./holonom.schema.json  in the first line of the model file.";

fn define() -> clap::Command {
    clap::Command::new("schema")
        .about("Print the JSON Schema of the model file")
        .after_help(AFTER_HELP)
}

fn run(_: &ArgMatches) -> Result<Outcome, Error> {
    output::print(&format!("{:#}\n", holonom::format::schema()))?;
    Ok(Outcome::Done)
}
