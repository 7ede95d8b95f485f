//! Starts that work but may not be meant.

use super::*;
use holonom_multibody::description::Called;
use holonom_multibody::elements::forces::SpringDamper;
use holonom_multibody::elements::references::Named;
use holonom_multibody::start::Warning;

/// A weight on a vertical guide, its hook where the spring is fixed.
fn weight(spring: impl Into<Force>) -> Description {
    Description::new("weight")
        .ground_marker("hook", frame::at([0.0, 0.0, 1.0]))
        .body(Body::ball("weight", 1.0, 0.1).marker("hook", frame::at([0.0, 0.0, 0.4])))
        .joint(Joint::prismatic("guide", "ground", "weight").start(0.6, 0.0))
        .force(spring)
}

fn spring(free_length: f64) -> Called<SpringDamper<Named>> {
    Force::spring_damper("spring", "ground.hook", "weight.hook", 100.0, 1.0, free_length)
}

#[test]
fn a_spring_of_zero_length_with_tension_is_reported() {
    let expected = [Warning::SpringWithoutDirection {
        force: "spring".into(),
    }];
    for force in [spring(0.3), spring(0.0).preload(5.0)] {
        let start = assembled(&weight(force));
        assert_eq!(start.warnings, expected);
        let text = start.warnings[0].to_string();
        assert!(
            text.contains("\"spring\"") && text.contains("no direction"),
            "{text}"
        );
        // Only gravity acts then.
        assert!((start.a[0] + 9.81).abs() < 1e-12);
    }
    // No direction is needed without tension, and there is one as soon as the ends are apart.
    assert_eq!(assembled(&weight(spring(0.0))).warnings, []);
    assert_eq!(assembled(&weight(spring(0.3).preload(30.0))).warnings, []);
    let mut apart = weight(spring(0.3));
    apart.joints[0].coordinates[0].position += 1e-6;
    assert_eq!(assembled(&apart).warnings, []);
}

#[test]
fn a_distance_that_starts_at_zero_is_reported() {
    let free = |joint: Joint| {
        Description::new("ball")
            .body(Body::ball("ball", 1.0, 0.1))
            .joint(joint)
    };
    let at = |x: f64| {
        free(Joint::free("float", "ground", "ball").start(x, 0.0))
            .constraint(Constraint::distance("thread", "ground", "ball", 2.0))
    };
    let start = assembled(&at(0.0));
    let expected = |constraint: &str| {
        [Warning::DistanceWithoutDirection {
            constraint: constraint.into(),
        }]
    };
    assert_eq!(start.warnings, expected("thread"));
    assert!(start.warnings[0].to_string().contains("in which they are apart"));
    let length = start.q[..3].iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!((length - 2.0).abs() < 1e-10, "{length}");
    assert_eq!(assembled(&at(0.1)).warnings, []);
    let rod = free(Joint::free("float", "ground", "ball")).rod(Rod::new("link", "ground", "ball", 0.5));
    assert_eq!(assembled(&rod).warnings, expected("link"));
}
