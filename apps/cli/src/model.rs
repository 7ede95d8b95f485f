//! The model named on the command line: a file, or one of the shipped ones.

use crate::error::Error;
use clap::{Arg, ArgAction, ArgMatches};
use holonom::format::{Files, InputOffset, ModelFile, read_with_offsets};
use holonom::multibody::elements::Library;
use holonom_text::did_you_mean;
use std::path::{Path, PathBuf};

/// Adds the arguments that name a model and say how it is read.
pub fn arguments(command: clap::Command) -> clap::Command {
    command
        .arg(
            Arg::new("model")
                .value_name("MODEL")
                .required(true)
                .help("Model file (.toml, .urdf), or the name of a shipped model (`holonom models list`)"),
        )
        .arg(
            Arg::new("set")
                .long("set")
                .value_name("K=V")
                .action(ArgAction::Append)
                .help("Override a parameter, such as \"L=250 mm\""),
        )
        .arg(
            Arg::new("strict").long("strict").action(ArgAction::SetTrue).help(
                "Refuse URDF files that depart from the specification instead of reading them with notes",
            ),
        )
}

/// What was typed about the model.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// A file, or the name of a shipped model.
    pub model: String,
    /// Parameters as `K=V`.
    pub sets: Vec<String>,
    /// URDF files are read to the letter.
    pub strict: bool,
    /// Kinds of elements that it may name.
    pub library: Library,
}

impl Asked {
    /// From the arguments that [`arguments`] adds.
    pub fn typed(matches: &ArgMatches, library: &Library) -> Self {
        Self {
            model: matches.get_one::<String>("model").cloned().unwrap_or_default(),
            sets: matches.get_many("set").into_iter().flatten().cloned().collect(),
            strict: matches.get_flag("strict"),
            library: library.clone(),
        }
    }

    /// Its parameters with more of them.
    pub fn with(&self, sets: impl IntoIterator<Item = String>) -> Vec<String> {
        self.sets.iter().cloned().chain(sets).collect()
    }
}

/// A model with the name of its results.
pub struct Named {
    /// What the model file says.
    pub file: ModelFile,
    /// Stem for the names of files made from it.
    pub stem: String,
    /// The folder of the file; none for a shipped model.
    pub folder: Option<PathBuf>,
}

impl Named {
    /// Where the files of its meshes are found later, if it has meshes.
    pub fn folder_of_meshes(&self) -> Option<String> {
        let meshes = self
            .file
            .description
            .shapes
            .iter()
            .any(|shape| shape.mesh().is_some());
        let folder = self.folder.as_deref().filter(|_| meshes)?;
        let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
        folder.to_str().map(str::to_string)
    }
}

/// Where a model is read from.
pub struct Origin {
    files: Files,
    path: PathBuf,
    shipped: bool,
}

impl Origin {
    /// The file or the shipped model that was asked for.
    pub fn of(asked: &Asked) -> Result<Self, Error> {
        let model = &asked.model;
        let path = Path::new(model);
        let (files, path, shipped) = if path.exists() {
            (Files::disk(), path.to_path_buf(), false)
        } else if let Some(entry) = holonom_models::find(model) {
            (entry.files(), entry.path().into(), true)
        } else {
            let names = holonom_models::all().iter().map(|entry| entry.name);
            let hint = match did_you_mean(model, names) {
                hint if hint.is_empty() => "; `holonom models list` lists the shipped models".to_string(),
                hint => hint,
            };
            let text = format!("there is no file `{model}` and no shipped model with this name{hint}");
            return Err(Error::Usage(text));
        };
        let files = files.strict(asked.strict).library(asked.library.clone());
        Ok(Self { files, path, shipped })
    }

    /// The folder of the file on disk.
    pub fn folder(&self) -> Option<PathBuf> {
        let parent = self.path.parent().filter(|_| !self.shipped)?;
        Some(match parent.as_os_str().is_empty() {
            true => PathBuf::from("."),
            false => parent.to_path_buf(),
        })
    }

    /// For several readings: every file is read and parsed once.
    pub fn parsed_once(self) -> Self {
        Self {
            files: self.files.parsed_once(),
            ..self
        }
    }

    /// Reads the model with these parameters, given as `K=V`, and something added to inputs.
    pub fn load(&self, sets: &[String], offsets: &[InputOffset]) -> Result<Named, Error> {
        let overrides = sets.iter().map(|set| assignment(set));
        let overrides = overrides.collect::<Result<Vec<_>, _>>()?;
        for (k, (name, value)) in overrides.iter().enumerate() {
            if let Some((_, other)) = overrides[..k].iter().find(|(other, _)| other == name) {
                return Err(Error::Usage(format!(
                    "--set {name}: this parameter is given twice, as {other} and as {value}; remove one of them"
                )));
            }
        }
        let stem = self.path.file_stem();
        let stem = stem.map_or("model".into(), |stem| stem.to_string_lossy().into_owned());
        let file = read_with_offsets(&self.path, &self.files, &overrides, offsets).map_err(Error::Model)?;
        Ok(Named {
            file,
            stem,
            folder: self.folder(),
        })
    }
}

/// Reads the model.
pub fn load(asked: &Asked) -> Result<Named, Error> {
    Origin::of(asked)?.load(&asked.sets, &[])
}

/// The first sentence of a description, in one line.
pub fn first_sentence(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    // A point before a capital letter: not that of a number or of "e.g.".
    let ends = text.match_indices(". ").find(|(at, _)| {
        let after = text[at + 2..].chars().next();
        after.is_some_and(char::is_uppercase)
    });
    match ends {
        Some((at, _)) => text[..=at].to_string(),
        None => text,
    }
}

fn assignment(set: &str) -> Result<(String, String), Error> {
    match set.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_string(), value.trim().to_string()))
        }
        _ => Err(Error::Usage(format!(
            "--set {set}: write it as NAME=VALUE, such as --set \"L=200 mm\""
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_their_points() {
        for (text, first) in [
            ("A lamp. It swings.", "A lamp."),
            (
                "Rods of 1.5 m, e.g. of steel,\nin a plane",
                "Rods of 1.5 m, e.g. of steel, in a plane",
            ),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), first);
        }
    }
}
