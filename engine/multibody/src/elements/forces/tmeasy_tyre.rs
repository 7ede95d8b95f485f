//! A TMeasy tyre. When compiled it is a [`Tyre`](super::Tyre).

use super::tyre::{Tyre, TyreLaws, shown_signs};
use super::{DescribedForce, ForceElement, ForceKind};
use crate::diagnostic::Diagnostic;
use crate::fields::{Field, Fields};
use crate::description::{Carcass, Force, Mirror, Mount};
use crate::elements::faults::Faults;
use crate::elements::references::Resolve;
use crate::tyre::{Tmeasy, TyreLaw};

impl Tmeasy {
    /// What is wrong with its numbers, in words.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let positive = |pair: &[f64; 2]| pair.iter().all(|x| *x > 0.0);
        let axis = |a: &crate::tyre::TmeasyAxis| {
            let all = [
                &a.slope,
                &a.peak_force,
                &a.peak_slip,
                &a.sliding_force,
                &a.sliding_slip,
            ];
            all.iter().all(|pair| positive(pair))
        };
        let order = |a: &crate::tyre::TmeasyAxis| (0..2).all(|k| a.sliding_slip[k] > a.peak_slip[k]);
        if !(axis(&self.x) && axis(&self.y) && self.nominal_load > 0.0) {
            Some("slopes, forces, slips and the nominal load must be positive")
        } else if !(order(&self.x) && order(&self.y)) {
            Some("the slip from which it slides must exceed the slip at the largest force")
        } else if !(self.stiffness_x > 0.0 && self.stiffness_y > 0.0) {
            Some("the stiffnesses of the carcass (`stiffness_x`, `stiffness_y`) must be positive")
        } else if !(positive(&self.trail_zero) && (0..2).all(|k| self.trail_end[k] > self.trail_zero[k])) {
            Some("`trail_zero_slip` must be positive and less than `trail_end_slip`")
        } else {
            None
        }
    }
}

/// A TMeasy tyre.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TmeasyTyre {
    /// Where it is and on what it rolls.
    pub mount: Mount,
    /// Radius and stiffness.
    pub carcass: Carcass,
    /// The law of its forces.
    pub law: Box<Tmeasy>,
}

impl DescribedForce for TmeasyTyre {
    const NAME: &str = "tmeasy-tyre";
    const DOC: &str = "A TMeasy tyre on a road; fields ending in `_double` apply at twice the nominal load.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { mount, carcass, law } = self;
        mount.fields(visitor);
        carcass.fields(visitor, false);
        let mut number = |name, unit, doc, value: &mut f64| {
            visitor.number(&Field::required(name, unit, doc), value);
        };
        number("nominal_load", "N", "Nominal load.", &mut law.nominal_load);
        let doc = "Longitudinal stiffness of the carcass, which determines the relaxation.";
        number("stiffness_x", "N/m", doc, &mut law.stiffness_x);
        let doc = "Lateral stiffness of the carcass, which determines the relaxation.";
        number("stiffness_y", "N/m", doc, &mut law.stiffness_y);
        let mut pair = |[one, two]: [&'static str; 2], unit, doc, value: &mut [f64; 2]| {
            number(one, unit, doc, &mut value[0]);
            number(
                two,
                unit,
                "The same quantity at twice the nominal load.",
                &mut value[1],
            );
        };
        let x = &mut law.x;
        let doc = "Longitudinal force per slip, for small slip.";
        pair(["slope_x", "slope_x_double"], "N", doc, &mut x.slope);
        let doc = "Maximum longitudinal force.";
        pair(
            ["peak_force_x", "peak_force_x_double"],
            "N",
            doc,
            &mut x.peak_force,
        );
        let doc = "Slip at the maximum longitudinal force.";
        pair(["peak_slip_x", "peak_slip_x_double"], "", doc, &mut x.peak_slip);
        let doc = "Longitudinal force at full sliding.";
        pair(
            ["sliding_force_x", "sliding_force_x_double"],
            "N",
            doc,
            &mut x.sliding_force,
        );
        let doc = "Slip beyond which the tyre slides.";
        pair(
            ["sliding_slip_x", "sliding_slip_x_double"],
            "",
            doc,
            &mut x.sliding_slip,
        );
        let y = &mut law.y;
        let doc = "Side force per slip, for small slip.";
        pair(["slope_y", "slope_y_double"], "N", doc, &mut y.slope);
        let doc = "Maximum side force.";
        pair(
            ["peak_force_y", "peak_force_y_double"],
            "N",
            doc,
            &mut y.peak_force,
        );
        let doc = "Slip at the maximum side force.";
        pair(["peak_slip_y", "peak_slip_y_double"], "", doc, &mut y.peak_slip);
        let doc = "Side force at full sliding.";
        pair(
            ["sliding_force_y", "sliding_force_y_double"],
            "N",
            doc,
            &mut y.sliding_force,
        );
        let doc = "Lateral slip beyond which the tyre slides.";
        pair(
            ["sliding_slip_y", "sliding_slip_y_double"],
            "",
            doc,
            &mut y.sliding_slip,
        );
        let doc = "Pneumatic trail at zero slip divided by the contact length.";
        pair(["trail", "trail_double"], "", doc, &mut law.trail);
        let doc = "Lateral slip at which the trail first becomes zero.";
        pair(
            ["trail_zero_slip", "trail_zero_slip_double"],
            "",
            doc,
            &mut law.trail_zero,
        );
        let doc = "Lateral slip beyond which the trail is zero.";
        pair(
            ["trail_end_slip", "trail_end_slip_double"],
            "",
            doc,
            &mut law.trail_end,
        );
    }

    fn faults(&self, faults: &mut Faults) {
        if let Some(reason) = self.law.fault() {
            faults.add(Diagnostic::new(reason).remedy("correct them"));
        }
        self.mount.faults(faults);
        self.carcass.faults(faults);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        let (carcass, law) = (self.carcass, TyreLaw::Tmeasy(self.law.clone()));
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
    /// A TMeasy tyre.
    pub fn tmeasy_tyre(name: impl Into<String>, mount: Mount, carcass: Carcass, law: Tmeasy) -> Self {
        let law = Box::new(law);
        Self::new(name, ForceKind::TmeasyTyre(TmeasyTyre { mount, carcass, law }))
    }
}
