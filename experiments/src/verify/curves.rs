//! Work–precision diagrams of the problems.

use super::accuracy::Digits;
use super::setup::Setup;
use crate::Report;
use crate::progress::Progress;
use holonom::problems::Problem;
use holonom_plot::work_precision::{self, Diagram, Sample};

/// Adds one diagram per problem and an overview.
pub fn draw(setup: &Setup, problems: &[Problem], report: &mut Report, progress: &mut dyn Progress) {
    progress.begin(problems.len());
    let mut diagrams = Vec::new();
    for problem in problems {
        progress.at(&format!("diagram of {}", problem.name));
        // Without a reference there is no precision to show.
        if problem.reference.is_some() {
            let diagram = measure(setup, problem);
            report.picture(problem.name.replace(':', "_"), work_precision::figure(&diagram));
            diagrams.push(diagram);
        }
        progress.done();
    }
    let subtitle = "positions, or variables without mechanical meaning; \
                    rtol from 1e-3 to 1e-11 in half decades; grey: the other problems";
    report.picture("overview", work_precision::overview(&diagrams, subtitle));
}

/// 10⁻³ … 10⁻¹¹ in half decades.
fn ladder() -> impl Iterator<Item = f64> {
    (6..=22).map(|k| {
        // Whole powers as written, so that 1e-4 is the number a user types.
        if k % 2 == 0 {
            10f64.powi(-(k / 2))
        } else {
            10f64.powf(-0.5 * f64::from(k))
        }
    })
}

fn measure(setup: &Setup, problem: &Problem) -> Diagram {
    let structure = (problem.build)().structure().clone();
    let mut samples: Vec<([Option<f64>; 4], Sample)> = Vec::new();
    let mut failed = Vec::new();
    let mut strategies = None;
    for rtol in ladder() {
        let mut run = setup.solve(problem, rtol);
        strategies = strategies.or(run.strategies);
        if run.failure.is_some() {
            failed.push(format!("{rtol:.0e}"));
            continue;
        }
        // Short runs are repeated: the best time is the one least disturbed.
        for _ in 0..2 {
            if run.seconds < 0.05 {
                let again = setup.solve(problem, rtol);
                run.seconds = run.seconds.min(again.seconds);
            }
        }
        let digits = Digits::of(problem, &structure, &run.y);
        let sample = Sample {
            rtol,
            digits: Vec::new(),
            residuals: run.counters.residuals as f64,
            seconds: run.seconds,
        };
        samples.push((digits.groups().map(|(_, d)| d), sample));
    }
    // Only groups this problem has.
    let names = Digits::default().groups().map(|(name, _)| name);
    let present: Vec<usize> = (0..names.len())
        .filter(|g| samples.iter().any(|(digits, _)| digits[*g].is_some()))
        .collect();
    let samples = samples.into_iter().map(|(digits, sample)| Sample {
        digits: present.iter().map(|g| digits[*g]).collect(),
        ..sample
    });
    let used = strategies.map_or(String::new(), |names| format!(", {}", names.join(", ")));
    let factor = match problem.atol_factor {
        1.0 => String::new(),
        a => format!("{a:e} "),
    };
    Diagram {
        name: problem.name.clone(),
        title: problem.title.into(),
        subtitle: format!(
            "{} unknowns{used}, rtol from 1e-3 to 1e-11, atol = {factor}rtol",
            problem.y0.len(),
        ),
        remark: match failed.is_empty() {
            true => String::new(),
            false => format!(" Failed at {}.", failed.join(", ")),
        },
        curves: present
            .iter()
            .map(|g| match names[*g] {
                "plain" => "variables of index 1",
                name => name,
            })
            .collect(),
        samples: samples.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ladder_has_half_decades() {
        let ladder: Vec<f64> = ladder().collect();
        assert_eq!(ladder.len(), 17);
        assert_eq!((ladder[0], ladder[2], ladder[16]), (1e-3, 1e-4, 1e-11));
    }
}
