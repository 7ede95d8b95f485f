//! The limits of §2 for q̈ = −aq − bq̇, found by running the method.

use super::{Oscillator, run, state};
use holonom_dae::problems::constrained::Mechanics;
use holonom_solver::stepper::{Advance, Level, LinearImplicitOptions, Ordering, RealTime, StiffTerms};

/// Whether 30,000 steps of size 1 stay bounded: 1 % beyond a limit they grow by e³⁰ and more.
fn stable(terms: StiffTerms, ordering: Ordering, a: f64, b: f64) -> bool {
    bounded(30_000, terms, ordering, a, b)
}

fn bounded(steps: u32, terms: StiffTerms, ordering: Ordering, a: f64, b: f64) -> bool {
    let motion = Oscillator {
        a,
        b,
        coupling: 0.0,
        cubic: 0.0,
    };
    let options = LinearImplicitOptions {
        stiff_terms: terms,
        assembly: Level::Index1,
        ordering,
        ..LinearImplicitOptions::default()
    };
    let start = state(motion, &[1.0, 0.0], &[0.3, 0.0]);
    let mut system = RealTime::new(Box::new(Mechanics::new(motion)), 1.0, start, options).unwrap();
    // On the unit circle amplitudes grow like the steps at most.
    (0..steps).all(|_| system.step() == Advance::Done && system.state().q[0].abs() < 1e6)
}

/// The largest a that is stable with this b, up to `most`.
fn limit(terms: StiffTerms, ordering: Ordering, b: f64, most: f64) -> f64 {
    if stable(terms, ordering, most, b) {
        return f64::INFINITY;
    }
    let (mut low, mut high) = (0.0, most);
    while high - low > 1e-3 * high {
        let middle = 0.5 * (low + high);
        if stable(terms, ordering, middle, b) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// J₁: h²a ≤ 2hb + 4; J₂, exact and (14): any; J₃: h²a ≤ 4 − 2hb and hb ≤ 2; explicit: a ≤ b, b ≤ 2.
#[test]
fn limits_of_section_2() {
    use Ordering::{PositionsFirst, VelocitiesFirst};
    for hb in [0.0, 0.25, 0.5, 1.0, 1.5, 1.9] {
        let j1 = limit(StiffTerms::J1, PositionsFirst, hb, 1e3);
        assert!(
            (j1 / (2.0 * hb + 4.0) - 1.0).abs() < 0.01,
            "J1 at hb = {hb}: {j1}"
        );
        let j3 = limit(StiffTerms::J3, PositionsFirst, hb, 1e3);
        assert!(
            (j3 / (4.0 - 2.0 * hb) - 1.0).abs() < 0.01,
            "J3 at hb = {hb}: {j3}"
        );
    }
    for hb in [0.25, 0.5, 0.9] {
        let explicit = limit(StiffTerms::None, PositionsFirst, hb, 1e3);
        assert!(
            (explicit / hb - 1.0).abs() < 0.01,
            "none at hb = {hb}: {explicit}"
        );
    }
    for hb in [5.0, 50.0] {
        let j1 = limit(StiffTerms::J1, PositionsFirst, hb, 1e4);
        assert!(
            (j1 / (2.0 * hb + 4.0) - 1.0).abs() < 0.01,
            "J1 at hb = {hb}: {j1}"
        );
        // Damping alone is too much for J₃.
        assert!(!stable(StiffTerms::J3, PositionsFirst, 1e-3, hb));
    }
    for (terms, ordering) in [
        (StiffTerms::J2, PositionsFirst),
        (StiffTerms::Exact, PositionsFirst),
        (StiffTerms::J2, VelocitiesFirst),
    ] {
        for hb in [0.0, 0.5, 2.0, 10.0, 1e3, 1e6] {
            for a in [1e-2, 1.0, 10.0, 1e3, 1e6, 1e9] {
                assert!(
                    bounded(3000, terms, ordering, a, hb),
                    "{terms:?} at hb = {hb}, h²a = {a}"
                );
            }
        }
    }
    // The limit of J₃ in b: hb ≤ 2.
    let (mut low, mut high) = (1.0, 3.0);
    while high - low > 1e-3 {
        let middle = 0.5 * (low + high);
        if stable(StiffTerms::J3, PositionsFirst, 1e-6, middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    assert!((low / 2.0 - 1.0).abs() < 0.01, "J3: hb ≤ {low}");
}

/// Without damping `j2` keeps an oscillation, `exact` damps it: |z|² = 1 and 1/(1 + h²a).
#[test]
fn exact_damps_where_j2_does_not() {
    let motion = Oscillator {
        a: 0.5,
        b: 0.0,
        coupling: 0.0,
        cubic: 0.0,
    };
    let after = |terms| {
        let options = LinearImplicitOptions {
            stiff_terms: terms,
            assembly: Level::Index1,
            ..LinearImplicitOptions::default()
        };
        let start = state(motion, &[1.0, 0.0], &[0.0, 0.0]);
        let mut system = RealTime::new(Box::new(Mechanics::new(motion)), 1.0, start, options).unwrap();
        run(&mut system, 100.0);
        let s = system.state();
        (0.5 * s.q[0] * s.q[0] + s.v[0] * s.v[0]).sqrt()
    };
    let kept = after(StiffTerms::J2);
    assert!(kept > 0.3 && kept < 2.0, "{kept}");
    let damped = after(StiffTerms::Exact);
    let expected = 1.5f64.powf(-50.0);
    assert!(
        damped < 3.0 * expected && damped > 0.2 * expected,
        "{damped:e} for {expected:e}"
    );
}
