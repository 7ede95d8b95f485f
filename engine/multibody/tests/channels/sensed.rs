//! Sensors of all channels there are.

use super::{assembled, at_start, mechanisms};
use holonom_multibody::channels::Catalogue;
use holonom_multibody::description::{Body, Constraint, Control, Description, Force, Joint, frame};
use holonom_multibody::forest::Hint;
use holonom_multibody::residual::{Form, Formalism};
use holonom_multibody::start::AssemblyError;
use holonom_multibody::{Model, Signal};
use std::sync::Arc;

/// What a sensor reads at the start is the channel, whatever it is, and nothing moves otherwise for it.
#[test]
fn every_channel_can_be_sensed() {
    let (mut count, mut readings) = (0, 0);
    for (seed, description, start) in mechanisms(0..60, 8) {
        let channels: Vec<String> = Catalogue::new(&start)
            .channels()
            .map(|channel| channel.name.clone())
            .collect();
        let all = assembled(&holonom_testing::sensed(description, &channels));
        let (plain, values) = (at_start(&start), at_start(&all));
        // A component of a vector is known to the accuracy of the vector.
        let size = |name: &str| {
            let (stem, _) = name.rsplit_once('.').unwrap_or((name, ""));
            let near = plain.iter().filter(|(other, _)| other.starts_with(stem));
            near.fold(1.0_f64, |most, (_, x)| most.max(x.abs()))
        };
        for (k, name) in channels.iter().enumerate() {
            let (own, sensed) = (plain[name], values[&format!("sensed_{k}")]);
            assert!(
                (own - sensed).abs() <= 1e-10 * size(name),
                "mechanism {seed}: {name} = {own}, sensed as {sensed}"
            );
        }
        // The unknowns themselves, as the start has them.
        for (reading, x) in all.model.readings.iter().zip(&all.readings) {
            let name = &all.model.controls[reading.control].name;
            let channel = &channels[reading.control - (all.model.controls.len() - channels.len())];
            assert!(
                (x - plain[channel]).abs() <= 1e-10 * size(channel),
                "mechanism {seed}: {name} of {channel} is {x}, not {}",
                plain[channel]
            );
        }
        count += channels.len();
        readings += all.model.readings.len();
    }
    assert!(count > 5000 && readings > 2000, "{count} {readings}");
}

/// Axes of another frame, and the kind in front.
#[test]
fn accelerations_in_the_axes_of_a_frame() {
    let description = Description::new("turned")
        .body(
            Body::new("arm", 2.0)
                .centre([0.4, 0.0, 0.0])
                .marker("tip", frame::at([0.8, 0.1, 0.2])),
        )
        .joint(
            Joint::revolute("pin", "ground", "arm")
                .axis([0.0, 1.0, 0.0])
                .start(0.4, 3.0),
        )
        .control(Control::sensor("along", "body:arm.tip.acceleration.x").axes("arm"))
        .control(Control::sensor("across", "arm.tip.acceleration.z").axes("arm"))
        .control(Control::sensor("spin", "momentum.x").axes("arm"));
    let start = assembled(&description);
    let values = at_start(&start);
    let [x, z] = ["x", "z"].map(|k| values[&format!("arm.tip.acceleration.{k}")]);
    let (s, c) = 0.4f64.sin_cos();
    // About y: x of the arm is (cos, 0, −sin), z is (sin, 0, cos).
    assert!((values["along"] - (c * x - s * z)).abs() < 1e-12);
    assert!((values["across"] - (s * x + c * z)).abs() < 1e-12);
    // Centripetal along the arm: −ω² r.
    let angular = values["pin.angle.acceleration"];
    assert!((values["along"] - (-9.0 * 0.8 + angular * 0.2)).abs() < 1e-12);
    // All the momentum is across the arm.
    assert!(values["spin"].abs() < 1e-12);
}

/// A mass of 2 kg on a slide, pushed by 3 N and by −k a.
fn pushed(k: f64) -> Arc<Model> {
    let push = Signal::of(&format!("3 - {k}*felt"), &["felt"]).unwrap();
    let description = Description::new("pushed")
        .body(Body::new("mass", 2.0))
        .joint(Joint::prismatic("slide", "ground", "mass").axis([1.0, 0.0, 0.0]))
        .force(Force::motor("push", "slide", push))
        .control(Control::sensor("felt", "mass.acceleration.x"));
    Arc::new(description.compile().unwrap())
}

/// a = F/(m + k), also where the force drives the mass on; with k = −m any acceleration would do, or none.
#[test]
fn a_ring_is_solved_or_named() {
    for k in [0.0, 0.5, 30.0, 1e6, -1.0, -3.0, -1.99999] {
        let start = pushed(k).assemble(&Default::default()).unwrap();
        let expected = 3.0 / (2.0 + k);
        assert!(
            (start.a[0] - expected).abs() < 1e-10 * expected.abs(),
            "{k}: {} {expected}",
            start.a[0]
        );
        assert!((start.readings[0] - expected).abs() < 1e-10 * expected.abs());
    }
    let error = pushed(-2.0).assemble(&Default::default()).unwrap_err();
    assert!(
        matches!(&error, AssemblyError::SensorRing { sensor, channel } if sensor == "felt" && channel == "mass.acceleration.x"),
        "{error:?}"
    );
    let text = error.to_string();
    assert!(text.contains("\"felt\"") && text.contains("`lag`"), "{text}");
}

/// The reaction of a joint and the force that depends on it: a bob on a locked-in rod hangs from a slide, and is
/// lifted by c times what the joint carries: R = m g/(1 + c). The same through a cut joint, whose reaction is a
/// multiplier.
#[test]
fn a_ring_over_a_reaction() {
    let lifted = |cut: bool| {
        let zero = Signal::constant(0.0);
        let lift = Signal::of("0.6*carried", &["carried"]).unwrap();
        let description =
            Description::new("lifted").body(Body::new("bob", 3.0).inertia([0.1, 0.1, 0.1, 0.0, 0.0, 0.0]));
        let description = match cut {
            false => description.joint(Joint::spherical("hook", "ground", "bob")),
            true => description
                .joint(Joint::free("place", "ground", "bob"))
                .joint(Joint::spherical("hook", "ground", "bob").hint(Hint::Cut)),
        };
        description
            .control(Control::sensor("carried", "hook.force.z"))
            .force(Force::applied("lift", "bob", [zero.clone(), zero, lift]))
    };
    for cut in [false, true] {
        let start = assembled(&lifted(cut));
        let expected = 3.0 * 9.81 / 1.6;
        assert!(
            (start.readings[0] - expected).abs() < 1e-10 * expected,
            "{cut}: {} {expected}",
            start.readings[0]
        );
        let values = at_start(&start);
        assert!((values["hook.force.z"] - expected).abs() < 1e-10 * expected);
        let carried = start.reactions(&start.motion());
        assert!(format!("{carried:?}").contains("hook"));
    }
}

/// Impacts: their force and whether they are closed, open or resting.
#[test]
fn contacts_can_be_sensed() {
    for (height, force, closed) in [(0.0, 3.0 * 9.81, 1.0), (0.5, 0.0, 0.0)] {
        let description = Description::new("resting")
            .body(Body::new("bob", 3.0).inertia([0.1, 0.1, 0.1, 0.0, 0.0, 0.0]))
            .body(Body::new("other", 1.0).inertia([0.1, 0.1, 0.1, 0.0, 0.0, 0.0]))
            .joint(Joint::free("place", "ground", "bob").start_at(2, height, 0.0))
            .joint(Joint::free("far", "ground", "other").start_at(2, 2.0, 0.0))
            .constraint(Constraint::impact("above", "ground", "other", 0.0, 0.5))
            .constraint(Constraint::impact("floor", "ground", "bob", 0.0, 0.5))
            .control(Control::sensor("weight", "floor.normal_force"))
            .control(Control::sensor("down", "floor.closed"))
            .control(Control::sensor("gap", "above.gap"));
        let start = assembled(&description);
        let values = at_start(&start);
        assert!((values["weight"] - force).abs() < 1e-10, "{}", values["weight"]);
        assert_eq!((values["down"], values["gap"]), (closed, 2.0));
        assert!((start.readings[0] - force).abs() < 1e-10);
    }
}

/// The start satisfies the equations of every form, with forces that depend on what is read.
#[test]
fn starts_with_rings_are_consistent() {
    let mut count = 0;
    for seed in 0..60 {
        let model = Arc::new(holonom_testing::feeling(seed, 8).compile().unwrap());
        let Ok(start) = model.assemble(&Default::default()) else {
            continue;
        };
        if start.rows.singular_start || !start.rows.dropped.is_empty() {
            continue;
        }
        for form in Form::ALL {
            for formalism in Formalism::ALL {
                let Ok(equations) = start.equations(form, formalism) else {
                    continue;
                };
                let (y, yp) = start.state(&equations);
                let mut r = vec![0.0; y.len()];
                let mut system = equations.system();
                system.residual(start.t, &y, &yp, &mut r).unwrap();
                let largest = |x: &[f64]| x.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
                let size = largest(&y).max(largest(&yp));
                let rest = holonom_testing::largest(r.iter().copied());
                assert!(
                    rest < 1e-10 * size,
                    "mechanism {seed} {form} {formalism}: {rest:e} of {size:e}"
                );
                count += 1;
            }
        }
    }
    assert!(count > 200, "{count}");
}
