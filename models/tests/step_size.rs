//! The advice on step sizes against runs in real time: bushings without loops, a vehicle on springs, and one with loops
//! and tyres, where the level of the constraints matters.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use holonom::analysis::modes::state_of;
use holonom::analysis::statics::{Equilibrium, StaticsOptions, equilibrium};
use holonom::analysis::step_size::advice;
use holonom::solver::stepper::{
    Advance, Level, LinearImplicitOptions, MotionState, RealTime, Stabilisation, StepLimit, StiffTerms,
};
use holonom_models::find;
use std::sync::Arc;

fn rest(name: &str, parameters: &[(&str, &str)]) -> Equilibrium {
    let description = find(name).unwrap().read_with(parameters).unwrap().description;
    let start = description.compile().map(Arc::new).unwrap();
    let start = start.assemble(&Default::default()).unwrap();
    equilibrium(&start, &StaticsOptions::default()).unwrap()
}

/// Whether a small push at rest decays: less is left at the end of a run than in its middle.
fn decays(rest: &Equilibrium, options: &LinearImplicitOptions, h: f64, steps: usize) -> bool {
    let mechanical = rest.start.mechanical();
    let mut start = MotionState::new(&mechanical);
    start.t = rest.state.t;
    start.q.copy_from_slice(&rest.state.q);
    start.x.copy_from_slice(&rest.state.x);
    start.lambda.copy_from_slice(&rest.state.lambda);
    for (i, v) in start.v.iter_mut().enumerate() {
        *v = 1e-7 * ((i * 7 + 3) % 5) as f64 - 2e-7;
    }
    let Ok(mut run) = RealTime::new(Box::new(mechanical), h, start, options.clone()) else {
        return false;
    };
    let mut seen = [0.0, 0.0];
    for step in 0..steps {
        if run.step() != Advance::Done {
            return false;
        }
        // Velocities alone: where it comes to rest may be another place.
        let now = run.state().v.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        if now > 1e-3 {
            return false;
        }
        match step * 10 / steps {
            4 => seen[0] = f64::max(seen[0], now),
            9 => seen[1] = f64::max(seen[1], now),
            _ => {}
        }
    }
    // Rounding is left in the end.
    seen[1] < seen[0] || seen[1] < 1e-10
}

/// What is told of damping is what the whole step does. The springs of the car axle oscillate without damping, both about as
/// fast.
#[test]
fn exact_damps_what_j2_keeps() {
    let description = find("car-axle").unwrap().read().unwrap().description;
    let start = description.compile().map(Arc::new).unwrap();
    let start = start.assemble(&Default::default()).unwrap();
    let advice = advice(&start, &state_of(&start), &LinearImplicitOptions::default(), 1e-2).unwrap();
    let [exact, j2, model] = advice.left_of_oscillation().unwrap();
    // 1/√(1 + h²a) with a = 2000.
    assert!((exact - 1.2f64.sqrt().recip()).abs() < 1e-4, "{exact}");
    assert!(
        (model - 1.0).abs() < 1e-9 && (j2 - 1.0).abs() < 1e-9,
        "{model} {j2}"
    );
    for (told, terms) in [(exact, StiffTerms::Exact), (j2, StiffTerms::J2)] {
        let factor = advice.model(terms).unwrap().factor;
        assert!((told - factor).abs() < 1e-3, "{}: {told} {factor}", terms.name());
    }
    assert!(
        advice
            .to_string()
            .contains("0.9129 with `exact`, 1.0000 with `j2`")
    );
}

#[test]
fn advice_agrees_with_runs() {
    let mut compared = 0;
    // The vehicle stands on its road.
    for (name, parameters) in [
        ("rear-axle-stamp", &[][..]),
        ("vehicle", &[("v", "0")]),
        ("iltis", &[]),
    ] {
        let rest = rest(name, parameters);
        for (assembly, stabilisation) in [
            (Level::Index2, Stabilisation::Projection),
            (Level::Index1, Stabilisation::Projection),
        ] {
            let chosen = LinearImplicitOptions {
                assembly,
                stabilisation,
                ..LinearImplicitOptions::default()
            };
            let advice = advice(&rest.start, &rest.state, &chosen, 1e-3).unwrap();
            println!("{name}, {}:\n{advice}", assembly.name());
            for found in &advice.limits {
                let terms = found.options.stiff_terms;
                match found.limit {
                    StepLimit::Any => {
                        let ok = decays(&rest, &found.options, 0.02, 1000);
                        println!("{name} {} {}: any, decays {ok}", assembly.name(), terms.name());
                        assert!(ok, "{name} {terms:?}");
                    }
                    StepLimit::Never => {
                        panic!("{name} {}: damped mechanisms have stable steps", terms.name())
                    }
                    StepLimit::UpTo(h) => {
                        let [below, above] = [0.95, 1.05].map(|x| decays(&rest, &found.options, x * h, 3000));
                        println!(
                            "{name} {} {}: {h:.4e}, 5 % below {below}, 5 % above {above}",
                            assembly.name(),
                            terms.name()
                        );
                        compared += 1;
                        assert!(below && !above, "{name} {}: {h}", terms.name());
                    }
                }
            }
        }
    }
    // J₁, J₃ and explicitly for two without loops, all five for the one with loops, on either level.
    assert_eq!(compared, 2 * (3 + 3 + 5));
}
