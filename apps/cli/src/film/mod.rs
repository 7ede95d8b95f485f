//! A result that can be seen: its rows with the state, the mechanism rebuilt from its model, and the scene.

mod json;
mod meshes;

pub use json::{arrow_vectors_of, arrows_json, floats, scene_json};
use meshes::supply;

use crate::error::Error;
use holonom::algebra::Pose;
use holonom::multibody::channels::Selection;
use holonom::multibody::elements::Library;
use holonom::simulation::{Replay, Simulation, StateSampler};
use holonom_results::{Column, FileKind, Table, keys};
use holonom_scene::{Poser, Scene};
use std::path::{Path, PathBuf};

/// A result with its mechanism.
pub struct Film {
    /// The rows.
    pub table: Table,
    /// The mechanism.
    pub replay: Replay,
    /// What is seen.
    pub scene: Scene,
    /// Times of the rows.
    pub times: Vec<f64>,
}

fn usage(error: holonom_results::Error) -> Error {
    Error::Usage(error.to_string())
}

/// Rebuilds the mechanism of a result.
///
/// # Errors
/// A result without the state, with the remedy; a model that cannot be read again.
pub fn replay(table: &Table, library: &Library) -> Result<Replay, Error> {
    let shown = table.path().display();
    let text = table.metadata().get(keys::MODEL_TEXT);
    let (false, Some(text)) = (table.state().is_empty(), text) else {
        let remedy = match table.kind() {
            FileKind::Csv => "CSV files never do; give the .parquet or .arrows file of the run",
            _ => "run the simulation again, without --no-state",
        };
        return Err(Error::Usage(format!(
            "`{shown}` does not contain the state of the run: {remedy}"
        )));
    };
    Replay::with_library(text, table.state().len(), library)
        .map_err(|error| Error::Usage(format!("`{shown}`: {error}")))
}

impl Film {
    /// Opens a result.
    ///
    /// # Errors
    /// No result, one without the state, or one without rows.
    pub fn open(path: &Path, library: &Library) -> Result<Self, Error> {
        let table = Table::open(path).map_err(usage)?;
        let replay = replay(&table, library)?;
        if table.rows() == 0 {
            let shown = path.display();
            return Err(Error::Usage(format!(
                "`{shown}` has no rows; run the simulation again"
            )));
        }
        let folder = table.metadata().get(keys::MODEL_FOLDER).map(PathBuf::from);
        let scene = scene(&replay, folder.as_deref());
        let times = table.columns_at(&[0]).map_err(usage)?.pop().unwrap_or_default();
        let mut film = Self {
            table,
            replay,
            scene,
            times,
        };
        let first = film.poses_at(0)?;
        film.scene.measure(&first);
        let last = film.times.len() - 1;
        for k in 1..=8 {
            let poses = film.poses_at(last * k / 8)?;
            film.scene.lower_floor(&poses);
        }
        Ok(film)
    }

    /// What is missing at the end of the file.
    pub fn loss(&self) -> Option<String> {
        let shown = self.table.path().display();
        self.table
            .lost()
            .map(|loss| format!("`{shown}` is not complete: {loss}"))
    }

    fn states(&self, first: u64, rows: u64) -> Result<Vec<Vec<f64>>, Error> {
        let columns: Vec<usize> = self.table.state().collect();
        let read = self.table.rows_at(&columns, first..first + rows).map_err(usage)?;
        let found = read.first().map_or(0, Vec::len);
        Ok((0..found)
            .map(|row| read.iter().map(|column| column[row]).collect())
            .collect())
    }

    /// The state in one row.
    pub fn state(&self, row: usize) -> Result<Vec<f64>, Error> {
        let states = self.states(row as u64, 1)?.pop();
        states.ok_or_else(|| Error::Usage(format!("there is no row {row}")))
    }

    /// Poses of all bodies in a row.
    pub fn poses_at(&self, row: usize) -> Result<Vec<Pose<f64>>, Error> {
        let state = self.state(row)?;
        let model = self.replay.model();
        let mut poser = Poser::new(model);
        Ok(poser
            .poses(model, self.times[row], self.replay.positions(&state))
            .to_vec())
    }

    /// Poses as numbers for `count` rows from `first` on, every `step`-th; seven numbers for every body but the ground.
    pub fn frames(&self, first: usize, count: usize, step: usize) -> Result<Vec<f32>, Error> {
        let model = self.replay.model();
        let mut poser = Poser::new(model);
        let n_q = model.tree.n_q;
        let mut out = Vec::with_capacity(count * 7 * (model.bodies.len() - 1));
        let step = step.max(1);
        let last = self
            .times
            .len()
            .min(first.saturating_add((count.max(1) - 1).saturating_mul(step) + 1));
        let columns: Vec<usize> = self.table.state().take(n_q).collect();
        // Far apart, rows are read one by one; close together, all of them in pieces.
        let mut q = vec![0.0; n_q];
        if step > 64 {
            for row in (first..last).step_by(step) {
                let read = self
                    .table
                    .rows_at(&columns, row as u64..row as u64 + 1)
                    .map_err(usage)?;
                for (q, column) in q.iter_mut().zip(&read) {
                    *q = column.first().copied().unwrap_or(f64::NAN);
                }
                poser.append(model, self.times[row], &q, &mut out);
            }
            return Ok(out);
        }
        let piece = (1 << 20) / n_q.max(1) + 1;
        let mut from = first;
        while from < last {
            let to = last.min(from + piece);
            let read = self
                .table
                .rows_at(&columns, from as u64..to as u64)
                .map_err(usage)?;
            for row in (from..to).filter(|row| (row - first).is_multiple_of(step)) {
                for (q, column) in q.iter_mut().zip(&read) {
                    *q = column.get(row - from).copied().unwrap_or(f64::NAN);
                }
                poser.append(model, self.times[row], &q, &mut out);
            }
            from = to;
        }
        Ok(out)
    }

    /// The row whose time is nearest.
    pub fn row_at(&self, t: f64) -> usize {
        let after = self.times.partition_point(|own| *own < t);
        match after {
            0 => 0,
            after if after == self.times.len() => after - 1,
            after if t - self.times[after - 1] <= self.times[after] - t => after - 1,
            after => after,
        }
    }

    /// Values of channels in some rows, one list per channel: recorded ones are read, others follow from the state.
    pub fn channels(&self, names: &[&str], rows: &[usize]) -> Result<Vec<Vec<f64>>, Error> {
        let mut out = vec![Vec::new(); names.len()];
        let mut missing: Vec<usize> = Vec::new();
        for (place, name) in names.iter().enumerate() {
            match self
                .table
                .columns()
                .iter()
                .position(|column| column.name == *name)
            {
                Some(column) => out[place] = self.read(column, rows)?,
                None => missing.push(place),
            }
        }
        if !missing.is_empty() {
            let wanted: Vec<&str> = missing.iter().map(|place| names[*place]).collect();
            let computed = self.computed(&wanted, rows)?;
            for (place, values) in missing.into_iter().zip(computed) {
                out[place] = values;
            }
        }
        Ok(out)
    }

    fn read(&self, column: usize, rows: &[usize]) -> Result<Vec<f64>, Error> {
        if let [row] = rows {
            let read = self
                .table
                .rows_at(&[column], *row as u64..*row as u64 + 1)
                .map_err(usage)?;
            return Ok(read.into_iter().next().unwrap_or_default());
        }
        let all = self
            .table
            .columns_at(&[column])
            .map_err(usage)?
            .pop()
            .unwrap_or_default();
        Ok(rows
            .iter()
            .map(|row| all.get(*row).copied().unwrap_or(f64::NAN))
            .collect())
    }

    /// Values of channels in some rows from the states alone.
    pub fn computed(&self, names: &[&str], rows: &[usize]) -> Result<Vec<Vec<f64>>, Error> {
        let (selection, mut sampler) = select(&self.replay, names)?;
        let places: Vec<Option<usize>> = names.iter().map(|name| selection.column(name)).collect();
        let mut out = vec![Vec::with_capacity(rows.len()); names.len()];
        let mut values = vec![0.0; sampler.columns()];
        let mut at = 0;
        while at < rows.len() {
            // Rows that follow each other are read together.
            let close = rows[at..]
                .windows(2)
                .take_while(|pair| pair[1] > pair[0] && pair[1] - pair[0] <= 64);
            let mut last = at + close.take(4096).count();
            while last > at && (rows[last] - rows[at]) * self.replay.width() > 1 << 21 {
                last = at + (last - at) / 2;
            }
            let states = self.states(rows[at] as u64, (rows[last] - rows[at] + 1) as u64)?;
            for row in &rows[at..=last] {
                match states.get(row - rows[at]) {
                    Some(state) => sampler.sample(self.times[*row], state, &mut values),
                    None => values.fill(f64::NAN),
                }
                for (out, place) in out.iter_mut().zip(&places) {
                    out.push(place.map_or(f64::NAN, |place| values[place]));
                }
            }
            at = last + 1;
        }
        Ok(out)
    }

    /// All channels: those that are recorded first.
    pub fn catalogue(&self) -> Vec<(Column, bool)> {
        let recorded = self
            .table
            .columns()
            .iter()
            .skip(1)
            .map(|column| (column.clone(), true));
        let mut all: Vec<(Column, bool)> = recorded.collect();
        let known: std::collections::HashSet<String> =
            all.iter().map(|(column, _)| column.name.clone()).collect();
        for channel in self.replay.simulation().catalogue.channels() {
            if !known.contains(&channel.name) {
                all.push((
                    Column::new(&channel.name, &channel.unit, &channel.description),
                    false,
                ));
            }
        }
        all
    }
}

/// Channels by their exact names, with what evaluates them.
pub fn select(replay: &Replay, names: &[&str]) -> Result<(Selection, StateSampler), Error> {
    let simulation = replay.simulation();
    let selection = simulation.catalogue.select(names);
    let selection = selection.map_err(|error| Error::Usage(error.to_string()))?;
    let sampler = replay
        .sampler(&selection)
        .map_err(|error| Error::Usage(error.to_string()))?;
    Ok((selection, sampler))
}

/// The scene of a mechanism, with the meshes in a folder.
pub fn scene(replay: &Replay, folder: Option<&Path>) -> Scene {
    scene_of(replay.simulation(), replay.description(), folder)
}

/// The scene of a simulation, with the meshes in a folder.
pub fn scene_of(
    simulation: &Simulation,
    description: &holonom::multibody::Description,
    folder: Option<&Path>,
) -> Scene {
    let mut scene = Scene::new(description, &simulation.start.model);
    supply(&mut scene, folder);
    let start = &simulation.start;
    let mut poser = Poser::new(&start.model);
    scene.measure(poser.poses(&start.model, start.t, &start.q));
    scene
}
