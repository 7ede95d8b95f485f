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

/// Every curve goes down to this tolerance.
pub const TIGHT: f64 = 1e-11;

/// The tolerances of a curve, from 10⁻² to 10⁻¹³ with so many per decade. Those below [`TIGHT`] are for codes that have
/// not reached the digits asked for by then.
pub fn ladder(per_decade: u32) -> Vec<f64> {
    let per_decade = per_decade.max(1);
    (0..=11 * per_decade)
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

/// Neighbouring tolerances are not brought closer than this, in decades.
pub const FINEST: f64 = 1.0 / 16.0;
/// A crossing is left alone where both its runs took more than this many times the least work at the level.
const HOPELESS: f64 = 2.0;

/// One tolerance that was tried, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rung {
    /// The relative tolerance.
    pub rtol: f64,
    /// Digits reached; none by a run that failed.
    pub digits: Option<f64>,
    /// A count of work, the same whenever the run is repeated.
    pub work: f64,
    /// CPU time in seconds.
    pub cpu: f64,
}

impl Rung {
    fn reaches(&self, d: f64) -> bool {
        self.digits.is_some_and(|digits| digits >= d)
    }
}

/// The tolerances to try next so that the least work at `d` digits is found, loosest first: the middle, in
/// logarithms, of all neighbours of which one reaches d digits and the other does not, until they are
/// [`FINEST`] apart. `rungs` are sorted, loosest first.
///
/// Where both neighbours cost more than twice the least work known at d, no run between them will be the least; nor
/// is there any use for one where both took longer than `useful` seconds.
pub fn between(rungs: &[Rung], d: f64, useful: f64) -> Vec<f64> {
    let reaching = rungs.iter().filter(|r| r.reaches(d)).map(|r| r.work);
    let least = reaching.fold(f64::INFINITY, f64::min);
    rungs
        .windows(2)
        .filter(|pair| pair[0].reaches(d) != pair[1].reaches(d))
        .filter(|pair| pair[0].work.min(pair[1].work) <= HOPELESS * least)
        .filter(|pair| pair[0].cpu.min(pair[1].cpu) <= useful)
        // The slack is for rounding: a spacing of 1/16 is met, not halved.
        .filter(|pair| (pair[0].rtol / pair[1].rtol).log10() > FINEST * (1.0 + 1e-6))
        .map(|pair| (pair[0].rtol * pair[1].rtol).sqrt())
        .collect()
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

/// The work at `d` digits: the least of any run that reached at least d. It was measured, whatever lies between
/// the runs. Marked as a bound where no cheaper run has fewer digits than d; nothing where no run gets there.
pub fn work_at(points: &[Point], d: f64) -> Option<Reading> {
    let front = front(points);
    let right = front.iter().position(|p| p.digits >= d)?;
    Some(Reading {
        work: front[right].work,
        bound: right == 0 && front[0].digits > d,
    })
}

/// What [`work_at`] would be if log₁₀(work) were linear in the digits between the two neighbours of d on the Pareto
/// front. No run need exist there, so that this is shown and not judged.
pub fn interpolated_at(points: &[Point], d: f64) -> Option<f64> {
    let front = front(points);
    let right = front.iter().position(|p| p.digits >= d)?;
    let b = front[right];
    let Some(a) = right.checked_sub(1).map(|left| front[left]) else {
        return Some(b.work);
    };
    let s = (d - a.digits) / (b.digits - a.digits);
    Some(a.work.powf(1.0 - s) * b.work.powf(s))
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
    fn a_reading_is_a_run_that_was_made() {
        // IDA on the chain at ω = 0.05: hardly anything between 5.5 and 7 digits.
        let p = points(&[(4.9, 221.0), (5.48, 263.0), (7.1, 5935.0), (6.2, 6400.0)]);
        let at = |d| work_at(&p, d).map(|r| (r.work, r.bound));
        assert_eq!(at(6.0), Some((5935.0, false)));
        assert_eq!(at(5.48), Some((263.0, false)));
        assert_eq!(at(5.0), Some((263.0, false)));
        assert_eq!(at(4.9), Some((221.0, false)));
        assert_eq!(at(4.0), Some((221.0, true)));
        assert_eq!(at(7.2), None);
        assert_eq!(work_at(&[], 1.0), None);
        assert!(interpolated_at(&p, 6.0).is_some_and(|w| 263.0 < w && w < 1000.0));
    }

    #[test]
    fn interpolation_is_log_linear_between_neighbours() {
        let p = points(&[(2.0, 10.0), (4.0, 1000.0), (6.0, 100_000.0)]);
        assert!(interpolated_at(&p, 3.0).is_some_and(|w| (w - 100.0).abs() < 1e-9));
        assert_eq!(interpolated_at(&p, 4.0).map(f64::round), Some(1000.0));
        assert_eq!(interpolated_at(&p, 1.0), Some(10.0));
        assert_eq!(interpolated_at(&p, 6.5), None);
    }

    /// Refines the ladder of a code with these digits and this work at a tolerance 10^−x.
    fn refined(digits: fn(f64) -> Option<f64>, work: fn(f64) -> f64, d: f64) -> (Vec<Rung>, usize) {
        let rung = |rtol: f64| Rung {
            rtol,
            digits: digits(-rtol.log10()),
            work: work(-rtol.log10()),
            cpu: work(-rtol.log10()),
        };
        let mut rungs: Vec<Rung> = ladder(2).into_iter().map(rung).collect();
        let coarse = rungs.len();
        loop {
            let next = between(&rungs, d, 1e9);
            if next.is_empty() {
                let more = rungs.len() - coarse;
                return (rungs, more);
            }
            rungs.extend(next.into_iter().map(rung));
            rungs.sort_by(|a, b| b.rtol.total_cmp(&a.rtol));
        }
    }

    #[test]
    fn a_crossing_is_closed_in_to_a_sixteenth_of_a_decade() {
        // Digits d at 10^(−d): a level of 5.2 lies between the rungs 5 and 5.5.
        let (rungs, more) = refined(Some, |x| 10f64.powf(x / 5.0), 5.2);
        assert_eq!(more, 3);
        let first = rungs.iter().find(|r| r.reaches(5.2)).expect("there is one");
        let x = -first.rtol.log10();
        assert!((5.2..5.2 + FINEST).contains(&x), "{x}");
        // A level that lies on a rung, one that no run and one that every run reaches.
        assert_eq!(refined(Some, |x| x, 1.0).1, 0);
        assert_eq!(refined(Some, |x| x, 14.0).1, 0);
    }

    #[test]
    fn every_crossing_counts_and_failures_reach_nothing() {
        // Up at 3.7, down at 6.3, up again at 8.2; fails before 2.9.
        let zigzag = |x: f64| match x {
            x if x < 2.9 => None,
            x if (3.7..6.3).contains(&x) || x > 8.2 => Some(6.0),
            _ => Some(4.0),
        };
        assert_eq!(refined(zigzag, |_| 1.0, 5.0).1, 9);
        // The last one is too expensive to matter, then the last two.
        assert_eq!(refined(zigzag, |x| if x < 7.0 { 1.0 } else { 2.1 }, 5.0).1, 6);
        assert_eq!(refined(zigzag, |x| if x < 5.0 { 1.0 } else { 2.1 }, 5.0).1, 3);
        let (rungs, _) = refined(zigzag, |_| 1.0, 3.0);
        assert_eq!(rungs.len(), 26);
        // No use for runs of a second.
        let coarse: Vec<Rung> = rungs.into_iter().step_by(4).collect();
        assert!(!between(&coarse, 3.0, 1.0).is_empty());
        assert_eq!(between(&coarse, 3.0, 0.9), Vec::<f64>::new());
    }

    #[test]
    fn a_fit_goes_through_points_on_a_line() {
        let p = points(&[(2.0, 10.0), (4.0, 1000.0), (5.0, 10_000.0), (9.0, 1.0)]);
        assert!(fit_at(&p, 3.0).is_some_and(|w| (w - 100.0).abs() < 1e-9));
        assert_eq!(fit_at(&p[..2], 3.0), None);
        assert_eq!(fit_at(&p[..3], 5.5), None);
    }

    #[test]
    fn a_ladder_has_twenty_three_rungs() {
        let l = ladder(2);
        assert_eq!(l.len(), 23);
        assert!((l[0] - 1e-2).abs() < 1e-16 && (l[22] - 1e-13).abs() < 1e-26);
        assert_eq!(l.iter().filter(|r| **r < 0.99 * TIGHT).count(), 4);
    }

    #[test]
    fn medians() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }
}
