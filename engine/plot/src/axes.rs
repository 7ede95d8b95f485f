//! Axes and the frame between them.

use crate::canvas::{Anchor, Canvas, Text, colour};
use crate::ticks::{Labels, Ticks};

/// Values beyond are no more drawn than infinity is: differences of them overflow.
const LARGEST: f64 = 1e300;

/// How values lie along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal lengths for equal differences.
    Linear,
    /// Equal lengths for equal ratios; only positive values can be shown.
    Log,
}

impl Scale {
    /// Whether a value has a place on such an axis.
    pub fn shows(self, value: f64) -> bool {
        value.abs() <= LARGEST && (self == Self::Linear || value > 0.0)
    }
}

/// A range of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    low: f64,
    high: f64,
    scale: Scale,
    /// Ticks are at multiples of 45.
    is_phase: bool,
}

impl Axis {
    /// A linear axis around the values, ending at whole numbers.
    pub fn whole(values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = range(values, Scale::Linear).unwrap_or((0.0, 1.0));
        let (low, high) = (low.floor(), high.ceil());
        Self {
            low,
            high: if high > low { high } else { low + 1.0 },
            scale: Scale::Linear,
            is_phase: false,
        }
    }

    /// A logarithmic axis around the positive values, ending at 1, 2 or 5 times a power of ten.
    pub fn log(values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = range(values, Scale::Log).unwrap_or((1.0, 10.0));
        // A little slack keeps values that are ticks from being pushed off by rounding.
        let slack = 1.0 + 1e-9;
        let steps = |x: f64| [1.0, 2.0, 5.0, 10.0].map(|m| m * 10f64.powf(x.log10().floor()));
        let below = steps(low * slack);
        let above = steps(high / slack);
        let start = below.iter().rev().find(|v| **v <= low * slack);
        let end = above.iter().find(|v| **v >= high / slack);
        let start = start.copied().filter(|v| *v > 0.0).unwrap_or(low).log10();
        let end = end.copied().unwrap_or(high).log10();
        Self {
            low: start,
            high: if end > start + 0.2 { end } else { start + 1.0 },
            scale: Scale::Log,
            is_phase: false,
        }
    }

    /// A logarithmic axis that ends at the least and the largest positive value; like [`Axis::log`]
    /// where these are close to each other.
    pub fn log_within(values: impl IntoIterator<Item = f64>) -> Self {
        match range(values, Scale::Log) {
            Some((low, high)) if high / low > 2.0 => Self {
                low: low.log10(),
                high: high.log10(),
                scale: Scale::Log,
                is_phase: false,
            },
            Some((low, high)) => Self::log([low, high]),
            None => Self::log([]),
        }
    }

    /// A linear axis around the values with a margin, as a share of the range, at both ends.
    /// Equal values get an axis around them.
    pub fn around(values: impl IntoIterator<Item = f64>, margin: f64) -> Self {
        let (low, high) = range(values, Scale::Linear).unwrap_or((0.0, 1.0));
        let largest = low.abs().max(high.abs());
        // Differences at the last bit are no differences.
        let is_constant = high - low <= (1e-14 * largest).max(1e-300);
        let (low, high) = match is_constant {
            true if largest < 1e-290 => (-1.0, 1.0),
            true => (low - 0.1 * largest, high + 0.1 * largest),
            false => (low - margin * (high - low), high + margin * (high - low)),
        };
        Self {
            low,
            high,
            scale: Scale::Linear,
            is_phase: false,
        }
    }

    /// The same axis between given limits; open ends stay. None if nothing is left between them.
    pub fn within(mut self, (low, high): (Option<f64>, Option<f64>)) -> Option<Self> {
        let on_axis = |value: f64| match self.scale {
            Scale::Linear => value,
            Scale::Log => value.log10(),
        };
        self.low = low.map_or(self.low, on_axis);
        self.high = high.map_or(self.high, on_axis);
        (self.high > self.low && (self.high - self.low).is_finite()).then_some(self)
    }

    /// The same linear axis of angles in degrees, ending at multiples of 45°, where its ticks are.
    pub fn of_phases(mut self) -> Self {
        const STEP: f64 = 45.0;
        // Rounding at a multiple does not need another 45°.
        self.low = (self.low / STEP + 1e-6).floor() * STEP;
        self.high = (self.high / STEP - 1e-6).ceil() * STEP;
        self.is_phase = true;
        self
    }

    /// Where a value lies, 0 at the low end and 1 at the high one.
    pub fn place(&self, value: f64) -> f64 {
        let value = match self.scale {
            Scale::Linear => value,
            Scale::Log => value.log10(),
        };
        (value - self.low) / (self.high - self.low)
    }

    /// How values lie.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Widens the range to `span`, the middle where it was.
    pub fn widen(&mut self, span: f64) {
        let more = 0.5 * (span - (self.high - self.low)).max(0.0);
        self.low -= more;
        self.high += more;
    }

    /// The ticks that an axis of this length has room for.
    pub fn ticks(&self, room: f64, labels: Labels) -> Ticks {
        match self.scale {
            Scale::Linear if self.is_phase => Ticks::phases(self.low, self.high, room, labels),
            Scale::Linear => Ticks::linear(self.low, self.high, room, labels),
            Scale::Log => Ticks::log(self.low, self.high, room, labels),
        }
    }
}

/// Least and largest of the values that can be shown.
pub fn range(values: impl IntoIterator<Item = f64>, scale: Scale) -> Option<(f64, f64)> {
    let shown = values.into_iter().filter(|v| scale.shows(*v));
    let (low, high) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
        (low.min(v), high.max(v))
    });
    (low <= high).then_some((low, high))
}

/// A rectangle with a horizontal and a vertical axis.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
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

/// Which numbers a frame shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Below.
    pub below: bool,
    /// On the left.
    pub left: bool,
}

impl Frame {
    /// The pixel of a pair of values.
    pub fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (
            self.x + self.w * self.horizontal.place(x),
            self.y + self.h * (1.0 - self.vertical.place(y)),
        )
    }

    /// Widens one axis until a unit is as long on both.
    pub fn equalise(&mut self) {
        let span = |axis: &Axis| axis.high - axis.low;
        let unit = (span(&self.horizontal) / self.w).max(span(&self.vertical) / self.h);
        self.horizontal.widen(unit * self.w);
        self.vertical.widen(unit * self.h);
    }

    /// Draws grid, frame and numbers.
    pub fn draw(&self, canvas: &mut dyn Canvas, size: f64, numbers: Numbers) {
        let Self { x, y, w, h, .. } = *self;
        canvas.rectangle(x, y, w, h, "#fdfdfe", "none");
        let line = |main: bool| if main { colour::GRID } else { colour::FINE };
        let mut across = self.horizontal.ticks(w, Labels::Across(size));
        let mut above = self.vertical.ticks(h, Labels::Above(size));
        // Main lines over fine ones.
        across.list.sort_by_key(|tick| tick.is_main);
        above.list.sort_by_key(|tick| tick.is_main);
        for tick in &across.list {
            let at = x + w * tick.place;
            canvas.line((at, y), (at, y + h), line(tick.is_main), 1.0);
        }
        for tick in &above.list {
            let at = y + h * (1.0 - tick.place);
            canvas.line((x, at), (x + w, at), line(tick.is_main), 1.0);
        }
        canvas.rectangle(x, y, w, h, "none", colour::FRAME);
        let text = |t, anchor| Text::new(t, size, colour::MUTED, anchor);
        if numbers.below {
            for tick in across.list.iter().filter(|tick| !tick.label.is_empty()) {
                let at = (x + w * tick.place, y + h + 1.5 * size);
                canvas.text(at, text(&tick.label, Anchor::Middle));
            }
            if !across.common.is_empty() {
                canvas.text((x + w, y + h + 2.8 * size), text(&across.common, Anchor::End));
            }
        }
        if numbers.left {
            for tick in above.list.iter().filter(|tick| !tick.label.is_empty()) {
                let at = (x - 0.5 * size, y + h * (1.0 - tick.place) + 0.35 * size);
                canvas.text(at, text(&tick.label, Anchor::End));
            }
            if !above.common.is_empty() {
                canvas.text((x, y - 0.45 * size), text(&above.common, Anchor::Start));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_ticks() {
        let digits = Axis::whole([1.3, 9.8]);
        assert_eq!((digits.low, digits.high), (1.0, 10.0));
        assert_eq!(digits.place(10.0), 1.0);
        let work = Axis::log([130.0, 42_000.0]);
        assert!((work.low - 2.0).abs() < 1e-12 && (work.high - 5e4f64.log10()).abs() < 1e-12);
        // Nothing to show is no reason to divide by zero.
        assert!(Axis::log([]).place(3.0).is_finite());
        assert!(Axis::log([7.0]).place(7.0).is_finite());
        assert!(Axis::whole([2.0]).place(2.5) == 0.5);
    }

    #[test]
    fn odd_values_make_sound_axes() {
        let big = f64::MAX;
        for values in [
            vec![],
            vec![f64::NAN, f64::INFINITY],
            vec![3.0; 4],
            vec![0.0],
            vec![-big, big],
            vec![-1e300, 1e300],
            vec![5e-324, 1e-323],
            vec![1.0, 1.0 + f64::EPSILON],
        ] {
            for axis in [
                Axis::around(values.clone(), 0.05),
                Axis::log(values.clone()),
                Axis::log_within(values.clone()),
                Axis::around(values.clone(), 0.0),
            ] {
                assert!(
                    axis.high > axis.low && (axis.high - axis.low).is_finite(),
                    "{values:?}"
                );
                for value in values.iter().filter(|v| axis.scale.shows(**v)) {
                    let place = axis.place(*value);
                    assert!(
                        (-1e-6..=1.0 + 1e-6).contains(&place),
                        "{values:?} {axis:?} {place}"
                    );
                }
            }
        }
        // A constant lies in the middle.
        assert_eq!(Axis::around([5.0; 3], 0.05).place(5.0), 0.5);
        assert_eq!(Axis::around([0.0], 0.05).place(0.0), 0.5);
    }

    #[test]
    fn units_can_be_made_equal() {
        let mut frame = Frame {
            x: 0.0,
            y: 0.0,
            w: 400.0,
            h: 200.0,
            horizontal: Axis::around([-1.0, 1.0], 0.0),
            vertical: Axis::around([-1.0, 1.0], 0.0),
        };
        frame.equalise();
        let ((x0, y0), (x1, y1)) = (frame.at(0.0, 0.0), frame.at(1.0, 1.0));
        assert!(((x1 - x0) - (y0 - y1)).abs() < 1e-9);
        assert_eq!((x0, y0), (200.0, 100.0));
    }

    #[test]
    fn limits_replace_ends() {
        let axis = Axis::around([0.0, 10.0], 0.0);
        assert_eq!(
            axis.within((Some(2.0), None)).map(|a| (a.low, a.high)),
            Some((2.0, 10.0))
        );
        assert_eq!(axis.within((None, None)), Some(axis));
        assert_eq!(axis.within((Some(10.0), None)), None);
        let log = Axis::log([1.0, 100.0]).within((Some(10.0), Some(1e4)));
        assert_eq!(log.map(|a| (a.low, a.high)), Some((1.0, 4.0)));
    }

    #[test]
    fn phases_end_at_multiples_of_45() {
        let phases = Axis::around([-181.0, -3.0], 0.0).of_phases();
        assert_eq!((phases.low, phases.high), (-225.0, 0.0));
        let ticks = phases.ticks(300.0, Labels::Above(11.5));
        let labels: Vec<&str> = ticks.list.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["−225", "−180", "−135", "−90", "−45", "0"]);
        let wide = Axis::around([-1500.0, 0.0], 0.0).of_phases();
        let ticks = wide.ticks(150.0, Labels::Above(11.5));
        assert!(
            ticks.list.len() <= 9 && ticks.list.iter().all(|tick| tick.label.len() < 10),
            "{ticks:?}"
        );
    }
}
