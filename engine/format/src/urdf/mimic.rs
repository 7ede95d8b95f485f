//! Joints that follow others: whom, and where they start.

use super::elements::{Joint, Mimic};
use super::names::Names;
use super::xml::{Reader, quoted};
use holonom_multibody::description::JointKind;

/// Start positions that fit: 0, and multiplier · other + offset for a joint that follows another.
pub(super) fn starts(reader: &mut Reader, joints: &[Joint], names: &Names) -> Vec<f64> {
    let leaders: Vec<Option<usize>> = joints
        .iter()
        .map(|joint| leader(reader, joints, names, joint))
        .collect();
    // None: not known yet.
    let mut starts: Vec<Option<f64>> = vec![None; joints.len()];
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
            starts[at] = Some(0.0);
        }
        for &follower in way.iter().rev() {
            on_the_way[follower] = false;
            let start = match (leaders[follower].and_then(|l| starts[l]), &joints[follower].mimic) {
                (Some(start), Some(mimic)) => mimic.multiplier * start + mimic.offset,
                _ => 0.0,
            };
            starts[follower].get_or_insert(start);
        }
    }
    starts.into_iter().map(|start| start.unwrap_or(0.0)).collect()
}

/// The joint that another one follows.
fn leader(reader: &mut Reader, joints: &[Joint], names: &Names, joint: &Joint) -> Option<usize> {
    let Mimic { joint: wanted, .. } = joint.mimic.as_ref()?;
    let place = format!("joint {}", quoted(&joint.name));
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
        reader.error(wanted.span.clone(), message, help);
        return None;
    };
    let one = |joint: &Joint| [JointKind::Revolute, JointKind::Prismatic].contains(&joint.kind);
    for (which, who) in [(joint, "it"), (&joints[other], "the joint it mimics")] {
        if !one(which) {
            let kind = which.kind.info().name;
            let message = format!("{place}: {who} is {kind}, without a single coordinate to follow");
            let help = "mimic is for revolute, continuous and prismatic joints".to_string();
            reader.error(wanted.span.clone(), message, Some(help));
            return None;
        }
    }
    Some(other)
}
