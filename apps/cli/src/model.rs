//! The model named on the command line: a file, or one of the shipped ones.

use crate::error::Error;
use holonom::format::{Files, InputOffset, ModelFile, read_with_offsets};
use holonom_text::did_you_mean;
use std::path::Path;

/// Help for arguments that name a model.
pub const MODEL_HELP: &str =
    "Model file (.toml, .urdf), or the name of a shipped model (`holonom models list`)";

/// A model with the name of its results.
pub struct Named {
    /// What the model file says.
    pub file: ModelFile,
    /// Stem for the names of files made from it.
    pub stem: String,
}

/// Reads the model; `sets` are parameters as `K=V`.
pub fn load(model: &str, sets: &[String]) -> Result<Named, Error> {
    load_with_offsets(model, sets, &[])
}

/// The same with something added to inputs.
pub fn load_with_offsets(model: &str, sets: &[String], offsets: &[InputOffset]) -> Result<Named, Error> {
    let overrides = sets
        .iter()
        .map(|set| assignment(set))
        .collect::<Result<Vec<_>, _>>()?;
    let path = Path::new(model);
    let (files, path) = if path.exists() {
        (Files::disk(), path.to_path_buf())
    } else if let Some(entry) = holonom_models::find(model) {
        (entry.files(), entry.path().into())
    } else {
        let names = holonom_models::all().iter().map(|entry| entry.name);
        let hint = match did_you_mean(model, names) {
            hint if hint.is_empty() => "; `holonom models list` lists the shipped models".to_string(),
            hint => hint,
        };
        let text = format!("there is no file `{model}` and no shipped model with this name{hint}");
        return Err(Error::Usage(text));
    };
    let stem = path
        .file_stem()
        .map_or("model".into(), |stem| stem.to_string_lossy().into_owned());
    let file = read_with_offsets(&path, &files, &overrides, offsets).map_err(Error::Model)?;
    Ok(Named { file, stem })
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
