//! What writing results costs: the four-bar with an output row every millisecond, in an Arrow stream and a
//! Parquet file as `holonom run` leaves them, against the same run without rows and without files. Exit code 1 when rows make a run longer by more than a tenth.
//!
//! What is judged is time on the wall: rows are made by a second thread while the integration goes on.
//! The processor time of all threads is printed as well; it is what a machine without an idle core
//! pays.
//!
//! ```text
//! cargo run --release -p holonom-cli --example output_cost [PAIRS [SECONDS]]
//! ```

#![allow(clippy::print_stdout)]

use holonom::format::{ModelFile, Settings, read};
use holonom::multibody::channels::Selection;
use holonom::simulation::{Memory, RunOptions, Simulation, Sink};
use holonom::solver::OutputTimes;
use holonom_results::{Column, Metadata, Writer, WriterOptions};
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

/// Processor time of all threads of this process so far, s, in steps of 10 ms; Linux only.
fn processor() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may hold anything: utime and stime are fields 14 and 15 of all.
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / 100.0)
}

/// Processor time of this thread so far, s, where the system says.
fn own_processor() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split_whitespace().next();
    first
        .and_then(|first| first.parse::<f64>().ok())
        .map_or(f64::NAN, |nanoseconds| nanoseconds * 1e-9)
}

/// What a run took, s.
#[derive(Clone, Copy, Default)]
struct Cost {
    /// On the wall, both files included.
    wall: f64,
    /// The integrating thread alone.
    own: f64,
    /// All threads.
    processor: f64,
    /// Taken from the integrating thread, as the report says.
    taken: f64,
    /// Spent by the second thread, as the report says.
    beside: f64,
}

fn run_only(simulation: &Simulation) -> Result<Cost, Fault> {
    let (begin, before, own) = (Instant::now(), processor(), own_processor());
    let options = RunOptions::new(simulation.catalogue.default_selection());
    let mut rows = Memory::default();
    simulation.run(&options, &mut rows)?;
    let wall = begin.elapsed().as_secs_f64();
    let own = own_processor() - own;
    assert!(rows.0.is_empty(), "a run without rows");
    Ok(Cost {
        wall,
        own,
        processor: since(before),
        ..Cost::default()
    })
}

fn run_and_write(simulation: &Simulation, selection: &Selection, path: &Path) -> Result<Cost, Fault> {
    let (begin, before, own) = (Instant::now(), processor(), own_processor());
    let channels = selection.channels().iter();
    let channels = channels.map(|c| Column::new(&c.name, &c.unit, &c.description));
    let columns: Vec<Column> = std::iter::once(Column::time()).chain(channels).collect();
    let options = WriterOptions::default();
    let copy = path.with_extension("parquet");
    let mut file = File(Writer::create_with_parquet(
        path,
        copy,
        &columns,
        &Metadata::new(),
        &options,
    )?);
    let report = simulation.run(&RunOptions::new(selection.clone()), &mut file)?;
    let finished = file.0.finish_all()?;
    assert!(finished.copy.is_some(), "a run leaves Parquet");
    let wall = begin.elapsed().as_secs_f64();
    let own = own_processor() - own;
    Ok(Cost {
        wall,
        own,
        processor: since(before),
        taken: report.output_s,
        beside: report.output_beside_s,
    })
}

fn since(before: Option<f64>) -> f64 {
    match (before, processor()) {
        (Some(before), Some(now)) => now - before,
        _ => f64::NAN,
    }
}

/// Lower quartile, median, upper quartile.
fn quartiles(values: impl Iterator<Item = f64>) -> [f64; 3] {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let n = values.len();
    [values[n / 4], values[n / 2], values[3 * n / 4]]
}

fn median(costs: &[Cost], of: impl Fn(&Cost) -> f64) -> f64 {
    quartiles(costs.iter().map(of))[1]
}

/// The processor's clock is too coarse for medians.
fn mean(costs: &[Cost], of: impl Fn(&Cost) -> f64) -> f64 {
    costs.iter().map(of).sum::<f64>() / costs.len() as f64
}

/// Prints what a selection costs; whether that is within the limit.
fn judge(name: &str, channels: usize, rows: usize, with: &[Cost], without: &[Cost]) -> bool {
    println!("\n{name}: {rows} rows of {channels} channels");
    let ratios = with
        .iter()
        .zip(without)
        .map(|(a, b)| 100.0 * (a.wall / b.wall - 1.0));
    let [low, cost, high] = quartiles(ratios);
    let within = cost <= 100.0 * LIMIT;
    println!(
        "  rows and both files    {:8.2} ms on the wall, {cost:6.2} % more (quartiles {low:.2} to {high:.2} %): {}",
        1e3 * median(with, |c| c.wall),
        if within { "within the limit" } else { "TOO MUCH" }
    );
    // What others do on the machine only ever adds: said beside the medians, not judged.
    let best = |costs: &[Cost]| costs.iter().map(|c| c.wall).fold(f64::INFINITY, f64::min);
    println!(
        "  shortest of all rounds {:8.2} ms on the wall, {:6.2} % more (not judged)",
        1e3 * best(with),
        100.0 * (best(with) / best(without) - 1.0)
    );
    let (own, own_bare) = (median(with, |c| c.own), median(without, |c| c.own));
    println!(
        "  processor, this thread {:8.2} ms, {:6.2} % more",
        1e3 * own,
        100.0 * (own / own_bare - 1.0)
    );
    let (all, bare) = (mean(with, |c| c.processor), mean(without, |c| c.processor));
    println!(
        "  processor, all threads {:8.2} ms, {:6.2} % more",
        1e3 * all,
        100.0 * (all / bare - 1.0)
    );
    println!(
        "  the report says        {:8.2} ms taken from the run (output_s), {:.2} ms beside it (output_beside_s)",
        1e3 * median(with, |c| c.taken),
        1e3 * median(with, |c| c.beside)
    );
    within
}

fn four_bar() -> Result<ModelFile, Fault> {
    let entry = holonom_models::find("four-bar").ok_or("the four-bar is shipped")?;
    Ok(read(Path::new(&entry.path()), &entry.files(), &[])?)
}

fn main() -> Result<ExitCode, Fault> {
    let argument = |k: usize, usual: f64| {
        std::env::args()
            .nth(k)
            .map_or(Ok(usual), |text| text.parse::<f64>())
    };
    let (pairs, t_end) = (argument(1, 31.0)?.max(1.0) as usize, argument(2, 20.0)?);
    let file = four_bar()?;
    let settings = Settings {
        t_end: Some(t_end),
        output_step: Some(1e-3),
        ..Settings::default()
    };
    let often = Simulation::new(&file, &settings)?;
    let mut never = often.clone();
    never.outputs = OutputTimes::default();
    let selections = [
        ("default channels", often.catalogue.default_selection()),
        ("channels of the file", often.wanted(&file)?),
    ];
    let path = std::env::temp_dir().join(format!("holonom-output-cost-{}.arrows", std::process::id()));
    let (mut without, mut with) = (Vec::new(), [Vec::new(), Vec::new()]);
    for pair in 0..pairs {
        // Each goes first as often as the others.
        for k in 0..3 {
            match (pair + k) % 3 {
                2 => without.push(run_only(&never)?),
                which => with[which].push(run_and_write(&often, &selections[which].1, &path)?),
            }
        }
    }
    std::fs::remove_file(&path).ok();
    std::fs::remove_file(path.with_extension("parquet")).ok();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "four-bar, {t_end} s at 1 kHz, {pairs} rounds, medians, {cores} cores, limit {:.0} %",
        100.0 * LIMIT
    );
    println!("Judged: time on the wall, with rows made by a second thread beside the integration.");
    println!(
        "\nwithout rows             {:8.2} ms on the wall, processor {:.2} ms by this thread, {:.2} ms by all",
        1e3 * median(&without, |c| c.wall),
        1e3 * median(&without, |c| c.own),
        1e3 * mean(&without, |c| c.processor)
    );
    let mut within = true;
    for ((name, selection), with) in selections.iter().zip(&with) {
        within &= judge(name, selection.len(), often.outputs.len(), with, &without);
    }
    Ok(if within {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
