//! The rows of a run while it is computed.

use holonom::simulation::Replay;
use holonom_scene::{Poser, Scene};
use std::sync::{Mutex, PoisonError};

/// Numbers that are kept: when there are more, every second row is given up.
const MOST_NUMBERS: usize = 8 << 20;

/// States in memory, in order.
pub struct Live {
    /// The mechanism.
    pub replay: Replay,
    /// What is seen.
    pub scene: Scene,
    rows: Mutex<Rows>,
}

#[derive(Default)]
struct Rows {
    times: Vec<f64>,
    states: Vec<f64>,
    width: usize,
    /// One of so many rows is kept.
    stride: usize,
    /// Rows until the next that is kept.
    skip: usize,
}

impl Live {
    /// No rows yet; `width` numbers of every state are kept.
    pub fn new(replay: Replay, scene: Scene, width: usize) -> Self {
        let rows = Rows {
            width,
            stride: 1,
            ..Rows::default()
        };
        Self {
            replay,
            scene,
            rows: Mutex::new(rows),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a row.
    pub fn push(&self, t: f64, state: &[f64]) {
        let mut rows = self.lock();
        if rows.skip > 0 {
            rows.skip -= 1;
            return;
        }
        rows.skip = rows.stride - 1;
        let width = rows.width;
        rows.times.push(t);
        rows.states.extend_from_slice(&state[..width]);
        if rows.states.len() > MOST_NUMBERS && rows.times.len() > 2 {
            rows.halve();
        }
    }

    /// Times of the rows so far.
    pub fn times(&self) -> Vec<f64> {
        self.lock().times.clone()
    }

    /// Poses as numbers.
    pub fn frames(&self, first: usize, count: usize, step: usize) -> Vec<f32> {
        let model = self.replay.model();
        let n_q = model.tree.n_q;
        let picked: Vec<(f64, Vec<f64>)> = {
            let rows = self.lock();
            let places = (0..count)
                .map(|k| first + k * step.max(1))
                .take_while(|row| *row < rows.times.len());
            places
                .map(|row| (rows.times[row], rows.state(row)[..n_q].to_vec()))
                .collect()
        };
        let mut poser = Poser::new(model);
        let mut out = Vec::new();
        for (t, q) in picked {
            poser.append(model, t, &q, &mut out);
        }
        out
    }

    /// Times and states of about this many rows.
    pub fn states(&self, points: usize) -> Vec<(f64, Vec<f64>)> {
        let rows = self.lock();
        let step = rows.times.len().div_ceil(points.max(1)).max(1);
        let places = (0..rows.times.len()).step_by(step);
        places
            .map(|row| (rows.times[row], rows.state(row).to_vec()))
            .collect()
    }

    /// One state, or the last.
    pub fn state(&self, row: usize) -> Option<(f64, Vec<f64>)> {
        let rows = self.lock();
        let row = row.min(rows.times.len().checked_sub(1)?);
        Some((rows.times[row], rows.state(row).to_vec()))
    }
}

impl Rows {
    fn state(&self, row: usize) -> &[f64] {
        &self.states[row * self.width..(row + 1) * self.width]
    }

    fn halve(&mut self) {
        let kept = self.times.len().div_ceil(2);
        for row in 0..kept {
            self.times[row] = self.times[2 * row];
            self.states
                .copy_within(2 * row * self.width..(2 * row + 1) * self.width, row * self.width);
        }
        // The next row continues the grid.
        self.skip += if self.times.len().is_multiple_of(2) {
            0
        } else {
            self.stride
        };
        self.times.truncate(kept);
        self.states.truncate(kept * self.width);
        self.stride *= 2;
    }
}
