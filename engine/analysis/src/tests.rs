//! The reduced equations of random mechanisms against differences of their true dynamics.

#![allow(clippy::unwrap_used)]

#[path = "../../multibody/tests/common/mod.rs"]
mod common;

use crate::dense::largest;
use crate::modes::state_of;
use crate::reduced::Reduced;
use crate::tangent::{Equation, State};
use common::{Random, enrich, tree};
use holonom_dae::Mechanical;
use std::sync::Arc;

/// A state with other independent displacements and velocities; the dependent ones follow.
fn carried(equation: &mut Equation, reduced: &Reduced, at: &State, z: &[f64]) -> State {
    let n = equation.sizes.v;
    let mut s = vec![0.0; n];
    let mut state = at.clone();
    for (k, &i) in reduced.positions.iter().enumerate() {
        s[i] = z[k];
    }
    state.q = equation.moved(&at.q, &s);
    for _ in 0..40 {
        let (gaps, _) = equation.gaps(&state).unwrap();
        state.q = equation.moved(&state.q, &reduced.closing.times_vector(&gaps));
    }
    for (k, &i) in reduced.velocities.iter().enumerate() {
        state.v[i] += z[reduced.positions.len() + k];
    }
    for _ in 0..40 {
        let (_, rates) = equation.gaps(&state).unwrap();
        for (v, change) in state.v.iter_mut().zip(reduced.slowing.times_vector(&rates)) {
            *v += change;
        }
    }
    state
}

#[test]
fn reduced_equations_are_derivatives_of_the_motion() {
    let (mut compared, mut constrained) = (0, 0);
    for seed in 0..60 {
        let mut r = Random::new(seed);
        let description = tree(&mut r, 5);
        let description = enrich(&mut r, description);
        // Constraints between things that cannot move are refused; other seeds have better ones.
        let Ok(model) = description.compile() else {
            continue;
        };
        let Ok(start) = Arc::new(model).assemble(&Default::default()) else {
            continue;
        };
        if start.rows.singular_start || start.degrees_of_freedom() == 0 {
            continue;
        }
        let at = state_of(&start);
        let mut equation = Equation::new(start.model.clone(), start.rows.active.clone());
        let Ok(reduced) = Reduced::new(&mut equation, &at) else {
            continue;
        };
        let mut mechanical = start.mechanical();
        let n_xi = reduced.positions.len();
        let m = n_xi + reduced.velocities.len();
        let mut rates = |z: &[f64]| -> Option<Vec<f64>> {
            let state = carried(&mut equation, &reduced, &at, z);
            let (gaps, slips) = equation.gaps(&state).unwrap();
            if largest(&gaps).max(largest(&slips)) > 1e-11 {
                return None;
            }
            let (mut a, mut lambda) = (vec![0.0; state.v.len()], state.lambda.clone());
            mechanical
                .accelerations(state.t, &state.q, &state.v, &mut lambda, &mut a)
                .unwrap();
            Some([a, lambda].concat())
        };
        for j in 0..m {
            let h = 1e-5;
            let at_step = |h: f64| {
                let mut z = vec![0.0; m];
                z[j] = h;
                z
            };
            // Fixed chords do not close every loop again; those are left out.
            let (Some(plus), Some(minus)) = (rates(&at_step(h)), rates(&at_step(-h))) else {
                continue;
            };
            let size = 1.0 + largest(reduced.rates.column(j));
            for i in 0..plus.len() {
                let difference = (plus[i] - minus[i]) / (2.0 * h);
                let exact = reduced.rates[(i, j)];
                assert!(
                    (difference - exact).abs() < 1e-5 * size,
                    "seed {seed}, column {j} of {m} ({n_xi} of them displacements), row {i}: {difference} is not {exact}"
                );
            }
            compared += 1;
            constrained += usize::from(!start.rows.active.is_empty());
        }
    }
    assert!(compared > 200 && constrained > 50, "{compared} {constrained}");
}
