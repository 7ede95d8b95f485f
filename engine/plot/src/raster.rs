//! Pictures as bitmaps.

use crate::canvas::{Anchor, Canvas, Point, Stroke, Text, colour};
use crate::error::Error;
use crate::font::{self, Outline};
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, StrokeDash, Transform,
};

/// Most pixels of a bitmap: 400 MB of memory.
const MOST_PIXELS: f64 = 1e8;

/// A bitmap in the making.
pub struct Raster {
    pixels: Pixmap,
    scale: f64,
}

impl Raster {
    /// An empty picture, `scale` pixels of the bitmap per pixel of the drawing.
    pub fn new(width: f64, height: f64, scale: f64) -> Result<Self, Error> {
        let (w, h) = ((width * scale).round(), (height * scale).round());
        let fits = w >= 1.0 && h >= 1.0 && w * h <= MOST_PIXELS;
        let pixels = if fits {
            Pixmap::new(w as u32, h as u32)
        } else {
            None
        };
        let Some(mut pixels) = pixels else {
            return Err(Error::Size {
                width: w.to_string(),
                height: h.to_string(),
            });
        };
        pixels.fill(Color::WHITE);
        Ok(Self { pixels, scale })
    }

    /// The file.
    pub fn finish(self) -> Result<Vec<u8>, Error> {
        (self.pixels.encode_png()).map_err(|error| Error::Encoding(error.to_string()))
    }

    fn transform(&self) -> Transform {
        Transform::from_scale(self.scale as f32, self.scale as f32)
    }

    /// The middle of the bitmap's pixels nearest to a place, for thin straight lines: a line
    /// between two rows of pixels is a grey smear.
    fn snap(&self, place: f64, width: f64) -> f64 {
        let half = 0.5 * (width * self.scale).round().max(1.0);
        ((place * self.scale - half).round() + half) / self.scale
    }

    fn fill(&mut self, path: &Path, colour: &str, transform: Transform) {
        if let Some(paint) = paint(colour) {
            (self.pixels).fill_path(path, &paint, FillRule::Winding, transform, None);
        }
    }

    fn stroke(&mut self, path: &Path, colour: &str, width: f64, dash: &[f64]) {
        let Some(paint) = paint(colour) else { return };
        let dashes = dash.iter().map(|length| *length as f32).collect();
        let stroke = tiny_skia::Stroke {
            width: width as f32,
            line_join: LineJoin::Round,
            line_cap: LineCap::Butt,
            dash: StrokeDash::new(dashes, 0.0),
            ..Default::default()
        };
        (self.pixels).stroke_path(path, &paint, &stroke, self.transform(), None);
    }
}

/// `#rrggbb`; anything else is no colour.
fn paint(colour: &str) -> Option<Paint<'static>> {
    let number = u32::from_str_radix(colour.strip_prefix('#')?, 16).ok()?;
    let [_, r, g, b] = number.to_be_bytes();
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, 255);
    paint.anti_alias = true;
    Some(paint)
}

/// Letters as a path.
struct Letters(PathBuilder);

impl Outline for Letters {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}

impl Canvas for Raster {
    fn rectangle(&mut self, x: f64, y: f64, w: f64, h: f64, fill: &str, stroke: &str) {
        // An edge lies where the lines of the grid that end at it do.
        let (left, right) = (self.snap(x, 1.0), self.snap(x + w, 1.0));
        let (top, bottom) = (self.snap(y, 1.0), self.snap(y + h, 1.0));
        let Some(area) = Rect::from_ltrb(left as f32, top as f32, right as f32, bottom as f32) else {
            return;
        };
        let path = PathBuilder::from_rect(area);
        self.fill(&path, fill, self.transform());
        self.stroke(&path, stroke, 1.0, &[]);
    }

    fn line(&mut self, from: Point, to: Point, colour: &str, width: f64) {
        let (mut from, mut to) = (from, to);
        if from.0 == to.0 {
            (from.0, to.0) = (self.snap(from.0, width), self.snap(to.0, width));
        }
        if from.1 == to.1 {
            (from.1, to.1) = (self.snap(from.1, width), self.snap(to.1, width));
        }
        let mut path = PathBuilder::new();
        path.move_to(from.0 as f32, from.1 as f32);
        path.line_to(to.0 as f32, to.1 as f32);
        if let Some(path) = path.finish() {
            self.stroke(&path, colour, width, &[]);
        }
    }

    fn path(&mut self, pieces: &[Vec<Point>], stroke: &Stroke) {
        let mut path = PathBuilder::new();
        for piece in pieces {
            let Some(((x, y), rest)) = piece.split_first() else {
                continue;
            };
            path.move_to(*x as f32, *y as f32);
            for (x, y) in rest {
                path.line_to(*x as f32, *y as f32);
            }
        }
        if let Some(path) = path.finish() {
            self.stroke(&path, stroke.colour, stroke.width, stroke.dash);
        }
    }

    fn circle(&mut self, at: Point, radius: f64, fill: &str, stroke: &str) {
        let circle = PathBuilder::from_circle(at.0 as f32, at.1 as f32, radius as f32);
        if let Some(path) = circle {
            self.fill(&path, fill, self.transform());
            self.stroke(&path, stroke, 1.4, &[]);
        }
    }

    fn text(&mut self, at: Point, text: Text<'_>) {
        let font = if text.bold { font::bold() } else { font::regular() };
        let width = font.width(text.text) * text.size;
        let start = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -0.5 * width,
            Anchor::End => -width,
        };
        let mut letters = Letters(PathBuilder::new());
        font.outline(text.text, (start, 0.0), text.size, &mut letters);
        let Some(path) = letters.0.finish() else { return };
        let place = Transform::from_translate(at.0 as f32, at.1 as f32);
        let turn = Transform::from_rotate(if text.upright { -90.0 } else { 0.0 });
        let Some(path) = path.transform(turn.post_concat(place)) else {
            return;
        };
        if text.halo {
            self.stroke(&path, colour::PAGE, 3.0, &[]);
        }
        self.fill(&path, text.colour, self.transform());
    }

    fn heading(&mut self, (x, y): Point, name: &str, title: &str) {
        let name = Text::new(name, 19.0, colour::INK, Anchor::Start).bold();
        let behind = x + font::bold().width(name.text) * name.size + 14.0;
        self.text((x, y), name);
        self.text((behind, y), Text::new(title, 14.0, colour::MUTED, Anchor::Start));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixel(raster: &Raster, x: u32, y: u32) -> [u8; 3] {
        let p = raster.pixels.pixel(x, y).expect("within").demultiply();
        [p.red(), p.green(), p.blue()]
    }

    #[test]
    fn shapes_have_their_colours() {
        let mut raster = Raster::new(40.0, 20.0, 2.0).expect("a value");
        raster.rectangle(10.0, 5.0, 10.0, 10.0, "#ff0000", "none");
        raster.circle((30.0, 10.0), 4.0, "#0000ff", "none");
        assert_eq!(pixel(&raster, 2, 2), [255, 255, 255]);
        assert_eq!(pixel(&raster, 30, 20), [255, 0, 0]);
        assert_eq!(pixel(&raster, 60, 20), [0, 0, 255]);
        let file = raster.finish().expect("a value");
        let read = Pixmap::decode_png(&file).expect("a value");
        assert_eq!((read.width(), read.height()), (80, 40));
    }

    #[test]
    fn text_is_drawn_where_it_belongs() {
        let dark = |upright: bool| {
            let mut raster = Raster::new(100.0, 100.0, 1.0).expect("a value");
            let mut text = Text::new("Hm", 20.0, "#000000", Anchor::Start);
            text.upright = upright;
            raster.text((50.0, 50.0), text);
            let (mut x, mut y, mut n) = (0.0, 0.0, 0.0);
            for i in 0..100 {
                for j in 0..100 {
                    if pixel(&raster, i, j)[0] < 128 {
                        (x, y, n) = (x + f64::from(i), y + f64::from(j), n + 1.0);
                    }
                }
            }
            assert!(n > 40.0, "{n}");
            (x / n, y / n)
        };
        let (x, y) = dark(false);
        assert!(x > 55.0 && (36.0..50.0).contains(&y), "{x} {y}");
        let (x, y) = dark(true);
        assert!((36.0..50.0).contains(&x) && y < 45.0, "{x} {y}");
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for (w, h, scale) in [
            (0.0, 10.0, 1.0),
            (f64::NAN, 10.0, 1.0),
            (1e9, 1e9, 1.0),
            (100.0, 100.0, 1e6),
        ] {
            assert!(Raster::new(w, h, scale).is_err());
        }
    }
}
