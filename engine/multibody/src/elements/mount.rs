//! What all tyres have besides the law of their forces.

use super::faults::Faults;
use super::references::{Attached, Named, References, Resolve};
use crate::diagnostic::Diagnostic;
use crate::fields::{Field, Fields};

/// Where a tyre is and on what it rolls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mount<R: References = Named> {
    /// Frame on the wheel: origin at its centre, y along its axle to the left.
    pub wheel: R::Frame,
    /// The road; no name stands for the plane z = 0 of the ground.
    pub road: R::Road,
    /// Length over which height and slope of the road are averaged, m; zero for a single point.
    pub enveloping: f64,
    /// The mirror image of the data: for a tyre on the other side than the one measured.
    pub mirrored: bool,
}

impl Mount<Named> {
    /// A tyre on a wheel, on the plane z = 0 of the ground.
    pub fn new(wheel: impl Into<String>) -> Self {
        Self {
            wheel: wheel.into(),
            ..Self::default()
        }
    }

    /// The same on a road.
    pub fn on(mut self, road: impl Into<String>) -> Self {
        self.road = road.into();
        self
    }

    /// The same with the road averaged over a length, m.
    pub fn enveloping(mut self, length: f64) -> Self {
        self.enveloping = length;
        self
    }

    pub(crate) fn fields(&mut self, visitor: &mut dyn Fields) {
        let doc = "Frame on the wheel: origin at its centre, y along its axle to the left.";
        visitor.frame(&Field::required("wheel", "", doc), &mut self.wheel);
        let doc = "Name of the road; default: the plane z = 0 of the ground.";
        visitor.road(&Field::optional("road", "", doc), &mut self.road);
        let doc = "Length over which the height and slope of the road are averaged; zero for a single point.";
        visitor.number(&Field::optional("enveloping", "m", doc), &mut self.enveloping);
        let doc = "Mirror the data, for a tyre on the opposite side from the one measured.";
        visitor.flag(&Field::optional("mirrored", "", doc), &mut self.mirrored);
    }

    /// The image of a tyre rolls on the image of the road, with its left and right exchanged.
    pub(crate) fn mirror(&mut self) {
        self.mirrored = !self.mirrored;
    }

    pub(crate) fn faults(&self, faults: &mut Faults) {
        if !(self.enveloping >= 0.0 && self.enveloping.is_finite()) {
            let quantity = ["enveloping", "the length of the enveloping"];
            faults.add(Diagnostic::out_of_bounds(
                quantity,
                self.enveloping,
                "zero or positive",
            ));
        }
    }

    pub(crate) fn attach(&self, to: &mut dyn Resolve) -> Option<Mount<Attached>> {
        Some(Mount {
            wheel: to.frame(&self.wheel)?,
            road: to.road(&self.road)?,
            enveloping: self.enveloping,
            mirrored: self.mirrored,
        })
    }
}

/// Radius and stiffness of a tyre: with the deflection δ within the wheel plane and the camber γ, the load
/// along the normal of the road is F_z = (k δ + k₂ δ² + d δ̇)/cos γ. See
/// [`Tyre`](crate::elements::forces::Tyre).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carcass {
    /// Radius r₀ without load, m.
    pub radius: f64,
    /// Vertical stiffness k, N/m.
    pub stiffness: f64,
    /// Quadratic part k₂ of the load, N/m².
    pub stiffening: f64,
    /// Vertical damping, N s/m.
    pub damping: f64,
    /// Share λ in the effective rolling radius r₀ − (1 − λ) δ.
    pub rolling_radius: f64,
    /// Moment against rolling by load and radius.
    pub rolling_resistance: f64,
    /// Relaxation length along x, m, for laws that do not know it.
    pub relaxation_x: f64,
    /// Relaxation length along y, m.
    pub relaxation_y: f64,
}

impl Default for Carcass {
    fn default() -> Self {
        Self {
            radius: 0.0,
            stiffness: 0.0,
            stiffening: 0.0,
            damping: 0.0,
            rolling_radius: 2.0 / 3.0,
            rolling_resistance: 0.0,
            relaxation_x: 0.3,
            relaxation_y: 0.5,
        }
    }
}

impl Carcass {
    /// A radius in m and a vertical stiffness in N/m.
    pub fn new(radius: f64, stiffness: f64) -> Self {
        Self {
            radius,
            stiffness,
            ..Self::default()
        }
    }

    pub(crate) fn faults(&self, faults: &mut Faults) {
        faults.above_zero("radius", self.radius);
        faults.above_zero("stiffness", self.stiffness);
        for (field, value) in [
            ("stiffening", self.stiffening),
            ("damping", self.damping),
            ("rolling_radius", self.rolling_radius),
            ("rolling_resistance", self.rolling_resistance),
            ("relaxation_x", self.relaxation_x),
            ("relaxation_y", self.relaxation_y),
        ] {
            faults.zero_or_above(field, value);
        }
    }

    /// Shows the fields, those of the relaxation where they count.
    pub(crate) fn fields(&mut self, visitor: &mut dyn Fields, relaxes: bool) {
        let mut number = |field: Field, value: &mut f64| visitor.number(&field, value);
        number(
            Field::required("radius", "m", "Unloaded radius."),
            &mut self.radius,
        );
        number(
            Field::required(
                "stiffness",
                "N/m",
                "Vertical stiffness k: force per deflection in the wheel plane, F_z cos γ = k δ.",
            ),
            &mut self.stiffness,
        );
        let doc = "Coefficient of the part of the load that is quadratic in the deflection.";
        number(Field::optional("stiffening", "N/m²", doc), &mut self.stiffening);
        number(
            Field::optional(
                "damping",
                "N s/m",
                "Vertical damping; the total force is never tensile.",
            ),
            &mut self.damping,
        );
        let doc = "Factor s in the effective rolling radius: radius − (1 − s) deflection.";
        number(
            Field::optional("rolling_radius", "", doc),
            &mut self.rolling_radius,
        );
        let doc = "Rolling resistance moment divided by load and radius.";
        number(
            Field::optional("rolling_resistance", "", doc),
            &mut self.rolling_resistance,
        );
        if relaxes {
            let doc = "Longitudinal relaxation length.";
            number(Field::optional("relaxation_x", "m", doc), &mut self.relaxation_x);
            let doc = "Lateral relaxation length.";
            number(Field::optional("relaxation_y", "m", doc), &mut self.relaxation_y);
        }
    }
}
