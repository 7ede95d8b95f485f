//! What a step in real time costs: allocations over many steps, time, and, under callgrind, instructions.
//!
//! ```text
//! cargo run --release -p holonom-models --example realtime_steps [model] [steps]
//! P=holonom_solver::stepper::realtime::RealTime::step
//! valgrind --tool=callgrind --toggle-collect=$P --dump-after=$P target/release/examples/realtime_steps four-bar 40
//! ```
//! The second writes a file for every step, with the number of instructions in its line `totals:`.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use holonom::format::Settings;
use holonom::simulation::Simulation;
use holonom_testing::{Counting, allocated};
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let chosen = arguments.next();
    let steps: u64 = arguments.next().map_or(1_000_000, |n| n.parse().unwrap());
    let names: Vec<&str> = match &chosen {
        Some(name) => vec![name],
        None => vec!["car-axle", "circular-track", "four-bar", "gear-train"],
    };
    for name in names {
        let file = holonom_models::find(name).unwrap().read().unwrap();
        let settings = Settings {
            stepper: Some("linear-implicit-euler".into()),
            fixed_step: Some(1e-3),
            ..Settings::default()
        };
        let mut system = Simulation::new(&file, &settings).unwrap().real_time().unwrap();
        let before = allocated().count;
        let begin = Instant::now();
        let mut violation = 0.0;
        for _ in 0..steps {
            system.step();
            violation = f64::max(violation, system.violation());
        }
        println!(
            "{name}: {steps} steps, {} allocations, {} held, max |g| {violation:.1e}, {:.2} µs with |g|; {}",
            allocated().count - before,
            system.held(),
            begin.elapsed().as_secs_f64() / steps as f64 * 1e6,
            system.work()
        );
    }
}
