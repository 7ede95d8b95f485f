//! Mechanisms shipped with Holonom.
//!
//! Every shipped model is a model file, `<name>/model.toml`, with the files that it includes or
//! reads; [`all`] lists them. Some are also made by functions that take a size, such as
//! [`n_pendulum`]: their files are one size of them, written out.
//! Reference values and where they come from are in [`mod@reference`] and in `reference.json`
//! beside each model.
//!
//! ```
//! let file = holonom_models::find("four-bar").ok_or("shipped")?.read()?;
//! assert_eq!(file.compile()?.bodies.len(), 4); // with the ground
//! let longer = holonom_models::find("four-bar").ok_or("shipped")?.read_with(&[("crank", "160 mm")])?;
//! assert!(longer != file);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod invariants;
mod pendulums;
mod linkages;
pub mod pictures;
pub mod reference;
mod robots;

pub use linkages::n_four_bar;
pub use pendulums::{arnold_chain, n_pendulum, spatial_pendulum};
pub use robots::{arm7, kernel_chain, tree36};

use holonom::format::{Files, Message, Messages, ModelFile, read};
use holonom::multibody::Description;
use holonom_text::nearest;

/// A shipped model.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name, as used on the command line.
    pub name: &'static str,
    text: &'static str,
    parts: &'static [(&'static str, &'static str)],
}

impl Entry {
    /// One sentence: the first of the description in the model file, which stands on a line of
    /// its own.
    pub fn summary(&self) -> &'static str {
        let after = self
            .text
            .split_once("description = \"\"\"")
            .map_or("", |(_, text)| text);
        after.trim_start().lines().next().unwrap_or("")
    }

    /// The model file.
    pub fn text(&self) -> &'static str {
        self.text
    }

    /// Files that it includes or reads, by their names relative to it.
    pub fn parts(&self) -> &'static [(&'static str, &'static str)] {
        self.parts
    }

    /// The usual name of the model file.
    pub fn path(&self) -> String {
        format!("{}.toml", self.name)
    }

    /// The model file with all that belongs to it.
    pub fn files(&self) -> Files {
        let main = (self.path(), self.text);
        let parts = self.parts.iter().map(|(name, text)| ((*name).to_string(), *text));
        Files::in_memory(std::iter::once(main).chain(parts))
    }

    /// What the model file says.
    ///
    /// # Errors
    /// Those of the file; the shipped ones have none.
    pub fn read(&self) -> Result<ModelFile, Messages> {
        self.read_with(&[])
    }

    /// The same with other values of some parameters, as texts.
    ///
    /// # Errors
    /// A parameter that there is not, or a value that does not fit.
    pub fn read_with(&self, parameters: &[(&str, &str)]) -> Result<ModelFile, Messages> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_string(), (*value).to_string());
        let overrides: Vec<_> = parameters.iter().map(owned).collect();
        read(self.path(), &self.files(), &overrides)
    }

    /// The mechanism.
    ///
    /// # Errors
    /// Those of the file; the shipped ones have none.
    pub fn description(&self) -> Result<Description, Messages> {
        Ok(self.read()?.description)
    }
}

/// The entries, from the names of their folders and of the files besides `model.toml`.
macro_rules! shipped {
    ($($name:literal $([$($part:literal),*])?;)*) => {
        &[$(Entry {
            name: $name,
            text: include_str!(concat!("../", $name, "/model.toml")),
            parts: &[$($(($part, include_str!(concat!("../", $name, "/", $part)))),*)?],
        }),*]
    };
}

/// All shipped models, the simple ones first.
pub fn all() -> &'static [Entry] {
    const MODELS: &[Entry] = shipped! {
        "pendulum";
        "double-pendulum";
        "n-pendulum";
        "spatial-pendulum";
        "arnold-chain";
        "slider-crank";
        "four-bar";
        "spatial-four-bar";
        "n-four-bar";
        "andrews";
        "crank-press" ["stroke.csv"];
        "gear-train";
        "rolling-disc";
        "vehicle" ["corner.toml", "road.csv"];
        "double-wishbone";
        "rear-axle-stamp";
        "iltis" ["corner.toml"];
        "iltis-lane-change" ["corner.toml"];
        "wheelset";
        "curving";
        "arm";
        "tree";
        "tumbling-body";
        "bouncing-ball";
        "car-axle";
        "circular-track";
    };
    MODELS
}

/// The shipped model with this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    all().iter().find(|e| e.name == name)
}

/// The mechanism of the shipped model with this name.
///
/// ```
/// let arm = holonom_models::description("arm")?;
/// assert_eq!(arm.bodies.len(), 7);
/// let wrong = holonom_models::description("arms").err().ok_or("there is none")?;
/// assert!(wrong.to_string().contains("did you mean `arm`?"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// No model has this name.
pub fn description(name: &str) -> Result<Description, Messages> {
    match find(name) {
        Some(entry) => entry.description(),
        None => {
            let message = Message::error(None, format!("there is no shipped model `{name}`"));
            Err(Messages(vec![
                match nearest(name, all().iter().map(|e| e.name)) {
                    Some(near) => message.help(format!("did you mean `{near}`?")),
                    None => message.help("`holonom models list` lists them"),
                },
            ]))
        }
    }
}
