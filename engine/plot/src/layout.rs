//! Places of panels, titles and legends, and the drawing of them.

use crate::axes::{Axis, Frame, Numbers, Scale, range};
use crate::canvas::{Anchor, Canvas, Point, Text, colour, shorten, text_width};
use crate::figure::{Figure, Panel};
use crate::legend::{self, Legend};
use crate::ticks::Labels;
use crate::trace::Trace;

/// Height of the numbers at axes.
const NUMBERS: f64 = 11.5;
/// Height of the labels of axes.
const LABELS: f64 = 12.5;
/// Space at the edges of the page.
const EDGE: f64 = 20.0;
/// The least that a panel gets, whatever the page is.
const LEAST: f64 = 20.0;

/// Where the legend of a panel is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// There is none.
    None,
    /// Within the frame, upper left corner.
    Inside(Point),
    /// In lines above the frame; where a title would be, if there is none.
    Above,
    /// To the right of the frame.
    Beside,
}

/// Room kept for the factor of the numbers beside a legend above a frame.
const FACTOR: f64 = 50.0;
/// The most of a frame's height that a legend above it may take.
const MOST_ABOVE: f64 = 0.4;

/// A panel in its place.
struct Placed<'a> {
    panel: &'a Panel,
    frame: Frame,
    traces: Vec<Trace>,
    numbers: Numbers,
    /// Where the label of the vertical axis stands: the same for a whole column.
    label_x: f64,
    legend: Place,
}

/// A figure in its place.
pub struct Layout<'a> {
    figure: &'a Figure,
    width: f64,
    height: f64,
    /// Names common to all panels, shown once.
    common: Vec<String>,
    panels: Vec<Placed<'a>>,
}

impl<'a> Layout<'a> {
    /// Finds places. Legends that cover a line move beside their frame, which makes it narrower, or
    /// above it where frames stand side by side: hence two passes.
    pub fn new(figure: &'a Figure) -> Self {
        let (width, height) = figure.size();
        let mut layout = Self {
            figure,
            width,
            height,
            common: common_names(&figure.panels),
            panels: Vec::new(),
        };
        let axes = layout.axes();
        layout.panels = layout.place(&axes, &[]);
        if layout.panels.iter().any(|p| p.legend == Place::Beside) {
            let outside: Vec<Place> = layout.panels.iter().map(|p| layout.outside(p)).collect();
            layout.panels = layout.place(&axes, &outside);
        }
        layout
    }

    /// Where a legend goes that has no room: beside a frame of a column it would take the width of
    /// all frames.
    fn outside(&self, placed: &Placed<'_>) -> Place {
        let low = legend_height(placed.panel, placed.frame.w - FACTOR) <= MOST_ABOVE * placed.frame.h;
        match placed.legend {
            Place::Beside if self.columns() > 1 && low => Place::Above,
            other => other,
        }
    }

    fn columns(&self) -> usize {
        self.figure.columns.clamp(1, self.figure.panels.len().max(1))
    }

    fn rows(&self) -> usize {
        self.figure.panels.len().div_ceil(self.columns()).max(1)
    }

    /// Horizontal and vertical axis of each panel.
    fn axes(&self) -> Vec<(Axis, Axis)> {
        let panels = &self.figure.panels;
        let own: Vec<(Axis, Axis)> = panels.iter().map(axes).collect();
        if !self.figure.shares_x {
            return own;
        }
        let shared = |i: usize, panel: &Panel| {
            let column = panels.iter().skip(i % self.columns()).step_by(self.columns());
            let same = column.filter(|other| other.x_scale == panel.x_scale);
            let ranges = same.filter_map(x_range).flat_map(|(low, high)| [low, high]);
            horizontal(ranges, panel)
        };
        let axes = panels.iter().zip(&own).enumerate();
        axes.map(|(i, (panel, own))| (shared(i, panel), own.1)).collect()
    }

    /// Height of titles and the common legend.
    fn header(&self) -> f64 {
        let mut y = if self.figure.title.is_empty() { 10.0 } else { 46.0 };
        if !self.common.is_empty() {
            y += 4.0 + Legend::rows(&self.common, (EDGE, y), self.width - 2.0 * EDGE, None);
        }
        y
    }

    /// Puts the panels into a grid. `outside`: where legends are; empty on the first pass.
    fn place(&self, axes: &[(Axis, Axis)], outside: &[Place]) -> Vec<Placed<'a>> {
        let figure = self.figure;
        let (columns, rows) = (self.columns(), self.rows());
        let header = self.header();
        let footer = if figure.remark.is_empty() { 8.0 } else { 26.0 };
        // Above and below a frame.
        let has_legends = self.common.is_empty() && figure.panels.iter().any(|panel| panel.series.len() > 1);
        let has_titles = has_legends || figure.panels.iter().any(|panel| !panel.title.is_empty());
        let above = if has_titles { 28.0 } else { 18.0 };
        let below = 46.0;
        let (gap, foot) = if figure.shares_x {
            (0.0, below)
        } else {
            (below, 0.0)
        };
        let room = self.height - header - footer - foot;
        let h = (room / rows as f64 - above - gap).max(LEAST);
        // Left of a frame stand its numbers and its label, right of it may be its legend.
        let mut left = vec![0.0f64; columns];
        let mut right = vec![EDGE; columns];
        for (i, (panel, (_, vertical))) in figure.panels.iter().zip(axes).enumerate() {
            let ticks = vertical.ticks(h, Labels::Above(NUMBERS));
            let widths = ticks.list.iter().map(|tick| text_width(&tick.label, NUMBERS));
            let label = if panel.y_label.is_empty() { 12.0 } else { 36.0 };
            let column = i % columns;
            left[column] = left[column].max(widths.fold(0.0, f64::max) + label);
            if outside.get(i) == Some(&Place::Beside) {
                right[column] = right[column].max(Legend::new(panel.names(), h).size().0 + 26.0);
            }
        }
        let room = self.width - left.iter().sum::<f64>() - right.iter().sum::<f64>();
        let w = (room / columns as f64).max(LEAST);
        // Legends above their frames.
        let mut tops = vec![above; rows];
        for (i, panel) in figure.panels.iter().enumerate() {
            if outside.get(i) == Some(&Place::Above) {
                let top = &mut tops[i / columns];
                *top = top.max(legend_height(panel, w - FACTOR) + 10.0);
            }
        }
        let lower = tops.iter().map(|top| top - above).sum::<f64>() / rows as f64;
        let h = (h - lower).max(LEAST);
        let place = |(i, (panel, (horizontal, vertical))): (usize, (&'a Panel, &(Axis, Axis)))| {
            let (column, row) = (i % columns, i / columns);
            let x = left[..=column].iter().sum::<f64>() + right[..column].iter().sum::<f64>();
            let mut frame = Frame {
                x: x + column as f64 * w,
                y: header + tops[..=row].iter().sum::<f64>() + row as f64 * (h + gap),
                w,
                h,
                horizontal: *horizontal,
                vertical: *vertical,
            };
            if panel.is_equal && panel.x_scale == Scale::Linear && panel.y_scale == Scale::Linear {
                frame.equalise();
            }
            let is_limited = panel.x_limits != (None, None) || panel.y_limits != (None, None);
            let trace = |series: &crate::Series| {
                let trace = Trace::new(&frame, &series.x, &series.y);
                if is_limited { trace.clipped(&frame) } else { trace }
            };
            let traces: Vec<Trace> = panel.series.iter().map(trace).collect();
            let legend = if panel.series.len() < 2 || !self.common.is_empty() {
                Place::None
            } else if let Some(place @ (Place::Above | Place::Beside)) = outside.get(i) {
                *place
            } else {
                place_legend(panel, &frame, &traces)
            };
            Placed {
                panel,
                frame,
                traces,
                numbers: Numbers {
                    // The lowest panel of each column.
                    below: !figure.shares_x || i + columns >= figure.panels.len(),
                    left: true,
                },
                label_x: frame.x - left[column] + 20.0,
                legend,
            }
        };
        figure.panels.iter().zip(axes).enumerate().map(place).collect()
    }

    /// Draws everything.
    pub fn draw(&self, canvas: &mut dyn Canvas) {
        let figure = self.figure;
        let room = self.width - 2.0 * EDGE;
        if !figure.title.is_empty() {
            // Bold letters are wider than those measured.
            let title = shorten(&figure.title, 21.0, room);
            let left = room - text_width(&title, 21.0) - 14.0;
            let subtitle = if left > 60.0 {
                shorten(&figure.subtitle, 14.0, left)
            } else {
                String::new()
            };
            canvas.heading((EDGE, 34.0), &title, &subtitle);
        }
        if !self.common.is_empty() {
            let y = if figure.title.is_empty() { 10.0 } else { 46.0 };
            Legend::rows(&self.common, (EDGE, y), room, Some(&mut *canvas));
        }
        for placed in &self.panels {
            placed.draw(canvas);
        }
        if !figure.remark.is_empty() {
            let remark = shorten(&figure.remark, 11.0, room);
            let text = Text::new(&remark, 11.0, colour::MUTED, Anchor::Start);
            canvas.text((EDGE, self.height - 10.0), text);
        }
    }
}

fn label(text: &str, anchor: Anchor) -> Text<'_> {
    Text::new(text, LABELS, colour::INK, anchor)
}

impl Placed<'_> {
    fn draw(&self, canvas: &mut dyn Canvas) {
        let Frame { x, y, w, h, .. } = self.frame;
        self.frame.draw(canvas, NUMBERS, self.numbers);
        let middle = x + 0.5 * w;
        if self.numbers.below {
            let text = shorten(&self.panel.x_label, LABELS, w);
            canvas.text((middle, y + h + 37.0), label(&text, Anchor::Middle));
        }
        let text = shorten(&self.panel.y_label, LABELS, h + 24.0);
        canvas.text(
            (self.label_x, y + 0.5 * h),
            label(&text, Anchor::Middle).upright(),
        );
        let taken = factor_width(&self.frame);
        let title = shorten(&self.panel.title, LABELS, w - taken);
        canvas.text((x + taken, y - 7.0), label(&title, Anchor::Start).bold());
        // The first line on top of the others.
        for (i, (series, trace)) in self.panel.series.iter().zip(&self.traces).enumerate().rev() {
            canvas.group(&series.label);
            let stroke = legend::stroke(i);
            canvas.path(&trace.pieces, &stroke);
            for point in &trace.single {
                canvas.circle(*point, 2.6, stroke.colour, "none");
            }
            canvas.end_group();
        }
        if self.traces.iter().all(|trace| trace.len() == 0) {
            let text = Text::new("nothing to show", LABELS, colour::MUTED, Anchor::Middle);
            canvas.text((middle, y + 0.5 * h), text);
        }
        match self.legend {
            Place::None => {}
            Place::Inside(at) => Legend::new(self.panel.names(), f64::INFINITY).draw(canvas, at, true),
            Place::Above => {
                let names: Vec<String> = self.panel.names().map(String::from).collect();
                let top = y - 3.0 - legend_height(self.panel, w - taken);
                Legend::rows(&names, (x + taken, top), w - taken, Some(&mut *canvas));
            }
            Place::Beside => Legend::new(self.panel.names(), h).draw(canvas, (x + w + 14.0, y), false),
        }
    }
}

/// Within the frame where that covers nothing, else above it where there is room, else beside it.
fn place_legend(panel: &Panel, frame: &Frame, traces: &[Trace]) -> Place {
    let inside = Legend::new(panel.names(), f64::INFINITY).free_place(frame, traces);
    let has_room =
        panel.title.is_empty() && Legend::row_width(panel.names()) <= frame.w - factor_width(frame);
    match inside {
        Some(at) => Place::Inside(at),
        None if has_room => Place::Above,
        None => Place::Beside,
    }
}

/// Height of a legend in lines of this width above a frame, with the title below it.
fn legend_height(panel: &Panel, width: f64) -> f64 {
    let names: Vec<String> = panel.names().map(String::from).collect();
    let title = if panel.title.is_empty() { 0.0 } else { 18.0 };
    Legend::rows(&names, (0.0, 0.0), width, None) + title
}

/// The room that the factor of the numbers takes at the left end of the line above the frame.
fn factor_width(frame: &Frame) -> f64 {
    let ticks = frame.vertical.ticks(frame.h, Labels::Above(NUMBERS));
    match ticks.common.as_str() {
        "" => 0.0,
        common => text_width(common, NUMBERS) + 14.0,
    }
}

/// The names of the lines, where there are several panels and all have the same ones.
fn common_names(panels: &[Panel]) -> Vec<String> {
    let Some((first, rest)) = panels.split_first() else {
        return Vec::new();
    };
    let is_common =
        !rest.is_empty() && first.series.len() > 1 && rest.iter().all(|p| p.names().eq(first.names()));
    match is_common {
        true => first.names().map(String::from).collect(),
        false => Vec::new(),
    }
}

fn axes(panel: &Panel) -> (Axis, Axis) {
    // Points that have no place on one axis do not widen the other.
    let shown = |series: &crate::Series| -> Option<[(f64, f64); 2]> {
        let mut least = (f64::INFINITY, f64::INFINITY);
        let mut largest = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for (x, y) in series.x.iter().zip(&series.y) {
            if panel.x_scale.shows(*x) && panel.y_scale.shows(*y) && panel.is_visible(*x) {
                least = (least.0.min(*x), least.1.min(*y));
                largest = (largest.0.max(*x), largest.1.max(*y));
            }
        }
        (least.0 <= largest.0).then_some([least, largest])
    };
    let ends: Vec<(f64, f64)> = panel.series.iter().filter_map(shown).flatten().collect();
    let heights = ends.iter().map(|p| p.1);
    let vertical = match panel.y_scale {
        Scale::Linear if panel.is_phase => Axis::around(heights, 0.0).of_phases(),
        Scale::Linear => Axis::around(heights, 0.06),
        Scale::Log => Axis::log(heights),
    };
    let vertical = vertical.within(panel.y_limits).unwrap_or(vertical);
    (horizontal(ends.iter().map(|p| p.0), panel), vertical)
}

/// Lines that go from left to right fill the frame, others get a margin.
fn horizontal(values: impl IntoIterator<Item = f64>, panel: &Panel) -> Axis {
    let rises = |x: &[f64]| x.windows(2).all(|pair| pair[0] <= pair[1]);
    let all_rise = panel.series.iter().all(|series| rises(&series.x));
    let axis = match (panel.x_scale, all_rise) {
        (Scale::Linear, true) => Axis::around(values, 0.0),
        (Scale::Linear, false) => Axis::around(values, 0.06),
        (Scale::Log, true) => Axis::log_within(values),
        (Scale::Log, false) => Axis::log(values),
    };
    axis.within(panel.x_limits).unwrap_or(axis)
}

fn x_range(panel: &Panel) -> Option<(f64, f64)> {
    let all = panel.series.iter().flat_map(|series| series.x.iter().copied());
    range(all, panel.x_scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Panel, Series};

    fn sine(label: &str, turns: f64) -> Series {
        let x: Vec<f64> = (0..=400).map(|i| f64::from(i) / 40.0).collect();
        let y = x.iter().map(|t| (turns * t).sin()).collect();
        Series::new(label, x, y)
    }

    fn panel(series: Vec<Series>) -> Panel {
        let mut panel = Panel::new("time / s", "angle / rad");
        panel.series = series;
        panel
    }

    #[test]
    fn a_figure_has_its_parts() {
        let mut figure = Figure::new(
            "Linkage",
            vec![
                panel(vec![sine("crank", 1.0), sine("rocker", 2.0)]),
                panel(vec![sine("coupler", 3.0)]),
            ],
        );
        figure.shares_x = true;
        let svg = figure.svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("<title>Linkage</title>"));
        // Three lines, two samples in the legend.
        assert_eq!(svg.matches("<path").count(), 5);
        assert_eq!(svg.matches(">time / s<").count(), 1);
        assert_eq!(svg.matches(">angle / rad<").count(), 2);
        assert_eq!(svg.matches("<g>").count(), svg.matches("</g>").count());
        figure.shares_x = false;
        assert_eq!(figure.svg().matches(">time / s<").count(), 2);
    }

    #[test]
    fn runs_side_by_side_have_one_legend() {
        let runs = || vec![sine("soft", 1.0), sine("stiff", 3.0)];
        let svg = Figure::new("", vec![panel(runs()), panel(runs())]).svg();
        assert_eq!(svg.matches(">soft</text>").count(), 1);
        assert_eq!(svg.matches(">stiff</text>").count(), 1);
    }

    #[test]
    fn crowded_panels_have_their_legend_beside() {
        let many: Vec<Series> = (0..12)
            .map(|i| sine(&format!("line {i}"), f64::from(i)))
            .collect();
        let figure = Figure::new("", vec![panel(many)]);
        let layout = Layout::new(&figure);
        let placed = &layout.panels[0];
        assert_eq!(placed.legend, Place::Beside);
        assert!(placed.frame.x + placed.frame.w + 60.0 < layout.width);
        let few = Figure::new("", vec![panel(vec![sine("a", 1.0), sine("b", 1.0)])]);
        assert!(matches!(
            Layout::new(&few).panels[0].legend,
            Place::Inside(_) | Place::Beside
        ));
    }

    #[test]
    fn legends_of_frames_side_by_side_leave_them_wide() {
        let crowded = || {
            let lines = (0..5).map(|i| sine(&format!("part_{i}.angular_velocity.z"), 40.0 + f64::from(i)));
            panel(lines.collect())
        };
        let mut other = crowded();
        other.series[0].label = "another".into();
        let mut figure = Figure::new("", vec![crowded(), other, crowded(), crowded()]);
        figure.columns = 2;
        let layout = Layout::new(&figure);
        for placed in &layout.panels {
            assert_eq!(placed.legend, Place::Above);
            assert!(placed.frame.w > 0.38 * layout.width, "{}", placed.frame.w);
        }
        // Names stand between the frames, not on them.
        let [upper, lower] = [&layout.panels[0], &layout.panels[2]];
        let top = lower.frame.y - 3.0 - legend_height(lower.panel, lower.frame.w - FACTOR);
        assert!(top > upper.frame.y + upper.frame.h);
    }

    #[test]
    fn frames_stay_on_the_page_and_apart() {
        for (count, columns) in [(1, 1), (3, 1), (4, 2), (6, 3), (5, 2)] {
            let mut figure = Figure::new("Title", (0..count).map(|_| panel(vec![sine("a", 1.0)])).collect());
            figure.columns = columns;
            let layout = Layout::new(&figure);
            let frames: Vec<Frame> = layout.panels.iter().map(|p| p.frame).collect();
            for (i, a) in frames.iter().enumerate() {
                assert!(a.x > 0.0 && a.y > 0.0);
                assert!(a.x + a.w < layout.width && a.y + a.h < layout.height);
                for b in &frames[i + 1..] {
                    let apart = a.x + a.w < b.x || b.x + b.w < a.x || a.y + a.h < b.y || b.y + b.h < a.y;
                    assert!(apart, "{count} {columns}");
                }
            }
        }
    }

    #[test]
    fn odd_data_never_fail() {
        let nan = f64::NAN;
        let odd = [
            (vec![], vec![]),
            (vec![1.0], vec![2.0]),
            (vec![nan, nan], vec![nan, 1.0]),
            (vec![0.0, 1.0], vec![f64::INFINITY, f64::NEG_INFINITY]),
            (vec![0.0, 1.0, 2.0], vec![5.0, 5.0, 5.0]),
            (vec![0.0, 1.0], vec![f64::MAX, -f64::MAX]),
            (vec![0.0, 1.0], vec![1e300, -1e300]),
            (vec![-1.0, 0.0], vec![0.0, -1.0]),
            (vec![0.0, 1.0, 2.0], vec![5e-324, 0.0, 1e-320]),
            (vec![2.0, 1.0], vec![1.0]),
        ];
        for (x, y) in odd {
            for (x_scale, y_scale) in [(Scale::Linear, Scale::Linear), (Scale::Log, Scale::Log)] {
                for size in [None, Some((50.0, 40.0)), Some((1.0, 1.0))] {
                    let series = Series::new("odd", x.clone(), y.clone());
                    let mut odd = panel(vec![series.clone(), series]);
                    (odd.x_scale, odd.y_scale, odd.is_equal) = (x_scale, y_scale, true);
                    let mut figure = Figure::new("odd", vec![odd]);
                    figure.size = size;
                    let svg = figure.svg();
                    for word in ["NaN", "inf"] {
                        assert!(!svg.contains(word), "{x:?} {y:?}: {svg}");
                    }
                    assert!(figure.png(1.0).is_ok());
                }
            }
        }
        assert!(Figure::new("", vec![]).svg().contains("</svg>"));
    }

    #[test]
    fn hostile_names_are_harmless() {
        let evil = "</text><script>alert(1)</script>&\"'\0";
        let mut hostile = panel(vec![sine(evil, 1.0), sine(evil, 2.0)]);
        hostile.title = evil.into();
        hostile.x_label = evil.into();
        hostile.y_label = evil.repeat(100);
        let mut figure = Figure::new(evil, vec![hostile]);
        figure.remark = evil.into();
        figure.subtitle = evil.into();
        let svg = figure.svg();
        assert!(!svg.contains("<script") && !svg.contains('\0'));
        assert!(figure.png(1.0).is_ok());
    }

    #[test]
    fn bitmaps_show_the_lines() {
        let figure = Figure::new(
            "Linkage",
            vec![panel(vec![sine("crank", 1.0), sine("rocker", 2.0)])],
        );
        let png = figure.png(2.0).expect("a value");
        let read = tiny_skia::Pixmap::decode_png(&png).expect("a value");
        assert_eq!(f64::from(read.width()), 2.0 * figure.size().0);
        // Pixels in the colour of the first line, and not too many.
        let blue = (read.pixels().iter()).filter(|p| (p.red(), p.green(), p.blue()) == (0x00, 0x72, 0xb2));
        let count = blue.count();
        assert!((500..50_000).contains(&count), "{count}");
    }

    #[test]
    fn millions_of_points_make_a_small_file() {
        let n = 2_000_000;
        let x: Vec<f64> = (0..n).map(f64::from).collect();
        let y: Vec<f64> = x
            .iter()
            .map(|t| (1e-4 * t).sin() + 0.1 * (0.7 * t).sin())
            .collect();
        let svg = Figure::new("", vec![panel(vec![Series::new("long", x, y)])]).svg();
        assert!(svg.len() < 100_000, "{}", svg.len());
    }
}
