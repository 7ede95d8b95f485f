//! Rates are derivatives along the motion; energies and momenta are those of a snapshot.

use super::*;
use holonom_multibody::description::{Body, Constraint, Force, Joint, frame};
use holonom_multibody::residual::{Form, Formalism};
use holonom_multibody::{Signal, start::KinematicState};

/// The channel that is the rate of another, by its name.
fn rate_of(name: &str, known: &HashMap<String, f64>) -> Option<String> {
    let mut candidates = vec![format!("{name}.rate")];
    if let Some(stem) = name.strip_suffix(".velocity") {
        candidates.push(format!("{stem}.acceleration"));
    } else if let Some(stem) = name.strip_suffix(".rate") {
        candidates.push(format!("{stem}.acceleration"));
    } else {
        candidates.push(format!("{name}.velocity"));
    }
    // By kind: vectors have the axis at the end.
    let (stem, axis) = name.rsplit_once('.')?;
    for (of, rate) in [
        ("position", "velocity"),
        ("velocity", "acceleration"),
        ("angular_velocity", "angular_acceleration"),
    ] {
        if stem.ends_with(&format!(".{of}")) {
            let stem = &stem[..stem.len() - of.len()];
            candidates.push(format!("{stem}{rate}.{axis}"));
        }
    }
    candidates.into_iter().find(|c| known.contains_key(c))
}

#[test]
fn rates_are_derivatives() {
    let h = 1e-4;
    let (mut pairs, mut kinds) = (0, std::collections::HashSet::new());
    let all = mechanisms(0..60, 6);
    assert!(all.len() > 40, "{}", all.len());
    for (seed, _, start) in &all {
        let now = at_start(start);
        let [before, after] = [-h, h].map(|h| {
            let (t, q, v) = later(start, h);
            values(start, t, &q, &v)
        });
        // Motions of stiff and light parts are fast: what is left of second order.
        let speed = 1.0
            + start
                .a
                .iter()
                .chain(&start.v)
                .fold(0.0, |m: f64, x| m.max(x.abs()));
        for (name, &x) in &now {
            let Some(rate) = rate_of(name, &now) else { continue };
            let mut change = after[name] - before[name];
            if name.contains("angle") && change.abs() > 3.0 {
                change -= (change / core::f64::consts::TAU).round() * core::f64::consts::TAU;
            }
            let error = (change / (2.0 * h) - now[&rate]).abs();
            assert!(
                error < 1e-6 * speed.powi(3),
                "mechanism {seed}: {name} = {x}, {rate} = {} differs by {error:e}",
                now[&rate]
            );
            pairs += 1;
            kinds.insert(name.split('.').skip(1).collect::<Vec<_>>().join("."));
        }
        // Euler parameters: ė = ½ e ∘ (0, ω), with ω in the axes of the second frame.
        for (stem, own_axes) in start.model.joints.iter().map(|j| (j.name.as_str(), true)).chain(
            start
                .model
                .bodies
                .iter()
                .skip(1)
                .map(|b| (b.name.as_str(), false)),
        ) {
            let Some(e) = euler(&now, stem) else { continue };
            let (a, b) = (euler(&before, stem).unwrap(), euler(&after, stem).unwrap());
            let omega = vector(&now, &format!("{stem}.angular_velocity"));
            let omega = match own_axes {
                true => omega.0,
                false => holonom_algebra::Quaternion(e).conjugate().rotate(omega.0),
            };
            let expected = holonom_algebra::Quaternion(e).rate(omega);
            for k in 0..4 {
                // Where w is nearly zero its sign may change.
                if e[0].abs() > 0.01 {
                    let error = ((b[k] - a[k]) / (2.0 * h) - expected[k]).abs();
                    assert!(
                        error < 1e-6 * speed.powi(3),
                        "mechanism {seed}: {stem} {k} {error:e}"
                    );
                }
            }
        }
    }
    assert!(pairs > 5000, "{pairs}");
    for kind in [
        "angle",
        "angle.velocity",
        "displacement",
        "x",
        "angle_y.velocity",
        "angular_velocity.x",
        "position.y",
        "velocity.z",
        "own.velocity.x",
    ] {
        assert!(kinds.contains(kind), "{kind} in {kinds:?}");
    }
}

fn euler(values: &HashMap<String, f64>, stem: &str) -> Option<[f64; 4]> {
    let part = |k: &str| values.get(&format!("{stem}.orientation.{k}")).copied();
    Some([part("w")?, part("x")?, part("y")?, part("z")?])
}

#[test]
fn energies_and_poses_are_those_of_a_snapshot() {
    let mut springs = 0;
    for (seed, _, start) in mechanisms(0..60, 8) {
        let (t, q, v) = later(&start, 0.01);
        let now = values(&start, t, &q, &v);
        let model = &start.model;
        let snapshot = model.snapshot(t, &q, &v).with_states(&start.x);
        let close = |name: &str, x: f64| {
            let y = now.get(name).unwrap_or_else(|| panic!("{name}"));
            assert!(
                (x - y).abs() < 1e-11 * (1.0 + x.abs()),
                "mechanism {seed}: {name} {x} {y}"
            );
        };
        let (kinetic, potential) = (snapshot.kinetic_energy(), snapshot.potential_energy());
        close("energy.kinetic", kinetic);
        close("energy.potential", potential);
        close("energy.total", kinetic + potential);
        let momentum = snapshot.momentum();
        for (k, axis) in ["x", "y", "z"].iter().enumerate() {
            close(&format!("momentum.{axis}"), momentum.force.0[k]);
            close(&format!("angular_momentum.{axis}"), momentum.moment.0[k]);
            for (b, body) in model.bodies.iter().enumerate().skip(1) {
                let (x, u) = snapshot.point(b, [0.0; 3]);
                close(&format!("{}.position.{axis}", body.name), x.0[k]);
                close(&format!("{}.velocity.{axis}", body.name), u.0[k]);
                let omega = snapshot.pose(b).rotation.times(snapshot.angular_velocity(b));
                close(&format!("{}.angular_velocity.{axis}", body.name), omega.0[k]);
            }
        }
        let powers = snapshot.powers().into_iter().zip(snapshot.stored_energies());
        for ((power, stored), force) in powers.zip(&model.forces) {
            // A snapshot knows no multipliers.
            if !model.needs_lambda {
                close(&format!("{}.power", force.name), power);
            }
            match stored {
                Some(energy) => close(&format!("{}.energy", force.name), energy),
                None => assert!(!now.contains_key(&format!("{}.energy", force.name))),
            }
            springs += 1;
        }
    }
    assert!(springs > 30);
}

/// Loads of single elements by their formulas.
#[test]
fn force_elements() {
    let description = Description::new("springs")
        .gravity([0.0; 3])
        .body(Body::cuboid("a", 1.0, [0.1, 0.2, 0.3]).marker("tip", frame::at([0.5, 0.0, 0.0])))
        .body(Body::cuboid("b", 1.0, [0.1, 0.2, 0.3]))
        .joint(
            Joint::prismatic("slide", "ground", "a")
                .axis([1.0, 0.0, 0.0])
                .start(1.5, 0.3),
        )
        .joint(Joint::revolute("hinge", "ground", "b").start(0.7, 2.0))
        .force(Force::spring_damper("pull", "ground", "a.tip", 10.0, 2.0, 0.5))
        .force(Force::torsion_spring("twist", "ground", "b", 3.0, 0.1, 0.2))
        .force(Force::joint_spring("stop", "slide", 7.0, 0.5, 1.0))
        .force(Force::applied("push", "b", [1.0, 2.0, 3.0].map(Signal::constant)).follower());
    let now = at_start(&assembled(&description));
    for (name, expected) in [
        ("pull.length", 2.0),
        ("pull.tension", 10.0 * 1.5 + 2.0 * 0.3),
        ("pull.force.x", -15.6),
        ("pull.force.y", 0.0),
        ("pull.power", -15.6 * 0.3),
        ("pull.energy", 5.0 * 1.5 * 1.5),
        ("twist.angle", 0.7),
        ("twist.moment", -3.0 * 0.5 - 0.1 * 2.0),
        ("twist.torque.z", -1.7),
        ("twist.power", -3.4),
        ("stop.force", -7.0 * 0.5 - 0.5 * 0.3),
        ("push.force.x", 0.7_f64.cos() - 2.0 * 0.7_f64.sin()),
        ("push.force.z", 3.0),
        ("push.torque.x", 0.0),
    ] {
        assert!((now[name] - expected).abs() < 1e-12, "{name}: {}", now[name]);
    }
}

fn crank_and_slider() -> Description {
    Description::new("slider-crank")
        .gravity([0.0, -9.81, 0.0])
        .body(Body::thin_rod("crank", 1.0, [0.2, 0.0, 0.0]).marker("end", frame::at([0.2, 0.0, 0.0])))
        .body(Body::thin_rod("rod", 1.0, [0.7, 0.0, 0.0]).marker("end", frame::at([0.7, 0.0, 0.0])))
        .body(Body::cuboid("slider", 2.0, [0.1, 0.1, 0.1]))
        .joint(Joint::revolute("A", "ground", "crank").start(0.6, 0.0))
        .joint(Joint::revolute("B", "crank.end", "rod").start(-0.8, 0.0))
        .joint(Joint::revolute("C", "rod.end", "slider"))
        .joint(
            Joint::prismatic("D", "ground", "slider")
                .axis([1.0, 0.0, 0.0])
                .start(0.8, 0.0),
        )
}

#[test]
fn kinematic_runs() {
    let driver = Constraint::driver("drive", "A", Signal::linear(0.6, 5.0));
    let start = assembled(&crank_and_slider().constraint(driver));
    let run = start
        .kinematic_run(&(1..20).map(|i| 0.02 * f64::from(i)).collect::<Vec<_>>())
        .unwrap();
    let selection = Catalogue::new(&start).everything();
    let mut sampler = Sampler::of_motion(&start, &selection).unwrap();
    let (mut given, mut computed) = (vec![0.0; selection.len()], vec![0.0; selection.len()]);
    for state in &run.states {
        sampler.sample_kinematic(state, &mut given);
        let KinematicState { t, q, v, .. } = state;
        sampler.sample_state(*t, q, v, &mut computed);
        for (k, channel) in selection.channels().iter().enumerate() {
            let (a, b) = (given[k], computed[k]);
            assert!(
                (a - b).abs() < 1e-6 * (1.0 + a.abs()),
                "{}: {a} {b}",
                channel.name
            );
        }
        let at = |name: &str| given[selection.column(name).unwrap()];
        let angle = 0.6 + 5.0 * t;
        assert!((at("input.drive") - angle).abs() < 1e-12);
        assert_eq!(
            (at("input.drive.rate"), at("input.drive.acceleration")),
            (5.0, 0.0)
        );
        let x = 0.2 * angle.cos() + (0.49 - (0.2 * angle.sin()).powi(2)).sqrt();
        assert!((at("slider.position.x") - x).abs() < 1e-10);
        assert!((at("D.displacement") - x).abs() < 1e-10);
        // All the work is that of the drive: its torque is also what joint A transmits about z.
        assert!((at("drive.force") - at("A.torque.z")).abs() < 1e-6 * (1.0 + at("drive.force").abs()));
        assert!(at("residual.position") < 1e-10 && at("residual.velocity") < 1e-8);
    }
}

/// What is in y besides positions and velocities does not matter.
#[test]
fn multipliers_of_the_integration_are_not_used() {
    let start = assembled(&crank_and_slider());
    let selection = Catalogue::new(&start).everything();
    let expected = at_start(&start);
    for form in [Form::Index1, Form::Index2, Form::Index3, Form::Ggl] {
        let equations = start.equations(form, Formalism::Residual).unwrap();
        let (mut y, yp) = start.state(&equations);
        y[start.q.len() + start.v.len()..].fill(1e3);
        let mut sampler = Sampler::new(&start, &equations, &selection).unwrap();
        let mut row = vec![0.0; selection.len()];
        sampler.sample(start.t, &y, &yp, &mut row);
        for (channel, x) in selection.channels().iter().zip(&row) {
            assert_eq!(*x, expected[&channel.name], "{form}: {}", channel.name);
        }
    }
}

#[test]
fn some_columns_are_those_of_all() {
    for (seed, _, start) in mechanisms(0..30, 8) {
        let catalogue = Catalogue::new(&start);
        let all = at_start(&start);
        for patterns in [
            &["*.position.*"][..],
            &["energy.*", "*.angle"],
            &["*.acceleration"],
            &["*.velocity.x", "*.orientation.*"],
            &["b0.acceleration.z", "j0.torque.y", "b0.position.x"],
        ] {
            let Ok(selection) = catalogue.select(patterns) else {
                continue;
            };
            let mut sampler = Sampler::of_motion(&start, &selection).unwrap();
            let mut row = vec![f64::NAN; selection.len()];
            for _ in 0..2 {
                sampler.sample_state(start.t, &start.q, &start.v, &mut row);
            }
            for (channel, x) in selection.channels().iter().zip(&row) {
                assert_eq!(*x, all[&channel.name], "mechanism {seed}: {}", channel.name);
            }
        }
    }
}

#[test]
fn what_cannot_be_computed_is_not_a_number() {
    let start = assembled(&crank_and_slider());
    let selection = Catalogue::new(&start)
        .select(&["A.angle", "B.angle", "A.angle.acceleration", "A.force.x"])
        .unwrap();
    let mut sampler = Sampler::of_motion(&start, &selection).unwrap();
    let (mut q, mut row) = (start.q.clone(), [0.0; 4]);
    let broken = start.model.position_names.iter().position(|n| n == "B").unwrap();
    q[broken] = f64::NAN;
    sampler.sample_state(0.0, &q, &start.v, &mut row);
    assert!(
        row[0].is_finite() && row[1..].iter().all(|x| x.is_nan()),
        "{row:?}"
    );
    assert_eq!(sampler.failures(), 1);
    sampler.sample_state(0.0, &start.q, &start.v, &mut row);
    assert!(row.iter().all(|x| x.is_finite()));
    assert_eq!(sampler.failures(), 1);
}

/// A parallelogram that lies flat: one of its rows says nothing there.
#[test]
fn singular_positions() {
    let bar =
        |name: &str| Body::thin_rod(name, 1.0, [1.0, 0.0, 0.0]).marker("end", frame::at([1.0, 0.0, 0.0]));
    let description = Description::new("parallelogram")
        .gravity([0.0, -9.81, 0.0])
        .ground_marker("right", frame::at([1.0, 0.0, 0.0]))
        .body(bar("crank"))
        .body(bar("coupler"))
        .body(bar("rocker"))
        .joint(Joint::revolute("A", "ground", "crank").start(0.5, 1.0))
        .joint(Joint::revolute("B", "crank.end", "coupler").start(-0.5, -1.0))
        .joint(Joint::revolute("D", "ground.right", "rocker").start(0.5, 1.0))
        .joint(Joint::revolute("C", "coupler.end", "rocker.end").hint(holonom_multibody::forest::Hint::Cut));
    let start = assembled(&description);
    let selection = Catalogue::new(&start).everything();
    let mut sampler = Sampler::of_motion(&start, &selection).unwrap();
    let mut row = vec![f64::NAN; selection.len()];
    sampler.sample_state(0.0, &start.q, &start.v, &mut row);
    assert_eq!(sampler.singular(), 0);
    sampler.sample_state(0.0, &[0.0; 3], &[1.0, -1.0, 1.0], &mut row);
    assert_eq!((sampler.singular(), sampler.failures()), (1, 0));
    assert!(row.iter().all(|x| x.is_finite()));
}
