//! The chain's reference, made by extrapolation, against this solver at a tight tolerance: two
//! methods that have nothing in common.

#![allow(clippy::unwrap_used)]

use holonom_dae::problems::{self, chain};
use holonom_solver::{Options, Start, solve};

#[test]
fn chain_reference_is_confirmed_by_bdf() {
    let p = problems::find("chain-explicit:12:0.05").unwrap();
    let times: Vec<f64> = (1..=20).map(|k| 10.0 * f64::from(k)).collect();
    let reference = chain::reference(12, 0.05, &times);
    let options = Options::new(1e-11, 1e-11).start(Start::Trust).outputs(times);
    let solution = solve((p.build)(), (p.t0, p.t_end), &p.y0, &p.yp0, options).unwrap();
    assert_eq!(solution.outputs.len(), reference.len());
    for ((t, y), reference) in solution.outputs.iter().zip(&reference) {
        for (a, b) in y[..12].iter().zip(reference) {
            assert!((a - b).abs() < 2e-9, "t = {t}: {a} {b}");
        }
    }
}
