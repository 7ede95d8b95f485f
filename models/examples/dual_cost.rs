//! What a residual with eight derivative directions costs in plain residuals; at most 3.5 is asked
//! for, and the exit code is 1 when a model exceeds it. The same with four directions and with twelve, and
//! for ∂F/∂ẏ alone where that depends on the state and for the matrix G of constraints: the constants of `Counters::residual_equivalents` are
//! rounded up from these.
//!
//! What stack and heap happen to share in the caches makes one place in a hundred slower by half for as
//! long as the process lives. Every row is the median over several places: threads with memory of
//! their own, which measure one after the other.
//!
//! `cargo run --release -p holonom-models --example dual_cost [MODEL]`

#![allow(clippy::print_stdout)]

use holonom::algebra::{Dual, Dual4, Dual8, Dual12, Real};
use holonom::dae::DerivativeForm;
use holonom::multibody::residual::{Form, Formalism};
use holonom::multibody::start::Assembled;
use holonom_models::{all, kernel_chain};
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Instant;

/// What one evaluation with eight directions may cost, in plain ones.
const LIMIT: f64 = 3.5;

/// Places in memory; the figures are medians over them.
const PLACES: usize = 5;

/// Pairs of batches at every place; the ratio there is the median over them.
const PAIRS: usize = 41;

/// Length of a batch of plain evaluations, s: short, so that what else the machine does meets few of
/// the pairs.
const BATCH: f64 = 5e-4;

/// Evaluations by which the length of one is found.
const WARM: u32 = 10;

fn main() -> Result<ExitCode, Failure> {
    let wanted = std::env::args().nth(1);
    let mut exceeded = 0;
    let mut models = Vec::new();
    for entry in all() {
        models.push((entry.name.to_owned(), entry.description()?));
    }
    models.push(("chain of 100".to_owned(), kernel_chain(100)));
    println!(
        "{:18} {:9} {:>10} {:>12} {:>6} {:>8} {:>8} {:>6} {:>6}",
        "model", "formalism", "plain, ns", "8 duals, ns", "ratio", "4 duals", "12 duals", "∂F/∂ẏ", "G"
    );
    let mut all_ratios = [const { Vec::new() }; 5];
    for (name, description) in models {
        if wanted.as_ref().is_some_and(|wanted| *wanted != name) {
            continue;
        }
        let start = Arc::new(description.compile()?).assemble(&Default::default())?;
        let form = if start.rows.active.is_empty() && start.model.switched().is_empty() {
            Form::Ode
        } else {
            Form::Ggl
        };
        for formalism in Formalism::ALL {
            let Costs {
                plain,
                dual,
                ratios: [ratio, four, twelve, derivative, constraints],
            } = at_places(&start, form, formalism)?;
            let ratios = [ratio, four, twelve, derivative, constraints];
            for (all, x) in all_ratios.iter_mut().zip(ratios) {
                all.extend((x > 0.0).then_some(x));
            }
            let holds = if ratio <= LIMIT { "holds" } else { "FAILS" };
            exceeded += u32::from(ratio > LIMIT);
            println!(
                "{name:18} {:9} {:10.0} {:12.0} {ratio:6.2} {four:8.2} {twelve:8.2} {derivative:6.2} {constraints:6.2} {holds}",
                formalism.name(),
                plain * 1e9,
                dual * 1e9,
            );
        }
    }
    for (what, ratios) in ["8 duals", "4 duals", "12 duals", "∂F/∂ẏ", "G"]
        .into_iter()
        .zip(all_ratios)
    {
        let least = ratios.iter().copied().fold(f64::MAX, f64::min);
        let most = ratios.iter().copied().fold(0.0, f64::max);
        if !ratios.is_empty() {
            println!(
                "{what}: median {:.2}, from {least:.2} to {most:.2}",
                median(ratios)
            );
        }
    }
    println!("{exceeded} exceed {LIMIT}");
    Ok(ExitCode::from(u8::from(exceeded > 0)))
}

/// Times of a plain and a dual evaluation, s, and what eight directions, four, twelve, ∂F/∂ẏ and G cost in plain
/// evaluations; zero where there is none.
struct Costs {
    plain: f64,
    dual: f64,
    ratios: [f64; 5],
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Medians over places in memory.
fn at_places(start: &Assembled, form: Form, formalism: Formalism) -> Result<Costs, Failure> {
    // Memory of all of them is in use before the first one measures.
    let (ready, turn) = (Barrier::new(PLACES), Mutex::new(()));
    let measured = thread::scope(|scope| {
        let places: Vec<_> = (0..PLACES)
            .map(|_| scope.spawn(|| measure(start, form, formalism, &ready, &turn)))
            .collect();
        let join = |place: thread::ScopedJoinHandle<'_, Result<Costs, Failure>>| match place.join() {
            Ok(costs) => costs,
            Err(_) => Err("a measurement ended unexpectedly".into()),
        };
        places.into_iter().map(join).collect::<Result<Vec<_>, Failure>>()
    })?;
    let of = |value: &dyn Fn(&Costs) -> f64| median(measured.iter().map(value).collect());
    Ok(Costs {
        plain: of(&|c| c.plain),
        dual: of(&|c| c.dual),
        ratios: [0, 1, 2, 3, 4].map(|k| of(&|c| c.ratios[k])),
    })
}

fn median(mut x: Vec<f64>) -> f64 {
    x.sort_by(f64::total_cmp);
    x[x.len() / 2]
}

/// What evaluations cost at one place.
fn measure(
    start: &Assembled,
    form: Form,
    formalism: Formalism,
    ready: &Barrier,
    turn: &Mutex<()>,
) -> Result<Costs, Failure> {
    let begun = start.equations(form, formalism).map(|equations| {
        let state = start.state(&equations);
        (state, equations.system())
    });
    ready.wait();
    let ((y, yp), mut system) = begun?;
    let _turn = turn.lock();
    let n = y.len();
    let mut r = vec![0.0; n];
    let (yd, ypd) = (seeded::<2>(&y), seeded::<2>(&yp));
    let (y4, yp4) = (seeded::<1>(&y), seeded::<1>(&yp));
    let mut rd = vec![Dual8::constant(0.0); n];
    let mut r4 = vec![Dual4::constant(0.0); n];
    let (y12, yp12) = (seeded::<3>(&y), seeded::<3>(&yp));
    let mut r12 = vec![Dual12::constant(0.0); n];
    let mut mass = match &system.structure().derivative {
        DerivativeForm::Mass(pattern) => vec![0.0; pattern.len()],
        _ => Vec::new(),
    };
    let layout = system.structure().layout.clone();
    let (q, n_g, n_v) = layout.map_or((0..0, 0, 0), |l| (l.q, l.lambda.len(), l.v.len()));
    let mut matrix = vec![0.0; n_g * n_v];
    let clock = Instant::now();
    for _ in 0..WARM {
        system.residual(0.0, black_box(&y), &yp, &mut r)?;
    }
    let one = clock.elapsed().as_secs_f64() / f64::from(WARM);
    let batch = ((BATCH / one) as usize).max(3);
    let third = batch.div_ceil(3);
    let mut ratios = [const { Vec::new() }; 5];
    let (mut plain, mut dual) = (f64::MAX, f64::MAX);
    for _ in 0..PAIRS {
        let clock = Instant::now();
        for _ in 0..batch {
            system.residual(0.0, black_box(&y), &yp, &mut r)?;
        }
        let a = clock.elapsed().as_secs_f64() / batch as f64;
        let clock = Instant::now();
        for _ in 0..third {
            system.residual_dual8(Dual8::constant(0.0), black_box(&yd), &ypd, &mut rd)?;
        }
        let b = clock.elapsed().as_secs_f64() / third as f64;
        let clock = Instant::now();
        for _ in 0..third {
            system.residual_dual4(Dual4::constant(0.0), black_box(&y4), &yp4, &mut r4)?;
        }
        let c = clock.elapsed().as_secs_f64() / third as f64;
        let clock = Instant::now();
        for _ in 0..third {
            system.residual_dual12(Dual12::constant(0.0), black_box(&y12), &yp12, &mut r12)?;
        }
        let d = clock.elapsed().as_secs_f64() / third as f64;
        let clock = Instant::now();
        for _ in 0..third {
            if !mass.is_empty() {
                system.derivative_matrix(0.0, black_box(&y), &yp, &mut mass)?;
            }
        }
        let e = clock.elapsed().as_secs_f64() / third as f64;
        let clock = Instant::now();
        for _ in 0..third {
            if let Some(mechanical) = system.mechanical() {
                mechanical.constraint_matrix(0.0, black_box(&y[q.clone()]), &mut matrix)?;
            }
        }
        let f = clock.elapsed().as_secs_f64() / third as f64;
        for (ratios, x) in ratios.iter_mut().zip([b, c, d, e, f]) {
            ratios.push(x / a);
        }
        (plain, dual) = (plain.min(a), dual.min(b));
    }
    let [eight, four, twelve, derivative, constraints] = ratios.map(median);
    let derivative = if mass.is_empty() { 0.0 } else { derivative };
    let constraints = if matrix.is_empty() { 0.0 } else { constraints };
    Ok(Costs {
        plain,
        dual,
        ratios: [eight, four, twelve, derivative, constraints],
    })
}

/// A vector whose entries each carry one of the directions.
fn seeded<const K: usize>(x: &[f64]) -> Vec<Dual<K>> {
    let of = |(i, &x): (usize, &f64)| Dual::variable(x, i % (4 * K));
    x.iter().enumerate().map(of).collect()
}
