//! Every engine agrees with dual numbers on every problem, and does not cost more than it must.

use super::{JacobianPoint, REGISTRY, Setup, Sparsity, SplitJacobian, allocate};
use crate::equations::Equations;
use holonom_algebra::{Dual8, Real};
use holonom_dae::problems::{self, Problem};
use holonom_dae::{Closure, Counters, DerivativeForm, Pattern, Structure, System, Tolerances, Weights};

const TOL: f64 = 1e-6;
const H: f64 = 1e-3;

fn traced(sparse: bool, combined: bool) -> Setup {
    Setup {
        sparse,
        combined,
        sparsity: Sparsity::Traced,
    }
}

fn dual_jacobians(system: &mut dyn System, t: f64, y: &[f64], yp: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let n = y.len();
    let constant = |v: &[f64]| v.iter().map(|x| Dual8::constant(*x)).collect::<Vec<_>>();
    let mut parts = [vec![0.0; n * n], vec![0.0; n * n]];
    for (part, matrix) in parts.iter_mut().enumerate() {
        for first in (0..n).step_by(8) {
            let mut at = [constant(y), constant(yp)];
            let mut r = vec![Dual8::zero(); n];
            for j in first..n.min(first + 8) {
                at[part][j] = Dual8::variable(at[part][j].value(), j - first);
            }
            let evaluated = system.residual_dual8(Dual8::constant(t), &at[0], &at[1], &mut r);
            assert!(evaluated.is_ok());
            for j in first..n.min(first + 8) {
                for i in 0..n {
                    matrix[i + j * n] = r[i].derivative(j - first);
                }
            }
        }
    }
    let [f_y, f_yp] = parts;
    (f_y, f_yp)
}

/// A point off the start, so that few entries are zero by chance.
fn point(p: &Problem) -> (f64, Vec<f64>, Vec<f64>) {
    let mut seed = 1u64;
    let mut random = || {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    let y =
        p.y0.iter()
            .map(|y| y * (1.0 + 0.02 * random()) + 1e-2 * random())
            .collect();
    let yp = p
        .yp0
        .iter()
        .map(|y| y * (1.0 + 0.02 * random()) + 1e-2 * random())
        .collect();
    (p.t0, y, yp)
}

/// Largest deviation of α f_yp + f_y and where it is. Entry (i, j) is measured by what it makes of a
/// change of y_j in its usual size, next to all the terms of its row: no difference of f64 can do
/// better.
fn deviation(
    found: &SplitJacobian,
    alpha: f64,
    (f_y, f_yp): (&[f64], &[f64]),
    (y, yp): (&[f64], &[f64]),
) -> (f64, usize, usize) {
    let n = y.len();
    let size = |j: usize| y[j].abs().max(1e-3);
    let mut worst = (0.0, 0, 0);
    for i in 0..n {
        let exact = |j: usize| alpha * f_yp[i + j * n] + f_y[i + j * n];
        let row: f64 = (0..n)
            .map(|j| exact(j).abs() * size(j) + (f_yp[i + j * n] * yp[j]).abs())
            .sum();
        for j in 0..n {
            let value = if found.separated {
                alpha * found.f_yp.get(i, j) + found.f_y.get(i, j)
            } else {
                found.f_y.get(i, j)
            };
            let d = (value - exact(j)).abs() * size(j) / row;
            if d.is_nan() || d > worst.0 {
                worst = (d, i, j);
            }
        }
    }
    worst
}

#[test]
fn engines_agree_with_dual_numbers() {
    let mut all: Vec<Problem> = problems::all();
    all.retain(|p| !p.name.starts_with("brusselator"));
    let more = [
        "brusselator:20",
        "car-axle-index1",
        "car-axle-index3",
        "andrews-index1",
        "chain-residual:3",
    ];
    all.extend(more.iter().filter_map(|name| problems::find(name)));
    let mut bad = Vec::new();
    for p in &all {
        let mut system = (p.build)();
        assert!(system.has_duals(), "{}", p.name);
        let structure = system.structure().clone();
        let (t, y, yp) = point(p);
        let n = y.len();
        let (f_y, f_yp) = dual_jacobians(system.as_mut(), t, &y, &yp);
        let mut r = vec![0.0; n];
        assert!(system.residual(t, &y, &yp, &mut r).is_ok());
        let mut weights = Weights::plain(Tolerances::new(TOL, TOL * p.atol_factor), n);
        weights.update(&y, 1.0);
        for entry in REGISTRY {
            for sparse in [false, true] {
                if (sparse || entry.needs_pattern) && structure.sparsity.is_none() {
                    continue;
                }
                for combined in [false, true] {
                    let what = format!(
                        "{} on {}, sparse {sparse}, combined {combined}",
                        entry.name, p.name
                    );
                    for alpha in [1.0, 1.0 / H] {
                        let mut engine = (entry.build)(&structure, traced(sparse, combined));
                        let mut out = allocate(&structure, sparse, combined);
                        let mut counters = Counters::default();
                        let mut equations = Equations {
                            system: system.as_mut(),
                            counters: &mut counters,
                        };
                        let at = JacobianPoint {
                            t,
                            y: &y,
                            yp: &yp,
                            residual: &r,
                            alpha,
                            h: H,
                            weights: &weights,
                        };
                        assert!(engine.evaluate(&mut equations, &at, &mut out).is_ok(), "{what}");
                        let unknown = structure.derivative == DerivativeForm::Unknown;
                        assert_eq!(out.separated, !combined && !unknown, "{what}");
                        assert_eq!(counters.jacobians, 1, "{what}");
                        let (d, i, j) = deviation(&out, alpha, (&f_y, &f_yp), (&y, &yp));
                        if d.is_nan() || d > 3e-6 {
                            let row = &structure.equations[i].name;
                            let column = &structure.variables[j].name;
                            bad.push(format!("{what}, α = {alpha}: ({row}, {column}) off by {d:.1e}"));
                        }
                        // One evaluation for each column that is not given.
                        let given: usize = structure.transposed.iter().map(|b| b.columns.len()).sum();
                        let limit = (n - given + 1) as u64;
                        if counters.residuals > limit {
                            bad.push(format!(
                                "{what}: {} residuals, at most {limit} are needed",
                                counters.residuals
                            ));
                        }
                    }
                }
            }
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

/// Grouped differences equal dense ones to the bit with the exact pattern, Arnold §3.1: also where
/// entries lost to rounding are recovered.
#[test]
fn grouped_differences_equal_dense_ones_to_the_bit() {
    let mut compared = 0;
    let more = ["brusselator:20", "brusselator:7"]
        .iter()
        .filter_map(|name| problems::find(name));
    for p in problems::all().into_iter().chain(more) {
        let mut system = (p.build)();
        let mut structure = system.structure().clone();
        let (t, y, yp) = point(&p);
        let n = y.len();
        let mut r = vec![0.0; n];
        assert!(system.residual(t, &y, &yp, &mut r).is_ok());
        if structure.sparsity.is_none() && structure.transposed.is_empty() {
            // The exact pattern, from dual numbers.
            let (f_y, f_yp) = dual_jacobians(system.as_mut(), t, &y, &yp);
            let places = (0..n * n).filter(|k| f_y[*k] != 0.0 || f_yp[*k] != 0.0);
            structure.sparsity = Some(Pattern::from_entries(n, n, places.map(|k| (k % n, k / n))).into());
        }
        if structure.sparsity.is_none() {
            continue;
        }
        let mut weights = Weights::plain(Tolerances::new(TOL, TOL * p.atol_factor), n);
        weights.update(&y, 1.0);
        for sparse in [false, true] {
            for combined in [false, true] {
                let evaluate = |name: &str, system: &mut dyn System| {
                    let entry = super::find(name).unwrap_or_else(|| panic!("there is no {name}"));
                    let mut engine = (entry.build)(&structure, traced(sparse, combined));
                    let mut out = allocate(&structure, sparse, combined);
                    let mut counters = Counters::default();
                    let mut equations = Equations {
                        system,
                        counters: &mut counters,
                    };
                    let at = JacobianPoint {
                        t,
                        y: &y,
                        yp: &yp,
                        residual: &r,
                        alpha: 1.0 / H,
                        h: H,
                        weights: &weights,
                    };
                    assert!(engine.evaluate(&mut equations, &at, &mut out).is_ok());
                    (out.f_y, counters.residuals)
                };
                let (dense, columns) = evaluate("fd-dense", system.as_mut());
                let (grouped, groups) = evaluate("fd-grouped", system.as_mut());
                assert!(groups <= columns, "{}", p.name);
                for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
                    let (a, b) = (dense.get(i, j), grouped.get(i, j));
                    // Outside the pattern a zero of either sign.
                    let same = a.to_bits() == b.to_bits() || (a == 0.0 && b == 0.0);
                    assert!(
                        same,
                        "{} ({i}, {j}), sparse {sparse}, combined {combined}: {a:e} {b:e}",
                        p.name
                    );
                }
                compared += usize::from(groups < columns);
            }
        }
    }
    assert!(
        compared >= 20,
        "{compared} comparisons in which something was grouped"
    );
}

/// Structurally independent columns share an evaluation: six for the brusselator at any size.
#[test]
fn grouping_saves_evaluations() {
    let Some(p) = problems::find("brusselator:50") else {
        panic!()
    };
    let mut system = (p.build)();
    let structure = system.structure().clone();
    let mut weights = Weights::plain(Tolerances::new(TOL, TOL), p.y0.len());
    weights.update(&p.y0, 1.0);
    let residual = vec![0.0; p.y0.len()];
    for entry in REGISTRY.iter().filter(|e| e.needs_pattern) {
        let mut engine = (entry.build)(&structure, traced(true, false));
        let mut out = allocate(&structure, true, false);
        let mut counters = Counters::default();
        let mut equations = Equations {
            system: system.as_mut(),
            counters: &mut counters,
        };
        let (y, yp) = (&p.y0, &p.yp0);
        let at = JacobianPoint {
            t: 0.0,
            y,
            yp,
            residual: &residual,
            alpha: 1.0,
            h: H,
            weights: &weights,
        };
        assert!(engine.evaluate(&mut equations, &at, &mut out).is_ok());
        let evaluations = counters.residuals + counters.residuals_dual;
        assert!((1..=6).contains(&evaluations), "{}: {evaluations}", entry.name);
    }
}

/// Where the residual has no value on one side, the difference is taken on the other.
#[test]
fn edge_of_the_domain() {
    let mut system = Closure::new(Structure::ode(["y"]), |_t, y, yp, r| {
        r[0] = yp[0] - (1.0 - y[0]).sqrt() * 2.0 + y[0]
    });
    let structure = system.structure().clone();
    let mut weights = Weights::plain(Tolerances::new(TOL, TOL), 1);
    weights.update(&[1.0], 1.0);
    for entry in REGISTRY.iter().filter(|e| !e.needs_pattern && !e.needs_duals) {
        let mut engine = (entry.build)(&structure, traced(false, false));
        let mut out = allocate(&structure, false, false);
        let mut counters = Counters::default();
        let mut equations = Equations {
            system: &mut system,
            counters: &mut counters,
        };
        let at = JacobianPoint {
            t: 0.0,
            y: &[1.0],
            yp: &[1.0],
            residual: &[2.0],
            alpha: 1.0,
            h: H,
            weights: &weights,
        };
        assert!(
            engine.evaluate(&mut equations, &at, &mut out).is_ok(),
            "{}",
            entry.name
        );
        assert!(out.f_y.get(0, 0).is_finite());
    }
}

/// Columns of one group that need different sides: √(1 − y₁) at y₁ = 1 next to √y₂ at y₂ = 0.
#[test]
fn edges_of_the_domain_within_a_group() {
    let structure =
        Structure::ode(["a", "b", "c"]).with_sparsity(Pattern::from_entries(3, 3, (0..3).map(|i| (i, i))));
    let y = [1.0, 0.0, 2.0];
    let yp = [1.0, 1.0, 1.0];
    // The last row keeps groups of one kind of edge apart from those of both.
    for (edge_a, edge_b) in [(true, false), (false, true), (true, true)] {
        let mut system = Closure::new(structure.clone(), |_t, y, yp, r| {
            let root = |x: f64, edge: bool| if edge { x.sqrt() } else { x };
            r[0] = yp[0] - root(1.0 - y[0], edge_a);
            r[1] = yp[1] - root(y[1], edge_b);
            r[2] = yp[2] + 3.0 * y[2];
        });
        let mut weights = Weights::plain(Tolerances::new(TOL, TOL), 3);
        weights.update(&y, 1.0);
        let mut residual = [0.0; 3];
        assert!(system.residual(0.0, &y, &yp, &mut residual).is_ok());
        for entry in REGISTRY.iter().filter(|e| !e.needs_duals) {
            for sparse in [false, true] {
                // √y₂ is met from the wrong side when all move backwards.
                for h in [H, -H] {
                    let mut engine = (entry.build)(&structure, traced(sparse, false));
                    let mut out = allocate(&structure, sparse, false);
                    let mut counters = Counters::default();
                    let mut equations = Equations {
                        system: &mut system,
                        counters: &mut counters,
                    };
                    let at = JacobianPoint {
                        t: 0.0,
                        y: &y,
                        yp: &yp,
                        residual: &residual,
                        alpha: 1.0,
                        h,
                        weights: &weights,
                    };
                    let what = format!("{}, sparse {sparse}, {edge_a} {edge_b} {h}", entry.name);
                    assert!(engine.evaluate(&mut equations, &at, &mut out).is_ok(), "{what}");
                    let f = |i, j| out.f_y.get(i, j);
                    assert!(f(0, 0) > 0.5 && f(0, 0).is_finite(), "{what}: {}", f(0, 0));
                    assert!(f(1, 1) < -0.5 && f(1, 1).is_finite(), "{what}: {}", f(1, 1));
                    assert!((f(2, 2) - 3.0).abs() < 1e-6, "{what}: {}", f(2, 2));
                    assert_eq!((f(1, 0), f(2, 0), f(0, 1)), (0.0, 0.0, 0.0), "{what}");
                    // Both ways together, then each column both ways.
                    assert!(counters.residuals <= 8 + 3, "{what}: {}", counters.residuals);
                }
            }
        }
    }
}

/// y₁ + y₂ + y₃ = 1 with tiny y₃: the entry is found in every storage and grouping.
#[test]
fn entries_lost_to_rounding_are_recovered() {
    let pattern = Pattern::from_entries(3, 3, [(0, 0), (1, 1), (2, 0), (2, 1), (2, 2)]);
    let structure = Structure::semi_explicit(["a", "b"], ["c"]).with_sparsity(pattern);
    let mut system = Closure::new(structure.clone(), |_t, y, yp, r| {
        r[0] = yp[0] + y[0];
        r[1] = yp[1] + y[1];
        r[2] = y[0] + y[1] + y[2] - 1.0;
    });
    let y = [0.4, 0.6, 1e-14];
    let mut weights = Weights::plain(Tolerances::new(TOL, 1e-16), 3);
    weights.update(&y, 1.0);
    let mut residual = [0.0; 3];
    assert!(system.residual(0.0, &y, &[0.0; 3], &mut residual).is_ok());
    for entry in REGISTRY.iter().filter(|e| !e.needs_duals) {
        for sparse in [false, true] {
            let mut engine = (entry.build)(&structure, traced(sparse, false));
            let mut out = allocate(&structure, sparse, false);
            let mut counters = Counters::default();
            let mut equations = Equations {
                system: &mut system,
                counters: &mut counters,
            };
            let at = JacobianPoint {
                t: 0.0,
                y: &y,
                yp: &[0.0; 3],
                residual: &residual,
                alpha: 1.0,
                h: H,
                weights: &weights,
            };
            assert!(engine.evaluate(&mut equations, &at, &mut out).is_ok());
            let found = out.f_y.get(2, 2);
            assert!(
                (found - 1.0).abs() < 1e-2,
                "{}, sparse {sparse}: {found}",
                entry.name
            );
        }
    }
}

/// What an engine remembers can be taken along.
#[test]
fn checkpoint_and_restore() {
    let Some(p) = problems::find("robertson-dae") else {
        panic!()
    };
    let mut system = (p.build)();
    let structure = system.structure().clone();
    let mut weights = Weights::plain(Tolerances::new(TOL, 1e-14), 3);
    weights.update(&p.y0, 1.0);
    for entry in REGISTRY.iter().filter(|e| !e.needs_pattern && !e.needs_duals) {
        let mut engine = (entry.build)(&structure, traced(false, false));
        let mut twin = (entry.build)(&structure, traced(false, false));
        let mut counters = Counters::default();
        let mut equations = Equations {
            system: system.as_mut(),
            counters: &mut counters,
        };
        let points = [[1.0, 0.0, 0.0], [0.5, 1e-5, 0.5], [1e-3, 1e-9, 0.999]];
        for y in points {
            let mut r = vec![0.0; 3];
            assert!(equations.system.residual(0.0, &y, &p.yp0, &mut r).is_ok());
            let at = JacobianPoint {
                t: 0.0,
                y: &y,
                yp: &p.yp0,
                residual: &r,
                alpha: 1.0,
                h: H,
                weights: &weights,
            };
            twin.restore(&engine.checkpoint());
            let mut out = [
                allocate(&structure, false, false),
                allocate(&structure, false, false),
            ];
            assert!(engine.evaluate(&mut equations, &at, &mut out[0]).is_ok());
            assert!(twin.evaluate(&mut equations, &at, &mut out[1]).is_ok());
            assert_eq!(out[0].f_y, out[1].f_y, "{}", entry.name);
            assert_eq!(engine.checkpoint(), twin.checkpoint(), "{}", entry.name);
        }
    }
}
