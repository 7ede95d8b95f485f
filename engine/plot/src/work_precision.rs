//! Work–precision diagrams: what a digit costs.

use crate::axes::{Axis, Frame, Numbers};
use crate::canvas::{Anchor, Canvas, Stroke, Text, colour, text_width};
use crate::svg::Svg;

/// One run.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Its relative tolerance.
    pub rtol: f64,
    /// Digits reached, one entry per curve; `None` where there is no reference.
    pub digits: Vec<Option<f64>>,
    /// Residual evaluations.
    pub residuals: f64,
    /// Time in seconds.
    pub seconds: f64,
}

/// All runs of one problem.
#[derive(Clone, Debug)]
pub struct Diagram {
    /// Name of the problem.
    pub name: String,
    /// What it is.
    pub title: String,
    /// Unknowns, strategies, tolerances.
    pub subtitle: String,
    /// Failed runs and other remarks.
    pub remark: String,
    /// Names of the curves.
    pub curves: Vec<&'static str>,
    /// The runs, loosest tolerance first.
    pub samples: Vec<Sample>,
}

/// What a run cost, in one of several measures.
type Work = fn(&Sample) -> f64;

/// Colours of the curves.
const COLOURS: [&str; 4] = ["#1864ab", "#d9480f", "#5f3dc4", "#2b8a3e"];

impl Diagram {
    fn curve(&self, i: usize, work: Work) -> Vec<(f64, f64, f64)> {
        let point = |s: &Sample| {
            let digits = s.digits.get(i).copied().flatten()?;
            Some((digits, work(s), s.rtol))
        };
        self.samples.iter().filter_map(point).collect()
    }

    /// The curve of the overview: the group that is judged most strictly.
    fn main_curve(&self) -> Vec<(f64, f64, f64)> {
        self.curve(0, |s| s.residuals)
    }
}

/// Whether a tolerance is a whole power of ten.
fn is_decade(rtol: f64) -> bool {
    let k = rtol.log10();
    (k - k.round()).abs() < 1e-6
}

/// The diagram of one problem: residual evaluations and time over digits.
pub fn figure(diagram: &Diagram) -> String {
    const WIDTH: f64 = 960.0;
    const HEIGHT: f64 = 470.0;
    let mut svg = Svg::new(WIDTH, HEIGHT, &diagram.name);
    let start = |text, size, colour| Text::new(text, size, colour, Anchor::Start);
    svg.heading((28.0, 34.0), &diagram.name, &diagram.title);
    svg.text((28.0, 56.0), start(&diagram.subtitle, 12.0, colour::MUTED));
    legend(&mut svg, diagram, WIDTH - 28.0, 80.0);
    let digits = || (diagram.samples.iter()).flat_map(|s| s.digits.iter().copied().flatten());
    let works: [(&str, Work); 2] = [
        ("residual evaluations", |s| s.residuals),
        ("time / ms", |s| s.seconds * 1e3),
    ];
    for (i, (label, work)) in works.into_iter().enumerate() {
        let panel = Frame {
            x: 92.0 + 472.0 * i as f64,
            y: 96.0,
            w: 368.0,
            h: 294.0,
            horizontal: Axis::whole(digits()),
            vertical: Axis::log(diagram.samples.iter().map(work)),
        };
        let numbers = Numbers {
            below: true,
            left: true,
        };
        panel.draw(&mut svg, 12.0, numbers);
        let middle = panel.x + 0.5 * panel.w;
        let text = |t| Text::new(t, 13.0, colour::INK, Anchor::Middle);
        svg.text((middle, panel.y + panel.h + 42.0), text("correct digits"));
        let left = (panel.x - 60.0, panel.y + 0.5 * panel.h);
        svg.text(left, text(label).upright());
        // The first curve on top of the others.
        for c in (0..diagram.curves.len()).rev() {
            curve(
                &mut svg,
                &panel,
                &diagram.curve(c, work),
                COLOURS[c % COLOURS.len()],
            );
        }
        let curves: Vec<_> = (0..diagram.curves.len())
            .map(|c| diagram.curve(c, work))
            .collect();
        tolerances(&mut svg, &panel, &curves);
    }
    let foot = format!(
        "Numbers at the first curve: relative tolerance; full circles at whole powers of ten.{}",
        diagram.remark
    );
    svg.text((28.0, HEIGHT - 14.0), start(&foot, 11.0, colour::MUTED));
    svg.finish()
}

/// Names of the curves, from right to left.
fn legend(svg: &mut Svg, diagram: &Diagram, right: f64, y: f64) {
    let mut x = right;
    for (i, name) in diagram.curves.iter().enumerate().rev() {
        let colour = COLOURS[i % COLOURS.len()];
        x -= text_width(name, 12.0);
        svg.text((x, y), Text::new(name, 12.0, colour::INK, Anchor::Start));
        svg.line((x - 28.0, y - 4.0), (x - 6.0, y - 4.0), colour, 2.0);
        svg.circle((x - 17.0, y - 4.0), 3.2, colour, colour);
        x -= 48.0;
    }
}

fn curve(svg: &mut Svg, panel: &Frame, points: &[(f64, f64, f64)], colour: &'static str) {
    let pixels: Vec<_> = points.iter().map(|(x, y, _)| panel.at(*x, *y)).collect();
    svg.path(std::slice::from_ref(&pixels), &Stroke::solid(colour, 1.8));
    for (pixel, (.., rtol)) in pixels.iter().zip(points) {
        if is_decade(*rtol) {
            svg.circle(*pixel, 3.6, colour, colour);
        } else {
            svg.circle(*pixel, 2.4, "#ffffff", colour);
        }
    }
}

/// Tolerances beside the points of the first curve, where there is room for them.
fn tolerances(svg: &mut Svg, panel: &Frame, curves: &[Vec<(f64, f64, f64)>]) {
    const SIZE: f64 = 10.5;
    let Some(points) = curves.first() else {
        return;
    };
    let pixels =
        |points: &[(f64, f64, f64)]| -> Vec<_> { points.iter().map(|(x, y, _)| panel.at(*x, *y)).collect() };
    // The first curve, then the others, then the labels.
    let mut taken: Vec<[f64; 4]> = Vec::new();
    let mut taken_by_first = 0;
    for (i, pixels) in curves.iter().map(|curve| pixels(curve)).enumerate() {
        let around = |(x, y): (f64, f64), r: f64| [x - r, y - r, x + r, y + r];
        taken.extend(pixels.iter().map(|pixel| around(*pixel, 5.0)));
        // Points between the points stand for the line.
        for pair in pixels.windows(2) {
            let (dx, dy) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
            let parts = (dx.hypot(dy) / 4.0).ceil().max(1.0);
            taken.extend((1..parts as usize).map(|k| {
                let s = k as f64 / parts;
                around((pair[0].0 + s * dx, pair[0].1 + s * dy), 1.5)
            }));
        }
        if i == 0 {
            taken_by_first = taken.len();
        }
    }
    let taken_by_all = taken.len();
    let pixels = pixels(points);
    for (&(x, y), (.., rtol)) in pixels.iter().zip(points) {
        let even = (rtol.log10().round() as i32) % 2 == 0;
        if !is_decade(*rtol) || !even {
            continue;
        }
        let text = format!("{rtol:e}");
        let w = text_width(&text, SIZE);
        // Left above, right below, straight above and below, left and right.
        let places = [
            (x - 7.0 - w, y - 4.0),
            (x + 7.0, y + 12.0),
            (x - 0.5 * w, y - 10.0),
            (x - 0.5 * w, y + 18.0),
            (x - 9.0 - w, y + 4.0),
            (x + 9.0, y + 4.0),
        ];
        let area = |(left, base): (f64, f64)| [left, base - SIZE + 1.0, left + w, base + 2.0];
        let fits = |place: &&(f64, f64), taken: &[[f64; 4]]| {
            let a = area(**place);
            let meets = |b: &[f64; 4]| a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
            let inside_x = a[0] > panel.x && a[2] < panel.x + panel.w;
            let inside_y = a[1] > panel.y && a[3] < panel.y + panel.h;
            inside_x && inside_y && !taken.iter().any(meets)
        };
        // Where every place is taken, another curve may run behind the label, not the same one.
        let place = places.iter().find(|p| fits(p, &taken)).or_else(|| {
            let strict = [&taken[..taken_by_first], &taken[taken_by_all..]].concat();
            places.iter().find(|p| fits(p, &strict))
        });
        if let Some(&place) = place {
            svg.text(place, Text::new(&text, SIZE, colour::MUTED, Anchor::Start).halo());
            taken.push(area(place));
        }
    }
}

/// All problems in small, on the same axes: residual evaluations over digits, the other problems
/// in grey behind each.
pub fn overview(diagrams: &[Diagram], subtitle: &str) -> String {
    const W: f64 = 205.0;
    const H: f64 = 148.0;
    const GAP: (f64, f64) = (22.0, 38.0);
    const LEFT: f64 = 84.0;
    const TOP: f64 = 104.0;
    // The number of columns that leaves the fewest places empty.
    let empty = |columns: &usize| (columns - diagrams.len() % columns) % columns;
    let columns = match diagrams.len() {
        few @ 0..=6 => few.max(1),
        _ => [6, 5, 4].into_iter().min_by_key(empty).unwrap_or(5),
    };
    let rows = diagrams.len().div_ceil(columns).max(1);
    let width = (LEFT + columns as f64 * (W + GAP.0) + 16.0).max(660.0);
    let height = TOP + rows as f64 * (H + GAP.1) + 34.0;
    let heading = "Work and precision of the reference problems";
    let mut svg = Svg::new(width, height, heading);
    let start = |text, size, colour| Text::new(text, size, colour, Anchor::Start);
    svg.text((28.0, 36.0), start(heading, 19.0, colour::INK).bold());
    svg.text((28.0, 58.0), start(subtitle, 12.0, colour::MUTED));
    let curves: Vec<_> = diagrams.iter().map(Diagram::main_curve).collect();
    let all = || curves.iter().flatten();
    let horizontal = Axis::whole(all().map(|p| p.0));
    let vertical = Axis::log(all().map(|p| p.1));
    for (i, diagram) in diagrams.iter().enumerate() {
        let (column, row) = (i % columns, i / columns);
        let panel = Frame {
            x: LEFT + column as f64 * (W + GAP.0),
            y: TOP + row as f64 * (H + GAP.1),
            w: W,
            h: H,
            horizontal,
            vertical,
        };
        let numbers = Numbers {
            // The lowest panel of each column.
            below: i + columns >= diagrams.len(),
            left: column == 0,
        };
        panel.draw(&mut svg, 11.0, numbers);
        for other in &curves {
            let pixels: Vec<_> = other.iter().map(|(x, y, _)| panel.at(*x, *y)).collect();
            svg.path(&[pixels], &Stroke::solid("#dde2e8", 1.0));
        }
        curve(&mut svg, &panel, &curves[i], COLOURS[0]);
        let name = start(&diagram.name, 12.5, colour::INK).bold();
        svg.text((panel.x, panel.y - 7.0), name);
    }
    let text = |t| Text::new(t, 13.0, colour::INK, Anchor::Middle);
    let middle_x = LEFT + 0.5 * (columns as f64 * (W + GAP.0) - GAP.0);
    let middle_y = TOP + 0.5 * (rows as f64 * (H + GAP.1) - GAP.1);
    svg.text((middle_x, height - 14.0), text("correct digits"));
    svg.text((30.0, middle_y), text("residual evaluations").upright());
    svg.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_diagrams_are_drawn() {
        let diagram = Diagram {
            name: "none".into(),
            title: String::new(),
            subtitle: String::new(),
            remark: String::new(),
            curves: vec!["plain"],
            samples: Vec::new(),
        };
        assert!(figure(&diagram).ends_with("</svg>\n"));
        assert!(!overview(&[diagram], "").contains("NaN"));
        assert!(overview(&[], "").starts_with("<svg"));
    }
}
