//! Eigenvalues against closed formulas.

#![allow(clippy::unwrap_used)]

use holonom_analysis::modes::{Modes, modes, state_of};
use holonom_analysis::statics::{Equilibrium, StaticsOptions, equilibrium};
use holonom_multibody::Description;
use holonom_multibody::description::{Body, Constraint, Force, Joint, frame};
use holonom_multibody::start::Assembled;
use std::sync::Arc;

fn assembled(d: &Description) -> Assembled {
    Arc::new(d.compile().unwrap())
        .assemble(&Default::default())
        .unwrap()
}

fn at_rest(d: &Description) -> (Equilibrium, Modes) {
    let rest = equilibrium(&assembled(d), &StaticsOptions::default()).unwrap();
    let found = modes(&rest.start, &rest.state).unwrap();
    (rest, found)
}

fn near(x: f64, exact: f64) {
    assert!(
        (x - exact).abs() <= 1e-9 * exact.abs().max(1e-3),
        "{x} is not {exact}"
    );
}

/// Masses on a line between springs and dampers, with the last one free.
fn chain(n: usize, mass: f64, stiffness: f64, damping: f64, fixed: bool) -> Description {
    let mut d = Description::new("chain").gravity([0.0; 3]);
    for i in 0..n {
        d = d.body(Body::new(format!("m{i}"), mass)).joint(
            Joint::prismatic(format!("x{i}"), "ground", format!("m{i}"))
                .axis([1.0, 0.0, 0.0])
                .start(1.0 + i as f64, 0.0),
        );
        let from = if i == 0 {
            "ground".to_string()
        } else {
            format!("m{}", i - 1)
        };
        if i > 0 || fixed {
            d = d.force(Force::spring_damper(
                format!("s{i}"),
                from,
                format!("m{i}"),
                stiffness,
                damping,
                1.0,
            ));
        }
    }
    d
}

#[test]
fn a_chain_of_masses() {
    let (n, m, k, c) = (7, 1.5, 800.0, 2.0);
    let (rest, found) = at_rest(&chain(n, m, k, c, true));
    assert_eq!(
        (found.zeros, found.degrees_of_freedom, found.states),
        (0, n, 2 * n)
    );
    assert_eq!(rest.stability.word(), "stable");
    for (i, mode) in found.modes.iter().enumerate() {
        // Fixed at one end, free at the other.
        let s = ((2 * i + 1) as f64 * core::f64::consts::PI / (4 * n + 2) as f64).sin();
        let omega = 2.0 * (k / m).sqrt() * s;
        let zeta = c / (2.0 * k) * omega;
        near(mode.eigenvalue.re, -zeta * omega);
        near(mode.eigenvalue.im, omega * (1.0 - zeta * zeta).sqrt());
        near(mode.damping_ratio(), zeta);
    }
}

#[test]
fn a_free_chain_has_one_rigid_mode() {
    let (_, found) = at_rest(&chain(5, 2.0, 1e6, 0.0, false));
    assert_eq!((found.zeros, found.rigid.len(), found.modes.len()), (2, 1, 4));
    for z in &found.rigid[0].coordinates {
        near(z.re, 1.0);
    }
    let mode = &found.modes[0];
    near(
        mode.eigenvalue.im,
        2.0 * (5e5_f64).sqrt() * (core::f64::consts::PI / 10.0).sin(),
    );
    assert!(mode.eigenvalue.re.abs() < 1e-9 * mode.eigenvalue.im);
}

#[test]
fn free_bodies_have_six_rigid_modes() {
    for joint in [
        Joint::free("j", "ground", "b").orientation([0.6, 0.0, 0.8, 0.0]),
        Joint::free_cardan("j", "ground", "b")
            .start_at(3, 0.3, 0.0)
            .start_at(4, 0.2, 0.0),
    ] {
        let d = Description::new("free").gravity([0.0; 3]);
        let d = d
            .body(Body::cuboid("b", 2.0, [1.0, 0.7, 0.3]).centre([0.1, 0.2, 0.3]))
            .joint(joint);
        let (rest, found) = at_rest(&d);
        assert_eq!((found.zeros, found.rigid.len(), found.modes.len()), (12, 6, 0));
        assert_eq!((rest.open.len(), rest.stability.neutral), (6, 6));
    }
}

#[test]
fn pendulums() {
    // Physical pendulum: ω² = m g l / (J + m l²).
    let (m, l, j, g) = (2.0, 0.7, 0.3, 9.81);
    let body = Body::new("bob", m)
        .centre([l, 0.0, 0.0])
        .inertia_diagonal([0.1, j, j]);
    let d = Description::new("p").gravity([0.0, 0.0, -g]).body(body);
    let d = d.joint(
        Joint::revolute("pin", "ground", "bob")
            .axis([0.0, 1.0, 0.0])
            .start(0.4, 0.0),
    );
    let (rest, found) = at_rest(&d);
    near(rest.state.q[0], core::f64::consts::FRAC_PI_2);
    near(found.modes[0].eigenvalue.im, (m * g * l / (j + m * l * l)).sqrt());
    let tip = found.modes[0].shape.bodies[0].rotation[1];
    near(tip.re, 1.0);
    // The same on a point constraint with a free body: three constraint rows, ball coordinates.
    let body = Body::new("bob", m)
        .centre([0.0, 0.0, -l])
        .inertia_diagonal([j, j, 0.1]);
    let d = Description::new("p").gravity([0.0, 0.0, -g]).body(body);
    let d = d
        .joint(Joint::free("j", "ground", "bob"))
        .constraint(Constraint::point("hook", "ground", "bob"));
    let (rest, found) = at_rest(&d);
    assert_eq!(
        (found.degrees_of_freedom, found.zeros, found.modes.len()),
        (3, 2, 2)
    );
    for mode in &found.modes {
        near(mode.eigenvalue.im, (m * g * l / (j + m * l * l)).sqrt());
    }
    assert_eq!(rest.open.len(), 1);
    assert_eq!(rest.open[0].coordinates.len(), 1);
    // The reaction carries the weight: the geometric stiffness is all there is.
    assert!(rest.state.lambda.iter().any(|l| (l.abs() - m * g).abs() < 1e-9));
}

#[test]
fn an_upright_pendulum_is_unstable_and_stays_when_it_rests_there() {
    let body = Body::new("bob", 1.0).centre([0.0, 0.0, 1.0]);
    let d = Description::new("p").gravity([0.0, 0.0, -9.81]).body(body);
    let upright = d
        .clone()
        .joint(Joint::revolute("pin", "ground", "bob").axis([0.0, 1.0, 0.0]));
    let (rest, found) = at_rest(&upright);
    assert_eq!((rest.stability.word(), found.growing()), ("unstable", 1));
    near(found.modes[0].eigenvalue.abs(), 9.81_f64.sqrt());
    // From a little beside it, it falls to where it hangs.
    let beside = d.joint(
        Joint::revolute("pin", "ground", "bob")
            .axis([0.0, 1.0, 0.0])
            .start(0.2, 0.0),
    );
    let (rest, _) = at_rest(&beside);
    assert_eq!(rest.stability.word(), "stable");
    near(rest.state.q[0].abs(), core::f64::consts::PI);
}

/// Eigenvalues of a sleeping top: A λ² ∓ i(C − … )…: in the ground's axes A s² − i C Ω s − m g l = 0.
fn top_frequencies(a: f64, c: f64, spin: f64, mgl: f64) -> [f64; 2] {
    let root = (c * c * spin * spin - 4.0 * a * mgl).sqrt();
    [(c * spin + root) / (2.0 * a), (c * spin - root) / (2.0 * a)]
}

#[test]
fn a_sleeping_top_in_both_kinds_of_axes() {
    let (m, l, spin, g) = (1.2, 0.4, 60.0, 9.81);
    let (a, c) = (0.25, 0.08);
    let about_centre = a - m * l * l;
    let body = || {
        Body::new("top", m)
            .centre([0.0, 0.0, l])
            .inertia_diagonal([about_centre, about_centre, c])
    };
    let frequencies = top_frequencies(a, c, spin, m * g * l);
    // A universal joint and a spin: angles that the equations do not turn.
    let d = Description::new("top")
        .gravity([0.0, 0.0, -g])
        .body(Body::new("ring", 1e-9).inertia_diagonal([1e-15; 3]))
        .body(body());
    let d = d
        .joint(Joint::universal("tilt", "ground", "ring"))
        .joint(Joint::revolute("spin", "ring", "top").start(0.3, spin));
    let start = assembled(&d);
    let found = modes(&start, &state_of(&start)).unwrap();
    assert_eq!((found.zeros, found.rigid.len(), found.modes.len()), (2, 1, 2));
    for (mode, exact) in found.modes.iter().zip([frequencies[1], frequencies[0]]) {
        assert!(
            (mode.eigenvalue.im - exact).abs() < 1e-6 * exact,
            "{:?} {exact}",
            mode.eigenvalue
        );
        assert!(mode.eigenvalue.re.abs() < 1e-8 * exact);
    }
    // A ball: seen from axes that turn with the top, frequencies are less by the spin.
    let d = Description::new("top").gravity([0.0, 0.0, -g]).body(body());
    let d = d.joint(Joint::spherical("tip", "ground", "top").angular_velocity([0.0, 0.0, spin]));
    let start = assembled(&d);
    let found = modes(&start, &state_of(&start)).unwrap();
    assert_eq!((found.zeros, found.modes.len()), (2, 2));
    let mut shifted = frequencies.map(|f| (f - spin).abs());
    shifted.sort_by(f64::total_cmp);
    for (mode, exact) in found.modes.iter().zip(shifted) {
        near(mode.eigenvalue.im, exact);
        assert!(mode.eigenvalue.re.abs() < 1e-9 * spin);
    }
    // Below the critical spin it falls.
    let slow = 0.9 * (4.0 * a * m * g * l).sqrt() / c;
    let d = Description::new("top").gravity([0.0, 0.0, -g]).body(body());
    let d = d.joint(Joint::spherical("tip", "ground", "top").angular_velocity([0.0, 0.0, slow]));
    let start = assembled(&d);
    let found = modes(&start, &state_of(&start)).unwrap();
    assert_eq!(found.growing(), 2);
    let growth = (a * m * g * l - 0.25 * c * c * slow * slow).sqrt() / a;
    near(
        found.modes.iter().map(|m| m.eigenvalue.re).fold(0.0, f64::max),
        growth,
    );
}

#[test]
fn a_rolling_disc() {
    // Upright and straight: A λ² A' … with A about a diameter, C about the axle:
    // (A + m r²) A λ² = −[(C + m r²) C Ω² − m g r A].
    let (m, r, g) = (2.0, 0.3, 9.81);
    let (a, c) = (0.25 * m * r * r, 0.5 * m * r * r);
    for spin in [20.0, 2.0] {
        // Way, side, height, then yaw, lean and spin: angles that the equations do not turn.
        let axle = frame::along([0.0; 3], [0.0, 1.0, 0.0]);
        let small = |name: &str| Body::new(name, 1e-12).inertia_diagonal([1e-14; 3]);
        let d = Description::new("disc").gravity([0.0, 0.0, -g]);
        let d = d
            .body(small("slider_x"))
            .body(small("slider_y"))
            .body(small("slider_z"))
            .body(small("yawing"))
            .body(small("leaning"))
            .body(
                Body::new("disc", m)
                    .inertia_diagonal([a, c, a])
                    .marker("axle", axle),
            )
            .joint(
                Joint::prismatic("x", "ground", "slider_x")
                    .axis([1.0, 0.0, 0.0])
                    .start(0.0, r * spin),
            )
            .joint(Joint::prismatic("y", "slider_x", "slider_y").axis([0.0, 1.0, 0.0]))
            .joint(Joint::prismatic("z", "slider_y", "slider_z").start(r, 0.0))
            .joint(Joint::revolute("yaw", "slider_z", "yawing"))
            .joint(Joint::revolute("lean", "yawing", "leaning").axis([1.0, 0.0, 0.0]))
            .joint(
                Joint::revolute("spin", "leaning", "disc")
                    .axis([0.0, 1.0, 0.0])
                    .start(0.0, spin),
            )
            .constraint(Constraint::rolling_disc("road", "disc.axle", "ground", r));
        let start = assembled(&d);
        let found = modes(&start, &state_of(&start)).unwrap();
        let square = ((c + m * r * r) * c * spin * spin - m * g * r * a) / (a * (a + m * r * r));
        let mode = &found.modes[found.modes.len() - 1];
        if square > 0.0 {
            near(mode.eigenvalue.im, square.sqrt());
            assert_eq!(found.growing(), 0);
        } else {
            assert_eq!(found.growing(), 1);
            near(mode.eigenvalue.abs(), (-square).sqrt());
        }
        // Six displacements less one row, three velocities; two of the eight move the lean.
        assert_eq!((found.states, found.zeros), (8, 6));
    }
}

/// Sensors of accelerations and of reactions are eliminated: −μ a on a mass on a spring is a mass more, and a support
/// that gives way by what it carries, which the sensor of its reaction tells, is softer.
#[test]
fn sensors_of_accelerations_and_reactions() {
    use holonom_multibody::Signal;
    use holonom_multibody::description::Control;
    let (m, k, mu) = (2.0, 50.0, 6.0);
    let hung = |force: &str, channel: &str| {
        let push = Signal::of(force, &["felt"]).unwrap();
        Description::new("hung")
            .body(Body::new("mass", m))
            .joint(Joint::prismatic("slide", "ground", "mass"))
            .force(Force::joint_spring("spring", "slide", k, 0.0, 0.0))
            .force(Force::motor("push", "slide", push))
            .control(Control::sensor("felt", channel))
    };
    let (rest, found) = at_rest(&hung(&format!("-{mu}*felt"), "mass.acceleration.z"));
    near(rest.start.q[0], -m * 9.81 / k);
    near(rest.start.readings[0] + 1.0, 1.0);
    near(found.modes[0].eigenvalue.im, (k / (m + mu)).sqrt());
    // The joint carries all of the load: R = m (g + a). A push of −c R changes both the weight and the mass.
    let c = 0.25;
    let (rest, found) = at_rest(&hung(&format!("-{c}*felt"), "slide.force.z"));
    near(rest.start.q[0], -m * 9.81 * (1.0 + c) / k);
    near(rest.start.readings[0], m * 9.81);
    near(found.modes[0].eigenvalue.im, (k / (m * (1.0 + c))).sqrt());
}

/// Equal eigenvalues come in the order of their coordinates, whatever rounding makes of them.
#[test]
fn equal_modes_keep_the_order_of_their_coordinates() {
    for off in [0.0, 1e-11, -1e-11, 1e-9, -1e-9] {
        let mut d = Description::new("pair").gravity([0.0; 3]);
        for (i, stiffness) in [100.0, 50.0, 100.0 * (1.0 + off)].into_iter().enumerate() {
            let (body, joint) = (format!("m{i}"), format!("x{i}"));
            d = d
                .body(Body::new(&*body, 1.0))
                .joint(
                    Joint::prismatic(joint, "ground", &*body)
                        .axis([1.0, 0.0, 0.0])
                        .start(1.0, 0.0),
                )
                .force(Force::spring_damper(
                    format!("s{i}"),
                    "ground",
                    body,
                    stiffness,
                    2.0,
                    1.0,
                ));
        }
        let (_, found) = at_rest(&d);
        let leading: Vec<_> = found.modes.iter().map(|m| m.shape.leading).collect();
        assert_eq!(leading, [Some(1), Some(0), Some(2)], "{off}");
    }
}
