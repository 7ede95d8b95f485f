//! What a full Jacobian costs with exact derivatives (`ad-grouped`) and with differences
//! (`fd-grouped`), how exact the former is, and how many groups the patterns give.
//!
//! Asked for: at most half the time, and entries exact to 10⁻¹² of the largest in their row (against
//! dual numbers column by column, with no use of patterns or transposed blocks). The exit code is 1
//! when a model misses one of them. `fd-error` is the error of the differences (without meaning where
//! a row is zero). `bits`: grouped differences equal those column by column to the bit, with the traced
//! pattern. `fd/g` is the time for a group, `ad/p` that for a pack of up to eight groups, both in plain
//! residuals.
//!
//! `cargo run --release -p holonom-models --example jacobian_cost [MODEL]`

#![allow(clippy::print_stdout)]

use holonom::algebra::{Dual8, Real};
use holonom::dae::{Counters, Structure, System, Tolerances, Weights};
use holonom::multibody::residual::{Form, Formalism};
use holonom::solver::equations::Equations;
use holonom::solver::jacobian::{self, JacobianEngine, JacobianPoint, Setup, Sparsity, SplitJacobian};
use holonom_models::{all, arnold_chain, kernel_chain};
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Time of `ad-grouped` over that of `fd-grouped`, at most.
const MOST_TIME: f64 = 0.5;
/// Error of an entry in units of the largest in its row, at most.
const MOST_ERROR: f64 = 1e-12;
/// Interleaved pairs of batches; times are medians over them.
const PAIRS: usize = 31;
/// Length of a batch, s.
const BATCH: f64 = 1e-3;
const ALPHA: f64 = 1e3;
const H: f64 = 1e-3;
const TOLERANCE: f64 = 1e-6;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<ExitCode> {
    let wanted = std::env::args().nth(1);
    let mut models = Vec::new();
    for entry in all() {
        models.push((entry.name.to_owned(), entry.description()?));
    }
    models.push(("arnold-chain of 64".to_owned(), arnold_chain(64, 0.05)));
    models.push(("chain of 100".to_owned(), kernel_chain(100)));
    println!(
        "{:18} {:9} {:>4} {:>6} {:>6} {:>10} {:>10} {:>6} {:>5} {:>5} {:>8} {:>8} {:>5}",
        "model",
        "formalism",
        "n",
        "traced",
        "estim.",
        "fd, µs",
        "ad, µs",
        "ratio",
        "fd/g",
        "ad/p",
        "error",
        "fd-error",
        "bits"
    );
    let mut missed = 0;
    for (name, description) in models {
        if wanted.as_ref().is_some_and(|w| *w != name) {
            continue;
        }
        let start = Arc::new(description.compile()?).assemble(&Default::default())?;
        let form = if start.rows.active.is_empty() && start.model.switched().is_empty() {
            Form::Ode
        } else {
            Form::Ggl
        };
        for formalism in Formalism::ALL {
            let equations = start.equations(form, formalism)?;
            let state = start.state(&equations);
            if state.0.is_empty() {
                continue;
            }
            let mut system = equations.system();
            let structure = system.structure().clone();
            let row = measure(start.t, system.as_mut(), &structure, state)?;
            let holds = row.ratio <= MOST_TIME && row.error <= MOST_ERROR;
            missed += u32::from(!holds);
            println!(
                "{name:18} {:9} {:4} {:6} {:6} {:10.2} {:10.2} {:6.2} {:5.2} {:5.2} {:8.0e} {:8.0e} {:>5} {}",
                formalism.name(),
                structure.dimension(),
                row.traced,
                row.estimated,
                row.fd * 1e6,
                row.ad * 1e6,
                row.ratio,
                row.fd / (row.traced as f64 * row.plain),
                row.ad / (row.traced.div_ceil(8) as f64 * row.plain),
                row.error,
                row.fd_error,
                if row.same_bits { "same" } else { "other" },
                if holds { "holds" } else { "FAILS" },
            );
        }
    }
    println!("{missed} miss a ratio of {MOST_TIME} or an error of {MOST_ERROR:e}");
    Ok(ExitCode::from(u8::from(missed > 0)))
}

struct Row {
    traced: usize,
    estimated: usize,
    fd: f64,
    ad: f64,
    ratio: f64,
    plain: f64,
    error: f64,
    fd_error: f64,
    same_bits: bool,
}

/// A point in motion next to the start, with forces in the constraints, so that few entries are
/// zero by chance; the start itself where the equations have no value there.
fn next_to(
    t: f64,
    system: &mut dyn System,
    (y, yp): (Vec<f64>, Vec<f64>),
    r: &mut [f64],
) -> Outcome<(Vec<f64>, Vec<f64>)> {
    let structure = system.structure();
    let mut seed = 1u64;
    let mut random = || {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let moved = |(i, y): (usize, &f64)| {
        let free = structure.variables[i].kind != holonom::dae::VariableKind::Position;
        y + random() * if free { 0.1 } else { 1e-4 }
    };
    let moved: Vec<f64> = y.iter().enumerate().map(moved).collect();
    let fine = |r: &[f64]| r.iter().all(|x| x.is_finite());
    if system.residual(t, &moved, &yp, r).is_ok() && fine(r) {
        return Ok((moved, yp));
    }
    system.residual(t, &y, &yp, r)?;
    Ok((y, yp))
}

fn measure(
    t: f64,
    system: &mut dyn System,
    structure: &Structure,
    start: (Vec<f64>, Vec<f64>),
) -> Outcome<Row> {
    let n = structure.dimension();
    let mut residual = vec![0.0; n];
    let (y, yp) = next_to(t, system, start, &mut residual)?;
    let mut weights = Weights::plain(Tolerances::new(TOLERANCE, TOLERANCE), n);
    weights.update(&y, 1.0);
    let at = JacobianPoint {
        t,
        y: &y,
        yp: &yp,
        residual: &residual,
        alpha: ALPHA,
        h: H,
        weights: &weights,
    };
    let build = |name: &str, sparsity: Sparsity| -> Outcome<(Box<dyn JacobianEngine>, SplitJacobian)> {
        let entry = jacobian::find(name).ok_or("no such engine")?;
        let setup = Setup {
            sparse: false,
            combined: false,
            sparsity,
        };
        Ok((
            (entry.build)(structure, setup),
            jacobian::allocate(structure, false, false),
        ))
    };
    let mut counters = Counters::default();
    let mut equations = Equations {
        system,
        counters: &mut counters,
    };
    let mut fd = build("fd-grouped", Sparsity::Traced)?;
    let mut ad = build("ad-grouped", Sparsity::Traced)?;
    let mut dense = build("fd-dense", Sparsity::Traced)?;
    let mut estimated = build("fd-grouped", Sparsity::Estimated)?;
    for (engine, out) in [&mut fd, &mut ad, &mut dense, &mut estimated] {
        engine.evaluate(&mut equations, &at, out)?;
    }
    let same_bits = (fd.1.f_y.values().iter().zip(dense.1.f_y.values())).all(|(a, b)| a == b);
    let exact = exact_jacobian(equations.system, t, &y, &yp)?;
    let (error, fd_error) = (error(&ad.1, &exact), error(&fd.1, &exact));

    let mut time =
        |what: Option<&mut (Box<dyn JacobianEngine>, SplitJacobian)>, repeats: u32| -> Outcome<f64> {
            let clock = Instant::now();
            match what {
                Some((engine, out)) => {
                    for _ in 0..repeats {
                        engine.evaluate(&mut equations, black_box(&at), out)?;
                    }
                }
                None => {
                    let mut r = vec![0.0; n];
                    for _ in 0..repeats {
                        equations.system.residual(t, black_box(&y), &yp, &mut r)?;
                    }
                }
            }
            Ok(clock.elapsed().as_secs_f64() / f64::from(repeats))
        };
    let repeats = |once: f64| (BATCH / once).clamp(1.0, 1e4) as u32;
    let fd_repeats = repeats(time(Some(&mut fd), 3)?);
    let ad_repeats = repeats(time(Some(&mut ad), 3)?);
    let plain_repeats = repeats(time(None, 3)?);
    let (mut fd_times, mut ad_times) = (Vec::new(), Vec::new());
    let (mut plain_times, mut ratios) = (Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        let f = time(Some(&mut fd), fd_repeats)?;
        let a = time(Some(&mut ad), ad_repeats)?;
        plain_times.push(time(None, plain_repeats)?);
        fd_times.push(f);
        ad_times.push(a);
        ratios.push(a / f);
    }
    Ok(Row {
        traced: fd.0.pattern_use().groups,
        estimated: estimated.0.pattern_use().groups,
        fd: median(fd_times),
        ad: median(ad_times),
        ratio: median(ratios),
        plain: median(plain_times),
        error,
        fd_error,
        same_bits,
    })
}

/// ∂F/∂y by dual numbers, column by column.
fn exact_jacobian(system: &mut dyn System, t: f64, y: &[f64], yp: &[f64]) -> Outcome<Vec<f64>> {
    let n = y.len();
    let constant = |x: &[f64]| -> Vec<Dual8> { x.iter().map(|x| Dual8::constant(*x)).collect() };
    let (mut yd, ypd) = (constant(y), constant(yp));
    let mut r = vec![Dual8::constant(0.0); n];
    let mut matrix = vec![0.0; n * n];
    for j in 0..n {
        yd[j] = Dual8::variable(y[j], 0);
        system.residual_dual8(Dual8::constant(t), &yd, &ypd, &mut r)?;
        yd[j] = Dual8::constant(y[j]);
        for i in 0..n {
            matrix[i + j * n] = r[i].derivative(0);
        }
    }
    Ok(matrix)
}

/// Largest error of an entry in units of the largest in its row.
fn error(found: &SplitJacobian, exact: &[f64]) -> f64 {
    let n = found.f_y.n();
    let row = |i: usize| {
        let largest = (0..n)
            .map(|j| exact[i + j * n].abs())
            .fold(f64::MIN_POSITIVE, f64::max);
        let off = |j: usize| (found.f_y.get(i, j) - exact[i + j * n]).abs() / largest;
        (0..n).map(off).fold(0.0, f64::max)
    };
    (0..n).map(row).fold(0.0, f64::max)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
