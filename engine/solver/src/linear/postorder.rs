//! Postordering of an elimination order: the same fill, better locality.
//!
//! Minimum degree jumps about in the graph, so that neighbouring columns of the factors touch
//! distant unknowns. Renumbering the elimination tree in postorder keeps each subtree together
//! [Liu 1990]; any postorder of the tree gives factors with the same number of entries.

use super::ordering::symmetric_lists;
use holonom_dae::Pattern;

const NONE: u32 = u32::MAX;

/// `order` renumbered in postorder of the elimination tree of B + Bᵀ, B being `pattern` with its
/// rows permuted by `row_of_column`.
pub fn postordered(pattern: &Pattern, row_of_column: &[usize], order: &[usize]) -> Vec<usize> {
    let n = order.len();
    let (lists, begin, length) = symmetric_lists(pattern, row_of_column);
    let mut position = vec![0u32; n];
    for (k, &j) in order.iter().enumerate() {
        position[j] = k as u32;
    }

    // Parents, with compressed paths to the root of what is eliminated so far.
    let mut parent = vec![NONE; n];
    let mut ancestor = vec![NONE; n];
    for (k, &j) in order.iter().enumerate() {
        let neighbours = &lists[begin[j]..begin[j] + length[j] as usize];
        for &i in neighbours {
            let mut node = position[i as usize];
            while node != NONE && (node as usize) < k {
                let next = ancestor[node as usize];
                ancestor[node as usize] = k as u32;
                if next == NONE {
                    parent[node as usize] = k as u32;
                }
                node = next;
            }
        }
    }

    // Children as linked lists, ascending because they are entered from the last to the first.
    let mut first_child = vec![NONE; n];
    let mut sibling = vec![NONE; n];
    for k in (0..n).rev() {
        if parent[k] != NONE {
            let p = parent[k] as usize;
            sibling[k] = first_child[p];
            first_child[p] = k as u32;
        }
    }
    let mut result = Vec::with_capacity(n);
    let mut stack = Vec::new();
    for root in (0..n).filter(|k| parent[*k] == NONE) {
        stack.push(root);
        while let Some(&node) = stack.last() {
            match first_child[node] {
                NONE => {
                    result.push(order[node]);
                    stack.pop();
                }
                child => {
                    first_child[node] = sibling[child as usize];
                    stack.push(child as usize);
                }
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subtrees_stay_together() {
        // An arrow: column 4 is connected to all others; 0–2 and 1–3 are two separate pairs.
        let pairs = [(0, 2), (1, 3), (0, 4), (1, 4), (2, 4), (3, 4)];
        let entries = pairs
            .iter()
            .flat_map(|&(i, j)| [(i, j), (j, i)])
            .chain((0..5).map(|i| (i, i)));
        let pattern = Pattern::from_entries(5, 5, entries);
        let identity: Vec<usize> = (0..5).collect();
        assert_eq!(
            postordered(&pattern, &identity, &[0, 1, 2, 3, 4]),
            [0, 2, 1, 3, 4]
        );
    }
}
