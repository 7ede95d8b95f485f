//! The recursions against each other, against differences and against the balance of power, on
//! random trees with every kind of node.

use super::{aba, crba, rnea};
use crate::kinematics::positions;
use crate::tree::{Geometry, Node, NodeKind, Tree};
use holonom_algebra::{Dual4, Dual8, Inertia, Mat3, Pose, Quaternion, Real, Sym3, Trace, Vec3, Wrench};

const KINDS: [NodeKind; 12] = [
    NodeKind::Fixed,
    NodeKind::FixedTurned,
    NodeKind::RevoluteX,
    NodeKind::RevoluteY,
    NodeKind::RevoluteZ,
    NodeKind::RevoluteTurned,
    NodeKind::PrismaticX,
    NodeKind::PrismaticY,
    NodeKind::PrismaticZ,
    NodeKind::PrismaticTurned,
    NodeKind::Screw,
    NodeKind::Ball,
];

struct Random(u64);

impl Random {
    /// In [−1, 1).
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    fn below(&mut self, n: usize) -> usize {
        (((self.next() + 1.0) * 0.5 * n as f64) as usize).min(n - 1)
    }
    fn vector(&mut self) -> Vec3<f64> {
        Vec3([self.next(), self.next(), self.next()])
    }
    fn list(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
    fn inertia(&mut self) -> Inertia {
        let central = Sym3([
            0.4,
            0.5,
            0.6,
            0.1 * self.next(),
            0.1 * self.next(),
            0.1 * self.next(),
        ]);
        Inertia::at_centre(1.5 + self.next(), self.vector(), &central)
    }
    fn rotation(&mut self) -> Mat3<f64> {
        let [a, b, c] = self.vector().0;
        Mat3(Quaternion([1.0, a, b, c]).normalised().rotation_matrix())
    }
}

/// A tree with two nodes of every kind at random places, every third scalar one prescribed if asked for.
fn tree(random: &mut Random, prescribe: bool) -> Tree {
    let mut tree = Tree::new(Vec3([1.0, -2.0, -9.0]));
    let mut kinds: Vec<NodeKind> = KINDS.iter().chain(&KINDS).copied().collect();
    for i in (1..kinds.len()).rev() {
        kinds.swap(i, random.below(i + 1));
    }
    let at = random.below(kinds.len());
    for (i, kind) in kinds.into_iter().enumerate() {
        // Mostly the last node: deep, with branches.
        let parent = match random.below(3) {
            0 => random.below(tree.nodes.len()),
            _ => tree.nodes.len() - 1,
        };
        use NodeKind::{Ball, FixedTurned, PrismaticTurned, RevoluteTurned, Screw};
        let turned = matches!(
            kind,
            FixedTurned | RevoluteTurned | PrismaticTurned | Screw | Ball
        );
        let rotation = if turned {
            random.rotation()
        } else {
            Mat3::identity()
        };
        let place = Pose::new(rotation, random.vector());
        let scalar = kind.sizes() == (1, 1);
        let prescribed = (prescribe && scalar && i % 3 == 0).then_some(tree.n_signals);
        let pitch = if kind == Screw { 0.3 } else { 0.0 };
        // Massless frames are those of a free body below and some constant ones: two in a row
        // could be redundant.
        let massless = kind.is_constant() && i % 2 == 0;
        let inertia = if massless {
            Inertia::zero()
        } else {
            random.inertia()
        };
        tree.push(parent, kind, place, pitch, prescribed, inertia);
        if i == at {
            let mut last = random.below(tree.nodes.len());
            for kind in [NodeKind::PrismaticX, NodeKind::PrismaticY, NodeKind::PrismaticZ] {
                last = tree.push(last, kind, Pose::identity(), 0.0, None, Inertia::zero());
            }
            tree.push(
                last,
                NodeKind::Ball,
                Pose::identity(),
                0.0,
                None,
                random.inertia(),
            );
        }
    }
    tree
}

struct State<T> {
    q: Vec<T>,
    v: Vec<T>,
    a: Vec<T>,
    signals: Vec<[T; 3]>,
    applied: Vec<Wrench<T>>,
}

impl State<f64> {
    fn new(tree: &Tree, random: &mut Random) -> Self {
        Self {
            q: random.list(tree.n_q),
            v: random.list(tree.n_v),
            a: random.list(tree.n_v),
            signals: (0..tree.n_signals)
                .map(|_| [random.next(), random.next(), random.next()])
                .collect(),
            applied: tree
                .nodes
                .iter()
                .map(|_| Wrench::new(random.vector(), random.vector()))
                .collect(),
        }
    }

    /// With the numbers made by `f` from a value and its place.
    fn with<T: Real>(&self, f: impl Fn(f64, usize) -> T) -> State<T> {
        let list = |x: &[f64], from: usize| x.iter().enumerate().map(|(i, x)| f(*x, from + i)).collect();
        let v = self.q.len();
        let a = v + self.v.len();
        let s = a + self.a.len();
        State {
            q: list(&self.q, 0),
            v: list(&self.v, v),
            a: list(&self.a, a),
            signals: self
                .signals
                .iter()
                .enumerate()
                .map(|(i, u)| [0, 1, 2].map(|k| f(u[k], s + 3 * i + k)))
                .collect(),
            applied: self
                .applied
                .iter()
                .map(|w| Wrench::new(Vec3::constant(w.moment), Vec3::constant(w.force)))
                .collect(),
        }
    }
}

fn geometry<T: Real>(tree: &Tree, state: &State<T>) -> Vec<Geometry<T>> {
    let mut geometry: Vec<_> = tree.nodes.iter().map(Geometry::new).collect();
    positions::positions(tree, &state.q, &state.signals, &mut geometry);
    geometry
}

fn inverse_dynamics<T: Real>(tree: &Tree, s: &State<T>) -> Vec<T> {
    let mut work = vec![rnea::RneaNode::zero(); tree.nodes.len()];
    let mut tau = vec![T::zero(); tree.n_v];
    let g = geometry(tree, s);
    rnea::rnea(
        tree,
        &g,
        &s.signals,
        &s.v,
        &s.a,
        Some(&s.applied),
        &mut work,
        &mut tau,
    );
    tau
}

fn forward_dynamics<T: Real>(tree: &Tree, s: &State<T>, tau: &[T]) -> Vec<T> {
    let mut work = vec![aba::AbaNode::zero(); tree.nodes.len()];
    let mut a = vec![T::zero(); tree.n_v];
    let g = geometry(tree, s);
    aba::aba(
        tree,
        &g,
        &s.signals,
        &s.v,
        tau,
        Some(&s.applied),
        &mut work,
        &mut a,
    );
    a
}

/// The full mass matrix.
fn mass<T: Real>(tree: &Tree, s: &State<T>) -> Vec<T> {
    let n = tree.n_v;
    let mut m = vec![T::zero(); n * n];
    crba::crba(tree, &geometry(tree, s), &mut crba::CrbaWork::new(tree), &mut m);
    for j in 0..n {
        for i in j..n {
            m[i * n + j] = m[j * n + i];
        }
    }
    m
}

/// Largest difference, relative to the largest value.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let size = b.iter().fold(1.0f64, |s, x| s.max(x.abs()));
    a.iter().zip(b).fold(0.0f64, |d, (a, b)| {
        let e = (a - b).abs();
        if e.is_nan() {
            f64::INFINITY
        } else {
            d.max(e / size)
        }
    })
}

#[track_caller]
fn near(a: &[f64], b: &[f64], limit: f64) {
    let d = distance(a, b);
    assert!(
        d <= limit,
        "differ by {d:.1e}, more than {limit:.0e}:\n{a:?}\n{b:?}"
    );
}

fn values<T: Real>(x: &[T]) -> Vec<f64> {
    x.iter().map(|x| x.value()).collect()
}

fn cases(prescribe: bool) -> impl Iterator<Item = (Tree, State<f64>, Random)> {
    (1..=20).map(move |seed| {
        let mut random = Random(seed * 7919);
        let tree = tree(&mut random, prescribe);
        let state = State::new(&tree, &mut random);
        (tree, state, random)
    })
}

#[test]
fn forward_and_inverse_dynamics_are_inverse_to_each_other() {
    for (tree, state, _) in cases(true).chain(cases(false)) {
        let tau = inverse_dynamics(&tree, &state);
        near(&forward_dynamics(&tree, &state, &tau), &state.a, 1e-9);
    }
}

#[test]
fn columns_of_the_mass_matrix_are_differences_of_inverse_dynamics() {
    for (tree, mut state, _) in cases(true).chain(cases(false)) {
        let n = tree.n_v;
        let m = mass(&tree, &state);
        state.a.fill(0.0);
        let rest = inverse_dynamics(&tree, &state);
        for j in 0..n {
            state.a[j] = 1.0;
            let with: Vec<f64> = inverse_dynamics(&tree, &state)
                .iter()
                .zip(&rest)
                .map(|(a, b)| a - b)
                .collect();
            state.a[j] = 0.0;
            near(&with, &m[j * n..(j + 1) * n], 1e-11);
        }
    }
}

#[test]
fn a_factorised_tree_solves_with_the_mass_matrix() {
    for (tree, state, mut random) in cases(true).chain(cases(false)) {
        let n = tree.n_v;
        let m = mass(&tree, &state);
        let x = random.list(n);
        let tau: Vec<f64> = (0..n)
            .map(|i| (0..n).map(|j| m[j * n + i] * x[j]).sum())
            .collect();
        let g = geometry(&tree, &state);
        let mut work = vec![aba::AbaNode::zero(); tree.nodes.len()];
        let mut found = vec![0.0; n];
        aba::factorise(&tree, &g, &mut work);
        aba::solve(&tree, &g, &tau, None, &mut work, &mut found);
        near(&found, &x, 1e-9);
        // With loads instead: those of `applied` less what is there without them.
        let zero = State {
            v: vec![0.0; n],
            a: vec![0.0; n],
            q: state.q.clone(),
            signals: state.signals.iter().map(|u| [u[0], 0.0, 0.0]).collect(),
            applied: state.applied.clone(),
        };
        let without = State {
            applied: vec![Wrench::zero(); tree.nodes.len()],
            q: state.q.clone(),
            v: zero.v.clone(),
            a: zero.a.clone(),
            signals: zero.signals.clone(),
        };
        let (p, r) = (inverse_dynamics(&tree, &without), inverse_dynamics(&tree, &zero));
        let rhs: Vec<f64> = p.iter().zip(&r).map(|(p, r)| p - r).collect();
        let mut expected = vec![0.0; n];
        aba::solve(&tree, &g, &rhs, None, &mut work, &mut expected);
        aba::solve(
            &tree,
            &g,
            &vec![0.0; n],
            Some(&state.applied),
            &mut work,
            &mut found,
        );
        near(&found, &expected, 1e-9);
    }
}

/// q after a small time with constant velocities.
fn moved(tree: &Tree, s: &State<f64>, h: f64) -> State<f64> {
    let mut q = s.q.clone();
    for node in tree.nodes.iter().skip(1) {
        match (node.kind, node.n_v()) {
            (NodeKind::Ball, _) => {
                let e: [f64; 4] = std::array::from_fn(|k| s.q[node.q + k]);
                let w = &s.v[node.v..];
                let rate = [
                    -e[1] * w[0] - e[2] * w[1] - e[3] * w[2],
                    e[0] * w[0] + e[2] * w[2] - e[3] * w[1],
                    e[0] * w[1] + e[3] * w[0] - e[1] * w[2],
                    e[0] * w[2] + e[1] * w[1] - e[2] * w[0],
                ];
                for k in 0..4 {
                    q[node.q + k] += 0.5 * h * rate[k];
                }
            }
            (_, 1) => q[node.q] += h * s.v[node.v],
            _ => {}
        }
    }
    State {
        q,
        v: s.v.clone(),
        a: s.a.clone(),
        signals: s.signals.clone(),
        applied: s.applied.clone(),
    }
}

#[test]
fn the_power_of_the_joints_is_the_rate_of_the_kinetic_energy() {
    for (tree, mut state, _) in cases(false) {
        let n = tree.n_v;
        state.a.fill(0.0);
        let still = State {
            v: vec![0.0; n],
            ..state.with(|x, _| x)
        };
        let power: f64 = (0..n)
            .map(|i| (inverse_dynamics(&tree, &state)[i] - inverse_dynamics(&tree, &still)[i]) * state.v[i])
            .sum();
        let energy = |s: &State<f64>| {
            let m = mass(&tree, s);
            let square = |i: usize| (0..n).map(|j| m[i * n + j] * s.v[i] * s.v[j]).sum::<f64>();
            0.5 * (0..n).map(square).sum::<f64>()
        };
        let h = 1e-5;
        let rate = (energy(&moved(&tree, &state, h)) - energy(&moved(&tree, &state, -h))) / (2.0 * h);
        near(&[power], &[rate], 1e-6);
    }
}

#[test]
fn a_prescribed_coordinate_acts_like_a_free_one_that_moves_so() {
    for (tree, state, _) in cases(true) {
        // The same tree with all coordinates free, and where those of the first are in it.
        let mut free = Tree::new(tree.gravity);
        for node in tree.nodes.iter().skip(1) {
            let Node {
                parent,
                kind,
                placement,
                pitch,
                inertia,
                ..
            } = *node;
            free.push(parent, kind, placement, pitch, None, inertia);
        }
        let mut all = State::new(&free, &mut Random(1));
        all.applied = state.applied.clone();
        let mut at = Vec::new();
        for (node, f) in tree.nodes.iter().zip(&free.nodes).skip(1) {
            if let Some(s) = node.prescribed {
                (all.q[f.q], all.v[f.v], all.a[f.v]) =
                    (state.signals[s][0], state.signals[s][1], state.signals[s][2]);
                continue;
            }
            all.q[f.q..f.q + f.n_q()].copy_from_slice(&state.q[node.q..node.q + node.n_q()]);
            for k in 0..node.n_v() {
                all.v[f.v + k] = state.v[node.v + k];
                all.a[f.v + k] = state.a[node.v + k];
                at.push(f.v + k);
            }
        }
        let tau = inverse_dynamics(&free, &all);
        let expected: Vec<f64> = at.iter().map(|i| tau[*i]).collect();
        near(&inverse_dynamics(&tree, &state), &expected, 1e-12);
    }
}

/// Every derivative of `f` by all inputs, with duals and with central differences.
fn derivatives(
    tree: &Tree,
    state: &State<f64>,
    f64s: impl Fn(&State<f64>) -> Vec<f64>,
    duals: impl Fn(&State<Dual8>) -> Vec<Dual8>,
) {
    let inputs = tree.n_q + 2 * tree.n_v + 3 * tree.n_signals;
    for first in (0..inputs).step_by(8) {
        let d = duals(&state.with(|x, i| {
            let x = Dual8::constant(x);
            if (first..first + 8).contains(&i) {
                x.with_derivative(i - first, 1.0)
            } else {
                x
            }
        }));
        near(&values(&d), &f64s(state), 1e-10);
        for i in first..(first + 8).min(inputs) {
            let h = 1e-5;
            let by = |h: f64| f64s(&state.with(|x, k| if k == i { x + h } else { x }));
            let slope: Vec<f64> = by(h)
                .iter()
                .zip(&by(-h))
                .map(|(a, b)| (a - b) / (2.0 * h))
                .collect();
            let found: Vec<f64> = d.iter().map(|d| d.derivative(i - first)).collect();
            near(&found, &slope, 1e-5);
        }
    }
}

#[test]
fn duals_give_the_derivatives() {
    for (tree, state, _) in cases(true).take(3) {
        derivatives(
            &tree,
            &state,
            |s| inverse_dynamics(&tree, s),
            |s| inverse_dynamics(&tree, s),
        );
        derivatives(&tree, &state, |s| mass(&tree, s), |s| mass(&tree, s));
        // Small forces, or the accelerations of light ends are all there is to see.
        let tau = inverse_dynamics(&tree, &state);
        let constant: Vec<Dual8> = tau.iter().map(|t| Dual8::constant(*t)).collect();
        derivatives(
            &tree,
            &state,
            |s| forward_dynamics(&tree, s, &tau),
            |s| forward_dynamics(&tree, s, &constant),
        );
    }
}

#[test]
fn all_scalars_give_the_same_values() {
    for (tree, state, _) in cases(true).take(3) {
        let tau = inverse_dynamics(&tree, &state);
        let a = forward_dynamics(&tree, &state, &tau);
        let m = mass(&tree, &state);
        let four = state.with(|x, _| Dual4::constant(x));
        let tau4: Vec<Dual4> = tau.iter().map(|t| Dual4::constant(*t)).collect();
        near(&values(&inverse_dynamics(&tree, &four)), &tau, 1e-12);
        near(&values(&forward_dynamics(&tree, &four, &tau4)), &a, 1e-10);
        near(&values(&mass(&tree, &four)), &m, 1e-12);
        Trace::scope(0, |_| {
            let traced = state.with(|x, _| Trace::constant(x));
            let traced_tau: Vec<Trace> = tau.iter().map(|t| Trace::constant(*t)).collect();
            near(&values(&inverse_dynamics(&tree, &traced)), &tau, 1e-12);
            near(&values(&forward_dynamics(&tree, &traced, &traced_tau)), &a, 1e-10);
            near(&values(&mass(&tree, &traced)), &m, 1e-12);
        });
    }
}
