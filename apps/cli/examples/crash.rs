//! Kills runs at random moments, opens what they leave, resumes them and compares all bits with a run
//! that was left alone. Prints a line for each; exit code 1 when one differs.
//!
//! ```text
//! cargo run --release -p holonom-cli --example crash -- target/release/holonom [KILLS [SEED]]
//! ```

#![allow(clippy::print_stdout)]

use holonom_results::Table;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

type Fault = Box<dyn std::error::Error>;

const RUN: [&str; 8] = [
    "run",
    "four-bar",
    "--t-end",
    "100",
    "--output-step",
    "2 ms",
    "--channel",
    "*",
];

/// All bits of a result.
fn bits(path: &Path) -> Result<Vec<Vec<u64>>, Fault> {
    let table = Table::open(path)?;
    let all: Vec<usize> = (0..table.columns().len()).collect();
    let columns = table.columns_at(&all)?.into_iter();
    Ok(columns
        .map(|column| column.into_iter().map(f64::to_bits).collect())
        .collect())
}

/// The part of a report that must not depend on stops.
fn essence(text: &[u8]) -> Result<serde_json::Value, Fault> {
    let report: serde_json::Value = serde_json::from_slice(text)?;
    let keys = [
        "status",
        "counters",
        "final",
        "constraint",
        "energy",
        "rows",
        "failed_rows",
        "singular_rows",
    ];
    Ok(keys.iter().map(|key| report[*key].clone()).collect())
}

fn main() -> Result<ExitCode, Fault> {
    let program = std::env::args().nth(1).ok_or("name the holonom program")?;
    let program = std::fs::canonicalize(program)?;
    let number = |k: usize, usual: u64| std::env::args().nth(k).map_or(Ok(usual), |text| text.parse());
    let (kills, mut seed) = (number(2, 20)?, number(3, 1)?);
    let folder = std::env::temp_dir().join(format!("holonom-crash-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let command = |extra: &[&str]| {
        let mut command = Command::new(&program);
        command.args(RUN).args(extra).current_dir(&folder);
        command
    };
    let begin = Instant::now();
    let whole = command(&["--json", "-o", "whole"]).output()?;
    let time = begin.elapsed();
    let expected = (bits(&folder.join("whole.parquet"))?, essence(&whole.stdout)?);
    println!(
        "left alone: {:.2} s, {} rows of {} columns",
        time.as_secs_f64(),
        expected.0[0].len(),
        expected.0.len()
    );
    println!("kill  after [ms]  rows left  complete  resumed at row  same bits  same report");
    let stopped = ["--checkpoint-every", "0.01", "-o", "killed"];
    let mut good = true;
    for kill in 1..=kills {
        for ending in ["arrows", "parquet", "checkpoint"] {
            std::fs::remove_file(folder.join(format!("killed.{ending}"))).ok();
        }
        // A generator of Knuth's; the moment lies anywhere in the run.
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let wait = time.mul_f64((seed >> 11) as f64 / (1u64 << 53) as f64);
        let mut child = command(&stopped)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        std::thread::sleep(wait.max(Duration::from_millis(1)));
        child.kill()?;
        child.wait()?;
        let stream = folder.join("killed.arrows");
        let (rows, complete) = if stream.exists() {
            let table = Table::open(&stream)?;
            (table.rows().to_string(), table.is_complete().to_string())
        } else {
            ("no file".into(), "–".into())
        };
        let at = std::fs::read(folder.join("killed.checkpoint")).ok();
        let at = at.and_then(|text| serde_json::from_slice::<serde_json::Value>(&text).ok());
        let at = at.map_or("–".into(), |saved| saved["position"]["rows"].to_string());
        let resumed = command(&[&stopped[..], &["--resume", "--json"]].concat()).output()?;
        let same = bits(&folder.join("killed.parquet"))? == expected.0 && bits(&stream)? == expected.0;
        let report = essence(&resumed.stdout)? == expected.1;
        good &= same && report && resumed.status.success();
        println!(
            "{kill:4}  {:10.1}  {rows:>9}  {complete:>8}  {at:>14}  {same:>9}  {report:>11}",
            1e3 * wait.as_secs_f64()
        );
    }
    std::fs::remove_dir_all(&folder).ok();
    println!("{}", if good { "all equal" } else { "SOME DIFFER" });
    Ok(if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
