//! Redundant rows of data that are rounded, and of loops of any size and mass.

use super::*;
use holonom_algebra::{Pose, Quaternion};

/// A number as printed with so many digits.
fn printed(x: f64, digits: usize) -> f64 {
    let text = format!("{x:.*e}", digits - 1);
    text.parse().unwrap_or_else(|_| panic!("{text}"))
}

fn printed_frame(frame: Pose<f64>, digits: usize) -> Pose<f64> {
    let turn = Quaternion::from_rotation_matrix(&frame.rotation.0).0;
    let [position, turn] = [frame.position.0.to_vec(), turn.to_vec()]
        .map(|x| x.into_iter().map(|x| printed(x, digits)).collect::<Vec<_>>());
    frame::oriented(
        [position[0], position[1], position[2]],
        [turn[0], turn[1], turn[2], turn[3]],
    )
}

/// All markers as printed with so many digits.
fn rounded(mut description: Description, digits: usize) -> Description {
    let bodies = description.bodies.iter_mut().flat_map(|b| &mut b.markers);
    for marker in bodies.chain(&mut description.ground) {
        marker.frame = printed_frame(marker.frame, digits);
    }
    description
}

/// A door of this height on two hinges, turned in space; the upper one may be off by a distance.
fn door(height: f64, mass: f64, off: f64) -> Description {
    let turn = frame::oriented([0.0; 3], [0.7, 0.2, -0.4, 0.55]).rotation;
    let lower = Vec3([0.1, 0.2, 0.3].map(|x| x * height));
    let at = |z: f64, x: f64| Pose::new(turn, lower + turn.times(Vec3([x, 0.0, z])));
    Description::new("door")
        .ground_marker("lower", at(0.0, 0.0))
        .ground_marker("upper", at(height, off))
        .body(
            Body::cuboid("door", mass, [0.8 * height, 0.04 * height, height])
                .centre([0.4 * height, 0.0, 0.5 * height])
                .marker("upper", frame::at([0.0, 0.0, height])),
        )
        .joint(Joint::revolute("lower", "ground.lower", "door").start(0.7, 1.0))
        .joint(Joint::revolute("upper", "ground.upper", "door.upper").start(0.7, 1.0))
}

#[test]
fn door_on_two_hinges_swings() {
    for height in [1e-3, 1.0, 1e3] {
        for mass in [1e-3, 1.0, 1e3] {
            for digits in [16, 9, 6] {
                let start = assembled(&rounded(door(height, mass, 0.0), digits));
                let case = format!("{height} {mass} {digits}: {}", start.rows);
                assert_eq!(
                    (start.degrees_of_freedom(), start.rows.dropped.len()),
                    (1, 5),
                    "{case}"
                );
                assert!(
                    start.rows.doubtful.is_empty() && !start.rows.singular_start,
                    "{case}"
                );
                assert!(
                    (start.q[0] - 0.7).abs() < 1e-12 && (start.v[0] - 1.0).abs() < 1e-12,
                    "{case}"
                );
                let most = start.rows.dropped.iter().fold(0.0_f64, |a, d| {
                    a.max(d.misfit / if d.unit == "m" { height } else { 1.0 })
                });
                let unit = 10.0_f64.powi(1 - digits as i32).max(1e-15);
                assert!(most < 10.0 * unit, "{case}: {most}");
                assert_eq!(case.contains("hold"), digits < 16, "{case}");
            }
        }
    }
}

#[test]
fn hinges_that_do_not_fit_are_refused_with_their_gap() {
    for height in [1e-3, 1.0, 1e3] {
        let wrong = compiled(&door(height, 1.0, 1e-3 * height));
        let error = wrong.assemble(&AssemblyOptions::default()).expect_err("1 mm off");
        let AssemblyError::CannotClose { loops } = &error else {
            panic!("{error}")
        };
        assert_eq!(loops[0].constraint, "upper");
        assert!((loops[0].gap / (1e-3 * height) - 1.0).abs() < 0.1, "{error}");
        // Unless the data are known to be that coarse.
        let coarse = AssemblyOptions {
            data_precision: 1e-4,
            ..AssemblyOptions::default()
        };
        let start = wrong.assemble(&coarse).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(start.degrees_of_freedom(), 1, "{}", start.rows);
        let most = start.rows.dropped.iter().fold(0.0_f64, |a, d| a.max(d.misfit));
        assert!((most / (1e-3 * height) - 1.0).abs() < 0.1, "{}", start.rows);
    }
}

#[test]
fn overconstrained_linkage_of_rounded_data_moves() {
    for digits in [16, 9, 6] {
        let start = assembled(&rounded(bennett(1.0), digits));
        assert_eq!(
            (start.degrees_of_freedom(), start.rows.active.len()),
            (1, 2),
            "{digits}: {}",
            start.rows
        );
        assert!(
            largest(&start.v) > 0.1 && start.rows.doubtful.is_empty(),
            "{digits}: {}",
            start.rows
        );
        // The rows that take part hold to rounding.
        let mut work = Workspace::<f64>::new(&start.model);
        work.set_time(&start.model, 0.0);
        work.set_positions(&start.model, &start.q);
        let mut g = vec![0.0; start.rows.active.len()];
        work.constraint(&start.model, &start.rows.active, &mut g);
        assert!(largest(&g) < 1e-11, "{digits}: {g:?}");
    }
}

#[test]
fn rows_near_the_border_are_named() {
    // Two gears between the same wheels, with ratios that differ by a little.
    let start = |difference: f64, precision: f64| {
        let description = Description::new("gears")
            .body(Body::ball("one", 1.0, 0.1))
            .body(Body::ball("two", 1.0, 0.1))
            .joint(Joint::revolute("one", "ground", "one"))
            .joint(Joint::revolute("two", "ground", "two"))
            .constraint(Constraint::gear("first", "one", "two", 2.0))
            .constraint(Constraint::gear("second", "one", "two", 2.0 + difference));
        let options = AssemblyOptions {
            data_precision: precision,
            ..AssemblyOptions::default()
        };
        compiled(&description)
            .assemble(&options)
            .unwrap_or_else(|e| panic!("{e}"))
    };
    for (difference, freedoms, doubtful) in [
        (1e-6, 1, 0),
        (5e-6, 1, 0),
        (3e-4, 1, 1),
        (1e-3, 0, 1),
        (0.1, 0, 0),
    ] {
        let rows = start(difference, 1e-6).rows;
        assert_eq!(
            (rows.degrees_of_freedom, rows.doubtful.len()),
            (freedoms, doubtful),
            "{difference}: {rows}"
        );
        for row in &rows.doubtful {
            assert_eq!(row.active, freedoms == 0, "{row:?}");
            assert!(
                (0.1..1.0).contains(&(row.independent_part / difference)),
                "{row:?}"
            );
            let text = rows.to_string();
            let said = match freedoms {
                0 => "treated as independent: second.sum",
                _ => "treated as redundant: second.sum",
            };
            assert!(text.contains(said), "{text}");
            assert!(
                text.contains(&format!("{} instead of {freedoms}", 1 - freedoms)),
                "{text}"
            );
        }
    }
    // With data that are known better it is clear.
    let rows = start(3e-4, 1e-12).rows;
    assert_eq!((rows.degrees_of_freedom, rows.doubtful.len()), (0, 0), "{rows}");
}
