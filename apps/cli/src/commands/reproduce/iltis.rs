//! Modes of the Iltis at 20 m/s, beside those of an implementation in Robotran (IAVSD_ILTIS, UCLouvain).
//!
//! That implementation takes its modes at the position of rest, with laws of the spring and damper unit
//! made linear for this purpose: F = k L + d L̇ with k the slope of the cubic there, but with L the whole
//! length of the unit instead of its change. At 0.44 m that is a pull of 10 to 16 kN where the cubic
//! pushes with 0.3 kN, which nothing balances; its geometric stiffness takes a good part of the wheel
//! rate away. The same law in our model gives their table; the consistent one gives ours.

use super::Finding;
use crate::error::Error;
use crate::report::{Check, Limit};
use crate::table::{Align, Table};
use holonom::analysis::dense::Complex;
use holonom::analysis::displacement_names;
use holonom::analysis::modes::{Modes, modes, state_of};
use holonom::analysis::statics::{StaticsOptions, equilibrium};
use holonom::analysis::trim::{TrimOptions, trim};
use holonom::format::{InputOffset, ModelFile, read_with_offsets};
use holonom::multibody::description::{Force, ForceKind};
use holonom::multibody::start::{Assembled, AssemblyOptions};
use serde_json::json;
use std::sync::Arc;

/// A mode of the table: name, eigenvalue, the coordinate that leads it, and its place among those with the
/// same leader by imaginary part.
struct Published {
    name: &'static str,
    value: Complex,
    hop: bool,
    leader: &'static str,
}

const fn published(name: &'static str, re: f64, im: f64, hop: bool, leader: &'static str) -> Published {
    let value = Complex { re, im };
    Published {
        name,
        value,
        hop,
        leader,
    }
}

const TABLE: [Published; 7] = [
    published("body, lateral and roll", -4.182, 8.357, false, "motion.y"),
    published("body, pitch", -4.094, 6.929, false, "motion.angle_y"),
    published("body, bounce", -5.528, 7.509, false, "motion.z"),
    published("wheels, with roll", -26.46, 71.03, true, "motion.angle_x"),
    published("wheels, with bounce", -29.53, 80.32, true, ""),
    published("wheels, with pitch", -29.28, 81.41, true, ""),
    published("wheels, with yaw", -29.34, 84.57, true, ""),
];

/// Modes above this are those of wheels, 1/s.
const HOP: f64 = 50.0;

pub fn run() -> Result<Finding, Error> {
    let consistent = found(&straight()?)?;
    let theirs = found(&with_whole_lengths()?)?;
    let mut table = Table::new(&[
        ("mode at 20 m/s", Align::Left),
        ("Robotran", Align::Right),
        ("ours", Align::Right),
        ("", Align::Right),
        ("ours, their unit", Align::Right),
        ("", Align::Right),
    ]);
    let mut finding = Finding::default();
    let shown = |z: Complex| format!("{:.2} ± {:.2} i", z.re, z.im);
    let apart = |z: Complex, r: Complex| (z - r).abs() / r.abs();
    for (k, p) in TABLE.iter().enumerate() {
        let (own, same) = (consistent[k], theirs[k]);
        let percent = |z: Complex| format!("{:.1} %", 100.0 * apart(z, p.value));
        table.row([
            p.name.to_string(),
            shown(p.value),
            shown(own),
            percent(own),
            shown(same),
            percent(same),
        ]);
        finding.rows.push(json!({
            "mode": p.name,
            "published": [p.value.re, p.value.im],
            "ours": [own.re, own.im],
            "with_their_unit": [same.re, same.im],
        }));
        // Side forces are another law: see below.
        if k == 0 {
            continue;
        }
        let value = apart(same, p.value);
        let limit = Limit::AtMost(0.06);
        finding.checks.push(Check {
            id: format!(
                "iltis/modes/{}",
                p.name.replace(", with ", "-").replace(", ", "-")
            ),
            value: Some(value),
            limit,
            source: "IAVSD_ILTIS, analyse_modale.txt".into(),
            holds: limit.admits(value),
        });
    }
    finding.table = table.render();
    finding.table += "\
Percentages are |λ − λ'|/|λ'|. Ours: the straight run at 20 m/s, all laws as they are, tread with relaxation.
Their unit: at their position of rest, spring and damper units F = k L + d L' with the whole length L, as in
their file, and a tread without relaxation. Their pitch is printed as 69.29 i; its frequency of 1.102 Hz gives
6.93 i.
";
    finding.missing.push(
        "lateral and roll mode: how their side forces depend on the motion in the modal run is not stated; ours is the \
         Calspan law, whose side forces damp roll above the critical value"
            .into(),
    );
    Ok(finding)
}

fn failed(error: impl ToString) -> Error {
    Error::Failed(format!("iltis: {}", error.to_string()))
}

fn file(parameters: &[(&str, &str)], steer: f64) -> Result<ModelFile, Error> {
    let entry = holonom_models::find("iltis").ok_or_else(|| failed("it is not shipped"))?;
    let owned = |(name, value): &(&str, &str)| ((*name).to_string(), (*value).to_string());
    let parameters: Vec<_> = parameters.iter().map(owned).collect();
    let offset = InputOffset {
        name: "steer".into(),
        time: 0.0,
        coefficients: [steer, 0.0, 0.0],
    };
    read_with_offsets(entry.path(), &entry.files(), &parameters, &[offset]).map_err(Error::Model)
}

const FLAT: [(&str, &str); 2] = [("v", "20"), ("bump", "0")];

/// Running straight on.
fn straight() -> Result<Assembled, Error> {
    let model = file(&FLAT, 0.0)?.compile().map_err(Error::Model)?;
    let start = Arc::new(model).assemble(&Default::default()).map_err(failed)?;
    let mut make = |inputs: &[f64]| {
        let file = file(&FLAT, inputs[0]).map_err(|error| error.to_string())?;
        file.compile().map(Arc::new).map_err(|error| error.to_string())
    };
    let options = TrimOptions::default();
    let mut all = trim(&start, 20.0, &[0.0], &[0.0], &mut make, &options).map_err(failed)?;
    all.pop()
        .map(|trim| trim.start)
        .ok_or_else(|| failed("no steady motion"))
}

/// At the position of rest without side forces, with units that pull by their whole length.
fn with_whole_lengths() -> Result<Assembled, Error> {
    let smooth = [FLAT[0], FLAT[1], ("grip", "0")];
    let model = file(&smooth, 0.0)?.compile().map_err(Error::Model)?;
    let start = Arc::new(model).assemble(&Default::default()).map_err(failed)?;
    let rest = equilibrium(&start, &StaticsOptions::default()).map_err(failed)?;
    let mut changed = file(&FLAT, 0.0)?;
    for force in &mut changed.description.forces {
        match &mut force.kind {
            ForceKind::Expression { from, to, .. } if force.name.ends_with("_unit") => {
                let stiffness = if force.name.starts_with("front") {
                    24529.0
                } else {
                    36975.0
                };
                let (name, from, to) = (force.name.clone(), from.clone(), to.clone());
                *force = Force::spring_damper(name, from, to, stiffness, 9945.627, 0.0);
            }
            ForceKind::CalspanTyre { carcass, .. } => carcass.relaxation_y = 1e-3,
            _ => {}
        }
    }
    let model = changed.compile().map_err(Error::Model)?;
    let options = AssemblyOptions {
        positions: Some(rest.state.q),
        ..AssemblyOptions::default()
    };
    Arc::new(model).assemble(&options).map_err(failed)
}

/// Our modes in the order of the table.
fn found(at: &Assembled) -> Result<Vec<Complex>, Error> {
    let found: Modes = modes(at, &state_of(at)).map_err(failed)?;
    let names = displacement_names(&at.model);
    let all = found.modes.iter().filter(|mode| mode.oscillates());
    let mut all: Vec<(Complex, String)> = all
        .map(|mode| {
            let leader = mode.shape.leading.map_or(String::new(), |k| names[k].clone());
            (mode.eigenvalue, leader)
        })
        .collect();
    all.sort_by(|a, b| a.0.im.total_cmp(&b.0.im));
    TABLE
        .iter()
        .map(|p| {
            let fits = |(value, leader): &(Complex, String)| {
                (value.im > HOP) == p.hop && (p.leader.is_empty() || leader == p.leader)
            };
            let at = all.iter().position(fits);
            at.map(|at| all.remove(at).0)
                .ok_or_else(|| failed(format!("there is no mode of the kind `{}`", p.name)))
        })
        .collect()
}
