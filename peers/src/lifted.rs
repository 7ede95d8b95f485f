//! A system with a mass matrix that depends on the state, written for codes that want a constant one.
//!
//! The derivatives w of the variables the matrix acts on become unknowns: ẏ = w beside F(t, y, w) = 0, with one
//! evaluation of F for one of the whole. This is how Andrews' mechanism and its like are given to RADAU5 in the
//! literature (accelerations as algebraic variables of the index of the multipliers).

use crate::interface::Run;
use holonom_dae::problems::Problem;
use holonom_dae::{DerivativeForm, Rejection, Structure, System, Variable, VariableKind};

/// Where an unknown of the lifted system comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// `y[i]` of the original.
    Own(usize),
    /// `ẏ[i]` of the original.
    Derivative(usize),
}

/// The lifted system.
pub struct Lifted<'a> {
    system: &'a mut dyn System,
    structure: Structure,
    sources: Vec<Source>,
    lifted: Vec<bool>,
    y: Vec<f64>,
    yp: Vec<f64>,
    r: Vec<f64>,
}

impl<'a> Lifted<'a> {
    /// Lifts every variable whose derivative comes with more than a one on the diagonal; `None` without a mass matrix.
    pub fn new(system: &'a mut dyn System, problem: &Problem) -> Option<Self> {
        let original = system.structure().clone();
        let DerivativeForm::Mass(pattern) = &original.derivative else {
            return None;
        };
        let n = original.dimension();
        let mut values = vec![0.0; pattern.len()];
        system
            .derivative_matrix(problem.t0, &problem.y0, &problem.yp0, &mut values)
            .ok()?;
        // Rows of kinematics are q̇ = …, with a one on the diagonal and nothing else.
        let mut lifted = vec![false; n];
        for ((i, j), value) in pattern.entries().zip(&values) {
            lifted[j] |= i != j || *value != 1.0;
        }
        // The index of accelerations is that of the multipliers, the highest there is.
        let highest = original.variables.iter().map(|v| v.index).max().unwrap_or(1);
        let mut sources: Vec<(u8, Source)> = Vec::new();
        for (i, v) in original.variables.iter().enumerate() {
            sources.push((v.index, Source::Own(i)));
        }
        sources.extend(
            (0..n)
                .filter(|i| lifted[*i])
                .map(|i| (highest, Source::Derivative(i))),
        );
        sources.sort_by_key(|(index, _)| *index);
        let variables = sources.iter().map(|(index, source)| match source {
            Source::Own(i) => original.variables[*i].clone(),
            Source::Derivative(i) => {
                let name = format!("{}'", original.variables[*i].name);
                let mut variable = Variable::new(name, VariableKind::Algebraic);
                variable.index = *index;
                variable
            }
        });
        let mut structure = Structure::unknown(sources.len());
        structure.variables = variables.collect();
        let sources: Vec<Source> = sources.into_iter().map(|s| s.1).collect();
        let diagonal = pattern.entries().filter(|(i, j)| i == j).map(|(i, _)| i);
        let mut differential = vec![false; n];
        diagonal.for_each(|i| differential[i] = true);
        let ones = sources.iter().enumerate().filter_map(|(k, s)| match s {
            Source::Own(i) if lifted[*i] || differential[*i] => Some((k, k, 1.0)),
            _ => None,
        });
        structure.derivative = DerivativeForm::Constant(ones.collect());
        Some(Self {
            system,
            structure,
            sources,
            lifted,
            y: vec![0.0; n],
            yp: vec![0.0; n],
            r: vec![0.0; n],
        })
    }

    /// The problem with start values for the lifted system.
    pub fn problem(&self, problem: &Problem) -> Problem {
        let at = |own: &[f64], derivative: &[f64]| {
            let value = |s: &Source| match s {
                Source::Own(i) => own[*i],
                Source::Derivative(i) => derivative[*i],
            };
            self.sources.iter().map(value).collect::<Vec<f64>>()
        };
        Problem {
            name: problem.name.clone(),
            title: problem.title,
            t0: problem.t0,
            t_end: problem.t_end,
            y0: at(&problem.y0, &problem.yp0),
            yp0: at(&problem.yp0, &vec![0.0; self.lifted.len()]),
            atol_factor: problem.atol_factor,
            reference: None,
            build: Box::new(|| Box::new(holonom_dae::Closure::new(Structure::unknown(0), |_, _, _, _| {}))),
        }
    }

    /// Which unknowns are derivatives of the original's.
    #[cfg_attr(not(feature = "diffsol"), allow(dead_code))]
    pub fn derivatives(&self) -> impl Iterator<Item = bool> + '_ {
        self.sources.iter().map(|s| matches!(s, Source::Derivative(_)))
    }

    /// What a run of the lifted system says of the original, with a note.
    pub fn lower(&self, mut run: Run) -> Run {
        run.y = self.original(&run.y);
        run.outputs = run.outputs.iter().map(|y| self.original(y)).collect();
        run.note = Some("with derivatives as unknowns, because the mass matrix depends on the state".into());
        run
    }

    /// The original unknowns of a solution.
    fn original(&self, lifted: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.lifted.len()];
        for (s, value) in self.sources.iter().zip(lifted) {
            if let Source::Own(i) = s {
                y[*i] = *value;
            }
        }
        y
    }
}

impl System for Lifted<'_> {
    fn structure(&self) -> &Structure {
        &self.structure
    }

    fn residual(&mut self, t: f64, y: &[f64], yp: &[f64], r: &mut [f64]) -> Result<(), Rejection> {
        for (k, s) in self.sources.iter().enumerate() {
            match *s {
                Source::Own(i) => {
                    self.y[i] = y[k];
                    if !self.lifted[i] {
                        self.yp[i] = yp[k];
                    }
                }
                Source::Derivative(i) => self.yp[i] = y[k],
            }
        }
        self.system.residual(t, &self.y, &self.yp, &mut self.r)?;
        for (k, s) in self.sources.iter().enumerate() {
            r[k] = match *s {
                Source::Own(i) if self.lifted[i] => yp[k] - self.yp[i],
                Source::Own(i) | Source::Derivative(i) => self.r[i],
            };
        }
        Ok(())
    }
}
