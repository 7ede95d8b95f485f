//! What looking ahead at functions of time costs on shipped models.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use holonom::format::Settings;
use holonom::simulation::{Memory, RunOptions, Simulation};

/// Plain residuals that a run costs, with the look ahead or without.
fn work(model: &holonom_models::Entry, stepper: &str, ahead: bool) -> f64 {
    let file = model.read().unwrap();
    let settings = Settings {
        stepper: Some(stepper.into()),
        ..Settings::default()
    };
    let mut simulation = Simulation::new(&file, &settings).unwrap();
    simulation.solver.foresight = ahead;
    let selection = simulation.catalogue.select(&[]).unwrap();
    let report = simulation.run(&RunOptions::new(selection), &mut Memory::default());
    report.unwrap().counters.residual_equivalents()
}

#[test]
fn shipped_models_cost_hardly_more() {
    // Those with functions of time in them.
    let names = [
        "arnold-chain",
        "vehicle",
        "car-axle",
        "curving",
        "rear-axle-stamp",
        "double-wishbone",
        "iltis",
        "wheelset",
    ];
    let mut found = String::new();
    for model in holonom_models::all()
        .iter()
        .filter(|model| names.contains(&model.name))
    {
        for stepper in ["bdf", "radau"] {
            let [without, with] = [false, true].map(|ahead| work(model, stepper, ahead));
            println!(
                "{:16} {stepper:6} {without:9} {with:9} {:.3}",
                model.name,
                with / without
            );
            if with > 1.03 * without {
                found += &format!(
                    "{}, {stepper}: {with} instead of {without} residuals\n",
                    model.name
                );
            }
        }
    }
    assert!(found.is_empty(), "{found}");
}
