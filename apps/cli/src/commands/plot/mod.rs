//! `holonom plot`: pictures of results.

mod choose;
mod runs;
mod units;

use super::{Command, Outcome, read};
use crate::error::Error;
use crate::output;
use choose::{Choice, View};
use clap::{ArgMatches, CommandFactory, Parser, ValueEnum};
use holonom::multibody::elements::Library;
use holonom_plot::{Figure, Panel, Scale, Window};
use runs::Run;
use std::path::{Path, PathBuf};

/// Plot channels of results (SVG or PNG)
///
/// Channels are plotted against time, with one panel per quantity and unit. Without --channel and
/// --panel, the first channels are plotted. Several results are overlaid and labelled with their
/// file names.
#[derive(Debug, Parser)]
#[command(name = "plot", after_help = AFTER_HELP)]
struct Args {
    /// Result files: Arrow, Parquet or CSV
    #[arg(value_name = "RESULT", required = true)]
    results: Vec<PathBuf>,

    /// File to write, .svg or .png; default: next to the first result
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Channels to plot: a name, or a pattern with `*`, `?` and `[xy]`; may be repeated
    #[arg(short, long = "channel", value_name = "PATTERN")]
    channels: Vec<String>,

    /// Add a panel with these channels, separated by commas; may be repeated
    #[arg(short, long = "panel", value_name = "PATTERNS")]
    panels: Vec<String>,

    /// Plot against this channel instead of time
    #[arg(short, long, value_name = "CHANNEL", conflicts_with = "spectrum")]
    x: Option<String>,

    /// Number of panels per row
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=12))]
    columns: Option<u16>,

    /// Plot amplitude spectra
    #[arg(long)]
    spectrum: bool,

    /// Window of the spectra: `flat-top` shows amplitudes to 0.05 %, `hann` separates closer frequencies
    #[arg(long, value_name = "NAME", default_value = "flat-top", requires = "spectrum")]
    window: WindowName,

    /// Show channels in this unit, such as mm, deg or rpm; `PATTERN=UNIT` for some channels only; may be repeated
    #[arg(short, long = "unit", value_name = "UNIT")]
    units: Vec<String>,

    /// Logarithmic axes
    #[arg(long, value_name = "AXES")]
    log: Option<Log>,

    /// Only this time range in the unit of the file, such as 2:5, 2: or :5
    #[arg(long, value_name = "T0:T1", value_parser = range, allow_hyphen_values = true)]
    range: Option<(f64, f64)>,

    /// Limits of the horizontal axis, in its unit, such as 0:10, 0: or :10
    #[arg(long, value_name = "A:B", value_parser = range, allow_hyphen_values = true)]
    x_range: Option<(f64, f64)>,

    /// Limits of the vertical axis, in its unit: once for all panels, or once for each panel in order
    #[arg(long, value_name = "A:B", value_parser = range, allow_hyphen_values = true)]
    y_range: Vec<(f64, f64)>,

    /// Title of the plot; default: the name of the model
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Use the same scale on both axes
    #[arg(long, requires = "x")]
    equal: bool,

    /// Width and height in pixels, such as 1200x600; PNG files have twice the resolution
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<(f64, f64)>,

    /// Open the file in a viewer
    #[arg(long, value_name = "WHEN", default_value = "no", num_args = 0..=1, default_missing_value = "yes")]
    open: Open,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Log {
    X,
    Y,
    #[value(alias = "yx")]
    Xy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum WindowName {
    FlatTop,
    Hann,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Open {
    Yes,
    No,
}

const AFTER_HELP: &str = "\
Panels: --channel groups channels by quantity and unit; each --panel defines one panel. With several
results, every channel gets its own panel, unless there are more than twelve channels.

Spectra: the mean is subtracted and a window applied, for which amplitudes are corrected: a sine of 2 mm
shows a peak of 2 mm. The plot names the window. Unevenly spaced samples are interpolated with cubics; the
plot then says so.

Units: --unit applies to every channel and axis of the same quantity; angles and plain numbers are different
quantities, and so are energies and torques. Ranges of axes are in the units shown.

Examples:
  holonom plot run.arrows                                      an overview
  holonom plot run.arrows -c 'crank.*' -o crank.png            all channels of the crank
  holonom plot run.arrows -p '*.angle' -p A.force.x,A.force.y  two panels
  holonom plot run.arrows -x coupler.x -c coupler.y --equal    a path in the plane
  holonom plot soft.arrows stiff.arrows -c car.position.z      two runs in one diagram
  holonom plot run.arrows -c '*.angle' --unit deg --y-range -90:90
  holonom plot run.csv -c car.acceleration.z --spectrum --log xy --range 2:";

pub const COMMAND: Command = Command {
    define: Args::command,
    run,
};

/// Pixels of a bitmap per pixel of the drawing: sharp on paper and on fine screens.
const BITMAP_SCALE: f64 = 2.0;

fn run(matches: &ArgMatches, library: &Library) -> Result<Outcome, Error> {
    let args: Args = read(matches)?;
    let path = target(&args)?;
    let lists = args.panels.iter().chain(&args.channels).chain(&args.x);
    let patterns: Vec<&str> = lists.flat_map(|list| choose::split(list)).collect();
    let runs = runs::open(&args.results, &patterns, library)?;
    for remark in runs.iter().filter_map(Run::loss) {
        output::remark(&remark.to_string());
    }
    let figure = figure(&args, &runs)?;
    for panel in &figure.panels {
        if let Some(remark) = hidden(panel) {
            output::remark(&remark);
        }
    }
    if is_bitmap(&path) {
        output::write(&path, figure.png(BITMAP_SCALE)?)?;
    } else {
        output::write(&path, figure.svg())?;
    }
    output::print(&format!("{}: {}\n", path.display(), contents(&figure)))?;
    if args.open == Open::Yes {
        show(&path)?;
    }
    Ok(Outcome::Done)
}

/// The file to write; refused before the work when it cannot be.
fn target(args: &Args) -> Result<PathBuf, Error> {
    let path = match (&args.output, args.results.first()) {
        (Some(path), _) => path.clone(),
        (None, Some(first)) => {
            let stem = first.file_stem().unwrap_or_default().to_string_lossy();
            let kind = if args.spectrum { "-spectrum" } else { "" };
            first.with_file_name(format!("{stem}{kind}.svg"))
        }
        (None, None) => return Err(Error::Usage("no result file given; name the file to plot".into())),
    };
    if !is_bitmap(&path) && !has_ending(&path, "svg") {
        return Err(Error::Usage(format!(
            "`{}` must end in .svg or .png",
            path.display()
        )));
    }
    if args.results.contains(&path) {
        return Err(Error::Usage(format!(
            "`{}` is the result file itself; choose another file with --output",
            path.display()
        )));
    }
    output::check_file(&path)?;
    Ok(path)
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension()
        .is_some_and(|own| own.eq_ignore_ascii_case(ending))
}

fn is_bitmap(path: &Path) -> bool {
    has_ending(path, "png")
}

fn figure(args: &Args, runs: &[Run]) -> Result<Figure, Error> {
    let choice = if args.panels.is_empty() && args.channels.is_empty() {
        Choice::Overview
    } else {
        Choice::Named {
            channels: args.channels.clone(),
            panels: args.panels.clone(),
        }
    };
    let view = View {
        x: args.x.clone(),
        is_spectrum: args.spectrum,
        window: match args.window {
            WindowName::FlatTop => Window::FlatTop,
            WindowName::Hann => Window::Hann,
        },
        range: args.range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY)),
        units: args
            .units
            .iter()
            .map(|text| units::Wish::read(text))
            .collect::<Result<_, _>>()?,
    };
    let (mut panels, mut remarks) = choose::panels(runs, &choice, &view)?;
    if args.y_range.len() > 1 && args.y_range.len() != panels.len() {
        return Err(Error::Usage(format!(
            "--y-range is given {} times for {} panels; give it once for all panels or once for each",
            args.y_range.len(),
            panels.len()
        )));
    }
    let log = |axis| args.log == Some(Log::Xy) || args.log == Some(axis);
    for (i, panel) in panels.iter_mut().enumerate() {
        panel.is_equal = args.equal;
        panel.x_limits = limits("x", args.x_range, log(Log::X))?;
        let y_range = args.y_range.get(i).or(args.y_range.first()).copied();
        panel.y_limits = limits("y", y_range, log(Log::Y))?;
        if log(Log::X) {
            panel.x_scale = Scale::Log;
        }
        if log(Log::Y) {
            panel.y_scale = Scale::Log;
        }
    }
    for panel in &panels {
        if let Some(text) = panel.nothing_within() {
            return Err(Error::Usage(text));
        }
        remarks.extend(hidden(panel));
    }
    let files: Vec<&str> = runs.iter().map(|run| run.label.as_str()).collect();
    let files = files.join(", ");
    let model = runs.first().and_then(Run::model);
    let title = args.title.clone().or(model).unwrap_or_else(|| files.clone());
    let has_one_x = panels.iter().all(|panel| panel.x_label == panels[0].x_label);
    let mut figure = Figure::new(title, panels);
    if figure.title != files {
        figure.subtitle = files;
    }
    figure.remark = remarks.join(" ");
    figure.size = args.size;
    figure.columns = match args.columns {
        Some(columns) => usize::from(columns),
        None if figure.panels.len() <= 4 && !args.equal => 1,
        None => 2,
    };
    figure.columns = figure.columns.min(figure.panels.len().max(1));
    figure.shares_x = has_one_x && !args.equal;
    Ok(figure)
}

/// Ends of an axis; an end that is not finite is open.
fn limits(axis: &str, range: Option<(f64, f64)>, is_log: bool) -> Result<(Option<f64>, Option<f64>), Error> {
    let Some((low, high)) = range else {
        return Ok((None, None));
    };
    let end = |value: f64| value.is_finite().then_some(value);
    match [end(low), end(high)]
        .into_iter()
        .flatten()
        .find(|value| is_log && *value <= 0.0)
    {
        Some(value) => Err(Error::Usage(format!(
            "--{axis}-range: {value} is not positive, which a logarithmic axis requires"
        ))),
        None => Ok((end(low), end(high))),
    }
}

/// What a logarithmic axis does not show.
fn hidden(panel: &Panel) -> Option<String> {
    let (hidden, all) = panel.hidden_by_log();
    let name = match panel.title.as_str() {
        "" => panel.y_label.as_str(),
        title => title,
    };
    (hidden > 0).then(|| {
        format!("{name}: {hidden} of {all} values are not positive; the logarithmic axis does not show them.")
    })
}

/// What a figure shows, in a line: how many panels and lines, and the first channels.
fn contents(figure: &Figure) -> String {
    const MOST: usize = 6;
    let counted = |n: usize, thing: &str| format!("{n} {thing}{}", if n == 1 { "" } else { "s" });
    let lines = figure.panels.iter().map(|panel| panel.series.len()).sum();
    let names = figure.panels.iter().flat_map(|panel| match panel.title.as_str() {
        "" => panel.series.iter().map(|series| series.label.as_str()).collect(),
        title => vec![title],
    });
    let mut names: Vec<&str> = names.take(MOST + 1).collect();
    if names.len() > MOST {
        names[MOST] = "…";
    }
    format!(
        "{}, {} ({})",
        counted(figure.panels.len(), "panel"),
        counted(lines, "line"),
        names.join(", ")
    )
}

/// Opens the picture in the viewer of the desktop.
fn show(path: &Path) -> Result<(), Error> {
    let opener = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let started = std::process::Command::new(opener).arg(path).spawn();
    started.map(|_| ()).map_err(|error| {
        Error::Failed(format!(
            "the plot was written, but `{opener}` could not be started: {error}; open `{}` manually",
            path.display()
        ))
    })
}

fn range(text: &str) -> Result<(f64, f64), String> {
    let help = "write a range such as 2:5, 2: or :5";
    let (from, to) = text.split_once(':').ok_or(help)?;
    let number = |text: &str, open: f64| match text.trim() {
        "" => Ok(open),
        text => (text.parse::<f64>().ok())
            .filter(|v| !v.is_nan())
            .ok_or_else(|| format!("`{text}` is not a number; {help}")),
    };
    let (from, to) = (number(from, f64::NEG_INFINITY)?, number(to, f64::INFINITY)?);
    if from < to {
        Ok((from, to))
    } else {
        Err(format!("{from} is not before {to}; {help}"))
    }
}

fn size(text: &str) -> Result<(f64, f64), String> {
    let help = "write width and height such as 1200x600, each from 100 to 8000";
    let (w, h) = text.split_once(['x', 'X', '×']).ok_or(help)?;
    let number = |text: &str| (text.trim().parse::<u32>().ok()).filter(|v| (100..=8000).contains(v));
    match (number(w), number(h)) {
        (Some(w), Some(h)) => Ok((f64::from(w), f64::from(h))),
        _ => Err(help.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_sizes_are_read() {
        assert_eq!(range("2:5"), Ok((2.0, 5.0)));
        assert_eq!(range("-1.5:"), Ok((-1.5, f64::INFINITY)));
        assert_eq!(range(":1e-3"), Ok((f64::NEG_INFINITY, 1e-3)));
        for bad in ["5", "5:2", "a:b", "nan:1", "1:1"] {
            assert!(range(bad).is_err(), "{bad}");
        }
        assert_eq!(size("1200x600"), Ok((1200.0, 600.0)));
        for bad in ["1200", "10x10", "1e3x600", "x", "-100x100", "100x99999"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    fn target_of(arguments: &[&str]) -> Result<PathBuf, Error> {
        target(&Args::try_parse_from(arguments).expect("a value"))
    }

    #[test]
    fn pictures_stand_beside_results() {
        let folder = std::env::temp_dir();
        let result = folder.join("run.v2.arrows");
        let result = result.to_str().expect("a value");
        assert_eq!(target_of(&["plot", result]), Ok(folder.join("run.v2.svg")));
        let spectrum = target_of(&["plot", result, "--spectrum"]);
        assert_eq!(spectrum, Ok(folder.join("run.v2-spectrum.svg")));
        assert!(target_of(&["plot", "a.csv", "-o", "a.pdf"]).is_err());
        assert!(target_of(&["plot", "a.svg"]).is_err());
        assert!(target_of(&["plot", "a.csv", "-o", "no/such/folder/a.png"]).is_err());
    }

    #[test]
    fn contradictions_are_refused() {
        for bad in [
            &["plot"][..],
            &["plot", "a.csv", "-x", "b", "--spectrum"],
            &["plot", "a.csv", "--equal"],
            &["plot", "a.csv", "--log", "z"],
            &["plot", "a.csv", "--columns", "0"],
        ] {
            assert!(Args::try_parse_from(bad).is_err(), "{bad:?}");
        }
    }
}
