//! Loops that close and loops that do not, velocities, contradictions.

use super::*;

#[test]
fn four_bar_closes_from_rough_angles() {
    let [crank, coupler, rocker, base] = LENGTHS;
    for i in 0..20 {
        let angle = 0.3 * f64::from(i);
        let start = assembled(&four_bar(LENGTHS, [angle, 0.4 - angle, 1.7]));
        let (a, e, b) = (
            position(&start, "left"),
            position(&start, "elbow"),
            position(&start, "right"),
        );
        let x = crank * a.cos() + coupler * (a + e).cos() - base - rocker * b.cos();
        let y = crank * a.sin() + coupler * (a + e).sin() - rocker * b.sin();
        assert!(x.abs().max(y.abs()) < 4e-15, "{x} {y}");
        assert_eq!(start.moved.len(), 3, "{:?}", start.moved);
        assert!(start.moved[0].to_string().starts_with("left: "));
        assert!(inconsistency(&start) < 1e-9);
    }
}

#[test]
fn closed_start_is_not_moved_and_check_only_accepts_it() {
    let rough = four_bar(LENGTHS, ROUGH);
    let first = assembled(&rough);
    let model = compiled(&rough);
    let check = AssemblyOptions {
        assemble: false,
        ..AssemblyOptions::default()
    };
    let error = model.assemble(&check).expect_err("open");
    assert!(matches!(
        &error,
        AssemblyError::Inconsistent {
            level: Level::Position,
            ..
        }
    ));
    assert!(error.to_string().contains("`loop` by"), "{error}");
    let positions = Some(first.q.clone());
    let again = model
        .assemble(&AssemblyOptions {
            positions,
            ..check.clone()
        })
        .expect("closed");
    assert_eq!(again.q, first.q);
    assert!(again.moved.is_empty() && again.moved_velocities.is_empty());
    let (positions, velocities) = (Some(first.q.clone()), Some(vec![1.0, 0.0, 0.0]));
    let error = model
        .assemble(&AssemblyOptions {
            positions,
            velocities,
            ..check
        })
        .expect_err("gap opens");
    assert!(
        matches!(
            error,
            AssemblyError::Inconsistent {
                level: Level::Velocity,
                ..
            }
        ),
        "{error}"
    );
    let wrong = AssemblyOptions {
        positions: Some(vec![0.0; 7]),
        ..AssemblyOptions::default()
    };
    assert_eq!(
        model.assemble(&wrong).expect_err("size").to_string(),
        "7 positions were given, but the mechanism has 3"
    );
}

#[test]
fn velocities_are_projected_in_the_mass_metric() {
    let mut description = four_bar(LENGTHS, ROUGH);
    description.joints[0].coordinates[0].velocity = 2.0;
    let start = assembled(&description);
    assert_eq!(start.moved_velocities.len(), 3);
    // M (v − v0) is a combination of rows: the change does no virtual work along the free motion,
    // and the free motion is v itself.
    let mut mechanical = start.mechanical();
    let mut change = vec![0.0; 3];
    let difference: Vec<f64> = start.v.iter().zip(&start.model.v0).map(|(a, b)| a - b).collect();
    use holonom_dae::Mechanical;
    mechanical
        .apply_mass(0.0, &start.q, &difference, &mut change)
        .expect("regular");
    let work: f64 = change.iter().zip(&start.v).map(|(a, b)| a * b).sum();
    assert!(work.abs() < 1e-13, "{work}");
    assert!(largest(&start.v) > 0.1);
}

#[test]
fn slider_crank_has_one_freedom() {
    let start = assembled(&slider_crank(0.9));
    assert_eq!(
        (
            start.degrees_of_freedom(),
            start.rows.active.len(),
            start.rows.dropped.len()
        ),
        (1, 2, 3)
    );
    let a = position(&start, "crank");
    let x = 0.2 * a.cos() + (0.49 - (0.2 * a.sin()).powi(2)).sqrt();
    assert!((position(&start, "guide") - x).abs() < 2e-15);
    assert!(inconsistency(&start) < 1e-9);
}

#[test]
fn spatial_four_bar_closes() {
    let start = assembled(&spatial_four_bar());
    assert_eq!(
        (
            start.degrees_of_freedom(),
            start.rows.active.len(),
            start.rows.dropped.len()
        ),
        (2, 3, 0)
    );
    assert!(start.rows.uniqueness.iter().all(|u| u.is_unique()));
    assert!(inconsistency(&start) < 1e-9, "{}", inconsistency(&start));
    assert_eq!(
        start.rows.to_string(),
        "2 degrees of freedom; 3 constraint rows, independent"
    );
}

#[test]
fn loop_that_cannot_close_is_named() {
    let error = compiled(&four_bar([0.5, 0.6, 0.7, 2.0], ROUGH))
        .assemble(&AssemblyOptions::default())
        .expect_err("too short");
    let AssemblyError::CannotClose { loops } = &error else {
        panic!("{error}")
    };
    assert_eq!(
        (loops.len(), loops[0].constraint.as_str(), loops[0].row.as_str()),
        (1, "loop", "loop.x")
    );
    // Stretched out, 0.2 m are missing.
    assert!((loops[0].gap - 0.2).abs() < 1e-3, "{}", loops[0].gap);
    assert!(
        error.to_string().starts_with("cannot close `loop` by 0.2")
            && error.to_string().contains(" m (worst row loop.x)"),
        "{error}"
    );
}

#[test]
fn stuck_start_closes_from_another_one() {
    // Folded flat, no small motion brings the ends nearer.
    let start = assembled(&four_bar([1.0, 1.0, 1.0, 1.9], [std::f64::consts::PI, 0.0, 0.0]));
    assert_eq!(start.degrees_of_freedom(), 1);
    assert!(inconsistency(&start) < 1e-9);
}

#[test]
fn drivers_that_contradict_are_found() {
    // Two arms geared one to one, both driven. Two drivers of one coordinate are refused earlier.
    let model = |second: Signal| {
        compiled(
            &Description::new("arms")
                .body(bar("a", 1.0))
                .body(bar("b", 1.0))
                .joint(Joint::revolute("first", "ground", "a"))
                .joint(Joint::revolute("second", "ground", "b"))
                .constraint(Constraint::gear("gear", "first", "second", 1.0))
                .constraint(Constraint::driver("one", "first", Signal::linear(0.0, 1.0)))
                .constraint(Constraint::driver("two", "second", second)),
        )
    };
    let options = AssemblyOptions::default();
    let error = model(Signal::linear(0.6, 1.0))
        .assemble(&options)
        .expect_err("positions");
    let AssemblyError::CannotClose { loops } = &error else {
        panic!("{error}")
    };
    let mut names: Vec<&str> = loops.iter().map(|l| l.constraint.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["gear", "one", "two"]);
    // The gaps make up what is missing.
    assert!(
        (loops.iter().map(|l| l.gap).sum::<f64>() - 0.6).abs() < 1e-6,
        "{error}"
    );
    let error = model(Signal::linear(0.0, 2.0))
        .assemble(&options)
        .expect_err("velocities");
    assert!(
        matches!(
            error,
            AssemblyError::Contradiction {
                level: Level::Velocity,
                ..
            }
        ),
        "{error}"
    );
    let error = model(Signal::Polynomial(vec![0.0, 1.0, 1.0]))
        .assemble(&options)
        .expect_err("accelerations");
    assert!(
        matches!(
            error,
            AssemblyError::Contradiction {
                level: Level::Acceleration,
                ..
            }
        ),
        "{error}"
    );
    let twice = model(Signal::linear(0.0, 1.0))
        .assemble(&options)
        .expect("the same twice");
    assert_eq!(
        (dropped(&twice.rows), twice.degrees_of_freedom()),
        (vec!["two.sum"], 0)
    );
    // The torque of the drives can be shared in many ways, and so can that through the hinges.
    let open: Vec<&str> = twice
        .rows
        .uniqueness
        .iter()
        .filter(|u| !u.is_unique())
        .map(|u| u.name.as_str())
        .collect();
    assert_eq!(open, ["gear", "one", "two"]);
}

#[test]
fn free_bodies_fall() {
    let start = assembled(
        &Description::new("two bodies")
            .body(Body::ball("a", 1.0, 0.1))
            .body(Body::ball("b", 2.0, 0.2))
            .joint(
                Joint::free("first", "ground", "a")
                    .angular_velocity([1.0, 2.0, 3.0])
                    .orientation([2.0, 0.0, 0.0, 0.0]),
            )
            .joint(Joint::free_cardan("second", "ground", "b").start_at(0, 2.0, 0.0)),
    );
    assert_eq!((start.degrees_of_freedom(), start.rows.active.len()), (12, 0));
    assert_eq!(
        start.rows.to_string(),
        "12 degrees of freedom; no constraint rows"
    );
    assert!(inconsistency(&start) < 1e-13);
    for reaction in start.reactions(&start.motion()) {
        let ReactionLoad::Wrench(w) = reaction.load else {
            panic!("{reaction:?}")
        };
        assert!(w.force.norm() < 1e-13 && w.moment.norm() < 1e-13, "{reaction:?}");
    }
    assert!(start.equations(Form::Ode, Formalism::Explicit).is_ok());
    let closed = assembled(&four_bar(LENGTHS, ROUGH));
    let error = closed
        .equations(Form::Ode, Formalism::Explicit)
        .expect_err("rows");
    assert!(
        error
            .to_string()
            .contains("2 constraint rows of `four-bar` (loop); use `ggl`"),
        "{error}"
    );
}

#[test]
fn rods_and_gears_assemble() {
    let start = assembled(
        &Description::new("rod")
            .gravity(DOWN)
            .ground_marker("right", frame::at([2.0, 0.0, 0.0]))
            .body(bar("crank", 0.5))
            .body(bar("rocker", 1.2))
            .joint(Joint::revolute("left", "ground", "crank").start(1.0, 0.0))
            .joint(Joint::revolute("right", "ground.right", "rocker").start(1.4, 0.0))
            .rod(Rod::new("link", "crank.end", "rocker.end", 2.0).mass(0.4)),
    );
    assert_eq!((start.degrees_of_freedom(), start.rows.active.len()), (1, 1));
    assert!(inconsistency(&start) < 1e-10);
    let reactions = start.reactions(&start.motion());
    assert_eq!(reactions[2].element, ReactionElement::Constraint(0));
    assert_eq!(reactions[2].name, "link");
}
