//! [`Block`]: velocities that rows and the mass matrix couple with each other and with no others.

use crate::elements::constraints::ConstraintElement;
use crate::formalism::cholesky;
use crate::formalism::eigen::dot;
use crate::model::{Model, ModelConstraint};

/// Some velocities, the rows that depend on them, and L of their mass matrix.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// Numbers of the velocities, increasing.
    pub columns: Vec<usize>,
    /// Numbers of the rows, increasing.
    pub rows: Vec<usize>,
    factor: Vec<f64>,
}

impl Block {
    /// L from the lower triangle of M of n velocities, in the metric in which velocities move as freely as they should:
    /// x = F z is small where z is in M.
    pub fn factorise(&mut self, mass: &[f64], n: usize, freedom: &[f64]) -> Result<(), usize> {
        let own = self.columns.len();
        self.factor.resize(own * own, 0.0);
        for (b, &j) in self.columns.iter().enumerate() {
            for (a, &i) in self.columns.iter().enumerate().skip(b) {
                let entry = mass[j * n + i];
                let product = freedom[i] * freedom[j];
                self.factor[b * own + a] = if product > 0.0 {
                    entry / product
                } else if i == j {
                    entry
                } else {
                    0.0
                };
            }
        }
        cholesky::factorise(&mut self.factor, own)
    }

    /// x := L⁻¹ x.
    pub fn forward(&self, x: &mut [f64]) {
        let (n, l) = (self.columns.len(), &self.factor);
        for j in 0..n {
            let y = x[j] / l[j * n + j];
            x[j] = y;
            for k in j + 1..n {
                x[k] -= l[j * n + k] * y;
            }
        }
    }

    /// x := L⁻ᵀ x.
    fn backward(&self, x: &mut [f64]) {
        let (n, l) = (self.columns.len(), &self.factor);
        for j in (0..n).rev() {
            let mut sum = x[j];
            for i in j + 1..n {
                sum -= l[j * n + i] * x[i];
            }
            x[j] = sum / l[j * n + j];
        }
    }

    /// The diagonal of M⁻¹ = L⁻ᵀL⁻¹.
    pub fn compliance(&self) -> Vec<f64> {
        let (n, l) = (self.columns.len(), &self.factor);
        let mut column = vec![0.0; n];
        let diagonal = |j: usize| {
            column[j..].fill(0.0);
            column[j] = 1.0;
            let mut sum = 0.0;
            for k in j..n {
                let y = column[k] / l[k * n + k];
                sum += y * y;
                for i in k + 1..n {
                    column[i] -= l[k * n + i] * y;
                }
            }
            sum
        };
        (0..n).map(diagonal).collect()
    }

    /// The velocities x, smallest in the metric of M, for which rows b, given as L⁻¹ b, have b · x = right as well as
    /// they allow; none where they are too dependent for this damping.
    pub fn solve(&self, rows: &[(&[f64], f64)], damping: f64) -> Option<Vec<f64>> {
        let m = rows.len();
        let mut gram = vec![0.0; m * m];
        for k in 0..m {
            for i in k..m {
                gram[k * m + i] = dot(rows[i].0, rows[k].0);
            }
            gram[k * m + k] += damping;
        }
        cholesky::factorise(&mut gram, m).ok()?;
        let mut x: Vec<f64> = rows.iter().map(|row| row.1).collect();
        cholesky::solve(&gram, m, &mut x);
        let mut y = vec![0.0; self.columns.len()];
        for ((b, _), x) in rows.iter().zip(&x) {
            for (y, b) in y.iter_mut().zip(*b) {
                *y += b * x;
            }
        }
        self.backward(&mut y);
        Some(y)
    }
}

/// Velocities that a constraint depends on.
pub(super) fn columns(model: &Model, constraint: &ModelConstraint) -> Vec<usize> {
    let terms = match &constraint.element {
        ConstraintElement::Coordinates(sum) => sum.terms.as_slice(),
        _ => &[],
    };
    let nodes = constraint.to_path.iter().chain(&constraint.from_path).copied();
    let nodes = nodes.chain(terms.iter().map(|term| term.0));
    let nodes = nodes.map(|node| &model.tree.nodes[node]);
    nodes.flat_map(|node| node.v..node.v + node.n_v()).collect()
}

/// The blocks of all velocities that rows depend on, by their first velocity.
pub(super) fn blocks(model: &Model) -> Vec<Block> {
    let tree = &model.tree;
    let touched: Vec<Vec<usize>> = model.constraints.iter().map(|c| columns(model, c)).collect();
    let mut sets = Sets::new(tree.n_v);
    let mut is_touched = vec![false; tree.n_v];
    for columns in &touched {
        sets.join_all(columns);
        columns.iter().for_each(|&j| is_touched[j] = true);
    }
    // M couples what supports each other: every velocity with the next one below it that rows depend on, too.
    let mut next = vec![None; tree.nodes.len()];
    for (i, node) in tree.nodes.iter().enumerate().skip(1) {
        let own = node.v..node.v + node.n_v();
        let below = next[node.parent];
        let touched: Vec<usize> = own.filter(|&j| is_touched[j]).chain(below).collect();
        sets.join_all(&touched);
        next[i] = touched.first().copied();
    }
    for rod in &model.rods {
        let ends = rod.ends.iter().filter_map(|end| next[end.node]);
        sets.join_all(&ends.collect::<Vec<_>>());
    }
    let mut blocks: Vec<Block> = Vec::new();
    let mut number = vec![None; tree.n_v];
    for j in (0..tree.n_v).filter(|&j| is_touched[j]) {
        let first = sets.first(j);
        let k = *number[first].get_or_insert_with(|| {
            blocks.push(Block::default());
            blocks.len() - 1
        });
        blocks[k].columns.push(j);
    }
    for (constraint, columns) in model.constraints.iter().zip(&touched) {
        if let Some(k) = columns.first().and_then(|&j| number[sets.first(j)]) {
            blocks[k].rows.extend(constraint.rows.clone());
        }
    }
    blocks
}

/// Sets of numbers, joined step by step.
struct Sets(Vec<usize>);

impl Sets {
    fn new(n: usize) -> Self {
        Self((0..n).collect())
    }

    /// The lowest number of a set.
    fn first(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    fn join_all(&mut self, numbers: &[usize]) {
        for pair in numbers.windows(2) {
            let (a, b) = (self.first(pair[0]), self.first(pair[1]));
            self.0[a.max(b)] = a.min(b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_named_by_their_lowest_number() {
        let mut sets = Sets::new(6);
        sets.join_all(&[4, 2]);
        sets.join_all(&[5, 4]);
        sets.join_all(&[0, 3]);
        let first: Vec<usize> = (0..6).map(|i| sets.first(i)).collect();
        assert_eq!(first, [0, 1, 2, 0, 2, 2]);
    }
}
