//! What writing results costs: the four-bar with an output row every millisecond against the same run
//! with hardly any. Exit code 1 when the rows take more than a tenth of the run.
//!
//! ```text
//! cargo run --release -p holonom-cli --example output_cost [PAIRS [SECONDS]]
//! ```

#![allow(clippy::print_stdout)]

use holonom::format::{Settings, read};
use holonom::simulation::{RunOptions, Simulation, Sink};
use holonom_results::{Column, Metadata, Table, Writer, WriterOptions, to_parquet};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

type Fault = Box<dyn std::error::Error>;

/// The most that output may take, as part of the run without it.
const LIMIT: f64 = 0.10;

struct File(Writer);

impl Sink for File {
    fn row(&mut self, row: &[f64]) -> Result<(), String> {
        self.0.push(row).map_err(|error| error.to_string())
    }
}

/// Time of this thread on a processor, s; time on the wall where the system does not say.
fn clock(begin: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    match text
        .split_whitespace()
        .next()
        .and_then(|first| first.parse::<f64>().ok())
    {
        Some(nanoseconds) => nanoseconds * 1e-9,
        None => begin.elapsed().as_secs_f64(),
    }
}

fn simulation(t_end: f64, output_step: f64) -> Result<Simulation, Fault> {
    let entry = holonom_models::find("four-bar").ok_or("the four-bar is shipped")?;
    let file = read(Path::new(&entry.path()), &entry.files(), &[])?;
    let settings = Settings {
        t_end: Some(t_end),
        output_step: Some(output_step),
        ..Settings::default()
    };
    Ok(Simulation::new(&file, &settings)?)
}

/// Seconds of the run with its file, of the Parquet file made of it, and what the report says.
fn measure(simulation: &Simulation, path: &Path) -> Result<[f64; 3], Fault> {
    let begin = Instant::now();
    let selection = simulation.catalogue.default_selection();
    let columns: Vec<Column> = std::iter::once(Column::time())
        .chain(
            selection
                .channels()
                .iter()
                .map(|c| Column::new(&c.name, &c.unit, &c.description)),
        )
        .collect();
    let first = clock(begin);
    let mut file = File(Writer::create(
        path,
        &columns,
        &Metadata::new(),
        &WriterOptions::default(),
    )?);
    let report = simulation.run(&RunOptions::new(selection), &mut file)?;
    file.0.finish()?;
    let second = clock(begin);
    to_parquet(&Table::open(path)?, path.with_extension("parquet"))?;
    Ok([second - first, clock(begin) - second, report.output_s])
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> Result<ExitCode, Fault> {
    let argument = |k: usize, usual: f64| {
        std::env::args()
            .nth(k)
            .map_or(Ok(usual), |text| text.parse::<f64>())
    };
    let (pairs, t_end) = (argument(1, 31.0)? as usize, argument(2, 20.0)?);
    let path = std::env::temp_dir().join(format!("holonom-output-cost-{}.arrows", std::process::id()));
    let (often, rarely) = (simulation(t_end, 1e-3)?, simulation(t_end, t_end)?);
    let (mut with, mut without, mut costs, mut all, mut said) = (vec![], vec![], vec![], vec![], vec![]);
    for pair in 0..pairs.max(1) {
        // Each goes first as often as the other.
        let (a, b) = if pair % 2 == 0 {
            let a = measure(&often, &path)?;
            (a, measure(&rarely, &path)?)
        } else {
            let b = measure(&rarely, &path)?;
            (measure(&often, &path)?, b)
        };
        with.push(a[0]);
        without.push(b[0]);
        costs.push(a[0] / b[0] - 1.0);
        all.push((a[0] + a[1]) / (b[0] + b[1]) - 1.0);
        said.push(a[2]);
    }
    std::fs::remove_file(&path).ok();
    std::fs::remove_file(path.with_extension("parquet")).ok();
    let mut sorted = costs.clone();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (sorted[sorted.len() / 4], sorted[3 * sorted.len() / 4]);
    let (cost, rows) = (median(costs), often.outputs.len() as f64);
    let (with, without) = (median(with), median(without));
    println!(
        "four-bar, {t_end} s, {rows} rows of {} channels, {pairs} pairs, medians of processor time",
        often.catalogue.default_selection().len()
    );
    println!("run with hardly any output   {:8.2} ms", 1e3 * without);
    println!(
        "run with output at 1 kHz     {:8.2} ms, {:.0} ns a row",
        1e3 * with,
        1e9 * (with - without) / rows
    );
    println!(
        "output, disk included        {:8.2} % (quartiles {:.2} to {:.2} %), limit {:.0} %",
        100.0 * cost,
        100.0 * low,
        100.0 * high,
        100.0 * LIMIT
    );
    println!("with Parquet made at the end {:8.2} %", 100.0 * median(all));
    println!(
        "output_s of the report       {:8.2} ms on the wall",
        1e3 * median(said)
    );
    Ok(if cost <= LIMIT {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
