//! Controls in runs, against closed solutions.

#![allow(clippy::unwrap_used)]

use holonom::multibody::channels::{Catalogue, Sampler};
use holonom::multibody::description::{Body, Control, ControlKind, Description, Force, Joint, frame};
use holonom::multibody::elements::controls::Lag;
use holonom::multibody::residual::{Form, Formalism};
use holonom::multibody::{Model, Signal};
use holonom::prelude::*;
use std::sync::Arc;

fn of(text: &str, names: &[&str]) -> Signal {
    Signal::of(text, names).unwrap()
}

/// A mass of 2 kg on a slide along x, with a force on it that is given.
fn slide(controls: Vec<Control>, force: Signal) -> Description {
    let slide = Joint::prismatic("slide", "ground", "mass").axis([1.0, 0.0, 0.0]);
    let description = Description::new("servo")
        .gravity([0.0; 3])
        .body(Body::new("mass", 2.0))
        .joint(slide.start(0.3, 0.0))
        .force(Force::motor("push", "slide", force));
    controls.into_iter().fold(description, Description::control)
}

/// Values of channels at the end of a run.
fn end(model: &Arc<Model>, form: Form, t: f64, channels: &[&str]) -> Vec<f64> {
    let start = model.assemble(&Default::default()).unwrap();
    let equations = start.equations(form, Formalism::Residual).unwrap();
    let (y, yp) = start.state(&equations);
    let selection = Catalogue::new(&start).select(channels).unwrap();
    let mut sampler = Sampler::new(&start, &equations, &selection).unwrap();
    let solution = solve(equations.system(), (0.0, t), &y, &yp, Options::new(1e-9, 1e-9)).unwrap();
    let mut row = vec![0.0; selection.len()];
    sampler.sample(t, &solution.y, &[], &mut row);
    row
}

fn compiled(description: Description) -> Arc<Model> {
    Arc::new(description.compile().unwrap())
}

/// P and D from sensors of position and velocity: 2 ẍ = −50 x − 8 ẋ.
#[test]
fn a_loop_over_sensors_is_a_spring_and_a_damper() {
    let controls = vec![
        Control::expression("law", of("-50*place - 8*speed", &["place", "speed"])),
        Control::sensor("place", "slide.displacement").into(),
        Control::sensor("speed", "mass.velocity.x").into(),
    ];
    let model = compiled(slide(controls, of("law", &["law"])));
    // x = e^{−2t}(0.3 cos ωt + (0.6/ω) sin ωt), ω² = 25 − 4.
    let omega = 21f64.sqrt();
    for form in [Form::Ode, Form::Ggl, Form::Index3] {
        let found = end(
            &model,
            form,
            0.8,
            &["slide.displacement", "law", "place", "push.force"],
        );
        let (s, c) = (omega * 0.8).sin_cos();
        let decay = (-1.6f64).exp();
        let x = decay * (0.3 * c + 0.6 / omega * s);
        let v = decay * (-0.3 * (omega + 4.0 / omega) * s);
        assert!(
            (found[0] - x).abs() < 1e-7 && (found[2] - x).abs() < 1e-7,
            "{form} {found:?} {x}"
        );
        let law = -50.0 * x - 8.0 * v;
        assert!(
            (found[1] - law).abs() < 1e-5 && (found[3] - law).abs() < 1e-5,
            "{form} {found:?} {law}"
        );
    }
}

/// The integral part takes away what a constant load leaves of the error.
#[test]
fn integral_action_leaves_no_error() {
    let controls = vec![
        Control::sensor("place", "slide.displacement").into(),
        Control::pid("controller", of("place", &["place"]), [200.0, 300.0, 40.0])
            .target(Signal::constant(0.1))
            .into(),
    ];
    let model = compiled(slide(controls, of("controller - 7", &["controller"])));
    let found = end(
        &model,
        Form::Ode,
        20.0,
        &["slide.displacement", "controller", "controller.integral"],
    );
    assert!((found[0] - 0.1).abs() < 1e-6, "{found:?}");
    assert!(
        (found[1] - 7.0).abs() < 1e-5 && (found[2] - 7.0).abs() < 1e-5,
        "{found:?}"
    );
}

/// A limited controller that cannot reach its target does not wind up: it holds the limit, its
/// integral part stays bounded, and it is back at once.
#[test]
fn limits_hold_and_do_not_wind_up() {
    let far = Control::pid("controller", of("place", &["place"]), [10.0, 20.0, 0.0])
        .target(of("if(t < 5, 100, 0)", &[]))
        .limits(-3.0, 2.0);
    let place = Control::expression("place", Signal::constant(0.0));
    let model = compiled(slide(vec![far.into(), place], Signal::constant(0.0)));
    let held = end(&model, Form::Ode, 4.9, &["controller", "controller.integral"]);
    assert!((held[0] - 2.0).abs() < 1e-9, "{held:?}");
    // u = 10·100 + w and ẇ = 2000 + (2 − u)/0.5 = 0: w = 2, not the 9800 of an integral alone.
    assert!((held[1] - 2.0).abs() < 1e-2, "{held:?}");
}

/// Step responses of transfer functions and lags.
#[test]
fn transfer_functions_answer_a_step() {
    let step = || Signal::constant(1.0);
    let mut lag = Control::lag("lag", step(), 0.4);
    if let ControlKind::Lag(Lag { start, .. }) = &mut lag.kind {
        *start = 0.5;
    }
    let controls = vec![
        lag,
        // 1/(s² + 2·0.3·4 s + 16), and (s + 1)/(2 s + 1) with direct part.
        Control::transfer_function("second", step(), [16.0], [1.0, 2.4, 16.0]),
        Control::transfer_function("lead", step(), [1.0, 1.0], [2.0, 1.0]),
        Control::transfer_function("gain", of("lead", &["lead"]), [3.0], [2.0]),
    ];
    let model = compiled(slide(controls, Signal::constant(0.0)));
    let t = 0.7;
    let found = end(&model, Form::Ode, t, &["lag", "second", "lead", "gain"]);
    let (d, w) = (1.2f64, (16.0f64 - 1.44).sqrt());
    let expected = [
        1.0 - 0.5 * (-t / 0.4f64).exp(),
        1.0 - (-d * t).exp() * ((w * t).cos() + d / w * (w * t).sin()),
        1.0 - 0.5 * (-t / 2.0f64).exp(),
        1.5 * (1.0 - 0.5 * (-t / 2.0f64).exp()),
    ];
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < 1e-7, "{found:?} {expected:?}");
    }
}

/// A sensor of the tension of a rod: the force that depends on it is found with the multiplier.
#[test]
fn a_sensor_of_a_multiplier() {
    use holonom::multibody::description::Constraint;
    // A pendulum of a free point mass; a push along the rod by half its tension makes λ = m g / 1.5.
    let model = Description::new("hanging")
        .body(Body::new("bob", 3.0).inertia([0.1, 0.1, 0.1, 0.0, 0.0, 0.0]))
        .joint(Joint::free("place", "ground", "bob").start_at(2, -1.0, 0.0))
        .constraint(Constraint::distance("rope", "ground", "bob", 1.0))
        .control(Control::sensor("tension", "rope.tension"))
        .force(Force::applied(
            "lift",
            "bob",
            [
                Signal::constant(0.0),
                Signal::constant(0.0),
                of("0.5*tension", &["tension"]),
            ],
        ));
    let model = compiled(model);
    assert!(model.needs_lambda);
    for form in [Form::Ggl, Form::Index1, Form::Index2, Form::Index3] {
        let found = end(&model, form, 0.2, &["tension", "rope.tension", "lift.force.z"]);
        let expected = 3.0 * 9.81 / 1.5;
        assert!((found[0] - expected).abs() < 1e-6, "{form} {found:?}");
        assert!((found[1] - expected).abs() < 1e-6, "{form} {found:?}");
        assert!((found[2] - 0.5 * expected).abs() < 1e-6, "{form} {found:?}");
    }
}

/// Sensors show what the channels of the same name show, whatever the element, with their units.
#[test]
fn sensors_read_all_of_force_elements() {
    let body = |name: &str| Body::new(name, 2.0).inertia([0.1, 0.2, 0.3, 0.0, 0.0, 0.0]);
    let mut description = Description::new("measured")
        .ground_marker("wall", frame::at([0.2, -0.5, 0.7]))
        .body(body("arm").marker("tip", frame::at([0.4, 0.1, 0.0])))
        .body(body("load"))
        .joint(
            Joint::revolute("shoulder", "ground", "arm")
                .axis([0.2, 1.0, 0.3])
                .start(0.4, 1.0),
        )
        .joint(
            Joint::free("flight", "ground", "load")
                .start_at(0, 0.9, 0.3)
                .start_at(2, 0.5, 0.2),
        )
        .force(Force::spring_damper(
            "spring",
            "ground.wall",
            "arm.tip",
            40.0,
            3.0,
            0.3,
        ))
        .force(Force::torsion_spring("twist", "ground", "arm", 7.0, 0.5, 0.1))
        .force(Force::joint_spring("hold", "shoulder", 5.0, 0.4, 0.2))
        .force(Force::bushing(
            "mount",
            "arm",
            "load",
            holonom::multibody::elements::forces::BushingLaw::diagonal([9.0; 6], [0.3; 6]),
        ));
    let channels = [
        ("spring.length", "m"),
        ("spring.tension", "N"),
        ("spring.force.y", "N"),
        ("spring.power", "W"),
        ("spring.energy", "J"),
        ("twist.angle", "rad"),
        ("twist.moment", "N m"),
        ("twist.torque.z", "N m"),
        ("hold.force", "N m"),
        ("mount.force.x", "N"),
        ("mount.torque.z", "N m"),
        ("load.velocity.z", "m/s"),
    ];
    for (k, (channel, _)) in channels.iter().enumerate() {
        description = description.control(Control::sensor(format!("s{k}"), *channel));
    }
    // What is measured acts, so that it enters the derivatives.
    let sum = (0..channels.len())
        .map(|k| format!("0.01*s{k}"))
        .collect::<Vec<_>>()
        .join(" + ");
    let names: Vec<String> = (0..channels.len()).map(|k| format!("s{k}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    description = description.force(Force::motor("motor", "shoulder", of(&sum, &names)));
    let model = compiled(description);
    let start = model.assemble(&Default::default()).unwrap();
    let catalogue = holonom::multibody::channels::Catalogue::new(&start);
    for (k, (channel, unit)) in channels.iter().enumerate() {
        for name in [format!("s{k}"), (*channel).to_string()] {
            let found = catalogue.select(&[name.as_str()]).unwrap();
            assert_eq!(found.channels()[0].unit, *unit, "{name}");
        }
        let own = format!("s{k}");
        let found = end(&model, Form::Ode, 0.3, &[own.as_str(), *channel]);
        assert_eq!(found[0].to_bits(), found[1].to_bits(), "{channel} {found:?}");
        assert!(found[0] != 0.0, "{channel}");
    }
}

#[test]
fn faults_are_named() {
    let refused = |controls: Vec<Control>, force: Signal| {
        slide(controls, force)
            .compile()
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    let none = || Signal::constant(0.0);
    let ring = refused(
        vec![
            Control::expression("a", of("b", &["b"])),
            Control::expression("b", of("c + 1", &["c"])),
            Control::expression("c", of("2*a", &["a"])),
        ],
        none(),
    );
    assert!(
        ring.contains("\"a\" -> \"b\" -> \"c\"") && ring.contains("lag"),
        "{ring}"
    );
    // A lag in it opens the ring.
    let open = slide(
        vec![
            Control::expression("a", of("b", &["b"])),
            Control::lag("b", of("a", &["a"]), 0.1),
        ],
        none(),
    );
    assert_eq!(open.compile().unwrap().control_order, [1, 0]);
    let unknown = refused(
        vec![Control::sensor("place", "slide.displacement").into()],
        of("plase", &["plase"]),
    );
    assert!(unknown.contains("did you mean \"place\"?"), "{unknown}");
    for (channel, reason) in [
        (
            "slide.displacement.aceleration",
            "slide.displacement.acceleration",
        ),
        ("mass.acceleration.w", "no such channel"),
        ("slide.angle", "no such channel"),
        ("push.force.x", "force"),
    ] {
        let text = refused(vec![Control::sensor("s", channel).into()], none());
        assert!(text.contains(channel) && text.contains(reason), "{text}");
    }
    let improper = refused(
        vec![Control::transfer_function("d", none(), [1.0, 0.0], [1.0])],
        none(),
    );
    assert!(improper.contains("denominator"), "{improper}");
    let limits = refused(
        vec![Control::pid("p", none(), [1.0, 0.0, 0.0]).limits(1.0, 1.0).into()],
        none(),
    );
    assert!(limits.contains("below"), "{limits}");
    let name = refused(vec![Control::expression("two words", none())], none());
    assert!(name.contains("two words"), "{name}");
    let followed = Description::new("followed")
        .ground_marker("seat", frame::at([0.0; 3]))
        .body(Body::new("mass", 1.0))
        .joint(Joint::prismatic("slide", "ground", "mass").prescribed(0, of("c", &["c"])))
        .control(Control::expression("c", none()));
    let text = followed.compile().unwrap_err().to_string();
    assert!(text.contains("servo") && text.contains("\"c\""), "{text}");
}

/// A load that rides on a base which shakes along y, with a spring and a little damping, and a sky-hook
/// damper: the force −c v, with v from what `sensor` and `filter` say.
fn ride(sensor: &str, numerator: &str) -> String {
    format!(
        r#"
[model]
format = 1
name = "ride"
gravity = [0, 0, 0]

[[body]]
name = "base"
mass = 1

[[body]]
name = "load"
mass = 250

[[joint]]
name = "shaken"
kind = "prismatic"
axis = [0, 1, 0]
from = "ground"
to = "base"
displacement = {{ follows = "0.02*sin(9*t)^2" }}

[[joint]]
name = "ride"
kind = "prismatic"
axis = [0, 1, 0]
from = "base"
to = "load"

[[force]]
name = "suspension"
kind = "joint-spring"
coordinate = "ride"
stiffness = 16e3
damping = 200

[[control]]
name = "sensor"
kind = "sensor"
channel = "{sensor}"

[[control]]
name = "speed"
kind = "transfer-function"
input = "sensor"
numerator = {numerator}
denominator = [1, 0.5]

[[force]]
name = "actuator"
kind = "applied"
frame = "load"
force = [0, "-3000*speed", 0]

[simulation]
t_end = "2 s"
output_step = "50 ms"
rtol = 1e-9
atol = 1e-9
"#
    )
}

/// Rows of some channels along a run of model files, the first of which is run.
fn rows(files: &[(&str, String)], form: &str, channels: &[&str]) -> Vec<Vec<f64>> {
    use holonom::format::{Files, read};
    use holonom::simulation::{Memory, RunOptions, Simulation};
    let all = files.iter().map(|(name, text)| (name.to_string(), text.clone()));
    let mut file = read(files[0].0, &Files::in_memory(all), &[]).unwrap_or_else(|e| panic!("{e}"));
    file.settings.form = Some(form.to_string());
    let simulation = Simulation::new(&file, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
    let options = RunOptions::new(simulation.catalogue.select(channels).unwrap());
    let mut memory = Memory::default();
    simulation.run(&options, &mut memory).unwrap();
    memory.0
}

/// An accelerometer whose low-passed integral 1/(s + ε) drives a sky-hook damper is, exactly, a speedometer with the
/// high-pass s/(s + ε) at the same damper.
#[test]
fn an_accelerometer_feeds_a_skyhook_damper() {
    let channels = ["load.position.y", "load.acceleration.y", "speed"];
    let felt = ride("load.acceleration.y", "[1]");
    let seen = ride("load.velocity.y", "[1, 0]");
    for form in ["ode", "ggl"] {
        let felt = rows(&[("felt.toml", felt.clone())], form, &channels);
        let seen = rows(&[("seen.toml", seen.clone())], form, &channels);
        assert_eq!((felt.len(), seen.len()), (41, 41));
        let moved = felt.iter().map(|row| row[1].abs()).fold(0.0, f64::max);
        assert!(moved > 1e-3, "{moved}");
        for (a, b) in felt.iter().zip(&seen) {
            for k in 1..=channels.len() {
                assert!(
                    (a[k] - b[k]).abs() < 1e-6 * (1.0 + a[k].abs()),
                    "{form} t = {}: {a:?} {b:?}",
                    a[0]
                );
            }
        }
    }
}

/// The same as a part, and as its mirror image beside it: the image moves the other way, and its sensor
/// shows the same.
#[test]
fn a_part_with_an_accelerometer_has_its_mirror_image() {
    let host = r#"
[model]
format = 1
name = "pair"
gravity = [0, 0, 0]

[[include]]
file = "ride.toml"
prefix = "left_"
position = [0, 1, 0]

[[include]]
file = "ride.toml"
prefix = "right_"
position = [0, -1, 0]
mirror = "y"

[[control]]
name = "all"
kind = "sensor"
channel = "energy.total"

[simulation]
t_end = "1 s"
output_step = "50 ms"
rtol = 1e-9
atol = 1e-9
"#;
    let ride = ride("load.acceleration.y", "[1]");
    let files = [("pair.toml", host.to_string()), ("ride.toml", ride)];
    let channels = [
        "left_load.velocity.y",
        "right_load.velocity.y",
        "left_sensor",
        "right_sensor",
        "left_load.acceleration.y",
        "all",
        "energy.total",
    ];
    for row in rows(&files, "ggl", &channels) {
        let [t, left, right, felt, mirrored, a, all, energy] = row[..] else {
            panic!("{row:?}");
        };
        assert!((left + right).abs() < 1e-7, "t = {t}: {left} {right}");
        assert!((felt - mirrored).abs() < 1e-6, "t = {t}: {felt} {mirrored}");
        assert!((felt - a).abs() < 1e-10 * (1.0 + a.abs()), "t = {t}: {felt} {a}");
        assert!(
            (all - energy).abs() < 1e-10 * (1.0 + energy),
            "t = {t}: {all} {energy}"
        );
    }
}
