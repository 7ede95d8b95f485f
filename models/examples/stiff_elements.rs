//! What the derivatives of stiff elements cost: the Iltis with all of them, four and one, and chains of 10 to 160 bodies
//! with three.
//!
//! ```text
//! cargo run --release -p holonom-models --example stiff_elements
//! ```
//! Whole steps hold the factorisation of dense matrices, which does grow with the mechanism.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use holonom::dae::{ElementSet, Mechanical};
use holonom::format::{Files, Settings, read};
use holonom::simulation::Simulation;
use std::time::Instant;

/// Shortest time of some repetitions, in µs.
fn time(mut work: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..20 {
        let begin = Instant::now();
        for _ in 0..50 {
            work();
        }
        least = least.min(begin.elapsed().as_secs_f64() / 50.0 * 1e6);
    }
    least
}

fn show(what: &str, simulation: &Simulation, set: ElementSet<'_>) {
    let start = &simulation.start;
    let mut mechanical = start.mechanical();
    mechanical.set_states(&start.x);
    let n = start.v.len();
    let plan = mechanical.plan_jacobians(set, 1);
    let (mut f_q, mut f_v) = (vec![0.0; n * n], vec![0.0; n * n]);
    let lambda = vec![0.0; mechanical.n_g()];
    let (t, q, v) = (start.t, &start.q, &start.v);
    let each = time(|| {
        mechanical
            .renew_jacobians(t, q, v, &lambda, set, 0, &mut f_q, &mut f_v)
            .unwrap();
    });
    let mut force = vec![0.0; n];
    let forces = time(|| mechanical.force(t, q, v, &lambda, &mut force).unwrap());
    println!(
        "{what:<32} n_v {n:>4}  sweeps {:>3}  elements {:>3}  projections {:>5}  {each:>8.2} µs, forces alone {forces:>7.2} µs",
        plan.sweeps, plan.elements, plan.projections
    );
}

fn main() {
    let file = holonom_models::find("iltis").unwrap().read().unwrap();
    let iltis = Simulation::new(&file, &Settings::default()).unwrap();
    let all: Vec<usize> = (0..iltis.start.model.forces.len()).collect();
    show("iltis, all and gyroscopic", &iltis, ElementSet::All);
    for count in [all.len(), 4, 1] {
        let what = format!("iltis, {count} stiff elements");
        show(&what, &iltis, ElementSet::Some(&all[..count]));
    }
    for n in [10, 20, 40, 80, 160] {
        let mut text = String::from("[model]\nformat = 1\nname = \"chain\"\n");
        for i in 0..n {
            let before = match i {
                0 => "ground".to_string(),
                _ => format!("b{}.tip", i - 1),
            };
            text += &format!(
                "[[body]]\nname = \"b{i}\"\nmass = 1\ncentre = [0.5, 0, 0]\ninertia = [0.1, 0.1, 0.1]\n\
                 markers = {{ tip = [1, 0, 0] }}\n\
                 [[joint]]\nname = \"j{i}\"\nkind = \"revolute\"\nfrom = \"{before}\"\nto = \"b{i}\"\naxis = [0, 1, 0]\n\
                 angle.start = 0.1\n"
            );
        }
        for (k, (from, to)) in [(1, 3), (4, 6), (7, 9)].into_iter().enumerate() {
            text += &format!(
                "[[force]]\nname = \"s{k}\"\nkind = \"spring-damper\"\nfrom = \"b{from}.tip\"\nto = \"b{to}.tip\"\n\
                 stiffness = 1e4\nfree_length = 1.9\n"
            );
        }
        let file = read("chain.toml", &Files::in_memory([("chain.toml", text)]), &[]).unwrap();
        let chain = Simulation::new(&file, &Settings::default()).unwrap();
        show(
            &format!("chain of {n}, 3 stiff elements"),
            &chain,
            ElementSet::Some(&[0, 1, 2]),
        );
        if n <= 40 {
            show(
                &format!("chain of {n}, all and gyroscopic"),
                &chain,
                ElementSet::All,
            );
        }
    }
}
