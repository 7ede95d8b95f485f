//! What rows and velocities are measured by: the geometry of each loop, never its masses.
//!
//! An entry of G is at most about (scale of its row) / (scale of its column), and an error of the data
//! of relative size δ changes it by about δ times that, whatever the units, the size of the loop or the
//! other loops of the mechanism are.

use crate::elements::constraints::{ConstraintElement, PairRow};
use crate::model::Model;
use crate::tree::Attachment;
use crate::workspace::Workspace;
use holonom_algebra::Vec3;

/// Loops are not taken as smaller than this part of the distance from the origin.
const SMALLEST: f64 = 1e-6;

/// Scales of a mechanism at one position.
#[derive(Clone, Debug)]
pub(super) struct Scales {
    /// What g of each row is measured by: one for angles, the length of the loop for displacements.
    pub rows: Vec<f64>,
    /// The same with the size of the whole mechanism for the length of each loop.
    pub overall: Vec<f64>,
    /// Part of what a row is measured by that an error of the data amounts to, in relative errors of the data: more than
    /// one where small differences of large coordinates make a loop.
    pub data: Vec<f64>,
    /// What each velocity is measured by: one for turns, the smallest loop it belongs to for slides.
    pub columns: Vec<f64>,
    /// Part of a loop's length that rounding of world positions may amount to.
    pub rounding: f64,
}

impl Scales {
    /// Measures a mechanism of the given size, `reach` away from the origin, with its nodes placed.
    pub fn measure(model: &Model, work: &Workspace<f64>, size: f64, reach: f64) -> Self {
        let tree = &model.tree;
        let lengths: Vec<Option<f64>> = (0..model.constraints.len())
            .map(|c| {
                let length = loop_length(model, work, c)?;
                Some(if length > 0.0 {
                    length.max(SMALLEST * reach)
                } else {
                    size
                })
            })
            .collect();
        let mut columns = vec![1.0; tree.n_v];
        for node in tree.nodes.iter().filter(|node| node.n_v() > 0 && !node.turns()) {
            columns[node.v] = f64::INFINITY;
        }
        for (c, length) in model.constraints.iter().zip(&lengths) {
            let Some(length) = *length else { continue };
            for &i in c.to_path.iter().chain(&c.from_path) {
                let node = &tree.nodes[i];
                if node.n_v() > 0 && !node.turns() {
                    columns[node.v] = columns[node.v].min(length);
                }
            }
        }
        for column in columns.iter_mut().filter(|column| column.is_infinite()) {
            *column = size;
        }
        let mut data = vec![1.0_f64; model.rows.len()];
        for (c, length) in model.constraints.iter().zip(&lengths) {
            let (Some(length), Some([from, to])) = (length, c.element.joined()) else {
                continue;
            };
            let largest = largest_coordinate(model, [&from, &to], [c.from_path.as_slice(), &c.to_path]);
            for (row, data) in data[c.rows.clone()].iter_mut().enumerate() {
                if !c.element.is_angle(row) {
                    *data = (largest / length).max(1.0);
                }
            }
        }
        let smallest = lengths.iter().flatten().fold(size, |a, x| a.min(*x));
        let slide = |velocity: usize| columns[velocity];
        Self {
            rows: row_scales(model, &lengths, size, slide),
            overall: row_scales(model, &vec![None; lengths.len()], size, |_| size),
            data,
            columns,
            rounding: 64.0 * f64::EPSILON * reach.max(size) / smallest,
        }
    }
}

/// What g of each row is measured by, with the lengths of loops and of slides.
fn row_scales(model: &Model, lengths: &[Option<f64>], size: f64, slide: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut rows = vec![1.0; model.rows.len()];
    for (c, length) in model.constraints.iter().zip(lengths) {
        let (scales, length) = (&mut rows[c.rows.clone()], length.unwrap_or(size));
        match &c.element {
            ConstraintElement::Coordinates(sum) => {
                let term = |&(node, factor): &(usize, f64)| {
                    let node = &model.tree.nodes[node];
                    let unit = match node.turns() {
                        true => 1.0,
                        false if node.n_v() > 0 => slide(node.v),
                        false => size,
                    };
                    factor.abs() * unit
                };
                scales[0] = sum.terms.iter().map(term).fold(0.0, f64::max);
            }
            element => {
                for (row, s) in scales.iter_mut().enumerate() {
                    *s = if element.is_angle(row) { 1.0 } else { length };
                }
            }
        }
        for s in scales.iter_mut().filter(|s| !(**s > 0.0 && s.is_finite())) {
            *s = 1.0;
        }
    }
    rows
}

/// The largest distance of a marker or joint in a loop from the origin of its body.
fn largest_coordinate(model: &Model, sides: [&Attachment; 2], paths: [&[usize]; 2]) -> f64 {
    let nodes = paths.into_iter().flatten();
    let placements = nodes.map(|&i| model.tree.nodes[i].placement.position.norm());
    let frames = sides.into_iter().map(|side| side.frame.position.norm());
    placements
        .chain(frames)
        .filter(|x| x.is_finite())
        .fold(0.0, f64::max)
}

/// The largest distance or arm in a loop; none for conditions on coordinates.
fn loop_length(model: &Model, work: &Workspace<f64>, constraint: usize) -> Option<f64> {
    let c = &model.constraints[constraint];
    let [from, to] = c.element.sides()?;
    let nodes = &model.tree.nodes;
    let way = |side: &Attachment| -> Vec<usize> {
        let below = |i: &usize| (*i > 0).then(|| nodes[*i].parent);
        std::iter::successors(Some(side.node), below).collect()
    };
    let ways = [way(&from), way(&to)];
    let mut points: Vec<Vec3<f64>> = Vec::new();
    let mut length = 0.0_f64;
    for (side, (way, other)) in [&from, &to]
        .into_iter()
        .zip([(&ways[0], &ways[1]), (&ways[1], &ways[0])])
    {
        let own = |i: &&usize| !other.contains(i);
        let path: Vec<usize> = way.iter().take_while(own).copied().collect();
        for (k, &i) in path.iter().enumerate() {
            points.push(work.known.world[i].position);
            length = length.max(nodes[i].pitch.abs());
            // The one next to the base stands on the body that both sides share, whose origin may be anywhere.
            if k + 1 < path.len() {
                length = length.max(nodes[i].placement.position.norm());
            }
        }
        if !path.is_empty() {
            length = length.max(side.frame.position.norm());
        }
    }
    if c.element.joined().is_some() {
        let origin = |side: &Attachment| {
            let w = &work.known.world[side.node];
            w.position + w.rotation.times(side.frame.position)
        };
        points.extend([origin(&from), origin(&to)]);
    }
    if let ConstraintElement::Pair(pair) = &c.element {
        for row in &pair.rows {
            if let PairRow::Distance { length: x } | PairRow::Screw { pitch: x } = row {
                length = length.max(x.abs());
            }
        }
    }
    for (k, a) in points.iter().enumerate() {
        for b in &points[..k] {
            length = length.max((*a - *b).norm());
        }
    }
    length.is_finite().then_some(length)
}
