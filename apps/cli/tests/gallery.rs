//! Every shipped model is seen: as a scene with a part for every body, and in the gallery.

mod common;

use holonom_scene::{Placement, Poser, Scene};
use std::path::PathBuf;

#[test]
fn every_shipped_model_is_seen() {
    for entry in holonom_models::all() {
        let file = entry.read().expect("a model");
        let model = file.compile().expect("a model");
        let scene = Scene::new(&file.description, &model);
        assert!(
            scene.notes.is_empty() && scene.missing_meshes().is_empty(),
            "{}",
            entry.name
        );
        assert!(scene.radius.is_finite() && scene.radius > 0.0 && scene.floor.is_finite());
        for (number, body) in scene.bodies.iter().enumerate().skip(1) {
            let seen = scene.parts.iter().any(|part| match &part.place {
                Placement::On { body, .. } => *body == number,
                Placement::Between { bodies, .. } => bodies.contains(&number),
            });
            assert!(seen || body.centre.is_none(), "{}: {}", entry.name, body.name);
        }
        let mut poser = Poser::new(&model);
        let poses = poser.poses(&model, 0.0, &model.q0).to_vec();
        for part in &scene.parts {
            let (place, scale) = part.place.transform(&poses);
            assert!(place.position.norm().is_finite() && scale.iter().all(|x| x.is_finite()));
        }
    }
}

#[test]
fn the_gallery_has_a_picture_and_a_command_for_every_model() {
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let page = std::fs::read_to_string(docs.join("gallery.md")).expect("the gallery");
    let mut bytes = 0;
    for entry in holonom_models::all() {
        let name = entry.name;
        assert!(
            page.contains(&format!("](gallery/{name}.png)")),
            "{name} has no picture"
        );
        assert!(
            page.contains(&format!("\nholonom run {name} --t-end ")),
            "{name} has no command"
        );
        let picture = std::fs::read(docs.join(format!("gallery/{name}.png"))).expect("the picture");
        assert!(picture.starts_with(b"\x89PNG"), "{name}");
        bytes += picture.len();
    }
    assert!(bytes < 1_500_000, "{bytes}");
}

/// A binary glTF file: its JSON, and its numbers.
fn glb(path: &std::path::Path) -> (serde_json::Value, Vec<u8>) {
    let bytes = std::fs::read(path).expect("a file");
    let length =
        |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize;
    assert_eq!((&bytes[..4], length(8)), (&b"glTF"[..], bytes.len()));
    let json = serde_json::from_slice(&bytes[20..20 + length(12)]).expect("JSON");
    (json, bytes[28 + length(12)..].to_vec())
}

/// The numbers of an accessor.
fn numbers(json: &serde_json::Value, binary: &[u8], accessor: &serde_json::Value) -> Vec<f64> {
    let accessor = &json["accessors"][accessor.as_u64().expect("a number") as usize];
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().expect("a number") as usize];
    let (at, length) = (
        view["byteOffset"].as_u64().expect("a place"),
        view["byteLength"].as_u64().expect("a length"),
    );
    let bytes = &binary[at as usize..(at + length) as usize];
    bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|four| f64::from(f32::from_le_bytes(*four)))
        .collect()
}

/// Positions in a GLB file are those of the result, to a millionth of the scene.
#[test]
fn a_glb_moves_as_the_result_does() {
    let folder = common::folder("gallery-glb");
    for (model, body, t_end) in [
        ("four-bar", "rocker", "1"),
        ("iltis-lane-change", "chassis", "2"),
        ("bouncing-ball", "ball", "2"),
    ] {
        let pattern = format!("{body}.position.*");
        let output = common::holonom(&folder, &["run", model, "--t-end", t_end, "--channel", &pattern]);
        assert!(output.status.success(), "{}", common::stderr(&output));
        let (result, file) = (format!("{model}.parquet"), format!("{model}.glb"));
        let output = common::holonom(&folder, &["animate", &result, "-o", &file]);
        assert!(output.status.success(), "{}", common::stderr(&output));
        let table = holonom_results::Table::open(folder.join(result)).expect("a result");
        let times = table.column("t").expect("times");
        let columns = ["x", "y", "z"].map(|axis| {
            table
                .column(&format!("{body}.position.{axis}"))
                .expect("a channel")
        });
        let (json, binary) = glb(&folder.join(file));
        let nodes = json["nodes"].as_array().expect("nodes");
        // Bodies carry no surface themselves.
        let node = nodes
            .iter()
            .position(|node| node["name"] == body && node["mesh"].is_null())
            .expect("the body");
        let animation = &json["animations"][0];
        let channels = animation["channels"].as_array().expect("channels");
        let moved = |channel: &&serde_json::Value| {
            channel["target"]["node"] == node && channel["target"]["path"] == "translation"
        };
        let channel = channels.iter().find(moved).expect("a motion");
        let sampler = &animation["samplers"][channel["sampler"].as_u64().expect("a number") as usize];
        let (keys, places) = (
            numbers(&json, &binary, &sampler["input"]),
            numbers(&json, &binary, &sampler["output"]),
        );
        let extent = columns.iter().flatten().map(|x| x.abs()).fold(0.3, f64::max);
        for row in (0..times.len()).step_by((times.len() / 50).max(1)) {
            let t = times[row] - times[0];
            let b = keys.partition_point(|key| *key < t).min(keys.len() - 1);
            let a = b.saturating_sub(1);
            let span = keys[b] - keys[a];
            let s = if span > 0.0 {
                ((t - keys[a]) / span).clamp(0.0, 1.0)
            } else {
                0.0
            };
            for (axis, column) in columns.iter().enumerate() {
                let x = places[3 * a + axis] * (1.0 - s) + places[3 * b + axis] * s;
                let gap = (x - column[row]).abs();
                assert!(gap <= 1e-6 * extent.max(1.0), "{model} at t = {t}: {gap}");
            }
        }
    }
}
