//! Dependent rows, singular starts, what the report says.

use super::*;

#[test]
fn planar_four_bar_of_spatial_joints_drops_three_rows() {
    let start = assembled(&four_bar(LENGTHS, ROUGH));
    assert_eq!(start.model.rows.len(), 5);
    assert_eq!((start.rows.rank, start.rows.generic_rank), (2, 2));
    assert_eq!(dropped(&start.rows), ["loop.z", "loop.turn_x", "loop.turn_y"]);
    assert!(start.rows.dropped.iter().all(|d| d.constraint == "loop"));
    assert_eq!(start.rows.active, [0, 1]);
    assert!(!start.rows.singular_start);
    assert_eq!(start.degrees_of_freedom(), 1);
    assert!(inconsistency(&start) < 1e-10, "{}", inconsistency(&start));
    let text = start.rows.to_string();
    assert_eq!(
        text,
        "1 degree of freedom; 5 constraint rows, 2 of them independent; dropped, because the others imply \
         them: loop.z, loop.turn_x, loop.turn_y\n\
         reactions that the motion does not determine:\n\
         \x20 left: force z, moment x, moment y\n\
         \x20 elbow: force z, moment x, moment y\n\
         \x20 right: force z, moment x, moment y\n\
         \x20 loop: force z, moment x, moment y"
    );
}

#[test]
fn overconstrained_spatial_linkage_moves() {
    let start = assembled(&bennett(1.0));
    assert_eq!(
        (
            start.degrees_of_freedom(),
            start.rows.active.len(),
            start.rows.dropped.len()
        ),
        (1, 2, 3)
    );
    assert!(inconsistency(&start) < 1e-8, "{}", inconsistency(&start));
    assert!((position(&start, "j1") + position(&start, "j3")).abs() < 1e-10);
    assert!(largest(&start.v) > 0.1);
    // Other lengths: it does not close, or it is a structure.
    match compiled(&bennett(1.2)).assemble(&AssemblyOptions::default()) {
        Ok(start) => assert_eq!(start.degrees_of_freedom(), 0, "{}", start.rows),
        Err(error) => assert!(error.to_string().contains("`j4`"), "{error}"),
    }
}

#[test]
fn parallelograms_are_singular_only_when_flat() {
    let upright = assembled(&parallelograms(2, 1.2));
    assert_eq!((upright.degrees_of_freedom(), upright.rows.active.len()), (1, 4));
    assert_eq!(upright.rows.dropped.len(), 6);
    assert!(!upright.rows.singular_start);
    assert!(inconsistency(&upright) < 1e-9);
    let flat = assembled(&parallelograms(2, 0.0));
    assert!(flat.rows.singular_start);
    // Flat, everything moves up and down only: both x rows are lost.
    assert_eq!(
        (flat.rows.rank, flat.rows.generic_rank, flat.rows.active.len()),
        (2, 4, 4)
    );
    assert_eq!(flat.degrees_of_freedom(), 1);
    // The velocities belong to one of the ways it can go on, and accelerations exist.
    assert!(
        largest(&flat.v) > 0.1 && inconsistency(&flat) < 1e-8,
        "{:?} {}",
        flat.v,
        inconsistency(&flat)
    );
    assert!(
        flat.rows.to_string().contains("singular: only 2 of the 4 rows"),
        "{}",
        flat.rows
    );
}

#[test]
fn too_many_drivers_on_a_loop_drop_a_driver() {
    let start = assembled(&four_bar(LENGTHS, ROUGH));
    let description = four_bar(LENGTHS, ROUGH).constraint(Constraint::driver(
        "crank",
        "left",
        Signal::Polynomial(vec![position(&start, "left"), 0.0, 0.0, 1.0]),
    ));
    let right = position(&start, "right");
    let late = Signal::Polynomial(vec![right, 0.0, 0.0, 2.0]);
    let twice = assembled(
        &description
            .clone()
            .constraint(Constraint::driver("rocker", "right", late)),
    );
    assert_eq!(
        dropped(&twice.rows),
        ["loop.z", "loop.turn_x", "loop.turn_y", "rocker.sum"]
    );
    // They agree up to accelerations at the start, but not later on.
    let error = twice.kinematic_run(&[0.5]).expect_err("they disagree");
    let KinematicError::Stuck { open: Some(open), .. } = &error else {
        panic!("{error}")
    };
    assert!(
        ["crank", "rocker", "loop"].contains(&open.constraint.as_str()),
        "{error}"
    );
}

#[test]
fn locked_in_a_singular_position_is_a_contradiction() {
    // Crank and coupler just reach a fixed point: rank 1 of 2, but no motion.
    let description = Description::new("stretched")
        .ground_marker("far", frame::at([2.0, 0.0, 0.0]))
        .body(bar("one", 1.0))
        .body(bar("two", 1.0))
        .joint(Joint::revolute("left", "ground", "one"))
        .joint(Joint::revolute("middle", "one.end", "two"))
        .joint(Joint::revolute("right", "two.end", "ground.far").hint(Hint::Cut));
    match compiled(&description).assemble(&AssemblyOptions::default()) {
        Err(AssemblyError::Contradiction {
            level: Level::Position,
            loops,
        }) => {
            assert_eq!(loops[0].constraint, "right");
        }
        Ok(start) => panic!("{}", start.rows),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn rolling_disc_has_three_freedoms_in_velocities() {
    let start = assembled(&disc());
    assert_eq!((start.degrees_of_freedom(), start.rows.active.len()), (3, 3));
    assert!(!start.rows.singular_start && start.rows.dropped.is_empty());
    assert!(largest(&start.v) > 1.0);
    assert!(inconsistency(&start) < 1e-9, "{}", inconsistency(&start));
    // A ball that also stands on a plane by a sliding pair: its normal row is there twice.
    let start = assembled(
        &Description::new("ball")
            .body(Body::ball("ball", 1.0, 0.1))
            .body(Body::ball("cart", 1.0, 0.1))
            .joint(Joint::planar("table", "ground", "cart").start_at(0, 0.0, 0.3))
            .joint(Joint::spherical("socket", "cart", "ball"))
            .ground_marker("road", frame::at([0.0, 0.0, -0.1]))
            .constraint(Constraint::rolling_ball("road", "ball", "ground.road", 0.1)),
    );
    assert_eq!(
        (dropped(&start.rows), start.degrees_of_freedom()),
        (vec!["road.contact"], 4)
    );
}

#[test]
fn conditions_on_positions_are_kept_before_those_on_velocities() {
    // A wheel that rolls on a straight way, and a rack that says the same with positions.
    let description = Description::new("rack")
        .ground_marker("height", frame::at([0.0, 0.0, 0.3]))
        .body(Body::ball("cart", 1.0, 0.1))
        .body(Body::ball("wheel", 1.0, 0.1).marker("axle", frame::along([0.0; 3], [0.0, 1.0, 0.0])))
        .joint(Joint::prismatic("cart", "ground.height", "cart").axis([1.0, 0.0, 0.0]))
        .joint(Joint::revolute("wheel", "cart", "wheel").axis([0.0, 1.0, 0.0]))
        .constraint(Constraint::rolling_disc("road", "wheel.axle", "ground", 0.3))
        .constraint(Constraint::rack("rack", "cart", "wheel", 0.3));
    let start = assembled(&description);
    assert_eq!(start.degrees_of_freedom(), 1);
    assert_eq!(
        dropped(&start.rows),
        ["road.contact", "road.slip-x", "road.slip-y"]
    );
}

#[test]
fn units_do_not_matter() {
    // Lengths in mm or km, heavy and light bodies: the same rows, the same angles.
    let reference = assembled(&four_bar(LENGTHS, ROUGH));
    for (length, mass) in [(1e-3, 1.0), (1e-3, 1e-9), (1e3, 1.0), (1e3, 1e9), (1.0, 1e-6)] {
        let mut description = four_bar(LENGTHS.map(|l| l * length), ROUGH);
        for (body, [l, ..]) in description
            .bodies
            .iter_mut()
            .zip(LENGTHS.windows(1).map(|w| [w[0]]))
        {
            body.mass = (1.0 + l) * mass;
            body.inertia =
                Body::cuboid("", (1.0 + l) * mass, [l * length, 0.05 * length, 0.03 * length]).inertia;
        }
        let mut start = assembled(&description);
        for (scale, row) in start.rows.scales.iter_mut().zip(&start.model.rows) {
            // Displacements are measured by the loop, angles by one.
            *scale /= if row.name.contains("turn") { 1.0 } else { length };
        }
        for (scale, of) in start.rows.scales.iter_mut().zip(&reference.rows.scales) {
            assert!((*scale / of - 1.0).abs() < 1e-9, "{length} {mass}: {scale} {of}");
            *scale = *of;
        }
        assert!(start.rows.noise < 1e-11, "{}", start.rows.noise);
        let (noise, of) = (start.rows.noise_at_start, reference.rows.noise_at_start);
        assert!((noise / of - 1.0).abs() < 1e-9, "{noise} {of}");
        start.rows.noise = reference.rows.noise;
        start.rows.noise_at_start = of;
        if let (Some(row), Some(of)) = (&mut start.rows.weakest, &reference.rows.weakest) {
            let [part, as_there] = [row.independent_part, of.independent_part];
            assert!((part / as_there - 1.0).abs() < 1e-9, "{part} {as_there}");
            row.independent_part = as_there;
        }
        assert_eq!(start.rows, reference.rows, "{length} {mass}");
        for (a, b) in start.q.iter().zip(&reference.q) {
            assert!((a - b).abs() < 1e-9, "{length} {mass}: {a} {b}");
        }
    }
}

#[test]
fn many_loops() {
    let start = assembled(&parallelograms(40, 1.1));
    assert_eq!(
        (
            start.degrees_of_freedom(),
            start.rows.active.len(),
            start.rows.dropped.len()
        ),
        (1, 80, 120)
    );
    assert!(inconsistency(&start) < 1e-8, "{}", inconsistency(&start));
}
