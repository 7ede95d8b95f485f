//! What a residual with eight derivative directions costs in plain residuals; at most 3.5 is asked
//! for, and the exit code is 1 when a model exceeds it.
//!
//! `cargo run --release -p holonom-models --example dual_cost`

#![allow(clippy::print_stdout)]

use holonom::algebra::{Dual8, Real};
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

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut exceeded = 0;
    let mut models = Vec::new();
    for entry in all() {
        models.push((entry.name.to_owned(), entry.description()?));
    }
    models.push(("chain of 100".to_owned(), kernel_chain(100)));
    println!(
        "{:18} {:9} {:>10} {:>12} {:>6}",
        "model", "formalism", "plain, ns", "8 duals, ns", "ratio"
    );
    for (name, description) in models {
        let start = Arc::new(description.compile()?).assemble(&Default::default())?;
        let form = if start.rows.active.is_empty() {
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
            let seeded = |x: &[f64]| -> Vec<Dual8> {
                let of = |(i, &x): (usize, &f64)| Dual8::variable(x, i % 8);
                x.iter().enumerate().map(of).collect()
            };
            let (yd, ypd) = (seeded(&y), seeded(&yp));
            let mut rd = vec![Dual8::constant(0.0); n];
            let batch = (200_000 / n).max(20);
            let mut ratios = Vec::new();
            let (mut plain, mut dual) = (f64::MAX, f64::MAX);
            for _ in 0..PAIRS {
                let clock = Instant::now();
                for _ in 0..batch {
                    system.residual(0.0, black_box(&y), &yp, &mut r)?;
                }
                let a = clock.elapsed().as_secs_f64() / batch as f64;
                let clock = Instant::now();
                for _ in 0..batch.div_ceil(3) {
                    system.residual_dual8(Dual8::constant(0.0), black_box(&yd), &ypd, &mut rd)?;
                }
                let b = clock.elapsed().as_secs_f64() / batch.div_ceil(3) as f64;
                ratios.push(b / a);
                (plain, dual) = (plain.min(a), dual.min(b));
            }
            ratios.sort_by(f64::total_cmp);
            let ratio = ratios[PAIRS / 2];
            let holds = if ratio <= LIMIT { "holds" } else { "FAILS" };
            exceeded += u32::from(ratio > LIMIT);
            println!(
                "{name:18} {:9} {:10.0} {:12.0} {ratio:6.2} {holds}",
                formalism.name(),
                plain * 1e9,
                dual * 1e9,
            );
        }
    }
    println!("{exceeded} exceed {LIMIT}");
    Ok(ExitCode::from(u8::from(exceeded > 0)))
}
