//! The generator: the same from the same seed, of every kind, and readable; and studies that come out the same.

use holonom::format::Settings;
use holonom_experiments::engine::{accelerations, assemble, run_bodies};
use holonom_experiments::generator::excitations::{Place, Shape, excitation};
use holonom_experiments::generator::toml::{ALL_DIGITS, text};
use holonom_experiments::generator::{Family, Wanted, generate};
use holonom_experiments::mechanism::{Drive, ForceLaw, JointKind, Mechanism};
use holonom_experiments::oracle::Oracle;
use holonom_experiments::studies::{STUDIES, Sample};
use std::collections::BTreeSet;

fn made(seed: u64, family: Family) -> Mechanism {
    generate(seed, &Wanted::of(family)).expect("every seed gives a mechanism")
}

#[test]
fn the_same_seed_gives_the_same_text() {
    for family in Family::ALL {
        let a = text(&made(7, family), ALL_DIGITS);
        assert_eq!(a, text(&made(7, family), ALL_DIGITS), "{}", family.name());
        assert_ne!(a, text(&made(8, family), ALL_DIGITS), "{}", family.name());
    }
    assert_eq!(excitation(5).text, excitation(5).text);
}

#[test]
fn everything_occurs() {
    let (mut joints, mut laws, mut driven) = (BTreeSet::new(), BTreeSet::new(), 0);
    let (mut smallest, mut largest) = (f64::INFINITY, 0.0f64);
    for seed in 0..30 {
        for family in Family::ALL {
            let m = made(seed, family);
            joints.extend(m.joints.iter().map(|j| j.kind.name()));
            let name = |law: &ForceLaw| {
                format!("{law:?}")
                    .split([' ', '{'])
                    .next()
                    .unwrap_or_default()
                    .to_string()
            };
            laws.extend(m.forces.iter().map(|f| name(&f.law)));
            driven += usize::from(
                m.joints
                    .iter()
                    .any(|j| j.drives.iter().any(|d| *d != Drive::None)),
            );
            (smallest, largest) = (smallest.min(m.size), largest.max(m.size));
        }
    }
    assert_eq!(joints.len(), JointKind::ALL.len(), "{joints:?}");
    assert_eq!(laws.len(), 10, "{laws:?}");
    assert!(driven > 10 && smallest < 3e-3 && largest > 3e2);
    // Every shape at every place.
    let pairs = (Shape::ALL.len() * Place::ALL.len()) as u64;
    let all: Vec<_> = (0..pairs).map(excitation).collect();
    let shapes: BTreeSet<Shape> = all.iter().map(|e| e.shape).collect();
    let places: BTreeSet<Place> = all.iter().map(|e| e.place).collect();
    assert_eq!((shapes.len(), places.len()), (Shape::ALL.len(), Place::ALL.len()));
    for (seed, e) in all.iter().enumerate() {
        for text in [&e.text, &e.calm] {
            if let Err(message) = assemble(text, &Settings::default()) {
                panic!("excitation {seed}: {message}\n{text}");
            }
        }
    }
}

#[test]
fn open_mechanisms_move_as_the_oracle_says() {
    for seed in 0..30 {
        let m = made(seed, Family::Tree);
        let mut oracle = Oracle::new(&m);
        let file = text(&m, ALL_DIGITS);
        let simulation =
            assemble(&file, &Settings::default()).unwrap_or_else(|e| panic!("{seed}: {e}\n{file}"));
        assert_eq!(simulation.start.degrees_of_freedom(), m.freedoms, "{seed}");
        let (state, ours) = accelerations(&simulation, &oracle).expect("sampled");
        let theirs = oracle.frame_accelerations(&state);
        let most = theirs
            .iter()
            .flat_map(|a| a.angular)
            .fold(1.0 / m.tau.powi(2), |m: f64, x| m.max(x.abs()));
        for (a, b) in ours.iter().zip(&theirs) {
            for k in 0..3 {
                assert!(
                    (a.angular[k] - b.angular[k]).abs() < 1e-8 * most,
                    "{seed}: {a:?} {b:?}"
                );
            }
        }
    }
}

#[test]
fn a_run_ends_where_the_oracle_ends() {
    let m = made(1, Family::Tree);
    let mut oracle = Oracle::new(&m);
    let start = oracle.start();
    let end = oracle.integrate(&start, m.t_end, 1e-11).expect("integrated");
    let settings = Settings {
        rtol: Some(1e-9),
        atol: Some(1e-9 * m.size.min(1.0)),
        ..Settings::default()
    };
    let ran = run_bodies(&text(&m, ALL_DIGITS), &settings).expect("begins");
    assert!(ran.is_done(), "{}", ran.message);
    let d = oracle.distance(&ran.state(&oracle).expect("all bodies"), &end);
    assert!(d.rotation < 1e-5 && d.position < 1e-5 * m.size, "{d:?}");
}

#[test]
fn studies_come_out_the_same_and_case_by_case() {
    for study in STUDIES.iter().filter(|s| s.name == "generated-freedoms") {
        let all = (study.run)(Sample { seed: 4, count: 6 });
        let again = (study.run)(Sample { seed: 4, count: 6 });
        assert_eq!((&all.rows, &all.failures), (&again.rows, &again.failures));
        let alone: Vec<String> = (4..10)
            .flat_map(|seed| (study.run)(Sample { seed, count: 1 }).failures)
            .collect();
        assert_eq!(all.failures, alone);
        let model = (study.model)(4).expect("a model");
        assert!(model.contains("[[joint]]"));
    }
}

/// What a study says of one seed.
fn failures(study: &str, seed: u64) -> Vec<String> {
    let study = STUDIES.iter().find(|s| s.name == study);
    let study = study.expect("there is such a study");
    (study.run)(Sample { seed, count: 1 }).failures
}

#[test]
fn small_loops_between_large_coordinates_are_judged_by_the_coordinates() {
    // Data of six digits: markers of hinges on one axis are hardly further apart than the errors of their coordinates.
    for seed in [21184, 40027] {
        assert_eq!(failures("generated-freedoms", seed), [""; 0], "seed {seed}");
    }
}

#[test]
fn velocities_that_hardly_move_heavy_bodies_fit() {
    for seed in [21494, 32483, 36214] {
        assert_eq!(failures("generated-freedoms", seed), [""; 0], "seed {seed}");
    }
}

#[test]
fn radau_begins_at_tight_tolerances() {
    // Small velocities ask for a first step that moves positions by no more than their rounding.
    for seed in [842019, 821115] {
        let failures = failures("generated-oracle", seed);
        assert!(!failures.iter().any(|f| f.contains("at t = 0")), "{failures:?}");
    }
    // Velocities with ten digits.
    let failures = failures("generated-branches", 861045);
    assert!(!failures.iter().any(|f| f.contains("at t = 0:")), "{failures:?}");
}

#[test]
fn a_run_that_ends_next_to_a_singular_position_is_on_its_branch() {
    // Data of six digits open a gap between branches; the run ends before it is far from it.
    let failures = failures("generated-branches", 861020);
    assert!(!failures.iter().any(|f| f.contains(": done,")), "{failures:?}");
}

/// Cases that need little work: the table counts what the rows say, and everything is right.
#[test]
fn auto_is_compared_with_fixed_steppers() {
    let study = STUDIES.iter().find(|s| s.name == "generated-choice");
    let study = study.expect("there is such a study");
    let found = (study.run)(Sample { seed: 5, count: 2 });
    assert_eq!(found.rows.len(), 2 * 4 * 4, "{:?}", found.missing);
    let all = found.table.last().expect("a table");
    assert_eq!((all[0].as_str(), all[1].as_str()), ("all", "8"), "{all:?}");
    let right = found.checks.iter().find(|c| c.id == "generated-choice/right");
    assert_eq!(right.and_then(|c| c.value), Some(1.0), "{:?}", found.failures);
}
