//! `holonom modes`: eigenvalues, damping and shapes of small motions.

use super::{Case, Linearised, at_argument, counted, with_common};
use crate::commands::{Command, Outcome};
use crate::error::Error;
use crate::settings;
use clap::{Arg, ArgAction, ArgMatches};
use holonom::analysis::dense::Complex;
use holonom::analysis::displacement_names;
use holonom::analysis::modes::{Completeness, Modes, ModesOptions, Selection, Shape, selected, state_count};
use holonom::analysis::order::places;
use holonom::multibody::elements::Library;
use holonom_text::{Align, Table};
use serde_json::{Map, Value, json};
use std::cmp::Reverse;
use std::fmt::Write;

/// The entry of the registry.
pub const COMMAND: Command = Command { define, run };

const AFTER_HELP: &str = "\
Examples:
  holonom modes vehicle                   frequencies and damping at the equilibrium
  holonom modes vehicle --at start        at the initial state, with its speed
  holonom modes iltis --at trim           in steady straight-line motion at that speed
  holonom modes four-bar --shapes         motion of every body in each mode
  holonom modes tower --count 40          the 40 slowest modes
  holonom modes tower --near 12           modes near 12 Hz
  holonom modes tower --from 5 --to 8     modes with natural frequencies from 5 to 8 Hz
  holonom modes vehicle --json=modes.json all results with all digits

By default, mechanisms with up to 500 states show all their modes and larger ones the 20 slowest. These are computed
from sparse matrices (Lanczos or Krylov–Schur iteration about a shift); the report states how their number was
checked and the largest backward error. `--count all` computes all modes of a large mechanism from dense matrices, whose
time grows with the cube of the number of states.

The frequency printed is the natural frequency |λ|/2π of the eigenvalue λ; the damping ratio is −Re λ/|λ|: 1 for a
mode that does not oscillate, negative for a mode that grows. Constraints are eliminated exactly. Zero eigenvalues
are counted separately: directions in which nothing resists motion, and motions at constant speed along them. Mode
shapes are normalised to their largest coordinate; angles in shapes are phases.";

fn define() -> clap::Command {
    with_common(
        clap::Command::new("modes")
            .about("Compute natural frequencies, damping ratios and mode shapes")
            .after_help(AFTER_HELP)
            .arg(at_argument())
            .arg(
                Arg::new("shapes")
                    .long("shapes")
                    .action(ArgAction::SetTrue)
                    .help("Show the motion of all bodies in every mode"),
            )
            .arg(
                Arg::new("count")
                    .long("count")
                    .visible_alias("lowest")
                    .value_name("N")
                    .help(
                        "Number of modes, or `all`: the slowest, or those closest to --near (default: all up to 500 states, \
                         else 20; 10 with --near)",
                    ),
            )
            .arg(
                Arg::new("near")
                    .long("near")
                    .value_name("HZ")
                    .conflicts_with_all(["from", "to"])
                    .help("Modes with eigenvalues close to i·2πf for this frequency f"),
            )
            .arg(
                Arg::new("from")
                    .long("from")
                    .value_name("HZ")
                    .conflicts_with("count")
                    .help("Lowest natural frequency |λ|/2π (default with --to: 0)"),
            )
            .arg(
                Arg::new("to")
                    .long("to")
                    .value_name("HZ")
                    .conflicts_with("count")
                    .help("Highest natural frequency |λ|/2π"),
            ),
    )
}

/// Modes of a large mechanism that are shown by default.
const USUAL: usize = 20;

/// Free directions that are shown.
const FREE: usize = 20;

/// The modes asked for; `states` is the number of states of the mechanism.
fn selection(matches: &ArgMatches, states: usize, limit: usize) -> Result<Selection, Error> {
    let hertz = |name: &str| -> Result<Option<f64>, Error> {
        let Some(typed) = matches.get_one::<String>(name) else {
            return Ok(None);
        };
        let value = settings::quantity(name, typed)?;
        if !(value >= 0.0 && value.is_finite()) {
            return Err(Error::Usage(format!(
                "--{name} {typed}: give a frequency in Hz that is not negative"
            )));
        }
        Ok(Some(value))
    };
    let count = match matches.get_one::<String>("count").map(String::as_str) {
        None => None,
        Some("all") => Some(usize::MAX),
        Some(typed) => match typed.parse() {
            Ok(count) if count > 0 => Some(count),
            _ => {
                return Err(Error::Usage(format!(
                    "--count {typed}: give a whole number of modes, at least 1, or `all`"
                )));
            }
        },
    };
    if let Some(frequency) = hertz("near")? {
        let count = count.unwrap_or(10);
        return Ok(match count {
            usize::MAX => Selection::All,
            count => Selection::Near { frequency, count },
        });
    }
    let (from, to) = (hertz("from")?, hertz("to")?);
    match (from, to) {
        (Some(from), Some(to)) if from > to => Err(Error::Usage(format!(
            "--from {from} --to {to}: give the lower frequency first"
        ))),
        (from, Some(to)) => Ok(Selection::Between {
            from: from.unwrap_or(0.0),
            to,
        }),
        (Some(from), None) => Err(Error::Usage(format!(
            "--from {from}: give the highest frequency as well, with --to"
        ))),
        _ => Ok(match count {
            Some(usize::MAX) => Selection::All,
            Some(count) => Selection::Lowest(count),
            None if states > limit => Selection::Lowest(USUAL),
            None => Selection::All,
        }),
    }
}

fn run(matches: &ArgMatches, library: &Library) -> Result<Outcome, Error> {
    let case = Case::load(matches, library)?;
    let mut options = ModesOptions::default();
    let states = state_count(&case.simulation.start);
    options.selection = selection(matches, states, options.dense_up_to)?;
    let at = case.state(matches)?;
    let found = selected(&at.start, &at.state, &options)
        .map_err(|error| Error::Failed(format!("{}: {error}", case.name())))?;
    let text = text(&case, &at, &found, matches.get_flag("shapes"));
    case.report(matches, &report(&case, &at, &found), &text)?;
    Ok(Outcome::Done)
}

fn pair(z: &Complex) -> Value {
    json!([z.re, z.im])
}

fn shape_report(at: &Linearised, shape: &Shape) -> Value {
    let names = displacement_names(&at.start.model).into_iter();
    let bodies = shape.bodies.iter().map(|body| {
        let vector = |v: &[Complex; 3]| v.iter().map(pair).collect::<Vec<_>>();
        let motion = json!({ "translation": vector(&body.translation), "rotation": vector(&body.rotation) });
        (body.name.clone(), motion)
    });
    json!({
        "coordinates": names.zip(&shape.coordinates).map(|(n, z)| (n, pair(z))).collect::<Map<_, _>>(),
        "bodies": bodies.collect::<Map<_, _>>(),
    })
}

fn report(case: &Case, at: &Linearised, found: &Modes) -> Value {
    let modes = found.modes.iter().map(|mode| {
        json!({
            "eigenvalue": pair(&mode.eigenvalue),
            "oscillates": mode.oscillates(),
            "frequency_hz": mode.frequency(),
            "damped_frequency_hz": mode.damped_frequency(),
            "damping_ratio": mode.damping_ratio(),
            "shape": shape_report(at, &mode.shape),
        })
    });
    json!({
        "model": case.name(),
        "t": at.state.t,
        "at": if at.rest.is_some() { "equilibrium" } else if at.trim.is_some() { "trim" } else { "start" },
        "states": found.states,
        "degrees_of_freedom": found.degrees_of_freedom,
        "zero_eigenvalues": found.zeros,
        "completeness": match found.completeness {
            Completeness::All => "all",
            Completeness::Counted => "counted",
            Completeness::Searched => "searched",
            Completeness::Unknown => "unknown",
        },
        "backward_error": found.residual,
        "free_directions": found.free,
        "rigid_modes": found.rigid.iter().map(|s| shape_report(at, s)).collect::<Vec<_>>(),
        "growing": found.growing(),
        "unsteadiness": found.unsteadiness,
        "modes": modes.collect::<Vec<_>>(),
    })
}

/// The coordinates that move most, the leading one first; those that move equally as they are declared.
fn leading(at: &Linearised, shape: &Shape) -> String {
    let names = displacement_names(&at.start.model);
    let sizes: Vec<f64> = shape.coordinates.iter().map(|z| z.abs()).collect();
    let places = places(&sizes);
    let mut order: Vec<usize> = (0..names.len()).filter(|&i| sizes[i] > 0.01).collect();
    order.sort_by_key(|&i| (shape.leading != Some(i), Reverse(places[i])));
    let one = |&i: &usize| match shape.leading {
        Some(leading) if leading == i => names[i].clone(),
        _ => format!("{} {}", polar(shape.coordinates[i]), names[i]),
    };
    let mut words: Vec<String> = order.iter().take(3).map(one).collect();
    if order.len() > 3 {
        words.push("…".to_string());
    }
    if words.is_empty() {
        "states of elements".to_string()
    } else {
        words.join(", ")
    }
}

/// Amplitude, with the phase in degrees where it is neither 0 nor 180.
fn polar(z: Complex) -> String {
    let phase = z.argument().to_degrees();
    if phase.abs() < 0.05 {
        format!("{:.2}", z.abs())
    } else if phase.abs() > 179.95 {
        format!("−{:.2}", z.abs())
    } else {
        format!("{:.2}∠{phase:.0}°", z.abs())
    }
}

fn text(case: &Case, at: &Linearised, found: &Modes, shapes: bool) -> String {
    let mut out = format!("{}: modes {}\n{}", case.name(), at.words(), at.remarks());
    let rigid = found.free;
    let _ = writeln!(
        out,
        "{}, {}; {}{}.",
        match found.degrees_of_freedom {
            1 => "1 degree of freedom".to_string(),
            n => format!("{n} degrees of freedom"),
        },
        counted(found.states, "state"),
        counted(found.zeros, "zero eigenvalue"),
        match (rigid, found.zeros - rigid) {
            (0, _) => String::new(),
            (n, 0) => format!(": {} that nothing resists", counted(n, "direction")),
            (n, m) => format!(
                ": {} that nothing resists, {} at constant speed",
                counted(n, "direction"),
                counted(m, "motion")
            ),
        }
    );
    let shown = match found.completeness {
        Completeness::All => found.rigid.len(),
        _ => found.rigid.len().min(FREE),
    };
    for shape in &found.rigid[..shown] {
        let _ = writeln!(out, "  free: {}", leading(at, shape));
    }
    if found.free > shown {
        let _ = writeln!(out, "  … and {} more", found.free - shown);
    }
    out += &completeness(found);
    let mut table = Table::new(&[
        ("mode", Align::Right),
        ("frequency [Hz]", Align::Right),
        ("damping", Align::Right),
        ("eigenvalue [1/s]", Align::Left),
        ("what moves", Align::Left),
    ]);
    for (k, mode) in found.modes.iter().enumerate() {
        let value = mode.eigenvalue;
        let (frequency, eigenvalue) = if mode.oscillates() {
            (
                format!("{:.5}", mode.frequency()),
                format!("{:.5} ± {:.5} i", clean(value.re, value.abs()), value.im),
            )
        } else {
            ("–".to_string(), format!("{:.5}", value.re))
        };
        let damping = clean(mode.damping_ratio(), 1.0);
        table.row([
            (k + 1).to_string(),
            frequency,
            format!("{damping:.4}"),
            eigenvalue,
            leading(at, &mode.shape),
        ]);
    }
    if !table.is_empty() {
        let _ = write!(out, "\n{}", table.render());
    }
    if found.growing() > 0 {
        let _ = writeln!(
            out,
            "\nEigenvalues with positive real parts: {}; the state is unstable.",
            found.growing()
        );
    }
    if shapes {
        let all = (found.rigid.iter().map(|s| ("free".to_string(), s))).chain(
            found
                .modes
                .iter()
                .enumerate()
                .map(|(k, m)| (format!("mode {}", k + 1), &m.shape)),
        );
        for (title, shape) in all {
            let mut table = Table::new(&[
                ("body", Align::Left),
                ("x", Align::Right),
                ("y", Align::Right),
                ("z", Align::Right),
                ("turn x", Align::Right),
                ("turn y", Align::Right),
                ("turn z", Align::Right),
            ]);
            for body in &shape.bodies {
                let cells = body.translation.iter().chain(&body.rotation);
                let cells = cells.map(|z| {
                    if z.abs() < 5e-7 {
                        "0".to_string()
                    } else {
                        polar(*z)
                    }
                });
                table.row(std::iter::once(body.name.clone()).chain(cells));
            }
            let _ = write!(out, "\n{title}: {}\n\n{}", leading(at, shape), table.render());
        }
    }
    out
}

/// How modes from sparse matrices were checked.
fn completeness(found: &Modes) -> String {
    let checked = match found.completeness {
        Completeness::All => return String::new(),
        Completeness::Counted => "the inertia of the shifted stiffness confirms that none is missing",
        Completeness::Searched => "a search from independent start vectors found no others",
        Completeness::Unknown => {
            "their number could not be confirmed, so modes may be missing: try another range, or --count all"
        }
    };
    let number = match found.modes.len() {
        1 => "1 mode is shown".to_string(),
        n => format!("{n} modes are shown"),
    };
    format!(
        "{number}; {checked}. Largest backward error: {:.0e}.\n",
        found.residual.unwrap_or(0.0)
    )
}

/// Zero where a number is rounding beside another.
fn clean(x: f64, beside: f64) -> f64 {
    if x.abs() < 1e-9 * beside { 0.0 } else { x }
}
