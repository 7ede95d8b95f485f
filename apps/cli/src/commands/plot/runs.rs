//! The results to draw.

use crate::error::Error;
use crate::film::Film;
use holonom::multibody::elements::Library;
use holonom_results::{Column, Pattern, Table, keys};
use holonom_text::did_you_mean;
use std::path::{Path, PathBuf};

/// A result and its name in the picture.
pub struct Run {
    /// The file, as short as it is unique.
    pub label: String,
    table: Table,
    /// Columns of the file, then channels that are computed from the state.
    columns: Vec<Column>,
    film: Option<Film>,
}

/// Opens all results.
///
/// `patterns` are what is to be drawn: channels that a file does not have are computed from its state.
pub fn open(paths: &[PathBuf], patterns: &[&str], library: &Library) -> Result<Vec<Run>, Error> {
    let labels = labels(paths);
    let open = |(path, label): (&PathBuf, String)| {
        let table = Table::open(path).map_err(usage)?;
        let mut run = Run {
            label,
            columns: table.columns().to_vec(),
            table,
            film: None,
        };
        for pattern in patterns {
            run.offer(pattern, library);
        }
        let table = &run.table;
        if run.columns.len() < 2 {
            return Err(Error::Usage(format!(
                "`{}` has no channel to plot: it has {} columns, the first of which is the time",
                path.display(),
                table.columns().len()
            )));
        }
        Ok(run)
    };
    let mut runs = paths
        .iter()
        .zip(labels)
        .map(open)
        .collect::<Result<Vec<Run>, Error>>()?;
    if runs.len() > 1
        && let Some(values) = swept(&runs)
    {
        for (run, label) in runs.iter_mut().zip(values) {
            run.label = label;
        }
    }
    Ok(runs)
}

/// The values that were varied, such as `L = 0.4`; none where these do not tell the runs apart.
fn swept(runs: &[Run]) -> Option<Vec<String>> {
    let label = |run: &Run| run.table.metadata().get(keys::SWEPT).cloned();
    let labels = runs.iter().map(label).collect::<Option<Vec<String>>>()?;
    let mut unique = labels.clone();
    unique.sort();
    unique.dedup();
    (unique.len() == labels.len()).then_some(labels)
}

/// What a reader of results says names the thing and the remedy already.
fn usage(error: holonom_results::Error) -> Error {
    Error::Usage(error.to_string())
}

impl Run {
    /// Channels that match a pattern and are not in the file, from its state if it has one.
    fn offer(&mut self, pattern: &str, library: &Library) {
        if self.table.state().is_empty() || self.table.select(&[pattern]).is_ok() {
            return;
        }
        if self.film.is_none() {
            // Files without what this takes are refused when the channel is not found.
            self.film = Film::open(self.table.path(), library).ok();
        }
        let Some(film) = &self.film else { return };
        let Ok(found) = film.replay.simulation().catalogue.select(&[pattern]) else {
            return;
        };
        for channel in found.channels() {
            if self.columns.iter().all(|own| own.name != channel.name) {
                self.columns
                    .push(Column::new(&channel.name, &channel.unit, &channel.description));
            }
        }
    }

    /// All columns; the first is the time.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Channels that match a name or a pattern; an error when there is none.
    pub fn select(&self, pattern: &str) -> Result<Vec<usize>, Error> {
        let computed = self.table.columns().len()..self.columns.len();
        let found = computed.filter(|column| {
            let name = &self.columns[*column].name;
            name == pattern || Pattern::new(pattern).is_ok_and(|pattern| pattern.matches(name))
        });
        let found: Vec<usize> = found.collect();
        match self.table.select(&[pattern]) {
            Ok(columns) => Ok(columns),
            Err(_) if !found.is_empty() => Ok(found),
            Err(holonom_results::Error::NoMatch { suggestion: None, .. }) => Err(self.no_match(pattern)),
            Err(error) => Err(usage(error)),
        }
    }

    /// What to say when no whole name is near: the body or joint alone may be.
    fn no_match(&self, pattern: &str) -> Error {
        let head = |name: &str| name.split('.').next().map_or(0, str::len);
        let mut heads: Vec<&str> = self.columns().iter().map(|c| &c.name[..head(&c.name)]).collect();
        heads.sort_unstable();
        heads.dedup();
        let guess = did_you_mean(&pattern[..head(pattern)], heads);
        let names: Vec<&str> = self
            .columns()
            .iter()
            .skip(1)
            .take(8)
            .map(|c| c.name.as_str())
            .collect();
        let more = if self.columns().len() > names.len() + 1 {
            ", …"
        } else {
            ""
        };
        Error::Usage(format!(
            "no channel of `{}` matches `{pattern}`{guess}\n  its channels: {}{more}",
            self.table.path().display(),
            names.join(", ")
        ))
    }

    /// The channel with this name, if there.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.columns().iter().position(|column| column.name == name)
    }

    /// All numbers of some columns.
    pub fn read(&self, columns: &[usize]) -> Result<Vec<Vec<f64>>, Error> {
        let recorded = self.table.columns().len();
        let stored: Vec<usize> = columns
            .iter()
            .copied()
            .filter(|column| *column < recorded)
            .collect();
        let mut stored = self.table.columns_at(&stored).map_err(usage)?.into_iter();
        let names: Vec<&str> = columns
            .iter()
            .filter(|column| **column >= recorded)
            .map(|column| self.columns[*column].name.as_str())
            .collect();
        let mut computed = Vec::new().into_iter();
        if let (false, Some(film)) = (names.is_empty(), &self.film) {
            let rows: Vec<usize> = (0..film.times.len()).collect();
            computed = film.computed(&names, &rows)?.into_iter();
        }
        let mut next = |column: &usize| match *column < recorded {
            true => stored.next(),
            false => computed.next(),
        };
        Ok(columns
            .iter()
            .map(|column| next(column).unwrap_or_default())
            .collect())
    }

    /// Name of the model, if the file says.
    pub fn model(&self) -> Option<String> {
        let name = self.table.metadata().get(keys::MODEL_NAME);
        name.filter(|name| !name.is_empty()).cloned()
    }

    /// What is missing at the end of the file.
    pub fn loss(&self) -> Option<String> {
        let path = self.table.path().display();
        self.table
            .lost()
            .map(|loss| format!("`{path}` is not complete: {loss}"))
    }
}

/// Names of files without folders and endings, where that tells them apart.
fn labels(paths: &[PathBuf]) -> Vec<String> {
    let text = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let ways: [fn(&Path) -> Option<&std::ffi::OsStr>; 2] = [Path::file_stem, Path::file_name];
    for way in ways {
        let labels: Vec<String> = paths.iter().map(|path| text(way(path))).collect();
        let mut unique = labels.clone();
        unique.sort();
        unique.dedup();
        if unique.len() == labels.len() {
            return labels;
        }
    }
    paths.iter().map(|path| path.display().to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_tell_files_apart() {
        let of = |paths: &[&str]| labels(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(of(&["out/soft.arrows", "out/stiff.arrows"]), ["soft", "stiff"]);
        assert_eq!(of(&["run.arrows", "run.csv"]), ["run.arrows", "run.csv"]);
        assert_eq!(of(&["a/run.csv", "b/run.csv"]), ["a/run.csv", "b/run.csv"]);
    }
}
