//! Who carries whom: one root, one way to every link.

use super::elements::{Joint, Link, Named, Robot};
use super::names::Names;
use super::notes::listed;
use super::xml::{Reader, quoted};
use std::collections::HashSet;

/// The links as a tree.
pub(super) struct Tree {
    pub root: usize,
    /// Joints from the root to the tips, with the numbers of their parents and children; the
    /// children of one link in the order of the file.
    pub joints: Vec<Edge>,
}

/// A joint between two links, all by number.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub joint: usize,
    pub parent: usize,
    pub child: usize,
}

/// Builds the tree; none, with errors, when it is none.
pub(super) fn build(reader: &mut Reader, robot: &Robot) -> Option<Tree> {
    let before = reader.errors.len();
    if robot.links.is_empty() && !robot.incomplete {
        reader.error(
            robot.span.clone(),
            "the robot has no links".to_string(),
            Some("a link is <link name=\"…\"> … </link>".to_string()),
        );
        return None;
    }
    let mut incomplete = robot.incomplete;
    let mut edges: Vec<Edge> = Vec::with_capacity(robot.joints.len());
    let mut above: Vec<Option<usize>> = vec![None; robot.links.len()];
    for (number, joint) in robot.joints.iter().enumerate() {
        let place = format!("joint {}", quoted(&joint.name));
        let parent = find(
            reader,
            &robot.link_names,
            &robot.unread,
            joint.parent.as_ref(),
            &place,
        );
        let child = find(
            reader,
            &robot.link_names,
            &robot.unread,
            joint.child.as_ref(),
            &place,
        );
        let (Some(parent), Some(child)) = (parent, child) else {
            incomplete = true;
            continue;
        };
        let span = joint
            .child
            .as_ref()
            .map_or(joint.span.clone(), |c| c.span.clone());
        let link = quoted(&robot.links[child].name);
        if parent == child {
            let message = format!("{place}: the link {link} is its own parent");
            reader.error(span, message, Some("name another parent or child".to_string()));
            incomplete = true;
        } else if let Some(other) = above[child].map(|edge| edges[edge].joint) {
            let other = quoted(&robot.joints[other].name);
            let message = format!("{place}: the link {link} is the child of the joint {other} already");
            let help = "URDF is a tree: close loops by <loop_joint>";
            reader.error(span, message, Some(help.to_string()));
            incomplete = true;
        } else {
            above[child] = Some(edges.len());
            edges.push(Edge {
                joint: number,
                parent,
                child,
            });
        }
    }
    cycles(reader, &robot.links, &robot.joints, &edges, &above);
    if incomplete || reader.errors.len() > before {
        return None;
    }
    let root = the_root(reader, &robot.links, &above)?;
    Some(Tree {
        root,
        joints: base_to_tip(root, &edges, robot.links.len()),
    })
}

/// Reports links of loop joints that do not exist.
pub(super) fn check_loops(reader: &mut Reader, robot: &Robot) {
    for joint in &robot.loops {
        let place = format!("loop joint {}", quoted(&joint.here));
        for (end, span) in &joint.ends {
            let wanted = Named {
                name: end.link.clone(),
                span: span.clone(),
            };
            find(reader, &robot.link_names, &robot.unread, Some(&wanted), &place);
        }
    }
}

/// The number of a link, or an error unless it has been reported before.
fn find(
    reader: &mut Reader,
    names: &Names,
    unread: &HashSet<String>,
    wanted: Option<&Named>,
    place: &str,
) -> Option<usize> {
    let wanted = wanted?;
    let found = names.find(&wanted.name);
    if found.is_none() && !unread.contains(&wanted.name) {
        let message = format!("{place}: there is no link {}", quoted(&wanted.name));
        let help = names
            .suggestion(reader, &wanted.name)
            .unwrap_or_else(|| format!("add <link name={}/>", quoted(&wanted.name)));
        reader.error(wanted.span.clone(), message, Some(help));
    }
    found
}

/// Reports each circle of joints once.
fn cycles(reader: &mut Reader, links: &[Link], joints: &[Joint], edges: &[Edge], above: &[Option<usize>]) {
    // 0: not visited; otherwise the number of the walk that came along.
    let mut visited = vec![0; links.len()];
    for start in 0..links.len() {
        let mut at = start;
        while visited[at] == 0 {
            visited[at] = start + 1;
            match above[at] {
                Some(edge) => at = edges[edge].parent,
                None => break,
            }
        }
        let closed = visited[at] == start + 1 && above[at].is_some();
        if !closed {
            continue;
        }
        let mut circle = Vec::new();
        let mut link = at;
        while let Some(edge) = above[link] {
            circle.push(joints[edges[edge].joint].name.clone());
            link = edges[edge].parent;
            if link == at {
                break;
            }
        }
        circle.reverse();
        let span = links[at].span.clone();
        let message = format!(
            "link {}: it is carried by itself, through the joints {}",
            quoted(&links[at].name),
            listed(&circle)
        );
        let help = "URDF is a tree: remove one of the joints, or make it a <loop_joint>";
        reader.error(span, message, Some(help.to_string()));
    }
}

fn the_root(reader: &mut Reader, links: &[Link], above: &[Option<usize>]) -> Option<usize> {
    let roots: Vec<usize> = (0..links.len()).filter(|&link| above[link].is_none()).collect();
    let (&first, others) = roots.split_first()?;
    let Some(&second) = others.first() else {
        return Some(first);
    };
    let names: Vec<String> = roots.iter().map(|&link| quoted(&links[link].name)).collect();
    let message = format!(
        "{} links are not the child of any joint: {}",
        roots.len(),
        listed(&names)
    );
    let help = "a robot has one root: add joints that carry the others";
    reader.error(links[second].span.clone(), message, Some(help.to_string()));
    None
}

fn base_to_tip(root: usize, edges: &[Edge], links: usize) -> Vec<Edge> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); links];
    for (number, edge) in edges.iter().enumerate() {
        below[edge.parent].push(number);
    }
    let mut order = Vec::with_capacity(edges.len());
    let mut waiting: Vec<usize> = below[root].iter().rev().copied().collect();
    while let Some(number) = waiting.pop() {
        order.push(edges[number]);
        waiting.extend(below[edges[number].child].iter().rev());
    }
    order
}
