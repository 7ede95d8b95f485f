//! The joints as a graph, and the forest chosen from it.

use super::names::{Names, Place};
use super::referred::Referred;
use crate::description::{CoordinateMotion, CoordinateRef, Description, Joint};
use crate::diagnostic::{Diagnostic, Sort, ThingKind, quoted};
use crate::forest::{self, Edge, Forest, ForestError, Graph, Hint};

/// The forest with the ends of all joints; none when it cannot be built, for reasons that have
/// been reported.
pub(super) fn choose(
    description: &Description,
    names: &Names,
    ends: Vec<Option<[Place; 2]>>,
    errors: &mut Vec<Diagnostic>,
) -> Option<(Vec<[Place; 2]>, Graph, Forest)> {
    if description.bodies.is_empty() {
        return None;
    }
    let ends: Vec<[Place; 2]> = ends.into_iter().collect::<Option<_>>()?;
    let mut edges: Vec<Edge> = Vec::with_capacity(ends.len());
    for (joint, [from, to]) in description.joints.iter().zip(&ends) {
        if from.body == to.body {
            return None;
        }
        edges.push(edge(joint, from.body, to.body, errors));
    }
    let bodies = description.bodies.len() + 1;
    cut_for_reactions(description, names, &mut edges, errors);
    require_referred(description, names, bodies, &mut edges);
    let graph = Graph { bodies, edges };
    match Forest::build(&graph) {
        Ok(forest) => Some((ends, graph, forest)),
        Err(faults) => {
            errors.extend(faults.iter().map(|fault| explain(fault, description, names)));
            None
        }
    }
}

fn edge(joint: &Joint, from: usize, to: usize, errors: &mut Vec<Diagnostic>) -> Edge {
    let info = joint.kind.info();
    let bound = joint
        .coordinates
        .iter()
        .filter(|c| !matches!(c.motion, CoordinateMotion::Free))
        .count();
    let mut freedoms = info.freedoms().saturating_sub(bound);
    if info.has_orientation && joint.orientation_locked {
        freedoms = freedoms.saturating_sub(3);
    }
    let hint = if info.cut_only { Hint::Cut } else { joint.hint };
    let mut edge = Edge::new(from, to, freedoms).hint(hint);
    // The rows of a cut joint know no locked or prescribed coordinates.
    let special = (bound > 0 || joint.orientation_locked) && !info.cut_only;
    if info.tree_only || special {
        edge = edge.tree_only();
        if joint.hint == Hint::Cut {
            edge.hint = Hint::Auto;
            let thing = ThingKind::Joint.named(&joint.name);
            let reason = match special {
                true => "it has locked or prescribed coordinates, which only a joint in the tree can have",
                false => "a joint with six degrees of freedom has no constraint rows",
            };
            let fault = Diagnostic::sentence(format!("{thing} has the hint \"cut\", but {reason}"));
            errors.push(fault.of(&thing).remedy("remove the hint").field("hint"));
        }
    }
    edge
}

/// Joints whose reaction a force depends on are cut: only then is it an unknown.
fn cut_for_reactions(
    description: &Description,
    names: &Names,
    edges: &mut [Edge],
    errors: &mut Vec<Diagnostic>,
) {
    for force in &description.forces {
        let Some(coordinate) = force.kind.reaction() else {
            continue;
        };
        let Ok(joint) = names.coordinate(coordinate) else {
            continue;
        };
        let edge = &mut edges[joint];
        if edge.tree_only || edge.hint == Hint::Tree {
            let (thing, joint) = (ThingKind::Force.named(&force.name), &coordinate.joint);
            let fault = Diagnostic::sentence(format!(
                "{thing} uses the reaction of the joint \"{joint}\", which cannot be cut for this purpose: it \
                 has the hint `tree`, locked or prescribed coordinates, or six degrees of freedom"
            ));
            let fault = fault.remedy("release it, or specify a constant normal force");
            errors.push(fault.of(&thing).said(joint));
        } else {
            edge.hint = Hint::Cut;
        }
    }
}

/// Joints to whose coordinates something refers are wished into the tree, as long as they form
/// no loop.
fn require_referred(description: &Description, names: &Names, bodies: usize, edges: &mut [Edge]) {
    let constraints = description.constraints.iter().map(|c| {
        let mut kind = c.kind.clone();
        Referred::in_fields(|visitor| kind.fields(visitor))
    });
    let forces = description
        .forces
        .iter()
        .filter(|f| f.kind.reaction().is_none())
        .map(|f| {
            let mut kind = f.kind.clone();
            Referred::in_fields(|visitor| kind.fields(visitor))
        });
    let coordinates: Vec<CoordinateRef> = (constraints.chain(forces))
        .flat_map(|referred| {
            let terms = referred
                .sums
                .into_iter()
                .flatten()
                .map(|(coordinate, _)| coordinate);
            terms.chain(referred.coordinates)
        })
        .collect();
    let mut set: Vec<usize> = (0..bodies).collect();
    fn top(set: &[usize], mut body: usize) -> usize {
        while set[body] != body {
            body = set[body];
        }
        body
    }
    let mut join = |edge: &Edge| {
        let (a, b) = (top(&set, edge.from), top(&set, edge.to));
        set[a.max(b)] = a.min(b);
        a != b
    };
    for edge in edges.iter().filter(|e| e.tree_only || e.hint == Hint::Tree) {
        join(edge);
    }
    for reference in &coordinates {
        if let Ok(joint) = names.coordinate(reference) {
            let edge = &mut edges[joint];
            if edge.hint == Hint::Auto && !edge.tree_only && join(edge) {
                edge.hint = Hint::Tree;
            }
        }
    }
}

fn explain(fault: &ForestError, description: &Description, names: &Names) -> Diagnostic {
    match fault {
        ForestError::Disconnected { bodies } => {
            let bodies: Vec<String> = bodies.iter().map(|&b| names.body(b).to_string()).collect();
            let they = match bodies.len() {
                1 => "the body is",
                _ => "they are",
            };
            let fault = format!("no joint connects {} to the ground", quoted(&bodies));
            let fault = Diagnostic::sentence(fault)
                .remedy(format!("add one (a free joint, if {they} to move freely)"))
                .sort(Sort::Connection);
            match bodies.first() {
                Some(body) => fault.of(&ThingKind::Body.named(body)),
                None => fault,
            }
        }
        ForestError::HintTreeCycle { edges } => {
            let joints = edges.iter().map(|&edge| description.joints[edge].name.clone());
            let joints: Vec<String> = joints.collect();
            let fault = Diagnostic::sentence(format!(
                "the joints {} form a loop that cannot be cut, because each of them is free, locked, \
                 prescribed or has the hint \"tree\"",
                quoted(&joints)
            ));
            let fault = fault.remedy("release one of them").sort(Sort::Connection);
            match joints.last() {
                Some(last) => fault.of(&ThingKind::Joint.named(last)),
                None => fault,
            }
        }
        _ => {
            let bodies: Vec<&str> = (0..=description.bodies.len())
                .map(|body| names.body(body))
                .collect();
            let joints: Vec<&str> = description.joints.iter().map(|j| j.name.as_str()).collect();
            let kinds: Vec<&str> = description.joints.iter().map(|j| j.kind.info().name).collect();
            let joint = match fault {
                ForestError::UnknownBody { edge, .. }
                | ForestError::SelfJoint { edge }
                | ForestError::CutOfTreeOnly { edge }
                | ForestError::HintCutDisconnects { edge, .. } => Some(*edge),
                _ => None,
            };
            let (fault, remedy) = fault.describe(&forest::Names {
                bodies: &bodies,
                joints: &joints,
                kinds: &kinds,
            });
            let fault = Diagnostic::sentence(fault).remedy(remedy).sort(Sort::Connection);
            match joint {
                Some(edge) => fault.of(&ThingKind::Joint.named(&description.joints[edge].name)),
                None => fault,
            }
        }
    }
}
