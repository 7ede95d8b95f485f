//! The kinds of roads with their fields.

use super::profile::{MAX_SAMPLES, Spectrum};
use super::{RoadError, Surface};
use crate::fields::{Field, Fields};
use holonom_expression::Expression;
use std::sync::Arc;

/// An entry of the registry: what users need to know about a kind of road.
#[derive(Debug)]
pub struct RoadInfo {
    /// Name in model files and reports.
    pub name: &'static str,
    /// One sentence for users.
    pub doc: &'static str,
    /// The kind as absent fields leave it.
    pub template: fn() -> RoadKind,
    /// Shows the fields of a road of this kind; one of another kind has none to show.
    pub fields: fn(&mut RoadKind, &mut dyn Fields),
}

/// What a road looks like.
#[derive(Clone, Debug, PartialEq)]
pub enum RoadKind {
    /// The plane z = 0.
    Flat,
    /// A height over x and y.
    Height {
        /// An expression of x and y, m.
        height: Expression,
    },
    /// Two profiles along x.
    Tracks {
        /// Height along y = track/2, an expression of x, m.
        left: Expression,
        /// Height along y = −track/2, m.
        right: Expression,
        /// Distance of the tracks, m.
        track: f64,
    },
    /// A random profile after ISO 8608.
    Iso8608 {
        /// Number of the class in [`RoadKind::CLASSES`].
        class: usize,
        /// G(n₀), m³; zero for that of the class.
        roughness: f64,
        /// Exponent of the spectral density.
        waviness: f64,
        /// Chooses the phases.
        seed: f64,
        /// Length after which the profile repeats, m.
        length: f64,
        /// Lowest wave number, 1/m.
        lowest: f64,
        /// Highest wave number, 1/m.
        highest: f64,
        /// Distance of two tracks, m; zero for one profile over the whole width.
        track: f64,
        /// Coherence of the tracks at n₀.
        coherence: f64,
        /// Length after x = 0 over which the roughness grows, m.
        fade: f64,
    },
    /// A bump: a full wave of the cosine.
    Bump {
        /// Where it begins, m.
        start: f64,
        /// Its length, m.
        length: f64,
        /// Its height, m.
        height: f64,
    },
    /// A smooth rise to another height.
    Ramp {
        /// Where it begins, m.
        start: f64,
        /// Its length, m.
        length: f64,
        /// The height behind it, m.
        height: f64,
    },
}

/// All kinds of roads.
pub const ROADS: &[&RoadInfo] = &[&FLAT, &HEIGHT, &TRACKS, &ISO_8608, &BUMP, &RAMP];

const FLAT: RoadInfo = RoadInfo {
    name: "flat",
    doc: "The plane z = 0 of its frame.",
    template: || RoadKind::Flat,
    fields: |_, _| {},
};

const HEIGHT: RoadInfo = RoadInfo {
    name: "height",
    doc: "Height as an expression of x and y, which may call tables.",
    template: || RoadKind::Height {
        height: Expression::zero(),
    },
    fields: |kind, visitor| {
        if let RoadKind::Height { height } = kind {
            let field = Field::required("height", "m", "Height as a function of x and y.");
            visitor.expression(&field, &["x", "y"], height);
        }
    },
};

const TRACKS: RoadInfo = RoadInfo {
    name: "tracks",
    doc: "Two profiles along x, usually tables, for the left and right wheels.",
    template: || RoadKind::Tracks {
        left: Expression::zero(),
        right: Expression::zero(),
        track: 0.0,
    },
    fields: |kind, visitor| {
        if let RoadKind::Tracks { left, right, track } = kind {
            let field = Field::required(
                "left",
                "m",
                "Height as a function of x at y = track/2 and to the left of it.",
            );
            visitor.expression(&field, &["x"], left);
            let field = Field::required(
                "right",
                "m",
                "Height as a function of x at y = −track/2 and to the right of it.",
            );
            visitor.expression(&field, &["x"], right);
            let field = Field::required(
                "track",
                "m",
                "Distance between the two profiles, which a smooth step connects.",
            );
            visitor.number(&field, track);
        }
    },
};

const ISO_8608: RoadInfo = RoadInfo {
    name: "iso-8608",
    doc: "A random profile with the spectral density of ISO 8608; the seed determines it.",
    template: || RoadKind::Iso8608 {
        class: 2,
        roughness: 0.0,
        waviness: 2.0,
        seed: 1.0,
        length: 1000.0,
        lowest: 0.011,
        highest: 2.83,
        track: 0.0,
        coherence: 0.9,
        fade: 0.0,
    },
    fields: random_fields,
};

fn random_fields(kind: &mut RoadKind, visitor: &mut dyn Fields) {
    let RoadKind::Iso8608 {
        class,
        roughness,
        waviness,
        seed,
        length,
        lowest,
        highest,
        track,
        coherence,
        fade,
    } = kind
    else {
        return;
    };
    let names = RoadKind::CLASSES.map(|(name, _)| name);
    let doc = "Road class of the standard; the geometric mean of its bounds is used.";
    visitor.choice(&Field::optional("class", "", doc), &names, class);
    let doc = "Spectral density at 0.1/m, instead of that of the class; zero to use the class.";
    visitor.number(&Field::optional("roughness", "m³", doc), roughness);
    let doc = "Exponent w of the spectral density: G(n) ~ n^−w.";
    visitor.number(&Field::optional("waviness", "", doc), waviness);
    let doc = "Integer seed for the phases.";
    visitor.number(&Field::optional("seed", "", doc), seed);
    let doc = "Length after which the profile repeats.";
    visitor.number(&Field::optional("length", "m", doc), length);
    visitor.number(&Field::optional("lowest", "1/m", "Lowest wave number."), lowest);
    visitor.number(
        &Field::optional("highest", "1/m", "Highest wave number."),
        highest,
    );
    let doc = "Distance between two tracks with a smooth step between them; zero for a single profile over the full width.";
    visitor.number(&Field::optional("track", "m", doc), track);
    let doc = "Coherence c of the two tracks at 0.1/m; it is c^(n/0.1) at the wave number n.";
    visitor.number(&Field::optional("coherence", "", doc), coherence);
    let doc =
        "Length beyond x = 0 over which the roughness grows from zero; zero for a rough surface everywhere.";
    visitor.number(&Field::optional("fade", "m", doc), fade);
}

const BUMP: RoadInfo = RoadInfo {
    name: "bump",
    doc: "A bump across the road: height/2 (1 − cos(2π (x − start)/length)).",
    template: || RoadKind::Bump {
        start: 0.0,
        length: 0.0,
        height: 0.0,
    },
    fields: |kind, visitor| {
        if let RoadKind::Bump {
            start,
            length,
            height,
        } = kind
        {
            visitor.number(&Field::required("start", "m", "x at which it starts."), start);
            visitor.number(&Field::required("length", "m", "Length along x."), length);
            visitor.number(&Field::required("height", "m", "Height at the middle."), height);
        }
    },
};

const RAMP: RoadInfo = RoadInfo {
    name: "ramp",
    doc: "A smooth rise from zero to a height: a ramp, or a kerb if it is short.",
    template: || RoadKind::Ramp {
        start: 0.0,
        length: 0.0,
        height: 0.0,
    },
    fields: |kind, visitor| {
        if let RoadKind::Ramp {
            start,
            length,
            height,
        } = kind
        {
            visitor.number(&Field::required("start", "m", "x at which it starts."), start);
            visitor.number(&Field::required("length", "m", "Length along x."), length);
            visitor.number(&Field::required("height", "m", "Height beyond the ramp."), height);
        }
    },
};

impl RoadKind {
    /// Classes of ISO 8608 with the geometric mean of G(n₀), m³.
    pub const CLASSES: [(&'static str, f64); 8] = [
        ("A", 16e-6),
        ("B", 64e-6),
        ("C", 256e-6),
        ("D", 1024e-6),
        ("E", 4096e-6),
        ("F", 16384e-6),
        ("G", 65536e-6),
        ("H", 262_144e-6),
    ];

    /// The registry's entry of the kind.
    pub fn info(&self) -> &'static RoadInfo {
        match self {
            Self::Flat => &FLAT,
            Self::Height { .. } => &HEIGHT,
            Self::Tracks { .. } => &TRACKS,
            Self::Iso8608 { .. } => &ISO_8608,
            Self::Bump { .. } => &BUMP,
            Self::Ramp { .. } => &RAMP,
        }
    }

    pub(super) fn surface(&self) -> Result<Surface, RoadError> {
        Ok(match self {
            Self::Flat => Surface::Flat,
            Self::Height { height } => Surface::Height(height.clone()),
            Self::Tracks { left, right, track } => Surface::Tracks {
                left: left.clone(),
                right: right.clone(),
                track: positive(["track", "the distance of the tracks"], *track)?,
            },
            Self::Iso8608 { .. } => self.random()?,
            Self::Bump {
                start,
                length,
                height,
            } => Surface::Bump {
                start: finite(["start", "the start of the bump"], *start)?,
                length: positive(["length", "the length of the bump"], *length)?,
                height: finite(["height", "the height of the bump"], *height)?,
            },
            Self::Ramp {
                start,
                length,
                height,
            } => Surface::Ramp {
                start: finite(["start", "the start of the ramp"], *start)?,
                length: positive(["length", "the length of the ramp"], *length)?,
                height: finite(["height", "the height of the ramp"], *height)?,
            },
        })
    }

    fn random(&self) -> Result<Surface, RoadError> {
        let Self::Iso8608 {
            class,
            roughness,
            waviness,
            seed,
            length,
            lowest,
            highest,
            track,
            coherence,
            fade,
        } = *self
        else {
            return Ok(Surface::Flat);
        };
        let class = Self::CLASSES.get(class).map_or(0.0, |(_, density)| *density);
        let given = not_negative(["roughness", "the roughness"], roughness)?;
        let spectrum = Spectrum {
            roughness: if given > 0.0 { given } else { class },
            waviness: finite(["waviness", "the exponent"], waviness)?,
            range: [
                positive(["lowest", "the lowest wave number"], lowest)?,
                positive(["highest", "the highest wave number"], highest)?,
            ],
            length: positive(["length", "the length of the profile"], length)?,
        };
        let track = not_negative(["track", "the distance of the tracks"], track)?;
        let fade = not_negative(["fade", "the length of the beginning"], fade)?;
        if !(0.0..=1.0).contains(&coherence) {
            return Err(RoadError::Bounds {
                quantity: ["coherence", "the coherence"],
                value: coherence,
                bounds: "between 0 and 1",
            });
        }
        if !(seed >= 0.0 && seed.fract() == 0.0 && seed < 9e15) {
            return Err(RoadError::Bounds {
                quantity: ["seed", "the seed"],
                value: seed,
                bounds: "a whole number that is not negative",
            });
        }
        let [first, last] = spectrum.harmonics();
        if first > last {
            return Err(RoadError::NoHarmonics);
        }
        let points = spectrum.samples();
        if points.is_nan() || points > MAX_SAMPLES as f64 {
            return Err(RoadError::TooFine {
                points,
                most: MAX_SAMPLES,
            });
        }
        let [left, right] = spectrum.profiles(seed as u64, coherence).map(Arc::new);
        Ok(Surface::Random {
            left,
            right: (track > 0.0).then_some(right),
            track,
            fade,
        })
    }
}

fn finite(quantity: [&'static str; 2], value: f64) -> Result<f64, RoadError> {
    bounded(quantity, value, value.is_finite(), "finite")
}

fn positive(quantity: [&'static str; 2], value: f64) -> Result<f64, RoadError> {
    bounded(quantity, value, value > 0.0 && value.is_finite(), "positive")
}

fn not_negative(quantity: [&'static str; 2], value: f64) -> Result<f64, RoadError> {
    bounded(
        quantity,
        value,
        value >= 0.0 && value.is_finite(),
        "zero or positive",
    )
}

fn bounded(
    quantity: [&'static str; 2],
    value: f64,
    good: bool,
    bounds: &'static str,
) -> Result<f64, RoadError> {
    if good {
        Ok(value)
    } else {
        Err(RoadError::Bounds {
            quantity,
            value,
            bounds,
        })
    }
}
