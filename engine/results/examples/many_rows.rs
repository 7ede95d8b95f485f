//! Writes, reads and converts a large result; prints time, bytes and the peak of memory.
//!
//! `cargo run --release -p holonom-results --example many_rows -- [rows] [columns] [folder]`,
//! 10⁷ rows of 20 columns by default. Fails if the peak exceeds 100 MB, so that a conversion that
//! holds the whole table cannot pass.
#![allow(clippy::print_stdout)]

use holonom_results::{
    Column, CsvOptions, Error, Metadata, Summary, Table, Writer, WriterOptions, to_csv, to_parquet,
};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default| {
        arguments
            .next()
            .and_then(|text| text.parse().ok())
            .unwrap_or(default)
    };
    let (rows, columns) = (number(10_000_000), number(20).max(2));
    let folder = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    match run(rows, columns, folder) {
        Ok(()) => {}
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    match peak() {
        Some(peak) if peak > 100.0 => {
            eprintln!("the peak of memory is {peak:.1} MB, more than 100 MB");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

fn run(rows: usize, width: usize, folder: PathBuf) -> Result<(), Error> {
    let path = |ending: &str| folder.join(format!("holonom-many-rows-{}.{ending}", std::process::id()));
    let mut columns = vec![Column::time()];
    columns.extend((1..width).map(|index| Column::new(format!("body{index}.position.x"), "m", "")));
    println!(
        "{rows} rows of {width} columns: {:.1} MB of numbers",
        8e-6 * (rows * width) as f64
    );

    let begin = Instant::now();
    let mut writer = Writer::create(
        path("arrows"),
        &columns,
        &Metadata::new(),
        &WriterOptions::default(),
    )?;
    let mut row = vec![0.0; width];
    for index in 0..rows {
        row[0] = 1e-3 * index as f64;
        for column in 1..width {
            row[column] = row[column - 1].mul_add(0.618, column as f64).fract();
        }
        writer.push(&row)?;
    }
    report("write", begin, &writer.finish()?);

    let begin = Instant::now();
    let table = Table::open(path("arrows"))?;
    println!(
        "open and check: {:.2} s, peak {:.1} MB",
        begin.elapsed().as_secs_f64(),
        peak().unwrap_or(0.0)
    );
    let begin = Instant::now();
    let sum = total(&table)?;
    println!(
        "read all: {:.2} s, bits {sum:016x}",
        begin.elapsed().as_secs_f64()
    );
    let begin = Instant::now();
    report("to Parquet", begin, &to_parquet(&table, path("parquet"))?);
    let begin = Instant::now();
    let again = total(&Table::open(path("parquet"))?)?;
    println!(
        "read Parquet: {:.2} s, bits {again:016x}",
        begin.elapsed().as_secs_f64()
    );
    assert_eq!(again, sum, "the numbers in the Parquet file differ");
    std::fs::remove_file(path("parquet")).map_err(|source| failed(path("parquet"), source))?;
    let begin = Instant::now();
    report(
        "to CSV",
        begin,
        &to_csv(&table, path("csv"), &CsvOptions::default())?,
    );
    for ending in ["csv", "arrows"] {
        std::fs::remove_file(path(ending)).map_err(|source| failed(path(ending), source))?;
    }
    Ok(())
}

/// Reads everything and adds up the bits of the numbers, which does not depend on the pieces.
fn total(table: &Table) -> Result<u64, Error> {
    let mut sum = 0_u64;
    for chunk in table.chunks()? {
        let chunk = chunk?;
        sum = chunk
            .columns
            .iter()
            .flatten()
            .fold(sum, |sum, value| sum.wrapping_add(value.to_bits()));
    }
    Ok(sum)
}

fn failed(path: PathBuf, source: std::io::Error) -> Error {
    Error::Io {
        doing: "remove",
        path,
        source,
    }
}

fn report(what: &str, begin: Instant, summary: &Summary) {
    let (seconds, megabytes) = (begin.elapsed().as_secs_f64(), 1e-6 * summary.bytes as f64);
    println!(
        "{what}: {seconds:.2} s, {megabytes:.1} MB, peak {:.1} MB",
        peak().unwrap_or(0.0)
    );
}

/// The largest resident memory so far in MB, where the system tells it.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(1e-3 * line.split_whitespace().nth(1)?.parse::<f64>().ok()?)
}
