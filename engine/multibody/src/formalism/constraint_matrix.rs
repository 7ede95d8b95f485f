//! All constraint rows of a mechanism: their values and derivatives, and the matrix G.
//!
//! `active` chooses rows by number, in increasing order: rows dropped as redundant are not among
//! them. Results have one entry per active row. `scratch` must hold as many entries as the largest
//! constraint has rows; nothing is allocated.

use crate::elements::constraints::ConstraintElement;
use crate::elements::scene::{Loads, Scene};
use crate::model::ModelConstraint;
use crate::tree::{Node, NodeKind};
use core::ops::Range;
use holonom_algebra::{Orientation, Real, Twist, Vec3, Wrench};

/// The scratch that the functions here need for these constraints.
pub fn largest_constraint(constraints: &[ModelConstraint]) -> usize {
    constraints.iter().map(|c| c.rows.len()).max().unwrap_or(0)
}

/// Constraints that have active rows, and where those are in `active`.
fn with_active<'a>(
    constraints: &'a [ModelConstraint],
    active: &'a [usize],
) -> impl Iterator<Item = (&'a ModelConstraint, Range<usize>)> {
    let mut next = 0;
    constraints.iter().filter_map(move |c| {
        let begin = next;
        while active.get(next).is_some_and(|row| *row < c.rows.end) {
            debug_assert!(active[next] >= c.rows.start, "active rows must increase");
            next += 1;
        }
        (begin < next).then_some((c, begin..next))
    })
}

/// Evaluates rows of each constraint and keeps the active ones.
fn gather<T: Real>(
    constraints: &[ModelConstraint],
    active: &[usize],
    scratch: &mut [T],
    out: &mut [T],
    evaluate: impl Fn(&ConstraintElement, &mut [T]),
) {
    for (c, kept) in with_active(constraints, active) {
        if kept.len() == c.rows.len() {
            evaluate(&c.element, &mut out[kept]);
            continue;
        }
        let all = &mut scratch[..c.rows.len()];
        evaluate(&c.element, all);
        for k in kept {
            out[k] = all[active[k] - c.rows.start];
        }
    }
}

/// g of the active rows; 0 for nonholonomic ones. Needs positions in the scene.
pub fn positions<T: Real>(
    constraints: &[ModelConstraint],
    scene: &Scene<T>,
    active: &[usize],
    scratch: &mut [T],
    out: &mut [T],
) {
    gather(constraints, active, scratch, out, |c, out| c.position(scene, out));
}

/// G v + g_t of the active rows. Needs velocities in the scene.
pub fn velocities<T: Real>(
    constraints: &[ModelConstraint],
    scene: &Scene<T>,
    active: &[usize],
    scratch: &mut [T],
    out: &mut [T],
) {
    gather(constraints, active, scratch, out, |c, out| c.velocity(scene, out));
}

/// G v̇ + γ of the active rows for the accelerations in the scene; v̇ = 0 there gives γ.
pub fn accelerations<T: Real>(
    constraints: &[ModelConstraint],
    scene: &Scene<T>,
    active: &[usize],
    scratch: &mut [T],
    out: &mut [T],
) {
    gather(constraints, active, scratch, out, |c, out| {
        c.acceleration(scene, out);
    });
}

/// Adds Gᵀ λ of the active rows. In M v̇ = f − Gᵀ λ the multipliers enter with a minus sign, which
/// the caller gives.
pub fn loads<T: Real>(
    constraints: &[ModelConstraint],
    scene: &Scene<T>,
    active: &[usize],
    multipliers: &[T],
    scratch: &mut [T],
    loads: &mut Loads<T>,
) {
    for (c, kept) in with_active(constraints, active) {
        if kept.len() == c.rows.len() {
            c.element.loads(scene, &multipliers[kept], loads);
            continue;
        }
        let all = &mut scratch[..c.rows.len()];
        all.fill(T::zero());
        for k in kept {
            all[active[k] - c.rows.start] = multipliers[k];
        }
        c.element.loads(scene, all, loads);
    }
}

/// Hands out the entries of G that may differ from zero as (place in `active`, velocity, value).
/// An entry that comes twice is a sum.
pub fn constraint_entries<T: Real>(
    constraints: &[ModelConstraint],
    scene: &Scene<T>,
    active: &[usize],
    scratch: &mut [Wrench<T>],
    mut entry: impl FnMut(usize, usize, T),
) {
    for (c, kept) in with_active(constraints, active) {
        if let ConstraintElement::Coordinates(sum) = &c.element {
            for &(node, factor) in &sum.terms {
                let node = &scene.tree.nodes[node];
                if node.prescribed.is_none() {
                    entry(kept.start, node.v, T::constant(factor));
                }
            }
            continue;
        }
        let directions = &mut scratch[..c.rows.len()];
        let Some(point) = c.element.directions(scene, directions) else {
            continue;
        };
        // Rows depend on relative motion: what moves both sides alike does not count.
        for (path, sign) in [(&c.to_path, 1.0), (&c.from_path, -1.0)] {
            for &i in path {
                let (node, world) = (&scene.tree.nodes[i], &scene.world[i]);
                for k in 0..node.n_v() {
                    let motion = unit_motion(node, &world.rotation, k, point - world.position);
                    for at in kept.clone() {
                        let direction = &directions[active[at] - c.rows.start];
                        entry(at, node.v + k, motion.power(direction) * sign);
                    }
                }
            }
        }
    }
}

/// Motion of the point `arm` away from a node's origin when coordinate `k` of the node moves with
/// unit rate, in the ground's axes: S by columns of the orientation, which saves the products with
/// the zeros of S.
fn unit_motion<T: Real>(node: &Node, rotation: &T::Orientation, k: usize, arm: Vec3<T>) -> Twist<T> {
    let turn = |axis: usize| {
        let axis = rotation.column(axis);
        Twist::new(axis, axis.cross(arm))
    };
    let slide = |axis: usize| Twist::new(Vec3::zero(), rotation.column(axis));
    match node.kind {
        NodeKind::Fixed | NodeKind::FixedTurned => Twist::zero(),
        NodeKind::RevoluteX => turn(0),
        NodeKind::RevoluteY => turn(1),
        NodeKind::RevoluteZ | NodeKind::RevoluteTurned => turn(2),
        NodeKind::PrismaticX => slide(0),
        NodeKind::PrismaticY => slide(1),
        NodeKind::PrismaticZ | NodeKind::PrismaticTurned => slide(2),
        NodeKind::Screw => {
            let mut motion = turn(2);
            motion.linear += rotation.column(2).scale(node.pitch);
            motion
        }
        NodeKind::Ball => turn(k),
    }
}
