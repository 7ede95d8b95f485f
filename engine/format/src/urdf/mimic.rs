//! Joints that follow others: whom, and the initial positions of all joints.

use super::Options;
use super::elements::{Joint, Mimic};
use super::names::Names;
use super::xml::{Reader, quoted};
use holonom_multibody::description::JointKind;

/// What holds for the positions of joints.
pub(super) struct Positions {
    /// Initial positions that fit: within the limits if these are used, multiplier · other + offset
    /// for a joint that follows another.
    pub starts: Vec<f64>,
    /// The joint that each one follows.
    pub leaders: Vec<Option<usize>>,
    /// Joints that keep their position.
    pub locked: Vec<bool>,
}

/// What `<mimic>` and limits say about the positions; joints that `held` names keep theirs.
pub(super) fn positions(
    reader: &mut Reader,
    joints: &[Joint],
    names: &Names,
    held: &[bool],
    options: &Options,
) -> Positions {
    let mut leaders: Vec<Option<usize>> = joints
        .iter()
        .map(|joint| leader(reader, joints, names, joint))
        .collect();
    // None: not known yet.
    let mut starts: Vec<Option<f64>> = vec![None; joints.len()];
    let mut locked = held.to_vec();
    let mut on_the_way = vec![false; joints.len()];
    for joint in 0..joints.len() {
        let mut way = Vec::new();
        let mut at = joint;
        while starts[at].is_none() && !on_the_way[at] {
            on_the_way[at] = true;
            way.push(at);
            match leaders[at] {
                Some(next) => at = next,
                None => break,
            }
        }
        if starts[at].is_none() && leaders[at].is_some() {
            let mimic = joints[at].mimic.as_ref();
            let span = mimic.map_or(joints[at].span.clone(), |m| m.joint.span.clone());
            let message = format!("joint {}: it mimics itself", quoted(&joints[at].name));
            let help = "one of the joints in the circle must be free".to_string();
            reader.error(span, message, Some(help));
            leaders[at] = None;
        }
        for &follower in way.iter().rev() {
            on_the_way[follower] = false;
            let joint = &joints[follower];
            let led = leaders[follower].and_then(|l| Some((l, starts[l]?)));
            let start = match (led, &joint.mimic) {
                (Some((leader, start)), Some(mimic)) => {
                    // What follows a joint that keeps its position keeps its own.
                    let still = locked[leader] || joints[leader].kind == JointKind::Fixed;
                    locked[follower] |= still || mimic.multiplier == 0.0;
                    mimic.multiplier * start + mimic.offset
                }
                _ => nearest_to_zero(reader, joint, options),
            };
            starts[follower] = Some(start);
        }
    }
    Positions {
        starts: starts.into_iter().map(|start| start.unwrap_or(0.0)).collect(),
        leaders,
        locked,
    }
}

/// Where a joint starts that follows no other: at zero, or at the limit that is nearest to it.
fn nearest_to_zero(reader: &mut Reader, joint: &Joint, options: &Options) -> f64 {
    let Some([lower, upper]) = joint.limits.filter(|_| options.limits) else {
        return 0.0;
    };
    let start = 0.0_f64.clamp(lower, upper);
    if start != 0.0 {
        let fate = "moved to the nearer limit, because 0 is outside";
        let name = format!("{} to {start}", joint.name);
        reader
            .notes
            .count("initial position", fate, joint.span.clone(), Some(&name));
    }
    start
}

/// The joint that another one follows. Where there is none to follow the joint moves freely.
fn leader(reader: &mut Reader, joints: &[Joint], names: &Names, joint: &Joint) -> Option<usize> {
    let Mimic { joint: wanted, .. } = joint.mimic.as_ref()?;
    let place = format!("joint {}", quoted(&joint.name));
    let one = |joint: &Joint| [JointKind::Revolute, JointKind::Prismatic].contains(&joint.kind);
    if !one(joint) {
        let kind = joint.kind.info().name;
        if reader.strict {
            let message = format!("{place}: it is {kind}, without a single coordinate to follow");
            let help = "mimic is for revolute, continuous and prismatic joints".to_string();
            reader.error(wanted.span.clone(), message, Some(help));
        } else {
            let fate = "not used: the joint has no single coordinate";
            let (span, name) = (wanted.span.clone(), Some(joint.name.as_str()));
            reader.notes.count("mimic element", fate, span, name);
        }
        return None;
    }
    let found = names.find(&wanted.name);
    let Some(other) = found.filter(|&j| j < joints.len()) else {
        let (message, help) = match found {
            Some(_) => (
                format!("{place}: it mimics the loop joint {}", quoted(&wanted.name)),
                Some("name a joint of the tree".to_string()),
            ),
            None => (
                format!("{place}: there is no joint {} to mimic", quoted(&wanted.name)),
                names.suggestion(reader, &wanted.name),
            ),
        };
        reader.odd(wanted.span.clone(), message, "it moves by itself", help);
        return None;
    };
    let leading = &joints[other];
    if !one(leading) && (reader.strict || leading.kind != JointKind::Fixed) {
        let kind = leading.kind.info().name;
        let message =
            format!("{place}: the joint it mimics is {kind}, without a single coordinate to follow");
        let help = "mimic is for revolute, continuous and prismatic joints".to_string();
        reader.odd(wanted.span.clone(), message, "it moves by itself", Some(help));
        return None;
    }
    if leading.kind == JointKind::Fixed {
        let fate = "locked at the offset, because the joint to mimic is fixed";
        let (span, name) = (wanted.span.clone(), Some(joint.name.as_str()));
        reader.notes.count("joint", fate, span, name);
    }
    Some(other)
}
