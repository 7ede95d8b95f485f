//! Ticks of an axis and the numbers at them.

use crate::canvas::text_width;

/// Most ticks of a linear axis; more is a ruler.
const MOST_TICKS: usize = 11;

/// A tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// 0 at the low end of the axis, 1 at the high one.
    pub place: f64,
    /// Its number; empty for fine lines.
    pub label: String,
    /// Whether its line is a main one.
    pub is_main: bool,
}

impl Tick {
    /// With a minus sign in front of its number if the value is negative.
    fn signed(mut self, value: f64) -> Self {
        if value < 0.0 {
            self.label.insert(0, '−');
        }
        self
    }
}

/// The ticks of an axis and what all numbers have in common.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ticks {
    /// In the order of the axis.
    pub list: Vec<Tick>,
    /// A factor, an offset or both, such as `×10⁻³ + 7.5`; empty most of the time.
    pub common: String,
}

/// Which way labels stand beside each other, and how large they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Labels {
    /// Side by side, with this height.
    Across(f64),
    /// One above the other, with this height.
    Above(f64),
}

impl Labels {
    /// The room between ticks that a label needs.
    fn need(self, label: &str) -> f64 {
        match self {
            Self::Across(size) => text_width(label, size) + 1.3 * size,
            Self::Above(size) => 1.5 * size,
        }
    }

    /// The least room between labelled ticks that looks calm.
    fn calm(self) -> f64 {
        match self {
            Self::Across(size) => 2.5 * size,
            Self::Above(size) => 2.0 * size,
        }
    }
}

impl Ticks {
    /// 1-2-5 steps between two values, as many as there is room for.
    pub fn linear(low: f64, high: f64, room: f64, labels: Labels) -> Self {
        let span = high - low;
        if !(span > 0.0 && span.is_finite() && room > 0.0) {
            return Self::default();
        }
        let first = (span / (room / labels.calm()).clamp(1.0, 10.0)).log10().floor() as i32;
        let mut best = Self::default();
        for power in first..first + 3 {
            for m in [1, 2, 5] {
                let ticks = Self::stepped(low, high, m, power);
                if ticks.list.len() < 2 && !best.list.is_empty() {
                    best.thin_out(room, labels);
                    return best;
                }
                let spacing = room * f64::from(m) * ten_to(power) / span;
                let need = (ticks.list.iter()).map(|tick| labels.need(&tick.label));
                let fits = spacing >= need.fold(labels.calm(), f64::max) && ticks.list.len() <= MOST_TICKS;
                best = ticks;
                if fits {
                    return best;
                }
            }
        }
        best.thin_out(room, labels);
        best
    }

    /// Angles in degrees at multiples of 45, 90 or 180 and so on, as many as there is room for.
    pub fn phases(low: f64, high: f64, room: f64, labels: Labels) -> Self {
        let span = high - low;
        if !(span > 0.0 && span.is_finite() && room > 0.0) {
            return Self::default();
        }
        let mut step = 45.0;
        while room * step / span < labels.calm() {
            step *= 2.0;
        }
        let (first, last) = (
            (low / step - 1e-9).ceil() as i64,
            (high / step + 1e-9).floor() as i64,
        );
        let list = (first..=last).map(|k| {
            let value = k as f64 * step;
            Tick {
                place: (value - low) / span,
                label: format!("{}", value.abs()),
                is_main: true,
            }
            .signed(value)
        });
        Self {
            list: list.collect(),
            common: String::new(),
        }
    }

    /// Takes away labels that would meet the one before.
    fn thin_out(&mut self, room: f64, labels: Labels) {
        let mut free = f64::NEG_INFINITY;
        for tick in &mut self.list {
            let (at, need) = (room * tick.place, labels.need(&tick.label));
            if at < free {
                tick.label.clear();
            } else {
                free = at + need;
            }
        }
    }

    /// Ticks at the multiples of m · 10ᵖ.
    fn stepped(low: f64, high: f64, m: i32, power: i32) -> Self {
        let step = f64::from(m) * ten_to(power);
        let slack = 1e-9 * (high - low);
        let (first, last) = (((low - slack) / step).ceil(), ((high + slack) / step).floor());
        let numbers = Numbers::new(low, high, power);
        let count = (last - first + 1.0).clamp(0.0, 100.0) as usize;
        let list = (0..count).map(|k| {
            let value = (first + k as f64) * step;
            Tick {
                place: (value - low) / (high - low),
                label: numbers.label(value),
                is_main: true,
            }
        });
        Self {
            list: list.collect(),
            common: numbers.common(),
        }
    }

    /// Decades between two powers of ten, with 2 and 5 where there is room for them.
    pub fn log(low: f64, high: f64, room: f64, labels: Labels) -> Self {
        let decades = high - low;
        if !(decades > 0.0 && decades.is_finite() && room > 0.0) {
            return Self::default();
        }
        let (first, last) = (low.floor() as i32, high.ceil() as i32);
        let need = |m| {
            labels
                .need(&power_label(m, first))
                .max(labels.need(&power_label(m, last)))
        };
        let every = ((decades * need(1) / room).ceil() as i32).max(1);
        // From 2 to 5 and from 5 to 10 it is 0.3 decades at least.
        let fine = room / decades;
        let has_fine_labels = fine > 75.0 && 0.3 * fine > need(5);
        let mut list = Vec::new();
        for power in first..=last {
            for m in 1..10 {
                let place = (f64::from(power) + f64::from(m).log10() - low) / decades;
                // Where decades are crowded, only the labelled ones are left.
                let is_crowded = (m > 1 && fine < 30.0) || power.rem_euclid(every) != 0;
                if !(-1e-9..=1.0 + 1e-9).contains(&place) || is_crowded {
                    continue;
                }
                let has_label = m == 1 || (has_fine_labels && (m == 2 || m == 5));
                list.push(Tick {
                    place,
                    label: if has_label {
                        power_label(m, power)
                    } else {
                        String::new()
                    },
                    is_main: has_label,
                });
            }
        }
        Self {
            list,
            common: String::new(),
        }
    }
}

/// How the numbers of one axis are written.
struct Numbers {
    offset: f64,
    /// The offset is a multiple of this power of ten.
    offset_power: i32,
    /// Factor of all numbers: a multiple of three.
    exponent: i32,
    decimals: usize,
}

impl Numbers {
    fn new(low: f64, high: f64, step_power: i32) -> Self {
        let largest = low.abs().max(high.abs());
        let digits = largest.log10() - f64::from(step_power);
        // Numbers of more than seven digits differ at their ends only: an offset takes the rest.
        let (offset, offset_power) = if digits > 7.0 {
            let power = (high - low).log10().ceil() as i32;
            (round_to(0.5 * (low + high), power), power)
        } else {
            (0.0, 0)
        };
        let left = (low - offset).abs().max((high - offset).abs());
        let exponent = if (1e-2..1e5).contains(&left) {
            0
        } else {
            3 * ((left.log10() + 1e-9).floor() as i32).div_euclid(3)
        };
        Self {
            offset,
            offset_power,
            exponent,
            decimals: usize::try_from(exponent - step_power).unwrap_or(0),
        }
    }

    fn label(&self, value: f64) -> String {
        let scaled = (value - self.offset) / ten_to(self.exponent);
        let text = format!("{scaled:.*}", self.decimals);
        match text.strip_prefix('-') {
            // Nothing but zeros has no sign.
            Some(rest) if rest.trim_matches(['0', '.']).is_empty() => rest.into(),
            Some(rest) => format!("−{rest}"),
            None => text,
        }
    }

    fn common(&self) -> String {
        let mut common = match self.exponent {
            0 => String::new(),
            exponent => format!("×10{}", raised(exponent)),
        };
        if self.offset != 0.0 {
            let digits = usize::try_from(-self.offset_power).unwrap_or(0);
            let size = self.offset.abs();
            let text = if (1e-4..1e7).contains(&size) {
                let text = format!("{size:.digits$}");
                match text.contains('.') {
                    true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
                    false => text,
                }
            } else {
                let text = format!("{size:e}");
                let (m, e) = text.split_once('e').unwrap_or((&text, "0"));
                format!("{m}·10{}", raised(e.parse().unwrap_or(0)))
            };
            let sign = if self.offset < 0.0 { "−" } else { "+" };
            common = format!("{common} {sign} {text}").trim_start().to_string();
        }
        common
    }
}

/// The multiple of 10ᵖ next to a value.
fn round_to(value: f64, power: i32) -> f64 {
    // Division by a whole power rounds once only.
    if power < 0 {
        (value * ten_to(-power)).round() / ten_to(-power)
    } else {
        (value / ten_to(power)).round() * ten_to(power)
    }
}

/// 10ᵖ to the last bit, where a float can.
fn ten_to(power: i32) -> f64 {
    format!("1e{power}").parse().unwrap_or(f64::NAN)
}

fn raised(exponent: i32) -> String {
    let raised = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => char::from_u32(0x2070 + c.to_digit(10).unwrap_or(0)).unwrap_or(c),
    };
    exponent.to_string().chars().map(raised).collect()
}

/// m · 10ᵏ, written out where that is as short.
fn power_label(m: i32, power: i32) -> String {
    match power {
        0..=3 => (m * 10i32.pow(power.unsigned_abs())).to_string(),
        -2..=-1 => {
            let zeros = "0".repeat(power.unsigned_abs() as usize - 1);
            format!("0.{zeros}{m}")
        }
        _ => match m {
            1 => format!("10{}", raised(power)),
            _ => format!("{m}·10{}", raised(power)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64) -> (Vec<String>, String) {
        let ticks = Ticks::linear(low, high, 300.0, Labels::Above(12.0));
        (ticks.list.into_iter().map(|t| t.label).collect(), ticks.common)
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
            assert_eq!(power_label(m, power), text);
        }
    }

    #[test]
    fn steps_are_one_two_five() {
        let (list, common) = labels(-0.31, 0.52);
        assert_eq!(
            list,
            ["−0.3", "−0.2", "−0.1", "0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]
        );
        assert_eq!(common, "");
        assert_eq!(
            labels(0.0, 10.0).0,
            ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]
        );
        assert_eq!(labels(0.0, 4.7).0[1], "0.5");
        assert_eq!(labels(0.0, 24.0).0[1], "5");
    }

    #[test]
    fn small_and_large_numbers_share_a_factor() {
        let (list, common) = labels(0.0, 4.2e-5);
        assert_eq!((list[1].as_str(), common.as_str()), ("5", "×10⁻⁶"));
        let (list, common) = labels(-2.1e6, 1e6);
        assert_eq!((list[0].as_str(), common.as_str()), ("−2.0", "×10⁶"));
        assert_eq!(labels(0.0, 2e4).1, "");
    }

    #[test]
    fn nearly_equal_numbers_share_an_offset() {
        let (list, common) = labels(7.5 - 2.2e-10, 7.5 + 3.3e-10);
        assert_eq!(common, "×10⁻¹² + 7.5");
        assert!(
            list.contains(&"−200".to_string()) && list.contains(&"0".to_string()),
            "{list:?}"
        );
        let (_, common) = labels(-1e9 - 3e-2, -1e9 + 3e-2);
        assert_eq!(common, "− 1·10⁹");
    }

    #[test]
    fn labels_do_not_meet() {
        for (low, high) in [
            (0.0, 1.0),
            (-3e4, 9e4),
            (1e-7, 2e-7),
            (1e5, 1.0001e5),
            (-1e-300, 1e-300),
        ] {
            for room in [40.0, 120.0, 300.0, 800.0] {
                let mut ticks = Ticks::linear(low, high, room, Labels::Across(12.0)).list;
                ticks.retain(|tick| !tick.label.is_empty());
                for pair in ticks.windows(2) {
                    let gap = room * (pair[1].place - pair[0].place);
                    let widths = text_width(&pair[0].label, 12.0) + text_width(&pair[1].label, 12.0);
                    assert!(gap > 0.5 * widths, "{low} {high} {room}: {pair:?}");
                }
                assert!(room < 100.0 || ticks.len() >= 2, "{low} {high} {room}");
            }
        }
    }

    #[test]
    fn decades_thin_out() {
        let log = |low, high, labels| Ticks::log(low, high, 300.0, labels).list;
        let few = log(0.0, 2.0, Labels::Above(12.0));
        assert_eq!(few.iter().filter(|t| !t.label.is_empty()).count(), 7);
        assert_eq!(few.len(), 19);
        let many = log(-300.0, 300.0, Labels::Across(12.0));
        assert!((3..=8).contains(&many.len()), "{}", many.len());
        let some = log(-6.0, 0.0, Labels::Above(12.0));
        assert_eq!(some.iter().filter(|t| t.is_main).count(), 7);
    }

    #[test]
    fn nonsense_has_no_ticks() {
        for (low, high) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
            assert_eq!(
                Ticks::linear(low, high, 300.0, Labels::Above(12.0)),
                Ticks::default()
            );
            assert_eq!(
                Ticks::log(low, high, 300.0, Labels::Above(12.0)),
                Ticks::default()
            );
        }
        assert_eq!(
            Ticks::linear(0.0, 1.0, -5.0, Labels::Above(12.0)),
            Ticks::default()
        );
    }
}
