//! Energy and momentum against the recursions, and rods against the integral along them.

use crate::stand::{Collected, Random, Run, Stand, close, node};
use holonom_algebra::{Dual4, DualOrientation, Inertia, Mat3, Orientation, Pose, Real, Sym3, Twist, Vec3};
use holonom_multibody::elements::scene::{Moving, Scene};
use holonom_multibody::formalism::crba::{CrbaWork, crba};
use holonom_multibody::formalism::energy::{
    centre_of_mass, gravity_energy, kinetic_energy, momentum, potential_energy,
};
use holonom_multibody::formalism::rnea::{RneaNode, rnea};
use holonom_multibody::formalism::rods::rod_loads;
use holonom_multibody::kinematics::world::WorldNode;
use holonom_multibody::model::ModelRod;
use holonom_multibody::tree::Attachment;
use holonom_multibody::tree::{Geometry, NodeKind, Tree};

/// What a run is seen to do.
fn moving<'a, T: Real>(run: &'a Run<T>, tree: &'a Tree, world: &'a mut Vec<WorldNode<T>>) -> Moving<'a, T> {
    world.clone_from(&run.world);
    Moving::new(run.scene(tree), &run.geometry, world)
}

fn rod(ends: [Attachment; 2], mass: f64) -> ModelRod {
    ModelRod {
        name: String::new(),
        ends,
        mass,
        constraint: 0,
    }
}

/// Adds the point masses of rods to the nodes, as compilation does.
fn lump(tree: &mut Tree, rods: &[ModelRod]) {
    for rod in rods {
        for end in &rod.ends {
            let point = Inertia::at_centre(rod.mass / 3.0, end.frame.position, &Sym3::zero());
            let node = &mut tree.nodes[end.node];
            node.inertia = node.inertia + point;
            node.has_inertia = true;
        }
    }
}

/// The stand with rods between branches and to the ground.
fn stand_with_rods(seed: u64) -> (Stand, Vec<ModelRod>) {
    let mut stand = Stand::new(seed);
    let mut r = Random::new(seed + 50);
    let rods = vec![
        rod([r.attachment(node::ARM), r.attachment(node::TIP)], 1.3),
        rod([r.attachment(0), r.attachment(node::SIDE)], 0.6),
        rod([r.attachment(node::FREE), r.attachment(node::FREE)], 0.9),
    ];
    lump(&mut stand.tree, &rods);
    (stand, rods)
}

/// Σ over the masses of f(m, x, v): bodies by points with the same inertia, rods by Simpson's
/// rule, which is exact for squares. Only for trees whose inertias are the rods' point masses.
fn along_rods(scene: &Scene<f64>, rods: &[ModelRod], mut f: impl FnMut(f64, Vec3<f64>, Vec3<f64>)) {
    for rod in rods {
        let [a, b] = [0, 1].map(|k| scene.frame(&rod.ends[k]));
        f(rod.mass / 6.0, a.origin, a.velocity);
        f(rod.mass / 6.0, b.origin, b.velocity);
        let mid = |x: Vec3<f64>, y: Vec3<f64>| (x + y).scale(0.5);
        f(
            rod.mass * 2.0 / 3.0,
            mid(a.origin, b.origin),
            mid(a.velocity, b.velocity),
        );
    }
}

#[test]
fn a_rod_is_the_integral_along_it() {
    for seed in 1..6 {
        let mut stand = Stand::new(seed);
        for n in &mut stand.tree.nodes {
            n.inertia = Inertia::zero();
            n.has_inertia = false;
        }
        let mut r = Random::new(seed);
        let rods = vec![
            rod([r.attachment(node::ARM), r.attachment(node::TIP)], 1.3),
            rod([r.attachment(0), r.attachment(node::SIDE)], 0.6),
            rod([r.attachment(node::DRIVEN), r.attachment(node::SIDE)], 0.9),
        ];
        lump(&mut stand.tree, &rods);
        let run = stand.now();
        let mut world = Vec::new();
        let scene = moving(&run, &stand.tree, &mut world);
        let (mut mass, mut kinetic, mut potential) = (0.0, 0.0, 0.0);
        let (mut first, mut linear, mut angular) = (Vec3::zero(), Vec3::zero(), Vec3::zero());
        along_rods(&scene, &rods, |m, x, v| {
            mass += m;
            kinetic += 0.5 * m * v.norm_squared();
            potential -= m * stand.tree.gravity.dot(x);
            first += x.scale(m);
            linear += v.scale(m);
            angular += x.cross(v).scale(m);
        });
        close(kinetic_energy(&scene, &rods), kinetic, 1e-13, "kinetic");
        close(gravity_energy(&scene, &rods), potential, 1e-13, "potential");
        let (m, centre) = centre_of_mass(&scene, &rods).unwrap();
        close(m, mass, 1e-14, "mass");
        assert!((centre.scale(m) - first).norm() < 1e-13);
        let p = momentum(&scene, &rods);
        assert!((p.force - linear).norm() < 1e-13);
        assert!((p.moment - angular).norm() < 1e-13);
    }
}

#[test]
fn kinetic_energy_is_that_of_the_mass_matrix() {
    for seed in 1..6 {
        let stand = Stand::new(seed);
        let run = stand.with_velocities(&stand.v, false);
        let n = stand.tree.n_v;
        let mut work = CrbaWork::new(&stand.tree);
        let mut m = vec![0.0; n * n];
        crba(&stand.tree, &run.geometry, &mut work, &mut m);
        let mut energy = 0.0;
        for j in 0..n {
            energy += 0.5 * m[j * n + j] * stand.v[j] * stand.v[j];
            for i in j + 1..n {
                energy += m[j * n + i] * stand.v[i] * stand.v[j];
            }
        }
        close(
            kinetic_energy(&moving(&run, &stand.tree, &mut Vec::new()), &[]),
            energy,
            1e-12,
            "kinetic",
        );
    }
}

#[test]
fn gravity_pulls_down_the_slope_of_its_energy() {
    for seed in 1..6 {
        let (stand, rods) = stand_with_rods(seed);
        let n = stand.tree.n_v;
        let zero = vec![0.0; n];
        let rest = stand.with_velocities(&zero, false);
        let mut tau = vec![0.0; n];
        let mut work = vec![RneaNode::zero(); stand.tree.nodes.len()];
        rnea(
            &stand.tree,
            &rest.geometry,
            &rest.signals,
            &zero,
            &zero,
            None,
            &mut work,
            &mut tau,
        );
        let shift = Random::new(seed).many(n);
        let moved = stand.with_velocities(&shift, false);
        // At rest without accelerations only gravity is left of the rods' loads.
        let mut collected = Collected::new(&stand.tree);
        rod_loads(&rods, &rest.scene(&stand.tree), &mut collected.loads());
        let nodes: f64 = tau.iter().zip(&shift).map(|(a, b)| -a * b).sum();
        let work = nodes + collected.power(&moved.scene(&stand.tree));
        let run = stand.shifted(&shift);
        let energy = potential_energy(&moving(&run, &stand.tree, &mut Vec::new()), &rods, &[]);
        close(work, -energy.derivative(0), 1e-12, "gravity");
    }
}

#[test]
fn momentum_is_the_slope_of_the_kinetic_energy_along_rigid_motions() {
    for seed in 1..6 {
        let (stand, rods) = stand_with_rods(seed);
        // Rigid motion would move the ground's rod end too: leave that rod out.
        let rods: Vec<_> = rods.into_iter().filter(|r| r.ends[0].node != 0).collect();
        let mut r = Random::new(seed);
        let (w, u) = (r.vector(), r.vector());
        let run = stand.now();
        let p = momentum(&moving(&run, &stand.tree, &mut Vec::new()), &rods);
        let mut dual = stand.dual();
        let constant = |x: Vec3<Dual4>| Vec3::<Dual4>::constant(x.value());
        for n in &mut dual.world {
            n.rotation = DualOrientation::constant(&n.rotation.value());
            n.position = constant(n.position);
            let with = |x: Vec3<Dual4>, dx: Vec3<f64>| {
                Vec3([0, 1, 2].map(|k| Dual4::constant(x[k].value()).with_derivative(0, dx[k])))
            };
            n.velocity = with(n.velocity, w.cross(n.position.value()) + u);
            n.omega = with(n.omega, w);
        }
        // No motion of the joints: it must not be computed again from their velocities.
        let slope = kinetic_energy(&Moving::known(dual.scene(&stand.tree)), &rods).derivative(0);
        close(slope, Twist::new(w, u).power(&p), 1e-12, "momentum");
        let run = stand.dual();
        let (mass, centre) = centre_of_mass(&moving(&run, &stand.tree, &mut Vec::new()), &rods).unwrap();
        for k in 0..3 {
            close(p.force[k], centre[k].derivative(0) * mass, 1e-12, "linear");
        }
    }
}

#[test]
fn rods_take_as_much_power_as_their_energy_gains() {
    for seed in 1..6 {
        let (stand, rods) = stand_with_rods(seed);
        let run = stand.now();
        let mut world = Vec::new();
        let scene = moving(&run, &stand.tree, &mut world);
        let mut collected = Collected::new(&stand.tree);
        rod_loads(&rods, &scene, &mut collected.loads());
        let dual = stand.dual();
        let mut dual_world = Vec::new();
        let scene_of_duals = moving(&dual, &stand.tree, &mut dual_world);
        let total =
            |rods: &[ModelRod]| kinetic_energy(&scene_of_duals, rods) + gravity_energy(&scene_of_duals, rods);
        let coupling = total(&rods) - total(&[]);
        close(
            collected.power(&scene),
            -coupling.derivative(0),
            1e-12,
            "coupling",
        );
    }
}

#[test]
fn a_swinging_rod_has_its_moment_of_inertia() {
    // A rod from the ground to a massless arm of the same length: m L²/3 about the pivot.
    let (mass, length) = (1.7, 0.9);
    let mut tree = Tree::new(Vec3([0.0, -9.81, 0.0]));
    let arm = tree.push(
        0,
        NodeKind::RevoluteZ,
        Pose::identity(),
        0.0,
        None,
        Inertia::zero(),
    );
    let tip = Attachment {
        node: arm,
        frame: Pose::new(Mat3::identity(), Vec3([length, 0.0, 0.0])),
    };
    let ground = Attachment {
        node: 0,
        frame: Pose::identity(),
    };
    let rods = [rod([ground, tip], mass)];
    lump(&mut tree, &rods);
    let stand = Stand::with(tree, vec![], &mut Random::new(1));
    let (q, v, a) = (stand.q[0], stand.v[0], stand.a[0]);
    let run = stand.now();
    let mut world = Vec::new();
    let scene = moving(&run, &stand.tree, &mut world);
    let inertia = mass * length * length / 3.0;
    close(
        kinetic_energy(&scene, &rods),
        0.5 * inertia * v * v,
        1e-14,
        "kinetic",
    );
    close(
        momentum(&scene, &rods).moment[2],
        inertia * v,
        1e-14,
        "angular momentum",
    );
    let height = 0.5 * length * q.sin();
    close(
        gravity_energy(&scene, &rods),
        mass * 9.81 * height,
        1e-14,
        "potential",
    );
    // M a − f from the recursion with the coupling as an applied load.
    let mut collected = Collected::new(&stand.tree);
    rod_loads(&rods, &scene, &mut collected.loads());
    let load = collected.wrenches[arm];
    let rotation = scene.world[arm].rotation;
    let mut applied = vec![holonom_algebra::Wrench::zero(); 2];
    applied[arm].moment = rotation.transpose_times(load.moment);
    applied[arm].force = rotation.transpose_times(load.force);
    let geometry: &[Geometry<f64>] = &run.geometry;
    let mut work = vec![RneaNode::zero(); 2];
    let mut tau = [0.0];
    rnea(
        &stand.tree,
        geometry,
        &[],
        &stand.v,
        &stand.a,
        Some(&applied),
        &mut work,
        &mut tau,
    );
    let expected = inertia * a + mass * 9.81 * 0.5 * length * q.cos();
    close(tau[0], expected, 1e-13, "equation of motion");
}
