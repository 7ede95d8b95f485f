//! Meshes from the folder of a model, and from nowhere else.

use holonom_scene::mesh::LARGEST_FILE;
use holonom_scene::{Mesh, MeshError, Scene};
use std::io::Read;
use std::path::Path;

/// Reads the meshes that a scene waits for; what cannot be read is in its notes.
pub fn supply(scene: &mut Scene, folder: Option<&Path>) {
    for file in scene.missing_meshes() {
        let mesh = read(folder, &file);
        scene.supply(&file, mesh);
    }
}

fn read(folder: Option<&Path>, file: &str) -> Result<Mesh, MeshError> {
    let broken = |reason: String| MeshError::Broken {
        name: file.to_string(),
        reason,
    };
    let folder = folder.ok_or_else(|| broken("the folder of the model is not known".to_string()))?;
    let missing = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => broken(format!("there is no such file in `{}`", folder.display())),
        _ => broken(error.to_string()),
    };
    // Links may lead outside although the name does not.
    let whole = folder.canonicalize().map_err(missing)?;
    let path = whole.join(file).canonicalize().map_err(missing)?;
    if !path.starts_with(&whole) {
        return Err(broken("it is outside of the folder of the model".to_string()));
    }
    let found = std::fs::metadata(&path).map_err(missing)?;
    if !found.is_file() {
        return Err(broken("it is no file".to_string()));
    }
    if found.len() > LARGEST_FILE {
        let size = found.len() >> 20;
        return Err(broken(format!(
            "it has {size} MB, but at most {} MB are read",
            LARGEST_FILE >> 20
        )));
    }
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(&path).map_err(missing)?;
    opened
        .take(LARGEST_FILE)
        .read_to_end(&mut bytes)
        .map_err(missing)?;
    Mesh::read(file, &bytes)
}
