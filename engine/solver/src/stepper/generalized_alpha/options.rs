//! What can be chosen for `generalized-alpha`.

use crate::settings::SettingKind::{Choice, Number};
use crate::settings::{OwnOptions, Setting, SettingValue, Storable, settings_of};
use holonom_dae::InputError;

/// The family of coefficients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Family {
    /// After Chung and Hulbert: least damping of slow modes for a given damping of fast ones.
    #[default]
    ChungHulbert,
    /// After Hilber, Hughes and Taylor: α_m = 0; ρ∞ between ½ and 1.
    Hht,
}

impl Family {
    /// All, in the order of [`NAMES`](Self::NAMES).
    pub const ALL: [Self; 2] = [Self::ChungHulbert, Self::Hht];
    /// Names in options and files.
    pub const NAMES: [&'static str; 2] = ["chung-hulbert", "hht"];

    /// The family of this name.
    pub fn find(name: &str) -> Option<Self> {
        let at = Self::NAMES.iter().position(|n| *n == name)?;
        Some(Self::ALL[at])
    }
}

/// Options of the method.
///
/// ```
/// use holonom_solver::stepper::{Family, GeneralizedAlphaOptions};
/// let hht = GeneralizedAlphaOptions { family: Family::Hht, spectral_radius: 0.6 };
/// assert!(hht.check().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeneralizedAlphaOptions {
    /// The family of coefficients.
    pub family: Family,
    /// ρ∞: what is left of the fastest modes after a step; 1 damps nothing, 0 everything at once.
    pub spectral_radius: f64,
}

impl Default for GeneralizedAlphaOptions {
    fn default() -> Self {
        Self {
            family: Family::default(),
            spectral_radius: 0.8,
        }
    }
}

impl OwnOptions for GeneralizedAlphaOptions {
    const SETTINGS: &'static [Setting<Self>] = settings_of!(Self:
        "alpha_family" = family: Choice(|| Family::NAMES.to_vec()), "Coefficients of `generalized-alpha`.";
        "spectral_radius" = spectral_radius: Number(""), "ρ∞ of `generalized-alpha`: fraction of the fastest modes that remains after a step, 1 for no damping.";
    );

    fn check(&self) -> Result<(), InputError> {
        Self::check(self)
    }
}

impl Storable for Family {
    fn load(value: SettingValue) -> Option<Self> {
        match value {
            SettingValue::Name(name) => Self::find(&name),
            _ => None,
        }
    }

    fn store(&self) -> Option<SettingValue> {
        let at = Self::ALL.iter().position(|family| family == self)?;
        Some(Self::NAMES[at].into())
    }
}

impl GeneralizedAlphaOptions {
    /// Refuses a spectral radius the family does not have.
    pub fn check(&self) -> Result<(), InputError> {
        let least = match self.family {
            Family::ChungHulbert => 0.0,
            Family::Hht => 0.5,
        };
        if (least..=1.0).contains(&self.spectral_radius) {
            return Ok(());
        }
        Err(InputError::Option {
            option: "spectral_radius",
            value: self.spectral_radius.to_string(),
            remedy: match self.family {
                Family::ChungHulbert => {
                    "give a number from 0 (fast modes vanish in one step) to 1 (no damping)"
                }
                Family::Hht => "`hht` supports 0.5 to 1; for more damping choose `chung-hulbert`",
            }
            .into(),
        })
    }

    pub(super) fn coefficients(&self) -> Coefficients {
        let rho = self.spectral_radius;
        let (alpha_m, alpha_f) = match self.family {
            Family::ChungHulbert => ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)),
            // ρ∞ = (1 − α_f)/(1 + α_f).
            Family::Hht => (0.0, (1.0 - rho) / (1.0 + rho)),
        };
        let gamma = 0.5 + alpha_f - alpha_m;
        Coefficients {
            alpha_m,
            alpha_f,
            gamma,
            beta: 0.25 * (gamma + 0.5) * (gamma + 0.5),
        }
    }
}

/// α_m, α_f, β and γ of the method.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coefficients {
    pub alpha_m: f64,
    pub alpha_f: f64,
    pub beta: f64,
    pub gamma: f64,
}

impl Coefficients {
    /// a approximates v̇ at t + Δ h.
    pub fn delay(&self) -> f64 {
        self.alpha_m - self.alpha_f
    }

    /// Leading error of positions, in h³ v̈: of h v + h² ((½ − β) a₀ + β a₁) with a ≈ v̇(t + Δ h).
    pub fn error_q(&self) -> f64 {
        1.0 / 6.0 - self.beta - 0.5 * self.delay()
    }

    /// Leading error of velocities, in h³ v⃛: of h ((1 − γ) a₀ + γ a₁), where γ = ½ − Δ.
    pub fn error_v(&self) -> f64 {
        0.5 * self.delay() * self.delay() - 1.0 / 12.0
    }

    /// ∂a₁/∂v̇₁.
    pub fn share(&self) -> f64 {
        (1.0 - self.alpha_f) / (1.0 - self.alpha_m)
    }

    /// a₁ from (1 − α_m) a₁ + α_m a₀ = (1 − α_f) v̇₁ + α_f v̇₀.
    pub fn a1(&self, a0: f64, w0: f64, w1: f64) -> f64 {
        ((1.0 - self.alpha_f) * w1 + self.alpha_f * w0 - self.alpha_m * a0) / (1.0 - self.alpha_m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest eigenvalue, by squaring, of the map (q, h v, h² a) for q̈ = −q, with (h ω)² given.
    fn radius(options: GeneralizedAlphaOptions, z: f64) -> f64 {
        let c = options.coefficients();
        // States (q, v, a) with h = 1 and v̇ = −z q; v̇₀ belongs to the state through q₀.
        let map = |s: [f64; 3]| {
            let [q, v, a] = s;
            // q₁ = q + v + (½ − β) a + β a₁, (1 − α_m) a₁ = −(1 − α_f) z q₁ − α_f z q − α_m a.
            let k = c.beta * (1.0 - c.alpha_f) * z / (1.0 - c.alpha_m);
            let rest = q
                + v
                + (0.5 - c.beta) * a
                + c.beta * (-c.alpha_f * z * q - c.alpha_m * a) / (1.0 - c.alpha_m);
            let q1 = rest / (1.0 + k);
            let a1 = c.a1(a, -z * q, -z * q1);
            [q1, v + (1.0 - c.gamma) * a + c.gamma * a1, a1]
        };
        let (mut growth, mut s) = (0.0, [1.0, 0.3, -0.2]);
        let scale = |s: [f64; 3]| (s[0] * s[0] + s[1] * s[1] / z + s[2] * s[2] / (z * z)).sqrt();
        for k in 0..4000 {
            let size = scale(s);
            s = s.map(|x| x / size);
            s = map(s);
            if k >= 2000 {
                growth += scale(s).ln();
            }
        }
        (growth / 2000.0).exp()
    }

    #[test]
    fn fast_modes_keep_the_share_asked_for() {
        for (family, values) in [
            (Family::ChungHulbert, [0.2, 0.5, 0.9]),
            (Family::Hht, [0.55, 0.7, 0.9]),
        ] {
            for rho in values {
                let options = GeneralizedAlphaOptions {
                    family,
                    spectral_radius: rho,
                };
                let found = radius(options, 1e8);
                assert!((found - rho).abs() < 0.01, "{family:?} {rho}: {found}");
                // Slow modes are hardly damped, and nothing grows anywhere.
                assert!(radius(options, 1e-4) > 0.9999);
                // The size of a swinging state varies within a period, by a factor of a few over 2000 steps.
                for z in [0.1, 1.0, 10.0, 1e3, 1e5] {
                    assert!(radius(options, z) < 1.0 + 1e-3, "{family:?} {rho} at {z}");
                }
            }
        }
    }

    #[test]
    fn refuses_what_there_is_not() {
        for (family, rho) in [
            (Family::Hht, 0.4),
            (Family::ChungHulbert, -0.1),
            (Family::Hht, 1.1),
        ] {
            let options = GeneralizedAlphaOptions {
                family,
                spectral_radius: rho,
            };
            assert!(options.check().is_err());
        }
        let nan = GeneralizedAlphaOptions {
            spectral_radius: f64::NAN,
            ..Default::default()
        };
        assert!(nan.check().is_err());
    }
}
