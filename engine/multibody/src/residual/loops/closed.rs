//! Whether the constraints hold: at the ends of steps and between them.

use super::{DRIFT, Loops, LoopsRoom, TOLERABLE};
use crate::elements::constraints::ConstraintElement;
use crate::model::Model;
use crate::tree::Node;
use crate::workspace::Workspace;
use holonom_dae::{FailureKind, Misfit, Tolerances};

/// Misfit of a redundant row at the start, in parts of its scale, beyond which it comes from errors of the data.
const EXACT: f64 = 1e-12;

impl Loops {
    /// Tolerance of a row in its own unit; in steps of fixed size it is what they may drift.
    pub(super) fn tolerance(&self, model: &Model, row: usize, tolerances: Option<&Tolerances>) -> f64 {
        let Some(tolerances) = tolerances else {
            return DRIFT * self.scales.gap[row];
        };
        let constraint = &model.constraints[model.rows[row].constraint];
        let terms = match &constraint.element {
            ConstraintElement::Coordinates(sum) => sum.terms.as_slice(),
            _ => &[],
        };
        let paths = constraint.to_path.iter().chain(&constraint.from_path).copied();
        let mut most = 0.0_f64;
        for node in paths.chain(terms.iter().map(|term| term.0)) {
            let node = &model.tree.nodes[node];
            for k in 0..node.n_v() {
                let unit = self.scales.velocity[node.v + k];
                most = most.max(tolerances.absolute(node.q + k) / unit);
            }
        }
        (most + tolerances.rtol) * self.scales.gap[row]
    }

    /// Whether all loops are closed.
    pub(super) fn closed(
        &self,
        model: &Model,
        tolerances: Option<&Tolerances>,
        gaps: &[f64],
    ) -> Result<(), FailureKind> {
        // A limit that holds everywhere saves those of the rows.
        for (&row, gap) in self.rows.iter().zip(gaps) {
            let relative = tolerances.map_or(DRIFT, |to| TOLERABLE * to.rtol);
            let mut allowed = relative * self.scales.gap[row] + self.slack[row];
            if gap.abs() <= allowed {
                continue;
            }
            if tolerances.is_some() {
                allowed = TOLERABLE * self.tolerance(model, row, tolerances) + self.slack[row];
            }
            if !self.keeps_positions {
                allowed = allowed.max(DRIFT * self.scales.gap[row]);
            }
            if gap.abs() > allowed {
                return Err(FailureKind::LoopOpen {
                    row: format!("`{}`", model.rows[row].name),
                    gap: gap.abs(),
                    unit: unit(model, row),
                    allowed,
                    remedy: if tolerances.is_none() {
                        "Use smaller steps, or a stepper with error control"
                    } else if self.slack[row] > EXACT * self.scales.gap[row] {
                        "The data do not satisfy this redundant row exactly, and the misfit grows here, as next to a \
                         singular position: give the data with more digits, or loosen the tolerances"
                    } else if self.keeps_positions {
                        "Tighten the tolerances, or use another stepper"
                    } else {
                        "Positions drift in this form; use the form `ggl`, which prevents drift"
                    },
                });
            }
        }
        Ok(())
    }

    /// How far a state is from the conditions on positions and velocities that the form keeps, in tolerances.
    /// Velocities are asked of the active rows alone: what the data leave others open by changes along the way.
    pub fn misfit(
        &self,
        model: &Model,
        (t, y): (f64, &[f64]),
        tolerances: Option<&Tolerances>,
        active: &[usize],
        (work, room): (&mut Workspace<f64>, &mut LoopsRoom),
    ) -> Misfit {
        let (n_q, n_v) = (model.tree.n_q, model.tree.n_v);
        let v = &y[n_q..n_q + n_v];
        let mut misfit = Misfit::default();
        work.set_time(model, t);
        work.set_positions(model, &y[..n_q]);
        if self.keeps_positions {
            work.constraint(model, &self.rows, &mut room.gaps);
            let in_tolerances = |(&row, gap): (&usize, &f64)| {
                let beyond = (gap.abs() - self.slack[row]).max(0.0);
                beyond / self.tolerance(model, row, tolerances)
            };
            let all = self.rows.iter().zip(&room.gaps).map(in_tolerances);
            misfit.positions = Some(all.fold(0.0, worse));
        }
        if self.keeps_rates() {
            work.set_velocities(model, v);
            work.constraint_velocity(model, &self.rows, &mut room.gaps);
            for (&row, rate) in self.rows.iter().zip(&room.gaps) {
                if active.contains(&row) {
                    let allowed = self.rate_tolerance(model, row, v, tolerances);
                    misfit.velocities = worse(misfit.velocities, rate.abs() / allowed);
                }
            }
        }
        misfit
    }

    /// Whether positions and velocities of a state between steps fit as well as those at the ends of steps.
    pub fn opening(
        &self,
        model: &Model,
        (t, y): (f64, &[f64]),
        tolerances: Option<&Tolerances>,
        active: &[usize],
        (work, room): (&mut Workspace<f64>, &mut LoopsRoom),
    ) -> Result<(), FailureKind> {
        let (n_q, n_v) = (model.tree.n_q, model.tree.n_v);
        let v = &y[n_q..n_q + n_v];
        work.set_time(model, t);
        work.set_positions(model, &y[..n_q]);
        work.constraint(model, &self.rows, &mut room.gaps);
        self.closed(model, tolerances, &room.gaps)?;
        // Steps of fixed size control no error of velocities.
        if !self.keeps_rates() || tolerances.is_none() {
            return Ok(());
        }
        work.set_velocities(model, v);
        work.constraint_velocity(model, &self.rows, &mut room.gaps);
        for (&row, rate) in self
            .rows
            .iter()
            .zip(&room.gaps)
            .filter(|(row, _)| active.contains(row))
        {
            let allowed = TOLERABLE * self.rate_tolerance(model, row, v, tolerances);
            if rate.is_nan() || rate.abs() > allowed {
                return Err(FailureKind::LoopOpen {
                    row: format!("the rate of `{}`", model.rows[row].name),
                    gap: rate.abs(),
                    unit: match unit(model, row) {
                        "m" => "m/s",
                        _ => "rad/s",
                    },
                    allowed,
                    remedy: "Tighten the tolerances, or use another stepper",
                });
            }
        }
        Ok(())
    }

    /// Whether outputs have velocities that fit: those of the form with positions alone are as exact as the others.
    fn keeps_rates(&self) -> bool {
        self.keeps_velocities || self.keeps_positions
    }

    /// Tolerance of the rate of a row: what errors of the velocities within their tolerances make of it.
    fn rate_tolerance(&self, model: &Model, row: usize, v: &[f64], tolerances: Option<&Tolerances>) -> f64 {
        let (mut absolute, mut most) = (0.0_f64, 0.0_f64);
        for j in columns(model, row) {
            let unit = self.scales.velocity[j];
            most = most.max((v[j] / unit).abs());
            if let Some(tolerances) = tolerances {
                absolute = absolute.max(tolerances.absolute(model.tree.n_q + j) / unit);
            }
        }
        let relative = tolerances.map_or(DRIFT, |to| to.rtol);
        ((absolute + relative * most) * self.scales.gap[row]).max(f64::MIN_POSITIVE)
    }
}

/// The larger one; not a number where one is none.
fn worse(a: f64, b: f64) -> f64 {
    if b.is_nan() || b > a { b } else { a }
}

/// Velocities that a row depends on, some of them more than once.
fn columns(model: &Model, row: usize) -> impl Iterator<Item = usize> + '_ {
    let constraint = &model.constraints[model.rows[row].constraint];
    let terms = match &constraint.element {
        ConstraintElement::Coordinates(sum) => sum.terms.as_slice(),
        _ => &[],
    };
    let paths = constraint.to_path.iter().chain(&constraint.from_path).copied();
    let nodes = paths.chain(terms.iter().map(|term| term.0));
    nodes
        .map(|node| &model.tree.nodes[node])
        .flat_map(|node| node.v..node.v + node.n_v())
}

/// Unit of a row.
fn unit(model: &Model, row: usize) -> &'static str {
    let constraint = &model.constraints[model.rows[row].constraint];
    let turn = match &constraint.element {
        ConstraintElement::Coordinates(sum) => {
            let first = sum.terms.first().map(|term| &model.tree.nodes[term.0]);
            first.is_some_and(Node::turns)
        }
        element => element.is_angle(row - constraint.rows.start),
    };
    if turn { "rad" } else { "m" }
}
