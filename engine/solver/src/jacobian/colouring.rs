//! Grouping of columns that share no row, so that one difference serves them all.

use holonom_dae::Structure;

/// Greedy grouping, columns with most entries first [Coleman, Moré 1983]. Columns the
/// structure gives as transposed blocks are in no group.
pub fn group_columns(structure: &Structure) -> Vec<Vec<usize>> {
    let n = structure.dimension();
    let Some(pattern) = &structure.sparsity else {
        return (0..n).map(|j| vec![j]).collect();
    };
    let given = |j: &usize| structure.transposed.iter().any(|b| b.columns.contains(j));
    let mut columns: Vec<usize> = (0..n).filter(|j| !given(j)).collect();
    columns.sort_by_key(|&j| (usize::MAX - pattern.column(j).len(), j));

    // columns_of_row[i]: columns with an entry in row i, to find conflicts quickly.
    let mut columns_of_row = vec![Vec::new(); n];
    for (i, j) in pattern.entries() {
        columns_of_row[i].push(j);
    }
    const NONE: usize = usize::MAX;
    let mut colour = vec![NONE; n];
    let mut forbidden_by = Vec::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &j in &columns {
        for &i in pattern.column(j) {
            for &other in &columns_of_row[i] {
                if colour[other] != NONE {
                    forbidden_by[colour[other]] = j;
                }
            }
        }
        let c = (0..groups.len())
            .find(|&c| forbidden_by[c] != j)
            .unwrap_or(groups.len());
        if c == groups.len() {
            groups.push(Vec::new());
            forbidden_by.push(NONE);
        }
        groups[c].push(j);
        colour[j] = c;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use holonom_dae::Pattern;

    #[test]
    fn groups_are_consistent_and_few() {
        // Tridiagonal: three groups suffice, and no two columns of a group share a row.
        let n = 40;
        let entries = (0..n).flat_map(|j: usize| (j.saturating_sub(1)..(j + 2).min(n)).map(move |i| (i, j)));
        let pattern = Pattern::from_entries(n, n, entries);
        let structure = Structure::unknown(n).with_sparsity(pattern.clone());
        let groups = group_columns(&structure);
        assert_eq!(groups.len(), 3);
        for group in &groups {
            let mut rows: Vec<usize> = group.iter().flat_map(|&j| pattern.column(j).to_vec()).collect();
            let all = rows.len();
            rows.sort_unstable();
            rows.dedup();
            assert_eq!(rows.len(), all);
        }
        assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), n);
    }
}
