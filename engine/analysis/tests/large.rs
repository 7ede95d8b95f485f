//! Sparse against dense matrices on mechanisms made at random: equilibria, modes, multiple eigenvalues.

#![allow(clippy::unwrap_used)]

use holonom_analysis::AnalysisError;
use holonom_analysis::dense::{Complex, Matrix, Svd};
use holonom_analysis::modes::{Completeness, Modes, ModesOptions, Selection, modes, selected, state_of};
use holonom_analysis::statics::{StaticsOptions, equilibrium};
use holonom_multibody::Description;
use holonom_multibody::description::{Body, Constraint, Force, Joint, frame};
use holonom_multibody::start::Assembled;
#[allow(dead_code)]
use holonom_testing::Random;
use std::sync::Arc;

fn assembled(d: &Description) -> Assembled {
    Arc::new(d.compile().unwrap())
        .assemble(&Default::default())
        .unwrap()
}

/// What is put at the nodes of a lattice.
#[derive(Clone, Copy, PartialEq)]
enum Nodes {
    /// Free bodies on springs between their centres, which leave their turns free.
    Points,
    /// Free bodies on springs between markers beside their centres.
    Bodies,
    /// Arms that turn about pins on the ground.
    Arms,
    /// Wheels that spin about pins, on springs.
    Sliders,
}

/// A lattice of nx × ny × nz nodes with springs between neighbours; equal ones have many multiple eigenvalues.
fn lattice(
    r: &mut Random,
    [nx, ny, nz]: [usize; 3],
    nodes: Nodes,
    damped: bool,
    equal: bool,
    held: bool,
) -> Description {
    let mut d = Description::new("lattice").gravity([0.0, 0.0, 0.0]);
    let name = |i: usize, j: usize, k: usize| format!("b{i}_{j}_{k}");
    let mut vary = |low: f64, high: f64| match equal {
        true => 0.5 * (low + high),
        false => r.range(low, high),
    };
    for (i, j, k) in (0..nx).flat_map(|i| (0..ny).flat_map(move |j| (0..nz).map(move |k| (i, j, k)))) {
        let at = [i as f64, j as f64, k as f64];
        let own = name(i, j, k);
        let (mass, inertia) = (vary(0.5, 2.0), vary(0.02, 0.08));
        let body = Body::new(&own, mass)
            .inertia_diagonal([inertia, 1.2 * inertia, 0.9 * inertia])
            .marker("o", frame::at([0.1, -0.05, 0.08]));
        d = d.ground_marker(format!("g{own}"), frame::at(at));
        let (joint, from) = (format!("j{own}"), format!("ground.g{own}"));
        d = match nodes {
            Nodes::Points | Nodes::Bodies => d.body(body).joint(Joint::free(joint, from, &own)),
            Nodes::Arms => {
                let axis = [0.2 + 0.1 * (i % 3) as f64, 0.5, 1.0];
                d.body(body.centre([0.2, 0.1, 0.0]))
                    .joint(Joint::revolute(joint, from, &own).axis(axis))
            }
            Nodes::Sliders => {
                d.body(body)
                    .joint(Joint::prismatic(joint, from, &own).axis([1.0, 0.3, 0.1 * (j % 4) as f64]))
            }
        };
    }
    let marker = |own: String| match nodes {
        Nodes::Bodies | Nodes::Arms => format!("{own}.o"),
        _ => own,
    };
    let mut count = 0;
    let mut spring = |d: Description, from: String, to: String, length: f64| {
        count += 1;
        let k = vary(300.0, 900.0);
        let c = if damped { vary(0.3, 2.0) } else { 0.0 };
        d.force(Force::spring_damper(format!("s{count}"), from, to, k, c, length))
    };
    for (i, j, k) in (0..nx).flat_map(|i| (0..ny).flat_map(move |j| (0..nz).map(move |k| (i, j, k)))) {
        for (di, dj, dk) in [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1)] {
            if i + di < nx && j + dj < ny && k + dk < nz {
                let length = ((di + dj + dk) as f64).sqrt();
                d = spring(
                    d,
                    marker(name(i, j, k)),
                    marker(name(i + di, j + dj, k + dk)),
                    length,
                );
            }
        }
        if held && (i == 0 || (j == 0 && k == 0)) {
            for (side, offset) in [[0.0, 0.0, 0.7], [0.6, 0.0, 0.0], [0.0, 0.8, 0.0]]
                .into_iter()
                .enumerate()
            {
                let own = name(i, j, k);
                let place = [i as f64 + offset[0], j as f64 + offset[1], k as f64 + offset[2]];
                d = d.ground_marker(format!("h{own}_{side}"), frame::at(place));
                d = spring(d, format!("ground.h{own}_{side}"), own, 0.5);
            }
        }
    }
    d
}

/// The same modes, multiple ones as spaces.
fn assert_same(case: &str, dense: &Modes, sparse: &Modes) {
    assert_ne!(sparse.completeness, Completeness::All, "{case}");
    assert_ne!(sparse.completeness, Completeness::Unknown, "{case}");
    assert_eq!(
        (dense.zeros, dense.free, dense.states, dense.degrees_of_freedom),
        (
            sparse.zeros,
            sparse.free,
            sparse.states,
            sparse.degrees_of_freedom
        ),
        "{case}: zeros, free directions, states, degrees of freedom"
    );
    assert!(sparse.residual.unwrap() < 1e-9, "{case}: {:?}", sparse.residual);
    for (k, (a, b)) in dense.modes.iter().zip(&sparse.modes).enumerate() {
        let size = a.eigenvalue.abs();
        assert!(
            (a.eigenvalue.abs() - b.eigenvalue.abs()).abs() <= 1e-9 * size,
            "{case}, mode {k}: {:?} is not {:?}",
            b.eigenvalue,
            a.eigenvalue
        );
    }
    // Every shape lies in the space of those with the same eigenvalue.
    for (k, b) in sparse.modes.iter().enumerate() {
        let near = |e: Complex| (e - b.eigenvalue).abs() <= 1e-7 * b.eigenvalue.abs();
        let own: Vec<&Vec<Complex>> = (dense.modes.iter().filter(|a| near(a.eigenvalue)))
            .map(|a| &a.shape.coordinates)
            .collect();
        assert!(
            !own.is_empty(),
            "{case}, mode {k}: {:?} is no eigenvalue",
            b.eigenvalue
        );
        let n = b.shape.coordinates.len();
        // Complex combinations by real ones: (re, im) of v and of i v.
        let basis = Matrix::from_fn(2 * n, 2 * own.len(), |i, j| {
            let z = own[j / 2][i % n];
            let z = if j % 2 == 0 { z } else { z * Complex::new(0.0, 1.0) };
            if i < n { z.re } else { z.im }
        });
        let part = |i: usize| b.shape.coordinates[i % n];
        let right: Vec<f64> = (0..2 * n)
            .map(|i| if i < n { part(i).re } else { part(i).im })
            .collect();
        let x = Svd::new(&basis).least_squares(&right, 1e-9);
        let fit = basis.times_vector(&x);
        let rest: f64 = fit
            .iter()
            .zip(&right)
            .map(|(f, r)| (f - r).powi(2))
            .sum::<f64>()
            .sqrt();
        let size: f64 = right.iter().map(|r| r * r).sum::<f64>().sqrt();
        assert!(
            rest <= 1e-5 * size,
            "{case}, mode {k}: shape is off by {:e}",
            rest / size
        );
    }
}

fn sparsely(
    start: &Assembled,
    state: &holonom_analysis::State,
    selection: Selection,
) -> Result<Modes, AnalysisError> {
    let options = ModesOptions::default().selection(selection).dense_up_to(0);
    selected(start, state, &options)
}

#[test]
fn lattices_have_the_modes_of_dense_matrices() {
    let kinds = [Nodes::Points, Nodes::Bodies, Nodes::Arms, Nodes::Sliders];
    for seed in 0..16 {
        let mut r = Random::new(seed);
        let nodes = kinds[seed as usize % 4];
        let (damped, equal) = (seed / 4 % 2 == 1, seed / 8 == 1);
        let sizes = match nodes {
            Nodes::Points | Nodes::Bodies => [[3, 2, 2], [9, 1, 1], [4, 3, 1]][r.below(3)],
            _ => [[4, 4, 4], [50, 1, 1], [7, 7, 1]][r.below(3)],
        };
        let held = r.chance(0.6);
        let case = format!("seed {seed}, {sizes:?}, damped {damped}, equal {equal}, held {held}");
        let start = assembled(&lattice(&mut r, sizes, nodes, damped, equal, held));
        let rest = |dense_up_to: usize| {
            let options = StaticsOptions::default().dense_up_to(dense_up_to);
            equilibrium(&start, &options).unwrap()
        };
        let (one, other) = (rest(usize::MAX), rest(0));
        assert_eq!(one.stability, other.stability, "{case}");
        assert_eq!(one.open.len(), other.open.len(), "{case}");
        assert!(other.unbalanced < 1e-9, "{case}");
        if one.open.is_empty() {
            for (a, b) in one.state.q.iter().zip(&other.state.q) {
                assert!((a - b).abs() < 1e-7, "{case}: {a} {b}");
            }
        }
        let all = modes(&one.start, &one.state).unwrap();
        for count in [1, 6] {
            let some = sparsely(&one.start, &one.state, Selection::Lowest(count))
                .unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!(some.modes.len(), count.min(all.modes.len()), "{case}");
            assert_same(&format!("{case}, lowest {count}"), &all, &some);
        }
        // A window with some modes in it.
        let (first, last) = (all.modes.len() / 3, all.modes.len() / 2);
        let (from, to) = (
            0.999 * all.modes[first].frequency(),
            1.001 * all.modes[last].frequency(),
        );
        let within = sparsely(&one.start, &one.state, Selection::Between { from, to }).unwrap();
        let mut expected = all.clone();
        expected.modes.retain(|m| (from..=to).contains(&m.frequency()));
        assert_eq!(
            within.modes.len(),
            expected.modes.len(),
            "{case}, {from} to {to} Hz"
        );
        assert_same(&format!("{case}, window"), &expected, &within);
    }
}

#[test]
fn loops_on_joints_have_the_modes_of_dense_matrices() {
    // Ladders of parallelograms and of triangles: cut joints, distances, redundant rows.
    for seed in 0..8 {
        let mut r = Random::new(100 + seed);
        let n = 3 + r.below(6);
        let damped = r.chance(0.5);
        let mut d = Description::new("ladder").gravity([0.0, 0.0, -9.81]);
        for i in 0..n {
            let (own, base) = (format!("b{i}"), format!("m{i}"));
            let at = [i as f64, 0.0, 0.0];
            d = d
                .ground_marker(&base, frame::at(at))
                .body(
                    Body::new(&own, r.range(0.5, 2.0))
                        .centre([0.0, 0.0, -0.5])
                        .inertia_diagonal([0.1, 0.2, 0.1])
                        .marker("t", frame::at([0.0, 0.0, -1.0])),
                )
                .joint(
                    Joint::revolute(format!("p{i}"), format!("ground.{base}"), &own).axis([0.0, 1.0, 0.0]),
                );
            if i > 0 && r.chance(0.6) {
                d = d.constraint(Constraint::distance(
                    format!("d{i}"),
                    format!("b{}.t", i - 1),
                    format!("b{i}.t"),
                    1.0,
                ));
            } else if i > 0 {
                let c = if damped { r.range(0.1, 1.0) } else { 0.0 };
                let k = r.range(20.0, 90.0);
                d = d.force(Force::spring_damper(
                    format!("s{i}"),
                    format!("b{}.t", i - 1),
                    format!("b{i}.t"),
                    k,
                    c,
                    1.0,
                ));
            }
        }
        let start = assembled(&d);
        let [dense, sparse] = [usize::MAX, 0].map(|dense_up_to| {
            let options = StaticsOptions::default().dense_up_to(dense_up_to);
            equilibrium(&start, &options).unwrap()
        });
        assert_eq!(dense.stability, sparse.stability, "seed {seed}");
        let all = modes(&dense.start, &dense.state).unwrap();
        let some = sparsely(&dense.start, &dense.state, Selection::Lowest(3)).unwrap();
        assert_same(&format!("seed {seed}"), &all, &some);
    }
}

/// Mechanisms of all kinds at their start, whatever moves there.
#[test]
fn random_mechanisms_have_the_modes_of_dense_matrices() {
    let (mut compared, mut moving) = (0, 0);
    for seed in 0..120 {
        let d = holonom_testing::description(seed, 6);
        let Ok(model) = d.compile() else { continue };
        let Ok(start) = Arc::new(model).assemble(&Default::default()) else {
            continue;
        };
        if start.rows.singular_start || start.degrees_of_freedom() == 0 {
            continue;
        }
        let state = state_of(&start);
        let Ok(all) = modes(&start, &state) else { continue };
        let Ok(some) = sparsely(&start, &state, Selection::Lowest(4)) else {
            continue;
        };
        if some.completeness == Completeness::All || all.modes.is_empty() {
            continue;
        }
        // Eigenvalues that are nearly multiple, or next to zero, have few digits in either.
        for (k, b) in some.modes.iter().enumerate() {
            let near = all
                .modes
                .iter()
                .map(|a| (a.eigenvalue - b.eigenvalue).abs())
                .fold(f64::MAX, f64::min);
            let size = all.modes.iter().map(|a| a.eigenvalue.abs()).fold(0.0, f64::max);
            assert!(
                near <= 1e-6 * b.eigenvalue.abs() + 1e-9 * size,
                "seed {seed}, mode {k}: {:?} among {:?}",
                b.eigenvalue,
                all.modes.iter().map(|m| m.eigenvalue).collect::<Vec<_>>()
            );
        }
        compared += 1;
        moving += usize::from(state.v.iter().any(|v| *v != 0.0));
    }
    assert!(compared > 40 && moving > 20, "{compared} {moving}");
}
