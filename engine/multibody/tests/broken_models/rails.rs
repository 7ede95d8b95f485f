//! Broken wheels, rails and tracks.

use crate::corpus::{NAN, pendulum};
use holonom_expression::{Expression, Scope};
use holonom_multibody::Signal;
use holonom_multibody::description::{Body, Constraint, Description, Force, Track};
use holonom_multibody::elements::constraints::{ProfileKind, WheelRailShape};
use holonom_multibody::elements::forces::CreepData;

fn law_of(text: &str, variable: &str) -> Expression {
    Expression::parse(text, &Scope::new().variable(variable), None).unwrap()
}

/// What is wrong, and a mechanism in which it is.
pub fn all() -> Vec<(&'static str, Description)> {
    let wheel = |change: &dyn Fn(&mut WheelRailShape)| {
        let mut shape = WheelRailShape::cone(0.5, 0.05, 0.3);
        change(&mut shape);
        pendulum().constraint(Constraint::wheel_rail("tread", "arm.end", "ground", false, shape))
    };
    let creep = |contact: &str, change: &dyn Fn(&mut CreepData)| {
        let mut data = CreepData::default();
        change(&mut data);
        wheel(&|_| ()).force(Force::creep("creep", contact, data))
    };
    let curved = |change: &dyn Fn(&mut WheelRailShape)| {
        wheel(&|shape| {
            shape.profile = ProfileKind::Curved;
            change(shape);
        })
    };
    let track = |change: &dyn Fn(&mut Track)| {
        let mut track = Track::new("line", "car");
        change(&mut track);
        pendulum().body(Body::new("car", 0.0)).track(track)
    };
    vec![
        ("a wheel without radius", wheel(&|shape| shape.radius = 0.0)),
        ("a cone that is none", wheel(&|shape| shape.conicity = 1.5)),
        (
            "a rail head without radius",
            wheel(&|shape| shape.head_radius = -0.3),
        ),
        (
            "a contact without smoothing",
            curved(&|shape| shape.smoothing = 0.0),
        ),
        (
            "a profile that ends before it begins",
            curved(&|shape| shape.end = -1.0),
        ),
        ("a profile of too many points", curved(&|shape| shape.step = 1e-9)),
        (
            "a profile of another variable",
            curved(&|shape| shape.rail_profile = law_of("y^2", "y")),
        ),
        (
            "a wheel profile that is infinite",
            curved(&|shape| shape.wheel_profile = law_of("1/(s - s)", "s")),
        ),
        ("creep at no contact", creep("treat", &|_| ())),
        (
            "creep without friction",
            creep("tread", &|data| data.friction = 0.0),
        ),
        (
            "creep of a strange material",
            creep("tread", &|data| data.poisson = 0.7),
        ),
        (
            "friction that grows with the velocity",
            creep("tread", &|data| data.falling.ratio = 1.2),
        ),
        (
            "friction that falls backwards",
            creep("tread", &|data| data.falling.decay = -0.1),
        ),
        (
            "adhesion that is more than that of clean bodies",
            creep("tread", &|data| data.reduction.adhesion = 1.5),
        ),
        (
            "slip that is stiffer than adhesion",
            creep("tread", &|data| {
                data.reduction.adhesion = 0.2;
                data.reduction.slip = 0.4;
            }),
        ),
        ("a track without length", track(&|track| track.length = 0.0)),
        ("a track to nowhere", track(&|track| track.to = "cart".into())),
        (
            "a track that bends infinitely",
            track(&|track| track.curvature = law_of("1/s", "s")),
        ),
        (
            "a track that rises infinitely",
            track(&|track| track.gradient = law_of("1/s", "s")),
        ),
        (
            "a gradient of another variable",
            track(&|track| track.gradient = law_of("0.01*x", "x")),
        ),
        (
            "a track of time",
            track(&|track| track.cant = law_of("0.1*t", "t")),
        ),
        (
            "a travel that is not finite",
            track(&|track| track.travel = Signal::constant(NAN)),
        ),
        (
            "a travel by a control",
            track(&|track| track.travel = Signal::of("5*t + pace", &["pace"]).unwrap()),
        ),
    ]
}
