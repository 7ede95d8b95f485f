//! Constraint rows: positions, velocities, accelerations, loads and G belong together.

use crate::stand::{Collected, Random, Run, Stand, close, node};
use holonom_algebra::{Inertia, Mat3, Pose, Real, Vec3, Wrench};
use holonom_expression::{Expression, Scope};
use holonom_multibody::Signal;
use holonom_multibody::description::frame;
use holonom_multibody::elements::constraints::RowLevel;
use holonom_multibody::elements::constraints::{
    ConstraintElement, CoordinateSum, Impact, Pair, PairRow, ProfileKind, Rolling, WheelRail, WheelRailShape,
};
use holonom_multibody::elements::references::Attached;
use holonom_multibody::elements::scene::Scene;
use holonom_multibody::formalism::constraint_matrix as rows;
use holonom_multibody::model::ModelConstraint;
use holonom_multibody::tree::Attachment;
use holonom_multibody::tree::{NodeKind, Tree};

/// Nodes with freedoms between `node` and the first one that `other` hangs on, too.
fn path(tree: &Tree, node: usize, other: usize) -> Vec<usize> {
    let ancestors = |mut i: usize| {
        let mut list = vec![i];
        while i != 0 {
            i = tree.nodes[i].parent;
            list.push(i);
        }
        list
    };
    let common = ancestors(other);
    ancestors(node)
        .into_iter()
        .filter(|i| !common.contains(i) && tree.nodes[*i].n_v() > 0)
        .collect()
}

fn compile(tree: &Tree, elements: Vec<ConstraintElement>) -> Vec<ModelConstraint> {
    let mut begin = 0;
    let compiled = elements.into_iter().map(|element| {
        let (to_path, from_path) = element.sides().map_or((vec![], vec![]), |[from, to]| {
            (path(tree, to.node, from.node), path(tree, from.node, to.node))
        });
        let rows = begin..begin + element.rows();
        begin = rows.end;
        ModelConstraint {
            name: String::new(),
            element,
            rows,
            to_path,
            from_path,
        }
    });
    compiled.collect()
}

/// A frame on a node with an axle that is not far from across the rail: a wheel along it has no
/// outline.
fn nearly_aligned(stand: &Stand, r: &mut Random, rail: &Attachment, node: usize) -> Attachment {
    let run = stand.now();
    let scene = run.scene(&stand.tree);
    let mut wheel = r.attachment(node);
    let axle = Vec3([0.3 * r.vector().0[0], 1.0, 0.3 * r.vector().0[0]]);
    let wanted = frame::along([0.0; 3], axle.0).rotation;
    // z of `wanted` is the axle; y of the wheel has to be.
    let turned = Mat3::from_columns(wanted.column(1), wanted.column(2), wanted.column(0));
    let axes = scene.frame(rail).axes.matrix(&turned);
    wheel.frame.rotation = run.world[node].rotation.transpose().matrix(&axes);
    wheel
}

/// Profiles of the size of the stand.
fn shape(curved: bool) -> WheelRailShape {
    let of = |text: &str| Expression::parse(text, &Scope::new().variable("s"), None).unwrap();
    WheelRailShape {
        profile: if curved {
            ProfileKind::Curved
        } else {
            ProfileKind::Conical
        },
        wheel_profile: of("-0.1*s + 0.2*s^2"),
        rail_profile: of("-0.4*s^2 + 0.05*s"),
        begin: -0.3,
        end: 0.4,
        step: 0.02,
        smoothing: 0.03,
        ..WheelRailShape::cone(0.6, 0.1, 0.7)
    }
}

/// Every kind of row, between frames on different branches, one chain, and the ground.
fn everything(stand: &Stand, r: &mut Random) -> Vec<ModelConstraint> {
    let ends = [
        (node::ARM, node::TIP),
        (node::SIDE, node::ARM),
        (node::LOW, node::ARM),
        (0, node::FREE),
        (node::TIP, 0),
        (node::DRIVEN, node::FREE),
    ];
    let mut elements = vec![];
    for (from, to) in ends {
        let mut list = vec![
            PairRow::Distance { length: 0.8 },
            PairRow::Untwisted,
            PairRow::Screw { pitch: 0.3 },
            PairRow::Screw { pitch: -1.7 },
            PairRow::Screw { pitch: 0.0 },
        ];
        for axis in 0..3 {
            list.push(PairRow::Along { axis });
            for to in 0..3 {
                list.push(PairRow::Perpendicular { from: axis, to });
            }
        }
        elements.push(ConstraintElement::from(Pair {
            from: r.attachment(from),
            to: r.attachment(to),
            rows: list,
            length: None,
        }));
        elements.push(ConstraintElement::from(Pair {
            from: r.attachment(from),
            to: r.attachment(to),
            rows: vec![PairRow::Distance { length: 0.0 }],
            length: Some(Signal::Sum(vec![
                Signal::constant(0.8),
                Signal::harmonic(0.1, 3.0, 0.4),
            ])),
        }));
        for sphere in [false, true] {
            elements.push(ConstraintElement::from(Rolling {
                wheel: r.attachment(to),
                plane: r.attachment(from),
                radius: 0.6,
                sphere,
            }));
        }
        elements.push(ConstraintElement::from(Impact {
            plane: r.attachment(from),
            body: r.attachment(to),
            radius: 0.2,
            restitution: 0.5,
            rest_speed: 1e-3,
        }));
        for (right, curved) in [(false, false), (true, false), (false, true), (true, true)] {
            let rail = r.attachment(from);
            elements.push(ConstraintElement::from(WheelRail::<Attached> {
                wheel: nearly_aligned(stand, r, &rail, to),
                rail,
                shape: shape(curved).geometry(right).unwrap(),
            }));
        }
    }
    elements.push(ConstraintElement::from(CoordinateSum {
        terms: vec![
            (node::LOW, 0.5),
            (node::ARM, -2.0),
            (node::BASE, 3.0),
            (node::LOW, 0.25),
        ],
        offset: 0.3,
        signal: Some(Signal::harmonic(0.4, 3.0, 0.1)),
        rate: false,
    }));
    elements.push(ConstraintElement::from(CoordinateSum {
        terms: vec![(node::ARM, 1.0)],
        offset: 0.0,
        signal: Some(Signal::harmonic(0.7, 2.0, 0.4)),
        rate: true,
    }));
    elements.push(ConstraintElement::from(CoordinateSum {
        terms: vec![(node::SIDE, 1.0)],
        offset: 0.0,
        signal: None,
        rate: false,
    }));
    compile(&stand.tree, elements)
}

type Evaluate<T> = fn(&[ModelConstraint], &Scene<T>, &[usize], &mut [T], &mut [T]);

fn all<T: Real>(
    constraints: &[ModelConstraint],
    stand: &Stand,
    run: &Run<T>,
    evaluate: Evaluate<T>,
) -> Vec<T> {
    let n = constraints.last().map_or(0, |c| c.rows.end);
    let active: Vec<usize> = (0..n).collect();
    let mut out = vec![T::constant(f64::NAN); n];
    evaluate(constraints, &run.scene(&stand.tree), &active, &mut [], &mut out);
    out
}

fn levels(constraints: &[ModelConstraint]) -> Vec<RowLevel> {
    constraints.iter().flat_map(|c| c.element.levels()).collect()
}

fn names(constraints: &[ModelConstraint]) -> Vec<String> {
    constraints.iter().flat_map(|c| c.element.row_names()).collect()
}

fn cases(test: impl Fn(&Stand, &[ModelConstraint], &mut Random)) {
    for seed in 1..8 {
        let stand = Stand::new(seed);
        let mut r = Random::new(100 + seed);
        let constraints = everything(&stand, &mut r);
        test(&stand, &constraints, &mut r);
    }
}

#[test]
fn velocity_is_the_derivative_of_position() {
    cases(|stand, constraints, _| {
        let (levels, names) = (levels(constraints), names(constraints));
        let velocity = all(constraints, stand, &stand.now(), rows::velocities);
        let dual = all(constraints, stand, &stand.dual(), rows::positions);
        let h = 1e-6;
        let ahead = all(constraints, stand, &stand.later(h), rows::positions);
        let behind = all(constraints, stand, &stand.later(-h), rows::positions);
        assert_eq!(names.len(), velocity.len());
        for i in 0..velocity.len() {
            if levels[i] == RowLevel::Nonholonomic {
                assert_eq!(dual[i].value(), 0.0);
                continue;
            }
            close(velocity[i], dual[i].derivative(0), 1e-12, &names[i]);
            close(velocity[i], (ahead[i] - behind[i]) / (2.0 * h), 1e-6, &names[i]);
        }
    });
}

#[test]
fn acceleration_is_the_derivative_of_velocity() {
    cases(|stand, constraints, _| {
        let names = names(constraints);
        let acceleration = all(constraints, stand, &stand.now(), rows::accelerations);
        let dual = all(constraints, stand, &stand.dual(), rows::velocities);
        let h = 1e-6;
        let ahead = all(constraints, stand, &stand.later(h), rows::velocities);
        let behind = all(constraints, stand, &stand.later(-h), rows::velocities);
        for i in 0..acceleration.len() {
            close(acceleration[i], dual[i].derivative(0), 1e-11, &names[i]);
            close(
                acceleration[i],
                (ahead[i] - behind[i]) / (2.0 * h),
                1e-5,
                &names[i],
            );
        }
    });
}

fn matrix<T: Real>(constraints: &[ModelConstraint], scene: &Scene<T>, active: &[usize]) -> Vec<T> {
    let mut scratch = vec![Wrench::zero(); rows::largest_constraint(constraints)];
    let mut g = vec![T::zero(); active.len() * scene.v.len()];
    rows::constraint_entries(
        constraints,
        scene,
        active,
        &mut scratch,
        |row, velocity, value| {
            g[velocity * active.len() + row] += value;
        },
    );
    g
}

/// G x for G by columns.
fn times(g: &[f64], x: &[f64]) -> Vec<f64> {
    let n = g.len() / x.len();
    (0..n)
        .map(|i| x.iter().enumerate().map(|(j, x)| g[j * n + i] * x).sum())
        .collect()
}

#[test]
fn the_matrix_gives_velocities_and_accelerations() {
    cases(|stand, constraints, _| {
        let names = names(constraints);
        let n = names.len();
        let active: Vec<usize> = (0..n).collect();
        let run = stand.now();
        let g = matrix(constraints, &run.scene(&stand.tree), &active);
        let still = stand.with_velocities(&vec![0.0; stand.tree.n_v], true);
        let rest = all(constraints, stand, &still, rows::velocities);
        let velocity = all(constraints, stand, &run, rows::velocities);
        // No accelerations in the scene: γ.
        let coasting = stand.with_velocities(&stand.v, true);
        let gamma = all(constraints, stand, &coasting, rows::accelerations);
        let acceleration = all(constraints, stand, &run, rows::accelerations);
        let (gv, ga) = (times(&g, &stand.v), times(&g, &stand.a));
        for i in 0..n {
            close(gv[i] + rest[i], velocity[i], 1e-12, &names[i]);
            close(ga[i] + gamma[i], acceleration[i], 1e-12, &names[i]);
        }
    });
}

#[test]
fn loads_are_the_transpose() {
    cases(|stand, constraints, r| {
        let n = names(constraints).len();
        let active: Vec<usize> = (0..n).collect();
        let run = stand.with_velocities(&stand.v, false);
        let scene = run.scene(&stand.tree);
        let g = matrix(constraints, &scene, &active);
        let gv = times(&g, &stand.v);
        for (c, k) in constraints
            .iter()
            .flat_map(|c| c.rows.clone().map(move |k| (c, k)))
        {
            let mut multipliers = vec![0.0; c.rows.len()];
            multipliers[k - c.rows.start] = 1.7;
            let mut collected = Collected::new(&stand.tree);
            c.element.loads(&scene, &multipliers, &mut collected.loads());
            close(collected.power(&scene), 1.7 * gv[k], 1e-12, "one row");
        }
        let multipliers = r.many(n);
        let mut collected = Collected::new(&stand.tree);
        rows::loads(
            constraints,
            &scene,
            &active,
            &multipliers,
            &mut [],
            &mut collected.loads(),
        );
        let expected: f64 = multipliers.iter().zip(&gv).map(|(a, b)| a * b).sum();
        close(collected.power(&scene), expected, 1e-12, "all rows");
    });
}

#[test]
fn active_rows_are_a_part_of_all_rows() {
    cases(|stand, constraints, r| {
        let n = names(constraints).len();
        let every: Vec<usize> = (0..n).collect();
        // Whole constraints, parts of some, and none of others.
        let some = |k: &usize| (*k < 16) || (*k > 40 && k.is_multiple_of(3));
        let active: Vec<usize> = every.iter().copied().filter(some).collect();
        let run = stand.now();
        let scene = run.scene(&stand.tree);
        let mut scratch = vec![0.0; rows::largest_constraint(constraints)];
        let mut out = vec![f64::NAN; active.len()];
        for evaluate in [rows::positions::<f64>, rows::velocities, rows::accelerations] {
            let full = all(constraints, stand, &run, evaluate);
            evaluate(constraints, &scene, &active, &mut scratch, &mut out);
            for (k, x) in active.iter().zip(&out) {
                assert_eq!(*x, full[*k]);
            }
        }
        let (part, full) = (
            matrix(constraints, &scene, &active),
            matrix(constraints, &scene, &every),
        );
        for (i, k) in active.iter().enumerate() {
            for j in 0..stand.tree.n_v {
                assert_eq!(part[j * active.len() + i], full[j * n + k]);
            }
        }
        let few = r.many(active.len());
        let mut many = vec![0.0; n];
        for (k, x) in active.iter().zip(&few) {
            many[*k] = *x;
        }
        let (mut a, mut b) = (Collected::new(&stand.tree), Collected::new(&stand.tree));
        rows::loads(constraints, &scene, &active, &few, &mut scratch, &mut a.loads());
        rows::loads(constraints, &scene, &every, &many, &mut scratch, &mut b.loads());
        for (a, b) in a.wrenches.iter().zip(&b.wrenches) {
            assert!((*a - *b).force.norm() + (*a - *b).moment.norm() < 1e-13);
        }
        assert_eq!(a.generalised, b.generalised);
    });
}

fn at(node: usize) -> Attachment {
    Attachment {
        node,
        frame: Pose::identity(),
    }
}

fn still(tree: &Tree, q: &[f64], v: &[f64]) -> Run<f64> {
    Run::new(tree, q.to_vec(), v.to_vec(), vec![], vec![], 0.0)
}

#[test]
fn a_screw_holds_over_several_turns() {
    let pitch = 0.05;
    let mut tree = Tree::new(Vec3::zero());
    let slide = tree.push(
        0,
        NodeKind::PrismaticZ,
        Pose::identity(),
        0.0,
        None,
        Inertia::zero(),
    );
    let turn = tree.push(
        slide,
        NodeKind::RevoluteZ,
        Pose::identity(),
        0.0,
        None,
        Inertia::zero(),
    );
    let screw = Pair {
        from: at(0),
        to: at(turn),
        rows: vec![PairRow::Screw { pitch }],
        length: None,
    };
    let constraints = compile(&tree, vec![screw.into()]);
    for k in -40..=40 {
        let angle = 0.73 * k as f64;
        let run = still(&tree, &[pitch * angle, angle], &[pitch, 1.0]);
        let scene = run.scene(&tree);
        let mut row = [f64::NAN];
        constraints[0].element.position(&scene, &mut row);
        close(row[0], 0.0, 1e-14, "on the thread");
        let g = matrix(&constraints, &scene, &[0]);
        close(g[0], 1.0, 1e-12, "slide");
        close(g[1], -pitch, 1e-12, "turn");
        constraints[0].element.acceleration(&scene, &mut row);
        close(row[0], 0.0, 1e-12, "uniform motion along the thread");
        // Off the thread the row is p sin(z/p − θ).
        let off = still(&tree, &[pitch * angle + 0.01, angle], &[0.0, 0.0]);
        constraints[0].element.position(&off.scene(&tree), &mut row);
        close(row[0], pitch * (0.01 / pitch).sin(), 1e-13, "off the thread");
    }
}

#[test]
fn a_disc_touches_with_its_lowest_point() {
    for seed in 1..20 {
        let stand = Stand::new(seed);
        let mut r = Random::new(seed);
        let (wheel, plane) = (r.attachment(node::TIP), r.attachment(node::ARM));
        let rolling = Rolling {
            wheel,
            plane,
            radius: 0.6,
            sphere: false,
        };
        let run = stand.now();
        let scene = run.scene(&stand.tree);
        let mut row = [f64::NAN; 3];
        ConstraintElement::from(rolling).position(&scene, &mut row);
        let (w, p) = (scene.frame(&wheel), scene.frame(&plane));
        let lowest = (0..100_000)
            .map(|k| {
                let (sin, cos) = (k as f64 * core::f64::consts::TAU / 1e5).sin_cos();
                let rim = w.axes.times(Vec3([0.6 * cos, 0.6 * sin, 0.0]));
                p.axes.column(2).dot(w.origin + rim - p.origin)
            })
            .fold(f64::INFINITY, f64::min);
        close(row[0], lowest, 1e-8, "lowest point");
    }
}

/// A wheel on the ground: centre by slides, any orientation.
fn wheel(orientation: Pose<f64>) -> (Tree, usize) {
    let mut tree = Tree::new(Vec3([0.0, 0.0, -9.81]));
    let mut last = 0;
    for kind in [NodeKind::PrismaticX, NodeKind::PrismaticY, NodeKind::PrismaticZ] {
        last = tree.push(last, kind, Pose::identity(), 0.0, None, Inertia::zero());
    }
    let wheel = tree.push(last, NodeKind::Ball, orientation, 0.0, None, Inertia::zero());
    (tree, wheel)
}

#[test]
fn an_upright_disc_rolls_straight_on() {
    // Axle z of the wheel along −y of the ground: turns about +y roll along +x.
    let turned = Mat3([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]);
    let (tree, node) = wheel(Pose::new(turned, Vec3::zero()));
    for sphere in [false, true] {
        let rolling = ConstraintElement::from(Rolling {
            wheel: at(node),
            plane: at(0),
            radius: 0.5,
            sphere,
        });
        let q = [3.0, 2.0, 0.5, 1.0, 0.0, 0.0, 0.0];
        let run = still(&tree, &q, &[1.0, 0.0, 0.0, 0.0, 0.0, -2.0]);
        let mut row = [f64::NAN; 3];
        rolling.position(&run.scene(&tree), &mut row);
        assert_eq!(row, [0.0; 3]);
        rolling.velocity(&run.scene(&tree), &mut row);
        assert_eq!(row, [0.0; 3]);
        rolling.acceleration(&run.scene(&tree), &mut row);
        assert_eq!(row, [0.0; 3]);
    }
}

#[test]
fn a_tilted_disc_rolls_round_a_cone() {
    // The disc is the base of a cone whose tip stays at the origin: it rolls on a circle. All
    // points of the contact line are at rest, so are the accelerations of the rows.
    let (radius, slant) = (0.5f64, 1.3f64);
    let half = (radius / slant).asin();
    let (sin, cos) = half.sin_cos();
    // Axle from the tip to the centre, at angle `half` above the x axis.
    let axle = Vec3([cos, 0.0, sin]);
    let y = Vec3([0.0, 1.0, 0.0]);
    let (tree, node) = wheel(Pose::new(
        Mat3::from_columns(y.cross(axle), y, axle),
        Vec3::zero(),
    ));
    let rolling = ConstraintElement::from(Rolling {
        wheel: at(node),
        plane: at(0),
        radius,
        sphere: false,
    });
    let centre = axle.scale(slant * cos);
    // The momentary axis is the contact line x; it goes round z with the rate p.
    let spin = -2.0;
    let omega = Vec3([spin, 0.0, 0.0]);
    let velocity = omega.cross(centre);
    let p = velocity[1] / centre[0];
    let rotation = tree.nodes[node].placement.rotation;
    let local = rotation.transpose_times(omega);
    let q = [centre[0], centre[1], centre[2], 1.0, 0.0, 0.0, 0.0];
    let v = [&velocity.0[..], &local.0[..]].concat();
    // ω̇ = p × ω in space, the same in the body; the centre goes round, too.
    let about = Vec3([0.0, 0.0, p]);
    let alpha = rotation.transpose_times(about.cross(omega));
    let a = [&about.cross(velocity).0[..], &alpha.0[..]].concat();
    let run = Run::new(&tree, q.to_vec(), v, a, vec![], 0.0);
    let mut row = [f64::NAN; 3];
    rolling.position(&run.scene(&tree), &mut row);
    for x in row {
        close(x, 0.0, 1e-14, "contact");
    }
    rolling.velocity(&run.scene(&tree), &mut row);
    for x in row {
        close(x, 0.0, 1e-14, "no slip");
    }
    rolling.acceleration(&run.scene(&tree), &mut row);
    for x in row {
        close(x, 0.0, 1e-13, "no change of slip");
    }
}
