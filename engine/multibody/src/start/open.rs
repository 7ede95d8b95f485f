//! Loops and other constraints that are not satisfied.

use super::closure::{Closure, exceeds};
use super::report::Level;
use crate::elements::constraints::ConstraintElement;
use core::fmt;

/// A loop or another constraint that is not satisfied.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenLoop {
    /// Name of the constraint, or of the cut joint or rod it stands for.
    pub constraint: String,
    /// Its row with the largest gap: constraint and direction.
    pub row: String,
    /// Length of the gap over the rows with the unit of that row.
    pub gap: f64,
    /// Its unit: m or rad, or one of them per s or s²; empty where both are coupled.
    pub unit: &'static str,
}

impl fmt::Display for OpenLoop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` by {}{}{} (worst row {})",
            self.constraint,
            shown(self.gap),
            if self.unit.is_empty() { "" } else { " " },
            self.unit,
            self.row
        )
    }
}

/// A gap with four digits.
fn shown(gap: f64) -> String {
    if (1e-3..1e4).contains(&gap) {
        let digits = (3.0 - gap.log10().floor()).max(0.0) as usize;
        let text = format!("{gap:.digits$}");
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
            false => text,
        }
    } else {
        format!("{gap:.3e}")
    }
}

/// The unit of a row.
pub(super) fn unit(closure: &Closure, row: usize, level: Level) -> &'static str {
    let model = &closure.model;
    let constraint = &model.constraints[model.rows[row].constraint];
    let angle = match &constraint.element {
        ConstraintElement::Coordinates(sum) => {
            let mut turning = sum.terms.iter().map(|(node, _)| model.tree.nodes[*node].turns());
            let first = turning.next().unwrap_or(true);
            if turning.any(|other| other != first) {
                return "";
            }
            first
        }
        element => element.is_angle(row - constraint.rows.start),
    };
    match (level, angle) {
        (Level::Position, false) => "m",
        (Level::Position, true) => "rad",
        (Level::Velocity, false) => "m/s",
        (Level::Velocity, true) => "rad/s",
        (Level::Acceleration, false) => "m/s²",
        (Level::Acceleration, true) => "rad/s²",
    }
}

/// Constraints with gaps above the tolerance, the worst first.
pub(super) fn open_loops(
    closure: &Closure,
    gaps: &[f64],
    rows: &[usize],
    level: Level,
    tolerance: f64,
) -> Vec<OpenLoop> {
    let wide = |&i: &usize| exceeds(gaps[i] / closure.gap_scale[i], tolerance);
    let open: Vec<(usize, f64)> = rows.iter().copied().filter(wide).map(|i| (i, gaps[i])).collect();
    worst_rows(closure, &open, level)
}

/// The worst row of each constraint, the worst constraint first.
pub(super) fn worst_rows(closure: &Closure, rows: &[(usize, f64)], level: Level) -> Vec<OpenLoop> {
    let model = &closure.model;
    let relative = |&(i, gap): &(usize, f64)| {
        let x = (gap / closure.gap_scale[i]).abs();
        if x.is_finite() { x } else { f64::INFINITY }
    };
    let mut sorted = rows.to_vec();
    sorted.sort_by(|x, y| relative(y).total_cmp(&relative(x)));
    let mut loops: Vec<OpenLoop> = Vec::new();
    for &(i, _) in &sorted {
        let constraint = model.rows[i].constraint;
        let name = &model.constraints[constraint].name;
        if loops.iter().any(|l| l.constraint == *name) {
            continue;
        }
        let kind = unit(closure, i, level);
        let alike = |k: usize| model.rows[k].constraint == constraint && unit(closure, k, level) == kind;
        let square: f64 = rows
            .iter()
            .filter(|(k, _)| alike(*k))
            .map(|(_, gap)| gap * gap)
            .sum();
        loops.push(OpenLoop {
            constraint: name.clone(),
            row: model.rows[i].name.clone(),
            gap: square.sqrt(),
            unit: kind,
        });
    }
    loops
}
