//! The ladder of tolerances: digits reached and what they cost.

use super::setup::Setup;
use crate::measure::Run;
use crate::report::{Check, Limit};
use holonom::problems::{self, Group, Problem};
use holonom::{Counters, Structure};
use holonom_text::{Align, Table};
use serde::Serialize;

/// Digits of the groups of variables; `None` where a group is empty or has no reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Digits {
    /// Variables without mechanical meaning, of index 1.
    pub plain: Option<f64>,
    /// Positions.
    pub positions: Option<f64>,
    /// Velocities.
    pub velocities: Option<f64>,
    /// Multipliers and other variables of higher index.
    pub multipliers: Option<f64>,
}

impl Digits {
    /// The digits of a solution of this problem.
    pub fn of(problem: &Problem, structure: &Structure, y: &[f64]) -> Self {
        let Some(reference) = &problem.reference else {
            return Self::default();
        };
        let a = measure_of_size(problem);
        let of = |group| problems::digits(structure, &reference.y, y, a, group);
        Self {
            plain: of(Group::Plain),
            positions: of(Group::Positions),
            velocities: of(Group::Velocities),
            multipliers: of(Group::Multipliers),
        }
    }

    /// All groups, by name.
    pub fn groups(&self) -> [(&'static str, Option<f64>); 4] {
        [
            ("plain", self.plain),
            ("positions", self.positions),
            ("velocities", self.velocities),
            ("multipliers", self.multipliers),
        ]
    }
}

/// a in |error| / (a + |reference|): the size below which errors count as absolute.
///
/// It goes with the absolute tolerance, except for the chain: whatever its tolerance, angles of
/// the order of 1 rad are the measure there.
fn measure_of_size(problem: &Problem) -> f64 {
    if problem.name.starts_with("chain") {
        1.0
    } else {
        problem.atol_factor
    }
}

/// A problem at one tolerance.
#[derive(Clone, Debug, Serialize)]
pub struct AccuracyRow {
    problem: String,
    unknowns: usize,
    rtol: f64,
    atol: f64,
    digits: Digits,
    counters: Counters,
    time_s: f64,
    strategies: Option<[&'static str; 4]>,
    failure: Option<String>,
}

/// What came of a problem at one tolerance.
pub struct Findings {
    /// The row of the table.
    pub row: AccuracyRow,
    /// The requirements.
    pub checks: Vec<Check>,
    /// What could not be measured.
    pub missing: Option<String>,
}

/// Tightest tolerance at which digits are asked for; below, a run has to reach its end.
const TIGHTEST: f64 = 1e-8;

/// Solves a problem with one tolerance and judges the result.
pub fn examine(setup: &Setup, problem: &Problem, rtol: f64) -> Findings {
    let structure = (problem.build)().structure().clone();
    let run = setup.solve(problem, rtol);
    let reached = Digits::of(problem, &structure, &run.y);
    let (checks, missing) = judge(problem, &structure, rtol, &run, &reached);
    let row = AccuracyRow {
        problem: problem.name.clone(),
        unknowns: problem.y0.len(),
        rtol,
        atol: rtol * problem.atol_factor,
        digits: match run.failure {
            None => reached,
            Some(_) => Digits::default(),
        },
        counters: run.counters,
        time_s: run.seconds,
        strategies: run.strategies,
        failure: run.failure,
    };
    Findings { row, checks, missing }
}

fn judge(
    problem: &Problem,
    structure: &Structure,
    rtol: f64,
    run: &Run,
    reached: &Digits,
) -> (Vec<Check>, Option<String>) {
    let name = &problem.name;
    let id = |what: &str| format!("{name}/{rtol:e}/{what}");
    let Some(reference) = problem.reference.as_ref().filter(|_| rtol > 0.999 * TIGHTEST) else {
        let failures = f64::from(u8::from(run.failure.is_some()));
        let check = Check::new(
            id("failures"),
            Some(failures),
            Limit::AtMost(0.0),
            "the end has to be reached",
        );
        let missing = (problem.reference.is_none())
            .then(|| format!("{}: there is no reference for this size", id("digits")));
        return (vec![check], missing);
    };
    let exponent = -rtol.log10();
    let is_constrained = (structure.layout.as_ref()).is_some_and(|layout| !layout.lambda.is_empty());
    let lost_in_velocities = if is_constrained { 3.0 } else { 2.0 };
    let checks = [
        ("plain", reached.plain, 2.0),
        ("positions", reached.positions, 2.0),
        ("velocities", reached.velocities, lost_in_velocities),
    ]
    .into_iter()
    .filter_map(|(group, digits, lost)| {
        let value = digits.map(|d| run.failure.is_none().then_some(d))?;
        // Rounded, so that the exponent of 1e-6 is 6.
        let limit = ((exponent - lost) * 1e6).round() / 1e6;
        let source = format!("reference: {}", reference.provenance);
        Some(Check::new(id(group), value, Limit::AtLeast(limit), source))
    });
    (checks.collect(), None)
}

/// The rows as a table.
pub fn table<'a>(rows: impl Iterator<Item = &'a AccuracyRow>) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("problem", Left),
        ("unknowns", Right),
        ("rtol", Left),
        ("plain", Right),
        ("pos", Right),
        ("vel", Right),
        ("mult", Right),
        ("steps", Right),
        ("rej err", Right),
        ("rej conv", Right),
        ("residuals", Right),
        ("corrector", Right),
        ("Jac", Right),
        ("LU", Right),
        ("stab", Right),
        ("time/ms", Right),
        ("", Left),
    ]);
    let mut last: Option<&str> = None;
    for row in rows {
        if last != Some(&row.problem) {
            table.gap();
        }
        last = Some(&row.problem);
        let c = &row.counters;
        let counts = [
            c.steps,
            c.rejected_error,
            c.rejected_convergence,
            c.residuals,
            c.residuals_corrector,
            c.jacobians,
            c.factorisations,
            c.order_reductions_stability,
        ];
        let digits = row.digits.groups().map(|(_, d)| match d {
            Some(d) => format!("{d:.2}"),
            None => "·".into(),
        });
        let mut cells = vec![
            row.problem.clone(),
            row.unknowns.to_string(),
            format!("{:e}", row.rtol),
        ];
        cells.extend(digits);
        cells.extend(counts.map(|n| n.to_string()));
        cells.push(format!("{:.2}", row.time_s * 1e3));
        if let Some(failure) = &row.failure {
            cells.push(format!("FAILED {}", first_sentence(failure)));
        }
        table.row(cells);
    }
    format!(
        "Correct digits and work (multipliers are shown, not checked)\n\n{}",
        table.render()
    )
}

/// A message up to its remedies, which the report has in full.
fn first_sentence(message: &str) -> &str {
    let end = [". ", "; "].iter().filter_map(|stop| message.find(stop)).min();
    &message[..end.unwrap_or(message.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_cut_at_the_remedy() {
        let message = "at t = 0.25: the step fell to 1.5e-9 because of this. Do that";
        assert_eq!(
            first_sentence(message),
            "at t = 0.25: the step fell to 1.5e-9 because of this"
        );
        assert_eq!(first_sentence("short"), "short");
    }

    #[test]
    fn the_measure_follows_the_absolute_tolerance() {
        for (name, a) in [("robertson-dae", 1e-8), ("hires", 1e-4), ("chain-explicit", 1.0)] {
            let problem = problems::find(name).expect("problem");
            assert_eq!(measure_of_size(&problem), a);
        }
    }
}
