//! What a residual with eight derivative directions costs in plain residuals; at most 3.5 is asked
//! for, and the exit code is 1 when a model exceeds it. The same with four directions, and for ∂F/∂ẏ
//! alone where that depends on the state: the constants of `Counters::residual_equivalents` are
//! rounded up from these.
//!
//! `cargo run --release -p holonom-models --example dual_cost [MODEL]`

#![allow(clippy::print_stdout)]

use holonom::algebra::{Dual, Dual4, Dual8, Real};
use holonom::dae::DerivativeForm;
use holonom::multibody::residual::{Form, Formalism};
use holonom_models::{all, kernel_chain};
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// What one evaluation with eight directions may cost, in plain ones.
const LIMIT: f64 = 3.5;

/// Pairs of batches; the ratio is the median over them.
const PAIRS: usize = 101;

/// Length of a batch of plain evaluations, s: short, so that what else the machine does meets few of
/// the pairs.
const BATCH: f64 = 5e-4;

/// Evaluations by which the length of one is found.
const WARM: u32 = 10;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let wanted = std::env::args().nth(1);
    let mut exceeded = 0;
    let mut models = Vec::new();
    for entry in all() {
        models.push((entry.name.to_owned(), entry.description()?));
    }
    models.push(("chain of 100".to_owned(), kernel_chain(100)));
    println!(
        "{:18} {:9} {:>10} {:>12} {:>6} {:>8} {:>6}",
        "model", "formalism", "plain, ns", "8 duals, ns", "ratio", "4 duals", "∂F/∂ẏ"
    );
    let mut largest = [0.0_f64; 3];
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
            let equations = start.equations(form, formalism)?;
            let (y, yp) = start.state(&equations);
            let mut system = equations.system();
            let n = y.len();
            let mut r = vec![0.0; n];
            let (yd, ypd) = (seeded::<2>(&y), seeded::<2>(&yp));
            let (y4, yp4) = (seeded::<1>(&y), seeded::<1>(&yp));
            let mut rd = vec![Dual8::constant(0.0); n];
            let mut r4 = vec![Dual4::constant(0.0); n];
            let mut mass = match &system.structure().derivative {
                DerivativeForm::Mass(pattern) => vec![0.0; pattern.len()],
                _ => Vec::new(),
            };
            let clock = Instant::now();
            for _ in 0..WARM {
                system.residual(0.0, black_box(&y), &yp, &mut r)?;
            }
            let one = clock.elapsed().as_secs_f64() / f64::from(WARM);
            let batch = ((BATCH / one) as usize).max(3);
            let third = batch.div_ceil(3);
            let mut ratios = [const { Vec::new() }; 3];
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
                    if !mass.is_empty() {
                        system.derivative_matrix(0.0, black_box(&y), &yp, &mut mass)?;
                    }
                }
                let d = clock.elapsed().as_secs_f64() / third as f64;
                for (ratios, x) in ratios.iter_mut().zip([b, c, d]) {
                    ratios.push(x / a);
                }
                (plain, dual) = (plain.min(a), dual.min(b));
            }
            let [ratio, four, mut derivative] = ratios.map(|mut ratios| {
                ratios.sort_by(f64::total_cmp);
                ratios[PAIRS / 2]
            });
            if mass.is_empty() {
                derivative = 0.0;
            }
            for (most, x) in largest.iter_mut().zip([ratio, four, derivative]) {
                *most = most.max(x);
            }
            let holds = if ratio <= LIMIT { "holds" } else { "FAILS" };
            exceeded += u32::from(ratio > LIMIT);
            println!(
                "{name:18} {:9} {:10.0} {:12.0} {ratio:6.2} {four:8.2} {derivative:6.2} {holds}",
                formalism.name(),
                plain * 1e9,
                dual * 1e9,
            );
        }
    }
    let [eight, four, derivative] = largest;
    println!("largest: 8 duals {eight:.2}, 4 duals {four:.2}, ∂F/∂ẏ {derivative:.2}");
    println!("{exceeded} exceed {LIMIT}");
    Ok(ExitCode::from(u8::from(exceeded > 0)))
}

/// A vector whose entries each carry one of the directions.
fn seeded<const K: usize>(x: &[f64]) -> Vec<Dual<K>> {
    let of = |(i, &x): (usize, &f64)| Dual::variable(x, i % (4 * K));
    x.iter().enumerate().map(of).collect()
}
