//! References of pendulum chains of other sizes than the default one: made once, then kept.

use crate::kernels_protocol::folder;
use holonom_dae::problems::{self, Problem, Reference};

/// Gives a pendulum chain without a reference one: the solution at its end by extrapolation, good to about
/// 10⁻¹³. Long chains take minutes, so that it is kept in a file.
pub fn complete(problem: &mut Problem) -> Result<(), String> {
    if problem.reference.is_some() {
        return Ok(());
    }
    let refusal = || {
        format!(
            "{}: there is no reference solution, and none can be made",
            problem.name
        )
    };
    let mut parts = problem.name.split(':');
    if !parts.next().is_some_and(|name| name.starts_with("chain")) {
        return Err(refusal());
    }
    let n: usize = parts.next().and_then(|n| n.parse().ok()).ok_or_else(refusal)?;
    let omega: f64 = parts.next().and_then(|w| w.parse().ok()).ok_or_else(refusal)?;
    let file = folder().join(format!("chain-{n}-{omega}.json"));
    let kept: Option<Vec<f64>> = std::fs::read_to_string(&file)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .filter(|y: &Vec<f64>| y.len() == problem.y0.len());
    let y = match kept {
        Some(y) => y,
        None => {
            eprintln!("reference of {} …", problem.name);
            let made = problems::chain::reference(n, omega, &[problem.t_end]);
            let y = made.into_iter().next().ok_or_else(refusal)?;
            let written = std::fs::create_dir_all(folder())
                .and_then(|()| std::fs::write(&file, serde_json::json!(y).to_string()));
            if let Err(error) = written {
                eprintln!("warning: {} cannot be written ({error})", file.display());
            }
            y
        }
    };
    problem.reference = Some(Reference {
        t: problem.t_end,
        y,
        digits: 10.0,
        provenance: "own: extrapolation of order 16",
    });
    Ok(())
}
