//! A tyre of constant stiffness. When compiled it is a [`Tyre`](super::Tyre).

use super::tyre::{Tyre, TyreLaws, shown_signs};
use super::{DescribedForce, ForceElement, ForceKind};
use crate::diagnostic::Diagnostic;
use crate::fields::{Field, Fields};
use crate::description::{Carcass, Force, Mirror, Mount};
use crate::elements::faults::Faults;
use crate::elements::references::Resolve;
use crate::tyre::{Linear, TyreLaw};

/// A tyre of constant stiffness within the friction ellipse.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinearTyre {
    /// Where it is and on what it rolls.
    pub mount: Mount,
    /// Radius and stiffness.
    pub carcass: Carcass,
    /// The law of its forces.
    pub law: Linear,
}

impl DescribedForce for LinearTyre {
    const NAME: &str = "linear-tyre";
    const DOC: &str = "A tyre with constant slip stiffnesses, limited by the friction ellipse, on a road.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { mount, carcass, law } = self;
        mount.fields(visitor);
        carcass.fields(visitor, true);
        let mut number = |field: Field, value: &mut f64| visitor.number(&field, value);
        let doc = "Longitudinal force per slip, for small slip.";
        number(
            Field::required("slip_stiffness", "N", doc),
            &mut law.slip_stiffness,
        );
        let doc = "Side force per slip angle, for small angles.";
        number(
            Field::required("cornering_stiffness", "N/rad", doc),
            &mut law.cornering_stiffness,
        );
        number(
            Field::optional("camber_stiffness", "N/rad", "Side force per camber angle."),
            &mut law.camber_stiffness,
        );
        let doc = "Load to which the slip stiffnesses refer; they are proportional to the load. Zero: they are constant.";
        number(Field::optional("nominal_load", "N", doc), &mut law.nominal_load);
        number(
            Field::optional("friction_x", "", "Longitudinal friction coefficient."),
            &mut law.friction_x,
        );
        number(
            Field::optional("friction_y", "", "Lateral friction coefficient."),
            &mut law.friction_y,
        );
        let doc = "Pneumatic trail for small slip.";
        number(Field::optional("trail", "m", doc), &mut law.trail);
    }

    fn faults(&self, faults: &mut Faults) {
        let law = &self.law;
        let not_negative = [law.friction_x, law.friction_y, law.nominal_load];
        if not_negative.iter().any(|x| *x < 0.0) {
            let fault = "friction coefficients and the nominal load must be zero or positive";
            faults.add(Diagnostic::new(fault).remedy("correct them"));
        }
        self.mount.faults(faults);
        let numbers = [
            law.slip_stiffness,
            law.cornering_stiffness,
            law.camber_stiffness,
            law.nominal_load,
            law.friction_x,
            law.friction_y,
            law.trail,
        ];
        faults.finite_quantity("a number of the law", &numbers);
        self.carcass.faults(faults);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        let (carcass, law) = (self.carcass, TyreLaw::Linear(self.law));
        Tyre::attached(&self.mount, TyreLaws { carcass, law }, to)
    }

    fn mirror(&mut self, _: &mut Mirror) {
        self.mount.mirror();
    }

    fn shown_signs(&self, mirror: &Mirror, _: &[f64]) -> Vec<(&'static str, f64)> {
        shown_signs(mirror)
    }
}

/// Constructors.
impl Force {
    /// A tyre of constant stiffness within the friction ellipse.
    pub fn linear_tyre(name: impl Into<String>, mount: Mount, carcass: Carcass, law: Linear) -> Self {
        Self::new(name, ForceKind::LinearTyre(LinearTyre { mount, carcass, law }))
    }
}
