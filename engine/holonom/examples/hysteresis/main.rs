//! A program with a force element of its own: a mass on a hysteretic spring, described in a model file that names the
//! program's kind of force.
//!
//! Run with `cargo run --release --example hysteresis`. A program that calls `holonom_cli::main(std::env::args_os(), library)` instead has
//! all commands of `holonom` for such files.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

mod bouc_wen;

use bouc_wen::BoucWen;
use holonom::format::{Files, Settings, read};
use holonom::multibody::elements::Library;
use holonom::multibody::elements::references::Named;
use holonom::simulation::{Memory, RunOptions, Simulation};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let library = Library::standard().with_force::<BoucWen<Named>>()?;
    let files = Files::in_memory([("isolator.toml", include_str!("isolator.toml"))]).library(library);
    let file = read("isolator.toml", &files, &[])?;
    let simulation = Simulation::new(&file, &Settings::default())?;
    let wanted = ["slide.displacement", "isolator.tension", "isolator.hysteretic"];
    let options = RunOptions::new(simulation.catalogue.select(&wanted)?);
    let mut rows = Memory::default();
    let report = simulation.run(&options, &mut rows)?;
    println!("{:>6} {:>12} {:>12} {:>12}", "t", "x / mm", "F / kN", "z / mm");
    for row in rows.0.iter().step_by(20) {
        let [t, x, f, z] = row[..4] else { continue };
        println!("{t:6.2} {:12.4} {:12.4} {:12.4}", 1e3 * x, 1e-3 * f, 1e3 * z);
    }
    println!("{} steps", report.counters.steps);
    Ok(())
}
