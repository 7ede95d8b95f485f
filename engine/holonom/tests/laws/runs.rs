//! Runs against formulas in NumPy and SciPy, written from `docs/elements.md` and its sources alone: tyres at random
//! motion, whose treads deflect over time, creep forces, rolling bodies, impacts. Each pair of files is a model and the
//! values of its channels. Tyres roll both ways, tilt, slide and stand nearly still; their data have every coefficient
//! and scaling factor, each with a random value. For creep forces the normal force is given.

use holonom::format::{Files, Settings, read};
use holonom::simulation::{Memory, RunOptions, Simulation};
use std::path::Path;

/// What the tolerances of the run leave of the largest value of a channel.
const TOLERANCE: f64 = 1e-5;

/// Times in the files are multiples of this, s.
const STEP: f64 = 0.01;

#[test]
fn runs_follow_their_documentation() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/laws/runs");
    let mut models: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    models.sort();
    assert!(models.len() >= 30, "{}", models.len());
    let mut wrong = String::new();
    for path in &models {
        let name = path.file_stem().unwrap().to_string_lossy().to_string();
        let expected = std::fs::read_to_string(path.with_extension("csv")).unwrap();
        let mut lines = expected.lines();
        let channels: Vec<&str> = lines.next().unwrap().split(',').skip(1).collect();
        let rows: Vec<Vec<f64>> = lines
            .map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect())
            .collect();
        let last = rows.last().unwrap()[0];
        let settings = Settings {
            t_end: Some(last.max(STEP)),
            output_step: Some(STEP),
            rtol: Some(1e-10),
            atol: Some(1e-12),
            ..Settings::default()
        };
        let main = path.file_name().unwrap().to_string_lossy().to_string();
        let mut files = vec![(main.clone(), std::fs::read_to_string(path).unwrap())];
        if let Ok(data) = std::fs::read_to_string(path.with_extension("tir")) {
            files.push((format!("{name}.tir"), data));
        }
        let file = read(&main, &Files::in_memory(files), &[]).unwrap_or_else(|m| panic!("{name}: {m}"));
        let simulation = Simulation::new(&file, &settings).unwrap_or_else(|m| panic!("{name}: {m}"));
        let selection = simulation.catalogue.select(&channels).unwrap();
        let places: Vec<usize> = channels
            .iter()
            .map(|channel| {
                let found = selection.channels().iter().position(|c| c.name == *channel);
                found.unwrap_or_else(|| panic!("{name}: no {channel}"))
            })
            .collect();
        let mut seen = Memory::default();
        simulation
            .run(&RunOptions::new(selection), &mut seen)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        for row in &rows {
            let got = seen.0.iter().find(|got| (got[0] - row[0]).abs() < 1e-9).unwrap();
            for (column, place) in places.iter().enumerate() {
                let size = rows.iter().map(|row| row[column + 1].abs()).fold(0.0, f64::max);
                let (value, expected) = (got[place + 1], row[column + 1]);
                // NaN is not close either.
                let close = (value - expected).abs() <= TOLERANCE * size + 1e-11;
                if !close {
                    wrong += &format!(
                        "{name}: {} at {} is {value}, expected {expected}\n",
                        channels[column], row[0]
                    );
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
