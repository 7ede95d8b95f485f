//! Reference problems over a ladder of tolerances, with the digits reached and what they cost, and a few requirements
//! beyond.

mod setup;
mod accuracy;
mod findings;
mod mechanisms;
mod special;
mod curves;
mod methods;

pub use setup::Setup;

use crate::progress::Progress;
use crate::report::{Listed, Report};
use crate::{Error, report};
use accuracy::AccuracyRow;
use findings::SpecialRow;
use holonom::problems::{self, Problem};
use holonom_text::did_you_mean;
use serde::Serialize;

/// A row of the report.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "section", rename_all = "lowercase")]
enum Row {
    /// A problem at one tolerance.
    Problems(Box<AccuracyRow>),
    /// A quantity beyond.
    Special(SpecialRow),
}

/// What is solved.
pub struct Verification {
    problems: Vec<Problem>,
    specials: Vec<&'static special::Special>,
    /// Nothing was chosen.
    is_whole: bool,
}

impl Verification {
    /// The problems of these names, and the requirements that belong to them; all when none is given.
    pub fn of(names: &[String]) -> Result<Self, Error> {
        Ok(Self {
            problems: select(names)?,
            specials: special::select(names),
            is_whole: names.is_empty(),
        })
    }

    /// Solves everything at each of these relative tolerances.
    pub fn run(&self, setup: &Setup, tolerances: &[f64], progress: &mut dyn Progress) -> Report {
        progress.begin(self.problems.len() * tolerances.len() + self.specials.len());
        let (mut rows, mut checks, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        for problem in &self.problems {
            for &rtol in tolerances {
                progress.at(&format!("{} {rtol:e}", problem.name));
                let findings = accuracy::examine(setup, problem, rtol);
                rows.push(Row::Problems(Box::new(findings.row)));
                checks.extend(findings.checks);
                missing.extend(findings.missing);
                progress.done();
            }
        }
        for special in &self.specials {
            progress.at(special.title);
            let findings = (special.run)(setup, &self.problems);
            rows.extend(findings.rows.into_iter().map(Row::Special));
            checks.extend(findings.checks);
            missing.extend(findings.missing);
            progress.done();
        }
        Report {
            text: text(&rows, &checks),
            rows: rows
                .iter()
                .filter_map(|row| serde_json::to_value(row).ok())
                .collect(),
            checks,
            missing,
            listed: Listed::Notable,
            ..Report::new("verify")
        }
    }

    /// Draws work–precision diagrams: of each problem, of all methods on it, and, where nothing was chosen, of all methods on
    /// each shipped model.
    pub fn draw(&self, setup: &Setup, report: &mut Report, progress: &mut dyn Progress) -> Result<(), Error> {
        curves::draw(setup, &self.problems, report, progress);
        methods::draw_problems(setup, &self.problems, report, progress);
        if self.is_whole {
            methods::draw_models(setup, report, progress)?;
        }
        Ok(())
    }
}

/// The problems of these names; all when none is given.
fn select(names: &[String]) -> Result<Vec<Problem>, Error> {
    if names.is_empty() {
        return Ok(problems::all());
    }
    // Not a problem of its own but a group of requirements.
    let names = names.iter().filter(|name| *name != "mechanisms");
    let find = |name: &String| {
        problems::find(name).ok_or_else(|| {
            let known: Vec<String> = problems::all().into_iter().map(|p| p.name).collect();
            // A size behind a colon is not part of the name.
            let stem = name.split(':').next().unwrap_or(name);
            let hint = if stem != name && known.iter().any(|k| k == stem) {
                "; sizes are written like `brusselator:5000` or `chain-residual:16:0.05`".into()
            } else {
                did_you_mean(stem, known.iter().map(String::as_str))
            };
            Error::Usage(format!(
                "there is no problem `{name}`{hint} (`holonom list` shows all)"
            ))
        })
    };
    names.map(find).collect()
}

/// The rows as tables.
fn text(rows: &[Row], checks: &[report::Check]) -> String {
    let mut problems = rows.iter().filter_map(|row| match row {
        Row::Problems(row) => Some(row.as_ref()),
        Row::Special(_) => None,
    });
    let mut text = String::new();
    if problems.clone().next().is_some() {
        text = accuracy::table(&mut problems);
    }
    let specials = rows.iter().filter_map(|row| match row {
        Row::Special(row) => Some(row),
        Row::Problems(_) => None,
    });
    let special = special::table(specials, checks);
    if !special.is_empty() {
        let gap = if text.is_empty() { "" } else { "\n" };
        text += &format!("{gap}Special\n\n{special}");
    }
    text
}
