//! Broken paths, drivers and sensors.

use crate::corpus::{NAN, pendulum};
use holonom_multibody::Signal;
use holonom_multibody::description::{Control, Description, Path, Pursuit};
use holonom_multibody::elements::controls::{SpeedLaw, SteeringLaw};
use holonom_multibody::path::{Circle, Iso3888One, Iso3888Two, PathKind, Points, Straight};

/// What is wrong, and a mechanism in which it is.
pub fn all() -> Vec<(&'static str, Description)> {
    let law = || SteeringLaw {
        wheelbase: 2.5,
        ..SteeringLaw::default()
    };
    let driver = |kind: PathKind, pursuit: Pursuit, law: SteeringLaw| {
        pendulum()
            .path(Path::new("course", kind))
            .control(Control::driver_steering("driver", pursuit, law))
    };
    let path = |kind| driver(kind, Pursuit::new("course", "arm"), law());
    let through = |x: &[f64], y: &[f64], closed| {
        path(
            Points {
                x: x.to_vec(),
                y: y.to_vec(),
                closed,
                lane: 0.0,
            }
            .into(),
        )
    };
    let steering = |change: &dyn Fn(&mut SteeringLaw)| {
        let mut changed = law();
        change(&mut changed);
        driver(
            Iso3888Two::new(1.8).into(),
            Pursuit::new("course", "arm"),
            changed,
        )
    };
    let pace = |change: &dyn Fn(&mut SpeedLaw)| {
        let mut law = SpeedLaw {
            proportional: 2000.0,
            drive: 1500.0,
            brake: 4000.0,
            ..SpeedLaw::default()
        };
        change(&mut law);
        let control = Control::driver_speed("pace", "arm", Signal::constant(20.0), law);
        pendulum().control(control)
    };
    let sensor = |channel: &str| Control::sensor("sensor", channel);
    let straight = || PathKind::from(Straight { lane: 0.0 });
    vec![
        (
            "a driver on no path",
            pendulum().control(Control::driver_steering(
                "driver",
                Pursuit::new("course", "arm"),
                law(),
            )),
        ),
        (
            "a driver on an unknown path",
            driver(straight(), Pursuit::new("curse", "arm"), law()),
        ),
        (
            "a driver of nothing",
            driver(straight(), Pursuit::new("course", "army"), law()),
        ),
        ("a path of one point", through(&[0.0], &[0.0], false)),
        (
            "a path of coincident points",
            through(&[0.0, 0.0, 0.0], &[1.0, 1.0, 1.0], false),
        ),
        (
            "a closed path of two points",
            through(&[0.0, 10.0], &[0.0, 0.0], true),
        ),
        (
            "a path with more x than y",
            through(&[0.0, 10.0, 20.0], &[0.0, 1.0], false),
        ),
        (
            "a path through a point that is not finite",
            through(&[0.0, 10.0, NAN], &[0.0, 1.0, 2.0], false),
        ),
        (
            "a circle without radius",
            path(
                Circle {
                    radius: 0.0,
                    lane: 0.0,
                }
                .into(),
            ),
        ),
        ("a vehicle without width", path(Iso3888One::new(0.0).into())),
        (
            "a driver who looks back",
            steering(&|law| (law.preview_time, law.preview_distance) = (-0.5, 0.0)),
        ),
        (
            "a driver before his time",
            steering(&|law| (law.anticipation, law.reaction) = (-0.1, -0.1)),
        ),
        (
            "a driver of strange numbers",
            steering(&|law| (law.wheelbase, law.understeer, law.points) = (-1.0, NAN, 0.0)),
        ),
        (
            "a path sensor that asks for borders",
            pendulum()
                .path(Path::new("course", straight()))
                .control(Control::path_sensor(
                    "room",
                    Pursuit::new("course", "arm"),
                    "right",
                )),
        ),
        ("a driver who drives backwards", pace(&|law| law.drive = -1500.0)),
        (
            "a driver who does not brake",
            pace(&|law| (law.brake, law.proportional) = (0.0, -1.0)),
        ),
        (
            "a sensor in the axes of nothing",
            pendulum().control(sensor("arm.velocity.x").axes("army")),
        ),
        (
            "a sensor of no channel",
            pendulum().control(sensor("arm.speed.x")),
        ),
        (
            "a sensor of no component",
            pendulum().control(sensor("arm.end.acceleration.w")),
        ),
    ]
}
