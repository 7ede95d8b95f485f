//! Exact work counters of a few runs, so that an unintended change of path is seen even where
//! the results agree; and two runs of the same input give the same bits.
//!
//! To renew the numbers after an intended change:
//! `HOLONOM_PRINT_GOLDEN=1 cargo test -p holonom-solver --test golden -- --nocapture`
//! prints the table to be pasted below.
#![allow(clippy::unwrap_used)]

mod common;

use common::{bits, integrator, options, problem};
use holonom_dae::Counters;
use holonom_solver::stepper::Quiet;

/// Problem, tolerance, counters in the order of `Counters::rows`.
#[rustfmt::skip]
const GOLDEN: &[(&str, f64, [u64; 27])] = &[
    ("hires", 1e-6, [475, 2, 0, 0, 913, 784, 0, 16, 62, 0, 0, 0, 0, 78, 0, 788, 772, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("car-axle", 1e-6, [2641, 11, 0, 0, 3287, 3127, 0, 20, 131, 0, 151, 131, 0, 151, 0, 3117, 3077, 0, 0, 0, 0, 0, 0, 0, 0, 0, 51]),
    ("chain-residual", 1e-4, [15, 2, 0, 0, 53, 29, 0, 1, 10, 0, 11, 0, 0, 11, 0, 40, 29, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("brusselator:50", 1e-6, [263, 1, 0, 0, 360, 336, 0, 6, 31, 0, 0, 0, 0, 37, 0, 337, 331, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
];

const RUNS: [(&str, f64); 4] = [
    ("hires", 1e-6),
    ("car-axle", 1e-6),
    ("chain-residual", 1e-4),
    ("brusselator:50", 1e-6),
];

fn run(name: &str, tol: f64) -> (Counters, Vec<u64>, Vec<u64>) {
    let p = problem(name);
    let mut integrator = integrator(&p, options(&p, tol));
    integrator.run(p.t_end, &mut Quiet).unwrap();
    (
        *integrator.counters(),
        bits(integrator.y()),
        bits(integrator.yp()),
    )
}

#[test]
fn counters_are_as_recorded() {
    let print = std::env::var_os("HOLONOM_PRINT_GOLDEN").is_some();
    for (name, tol) in RUNS {
        let rows = run(name, tol).0.rows();
        if print {
            eprintln!("    (\"{name}\", {tol:e}, {:?}),", rows.map(|(_, n)| n));
            continue;
        }
        let golden = GOLDEN.iter().find(|g| g.0 == name && g.1 == tol);
        let (_, _, golden) = golden.unwrap_or_else(|| panic!("no numbers are recorded for {name}"));
        let different: Vec<String> = (rows.iter().zip(golden))
            .filter(|((_, new), old)| new != *old)
            .map(|((what, new), old)| format!("{what}: {old} recorded, {new} now"))
            .collect();
        assert!(
            different.is_empty(),
            "{name} at {tol:e}: {}. If the change is intended, renew the table (see the head of this file)",
            different.join("; ")
        );
    }
}

#[test]
fn runs_repeat_to_the_bit() {
    for (name, tol) in RUNS {
        assert_eq!(run(name, tol), run(name, tol), "{name}");
    }
}
