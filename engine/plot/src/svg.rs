//! A small writer of SVG.

use crate::canvas::{Anchor, Canvas, Point, Stroke, Text, colour};
use std::fmt::Write;

/// A picture in the making.
#[derive(Clone, Debug)]
pub struct Svg {
    title: String,
    body: String,
    width: f64,
    height: f64,
}

impl Svg {
    /// An empty picture on a light background; the title is what screen readers say.
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        let mut svg = Self {
            title: title.into(),
            body: String::new(),
            width,
            height,
        };
        svg.rectangle(0.0, 0.0, width, height, colour::PAGE, "none");
        svg
    }

    /// The file.
    pub fn finish(self) -> String {
        let Self {
            title,
            body,
            width: w,
            height: h,
        } = self;
        let title = escape(&title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" role=\"img\" \
             font-family=\"Inter, 'Helvetica Neue', Arial, 'DejaVu Sans Condensed', 'DejaVu Sans', sans-serif\">\n\
             <title>{title}</title>\n{body}</svg>\n"
        )
    }
}

// Writing to a string cannot fail, hence the results are dropped here.
impl Canvas for Svg {
    fn rectangle(&mut self, x: f64, y: f64, w: f64, h: f64, fill: &str, stroke: &str) {
        let _ = writeln!(
            self.body,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{w:.1}" height="{h:.1}" fill="{fill}" stroke="{stroke}"/>"#
        );
    }

    fn line(&mut self, from: Point, to: Point, colour: &str, width: f64) {
        let _ = writeln!(
            self.body,
            r#"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="{colour}" stroke-width="{width}"/>"#,
            from.0, from.1, to.0, to.1
        );
    }

    fn path(&mut self, pieces: &[Vec<Point>], stroke: &Stroke) {
        if pieces.iter().all(|piece| piece.len() < 2) {
            return;
        }
        self.body += "<path d=\"";
        for piece in pieces {
            for (i, (x, y)) in piece.iter().enumerate() {
                // After M, further points are lines without a letter.
                self.body += if i == 0 { "M" } else { " " };
                coordinate(&mut self.body, *x);
                self.body += ",";
                coordinate(&mut self.body, *y);
            }
        }
        let _ = write!(
            self.body,
            r#"" fill="none" stroke="{}" stroke-width="{}" stroke-linejoin="round""#,
            stroke.colour, stroke.width
        );
        if !stroke.dash.is_empty() {
            let dash: Vec<String> = stroke.dash.iter().map(f64::to_string).collect();
            let _ = write!(self.body, r#" stroke-dasharray="{}""#, dash.join(" "));
        }
        self.body += "/>\n";
    }

    fn circle(&mut self, at: Point, radius: f64, fill: &str, stroke: &str) {
        let _ = writeln!(
            self.body,
            r#"<circle cx="{:.1}" cy="{:.1}" r="{radius}" fill="{fill}" stroke="{stroke}" stroke-width="1.4"/>"#,
            at.0, at.1
        );
    }

    fn text(&mut self, (x, y): Point, text: Text<'_>) {
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

    fn heading(&mut self, (x, y): Point, name: &str, title: &str) {
        let _ = writeln!(
            self.body,
            r##"<text x="{x:.1}" y="{y:.1}" font-size="19" font-weight="600" fill="#1f2933">{}<tspan dx="14" font-size="14" font-weight="400" fill="#616e7c">{}</tspan></text>"##,
            escape(name),
            escape(title)
        );
    }

    fn group(&mut self, name: &str) {
        let _ = writeln!(self.body, "<g><title>{}</title>", escape(name));
    }

    fn end_group(&mut self) {
        self.body += "</g>\n";
    }
}

/// Two digits after the point without trailing zeros; long lines are most of a file.
fn coordinate(body: &mut String, value: f64) {
    let start = body.len();
    let _ = write!(body, "{value:.2}");
    let kept = body[start..].trim_end_matches('0').trim_end_matches('.').len();
    body.truncate(start + kept);
}

/// Letters that mean something to XML, written so that they do not; letters it forbids, replaced.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\t' | '\n' | '\r' => escaped.push(' '),
            // XML 1.0, §2.2: no control characters and no non-characters.
            '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        let mut svg = Svg::new(10.0, 10.0, "<title> & more");
        svg.text(
            (1.0, 2.0),
            Text::new("a < b & c\0\u{1b}", 10.0, "black", Anchor::Start),
        );
        let file = svg.finish();
        assert!(file.contains("a &lt; b &amp; c\u{fffd}\u{fffd}</text>"));
        assert!(file.contains("<title>&lt;title&gt; &amp; more</title>"));
    }

    #[test]
    fn coordinates_are_short() {
        for (value, text) in [
            (1.0, "1"),
            (100.0, "100"),
            (0.125, "0.12"),
            (-3.5, "-3.5"),
            (0.001, "0"),
        ] {
            let mut body = String::new();
            coordinate(&mut body, value);
            assert_eq!(body, text);
        }
    }

    #[test]
    fn pieces_make_one_path() {
        let mut svg = Svg::new(10.0, 10.0, "");
        let stroke = Stroke {
            dash: &[4.0, 2.0],
            ..Stroke::solid("#000000", 1.5)
        };
        svg.path(
            &[vec![(0.0, 1.0), (2.0, 3.0)], vec![(4.0, 5.0), (6.0, 7.25)]],
            &stroke,
        );
        svg.path(&[vec![(1.0, 1.0)]], &stroke);
        let file = svg.finish();
        assert!(file.contains(r#"d="M0,1 2,3M4,5 6,7.25""#), "{file}");
        assert!(file.contains(r#"stroke-dasharray="4 2""#));
        assert_eq!(file.matches("<path").count(), 1);
    }
}
