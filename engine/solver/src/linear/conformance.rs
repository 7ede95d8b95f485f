//! One suite for all linear solvers: every entry of the registry runs every test.

use crate::settings::Owned;

use super::{Entry, Factorised, LinearSolver, LuSparse, Matrix, REGISTRY, Singular};
use holonom_dae::Pattern;

/// A small generator of numbers in (−1, 1) [Marsaglia 2003], so that the tests do not depend on
/// anybody's stream.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407));
        (self.0 >> 33) as usize % n
    }

    fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

/// Later entries of the same place win.
fn from_entries(n: usize, entries: &[(usize, usize, f64)]) -> Matrix {
    let pattern = Pattern::from_entries(n, n, entries.iter().map(|e| (e.0, e.1)));
    let mut a = Matrix::sparse(pattern.clone());
    for &(i, j, v) in entries {
        if let Some(p) = pattern.position(i, j) {
            a.values_mut()[p] = v;
        }
    }
    a
}

fn dense(n: usize, random: &mut Random) -> Matrix {
    let mut a = Matrix::dense(n);
    a.values_mut().iter_mut().for_each(|v| *v = random.next());
    a
}

/// About five entries in a column and a permuted diagonal, so that it is structurally regular.
fn sparse(n: usize, random: &mut Random) -> Matrix {
    let mut entries = Vec::new();
    for j in 0..n {
        for _ in 0..4 {
            entries.push((random.below(n), j, random.next()));
        }
        entries.push(((7 * j + 3) % n, j, 1.0 + random.next().abs()));
    }
    from_entries(n, &entries)
}

/// Bodies of three coordinates in a chain, two constraints between neighbours: [M Gᵀ; G 0].
fn saddle(bodies: usize, random: &mut Random) -> Matrix {
    let mut entries = Vec::new();
    for b in 0..bodies {
        for i in 0..3 {
            for j in 0..3 {
                let value = if i == j { 2.0 } else { 0.3 * random.next() };
                entries.push((3 * b + i, 3 * b + j, value));
            }
        }
    }
    for r in 0..2 * bodies {
        let row = 3 * bodies + r;
        for b in [(r / 2).saturating_sub(1), r / 2] {
            for i in 0..3 {
                let value = random.next();
                entries.push((row, 3 * b + i, value));
                entries.push((3 * b + i, row, value));
            }
        }
    }
    from_entries(5 * bodies, &entries)
}

/// The five-point Laplacian with a first derivative.
fn grid(m: usize) -> Matrix {
    let mut entries = Vec::new();
    for x in 0..m {
        for y in 0..m {
            let i = x + m * y;
            entries.push((i, i, 4.1));
            if x > 0 {
                entries.push((i, i - 1, -1.2));
                entries.push((i - 1, i, -0.8));
            }
            if y > 0 {
                entries.push((i, i - m, -1.0));
                entries.push((i - m, i, -1.0));
            }
        }
    }
    from_entries(m * m, &entries)
}

/// Regular matrices of all kinds and sizes, including those around the sizes at which the dense
/// solver changes its ways.
fn regular() -> Vec<(String, Matrix)> {
    let mut random = Random(0x9E3779B97F4A7C15);
    let mut all = Vec::new();
    for n in [
        1, 2, 3, 4, 5, 8, 13, 16, 21, 28, 31, 32, 33, 36, 47, 64, 65, 97, 130,
    ] {
        all.push((format!("dense {n}"), dense(n, &mut random)));
        all.push((format!("sparse {n}"), sparse(n, &mut random)));
    }
    for bodies in [1, 4, 20, 60] {
        all.push((format!("saddle {bodies}"), saddle(bodies, &mut random)));
    }
    all.push(("grid".into(), grid(14)));
    // units: rows and columns differ by up to 10¹⁶
    for k in 0..4 {
        let mut a = if k % 2 == 0 {
            dense(24 + 10 * k, &mut random)
        } else {
            saddle(8 * k, &mut random)
        };
        let scale = |v: Vec<f64>| v.iter().map(|x| 10_f64.powf(8.0 * x)).collect::<Vec<_>>();
        let n = a.n();
        a.scale_rows_columns(&scale(random.vector(n)), &scale(random.vector(n)));
        all.push((format!("scaled {k}"), a));
    }
    all
}

/// max_i |b − A x|_i / (|A||x| + |b|)_i, the componentwise backward error [Oettli, Prager 1964].
fn backward_error(a: &Matrix, x: &[f64], b: &[f64]) -> f64 {
    let mut residual = b.to_vec();
    let mut size: Vec<f64> = b.iter().map(|v| v.abs()).collect();
    a.for_each(|i, j, v| {
        residual[i] -= v * x[j];
        size[i] += (v * x[j]).abs();
    });
    let ratios = residual.iter().zip(&size).map(|(r, s)| r.abs() / s.max(1e-300));
    ratios.fold(0.0, |m, r| if r <= m { m } else { r })
}

fn transposed(a: &Matrix) -> Matrix {
    let mut entries = Vec::new();
    a.for_each(|i, j, v| entries.push((j, i, v)));
    from_entries(a.n(), &entries)
}

fn solver(entry: &Entry, a: &Matrix) -> Box<dyn LinearSolver> {
    (entry.build)(a.n(), a.pattern(), &Owned::default())
}

/// Factorises or fails the test.
#[track_caller]
fn factorise(lu: &mut dyn LinearSolver, a: &Matrix, name: &str) -> Factorised {
    match lu.factorise(a) {
        Ok(done) => done,
        Err(error) => panic!("{}: {name}: {error}", lu.name()),
    }
}

#[test]
fn names_are_unique_and_found() {
    for entry in REGISTRY {
        let found = super::build(entry.name, 3, None);
        assert_eq!(found.map(|s| s.name()), Some(entry.name));
        assert_eq!(REGISTRY.iter().filter(|e| e.name == entry.name).count(), 1);
        assert!(!entry.description.is_empty() && !entry.literature.is_empty());
    }
    assert!(super::build("lu-sparce", 3, None).is_none());
}

#[test]
fn solutions_are_backward_stable() {
    let mut random = Random(1);
    for entry in REGISTRY {
        for (name, a) in &regular() {
            let n = a.n();
            let mut lu = solver(entry, a);
            let growth = factorise(&mut *lu, a, name).pivot_growth;
            let b = random.vector(n);
            let limit = 1e-14 * n as f64 * growth.max(1.0);
            for (matrix, is_transposed) in [(a.clone(), false), (transposed(a), true)] {
                let mut x = b.clone();
                if is_transposed {
                    lu.solve_transposed(&mut x);
                } else {
                    lu.solve(&mut x);
                }
                // transposed, the scales of the rows stand in the way of a componentwise statement
                let error = backward_error(&matrix, &x, &b);
                assert!(
                    error < limit || is_transposed && name.starts_with("scaled"),
                    "{} {name}: backward error {error:.1e} (transposed: {is_transposed})",
                    entry.name
                );
            }
            // refinement brings it down to rounding, whatever the pivots were
            let mut x = b.clone();
            lu.solve_refined(a, &mut x);
            let refined = backward_error(a, &x, &b);
            assert!(
                refined < 2e-15 * (n as f64).sqrt(),
                "{} {name}: {refined:.1e}",
                entry.name
            );
        }
    }
}

#[test]
fn factors_multiply_to_the_permuted_matrix() {
    for entry in REGISTRY {
        for (name, a) in &regular() {
            let n = a.n();
            let mut lu = solver(entry, a);
            let growth = factorise(&mut *lu, a, name).pivot_growth;
            let Some(factors) = lu.factors() else {
                panic!("{} {name}: no factors", entry.name);
            };
            let (mut l, mut u) = (Matrix::dense(n), Matrix::dense(n));
            factors.for_each_lower(|i, j, v| l.values_mut()[i + j * n] = v);
            (0..n).for_each(|k| l.values_mut()[k + k * n] = 1.0);
            factors.for_each_upper(|i, j, v| u.values_mut()[i + j * n] = v);
            let (rows, columns) = factors.orders();
            let a = a.to_dense();
            let row_max = |i: usize| (0..n).fold(0.0, |m: f64, j| m.max(a.get(i, j).abs()));
            for k in 0..n {
                let mut product = vec![0.0; n];
                l.mul_vec(u.column_values(k), &mut product);
                for i in 0..n {
                    let row = rows[i] as usize;
                    let difference = (product[i] - a.get(row, columns[k] as usize)).abs();
                    let limit = 1e-15 * n as f64 * growth.max(1.0) * row_max(row);
                    assert!(
                        difference <= limit,
                        "{} {name}: ({i}, {k}) {difference:.1e}",
                        entry.name
                    );
                }
            }
        }
    }
}

#[test]
fn kept_pivots_give_what_fresh_ones_give() {
    let mut random = Random(2);
    for entry in REGISTRY {
        for (name, a) in &regular() {
            let mut kept = solver(entry, a);
            factorise(&mut *kept, a, name);
            // the same matrix again: the same bits
            let b = random.vector(a.n());
            let (mut x, mut y) = (b.clone(), b.clone());
            kept.solve(&mut x);
            assert!(!factorise(&mut *kept, a, name).repivoted);
            kept.solve(&mut y);
            assert_eq!(x, y, "{} {name}", entry.name);
            // nearby values: equal to rounding
            let mut near = a.clone();
            near.values_mut()
                .iter_mut()
                .for_each(|v| *v *= 1.0 + 1e-3 * random.next());
            let mut fresh = solver(entry, a);
            factorise(&mut *kept, &near, name);
            factorise(&mut *fresh, &near, name);
            for lu in [&mut kept, &mut fresh] {
                let mut x = b.clone();
                lu.solve_refined(&near, &mut x);
                let error = backward_error(&near, &x, &b);
                assert!(error < 1e-14 * a.n() as f64, "{} {name}: {error:.1e}", entry.name);
            }
        }
    }
}

#[test]
fn pivots_that_no_longer_suit_are_given_up() {
    let mut random = Random(3);
    for entry in REGISTRY {
        for n in [12, 40, 90] {
            // a strong diagonal, then none
            let mut a = sparse(n, &mut random);
            let pattern = a.pattern().cloned().unwrap_or_else(|| Pattern::dense(n, n));
            let strong: Vec<(usize, usize)> = (0..n).map(|j| ((7 * j + 3) % n, j)).collect();
            for &(i, j) in &strong {
                if let Some(p) = pattern.position(i, j) {
                    a.values_mut()[p] = 50.0;
                }
            }
            let mut entries = Vec::new();
            a.for_each(|i, j, v| entries.push((i, j, v)));
            entries.extend((0..n).map(|j| ((7 * j + 4) % n, j, 0.01 * random.next())));
            let mut a = from_entries(n, &entries);
            let mut lu = solver(entry, &a);
            factorise(&mut *lu, &a, "strong");
            let pattern = a.pattern().cloned().unwrap_or_else(|| Pattern::dense(n, n));
            for (k, &(i, j)) in strong.iter().enumerate() {
                if let Some(p) = pattern.position(i, j) {
                    a.values_mut()[p] = 1e-13 * (k as f64 - 4.5);
                }
                if let Some(p) = pattern.position((7 * j + 4) % n, j) {
                    a.values_mut()[p] = 30.0;
                }
            }
            let done = factorise(&mut *lu, &a, "weak");
            if entry.name == "lu-sparse" {
                assert!(done.repivoted);
            }
            let b = random.vector(n);
            let mut x = b.clone();
            lu.solve(&mut x);
            let error = backward_error(&a, &x, &b);
            assert!(error < 1e-13 * n as f64, "{} {n}: {error:.1e}", entry.name);
            // An iterative solver may renew its old factors here, because the solve showed that they no longer serve.
            if entry.name != "gmres" {
                assert!(!factorise(&mut *lu, &a, "again").repivoted);
            }
        }
    }
}

#[test]
fn structural_singularity_is_named() {
    for entry in REGISTRY {
        // columns 2 and 5 have one row between them
        let n = 8;
        let mut entries: Vec<_> = (0..n).map(|i| (i, i, 1.0)).collect();
        entries.retain(|e| e.0 != 5);
        entries.extend([(2, 5, 3.0), (5, 0, 1.0), (5, 7, 2.0), (3, 4, 1.0)]);
        for a in [from_entries(n, &entries), from_entries(n, &entries).to_dense()] {
            let mut lu = solver(entry, &a);
            match lu.factorise(&a) {
                Err(Singular::Structural { row, column }) => {
                    assert!([5, 0, 7].contains(&row), "{}: row {row}", entry.name);
                    assert!([2, 5].contains(&column), "{}: column {column}", entry.name);
                }
                other => panic!("{}: {other:?}", entry.name),
            }
            assert!(lu.factors().is_none());
            let mut b = vec![1.0; n];
            lu.solve(&mut b);
            assert!(b.iter().all(|v| v.is_nan()));
        }
    }
}

#[test]
fn a_redundant_constraint_is_named() {
    let mut random = Random(4);
    for entry in REGISTRY {
        for bodies in [4, 20, 40] {
            // constraint `second` repeats `first` in other units; so do the columns of their
            // multipliers
            let mut a = saddle(bodies, &mut random).to_dense();
            let n = a.n();
            let (first, second) = (3 * bodies + 2, 3 * bodies + 5);
            for i in 0..n {
                let (row, column) = (a.get(first, i), a.get(i, first));
                a.values_mut()[second + i * n] = 1000.0 * row;
                a.values_mut()[i + second * n] = 1000.0 * column;
            }
            let mut entries = Vec::new();
            a.for_each(|i, j, v| {
                if v != 0.0 {
                    entries.push((i, j, v));
                }
            });
            for a in [from_entries(n, &entries), a] {
                let mut lu = solver(entry, &a);
                match lu.factorise(&a) {
                    Err(Singular::Numerical { row, column }) => {
                        assert!([first, second].contains(&row), "{}: row {row}", entry.name);
                        assert!(
                            [first, second].contains(&column),
                            "{}: column {column}",
                            entry.name
                        );
                    }
                    other => panic!("{} {bodies}: {other:?}", entry.name),
                }
            }
        }
    }
}

#[test]
fn doubtful_but_regular_matrices_are_accepted() {
    for entry in REGISTRY {
        // stiff spring between light bodies: K = 10¹³ s
        let a = from_entries(
            2,
            &[(0, 0, 1e13 + 1.0), (0, 1, -1e13), (1, 0, -1e13), (1, 1, 1e13)],
        );
        factorise(&mut *solver(entry, &a), &a, "stiff");
        // index 3 with h = 10⁻⁶: [M/h² Gᵀ; G 0]
        let a = from_entries(
            3,
            &[
                (0, 0, 1e12),
                (1, 1, 1e12),
                (2, 0, 0.6),
                (2, 1, 0.8),
                (0, 2, 0.6),
                (1, 2, 0.8),
            ],
        );
        factorise(&mut *solver(entry, &a), &a, "index 3");
        let a = from_entries(2, &[(0, 0, 1e-200), (1, 1, 1e200), (0, 1, 1e-190)]);
        factorise(&mut *solver(entry, &a), &a, "extreme");
    }
}

#[test]
fn values_that_are_not_finite_are_named() {
    let mut random = Random(5);
    for entry in REGISTRY {
        for n in [6, 40] {
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                for mut a in [dense(n, &mut random), sparse(n, &mut random)] {
                    let mut lu = solver(entry, &a);
                    factorise(&mut *lu, &a, "good");
                    let good = a.clone();
                    let place = a.values().len() - 2;
                    a.values_mut()[place] = bad;
                    let expected = a
                        .first_non_finite()
                        .map(|(row, column)| Singular::NonFinite { row, column });
                    assert_eq!(lu.factorise(&a).err(), expected, "{}", entry.name);
                    assert!(lu.factors().is_none());
                    factorise(&mut *lu, &good, "good again");
                }
            }
        }
    }
}

#[test]
fn condition_estimates_are_within_a_factor_of_ten() {
    let mut random = Random(6);
    for entry in REGISTRY {
        for n in [1, 2, 5, 12, 30] {
            for k in 0..6 {
                let mut a = dense(n, &mut random);
                let columns: Vec<f64> = (0..n).map(|j| 10_f64.powi(-((j * k) as i32) / 4)).collect();
                a.scale_rows_columns(&vec![1.0; n], &columns);
                let mut lu = solver(entry, &a);
                factorise(&mut *lu, &a, "conditioned");
                let mut inverse_norm: f64 = 0.0;
                for j in 0..n {
                    let mut e = vec![0.0; n];
                    e[j] = 1.0;
                    lu.solve(&mut e);
                    inverse_norm = inverse_norm.max(e.iter().map(|v| v.abs()).sum());
                }
                let truth = 1.0 / (a.norm_1() * inverse_norm);
                let estimate = lu.reciprocal_condition(a.norm_1());
                assert!(
                    estimate >= 0.999 * truth && estimate <= 10.0 * truth,
                    "{} {n}: {estimate:.2e} for {truth:.2e}",
                    entry.name
                );
            }
        }
    }
}

#[test]
fn a_restored_solver_gives_the_same_bits() {
    let mut random = Random(7);
    for entry in REGISTRY {
        for (name, a) in &regular() {
            let mut lu = solver(entry, a);
            factorise(&mut *lu, a, name);
            let state = lu.checkpoint();
            let mut other = solver(entry, a);
            other.restore(&state);
            assert_eq!(other.checkpoint(), state);
            let b = random.vector(a.n());
            let mut near = a.clone();
            near.values_mut()
                .iter_mut()
                .for_each(|v| *v *= 1.0 + 1e-3 * random.next());
            for matrix in [None, Some(&near)] {
                if let Some(matrix) = matrix {
                    assert_eq!(lu.factorise(matrix), other.factorise(matrix));
                }
                let (mut x, mut y) = (b.clone(), b.clone());
                lu.solve(&mut x);
                other.solve(&mut y);
                assert_eq!(x, y, "{} {name}", entry.name);
            }
        }
        // a state of another size is refused
        let mut lu = (entry.build)(3, None, &Owned::default());
        let foreign = (entry.build)(4, None, &Owned::default()).checkpoint();
        lu.restore(&foreign);
        assert!(lu.factors().is_none());
    }
}

#[test]
fn a_state_survives_being_written() {
    for entry in REGISTRY {
        let a = grid(5);
        let mut lu = solver(entry, &a);
        factorise(&mut *lu, &a, "grid");
        let state = lu.checkpoint();
        let text = serde_json::to_string(&state).unwrap_or_default();
        let read: Option<crate::State> = serde_json::from_str(&text).ok();
        assert_eq!(read, Some(state), "{}", entry.name);
    }
}

#[test]
fn a_new_pattern_is_analysed_anew() {
    let mut random = Random(8);
    for entry in REGISTRY {
        let mut lu = (entry.build)(30, None, &Owned::default());
        for k in 0..6 {
            let a = if k % 3 == 2 {
                dense(30, &mut random)
            } else {
                sparse(30, &mut random)
            };
            assert!(!factorise(&mut *lu, &a, "changing").repivoted);
            let b = random.vector(30);
            let mut x = b.clone();
            lu.solve_refined(&a, &mut x);
            assert!(backward_error(&a, &x, &b) < 1e-14, "{}", entry.name);
        }
    }
}

#[test]
fn fill_stays_small_where_it_can() {
    // a chain of bodies with its constraints has factors in proportion to its length
    let mut random = Random(9);
    let entries = |bodies: usize, random: &mut Random| {
        let a = saddle(bodies, random);
        let mut lu = LuSparse::new(a.n());
        factorise(&mut lu, &a, "chain");
        lu.factors().map_or(0, |f| f.n_entries()) as f64
    };
    let (short, long) = (entries(200, &mut random), entries(2000, &mut random));
    assert!(long < 10.5 * short, "{short} entries, ten times longer {long}");
    assert!(short < 60.0 * 200.0, "{short} entries for 200 bodies");
}
