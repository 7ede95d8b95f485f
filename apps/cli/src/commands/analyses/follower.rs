//! [`Follower`]: the equilibria of a sweep, on one branch.

use super::{failed, number};
use crate::error::Error;
use holonom::analysis::branch::{Branch, Jump, Lost, Point};
use holonom::analysis::statics::{Equilibrium, StaticsOptions, equilibrium};
use holonom::format::ModelFile;
use holonom::multibody::start::{Assembled, AssemblyOptions};
use std::sync::Arc;

/// At most this many jumps are listed one by one.
const LISTED: usize = 5;

/// The model with a value of what is swept.
type Model<'a> = &'a dyn Fn(f64) -> Result<ModelFile, Error>;

/// Follows the equilibria of a model while an input or a parameter changes.
pub struct Follower<'a> {
    start: &'a Assembled,
    name: &'a str,
    initial: f64,
    model: Model<'a>,
    /// None before the first point.
    branch: Option<Branch>,
    jumps: Vec<Jump>,
    notes: Vec<String>,
}

impl<'a> Follower<'a> {
    /// From the start of a model, at which the swept quantity has its initial value.
    pub fn new(start: &'a Assembled, name: &'a str, initial: f64, model: Model<'a>) -> Self {
        let mut notes = Vec::new();
        if start.rows.singular_start {
            notes.push(
                "the initial position is singular: several branches meet there, and the sweep follows one of them. \
                 Start away from it to choose the branch."
                    .to_string(),
            );
        }
        Self {
            start,
            name,
            initial,
            model,
            branch: None,
            jumps: Vec::new(),
            notes,
        }
    }

    /// The equilibrium at a value.
    pub fn go_to(&mut self, value: f64) -> Result<Equilibrium, Error> {
        let mut branch = match self.branch.take() {
            Some(branch) => branch,
            None => match self.begin(value) {
                Some(branch) => branch,
                None => {
                    let first = self.solve(value, &self.start.q, &AssemblyOptions::default());
                    let first = first.map_err(|error| match error {
                        Error::Failed(text) => self.at(value, &text),
                        other => other,
                    })?;
                    if value != self.initial {
                        self.notes.push(format!(
                            "{} = {} could not be reached continuously from the initial value {}; its equilibrium was \
                             found from the initial position and may be on another branch.",
                            self.name,
                            number(value),
                            number(self.initial)
                        ));
                    }
                    Branch::new(value, &first.rest.state.q)
                }
            },
        };
        let mut jumps = std::mem::take(&mut self.jumps);
        let mut solve = |at: f64, guess: &[f64]| self.next(at, guess);
        let result = branch.go_to(value, &mut solve, &mut jumps);
        self.jumps = jumps;
        let reached = branch.value();
        self.branch = Some(branch);
        match result {
            Ok(point) => Ok(point.rest),
            Err(lost) => {
                let why = match lost {
                    Lost::Failed(Error::Failed(text)) if reached == value => {
                        return Err(self.at(value, &text));
                    }
                    Lost::Failed(Error::Failed(text)) => text,
                    // The model is wrong with this value.
                    Lost::Failed(error) => return Err(error),
                    apart @ Lost::Apart { .. } => apart.to_string(),
                };
                Err(Error::Failed(format!(
                    "at {} = {}: the sweep cannot go on towards {}: {why}",
                    self.name,
                    number(reached),
                    number(value)
                )))
            }
        }
    }

    /// What the user should know of the way.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        for jump in self.jumps.iter().take(LISTED) {
            notes.push(format!(
                "between {} = {} and {} the equilibrium jumps by {:.3} (rad, or parts of the size of the mechanism): it \
                 becomes unstable or does not exist beyond.",
                self.name,
                number(jump.before),
                number(jump.after),
                jump.distance
            ));
        }
        if self.jumps.len() > LISTED {
            notes.push(format!("{} more jumps.", self.jumps.len() - LISTED));
        }
        notes
    }

    /// The branch at a value, followed from the initial one; none if it does not lead there.
    fn begin(&mut self, value: f64) -> Option<Branch> {
        let first = self.next(self.initial, &self.start.q).ok()?;
        let mut branch = Branch::new(self.initial, &first.rest.state.q);
        let mut jumps = Vec::new();
        let mut solve = |at: f64, guess: &[f64]| self.next(at, guess);
        branch.go_to(value, &mut solve, &mut jumps).ok()?;
        self.jumps.append(&mut jumps);
        Some(branch)
    }

    fn at(&self, value: f64, text: &str) -> Error {
        Error::Failed(format!("at {} = {}: {text}", self.name, number(value)))
    }

    /// The point at a value, next to some positions only.
    fn next(&self, value: f64, guess: &[f64]) -> Result<Point, Error> {
        let near = AssemblyOptions {
            other_starts: 0,
            ..AssemblyOptions::default()
        };
        self.solve(value, guess, &near)
    }

    fn solve(&self, value: f64, guess: &[f64], options: &AssemblyOptions) -> Result<Point, Error> {
        let model = Arc::new((self.model)(value)?.compile().map_err(Error::Model)?);
        let fits = guess.len() == model.q0.len();
        let options = AssemblyOptions {
            time: self.start.t,
            data_precision: self.start.data_precision,
            positions: fits.then(|| guess.to_vec()),
            ..options.clone()
        };
        let start = model
            .assemble(&options)
            .map_err(|error| Error::Failed(error.to_string()))?;
        let closed = start.q.clone();
        let rest = equilibrium(&start, &StaticsOptions::default()).map_err(|error| failed(&error))?;
        Ok(Point { closed, rest })
    }
}
