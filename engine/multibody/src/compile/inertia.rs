//! Whether every free coordinate of the tree moves some inertia at the start.
//!
//! The pivots of the articulated-body recursion, Sᵀ I S, are those of a factorisation of the mass
//! matrix from tip to base. One that is nothing but rounding shows a singular mass matrix: compared
//! with the inertia along the same motion of all that hangs on the joint taken as rigid (what
//! released joints took away), or with the articulated inertia in all directions (what turned
//! frames leave of zeros: a thin rod that spins about its own axis). Rods count with their
//! point masses; constraints do not help, because the recursions divide by these pivots.

use crate::diagnostic::{Diagnostic, Sort, ThingKind};
use crate::kinematics::freedom::by_kind;
use crate::kinematics::positions::positions;
use crate::model::{JointPlace, Model};
use crate::tree::{Geometry, NodeKind};
use holonom_algebra::{Articulated, Rotation, Sym3};

/// Pivots below this part of the rigid inertia are rounding. A straight chain of n hinged links
/// comes down to 3/n³: chains of some ten thousand links pass.
const ROUNDING: f64 = 1e-14;

/// Pivots below this part of the inertia in other directions are rounding. A shaft of 1 mm with
/// its mass 100 m away from the origin of the joint along the axis comes down to 10⁻¹¹.
const ROUNDING_ACROSS: f64 = 1e-13;

/// Adds a fault for each joint with coordinates that accelerate nothing.
pub(super) fn check(model: &Model, errors: &mut Vec<Diagnostic>) {
    let singular = singular_coordinates(model, &model.q0);
    if singular.is_empty() {
        return;
    }
    // Fixed numbers of no special position; the same faults every time.
    let everywhere = [0.37, -0.53, 0.71].iter().all(|step| {
        let moved = |(i, q): (usize, &f64)| q + step * (1.0 + 0.61 * (i as f64)).sin();
        let q: Vec<f64> = model.q0.iter().enumerate().map(moved).collect();
        !singular_coordinates(model, &q).is_empty()
    });
    for (index, joint) in model.joints.iter().enumerate() {
        let JointPlace::Tree { nodes, .. } = &joint.place else {
            continue;
        };
        let own: Vec<(usize, usize)> = singular
            .iter()
            .filter(|(node, _)| nodes.contains(node))
            .copied()
            .collect();
        let Some(&(first, _)) = own.first() else { continue };
        let coordinate = coordinates_in_words(model, index, &own);
        let place = ThingKind::Joint.named(&joint.name);
        let body = model.forest.joints.iter().find(|j| j.edge == index);
        let fault = if everywhere {
            let slides = [
                NodeKind::PrismaticX,
                NodeKind::PrismaticY,
                NodeKind::PrismaticZ,
                NodeKind::PrismaticTurned,
            ];
            let body = body.map_or("", |j| &model.bodies[j.child].name);
            let lacking = match slides.contains(&model.tree.nodes[first].kind) {
                true => "a mass",
                false => "a moment of inertia",
            };
            place
                .fault(format!("no inertia resists a motion of {coordinate}"))
                .remedy(format!(
                    "give body \"{body}\" (or a body carried by it) {lacking}, or lock the coordinate"
                ))
        } else {
            place
                .fault(format!(
                    "no inertia resists a motion of {coordinate} in the initial position"
                ))
                .remedy(match joint.kind.info().cardan_angles.is_some() {
                    true => {
                        "start from another position, or use a joint with Euler parameters (free, spherical)"
                    }
                    false => "start from another position or give the bodies masses and moments of inertia",
                })
        };
        errors.push(fault.sort(Sort::Massless));
    }
}

/// The coordinates of a joint by their names: those of its nodes, each with the number of the
/// velocity in the node.
fn coordinates_in_words(model: &Model, joint: usize, singular: &[(usize, usize)]) -> String {
    let joint = &model.joints[joint];
    let info = joint.kind.info();
    let mut words: Vec<&str> = joint
        .coordinates
        .iter()
        .zip(info.coordinates)
        .filter(|(node, _)| singular.iter().any(|(n, _)| n == *node))
        .map(|(_, info)| info.name)
        .collect();
    if singular
        .iter()
        .any(|&(node, _)| model.tree.nodes[node].kind == NodeKind::Ball)
    {
        words.push("the orientation");
    }
    words.join(", ")
}

/// Nodes and velocities with a pivot of zero.
fn singular_coordinates(model: &Model, q: &[f64]) -> Vec<(usize, usize)> {
    let tree = &model.tree;
    let mut geometry: Vec<Geometry<f64>> = tree.nodes.iter().map(Geometry::new).collect();
    // Where a prescribed coordinate is matters little; the time of the start is not known yet.
    let signals: Vec<[f64; 3]> = model
        .signals
        .iter()
        .map(|s| s.evaluate(0.0).map(|u| if u.is_finite() { u } else { 0.0 }))
        .collect();
    positions(tree, q, &signals, &mut geometry);
    let mut articulated: Vec<Articulated<f64>> =
        tree.nodes.iter().map(|n| Articulated::new(&n.inertia)).collect();
    let mut rigid = articulated.clone();
    let mut singular = Vec::new();
    for i in (1..tree.nodes.len()).rev() {
        let node = &tree.nodes[i];
        let (mut own, whole) = (articulated[i], rigid[i]);
        for k in 0..node.n_v() {
            let mut unit = [0.0; 3];
            unit[k] = 1.0;
            let motion = by_kind!(f64, *node, geometry[i], |_r, _p, f| Freedom::<f64>::motion(
                &f, &unit
            ));
            let load = own.times(&motion);
            let pivot = motion.power(&load);
            let along = motion.power(&whole.times(&motion));
            let across = motion.angular.norm_squared() * trace(&articulated[i].inertia)
                + motion.linear.norm_squared() * trace(&articulated[i].mass);
            if pivot <= ROUNDING * along || pivot <= ROUNDING_ACROSS * across {
                singular.push((i, k));
            } else {
                own = own.minus_outer(&load, 1.0 / pivot);
            }
        }
        by_kind!(f64, *node, geometry[i], |r, p, _f| {
            r.add_inertia(&own, p, &mut articulated[node.parent]);
            r.add_inertia(&whole, p, &mut rigid[node.parent]);
        });
    }
    singular.reverse();
    singular
}

fn trace(matrix: &Sym3<f64>) -> f64 {
    matrix.0[0] + matrix.0[1] + matrix.0[2]
}
