//! Names of the lines of a panel, where they cover nothing.

use crate::axes::Frame;
use crate::canvas::{Anchor, Canvas, Point, Stroke, Text, colour, shorten, text_width};
use crate::trace::Trace;

/// Height of the letters.
const SIZE: f64 = 12.0;
/// Height of a line of text.
const LINE: f64 = 18.0;
/// Length of the sample of a line, and of the gap behind it.
const SAMPLE: (f64, f64) = (24.0, 7.0);
/// Space between names in a row.
const BETWEEN: f64 = 18.0;
/// Space around a legend within a frame.
const INSET: f64 = 9.0;
/// Widest name.
const MOST_WIDTH: f64 = 260.0;
/// More lines than this stand beside the frame.
const MOST_INSIDE: usize = 8;

/// Colours that people who confuse red and green can tell apart, darkened where they are faint on
/// white [Okabe and Ito 2008].
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#aa4499", "#e69f00", "#56b4e9", "#4d4d4d",
];

/// When colours are used up, they come again in dashes.
const DASHES: [&[f64]; 4] = [&[], &[7.0, 3.0], &[2.0, 2.5], &[9.0, 3.0, 2.0, 3.0]];

/// How the line with this number looks.
pub fn stroke(number: usize) -> Stroke {
    Stroke {
        colour: COLOURS[number % COLOURS.len()],
        width: 1.6,
        dash: DASHES[number / COLOURS.len() % DASHES.len()],
    }
}

/// A legend: one name per line, in the order of the lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    names: Vec<String>,
    /// Names that there is no room for.
    left_out: usize,
}

impl Legend {
    /// The legend of these lines, at most `room` high.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>, room: f64) -> Self {
        let mut names: Vec<String> = (names.into_iter())
            .map(|name| shorten(name, SIZE, MOST_WIDTH))
            .collect();
        let most = ((room / LINE).floor().max(2.0)) as usize;
        let mut left_out = 0;
        if names.len() > most {
            left_out = names.len() - (most - 1);
            names.truncate(most - 1);
        }
        Self { names, left_out }
    }

    fn remark(&self) -> String {
        format!("and {} more", self.left_out)
    }

    /// Width and height.
    pub fn size(&self) -> (f64, f64) {
        let widths = self.names.iter().map(|name| text_width(name, SIZE));
        let mut w = widths.fold(0.0, f64::max);
        let mut lines = self.names.len();
        if self.left_out > 0 {
            w = w.max(text_width(&self.remark(), SIZE));
            lines += 1;
        }
        (SAMPLE.0 + SAMPLE.1 + w, lines as f64 * LINE)
    }

    /// The upper left corner of a place within the frame where no line passes.
    pub fn free_place(&self, frame: &Frame, traces: &[Trace]) -> Option<Point> {
        let (w, h) = self.size();
        let (room_x, room_y) = (frame.w - w - 2.0 * INSET, frame.h - h - 2.0 * INSET);
        if self.names.len() > MOST_INSIDE || room_x < 0.0 || room_y < 0.0 {
            return None;
        }
        // Corners, then the middles of the edges.
        let places = [
            (1.0, 0.0),
            (0.0, 0.0),
            (1.0, 1.0),
            (0.0, 1.0),
            (0.5, 0.0),
            (0.5, 1.0),
            (1.0, 0.5),
            (0.0, 0.5),
        ];
        let corner = |(x, y): (f64, f64)| (frame.x + INSET + x * room_x, frame.y + INSET + y * room_y);
        places.map(corner).into_iter().find(|(x, y)| {
            let area = [x - 4.0, y - 4.0, x + w + 4.0, y + h + 4.0];
            !traces.iter().any(|trace| passes(trace, area))
        })
    }

    /// Draws it with its upper left corner at a point.
    pub fn draw(&self, canvas: &mut dyn Canvas, (x, y): Point, has_ground: bool) {
        let (w, h) = self.size();
        if has_ground {
            canvas.rectangle(x - 5.0, y - 3.0, w + 10.0, h + 5.0, colour::PAGE, colour::GRID);
        }
        for (i, name) in self.names.iter().enumerate() {
            entry(canvas, (x, y + i as f64 * LINE + 13.0), i, name);
        }
        if self.left_out > 0 {
            let at = (x + SAMPLE.0 + SAMPLE.1, y + self.names.len() as f64 * LINE + 13.0);
            canvas.text(at, Text::new(&self.remark(), SIZE, colour::MUTED, Anchor::Start));
        }
    }

    /// Width of all names in one row.
    pub fn row_width<'a>(names: impl IntoIterator<Item = &'a str>) -> f64 {
        let widths = (names.into_iter()).map(|name| text_width(&shorten(name, SIZE, MOST_WIDTH), SIZE));
        widths.map(|w| SAMPLE.0 + SAMPLE.1 + w + BETWEEN).sum::<f64>() - BETWEEN
    }

    /// Draws the names in rows, or measures them: the height it takes.
    pub fn rows(names: &[String], (x, y): Point, width: f64, mut canvas: Option<&mut dyn Canvas>) -> f64 {
        let (mut at, mut row) = (x, 0.0);
        for (i, name) in names.iter().enumerate() {
            let name = shorten(name, SIZE, MOST_WIDTH);
            let w = SAMPLE.0 + SAMPLE.1 + text_width(&name, SIZE);
            if at + w > x + width && at > x {
                (at, row) = (x, row + 1.0);
            }
            if let Some(canvas) = canvas.as_deref_mut() {
                entry(canvas, (at, y + row * LINE + 13.0), i, &name);
            }
            at += w + BETWEEN;
        }
        (row + 1.0) * LINE
    }
}

fn entry(canvas: &mut dyn Canvas, (x, base): Point, number: usize, name: &str) {
    let middle = base - 4.0;
    let sample = vec![(x, middle), (x + SAMPLE.0, middle)];
    let stroke = Stroke {
        width: 2.2,
        ..stroke(number)
    };
    canvas.path(&[sample], &stroke);
    let at = (x + SAMPLE.0 + SAMPLE.1, base);
    canvas.text(at, Text::new(name, SIZE, colour::INK, Anchor::Start));
}

/// Whether a line touches an area: left, top, right, bottom.
fn passes(trace: &Trace, area: [f64; 4]) -> bool {
    let inside = |(x, y): Point| x >= area[0] && x <= area[2] && y >= area[1] && y <= area[3];
    trace.single.iter().any(|point| inside(*point))
        || (trace.pieces.iter()).any(|piece| piece.windows(2).any(|pair| crosses(pair[0], pair[1], area)))
}

/// Whether a stretch and an area have a point in common [Liang and Barsky 1984].
fn crosses(a: Point, b: Point, area: [f64; 4]) -> bool {
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    let edges = [(a.0, b.0, area[0], area[2]), (a.1, b.1, area[1], area[3])];
    for (from, to, low, high) in edges {
        let d = to - from;
        if d == 0.0 {
            if from < low || from > high {
                return false;
            }
            continue;
        }
        let (p, q) = ((low - from) / d, (high - from) / d);
        enter = enter.max(p.min(q));
        leave = leave.min(p.max(q));
    }
    enter <= leave
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axes::Axis;

    #[test]
    fn looks_do_not_repeat_early() {
        let looks: Vec<Stroke> = (0..28).map(stroke).collect();
        for (i, a) in looks.iter().enumerate() {
            assert!(looks[i + 1..].iter().all(|b| a != b));
        }
        assert!(looks[..7].iter().all(|s| s.dash.is_empty()));
    }

    #[test]
    fn stretches_cross_areas() {
        let area = [0.0, 0.0, 10.0, 10.0];
        assert!(crosses((-5.0, 5.0), (15.0, 5.0), area));
        assert!(crosses((2.0, 2.0), (3.0, 3.0), area));
        assert!(!crosses((-5.0, 5.0), (5.0, 16.0), area));
        assert!(!crosses((11.0, -50.0), (11.0, 50.0), area));
    }

    #[test]
    fn the_free_corner_is_found() {
        let axis = Axis::around([0.0, 1.0], 0.0);
        let frame = Frame {
            x: 0.0,
            y: 0.0,
            w: 400.0,
            h: 300.0,
            horizontal: axis,
            vertical: axis,
        };
        let legend = Legend::new(["a", "b"], 300.0);
        let rising = Trace::new(&frame, &[0.0, 1.0], &[0.0, 1.0]);
        let (x, y) = legend
            .free_place(&frame, std::slice::from_ref(&rising))
            .expect("a value");
        assert!(x < 100.0 && y < 100.0, "upper left: {x} {y}");
        let falling = Trace::new(&frame, &[0.0, 1.0], &[1.0, 0.0]);
        let both = [rising, falling];
        let (x, y) = legend.free_place(&frame, &both).expect("a value");
        assert!((x - 200.0).abs() < 60.0 && y < 100.0, "upper middle: {x} {y}");
        // A dense band leaves no place.
        let x: Vec<f64> = (0..2000).map(|i| f64::from(i) / 2000.0).collect();
        let y: Vec<f64> = (0..2000).map(|i| f64::from(i % 2)).collect();
        assert_eq!(legend.free_place(&frame, &[Trace::new(&frame, &x, &y)]), None);
    }

    #[test]
    fn long_legends_say_what_they_leave_out() {
        let names: Vec<String> = (0..100).map(|i| format!("body{i}.position.x")).collect();
        let legend = Legend::new(names.iter().map(String::as_str), 200.0);
        assert_eq!(legend.names.len() + legend.left_out, 100);
        assert!(legend.size().1 <= 200.0);
    }
}
