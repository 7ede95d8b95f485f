//! One-sided stop between two points.

use super::contact::NOTICED;
use super::faults::Faults;
use super::line::Line;
use super::one_sided::{one_sided, soft_start};
use super::{ForceInfo, ForceLaw, Reach};
use crate::description::ForceKind;
use crate::description::fields::{FROM, Field, Fields, TO};
use crate::description::include::same_force;
use crate::elements::scene::{Loads, Scene};
use crate::model::Attachment;
use holonom_algebra::Real;
use holonom_dae::Gap;

/// The entry of the registry.
pub(super) const FORCE: ForceInfo = ForceInfo {
    name: "bump-stop",
    doc: "Bump stop that pushes the origins of two frames apart below a distance, or pulls them together above it (rebound stop).",
    in_files: true,
    template,
    fields,
    mirror: same_force,
};

fn template() -> ForceKind {
    ForceKind::BumpStop {
        from: String::new(),
        to: String::new(),
        length: 0.0,
        rebound: false,
        law: StopLaw::default(),
    }
}

fn fields(kind: &mut ForceKind, visitor: &mut dyn Fields) {
    let ForceKind::BumpStop { from, to, length, rebound, law } = kind else {
        return;
    };
    visitor.frame(&FROM, from);
    visitor.frame(&TO, to);
    visitor.number(&Field::required("length", "m", "Distance at which the stop starts to act."), length);
    let doc = "Rebound stop: acts above that distance and pulls, instead of acting below it and pushing.";
    visitor.flag(&Field::optional("rebound", "", doc), rebound);
    visitor.number(&Field::required("stiffness", "N/m", "Stiffness beyond the onset."), &mut law.stiffness);
    visitor.number(&Field::optional("damping", "N s/m", "Damping beyond the onset."), &mut law.damping);
    let doc = "Deflection over which stiffness and damping rise to their full values.";
    visitor.number(&Field::required("onset", "m", doc), &mut law.onset);
}

/// Numbers of a stop.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StopLaw {
    /// Stiffness k behind the onset.
    pub stiffness: f64,
    /// Damping c behind the onset.
    pub damping: f64,
    /// Deflection w over which both grow to their full values.
    pub onset: f64,
}

impl StopLaw {
    /// What is wrong with it.
    pub(crate) fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        faults.positive("stiffness", self.stiffness);
        faults.not_negative("damping", self.damping);
        faults.positive("onset", self.onset);
        faults
    }

    /// Force ≥ 0 at a deflection and its rate; zero for deflections below zero.
    ///
    /// The elastic part is k w g(δ/w) with g = s³ − s⁴/2 up to s = 1 and s − 1/2 behind, the
    /// viscous one c g′(δ/w) δ̇; their sum never pulls.
    pub fn force<T: Real>(&self, deflection: T, rate: T) -> T {
        let start = soft_start(deflection, self.onset);
        one_sided(start.force * self.stiffness, start.share * rate * self.damping)
    }

    /// Energy stored at a deflection.
    pub fn energy<T: Real>(&self, deflection: T) -> T {
        soft_start(deflection, self.onset).energy * self.stiffness
    }
}

/// [`StopLaw`] of the deflection δ = ℓ_s − ℓ, which pushes two origins apart; as rebound stop of
/// δ = ℓ − ℓ_s, which pulls them together. ℓ is their distance.
#[derive(Clone, Debug)]
pub struct BumpStop {
    /// First end.
    pub from: Attachment,
    /// Second end.
    pub to: Attachment,
    /// Distance ℓ_s at which it begins to act.
    pub length: f64,
    /// Acts above that distance.
    pub rebound: bool,
    /// Numbers.
    pub law: StopLaw,
}

impl BumpStop {
    /// dδ/dℓ.
    fn sign(&self) -> f64 {
        if self.rebound { 1.0 } else { -1.0 }
    }
}

impl ForceLaw for BumpStop {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let line = Line::new(scene, &self.from, &self.to);
        let sign = self.sign();
        let force = self.law.force((line.length - self.length) * sign, line.rate * sign);
        line.push(line.direction.scale(force * -sign), loads);
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let length = Line::length(scene, &self.from, &self.to);
        Some(self.law.energy((length - self.length) * self.sign()))
    }

    fn gap(&self, scene: &Scene<f64>) -> Option<Gap> {
        let (a, b) = (scene.frame(&self.from), scene.frame(&self.to));
        let length = (b.origin - a.origin).norm();
        Some(Gap {
            distance: (self.length - length) * self.sign(),
            speed: (b.velocity - a.velocity).norm(),
            depth: NOTICED * self.law.onset,
        })
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Line(&self.from, &self.to)
    }
}
