//! Mass matrices for codes that take M ẏ = f(t, y) with a constant M.

use holonom_dae::problems::Problem;
use holonom_dae::{DerivativeForm, System};

/// A constant ∂F/∂ẏ.
pub enum Mass {
    /// Ones on the diagonal.
    Identity,
    /// Nothing beside the diagonal.
    Diagonal(Vec<f64>),
    /// Column by column.
    Full(Vec<f64>),
}

/// ∂F/∂ẏ if it is constant and F linear in ẏ; else why there is none.
///
/// Not taken on trust: compared at a second point, away from the start values.
pub fn constant_mass(system: &mut dyn System, problem: &Problem) -> Result<Mass, String> {
    let n = problem.y0.len();
    let structure = system.structure().clone();
    let dense = |entries: &mut dyn Iterator<Item = (usize, usize, f64)>| {
        let mut m = vec![0.0; n * n];
        for (i, j, v) in entries {
            m[i + n * j] += v;
        }
        m
    };
    let bump = |x: &[f64], size: f64, phase: f64| -> Vec<f64> {
        (0..n)
            .map(|i| x[i] + size * (1.0 + x[i].abs()) * (phase + 1.7 * i as f64).sin())
            .collect()
    };
    let second = |size: f64| {
        (
            problem.t0 + 0.3 * (problem.t_end - problem.t0).min(1.0),
            bump(&problem.y0, size, 0.4),
            bump(&problem.yp0, size, 1.1),
        )
    };

    let m = match &structure.derivative {
        DerivativeForm::Unknown => {
            return Err("the code needs M ẏ = f(t, y); the form of ∂F/∂ẏ is not declared".into());
        }
        DerivativeForm::Identity => dense(
            &mut (0..n)
                .filter(|i| structure.variables[*i].kind.is_differential())
                .map(|i| (i, i, 1.0)),
        ),
        DerivativeForm::Constant(entries) => dense(&mut entries.iter().copied()),
        DerivativeForm::Mass(pattern) => {
            let mut here = vec![0.0; pattern.len()];
            let mut there = here.clone();
            system
                .derivative_matrix(problem.t0, &problem.y0, &problem.yp0, &mut here)
                .map_err(|e| format!("∂F/∂ẏ at the start: {e}"))?;
            let (t, y, yp) = second(1e-2);
            system
                .derivative_matrix(t, &y, &yp, &mut there)
                .map_err(|e| format!("∂F/∂ẏ at a second point: {e}"))?;
            if here
                .iter()
                .zip(&there)
                .any(|(a, b)| (a - b).abs() > 1e-12 * a.abs())
            {
                return Err("the code needs a constant mass matrix; here it depends on the state".into());
            }
            dense(&mut pattern.entries().zip(&here).map(|((i, j), v)| (i, j, *v)))
        }
    };

    // F(t, y, ẏ) = F(t, y, 0) + M ẏ at the second point, to rounding.
    let (t, y, yp) = second(1e-2);
    let (mut whole, mut rest) = (vec![0.0; n], vec![0.0; n]);
    let evaluated =
        system
            .residual(t, &y, &yp, &mut whole)
            .and(system.residual(t, &y, &vec![0.0; n], &mut rest));
    if evaluated.is_ok() {
        for i in 0..n {
            let terms = (0..n).map(|j| m[i + n * j] * yp[j]);
            let size: f64 = terms.clone().map(f64::abs).sum::<f64>() + rest[i].abs();
            if (rest[i] + terms.sum::<f64>() - whole[i]).abs() > 1e-9 * size {
                return Err(format!(
                    "the code needs M ẏ = f(t, y); equation `{}` is not of that form",
                    structure.equations[i].name
                ));
            }
        }
    }

    let off_diagonal = (0..n).any(|j| (0..n).any(|i| i != j && m[i + n * j] != 0.0));
    let diagonal: Vec<f64> = (0..n).map(|i| m[i + n * i]).collect();
    Ok(match off_diagonal {
        true => Mass::Full(m),
        false if diagonal.iter().all(|d| *d == 1.0) => Mass::Identity,
        false => Mass::Diagonal(diagonal),
    })
}
