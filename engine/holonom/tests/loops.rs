//! Loops in long runs: rows are exchanged where those in use lose rank, singular positions are passed on the
//! right branch, and a loop that comes apart ends the run.

#![allow(clippy::unwrap_used)]

use holonom::dae::{Counters, Failure, FailureKind};
use holonom::multibody::Description;
use holonom::multibody::channels::{Catalogue, Sampler};
use holonom::multibody::description::{Body, Joint, frame};
use holonom::multibody::residual::{Form, Formalism};
use holonom::multibody::start::Assembled;
use holonom::prelude::*;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

const STEPPERS: [&str; 4] = ["bdf", "radau", "auto", "generalized-alpha"];
const KEPT: [Form; 2] = [Form::Ggl, Form::Index3];

fn assembled(description: &Description) -> Assembled {
    let model = Arc::new(description.compile().unwrap());
    model.assemble(&Default::default()).unwrap()
}

/// Bennett's linkage: links a and b by turns, twisted by α and β with a/sin α = b/sin β. Three of five rows are
/// implied, and never the same ones: any two fixed rows lose rank somewhere in a turn.
fn bennett([a, b]: [f64; 2], alpha: f64, speed: f64, masses: [f64; 3]) -> Description {
    let beta = (b * alpha.sin() / a).asin();
    let end = |length: f64, twist: f64| {
        let (s, c) = (0.5 * twist).sin_cos();
        frame::oriented([length, 0.0, 0.0], [c, s, 0.0, 0.0])
    };
    let link = |name: &str, mass: f64, length: f64, twist: f64| {
        Body::thin_rod(name, mass, [length, 0.0, 0.0]).marker("end", end(length, twist))
    };
    let first = 1.0_f64;
    let ratio = (0.5 * (beta + alpha)).sin() / (0.5 * (beta - alpha)).sin();
    let second = 2.0 * (ratio / (0.5 * first).tan()).atan();
    Description::new("Bennett")
        .ground_marker("end", end(b, beta))
        .body(link("one", masses[0], a, alpha))
        .body(link("two", masses[1], b, beta))
        .body(link("three", masses[2], a, alpha))
        .joint(Joint::revolute("A", "ground.end", "one").start(first, speed))
        .joint(Joint::revolute("B", "one.end", "two").start(second, 0.0))
        .joint(Joint::revolute("C", "two.end", "three").start(TAU - first, 0.0))
        .joint(Joint::revolute("D", "three.end", "ground"))
}

/// A parallelogram with cranks of length b and coupler a: its bars are in line twice a turn.
fn parallelogram([a, b]: [f64; 2], speed: f64, masses: [f64; 3], gravity: f64) -> Description {
    let rod = |name: &str, mass: f64, length: f64| {
        Body::thin_rod(name, mass, [length, 0.0, 0.0]).marker("end", frame::at([length, 0.0, 0.0]))
    };
    Description::new("parallelogram")
        .gravity([0.0, -gravity, 0.0])
        .ground_marker("right", frame::at([a, 0.0, 0.0]))
        .body(rod("crank", masses[0], b))
        .body(rod("coupler", masses[1], a))
        .body(rod("rocker", masses[2], b))
        .joint(Joint::revolute("A", "ground", "crank").start(1.0, speed))
        .joint(Joint::revolute("B", "crank.end", "coupler").start(-1.0, -speed))
        .joint(Joint::revolute("C", "coupler.end", "rocker.end"))
        .joint(Joint::revolute("D", "ground.right", "rocker").start(1.0, speed))
}

/// What a run came to.
struct Run {
    result: Result<Stop, Failure>,
    t: f64,
    q: Vec<f64>,
    counters: Counters,
    /// Largest gap of all rows at the ends of steps, in m or rad.
    gap: f64,
}

/// Keeps the largest gap.
struct Gaps {
    sampler: Sampler,
    gap: f64,
}

impl Observer for Gaps {
    fn step(&mut self, info: &StepInfo<'_>) -> Control {
        let mut row = [0.0];
        self.sampler.sample(info.t, info.y, &[], &mut row);
        self.gap = self.gap.max(row[0]);
        Control::Continue
    }
}

fn run(description: &Description, form: Form, stepper: &str, tolerance: f64, end: f64) -> Run {
    let start = assembled(description);
    let equations = start.equations(form, Formalism::Residual).unwrap();
    let (y, yp) = start.state(&equations);
    let options = Options::new(tolerance, tolerance).stepper(stepper);
    let mut integrator = Integrator::new(equations.system(), 0.0, &y, &yp, end, options).unwrap();
    let selection = Catalogue::new(&start).select(&["residual.position"]).unwrap();
    let mut gaps = Gaps {
        sampler: Sampler::of_motion(&start, &selection).unwrap(),
        gap: 0.0,
    };
    let result = integrator.run(end, &mut gaps);
    Run {
        result,
        t: integrator.t(),
        q: integrator.y()[..start.model.tree.n_q].to_vec(),
        counters: *integrator.counters(),
        gap: gaps.gap,
    }
}

/// A difference of angles, without whole turns.
fn apart(a: f64, b: f64) -> f64 {
    (a - b + PI).rem_euclid(TAU) - PI
}

#[test]
fn a_bennett_linkage_turns_in_every_stepper_and_form() {
    let linkages = [
        bennett([0.6, 0.8], 0.5, 10.0, [1.0; 3]).gravity([0.0; 3]),
        bennett([0.9, 0.3], 0.5, 15.0, [0.01, 3.0, 0.1]).gravity([0.0; 3]),
    ];
    for (k, description) in linkages.iter().enumerate() {
        for stepper in STEPPERS {
            for form in KEPT {
                for tolerance in [1e-4, 1e-6] {
                    let case = format!("linkage {k}, {stepper}, {form}, {tolerance:.0e}");
                    let run = run(description, form, stepper, tolerance, 6.0);
                    assert_eq!(run.result, Ok(Stop::Finished), "{case}");
                    assert!(run.gap < 10.0 * tolerance, "{case}: open by {:.1e}", run.gap);
                    // It turned through both positions where the rows of the start lose rank.
                    assert!((run.q[0] - 1.0).abs() > 1.2 * PI, "{case}: {}", run.q[0]);
                    assert!(run.counters.row_changes > 0, "{case}");
                }
            }
        }
    }
}

#[test]
fn parallelograms_stay_parallelograms() {
    for lengths in [[0.4, 0.15], [0.3, 0.3], [0.2, 0.5]] {
        let description = parallelogram(lengths, 5.0, [1.0; 3], 9.81);
        for stepper in STEPPERS {
            for form in KEPT {
                for tolerance in [1e-5, 6e-8, 1e-8] {
                    let case = format!("{lengths:?}, {stepper}, {form}, {tolerance:.0e}");
                    let run = run(&description, form, stepper, tolerance, 3.0);
                    // A method of order 2 comes so close to the position with its short steps that rounding may end it.
                    if stepper == "generalized-alpha" && tolerance < 1e-5 && run.result.is_err() {
                        let named = matches!(&run.result, Err(f) if matches!(f.kind, FailureKind::SingularPosition { .. }));
                        assert!(named, "{case}: {:?}", run.result);
                        continue;
                    }
                    assert_eq!(run.result, Ok(Stop::Finished), "{case}");
                    let off = apart(run.q[0], run.q[2])
                        .abs()
                        .max(apart(run.q[0], -run.q[1]).abs());
                    assert!(off < 1e-4, "{case}: {off:.1e}");
                    assert!(run.q[0] > TAU, "{case}: bars in line at least twice");
                    assert_eq!(run.counters.row_changes, 0, "{case}");
                }
            }
        }
    }
}

#[test]
fn forms_that_drift_do_not_change_the_branch_unnoticed() {
    let mut noticed = 0;
    for lengths in [[0.4, 0.15], [0.3, 0.3], [0.2, 0.5]] {
        let description = parallelogram(lengths, 5.0, [1.0; 3], 9.81);
        for form in [Form::Index1, Form::Index2] {
            for tolerance in [1e-4, 1e-6] {
                let case = format!("{lengths:?}, {form}, {tolerance:.0e}");
                let run = run(&description, form, "bdf", tolerance, 5.0);
                match run.result {
                    Ok(_) => {
                        let off = apart(run.q[0], run.q[2]).abs();
                        assert!(off < 0.1, "{case}: done on another branch");
                    }
                    Err(failure) => {
                        let named = failure.to_string().contains("`C`");
                        assert!(named && run.t > 0.0, "{case}: {failure}");
                        noticed += usize::from(matches!(failure.kind, FailureKind::BranchChanged { .. }));
                    }
                }
            }
        }
    }
    assert!(noticed > 6, "{noticed}");
}

/// Parallel cranks with a rod on ball joints, which can also turn about itself; the second crank is longer by a part.
fn ball_rod(longer: f64) -> Description {
    let rod = |name: &str, mass: f64, length: f64| {
        Body::thin_rod(name, mass, [length, 0.0, 0.0]).marker("end", frame::at([length, 0.0, 0.0]))
    };
    Description::new("ball rod")
        .gravity([0.0; 3])
        .ground_marker("right", frame::at([0.5, 0.0, 0.0]))
        .body(rod("crank", 1.0, 0.2))
        .body(
            Body::new("rod", 1.0)
                .inertia_diagonal([0.01, 0.02, 0.03])
                .marker("end", frame::at([0.5, 0.0, 0.0])),
        )
        .body(rod("rocker", 1.0, 0.2 * (1.0 + longer)))
        .joint(Joint::revolute("A", "ground", "crank").start(1.0, 5.0))
        .joint(Joint::spherical("B", "crank.end", "rod"))
        .joint(Joint::revolute("D", "ground.right", "rocker").start(1.0, 5.0))
        .joint(Joint::spherical("C", "rod.end", "rocker.end"))
}

#[test]
fn branches_are_told_apart_with_several_degrees_of_freedom() {
    let mut noticed = 0;
    for longer in [0.0, 1e-9, 3e-7] {
        let description = ball_rod(longer);
        for stepper in STEPPERS {
            for tolerance in [1e-4, 1e-6] {
                let case = format!("{longer:.0e}, {stepper}, {tolerance:.0e}");
                let run = run(&description, Form::Ggl, stepper, tolerance, 3.0);
                let (crank, rocker) = (run.q[0], run.q[run.q.len() - 1]);
                match run.result {
                    Ok(_) => {
                        assert!(crank > TAU, "{case}: bars in line at least twice");
                        assert!(apart(crank, rocker).abs() < 0.05, "{case}: on another branch");
                    }
                    Err(failure) => {
                        assert!(longer > 0.0, "{case}: {failure}");
                        assert!(
                            failure.to_string().contains("singular position of"),
                            "{case}: {failure}"
                        );
                        noticed += usize::from(matches!(failure.kind, FailureKind::BranchChanged { .. }));
                    }
                }
            }
        }
    }
    assert!(noticed > 2, "{noticed}");
}

#[test]
fn turns_close_to_singular_positions_are_exact_or_reported() {
    // A parallelogram with one bar too long: it turns round where bars would be in line.
    let almost = |longer: f64| {
        let rod = |name: &str, length: f64| {
            Body::thin_rod(name, 1.0, [length, 0.0, 0.0]).marker("end", frame::at([length, 0.0, 0.0]))
        };
        Description::new("almost a parallelogram")
            .gravity([0.0; 3])
            .ground_marker("right", frame::at([0.4, 0.0, 0.0]))
            .body(rod("crank", 0.15))
            .body(rod("coupler", 0.4))
            .body(rod("rocker", 0.15 * (1.0 + longer)))
            .joint(Joint::revolute("A", "ground", "crank").start(1.0, 5.0))
            .joint(Joint::revolute("B", "crank.end", "coupler").start(-1.0, -5.0))
            .joint(Joint::revolute("C", "coupler.end", "rocker.end"))
            .joint(Joint::revolute("D", "ground.right", "rocker").start(1.0, 5.0))
    };
    let (mut finished, mut reported) = (0, 0);
    for longer in [1e-4, -1e-4, 1e-3] {
        let description = almost(longer);
        // Next to the turn the short steps of `bdf` leave no digits for such a tolerance.
        let exact = run(&description, Form::Ggl, "radau", 1e-11, 1.5);
        assert_eq!(exact.result, Ok(Stop::Finished));
        for stepper in STEPPERS {
            for form in KEPT {
                for tolerance in [1e-4, 1e-6] {
                    let case = format!("{longer:.0e}, {stepper}, {form}, {tolerance:.0e}");
                    let run = run(&description, form, stepper, tolerance, 1.5);
                    match run.result {
                        Ok(_) => {
                            let off = holonom_testing::largest((0..3).map(|k| run.q[k] - exact.q[k]));
                            // The turns multiply errors by some hundred.
                            assert!(off < 1e4 * tolerance, "{case}: {off:.1e}");
                            finished += 1;
                        }
                        Err(failure) => {
                            assert!(
                                failure.to_string().contains("singular position of"),
                                "{case}: {failure}"
                            );
                            reported += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(finished > 20 && reported > 0, "{finished}, {reported}");
}

#[test]
fn a_loop_that_drifts_apart_ends_the_run() {
    // Accelerations alone keep a loop for a while.
    let description = bennett([0.9, 0.3], 0.5, 5.0, [0.01, 3.0, 0.1]).gravity([0.0; 3]);
    let run = run(&description, Form::Index1, "bdf", 1e-4, 60.0);
    let failure = run.result.unwrap_err();
    let FailureKind::LoopOpen {
        row, gap, allowed, ..
    } = &failure.kind
    else {
        panic!("{failure}");
    };
    assert!(row.starts_with("`C.") && gap > allowed, "{failure}");
    assert!(failure.to_string().contains("`ggl`"), "{failure}");
    // What was reached is kept.
    assert!(failure.t > 0.1 && run.t == failure.t);
}

#[test]
fn a_run_with_exchanged_rows_goes_on_from_a_checkpoint_to_the_bit() {
    let description = bennett([0.6, 0.8], 0.5, 3.0, [1.0; 3]).gravity([0.0; 3]);
    for stepper in ["bdf", "radau", "generalized-alpha", "dormand-prince"] {
        let start = assembled(&description);
        let equations = start.equations(Form::Ggl, Formalism::Residual).unwrap();
        let (y, yp) = start.state(&equations);
        let options = Options::new(1e-6, 1e-6).stepper(stepper);
        let system = || equations.clone().system();
        let mut whole = Integrator::new(system(), 0.0, &y, &yp, 6.0, options.clone()).unwrap();
        while whole.counters().row_changes == 0 {
            assert_eq!(whole.step().unwrap(), None, "{stepper}");
        }
        let checkpoint = whole.checkpoint();
        let mut second = Integrator::resume(system(), options, &checkpoint).unwrap();
        whole.run(6.0, &mut Quiet).unwrap();
        second.run(6.0, &mut Quiet).unwrap();
        assert_eq!(whole.y(), second.y(), "{stepper}");
        assert_eq!(whole.counters(), second.counters(), "{stepper}");
    }
}
