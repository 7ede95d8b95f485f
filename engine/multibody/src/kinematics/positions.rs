//! Geometry of all nodes from the positions: the part every recursion starts from.

use crate::tree::{Geometry, Node, NodeKind, Tree};
use holonom_algebra::{Orientation, Real, Vec3};

/// Fills the geometry of every node for positions `q`, with `signals[k] = [u, u̇, ü]`.
pub fn positions<T: Real>(tree: &Tree, q: &[T], signals: &[[T; 3]], geometry: &mut [Geometry<T>]) {
    for (node, g) in tree.nodes.iter().zip(geometry.iter_mut()).skip(1) {
        if node.kind == NodeKind::Ball {
            let e = &q[node.q..node.q + 4];
            g.rotation
                .set_euler_parameters(&node.placement.rotation, [e[0], e[1], e[2], e[3]]);
            continue;
        }
        let x = match node.prescribed {
            Some(s) => signals[s][0],
            None if matches!(node.kind, NodeKind::Fixed | NodeKind::FixedTurned) => continue,
            None => q[node.q],
        };
        place(node, x, g);
        if node.prescribed.is_some() {
            fill_rotation(node, g);
        }
    }
}

#[inline(always)]
fn place<T: Real>(node: &Node, x: T, g: &mut Geometry<T>) {
    match node.kind {
        NodeKind::RevoluteX | NodeKind::RevoluteY | NodeKind::RevoluteZ => {
            g.turn = x.turn();
        }
        NodeKind::RevoluteTurned => turn_z(node, x, g),
        NodeKind::PrismaticX => g.offset[0] = x + node.placement.position[0],
        NodeKind::PrismaticY => g.offset[1] = x + node.placement.position[1],
        NodeKind::PrismaticZ => g.offset[2] = x + node.placement.position[2],
        NodeKind::PrismaticTurned => slide_z(node, x, g),
        NodeKind::Screw => {
            turn_z(node, x, g);
            slide_z(node, x * node.pitch, g);
        }
        NodeKind::Fixed | NodeKind::FixedTurned | NodeKind::Ball => {}
    }
}

/// Writes the matrix of a turn about one axis too: prescribed nodes go without narrow types.
#[inline(never)]
fn fill_rotation<T: Real>(node: &Node, g: &mut Geometry<T>) {
    let a = match node.kind {
        NodeKind::RevoluteX => 0,
        NodeKind::RevoluteY => 1,
        NodeKind::RevoluteZ => 2,
        _ => return,
    };
    g.rotation.set_turn(a, &g.turn);
}

/// Placement · (turn about z).
#[inline(always)]
fn turn_z<T: Real>(node: &Node, angle: T, g: &mut Geometry<T>) {
    g.rotation.set_turn_z(&node.placement.rotation, &angle.turn());
}

#[inline(always)]
fn slide_z<T: Real>(node: &Node, x: T, g: &mut Geometry<T>) {
    let (m, p) = (&node.placement.rotation.0, &node.placement.position);
    g.offset = Vec3::from_fn(|i| x * m[i][2] + p[i]);
}
