//! Every body cut free is in balance.

use super::*;
use holonom_testing::Largest;

/// Largest difference, over all bodies, between inertia forces and all loads on the body cut free.
fn imbalance(description: &Description, start: &Assembled) -> f64 {
    let model = &*start.model;
    let mut work = Workspace::<f64>::new(model);
    let m = start.motion();
    let reactions = start.reactions(&m);
    work.moving(model, m.t, m.q, m.v);
    work.set_accelerations(model, Some(m.a));
    work.clear_loads();
    work.add_forces(model);
    // (force, moment about the ground's origin) on each node.
    let nodes = model.tree.nodes.len();
    let mut sums: Vec<(Vec3<f64>, Vec3<f64>)> = vec![(Vec3::zero(), Vec3::zero()); nodes];
    let mut add = |node: usize, point: Vec3<f64>, force: Vec3<f64>, moment: Vec3<f64>| {
        sums[node].0 += force;
        sums[node].1 += moment + point.cross(force);
    };
    for (i, w) in work.loads.wrenches.iter().enumerate() {
        add(i, work.known.world[i].position, w.force, w.moment);
    }
    let scene: Scene<'_, f64> = work.scene(model).0;
    for r in &reactions {
        let (ReactionLoad::Wrench(w), Some([from, to])) = (r.load, r.element.sides(model)) else {
            continue;
        };
        let (from_frame, to_frame) = (scene.frame(&from), scene.frame(&to));
        let (force, moment) = (from_frame.axes.times(w.force), from_frame.axes.times(w.moment));
        add(to.node, to_frame.origin, force, moment);
        add(from.node, to_frame.origin, -force, -moment);
    }
    let mut worst = Largest::default();
    for (body, described) in model.bodies.iter().skip(1).zip(&description.bodies) {
        let world = &scene.world[body.node];
        let axes: Mat3<f64> = world.rotation.matrix(&body.frame.rotation);
        let arm = world.rotation.times(body.frame.point(Vec3(described.centre)));
        let centre = world.position + arm;
        let o = world.omega;
        let acceleration = world.acceleration + world.alpha.cross(arm) + o.cross(o.cross(arm));
        let inertia = Sym3(described.inertia).rotated(&axes);
        let change = inertia.times(world.alpha) + o.cross(inertia.times(o));
        let force = (acceleration - model.tree.gravity).scale(described.mass);
        let (f, m) = sums[body.node];
        worst.add((f - force).norm());
        worst.add((m - change - centre.cross(force)).norm());
    }
    worst.value()
}

#[test]
fn every_body_is_in_balance() {
    let mut moving = four_bar(LENGTHS, ROUGH);
    moving.joints[0].coordinates[0].velocity = 3.0;
    let moving = moving
        .force(Force::spring_damper(
            "spring",
            "ground.right",
            "crank.end",
            50.0,
            2.0,
            0.5,
        ))
        .force(Force::joint_spring("torsion", "elbow", 3.0, 0.1, 0.2));
    let geared = moving
        .clone()
        .constraint(Constraint::gear("gear", "left", "elbow", -0.7));
    // The tree runs through joints from their second frame to their first.
    let mut reversed = moving.clone();
    for joint in &mut reversed.joints {
        std::mem::swap(&mut joint.from, &mut joint.to);
        joint
            .coordinates
            .iter_mut()
            .for_each(|c| c.position = -c.position);
    }
    reversed.joints[0].coordinates[0].velocity = -3.0;
    let universal = Description::new("shafts")
        .body(bar("a", 0.5))
        .body(bar("b", 0.7))
        .body(Body::cuboid("c", 2.0, [0.1, 0.2, 0.3]))
        .joint(
            Joint::universal("cross", "b", "ground")
                .start_at(0, 0.3, 1.0)
                .start_at(1, -0.4, 2.0),
        )
        .joint(
            Joint::cylindrical("slide", "b.end", "a")
                .axis([1.0, 1.0, 0.0])
                .start_at(0, 0.3, -1.0)
                .start_at(1, 0.1, 0.5),
        )
        .joint(Joint::fixed("weld", "c", "a.end"))
        .force(Force::applied("push", "c", [1.0, 2.0, 3.0].map(Signal::constant)).follower());
    // Sliding joints, displaced: the origins of both frames are apart.
    let telescope = Description::new("telescope")
        .body(bar("tube", 0.5))
        .body(bar("piston", 0.7))
        .joint(
            Joint::prismatic("guide", "tube", "ground")
                .axis([1.0, 0.0, 0.5])
                .start(0.4, 1.0),
        )
        .joint(
            Joint::cylindrical("slide", "piston", "tube.end")
                .axis([0.0, 1.0, 0.0])
                .start_at(0, 0.3, -1.0)
                .start_at(1, 0.6, 0.5),
        );
    for description in [
        telescope,
        moving,
        geared,
        reversed.clone(),
        universal.clone(),
        slider_crank(0.8),
        spatial_four_bar(),
        bennett(1.0),
        parallelograms(2, 1.0),
        disc(),
    ] {
        let start = assembled(&description);
        // Nothing but springs acts along the freedoms of joints.
        assert!(inconsistency(&start) < 1e-11, "{}", description.name);
        let imbalance = imbalance(&description, &start);
        assert!(imbalance < 1e-12, "{}: {imbalance:e}", description.name);
    }
    let reversed_nodes = |d: &Description| {
        let reversed = |j: &&holonom_multibody::model::ModelJoint| {
            matches!(j.place, JointPlace::Tree { reversed: true, .. })
        };
        compiled(d).joints.iter().filter(reversed).count()
    };
    assert!(reversed_nodes(&reversed) >= 2 && reversed_nodes(&universal) == 2);
}

#[test]
fn reactions_do_not_depend_on_the_direction_of_the_tree() {
    // A pendulum hangs at rest: the hinge pulls the bob up.
    for swapped in [false, true] {
        let (from, to) = if swapped {
            ("bob.hinge", "ground")
        } else {
            ("ground", "bob.hinge")
        };
        let start = assembled(
            &Description::new("pendulum")
                .body(Body::ball("bob", 2.0, 0.1).marker("hinge", frame::at([0.0, 0.0, 1.0])))
                .joint(Joint::revolute("hinge", from, to).axis([0.0, 1.0, 0.0])),
        );
        let ReactionLoad::Wrench(w) = start.reactions(&start.motion())[0].load else {
            panic!("a joint")
        };
        // On the bob it is upwards; on the ground, the second frame when swapped, downwards.
        let sign = if swapped { -1.0 } else { 1.0 };
        assert!(
            (w.force[2] - sign * 19.62).abs() < 1e-12 && w.moment.norm() < 1e-12,
            "{w:?}"
        );
    }
}
