//! Mechanisms without freedom, against formulas.

use super::*;

#[test]
fn driven_four_bar_follows_the_analytic_angles() {
    let [crank, coupler, rocker, base] = LENGTHS;
    let rate = 3.0;
    let run = |start: Assembled, driven: bool| {
        let times: Vec<f64> = (0..=60).map(|i| 0.1 * f64::from(i)).collect();
        let run = start.kinematic_run(&times).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(run.states.len(), times.len());
        for s in &run.states {
            let angle = 0.4 + rate * s.t;
            let (x, y) = (base - crank * angle.cos(), -crank * angle.sin());
            let d = x.hypot(y);
            // Rocker angle of the branch in which it points up.
            let inner = ((rocker * rocker + d * d - coupler * coupler) / (2.0 * rocker * d)).acos();
            let rocker_angle = y.atan2(x) + std::f64::consts::PI - inner;
            let q = s.q[start
                .model
                .position_names
                .iter()
                .position(|n| n == "right")
                .expect("there")];
            let error = (q - rocker_angle).rem_euclid(2.0 * std::f64::consts::PI);
            let error = error.min(2.0 * std::f64::consts::PI - error);
            assert!(error < 1e-12, "t = {}: {q} {rocker_angle} {error:e}", s.t);
        }
        // Velocities and accelerations are derivatives of the positions.
        let h = 1e-4;
        let near = start.kinematic_run(&[1.0 - h, 1.0, 1.0 + h]).expect("regular");
        for i in 0..start.model.tree.n_v {
            let [a, b, c] = [0, 1, 2].map(|k| &near.states[k]);
            assert!(((c.q[i] - a.q[i]) / (2.0 * h) - b.v[i]).abs() < 1e-6);
            assert!(((c.v[i] - a.v[i]) / (2.0 * h) - b.a[i]).abs() < 1e-5);
        }
        // Power of the drive = rate of kinetic and potential energy: checked by the reactions.
        (run, driven)
    };
    let driver = Constraint::driver("motor", "left", Signal::linear(0.4, rate));
    let start = assembled(&four_bar(LENGTHS, ROUGH).constraint(driver));
    assert_eq!(start.degrees_of_freedom(), 0);
    let (with_rows, _) = run(start, true);
    let mut description = four_bar(LENGTHS, ROUGH);
    description.joints[0] =
        Joint::revolute("left", "ground", "crank").prescribed(0, Signal::linear(0.4, rate));
    let (prescribed, _) = run(assembled(&description), false);
    for (a, b) in with_rows.states.iter().zip(&prescribed.states) {
        assert!((a.q[1] - b.q[0]).abs() < 1e-11 && (a.a[2] - b.a[1]).abs() < 1e-9);
    }
}

#[test]
fn kinematic_runs_of_trees() {
    let arm = |description: Description| description.gravity(DOWN).body(bar("arm", 1.0));
    let swing = || Signal::harmonic(0.7, 2.0, 0.1);
    let driven = arm(Description::new("driven"))
        .joint(Joint::revolute("hinge", "ground", "arm").start(0.07, 0.0))
        .constraint(Constraint::driver("motor", "hinge", swing()));
    let prescribed = arm(Description::new("prescribed"))
        .joint(Joint::revolute("hinge", "ground", "arm").prescribed(0, swing()));
    let times = [0.0, 0.5, 3.0];
    let (driven, prescribed) = (assembled(&driven), assembled(&prescribed));
    let run = driven.kinematic_run(&times).expect("driven");
    let empty = prescribed.kinematic_run(&times).expect("prescribed");
    for (s, e) in run.states.iter().zip(&empty.states) {
        let [u, du, ddu] = swing().evaluate(s.t);
        assert!((s.q[0] - u).abs() + (s.v[0] - du).abs() + (s.a[0] - ddu).abs() < 1e-12);
        // J ü = τ − m g L/2 cos u, and the driver's force is −λ.
        let inertia = 2.0 * (1.0 + 0.05 * 0.05) / 12.0 + 2.0 * 0.25;
        let torque = inertia * ddu + 2.0 * 9.81 * 0.5 * u.cos();
        assert!((s.lambda[0] + torque).abs() < 1e-12);
        assert!(e.q.is_empty() && e.lambda.is_empty());
        // The prescribed joint transmits the same torque.
        let motion = holonom_multibody::formalism::reactions::Motion {
            x: &[],
            t: e.t,
            q: &e.q,
            v: &e.v,
            a: &e.a,
            lambda: &e.lambda,
        };
        let ReactionLoad::Wrench(w) = prescribed.reactions(&motion)[0].load else {
            panic!("a joint")
        };
        assert!((w.moment[2] - torque).abs() < 1e-12);
    }
    let free = assembled(&arm(Description::new("free")).joint(Joint::revolute("hinge", "ground", "arm")));
    let error = free.kinematic_run(&times).expect_err("free");
    assert!(matches!(error, KinematicError::Freedom { freedoms: 1, .. }));
    let error = driven.kinematic_run(&[1.0, 0.5]).expect_err("back and forth");
    assert_eq!(
        error.to_string(),
        "the times must ascend or descend throughout, but 0.5 follows 1"
    );
}

#[test]
fn kinematic_run_ends_at_a_singular_position() {
    // The crank cannot turn beyond the stretched position of coupler and rocker.
    let driver = Constraint::driver("motor", "left", Signal::linear(1.0, 1.0));
    let lengths = [1.0, 1.0, 0.6, 1.2];
    let start = assembled(&four_bar(lengths, [1.0, -1.0, 1.5]).constraint(driver));
    let times: Vec<f64> = (1..100).map(|i| 0.05 * f64::from(i)).collect();
    let error = start.kinematic_run(&times).expect_err("out of reach");
    let text = error.to_string();
    let KinematicError::Stuck { t, partial, .. } = error else {
        panic!("{text}")
    };
    // Law of cosines with coupler + rocker = 1.6 across.
    let limit = ((1.0 + 1.44 - 2.56_f64) / 2.4).acos();
    assert!((1.0 + t - limit).abs() < 1e-5, "{t} {limit}");
    assert_eq!(partial.states.len(), times.iter().filter(|&&x| x <= t).count());
    assert!(text.contains("cannot follow its drives beyond t = "), "{text}");
}
