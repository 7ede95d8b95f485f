//! The options that choose strategies, shared by all commands that integrate.

use clap::builder::PossibleValuesParser;
use holonom::Options;
use holonom::solver::{jacobian, linear, refresh, stepper};

/// Names of strategies; what is not given keeps its default.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Strategies (described by `holonom list`)")]
pub struct Strategies {
    /// Integration method
    #[arg(long, value_name = "NAME", value_parser = steppers())]
    stepper: Option<String>,

    /// How Jacobians are obtained
    #[arg(long, value_name = "NAME", value_parser = jacobians())]
    jacobian: Option<String>,

    /// Linear solver
    #[arg(long, value_name = "NAME", value_parser = linear_solvers())]
    linear: Option<String>,

    /// When Jacobians and factorisations are renewed
    #[arg(long, value_name = "NAME", value_parser = refresh_policies())]
    refresh: Option<String>,

    /// Highest order of the method
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(1..=5))]
    max_order: Option<u8>,

    /// Do not lower the order where stability limits the step
    #[arg(long)]
    no_stability_detection: bool,
}

impl Strategies {
    /// `options` with these strategies.
    pub fn apply(&self, mut options: Options) -> Options {
        for (to, from) in [
            (&mut options.stepper, &self.stepper),
            (&mut options.jacobian, &self.jacobian),
            (&mut options.linear, &self.linear),
            (&mut options.refresh, &self.refresh),
        ] {
            if let Some(name) = from {
                to.clone_from(name);
            }
        }
        if let Some(order) = self.max_order {
            options.max_order = order.into();
        }
        if self.no_stability_detection {
            options.stability_detection = false;
        }
        options
    }
}

fn steppers() -> PossibleValuesParser {
    PossibleValuesParser::new(stepper::REGISTRY.iter().map(|e| e.name))
}

fn jacobians() -> PossibleValuesParser {
    with_auto(jacobian::REGISTRY.iter().map(|e| e.name))
}

fn linear_solvers() -> PossibleValuesParser {
    with_auto(linear::REGISTRY.iter().map(|e| e.name))
}

fn refresh_policies() -> PossibleValuesParser {
    PossibleValuesParser::new(refresh::REGISTRY.iter().map(|e| e.name))
}

fn with_auto(names: impl Iterator<Item = &'static str>) -> PossibleValuesParser {
    PossibleValuesParser::new(std::iter::once("auto").chain(names))
}
