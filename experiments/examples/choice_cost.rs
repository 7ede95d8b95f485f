//! Counted work beside measured time: one JSON line per run of the cases of `generated-choice`.
//!
//! `cargo run --release -p holonom-experiments --example choice_cost -- SEED COUNT [STEPPER] > rows.jsonl`
#![allow(clippy::print_stdout)]

use holonom::format::Settings;
use holonom_experiments::engine::run;
use holonom_experiments::studies::STUDIES;
use serde_json::json;

/// Each run is repeated so often, and the shortest time counts.
const REPEATS: usize = 4;

fn main() {
    let mut numbers = std::env::args().skip(1).take(2).map(|a| a.parse::<u64>());
    let (Some(Ok(seed)), Some(Ok(count))) = (numbers.next(), numbers.next()) else {
        eprintln!("usage: choice_cost SEED COUNT [STEPPER]");
        return;
    };
    let only = std::env::args().nth(3);
    let repeats = if only.is_some() { 1 } else { REPEATS };
    let Some(study) = STUDIES.iter().find(|s| s.name == "generated-choice") else {
        return;
    };
    for seed in seed..seed.saturating_add(count) {
        let Some(text) = (study.model)(seed) else { continue };
        for tolerance in [1e-4, 1e-6, 1e-8] {
            for stepper in ["bdf", "radau", "dormand-prince", "auto"] {
                if only.as_deref().is_some_and(|only| only != stepper) {
                    continue;
                }
                let settings = Settings {
                    stepper: Some(stepper.into()),
                    rtol: Some(tolerance),
                    atol: Some(tolerance),
                    max_steps: Some(20_000),
                    ..Settings::default()
                };
                let mut best = f64::INFINITY;
                let mut last = None;
                for _ in 0..repeats {
                    let Ok(ran) = run(&text, &settings, &[]) else {
                        break;
                    };
                    if !ran.is_done() {
                        break;
                    }
                    best = best.min(ran.seconds);
                    last = Some(ran);
                }
                if let Some(ran) = last {
                    println!(
                        "{}",
                        json!({
                            "seed": seed, "tolerance": tolerance, "stepper": stepper, "used": ran.stepper,
                            "size": ran.size, "work": ran.work, "counters": ran.counters, "seconds": best, "why": ran.why,
                        })
                    );
                }
            }
        }
    }
}
