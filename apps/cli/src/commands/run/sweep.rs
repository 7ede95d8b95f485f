//! One run for each value of a parameter, or each combination of values of several, on all cores,
//! results in order.

use super::record::{Files, Paths, Recorder};
use super::{Prepared, Request, summary};
use crate::commands::Outcome;
use crate::error::Error;
use crate::interrupt::on_interrupt;
use crate::lock::Lock;
use crate::model::Origin;
use crate::output;
use crate::progress::Progress;
use crate::settings;
use holonom::expression::Unit;
use holonom::simulation::{OutputThread, RunOptions, RunReport, Simulation, Sink, Status};
use holonom_text::did_you_mean;
use holonom_text::{Align, Table};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs at most in one sweep.
const MAX_RUNS: usize = 100_000;

/// A parameter with its values.
struct Sweep {
    name: String,
    /// Both ends as typed, with their units.
    typed: [String; 2],
    values: Vec<f64>,
}

impl Sweep {
    fn parse(text: &str) -> Result<Self, Error> {
        let bad = |reason: &str| {
            Err(Error::Usage(format!(
                "--sweep {text}: {reason}; write it as K=A:B:N, such as L=0.2:0.4:5"
            )))
        };
        let Some((name, range)) = text.split_once('=') else {
            return bad("there is no parameter");
        };
        let parts: Vec<&str> = range.split(':').collect();
        let [from, to, n] = parts.as_slice() else {
            return bad("three values are needed after the =");
        };
        let typed = [from, to].map(|end| end.trim().to_string());
        let [from, to] = settings::range("sweep", [from, to])?;
        match n.trim().parse::<usize>() {
            Ok(n) if (1..=MAX_RUNS).contains(&n) => {
                let last = (n - 1).max(1) as f64;
                let value = |i: usize| decimal(from + (to - from) * i as f64 / last);
                // The ends are as typed.
                let values = (0..n).map(|i| match i {
                    0 => from,
                    i if i == n - 1 => to,
                    i => value(i),
                });
                let values = values.collect();
                Ok(Self {
                    name: name.trim().to_string(),
                    typed,
                    values,
                })
            }
            Ok(_) => bad("the number of runs must lie between 1 and 100,000"),
            Err(_) => bad("the number of runs is not a whole number"),
        }
    }
}

impl Sweep {
    /// The unit of both ends, where both are a number with the same unit.
    fn unit(&self) -> Option<(&str, Unit)> {
        let unit = |typed: &'_ str| -> Option<usize> {
            let at = typed.find(|c: char| c.is_alphabetic() || c == '°' || c == '%')?;
            typed[..at].trim().parse::<f64>().ok().map(|_| at)
        };
        let [from, to] = &self.typed;
        let (from, to) = (&from[unit(from)?..], &to[unit(to)?..]);
        let same = from == to;
        Unit::parse(from).ok().filter(|_| same).map(|unit| (from, unit))
    }
}

/// The combinations of all values of some parameters; the last one varies fastest.
struct Grid(Vec<Sweep>);

impl Grid {
    fn parse(texts: &[String]) -> Result<Self, Error> {
        let sweeps = texts
            .iter()
            .map(|text| Sweep::parse(text))
            .collect::<Result<Vec<_>, _>>()?;
        for (number, sweep) in sweeps.iter().enumerate() {
            if sweeps[..number].iter().any(|other| other.name == sweep.name) {
                let name = &sweep.name;
                let text = format!("--sweep {name}: this parameter has two ranges; remove one of them");
                return Err(Error::Usage(text));
            }
        }
        let runs = sweeps
            .iter()
            .try_fold(1_usize, |runs, sweep| runs.checked_mul(sweep.values.len()));
        match runs {
            Some(runs) if runs <= MAX_RUNS => Ok(Self(sweeps)),
            _ => Err(Error::Usage(format!(
                "--sweep: all combinations are more than {MAX_RUNS} runs; give fewer values"
            ))),
        }
    }

    /// Refuses parameters that the model does not have, or that are given a single value as well.
    fn check_names(&self, origin: &Origin, sets: &[String]) -> Result<(), Error> {
        for name in self.names() {
            let mut sets = sets.iter().filter_map(|set| set.split_once('='));
            if sets.any(|(other, _)| other.trim() == name) {
                return Err(Error::Usage(format!(
                    "--sweep {name}: this parameter is also given by --set; remove one of them"
                )));
            }
        }
        // A file whose own values are at fault may be in order with those of the sweep.
        let Ok(named) = origin.load(sets, &[]) else {
            return Ok(());
        };
        let known = || named.file.parameters.iter().map(|p| p.name.as_str());
        match self.names().find(|name| !known().any(|other| other == *name)) {
            Some(name) => Err(Error::Usage(format!(
                "--sweep {name}: the model has no parameter with this name{}",
                did_you_mean(name, known())
            ))),
            None => Ok(()),
        }
    }

    /// Number of runs.
    fn len(&self) -> usize {
        self.0.iter().map(|sweep| sweep.values.len()).product()
    }

    /// The values of all parameters in a run.
    fn values(&self, mut index: usize) -> Vec<f64> {
        let mut values = Vec::with_capacity(self.0.len());
        for sweep in self.0.iter().rev() {
            values.push(sweep.values[index % sweep.values.len()]);
            index /= sweep.values.len();
        }
        values.reverse();
        values
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|sweep| sweep.name.as_str())
    }

    /// The values of a run in words: `L = 0.2, m = 3`.
    fn words(&self, index: usize) -> String {
        let values = self.values(index);
        let each = self
            .names()
            .zip(values)
            .map(|(name, value)| format!("{name} = {value}"));
        each.collect::<Vec<_>>().join(", ")
    }

    /// The same in the units that were typed, without the digits of rounding: `speed = 50 rpm`.
    fn shown(&self, index: usize) -> String {
        let values = self.values(index);
        let each = self.0.iter().zip(values).map(|(sweep, value)| {
            let name = &sweep.name;
            match sweep.unit() {
                Some((text, unit)) => format!("{name} = {} {text}", decimal(short(unit.from_si(value)))),
                None => format!("{name} = {}", short(value)),
            }
        });
        each.collect::<Vec<_>>().join(", ")
    }

    /// The same for a report: one number, or one by name for each of several parameters.
    fn json(&self, index: usize) -> Value {
        match self.values(index).as_slice() {
            [value] => json!(value),
            values => self
                .names()
                .zip(values)
                .map(|(name, v)| (name.to_string(), json!(v)))
                .collect(),
        }
    }
}

/// Six digits, as many as tell values of a sweep apart.
fn short(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}

/// The number without the noise of rounding, where it is one of few digits.
fn decimal(x: f64) -> f64 {
    match format!("{x:.12e}").parse::<f64>() {
        Ok(short) if (short - x).abs() <= 4.0 * f64::EPSILON * x.abs() => short,
        _ => x,
    }
}

/// What one run leaves.
struct Done {
    report: RunReport,
    files: Files,
    json: Value,
    /// Smallest and largest value of each channel.
    ranges: Vec<(String, f64, f64)>,
}

pub fn run(request: &Request, texts: &[String]) -> Result<Outcome, Error> {
    let grid = Grid::parse(texts)?;
    // Runs differ in parameters only: files are read and parsed once.
    let origin = Origin::of(&request.asked)?.parsed_once();
    grid.check_names(&origin, &request.asked.sets)?;
    // Faults that all runs share are told once, before anything is written.
    for end in 0..2 {
        // With the units that were typed, which may be those of other quantities than the parameters.
        let typed = grid
            .0
            .iter()
            .map(|sweep| format!("{}={}", sweep.name, sweep.typed[end]));
        origin.load(&request.asked.with(typed), &[])?;
    }
    let named = origin.load(&with(request, &grid, 0), &[])?;
    let folder = folder(request.output.as_deref(), &named.stem);
    request.check_json()?;
    output::make_folder(&folder)?;
    let _lock = Lock::take(&folder.join("overview"))?;
    if holds_files(&folder) {
        output::remark(&format!(
            "`{}` already contains files; files with the same names are replaced",
            folder.display()
        ));
    }
    let interrupt = on_interrupt();
    let progress = Progress::new(grid.len());
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<Result<Done, Error>>>> =
        Mutex::new((0..grid.len()).map(|_| None).collect());
    let threads = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(grid.len());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= grid.len() || interrupt.load(Ordering::Relaxed) {
                        return;
                    }
                    let result = one(request, &origin, &grid, index, &folder, &interrupt);
                    if let Ok(mut results) = results.lock() {
                        results[index] = Some(result);
                    }
                    progress.done();
                }
            });
        }
    });
    drop(progress);
    let results = results.into_inner().unwrap_or_default();
    conclude(
        request,
        &grid,
        &folder,
        results,
        interrupt.load(Ordering::Relaxed),
    )
}

/// Whether a folder holds anything but the lock of this sweep.
fn holds_files(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|entries| {
        let mut names = entries.flatten().map(|entry| entry.file_name());
        names.any(|name| name != "overview.lock")
    })
}

fn with(request: &Request, grid: &Grid, index: usize) -> Vec<String> {
    let values = grid.names().zip(grid.values(index));
    request
        .asked
        .with(values.map(|(name, value)| format!("{name}={value:?}")))
}

fn folder(output: Option<&Path>, stem: &str) -> PathBuf {
    output.map_or_else(|| PathBuf::from(format!("{stem}-sweep")), Path::to_path_buf)
}

fn one(
    request: &Request,
    origin: &Origin,
    grid: &Grid,
    index: usize,
    folder: &Path,
    interrupt: &std::sync::Arc<std::sync::atomic::AtomicBool>,
) -> Result<Done, Error> {
    let named = origin.load(&with(request, grid, index), &[])?;
    let simulation = Simulation::new(&named.file, &request.settings).map_err(Error::Model)?;
    let prepared = Prepared {
        swept: Some(grid.shown(index)),
        ..Prepared::new(&named, simulation, request)?
    };
    let width = (grid.len() - 1).to_string().len().max(3);
    let paths = Paths::new(Some(&folder.join(format!("{index:0width$}"))), "", request.csv);
    let mut sink = Ranges {
        inner: Recorder::quiet(&prepared, &paths)?,
        ranges: vec![(f64::INFINITY, f64::NEG_INFINITY); prepared.selection.len()],
    };
    let options = RunOptions::new(prepared.selection.clone())
        .interrupt(interrupt.clone())
        // The runs of a sweep share the cores.
        .output_thread(OutputThread::Never)
        .state(!prepared.state.is_empty());
    let report = prepared.simulation.run(&options, &mut sink);
    let report = report.map_err(|error| Error::Usage(error.to_string()))?;
    let names = prepared
        .selection
        .channels()
        .iter()
        .map(|channel| channel.name.clone());
    let ranges = names
        .zip(sink.ranges)
        .map(|(name, (low, high))| (name, low, high))
        .collect();
    let files = sink.inner.finish(&report)?;
    let json = summary::json(&prepared, &report, &files);
    Ok(Done {
        report,
        files,
        json,
        ranges,
    })
}

/// Passes rows on and notes how far each channel reaches. Runs of a sweep cannot be resumed: no
/// checkpoints are kept.
struct Ranges<'a> {
    inner: Recorder<'a>,
    ranges: Vec<(f64, f64)>,
}

impl Sink for Ranges<'_> {
    fn row(&mut self, row: &[f64]) -> Result<(), String> {
        for ((low, high), x) in self.ranges.iter_mut().zip(&row[1..]) {
            *low = low.min(*x);
            *high = high.max(*x);
        }
        self.inner.row(row)
    }
}

/// Tells how the runs ended, in the order of the values.
fn conclude(
    request: &Request,
    grid: &Grid,
    folder: &Path,
    results: Vec<Option<Result<Done, Error>>>,
    interrupted: bool,
) -> Result<Outcome, Error> {
    let mut columns: Vec<(&str, Align)> = grid.names().map(|name| (name, Align::Right)).collect();
    columns.extend([
        ("status", Align::Left),
        ("t [s]", Align::Right),
        ("steps", Align::Right),
        ("max |g|", Align::Right),
        ("results", Align::Left),
    ]);
    let mut table = Table::new(&columns);
    let mut csv = String::new();
    let mut rows = Vec::new();
    let mut failures = Vec::new();
    for (index, result) in results.into_iter().enumerate() {
        let (values, shown, value) = (grid.values(index), grid.words(index), grid.json(index));
        let row = |rest: [String; 5]| values.iter().map(f64::to_string).chain(rest).collect::<Vec<_>>();
        match result {
            Some(Ok(done)) => {
                if csv.is_empty() {
                    csv = heading(grid, &done);
                }
                csv += &line(&values, &done);
                let report = &done.report;
                let status = serde_json::to_value(report.status).unwrap_or_default();
                let file = done
                    .files
                    .written
                    .first()
                    .map_or(String::new(), |path| path.display().to_string());
                table.row(row([
                    status.as_str().unwrap_or("").to_string(),
                    format!("{}", report.t),
                    report.counters.steps.to_string(),
                    format!("{:.1e}", report.constraint.position),
                    file,
                ]));
                if report.status != Status::Finished {
                    failures.push(format!("{shown}: {}", report.message));
                }
                rows.push(json!({ "value": value, "run": done.json }));
            }
            Some(Err(error)) => {
                let none = String::new;
                table.row(row(["refused".into(), none(), none(), none(), none()]));
                failures.push(format!("{shown}:\n{error}"));
                rows.push(json!({ "value": value, "error": error.to_string() }));
            }
            None => {
                let none = String::new;
                table.row(row(["not begun".into(), none(), none(), none(), none()]));
                failures.push(format!("{shown}: interrupted before it started"));
                rows.push(json!({ "value": value, "error": "interrupted before it started" }));
            }
        }
    }
    let overview = folder.join("overview.csv");
    output::write(&overview, &csv)?;
    let status = match (failures.is_empty(), interrupted) {
        (true, _) => Status::Finished,
        (false, true) => Status::Interrupted,
        (false, false) => Status::Failed,
    };
    let report = json!({
        "parameter": grid.names().collect::<Vec<_>>().join(", "),
        "runs": rows,
        "overview": overview,
        "status": status,
        "message": failures.join("\n"),
    });
    let text = format!(
        "{}\nFinal, minimum and maximum values of all channels: {}\n",
        table.render(),
        overview.display()
    );
    match request.json.as_deref() {
        Some("-") => output::print(&format!("{}\n", summary::pretty(&report)))?,
        Some(file) => {
            output::write(Path::new(file), format!("{}\n", summary::pretty(&report)))?;
            output::print(&text)?;
        }
        None => output::print(&text)?,
    }
    if failures.is_empty() {
        Ok(Outcome::Done)
    } else {
        Err(Error::Failed(failures.join("\n")))
    }
}

fn heading(grid: &Grid, done: &Done) -> String {
    let mut heading: Vec<String> = grid.names().map(str::to_string).collect();
    heading.extend(["status".into(), "t".into()]);
    for (name, ..) in &done.ranges {
        heading.extend([
            format!("{name} last"),
            format!("{name} min"),
            format!("{name} max"),
        ]);
    }
    heading.join(",") + "\n"
}

fn line(values: &[f64], done: &Done) -> String {
    let status = serde_json::to_value(done.report.status).unwrap_or_default();
    let mut line: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
    line.extend([
        status.as_str().unwrap_or("").to_string(),
        format!("{:?}", done.report.t),
    ]);
    for ((_, low, high), (_, last)) in done.ranges.iter().zip(&done.report.last) {
        line.extend([format!("{last:?}"), format!("{low:?}"), format!("{high:?}")]);
    }
    line.join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        let sweep = Sweep::parse("L=200 mm:0.4:3").expect("good");
        assert_eq!(
            (sweep.name.as_str(), sweep.values.as_slice()),
            ("L", &[0.2, 0.3, 0.4][..])
        );
        let tenths = Sweep::parse("L=0.1:1:10").expect("good").values;
        let shown: Vec<String> = tenths.iter().map(f64::to_string).collect();
        assert_eq!(shown.join(" "), "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1");
        // What has no end in decimals keeps all digits.
        assert_eq!(Sweep::parse("L=0:1:4").expect("good").values[1], 1.0 / 3.0);
        assert_eq!(Sweep::parse("L=1:2:1").expect("good").values, [1.0]);
        for bad in ["L", "L=1:2", "L=1:2:0", "L=a:2:3", "L=1:2:x", "L=1:2:3:4"] {
            assert!(Sweep::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn grids_have_all_combinations() {
        let texts = |texts: &[&str]| texts.iter().map(|t| t.to_string()).collect::<Vec<_>>();
        let grid = Grid::parse(&texts(&["L=1:2:2", "m=5:7:3"])).expect("good");
        let all: Vec<Vec<f64>> = (0..grid.len()).map(|index| grid.values(index)).collect();
        let expected = [
            [1.0, 5.0],
            [1.0, 6.0],
            [1.0, 7.0],
            [2.0, 5.0],
            [2.0, 6.0],
            [2.0, 7.0],
        ];
        assert_eq!(all, expected);
        assert_eq!(grid.words(4), "L = 2, m = 6");
        assert_eq!(grid.json(4), json!({ "L": 2.0, "m": 6.0 }));
        let grid =
            Grid::parse(&["n=50 rpm:100 rpm:3".to_string(), "k=1e3:2000:2".to_string()]).expect("a grid");
        assert_eq!(grid.shown(2), "n = 75 rpm, k = 1000");
        for bad in [&["L=1:2:2", "L=1:2:3"][..], &["L=1:2:400", "m=1:2:400"]] {
            assert!(Grid::parse(&texts(bad)).is_err(), "{bad:?}");
        }
    }
}
