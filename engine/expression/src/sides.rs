//! On which side a switch is, and its value there.

use super::grammar::Comparison;
use super::number::{Number, Unary};

/// Which operation it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SwitchKind {
    /// `<` and the like: 1 where it holds, else 0.
    Compare(Order),
    /// −1 or 1.
    Sign,
    /// 0 or 1.
    Step,
    /// The next whole number below.
    Floor,
}

/// What holds for positive values of a − b, and at zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    above: bool,
    border: bool,
}

impl Order {
    pub(crate) fn comparison(self) -> Comparison {
        match (self.above, self.border) {
            (false, false) => Comparison::Less,
            (false, true) => Comparison::LessEqual,
            (true, false) => Comparison::Greater,
            (true, true) => Comparison::GreaterEqual,
        }
    }

    pub(crate) fn of(comparison: Comparison) -> Option<Self> {
        let (above, border) = match comparison {
            Comparison::Less => (false, false),
            Comparison::LessEqual => (false, true),
            Comparison::Greater => (true, false),
            Comparison::GreaterEqual => (true, true),
            // An equality holds for no time.
            Comparison::Equal | Comparison::NotEqual => return None,
        };
        Some(Self { above, border })
    }
}

/// The state of a switch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Side {
    /// It follows its operands: outside of a run.
    Live,
    /// It is kept: at ±1, or at a whole number.
    Kept(f64),
    /// It slides along a border, zero or a whole number, within a band of this half width.
    Slides {
        /// The border.
        border: f64,
        /// Half the width of the band.
        width: f64,
    },
}

impl Side {
    /// How many numbers keep it.
    pub const NUMBERS: usize = 2;
    /// The numbers of a live one.
    pub const LIVE: [f64; Self::NUMBERS] = [0.0, -1.0];

    /// Of a switch, by its number, from the numbers of all; live where there are none.
    #[inline]
    pub fn of(all: &[f64], switch: usize) -> Self {
        let at = Self::NUMBERS * switch;
        match all.get(at..at + Self::NUMBERS) {
            Some(&[side, 0.0]) => Self::Kept(side),
            Some(&[border, width]) if width > 0.0 => Self::Slides { border, width },
            _ => Self::Live,
        }
    }

    /// Its numbers.
    pub fn numbers(self) -> [f64; Self::NUMBERS] {
        match self {
            Self::Live => Self::LIVE,
            Self::Kept(side) => [side, 0.0],
            Self::Slides { border, width } => [border, width],
        }
    }
}

impl SwitchKind {
    /// As what it is printed.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Compare(_) | Self::Step => Unary::Step.name(),
            Self::Sign => Unary::Sign.name(),
            Self::Floor => Unary::Floor.name(),
        }
    }

    /// The side on which a function of the state lies, the difference of the two sides of a comparison or the argument
    /// of the others.
    pub fn side(self, x: f64) -> f64 {
        let above = match self {
            Self::Floor => return x.floor(),
            Self::Compare(order) => x > 0.0 || (x == 0.0 && order.border == order.above),
            Self::Step => x >= 0.0,
            Self::Sign => x > 0.0,
        };
        if above { 1.0 } else { -1.0 }
    }

    /// Positive as long as the switch may stay as it is.
    pub fn margin(self, side: Side, x: f64) -> f64 {
        match (self, side) {
            (_, Side::Live) => 1.0,
            (Self::Floor, Side::Kept(n)) => (x - n).min(n + 1.0 - x),
            (_, Side::Kept(side)) => side * x,
            (_, Side::Slides { border, width }) => width - (x - border).abs(),
        }
    }

    /// The other side of the border that was passed; of a switch that slid, the side on which it leaves its band.
    pub fn turned(self, side: Side, x: f64) -> Side {
        match (self, side) {
            (_, Side::Live) => Side::Live,
            (Self::Floor, Side::Kept(n)) if x - n < n + 1.0 - x => Side::Kept(n - 1.0),
            (Self::Floor, Side::Kept(n)) => Side::Kept(n + 1.0),
            (_, Side::Kept(side)) => Side::Kept(-side),
            (Self::Floor, Side::Slides { border, .. }) => {
                Side::Kept(if x < border { border - 1.0 } else { border })
            }
            (_, Side::Slides { .. }) => Side::Kept(if x < 0.0 { -1.0 } else { 1.0 }),
        }
    }

    /// A side of the border along which a switch slides: above it for 1, below for −1.
    pub fn assumed(self, from: Side, side: f64) -> Side {
        match (self, from) {
            (Self::Floor, Side::Slides { border, .. }) => {
                Side::Kept(if side > 0.0 { border } else { border - 1.0 })
            }
            _ => Side::Kept(side),
        }
    }

    /// The same switch sliding along the border closest to a value of the function.
    pub fn sliding(self, x: f64, width: f64) -> Side {
        let border = if self == Self::Floor { x.round() } else { 0.0 };
        Side::Slides { border, width }
    }

    /// The value, without derivatives where it is kept.
    pub(super) fn value<N: Number>(self, x: N, side: Side) -> N {
        let value = |side: f64| match self {
            Self::Floor | Self::Sign => side,
            Self::Step => f64::from(side > 0.0),
            Self::Compare(order) => f64::from((side > 0.0) == order.above),
        };
        match side {
            Side::Live => match self {
                Self::Floor => x.unary(Unary::Floor),
                Self::Sign => x.unary(Unary::Sign),
                Self::Step => x.unary(Unary::Step),
                Self::Compare(_) if x.value().is_nan() => x.flat(f64::NAN),
                Self::Compare(_) => x.flat(value(self.side(x.value()))),
            },
            Side::Kept(side) => x.flat(value(side)),
            Side::Slides { border, width } => {
                let (low, high) = match self {
                    Self::Floor => (border - 1.0, border),
                    _ => (value(-1.0), value(1.0)),
                };
                x.shift(-border)
                    .scale(0.5 * (high - low) / width)
                    .shift(0.5 * (low + high))
            }
        }
    }
}
