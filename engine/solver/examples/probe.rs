//! probe
#![allow(clippy::all, clippy::print_stdout, clippy::unwrap_used, missing_docs)]
use holonom_dae::problems;
use holonom_solver::{Integrator, Options, Start, stepper::Quiet};
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let p = problems::find(&args[0]).unwrap();
    let stepper = &args[1];
    let stages: usize = args[2].parse().unwrap();
    let tols: Vec<f64> = args[3].split(',').map(|x| x.parse().unwrap()).collect();
    let reps: usize = args.get(4).map_or(1, |x| x.parse().unwrap());
    for tol in tols {
        let mut best = f64::INFINITY;
        for rep in 0..reps {
            let mut o = Options::new(tol, tol * p.atol_factor)
                .stepper(stepper)
                .start(Start::Assemble);
            if stages > 0 {
                o = o.stages(stages);
            }
            for a in args.iter().skip(5) {
                let (k, v) = a.split_once('=').unwrap();
                match k {
                    "jac" => o = o.jacobian(v),
                    "refresh" => o = o.refresh(v),
                    "lin" => o = o.linear(v),
                    "update" => o = o.update(v),
                    "h" => o.initial_step = Some(v.parse().unwrap()),
                    _ => panic!(),
                }
            }
            let start = std::time::Instant::now();
            let mut i = Integrator::new((p.build)(), p.t0, &p.y0, &p.yp0, p.t_end - p.t0, o).unwrap();
            let r = i.run(p.t_end, &mut Quiet);
            let time = start.elapsed().as_secs_f64();
            best = best.min(time);
            if rep + 1 == reps {
                let n = i
                    .system()
                    .structure()
                    .variables
                    .iter()
                    .filter(|v| v.index == 1 && v.kind.is_differential())
                    .count();
                let c = *i.counters();
                let e = p.reference.as_ref().map_or(f64::NAN, |r| {
                    let mut e = 0.0f64;
                    let mut s = 0;
                    for (k, (a, b)) in i.y().iter().zip(&r.y).enumerate() {
                        if b.is_nan() {
                            continue;
                        }
                        s += 1;
                        if k < n {
                            e = e.max((a - b).abs() / (b.abs() + p.atol_factor));
                        }
                    }
                    let _ = s;
                    e
                });
                println!(
                    "{} {} s={} tol={:.0e} {} err={:.2e} t={:.3}ms steps={} rejE={} rejC={} res={} dual={} jac={} part={} fact={} newton={} {}",
                    args[0],
                    stepper,
                    stages,
                    tol,
                    if r.is_ok() { "ok" } else { "FAIL" },
                    e,
                    best * 1e3,
                    c.steps,
                    c.rejected_error,
                    c.rejected_convergence,
                    c.residuals,
                    c.residuals_dual,
                    c.jacobians,
                    c.updates_partitioned,
                    c.factorisations,
                    c.newton_iterations,
                    r.err().map_or(String::new(), |e| e.to_string())
                );
            }
        }
    }
}
