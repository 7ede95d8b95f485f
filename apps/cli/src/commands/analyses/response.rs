//! `holonom response`: the answer to harmonic inputs, over frequency.

use super::{Case, at_argument, channel_argument, check_picture, with_common, write_picture};
use crate::commands::{Command, Outcome};
use crate::error::Error;
use crate::output;
use crate::settings;
use clap::{Arg, ArgMatches};
use holonom::analysis::dense::Complex;
use holonom::analysis::linearize::LinearModel;
use holonom::analysis::response::{LARGEST, Response, largest, logarithmic, response, with_resonances};
use holonom::multibody::elements::Library;
use holonom_plot::{Figure, Panel, Scale, Series};
use holonom_text::{Align, Table};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

/// The entry of the registry.
pub const COMMAND: Command = Command { define, run };

const AFTER_HELP: &str = "\
Examples:
  holonom response vehicle --channel '*.z' --plot bode.svg       a Bode plot from road to body
  holonom response vehicle --from 0.1 --to 50 -o response.csv    numbers for other programs

The model is first linearised, as by `holonom linearize`. Amplitudes are those of the output for an input of unit
amplitude. A positive phase means that the output leads. The largest amplitude and the plot include resonances between
the points, however narrow; files have the points only. An undamped resonance has no largest amplitude: the number
given is one very close to it.";

fn define() -> clap::Command {
    let text = |name: &'static str, value: &'static str, usual: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(value)
            .default_value(usual)
            .help(help)
    };
    with_common(
        clap::Command::new("response")
            .about("Compute the frequency response from the inputs of a model to its channels, and plot it")
            .after_help(AFTER_HELP)
            .arg(at_argument())
            .arg(channel_argument(
                "Output channels, such as 'body.*'; default: those recorded by the model",
            ))
            .arg(
                Arg::new("input")
                    .long("input")
                    .value_name("NAME")
                    .help("Only this input"),
            )
            .arg(text("from", "HZ", "0.1", "Lowest frequency"))
            .arg(text("to", "HZ", "100", "Highest frequency"))
            .arg(
                text(
                    "points",
                    "N",
                    "400",
                    "Number of frequencies, logarithmically spaced",
                )
                .value_parser(clap::value_parser!(u32).range(2..=1_000_000)),
            )
            .arg(
                Arg::new("output")
                    .short('o')
                    .long("output")
                    .value_name("FILE")
                    .value_parser(clap::value_parser!(PathBuf))
                    .help("Write amplitudes and phases as CSV"),
            )
            .arg(
                Arg::new("plot")
                    .long("plot")
                    .value_name("FILE")
                    .value_parser(clap::value_parser!(PathBuf))
                    .help("Write a Bode plot: .svg or .png"),
            ),
    )
}

fn run(matches: &ArgMatches, library: &Library) -> Result<Outcome, Error> {
    let hertz = |name: &str| {
        let typed = matches.get_one::<String>(name).cloned().unwrap_or_default();
        settings::quantity(name, &typed)
    };
    let (from, to) = (hertz("from")?, hertz("to")?);
    if !(from > 0.0 && to > from && to.is_finite()) {
        return Err(Error::Usage(format!(
            "frequencies from {from} to {to} Hz: give positive frequencies, the lower one first"
        )));
    }
    let csv = matches.get_one::<PathBuf>("output");
    if let Some(path) = csv {
        output::check_file(path)?;
    }
    let picture = matches.get_one::<PathBuf>("plot");
    if let Some(path) = picture {
        check_picture(path)?;
    }
    let case = Case::load(matches, library)?;
    let known: Vec<&str> = case.named.file.inputs.iter().map(|i| i.name.as_str()).collect();
    let wanted = matches.get_one::<String>("input");
    if known.is_empty() {
        return Err(Error::Usage(format!(
            "`{}` has no inputs: add an [[input]] table with a name and an expression, and use the name \
             where the input acts",
            case.name()
        )));
    }
    if let Some(name) = wanted.filter(|name| !known.contains(&name.as_str())) {
        return Err(Error::Usage(format!(
            "--input {name}: the inputs are {}",
            known.join(", ")
        )));
    }
    let at = case.state(matches)?;
    let linear = case.linear(&at, matches)?;
    let count = matches.get_one::<u32>("points").map_or(400, |n| *n as usize);
    let frequencies = logarithmic(from, to, count);
    let chosen = |frequencies: &[f64]| {
        let mut responses = response(&linear, frequencies);
        responses.retain(|r| wanted.is_none_or(|name| *name == known[r.input]));
        responses
    };
    let responses = chosen(&frequencies);
    // Resonances may be narrower than the distance of the points.
    let finer = with_resonances(&linear, &frequencies)
        .map_err(|error| Error::Failed(format!("{}: {error}", case.name())))?;
    let fine = chosen(&finer);
    if let Some(path) = csv {
        output::write(path, table_of(&linear, &frequencies, &responses))?;
    }
    if let Some(path) = picture {
        write_picture(path, &bode(&case, &linear, &finer, &fine))?;
    }
    let mut text = format!(
        "{}: frequency response {}\n{}",
        case.name(),
        at.words(),
        at.remarks()
    );
    if linear.a.rows() > LARGEST {
        let _ = writeln!(
            text,
            "Note: with more than {LARGEST} states, resonances that are narrower than the distance of the points may be missed; \
             give more --points."
        );
    }
    for (r, fine) in responses.iter().zip(&fine) {
        let mut table = Table::new(&[
            ("output", Align::Left),
            ("unit", Align::Left),
            ("largest", Align::Right),
            ("at [Hz]", Align::Right),
            (&format!("at {from} Hz"), Align::Right),
            (&format!("at {to} Hz"), Align::Right),
        ]);
        for (i, channel) in linear.outputs.iter().enumerate() {
            let ends = [r.values.first(), r.values.last()].map(|v| v.map_or(f64::NAN, |v| v[i].abs()));
            let (peak, most) = largest(&linear, fine, i, &finer).unwrap_or((f64::NAN, f64::NAN));
            table.row([
                channel.name.clone(),
                channel.unit.clone(),
                format!("{most:.4e}"),
                format!("{peak:.4}"),
                format!("{:.4e}", ends[0]),
                format!("{:.4e}", ends[1]),
            ]);
        }
        let _ = write!(
            text,
            "\nAmplitudes per unit of `{}`\n\n{}",
            known[r.input],
            table.render()
        );
    }
    for path in [csv, picture].into_iter().flatten() {
        let _ = writeln!(text, "\nWritten: {}", path.display());
    }
    let report = report(&case, &linear, (&frequencies, &responses), (&finer, &fine));
    case.report(matches, &report, &text)?;
    Ok(Outcome::Done)
}

/// Phases in degrees, without jumps.
fn phases(values: impl Iterator<Item = Complex>) -> Vec<f64> {
    let mut last: Option<f64> = None;
    values
        .map(|z| {
            let mut phase = z.argument().to_degrees();
            if let Some(last) = last {
                phase -= 360.0 * ((phase - last) / 360.0).round();
            }
            if phase.is_finite() {
                last = Some(phase);
            }
            phase
        })
        .collect()
}

fn table_of(linear: &LinearModel, frequencies: &[f64], responses: &[Response]) -> String {
    let mut columns = vec![("frequency [Hz]".to_string(), frequencies.to_vec())];
    for r in responses {
        for (i, channel) in linear.outputs.iter().enumerate() {
            let values = || r.values.iter().map(|v| v[i]);
            let name = format!("{} per {}", channel.name, r.name);
            columns.push((format!("{name} amplitude"), values().map(Complex::abs).collect()));
            columns.push((format!("{name} phase [deg]"), phases(values())));
        }
    }
    let heads: Vec<String> = columns.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    let mut text = heads.join(",") + "\n";
    for k in 0..frequencies.len() {
        let row: Vec<String> = columns.iter().map(|(_, c)| c[k].to_string()).collect();
        text += &(row.join(",") + "\n");
    }
    text
}

fn bode(case: &Case, linear: &LinearModel, frequencies: &[f64], responses: &[Response]) -> Figure {
    let mut panels = [
        Panel::new("frequency / Hz", "amplitude"),
        Panel::new("frequency / Hz", "phase / °"),
    ];
    panels[0].y_scale = Scale::Log;
    panels[1].is_phase = true;
    for panel in &mut panels {
        panel.x_scale = Scale::Log;
    }
    // More lines than that cannot be told apart.
    const MOST: usize = 12;
    let all = responses.len() * linear.outputs.len();
    for (r, i) in responses
        .iter()
        .flat_map(|r| (0..linear.outputs.len()).map(move |i| (r, i)))
        .take(MOST)
    {
        let channel = &linear.outputs[i];
        let name = if responses.len() > 1 {
            format!("{} per {}", channel.name, r.name)
        } else {
            channel.name.clone()
        };
        let values = || r.values.iter().map(|v| v[i]);
        let x = frequencies.to_vec();
        panels[0].series.push(Series::new(
            &name,
            x.clone(),
            values().map(Complex::abs).collect(),
        ));
        panels[1].series.push(Series::new(&name, x, phases(values())));
    }
    let mut figure = Figure::new(format!("{}: frequency response", case.name()), panels.to_vec());
    figure.shares_x = true;
    if all > MOST {
        figure.remark = format!("{MOST} of {all} responses are shown; select with --channel and --input.");
    }
    if let [one] = responses {
        figure.subtitle = format!("per unit of {}", one.name);
    }
    figure
}

fn report(
    case: &Case,
    linear: &LinearModel,
    (frequencies, responses): (&[f64], &[Response]),
    (finer, fine): (&[f64], &[Response]),
) -> Value {
    let all = responses.iter().zip(fine).map(|(r, fine)| {
        let outputs = linear.outputs.iter().enumerate().map(|(i, channel)| {
            let largest = largest(linear, fine, i, finer);
            json!({
                "output": channel.name,
                "unit": channel.unit,
                "values": r.values.iter().map(|v| json!([v[i].re, v[i].im])).collect::<Vec<_>>(),
                "largest": largest.map(|(frequency, amplitude)| {
                    json!({ "frequency_hz": frequency, "amplitude": amplitude })
                }),
            })
        });
        json!({ "input": r.name, "outputs": outputs.collect::<Vec<_>>() })
    });
    json!({
        "model": case.name(),
        "frequency_hz": frequencies,
        "responses": all.collect::<Vec<_>>(),
    })
}
