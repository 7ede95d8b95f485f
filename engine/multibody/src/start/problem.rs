//! [`StartProblem`]: which initial values are kept, and on which branch loops close.
//!
//! Coordinates that share constraints form a part, and parts are settled by themselves. What no constraint
//! touches does not move. In each part the values that are stated are held first, and the others move. Where that
//! does not close the loops, stated values move as well, as little as possible; fixed ones never do.
//!
//! Values of cut joints, which are no coordinates, are rows of their own; so are hints, from which a guess
//! is made before loops are closed. A third kind of row vanishes only on the branch that a joint means, see
//! [`StartRow`](crate::elements::constraints::StartRow): with them loops are closed where those of the joint lead
//! elsewhere.

mod close;
mod moves;
mod velocities;

use super::blocks::columns;
use super::closure::Closure;
use super::error::AssemblyOptions;
use crate::description::Hold;
use crate::elements::constraints::RowLevel;
use crate::elements::constraints::{ConstraintElement, Pair};
use crate::model::{CutStart, Model, ModelConstraint, ModelRow};
use core::ops::Range;
use std::sync::Arc;

/// How much more freely positions and velocities move that are not stated, next to stated ones; powers of two, so
/// that they change nothing where all are alike. Closing is damped by what is open, and would not move stated
/// positions any more with a larger one.
const FREE: [f64; 2] = [4.0, 128.0];

/// Which values move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tier {
    /// Those that are not stated.
    Kept,
    /// Stated ones, too.
    Least,
    /// All: to tell what fixed values would have to be.
    Unfixed,
}

/// Coordinates that share constraints.
#[derive(Clone, Debug, Default)]
struct Part {
    /// Velocities, increasing.
    columns: Vec<usize>,
    /// All rows of the mechanism, increasing.
    rows: Vec<usize>,
    /// Those on positions.
    holonomic: Vec<usize>,
    /// Constraints that have several branches.
    branched: Vec<usize>,
    /// Numbers of the values of cut joints.
    values: Vec<usize>,
}

/// A value of a cut joint, or a hint, with the numbers of its rows.
#[derive(Clone, Debug)]
struct Value {
    start: CutStart,
    rows: Range<usize>,
}

/// Memory to settle a start.
#[derive(Clone, Debug)]
pub(super) struct StartProblem {
    /// Of the mechanism with the rows of the start problem behind its own.
    closure: Closure,
    /// Number of rows of the mechanism.
    own: usize,
    /// For each row of the mechanism the one that vanishes on its branch only.
    twins: Vec<usize>,
    parts: Vec<Part>,
    /// How firmly positions and velocities are meant.
    holds: [Vec<Hold>; 2],
    /// Values of cut joints.
    values: Vec<Value>,
    hints: Vec<Value>,
    /// Positions of parts with stated values that moved.
    released: Vec<bool>,
}

impl StartProblem {
    /// For a mechanism as measured by `base`.
    pub fn new(base: &Closure, q: &[f64], options: &AssemblyOptions) -> Self {
        let model = &base.model;
        let own = model.rows.len();
        let mut extended = Model::clone(model);
        let mut twins: Vec<usize> = (0..own).collect();
        for constraint in &model.constraints {
            let ConstraintElement::Pair(pair) = &constraint.element else {
                continue;
            };
            if !pair.has_branches() {
                continue;
            }
            let rows = pair.rows.iter().map(|row| pair.on_branch(*row)).collect();
            let twin = ModelConstraint {
                element: ConstraintElement::Pair(Pair { rows, ..pair.clone() }),
                ..constraint.clone()
            };
            let rows = append(&mut extended, twin);
            twins[constraint.rows.clone()]
                .iter_mut()
                .zip(rows)
                .for_each(|(twin, row)| *twin = row);
        }
        // Positions that are given instead of the described ones replace what is said of these.
        let [positions, velocities] = [&options.positions, &options.velocities].map(Option::is_some);
        let mut add = |start: &CutStart| {
            let replaced = if start.rate { velocities } else { positions };
            (!replaced).then(|| Value {
                rows: append(&mut extended, start.constraint.clone()),
                start: start.clone(),
            })
        };
        let values: Vec<Value> = model.start.cuts.iter().filter_map(&mut add).collect();
        let hints: Vec<Value> = model.start.hints.iter().filter_map(&mut add).collect();
        extended.needs_world |= !hints.is_empty();
        let known = |replaced: bool, holds: &[Hold]| match replaced {
            true => vec![Hold::Stated; model.tree.n_v],
            false => holds.to_vec(),
        };
        let holds = [
            known(positions, &model.start.positions),
            known(velocities, &model.start.velocities),
        ];
        let parts = parts(model, &values);
        let mut closure = Closure::new(Arc::new(extended), options.time, q, options.data_precision);
        closure.measure_as(base);
        Self {
            closure,
            own,
            twins,
            released: vec![false; parts.len()],
            parts,
            holds,
            values,
            hints,
        }
    }

    /// Lets values move that no constraint touches, where they are not stated.
    fn free_untouched(&mut self, level: usize) {
        let hints = self.hints.iter().map(|hint| &hint.start.constraint);
        let columns: Vec<usize> = hints
            .flat_map(|hint| columns(&self.closure.model, hint))
            .collect();
        for j in columns {
            if self.holds[level][j] == Hold::Free {
                self.closure.freedom[j] = FREE[level];
            }
        }
    }

    /// Lets the values of some parts move, and no others.
    fn hold(&mut self, level: usize, parts: &[usize], tier: Tier) {
        self.closure.freedom.fill(0.0);
        for &p in parts {
            self.hold_part(level, p, tier);
        }
    }

    fn hold_tiers(&mut self, level: usize, tiers: &[Tier]) {
        self.closure.freedom.fill(0.0);
        for (p, &tier) in tiers.iter().enumerate() {
            self.hold_part(level, p, tier);
        }
    }

    fn hold_part(&mut self, level: usize, p: usize, tier: Tier) {
        for &j in &self.parts[p].columns {
            self.closure.freedom[j] = match (self.holds[level][j], tier) {
                (Hold::Fixed, Tier::Unfixed) => 1.0,
                (Hold::Fixed, _) | (Hold::Stated, Tier::Kept) => 0.0,
                (Hold::Stated, _) => 1.0,
                (Hold::Free, _) => FREE[level],
            };
        }
    }

    /// Rows on positions to be closed, or those that vanish on the meant branch only.
    fn rows_of(&self, parts: &[usize], tier: Tier, twins: bool) -> Vec<usize> {
        let own = parts.iter().flat_map(|&p| &self.parts[p].holonomic);
        let mut rows: Vec<usize> = own.map(|&i| if twins { self.twins[i] } else { i }).collect();
        for &p in parts {
            rows.extend(self.value_rows(p, false, |hold| counts(hold, tier)));
        }
        rows.sort_unstable();
        rows
    }

    /// The rows with those of stated values of cut joints; empty where there are none.
    fn with_stated(&self, p: usize, rows: &[usize]) -> Vec<usize> {
        let stated = self.value_rows(p, false, |hold| hold == Hold::Stated);
        if stated.is_empty() {
            return stated;
        }
        rows.iter().copied().chain(stated).collect()
    }

    /// Rows of the values of a part on positions or velocities.
    fn value_rows(&self, p: usize, rate: bool, wanted: impl Fn(Hold) -> bool) -> Vec<usize> {
        let own = self.parts[p].values.iter().map(|&number| &self.values[number]);
        let wanted = own.filter(|value| value.start.rate == rate && wanted(value.start.hold));
        wanted.flat_map(|value| value.rows.clone()).collect()
    }

    /// Whether a part has values that are meant that firmly.
    fn says(&self, p: usize, level: usize, hold: Hold) -> bool {
        let part = &self.parts[p];
        let values = part.values.iter().map(|&number| &self.values[number].start);
        part.columns.iter().any(|&j| self.holds[level][j] == hold)
            || values
                .filter(|value| value.rate == (level == 1))
                .any(|value| value.hold == hold)
    }
}

/// Whether a value of a cut joint is a condition.
fn counts(hold: Hold, tier: Tier) -> bool {
    match tier {
        Tier::Kept => hold != Hold::Free,
        Tier::Least => hold == Hold::Fixed,
        Tier::Unfixed => false,
    }
}

/// Adds a constraint and gives the numbers of its rows.
fn append(model: &mut Model, mut constraint: ModelConstraint) -> Range<usize> {
    let (number, first) = (model.constraints.len(), model.rows.len());
    for row in constraint.element.row_names() {
        model.rows.push(ModelRow {
            name: format!("{}.{row}", constraint.name),
            constraint: number,
            level: RowLevel::Holonomic,
        });
    }
    constraint.rows = first..model.rows.len();
    model.constraints.push(constraint);
    first..model.rows.len()
}

/// Constraints, and values of cut joints, grouped by the coordinates they share.
fn parts(model: &Model, values: &[Value]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut add = |mut part: Part| {
        parts.retain_mut(|other| {
            let shares = other.columns.iter().any(|j| part.columns.contains(j));
            if shares {
                part.columns.append(&mut other.columns);
                part.rows.append(&mut other.rows);
                part.branched.append(&mut other.branched);
                part.values.append(&mut other.values);
            }
            !shares
        });
        part.columns.sort_unstable();
        part.columns.dedup();
        parts.push(part);
    };
    for (number, constraint) in model.constraints.iter().enumerate() {
        let branched = matches!(&constraint.element, ConstraintElement::Pair(pair) if pair.has_branches());
        add(Part {
            columns: columns(model, constraint),
            rows: constraint.rows.clone().collect(),
            branched: if branched { vec![number] } else { Vec::new() },
            ..Part::default()
        });
    }
    for (number, value) in values.iter().enumerate() {
        add(Part {
            columns: columns(model, &value.start.constraint),
            values: vec![number],
            ..Part::default()
        });
    }
    for part in &mut parts {
        part.rows.sort_unstable();
        part.branched.sort_unstable();
        part.values.sort_unstable();
        let holonomic = |i: &usize| model.rows[*i].level == RowLevel::Holonomic;
        part.holonomic = part.rows.iter().copied().filter(holonomic).collect();
    }
    parts
}
