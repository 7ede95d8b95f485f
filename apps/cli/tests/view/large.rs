//! Long runs of large mechanisms: how soon they are seen, and what they take.

use super::Viewed;
use super::browser::{Browser, is_there};
use super::common::folder;
use holonom::format::{ModelFile, write};
use holonom::simulation::{Replay, Simulation};
use holonom_results::{Column, Metadata, Writer, WriterOptions, keys};
use std::time::Instant;

/// A result of a chain of `bodies` pendulums with made-up angles.
fn made(path: &std::path::Path, bodies: usize, rows: usize) {
    let file = ModelFile::new(holonom_models::n_pendulum(bodies));
    let simulation = Simulation::new(&file, &holonom::format::Settings::default()).expect("a chain");
    let state = simulation.state_columns().expect("a state");
    let text = write(&file).expect("a text");
    assert_eq!(
        Replay::new(&text, state.len()).expect("the same chain").width(),
        state.len()
    );
    let columns: Vec<Column> = std::iter::once(Column::time())
        .chain(state.iter().map(|c| Column::new(&c.name, "", c.description)))
        .collect();
    let metadata = Metadata::from([
        (keys::STATE.to_string(), state.len().to_string()),
        (keys::MODEL_TEXT.to_string(), text),
    ]);
    let copy = path.with_extension("arrows");
    let options = WriterOptions::default();
    let mut writer = Writer::create_with_parquet(&copy, path, &columns, &metadata, &options).expect("a file");
    let mut row = vec![0.0; columns.len()];
    for k in 0..rows {
        let t = k as f64 * 1e-3;
        row[0] = t;
        for body in 0..bodies {
            row[1 + body] = 0.3 * (0.7 * t + 0.05 * body as f64).sin() / (1.0 + body as f64);
        }
        writer.push(&row).expect("a row");
    }
    writer.finish_all().expect("the files");
    std::fs::remove_file(copy).expect("the stream");
}

/// First picture within 2 s, any jump within 100 ms, 300 MB and 8 ms of script for a frame. Takes half a gigabyte of
/// disk: `cargo test --release -p holonom-cli --test view large -- --ignored --nocapture`.
#[test]
#[ignore = "half a gigabyte"]
fn a_hundred_thousand_rows_of_three_hundred_bodies() {
    if !is_there() {
        return;
    }
    let folder = folder("view-large");
    made(&folder.join("large.parquet"), 300, 100_000);
    let browser = Browser::start(760, 520);
    let begin = Instant::now();
    let viewed = Viewed::start(&folder, &["view", "large.parquet", "--no-open"]);
    let served = begin.elapsed().as_secs_f64();
    browser.go(&viewed.address);
    browser.wait("window.viewer && viewer.ready && viewer.frame > 0 && viewer.frameTime !== undefined");
    let first = begin.elapsed().as_secs_f64();
    let mut jumps = Vec::new();
    for k in 0..20 {
        let t = f64::from(k * 37 % 100);
        let taken = browser.script(&format!(
            "const t = {t:?}; const begin = performance.now(); return viewer.rows.load(viewer.rows.nearest(t)).then(() => performance.now() - begin);"
        ));
        jumps.push(taken.as_f64().expect("a time"));
    }
    browser.script("viewer.speed = 2; viewer.play(true); viewer.spentAll = [];");
    let begin = Instant::now();
    let mut spent = Vec::new();
    while begin.elapsed().as_secs_f64() < 5.0 {
        spent.extend(browser.script("return viewer.script;").as_f64());
        std::thread::sleep(std::time::Duration::from_millis(60));
    }
    let memory = browser
        .script("return performance.memory.usedJSHeapSize;")
        .as_f64()
        .expect("bytes")
        / 1e6;
    spent.sort_by(f64::total_cmp);
    let longest = jumps.iter().copied().fold(0.0, f64::max);
    let median = spent[spent.len() / 2];
    eprintln!(
        "served {served:.2} s, first picture {first:.2} s, longest jump {longest:.0} ms, script {median:.1} ms, {memory:.0} MB"
    );
    assert!(first <= 2.0 && longest <= 100.0 && median <= 8.0 && memory <= 300.0);
}
