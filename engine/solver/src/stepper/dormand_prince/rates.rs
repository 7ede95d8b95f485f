//! ẏ = f(t, y) for an explicit method: from the mechanics behind the equations, or from equations of that form.

use super::NAME;
use crate::equations::{Equations, Purpose, first_non_finite};
use crate::linear::{LinearSolver, LuDense, Matrix};
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
    n_g: usize,
    lambda: Vec<f64>,
    g: Vec<f64>,
    mass: Vec<f64>,
    matrix: Vec<f64>,
    saddle: Matrix,
    lu: LuDense,
    right: Vec<f64>,
    moved: Vec<f64>,
}

/// Projections end when they move the state by no more than this, relative to its size.
const CONVERGED: f64 = 1e-14;
/// Corrections of a projection at most; it begins within the tolerance, so that two or three are enough.
const MOST_CORRECTIONS: usize = 5;

impl Rates {
    /// For this system, or why an explicit method cannot take it.
    pub fn new(system: &mut dyn System) -> Result<Self, InputError> {
        let structure = system.structure().clone();
        if let Some(layout) = &structure.layout
            && let Some(mechanical) = system.mechanical()
            && let Some(mechanics) = Mechanics::new(mechanical, layout)
        {
            return Ok(Self::Mechanics(Box::new(mechanics)));
        }
        match is_explicit(&structure) {
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
                mechanics.project(mechanical, t, y, &mut equations.counters.factorisations)
            }
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
        let size = if m > 0 { n + m } else { 0 };
        fits.then(|| Self {
            layout: layout.clone(),
            n_g: m,
            lambda: vec![0.0; m],
            g: vec![0.0; m],
            mass: vec![0.0; if m > 0 { n * n } else { 0 }],
            matrix: vec![0.0; m * n],
            saddle: Matrix::dense(size),
            lu: LuDense::new(size),
            right: vec![0.0; size],
            moved: vec![0.0; n_q],
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

    /// q and then v to the nearest point, measured by M, where g = 0 and G v + g_t = 0. The matrix is that at the
    /// beginning: the state is within the tolerance of the constraints, and the iteration converges fast.
    fn project(
        &mut self,
        mechanical: &mut dyn Mechanical,
        t: f64,
        y: &mut [f64],
        factorisations: &mut u64,
    ) -> Result<(), Rejection> {
        let (l, m) = (&self.layout, self.n_g);
        mechanical.normalise(&mut y[l.q.clone()]);
        if m == 0 {
            return Ok(());
        }
        let n = l.v.len();
        mechanical.mass(t, &y[l.q.clone()], &mut self.mass)?;
        mechanical.constraint_matrix(t, &y[l.q.clone()], &mut self.matrix)?;
        let values = self.saddle.values_mut();
        values.fill(0.0);
        for j in 0..n {
            let column = &mut values[j * (n + m)..(j + 1) * (n + m)];
            column[..n].copy_from_slice(&self.mass[j * n..(j + 1) * n]);
            column[n..].copy_from_slice(&self.matrix[j * m..(j + 1) * m]);
        }
        for i in 0..m {
            let column = &mut values[(n + i) * (n + m)..(n + i + 1) * (n + m)];
            for j in 0..n {
                column[j] = self.matrix[i + j * m];
            }
            if !mechanical.takes_part(i) {
                column[n + i] = 1.0;
            }
        }
        *factorisations += 1;
        // At a singular position there is no nearest point; a step of another size ends beside it.
        self.lu
            .factorise(&self.saddle)
            .map_err(|_| Rejection::Divergence)?;
        let size = |x: &[f64]| x.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
        let mut last = f64::INFINITY;
        for _ in 0..MOST_CORRECTIONS {
            mechanical.constraint(t, &y[l.q.clone()], &mut self.g)?;
            self.right[..n].fill(0.0);
            self.right[n..].copy_from_slice(&self.g);
            self.lu.solve(&mut self.right);
            let q = &mut y[l.q.clone()];
            mechanical.velocity_map(q, &self.right[..n], &mut self.moved);
            for (q, d) in q.iter_mut().zip(&self.moved) {
                *q -= d;
            }
            mechanical.normalise(q);
            last = self.moved.iter().fold(0.0, |most: f64, d| most.max(d.abs())) / size(q);
            if last <= CONVERGED {
                break;
            }
        }
        // A step that ends this far from the constraints was too long.
        if last.is_nan() || last > CONVERGED.sqrt() {
            return Err(Rejection::Divergence);
        }
        mechanical.constraint_matrix(t, &y[l.q.clone()], &mut self.matrix)?;
        for _ in 0..MOST_CORRECTIONS {
            mechanical.constraint_rate(t, &y[l.q.clone()], &mut self.g)?;
            let v = &mut y[l.v.clone()];
            for (v, column) in v.iter().zip(self.matrix.chunks_exact(m)) {
                for (g, a) in self.g.iter_mut().zip(column) {
                    *g += a * v;
                }
            }
            self.right[..n].fill(0.0);
            self.right[n..].copy_from_slice(&self.g);
            self.lu.solve(&mut self.right);
            for (v, d) in v.iter_mut().zip(&self.right[..n]) {
                *v -= d;
            }
            let moved = self.right[..n].iter().fold(0.0, |most: f64, d| most.max(d.abs()));
            if moved <= CONVERGED * size(v) {
                break;
            }
        }
        Ok(())
    }
}
