//! Writes a small result in all formats into a folder: `sample [folder]`.
#![allow(clippy::print_stdout)]

use holonom_results::{
    Column, CsvOptions, Error, Metadata, Table, Writer, WriterOptions, keys, to_csv, to_parquet,
};
use std::path::PathBuf;

fn main() -> Result<(), Error> {
    let folder = std::env::args()
        .nth(1)
        .map_or_else(std::env::temp_dir, PathBuf::from);
    let path = |ending: &str| folder.join("sample").with_extension(ending);
    let columns = [
        Column::time(),
        Column::new("pendulum.angle", "rad", "angle from the vertical"),
        Column::new("pendulum.speed", "rad/s", ""),
    ];
    let metadata = Metadata::from([
        (keys::VERSION.to_string(), env!("CARGO_PKG_VERSION").to_string()),
        (keys::MODEL_NAME.to_string(), "pendulum".to_string()),
    ]);
    let mut writer = Writer::create(path("arrows"), &columns, &metadata, &WriterOptions::default())?;
    // The small oscillation of a pendulum of one metre.
    let frequency = 9.81_f64.sqrt();
    for index in 0..100_000 {
        let t = 1e-3 * f64::from(index);
        let phase = frequency * t;
        writer.push(&[t, 0.1 * phase.cos(), -0.1 * frequency * phase.sin()])?;
    }
    println!("{}", writer.finish()?.path.display());
    let table = Table::open(path("arrows"))?;
    println!("{}", to_parquet(&table, path("parquet"))?.path.display());
    println!(
        "{}",
        to_csv(&table, path("csv"), &CsvOptions::default())?
            .path
            .display()
    );
    Ok(())
}
