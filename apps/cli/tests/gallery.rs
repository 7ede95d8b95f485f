//! Every shipped model is seen: as a scene with a part for every body, and in the gallery.

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
