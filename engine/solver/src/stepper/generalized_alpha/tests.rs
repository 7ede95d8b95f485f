//! The order with step sizes that change all the time.
#![allow(clippy::unwrap_used)]

use crate::equations::Equations;
use crate::stepper::setup::assemble_parts;
use crate::{Integrator, Options, Start};
use holonom_dae::Counters;
use holonom_dae::problems::{self, Problem};

fn reference(problem: &Problem, t_end: f64) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut system = (problem.build)();
    let options = Options::new(1e-12, 1e-12).stepper("radau").start(Start::Assemble);
    let mut run = Integrator::new(
        Box::new(system.as_mut()),
        problem.t0,
        &problem.y0,
        &problem.yp0,
        t_end,
        options,
    )
    .unwrap();
    let (y0, yp0) = (run.y().to_vec(), run.yp().to_vec());
    run.run(t_end, &mut crate::trajectory::Recorder::outputs(problem.y0.len()))
        .unwrap();
    (y0, yp0, run.y().to_vec())
}

fn end(problem: &Problem, t_end: f64, h: f64, pattern: &[f64], (y0, yp0): (&[f64], &[f64])) -> Vec<f64> {
    let mut system = (problem.build)();
    let mut options = Options::new(1e-12, 1e-12).stepper("generalized-alpha");
    options.fixed_step = Some(h);
    let (mut stepper, ..) = assemble_parts(system.as_ref(), &options);
    stepper.start(problem.t0, y0, yp0, h);
    stepper.bind(system.as_mut()).unwrap();
    let mut counters = Counters::default();
    let mut equations = Equations {
        system: system.as_mut(),
        counters: &mut counters,
    };
    let mut k = 0;
    while stepper.t() < t_end - 1e-9 * h {
        stepper.set_h((h * pattern[k % pattern.len()]).min(t_end - stepper.t()));
        k += 1;
        if let Err(e) = stepper.attempt(&mut equations) {
            println!("{e:?} at step {k}");
            return stepper.y().iter().map(|_| f64::NAN).collect();
        }
        stepper.accept(&mut equations);
    }
    stepper.y().to_vec()
}

#[test]
fn scratch() {
    for (name, t_end, n) in [
        ("pendulum-index2", 1.0, 128.0),
        ("pendulum-ggl", 1.0, 128.0),
        ("pendulum-index3", 1.0, 128.0),
        ("car-axle-ggl", 1.0, 400.0),
        ("car-axle-index3", 1.0, 400.0),
        ("car-axle-index2", 1.0, 400.0),
        ("andrews-ggl", 0.01, 200.0),
        ("andrews-index3", 0.01, 200.0),
    ] {
        let problem = problems::find(name).unwrap();
        let layout = (problem.build)().structure().layout.clone().unwrap();
        let (y0, yp0, exact) = reference(&problem, t_end);
        for (what, pattern) in [
            ("even", &[1.0][..]),
            ("1, 1/2", &[1.0, 0.5]),
            ("1,1,1,1/2,1/2", &[1.0, 1.0, 1.0, 0.5, 0.5]),
            (
                "held3",
                &[
                    0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 0.8, 0.8, 0.8, 0.4, 0.4, 0.4, 0.2, 0.2, 0.2, 0.4, 0.4, 0.4,
                ],
            ),
            (
                "held6",
                &[
                    0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8,
                    0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4,
                ],
            ),
            (
                "up",
                &[
                    0.5, 0.6, 0.7, 0.9, 1.0, 1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.8, 0.8, 0.6, 0.5, 0.5, 0.5,
                ],
            ),
            ("ramp", &[0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
        ] {
            let mut line = format!("{name:18} {what:14}");
            let mut last: Option<[f64; 3]> = None;
            for k in 0..4 {
                let y = end(
                    &problem,
                    t_end,
                    t_end / n / f64::powi(2.0, k),
                    pattern,
                    (&y0, &yp0),
                );
                let e = [layout.q.clone(), layout.v.clone(), layout.lambda.clone()].map(|r| {
                    r.map(|i| (y[i] - exact[i]).abs() / (1.0 + exact[i].abs()))
                        .fold(0.0, f64::max)
                });
                if let Some(l) = last {
                    for j in 0..3 {
                        line += &format!(" {:.1e} ({:.2})", e[j], (l[j] / e[j]).log2());
                    }
                    line += " |";
                }
                last = Some(e);
            }
            println!("{line}");
        }
    }
}
