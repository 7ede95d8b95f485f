//! ẏ = f(t, y) for an explicit method: from the mechanics behind the equations, or from equations of that form.

use super::NAME;
use crate::equations::{Equations, Purpose, first_non_finite};
use crate::stepper::projection::Projection;
use holonom_dae::{DerivativeForm, InputError, Mechanical, MechanicalLayout, Rejection, Structure, System};

/// Where the slopes come from.
pub(in crate::stepper) enum Rates {
    /// v̇ and λ from the mechanics; what is not q, v or x in y is found along the way.
    Mechanics(Box<Mechanics>),
    /// ẏ = −F(t, y, 0).
    Plain { zero: Vec<f64> },
}

/// Room for the mechanics.
pub(in crate::stepper) struct Mechanics {
    layout: MechanicalLayout,
    lambda: Vec<f64>,
    /// The same while others are looked for.
    kept: Vec<f64>,
    projection: Projection,
}

impl Rates {
    /// For this system, or why an explicit method cannot take it.
    pub fn new(system: &mut dyn System) -> Result<Self, InputError> {
        if let Some(layout) = system.structure().layout.clone()
            && let Some(mechanical) = system.mechanical()
            && let Some(mechanics) = Mechanics::new(mechanical, &layout)
        {
            return Ok(Self::Mechanics(Box::new(mechanics)));
        }
        let structure = system.structure();
        match is_explicit(structure) {
            true => Ok(Self::Plain {
                zero: vec![0.0; structure.dimension()],
            }),
            false => Err(InputError::Option {
                option: "stepper",
                value: format!("`{NAME}`"),
                remedy: "an explicit method needs ẏ = f(t, y) or a mechanism; choose `radau` or `bdf`".into(),
            }),
        }
    }

    /// The multipliers in y are near those of the next evaluation, which looks for them from there.
    pub fn begin(&mut self, y: &[f64]) {
        if let Self::Mechanics(m) = self
            && m.layout.lambda.len() == m.lambda.len()
        {
            m.lambda.copy_from_slice(&y[m.layout.lambda.clone()]);
        }
    }

    /// k := ẏ at (t, y); zero for what is not integrated.
    pub fn evaluate(
        &mut self,
        equations: &mut Equations<'_>,
        t: f64,
        y: &[f64],
        k: &mut [f64],
    ) -> Result<(), Rejection> {
        match self {
            Self::Plain { zero } => {
                equations.residual(Purpose::Corrector, t, y, zero, k)?;
                k.iter_mut().for_each(|k| *k = -*k);
                Ok(())
            }
            Self::Mechanics(mechanics) => {
                equations.counters.residuals += 1;
                equations.counters.residuals_corrector += 1;
                equations.counters.accelerations += 1;
                let mechanical = equations.system.mechanical().ok_or(Rejection::OutsideDomain)?;
                mechanics.evaluate(mechanical, t, y, k)?;
                match first_non_finite(k) {
                    None => Ok(()),
                    Some(row) => Err(Rejection::NonFinite { row }),
                }
            }
        }
    }

    /// Brings positions and velocities back to the constraints at the end of a step.
    pub fn project(&mut self, equations: &mut Equations<'_>, t: f64, y: &mut [f64]) -> Result<(), Rejection> {
        match self {
            Self::Plain { .. } => Ok(()),
            Self::Mechanics(mechanics) => {
                let mechanical = equations.system.mechanical().ok_or(Rejection::OutsideDomain)?;
                let done = mechanics.projection.project(mechanical, &mechanics.layout, t, y);
                equations.counters.factorisations += u64::from(!mechanics.lambda.is_empty());
                done
            }
        }
    }

    /// Enters multipliers and readings into a state elsewhere; slopes go into `room`. The next step looks for its
    /// multipliers from where it would have without this.
    pub fn complete_at(&mut self, equations: &mut Equations<'_>, t: f64, y: &mut [f64], room: &mut [f64]) {
        let Self::Mechanics(m) = self else { return };
        if m.layout.lambda.is_empty() && m.layout.readings.is_empty() {
            return;
        }
        m.kept.copy_from_slice(&m.lambda);
        if self.evaluate(equations, t, y, room).is_ok() {
            self.complete(equations, y);
        }
        if let Self::Mechanics(m) = self {
            m.lambda.copy_from_slice(&m.kept);
        }
    }

    /// Enters what was found with the last slopes into y: multipliers and readings.
    pub fn complete(&self, equations: &mut Equations<'_>, y: &mut [f64]) {
        if let Self::Mechanics(m) = self {
            if m.layout.lambda.len() == m.lambda.len() {
                y[m.layout.lambda.clone()].copy_from_slice(&m.lambda);
            }
            if let Some(mechanical) = equations.system.mechanical() {
                mechanical.readings(&mut y[m.layout.readings.clone()]);
            }
        }
    }
}

/// Whether F = ẏ − φ(t, y) in all rows.
fn is_explicit(structure: &Structure) -> bool {
    structure.derivative == DerivativeForm::Identity
        && structure.variables.iter().all(|v| v.kind.is_differential())
}

impl Mechanics {
    fn new(mechanical: &mut dyn Mechanical, layout: &MechanicalLayout) -> Option<Self> {
        let (n_q, n, m) = (mechanical.n_q(), mechanical.n_v(), mechanical.n_g());
        let fits = layout.q.len() == n_q && layout.v.len() == n && layout.x.len() == mechanical.n_x();
        fits.then(|| Self {
            layout: layout.clone(),
            lambda: vec![0.0; m],
            kept: vec![0.0; m],
            projection: Projection::new(mechanical),
        })
    }

    fn evaluate(
        &mut self,
        mechanical: &mut dyn Mechanical,
        t: f64,
        y: &[f64],
        k: &mut [f64],
    ) -> Result<(), Rejection> {
        let l = &self.layout;
        let (q, v, x) = (&y[l.q.clone()], &y[l.v.clone()], &y[l.x.clone()]);
        if !x.is_empty() {
            mechanical.set_states(x);
        }
        mechanical.accelerations(t, q, v, &mut self.lambda, &mut k[l.v.clone()])?;
        mechanical.velocity_map(q, v, &mut k[l.q.clone()]);
        if !x.is_empty() {
            mechanical.state_rates(t, q, v, &self.lambda, &mut k[l.x.clone()])?;
        }
        Ok(())
    }
}
