//! Recursions, residuals and Jacobians.

use crate::case::{Case, Fault, Work};
use holonom::algebra::{Dual8, Real};
use holonom::dae::{Counters, System, Tolerances, Weights};
use holonom::multibody::formalism::{aba, crba, rnea};
use holonom::multibody::kinematics::positions;
use holonom::multibody::residual::{Form, Formalism};
use holonom::multibody::start::Assembled;
use holonom::multibody::tree::Geometry;
use holonom::solver::equations::Equations;
use holonom::solver::jacobian::{self, JacobianPoint, Setup, Sparsity};
use holonom_models::{description, kernel_chain, tree36};
use std::hint::black_box;
use std::sync::Arc;

/// Calls that are counted together.
const CALLS: usize = 20;

/// Positions, then inverse dynamics, forward dynamics or the mass matrix, of a chain and a tree.
pub fn recursions() -> Vec<Case> {
    let mut cases = Vec::new();
    for (model, build) in [("chain-40", (|| kernel_chain(40)) as fn() -> _), ("tree", tree36)] {
        for kernel in ["rnea", "aba", "crba"] {
            cases.push(Case::new(format!("kernel/{kernel}/{model}"), move || {
                let start = Arc::new(build().compile()?).assemble(&Default::default())?;
                Ok(recursion(kernel, &start))
            }));
        }
    }
    cases
}

fn recursion(kernel: &'static str, start: &Assembled) -> Work {
    let tree = start.model.tree.clone();
    let wave = |k: usize, n: usize| -> Vec<f64> { (0..n).map(|i| (0.3 + (i + k) as f64).sin()).collect() };
    let (v, a) = (wave(1, tree.n_v), wave(2, tree.n_v));
    let mut q = start.q.clone();
    // Angles move; where there is a quaternion, all stays as it is.
    if tree.n_q == tree.n_v {
        q.iter_mut()
            .zip(wave(3, tree.n_q))
            .for_each(|(q, moved)| *q += moved);
    }
    let nodes = tree.nodes.len();
    let mut geometry: Vec<Geometry<f64>> = tree.nodes.iter().map(Geometry::new).collect();
    let mut inverse = vec![rnea::RneaNode::zero(); nodes];
    let mut forward = vec![aba::AbaNode::zero(); nodes];
    let mut composite = crba::CrbaWork::new(&tree);
    let mut out = vec![0.0; tree.n_v];
    let mut mass = vec![0.0; tree.n_v * tree.n_v];
    Box::new(move || {
        for _ in 0..CALLS {
            positions::positions(&tree, black_box(&q), &[], &mut geometry);
            match kernel {
                "rnea" => rnea::rnea(&tree, &geometry, &[], &v, &a, None, &mut inverse, &mut out),
                "aba" => aba::aba(&tree, &geometry, &[], &v, &a, None, &mut forward, &mut out),
                _ => crba::crba(&tree, &geometry, &mut composite, &mut mass),
            }
            black_box((&mut out, &mut mass));
        }
        Ok(())
    })
}

/// Mechanisms whose equations are evaluated.
const MODELS: [&str; 4] = ["four-bar", "andrews", "iltis", "curving"];

fn assembled(model: &str) -> Result<Assembled, Fault> {
    Ok(Arc::new(description(model)?.compile()?).assemble(&Default::default())?)
}

/// A system with the time, y and ẏ of its start.
type Started = (Box<dyn System>, f64, [Vec<f64>; 2]);

/// The equations of a model in the stabilised form, and its start.
fn equations(model: &str) -> Result<Started, Fault> {
    let start = assembled(model)?;
    let t = start.t;
    let equations = start.equations(Form::Ggl, Formalism::Residual)?;
    let (y, yp) = start.state(&equations);
    Ok((equations.system(), t, [y, yp]))
}

/// Residuals in plain numbers and with eight directions.
pub fn residuals() -> Vec<Case> {
    let mut cases = Vec::new();
    for model in MODELS {
        cases.push(Case::new(format!("residual/plain/{model}"), move || {
            let (mut system, t, [y, yp]) = equations(model)?;
            let mut r = vec![0.0; y.len()];
            let work = move || -> Result<(), Fault> {
                for _ in 0..CALLS {
                    system.residual(t, black_box(&y), &yp, &mut r)?;
                    black_box(&mut r);
                }
                Ok(())
            };
            Ok(Box::new(work) as Work)
        }));
        cases.push(Case::new(format!("residual/dual8/{model}"), move || {
            let (mut system, t, [y, yp]) = equations(model)?;
            let with = |x: &[f64], of: bool| -> Vec<Dual8> {
                let one = |(i, x): (usize, &f64)| match of && i < 8 {
                    true => Dual8::variable(*x, i),
                    false => Dual8::constant(*x),
                };
                x.iter().enumerate().map(one).collect()
            };
            let (y, yp) = (with(&y, true), with(&yp, false));
            let mut r = vec![Dual8::constant(0.0); y.len()];
            let work = move || -> Result<(), Fault> {
                for _ in 0..CALLS {
                    system.residual_dual8(Dual8::constant(t), black_box(&y), &yp, &mut r)?;
                    black_box(&mut r);
                }
                Ok(())
            };
            Ok(Box::new(work) as Work)
        }));
    }
    cases
}

/// A full evaluation with every engine of the registry.
pub fn jacobians() -> Vec<Case> {
    let mut cases = Vec::new();
    for entry in jacobian::REGISTRY {
        for model in ["andrews", "iltis"] {
            let name = format!("jacobian/{}/{model}", entry.name);
            cases.push(Case::new(name, move || evaluation(entry, model)));
        }
    }
    cases
}

fn evaluation(entry: &'static jacobian::Entry, model: &str) -> Result<Work, Fault> {
    let (mut system, t, [y, yp]) = equations(model)?;
    let structure = system.structure().clone();
    let mut residual = vec![0.0; y.len()];
    system.residual(t, &y, &yp, &mut residual)?;
    let mut weights = Weights::plain(Tolerances::new(1e-6, 1e-6), y.len());
    weights.update(&y, 1.0);
    let setup = Setup {
        sparse: false,
        combined: false,
        sparsity: Sparsity::Traced,
    };
    let mut engine = (entry.build)(&structure, setup);
    let mut out = jacobian::allocate(&structure, false, false);
    let mut counters = Counters::default();
    // Once before: the pattern is found, and groups are made of it.
    let mut evaluate = move || -> Result<(), Fault> {
        let at = JacobianPoint {
            t,
            y: black_box(&y),
            yp: &yp,
            residual: &residual,
            alpha: 1e3,
            h: 1e-3,
            weights: &weights,
        };
        let mut equations = Equations {
            system: system.as_mut(),
            counters: &mut counters,
        };
        engine.evaluate(&mut equations, &at, &mut out)?;
        black_box(&mut out);
        Ok(())
    };
    evaluate()?;
    Ok(Box::new(evaluate))
}
