//! The matrix G that mechanisms give by itself stands in ∂F/∂y where a full evaluation puts it.
#![allow(clippy::unwrap_used)]

mod common;

use common::assembled;
use holonom::dae::{Counters, EquationLevel, Structure, System, Tolerances, VariableKind, Weights};
use holonom::multibody::residual::{Form, Formalism};
use holonom::solver::equations::Equations;
use holonom::solver::jacobian::{self, JacobianPoint, Setup, SplitJacobian};

/// y with positions moved a little, velocities and multipliers a good deal, by numbers that depend on `seed`.
fn moved(structure: &Structure, y: &[f64], mut seed: u64) -> Vec<f64> {
    let mut random = || {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let size = |i: usize| match structure.variables[i].kind {
        VariableKind::Position => 1e-3,
        _ => 0.1,
    };
    y.iter()
        .enumerate()
        .map(|(i, y)| y + size(i) * random())
        .collect()
}

/// ∂F/∂y at the first point, that with G renewed for the second, and at the second; none where G is not given.
fn three(
    system: &mut dyn System,
    name: &str,
    sparse: bool,
    points: [&[f64]; 2],
    yp: &[f64],
) -> Option<[SplitJacobian; 3]> {
    let structure = system.structure().clone();
    let setup = Setup {
        sparse,
        ..Setup::default()
    };
    let mut engine = (jacobian::find(name).unwrap().build)(&structure, setup);
    if !engine.holds_constraints() {
        return None;
    }
    let mut counters = Counters::default();
    let mut equations = Equations {
        system,
        counters: &mut counters,
    };
    let n = structure.dimension();
    let mut weights = Weights::plain(Tolerances::new(1e-6, 1e-6), n);
    weights.update(points[0], 1.0);
    let residual = vec![0.0; n];
    let at = |y| JacobianPoint {
        t: 0.0,
        y,
        yp,
        residual: &residual,
        alpha: 1e3,
        h: 1e-3,
        weights: &weights,
    };
    let mut before = jacobian::allocate(&structure, sparse, false);
    let mut after = before.clone();
    engine
        .evaluate(&mut equations, &at(points[0]), &mut before)
        .unwrap();
    let mut renewed = before.clone();
    engine
        .renew_given(&mut equations, &at(points[1]), &mut renewed)
        .unwrap();
    engine
        .evaluate(&mut equations, &at(points[1]), &mut after)
        .unwrap();
    assert_eq!(equations.counters.constraint_evaluations, 1);
    Some([before, renewed, after])
}

#[test]
fn constraints_stand_where_an_evaluation_puts_them() {
    let mut seen = Vec::new();
    for entry in holonom_models::all() {
        let start = assembled(&entry.description().unwrap());
        if start.rows.active.is_empty() {
            continue;
        }
        for form in [Form::Index2, Form::Index3, Form::Ggl] {
            let Ok(equations) = start.equations(form, Formalism::Residual) else {
                continue;
            };
            let (y, yp) = start.state(&equations);
            let mut system = equations.system();
            let structure = system.structure().clone();
            let points = [moved(&structure, &y, 1), moved(&structure, &y, 2)];
            for sparse in [false, true] {
                let points = [points[0].as_slice(), points[1].as_slice()];
                let Some(parts) = three(system.as_mut(), "ad-dense", sparse, points, &yp) else {
                    continue;
                };
                check(&structure, &parts, &format!("{} {form} {sparse}", entry.name));
                seen.push(entry.name);
            }
        }
    }
    for name in [
        "four-bar",
        "n-four-bar",
        "andrews",
        "iltis",
        "rolling-disc",
        "car-axle",
    ] {
        assert!(seen.contains(&name), "{name} does not give its constraints");
    }
}

fn check(structure: &Structure, [before, renewed, after]: &[SplitJacobian; 3], what: &str) {
    use VariableKind::{Multiplier, Position, StabilisingMultiplier, Velocity};
    let n = structure.dimension();
    let (mut new, mut changed) = (0, 0);
    for i in 0..n {
        let rows = (0..n).map(|j| after.f_y.get(i, j).abs());
        let scale = 1e-12 * rows.fold(1.0, f64::max);
        for j in 0..n {
            let value = renewed.f_y.get(i, j);
            let (old, exact) = (before.f_y.get(i, j), after.f_y.get(i, j));
            let kinds = (structure.equations[i].level, structure.variables[j].kind);
            let with_eta = structure.transposed.len() > 1;
            let given = match kinds {
                (EquationLevel::Velocity, Velocity) => true,
                (EquationLevel::Position, Position) => {
                    with_eta || structure.transposed[0].source_columns.contains(&j)
                }
                (EquationLevel::Dynamic, Multiplier) => true,
                (EquationLevel::Kinematic, StabilisingMultiplier) => with_eta,
                _ => false,
            };
            let expected = if given { exact } else { old };
            assert!(
                (value - expected).abs() <= scale,
                "{what}: ({}, {}) is {value:e}, not {expected:e}; before {old:e}, after {exact:e}",
                structure.equations[i].name,
                structure.variables[j].name,
            );
            new += u32::from(given);
            changed += u32::from(given && (old - exact).abs() > scale);
        }
    }
    // Gear wheels have a constant G.
    assert!(
        new > 0 && (changed > 0 || what.starts_with("gear-train")),
        "{what}"
    );
}
