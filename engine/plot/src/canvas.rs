//! What can be drawn on, whatever the file will be.

use crate::font;

/// Colours shared by all diagrams.
pub mod colour {
    /// Titles and labels.
    pub const INK: &str = "#1f2933";
    /// Numbers at the axes, remarks.
    pub const MUTED: &str = "#616e7c";
    /// Main grid lines.
    pub const GRID: &str = "#e1e5ea";
    /// Fine grid lines.
    pub const FINE: &str = "#f1f3f5";
    /// Frames.
    pub const FRAME: &str = "#b8c1cc";
    /// The page.
    pub const PAGE: &str = "#ffffff";
}

/// A point in pixels.
pub type Point = (f64, f64);

/// Where a text stands against its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// To the right of it.
    Start,
    /// Around it.
    Middle,
    /// To the left of it.
    End,
}

/// A text and how it looks.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The words.
    pub text: &'a str,
    /// Height of the letters in pixels.
    pub size: f64,
    /// Colour.
    pub colour: &'a str,
    /// Place against the point.
    pub anchor: Anchor,
    /// Bold or not.
    pub bold: bool,
    /// Reads from bottom to top.
    pub upright: bool,
    /// Keeps lines behind it at a distance.
    pub halo: bool,
}

impl<'a> Text<'a> {
    /// Plain text.
    pub fn new(text: &'a str, size: f64, colour: &'a str, anchor: Anchor) -> Self {
        Self {
            text,
            size,
            colour,
            anchor,
            bold: false,
            upright: false,
            halo: false,
        }
    }

    /// In bold.
    pub fn bold(mut self) -> Self {
        self.bold = true;
        self
    }

    /// With a light rim around the letters.
    pub fn halo(mut self) -> Self {
        self.halo = true;
        self
    }

    /// Turned by 90°, to be read from bottom to top.
    pub fn upright(mut self) -> Self {
        self.upright = true;
        self
    }
}

/// How a line looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Colour.
    pub colour: &'static str,
    /// Width in pixels.
    pub width: f64,
    /// Lengths of dashes and gaps in pixels, in turn; none for a solid line.
    pub dash: &'static [f64],
}

impl Stroke {
    /// A solid line.
    pub fn solid(colour: &'static str, width: f64) -> Self {
        Self {
            colour,
            width,
            dash: &[],
        }
    }
}

/// A picture in the making; the origin is at the top left, units are pixels.
pub trait Canvas {
    /// A rectangle; `none` is no colour.
    fn rectangle(&mut self, x: f64, y: f64, w: f64, h: f64, fill: &str, stroke: &str);

    /// A straight line.
    fn line(&mut self, from: Point, to: Point, colour: &str, width: f64);

    /// A line through points, in pieces. A piece needs two points to be seen.
    fn path(&mut self, pieces: &[Vec<Point>], stroke: &Stroke);

    /// A circle.
    fn circle(&mut self, at: Point, radius: f64, fill: &str, stroke: &str);

    /// A text with its baseline at the point.
    fn text(&mut self, at: Point, text: Text<'_>);

    /// A name in bold with a title behind it.
    fn heading(&mut self, at: Point, name: &str, title: &str);

    /// What is drawn from here to [`Canvas::end_group`] belongs together and has this name.
    fn group(&mut self, _name: &str) {}

    /// Ends the group.
    fn end_group(&mut self) {}
}

/// About the width of a text in pixels, rather too wide than too narrow: the reader of an SVG
/// file may have other letters than the ones measured here.
pub fn text_width(text: &str, size: f64) -> f64 {
    1.08 * font::regular().width(text) * size
}

/// The text, with the middle left out where it is wider than `room`. Names differ at their ends.
pub fn shorten(text: &str, size: f64, room: f64) -> String {
    if text_width(text, size) <= room {
        return text.into();
    }
    let letters: Vec<char> = text.chars().collect();
    let cut = |keep: usize| -> String {
        let head = keep.div_ceil(2);
        let tail = letters.len() - keep / 2;
        letters[..head]
            .iter()
            .chain(&['…'])
            .chain(&letters[tail..])
            .collect()
    };
    // The longest that fits, by bisection.
    let (mut fits, mut too_long) = (0, letters.len());
    while too_long - fits > 1 {
        let middle = (fits + too_long) / 2;
        if text_width(&cut(middle), size) <= room {
            fits = middle;
        } else {
            too_long = middle;
        }
    }
    cut(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_follow_the_letters() {
        assert_eq!(text_width("", 12.0), 0.0);
        assert!(text_width("mmm", 12.0) > 2.0 * text_width("iii", 12.0));
        assert!((text_width("ab", 24.0) - 2.0 * text_width("ab", 12.0)).abs() < 1e-12);
        // Letters the font does not have still take room.
        assert!(text_width("機構", 12.0) > 5.0);
    }

    #[test]
    fn long_texts_lose_their_middle() {
        assert_eq!(shorten("crank", 12.0, 100.0), "crank");
        let long = "a".repeat(300) + ".velocity";
        let short = shorten(&long, 12.0, 120.0);
        assert!(text_width(&short, 12.0) <= 120.0);
        assert!(short.contains('…') && short.ends_with("velocity"), "{short}");
        // No room at all is no reason to fail.
        assert_eq!(shorten("crank", 12.0, 0.0), "…");
        assert_eq!(shorten("", 12.0, 0.0), "");
    }
}
