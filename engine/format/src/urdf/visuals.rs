//! `<visual>` elements as shapes. What cannot be shown is noted and never stops a robot from moving.

use super::turned::frame;
use super::xml::Reader;
use crate::files::outside;
use core::ops::Range;
use holonom_algebra::Pose;
use holonom_multibody::description::{Frame, Shape, ShapeKind};
use roxmltree::Node;
use std::collections::HashMap;

/// Colours by the names of materials.
pub(super) type Materials = HashMap<String, (String, f64)>;

/// The materials of a robot, those within visuals among them.
pub(super) fn materials(root: Node) -> Materials {
    let all = root.descendants().filter(|node| node.has_tag_name("material"));
    let named = all.filter_map(|node| Some((node.attribute("name")?.to_string(), colour(node)?)));
    named.collect()
}

fn colour(material: Node) -> Option<(String, f64)> {
    let rgba = material.children().find(|child| child.has_tag_name("color"))?;
    let [r, g, b, a] = numbers(rgba.attribute("rgba")?)?;
    let byte = |x: f64| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
    let text = format!("#{:02x}{:02x}{:02x}", byte(r), byte(g), byte(b));
    Some((text, a.clamp(0.0, 1.0)))
}

fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let parsed: Vec<f64> = text
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    let numbers: [f64; N] = parsed.try_into().ok()?;
    numbers.iter().all(|x| x.is_finite()).then_some(numbers)
}

/// A picture of a link that has been read: where it is in the link, and what.
pub(super) struct Visual {
    pub shape: Shape,
    pub frame: Frame,
}

/// Reads a `<visual>`; none, with a note, where it cannot be shown.
pub(super) fn read(reader: &mut Reader, node: Node, materials: &Materials, link: &str) -> Option<Visual> {
    match picture(node, materials) {
        Ok(visual) => Some(visual),
        Err(fate) => {
            let span: Range<usize> = reader.tag(node);
            reader.notes.count("visual element", fate, span, Some(link));
            None
        }
    }
}

fn picture(node: Node, materials: &Materials) -> Result<Visual, &'static str> {
    const BROKEN: &str = "not shown: its geometry cannot be read";
    let child = |name: &str| node.children().find(|child| child.has_tag_name(name));
    let geometry = child("geometry").ok_or("not shown: it has no geometry")?;
    let what = geometry.children().find(Node::is_element).ok_or(BROKEN)?;
    let positive = |name: &str| {
        let [x] = numbers(what.attribute(name).ok_or(BROKEN)?).ok_or(BROKEN)?;
        if x > 0.0 { Ok(x) } else { Err(BROKEN) }
    };
    let kind = match what.tag_name().name() {
        "box" => {
            let size: [f64; 3] = numbers(what.attribute("size").ok_or(BROKEN)?).ok_or(BROKEN)?;
            if size.iter().any(|edge| *edge <= 0.0) {
                return Err(BROKEN);
            }
            ShapeKind::Box { size }
        }
        "sphere" => ShapeKind::Sphere {
            radius: positive("radius")?,
        },
        "cylinder" => ShapeKind::Cylinder {
            radius: positive("radius")?,
            length: positive("length")?,
        },
        "capsule" => ShapeKind::Capsule {
            radius: positive("radius")?,
            length: positive("length")?,
        },
        "mesh" => {
            let name = what.attribute("filename").ok_or(BROKEN)?;
            let scale = match what.attribute("scale") {
                Some(text) => numbers(text).ok_or(BROKEN)?,
                None => [1.0; 3],
            };
            if scale.contains(&0.0) {
                return Err(BROKEN);
            }
            if name.to_lowercase().ends_with(".dae") {
                return Err("not shown: COLLADA files are not read; convert it to STL, OBJ or glTF");
            }
            // The folder of the file stands for the package.
            let file = match name.strip_prefix("package://") {
                Some(rest) => rest.split_once('/').map_or(rest, |(_, file)| file),
                None => name.strip_prefix("file://").unwrap_or(name),
            };
            if file.is_empty() || outside(file).is_some() {
                return Err("not shown: its mesh is outside of the folder of the model");
            }
            ShapeKind::Mesh {
                file: file.to_string(),
                scale,
            }
        }
        _ => return Err("not shown: its geometry is not known"),
    };
    let mut shape = Shape::new("", kind);
    if let Some(material) = child("material") {
        let own = colour(material);
        let named = material.attribute("name").and_then(|name| materials.get(name));
        if let Some((text, opacity)) = own.or(named.cloned()) {
            (shape.colour, shape.opacity) = (text, opacity);
        }
    }
    let frame = match child("origin") {
        Some(origin) => {
            let triple = |name: &str| origin.attribute(name).map_or(Some([0.0; 3]), numbers);
            const PLACE: &str = "not shown: its origin cannot be read";
            let (position, rpy) = (triple("xyz").ok_or(PLACE)?, triple("rpy").ok_or(PLACE)?);
            frame(position, rpy)
        }
        None => Pose::identity(),
    };
    Ok(Visual { shape, frame })
}
