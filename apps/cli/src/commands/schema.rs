//! `holonom schema`: the JSON Schema of the model file.

use super::{Command, Outcome};
use crate::error::Error;
use crate::output;
use clap::ArgMatches;
use holonom::multibody::elements::Library;

/// The entry of the registry.
pub const COMMAND: Command = Command { define, run };

const AFTER_HELP: &str = "\
Editors with TOML schema support use it to complete and validate model files. Save it with
  holonom schema > holonom.schema.json
and add  #:schema ./holonom.schema.json  as the first line of the model file.";

fn define() -> clap::Command {
    clap::Command::new("schema")
        .about("Print the JSON Schema of the model file")
        .after_help(AFTER_HELP)
}

fn run(_: &ArgMatches, library: &Library) -> Result<Outcome, Error> {
    output::print(&format!("{:#}\n", holonom::format::schema(library)))?;
    Ok(Outcome::Done)
}
