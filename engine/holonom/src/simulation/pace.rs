//! What makes the steps of a run short: its fastest motion, and the force element behind it.

use super::Simulation;
use core::f64::consts::TAU;
use core::fmt;
use holonom_analysis::displacement_names;
use holonom_analysis::modes::{modes, state_of};
use holonom_multibody::start::Assembled;
use std::sync::Arc;

/// Velocities at most of mechanisms that are looked at: the eigenvalues of larger ones take too long.
const MOST_VELOCITIES: usize = 300;

/// Fewer steps say nothing about those that follow.
const TELLING: u64 = 10_000;

/// The fastest motion of a mechanism at its start.
#[derive(Clone, Debug, PartialEq)]
pub struct FastestMotion {
    /// Size of the eigenvalue over 2π, Hz.
    pub frequency: f64,
    /// Whether it oscillates; it creeps to rest otherwise.
    pub oscillates: bool,
    /// The coordinate that moves most, where it is one of a joint.
    pub coordinate: Option<String>,
    /// The force element without which it would be much slower.
    pub force: Option<String>,
}

impl fmt::Display for FastestMotion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.oscillates {
            true => "vibration",
            false => "decay",
        };
        write!(
            f,
            "the fastest motion at the start is a {kind} at {:.3e} Hz",
            self.frequency
        )?;
        if let Some(coordinate) = &self.coordinate {
            write!(f, " in {coordinate}")?;
        }
        if let Some(force) = &self.force {
            write!(f, ", caused by force \"{force}\"")?;
        }
        Ok(())
    }
}

impl FastestMotion {
    /// What helps against steps as short as this motion asks for.
    pub fn remedy(&self) -> String {
        let what = match &self.force {
            Some(force) => format!("correct the stiffness and damping of \"{force}\""),
            None => "correct the stiffnesses and masses involved".to_string(),
        };
        format!(
            "{what}, replace parts that are meant to be rigid by a joint, lock or constraint, or add \
             damping, so that `radau` and `bdf` need not resolve it"
        )
    }
}

/// A run that would take far more steps than anybody waits for, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Pace {
    /// Steps to the end, if they stay as long as so far.
    pub steps: f64,
    /// Their mean length so far, s.
    pub step: f64,
    /// The motion that asks for steps so short, where one does.
    pub motion: Option<FastestMotion>,
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "At the current step size of {:.2e} s, the whole run takes {:.1e} steps",
            self.step, self.steps
        )?;
        match &self.motion {
            Some(motion) => write!(f, ": {motion}; {}", motion.remedy()),
            None => write!(
                f,
                "; check for stiff contacts, stops and friction with narrow transitions, or loosen the tolerances"
            ),
        }
    }
}

impl Simulation {
    /// What is to be said of a run that has come to `t` in so many steps; none where as many as `most`
    /// would do for all of it, or where there were too few to tell.
    pub fn pace(&self, t: f64, steps: u64, most: u64) -> Option<Pace> {
        let (gone, span) = (t - self.start.t, self.t_end - self.start.t);
        if steps < TELLING || gone.is_nan() || gone >= span {
            return None;
        }
        let step = (gone / steps as f64).max(f64::MIN_POSITIVE);
        let all = span / step;
        if all <= most as f64 {
            return None;
        }
        // Methods follow a vibration with some tens of steps a period, and pass over what has decayed.
        let explains = |motion: &FastestMotion| (1e-3..10.0).contains(&(TAU * motion.frequency * step));
        Some(Pace {
            steps: all,
            step,
            motion: self.fastest_motion().filter(explains),
        })
    }

    /// The fastest motion at the start; none where it cannot be told, as in large mechanisms.
    pub fn fastest_motion(&self) -> Option<FastestMotion> {
        let start = &self.start;
        if start.model.tree.n_v > MOST_VELOCITIES {
            return None;
        }
        let found = modes(start, &state_of(start)).ok()?;
        let fastest = found
            .modes
            .iter()
            .max_by(|a, b| a.eigenvalue.abs().total_cmp(&b.eigenvalue.abs()))?;
        let size = fastest.eigenvalue.abs();
        let names = displacement_names(&start.model);
        Some(FastestMotion {
            frequency: size / TAU,
            oscillates: fastest.oscillates(),
            coordinate: fastest.shape.leading.and_then(|k| names.get(k).cloned()),
            force: culprit(start, size),
        })
    }
}

/// The force element that makes a motion of this rate, 1/s, by halving the set of those that may.
fn culprit(start: &Assembled, size: f64) -> Option<String> {
    let model = &start.model;
    // Sensors refer to force elements by their numbers.
    if !model.controls.is_empty() || !model.readings.is_empty() {
        return None;
    }
    let is_as_fast = |kept: &[usize]| {
        let mut with = (**model).clone();
        let mut number = 0;
        with.forces.retain(|force| {
            number += 1;
            !force.states.is_empty() || kept.contains(&(number - 1))
        });
        let with = Assembled {
            model: Arc::new(with),
            ..start.clone()
        };
        let found = modes(&with, &state_of(&with)).ok();
        let fastest = found.map(|found| {
            let sizes = found.modes.iter().map(|mode| mode.eigenvalue.abs());
            sizes.fold(0.0, f64::max)
        });
        fastest.is_some_and(|other| other > 0.5 * size)
    };
    if is_as_fast(&[]) {
        return None;
    }
    let stateless = (0..model.forces.len()).filter(|&k| model.forces[k].states.is_empty());
    let mut suspects: Vec<usize> = stateless.collect();
    while suspects.len() > 1 {
        let rest = suspects.split_off(suspects.len() / 2);
        if !is_as_fast(&suspects) {
            suspects = rest;
        }
    }
    let one = *suspects.first()?;
    is_as_fast(&[one]).then(|| model.forces[one].name.clone())
}
