//! The shipped model files: they read, write, compile and assemble, and say what they are.

#![allow(clippy::unwrap_used)]

mod common;

use common::assembled;
use holonom::dae::Mechanical;
use holonom::format::{Files, read, write};
use holonom::multibody::Description;
use holonom::multibody::channels::{Catalogue, Sampler};
use holonom::multibody::description::Control;
use holonom::multibody::start::{Assembled, AssemblyOptions};
use holonom::simulation::Simulation;
use holonom_models::{Entry, all, arm7, arnold_chain, n_four_bar, n_pendulum, spatial_pendulum, tree36};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// Reads, with nothing to remark (an unused parameter would be), and assembles; the channels it
/// wants are there.
#[test]
fn every_file_reads_and_assembles() {
    for entry in all() {
        let file = entry.read().unwrap_or_else(|e| panic!("{e}"));
        assert!(file.notes.0.is_empty(), "{}", file.notes);
        assert_eq!(file.description.name, entry.name);
        assert!(!file.source.is_empty(), "{}: no source", entry.name);
        assert!(
            file.settings.t_end.is_some() && file.settings.output_step.is_some(),
            "{}",
            entry.name
        );
        let simulation = Simulation::new(&file, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
        assert!(!file.outputs.is_empty(), "{}: no outputs", entry.name);
        let patterns: Vec<&str> = file.outputs.iter().map(String::as_str).collect();
        simulation
            .catalogue
            .select(&patterns)
            .unwrap_or_else(|e| panic!("{}: {e}", entry.name));
    }
}

/// Sensors may read every channel that any of them has, and read at the start what it shows there.
#[test]
fn every_channel_can_be_sensed() {
    let mut count = 0;
    for entry in all() {
        let file = entry.read().unwrap();
        let plain = Simulation::new(&file, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
        let channels: Vec<&str> = plain.catalogue.channels().map(|c| c.name.as_str()).collect();
        let mut sensing = file.clone();
        for (k, channel) in channels.iter().enumerate() {
            let sensor = Control::sensor(format!("sensed_{k}"), *channel);
            sensing.description.controls.push(sensor.into());
        }
        let model = sensing
            .description
            .compile()
            .unwrap_or_else(|errors| panic!("{}: {errors}", entry.name));
        let options = AssemblyOptions {
            time: plain.start.t,
            positions: Some(plain.start.q.clone()),
            velocities: Some(plain.start.v.clone()),
            ..Default::default()
        };
        let start = Arc::new(model)
            .assemble(&options)
            .unwrap_or_else(|e| panic!("{}: {e}", entry.name));
        let selection = plain.catalogue.everything();
        let mut sampler = Sampler::of_motion(&plain.start, &selection).unwrap();
        let mut row = vec![0.0; channels.len()];
        sampler.sample_motion(&plain.start.motion(), &mut row);
        let catalogue = Catalogue::with_inputs(&start, &file.description.inputs);
        let sensors: Vec<String> = (0..channels.len()).map(|k| format!("sensed_{k}")).collect();
        let sensors: Vec<&str> = sensors.iter().map(String::as_str).collect();
        let selection = catalogue.select(&sensors).unwrap();
        let mut sampler = Sampler::of_motion(&start, &selection).unwrap();
        let mut read = vec![0.0; channels.len()];
        sampler.sample_motion(&start.motion(), &mut read);
        // An equilibrium that the file asks for is not looked for again here.
        let moved = plain.equilibrium.is_some();
        for ((channel, own), sensed) in channels.iter().zip(&row).zip(&read).filter(|_| !moved) {
            let stem = channel.rsplit_once('.').map_or(*channel, |(stem, _)| stem);
            let near = channels
                .iter()
                .zip(&row)
                .filter(|(other, _)| other.starts_with(stem));
            let size = near.fold(1.0_f64, |most, (_, x)| most.max(x.abs()));
            assert!(
                (own - sensed).abs() < 1e-8 * size,
                "{}: {channel} is {own}, sensed as {sensed}",
                entry.name
            );
        }
        count += channels.len();
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn written_files_read_as_the_same() {
    for entry in all() {
        let file = entry.read().unwrap();
        let text = write(&file).unwrap();
        let again = read("again.toml", &Files::in_memory([("again.toml", text)]), &[]);
        let again = again.unwrap_or_else(|e| panic!("{}: {e}", entry.name));
        assert!(again == file, "{}", entry.name);
    }
}

/// The summary is cut out of the text; it is the first sentence of the description.
#[test]
fn the_summary_is_the_first_sentence() {
    for entry in all() {
        let about = entry.read().unwrap().about;
        let end = about.find(".\n").unwrap() + 1;
        assert_eq!(entry.summary(), &about[..end], "{}", entry.name);
        assert!(
            entry.summary().len() <= 100,
            "{}: {}",
            entry.name,
            entry.summary()
        );
    }
}

/// All files in a model's folder are shipped with it, and nothing else is.
#[test]
fn every_part_is_shipped() {
    for entry in all() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(entry.name);
        let mut found: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .filter(|name| !["model.toml", "reference.json"].contains(&name.as_str()))
            .collect();
        found.sort();
        let mut parts: Vec<&str> = entry.parts().iter().map(|(name, _)| *name).collect();
        parts.sort_unstable();
        assert_eq!(found, parts, "{}", entry.name);
    }
}

/// A few numbers that differ from each other.
fn some(n: usize, seed: f64) -> impl Iterator<Item = f64> {
    (0..n).map(move |i| (seed + 1.7 * i as f64).sin())
}

fn near(a: &[f64], b: &[f64], what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    let size = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= 1e-12 * size, "{what}: {a} {b}, of {size}");
    }
}

/// Mass matrix, accelerations and constraints at some states.
fn behaviour(start: &Assembled) -> Vec<[Vec<f64>; 4]> {
    let mut model = start.mechanical();
    let (n_v, n_g) = (model.n_v(), model.n_g());
    let state = |k: usize| {
        let t = 0.3 * k as f64;
        let mut q = start.q.clone();
        let mut turn = vec![0.0; q.len()];
        // Along V x, so that Euler parameters stay near the unit sphere.
        let x: Vec<f64> = some(n_v, k as f64).map(|x| 0.2 * x).collect();
        model.velocity_map(&q, &x, &mut turn);
        q.iter_mut().zip(turn).for_each(|(q, d)| *q += d);
        model.normalise(&mut q);
        let v: Vec<f64> = some(n_v, 0.5 + k as f64).collect();
        let (mut mass, mut a) = (vec![0.0; n_v * n_v], vec![0.0; n_v]);
        let (mut g, mut lambda) = (vec![0.0; n_g], vec![0.0; n_g]);
        model.mass(t, &q, &mut mass).unwrap();
        model.constraint(t, &q, &mut g).unwrap();
        model.accelerations(t, &q, &v, &mut lambda, &mut a).unwrap();
        [mass, a, g, lambda]
    };
    (0..4).map(state).collect()
}

fn same_mechanism(entry: &Entry, generated: &Description) {
    let name = entry.name;
    let shipped = entry.description().unwrap();
    let masses = |d: &Description| d.bodies.iter().map(|b| b.mass).collect::<Vec<_>>();
    let names = |d: &Description| d.bodies.iter().map(|b| b.name.clone()).collect::<Vec<_>>();
    assert_eq!(
        (names(&shipped), masses(&shipped)),
        (names(generated), masses(generated)),
        "{name}"
    );
    let (shipped, generated) = (assembled(&shipped), assembled(generated));
    near(&shipped.q, &generated.q, &format!("{name}, q"));
    near(&shipped.v, &generated.v, &format!("{name}, v"));
    for (a, b) in behaviour(&shipped).iter().zip(behaviour(&generated)) {
        for (what, (a, b)) in ["mass", "accelerations", "constraints", "multipliers"]
            .iter()
            .zip(a.iter().zip(&b))
        {
            near(a, b, &format!("{name}, {what}"));
        }
    }
}

/// Files that are one size of a function are that.
#[test]
fn files_are_what_the_functions_make() {
    for (name, generated) in [
        ("n-pendulum", n_pendulum(5)),
        ("spatial-pendulum", spatial_pendulum(3)),
        ("arnold-chain", arnold_chain(12, 0.05)),
        ("n-four-bar", n_four_bar(2)),
        ("arm", arm7()),
        ("tree", tree36()),
    ] {
        same_mechanism(holonom_models::find(name).unwrap(), &generated);
    }
}

/// The numbers in the table of the README; `HOLONOM_BLESS=1` writes them.
#[test]
fn the_readme_counts_right() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut right = String::new();
    let mut found = Vec::new();
    for line in text.lines() {
        let mut cells: Vec<String> = line.split('|').map(str::to_string).collect();
        let entry = all()
            .iter()
            .find(|e| line.starts_with(&format!("| `{}` |", e.name)));
        if let Some(entry) = entry {
            found.push(entry.name);
            let start = assembled(&entry.description().unwrap());
            let loops = start.model.forest.loops.len();
            let rows = match (start.model.rows.len(), start.rows.dropped.len()) {
                (0, _) => "–".to_string(),
                (all, 0) => format!("{all}"),
                (all, dropped) => format!("{all}, {dropped} redundant"),
            };
            let counts = [
                format!("{}", start.model.bodies.len() - 1),
                format!("{}", start.degrees_of_freedom()),
                if loops == 0 {
                    "–".to_string()
                } else {
                    format!("{loops}")
                },
                rows,
            ];
            for (cell, count) in cells[2..6].iter_mut().zip(counts) {
                *cell = format!(" {count} ");
            }
        }
        writeln!(right, "{}", cells.join("|")).unwrap();
    }
    let names: Vec<&str> = all().iter().map(|e| e.name).collect();
    assert_eq!(found, names, "one row per model, in the order of the list");
    if std::env::var_os("HOLONOM_BLESS").is_some() {
        std::fs::write(&path, &right).unwrap();
    } else {
        assert!(
            text == right,
            "the table is not up to date; HOLONOM_BLESS=1 cargo test writes it:\n{right}"
        );
    }
}
