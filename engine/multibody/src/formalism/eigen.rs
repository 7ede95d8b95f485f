//! Small dense factorisations that see dependence: one-sided Jacobi and Householder QR with
//! column pivoting. Matrices are stored column by column.

/// Columns shorter than this part of the longest are rounding and are not turned any further.
const NEGLIGIBLE: f64 = 1e-15;

/// Cosines between columns that count as zero.
const ORTHOGONAL: f64 = 1e-15;

/// Sweeps of Jacobi turns; 6 to 10 are usual.
const MAXIMUM_SWEEPS: usize = 40;

/// Σ xᵢ yᵢ in eight partial sums, which the processor can add at once.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (xs, ys) = (x.chunks_exact(8), y.chunks_exact(8));
    let rest: f64 = xs
        .remainder()
        .iter()
        .zip(ys.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in xs.zip(ys) {
        for k in 0..8 {
            sums[k] += x[k] * y[k];
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// Turns the columns of a matrix until they are orthogonal: one-sided Jacobi [Hestenes 1958].
///
/// A V = U Σ with V never formed: column k becomes σₖ uₖ. For a symmetric matrix without negative
/// eigenvalues, σₖ and uₖ are eigenvalues and eigenvectors.
pub(crate) fn orthogonalise(a: &mut [f64], rows: usize, columns: usize) {
    let square = |x: &[f64]| dot(x, x);
    let floor = (0..columns)
        .map(|k| square(&a[k * rows..(k + 1) * rows]))
        .fold(0.0, f64::max)
        * (NEGLIGIBLE * NEGLIGIBLE);
    for _ in 0..MAXIMUM_SWEEPS {
        let mut turned = false;
        for q in 1..columns {
            let (left, right) = a.split_at_mut(q * rows);
            let y = &mut right[..rows];
            for p in 0..q {
                let x = &mut left[p * rows..(p + 1) * rows];
                let (xx, yy) = (square(x), square(y));
                let xy = dot(x, y);
                // Written so that columns that are not numbers are left alone.
                if !(xx > floor && yy > floor && xy.abs() > ORTHOGONAL * (xx * yy).sqrt()) {
                    continue;
                }
                turned = true;
                let zeta = (yy - xx) / (2.0 * xy);
                let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                let c = 1.0 / (1.0 + t * t).sqrt();
                let s = c * t;
                for (x, y) in x.iter_mut().zip(y.iter_mut()) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
            }
        }
        if !turned {
            return;
        }
    }
}

/// x := A⁺ right for a symmetric matrix A without negative eigenvalues; eigenvalues below
/// `relative_threshold` times the largest do not take part. Of all vectors that solve A x = right as
/// well as any, this is the shortest. Destroys A (n × n, both triangles); allocates nothing.
pub(crate) fn minimum_norm(a: &mut [f64], n: usize, relative_threshold: f64, right: &[f64], x: &mut [f64]) {
    orthogonalise(a, n, n);
    x.fill(0.0);
    let length = |w: &[f64]| dot(w, w).sqrt();
    let largest = a.chunks_exact(n.max(1)).map(length).fold(0.0, f64::max);
    for w in a.chunks_exact(n.max(1)) {
        let sigma = length(w);
        if sigma > relative_threshold * largest {
            // w = σ u, and the part of the solution along u is u (u·right)/σ.
            let k = dot(w, right) / sigma.powi(3);
            for (x, w) in x.iter_mut().zip(w) {
                *x += k * w;
            }
        }
    }
}

/// A P = Q R by Householder reflections with column pivoting [Businger, Golub 1965], for a matrix whose columns fall
/// into parts that share no rows: each part has a factorisation of its own, and columns are taken from all of them in
/// one order.
#[derive(Clone, Debug)]
pub(crate) struct PivotedQr {
    parts: Vec<QrPart>,
    /// For every column its part; none for a column without entries.
    part_of: Vec<Option<usize>>,
    /// Square of what is left of every column, by number.
    left: Vec<f64>,
    /// Number of the original column at each place.
    pub pivots: Vec<usize>,
    /// Number of columns that are independent.
    pub rank: usize,
    /// What was left of each column at `pivots` when it was taken, or left out.
    pub lengths: Vec<f64>,
    /// Columns that may count the other way.
    pub doubtful: Vec<usize>,
}

/// Columns of a matrix that share rows with each other only.
#[derive(Clone, Debug, Default)]
pub(crate) struct QrPart {
    /// Numbers of its rows.
    pub rows: Vec<usize>,
    /// Numbers of its columns; those taken come first.
    pub columns: Vec<usize>,
    /// Its entries, column by column; later R above and on the diagonal, reflections below with unit first entry left
    /// out.
    pub a: Vec<f64>,
    beta: Vec<f64>,
    rank: usize,
}

impl PivotedQr {
    /// Factorises a matrix with so many columns. Columns of a lower group are taken before those of a higher one;
    /// within a group the longest remaining one, and the first among equals. `decide` is given a group and the lengths
    /// of what was left of its columns when they were taken, longest first, and tells how many of them
    /// are independent, and how many may be as well.
    pub fn new(
        parts: Vec<QrPart>,
        columns: usize,
        groups: &[u8],
        mut decide: impl FnMut(u8, &[f64]) -> (usize, usize),
    ) -> Self {
        let mut part_of = vec![None; columns];
        let mut left = vec![0.0; columns];
        for (p, part) in parts.iter().enumerate() {
            for (place, &column) in part.columns.iter().enumerate() {
                part_of[column] = Some(p);
                left[column] = part.left(place);
            }
        }
        let mut qr = Self {
            parts,
            part_of,
            left,
            pivots: (0..columns).collect(),
            rank: 0,
            lengths: vec![0.0; columns],
            doubtful: Vec::new(),
        };
        let mut present = groups[..columns].to_vec();
        present.sort_unstable();
        present.dedup();
        let mut left_out = vec![0.0; columns];
        for group in present {
            let begin = qr.clone();
            let mut lengths = Vec::new();
            while let Some(length) = qr.take(group, groups) {
                lengths.push(length);
            }
            let (keep, other) = decide(group, &lengths);
            let keep = keep.min(lengths.len());
            let places = begin.rank + keep.min(other)..begin.rank + keep.max(other).min(lengths.len());
            let doubtful = [&begin.doubtful, &qr.pivots[places]].concat();
            for (k, length) in lengths.iter().enumerate().skip(keep) {
                left_out[qr.pivots[begin.rank + k]] = *length;
            }
            if keep < lengths.len() {
                qr = begin;
                for _ in 0..keep {
                    qr.take(group, groups);
                }
            }
            qr.doubtful = doubtful;
        }
        for k in qr.rank..columns {
            qr.lengths[k] = left_out[qr.pivots[k]];
        }
        qr
    }

    /// Takes the longest column of the group as the next one; gives its length. None when nothing is left.
    fn take(&mut self, group: u8, groups: &[u8]) -> Option<f64> {
        let k = self.rank;
        let places = || (k..self.pivots.len()).filter(|&j| groups[self.pivots[j]] == group);
        let left = |j: usize| self.left[self.pivots[j]];
        // Equal but for rounding: the first one, so that the choice does not depend on it.
        let most = places().map(left).fold(0.0, f64::max) * (1.0 - 1e-6);
        let j = places()
            .filter(|&j| left(j) > 0.0 && left(j) >= most)
            .min_by_key(|&j| self.pivots[j])?;
        let column = self.pivots[j];
        let part = &mut self.parts[self.part_of[column]?];
        let length = self.left[column].sqrt();
        part.take(column, length);
        for place in part.rank..part.columns.len() {
            self.left[part.columns[place]] = part.left(place);
        }
        self.pivots.swap(k, j);
        self.lengths[k] = length;
        self.rank = k + 1;
        Some(length)
    }

    /// The columns that are independent, and the others.
    pub fn choice(&self) -> (&[usize], &[usize]) {
        self.pivots.split_at(self.rank)
    }

    /// What was left of a column when it was taken, or left out.
    pub fn length(&self, column: usize) -> f64 {
        let place = self.pivots.iter().position(|pivot| *pivot == column);
        place.map_or(0.0, |place| self.lengths[place])
    }

    /// Smallest by largest length of the chosen columns: how far from dependent they are; 1 at rank 0.
    pub fn conditioning(&self) -> f64 {
        let chosen = &self.lengths[..self.rank];
        let largest = chosen.iter().copied().fold(0.0, f64::max);
        if self.rank == 0 {
            1.0
        } else {
            chosen.iter().copied().fold(f64::INFINITY, f64::min) / largest
        }
    }

    /// y := y less its part in the space of the columns.
    pub fn remove_range(&self, y: &mut [f64]) {
        for part in &self.parts {
            let mut own: Vec<f64> = part.rows.iter().map(|&row| y[row]).collect();
            for k in 0..part.rank {
                part.apply(k, &mut own);
            }
            own[..part.rank].fill(0.0);
            for k in (0..part.rank).rev() {
                part.apply(k, &mut own);
            }
            part.rows.iter().zip(own).for_each(|(&row, x)| y[row] = x);
        }
    }

    /// Vectors z ≠ 0 with A z = 0, one for each dependent column, which has the entry one.
    pub fn null_vectors(&self) -> Vec<Vec<f64>> {
        let vector = |&column: &usize| {
            let mut z = vec![0.0; self.pivots.len()];
            if let Some(p) = self.part_of[column] {
                self.parts[p].express(column, &mut z);
            }
            z[column] = 1.0;
            z
        };
        self.choice().1.iter().map(vector).collect()
    }
}

impl QrPart {
    /// Square of what is left of the column at a place.
    fn left(&self, place: usize) -> f64 {
        let n = self.rows.len();
        let rest = &self.a[place * n + self.rank.min(n)..(place + 1) * n];
        dot(rest, rest)
    }

    /// Takes a column, of which so much is left, as the next one.
    fn take(&mut self, column: usize, length: f64) {
        let (n, k) = (self.rows.len(), self.rank);
        let Some(j) = self.columns.iter().position(|c| *c == column) else {
            return;
        };
        self.columns.swap(k, j);
        for i in 0..n {
            self.a.swap(k * n + i, j * n + i);
        }
        self.beta
            .push(reflect(&mut self.a, n, self.columns.len(), k, length));
        self.rank = k + 1;
    }

    /// Adds to z by what the taken columns are to be multiplied so that the given one is taken away.
    fn express(&self, column: usize, z: &mut [f64]) {
        let r = |i: usize, j: usize| self.a[j * self.rows.len() + i];
        let Some(j) = self.columns.iter().position(|c| *c == column) else {
            return;
        };
        let mut x: Vec<f64> = (0..self.rank).map(|i| r(i, j)).collect();
        for i in (0..self.rank).rev() {
            let sum: f64 = (i + 1..self.rank).map(|l| r(i, l) * x[l]).sum();
            x[i] = (x[i] - sum) / r(i, i);
            z[self.columns[i]] = -x[i];
        }
    }

    fn apply(&self, k: usize, y: &mut [f64]) {
        let n = self.rows.len();
        let u = &self.a[k * n + k + 1..(k + 1) * n];
        let (first, rest) = y[k..].split_at_mut(1);
        let sum = first[0] + dot(u, rest);
        first[0] -= self.beta[k] * sum;
        for (y, u) in rest.iter_mut().zip(u) {
            *y -= self.beta[k] * sum * u;
        }
    }
}

/// Reflects column k on its first remaining entry, and the columns after it. Gives β of I − β u uᵀ.
fn reflect(a: &mut [f64], rows: usize, columns: usize, k: usize, length: f64) -> f64 {
    let (head, tail) = a.split_at_mut((k + 1) * rows);
    let column = &mut head[k * rows + k..];
    let alpha = if column[0] > 0.0 { -length } else { length };
    let first = column[0] - alpha;
    if first == 0.0 {
        return 0.0;
    }
    let beta = -first / alpha;
    column[1..].iter_mut().for_each(|x| *x /= first);
    column[0] = alpha;
    let u = &column[1..];
    for j in 0..columns - k - 1 {
        let y = &mut tail[j * rows + k..(j + 1) * rows];
        let sum = y[0] + dot(u, &y[1..]);
        y[0] -= beta * sum;
        for (y, u) in y[1..].iter_mut().zip(u) {
            *y -= beta * sum * u;
        }
    }
    beta
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(a: &[f64], rows: usize, x: &[f64]) -> Vec<f64> {
        (0..rows)
            .map(|i| x.iter().enumerate().map(|(j, x)| a[j * rows + i] * x).sum())
            .collect()
    }

    #[test]
    fn shortest_solution_of_a_singular_system() {
        // u uᵀ + 2 v vᵀ with u ⟂ v.
        let (u, v) = ([1.0, 1.0, 0.0], [1.0, -1.0, 1.0]);
        let mut a = [0.0; 9];
        for j in 0..3 {
            for i in 0..3 {
                a[j * 3 + i] = u[i] * u[j] + 2.0 * v[i] * v[j];
            }
        }
        let right = times(&a, 3, &[0.3, -0.4, 0.9]);
        let mut x = [0.0; 3];
        minimum_norm(&mut a.clone(), 3, 1e-10, &right, &mut x);
        for (got, want) in times(&a, 3, &x).iter().zip(&right) {
            assert!((got - want).abs() < 1e-14);
        }
        // Nothing along the null vector (1, −1, −2).
        assert!((x[0] - x[1] - 2.0 * x[2]).abs() < 1e-14);
        minimum_norm(&mut [], 0, 1e-10, &[], &mut []);
    }

    #[test]
    fn pivoted_qr_finds_rank_and_null_vectors() {
        // Columns 0, 1 independent; 2 = 0 + 1; 3 = 0.
        let a = vec![3.0, 0.0, 4.0, 0.0, 1.0, 0.0, 3.0, 1.0, 4.0, 0.0, 0.0, 0.0];
        let whole = |a: &[f64]| QrPart {
            rows: (0..3).collect(),
            columns: (0..4).collect(),
            a: a.to_vec(),
            ..QrPart::default()
        };
        let above = |_: u8, lengths: &[f64]| {
            let rank = lengths.iter().filter(|x| **x > 1e-10).count();
            (rank, rank)
        };
        for groups in [[0, 0, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1]] {
            let qr = PivotedQr::new(vec![whole(&a)], 4, &groups, above);
            assert_eq!(qr.rank, 2);
            let nulls = qr.null_vectors();
            assert_eq!(nulls.len(), 2);
            for z in nulls {
                assert!(times(&a, 3, &z).iter().all(|x| x.abs() < 1e-14), "{z:?}");
            }
            let mut y = [1.0, 2.0, 3.0];
            qr.remove_range(&mut y);
            for j in 0..3 {
                assert!((0..3).map(|i| a[j * 3 + i] * y[i]).sum::<f64>().abs() < 1e-14);
            }
            assert!(y.iter().any(|y| y.abs() > 0.1));
        }
        let qr = PivotedQr::new(vec![whole(&a)], 4, &[0, 0, 1, 0], above);
        assert_eq!(
            {
                let mut p = qr.choice().0.to_vec();
                p.sort_unstable();
                p
            },
            [0, 1]
        );
    }

    /// Columns 0, 2, 4 on rows 0 and 2; 1 and 3 on row 1: taken apart or as one matrix, the result is the same.
    #[test]
    fn parts_are_factorised_as_the_whole_matrix() {
        let columns = [
            [1.0, 0.0, 2.0],
            [0.0, 5.0, 0.0],
            [0.5, 0.0, -1.0],
            [0.0, -2.0, 0.0],
            [1.5, 0.0, 1.0],
        ];
        let part = |rows: &[usize], own: &[usize]| QrPart {
            rows: rows.to_vec(),
            columns: own.to_vec(),
            a: own
                .iter()
                .flat_map(|&j| rows.iter().map(move |&i| columns[j][i]))
                .collect(),
            ..QrPart::default()
        };
        let above = |_: u8, lengths: &[f64]| {
            let rank = lengths.iter().filter(|x| **x > 1e-10).count();
            (rank, rank)
        };
        let whole = PivotedQr::new(vec![part(&[0, 1, 2], &[0, 1, 2, 3, 4])], 5, &[0; 5], above);
        let apart = PivotedQr::new(
            vec![part(&[0, 2], &[0, 2, 4]), part(&[1], &[1, 3])],
            5,
            &[0; 5],
            above,
        );
        assert_eq!(apart.rank, 3);
        assert_eq!(apart.choice().0, whole.choice().0);
        let a: Vec<f64> = columns.concat();
        for z in apart.null_vectors() {
            assert!(times(&a, 3, &z).iter().all(|x| x.abs() < 1e-14), "{z:?}");
        }
        for (x, y) in whole.lengths.iter().zip(&apart.lengths) {
            assert!((x - y).abs() < 1e-14, "{x} {y}");
        }
        let mut y = [1.0, 2.0, 3.0];
        apart.remove_range(&mut y);
        assert!(y.iter().all(|y| y.abs() < 1e-14), "{y:?}");
    }
}
