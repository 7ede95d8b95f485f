//! What became of the values that are stated.

use super::{CutStart, StartProblem, Value};
use crate::description::Hold;
use crate::start::closure::exceeds;
use crate::start::error::MovedCoordinate;
use crate::tree::Node;

/// Changes below this are rounding: rad, or parts of the mechanism's size.
const NOT_MOVED: f64 = 1e-10;

impl StartProblem {
    /// Whether a position is stated, by its number.
    pub(in crate::start) fn is_stated_position(&self, i: usize) -> bool {
        let nodes = self.closure.model.tree.nodes.iter();
        let own = |node: &&Node| node.n_v() > 0 && (node.q..node.q + node.n_q()).contains(&i);
        nodes.filter(own).any(|node| self.holds[0][node.v] != Hold::Free)
    }

    /// Whether a velocity is stated.
    pub(in crate::start) fn is_stated_velocity(&self, i: usize) -> bool {
        self.holds[1][i] != Hold::Free
    }

    /// Stated values of cut joints that are not as stated.
    pub(in crate::start) fn value_moves(&mut self, rate: bool, q: &[f64], v: &[f64]) -> Vec<MovedCoordinate> {
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
    pub(super) fn value_changes(&self, value: &Value, gaps: &[f64]) -> Vec<(usize, MovedCoordinate)> {
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
    pub(super) fn fixed_changes(&mut self, p: usize, from: &[f64], to: &[f64]) -> Vec<MovedCoordinate> {
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
    pub(super) fn fixed_rates(
        &mut self,
        p: usize,
        q: &[f64],
        from: &[f64],
        to: &[f64],
    ) -> Vec<MovedCoordinate> {
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
}
