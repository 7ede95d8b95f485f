//! What is asked of many generated mechanisms: each study with a seed and a count, on all cores, with the same result every
//! time.
//!
//! Case k of a study with the seed s is case 0 with the seed s + k: a failure named by its seed is made again alone, and
//! written as a model file.

mod accuracy;
mod branches;
mod choice;
mod excitations;
mod freedoms;
mod loops;
mod oracle;
mod sizes;

use crate::generator::Family;
use crate::mechanism::Mechanism;
use crate::report::{Check, Limit};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a study is to go through.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Seed of the first case.
    pub seed: u64,
    /// Cases.
    pub count: u64,
}

impl Sample {
    /// All seeds.
    fn seeds(self) -> Vec<u64> {
        (0..self.count).map(|k| self.seed.wrapping_add(k)).collect()
    }
}

/// What a study found.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// Headings of the table.
    pub columns: Vec<&'static str>,
    /// The table as printed.
    pub table: Vec<Vec<String>>,
    /// Its rows for programs, and every failure.
    pub rows: Vec<Value>,
    /// Failures, one line each, in the order of seeds.
    pub failures: Vec<String>,
    /// What is asked.
    pub checks: Vec<Check>,
    /// What could not be measured.
    pub missing: Vec<String>,
}

impl Finding {
    /// Notes a failure.
    fn fail(&mut self, seed: u64, what: &str, message: &str) {
        let line = message.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        self.failures.push(format!("seed {seed}, {what}: {line}"));
        self.rows
            .push(json!({ "seed": seed, "case": what, "failure": line }));
    }

    /// Adds a check that so many of so many cases are good.
    fn share(&mut self, id: String, good: usize, all: usize, least: f64, source: &str) {
        let value = (all > 0).then(|| good as f64 / all as f64);
        self.checks
            .push(Check::new(id, value, Limit::AtLeast(least), source));
    }
}

/// A study.
#[derive(Clone, Copy)]
pub struct Study {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it asks, in a line.
    pub about: &'static str,
    /// Cases unless told otherwise: for a few minutes.
    pub count: u64,
    /// Goes through a sample.
    pub run: fn(Sample) -> Finding,
    /// The model file of a seed; `None` where the seed gives no mechanism.
    pub model: fn(u64) -> Option<String>,
}

/// All studies.
pub const STUDIES: &[Study] = &[
    Study {
        name: "generated-freedoms",
        about: "degrees of freedom of random loops, and whether they start, beside an independent oracle",
        count: 330,
        run: freedoms::run,
        model: freedoms::model,
    },
    Study {
        name: "generated-excitations",
        about: "short pulses of every kind under every stepper: none is stepped over",
        count: 88,
        run: excitations::run,
        model: excitations::model,
    },
    Study {
        name: "generated-loops",
        about: "random loops in every stepper and form: whether a run that is done has its joints closed",
        count: 22,
        run: loops::run,
        model: loops::model,
    },
    Study {
        name: "generated-branches",
        about: "linkages that pass singular positions: whether they stay on their branch, or say that they did not",
        count: 27,
        run: branches::run,
        model: branches::model,
    },
    Study {
        name: "generated-accuracy",
        about: "errors at the end in tolerances, and steps of both formalisms, on random mechanisms",
        count: 26,
        run: accuracy::run,
        model: accuracy::model,
    },
    Study {
        name: "generated-oracle",
        about: "accelerations at random states, and end states, beside an independent oracle",
        count: 120,
        run: oracle::run,
        model: oracle::model,
    },
    Study {
        name: "generated-choice",
        about: "what the stepper `auto` costs beside every fixed one, at four tolerances",
        count: 60,
        run: choice::run,
        model: choice::model,
    },
    Study {
        name: "generated-sizes",
        about: "time and memory of chains and lattices of 10 to 5000 bodies with default settings",
        count: sizes::COUNT,
        run: sizes::run,
        model: sizes::model,
    },
];

/// The seed of studies unless told otherwise.
pub const SEED: u64 = 1;

/// Counts of one family, or of another key.
#[derive(Clone, Debug, Default)]
struct Tally {
    all: usize,
    good: usize,
    wrong: usize,
}

/// Counts by key, in the order of keys.
type Tallies = BTreeMap<String, Tally>;

/// Tables of counts.
fn tabulate(finding: &mut Finding, heading: &'static str, what: [&'static str; 3], tallies: &Tallies) {
    finding.columns = vec![heading, what[0], what[1], what[2]];
    for (key, t) in tallies {
        finding.table.push(vec![
            key.clone(),
            t.all.to_string(),
            t.good.to_string(),
            t.wrong.to_string(),
        ]);
        finding
            .rows
            .push(json!({ heading: key, what[0]: t.all, what[1]: t.good, what[2]: t.wrong }));
    }
}

/// One of these families after the other, by seed.
fn family(seed: u64, of: &[Family]) -> Family {
    of[(seed % of.len() as u64) as usize]
}

/// Tolerances of a run: relative, and absolute. Absolute ones follow the size of small mechanisms, so that a tolerance means
/// the same at every size.
fn tolerances(mechanism: &Mechanism, tolerance: f64) -> (f64, f64) {
    (tolerance, tolerance * mechanism.size.min(1.0))
}

/// A value in scientific notation; a dash where there is none.
fn shown(x: f64) -> String {
    if x.is_finite() {
        format!("{x:.1e}")
    } else {
        "–".into()
    }
}
