//! `holonom trim`: steady motion of a vehicle, straight on and in turns.

use super::suspension::slopes;
use super::{Case, channel_argument, check_picture, number, with_common, write_picture};
use crate::commands::{Command, Outcome};
use crate::error::Error;

use crate::output;
use crate::settings;
use clap::{Arg, ArgMatches};
use holonom::analysis::trim::{Trim, TrimError, TrimOptions, start_speed, trim};
use holonom::format::InputOffset;
use holonom::multibody::channels::Sampler;
use holonom::multibody::elements::Library;
use holonom_plot::{Figure, Panel, Series};
use holonom_text::did_you_mean;
use holonom_text::{Align, Table};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// The entry of the registry.
pub const COMMAND: Command = Command { define, run };

/// Standard acceleration of free fall, m/s²: what lateral accelerations are measured by.
const G: f64 = 9.81;

const AFTER_HELP: &str = "\
Examples:
  holonom trim car.toml --speed 20                           straight ahead
  holonom trim car.toml --speed '80 km/h' --lateral 0.1..0.6 --points 11 --plot turns.svg
  holonom trim car.toml --speed 20 --lateral 0.3 --steer wheel --drive torque --channel '*.load'

Finds inputs and a state for which only the position, the heading and the wheel angles change: constant speed on a
circle with the given lateral acceleration, in units of 9.81 m/s², positive to the left. The inputs are called
`steer` and `drive` unless --steer and --drive name others. A vehicle whose motion along x is prescribed needs no
drive. The road must be flat. Understeer gradients refer to the steering input, d(steer)/d(lateral) − L/V²; they
are meaningful if it is the angle of the front wheels (or a multiple: --ratio). The exit code is 1 if there is no
steady motion; the message then gives the highest lateral acceleration reached and the limiting tyres.";

fn define() -> clap::Command {
    let named = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    with_common(
        clap::Command::new("trim")
            .about(
                "Find the steady motion of a vehicle, straight ahead and in turns: steering, drive and state",
            )
            .after_help(AFTER_HELP)
            .arg(named(
                "speed",
                "V",
                "Speed, in m/s or with a unit; default: the initial speed",
            ))
            .arg(
                named(
                    "lateral",
                    "A..B",
                    "Lateral acceleration in units of 9.81 m/s²: a value or a range",
                )
                .default_value("0")
                .allow_hyphen_values(true),
            )
            .arg(
                named("points", "N", "Number of points in a range")
                    .default_value("6")
                    .value_parser(clap::value_parser!(u32).range(2..=10_000)),
            )
            .arg(named("steer", "INPUT", "Steering input"))
            .arg(named("drive", "INPUT", "Driving input"))
            .arg(
                named(
                    "ratio",
                    "X",
                    "Ratio of the steering input to the angle of the front wheels",
                )
                .default_value("1")
                .allow_hyphen_values(true),
            )
            .arg(channel_argument("Also show these channels at every point"))
            .arg(
                named("output", "FILE", "Write all points as CSV")
                    .short('o')
                    .value_parser(clap::value_parser!(PathBuf)),
            )
            .arg(
                named(
                    "plot",
                    "FILE",
                    "Plot steering, understeer gradient, sideslip and roll: .svg or .png",
                )
                .value_parser(clap::value_parser!(PathBuf)),
            ),
    )
}

/// Names of the inputs that are looked for, steering first.
fn input_names(case: &Case, matches: &ArgMatches) -> Result<Vec<String>, Error> {
    let known = |name: &str| case.named.file.inputs.iter().any(|input| input.name == name);
    let mut names = Vec::new();
    for option in ["steer", "drive"] {
        let typed = matches.try_get_one::<String>(option).ok().flatten();
        match typed {
            Some(name) if !known(name) => {
                let all = case.named.file.inputs.iter().map(|input| input.name.as_str());
                let hint = did_you_mean(name, all);
                return Err(Error::Usage(format!(
                    "--{option} {name}: the model has no input with this name{hint}"
                )));
            }
            Some(name) => names.push(name.clone()),
            None if known(option) => names.push(option.to_string()),
            None => {}
        }
    }
    Ok(names)
}

/// Steady motions of a case at one speed.
fn steady(case: &Case, names: &[String], speed: f64, laterals: &[f64]) -> Result<Vec<Trim>, TrimError> {
    let start = &case.simulation.start;
    let values: Vec<f64> = names
        .iter()
        .map(|name| {
            let input = case.named.file.inputs.iter().find(|input| input.name == *name);
            input.map_or(0.0, |input| input.signal.evaluate(start.t)[0])
        })
        .collect();
    let mut make = |inputs: &[f64]| {
        let offsets = offsets(names, &values, inputs, start.t);
        let named = case.origin.load(&case.sets, &offsets);
        let file = named.map_err(|error| error.to_string())?.file;
        file.compile()
            .map(Arc::new)
            .map_err(|messages| messages.render(false))
    };
    trim(
        start,
        speed,
        laterals,
        &values,
        &mut make,
        &TrimOptions::default(),
    )
}

/// What has to be added to inputs so that they have other values.
fn offsets(names: &[String], from: &[f64], to: &[f64], time: f64) -> Vec<InputOffset> {
    (names.iter().zip(from).zip(to))
        .map(|((name, from), to)| InputOffset {
            name: name.clone(),
            time,
            coefficients: [to - from, 0.0, 0.0],
        })
        .collect()
}

/// Running straight on at the speed of the start, with what has to be added to inputs.
pub(super) fn straight(case: &Case, matches: &ArgMatches) -> Result<(Trim, Vec<InputOffset>), Error> {
    let failed = |error: TrimError| Error::Failed(format!("{}: {error}", case.name()));
    let names = input_names(case, matches)?;
    let start = &case.simulation.start;
    let speed = start_speed(start).map_err(failed)?;
    let found = steady(case, &names, speed, &[0.0]).map_err(failed)?.pop();
    let found = found.ok_or_else(|| Error::Failed(format!("{}: nothing was found", case.name())))?;
    let inputs = names.iter().map(|name| {
        let input = case.named.file.inputs.iter().find(|input| input.name == *name);
        input.map_or(0.0, |input| input.signal.evaluate(start.t)[0])
    });
    let offsets = offsets(&names, &inputs.collect::<Vec<_>>(), &found.inputs, start.t);
    Ok((found, offsets))
}

fn laterals(matches: &ArgMatches) -> Result<Vec<f64>, Error> {
    let typed = matches.get_one::<String>("lateral").map_or("0", String::as_str);
    let one = |text: &str| {
        let value = settings::number("lateral", text.trim(), "1")?;
        Ok::<f64, Error>(value * G)
    };
    let Some((a, b)) = typed.split_once("..") else {
        return Ok(vec![one(typed)?]);
    };
    let (a, b) = (one(a)?, one(b)?);
    let count = matches.get_one::<u32>("points").map_or(6, |n| *n as usize);
    Ok((0..count)
        .map(|k| a + (b - a) * k as f64 / (count - 1) as f64)
        .collect())
}

/// A step of the table.
struct Row {
    lateral: f64,
    radius: Option<f64>,
    inputs: Vec<f64>,
    sideslip: f64,
    roll: f64,
    /// d(angle of the front wheels)/d(lateral) − L/V², rad s²/m.
    gradient: Option<f64>,
    used: f64,
    channels: Vec<f64>,
}

fn run(matches: &ArgMatches, library: &Library) -> Result<Outcome, Error> {
    let csv = matches.get_one::<PathBuf>("output");
    if let Some(path) = csv {
        output::check_file(path)?;
    }
    let picture = matches.get_one::<PathBuf>("plot");
    if let Some(path) = picture {
        check_picture(path)?;
    }
    let laterals = laterals(matches)?;
    let ratio = matches.get_one::<String>("ratio").map_or("1", String::as_str);
    let ratio = settings::number("ratio", ratio, "1")?;
    if ratio == 0.0 || !ratio.is_finite() {
        return Err(Error::Usage("--ratio must not be zero".into()));
    }
    let case = Case::load(matches, library)?;
    let names = input_names(&case, matches)?;
    let failed = |error: TrimError| Error::Failed(format!("{}: {error}", case.name()));
    let speed = match matches.get_one::<String>("speed") {
        Some(typed) => settings::number("speed", typed, "m/s")?,
        None => start_speed(&case.simulation.start).map_err(failed)?,
    };
    let found = steady(&case, &names, speed, &laterals).map_err(failed)?;
    let (heads, rows) = rows(&case, matches, &found, ratio)?;
    if let Some(path) = csv {
        output::write(path, csv_text(&names, &heads, &rows))?;
    }
    if let Some(path) = picture {
        write_picture(path, &figure(&case, &names, speed, ratio, &found, &rows))?;
    }
    let mut text = text(&case, &names, speed, ratio, &found, (&heads, &rows));
    for path in [csv, picture].into_iter().flatten() {
        let _ = writeln!(text, "\nWritten: {}", path.display());
    }
    let report = json!({
        "model": case.name(),
        "speed": speed,
        "inputs": names,
        "wheelbase": found.first().and_then(|f| f.wheelbase),
        "steps": found.iter().zip(&rows).map(|(f, row)| json!({
            "lateral": row.lateral,
            "yaw_rate": f.yaw_rate,
            "radius": row.radius,
            "inputs": names.iter().zip(&row.inputs).map(|(n, x)| (n.clone(), json!(x))).collect::<Map<_, _>>(),
            "sideslip": row.sideslip,
            "roll": row.roll,
            "understeer_gradient": row.gradient,
            "unbalanced": f.unbalanced,
            "tyres": f.tyres.iter().map(|t| (t.name.clone(), json!({
                "load": t.load, "used": t.used, "reserve": t.reserve,
            }))).collect::<Map<_, _>>(),
            "channels": heads.iter().zip(&row.channels).map(|(n, x)| (n.clone(), json!(x))).collect::<Map<_, _>>(),
        })).collect::<Vec<Value>>(),
    });
    case.report(matches, &report, &text)?;
    Ok(Outcome::Done)
}

/// What is shown, with the names of channels.
fn rows(
    case: &Case,
    matches: &ArgMatches,
    found: &[Trim],
    ratio: f64,
) -> Result<(Vec<String>, Vec<Row>), Error> {
    let asked = matches.get_many::<String>("channel").is_some();
    let mut heads = Vec::new();
    let mut rows: Vec<Row> = Vec::new();
    for turn in found {
        let mut channels = Vec::new();
        if asked {
            let selection = case.selection(&turn.start, matches)?;
            let mut sampler = Sampler::of_motion(&turn.start, &selection)
                .map_err(|error| Error::Failed(error.to_string()))?;
            channels.resize(selection.len(), 0.0);
            sampler.sample_motion(&turn.start.motion(), &mut channels);
            heads = selection.channels().iter().map(|c| c.name.clone()).collect();
        }
        rows.push(Row {
            lateral: turn.lateral,
            radius: (turn.yaw_rate != 0.0).then(|| turn.speed / turn.yaw_rate),
            inputs: turn.inputs.clone(),
            sideslip: turn.sideslip,
            roll: turn.roll,
            gradient: None,
            used: turn.tyres.iter().map(|t| t.used).fold(0.0, f64::max),
            channels,
        });
    }
    let angles: Vec<f64> = found.iter().map(|f| f.inputs[0] / ratio).collect();
    let laterals: Vec<f64> = found.iter().map(|f| f.lateral).collect();
    for (k, slope) in slopes(&laterals, &angles).into_iter().enumerate() {
        let neutral = found[k].wheelbase.map(|l| l / found[k].speed.powi(2));
        rows[k].gradient = neutral
            .map(|neutral| slope - neutral)
            .filter(|gradient| gradient.is_finite());
    }
    Ok((heads, rows))
}

fn csv_text(names: &[String], heads: &[String], rows: &[Row]) -> String {
    let first = ["lateral [m/s^2]".to_string()];
    let last = [
        "sideslip [rad]",
        "roll [rad]",
        "understeer gradient [rad s^2/m]",
        "tyre use",
    ]
    .map(String::from);
    let all: Vec<String> = (first.iter().chain(names).chain(&last).chain(heads))
        .map(|name| format!("\"{name}\""))
        .collect();
    let mut text = all.join(",") + "\n";
    for row in rows {
        let gradient = row.gradient.unwrap_or(f64::NAN);
        let own = [row.sideslip, row.roll, gradient, row.used];
        let cells = std::iter::once(&row.lateral).chain(&row.inputs).chain(&own);
        let cells: Vec<String> = cells.chain(&row.channels).map(f64::to_string).collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

fn text(
    case: &Case,
    names: &[String],
    speed: f64,
    ratio: f64,
    found: &[Trim],
    (heads, rows): (&[String], &[Row]),
) -> String {
    let steps = found.last().map_or(0, |f| f.steps);
    let left = found.iter().map(|f| f.unbalanced).fold(0.0, f64::max);
    let left = match left {
        x if x < 1e-14 => "nothing".to_string(),
        x => format!("at most {x:.0e} of the weight"),
    };
    let mut out = format!(
        "{}: steady motion at {} m/s\nFound in {steps} Newton iterations; {left} remains unbalanced.\n",
        case.name(),
        number(speed),
    );
    if let Some(wheelbase) = found.first().and_then(|f| f.wheelbase) {
        let _ = writeln!(out, "Wheelbase {} m.", number(wheelbase));
    }
    let mut columns: Vec<(String, Align)> = vec![
        ("lateral [g]".into(), Align::Right),
        ("radius [m]".into(), Align::Right),
    ];
    columns.extend(names.iter().map(|name| (name.clone(), Align::Right)));
    for head in ["sideslip [°]", "roll [°]"] {
        columns.push((head.into(), Align::Right));
    }
    let graded = rows.iter().any(|row| row.gradient.is_some());
    if graded {
        columns.push(("understeer [°/g]".into(), Align::Right));
    }
    columns.push(("tyre use".into(), Align::Right));
    columns.extend(heads.iter().map(|name| (name.clone(), Align::Right)));
    let columns: Vec<(&str, Align)> = columns.iter().map(|(n, a)| (n.as_str(), *a)).collect();
    let mut table = Table::new(&columns);
    for row in rows {
        let mut cells = vec![
            number(row.lateral / G),
            row.radius.map_or("–".into(), |r| format!("{r:.2}")),
        ];
        cells.extend(row.inputs.iter().map(|x| format!("{:.6}", clean(*x))));
        cells.push(format!("{:.4}", clean(row.sideslip.to_degrees())));
        cells.push(format!("{:.4}", clean(row.roll.to_degrees())));
        if graded {
            let degrees = |k: f64| format!("{:.4}", (k * G).to_degrees());
            cells.push(row.gradient.map_or(String::new(), degrees));
        }
        cells.push(format!("{:.3}", row.used));
        cells.extend(row.channels.iter().map(|x| number(*x)));
        table.row(cells);
    }
    let _ = write!(out, "\n{}", table.render());
    if graded && ratio != 1.0 {
        let _ = writeln!(
            out,
            "Understeer gradients are those of {} divided by {ratio}.",
            names[0]
        );
    }
    out
}

/// Zero for what is rounding, without its sign.
fn clean(x: f64) -> f64 {
    if x.abs() < 1e-9 { 0.0 } else { x }
}

fn figure(case: &Case, names: &[String], speed: f64, ratio: f64, found: &[Trim], rows: &[Row]) -> Figure {
    let x: Vec<f64> = rows.iter().map(|row| row.lateral / G).collect();
    let label = "lateral acceleration / g";
    let mut panels = Vec::new();
    let mut steering = Panel::new(label, "front wheels / °");
    let angle = found.iter().map(|f| (f.inputs[0] / ratio).to_degrees());
    let name = names.first().map_or("steer", String::as_str);
    steering
        .series
        .push(Series::new(name, x.clone(), angle.collect()));
    let neutral: Option<Vec<f64>> = found
        .iter()
        .map(|f| f.wheelbase.map(|l| (l * f.lateral / speed.powi(2)).to_degrees()))
        .collect();
    if let Some(neutral) = neutral {
        steering
            .series
            .push(Series::new("L/R (neutral)", x.clone(), neutral));
    }
    panels.push(steering);
    let gradients: Option<Vec<f64>> = rows
        .iter()
        .map(|row| row.gradient.map(|k| (k * G).to_degrees()))
        .collect();
    if let Some(gradients) = gradients {
        let mut panel = Panel::new(label, "understeer / (°/g)");
        panel
            .series
            .push(Series::new("understeer gradient", x.clone(), gradients));
        panels.push(panel);
    }
    let mut attitude = Panel::new(label, "angle / °");
    for (name, value) in [
        ("sideslip", (|row: &Row| row.sideslip) as fn(&Row) -> f64),
        ("roll", |row: &Row| row.roll),
    ] {
        let y = rows.iter().map(|row| value(row).to_degrees()).collect();
        attitude.series.push(Series::new(name, x.clone(), y));
    }
    panels.push(attitude);
    let mut figure = Figure::new(
        format!("{}: steady turns at {} m/s", case.name(), number(speed)),
        panels,
    );
    figure.shares_x = true;
    figure
}
