//! A small writer of SVG.

use std::fmt::Write;

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

/// A picture in the making; the origin is at the top left, units are pixels.
#[derive(Clone, Debug)]
pub struct Svg {
    body: String,
    width: f64,
    height: f64,
}

impl Svg {
    /// An empty picture on a light background.
    pub fn new(width: f64, height: f64) -> Self {
        let mut svg = Self {
            body: String::new(),
            width,
            height,
        };
        svg.rectangle(0.0, 0.0, width, height, "#ffffff", "none");
        svg
    }

    // Writing to a string cannot fail, hence the results are dropped here and below.

    /// A rectangle.
    pub fn rectangle(&mut self, x: f64, y: f64, w: f64, h: f64, fill: &str, stroke: &str) {
        let _ = writeln!(
            self.body,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{w:.1}" height="{h:.1}" fill="{fill}" stroke="{stroke}"/>"#
        );
    }

    /// A straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, width: f64) {
        let _ = writeln!(
            self.body,
            r#"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="{colour}" stroke-width="{width}"/>"#,
            from.0, from.1, to.0, to.1
        );
    }

    /// A line through points.
    pub fn path(&mut self, points: &[(f64, f64)], colour: &str, width: f64) {
        if points.len() < 2 {
            return;
        }
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            self.body,
            r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"/>"#,
            points.join(" ")
        );
    }

    /// A circle.
    pub fn circle(&mut self, at: (f64, f64), radius: f64, fill: &str, stroke: &str) {
        let _ = writeln!(
            self.body,
            r#"<circle cx="{:.1}" cy="{:.1}" r="{radius}" fill="{fill}" stroke="{stroke}" stroke-width="1.4"/>"#,
            at.0, at.1
        );
    }

    /// A text with its baseline at the point.
    pub fn text(&mut self, (x, y): (f64, f64), text: Text<'_>) {
        let anchor = match text.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let weight = if text.bold { r#" font-weight="600""# } else { "" };
        let turn = if text.upright {
            format!(r#" transform="rotate(-90 {x:.1} {y:.1})""#)
        } else {
            String::new()
        };
        let halo = if text.halo {
            r##" stroke="#ffffff" stroke-width="3" paint-order="stroke""##
        } else {
            ""
        };
        let _ = writeln!(
            self.body,
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{}" fill="{}" text-anchor="{anchor}"{weight}{halo}{turn}>{}</text>"#,
            text.size,
            text.colour,
            escape(text.text)
        );
    }

    /// A name in bold with a title behind it.
    pub fn heading(&mut self, (x, y): (f64, f64), name: &str, title: &str) {
        let _ = writeln!(
            self.body,
            r##"<text x="{x:.1}" y="{y:.1}" font-size="19" font-weight="600" fill="#1f2933">{}<tspan dx="14" font-size="14" font-weight="400" fill="#616e7c">{}</tspan></text>"##,
            escape(name),
            escape(title)
        );
    }

    /// The file.
    pub fn finish(self) -> String {
        let Self {
            body,
            width: w,
            height: h,
        } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             font-family=\"Inter, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif\">\n{body}</svg>\n"
        )
    }
}

/// Letters that mean something to XML, written so that they do not.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            c => escaped.push(c),
        }
    }
    escaped
}

/// About the width of a text in pixels, rather too wide than too narrow.
pub fn text_width(text: &str, size: f64) -> f64 {
    0.6 * size * text.chars().count() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        let mut svg = Svg::new(10.0, 10.0);
        svg.text((1.0, 2.0), Text::new("a < b & c", 10.0, "black", Anchor::Start));
        assert!(svg.finish().contains("a &lt; b &amp; c</text>"));
    }
}
