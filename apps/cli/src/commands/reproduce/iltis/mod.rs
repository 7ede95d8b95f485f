//! Modes of the Iltis at 20 m/s, beside those of an implementation in Robotran (IAVSD_ILTIS, UCLouvain).
//!
//! Its table is not one of this vehicle: see [`published`] for what its modal run does. Made with the same
//! laws, coordinates and linearisation, the same figures come out, to the last digit printed there. What is
//! between them and ours is shown one step at a time.

mod published;

use super::Finding;
use crate::error::Error;
use crate::report::{Check, Limit};
use crate::table::{Align, Table};
use holonom::analysis::dense::Complex;
use holonom::analysis::displacement_names;
use holonom::analysis::modes::{Modes, modes, state_of};
use holonom::analysis::trim::{TrimOptions, trim};
use holonom::format::{InputOffset, ModelFile, read_with_offsets};
use holonom::multibody::start::Assembled;
use serde_json::json;
use std::f64::consts::TAU;
use std::sync::Arc;

/// A mode of the table.
struct Published {
    name: &'static str,
    value: Complex,
    /// Half a unit of the last digit printed, of the real and the imaginary part.
    printed: [f64; 2],
    hop: bool,
    /// The coordinate that leads ours; of several, the slowest.
    leader: &'static str,
}

const fn published(
    name: &'static str,
    [re, im]: [f64; 2],
    printed: [f64; 2],
    hop: bool,
    leader: &'static str,
) -> Published {
    Published {
        name,
        value: Complex { re, im },
        printed,
        hop,
        leader,
    }
}

/// Three decimals.
const THREE: [f64; 2] = [5e-4; 2];
/// Two decimals.
const TWO: [f64; 2] = [5e-3; 2];

/// The imaginary part of pitch is printed as 69.29; beside it stand 1.102 Hz, from which it is taken here,
/// and a damping of 50.89 %, which agrees.
const TABLE: [Published; 7] = [
    published(
        "body, lateral and roll",
        [-4.182, 8.357],
        THREE,
        false,
        "motion.y",
    ),
    published(
        "body, pitch",
        [-4.094, 1.102 * TAU],
        [5e-4, 5e-4 * TAU],
        false,
        "motion.angle_y",
    ),
    published("body, bounce", [-5.528, 7.509], THREE, false, "motion.z"),
    published("wheels, with roll", [-26.46, 71.03], TWO, true, "motion.angle_x"),
    published("wheels, with bounce", [-29.53, 80.32], TWO, true, ""),
    published("wheels, with pitch", [-29.28, 81.41], TWO, true, ""),
    published("wheels, with yaw", [-29.34, 84.57], TWO, true, ""),
];

/// Modes above this are those of wheels, 1/s.
const HOP: f64 = 50.0;

pub fn run() -> Result<Finding, Error> {
    let [held, fitting] = self::published::run()?;
    let (held, fitting) = (nearest(held)?, nearest(fitting)?);
    let ours = found(&straight()?)?;
    let mut table = Table::new(&[
        ("mode at 20 m/s", Align::Left),
        ("Robotran", Align::Right),
        ("made again", Align::Right),
        ("with their laws", Align::Right),
        ("ours", Align::Right),
        ("", Align::Right),
    ]);
    let mut finding = Finding::default();
    let shown = |z: Complex, decimals: usize| format!("{:.decimals$} ± {:.decimals$} i", z.re, z.im);
    for (k, p) in TABLE.iter().enumerate() {
        let apart = (ours[k] - p.value).abs() / p.value.abs();
        let decimals = if p.hop { 2 } else { 3 };
        table.row([
            p.name.to_string(),
            shown(p.value, decimals),
            shown(held[k], decimals),
            shown(fitting[k], decimals),
            shown(ours[k], decimals),
            format!("{:.0} %", 100.0 * apart),
        ]);
        let pair = |z: Complex| [z.re, z.im];
        finding.rows.push(json!({
            "mode": p.name,
            "published": pair(p.value),
            "made_again": pair(held[k]),
            "with_their_laws": pair(fitting[k]),
            "ours": pair(ours[k]),
        }));
        let off = held[k] - p.value;
        let value = (off.re.abs() / p.printed[0]).max(off.im.abs() / p.printed[1]);
        finding.checks.push(Check::new(
            format!(
                "iltis/modes/{}",
                p.name.replace(", with ", "-").replace(", ", "-")
            ),
            Some(value),
            // In units of half the last digit printed: a value that is rounded is no farther away.
            Limit::AtMost(1.0),
            "IAVSD_ILTIS, analyse_modale.txt",
        ));
    }
    finding.table = table.render();
    finding.table += "\
Made again: laws, coordinates and linearisation of that program. Units pull by k times their whole length, which
nothing balances; stiffnesses of slip and camber multiply to moments instead of side forces; joint accelerations
are held while the joints move.
With their laws: the same state with accelerations that fit the loops.
Ours: the straight run, in balance, all laws as they are, side forces by slip and camber with relaxation; the
percentage is |λ − λ'|/|λ'| to the published value. It is not judged: that table is not one of this vehicle.
Checks: distance of `made again` in half units of the last digit printed. The pitch is printed there as 69.29 i;
its frequency of 1.102 Hz gives 6.92 i.
";
    Ok(finding)
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
