//! Jacobians of chosen elements, in parts of equal work.
//!
//! An element between two bodies depends on, and acts on, the coordinates that move one against the other. Columns that no
//! element brings together in a row are evaluated at once in one direction of the dual numbers, so that the number of
//! evaluations follows the longest path between two sides of an element and its neighbours, not the size of the mechanism.

use super::MechanicalModel;
use crate::model::Model;
use crate::residual::pattern::force_dependencies;
use crate::workspace::Workspace;
use holonom_algebra::{Dual8, Real};
use holonom_dae::{ElementSet, Rejection};
use std::collections::BTreeSet;

/// Directions of a dual number.
const DIRECTIONS: usize = 8;

/// Which columns go together, and which of their entries there are.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Columns without a row in common, ascending.
    groups: Vec<Vec<usize>>,
    /// Rows of every column, ascending.
    rows: Vec<Vec<usize>>,
}

impl Plan {
    pub fn new(model: &Model, elements: ElementSet<'_>) -> Self {
        let n = model.tree.n_v;
        match elements {
            // Gyroscopic forces couple what has a way from tip to ground in common: every column by itself.
            ElementSet::All => Self {
                groups: (0..n).map(|j| vec![j]).collect(),
                rows: vec![(0..n).collect(); n],
            },
            ElementSet::Some(list) => {
                let mut rows = vec![BTreeSet::new(); n];
                let velocities = |node: usize| {
                    let node = &model.tree.nodes[node];
                    node.v..node.v + node.n_v()
                };
                for (acts, reads) in force_dependencies(model, list) {
                    for j in reads.into_iter().flat_map(velocities) {
                        rows[j].extend(acts.iter().flat_map(|&node| velocities(node)));
                    }
                }
                Self {
                    groups: group(&rows),
                    rows: rows.into_iter().map(|r| r.into_iter().collect()).collect(),
                }
            }
        }
    }

    /// Evaluations with dual numbers, for positions and for velocities.
    pub fn parts(&self) -> usize {
        2 * self.groups.len().div_ceil(DIRECTIONS)
    }
}

/// Puts columns without a row in common together: the fullest first, each into the first group it fits.
fn group(rows: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..rows.len()).filter(|&j| !rows[j].is_empty()).collect();
    order.sort_by_key(|&j| (core::cmp::Reverse(rows[j].len()), j));
    let mut groups: Vec<(BTreeSet<usize>, Vec<usize>)> = Vec::new();
    for j in order {
        match groups.iter_mut().find(|(taken, _)| taken.is_disjoint(&rows[j])) {
            Some((taken, columns)) => {
                taken.extend(&rows[j]);
                columns.push(j);
            }
            None => groups.push((rows[j].clone(), vec![j])),
        }
    }
    groups
        .into_iter()
        .map(|(_, mut columns)| {
            columns.sort_unstable();
            columns
        })
        .collect()
}

impl MechanicalModel {
    /// Part `part` of the plan: eight groups of columns, by positions or by velocities.
    pub(super) fn renew_part(
        &mut self,
        (t, q, v, lambda): (f64, &[f64], &[f64], &[f64]),
        elements: ElementSet<'_>,
        part: usize,
        plan: &Plan,
        f_q: &mut [f64],
        f_v: &mut [f64],
    ) -> Result<(), Rejection> {
        let n = self.model.tree.n_v;
        let (first, by_velocity) = (part / 2 * DIRECTIONS, part % 2 == 1);
        let groups = plan.groups.iter().skip(first).take(DIRECTIONS);
        let mut d = self.dual_memory();
        let m = &mut *d;
        for (x, q) in m.q.iter_mut().zip(q) {
            *x = Dual8::constant(*q);
        }
        for (x, v) in m.v.iter_mut().zip(v) {
            *x = Dual8::constant(*v);
        }
        for (direction, columns) in groups.clone().enumerate() {
            if by_velocity {
                for &j in columns {
                    m.v[j] = Dual8::variable(v[j], direction);
                }
                continue;
            }
            m.unit.fill(0.0);
            columns.iter().for_each(|&j| m.unit[j] = 1.0);
            Workspace::velocity_map(&self.model, q, &m.unit, &mut m.rates);
            for (x, &rate) in m.q.iter_mut().zip(&m.rates) {
                if rate != 0.0 {
                    *x = x.with_derivative(direction, rate);
                }
            }
        }
        self.set_dual(t, lambda, m);
        Self::elements_force(&self.model, &mut m.work, elements, &m.zero, &mut m.out);
        let target = if by_velocity { f_v } else { f_q };
        for (direction, columns) in groups.enumerate() {
            for &j in columns {
                for &i in &plan.rows[j] {
                    target[j * n + i] = m.out[i].derivative(direction);
                }
            }
        }
        self.dual = Some(d);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_share_no_row() {
        let set = |rows: &[usize]| rows.iter().copied().collect::<BTreeSet<usize>>();
        // Four arms on a body of two coordinates.
        let rows = [
            set(&[0, 1, 2, 3, 4, 5]),
            set(&[0, 1, 2, 3, 4, 5]),
            set(&[2]),
            set(&[3]),
            set(&[4]),
            set(&[]),
        ];
        assert_eq!(group(&rows), [vec![0], vec![1], vec![2, 3, 4]]);
    }
}
