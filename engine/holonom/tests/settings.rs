//! Nothing that is accepted is ignored: every setting with every stepper changes the results, is refused, or is named as a
//! setting without effect. To see the table:
//! `HOLONOM_PRINT_TABLE=1 cargo test -p holonom --test settings -- --nocapture`.
#![allow(clippy::unwrap_used)]

use holonom::format::{Files, SETTINGS, SettingValue, Settings, read};
use holonom::simulation::{Memory, RunOptions, Simulation};
use holonom::solver::stepper::{self, AUTO};

/// A slider-crank with a spring and a damper, and a mass that swings fast: constraints, stiff elements and lightly damped
/// modes, for which each of the settings matters.
const MODEL: &str = r#"
[model]
format = 1
name = "slider-crank"
[[body]]
name = "crank"
mass = 1
inertia = [0.01, 0.02, 0.03]
markers = { end = [0.15, 0, 0] }
[[body]]
name = "rod"
mass = 1
inertia = [0.01, 0.02, 0.03]
markers = { end = [0.35, 0, 0] }
[[body]]
name = "slider"
mass = 0.8
[[body]]
name = "weight"
mass = 1
[[joint]]
name = "bearing"
kind = "revolute"
from = "ground"
to = "crank"
axis = [0, 0, 1]
angle = { start = 0.8, velocity = 10 }
[[joint]]
name = "big_end"
kind = "revolute"
from = "crank.end"
to = "rod"
axis = [0, 0, 1]
angle = -1.1
[[joint]]
name = "small_end"
kind = "revolute"
from = "rod.end"
to = "slider"
axis = [0, 0, 1]
[[joint]]
name = "guide"
kind = "prismatic"
from = "ground"
to = "slider"
axis = [1, 0, 0]
displacement = 0.4
[[joint]]
name = "swing"
kind = "prismatic"
from = "ground"
to = "weight"
axis = [0, 1, 0]
displacement = { start = 0.1, velocity = 1 }
[[force]]
name = "spring"
kind = "spring-damper"
from = "ground"
to = "slider"
stiffness = 300
damping = 5
free_length = 0.3
[[force]]
name = "fast"
kind = "joint-spring"
coordinate = "swing"
stiffness = 4e4
"#;

/// What is set for a setting, and what goes with it where it would mean nothing alone.
fn case(name: &str) -> (SettingValue, Vec<(&'static str, SettingValue)>) {
    let value: SettingValue = match name {
        "t_start" => 0.1.into(),
        "t_end" => 0.2.into(),
        "output_step" => 0.05.into(),
        "rtol" | "atol" => 1e-2.into(),
        "assemble" => false.into(),
        "data_precision" => 1e-4.into(),
        "form" => "index2".into(),
        "formalism" => "explicit".into(),
        "ggl_metric" => "mass".into(),
        "start" => "equilibrium".into(),
        "stepper" => "bdf".into(),
        "jacobian" => "fd-dense".into(),
        "sparsity" => "estimated".into(),
        "linear" => "lu-sparse".into(),
        "refresh" => "dassl".into(),
        "update" => "none".into(),
        "initial_step" => 1e-7.into(),
        "max_step" => 1e-4.into(),
        "min_step" => 0.05.into(),
        "fixed_step" => 2e-3.into(),
        "max_steps" => 3_u64.into(),
        "time_limit" => 1e-9.into(),
        "max_order" => 2_u64.into(),
        "stability_detection" => false.into(),
        "stages" => 3_u64.into(),
        "alpha_family" => "hht".into(),
        "spectral_radius" => 0.5.into(),
        "stiff_terms" => "j1".into(),
        "assembly" => "index1".into(),
        "stabilisation" => "none".into(),
        "ordering" => "velocities-first".into(),
        "stiff" => vec!["spring".to_string()].into(),
        "jacobian_shares" => 2_u64.into(),
        "baumgarte_alpha" => 300.0.into(),
        "baumgarte_beta" => 1e5.into(),
        "projection_steps" => 2_u64.into(),
        "regularisation_epsilon" => 1e-2.into(),
        "gmres_restart" => 1_u64.into(),
        "gmres_renewal" => 1_u64.into(),
        other => panic!("the setting `{other}` is not in the table: add a value that matters"),
    };
    let with = match name {
        "ordering" => vec![("assembly", "index1".into())],
        "baumgarte_alpha" => vec![("stabilisation", "baumgarte".into())],
        "baumgarte_beta" => vec![
            ("stabilisation", "baumgarte".into()),
            ("assembly", "index1".into()),
        ],
        "regularisation_epsilon" => vec![("stabilisation", "regularisation".into())],
        "gmres_restart" | "gmres_renewal" => vec![("linear", "gmres".into())],
        "sparsity" => vec![("jacobian", "fd-grouped".into())],
        _ => Vec::new(),
    };
    (value, with)
}

/// Everything that a run shows, and what is remarked about it; or why there is none.
fn outcome(stepper: &str, settings: &[(&str, SettingValue)]) -> Result<(String, Vec<String>), String> {
    let mut all = Settings {
        t_end: Some(0.4),
        output_step: Some(0.1),
        // Methods of low order would take minutes at the default.
        rtol: Some(1e-3),
        atol: Some(1e-3),
        stepper: Some(stepper.into()),
        ..Settings::default()
    };
    if stepper::find(stepper).is_some_and(|entry| entry.fixed_step) {
        all.fixed_step = Some(1e-3);
    }
    for (name, value) in settings {
        assert!(all.set(name, value.clone()), "{name} does not take {value}");
    }
    let files = Files::in_memory([("model.toml", MODEL)]);
    let file = read("model.toml", &files, &[]).unwrap_or_else(|e| panic!("{e}"));
    let simulation = Simulation::new(&file, &all).map_err(|e| e.to_string())?;
    let selection = simulation
        .catalogue
        .select(&["*.displacement*", "bearing.angle*"])
        .unwrap();
    let mut rows = Memory::default();
    let report = simulation.run(&RunOptions::new(selection), &mut rows);
    let report = report.map_err(|e| e.to_string())?;
    let shown = format!(
        "{:?} {:?} {} {:?}",
        report.status, report.counters, report.message, rows.0
    );
    Ok((shown, simulation.remarks()))
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Used,
    Refused,
    Named,
    Silent,
    /// Changes the results, and is said not to.
    Slandered,
}

fn fate(stepper: &str, name: &str) -> (Fate, String) {
    let (value, with) = case(name);
    // What goes with the setting may itself have no effect with this stepper.
    let usual = match outcome(stepper, &with) {
        Ok(usual) => usual,
        // This names another setting, of course.
        Err(text) => return (Fate::Refused, text + name),
    };
    let mut set = with;
    set.push((Box::leak(name.to_string().into_boxed_str()), value));
    match outcome(stepper, &set) {
        Err(text) => (Fate::Refused, text),
        Ok((shown, remarks)) => {
            let named = remarks
                .iter()
                .any(|r| r.contains(&format!("the setting `{name}` has no effect")));
            let fate = match (shown != usual.0, named) {
                (true, false) => Fate::Used,
                (false, true) => Fate::Named,
                (false, false) => Fate::Silent,
                (true, true) => Fate::Slandered,
            };
            (fate, remarks.join("; "))
        }
    }
}

#[test]
fn every_setting_with_every_stepper() {
    let mut wrong = Vec::new();
    let mut table = String::new();
    for info in SETTINGS.iter() {
        // No choice of the method; and nothing that this model has: redundant constraints, and more columns than are
        // computed at a time.
        if ["stepper", "data_precision", "jacobian_shares"].contains(&info.name) {
            continue;
        }
        table += &format!("{:24}", info.name);
        for entry in stepper::REGISTRY {
            let (fate, text) = fate(entry.name, info.name);
            table += &format!(" {fate:?}");
            match fate {
                Fate::Silent | Fate::Slandered => {
                    wrong.push(format!("{} with {}: {fate:?}", info.name, entry.name))
                }
                // A refusal says which setting is to blame.
                Fate::Refused if !text.contains(info.name) => {
                    wrong.push(format!("{} with {}: {text}", info.name, entry.name));
                }
                _ => {}
            }
        }
        table += "\n";
    }
    if std::env::var_os("HOLONOM_PRINT_TABLE").is_some() {
        eprintln!("{table}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}\n{table}");
}

/// `auto` may come to a method that has the setting; what none of its methods has is named.
#[test]
fn settings_with_auto() {
    for (name, named) in [
        ("stages", false),
        ("max_order", false),
        ("spectral_radius", true),
        ("stiff_terms", true),
        ("jacobian", false),
    ] {
        let (value, _) = case(name);
        let (_, remarks) = outcome(AUTO, &[(name, value)]).unwrap();
        let found = remarks
            .iter()
            .any(|r| r.contains(&format!("`{name}` has no effect")));
        assert_eq!(found, named, "{name}: {remarks:?}");
    }
}

/// Bad options of one method refuse no run of another.
#[test]
fn options_of_other_methods_refuse_nothing() {
    let bad = [
        ("spectral_radius", SettingValue::from(7.0)),
        ("stages", 4_u64.into()),
    ];
    let (_, remarks) = outcome("bdf", &bad).unwrap();
    for (name, _) in &bad {
        assert!(remarks.iter().any(|r| r.contains(name)), "{remarks:?}");
    }
    let text = outcome("generalized-alpha", &bad[..1]).unwrap_err();
    assert!(
        text.contains("spectral_radius") && text.contains("from 0"),
        "{text}"
    );
}
