//! Sensors of mirror images read what those of the original read: all channels there are, but for what is
//! left of constraints.

#![allow(clippy::unwrap_used)]

use holonom_multibody::channels::{Catalogue, Sampler};
use holonom_multibody::description::{Axis, Body, Constraint, Description, Force, Joint, frame};
use holonom_multibody::elements::constraints::WheelRailShape;
use holonom_multibody::elements::forces::CreepData;
use holonom_multibody::include::Placement;
use holonom_multibody::start::{Assembled, AssemblyOptions};
use holonom_testing::{Random, description, sensed};
use std::sync::Arc;

/// A little later than the start, so that signals move.
const TIME: f64 = 0.1;

fn assembled(description: &Description, options: &AssemblyOptions) -> Option<Assembled> {
    let model = description.compile().unwrap_or_else(|errors| panic!("{errors}"));
    let start = Arc::new(model).assemble(options).ok()?;
    (!start.rows.singular_start).then_some(start)
}

/// Names and values of all channels.
fn channels(start: &Assembled) -> Vec<(String, f64)> {
    let selection = Catalogue::new(start).everything();
    let mut sampler = Sampler::of_motion(start, &selection).unwrap();
    let mut row = vec![0.0; selection.len()];
    sampler.sample_motion(&start.motion(), &mut row);
    let names = selection.channels().iter().map(|c| c.name.clone());
    names.zip(row).collect()
}

/// Asserts that sensors of all channels of a mechanism read in its images what they read in itself. Gives their
/// number.
fn check(
    part: &Description,
    image: impl Fn(&Description, Axis) -> Description,
    skip: &dyn Fn(&str, Axis) -> bool,
) -> usize {
    let later = AssemblyOptions {
        time: TIME,
        ..Default::default()
    };
    let Some(start) = assembled(part, &later) else {
        return 0;
    };
    let all: Vec<(String, f64)> = channels(&start)
        .into_iter()
        .filter(|(name, _)| !name.starts_with("constraint.") && !name.starts_with("residual."))
        .collect();
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    let part = sensed(part.clone(), &names);
    for axis in Axis::ALL {
        let image = image(&part, axis);
        let model = image.compile().unwrap_or_else(|errors| panic!("{errors}"));
        // From where the original stands, with the signs of the start values.
        let signed = |values: &[f64], from: &[f64], to: &[f64]| {
            let signs = from
                .iter()
                .zip(to)
                .map(|(a, b)| if a * b < 0.0 { -1.0 } else { 1.0 });
            Some(values.iter().zip(signs).map(|(x, sign)| x * sign).collect())
        };
        let options = AssemblyOptions {
            positions: signed(&start.q, &start.model.q0, &model.q0),
            velocities: signed(&start.v, &start.model.v0, &model.v0),
            ..later.clone()
        };
        let found = channels(&assembled(&image, &options).unwrap());
        let size = |name: &str| {
            let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            let near = all.iter().filter(|(other, _)| other.starts_with(stem));
            near.fold(1.0_f64, |most, (_, x)| most.max(x.abs()))
        };
        for (k, (name, value)) in all.iter().enumerate().filter(|(_, (name, _))| !skip(name, axis)) {
            let own = format!("sensed_{k}");
            let sensor = found.iter().find(|(name, _)| name.ends_with(&own)).unwrap();
            assert!(
                (sensor.1 - value).abs() < 1e-8 * size(name),
                "{} {axis:?} {name}: {value}, in the image {}",
                part.name,
                sensor.1
            );
        }
    }
    all.len()
}

#[test]
fn of_random_mechanisms() {
    let mut count = 0;
    for seed in 0..40 {
        let mut part = description(seed, 8);
        part.name = format!("mechanism {seed}");
        count += check(&part, |part, axis| part.clone().mirrored(axis), &|_, _| false);
    }
    assert!(count > 4000, "{count}");
}

/// A wheelset that slips, spins and is pressed to its rails, included somewhere in a host.
#[test]
fn of_wheels_on_rails() {
    let cone = WheelRailShape::cone(0.46, 0.05, 0.3);
    let side = |y: f64| frame::at([0.0, y, 0.0]);
    let mut part = Description::new("wheelset")
        .ground_marker("left", side(0.75))
        .ground_marker("right", side(-0.75))
        .body(
            Body::new("wheelset", 1200.0)
                .inertia([600.0, 90.0, 600.0, 0.0, 0.0, 0.0])
                .marker("left", side(0.75))
                .marker("right", side(-0.75)),
        )
        .joint(
            Joint::free("motion", "ground", "wheelset")
                .start_at(0, 0.3, 20.0)
                .start_at(1, 0.002, 0.1)
                .start_at(2, 0.46, 0.001)
                .orientation([0.99999, 1e-4, 0.003, 0.002])
                .angular_velocity([1e-3, 43.6, 0.2]),
        );
    for (name, right) in [("left", false), ("right", true)] {
        let rail = format!("ground.{name}");
        part = part
            .constraint(Constraint::wheel_rail(
                name,
                format!("wheelset.{name}"),
                rail,
                right,
                cone.clone(),
            ))
            .force(Force::creep(format!("creep_{name}"), name, CreepData::default()));
    }
    let pose = Random::new(5).frame(2.0);
    let image = |part: &Description, axis: Axis| {
        let gravity = pose
            .rotation
            .times(holonom_algebra::Vec3(part.clone().mirrored(axis).gravity))
            .0;
        Description::new("host")
            .gravity(gravity)
            .include(part.clone(), &Placement::new("part_").at(pose).mirror(axis))
            .unwrap()
    };
    let skip = |name: &str, _: Axis| {
        // About the origin of the host, not of the part.
        name == "energy.potential" || name == "energy.total" || name.starts_with("angular_momentum")
    };
    assert!(check(&part, image, &skip) > 60);
}
