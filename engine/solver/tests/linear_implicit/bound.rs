//! The bound of §3.4 against what runs do.

use super::{axle, choose};
use holonom_dae::problems::circular_track::CircularTrack;
use holonom_solver::stepper::{
    Level, LinearImplicitOptions, MotionState, Projections, RealTime, Stabilisation, StiffTerms, drift_bound,
};

fn track(h: f64, speed: f64) -> RealTime<'static> {
    let track = CircularTrack::new();
    let mut start = MotionState::new(&track);
    (start.q[0], start.v[1]) = (1.0, speed);
    RealTime::new(Box::new(track), h, start, LinearImplicitOptions::default()).unwrap()
}

/// g = |x|² − 1: g_qq = 2, P = x/2|x|², and v ⟂ x, so that A₁ = v², A₂ = ¼ and A₃ = 0 at the beginning of a step.
#[test]
fn constants_of_the_circle() {
    let bound = drift_bound(&mut track(1e-3, 1.0), 100, 1).unwrap();
    let [a1, a2, a3] = bound.curvature;
    assert!((a1 - 1.0).abs() < 5e-3 && (a2 - 0.25).abs() < 1e-9, "{bound:?}");
    assert!(a3 < 1e-9, "{bound:?}");
    assert_eq!((bound.steps, bound.samples), (100, 100));
    assert!(bound.is_kept() && bound.holds(), "{bound}");
    assert!(bound.to_string().contains("kept, with a factor"), "{bound}");
}

/// Every tenth step is enough where nothing changes fast, and the bound is kept for all steps.
#[test]
fn car_axle_keeps_the_bound() {
    for level in [Level::Index1, Level::Index2] {
        for h in [2e-3, 1e-3] {
            let steps = (3.0 / h) as u64;
            let new = || axle(h, choose(StiffTerms::J2, level, Stabilisation::Projection));
            let all = drift_bound(&mut new(), steps, 1).unwrap();
            let some = drift_bound(&mut new(), steps, 10).unwrap();
            assert!(all.is_kept() && all.factor().unwrap() < 10.0, "{all}");
            assert!((some.c0 / all.c0 - 1.0).abs() < 0.05 && some.observed == all.observed);
        }
    }
}

/// Too fast for the step: (13) is not met, and there is no bound.
#[test]
fn condition_13() {
    let bound = drift_bound(&mut track(0.5, 8.0), 1, 1).unwrap();
    assert!(
        !bound.holds() && bound.limit().is_none() && !bound.is_kept(),
        "{bound}"
    );
    assert!(bound.to_string().contains("NOT met"), "{bound}");
}

/// What the proof does not speak of is refused with a reason.
#[test]
fn refusals() {
    let refused = |options: LinearImplicitOptions| {
        let error = drift_bound(&mut axle(1e-3, options), 1, 1).unwrap_err();
        error.to_string()
    };
    let baumgarte = choose(StiffTerms::J2, Level::Index1, Stabilisation::Baumgarte);
    assert!(refused(baumgarte).contains("choose `projection`"));
    let exact = choose(StiffTerms::Exact, Level::Index1, Stabilisation::Projection);
    assert!(refused(exact).contains("old velocities"));
    let twice = LinearImplicitOptions {
        projections: Projections::Fixed(2),
        ..LinearImplicitOptions::default()
    };
    assert!(refused(twice).contains("one projection step"));
}
