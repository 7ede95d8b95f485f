//! Tyre property files (`.tir`): sections, keys and values, with comments after `$` and `!`.
//!
//! A file keeps every line it was read from, also keys nobody knows, so that reading and writing
//! give the same text. [`TirFile::magic_formula`] takes the PAC2002 coefficients out of it in SI
//! units; [`TirFile::from_magic_formula`] makes a file of them.
//!
//! ```
//! use holonom_multibody::tyre::{MagicFormula, tir::TirFile};
//! let tyre = MagicFormula {
//!     unloaded_radius: 0.3, vertical_stiffness: 2e5, fnomin: 4000.0,
//!     pcx1: 1.6, pdx1: 1.1, pkx1: 22.0, pcy1: 1.3, pdy1: 1.0, pky1: -14.0, pky2: 1.6,
//!     ..MagicFormula::default()
//! };
//! let text = TirFile::from_magic_formula(&tyre).to_string();
//! let (again, missing) = TirFile::parse(&text)?.magic_formula()?;
//! assert_eq!(again, tyre);
//! // Bounds that there are not.
//! assert_eq!(missing, ["FZMAX", "CAMMIN", "CAMMAX"]);
//! # Ok::<(), holonom_multibody::tyre::tir::TirError>(())
//! ```

use super::MagicFormula;
use crate::diagnostic::Diagnostic;
use core::fmt;
use thiserror::Error;

/// What is wrong with a tyre property file.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{}", Diagnostic::from(self))]
#[non_exhaustive]
pub enum TirError {
    /// A line that is none of section, `KEY = value`, comment or row of a table.
    Syntax {
        /// The line, from 1.
        line: usize,
        /// What stands there, shortened.
        text: String,
    },
    /// A key before the first section.
    NoSection {
        /// The line, from 1.
        line: usize,
        /// The key.
        key: String,
    },
    /// A key that appears twice in its section.
    Repeated {
        /// The line, from 1.
        line: usize,
        /// The line it stood on first.
        first: usize,
        /// The section.
        section: String,
        /// The key.
        key: String,
    },
    /// A value that should be a number.
    NotANumber {
        /// The line, from 1.
        line: usize,
        /// The key.
        key: &'static str,
        /// The value, shortened.
        value: String,
    },
    /// A number outside its bounds.
    Bounds {
        /// The line, from 1.
        line: usize,
        /// The key.
        key: &'static str,
        /// The number.
        value: f64,
        /// What is allowed.
        bounds: &'static str,
    },
    /// Keys that must be there.
    Missing(Vec<(&'static str, &'static str)>),
    /// A unit that is not known.
    Unit {
        /// The line, from 1.
        line: usize,
        /// The quantity, a key of section `UNITS`.
        quantity: &'static str,
        /// The unit.
        unit: String,
        /// What there is.
        known: String,
    },
    /// A file for another law.
    Format {
        /// The line, from 1.
        line: usize,
        /// What it says.
        format: String,
    },
}

impl From<&TirError> for Diagnostic {
    fn from(error: &TirError) -> Self {
        match error {
            TirError::Syntax { line, text } => Self::new(format!(
                "line {line}: `{text}` is not a section, a `KEY = value` pair or a comment"
            )),
            TirError::NoSection { line, key } => {
                Self::new(format!("line {line}: `{key}` appears before the first section"))
                    .remedy("add a line such as [MODEL] above it")
            }
            TirError::Repeated {
                line,
                first,
                section,
                key,
            } => Self::new(format!(
                "line {line}: `{key}` is already given in [{section}] on line {first}"
            ))
            .remedy("remove one of them"),
            TirError::NotANumber { line, key, value } => Self::new(format!(
                "line {line}: `{key}` is `{value}`, which is not a finite number"
            )),
            TirError::Bounds {
                line,
                key,
                value,
                bounds,
            } => Self::new(format!("line {line}: `{key}` is {value}, but must be {bounds}")),
            TirError::Missing(keys) => Self::new(format!(
                "{} missing, but required for the tyre",
                list_missing(keys)
            )),
            TirError::Unit {
                line,
                quantity,
                unit,
                known,
            } => Self::new(format!(
                "line {line}: the unit `{unit}` of {quantity} is not known"
            ))
            .remedy(format!("there are {known}")),
            TirError::Format { line, format } => Self::new(format!(
                "line {line}: the file is for `{format}`, not for the Magic Formula of PAC2002 (or MF-Tyre 5)"
            )),
        }
    }
}

impl TirError {
    /// The line at fault, from 1, where it is one.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Syntax { line, .. }
            | Self::NoSection { line, .. }
            | Self::Repeated { line, .. }
            | Self::NotANumber { line, .. }
            | Self::Bounds { line, .. }
            | Self::Unit { line, .. }
            | Self::Format { line, .. } => Some(*line),
            Self::Missing(_) => None,
        }
    }
}

fn list_missing(keys: &[(&str, &str)]) -> String {
    let keys: Vec<String> = keys
        .iter()
        .map(|(section, key)| format!("`{key}` in [{section}]"))
        .collect();
    format!(
        "{} {}",
        keys.join(", "),
        if keys.len() == 1 { "is" } else { "are" }
    )
}

/// A tyre property file, line by line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TirFile {
    lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq)]
struct Line {
    /// As it stands in the file, without the end of the line.
    text: String,
    content: Content,
}

#[derive(Clone, Debug, PartialEq)]
enum Content {
    /// Comment, empty line or row of a table.
    Other,
    /// Name in capital letters.
    Section(String),
    /// Key in capital letters and value without quotes.
    Entry { key: String, value: String },
}

/// The beginning of a text that may be long.
fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    if text.chars().count() <= MOST {
        return text.to_string();
    }
    text.chars().take(MOST).chain(['…']).collect()
}

/// A line without its comment; `$` and `!` between quotes do not count.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '$' | '!') => return &line[..at],
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    line
}

fn unquoted(value: &str) -> &str {
    let value = value.trim();
    for quote in ['\'', '"'] {
        if let Some(inner) = value
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
        {
            return inner.trim();
        }
    }
    value
}

impl TirFile {
    /// Reads a text.
    ///
    /// # Errors
    /// The first line that cannot be read.
    pub fn parse(text: &str) -> Result<Self, TirError> {
        let mut lines = Vec::new();
        let mut section: Option<String> = None;
        let mut known = std::collections::HashMap::new();
        for (index, text) in text.lines().enumerate() {
            let line = index + 1;
            let said = without_comment(text).trim();
            let content = if said.is_empty() || said.starts_with('{') {
                // A brace heads the columns of a table.
                Content::Other
            } else if let Some(name) = said.strip_prefix('[') {
                let Some(name) = name.strip_suffix(']').map(str::trim).filter(|n| !n.is_empty()) else {
                    let text = shortened(said);
                    return Err(TirError::Syntax { line, text });
                };
                let name = name.to_uppercase();
                section = Some(name.clone());
                Content::Section(name)
            } else if let Some((key, value)) = said.split_once('=') {
                let key = key.trim().to_uppercase();
                let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
                if !is_key {
                    let text = shortened(said);
                    return Err(TirError::Syntax { line, text });
                }
                let Some(section) = &section else {
                    return Err(TirError::NoSection { line, key });
                };
                if let Some(first) = known.insert((section.clone(), key.clone()), line) {
                    return Err(TirError::Repeated {
                        line,
                        first,
                        section: section.clone(),
                        key,
                    });
                }
                let value = unquoted(value).to_string();
                Content::Entry { key, value }
            } else if section.is_some() && said.split_whitespace().all(|word| number(word).is_some()) {
                // A row of a table, such as the shape.
                Content::Other
            } else {
                let text = shortened(said);
                return Err(TirError::Syntax { line, text });
            };
            let text = text.to_string();
            lines.push(Line { text, content });
        }
        Ok(Self { lines })
    }

    /// The value of a key, without quotes, and its line from 1.
    pub fn get(&self, section: &str, key: &str) -> Option<(&str, usize)> {
        let mut inside = false;
        for (index, line) in self.lines.iter().enumerate() {
            match &line.content {
                Content::Section(name) => inside = name == section,
                Content::Entry { key: k, value } if inside && k == key => return Some((value, index + 1)),
                _ => {}
            }
        }
        None
    }

    /// Whether there is a section of this name.
    pub fn has_section(&self, section: &str) -> bool {
        let named = |line: &Line| matches!(&line.content, Content::Section(name) if name == section);
        self.lines.iter().any(named)
    }

    /// Sets a value: in its place where the key exists, else at the end of the section. The text is
    /// written as it is given: quotes belong to it.
    pub fn set(&mut self, section: &str, key: &str, value: &str) {
        let line = Line {
            text: format!("{key:<24} = {value}"),
            content: Content::Entry {
                key: key.to_string(),
                value: unquoted(value).to_string(),
            },
        };
        if let Some((_, at)) = self.get(section, key) {
            self.lines[at - 1] = line;
            return;
        }
        let mut end = None;
        let mut inside = false;
        for (index, line) in self.lines.iter().enumerate() {
            if let Content::Section(name) = &line.content {
                inside = name == section;
            }
            if inside && !line.text.trim().is_empty() {
                end = Some(index + 1);
            }
        }
        match end {
            Some(end) => self.lines.insert(end, line),
            None => {
                self.lines.push(Line {
                    text: format!("[{section}]"),
                    content: Content::Section(section.to_string()),
                });
                self.lines.push(line);
            }
        }
    }

    /// The factors that make SI units of length, force, time, angle and mass.
    fn units(&self) -> Result<[f64; 5], TirError> {
        let deg = core::f64::consts::PI / 180.0;
        #[rustfmt::skip]
        let known: [(&str, &[(&str, f64)]); 5] = [
            ("LENGTH", &[("METER", 1.0), ("M", 1.0), ("MM", 1e-3), ("MILLIMETER", 1e-3), ("CM", 1e-2), ("CENTIMETER", 1e-2),
                ("KM", 1e3), ("INCH", 0.0254), ("FOOT", 0.3048)]),
            ("FORCE", &[("NEWTON", 1.0), ("N", 1.0), ("KILONEWTON", 1e3), ("KN", 1e3), ("KILOGRAM_FORCE", 9.80665),
                ("KG_FORCE", 9.80665), ("KGF", 9.80665), ("POUND_FORCE", 4.448_221_615_260_5), ("LBF", 4.448_221_615_260_5)]),
            ("TIME", &[("SECOND", 1.0), ("SEC", 1.0), ("S", 1.0), ("MILLISECOND", 1e-3), ("MINUTE", 60.0), ("HOUR", 3600.0)]),
            ("ANGLE", &[("RADIANS", 1.0), ("RADIAN", 1.0), ("RAD", 1.0), ("DEGREES", deg), ("DEGREE", deg), ("DEG", deg)]),
            ("MASS", &[("KG", 1.0), ("KILOGRAM", 1.0), ("GRAM", 1e-3), ("G", 1e-3), ("TONNE", 1e3), ("MEGAGRAM", 1e3), ("POUND_MASS", 0.453_592_37),
                ("LBM", 0.453_592_37), ("SLUG", 14.593_902_937_206_4)]),
        ];
        let mut factors = [1.0; 5];
        for (factor, (quantity, names)) in factors.iter_mut().zip(known) {
            let Some((unit, line)) = self.get("UNITS", quantity) else {
                continue;
            };
            let upper = unit.to_uppercase();
            let Some((_, found)) = names.iter().find(|(name, _)| *name == upper) else {
                let names: Vec<String> = names.iter().map(|(name, _)| name.to_lowercase()).collect();
                return Err(TirError::Unit {
                    line,
                    quantity,
                    unit: shortened(unit),
                    known: names.join(", "),
                });
            };
            *factor = *found;
        }
        Ok(factors)
    }

    /// The coefficients of the Magic Formula in SI units, and the keys that were missing and have
    /// their defaults: zero, for scaling factors one.
    ///
    /// Lengths, forces, times and the angles of ranges are converted from section `UNITS`; the coefficients
    /// of the formula are by their definition for radians.
    ///
    /// # Errors
    /// A file for another law, a missing key without which there is no tyre, a value that is no
    /// number or impossible, an unknown unit.
    pub fn magic_formula(&self) -> Result<(MagicFormula, Vec<&'static str>), TirError> {
        if let Some((format, line)) = self.get("MODEL", "PROPERTY_FILE_FORMAT") {
            let upper = format.to_uppercase();
            let known = ["PAC2002", "MF_05", "MF-TYRE", "MF_TYRE", "USER"];
            if !known.contains(&upper.as_str()) {
                return Err(TirError::Format {
                    line,
                    format: shortened(format),
                });
            }
        }
        let units = self.units()?;
        let mut tyre = MagicFormula::default();
        let (mut absent, mut missing) = (Vec::new(), Vec::new());
        for (value, c) in tyre.values_mut().into_iter().zip(MagicFormula::COEFFICIENTS) {
            let found = self.get(c.section, c.key).or_else(|| match c.key {
                // Both spellings are in use; old files have the reference speed here.
                "LFZO" => self.get(c.section, "LFZ0"),
                "LONGVL" => self.get("OPERATING_CONDITIONS", c.key),
                _ => None,
            });
            let Some((text, line)) = found else {
                if c.required {
                    missing.push((c.section, c.key));
                } else if !c.rare {
                    absent.push(c.key);
                }
                continue;
            };
            let Some(number) = number(text) else {
                return Err(TirError::NotANumber {
                    line,
                    key: c.key,
                    value: shortened(text),
                });
            };
            let factor: f64 = units.iter().zip(c.unit).map(|(unit, n)| unit.powi(n)).product();
            *value = number * factor;
            let positive = matches!(
                c.key,
                "UNLOADED_RADIUS"
                    | "VERTICAL_STIFFNESS"
                    | "FNOMIN"
                    | "LFZO"
                    | "LONGVL"
                    | "FZMAX"
                    | "LCZ"
                    | "INFLPRES"
                    | "NOMPRES"
            );
            let not_zero = matches!(c.key, "PKY2" | "PCX1" | "PCY1" | "PDX1" | "PDY1");
            let not_negative = matches!(
                c.key,
                "LMUX" | "LMUY" | "VERTICAL_DAMPING" | "FZMIN" | "QFZ1" | "MBELT"
            );
            let mode = c.key == "USE_MODE"
                && !(value.fract() == 0.0 && value.abs() < 30.0 && value.abs() % 10.0 < 6.0);
            let bounds = if positive && *value <= 0.0 {
                "positive"
            } else if not_zero && *value == 0.0 {
                "other than zero"
            } else if not_negative && *value < 0.0 {
                "zero or positive"
            } else if mode {
                "a whole number that ends in 0 to 5, between -25 and 25"
            } else if !value.is_finite() {
                "finite in SI units"
            } else {
                continue;
            };
            return Err(TirError::Bounds {
                line,
                key: c.key,
                value: number,
                bounds,
            });
        }
        if missing.is_empty() {
            Ok((tyre, absent))
        } else {
            Err(TirError::Missing(missing))
        }
    }

    /// Keys with a value that [`magic_formula`](Self::magic_formula) takes no notice of, in their order. Left
    /// out are those that only describe the file, and terms that are switched off: a coefficient of zero, a
    /// factor of one.
    pub fn not_used(&self) -> Vec<&str> {
        let mut section = "";
        let mut unused = Vec::new();
        // The couple of the belt belongs to the transient modes.
        let rigid = self.use_mode().is_some_and(|mode| mode.abs() < 10.0);
        for line in &self.lines {
            match &line.content {
                Content::Section(name) => section = name,
                Content::Entry { key, value }
                    if !is_used(section, key) || (rigid && ["QTZ1", "MBELT"].contains(&key.as_str())) =>
                {
                    let off = match number(value) {
                        Some(value) if key.starts_with('L') => value == 1.0,
                        Some(value) => value == 0.0,
                        None => value.is_empty(),
                    };
                    if !off {
                        unused.push(key.as_str());
                    }
                }
                _ => {}
            }
        }
        unused
    }

    /// Whether `USE_MODE` asks for slips without delay: its tens are missing.
    pub fn wants_steady_slip(&self) -> bool {
        self.use_mode()
            .is_some_and(|mode| (1.0..10.0).contains(&mode.abs()))
    }

    fn use_mode(&self) -> Option<f64> {
        self.get("MODEL", "USE_MODE").and_then(|(value, _)| number(value))
    }

    /// A file with all coefficients, in SI units.
    pub fn from_magic_formula(tyre: &MagicFormula) -> Self {
        let mut file = Self::default();
        for (key, unit) in [
            ("LENGTH", "meter"),
            ("FORCE", "newton"),
            ("ANGLE", "radians"),
            ("MASS", "kg"),
            ("TIME", "second"),
        ] {
            file.set("UNITS", key, &format!("'{unit}'"));
        }
        file.set("MODEL", "PROPERTY_FILE_FORMAT", "'PAC2002'");
        for (value, c) in tyre.values().into_iter().zip(MagicFormula::COEFFICIENTS) {
            // Bounds that do not exist are not written, nor pressures that are not known.
            let unknown = matches!(c.key, "INFLPRES" | "NOMPRES") && value == 0.0;
            if value.is_finite() && !unknown {
                file.set(c.section, c.key, &format!("{value:?}"));
            }
        }
        file
    }
}

/// Whether a key means something to the formula or describes the file.
fn is_used(section: &str, key: &str) -> bool {
    // These are coefficients by their place, but no formula has them.
    const NO_FORMULA: [&str; 2] = ["WIDTH", "RIM_RADIUS"];
    const UNITS: [&str; 5] = ["LENGTH", "FORCE", "TIME", "ANGLE", "MASS"];
    match (section, key) {
        ("MDI_HEADER", _) | ("MODEL", "PROPERTY_FILE_FORMAT") => true,
        // Of pressures only a ratio is used.
        ("UNITS", "PRESSURE") => true,
        ("UNITS", key) => UNITS.contains(&key),
        ("SCALING_COEFFICIENTS", "LFZ0") | ("OPERATING_CONDITIONS", "LONGVL") => true,
        _ => {
            let known = MagicFormula::COEFFICIENTS.iter();
            let mut same = known.filter(|c| c.section == section && c.key == key);
            same.next().is_some() && !NO_FORMULA.contains(&key)
        }
    }
}

/// A finite number; `D` for the exponent is Fortran's.
fn number(text: &str) -> Option<f64> {
    let digits = text.trim();
    // Words such as "inf" and "nan" are numbers to Rust.
    if !digits.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let value = match digits.parse::<f64>() {
        Ok(value) => value,
        Err(_) => digits.replace(['d', 'D'], "e").parse::<f64>().ok()?,
    };
    value.is_finite().then_some(value)
}

impl fmt::Display for TirFile {
    /// The text of the file, a line feed after every line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            writeln!(f, "{}", line.text)?;
        }
        Ok(())
    }
}
