//! `holonom kinematics`: one quantity moved through a range, at rest in every step.

use super::follower::Follower;
use super::suspension::{COLUMNS, Wheel, slopes};
use super::{Case, channel_argument, check_picture, inputs, number, with_common, write_picture};
use crate::commands::{Command, Outcome};
use crate::error::Error;
use crate::output;
use crate::settings;
use clap::{Arg, ArgMatches};
use holonom::format::{InputOffset, ModelFile};
use holonom::multibody::channels::{Catalogue, Channel, Sampler};
use holonom::multibody::elements::Library;
use holonom_plot::{Figure, Panel, Series};
use holonom_text::did_you_mean;
use holonom_text::{Align, Table};
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;

/// The entry of the registry.
pub const COMMAND: Command = Command { define, run };

const AFTER_HELP: &str = "\
Examples:
  holonom kinematics lift.toml --sweep 'travel=-50 mm..50 mm' --channel 'wheel.*'
  holonom kinematics lift.toml --sweep travel=0..0.1 --points 101 -o curves.csv --plot curves.svg
  holonom kinematics double-wishbone --sweep 'travel=-80 mm..80 mm' --suspension wheel --radius '310 mm' --load rig.force.z

NAME is an [[input]] or a parameter. Every point is an equilibrium (as computed by `holonom statics`): prescribed
motions are held, and all forces are in balance. The sweep follows one branch continuously, from the initial value of
NAME to A and from there to B, with smaller steps between the points where needed. It fails where loops could only
close in another way. Equilibria that snap to another position are reported.

With --suspension: travel of the wheel's centre, steer angle (positive to the left), toe (positive inwards), camber
(positive with the top outwards), change of the half track at the road (positive outwards), recession (positive
backwards), each relative to the initial position of the model; wheel rate: change of the force of --load per travel.";

fn define() -> clap::Command {
    with_common(
        clap::Command::new("kinematics")
            .about("Sweep an input or a parameter through a range of static equilibria")
            .after_help(AFTER_HELP)
            .arg(
                Arg::new("sweep")
                    .long("sweep")
                    .value_name("NAME=A..B")
                    .required(true)
                    .help("Input or parameter to vary, and its range"),
            )
            .arg(
                Arg::new("points")
                    .long("points")
                    .value_name("N")
                    .default_value("21")
                    .value_parser(clap::value_parser!(u32).range(2..=100_000))
                    .help("Number of points, both ends included"),
            )
            .arg(channel_argument(
                "Channels to record; default: those recorded by the model",
            ))
            .arg(
                Arg::new("suspension")
                    .long("suspension")
                    .value_name("WHEEL")
                    .help(
                        "Body or marker of a wheel, with y along its axle to the left: report toe, camber, track and wheel rate",
                    ),
            )
            .arg(
                Arg::new("radius")
                    .long("radius")
                    .value_name("R")
                    .requires("suspension")
                    .default_value("0")
                    .help("Radius of the wheel, used for the track change at the road"),
            )
            .arg(
                Arg::new("load")
                    .long("load")
                    .value_name("CHANNEL")
                    .requires("suspension")
                    .help("Channel of the force that lifts the wheel, used for the wheel rate"),
            )
            .arg(
                Arg::new("output")
                    .short('o')
                    .long("output")
                    .value_name("FILE")
                    .value_parser(clap::value_parser!(PathBuf))
                    .help("Write all points as CSV"),
            )
            .arg(
                Arg::new("plot")
                    .long("plot")
                    .value_name("FILE")
                    .value_parser(clap::value_parser!(PathBuf))
                    .help("Plot the channels over the swept quantity: .svg or .png"),
            ),
    )
}

fn run(matches: &ArgMatches, library: &Library) -> Result<Outcome, Error> {
    let sweep = matches.get_one::<String>("sweep").cloned().unwrap_or_default();
    let bad = || {
        Error::Usage(format!(
            "--sweep {sweep}: write it as NAME=A..B, such as --sweep travel=0..0.1"
        ))
    };
    let (name, range) = sweep.split_once('=').ok_or_else(bad)?;
    let (a, b) = range.split_once("..").ok_or_else(bad)?;
    let name = name.trim();
    let typed = [a.trim(), b.trim()];
    let [a, b] = settings::range("sweep", typed)?;
    let csv = matches.get_one::<PathBuf>("output");
    if let Some(path) = csv {
        output::check_file(path)?;
    }
    let picture = matches.get_one::<PathBuf>("plot");
    if let Some(path) = picture {
        check_picture(path)?;
    }
    let case = Case::load(matches, library)?;
    let t = case.simulation.start.t;
    let file = &case.named.file;
    let input = file.inputs.iter().find(|input| input.name == name);
    let parameter = file.parameters.iter().find(|parameter| parameter.name == name);
    let unit = input
        .map(|input| &input.unit)
        .or(parameter.map(|parameter| &parameter.unit));
    if let Some(unit) = unit.filter(|unit| !unit.is_empty()) {
        for end in typed {
            settings::number("sweep", end, unit)?;
        }
    }
    if input.is_none() && !file.parameters.iter().any(|p| p.name == name) {
        let names = file.inputs.iter().map(|i| i.name.as_str());
        let names = names.chain(file.parameters.iter().map(|p| p.name.as_str()));
        let hint = did_you_mean(name, names);
        return Err(Error::Usage(format!(
            "--sweep {name}: the model has no input or parameter with this name{hint}"
        )));
    }
    let at = |value: f64| -> Result<ModelFile, Error> {
        match input {
            Some(input) => case.offset(InputOffset {
                name: name.to_string(),
                time: t,
                coefficients: [value - input.signal.evaluate(t)[0], 0.0, 0.0],
            }),
            None => {
                let mut sets = case.sets.clone();
                let other = |set: &String| set.split('=').next().map(str::trim) != Some(name);
                sets.retain(other);
                sets.push(format!("{name}={value}"));
                case.origin.load(&sets, &[]).map(|named| named.file)
            }
        }
    };
    let count = matches.get_one::<u32>("points").map_or(21, |n| *n as usize);
    let mut channels: Vec<Channel> = Vec::new();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut words: Vec<&'static str> = Vec::new();
    let suspension = suspension(&case, matches)?;
    let initial = match (input, parameter) {
        (Some(input), _) => input.signal.evaluate(t)[0],
        (None, parameter) => parameter.map_or(a, |parameter| parameter.value),
    };
    let mut follower = Follower::new(&case.simulation.start, name, initial, &at);
    for k in 0..count {
        let value = a + (b - a) * k as f64 / (count - 1) as f64;
        let step = |text: String| Error::Failed(format!("at {name} = {}: {text}", number(value)));
        let rest = follower.go_to(value)?;
        let file = at(value)?;
        let selection = {
            let own = inputs(&file);
            let catalogue = Catalogue::with_inputs(&rest.start, &own);
            let typed: Vec<&String> = matches.get_many("channel").into_iter().flatten().collect();
            let mut patterns: Vec<&str> = match typed.is_empty() {
                true => file.outputs.iter().map(String::as_str).collect(),
                false => typed.iter().map(|p| p.as_str()).collect(),
            };
            if suspension.is_some() {
                // The wheel is shown; channels only where they were asked for.
                if typed.is_empty() {
                    patterns.clear();
                }
                patterns.extend(matches.get_one::<String>("load").map(String::as_str));
            }
            match patterns.is_empty() {
                true if suspension.is_some() => {
                    let none: [&str; 0] = [];
                    let chosen = catalogue.select(&none);
                    chosen.map_err(|error| Error::Usage(format!("--channel: {error}")))?
                }
                true => catalogue.default_selection(),
                false => {
                    let chosen = catalogue.select(&patterns);
                    chosen.map_err(|error| Error::Usage(format!("--channel: {error}")))?
                }
            }
        };
        let mut sampler =
            Sampler::of_motion(&rest.start, &selection).map_err(|error| step(error.to_string()))?;
        let mut row = vec![0.0; selection.len()];
        sampler.sample_motion(&rest.start.motion(), &mut row);
        if channels.is_empty() {
            channels = selection.channels().to_vec();
        }
        if let Some(wheel) = &suspension {
            row.splice(0..0, wheel.values(&wheel.look(&rest.start)));
        }
        row.insert(0, value);
        rows.push(row);
        words.push(rest.stability.word());
    }
    if suspension.is_some() {
        let load = matches.get_one::<String>("load");
        wheel_rates(&mut channels, &mut rows, load.map(String::as_str));
    }
    if let Some(path) = csv {
        let heads = channels.iter().map(|c| format!("\"{} [{}]\"", c.name, c.unit));
        let heads: Vec<String> = std::iter::once(format!("\"{name}\"")).chain(heads).collect();
        let mut text = heads.join(",") + "\n";
        for row in &rows {
            let row: Vec<String> = row.iter().map(f64::to_string).collect();
            text += &(row.join(",") + "\n");
        }
        output::write(path, text)?;
    }
    if let Some(path) = picture {
        let x: Vec<f64> = rows.iter().map(|row| row[0]).collect();
        let mut panels: Vec<Panel> = Vec::new();
        for (k, channel) in channels.iter().enumerate() {
            let y = rows.iter().map(|row| row[k + 1]).collect();
            let series = Series::new(&channel.name, x.clone(), y);
            let label = format!("{} / {}", "value", channel.unit);
            match panels.iter_mut().find(|panel| panel.y_label == label) {
                Some(panel) => panel.series.push(series),
                None => {
                    let mut panel = Panel::new(name, label);
                    panel.series.push(series);
                    panels.push(panel);
                }
            }
        }
        write_picture(path, &Figure::new(format!("{} over {name}", case.name()), panels))?;
    }
    let mut text = format!(
        "{}: {count} equilibria, {name} from {} to {}\n\n",
        case.name(),
        number(a),
        number(b)
    );
    let notes = follower.notes();
    for note in &notes {
        let _ = writeln!(text, "Note: {note}\n");
    }
    let shown = channels.len().min(if suspension.is_some() { 8 } else { 6 });
    let mut heads: Vec<(&str, Align)> = vec![(name, Align::Right)];
    heads.extend(
        channels
            .iter()
            .take(shown)
            .map(|c| (c.name.as_str(), Align::Right)),
    );
    heads.push(("", Align::Left));
    let mut table = Table::new(&heads);
    for (row, word) in rows.iter().zip(&words) {
        let cells = row.iter().take(shown + 1).map(|x| number(*x));
        table.row(cells.chain(std::iter::once(word.to_string())));
    }
    text += &table.render();
    if channels.len() > shown {
        let _ = writeln!(
            text,
            "\n{} more channels: write them to a file with -o, or select channels with --channel.",
            channels.len() - shown
        );
    }
    for path in [csv, picture].into_iter().flatten() {
        let _ = writeln!(text, "\nWritten: {}", path.display());
    }
    let report = json!({
        "model": case.name(),
        "sweep": name,
        "channels": channels.iter().map(|c| json!({ "name": c.name, "unit": c.unit })).collect::<Vec<_>>(),
        "rows": rows,
        "stability": words,
        "notes": notes,
    });
    case.report(matches, &report, &text)?;
    Ok(Outcome::Done)
}

/// The wheel that was asked for, at the start of the model.
fn suspension(case: &Case, matches: &ArgMatches) -> Result<Option<Wheel>, Error> {
    let Some(name) = matches.get_one::<String>("suspension") else {
        return Ok(None);
    };
    let radius = matches.get_one::<String>("radius").map_or("0", String::as_str);
    let radius = settings::number("radius", radius, "m")?;
    let start = &case.simulation.start;
    let mut wheel = Wheel::find(&start.model, name, radius)?;
    let look = wheel.look(start);
    wheel.begin(look);
    Ok(Some(wheel))
}

/// Names the columns of the wheel, and adds that of the wheel rate where a load is given.
fn wheel_rates(channels: &mut Vec<Channel>, rows: &mut [Vec<f64>], load: Option<&str>) {
    let named = |(name, unit): (&str, &str)| Channel {
        name: name.to_string(),
        unit: unit.to_string(),
        description: String::new(),
    };
    let first = COLUMNS.len() - 1;
    let at = load.and_then(|load| channels.iter().position(|c| c.name == load));
    if let Some(at) = at {
        let column = |k: usize| rows.iter().map(|row| row[k]).collect::<Vec<f64>>();
        let rates = slopes(&column(1), &column(1 + first + at));
        for (row, rate) in rows.iter_mut().zip(rates) {
            row.insert(1 + first, rate);
        }
        channels.splice(0..0, COLUMNS.map(named));
    } else {
        channels.splice(0..0, COLUMNS[..first].iter().copied().map(named));
    }
}
