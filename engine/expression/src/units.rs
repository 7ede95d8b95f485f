//! Units of measurement and what they are in SI.

use super::lexer::{Lexer, Token};
use super::{Dimension, ExpressionError};
use core::f64::consts::PI;
use core::ops::Range;
use holonom_text::{distance, nearest};

/// A unit: its size in SI and its dimension.
///
/// The units are
/// - length: `m` with the prefixes n, u (or µ), m, c, d, k; `in`, `ft`, `yd`, `mi`, `nmi` (nautical mile), `mil` (1/1000 in);
/// - mass: `g` with m, k; `t` (1000 kg); `lb`, `oz`, `slug`;
/// - time: `s` with n, u (or µ), m; `min`, `h`, `day`;
/// - velocity: `mph`, `knot`; acceleration: `gn` (9.80665 m/s²);
/// - force: `N` with u, m, k, M; `kgf`, `lbf`, `kip` (1000 lbf); torque: `Nm` with m, k;
/// - energy: `J` with m, k, M; `Wh` with k; power: `W` with m, k, M; `hp` (550 ft lbf/s), `PS` (75 kgf m/s);
/// - pressure: `Pa` with h, k, M, G; `bar`, `mbar`, `psi` with k, `atm`, `mmHg`, `inHg`;
/// - angle: `rad` with u, m; `deg` or `°`; `arcmin`, `arcsec`; `rev` (2π rad);
/// - `rpm` (2π rad per minute) and `Hz` with k, M. One `Hz` is 1/s, **not** 2π rad/s;
/// - `%` (1/100).
///
/// ```
/// use holonom_expression::Unit;
/// assert_eq!(Unit::parse("km/h")?.in_si(36.0), 10.0);
/// assert_eq!(Unit::parse("N/mm")?.in_si(3.0), 3000.0);
/// # Ok::<(), holonom_expression::ExpressionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Size in SI as a fraction: decimal units then round once.
    numerator: f64,
    denominator: f64,
    dimension: Dimension,
    /// `%` makes a plain number of a plain number.
    ratio: bool,
}

/// Unit without prefix, prefixes it takes, size as a fraction, dimension.
type Entry = (&'static str, &'static [&'static str], [f64; 2], Dimension);

const PLAIN: &[&str] = &[""];
const PRESSURE: Dimension = Dimension::new(1, -1, -2);
const POWER: Dimension = Dimension::new(1, 2, -3);
const VELOCITY: Dimension = Dimension::new(0, 1, -1);
const TABLE: [Entry; 45] = [
    (
        "m",
        &["", "n", "u", "µ", "μ", "m", "c", "d", "k"],
        [1.0, 1.0],
        Dimension::LENGTH,
    ),
    ("in", PLAIN, [254.0, 1e4], Dimension::LENGTH),
    ("ft", PLAIN, [3048.0, 1e4], Dimension::LENGTH),
    ("yd", PLAIN, [9144.0, 1e4], Dimension::LENGTH),
    ("mi", PLAIN, [1_609_344.0, 1e3], Dimension::LENGTH),
    ("nmi", PLAIN, [1852.0, 1.0], Dimension::LENGTH),
    ("mil", PLAIN, [254.0, 1e7], Dimension::LENGTH),
    ("g", &["", "m", "k"], [1.0, 1e3], Dimension::MASS),
    ("t", PLAIN, [1e3, 1.0], Dimension::MASS),
    ("lb", PLAIN, [45_359_237.0, 1e8], Dimension::MASS),
    ("oz", PLAIN, [28_349_523_125.0, 1e12], Dimension::MASS),
    // lbf s²/ft.
    ("slug", PLAIN, [44_482_216_152_605.0, 3048e9], Dimension::MASS),
    ("s", &["", "n", "u", "µ", "μ", "m"], [1.0, 1.0], Dimension::TIME),
    ("min", PLAIN, [60.0, 1.0], Dimension::TIME),
    ("h", PLAIN, [3600.0, 1.0], Dimension::TIME),
    ("day", PLAIN, [86_400.0, 1.0], Dimension::TIME),
    ("mph", PLAIN, [44_704.0, 1e5], VELOCITY),
    ("knot", PLAIN, [1852.0, 3600.0], VELOCITY),
    ("gn", PLAIN, [980_665.0, 1e5], Dimension::new(0, 1, -2)),
    (
        "N",
        &["", "u", "µ", "μ", "m", "k", "M"],
        [1.0, 1.0],
        Dimension::FORCE,
    ),
    ("lbf", PLAIN, [44_482_216_152_605.0, 1e13], Dimension::FORCE),
    ("kip", PLAIN, [44_482_216_152_605.0, 1e10], Dimension::FORCE),
    ("kgf", PLAIN, [980_665.0, 1e5], Dimension::FORCE),
    ("Nm", &["", "m", "k"], [1.0, 1.0], Dimension::TORQUE),
    ("J", &["", "m", "k", "M"], [1.0, 1.0], Dimension::TORQUE),
    ("Wh", &["", "k"], [3600.0, 1.0], Dimension::TORQUE),
    ("W", &["", "m", "k", "M"], [1.0, 1.0], POWER),
    ("hp", PLAIN, [74_569_987_158_227_022.0, 1e14], POWER),
    ("PS", PLAIN, [73_549_875.0, 1e5], POWER),
    ("Pa", &["", "h", "k", "M", "G"], [1.0, 1.0], PRESSURE),
    ("bar", &["", "m"], [1e5, 1.0], PRESSURE),
    // lbf/in².
    ("psi", &["", "k"], [44_482_216_152_605.0, 64_516e5], PRESSURE),
    ("atm", PLAIN, [101_325.0, 1.0], PRESSURE),
    ("mmHg", PLAIN, [133_322_387_415.0, 1e9], PRESSURE),
    ("inHg", PLAIN, [3_386_388_640_341.0, 1e9], PRESSURE),
    ("Hz", &["", "k", "M"], [1.0, 1.0], Dimension::ANGULAR_VELOCITY),
    ("rad", &["", "u", "µ", "μ", "m"], [1.0, 1.0], Dimension::NONE),
    ("deg", PLAIN, [PI, 180.0], Dimension::NONE),
    ("°", PLAIN, [PI, 180.0], Dimension::NONE),
    ("arcmin", PLAIN, [PI, 10_800.0], Dimension::NONE),
    ("arcsec", PLAIN, [PI, 648_000.0], Dimension::NONE),
    ("rev", PLAIN, [2.0 * PI, 1.0], Dimension::NONE),
    ("rpm", PLAIN, [PI, 30.0], Dimension::ANGULAR_VELOCITY),
    ("%", PLAIN, [1.0, 100.0], Dimension::NONE),
    // The kilogram is found as k + g; this keeps its size exactly 1.
    ("kg", PLAIN, [1.0, 1.0], Dimension::MASS),
];

/// Names that people write for units we call otherwise.
const ALIASES: [(&str, &str); 41] = [
    ("degree", "deg"),
    ("degrees", "deg"),
    ("radian", "rad"),
    ("radians", "rad"),
    ("sec", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("hour", "h"),
    ("meter", "m"),
    ("meters", "m"),
    ("metre", "m"),
    ("metres", "m"),
    ("micron", "um"),
    ("inch", "in"),
    ("inches", "in"),
    ("foot", "ft"),
    ("newton", "N"),
    ("kilogram", "kg"),
    ("kilo", "kg"),
    ("kilos", "kg"),
    ("ton", "t"),
    ("tonne", "t"),
    ("hertz", "Hz"),
    ("lbs", "lb"),
    ("pound", "lb"),
    ("ounce", "oz"),
    ("feet", "ft"),
    ("yard", "yd"),
    ("mile", "mi"),
    ("miles", "mi"),
    ("knots", "knot"),
    ("kt", "knot"),
    ("kts", "knot"),
    ("kph", "km/h"),
    ("kmh", "km/h"),
    ("kp", "kgf"),
    ("lbft", "lbf*ft"),
    ("ftlb", "lbf*ft"),
    ("inlb", "lbf*in"),
    ("bhp", "hp"),
    ("days", "day"),
];

fn prefix(text: &str) -> [f64; 2] {
    match text {
        "n" => [1.0, 1e9],
        "u" | "µ" | "μ" => [1.0, 1e6],
        "m" => [1.0, 1e3],
        "c" => [1.0, 1e2],
        "d" => [1.0, 1e1],
        "h" => [1e2, 1.0],
        "k" => [1e3, 1.0],
        "M" => [1e6, 1.0],
        "G" => [1e9, 1.0],
        _ => [1.0, 1.0],
    }
}

/// The unit of a name, prefix included.
pub(super) fn find(name: &str) -> Option<Unit> {
    let whole = TABLE
        .iter()
        .find(|entry| entry.0 == name)
        .map(|entry| (entry, ""));
    let found = whole.or_else(|| {
        TABLE.iter().find_map(|entry| {
            let before = name.strip_suffix(entry.0)?;
            entry.1.contains(&before).then_some((entry, before))
        })
    });
    found.map(|((name, _, size, dimension), before)| {
        let [a, b] = prefix(before);
        Unit {
            numerator: size[0] * a,
            denominator: size[1] * b,
            dimension: *dimension,
            ratio: *name == "%",
        }
    })
}

/// An unknown unit, with what may have been meant.
pub(super) fn unknown(name: &str, span: Range<usize>, expected: Option<Dimension>) -> ExpressionError {
    let alias = ALIASES.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
    let all = || {
        TABLE
            .iter()
            .flat_map(|(unit, prefixes, ..)| prefixes.iter().map(move |p| format!("{p}{unit}")))
    };
    let meant = alias.map(|(_, unit)| (*unit).to_string()).or_else(|| {
        let names: Vec<String> = all().collect();
        let fitting = names
            .iter()
            .filter(|n| expected.is_some() && find(n).map(|unit| unit.dimension()) == expected);
        let slips = |n: &&String| distance(n, name) <= 1;
        // Most likely the last letter is wrong.
        let order = |n: &&String| {
            let other = n.chars().next() != name.chars().next();
            (distance(n, name), other, n.len().abs_diff(name.len()))
        };
        if let Some(meant) = fitting.filter(slips).min_by_key(order) {
            return Some(meant.clone());
        }
        // A wrong case is the most frequent slip.
        let same = names.iter().find(|n| n.eq_ignore_ascii_case(name)).cloned();
        same.or_else(|| {
            let long_enough = name.chars().count() > 2;
            long_enough
                .then(|| nearest(name, names.iter().map(String::as_str)))
                .flatten()
                .map(str::to_string)
        })
    });
    let error = ExpressionError::new(span, format!("unknown unit `{name}`"));
    match meant {
        Some(unit) => error.with_help(format!("did you mean `{unit}`?")),
        None => error,
    }
}

impl Dimension {
    /// The dimension of a unit such as `"N/m"`, `"kg*m^2"` or `"rad/s"`.
    ///
    /// # Errors
    /// When the text is no unit.
    pub fn parse(unit: &str) -> Result<Self, ExpressionError> {
        Unit::parse(unit).map(|unit| unit.dimension())
    }
}

impl Unit {
    /// No unit.
    pub const ONE: Self = Self {
        numerator: 1.0,
        denominator: 1.0,
        dimension: Dimension::NONE,
        ratio: true,
    };

    /// A unit alone: `"N/m"`, `"kg*m^2"`, `"1/s"`, also as printed: `"N m/rad"`, `"m/s²"`.
    ///
    /// # Errors
    /// When the text is no unit, with the place.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let mut lexer = Lexer::new(text)?;
        let (mut unit, mut divide, mut open) = (Self::ONE, false, true);
        loop {
            let (token, span) = lexer.next()?;
            match token {
                Token::End if !open || span.start == 0 || text.trim().is_empty() => return Ok(unit),
                Token::Name | Token::UnitSign => {
                    let name = &text[span.clone()];
                    let next = find(name).ok_or_else(|| {
                        let mut error = unknown(name, span.clone(), None);
                        let usual = || "write units like `N/m`, `kg*m^2` or `rad/s`".into();
                        error.help.get_or_insert_with(usual);
                        error
                    })?;
                    let power = lexer.unit_power()?;
                    unit = unit.combine(next, power, divide, span)?;
                    (divide, open) = (false, false);
                }
                Token::Number(n) if n == 1.0 && open => open = false,
                Token::Star if !open => open = true,
                Token::Slash if !open => (divide, open) = (true, true),
                Token::Minus if span.start == 0 && text.trim() == "-" => open = false,
                _ => {
                    return Err(ExpressionError::new(span, "this is not a unit")
                        .with_help("write units like `N/m`, `kg*m^2` or `rad/s`"));
                }
            }
        }
    }

    /// The unit times (or divided by) a power of another.
    pub(super) fn combine(
        self,
        other: Self,
        power: i32,
        divide: bool,
        span: Range<usize>,
    ) -> Result<Self, ExpressionError> {
        let too_far = || ExpressionError::new(span.clone(), "the power of this unit is out of range");
        let power = if divide { -power } else { power };
        let (n, d) = if power < 0 {
            (other.denominator, other.numerator)
        } else {
            (other.numerator, other.denominator)
        };
        let dimension = other.dimension.power(f64::from(power));
        let unit = Self {
            numerator: self.numerator * n.powi(power.abs()),
            denominator: self.denominator * d.powi(power.abs()),
            dimension: dimension
                .and_then(|d| self.dimension.times(d))
                .ok_or_else(too_far)?,
            ratio: self.ratio && other.ratio,
        };
        let sizes = [unit.numerator, unit.denominator];
        if sizes.iter().all(|x| x.is_finite() && *x > 0.0) {
            Ok(unit)
        } else {
            Err(too_far())
        }
    }

    /// `value` of this unit in SI.
    pub fn in_si(self, value: f64) -> f64 {
        value * self.numerator / self.denominator
    }

    /// `value` in SI as a number of this unit.
    pub fn from_si(self, value: f64) -> f64 {
        value * self.denominator / self.numerator
    }

    /// Its dimension.
    pub fn dimension(self) -> Dimension {
        self.dimension
    }

    /// Whether it only scales plain numbers, as `%` does.
    pub(super) fn is_ratio(self) -> bool {
        self.ratio
    }
}
