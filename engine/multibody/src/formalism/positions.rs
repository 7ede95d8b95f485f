//! Geometry of all nodes from the positions: the part every recursion starts from.

use crate::tree::{Geometry, Node, NodeKind, Tree};
use holonom_algebra::{Mat3, Real, Vec3};

/// Fills the geometry of every node for positions `q`, with `signals[k] = [u, u̇, ü]`.
pub fn positions<T: Real>(tree: &Tree, q: &[T], signals: &[[T; 3]], geometry: &mut [Geometry<T>]) {
    for (node, g) in tree.nodes.iter().zip(geometry.iter_mut()).skip(1) {
        if node.kind == NodeKind::Ball {
            let e = &q[node.q..node.q + 4];
            g.rotation = ball_rotation(node, [e[0], e[1], e[2], e[3]]);
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
            (g.sin, g.cos) = x.sin_cos();
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
    let (b, c) = ((a + 1) % 3, (a + 2) % 3);
    (g.rotation.0[b][b], g.rotation.0[c][c]) = (g.cos, g.cos);
    (g.rotation.0[b][c], g.rotation.0[c][b]) = (-g.sin, g.sin);
}

/// Placement · (turn about z).
#[inline(always)]
fn turn_z<T: Real>(node: &Node, angle: T, g: &mut Geometry<T>) {
    let (s, c) = angle.sin_cos();
    let m = &node.placement.rotation.0;
    for i in 0..3 {
        g.rotation.0[i][0] = c * m[i][0] + s * m[i][1];
        g.rotation.0[i][1] = c * m[i][1] - s * m[i][0];
    }
}

#[inline(always)]
fn slide_z<T: Real>(node: &Node, x: T, g: &mut Geometry<T>) {
    let (m, p) = (&node.placement.rotation.0, &node.placement.position);
    g.offset = Vec3::from_fn(|i| x * m[i][2] + p[i]);
}

/// Placement · R(e/|e|), scalar first.
#[inline(always)]
fn ball_rotation<T: Real>(node: &Node, [a, b, c, d]: [T; 4]) -> Mat3<T> {
    let k = (a * a + b * b + c * c + d * d).recip() * 2.0;
    let (bk, ck, dk) = (b * k, c * k, d * k);
    let one = |x: T| -x + 1.0;
    let r = Mat3([
        [one(c * ck + d * dk), b * ck - a * dk, b * dk + a * ck],
        [b * ck + a * dk, one(b * bk + d * dk), c * dk - a * bk],
        [b * dk - a * ck, c * dk + a * bk, one(b * bk + c * ck)],
    ]);
    r.premultiplied_f64(&node.placement.rotation)
}
