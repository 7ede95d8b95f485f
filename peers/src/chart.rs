//! Work–precision charts: CPU time over digits, every code a curve.

use crate::codes::{OURS, OURS_AUTO, OURS_RADAU};
use crate::curve::{Point, front};
use holonom_plot::axes::{Axis, Frame, Numbers};
use holonom_plot::canvas::{Anchor, Canvas, Stroke, Text, colour};
use holonom_plot::svg::Svg;
use std::path::Path;

const WIDTH: f64 = 920.0;
const HEIGHT: f64 = 560.0;
/// Colours of ours.
const STRONG: [&str; 3] = ["#d9480f", "#2b8a3e", "#1864ab"];
/// Colours of the others.
const PALE: [&str; 9] = [
    "#2b8a3e", "#5f3dc4", "#0b7285", "#a61e4d", "#846358", "#e599f7", "#66a80f", "#868e96", "#f59f00",
];

/// One curve.
struct Curve<'a> {
    name: &'a str,
    points: Vec<Point>,
    colour: &'static str,
    width: f64,
}

/// Draws the chart of a problem into the folder, which is made if need be. Curves of the same name are one.
pub fn write<'a>(
    folder: &Path,
    name: &str,
    title: &str,
    curves: impl Iterator<Item = (&'a str, Vec<Point>)>,
    digits: &[f64],
) -> Result<(), String> {
    let cannot = |e: std::io::Error| format!("cannot write charts into {}: {e}", folder.display());
    std::fs::create_dir_all(folder).map_err(cannot)?;
    // Names of chains have colons in them.
    let file = folder.join(format!("{}.svg", name.replace(':', "-")));
    std::fs::write(file, figure(name, title, curves, digits)).map_err(cannot)
}

/// The chart as SVG.
fn figure<'a>(
    name: &str,
    title: &str,
    curves: impl Iterator<Item = (&'a str, Vec<Point>)>,
    digits: &[f64],
) -> String {
    let curves = gather(curves);
    let mut svg = Svg::new(WIDTH, HEIGHT, name);
    svg.heading((28.0, 34.0), name, title);
    let all = || curves.iter().flat_map(|c| &c.points);
    let frame = Frame {
        x: 84.0,
        y: 60.0,
        w: 640.0,
        h: 416.0,
        horizontal: Axis::whole(all().map(|p| p.digits)),
        vertical: Axis::log(all().map(|p| 1e3 * p.work)),
    };
    let numbers = Numbers {
        below: true,
        left: true,
    };
    frame.draw(&mut svg, 12.0, numbers);
    let text = |t| Text::new(t, 13.0, colour::INK, Anchor::Middle);
    let middle = (frame.x + 0.5 * frame.w, frame.y + frame.h + 40.0);
    svg.text(middle, text("correct digits"));
    let left = (frame.x - 56.0, frame.y + 0.5 * frame.h);
    svg.text(left, text("CPU time / ms").upright());
    let dashed = Stroke {
        dash: &[4.0, 4.0],
        ..Stroke::solid(colour::MUTED, 1.0)
    };
    for d in digits {
        let x = frame.at(*d, 1.0).0;
        if (frame.x..=frame.x + frame.w).contains(&x) {
            svg.path(&[vec![(x, frame.y), (x, frame.y + frame.h)]], &dashed);
        }
    }
    // Ours come first in the list and so lie on top.
    for curve in curves.iter().rev() {
        svg.group(curve.name);
        draw(&mut svg, &frame, curve);
        svg.end_group();
    }
    for (i, curve) in curves.iter().enumerate() {
        let (x, y) = (frame.x + frame.w + 20.0, frame.y + 12.0 + 22.0 * i as f64);
        svg.line((x, y - 4.0), (x + 26.0, y - 4.0), curve.colour, curve.width);
        let label = Text::new(curve.name, 12.0, colour::INK, Anchor::Start);
        svg.text((x + 34.0, y), label);
    }
    let foot = "Circles are runs. Each curve is the least time of any run with at least so many digits.";
    svg.text(
        (28.0, HEIGHT - 14.0),
        Text::new(foot, 11.0, colour::MUTED, Anchor::Start),
    );
    svg.finish()
}

/// The curves with something to show, ours first, with their looks.
fn gather<'a>(given: impl Iterator<Item = (&'a str, Vec<Point>)>) -> Vec<Curve<'a>> {
    let mut curves: Vec<Curve<'a>> = Vec::new();
    for (name, mut points) in given {
        points.retain(|p| p.digits >= 0.0 && p.digits.is_finite() && p.work > 0.0);
        match curves.iter_mut().find(|c| c.name == name) {
            Some(curve) => curve.points.append(&mut points),
            None => curves.push(Curve {
                name,
                points,
                colour: colour::INK,
                width: 1.6,
            }),
        }
    }
    curves.retain(|c| !c.points.is_empty());
    curves.sort_by_key(|c| match c.name {
        OURS_RADAU => 0,
        OURS_AUTO => 1,
        OURS => 2,
        _ => 3,
    });
    let mut others = 0;
    for curve in &mut curves {
        (curve.colour, curve.width) = match curve.name {
            OURS_RADAU => (STRONG[0], 3.6),
            OURS_AUTO => (STRONG[1], 3.6),
            OURS => (STRONG[2], 3.6),
            _ => {
                others += 1;
                (PALE[(others - 1) % PALE.len()], 1.6)
            }
        };
    }
    curves
}

/// The runs, and the stairs they make.
fn draw(svg: &mut Svg, frame: &Frame, curve: &Curve<'_>) {
    let front = front(&curve.points);
    let mut stairs = Vec::new();
    let mut last: Option<Point> = None;
    for p in &front {
        if let Some(before) = last {
            stairs.push(frame.at(before.digits, 1e3 * p.work));
        }
        stairs.push(frame.at(p.digits, 1e3 * p.work));
        last = Some(*p);
    }
    svg.path(&[stairs], &Stroke::solid(curve.colour, curve.width));
    for p in &curve.points {
        let on_front = front.contains(p);
        let (radius, fill) = if on_front {
            (2.6, curve.colour)
        } else {
            (1.6, colour::PAGE)
        };
        svg.circle(frame.at(p.digits, 1e3 * p.work), radius, fill, curve.colour);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(p: &[(f64, f64)]) -> Vec<Point> {
        p.iter().map(|&(digits, work)| Point { digits, work }).collect()
    }

    #[test]
    fn every_code_is_a_curve_and_ours_are_thick() {
        let curves = [
            (
                "ida",
                points(&[(2.0, 1e-3), (4.0, 3e-3), (f64::NAN, 1.0), (-2.0, 1e-4)]),
            ),
            (OURS_RADAU, points(&[(3.0, 1e-3), (9.0, 2e-3)])),
            ("ida", points(&[(6.0, 2e-2)])),
            ("none", vec![]),
        ];
        let svg = figure("chain:16", "a < b", curves.into_iter(), &[3.0, 5.0]);
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"));
        assert_eq!(svg.matches("<g>").count(), 2, "{svg}");
        assert_eq!(svg.matches("<circle").count(), 5);
        assert!(svg.contains("stroke-width=\"3.6\"") && svg.contains(">ida</text>"));
        assert!(!svg.contains(">none</text>"));
    }

    #[test]
    fn nothing_measured_is_no_reason_to_fail() {
        let svg = figure("none", "", core::iter::empty(), &[3.0]);
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"));
    }
}
