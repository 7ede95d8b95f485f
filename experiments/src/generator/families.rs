//! The kinds of mechanisms: how bodies and joints are put together.

use super::builder::{Builder, Place};
use super::{Family, Rejected};
use crate::geometry::{UNIT, V3, about, add, apply, column, cross, dot, norm, product, scale, sub};
use crate::mechanism::{ConstraintLaw, JointKind};
use std::f64::consts::PI;

/// Puts a mechanism of a family together.
pub fn build(b: &mut Builder, family: Family) -> Result<(), Rejected> {
    use JointKind::*;
    let n = b.random.weighted(&[
        (1, 0.12),
        (2, 0.18),
        (3, 0.18),
        (4, 0.15),
        (5, 0.12),
        (6, 0.1),
        (7, 0.08),
        (8, 0.07),
    ]);
    let every = [
        (Revolute, 0.24),
        (Prismatic, 0.1),
        (Cylindrical, 0.1),
        (Universal, 0.12),
        (Spherical, 0.14),
        (Planar, 0.08),
        (Helical, 0.07),
        (Fixed, 0.05),
        (Free, 0.07),
        (FreeCardan, 0.03),
    ];
    let moving = [
        (Revolute, 1.0),
        (Prismatic, 1.0),
        (Cylindrical, 1.0),
        (Universal, 1.0),
        (Spherical, 1.0),
        (Planar, 1.0),
        (Helical, 1.0),
    ];
    match family {
        Family::Tree => tree(b, n, &every),
        Family::Generic => {
            let loops = 1 + b.random.below(2);
            generic(b, n.max(2), loops)?;
        }
        Family::Planar => {
            let loops = if b.random.chance(0.7) { 1 } else { 2 };
            planar(b, n.max(2 + loops), loops)?;
        }
        Family::Spherical => concurrent(b, n.clamp(3, 5))?,
        Family::Coaxial => coaxial(b, n.clamp(2, 5))?,
        Family::Mixed => {
            let n = 3 + b.random.below(2);
            planar(b, n, 1)?;
            let more = 1 + b.random.below(3);
            tree(b, more, &moving);
        }
        Family::Bennett => bennett(b)?,
        Family::Sarrus => sarrus(b),
        Family::Bricard => bricard(b),
        Family::Parallelogram => parallelogram(b),
        Family::Door => door(b),
        Family::Slides => slides(b)?,
    }
    // Something hangs on a loop now and then.
    let closed = !matches!(family, Family::Tree | Family::Mixed | Family::Generic);
    if closed && b.random.chance(0.15) {
        let more = 1 + b.random.below(2);
        tree(b, more, &moving);
    }
    Ok(())
}

/// Bodies hung on what is there.
fn tree(b: &mut Builder, n: usize, kinds: &[(JointKind, f64)]) {
    for _ in 0..n {
        let mut from = b.any_body(0.5);
        let kind = b.random.weighted(kinds);
        if !kind.can_be_cut() && b.random.chance(0.7) {
            from = None;
        }
        let axis = b.axis(kind);
        let (p, r) = b.pose(from);
        if b.random.chance(0.25) {
            let own = b.own_frame(from);
            b.connect(kind, from, None, (p, r), axis, Some(own));
        } else {
            let at = (add(p, b.point()), b.random.rotation());
            b.connect(kind, from, None, at, axis, None);
        }
    }
}

/// A joint along a line of the world.
pub(super) fn along(
    b: &mut Builder,
    kind: JointKind,
    from: Option<usize>,
    to: Option<usize>,
    point: V3,
    direction: V3,
) -> usize {
    let (r, axis) = if kind == JointKind::Planar {
        (b.frame_with(direction), None)
    } else {
        b.frame_axis(direction)
    };
    b.connect(kind, from, to, (point, r), axis, None)
}

/// Any joints, closed by any joints as long as freedoms are left by count.
fn generic(b: &mut Builder, n: usize, loops: usize) -> Result<(), Rejected> {
    use JointKind::*;
    tree(
        b,
        n,
        &[
            (Revolute, 0.22),
            (Prismatic, 0.1),
            (Cylindrical, 0.12),
            (Universal, 0.14),
            (Spherical, 0.2),
            (Planar, 0.08),
            (Helical, 0.06),
            (Free, 0.08),
        ],
    );
    let mut freedoms: usize = b.joints.iter().map(|j| j.kind.freedoms()).sum();
    for _ in 0..loops {
        let joints = [
            Spherical,
            Cylindrical,
            Universal,
            Planar,
            Revolute,
            Prismatic,
            Helical,
            Fixed,
        ];
        let rows = joints.iter().map(|k| (Some(*k), 6 - k.freedoms()));
        let options: Vec<(Option<JointKind>, usize)> = rows
            .chain([(None, 1), (None, 3)])
            .filter(|(_, rows)| freedoms > *rows)
            .collect();
        if options.is_empty() {
            return Err(Rejected::NoFreedom);
        }
        let (kind, rows) = *b.random.pick(&options);
        freedoms -= rows;
        let (from, to) = b.pair_to_close()?;
        let at = (b.point(), b.random.rotation());
        match kind {
            Some(kind) => {
                let axis = b.axis(kind);
                b.connect(kind, from, Some(to), at, axis, None);
            }
            None if rows == 1 => {
                let (q, other) = (b.point(), b.random.rotation());
                let length = norm(sub(at.0, q));
                let (from, to) = (b.marker(from, at), b.marker(Some(to), (q, other)));
                b.constrain(ConstraintLaw::Distance { from, to, length });
            }
            None => {
                let other = b.random.rotation();
                let (from, to) = (b.marker(from, at), b.marker(Some(to), (at.0, other)));
                b.constrain(ConstraintLaw::Point { from, to });
            }
        }
    }
    Ok(())
}

/// Mechanisms in a plane somewhere in space, of spatial joints.
fn planar(b: &mut Builder, n: usize, loops: usize) -> Result<(), Rejected> {
    use JointKind::*;
    let plane = b.random.rotation();
    let origin = b.point();
    let kinds = [
        (Revolute, 0.72),
        (Prismatic, 0.22),
        (Planar, 0.03),
        (Cylindrical, 0.03),
    ];
    let one = |b: &mut Builder, from, to| {
        let kind = b.random.weighted(&kinds);
        let at = add(origin, apply(&plane, b.point()));
        let direction = if kind == Prismatic {
            let (s, c) = b.random.within(-PI, PI).sin_cos();
            apply(&plane, [c, s, 0.0])
        } else {
            column(&plane, 2)
        };
        along(b, kind, from, to, at, direction);
    };
    for _ in 0..n {
        let from = b.any_body(0.5);
        one(b, from, None);
    }
    for _ in 0..loops {
        let (from, to) = b.pair_to_close()?;
        one(b, from, Some(to));
    }
    Ok(())
}

/// All axes through one point.
fn concurrent(b: &mut Builder, n: usize) -> Result<(), Rejected> {
    let point = b.point();
    let one = |b: &mut Builder, from, to| {
        if b.random.chance(0.2) {
            let kind = *b.random.pick(&[JointKind::Spherical, JointKind::Universal]);
            let r = b.random.rotation();
            b.connect(kind, from, to, (point, r), None, None);
        } else {
            let direction = b.random.direction();
            let off = scale(b.random.within(-b.size, b.size), direction);
            along(b, JointKind::Revolute, from, to, add(point, off), direction);
        }
    };
    for _ in 0..n {
        let from = b.any_body(0.7);
        one(b, from, None);
    }
    let (from, to) = b.pair_to_close()?;
    one(b, from, Some(to));
    Ok(())
}

/// All axes on one line: screw drives.
fn coaxial(b: &mut Builder, n: usize) -> Result<(), Rejected> {
    use JointKind::*;
    let (point, line) = (b.point(), b.random.direction());
    let kinds = [
        (Revolute, 0.25),
        (Prismatic, 0.2),
        (Cylindrical, 0.2),
        (Helical, 0.35),
    ];
    let one = |b: &mut Builder, from, to| {
        let kind = b.random.weighted(&kinds);
        let at = add(point, scale(b.random.within(-b.size, b.size), line));
        along(b, kind, from, to, at, line);
    };
    for _ in 0..n {
        let from = b.any_body(0.5);
        one(b, from, None);
    }
    let (from, to) = b.pair_to_close()?;
    one(b, from, Some(to));
    Ok(())
}

/// A ring of bodies with revolute joints about these axes (points and directions), the first and the last on the ground.
pub(super) fn ring(b: &mut Builder, axes: &[(V3, V3)]) {
    let mut from = None;
    for (k, (point, direction)) in axes.iter().enumerate() {
        // Anywhere along its axis.
        let at = add(*point, scale(b.random.within(-0.3, 0.3) * b.size, *direction));
        if k + 1 < axes.len() {
            from = Some(along(b, JointKind::Revolute, from, None, at, *direction));
        } else if let Some(last) = from {
            along(b, JointKind::Revolute, None, Some(last), at, *direction);
        }
    }
}

/// Bennett's linkage: G. T. Bennett, Engineering 76 (1903) 777–778. Opposite links are alike, a/sin α = b/sin β, and
/// tan(θ₁/2) tan(θ₂/2) = sin((β + α)/2)/sin((β − α)/2).
fn bennett(b: &mut Builder) -> Result<(), Rejected> {
    let (alpha, beta) = (b.random.within(0.3, 1.4), b.random.within(1.6, 2.8));
    let a = b.size * b.random.within(0.4, 1.0);
    let (lengths, twists) = ([a, a * beta.sin() / alpha.sin()], [alpha, beta]);
    let first = b.random.within(0.6, 2.4) * b.random.sign();
    let ratio = ((beta + alpha) / 2.0).sin() / ((beta - alpha) / 2.0).sin();
    let second = 2.0 * (ratio / (first / 2.0).tan()).atan();
    let angles = [first, second, -first, -second];
    let (origin, turn) = (b.point(), b.random.rotation());
    let mut place: Place = (origin, turn);
    let mut axes = Vec::new();
    for k in 0..4 {
        // The angle at the axis, then along the link and about it.
        axes.push((place.0, column(&place.1, 2)));
        let r = product(&place.1, &about([0.0, 0.0, 1.0], angles[k]));
        let p = add(place.0, scale(lengths[k % 2], column(&r, 0)));
        place = (p, product(&r, &about([1.0, 0.0, 0.0], twists[k % 2])));
    }
    let off = norm(sub(place.0, origin)) / b.size;
    let straight = dot(column(&place.1, 2), column(&turn, 2));
    if off > 1e-12 || straight < 1.0 - 1e-12 {
        return Err(Rejected::DoesNotClose);
    }
    ring(b, &axes);
    Ok(())
}

/// Sarrus' linkage: P.-T. Sarrus, C. R. Acad. Sci. 36 (1853) 1036–1038. Two (or three) legs of three parallel hinges hold a
/// platform, which can only move straight on.
fn sarrus(b: &mut Builder) {
    let legs = if b.random.chance(0.75) { 2 } else { 3 };
    let up = b.random.direction();
    let mut platform = None;
    for _ in 0..legs {
        let other = b.random.direction();
        let axis = cross(up, other);
        let axis = scale(1.0 / norm(axis), axis);
        let [p, q, r] = [b.point(), b.point(), b.point()];
        let lower = along(b, JointKind::Revolute, None, None, p, axis);
        let upper = along(b, JointKind::Revolute, Some(lower), None, q, axis);
        let end = along(b, JointKind::Revolute, Some(upper), platform, r, axis);
        platform = platform.or(Some(end));
    }
}

/// Bricard's movable octahedra's linkages, R. Bricard, J. Math. Pures Appl. 3 (1897) 113–148: symmetric about a line, or about
/// a plane.
fn bricard(b: &mut Builder) {
    let (origin, turn) = (b.point(), b.random.rotation());
    let any = |b: &mut Builder| (b.point(), b.random.direction());
    let mirrored = |x: V3, signs: V3| std::array::from_fn(|k| signs[k] * x[k]);
    let local: Vec<(V3, V3)> = if b.random.chance(0.5) {
        // Half a turn about z takes each axis to the one opposite.
        let half: Vec<(V3, V3)> = (0..3).map(|_| any(b)).collect();
        let turned = half
            .iter()
            .map(|(p, d)| (mirrored(*p, [-1.0, -1.0, 1.0]), mirrored(*d, [-1.0, -1.0, 1.0])));
        half.iter().copied().chain(turned.collect::<Vec<_>>()).collect()
    } else {
        // Two axes within the plane y–z, the others in mirrored pairs.
        let flat = |b: &mut Builder| {
            let (p, d) = any(b);
            let d: V3 = [0.0, d[1], d[2]];
            ([0.0, p[1], p[2]], scale(1.0 / norm(d), d))
        };
        let (first, fourth) = (flat(b), flat(b));
        let (second, third) = (any(b), any(b));
        let image = |(p, d): (V3, V3)| (mirrored(p, [-1.0, 1.0, 1.0]), mirrored(d, [-1.0, 1.0, 1.0]));
        vec![first, second, third, fourth, image(third), image(second)]
    };
    let axes: Vec<(V3, V3)> = local
        .into_iter()
        .map(|(p, d)| (add(origin, apply(&turn, p)), apply(&turn, d)))
        .collect();
    ring(b, &axes);
}

/// A platform on two or three parallel cranks of equal length.
fn parallelogram(b: &mut Builder) {
    let cranks = if b.random.chance(0.6) { 2 } else { 3 };
    let frame = b.random.rotation();
    let normal = column(&frame, 2);
    let (s, c) = b.random.within(0.3, 2.8).sin_cos();
    let length = b.size * b.random.within(0.3, 0.8);
    let crank = apply(&frame, [length * c, length * s, 0.0]);
    let origin = b.point();
    let mut platform = None;
    let mut x = 0.0;
    for k in 0..cranks {
        let y = if k == 2 {
            b.size * b.random.within(-0.4, 0.4)
        } else {
            0.0
        };
        let foot = add(origin, apply(&frame, [x, y, 0.0]));
        x += b.size * b.random.within(0.4, 1.0);
        let bar = along(b, JointKind::Revolute, None, None, foot, normal);
        let end = along(
            b,
            JointKind::Revolute,
            Some(bar),
            platform,
            add(foot, crank),
            normal,
        );
        platform = platform.or(Some(end));
    }
}

/// Bodies on two or three hinges of one axis; or a slide on two parallel guides.
fn door(b: &mut Builder) {
    use JointKind::*;
    let doors = 1 + b.random.below(2);
    let mut on = None;
    for _ in 0..doors {
        let (point, line) = (b.point(), b.random.direction());
        let slides = b.random.chance(0.3);
        let kind = if slides { Prismatic } else { Revolute };
        let leaf = along(b, kind, on, None, point, line);
        for _ in 0..1 + b.random.below(2) {
            let more = if b.random.chance(0.8) { kind } else { Cylindrical };
            let mut at = add(point, scale(b.random.within(-b.size, b.size), line));
            if slides && more == Prismatic {
                at = add(at, b.point());
            }
            along(b, more, on, Some(leaf), at, line);
        }
        on = Some(leaf);
    }
}

/// Loops of slides: three in a plane, four in space, or more.
fn slides(b: &mut Builder) -> Result<(), Rejected> {
    let flat = b.random.chance(0.5);
    let n = if flat { 3 } else { 4 } + b.random.below(2);
    let frame = if flat { b.random.rotation() } else { UNIT };
    let direction = |b: &mut Builder| loop {
        let d = b.random.direction();
        let flattened: V3 = if flat { [d[0], d[1], 0.0] } else { d };
        if norm(flattened) > 0.3 {
            let d: V3 = apply(&frame, flattened);
            return scale(1.0 / norm(d), d);
        }
    };
    let mut from = None;
    for k in 0..n {
        let (at, d) = (b.point(), direction(b));
        if k + 1 < n {
            from = Some(along(b, JointKind::Prismatic, from, None, at, d));
        } else if let Some(last) = from {
            along(b, JointKind::Prismatic, None, Some(last), at, d);
        }
    }
    Ok(())
}
