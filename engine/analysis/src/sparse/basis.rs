//! A basis of what constraints allow, as sparse as the constraints: an orthonormal one for every group of
//! coordinates that constraints connect, and single coordinates elsewhere.

use super::Sparse;
use crate::dense::{Matrix, dot};

/// An orthonormal basis of the null space of G. Rows that are combinations of others but for `threshold` count as
/// such.
pub fn null_basis(g: &Sparse, threshold: f64) -> Sparse {
    let n = g.columns();
    // Coordinates and rows that belong together: a forest of both.
    let mut parent: Vec<usize> = (0..n + g.rows()).collect();
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    for (i, j, x) in g.entries() {
        if x != 0.0 {
            let (a, b) = (root(&mut parent, j), root(&mut parent, n + i));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut groups: Vec<(Vec<usize>, Vec<usize>)> = vec![Default::default(); n + g.rows()];
    for k in 0..n + g.rows() {
        let group = &mut groups[root(&mut parent, k)];
        match k.checked_sub(n) {
            None => group.0.push(k),
            Some(row) => group.1.push(row),
        }
    }
    let mut triplets = Vec::new();
    let mut columns = 0;
    let mut place = vec![usize::MAX; g.rows()];
    for (coordinates, rows) in groups.into_iter().filter(|(c, _)| !c.is_empty()) {
        if rows.is_empty() {
            triplets.push((coordinates[0], columns, 1.0));
            columns += 1;
            continue;
        }
        rows.iter().enumerate().for_each(|(k, &i)| place[i] = k);
        let mut transposed = Matrix::zeros(coordinates.len(), rows.len());
        for (k, &j) in coordinates.iter().enumerate() {
            for (i, x) in g.column(j).filter(|(_, x)| *x != 0.0) {
                transposed[(k, place[i])] = x;
            }
        }
        let basis = complement(transposed, threshold);
        for k in 0..basis.columns() {
            for (i, x) in coordinates.iter().zip(basis.column(k)) {
                if *x != 0.0 {
                    triplets.push((*i, columns, *x));
                }
            }
            columns += 1;
        }
    }
    Sparse::from_triplets(n, columns, &triplets)
}

/// An orthonormal basis of the vectors that are orthogonal to all columns: the last columns of Q in A P = Q R, by
/// reflections of the longest remaining column.
fn complement(mut a: Matrix, threshold: f64) -> Matrix {
    let (n, m) = (a.rows(), a.columns());
    let mut reflections: Vec<(Vec<f64>, f64)> = Vec::new();
    let mut left: Vec<usize> = (0..m).collect();
    let mut first = 0.0;
    while reflections.len() < n && !left.is_empty() {
        let k = reflections.len();
        let length = |j: usize| dot(&a.column(j)[k..], &a.column(j)[k..]).sqrt();
        let (mut best, mut most) = (0, 0.0);
        for (p, &j) in left.iter().enumerate() {
            if length(j) > most * (1.0 + 1e-9) {
                (best, most) = (p, length(j));
            }
        }
        if k == 0 {
            first = most;
        }
        if most <= threshold * first {
            break;
        }
        let j = left.swap_remove(best);
        let mut w = a.column(j)[k..].to_vec();
        w[0] += most.copysign(w[0]);
        let beta = 2.0 / dot(&w, &w);
        for &j in &left {
            let column = &mut a.column_mut(j)[k..];
            let s = beta * dot(column, &w);
            column.iter_mut().zip(&w).for_each(|(x, w)| *x -= s * w);
        }
        reflections.push((w, beta));
    }
    let rank = reflections.len();
    let mut q = Matrix::zeros(n, n - rank);
    for j in 0..n - rank {
        let column = q.column_mut(j);
        column[rank + j] = 1.0;
        for (k, (w, beta)) in reflections.iter().enumerate().rev() {
            let s = beta * dot(&column[k..], w);
            column[k..].iter_mut().zip(w).for_each(|(x, w)| *x -= s * w);
        }
    }
    q
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependent_rows_leave_more_freedom() {
        // Three groups: one alone, one of two with one row, one of three with two rows that are the same.
        let g = Sparse::from_triplets(
            3,
            6,
            &[
                (0, 1, 1.0),
                (0, 4, 2.0),
                (1, 2, 1.0),
                (1, 3, 1.0),
                (1, 5, 1.0),
                (2, 2, 2.0),
                (2, 3, 2.0),
                (2, 5, 2.0),
            ],
        );
        let basis = null_basis(&g, 1e-10);
        assert_eq!(basis.columns(), 4);
        for k in 0..4 {
            let unit: Vec<f64> = (0..4).map(|i| f64::from(u8::from(i == k))).collect();
            let x = basis.times(&unit);
            assert!((dot(&x, &x) - 1.0).abs() < 1e-14);
            assert!(g.times(&x).iter().all(|r| r.abs() < 1e-14));
        }
    }
}
