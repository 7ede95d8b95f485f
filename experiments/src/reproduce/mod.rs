//! Tables and figures of papers, ours beside theirs, and measurements of our own on the shipped models.

mod chain;
mod updates;
mod evaluations;
mod grouping;
mod iltis;
mod burgermeister;
mod choice;
mod steppers;
mod generated;

pub use generated::run as study;

use crate::{Error, Report};

/// A table or figure that can be made again.
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// The paper and the place in it.
    pub source: &'static str,
    /// What it shows, in a line.
    pub about: &'static str,
    run: Make,
}

/// How an experiment is made.
enum Make {
    /// As it is.
    Whole(fn() -> Result<Report, Error>),
    /// With so many steps, unless something else is asked for.
    Steps(u64, fn(u64) -> Result<Report, Error>),
    /// On these models, all where there are none.
    Models(fn(&[String]) -> Result<Report, Error>),
}

/// What may be asked of an experiment besides its name.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Request {
    /// Steps of a long run.
    pub steps: Option<u64>,
    /// Only these models.
    pub models: Vec<String>,
}

impl Experiment {
    /// Whether the number of its steps can be chosen.
    pub fn takes_steps(&self) -> bool {
        matches!(self.run, Make::Steps(..))
    }

    /// Whether the models it runs can be chosen.
    pub fn takes_models(&self) -> bool {
        matches!(self.run, Make::Models(..))
    }

    /// Makes it.
    pub fn run(&self, request: &Request) -> Result<Report, Error> {
        let mut report = match self.run {
            Make::Whole(run) => run()?,
            Make::Steps(most, run) => run(request.steps.unwrap_or(most))?,
            Make::Models(run) => run(&request.models)?,
        };
        report.name = self.name.into();
        report.head(self.source, self.about);
        Ok(report)
    }
}

/// All experiments; studies of generated mechanisms are not among them.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "arnold-chain",
        source: "Arnold, Fuchs, Führer 2004, §4.2.1, Table 2 and Fig. 7",
        about: "Jacobian evaluations along the chain of pendulums",
        run: Make::Whole(chain::run),
    },
    Experiment {
        name: "iltis-modes",
        source: "IAVSD benchmark, Robotran model IAVSD_ILTIS (UCLouvain)",
        about: "modes of the Iltis at 20 m/s and its equilibrium",
        run: Make::Whole(iltis::run),
    },
    Experiment {
        name: "arnold-table-2",
        source: "Arnold, Fuchs, Führer 2004, §4.2.1, Table 2",
        about: "savings of partitioned and extended updates along the chain of pendulums",
        run: Make::Whole(updates::run),
    },
    Experiment {
        name: "arnold-fig-7",
        source: "Arnold, Fuchs, Führer 2004, §4.2.1, Fig. 7",
        about: "when Jacobians are evaluated and updated along the chain of pendulums",
        run: Make::Whole(evaluations::run),
    },
    Experiment {
        name: "arnold-grouping",
        source: "Arnold, Fuchs, Führer 2004, §3.1, (19)",
        about: "six columns in three groups",
        run: Make::Whole(grouping::run),
    },
    Experiment {
        name: "jacobian-choice",
        source: "own; Arnold, Fuchs, Führer 2004, §3",
        about: "cost of `auto` compared with every fixed choice of Jacobian, sparsity and update, on the shipped models",
        run: Make::Models(choice::run),
    },
    Experiment {
        name: "stepper-choice",
        source: "own",
        about: "cost of the stepper `auto` compared with every fixed method, on the shipped models at three tolerances",
        run: Make::Whole(steppers::run),
    },
    Experiment {
        name: "burgermeister-fig-1",
        source: "Burgermeister, Arnold, Esterl, §2, Fig. 1",
        about: "stability domain of the linear-implicit Euler method, by scanning",
        run: Make::Whole(burgermeister::stability::run),
    },
    Experiment {
        name: "burgermeister-fig-3",
        source: "Burgermeister, Arnold, Esterl, §4.1, Fig. 3, and §3.4",
        about: "drift from the circular track over ten million steps, and its bound",
        run: Make::Steps(burgermeister::track::STEPS, burgermeister::track::run),
    },
    Experiment {
        name: "burgermeister-fig-5",
        source: "Burgermeister, Arnold, Esterl, §4.2, Fig. 5",
        about: "drift of the car axle over time",
        run: Make::Whole(burgermeister::axle::drift),
    },
    Experiment {
        name: "burgermeister-fig-6",
        source: "Burgermeister, Arnold, Esterl, §4.2, Fig. 6, and §3.4",
        about: "drift of the car axle as a function of the step size, and its bound",
        run: Make::Whole(burgermeister::axle::orders),
    },
    Experiment {
        name: "burgermeister-fig-7",
        source: "Burgermeister, Arnold, Esterl, §4.2, Fig. 7",
        about: "the car axle with the explicit and the linear-implicit Euler method",
        run: Make::Whole(burgermeister::axle::explicit),
    },
    Experiment {
        name: "burgermeister-fig-8",
        source: "Burgermeister, Arnold, Esterl, §4.2, Fig. 8",
        about: "global error of the car axle as a function of the step size",
        run: Make::Whole(burgermeister::axle::errors),
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::STUDIES;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique() {
        let names = EXPERIMENTS
            .iter()
            .map(|e| e.name)
            .chain(STUDIES.iter().map(|s| s.name));
        let all: Vec<&str> = names.collect();
        let different: BTreeSet<&&str> = all.iter().collect();
        assert_eq!(all.len(), different.len());
    }
}
