//! `cargo bench`: counts the instructions of every case with callgrind and compares them with the stored baseline.
//!
//! Instructions do not depend on what else the machine does, so that 3 % are a finding. They do depend on the compiler, on its
//! settings and on the mathematical library; the baseline says with which it was made.
//!
//! ```text
//! cargo bench -p holonom-benches                      all cases; exit code 1 when one takes 3 % more than before
//! cargo bench -p holonom-benches -- kernel run/bdf    those whose names begin like this
//! cargo bench -p holonom-benches -- --bless           writes the counts as the new baseline
//! cargo bench -p holonom-benches -- --list            their names
//! ```
//!
//! Without valgrind, every case is run once, so that it is known to work, and nothing is compared.

#![allow(clippy::print_stdout)]

use holonom_benches::{Case, Fault, cases};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// A case that takes so much more than its baseline is a regression.
const MOST: f64 = 1.03;
/// One that takes so much less is told as well: the baseline is to be renewed.
const LEAST: f64 = 0.97;
/// The function whose instructions are counted.
const COUNTED: &str = "holonom_benches_counted";
/// The word that makes this program run one case alone.
const ONE: &str = "--one-case";

/// What is counted: callgrind is told this name.
#[unsafe(no_mangle)]
#[inline(never)]
fn holonom_benches_counted(work: &mut dyn FnMut() -> Result<(), Fault>) -> Result<(), Fault> {
    work()
}

fn main() -> ExitCode {
    match bench() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn bench() -> Result<ExitCode, Fault> {
    // `--bench` comes from cargo, `--test` from `cargo test --benches`.
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    if let [word, name] = &words[..]
        && word == ONE
    {
        return run(name).map(|()| ExitCode::SUCCESS);
    }
    let (options, starts): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|word| word.starts_with("--"));
    if let Some(unknown) = options
        .iter()
        .find(|word| !["--bless", "--list", "--test"].contains(&word.as_str()))
    {
        return Err(format!("`{unknown}` is unknown; there are --bless and --list").into());
    }
    let has = |option: &str| options.iter().any(|word| *word == option);
    let chosen: Vec<Case> = cases()
        .into_iter()
        .filter(|case| starts.is_empty() || starts.iter().any(|start| case.name.starts_with(*start)))
        .collect();
    if chosen.is_empty() {
        return Err("no case begins like this; `--list` shows all".into());
    }
    if has("--list") {
        chosen.iter().for_each(|case| println!("{}", case.name));
        return Ok(ExitCode::SUCCESS);
    }
    if has("--test") || Command::new("valgrind").arg("--version").output().is_err() {
        if !has("--test") {
            println!("valgrind is not installed: cases are run, and their instructions are not counted");
        }
        for case in &chosen {
            holonom_benches_counted(&mut *(case.prepare)()?).map_err(|e| format!("{}: {e}", case.name))?;
        }
        println!("{} cases run", chosen.len());
        return Ok(ExitCode::SUCCESS);
    }
    if has("--bless")
        && let Some(changed) = changed_profile()
    {
        return Err(format!("{changed} is set: a baseline is made with the profile of Cargo.toml").into());
    }
    let found = chosen
        .iter()
        .map(|case| Ok((case.name.clone(), count(&case.name)?)));
    let found: BTreeMap<String, u64> = found.collect::<Result<_, Fault>>()?;
    if has("--bless") {
        return bless(&found, starts.is_empty());
    }
    compare(&found, starts.is_empty())
}

/// One case, for callgrind.
fn run(name: &str) -> Result<(), Fault> {
    let all = cases();
    let case = all.iter().find(|case| case.name == name);
    let case = case.ok_or_else(|| format!("there is no case `{name}`"))?;
    holonom_benches_counted(&mut *(case.prepare)()?)
}

/// The instructions of a case.
fn count(name: &str) -> Result<u64, Fault> {
    let out = std::env::temp_dir().join(format!("holonom-benches-{}.out", std::process::id()));
    let ran = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no"])
        .arg(format!("--toggle-collect={COUNTED}"))
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(std::env::current_exe()?)
        .args([ONE, name])
        .output()?;
    std::fs::remove_file(&out).ok();
    let text = String::from_utf8_lossy(&ran.stderr);
    if !ran.status.success() {
        return Err(format!("{name} failed:\n{text}").into());
    }
    let line = text.lines().find_map(|line| line.split_once("Collected :"));
    let counted = line.and_then(|(_, count)| count.trim().parse().ok());
    match counted {
        Some(0) | None => Err(format!("{name}: valgrind did not say how many instructions:\n{text}").into()),
        Some(count) => Ok(count),
    }
}

fn file() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/baseline.json"))
}

/// With what this was built, as far as it can be told.
fn built() -> Value {
    let rustc = Command::new("rustc").arg("--version").output();
    let rustc = rustc.map(|out| String::from_utf8_lossy(&out.stdout).trim().to_string());
    let target = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    json!({ "rustc": rustc.unwrap_or_default(), "target": target, "avx2": cfg!(target_feature = "avx2") })
}

/// A variable that changes the profile of the build.
fn changed_profile() -> Option<&'static str> {
    [
        option_env!("CARGO_PROFILE_RELEASE_LTO").map(|_| "CARGO_PROFILE_RELEASE_LTO"),
        option_env!("CARGO_PROFILE_RELEASE_CODEGEN_UNITS").map(|_| "CARGO_PROFILE_RELEASE_CODEGEN_UNITS"),
        option_env!("CARGO_PROFILE_BENCH_LTO").map(|_| "CARGO_PROFILE_BENCH_LTO"),
        option_env!("CARGO_PROFILE_BENCH_CODEGEN_UNITS").map(|_| "CARGO_PROFILE_BENCH_CODEGEN_UNITS"),
    ]
    .into_iter()
    .flatten()
    .next()
}

fn baseline() -> Result<Value, Fault> {
    Ok(serde_json::from_str(&std::fs::read_to_string(file())?)?)
}

fn bless(found: &BTreeMap<String, u64>, is_whole: bool) -> Result<ExitCode, Fault> {
    // A part keeps what is known of the others.
    let mut counts = match (is_whole, baseline()) {
        (false, Ok(old)) => old["instructions"].as_object().cloned().unwrap_or_default(),
        _ => Map::new(),
    };
    counts.extend(found.iter().map(|(name, count)| (name.clone(), json!(count))));
    let text = format!("{:#}\n", json!({ "built": built(), "instructions": counts }));
    std::fs::write(file(), text)?;
    println!("{} written", file().display());
    Ok(ExitCode::SUCCESS)
}

fn compare(found: &BTreeMap<String, u64>, is_whole: bool) -> Result<ExitCode, Fault> {
    let baseline = baseline()?;
    let counts = &baseline["instructions"];
    println!("{:42} {:>14} {:>14} {:>8}", "case", "baseline", "now", "ratio");
    let (mut worse, mut better, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for (name, now) in found {
        let Some(old) = counts[name].as_u64() else {
            println!("{name:42} {:>14} {now:>14}", "–");
            unknown.push(name.as_str());
            continue;
        };
        let ratio = *now as f64 / old as f64;
        let told = match ratio {
            r if r > MOST => "  REGRESSION",
            r if r < LEAST => "  less",
            _ => "",
        };
        println!("{name:42} {old:>14} {now:>14} {ratio:>8.4}{told}");
        match ratio {
            r if r > MOST => worse.push(format!("{name} by {:.1} %", 100.0 * (r - 1.0))),
            r if r < LEAST => better.push(name.as_str()),
            _ => {}
        }
    }
    if baseline["built"] != built() {
        println!(
            "\nThe baseline was made with {}, this with {}.",
            baseline["built"],
            built()
        );
    }
    if let Some(changed) = changed_profile() {
        println!("\n{changed} is set: counts are not those of the baseline's profile.");
    }
    let gone: Vec<&String> = match (is_whole, counts.as_object()) {
        (true, Some(counts)) => counts.keys().filter(|name| !found.contains_key(*name)).collect(),
        _ => Vec::new(),
    };
    for (what, names) in [
        (
            "Less work than the baseline, which can be renewed (--bless)",
            better,
        ),
        ("Not in the baseline; --bless adds them", unknown),
        (
            "In the baseline, but gone",
            gone.iter().map(|name| name.as_str()).collect(),
        ),
    ] {
        if !names.is_empty() {
            println!("\n{what}: {}", names.join(", "));
        }
    }
    if worse.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("\nREGRESSIONS: {}", worse.join(", "));
    Ok(ExitCode::from(1))
}
