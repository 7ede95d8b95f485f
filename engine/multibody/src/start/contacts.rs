//! Contacts at the start: assembly closes none that is open, and keeps those closed that rest.
//!
//! The mechanism is assembled without its impacts first. What touches then and hardly moves is
//! assembled again as a constraint, and opens again where its multiplier pulls.

use super::assembly::{Assembled, assemble_rows};
use super::error::{AssemblyError, AssemblyOptions};
use super::report::ReactionUniqueness;
use crate::elements::constraints::{Impact, TOUCHING};
use crate::formalism::reactions::ReactionElement;
use crate::model::{Model, ModelConstraint};
use crate::observable::Observable;
use crate::workspace::Workspace;
use std::sync::Arc;

/// The mechanism with the impacts that are closed, as constraints, and without the others.
struct Reduced {
    model: Arc<Model>,
    /// Numbers of its constraints and rows in the whole mechanism.
    constraints: Vec<usize>,
    rows: Vec<usize>,
}

impl Reduced {
    /// `closed` are numbers of constraints.
    fn new(whole: &Model, closed: &[usize]) -> Self {
        let mut model = Model {
            constraints: Vec::new(),
            rows: Vec::new(),
            ..whole.clone()
        };
        let (mut constraints, mut rows) = (Vec::new(), Vec::new());
        for (number, c) in whole.constraints.iter().enumerate() {
            if c.impact().is_some() && !closed.contains(&number) {
                continue;
            }
            let start = model.rows.len();
            for row in c.rows.clone() {
                let mut kept = whole.rows[row].clone();
                kept.constraint = constraints.len();
                model.rows.push(kept);
                rows.push(row);
            }
            model.constraints.push(ModelConstraint {
                rows: start..model.rows.len(),
                ..c.clone()
            });
            constraints.push(number);
        }
        // An open contact has no row, and neither force nor closed.
        for reading in &mut model.readings {
            let observed = &mut reading.observed;
            if let Observable::Contact { row } = &mut observed.observable {
                match rows.iter().position(|kept| kept == row) {
                    Some(kept) => *row = kept,
                    None => (observed.observable, observed.place) = (Observable::Constant(0.0), 0),
                }
            }
        }
        Self {
            model: Arc::new(model),
            constraints,
            rows,
        }
    }

    /// What was found, with the numbers of the whole mechanism.
    fn back(&self, mut found: Assembled, whole: &Arc<Model>) -> Assembled {
        let switched = whole.switched();
        let report = &mut found.rows;
        report.active.iter_mut().for_each(|row| *row = self.rows[*row]);
        report.dropped.iter_mut().for_each(|d| d.row = self.rows[d.row]);
        report
            .doubtful
            .iter_mut()
            .chain(&mut report.weakest)
            .for_each(|d| d.row = self.rows[d.row]);
        let mut scales = vec![1.0; whole.rows.len()];
        for (row, scale) in self.rows.iter().zip(&report.scales) {
            scales[*row] = *scale;
        }
        report.scales = scales;
        // A contact that the others imply is open.
        report.dropped.retain(|d| !switched.contains(&d.row));
        let known: Vec<(ReactionElement, &ReactionUniqueness)> = report
            .uniqueness
            .iter()
            .map(|u| match u.element {
                ReactionElement::Constraint(c) => (ReactionElement::Constraint(self.constraints[c]), u),
                joint => (joint, u),
            })
            .collect();
        let all = ReactionElement::all(whole).into_iter().map(|element| {
            let same = known.iter().find(|(other, _)| *other == element);
            let components = same.map_or(vec![true; 6], |(_, u)| u.components.clone());
            ReactionUniqueness {
                name: element.name(whole).to_owned(),
                element,
                components,
            }
        });
        report.uniqueness = all.collect();
        found.model = whole.clone();
        found
    }
}

/// Assembles a mechanism with impacts.
pub(super) fn assemble(model: Arc<Model>, options: &AssemblyOptions) -> Result<Assembled, AssemblyError> {
    let with = |closed: &[usize]| {
        let reduced = Reduced::new(&model, closed);
        let found = assemble_rows(reduced.model.clone(), options)?;
        Ok(reduced.back(found, &model))
    };
    let open = with(&[])?;
    let resting = resting(&model, &open)?;
    if resting.is_empty() {
        return Ok(open);
    }
    let mut closed = resting.clone();
    let mut found = with(&closed);
    if found.is_err() {
        // Some of them contradict the other constraints: those that do stay open.
        closed.clear();
        for c in resting {
            closed.push(c);
            if with(&closed).is_err() {
                closed.pop();
            }
        }
        found = with(&closed);
    }
    loop {
        let start = found?;
        let pulled = start
            .rows
            .active
            .iter()
            .zip(&start.lambda)
            .filter_map(|(&row, &lambda)| {
                let constraint = model.rows[row].constraint;
                let pulls = lambda >= 0.0 && model.constraints[constraint].impact().is_some();
                pulls.then_some((constraint, lambda))
            });
        let Some((worst, _)) = pulled.max_by(|x, y| x.1.total_cmp(&y.1)) else {
            return Ok(start);
        };
        closed.retain(|&c| c != worst);
        found = with(&closed);
    }
}

/// Contacts that touch and hardly move, by the numbers of their constraints.
fn resting(model: &Model, start: &Assembled) -> Result<Vec<usize>, AssemblyError> {
    let mut work = Workspace::new(model);
    work.set_time(model, start.t);
    work.set_positions(model, &start.q);
    work.set_velocities(model, &start.v);
    let rows: Vec<usize> = model.switched().collect();
    let (mut gaps, mut speeds) = (vec![0.0; rows.len()], vec![0.0; rows.len()]);
    work.constraint(model, &rows, &mut gaps);
    work.constraint_velocity(model, &rows, &mut speeds);
    let impact = |row: usize| -> Option<(usize, &str, &Impact)> {
        let number = model.rows[row].constraint;
        let c = &model.constraints[number];
        Some((number, c.name.as_str(), c.impact()?))
    };
    let mut resting = Vec::new();
    for (k, (number, name, impact)) in rows.iter().filter_map(|&row| impact(row)).enumerate() {
        let (gap, speed) = (gaps[k], speeds[k]);
        // NaN is a fault as well.
        if gap.is_nan() || gap < -TOUCHING {
            return Err(AssemblyError::Penetration {
                constraint: name.to_string(),
                depth: -gap,
            });
        }
        if gap > TOUCHING {
            continue;
        }
        if speed < -impact.rest_speed {
            return Err(AssemblyError::HitAtStart {
                constraint: name.to_string(),
                speed: -speed,
                rest_speed: impact.rest_speed,
            });
        }
        if speed <= impact.rest_speed {
            resting.push(number);
        }
    }
    Ok(resting)
}
