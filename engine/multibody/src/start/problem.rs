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

use super::assembly::{AssemblyError, AssemblyOptions, Level, MovedCoordinate};
use super::border::Border;
use super::closure::{Closure, exceeds, moved};
use super::open::open_loops;
use super::redundancy::Random;
use super::report::RowReport;
use crate::description::Hold;
use crate::elements::constraints::{ConstraintElement, Pair};
use crate::model::{CutStart, Model, ModelConstraint, ModelRow, RowLevel};
use crate::tree::Node;
use core::ops::Range;
use holonom_dae::Rejection;
use std::sync::Arc;

/// How much more freely positions and velocities move that are not stated, next to stated ones; powers of two, so
/// that they change nothing where all are alike. Closing is damped by what is open, and would not move stated
/// positions any more with a larger one.
const FREE: [f64; 2] = [4.0, 128.0];

/// What is left of G v + g_t, relative to the velocities, that is still rounding.
const VELOCITY_TOLERANCE: f64 = 1e-9;

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

    /// Closes all loops as well as the data allow. Gives the largest gap.
    pub fn close(&mut self, q: &mut Vec<f64>, options: &AssemblyOptions) -> Result<f64, AssemblyError> {
        let all = self.closure.holonomic();
        let all: Vec<usize> = all.into_iter().filter(|&i| i < self.own).collect();
        let enough = Border::new(options.data_precision).enough();
        if !options.assemble {
            return self.check(q, &all, options.check_tolerance, enough);
        }
        self.follow_hints(q, Tier::Kept);
        let given = q.clone();
        let mut open: Vec<usize> = (0..self.parts.len()).collect();
        for tier in [Tier::Kept, Tier::Least] {
            let (mut now, mut later): (Vec<usize>, Vec<usize>) = (open, Vec::new());
            if tier == Tier::Kept {
                (now, later) = now.into_iter().partition(|&p| self.says(p, 0, Hold::Stated));
            }
            if now.is_empty() {
                open = later;
                continue;
            }
            let mut there = given.clone();
            if tier == Tier::Least {
                self.follow_hints(&mut there, tier);
            }
            let from = there.clone();
            self.hold(0, &now, tier);
            let rows = self.rows_of(&now, tier, false);
            let _ = self.closure.close(&mut there, &rows, options.tolerance, enough);
            let mut left = Vec::new();
            for &p in &now {
                if self.is_closed(p, &there, tier, (options.tolerance, enough)) {
                    self.take(p, &there, q);
                    self.released[p] = tier == Tier::Least && self.says(p, 0, Hold::Stated);
                } else {
                    left.push(p);
                }
            }
            for p in left {
                match self.close_alone(p, &from, tier, enough, options) {
                    Ok(there) => {
                        self.take(p, &there, q);
                        self.released[p] = tier == Tier::Least && self.says(p, 0, Hold::Stated);
                    }
                    Err(_) if tier == Tier::Kept => later.push(p),
                    Err(best) => return Err(self.cannot(p, &from, &best, enough, options)),
                }
            }
            open = later;
        }
        let gaps = self.closure.gaps(q);
        Ok(self.closure.largest_gap(&gaps, &all))
    }

    /// Without assembly, positions fit or they are refused.
    fn check(&mut self, q: &[f64], all: &[usize], tolerance: f64, enough: f64) -> Result<f64, AssemblyError> {
        let gaps = self.closure.gaps(q);
        let gap = self.closure.largest_gap(&gaps, all);
        if gap > tolerance.max(enough) {
            return Err(AssemblyError::Inconsistent {
                level: Level::Position,
                loops: open_loops(&self.closure, &gaps, all, Level::Position, tolerance),
            });
        }
        let parts: Vec<usize> = (0..self.parts.len()).collect();
        match self.turned_over(&parts, q) {
            joints if joints.is_empty() => Ok(gap),
            joints => Err(AssemblyError::TurnedOver { joints }),
        }
    }

    /// Closes a part by itself, from other starts as well when it does not go from the given one; the
    /// best of what was found where it stays open.
    fn close_alone(
        &mut self,
        p: usize,
        from: &[f64],
        tier: Tier,
        enough: f64,
        options: &AssemblyOptions,
    ) -> Result<Vec<f64>, Vec<f64>> {
        self.hold(0, &[p], tier);
        let rows = self.rows_of(&[p], tier, false);
        let twins = self.rows_of(&[p], tier, true);
        let rough = match tier {
            Tier::Kept => Vec::new(),
            _ => self.with_stated(p, &twins),
        };
        let mut best: Option<(f64, Vec<f64>)> = None;
        let mut random = Random(3);
        for start in 0..=options.other_starts {
            // Farther and farther away.
            let far = start as f64 / FARTHER;
            let mut step: Vec<f64> = self
                .closure
                .unit
                .iter()
                .map(|unit| unit * random.next())
                .collect();
            let held = step.iter_mut().zip(&self.closure.freedom);
            held.filter(|(_, freedom)| **freedom == 0.0)
                .for_each(|(x, _)| *x = 0.0);
            let there = moved(&self.closure.model, from, &step, far);
            // Where stated values leave too little, no other start closes it.
            if start > 0 && tier == Tier::Kept {
                let free = self.closure.linearise(&there).is_ok() && self.closure.is_free_enough(&rows);
                if !free {
                    break;
                }
            }
            for way in 0..3 {
                let mut there = there.clone();
                match way {
                    // What the rows of cut joints say counts as a guess.
                    0 if rough.is_empty() => continue,
                    0 => {
                        let _ = self.closure.close(&mut there, &rough, options.tolerance, enough);
                    }
                    1 => {}
                    _ if twins == rows => continue,
                    _ => {
                        let _ = self.closure.close(&mut there, &twins, options.tolerance, enough);
                    }
                }
                let _ = self.closure.close(&mut there, &rows, options.tolerance, enough);
                if self.is_closed(p, &there, tier, (options.tolerance, enough)) {
                    return Ok(there);
                }
                let gaps = self.closure.gaps(&there);
                // All of it, not the largest row: gaps turn with the axes they are measured in.
                let gap = rows
                    .iter()
                    .map(|&i| (gaps[i] / self.closure.gap_scale[i]).powi(2));
                let gap = gap.sum::<f64>();
                let gap = if gap.is_finite() { gap } else { f64::INFINITY };
                if best.as_ref().is_none_or(|(least, _)| gap < *least) {
                    best = Some((gap, there));
                }
            }
        }
        Err(best.map_or_else(|| from.to_vec(), |(_, q)| q))
    }

    /// Why a part does not close; `best` is where its gaps are smallest.
    fn cannot(
        &mut self,
        p: usize,
        from: &[f64],
        best: &[f64],
        enough: f64,
        options: &AssemblyOptions,
    ) -> AssemblyError {
        let gaps = self.closure.gaps(best);
        let rows = self.parts[p].holonomic.clone();
        let mut loops = open_loops(&self.closure, &gaps, &rows, Level::Position, options.tolerance);
        if self.says(p, 0, Hold::Fixed)
            && let Ok(there) = self.close_alone(p, from, Tier::Unfixed, enough, options)
        {
            let fixed = self.fixed_changes(p, from, &there);
            if loops.is_empty() {
                // The loops are closed; a value of a cut joint is not as it should.
                let values = self.value_rows(p, false, |hold| hold == Hold::Fixed);
                loops = open_loops(&self.closure, &gaps, &values, Level::Position, options.tolerance);
            }
            let level = Level::Position;
            return AssemblyError::Fixed { level, fixed, loops };
        }
        let joints = self.turned_over(&[p], best);
        let gap = self.closure.largest_gap(&gaps, &rows);
        if gap <= enough && !joints.is_empty() {
            return AssemblyError::TurnedOver { joints };
        }
        AssemblyError::CannotClose { loops }
    }

    /// Closes the rows that take part, where all of them together cannot be closed: from the given positions,
    /// so that the start moves no farther than it must, or from those where all are nearly closed.
    pub fn close_chosen(
        &mut self,
        given: &[f64],
        q: &mut Vec<f64>,
        rows: &RowReport,
        options: &AssemblyOptions,
    ) -> Result<(), AssemblyError> {
        let all = self.closure.holonomic();
        let all: Vec<usize> = all.into_iter().filter(|&i| i < self.own).collect();
        let kept: Vec<usize> = all
            .iter()
            .copied()
            .filter(|row| rows.active.contains(row))
            .collect();
        if !options.assemble {
            let gaps = self.closure.gaps(q);
            let level = Level::Position;
            let loops = open_loops(&self.closure, &gaps, &kept, level, options.check_tolerance);
            return if loops.is_empty() {
                Ok(())
            } else {
                Err(AssemblyError::Inconsistent { level, loops })
            };
        }
        let enough = Border::new(options.data_precision).enough().max(rows.noise);
        let parts: Vec<usize> = (0..self.parts.len()).collect();
        for released in [false, true] {
            self.hold(0, &parts, if released { Tier::Least } else { Tier::Kept });
            for j in 0..self.closure.freedom.len() {
                let p = self.parts.iter().position(|p| p.columns.contains(&j));
                if !released && p.is_some_and(|p| self.released[p]) && self.holds[0][j] == Hold::Stated {
                    self.closure.freedom[j] = 1.0;
                }
            }
            let mut with_values = kept.clone();
            for p in 0..self.parts.len() {
                let tier = if released || self.released[p] {
                    Tier::Least
                } else {
                    Tier::Kept
                };
                with_values.extend(self.value_rows(p, false, |hold| counts(hold, tier)));
            }
            for start in [given.to_vec(), q.clone()] {
                let mut there = start;
                let closed =
                    self.closure
                        .close(&mut there, &with_values, options.tolerance, options.tolerance);
                if closed.is_ok() {
                    let gaps = self.closure.gaps(&there);
                    if self.closure.largest_gap(&gaps, &all) <= enough
                        && self.turned_over(&parts, &there).is_empty()
                    {
                        *q = there;
                        return Ok(());
                    }
                }
            }
        }
        // Next to a singular position errors of the data may leave no position that closes even these.
        if rows.singular_start {
            return Ok(());
        }
        let gaps = self.closure.gaps(q);
        Err(AssemblyError::CannotClose {
            loops: open_loops(&self.closure, &gaps, &all, Level::Position, options.tolerance),
        })
    }

    /// Makes velocities fit.
    pub fn fit_velocities(
        &mut self,
        q: &[f64],
        v: &mut Vec<f64>,
        chosen: &RowReport,
        options: &AssemblyOptions,
    ) -> Result<(), AssemblyError> {
        let all: Vec<usize> = (0..self.own).collect();
        let level = Level::Velocity;
        let rates = self.closure.velocity_gaps(q, &vec![0.0; v.len()]);
        let rates = self.closure.largest_gap(&rates, &all);
        if !options.assemble {
            let rest = self.closure.velocity_gaps(q, v);
            let size = 1.0 + self.closure.largest_step(v) + rates;
            let tolerance = options.check_tolerance.max(chosen.noise) * size;
            let loops = open_loops(&self.closure, &rest, &all, level, tolerance);
            return if loops.is_empty() {
                Ok(())
            } else {
                Err(AssemblyError::Inconsistent { level, loops })
            };
        }
        let mut targets = vec![0.0; self.closure.model.rows.len()];
        for value in self
            .values
            .iter()
            .chain(&self.hints)
            .filter(|value| value.start.rate)
        {
            targets[value.rows.clone()].copy_from_slice(&value.start.values);
        }
        let given = v.clone();
        let rejected = AssemblyError::Rejected;
        let everywhere: Vec<usize> = (0..self.parts.len()).collect();
        let hinted = self.hints.iter().filter(|hint| hint.start.rate);
        let hinted: Vec<usize> = hinted.flat_map(|hint| hint.rows.clone()).collect();
        if !hinted.is_empty() {
            self.hold(1, &everywhere, Tier::Kept);
            self.free_untouched(1);
            self.closure
                .project_velocities(q, v, &hinted, &targets)
                .map_err(rejected)?;
        }
        let mut tiers = vec![Tier::Kept; self.parts.len()];
        let guess = v.clone();
        loop {
            v.copy_from_slice(&guess);
            self.hold_tiers(1, &tiers);
            let mut rows = chosen.active.clone();
            let mut rough = rows.clone();
            for (p, &tier) in tiers.iter().enumerate() {
                rows.extend(self.value_rows(p, true, |hold| counts(hold, tier)));
                rough.extend(self.value_rows(p, true, |hold| hold != Hold::Free));
            }
            if rough.len() > rows.len() {
                self.closure
                    .project_velocities(q, v, &rough, &targets)
                    .map_err(rejected)?;
            }
            let mut rest = self
                .closure
                .project_velocities(q, v, &rows, &targets)
                .map_err(rejected)?;
            // Values of cut joints that do not count leave nothing to satisfy.
            for i in self.own..rest.len() {
                if !rows.contains(&i) {
                    rest[i] = 0.0;
                }
            }
            let size = 1.0 + self.closure.largest_step(v) + rates;
            let exact = VELOCITY_TOLERANCE * size;
            let open = |i: usize, closure: &Closure| {
                let limit = match chosen.active.binary_search(&i).is_ok() || i >= self.own {
                    true => exact,
                    false => exact.max(chosen.noise * size),
                };
                exceeds(rest[i] / closure.gap_scale[i], limit)
            };
            let mut raised = false;
            let mut broken = None;
            for p in 0..self.parts.len() {
                let own = self.parts[p].rows.iter().copied();
                let values = self.value_rows(p, true, |hold| counts(hold, tiers[p]));
                if !own.chain(values).any(|i| open(i, &self.closure)) {
                    continue;
                }
                match tiers[p] {
                    Tier::Kept => (tiers[p], raised) = (Tier::Least, true),
                    _ => broken = broken.or(Some(p)),
                }
            }
            if raised {
                continue;
            }
            let Some(p) = broken else {
                return Ok(());
            };
            let loops = open_loops(&self.closure, &rest, &all, level, exact.max(chosen.noise * size));
            if self.says(p, 1, Hold::Fixed) && tiers[p] == Tier::Least {
                // What they would have to be.
                let mut freed = guess.clone();
                tiers[p] = Tier::Unfixed;
                self.hold_tiers(1, &tiers);
                let left = self
                    .closure
                    .project_velocities(q, &mut freed, &chosen.active, &targets)
                    .map_err(rejected)?;
                let own = self.parts[p].rows.iter();
                let closed = |i: &usize| {
                    !exceeds(
                        left[*i] / self.closure.gap_scale[*i],
                        exact.max(chosen.noise * size),
                    )
                };
                if own.clone().all(closed) {
                    let fixed = self.fixed_rates(p, q, &given, &freed);
                    let fixed_rows = self.value_rows(p, true, |hold| hold == Hold::Fixed);
                    let loops = match loops.is_empty() {
                        true => open_loops(&self.closure, &rest, &fixed_rows, level, exact),
                        false => loops,
                    };
                    return Err(AssemblyError::Fixed { level, fixed, loops });
                }
            }
            let loops = match loops.is_empty() {
                // Rows that take part are asked for more.
                true => open_loops(&self.closure, &rest, &chosen.active, level, exact),
                false => loops,
            };
            return Err(AssemblyError::Contradiction { level, loops });
        }
    }

    /// At a singular position, makes the velocities tangent to a branch. Stated ones are kept where a branch allows
    /// it; otherwise the velocities along the branch are as near to them as possible, with no more energy.
    pub fn follow_branches(
        &mut self,
        q: &[f64],
        v: &mut Vec<f64>,
        given: &[f64],
        chosen: &RowReport,
    ) -> Result<(), Rejection> {
        for p in 0..self.parts.len() {
            let rows = self.parts[p].rows.clone();
            let active: Vec<usize> = rows
                .iter()
                .copied()
                .filter(|i| chosen.active.contains(i))
                .collect();
            let kept = v.clone();
            let is_stated = self.says(p, 1, Hold::Stated) || self.says(p, 1, Hold::Fixed);
            if is_stated {
                self.hold(1, &[p], Tier::Kept);
                let columns = self.parts[p].columns.iter();
                let as_stated = columns
                    .clone()
                    .all(|&j| self.holds[1][j] == Hold::Free || v[j] == given[j]);
                if as_stated && self.closure.follow_branch(&rows, q, v)? {
                    let rest = self.closure.project_velocities(q, v, &active, &[])?;
                    let size = 1.0 + self.closure.largest_step(v);
                    if self.closure.largest_gap(&rest, &active) <= VELOCITY_TOLERANCE * size {
                        continue;
                    }
                }
                v.copy_from_slice(&kept);
            }
            self.hold(1, &[p], Tier::Least);
            self.closure.follow_branch(&rows, q, v)?;
            self.closure.project_velocities(q, v, &active, &[])?;
            if *v == kept {
                continue;
            }
            // Along the branch, as far as the stated velocities reach in the metric of M.
            let standing = self.closure.velocity_gaps(q, &vec![0.0; v.len()]);
            let moves = rows.iter().any(|&i| standing[i] != 0.0);
            let fixed = self.says(p, 1, Hold::Fixed);
            if moves || fixed {
                continue;
            }
            let meant = |j: &usize| !is_stated || self.holds[1][*j] != Hold::Free;
            let columns: Vec<usize> = self.parts[p].columns.iter().copied().filter(meant).collect();
            let [along, square] = [given, v.as_slice()].map(|x| self.closure.product(q, &columns, x, v));
            if square > 0.0 {
                let part = along / square;
                for &j in &self.parts[p].columns {
                    v[j] *= part;
                }
            }
        }
        Ok(())
    }

    /// Whether a position is stated, by its number.
    pub fn is_stated_position(&self, i: usize) -> bool {
        let nodes = self.closure.model.tree.nodes.iter();
        let own = |node: &&Node| node.n_v() > 0 && (node.q..node.q + node.n_q()).contains(&i);
        nodes.filter(own).any(|node| self.holds[0][node.v] != Hold::Free)
    }

    /// Whether a velocity is stated.
    pub fn is_stated_velocity(&self, i: usize) -> bool {
        self.holds[1][i] != Hold::Free
    }

    /// Stated values of cut joints that are not as stated.
    pub fn value_moves(&mut self, rate: bool, q: &[f64], v: &[f64]) -> Vec<MovedCoordinate> {
        let gaps = match rate {
            false => self.closure.gaps(q),
            true => self.closure.velocity_gaps(q, v),
        };
        let own = self.values.iter().filter(|value| value.start.rate == rate);
        let changes = own.flat_map(|value| self.value_changes(value, &gaps));
        let moved = |(row, change): &(usize, MovedCoordinate)| {
            let unit = self.closure.gap_scale[*row];
            exceeds(change.to - change.from, 10.0 * NOT_MOVED * unit)
        };
        changes.filter(moved).map(|(_, change)| change).collect()
    }

    /// What the rows of a value say of it: the row, and the change.
    fn value_changes(&self, value: &Value, gaps: &[f64]) -> Vec<(usize, MovedCoordinate)> {
        let CutStart {
            values,
            factor,
            rate,
            constraint,
            ..
        } = &value.start;
        let axes = ["x", "y", "z"];
        let several = value.rows.len() > 1;
        let change = |(k, row): (usize, usize)| {
            let name = match several {
                true => format!("{}.{}", constraint.name, axes[k % 3]),
                false => constraint.name.clone(),
            };
            let stated = values.get(k).copied().unwrap_or(0.0);
            let (from, to) = match rate {
                true => (stated / factor, gaps[row] / factor),
                false => (stated, stated + gaps[row] / factor),
            };
            (
                row,
                MovedCoordinate {
                    name,
                    from,
                    to,
                    stated: true,
                },
            )
        };
        value.rows.clone().enumerate().map(change).collect()
    }

    /// Fixed positions of a part that would have to change.
    fn fixed_changes(&mut self, p: usize, from: &[f64], to: &[f64]) -> Vec<MovedCoordinate> {
        let model = self.closure.model.clone();
        let mut fixed = Vec::new();
        for node in model.tree.nodes.iter().filter(|node| node.n_v() > 0) {
            let own = self.parts[p].columns.contains(&node.v) && self.holds[0][node.v] == Hold::Fixed;
            let limit = NOT_MOVED * self.closure.unit[node.v];
            for i in node.q..node.q + node.n_q() {
                if own && exceeds(to[i] - from[i], limit) {
                    fixed.push(MovedCoordinate {
                        name: model.position_names[i].clone(),
                        from: from[i],
                        to: to[i],
                        stated: true,
                    });
                }
            }
        }
        let gaps = self.closure.gaps(to);
        for &number in &self.parts[p].values {
            let value = &self.values[number];
            if !value.start.rate && value.start.hold == Hold::Fixed {
                let changes = self
                    .value_changes(value, &gaps)
                    .into_iter()
                    .map(|(_, change)| change);
                fixed.extend(changes.filter(|c| exceeds(c.to - c.from, NOT_MOVED)));
            }
        }
        fixed
    }

    /// Fixed velocities of a part that would have to change.
    fn fixed_rates(&mut self, p: usize, q: &[f64], from: &[f64], to: &[f64]) -> Vec<MovedCoordinate> {
        let columns = self.parts[p].columns.iter();
        let fixed = columns.filter(|&&j| self.holds[1][j] == Hold::Fixed);
        let changed = fixed.filter(|&&j| exceeds(to[j] - from[j], NOT_MOVED * self.closure.unit[j]));
        let change = |&j: &usize| MovedCoordinate {
            name: self.closure.model.velocity_names[j].clone(),
            from: from[j],
            to: to[j],
            stated: true,
        };
        let mut fixed: Vec<MovedCoordinate> = changed.map(change).collect();
        let gaps = self.closure.velocity_gaps(q, to);
        for &number in &self.parts[p].values {
            let value = &self.values[number];
            if value.start.rate && value.start.hold == Hold::Fixed {
                let changes = self
                    .value_changes(value, &gaps)
                    .into_iter()
                    .map(|(_, change)| change);
                fixed.extend(changes.filter(|c| exceeds(c.to - c.from, NOT_MOVED)));
            }
        }
        fixed
    }

    /// Moves what is not stated to where the hints want it.
    fn follow_hints(&mut self, q: &mut Vec<f64>, tier: Tier) {
        let hinted = self.hints.iter().filter(|hint| !hint.start.rate);
        let rows: Vec<usize> = hinted.flat_map(|hint| hint.rows.clone()).collect();
        if rows.is_empty() {
            return;
        }
        let parts: Vec<usize> = (0..self.parts.len()).collect();
        self.hold(0, &parts, tier);
        self.free_untouched(0);
        // As near as it goes: a hint is no condition.
        let _ = self.closure.close(q, &rows, HINTED, HINTED);
        // Then with the loops: what the hints are not about follows.
        let mut both = self.rows_of(&parts, tier, true);
        both.extend(rows);
        let _ = self.closure.close(q, &both, HINTED, HINTED);
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

    /// Whether a part is closed on the branch that its joints mean, as well as the data allow.
    fn is_closed(&mut self, p: usize, q: &[f64], tier: Tier, (tolerance, enough): (f64, f64)) -> bool {
        let rows = self.rows_of(&[p], tier, false);
        let gaps = self.closure.gaps(q);
        let gap = self.closure.largest_gap(&gaps, &rows);
        if gap.is_nan() || gap > enough || !self.turned_over(&[p], q).is_empty() {
            return false;
        }
        if gap <= tolerance.max(self.closure.rounding) || tier != Tier::Kept {
            // Values of cut joints count to rounding.
            let values = self.value_rows(p, false, |hold| counts(hold, tier));
            return self.closure.largest_gap(&gaps, &values) <= VALUE.max(self.closure.rounding);
        }
        // What is left comes from the data only where stated values leave enough freedom.
        self.closure.linearise(q).is_ok() && self.closure.is_free_enough(&rows)
    }

    /// Joints that are closed, but turned over: axes opposite, or a screw half a turn off.
    fn turned_over(&mut self, parts: &[usize], q: &[f64]) -> Vec<String> {
        self.closure.place(q);
        let model = self.closure.model.clone();
        let constraints = parts.iter().flat_map(|&p| &self.parts[p].branched);
        let mut over = Vec::new();
        for &c in constraints {
            if exceeds(1.0 - self.closure.work.branch(&model, c), MEANT) {
                over.push(model.constraints[c].name.clone());
            }
        }
        over
    }

    /// Takes the positions of a part.
    fn take(&self, p: usize, from: &[f64], to: &mut [f64]) {
        for node in self.closure.model.tree.nodes.iter().filter(|node| node.n_v() > 0) {
            if self.parts[p].columns.contains(&node.v) {
                let own = node.q..node.q + node.n_q();
                to[own.clone()].copy_from_slice(&from[own]);
            }
        }
    }
}

/// So many other starts reach one radian, or the mechanism's size, farther.
const FARTHER: f64 = 12.0;

/// Changes below this are rounding: rad, or parts of the mechanism's size.
const NOT_MOVED: f64 = 1e-10;

/// Gap of a value of a cut joint that counts as kept.
const VALUE: f64 = 1e-10;

/// Gap at which a hint is followed well enough.
const HINTED: f64 = 1e-6;

/// What a closed joint may miss of the cosine 1.
const MEANT: f64 = 0.5;

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

/// Velocities that a constraint depends on.
fn columns(model: &Model, constraint: &ModelConstraint) -> Vec<usize> {
    let terms = match &constraint.element {
        ConstraintElement::Coordinates(sum) => sum.terms.as_slice(),
        _ => &[],
    };
    let nodes = constraint.to_path.iter().chain(&constraint.from_path).copied();
    let nodes = nodes.chain(terms.iter().map(|term| term.0));
    let nodes = nodes.map(|node| &model.tree.nodes[node]);
    nodes.flat_map(|node| node.v..node.v + node.n_v()).collect()
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
