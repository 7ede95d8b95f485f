//! Animations as binary glTF 2.0, for Blender, slides and web pages.
//!
//! Every part is a node with its own surface; parts on a body are children of its node, which carries the animation.
//! glTF has y up: a node above all turns the mechanism upright.

use crate::mesh::Mesh;
use crate::scene::{Part, Placement, Scene};
use holonom_algebra::{Mat3, Pose, Quaternion, Vec3};
use std::fmt::Write;

/// A motion as poses: for every row a time, and for every body but the ground seven numbers (x, y, z, Euler parameters
/// x, y, z, w).
pub struct Motion<'a> {
    /// Times, ascending.
    pub times: &'a [f64],
    /// Poses, row by row.
    pub poses: &'a [f32],
}

#[derive(Default)]
struct Writer {
    binary: Vec<u8>,
    views: Vec<String>,
    accessors: Vec<String>,
}

const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;

impl Writer {
    /// Numbers for corners (target 34962), indices (34963) or animations (none).
    fn view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        while !self.binary.len().is_multiple_of(4) {
            self.binary.push(0);
        }
        let target = target.map_or(String::new(), |target| format!(",\"target\":{target}"));
        self.views.push(format!(
            "{{\"buffer\":0,\"byteOffset\":{},\"byteLength\":{}{target}}}",
            self.binary.len(),
            bytes.len()
        ));
        self.binary.extend(bytes);
        self.views.len() - 1
    }

    fn floats<const N: usize>(&mut self, rows: &[[f32; N]], bounds: bool, target: Option<u32>) -> usize {
        let bytes: Vec<u8> = rows.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
        let view = self.view(&bytes, target);
        let kind = ["", "SCALAR", "VEC2", "VEC3", "VEC4"][N];
        let mut limits = String::new();
        if bounds {
            let fold = |better: fn(f32, f32) -> f32| -> Vec<String> {
                (0..N)
                    .map(|k| rows.iter().map(|row| row[k]).fold(rows[0][k], better))
                    .map(|x| format!("{x:?}"))
                    .collect()
            };
            let (low, high) = (fold(f32::min).join(","), fold(f32::max).join(","));
            limits = format!(",\"min\":[{low}],\"max\":[{high}]");
        }
        let count = rows.len();
        self.accessors.push(format!(
            "{{\"bufferView\":{view},\"componentType\":{FLOAT},\"count\":{count},\"type\":\"{kind}\"{limits}}}"
        ));
        self.accessors.len() - 1
    }

    fn indices(&mut self, indices: &[u32]) -> usize {
        let bytes: Vec<u8> = indices.iter().flat_map(|x| x.to_le_bytes()).collect();
        let view = self.view(&bytes, Some(34963));
        self.accessors.push(format!(
            "{{\"bufferView\":{view},\"componentType\":{UNSIGNED},\"count\":{},\"type\":\"SCALAR\"}}",
            indices.len()
        ));
        self.accessors.len() - 1
    }
}

/// A text in JSON.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out + "\""
}

fn numbers<const N: usize>(x: [f64; N]) -> String {
    let words: Vec<String> = x.iter().map(|x| format!("{:?}", *x as f32)).collect();
    format!("[{}]", words.join(","))
}

fn rotation(matrix: &Mat3<f64>) -> [f64; 4] {
    let [w, x, y, z] = Quaternion::from_rotation_matrix(&matrix.0).0;
    [x, y, z, w]
}

fn pose(numbers: &[f32]) -> Pose<f64> {
    let q = [6, 3, 4, 5].map(|k| f64::from(numbers[k]));
    let p = [0, 1, 2].map(|k| f64::from(numbers[k]));
    Pose::new(Mat3(Quaternion(q).rotation_matrix()), Vec3(p))
}

/// Writes a scene with its motion. Rows with poses that are no numbers are left out.
pub fn write(scene: &Scene, motion: &Motion<'_>) -> Vec<u8> {
    let bodies = scene.bodies.len() - 1;
    let width = 7 * bodies;
    let mut times: Vec<f64> = Vec::with_capacity(motion.times.len());
    let mut rows: Vec<&[f32]> = Vec::with_capacity(motion.times.len());
    for (k, t) in motion.times.iter().enumerate() {
        let row = &motion.poses[k * width..(k + 1) * width];
        // Key frames must ascend: of rows at the same time, the last counts.
        if times.last().is_some_and(|last| (*t as f32) <= (*last as f32)) {
            times.pop();
            rows.pop();
        }
        if row.iter().all(|x| x.is_finite()) {
            times.push(*t);
            rows.push(row);
        }
    }
    let start = times.first().copied().unwrap_or(0.0);
    let mut w = Writer::default();
    let mut nodes: Vec<String> = Vec::new();
    let mut meshes: Vec<String> = Vec::new();
    let mut materials: Vec<([f64; 3], f64)> = Vec::new();
    // Surfaces once, meshes once per surface and colour.
    let mut surfaces: Vec<Option<[usize; 3]>> = vec![None; scene.meshes.len()];
    let mut known: Vec<(usize, usize, usize)> = Vec::new();
    let mut mesh_of = |w: &mut Writer, part: &Part| -> Option<usize> {
        let mesh: &Mesh = scene.meshes.get(part.mesh)?;
        if mesh.indices.is_empty() {
            return None;
        }
        let [positions, normals, indices] = *surfaces[part.mesh].get_or_insert_with(|| {
            [
                w.floats(&mesh.positions, true, Some(34962)),
                w.floats(&mesh.normals, false, Some(34962)),
                w.indices(&mesh.indices),
            ]
        });
        let look = (part.colour, part.opacity);
        let material = match materials.iter().position(|own| *own == look) {
            Some(at) => at,
            None => {
                materials.push(look);
                materials.len() - 1
            }
        };
        let place = known.iter().find(|(a, b, _)| (*a, *b) == (part.mesh, material));
        if let Some((_, _, at)) = place {
            return Some(*at);
        }
        meshes.push(format!(
            "{{\"primitives\":[{{\"attributes\":{{\"POSITION\":{positions},\"NORMAL\":{normals}}},\"indices\":{indices},\"material\":{material}}}]}}"
        ));
        known.push((part.mesh, material, meshes.len() - 1));
        Some(meshes.len() - 1)
    };

    // Node 0 turns the mechanism upright; then the bodies, the ground first.
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); scene.bodies.len() + 1];
    children[0].extend(1..=scene.bodies.len());
    let first = scene.bodies.len() + 1;
    let mut parts: Vec<String> = Vec::new();
    // Number of the node, and the part between bodies.
    let mut stretched: Vec<(usize, &Part)> = Vec::new();
    for part in &scene.parts {
        let Some(mesh) = mesh_of(&mut w, part) else {
            continue;
        };
        let node = first + parts.len();
        let name = quoted(&part.of);
        match &part.place {
            Placement::On { body, frame, scale } => {
                let (translation, turn) = (numbers(frame.position.0), numbers(rotation(&frame.rotation)));
                let scale = numbers(*scale);
                parts.push(format!(
                    "{{\"name\":{name},\"mesh\":{mesh},\"translation\":{translation},\"rotation\":{turn},\"scale\":{scale}}}"
                ));
                children[*body + 1].push(node);
            }
            Placement::Between { .. } => {
                parts.push(format!("{{\"name\":{name},\"mesh\":{mesh}}}"));
                children[0].push(node);
                stretched.push((node, part));
            }
        }
    }
    let list = |own: &[usize]| {
        if own.is_empty() {
            return String::new();
        }
        let own: Vec<String> = own.iter().map(usize::to_string).collect();
        format!(",\"children\":[{}]", own.join(","))
    };
    let turn = numbers(upright(Vec3(scene.up)));
    nodes.push(format!(
        "{{\"name\":{},\"rotation\":{turn}{}}}",
        quoted(&scene.name),
        list(&children[0])
    ));
    for (k, body) in scene.bodies.iter().enumerate() {
        let place = match (k, rows.first()) {
            (1.., Some(row)) => {
                let at = pose(&row[7 * (k - 1)..7 * k]);
                let (p, q) = (numbers(at.position.0), numbers(rotation(&at.rotation)));
                format!(",\"translation\":{p},\"rotation\":{q}")
            }
            _ => String::new(),
        };
        nodes.push(format!(
            "{{\"name\":{}{place}{}}}",
            quoted(&body.name),
            list(&children[k + 1])
        ));
    }
    nodes.extend(parts);

    let mut samplers: Vec<String> = Vec::new();
    let mut channels: Vec<String> = Vec::new();
    if rows.len() > 1 {
        let seconds: Vec<[f32; 1]> = times.iter().map(|t| [(t - start) as f32]).collect();
        let input = w.floats(&seconds, true, None);
        let mut animate = |node: usize, path: &str, output: usize| {
            samplers.push(format!(
                "{{\"input\":{input},\"output\":{output},\"interpolation\":\"LINEAR\"}}"
            ));
            let sampler = samplers.len() - 1;
            channels.push(format!(
                "{{\"sampler\":{sampler},\"target\":{{\"node\":{node},\"path\":\"{path}\"}}}}"
            ));
        };
        for body in 0..bodies {
            let (mut positions, mut turns) = (Vec::new(), Vec::new());
            let mut last = [0.0, 0.0, 0.0, 1.0_f32];
            for row in &rows {
                let own = &row[7 * body..7 * body + 7];
                positions.push([own[0], own[1], own[2]]);
                let mut q = [own[3], own[4], own[5], own[6]];
                let norm = q.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
                q = q.map(|x| (f64::from(x) / norm) as f32);
                // On the shorter way from the row before.
                if q.iter().zip(last).map(|(a, b)| a * b).sum::<f32>() < 0.0 {
                    q = q.map(|x| -x);
                }
                last = q;
                turns.push(q);
            }
            let output = w.floats(&positions, false, None);
            animate(2 + body, "translation", output);
            let output = w.floats(&turns, false, None);
            animate(2 + body, "rotation", output);
        }
        for (node, part) in &stretched {
            let (mut positions, mut turns, mut scales) = (Vec::new(), Vec::new(), Vec::new());
            for row in &rows {
                let mut poses = vec![Pose::identity()];
                poses.extend(row.chunks_exact(7).map(pose));
                let (frame, scale) = part.place.transform(&poses);
                positions.push(frame.position.0.map(|x| x as f32));
                turns.push(rotation(&frame.rotation).map(|x| x as f32));
                scales.push(scale.map(|x| x as f32));
            }
            let output = w.floats(&positions, false, None);
            animate(*node, "translation", output);
            let output = w.floats(&turns, false, None);
            animate(*node, "rotation", output);
            let output = w.floats(&scales, false, None);
            animate(*node, "scale", output);
        }
    }
    let materials = materials.iter().map(|(colour, opacity)| {
        let [r, g, b] = colour.map(linear);
        let colour = numbers([r, g, b, *opacity]);
        let blend = if *opacity < 1.0 { ",\"alphaMode\":\"BLEND\"" } else { "" };
        format!(
            "{{\"pbrMetallicRoughness\":{{\"baseColorFactor\":{colour},\"metallicFactor\":0.1,\"roughnessFactor\":0.6}}{blend}}}"
        )
    });
    let mut json = String::from(
        "{\"asset\":{\"version\":\"2.0\",\"generator\":\"holonom\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}]",
    );
    let mut add = |key: &str, all: Vec<String>| {
        if !all.is_empty() {
            let _ = write!(json, ",\"{key}\":[{}]", all.join(","));
        }
    };
    add("nodes", nodes);
    add("meshes", meshes);
    add("materials", materials.collect());
    if !channels.is_empty() {
        let animation = format!(
            "{{\"name\":\"motion\",\"samplers\":[{}],\"channels\":[{}]}}",
            samplers.join(","),
            channels.join(",")
        );
        add("animations", vec![animation]);
    }
    add("accessors", w.accessors);
    add("bufferViews", w.views);
    while !w.binary.len().is_multiple_of(4) {
        w.binary.push(0);
    }
    if !w.binary.is_empty() {
        add("buffers", vec![format!("{{\"byteLength\":{}}}", w.binary.len())]);
    }
    json.push('}');
    while !json.len().is_multiple_of(4) {
        json.push(' ');
    }
    container(json.as_bytes(), &w.binary)
}

fn container(json: &[u8], binary: &[u8]) -> Vec<u8> {
    let chunks: Vec<(&[u8; 4], &[u8])> = match binary.is_empty() {
        true => vec![(b"JSON", json)],
        false => vec![(b"JSON", json), (b"BIN\0", binary)],
    };
    let length = 12 + chunks.iter().map(|(_, bytes)| 8 + bytes.len()).sum::<usize>();
    let mut out = Vec::with_capacity(length);
    out.extend(b"glTF");
    out.extend(2_u32.to_le_bytes());
    out.extend((length as u32).to_le_bytes());
    for (kind, bytes) in chunks {
        out.extend((bytes.len() as u32).to_le_bytes());
        out.extend(*kind);
        out.extend(bytes);
    }
    out
}

/// The rotation that brings `up` to y, as Euler parameters with the scalar last.
fn upright(up: Vec3<f64>) -> [f64; 4] {
    let y = Vec3([0.0, 1.0, 0.0]);
    let (axis, dot) = (up.cross(y), up.dot(y));
    let q = if dot < -0.999_999 {
        [1.0, 0.0, 0.0, 0.0]
    } else {
        let [x, y, z] = axis.0;
        [x, y, z, 1.0 + dot]
    };
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| x / norm)
}

/// From the colours of screens to those of light.
fn linear(x: f64) -> f64 {
    if x <= 0.04045 {
        x / 12.92
    } else {
        ((x + 0.055) / 1.055).powf(2.4)
    }
}
