//! Development probe: every problem over a ladder of tolerances.
use holonom_dae::problems::{self, Group, digits};
use holonom_solver::{Options, Start};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let dassl = args.iter().any(|a| a == "dassl");
    let nostab = args.iter().any(|a| a == "nostab");
    let start = if args.iter().any(|a| a == "assemble") {
        Start::Assemble
    } else {
        Start::Trust
    };
    let tols: Vec<f64> = args.iter().filter_map(|a| a.parse().ok()).collect();
    let tols = if tols.is_empty() {
        vec![1e-4, 1e-6, 1e-8, 1e-10]
    } else {
        tols
    };
    let names: Vec<&String> = args
        .iter()
        .filter(|a| a.parse::<f64>().is_err() && !["dassl", "nostab", "assemble"].contains(&a.as_str()))
        .collect();
    let all = if names.is_empty() {
        problems::all()
    } else {
        names
            .iter()
            .map(|n| problems::find(n).expect("problem"))
            .collect()
    };
    for p in all {
        for &rtol in &tols {
            let mut o = Options::new(rtol, rtol * p.atol_factor).start(start);
            if p.name.starts_with("chain") {
                o = Options::new(rtol, rtol * 1e-2).start(start);
            }
            if dassl {
                o = o.dassl();
            }
            if let Ok(s) = std::env::var("SHARE") {
                o.newton.share = s.parse().expect("share");
            }
            if let Ok(s) = std::env::var("BUDGET") {
                o.error_budget = s.parse().ok();
            }
            if nostab {
                o = o.stability_detection(false);
            }
            let system = (p.build)();
            let s = system.structure().clone();
            let t = std::time::Instant::now();
            let mut integ =
                match holonom_solver::Integrator::new(system, p.t0, &p.y0, &p.yp0, p.t_end - p.t0, o) {
                    Ok(i) => i,
                    Err(e) => {
                        println!("{:22} {rtol:.0e} START {e}", p.name);
                        continue;
                    }
                };
            let r = integ.run(p.t_end, &mut holonom_solver::stepper::Quiet);
            let el = t.elapsed().as_secs_f64();
            let c = *integ.counters();
            let d = |g| {
                p.reference
                    .as_ref()
                    .and_then(|r| {
                        digits(
                            &s,
                            &r.y,
                            integ.y(),
                            if p.name.starts_with("chain") {
                                1.0
                            } else {
                                p.atol_factor
                            },
                            g,
                        )
                    })
                    .map_or("  -  ".into(), |d| format!("{d:5.2}"))
            };
            println!(
                "{:22} {rtol:.0e} {} {} {} {} | st {} re {} rc {} fc {} fcw {} Je {} up {} lu {} stab {} {:.2}ms {}",
                p.name,
                d(Group::Plain),
                d(Group::Positions),
                d(Group::Velocities),
                d(Group::Multipliers),
                c.steps,
                c.rejected_error,
                c.rejected_convergence,
                c.residuals,
                c.residuals_corrector,
                c.jacobians,
                c.updates_partitioned,
                c.factorisations,
                c.order_reductions_stability,
                el * 1e3,
                r.err().map_or(String::new(), |e| e.to_string())
            );
        }
    }
}
