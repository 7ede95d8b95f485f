//! Choice of the tree: growth and exchange, as stated in the module above.

use super::graph::Sets;
use super::{ForestError, Graph, order};
use core::cmp::Reverse;
use std::collections::BinaryHeap;

/// Hints that contradict each other or the graph, and bodies without connection.
pub(super) fn hint_errors(graph: &Graph) -> Vec<ForestError> {
    let mut errors = required_cycles(graph);
    if graph.edges.iter().all(|edge| graph.is_sound(edge)) {
        let apart = graph.connected(|_| true).all().split_off(1);
        errors.extend(
            apart
                .into_iter()
                .map(|bodies| ForestError::Disconnected { bodies }),
        );
        errors.extend(cut_off(graph));
    }
    errors
}

/// Loops of joints that all have to be in the tree.
fn required_cycles(graph: &Graph) -> Vec<ForestError> {
    let near = graph.neighbours();
    let mut taken = vec![false; graph.edges.len()];
    let mut sets = Sets::new(graph.size());
    let mut errors = Vec::new();
    for (index, edge) in graph.edges.iter().enumerate() {
        if !edge.is_required() || !graph.is_sound(edge) {
            continue;
        }
        if sets.join(edge.from, edge.to) {
            taken[index] = true;
        } else {
            let mut edges = route(&near, &taken, edge.from, edge.to);
            edges.push(index);
            errors.push(ForestError::HintTreeCycle { edges });
        }
    }
    errors
}

/// The taken edges, free of loops, that lead from one body to another.
fn route(near: &[Vec<(usize, usize)>], taken: &[bool], from: usize, to: usize) -> Vec<usize> {
    // Searched from the end, so that the way back is the way asked for.
    let mut next: Vec<Option<(usize, usize)>> = vec![None; near.len()];
    let mut waiting = vec![to];
    while let Some(body) = waiting.pop() {
        for &(edge, other) in &near[body] {
            if taken[edge] && other != to && next[other].is_none() {
                next[other] = Some((edge, body));
                waiting.push(other);
            }
        }
    }
    let mut edges = Vec::new();
    let mut at = from;
    while let Some((edge, body)) = next[at] {
        edges.push(edge);
        at = body;
    }
    edges
}

/// Bodies that only joints hinted as cut connect with ground.
fn cut_off(graph: &Graph) -> Vec<ForestError> {
    let mut sets = graph.connected(|edge| !edge.is_refused());
    let mut errors = Vec::new();
    // Every finding counts as repaired, so that bodies further out are blamed on their own joint.
    while let Some((edge, outside)) = first_bridge(graph, &mut sets) {
        errors.push(ForestError::HintCutDisconnects {
            edge,
            bodies: sets.members(outside),
        });
        sets.join(0, outside);
    }
    errors
}

/// The first edge that leads out of the set of ground, and its end outside.
fn first_bridge(graph: &Graph, sets: &mut Sets) -> Option<(usize, usize)> {
    graph.edges.iter().enumerate().find_map(|(index, edge)| {
        match (sets.lowest(edge.from) == 0, sets.lowest(edge.to) == 0) {
            (true, false) => Some((index, edge.to)),
            (false, true) => Some((index, edge.from)),
            _ => None,
        }
    })
}

/// Which edges are in the tree, for a graph without errors.
pub(super) fn choose(graph: &Graph) -> Vec<bool> {
    let near = graph.neighbours();
    let in_tree = grow(graph, &near);
    let mut exchange = Exchange::new(graph, &near, in_tree);
    while exchange.visit_all() {}
    exchange.in_tree
}

/// Growth from ground.
fn grow(graph: &Graph, near: &[Vec<(usize, usize)>]) -> Vec<bool> {
    let mut in_tree = vec![false; graph.edges.len()];
    let mut reached = vec![false; graph.size()];
    // Required joints come first. So a set of bodies connected by them is entered once and completed
    // before anything else can reach into it, and none of them is left over.
    let mut waiting = BinaryHeap::new();
    let mut arrival = Some((0, 0));
    while let Some((body, depth)) = arrival {
        reached[body] = true;
        for &(index, other) in &near[body] {
            let edge = &graph.edges[index];
            if !reached[other] && !edge.is_refused() {
                waiting.push(Reverse((
                    !edge.is_required(),
                    depth + 1,
                    edge.freedoms,
                    index,
                    other,
                )));
            }
        }
        arrival = None;
        while let Some(Reverse((_, depth, _, index, other))) = waiting.pop() {
            if !reached[other] {
                in_tree[index] = true;
                arrival = Some((other, depth));
                break;
            }
        }
    }
    in_tree
}

/// What an exchange changes: size, length, depth; compared lexicographically.
type Change = (isize, isize, isize);

/// An exchange of a cut edge.
struct Place {
    /// The tree edge to be cut instead.
    edge: usize,
    /// End of the cut edge below the tree edge: the bodies there are reattached by it.
    inner: usize,
    /// The other end of the cut edge.
    outer: usize,
}

/// The loop of a cut edge, laid out as the way through the tree between its ends.
struct Ring {
    /// The bodies from one end of the cut edge to the other; the k-th edge joins bodies k and k + 1.
    bodies: Vec<usize>,
    edges: Vec<usize>,
    /// Place of the apex among the bodies.
    top: usize,
}

/// The state of the exchanges.
struct Exchange<'g> {
    graph: &'g Graph,
    near: &'g [Vec<(usize, usize)>],
    in_tree: Vec<bool>,
    /// For every body the edge it hangs on and its parent; not meant for ground.
    above: Vec<(usize, usize)>,
    depth: Vec<usize>,
    /// Mechanism of every body, known by its lowest body.
    mechanism: Vec<usize>,
    /// For every mechanism the number of bodies at each depth.
    levels: Vec<Vec<usize>>,
    /// For every mechanism the greatest depth allowed.
    limit: Vec<usize>,
    /// For the bodies below the apex of the visited loop, their place on it. Empty between visits.
    foot: Vec<Option<usize>>,
}

impl<'g> Exchange<'g> {
    fn new(graph: &'g Graph, near: &'g [Vec<(usize, usize)>], in_tree: Vec<bool>) -> Self {
        let bodies = graph.size();
        let mut sets = order::mechanisms(graph);
        let mechanism: Vec<usize> = (0..bodies).map(|body| sets.lowest(body)).collect();
        let mut levels = vec![vec![0]; bodies];
        for &lowest in &mechanism {
            levels[lowest][0] += 1;
        }
        let mut exchange = Self {
            graph,
            near,
            in_tree,
            above: vec![(usize::MAX, 0); bodies],
            depth: vec![0; bodies],
            mechanism,
            levels,
            limit: Vec::new(),
            foot: vec![None; bodies],
        };
        exchange.hang_below(0);
        exchange.limit = exchange.levels.iter().map(|levels| deepest(levels) + 1).collect();
        exchange
    }

    /// Hangs a body on its parent.
    fn hang(&mut self, body: usize, edge: usize, parent: usize) {
        let levels = &mut self.levels[self.mechanism[body]];
        let depth = self.depth[parent] + 1;
        levels[self.depth[body]] -= 1;
        levels.resize(levels.len().max(depth + 1), 0);
        levels[depth] += 1;
        self.depth[body] = depth;
        self.above[body] = (edge, parent);
    }

    /// Hangs everything below a body that is in its place already.
    fn hang_below(&mut self, top: usize) {
        let near = self.near;
        let mut waiting = vec![top];
        while let Some(body) = waiting.pop() {
            for &(edge, other) in &near[body] {
                if self.in_tree[edge] && edge != self.above[body].0 {
                    self.hang(other, edge, body);
                    waiting.push(other);
                }
            }
        }
    }

    /// Visits every cut joint once; whether anything changed.
    fn visit_all(&mut self) -> bool {
        let mut changed = false;
        for cut in 0..self.graph.edges.len() {
            if self.in_tree[cut] || self.graph.edges[cut].is_refused() {
                continue;
            }
            if let Some(place) = self.best_place(cut) {
                self.in_tree[cut] = true;
                self.in_tree[place.edge] = false;
                self.hang(place.inner, cut, place.outer);
                self.hang_below(place.inner);
                changed = true;
            }
        }
        changed
    }

    /// The best exchange of a cut edge, if any improves and is allowed.
    fn best_place(&mut self, cut: usize) -> Option<Place> {
        let ring = self.ring(cut);
        // In the tree instead of cut, a joint adds its coordinates and saves its rows.
        let worth = |edge: usize| {
            let edge = &self.graph.edges[edge];
            edge.freedoms as isize - edge.rows() as isize
        };
        let sizes: Vec<isize> = ring.edges.iter().map(|&edge| worth(cut) - worth(edge)).collect();
        let may_be_cut = |&k: &usize| sizes[k] <= 0 && !self.graph.edges[ring.edges[k]].is_required();
        let candidates: Vec<usize> = (0..ring.edges.len()).filter(may_be_cut).collect();
        if candidates.is_empty() {
            return None;
        }

        let hanging = self.project(&ring);
        let lengths = self.length_changes(cut, &ring, &hanging);
        let depths = self.depths_after(&ring, &hanging);
        for &body in hanging.iter().flatten() {
            self.foot[body] = None;
        }

        let (from, to) = (self.graph.edges[cut].from, self.graph.edges[cut].to);
        // Ground is never moved; any other end tells the mechanism.
        let mechanism = self.mechanism[if from == 0 { to } else { from }];
        let depth = deepest(&self.levels[mechanism]) as isize;
        let change = |k: usize| -> Change { (sizes[k], lengths[k], depths[k] as isize - depth) };
        let best = (candidates.into_iter())
            .filter(|&k| change(k) < (0, 0, 0) && depths[k] <= self.limit[mechanism])
            .min_by_key(|&k| (change(k), ring.edges[k]))?;
        let (inner, outer) = if best < ring.top { (from, to) } else { (to, from) };
        Some(Place {
            edge: ring.edges[best],
            inner,
            outer,
        })
    }

    /// The loop of a cut edge.
    fn ring(&self, cut: usize) -> Ring {
        let edge = &self.graph.edges[cut];
        let (mut left, mut right) = (vec![edge.from], vec![edge.to]);
        let (mut from, mut to) = (edge.from, edge.to);
        while from != to {
            if self.depth[from] >= self.depth[to] {
                from = self.above[from].1;
                left.push(from);
            } else {
                to = self.above[to].1;
                right.push(to);
            }
        }
        // Both sides end with the apex.
        let top = left.len() - 1;
        let bodies: Vec<usize> = left.into_iter().chain(right.into_iter().rev().skip(1)).collect();
        let lower = |k: usize| if k < top { bodies[k] } else { bodies[k + 1] };
        let edges = (1..bodies.len()).map(|k| self.above[lower(k - 1)].0).collect();
        Ring { bodies, edges, top }
    }

    /// For every body of the ring those that hang on it off the ring, with itself; for the apex, itself
    /// alone. Notes their feet.
    fn project(&mut self, ring: &Ring) -> Vec<Vec<usize>> {
        for (place, &body) in ring.bodies.iter().enumerate() {
            self.foot[body] = Some(place);
        }
        let mut hanging: Vec<Vec<usize>> = ring.bodies.iter().map(|&body| vec![body]).collect();
        for (place, bodies) in hanging
            .iter_mut()
            .enumerate()
            .filter(|(place, _)| *place != ring.top)
        {
            let mut next = 0;
            while next < bodies.len() {
                for &(edge, other) in &self.near[bodies[next]] {
                    // Parents have their foot already.
                    if self.in_tree[edge] && self.foot[other].is_none() {
                        self.foot[other] = Some(place);
                        bodies.push(other);
                    }
                }
                next += 1;
            }
        }
        hanging
    }

    /// Change of the total length for each edge of the ring. A loop with its feet at p < q runs along the
    /// edges p to q − 1; when one of them is cut, it has to go the other way around the ring.
    fn length_changes(&self, cut: usize, ring: &Ring, hanging: &[Vec<usize>]) -> Vec<isize> {
        let mut slope = vec![0; ring.bodies.len()];
        for (place, bodies) in hanging.iter().enumerate().filter(|(place, _)| *place != ring.top) {
            for &(edge, other) in bodies.iter().flat_map(|&body| &self.near[body]) {
                if self.in_tree[edge] || edge == cut {
                    continue;
                }
                let foot = self.foot[other].unwrap_or(ring.top);
                // A loop with both feet below the apex is met from both; it counts from the first.
                if place < foot || (foot == ring.top && place > foot) {
                    let (first, last) = (place.min(foot), place.max(foot));
                    let detour = ring.bodies.len() as isize - 2 * (last - first) as isize;
                    slope[first] += detour;
                    slope[last] -= detour;
                }
            }
        }
        let mut change = 0;
        let sum = |slope: &isize| {
            change += slope;
            change
        };
        slope[..ring.edges.len()].iter().map(sum).collect()
    }

    /// Depth of the mechanism after cutting each edge of the ring.
    fn depths_after(&mut self, ring: &Ring, hanging: &[Vec<usize>]) -> Vec<usize> {
        let last = ring.bodies.len() - 1;
        let mut depths = vec![0; ring.edges.len()];
        for (inner, outer) in [(0, last), (last, 0)] {
            let from_inner = |step: usize| inner.abs_diff(step);
            let steps = inner.abs_diff(ring.top);
            let outer_depth = self.depth[ring.bodies[outer]];
            let mut farthest = 0;
            // The higher the cut, the more bodies move.
            for step in 0..steps {
                let place = from_inner(step);
                for &body in &hanging[place] {
                    self.levels[self.mechanism[body]][self.depth[body]] -= 1;
                    farthest = farthest.max(step + self.depth[body] - self.depth[ring.bodies[place]]);
                }
                let unmoved = deepest(&self.levels[self.mechanism[ring.bodies[inner]]]);
                let edge = if inner == 0 { place } else { place - 1 };
                depths[edge] = unmoved.max(outer_depth + 1 + farthest);
            }
            for &body in (0..steps).flat_map(|step| &hanging[from_inner(step)]) {
                self.levels[self.mechanism[body]][self.depth[body]] += 1;
            }
        }
        depths
    }
}

/// The greatest depth with a body.
fn deepest(levels: &[usize]) -> usize {
    levels.iter().rposition(|&bodies| bodies > 0).unwrap_or(0)
}
