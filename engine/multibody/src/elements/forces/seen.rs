//! What can be seen of a force element, by channels and by sensors alike: its load, what its reach
//! suggests, or the scalars it shows itself.

use super::{ForceElement, MOST_SHOWN, Reach};
use crate::elements::constraints::relative::Relative;
use crate::elements::joints::coordinates;
use crate::elements::scene::{Loads, Scene};
use crate::tree::Attachment;
use holonom_algebra::{Orientation, Real, Twist, Vec3, Wrench};

/// Place of the first scalar of the reach: force x, y, z and torque x, y, z come before.
pub(crate) const SCALARS: usize = 6;

/// Place of the first scalar that the element shows itself: the reach has two at most.
const SHOWN: usize = SCALARS + 2;

/// Values of an element at most.
pub(crate) const VALUES: usize = SHOWN + MOST_SHOWN;

/// Something to be seen of an element.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    /// Name within the element. A vector has components `x`, `y`, `z` behind it.
    pub name: &'static str,
    /// What it is.
    pub what: What,
    /// Place of its (first) value in what [`values`] gives.
    pub place: usize,
}

/// What is seen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    /// A scalar that the element shows itself, with its unit and meaning.
    Shown { unit: &'static str, doc: &'static str },
    /// Distance of two frames.
    Length,
    /// Force by which two frames are pulled together.
    Tension,
    /// Angle about an axis.
    Angle,
    /// Torque about it.
    Moment,
    /// Force on the coordinate of a node: the first one, or the second.
    Generalised { node: usize, second: bool },
    /// A force on a frame, or a torque.
    Vector { torque: bool },
}

/// All there is to be seen of an element.
pub(crate) fn list(element: &ForceElement) -> Vec<Seen> {
    let mut list = Vec::new();
    let mut add = |name, what, place| list.push(Seen { name, what, place });
    let outputs = element.outputs();
    for (k, shown) in outputs.iter().enumerate() {
        let (unit, doc) = (shown.unit, shown.doc);
        add(shown.name, What::Shown { unit, doc }, SHOWN + k);
    }
    let own = !outputs.is_empty();
    let (mut force, mut torque) = (true, true);
    match element.reach() {
        Reach::Coordinate(_) if own => (force, torque) = (false, false),
        Reach::Frame(_) | Reach::Pair(..) | Reach::Frames(_) => {}
        Reach::Line(..) => {
            torque = false;
            add("length", What::Length, SCALARS);
            add("tension", What::Tension, SCALARS + 1);
        }
        Reach::Hinge(..) => {
            force = false;
            add("angle", What::Angle, SCALARS);
            add("moment", What::Moment, SCALARS + 1);
        }
        // Several frames may be on one body.
        Reach::Chain(..) => (force, torque) = (false, false),
        Reach::Coordinate(node) => {
            (force, torque) = (false, false);
            add("force", What::Generalised { node, second: false }, SCALARS);
        }
        Reach::Coordinates([first, node]) => {
            (force, torque) = (false, false);
            let what = What::Generalised {
                node: first,
                second: false,
            };
            add("force", what, SCALARS);
            add(
                "second_force",
                What::Generalised { node, second: true },
                SCALARS + 1,
            );
        }
    }
    if force {
        add("force", What::Vector { torque: false }, 0);
    }
    if torque {
        add("torque", What::Vector { torque: true }, 3);
    }
    list
}

/// The values of all there is to be seen. The load is what the element adds to the node of its second
/// frame: two frames of one element are on different bodies, and every body has a node of its own.
///
/// `loads` is used meanwhile and left as it was.
pub(crate) fn values<T: Real>(element: &ForceElement, scene: &Scene<T>, loads: &mut Loads<T>) -> [T; VALUES] {
    let mut out = [T::zero(); VALUES];
    alone(element.nodes(), scene, loads, |loads| {
        element.evaluate(scene, loads);
        let generalised = |loads: &mut Loads<T>, node: usize| match scalar(scene, node) {
            true => *loads.generalised_on(scene.tree, node),
            false => T::zero(),
        };
        match element.reach() {
            Reach::Frame(at) | Reach::Pair(_, at) | Reach::Frames([_, at, _]) => {
                put(load(scene, at, loads), &mut out);
            }
            Reach::Line(from, to) => {
                let load = load(scene, to, loads);
                put(load, &mut out);
                let d = Relative::new(scene, from, to).distance;
                let square = d.norm_squared();
                // Ends that coincide have no direction.
                let apart = square.value() >= f64::MIN_POSITIVE;
                let length = T::select(apart, square, T::constant(1.0)).sqrt();
                out[SCALARS] = T::select(apart, length, T::zero());
                out[SCALARS + 1] = T::select(apart, -(d.dot(load.force) / length), T::zero());
            }
            Reach::Hinge(from, to) => {
                let load = load(scene, to, loads);
                put(load, &mut out);
                let relative = Relative::new(scene, from, to);
                out[SCALARS] = coordinates::angle_about_z(&relative);
                out[SCALARS + 1] = relative.first_axis(2).dot(load.moment);
            }
            Reach::Chain(..) => {}
            Reach::Coordinate(node) => out[SCALARS] = generalised(loads, node),
            Reach::Coordinates([first, second]) => {
                out[SCALARS] = generalised(loads, first);
                out[SCALARS + 1] = generalised(loads, second);
            }
        }
    });
    element.shown(scene, &mut out[SHOWN..]);
    out
}

/// The power of an element on the mechanism; `loads` is used meanwhile and left as it was.
pub(crate) fn power<T: Real>(element: &ForceElement, scene: &Scene<T>, loads: &mut Loads<T>) -> T {
    alone(element.nodes(), scene, loads, |loads| {
        force_power(element, scene, loads)
    })
}

/// Power of a force element on the mechanism. Needs velocities in the scene.
///
/// `scratch` must be zero and is zero again afterwards.
pub fn force_power<T: Real>(force: &ForceElement, scene: &Scene<T>, scratch: &mut Loads<T>) -> T {
    force.evaluate(scene, scratch);
    let mut sum = T::zero();
    for i in force.nodes() {
        // Cleared at once, so that a node named twice counts once.
        let load = core::mem::replace(&mut scratch.wrenches[i], Wrench::zero());
        let (node, w) = (&scene.tree.nodes[i], &scene.world[i]);
        sum += Twist::new(w.omega, w.velocity).power(&load);
        if let Some(signal) = node.prescribed {
            let driven = core::mem::replace(&mut scratch.driven[signal], T::zero());
            sum += driven * scene.signals[signal][1];
        }
        for k in node.v..node.v + node.n_v() {
            let generalised = core::mem::replace(&mut scratch.generalised[k], T::zero());
            sum += generalised * scene.v[k];
        }
    }
    sum
}

/// Does something with no loads on some nodes, which get theirs back afterwards: a node that comes twice what it had
/// before the first time.
fn alone<T: Real, R>(
    mut nodes: impl Iterator<Item = usize>,
    scene: &Scene<T>,
    loads: &mut Loads<T>,
    act: impl FnOnce(&mut Loads<T>) -> R,
) -> R {
    let Some(node) = nodes.next() else {
        return act(loads);
    };
    let wrench = core::mem::replace(&mut loads.wrenches[node], Wrench::zero());
    let generalised = match scalar(scene, node) {
        true => core::mem::replace(loads.generalised_on(scene.tree, node), T::zero()),
        false => T::zero(),
    };
    let result = alone(nodes, scene, loads, act);
    loads.wrenches[node] = wrench;
    if scalar(scene, node) {
        *loads.generalised_on(scene.tree, node) = generalised;
    }
    result
}

/// Whether a node has one coordinate, free or prescribed.
fn scalar<T: Real>(scene: &Scene<T>, node: usize) -> bool {
    let node = &scene.tree.nodes[node];
    node.prescribed.is_some() || node.n_v() == 1
}

/// The load on a frame's node, at the frame's origin.
fn load<T: Real>(scene: &Scene<T>, at: &Attachment, loads: &Loads<T>) -> Wrench<T> {
    let load = loads.wrenches[at.node];
    let arm = scene.world[at.node].rotation.times_constant(at.frame.position);
    Wrench::new(load.moment - arm.cross(load.force), load.force)
}

fn put<T: Real>(load: Wrench<T>, out: &mut [T; VALUES]) {
    let Vec3(force) = load.force;
    let Vec3(moment) = load.moment;
    out[..3].copy_from_slice(&force);
    out[3..SCALARS].copy_from_slice(&moment);
}
