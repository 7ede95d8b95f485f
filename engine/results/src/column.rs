//! Names, units and descriptions of columns; metadata of a file.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// What a file says about itself: any text under any key. [`keys`] lists those with a fixed meaning.
pub type Metadata = BTreeMap<String, String>;

/// Keys of [`Metadata`] with a fixed meaning.
pub mod keys {
    /// Version of the software that wrote the file.
    pub const VERSION: &str = "holonom.version";
    /// Name of the model.
    pub const MODEL_NAME: &str = "model.name";
    /// Hash of the model's description, to tell whether two results belong together.
    pub const MODEL_HASH: &str = "model.hash";
    /// In a run of a sweep: the values that were varied, in words.
    pub const SWEPT: &str = "swept";
    /// Options of the run, as JSON.
    pub const OPTIONS: &str = "options";
    /// The model as the text of a model file, with the parameters and settings of the run.
    pub const MODEL_TEXT: &str = "model.text";
    /// The folder of the model, from which the files of meshes are read.
    pub const MODEL_FOLDER: &str = "model.folder";
    /// Number of columns, the last ones, that hold the state and are no channels.
    pub const STATE: &str = "state";

    /// In the metadata of a field: its unit.
    pub(crate) const UNIT: &str = "unit";
    /// In the metadata of a field: its description.
    pub(crate) const DESCRIPTION: &str = "description";
}

/// One column of a result.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Column {
    /// Unique name, such as `crank.position.x`.
    pub name: String,
    /// Unit as text, such as `m/s`; empty for pure numbers.
    pub unit: String,
    /// A few words for people; may be empty.
    pub description: String,
}

impl Column {
    /// A column with name, unit and description.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            unit: unit.into(),
            description: description.into(),
        }
    }

    /// The first column of every file that a [`Writer`](crate::Writer) makes: `t`, in seconds.
    pub fn time() -> Self {
        Self::new("t", "s", "time")
    }

    /// `name [unit]`, or the name alone for pure numbers.
    pub fn heading(&self) -> String {
        match self.unit.as_str() {
            "" => self.name.clone(),
            unit => format!("{} [{unit}]", self.name),
        }
    }

    /// The inverse of [`Column::heading`].
    pub(crate) fn from_heading(text: &str) -> Self {
        let text = text.trim();
        match text.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
            Some((name, unit)) if !name.trim().is_empty() => Self::new(name.trim(), unit.trim(), ""),
            _ => Self::new(text, "", ""),
        }
    }
}

/// Names must be there and differ, and time comes first.
pub(crate) fn check(columns: &[Column]) -> Result<()> {
    match columns.first() {
        Some(first) if first.name == "t" => distinct(columns).map_err(|reason| Error::Columns { reason }),
        first => Err(Error::Columns {
            reason: format!(
                "the first column must be the time `t`, found {}; put Column::time() first",
                first.map_or("no column".to_string(), |c| format!("`{}`", c.name))
            ),
        }),
    }
}

/// Says which name is empty or there twice.
pub(crate) fn distinct(columns: &[Column]) -> core::result::Result<(), String> {
    let mut seen = HashSet::with_capacity(columns.len());
    for (index, column) in columns.iter().enumerate() {
        if column.name.is_empty() {
            return Err(format!("column {index} has no name; give it one"));
        }
        if !seen.insert(column.name.as_str()) {
            return Err(format!(
                "two columns are named `{}`; rename one of them",
                column.name
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn heading_and_back() {
        for (name, unit) in [("t", "s"), ("a.b", ""), ("a[0]", "m"), ("v", "m/s")] {
            let column = Column::new(name, unit, "");
            assert_eq!(Column::from_heading(&column.heading()), column);
        }
    }

    #[test]
    fn names_are_checked() {
        let x = Column::new("x", "m", "");
        assert!(check(&[Column::time(), x.clone()]).is_ok());
        assert!(check(&[]).unwrap_err().to_string().contains("no column"));
        assert!(
            check(std::slice::from_ref(&x))
                .unwrap_err()
                .to_string()
                .contains("`x`")
        );
        assert!(
            check(&[Column::time(), x.clone(), x])
                .unwrap_err()
                .to_string()
                .contains("two columns")
        );
        assert!(check(&[Column::time(), Column::new("", "", "")]).is_err());
    }
}
