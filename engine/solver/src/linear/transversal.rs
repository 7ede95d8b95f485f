//! A zero-free diagonal: one entry in each column, no two in the same row.
//!
//! A constrained mechanical system has zeros where its multipliers meet. Permuting rows so that the
//! diagonal is free of zeros before the symmetric ordering is what keeps the fill of such matrices
//! down, because pivots can then be taken where the ordering expects them. Where no full
//! transversal exists the matrix is singular for all values, and the rows and columns left over say
//! which.
//!
//! Depth-first augmenting paths with a cheap assignment first and look-ahead [Duff 1981]: O(n·nnz)
//! at worst, O(nnz) in practice. The recursion is an explicit stack.

use holonom_dae::Pattern;

/// "No row", "no column".
pub(super) const NONE: u32 = u32::MAX;

/// A largest set of entries of which no two share a row or a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Transversal {
    /// Row taken in each column.
    pub row_of_column: Vec<Option<usize>>,
    /// A row and a column left over when the matrix is structurally singular.
    pub unmatched: Option<(usize, usize)>,
}

/// Finds a transversal of `pattern`, preferring entries with a large `weight(position)`.
///
/// The diagonal is preferred wherever its weight is not below a tenth of the column's largest,
/// since the ordering that follows works on a symmetric graph. Entries of weight zero are used only
/// if need be.
///
/// ```
/// use holonom_dae::Pattern;
/// use holonom_solver::linear::maximum_transversal;
/// let saddle = Pattern::from_entries(2, 2, [(0, 0), (1, 0), (0, 1)]);
/// let t = maximum_transversal(&saddle, |_| 1.0);
/// assert_eq!(t.row_of_column, [Some(1), Some(0)]);
/// ```
pub fn maximum_transversal(pattern: &Pattern, weight: impl Fn(usize) -> f64) -> Transversal {
    let n = pattern.n_columns();
    let mut row_of = vec![NONE; n];
    let mut column_of = vec![NONE; pattern.n_rows()];

    // cheap assignment: the diagonal, else the heaviest free row
    for j in 0..n {
        let mut best = None;
        let mut best_weight = 0.0;
        let mut diagonal_weight = 0.0;
        let mut largest = 0.0;
        for (p, &i) in pattern.range(j).zip(pattern.column(j)) {
            let w = weight(p);
            largest = if w > largest { w } else { largest };
            if column_of[i] != NONE {
                continue;
            }
            if w > best_weight {
                best_weight = w;
                best = Some(i);
            }
            if i == j {
                diagonal_weight = w;
            }
        }
        if diagonal_weight > 0.0 && diagonal_weight >= 0.1 * largest {
            best = Some(j);
        }
        if let Some(i) = best {
            row_of[j] = i as u32;
            column_of[i] = j as u32;
        }
    }

    // augmenting paths from the columns left over
    let rows = pattern.rows();
    let ends = &pattern.column_start()[1..];
    let mut visited = vec![NONE; n]; // by the search from which column
    let mut next = vec![0; n]; // where the search stands in each column
    let mut ahead: Vec<usize> = pattern.column_start()[..n].to_vec(); // look-ahead never goes back
    let mut path: Vec<usize> = Vec::new();
    for start in 0..n {
        if row_of[start] != NONE {
            continue;
        }
        path.clear();
        path.push(start);
        visited[start] = start as u32;
        next[start] = pattern.column_start()[start];
        let mut free = NONE;
        while let Some(&j) = path.last() {
            // a free row in this column ends the search
            while ahead[j] < ends[j] {
                let i = rows[ahead[j]];
                ahead[j] += 1;
                if column_of[i] == NONE {
                    free = i as u32;
                    break;
                }
            }
            if free != NONE {
                break;
            }
            // otherwise go on to a column that would have to give up its row
            let mut deeper = None;
            while next[j] < ends[j] {
                let owner = column_of[rows[next[j]]] as usize;
                next[j] += 1;
                if visited[owner] != start as u32 {
                    deeper = Some(owner);
                    break;
                }
            }
            match deeper {
                Some(owner) => {
                    visited[owner] = start as u32;
                    next[owner] = pattern.column_start()[owner];
                    path.push(owner);
                }
                None => {
                    path.pop();
                }
            }
        }
        // each column of the path takes the row it led to, the last one the free row
        while let Some(j) = path.pop() {
            let previous = row_of[j];
            row_of[j] = free;
            column_of[free as usize] = j as u32;
            free = previous;
        }
    }

    let column = row_of.iter().position(|&i| i == NONE);
    let row = column_of.iter().position(|&j| j == NONE);
    Transversal {
        row_of_column: row_of
            .into_iter()
            .map(|i| (i != NONE).then_some(i as usize))
            .collect(),
        unmatched: row.zip(column),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_chain_of_reassignments_is_found() {
        // column j has rows j and j + 1, the last column only row 0: all must move by one
        let n = 20_000;
        let mut entries: Vec<_> = (0..n - 1).flat_map(|j| [(j, j), (j + 1, j)]).collect();
        entries.push((0, n - 1));
        let t = maximum_transversal(&Pattern::from_entries(n, n, entries), |_| 1.0);
        assert_eq!(t.unmatched, None);
        assert_eq!(t.row_of_column[n - 1], Some(0));
        assert_eq!(t.row_of_column[7], Some(8));
    }

    #[test]
    fn what_is_left_over_is_named() {
        // rows 1 and 2 live on column 1 alone
        let p = Pattern::from_entries(3, 3, [(0, 0), (0, 1), (1, 1), (2, 1), (0, 2)]);
        let t = maximum_transversal(&p, |_| 1.0);
        let (row, column) = t.unmatched.unwrap_or((9, 9));
        assert!(row == 1 || row == 2);
        assert!(column == 0 || column == 2);
    }
}
