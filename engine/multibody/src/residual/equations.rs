//! [`Equations`]: a mechanism as a residual.

use super::loops::Loops;
use super::stretch::Stretch;
use super::{Form, Formalism, GglMetric};
use crate::dependencies::Dependencies;
use crate::elements::constraints::RowLevel;
use crate::model::Model;
use crate::start::{RowReport, RowScales};
use crate::tree::NodeKind;
use crate::workspace::Workspace;
use core::ops::Range;
use holonom_algebra::Real;
use holonom_dae::{LazyPattern, MechanicalLayout, Sizes};
use std::sync::{Arc, OnceLock};

/// The equations of motion of a mechanism in one form.
///
/// Usually made by [`Assembled::equations`](crate::start::Assembled::equations), which knows the
/// rows that are independent.
#[derive(Clone, Debug)]
pub struct Equations {
    pub(super) model: Arc<Model>,
    /// Rows of g that take part.
    pub(super) active: Vec<usize>,
    /// Places in `active` of the rows that are conditions on positions, and the rows.
    pub(super) holonomic: Vec<usize>,
    pub(super) positions: Vec<usize>,
    /// Impacts, whose rows are the last ones of `active` and of `positions`.
    pub(super) contacts: Vec<Contact>,
    /// Which of them are closed at the start, 1 or 0.
    pub(super) closed: Vec<f64>,
    /// What becomes of the constraints on positions; none where nobody watches them.
    pub(super) loops: Option<Loops>,
    /// Where sets of Euler parameters begin in q.
    pub(super) quaternions: Vec<usize>,
    pub(super) form: Form,
    pub(super) formalism: Formalism,
    pub(super) metric: GglMetric,
    layout: MechanicalLayout,
    pub(super) dependencies: Arc<Dependencies>,
    /// The pattern of ∂F/∂ẏ; none where it is the identity.
    pub(super) mass: Option<LazyPattern>,
    /// Where its entries come from, in the order of the pattern; found when they are first needed.
    pub(super) derivative: OnceLock<Vec<Stretch>>,
}

/// What the equations know of one switched row.
#[derive(Clone, Debug)]
pub(super) struct Contact {
    /// Name of the constraint.
    pub name: String,
    pub restitution: f64,
    pub rest_speed: f64,
}

impl Equations {
    /// The equations of `model` with the given rows of g.
    pub fn new(
        model: Arc<Model>,
        active: Vec<usize>,
        form: Form,
        formalism: Formalism,
        metric: GglMetric,
    ) -> Self {
        let holonomic: Vec<usize> = (0..active.len())
            .filter(|&k| model.rows[active[k]].level == RowLevel::Holonomic)
            .collect();
        let positions = holonomic.iter().map(|&k| active[k]).collect();
        let impacts = active.iter().filter_map(|&row| {
            let constraint = &model.constraints[model.rows[row].constraint];
            constraint.impact().map(|impact| Contact {
                name: constraint.name.clone(),
                restitution: impact.restitution,
                rest_speed: impact.rest_speed,
            })
        });
        let contacts: Vec<Contact> = impacts.collect();
        let balls = model.tree.nodes.iter().filter(|n| n.kind == NodeKind::Ball);
        let quaternions: Vec<usize> = balls.map(|n| n.q).collect();
        let layout = form.layout(&Sizes {
            positions: model.tree.n_q,
            velocities: model.tree.n_v,
            states: model.states.len(),
            rows: active.len(),
            holonomic: holonomic.len(),
            lengths: quaternions.len(),
            readings: model.readings.len(),
        });
        let mut equations = Self {
            dependencies: Arc::new(Dependencies::new(&model)),
            model,
            active,
            holonomic,
            positions,
            closed: vec![0.0; contacts.len()],
            contacts,
            loops: None,
            quaternions,
            form,
            formalism,
            metric,
            layout,
            mass: None,
            derivative: OnceLock::new(),
        };
        equations.mass = equations.mass_pattern();
        equations
    }

    /// Closes contacts at the start, by the numbers of their rows; without this all are open.
    pub fn with_closed(mut self, rows: &[usize]) -> Self {
        let first = self.active.len() - self.contacts.len();
        for (closed, row) in self.closed.iter_mut().zip(&self.active[first..]) {
            *closed = f64::from(u8::from(rows.contains(row)));
        }
        self
    }

    /// Watches the constraints on positions, and exchanges rows for better ones.
    pub(crate) fn with_loops(mut self, rows: &RowReport, scales: RowScales, precision: f64) -> Self {
        let elements = &self.dependencies.elements;
        let readings = &self.dependencies.readings;
        let read = |row: usize| {
            elements.iter().any(|e| e.reads.rows.contains(&row))
                || readings.iter().any(|r| r.reads.rows.contains(&row))
        };
        let contacts = self.contacts.len();
        self.loops = Loops::new(
            &self.model,
            &self.active,
            contacts,
            self.form,
            (rows, scales, precision),
            &read,
        );
        self
    }

    /// What becomes of the constraints on positions, where rows can be exchanged.
    pub(crate) fn exchanging(&self) -> Option<&Loops> {
        self.loops.as_ref().filter(|loops| !loops.slots().is_empty())
    }

    /// The discrete variables of contacts.
    pub(super) fn open_or_closed<'a>(&self, discrete: &'a [f64]) -> &'a [f64] {
        &discrete[..self.contacts.len().min(discrete.len())]
    }

    /// How many of the active rows, the last ones, open and close at events.
    pub fn switched(&self) -> usize {
        self.contacts.len()
    }

    /// The mechanism.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The rows of g that take part.
    pub fn active(&self) -> &[usize] {
        &self.active
    }

    /// The form.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Where what sensors read as unknowns of their own lies in y.
    pub fn readings(&self) -> Range<usize> {
        self.layout.readings.clone()
    }

    /// y and ẏ with the given positions and velocities and the own states at their start values,
    /// everything else zero but q̇ = V v.
    pub fn state(&self, q: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let l = self.layout();
        let mut y = vec![0.0; l.readings.end];
        let mut yp = y.clone();
        y[l.q.clone()].copy_from_slice(q);
        y[l.v.clone()].copy_from_slice(v);
        y[l.x.clone()].copy_from_slice(&self.model.x0);
        Workspace::velocity_map(&self.model, q, v, &mut yp[l.q.clone()]);
        (y, yp)
    }

    pub(super) fn layout(&self) -> &MechanicalLayout {
        &self.layout
    }

    /// `values` of the active rows, or of those on positions, with zero for open contacts.
    pub(super) fn masked<'a, T: Real>(
        &self,
        values: &'a [T],
        discrete: &[f64],
        buffer: &'a mut [T],
    ) -> &'a [T] {
        if self.contacts.is_empty() {
            return values;
        }
        let n = values.len();
        buffer[..n].copy_from_slice(values);
        let contacts = &mut buffer[n - self.contacts.len()..n];
        for (x, _) in contacts.iter_mut().zip(discrete).filter(|(_, c)| **c == 0.0) {
            *x = T::zero();
        }
        &buffer[..n]
    }
}
