//! Linear models: ż = A z + B u, y = C z + D u, from inputs to channels, at a state.
//!
//! States are independent displacements and velocities, and the states of elements, all as
//! deviations. An input enters through all places where the model uses it. Where it moves a
//! coordinate (or a driver), its derivatives enter too, as inputs of their own: u̇ and ü have columns
//! in B and D then, named `u'` and `u''`; with a harmonic input they are jω u and −ω² u.
//!
//! A is exact (dual numbers). B, C and D are central differences of fourth order of the equations
//! and the channels, at fixed state: inputs are part of compiled expressions, and channels are
//! evaluated in plain numbers.

use crate::AnalysisError;
use crate::dense::{Matrix, largest};
use crate::reduced::Reduced;
use crate::statics::hold;
use crate::tangent::{Equation, State, displacement_names, velocity_names};
use core::fmt::Write;
use holonom_multibody::Model;
use holonom_multibody::channels::{Catalogue, Channel, Input, Sampler, Selection};
use holonom_multibody::formalism::reactions::Motion;
use holonom_multibody::start::Assembled;
use std::sync::Arc;

/// Step of differences by inputs, in parts of their size or of one.
const INPUT_STEP: f64 = 1e-4;

/// Step of differences by states.
const STATE_STEP: f64 = 1e-3;

/// Entries of a column below this part of the largest of its kind are differences of rounding.
const ROUNDING: f64 = 1e-10;

/// A column of B and D.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearInput {
    /// Number of the input.
    pub input: usize,
    /// Its name, with a prime for each derivative.
    pub name: String,
    /// Unit of the input itself.
    pub unit: String,
    /// 0 for u, 1 for u̇, 2 for ü.
    pub order: usize,
}

/// ż = A z + B u, y = C z + D u.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearModel {
    /// Names of the states.
    pub states: Vec<String>,
    /// Columns of B and D.
    pub inputs: Vec<LinearInput>,
    /// Rows of C and D.
    pub outputs: Vec<Channel>,
    /// Values of the outputs at the state.
    pub values: Vec<f64>,
    /// A.
    pub a: Matrix,
    /// B.
    pub b: Matrix,
    /// C.
    pub c: Matrix,
    /// D.
    pub d: Matrix,
}

/// A mechanism with inputs, for differences.
#[derive(Clone, Debug)]
pub struct Perturbed {
    /// The mechanism.
    pub model: Arc<Model>,
    /// Its inputs as channels.
    pub inputs: Vec<Input>,
}

/// Where to linearise.
#[derive(Clone, Copy, Debug)]
pub struct Operation<'a> {
    /// The mechanism: of an equilibrium its `start`.
    pub start: &'a Assembled,
    /// The state.
    pub state: &'a State,
    /// The mechanism as it was before all that moves was held, where the state is an equilibrium.
    pub moving: Option<&'a Model>,
}

/// Why there is no linear model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LinearizeError {
    /// The mechanism could not be linearised.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// The mechanism with a changed input could not be made, or has other channels.
    #[error("input `{input}`: {reason}")]
    Input {
        /// The input.
        input: String,
        /// In words.
        reason: String,
    },
}

/// The linear model at a state.
///
/// `inputs` are those of the model; `perturb` makes the mechanism with c₀ + c₁ (t − t₀) + c₂ (t − t₀)²/2
/// added to one of them, t₀ being the time of the state.
///
/// # Errors
/// Singular positions; mechanisms that cannot be made.
pub fn linearize(
    at: Operation<'_>,
    inputs: &[Input],
    outputs: &Selection,
    perturb: &mut dyn FnMut(usize, [f64; 3]) -> Result<Perturbed, String>,
) -> Result<LinearModel, LinearizeError> {
    let (start, state) = (at.start, at.state);
    let active = &start.rows.active;
    let mut equation = Equation::new(start.model.clone(), active.clone());
    let reduced = Reduced::new(&mut equation, state)?;
    let n = equation.sizes.v;
    let names: Vec<String> = outputs.channels().iter().map(|c| c.name.clone()).collect();
    let sampler = |start: &Assembled, inputs: &[Input]| -> Result<Sampler, String> {
        let patterns: Vec<&str> = names.iter().map(String::as_str).collect();
        let selection = Catalogue::with_inputs(start, inputs)
            .select(&patterns)
            .map_err(|e| e.to_string())?;
        Sampler::of_motion(start, &selection).map_err(|e| e.to_string())
    };
    let wrong = |input: &str| {
        let input = input.to_string();
        move |reason: String| LinearizeError::Input { input, reason }
    };

    // C: along every state, with the accelerations and multipliers that go with it.
    let mut own = sampler(start, inputs).map_err(wrong("of channels"))?;
    let values = row(
        &mut own,
        &equation,
        state,
        &vec![0.0; 2 * n],
        &[],
        0.0,
        names.len(),
    );
    let mut c = Matrix::zeros(names.len(), reduced.a.columns());
    for j in 0..reduced.a.columns() {
        let (w, rates) = (reduced.from_states.column(j), reduced.rates.column(j));
        let h = STATE_STEP / largest(w).max(1.0);
        let column = difference(h, |h| {
            Ok(row(&mut own, &equation, state, w, rates, h, names.len()))
        })?;
        c.column_mut(j).copy_from_slice(&column);
    }

    // B and D: input by input, for u, u̇ and ü.
    let picked = reduced.picked();
    let mut columns = Vec::new();
    let (mut b, mut d): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    for (i, input) in inputs.iter().enumerate() {
        let size = input.signal.evaluate(state.t)[0].abs().max(1.0);
        for order in 0..3 {
            let mut make = |h: f64| -> Result<(Assembled, Vec<Input>), LinearizeError> {
                let mut coefficients = [0.0; 3];
                coefficients[order] = h;
                let other = perturb(i, coefficients).map_err(wrong(&input.name))?;
                let model = match at.moving {
                    Some(base) => Arc::new(hold(&other.model, Some(base), state.t).0),
                    None => other.model,
                };
                if model.rows.len() != start.model.rows.len() || model.tree.n_v != n {
                    return Err(wrong(&input.name)(
                        "it changes the structure of the mechanism".to_string(),
                    ));
                }
                let changed = Assembled {
                    model,
                    ..start.clone()
                };
                Ok((changed, other.inputs))
            };
            let h = INPUT_STEP * size;
            let mut rows = |h: f64| -> Result<Vec<f64>, LinearizeError> {
                let (changed, _) = make(h)?;
                let mut other = Equation::new(changed.model, active.clone());
                let mut all = other.rest(state).map_err(AnalysisError::from)?;
                let (gaps, rates) = other.gaps(state).map_err(AnalysisError::from)?;
                all.extend(gaps);
                all.extend(rates);
                Ok(all)
            };
            let change = difference(h, &mut rows)?;
            let m = equation.sizes.rows;
            let first = n + equation.sizes.x + m;
            let (f_u, rest) = change.split_at(first);
            let (g_u, r_u) = rest.split_at(equation.holonomic.len());
            // What the constraints make of it, in dependent coordinates.
            let s = reduced.closing.times_vector(g_u);
            let carried = reduced.gradient.times_vector(&s);
            let r: Vec<f64> = r_u.iter().zip(&carried).map(|(r, c)| r + c).collect();
            let v = reduced.slowing.times_vector(&r);
            let mut w = [s, v].concat();
            w.resize(2 * n + equation.sizes.x, 0.0);
            let mut direct: Vec<f64> = f_u.iter().map(|f| -f).collect();
            reduced.factors.solve(&mut direct);
            let rates: Vec<f64> = (direct.iter().zip(reduced.solved.times_vector(&w)))
                .map(|(a, b)| a + b)
                .collect();
            let mut full = reduced.full.times_vector(&w);
            for (k, x) in direct.iter().take(n + equation.sizes.x).enumerate() {
                full[n + k] += x;
            }
            let own_b: Vec<f64> = picked.iter().map(|&k| full[k]).collect();
            let mut outputs_at = |h: f64| -> Result<Vec<f64>, LinearizeError> {
                let (changed, inputs) = make(h)?;
                let mut other = sampler(&changed, &inputs).map_err(wrong(&input.name))?;
                Ok(row(&mut other, &equation, state, &w, &rates, h, names.len()))
            };
            let own_d = difference(h, &mut outputs_at)?;
            // Derivatives count only where they enter.
            let floor = ROUNDING * (1.0 + b.last().map_or(0.0, |b: &Vec<f64>| largest(b)));
            if order > 0 && largest(&own_b) <= floor && largest(&own_d) <= floor {
                continue;
            }
            columns.push(LinearInput {
                input: i,
                name: format!("{}{}", input.name, "'".repeat(order)),
                unit: input.unit.clone(),
                order,
            });
            b.push(own_b);
            d.push(own_d);
        }
    }
    let (displacements, velocities) = (displacement_names(&start.model), velocity_names(&start.model));
    let states = (reduced.positions.iter().map(|&i| displacements[i].clone()))
        .chain(reduced.velocities.iter().map(|&i| velocities[i].clone()))
        .chain(equation.model.states.iter().map(|state| state.name.clone()));
    Ok(LinearModel {
        states: states.collect(),
        inputs: columns,
        outputs: outputs.channels().to_vec(),
        values,
        b: Matrix::from_fn(reduced.a.rows(), b.len(), |i, j| b[j][i]),
        d: Matrix::from_fn(names.len(), d.len(), |i, j| d[j][i]),
        a: reduced.a,
        c,
    })
}

/// The channels at a state that is `part` of a deviation away: displacements and velocities `w`,
/// accelerations and multipliers from `rates` (v̇, ẋ, λ).
fn row(
    sampler: &mut Sampler,
    equation: &Equation,
    at: &State,
    w: &[f64],
    rates: &[f64],
    part: f64,
    columns: usize,
) -> Vec<f64> {
    let n = equation.sizes.v;
    let add = |x: &[f64], d: &[f64]| -> Vec<f64> {
        let change = d.iter().copied().chain(core::iter::repeat(0.0));
        x.iter().zip(change).map(|(x, d)| x + part * d).collect()
    };
    let step: Vec<f64> = w[..n].iter().map(|s| s * part).collect();
    let q = equation.moved(&at.q, &step);
    let v = add(&at.v, &w[n..2 * n]);
    let a = add(&at.a, rates.get(..n).unwrap_or(&[]));
    let x = add(&at.x, &w[2 * n..]);
    let lambda = add(&at.lambda, rates.get(n + equation.sizes.x..).unwrap_or(&[]));
    let motion = Motion {
        t: at.t,
        q: &q,
        v: &v,
        a: &a,
        x: &x,
        lambda: &lambda,
    };
    let mut row = vec![0.0; columns];
    sampler.sample_motion(&motion, &mut row);
    row
}

/// (8 (f(h) − f(−h)) − (f(2h) − f(−2h)))/(12 h).
fn difference(
    h: f64,
    mut f: impl FnMut(f64) -> Result<Vec<f64>, LinearizeError>,
) -> Result<Vec<f64>, LinearizeError> {
    let [a, b, c, d] = [f(h)?, f(-h)?, f(2.0 * h)?, f(-2.0 * h)?];
    Ok((0..a.len())
        .map(|i| (8.0 * (a[i] - b[i]) - (c[i] - d[i])) / (12.0 * h))
        .collect())
}

impl LinearModel {
    /// The four matrices as CSV: blocks with a heading each, rows and columns named.
    pub fn to_csv(&self) -> String {
        let mut text = String::new();
        let inputs: Vec<&str> = self.inputs.iter().map(|i| i.name.as_str()).collect();
        let states: Vec<&str> = self.states.iter().map(String::as_str).collect();
        let outputs: Vec<&str> = self.outputs.iter().map(|c| c.name.as_str()).collect();
        for (name, matrix, rows, columns) in [
            ("A", &self.a, &states, &states),
            ("B", &self.b, &states, &inputs),
            ("C", &self.c, &outputs, &states),
            ("D", &self.d, &outputs, &inputs),
        ] {
            let head: Vec<String> = columns.iter().map(|c| format!("\"{c}\"")).collect();
            let _ = writeln!(text, "{}", [vec![name.to_string()], head].concat().join(","));
            for (i, row) in rows.iter().enumerate() {
                let numbers = (0..matrix.columns()).map(|j| format!("{}", matrix[(i, j)]));
                let all: Vec<String> = core::iter::once(format!("\"{row}\"")).chain(numbers).collect();
                let _ = writeln!(text, "{}", all.join(","));
            }
            text.push('\n');
        }
        text
    }

    /// The four matrices with names as a MATLAB (or Octave) script.
    pub fn to_matlab(&self, title: &str) -> String {
        let mut text = format!(
            "% {}: linear model, z' = A z + B u, y = C z + D u\n",
            title.replace('\n', " ")
        );
        let names = |names: Vec<&str>| -> String {
            let quoted: Vec<String> = names
                .iter()
                .map(|n| format!("'{}'", n.replace('\'', "''")))
                .collect();
            format!("{{{}}}", quoted.join(", "))
        };
        let _ = writeln!(
            text,
            "states = {};",
            names(self.states.iter().map(String::as_str).collect())
        );
        let _ = writeln!(
            text,
            "inputs = {};",
            names(self.inputs.iter().map(|i| i.name.as_str()).collect())
        );
        let _ = writeln!(
            text,
            "outputs = {};",
            names(self.outputs.iter().map(|c| c.name.as_str()).collect())
        );
        for (name, m) in [("A", &self.a), ("B", &self.b), ("C", &self.c), ("D", &self.d)] {
            if m.rows() == 0 || m.columns() == 0 {
                let _ = writeln!(text, "{name} = zeros({}, {});", m.rows(), m.columns());
                continue;
            }
            let _ = writeln!(text, "{name} = [");
            for i in 0..m.rows() {
                let row: Vec<String> = (0..m.columns()).map(|j| format!("{:e}", m[(i, j)])).collect();
                let _ = writeln!(text, "  {};", row.join(" "));
            }
            text.push_str("];\n");
        }
        text
    }
}
