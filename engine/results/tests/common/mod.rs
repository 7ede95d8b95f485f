//! What the suites share.
#![allow(clippy::unwrap_used, dead_code)]

use holonom_results::{Column, Metadata, Table, Writer, WriterOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A file of this test alone, removed at the end.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(ending: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("holonom-results-{}-{number}.{ending}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    pub fn with(ending: &str, bytes: &[u8]) -> Self {
        let file = Self::new(ending);
        std::fs::write(&file.0, bytes).unwrap();
        file
    }

    pub fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.0).unwrap()
    }
}

impl AsRef<Path> for Scratch {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
    }
}

pub fn columns() -> Vec<Column> {
    vec![
        Column::time(),
        Column::new("crank.angle", "rad", "angle of the crank"),
        Column::new("crank.position.x", "m", ""),
        Column::new("größe, \"odd\"", "", "a name that needs quotes"),
    ]
}

pub fn metadata() -> Metadata {
    Metadata::from([
        ("holonom.version".to_string(), "0.1.0".to_string()),
        ("model.name".to_string(), "four-bar".to_string()),
        ("options".to_string(), "{\"rtol\":1e-6}".to_string()),
    ])
}

/// Any numbers, some of them odd.
pub fn row(index: usize) -> [f64; 4] {
    let t = 0.01 * index as f64;
    let odd = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -0.0,
        5e-324,
        f64::MAX,
        1e-7,
        0.1 + 0.2,
    ];
    [
        t,
        (3.0 * t).sin(),
        f64::from_bits(0x3ff0_0000_0000_0000 ^ (index as u64 * 0x9e37_79b9)),
        odd[index % 8],
    ]
}

pub fn options(chunk_rows: usize) -> WriterOptions {
    WriterOptions::default()
        .chunk_rows(chunk_rows)
        .interval(f64::INFINITY)
}

/// A finished file.
pub fn written(rows: usize, chunk_rows: usize) -> Scratch {
    let file = Scratch::new("arrows");
    let mut writer = Writer::create(&file, &columns(), &metadata(), &options(chunk_rows)).unwrap();
    for index in 0..rows {
        writer.push(&row(index)).unwrap();
    }
    assert_eq!(writer.finish().unwrap().rows, rows as u64);
    file
}

/// Whether the table holds exactly the first rows, to the bit.
pub fn assert_rows(table: &Table, rows: usize) {
    assert_eq!(table.rows(), rows as u64);
    let all: Vec<usize> = (0..table.columns().len()).collect();
    let found = table.columns_at(&all).unwrap();
    for (column, values) in found.iter().enumerate() {
        assert_eq!(values.len(), rows);
        for (index, value) in values.iter().enumerate() {
            let wanted = row(index)[column];
            assert!(
                value.to_bits() == wanted.to_bits() || (value.is_nan() && wanted.is_nan()),
                "row {index}, column {column}: {value:e} instead of {wanted:e}"
            );
        }
    }
}
