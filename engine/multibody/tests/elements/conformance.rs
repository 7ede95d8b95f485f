//! What every force element must fulfil, by a sample of each kind in the registry. A new kind adds
//! its sample to [`samples`].

use crate::samples::{Places, Sample, samples};
use crate::stand::{Collected, Random, Run, Stand, close, hinge, node};
use holonom_algebra::{Dual4, Inertia, Mat3, Pose, Real, Trace, Vec3};
use holonom_multibody::elements::forces::*;
use holonom_multibody::elements::scene::Scene;
use holonom_multibody::kinematics::world::WorldNode;
use holonom_multibody::tree::Attachment;
use holonom_multibody::tree::{NodeKind, Tree};

/// Multipliers that elements may read, and their rates.
const LAMBDA: [[f64; 2]; 3] = [[3.0, 0.7], [-2.0, 1.1], [4.0, -0.9]];

/// Own states of a sample, and multipliers.
struct Inner<T> {
    own: Vec<T>,
    lambda: Vec<T>,
}

impl<T: Real> Inner<T> {
    /// The scene as the element finds it.
    fn of<'a>(&'a self, scene: Scene<'a, T>) -> Scene<'a, T> {
        Scene {
            x: &self.own,
            own: &self.own,
            lambda: &self.lambda,
            ..scene
        }
    }
}

impl Sample {
    /// Own states and multipliers that do not change.
    fn inner<T: Real>(&self) -> Inner<T> {
        Inner {
            own: self.own.iter().map(|x| T::constant(*x)).collect(),
            lambda: LAMBDA.map(|[l, _]| T::constant(l)).to_vec(),
        }
    }

    /// The element's own states a time h later, at their own rates, and multipliers.
    fn later(&self, rates: &[f64], h: f64) -> Inner<f64> {
        Inner {
            own: self.own.iter().zip(rates).map(|(x, rate)| x + h * rate).collect(),
            lambda: LAMBDA.map(|[l, rate]| l + h * rate).to_vec(),
        }
    }

    /// The same with their rates in slot 0.
    fn dual(&self, rates: &[f64]) -> Inner<Dual4> {
        let moving = |x: f64, rate: f64| Dual4::constant(x).with_derivative(0, rate);
        Inner {
            own: self.own.iter().zip(rates).map(|(x, r)| moving(*x, *r)).collect(),
            lambda: LAMBDA.map(|[l, rate]| moving(l, rate)).to_vec(),
        }
    }

    /// Rates of the own states.
    fn rates<T: Real>(&self, scene: &Scene<T>) -> Vec<T> {
        let mut out = vec![T::zero(); self.own.len()];
        self.element.rates(scene, &mut out);
        out
    }

    /// All that it answers: loads, and rates of its own states.
    fn answers<T: Real>(&self, tree: &Tree, scene: &Scene<T>) -> Vec<T> {
        let mut all = components(&loads_of(&self.element, tree, scene));
        all.extend(self.rates(scene));
        all
    }
}

/// Samples on the test stand.
fn on_stand(seed: u64) -> (Stand, Vec<Sample>) {
    let stand = Stand::new(seed);
    let mut r = Random::new(seed);
    let frames = [node::ARM, node::TIP, node::SIDE].map(|node| r.attachment(node));
    let (first, second) = hinge(&stand, node::LOW, &mut r);
    let places = Places {
        frames,
        hinge: [first, second],
        coordinates: [node::ARM, node::TIP],
    };
    (stand, samples(&places))
}

const SEEDS: core::ops::Range<u64> = 1..25;

fn loads_of<T: Real>(element: &ForceElement, tree: &Tree, scene: &Scene<T>) -> Collected<T> {
    let mut collected = Collected::new(tree);
    element.evaluate(scene, &mut collected.loads());
    collected
}

/// All components of loads, one after the other.
fn components<T: Real>(loads: &Collected<T>) -> Vec<T> {
    let wrenches = loads
        .wrenches
        .iter()
        .flat_map(|w| w.force.0.into_iter().chain(w.moment.0));
    wrenches.chain(loads.generalised.iter().copied()).collect()
}

fn size(components: &[f64]) -> f64 {
    holonom_testing::largest(components.iter().copied())
}

#[test]
fn every_kind_has_a_sample() {
    let (_, samples) = on_stand(1);
    for info in FORCES {
        assert!(
            samples.iter().any(|sample| sample.kind == info.name),
            "add a sample of \"{}\"",
            info.name
        );
    }
    for sample in samples {
        assert!(
            FORCES.iter().any(|info| info.name == sample.kind),
            "{}",
            sample.kind
        );
    }
}

/// A sample that never acts shows nothing.
#[test]
fn samples_act() {
    let mut acting = vec![0; on_stand(1).1.len()];
    for seed in SEEDS {
        let (stand, samples) = on_stand(seed);
        let run = stand.now();
        for (count, sample) in acting.iter_mut().zip(&samples) {
            let inner = sample.inner();
            let scene = inner.of(run.scene(&stand.tree));
            let loads = loads_of(&sample.element, &stand.tree, &scene);
            *count += usize::from(size(&components(&loads)) > 1e-3);
            // Where it says it acts, and nowhere else.
            let nodes: Vec<usize> = sample.element.nodes().collect();
            for (i, node) in stand.tree.nodes.iter().enumerate() {
                if !nodes.contains(&i) {
                    assert_eq!(
                        loads.wrenches[i],
                        holonom_algebra::Wrench::zero(),
                        "{}",
                        sample.kind
                    );
                    let own = &loads.generalised[node.v..node.v + node.n_v()];
                    assert!(own.iter().all(|x| *x == 0.0), "{}", sample.kind);
                }
            }
            assert_eq!(
                sample.element.energy(&scene).is_some(),
                sample.element.stores_energy(),
                "{}",
                sample.kind
            );
        }
    }
    for (count, sample) in acting.iter().zip(on_stand(1).1) {
        assert!(*count >= 5, "{} acts {count} times", sample.kind);
    }
}

#[test]
fn loads_at_rest_are_the_slope_of_the_energy() {
    for seed in SEEDS {
        let (stand, samples) = on_stand(seed);
        let shift = Random::new(seed + 100).many(stand.tree.n_v);
        let moved = stand.shifted(&shift);
        let rest = stand.with_velocities(&vec![0.0; stand.tree.n_v], false);
        let moving = stand.with_velocities(&shift, false);
        for sample in samples.iter().filter(|s| s.potential) {
            let (inner, fixed) = (sample.inner(), sample.inner());
            let energy = sample.element.energy(&fixed.of(moved.scene(&stand.tree)));
            let energy = energy.unwrap();
            let loads = loads_of(&sample.element, &stand.tree, &inner.of(rest.scene(&stand.tree)));
            let work = loads.power(&moving.scene(&stand.tree));
            close(
                work,
                -energy.derivative(0),
                1e-11,
                &format!("{} {seed}", sample.kind),
            );
        }
    }
}

#[test]
fn passive_elements_only_lose_energy() {
    let mut lost = vec![0.0; on_stand(1).1.len()];
    for seed in SEEDS {
        let (stand, samples) = on_stand(seed);
        let (run, dual) = (stand.now(), stand.dual());
        for (lost, sample) in lost.iter_mut().zip(&samples).filter(|(_, s)| s.passive) {
            let inner = sample.inner();
            let scene = inner.of(run.scene(&stand.tree));
            let moving = sample.dual(&sample.rates(&scene));
            let energy = sample.element.energy(&moving.of(dual.scene(&stand.tree)));
            let stored = energy.map_or(0.0, |energy| energy.derivative(0));
            let power = loads_of(&sample.element, &stand.tree, &scene).power(&scene);
            let dissipated = -power - stored;
            let scale = power.abs().max(1.0);
            assert!(
                dissipated > -1e-11 * scale,
                "{} {seed}: {dissipated:e}",
                sample.kind
            );
            *lost += dissipated;
        }
    }
    for (lost, sample) in lost.iter().zip(on_stand(1).1).filter(|(_, s)| s.passive) {
        assert!(*lost > 1e-3, "{} loses {lost}", sample.kind);
    }
}

#[test]
fn derivatives_are_those_of_differences() {
    let h = 1e-6;
    for seed in SEEDS {
        let (stand, samples) = on_stand(seed);
        let (before, dual, after) = (stand.later(-h), stand.dual(), stand.later(h));
        let now = stand.now();
        for sample in &samples {
            let fixed = sample.inner();
            let rates = sample.rates(&fixed.of(now.scene(&stand.tree)));
            let at = |run: &Run<f64>, h: f64| {
                let inner = sample.later(&rates, h);
                sample.answers(&stand.tree, &inner.of(run.scene(&stand.tree)))
            };
            let moving = sample.dual(&rates);
            let exact = sample.answers(&stand.tree, &moving.of(dual.scene(&stand.tree)));
            let (before, after) = (at(&before, -h), at(&after, h));
            let scale = size(&before).max(1.0);
            for k in 0..exact.len() {
                let slope = (after[k] - before[k]) / (2.0 * h);
                let error = (slope - exact[k].derivative(0)).abs();
                let tolerance = 1e-6 * scale.max(slope.abs());
                assert!(
                    error <= tolerance,
                    "{} {seed}: {slope} and {}",
                    sample.kind,
                    exact[k].derivative(0)
                );
            }
        }
    }
}

/// The world seen from a frame that is elsewhere, turned, and moves.
fn seen_moving(
    world: &[WorldNode<f64>],
    pose: &Pose<f64>,
    omega: Vec3<f64>,
    velocity: Vec3<f64>,
) -> Vec<WorldNode<f64>> {
    let seen = |node: &WorldNode<f64>| {
        let mut moved = *node;
        moved.rotation = pose.rotation.matrix(&node.rotation);
        moved.position = pose.position + pose.rotation.times(node.position);
        moved.omega = pose.rotation.times(node.omega) + omega;
        moved.velocity = pose.rotation.times(node.velocity) + velocity + omega.cross(moved.position);
        moved
    };
    world.iter().map(seen).collect()
}

#[test]
fn a_moved_turned_and_moving_world_changes_nothing() {
    for seed in SEEDS {
        let (stand, samples) = on_stand(seed);
        let mut r = Random::new(seed + 7);
        let (pose, omega, velocity) = (r.pose(), r.vector().scale(3.0), r.vector().scale(5.0));
        let run = stand.now();
        let world = seen_moving(&run.world, &pose, omega, velocity);
        for sample in &samples {
            let inner = sample.inner();
            let scene = inner.of(run.scene(&stand.tree));
            let here = loads_of(&sample.element, &stand.tree, &scene);
            let energy = sample.element.energy(&scene);
            let rates = sample.rates(&scene);
            let scene = Scene {
                world: &world,
                ..scene
            };
            let there = loads_of(&sample.element, &stand.tree, &scene);
            let what = format!("{} {seed}", sample.kind);
            let scale = size(&components(&here)).max(1.0);
            for (a, b) in here.wrenches.iter().zip(&there.wrenches) {
                let force = (pose.rotation.times(a.force) - b.force).norm();
                let moment = (pose.rotation.times(a.moment) - b.moment).norm();
                assert!(
                    force < 1e-10 * scale && moment < 1e-10 * scale,
                    "{what}: {force:e} {moment:e}"
                );
            }
            assert_eq!(here.generalised, there.generalised, "{what}");
            for (a, b) in rates.iter().zip(sample.rates(&scene)) {
                close(b, *a, 1e-10, &what);
            }
            if let (Some(a), Some(b)) = (energy, sample.element.energy(&scene)) {
                close(b, a, 1e-11, &what);
            }
        }
    }
}

#[test]
fn the_tracing_scalar_sees_every_dependence() {
    for seed in [1, 2, 3] {
        let (stand, samples) = on_stand(seed);
        let (n_q, n_v) = (stand.tree.n_q, stand.tree.n_v);
        for sample in &samples {
            // Positions, velocities, own states, multipliers.
            let state: Vec<f64> = (stand.q.iter().chain(&stand.v).chain(&sample.own).copied())
                .chain(LAMBDA.map(|[l, _]| l))
                .collect();
            let (own, n) = (n_q + n_v, state.len());
            let split = own + sample.own.len();
            let mut seen: Vec<Vec<usize>> = Vec::new();
            Trace::scope_at(&state, |x| {
                let t = Trace::constant(stand.t);
                let signals = stand.signals.iter().map(|s| s.evaluate(t)).collect();
                let run = Run::new(
                    &stand.tree,
                    x[..n_q].to_vec(),
                    x[n_q..own].to_vec(),
                    vec![],
                    signals,
                    t,
                );
                let inner = Inner {
                    own: x[own..split].to_vec(),
                    lambda: x[split..].to_vec(),
                };
                seen = sample
                    .answers(&stand.tree, &inner.of(run.scene(&stand.tree)))
                    .iter()
                    .map(|x| x.dependencies().collect())
                    .collect();
            });
            let mut slopes: Vec<Vec<f64>> = Vec::new();
            let mut values: Vec<f64> = Vec::new();
            for k in 0..n {
                let x: Vec<Dual4> = (0..n)
                    .map(|i| match i == k {
                        true => Dual4::variable(state[i], 0),
                        false => Dual4::constant(state[i]),
                    })
                    .collect();
                let t = Dual4::constant(stand.t);
                let signals = stand.signals.iter().map(|s| s.evaluate(t)).collect();
                let run = Run::new(
                    &stand.tree,
                    x[..n_q].to_vec(),
                    x[n_q..own].to_vec(),
                    vec![],
                    signals,
                    t,
                );
                let inner = Inner {
                    own: x[own..split].to_vec(),
                    lambda: x[split..].to_vec(),
                };
                let answers = sample.answers(&stand.tree, &inner.of(run.scene(&stand.tree)));
                slopes.push(answers.iter().map(|x| x.derivative(0)).collect::<Vec<f64>>());
                values = answers.iter().map(|x| x.value()).collect();
            }
            for (component, seen) in seen.iter().enumerate() {
                // Zero, but for the rounding of δθ × r where r lies along the axis δθ.
                let largest = holonom_testing::largest(slopes.iter().map(|s| s[component]));
                let zero = 16.0 * f64::EPSILON * (values[component].abs() + largest);
                for (k, slope) in slopes.iter().enumerate() {
                    let slope = slope[component];
                    let sees = slope.abs() <= zero || seen.contains(&k);
                    assert!(sees, "{}: variable {k} with {slope:.3e}", sample.kind);
                }
            }
        }
    }
}

/// A body that moves freely, its frame at that of the ground.
fn coincident() -> (Tree, Vec<Sample>) {
    let mut tree = Tree::new(Vec3::zero());
    let mut node = 0;
    for kind in [
        NodeKind::PrismaticX,
        NodeKind::PrismaticY,
        NodeKind::PrismaticZ,
        NodeKind::RevoluteX,
        NodeKind::RevoluteY,
        NodeKind::RevoluteZ,
    ] {
        node = tree.push(node, kind, Pose::identity(), 0.0, None, Inertia::zero());
    }
    let at = |node: usize, position: Vec3<f64>| Attachment {
        node,
        frame: Pose::new(Mat3::identity(), position),
    };
    let zero = Vec3::zero();
    let places = Places {
        frames: [at(0, zero), at(node, zero), at(node, Vec3([0.0, 1.0, 0.0]))],
        hinge: [at(0, zero), at(node, zero)],
        coordinates: [1, node],
    };
    (tree, samples(&places))
}

#[test]
fn nothing_is_infinite_where_frames_coincide_or_are_far_apart() {
    let (tree, samples) = coincident();
    let mut r = Random::new(3);
    for far in [0.0, 1e-160, 1e-12, 1e-3, 1.0, 50.0] {
        for speed in [0.0, 1e-9, 1.0, 1e3] {
            for round in 0..4 {
                let mut q: Vec<f64> = r.many(6).iter().map(|x| x * far).collect();
                // Upright and tilted, on the axis and off it.
                if round < 2 {
                    q[3..].fill(0.0);
                }
                if round % 2 == 0 {
                    q[..2].fill(0.0);
                }
                let v: Vec<f64> = r.many(6).iter().map(|x| x * speed).collect();
                for slot in 0..3 {
                    let seed = |x: &[f64], first: usize| -> Vec<Dual4> {
                        let variable = |k: usize| (4 * slot..4 * slot + 4).contains(&(first + k));
                        (0..6)
                            .map(|k| match variable(k) {
                                true => Dual4::variable(x[k], (first + k) % 4),
                                false => Dual4::constant(x[k]),
                            })
                            .collect()
                    };
                    let t = Dual4::constant(0.2);
                    let run = Run::new(&tree, seed(&q, 0), seed(&v, 6), vec![], vec![], t);
                    for sample in &samples {
                        let inner = sample.inner();
                        let scene = inner.of(run.scene(&tree));
                        let loads = sample.answers(&tree, &scene);
                        let finite = loads.iter().all(|x| x.is_finite());
                        assert!(finite, "{}: q = {q:?}, v = {v:?}: {loads:?}", sample.kind);
                        if let Some(energy) = sample.element.energy(&scene) {
                            assert!(energy.is_finite(), "{}: q = {q:?}", sample.kind);
                        }
                    }
                }
            }
        }
    }
}
