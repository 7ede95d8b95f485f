//! Identities between formalisms on random mechanisms.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use holonom_dae::{Mechanical, Point, Rejection, Residual};
use holonom_multibody::Model;
use holonom_multibody::elements::forces::ForceElement;
use holonom_multibody::mechanical::MechanicalModel;
use holonom_multibody::residual::{Equations, Form, Formalism, GglMetric};
use holonom_multibody::workspace::Workspace;
use holonom_testing::{Largest, Random, independent, largest, mechanism, state};

const MECHANISMS: u64 = 1000;

fn norm(x: &[f64]) -> f64 {
    largest(x.iter().copied())
}

fn prepare(model: &Model, t: f64, q: &[f64], v: &[f64]) -> Workspace<f64> {
    let mut w = Workspace::new(model);
    w.set_time(model, t);
    w.set_positions(model, q);
    w.set_velocities(model, v);
    w.clear_loads();
    w.add_forces(model);
    w
}

#[test]
fn formalisms_agree() {
    let mut worst = [Largest::default(); 4];
    let (mut loops, mut rods, mut bodies, mut states, mut lambdas) = (0, 0, 0, 0, 0);
    let (mut jammed, mut controls) = (0, 0);
    for seed in 0..MECHANISMS {
        let model = mechanism(seed, 60);
        let (t, q, v) = state(&mut Random::new(seed + 7777), &model);
        let n = model.tree.n_v;
        loops += usize::from(!model.constraints.is_empty());
        rods += usize::from(!model.rods.is_empty());
        bodies += model.bodies.len() - 1;
        if n == 0 {
            continue;
        }
        // RNEA ∘ ABA = identity.
        let mut w = prepare(&model, t, &q, &v);
        let mut a = vec![0.0; n];
        let mut factor = vec![0.0; n * n];
        w.explicit(&model, &mut factor, &mut a).unwrap();
        let mut w = prepare(&model, t, &q, &v);
        let mut r = vec![0.0; n];
        w.newton_euler(&model, &a, &mut r);
        let zero = vec![0.0; n];
        let mut bias = vec![0.0; n];
        let mut w = prepare(&model, t, &q, &v);
        w.newton_euler(&model, &zero, &mut bias);
        // M by composite bodies, and by columns of RNEA.
        let mut mass = vec![0.0; n * n];
        w.mass(&model, &mut mass);
        let size = norm(&mass) * norm(&a) + norm(&bias);
        worst[0].add(norm(&r) / size);
        for j in 0..n {
            let mut unit = zero.clone();
            unit[j] = 1.0;
            let mut w = prepare(&model, t, &q, &v);
            let mut column = vec![0.0; n];
            w.newton_euler(&model, &unit, &mut column);
            for i in j..n {
                let difference = (column[i] - bias[i] - mass[j * n + i]).abs();
                worst[1].add(difference / (norm(&mass) + norm(&bias)));
            }
        }
        // G by rows, and Gᵀ by loads.
        let all: Vec<usize> = (0..model.rows.len()).collect();
        let mut g = vec![0.0; all.len() * n];
        w.constraint_matrix(&model, &all, &mut g);
        for &k in &all {
            let mut unit = vec![0.0; all.len()];
            unit[k] = 1.0;
            let mut product = vec![0.0; n];
            w.transposed_constraint_product(&model, &all, &unit, &mut product);
            for j in 0..n {
                let difference = (product[j] - g[j * all.len() + k]).abs();
                worst[3].add(difference / (1.0 + norm(&product)));
            }
        }
        // Accelerations and multipliers satisfy every form in both formalisms.
        let active = independent(&model, t, &q);
        let mut mechanical = MechanicalModel::new(model.clone(), active.clone());
        let mut lambda = vec![0.0; active.len()];
        if let Err(Rejection::NoMultipliers) = mechanical.accelerations(t, &q, &v, &mut lambda, &mut a) {
            // Friction can jam so that no motion fits it: rigid bodies have no answer then.
            assert!(model.needs_lambda);
            jammed += 1;
            continue;
        }
        let mut x_rates = vec![0.0; model.states.len()];
        mechanical.state_rates(t, &q, &v, &lambda, &mut x_rates).unwrap();
        states += model.states.len();
        controls += model.controls.len();
        lambdas += usize::from(model.needs_lambda);
        let size = norm(&mass) * norm(&a) + norm(&bias);
        for form in Form::ALL {
            if form == Form::Ode && !active.is_empty() {
                continue;
            }
            for formalism in Formalism::ALL {
                let e = Equations::new(model.clone(), active.clone(), form, formalism, GglMetric::Mass);
                let structure = e.structure();
                structure.check().unwrap();
                let layout = structure.layout.clone().unwrap();
                let (mut y, mut yp) = e.state(&q, &v);
                yp[layout.v.clone()].copy_from_slice(&a);
                yp[layout.x.clone()].copy_from_slice(&x_rates);
                y[layout.lambda.clone()].copy_from_slice(&lambda[..layout.lambda.len()]);
                let mut work = e.workspace::<f64>();
                let mut r = vec![f64::NAN; y.len()];
                e.residual(Point::new(t, &y, &yp, &[]), &mut work, &mut r)
                    .unwrap();
                assert!(
                    r.iter().all(|x| x.is_finite()),
                    "mechanism {seed} {form} {formalism}"
                );
                assert!(norm(&r[layout.q.clone()]) < 1e-12);
                assert!(norm(&r[layout.x.clone()]) <= 1e-12 * (1.0 + norm(&x_rates)));
                let scale = match formalism {
                    Formalism::Residual => size,
                    Formalism::Explicit => norm(&a) * 1e3 + norm(&bias),
                };
                let dynamic = norm(&r[layout.v.clone()]) / scale;
                worst[2].add(dynamic);
                if form == Form::Index1 {
                    let g = norm(&r[layout.lambda.clone()]);
                    worst[2].add(g / (1.0 + norm(&a)) * 1e-2);
                }
            }
        }
    }
    let worst = worst.map(Largest::value);
    println!("{MECHANISMS} mechanisms, {bodies} bodies, {loops} with constraints, {rods} with rods");
    println!(
        "RNEA∘ABA {:.1e}, CRBA {:.1e}, forms {:.1e}, G {:.1e}",
        worst[0], worst[1], worst[2], worst[3]
    );
    assert!(controls > 500, "{controls} controls");
    assert!(states > 100, "{states} own states");
    assert!(jammed < 5, "{jammed} jammed of {lambdas}");
    assert!(lambdas > 100, "{lambdas} with forces that depend on multipliers");
    assert!(worst.iter().all(|w| *w < 1e-9), "{worst:?}");
}

/// Kinetic energy and energy of gravity change by the power of the force elements and of the
/// multipliers; every spring without damping stores what it takes.
#[test]
fn power_balance() {
    let (mut balanced, mut springs) = (0, 0);
    for seed in 0..MECHANISMS {
        let model = mechanism(seed, 12);
        // Prescribed coordinates and drivers do work that no element shows.
        if !model.signals.is_empty() || model.forces.is_empty() || model.tree.n_v == 0 {
            continue;
        }
        let r = &mut Random::new(seed + 31);
        let (t, q, v) = state(r, &model);
        let mut w = prepare(&model, t, &q, &v);
        let n = model.tree.n_v;
        let (mut a, mut factor) = (vec![0.0; n], vec![0.0; n * n]);
        w.explicit(&model, &mut factor, &mut a).unwrap();
        let mut rates = vec![0.0; q.len()];
        Workspace::velocity_map(&model, &q, &v, &mut rates);
        let h = 1e-6;
        let at = |k: f64| {
            let q: Vec<f64> = q.iter().zip(&rates).map(|(q, r)| q + k * r).collect();
            let v: Vec<f64> = v.iter().zip(&a).map(|(v, a)| v + k * a).collect();
            let s = model.snapshot(t + k, &q, &v);
            let stored: Vec<Option<f64>> = s.stored_energies();
            let springs: f64 = stored.iter().flatten().sum();
            (s.kinetic_energy() + s.potential_energy() - springs, stored)
        };
        let (plus, minus) = (at(h), at(-h));
        let powers = model.snapshot(t, &q, &v).powers();
        let rate = (plus.0 - minus.0) / (2.0 * h);
        let sum: f64 = powers.iter().sum();
        let size = 1.0 + rate.abs() + norm(&powers) + plus.0.abs();
        assert!((rate - sum).abs() < 1e-6 * size, "mechanism {seed}: {rate} {sum}");
        balanced += 1;
        for ((a, b), (force, power)) in plus.1.iter().zip(&minus.1).zip(model.forces.iter().zip(&powers)) {
            if let (Some(a), Some(b), ForceElement::SpringDamper(spring)) = (a, b, &force.element) {
                let stored = (a - b) / (2.0 * h);
                // What a damper takes is not stored.
                assert!(-power + 1e-6 * size >= stored, "mechanism {seed} {}", force.name);
                if spring.damping == 0.0 {
                    assert!(
                        (power + stored).abs() < 1e-6 * size,
                        "mechanism {seed} {}",
                        force.name
                    );
                }
                springs += 1;
            }
        }
    }
    println!("{balanced} mechanisms with {springs} springs balance");
    assert!(balanced > 100 && springs > 100);
}
