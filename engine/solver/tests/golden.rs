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
use holonom_solver::stepper::{self, Quiet, Takes};

/// Stepper, problem, tolerance, counters in the order of `Counters::rows`.
#[rustfmt::skip]
const GOLDEN: &[(&str, &str, f64, [u64; 27])] = &[
    ("bdf", "hires", 1e-6, [475, 2, 0, 0, 913, 784, 0, 16, 62, 0, 0, 0, 0, 78, 0, 788, 772, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("bdf", "car-axle", 1e-6, [2641, 11, 0, 0, 3287, 3127, 0, 20, 131, 0, 151, 131, 0, 151, 0, 3117, 3077, 0, 0, 0, 0, 0, 0, 0, 0, 0, 51]),
    ("bdf", "chain-residual", 1e-4, [15, 2, 0, 0, 53, 29, 0, 1, 10, 0, 11, 0, 0, 11, 0, 40, 29, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("bdf", "brusselator:50", 1e-6, [263, 1, 0, 0, 360, 336, 0, 6, 31, 0, 0, 0, 0, 37, 0, 337, 331, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("bdf", "hires", 1e-5, [403, 9, 0, 1, 814, 677, 0, 17, 72, 0, 0, 0, 0, 89, 0, 684, 667, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("bdf", "chain-explicit", 1e-5, [26, 1, 0, 1, 66, 42, 0, 1, 13, 0, 0, 0, 0, 14, 0, 43, 42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("bdf", "car-axle", 1e-5, [1805, 9, 0, 0, 2353, 2217, 0, 17, 107, 0, 124, 107, 0, 124, 0, 2215, 2181, 0, 0, 0, 0, 0, 0, 0, 0, 0, 37]),
    ("backward-euler", "hires", 1e-3, [2539, 0, 0, 0, 2845, 2771, 0, 9, 35, 0, 0, 0, 0, 44, 0, 2738, 2729, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("backward-euler", "chain-explicit", 1e-3, [9, 0, 0, 0, 39, 15, 0, 1, 7, 0, 0, 0, 0, 8, 0, 16, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("backward-euler", "car-axle", 1e-3, [4566, 2, 0, 0, 5143, 4999, 0, 18, 103, 0, 121, 103, 0, 121, 0, 4958, 4922, 0, 0, 0, 0, 0, 0, 0, 0, 0, 78]),
    ("linear-implicit-euler", "car-axle", 1e-3, [601, 0, 0, 0, 601, 0, 0, 601, 0, 0, 601, 0, 0, 1202, 0, 1202, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("generalized-alpha", "car-axle", 1e-3, [247, 0, 0, 0, 504, 504, 0, 1, 0, 0, 1, 0, 0, 64, 0, 991, 497, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]),
    ("radau", "hires", 1e-5, [28, 0, 0, 0, 778, 706, 0, 8, 25, 0, 0, 0, 0, 108, 0, 426, 113, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("radau", "chain-explicit", 1e-5, [7, 0, 0, 0, 103, 78, 0, 1, 6, 0, 0, 0, 0, 21, 0, 50, 14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("radau", "car-axle", 1e-5, [21, 3, 0, 0, 468, 441, 0, 3, 19, 0, 22, 19, 0, 66, 0, 276, 82, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]),
    ("dormand-prince", "chain-explicit", 1e-5, [143, 27, 0, 0, 2042, 2042, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("dormand-prince", "car-axle", 1e-5, [23, 10, 0, 0, 391, 391, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 391]),
    ("trapezoidal", "hires", 1e-3, [269, 3, 0, 0, 486, 421, 0, 8, 68, 0, 0, 0, 0, 76, 0, 422, 414, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("trapezoidal", "chain-explicit", 1e-3, [9, 0, 0, 0, 41, 17, 0, 1, 7, 0, 0, 0, 0, 8, 0, 18, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("trapezoidal", "car-axle", 1e-3, [356, 16, 0, 0, 696, 648, 0, 6, 88, 0, 94, 88, 0, 94, 0, 649, 637, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11]),
];

/// Every stepper on problems that it can solve.
fn runs() -> Vec<(&'static str, &'static str, f64)> {
    let mut runs: Vec<(&str, &str, f64)> = GOLDEN.iter().map(|g| (g.0, g.1, g.2)).collect();
    for entry in stepper::REGISTRY {
        let tol = if entry.max_order <= 2 { 1e-3 } else { 1e-5 };
        for (name, takes) in [
            ("hires", &[Takes::Everything][..]),
            ("chain-explicit", &[Takes::Everything, Takes::Explicit]),
            (
                "car-axle",
                &[Takes::Everything, Takes::Explicit, Takes::Mechanisms],
            ),
        ] {
            if takes.contains(&entry.takes) && !runs.contains(&(entry.name, name, tol)) {
                runs.push((entry.name, name, tol));
            }
        }
    }
    runs
}

fn run((stepper, name, tol): (&str, &str, f64)) -> (Counters, Vec<u64>, Vec<u64>) {
    let p = problem(name);
    let mut options = options(&p, tol).stepper(stepper);
    let fixed = stepper::find(stepper).unwrap().fixed_step;
    options.fixed_step = fixed.then_some(1e-3);
    let mut integrator = integrator(&p, options);
    // Part of the interval is enough for methods of low order.
    let t_end = if stepper == "bdf" {
        p.t_end
    } else {
        p.t0 + 0.2 * (p.t_end - p.t0)
    };
    integrator.run(t_end, &mut Quiet).unwrap();
    (
        *integrator.counters(),
        bits(integrator.y()),
        bits(integrator.yp()),
    )
}

/// Plain x86-64 has no fused products: other bits, and with them other counters.
const OTHER_BITS: bool = cfg!(all(target_arch = "x86_64", not(target_feature = "fma")));

#[test]
fn counters_are_as_recorded() {
    let print = std::env::var_os("HOLONOM_PRINT_GOLDEN").is_some();
    let mut wrong = Vec::new();
    for case in runs() {
        let (stepper, name, tol) = case;
        let rows = run(case).0.rows();
        if print {
            let numbers = rows.map(|(_, n)| n);
            eprintln!("    (\"{stepper}\", \"{name}\", {tol:e}, {numbers:?}),");
            continue;
        }
        let golden = GOLDEN.iter().find(|g| (g.0, g.1, g.2) == case);
        let Some((.., golden)) = golden else {
            wrong.push(format!(
                "no numbers are recorded for {stepper} on {name} at {tol:e}"
            ));
            continue;
        };
        for ((what, new), old) in rows.iter().zip(golden) {
            // Steps tell enough where bits differ.
            let near = new.abs_diff(*old) * 10 <= *old + 50;
            let fine = if OTHER_BITS {
                *what != "steps" || near
            } else {
                new == old
            };
            if !fine {
                wrong.push(format!(
                    "{stepper} on {name} at {tol:e}: {what}: {old} recorded, {new} now"
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nIf the change is intended, renew the table (see the head of this file)",
        wrong.join("\n")
    );
}

#[test]
fn runs_repeat_to_the_bit() {
    for case in runs() {
        assert_eq!(run(case), run(case), "{case:?}");
    }
}
