//! Random profiles after ISO 8608.

use super::profile::{MAX_SAMPLES, Profile, Spectrum};
use super::{DescribedRoad, Elevation, RoadError, RoadLaw, blended, finite, not_negative, positive};
use crate::fields::{Field, Fields};
use crate::tyre::smooth::rise;
use holonom_algebra::Real;
use std::sync::Arc;

/// A random profile after ISO 8608.
#[derive(Clone, Debug, PartialEq)]
pub struct Iso8608 {
    /// Number of the class in [`Iso8608::CLASSES`].
    pub class: usize,
    /// G(n₀), m³; zero for that of the class.
    pub roughness: f64,
    /// Exponent of the spectral density.
    pub waviness: f64,
    /// Chooses the phases.
    pub seed: f64,
    /// Length after which the profile repeats, m.
    pub length: f64,
    /// Lowest wave number, 1/m.
    pub lowest: f64,
    /// Highest wave number, 1/m.
    pub highest: f64,
    /// Distance of two tracks, m; zero for one profile over the whole width.
    pub track: f64,
    /// Coherence of the tracks at n₀.
    pub coherence: f64,
    /// Length after x = 0 over which the roughness grows, m.
    pub fade: f64,
}

impl Default for Iso8608 {
    fn default() -> Self {
        Self {
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
        }
    }
}

impl Iso8608 {
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
}

impl DescribedRoad for Iso8608 {
    const NAME: &str = "iso-8608";
    const DOC: &str = "A random profile with the spectral density of ISO 8608; the seed determines it.";
    type Law = RandomProfiles;

    fn fields(&mut self, visitor: &mut dyn Fields) {
    let Self {
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
        } = self;
        let names = Self::CLASSES.map(|(name, _)| name);
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

    fn law(&self) -> Result<RandomProfiles, RoadError> {
        let Self {
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
        } = *self;
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
        Ok(RandomProfiles {
            left,
            right: (track > 0.0).then_some(right),
            track,
            fade,
        })
    }
}

/// Random profiles ready for evaluation. Copies share them.
#[derive(Clone, Debug)]
pub struct RandomProfiles {
    left: Arc<Profile>,
    /// None where both tracks are the same.
    right: Option<Arc<Profile>>,
    /// Distance of the tracks, m.
    track: f64,
    /// Length after x = 0 over which the roughness grows to its full size, m.
    fade: f64,
}

impl RoadLaw for RandomProfiles {
    fn at<T: Real>(&self, x: T, y: T) -> Elevation<T> {
        let a = composed(x, self.left.jet(x.value()));
        let mut road = match &self.right {
            Some(right) => blended(y, self.track, a, composed(x, right.jet(x.value()))),
            None => Elevation::along(a[0], a[1]),
        };
        if self.fade > 0.0 {
            let [share, slope] = rise(x / self.fade);
            let [by_x, by_y] = road.slope;
            road.slope = [by_x * share + road.height * slope / self.fade, by_y * share];
            road.height *= share;
        }
        road
    }
}

/// A function known with two derivatives at the value of x, as a number with its derivatives.
///
/// The Taylor polynomial has the right value and first derivatives, which is all that the scalars
/// of the engine carry; the function itself is evaluated in plain numbers.
fn composed<T: Real>(x: T, [value, slope, curvature]: [f64; 3]) -> [T; 2] {
    let shift = x - x.value();
    [shift * slope + value, shift * curvature + slope]
}
