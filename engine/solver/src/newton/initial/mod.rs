//! Consistent start values.
//!
//! * **Mechanics** (index 1, 2, 3 and GGL): positions are projected onto g = 0, then velocities
//!   onto G v + g_t = 0, both moving the least in the mass metric; accelerations and
//!   multipliers follow from M v̇ + Gᵀλ = f, G v̇ + γ = 0.
//! * **Index 1**: differential variables stay, their derivatives and the algebraic variables
//!   are computed.
//! * **Index 1 with a singular, not diagonal ∂F/∂ẏ**: backward Euler steps of vanishing size move
//!   y onto the algebraic equations and give ẏ; what they drift along ẏ is taken back.
//!
//! Before that, what the structure says about ∂F/∂ẏ is compared with what the system delivers.

mod general;
mod projection;

use crate::equations::{Equations, Purpose, first_non_finite};
use crate::options::{Options, Start};
use general::General;
use holonom_dae::{DerivativeForm, InputError, Rejection, Structure, System, Weights};
use projection::Projection;

/// A variable that was moved to make the start consistent.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// Name of the variable.
    pub name: String,
    /// Value given.
    pub from: f64,
    /// Value used.
    pub to: f64,
}

/// What the consistent start did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StartReport {
    /// Variables whose value moved by more than rounding, largest movement in tolerances first.
    pub moved: Vec<Moved>,
    /// The same for derivatives.
    pub moved_derivatives: Vec<Moved>,
    /// Iterations spent.
    pub iterations: usize,
    /// Largest residual at the end.
    pub residual: f64,
}

const MAX_ITERATIONS: usize = 50;

/// Makes (y, ẏ) consistent at `t`, or checks that it is, as `mode` demands.
pub fn make_consistent(
    equations: &mut Equations<'_>,
    options: &Options,
    mode: Start,
    t: f64,
    span: f64,
    y: &mut [f64],
    yp: &mut [f64],
) -> Result<StartReport, InputError> {
    let structure = equations.system.structure().clone();
    let n = structure.dimension();
    structure.check_bounds(y)?;
    let mut weights = Weights::plain(options.tolerances.clone(), n);
    weights.update(y, 1.0);
    let given = (y.to_vec(), yp.to_vec());
    let mut r = vec![0.0; n];
    evaluate(equations, &structure, t, y, yp, &mut r)?;
    let residual_given = r.clone();
    let explicit = is_explicit(&structure) && structure.layout.is_none();
    if structure.layout.is_none() {
        check_derivative_form(equations.system, t, y, yp)?;
    }
    if !explicit {
        // An explicit ODE is probed where its derivative is computed, at no extra cost.
        probe_derivative_form(equations, &structure, t, y, yp, &r)?;
    }

    let layout = structure.layout.clone();
    let solved = match (equations.system.mechanical(), layout) {
        (Some(mechanical), Some(layout)) => {
            let projected = Projection::new(mechanical).project(mechanical, &structure, &layout, t, y, yp);
            projected.and_then(|moved| evaluate(equations, &structure, t, y, yp, &mut r).map(|()| moved))
        }
        _ => General {
            structure: &structure,
            options,
            weights: &weights,
            span,
        }
        .solve(equations, mode, t, y, yp, &mut r),
    };
    let iterations = solved.inspect_err(|_| {
        // A failure shows what was given, not where the search ended.
        y.copy_from_slice(&given.0);
        yp.copy_from_slice(&given.1);
    })?;

    let report = report(&structure, &weights, &given, (y, yp), iterations, &r);
    if mode == Start::Check {
        // Consistent means: what would have moved lies within the tolerance.
        let worst = (0..n)
            .map(|i| (i, (y[i] - given.0[i]).abs() * weights.reciprocal()[i]))
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or((0, 0.0));
        if worst.1 > 1.0 {
            let row = worst_row(&residual_given);
            return Err(InputError::InconsistentStart {
                equation: structure.equations[row].name.clone(),
                residual: residual_given[row],
                variable: structure.variables[worst.0].name.clone(),
                moves: (y[worst.0] - given.0[worst.0]).abs(),
                times: worst.1,
            });
        }
        y.copy_from_slice(&given.0);
        // Derivatives given slightly wrong do no harm; wildly wrong ones mislead the predictor.
        return Ok(StartReport {
            moved: Vec::new(),
            ..report
        });
    }
    Ok(report)
}

/// The residual, with a rejection turned into a message.
fn evaluate(
    equations: &mut Equations<'_>,
    structure: &Structure,
    t: f64,
    y: &[f64],
    yp: &[f64],
    r: &mut [f64],
) -> Result<(), InputError> {
    equations.residual(Purpose::Other, t, y, yp, r).map_err(|rejection| {
        let row = match rejection {
            Rejection::NonFinite { row } => row,
            _ => 0,
        };
        InputError::NoConsistentStart {
            stage: "evaluation of the residual at the start",
            equation: structure.equations[row].name.clone(),
            residual: r[row],
            iterations: 0,
            remedy: "the residual is not finite there: check the initial values, and that row for a division \
            by zero or the root of a negative number",
        }
    })
}

/// Refuses a system that declares [`DerivativeForm::Mass`] without delivering ∂F/∂ẏ.
///
/// One call of `derivative_matrix` and no residual. [`make_consistent`] does it by itself where it uses ∂F/∂ẏ: not for
/// mechanics, of which not every method reads that matrix.
pub fn check_derivative_form(
    system: &mut dyn System,
    t: f64,
    y: &[f64],
    yp: &[f64],
) -> Result<(), InputError> {
    let entries: Vec<(usize, usize)> = match &system.structure().derivative {
        DerivativeForm::Mass(pattern) => pattern.entries().collect(),
        _ => return Ok(()),
    };
    // What is left unset stays NaN and is found out.
    let mut values = vec![f64::NAN; entries.len()];
    if system.derivative_matrix(t, y, yp, &mut values).is_err() {
        return Err(InputError::Structure(
            "the structure declares Mass but the system delivers no ∂F/∂ẏ: implement derivative_matrix \
             (Closure::mass for a closure), or declare Unknown"
                .into(),
        ));
    }
    match first_non_finite(&values) {
        None => Ok(()),
        Some(k) => {
            let structure = system.structure();
            let (i, j) = entries[k];
            Err(InputError::Structure(format!(
                "the structure declares Mass but derivative_matrix leaves entry (`{}`, `{}`) of ∂F/∂ẏ unset or not \
                 finite at the start: set all entries of the pattern, in its order",
                structure.equations[i].name, structure.variables[j].name
            )))
        }
    }
}

/// Whether every row is declared to be ẏ_i − φ_i(t, y).
fn is_explicit(structure: &Structure) -> bool {
    structure.derivative == DerivativeForm::Identity
        && structure.variables.iter().all(|v| v.kind.is_differential())
}

/// Relative deviation from the declared ∂F/∂ẏ that is no longer rounding.
const FORM_TOLERANCE: f64 = 1e-3;

/// One residual at ẏ + δ: refuses a row that does not change by the declared ∂F/∂ẏ δ.
///
/// `r` is F(t, y, ẏ). Returns F(t, y, ẏ + δ) − ∂F/∂ẏ δ, which is F(t, y, ẏ) to rounding, or
/// nothing where the form is not declared or ẏ + δ cannot be evaluated.
fn probe_derivative_form(
    equations: &mut Equations<'_>,
    structure: &Structure,
    t: f64,
    y: &[f64],
    yp: &[f64],
    r: &[f64],
) -> Result<Option<Vec<f64>>, InputError> {
    let n = y.len();
    let entries: Vec<(usize, usize, f64)> = match &structure.derivative {
        DerivativeForm::Identity => (0..n)
            .filter(|i| structure.variables[*i].kind.is_differential())
            .map(|i| (i, i, 1.0))
            .collect(),
        DerivativeForm::Constant(entries) => entries.clone(),
        DerivativeForm::Mass(_) | DerivativeForm::Unknown => return Ok(None),
    };
    // The declared form is linear in ẏ, so that δ need not be small; being different for every
    // variable, its parts do not cancel in a sum. The golden section spreads them evenly.
    let delta = |i: usize, factor: f64| {
        let spread = 0.5 + (0.618_033_988_749_895 * (i + 1) as f64).fract();
        factor * spread * (1.0 + yp[i].abs() + r[i].abs())
    };
    let mut deviating = None;
    let mut first = None;
    // A second, larger δ only to confirm a suspicion: rounding does not grow with δ.
    for factor in [1.0, 1e3] {
        let moved: Vec<f64> = (0..n).map(|i| yp[i] + delta(i, factor)).collect();
        let mut probe = vec![0.0; n];
        if equations
            .residual(Purpose::Other, t, y, &moved, &mut probe)
            .is_err()
        {
            return Ok(first);
        }
        let mut size = vec![0.0; n];
        for &(i, j, value) in &entries {
            let change = value * (moved[j] - yp[j]);
            probe[i] -= change;
            size[i] += change.abs();
        }
        let largest = (0..n).map(|i| delta(i, factor)).fold(0.0, f64::max);
        deviating = (0..n)
            .find(|&i| (probe[i] - r[i]).abs() > FORM_TOLERANCE * (size[i] + r[i].abs()) + 1e-10 * largest);
        first.get_or_insert(probe);
        if deviating.is_none() {
            return Ok(first);
        }
    }
    let Some(row) = deviating else { return Ok(first) };
    let name = &structure.equations[row].name;
    Err(InputError::Structure(match structure.derivative {
        DerivativeForm::Identity => {
            let form = if structure.variables[row].kind.is_differential() {
                "of the form ẏ_i − φ_i(t, y)"
            } else {
                "free of derivatives, as"
            };
            format!(
                "row `{name}` is not {form} declared by DerivativeForm::Identity; \
                 declare Mass, Constant or Unknown (Structure::unknown)"
            )
        }
        _ => format!(
            "row `{name}` does not depend on ẏ as declared by DerivativeForm::Constant; \
             correct its entries, or declare Mass or Unknown (Structure::unknown)"
        ),
    }))
}

fn worst_row(r: &[f64]) -> usize {
    (0..r.len())
        .max_by(|a, b| r[*a].abs().total_cmp(&r[*b].abs()))
        .unwrap_or(0)
}

fn report(
    structure: &Structure,
    weights: &Weights,
    given: &(Vec<f64>, Vec<f64>),
    (y, yp): (&[f64], &[f64]),
    iterations: usize,
    r: &[f64],
) -> StartReport {
    let collect = |from: &[f64], to: &[f64], prefix: &str| {
        let mut moved: Vec<(f64, Moved)> = (0..from.len())
            .filter(|&i| (to[i] - from[i]).abs() > 1e-12 * (1.0 + from[i].abs()))
            .map(|i| {
                let name = format!("{prefix}{}", structure.variables[i].name);
                let size = (to[i] - from[i]).abs() * weights.reciprocal()[i];
                (
                    size,
                    Moved {
                        name,
                        from: from[i],
                        to: to[i],
                    },
                )
            })
            .collect();
        moved.sort_by(|a, b| b.0.total_cmp(&a.0));
        moved.into_iter().map(|(_, m)| m).collect()
    };
    StartReport {
        moved: collect(&given.0, y, ""),
        moved_derivatives: collect(&given.1, yp, "d/dt "),
        iterations,
        residual: r.iter().fold(0.0, |m, x| m.max(x.abs())),
    }
}
