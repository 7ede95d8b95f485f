//! `holonom new`: a model to start from.

use super::{Command, Outcome};
use crate::error::Error;
use crate::output;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches};
use holonom::multibody::elements::Library;
use std::path::PathBuf;

/// The entry of the registry.
pub const COMMAND: Command = Command { define, run };

/// A model file with gaps for the name.
struct Template {
    name: &'static str,
    about: &'static str,
    text: &'static str,
}

/// Stands in templates for the name of the model.
const NAME: &str = "{NAME}";

const TEMPLATES: &[Template] = &[
    Template {
        name: "pendulum",
        about: "one body on a hinge; the simplest model",
        text: include_str!("../../templates/pendulum.toml"),
    },
    Template {
        name: "linkage",
        about: "a closed loop with a motor and a spring",
        text: include_str!("../../templates/linkage.toml"),
    },
    Template {
        name: "vehicle",
        about: "a body on four springs, with a sub-assembly used twice",
        text: include_str!("../../templates/vehicle.toml"),
    },
];

/// Files that templates include.
const PARTS: &[(&str, &str, &str)] = &[("vehicle", "axle.toml", include_str!("../../templates/axle.toml"))];

fn define() -> clap::Command {
    let mut help =
        "Examples:\n  holonom new crane\n  holonom new press --template linkage\n\nTemplates:\n".to_string();
    for template in TEMPLATES {
        help += &format!("  {:<10} {}\n", template.name, template.about);
    }
    clap::Command::new("new")
        .about("Create a working model to start from")
        .after_help(help)
        .arg(
            Arg::new("name")
                .value_name("NAME")
                .required(true)
                .help("Name of the model; creates NAME.toml"),
        )
        .arg(
            Arg::new("template")
                .long("template")
                .value_name("T")
                .default_value("pendulum")
                .value_parser(PossibleValuesParser::new(TEMPLATES.iter().map(|t| t.name)))
                .help("Template to use"),
        )
}

fn run(matches: &ArgMatches, _: &Library) -> Result<Outcome, Error> {
    let name = matches.get_one::<String>("name").map_or("", String::as_str);
    let wanted = matches.get_one::<String>("template").map_or("", String::as_str);
    let path = PathBuf::from(if name.ends_with(".toml") {
        name.to_string()
    } else {
        format!("{name}.toml")
    });
    let Some(template) = TEMPLATES.iter().find(|t| t.name == wanted) else {
        return Err(Error::Usage(format!("there is no template `{wanted}`")));
    };
    let stem = path
        .file_stem()
        .map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    let quoted = stem.replace('\\', "\\\\").replace('"', "\\\"");
    let folder = path.parent().unwrap_or(std::path::Path::new("")).to_path_buf();
    let mut files = vec![(path.clone(), template.text.replace(NAME, &quoted))];
    let parts = PARTS.iter().filter(|(of, ..)| *of == wanted);
    files.extend(parts.map(|(_, part, text)| (folder.join(part), (*text).to_string())));
    for (path, _) in &files {
        output::check_file(path)?;
        if path.exists() {
            let text = format!(
                "`{}` already exists; choose another name, or remove it",
                path.display()
            );
            return Err(Error::Usage(text));
        }
    }
    for (path, text) in &files {
        output::write(path, text)?;
    }
    let shown = path.display();
    output::print(&format!(
        "{shown} written. Next:\n  holonom check {shown}    what it is\n  holonom run {shown}      simulate it\n"
    ))?;
    Ok(Outcome::Done)
}
