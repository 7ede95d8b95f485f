//! The test stand: a tree with two branches on a moving base, and its state along a motion.

use holonom_algebra::{Dual4, Inertia, Mat3, Pose, Quaternion, Real, Sym3, Vec3, Wrench};
use holonom_multibody::Signal;
use holonom_multibody::elements::scene::{Loads, Scene};
use holonom_multibody::kinematics::positions::positions;
use holonom_multibody::kinematics::world::{
    WorldNode, world_accelerations, world_positions, world_velocities,
};
use holonom_multibody::tree::Attachment;
use holonom_multibody::tree::{Geometry, NodeKind, Tree};

/// Numbers in (−1, 1) that are the same in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> Vec3<f64> {
        Vec3([self.next(), self.next(), self.next()])
    }

    pub fn many(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }

    pub fn pose(&mut self) -> Pose<f64> {
        let e = [self.next(), self.next(), self.next(), self.next()];
        let n = e.iter().map(|x| x * x).sum::<f64>().sqrt();
        Pose::new(
            Mat3(Quaternion(e.map(|x| x / n)).rotation_matrix()),
            self.vector(),
        )
    }

    pub fn attachment(&mut self, node: usize) -> Attachment {
        Attachment {
            node,
            frame: self.pose(),
        }
    }

    pub fn inertia(&mut self) -> Inertia {
        let central = Sym3([1.1, 1.3, 0.9, 0.1, -0.05, 0.07])
            .0
            .map(|x| x * (1.5 + self.next()));
        Inertia::at_centre(1.5 + self.next(), self.vector().scale(0.3), &Sym3(central))
    }
}

/// A tree, what prescribes its coordinates, and a state with accelerations.
pub struct Stand {
    pub tree: Tree,
    pub signals: Vec<Signal>,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
    pub t: f64,
}

/// Nodes of [`Stand::new`] with many freedoms below them.
pub mod node {
    /// Slides under a signal; carries `ARM` and `SIDE`.
    pub const BASE: usize = 1;
    /// A turn on the base.
    pub const LOW: usize = 2;
    /// Behind two turns and a screw on the base.
    pub const ARM: usize = 4;
    /// A free body.
    pub const FREE: usize = 8;
    /// Behind a turn and a slide on the free body.
    pub const TIP: usize = 10;
    /// A turn on the base.
    pub const SIDE: usize = 11;
    /// A slide on `SIDE`, under a signal.
    pub const DRIVEN: usize = 12;
}

impl Stand {
    /// Every kind of node, in a random state.
    pub fn new(seed: u64) -> Self {
        let mut r = Random::new(seed);
        let mut tree = Tree::new(Vec3([0.4, -0.3, -9.81]));
        let flat = |r: &mut Random| Pose::new(Mat3::identity(), r.vector());
        let none = Inertia::zero();
        use NodeKind as K;
        let base = tree.push(0, K::PrismaticX, flat(&mut r), 0.0, Some(0), r.inertia());
        let low = tree.push(base, K::RevoluteTurned, r.pose(), 0.0, None, r.inertia());
        let arm = tree.push(low, K::RevoluteY, flat(&mut r), 0.0, None, r.inertia());
        let arm = tree.push(arm, K::Screw, r.pose(), 0.13, None, r.inertia());
        assert_eq!((base, low, arm), (node::BASE, node::LOW, node::ARM));
        let mut free = 0;
        for kind in [K::PrismaticX, K::PrismaticY, K::PrismaticZ] {
            free = tree.push(free, kind, flat(&mut r), 0.0, None, none);
        }
        let free = tree.push(free, K::Ball, r.pose(), 0.0, None, r.inertia());
        assert_eq!(free, node::FREE);
        let tip = tree.push(free, K::RevoluteX, flat(&mut r), 0.0, None, none);
        let tip = tree.push(tip, K::PrismaticTurned, r.pose(), 0.0, None, r.inertia());
        assert_eq!(tip, node::TIP);
        let side = tree.push(base, K::RevoluteZ, flat(&mut r), 0.0, None, r.inertia());
        let driven = tree.push(side, K::PrismaticTurned, r.pose(), 0.0, Some(1), r.inertia());
        assert_eq!((side, driven), (node::SIDE, node::DRIVEN));
        let welded = tree.push(driven, K::FixedTurned, r.pose(), 0.0, None, none);
        tree.push(welded, K::Fixed, flat(&mut r), 0.0, None, none);
        let signals = vec![
            Signal::harmonic(0.4, 2.3, 0.2),
            Signal::Polynomial(vec![0.1, -0.4, 0.3]),
        ];
        Self::with(tree, signals, &mut r)
    }

    /// A tree in a random state.
    pub fn with(tree: Tree, signals: Vec<Signal>, r: &mut Random) -> Self {
        let mut q = r.many(tree.n_q);
        for n in tree.nodes.iter().filter(|n| n.kind == NodeKind::Ball) {
            let e = &mut q[n.q..n.q + 4];
            let length = e.iter().map(|x| x * x).sum::<f64>().sqrt();
            e.iter_mut().for_each(|x| *x /= length);
        }
        let (v, a) = (r.many(tree.n_v), r.many(tree.n_v));
        Self {
            tree,
            signals,
            q,
            v,
            a,
            t: 0.7,
        }
    }

    /// q̇ = V(q) v.
    pub fn rates(&self, v: &[f64]) -> Vec<f64> {
        let mut rates = vec![0.0; self.tree.n_q];
        for n in self.tree.nodes.iter().skip(1) {
            if n.kind == NodeKind::Ball {
                let [a, b, c, d] = [0, 1, 2, 3].map(|k| self.q[n.q + k] / 2.0);
                let [x, y, z] = [0, 1, 2].map(|k| v[n.v + k]);
                let e = [
                    -b * x - c * y - d * z,
                    a * x + c * z - d * y,
                    a * y + d * x - b * z,
                    a * z + b * y - c * x,
                ];
                rates[n.q..n.q + 4].copy_from_slice(&e);
            } else if n.n_q() == 1 {
                rates[n.q] = v[n.v];
            }
        }
        rates
    }

    /// The state with all signals moving on.
    pub fn now(&self) -> Run<f64> {
        self.later(0.0)
    }

    /// The state a time h later, to first order in h.
    pub fn later(&self, h: f64) -> Run<f64> {
        let move_on =
            |x: &[f64], rate: &[f64]| x.iter().zip(rate).map(|(x, r)| x + h * r).collect::<Vec<_>>();
        let rates = self.rates(&self.v);
        let t = self.t + h;
        let signals = self.signals.iter().map(|s| s.evaluate(t)).collect();
        Run::new(
            &self.tree,
            move_on(&self.q, &rates),
            move_on(&self.v, &self.a),
            self.a.clone(),
            signals,
            t,
        )
    }

    /// The state with its derivative along the motion in slot 0.
    pub fn dual(&self) -> Run<Dual4> {
        let rates = self.rates(&self.v);
        let t = Dual4::variable(self.t, 0);
        let signals = self.signals.iter().map(|s| s.evaluate(t)).collect();
        let a = self.a.iter().map(|x| Dual4::constant(*x)).collect();
        Run::new(
            &self.tree,
            dual(&self.q, &rates),
            dual(&self.v, &self.a),
            a,
            signals,
            t,
        )
    }

    /// The state with its derivative along V(q) `shift`, at fixed time, in slot 0; at rest.
    pub fn shifted(&self, shift: &[f64]) -> Run<Dual4> {
        let zeros = vec![Dual4::zero(); self.tree.n_v];
        let t = Dual4::constant(self.t);
        let signals = self
            .signals
            .iter()
            .map(|s| [s.evaluate(t)[0], Dual4::zero(), Dual4::zero()])
            .collect();
        let q = dual(&self.q, &self.rates(shift));
        Run::new(&self.tree, q, zeros.clone(), zeros, signals, t)
    }

    /// The state with velocities `v`, without accelerations; signals stand still unless `moving`.
    pub fn with_velocities(&self, v: &[f64], moving: bool) -> Run<f64> {
        let keep = |s: &Signal| {
            let [u, du, ddu] = s.evaluate(self.t);
            if moving { [u, du, ddu] } else { [u, 0.0, 0.0] }
        };
        let signals = self.signals.iter().map(keep).collect();
        Run::new(&self.tree, self.q.clone(), v.to_vec(), vec![], signals, self.t)
    }
}

fn dual(x: &[f64], rate: &[f64]) -> Vec<Dual4> {
    x.iter()
        .zip(rate)
        .map(|(x, r)| Dual4::constant(*x).with_derivative(0, *r))
        .collect()
}

/// The motion of all nodes in one state.
pub struct Run<T: Real> {
    pub geometry: Vec<Geometry<T>>,
    pub world: Vec<WorldNode<T>>,
    pub q: Vec<T>,
    pub v: Vec<T>,
    pub a: Vec<T>,
    pub signals: Vec<[T; 3]>,
    pub t: T,
    /// Multiplier of the only row that elements read: a normal force of 40 N.
    pub lambda: Vec<T>,
}

impl<T: Real> Run<T> {
    pub fn new(tree: &Tree, q: Vec<T>, v: Vec<T>, a: Vec<T>, signals: Vec<[T; 3]>, t: T) -> Self {
        let mut geometry: Vec<_> = tree.nodes.iter().map(Geometry::new).collect();
        let mut world = vec![WorldNode::ground(); tree.nodes.len()];
        positions(tree, &q, &signals, &mut geometry);
        world_positions(tree, &geometry, &mut world);
        world_velocities(tree, &geometry, &signals, &v, &mut world);
        let given = (!a.is_empty()).then_some(a.as_slice());
        world_accelerations(tree, &geometry, &signals, &v, given, &mut world);
        Self {
            geometry,
            world,
            q,
            v,
            a,
            signals,
            t,
            lambda: vec![T::constant(-40.0)],
        }
    }

    pub fn scene<'a>(&'a self, tree: &'a Tree) -> Scene<'a, T> {
        Scene {
            tree,
            world: &self.world,
            q: &self.q,
            v: &self.v,
            a: &self.a,
            signals: &self.signals,
            t: self.t,
            x: &[],
            own: &[],
            lambda: &self.lambda,
            controls: &[],
            sides: &[],
        }
    }
}

/// Memory for loads.
pub struct Collected<T> {
    pub wrenches: Vec<Wrench<T>>,
    pub generalised: Vec<T>,
    pub driven: Vec<T>,
}

impl<T: Real> Collected<T> {
    pub fn new(tree: &Tree) -> Self {
        Self {
            wrenches: vec![Wrench::zero(); tree.nodes.len()],
            generalised: vec![T::zero(); tree.n_v],
            driven: vec![T::zero(); tree.n_signals],
        }
    }

    pub fn loads(&mut self) -> Loads<'_, T> {
        Loads {
            wrenches: &mut self.wrenches,
            generalised: &mut self.generalised,
            driven: &mut self.driven,
        }
    }

    /// Power on the velocities of a scene.
    pub fn power(&self, scene: &Scene<T>) -> T {
        let mut sum = T::zero();
        for (load, w) in self.wrenches.iter().zip(scene.world) {
            sum += w.omega.dot(load.moment) + w.velocity.dot(load.force);
        }
        for (f, v) in self.generalised.iter().zip(scene.v) {
            sum += *f * *v;
        }
        for (f, [_, rate, _]) in self.driven.iter().zip(scene.signals) {
            sum += *f * *rate;
        }
        sum
    }
}

/// Two frames that a turn about their common z axis keeps parallel.
pub fn hinge(stand: &Stand, turn: usize, r: &mut Random) -> (Attachment, Attachment) {
    let n = &stand.tree.nodes[turn];
    let about_z = Pose::new(
        Mat3([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]]),
        r.vector(),
    );
    let from = Attachment {
        node: n.parent,
        frame: n.placement.then(&about_z),
    };
    let to = Attachment {
        node: turn,
        frame: Pose::new(about_z.rotation.transpose(), r.vector()),
    };
    (from, to)
}

/// |a − b| ≤ tolerance · max(1, |b|).
#[track_caller]
pub fn close(a: f64, b: f64, tolerance: f64, what: &str) {
    assert!(
        (a - b).abs() <= tolerance * b.abs().max(1.0),
        "{what}: {a} and {b}"
    );
}
