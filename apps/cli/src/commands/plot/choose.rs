//! Which channels go into which panel.

use super::runs::Run;
use super::units::{self, Wish};
use crate::error::Error;
use holonom_plot::{Panel, Series, Spectrum, Window};
use holonom_results::Column;
use std::collections::HashMap;

/// Panels of an overview.
const MOST_PANELS: usize = 6;
/// Lines in a panel of an overview.
const MOST_LINES: usize = 8;
/// Channels that get a panel each when there are several results.
const MOST_SINGLE: usize = 12;

/// What was asked for.
pub enum Choice {
    /// Whatever comes first.
    Overview,
    /// These, by pattern.
    Named {
        /// To be grouped by quantity and unit.
        channels: Vec<String>,
        /// One panel each, patterns separated by commas.
        panels: Vec<String>,
    },
}

/// How channels are shown.
pub struct View {
    /// The channel to the right; time when there is none.
    pub x: Option<String>,
    /// Amplitudes over frequency.
    pub is_spectrum: bool,
    /// Window of the spectra.
    pub window: Window,
    /// First and last time.
    pub range: (f64, f64),
    /// Units in which channels are shown.
    pub units: Vec<Wish>,
}

/// The channels of a panel, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    title: String,
    names: Vec<String>,
}

/// The panels, and remarks on what they do not show.
pub fn panels(runs: &[Run], choice: &Choice, view: &View) -> Result<(Vec<Panel>, Vec<String>), Error> {
    let mut remarks = Vec::new();
    let groups = match choice {
        Choice::Overview => overview(runs, view, &mut remarks),
        Choice::Named { channels, panels } => named(runs, channels, panels)?,
    };
    let loaded = (runs.iter()).map(|run| Loaded::new(run, &groups, view));
    let loaded = loaded.collect::<Result<Vec<_>, _>>()?;
    let plotted = (loaded.iter()).flat_map(|l| l.columns.keys().map(|k| &l.run.columns()[*k]));
    units::check(&view.units, plotted)?;
    let mut drawn = Vec::new();
    let mut is_resampled = false;
    for group in &groups {
        drawn.push(panel(&loaded, group, view, &mut is_resampled)?);
    }
    if view.is_spectrum {
        remarks.push(format!(
            "Amplitude spectrum with a {} window.",
            view.window.name()
        ));
    }
    if is_resampled {
        remarks.push("Unevenly spaced samples were interpolated with cubics.".into());
    }
    let is_lacking = |run: &&Run| {
        groups
            .iter()
            .flat_map(|g| &g.names)
            .any(|name| run.find(name).is_none())
    };
    for run in runs.iter().filter(is_lacking) {
        remarks.push(format!("Some channels are not in {}.", run.label));
    }
    if drawn
        .iter()
        .all(|panel| panel.series.iter().all(|s| s.x.is_empty()))
    {
        let (from, to) = view.range;
        return Err(Error::Usage(
            match from > f64::NEG_INFINITY || to < f64::INFINITY {
                true => format!("there are no data between {from} and {to}; widen --range"),
                false if view.is_spectrum => {
                    "a spectrum needs at least four samples at increasing times; the results have fewer"
                        .into()
                }
                false => "the results have no rows".into(),
            },
        ));
    }
    Ok((drawn, remarks))
}

/// A result and those of its numbers that are drawn.
struct Loaded<'a> {
    run: &'a Run,
    /// Number of the column to the right.
    x: usize,
    /// By number of the column.
    numbers: HashMap<usize, Vec<f64>>,
    /// The same columns with the units in which they are shown.
    columns: HashMap<usize, Column>,
}

impl<'a> Loaded<'a> {
    /// Reads a file once, for all panels together.
    fn new(run: &'a Run, groups: &[Group], view: &View) -> Result<Self, Error> {
        let x = match &view.x {
            None => 0,
            Some(name) => match run.select(name)?.as_slice() {
                [one] => *one,
                several => {
                    return Err(Error::Usage(format!(
                        "--x `{name}` matches {} channels of `{}`; select one",
                        several.len(),
                        run.label
                    )));
                }
            },
        };
        let names = groups.iter().flat_map(|group| &group.names);
        let mut columns: Vec<usize> = names.filter_map(|name| run.find(name)).chain([0, x]).collect();
        columns.sort_unstable();
        columns.dedup();
        // The time is the first column, hence the first read.
        let mut numbers = run.read(&columns)?;
        let (from, to) = view.range;
        let is_inside: Vec<bool> = match numbers.first() {
            Some(t) => t.iter().map(|t| *t >= from && *t <= to).collect(),
            None => Vec::new(),
        };
        for values in &mut numbers {
            let mut inside = is_inside.iter();
            values.retain(|_| inside.next() == Some(&true));
        }
        let mut shown: Vec<Column> = columns.iter().map(|i| run.columns()[*i].clone()).collect();
        for (column, values) in shown.iter_mut().zip(&mut numbers) {
            units::convert(&view.units, column, values);
        }
        Ok(Self {
            run,
            x,
            numbers: columns.iter().copied().zip(numbers).collect(),
            columns: columns.into_iter().zip(shown).collect(),
        })
    }
}

/// Quantity of a channel: the last part of its name that is not a component.
fn quantity(name: &str) -> &str {
    let is_component = |part: &str| part.len() == 1 || part.parse::<u32>().is_ok();
    // The first part names the body or joint.
    let (_, rest) = name.split_once('.').unwrap_or((name, ""));
    rest.rsplit('.').find(|part| !is_component(part)).unwrap_or("")
}

/// `text / unit`, the way of scientific journals.
fn with_unit(text: &str, unit: &str) -> String {
    match (text, unit) {
        (text, "") => text.into(),
        ("", unit) => unit.into(),
        (text, unit) if unit.contains(['/', '*', '·', ' ']) => format!("{text} / ({unit})"),
        (text, unit) => format!("{text} / {unit}"),
    }
}

/// Channels of the same quantity and unit together, in the order of their first ones.
fn grouped<'a>(columns: impl IntoIterator<Item = &'a Column>) -> Vec<Group> {
    let mut keys: Vec<(&str, &str)> = Vec::new();
    let mut groups: Vec<Group> = Vec::new();
    for column in columns {
        let key = (quantity(&column.name), column.unit.as_str());
        let place = keys.iter().position(|k| *k == key).unwrap_or_else(|| {
            keys.push(key);
            groups.push(Group {
                title: String::new(),
                names: Vec::new(),
            });
            keys.len() - 1
        });
        groups[place].names.push(column.name.clone());
    }
    groups
}

fn single(name: &str) -> Group {
    Group {
        title: name.into(),
        names: vec![name.into()],
    }
}

fn overview(runs: &[Run], view: &View, remarks: &mut Vec<String>) -> Vec<Group> {
    let is_x = |column: &&Column| view.x.as_ref() == Some(&column.name);
    let Some(first) = runs.first() else {
        return Vec::new();
    };
    let all = || first.columns().iter().skip(1).filter(|column| !is_x(column));
    let mut groups: Vec<Group> = match runs.len() {
        1 => grouped(all()),
        _ => all().map(|column| single(&column.name)).collect(),
    };
    groups.truncate(MOST_PANELS);
    groups
        .iter_mut()
        .for_each(|group| group.names.truncate(MOST_LINES));
    let (shown, count) = (groups.iter().map(|g| g.names.len()).sum::<usize>(), all().count());
    if shown < count {
        remarks.push(format!(
            "{shown} of {count} channels are shown; select channels with --channel or --panel."
        ));
    }
    groups
}

fn named(runs: &[Run], channels: &[String], panels: &[String]) -> Result<Vec<Group>, Error> {
    let mut groups = Vec::new();
    for list in panels {
        let mut names = Vec::new();
        for pattern in split(list) {
            let found = find(runs, pattern)?;
            names.extend(found.into_iter().map(|column| column.name));
        }
        groups.push(Group {
            title: String::new(),
            names: distinct(names),
        });
    }
    let mut columns: Vec<Column> = Vec::new();
    for pattern in channels.iter().flat_map(|list| split(list)) {
        for column in find(runs, pattern)? {
            if columns.iter().all(|c| c.name != column.name) {
                columns.push(column);
            }
        }
    }
    if runs.len() > 1 && columns.len() <= MOST_SINGLE {
        groups.extend(columns.iter().map(|column| single(&column.name)));
    } else {
        groups.extend(grouped(&columns));
    }
    Ok(groups)
}

/// Patterns between commas; a comma within brackets belongs to its set.
pub fn split(list: &str) -> Vec<&str> {
    let mut is_set = false;
    let parts = list.split(move |c: char| {
        match c {
            '[' => is_set = true,
            ']' => is_set = false,
            _ => {}
        }
        c == ',' && !is_set
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

fn distinct(names: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        if !kept.contains(&name) {
            kept.push(name);
        }
    }
    kept
}

/// Channels of any run that match; an error when none of the runs has one.
fn find(runs: &[Run], pattern: &str) -> Result<Vec<Column>, Error> {
    let mut found: Vec<Column> = Vec::new();
    let mut failure = None;
    for run in runs {
        match run.select(pattern) {
            Ok(columns) => {
                // A star does not mean the time.
                let is_wanted = |i: &usize| *i > 0 || pattern == run.columns()[0].name;
                for column in columns.into_iter().filter(is_wanted).map(|i| &run.columns()[i]) {
                    if found.iter().all(|c| c.name != column.name) {
                        found.push(column.clone());
                    }
                }
            }
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    match failure {
        Some(error) if found.is_empty() => Err(error),
        _ => Ok(found),
    }
}

fn panel(runs: &[Loaded<'_>], group: &Group, view: &View, is_resampled: &mut bool) -> Result<Panel, Error> {
    let mut series = Vec::new();
    let mut units = Vec::new();
    let mut columns: Vec<Column> = Vec::new();
    let mut x_label = String::new();
    for Loaded {
        run,
        x,
        numbers,
        columns: shown,
    } in runs
    {
        if x_label.is_empty() {
            x_label = label_of_x(&shown[x], view);
        }
        for index in group.names.iter().filter_map(|name| run.find(name)) {
            let (Some(x), Some(values)) = (numbers.get(x), numbers.get(&index)) else {
                continue;
            };
            let column = &shown[&index];
            let label = match (runs.len(), group.names.len()) {
                (1, _) => column.name.clone(),
                (_, 1) => run.label.clone(),
                _ => format!("{} ({})", column.name, run.label),
            };
            if columns.iter().all(|c| c.name != column.name) {
                columns.push(column.clone());
            }
            let (mut x, mut y) = (x.clone(), values.clone());
            if view.is_spectrum {
                let spectrum = Spectrum::new(&x, &y, view.window);
                *is_resampled |= spectrum.as_ref().is_some_and(|s| s.is_resampled);
                (x, y) = spectrum.map_or((Vec::new(), Vec::new()), |s| (s.frequency, s.amplitude));
            }
            series.push(Series::new(label, x, y));
            units.push(column.unit.as_str());
        }
    }
    let has_one_unit = units.iter().all(|unit| *unit == units[0]);
    if !has_one_unit {
        // The unit goes with the name of the line.
        for (series, unit) in series.iter_mut().zip(&units) {
            series.label = with_unit(&series.label, unit);
        }
    }
    let mut panel = Panel::new(x_label, label_of_y(&columns, has_one_unit, view));
    panel.title = match (columns.as_slice(), group.title.as_str()) {
        ([only], "") => only.name.clone(),
        (_, title) => title.into(),
    };
    panel.series = series;
    Ok(panel)
}

fn label_of_x(column: &Column, view: &View) -> String {
    match (view.is_spectrum, column.name.as_str(), column.unit.as_str()) {
        (true, _, "s" | "") => "frequency / Hz".into(),
        (true, _, unit) => format!("frequency / (1/{unit})"),
        (false, "t" | "time", unit) => with_unit("time", unit),
        (false, name, unit) => with_unit(name, unit),
    }
}

fn label_of_y(columns: &[Column], has_one_unit: bool, view: &View) -> String {
    let Some(first) = columns.first() else {
        return String::new();
    };
    let own = quantity(&first.name);
    let has_one_quantity = columns.iter().all(|c| quantity(&c.name) == own);
    let quantity = match (has_one_quantity, columns) {
        (true, [only]) if own.is_empty() => only.name.as_str(),
        (true, _) => own,
        _ => "",
    };
    let text = with_unit(quantity, if has_one_unit { &first.unit } else { "" });
    if view.is_spectrum {
        return if text.is_empty() {
            "amplitude".into()
        } else {
            format!("amplitude of {text}")
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_from_names() {
        for (name, wanted) in [
            ("crank.position.x", "position"),
            ("A.angle", "angle"),
            ("front_axle.A.force.z", "force"),
            ("wheel.slip.0", "slip"),
            ("energy", ""),
            ("x", ""),
        ] {
            assert_eq!(quantity(name), wanted);
        }
    }

    #[test]
    fn units_stand_behind_a_stroke() {
        assert_eq!(with_unit("time", "s"), "time / s");
        assert_eq!(with_unit("velocity", "m/s"), "velocity / (m/s)");
        assert_eq!(with_unit("ratio", ""), "ratio");
        assert_eq!(with_unit("", "m"), "m");
    }

    #[test]
    fn channels_are_grouped_by_quantity_and_unit() {
        let columns = [
            ("crank.position.x", "m"),
            ("crank.velocity.x", "m/s"),
            ("rod.position.y", "m"),
            ("A.position", "rad"),
        ]
        .map(|(name, unit)| Column::new(name, unit, ""));
        let groups: Vec<Vec<String>> = grouped(&columns).into_iter().map(|g| g.names).collect();
        assert_eq!(groups.len(), 3);
        assert_eq!(groups[0], ["crank.position.x", "rod.position.y"]);
    }

    #[test]
    fn lists_are_split_outside_of_sets() {
        assert_eq!(split("a.*, b.[x,y],c"), ["a.*", "b.[x,y]", "c"]);
        assert!(split(" , ").is_empty());
    }
}
