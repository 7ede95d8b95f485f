//! The letters of bitmaps and the measure of texts: DejaVu Sans Condensed, embedded, so that
//! pictures are the same on machines without any font.
//!
//! The files hold Latin, Greek and Cyrillic letters and mathematical signs only. Their licence,
//! free for any use, is beside them.

use std::sync::LazyLock;
use ttf_parser::{Face, GlyphId};

/// An embedded font; lengths are in heights of the font.
pub struct Font {
    face: Option<Face<'static>>,
    per_height: f64,
}

static REGULAR: LazyLock<Font> =
    LazyLock::new(|| Font::new(include_bytes!("../fonts/DejaVuSansCondensed-subset.ttf")));

static BOLD: LazyLock<Font> =
    LazyLock::new(|| Font::new(include_bytes!("../fonts/DejaVuSansCondensed-Bold-subset.ttf")));

/// Plain letters.
pub fn regular() -> &'static Font {
    &REGULAR
}

/// Bold letters.
pub fn bold() -> &'static Font {
    &BOLD
}

/// Receives the outline of letters: straight lines, quadratic and cubic curves.
pub use ttf_parser::OutlineBuilder as Outline;

impl Font {
    fn new(data: &'static [u8]) -> Self {
        // The files are part of the program and a test reads them; without one there is no text.
        let face = Face::parse(data, 0).ok();
        let per_height = face.as_ref().map_or(1.0, |face| f64::from(face.units_per_em()));
        Self { face, per_height }
    }

    /// Letters that are missing are shown as an empty box.
    fn glyph(&self, letter: char) -> GlyphId {
        let found = self.face.as_ref().and_then(|face| face.glyph_index(letter));
        found.unwrap_or(GlyphId(0))
    }

    fn advance(&self, glyph: GlyphId) -> f64 {
        let advance = self.face.as_ref().and_then(|face| face.glyph_hor_advance(glyph));
        advance.map_or(0.0, f64::from) / self.per_height
    }

    /// Width of a text of height 1.
    pub fn width(&self, text: &str) -> f64 {
        text.chars().map(|letter| self.advance(self.glyph(letter))).sum()
    }

    /// Draws a text of this height that starts at the point, baseline below, y downwards.
    pub fn outline(&self, text: &str, at: (f64, f64), size: f64, to: &mut dyn Outline) {
        let Some(face) = &self.face else { return };
        let scale = size / self.per_height;
        let mut x = at.0;
        for letter in text.chars() {
            let glyph = self.glyph(letter);
            let mut placed = Placed {
                to: &mut *to,
                x,
                y: at.1,
                scale,
            };
            // A letter without outline is a space.
            let _ = face.outline_glyph(glyph, &mut placed);
            x += size * self.advance(glyph);
        }
    }
}

/// Moves and scales an outline.
struct Placed<'a> {
    to: &'a mut dyn Outline,
    x: f64,
    y: f64,
    scale: f64,
}

impl Placed<'_> {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (
            (self.x + self.scale * f64::from(x)) as f32,
            (self.y - self.scale * f64::from(y)) as f32,
        )
    }
}

impl Outline for Placed<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.to.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.to.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.to.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.to.curve_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.to.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_fonts_have_the_signs_of_axes() {
        for font in [regular(), bold()] {
            assert!(font.face.is_some());
            for letter in "aZ09.−·×⁻⁰¹²³⁴⁵⁶⁷⁸⁹°µΩφ…–√→ äßЖ".chars() {
                assert_ne!(font.glyph(letter), GlyphId(0), "{letter}");
            }
        }
        assert!(bold().width("wide") > regular().width("wide"));
    }
}
