//! Force elements at random states against formulas in NumPy, written from `docs/elements.md` alone: one model and
//! the values of its channels over time in each pair of files. All motion is prescribed, sums of sines with random
//! numbers. The files say nothing about how a channel is computed; signs, reference points and the ends of splines are
//! what the documentation says.

use crate::stand::file;
use holonom::multibody::channels::{Catalogue, Sampler};
use std::path::Path;
use std::sync::Arc;

/// What rounding leaves of the largest value of a channel.
const ROUNDING: f64 = 1e-9;

#[test]
fn force_elements_follow_their_documentation() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/laws/random");
    let mut models: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    models.sort();
    assert!(models.len() >= 30, "{}", models.len());
    let mut wrong = String::new();
    for path in &models {
        let name = path.file_stem().unwrap().to_string_lossy().to_string();
        let text = std::fs::read_to_string(path).unwrap();
        let expected = std::fs::read_to_string(path.with_extension("csv")).unwrap();
        let mut lines = expected.lines();
        let channels: Vec<&str> = lines.next().unwrap().split(',').skip(1).collect();
        let rows: Vec<Vec<f64>> = lines
            .map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect())
            .collect();
        let model = Arc::new(
            file(&text, &[])
                .compile()
                .unwrap_or_else(|messages| panic!("{messages}")),
        );
        let start = model
            .assemble(&Default::default())
            .unwrap_or_else(|e| panic!("{e}"));
        let selection = Catalogue::new(&start).select(&channels).unwrap();
        let mut sampler = Sampler::of_motion(&start, &selection).unwrap();
        let mut got = vec![f64::NAN; channels.len()];
        for row in &rows {
            sampler.sample_state(row[0], &start.q, &start.v, &mut got);
            for (column, (channel, value)) in selection.channels().iter().zip(&got).enumerate() {
                let place = channels
                    .iter()
                    .position(|name| *name == channel.name)
                    .unwrap_or(column);
                let size = rows.iter().map(|row| row[place + 1].abs()).fold(0.0, f64::max);
                if (value - row[place + 1]).abs().is_nan() || (value - row[place + 1]).abs() > ROUNDING * size
                {
                    wrong += &format!(
                        "{name}: {} at {} is {value}, expected {}\n",
                        channel.name,
                        row[0],
                        row[place + 1]
                    );
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
