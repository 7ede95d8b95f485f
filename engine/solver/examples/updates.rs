//! Updates of the Jacobian on the pendulum chain.
#![allow(clippy::unwrap_used, clippy::print_stdout)]
use holonom_dae::Bound;
use holonom_dae::problems::chain::{Chain, Formalism};
use holonom_solver::{Options, solve};

fn main() {
    for formalism in [Formalism::Explicit, Formalism::Residual] {
        for n in [12, 14, 16] {
            for omega in [0.05, 2.0 * std::f64::consts::PI * 0.05] {
                println!("{formalism:?} n {n} omega {omega:.4}");
                for stability in [false, true] {
                for (refresh, update) in [("dassl", "none"), ("dassl", "partitioned"), ("dassl", "extended"), ("classical", "partitioned"), ("classical", "extended")] {
                    let (mut je, mut fc, mut fcw, mut up, mut ext, mut steps) = (0, 0, 0, 0, 0, 0);
                    for k in 0..20 {
                        let s = 0.9 + 0.2 * f64::from(k) / 19.0;
                        let chain = Chain { n, omega, formalism };
                        let y = vec![0.0; 2 * n];
                        let yp = vec![0.0; 2 * n];
                        let mut options = Options::new(1e-4 * s, 1e-6 * s).jacobian("fd-dense").refresh(refresh).update(update);
                        options.stability_detection = stability;
                        let solution = solve(Bound::new(chain), (0.0, 200.0), &y, &yp, options).unwrap();
                        let c = solution.counters;
                        je += c.jacobians; fc += c.residuals; fcw += c.residuals_corrector; up += c.updates_partitioned; ext += c.updates_extended; steps += c.steps;
                    }
                    let m = |x: u64| x as f64 / 20.0;
                    println!("  {stability:5} {refresh:>10} {update:>12} steps {:8.1} Je {:6.1} fc {:8.1} fcw {:8.1} part {:6.1} ext {:6.1}", m(steps), m(je), m(fc), m(fcw), m(up), m(ext));
                }
                }
            }
        }
    }
}
