//! Units in which channels are shown.

use crate::error::Error;
use holonom::expression::Unit;
use holonom_results::Column;
use holonom_text::Pattern;

/// A unit that was asked for, for all channels that it fits or for some of them.
#[derive(Debug)]
pub struct Wish {
    /// As typed, for messages.
    typed: String,
    pattern: Option<Pattern>,
    text: String,
    unit: Unit,
}

/// What tells quantities of the same dimension apart.
#[derive(PartialEq)]
struct Kind {
    dimension: holonom::expression::Dimension,
    /// `rad/s` is shown in `rpm`, `1/s` is not.
    angle: bool,
    /// `J` is shown in `kWh`, `N m` is not.
    energy: bool,
}

impl Kind {
    fn of(text: &str, unit: Unit) -> Self {
        const ANGLES: [&str; 9] = [
            "rad", "mrad", "urad", "deg", "°", "rev", "rpm", "arcmin", "arcsec",
        ];
        const ENERGIES: [&str; 6] = ["J", "mJ", "kJ", "MJ", "Wh", "kWh"];
        let words = || text.split(|c: char| !c.is_alphabetic() && c != '°');
        Self {
            dimension: unit.dimension(),
            angle: words().any(|word| ANGLES.contains(&word)),
            energy: words().any(|word| ENERGIES.contains(&word)),
        }
    }
}

impl Wish {
    /// Reads `mm` or `crank.*=mm`.
    pub fn read(typed: &str) -> Result<Self, Error> {
        let (pattern, text) = match typed.rsplit_once('=') {
            Some((pattern, text)) => (Some(pattern.trim()), text.trim()),
            None => (None, typed.trim()),
        };
        let unit = Unit::parse(text).map_err(|error| Error::Usage(format!("--unit `{typed}`: {error}")))?;
        if text.is_empty() || !unit.in_si(1.0).is_finite() {
            return Err(Error::Usage(format!("--unit `{typed}`: name a unit, such as mm")));
        }
        Ok(Self {
            typed: typed.to_string(),
            pattern: pattern
                .map(Pattern::new)
                .transpose()
                .map_err(|error| Error::Usage(format!("--unit `{typed}`: {error}")))?,
            text: text.to_string(),
            unit,
        })
    }

    /// Whether it applies to a channel.
    fn wants(&self, column: &Column) -> bool {
        let Ok(own) = Unit::parse(&column.unit) else {
            return false;
        };
        let named = self
            .pattern
            .as_ref()
            .is_none_or(|pattern| pattern.matches(&column.name));
        named && !column.unit.is_empty() && Kind::of(&column.unit, own) == Kind::of(&self.text, self.unit)
    }
}

/// The unit in which a channel is shown, if it is not its own: the last wish that fits.
pub fn convert(wishes: &[Wish], column: &mut Column, values: &mut [f64]) {
    let wish = wishes.iter().rev().find(|wish| wish.wants(column));
    let (Some(wish), Ok(own)) = (wish, Unit::parse(&column.unit)) else {
        return;
    };
    for value in values {
        *value = wish.unit.from_si(own.in_si(*value));
    }
    column.unit.clone_from(&wish.text);
}

/// Refuses a unit that fits none of the channels.
pub fn check<'a>(wishes: &[Wish], columns: impl Iterator<Item = &'a Column> + Clone) -> Result<(), Error> {
    for wish in wishes {
        if columns.clone().any(|column| wish.wants(column)) {
            continue;
        }
        let mut units: Vec<&str> = columns.clone().map(|column| column.unit.as_str()).collect();
        units.sort_unstable();
        units.dedup();
        units.retain(|unit| !unit.is_empty());
        return Err(Error::Usage(format!(
            "--unit `{}`: no plotted channel can be shown in this unit; their units are {}",
            wish.typed,
            units.join(", ")
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(wishes: &[&str], name: &str, unit: &str, value: f64) -> (String, f64) {
        let wishes: Vec<Wish> = wishes.iter().map(|w| Wish::read(w).expect("a unit")).collect();
        let (mut column, mut values) = (Column::new(name, unit, ""), [value]);
        convert(&wishes, &mut column, &mut values);
        (column.unit, values[0])
    }

    #[test]
    fn channels_are_shown_in_units_of_their_kind() {
        assert_eq!(shown(&["mm"], "a.x", "m", 0.25), ("mm".into(), 250.0));
        assert_eq!(shown(&["mm"], "a.x", "rad", 0.25), ("rad".into(), 0.25));
        let (unit, value) = shown(&["deg", "rpm"], "a.angle.velocity", "rad/s", std::f64::consts::PI);
        assert!(unit == "rpm" && (value - 30.0).abs() < 1e-12);
        assert_eq!(shown(&["deg"], "slip", "1", 0.1), ("1".into(), 0.1));
        assert_eq!(shown(&["kJ"], "a.torque", "N m", 5.0), ("N m".into(), 5.0));
        assert_eq!(shown(&["kJ"], "energy", "J", 5.0), ("kJ".into(), 0.005));
        assert_eq!(shown(&["lbf*ft"], "energy", "J", 5.0), ("J".into(), 5.0));
        // Files of other programs are not in SI units.
        assert_eq!(shown(&["m"], "x", "mm", 250.0), ("m".into(), 0.25));
    }

    #[test]
    fn the_last_unit_that_fits_counts() {
        assert_eq!(shown(&["mm", "b.*=cm"], "a.x", "m", 0.25).0, "mm");
        assert_eq!(shown(&["mm", "a.*=cm"], "a.x", "m", 0.25).0, "cm");
        assert!(Wish::read("furlong").is_err() && Wish::read("a=").is_err());
        let columns = [Column::new("t", "s", ""), Column::new("x", "m", "")];
        let wish = |text: &str| [Wish::read(text).expect("a unit")];
        assert!(check(&wish("deg"), columns.iter()).is_err() && check(&wish("in"), columns.iter()).is_ok());
    }
}
