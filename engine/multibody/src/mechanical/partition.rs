//! Jacobians of chosen elements, in shares of about equal work.
//!
//! Every element is differentiated by itself, by the coordinates between its frames ([`super::element`]): the work follows
//! the number of elements and the lengths of their ways, not the size of the mechanism. A share is some columns with all
//! that enters them, so that no sum has to be remembered.
//!
//! All elements together with the gyroscopic forces, and elements that follow controls, whose sensors may look anywhere,
//! are differentiated with the whole mechanism, eight directions at a time; columns that such elements do not bring together
//! in a row share a direction.

use super::MechanicalModel;
use super::element::Piece;
use crate::formalism::depends::force_dependencies;
use crate::model::Model;
use crate::workspace::Workspace;
use holonom_algebra::{Dual8, Real};
use holonom_dae::{ElementSet, JacobianPlan, Rejection};
use std::collections::BTreeSet;

/// Directions of a dual number.
const DIRECTIONS: usize = 8;

/// An evaluation of the whole mechanism: groups of columns without a row in common, by positions or by velocities.
#[derive(Clone, Debug)]
struct Sweep {
    by_velocity: bool,
    groups: Vec<Vec<usize>>,
}

/// What a share consists of.
#[derive(Clone, Debug, Default)]
struct Share {
    /// Entries that it renews, by their place in the matrices.
    entries: Vec<usize>,
    pieces: Vec<Piece>,
    sweeps: Vec<Sweep>,
}

/// How Jacobians are renewed.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    shares: Vec<Share>,
    /// Elements that sweeps are for; none for all, with the gyroscopic forces.
    swept: Option<Vec<usize>>,
    /// Rows of every column in sweeps, ascending.
    rows: Vec<Vec<usize>>,
}

impl Plan {
    pub fn new(model: &Model, elements: ElementSet<'_>, shares: usize) -> Self {
        match elements {
            ElementSet::All => Self::of_all(model.tree.n_v, shares),
            ElementSet::Some(list) => Self::of_elements(model, list, shares),
        }
    }

    /// Gyroscopic forces couple what has a way from tip to ground in common: every column by itself.
    fn of_all(n: usize, shares: usize) -> Self {
        let columns: Vec<Vec<usize>> = (0..n).map(|j| vec![j]).collect();
        let sweeps = sweeps(&columns);
        let each = sweeps.len().div_ceil(shares.max(1)).max(1);
        let rows: Vec<Vec<usize>> = vec![(0..n).collect(); n];
        let share = |sweeps: &[Sweep]| Share {
            sweeps: sweeps.to_vec(),
            ..Share::default()
        };
        Self {
            shares: sweeps.chunks(each).map(share).collect(),
            swept: None,
            rows,
        }
    }

    fn of_elements(model: &Model, list: &[usize], shares: usize) -> Self {
        let n = model.tree.n_v;
        let velocities = |node: usize| {
            let node = &model.tree.nodes[node];
            node.v..node.v + node.n_v()
        };
        let dependencies = force_dependencies(model, list);
        let is_swept = |k: usize| !model.forces[k].controls.is_empty();
        let (mut rows, mut swept_rows) = (vec![BTreeSet::new(); n], vec![BTreeSet::new(); n]);
        // What a column costs: an evaluation, shared by some columns, and its rows, of every element that reads it.
        let mut cost = vec![0; n];
        for (&k, (acts, reads)) in list.iter().zip(&dependencies) {
            let acts: Vec<usize> = acts.iter().flat_map(|&node| velocities(node)).collect();
            for j in reads.iter().flat_map(|&node| velocities(node)) {
                rows[j].extend(acts.iter().copied());
                cost[j] += 1 + acts.len();
                if is_swept(k) {
                    swept_rows[j].extend(acts.iter().copied());
                }
            }
        }
        let mut plan = Self {
            shares: Vec::new(),
            swept: Some(list.iter().copied().filter(|&k| is_swept(k)).collect()),
            rows: swept_rows.iter().map(|r| r.iter().copied().collect()).collect(),
        };
        for columns in split(&cost, shares) {
            let is_in = |j: usize| columns.binary_search(&j).is_ok();
            let mut share = Share::default();
            for &j in &columns {
                share.entries.extend(rows[j].iter().map(|i| j * n + i));
            }
            for (&k, (acts, _)) in list.iter().zip(&dependencies).filter(|(k, _)| !is_swept(**k)) {
                share.pieces.extend(Piece::all(model, k, acts, &is_in));
            }
            let here: Vec<BTreeSet<usize>> = (0..n)
                .map(|j| {
                    if is_in(j) {
                        swept_rows[j].clone()
                    } else {
                        BTreeSet::new()
                    }
                })
                .collect();
            share.sweeps = sweeps(&group(&here));
            plan.shares.push(share);
        }
        plan
    }

    /// Number of shares, and the work of the largest.
    pub fn work(&self) -> JacobianPlan {
        let most = |count: &dyn Fn(&Share) -> usize| self.shares.iter().map(count).max().unwrap_or(0);
        JacobianPlan {
            shares: self.shares.len(),
            sweeps: most(&|share| share.sweeps.len()),
            elements: most(&|share| share.pieces.len()),
            projections: most(&|share| share.pieces.iter().map(Piece::projections).sum()),
        }
    }
}

/// By positions and by velocities, eight groups at a time.
fn sweeps(groups: &[Vec<usize>]) -> Vec<Sweep> {
    let both = groups.chunks(DIRECTIONS).flat_map(|groups| {
        [false, true].map(|by_velocity| Sweep {
            by_velocity,
            groups: groups.to_vec(),
        })
    });
    both.collect()
}

/// Columns that cost anything, in order, in parts of about equal cost.
fn split(cost: &[usize], shares: usize) -> Vec<Vec<usize>> {
    let total: usize = cost.iter().sum();
    let mut parts = vec![Vec::new(); shares.max(1)];
    let mut before = 0;
    for (j, &cost) in cost.iter().enumerate().filter(|(_, cost)| **cost > 0) {
        // By the middle of what it costs.
        let part = (2 * before + cost) * parts.len() / (2 * total);
        parts[part].push(j);
        before += cost;
    }
    parts.retain(|part| !part.is_empty());
    parts
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
    /// Renews share `number` of the plan.
    pub(super) fn renew_share(
        &mut self,
        (t, q, v, lambda): (f64, &[f64], &[f64], &[f64]),
        number: usize,
        plan: &Plan,
        f_q: &mut [f64],
        f_v: &mut [f64],
    ) -> Result<(), Rejection> {
        let Some(share) = plan.shares.get(number) else {
            return Ok(());
        };
        let mut d = self.dual_memory();
        for &place in &share.entries {
            (f_q[place], f_v[place]) = (0.0, 0.0);
        }
        if !share.pieces.is_empty() {
            self.place(t, q);
            self.work.set_velocities(&self.model, v);
            self.work.set_multipliers(&self.model, &self.active, lambda);
            d.work.known.t = Dual8::constant(t);
            for piece in &share.pieces {
                piece.add(&self.model, &self.work, &mut d, f_q, f_v);
            }
        }
        let elements = plan.swept.as_deref().map_or(ElementSet::All, ElementSet::Some);
        for sweep in &share.sweeps {
            let m = &mut *d;
            self.begin_sweep((t, q, v, lambda), sweep, m);
            Self::elements_force(&self.model, &mut m.work, elements, &m.zero, &mut m.out);
            let (n, target) = (v.len(), if sweep.by_velocity { &mut *f_v } else { &mut *f_q });
            for (direction, columns) in sweep.groups.iter().enumerate() {
                for &j in columns {
                    for &i in &plan.rows[j] {
                        let derivative = m.out[i].derivative(direction);
                        match plan.swept {
                            // Besides what elements by themselves have added.
                            Some(_) => target[j * n + i] += derivative,
                            None => target[j * n + i] = derivative,
                        }
                    }
                }
            }
        }
        self.dual = Some(d);
        Ok(())
    }

    /// The whole mechanism with the directions of a sweep.
    fn begin_sweep(
        &self,
        (t, q, v, lambda): (f64, &[f64], &[f64], &[f64]),
        sweep: &Sweep,
        m: &mut super::DualMemory,
    ) {
        for (x, q) in m.q.iter_mut().zip(q) {
            *x = Dual8::constant(*q);
        }
        for (x, v) in m.v.iter_mut().zip(v) {
            *x = Dual8::constant(*v);
        }
        for (direction, columns) in sweep.groups.iter().enumerate() {
            if sweep.by_velocity {
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

    #[test]
    fn shares_cost_about_the_same() {
        assert_eq!(split(&[3, 0, 3, 3, 3], 2), [vec![0, 2], vec![3, 4]]);
        assert_eq!(split(&[1, 1], 4), [vec![0], vec![1]]);
        assert!(split(&[0, 0], 3).is_empty());
    }
}
