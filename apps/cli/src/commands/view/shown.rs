//! What the page shows: a result, a run that goes on, or a position of a model.

use super::live::Live;
use crate::error::Error;
use crate::film::{self, Film, arrow_vectors_of, scene_json};
use holonom::simulation::Replay;
use holonom_scene::{Poser, Scene};
use serde_json::{Value, json};
use std::sync::Arc;

/// A model at rest in one position.
pub struct Still {
    pub replay: Replay,
    pub scene: Scene,
    pub q: Vec<f64>,
}

/// One of them.
#[derive(Clone)]
pub enum Shown {
    Film(Arc<Film>),
    Live(Arc<Live>),
    Still(Arc<Still>),
}

/// Most parts of a scene: browsers give up above some hundred thousand.
const MOST_PARTS: usize = 200_000;

/// The lowest and highest of values in so many groups.
fn reduced(times: &[f64], values: &[f64], points: usize) -> Value {
    let group = times.len().div_ceil(points.max(1)).max(1);
    let number = |x: f64| json!(x.is_finite().then_some(x));
    let (mut t, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
    for (times, values) in times.chunks(group).zip(values.chunks(group)) {
        let all_finite = values.iter().all(|x| x.is_finite());
        let fold = |pick: fn(f64, f64) -> f64| {
            let found = values.iter().copied().fold(f64::NAN, pick);
            if all_finite || group > 1 { found } else { f64::NAN }
        };
        t.push(number(times[0]));
        low.push(number(fold(f64::min)));
        high.push(number(fold(f64::max)));
    }
    json!({ "t": t, "low": low, "high": high })
}

impl Shown {
    fn replay(&self) -> &Replay {
        match self {
            Self::Film(film) => &film.replay,
            Self::Live(live) => &live.replay,
            Self::Still(still) => &still.replay,
        }
    }

    fn parts(&self) -> &Scene {
        match self {
            Self::Film(film) => &film.scene,
            Self::Live(live) => &live.scene,
            Self::Still(still) => &still.scene,
        }
    }

    /// The scene and its surfaces.
    pub fn scene(&self) -> Result<(Value, Vec<u8>), Error> {
        let scene = self.parts();
        if scene.parts.len() > MOST_PARTS {
            return Err(Error::Usage(format!(
                "`{}` has {} bodies with {} parts, but at most {MOST_PARTS} parts can be shown; view a part of the model",
                scene.name,
                scene.bodies.len() - 1,
                scene.parts.len()
            )));
        }
        let (mut value, binary) = match self {
            Self::Film(film) => film.json(),
            _ => scene_json(scene),
        };
        if !matches!(self, Self::Film(_)) {
            let full = self.has_channels();
            let channels = self.replay().simulation().catalogue.channels().filter(|_| full);
            let channels: Vec<Value> = channels
                .map(|c| json!({ "name": c.name, "unit": c.unit, "about": c.description, "recorded": false }))
                .collect();
            value["channels"] = json!(channels);
            value["arrows"] = match full {
                true => film::arrows_json(self.replay()),
                false => json!([]),
            };
        }
        Ok((value, binary))
    }

    /// The surfaces of the scene.
    pub fn meshes(&self) -> Vec<u8> {
        scene_json(self.parts()).1
    }

    /// Whether channels can be computed: not from positions alone.
    fn has_channels(&self) -> bool {
        match self {
            Self::Still(_) => false,
            Self::Film(_) => true,
            Self::Live(live) => live
                .state(0)
                .is_none_or(|(_, state)| state.len() == live.replay.width()),
        }
    }

    /// Times of the rows.
    pub fn times(&self) -> Vec<f64> {
        match self {
            Self::Film(film) => film.times.clone(),
            Self::Live(live) => live.times(),
            Self::Still(still) => vec![still.replay.simulation().start.t],
        }
    }

    /// Poses as numbers for `count` rows from `first` on, every `step`-th.
    pub fn frames(&self, first: usize, count: usize, step: usize) -> Result<Vec<f32>, Error> {
        match self {
            Self::Film(film) => film.frames(first, count, step),
            Self::Live(live) => Ok(live.frames(first, count, step)),
            Self::Still(still) => {
                let model = still.replay.model();
                let mut out = Vec::new();
                if first == 0 {
                    Poser::new(model).append(model, still.replay.simulation().start.t, &still.q, &mut out);
                }
                Ok(out)
            }
        }
    }

    /// A channel over time in about so many points.
    pub fn channel(&self, name: &str, points: usize) -> Result<Value, Error> {
        match self {
            Self::Film(film) => {
                let recorded = film.table.columns().iter().any(|column| column.name == name);
                let step = match recorded {
                    true => 1,
                    // Computed ones take their time: fewer rows.
                    false => film.times.len().div_ceil(points.max(1)).max(1),
                };
                let mut rows: Vec<usize> = (0..film.times.len()).step_by(step).collect();
                if rows.last() != Some(&(film.times.len() - 1)) {
                    rows.push(film.times.len() - 1);
                }
                let values = film.channels(&[name], &rows)?.pop().unwrap_or_default();
                let times: Vec<f64> = rows.iter().map(|row| film.times[*row]).collect();
                Ok(reduced(&times, &values, points))
            }
            Self::Live(live) if self.has_channels() => {
                let (_, mut sampler) = film::select(&live.replay, &[name])?;
                let (mut times, mut values) = (Vec::new(), Vec::new());
                let mut row = vec![0.0; sampler.columns()];
                for (t, state) in live.states(points) {
                    sampler.sample(t, &state, &mut row);
                    times.push(t);
                    values.push(row[0]);
                }
                Ok(reduced(&times, &values, points))
            }
            _ => Err(Error::Usage("there are no values yet: run the model".to_string())),
        }
    }

    /// Values of channels in one row.
    pub fn values(&self, row: usize, names: &[&str]) -> Result<Vec<f64>, Error> {
        match self {
            Self::Film(film) => {
                let row = row.min(film.times.len() - 1);
                let values = film.channels(names, &[row])?;
                Ok(values
                    .iter()
                    .map(|column| column.first().copied().unwrap_or(f64::NAN))
                    .collect())
            }
            Self::Live(live) if self.has_channels() => {
                let (selection, mut sampler) = film::select(&live.replay, names)?;
                let mut values = vec![f64::NAN; sampler.columns()];
                if let Some((t, state)) = live.state(row) {
                    sampler.sample(t, &state, &mut values);
                }
                Ok(names
                    .iter()
                    .map(|name| selection.column(name).map_or(f64::NAN, |k| values[k]))
                    .collect())
            }
            _ => Ok(vec![f64::NAN; names.len()]),
        }
    }

    /// Vectors of the arrows in a row.
    pub fn arrows(&self, row: usize) -> Result<Vec<f32>, Error> {
        match self {
            Self::Film(film) => film.arrow_vectors(row.min(film.times.len() - 1)),
            Self::Live(live) if self.has_channels() => match live.state(row) {
                Some((t, state)) => arrow_vectors_of(&live.replay, t, &state),
                None => Ok(Vec::new()),
            },
            _ => Ok(Vec::new()),
        }
    }

    /// Positions of a body along the motion, in about so many points.
    pub fn path(&self, body: usize, points: usize) -> Result<Vec<f32>, Error> {
        let count = self.times().len();
        let step = count.div_ceil(points.max(1)).max(1);
        let bodies = self.parts().bodies.len() - 1;
        if body == 0 || body > bodies {
            return Ok(Vec::new());
        }
        let mut out = Vec::new();
        let width = 7 * bodies;
        // In pieces, so that long runs of large mechanisms need little memory.
        let piece = ((4 << 20) / width.max(1)).max(1);
        let mut first = 0;
        while first < count {
            let frames = self.frames(first, piece.min((count - first).div_ceil(step)), step)?;
            if frames.is_empty() {
                break;
            }
            for row in frames.chunks_exact(width) {
                out.extend(&row[7 * (body - 1)..7 * (body - 1) + 3]);
            }
            first += frames.len() / width * step;
        }
        Ok(out)
    }
}
