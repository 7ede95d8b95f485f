//! Axes and the panel between them.

use super::svg::{Anchor, Svg, Text};

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
}

/// A range of values, ended by ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    low: f64,
    high: f64,
    is_log: bool,
}

impl Axis {
    /// A linear axis around the values, ending at whole numbers.
    pub fn linear(values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = range(values).unwrap_or((0.0, 1.0));
        let (low, high) = (low.floor(), high.ceil());
        Self {
            low,
            high: if high > low { high } else { low + 1.0 },
            is_log: false,
        }
    }

    /// A logarithmic axis around the positive values, ending at 1, 2 or 5 times a power of ten.
    pub fn log(values: impl IntoIterator<Item = f64>) -> Self {
        let values = values.into_iter().filter(|v| *v > 0.0);
        let (low, high) = range(values).unwrap_or((1.0, 10.0));
        // A little slack keeps values that are ticks from being pushed off by rounding.
        let slack = 1.0 + 1e-9;
        let steps = |x: f64| [1.0, 2.0, 5.0, 10.0].map(|m| m * 10f64.powf(x.log10().floor()));
        let below = steps(low * slack);
        let above = steps(high / slack);
        let start = below.iter().rev().find(|v| **v <= low * slack);
        let end = above.iter().find(|v| **v >= high / slack);
        let start = start.copied().unwrap_or(low).log10();
        let end = end.copied().unwrap_or(high).log10();
        Self {
            low: start,
            high: if end > start + 0.2 { end } else { start + 1.0 },
            is_log: true,
        }
    }

    /// Where a value lies, 0 at the low end and 1 at the high one.
    pub fn place(&self, value: f64) -> f64 {
        let value = if self.is_log { value.log10() } else { value };
        (value - self.low) / (self.high - self.low)
    }

    /// Ticks: place, label, and whether it is a main one.
    fn ticks(&self, room: f64) -> Vec<(f64, String, bool)> {
        let place = |v: f64| (v - self.low) / (self.high - self.low);
        let inside = |p: f64| (-1e-9..=1.0 + 1e-9).contains(&p);
        let mut ticks = Vec::new();
        if !self.is_log {
            // As many as there is room for.
            let most = (room / 28.0).max(2.0);
            let step = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
                .into_iter()
                .find(|s| (self.high - self.low) / s <= most)
                .unwrap_or(100.0);
            let mut v = (self.low / step).ceil() * step;
            while v <= self.high + 1e-9 {
                ticks.push((place(v), format!("{v}"), true));
                v += step;
            }
            return ticks;
        }
        // Decades carry labels; 2 and 5 do too where decades are few.
        let decades = self.high - self.low;
        let every = ((decades * 18.0 / room).ceil() as i32).max(1);
        let fine_labels = room / decades > 75.0;
        let (first, last) = (self.low.floor() as i32, self.high.ceil() as i32);
        for power in first..=last {
            for m in 1..10 {
                let p = place(f64::from(power) + f64::from(m).log10());
                if !inside(p) {
                    continue;
                }
                let is_main = m == 1 || (fine_labels && (m == 2 || m == 5));
                let text = match m {
                    1 if power.rem_euclid(every) == 0 => label(1, power),
                    2 | 5 if fine_labels => label(m, power),
                    _ => String::new(),
                };
                ticks.push((p, text, is_main));
            }
        }
        ticks
    }
}

fn range(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    (values.into_iter().filter(|v| v.is_finite())).fold(None, |range, v| match range {
        None => Some((v, v)),
        Some((low, high)) => Some((low.min(v), high.max(v))),
    })
}

/// m · 10ᵏ, written out where that is as short.
fn label(m: i32, power: i32) -> String {
    match power {
        0..=3 => (m * 10i32.pow(power.unsigned_abs())).to_string(),
        -2..=-1 => {
            let zeros = "0".repeat(power.unsigned_abs() as usize - 1);
            format!("0.{zeros}{m}")
        }
        _ => {
            let raised = |c: char| match c {
                '-' => '⁻',
                '1' => '¹',
                '2' => '²',
                '3' => '³',
                c => char::from_u32(0x2070 + c.to_digit(10).unwrap_or(0)).unwrap_or(c),
            };
            let exponent: String = power.to_string().chars().map(raised).collect();
            match m {
                1 => format!("10{exponent}"),
                _ => format!("{m}·10{exponent}"),
            }
        }
    }
}

/// A rectangle with a horizontal and a vertical axis.
#[derive(Clone, Copy, Debug)]
pub struct Panel {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
    /// To the right.
    pub horizontal: Axis,
    /// Upwards.
    pub vertical: Axis,
}

/// Which numbers a panel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Below.
    pub below: bool,
    /// On the left.
    pub left: bool,
}

impl Panel {
    /// The pixel of a pair of values.
    pub fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (
            self.x + self.w * self.horizontal.place(x),
            self.y + self.h * (1.0 - self.vertical.place(y)),
        )
    }

    /// Draws grid, frame and numbers.
    pub fn frame(&self, svg: &mut Svg, size: f64, numbers: Numbers) {
        let Self { x, y, w, h, .. } = *self;
        svg.rectangle(x, y, w, h, "#fdfdfe", "none");
        let line = |main: bool| if main { colour::GRID } else { colour::FINE };
        for (place, label, main) in self.horizontal.ticks(w) {
            let at = x + w * place;
            svg.line((at, y), (at, y + h), line(main), 1.0);
            if numbers.below {
                let text = Text::new(&label, size, colour::MUTED, Anchor::Middle);
                svg.text((at, y + h + 1.5 * size), text);
            }
        }
        // Main lines over fine ones.
        let mut ticks = self.vertical.ticks(h);
        ticks.sort_by_key(|(_, _, main)| *main);
        for (place, label, main) in ticks {
            let at = y + h * (1.0 - place);
            svg.line((x, at), (x + w, at), line(main), 1.0);
            if numbers.left && !label.is_empty() {
                let text = Text::new(&label, size, colour::MUTED, Anchor::End);
                svg.text((x - 0.5 * size, at + 0.35 * size), text);
            }
        }
        svg.rectangle(x, y, w, h, "none", colour::FRAME);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_ticks() {
        let digits = Axis::linear([1.3, 9.8]);
        assert_eq!((digits.low, digits.high), (1.0, 10.0));
        assert_eq!(digits.place(10.0), 1.0);
        let work = Axis::log([130.0, 42_000.0]);
        assert!((work.low - 2.0).abs() < 1e-12 && (work.high - 5e4f64.log10()).abs() < 1e-12);
        // Nothing to show is no reason to divide by zero.
        assert!(Axis::log([]).place(3.0).is_finite());
        assert!(Axis::log([7.0]).place(7.0).is_finite());
        assert!(Axis::linear([2.0]).place(2.5) == 0.5);
    }

    #[test]
    fn labels_are_short() {
        for (m, power, text) in [
            (1, 4, "10⁴"),
            (5, -12, "5·10⁻¹²"),
            (1, 0, "1"),
            (2, 3, "2000"),
            (5, -2, "0.05"),
        ] {
            assert_eq!(label(m, power), text);
        }
    }
}
