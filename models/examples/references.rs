//! Runs the mechanisms with reference values and prints the digits reached.
//!
//! `cargo run --release -p holonom-models --example references [-- NAME] [TOLERANCE]`

#![allow(clippy::print_stdout)]

use holonom::multibody::residual::{Form, Formalism};
use holonom::{Options, solve};
use holonom_models::reference;
use std::sync::Arc;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let tolerance = args.iter().find_map(|a| a.parse().ok()).unwrap_or(1e-8);
    let name = args.iter().find(|a| a.parse::<f64>().is_err());
    for r in reference::all() {
        if name.is_some_and(|n| n != r.name) {
            continue;
        }
        let model = Arc::new((r.build)()?.compile()?);
        let start = model.assemble(&Default::default())?;
        let loops = !start.rows.active.is_empty();
        for form in Form::ALL {
            // Without stabilisation the n-four-bars leave their branch at the first level position.
            let drifts = matches!(form, Form::Index1 | Form::Index2) && r.name.starts_with("n-four-bar");
            if loops == (form == Form::Ode) || drifts {
                continue;
            }
            for formalism in Formalism::ALL {
                let equations = start.equations(form, formalism)?;
                let (y, yp) = start.state(&equations);
                let clock = Instant::now();
                let end = solve(
                    equations.system(),
                    (0.0, r.t_end),
                    &y,
                    &yp,
                    Options::new(tolerance, tolerance),
                );
                let time = clock.elapsed().as_secs_f64();
                match end {
                    Ok(s) => {
                        let (n_q, n_v) = (model.tree.n_q, model.tree.n_v);
                        let y = &s.y;
                        println!(
                            "{:16} {:7} {:9} {:5.2} digits {:7} steps {:8} residuals {:8.3} s",
                            r.name,
                            form.name(),
                            formalism.name(),
                            r.digits(&model, &y[..n_q], &y[n_q..n_q + n_v]),
                            s.counters.steps,
                            s.counters.residuals,
                            time
                        );
                    }
                    Err(e) => println!("{:16} {:7} {:9} {e}", r.name, form.name(), formalism.name()),
                }
            }
        }
    }
    Ok(())
}
