//! Derivatives against other ways of getting them, and declared sparsity, on random mechanisms.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use holonom_algebra::{Dual8, Real, Trace};
use holonom_dae::{DerivativeForm, ElementSet, Mechanical, Point, Residual};
use holonom_multibody::Model;
use holonom_multibody::mechanical::MechanicalModel;
use holonom_multibody::residual::{Equations, Form, Formalism, GglMetric};
use holonom_multibody::workspace::Workspace;
use holonom_testing::{Largest, Random, feeling, independent, largest, mechanism, state};
use std::sync::Arc;

const MECHANISMS: u64 = 1000;

fn norm(x: &[f64]) -> f64 {
    largest(x.iter().copied())
}

/// g, G v + g_t for a point of dual numbers, all rows.
fn rows<T: Real>(model: &Model, t: T, q: &[T], v: &[T], velocity: bool) -> Vec<T> {
    let mut w = Workspace::new(model);
    w.set_time(model, t);
    w.set_positions(model, q);
    w.set_velocities(model, v);
    let all: Vec<usize> = (0..model.rows.len()).collect();
    let mut out = vec![T::zero(); all.len()];
    if velocity {
        w.constraint_velocity(model, &all, &mut out);
    } else {
        w.constraint(model, &all, &mut out);
    }
    out
}

#[test]
fn constraint_derivatives_agree() {
    let mut worst = [Largest::default(); 6];
    for seed in (0..MECHANISMS).filter(|s| s % 3 != 0) {
        let model = mechanism(seed, 40);
        let n_g = model.rows.len();
        if n_g == 0 {
            continue;
        }
        let (t, q, v) = state(&mut Random::new(seed + 991), &model);
        let n_v = model.tree.n_v;
        let all: Vec<usize> = (0..n_g).collect();
        let mut m = MechanicalModel::new(model.clone(), all);
        let mut g = vec![0.0; n_g * n_v];
        let (mut g_t, mut gamma) = (vec![0.0; n_g], vec![0.0; n_g]);
        m.constraint_matrix(t, &q, &mut g).unwrap();
        m.constraint_rate(t, &q, &mut g_t).unwrap();
        m.constraint_bias(t, &q, &v, &mut gamma).unwrap();
        let holonomic =
            |i: usize| model.rows[i].level == holonom_multibody::elements::constraints::RowLevel::Holonomic;
        let mut rates = vec![0.0; q.len()];
        let mut unit = vec![0.0; n_v];
        let zero = vec![0.0; n_v];
        let constant = |x: &[f64]| x.iter().map(|&x| Dual8::constant(x)).collect::<Vec<_>>();
        for j in 0..n_v {
            unit.fill(0.0);
            unit[j] = 1.0;
            m.velocity_map(&q, &unit, &mut rates);
            let mut qd = constant(&q);
            for (x, r) in qd.iter_mut().zip(&rates) {
                *x = x.with_derivative(0, *r);
            }
            let by_dual = rows(&model, Dual8::constant(t), &qd, &constant(&zero), false);
            let h = 1e-6;
            let shifted = |k: f64| q.iter().zip(&rates).map(|(x, r)| x + k * r).collect::<Vec<_>>();
            let (plus, minus) = (
                rows(&model, t, &shifted(h), &zero, false),
                rows(&model, t, &shifted(-h), &zero, false),
            );
            for i in (0..n_g).filter(|i| holonomic(*i)) {
                let exact = g[j * n_g + i];
                worst[0].add((by_dual[i].derivative(0) - exact).abs() / (1.0 + exact.abs()));
                let difference = (plus[i] - minus[i]) / (2.0 * h);
                worst[1].add((difference - exact).abs() / (1.0 + exact.abs()));
            }
        }
        let along_t = rows(
            &model,
            Dual8::variable(t, 0),
            &constant(&q),
            &constant(&zero),
            false,
        );
        for i in (0..n_g).filter(|i| holonomic(*i)) {
            worst[2].add((along_t[i].derivative(0) - g_t[i]).abs() / (1.0 + g_t[i].abs()));
        }
        // γ is the derivative of G v + g_t along the motion with v constant.
        m.velocity_map(&q, &v, &mut rates);
        let mut qd = constant(&q);
        for (x, r) in qd.iter_mut().zip(&rates) {
            *x = x.with_derivative(0, *r);
        }
        let by_dual = rows(&model, Dual8::variable(t, 0), &qd, &constant(&v), true);
        let h = 1e-6;
        let at = |k: f64| {
            let q: Vec<f64> = q.iter().zip(&rates).map(|(x, r)| x + k * r).collect();
            rows(&model, t + k, &q, &v, true)
        };
        let (plus, minus) = (at(h), at(-h));
        let gv = rows(&model, t, &q, &v, true);
        for i in 0..n_g {
            let scale = 1.0 + gamma[i].abs();
            worst[3].add((by_dual[i].derivative(0) - gamma[i]).abs() / scale);
            let difference = (plus[i] - minus[i]) / (2.0 * h);
            worst[4].add((difference - gamma[i]).abs() / scale);
            let product: f64 = (0..n_v).map(|j| g[j * n_g + i] * v[j]).sum::<f64>() + g_t[i];
            worst[5].add((product - gv[i]).abs() / (1.0 + gv[i].abs()));
        }
    }
    let worst = worst.map(Largest::value);
    println!(
        "G dual {:.1e} difference {:.1e}, g_t dual {:.1e}, γ dual {:.1e} difference {:.1e}, G v + g_t {:.1e}",
        worst[0], worst[1], worst[2], worst[3], worst[4], worst[5]
    );
    assert!(worst[0] < 1e-12 && worst[2] < 1e-12 && worst[3] < 1e-12 && worst[5] < 1e-12);
    assert!(worst[1] < 1e-6 && worst[4] < 1e-5);
}

/// Mechanisms as they are, then some with forces that depend on sensors of accelerations, reactions
/// and totals.
fn models(plain: u64, sensing: u64, most: usize) -> impl Iterator<Item = (u64, Arc<Model>)> {
    let plain = (0..plain).map(move |seed| (seed, mechanism(seed, most)));
    plain.chain((0..sensing).map(move |seed| {
        let model = Arc::new(feeling(seed, most).compile().unwrap());
        assert!(model.forces_need_readings);
        (seed, model)
    }))
}

#[test]
fn jacobians_lie_in_the_declared_pattern() {
    for (seed, model) in models(150, 60, 8) {
        let (t, q, v) = state(&mut Random::new(seed + 5), &model);
        if model.tree.n_v == 0 {
            continue;
        }
        let active = independent(&model, t, &q);
        for form in Form::ALL {
            if form == Form::Ode && !active.is_empty() {
                continue;
            }
            for (formalism, metric) in [
                (Formalism::Residual, GglMetric::Identity),
                (Formalism::Explicit, GglMetric::Mass),
            ] {
                let e = Equations::new(model.clone(), active.clone(), form, formalism, metric);
                let structure = e.structure();
                let pattern = structure.sparsity.clone().unwrap();
                let (mut y, yp) = e.state(&q, &v);
                let mut r = Random::new(seed);
                for x in &mut y[q.len() + v.len()..] {
                    *x = r.range(-1.0, 1.0);
                }
                let n = y.len();
                // Traced: inputs y, then ẏ.
                let inputs: Vec<f64> = y.iter().chain(&yp).copied().collect();
                Trace::scope_at(&inputs, |x| {
                    let mut work = e.workspace::<Trace>();
                    let mut out = vec![Trace::constant(0.0); n];
                    let at = Point::new(Trace::constant(t), &x[..n], &x[n..], &[]);
                    e.residual(at, &mut work, &mut out).unwrap();
                    // Traced dependencies overestimate sums that cancel (loads of the two sides of
                    // an element on common ancestors), so that values decide.
                    let mut system = e.clone().system();
                    let mut plain = vec![0.0; n];
                    system.residual(t, &y, &yp, &mut plain).unwrap();
                    for first in (0..n).step_by(8) {
                        let mut yd: Vec<Dual8> = y.iter().map(|&x| Dual8::constant(x)).collect();
                        let ypd: Vec<Dual8> = yp.iter().map(|&x| Dual8::constant(x)).collect();
                        let last = n.min(first + 8);
                        for j in first..last {
                            yd[j] = Dual8::variable(y[j], j - first);
                        }
                        let mut rd = vec![Dual8::constant(0.0); n];
                        system
                            .residual_dual8(Dual8::constant(t), &yd, &ypd, &mut rd)
                            .unwrap();
                        for (dual, plain) in rd.iter().zip(&plain) {
                            assert_eq!(dual.value(), *plain, "mechanism {seed} {form} {formalism}");
                        }
                        for j in first..last {
                            for i in 0..n {
                                let value = rd[i].derivative(j - first);
                                let traced = out[i].dependencies().any(|k| k == j);
                                // Zero, but for the rounding of δθ × r where r lies along the axis δθ.
                                let zero = 16.0 * f64::EPSILON * (1.0 + norm(&y));
                                assert!(
                                    traced || value.abs() <= zero,
                                    "mechanism {seed} {form} {formalism}: trace misses ({}, {}) = {value:.3e}",
                                    structure.equations[i].name,
                                    structure.variables[j].name
                                );
                                let declared = pattern.position(i, j).is_some();
                                assert!(
                                    declared || value.abs() < 1e-9 * (1.0 + norm(&y) * 100.0),
                                    "mechanism {seed} {form} {formalism}: ({}, {}) = {value:.3e} is not declared",
                                    structure.equations[i].name,
                                    structure.variables[j].name
                                );
                            }
                        }
                    }
                });
            }
        }
    }
}

#[test]
fn derivative_matrices_and_duals_agree_with_differences() {
    for (seed, model) in models(100, 40, 10) {
        let (t, q, v) = state(&mut Random::new(seed + 15), &model);
        if model.tree.n_v == 0 {
            continue;
        }
        let active = independent(&model, t, &q);
        for form in [Form::Index1, Form::Ggl] {
            for formalism in Formalism::ALL {
                let e = Equations::new(
                    model.clone(),
                    active.clone(),
                    form,
                    formalism,
                    GglMetric::Identity,
                );
                let (mut y, mut yp) = e.state(&q, &v);
                let mut r = Random::new(seed);
                let n = y.len();
                for x in y[q.len() + v.len()..].iter_mut().chain(&mut yp) {
                    *x = r.range(-1.0, 1.0);
                }
                let structure = e.structure();
                structure.check().unwrap();
                let mut given = vec![0.0; n * n];
                if let DerivativeForm::Mass(pattern) = &structure.derivative {
                    let mut values = vec![0.0; pattern.entries().count()];
                    let at = Point::new(t, &y, &yp, &[]);
                    e.derivative_matrix(at, &mut e.workspace(), &mut values).unwrap();
                    for ((i, j), value) in pattern.entries().zip(values) {
                        given[j * n + i] = value;
                    }
                } else {
                    assert_eq!(structure.derivative, DerivativeForm::Identity);
                    for (i, _) in structure
                        .variables
                        .iter()
                        .enumerate()
                        .filter(|(_, v)| v.kind.is_differential())
                    {
                        given[i * n + i] = 1.0;
                    }
                }
                let mut system = e.clone().system();
                let mut second = e.system();
                let mut plain = |y: &[f64], yp: &[f64]| {
                    let mut r = vec![0.0; n];
                    system.residual(t, y, yp, &mut r).unwrap();
                    r
                };
                for k in 0..2 * n {
                    let derivative = k >= n;
                    let seeded = |x: &[f64], on: bool| -> Vec<Dual8> {
                        let mut x: Vec<Dual8> = x.iter().map(|&x| Dual8::constant(x)).collect();
                        if on {
                            x[k % n] = x[k % n].with_derivative(0, 1.0);
                        }
                        x
                    };
                    let (yd, ypd) = (seeded(&y, !derivative), seeded(&yp, derivative));
                    let mut rd = vec![Dual8::constant(0.0); n];
                    second
                        .residual_dual8(Dual8::constant(t), &yd, &ypd, &mut rd)
                        .unwrap();
                    let h = 1e-6;
                    let shifted = |x: &[f64], on: bool, h: f64| {
                        let mut x = x.to_vec();
                        if on {
                            x[k % n] += h;
                        }
                        x
                    };
                    let plus = plain(&shifted(&y, !derivative, h), &shifted(&yp, derivative, h));
                    let minus = plain(&shifted(&y, !derivative, -h), &shifted(&yp, derivative, -h));
                    let size = norm(&plus);
                    for i in 0..n {
                        let difference = (plus[i] - minus[i]) / (2.0 * h);
                        let exact = rd[i].derivative(0);
                        if derivative {
                            // ∂F/∂ẏ as the equations give it.
                            let declared = given[(k - n) * n + i];
                            assert!(
                                (declared - exact).abs() < 1e-11 * (1.0 + size + exact.abs()),
                                "mechanism {seed} {form} {formalism} row {i} rate {k}: {declared} {exact}"
                            );
                        }
                        assert!(
                            (difference - exact).abs() < 1e-6 * (1.0 + size + exact.abs()),
                            "mechanism {seed} {form} {formalism} row {i} column {k}: {difference} {exact}"
                        );
                    }
                }
            }
        }
    }
}

/// f_q V and f_v of `Mechanical`, of all elements and of single ones, against differences.
#[test]
fn force_jacobians_agree_with_differences() {
    for seed in 0..60 {
        let model = mechanism(seed, 8);
        let (t, q, v) = state(&mut Random::new(seed + 3), &model);
        let n = model.tree.n_v;
        let mut m = MechanicalModel::new(model.clone(), Vec::new());
        let (mut f_q, mut f_v) = (vec![0.0; n * n], vec![0.0; n * n]);
        m.force_jacobians(t, &q, &v, &[], ElementSet::All, &mut f_q, &mut f_v)
            .unwrap();
        let h = 1e-6;
        let mut force = |q: &[f64], v: &[f64]| {
            let mut f = vec![0.0; n];
            m.force(t, q, v, &[], &mut f).unwrap();
            f
        };
        let size = 1.0 + norm(&force(&q, &v));
        let mut rates = vec![0.0; q.len()];
        for j in 0..n {
            let mut unit = vec![0.0; n];
            unit[j] = 1.0;
            Workspace::velocity_map(&model, &q, &unit, &mut rates);
            let moved = |k: f64| q.iter().zip(&rates).map(|(q, r)| q + k * r).collect::<Vec<_>>();
            let faster = |k: f64| v.iter().zip(&unit).map(|(v, u)| v + k * u).collect::<Vec<_>>();
            let (plus, minus) = (force(&moved(h), &v), force(&moved(-h), &v));
            let (more, less) = (force(&q, &faster(h)), force(&q, &faster(-h)));
            for i in 0..n {
                let (by_q, by_v) = ((plus[i] - minus[i]) / (2.0 * h), (more[i] - less[i]) / (2.0 * h));
                assert!(
                    (by_q - f_q[j * n + i]).abs() < 1e-6 * (size + by_q.abs()),
                    "mechanism {seed}"
                );
                assert!(
                    (by_v - f_v[j * n + i]).abs() < 1e-6 * (size + by_v.abs()),
                    "mechanism {seed}"
                );
            }
        }
        // A direction at once, and the sum over single elements without inertia and gravity.
        let (x, w): (Vec<f64>, Vec<f64>) = (0..n).map(|i| (0.3 + i as f64, 1.0 - i as f64)).unzip();
        let mut along = vec![0.0; n];
        m.force_derivative(t, &q, &v, &[], &x, &w, &mut along).unwrap();
        for i in 0..n {
            let sum: f64 = (0..n)
                .map(|j| f_q[j * n + i] * x[j] + f_v[j * n + i] * w[j])
                .sum();
            assert!(
                (sum - along[i]).abs() < 1e-9 * (size * n as f64 + sum.abs()),
                "mechanism {seed}"
            );
        }
        let parts_of = |m: &mut MechanicalModel, set: ElementSet<'_>, order: &dyn Fn(usize) -> usize| {
            let parts = m.plan_jacobians(set, 1 + seed as usize % 3).shares;
            let (mut a, mut b) = (vec![0.0; n * n], vec![0.0; n * n]);
            for part in (0..parts).map(order) {
                m.renew_jacobians(t, &q, &v, &[], set, part % parts, &mut a, &mut b)
                    .unwrap();
            }
            (a, b)
        };
        let same = |(a, b): &(Vec<f64>, Vec<f64>), f_q: &[f64], f_v: &[f64]| {
            let near = |x: &[f64], y: &[f64]| {
                let size = 1.0 + norm(y);
                x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-11 * size)
            };
            near(a, f_q) && near(b, f_v)
        };
        let in_parts = parts_of(&mut m, ElementSet::All, &|part| part + 1);
        assert!(same(&in_parts, &f_q, &f_v), "mechanism {seed}, in parts");
        let count = model.forces.len();
        let every: Vec<usize> = (0..count).collect();
        let (mut g_q, mut g_v) = (f_q.clone(), f_v.clone());
        m.force_jacobians(t, &q, &v, &[], ElementSet::Some(&every), &mut g_q, &mut g_v)
            .unwrap();
        let in_parts = parts_of(&mut m, ElementSet::Some(&every), &|part| part);
        assert!(same(&in_parts, &g_q, &g_v), "mechanism {seed}, elements in parts");
        let (mut s_q, mut s_v) = (vec![0.0; n * n], vec![0.0; n * n]);
        for k in 0..count {
            m.force_jacobians(t, &q, &v, &[], ElementSet::Some(&[k]), &mut f_q, &mut f_v)
                .unwrap();
            let in_parts = parts_of(&mut m, ElementSet::Some(&[k]), &|part| part);
            assert!(
                same(&in_parts, &f_q, &f_v),
                "mechanism {seed}, element {k} in parts"
            );
            for i in 0..n * n {
                s_q[i] += f_q[i];
                s_v[i] += f_v[i];
            }
        }
        for i in 0..n * n {
            assert!(
                (s_q[i] - g_q[i]).abs() < 1e-9 * (1.0 + norm(&g_q)),
                "mechanism {seed}"
            );
            assert!(
                (s_v[i] - g_v[i]).abs() < 1e-9 * (1.0 + norm(&g_v)),
                "mechanism {seed}"
            );
        }
    }
}

/// Positions after a time at constant velocities: the exponential map is a group, keeps lengths, and begins along V v.
#[test]
fn advancing_is_a_group() {
    for seed in 0..60 {
        let model = mechanism(seed, 8);
        let (_, mut q, v) = state(&mut Random::new(seed + 3), &model);
        let mut m = MechanicalModel::new(model.clone(), Vec::new());
        m.normalise(&mut q);
        let mut ahead = |q: &[f64], h: f64| {
            let mut out = vec![f64::NAN; q.len()];
            m.advance(q, h, &v, &mut out);
            out
        };
        let whole = ahead(&q, 0.7);
        let half = ahead(&q, 0.3);
        let parts = ahead(&half, 0.4);
        let (plus, minus) = (ahead(&q, 1e-5), ahead(&q, -1e-5));
        let mut normal = whole.clone();
        m.normalise(&mut normal);
        let mut rates = vec![0.0; q.len()];
        m.velocity_map(&q, &v, &mut rates);
        for i in 0..q.len() {
            let size = 1.0 + whole[i].abs();
            assert!((whole[i] - parts[i]).abs() < 1e-13 * size, "mechanism {seed}");
            assert!((whole[i] - normal[i]).abs() < 1e-14 * size, "mechanism {seed}");
            let rate = (plus[i] - minus[i]) / 2e-5;
            assert!(
                (rate - rates[i]).abs() < 1e-8 * (1.0 + rates[i].abs()),
                "mechanism {seed}"
            );
        }
    }
}
