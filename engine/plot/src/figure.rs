//! Figures: series of numbers in panels.

use crate::axes::{Scale, range};

/// A line through points. Where x or y is not a number the line has a gap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub label: String,
    /// To the right.
    pub x: Vec<f64>,
    /// Upwards.
    pub y: Vec<f64>,
}

impl Series {
    /// A line through points.
    pub fn new(label: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        Self {
            label: label.into(),
            x,
            y,
        }
    }
}

/// A pair of axes and the lines between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Above it; may be empty.
    pub title: String,
    /// Below it, with the unit.
    pub x_label: String,
    /// On the left, with the unit.
    pub y_label: String,
    /// How values lie to the right.
    pub x_scale: Scale,
    /// How values lie upwards.
    pub y_scale: Scale,
    /// The lines; the first is on top.
    pub series: Vec<Series>,
    /// Whether a unit is as long to the right as upwards; only on linear axes.
    pub is_equal: bool,
    /// Whether upwards are angles in degrees, with ticks at multiples of 45.
    pub is_phase: bool,
    /// Ends of the horizontal axis; those that are not given fit the lines.
    pub x_limits: (Option<f64>, Option<f64>),
    /// Ends of the vertical axis; those that are not given fit what is visible of the lines.
    pub y_limits: (Option<f64>, Option<f64>),
}

impl Panel {
    /// A panel with linear axes.
    pub fn new(x_label: impl Into<String>, y_label: impl Into<String>) -> Self {
        Self {
            title: String::new(),
            x_label: x_label.into(),
            y_label: y_label.into(),
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            series: Vec::new(),
            is_equal: false,
            is_phase: false,
            x_limits: (None, None),
            y_limits: (None, None),
        }
    }

    /// Whether a value of x is within the limits.
    pub(crate) fn is_visible(&self, x: f64) -> bool {
        let (low, high) = self.x_limits;
        low.is_none_or(|low| x >= low) && high.is_none_or(|high| x <= high)
    }

    /// What to say if the limits leave nothing of an axis.
    pub fn nothing_within(&self) -> Option<String> {
        let ends = |values: &mut dyn Iterator<Item = f64>, scale| range(values, scale);
        let x = ends(
            &mut self.series.iter().flat_map(|s| s.x.iter().copied()),
            self.x_scale,
        );
        let points = self.series.iter().flat_map(|s| s.x.iter().zip(&s.y));
        let y = ends(
            &mut points.filter(|(x, _)| self.is_visible(**x)).map(|(_, y)| *y),
            self.y_scale,
        );
        for (axis, limits, found) in [("x", self.x_limits, x), ("y", self.y_limits, y)] {
            let Some((low, high)) = found else { continue };
            let (text, end) = match limits {
                (Some(from), None) if from >= high => ("begins above", high),
                (None, Some(to)) if to <= low => ("ends below", low),
                _ => continue,
            };
            return Some(format!("--{axis}-range {text} all values, which go to {end}"));
        }
        None
    }

    /// How many finite values have no place on a logarithmic axis because they are not positive, and of how many.
    pub fn hidden_by_log(&self) -> (usize, usize) {
        let points = || {
            let all = self
                .series
                .iter()
                .flat_map(|s| s.x.iter().copied().zip(s.y.iter().copied()));
            all.filter(|(x, y)| x.is_finite() && y.is_finite() && self.is_visible(*x))
        };
        let is_shown = |(x, y): &(f64, f64)| self.x_scale.shows(*x) && self.y_scale.shows(*y);
        let count = points().count();
        (count - points().filter(is_shown).count(), count)
    }

    /// Names of the lines.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.series.iter().map(|series| series.label.as_str())
    }
}

/// Panels side by side and above one another.
///
/// ```ignore
/// let mut panel = Panel::new("time / s", "angle / rad");
/// panel.series.push(Series::new("crank", t, angle));
/// let figure = Figure::new("Four-bar linkage", vec![panel]);
/// std::fs::write("angle.svg", figure.svg())?;
/// std::fs::write("angle.png", figure.png(2.0)?)?;
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Above all panels; may be empty.
    pub title: String,
    /// Behind the title, smaller; may be empty.
    pub subtitle: String,
    /// A remark below all panels; may be empty.
    pub remark: String,
    /// Row by row.
    pub panels: Vec<Panel>,
    /// Panels side by side.
    pub columns: usize,
    /// Width and height in pixels; chosen to fit when not given.
    pub size: Option<(f64, f64)>,
    /// Whether panels above one another have the same horizontal axis, with numbers below the
    /// lowest only.
    pub shares_x: bool,
}

impl Figure {
    /// A figure with panels above one another, or in two columns from four panels on.
    pub fn new(title: impl Into<String>, panels: Vec<Panel>) -> Self {
        Self {
            title: title.into(),
            subtitle: String::new(),
            remark: String::new(),
            columns: if panels.len() < 4 { 1 } else { 2 },
            panels,
            size: None,
            shares_x: false,
        }
    }

    /// The size that is drawn.
    pub fn size(&self) -> (f64, f64) {
        let rows = self.panels.len().div_ceil(self.columns.max(1)).max(1) as f64;
        let per_row = match (rows as usize, self.panels.iter().any(|panel| panel.is_equal)) {
            (1, true) => 560.0,
            (1, false) => 420.0,
            (_, true) => 360.0,
            (2, false) => 270.0,
            (_, false) => 215.0,
        };
        let width = match self.columns {
            0 | 1 => 860.0,
            columns => 120.0 + 500.0 * columns.min(6) as f64,
        };
        self.size.unwrap_or((width, 80.0 + rows * per_row))
    }

    /// What a screen reader says.
    pub(crate) fn name(&self) -> String {
        if !self.title.is_empty() {
            return self.title.clone();
        }
        let panels: Vec<String> = (self.panels.iter())
            .map(|panel| format!("{} over {}", panel.y_label, panel.x_label))
            .collect();
        panels.join("; ")
    }
}
