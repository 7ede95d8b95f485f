//! Modes of the Iltis at 20 m/s, beside those of an implementation in Robotran (IAVSD_ILTIS, UCLouvain).
//!
//! Its table is not one of this vehicle: see [`mod@published`] for what its modal run does. Made with the same
//! laws, coordinates and linearisation, the same figures come out, to the last digit printed there, as does
//! its position of rest. What is
//! between them and ours is shown one step at a time.

mod published;

use crate::report::{Check, Limit};
use crate::{Error, Report};
use holonom::analysis::dense::Complex;
use holonom::analysis::displacement_names;
use holonom::analysis::modes::{Mode, Modes, modes, state_of};
use holonom::analysis::trim::{TrimOptions, trim};
use holonom::format::{InputOffset, ModelFile, read_with_offsets};
use holonom::multibody::start::Assembled;
use holonom_text::{Align, Table};
use serde_json::json;
use std::f64::consts::TAU;
use std::sync::Arc;

/// A mode of the table.
struct Published {
    name: &'static str,
    value: Complex,
    /// Half a unit of the last digit printed, of the real and the imaginary part.
    printed: [f64; 2],
    kind: Kind,
}

/// The vehicle is its own mirror image: modes are symmetric or move it sideways. Of one kind they are told
/// apart by their order.
#[derive(Clone, Copy, PartialEq)]
struct Kind {
    hop: bool,
    sideways: bool,
}

const fn published(
    name: &'static str,
    [re, im]: [f64; 2],
    printed: [f64; 2],
    hop: bool,
    sideways: bool,
) -> Published {
    Published {
        name,
        value: Complex { re, im },
        printed,
        kind: Kind { hop, sideways },
    }
}

/// Three decimals.
const THREE: [f64; 2] = [5e-4; 2];
/// Two decimals.
const TWO: [f64; 2] = [5e-3; 2];

/// The imaginary part of pitch is printed as 69.29; beside it stand 1.102 Hz, from which it is taken here,
/// and a damping of 50.89 %, which agrees.
const TABLE: [Published; 7] = [
    published("body, lateral and roll", [-4.182, 8.357], THREE, false, true),
    published(
        "body, pitch",
        [-4.094, 1.102 * TAU],
        [5e-4, 5e-4 * TAU],
        false,
        false,
    ),
    published("body, bounce", [-5.528, 7.509], THREE, false, false),
    published("wheels, with roll", [-26.46, 71.03], TWO, true, true),
    published("wheels, with bounce", [-29.53, 80.32], TWO, true, false),
    published("wheels, with pitch", [-29.28, 81.41], TWO, true, false),
    published("wheels, with yaw", [-29.34, 84.57], TWO, true, true),
];

/// Modes above this are those of wheels, 1/s.
const HOP: f64 = 50.0;

pub fn run() -> Result<Report, Error> {
    let (steps, names) = self::published::run()?;
    let mut report = Report::default();
    let rest = rest(&steps.rest, &mut report);
    let held = nearest(steps.held)?;
    let (fitting, balanced) = (found(&steps.fitting, &names)?, found(&steps.balanced, &names)?);
    let at = straight()?;
    let ours = found(
        &modes(&at, &state_of(&at)).map_err(failed)?,
        &displacement_names(&at.model),
    )?;
    let mut table = Table::new(&[
        ("mode at 20 m/s", Align::Left),
        ("Robotran", Align::Right),
        ("made again", Align::Right),
        ("with their laws", Align::Right),
        ("with their tyres", Align::Right),
        ("ours", Align::Right),
        ("", Align::Right),
    ]);
    let shown = |z: Complex, decimals: usize| format!("{:.decimals$} ± {:.decimals$} i", z.re, z.im);
    for (k, p) in TABLE.iter().enumerate() {
        let apart = (ours[k] - p.value).abs() / p.value.abs();
        let decimals = if p.kind.hop { 2 } else { 3 };
        table.row([
            p.name.to_string(),
            shown(p.value, decimals),
            shown(held[k], decimals),
            shown(fitting[k], decimals),
            shown(balanced[k], decimals),
            shown(ours[k], decimals),
            format!("{:.0} %", 100.0 * apart),
        ]);
        let pair = |z: Complex| [z.re, z.im];
        report.rows.push(json!({
            "mode": p.name,
            "published": pair(p.value),
            "made_again": pair(held[k]),
            "with_their_laws": pair(fitting[k]),
            "with_their_tyres": pair(balanced[k]),
            "ours": pair(ours[k]),
        }));
        let off = held[k] - p.value;
        let value = (off.re.abs() / p.printed[0]).max(off.im.abs() / p.printed[1]);
        report.checks.push(Check::new(
            format!(
                "iltis/modes/{}",
                p.name
                    .replace(", with ", "-")
                    .replace(", ", "-")
                    .replace(' ', "-")
            ),
            Some(value),
            // In units of half the last digit printed: a value that is rounded is no farther away.
            Limit::AtMost(1.0),
            "IAVSD_ILTIS, analyse_modale.txt",
        ));
    }
    report.text = rest + "\n" + &table.render();
    report.text += "\
Made again: laws, coordinates and linearisation of that program. Units pull by k times their whole length, which
nothing balances; stiffnesses of slip and camber multiply to moments instead of side forces, and the load acts
behind the wheel centre; joint accelerations are held while the joints move.
With their laws: the same state with accelerations that fit the loops. With their tyres: and with units that
push as in the position of rest. Ours: and with side forces by slip and camber; the straight run, in balance.
Percentages are |λ − λ'|/|λ'| to the published value, and not judged: that table is not one of this vehicle.
Checks: distance of `made again`, in halves of the last digit printed. The pitch is printed there as 69.29 i; its
frequency of 1.102 Hz gives 6.92 i.
";
    Ok(report)
}

/// The position of rest beside theirs.
fn rest(ours: &[f64], report: &mut Report) -> String {
    let mut table = Table::new(&[
        ("position of rest", Align::Left),
        ("Robotran", Align::Right),
        ("made again", Align::Right),
    ]);
    for (&(name, value, half), &own) in self::published::REST.iter().zip(ours) {
        let decimals = (-(2.0 * half).log10()).round() as usize;
        table.row([
            name.to_string(),
            format!("{value:.decimals$}"),
            format!("{own:.decimals$}"),
        ]);
        report
            .rows
            .push(json!({ "rest": name, "published": value, "made_again": own }));
        let id = name.split(" [").next().unwrap_or(name).replace(' ', "-");
        report.checks.push(Check::new(
            format!("iltis/rest/{id}"),
            Some((own - value).abs() / half),
            Limit::AtMost(1.0),
            "IAVSD_ILTIS, 2_Equilibrium_Report.txt",
        ));
    }
    table.render()
}

/// Of some eigenvalues those nearest to the table, each once.
fn nearest(mut all: Vec<Complex>) -> Result<Vec<Complex>, Error> {
    let mut take = |p: &Published| {
        let distance = |z: &Complex| (*z - p.value).abs();
        let at = (0..all.len()).min_by(|&a, &b| distance(&all[a]).total_cmp(&distance(&all[b])));
        at.map(|at| all.swap_remove(at))
            .ok_or_else(|| failed(format!("there is no mode of the kind `{}`", p.name)))
    };
    TABLE.iter().map(&mut take).collect()
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

/// Modes in the order of the table.
fn found(modes: &Modes, names: &[String]) -> Result<Vec<Complex>, Error> {
    let size = |mode: &Mode, of: &[&str]| {
        let own = |name: &str| of.contains(&name.trim_start_matches("motion."));
        let all = names.iter().zip(&mode.shape.coordinates);
        all.filter(|(name, _)| own(name))
            .map(|(_, z)| z.abs())
            .fold(0.0, f64::max)
    };
    let kind = |mode: &Mode| {
        let across = size(mode, &["y", "roll", "angle_x", "yaw", "angle_z"]);
        Kind {
            hop: mode.eigenvalue.im > HOP,
            sideways: across > size(mode, &["z", "pitch", "angle_y"]),
        }
    };
    let oscillating = modes.modes.iter().filter(|mode| mode.oscillates());
    let mut all: Vec<(Complex, Kind)> = oscillating.map(|mode| (mode.eigenvalue, kind(mode))).collect();
    all.sort_by(|a, b| a.0.im.total_cmp(&b.0.im));
    let mut take = |p: &Published| {
        let at = all.iter().position(|(_, kind)| *kind == p.kind);
        at.map(|at| all.remove(at).0)
            .ok_or_else(|| failed(format!("there is no mode of the kind `{}`", p.name)))
    };
    TABLE.iter().map(&mut take).collect()
}
