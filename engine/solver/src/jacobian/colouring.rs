//! Grouping of columns that share no row, so that one difference serves them all.
//!
//! A consistent partition of the columns (Arnold §3.1) is a colouring of the graph whose vertices are
//! the columns and whose edges join columns with an entry in a common row. The fewest colours are
//! hard to find; going through the columns in a good order and giving each the first colour that
//! is free comes close. No order is best for all patterns, so that several are tried and the
//! result with fewest groups is kept [Coleman, Moré 1983; Coleman, Garbow, Moré 1984].

use holonom_dae::{Pattern, Structure};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The order in which columns get their groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordering {
    /// Columns with most entries first.
    LargestFirst,
    /// Last the column with fewest neighbours, before it the one with fewest among the others, and
    /// so on.
    SmallestLast,
    /// Next the column with most neighbours that already have a group.
    IncidenceDegree,
    /// From left to right.
    Natural,
}

impl Ordering {
    /// All orders, in the order in which they are tried; of equally good ones the first is kept.
    pub const ALL: [Self; 4] = [
        Self::LargestFirst,
        Self::SmallestLast,
        Self::IncidenceDegree,
        Self::Natural,
    ];

    /// Whether it looks at neighbours, which are dear to find for rows with many entries.
    fn needs_neighbours(self) -> bool {
        matches!(self, Self::SmallestLast | Self::IncidenceDegree)
    }
}

/// Pairs of columns with a common row, each counted once for every such row, beyond which the
/// orders that look at neighbours are left out: they would take seconds.
const MANY_PAIRS: usize = 1 << 28;

/// The best grouping over all orders for the declared pattern of a system; every column alone
/// without one. Columns the structure gives as transposed blocks are in no group.
pub fn group_columns(structure: &Structure) -> Vec<Vec<usize>> {
    let n = structure.dimension();
    let columns = columns_to_evaluate(structure);
    match &structure.sparsity {
        Some(pattern) => best_groups(pattern, &columns),
        None => (0..n).filter(|j| columns[*j]).map(|j| vec![j]).collect(),
    }
}

/// For every column whether it has to be evaluated: it is not given as a transposed block.
pub(super) fn columns_to_evaluate(structure: &Structure) -> Vec<bool> {
    let mut columns = vec![true; structure.dimension()];
    for block in &structure.transposed {
        columns[block.columns.clone()].fill(false);
    }
    columns
}

/// The grouping of the wanted columns with fewest groups over all orders.
///
/// ```
/// use holonom_dae::Pattern;
/// use holonom_solver::jacobian::best_groups;
/// // Tridiagonal: every third column can go together.
/// let entries = (0..9usize).flat_map(|j| (j.saturating_sub(1)..(j + 2).min(9)).map(move |i| (i, j)));
/// let groups = best_groups(&Pattern::from_entries(9, 9, entries), &[true; 9]);
/// assert_eq!(groups, [vec![1, 4, 7], vec![2, 5, 8], vec![3, 6, 0]]);
/// ```
pub fn best_groups(pattern: &Pattern, wanted: &[bool]) -> Vec<Vec<usize>> {
    let graph = Graph::new(pattern, wanted);
    // Columns that meet in one row all need groups of their own.
    let fewest = graph.columns_of_row.iter().map(Vec::len).max().unwrap_or(0);
    let pairs: usize = graph.columns_of_row.iter().map(|c| c.len() * c.len()).sum();
    let mut best: Option<Vec<Vec<usize>>> = None;
    let mut neighbours = None;
    for ordering in Ordering::ALL {
        if best.as_ref().is_some_and(|b| b.len() <= fewest) {
            break;
        }
        let order = if ordering.needs_neighbours() {
            if pairs > MANY_PAIRS {
                continue;
            }
            let neighbours = neighbours.get_or_insert_with(|| graph.neighbours());
            graph.order_by_neighbours(ordering, neighbours)
        } else {
            graph.order_by_entries(ordering)
        };
        let groups = graph.colour(&order);
        if best.as_ref().is_none_or(|b| groups.len() < b.len()) {
            best = Some(groups);
        }
    }
    best.unwrap_or_default()
}

/// The grouping that one order leads to.
pub fn groups_in_order(pattern: &Pattern, wanted: &[bool], ordering: Ordering) -> Vec<Vec<usize>> {
    let graph = Graph::new(pattern, wanted);
    let order = if ordering.needs_neighbours() {
        graph.order_by_neighbours(ordering, &graph.neighbours())
    } else {
        graph.order_by_entries(ordering)
    };
    graph.colour(&order)
}

/// The columns to be grouped and the rows in which they meet.
struct Graph<'a> {
    pattern: &'a Pattern,
    columns: Vec<usize>,
    columns_of_row: Vec<Vec<usize>>,
}

impl<'a> Graph<'a> {
    fn new(pattern: &'a Pattern, wanted: &[bool]) -> Self {
        let columns: Vec<usize> = (0..pattern.n_columns()).filter(|&j| wanted[j]).collect();
        let mut columns_of_row = vec![Vec::new(); pattern.n_rows()];
        for &j in &columns {
            for &i in pattern.column(j) {
                columns_of_row[i].push(j);
            }
        }
        Self {
            pattern,
            columns,
            columns_of_row,
        }
    }

    /// Gives each column in turn the first group that is free.
    fn colour(&self, order: &[usize]) -> Vec<Vec<usize>> {
        // For every row the groups that have an entry in it, as bits.
        let mut taken: Vec<Vec<u64>> = vec![Vec::new(); self.pattern.n_rows()];
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut forbidden = Vec::new();
        for &j in order {
            forbidden.clear();
            for &i in self.pattern.column(j) {
                if taken[i].len() > forbidden.len() {
                    forbidden.resize(taken[i].len(), 0);
                }
                for (f, t) in forbidden.iter_mut().zip(&taken[i]) {
                    *f |= t;
                }
            }
            let word = forbidden
                .iter()
                .position(|w| *w != u64::MAX)
                .unwrap_or(forbidden.len());
            let bit = forbidden.get(word).map_or(0, |w| w.trailing_ones() as usize);
            let c = 64 * word + bit;
            if c >= groups.len() {
                groups.push(Vec::new());
            }
            groups[c].push(j);
            for &i in self.pattern.column(j) {
                if taken[i].len() <= word {
                    taken[i].resize(word + 1, 0);
                }
                taken[i][word] |= 1 << bit;
            }
        }
        groups
    }

    fn order_by_entries(&self, ordering: Ordering) -> Vec<usize> {
        let mut order = self.columns.clone();
        if ordering == Ordering::LargestFirst {
            order.sort_by_key(|&j| Reverse(self.pattern.column(j).len()));
        }
        order
    }

    /// For every column those with an entry in a common row.
    fn neighbours(&self) -> Vec<Vec<usize>> {
        const NONE: usize = usize::MAX;
        let n = self.pattern.n_columns();
        let mut neighbours = vec![Vec::new(); n];
        let mut met_by = vec![NONE; n];
        for &j in &self.columns {
            met_by[j] = j;
            for &i in self.pattern.column(j) {
                for &other in &self.columns_of_row[i] {
                    if met_by[other] != j {
                        met_by[other] = j;
                        neighbours[j].push(other);
                    }
                }
            }
        }
        neighbours
    }

    fn order_by_neighbours(&self, ordering: Ordering, neighbours: &[Vec<usize>]) -> Vec<usize> {
        let n = self.pattern.n_columns();
        let mut waiting = vec![false; n];
        for &j in &self.columns {
            waiting[j] = true;
        }
        // Neighbours that wait (smallest last) or that are placed already (incidence degree).
        let mut degree: Vec<usize> = match ordering {
            Ordering::SmallestLast => neighbours.iter().map(Vec::len).collect(),
            _ => vec![0; n],
        };
        // The next column is the first of the queue; ties go to the leftmost column.
        let key = |j: usize, degree: usize| match ordering {
            Ordering::SmallestLast => (degree, 0, Reverse(j)),
            _ => (n - degree, n - neighbours[j].len(), Reverse(n - j)),
        };
        let mut queue: BTreeSet<_> = self.columns.iter().map(|&j| (key(j, degree[j]), j)).collect();
        let mut order = Vec::with_capacity(self.columns.len());
        while let Some((_, j)) = queue.pop_first() {
            order.push(j);
            waiting[j] = false;
            for &other in neighbours[j].iter().filter(|k| waiting[**k]) {
                queue.remove(&(key(other, degree[other]), other));
                match ordering {
                    Ordering::SmallestLast => degree[other] -= 1,
                    _ => degree[other] += 1,
                }
                queue.insert((key(other, degree[other]), other));
            }
        }
        if ordering == Ordering::SmallestLast {
            order.reverse();
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every wanted column is in one group, and no two columns of a group share a row.
    fn assert_consistent(pattern: &Pattern, wanted: &[bool], groups: &[Vec<usize>]) {
        let mut all: Vec<usize> = groups.concat();
        all.sort_unstable();
        let expected: Vec<usize> = (0..pattern.n_columns()).filter(|&j| wanted[j]).collect();
        assert_eq!(all, expected);
        for group in groups {
            let mut rows: Vec<usize> = group.iter().flat_map(|&j| pattern.column(j).to_vec()).collect();
            let count = rows.len();
            rows.sort_unstable();
            rows.dedup();
            assert_eq!(rows.len(), count, "{group:?}");
        }
    }

    #[test]
    fn groups_are_consistent_and_few() {
        // Tridiagonal: three groups suffice.
        let n = 40;
        let entries = (0..n).flat_map(|j: usize| (j.saturating_sub(1)..(j + 2).min(n)).map(move |i| (i, j)));
        let pattern = Pattern::from_entries(n, n, entries);
        let structure = Structure::unknown(n).with_sparsity(pattern.clone());
        let groups = group_columns(&structure);
        assert_eq!(groups.len(), 3);
        assert_consistent(&pattern, &vec![true; n], &groups);
    }

    /// Example (19) of Arnold §3.1. The text gives columns 2, 4 and 6 (rows 2, 5, 6; rows 1, 4; row 3)
    /// and the groups; columns 1, 3 and 5 are filled in so that no other three groups are possible.
    #[test]
    fn the_example_of_six_columns() {
        let columns: [&[usize]; 6] = [&[1, 2, 6], &[2, 5, 6], &[1, 3, 5], &[1, 4], &[3, 4, 5], &[3]];
        let entries = (0..6).flat_map(|j| columns[j].iter().map(move |i| (i - 1, j)));
        let pattern = Pattern::from_entries(6, 6, entries);
        let gamma = |groups: &[Vec<usize>]| {
            let mut gamma = [0; 6];
            for (k, group) in groups.iter().enumerate() {
                group.iter().for_each(|&j| gamma[j] = k + 1);
            }
            gamma
        };
        // Numbered by the first column of each group, as the paper does.
        let renumbered = |mut groups: Vec<Vec<usize>>| {
            groups.iter_mut().for_each(|g| g.sort_unstable());
            groups.sort();
            gamma(&groups)
        };
        for ordering in Ordering::ALL {
            let groups = groups_in_order(&pattern, &[true; 6], ordering);
            assert_eq!(renumbered(groups), [1, 2, 3, 2, 1, 2], "{ordering:?}");
        }
        let natural = groups_in_order(&pattern, &[true; 6], Ordering::Natural);
        assert_eq!(gamma(&natural), [1, 2, 3, 2, 1, 2]);
        assert_eq!(best_groups(&pattern, &[true; 6]).len(), 3);
    }

    /// On random patterns every order is consistent, the best one is no worse than any, and no
    /// order is best everywhere.
    #[test]
    fn orders_on_random_patterns() {
        let mut seed = 1u64;
        let mut random = |n: usize| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) as usize % n
        };
        let mut wins = [0; 4];
        for n in 5..120 {
            let entries: Vec<(usize, usize)> = (0..3 * n).map(|_| (random(n), random(n))).collect();
            let pattern = Pattern::from_entries(n, n, entries.into_iter().chain((0..n).map(|i| (i, i))));
            let wanted: Vec<bool> = (0..n).map(|_| random(10) != 0).collect();
            let counts = Ordering::ALL.map(|ordering| {
                let groups = groups_in_order(&pattern, &wanted, ordering);
                assert_consistent(&pattern, &wanted, &groups);
                groups.len()
            });
            let best = best_groups(&pattern, &wanted);
            assert_consistent(&pattern, &wanted, &best);
            assert_eq!(Some(best.len()), counts.iter().copied().min());
            for (w, c) in wins.iter_mut().zip(counts) {
                *w += usize::from(c == best.len());
            }
        }
        assert!(wins.iter().all(|w| *w < 115), "{wins:?}");
        // The orders that look at neighbours are worth their price.
        assert!(wins[1].max(wins[2]) > wins[3], "{wins:?}");
    }

    /// More groups than bits in a word.
    #[test]
    fn many_groups() {
        let n = 150;
        let pattern = Pattern::dense(n, n);
        let mut wanted = vec![true; n];
        wanted[3] = false;
        for ordering in Ordering::ALL {
            let groups = groups_in_order(&pattern, &wanted, ordering);
            assert_eq!(groups.len(), n - 1);
            assert_consistent(&pattern, &wanted, &groups);
        }
        assert!(best_groups(&Pattern::dense(0, 0), &[]).is_empty());
    }
}
