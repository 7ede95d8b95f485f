//! References of pendulum chains of other sizes than the default one.

use holonom_dae::problems::{self, Problem, Reference};

/// Local errors of the two solutions that are compared, coarse and fine.
const TOLERANCES: [f64; 2] = [1e-14, 1e-15];
/// Digits to which they must agree: the fine one has about one more, and nine are the most a comparison asks for.
const LEAST_DIGITS: f64 = 10.0;

/// Gives a pendulum chain without a reference one: the solution at its end by extrapolation, which shares nothing with
/// the solvers. It is made twice, and good to the digits in which both agree.
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
    let end = |tol| problems::chain::reference_within(n, omega, &[problem.t_end], tol).pop();
    let [coarse, fine] = TOLERANCES.map(end);
    let (coarse, y) = coarse.zip(fine).ok_or_else(refusal)?;
    let apart = y.iter().zip(&coarse);
    let apart = apart
        .map(|(a, b)| (a - b).abs() / (1.0 + a.abs()))
        .fold(0.0, f64::max);
    let digits = -apart.max(f64::EPSILON).log10();
    eprintln!(
        "reference of {}: {digits:.1} digits by two tolerances",
        problem.name
    );
    if digits < LEAST_DIGITS {
        return Err(format!(
            "{}: two references agree to {digits:.1} digits only",
            problem.name
        ));
    }
    problem.reference = Some(Reference {
        t: problem.t_end,
        y,
        digits,
        provenance: "own: extrapolation of order 16, tolerances 1e-14 and 1e-15",
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_get_references_that_agree_with_a_tighter_one() {
        let mut problem = problems::find("chain-residual:5:0.3").expect("a chain");
        assert!(problem.reference.is_none());
        complete(&mut problem).expect("it can be made");
        let made = problem.reference.expect("there is one now");
        let tighter = problems::chain::reference(5, 0.3, &[problem.t_end]);
        for (a, b) in made.y.iter().zip(&tighter[0]) {
            assert!((a - b).abs() < 1e-11, "{a} {b}");
        }
        assert!(made.digits >= LEAST_DIGITS);
    }

    #[test]
    fn others_are_refused() {
        let mut problem = problems::find("hires").expect("hires exists");
        problem.reference = None;
        assert!(complete(&mut problem).is_err_and(|m| m.contains("none can be made")));
    }
}
