//! Output rows lie between steps, and fit the constraints all the same: every stepper, generated loops.

use holonom::format::Settings;
use holonom::solver::stepper::REGISTRY;
use holonom_experiments::engine::run_rows;
use holonom_experiments::generator::toml::{ALL_DIGITS, text};
use holonom_experiments::generator::{Family, Wanted, generate};
use holonom_experiments::oracle::Oracle;

/// Violations of joints in a row, in tolerances.
const MOST: f64 = 10.0;
/// The same in steps of fixed size, in parts of the size.
const DRIFT: f64 = 1e-2;

#[test]
fn rows_between_steps_fit_the_constraints() {
    let (mut done, mut all, mut worst) = (0, 0, [0.0_f64; 2]);
    for (k, family) in Family::closed().iter().enumerate() {
        let wanted = Wanted {
            drives: false,
            ..Wanted::of(*family)
        };
        let Some(m) = generate(710 + k as u64, &wanted) else {
            continue;
        };
        let oracle = Oracle::new(&m);
        for entry in REGISTRY {
            for tolerance in [1e-4, 1e-6] {
                let case = format!("{}, {}, {tolerance:.0e}", family.name(), entry.name);
                let (rtol, atol) = (tolerance, tolerance * m.size.min(1.0));
                let settings = Settings {
                    stepper: Some(entry.name.into()),
                    rtol: (!entry.fixed_step).then_some(rtol),
                    atol: (!entry.fixed_step).then_some(atol),
                    fixed_step: entry.fixed_step.then_some(1e-4 * m.t_end),
                    // Many rows in each step.
                    output_step: Some(m.t_end / 3017.0),
                    max_steps: Some(40_000),
                    ..Settings::default()
                };
                let (states, message) = run_rows(&text(&m, ALL_DIGITS), &settings, &oracle).expect("begins");
                all += 1;
                done += usize::from(message.is_empty());
                for state in &states {
                    let [extent, speed, turning] = oracle.extent(state);
                    let (gap, rate) = if entry.fixed_step {
                        let size = DRIFT / MOST * m.size;
                        (oracle.openings(state, size, DRIFT / MOST).0, 0.0)
                    } else {
                        let lengths = rtol * speed + atol;
                        (
                            oracle.openings(state, rtol * extent + atol, rtol + atol).0,
                            oracle.rates(state, lengths, rtol * turning + atol).0,
                        )
                    };
                    assert!(gap <= MOST, "{case}: open by {gap:.1e} at {}", state.t);
                    assert!(rate <= MOST, "{case}: rates off by {rate:.1e} at {}", state.t);
                    worst = [worst[0].max(gap), worst[1].max(rate)];
                }
            }
        }
    }
    assert!(done * 10 >= all * 9, "{done} of {all} runs are done");
    assert!(worst[0] > 0.0 && worst[1] > 0.0);
}
