//! The reduced equations of random mechanisms against differences of their true dynamics.

#![allow(clippy::unwrap_used)]

use crate::dense::{Lu, largest};
use crate::modes::state_of;
use crate::reduced::Reduced;
use crate::tangent::{Equation, Sizes, State};
use holonom_testing::{Random, enrich, tree};
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
    let own = &z[reduced.positions.len() + reduced.velocities.len()..];
    state.x.iter_mut().zip(own).for_each(|(x, d)| *x += d);
    state
}

/// v̇, ẋ and λ at a state, from values of the equations alone; none where forces that depend on λ let them
/// not be found.
fn motion(equation: &mut Equation, mut state: State) -> Option<Vec<f64>> {
    let Sizes { v: n, x: n_x, .. } = equation.sizes;
    for _ in 0..40 {
        let tangent = equation.tangent(&state).unwrap();
        let mut change: Vec<f64> = equation.rest(&state).unwrap().iter().map(|r| -r).collect();
        Lu::new(tangent.rates).solve(&mut change);
        // Rates of states are taken as zero in what is left.
        let own = change[n..n + n_x].to_vec();
        state.a.iter_mut().zip(&change).for_each(|(a, c)| *a += c);
        let lambda = state.lambda.iter_mut().zip(&change[n + n_x..]);
        lambda.for_each(|(l, c)| *l += c);
        let left = largest(&change[..n]) / (1.0 + largest(&state.a));
        if left.max(largest(&change[n + n_x..]) / (1.0 + largest(&state.lambda))) < 1e-13 {
            return Some([state.a, own, state.lambda].concat());
        }
    }
    None
}

#[test]
fn reduced_equations_are_derivatives_of_the_motion() {
    let (mut compared, mut constrained, mut stateful, mut rubbing) = (0, 0, 0, 0);
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
        let n_xi = reduced.positions.len();
        let m = reduced.a.columns();
        let mut rates = |z: &[f64]| -> Option<Vec<f64>> {
            let state = carried(&mut equation, &reduced, &at, z);
            let (gaps, slips) = equation.gaps(&state).unwrap();
            if largest(&gaps).max(largest(&slips)) > 1e-11 {
                return None;
            }
            motion(&mut equation, state)
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
            stateful += usize::from(!at.x.is_empty());
            rubbing += usize::from(start.model.needs_lambda);
            constrained += usize::from(!start.rows.active.is_empty());
        }
    }
    assert!(
        compared > 200 && constrained > 50 && stateful > 50 && rubbing > 20,
        "{compared} {constrained} {stateful} {rubbing}"
    );
}
