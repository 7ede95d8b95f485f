//! One-sided stop between two points.

use super::contact::NOTICED;
use super::line::Line;
use super::one_sided::{one_sided, piece_of_push, piece_of_start, soft_start};
use super::{DescribedForce, ForceElement, ForceLaw, Reach};
use crate::fields::{FROM, Field, Fields, TO};
use crate::description::{Called, Force};
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use holonom_algebra::Real;
use holonom_dae::Gap;

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
    pub(crate) fn faults(&self, faults: &mut Faults) {
        faults.positive("stiffness", self.stiffness);
        faults.not_negative("damping", self.damping);
        faults.positive("onset", self.onset);
    }

    /// Force ≥ 0 at a deflection and its rate; zero for deflections below zero.
    ///
    /// The elastic part is k w g(δ/w) with g = s³ − s⁴/2 up to s = 1 and s − 1/2 behind, the
    /// viscous one c g′(δ/w) δ̇; their sum never pulls.
    pub fn force<T: Real>(&self, deflection: T, rate: T) -> T {
        let start = soft_start(deflection, self.onset);
        one_sided(start.force * self.stiffness, start.share * rate * self.damping)
    }

    /// Force, and the number of the piece on which it is.
    pub(super) fn piece(&self, deflection: f64, rate: f64) -> (f64, u64) {
        let start = soft_start(deflection, self.onset);
        let (elastic, viscous) = (start.force * self.stiffness, start.share * rate * self.damping);
        let piece = piece_of_start(deflection, self.onset) + 3 * piece_of_push(elastic, viscous);
        (one_sided(elastic, viscous), piece)
    }

    /// Energy stored at a deflection.
    pub fn energy<T: Real>(&self, deflection: T) -> T {
        soft_start(deflection, self.onset).energy * self.stiffness
    }
}

/// [`StopLaw`] of the deflection δ = ℓ_s − ℓ, which pushes two origins apart; as rebound stop of
/// δ = ℓ − ℓ_s, which pulls them together. ℓ is their distance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BumpStop<R: References = Attached> {
    /// First end.
    pub from: R::Frame,
    /// Second end.
    pub to: R::Frame,
    /// Distance ℓ_s at which it begins to act.
    pub length: f64,
    /// Acts above that distance.
    pub rebound: bool,
    /// Numbers.
    pub law: StopLaw,
}

impl DescribedForce for BumpStop<Named> {
    const NAME: &str = "bump-stop";
    const DOC: &str = "Bump stop that pushes the origins of two frames apart below a distance, or pulls \
                       them together above it (rebound stop).";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { from, to, length, rebound, law } = self;
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

    fn faults(&self, faults: &mut Faults) {
        self.law.faults(faults);
        faults.positive("length", self.length);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, BumpStop { from: frame, to: frame, length, rebound, law })
    }
}


impl BumpStop {
    /// dδ/dℓ.
    fn sign(&self) -> f64 {
        if self.rebound { 1.0 } else { -1.0 }
    }
}

/// Constructors.
impl Force {
    /// Buffer that pushes the origins of two frames apart below a distance.
    pub fn bump_stop(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        length: f64,
        law: StopLaw,
    ) -> Called<BumpStop<Named>> {
        let kind = BumpStop {
            from: from.into(),
            to: to.into(),
            length,
            rebound: false,
            law,
        };
        Called::new(name, kind)
    }
}

impl Called<BumpStop<Named>> {
    /// Lets it act above its distance and pull.
    pub fn rebound(mut self) -> Self {
        self.kind.rebound = true;
        self
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

    fn has_gap(&self) -> bool {
        true
    }

    fn piecewise(&self) -> [usize; 2] {
        [2, 1]
    }

    fn piecewise_inputs(&self, scene: &Scene<f64>, out: &mut [f64]) {
        let line = Line::new(scene, &self.from, &self.to);
        let sign = self.sign();
        out.copy_from_slice(&[(line.length - self.length) * sign, line.rate * sign]);
    }

    fn piecewise_values(&self, inputs: &[f64], values: &mut [f64], pieces: &mut [u64]) {
        (values[0], pieces[0]) = self.law.piece(inputs[0], inputs[1]);
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Line(&self.from, &self.to)
    }
}
