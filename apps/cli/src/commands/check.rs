//! `holonom check`: what a model is, and whether it can run.

use super::{Command, Outcome};
use crate::error::Error;
use crate::model::{self, Asked};
use crate::output;
use crate::settings;
use clap::{Arg, ArgAction, ArgMatches};
use holonom::format::{Message, ModelFile};
use holonom::multibody::description::Body;
use holonom::multibody::elements::Library;
use holonom::simulation::Simulation;
use holonom::solver::stepper::AUTO;
use holonom_text::{Align, Table};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

/// The entry of the registry.
pub const COMMAND: Command = Command { define, run };

const AFTER_HELP: &str = "\
Examples:
  holonom check four-bar                 tree, loops, degrees of freedom, initial position
  holonom check crane.toml --channels    also list all channels that can be recorded
  holonom check crane.toml --dot a.dot   write the topology as a Graphviz graph

All errors in a file are reported together, each with its line. The exit code is 2 if there are any.";

fn define() -> clap::Command {
    let command = clap::Command::new("check")
        .about("Check a model: errors, topology, degrees of freedom, redundant constraints, initial position")
        .after_help(AFTER_HELP);
    let command = model::arguments(command)
        .arg(
            Arg::new("channels")
                .long("channels")
                .action(ArgAction::SetTrue)
                .help("List all channels that can be recorded"),
        )
        .arg(
            Arg::new("dot")
                .long("dot")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .help("Write the topology as a Graphviz graph"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .value_name("FILE")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("-")
                .help("Write the report as JSON to FILE, or to standard output instead of the text"),
        );
    settings::arguments(command, |name| ["t_start", "assemble", "form"].contains(&name))
}

fn run(matches: &ArgMatches, library: &Library) -> Result<Outcome, Error> {
    let json = matches.get_one::<String>("json").map(String::as_str);
    let (file, simulation) = load(matches, library)?;
    if let Some(path) = matches.get_one::<PathBuf>("dot") {
        output::check_file(path)?;
        output::write(path, simulation.start.model.topology_dot())?;
    }
    let channels = matches.get_flag("channels");
    match json {
        Some("-") => output::print(&format!("{:#}\n", report(&file, &simulation, channels)))?,
        Some(path) => {
            output::write(
                path.as_ref(),
                format!("{:#}\n", report(&file, &simulation, channels)),
            )?;
            output::print(&text(&file, &simulation, channels))?;
        }
        None => output::print(&text(&file, &simulation, channels))?,
    }
    Ok(Outcome::Done)
}

fn load(matches: &ArgMatches, library: &Library) -> Result<(ModelFile, Simulation), Error> {
    let file = model::load(&Asked::typed(matches, library))?.file;
    let simulation = Simulation::new(&file, &settings::typed(matches)?).map_err(Error::Model)?;
    simulation.wanted(&file).map_err(Error::Model)?;
    Ok((file, simulation))
}

fn report(file: &ModelFile, simulation: &Simulation, channels: bool) -> Value {
    let start = &simulation.start;
    let strings = |items: &[holonom::multibody::start::MovedCoordinate]| -> Vec<String> {
        items.iter().map(ToString::to_string).collect()
    };
    let mut report = json!({
        "valid": true,
        "model": file.description.name,
        "bodies": file.description.bodies.len(),
        "joints": file.description.joints.len(),
        "cut_joints": cut_joints(simulation),
        "mass": file.description.bodies.iter().map(|b| b.mass).sum::<f64>()
            + file.description.rods.iter().map(|r| r.mass).sum::<f64>(),
        "degrees_of_freedom": start.degrees_of_freedom(),
        "rows": start.rows.active.len(),
        "dropped_rows": start.rows.dropped.iter().map(|row| row.name.clone()).collect::<Vec<_>>(),
        "misfits": start.rows.misfitting()
            .map(|row| json!({ "row": row.name, "misfit": row.misfit, "unit": row.unit }))
            .collect::<Vec<_>>(),
        "doubtful_rows": start.rows.doubtful.iter()
            .map(|row| json!({ "row": row.name, "independent": row.active, "independent_part": row.independent_part }))
            .collect::<Vec<_>>(),
        "singular_start": start.rows.singular_start,
        "not_unique": not_unique(simulation),
        "moved": strings(&start.moved),
        "moved_velocities": strings(&start.moved_velocities),
        "contradicted": start.moved.iter().chain(&start.moved_velocities)
            .filter(|moved| moved.stated).map(ToString::to_string).collect::<Vec<_>>(),
        "warnings": warnings(file, simulation),
        "form": simulation.form.name(),
        "parameters": file.parameters.iter().map(|p| (p.name.clone(), json!(p.value))).collect::<serde_json::Map<_, _>>(),
    });
    if channels {
        let all = simulation
            .catalogue
            .channels()
            .map(|c| json!({ "name": c.name, "unit": c.unit, "description": c.description }));
        report["channels"] = Value::Array(all.collect());
    }
    report
}

fn cut_joints(simulation: &Simulation) -> Vec<String> {
    use holonom::multibody::model::JointPlace;
    let joints = simulation.start.model.joints.iter();
    let cut = joints.filter(|joint| matches!(joint.place, JointPlace::Cut { .. }));
    cut.map(|joint| joint.name.clone()).collect()
}

fn not_unique(simulation: &Simulation) -> Vec<String> {
    let all = simulation.start.rows.uniqueness.iter();
    all.filter(|u| !u.is_unique()).map(|u| u.name.clone()).collect()
}

/// A remark with its place and remedy in one line.
fn with_place(note: &Message) -> String {
    let help = note
        .help
        .as_ref()
        .map_or(String::new(), |help| format!("; {help}"));
    match note.position() {
        Some((file, line, _)) => format!("{file}:{line}: {}{help}", note.text),
        None => format!("{}{help}", note.text),
    }
}

/// What runs, but may not be meant.
fn warnings(file: &ModelFile, simulation: &Simulation) -> Vec<String> {
    let mut all: Vec<String> = file.notes.0.iter().map(with_place).collect();
    all.extend(simulation.start.warnings.iter().map(ToString::to_string));
    all.extend(simulation.remarks());
    let bodies = &file.description.bodies;
    let points: Vec<String> = (bodies.iter())
        .filter(|body| body.mass > 0.0 && body.principal_moments()[2] == 0.0)
        .map(|body| format!("\"{}\"", body.name))
        .collect();
    match points.as_slice() {
        [] => {}
        [one] => all.push(format!("body {one} is a point mass: it has no moment of inertia")),
        [first @ .., last] => all.push(format!(
            "the bodies {} and {last} are point masses: they have no moment of inertia",
            first.join(", ")
        )),
    }
    all.extend(bodies.iter().filter_map(strange_inertia));
    all
}

/// Moments that no body of this size has: most likely another unit, or another point of reference.
fn strange_inertia(body: &Body) -> Option<String> {
    if body.mass <= 0.0 {
        return None;
    }
    let [least, _, most] = body.principal_moments();
    let reach = |point: [f64; 3]| {
        let d: f64 = point
            .iter()
            .zip(&body.centre)
            .map(|(a, b)| (a - b) * (a - b))
            .sum();
        d.sqrt()
    };
    let size = body
        .markers
        .iter()
        .map(|m| reach(m.frame.position.0))
        .fold(reach([0.0; 3]), f64::max);
    let gyration = (most / body.mass).sqrt();
    if most == 0.0 {
        // A point mass, which is told for all of them at once.
        return None;
    }
    if size > 0.0 && gyration > 20.0 * size {
        return Some(format!(
            "body \"{}\": its radius of gyration is {gyration:.3} m, but its markers lie within {size:.3} m of the \
             centre of mass; is its moment of inertia in kg m²?",
            body.name
        ));
    }
    let planar = least < 1e-9 * most;
    (size > 0.0 && !planar && gyration < 1e-3 * size).then(|| {
        format!(
            "body \"{}\": its radius of gyration is {gyration:.1e} m, but its markers reach {size:.3} m; is its moment \
             of inertia in kg m²?",
            body.name
        )
    })
}

/// A number with at most six digits.
fn six_digits(x: f64) -> String {
    // Digits that say nothing go.
    let rounded = format!("{x:.5e}").parse().unwrap_or(x);
    if x == 0.0 || (1e-4..1e7).contains(&x.abs()) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

fn text(file: &ModelFile, simulation: &Simulation, channels: bool) -> String {
    let (d, start) = (&file.description, &simulation.start);
    let mut out = format!("{}\n", d.name);
    let about = model::first_sentence(&file.about);
    if !about.is_empty() {
        let _ = writeln!(out, "{about}");
    }
    if !file.source.is_empty() {
        let _ = writeln!(out, "Source: {}", file.source);
    }
    let _ = write!(out, "\nTree\n\n{}", start.model.topology_text());
    if !file.parameters.is_empty() {
        let mut table = Table::new(&[
            ("parameter", Align::Left),
            ("value", Align::Right),
            ("unit", Align::Left),
            ("", Align::Left),
        ]);
        for p in &file.parameters {
            table.row([
                p.name.clone(),
                six_digits(p.value),
                p.unit.clone(),
                p.about.clone(),
            ]);
        }
        let _ = write!(out, "\nParameters (SI units)\n\n{}", table.render());
    }
    let mut table = Table::new(&[
        ("body", Align::Left),
        ("mass [kg]", Align::Right),
        ("principal moments [kg m²]", Align::Left),
    ]);
    for body in &d.bodies {
        let moments = body.principal_moments().map(|m| format!("{m:.4e}")).join("  ");
        table.row([body.name.clone(), six_digits(body.mass), moments]);
    }
    let _ = write!(out, "\nInertia\n\n{}", table.render());
    let _ = write!(out, "\nConstraints\n\n{}\n", start.rows);
    let _ = write!(out, "\nStart\n\n");
    if let Some(rest) = &simulation.equilibrium {
        let _ = writeln!(
            out,
            "The run starts at an equilibrium ({}), found by {}.",
            rest.stability.word(),
            rest.way
        );
    }
    if start.moved.is_empty() && start.moved_velocities.is_empty() {
        let _ = writeln!(out, "The initial values are consistent; none was changed.");
    } else {
        for (what, moved) in [
            ("positions", &start.moved),
            ("velocities", &start.moved_velocities),
        ] {
            let (stated, found): (Vec<_>, Vec<_>) = moved.iter().partition(|moved| moved.stated);
            let change =
                format!("Stated {what} that contradict the constraints, changed as little as possible:");
            let free = format!("Initial {what} that are not stated, found from the constraints:");
            for (title, moved) in [(change, stated), (free, found)] {
                if !moved.is_empty() {
                    let _ = writeln!(out, "{title}");
                }
                for moved in moved {
                    let _ = writeln!(out, "  {moved}");
                }
            }
        }
        if start
            .moved
            .iter()
            .chain(&start.moved_velocities)
            .all(|moved| !moved.stated)
        {
            let _ = writeln!(out, "All stated initial values are kept.");
        }
    }
    if start.rows.singular_start {
        let _ = writeln!(
            out,
            "The initial position is singular: the motion continues along its branch."
        );
    }
    for warning in warnings(file, simulation) {
        let _ = writeln!(out, "Note: {warning}");
    }
    if channels {
        let mut table = Table::new(&[("channel", Align::Left), ("unit", Align::Left), ("", Align::Left)]);
        for c in simulation.catalogue.channels() {
            table.row([&c.name, &c.unit, &c.description]);
        }
        let _ = write!(out, "\nChannels\n\n{}", table.render());
    }
    let how = if simulation.is_kinematic() && start.is_locked() {
        "locked; nothing can move".to_string()
    } else if simulation.is_kinematic() {
        "kinematic simulation: all motion is prescribed or driven".to_string()
    } else {
        match simulation.solver.stepper.as_str() {
            AUTO => format!("stepper chosen automatically, form `{}`", simulation.form),
            named => format!("stepper `{named}`, form `{}`", simulation.form),
        }
    };
    let _ = write!(
        out,
        "\nReady to run: {how}, {} to {} s, {} channels.\n",
        start.t,
        simulation.t_end,
        simulation.wanted(file).map_or(0, |channels| channels.len())
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_six_digits_at_most() {
        for (x, text) in [
            (0.15, "0.15"),
            (2.0 / 3.0, "0.666667"),
            (-1234567.8, "-1234570"),
            (2.1e11, "2.1e11"),
            (1.0 / 30000.0, "3.33333e-5"),
            (0.0, "0"),
        ] {
            assert_eq!(six_digits(x), text);
        }
    }
}
