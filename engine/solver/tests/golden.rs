//! Exact work counters of short runs with every method of the registry, so that an unintended change of path is seen even
//! where the results agree; and two runs of the same input give the same bits.
//!
//! The numbers are in `golden.json`. To renew them after an intended change:
//! `HOLONOM_BLESS=1 cargo test -p holonom-solver --test golden`, and look at the difference.
#![allow(clippy::unwrap_used)]

mod common;

use common::{bits, integrator, options, problem};
use holonom_dae::Counters;
use holonom_solver::Options;
use holonom_solver::stepper::{Entry, Quiet, REGISTRY, Takes};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Counters by run; those that are zero are left out.
type Golden = BTreeMap<String, BTreeMap<String, u64>>;

/// A method on a problem at a tolerance.
struct Run {
    stepper: &'static str,
    problem: &'static str,
    tolerance: f64,
    fixed_step: Option<f64>,
}

impl Run {
    fn name(&self) -> String {
        format!("{} {} {:e}", self.stepper, self.problem, self.tolerance)
    }

    fn go(&self) -> (Counters, Vec<u64>, Vec<u64>) {
        let p = problem(self.problem);
        let options = Options {
            fixed_step: self.fixed_step,
            ..options(&p, self.tolerance).stepper(self.stepper)
        };
        let mut integrator = integrator(&p, options);
        integrator.run(p.t_end, &mut Quiet).unwrap();
        (
            *integrator.counters(),
            bits(integrator.y()),
            bits(integrator.yp()),
        )
    }
}

/// What a method is run on, with the tolerance.
fn problems(entry: &Entry) -> &'static [(&'static str, f64)] {
    match (entry.name, entry.takes) {
        ("bdf", _) => &[
            ("hires", 1e-6),
            ("car-axle", 1e-6),
            ("chain-residual", 1e-4),
            ("brusselator:50", 1e-6),
        ],
        // Of low order: short runs at loose tolerances.
        _ if entry.max_order == 1 && !entry.fixed_step => &[("hires", 1e-3), ("chain-residual:4", 1e-2)],
        (_, Takes::Everything) => &[("hires", 1e-6), ("car-axle", 1e-6), ("brusselator:50", 1e-6)],
        (_, Takes::Explicit) => &[("chain-explicit:8", 1e-6), ("car-axle", 1e-6)],
        (_, Takes::Mechanisms) if entry.fixed_step => &[("car-axle-index1", 1e-6), ("car-axle-index2", 1e-6)],
        (_, Takes::Mechanisms) => &[("car-axle-index2", 1e-4), ("car-axle", 1e-4)],
    }
}

fn runs() -> Vec<Run> {
    let fixed = REGISTRY.iter().flat_map(|entry| {
        problems(entry).iter().map(|(problem, tolerance)| Run {
            stepper: entry.name,
            problem,
            tolerance: *tolerance,
            fixed_step: entry.fixed_step.then_some(1e-3),
        })
    });
    let auto = [("hires", 1e-6), ("car-axle", 1e-6)].map(|(problem, tolerance)| Run {
        stepper: "auto",
        problem,
        tolerance,
        fixed_step: None,
    });
    fixed.chain(auto).collect()
}

fn file() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden.json"))
}

/// Plain x86-64 has no fused products: other bits, and with them other counters.
const OTHER_BITS: bool = cfg!(all(target_arch = "x86_64", not(target_feature = "fma")));

#[test]
fn counters_are_as_recorded() {
    let found: Golden = runs()
        .iter()
        .map(|run| {
            let rows = run.go().0.rows();
            let counted = rows.into_iter().filter(|(_, n)| *n > 0);
            (
                run.name(),
                counted.map(|(what, n)| (what.to_string(), n)).collect(),
            )
        })
        .collect();
    if std::env::var_os("HOLONOM_BLESS").is_some() {
        let text = serde_json::to_string_pretty(&found).unwrap();
        return std::fs::write(file(), text + "\n").unwrap();
    }
    let golden: Golden = serde_json::from_str(&std::fs::read_to_string(file()).unwrap()).unwrap();
    let mut different = Vec::new();
    for (run, found) in &found {
        let Some(golden) = golden.get(run) else {
            different.push(format!("{run}: nothing is recorded"));
            continue;
        };
        let of = |all: &BTreeMap<String, u64>, what: &str| all.get(what).copied().unwrap_or(0);
        for what in Counters::default().rows().map(|(what, _)| what) {
            let (old, new) = (of(golden, what), of(found, what));
            // Steps tell enough where bits differ.
            let near = new.abs_diff(old) * 10 <= old + 50;
            let fine = if OTHER_BITS {
                what != "steps" || near
            } else {
                new == old
            };
            if !fine {
                different.push(format!("{run}: {what}: {old} recorded, {new} now"));
            }
        }
    }
    let gone = golden.keys().filter(|run| !found.contains_key(*run));
    different.extend(gone.map(|run| format!("{run}: recorded, but no longer run")));
    assert!(
        different.is_empty(),
        "{}\nIf the change is intended, renew the numbers (see the head of this file)",
        different.join("\n")
    );
}

#[test]
fn runs_repeat_to_the_bit() {
    for run in runs() {
        assert_eq!(run.go(), run.go(), "{}", run.name());
    }
}
