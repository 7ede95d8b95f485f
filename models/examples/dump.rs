fn main() {
    for e in holonom_models::all() {
        let text = holonom::format::write(&holonom::format::ModelFile::new(e.description())).unwrap();
        std::fs::create_dir_all(format!("models/{}", e.name)).unwrap();
        std::fs::write(format!("models/{}/model.toml", e.name), text).unwrap();
    }
}
