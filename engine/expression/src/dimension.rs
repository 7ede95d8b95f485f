//! Dimensions: powers of kilogram, metre and second.

use core::fmt;

/// Parts into which one power is cut, so that square and cube roots stay exact.
const PARTS: i16 = 12;

/// The dimension of a quantity: powers of kg, m and s. Angles have none.
///
/// ```
/// use holonom_expression::Dimension;
/// let stiffness = Dimension::parse("N/mm")?;
/// assert_eq!(stiffness, Dimension::STIFFNESS);
/// assert_eq!(Dimension::LENGTH.describe(), "a length (m)");
/// # Ok::<(), holonom_expression::ExpressionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dimension {
    /// Powers of kg, m, s in twelfths.
    twelfths: [i16; 3],
}

impl Dimension {
    /// Angles and ratios.
    pub const NONE: Self = Self::new(0, 0, 0);
    /// kg.
    pub const MASS: Self = Self::new(1, 0, 0);
    /// m.
    pub const LENGTH: Self = Self::new(0, 1, 0);
    /// s.
    pub const TIME: Self = Self::new(0, 0, 1);
    /// m/s.
    pub const VELOCITY: Self = Self::new(0, 1, -1);
    /// m/s².
    pub const ACCELERATION: Self = Self::new(0, 1, -2);
    /// rad/s.
    pub const ANGULAR_VELOCITY: Self = Self::new(0, 0, -1);
    /// rad/s².
    pub const ANGULAR_ACCELERATION: Self = Self::new(0, 0, -2);
    /// N.
    pub const FORCE: Self = Self::new(1, 1, -2);
    /// N m; also J and N m/rad.
    pub const TORQUE: Self = Self::new(1, 2, -2);
    /// N/m.
    pub const STIFFNESS: Self = Self::new(1, 0, -2);
    /// N s/m.
    pub const DAMPING: Self = Self::new(1, 0, -1);
    /// N m s/rad.
    pub const ROTATIONAL_DAMPING: Self = Self::new(1, 2, -1);
    /// kg m².
    pub const INERTIA: Self = Self::new(1, 2, 0);

    /// kgᵃ mᵇ sᶜ.
    pub const fn new(kg: i8, m: i8, s: i8) -> Self {
        Self {
            twelfths: [kg as i16 * PARTS, m as i16 * PARTS, s as i16 * PARTS],
        }
    }

    /// Whether it is that of angles and ratios.
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// Of a product; none when a power is out of range.
    pub(super) fn times(self, other: Self) -> Option<Self> {
        let [a, b] = [self.twelfths, other.twelfths];
        let sum = |k: usize| a[k].checked_add(b[k]).filter(|p| p.abs() <= 1000 * PARTS);
        Some(Self {
            twelfths: [sum(0)?, sum(1)?, sum(2)?],
        })
    }

    /// Of a quotient.
    pub(super) fn over(self, other: Self) -> Option<Self> {
        self.times(Self {
            twelfths: other.twelfths.map(|p| -p),
        })
    }

    /// Of a power; none when it cannot be kept in twelfths.
    pub(super) fn power(self, p: f64) -> Option<Self> {
        let mut twelfths = [0; 3];
        for (to, from) in twelfths.iter_mut().zip(self.twelfths) {
            let exact = f64::from(from) * p;
            let whole = exact.round();
            // 1/3 is not a binary number: allow for its rounding.
            if (exact - whole).abs() > 1e-9 || whole.abs() > f64::from(1000 * PARTS) {
                return None;
            }
            *to = whole as i16;
        }
        Some(Self { twelfths })
    }

    /// Its SI unit as it is usually written: `N*m`, not `kg*m^2/s^2`.
    pub fn unit(self) -> String {
        match COMMON.iter().find(|(d, ..)| *d == self) {
            Some((.., unit)) => (*unit).to_string(),
            None => self.to_string(),
        }
    }

    /// In words and with its SI unit: "a length (m)".
    pub fn describe(self) -> String {
        match COMMON.iter().find(|(d, ..)| *d == self) {
            Some((_, name, unit)) => format!("{name} ({unit})"),
            None => format!("a quantity in {self}"),
        }
    }
}

/// Dimensions with a name, and the unit in which they are usually given.
const COMMON: [(Dimension, &str, &str); 19] = [
    (Dimension::NONE, "an angle or ratio", "rad"),
    (Dimension::MASS, "a mass", "kg"),
    (Dimension::LENGTH, "a length", "m"),
    (Dimension::TIME, "a time", "s"),
    (Dimension::VELOCITY, "a velocity", "m/s"),
    (Dimension::ACCELERATION, "an acceleration", "m/s^2"),
    (
        Dimension::ANGULAR_VELOCITY,
        "an angular velocity or frequency",
        "1/s",
    ),
    (
        Dimension::ANGULAR_ACCELERATION,
        "an angular acceleration",
        "1/s^2",
    ),
    (Dimension::FORCE, "a force", "N"),
    (Dimension::TORQUE, "a torque or energy", "N*m"),
    (Dimension::STIFFNESS, "a stiffness", "N/m"),
    (Dimension::DAMPING, "a damping", "N*s/m"),
    (Dimension::ROTATIONAL_DAMPING, "a rotational damping", "N*m*s"),
    (Dimension::INERTIA, "a moment of inertia", "kg*m^2"),
    (Dimension::new(0, 2, 0), "an area", "m^2"),
    (Dimension::new(0, 3, 0), "a volume", "m^3"),
    (Dimension::new(1, -3, 0), "a density", "kg/m^3"),
    (Dimension::new(1, -1, -2), "a pressure", "Pa"),
    (Dimension::new(1, 2, -3), "a power", "W"),
];

/// As a unit in kg, m and s, such as `kg*m^2/s^3`; `1` for none.
impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let powers = || self.twelfths.into_iter().zip(["kg", "m", "s"]);
        let mut before = "";
        for (power, unit) in powers().filter(|(p, _)| *p > 0) {
            f.write_str(before)?;
            factor(f, power, unit)?;
            before = "*";
        }
        if before.is_empty() {
            f.write_str("1")?;
        }
        for (power, unit) in powers().filter(|(p, _)| *p < 0) {
            f.write_str("/")?;
            factor(f, -power, unit)?;
        }
        Ok(())
    }
}

/// One unit with its power in twelfths, a positive one.
fn factor(f: &mut fmt::Formatter<'_>, twelfths: i16, unit: &str) -> fmt::Result {
    match (twelfths / PARTS, twelfths % PARTS) {
        (1, 0) => f.write_str(unit),
        (whole, 0) => write!(f, "{unit}^{whole}"),
        _ => write!(f, "{unit}^({twelfths}/{PARTS})"),
    }
}

/// What is known about the dimension of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DimensionState {
    /// It was given with units.
    Known(Dimension),
    /// A plain number: it takes the dimension that its surroundings ask for.
    Plain,
    /// It has this dimension by what it is, without a unit: the time, a coordinate in a law, an input with a unit.
    Measured(Dimension),
    /// A product of measured quantities and plain numbers, which may stand for any quantity: 3 in `3*t` may be 3 m/s.
    Scaled(Dimension),
    /// Nothing is known, as of parameters without unit and of variables: never an error.
    Any,
}

impl DimensionState {
    /// The dimension, where it is known.
    pub fn known(self) -> Option<Dimension> {
        match self {
            Self::Known(d) => Some(d),
            Self::Plain | Self::Measured(_) | Self::Scaled(_) | Self::Any => None,
        }
    }

    /// The dimension that it has as it stands, if plain numbers in it have none.
    pub(super) fn apparent(self) -> Option<Dimension> {
        match self {
            Self::Known(d) | Self::Measured(d) | Self::Scaled(d) => Some(d),
            Self::Plain => Some(Dimension::NONE),
            Self::Any => None,
        }
    }

    /// Of a sum, a minimum or a choice; the two dimensions where they contradict.
    pub(super) fn same(self, other: Self) -> Result<Self, [Dimension; 2]> {
        match (self, other) {
            (Self::Any, _) | (_, Self::Any) => Ok(Self::Any),
            (Self::Known(a), Self::Known(b) | Self::Measured(b)) | (Self::Measured(a), Self::Known(b))
                if a != b =>
            {
                Err([a, b])
            }
            (Self::Plain, s) | (s, Self::Plain) => Ok(s),
            (Self::Known(d), _) | (_, Self::Known(d)) => Ok(Self::Known(d)),
            (Self::Measured(a), Self::Measured(b)) if a == b => Ok(Self::Measured(a)),
            (Self::Measured(a) | Self::Scaled(a), Self::Measured(b) | Self::Scaled(b)) => Ok(match a == b {
                true => Self::Scaled(a),
                false => Self::Any,
            }),
        }
    }

    /// Of a product or quotient; none when a power is out of range.
    pub(super) fn product(self, other: Self, divide: bool) -> Option<Self> {
        let (Some(a), Some(b)) = (self.apparent(), other.apparent()) else {
            return Some(Self::Any);
        };
        let d = if divide { a.over(b)? } else { a.times(b)? };
        // A ratio of two lengths is a plain number; an angle is none.
        let ratio = d.is_none() && !a.is_none() && divide;
        Some(match (self, other) {
            (Self::Any, _) | (_, Self::Any) => Self::Any,
            (Self::Plain, Self::Plain) => Self::Plain,
            (Self::Known(_), Self::Plain) | (Self::Plain, Self::Known(_)) => Self::Known(d),
            (Self::Measured(_) | Self::Known(_), Self::Measured(_) | Self::Known(_)) if ratio => Self::Plain,
            (Self::Known(_), Self::Known(_)) if d.is_none() && !a.is_none() => Self::Plain,
            (Self::Known(_), Self::Known(_)) => Self::Known(d),
            (Self::Measured(_), Self::Measured(_)) => Self::Measured(d),
            // Angles are numbers: 2 rad times t is like 2 times t.
            (Self::Known(unit), Self::Measured(_)) | (Self::Measured(_), Self::Known(unit)) => {
                match unit.is_none() {
                    true => Self::Scaled(d),
                    false => Self::Known(d),
                }
            }
            (Self::Scaled(_), Self::Known(_)) | (Self::Known(_), Self::Scaled(_)) => Self::Any,
            _ => Self::Scaled(d),
        })
    }
}
