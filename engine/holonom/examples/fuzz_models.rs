//! Mutated model files by the million: `fuzz_models [cases] [first case]`.
//!
//! Prints how far they got, the slowest case, cases over two seconds and the peak of memory; ends
//! with code 1 when one panics. `fuzz_models case N` prints the text of a case.
#![allow(clippy::unwrap_used, clippy::print_stdout, dead_code)]

#[path = "../tests/mutations/mod.rs"]
mod mutations;

use mutations::Seeds;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A case that takes longer is reported.
const LONG: Duration = Duration::from_secs(2);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seeds = Arc::new(Seeds::of_repository());
    if arguments.first().is_some_and(|a| a == "case") {
        print!("{}", seeds.case(arguments[1].parse().unwrap()));
        return;
    }
    let number = |index: usize, usual: u64| arguments.get(index).map_or(usual, |a| a.parse().unwrap());
    let (cases, first) = (number(0, 100_000), number(1, 0));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = Arc::new(AtomicU64::new(first));
    let reached: Arc<[AtomicU64; 4]> = Arc::default();
    // What each thread is at, for the watchdog.
    let at: Arc<Mutex<Vec<(u64, Instant)>>> = Arc::new(Mutex::new(vec![(0, Instant::now()); threads]));
    let slowest = Arc::new(Mutex::new((Duration::ZERO, 0)));
    let panics = Arc::new(Mutex::new(Vec::new()));
    let begin = Instant::now();
    let workers: Vec<_> = (0..threads)
        .map(|thread| {
            let (seeds, next, reached) = (seeds.clone(), next.clone(), reached.clone());
            let (at, slowest, panics) = (at.clone(), slowest.clone(), panics.clone());
            std::thread::spawn(move || {
                loop {
                    let case = next.fetch_add(1, Ordering::Relaxed);
                    if case >= first + cases {
                        return;
                    }
                    at.lock().unwrap()[thread] = (case, Instant::now());
                    match catch_unwind(AssertUnwindSafe(|| seeds.timed(case))) {
                        Ok((far, took)) => {
                            reached[far as usize].fetch_add(1, Ordering::Relaxed);
                            let mut slowest = slowest.lock().unwrap();
                            if took > slowest.0 {
                                *slowest = (took, case);
                            }
                            if took > LONG {
                                println!("case {case} took {took:?}");
                            }
                        }
                        Err(_) => {
                            println!("case {case} panics");
                            panics.lock().unwrap().push(case);
                        }
                    }
                }
            })
        })
        .collect();
    let mut said = Instant::now();
    while workers.iter().any(|w| !w.is_finished()) {
        std::thread::sleep(Duration::from_millis(100));
        for (case, since) in at.lock().unwrap().iter() {
            if since.elapsed() > 10 * LONG && next.load(Ordering::Relaxed) < first + cases {
                println!("case {case} hangs: {:?} so far", since.elapsed());
                std::process::exit(1);
            }
        }
        if said.elapsed() > Duration::from_secs(30) {
            said = Instant::now();
            println!(
                "{} cases, {:?}, peak {}",
                next.load(Ordering::Relaxed) - first,
                begin.elapsed(),
                peak()
            );
        }
    }
    let [refused, read, compiled, assembled] = [0, 1, 2, 3].map(|i| reached[i].load(Ordering::Relaxed));
    let panics = panics.lock().unwrap();
    let (took, case) = *slowest.lock().unwrap();
    println!(
        "{cases} cases from {} files in {:?}",
        seeds.len(),
        begin.elapsed()
    );
    println!("refused {refused}, read {read}, compiled {compiled}, assembled {assembled}");
    println!(
        "slowest case {case}: {took:?}; peak of memory {}; panics {panics:?}",
        peak()
    );
    std::process::exit(i32::from(!panics.is_empty()));
}

/// The largest memory used so far, as Linux tells it.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("unknown".to_string(), |rest| rest.trim().to_string())
}
