//! `holonom statics`: where a mechanism rests.

use super::{Case, counted, number, with_common};
use crate::commands::{Command, Outcome};
use crate::error::Error;
use clap::ArgMatches;
use holonom::analysis::statics::{Equilibrium, Way};
use holonom::multibody::channels::Sampler;
use holonom::multibody::elements::Library;
use holonom::multibody::start::Assembled;
use holonom_text::{Align, Table};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The entry of the registry.
pub const COMMAND: Command = Command { define, run };

const AFTER_HELP: &str = "\
Examples:
  holonom statics vehicle                            where the vehicle settles on its springs
  holonom statics vehicle --channel '*.tension'      also show the spring forces
  holonom run vehicle --start equilibrium            start a simulation at the equilibrium

Prescribed motions are held at their values at the start time. The search starts from the initial position of the
model and finds the nearest equilibrium. The report states whether it is stable and in which directions nothing
resists motion. The exit code is 1 if there is no equilibrium; the message then names the unbalanced coordinates.";

fn define() -> clap::Command {
    with_common(
        clap::Command::new("statics")
            .about("Find the static equilibrium of a mechanism: positions, stability, loads")
            .after_help(AFTER_HELP)
            .arg(super::channel_argument(
                "Also show these channels at the start and at the equilibrium, such as 'spring.*'",
            )),
    )
}

/// A channel that was asked for.
struct Shown {
    name: String,
    unit: String,
    start: f64,
    rest: f64,
}

fn run(matches: &ArgMatches, library: &Library) -> Result<Outcome, Error> {
    let case = Case::load(matches, library)?;
    let rest = case.rest()?;
    let mut channels: Vec<Shown> = Vec::new();
    if matches.contains_id("channel") && matches.get_many::<String>("channel").is_some() {
        let selection = case.selection(&rest.start, matches)?;
        let values = |at: &Assembled| -> Result<Vec<f64>, Error> {
            let selection = case.selection(at, matches)?;
            let mut sampler =
                Sampler::of_motion(at, &selection).map_err(|error| Error::Failed(error.to_string()))?;
            let mut row = vec![0.0; selection.len()];
            sampler.sample_motion(&at.motion(), &mut row);
            Ok(row)
        };
        let (before, after) = (values(&case.simulation.start)?, values(&rest.start)?);
        for (channel, (start, rest)) in selection.channels().iter().zip(before.into_iter().zip(after)) {
            channels.push(Shown {
                name: channel.name.clone(),
                unit: channel.unit.clone(),
                start,
                rest,
            });
        }
    }
    case.report(
        matches,
        &report(&case, &rest, &channels),
        &text(&case, &rest, &channels),
    )?;
    Ok(Outcome::Done)
}

/// Free directions that are listed.
const SHOWN: usize = 20;

/// What should be known about an equilibrium.
pub fn remarks(rest: &Equilibrium) -> String {
    let mut out = String::new();
    if !rest.held.is_empty() {
        let _ = writeln!(out, "Prescribed motions held still: {}.", rest.held.join(", "));
    }
    if !rest.open.is_empty() {
        let mut open: Vec<String> = rest.open.iter().take(SHOWN).map(ToString::to_string).collect();
        if rest.open.len() > SHOWN {
            open.push(format!("and {} more", rest.open.len() - SHOWN));
        }
        let _ = writeln!(
            out,
            "The stiffness is zero in these directions, so the equilibrium may not be the only one: {}.",
            open.join("; ")
        );
    }
    if !rest.kept.is_empty() {
        let shown = rest.kept.iter().take(4).map(String::as_str).collect::<Vec<_>>();
        let more = if rest.kept.len() > 4 { ", …" } else { "" };
        let _ = writeln!(
            out,
            "The states of these elements depend on the motion, so the equilibrium depends on the path from \
             the initial position: {}{more}.",
            shown.join(", ")
        );
    }
    if rest.stability.unstable > 0 {
        let _ = writeln!(
            out,
            "It is unstable in {} of {} directions: a small disturbance moves the mechanism away from it.",
            rest.stability.unstable,
            rest.stability.stable + rest.stability.unstable + rest.stability.neutral
        );
        if rest.departures > 0 {
            let _ = writeln!(
                out,
                "No stable equilibrium was found from {}, disturbed in both directions.",
                counted(rest.departures, "unstable position")
            );
        }
    }
    out
}

fn report(case: &Case, rest: &Equilibrium, channels: &[Shown]) -> Value {
    let coordinates = rest.start.model.position_names.iter().zip(&rest.state.q);
    json!({
        "model": case.name(),
        "t": rest.state.t,
        "way": rest.way.to_string(),
        "newton_steps": rest.newton_steps,
        "relaxation_steps": rest.relaxation_steps,
        "departures": rest.departures,
        "unbalanced": rest.unbalanced,
        "stability": rest.stability.word(),
        "directions": {
            "stable": rest.stability.stable,
            "unstable": rest.stability.unstable,
            "neutral": rest.stability.neutral,
        },
        "open": rest.open.iter().map(|o| {
            o.coordinates.iter().map(|(n, x)| (n.clone(), json!(x))).collect::<Map<_, _>>()
        }).collect::<Vec<_>>(),
        "held": rest.held,
        "kept": rest.kept,
        "coordinates": coordinates.map(|(n, x)| (n.clone(), json!(x))).collect::<Map<_, _>>(),
        "channels": channels.iter().map(|c| (c.name.clone(), json!(c.rest))).collect::<Map<_, _>>(),
        "channels_at_start": channels.iter().map(|c| (c.name.clone(), json!(c.start))).collect::<Map<_, _>>(),
    })
}

fn text(case: &Case, rest: &Equilibrium, channels: &[Shown]) -> String {
    let steps = match rest.way {
        Way::Newton => rest.newton_steps,
        _ => rest.newton_steps + rest.relaxation_steps,
    };
    let left = match rest.unbalanced {
        x if x < 1e-14 => "nothing".to_string(),
        x => format!("{x:.0e} of the acting forces"),
    };
    let mut out = format!(
        "{}: equilibrium at t = {} s, {}\nFound by {} in {}; {left} remains unbalanced.\n",
        case.name(),
        rest.state.t,
        rest.stability.word(),
        rest.way,
        counted(steps, "step"),
    );
    if rest.way == Way::Newton && rest.relaxation_steps > 0 {
        let _ = writeln!(
            out,
            "Relaxation did not find a stable equilibrium either, in {}.",
            counted(rest.relaxation_steps, "step")
        );
    }
    out += &remarks(rest);
    let mut table = Table::new(&[
        ("coordinate", Align::Left),
        ("start", Align::Right),
        ("equilibrium", Align::Right),
        ("change", Align::Right),
    ]);
    let start = &case.simulation.start;
    for ((name, from), to) in start.model.position_names.iter().zip(&start.q).zip(&rest.state.q) {
        let change = to - from;
        let change = if change.abs() < 1e-10 {
            String::new()
        } else {
            format!("{change:+.3e}")
        };
        table.row([name.clone(), number(*from), number(*to), change]);
    }
    let _ = write!(out, "\n{}", table.render());
    if !channels.is_empty() {
        let mut table = Table::new(&[
            ("channel", Align::Left),
            ("start", Align::Right),
            ("equilibrium", Align::Right),
            ("unit", Align::Left),
        ]);
        for c in channels {
            table.row([c.name.clone(), number(c.start), number(c.rest), c.unit.clone()]);
        }
        let _ = write!(out, "\n{}", table.render());
    }
    out
}
