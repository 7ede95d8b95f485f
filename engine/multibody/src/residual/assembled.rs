//! The equations of an assembled mechanism.

use super::{Equations, Form, Formalism, GglMetric};
use crate::diagnostic::Diagnostic;
use crate::start::Assembled;

/// A form of the equations that does not fit the mechanism.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", Diagnostic::from(self))]
pub struct UnsuitableForm {
    /// The form.
    pub form: Form,
    /// The mechanism.
    pub model: String,
    /// Number of its independent rows.
    pub rows: usize,
    /// Names of the constraints.
    pub names: String,
    /// Impacts are the reason: they need a form with multipliers that can be switched off.
    pub impacts: bool,
}

impl From<&UnsuitableForm> for Diagnostic {
    fn from(unsuitable: &UnsuitableForm) -> Self {
        let UnsuitableForm {
            form,
            model,
            rows,
            names,
            impacts,
        } = unsuitable;
        if *impacts {
            return Self::sentence(format!(
                "the form `{form}` cannot open and close the contacts of `{model}` ({names})"
            ))
            .remedy("use `ggl` for error-controlled integration, or `index2`, `index3`");
        }
        Self::sentence(format!(
            "the form `{form}` does not support the {rows} constraint rows of `{model}` ({names})"
        ))
        .remedy("use `ggl` for error-controlled integration, or `index1`, `index2`, `index3`")
    }
}

impl Assembled {
    /// The equations of motion with the active rows, and with those of all impacts: open, but for
    /// contacts that rest at the start.
    ///
    /// # Errors
    /// [`Form::Ode`] for a mechanism with constraint rows; [`Form::Ode`] and [`Form::Index1`] for one
    /// with impacts.
    pub fn equations(&self, form: Form, formalism: Formalism) -> Result<Equations, UnsuitableForm> {
        self.equations_with(form, formalism, GglMetric::default())
    }

    /// The same, with the metric of the stabilised form.
    ///
    /// # Errors
    /// As [`equations`](Self::equations).
    pub fn equations_with(
        &self,
        form: Form,
        formalism: Formalism,
        metric: GglMetric,
    ) -> Result<Equations, UnsuitableForm> {
        let switched = self.model.switched();
        let mut active = self.rows.active.clone();
        active.retain(|row| !switched.contains(row));
        let impacts = !switched.is_empty() && matches!(form, Form::Ode | Form::Index1);
        if impacts {
            active.clear();
        }
        active.extend(switched);
        if impacts || form == Form::Ode && !active.is_empty() {
            let mut names: Vec<&str> = Vec::new();
            for &row in &active {
                let name = &self.model.constraints[self.model.rows[row].constraint].name;
                if !names.contains(&name.as_str()) {
                    names.push(name);
                }
            }
            return Err(UnsuitableForm {
                form,
                model: self.model.name.clone(),
                rows: active.len(),
                names: names.join(", "),
                impacts,
            });
        }
        let equations = Equations::new(self.model.clone(), active, form, formalism, metric);
        let equations = equations.with_closed(&self.rows.active);
        if self.rows.active.is_empty() && self.rows.dropped.is_empty() {
            return Ok(equations);
        }
        Ok(equations.with_loops(&self.rows, self.row_scales(), self.data_precision))
    }

    /// Consistent y and ẏ for equations made of this mechanism: y = (q, v, x, λ, …), the multipliers
    /// of stabilisation zero, ẏ without the derivatives of multipliers.
    pub fn state(&self, equations: &Equations) -> (Vec<f64>, Vec<f64>) {
        let (mut y, mut yp) = equations.state(&self.q, &self.v);
        let (n_q, n_v) = (self.model.tree.n_q, self.model.tree.n_v);
        yp[n_q..n_q + n_v].copy_from_slice(&self.a);
        let (x, lambda) = (n_q + n_v, n_q + n_v + self.x.len());
        y[x..lambda].copy_from_slice(&self.x);
        yp[x..lambda].copy_from_slice(&self.x_rates);
        if equations.form() != Form::Ode {
            let active = equations.active();
            for (row, &l) in self.rows.active.iter().zip(&self.lambda) {
                if let Ok(k) = active.binary_search(row) {
                    y[lambda + k] = l;
                }
            }
        }
        y[equations.readings()].copy_from_slice(&self.readings);
        (y, yp)
    }
}
