//! A mass on a moving belt, held by a spring: it sticks and slips. The limit cycle of Coulomb's
//! law with different coefficients at rest and in motion is known in closed form.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use holonom::multibody::description::{Body, Description, Force, ForceKind, Joint, frame};
use holonom::multibody::elements::forces::JointFriction;
use holonom::multibody::residual::{Form, Formalism};
use holonom::multibody::{Model, Signal};
use holonom::prelude::*;
use std::sync::Arc;

const MASS: f64 = 1.0;
const STIFFNESS: f64 = 100.0;
const SLIDING: f64 = 0.3;
const EXCESS: f64 = 0.2;
const BELT: f64 = 0.1;
const GRAVITY: f64 = 10.0;

/// With the weight as a constant normal force on a joint in the tree, or as the reaction of a cut
/// joint: the mass then has a free joint to the ground, and the slide on the belt is a constraint.
fn oscillator(scale: f64, from_weight: bool) -> Arc<Model> {
    let slide = Joint::prismatic("contact", "belt", "mass").axis([1.0, 0.0, 0.0]);
    let mut friction = Force::joint_friction("rub", "contact", SLIDING, MASS * GRAVITY);
    if let ForceKind::JointFriction(JointFriction {
        stribeck,
        stribeck_velocity,
        transition_velocity,
        normal_force,
        from_reaction,
        ..
    }) = &mut friction.kind
    {
        *stribeck = EXCESS;
        *stribeck_velocity = 2e-2 * scale * BELT;
        *transition_velocity = 2e-4 * scale * BELT;
        if from_weight {
            (*normal_force, *from_reaction) = (0.0, true);
        }
    }
    let description = Description::new("stick and slip")
        .gravity([0.0, 0.0, -GRAVITY])
        .ground_marker("wall", frame::at([-1.0, 0.0, 0.0]))
        .body(Body::new("belt", 1.0).inertia([0.1, 0.1, 0.1, 0.0, 0.0, 0.0]))
        .body(Body::new("mass", MASS).inertia([0.1, 0.1, 0.1, 0.0, 0.0, 0.0]))
        .joint(
            Joint::prismatic("drive", "ground", "belt")
                .axis([1.0, 0.0, 0.0])
                .prescribed(0, Signal::linear(0.0, BELT)),
        )
        .force(Force::spring_damper(
            "spring",
            "ground.wall",
            "mass",
            STIFFNESS,
            0.0,
            1.0,
        ))
        .force(friction);
    let description = if from_weight {
        description
            .joint(Joint::free_cardan("place", "ground", "mass").start_at(0, 0.0, BELT))
            .joint(slide)
    } else {
        description.joint(slide)
    };
    Arc::new(description.compile().unwrap())
}

/// Period and largest displacement of the last cycle.
fn cycle(model: &Arc<Model>, form: Form, end: f64) -> (f64, f64) {
    let start = model.assemble(&Default::default()).unwrap();
    let equations = start.equations(form, Formalism::Residual).unwrap();
    let (y, yp) = start.state(&equations);
    let cut = !model.constraints.is_empty();
    let step = 2e-4;
    let times: Vec<f64> = (1..)
        .map(|k| step * f64::from(k))
        .take_while(|t| *t < end)
        .collect();
    let options = Options::new(1e-6, 1e-8).outputs(times);
    let solution = solve(equations.system(), (0.0, end), &y, &yp, options).unwrap();
    // The displacement of the mass in the ground's frame.
    let place = |t: f64, y: &[f64]| if cut { y[0] } else { BELT * t + y[0] };
    let middle = SLIDING * MASS * GRAVITY / STIFFNESS;
    let mut crossings = Vec::new();
    let (mut largest, mut last) = (0.0_f64, (0.0, 0.0));
    for (t, y) in &solution.outputs {
        let x = place(*t, y);
        if last.1 < middle && x >= middle {
            crossings.push(last.0 + (t - last.0) * (middle - last.1) / (x - last.1));
        }
        if *t > 0.5 * end {
            largest = largest.max(x);
        }
        last = (*t, x);
    }
    let [.., before, after] = crossings[..] else {
        panic!("no cycle: {crossings:?}")
    };
    (after - before, largest)
}

/// Slip from rest on the belt with F_s = k x, as ξ = D cos ωt + (V/ω) sin ωt about F_k/k until the
/// velocity is V again: ωT = π + 2 atan(V/(ωD)); then stick over 2D at V.
fn exact() -> (f64, f64) {
    let omega = (STIFFNESS / MASS).sqrt();
    let d = EXCESS * MASS * GRAVITY / STIFFNESS;
    let slip = (core::f64::consts::PI + 2.0 * (BELT / (omega * d)).atan()) / omega;
    let middle = SLIDING * MASS * GRAVITY / STIFFNESS;
    (slip + 2.0 * d / BELT, middle + d.hypot(BELT / omega))
}

#[test]
fn the_limit_cycle_approaches_that_of_coulomb() {
    let (period, largest) = exact();
    let mut errors = Vec::new();
    for scale in [1.0, 0.1, 0.01] {
        let (p, x) = cycle(&oscillator(scale, false), Form::Ode, 2.5);
        errors.push(((p / period - 1.0).abs(), (x / largest - 1.0).abs()));
    }
    println!("period {period}, largest {largest}: relative errors {errors:?}");
    for pair in errors.windows(2) {
        assert!(pair[1].0 < 0.25 * pair[0].0, "period: {errors:?}");
        assert!(pair[1].1 < 0.25 * pair[0].1, "largest: {errors:?}");
    }
    assert!(errors[2].0 < 1e-3 && errors[2].1 < 1e-3, "{errors:?}");
}

/// The reaction of a cut joint is the weight: the same cycle, in every form that has multipliers.
#[test]
fn the_normal_force_of_a_reaction_gives_the_same_cycle() {
    let (period, largest) = cycle(&oscillator(1.0, false), Form::Ode, 1.8);
    let model = oscillator(1.0, true);
    assert!(model.needs_lambda);
    for form in [Form::Ggl, Form::Index1, Form::Index2] {
        let (p, x) = cycle(&model, form, 1.8);
        println!("{form}: {p} {x} beside {period} {largest}");
        assert!((p / period - 1.0).abs() < 1e-3, "{form}: {p} {period}");
        assert!((x / largest - 1.0).abs() < 1e-3, "{form}: {x} {largest}");
    }
}

#[test]
fn a_reaction_needs_a_joint_that_is_not_locked() {
    let hinged = |hint: bool| {
        let joint = Joint::revolute("pin", "ground", "arm");
        let joint = if hint { joint.locked(0, 0.0) } else { joint };
        let mut friction = Force::joint_friction("rub", "pin", 0.1, 0.0);
        if let ForceKind::JointFriction(JointFriction { from_reaction, .. }) = &mut friction.kind {
            *from_reaction = true;
        }
        let arm = Body::new("arm", 1.0).inertia([0.1, 0.1, 0.1, 0.0, 0.0, 0.0]);
        let description = Description::new("arm").body(arm).joint(joint).force(friction);
        description.compile()
    };
    // A free joint carries the arm in the tree.
    let alone = hinged(false).unwrap();
    assert_eq!((alone.joints[1].name.as_str(), alone.tree.n_v), ("pin_free", 6));
    let locked = hinged(true).unwrap_err().to_string();
    assert!(locked.contains("locked"), "{locked}");
}
