//! Requirements beyond the digits at the end of the interval.

use super::findings::{Findings, SpecialRow};
use super::setup::Setup;
use crate::measure;
use crate::report::{Check, Limit};
use holonom::problems::chain::{self, Formalism};
use holonom::problems::constrained::Form;
use holonom::problems::{Problem, brusselator, pendulum};
use holonom::{Control, Observer, Recorder, StepInfo};
use holonom_text::{Align, Table, number};

/// One requirement.
pub struct Special {
    /// For the progress bar.
    pub title: &'static str,
    /// Problems it belongs to, by the beginning of their names; it runs with any of them.
    problems: &'static str,
    /// Measures it.
    pub run: fn(&Setup, &[Problem]) -> Findings,
}

/// All of them.
const REGISTRY: &[Special] = &[
    Special {
        title: "chain of pendulums",
        problems: "chain",
        run: chain_of_pendulums,
    },
    Special {
        title: "drift of the pendulum",
        problems: "pendulum-ggl",
        run: drift,
    },
    Special {
        title: "large sparse systems",
        problems: "brusselator",
        run: sparse_scaling,
    },
    Special {
        title: "mechanisms",
        problems: "mechanisms",
        run: super::mechanisms::run,
    },
    Special {
        title: "repeatability",
        problems: "",
        run: repeatability,
    },
];

/// The requirements that belong to the problems named; all when none is.
pub fn select(names: &[String]) -> Vec<&'static Special> {
    let wanted =
        |special: &&Special| names.is_empty() || names.iter().any(|name| name.starts_with(special.problems));
    REGISTRY.iter().filter(wanted).collect()
}

/// A slow motion on top of fast modes that are hardly excited: steps are limited by stability,
/// unless the order is lowered [Arnold, Fuchs, Führer 2004, §4.2.1].
fn chain_of_pendulums(setup: &Setup, _: &[Problem]) -> Findings {
    let mut findings = Findings::default();
    let times: Vec<f64> = (1..=200).map(f64::from).collect();
    for (bodies, source) in [(12, "DASSL 5111 / IDA 4947 steps"), (16, "own; as for 12 bodies")] {
        let problem = chain::problem(Formalism::Residual, bodies, chain::OMEGA);
        let mut options = setup.options(1e-4, 1e-6);
        options.outputs = times.clone().into();
        let mut recorder = Recorder::outputs(problem.y0.len());
        let run = measure::problem(&problem, problem.t_end, options, &mut recorder);
        let mut error = 0.0f64;
        let reference = chain::reference(bodies, chain::OMEGA, &times);
        for (i, exact) in reference.iter().enumerate().take(recorder.len()) {
            for (angle, exact) in recorder.y(i).iter().zip(exact).take(bodies) {
                error = error.max((angle - exact).abs());
            }
        }
        findings.failure = run.failure;
        let id = |what: &str| format!("special/chain-{bodies}/{what}");
        let of = |what: &str| format!("{what}, chain of {bodies} pendulums, rtol 1e-4, atol 1e-6");
        findings.require(
            &id("steps"),
            &of("steps"),
            run.counters.steps as f64,
            "",
            Limit::AtMost(400.0),
            source,
        );
        findings.require(
            &id("angle-error"),
            &of("largest error of the angles at t = 1, 2 … 200"),
            error,
            "rad",
            Limit::AtMost(5e-5),
            "reference: own extrapolation of order 16",
        );
    }
    findings
}

/// Largest violations over the accepted steps of a pendulum.
#[derive(Default)]
struct Drift {
    position: f64,
    velocity: f64,
    energy: f64,
}

impl Observer for Drift {
    fn step(&mut self, step: &StepInfo<'_>) -> Control {
        if let [x, y, vx, vy, ..] = *step.y {
            let length = pendulum::LENGTH;
            let g = 0.5 * (x * x + y * y - length * length);
            self.position = self.position.max(g.abs());
            self.velocity = self.velocity.max((x * vx + y * vy).abs());
            self.energy = self.energy.max(pendulum::energy(step.y).abs());
        }
        Control::Continue
    }
}

/// The stabilised form keeps both constraints over any time.
fn drift(setup: &Setup, _: &[Problem]) -> Findings {
    const T_END: f64 = 1000.0;
    let problem = pendulum::problem(Form::Ggl);
    let mut drift = Drift::default();
    let options = setup.options(1e-8, 1e-8);
    let run = measure::problem(&problem, T_END, options, &mut drift);
    let mut findings = Findings {
        failure: run.failure,
        ..Findings::default()
    };
    let of = |what: &str| format!("{what}, pendulum-ggl over 1000 s, rtol = atol = 1e-8");
    let source = "ten times the tolerance";
    let limit = Limit::Below(1e-7);
    findings.require(
        "special/drift/position",
        &of("max |g|"),
        drift.position,
        "m²",
        limit,
        source,
    );
    findings.require(
        "special/drift/velocity",
        &of("max |G v|"),
        drift.velocity,
        "m²/s",
        limit,
        source,
    );
    findings.show("special/drift/energy", &of("max |E − E₀|"), drift.energy, "J");
    findings.show("special/drift/steps", &of("steps"), run.counters.steps as f64, "");
    findings
}

/// Ten times the unknowns, ten times the work.
fn sparse_scaling(setup: &Setup, _: &[Problem]) -> Findings {
    const REPETITIONS: usize = 31;
    let mut findings = Findings::default();
    let sizes = [500, 5000].map(brusselator::problem);
    let mut seconds = [Vec::new(), Vec::new()];
    let mut steps = [0, 0];
    // Interleaved, so that a busy machine slows down both.
    for _ in 0..REPETITIONS {
        for (i, problem) in sizes.iter().enumerate() {
            let run = setup.solve(problem, 1e-6);
            seconds[i].push(run.seconds);
            steps[i] = run.counters.steps;
            findings.failure = findings.failure.or(run.failure);
        }
    }
    let [small, large] = seconds.map(median);
    for (unknowns, time, steps) in [(1000, small, steps[0]), (10_000, large, steps[1])] {
        let id = format!("special/sparse/time-{unknowns}");
        let quantity = format!("brusselator with {unknowns} unknowns, rtol 1e-6, {steps} steps");
        findings.show(&id, &quantity, time * 1e3, "ms");
    }
    findings.require(
        "special/sparse/ratio",
        "ratio of these times, medians of 31 interleaved runs",
        large / small,
        "",
        Limit::AtMost(12.0),
        "ten times the unknowns",
    );
    findings
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Same build, same input: same counters, same bits.
fn repeatability(setup: &Setup, problems: &[Problem]) -> Findings {
    const ID: &str = "special/repeatability";
    let mut findings = Findings::default();
    let mut differing = Vec::new();
    for problem in problems {
        let [a, b] = [(); 2].map(|()| setup.solve(problem, 1e-6));
        let bits = |y: &[f64]| y.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        if a.timed_out || b.timed_out {
            // Where the clock ends a run, two runs end at different places.
            findings
                .missing
                .push(format!("{ID}: {} takes longer than the time limit", problem.name));
        } else if a.counters != b.counters || bits(&a.y) != bits(&b.y) {
            differing.push(problem.name.as_str());
        }
    }
    let which = match differing.is_empty() {
        true => String::new(),
        false => format!(": {}", differing.join(", ")),
    };
    findings.require(
        ID,
        &format!("problems whose counters or bits differ between two runs at rtol 1e-6{which}"),
        differing.len() as f64,
        "",
        Limit::AtMost(0.0),
        "own",
    );
    findings
}

/// The rows as a table; empty without rows.
pub fn table<'a>(rows: impl Iterator<Item = &'a SpecialRow>, checks: &[Check]) -> String {
    let mut table = Table::new(&[
        ("quantity", Align::Left),
        ("value", Align::Right),
        ("unit", Align::Left),
        ("limit", Align::Left),
        ("holds", Align::Left),
        ("compare", Align::Left),
    ]);
    for row in rows {
        let value = row.value.map_or("failed".into(), number);
        let mut cells = vec![row.quantity.clone(), value, row.unit.into()];
        if let Some(check) = checks.iter().find(|check| check.id == row.id) {
            let holds = if check.holds { "yes" } else { "NO" };
            cells.extend([check.limit.text(), holds.into(), check.source.clone()]);
        }
        if let Some(failure) = &row.failure {
            cells.resize(5, String::new());
            cells.push(failure.clone());
        }
        table.row(cells);
    }
    if table.is_empty() {
        String::new()
    } else {
        table.render()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_follow_the_problems() {
        assert_eq!(select(&[]).len(), REGISTRY.len());
        let titles = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            select(&names).iter().map(|s| s.title).collect::<Vec<_>>()
        };
        assert_eq!(titles(&["hires"]), ["repeatability"]);
        assert_eq!(
            titles(&["chain-residual:5"]),
            ["chain of pendulums", "repeatability"]
        );
    }

    #[test]
    fn medians() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert!(median(Vec::new()).is_nan());
    }
}
