//! A tyre with the side force of the Calspan model. When compiled it is a [`Tyre`](super::Tyre).

use super::tyre::{Tyre, TyreLaws, shown_signs};
use super::{DescribedForce, ForceElement, ForceKind};
use crate::diagnostic::Diagnostic;
use crate::fields::{Field, Fields};
use crate::description::{Carcass, Force, Mirror, Mount};
use crate::elements::faults::Faults;
use crate::elements::references::Resolve;
use crate::tyre::{Calspan, TyreLaw};

/// A tyre with the side force of the Calspan model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CalspanTyre {
    /// Where it is and on what it rolls.
    pub mount: Mount,
    /// Radius and stiffness.
    pub carcass: Carcass,
    /// The law of its forces.
    pub law: Calspan,
}

impl DescribedForce for CalspanTyre {
    const NAME: &str = "calspan-tyre";
    const DOC: &str = "A tyre with the side force of the Calspan model used in the Iltis benchmark, on a road.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { mount, carcass, law } = self;
        mount.fields(visitor);
        carcass.fields(visitor, true);
        let mut number = |field: Field, value: &mut f64| visitor.number(&field, value);
        number(
            Field::optional("a_zero", "N/rad", "A0: cornering stiffness at zero load."),
            &mut law.a0,
        );
        number(
            Field::optional("a_one", "1/rad", "A1: growth of the cornering stiffness."),
            &mut law.a1,
        );
        let doc = "A2: load at which the cornering stiffness equals A0 again.";
        number(Field::optional("a_two", "N", doc), &mut law.a2);
        number(
            Field::optional("a_three", "1/rad", "A3: camber thrust coefficient."),
            &mut law.a3,
        );
        let doc = "A4: load at which the camber thrust vanishes.";
        number(Field::optional("a_four", "N", doc), &mut law.a4);
        number(
            Field::optional("b_one", "1/N", "B1: coefficient of friction linear in the load."),
            &mut law.b1,
        );
        number(
            Field::optional("b_three", "", "B3: coefficient of friction at zero load."),
            &mut law.b3,
        );
        let doc = "B4: coefficient of friction quadratic in the load.";
        number(Field::optional("b_four", "1/N²", doc), &mut law.b4);
        number(
            Field::optional("skid", "", "Skid number, a factor on the friction."),
            &mut law.skid,
        );
        let doc = "AF1: coefficient of the aligning moment proportional to load and side force.";
        number(Field::optional("trail_one", "m/N", doc), &mut law.trail1);
        let doc = "AF2: coefficient of the aligning moment quadratic in the side force.";
        number(Field::optional("trail_two", "m/N", doc), &mut law.trail2);
        let doc = "Longitudinal force per slip, for small slip; not part of the benchmark.";
        number(
            Field::optional("slip_stiffness", "N", doc),
            &mut law.slip_stiffness,
        );
    }

    fn faults(&self, faults: &mut Faults) {
        let law = &self.law;
        if !(law.a2 > 0.0 && law.a4 > 0.0) {
            let fault = Diagnostic::new("the loads A2 and A4 (`a_two`, `a_four`) must be positive");
            faults.add(fault.remedy("correct them").field("a_two").field("a_four"));
        } else if !(law.friction(0.0) > 0.0 && law.friction(law.a2) > 0.0) {
            let fault = Diagnostic::new("the friction must be positive from no load up to A2");
            faults.add(fault.remedy("correct B1, B3, B4 or the skid number"));
        }
        self.mount.faults(faults);
        let loads = [law.a0, law.a1, law.a2, law.a3, law.a4];
        let others = [law.b1, law.b3, law.b4, law.skid, law.trail1, law.trail2, law.slip_stiffness];
        faults.finite_quantity("a number of the law", &[loads.as_slice(), &others].concat());
        self.carcass.faults(faults);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        let (carcass, law) = (self.carcass, TyreLaw::Calspan(self.law));
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
    /// A tyre with the side force of the Calspan model.
    pub fn calspan_tyre(name: impl Into<String>, mount: Mount, carcass: Carcass, law: Calspan) -> Self {
        Self::new(name, ForceKind::CalspanTyre(CalspanTyre { mount, carcass, law }))
    }
}
