//! A scene as the page reads it.

use super::{Film, select};
use crate::error::Error;
use holonom::algebra::{Mat3, Pose, Vec3};
use holonom::multibody::description::Description;
use holonom::simulation::Replay;
use holonom_scene::{Placement, Poser, Scene};
use serde_json::{Value, json};

/// Little-endian bytes of numbers.
pub fn floats(numbers: impl IntoIterator<Item = f32>) -> Vec<u8> {
    numbers.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// An arrow for a force: three channels with its components at a point of a body.
struct Arrow {
    of: String,
    kind: &'static str,
    body: usize,
    point: [f64; 3],
    /// Body and orientation on it of the axes of the components; none for the ground's.
    axes: Option<(usize, [[f64; 3]; 3])>,
    channels: [String; 3],
}

/// The arrows of a mechanism: force elements and what joints and constraints transmit.
fn arrows(replay: &Replay) -> Vec<Arrow> {
    let description = replay.description();
    let mut all = Vec::new();
    let catalogue = &replay.simulation().catalogue;
    let known: std::collections::HashSet<&str> = catalogue.channels().map(|c| c.name.as_str()).collect();
    let channels = |kind: &str, name: &str| -> Option<[String; 3]> {
        let of = |prefix: String| ["x", "y", "z"].map(|axis| format!("{prefix}{name}.force.{axis}"));
        let there = |names: &[String; 3]| names.iter().all(|name| known.contains(name.as_str()));
        [of(format!("{kind}:")), of(String::new())]
            .into_iter()
            .find(there)
    };
    for force in &description.forces {
        let mut ends = Ends::default();
        force.kind.clone().fields(&mut ends);
        let Some((body, frame)) = ends.second().and_then(|name| resolve(description, name)) else {
            continue;
        };
        if let Some(channels) = channels("force", &force.name) {
            all.push(Arrow {
                of: force.name.clone(),
                kind: "force",
                body,
                point: frame.position.0,
                axes: None,
                channels,
            });
        }
    }
    for joint in &description.joints {
        let (from, to) = (resolve(description, &joint.from), resolve(description, &joint.to));
        if let (Some((first, at)), Some((body, frame)), Some(channels)) =
            (from, to, channels("joint", &joint.name))
        {
            all.push(Arrow {
                of: joint.name.clone(),
                kind: "reaction",
                body,
                point: frame.position.0,
                axes: Some((first, at.rotation.0)),
                channels,
            });
        }
    }
    all
}

#[derive(Default)]
struct Ends(Vec<String>);

impl Ends {
    fn second(&self) -> Option<&str> {
        self.0.get(1).or(self.0.first()).map(String::as_str)
    }
}

impl holonom::multibody::description::fields::Look for Ends {
    fn frame(&mut self, _: &holonom::multibody::description::fields::Field, value: &mut String) {
        self.0.push(value.clone());
    }
}

fn resolve(description: &Description, name: &str) -> Option<(usize, holonom::multibody::description::Frame)> {
    holonom_scene::scene::resolve(description, name)
}

/// Channels above which they come without descriptions: the page would take long to load.
const MOST_DESCRIBED: usize = 2000;

fn colour(rgb: [f64; 3]) -> Value {
    json!(rgb.map(|x| (x * 1000.0).round() / 1000.0))
}

fn finite(x: &[f64]) -> Value {
    Value::Array(x.iter().map(|x| json!(x.is_finite().then_some(*x))).collect())
}

/// Everything about a scene but its surfaces, whose numbers are in the second part: positions, normals and indices of
/// each surface, one after the other.
pub fn scene_json(scene: &Scene) -> (Value, Vec<u8>) {
    let mut binary: Vec<u8> = Vec::new();
    let meshes: Vec<Value> = scene
        .meshes
        .iter()
        .map(|mesh| {
            let at = binary.len();
            for numbers in [&mesh.positions, &mesh.normals] {
                binary.extend(floats(numbers.as_flattened().iter().copied()));
            }
            binary.extend(mesh.indices.iter().flat_map(|x| x.to_le_bytes()));
            json!({ "at": at, "corners": mesh.positions.len(), "indices": mesh.indices.len() })
        })
        .collect();
    let parts: Vec<Value> = scene
        .parts
        .iter()
        .map(|part| {
            let mut value = json!({
                "of": part.of, "mesh": part.mesh, "colour": colour(part.colour), "opacity": part.opacity,
                "scenery": part.scenery,
            });
            match &part.place {
                Placement::On { body, frame, scale } => {
                    value["body"] = json!(body);
                    value["position"] = finite(&frame.position.0);
                    value["rotation"] = finite(frame.rotation.0.as_flattened());
                    value["scale"] = finite(scale);
                }
                Placement::Between {
                    bodies,
                    points,
                    radius,
                } => {
                    value["between"] = json!(bodies);
                    value["points"] = json!([finite(&points[0]), finite(&points[1])]);
                    value["radius"] = json!(radius);
                }
            }
            value
        })
        .collect();
    let bodies: Vec<Value> = scene
        .bodies
        .iter()
        .map(|body| json!({ "name": body.name, "colour": colour(body.colour), "centre": body.centre }))
        .collect();
    let axes: Vec<Value> = scene
        .axes
        .iter()
        .map(|axis| {
            json!({ "joint": axis.joint, "kind": axis.kind, "body": axis.body, "point": axis.point,
                    "direction": axis.direction })
        })
        .collect();
    let frames: Vec<Value> = scene
        .frames
        .iter()
        .map(|frame| {
            json!({ "name": frame.name, "body": frame.body, "position": frame.frame.position.0,
                    "rotation": frame.frame.rotation.0.as_flattened() })
        })
        .collect();
    let value = json!({
        "name": scene.name, "up": scene.up, "centre": scene.centre, "radius": scene.radius, "unit": scene.unit,
        "floor": if scene.floor.is_finite() { scene.floor } else { 0.0 },
        "notes": scene.notes, "bodies": bodies, "parts": parts, "meshes": meshes, "axes": axes, "frames": frames,
    });
    (value, binary)
}

impl Film {
    /// The scene with what belongs to the result.
    pub fn json(&self) -> (Value, Vec<u8>) {
        let (mut value, binary) = scene_json(&self.scene);
        let mut catalogue = self.catalogue();
        if catalogue.len() > MOST_DESCRIBED {
            catalogue
                .iter_mut()
                .for_each(|(column, _)| column.description.clear());
        }
        let channels: Vec<Value> = catalogue
            .into_iter()
            .map(|(column, recorded)| {
                json!({ "name": column.name, "unit": column.unit, "about": column.description, "recorded": recorded })
            })
            .collect();
        value["channels"] = json!(channels);
        value["arrows"] = arrows_json(&self.replay);
        value["travels"] = json!(self.travels());
        value["rows"] = json!(self.times.len());
        if let Some(loss) = self.loss() {
            value["notes"]
                .as_array_mut()
                .into_iter()
                .for_each(|notes| notes.push(json!(loss)));
        }
        (value, binary)
    }

    /// Vectors of all arrows in a row, in the axes of the ground: force elements, then joints.
    pub fn arrow_vectors(&self, row: usize) -> Result<Vec<f32>, Error> {
        arrow_vectors_of(&self.replay, self.times[row], &self.state(row)?)
    }

    /// Whether the mechanism goes far from where it starts.
    pub fn travels(&self) -> bool {
        let last = self.times.len() - 1;
        let ends = [0, last / 2, last].map(|row| self.poses_at(row).unwrap_or_default());
        let middle = |poses: &[Pose<f64>]| {
            let sum = poses
                .iter()
                .skip(1)
                .fold(Vec3::zero(), |sum, pose| sum + pose.position);
            sum.scale(1.0 / (poses.len().max(2) - 1) as f64)
        };
        let far = |k: usize| (middle(&ends[k]) - middle(&ends[0])).norm();
        far(1).max(far(2)) > 6.0 * self.scene.radius
    }
}

/// Where arrows may be, as the page reads it.
pub fn arrows_json(replay: &Replay) -> Value {
    let all = arrows(replay);
    let arrows = all
        .iter()
        .map(|arrow| json!({ "of": arrow.of, "kind": arrow.kind, "body": arrow.body, "point": arrow.point }));
    Value::Array(arrows.collect())
}

/// Vectors of all arrows in a state.
pub fn arrow_vectors_of(replay: &Replay, t: f64, state: &[f64]) -> Result<Vec<f32>, Error> {
    let arrows = arrows(replay);
    let names: Vec<&str> = arrows
        .iter()
        .flat_map(|arrow| arrow.channels.iter().map(String::as_str))
        .collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let (selection, mut sampler) = select(replay, &names)?;
    let mut values = vec![f64::NAN; sampler.columns()];
    sampler.sample(t, state, &mut values);
    let model = replay.model();
    let mut poser = Poser::new(model);
    let poses = poser.poses(model, t, replay.positions(state));
    let mut out = Vec::with_capacity(names.len());
    for arrow in &arrows {
        let component = |axis: usize| {
            selection
                .column(&arrow.channels[axis])
                .map_or(f64::NAN, |k| values[k])
        };
        let vector = Vec3([component(0), component(1), component(2)]);
        let vector = match &arrow.axes {
            Some((body, axes)) => poses[*body].rotation.times(Mat3(*axes).times(vector)),
            None => vector,
        };
        out.extend(vector.0.map(|x| x as f32));
    }
    Ok(out)
}
