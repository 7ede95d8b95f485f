//! Names, units, patterns and messages.

use super::*;
use holonom_multibody::Signal;
use holonom_multibody::channels::Input;
use holonom_multibody::description::{Body, Constraint, Force, Joint, Rod, frame};
use holonom_multibody::forest::Hint;
use holonom_multibody::residual::{Form, Formalism};
use std::collections::HashSet;

fn four_bar() -> Description {
    let bar = |name: &str, length: f64| {
        Body::thin_rod(name, 1.0, [length, 0.0, 0.0]).marker("end", frame::at([length, 0.0, 0.0]))
    };
    Description::new("four-bar")
        .gravity([0.0, -9.81, 0.0])
        .ground_marker("right", frame::at([0.4, 0.0, 0.0]))
        .body(bar("crank", 0.15))
        .body(bar("coupler", 0.35))
        .body(bar("rocker", 0.3))
        .joint(Joint::revolute("A", "ground", "crank").start(1.0, 8.0))
        .joint(Joint::revolute("B", "crank.end", "coupler").start(-0.6, 0.0))
        .joint(Joint::revolute("C", "coupler.end", "rocker.end").hint(Hint::Cut))
        .joint(Joint::revolute("D", "ground.right", "rocker").start(1.7, 0.0))
}

fn names(selection: &holonom_multibody::channels::Selection) -> Vec<&str> {
    selection.channels().iter().map(|c| c.name.as_str()).collect()
}

#[test]
fn names_differ_and_units_fit() {
    for (seed, _, start) in mechanisms(0..60, 10) {
        let catalogue = Catalogue::new(&start);
        let mut seen = HashSet::new();
        for channel in catalogue.channels() {
            let place = format!("mechanism {seed}: {channel:?}");
            assert!(seen.insert(channel.name.clone()), "{place}");
            assert!(
                !channel.description.is_empty() && !channel.description.contains("  "),
                "{place}"
            );
            assert!(!channel.name.contains(':'), "{place}");
            let last = channel.name.split('.').nth_back(1).unwrap_or("");
            let unit = match last {
                "position" => "m",
                "velocity" => "m/s",
                "acceleration" => "m/s^2",
                "orientation" => "1",
                "angular_velocity" => "rad/s",
                "angular_acceleration" => "rad/s^2",
                "force" => "N",
                "torque" => "N m",
                "energy" => "J",
                "momentum" => "kg m/s",
                "angular_momentum" => "kg m^2/s",
                _ => continue,
            };
            if channel.name.starts_with("residual.") {
                continue;
            }
            assert_eq!(channel.unit, unit, "{place}");
        }
    }
}

#[test]
fn units_of_single_channels() {
    let description = four_bar()
        .body(Body::cuboid("load", 1.0, [0.1, 0.1, 0.1]))
        .joint(Joint::prismatic("lift", "ground", "load"))
        .constraint(Constraint::driver("drive", "A", Signal::linear(1.0, 8.0)))
        .rod(Rod::new("strut", "ground", "load", 0.2).mass(0.1))
        .force(Force::joint_spring("brake", "lift", 1.0, 0.0, 0.0));
    let model = Arc::new(description.compile().unwrap());
    let start = model.assemble(&Default::default()).unwrap();
    let inputs = [Input {
        name: "road".into(),
        unit: "mm".into(),
        signal: Signal::linear(1.0, 2.0),
    }];
    let catalogue = Catalogue::with_inputs(&start, &inputs);
    for (name, unit) in [
        ("A.angle", "rad"),
        ("A.angle.velocity", "rad/s"),
        ("A.angle.acceleration", "rad/s^2"),
        ("lift.displacement", "m"),
        ("lift.displacement.acceleration", "m/s^2"),
        ("drive.force", "N m"),
        ("brake.force", "N"),
        ("brake.power", "W"),
        ("strut.tension", "N"),
        ("constraint.C.x", "m"),
        ("constraint.C.turn_x", "rad"),
        ("constraint.C.turn_x.rate", "rad/s"),
        ("constraint.drive.sum", "rad"),
        ("input.drive", "rad"),
        ("input.drive.acceleration", "rad/s^2"),
        ("input.road", "mm"),
        ("input.road.rate", "mm/s"),
        ("residual.position", "1"),
    ] {
        let channel = catalogue.find(name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(channel.unit, unit, "{name}");
    }
    let selection = catalogue.select(&["input.road*"]).unwrap();
    let mut row = [0.0; 3];
    let mut sampler = Sampler::of_motion(&start, &selection).unwrap();
    sampler.sample_state(2.0, &start.q, &start.v, &mut row);
    assert_eq!(row, [5.0, 2.0, 0.0]);
}

#[test]
fn descriptions_say_what_is_special() {
    let catalogue = Catalogue::new(&assembled(&four_bar()));
    let text = |name: &str| catalogue.find(name).unwrap().description.clone();
    assert_eq!(
        text("C.angle"),
        "angle of the revolute joint, cut: computed from its frames, in (-pi, pi]"
    );
    assert_eq!(
        text("A.force.x"),
        "x of the force on the second frame at its origin, in the axes of the first"
    );
    assert_eq!(
        text("A.force.z"),
        "z of the force on the second frame at its origin, in the axes of the first; not unique because of \
         redundant constraints: one of many possible values"
    );
    assert_eq!(
        text("crank.end.velocity.y"),
        "y of the velocity of the origin of the marker in the ground's axes"
    );
    let redundant: Vec<&str> = catalogue
        .channels()
        .filter(|c| c.description.ends_with("redundant: the other rows imply it"))
        .map(|c| c.name.as_str())
        .collect();
    assert_eq!(redundant.len(), 6, "{redundant:?}");
}

#[test]
fn what_is_recorded_unasked() {
    let catalogue = Catalogue::new(&assembled(&four_bar()));
    let selection = catalogue.default_selection();
    assert_eq!(
        names(&selection).join(" "),
        "A.angle A.angle.velocity B.angle B.angle.velocity C.angle C.angle.velocity D.angle \
         D.angle.velocity crank.position.x crank.position.y crank.position.z coupler.position.x \
         coupler.position.y coupler.position.z rocker.position.x rocker.position.y rocker.position.z \
         energy.kinetic energy.potential energy.total residual.position residual.velocity"
    );
}

#[test]
fn patterns() {
    let catalogue = Catalogue::new(&assembled(&four_bar()));
    let select = |patterns: &[&str]| {
        let selection = catalogue.select(patterns).unwrap();
        names(&selection).join(" ")
    };
    assert_eq!(select(&["B.angle", "A.angle"]), "B.angle A.angle");
    assert_eq!(select(&["?.angle", "A.angle"]), "A.angle B.angle C.angle D.angle");
    assert_eq!(
        select(&["crank*position.y"]),
        "crank.position.y crank.end.position.y"
    );
    assert_eq!(
        select(&["*.total", "energy.*"]),
        "energy.total energy.kinetic energy.potential"
    );
    assert_eq!(
        select(&["crank.position.[xy]", "[!A-C].angle"]),
        "crank.position.x crank.position.y D.angle"
    );
    assert_eq!(catalogue.select(&["*"]).unwrap().len(), catalogue.len());
    assert!(catalogue.select(&[]).unwrap().is_empty());
}

/// Names may have brackets and stars of their own; such a name still finds its channel.
#[test]
fn names_that_look_like_patterns() {
    for name in ["rod[1]", "rod[1", "rod*", "rod\\"] {
        let model = Description::new("odd")
            .body(Body::new(name, 1.0))
            .joint(Joint::prismatic("slide", "ground", name));
        let catalogue = Catalogue::new(&assembled(&model));
        let channel = format!("{name}.position.x");
        let selection = catalogue.select(&[channel.as_str()]).unwrap();
        assert_eq!(names(&selection), [channel]);
    }
}

#[test]
fn messages() {
    let start = assembled(&four_bar());
    let catalogue = Catalogue::new(&start);
    let message = |pattern: &str| catalogue.select(&["A.angle", pattern]).err().unwrap().to_string();
    for (pattern, text) in [
        (
            "crank.positon.x",
            "there is no channel \"crank.positon.x\"; did you mean \"crank.position.x\"?",
        ),
        (
            "A.angel",
            "there is no channel \"A.angel\"; did you mean \"A.angle\"?",
        ),
        ("crnk.*", "no channel fits \"crnk.*\"; did you mean \"crank.*\"?"),
        (
            "crank.ende.position.*",
            "no channel fits \"crank.ende.position.*\"; did you mean \"crank.end.position.*\"?",
        ),
        (
            "rocker.velocty.?",
            "no channel fits \"rocker.velocty.?\"; did you mean \"rocker.velocity.?\"?",
        ),
        (
            "something else entirely",
            "there is no channel \"something else entirely\"; available channels include \"A.angle\", \
             \"A.angle.velocity\", \"A.angle.acceleration\"",
        ),
        (
            "*.zzz",
            "no channel fits \"*.zzz\"; available channels include \"A.angle\", \"A.angle.velocity\", \
             \"A.angle.acceleration\"",
        ),
        (
            "rocker.velocty.[xy]",
            "no channel fits \"rocker.velocty.[xy]\"; did you mean \"rocker.velocity.[xy]\"?",
        ),
        (
            "crank.position.[xy",
            "the pattern `crank.position.[xy` has an unclosed `[` at character 16; close it, or write `\\[` \
             for a literal bracket",
        ),
        (
            "crank.position.[z-x]",
            "the pattern `crank.position.[z-x]` has the empty range z-x; write x-z",
        ),
        ("", "the pattern is empty; write `*` for all names"),
    ] {
        assert_eq!(message(pattern), text);
    }
    let other = assembled(&four_bar());
    let equations = other.equations(Form::Ggl, Formalism::Residual).unwrap();
    let wrong = Sampler::new(&other, &equations, &catalogue.everything())
        .err()
        .unwrap();
    assert_eq!(
        wrong.to_string(),
        "the channels were selected for `four-bar`, compiled or assembled apart from the `four-bar` that is \
         sampled: select them from the catalogue of the same assembled mechanism"
    );
    assert!(Sampler::new(&start, &equations, &catalogue.everything()).is_err());
}

/// Channels that would have the same name carry the kind of what they belong to; others do not.
#[test]
fn names_that_coincide() {
    let description = Description::new("ball")
        .body(Body::cuboid("ball", 1.0, [0.1, 0.2, 0.3]).marker("top", frame::at([0.0, 0.0, 0.1])))
        .body(Body::cuboid("arm", 1.0, [0.1, 0.2, 0.3]))
        .joint(Joint::spherical("ball", "ground", "ball"))
        .joint(Joint::revolute("arm", "ground", "arm").prescribed(0, Signal::constant(0.0)))
        .force(Force::applied(
            "arm",
            "arm",
            [1.0, 2.0, 3.0].map(Signal::constant),
        ));
    let start = assembled(&description);
    let input = |name: &str| Input {
        name: name.into(),
        unit: "1".into(),
        signal: Signal::constant(1.0),
    };
    let catalogue = Catalogue::with_inputs(&start, &[input("arm.angle"), input("u"), input("u")]);
    for name in [
        "body:ball.orientation.w",
        "joint:ball.orientation.w",
        "body:ball.position.x",
        "body:ball.top.position.x",
        "joint:ball.force.x",
        "joint:arm.force.x",
        "force:arm.force.x",
        "joint:arm.angle",
        "arm.position.x",
        "joint:input.arm.angle",
        "input:input.arm.angle",
        "input:input.u",
        "input:input.u#2",
        "energy.total",
    ] {
        assert!(catalogue.find(name).is_some(), "{name}");
    }
    let distinct: HashSet<&str> = catalogue.channels().map(|c| c.name.as_str()).collect();
    assert_eq!(distinct.len(), catalogue.len());
    // Patterns find them with and without the kind.
    let chosen = |pattern: &str| {
        let selection = catalogue.select(&[pattern]).unwrap();
        names(&selection).join(" ")
    };
    assert_eq!(
        chosen("ball.orientation.w"),
        "joint:ball.orientation.w body:ball.orientation.w"
    );
    assert_eq!(chosen("body:ball.orientation.w"), "body:ball.orientation.w");
    assert_eq!(chosen("ball.position.z"), "body:ball.position.z");
}
