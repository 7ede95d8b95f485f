//! Work–precision curves: what was reached for what work, and the work read off at given digits.

use crate::interface::Run;
use holonom_dae::Structure;
use holonom_dae::problems::{self, Group, Problem, digits};

/// Digits in the worst of the plain variables, positions and velocities at the end; multipliers
/// do not count. `None` without a reference.
pub fn score(structure: &Structure, problem: &Problem, y: &[f64]) -> Option<f64> {
    let reference = problem.reference.as_ref()?;
    [Group::Plain, Group::Positions, Group::Velocities]
        .into_iter()
        .filter_map(|g| digits(structure, &reference.y, y, problem.atol_factor, g))
        .reduce(f64::min)
}

/// Times along the way at which a problem is judged too, with the solution there.
///
/// For a second look at the pendulum chain, whose small oscillation makes the error at the end
/// depend on chance. The checks are defined at the end of the interval.
#[derive(Clone, Debug, Default)]
pub struct Along {
    /// The times; none for a problem judged at its end.
    pub times: Vec<f64>,
    references: Vec<Vec<f64>>,
}

impl Along {
    /// Whole seconds for the pendulum chain, nothing for the others.
    pub fn of(problem: &Problem) -> Self {
        if !problem.name.starts_with("chain") {
            return Self::default();
        }
        let mut sizes = problem.name.split(':').skip(1);
        let n = problem.y0.len() / 2;
        let omega = sizes
            .nth(1)
            .and_then(|w| w.parse().ok())
            .unwrap_or(problems::chain::OMEGA);
        let times: Vec<f64> = (1..=problem.t_end as u32).map(f64::from).collect();
        let references = problems::chain::reference(n, omega, &times);
        Self { times, references }
    }

    /// Digits in the worst of the times, with those at the end.
    pub fn score(&self, structure: &Structure, problem: &Problem, run: &Run) -> Option<f64> {
        if self.times.is_empty() {
            return score(structure, problem, &run.y);
        }
        let at = |(reference, y): (&Vec<f64>, &Vec<f64>)| {
            [Group::Positions, Group::Velocities]
                .into_iter()
                .filter_map(|g| digits(structure, reference, y, problem.atol_factor, g))
                .reduce(f64::min)
        };
        (run.outputs.len() == self.times.len())
            .then(|| {
                self.references
                    .iter()
                    .zip(&run.outputs)
                    .filter_map(at)
                    .reduce(f64::min)
            })
            .flatten()
    }
}

/// The tolerances of a curve, from 10⁻² to 10⁻¹¹ with so many per decade.
pub fn ladder(per_decade: u32) -> Vec<f64> {
    let per_decade = per_decade.max(1);
    (0..=9 * per_decade)
        .map(|k| 10f64.powf(-2.0 - f64::from(k) / f64::from(per_decade)))
        .collect()
}

/// One run on a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Digits reached.
    pub digits: f64,
    /// What it cost: residual evaluations or seconds.
    pub work: f64,
}

/// Work read off a curve at a given number of digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The work.
    pub work: f64,
    /// Even the cheapest run reached more digits than asked for, so this is an upper bound.
    pub bound: bool,
}

/// The Pareto front: the runs for which no other run reaches as many digits with less work, by
/// ascending digits, and so by ascending work.
pub fn front(points: &[Point]) -> Vec<Point> {
    let mut all: Vec<Point> = points
        .iter()
        .copied()
        .filter(|p| p.digits.is_finite() && p.work > 0.0)
        .collect();
    all.sort_by(|a, b| b.digits.total_cmp(&a.digits).then(a.work.total_cmp(&b.work)));
    let mut kept: Vec<Point> = Vec::new();
    for p in all {
        if kept.last().is_none_or(|q| p.work < q.work) {
            kept.push(p);
        }
    }
    kept.reverse();
    kept
}

/// The work at `d` digits: on the Pareto front, log₁₀(work) linear in the digits between the two
/// neighbours of d. Left of the front its cheapest run, marked as a bound; right of it nothing.
pub fn work_at(points: &[Point], d: f64) -> Option<Reading> {
    let front = front(points);
    let right = front.iter().position(|p| p.digits >= d)?;
    let b = front[right];
    if right == 0 {
        return Some(Reading {
            work: b.work,
            bound: b.digits > d,
        });
    }
    let a = front[right - 1];
    let s = (d - a.digits) / (b.digits - a.digits);
    Some(Reading {
        work: a.work.powf(1.0 - s) * b.work.powf(s),
        bound: false,
    })
}

/// The work at `d` digits on the least-squares line of log₁₀(work) over the digits, through all
/// runs within two digits of d. Less subject to a run being lucky than [`work_at`]; `None` with
/// fewer than three runs there or none beyond d.
pub fn fit_at(points: &[Point], d: f64) -> Option<f64> {
    let near: Vec<(f64, f64)> = points
        .iter()
        .filter(|p| (p.digits - d).abs() <= 2.0 && p.work > 0.0)
        .map(|p| (p.digits - d, p.work.log10()))
        .collect();
    if near.len() < 3 || near.iter().all(|(x, _)| *x < 0.0) {
        return None;
    }
    let n = near.len() as f64;
    let (mx, my) = (
        near.iter().map(|p| p.0).sum::<f64>() / n,
        near.iter().map(|p| p.1).sum::<f64>() / n,
    );
    let xx: f64 = near.iter().map(|p| (p.0 - mx).powi(2)).sum();
    let xy: f64 = near.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    (xx > 0.0).then(|| 10f64.powf(my - mx * xy / xx))
}

/// The median, the mean of the middle two of an even number; `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut v = values.to_vec();
    v.sort_by(f64::total_cmp);
    let n = v.len();
    match n {
        0 => None,
        _ if n % 2 == 1 => Some(v[n / 2]),
        _ => Some(0.5 * (v[n / 2 - 1] + v[n / 2])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(p: &[(f64, f64)]) -> Vec<Point> {
        p.iter().map(|&(digits, work)| Point { digits, work }).collect()
    }

    #[test]
    fn dominated_runs_leave_the_front() {
        let p = points(&[
            (2.0, 10.0),
            (3.0, 50.0),
            (3.5, 40.0),
            (5.0, 100.0),
            (4.0, 120.0),
            (f64::NAN, 1.0),
        ]);
        assert_eq!(front(&p), points(&[(2.0, 10.0), (3.5, 40.0), (5.0, 100.0)]));
    }

    #[test]
    fn reading_is_log_linear_between_neighbours() {
        let p = points(&[(2.0, 10.0), (4.0, 1000.0), (6.0, 100_000.0)]);
        let at = |d| work_at(&p, d);
        assert!((at(3.0).map_or(0.0, |r| r.work) - 100.0).abs() < 1e-9);
        assert_eq!(at(4.0).map(|r| r.work.round()), Some(1000.0));
        assert_eq!(
            at(1.0),
            Some(Reading {
                work: 10.0,
                bound: true
            })
        );
        assert_eq!(at(6.5), None);
        assert_eq!(work_at(&[], 1.0), None);
    }

    #[test]
    fn a_fit_goes_through_points_on_a_line() {
        let p = points(&[(2.0, 10.0), (4.0, 1000.0), (5.0, 10_000.0), (9.0, 1.0)]);
        assert!(fit_at(&p, 3.0).is_some_and(|w| (w - 100.0).abs() < 1e-9));
        assert_eq!(fit_at(&p[..2], 3.0), None);
        assert_eq!(fit_at(&p[..3], 5.5), None);
    }

    #[test]
    fn a_ladder_has_nineteen_rungs() {
        let l = ladder(2);
        assert_eq!(l.len(), 19);
        assert!((l[0] - 1e-2).abs() < 1e-16 && (l[18] - 1e-11).abs() < 1e-24);
    }

    #[test]
    fn medians() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }
}
